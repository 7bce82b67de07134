"""Working on somebody by words or feints: what is allowed, what helps, what it does (MB-INT,
MB-LP-04).
"""

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
#: What waits for somebody's next action, as marks (MB-INT-11).
STYMIED, UNTRAINED, SETBACK, BREAK, UP = "stymied", "untrained", "setback", "break", "up"
#: How many own points lower one result (MB-LP-04).
_OWN: Final = 1


def interaction_kind(
    skill: str,
    rounds: Rounds,
    *,
    con_column: Column = "taunt_trick",
    persuasion_in_combat: bool = False,
) -> InteractionKind:
    """An interaction by its skill, with the column it is read on here (MB-CMB-04, MB-INT-06,
    MB-INT-08).

    Impossible("mb-not-in-rounds") where these rounds do not allow it; `allowed` are those that do.
    """
    kind = reference_rows.INTERACTIONS[skill]
    allowed = kind.rounds
    if skill == "Persuasion" and persuasion_in_combat:
        allowed = ("combat", *allowed)
    if rounds not in allowed:
        raise Impossible("mb-not-in-rounds", skill=skill, rounds=rounds, allowed=allowed)
    return kind.replace(column=con_column) if skill == "Con" else kind


def maneuver_penalty(skill: str, focus: str = "") -> int | None:
    """By how much a skill maneuvers harder than the one for it; None for what cannot stand in for
    it (MB-CMB-04).
    """
    if skill in reference_rows.SUBSTITUTES:
        return reference_rows.SUBSTITUTES[skill]
    return (
        0
        if focus in reference_rows.FOCUSES and MANEUVER in reference_rows.FOCUSES[focus].replaces
        else None
    )


def interaction_for_skill(skill: str, focus: str = "") -> tuple[str, int] | None:
    """The interaction that a skill serves for, and by how much it is harder; None for none
    (MB-CMB-04).
    """
    harder = maneuver_penalty(skill, focus)
    if harder is not None:
        return MANEUVER, harder
    return (skill, 0) if skill in reference_rows.INTERACTIONS else None


def circumstance_causes(skill: str, said: Mapping[str, int | None]) -> tuple[Causes, Causes]:
    """What is added to the attempt, and to the difficulty number, of rows of the skill's charts
    (MB-INT-01).

    Raises as `chosen_rows` and `worth`.
    """
    rows = [
        (row.attempt, (row.code, row_value(row, said[row.id]))) for row in chosen_rows(skill, said)
    ]
    return tuple([each for attempt, each in rows if attempt]), tuple(
        [each for attempt, each in rows if not attempt]
    )


def lower_result(column: Column, result: str, *, own: int = 0, cards: int = 0) -> str:
    """A result after points spent on it, a step down the column for each (MB-LP-04).

    Impossible("mb-one-own-point", "mb-nothing-to-lower").
    """
    if own > _OWN:
        raise Impossible("mb-one-own-point", most=_OWN)
    steps = ladder(column)
    at = steps.index(result) - own - cards
    if at < 0:
        raise Impossible("mb-nothing-to-lower", steps=steps.index(result))
    return steps[at]


def result_effect(result: str) -> EffectKind:
    """What a result on a column of interaction does; nothing for a level of General Success."""
    return reference_rows.EFFECTS.get(result, EffectKind(result))
