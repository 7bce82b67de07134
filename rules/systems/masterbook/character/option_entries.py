"""Options of a sheet with the rows of their tables, as findings about a background need them."""

from __future__ import annotations

from rules.core.name_matching import name_key
from rules.core.record import Record
from rules.systems.masterbook.character.creation_rules import CreationRules
from rules.systems.masterbook.character.option_lines import find_ability
from rules.systems.masterbook.character.options import BackgroundOption, Options, gives_of, kind_of
from rules.systems.masterbook.character.raw_sheet import RawSheet
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.formulas.option_kinds import (
    CUSTOM,
    LIST_COLUMNS,
    Gives,
    OptionKind,
    Side,
)


class OptionEntry(Record):
    """An option of a sheet, with its side, its place there and its row."""

    option: BackgroundOption
    side: Side
    #: Field and position: `advantages[0]`.
    place: str
    #: Row of its table; None for a custom option, and for one that no table has.
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
        return self._takes("macroskill")

    @property
    def skill_targets(self) -> tuple[str, ...]:
        """Skills that a Compensation makes harder, or an Advantage raises."""
        names: list[str] = []
        if self.kind is not None and self.kind.has_input("skills", "macroskill"):
            names += [target for target in self.option.targets if target not in ATTRIBUTES]
        if self._takes("scores"):
            names += [name for name, number in self.option.numbers if number]
        return tuple(names)

    def _takes(self, kind: str) -> bool:
        """Return whether the option takes an input of a kind in its mode."""
        if self.kind is None:
            return False
        applying = (row for row in self.kind.inputs if row.applies(self.option.mode))
        return any(row.kind == kind for row in applying)


def option_entries(rules: CreationRules, raw: RawSheet) -> tuple[OptionEntry, ...]:
    """Return all options of a sheet: Advantages first, each side by column, then as listed."""
    return (
        *_entries_of_side(rules, "advantage", raw.advantages),
        *_entries_of_side(rules, "compensation", raw.compensations),
    )


def _entries_of_side(rules: CreationRules, side: Side, options: Options) -> list[OptionEntry]:
    entries: list[OptionEntry] = []
    for at, option in enumerate(options):
        if option.name:
            kind = kind_of(option, side, rules.rows)
            gives = tuple(gives_of(option, side))
            entries.append(OptionEntry(option, side, f"{side}s[{at}]", kind, gives))
    return sorted(entries, key=lambda entry: entry.option.column)


def is_known(rules: CreationRules, entry: OptionEntry, creation: bool) -> bool:
    """Return whether a table has the option, or whether it may be a custom one (MB-BG-08).

    No table lists Compensations above column III: those are always the GM's own words (MB-BG-58).
    In play, a custom option stands for one of another table.
    """
    if entry.option.name == CUSTOM:
        from_gm = entry.side == "compensation" and entry.option.column >= LIST_COLUMNS
        return from_gm or not creation or bool(rules.setting("custom_columns"))
    if entry.kind is None:
        return False
    if not entry.kind.has_input("abilities"):
        return True
    column = entry.option.column
    return all(find_ability(name, column, rules.rows) for name in entry.option.targets)
