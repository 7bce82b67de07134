"""Findings about a new character: everything that breaks a rule of creation (MB-CHAR-18).

Codes and texts are those of the book's list, `CHAR_ATTR_LOW` as `mb-char-attr-low`. The order is
the list's: Attributes, derived values, Life Points, skills, columns of the background, single
options, pairs. A check whose inputs are missing or wrong is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from rules.systems.masterbook.character.background_findings import background_findings
from rules.systems.masterbook.character.creation_rules import CreationRules
from rules.systems.masterbook.character.findings import Finding, Phase, error, warning
from rules.systems.masterbook.character.raw_sheet import (
    RawSheet,
    final_attribute,
    final_skills,
    is_whole,
    option_points,
    whole_attributes,
)
from rules.systems.masterbook.character.skill_findings import skill_findings
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.formulas import attributes
from rules.systems.masterbook.formulas.option_kinds import Species

#: Abbreviations of the movement rates on the book's sheet.
_RATES: Final = {"mrg": "ground", "mrs": "swimming", "mrc": "climbing", "mrj": "jumping"}
_RESIST_SHOCK: Final = "Resist Shock"


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
    for key in ATTRIBUTES:
        yield from _value_findings(rules, raw, key)
    values = whole_attributes(raw)
    if values is None:
        return
    budget, spent = rules.setting("attribute_points"), sum(values.values())
    shown = {"spent": spent, "budget": budget}
    if spent > budget:
        yield error("char-attr-overspent", "attributes", spent, over=spent - budget, **shown)
    elif spent < budget:
        yield warning("char-attr-unspent", "attributes", spent, left=budget - spent, **shown)


def _value_findings(rules: CreationRules, raw: RawSheet, key: str) -> Iterator[Finding]:
    """Yield a finding if an Attribute is missing, unreadable, too low or too high.

    The numbers shown have the Additional Attribute Points in them.
    """
    name = key.capitalize()
    if key not in raw.attributes:
        yield error("char-attr-missing", key, None, attribute=name)
        return
    value = raw.attributes[key]
    if not is_whole(value):
        yield error("char-attr-not-whole", key, value, attribute=name)
        return
    low, high = attribute_range(rules, rules.species_of(raw.species), key)
    more = option_points(raw).get(key, 0)
    if value < low:
        yield error("char-attr-low", key, value + more, attribute=name, min=low + more)
    elif value > high:
        yield error("char-attr-high", key, value + more, attribute=name, max=high + more)


def attribute_range(rules: CreationRules, species: Species | None, key: str) -> tuple[int, int]:
    """Return the lowest and the highest value of an Attribute that can be bought (MB-CHAR-02)."""
    low, high = rules.setting("attribute_min"), rules.setting("attribute_max")
    if species is not None:
        low, high = species.lowest.get(key, low), species.highest.get(key, high)
    return low, high


def derived_findings(rules: CreationRules, raw: RawSheet) -> Iterator[Finding]:
    """Yield findings about values that follow from Attributes (MB-CHAR-04 to MB-CHAR-06)."""
    stated = {key: value for key, value in raw.derived.items() if is_whole(value)}
    yield from _toughness_findings(raw, stated)
    yield from _rate_findings(raw, stated)
    yield from _shock_findings(rules, raw, stated)


def _toughness_findings(raw: RawSheet, stated: Mapping[str, int]) -> Iterator[Finding]:
    strength, endurance = raw.attributes.get("strength"), raw.attributes.get("endurance")
    if "toughness" not in stated or not is_whole(strength) or not is_whole(endurance):
        return
    points = option_points(raw)
    extra = points.get("strength", 0) + points.get("endurance", 0)
    expected, value = attributes.toughness(strength, endurance, extra), stated["toughness"]
    if value != expected:
        shown = {"strength": strength, "endurance": endurance, "expected": expected}
        yield error("char-toughness-mismatch", "toughness", value, given=value, **shown)


def _rate_findings(raw: RawSheet, stated: Mapping[str, int]) -> Iterator[Finding]:
    agility, strength = final_attribute(raw, "agility"), final_attribute(raw, "strength")
    if agility is None or strength is None:
        return
    points = option_points(raw)
    limit_up = points.get("agility", 0) + points.get("strength", 0)
    rates = attributes.rates(agility, strength, limit_up)
    for key, name in _RATES.items():
        if key in stated and stated[key] != rates[name]:
            shown = {"rate": key.upper(), "expected": rates[name], "given": stated[key]}
            yield error("char-move-mismatch", key, stated[key], **shown)


def _shock_findings(
    rules: CreationRules, raw: RawSheet, stated: Mapping[str, int]
) -> Iterator[Finding]:
    endurance = final_attribute(raw, "endurance")
    if endurance is None:
        return
    adds = next((skill.adds for skill in final_skills(raw) if skill.name == _RESIST_SHOCK), 0)
    capped = rules.setting("resist_shock_add_cap")
    expected = attributes.shock_capacity(endurance, adds, capped)
    value = stated.get("shock_capacity", expected)
    if value != expected:
        shown = {"endurance": endurance, "adds": adds, "expected": expected}
        yield error("char-shock-mismatch", "shock_capacity", value, given=value, **shown)
    if capped and adds > endurance:
        place = _skill_place(raw, _RESIST_SHOCK)
        yield error("char-resist-shock-cap", place, adds, adds=adds, endurance=endurance)


def _skill_place(raw: RawSheet, name: str) -> str:
    return next((f"skills[{at}]" for at, skill in enumerate(raw.skills) if skill.name == name), "")


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
