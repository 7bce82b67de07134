"""Adapters for the worked examples of MasterBook: options that act on rolls, and on learning."""

from __future__ import annotations

from typing import Any

from rules.core.errors import Impossible
from rules.systems.masterbook.advancement.costs import next_add_cost
from rules.systems.masterbook.character.creation_budget import raw_budget
from rules.systems.masterbook.character.raw_sheet import raw_sheet
from rules.systems.masterbook.character.sheet import MasterbookSheet, Skill, option_effects
from rules.systems.masterbook.checks.background_causes import (
    RollSubject,
    own_difficulties,
    resistance_difficulties,
    situation_numbers,
)
from rules.systems.masterbook.checks.procedure import thrown_with
from rules.systems.masterbook.checks.roll_sources import find_source, source_rating
from rules.systems.masterbook.checks.state import MINE, Attempt, Rating, Result
from rules.systems.masterbook.combat.declaration import STRIKE, Attack, AttackingSide, Foe
from rules.systems.masterbook.combat.resolution import hidden_difficulty, result_against
from rules.systems.masterbook.formulas import dice
from rules.systems.masterbook.formulas.dice import Roll, Throw
from rules.systems.masterbook.formulas.reference_rows import cause_total
from tests.conformance.masterbook_characters import (
    creation_part,
    handicap_part,
    rules_of,
    skill_group_part,
)
from tests.conformance.runner import Given, MakeDice, Outputs, adapter
from tests.rules.masterbook.option_table import OptionTable, with_options

_COLUMNS = ("", "CI", "CII", "CIII", "CIV")


def skill_rating(sheet: MasterbookSheet, skill: str, *, passive: bool = False) -> Rating:
    """Return what a character with this sheet rolls with."""
    game = OptionTable(anna=sheet).game()
    return source_rating(game, "anna", find_source(sheet, skill), passive=passive)


def _thrown(rating: Rating, given: Given, roll: MakeDice) -> Throw:
    rng = roll(face for throw in given["throws"] for face in throw)
    return thrown_with("anna", MINE, rating, dice.throw(rng, rating.trained))


def _of_throw(throw: Throw) -> dict[str, object]:
    return {
        "die_total": throw.roll.total,
        "rerolled": len(throw.roll.dice) > len(("first", "second")),
        "chart_bonus_number": dice.bonus_number(throw.roll.total),
        "bonus_number": throw.whole_bonus,
        "total": throw.total,
    }


@adapter("masterbook-characters.mb-bg-28")
def skill_bonus(given: Given, roll: MakeDice) -> Outputs:
    if "throws" not in given:
        return skill_group_part(given)
    column = _COLUMNS[given["bonus_number_modifier"]]
    sheet = with_options(
        MasterbookSheet(agility=given["skill_value"]),
        f"Skill Bonus ({column}): Stealth, Charm, Con",
    )
    throw = _thrown(skill_rating(sheet, "Stealth"), given, roll)
    return {
        **_of_throw(throw),
        "passive_value": skill_rating(sheet, "Stealth", passive=True).number,
    }


@adapter("masterbook-characters.mb-bg-32")
def supranormal_knowledge(given: Given, roll: MakeDice) -> Outputs:
    if "option" in given:
        return creation_part(given)
    plain = MasterbookSheet(agility=given["skill_value"])
    skill, bonus = given["skill"], given["bonus_number_modifier"]
    knowledge = f"Supranormal Knowledge (CIII): {skill}; bonus: {bonus}; theme: a secret style"
    alone = with_options(plain, knowledge)
    sheet = with_options(plain, knowledge, f"{given['carry_along']}: the style; free")
    faces = tuple(face for throw in given["throws"] for face in throw)
    check: Any = OptionTable(anna=sheet).begin("check", *faces, skill=skill, difficulty="8")
    rules = rules_of({"background_generation": True})
    books = raw_budget(rules, raw_sheet(sheet)).columns
    before = raw_budget(rules, raw_sheet(alone)).columns
    due = sum(column.due for column in books) - sum(column.due for column in before)
    fame = [column.used for column in books if column.column == 1]
    return {
        **_of_throw(check.data.throw_of()),
        "extra_compensations_due": due,
        "slots_used_by_fame": sum(fame),
    }


@adapter("masterbook-characters.mb-bg-29")
def skill_minimum(given: Given, roll: MakeDice) -> Outputs:
    skill = given["skill"].title()
    sheet = with_options(
        MasterbookSheet(charisma=given["skill_value"]),
        f"Skill Minimum (CIV): {skill}, Persuasion, Con",
    )
    return _of_throw(_thrown(skill_rating(sheet, skill), given, roll))


@adapter("masterbook-characters.mb-bg-33")
def trademark(given: Given, roll: MakeDice) -> Outputs:
    if "option" in given:
        return creation_part(given)
    special = (("pistols", given["specialization_adds"]),)
    skill = Skill("Fire Combat", given["adds"], specializations=special)
    sheet = with_options(
        MasterbookSheet(dexterity=given["attribute_value"], skills=(skill,)),
        "Trademark Specialization (CII): Fire Combat (pistols)",
    )
    return _of_throw(_thrown(skill_rating(sheet, "Fire Combat (pistols)"), given, roll))


