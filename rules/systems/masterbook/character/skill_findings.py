"""Findings about the skills of a new character (MB-CHAR-09 to MB-CHAR-14)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from rules.core.name_matching import name_key, similar_names, similar_or_first
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
from rules.systems.masterbook.character.sheet import Skill
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
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

#: Focuses of examples, where the list of skills names none.
_EXAMPLE_FOCUSES: Final = {"Faith": "temple rites", "Teaching": "chemistry"}


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


def combined_adds(general: int, special: int) -> int:
    """Return the adds that count for a specialization together with its skill (MB-CHAR-10)."""
    return general + special


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


def theme_findings(budget: int, halves: int) -> Iterator[Finding]:
    """Yield a finding if too little is spent on theme skills (MB-CHAR-14)."""
    if not meets_theme_quota(budget, halves):
        shown = {
            "theme": number_text(Fraction(halves, 2)),
            "needed": number_text(theme_quota(budget)),
        }
        yield warning("char-theme-short", "skills", shown["theme"], budget=budget, **shown)
