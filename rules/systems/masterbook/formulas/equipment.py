"""Weapons, armor, ammunition, grenades and availability: rows and formulas (MB-EQ)."""

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
from rules.table.settings.campaign_rows import row_lookup

#: A distance in meters.
Meters = int | float | Fraction
#: Standing of a weapon with the law and with bystanders (MB-EQ-05).
LegalStatus = Literal["", "legal", "conspicuous", "restricted"]


class Band(Record):
    """A band of a weapon's range."""

    name: str
    #: Meters up to which it reaches, for weapons that aren't thrown.
    limit: int | None = None
    #: Modifier of the attacker's total; `single` is that of single shots.
    modifier: int = 0
    single: int | None = None
    #: A thrown weapon reaches as far as this value, or as Strength with this modifier (MB-EQ-10).
    value: int | None = None
    strength: int | None = None


class WeaponClass(Record):
    """A class of weapons with its range (MB-EQ-02, MB-EQ-03)."""

    id: str
    skill: str
    use: Use
    bands: tuple[Band, ...]
    #: Fire modes, the usual one first.
    modes: tuple[str, ...] = ()
    #: Bands in which a burst fired as single shots loses its bonus.
    loses: tuple[str, ...] = ()
    #: Added to the damage value at point-blank where the table plays so (MB-EQ-20).
    close: int = 0
    #: Whether it fires a single shot when a single round is loaded.
    lone: bool = False
    standing: LegalStatus = ""


_DATA: Final = json_loader("rules.systems.masterbook", "equipment")()
_CLASSES: Final = from_json(dict[str, object], _DATA)["classes"]
CLASSES: Final = rows_by_key(from_json(tuple[WeaponClass, ...], _CLASSES), "id")


class WeaponKind(Record):
    """A weapon."""

    name: str
    skill: str
    #: Class of a weapon with a range; empty: none.
    kind: str = ""
    #: Damage value of its own; or what it adds to Strength, up to a maximum (MB-EQ-01).
    dv: int | None = None
    add: int = 0
    maximum: int | None = None
    #: Whether it can be used without killing.
    nonlethal: bool = False
    #: Class that it has when it's thrown; empty: it can't be.
    thrown: str = ""
    #: Fire modes of its own; empty: those of its class.
    modes: tuple[str, ...] = ()
    sword: bool = False
    blast: bool = False
    #: Standing of its own; empty: that of its class.
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
        """Use of the weapon."""
        if self.kind:
            return CLASSES[self.kind].use
        return "hand" if self.reach is None else "missile"

    @property
    def law(self) -> LegalStatus:
        """Standing with the law and with bystanders (MB-EQ-05)."""
        if self.standing or not self.kind:
            return self.standing
        return CLASSES[self.kind].standing


class ArmorKind(Record):
    """A layer of armor."""

    name: str
    #: Added to Toughness, up to a maximum of both.
    add: int
    maximum: int | None = None


class Spot(Record):
    """A place to throw at (MB-EQ-11, MB-EQ-12)."""

    band: str
    dn: int
    #: Meters from the place at which a grenade that misses falls, from the least to the most.
    least: int
    most: int


class ThrowCondition(Record):
    """A condition that makes a throw at a place harder (MB-EQ-11)."""

    id: str
    modifier: int
    #: Only one condition of a group counts.
    group: str = ""


class BlastZone(Record):
    """A zone around a burst (MB-EQ-13)."""

    #: Meters from the burst up to which it reaches.
    limit: int
    #: Modifier of the damage value.
    damage: int


class AvailabilityCode(Record):
    """A code of availability, and the difficulty of finding such an item (MB-EQ-50)."""

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
#: Number of no zone: a character there is clear of the blast.
CLEAR: Final = len(ZONES) + 1
UNARMED: Final = WeaponKind("", "Unarmed Combat", nonlethal=True)
#: Rounds of several single shots if nobody gives their number (MB-EQ-04).
_SHOTS: Final = 2
#: Fewest and most rounds of a burst, and the part of a magazine that it takes (MB-EQ-04).
_BURST, _MAGAZINE_PART = (3, 5), 6
#: Only band of a weapon with a reach of its own; it has no modifier.
_ONE_BAND: Final = "short"
#: Most that a layer of armor adds without being a burden (MB-EQ-31).
_LIGHT: Final = 3
#: Skills whose weapons only trained characters reload (MB-SKILL-COMBAT).
_HEAVY: Final = ("Heavy Weapons", "Heavy Energy Weapons")
#: Directions of a grenade that misses: highest face of a d10, and the direction (MB-EQ-12).
_DIRECTIONS: Final = ((2, "back"), (5, "right"), (8, "left"), (10, "over"))
#: Most steps of Equipment that codes limit; more of them reach any one item (MB-EQ-51).
_CODED_STEPS: Final = 2


