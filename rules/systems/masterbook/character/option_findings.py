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
    AbilityKind,
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
    for title in missing_inputs(rules, entry.kind, option):
        yield error("bg-target-missing", entry.place, None, wanted=title, **named)
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
    """Yield the skills of an option that the species or the setting closes."""
    names = entries_of(rules.setting("barred_targets"))
    species = rules.species_of(raw.species)
    if species is not None:
        names = (*species.forbidden, *names)
    barred = [skill_target(name) for name in names]
    for text in entry.skill_targets:
        target = skill_target(text)
        if any(forbidden.overlaps(target) for forbidden in barred):
            yield skill_label(text)


def needs_consent(entry: OptionEntry, entries: Sequence[OptionEntry]) -> bool:
    """Return whether the GM has to agree to an option (MB-BG-01, MB-BG-04)."""
    kind = entry.kind
    if kind is None or not entry.is_chosen:
        return False
    if kind.consent:
        return True
    if not kind.consent_again:
        return False
    first = next((other for other in entries if _shares_consent(other, entry)), entry)
    return first.place != entry.place


def _shares_consent(other: OptionEntry, entry: OptionEntry) -> bool:
    """Return whether *other* has the same name, and its kind needs consent from the second on."""
    if other.kind is None or not other.kind.consent_again:
        return False
    return other.key[0] == entry.key[0]


def missing_inputs(
    rules: CreationRules, kind: OptionKind, option: BackgroundOption
) -> tuple[str, ...]:
    """Return the names of the inputs that an option still needs (MB-BG-01)."""
    missing: list[str] = []
    if kind.modes and kind.mode(option.mode) is None:
        missing.append("mode")
    ability: AbilityKind | None = None
    if option.targets:
        ability = find_ability(option.targets[0], option.column, rules.rows)
    for wanted in inputs_of(kind, option, rules.rows):
        if wanted.optional or wanted.kind == "link" or not wanted.applies(option.mode):
            continue
        if wanted.by_ability and ability is not None:
            continue
        if not _is_answered(option, wanted):
            missing.append(wanted.title)
        elif wanted.special and not any(skill_target(text).special for text in option.targets):
            missing.append("specialization")
    return tuple(dict.fromkeys(missing))


def _is_answered(option: BackgroundOption, wanted: OptionInput) -> bool:
    match wanted.kind:
        case "skills" | "macroskill" | "attributes" | "abilities":
            return bool(option.targets)
        case "number":
            return wanted.key in dict(option.numbers)
        case "scores":
            return bool(option.numbers)
        case "mode":
            return bool(option.mode)
        case "link":
            return bool(option.link)
        case "text" | "choice":
            return bool(option.note(wanted.key))


def repeat_findings(
    rules: CreationRules, entry: OptionEntry, entries: Sequence[OptionEntry]
) -> Iterator[Finding]:
    """Yield a finding if the option is taken too often, at the last one (MB-BG-04)."""
    kind = entry.kind
    if kind is None:
        return
    same = [other for other in entries if other.side == entry.side and other.key == entry.key]
    most, alike = _most_alike(rules, kind, entry, same)
    if most is None or len(alike) <= most or alike[-1].place != entry.place:
        return
    shown = {"max": most, "count": len(alike), **_title_params(entry)}
    report = warning if kind.inferred else error
    yield report("bg-not-repeatable", entry.place, entry.option.title, **shown)


def _most_alike(
    rules: CreationRules, kind: OptionKind, entry: OptionEntry, same: Sequence[OptionEntry]
) -> tuple[int | None, Sequence[OptionEntry]]:
    """Return how often an option may be taken, and those of the *same* name that count together.

    An Advantage without a limit of its own may be taken once with the same inputs.
    """
    most = kind.most
    if kind.most_by_attribute and rules.setting("learning_curve_by_attribute"):
        most = kind.most_by_attribute
    mode = kind.mode(entry.option.mode)
    if mode is not None and mode.most is not None:
        return mode.most, [other for other in same if other.option.mode == mode.id]
    if most is None and entry.side == "advantage" and kind.inputs and not _stacks(entry):
        return 1, [other for other in same if _has_same_inputs(other, entry)]
    return most, same


def _stacks(entry: OptionEntry) -> bool:
    """Return whether the rules of stacking look at the option's targets."""
    return entry.touches_skills or any(gives.attribute for gives in entry.gives)


def _has_same_inputs(one: OptionEntry, other: OptionEntry) -> bool:
    first = (one.option.targets, one.option.notes, one.option.numbers)
    return first == (other.option.targets, other.option.notes, other.option.numbers)


def link_findings(entry: OptionEntry, entries: Sequence[OptionEntry]) -> Iterator[Finding]:
    """Yield a finding about an option linked to no Advantage of the sheet (MB-BG-41)."""
    option, kind = entry.option, entry.kind
    if kind is None or not kind.has_input("link"):
        return
    names: set[str] = set()
    for other in entries:
        if other.side == "advantage":
            names.update(link_names(other))
    if not option.link or any(name_key(text) not in names for text in option.link):
        value = ", ".join(option.link) or None
        yield error("bg-link-missing", entry.place, value, name=option.name)


def link_names(entry: OptionEntry) -> tuple[str, ...]:
    """Return the names by which a Compensation can be linked to an Advantage."""
    option = entry.option
    names = (option.title, option.label, option.name, *option.targets)
    return tuple(name_key(name) for name in names if name)


def _match_findings(entry: OptionEntry, entries: Sequence[OptionEntry]) -> Iterator[Finding]:
    """Yield warnings about options that are missing beside this one, or clash (MB-BG-12)."""
    for rule in MATCH_RULES:
        name, column = entry.key
        if name != name_key(rule.name) or column not in rule.columns:
            continue
        if _is_first(rule, entry, entries) and not is_matched(rule, entry, entries):
            suggestions = rule.needs
            if not suggestions and entry.kind is not None:
                suggestions = entry.kind.suggests
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
