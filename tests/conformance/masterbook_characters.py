"""Adapters for the worked examples of character creation and backgrounds under MasterBook."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, Final

from bot.presenters.language.text import unescape
from bot.presenters.language.words import say_error
from rules.core.errors import Impossible, RulesError
from rules.systems.masterbook.advancement.costs import attribute_cost
from rules.systems.masterbook.character import (
    background_findings,
    creation_findings,
    option_findings,
    option_target_findings,
    pair_findings,
    skill_findings,
    skill_points,
)
from rules.systems.masterbook.character.creation_budget import raw_budget
from rules.systems.masterbook.character.creation_rules import CreationRules, background_limits
from rules.systems.masterbook.character.derived_values import capacity_of, rates_of, toughness_of
from rules.systems.masterbook.character.findings import Finding, number_text, skill_label
from rules.systems.masterbook.character.option_entries import OptionEntry, option_entries
from rules.systems.masterbook.character.option_fold import fold_options
from rules.systems.masterbook.character.option_lines import implied_mode
from rules.systems.masterbook.character.options import BackgroundOption
from rules.systems.masterbook.character.raw_sheet import RawSheet, RawSkill, final_skills, raw_sheet
from rules.systems.masterbook.character.sheet import (
    MasterbookSheet,
    Skill,
    attribute,
    attribute_limit,
    skill_on_sheet,
)
from rules.systems.masterbook.character.sheet_io import read_sheet
from rules.systems.masterbook.character.skill_names import (
    ATTRIBUTES,
    canonical_skill,
    listed_skill,
    split_skill,
)
from rules.systems.masterbook.checks.sheet_view import READY
from rules.systems.masterbook.formulas import attributes, background_balance, equipment, movement
from rules.systems.masterbook.formulas import skills as skill_rules
from rules.systems.masterbook.formulas.background_balance import Balance, Columns, ColumnTrade
from rules.systems.masterbook.formulas.equipment import WeaponKind
from rules.systems.masterbook.formulas.gm_rules import require_acts, require_scenes
from rules.systems.masterbook.formulas.option_kinds import (
    BackgroundRows,
    OptionKind,
    Side,
    Species,
    SpeciesOption,
    option_kind,
)
from rules.systems.masterbook.formulas.skills import SKILLS
from rules.systems.masterbook.formulas.value_chart import measure
from rules.systems.masterbook.settings import SETTINGS
from tests.conformance.runner import Given, MakeDice, Outputs, adapter

#: Species that the examples name without saying what they are (MB-BG-09).
_SPECIES: Final = (Species("grakka", forbidden=("Charm",)),)
_RATES: Final[dict[str, attributes.Rate]] = {
    "mrg": "ground",
    "mrs": "swimming",
    "mrc": "climbing",
    "mrj": "jumping",
}
#: Keys of options that aren't notes or numbers.
_OWN_KEYS: Final = frozenset(("option", "column", "mode", "gm_approved", "specialization"))
_TARGETS: Final = frozenset(("skill", "attribute", "ability", "macroskill"))
_LINKS: Final = frozenset(("linked", "linked advantage", "linked advantage(s)"))


# --- what goes in ---------------------------------------------------------------------------------


def rules_of(settings: Mapping[str, Any], rows: BackgroundRows | None = None) -> CreationRules:
    """The rules of a table with these settings, the others as the book has them."""
    given = {key: _setting(value) for key, value in settings.items()}
    values = {**SETTINGS.defaults, **given}
    return CreationRules(values.__getitem__, rows or BackgroundRows(species=_SPECIES))


def _setting(value: Any) -> Any:
    """A list in the form that its setting has: numbers, skills, or options with their columns."""
    if not isinstance(value, list):
        return value
    if all(isinstance(each, int) for each in value):
        return " ".join(map(str, value))
    texts = [each if isinstance(each, str) else _titled(each) for each in value]
    return ", ".join(texts)


def _titled(given: Mapping[str, Any]) -> str:
    return BackgroundOption(given["option"], given["column"]).title


def columns_of(given: Mapping[str, int]) -> Columns:
    return {int(column): number for column, number in given.items()}


def trades_of(given: Given) -> tuple[ColumnTrade, ...]:
    found = [
        ColumnTrade("down", (each["give_up"],), each["desired"])
        for each in given.get("trade_down", [])
    ]
    found += [
        ColumnTrade("up", tuple(each["give_up"]), each["desired"])
        for each in given.get("trade_up", [])
    ]
    found += [
        ColumnTrade("shift", (column,)) for column in given.get("compensation_shift_from", [])
    ]
    found += [
        ColumnTrade("shift", (each["from"],), each["to"])
        for each in given.get("compensation_shift", [])
    ]
    return tuple(found)


def option_of(given: Mapping[str, Any], side: Side = "advantage") -> BackgroundOption:
    """An option of an example: its inputs stand beside its name."""
    option = BackgroundOption(given["option"], given["column"])
    targets: list[str] = []
    for key in given:
        value = given[key]
        if key in _OWN_KEYS:
            continue
        if key in _LINKS:
            option = option.replace(link=tuple(value) if isinstance(value, list) else (value,))
        elif key in _TARGETS:
            targets.append(_target(value, given.get("specialization")))
        elif isinstance(value, list):
            targets += [_target(each) for each in value]
        elif isinstance(value, Mapping):
            pairs = ((canonical_skill(name), number) for name, number in value.items())
            option = option.replace(
                numbers=tuple((name, _listed(number)) for name, number in pairs)
            )
        elif isinstance(value, int):
            option = option.replace(numbers=(*option.numbers, (_input(key), value)))
        else:
            option = option.replace(notes=(*option.notes, (_input(key), value)))
    option = option.replace(targets=tuple(targets), approved=given.get("gm_approved", False))
    kind = option_kind(side, option.name, option.column)
    return option.replace(mode=given.get("mode") or (implied_mode(kind, option) if kind else ""))


def _input(key: str) -> str:
    """The key of an input; some examples write its name in words that only they have."""
    return {"damage_value": "damage"}.get(key, key)


def _listed(number: Any) -> int:
    return -1 if number == "impossible" else number


def _target(text: str, special: str | None = None) -> str:
    name = text if text in ATTRIBUTES else canonical_skill(text)
    return f"{name} ({special})" if special else name


def skill_of(given: Mapping[str, Any]) -> RawSkill:
    name, focus, _ = split_skill(given["name"])
    return RawSkill(
        listed_skill(name),
        given.get("focus") or focus,
        given.get("adds", 0),
        tuple(given.get("specializations", {}).items()),
        given.get("attribute", ""),
        given.get("value"),
    )


def sheet_of(given: Mapping[str, Any]) -> RawSheet:
    found = {key: given["attributes"][key] for key in given["attributes"]}
    derived = given.get("derived", {})
    return RawSheet(
        attributes=found,
        skills=tuple(skill_of(each) for each in given["skills"]),
        advantages=tuple(option_of(each) for each in given["advantages"]),
        compensations=tuple(option_of(each, "compensation") for each in given["compensations"]),
        life_points=given["life_points"],
        skill_points=given["skill_points"],
        derived={key: derived[key] for key in derived},
    )


def options_sheet(given: Given, key: str = "advantages", side: Side = "advantage") -> RawSheet:
    return _one_side(tuple(option_of(each, side) for each in given[key]), side)


def _one_side(options: tuple[BackgroundOption, ...], side: Side) -> RawSheet:
    if side == "advantage":
        return RawSheet(advantages=options)
    return RawSheet(compensations=options)


def only_entry(
    rules: CreationRules, option: BackgroundOption, side: Side = "advantage"
) -> OptionEntry:
    return option_entries(rules, _one_side((option,), side))[0]


# --- what comes out -------------------------------------------------------------------------------


def record(found: RulesError) -> dict[str, str]:
    """A finding as the examples write it."""
    code = found.code.removeprefix("mb-").replace("-", "_").upper()
    return {"code": code, "text": unescape(say_error(found))}


def sorted_findings(found: Iterable[Finding]) -> dict[str, list[dict[str, str]]]:
    listed = list(found)
    return {
        "errors": [record(each.error) for each in listed if each.blocks],
        "warnings": [record(each.error) for each in listed if not each.blocks],
    }


def number(value: Fraction) -> float | int:
    return float(number_text(value)) if "." in number_text(value) else int(number_text(value))


# --- Attributes and what follows from them --------------------------------------------------------


@adapter("masterbook-characters.mb-char-02")
def attribute_points(given: Given, dice: MakeDice) -> Outputs:
    rules = rules_of({"attribute_points": given["budget"]})
    raw = RawSheet({key: given["attributes"][key] for key in given["attributes"]})
    points = raw_budget(rules, raw).attributes
    found = sorted_findings(creation_findings.attribute_findings(rules, raw))
    return {"spent": points.spent, "left": points.left, **found}


@adapter("masterbook-characters.mb-char-03")
def labels(given: Given, dice: MakeDice) -> Outputs:
    return {"labels": [skill_rules.quality(value).words for value in given["values"]]}


def _bought(given: Given, *keys: str) -> MasterbookSheet:
    """A sheet with Attributes as they were bought, and points from Advantages."""
    values = {key: given[f"{key}_bought"] for key in keys if f"{key}_bought" in given}
    values |= {key: given[key] for key in keys if key in given}
    more = given.get("additional_attribute_points", {})
    options = [
        BackgroundOption("Additional Attribute Point", 3, targets=(key,))
        for key in more
        for _ in range(more[key])
    ]
    return MasterbookSheet(**values, advantages=tuple(options))


@adapter("masterbook-characters.mb-char-04")
def toughness(given: Given, dice: MakeDice) -> Outputs:
    if "aap" in given:
        found = attributes.toughness(given["strength"], given["endurance"], given["aap"])
        return {"toughness": found}
    sheet = _bought(given, "strength", "endurance")
    rules = rules_of({"attribute_min": given["attribute_min"]} if "attribute_min" in given else {})
    assert not [
        each
        for each in creation_findings.findings(rules, raw_sheet(sheet))
        if "low" in each.error.code
    ]
    highest = MasterbookSheet(strength=13, endurance=13, advantages=sheet.advantages)
    return {
        "toughness": toughness_of(sheet),
        "toughness_limit": toughness_of(highest),
        "strength": attribute(sheet, "strength"),
        "strength_limit": attribute_limit(sheet, "strength"),
    }


@adapter("masterbook-characters.mb-char-05")
def rates(given: Given, dice: MakeDice) -> Outputs:
    if "mrg_effective" in given:
        rate = given["mrg_effective"]
        meters = measure(rate)
        return {"metres_per_round": meters, "free_movement_metres": movement.free_meters(rate)}
    numbers = given["agility"], given["strength"]
    raw = {key: attributes.rate(name, *numbers) for key, name in _RATES.items()}
    capped = attributes.rates(*numbers, given["limit_up"])
    return {"raw": raw, "effective": {key: capped[name] for key, name in _RATES.items()}}


@adapter("masterbook-characters.mb-char-06")
def shock(given: Given, dice: MakeDice) -> Outputs:
    adds, endurance = given["resist_shock_adds"], given["endurance"]
    sheet = MasterbookSheet(endurance=endurance, skills=(Skill("Resist Shock", adds),))
    found: dict[str, object] = {"shock_capacity": capacity_of(sheet)}
    if "shock_taken" in given:
        found["unconscious"] = given["shock_taken"] >= capacity_of(sheet)
    if "setting" in given:
        settings = given["setting"]
        rules = rules_of({key: settings[key] for key in settings})
        found |= sorted_findings(creation_findings.derived_findings(rules, raw_sheet(sheet)))
    return found


@adapter("masterbook-characters.mb-char-07")
def life_points(given: Given, dice: MakeDice) -> Outputs:
    assert given["new_character"]
    return {"life_points": MasterbookSheet().life_points}


@adapter("masterbook-characters.mb-char-08")
def starting_skill_points(given: Given, dice: MakeDice) -> Outputs:
    sheet = _bought(given, "intellect", "mind")
    from_intellect, from_mind = attributes.skill_points_from(sheet.intellect, sheet.mind)
    return {
        "from_intellect": from_intellect,
        "from_mind": from_mind,
        "skill_points": skill_points.skill_budget(raw_sheet(sheet)),
        "mind": attribute(sheet, "mind"),
    }


# --- skills ---------------------------------------------------------------------------------------


def _named_skills(given: Given) -> tuple[RawSkill, ...]:
    """Skills with their adds, and specializations, by name."""
    found = {
        name: skill_of({"name": name, "adds": given["general"][name]}) for name in given["general"]
    }
    special = given["specializations"]
    for title in special:
        name, focus, part = split_skill(title)
        skill = found.get(name.casefold(), RawSkill(name, focus))
        pairs = (*skill.specializations, (part, special[title]))
        found[name.casefold()] = skill.replace(specializations=pairs)
    return tuple(found.values())


@adapter("masterbook-characters.mb-char-09")
def skill_cost(given: Given, dice: MakeDice) -> Outputs:
    budget = given["budget"]
    if "general" in given:
        raw = RawSheet(skills=_named_skills(given))
        skills = final_skills(raw)
        halves = skill_points.skill_halves(skills)
        general, special = skill_points.adds_total(skills)
        found = [*skill_findings.skill_findings(rules_of({}), raw, "creation")]
    else:
        general, special = given["general_adds_total"], given["specialization_adds_total"]
        halves = skill_points.halves_of(general, special)
        found = []
    found += skill_findings.total_findings(budget, halves, special)
    return {
        "general_adds": general,
        "specialization_adds": special,
        "cost": number(Fraction(halves, 2)),
        "left": number(Fraction(2 * budget - halves, 2)),
        **sorted_findings(found),
    }


@adapter("masterbook-characters.mb-char-10")
@adapter("masterbook-characters.mb-char-11")
def skill_limits(given: Given, dice: MakeDice) -> Outputs:
    special = given.get("specializations", {})
    pairs = tuple((name, special[name]) for name in special)
    if "specialization" in given:
        pairs = ((given["specialization"], given["specialization_adds"]),)
    skill = Skill(listed_skill(given["skill"]), given["adds"], "", pairs)
    raw = RawSheet(skills=(RawSkill(skill.name, "", skill.adds, pairs),))
    phase = given.get("phase", "creation")
    base = given.get("attribute_value", 0)
    inside = pairs[0][1] if pairs else 0
    return {
        "skill_points": number(Fraction(skill_points.skill_halves((skill,)), 2)),
        "adds_used_with_specialization": skill_findings.combined_adds(skill.adds, inside),
        "value_general": attributes.skill_value(base, skill.adds)[0],
        "value_specialization": attributes.skill_value(base, skill.adds, inside)[0],
        **sorted_findings(skill_findings.skill_findings(rules_of({}), raw, phase)),
    }


@adapter("masterbook-characters.mb-char-12")
def skill_names(given: Given, dice: MakeDice) -> Outputs:
    if "skill" in given:
        row = RawSkill(listed_skill(given["skill"]), given["focus"] or "", given["adds"])
        return sorted_findings(
            skill_findings.skill_findings(rules_of({}), RawSheet(skills=(row,)), "creation")
        )
    listed = given["skills"]
    rows = tuple(skill_of({"name": name, "adds": listed[name]}) for name in listed)
    bought = tuple(Skill(row.name, row.adds, row.focus) for row in rows)
    sheet = MasterbookSheet(intellect=given["intellect"], mind=given["mind"], skills=bought)
    titles = [*listed, "science: biology"]
    return {
        "skill_points": number(Fraction(skill_points.skill_halves(bought), 2)),
        "values": {title: _value(sheet, title) for title in titles},
        **sorted_findings(
            skill_findings.skill_findings(rules_of({}), raw_sheet(sheet), "creation")
        ),
    }


def _ready(key: str) -> MasterbookSheet:
    """A ready character of the book, by the examples' name for it."""
    wanted = key.split("_")[0]
    row = next(row for row in READY if row["name"].casefold().startswith(wanted))
    return read_sheet(row)[1]


