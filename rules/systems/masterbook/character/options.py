"""Advantages and Compensations on a sheet (MB-BG-01, MB-BG-08).

A sheet holds records, never prose. `option_lines` reads and writes them as typed lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from rules.core.name_matching import name_key
from rules.core.record import Record
from rules.systems.masterbook.formulas.option_kinds import (
    CUSTOM,
    LOWER_ABILITIES,
    AbilityKind,
    BackgroundRows,
    Gives,
    OptionKind,
    Side,
    ability_kind,
    option_kind,
    option_title,
)

#: An option that is off until a price is paid, or gone for good (MB-BG-10, -45, -56).
OptionState = Literal["", "suspended", "lost"]
#: Key of the input that names one of the patterns of an option.
PATTERN: Final = "pattern"


class BackgroundOption(Record):
    """An Advantage or Compensation that a character has."""

    name: str
    column: int
    #: Chosen form of the option, or of its ability.
    mode: str = ""
    #: Skills, Attributes or abilities, as the option's inputs ask for them.
    targets: tuple[str, ...] = ()
    #: Texts by input: `("motive", "revenge")`.
    notes: tuple[tuple[str, str], ...] = ()
    #: Numbers by input, or by skill for a list of skills.
    numbers: tuple[tuple[str, int], ...] = ()
    #: The player's own name for it.
    label: str = ""
    #: Titles or labels of the Advantages that it hangs on.
    link: tuple[str, ...] = ()
    #: Whether the GM has agreed to it.
    approved: bool = False
    #: Whether the GM has refused it, and what the GM said.
    refused: bool = False
    ruling: str = ""
    #: Whether it came with another option or the species: it needs no slot and no Compensation.
    free: bool = False
    state: OptionState = ""
    #: Effects of the campaign's own option, as they were when it was chosen.
    own: tuple[Gives, ...] = ()

    @property
    def title(self) -> str:
        """`Skill Bonus (CI)`."""
        return option_title(self.name, self.column)

    @property
    def display_name(self) -> str:
        """The player's name for it, else the title."""
        return self.label or self.title

    @property
    def is_active(self) -> bool:
        return not self.state

    def note(self, key: str) -> str:
        """Return the text of an input; empty if nothing was said."""
        return dict(self.notes).get(key, "")

    def number(self, key: str, default: int = 0) -> int:
        """Return the number of an input."""
        return dict(self.numbers).get(key, default)


#: Advantages or Compensations of one sheet.
Options = tuple[BackgroundOption, ...]


def kind_of(
    option: BackgroundOption, side: Side, rows: BackgroundRows | None = None
) -> OptionKind | None:
    """Return the row of an option; None for a custom one, and for one that no table knows."""
    if option.name == CUSTOM:
        return None
    return option_kind(side, option.name, option.column, rows)


def gives_of(option: BackgroundOption, side: Side) -> Iterator[Gives]:
    """Yield what an option gives: its own, that of its mode and pattern, its abilities'."""
    if option.own:
        yield from option.own
        return
    yield from _gives_of_rows(option, side, None)


def own_gives(option: BackgroundOption, side: Side, rows: BackgroundRows) -> tuple[Gives, ...]:
    """Return what an option gives by the campaign's own rows; empty if it is the book's alone."""
    gives = tuple(_gives_of_rows(option, side, rows))
    of_book = tuple(_gives_of_rows(option, side, None))
    return () if gives == of_book else gives


def _gives_of_rows(
    option: BackgroundOption, side: Side, rows: BackgroundRows | None
) -> Iterator[Gives]:
    kind = kind_of(option, side, rows)
    if kind is None:
        return
    yield kind.gives
    mode = kind.mode(option.mode)
    if mode is not None:
        yield mode.gives
    pattern = option.note(PATTERN)
    yield from (row.gives for row in kind.patterns if row.id == pattern)
    if kind.has_input("abilities"):
        yield from _gives_of_abilities(option, rows)


def _gives_of_abilities(option: BackgroundOption, rows: BackgroundRows | None) -> Iterator[Gives]:
    """Yield what special abilities give; Multiple Abilities has two of column III (MB-BG-30)."""
    for row in abilities_of(option, rows):
        yield row.gives
        yield from (mode.gives for mode in row.modes if mode.id == option.mode)


def abilities_of(
    option: BackgroundOption, rows: BackgroundRows | None = None
) -> tuple[AbilityKind, ...]:
    """Return the rows of the abilities that an option names (MB-BG-30).

    Beside others, an ability is that of column III, even where column IV has one of its name.
    """
    columns = (option.column, LOWER_ABILITIES)
    if len(option.targets) > 1:
        columns = (LOWER_ABILITIES, option.column)
    abilities: list[AbilityKind] = []
    for name in option.targets:
        row = ability_kind(name, columns[0], rows) or ability_kind(name, columns[1], rows)
        if row is not None:
            abilities.append(row)
    return tuple(abilities)


def has_option(options: Options, name: str, column: int = 0) -> bool:
    """Return whether an active option of that name is among these; 0: of any column."""
    wanted = name_key(name)
    for option in options:
        if option.is_active and name_key(option.name) == wanted and column in (0, option.column):
            return True
    return False
