"""With what somebody attacks: one record for fists, blades, guns, thrown things and an enemy's
profile.
"""

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
from rules.table.forms import FormContext, Option
from rules.table.system import Game

#: How it is done: what it costs, and what it is rolled against, go by it.
Way = Literal["punch", "kick", "melee", "shoot", "throw"]

PUNCH, KICK = "punch", "kick"
UNARMED_SKILL, ARMED_SKILL = "Hand-to-hand Combat", "Melee Combat"
GUN_COMBAT, GUNNERY = "Gun Combat", "Gunnery"
#: The specialties that count in a fight (EGO-SPC-03).
MARTIAL_ARTS, MELEE_WEAPON = "Martial Arts", "Melee Weapon"
#: The effect that is a weapon (EGO-FX-06).
CLAWS: Final = "Natural Weapon"
#: What not every weapon is made for, by the word that says it.
MADE_FOR: Final[Mapping[str, Callable[[Weapon], bool]]] = {
    "two_hands": lambda row: len(row.damage) > 1,
    "thrown": lambda row: row.made_for_throwing or row.skill == ARMED_SKILL,
    "burst": lambda row: row.automatic,
    "full_auto": lambda row: row.automatic,
}


class Plan(Record):
    """How somebody attacks, as it was said and as GMs have it."""

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
        """What of EGO-RNG-02 there is."""
        return tuple([each for each in ranged.FACTORS if getattr(self, each)])

    @property
    def way(self) -> str:
        """How it is fired."""
        return "full_auto" if self.full_auto else "burst" if self.burst else "single"


class AttackSource(Record):
    """What an attack is made with. `base` are the dice of `level` and `ability`, `split` the
    specialty's, which go into attack or damage. `muscle` are the Muscle dice that add to the
    weapon's `dice`; `light` the dice that too little Muscle takes.

    What else there is to a weapon stands in its `row`. For throwing count the pounds that somebody
    lifts, and its `weight`. `sharp` are dice beyond the shortest band.
    """

    name: str
    way: Way
    skill: str = ""
    level: int = 0
    ability: str = ""
    base: int = 0
    split: int = 0
    dice: int = 0
    flat: int = 0
    muscle: int = 0
    light: int = 0
    lethal: bool = True
    row: Weapon = Weapon("", ())
    lift: int = 0
    weight: int | None = None
    drawn: bool = True
    sharp: int = 0

    @property
    def close(self) -> bool:
        """Whether it is close combat."""
        return self.way in ("punch", "kick", "melee")

    @property
    def unarmed(self) -> bool:
        """Whether it is done with bare hands."""
        return self.way in ("punch", "kick")

    @property
    def spreads(self) -> bool:
        """Whether it may hit several at once."""
        return self.row.area is not None or self.row.targets > 1

    @property
    def terms(self) -> tuple[tuple[str, int], ...]:
        """Levels and ability dice, by name."""
        ability = self.ability.capitalize()
        return ((self.skill, self.level), (ability, self.base - self.level)) if self.skill else ()

    def beyond(self, band: str) -> int:
        """The dice of a Sharpshooter at this range (EGO-SPC-03)."""
        return self.sharp if band != "short" else 0


def weapon_names(sheet: EgoSheet) -> tuple[str, ...]:
    """What somebody may attack with: what is carried, what has grown, or bare hands; an enemy with
    its damage.
    """
    if sheet.profile is not None:
        named = zip_longest(sheet.profile.damage, sheet.profile.attacks, fillvalue="")
        return tuple([str(name) or f"{dice}d" for dice, name in named])
    claws = (CLAWS,) if rating_of(sheet, CLAWS) else ()
    return (*[each.name for each in sheet.arms], *claws, *UNARMED)


def weapons(asking: FormContext) -> tuple[Option, ...]:
    """They, to choose from."""
    names = () if asking.sheet is None else _at_hand(asking)
    return tuple([Option(each, Text("ego-weapon", {"name": each})) for each in names])


def _at_hand(asking: FormContext) -> tuple[str, ...]:
    return (*weapon_names(asking.sheet), *mounted(asking.game.state, asking.who))


def find_weapon(asking: FormContext, text: str) -> str:
    """Which of them is meant. NotFound("ego-unknown-weapon", "ambiguous-choice")."""
    return unique_match(_at_hand(asking), text, field="weapon", unknown="ego-unknown-weapon")


def unsuitable_error(asking: FormContext, word: str) -> RulesError | None:
    """That the weapon in mind is not made for it; where none is chosen, that nothing at hand is.

    What is chosen already stays there, to be taken back: `attack_source` refuses it.
    """
    if asking.sheet is None or word in asking.values:
        return None
    rows, there = rows_of(asking.campaign, "weapons"), _at_hand(asking)
    named = asking.values.get("weapon")
    names = matches(there, named, str) if named else there
    if not names:
        # A weapon that is not at hand is refused by its own name.
        return None
    known = [rows[key] for each in names for key in (each, split_title(each)[0]) if key in rows]
    return (
        None
        if any(map(MADE_FOR[word.replace(" ", "_")], known))
        else unwanted_error(word, names[0])
    )


def _require_made_for(wanted: Plan, name: str, row: Weapon | None) -> None:
    for word, fits in MADE_FOR.items():
        if getattr(wanted, word) and (row is None or not fits(row)):
            raise unwanted_error(word.replace("_", " "), name)


def at_hand(sheet: EgoSheet) -> str:
    """What is attacked with where nothing is said: the one weapon drawn, or bare hands."""
    if sheet.profile is not None:
        return weapon_names(sheet)[0]
    drawn = [each.name for each in sheet.arms if each.drawn]
    return drawn[0] if len(drawn) == 1 else PUNCH


