"""The panel in which a proposal is put together by selects, with live odds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.presenters.answer import options
from bot.presenters.card import Button, Card, Field, Input, Modal, Option, Select
from bot.presenters.limits import SELECT_OPTIONS, clip
from bot.presenters.table import odds_line
from bot.presenters.words import say_bare, user_text
from rules.table.challenges import APPROACH_MAX
from rules.table.state import AnyCharacter
from rules.table.system import Choice, Odds, System

VISIBILITY = {
    "public": "Seen by everyone",
    "private": "Only you and the GM",
    "blind": "Only the GM sees the result",
}
#: The value of the entry that takes a trait away.
NOTHING = "none"


def _with_none(choices: Sequence[Choice], chosen: str | None, nothing: str) -> tuple[Option, ...]:
    first = Option(NOTHING, nothing, default=chosen is None)
    return (first, *options(tuple(choices), () if chosen is None else (chosen,), SELECT_OPTIONS - 1))


def propose_card(
    draft: str,
    values: Mapping[str, Any],
    system: System,
    character: AnyCharacter,
    odds: Sequence[Odds],
    *,
    several: bool,
    rolls_at_once: bool,
    problem: str = "",
) -> Card:
    """The proposal so far and its odds; `several` when there are other characters to act as.

    `problem` says why what is chosen has no odds.
    """
    approach = values["approach"]
    skills = system.skills(character)
    fields = [
        Field(
            "What you try",
            clip(user_text(approach), 1000)
            if approach
            else "Press **Describe…** and say how. Without an idea there is no roll.",
        ),
        Field(
            "Odds",
            "\n".join(odds_line(item) for item in odds) or clip(problem, 1000) or "None.",
        ),
    ]
    if values["question"]:
        fields.insert(0, Field("The GM asks", clip(user_text(values["question"], lines=True), 1000)))
    if len(skills) >= SELECT_OPTIONS:
        fields.append(
            Field("More abilities", "The list shows the first 24; `/check skill:` completes all of them.")
        )
    revising = values.get("challenge") is not None
    send = "Save changes" if revising else "Roll" if rolls_at_once else "Propose to the GM"
    buttons = [Button(f"sg:pp:{draft}:describe", "Describe…")]
    if not revising:
        buttons.append(Button(f"sg:pp:{draft}:visibility", VISIBILITY[values["visibility"]]))
    if several and not revising:
        buttons.append(Button(f"sg:pp:{draft}:as", clip(f"As {character.name}", 80)))
    buttons.append(Button(f"sg:pp:{draft}:send", send, "primary"))
    return Card(
        f"{user_text(character.name)} tries something",
        "Only you see this panel.",
        tuple(fields),
        tone="neutral",
        rows=(
            (
                Select(
                    f"sg:pp:{draft}:skill",
                    "Ability",
                    _with_none(skills, values["skill"], "No ability"),
                ),
            ),
            (
                Select(
                    f"sg:pp:{draft}:attribute",
                    "Attribute",
                    _with_none(system.attributes(character), values["attribute"], "No attribute"),
                ),
            ),
            (
                Select(
                    f"sg:pp:{draft}:difficulty",
                    "Difficulty you have in mind",
                    _with_none(system.difficulties(), values["difficulty"], "The GM decides"),
                ),
            ),
            (
                Select(
                    f"sg:pp:{draft}:switches",
                    "What makes it easier or harder",
                    options(system.switches(gm=False), tuple(values["switches"])),
                    0,
                    len(system.switches(gm=False)),
                ),
            ),
            tuple(buttons),
        ),
    )


def describe_modal(draft: str, approach: str, question: str) -> Modal:
    """The idea in words, and what the GM asked about it."""
    return Modal(
        f"sg:ppm:{draft}",
        "How do you go about it?",
        (
            Input(
                "approach",
                clip(question, 45) if question else "Your approach",
                approach,
                "What you do, and with what",
                True,
                False,
                APPROACH_MAX,
            ),
        ),
    )


def choice_texts(choices: Sequence[Choice]) -> list[tuple[str, str]]:
    """Value and label of each choice, for autocompletion."""
    return [(choice.value, clip(say_bare(choice.label), 100)) for choice in choices]
