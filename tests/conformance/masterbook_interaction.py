"""Adapters for the worked examples of interaction under MasterBook."""

from __future__ import annotations

from typing import Any

from rules.core.errors import RulesError
from rules.systems.masterbook.checks.state import Result
from rules.systems.masterbook.formulas import attack_options, attributes, interaction, success_chart
from rules.systems.masterbook.formulas.damage import Harm
from rules.systems.masterbook.formulas.dice import ACTIVE_DEFENSE_FLOOR, bonus_number
from rules.systems.masterbook.formulas.equipment import ArmorKind, fatigue_shock
from rules.systems.masterbook.formulas.reference_rows import (
    INTERACTIONS,
    Causes,
    InteractionKind,
    Rounds,
)
from rules.systems.masterbook.formulas.skills import offered_numbers, rows_of
from tests.conformance.masterbook_names import (
    DEFENSES,
    cards_spent,
    causes,
    first,
    make_throw,
    title_of,
)
from tests.conformance.runner import Given, MakeDice, Outputs, adapter

_ROUNDS: dict[str, Rounds] = {
    "C": "combat",
    "I": "interaction",
    "N": "none",
    "combat": "combat",
    "interaction": "interaction",
    "none": "none",
    "non_round": "none",
    "non-round": "none",
}
#: What circumstances are called beside their ids.
_CALLED = {
    "target in weakened position": "weakened",
    "target helpless": "helpless",
    "already successfully intimidated": "already_intimidated",
    "equal position": "equal",
    "target in superior position": "superior",
    "target in control": "in_control",
    "target among friends": "among_friends",
    "especially fitting": "appropriate",
    "contains real truth": "element_of_truth",
    "tried before": "tried_before",
    "target agreeable": "agreeable",
    "target friendly": "friendly",
    "target friendly to the idea": "friendly",
    "target neutral": "neutral",
    "target hostile": "hostile",
    "target is an enemy": "enemy",
    "very well roleplayed": "roleplayed_well",
    "fitting bribe": "bribe",
    "poorly roleplayed": "roleplayed_poorly",
    "target insulted": "insulted",
    "in the target's best interest": "best_interest",
    "ultimately harmful to target": "ultimately_detrimental",
    "likely harmful to target": "likely_detrimental",
    "obviously harmful to target": "obviously_detrimental",
    "very harmful, maybe deadly": "very_detrimental",
    "target helpful": "helpful",
    "target cooperative": "cooperative",
    "target resistant": "resistant",
    "information seems unimportant": "unimportant",
    "information of minor value": "minor",
    "information important": "important",
    "information very important": "very_important",
    "would rather die than tell": "die_first",
}
_SETTINGS = {"con_column": "taunt_trick", "persuasion_in_combat": False}


def _kind(given: Given, skill: str, rounds: Rounds) -> InteractionKind:
    settings = given.get("settings", {})
    agreed: dict[str, Any] = {key: settings.get(key, usual) for key, usual in _SETTINGS.items()}
    return interaction.interaction_kind(skill, rounds, **agreed)


def _allowed(given: Given, skill: str) -> Outputs:
    many = "round_types" in given
    kinds = given["round_types"] if many else [given["round_type"]]
    found: list[bool] = []
    column = None
    for each in kinds:
        try:
            column = _kind(given, skill, _ROUNDS[each]).column
        except RulesError:
            found.append(False)
            continue
        found.append(True)
    return {"allowed": found if many else found[0], "column": column}


def _named(given: Given, kind: InteractionKind) -> tuple[Causes, Causes]:
    """Circumstances that are called by their names; none where there are only numbers."""
    rows = given.get("modifiers", given.get("rows"))
    if rows is None:
        return (), ()
    if isinstance(rows, list):
        usual = {each.id: offered_numbers(each)[0] for each in rows_of(kind.skill)}
        return interaction.circumstance_causes(
            kind.skill, {_id(each): usual.get(_id(each)) for each in rows}
        )
    return interaction.circumstance_causes(kind.skill, {_id(each): rows[each] for each in rows})


