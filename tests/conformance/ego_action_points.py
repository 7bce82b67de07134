"""Adapters for the worked examples of action points, initiative and close combat under EGO."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.core.errors import Impossible
from rules.systems.ego.character.combat_values import new_round, points_of
from rules.systems.ego.character.sheet import Arm, EgoSheet, Profile, Skill, ability_dice
from rules.systems.ego.combat.actions import WEAPON_CHANGES
from rules.systems.ego.combat.defense import block_pool
from rules.systems.ego.combat.weapons import (
    ARMED_SKILL,
    KICK,
    PUNCH,
    AttackSource,
    Plan,
    attack_source,
    parries_with,
)
from rules.systems.ego.formulas import action_points, close_combat, damage, ranged
from rules.systems.ego.formulas.action_points import ActionPoints
from rules.systems.ego.formulas.dice import Pool, throw
from rules.systems.ego.formulas.reference_rows import EnemyKind
from rules.table.initiative import score_key
from tests.conformance.ego_names import each, enemy, game, sheet, slug, weapon
from tests.conformance.runner import Given, MakeDice, Outputs, adapter

_TOUGH = 1000
#: Actions as examples call them, where the rules have another word.
_ACTIONS: dict[str, str] = {
    "reload_small": "reload-small",
    "reload_medium": "reload-medium",
    "reload_small_medium": "reload-medium",
    "reload_large": "reload-large",
    "block_dodge": "block",
    "dodge": "block",
    "draw_weapon": "draw",
    "melee_attack": "melee",
    "tumble": "tumbling",
    "use_effect": "effect",
}


def _thrown(dice: MakeDice, faces: Any) -> Pool:
    return throw(dice(faces), len(faces))


def _profiled(row: EnemyKind, ap: int | None = None) -> EgoSheet:
    return EgoSheet(
        profile=Profile(
            row.att, row.defence, row.damage, row.vitality, row.ar, attacks=row.attacks, ap=ap
        )
    )


@adapter("ego.ego-ini-01")
def initiative(given: Given, dice: MakeDice) -> Outputs:
    sides = {name: one for name, one in given.items() if isinstance(one, Given)}
    if sides:
        ties: Mapping[str, Any] = dict(
            zip(sides, given.get("tie_dice", [[]] * len(sides)), strict=True)
        )
        scores = {
            name: (one["initiative"], one["agility"], one["intellect"], *ties[name])
            for name, one in sides.items()
        }
        return {"order": sorted(scores, key=lambda name: score_key(scores[name]))}
    fast_draw, karma = given.get("fast_draw", 0), given.get("karma_dice", 0)
    if "enemy" in given:
        agility, intellect = enemy(given["enemy"]).defence, 0
    else:
        who = sheet(given)
        agility, intellect = ability_dice(who, "agility"), ability_dice(who, "intellect")
    first = given.get("round", 1)
    count = action_points.initiative_dice(agility, fast_draw=fast_draw, round=first, karma=karma)
    faces = throw(dice(given["dice"]), count).faces
    level, mode = given.get("impairment_level", 0), game(given).setting("initiative_mode")
    total = action_points.initiative(faces, intellect, impairment=level, counting=mode)
    return {
        "initiative": total,
        "initiative_dice": count,
        "draw_ap": action_points.draw_cost(fast_draw),
    }


@adapter("ego.ego-ap-01")
@adapter("ego.ego-ap-03")
def actions(given: Given, dice: MakeDice) -> Outputs:
    points = ActionPoints(
        given["action_points"] if "action_points" in given else points_of(sheet(given)).all
    )
    wanted: list[str] = [_ACTIONS.get(str(name), str(name)) for name in given.get("actions", ())]
    free = ("draw",) if given.get("fast_draw", 0) else ()
    found: dict[str, object] = {
        "action_points": points.all,
        "cost": action_points.cost(wanted, free=free),
        "over_by": action_points.over_by(points, action_points.cost(wanted, free=free)),
    }
    penalty = 0
    try:
        for name in wanted:
            deed = WEAPON_CHANGES.get(name.partition("-")[0])
            price = action_points.cost((name,), free=free)
            points, penalty = action_points.spend_points(
                points, price, whole=deed is not None and deed.whole
            )
    except Impossible:
        return {**found, "legal": False}
    return {
        **found,
        "legal": True,
        "left": points.left,
        "penalty_dice": penalty,
        "others_allowed": points.left > 0,
    }


@adapter("ego.ego-ap-02")
def overspending(given: Given, dice: MakeDice) -> Outputs:
    before = given.get("ap_used_before", given.get("other_actions", 0))
    try:
        _, penalty = action_points.spend_points(
            ActionPoints(given["action_points"], before), given["cost"]
        )
    except Impossible:
        return {"legal": False}
    return {"legal": True, "penalty_dice": penalty}


@adapter("ego.ego-ap-04")
def skill_use(given: Given, dice: MakeDice) -> Outputs:
    return {"ap": each(given["seconds"], action_points.skill_use_cost)}


def _judged(given: Given, dice: MakeDice) -> dict[str, Any]:
    """An attack roll against a defense roll."""
    defense = _thrown(dice, given["defence_dice"])
    blocked = _thrown(dice, given["block_dice"]) if "block_dice" in given else Pool()
    tumbled = _thrown(dice, given["tumble_dice"]).successes if "tumble_dice" in given else 0
    level = given.get("attacker_impairment_level", 0)
    number = close_combat.target_number(
        defense.successes,
        blocked=blocked.successes,
        tumbling=given.get("tumbling_successes", tumbled),
        impaired=damage.IMPAIRMENT_DIFFICULTY[level],
    )
    attack = _thrown(dice, given["attack_dice"])
    found: dict[str, Any] = {
        "tn": number,
        "successes": attack.successes,
        "hit": close_combat.beats(attack.successes, number),
    }
    if "attack_dice_2" in given:
        again = _thrown(dice, given["attack_dice_2"])
        found["hit_2"] = close_combat.beats(again.successes, number)
    return found


def _hurt(given: Given, dice: MakeDice, means: AttackSource, armor: int) -> dict[str, Any]:
    """What the damage dice of a hit do; the GM has the last word on their type."""
    more = given.get("to_damage", 0)
    faces = throw(
        dice(given["damage_dice"]), damage.damage_dice(means.dice, means.muscle, more=more)
    ).faces
    points = damage.damage(faces, means.flat, game(given).setting("damage_halving"))
    kind = given.get("type", "lethal" if means.lethal else "non_lethal")
    hurt = damage.apply_hit(damage.Body(_TOUGH), points, armor=armor, lethal=kind == "lethal")
    return {
        "damage_rolled": points,
        "stopped": hurt.stopped,
        "damage_taken": hurt.taken,
        "type": kind,
    }


def _fought(given: Given, dice: MakeDice) -> Outputs:
    """A whole attack by somebody with a sheet on somebody of whom some numbers are told."""
    mine, target = given["attacker"], given["target"]
    armor = target.get("ar", 0)
    named = weapon(mine["weapon"]).name if "weapon" in mine else given.get("attack", PUNCH)
    who = sheet(mine, named)
    means = attack_source(game(given), who, Plan(weapon=named))
    to_attack = given.get("to_attack", 0)
    close_combat.split(means.split - to_attack, given.get("to_damage", 0))
    size = close_combat.attack_pool(means.base, specialty=to_attack, muscle=means.light)
    assert size == len(given["attack_dice"]), size
    found = {
        **_judged(given, dice),
        "attack_pool": size,
        "defence_pool": close_combat.defense_pool(ability_dice(sheet(target), "agility")),
        "ap": action_points.cost((means.way,)),
        "type": given.get("type", "lethal" if means.lethal else "non_lethal"),
    }
    return {**found, **_hurt(given, dice, means, armor)} if found["hit"] else found


@adapter("ego.ego-atk-01")
def attack(given: Given, dice: MakeDice) -> Outputs:
    if "attacker" in given:
        return _fought(given, dice)
    if "defence_dice" in given:
        return _judged(given, dice)
    blow = attack_source(game(given), sheet(given), Plan(weapon=given.get("attack", KICK)))
    return {
        "ap": action_points.cost((blow.way,)),
        "damage_dice": damage.damage_dice(blow.dice, blow.muscle),
    }


@adapter("ego.ego-def-01")
def block(given: Given, dice: MakeDice) -> Outputs:
    if "band" in given:
        dodged, factors = _thrown(dice, given["dodge_dice"]).successes, given.get("factors", ())
        level = given.get("attacker_impairment_level", 0)

        def against(helps: bool) -> int:
            dodge = dodged if helps else 0
            return ranged.difficulty(
                given["band"], factors, damage.IMPAIRMENT_DIFFICULTY[level] + dodge
            )

        return {"difficulty": each(given.get("dodge_vs_ranged", False), against)}
    cost = action_points.cost(close_combat.REACTIONS["block"])
    able = close_combat.reactions(given.get("ap_left", cost), parries=False)
    found: dict[str, object] = {"allowed": "block" in able}
    if "agility" in given:
        found["block_pool"] = block_pool(sheet(given))
    if "defence_dice" in given:
        found |= _judged(given, dice)
    return {**found, "target_ap_spent": cost}


@adapter("ego.ego-def-02")
def parry(given: Given, dice: MakeDice) -> Outputs:
    who, cost = sheet(given, "Dagger"), action_points.cost(close_combat.REACTIONS["parry"])
    if "melee_combat" not in given:
        who = who.replace(skills=(*who.skills, Skill(ARMED_SKILL, 1)))
    who = who.replace(arms=(Arm("Dagger", drawn=True),) if given.get("armed", True) else ())
    parries, more = parries_with(game(given), who)
    able = close_combat.reactions(given.get("ap_left", cost), parries=parries)
    found: dict[str, object] = {"allowed": "parry" in able, "target_ap_spent": cost}
    if "agility" in given:
        size = close_combat.defense_pool(ability_dice(who, "agility"), more)
        found["defence_pool"] = size
        if "dice" in given:
            assert found["allowed"]
            found["tn"] = close_combat.target_number(throw(dice(given["dice"]), size).successes)
    return found


@adapter("ego.ego-def-03")
def tumbling(given: Given, dice: MakeDice) -> Outputs:
    bonus = throw(dice(given["tumble_dice"]), given["tumbling"]).successes
    defenses = [_thrown(dice, faces).successes for faces in given["defence_rolls"]]
    return {
        "tumbling_bonus": bonus,
        "tns": [close_combat.target_number(successes, tumbling=bonus) for successes in defenses],
        "target_ap_spent": action_points.cost(("tumbling",)),
    }


@adapter("ego.ego-nme-03")
def sample(given: Given, dice: MakeDice) -> Outputs:
    row = enemy(given["enemy"])
    return {
        "att": row.att,
        "def": row.defence,
        "dam": row.damage,
        "vitality": row.vitality,
        "ar": row.ar,
    }


@adapter("ego.ego-nme-01")
def enemies(given: Given, dice: MakeDice) -> Outputs:
    row, table = enemy(given["enemy"]), game(given)
    who = _profiled(row, given.get("ap"))
    if "attack_dice" not in given:
        return {
            "stun_points": damage.stun_points(row.vitality),
            "vitality_dice": ability_dice(who, "vitality"),
            "initiative_dice": ability_dice(who, "agility"),
            "ap": points_of(new_round(table, who, 1)).all,
        }
    if "attacker" in given:
        mine = given["attacker"]
        named = weapon(mine["weapon"]).name if "weapon" in mine else PUNCH
        means, armor = attack_source(table, sheet(mine, named), Plan(weapon=named)), row.ar
        assert close_combat.defense_pool(ability_dice(who, "agility")) == len(given["defence_dice"])
    else:
        target = given["target"]
        attacks = {slug(name): name for name in row.attacks}
        named = attacks[given["damage"]] if "damage" in given else ""
        means, armor = (
            attack_source(table, who, Plan(weapon=named, range=given.get("band", ""))),
            target["ar"],
        )
        if "agility" in target:
            dodges = close_combat.defense_pool(ability_dice(sheet(target), "agility"))
            assert dodges == len(given["defence_dice"])
    assert close_combat.attack_pool(means.base) == len(given["attack_dice"])
    if "band" in given:
        level = given.get("attacker_impairment_level", 0)
        number = ranged.difficulty(
            given["band"], given.get("factors", ()), damage.IMPAIRMENT_DIFFICULTY[level]
        )
        successes = _thrown(dice, given["attack_dice"]).successes
        hit = ranged.hits(successes, number)
        found: dict[str, Any] = {"difficulty": number, "successes": successes, "hit": hit}
    else:
        found = _judged(given, dice)
    return {**found, **_hurt(given, dice, means, armor)} if found["hit"] else found
