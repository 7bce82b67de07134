"""Findings about the skills of a new character (MB-CHAR-09 to MB-CHAR-14)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from rules.core.name_matching import name_key
from rules.systems.masterbook.character.creation_rules import CreationRules
from rules.systems.masterbook.character.findings import (
    Finding,
    Phase,
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
)
from rules.systems.masterbook.character.sheet import Skill, skill_title
from rules.systems.masterbook.character.skill_names import ATTRIBUTES, example_focus, nearest_skills
from rules.systems.masterbook.character.skill_points import (
    adds_total,
    meets_theme_quota,
    skill_budget,
    skill_halves,
    theme_halves,
    theme_quota,
)
from rules.systems.masterbook.formulas import attributes
from rules.systems.masterbook.formulas.option_kinds import EFFECTS_SKILLS
from rules.systems.masterbook.formulas.skills import (
    SKILLS,
    SPECIALIZATION_OVER,
    SkillKind,
    needs_focus,
)


def skill_findings(rules: CreationRules, raw: RawSheet, phase: Phase) -> Iterator[Finding]:
    """Yield findings about skills, one by one and in total (MB-CHAR-09 to MB-CHAR-14)."""
    final = {name_key(skill.title): skill for skill in final_skills(raw)}
    seen: set[str] = set()
    for at, skill in enumerate(raw.skills):
        if not skill.name:
            continue
        place, kind = f"skills[{at}]", SKILLS.get(skill.name)
        if kind is None and skill.attribute not in ATTRIBUTES:
            yield _unknown_skill(skill, place)
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


def _unknown_skill(skill: RawSkill, place: str) -> Finding:
    label = skill.name.lower()
    shown = {"fix": "mb-name-attribute", "nearest": nearest_skills(skill.name)}
    return error("char-skill-unknown", place, label, skill=label, **shown)


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
        sample = example_focus(kind)
        example = skill_title(kind.name, sample)
        shown = {"skill": bare, "sample": sample, "example": example, "fix": "mb-name-focus"}
        yield error("char-skill-focus-missing", place, bare, **shown)
    elif skill.focus and not _may_have_focus(rules, kind):
        yield error("char-skill-focus-not-allowed", place, label, skill=bare, focus=skill.focus)
    if kind.specialized:
        return
    for special, _ in skill.specializations:
        shown = {"skill": label, "specialization": special}
        yield warning("char-skill-no-specialization", place, special, **shown)


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
    total = combined_adds(general, adds)
    highest = rules.setting("skill_total_max_creation")
    if total > highest:
        shown = {"general": general, "spec": adds, "total": total, "max": highest}
        yield error("char-skill-combined-max", place, total, **named, **shown)


def _gap_findings(skill: Skill, place: str) -> Iterator[Finding]:
    """Yield findings about specializations too far above their skill (MB-CHAR-11)."""
    label = skill_label(skill.title)
    for special, adds in skill.specializations:
        if adds > skill.adds + SPECIALIZATION_OVER:
            named = {"skill": label, "specialization": special}
            shown = {"spec": adds, "general": skill.adds, "gap": SPECIALIZATION_OVER}
            yield error("char-skill-spec-gap", place, adds, **named, **shown)


def _value_findings(
    raw: RawSheet, skill: RawSkill, kind: SkillKind | None, place: str
) -> Iterator[Finding]:
    """Yield a finding about a stated skill value that doesn't fit (MB-CHAR-13)."""
    key = skill.attribute if kind is None else kind.attribute
    base = final_attribute(raw, key)
    wanted = name_key(skill.title)
    same = [final for final in final_skills(raw) if name_key(final.title) == wanted]
    if not is_whole(skill.value) or base is None or not same:
        return
    adds = same[0].adds
    expected, _ = attributes.skill_value(base, adds)
    if skill.value == expected:
        return
    shown = {
        "skill": _label(skill),
        "attribute": key.capitalize(),
        "attribute_value": base,
        "adds": adds,
        "expected": expected,
        "given": skill.value,
    }
    yield error("char-skill-value-mismatch", place, skill.value, **shown)


def combined_adds(general: int, special: int) -> int:
    """Return the adds that count for a specialization together with its skill (MB-CHAR-10)."""
    return general + special


def _total_findings(rules: CreationRules, raw: RawSheet) -> Iterator[Finding]:
    """Yield findings about skill points; spent ones count only if all skills can be read."""
    whole = [skill.whole for skill in raw.skills]
    skills = [skill for skill in whole if skill is not None]
    is_unknown = any(
        skill.name not in SKILLS and skill.attribute not in ATTRIBUTES for skill in raw.skills
    )
    budget = skill_budget(raw)
    if budget is not None and len(skills) == len(whole) and not is_unknown:
        _, special = adds_total(skills)
        yield from total_findings(budget, skill_halves(skills), special)
        if rules.setting("theme_skill_quarter"):
            yield from theme_findings(budget, theme_halves(skills))
    if is_whole(raw.skill_points) and raw.skill_points != 0:
        points = raw.skill_points
        yield error("char-sp-not-zero", "skill_points", points, given=str(points))


def total_findings(budget: int, halves: int, special: int) -> Iterator[Finding]:
    """Yield findings about spent skill points (MB-CHAR-09, MB-CHAR-10).

    *halves* is the price of all adds in half points, *special* the adds in specializations.
    """
    spent = number_text(Fraction(halves, 2))
    left = Fraction(2 * budget - halves, 2)
    if left < 0:
        over = number_text(-left)
        yield error("char-skill-overspent", "skills", spent, spent=spent, budget=budget, over=over)
    if special % 2:
        yield warning("char-skill-half-point", "skills", special)
    if left > 0:
        yield warning("char-skill-unspent", "skills", spent, left=number_text(left), budget=budget)


def theme_findings(budget: int, halves: int) -> Iterator[Finding]:
    """Yield a finding if too little is spent on theme skills (MB-CHAR-14)."""
    if meets_theme_quota(budget, halves):
        return
    spent, needed = number_text(Fraction(halves, 2)), number_text(theme_quota(budget))
    yield warning("char-theme-short", "skills", spent, budget=budget, theme=spent, needed=needed)
