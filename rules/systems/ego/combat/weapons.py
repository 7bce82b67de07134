"""Sources of attacks: one record for fists, blades, guns, thrown weapons and an enemy's profile."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import zip_longest
from typing import Any, Final, Literal

from rules.core.errors import Impossible, RulesError
from rules.core.name_matching import matches, unique_match
from rules.core.record import Record
from rules.systems.ego.character.combat_values import FAST_DRAW, SHARPSHOOTER
from rules.systems.ego.character.sheet import (
    Arm,
    EgoSheet,
    ability_dice,
    ability_of,
    level_of,
    lift,
    rating_of,
    split_title,
)
from rules.systems.ego.command_forms import unwanted_error
from rules.systems.ego.formulas import ranged
from rules.systems.ego.formulas.action_points import COSTS, UNARMED, draw_cost
from rules.systems.ego.formulas.close_combat import muscle_penalty
from rules.systems.ego.formulas.reference_rows import Weapon, rows_of
from rules.systems.ego.vehicles.vehicles_in_play import mounted
from rules.table.blocks import Text
from rules.table.forms.fields import FormContext, Option
from rules.table.system import Game

#: Manner of an attack. Its cost and the number to beat depend on it.
Way = Literal["punch", "kick", "melee", "shoot", "throw"]

PUNCH, KICK = "punch", "kick"
UNARMED_SKILL, ARMED_SKILL = "Hand-to-hand Combat", "Melee Combat"
GUN_COMBAT, GUNNERY = "Gun Combat", "Gunnery"
#: Specialties that count in a fight (EGO-SPC-03).
MARTIAL_ARTS, MELEE_WEAPON = "Martial Arts", "Melee Weapon"
#: Effect that is a weapon (EGO-FX-06).
CLAWS: Final = "Natural Weapon"
#: Tests whether a weapon is made for an option, by the field of the option.
MADE_FOR: Final[Mapping[str, Callable[[Weapon], bool]]] = {
    "two_hands": lambda row: len(row.damage) > 1,
    "thrown": lambda row: row.made_for_throwing or row.skill == ARMED_SKILL,
    "burst": lambda row: row.automatic,
    "full_auto": lambda row: row.automatic,
}


class Plan(Record):
    """An attack as its player states it and its GM rules it."""

    weapon: str = ""
    skill: str = ""
    two_hands: bool = False
    thrown: bool = False
    to_damage: int = 0
    karma: int = 0
    karma_damage: int = 0
    range: str = ""
    weight: int | None = None
    shots: int = 0
    burst: bool = False
    full_auto: bool = False
    caught: tuple[str, ...] = ()
    type: str = ""
    untrained: bool = False
    modifier: int = 0
    cover: bool = False
    target_moving: bool = False
    concealed: bool = False
    moving_and_firing: bool = False
    unaware: bool = False
    targeting_device: bool = False

    @property
    def factors(self) -> tuple[str, ...]:
        """Factors of EGO-RNG-02 that apply."""
        return tuple([factor for factor in ranged.FACTORS if getattr(self, factor)])

    @property
    def way(self) -> str:
        """Manner of firing."""
        if self.full_auto:
            return "full_auto"
        return "burst" if self.burst else "single"


class AttackSource(Record):
    """Weapon, bare hands or profile that an attack is made with."""

    name: str
    way: Way
    skill: str = ""
    level: int = 0
    ability: str = ""
    #: Dice of level and ability.
    base: int = 0
    #: Dice of the specialty, which go into attack or damage.
    split: int = 0
    #: Damage dice of the weapon.
    dice: int = 0
    flat: int = 0
    #: Muscle dice added to the damage dice.
    muscle: int = 0
    #: Dice that too little Muscle takes.
    light: int = 0
    lethal: bool = True
    #: Row of the weapon in the tables.
    row: Weapon = Weapon("", ())
    #: Pounds that the character lifts, for throwing.
    lift: int = 0
    #: Weight of the weapon in pounds, for throwing.
    weight: int | None = None
    drawn: bool = True
    #: Sharpshooter dice beyond the shortest range band.
    sharp: int = 0

    @property
    def close(self) -> bool:
        """True in close combat."""
        return self.way in ("punch", "kick", "melee")

    @property
    def unarmed(self) -> bool:
        """True for bare hands."""
        return self.way in ("punch", "kick")

    @property
    def spreads(self) -> bool:
        """True if the weapon may hit several characters at once."""
        return self.row.area is not None or self.row.targets > 1

    @property
    def terms(self) -> tuple[tuple[str, int], ...]:
        """Levels and ability dice, by name."""
        if not self.skill:
            return ()
        ability = self.ability.capitalize()
        return (self.skill, self.level), (ability, self.base - self.level)

    def beyond(self, band: str) -> int:
        """Return the Sharpshooter dice at this range (EGO-SPC-03)."""
        return self.sharp if band != "short" else 0


def weapon_names(sheet: EgoSheet) -> tuple[str, ...]:
    """Return the names of what a character may attack with.

    They are carried weapons, grown ones and bare hands; for an enemy, its damages.
    """
    if sheet.profile is not None:
        named = zip_longest(sheet.profile.damage, sheet.profile.attacks, fillvalue="")
        return tuple([str(name) or f"{dice}d" for dice, name in named])
    claws = (CLAWS,) if rating_of(sheet, CLAWS) else ()
    return (*[arm.name for arm in sheet.arms], *claws, *UNARMED)


def weapons(asking: FormContext) -> tuple[Option, ...]:
    """List the weapons at hand as options."""
    names = () if asking.sheet is None else _at_hand(asking)
    return tuple(Option(name, Text("ego-weapon", {"name": name})) for name in names)


def _at_hand(asking: FormContext) -> tuple[str, ...]:
    return (*weapon_names(asking.sheet), *mounted(asking.game.state, asking.who))


def find_weapon(asking: FormContext, text: str) -> str:
    """Return the weapon at hand that *text* names.

    Raises NotFound("ego-unknown-weapon", "ambiguous-choice").
    """
    return unique_match(_at_hand(asking), text, field="weapon", unknown="ego-unknown-weapon")


def unsuitable_error(asking: FormContext, word: str) -> RulesError | None:
    """Return the refusal of an option that the weapon is not made for, or None.

    Without a chosen weapon, the option is refused if nothing at hand is made for it. A chosen
    option stays, so that the player can take it back: `attack_source` refuses it.
    """
    if asking.sheet is None or word in asking.values:
        return None
    rows, at_hand_names = rows_of(asking.campaign, "weapons"), _at_hand(asking)
    wanted = asking.values.get("weapon")
    names = matches(at_hand_names, wanted, str) if wanted else at_hand_names
    if not names:
        # A weapon that is not at hand is refused by its own name.
        return None
    is_made_for = MADE_FOR[word.replace(" ", "_")]
    for name in names:
        for key in (name, split_title(name)[0]):
            if key in rows and is_made_for(rows[key]):
                return None
    return unwanted_error(word, names[0])


def _require_made_for(wanted: Plan, name: str, row: Weapon | None) -> None:
    for word, fits in MADE_FOR.items():
        if getattr(wanted, word) and (row is None or not fits(row)):
            raise unwanted_error(word.replace("_", " "), name)


def at_hand(sheet: EgoSheet) -> str:
    """Return the default weapon: the only drawn one, or bare hands."""
    if sheet.profile is not None:
        return weapon_names(sheet)[0]
    drawn = [arm.name for arm in sheet.arms if arm.drawn]
    return drawn[0] if len(drawn) == 1 else PUNCH


def arm_of(sheet: EgoSheet, name: str) -> Arm | None:
    """Return a carried weapon; None if the character carries none of that name."""
    return next((arm for arm in sheet.arms if arm.name == name), None)


def with_arm(sheet: EgoSheet, arm: Arm) -> EgoSheet:
    """Return the sheet with this weapon in place of the first one of its name."""
    at = next(at for at, other in enumerate(sheet.arms) if other.name == arm.name)
    return sheet.replace(arms=(*sheet.arms[:at], arm, *sheet.arms[at + 1 :]))


def without_arm(sheet: EgoSheet, name: str) -> EgoSheet:
    """Return the sheet without the first weapon of that name."""
    at = next(at for at, arm in enumerate(sheet.arms) if arm.name == name)
    return sheet.replace(arms=(*sheet.arms[:at], *sheet.arms[at + 1 :]))


def row_of(rows: Mapping[str, Weapon], name: str) -> Weapon:
    """Return the row of a weapon. Raises Impossible("ego-no-such-weapon") without a row."""
    if name not in rows:
        raise Impossible("ego-no-such-weapon", name=name)
    return rows[name]


def parries_with(game: Game, sheet: EgoSheet) -> tuple[bool, int]:
    """Return whether a character can parry with the weapons in hand, and the dice (EGO-DEF-02).

    The best of the weapons counts.
    """
    if sheet.profile is not None:
        return sheet.profile.guard > 0, sheet.profile.guard
    rows: Mapping[str, Weapon] = rows_of(game.campaign, "weapons")
    drawn = [arm.name for arm in sheet.arms if arm.drawn and arm.name in rows]
    armed = [name for name in drawn if rows[name].skill == ARMED_SKILL]
    melee = level_of(sheet, ARMED_SKILL)
    best = max([level_of(sheet, MELEE_WEAPON, name) for name in armed], default=0)
    return bool(armed and melee), melee + best


def attack_source(game: Game, sheet: EgoSheet, wanted: Plan) -> AttackSource:
    """Return the source of an attack: an enemy's profile, fists, claws, or a row of the tables.

    Raises Impossible("ego-no-such-weapon"), InvalidInput("ego-leave-out").
    """
    name = wanted.weapon or at_hand(sheet)
    rows = rows_of(game.campaign, "weapons")
    weapon, vehicle = (name, "") if name in rows else split_title(name)
    crewed = bool(vehicle) and weapon in rows
    if not crewed and (natural := _natural_source(sheet, name, wanted)) is not None:
        _require_made_for(wanted, name, None)
        return natural
    row, arm = row_of(rows, weapon if crewed else name), arm_of(sheet, name)
    # A crew's weapon is mounted: no character holds it.
    stands = row.skill == GUNNERY and row.muscle is None
    _require_made_for(wanted, name, row)
    damage = row.damage[-1 if wanted.two_hands else 0]
    close = row.skill in (UNARMED_SKILL, ARMED_SKILL)
    throws = wanted.thrown or row.made_for_throwing
    archaic = (throws and close) or not row.skill
    default_skill = row.skill
    if crewed:
        default_skill = GUNNERY
    elif archaic:
        default_skill = game.setting("archaic_ranged_skill")
    own_skill = arm.skill if arm is not None else ""
    way: Way = "punch" if damage.punch else "melee"
    if throws:
        way = "throw"
    elif not close:
        way = "shoot"
    return source_with_skill(
        sheet,
        name,
        way,
        wanted.skill or own_skill or default_skill,
        dice=damage.dice,
        flat=damage.flat,
        muscle=ability_dice(sheet, "muscle") if row.adds_muscle else 0,
        light=muscle_penalty(None if crewed else row.muscle, sheet.muscle),
        lethal=damage.lethal,
        row=row,
        lift=lift(sheet) if throws else 0,
        weight=None if arm is None else arm.weight,
        drawn=arm is None or arm.drawn or stands,
    )


def _natural_source(sheet: EgoSheet, name: str, wanted: Plan) -> AttackSource | None:
    """Return the source of an attack without a carried weapon; None for all other weapons.

    It is an enemy's profile, bare hands, or claws.
    """
    profile = sheet.profile
    if profile is not None:
        # The dice of a profile stand for everything. It attacks at range if a range is named.
        names = weapon_names(sheet)
        dice = profile.damage[names.index(name) if name in names else 0]
        return AttackSource(name, "shoot" if wanted.range else "melee", base=profile.att, dice=dice)
    if name not in (*UNARMED, CLAWS):
        return None
    claws, muscle = name == CLAWS, ability_dice(sheet, "muscle")
    if claws:
        way: Way = "melee"
        default_skill, dice = ARMED_SKILL, rating_of(sheet, CLAWS)
    else:
        way = "kick" if name == KICK else "punch"
        default_skill, dice = UNARMED_SKILL, UNARMED[name]
    skill = wanted.skill or default_skill
    return source_with_skill(sheet, name, way, skill, dice=dice, muscle=muscle, lethal=claws)


def source_with_skill(
    sheet: EgoSheet, name: str, way: Way, skill: str, **more: Any
) -> AttackSource:
    """Return the source of an attack with the dice of its skill and specialties (EGO-SPC-03).

    An enemy has its Att instead (EGO-NME-01).
    """
    if sheet.profile is not None:
        return AttackSource(name, way, base=sheet.profile.att, **more)
    split = 0
    if (way == "punch" and skill == UNARMED_SKILL) or way == "kick":
        split = level_of(sheet, MARTIAL_ARTS)
    elif way == "melee":
        split = level_of(sheet, MELEE_WEAPON, name)
    sharp = level_of(sheet, SHARPSHOOTER) if way == "shoot" and skill == GUN_COMBAT else 0
    level, ability = level_of(sheet, skill), ability_of(sheet, skill)
    base = level + (ability_dice(sheet, ability) if ability else 0)
    return AttackSource(name, way, skill, level, ability, base, split, sharp=sharp, **more)


def draw_weapon(sheet: EgoSheet, name: str) -> tuple[EgoSheet, int]:
    """Return the sheet with a weapon in hand, and the cost of drawing it (EGO-AP-03).

    Raises Impossible("ego-nothing-to-do").
    """
    arm = arm_of(sheet, name)
    if arm is None or arm.drawn:
        raise Impossible("ego-nothing-to-do", what="draw", name=name)
    return with_arm(sheet, arm.replace(drawn=True)), draw_cost(level_of(sheet, FAST_DRAW))


def reload_weapon(game: Game, sheet: EgoSheet, name: str) -> tuple[EgoSheet, int]:
    """Return the sheet with a full magazine, and the cost (EGO-AP-03, EGO-OP-21).

    Reloading takes the whole round. Raises Impossible("ego-nothing-to-do") if rounds are not
    counted or none is missing, and Impossible("ego-no-spare-rounds") if the spare rounds are used
    up.
    """
    arm = arm_of(sheet, name)
    if arm is None or arm.magazine is None or arm.rounds == arm.magazine:
        raise Impossible("ego-nothing-to-do", what="reload", name=name)
    if arm.spare == 0:
        raise Impossible("ego-no-spare-rounds", name=name)
    rounds = arm.rounds or 0
    missing = arm.magazine - rounds
    loaded = missing if arm.spare is None else min(missing, arm.spare)
    spare = None if arm.spare is None else arm.spare - loaded
    row = row_of(rows_of(game.campaign, "weapons"), name)
    after = with_arm(sheet, arm.replace(rounds=rounds + loaded, spare=spare))
    return after, COSTS[f"reload-{row.size}"]
