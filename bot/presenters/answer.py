"""The GM's panel for a proposal, and its dialogues."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.presenters.card import Button, Card, Field, Input, Modal, Option, Rows, Select
from bot.presenters.limits import OPTION_TEXT, SELECT_OPTIONS, clip
from bot.presenters.text import signed, who_text
from bot.presenters.words import say, say_bare, user_text
from rules.table.challenges import NOTE_MAX
from rules.table.events import CheckView, Line
from rules.table.state import AnyChallenge
from rules.table.system import Choice, System


def options(
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
    system: System,
    challenge: AnyChallenge,
    view: CheckView,
    ruled: CheckView | None,
    *,
    problem: str = "",
) -> Card:
    """What is proposed, what the answer would be so far, and every way to answer.

    `problem` says why what is chosen makes no answer; then it cannot be given.
    """
    if challenge.kind == "rest":
        return _rest_card(table_id, draft, values, challenge, view)
    return Card(
        f"Your answer to {who_text(view.character, view.alias)}",
        "Only you see this. Nothing is told until you press one of the buttons in the last row.",
        (
            *_proposed(view),
            Field("Your answer so far", _so_far(challenge, values, ruled, problem)),
            *_note(values),
        ),
        challenge.id,
        "secret",
        (
            *_selects(draft, values, system, challenge),
            _details(table_id, draft, values, challenge),
            _decisions(draft, values, challenge, problem),
        ),
    )


def _proposed(view: CheckView) -> list[Field]:
    idea = user_text(view.approach) if view.approach else "*No idea given: only a sacrifice can help here.*"
    fields = [Field("Proposal", clip(idea, 1000)), Field("With", _lines(view.traits))]
    if view.other is not None:
        tool = f", {user_text(view.tool)}" if view.tool else ""
        name = "Attack on" if view.kind == "attack" else "Treats"
        fields.insert(0, Field(name, f"{who_text(view.other.name)}{tool}"))
    if view.shifts:
        fields.append(Field("The player claims", _lines(view.shifts)))
    if view.asked is not None:
        fields.append(Field("The player has in mind", say(view.asked)))
    return fields


def _so_far(challenge: AnyChallenge, values: Mapping[str, Any], ruled: CheckView | None, problem: str) -> str:
    """What the answer would be with what is chosen."""
    if problem:
        return clip(problem, 1000)
    if ruled is not None and ruled.target is not None:
        return f"**{say(ruled.target)}**" + ("\n" + _lines(ruled.shifts) if ruled.shifts else "")
    if challenge.opposed and ruled is not None:
        return "\n".join(["**Both sides roll**", *_opposed(ruled, values)])
    return "No difficulty yet. Choose a level, or press **Number…**"


def _note(values: Mapping[str, Any]) -> tuple[Field, ...]:
    note = values["note"]
    return (Field("Note to the player", clip(user_text(note), 1000)),) if note else ()


def _selects(draft: str, values: Mapping[str, Any], system: System, challenge: AnyChallenge) -> Rows:
    found: list[Select] = []
    if not challenge.opposed:
        chosen = () if values["difficulty"] is None else (values["difficulty"],)
        levels = options(system.difficulties(), chosen)
        found.append(Select(f"sg:ap:{draft}:level", "Difficulty before shifts", levels))
    switches = options(system.switches(gm=True), tuple(values["switches"]))
    found.append(
        Select(f"sg:ap:{draft}:switches", "What makes it easier or harder", switches, 0, len(switches))
    )
    strikes = options(system.strikes(challenge), tuple(values["strike"]))
    if strikes:
        found.append(Select(f"sg:ap:{draft}:strike", "Traits that do not count", strikes, 0, len(strikes)))
    return tuple((select,) for select in found)


def _ask(table_id: int, challenge: AnyChallenge) -> Button:
    return Button(f"sg:ask:{table_id}:{challenge.id}:{challenge.step}", "Ask back…")


def _details(
    table_id: int, draft: str, values: Mapping[str, Any], challenge: AnyChallenge
) -> tuple[Button, ...]:
    """What opens a dialogue, and whether the difficulty is told."""
    note, ask = Button(f"sg:ap:{draft}:note", "Note…"), _ask(table_id, challenge)
    if challenge.opposed:
        return (Button(f"sg:ap:{draft}:number", "Modifiers…"), note, ask)
    shown = "Difficulty: hidden" if values["hidden"] else "Difficulty: open"
    return (
        Button(f"sg:ap:{draft}:hidden", shown),
        Button(f"sg:ap:{draft}:number", "Number…"),
        note,
        ask,
    )


def _decisions(
    draft: str, values: Mapping[str, Any], challenge: AnyChallenge, problem: str
) -> tuple[Button, ...]:
    """Every way to answer; where both sides roll the total is more than a yardstick."""
    unfit = bool(problem) or (values["difficulty"] is None and not challenge.opposed)
    yardstick = Button(f"sg:ap:{draft}:yardstick", "Succeeds; roll how well", disabled=bool(problem))
    return (
        Button(f"sg:ap:{draft}:roll", "Let them roll", "primary", disabled=unfit),
        *(() if challenge.opposed else (yardstick,)),
        Button(f"sg:ap:{draft}:free", "Succeeds, no roll", "success"),
        Button(f"sg:ap:{draft}:cannot", "Cannot work", "danger"),
    )


def _opposed(ruled: CheckView, values: Mapping[str, Any]) -> list[str]:
    """What shifts either side's total."""
    against = values.get("against", 0)
    other = [f"• {signed(against)} on the other side's total"] if against else []
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


def number_modal(draft: str, values: Mapping[str, Any], *, opposed: bool = False) -> Modal:
    """A difficulty as a number or a name, and a direct bonus or penalty; where both roll, one for each side."""
    if opposed:
        return Modal(
            f"sg:apm:{draft}",
            "Bonus or penalty",
            tuple(
                Input(field, label, str(values.get(field, 0) or ""), "0", required=False, most=6)
                for field, label in (
                    ("modifier", "On the total of whoever attacks"),
                    ("against", "On the total of whoever is attacked"),
                )
            ),
        )
    return Modal(
        f"sg:apm:{draft}",
        "Difficulty and modifier",
        (
            Input(
                "difficulty",
                "Difficulty: a number or a level",
                str(values["difficulty"] or ""),
                "14, or Tricky",
                required=False,
                most=40,
            ),
            Input(
                "modifier",
                "Bonus or penalty on the total",
                str(values["modifier"] or ""),
                "0",
                required=False,
                most=6,
            ),
        ),
    )


def ask_modal(table_id: int, challenge: str, step: int) -> Modal:
    """A question back to the player."""
    return Modal(
        f"sg:askm:{table_id}:{challenge}:{step}",
        "Ask back",
        (Input("question", "What do you want to know?", long=True, most=NOTE_MAX),),
    )
