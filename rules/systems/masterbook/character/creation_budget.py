"""Points and columns of a new character: available, used and due.

MB-CHAR-02, MB-CHAR-08, MB-CHAR-09, MB-BG-03, MB-BG-12. All functions are quick enough to be called
at every change of a draft.
"""

from __future__ import annotations

from rules.core.name_matching import name_key
from rules.core.record import Record
from rules.systems.masterbook.character.background_findings import counts, sheet_balance
from rules.systems.masterbook.character.creation_rules import CreationRules, creation_rules
from rules.systems.masterbook.character.option_entries import OptionEntry, is_known, option_entries
from rules.systems.masterbook.character.option_findings import link_names
from rules.systems.masterbook.character.raw_sheet import (
    RawSheet,
    is_whole,
    raw_sheet,
    whole_attributes,
)
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.character.skill_points import skill_budget, spent_halves
from rules.systems.masterbook.formulas.background_balance import ALL_COLUMNS
from rules.table.system import Game


class Points(Record):
    """Points of one kind; skill points are counted in halves (MB-CHAR-09)."""

    available: int
    spent: int

    @property
    def left(self) -> int:
        """What is left; negative if too much is spent."""
        return self.available - self.spent


class ColumnBudget(Record):
    """One column of both sides of a background (MB-BG-03)."""

    column: int
    #: Advantages allowed, with those from trades; None without a limit.
    limit: int | None
    used: int
    #: Compensations due and chosen.
    due: int
    chosen: int

    @property
    def missing(self) -> int:
        """Compensations that are still due."""
        return max(0, self.due - self.chosen)

    @property
    def free(self) -> int | None:
        """Advantages that may still be chosen; None without a limit."""
        return None if self.limit is None else max(0, self.limit - self.used)

    @property
    def over(self) -> int:
        """Advantages above the limit."""
        return 0 if self.limit is None else max(0, self.used - self.limit)

    @property
    def is_open(self) -> bool:
        """Whether there is anything in the column, or may be."""
        return bool(self.limit is None or self.limit or self.used or self.due or self.chosen)


class Budget(Record):
    """Points and columns of a new character, by kind."""

    attributes: Points
    #: Skill points, in halves.
    skill_halves: Points
    #: Columns that are open; none if the table plays without backgrounds.
    columns: tuple[ColumnBudget, ...] = ()


class Suggestion(Record):
    """Compensations that go well with an option of the sheet (MB-BG-12)."""

    place: str
    #: Title of the option that they go with.
    title: str
    names: tuple[str, ...]


def budget(game: Game, sheet: MasterbookSheet) -> Budget:
    """Return the points and columns of a sheet by the table's rules."""
    return raw_budget(creation_rules(game), raw_sheet(sheet))


def raw_budget(rules: CreationRules, raw: RawSheet) -> Budget:
    """Return the points and columns of a character as it was given.

    Attributes that have no whole value count nothing.
    """
    values = whole_attributes(raw)
    known = raw.attributes.values() if values is None else values.values()
    spent = sum(value for value in known if is_whole(value))
    skills = (skill.whole for skill in raw.skills if skill.name)
    halves = spent_halves(skill for skill in skills if skill is not None)
    return Budget(
        Points(rules.setting("attribute_points"), spent),
        Points(2 * (skill_budget(raw) or 0), halves),
        _columns(rules, raw) if rules.setting("background_generation") else (),
    )


def _columns(rules: CreationRules, raw: RawSheet) -> tuple[ColumnBudget, ...]:
    entries = _known_entries(rules, raw)
    books = sheet_balance(rules, raw, entries)
    advantages, compensations = counts(entries, "advantage"), counts(entries, "compensation")
    columns: list[ColumnBudget] = []
    for number in ALL_COLUMNS:
        column = ColumnBudget(
            number,
            books.limit(number),
            used=advantages.get(number, 0),
            due=books.due.get(number, 0),
            chosen=compensations.get(number, 0),
        )
        if column.is_open:
            columns.append(column)
    return tuple(columns)


def _known_entries(rules: CreationRules, raw: RawSheet) -> tuple[OptionEntry, ...]:
    return tuple(entry for entry in option_entries(rules, raw) if is_known(rules, entry, True))


def suggestions(game: Game, sheet: MasterbookSheet) -> tuple[Suggestion, ...]:
    """Return the Compensations that options of the sheet suggest and it lacks (MB-BG-12)."""
    entries = _known_entries(creation_rules(game), raw_sheet(sheet))
    present: set[str] = set()
    linked: set[str] = set()
    for entry in entries:
        if entry.side == "compensation":
            present.add(entry.key[0])
        linked.update(name_key(text) for text in entry.option.link)
    suggested: list[Suggestion] = []
    for entry in entries:
        if entry.kind is None or linked.intersection(link_names(entry)):
            continue
        lacking = tuple(name for name in entry.kind.suggests if name_key(name) not in present)
        if lacking:
            suggested.append(Suggestion(entry.place, entry.option.title, lacking))
    return tuple(suggested)
