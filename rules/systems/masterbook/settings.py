"""What a table that plays MasterBook agrees on besides what all do: options of the rules, and how it reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.core.record import record
from rules.core.rows import data, read
from rules.table.actions import ChangeSettings
from rules.table.commands import Command, Does
from rules.table.events import Line
from rules.table.forms import Field, Flag, Form, Number, Option, Pick, Values, as_written
from rules.table.settings import WINDOW
from rules.table.system import Game


@record
class _Way:
    id: str
    words: str


@record
class _Option:
    """An option of the rules: on or off, one of a few `values`, or a number of those `offered`."""

    key: str
    name: str
    help: str
    usual: bool | int | str
    values: tuple[_Way, ...] = ()
    offered: tuple[int, ...] = ()


@record
class _Rows:
    settings: tuple[_Option, ...]
    presets: Mapping[str, Mapping[str, bool | int | str]]


_ALL: Final = read(_Rows, data("rules.systems.masterbook", "settings")())


def _said(text: str) -> Line:
    return Line("as-written", {"text": text})


def _counted(number: int) -> Line:
    return Line("mb-setting-number", {"number": number})


def _field(row: _Option) -> Field:
    about: dict[str, Any] = {"title": _said(row.name), "help": _said(row.help), "usual": row.usual}
    if row.values:
        ways = tuple([Option(each.id, _said(each.words)) for each in row.values])
        return Pick(row.key, among=ways, needed=True, **about)
    if not row.offered:
        return Flag(row.key, **about)
    low, high = min(row.offered), max(row.offered)
    return Number(row.key, low=low, high=high, offered=row.offered, label=_counted, needed=True, **about)


SETTINGS: Final = Form((WINDOW, *[_field(each) for each in _ALL.settings]))
#: Options that go together; what a preset does not name is as the book has it.
PRESETS: Final = _ALL.presets
_CHANGED: Final = tuple(dict.fromkeys([key for each in PRESETS.values() for key in each]))


def _preset(game: Game, given: Values) -> Does:
    values = {key: SETTINGS.usual(key) for key in _CHANGED} | dict(PRESETS[given["preset"]])
    return Does(ChangeSettings, {"values": values}, openly=True)


COMMANDS: Final = (
    Command("preset", _preset, Form((Pick("preset", among=as_written(PRESETS), needed=True),))),
)
