"""The GM's panel for a proposal, and its dialogues."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.presenters.card import Button, Card, Field, Input, Modal, Option, Rows, Select
from bot.presenters.limits import OPTION_TEXT, SELECT_OPTIONS, clip
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
    proposal = (
        user_text(view.approach) if view.approach else "*No idea given: only a sacrifice can help here.*"
    )
    fields = [Field("Proposal", clip(proposal, 1000)), Field("With", _lines(view.traits))]
    if view.shifts:
        fields.append(Field("The player claims", _lines(view.shifts)))
    if view.asked is not None:
        fields.append(Field("The player has in mind", say(view.asked)))
    if problem:
        fields.append(Field("Your answer so far", clip(problem, 1000)))
    elif ruled is not None and ruled.target is not None:
        answer = f"**{say(ruled.target)}**" + ("\n" + _lines(ruled.shifts) if ruled.shifts else "")
        fields.append(Field("Your answer so far", answer))
    else:
        fields.append(Field("Your answer so far", "No difficulty yet. Choose a level, or press **Number…**"))
    if values["note"]:
        fields.append(Field("Note to the player", clip(user_text(values["note"]), 1000)))
    hidden, undecided = bool(values["hidden"]), values["difficulty"] is None
    rows: list[tuple[Button | Select, ...]] = []
    levels = options(system.difficulties(), () if undecided else (values["difficulty"],))
    rows.append((Select(f"sg:ap:{draft}:level", "Difficulty before shifts", levels),))
    switches = options(system.switches(gm=True), tuple(values["switches"]))
    rows.append(
        (Select(f"sg:ap:{draft}:switches", "What makes it easier or harder", switches, 0, len(switches)),)
    )
    strikes = options(system.strikes(challenge), tuple(values["strike"]))
    if strikes:
        rows.append((Select(f"sg:ap:{draft}:strike", "Traits that do not count", strikes, 0, len(strikes)),))
    rows.append(
        (
            Button(f"sg:ap:{draft}:hidden", "Difficulty: hidden" if hidden else "Difficulty: open"),
            Button(f"sg:ap:{draft}:number", "Number…"),
            Button(f"sg:ap:{draft}:note", "Note…"),
            Button(f"sg:ask:{table_id}:{challenge.id}:{challenge.step}", "Ask back…"),
        )
    )
    rows.append(
        (
            Button(f"sg:ap:{draft}:roll", "Let them roll", "primary", disabled=bool(problem) or undecided),
            Button(f"sg:ap:{draft}:yardstick", "Succeeds; roll how well", disabled=bool(problem)),
            Button(f"sg:ap:{draft}:free", "Succeeds, no roll", "success"),
            Button(f"sg:ap:{draft}:cannot", "Cannot work", "danger"),
        )
    )
    kept: Rows = tuple(rows)
    return Card(
        f"Your answer to {user_text(view.character)}",
        "Only you see this. Nothing is told until you press one of the buttons in the last row.",
        tuple(fields),
        f"{challenge.id}",
        "secret",
        kept,
    )


def note_modal(draft: str, values: Mapping[str, Any]) -> Modal:
    """A note that goes with the answer."""
    return Modal(
        f"sg:apm:{draft}",
        "Note to the player",
        (Input("note", "Note", values["note"], "What happens, what is at stake", True, False, NOTE_MAX),),
    )


def number_modal(draft: str, values: Mapping[str, Any]) -> Modal:
    """A difficulty as a number or a name, and a direct bonus or penalty."""
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
