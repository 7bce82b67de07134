"""Skill points that growth costs, and how much growth is allowed.

MB-SKILL-IMP-02 to MB-SKILL-IMP-08, MB-SKILL-TEACHING.
"""

from __future__ import annotations

from typing import Final, Literal

from rules.systems.masterbook.character.sheet import Curve

AddKind = Literal["general", "focus", "specialization"]

#: Skill points for the first add of a skill or a focus.
FIRST_ADD_COST: Final = 4
ATTRIBUTE_COST_FACTOR: Final = 3
#: Divisors of the cost with a teacher: after a success, and after one of the highest level.
TAUGHT: Final = 2
TAUGHT_BEST: Final = 3
#: Rank of the highest level of success.
_BEST_RANK: Final = 6
#: A GM's teacher halves the cost without a roll for students below this value.
FREELY_TAUGHT_BELOW: Final = 17


# --- prices ---------------------------------------------------------------------------------------


def next_add_cost(
    kind: AddKind,
    trained: bool,
    adds: int,
    *,
    by: int = 1,
    curve: Curve = "",
    rounding: str = "round_then_double",
    during: bool = False,
) -> int:
    """Return the skill points for one more add than *adds* (MB-SKILL-IMP-02 to -04, -07).

    With *adds* 0, the skill is new. A *trained* skill can't be used untrained. A teacher divides
    the cost *by* so much. *rounding* is the setting `spec_trained_rounding`. *during* an adventure
    a Learning Curve halves nothing.
    """
    points = _base_cost(kind, trained, adds, rounding)
    if curve == "negative":
        points *= 2
    is_quick = curve == "positive"
    if is_quick and not adds and not during:
        by = max(by, TAUGHT)
    points = _divided(points, by)
    if is_quick and adds:
        return max(1, points - 1)
    return points


def _base_cost(kind: AddKind, trained: bool, adds: int, rounding: str) -> int:
    """Return the cost of the next add without a teacher (MB-SKILL-IMP-02, MB-SKILL-IMP-03)."""
    cost = adds + 1 if adds else FIRST_ADD_COST
    if kind != "specialization":
        return 2 * cost if trained else cost
    if trained and rounding != "round_then_double":
        return cost  # doubled, then halved
    half = _divided(cost, 2)
    return 2 * half if trained else half


def _divided(points: int, by: int) -> int:
    """Return a quotient, rounded up."""
    return -(-points // by)


def attribute_cost(current: int) -> int:
    """Return the skill points to raise an Attribute by one (MB-SKILL-IMP-08).

    A Learning Curve is about skills, and changes nothing here.
    """
    return ATTRIBUTE_COST_FACTOR * (current + 1)


# --- limits ---------------------------------------------------------------------------------------


def max_adds_between_adventures(kind: AddKind, special: int = 2) -> int:
    """Return the most adds that a character may gain between two adventures (MB-SKILL-IMP-05).

    *special* is the setting `spec_adds_between_adventures`.
    """
    return special if kind == "specialization" else 1


def may_gain(kind: AddKind, more: int, gained: int = 0, special: int = 2) -> bool:
    """Return whether *more* adds may be gained after those *gained* (MB-SKILL-IMP-05)."""
    return gained + more <= max_adds_between_adventures(kind, special)


def may_gain_during(taught: bool, gained: int = 0) -> bool:
    """Return whether an add may be gained during an adventure (MB-SKILL-IMP-06).

    It takes a teacher. The GM who allows the lesson decides whether there is time for it.
    """
    return taught and gained == 0


# --- teachers -------------------------------------------------------------------------------------


def teaching_divisor(rank: int) -> int:
    """Return the divisor of a teacher's roll by the rank of its level (MB-SKILL-IMP-04).

    Rank 0 is a failure.
    """
    if rank >= _BEST_RANK:
        return TAUGHT_BEST
    return TAUGHT if rank else 1


def student_value(attribute: int, adds: int) -> int:
    """Return the difficulty of a lesson: the student's value in what is taught."""
    return attribute + adds


def free_teaching_divisor(value: int) -> int | None:
    """Return the divisor of a GM's teacher, who needs no roll; None if the GM has to decide."""
    return TAUGHT if value < FREELY_TAUGHT_BELOW else None
