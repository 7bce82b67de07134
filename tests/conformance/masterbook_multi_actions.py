"""Adapters for the worked examples of rounds, actions and groups under MasterBook."""

from __future__ import annotations

from typing import Any

from rules.systems.masterbook.formulas import damage as blows
from rules.systems.masterbook.formulas import movement, multi_actions, success_chart
from rules.systems.masterbook.formulas.attack_options import combine_options, passive_defense_value
from rules.systems.masterbook.formulas.movement import limit_push
from rules.systems.masterbook.formulas.multi_actions import multi_action_penalty
from rules.table.actions import AddToEncounter, ImportCharacter, NextTurn, StartEncounter
from rules.table.initiative import require_encounter, slot_on_turn
from rules.table.marks import marks_of, with_marks
from rules.table.state import Mark, Settings, TableState
from tests.conformance.masterbook_attack_options import options_of
from tests.conformance.masterbook_card_names import chance
from tests.conformance.masterbook_names import causes, first, make_throw, modifiers
from tests.conformance.runner import Given, MakeDice, Outputs, adapter
from tests.rules.toy_table import Play
from tests.sample_table import GM, PLACE, masterbook_character


@adapter("masterbook-core.mb-ini-01")
def initiative(given: Given, dice: MakeDice) -> Outputs:
    if "first_side" in given:
        players, others = dict(given["players"]), dict(given["gamemaster"])
        for side in (given["players"], given["gamemaster"]):
            for each in side:
                side.get(each)
        sides = [players, others] if given["first_side"] == "players" else [others, players]
        return {"order": multi_actions.initiative_order(players | others, sides)}
    attribute = multi_actions.INITIATIVE["combat" if given.get("combat", True) else "interaction"]
    totals = {
        each["name"]: make_throw(
            each,
            dice,
            first(each, (attribute, "value", "attribute")) or 0,
            modifiers(each),
            tens=True,
        ).total
        for each in given["entries"]
    }
    return {"totals": totals, "order": multi_actions.initiative_order(totals)}


@adapter("masterbook-core.mb-rnd-01")
def rounds(given: Given, dice: MakeDice) -> Outputs:
    """The steps that two rounds take at a table, by what has come about after each."""
    by_cards = given["initiative"] == "cards"
    own = {"cards_mode": "initiative_only"} if by_cards else {}
    play = Play(TableState(Settings("Dam", "masterbook", (GM.id,), own=own)))

    def turn(*faces: int) -> None:
        play.do(NextTurn, GM, rng=chance()) if by_cards else play.do(NextTurn, GM, *faces)

    for name in ("Anna", "Boris"):
        play.do(ImportCharacter, GM, data=masterbook_character(name), npc=True)
    play.do(StartEncounter, GM)
    for name in ("Anna", "Boris"):
        play.do(AddToEncounter, GM, name=name)
    gathered = require_encounter(play.state, PLACE)
    turn(5, 5, 2, 3)
    first_round, begun = play.check.data, require_encounter(play.state, PLACE)
    who = begun.order[0].character or ""
    play.state = with_marks(play.state, who, Mark("so", until="round"))
    play.do(NextTurn, GM)
    turn(5, 5, 2, 3)
    second_round = play.check.data
    consequences = {
        0: len(gathered.order) == 2 and not gathered.round,
        1: first_round.throws or first_round.card,
        2: first_round.reading,
        3: slot_on_turn(begun),
        5: not marks_of(play.state, who, "so"),
        6: second_round.card,
        7: require_encounter(play.state, PLACE).round == 2,
    }
    return {
        "steps": [step for step, so in consequences.items() if so],
        "after_7": int(bool(second_round.order)),
    }


@adapter("masterbook-core.mb-act-01")
def simple_actions(given: Given, dice: MakeDice) -> Outputs:
    wanted = given["simple_actions"]
    number = wanted if isinstance(wanted, int) else len(wanted)
    rolled = (
        {"attribute": "Agility", "dn": multi_actions.CROWDED_DIFFICULTY}
        if multi_actions.too_many(number)
        else None
    )
    harder = multi_actions.crowding_penalty(number) if given.get("complex_action", False) else 0
    return {"suggested_dn_modifier": harder, "suggested_check": rolled}


@adapter("masterbook-core.mb-act-02")
def opportunity(given: Given, dice: MakeDice) -> Outputs:
    waits = given.get("opportunity", True)
    return {
        "dn": passive_defense_value(
            given["dn"], causes(multi_actions.WAITING_COST) if waits else ()
        ),
        "acts": "after everyone else" if waits else "in turn",
    }


@adapter("masterbook-core.mb-mul-01")
@adapter("masterbook-core.mb-mov-03")
def several(given: Given, dice: MakeDice) -> Outputs:
    actions: Any = given["actions"]
    if isinstance(actions, int):
        return {
            "modifiers": [multi_action_penalty(each, actions) for each in range(1, actions + 1)]
        }
    ranks = given.get("ranks")
    if ranks is None:
        return {
            "modifiers": [
                multi_action_penalty(each, len(actions)) for each in range(1, len(actions) + 1)
            ]
        }
    return {
        "modifiers": {each: multi_action_penalty(ranks[each], len(actions)) for each in actions}
    }


