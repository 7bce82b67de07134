"""Findings about the targets and numbers of single options (MB-BG-20, -28, -30, -32, -52)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from rules.core.name_matching import name_key
from rules.systems.masterbook.character.creation_rules import CreationRules
from rules.systems.masterbook.character.findings import (
    Finding,
    error,
    number_text,
    skill_label,
    warning,
)
from rules.systems.masterbook.character.option_effects import SkillTarget, skill_target
from rules.systems.masterbook.character.option_entries import OptionEntry
from rules.systems.masterbook.character.option_lines import find_ability, inputs_of
from rules.systems.masterbook.character.raw_sheet import RawSheet, final_skills
from rules.systems.masterbook.character.skill_names import BODY
from rules.systems.masterbook.formulas.option_kinds import (
    COMBAT_SKILLS,
    CUSTOM_BONUS_LIMITS,
    Gives,
    OptionKind,
)

#: Most adds of a focus or specialization that the macroskill bonus covers (MB-BG-28).
MACRO_ADDS: Final = 4
#: Damage value of a natural weapon of column IV, and what it adds to Strength (MB-BG-30).
_DAMAGE_CHOICE: Final = "STR+"


def group_units(whole: int, special: int) -> Fraction:
    """Return the size of a group of skills: two specializations count as one (MB-BG-28)."""
    return whole + Fraction(special, 2)


def group_size(targets: Sequence[str]) -> tuple[int, int]:
    """Return the number of skills and focuses, and of specializations, among targets."""
    special = sum(bool(skill_target(text).special) for text in targets)
    return len(targets) - special, special


def group_findings(
    kind: OptionKind, mode: str, whole: int, special: int, place: str = ""
) -> Iterator[Finding]:
    """Yield a finding about a group of skills that has the wrong size (MB-BG-28, MB-BG-50)."""
    given = group_units(whole, special)
    for row in kind.inputs:
        if row.kind != "skills" or not row.applies(mode):
            continue
        unfit = special % 2 == 1 or (row.whole and special > 0)
        if row.units and (given != row.units or unfit):
            yield _group_size_error(kind, place, Fraction(row.units), given)
        elif given < row.least_units:
            shown = {"given": number_text(given)}
            yield error("bg-handicap-group-size", place, shown["given"], **shown)
    chosen = kind.mode(mode)
    if chosen is not None and chosen.units is not None and chosen.units != (whole, special):
        yield _group_size_error(kind, place, group_units(*chosen.units), given)


def _group_size_error(kind: OptionKind, place: str, needed: Fraction, given: Fraction) -> Finding:
    shown = {"needed": number_text(needed), "given": number_text(given)}
    named = {"name": kind.name, "column": kind.column}
    return error("bg-skill-group-size", place, shown["given"], **named, **shown)


def _final_adds(raw: RawSheet, target: SkillTarget) -> int:
    """Return the adds in a skill or focus, or those of a specialization alone."""
    for skill in final_skills(raw):
        if (name_key(skill.name), name_key(skill.focus)) == (target.name, target.focus):
            if not target.special:
                return skill.adds
            specials = {name_key(name): adds for name, adds in skill.specializations}
            return specials.get(target.special, 0)
    return 0


def target_findings(
    raw: RawSheet, kind: OptionKind, entry: OptionEntry, entries: Sequence[OptionEntry]
) -> Iterator[Finding]:
    """Yield findings about the skills that an option raises (MB-BG-20, MB-BG-28)."""
    option = entry.option
    if kind.adds_most:
        for text in option.targets:
            adds = _final_adds(raw, skill_target(text))
            if adds > kind.adds_most:
                yield error(
                    "bg-adds-cap-six", entry.place, adds, skill=skill_label(text), adds=adds
                )
    if option.targets:
        yield from group_findings(kind, option.mode, *group_size(option.targets), entry.place)
    if entry.covers_macroskill and option.targets:
        yield from _macroskill_findings(raw, entry, entries)


def _macroskill_findings(
    raw: RawSheet, entry: OptionEntry, entries: Sequence[OptionEntry]
) -> Iterator[Finding]:
    """Yield a finding for each focus that the bonus of a macroskill can't cover (MB-BG-28)."""
    macroskill = skill_target(entry.option.targets[0])
    adds_by_focus: dict[str, int] = {}
    for skill in final_skills(raw):
        if name_key(skill.name) == macroskill.name:
            special = [adds for _, adds in skill.specializations]
            adds_by_focus[skill_label(skill.title)] = max(skill.adds, *special, 0)
    with_bonus: set[str] = set()
    for other, text in _other_raised_targets(entry, entries):
        if skill_target(text).name != macroskill.name:
            continue
        label = skill_label(text).partition(" (")[0]
        adds_by_focus.setdefault(label, 0)
        if not any(gives.adds or gives.special_adds for gives in other.gives):
            with_bonus.add(label)
    for label, adds in adds_by_focus.items():
        if adds > MACRO_ADDS or label in with_bonus:
            yield error("bg-macrobonus-adds", entry.place, adds, skill=label, adds=adds)


