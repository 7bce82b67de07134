"""Findings about pairs of options, and about what Advantages add up to (MB-BG-04)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rules.core.name_matching import name_key
from rules.systems.masterbook.character.creation_rules import CreationRules
from rules.systems.masterbook.character.findings import Finding, error, skill_label, warning
from rules.systems.masterbook.character.option_effects import SkillTarget, skill_target
from rules.systems.masterbook.character.option_entries import OptionEntry
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.formulas.option_kinds import (
    COMBAT_SKILLS,
    CUSTOM,
    PAIR_RULES,
    STACKING_LIMITS,
)
from rules.systems.masterbook.formulas.skills import SKILLS


def pair_findings(rules: CreationRules, entries: Sequence[OptionEntry]) -> Iterator[Finding]:
    """Yield findings about pairs of options, and what they add up to (MB-BG-04)."""
    stacking = bool(rules.setting("gm_allows_stacking"))
    for other, first in _later_and_earlier(entries):
        yield from _pair_rule_findings(rules, first, other)
        if first.side != other.side:
            continue
        if first.side == "advantage":
            yield from _stack_findings(first, other, stacking)
        elif not stacking:
            yield from _compensation_stack_findings(first, other)
    if stacking:
        yield from _total_findings(entries)


def _later_and_earlier(
    entries: Sequence[OptionEntry],
) -> Iterator[tuple[OptionEntry, OptionEntry]]:
    """Yield all pairs of options, ordered by the later one, which comes first in its pair."""
    for at, later in enumerate(entries):
        for earlier in entries[:at]:
            yield later, earlier


def _pair_rule_findings(
    rules: CreationRules, first: OptionEntry, other: OptionEntry
) -> Iterator[Finding]:
    """Yield findings about options that exclude each other, or rarely go together."""
    for rule in PAIR_RULES:
        if rule.unless and rules.setting(rule.unless):
            continue
        if rule.joins(first.key, other.key):
            one, two = first, other
        elif rule.joins(other.key, first.key):
            one, two = other, first
        else:
            continue
        names = {"name_a": one.option.title, "name_b": two.option.title}
        if rule.excluded:
            yield error("bg-excluded-pair", other.place, other.option.title, **names)
        else:
            yield warning("bg-unusual-pair", other.place, other.option.title, **names)


def _stack_findings(first: OptionEntry, other: OptionEntry, stacking: bool) -> Iterator[Finding]:
    """Yield findings about two Advantages on one skill or Attribute (MB-BG-04)."""
    if not stacking and _raises_attributes(first) and _raises_attributes(other):
        for key in other.option.targets:
            if key in first.option.targets:
                yield error("bg-stack-attribute", other.place, key, attribute=key.capitalize())
    macroskill = first.covers_macroskill or other.covers_macroskill
    if macroskill or not (first.touches_skills and other.touches_skills):
        return
    if stacking and not (_stands_alone(first) or _stands_alone(other)):
        return
    skill = _shared_skill(first.skill_targets, other.skill_targets)
    if skill:
        shown = {"skill": skill, "other": first.option.title}
        yield error("bg-stack-skill", other.place, skill, **shown)


def _raises_attributes(entry: OptionEntry) -> bool:
    return any(gives.attribute for gives in entry.gives)


def _stands_alone(entry: OptionEntry) -> bool:
    return entry.kind is not None and entry.kind.alone


def _shared_skill(first: Sequence[str], other: Sequence[str]) -> str:
    """Return a skill that both lists name, without its specialization; empty if there is none."""
    for text in other:
        target = skill_target(text)
        if any(target.overlaps(skill_target(named)) for named in first):
            return skill_label(text).partition(" (")[0]
    return ""


def _compensation_stack_findings(first: OptionEntry, other: OptionEntry) -> Iterator[Finding]:
    """Yield a finding about two Compensations on one skill or narrow area (MB-BG-04)."""
    target = _shared_skill(first.skill_targets, other.skill_targets)
    target = target or _shared_attribute(first, other) or _shared_area(first, other)
    if target:
        shown = {"target": target, "other": first.option.title}
        yield error("bg-stack-comp", other.place, target, **shown)


def _shared_attribute(first: OptionEntry, other: OptionEntry) -> str:
    """Return the Attribute, or the skill of an Attribute, that two handicaps share."""
    for one, two in ((first, other), (other, first)):
        keys = [key for key in one.option.targets if key in ATTRIBUTES]
        for key in two.option.targets:
            if key in keys:
                return key.capitalize()
        for text in two.skill_targets:
            row = SKILLS.get(_skill_name(text))
            if row is not None and row.attribute in keys:
                return skill_label(text)
    return ""


def _skill_name(title: str) -> str:
    """Return the skill of a title, without focus and specialization."""
    return title.partition(":")[0].partition(" (")[0].strip()


def _shared_area(first: OptionEntry, other: OptionEntry) -> str:
    """Return the text by which two options of one name say the same thing."""
    if first.key[0] != other.key[0] or first.kind is None or other.option.name == CUSTOM:
        return ""
    if first.option.link != other.option.link:
        return ""
    key = next((row.key for row in first.kind.inputs if row.kind == "text"), "")
    text = other.option.note(key)
    return text if name_key(text) == name_key(first.option.note(key)) else ""


def stacking_limit(name: str, special: bool) -> int:
    """Return the guideline for what Advantages give one skill in all (MB-BG-04)."""
    limits = STACKING_LIMITS["combat" if name in COMBAT_SKILLS else "other"]
    return limits[1] if special else limits[0]


def stack_total_findings(title: str, total: int, place: str = "") -> Iterator[Finding]:
    """Yield a warning if Advantages give a skill more than the guideline (MB-BG-04)."""
    limit = stacking_limit(_skill_name(title), "(" in title)
    if total > limit:
        shown = {"skill": skill_label(title), "total": total, "cap": limit}
        yield warning("bg-stack-total", place, total, **shown)


def _total_findings(entries: Sequence[OptionEntry]) -> Iterator[Finding]:
    """Yield a warning for each target that all Advantages together raise too far."""
    raising = [entry for entry in entries if entry.side == "advantage" and entry.touches_skills]
    titles: dict[str, None] = {}
    for entry in raising:
        titles |= dict.fromkeys(entry.option.targets)
    for title in titles:
        target = skill_target(title)
        total = 0
        for entry in raising:
            if any(_covers(text, target) for text in entry.option.targets):
                total += _gain(entry, bool(target.special))
        yield from stack_total_findings(title, total, "advantages")


def _covers(text: str, target: SkillTarget) -> bool:
    return skill_target(text).covers(target.name, target.focus, target.special)


def _gain(entry: OptionEntry, special: bool) -> int:
    """Return the adds and bonus numbers that an Advantage gives its target."""
    total = 0
    for gives in entry.gives:
        total += gives.adds
        total += entry.option.number(gives.bonus_from) if gives.bonus_from else gives.bonus
        if special:
            total += gives.special_adds
    return total
