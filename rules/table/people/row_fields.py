"""Fields of a sheet that go by tables: entries found by their rows' names, and what is carried as
lines of words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar

from rules.core.errors import InvalidInput
from rules.core.json_reader import Reader
from rules.core.name_matching import clean_name, name_key, similar_or_first
from rules.table import forms
from rules.table.blocks import Text
from rules.table.forms import (
    QUOTE_MAX,
    Find,
    Form,
    FormContext,
    Lines,
    Number,
    PartialGame,
    Pick,
    Typed,
    Values,
    plain_options,
)

S = TypeVar("S")

#: The longest entry of a row, in characters.
LONGEST_ENTRY: Final = 100


def short_field(key: str) -> Typed:
    """Return a field for a short text that may be empty."""
    return Typed(key, most=LONGEST_ENTRY, blank=True)


def optional_pick(key: str, names: Iterable[str], title: Text | None = None) -> Pick:
    """Return a field for one of these or none. A record holds none as an empty text."""
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

    An unknown name is kept as typed, or refused if `strict`.
    """

    def find(asking: FormContext, text: str) -> str:
        names, wanted = tuple(rows(asking.campaign)), name_key(text)
        found = next((name for name in names if name_key(name) == wanted), None)
        if found is None and strict:
            near = similar_or_first(text, names)
            raise InvalidInput(
                "not-in-tables",
                field="name",
                value=text[:QUOTE_MAX],
                fix="rename-or-remove",
                nearest=near,
            )
        return clean_name(text.strip()) if found is None else found

    return find


def coded_field(
    key: str, into: Callable[[str | None], Any], back: Callable[[Any], str | None], **more: Any
) -> Typed:
    """Return a field that a record holds as a text; `into` reads it and `back` writes it.

    It is null if there is nothing.
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
    """A character from a JSON object: the name, and the sheet that `make` makes; `check` notes what
    else is wrong.

    Raises only Problems("bad-character", count), every violation at once, each with its place,
    value and fix.
    """
    values = form.read_file(
        data,
        "bad-character",
        lambda reader, values: check(reader, make(values)),
        FormContext(PartialGame(campaign)),
    )
    return values["name"], make(values)


class Labels:
    """Fields whose title is their key in words, or what they are `called`; `hint` says what to
    write.
    """

    def __init__(self, hint: Callable[[str], Text], most: int, called: Mapping[str, str]) -> None:
        self.hint = hint
        self._most = most
        self._called = called

    def title(self, key: str) -> Text:
        return Text(
            "as-written", {"text": self._called.get(key, key.replace("_", " ").capitalize())}
        )

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
    ) -> forms.Rows:
        """Return the field of a table.

        A line that cannot be read is kept as a name, with `instead` for the rest of its row.
        """
        kept = instead or {}
        return forms.Rows(
            key,
            form,
            title=self.title(key),
            help=self.hint(key),
            most=self._most,
            line=line,
            said=said,
            instead=lambda text: {"name": text, **kept},
            kind=kind,
            told=told or (lambda held: Text("as-written", {"text": said(form.all_values(held))})),
            **more,
        )
