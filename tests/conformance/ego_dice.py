"""Adapters for the worked examples of EGO: success pools, what changes them, what a check is rolled with."""

from __future__ import annotations

from typing import Any

from rules.core.errors import Impossible, RulesError
from rules.systems.ego import budget, dice, fighting, harm, pools
from rules.systems.ego.arms import GUN_COMBAT, Means, skilled
from rules.systems.ego.check import Result, needed, oppose, rating
from rules.systems.ego.dice import Pool, Source
from rules.systems.ego.sheet import EgoSheet, Skill, Specialty
from rules.systems.ego.standing import LUCKY, luck_left, sources_of, thrown
from rules.systems.ego.tables import RATINGS, Rows
from tests.conformance.runner import Given, MakeDice, Outputs, adapter

_RATINGS = {each.casefold().replace(" ", "_"): each for each in RATINGS}


def _title(text: str) -> str:
    return text.replace("_", " ").capitalize()


def _judged(pool: Pool, difficulty: int) -> dict[str, object]:
    result = Result(pool.successes, difficulty)
    return {"successes": result.successes, "success": result.success, "margin": result.margin}


@adapter("ego.ego-die-01")
def pool(given: Given, roll: MakeDice) -> Outputs:
    faces, karma = given["dice"], given.get("karma_dice", 0)
    number = dice.size(given["base_dice"], given["modifiers"], karma) if "base_dice" in given else len(faces)
    found = dice.throw(roll(faces), number, karma)
    outputs: dict[str, object] = {"pool": len(found.faces), "successes": found.successes}
    if "difficulty" in given:
        outputs |= _judged(found, given["difficulty"])
    return {**outputs, "karma_spent": dice.KARMA_MOST - dice.karma_paid(dice.KARMA_MOST, karma)}


@adapter("ego.ego-die-02")
def ratings(given: Given, roll: MakeDice) -> Outputs:
    if "ratings" in given:
        return {"difficulties": [rating(_RATINGS[each]) for each in given["ratings"]]}
    difficulty = needed(rating(_RATINGS[given["difficulty_rating"]]) or 0, ())
    rolled = difficulty > 0
    found = dice.throw(roll(given["dice"]), len(given["dice"]))
    outputs = _judged(found, difficulty) if rolled else {"success": True}
    return {"difficulty": difficulty, "rolled": rolled, **outputs}


@adapter("ego.ego-die-03")
def unopposed(given: Given, roll: MakeDice) -> Outputs:
    return _judged(dice.throw(roll(given["dice"]), len(given["dice"])), given["difficulty"])


@adapter("ego.ego-die-04")
def opposed(given: Given, roll: MakeDice) -> Outputs:
    mine, theirs = (dice.throw(roll(given[each]), len(given[each])) for each in ("dice_a", "dice_b"))
    both = oppose(mine.successes, theirs.successes)
    return {
        "successes_a": mine.successes,
        "successes_b": theirs.successes,
        "winner": both.winner,
        "margin": both.margin,
        "tie": both.tie,
        "gm_decides": both.tie and given.get("opposed_tie") == "ask",
    }


def _again(found: Pool, sources: tuple[Source, ...], roll: MakeDice, faces: list[int]) -> Pool:
    """The pool after every optional re-roll, dice from the first on."""
    for face in faces:
        source = dice.open_rerolls(found, sources)[0]
        found = dice.reroll(found, source, dice.rerollable(found, source)[0], roll([face]))
    return found


@adapter("ego.ego-die-05")
def changes(given: Given, roll: MakeDice) -> Outputs:
    about = [given["ability"]] if "ability" in given else []
    bad, good = given.get("disadvantages", ()), given.get("advantages", ())
    if bad or "target" in given:
        about.append("attraction")
    if "npc" in given.get("target", ""):
        about.append("persuading")
    sheet = EgoSheet(advantages=tuple(map(_title, good)), disadvantages=tuple(map(_title, bad)))
    sources = sources_of(sheet, about, _title(given.get("specialty", "")))
    faces, again = given["dice"], list(given.get("reroll", ()))
    forced = sum(each.dice for each in sources if each.forced)
    found = thrown(roll([*faces, *again[:forced]]), "a", "check", len(faces), sources=sources).pool
    assert given.get("reroll_die_index", 0) in (0, *found.changed)
    found = _again(found, sources, roll, again[forced:])
    for _ in range(given.get("lucky_uses", 0)):
        found = dice.lucky(found)
    for _ in range(given.get("unlucky_uses", 0)):
        found = dice.unlucky(found)
    return {"final_dice": list(found.faces), "successes": found.successes, "rerolls": len(again)}


@adapter("ego.ego-adv-02")
def luck(given: Given, roll: MakeDice) -> Outputs:
    sheet = EgoSheet(advantages=tuple(map(_title, given["advantages"])))
    found = dice.throw(roll([1, 2]), 2)
    try:
        for _ in range(min(given["uses_on_same_roll"], luck_left(sheet, LUCKY))):
            found = dice.lucky(found)
    except Impossible:
        return {"allowed": False}
    return {"allowed": True}


@adapter("ego.ego-kar-02")
def karma_dice(given: Given, roll: MakeDice) -> Outputs:
    most = dice.karma_most(given["karma"])
    try:
        dice.karma_paid(given["karma"], given["karma_dice"])
    except RulesError:
        return {"allowed": False, "max": most}
    return {"allowed": True, "max": most}