def arm_of(sheet: EgoSheet, name: str) -> Arm | None:
    """A carried weapon; None for what is no weapon."""
    return next((each for each in sheet.arms if each.name == name), None)


def with_arm(sheet: EgoSheet, arm: Arm) -> EgoSheet:
    """The sheet with this in place of the first weapon of its name."""
    at = next(at for at, each in enumerate(sheet.arms) if each.name == arm.name)
    return sheet.replace(arms=(*sheet.arms[:at], arm, *sheet.arms[at + 1 :]))


def without_arm(sheet: EgoSheet, name: str) -> EgoSheet:
    """Return the sheet without the first weapon of that name."""
    at = next(at for at, arm in enumerate(sheet.arms) if arm.name == name)
    return sheet.replace(arms=(*sheet.arms[:at], *sheet.arms[at + 1 :]))


def row_of(rows: Mapping[str, Weapon], name: str) -> Weapon:
    """The numbers of a weapon. Impossible("ego-no-such-weapon") for a name that no table has."""
    if name not in rows:
        raise Impossible("ego-no-such-weapon", name=name)
    return rows[name]


def parries_with(game: Game, sheet: EgoSheet) -> tuple[bool, int]:
    """Whether somebody can parry with what is in hand, and the dice that adds: those of the best
    (EGO-DEF-02).
    """
    if sheet.profile is not None:
        return sheet.profile.guard > 0, sheet.profile.guard
    rows: Mapping[str, Weapon] = rows_of(game.campaign, "weapons")
    drawn = [each.name for each in sheet.arms if each.drawn and each.name in rows]
    armed = [each for each in drawn if rows[each].skill == ARMED_SKILL]
    melee = level_of(sheet, ARMED_SKILL)
    best = max([level_of(sheet, MELEE_WEAPON, each) for each in armed], default=0)
    return bool(armed and melee), melee + best


def attack_source(game: Game, sheet: EgoSheet, wanted: Plan) -> AttackSource:
    """What an attack is made with: of an enemy its profile, else fists, claws, or a row of the
    tables.

    Impossible("ego-no-such-weapon"), InvalidInput("ego-leave-out").
    """
    name = wanted.weapon or at_hand(sheet)
    rows = rows_of(game.campaign, "weapons")
    weapon, vehicle = (name, "") if name in rows else split_title(name)
    crewed = bool(vehicle) and weapon in rows
    if not crewed and (natural := _natural(sheet, name, wanted)) is not None:
        _require_made_for(wanted, name, None)
        return natural
    row, arm = row_of(rows, weapon if crewed else name), arm_of(sheet, name)
    # A crew's weapon stands where it is: nobody holds it.
    stands = row.skill == GUNNERY and row.muscle is None
    _require_made_for(wanted, name, row)
    damage = row.damage[-1 if wanted.two_hands else 0]
    close = row.skill in (UNARMED_SKILL, ARMED_SKILL)
    throws = wanted.thrown or row.made_for_throwing
    archaic = (throws and close) or not row.skill
    usual = GUNNERY if crewed else game.setting("archaic_ranged_skill") if archaic else row.skill
    return source_with_skill(
        sheet,
        name,
        "throw" if throws else "shoot" if not close else "punch" if damage.punch else "melee",
        wanted.skill or (arm.skill if arm is not None else "") or usual,
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


def _natural(sheet: EgoSheet, name: str, wanted: Plan) -> AttackSource | None:
    """What nobody has to carry: an enemy's profile, bare hands, claws; None for all else."""
    profile = sheet.profile
    if profile is not None:
        # Its dice stand for everything; at range it attacks where a range is named.
        names = weapon_names(sheet)
        dice = profile.damage[names.index(name) if name in names else 0]
        return AttackSource(name, "shoot" if wanted.range else "melee", base=profile.att, dice=dice)
    if name not in (*UNARMED, CLAWS):
        return None
    claws, strength = name == CLAWS, ability_dice(sheet, "muscle")
    way: Way = "melee" if claws else "kick" if name == KICK else "punch"
    usual, dice = (
        (ARMED_SKILL, rating_of(sheet, CLAWS)) if claws else (UNARMED_SKILL, UNARMED[name])
    )
    return source_with_skill(
        sheet, name, way, wanted.skill or usual, dice=dice, muscle=strength, lethal=claws
    )


def source_with_skill(
    sheet: EgoSheet, name: str, way: Way, skill: str, **more: Any
) -> AttackSource:
    """With the skill that it takes, and what its specialties give (EGO-SPC-03); an enemy has its
    Att (EGO-NME-01).
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
    """The sheet with a weapon in hand, and what drawing it costs (EGO-AP-03).
    Impossible("ego-nothing-to-do").
    """
    arm = arm_of(sheet, name)
    if arm is None or arm.drawn:
        raise Impossible("ego-nothing-to-do", what="draw", name=name)
    return with_arm(sheet, arm.replace(drawn=True)), draw_cost(level_of(sheet, FAST_DRAW))


def reload_weapon(game: Game, sheet: EgoSheet, name: str) -> tuple[EgoSheet, int]:
    """The sheet with a full magazine, and what that costs; it takes the whole round (EGO-AP-03,
    EGO-OP-21).

    Impossible("ego-nothing-to-do") where nobody counts its rounds, or none is missing;
    Impossible("ego-no-spare-rounds") where the spare ones are counted and used up.
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
