"""Weapons, armor, ammunition and grenades: what there is, and what it does (MB-EQ)."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from typing import Final, Literal

from rules.core.data_rows import from_json, json_loader, rows_by_key
from rules.core.errors import Impossible, InvalidInput
from rules.core.record import Record
from rules.core.rng import Rng
from rules.systems.masterbook.formulas import damage
from rules.systems.masterbook.formulas.option_kinds import BackgroundRows
from rules.systems.masterbook.formulas.reference_rows import Causes, Use, require_compatible
from rules.systems.masterbook.formulas.value_chart import measure
from rules.table.campaign_rows import row_lookup

#: Meters.
Meters = int | float | Fraction
#: How a weapon stands with the law, and with whoever sees it (MB-EQ-05).
LegalStatus = Literal["", "legal", "conspicuous", "restricted"]


class Band(Record):
    """How far it reaches, in meters, and what that does to the attacker's total; `single` is that
    of single shots.

    What is thrown reaches as far as a `value`, or as Strength changed by `strength` (MB-EQ-10).
    """

    name: str
    limit: int | None = None
    modifier: int = 0
    single: int | None = None
    value: int | None = None
    strength: int | None = None


class WeaponClass(Record):
    """A class of weapons with its ranges; `modes` are ways to fire, the usual one first (MB-EQ-02,
    MB-EQ-03).

    A burst fired as single shots `loses` its bonuses in these bands. `close` is added to the damage
    value at point-blank where the table plays so. Loaded with a `lone` round it fires that.
    """

    id: str
    skill: str
    use: Use
    bands: tuple[Band, ...]
    modes: tuple[str, ...] = ()
    loses: tuple[str, ...] = ()
    close: int = 0
    lone: bool = False
    standing: LegalStatus = ""


_DATA: Final = json_loader("rules.systems.masterbook", "equipment")()
_CLASSES: Final = from_json(dict[str, object], _DATA)["classes"]
CLASSES: Final = rows_by_key(from_json(tuple[WeaponClass, ...], _CLASSES), "id")


class WeaponKind(Record):
    """A weapon: a damage value `dv` that stands, or what it `add`s to Strength up to a `maximum`.

    `kind` is its class, none for what is held; `thrown` that of what can be thrown as well.
    """

    name: str
    skill: str
    kind: str = ""
    dv: int | None = None
    add: int = 0
    maximum: int | None = None
    nonlethal: bool = False
    thrown: str = ""
    modes: tuple[str, ...] = ()
    sword: bool = False
    blast: bool = False
    standing: LegalStatus = ""
    #: Kind of damage, such as `fire`, for skin that doesn't protect against it (MB-BG-30).
    deals: str = ""
    #: Meters that it reaches without bands, for a natural weapon (MB-BG-30).
    reach: int | None = None

    def __post_init__(self) -> None:
        for key, value in (("kind", self.kind), ("thrown", self.thrown)):
            if value and value not in CLASSES:
                raise ValueError(f"{key}: no class of weapons is {value!r}")

    @property
    def use(self) -> Use:
        """What one does with it."""
        if self.kind:
            return CLASSES[self.kind].use
        return "hand" if self.reach is None else "missile"

    @property
    def law(self) -> LegalStatus:
        """How it stands with the law, and with whoever sees it (MB-EQ-05)."""
        return self.standing or (CLASSES[self.kind].standing if self.kind else "")


class ArmorKind(Record):
    """Armor: what it adds to Toughness, up to a `maximum`."""

    name: str
    add: int
    maximum: int | None = None


class Spot(Record):
    """A place to throw at: its difficulty, and how far from it a grenade that misses falls
    (MB-EQ-11, MB-EQ-12).
    """

    band: str
    dn: int
    least: int
    most: int


class ThrowCondition(Record):
    """What makes a throw at a place harder; one of a `group`."""

    id: str
    modifier: int
    group: str = ""


class BlastZone(Record):
    """How far it reaches from a burst, and what that does to the damage value (MB-EQ-13)."""

    limit: int
    damage: int


class AvailabilityCode(Record):
    """How hard something is to come by (MB-EQ-50)."""

    code: int
    dn: int


class CampaignRows(BackgroundRows):
    """Weapons and armor that a campaign adds."""

    weapons: tuple[WeaponKind, ...] = ()
    armour: tuple[ArmorKind, ...] = ()


class _All(CampaignRows):
    classes: object = ()
    spots: tuple[Spot, ...] = ()
    grounds: tuple[ThrowCondition, ...] = ()
    zones: tuple[BlastZone, ...] = ()
    codes: tuple[AvailabilityCode, ...] = ()


EQUIPMENT_ROWS: Final = from_json(_All, _DATA)
WEAPONS: Final = rows_by_key(EQUIPMENT_ROWS.weapons)
ARMOR: Final = rows_by_key(EQUIPMENT_ROWS.armour)
SPOTS: Final = rows_by_key(EQUIPMENT_ROWS.spots, "band")
GROUNDS: Final = rows_by_key(EQUIPMENT_ROWS.grounds, "id")
ZONES: Final = EQUIPMENT_ROWS.zones
#: The number of no zone: whoever is there is clear.
CLEAR: Final = len(ZONES) + 1
UNARMED: Final = WeaponKind("", "Unarmed Combat", nonlethal=True)
#: How many shots "any number" of single ones take where nobody says it, and how long a burst is.
_SHOTS, _BURST, _MAGAZINE_PART = 2, (3, 5), 6
#: The only band of a weapon that reaches so far without any modifier.
_ONE_BAND: Final = "short"
#: Armor that adds more is a burden (MB-EQ-31).
_LIGHT: Final = 3
_HEAVY: Final = ("Heavy Weapons", "Heavy Energy Weapons")
_DIRECTIONS: Final = ((2, "back"), (5, "right"), (8, "left"), (10, "over"))
#: Most steps of Equipment that codes limit; more of them reach any one item (MB-EQ-51).
_CODED_STEPS: Final = 2


#: All `weapons` or `armor` by name, with those of the campaign.
equipment_by_name: Final = row_lookup(EQUIPMENT_ROWS, ("weapons", "armour"))


def as_thrown(weapon: WeaponKind) -> WeaponKind:
    """The same, thrown. Impossible("mb-not-thrown") for what nobody throws."""
    if weapon.kind and CLASSES[weapon.kind].skill == "Thrown Weapons":
        return weapon
    if not weapon.thrown:
        raise Impossible("mb-not-thrown", weapon=weapon.name)
    return weapon.replace(kind=weapon.thrown, thrown="", skill="Thrown Weapons")


class Reach(Record):
    """A band of a weapon in somebody's hands: up to how many meters, by which value where it is
    thrown; `empty`?
    """

    name: str
    limit: Meters
    value: int | None
    band: Band
    empty: bool = False


def weapon_reaches(weapon: WeaponKind, strength: int = 0) -> tuple[Reach, ...]:
    """The bands of its range, the nearest first; a stronger arm throws farther (MB-EQ-02, MB-EQ-10,
    MB-EQ-23).

    One that reaches no farther than a nearer one is empty.
    """
    if weapon.reach is not None:
        return (Reach(_ONE_BAND, weapon.reach, None, Band(_ONE_BAND, weapon.reach)),)
    return _reaches(weapon.kind, strength)


@cache
def _reaches(kind: str, strength: int) -> tuple[Reach, ...]:
    found: list[Reach] = []
    for band in CLASSES[kind].bands if kind else ():
        value = band.value if band.strength is None else max(0, strength + band.strength)
        limit = (band.limit or 0) if value is None else measure(value)
        found.append(
            Reach(band.name, limit, value, band, any(limit <= each.limit for each in found))
        )
    return tuple(found)


def reach_at(weapon: WeaponKind, meters: Meters, strength: int = 0) -> Reach | None:
    """The band of a distance; None for what is too far (MB-EQ-02)."""
    return next((each for each in weapon_reaches(weapon, strength) if meters <= each.limit), None)


def range_modifier(weapon: WeaponKind, reach: Reach, mode: str = "") -> int:
    """What a distance does to the attacker's total in this mode of firing (MB-CMB-05, MB-EQ-02,
    MB-EQ-03).
    """
    band = reach.band
    if mode in ("single", "single_as_multi") and band.single is not None:
        return band.single
    if mode == "burst_as_single" and band.name in CLASSES[weapon.kind].loses:
        return min(0, band.modifier)
    return band.modifier


def fire_modes(weapon: WeaponKind, loaded: int | None = None) -> tuple[str, ...]:
    """How it can be fired, the usual way first; nothing for what is not fired (MB-EQ-03)."""
    kind = CLASSES.get(weapon.kind)
    if kind is None:
        return ()
    if kind.lone and loaded == 1:
        return ("single",)
    return weapon.modes or kind.modes


def burst_rounds(magazine: int | None) -> int:
    """The rounds of a burst (MB-EQ-04)."""
    least, most = _BURST
    return least if magazine is None else min(most, max(least, -(-magazine // _MAGAZINE_PART)))


def rounds_after_attack(
    left: int, mode: str, magazine: int | None = None, shots: int = _SHOTS
) -> int:
    """The rounds left after an attack (MB-EQ-04). Impossible("mb-no-rounds") where there are too
    few.
    """
    several = max(_SHOTS, shots) if mode == "single_as_multi" else 1
    least = burst_rounds(magazine) if mode in ("burst", "full_auto") else several
    if left < least:
        raise Impossible("mb-no-rounds", need=least, left=left)
    return 0 if mode == "full_auto" else left - least


def damage_value(
    weapon: WeaponKind, strength: int, *, reach: str = "", close: bool = False, bump: int = 0
) -> int:
    """The damage value in somebody's hands (MB-DMG-01, MB-EQ-01, MB-EQ-20).

    `bump` is added to what can be used without killing (MB-EQ-21); `close` lets some do more at
    point-blank.
    """
    if weapon.dv is not None:
        more = CLASSES[weapon.kind].close if close and weapon.kind and reach == "point_blank" else 0
        return damage.damage_value(dv=weapon.dv) + more
    add = weapon.add + (bump if weapon.nonlethal and weapon.name else 0)
    return damage.damage_value(strength=strength, add=add, maximum=weapon.maximum)


def may_reload(weapon: WeaponKind, *, trained: bool) -> bool:
    """Whether somebody knows how; with heavy weapons only who has learned it (MB-SKILL-COMBAT)."""
    return trained or weapon.skill not in _HEAVY


def armored_toughness(toughness: int, layers: Iterable[ArmorKind]) -> int:
    """Toughness under armor, from the skin outward; a layer never lowers it (MB-EQ-30)."""
    for layer in layers:
        reached = toughness + layer.add
        toughness = max(
            toughness, reached if layer.maximum is None else min(reached, layer.maximum)
        )
    return toughness


def is_encumbering(layers: Iterable[ArmorKind]) -> bool:
    """Whether armor is a burden, for which a game master may set modifiers (MB-EQ-31)."""
    return any(layer.add > _LIGHT for layer in layers)


def fatigue_shock(shock: int, layers: Iterable[ArmorKind], extra: int) -> int:
    """What getting tired costs in this armor, where the table plays so (MB-EQ-31)."""
    return shock + (extra if is_encumbering(layers) else 0)


def throw_difficulty(band: str, conditions: Iterable[str] = ()) -> Causes:
    """What a throw at a place goes against (MB-EQ-11). InvalidInput("mb-options-exclude")."""
    grounds = [GROUNDS[each] for each in conditions]
    require_compatible("conditions", grounds)
    return ((f"range_{band}", SPOTS[band].dn), *[(each.id, each.modifier) for each in grounds])


def direction(face: int) -> str:
    """Where a throw that misses goes, by a d10 (MB-EQ-12)."""
    return next(name for most, name in _DIRECTIONS if face <= most)


def may_stray(band: str, meters: int) -> bool:
    """Whether something that missed a place so far away may fall so far from it."""
    return SPOTS[band].least <= meters <= SPOTS[band].most


def roll_deviation(
    band: str, rng: Rng, method: str, *, miss: int = 0, meters: int | None = None
) -> tuple[str, int]:
    """Where a grenade falls that missed its spot: direction, and meters from there (MB-EQ-12).

    `method` is random, by_miss, or gm, who enters the meters. InvalidInput("mb-bad-meters") outside
    the span.
    """
    row, face = SPOTS[band], rng.below(10) + 1
    if method == "gm":
        if meters is None or not may_stray(band, meters):
            raise InvalidInput(
                "mb-bad-meters", field="strays", value=meters, lowest=row.least, highest=row.most
            )
        found = meters
    elif method == "by_miss":
        found = min(row.most, row.least + miss - 1)
    else:
        found = row.least + rng.below(row.most - row.least + 1)
    return direction(face), found


def blast_zone(meters: Meters) -> int:
    """The zone of a blast at this distance from it, CLEAR beyond all (MB-EQ-13)."""
    return next((number for number, each in enumerate(ZONES, 1) if meters <= each.limit), CLEAR)


def blast_damage_value(dv: int, zone: int, points: int = 0) -> int:
    """The damage of a blast in one of its zones; the `points` of the throw where the table adds
    them (MB-EQ-13).
    """
    return dv + ZONES[zone - 1].damage + points


#: What getting clear of a blast goes against, and how far at most that takes one (MB-EQ-14).
CLEARING, _FARTHEST = 12, 3


def zone_after_dodge(zone: int, rank: int) -> int:
    """The zone after a dodge of this success level's rank, 0 for a failure (MB-EQ-14)."""
    return min(CLEAR, zone + min(rank, _FARTHEST))


def availability_difficulty(code: int) -> int | None:
    """What finding something goes against; None where the game master says so (MB-EQ-50)."""
    return next((each.dn for each in EQUIPMENT_ROWS.codes if each.code == code), None)


def code_with(code: int, steps: int) -> int:
    """Return the availability code that so many steps of Equipment reach (MB-BG-24)."""
    return code + steps


def reachable_code(code: int, steps: int) -> int | None:
    """Return the code of what a new character may have; None for any one item (MB-EQ-51).

    *code* is the table's, *steps* the column of the Equipment, 0 without any.
    """
    return code_with(code, steps) if steps <= _CODED_STEPS else None