def _value(sheet: MasterbookSheet, title: str) -> int:
    """The value of a skill on a sheet, or of one of its specializations."""
    name, focus, special = split_skill(title)
    skill = skill_on_sheet(sheet, name, focus)
    inside = dict(skill.specializations).get(special, 0)
    base = attribute(sheet, SKILLS[name].attribute)
    return attributes.skill_value(base, skill.adds, inside)[0]


@adapter("masterbook-characters.mb-char-13")
def skill_value(given: Given, dice: MakeDice) -> Outputs:
    if "sheet" in given:
        sheet = _ready(given["sheet"])
        titles = [skill.title for skill in sheet.skills]
        titles += [
            f"{skill.title} ({special})"
            for skill in sheet.skills
            for special, _ in skill.specializations
        ]
        return {skill_label(title): _value(sheet, title) for title in titles}
    base, adds = given["attribute_value"], given["adds"]
    if isinstance(adds, list):
        return {"skill_values": [attributes.skill_value(base, each)[0] for each in adds]}
    skill = Skill(canonical_skill(given["skill"]), adds)
    known = skill_rules.knowledge(adds)
    return {
        "skill_value": attributes.skill_value(base, adds)[0],
        "skill_points": number(Fraction(skill_points.skill_halves((skill,)), 2)),
        "label": known.words if known is not None else "",
    }