@adapter("masterbook-characters.mb-bg-23")
def culture(given: Given, roll: MakeDice) -> Outputs:
    sheet = MasterbookSheet(mind=given["mind"], charisma=given["persuasion_value"])
    table = OptionTable(anna=with_options(sheet, "Cultures (CI): Ainu"))
    faces = tuple(face for throw in given["throws"] for face in throw)
    found: dict[str, object] = {}
    for key, skill in (("knowledge_total", "Scholar: Ainu"), ("persuasion_total", "Persuasion")):
        check: Any = table.begin("check", *faces, skill=skill, difficulty="8")
        found |= _of_throw(check.data.throw_of()) | {key: check.data.throw_of().total}
    return found


@adapter("masterbook-characters.mb-bg-41")
def flaw(given: Given, roll: MakeDice) -> Outputs:
    if "compensations" in given:
        return creation_part(given)
    numbers = given["flaw"].rpartition(" ")[2]
    sheet = with_options(
        MasterbookSheet(),
        "Equipment (CIII): pistol; bonus: 1; skill: Fire Combat",
        f"Advantage Flaw (CI): Equipment (CIII); flaw: it jams; fails on: {numbers}",
    )
    rating = skill_rating(sheet, "Fire Combat")
    throws = [thrown_with("anna", MINE, rating, Roll((each,))) for each in given["die_totals"]]
    return {"fails": [each.fails for each in throws]}


def judged_skill(given: Given, *lines: str) -> dict[str, object]:
    """Return the difficulty of a skill with these options, and whether a total reaches it."""
    sheet = with_options(MasterbookSheet(), *lines)
    source = find_source(sheet, given["skill"])
    subject = RollSubject("anna", source, source.attribute)
    harder = own_difficulties(OptionTable(anna=sheet).game(), subject)
    needed = Attempt(number=given["dn"], hidden_shifts=harder).needed
    assert needed is not None, "it was given"
    return {"dn_final": needed, "success": Result(given["total"], needed).success}


@adapter("masterbook-characters.mb-bg-46")
def unfamiliar(given: Given, roll: MakeDice) -> Outputs:
    column = _COLUMNS[given["column"]]
    return judged_skill(given, f"Cultural Unfamiliarity ({column}): the moon")


@adapter("masterbook-characters.mb-bg-50")
def handicap(given: Given, roll: MakeDice) -> Outputs:
    if "option" in given:
        return creation_part(given)
    if "handicap_column" in given:
        column = _COLUMNS[given["handicap_column"]]
        skill = given["skill"].title()
        return judged_skill(given, f"Handicap ({column}): {skill}, Charm, Con, Taunt, Trick")
    entries = ", ".join(f"{name} {number}" for name, number in given["list"].items())
    assert given["mode"] == "custom_list" and given["gm_approved"]
    sheet = with_options(
        MasterbookSheet(agility=given["dodge_value"]), f"Handicap (CII): list: {entries}"
    )
    game = OptionTable(anna=sheet).game()
    dodge, thrown = (find_source(sheet, each) for each in ("Dodge", "Thrown Weapons"))
    foe = Foe(
        "anna",
        dodge,
        source_rating(game, "anna", dodge, passive=True),
        hidden_shifts=resistance_difficulties(game, "anna", dodge, raising=True),
    )
    rolled = Roll((5, 6))
    value = given["attacker_total"] - dice.bonus_number(rolled.total)
    strike = Throw("thug", STRIKE, value, roll=rolled)
    attack = Attack(sides=(AttackingSide("thug"),), foes=(foe,), throws=(strike,))
    result = result_against(game, attack, foe)
    throwing = own_difficulties(game, RollSubject("anna", thrown, thrown.attribute))
    return {
        "running_allowed": _is_allowed(sheet, "Running"),
        "attacker_total_for_defence": result.total - hidden_difficulty(attack, foe),
        "dodge_defends": result.kind == "miss",
        "errors": handicap_part(given)["errors"],
        "thrown_weapons_dn_modifier": cause_total(throwing),
    }


def _is_allowed(sheet: MasterbookSheet, skill: str) -> bool:
    try:
        skill_rating(sheet, skill)
    except Impossible:
        return False
    return True


@adapter("masterbook-characters.mb-bg-55")
def prejudice(given: Given, roll: MakeDice) -> Outputs:
    found: dict[str, object] = {}
    for column in (1, 2):
        sheet = with_options(MasterbookSheet(), f"Prejudice ({_COLUMNS[column]}): an accent")
        (active,) = option_effects(sheet).situations
        numbers = situation_numbers(active.situation)
        found[f"column_{column}_ok"] = [each in numbers for each in given["modifiers"]]
    return found


def _learned(given: Given, curve: Any) -> Outputs:
    assert given["skill"] == "fire combat"
    adds, actions = given["from_adds"], given["action"]
    several = isinstance(adds, list)
    steps = list(adds) if several else [adds]
    assert all(each in ("improve", "learn_new") for each in (actions if several else [actions]))
    base = [next_add_cost("general", False, each) for each in steps]
    cost = [next_add_cost("general", False, each, curve=curve) for each in steps]
    if several:
        return {"base_cost": base, "cost": cost}
    return {"base_cost": base[0], "cost": cost[0]}


@adapter("masterbook-characters.mb-bg-26")
def learns_easily(given: Given, roll: MakeDice) -> Outputs:
    return _learned(given, "positive")


@adapter("masterbook-characters.mb-bg-53")
def learns_badly(given: Given, roll: MakeDice) -> Outputs:
    return _learned(given, "negative")
