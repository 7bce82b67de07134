"""Tables' files, read and brought in where nobody waits for it: two megabytes take a quarter of a
second.

What is sent there and comes back is short, or cheap to read: the file as it is, and what a card
tells of it.
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

#: A file of so many bytes, or with so many characters and nothing else, is read at once: it takes
#: 10 ms.
_SHORT: Final = 64 * 1024
_FEW: Final = 10


class ImportPreview(Record):
    """What a file would bring: the table's name and system, characters with their owners there,
    names of decks.
    """

    name: str
    system: str
    characters: tuple[tuple[str | None, str], ...]
    decks: tuple[str, ...]
    #: The kind of each of the system's own parts.
    parts: tuple[str, ...] = ()

    @property
    def owners(self) -> tuple[str, ...]:
        """Whoever owns characters, in the file's order."""
        return tuple(dict.fromkeys(owner for owner, _ in self.characters if owner is not None))


def read_table_file(
    content: bytes, into: TableState | CreateTable
) -> tuple[str, ImportPreview, dict[str, str]]:
    """The file for `ImportTable` as text, what it would bring, and its owners' names; all of it has
    been read.

    Raises as `read_object`, and as `plan_import` for an empty table or as `plan_new` for one to be
    opened.
    """
    data, names = split_import_file(read_object(content))
    plan = (
        plan_new(into, data, PLAYABLE)[1]
        if isinstance(into, CreateTable)
        else plan_import(read_only_game(into), data)
    )
    found = import_preview(plan)
    return dump(data), found, {key: _clean(names[key]) for key in found.owners if key in names}


def is_long_import(file: bytes | Mapping[str, Any]) -> bool:
    """Whether others would wait for a file to be read, or for what it holds to be brought in."""
    if isinstance(file, bytes):
        return len(file) > _SHORT
    characters = file.get("characters")
    many = isinstance(characters, list) and len(characters) > _FEW
    return many or bool(file.get("decks") or file.get("campaign"))


def import_preview(plan: Plan) -> ImportPreview:
    """What a card tells of a plan."""
    return ImportPreview(
        plan.settings.name,
        plan.settings.system,
        tuple([(each.owner, each.name) for each in plan.characters]),
        tuple([deck.name for deck in plan.decks]),
        tuple([kind for kind, _ in plan.parts]),
    )


def read_object(content: bytes) -> dict[str, Any]:
    """The object in a text of JSON. InvalidInput: "not-text", "not-json", "odd-json",
    "not-an-object".
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