@adapter("masterbook-characters.mb-char-14")
def theme(given: Given, dice: MakeDice) -> Outputs:
    assert given["setting"]["theme_skill_quarter"]
    budget, points = given["budget"], given["theme_points"]

    def met(spent: float) -> bool:
        return skill_points.meets_theme_quota(budget, int(2 * spent))

    ok = [met(each) for each in points] if isinstance(points, list) else met(points)
    return {"needed": number(skill_points.theme_quota(budget)), "ok": ok}


@adapter("masterbook-characters.mb-char-15")
def knowledge(given: Given, dice: MakeDice) -> Outputs:
    words = (skill_rules.knowledge(adds) for adds in given["adds"])
    return {"labels": [word.words for word in words if word is not None]}


@adapter("masterbook-characters.mb-char-17")
def later_changes(given: Given, dice: MakeDice) -> Outputs:
    if "attribute" in given:
        after = given["to"]
        assert given["from"] == after - 1 and given["attribute"] in ATTRIBUTES
        adds = given["skills"]
        values = {name: attributes.skill_value(after, adds[name])[0] for name in adds}
        return {"cost_skill_points": attribute_cost(given["from"]), "values": values}
    assert given["phase"]
    before, after = given["strength_before"], given["strength_after"]
    follows = given["toughness_follows_purchased_attributes"]
    bought = given["cause"] == "purchased"
    # Endurance isn't given: Toughness without that of Strength stays as it was.
    found = attributes.toughness_bought(
        given["toughness_before"], (before, 8), (after, 8), follows and bought
    )
    sheet = MasterbookSheet(agility=given["agility"], strength=after)
    own = rates_of(sheet)
    return {"toughness": found, **{key: own[name] for key, name in _RATES.items()}}


