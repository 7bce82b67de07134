"""Panels around an attack: whom it is made on, what is set against it, and what a hit does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.presenters.answer import options
from bot.presenters.card import Button, Card, Field, Input, Modal, Option, Select
from bot.presenters.check import whom_text
from bot.presenters.limits import (
    INPUT_LABEL,
    INPUT_PLACEHOLDER,
    MODAL_TITLE,
    OPTION_TEXT,
    SELECT_OPTIONS,
    clip,
)
from bot.presenters.npc import bare_name
from bot.presenters.propose import with_none
from bot.presenters.text import user_text, who_text
from bot.presenters.words import say_bare
from rules.table.challenges import APPROACH_MAX, TOOL_MAX
from rules.table.events import CheckView
from rules.table.state import AnyCharacter
from rules.table.system import HitChoice, System


def target_select(draft: str, targets: Sequence[AnyCharacter], chosen: str | None, *, gm: bool) -> Select:
    """Whom one may attack, by the names that the asker knows."""
    shown = [each for each in targets if each.id == chosen]
    shown += [each for each in targets if each.id != chosen]
    return Select(
        f"sg:pp:{draft}:target",
        "Whom you attack",
        tuple(
            Option(each.id, clip(bare_name(each, gm=gm), OPTION_TEXT), default=each.id == chosen)
            for each in shown[:SELECT_OPTIONS]
        ),
    )


def attack_modal(draft: str, approach: str, tool: str, question: str) -> Modal:
    """The idea in words and the weapon."""
    return Modal(
        f"sg:ppm:{draft}",
        "How do you attack?",
        (
            Input(
                "approach",
                clip(question, INPUT_LABEL) if question else "Your approach",
                approach,
                "What you do, and how",
                True,
                False,
                APPROACH_MAX,
            ),
            Input("tool", "Weapon", tool, "Everybody sees this", required=False, most=TOOL_MAX),
        ),
    )


def defend_card(
    draft: str,
    values: Mapping[str, Any],
    system: System,
    target: AnyCharacter,
    view: CheckView,
    *,
    problem: str = "",
) -> Card:
    """What one's character sets against an attack, so far."""
    skills = system.skills(target)
    approach = values["approach"]
    weapon = f" with {user_text(view.tool)}" if view.tool else ""
    fields = [
        Field(
            "What you do against it",
            clip(user_text(approach), 1000) if approach else "Press **Describe…** and say how.",
        )
    ]
    if problem:
        fields.append(Field("That does not fit", clip(problem, 1000)))
    switches = options(system.defence_switches(), tuple(values["switches"]))
    return Card(
        f"{whom_text(view)} defends",
        f"{who_text(view.character)} attacks {whom_text(view)}{weapon}. Nobody but you and the GMs sees what "
        "you choose until the dice are thrown; you can change it until then.",
        tuple(fields),
        view.challenge,
        "secret",
        (
            (Select(f"sg:dp:{draft}:skill", "Ability", with_none(skills, values["skill"], "No ability")),),
            (
                Select(
                    f"sg:dp:{draft}:attribute",
                    "Attribute",
                    with_none(system.attributes(target), values["attribute"], "No attribute"),
                ),
            ),
            (Select(f"sg:dp:{draft}:switches", "What makes it harder", switches, 0, len(switches)),),
            (
                Button(f"sg:dp:{draft}:describe", "Describe…"),
                Button(f"sg:dp:{draft}:send", "Lock it in", "primary", disabled=bool(problem)),
            ),
        ),
    )


def defend_modal(draft: str, approach: str) -> Modal:
    """The defence in words."""
    return Modal(
        f"sg:dpm:{draft}",
        "How do you defend yourself?",
        (
            Input(
                "approach", "What you do", approach, "What you do, and with what", True, False, APPROACH_MAX
            ),
        ),
    )


def hit_modal(table_id: int, challenge: str, step: int, choice: HitChoice, weapon: str) -> Modal:
    """What a hit does, in the GM's words."""
    return Modal(
        f"sg:hitm:{table_id}:{challenge}:{step}:{choice.value}",
        clip(say_bare(choice.label), MODAL_TITLE),
        tuple(
            Input(
                field.key,
                clip(say_bare(field.label), INPUT_LABEL),
                weapon[: field.most] if field.key == "text" else "",
                "" if field.hint is None else clip(say_bare(field.hint), INPUT_PLACEHOLDER),
                field.long,
                field.key == "text",
                field.most,
            )
            for field in choice.words
        ),
    )
