"""What a table that plays MasterBook agrees on besides what all do: options of the rules, and how
it reads them.
"""

from __future__ import annotations

from typing import Final

from rules.core.data_rows import from_json, json_loader
from rules.table.actions import ChangeSettings
from rules.table.choice_rows import OptionRow, option_fields
from rules.table.commands import Command, CommandAction
from rules.table.forms import Form, Pick, Values, plain_options
from rules.table.settings import REACTION_SETTINGS
from rules.table.system import Game

_ROWS: Final = from_json(dict[str, object], json_loader("rules.systems.masterbook", "settings")())
SETTINGS: Final = Form(
    (*REACTION_SETTINGS, *option_fields(from_json(tuple[OptionRow, ...], _ROWS["settings"])))
)
#: Options that go together; what a preset does not name is as the book has it.
PRESETS: Final = from_json(dict[str, dict[str, bool | int | str]], _ROWS["presets"])
_PRESET_KEYS: Final = tuple(dict.fromkeys([key for each in PRESETS.values() for key in each]))


def _preset(game: Game, given: Values) -> CommandAction:
    values = {key: SETTINGS.defaults[key] for key in _PRESET_KEYS} | dict(PRESETS[given["preset"]])
    return CommandAction(ChangeSettings, {"values": values}, openly=True)


COMMANDS: Final = (
    Command(
        "preset", _preset, Form((Pick("preset", choices=plain_options(PRESETS), needed=True),))
    ),
)