def _empty_adventure(given: Given) -> Outputs:
    acts = given["acts"]
    try:
        require_acts(len(acts))
        for scenes in acts:
            require_scenes(len(scenes))
    except Impossible as error:
        return {"errors": [record(error)], "warnings": []}
    return {"errors": [], "warnings": []}


@adapter("masterbook-characters.mb-char-18")
def whole_sheet(given: Given, dice: MakeDice) -> Outputs:
    settings = given.get("settings", {})
    own = {key: settings[key] for key in settings}
    if "sheet" in given:
        return sorted_findings(
            creation_findings.findings(rules_of(own), sheet_of(given["sheet"]), given["phase"])
        )
    if "adventure" in given:
        return _empty_adventure(given["adventure"])
    if "species" in given:
        found = given["species"]
        species = Species(
            found["name"],
            advantages=_mandatory(found["mandatory_advantages"]),
            compensations=_mandatory(found["mandatory_compensations"]),
        )
        return sorted_findings(background_findings.species_findings(species))
    advantages = columns_of(given.get("advantages", {}))
    books = background_balance.balance(
        columns_of(given["limits"]), advantages, trades_of(given), rules_of(own).trades
    )
    return _balance_findings(books, advantages, columns_of(given.get("compensations", {})))


def _mandatory(given: Mapping[str, int]) -> tuple[SpeciesOption, ...]:
    return tuple(
        SpeciesOption("option", int(column)) for column in given for _ in range(given[column])
    )