#: Returns all `weapons` or `armour` by name, with those of the campaign.
equipment_by_name: Final = row_lookup(EQUIPMENT_ROWS, ("weapons", "armour"))


def as_thrown(weapon: WeaponKind) -> WeaponKind:
    """Return the weapon as a thrown one. Raises Impossible("mb-not-thrown")."""
    if weapon.kind and CLASSES[weapon.kind].skill == "Thrown Weapons":
        return weapon
    if not weapon.thrown:
        raise Impossible("mb-not-thrown", weapon=weapon.name)
    return weapon.replace(kind=weapon.thrown, thrown="", skill="Thrown Weapons")


class Reach(Record):
    """A band of a weapon in a character's hands."""

    name: str
    #: Meters up to which it reaches.
    limit: Meters
    #: Value of that distance, for what is thrown.
    value: int | None
    band: Band
    #: Whether it reaches no farther than a nearer band.
    empty: bool = False


def weapon_reaches(weapon: WeaponKind, strength: int = 0) -> tuple[Reach, ...]:
    """Return the bands of a weapon's range, the nearest first (MB-EQ-02, MB-EQ-10, MB-EQ-23).

    A stronger character throws farther.
    """
    if weapon.reach is not None:
        return (Reach(_ONE_BAND, weapon.reach, None, Band(_ONE_BAND, weapon.reach)),)
    return _class_reaches(weapon.kind, strength)


@cache
def _class_reaches(kind: str, strength: int) -> tuple[Reach, ...]:
    reaches: list[Reach] = []
    for band in CLASSES[kind].bands if kind else ():
        value = band.value if band.strength is None else max(0, strength + band.strength)
        limit = (band.limit or 0) if value is None else measure(value)
        is_empty = any(limit <= nearer.limit for nearer in reaches)
        reaches.append(Reach(band.name, limit, value, band, is_empty))
    return tuple(reaches)


def reach_at(weapon: WeaponKind, meters: Meters, strength: int = 0) -> Reach | None:
    """Return the band of a distance; None if it's too far (MB-EQ-02)."""
    for reach in weapon_reaches(weapon, strength):
        if meters <= reach.limit:
            return reach
    return None


def range_modifier(weapon: WeaponKind, reach: Reach, mode: str = "") -> int:
    """Return the modifier of a distance to the attacker's total, in a fire mode.

    (MB-CMB-05, MB-EQ-02, MB-EQ-03)
    """
    band = reach.band
    if mode in ("single", "single_as_multi") and band.single is not None:
        return band.single
    if mode == "burst_as_single" and band.name in CLASSES[weapon.kind].loses:
        return min(0, band.modifier)
    return band.modifier


def fire_modes(weapon: WeaponKind, loaded: int | None = None) -> tuple[str, ...]:
    """Return a weapon's fire modes, the usual one first; none if it isn't fired (MB-EQ-03)."""
    kind = CLASSES.get(weapon.kind)
    if kind is None:
        return ()
    if kind.lone and loaded == 1:
        return ("single",)
    return weapon.modes or kind.modes


