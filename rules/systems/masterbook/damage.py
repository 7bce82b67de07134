"""What a hit does, until it is taken: damage value, damage points, options that convert, packages that points drop.

The order is that of MB-DMG-04: `struck`, `converted`, `bled`, `dropped`; then `harm.apply`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from rules.core.errors import Impossible
from rules.core.record import Record, record
from rules.systems.masterbook import chart
from rules.systems.masterbook.chart import Damage
from rules.systems.masterbook.harm import BLEEDS

#: Shock that a wound becomes, and the most that a package of shock holds (MB-DMO-02, MB-LP-03).
LOT: Final = 3
#: Packages that a point drops; own points that may go into one attack (MB-LP-03).
PER_POINT, OWN_POINTS = 3, 1
#: In a fall: the highest distance value, and the most that armour counts (MB-FALL-01).
TERMINAL, PADDING = 14, 2


@record
class Struck(Record):
    """A hit: the `points` that count for damage, the damage `total`, by how much it is `over` Toughness, the result."""

    points: int
    total: int
    over: int
    damage: Damage


@record
class Fall(Record):
    """A fall: the `distance` and `armour` that count, its damage value, by how much that is `over`, the result."""

    distance: int
    armour: int
    value: int
    over: int
    damage: Damage


def damage_value(
    *, dv: int | None = None, strength: int = 0, add: int = 0, maximum: int | None = None
) -> int:
    """A value that stands, or Strength and what the weapon adds, up to its maximum (MB-DMG-01)."""
    if dv is not None:
        return dv
    return strength + add if maximum is None else min(strength + add, maximum)


def struck(
    points: int,
    value: int,
    toughness: int,
    *,
    armour: int = 0,
    cover: int = 0,
    more: int = 0,
    capped: bool = False,
) -> Struck:
    """A hit by so many result points; `more` is added to them, `capped` they are no more than the damage value.

    MB-DMG-02, MB-DMG-03, MB-DMO-01.
    """
    counted = min(points + more, value) if capped else points + more
    over = value + counted - toughness - armour - cover
    return Struck(counted, value + counted, over, chart.damage(over))


def fall(weight: int, distance: int, bonus: int, toughness: int, armour: int = 0) -> Fall:
    """A fall by values of weight and distance; the bonus number has its floor already (MB-FALL-01)."""
    distance, armour = min(distance, TERMINAL), min(armour, PADDING)
    value = weight + distance + bonus
    over = value - toughness - armour
    return Fall(distance, armour, value, over, chart.damage(over))


# --- options -------------------------------------------------------------------------------------------------


def felled(damage: Damage) -> Damage:
    """The first wound becomes a knockdown (MB-OPT-03)."""
    return damage.but(wounds=damage.wounds - 1, knockdown=True, bare=False) if damage.wounds else damage


def softened(damage: Damage, wounds: int = 1) -> Damage:
    """So many wounds, as far as there are any, become shock (MB-DMO-02)."""
    turned = min(wounds, damage.wounds)
    if not turned:
        return damage
    return damage.but(wounds=damage.wounds - turned, shock=damage.shock + LOT * turned, bare=False)


def converted(
    damage: Damage, points: int, *, fells: bool = False, knockout: bool = False, soft: bool = False
) -> Damage:
    """What a declared attack makes of a result, before bleeding (MB-DMG-04, MB-DMO-02, MB-DMO-03).

    A knockout attack turns as many wounds as the level that the attack's result `points` reach, and takes the place
    of a non-lethal one.
    """
    damage = felled(damage) if fells else damage
    return softened(damage, chart.rank(points) if knockout else int(soft))


def bled(damage: Damage, bleeders: int) -> Damage:
    """So many wounds bleed instead (MB-DMO-04)."""
    bleeders = min(bleeders, damage.wounds)
    if not bleeders:
        return damage
    return damage.but(wounds=damage.wounds - bleeders, bleeders=damage.bleeders + bleeders, bare=False)


def bleeding_dice(damage: Damage) -> int:
    """How many d10 tell which wounds bleed: one for each after the first (MB-DMO-04)."""
    return max(0, damage.wounds - 1)


def bleeders(attack: str, faces: Iterable[int]) -> int:
    """How many of them bleed, by what dealt them: a row of `BLEEDS` (MB-DMO-04)."""
    return sum([face <= BLEEDS[attack] for face in faces])


# --- packages ------------------------------------------------------------------------------------------------


def packages(damage: Damage) -> dict[str, int]:
    """How many of each kind a point could drop (MB-LP-03).

    `wound`, `bleeder`, `knockdown`, `k`, `o`, `k_or_o` (a K/O is one) and `shock` in lots; only those there are.
    """
    found = {
        "wound": damage.wounds,
        "bleeder": damage.bleeders,
        "knockdown": int(damage.knockdown),
        "k": int(damage.ko in ("K", "KO")),
        "o": int(damage.ko in ("O", "KO")),
        "k_or_o": int(damage.ko == "K/O"),
        "shock": -(-damage.shock // LOT),
    }
    return {what: number for what, number in found.items() if number}


def dropped(damage: Damage, chosen: Iterable[str], *, own: int = 0, cards: int = 0) -> Damage:
    """Without the chosen packages, for own points and cards (MB-LP-03).

    Impossible("mb-one-own-point", "mb-too-many-packages", "mb-no-such-package").
    """
    counted = Counter(chosen)
    if own > OWN_POINTS:
        raise Impossible("mb-one-own-point", most=OWN_POINTS)
    if counted.total() > PER_POINT * (own + cards):
        raise Impossible("mb-too-many-packages", chosen=counted.total(), most=PER_POINT)
    if not counted:
        return damage
    there = packages(damage)
    for what, number in counted.items():
        if number > there.get(what, 0):
            raise Impossible("mb-no-such-package", what=what, have=there.get(what, 0))
    letters = "".join([each for each in damage.ko if not counted[each.casefold()]])
    return Damage(
        wounds=damage.wounds - counted["wound"],
        knockdown=damage.knockdown and not counted["knockdown"],
        ko="" if counted["k_or_o"] else letters,
        shock=max(0, damage.shock - LOT * counted["shock"]),
        bleeders=damage.bleeders - counted["bleeder"],
    )
