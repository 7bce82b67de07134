"""Interaction by words or feints: its skills, circumstances and results (MB-INT, MB-LP-04)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rules.core.errors import Impossible
from rules.systems.masterbook.formulas import reference_rows
from rules.systems.masterbook.formulas.reference_rows import (
    Causes,
    EffectKind,
    InteractionKind,
    Rounds,
)
from rules.systems.masterbook.formulas.skills import chosen_rows, row_value
from rules.systems.masterbook.formulas.success_chart import Column, ladder

MANEUVER: Final = "Maneuver"
#: Marks that wait for a character's next action (MB-INT-11).
STYMIED, UNTRAINED, SETBACK, BREAK, UP = "stymied", "untrained", "setback", "break", "up"
#: Most own points that lower one result (MB-LP-04).
_MOST_OWN_POINTS: Final = 1


def interaction_kind(
    skill: str,
    rounds: Rounds,
    *,
    con_column: Column = "taunt_trick",
    persuasion_in_combat: bool = False,
) -> InteractionKind:
    """Return the interaction of a skill, with its column at this table (MB-CMB-04, MB-INT-06, -08).

    Raises Impossible("mb-not-in-rounds") if these rounds do not allow it.
    """
    kind = reference_rows.INTERACTIONS[skill]
    allowed = kind.rounds
    if skill == "Persuasion" and persuasion_in_combat:
        allowed = ("combat", *allowed)
    if rounds not in allowed:
        raise Impossible("mb-not-in-rounds", skill=skill, rounds=rounds, allowed=allowed)
    return kind.replace(column=con_column) if skill == "Con" else kind


def maneuver_penalty(skill: str, focus: str = "") -> int | None:
    """Return the penalty of maneuvering with a skill; None if it can't maneuver (MB-CMB-04)."""
    if skill in reference_rows.SUBSTITUTES:
        return reference_rows.SUBSTITUTES[skill]
    known_focus = reference_rows.FOCUSES.get(focus)
    if known_focus is not None and MANEUVER in known_focus.replaces:
        return 0
    return None


def interaction_for_skill(skill: str, focus: str = "") -> tuple[str, int] | None:
    """Return the interaction that a skill serves for, and its penalty; else None (MB-CMB-04)."""
    maneuvering = maneuver_penalty(skill, focus)
    if maneuvering is not None:
        return MANEUVER, maneuvering
    return (skill, 0) if skill in reference_rows.INTERACTIONS else None


def circumstance_causes(skill: str, numbers: Mapping[str, int | None]) -> tuple[Causes, Causes]:
    """Return the modifiers of the attempt and of the difficulty, by chart rows (MB-INT-01).

    *numbers* are those of the chosen rows, by id. Raises as `chosen_rows` and `row_value`.
    """
    attempt: list[tuple[str, int]] = []
    difficulty: list[tuple[str, int]] = []
    for row in chosen_rows(skill, numbers):
        cause = (row.code, row_value(row, numbers[row.id]))
        if row.attempt:
            attempt.append(cause)
        else:
            difficulty.append(cause)
    return tuple(attempt), tuple(difficulty)


def lower_result(column: Column, result: str, *, own: int = 0, cards: int = 0) -> str:
    """Return a result after points, each of which lowers it by a step (MB-LP-04).

    Raises:
        Impossible("mb-one-own-point"): more than one own point is spent.
        Impossible("mb-nothing-to-lower"): the column has no step so low.
    """
    if own > _MOST_OWN_POINTS:
        raise Impossible("mb-one-own-point", most=_MOST_OWN_POINTS)
    steps = ladder(column)
    step = steps.index(result)
    lowered = step - own - cards
    if lowered < 0:
        raise Impossible("mb-nothing-to-lower", steps=step)
    return steps[lowered]


def result_effect(result: str) -> EffectKind:
    """Return the effect of an interaction result; an empty one for other results (MB-INT-11)."""
    return reference_rows.EFFECTS.get(result, EffectKind(result))
