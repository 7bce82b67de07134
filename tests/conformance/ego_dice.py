"""Adapters for the worked examples of EGO: success pools, what changes them, what a check is rolled
with.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rules.core.errors import Impossible, RulesError
from rules.systems.ego.character import pools
from rules.systems.ego.character.combat_values import points_of
from rules.systems.ego.character.sheet import EgoSheet, Skill
from rules.systems.ego.checks.procedure import AGAIN, Result, modified_difficulty, oppose, rating
from rules.systems.ego.checks.roll_stages import LUCKY, UNLUCKY, luck_left, sources_of
from rules.systems.ego.combat.weapons import (
    ARMED_SKILL,
    GUN_COMBAT,
    Plan,
    attack_source,
    source_with_skill,
)
from rules.systems.ego.formulas import action_points, close_combat, costs, damage, dice
from rules.systems.ego.formulas.dice import Pool, RerollSource
from rules.systems.ego.formulas.reference_rows import SKILLS, Rows
from tests.conformance.ego_names import RATING, SKILL, SPECIALTY, TRAIT, each, game, sheet, weapon
from tests.conformance.runner import Given, MakeDice, Outputs, adapter


def _thrown(roll: MakeDice, faces: Any) -> Pool:
    return dice.throw(roll(faces), len(faces))


def _judged(pool: Pool, difficulty: int) -> dict[str, object]:
    result = Result(pool.successes, difficulty)
    return {"successes": result.successes, "success": result.success, "margin": result.margin}


@adapter("ego.ego-die-01")
def pool(given: Given, roll: MakeDice) -> Outputs:
    faces, karma, number = given["dice"], given.get("karma_dice", 0), len(given["dice"])
    if "base_dice" in given:
        number = dice.pool_size(given["base_dice"], given.get("modifiers", ()), karma)
    found = dice.throw(roll(faces), number, karma)
    outputs: dict[str, object] = {"pool": len(found.faces), "successes": found.successes}
    if "difficulty" in given:
        outputs |= _judged(found, given["difficulty"])
    return {
        **outputs,
        "karma_spent": dice.MAX_KARMA_DICE - dice.karma_after_dice(dice.MAX_KARMA_DICE, karma),
    }


def _shifts(given: Given) -> tuple[int, ...]:
    return (
        *given.get("modifiers", ()),
        damage.IMPAIRMENT_DIFFICULTY[given.get("impairment_level", 0)],
    )


@adapter("ego.ego-die-02")
def ratings(given: Given, roll: MakeDice) -> Outputs:
    most = game(given).setting("near_impossible_successes")
    if "ratings" in given:
        return {
            "difficulties": [
                rating(RATING[name], near_impossible=most) for name in given["ratings"]
            ]
        }
    base = rating(RATING[given["difficulty_rating"]], near_impossible=most)
    assert base is not None, "the GM names it"
    difficulty = modified_difficulty(base, _shifts(given))
    found = _thrown(roll, given.get("dice", ()))
    outputs = _judged(found, difficulty) if difficulty else {"success": True}
    return {"difficulty": difficulty, "rolled": difficulty > 0, **outputs}


@adapter("ego.ego-die-03")
def unopposed(given: Given, roll: MakeDice) -> Outputs:
    return _judged(_thrown(roll, given["dice"]), given["difficulty"])


@adapter("ego.ego-die-04")
def opposed(given: Given, roll: MakeDice) -> Outputs:
    how = game(given).setting("opposed_tie")
    mine, theirs = _thrown(roll, given["dice_a"]), _thrown(roll, given["dice_b"])
    both = oppose(mine.successes, theirs.successes)
    if both.tie and how == AGAIN and "reroll_a" in given:
        mine, theirs = _thrown(roll, given["reroll_a"]), _thrown(roll, given["reroll_b"])
        both = oppose(mine.successes, theirs.successes)
    return {
        "successes_a": mine.successes,
        "successes_b": theirs.successes,
        "winner": both.winner,
        "margin": both.margin,
        "tie": both.tie,
        "gm_decides": both.tie and how == "ask",
    }


def _places(given: Given) -> list[int]:
    """Which dice somebody re-rolls, as far as it is told."""
    named = given.get("reroll_die_index", given.get("reroll_die_indices", []))
    return list(named) if isinstance(named, list) else [named]


def _again(
    found: Pool,
    sources: tuple[RerollSource, ...],
    roll: MakeDice,
    faces: list[int],
    places: list[int],
) -> Pool:
    """The pool after every re-roll, forced ones first: of the dice named, else from the
    first on.
    """
    for face in faces:
        source = dice.open_rerolls(found, sources)[0]
        place = places.pop(0) if places else dice.rerollable(found, source)[0]
        found = dice.reroll(found, source, place, roll([face]))
    return found


def _changed(given: Given, roll: MakeDice, number: int, sources: tuple[RerollSource, ...]) -> Pool:
    """What is thrown, with everything that an example changes afterwards."""
    found = dice.throw(roll(given["dice"]), number)
    found = _again(found, sources, roll, list(given.get("reroll", ())), _places(given))
    assert not dice.forced_rerolls(found, sources), "a forced re-roll is left out"
    for _ in range(given.get("flips", given.get("karma_flips", 0))):
        found = dice.flip(found)
    for _ in range(given.get("lucky_uses", 0)):
        found = dice.add_lucky_success(found)
    for _ in range(given.get("unlucky_uses", 0)):
        found = dice.take_unlucky_success(found)
    return found


def _about(given: Given) -> Iterable[str]:
    """What a roll deals with: an ability, somebody of the opposite sex, an NPC who is persuaded."""
    target = given.get("target", "opposite sex")
    yield given.get("ability", "")
    yield "attraction" if "opposite sex" in target else ""
    yield "persuading" if "npc" in target else ""


@adapter("ego.ego-die-05")
def changes(given: Given, roll: MakeDice) -> Outputs:
    who = EgoSheet(
        advantages=tuple(TRAIT[name] for name in given.get("advantages", ())),
        disadvantages=tuple(TRAIT[name] for name in given.get("disadvantages", ())),
    )
    sources = sources_of(
        who, Rows(), (*_about(given), SPECIALTY.get(given.get("specialty", ""), ""))
    )
    found = _changed(given, roll, len(given["dice"]), sources)
    return {
        "final_dice": list(found.faces),
        "successes": found.successes,
        "rerolls": len(found.changed),
    }


@adapter("ego.ego-adv-02")
def luck(given: Given, roll: MakeDice) -> Outputs:
    used = given.get("uses_this_session", 0)
    who = EgoSheet(
        advantages=tuple(TRAIT[name] for name in given.get("advantages", ())),
        disadvantages=tuple(TRAIT[name] for name in given.get("disadvantages", ())),
        lucky=used,
        unlucky=used,
    )
    name, change = (
        (UNLUCKY, dice.take_unlucky_success)
        if "disadvantages" in given
        else (LUCKY, dice.add_lucky_success)
    )
    found = dice.throw(roll([1, 2]), 2)
    try:
        for _ in range(given["uses_on_same_roll"]):
            found = change(found)
    except Impossible:
        return {"allowed": False}
    return {"allowed": given["uses_on_same_roll"] <= luck_left(who, name)}


@adapter("ego.ego-kar-02")
def karma_dice(given: Given, roll: MakeDice) -> Outputs:
    have, used = given["karma"], given.get("karma_dice_used_this_round", 0)
    most = dice.karma_most(have, used)
    try:
        after = dice.karma_after_dice(have, given["karma_dice"], used)
    except RulesError:
        return {"allowed": False, "max": most}
    return {"allowed": True, "max": most, "karma_after": after}


@adapter("ego.ego-kar-03")
def karma_flip(given: Given, roll: MakeDice) -> Outputs:
    found, karma = _thrown(roll, given.get("dice", [1])), given.get("karma_before", 1)
    if given["flips"] > karma:
        return {"allowed": False}
    for _ in range(given["flips"]):
        if not dice.flippable(found, flipped=bool(given.get("flips_used_this_round", 0))):
            return {"allowed": False}
        found, karma = dice.flip(found), karma - 1
    return {"allowed": True, "successes": found.successes, "karma_after": karma}


@adapter("ego.ego-kar-04")
def karma_points(given: Given, roll: MakeDice) -> Outputs:
    before, spend = given["karma_before"], given["spend"]
    who = sheet(given)
    if spend > before:
        return {"allowed": False}
    points = points_of(who.replace(round=who.round.replace(bonus=spend)))
    return {"allowed": True, "action_points": points.all, "karma_after": before - spend}


def _pool(who: EgoSheet, name: str, ability: str = "") -> int:
    return pools.dice_in(pools.terms(who, pools.find_source(who, Rows(), name), ability))


@adapter("ego.ego-skl-02")
def skill(given: Given, roll: MakeDice) -> Outputs:
    name = SKILL[given.get("skill", "acrobatics")]
    scores = {SKILLS[name].ability: given["ability_score"]} if "ability_score" in given else {}
    who = sheet(given).replace(skills=(Skill(name, given["level"]),), **scores)
    given.get("max_dice_pool")  # a limit for raises, none for rolls
    return {"pool": dice.pool_size(_pool(who, name), given.get("modifiers", ()))}


@adapter("ego.ego-chr-05")
def raw(given: Given, roll: MakeDice) -> Outputs:
    level, difficulty = given["level"], given["difficulty"]
    who = EgoSheet(
        agility=given["ability_score"], skills=(Skill("Acrobatics", level),) if level else ()
    )
    harder = modified_difficulty(difficulty, () if level else (1,))
    return {
        "pool": _pool(who, "Acrobatics"),
        "difficulty": harder
        if given.get("untrained_plus_one", False)
        else modified_difficulty(difficulty, ()),
        "difficulty_untrained_plus_one_false": modified_difficulty(difficulty, ()),
        "difficulty_untrained_plus_one_true": harder,
    }


#: What Stealth is rolled for, and the ability that stands in.
_STEALTH = {"hiding": "", "following": "intellect", "shadowing": "intellect"}


@adapter("ego.ego-skl-03")
def skills(given: Given, roll: MakeDice) -> Outputs:
    who = sheet(given)
    if "stealth" in given:
        pool = _pool(who, "Stealth", _STEALTH[given["mode"]])
        return {"pool": pool, "hiding_pool": _pool(who, "Stealth")}
    if "skill" in given:
        name = SKILL[given["skill"]]
        pool = _pool(who.replace(skills=(Skill(name, given["level"]),)), name)
        return {"pool": pool, "ability": SKILLS[name].ability}
    level, spoken = given["bought_level"], "French, spoken" if given["speak_only"] else "French"
    means = pools.learned_sources(who.replace(skills=(Skill("Language", level, spoken),)), Rows())[
        0
    ]
    pool = pools.dice_in(pools.terms(who, means, ""))
    return {"cost": costs.price(0, level), "effective_level": means.level, "pool": pool}


@adapter("ego.ego-spc-02")
def own_roll(given: Given, roll: MakeDice) -> Outputs:
    who = sheet(given)
    name = who.specialties[0].name
    number = _pool(who, name)
    found = _changed(given, roll, number, sources_of(who, Rows(), (name,)))
    judged = (
        _judged(found, given["difficulty"])
        if "difficulty" in given
        else {"successes": found.successes}
    )
    return {"pool": number, "final_dice": list(found.faces), **judged}


@adapter("ego.ego-spc-03")
def specialties(given: Given, roll: MakeDice) -> Outputs:
    return next(run for key, run in _SPECIALTIES.items() if key in given)(given, roll)


def _diplomacy(given: Given, roll: MakeDice) -> Outputs:
    known, who = _thrown(roll, given["knowledge_dice"]), sheet(given)
    number = dice.pool_size(_pool(who, "Diplomacy"), (known.successes,))
    found = _changed(given, roll, number, sources_of(who, Rows(), ("Diplomacy",)))
    return {"bonus_dice": known.successes, "pool": number, "successes": found.successes}


def _breakfall(given: Given, roll: MakeDice) -> Outputs:
    found = dice.throw(roll(given["dice"]), given["breakfall"])
    absorbed = damage.damage(found.faces, 0, game(given).setting("damage_halving"))
    return {"absorbed": absorbed, "damage": damage.fall_damage(given["fall_damage"], absorbed)}


def _sharpshooter(given: Given, roll: MakeDice) -> Outputs:
    means = source_with_skill(sheet(given), "", "shoot", GUN_COMBAT)
    found = each(
        given["bands"], lambda band: close_combat.attack_pool(means.base, other=means.beyond(band))
    )
    return {"pools": found}


def _split(given: Given, roll: MakeDice) -> Outputs:
    """Dice of an attack, levels of a specialty put into it and into its damage."""
    armed = "melee_weapon" in given
    row = weapon(given["weapon"]).name if "weapon" in given else "Dagger" if armed else "punch"
    who, to_damage, attack = sheet(given, row), given["to_damage"], given["to_attack"]
    means = attack_source(game(given), who, Plan(weapon=row))
    try:
        # What goes into the attack is not left for the damage.
        close_combat.split(means.split - attack, to_damage)
    except RulesError:
        return {"allowed": False}
    assert means.skill == ARMED_SKILL or not armed
    return {
        "allowed": True,
        "attack_pool": close_combat.attack_pool(means.base, specialty=attack, muscle=means.light),
        "damage_dice": damage.damage_dice(means.dice, means.muscle, more=to_damage),
    }


def _tumbling(given: Given, roll: MakeDice) -> Outputs:
    found = dice.throw(roll(given["dice"]), given["tumbling"])
    return {"pool": len(found.faces), "successes": found.successes}


def _fast_draw(given: Given, roll: MakeDice) -> Outputs:
    return {"draw_ap": action_points.draw_cost(given["fast_draw"])}


_SPECIALTIES: dict[str, Any] = {
    "diplomacy": _diplomacy,
    "breakfall": _breakfall,
    "sharpshooter": _sharpshooter,
    "martial_arts": _split,
    "melee_weapon": _split,
    "tumbling": _tumbling,
    "fast_draw": _fast_draw,
}