def burst_rounds(magazine: int | None) -> int:
    """Return the rounds of a burst: a part of the magazine, within limits (MB-EQ-04)."""
    least, most = _BURST
    if magazine is None:
        return least
    part = -(-magazine // _MAGAZINE_PART)
    return min(most, max(least, part))


def rounds_after_attack(
    left: int, mode: str, magazine: int | None = None, shots: int = _SHOTS
) -> int:
    """Return the rounds left after an attack (MB-EQ-04). Raises Impossible("mb-no-rounds")."""
    if mode in ("burst", "full_auto"):
        needed = burst_rounds(magazine)
    elif mode == "single_as_multi":
        needed = max(_SHOTS, shots)
    else:
        needed = 1
    if left < needed:
        raise Impossible("mb-no-rounds", need=needed, left=left)
    return 0 if mode == "full_auto" else left - needed


def damage_value(
    weapon: WeaponKind, strength: int, *, reach: str = "", close: bool = False, bump: int = 0
) -> int:
    """Return a weapon's damage value in a character's hands (MB-DMG-01, MB-EQ-01, MB-EQ-20).

    *close* is the setting that some weapons do more at point-blank. *bump* raises the add of
    weapons that can be used without killing (MB-EQ-21).
    """
    if weapon.dv is not None:
        value = damage.damage_value(dv=weapon.dv)
        if close and weapon.kind and reach == "point_blank":
            value += CLASSES[weapon.kind].close
        return value
    add = weapon.add
    if weapon.nonlethal and weapon.name:
        add += bump
    return damage.damage_value(strength=strength, add=add, maximum=weapon.maximum)


def may_reload(weapon: WeaponKind, *, trained: bool) -> bool:
    """Return whether a character can reload: heavy weapons need training (MB-SKILL-COMBAT)."""
    return trained or weapon.skill not in _HEAVY


def armored_toughness(toughness: int, layers: Iterable[ArmorKind]) -> int:
    """Return Toughness under armor, from the skin outward; no layer lowers it (MB-EQ-30)."""
    for layer in layers:
        with_layer = toughness + layer.add
        if layer.maximum is not None:
            with_layer = min(with_layer, layer.maximum)
        toughness = max(toughness, with_layer)
    return toughness


def is_encumbering(layers: Iterable[ArmorKind]) -> bool:
    """Return whether armor is a burden, for which a GM may set modifiers (MB-EQ-31)."""
    return any(layer.add > _LIGHT for layer in layers)


def fatigue_shock(shock: int, layers: Iterable[ArmorKind], extra: int) -> int:
    """Return the shock of getting tired; encumbering armor adds *extra* (MB-EQ-31)."""
    return shock + extra if is_encumbering(layers) else shock


# --- grenades -------------------------------------------------------------------------------------


def throw_difficulty(band: str, conditions: Iterable[str] = ()) -> Causes:
    """Return the difficulty of a throw at a place, by cause (MB-EQ-11).

    Raises InvalidInput("mb-options-exclude") for two conditions of one group.
    """
    rows = [GROUNDS[name] for name in conditions]
    require_compatible("conditions", rows)
    return ((f"range_{band}", SPOTS[band].dn), *((row.id, row.modifier) for row in rows))


def direction(face: int) -> str:
    """Return the direction of a throw that misses, by the face of a d10 (MB-EQ-12)."""
    return next(name for most, name in _DIRECTIONS if face <= most)


def may_stray(band: str, meters: int) -> bool:
    """Return whether a grenade that missed in this band may fall so far from its place."""
    return SPOTS[band].least <= meters <= SPOTS[band].most


def roll_deviation(
    band: str, rng: Rng, method: str, *, miss: int = 0, meters: int | None = None
) -> tuple[str, int]:
    """Return direction and meters from its place of a grenade that missed (MB-EQ-12).

    *method* is `random`, `by_miss`, or `gm` for a GM who gives the *meters*. *miss* is by how much
    the throw missed. Raises InvalidInput("mb-bad-meters") for meters out of the band's bounds.
    """
    spot = SPOTS[band]
    face = rng.below(10) + 1
    if method == "gm":
        if meters is None or not may_stray(band, meters):
            raise InvalidInput(
                "mb-bad-meters", field="strays", value=meters, lowest=spot.least, highest=spot.most
            )
        strays = meters
    elif method == "by_miss":
        strays = min(spot.most, spot.least + miss - 1)
    else:
        strays = spot.least + rng.below(spot.most - spot.least + 1)
    return direction(face), strays


def blast_zone(meters: Meters) -> int:
    """Return the number of the zone at a distance from a blast; `CLEAR` beyond all (MB-EQ-13)."""
    for number, zone in enumerate(ZONES, 1):
        if meters <= zone.limit:
            return number
    return CLEAR


def blast_damage_value(dv: int, zone: int, points: int = 0) -> int:
    """Return the damage value of a blast in one of its zones (MB-EQ-13).

    *points* are the result points of the throw, where the table adds them.
    """
    return dv + ZONES[zone - 1].damage + points


#: Difficulty of getting clear of a blast, and the most zones that it takes a character (MB-EQ-14).
CLEARING, _MOST_ZONES = 12, 3


def zone_after_dodge(zone: int, rank: int) -> int:
    """Return the zone after a dodge with the rank of this success level (MB-EQ-14)."""
    return min(CLEAR, zone + min(rank, _MOST_ZONES))


# --- availability ---------------------------------------------------------------------------------


def availability_difficulty(code: int) -> int | None:
    """Return the difficulty of finding an item; None if the GM says it (MB-EQ-50)."""
    return next((row.dn for row in EQUIPMENT_ROWS.codes if row.code == code), None)


def code_with(code: int, steps: int) -> int:
    """Return the availability code that *steps* of Equipment reach (MB-BG-24)."""
    return code + steps


def reachable_code(code: int, steps: int) -> int | None:
    """Return the code of what a new character may have; None for any one item (MB-EQ-51).

    *code* is the table's, *steps* the column of the Equipment, 0 without any.
    """
    return code_with(code, steps) if steps <= _CODED_STEPS else None