@adapter("ego.ego-kar-03")
def karma_flip(given: Given, roll: MakeDice) -> Outputs:
    faces = given.get("dice", [1])
    found, karma = dice.throw(roll(faces), len(faces)), given.get("karma_before", 1)
    try:
        for _ in range(given["flips"]):
            found = dice.flip(found, flipped=bool(given.get("flips_used_this_round", 0)))
            karma -= 1
    except Impossible:
        return {"allowed": False}
    return {"successes": found.successes, "karma_after": karma}


@adapter("ego.ego-kar-04")
def karma_points(given: Given, roll: MakeDice) -> Outputs:
    sheet = EgoSheet(agility=given["agility"])
    points = fighting.Points(pools.ability_dice(sheet, "agility") + given["spend"])
    return {"action_points": points.all, "karma_after": given["karma_before"] - given["spend"]}


def _pool(sheet: EgoSheet, name: str, ability: str = "") -> int:
    return pools.dice_in(pools.terms(sheet, pools.find(sheet, Rows(), name), ability))


@adapter("ego.ego-skl-02")
def skill(given: Given, roll: MakeDice) -> Outputs:
    sheet = EgoSheet(agility=given["ability_score"], skills=(Skill("Acrobatics", given["level"]),))
    return {"pool": dice.size(_pool(sheet, "Acrobatics"), given["modifiers"])}


@adapter("ego.ego-chr-05")
def raw(given: Given, roll: MakeDice) -> Outputs:
    assert given["level"] == 0
    sheet = EgoSheet(agility=given["ability_score"])
    return {
        "pool": _pool(sheet, "Acrobatics"),
        "difficulty_untrained_plus_one_false": needed(given["difficulty"], ()),
        "difficulty_untrained_plus_one_true": needed(given["difficulty"], (1,)),
    }


@adapter("ego.ego-skl-03")
def skills(given: Given, roll: MakeDice) -> Outputs:
    if "stealth" in given:
        assert given["mode"] == "following"
        abilities = {key: given[key] for key in ("agility", "intellect")}
        sheet = EgoSheet(skills=(Skill("Stealth", given["stealth"]),), **abilities)
        return {"pool": _pool(sheet, "Stealth", "intellect"), "hiding_pool": _pool(sheet, "Stealth")}
    level, spoken = given["bought_level"], "French, spoken" if given["speak_only"] else "French"
    sheet = EgoSheet(intellect=given["intellect"], skills=(Skill("Language", level, spoken),))
    means = pools.known(sheet, Rows())[0]
    return {"cost": budget.price(0, level), "effective_level": means.level, "pool": _pool(sheet, means.name)}


@adapter("ego.ego-spc-02")
def own_roll(given: Given, roll: MakeDice) -> Outputs:
    sheet = EgoSheet(
        intellect=given["intellect"],
        skills=(Skill("Social Skills", given["social_skills"]),),
        specialties=(Specialty("Persuasion", given["persuasion"]),),
    )
    number, sources = _pool(sheet, "Persuasion"), sources_of(sheet, (), "Persuasion")
    found = dice.throw(roll(given["dice"]), number)
    assert dice.rerollable(found, sources[0])[0] == given["reroll_die_index"]
    found = _again(found, sources, roll, given["reroll"])
    return {"pool": number, "final_dice": list(found.faces), **_judged(found, given["difficulty"])}


@adapter("ego.ego-spc-03")
def specialties(given: Given, roll: MakeDice) -> Outputs:
    return next(run for key, run in _SPECIALTIES.items() if key in given)(given, roll)


def _diplomacy(given: Given, roll: MakeDice) -> Outputs:
    known = dice.throw(roll(given["knowledge_dice"]), len(given["knowledge_dice"]))
    sheet = EgoSheet(specialties=(Specialty("Diplomacy", given["diplomacy"]),))
    number = dice.size(_pool(sheet, "Diplomacy"), (known.successes,))
    found = dice.throw(roll(given["dice"]), number)
    return {"bonus_dice": known.successes, "pool": number, "successes": found.successes}


def _breakfall(given: Given, roll: MakeDice) -> Outputs:
    found = dice.throw(roll(given["dice"]), given["breakfall"])
    absorbed = harm.damage(found.faces, 0, "per_die")
    return {"absorbed": absorbed, "damage": harm.fallen(given["fall_damage"], absorbed)}


def _sharpshooter(given: Given, roll: MakeDice) -> Outputs:
    sheet = EgoSheet(
        agility=given["agility"],
        skills=(Skill("Gun Combat", given["gun_combat"]),),
        specialties=(Specialty("Sharpshooter", given["sharpshooter"]),),
    )
    means = skilled(sheet, Means("", "shoot"), GUN_COMBAT)
    return {"pools": [fighting.attack_pool(means.base, other=means.beyond(band)) for band in given["bands"]]}


def _split(given: Given, roll: MakeDice) -> Outputs:
    levels, attack, damage = given["martial_arts"], given["to_attack"], given["to_damage"]
    try:
        fighting.split(levels, damage, attack)
    except RulesError:
        return {"allowed": False}
    sheet = EgoSheet(
        agility=given["agility"],
        muscle=given["muscle"],
        skills=(Skill("Hand-to-hand Combat", given["hand_to_hand_combat"]),),
    )
    muscle = pools.ability_dice(sheet, "muscle")
    return {
        "attack_pool": dice.size(_pool(sheet, "Hand-to-hand Combat"), (attack,)),
        "damage_dice": harm.damage_dice(0, muscle, more=damage),
    }


_SPECIALTIES: dict[str, Any] = {
    "diplomacy": _diplomacy,
    "breakfall": _breakfall,
    "sharpshooter": _sharpshooter,
    "martial_arts": _split,
}