def _id(name: str) -> str:
    return _CALLED.get(name, name)


def _plain(given: Given, *names: str) -> Causes:
    return causes(*[given[each] for each in names if each in given])


def interact(given: Given, dice: MakeDice, usual: str = "Intimidation") -> Outputs:
    """An attempt, as far as the example takes it."""
    skill = title_of(given["skill"]) if "skill" in given else usual
    if "round_type" in given or "round_types" in given:
        return _allowed(given, skill)
    if skill not in INTERACTIONS:
        skill = usual
    kind = _kind(given, skill, "interaction" if skill != "Maneuver" else "combat")
    if "columns" in given:
        columns = {each: success_chart.result(each, given["rp"]) for each in given["columns"]}
        return {"results": list(columns.values())}
    numbers = isinstance(given.get("modifiers", {}), Given | dict)
    try:
        attempt, harder = _named(given, kind) if numbers or "rows" in given else ((), ())
    except RulesError:
        return {"allowed": False}
    if not numbers:
        harder = causes(given["modifiers"])
    attempt += _plain(given, "attempt_modifier", "attempt_modifiers", "attack_mods", "total_mod")
    harder += _plain(given, "dn_modifier", "dn_modifiers", "dn_mods")
    return _tried(given, dice, kind, attempt, harder)


def _tried(
    given: Given, dice: MakeDice, kind: InteractionKind, attempt: Causes, harder: Causes
) -> Outputs:
    column: Any = given.get("column", kind.column)
    found: dict[str, object] = {"allowed": True, "column": column}
    own = first(given, (kind.skill.lower(), "skill_value", "attacker_value"))
    faces = {"dice", "dice_total", "die_total"} & set(given)
    resists = first(
        given,
        tuple(
            each for each in DEFENSES if each not in ("value", "skill_value", kind.skill.lower())
        ),
    )
    if own is None and faces and "value" in given and resists is None and "dn" not in given:
        resists = given["value"]
    elif own is None:
        own = first(given, ("value",))
    # Whoever resists rolls where nobody is said to attack.
    if faces and own is None and resists is not None and "bonus" not in given:
        side = make_throw(given, dice, resists, harder, floor=ACTIVE_DEFENSE_FLOOR)
        return {
            "die_total": side.roll.total,
            "bonus": bonus_number(side.roll.total),
            "rolled_bonus": bonus_number(side.roll.total),
            "bonus_used": side.bonus,
            "used_bonus": side.bonus,
            "defense": side.total,
        }
    settings = given.get("settings", {})
    cap, on = (
        settings.get("interactive_cap", False),
        settings.get("interactive_cap_on", "result_points"),
    )
    points = first(given, ("result_points", "rp"))
    number = first(given, ("dn", "defense_total"))
    if number is None and resists is not None:
        number = resists
    if number is not None:
        number = attack_options.passive_defense_value(number, harder)
        found["dn"] = number
    total = first(given, ("total", "attacker_total"))
    if total is None and own is not None and ("bonus" in given or faces):
        rolled = make_throw(given, dice, own, attempt).replace(
            most=own if cap and on == "bonus_number" else None
        )
        total = rolled.total
        found |= {"bonus": rolled.bonus}
    elif total is None and own is not None and number is not None and points is None:
        needed = number - attack_options.passive_defense_value(own, attempt)
        found |= {
            "bonus_needed": needed,
            "possible": Result(needed, 0, own if cap and on == "bonus_number" else None).points
            == needed,
        }
    if total is not None:
        found["total"] = total
        if number is not None:
            points = total - number
    if points is not None:
        found |= {"result_points": points, "rp": points, "success": points >= 0}
        if own is not None and points >= 0:
            points = Result(points, 0, own if cap and on == "result_points" else None).points
        found |= dict.fromkeys(("capped_points", "credited_rp"), points)
        found["result"] = success_chart.result(column, points)
        found["level"] = success_chart.success_level(points) if points >= 0 else "fail"
    return found


