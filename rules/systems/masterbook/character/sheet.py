"""Characters: the sheet, reading and writing it (MB-CHAR-01, MB-SKILL-03, MB-SKILL-04).

The character's name is kept outside the sheet; `read_sheet` returns it and `write_sheet` takes it.
"""

from __future__ import annotations

from typing import Final, Literal

from rules.core.name_matching import name_key
from rules.core.record import Record
from rules.systems.masterbook.formulas.damage import Harm
from rules.systems.masterbook.formulas.equipment import (
    CLASSES,
    ArmorKind,
    EquipmentRows,
    WeaponKind,
    equipment_by_name,
)
from rules.systems.masterbook.formulas.movement import Drowning

#: In the order of the sheet.
BODY: Final = ("agility", "dexterity", "endurance", "strength")
SPIRIT: Final = ("intellect", "mind", "confidence", "charisma")
ATTRIBUTES: Final = (*BODY, *SPIRIT)
MOST_ENTRIES: Final = 80
HIGHEST_VALUE: Final = 100
HIGHEST_ADDS: Final = 60
MAX_LIFE_POINTS: Final = 10
#: How somebody takes to learning, by their background; empty as everybody (MB-SKILL-IMP-07).
Curve = Literal["", "positive", "negative"]


class Skill(Record):
    """A skill with its general adds; `focus` of a macroskill, `attribute` of one of the campaign's
    own.
    """

    name: str
    adds: int = 0
    focus: str = ""
    specializations: tuple[tuple[str, int], ...] = ()
    attribute: str = ""

    @property
    def title(self) -> str:
        """`Martial Arts: judo`."""
        return skill_title(self.name, self.focus)


class Arm(Record):
    """A carried weapon: a row's name, or numbers of its own; `rounds` of a `magazine` are counted
    where entered.

    `dv` is a damage value that stands, `add` is added to Strength, up to `maximum`. `kind` is the
    class whose ranges and ways to fire it has.
    """

    name: str
    drawn: bool = True
    rounds: int | None = None
    magazine: int | None = None
    dv: int | None = None
    add: int | None = None
    maximum: int | None = None
    skill: str = ""
    kind: str = ""


class Layer(ArmorKind):
    """Armor that is worn: the parts of the body it `covers`, without any all."""

    covers: tuple[str, ...] = ()


class MasterbookSheet(Record):
    """A character without its name. `toughness` None: as Strength and Endurance have it
    (MB-CHAR-04).

    `limit_up` raises the maxima of movement rates (MB-CHAR-05). `weight` is in kilograms, `height`
    in centimeters. `lifted` is the value to which a lift was pushed (MB-LIFT-02), `rounds_run`
    those at a full run; `grown` are skills raised since the last adventure, each with by how many
    adds (MB-SKILL-IMP-05), `taught` those raised by a lesson in the midst of one (MB-SKILL-IMP-06).
    """

    agility: int = 8
    dexterity: int = 8
    endurance: int = 8
    strength: int = 8
    intellect: int = 8
    mind: int = 8
    confidence: int = 8
    charisma: int = 8
    toughness: int | None = None
    limit_up: int = 0
    learning_curve: Curve = ""
    weight: int | None = None
    height: int | None = None
    sketch: str = ""
    skills: tuple[Skill, ...] = ()
    life_points: int = 5
    #: Life Points above the most. They can only be converted into skill points (MB-GM-06).
    surplus: int = 0
    skill_points: int = 0
    advantages: tuple[str, ...] = ()
    compensations: tuple[str, ...] = ()
    arms: tuple[Arm, ...] = ()
    armour: tuple[Layer, ...] = ()
    equipment: tuple[str, ...] = ()
    harm: Harm = Harm()
    lifted: int | None = None
    drowning: Drowning | None = None
    rounds_run: int = 0
    grown: tuple[tuple[str, int], ...] = ()
    taught: tuple[tuple[str, int], ...] = ()


def attribute(sheet: MasterbookSheet, key: str) -> int:
    """The value of an Attribute."""
    return getattr(sheet, key)


def skill_on_sheet(sheet: MasterbookSheet, name: str, focus: str = "") -> Skill:
    """A skill by name and focus as somebody has it; without adds where they lack it."""
    found = [
        each
        for each in sheet.skills
        if each.name == name and name_key(each.focus) == name_key(focus)
    ]
    return (*found, Skill(name, 0, focus))[0]


def skill_title(name: str, focus: str) -> str:
    """`Martial Arts: judo`, `Stealth`."""
    return f"{name}: {focus}" if focus else name


def weapon_of(arm: Arm, campaign: EquipmentRows | None) -> WeaponKind:
    """A weapon that somebody carries: a row's, or one of its own, with the numbers that were
    entered for it.
    """
    held = CLASSES[arm.kind].skill if arm.kind else "Melee Combat"
    row = equipment_by_name(campaign or EquipmentRows(), "weapons").get(arm.name)
    found = row or WeaponKind(arm.name, arm.skill or held, arm.kind)
    if arm.dv is not None:
        found = found.replace(dv=arm.dv, add=0, maximum=None)
    if arm.add is not None:
        found = found.replace(dv=None, add=arm.add)
    maximum = found.maximum if arm.maximum is None else arm.maximum
    return found.replace(
        maximum=maximum, skill=arm.skill or found.skill, kind=arm.kind or found.kind
    )
