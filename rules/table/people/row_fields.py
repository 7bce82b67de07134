"""Fields of a sheet whose values are rows of the system's tables, or lines of words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar

from rules.core.errors import InvalidInput
from rules.core.json_reader import Reader
from rules.core.name_matching import clean_name, name_key, similar_or_first
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms.entry_fields import Lines, Rows
from rules.table.forms.fields import (
    QUOTE_MAX,
    Find,
    FormContext,
    Number,
    PartialGame,
    Pick,
    Typed,
    plain_options,
)
from rules.table.forms.form import Form

S = TypeVar("S")

#: Longest entry of a row, in characters.
LONGEST_ENTRY: Final = 100


def short_field(key: str) -> Typed:
    """Return a field for a short text that may be empty."""
    return Typed(key, most=LONGEST_ENTRY, blank=True)


def optional_pick(key: str, names: Iterable[str], title: Text | None = None) -> Pick:
    """Return a field for one of these names or none. A record holds none as an empty text."""
    return Pick(
        key,
        title=title,
        choices=plain_options(names),
        null=True,
        into=lambda value: value or "",
        back=lambda held: held or None,
    )


def row_finder(rows: Callable[[Any], Iterable[str]], *, strict: bool = False) -> Find:
    """Return a finder of a campaign's row by name, in any case.

    An unknown name is kept as typed. With *strict*, it raises InvalidInput("not-in-tables").
    """

    def find(asking: FormContext, text: str) -> str:
        names, wanted = tuple(rows(asking.campaign)), name_key(text)
        for name in names:
            if name_key(name) == wanted:
                return name
        if strict:
            raise InvalidInput(
                "not-in-tables",
                field="name",
                value=text[:QUOTE_MAX],
                fix="rename-or-remove",
                nearest=similar_or_first(text, names),
            )
        return clean_name(text.strip())

    return find


def coded_field(
    key: str, into: Callable[[str | None], Any], back: Callable[[Any], str | None], **more: Any
) -> Typed:
    """Return a field for a value that *into* reads from a text and *back* writes.

    An absent value is null.
    """
    return Typed(
        key, read=lambda text: back(into(text)) or "", into=into, back=back, null=True, **more
    )


def read_character(
    form: Form,
    data: Mapping[str, object],
    campaign: Any,
    make: Callable[[Values], S],
    check: Callable[[Reader, S], None],
) -> tuple[str, S]:
    """Return the name and sheet of a character from a JSON object.

    *make* makes the sheet from the form's values, and *check* notes further problems of it.

    Raises only Problems("bad-character", count) with every violation, each with its place, value
    and fix.
    """
    values = form.read_file(
        data,
        "bad-character",
        lambda reader, values: check(reader, make(values)),
        FormContext(PartialGame(campaign)),
    )
    return values["name"], make(values)


class Labels:
    """Maker of fields whose titles are their keys in words.

    *hint* returns the help for a key. *most* is the most rows of a table. *called* has titles for
    keys that aren't words.
    """

    def __init__(self, hint: Callable[[str], Text], most: int, called: Mapping[str, str]) -> None:
        self.hint = hint
        self._most = most
        self._called = called

    def title(self, key: str) -> Text:
        words = self._called.get(key, key.replace("_", " ").capitalize())
        return Text("as-written", {"text": words})

    def number(self, key: str, high: int, *, hint: bool = False, **more: Any) -> Number:
        help = self.hint(key) if hint else None
        return Number(key, title=self.title(key), help=help, high=high, **more)

    def typed(self, key: str, most: int, **more: Any) -> Typed:
        return Typed(key, title=self.title(key), most=most, blank=True, free=True, **more)

    def names(self, key: str, **more: Any) -> Lines:
        title, help = self.title(key), self.hint(key)
        return Lines(
            key, title=title, help=help, most=20, longest=LONGEST_ENTRY, into=tuple, **more
        )

    def rows(
        self,
        key: str,
        form: Form,
        kind: type[Any],
        line: Callable[[str], Any],
        said: Callable[[Any], str],
        *,
        instead: Values | None = None,
        told: Callable[[Any], Text] | None = None,
        **more: Any,
    ) -> Rows:
        """Return the field of a table.

        A line that can't be read becomes the name of a row, with *instead* as its other values.
        """
        others = instead or {}
        return Rows(
            key,
            form,
            title=self.title(key),
            help=self.hint(key),
            most=self._most,
            line=line,
            said=said,
            instead=lambda text: {"name": text, **others},
            kind=kind,
            told=told or (lambda held: Text("as-written", {"text": said(form.all_values(held))})),
            **more,
        )
