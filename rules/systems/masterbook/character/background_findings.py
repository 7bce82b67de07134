"""Findings about a background, in the order of the list; here those about columns.

MB-BG-01 to MB-BG-09. `option_findings` has those about single options, `pair_findings` those about
pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rules.core.name_matching import similar_or_first
from rules.systems.masterbook.character.creation_rules import CreationRules
from rules.systems.masterbook.character.findings import Finding, error, warning
from rules.systems.masterbook.character.option_entries import OptionEntry, is_known, option_entries
from rules.systems.masterbook.character.option_findings import link_findings, single_findings
from rules.systems.masterbook.character.pair_findings import pair_findings
from rules.systems.masterbook.character.raw_sheet import RawSheet
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
    LIST_COLUMNS,
    Side,
    Species,
    SpeciesOption,
    option_kinds,
)

#: Words for the sides in texts.
_WORDS: Final[dict[Side, str]] = {"advantage": "Advantage", "compensation": "Compensation"}


def background_findings(rules: CreationRules, raw: RawSheet, creation: bool) -> Iterator[Finding]:
    """Yield findings about a background; in play only those about unknown options and links."""
    entries = option_entries(rules, raw)
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


def _unknown(rules: CreationRules, entry: OptionEntry) -> Finding:
    """Return the finding about an option, or an ability, that no table has."""
    option = entry.option
    titles = [kind.title for kind in option_kinds(entry.side, rules.rows)]
    near = similar_or_first(option.title, titles)
    is_ability = entry.kind is not None and option.targets
    name = option.targets[0] if is_ability else option.name
    shown = {"kind": _WORDS[entry.side], "name": name, "column": option.column}
    return error("bg-unknown", entry.place, name, nearest=tuple(near), **shown)


# --- columns --------------------------------------------------------------------------------------


def counts(entries: Sequence[OptionEntry], side: Side) -> Columns:
    """Return the number of chosen options of one side by column (MB-BG-03)."""
    chosen: dict[int, int] = {}
    for entry in entries:
        if entry.side == side and entry.is_chosen:
            column = entry.option.column
            chosen[column] = chosen.get(column, 0) + 1
    return chosen


def sheet_balance(rules: CreationRules, raw: RawSheet, entries: Sequence[OptionEntry]) -> Balance:
    """Return slots and dues of a sheet, by the table's limits or its species' (MB-BG-03, -09)."""
    advantages, limits = counts(entries, "advantage"), rules.limits
    species = rules.species_of(raw.species)
    if species is not None and species.free is not None:
        limits = dict(enumerate(species.free, 1))
    if limits is not None and rules.setting("custom_columns"):
        limits = with_custom_columns(limits, advantages)
    return balance(limits, advantages, raw.trades, rules.trades)


def column_findings(
    rules: CreationRules, raw: RawSheet, entries: Sequence[OptionEntry]
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
    for over_limit in over_limit_errors(books, advantages):
        yield Finding(over_limit, blocks=True)
    if compensations is not None:
        for missing in missing_errors(books, compensations):
            yield Finding(missing, blocks=True)
        for extra in extra_warnings(books, compensations):
            yield Finding(extra, blocks=False)
    for trade_error in books.errors:
        yield Finding(trade_error, blocks=True)


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