@adapter("masterbook-characters.mb-char-19")
def combat_box(given: Given, dice: MakeDice) -> Outputs:
    assert given["new_character"]
    harm = MasterbookSheet().harm
    return {"wounds": harm.wounds, "k": bool(harm.k), "o": bool(harm.o), "shock_taken": harm.shock}


@adapter("masterbook-characters.mb-char-20")
def ready_character(given: Given, dice: MakeDice) -> Outputs:
    strength, weapons = given["strength"], given["weapons"]
    kinds = {
        name: WeaponKind(name, "Melee Combat", add=int(weapons[name].removeprefix("STR+")))
        for name in weapons
    }
    value, _ = attributes.skill_value(given["missile_weapons_bow_value"], given["bow_to_hit_bonus"])
    return {
        "damage_values": {
            name: equipment.damage_value(kind, strength) for name, kind in kinds.items()
        },
        "bow_attack_before_dice": value,
    }


# --- columns --------------------------------------------------------------------------------------


def _balance_findings(
    books: Balance, advantages: Columns, compensations: Columns | None
) -> Outputs:
    return sorted_findings(background_findings.balance_findings(books, advantages, compensations))


@adapter("masterbook-characters.mb-bg-02")
@adapter("masterbook-characters.mb-bg-03")
@adapter("masterbook-characters.mb-bg-05")
@adapter("masterbook-characters.mb-bg-06")
@adapter("masterbook-characters.mb-bg-07")
def columns(given: Given, dice: MakeDice) -> Outputs:
    if "option" in given:
        rules = rules_of({"barred_options": given["barred_options"]})
        entry = only_entry(rules, option_of({key: given[key] for key in ("option", "column")}))
        return sorted_findings(option_findings.availability_findings(rules, RawSheet(), entry))
    if "desired" in given:
        trade = ColumnTrade("up", tuple(given["give_up"]), given["desired"])
        books = background_balance.balance(None, {}, (trade,))
        return {"errors": [record(each) for each in books.errors]}
    advantages = columns_of(given["advantages"])
    compensations = columns_of(given["compensations"]) if "compensations" in given else None
    presets = given.get("presets", [])
    if presets:
        found: dict[str, object] = {}
        for name in presets:
            books = background_balance.balance(_preset(name), advantages)
            found[name] = _balance_findings(books, advantages, compensations)["errors"]
        return found
    if "sheet" in given:
        assert _ready(given["sheet"]).advantages and given["gm_approved"]
    limits = _preset(given["preset"]) if "preset" in given else columns_of(given["limits"])
    books = background_balance.balance(limits, advantages, trades_of(given))
    within = not list(background_balance.over_limit_errors(books, advantages))
    return {
        "advantages_within_limits": within,
        "compensations_due": {str(column): books.due[column] for column in books.due},
        **_balance_findings(books, advantages, compensations),
    }