def _register(procedure: str, skill: str) -> None:
    @adapter(procedure)
    def run(given: Given, dice: MakeDice) -> Outputs:
        return interact(given, dice, skill)

    del run


for _number, _skill in (
    (1, "Persuasion"),
    (2, "Persuasion"),
    (3, "Intimidation"),
    (4, "Taunt"),
    (5, "Maneuver"),
    (6, "Con"),
    (7, "Charm"),
    (8, "Persuasion"),
    (9, "Interrogation"),
    (10, "Hypnotism"),
):
    _register(f"masterbook-core.mb-int-{_number:02d}", _skill)
for _skill in ("Intimidation", "Taunt", "Trick", "Charm", "Con", "Persuasion", "Interrogation"):
    _register(f"masterbook-skills.mb-skill-{_skill.lower()}", _skill)
_register("masterbook-skills.mb-skill-int-01", "Intimidation")


@adapter("masterbook-core.mb-cmb-04")
def pairs(given: Given, dice: MakeDice) -> Outputs:
    skill = title_of(given["skill"])
    if skill not in INTERACTIONS:
        rounds = [given["round_type"]] if "round_type" in given else given.get("round_types", ["C"])
        allowed = [_ROUNDS[each] == "combat" for each in rounds]
        return {
            "allowed": allowed if "round_types" in given else allowed[0],
            "column": "damage",
        }
    if "round_type" in given or "round_types" in given:
        return _allowed(given, skill)
    kind = _kind(given, skill, INTERACTIONS[skill].rounds[0])
    attribute = kind.resisting_attribute.capitalize()
    return {"column": kind.column, "resisted_by": [kind.resisting.lower(), attribute]}


@adapter("masterbook-core.mb-int-11")
def waiting(given: Given, dice: MakeDice) -> Outputs:
    if "result" in given:
        done = interaction.result_effect(given["result"])
        return {"shock": done.shock, "target": list(done.theirs), "attacker": list(done.mine)}
    untrained, straight = given.get("untrained", False), given.get("straight_attribute_roll", False)
    adds = 0 if untrained else given.get("general_adds", 0)
    special = 0 if untrained else given.get("specialization_adds", 0)
    for each in ("general_adds", "specialization_adds"):
        given.get(each)
    value, trained = attributes.skill_value(given["attribute"], adds, special)
    rolled = make_throw(given, dice, value, tens=trained or straight)
    return {
        "value": value,
        "die_total": rolled.roll.total,
        "bonus": rolled.bonus,
        "total": rolled.total,
    }


@adapter("masterbook-core.mb-lp-04")
def lower(given: Given, dice: MakeDice) -> Outputs:
    own = first(given, ("own_life_points_spent", "life_points_spent")) or 0
    cards, column = cards_spent(given), given["column"]
    now = Harm(fainted=given.get("unconscious", False))
    if now.out or not given.get("perceives", given.get("can_perceive", True)):
        return {"allowed": False, "life_points_delta": 0}
    if column == "con":
        column = given.get("settings", {}).get("con_column", INTERACTIONS["Con"].column)
    try:
        result = interaction.lower_result(column, given["result"], own=own, cards=cards)
    except RulesError:
        return {"allowed": False, "life_points_delta": 0}
    return {"allowed": True, "result": result, "life_points_delta": -own}


@adapter("masterbook-skills.mb-eq-31")
def tiring(given: Given, dice: MakeDice) -> Outputs:
    base = given.get("base_shock", interaction.result_effect(given.get("result", "fatigued")).shock)
    given.get("result")
    worn = [ArmorKind("", given.get("armor_add", 0))]
    return {
        "shock": fatigue_shock(base, worn, given.get("settings", {}).get("armor_extra_fatigue", 0))
    }