@adapter("masterbook-core.mb-mul-02")
def targets(given: Given, dice: MakeDice) -> Outputs:
    number = first(given, ("targets", "watchers")) or 1
    total = first(given, ("stealth_total", "base_total", "total"))
    if total is None:
        declared = combine_options(options_of([*given.get("options", []), given.get("option")]))
        added = (*declared.attack, *modifiers(given))
        total = make_throw(given, dice, first(given, ("skill_value", "value")) or 0, added).total
    numbers = [multi_action_penalty(each, number) for each in range(1, number + 1)]
    return {
        "base_total": total,
        "total": total,
        "totals": [passive_defense_value(total, causes(each)) for each in numbers],
        "modifiers": numbers,
    }


@adapter("masterbook-core.mb-cbn-01")
def many(given: Given, dice: MakeDice) -> Outputs:
    number = given["characters"]
    if isinstance(number, list):
        groups = [multi_actions.group_modifiers(each) for each in number]
        return {
            "dn_modifier": [each[0] for each in groups],
            "effect_modifier": [each[1] for each in groups],
        }
    if "dn" not in given:
        harder, more = multi_actions.group_modifiers(number)
        return {"dn_modifier": harder, "effect_modifier": more}
    total = first(given, ("total",))
    if total is None:
        total = make_throw(
            given, dice, first(given, ("average_skill", "skill_value", "value")) or 0
        ).total
    found = multi_actions.resolve_group(number, total, given["dn"], given.get("effect_value", 0))
    shown: dict[str, object] = {
        "total": total,
        "succeeded": found.succeeded,
        "result_points": found.points,
        "effect": found.effect,
    }
    if "toughness" in given:
        # The result points are in the effect already.
        hurt = blows.resolve_hit(0, found.effect, given["toughness"], armor=given.get("armor", 0))
        shown |= {"damage_points": hurt.over, "damage": hurt.damage.text}
    return shown


@adapter("masterbook-core.mb-cbn-02")
def coordination(given: Given, dice: MakeDice) -> Outputs:
    if "attack_succeeded" in given:
        both = min(given["coordinated"], given["attack_succeeded"])
        return {"coordination_bonus": multi_actions.coordination_bonus(both)}
    first_roll = "coordination_totals" in given
    totals = given["coordination_totals" if first_roll else "attack_totals"]
    rank = given.get("coordination_priority" if first_roll else "attack_priority")
    modifier = 0 if rank is None else multi_action_penalty(rank, rank + 1)
    dn = given["coordination_dn" if first_roll else "dn"]
    adjusted = {each: passive_defense_value(totals[each], causes(modifier)) for each in totals}
    made = multi_actions.characters_reaching(adjusted, dn)
    if first_roll:
        return {"adjusted": adjusted, "coordinated": made}
    bonus = multi_actions.coordination_bonus(len(made))
    points = max((adjusted[each] for each in made), default=dn) - dn
    told = {
        "adjusted": adjusted,
        "succeeded": made,
        "result_points": points,
        "coordination_bonus": bonus,
    }
    if "average_damage_value" not in given:
        return told
    cap = given.get("settings", {}).get("damage_cap", False)
    hurt = blows.resolve_hit(
        points, given["average_damage_value"], given["toughness"], more=bonus, capped=cap
    )
    return {
        **told,
        "damage_total": hurt.total,
        "damage_points": hurt.over,
        "damage": hurt.damage.text,
    }


@adapter("masterbook-core.mb-cbn-03")
def coordinated_push(given: Given, dice: MakeDice) -> Outputs:
    push = success_chart.push(given["result_points"])
    given.get("succeeded")
    if given.get("settings", {}).get("limit_shock") and given.get("use"):
        push = limit_push(push)
    return {
        "push": push.push,
        "shock_total": push.shock,
        "shock_each": multi_actions.shock_share(push.shock, given["attempted"]),
    }


@adapter("masterbook-core.mb-mov-01")
@adapter("masterbook-core.mb-mov-02")
def moving(given: Given, dice: MakeDice) -> Outputs:
    rate = first(given, ("mrg", "movement_rate", "rate", "movement_value")) or 0
    free, most = movement.free_meters(rate), movement.meters_in_a_round(rate)
    given.get("settings", {}).get("tactical_map")  # inches are told either way
    found: dict[str, object] = {
        "meters": free,
        "free_meters": free,
        "inches": free // movement.INCH,
        "complex_meters_max": most,
    }
    if "distance_m" in given:
        actions = list(given.get("actions", []))
        # What leads farther is an action of its own.
        if given["distance_m"] > free:
            actions.append("move")
        found |= {
            "modifiers": [
                multi_action_penalty(each, len(actions)) for each in range(1, len(actions) + 1)
            ],
            "action": given["distance_m"] > free,
            "allowed": given["distance_m"] <= most,
        }
    return found
