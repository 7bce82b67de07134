"""Fields of settings, also from rows of a system's data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from rules.core.name_matching import name_key
from rules.core.record import Record
from rules.table.blocks import Text
from rules.table.forms.fields import Flag, Number, Option, Pick, Typed
from rules.table.forms.form import Field

F = TypeVar("F", bound=Flag | Number | Pick | Typed)


def setting_field(field: F) -> F:
    """Return a field with the title and help of a setting of its key."""
    key = field.key.replace("_", "-")
    return field.replace(title=Text(f"setting-{key}"), help=Text(f"setting-{key}-help"))


#: Words that can be typed for 0, where 0 switches a setting off.
_NONE_WORDS: Final = frozenset(("none", "no", "off", "never", "nothing", "no limit", "no time"))


def number_without(text: str) -> int | None:
    """Return 0 for a word that means nothing, else None; for `Number.typed`."""
    return 0 if name_key(text) in _NONE_WORDS else None


class OptionRow(Record):
    """A setting: a switch, one of a few values, a number or a text.

    The catalog has its label (`setting-<key>`), its description (`setting-<key>-help`), the words
    by which it is also found (`setting-<key>-words`), the labels of its values
    (`setting-<key>-value`) and what its value does (`setting-does-<key>`).
    """

    key: str
    default: bool | int | str
    #: Values to pick from.
    values: tuple[str, ...] = ()
    #: Numbers that a menu offers.
    offered: tuple[int, ...] = ()
    low: int = 0
    #: Whether 0 switches it off. The catalog has the words for that (`setting-<key>-none`), and
    #: `none` can be typed for it.
    none: bool = False
    #: Page of the setting; the catalog has its title (`settings-topic-<topic>`).
    topic: str = ""


def _value_text(row: OptionRow, value: str) -> Text:
    key = row.key.replace("_", "-")
    return Text(f"setting-{key}-value", {"value": value})


def _number_text(row: OptionRow) -> Callable[[int], Text]:
    """Return a function from a number of this setting to its label."""
    key = row.key.replace("_", "-")

    def text(number: int) -> Text:
        if row.none and number == 0:
            return Text(f"setting-{key}-none")
        return Text("setting-number", {"number": number})

    return text


def option_fields(
    rows: Sequence[OptionRow], most: int | None = None, read: Callable[[str], str] = str
) -> tuple[Field, ...]:
    """Return a field for each row; *read* reads the values of texts.

    Numbers go from a row's `low` to *most*. Without *most*, they go from the lowest to the highest
    offered one.
    """

    def field(row: OptionRow) -> Field:
        common: dict[str, Any] = {
            "default": row.default,
            "topic": Text(f"settings-topic-{row.topic}") if row.topic else None,
        }
        if row.values:
            values = tuple(Option(value, _value_text(row, value)) for value in row.values)
            return setting_field(Pick(row.key, choices=values, needed=True, **common))
        if row.offered:
            low, high = row.low, most
            if high is None:
                low, high = min(row.offered), max(row.offered)
            number = Number(
                row.key,
                low=low,
                high=high,
                offered=row.offered,
                needed=True,
                label=_number_text(row),
                typed=number_without if row.none else None,
                **common,
            )
            return setting_field(number)
        if isinstance(row.default, bool):
            return setting_field(Flag(row.key, **common))
        return setting_field(Typed(row.key, most=20, blank=True, read=read, **common))

    return tuple(map(field, rows))
