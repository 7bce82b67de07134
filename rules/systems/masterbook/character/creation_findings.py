"""Findings about a new character: everything that breaks a rule of creation (MB-CHAR-18).

Codes and texts are those of the book's list, `CHAR_ATTR_LOW` as `mb-char-attr-low`. The order is
the list's: Attributes, derived values, Life Points, skills, columns of the background, single
options, pairs. A check whose inputs are missing or wrong is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Final, Literal

from rules.core.errors import RulesError
from rules.core.name_matching import name_key, similar_names, similar_or_first
from rules.systems.masterbook.character.background_findings import background_findings
from rules.systems.masterbook.character.findings import (
    CreationRules,
    Finding,
    creation_rules,
    error,
    number_text,
    skill_label,
    warning,
)
from rules.systems.masterbook.character.raw_sheet import (
    RawSheet,
    RawSkill,
    final_attribute,
    final_skills,
    is_whole,
    option_points,
    raw_sheet,
    whole_attributes,
)
from rules.systems.masterbook.character.sheet import MasterbookSheet, Skill
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.formulas import attributes
from rules.systems.masterbook.formulas.option_kinds import COMBAT_SKILLS, EFFECTS_SKILLS, Species
from rules.systems.masterbook.formulas.skills import (
    SKILLS,
    SPECIALIZATION_OVER,
    SkillKind,
    needs_focus,
)
from rules.table.system import Game

#: A new character, or one that has been in play: then only what always counts is checked.
Phase = Literal["creation", "play"]
#: Abbreviations of the movement rates on the book's sheet.
_RATES: Final = {"mrg": "ground", "mrs": "swimming", "mrc": "climbing", "mrj": "jumping"}
#: Focuses of examples, where the list of skills names none.
_EXAMPLE_FOCUSES: Final = {"Faith": "temple rites", "Teaching": "chemistry"}


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


def skill_findings(rules: CreationRules, raw: RawSheet, phase: Phase) -> Iterator[Finding]:
    """Yield findings about skills, one by one and in total (MB-CHAR-09 to MB-CHAR-14)."""
    final = {name_key(skill.title): skill for skill in final_skills(raw)}
    seen: set[str] = set()
    for at, skill in enumerate(raw.skills):
        if not skill.name:
            continue
        place, kind = f"skills[{at}]", SKILLS.get(skill.name)
        if kind is None and skill.attribute not in ATTRIBUTES:
            near = similar_names(skill.name, SKILLS)[:1] or similar_or_first(skill.name, SKILLS)
            label = skill.name.lower()
            shown = {"fix": "mb-name-attribute", "nearest": near}
            yield error("char-skill-unknown", place, label, skill=label, **shown)
            continue
        if phase == "creation":
            yield from _naming_findings(rules, skill, kind, place, seen)
            yield from _adds_findings(rules, skill, place)
        key = name_key(skill.title)
        if key in final:
            yield from _gap_findings(final.pop(key), place)
        if phase == "creation":
            yield from _value_findings(raw, skill, kind, place)
    for skill in final.values():
        yield from _gap_findings(skill, "advantages")
    if phase == "creation":
        yield from _total_findings(rules, raw)


def _label(skill: RawSkill) -> str:
    return skill_label(skill.title)


def _naming_findings(
    rules: CreationRules, skill: RawSkill, kind: SkillKind | None, place: str, seen: set[str]
) -> Iterator[Finding]:
    """Yield findings about a skill's name, focus and specializations (MB-CHAR-12)."""
    label, bare = _label(skill), skill.name.lower()
    if rules.is_barred_skill(skill.title):
        yield error("char-skill-not-in-setting", place, label, skill=label)
    if kind is not None and skill.attribute and skill.attribute != kind.attribute:
        shown = {"expected": kind.attribute.capitalize(), "given": skill.attribute.capitalize()}
        yield error("char-skill-attribute", place, skill.attribute, skill=label, **shown)
    if is_whole(skill.adds) and skill.adds > 0:
        key = name_key(skill.title)
        if key in seen:
            yield error("char-skill-duplicate", place, label, skill=label)
        seen.add(key)
    if kind is None:
        return
    if needs_focus(kind, rules.setting) and not skill.focus:
        sample = kind.focuses[0] if kind.focuses else _EXAMPLE_FOCUSES.get(kind.name, "…")
        example = f"{kind.name}: {sample}"
        shown = {"skill": bare, "sample": sample, "example": example, "fix": "mb-name-focus"}
        yield error("char-skill-focus-missing", place, bare, **shown)
    elif skill.focus and not _may_have_focus(rules, kind):
        yield error("char-skill-focus-not-allowed", place, label, skill=bare, focus=skill.focus)
    for special, _ in () if kind.specialized else skill.specializations:
        yield warning(
            "char-skill-no-specialization", place, special, skill=label, specialization=special
        )


