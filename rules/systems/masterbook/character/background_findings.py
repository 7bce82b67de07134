"""Findings about Advantages and Compensations: columns, single options, pairs.

MB-BG-01 to MB-BG-09, and the limits of single options, MB-BG-20 to MB-BG-58.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final

from rules.core.name_matching import name_key, similar_or_first
from rules.core.record import Record
from rules.systems.masterbook.character.findings import (
    CreationRules,
    Finding,
    entries_of,
    error,
    number_text,
    skill_label,
    warning,
)
from rules.systems.masterbook.character.option_effects import (
    SkillTarget,
    folded_options,
    skill_target,
)
from rules.systems.masterbook.character.option_lines import find_ability, inputs_of
from rules.systems.masterbook.character.options import BackgroundOption, gives_of, kind_of
from rules.systems.masterbook.character.raw_sheet import RawSheet
from rules.systems.masterbook.character.sheet import Skill, with_option_adds
from rules.systems.masterbook.character.skill_names import ATTRIBUTES, BODY
from rules.systems.masterbook.formulas.background_balance import (
    Balance,
    Columns,
    balance,
    extra_warnings,
    missing_errors,
    over_limit_errors,
    with_custom_columns,
)
from rules.systems.masterbook.formulas.option_kinds import (
    COMBAT_SKILLS,
    CUSTOM,
    CUSTOM_BONUS_LIMITS,
    LIST_COLUMNS,
    MATCH_RULES,
    PAIR_RULES,
    STACKING_LIMITS,
    Gives,
    MatchRule,
    OptionInput,
    OptionKind,
    Side,
    Species,
    SpeciesOption,
    option_kinds,
)
from rules.systems.masterbook.formulas.skills import SKILLS

#: Most adds of a focus or specialization that the macroskill bonus covers (MB-BG-28).
MACRO_ADDS: Final = 4
#: Damage value of a natural weapon of column IV, and what it adds to Strength (MB-BG-30).
_DAMAGE_CHOICE: Final = "STR+"
_WORDS: Final[dict[Side, str]] = {"advantage": "Advantage", "compensation": "Compensation"}


class Entry(Record):
    """An option of a sheet, with its side, its place there and its row."""

    option: BackgroundOption
    side: Side
    place: str
    #: None for a custom option, and for one that no table has.
    kind: OptionKind | None
    #: Effects of the option, its mode and its abilities.
    gives: tuple[Gives, ...] = ()

    @property
    def key(self) -> tuple[str, int]:
        """Name and column, to compare."""
        return name_key(self.option.name), self.option.column

    @property
    def is_chosen(self) -> bool:
        """Whether it needs a slot or counts as a Compensation (MB-BG-03)."""
        return not self.option.free

    @property
    def touches_skills(self) -> bool:
        """Whether it raises its targets, which are skills (MB-BG-04)."""
        return any(
            gives.adds
            or gives.special_adds
            or gives.bonus
            or gives.bonus_from
            or gives.floor is not None
            for gives in self.gives
        )

    @property
    def covers_macroskill(self) -> bool:
        """Whether it is the bonus of all focuses of a macroskill (MB-BG-28)."""
        inputs = () if self.kind is None else self.kind.inputs
        return any(each.kind == "macroskill" and each.applies(self.option.mode) for each in inputs)

    @property
    def skill_targets(self) -> tuple[str, ...]:
        """Skills that a Compensation makes harder, or an Advantage raises."""
        listed = tuple(name for name, number in self.option.numbers if number and self._lists)
        plain = tuple(each for each in self.option.targets if each not in ATTRIBUTES)
        return (*plain, *listed) if self._takes_skills else listed

    @property
    def _takes_skills(self) -> bool:
        inputs = () if self.kind is None else self.kind.inputs
        return any(each.kind in ("skills", "macroskill") for each in inputs)

    @property
    def _lists(self) -> bool:
        inputs = () if self.kind is None else self.kind.inputs
        mode = self.option.mode
        return any(each.kind == "scores" and each.applies(mode) for each in inputs)


def sheet_entries(rules: CreationRules, raw: RawSheet) -> tuple[Entry, ...]:
    """Return all options of a sheet: Advantages first, each side by column, then as listed."""
    found: list[Entry] = []
    sides: tuple[tuple[Side, tuple[BackgroundOption, ...]], ...] = (
        ("advantage", raw.advantages),
        ("compensation", raw.compensations),
    )
    for side, options in sides:
        rows = [
            _entry(rules, side, option, f"{side}s[{at}]")
            for at, option in enumerate(options)
            if option.name
        ]
        found += sorted(rows, key=lambda entry: entry.option.column)
    return tuple(found)


def _entry(rules: CreationRules, side: Side, option: BackgroundOption, place: str) -> Entry:
    kind = kind_of(option, side, rules.rows)
    return Entry(option, side, place, kind, tuple(gives_of(option, side)))


def is_known(rules: CreationRules, entry: Entry, creation: bool) -> bool:
    """Return whether a table has the option, or whether it may be a custom one (MB-BG-08).

    There is no list of Compensations above column III, so those are always the GM's own words
    (MB-BG-58). In play, a custom option stands for one of another table.
    """
    if entry.option.name == CUSTOM:
        from_gm = entry.side == "compensation" and entry.option.column >= LIST_COLUMNS
        return from_gm or not creation or bool(rules.setting("custom_columns"))
    if entry.kind is None:
        return False
    abilities = any(each.kind == "abilities" for each in entry.kind.inputs)
    return not abilities or all(
        find_ability(name, entry.option.column, rules.rows) for name in entry.option.targets
    )


def background_findings(rules: CreationRules, raw: RawSheet, creation: bool) -> Iterator[Finding]:
    """Yield findings about a background; in play only those about unknown options and links."""
    entries = sheet_entries(rules, raw)
    if creation and not rules.setting("background_generation"):
        if any(entry.is_chosen for entry in entries):
            yield error(
                "bg-disabled", entries[0].side + "s", len(entries), fix="mb-turn-backgrounds-on"
            )
        return
    known = tuple(entry for entry in entries if is_known(rules, entry, creation))
    if creation:
        yield from column_findings(rules, raw, known)
    for entry in entries:
        if entry not in known:
            yield _unknown(rules, entry)
            continue
        if creation:
            yield from single_findings(rules, raw, entry, entries)
        elif entry.kind is not None:
            yield from link_findings(entry, entries)
    if creation:
        yield from pair_findings(rules, known)


def _unknown(rules: CreationRules, entry: Entry) -> Finding:
    option = entry.option
    titles = [kind.title for kind in option_kinds(entry.side, rules.rows)]
    near = similar_or_first(option.title, titles)
    unnamed = entry.kind is not None and option.targets
    name = option.targets[0] if unnamed else option.name
    shown = {"kind": _WORDS[entry.side], "name": name, "column": option.column}
    return error("bg-unknown", entry.place, name, nearest=tuple(near), **shown)


# --- columns --------------------------------------------------------------------------------------


def counts(entries: Sequence[Entry], side: Side) -> Columns:
    """Return the number of chosen options of one side by column (MB-BG-03)."""
    found: dict[int, int] = {}
    for entry in entries:
        if entry.side == side and entry.is_chosen:
            found[entry.option.column] = found.get(entry.option.column, 0) + 1
    return found


def sheet_balance(rules: CreationRules, raw: RawSheet, entries: Sequence[Entry]) -> Balance:
    """Return slots and dues of a sheet, by the table's limits or its species' (MB-BG-03, -09)."""
    advantages, limits = counts(entries, "advantage"), rules.limits
    species = rules.species_of(raw.species)
    if species is not None and species.free is not None:
        limits = dict(enumerate(species.free, 1))
    if limits is not None and rules.setting("custom_columns"):
        limits = with_custom_columns(limits, advantages)
    return balance(limits, advantages, raw.trades, rules.trades)


def column_findings(
    rules: CreationRules, raw: RawSheet, entries: Sequence[Entry]
) -> Iterator[Finding]:
    """Yield findings about columns, trades and the species (MB-BG-02 to MB-BG-09)."""
    books = sheet_balance(rules, raw, entries)
    yield from balance_findings(
        books, counts(entries, "advantage"), counts(entries, "compensation")
    )
    species = rules.species_of(raw.species)
    if species is not None:
        yield from species_findings(species)


def balance_findings(
    books: Balance, advantages: Columns, compensations: Columns | None
) -> Iterator[Finding]:
    """Yield findings about the numbers of options by column (MB-BG-02 to MB-BG-07).

    Without *compensations*, nothing is said about them.
    """
    for found in over_limit_errors(books, advantages):
        yield Finding(found, True)
    if compensations is not None:
        for found in missing_errors(books, compensations):
            yield Finding(found, True)
        for found in extra_warnings(books, compensations):
            yield Finding(found, False)
    for found in books.errors:
        yield Finding(found, True)


def species_findings(species: Species) -> Iterator[Finding]:
    """Yield a finding for each column whose mandatory options don't match (MB-BG-09)."""
    for column in range(1, LIST_COLUMNS + 1):
        advantages = _in_column(species.advantages, column)
        compensations = _in_column(species.compensations, column)
        if advantages != compensations:
            shown = {"advantages": advantages, "compensations": compensations}
            named = {"species": species.name, "column": column}
            yield warning("bg-species-unbalanced", "species", species.name, **named, **shown)


