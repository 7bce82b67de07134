"""The rows of EGO by name, read once from `data/ego.json`, and those that a campaign adds
(EGO-EQP-02 and on).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from rules.core.data_rows import from_json, json_loader, rows_by_key
from rules.core.record import Record
from rules.table.settings.campaign_rows import row_lookup

#: Currency of a price: gold pieces, dollars or credits (EGO-EQP-01).
Currency = Literal["gp", "$", "cr"]


class Rating(Record):
    """A difficulty."""

    name: str
    #: Successes needed; 0 without a roll, None if the GM names the number.
    successes: int | None


class SpecialtyKind(Record):
    """A specialty."""

    name: str
    #: Whether the specialty is rolled by its own levels, not added to other rolls.
    own: bool = True
    multiple: bool = False
    #: Failed dice that a roll of the specialty re-rolls.
    rerolls: int = 0


class SkillKind(Record):
    """A skill."""

    name: str
    #: Ability of the skill; empty for Superpowers.
    ability: str = ""
    #: Ability that may replace `ability`.
    other: str = ""
    #: Whether the skill is taken once for each field.
    multiple: bool = False
    fields: tuple[str, ...] = ()
    specialties: tuple[SpecialtyKind, ...] = ()


class Trait(Record):
    """An advantage or disadvantage."""

    name: str
    #: How often the trait may be taken.
    limit: int | None = None
    #: Whether the trait is a disadvantage.
    bad: bool = False
    text: str = ""
    #: Rolls whose dice the trait re-rolls: an ability in the pool, or a topic of the roll.
    when: Literal["", "muscle", "agility", "intellect", "vitality", "attraction", "persuading"] = ""


class Effect(Record):
    """A special effect."""

    name: str
    category: str = ""
    #: Highest rating.
    most: int | None = None
    #: Ability that the effect enhances.
    enhances: str = ""
    #: Discipline of the campaign.
    discipline: str = ""
    #: Whether the effect lasts as many rounds as its rating.
    timed: bool = False


class ArmorKind(Record):
    """A kind of armor."""

    name: str
    ar: int
    cost: int = 0
    #: Multiple of its rating that armor stops in a round before it wears.
    threshold_factor: int = 1


class Factor(Record):
    """A factor that makes a shot harder or easier, and its words (EGO-RNG-02)."""

    name: str
    says: str
    shift: int


class Fire(Record):
    """A way to fire (EGO-RNG-04, EGO-RNG-05)."""

    name: str
    #: Rounds that the magazine must hold.
    needs: int = 1
    #: Most rounds that are used.
    uses: int = 1
    #: Dice added to the attack.
    dice: int = 0
    #: Dice added to the damage.
    damage: int = 0
    #: Factor of the damage dice.
    factor: int = 1


class Damage(Record):
    """Damage dice with a flat bonus, added to a `punch` or by themselves."""

    dice: int
    flat: int = 0
    punch: bool = False
    lethal: bool = True


class Weapon(Record):
    """A weapon."""

    name: str
    #: Damage; a second one is that with two hands.
    damage: tuple[Damage, ...]
    #: Skill; empty for the table's `archaic_ranged_skill`.
    skill: str = ""
    muscle: int | None = None
    cost: int = 0
    #: Currencies of the cost; empty for the table's own money.
    currencies: tuple[Currency, ...] = ()
    adds_muscle: bool = False
    #: Kind of range; empty for a weapon held in the hand.
    range: Literal["", "bands", "thrown", "sight"] = ""
    #: Limits of the range bands in meters.
    limits: tuple[int, ...] = ()
    #: Single shots in a round; None if the weapon fires none.
    rate: int | None = 1
    automatic: bool = False
    #: Size of the area of effect in feet.
    area: int | None = None
    targets: int = 1
    size: Literal["small", "medium", "large"] = "medium"
    ammunition_cost: int | None = None
    #: Rounds that the magazine holds; None if they are not counted (EGO-RNG-05).
    magazine: int | None = None

    @property
    def fires(self) -> bool:
        """True if the weapon fires rounds, which can be counted."""
        return self.range in ("bands", "sight")

    @property
    def made_for_throwing(self) -> bool:
        """True if the weapon has no range but that of a throw."""
        return self.range == "thrown"


class VehicleKind(Record):
    """A kind of vehicle, as it is when new (EGO-VEH-02)."""

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
    """An enemy's profile; several damages have names in `attacks` (EGO-NME-01, EGO-NME-03)."""

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
    """Rows of all tables, as a file has them. The file of a campaign has the rows that it adds."""

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
