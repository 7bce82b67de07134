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
    for each in kind.inputs:
        if each.kind != "skills" or not each.applies(mode):
            continue
        wrong = special % 2 == 1 or (each.whole and special > 0)
        if each.units and (given != each.units or wrong):
            yield _group_size(kind, place, Fraction(each.units), given)
        elif given < each.least_units:
            shown = {"given": number_text(given)}
            yield error("bg-handicap-group-size", place, shown["given"], **shown)
    chosen = kind.mode(mode)
    if chosen is not None and chosen.units is not None and chosen.units != (whole, special):
        yield _group_size(kind, place, group_units(*chosen.units), given)


def _group_size(kind: OptionKind, place: str, needed: Fraction, given: Fraction) -> Finding:
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
    others = [
        (other, text)
        for other in entries
        if other.side == "advantage" and other.place != entry.place and other.touches_skills
        for text in other.option.targets
        if skill_target(text).name == macroskill.name
    ]
    titles: dict[str, int] = {}
    for skill in final_skills(raw):
        if name_key(skill.name) == macroskill.name:
            specials = (adds for _, adds in skill.specializations)
            titles[skill_label(skill.title)] = max(skill.adds, *specials, 0)
    bonused: set[str] = set()
    for other, text in others:
        label = skill_label(text).partition(" (")[0]
        titles.setdefault(label, 0)
        if not any(gives.adds or gives.special_adds for gives in other.gives):
            bonused.add(label)
    for label, adds in titles.items():
        if adds > MACRO_ADDS or label in bonused:
            yield error("bg-macrobonus-adds", entry.place, adds, skill=label, adds=adds)


def number_findings(
    rules: CreationRules, kind: OptionKind, entry: OptionEntry
) -> Iterator[Finding]:
    """Yield findings about bonuses and damage values that are too high (MB-BG-30, MB-BG-32)."""
    option = entry.option
    ranged = any(gives.natural_weapon == "ranged" for gives in entry.gives)
    own = {each.key for each in kind.inputs}
    numbers = dict(option.numbers)
    for each in inputs_of(kind, option, rules.rows):
        name = option.name if each.key in own or not option.targets else option.targets[0]
        if each.kind == "number" and numbers.get(each.key, 0) > each.high:
            yield _too_high(entry, name, numbers[each.key], each.high, ranged)
        elif each.kind == "choice" and each.key == "damage":
            yield from _damage_findings(entry, name, option.note(each.key), each.choices)
    for text in option.targets:
        ability = find_ability(text, option.column, rules.rows)
        if ability is not None and ability in rules.rows.abilities:
            yield from custom_bonus_findings(text, ability.gives, entry.place)


def _too_high(entry: OptionEntry, name: str, number: int, most: int, damage: bool) -> Finding:
    code, key = ("bg-damage-too-high", "damage") if damage else ("bg-bonus-too-high", "bonus")
    return error(code, entry.place, number, name=name, max=most, **{key: number})


def _damage_findings(
    entry: OptionEntry, name: str, text: str, choices: tuple[str, ...]
) -> Iterator[Finding]:
    """Yield a finding about the damage of a natural weapon of column IV: STR+4, or 15."""
    added = text.upper().replace(" ", "").startswith(_DAMAGE_CHOICE)
    digits = text.upper().replace(" ", "").removeprefix(_DAMAGE_CHOICE)
    if not digits.isdecimal():
        return
    prefix = _DAMAGE_CHOICE if added else ""
    most = max(
        int(choice.removeprefix(_DAMAGE_CHOICE))
        for choice in choices
        if choice.startswith(_DAMAGE_CHOICE) == bool(prefix)
    )
    if int(digits) > most:
        yield _too_high(entry, name, int(digits), most, not added)


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
    if not any(each.balanced and each.applies(option.mode) for each in kind.inputs):
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
        adds = _final_adds(raw, SkillTarget(name_key("Language"), name_key(language)))
        if language and adds > 1:
            yield from language_limit_findings(language, adds, entry.place)
    for each in kind.inputs:
        language = option.note(each.key)
        if not each.least_adds or not language or not each.applies(option.mode):
            continue
        adds = _final_adds(raw, SkillTarget(name_key("Language"), name_key(language)))
        if adds < each.least_adds:
            shown = {"culture": option.note("culture"), "language": language, "adds": adds}
            yield warning("bg-culture-language", entry.place, language, **shown)


def language_limit_findings(language: str, adds: int, place: str = "") -> Iterator[Finding]:
    """Yield a finding about more than one add in a limited language (MB-BG-52)."""
    if adds > 1:
        yield error("bg-language-limit", place, language, language=language, adds=adds)