def _preset(name: str) -> Columns | None:
    return background_limits(name, BackgroundRows())


@adapter("masterbook-characters.mb-bg-01")
def consent(given: Given, dice: MakeDice) -> Outputs:
    rules = rules_of({})
    entry = only_entry(rules, option_of(given))
    return sorted_findings(option_findings.single_findings(rules, RawSheet(), entry, (entry,)))


@adapter("masterbook-characters.mb-bg-09")
def species(given: Given, dice: MakeDice) -> Outputs:
    if "option" in given:
        rules, raw = rules_of({}), RawSheet(species=given["species"])
        values = {key: given[key] for key in ("option", "column", "skill")}
        entry = only_entry(rules, option_of(values))
        return sorted_findings(option_findings.availability_findings(rules, raw, entry))
    free = columns_of(given["free_slots"])
    row = Species(
        given["species"],
        advantages=_mandatory(given["mandatory_advantages"]),
        compensations=_mandatory(given["mandatory_compensations"]),
        free=(free[1], free[2], free[3], free[4]),
    )
    rules = rules_of({}, BackgroundRows(species=(row,)))
    chosen = [
        *_options(given["chosen_advantages"], "Wealth"),
        *_options(given["mandatory_advantages"], "Wealth", free=True),
    ]
    paid = [
        *_options(given["chosen_compensations"], "Enemy"),
        *_options(given["mandatory_compensations"], "Enemy", free=True),
    ]
    raw = RawSheet(advantages=tuple(chosen), compensations=tuple(paid), species=given["species"])
    entries = option_entries(rules, raw)
    return {
        "total_advantages": _totals(entries, "advantage"),
        "total_compensations": _totals(entries, "compensation"),
        **sorted_findings(background_findings.column_findings(rules, raw, entries)),
    }


def _options(counts: Mapping[str, int], name: str, free: bool = False) -> list[BackgroundOption]:
    return [
        BackgroundOption(name, int(column), free=free)
        for column in counts
        for _ in range(counts[column])
    ]


