"""Findings about single options of a new character, MB-BG-20 to MB-BG-58."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rules.core.name_matching import name_key
from rules.systems.masterbook.character.creation_rules import CreationRules, entries_of
from rules.systems.masterbook.character.findings import Finding, error, skill_label, warning
from rules.systems.masterbook.character.option_effects import skill_target
from rules.systems.masterbook.character.option_entries import OptionEntry
from rules.systems.masterbook.character.option_lines import find_ability, inputs_of
from rules.systems.masterbook.character.option_target_findings import (
    handicap_findings,
    language_findings,
    number_findings,
    target_findings,
)
from rules.systems.masterbook.character.options import BackgroundOption
from rules.systems.masterbook.character.raw_sheet import RawSheet
from rules.systems.masterbook.formulas.option_kinds import (
    MATCH_RULES,
    MatchRule,
    OptionInput,
    OptionKind,
)


def single_findings(
    rules: CreationRules, raw: RawSheet, entry: OptionEntry, entries: Sequence[OptionEntry]
) -> Iterator[Finding]:
    """Yield findings about one option of a new character."""
    yield from _choice_findings(rules, raw, entry, entries)
    kind = entry.kind
    if kind is None:
        return
    yield from repeat_findings(rules, entry, entries)
    yield from target_findings(raw, kind, entry, entries)
    yield from number_findings(rules, kind, entry)
    yield from link_findings(entry, entries)
    yield from handicap_findings(kind, entry)
    yield from language_findings(raw, kind, entry)
    yield from _match_findings(entry, entries)


def _title_params(entry: OptionEntry) -> dict[str, str | int]:
    return {"name": entry.option.name, "column": entry.option.column}


def _choice_findings(
    rules: CreationRules, raw: RawSheet, entry: OptionEntry, entries: Sequence[OptionEntry]
) -> Iterator[Finding]:
    """Yield findings about whether the option may be chosen as it is (MB-BG-01, -02, -09)."""
    option, named = entry.option, _title_params(entry)
    yield from availability_findings(rules, raw, entry)
    if entry.kind is None or not entry.is_chosen:
        return
    for each in missing_inputs(rules, entry.kind, option):
        yield error("bg-target-missing", entry.place, None, wanted=each, **named)
    if needs_consent(entry, entries) and not option.approved:
        if rules.approves:
            yield warning("bg-gm-approval-waits", entry.place, option.title, **named)
        else:
            yield error(
                "bg-gm-approval", entry.place, option.title, fix="mb-ask-for-consent", **named
            )


def availability_findings(
    rules: CreationRules, raw: RawSheet, entry: OptionEntry
) -> Iterator[Finding]:
    """Yield findings about an option that the setting or the species closes (MB-BG-02, -09)."""
    if not entry.is_chosen:
        return
    option, named = entry.option, _title_params(entry)
    if rules.is_barred_option(option.title):
        yield error("bg-not-in-setting", entry.place, option.title, **named)
    for target in _forbidden_targets(rules, raw, entry):
        yield error("bg-target-forbidden", entry.place, target, target=target, **named)


def _forbidden_targets(rules: CreationRules, raw: RawSheet, entry: OptionEntry) -> Iterator[str]:
    species = rules.species_of(raw.species)
    closed = () if species is None else species.forbidden
    barred = (*closed, *entries_of(rules.setting("barred_targets")))
    for text in entry.skill_targets:
        target = skill_target(text)
        if any(skill_target(name).overlaps(target) for name in barred):
            yield skill_label(text)


def needs_consent(entry: OptionEntry, entries: Sequence[OptionEntry]) -> bool:
    """Return whether the GM has to agree to an option (MB-BG-01, MB-BG-04)."""
    kind = entry.kind
    if kind is None or not entry.is_chosen:
        return False
    if kind.consent:
        return True
    rivals = (
        other
        for other in entries
        if other.kind is not None and other.kind.consent_again and other.key[0] == entry.key[0]
    )
    first = next(rivals, entry)
    return kind.consent_again and first.place != entry.place


def missing_inputs(
    rules: CreationRules, kind: OptionKind, option: BackgroundOption
) -> tuple[str, ...]:
    """Return the names of the inputs that an option still needs (MB-BG-01)."""
    found: list[str] = []
    listed = find_ability(option.targets[0], option.column, rules.rows) if option.targets else None
    for each in inputs_of(kind, option, rules.rows):
        answered = each.by_ability and listed is not None
        if each.optional or answered or each.kind == "link" or not each.applies(option.mode):
            continue
        if not _is_given(option, each):
            found.append(each.title)
        elif each.special and not any(skill_target(text).special for text in option.targets):
            found.append("specialization")
    if kind.modes and kind.mode(option.mode) is None:
        found.insert(0, "mode")
    return tuple(dict.fromkeys(found))


def _is_given(option: BackgroundOption, each: OptionInput) -> bool:
    match each.kind:
        case "skills" | "macroskill" | "attributes" | "abilities":
            return bool(option.targets)
        case "number":
            return each.key in dict(option.numbers)
        case "scores":
            return bool(option.numbers)
        case "mode":
            return bool(option.mode)
        case "link":
            return bool(option.link)
        case "text" | "choice":
            return bool(option.note(each.key))


def repeat_findings(
    rules: CreationRules, entry: OptionEntry, entries: Sequence[OptionEntry]
) -> Iterator[Finding]:
    """Yield a finding if the option is taken too often, at the last one (MB-BG-04)."""
    kind = entry.kind
    if kind is None:
        return
    same = [other for other in entries if other.side == entry.side and other.key == entry.key]
    most, alike = _most(rules, kind, entry), same
    mode = kind.mode(entry.option.mode)
    if mode is not None and mode.most is not None:
        most = mode.most
        alike = [other for other in same if other.option.mode == mode.id]
    if most is None and entry.side == "advantage" and kind.inputs and not _stacks(entry):
        most, alike = 1, [other for other in same if _same_inputs(other, entry)]
    if most is None or len(alike) <= most or alike[-1].place != entry.place:
        return
    shown = {"max": most, "count": len(alike), **_title_params(entry)}
    report = warning if kind.inferred else error
    yield report("bg-not-repeatable", entry.place, entry.option.title, **shown)


def _most(rules: CreationRules, kind: OptionKind, entry: OptionEntry) -> int | None:
    if kind.most_by_attribute and rules.setting("learning_curve_by_attribute"):
        return kind.most_by_attribute
    return kind.most


def _stacks(entry: OptionEntry) -> bool:
    """Return whether the rules of stacking look at the option's targets."""
    return entry.touches_skills or any(gives.attribute for gives in entry.gives)


