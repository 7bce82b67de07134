"""Drafts of characters, read as far as they can be read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.core.errors import InvalidInput, RulesError
from rules.core.json_reader import Reader
from rules.systems.masterbook.character.creation_rules import creation_rules
from rules.systems.masterbook.character.given_options import with_given_options
from rules.systems.masterbook.character.raw_sheet import read_raw_sheet
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.character.sheet_io import CHARACTER, sheet_from_values
from rules.table.forms.fields import FormContext
from rules.table.system import Game

#: Values of a character that is being made, by the key of their field: texts as they are typed,
#: and values as they are chosen or already read.
Draft = Mapping[str, Any]


def drafted_sheet(game: Game, draft: Draft) -> MasterbookSheet:
    """Return the sheet that a draft makes, without what can't be read.

    Options that come by themselves, such as those of a species, are on the sheet.
    """
    reader = Reader()
    values: dict[str, object] = {}
    for field in CHARACTER.fields:
        value = draft.get(field.key)
        if isinstance(value, str):
            value = field.parse_text(reader, field.key, value) if value.strip() else None
        if value is not None:
            values[field.key] = value
    sheet = sheet_from_values(CHARACTER.read_into(reader, values, FormContext(game), ""))
    rules = creation_rules(game)
    raw = with_given_options(rules, read_raw_sheet(values, rules.rows))
    return sheet.replace(
        advantages=tuple(option for option in raw.advantages if option.name),
        compensations=tuple(option for option in raw.compensations if option.name),
    )


def hidden_field_error(asking: FormContext, word: str) -> RulesError:
    """Return the error for a field that this table's form doesn't have."""
    return InvalidInput("unknown-option", field="with", value=word, nearest=(), allowed=())
