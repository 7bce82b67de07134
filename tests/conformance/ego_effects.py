"""Adapters for the worked examples of EGO: special effects, magic, psionics."""

from __future__ import annotations

from typing import Any

from rules.core.errors import Impossible
from rules.systems.ego.character.pools import dice_in
from rules.systems.ego.character.sheet import Skill, ability_dice
from rules.systems.ego.checks.procedure import Result
from rules.systems.ego.combat.powers import Cast, lasting, spell_terms
from rules.systems.ego.formulas import close_combat, effects, ranged
from rules.systems.ego.formulas.damage import (
    IMPAIRMENT_DIFFICULTY,
    Body,
    apply_hit,
    damage,
    damage_dice,
)
from rules.systems.ego.formulas.dice import throw
from rules.table.check import Check
from tests.conformance.ego_names import armor, each, effect, game, sheet
from tests.conformance.runner import Given, MakeDice, Outputs, adapter

#: Vitality of somebody of whom an example tells only what armor does.
_TOUGH = 1000


def _level(given: Given) -> int:
    return given["magic"] if "magic" in given else given["psionics"]


def _spent(given: Given) -> int:
    """The pool after a casting."""
    most = effect(given["effect"]).most if "effect" in given else None
    return effects.spend_pool_points(given["points"], _level(given), given["pool_before"], most)


@adapter("ego.ego-mag-01")
def magic(given: Given, roll: MakeDice) -> Outputs:
    level = _level(given)
    most = effects.pool_most(given["intellect"], level)
    return {
        "pool_max": most,
        "known_effects": effects.known_most(level),
        "max_points_per_casting": effects.most_points(level, most),
    }


def _rating(given: Given, roll: MakeDice, size: int) -> dict[str, object]:
    successes = throw(roll(given["dice"]), size).successes
    found: dict[str, object] = {"successes": successes}
    if "difficulty" in given:
        result = Result(successes, given["difficulty"])
        found |= {"success": result.success, "margin": result.margin}
    return found


@adapter("ego.ego-mag-02")
def casting(given: Given, roll: MakeDice) -> Outputs:
    try:
        after = _spent(given)
    except Impossible as error:
        return {"allowed": False, "max": error.params["highest"]}
    size = damage_dice(given["points"])
    thrown = _rating(given, roll, size) if "dice" in given else {}
    return {"allowed": True, "rating_pool": size, **thrown, "pool_after": after}


def _hurt(given: Given, roll: MakeDice, size: int) -> dict[str, object]:
    """What the damage dice of a hit do."""
    faces = throw(roll(given["damage_dice"]), size).faces
    points = damage(faces, 0, game(given).setting("damage_halving"))
    hurt = apply_hit(Body(_TOUGH), points, armor=given.get("ar", 0))
    return {"damage": points, "damage_rolled": points, "damage_taken": hurt.taken, "type": "lethal"}


def _attacked(given: Given, roll: MakeDice, size: int) -> dict[str, object]:
    """An attack with an effect, at range or by touch."""
    successes = throw(roll(given["dice"]), size).successes
    level = given.get("impairment_level", 0)
    if "defence_dice" in given:
        defended = throw(roll(given["defence_dice"]), len(given["defence_dice"])).successes
        number = close_combat.target_number(defended, impaired=IMPAIRMENT_DIFFICULTY[level])
        return {"successes": successes, "tn": number, "hit": close_combat.beats(successes, number)}
    if "band" in given:
        number = ranged.difficulty(
            given["band"], given.get("factors", ()), IMPAIRMENT_DIFFICULTY[level]
        )
    else:
        number = given["range_difficulty"] + IMPAIRMENT_DIFFICULTY[level]
    return {"successes": successes, "difficulty": number, "hit": ranged.hits(successes, number)}


@adapter("ego.ego-mag-03")
def attack_spell(given: Given, roll: MakeDice) -> Outputs:
    skill = "Magic" if "magic" in given else "Psionics"
    size = dice_in(spell_terms(sheet(given).replace(skills=(Skill(skill, _level(given)),)), skill))
    try:
        after = _spent(given)
    except Impossible as error:
        return {"allowed": False, "max": error.params["highest"]}
    found: dict[str, Any] = {
        "attack_pool": size,
        **_attacked(given, roll, size),
        "pool_after": after,
    }
    given.get("excess_successes_to_damage")  # never of spells (EGO-DMG-04)
    if found["hit"] and "damage_dice" in given:
        found |= _hurt(given, roll, damage_dice(given["points"]))
    return {"allowed": True, **found}


@adapter("ego.ego-mag-04")
def sleep(given: Given, roll: MakeDice) -> Outputs:
    before, most, vitality = given["pool_before"], given["pool_max"], given["vitality"]
    return {
        "pool_after": each(
            given["hours"], lambda hours: effects.pool_after_sleep(before, most, hours, vitality)
        )
    }


@adapter("ego.ego-psi-01")
def psionics(given: Given, roll: MakeDice) -> Outputs:
    """Everything as of magic."""
    if "hours" in given:
        return sleep(given, roll)
    if "points" in given:
        return (
            attack_spell if "range_difficulty" in given or "defence_dice" in given else casting
        )(given, roll)
    return magic(given, roll)


@adapter("ego.ego-fx-02")
def rating_roll(given: Given, roll: MakeDice) -> Outputs:
    return {"pool": given["rating"], **_rating(given, roll, given["rating"])}


@adapter("ego.ego-fx-03")
@adapter("ego.ego-fx-04")
def rating(given: Given, roll: MakeDice) -> Outputs:
    own, most = given["own_rating"], effect(given["effect"]).most
    assert given.get("table_max", most) == most
    timed = Check("", "effect", "", "", "", 0, Cast(rating=own), round=1)
    found: dict[str, object] = {
        "damage_dice": damage_dice(own),
        "rounds_if_timed": lasting(game(given), timed).at,
    }
    if "dice" in given:
        found |= _attacked(given, roll, own)
        if found["hit"]:
            found |= _hurt(given, roll, damage_dice(own))
    return found


@adapter("ego.ego-fx-06")
def by_themselves(given: Given, roll: MakeDice) -> Outputs:
    if "body_armor" in given:
        worn = armor(given["armor"]).ar if "armor" in given else given.get("worn_ar", 0)
        return {"ar": effects.effective_armor(given["body_armor"], worn)}
    if "natural_weapon" in given:
        dice = damage_dice(given["natural_weapon"], ability_dice(sheet(given), "muscle"))
        return {"damage_dice": dice, "type": "lethal"}
    successes = throw(roll(given["dice"]), given["rating"]).successes
    healed = effects.regenerate(given["lethal_before"], given["non_lethal_before"], successes)
    return {
        "healed": healed.points,
        "non_lethal_after": healed.non_lethal,
        "lethal_after": healed.lethal,
    }
