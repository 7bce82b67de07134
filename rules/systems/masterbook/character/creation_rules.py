"""The table's rules for new characters: its settings, and its campaign's rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from rules.core.name_matching import name_key
from rules.core.record import Record
from rules.systems.masterbook.character.option_effects import skill_target
from rules.systems.masterbook.character.sheet import MAX_LIFE_POINTS, STARTING_LIFE_POINTS
from rules.systems.masterbook.character.skill_names import split_skill
from rules.systems.masterbook.formulas.background_balance import Columns, TradeRules, column_limits
from rules.systems.masterbook.formulas.option_kinds import (
    BACKGROUND_ROWS,
    LIST_COLUMNS,
    BackgroundRows,
    Species,
)
from rules.table.system import Game

#: Function that returns a setting of the table by its key.
Setting = Callable[[str], Any]
#: Keys of settings that a table may lack; the book's number counts without them.
_START: Final = "life_points_start"
_MOST: Final = "life_points_max"


class CreationRules(Record):
    """A table's rules for new characters: its settings, and its campaign's rows."""

    setting: Setting
    rows: BackgroundRows = BackgroundRows()
    #: Whether the GM looks at new characters, and so at options that need consent (OP-49).
    approves: bool = False
    life_points_start: int = STARTING_LIFE_POINTS
    life_points_max: int = MAX_LIFE_POINTS

    @property
    def trades(self) -> TradeRules:
        """Trades of columns that the table allows."""
        return TradeRules(
            self.setting("cross_column_selection"),
            self.setting("cross_column_up"),
            self.setting("compensation_shift"),
        )

    @property
    def limits(self) -> Columns | None:
        """Numbers of Advantages by column; None if the table has set none (MB-BG-02)."""
        return background_limits(self.setting("background_limits"), self.rows)

    def species_of(self, name: str) -> Species | None:
        """Return a species of the campaign by name (MB-BG-09)."""
        rows = (*self.rows.species, *BACKGROUND_ROWS.species)
        return next((row for row in rows if name_key(row.name) == name_key(name)), None)

    def is_barred_skill(self, title: str) -> bool:
        """Return whether the setting has no such skill (MB-CHAR-12)."""
        name, focus, _ = split_skill(title)
        barred = (skill_target(text) for text in entries_of(self.setting("barred_skills")))
        return any(target.covers(name, focus) for target in barred)

    def is_barred_option(self, title: str) -> bool:
        """Return whether the setting has no such option (MB-BG-02)."""
        wanted = name_key(title)
        barred = (name_key(text) for text in entries_of(self.setting("barred_options")))
        return any(text in (wanted, wanted.rpartition("(")[0].strip()) for text in barred)


def background_rows(game: Game) -> BackgroundRows | None:
    """Return the rows of a table's campaign; None without a campaign that has any."""
    return game.campaign if isinstance(game.campaign, BackgroundRows) else None


def creation_rules(game: Game) -> CreationRules:
    """Return the rules of creation of a table."""
    rows = background_rows(game) or BackgroundRows()
    known = game.system.settings.keys
    start = game.setting(_START) if _START in known else STARTING_LIFE_POINTS
    most = game.setting(_MOST) if _MOST in known else MAX_LIFE_POINTS
    return CreationRules(game.setting, rows, game.state.settings.approve, start, most)


def entries_of(text: str) -> tuple[str, ...]:
    """Return the entries of a setting that is a list: commas between them."""
    return tuple(part.strip() for part in str(text or "").split(",") if part.strip())


def background_limits(text: str, rows: BackgroundRows) -> Columns | None:
    """Return the limits that a preset or four numbers set; None for neither (MB-BG-02)."""
    numbers = text.replace("/", " ").replace(",", " ").split()
    if len(numbers) == LIST_COLUMNS and all(number.isdecimal() for number in numbers):
        return column_limits([int(number) for number in numbers])
    for preset in (*rows.presets, *BACKGROUND_ROWS.presets):
        if name_key(preset.name) == name_key(text):
            return column_limits(preset.limits)
    return None