def _may_have_focus(rules: CreationRules, kind: SkillKind) -> bool:
    return kind.macro or kind.name in EFFECTS_SKILLS or needs_focus(kind, rules.setting)


def _adds_findings(rules: CreationRules, skill: RawSkill, place: str) -> Iterator[Finding]:
    """Yield findings about bought adds (MB-CHAR-09, MB-CHAR-10)."""
    label = _label(skill)
    for number in (skill.adds, *(adds for _, adds in skill.specializations)):
        if not is_whole(number):
            yield error("char-skill-adds-not-whole", place, number, skill=label, adds=str(number))
        elif number < 0:
            yield error("char-skill-adds-negative", place, number, skill=label, adds=str(number))
    if skill.whole is None:
        return
    most = rules.setting("skill_general_max_creation")
    if skill.adds > most:
        shown = {"skill": label, "adds": skill.adds, "max": most}
        yield error("char-skill-general-max", place, skill.adds, **shown)
    for special, adds in skill.specializations:
        yield from _special_findings(rules, label, special, skill.adds, adds, place)


def _special_findings(
    rules: CreationRules, label: str, special: str, general: int, adds: int, place: str
) -> Iterator[Finding]:
    most = rules.setting("skill_spec_max_creation")
    named = {"skill": label, "specialization": special}
    if adds > most:
        yield error("char-skill-spec-max", place, adds, adds=adds, max=most, **named)
    total, highest = combined_adds(general, adds), rules.setting("skill_total_max_creation")
    if total > highest:
        shown = {"general": general, "spec": adds, "total": total, "max": highest}
        yield error("char-skill-combined-max", place, total, **named, **shown)


def _gap_findings(skill: Skill, place: str) -> Iterator[Finding]:
    """Yield findings about specializations too far above their skill (MB-CHAR-11)."""
    label = skill_label(skill.title)
    for special, adds in skill.specializations:
        if adds > skill.adds + SPECIALIZATION_OVER:
            shown = {"spec": adds, "general": skill.adds, "gap": SPECIALIZATION_OVER}
            yield error(
                "char-skill-spec-gap", place, adds, skill=label, specialization=special, **shown
            )


def _value_findings(
    raw: RawSheet, skill: RawSkill, kind: SkillKind | None, place: str
) -> Iterator[Finding]:
    """Yield a finding about a stated skill value that doesn't fit (MB-CHAR-13)."""
    key = skill.attribute if kind is None else kind.attribute
    base = final_attribute(raw, key)
    wanted = name_key(skill.title)
    adds = next((each.adds for each in final_skills(raw) if name_key(each.title) == wanted), None)
    if not is_whole(skill.value) or base is None or adds is None:
        return
    expected, _ = attributes.skill_value(base, adds)
    if skill.value != expected:
        shown = {"attribute": key.capitalize(), "attribute_value": base, "adds": adds}
        given = {"expected": expected, "given": skill.value}
        yield error(
            "char-skill-value-mismatch", place, skill.value, skill=_label(skill), **shown, **given
        )


def _skill_place(raw: RawSheet, name: str) -> str:
    return next((f"skills[{at}]" for at, skill in enumerate(raw.skills) if skill.name == name), "")


