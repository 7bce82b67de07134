"""The rows of EGO by name, read once from `data/ego.json`, and those that a campaign adds
(EGO-EQP-02 and on).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from rules.core.data_rows import from_json, json_loader, rows_by_key
from rules.core.record import Record
from rules.table.campaign_rows import row_lookup

#: Currency of a price: gold pieces, dollars or credits (EGO-EQP-01).
Currency = Literal["gp", "$", "cr"]


class Rating(Record):
    """A difficulty: successes needed, 0 for what needs no roll, None where the GM names them."""

    name: str
    successes: int | None


class SpecialtyKind(Record):
    """A specialty, rolled by its `own` levels or added elsewhere. `rerolls` are failure dice of a
    roll of its own.
    """

    name: str
    own: bool = True
    multiple: bool = False
    rerolls: int = 0


class SkillKind(Record):
    """A skill: its ability (none for Superpowers), another that may stand in; taken once per field
    where `multiple`.
    """

    name: str
    ability: str = ""
    other: str = ""
    multiple: bool = False
    fields: tuple[str, ...] = ()
    specialties: tuple[SpecialtyKind, ...] = ()


class Trait(Record):
    """An advantage, or a disadvantage where it is `bad`; `limit` is how often it may be taken.

    `when` tells of which rolls it re-rolls dice: an ability whose dice are in the pool, or what the
    roll is about.
    """

    name: str
    limit: int | None = None
    bad: bool = False
    text: str = ""
    when: Literal["", "muscle", "agility", "intellect", "vitality", "attraction", "persuading"] = ""


class Effect(Record):
    """A special effect; `most` is its maximum rating, `enhances` an ability. `discipline` is a
    campaign's.

    One that is `timed` lasts as many rounds as its rating.
    """

    name: str
    category: str = ""
    most: int | None = None
    enhances: str = ""
    discipline: str = ""
    timed: bool = False


class ArmorKind(Record):
    """Armor; the round's stopped damage has to reach its rating `threshold_factor` times to wear
    it.
    """

    name: str
    ar: int
    cost: int = 0
    threshold_factor: int = 1


class Factor(Record):
    """What makes a shot harder or easier, and how that is told (EGO-RNG-02)."""

    name: str
    says: str
    shift: int


class Fire(Record):
    """A way to fire: how much ammunition it `needs` and uses at most, dice to hit, damage dice and
    their factor.

    (EGO-RNG-04, EGO-RNG-05)
    """

    name: str
    needs: int = 1
    uses: int = 1
    dice: int = 0
    damage: int = 0
    factor: int = 1


class Damage(Record):
    """Dice and what is added once; added to a `punch`, or by itself."""

    dice: int
    flat: int = 0
    punch: bool = False
    lethal: bool = True


class Weapon(Record):
    """A weapon. Of two damages the second is with two hands. `range` is empty for what is held in
    the hand.

    No `skill`: that of the table's `archaic_ranged_skill`. `rate` None: no single shots. `limits`
    are in meters, `area` in feet. Without `currencies` the cost is in the table's own money.
    `magazine` is the number of rounds it holds; None if they are not counted (EGO-RNG-05).
    """

    name: str
    damage: tuple[Damage, ...]
    skill: str = ""
    muscle: int | None = None
    cost: int = 0
    currencies: tuple[Currency, ...] = ()
    adds_muscle: bool = False
    range: Literal["", "bands", "thrown", "sight"] = ""
    limits: tuple[int, ...] = ()
    rate: int | None = 1
    automatic: bool = False
    area: int | None = None
    targets: int = 1
    size: Literal["small", "medium", "large"] = "medium"
    ammunition_cost: int | None = None
    magazine: int | None = None

    @property
    def fires(self) -> bool:
        """Whether the weapon fires rounds, which can be counted."""
        return self.range in ("bands", "sight")

    @property
    def made_for_throwing(self) -> bool:
        """So count all that have no other range."""
        return self.range == "thrown"


class VehicleKind(Record):
    """A vehicle as it comes (EGO-VEH-02); `kind` is ground, water, air or space."""

    name: str
    kind: Literal["ground", "water", "air", "space"]
    sections: int
    damage_points: int
    speed_max: int
    speed_min: int
    acceleration: int
    maneuverability: int
    ar: int


class EnemyKind(Record):
    """An enemy's profile; `attacks` name the damages where there are several (EGO-NME-01,
    EGO-NME-03).
    """

    name: str
    att: int
    defence: int
    damage: tuple[int, ...]
    vitality: int
    ar: int
    attacks: tuple[str, ...] = ()


class Category(Record):
    """A category of enemies: the first score is that of its best ability (EGO-NME-02)."""

    name: str
    abilities: tuple[int, ...]
    skills: int
    level: int


class Rows(Record):
    """Rows of everything, as a file has them; a campaign's file has those that it adds."""

    skills: tuple[SkillKind, ...] = ()
    traits: tuple[Trait, ...] = ()
    effects: tuple[Effect, ...] = ()
    armour: tuple[ArmorKind, ...] = ()
    weapons: tuple[Weapon, ...] = ()
    vehicles: tuple[VehicleKind, ...] = ()
    enemies: tuple[EnemyKind, ...] = ()
    ratings: tuple[Rating, ...] = ()
    categories: tuple[Category, ...] = ()
    factors: tuple[Factor, ...] = ()
    fire: tuple[Fire, ...] = ()
    costs: tuple[tuple[str, int], ...] = ()
    sizes: tuple[tuple[int, str], ...] = ()


#: What a campaign's file may add, and the class of its rows.
ROW_KINDS: Final[Mapping[str, type[Any]]] = {
    "skills": SkillKind,
    "traits": Trait,
    "effects": Effect,
    "armour": ArmorKind,
    "weapons": Weapon,
    "vehicles": VehicleKind,
    "enemies": EnemyKind,
}
#: Numbers of dice, sections and targets, and what the sheet of an enemy has within the same bounds.
_COUNTS: Final = ("dice", "damage", "rate", "targets", "att", "defence", "sections", "ar")
BOUNDS: Final = {
    **dict.fromkeys(_COUNTS, (0, 100)),
    "maneuverability": (-100, 100),
    "vitality": (1, 100),
    "magazine": (1, 1000),
}
#: Everything that ships.
SHIPPED_ROWS: Final = from_json(Rows, json_loader("rules.systems.ego", "ego")())


SKILLS: Final = rows_by_key(SHIPPED_ROWS.skills)
RATINGS: Final = rows_by_key(SHIPPED_ROWS.ratings)
CATEGORIES: Final = rows_by_key(SHIPPED_ROWS.categories)


#: All rows of a kind by name, with those of the campaign.
rows_of: Final = row_lookup(SHIPPED_ROWS, ROW_KINDS)


def skills_of(campaign: Rows) -> Mapping[str, SkillKind]:
    """The skills of a campaign."""
    return rows_of(campaign, "skills")