def _in_column(options: Sequence[SpeciesOption], column: int) -> int:
    return sum(option.column == column for option in options)


# --- single options -------------------------------------------------------------------------------


def single_findings(
    rules: CreationRules, raw: RawSheet, entry: Entry, entries: Sequence[Entry]
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
    yield from _handicap_findings(kind, entry)
    yield from _language_findings(raw, kind, entry)
    yield from _match_findings(entry, entries)


def _title_params(entry: Entry) -> dict[str, str | int]:
    return {"name": entry.option.name, "column": entry.option.column}


def _choice_findings(
    rules: CreationRules, raw: RawSheet, entry: Entry, entries: Sequence[Entry]
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


def availability_findings(rules: CreationRules, raw: RawSheet, entry: Entry) -> Iterator[Finding]:
    """Yield findings about an option that the setting or the species closes (MB-BG-02, -09)."""
    if not entry.is_chosen:
        return
    option, named = entry.option, _title_params(entry)
    if rules.is_barred_option(option.title):
        yield error("bg-not-in-setting", entry.place, option.title, **named)
    for target in _forbidden_targets(rules, raw, entry):
        yield error("bg-target-forbidden", entry.place, target, target=target, **named)


def _forbidden_targets(rules: CreationRules, raw: RawSheet, entry: Entry) -> Iterator[str]:
    species = rules.species_of(raw.species)
    closed = () if species is None else species.forbidden
    barred = (*closed, *entries_of(rules.setting("barred_targets")))
    for text in entry.skill_targets:
        target = skill_target(text)
        if any(_overlap(skill_target(name), target) for name in barred):
            yield skill_label(text)


def needs_consent(entry: Entry, entries: Sequence[Entry]) -> bool:
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
    rules: CreationRules, entry: Entry, entries: Sequence[Entry]
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


def _most(rules: CreationRules, kind: OptionKind, entry: Entry) -> int | None:
    if kind.most_by_attribute and rules.setting("learning_curve_by_attribute"):
        return kind.most_by_attribute
    return kind.most


def _stacks(entry: Entry) -> bool:
    """Return whether the rules of stacking look at the option's targets."""
    return entry.touches_skills or any(gives.attribute for gives in entry.gives)


def _same_inputs(one: Entry, other: Entry) -> bool:
    first, second = one.option, other.option
    return (first.targets, first.notes, first.numbers) == (
        second.targets,
        second.notes,
        second.numbers,
    )


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


def _final_skills(raw: RawSheet) -> tuple[Skill, ...]:
    whole = (skill.whole for skill in raw.skills if skill.name)
    bought = tuple(skill for skill in whole if skill is not None)
    return with_option_adds(folded_options(raw.advantages, raw.compensations), bought)


def _final_adds(raw: RawSheet, target: SkillTarget) -> int:
    """Return the adds in a skill or focus, or those of a specialization alone."""
    for skill in _final_skills(raw):
        if (name_key(skill.name), name_key(skill.focus)) == (target.name, target.focus):
            if not target.special:
                return skill.adds
            specials = {name_key(name): adds for name, adds in skill.specializations}
            return specials.get(target.special, 0)
    return 0


def target_findings(
    raw: RawSheet, kind: OptionKind, entry: Entry, entries: Sequence[Entry]
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
    raw: RawSheet, entry: Entry, entries: Sequence[Entry]
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
    for skill in _final_skills(raw):
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


def number_findings(rules: CreationRules, kind: OptionKind, entry: Entry) -> Iterator[Finding]:
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


def _too_high(entry: Entry, name: str, number: int, most: int, damage: bool) -> Finding:
    code, key = ("bg-damage-too-high", "damage") if damage else ("bg-bonus-too-high", "bonus")
    return error(code, entry.place, number, name=name, max=most, **{key: number})


def _damage_findings(
    entry: Entry, name: str, text: str, choices: tuple[str, ...]
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


def link_findings(entry: Entry, entries: Sequence[Entry]) -> Iterator[Finding]:
    """Yield a finding about an option linked to no Advantage of the sheet (MB-BG-41)."""
    option, kind = entry.option, entry.kind
    if kind is None or not any(each.kind == "link" for each in kind.inputs):
        return
    names = {name for other in entries if other.side == "advantage" for name in link_names(other)}
    if not option.link or any(name_key(text) not in names for text in option.link):
        value = ", ".join(option.link) or None
        yield error("bg-link-missing", entry.place, value, name=option.name)


def link_names(entry: Entry) -> tuple[str, ...]:
    """Return the names by which a Compensation can be linked to an Advantage."""
    option = entry.option
    names = (option.title, option.label, option.name, *option.targets)
    return tuple(name_key(name) for name in names if name)


def _handicap_findings(kind: OptionKind, entry: Entry) -> Iterator[Finding]:
    """Yield a finding unless it is one physical or two mental Attributes (MB-BG-50)."""
    option = entry.option
    if not any(each.balanced and each.applies(option.mode) for each in kind.inputs):
        return
    targets = [name_key(text) for text in option.targets]
    physical = sum(key in BODY for key in targets)
    if targets and (len(set(targets)), physical) not in ((1, 1), (2, 0)):
        yield error("bg-handicap2-attributes", entry.place, len(targets), given=len(targets))


def _language_findings(raw: RawSheet, kind: OptionKind, entry: Entry) -> Iterator[Finding]:
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


def _match_findings(entry: Entry, entries: Sequence[Entry]) -> Iterator[Finding]:
    """Yield warnings about options that should stand beside this one, or not (MB-BG-12)."""
    for rule in MATCH_RULES:
        name, column = entry.key
        if name != name_key(rule.name) or column not in rule.columns:
            continue
        if _is_first(rule, entry, entries) and not is_matched(rule, entry, entries):
            suggestions = rule.needs or (() if entry.kind is None else entry.kind.suggests)
            shown = {"name": entry.option.name, "suggestions": ", ".join(suggestions)}
            yield warning(f"bg-{rule.code}", entry.place, entry.option.title, **shown)


def _is_first(rule: MatchRule, entry: Entry, entries: Sequence[Entry]) -> bool:
    name = name_key(rule.name)
    first = next(
        other for other in entries if other.key[0] == name and other.key[1] in rule.columns
    )
    return first.place == entry.place


def is_matched(rule: MatchRule, entry: Entry, entries: Sequence[Entry]) -> bool:
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


# --- pairs ----------------------------------------------------------------------------------------


def pair_findings(rules: CreationRules, entries: Sequence[Entry]) -> Iterator[Finding]:
    """Yield findings about pairs of options, and what they add up to (MB-BG-04)."""
    stacking = bool(rules.setting("gm_allows_stacking"))
    for other, first in _pairs(entries):
        yield from _pair_rule_findings(rules, first, other)
        if first.side != other.side:
            continue
        if first.side == "advantage":
            yield from _stack_findings(first, other, stacking)
        elif not stacking:
            yield from _compensation_stack_findings(first, other)
    if stacking:
        yield from _total_findings(entries)


def _pairs(entries: Sequence[Entry]) -> Iterator[tuple[Entry, Entry]]:
    """Yield the later and the earlier option of each pair, by the later one."""
    places = {entry.place: at for at, entry in enumerate(entries)}
    pairs = ((later, earlier) for earlier, later in combinations(entries, 2))
    return iter(sorted(pairs, key=lambda pair: (places[pair[0].place], places[pair[1].place])))


def _pair_rule_findings(rules: CreationRules, first: Entry, other: Entry) -> Iterator[Finding]:
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


def _overlap(one: SkillTarget, other: SkillTarget) -> bool:
    """Return whether two targets have a skill, focus or specialization in common (MB-BG-04)."""
    if one.name != other.name:
        return False
    if one.focus and other.focus and one.focus != other.focus:
        return False
    return not one.special or not other.special or one.special == other.special


def _stack_findings(first: Entry, other: Entry, stacking: bool) -> Iterator[Finding]:
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


def _raises_attributes(entry: Entry) -> bool:
    return any(gives.attribute for gives in entry.gives)


def _stands_alone(entry: Entry) -> bool:
    return entry.kind is not None and entry.kind.alone


def _shared_skill(first: Sequence[str], other: Sequence[str]) -> str:
    """Return a skill that both lists name, without its specialization; empty if there is none."""
    for text in other:
        if any(_overlap(skill_target(text), skill_target(each)) for each in first):
            return skill_label(text).partition(" (")[0]
    return ""


def _compensation_stack_findings(first: Entry, other: Entry) -> Iterator[Finding]:
    """Yield a finding about two Compensations on one skill or narrow area (MB-BG-04)."""
    target = _shared_skill(first.skill_targets, other.skill_targets)
    target = target or _shared_attribute(first, other) or _shared_area(first, other)
    if target:
        shown = {"target": target, "other": first.option.title}
        yield error("bg-stack-comp", other.place, target, **shown)


def _shared_attribute(first: Entry, other: Entry) -> str:
    """Return the Attribute, or the skill of an Attribute, that two handicaps share."""
    for one, two in ((first, other), (other, first)):
        keys = [key for key in one.option.targets if key in ATTRIBUTES]
        shared = next((key for key in two.option.targets if key in keys), "")
        if shared:
            return shared.capitalize()
        for text in two.skill_targets:
            name, *_ = text.partition(":")
            row = SKILLS.get(name.partition(" (")[0].strip())
            if row is not None and row.attribute in keys:
                return skill_label(text)
    return ""


def _shared_area(first: Entry, other: Entry) -> str:
    """Return the text by which two options of one name say the same thing."""
    if first.key[0] != other.key[0] or first.kind is None or other.option.name == CUSTOM:
        return ""
    if first.option.link != other.option.link:
        return ""
    key = next((each.key for each in first.kind.inputs if each.kind == "text"), "")
    text = other.option.note(key)
    return text if text and name_key(text) == name_key(first.option.note(key)) else ""


def stacking_limit(name: str, special: bool) -> int:
    """Return the guideline for what Advantages give one skill in all (MB-BG-04)."""
    limits = STACKING_LIMITS["combat" if name in COMBAT_SKILLS else "other"]
    return limits[1] if special else limits[0]


def stack_total_findings(title: str, total: int, place: str = "") -> Iterator[Finding]:
    """Yield a warning if Advantages give a skill more than the guideline (MB-BG-04)."""
    name = title.partition(":")[0].partition(" (")[0].strip()
    limit = stacking_limit(name, "(" in title)
    if total > limit:
        shown = {"skill": skill_label(title), "total": total, "cap": limit}
        yield warning("bg-stack-total", place, total, **shown)


def _total_findings(entries: Sequence[Entry]) -> Iterator[Finding]:
    totals: dict[str, int] = {}
    touching = [entry for entry in entries if entry.side == "advantage" and entry.touches_skills]
    titles = dict.fromkeys(text for entry in touching for text in entry.option.targets)
    for title in titles:
        target = skill_target(title)
        for entry in touching:
            if any(_covers(text, target) for text in entry.option.targets):
                totals[title] = totals.get(title, 0) + _gain(entry, bool(target.special))
    for title, total in totals.items():
        yield from stack_total_findings(title, total, "advantages")


def _covers(text: str, target: SkillTarget) -> bool:
    return skill_target(text).covers(target.name, target.focus, target.special)


def _gain(entry: Entry, special: bool) -> int:
    """Return the adds and bonus numbers that an Advantage gives its target."""
    total = 0
    for gives in entry.gives:
        bonus = entry.option.number(gives.bonus_from) if gives.bonus_from else gives.bonus
        total += gives.adds + bonus + (gives.special_adds if special else 0)
    return total