def _totals(entries: Iterable[OptionEntry], side: Side) -> dict[str, int]:
    found: dict[str, int] = {}
    for entry in entries:
        if entry.side == side:
            column = str(entry.option.column)
            found[column] = found.get(column, 0) + 1
    return found


# --- options --------------------------------------------------------------------------------------


@adapter("masterbook-characters.mb-bg-04")
def stacking(given: Given, dice: MakeDice) -> Outputs:
    if "advantage_bonus_totals" in given:
        assert given["gm_allows_stacking"]
        title = canonical_skill(given["skill"])
        found = (
            sorted_findings(pair_findings.stack_total_findings(title, total))
            for total in given["advantage_bonus_totals"]
        )
        return {"warnings": [each["warnings"] for each in found]}
    if "compensations" in given:
        return _pairs(rules_of({}), options_sheet(given, "compensations", "compensation"))
    rules = rules_of({"gm_allows_stacking": given["gm_allows_stacking"]})
    return _pairs(rules, options_sheet(given))


def _pairs(rules: CreationRules, raw: RawSheet) -> Outputs:
    return sorted_findings(pair_findings.pair_findings(rules, option_entries(rules, raw)))


@adapter("masterbook-characters.mb-bg-20")
def additional_adds(given: Given, dice: MakeDice) -> Outputs:
    if "modes" in given:
        modes = given["modes"]
        names = ("general_mode", "specialization_mode")
        return {name: _raised(given, mode) for name, mode in zip(names, modes, strict=True)}
    return _raised(given, given["mode"])


def _raised(given: Given, mode: str) -> dict[str, object]:
    """What a skill comes to with an Advantage, in one of its modes."""
    skill, special = canonical_skill(given["skill"]), given.get("specialization", "")
    inside = mode == "one_specialization"
    name, _, column = given["advantage"].removesuffix(")").partition(" (C")
    number = len(column)
    target = f"{skill} ({special})" if inside else skill
    option = BackgroundOption(name, number, mode, (target,))
    pairs = ((special, given["bought_specialization_adds"]),) if special else ()
    sheet = MasterbookSheet(
        skills=(Skill(skill, given["bought_adds"], "", pairs),), advantages=(option,)
    )
    raw, rules = raw_sheet(sheet), rules_of({})
    entry = only_entry(rules, option)
    found = [
        *skill_findings.skill_findings(rules, raw, "play"),
        *option_target_findings.target_findings(raw, _kind(option), entry, (entry,)),
    ]
    final = skill_on_sheet(sheet, skill)
    outputs: dict[str, object] = {"errors": sorted_findings(found)["errors"]}
    key = "final_specialization_adds" if inside else "final_adds"
    outputs[key] = dict(final.specializations)[special] if inside else final.adds
    return outputs


def _kind(option: BackgroundOption, side: Side = "advantage") -> OptionKind:
    kind = option_kind(side, option.name, option.column)
    assert kind is not None
    return kind


@adapter("masterbook-characters.mb-bg-24")
def equipment_codes(given: Given, dice: MakeDice) -> Outputs:
    base = given["base_availability_code"]
    options = [BackgroundOption("Equipment", column) for column in given["columns"]]
    steps = [fold_options((option,), ()).availability for option in options]
    return {"reachable_codes": [equipment.code_with(base, number) for number in steps]}


def skill_group_part(given: Given) -> Outputs:
    """What creation says about the skills of a Skill Bonus (MB-BG-28)."""
    if "advantages" in given:
        return _macroskill(given)
    option = BackgroundOption(given["option"], given["column"], approved=given["gm_approved"])
    if "skills" in given:
        targets = [canonical_skill(text) for text in given["skills"]]
        whole, special = option_target_findings.group_size(targets)
    else:
        whole, special = given["general_count"], given["specialization_count"]
    found = option_target_findings.group_findings(_kind(option), "", whole, special)
    units = option_target_findings.group_units(whole, special)
    return {"units": number(units), **sorted_findings(found)}


