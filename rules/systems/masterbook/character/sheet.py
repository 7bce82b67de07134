"""Character sheet (MB-CHAR-01, MB-SKILL-03, MB-SKILL-04).

The character's name is kept outside the sheet. `sheet_io` reads and writes both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, Literal

from rules.core.memo import memo_by_identity
from rules.core.name_matching import name_key
from rules.core.record import Record
from rules.systems.masterbook.character.option_effects import NaturalWeapon, OptionEffects
from rules.systems.masterbook.character.option_fold import folded_options
from rules.systems.masterbook.character.options import Options
from rules.systems.masterbook.character.skill_names import split_skill
from rules.systems.masterbook.formulas.attributes import HIGHEST
from rules.systems.masterbook.formulas.background_balance import ColumnTrade
from rules.systems.masterbook.formulas.damage import Harm
from rules.systems.masterbook.formulas.effect_blueprint import KnownEffect
from rules.systems.masterbook.formulas.equipment import (
    CLASSES,
    ArmorKind,
    CampaignRows,
    WeaponKind,
    equipment_by_name,
)
from rules.systems.masterbook.formulas.movement import Drowning
from rules.systems.masterbook.formulas.value_chart import measure

#: Most entries of a list on a sheet.
MOST_ENTRIES: Final = 80
#: Highest numbers that a sheet holds.
HIGHEST_VALUE: Final = 100
HIGHEST_ADDS: Final = 60
#: Most Life Points, unless the table has another limit (MB-CHAR-07).
MAX_LIFE_POINTS: Final = 10
#: Life Points of a new character (MB-CHAR-07).
STARTING_LIFE_POINTS: Final = 5
#: Skill of natural weapons that strike.
_BARE_HANDED: Final = "Unarmed Combat"
#: Pace of learning, by a Learning Curve; empty without one (MB-SKILL-IMP-07).
Curve = Literal["", "positive", "negative"]


class Skill(Record):
    """A skill with its adds."""

    name: str
    #: General adds, those of the focus for a macroskill.
    adds: int = 0
    focus: str = ""
    #: Adds of each specialization.
    specializations: tuple[tuple[str, int], ...] = ()
    #: Attribute of a skill of the campaign's own; empty for a skill of the list.
    attribute: str = ""

    @property
    def title(self) -> str:
        """`Martial Arts: judo`."""
        return skill_title(self.name, self.focus)


class Arm(Record):
    """A carried weapon: the name of a row, with numbers of its own if it has any."""

    name: str
    drawn: bool = True
    #: Rounds left; None if they aren't counted.
    rounds: int | None = None
    #: Rounds of a full magazine.
    magazine: int | None = None
    #: Fixed damage value, without Strength.
    dv: int | None = None
    #: Damage added to Strength, and the highest damage value of both.
    add: int | None = None
    maximum: int | None = None
    #: Skill of its attacks; empty: that of its row or class.
    skill: str = ""
    #: Class whose ranges and fire modes it has.
    kind: str = ""


class Layer(ArmorKind):
    """Armor that is worn."""

    #: Parts of the body that it covers; empty for all.
    covers: tuple[str, ...] = ()


class PassingChange(Record):
    """What running effects add to one value of a character (MB-SFX-24)."""

    #: An Attribute's key, `toughness`, or a skill's title as names are compared.
    trait: str
    #: Negative if it is lowered.
    by: int


class MasterbookSheet(Record):
    """A character without its name.

    Attributes and adds are those that were bought: `attribute` and `skills_with_adds` count what
    options add (MB-BG-20, MB-BG-21).
    """

    agility: int = 8
    dexterity: int = 8
    endurance: int = 8
    strength: int = 8
    intellect: int = 8
    mind: int = 8
    confidence: int = 8
    charisma: int = 8
    #: Toughness without options and armor; None: as Strength and Endurance have it (MB-CHAR-04).
    toughness: int | None = None
    #: Species of the campaign; empty: one without options of its own (MB-BG-09).
    species: str = ""
    #: Columns that were traded for others (MB-BG-05 to MB-BG-07).
    trades: tuple[ColumnTrade, ...] = ()
    #: In kilograms.
    weight: int | None = None
    #: In centimeters.
    height: int | None = None
    sketch: str = ""
    skills: tuple[Skill, ...] = ()
    life_points: int = STARTING_LIFE_POINTS
    #: Life Points above the most. They can only be converted into skill points (MB-GM-06).
    surplus: int = 0
    skill_points: int = 0
    #: Skill points bound to a group of skills, by the group's key (MB-GM-05).
    bound_points: tuple[tuple[str, int], ...] = ()
    #: Kind of an NPC; empty for an NPC without one, and for players' characters (MB-GM-08).
    npc_kind: str = ""
    advantages: Options = ()
    compensations: Options = ()
    #: Special effects, learned ones and blueprints (MB-SFX-13).
    effects: tuple[KnownEffect, ...] = ()
    arms: tuple[Arm, ...] = ()
    armour: tuple[Layer, ...] = ()
    equipment: tuple[str, ...] = ()
    harm: Harm = Harm()
    #: Value to which a lift was pushed (MB-LIFT-02).
    lifted: int | None = None
    drowning: Drowning | None = None
    #: Rounds at a full run.
    rounds_run: int = 0
    #: Adds gained in each skill since the last adventure (MB-SKILL-IMP-05).
    grown: tuple[tuple[str, int], ...] = ()
    #: Adds gained in each skill by lessons during an adventure (MB-SKILL-IMP-06).
    taught: tuple[tuple[str, int], ...] = ()
    #: Sums of the effects that run on the character. They follow from those effects, which
    #: `effects.value_changes` reads; no file has them.
    passing: tuple[PassingChange, ...] = ()


def option_effects(sheet: MasterbookSheet) -> OptionEffects:
    """Return what the options of a sheet change."""
    return folded_options(sheet.advantages, sheet.compensations)


def attribute(sheet: MasterbookSheet, key: str) -> int:
    """Return the value of an Attribute as it counts now (MB-BG-21, MB-SFX-24).

    Additional Attribute Points and running effects are in it; effects lower none below 0.
    """
    value = lasting_attribute(sheet, key)
    return changed_value(value, passing_change(sheet, key)) if sheet.passing else value


def lasting_attribute(sheet: MasterbookSheet, key: str) -> int:
    """Return the value of an Attribute without what running effects add (MB-CHAR-17)."""
    return getattr(sheet, key) + option_effects(sheet).attributes.get(key, 0)


def passing_change(sheet: MasterbookSheet, *traits: str) -> int:
    """Return what running effects add to a value that any of these names means (MB-SFX-24)."""
    return sum(change.by for change in sheet.passing if change.trait in traits)


def changed_value(value: int, by: int) -> int:
    """Return a value raised or lowered by effects; they lower none below 0 (MB-SFX-24)."""
    return value + by if by > 0 else max(min(value, 0), value + by)


def skill_change(sheet: MasterbookSheet, skill: str, focus: str = "", special: str = "") -> int:
    """Return what running effects add to the value of a skill as it is used (MB-SFX-24).

    An effect on a skill counts for its focuses and specializations, too.
    """
    if not sheet.passing or not skill:
        return 0
    title = skill_title(skill, focus)
    names = dict.fromkeys((skill, title, f"{title} ({special})" if special else title))
    return passing_change(sheet, *[name_key(name) for name in names])


def attribute_limit(sheet: MasterbookSheet, key: str) -> int:
    """Return the highest value that an Attribute may have (MB-CHAR-17, MB-BG-21)."""
    return HIGHEST + option_effects(sheet).attributes.get(key, 0)


def rate_limit_up(sheet: MasterbookSheet) -> int:
    """Return by how much the maxima of movement rates are raised (MB-CHAR-05, MB-BG-21)."""
    points = option_effects(sheet).attributes
    return points.get("agility", 0) + points.get("strength", 0)


def toughness_points(sheet: MasterbookSheet) -> int:
    """Return the Additional Attribute Points that count for Toughness (MB-CHAR-04)."""
    points = option_effects(sheet).attributes
    return points.get("strength", 0) + points.get("endurance", 0)


def learning_curve(sheet: MasterbookSheet, key: str = "") -> Curve:
    """Return how skills of an Attribute are learned (MB-BG-26, MB-BG-53)."""
    for curve in option_effects(sheet).curves:
        if not curve.attributes or key in curve.attributes:
            return curve.curve
    return ""


def skills_with_adds(sheet: MasterbookSheet) -> tuple[Skill, ...]:
    """Return the skills with the adds of options, and those that only options give (MB-BG-20)."""
    return _adder(option_effects(sheet))(sheet.skills)


@memo_by_identity
def _adder(effects: OptionEffects) -> Callable[[tuple[Skill, ...]], tuple[Skill, ...]]:
    return memo_by_identity(partial(with_option_adds, effects))


def with_option_adds(effects: OptionEffects, skills: tuple[Skill, ...]) -> tuple[Skill, ...]:
    """Return bought skills with the adds of options, and those that only options give."""
    if not effects.adds:
        return skills
    by_title = {name_key(skill.title): skill for skill in skills}
    for target, adds in effects.adds:
        name, focus, special = split_skill(target)
        key = name_key(skill_title(name, focus))
        skill = by_title.get(key, Skill(name, 0, focus))
        if special:
            by_title[key] = _with_special_adds(skill, special, adds)
        else:
            by_title[key] = skill.replace(adds=skill.adds + adds)
    return tuple(by_title.values())


def _with_special_adds(skill: Skill, special: str, adds: int) -> Skill:
    """Return a skill with more adds in a specialization, which may be new."""
    by_key = {name_key(name): (name, number) for name, number in skill.specializations}
    name, number = by_key.get(name_key(special), (special, 0))
    by_key[name_key(special)] = name, number + adds
    return skill.replace(specializations=tuple(by_key.values()))


def skill_on_sheet(sheet: MasterbookSheet, name: str, focus: str = "") -> Skill:
    """Return a character's skill with all its adds; without adds if the character lacks it."""
    return _skill_among(skills_with_adds(sheet), name, focus)


