"""The panel in which a proposal is put together by selects, with live odds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.presenters.answer import options
from bot.presenters.card import Button, Card, Field, Input, Modal, Option, Rows, Select
from bot.presenters.limits import BUTTON_LABEL, SELECT_OPTIONS, clip
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


def with_none(choices: Sequence[Choice], chosen: str | None, nothing: str) -> tuple[Option, ...]:
    """Choices as the entries of a select, after one that takes the choice back."""
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
    target: Select | None = None,
) -> Card:
    """The proposal so far and its odds; `several` when there are other characters to act as.

    `problem` says why what is chosen has no odds. For an attack `target` chooses on whom; it takes the place
    of the difficulty, which is the GM's to set then.
    """
    attack = values.get("kind") == "attack"
    rows = _selects(draft, values, system, character, target)
    buttons = _buttons(draft, values, character, several=several, rolls_at_once=rolls_at_once)
    return Card(
        f"{user_text(character.name)} {'attacks' if attack else 'tries something'}",
        "Only you see this panel.",
        _fields(values, system, character, "\n".join(odds_line(item) for item in odds) or problem or "None."),
        tone="neutral",
        rows=(*rows, buttons),
    )


def _fields(
    values: Mapping[str, Any], system: System, character: AnyCharacter, odds: str
) -> tuple[Field, ...]:
    """What has been said and chosen so far."""
    approach = values["approach"]
    idea = user_text(approach) or "Press **Describe…** and say how. Without an idea there is no roll."
    fields = [Field("What you try", clip(idea, 1000)), Field("Odds", clip(odds, 1000))]
    if values["question"]:
        fields.insert(0, Field("The GM asks", clip(user_text(values["question"], lines=True), 1000)))
    if len(system.skills(character)) >= SELECT_OPTIONS:
        fields.append(
            Field("More abilities", "The list shows the first 24; `/check skill:` completes all of them.")
        )
    return tuple(fields)


def _selects(
    draft: str, values: Mapping[str, Any], system: System, character: AnyCharacter, target: Select | None
) -> Rows:
    skills = with_none(system.skills(character), values["skill"], "No ability")
    attributes = with_none(system.attributes(character), values["attribute"], "No attribute")
    levels = with_none(system.difficulties(), values["difficulty"], "The GM decides")
    switches = options(system.switches(gm=False), tuple(values["switches"]))
    return (
        (Select(f"sg:pp:{draft}:skill", "Ability", skills),),
        (Select(f"sg:pp:{draft}:attribute", "Attribute", attributes),),
        (target or Select(f"sg:pp:{draft}:difficulty", "Difficulty you have in mind", levels),),
        (Select(f"sg:pp:{draft}:switches", "What makes it easier or harder", switches, 0, len(switches)),),
    )


def _buttons(
    draft: str, values: Mapping[str, Any], character: AnyCharacter, *, several: bool, rolls_at_once: bool
) -> tuple[Button, ...]:
    """Who acts and who sees it are settled once a proposal was made."""
    describe = Button(f"sg:pp:{draft}:describe", "Describe…")
    if values.get("challenge") is not None:
        return (describe, Button(f"sg:pp:{draft}:send", "Save changes", "primary"))
    seen = VISIBILITY[values["visibility"]]
    if values.get("kind") == "attack" and values["visibility"] == "private":
        seen = "Only those who take part"
    buttons = [describe, Button(f"sg:pp:{draft}:visibility", seen)]
    if several:
        buttons.append(Button(f"sg:pp:{draft}:as", clip(f"As {character.name}", BUTTON_LABEL)))
    send = "Roll" if rolls_at_once else "Propose to the GM"
    return (*buttons, Button(f"sg:pp:{draft}:send", send, "primary"))


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
