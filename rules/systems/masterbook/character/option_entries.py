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


def option_entries(rules: CreationRules, raw: RawSheet) -> tuple[OptionEntry, ...]:
    """Return all options of a sheet: Advantages first, each side by column, then as listed."""
    found: list[OptionEntry] = []
    sides: tuple[tuple[Side, Options], ...] = (
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


def _entry(rules: CreationRules, side: Side, option: BackgroundOption, place: str) -> OptionEntry:
    kind = kind_of(option, side, rules.rows)
    return OptionEntry(option, side, place, kind, tuple(gives_of(option, side)))


def is_known(rules: CreationRules, entry: OptionEntry, creation: bool) -> bool:
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
