"""Adapters for the worked examples of MasterBook's options that act on the body and on Luck."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.core.errors import Impossible
from rules.systems.masterbook.character.derived_values import capacity_of, toughness_of
from rules.systems.masterbook.character.options import BackgroundOption
from rules.systems.masterbook.character.sheet import (
    MasterbookSheet,
    natural_weapons,
    option_effects,
)
from rules.systems.masterbook.combat.healing import apply_healing_roll, healing_difficulty
from rules.systems.masterbook.combat.resolution import is_damage_of
from rules.systems.masterbook.deck import play
from rules.systems.masterbook.formulas import attack_options, damage, dice, equipment, interaction
from rules.systems.masterbook.formulas.damage import Harm
from rules.systems.masterbook.formulas.dice import Throw
from rules.systems.masterbook.formulas.success_chart import Damage
from tests.conformance.masterbook_characters import bonuses_part, creation_part, damage_part
from tests.conformance.runner import Given, MakeDice, Outputs, adapter

_LEVELS: Final = ("", "light", "moderate", "heavy", "incapacitated", "mortal")
#: Seconds after which any wound may heal.
_LONG: Final = 30 * damage.DAY


def ability(name: str, column: int = 3, **inputs: Any) -> BackgroundOption:
    """A special ability with what was filled in for it."""
    numbers = tuple((key, value) for key, value in inputs.items() if isinstance(value, int))
    notes = tuple((key, value) for key, value in inputs.items() if isinstance(value, str))
    named = BackgroundOption("Special Abilities", column, targets=(name,))
    return named.replace(numbers=numbers, notes=notes)


def gifted(*options: BackgroundOption, **sheet: Any) -> MasterbookSheet:
    return MasterbookSheet(advantages=options, **sheet)


@adapter("masterbook-characters.mb-bg-27")
def luck(given: Given, make: MakeDice) -> Outputs:
    if "advantages" in given:
        return creation_part(given)
    has = option_effects(gifted(BackgroundOption("Luck", 4))).luck
    used: list[str] = []
    charged: list[str | None] = []
    for request in given["requests"]:
        before = play.remaining_luck(has, used)
        try:
            after = play.remaining_luck(has, (*used, request))
        except Impossible:
            charged.append(None)
            continue
        used.append(request)
        (spent,) = _without(before, after)
        charged.append("CIII" if play.is_great_use(spent) else "CII")
    return {"granted": [each is not None for each in charged], "charged_to": charged}


def _without(
    before: tuple[tuple[str, ...], ...], after: tuple[tuple[str, ...], ...]
) -> list[tuple[str, ...]]:
    left = [*before]
    for use in after:
        left.remove(use)
    return left


@adapter("masterbook-characters.mb-bg-30")
def special_abilities(given: Given, make: MakeDice) -> Outputs:
    if "damage" in given:
        return _hardiness(given)
    if "gap" in given:
        return _skin(given)
    if "claws" in given:
        return _claws(given)
    if "endurance" not in given and "damage_value" in given:
        return damage_part(given)
    if "damage_value" in given:
        return _natural_missiles(given)
    if "surprise" in given:
        steps = option_effects(gifted(ability("Combat Sense"))).surprise_steps
        found = [attack_options.lessened_surprise(each, steps) for each in given["surprise"]]
        return {"surprise_after": found}
    if "bonuses" in given:
        return bonuses_part(given)
    return _healing(given, make)


def _hardiness(given: Given) -> Outputs:
    hit: Mapping[str, Any] = given["damage"]
    letters = "".join(letter for letter in ("k", "o") if hit.get(letter)).upper()
    made = Damage(hit["wounds"], hit["knockdown"], letters, hit["shock"])
    less = option_effects(gifted(ability("Hardiness", 4))).wounds_less
    left = damage.with_fewer_wounds(made, less)
    told: dict[str, object] = {"wounds": left.wounds, "knockdown": left.knockdown}
    told |= {letter.casefold(): 1 for letter in left.ko}
    return {"damage": {**told, "shock": left.shock}}


def _skin(given: Given) -> Outputs:
    sheet = gifted(
        ability("Toughened Skin", **{"except": given["gap"]}), toughness=given["toughness"]
    )
    ((number, gap),) = option_effects(sheet).gapped_toughness
    found: dict[str, int] = {}
    for kind in given["damage_types"]:
        found[kind] = toughness_of(sheet) - (number if is_damage_of(gap, kind) else 0)
    return {"toughness_vs": found}


def _claws(given: Given) -> Outputs:
    option = ability("Natural Hand-to-Hand Weapons", damage=given["claws"])
    (weapon,) = natural_weapons(gifted(option))
    weapon = weapon.replace(maximum=given["max_damage"])
    return {"damage_value": equipment.damage_value(weapon, given["strength"])}


def _natural_missiles(given: Given) -> Outputs:
    number = {"missile damage": given["damage_value"]}
    option = ability("Natural Ranged Weapons", given["column"], **number)
    (weapon,) = natural_weapons(gifted(option, endurance=given.get("endurance", 8)))
    return {"range_metres": weapon.reach, **damage_part(given)}


def _healing(given: Given, make: MakeDice) -> Outputs:
    faces = [face for throw in given["throws"] for face in throw]
    sheet = gifted(ability("Accelerated Healing"), endurance=given["endurance"])
    how = option_effects(sheet).healing
    hurt = Harm(wounds=_LEVELS.index(given["wound_level"]), waited=_LONG)
    roll = dice.throw(make(faces), True)
    thrown = Throw("", "", sheet.endurance, (("fast_healing", how.bonus),), roll)
    now, _ = apply_healing_roll(hurt, thrown.total, how)
    return {
        "row_used": damage.healing_level(hurt.wounds, how).id,
        "dn": healing_difficulty(hurt, how),
        "bonus_number": thrown.bonus,
        "total": thrown.total,
        "heals": now.wounds < hurt.wounds,
    }


@adapter("masterbook-characters.mb-bg-42")
def stymied_by_age(given: Given, make: MakeDice) -> Outputs:
    result = given["event"].removesuffix(" by an interaction result")
    age = BackgroundOption("Age", 2, mode=given["mode"])
    sheet = MasterbookSheet(compensations=(age,), harm=Harm(shock=given["shock_taken_before"]))
    hurts = Damage(shock=option_effects(sheet).stymied_shock)
    now, _ = damage.apply_damage(sheet.harm, hurts, capacity_of(sheet))
    stymied = interaction.STYMIED in interaction.result_effect(result).theirs
    return {"shock_taken": now.shock, "stymied": stymied}