def bought_skill(sheet: MasterbookSheet, name: str, focus: str = "") -> Skill:
    """Return a skill with the adds that were bought; without any if it isn't on the sheet."""
    return _skill_among(sheet.skills, name, focus)


def _skill_among(skills: Iterable[Skill], name: str, focus: str) -> Skill:
    focus_key = name_key(focus)
    for skill in skills:
        if skill.name == name and name_key(skill.focus) == focus_key:
            return skill
    return Skill(name, 0, focus)


def skill_title(name: str, focus: str) -> str:
    """Return `Martial Arts: judo` or `Stealth`."""
    return f"{name}: {focus}" if focus else name


def weapon_of(arm: Arm, campaign: CampaignRows | None) -> WeaponKind:
    """Return the row of a carried weapon, with the weapon's own numbers."""
    row = equipment_by_name(campaign or CampaignRows(), "weapons").get(arm.name)
    if row is None:
        skill = CLASSES[arm.kind].skill if arm.kind else "Melee Combat"
        row = WeaponKind(arm.name, arm.skill or skill, arm.kind)
    if arm.dv is not None:
        row = row.replace(dv=arm.dv, add=0, maximum=None)
    if arm.add is not None:
        row = row.replace(dv=None, add=arm.add)
    if arm.maximum is not None:
        row = row.replace(maximum=arm.maximum)
    return row.replace(skill=arm.skill or row.skill, kind=arm.kind or row.kind)


def natural_weapons(sheet: MasterbookSheet) -> tuple[WeaponKind, ...]:
    """Return the weapons of a character's body (MB-BG-30)."""
    return tuple(_natural_weapon(sheet, weapon) for weapon in option_effects(sheet).weapons)


def _natural_weapon(sheet: MasterbookSheet, weapon: NaturalWeapon) -> WeaponKind:
    """Return the row of a natural weapon.

    One that is fired is rolled on Dexterity, or on the character's own skill of its name. It
    reaches the measure of Endurance.
    """
    numbers: dict[str, int | None] = {"dv": weapon.damage, "add": weapon.add or 0}
    if not weapon.ranged:
        return WeaponKind(weapon.name, _BARE_HANDED).replace(**numbers)
    wanted = name_key(weapon.name)
    own = (skill.name for skill in sheet.skills if name_key(skill.name) == wanted)
    skill = next(own, "Dexterity")
    reach = int(measure(attribute(sheet, "endurance")))
    return WeaponKind(weapon.name, skill, reach=reach).replace(**numbers)