def _macroskill(given: Given) -> Outputs:
    """What the bonus of a macroskill comes to beside another Advantage."""
    assert given["gm_approved"]
    name, focus, _ = split_skill(given["skill"])
    advantages = tuple(option_of(each) for each in given["advantages"])
    sheet = MasterbookSheet(
        intellect=given.get("intellect", 8),
        skills=(Skill(name, given["bought_adds"], focus),),
        advantages=advantages,
    )
    rules, raw = rules_of({}), raw_sheet(sheet)
    entries = option_entries(rules, raw)
    found = list(pair_findings.pair_findings(rules, entries))
    for entry in entries:
        assert entry.kind is not None
        found += option_target_findings.target_findings(raw, entry.kind, entry, entries)
    effects = fold_options(advantages, ())
    causes = effects.cause_total(effects.bonuses, name, focus)
    return {
        "final_adds": skill_on_sheet(sheet, name, focus).adds,
        "skill_value": _value(sheet, given["skill"]),
        "bonus_number_modifier": sum(bonus for _, bonus in causes),
        **sorted_findings(found),
    }


@adapter("masterbook-characters.mb-bg-34")
def wealth(given: Given, dice: MakeDice) -> Outputs:
    assert not given["separate_circumstances"]
    return _pairs(rules_of({}), options_sheet(given))


@adapter("masterbook-characters.mb-bg-52")
def language(given: Given, dice: MakeDice) -> Outputs:
    named = given["local_language"], given["language_adds"]
    return sorted_findings(option_target_findings.language_limit_findings(*named))


def creation_part(given: Given) -> Outputs:
    """What creation says about options, for rules of which play has the other half.

    Adapters of MB-BG-27, -30, -32, -33, -41 and -50 call it for the examples with findings.
    """
    rules = rules_of({})
    if "option" not in given:
        raw = RawSheet(
            advantages=tuple(option_of(each) for each in given.get("advantages", [])),
            compensations=tuple(
                option_of(each, "compensation") for each in given.get("compensations", [])
            ),
        )
        entries = option_entries(rules, raw)
        found = list(pair_findings.pair_findings(rules, entries))
        if "limits" in given:
            chosen = background_findings.counts(entries, "advantage")
            books = background_balance.balance(columns_of(given["limits"]), chosen)
            found += background_findings.balance_findings(books, chosen, None)
        for entry in entries:
            found += option_findings.link_findings(entry, entries)
            found += option_findings.repeat_findings(rules, entry, entries)
        return sorted_findings(found)
    count = given.get("count", 1)
    values = {key: given[key] for key in given if key != "count"}
    values.setdefault("column", 3)
    side: Side = (
        "advantage"
        if option_kind("advantage", values["option"], values["column"])
        else "compensation"
    )
    option = option_of(values, side)
    raw = _one_side((option,) * count, side)
    entries = option_entries(rules, raw)
    found = []
    for entry in entries:
        assert entry.kind is not None
        found += option_findings.repeat_findings(rules, entry, entries)
        found += option_target_findings.target_findings(raw, entry.kind, entry, entries)
        found += option_target_findings.number_findings(rules, entry.kind, entry)
    return sorted_findings(found)


def handicap_part(given: Given) -> Outputs:
    """What creation says about a handicap with a list of skills (MB-BG-50)."""
    option = BackgroundOption(
        "Handicap",
        2,
        mode=given["mode"],
        numbers=tuple((canonical_skill(name), 0) for name in given["list"]),
        approved=given["gm_approved"],
    )
    rules, raw = rules_of({}), _one_side((option,), "compensation")
    entries = option_entries(rules, raw)
    found: list[Finding] = []
    for entry in entries:
        found += option_findings.single_findings(rules, raw, entry, entries)
    return sorted_findings(found)


def damage_part(given: Given) -> Outputs:
    """What creation says about the damage of a natural ranged weapon (MB-BG-30)."""
    option = BackgroundOption(
        "Special Abilities",
        given["column"],
        targets=("Natural Ranged Weapons",),
        numbers=(("missile damage", given["damage_value"]),),
    )
    rules = rules_of({})
    entry = only_entry(rules, option)
    assert entry.kind is not None
    return sorted_findings(option_target_findings.number_findings(rules, entry.kind, entry))


def bonuses_part(given: Given) -> Outputs:
    """Whether the bonuses of a custom ability are within their limits (MB-BG-30)."""
    assert given["column"]
    return {
        "ok": [
            each["bonus"] <= option_target_findings.custom_bonus_limit(each["kind"] == "combat")
            for each in given["bonuses"]
        ]
    }
