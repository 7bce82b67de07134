"""What is learned between and during adventures, and what it costs in skill points (MB-SKILL-IMP-01 to -08)."""

from __future__ import annotations

from typing import Final, Literal

from rules.core.errors import Impossible

Kind = Literal["general", "focus", "specialization"]
#: How somebody takes to learning, by their background; empty as everybody.
Curve = Literal["", "positive", "negative"]

LIFE_POINT_WORTH = 3
#: The first add of a skill or a focus.
FIRST = 4
ATTRIBUTE_TIMES = 3
#: By what a teacher divides the cost: a success, and one of the highest level.
TAUGHT, TAUGHT_BEST = 2, 3
_BEST_RANK: Final = 6
#: A game master's teacher halves the cost without a roll for students below this value.
FREELY_TAUGHT_BELOW = 17


def converted(life_points: int, skill_points: int, points: int) -> tuple[int, int]:
    """Life Points and skill points once some of the first were turned into the others (MB-SKILL-IMP-01).

    Impossible("mb-too-few-life-points", left).
    """
    if not 0 < points <= life_points:
        raise Impossible("mb-too-few-life-points", value=points, left=life_points)
    return life_points - points, skill_points + LIFE_POINT_WORTH * points


def divisor(rank: int) -> int:
    """By what a teacher divides the cost, by the rank of the roll's level; 0 is a failure (MB-SKILL-IMP-04)."""
    return TAUGHT_BEST if rank >= _BEST_RANK else TAUGHT if rank else 1


def student_value(attribute: int, adds: int) -> int:
    """What a teacher has to reach: the student's value, the Attribute alone for something new."""
    return attribute + adds


def free_teacher(value: int) -> int | None:
    """By what a game master's teacher divides without a roll; None where the game master has to say."""
    return TAUGHT if value < FREELY_TAUGHT_BELOW else None


def _plain(kind: Kind, trained: bool, adds: int, rounding: str) -> int:
    """The cost of the next add without a teacher (MB-SKILL-IMP-02, MB-SKILL-IMP-03)."""
    number = adds + 1 if adds else FIRST
    if kind != "specialization":
        return 2 * number if trained else number
    if trained and rounding != "round_then_double":
        return number
    return -(-number // 2) * (2 if trained else 1)


def cost(
    kind: Kind,
    trained: bool,
    adds: int,
    *,
    by: int = 1,
    curve: Curve = "",
    rounding: str = "round_then_double",
) -> int:
    """Skill points for the next add of what has `adds` so far, 0 for something new (MB-SKILL-IMP-02 to -04, -07).

    `trained` is a skill that cannot be used untrained; `by` is what a teacher divides by; `rounding` is
    `spec_trained_rounding`.
    """
    points = _plain(kind, trained, adds, rounding)
    if curve == "negative":
        points *= 2
    if curve == "positive" and not adds:
        by = max(by, TAUGHT)
    points = -(-points // by)
    return max(1, points - 1) if curve == "positive" and adds else points


def most_between(kind: Kind, special: int = 2) -> int:
    """Adds that one may gain between two adventures; `special` is `spec_adds_between_adventures`."""
    return special if kind == "specialization" else 1


def may_gain(kind: Kind, more: int, gained: int = 0, special: int = 2) -> bool:
    """Whether so many adds may be gained between two adventures, after those `gained` (MB-SKILL-IMP-05)."""
    return gained + more <= most_between(kind, special)


def may_gain_during(taught: bool, gained: int = 0, lull: bool = True) -> bool:
    """Whether an add may be gained during an adventure: in a long `lull`, `taught` by somebody (MB-SKILL-IMP-06)."""
    return lull and taught and gained == 0


def attribute_cost(current: int) -> int:
    """Skill points to raise an Attribute by one (MB-SKILL-IMP-08)."""
    return ATTRIBUTE_TIMES * (current + 1)
