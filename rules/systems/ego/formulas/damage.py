"""What damage does: dice, armor, the two counters, impairment, stun and knock-out, recovery.

Numbers and small records in and out: nothing here knows tables or sheets. Scores are whole numbers,
damage is counted in points of Vitality.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from rules.core.record import Record

#: How damage dice are halved: each die by itself, or their sum rounded up.
Halving = Literal["per_die", "total_half_up"]
#: When a quarter of Vitality counts: when it is lost as a whole, or from its first point on.
Quarters = Literal["full_quarters", "entered_quarters"]
#: How somebody is out of it: by Stun, by a failed roll to stay conscious, for good.
KNOCKED_OUT, PASSED_OUT, DEAD = "unconscious", "passed out", "dead"

#: What each level of impairment takes from initiative, and adds to difficulties and to the number
#: to beat.
IMPAIRMENT_INITIATIVE: Final = (0, -2, -4, -6, -6)
IMPAIRMENT_DIFFICULTY: Final = (0, 0, 1, 2, 2)
#: The level at which staying conscious takes a Vitality roll, and what that is against.
LAST_LEVEL: Final = 4
STAY_CONSCIOUS: Final = 3
#: Against what a Medical roll wakes somebody who was knocked out.
WAKE: Final = 2
#: How far each point of Stun above the Muscle score throws somebody back, in feet.
KNOCKBACK: Final = 5
#: Lethal damage that heals in a day, by care.
PER_DAY: Final = {"none": 1, "rest": 2, "medical": 4}


class Body(Record):
    """What somebody can take and has taken. `stun` and `stopped` are what Stun came through and
    what armor stopped in this round; `stunned` is how many rounds without actions are left; `down`
    why somebody is out of it.
    """

    vitality: int
    lethal: int = 0
    non_lethal: int = 0
    stun: int = 0
    stopped: int = 0
    stunned: int = 0
    down: str = ""


class HitResult(Record):
    """What one hit did: what armor `stopped`, what came through, the body `after` it, how many
    feet somebody was thrown back, for how many rounds they are `stunned` when this one is over
    (None: not at all), and whether staying conscious takes a roll.
    """

    stopped: int
    taken: int
    after: Body
    feet: int = 0
    stunned: int | None = None
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
    """How many dice an attack does: the weapon's times `factor`, Muscle dice where they count, and
    what else is put into it (EGO-DMG-03).
    """
    return max(0, weapon * factor + muscle + more)


def excess(successes: int, number: int, *, counts: bool) -> int:
    """Damage dice for successes above the number, where the table plays so (EGO-DMG-04)."""
    return max(0, successes - number) if counts else 0


def vitality_left(body: Body) -> int:
    """Vitality as it is now (EGO-DMG-04)."""
    return max(0, body.vitality - body.lethal - body.non_lethal)


def stun_points(vitality: int) -> int:
    """Stun points of somebody unhurt (EGO-CHR-04)."""
    return 2 * vitality


def stun_left(body: Body) -> int:
    """Stun points as they are now; lethal damage takes none (EGO-NL-01)."""
    return stun_points(body.vitality) - body.non_lethal


def impairment(body: Body, quarters: Quarters = "full_quarters") -> int:
    """0 to 4; a quarter of Vitality is exact (EGO-IMP-01)."""
    lost = 4 * (body.lethal + body.non_lethal)
    level = -(-lost // body.vitality) if quarters == "entered_quarters" else lost // body.vitality
    return min(LAST_LEVEL, level)


def is_dead(body: Body) -> bool:
    """Lethal damage alone kills (EGO-DMG-04, EGO-NL-01)."""
    return body.lethal >= body.vitality


def is_knocked_out(body: Body) -> bool:
    """No Stun points are left (EGO-EFF-03)."""
    return stun_left(body) <= 0


def stun_rounds(vitality: int, stun: int) -> int | None:
    """Rounds without actions after so much Stun in a round; None where it does not stun
    (EGO-EFF-02).
    """
    return stun - vitality if stun >= vitality else None


def knockback(muscle: int, taken: int) -> int:
    """Feet somebody is thrown back by Stun (EGO-EFF-01)."""
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
    """Whether a Vitality roll is enough (EGO-IMP-01)."""
    return successes >= STAY_CONSCIOUS


def round_over(body: Body) -> Body:
    """The body when a round is over: whoever was stunned in it is so from now on, the longest
    counts (EGO-EFF-02).
    """
    stunned = max(0, body.stunned - 1, stun_rounds(body.vitality, body.stun) or 0)
    return body.replace(stun=0, stopped=0, stunned=stunned)


def lethal_after_day(lethal: int, care: str) -> int:
    """Lethal damage after a day with `none`, `rest` or `medical` care (EGO-REC-01)."""
    return max(0, lethal - PER_DAY[care])


def non_lethal_after_round(non_lethal: int, vitality_dice: int) -> int:
    """Non-lethal damage at the start of a later round (EGO-REC-02)."""
    return max(0, non_lethal - vitality_dice)


def wake(body: Body) -> Body:
    """Somebody who comes to; not without a Stun point (EGO-EFF-03). The dead stay so."""
    if body.down in ("", DEAD):
        return body
    return body.replace(down="", non_lethal=min(body.non_lethal, stun_points(body.vitality) - 1))


def with_derived_condition(body: Body) -> Body:
    """Somebody whose damage a GM has set: dead or knocked out as the numbers say, else on their
    feet.
    """
    return body.replace(down=DEAD if is_dead(body) else KNOCKED_OUT if is_knocked_out(body) else "")


def fall_damage(points: int, absorbed: int) -> int:
    """Damage of a fall that Breakfall leaves, which rolls its levels as damage dice
    (EGO-SPC-03).
    """
    return max(0, points - absorbed)
