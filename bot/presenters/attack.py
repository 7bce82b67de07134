"""Panels around an attack: whom it is made on, what is set against it, and what a hit does."""

from __future__ import annotations

from collections.abc import Sequence

from bot.presenters.card import Input, Modal, Option, Select
from bot.presenters.limits import (
    INPUT_LABEL,
    INPUT_PLACEHOLDER,
    MODAL_TITLE,
    OPTION_TEXT,
    SELECT_OPTIONS,
    clip,
)
from bot.presenters.npc import bare_name
from bot.presenters.words import say_bare
from rules.table.checks.challenges import APPROACH_MAX, TOOL_MAX
from rules.table.state import AnyCharacter
from rules.table.system import HitChoice


def target_select(
    draft: str, targets: Sequence[AnyCharacter], chosen: str | None, *, gm: bool, contest: bool = False
) -> Select:
    """Whom one may attack, or have a contest with, by the names that the asker knows."""
    shown = [each for each in targets if each.id == chosen]
    shown += [each for each in targets if each.id != chosen]
    return Select(
        f"sg:pp:{draft}:target",
        "Against whom" if contest else "Whom you attack",
        tuple(
            Option(each.id, clip(bare_name(each, gm=gm), OPTION_TEXT), default=each.id == chosen)
            for each in shown[:SELECT_OPTIONS]
        ),
    )


def attack_modal(draft: str, approach: str, tool: str, question: str, *, needed: bool = True) -> Modal:
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
                needed,
                APPROACH_MAX,
            ),
            Input("tool", "Weapon", tool, "Everybody sees this", required=False, most=TOOL_MAX),
        ),
    )


def hit_modal(table_id: int, challenge: str, revision: int, choice: HitChoice, weapon: str) -> Modal:
    """What a hit does, in the GM's words."""
    return Modal(
        f"sg:hitm:{table_id}:{challenge}:{revision}:{choice.value}",
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
