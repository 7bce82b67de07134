"""Findings about a new character: everything that breaks a rule of creation (MB-CHAR-18).

Codes and texts are those of the book's list, `CHAR_ATTR_LOW` as `mb-char-attr-low`. The order is
the list's: Attributes, derived values, Life Points, skills, columns of the background, single
options, pairs. A check whose inputs are missing or wrong is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from rules.core.errors import RulesError
from rules.systems.masterbook.character.background_findings import background_findings
from rules.systems.masterbook.character.creation_rules import CreationRules, creation_rules
from rules.systems.masterbook.character.findings import Finding, Phase, error, warning
from rules.systems.masterbook.character.raw_sheet import (
    RawSheet,
    final_attribute,
    final_skills,
    is_whole,
    option_points,
    raw_sheet,
    whole_attributes,
)
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.character.skill_findings import skill_findings
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.formulas import attributes
from rules.systems.masterbook.formulas.option_kinds import Species
from rules.table.system import Game

#: Abbreviations of the movement rates on the book's sheet.
_RATES: Final = {"mrg": "ground", "mrs": "swimming", "mrc": "climbing", "mrj": "jumping"}


def errors(game: Game, sheet: MasterbookSheet, phase: Phase = "creation") -> tuple[RulesError, ...]:
    """Return what makes a sheet illegal; it is legal if nothing does (MB-CHAR-18)."""
    found = findings(creation_rules(game), raw_sheet(sheet), phase)
    return tuple(finding.error for finding in found if finding.blocks)


def warnings(
    game: Game, sheet: MasterbookSheet, phase: Phase = "creation"
) -> tuple[RulesError, ...]:
    """Return what is unusual about a sheet, or waits for the GM (MB-CHAR-18)."""
    found = findings(creation_rules(game), raw_sheet(sheet), phase)
    return tuple(finding.error for finding in found if not finding.blocks)


def findings(rules: CreationRules, raw: RawSheet, phase: Phase = "creation") -> Iterator[Finding]:
    """Yield all findings about a character, in the order of MB-CHAR-18."""
    if phase == "creation":
        yield from attribute_findings(rules, raw)
        yield from derived_findings(rules, raw)
    yield from _life_point_findings(rules, raw, phase)
    yield from skill_findings(rules, raw, phase)
    yield from background_findings(rules, raw, phase == "creation")


# --- Attributes and what follows from them --------------------------------------------------------


def attribute_findings(rules: CreationRules, raw: RawSheet) -> Iterator[Finding]:
    """Yield findings about Attributes and their points (MB-CHAR-02)."""
    species = rules.species_of(raw.species)
    points = option_points(raw)
    for key in ATTRIBUTES:
        name = key.capitalize()
        if key not in raw.attributes:
            yield error("char-attr-missing", key, None, attribute=name)
            continue
        value = raw.attributes[key]
        if not is_whole(value):
            yield error("char-attr-not-whole", key, value, attribute=name)
            continue
        low, high = attribute_range(rules, species, key)
        more = points.get(key, 0)
        if value < low:
            yield error("char-attr-low", key, value + more, attribute=name, min=low + more)
        elif value > high:
            yield error("char-attr-high", key, value + more, attribute=name, max=high + more)
    values = whole_attributes(raw)
    if values is None:
        return
    budget, spent = rules.setting("attribute_points"), sum(values.values())
    shown = {"spent": spent, "budget": budget}
    if spent > budget:
        yield error("char-attr-overspent", "attributes", spent, over=spent - budget, **shown)
    elif spent < budget:
        yield warning("char-attr-unspent", "attributes", spent, left=budget - spent, **shown)


def attribute_range(rules: CreationRules, species: Species | None, key: str) -> tuple[int, int]:
    """Return the lowest and the highest value of an Attribute that can be bought (MB-CHAR-02)."""
    low, high = rules.setting("attribute_min"), rules.setting("attribute_max")
    if species is not None:
        low, high = species.lowest.get(key, low), species.highest.get(key, high)
    return low, high


def derived_findings(rules: CreationRules, raw: RawSheet) -> Iterator[Finding]:
    """Yield findings about values that follow from Attributes (MB-CHAR-04 to MB-CHAR-06)."""
    given = {key: value for key, value in raw.derived.items() if is_whole(value)}
    strength, endurance = raw.attributes.get("strength"), raw.attributes.get("endurance")
    points = option_points(raw)
    if "toughness" in given and is_whole(strength) and is_whole(endurance):
        extra = points.get("strength", 0) + points.get("endurance", 0)
        expected = attributes.toughness(strength, endurance, extra)
        if given["toughness"] != expected:
            shown = {"strength": strength, "endurance": endurance, "expected": expected}
            value = given["toughness"]
            yield error("char-toughness-mismatch", "toughness", value, given=value, **shown)
    yield from _rate_findings(raw, given)
    final = final_attribute(raw, "endurance")
    adds = next((skill.adds for skill in final_skills(raw) if skill.name == "Resist Shock"), 0)
    if final is None:
        return
    capped = rules.setting("resist_shock_add_cap")
    expected = attributes.shock_capacity(final, adds, capped)
    if "shock_capacity" in given and given["shock_capacity"] != expected:
        shown = {"endurance": final, "adds": adds, "expected": expected}
        value = given["shock_capacity"]
        yield error("char-shock-mismatch", "shock_capacity", value, given=value, **shown)
    if capped and adds > final:
        place = _skill_place(raw, "Resist Shock")
        yield error("char-resist-shock-cap", place, adds, adds=adds, endurance=final)


def _rate_findings(raw: RawSheet, given: Mapping[str, int]) -> Iterator[Finding]:
    agility, strength = final_attribute(raw, "agility"), final_attribute(raw, "strength")
    if agility is None or strength is None:
        return
    points = option_points(raw)
    limit_up = points.get("agility", 0) + points.get("strength", 0)
    rates = attributes.rates(agility, strength, limit_up)
    for key, name in _RATES.items():
        if key in given and given[key] != rates[name]:
            shown = {"rate": key.upper(), "expected": rates[name], "given": given[key]}
            yield error("char-move-mismatch", key, given[key], **shown)


def _life_point_findings(rules: CreationRules, raw: RawSheet, phase: Phase) -> Iterator[Finding]:
    """Yield findings about Life Points (MB-CHAR-07)."""
    points = raw.life_points
    if not is_whole(points):
        return
    start, most = rules.life_points_start, rules.life_points_max
    if phase == "creation" and points != start:
        yield error("char-lp-start", "life_points", points, start=start, given=str(points))
    if points > most:
        yield error("char-lp-max", "life_points", points, max=most, given=points)
    if points < 0:
        yield error("char-lp-negative", "life_points", points, given=str(points))


# --- skills ---------------------------------------------------------------------------------------


def _skill_place(raw: RawSheet, name: str) -> str:
    return next((f"skills[{at}]" for at, skill in enumerate(raw.skills) if skill.name == name), "")