def _same_inputs(one: OptionEntry, other: OptionEntry) -> bool:
    first, second = one.option, other.option
    return (first.targets, first.notes, first.numbers) == (
        second.targets,
        second.notes,
        second.numbers,
    )


def link_findings(entry: OptionEntry, entries: Sequence[OptionEntry]) -> Iterator[Finding]:
    """Yield a finding about an option linked to no Advantage of the sheet (MB-BG-41)."""
    option, kind = entry.option, entry.kind
    if kind is None or not any(each.kind == "link" for each in kind.inputs):
        return
    names = {name for other in entries if other.side == "advantage" for name in link_names(other)}
    if not option.link or any(name_key(text) not in names for text in option.link):
        value = ", ".join(option.link) or None
        yield error("bg-link-missing", entry.place, value, name=option.name)


def link_names(entry: OptionEntry) -> tuple[str, ...]:
    """Return the names by which a Compensation can be linked to an Advantage."""
    option = entry.option
    names = (option.title, option.label, option.name, *option.targets)
    return tuple(name_key(name) for name in names if name)


def _match_findings(entry: OptionEntry, entries: Sequence[OptionEntry]) -> Iterator[Finding]:
    """Yield warnings about options that should stand beside this one, or not (MB-BG-12)."""
    for rule in MATCH_RULES:
        name, column = entry.key
        if name != name_key(rule.name) or column not in rule.columns:
            continue
        if _is_first(rule, entry, entries) and not is_matched(rule, entry, entries):
            suggestions = rule.needs or (() if entry.kind is None else entry.kind.suggests)
            shown = {"name": entry.option.name, "suggestions": ", ".join(suggestions)}
            yield warning(f"bg-{rule.code}", entry.place, entry.option.title, **shown)


def _is_first(rule: MatchRule, entry: OptionEntry, entries: Sequence[OptionEntry]) -> bool:
    name = name_key(rule.name)
    first = next(
        other for other in entries if other.key[0] == name and other.key[1] in rule.columns
    )
    return first.place == entry.place


def is_matched(rule: MatchRule, entry: OptionEntry, entries: Sequence[OptionEntry]) -> bool:
    """Return whether the sheet has what the rule wants beside this option (MB-BG-12)."""
    present = {other.key[0] for other in entries}
    if any(name_key(name) in present for name in rule.without):
        return False
    if rule.without or any(name_key(name) in present for name in rule.needs):
        return True
    if not rule.linked:
        return False
    names = link_names(entry)
    links = (text for other in entries for text in other.option.link)
    return any(name_key(text) in names for text in links)
