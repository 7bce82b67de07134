"""Adapters for the worked examples of EGO: what a body can do."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rules.systems.ego.character.combat_values import points_of
from rules.systems.ego.character.sheet import ability_dice, level_of, lift
from rules.systems.ego.formulas import body, damage, effects
from rules.systems.ego.formulas.costs import ABILITIES
from tests.conformance.ego_names import each, sheet
from tests.conformance.runner import Given, MakeDice, Outputs, adapter


def _exactly(number: Any) -> Fraction:
    return Fraction(str(number))


@adapter("ego.ego-chr-03")
@adapter("ego.ego-kar-01")
def rating(given: Given, roll: MakeDice) -> Outputs:
    for key in ("scores", "score"):
        if key in given:
            return {"dice": each(given[key], body.dice_for_score)}
    found = {key: ability_dice(sheet(given), key) for key in ABILITIES}
    return {"dice": found, "karma": body.karma(tuple(found.values()))}


@adapter("ego.ego-chr-04")
def derived(given: Given, roll: MakeDice) -> Outputs:
    who = sheet(given)
    return {
        "stun_points": damage.stun_points(who.vitality),
        "karma": body.karma([ability_dice(who, key) for key in ABILITIES]),
        "action_points": points_of(who).all,
        "impairment_step": body.step(who.vitality),
        "magic_pool": effects.pool_most(who.intellect, level_of(who, "Magic")),
        "psionic_pool": effects.pool_most(who.intellect, level_of(who, "Psionics")),
        "max_lift": lift(who),
        "movement": body.movement(_exactly(given["height_feet"]))
        if "height_feet" in given
        else None,
    }


@adapter("ego.ego-fx-05")
def enhanced(given: Given, roll: MakeDice) -> Outputs:
    who = sheet(given)
    found = {f"{key}_dice": ability_dice(who, key) for key in ABILITIES if key in given}
    return {
        **found,
        "action_points": points_of(who).all,
        "stun_points": damage.stun_points(who.vitality),
    }


@adapter("ego.ego-lft-01")
def lifting(given: Given, roll: MakeDice) -> Outputs:
    levels = given.get("enhanced_muscle", 0)
    pounds = each(levels, lambda level: body.lift(given["muscle"], level))
    names = {"push": "push_pull_drag", "wheels": "on_wheels", "carry": "carry"}
    loads = {
        names[how]: each(pounds, lambda one, how=how: body.load(one, how)) for how in body.LOADS
    }
    return {"pounds": pounds, **loads}


@adapter("ego.ego-siz-01")
def size(given: Given, roll: MakeDice) -> Outputs:
    found = each(given["height_feet"], lambda feet: body.size(_exactly(feet)).casefold())
    return {"sizes": found, "size": found}


@adapter("ego.ego-mov-01")
def movement(given: Given, roll: MakeDice) -> Outputs:
    return {pace: body.movement(_exactly(given["height_feet"]), pace) for pace in body.PACES}
