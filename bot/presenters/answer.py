"""The GM's panel for a proposal, and its dialogues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from bot.presenters.card import Button, Card, Field, Input, Modal, Option, Rows, Select
from bot.presenters.limits import (
    BUTTON_LABEL,
    INPUT_PLACEHOLDER,
    OPTION_TEXT,
    ROW_BUTTONS,
    ROWS,
    SELECT_OPTIONS,
    clip,
)
from bot.presenters.systems import SYSTEM_WORDS
from bot.presenters.systems.base import SystemWords
from bot.presenters.text import listing, who_text
from bot.presenters.words import say, say_bare, user_text
from rules.table.checks.challenges import NOTE_MAX
from rules.table.events import CheckView, Line
from rules.table.state import AnyChallenge, AnyCharacter, Kind
from rules.table.system import Choice, Game


def menu_options(
    choices: tuple[Choice, ...], chosen: tuple[str, ...], most: int = SELECT_OPTIONS
) -> tuple[Option, ...]:
    """Choices as the entries of a select, what is chosen marked: also what was typed and is not among them."""
    labels = {choice.value: say_bare(choice.label) for choice in choices}
    values = list(labels)[:most]
    missing = [value for value in chosen if value not in values]
    return tuple(
        Option(clip(value, OPTION_TEXT), clip(labels.get(value, value), OPTION_TEXT), default=value in chosen)
        for value in [*values[: most - len(missing)], *missing]
    )


def _lines(lines: tuple[Line, ...]) -> str:
    return "\n".join(f"• {say(line)}" for line in lines)


def answer_card(
    table_id: int,
    draft: str,
    values: Mapping[str, Any],
    game: Game,
    challenge: AnyChallenge,
    view: CheckView,
    ruled: CheckView | None,
    *,
    target: AnyCharacter | None = None,
    problem: str = "",
) -> Card:
    """What is proposed, what the answer would be so far, and every way to answer.

    `target` is whom it is done to. `problem` says why what is chosen makes no answer; then it cannot be given.
    """
    if challenge.kind == "rest":
        return _rest_card(table_id, draft, values, challenge, view)
    measured = game.course.measured(challenge)
    details = _details(table_id, draft, values, challenge, measured=measured)
    selects = _selects(draft, values, game, challenge, target, measured=measured)
    return Card(
        f"Your answer to {who_text(view.character, view.alias)}",
        "Only you see this. Nothing is told until you press one of the buttons in the last row.",
        (
            *_proposed(view, game),
            Field("Your answer so far", _so_far(challenge, values, ruled, problem, game, measured=measured)),
            *_note(values),
        ),
        challenge.id,
        "secret",
        (
            *_with_justifications(selects, _justifications(draft, values, game, challenge), details),
            _decisions(draft, values, challenge, problem, measured=measured),
        ),
    )


#: What stands before whom it is done to, by kind.
_DONE_TO: Final[dict[str, str]] = {"attack": "Attack on", "contest": "Against"}


def _proposed(view: CheckView, game: Game) -> list[Field]:
    unsaid = (
        "*No idea given: only a sacrifice can help here.*"
        if game.course.needs_approach
        else "*No idea given.*"
    )
    idea = user_text(view.approach) if view.approach else unsaid
    fields = [Field("Proposal", clip(idea, 1000)), Field("With", _lines(view.traits) or "Nothing.")]
    if view.other is not None:
        tool = f", {user_text(view.tool)}" if view.tool and view.kind in ("attack", "treat") else ""
        fields.insert(0, Field(_DONE_TO.get(view.kind, "Treats"), f"{who_text(view.other.name)}{tool}"))
    if view.notes and view.kind in ("contest", "team"):
        fields.append(Field("How", clip("\n".join(map(say, view.notes)), 1000)))
    if view.helpers:
        names = listing(who_text(each.name) for each in view.helpers)
        fields.append(Field("Who joins in", clip(names, 1000)))
    if view.shifts:
        fields.append(Field(SYSTEM_WORDS[game.system.key].claims, _lines(view.shifts)))
    if view.asked is not None:
        fields.append(Field("The player has in mind", say(view.asked)))
    return fields


def _so_far(
    challenge: AnyChallenge,
    values: Mapping[str, Any],
    ruled: CheckView | None,
    problem: str,
    game: Game,
    *,
    measured: bool,
) -> str:
    """What the answer would be with what is chosen."""
    if problem:
        return clip(problem, 1000)
    if ruled is not None and (ruled.target is not None or not measured):
        heads = [f"**{say(ruled.target)}**"] if ruled.target is not None else []
        heads += ["**Both sides roll**"] if challenge.opposed else []
        more = (
            _opposed(ruled, values, game)
            if challenge.opposed
            else [f"• {say(line)}" for line in ruled.shifts]
        )
        return clip("\n".join([*heads, *more]) or "They roll.", 1000)
    return "No difficulty yet. Choose one, or press **Number…**"


def _note(values: Mapping[str, Any]) -> tuple[Field, ...]:
    note = values["note"]
    return (Field("Note to the player", clip(user_text(note), 1000)),) if note else ()


def _selects(
    draft: str,
    values: Mapping[str, Any],
    game: Game,
    challenge: AnyChallenge,
    target: AnyCharacter | None,
    *,
    measured: bool,
) -> list[Select]:
    found: list[Select] = []
    levels = game.course.difficulties(target) if measured else ()
    if levels:
        chosen = () if values["difficulty"] is None else (values["difficulty"],)
        found.append(
            Select(
                f"sg:ap:{draft}:level", SYSTEM_WORDS[game.system.key].difficulty, menu_options(levels, chosen)
            )
        )
    options = menu_options(
        game.course.options(gm=True, kind=challenge.kind, mode=challenge.tool), tuple(values["options"])
    )
    if options:
        found.append(
            Select(f"sg:ap:{draft}:options", "What makes it easier or harder", options, 0, len(options))
        )
    disallowable, justifications = game.course.disallowable(challenge), game.course.justifications(challenge)
    if len(justifications) > ROW_BUTTONS or {each.value for each in disallowable} - {
        each.value for each in justifications
    }:
        refused = menu_options(disallowable, tuple(values["disallow"]))
        found.append(Select(f"sg:ap:{draft}:disallow", "Traits that do not count", refused, 0, len(refused)))
    return found


def _justifications(
    draft: str, values: Mapping[str, Any], game: Game, challenge: AnyChallenge
) -> tuple[Button, ...]:
    """What counts only because the player says why: each accepted until the GM refuses it."""
    return tuple(
        Button(
            f"sg:ap:{draft}:justification:{number}",
            clip(
                f"{'Refused' if each.value in values['disallow'] else 'Accepted'}: {say_bare(each.label)}",
                BUTTON_LABEL,
            ),
            "danger" if each.value in values["disallow"] else "success",
        )
        for number, each in enumerate(game.course.justifications(challenge))
    )


def _with_justifications(
    selects: list[Select], justifications: tuple[Button, ...], details: tuple[Button, ...]
) -> Rows:
    """The rows above the decisions: justifications in one of their own, or where there is none, beside the dialogues.

    Where those have no room for all of them either, the menu of what does not count has every one.
    """
    rows: list[tuple[Button | Select, ...]] = [(select,) for select in selects]
    if not justifications:
        return (*rows, details)
    if len(rows) + 3 <= ROWS:
        return (*rows, justifications[:ROW_BUTTONS], details)
    return (*rows, (*details, *justifications)[:ROW_BUTTONS])


def _ask(table_id: int, challenge: AnyChallenge) -> Button:
    return Button(f"sg:ask:{table_id}:{challenge.id}:{challenge.revision}", "Ask back…")


def _details(
    table_id: int, draft: str, values: Mapping[str, Any], challenge: AnyChallenge, *, measured: bool
) -> tuple[Button, ...]:
    """What opens a dialogue, and whether the difficulty is told."""
    note, ask = Button(f"sg:ap:{draft}:note", "Note…"), _ask(table_id, challenge)
    if not measured:
        return (Button(f"sg:ap:{draft}:number", "Modifiers…"), note, ask)
    shown = "Difficulty: hidden" if values["hidden"] else "Difficulty: open"
    return (
        Button(f"sg:ap:{draft}:hidden", shown),
        Button(f"sg:ap:{draft}:number", "Number…"),
        note,
        ask,
    )


def _decisions(
    draft: str, values: Mapping[str, Any], challenge: AnyChallenge, problem: str, *, measured: bool
) -> tuple[Button, ...]:
    """Every way to answer; where both sides roll the total decides."""
    unfit = bool(problem) or (values["difficulty"] is None and measured)
    margin_only = Button(f"sg:ap:{draft}:margin-only", "Succeeds; roll how well", disabled=bool(problem))
    return (
        Button(f"sg:ap:{draft}:roll", "Let them roll", "primary", disabled=unfit),
        *(() if challenge.opposed else (margin_only,)),
        Button(f"sg:ap:{draft}:free", "Succeeds, no roll", "success"),
        Button(f"sg:ap:{draft}:cannot", "Cannot work", "danger"),
    )


def _opposed(ruled: CheckView, values: Mapping[str, Any], game: Game) -> list[str]:
    """What shifts either side's total."""
    against = values.get("against", 0)
    told = SYSTEM_WORDS[game.system.key].against(against)
    other = [f"• {told}"] if against else []
    return [*(f"• {say(line)}" for line in ruled.shifts), *other]


