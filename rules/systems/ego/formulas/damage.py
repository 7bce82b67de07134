"""Damage: dice, armor, the two counters, impairment, stun, knock-out and recovery.

The functions take and return numbers and small records; they know neither tables nor sheets. Damage
is counted in points of Vitality.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from rules.core.record import Record

#: Way of halving damage dice: each die by itself, or their sum rounded up.
Halving = Literal["per_die", "total_half_up"]
#: Point at which a quarter of Vitality counts: when it is lost as a whole, or from its first point.
Quarters = Literal["full_quarters", "entered_quarters"]
#: Reasons why a character is helpless: Stun, a failed roll to stay conscious, death.
KNOCKED_OUT, PASSED_OUT, DEAD = "unconscious", "passed out", "dead"

#: Changes of initiative, and of difficulties and numbers to beat, by level of impairment.
IMPAIRMENT_INITIATIVE: Final = (0, -2, -4, -6, -6)
IMPAIRMENT_DIFFICULTY: Final = (0, 0, 1, 2, 2)
#: Level at which staying conscious takes a Vitality roll, and the successes it needs.
LAST_LEVEL: Final = 4
STAY_CONSCIOUS: Final = 3
#: Successes of a Medical roll that wakes a character.
WAKE: Final = 2
#: Feet of knockback for each point of Stun above the Muscle score.
KNOCKBACK: Final = 5
#: Lethal damage that heals in a day, by care.
PER_DAY: Final = {"none": 1, "rest": 2, "medical": 4}


class Body(Record):
    """Vitality of a character, and the damage it has taken."""

    vitality: int
    lethal: int = 0
    non_lethal: int = 0
    #: Stun that came through in this round.
    stun: int = 0
    #: Damage that armor stopped in this round.
    stopped: int = 0
    #: Rounds without actions that are left.
    stunned: int = 0
    #: Reason why the character is helpless; empty if it can act.
    down: str = ""


class HitResult(Record):
    """Result of one hit."""

    #: Damage that armor stopped.
    stopped: int
    #: Damage that came through.
    taken: int
    after: Body
    #: Feet of knockback.
    feet: int = 0
    #: Rounds without actions after this round; None without stun.
    stunned: int | None = None
    #: Whether staying conscious takes a roll.
    rolls: bool = False


def damage(faces: Sequence[int], flat: int = 0, halving: Halving = "per_die") -> int:
    """Return the damage of dice, `flat` added once after halving (EGO-DMG-01, EGO-DMG-02).

    It is at least 0.
    """
    if halving == "total_half_up":
        halved = (sum(faces) + 1) // 2
    else:
        halved = sum(counted_faces(faces))
    return max(0, halved + flat)


def counted_faces(faces: Sequence[int]) -> tuple[int, ...]:
    """Return what each damage die counts, where each is halved by itself (EGO-DMG-01)."""
    return tuple((face + 1) // 2 for face in faces)


def damage_dice(weapon: int, muscle: int = 0, *, more: int = 0, factor: int = 1) -> int:
    """Return the damage dice of an attack (EGO-DMG-03).

    They are the weapon's dice times `factor`, Muscle dice where they count, and `more`.
    """
    return max(0, weapon * factor + muscle + more)


def excess(successes: int, number: int, *, counts: bool) -> int:
    """Return the damage dice for successes above the number; 0 unless they count (EGO-DMG-04)."""
    return max(0, successes - number) if counts else 0


def vitality_left(body: Body) -> int:
    """Return the Vitality left (EGO-DMG-04)."""
    return max(0, body.vitality - body.lethal - body.non_lethal)


def stun_points(vitality: int) -> int:
    """Return the Stun points of an unhurt character (EGO-CHR-04)."""
    return 2 * vitality


def stun_left(body: Body) -> int:
    """Return the Stun points left; lethal damage takes none (EGO-NL-01)."""
    return stun_points(body.vitality) - body.non_lethal


def impairment(body: Body, quarters: Quarters = "full_quarters") -> int:
    """Return the level of impairment, 0 to 4; a quarter of Vitality is exact (EGO-IMP-01)."""
    lost = 4 * (body.lethal + body.non_lethal)
    level = -(-lost // body.vitality) if quarters == "entered_quarters" else lost // body.vitality
    return min(LAST_LEVEL, level)


def is_dead(body: Body) -> bool:
    """Return whether lethal damage has killed the character (EGO-DMG-04, EGO-NL-01)."""
    return body.lethal >= body.vitality


def is_knocked_out(body: Body) -> bool:
    """Return whether no Stun points are left (EGO-EFF-03)."""
    return stun_left(body) <= 0


def stun_rounds(vitality: int, stun: int) -> int | None:
    """Return the rounds without actions after so much Stun in a round (EGO-EFF-02).

    None if the Stun is too little.
    """
    return stun - vitality if stun >= vitality else None


def knockback(muscle: int, taken: int) -> int:
    """Return the feet that a character is thrown back by Stun (EGO-EFF-01)."""
    return KNOCKBACK * max(0, taken - muscle)


def stopped_by(armor: int, points: int) -> int:
    """Return the points of a hit that armor stops (EGO-ARM-01)."""
    return min(points, armor)


def armor_after_wear(armor: int, stopped: int, factor: int = 1) -> int:
    """Return the armor rating after a round in which armor stopped so much (EGO-ARM-02)."""
    return armor - 1 if armor >= 1 and stopped >= factor * armor else armor


def apply_hit(
    body: Body,
    points: int,
    *,
    armor: int = 0,
    lethal: bool = True,
    muscle: int | None = None,
    quarters: Quarters = "full_quarters",
) -> HitResult:
    """Apply one hit of so many points (EGO-ARM-01, EGO-DMG-04, EGO-IMP-01, EGO-EFF-01 to 03).

    `armor` is the rating that counts; without a `muscle` score nobody is thrown back. With `rolls`,
    a Vitality roll against STAY_CONSCIOUS decides whether the character passes out.
    """
    stopped = stopped_by(armor, points)
    taken = points - stopped
    kept_off = body.stopped + stopped
    if lethal:
        after = body.replace(stopped=kept_off, lethal=body.lethal + taken)
    else:
        after = body.replace(
            stopped=kept_off, non_lethal=body.non_lethal + taken, stun=body.stun + taken
        )
    rounds = stun_rounds(body.vitality, after.stun) if taken and not lethal else None
    feet = 0 if lethal or muscle is None else knockback(muscle, taken)
    if is_dead(after):
        after = after.replace(down=DEAD)
    elif not body.down and is_knocked_out(after):
        after = after.replace(down=KNOCKED_OUT)
    rolls = bool(taken) and not after.down and impairment(after, quarters) == LAST_LEVEL
    return HitResult(stopped, taken, after, feet, rounds, rolls)


def stays_conscious(successes: int) -> bool:
    """Return whether a Vitality roll is enough to stay conscious (EGO-IMP-01)."""
    return successes >= STAY_CONSCIOUS


def round_over(body: Body) -> Body:
    """Return the body after a round (EGO-EFF-02).

    Stun of the round takes effect now, and the longest stun counts.
    """
    stunned = max(0, body.stunned - 1, stun_rounds(body.vitality, body.stun) or 0)
    return body.replace(stun=0, stopped=0, stunned=stunned)


def lethal_after_day(lethal: int, care: str) -> int:
    """Return the lethal damage after a day with `none`, `rest` or `medical` care (EGO-REC-01)."""
    return max(0, lethal - PER_DAY[care])


def non_lethal_after_round(non_lethal: int, vitality_dice: int) -> int:
    """Return the non-lethal damage at the start of a later round (EGO-REC-02)."""
    return max(0, non_lethal - vitality_dice)


def wake(body: Body) -> Body:
    """Return the body of a character that comes to, with at least one Stun point (EGO-EFF-03).

    The dead stay dead.
    """
    if body.down in ("", DEAD):
        return body
    return body.replace(down="", non_lethal=min(body.non_lethal, stun_points(body.vitality) - 1))


def with_derived_condition(body: Body) -> Body:
    """Return the body with the condition that its damage gives: dead, knocked out or on its feet.

    A GM may have set the damage.
    """
    if is_dead(body):
        return body.replace(down=DEAD)
    return body.replace(down=KNOCKED_OUT if is_knocked_out(body) else "")


def fall_damage(points: int, absorbed: int) -> int:
    """Return the damage of a fall after Breakfall, whose levels are damage dice (EGO-SPC-03)."""
    return max(0, points - absorbed)
