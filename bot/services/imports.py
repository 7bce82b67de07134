"""Reading of table files. Long files are read in the worker process: 2 MB take a quarter second.

The data that crosses processes is short or cheap to decode: the file's text, and its preview.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from bot.services.transfer import split_import_file
from bot.storage.codec import dump
from rules.core.errors import InvalidInput
from rules.core.record import Record
from rules.registry import PLAYABLE, read_only_game
from rules.table.actions import CreateTable
from rules.table.state import TableState
from rules.table.transfer import Plan, plan_import, plan_new

#: Most bytes, and most characters, of a file that is read in the bot's own process: 10 ms at most.
_SHORT: Final = 64 * 1024
_FEW: Final = 10


class ImportPreview(Record):
    """Preview of a table file: its name, system, characters and decks."""

    name: str
    system: str
    #: Owner's id in the file and name of each character.
    characters: tuple[tuple[str | None, str], ...]
    #: Names of the decks.
    decks: tuple[str, ...]
    #: The kind of each of the system's own parts.
    parts: tuple[str, ...] = ()

    @property
    def owners(self) -> tuple[str, ...]:
        """Ids of the characters' owners, in the file's order."""
        return tuple(dict.fromkeys(owner for owner, _ in self.characters if owner is not None))


def read_table_file(
    content: bytes, into: TableState | CreateTable
) -> tuple[str, ImportPreview, dict[str, str]]:
    """Return the file's text for `ImportTable`, its preview and its owners' names.

    The whole file is validated. Raises as `read_object`, and as `plan_import` for an empty table or
    as `plan_new` for a table to be opened.
    """
    data, names = split_import_file(read_object(content))
    plan = (
        plan_new(into, data, PLAYABLE)[1]
        if isinstance(into, CreateTable)
        else plan_import(read_only_game(into), data)
    )
    preview = import_preview(plan)
    return dump(data), preview, {key: _clean(names[key]) for key in preview.owners if key in names}


def is_long_import(file: bytes | Mapping[str, Any]) -> bool:
    """Return whether a file, or the import of its contents, needs the worker process."""
    if isinstance(file, bytes):
        return len(file) > _SHORT
    characters = file.get("characters")
    many = isinstance(characters, list) and len(characters) > _FEW
    return many or bool(file.get("decks") or file.get("campaign"))


def import_preview(plan: Plan) -> ImportPreview:
    """Return the preview of a plan."""
    return ImportPreview(
        plan.settings.name,
        plan.settings.system,
        tuple([(character.owner, character.name) for character in plan.characters]),
        tuple([deck.name for deck in plan.decks]),
        tuple([kind for kind, _ in plan.parts]),
    )


def read_object(content: bytes) -> dict[str, Any]:
    """Return the object in a JSON text.

    Raises InvalidInput("not-text"), ("not-json"), ("odd-json") or ("not-an-object").
    """
    try:
        data = json.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InvalidInput(
            "not-text", field="file", value=None, allowed="a JSON file in UTF-8"
        ) from None
    except json.JSONDecodeError as error:
        raise InvalidInput(
            "not-json",
            field="file",
            value=None,
            allowed="JSON",
            line=error.lineno,
            column=error.colno,
        ) from None
    except (RecursionError, ValueError):
        raise InvalidInput("odd-json", field="file", value=None, allowed="JSON") from None
    if not isinstance(data, dict):
        raise InvalidInput("not-an-object", field="file", value=None, allowed="one JSON object")
    return data


def _clean(name: str) -> str:
    return name[:100].encode("utf-8", "replace").decode()