def _other_raised_targets(
    entry: OptionEntry, entries: Sequence[OptionEntry]
) -> Iterator[tuple[OptionEntry, str]]:
    """Yield the targets that other Advantages raise, each with its option."""
    for other in entries:
        if other.side == "advantage" and other.place != entry.place and other.touches_skills:
            for text in other.option.targets:
                yield other, text


def number_findings(
    rules: CreationRules, kind: OptionKind, entry: OptionEntry
) -> Iterator[Finding]:
    """Yield findings about bonuses and damage values that are too high (MB-BG-30, MB-BG-32)."""
    option = entry.option
    ranged = any(gives.natural_weapon == "ranged" for gives in entry.gives)
    own = {row.key for row in kind.inputs}
    numbers = dict(option.numbers)
    for row in inputs_of(kind, option, rules.rows):
        name = option.name
        if row.key not in own and option.targets:  # an input of the ability
            name = option.targets[0]
        if row.kind == "number" and numbers.get(row.key, 0) > row.high:
            yield _too_high(entry, name, numbers[row.key], row.high, damage=ranged)
        elif row.kind == "choice" and row.key == "damage":
            yield from _damage_findings(entry, name, option.note(row.key), row.choices)
    for text in option.targets:
        ability = find_ability(text, option.column, rules.rows)
        if ability is not None and ability in rules.rows.abilities:
            yield from custom_bonus_findings(text, ability.gives, entry.place)


def _too_high(entry: OptionEntry, name: str, number: int, most: int, *, damage: bool) -> Finding:
    shown = {"name": name, "max": most}
    if damage:
        return error("bg-damage-too-high", entry.place, number, **shown, damage=number)
    return error("bg-bonus-too-high", entry.place, number, **shown, bonus=number)


def _damage_findings(
    entry: OptionEntry, name: str, text: str, choices: tuple[str, ...]
) -> Iterator[Finding]:
    """Yield a finding about the damage of a natural weapon of column IV: STR+4, or 15."""
    typed = text.upper().replace(" ", "")
    is_added = typed.startswith(_DAMAGE_CHOICE)
    digits = typed.removeprefix(_DAMAGE_CHOICE)
    if not digits.isdecimal():
        return
    alike = [choice for choice in choices if choice.startswith(_DAMAGE_CHOICE) == is_added]
    most = max(int(choice.removeprefix(_DAMAGE_CHOICE)) for choice in alike)
    if int(digits) > most:
        yield _too_high(entry, name, int(digits), most, damage=not is_added)


def custom_bonus_findings(name: str, gives: Gives, place: str = "") -> Iterator[Finding]:
    """Yield findings about a campaign's own ability that gives too much (MB-BG-30)."""
    for skill, bonus in gives.totals.items():
        most = custom_bonus_limit(skill in COMBAT_SKILLS)
        if bonus > most:
            yield error("bg-bonus-too-high", place, bonus, name=name, bonus=bonus, max=most)


def custom_bonus_limit(combat: bool) -> int:
    """Return the highest bonus of a custom ability (MB-BG-30)."""
    return CUSTOM_BONUS_LIMITS["combat" if combat else "other"]


def handicap_findings(kind: OptionKind, entry: OptionEntry) -> Iterator[Finding]:
    """Yield a finding unless it is one physical or two mental Attributes (MB-BG-50)."""
    option = entry.option
    if not any(row.balanced and row.applies(option.mode) for row in kind.inputs):
        return
    targets = [name_key(text) for text in option.targets]
    physical = sum(key in BODY for key in targets)
    if targets and (len(set(targets)), physical) not in ((1, 1), (2, 0)):
        yield error("bg-handicap2-attributes", entry.place, len(targets), given=len(targets))


def language_findings(raw: RawSheet, kind: OptionKind, entry: OptionEntry) -> Iterator[Finding]:
    """Yield findings about languages that an option limits or asks for (MB-BG-23, MB-BG-52)."""
    option = entry.option
    if any(gives.language for gives in entry.gives):
        language = option.note("local language")
        if language:
            adds = _language_adds(raw, language)
            yield from language_limit_findings(language, adds, entry.place)
    for row in kind.inputs:
        language = option.note(row.key)
        if not row.least_adds or not language or not row.applies(option.mode):
            continue
        adds = _language_adds(raw, language)
        if adds < row.least_adds:
            shown = {"culture": option.note("culture"), "language": language, "adds": adds}
            yield warning("bg-culture-language", entry.place, language, **shown)


def _language_adds(raw: RawSheet, language: str) -> int:
    return _final_adds(raw, SkillTarget(name_key("Language"), name_key(language)))


def language_limit_findings(language: str, adds: int, place: str = "") -> Iterator[Finding]:
    """Yield a finding about more than one add in a limited language (MB-BG-52)."""
    if adds > 1:
        yield error("bg-language-limit", place, language, language=language, adds=adds)
