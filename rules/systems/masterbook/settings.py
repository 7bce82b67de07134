"""What a table that plays MasterBook agrees on besides what all do: options of the rules, and how it reads them."""

from __future__ import annotations

from typing import Final

from rules.core.data_rows import data, read
from rules.table.actions import ChangeSettings
from rules.table.choice_rows import OptionRow, option_fields
from rules.table.commands import Command, Does
from rules.table.forms import Form, Pick, Values, as_written
from rules.table.settings import WINDOW
from rules.table.system import Game

_ROWS: Final = read(dict[str, object], data("rules.systems.masterbook", "settings")())
SETTINGS: Final = Form((WINDOW, *option_fields(read(tuple[OptionRow, ...], _ROWS["settings"]))))
#: Options that go together; what a preset does not name is as the book has it.
PRESETS: Final = read(dict[str, dict[str, bool | int | str]], _ROWS["presets"])
_CHANGED: Final = tuple(dict.fromkeys([key for each in PRESETS.values() for key in each]))


def _preset(game: Game, given: Values) -> Does:
    values = {key: SETTINGS.defaults[key] for key in _CHANGED} | dict(PRESETS[given["preset"]])
    return Does(ChangeSettings, {"values": values}, openly=True)


COMMANDS: Final = (
    Command("preset", _preset, Form((Pick("preset", choices=as_written(PRESETS), needed=True),))),
)