def adds_total(skills: Iterable[Skill]) -> tuple[int, int]:
    """Return the adds of skills and focuses, and those of specializations."""
    general = special = 0
    for skill in skills:
        general += skill.adds
        special += sum(adds for _, adds in skill.specializations)
    return general, special


def halves_of(general: int, special: int) -> int:
    """Return the price of adds in half skill points (MB-CHAR-09)."""
    return 2 * general + special


def skill_halves(skills: Iterable[Skill]) -> int:
    """Return the price of skills in half skill points (MB-CHAR-09)."""
    return halves_of(*adds_total(skills))


def spent_halves(skills: Iterable[Skill]) -> int:
    """Return the half points that a draft's skills cost; a misspelled skill costs nothing yet."""
    return skill_halves(skill for skill in skills if skill.name in SKILLS or skill.attribute)


def combined_adds(general: int, special: int) -> int:
    """Return the adds that count for a specialization together with its skill (MB-CHAR-10)."""
    return general + special


def skill_budget(raw: RawSheet) -> int | None:
    """Return the starting skill points; None without Intellect and Mind (MB-CHAR-08)."""
    intellect, mind = raw.attributes.get("intellect"), raw.attributes.get("mind")
    if not is_whole(intellect) or not is_whole(mind):
        return None
    return attributes.starting_skill_points(intellect, mind)


def _total_findings(rules: CreationRules, raw: RawSheet) -> Iterator[Finding]:
    skills = [skill.whole for skill in raw.skills]
    listed = [skill for skill in skills if skill is not None]
    unknown = any(
        skill.name not in SKILLS and skill.attribute not in ATTRIBUTES for skill in raw.skills
    )
    budget = skill_budget(raw)
    if budget is not None and len(listed) == len(skills) and not unknown:
        _, special = adds_total(listed)
        yield from total_findings(budget, skill_halves(listed), special)
        if rules.setting("theme_skill_quarter"):
            yield from theme_findings(budget, theme_halves(listed))
    if is_whole(raw.skill_points) and raw.skill_points != 0:
        points = raw.skill_points
        yield error("char-sp-not-zero", "skill_points", points, given=str(points))


def total_findings(budget: int, halves: int, special: int) -> Iterator[Finding]:
    """Yield findings about spent skill points (MB-CHAR-09, MB-CHAR-10).

    *halves* is the price of all adds in half points, *special* the adds in specializations.
    """
    spent, left = number_text(Fraction(halves, 2)), Fraction(2 * budget - halves, 2)
    if left < 0:
        over = number_text(-left)
        yield error("char-skill-overspent", "skills", spent, spent=spent, budget=budget, over=over)
    if special % 2:
        yield warning("char-skill-half-point", "skills", special)
    if left > 0:
        yield warning("char-skill-unspent", "skills", spent, left=number_text(left), budget=budget)


def theme_halves(skills: Iterable[Skill]) -> int:
    """Return what is spent on skills outside fighting and special effects (MB-CHAR-14)."""
    return skill_halves(
        skill for skill in skills if skill.name not in (*COMBAT_SKILLS, *EFFECTS_SKILLS)
    )


def theme_quota(budget: int) -> Fraction:
    """Return the skill points that theme skills need, a fourth of all, not rounded (MB-CHAR-14)."""
    return Fraction(budget, 4)


def meets_theme_quota(budget: int, halves: int) -> bool:
    """Return whether enough half points are spent on theme skills (MB-CHAR-14)."""
    return Fraction(halves, 2) >= theme_quota(budget)


def theme_findings(budget: int, halves: int) -> Iterator[Finding]:
    """Yield a finding if too little is spent on theme skills (MB-CHAR-14)."""
    if not meets_theme_quota(budget, halves):
        shown = {
            "theme": number_text(Fraction(halves, 2)),
            "needed": number_text(theme_quota(budget)),
        }
        yield warning("char-theme-short", "skills", shown["theme"], budget=budget, **shown)
