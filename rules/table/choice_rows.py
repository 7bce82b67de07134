"""Fields of settings, and those of one rule system from rows of data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from rules.core.name_matching import name_key
from rules.core.record import Record
from rules.table.blocks import Text
from rules.table.forms import Field, Flag, Number, Option, Pick, Typed

F = TypeVar("F", bound=Flag | Number | Pick | Typed)


def setting_field(field: F) -> F:
    """A field with the words that a setting of its key has."""
    key = field.key.replace("_", "-")
    return field.replace(title=Text(f"setting-{key}"), help=Text(f"setting-{key}-help"))


#: What can be typed for 0 where that means that a setting is off.
_NONE_WORDS: Final = frozenset(("none", "no", "off", "never", "nothing", "no limit", "no time"))


def number_without(text: str) -> int | None:
    """Read a word for nothing as 0, for `Number.typed`."""
    return 0 if name_key(text) in _NONE_WORDS else None


class OptionRow(Record):
    """A setting: a switch, one of a few `values`, a number or a text.

    The catalog has its name (`setting-<key>`), its description (`setting-<key>-help`) and what its
    values are called (`setting-<key>-value`).
    """

    key: str
    usual: bool | int | str
    values: tuple[str, ...] = ()
    #: Numbers that a menu offers.
    offered: tuple[int, ...] = ()
    low: int = 0
    #: Whether 0 means that there is none; the catalog says what it means (`setting-<key>-none`),
    #: and `none` can be typed for it.
    none: bool = False
    #: Page on which it stands; the catalog names it (`settings-topic-<topic>`).
    topic: str = ""


def _value_text(row: OptionRow, value: str) -> Text:
    key = row.key.replace("_", "-")
    return Text(f"setting-{key}-value", {"value": value})


def _number_text(row: OptionRow) -> Callable[[int], Text]:
    """Return a function from a number of this setting to what it is called."""
    key = row.key.replace("_", "-")

    def text(number: int) -> Text:
        if row.none and number == 0:
            return Text(f"setting-{key}-none")
        return Text("setting-number", {"number": number})

    return text


def option_fields(
    rows: Sequence[OptionRow], most: int | None = None, read: Callable[[str], str] = str
) -> tuple[Field, ...]:
    """Return a field for each row; `read` reads a text.

    Numbers go up to `most`; without one, from the lowest to the highest offered.
    """

    def field(row: OptionRow) -> Field:
        about: dict[str, Any] = {
            "default": row.usual,
            "topic": Text(f"settings-topic-{row.topic}") if row.topic else None,
        }
        if row.values:
            values = tuple(Option(value, _value_text(row, value)) for value in row.values)
            return setting_field(Pick(row.key, choices=values, needed=True, **about))
        if row.offered:
            low, high = (min(row.offered), max(row.offered)) if most is None else (row.low, most)
            about |= {"low": low, "high": high, "offered": row.offered, "needed": True}
            if row.none:
                about["typed"] = number_without
            return setting_field(Number(row.key, label=_number_text(row), **about))
        if isinstance(row.usual, bool):
            return setting_field(Flag(row.key, **about))
        return setting_field(Typed(row.key, most=20, blank=True, read=read, **about))

    return tuple(map(field, rows))
