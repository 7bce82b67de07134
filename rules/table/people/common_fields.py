"""Fields that the sheets of all systems have, and blocks that show a sheet's fields."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from typing import Any, Final

from rules.core.errors import InvalidInput
from rules.core.json_reader import value_for_error
from rules.core.name_matching import clean_name
from rules.table.blocks import Block, Fact, Group, Text, Viewers
from rules.table.forms.entry_fields import Lines, Rows
from rules.table.forms.fields import Typed
from rules.table.forms.form import Form
from rules.table.system import SheetPage

#: Longest name, in characters.
LONGEST_NAME: Final = 80
#: Longest web address of a portrait, in characters.
PORTRAIT_MAX: Final = 500
#: Longest notes, in characters.
NOTES_MAX: Final = 2000
#: Longest other text, in characters.
LONGEST_TEXT: Final = 2000

_ADDRESS: Final = re.compile(
    r"https://[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?\.[A-Za-z]{2,}(?::\d{1,5})?"
    r"(?:[/?#][A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]*)?"
)


def _read_address(text: str) -> str:
    """Return a web address, or an empty text. Raises InvalidInput("bad-portrait")."""
    if text and not _ADDRESS.fullmatch(text):
        raise InvalidInput(
            "bad-portrait", field="portrait", value=value_for_error(text), fix="write-address"
        )
    return text


def key_label(key: str) -> Text:
    """Return the label of a key."""
    return Text("as-written", {"text": key.capitalize()})


HINT_LIST: Final = Text("hint-list")
NAME_FIELD: Final = Typed(
    "name", title=Text("sheet-name"), most=LONGEST_NAME, needed=True, read=clean_name
)
_typed: Final = partial(Typed, free=True, blank=True)
PORTRAIT_FIELD: Final = _typed(
    "portrait",
    title=Text("sheet-portrait"),
    help=Text("hint-portrait"),
    most=PORTRAIT_MAX,
    read=_read_address,
)
NOTES_FIELD: Final = _typed(
    "notes", title=Text("sheet-notes"), help=Text("hint-notes"), most=NOTES_MAX, long=True
)
DESCRIPTION_FIELD: Final = _typed(
    "description", title=Text("sheet-description"), most=LONGEST_TEXT, long=True
)
EQUIPMENT_FIELD: Final = Lines(
    "equipment", title=Text("sheet-equipment"), help=HINT_LIST, free=True, into=tuple
)
#: Form of the fields that the table keeps for each character, beside the system's sheet.
TABLE_FORM: Final = Form((PORTRAIT_FIELD, NOTES_FIELD))


def field_blocks(form: Form, sheet: Any, seen: Viewers) -> list[Block]:
    """Return blocks of a sheet's fields for the viewers *seen*; none for empty fields.

    A field is a fact, a table is a group, and a long text is a group without a title. Rows with a
    label of their own (`one`) are facts.
    """
    blocks: list[Block] = []
    for field in form.fields:
        held, shown = getattr(sheet, field.key), field.told
        if held is None or held in ("", ()):
            continue
        if isinstance(field, Rows) and field.one is not None:
            blocks += [Fact(field.one, shown(row), seen) for row in held]
        elif isinstance(field, Rows | Lines):
            blocks.append(Group(field.title, tuple([(shown(row),) for row in held]), seen))
        elif field.title is None or (isinstance(field, Typed) and field.long):
            blocks.append(Group(None, ((shown(held),),), seen))
        else:
            blocks.append(Fact(field.title, shown(held), seen))
    return blocks


def field_pages(
    pages: Iterable[tuple[Text, Form]], sheet: Any, seen: Viewers
) -> tuple[SheetPage, ...]:
    """Return the pages of a sheet's fields, without empty ones."""
    filled: list[SheetPage] = []
    for title, form in pages:
        blocks = tuple(field_blocks(form, sheet, seen))
        if blocks:
            filled.append((title, blocks))
    return tuple(filled)