def _rest_card(
    table_id: int, draft: str, values: Mapping[str, Any], challenge: AnyChallenge, view: CheckView
) -> Card:
    """Whether there is time enough to rest: no dice are needed for that."""
    return Card(
        f"Your answer to {who_text(view.character, view.alias)}",
        f"{who_text(view.character, view.alias)} wants to rest. Is there time enough? Only you see this.",
        _note(values),
        challenge.id,
        "secret",
        (
            (Button(f"sg:ap:{draft}:note", "Note…"), _ask(table_id, challenge)),
            (
                Button(f"sg:ap:{draft}:free", "Time enough", "success"),
                Button(f"sg:ap:{draft}:cannot", "No time", "danger"),
            ),
        ),
    )


def note_modal(draft: str, values: Mapping[str, Any]) -> Modal:
    """A note that goes with the answer."""
    return Modal(
        f"sg:apm:{draft}",
        "Note to the player",
        (Input("note", "Note", values["note"], "What happens, what is at stake", True, False, NOTE_MAX),),
    )


def number_modal(
    draft: str,
    values: Mapping[str, Any],
    words: SystemWords,
    *,
    kind: Kind = "check",
    opposed: bool = False,
    measured: bool = True,
    levels: Sequence[Choice] = (),
) -> Modal:
    """A difficulty as a number or a name, and a direct bonus or penalty; where both roll, one for each side."""
    inputs: list[Input] = []
    if measured:
        examples = ["14", *(each.value for each in levels[len(levels) // 2 :][:1])]
        inputs.append(
            Input(
                "difficulty",
                words.number,
                str(values["difficulty"] or ""),
                clip(", or ".join(examples), INPUT_PLACEHOLDER),
                required=False,
                most=40,
            )
        )
    labels = {"modifier": words.modifier}
    if opposed:
        acts, meets = _SIDES.get(kind, _SIDES["attack"])
        own, other = words.modifier_of.format(side=acts), words.modifier_of.format(side=meets)
        labels = {"modifier": own, "against": other}
    inputs += [
        Input(field, label, str(values.get(field, 0) or ""), "0", required=False, most=6)
        for field, label in labels.items()
    ]
    title = "Difficulty and modifier" if measured else "Bonus or penalty"
    return Modal(f"sg:apm:{draft}", title, tuple(inputs))


#: Who throws dice where both sides do: whoever acts, and whom it is done to.
_SIDES: Final[dict[str, tuple[str, str]]] = {
    "attack": ("whoever attacks", "whoever is attacked"),
    "contest": ("whoever begins", "the other side"),
}


def ask_modal(table_id: int, challenge: str, revision: int) -> Modal:
    """A question back to the player."""
    return Modal(
        f"sg:askm:{table_id}:{challenge}:{revision}",
        "Ask back",
        (Input("question", "What do you want to know?", long=True, most=NOTE_MAX),),
    )
