"""Takes out of the database what somebody wants forgotten, and what belongs to a server that is gone."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

#: What stands in place of an action whose texts are gone.
REDACTED: Final = "{}"

#: The database's tables with rows of game tables, in an order in which nothing is left that points to nowhere.
_OF_TABLES: Final = ("outbox", "journal", "part", "due", "person", "seed", "place", "panel")


@contextmanager
def _thoroughly(connection: sqlite3.Connection) -> Iterator[None]:
    """What is deleted meanwhile is overwritten in the file, not only taken out of sight."""
    connection.execute("PRAGMA secure_delete = ON").close()
    try:
        yield
    finally:
        connection.execute("PRAGMA secure_delete = OFF").close()


def forget(connection: sqlite3.Connection, table_id: int, person: str, seq: int, at: int) -> None:
    """Drop a participant's row and drafts, and what they typed from the journal up to entry `seq`.

    That also drops what the parts were before those entries, whoever made them: it may hold the same texts.
    """
    with _thoroughly(connection):
        connection.execute(
            "DELETE FROM panel WHERE table_id IN (?1, 0) AND user IN"  # 0: for a table yet to be opened
            " (SELECT user FROM person WHERE table_id = ?1 AND id = ?2)",
            (table_id, person),
        )
        connection.execute("DELETE FROM person WHERE table_id = ? AND id = ?", (table_id, person))
        rows = connection.execute(
            "SELECT id, seq, actor, events FROM journal WHERE table_id = ? AND seq <= ?", (table_id, seq)
        ).fetchall()
        told = [json.loads(events) for _, _, _, events in rows]
        leads = any(_answers(each, person) for each in told)
        for (row, number, actor, events), happened in zip(rows, told, strict=True):
            clean = _without_texts(happened, person, own=actor == person, leads=leads)
            if clean != events:
                connection.execute("UPDATE journal SET events = ? WHERE id = ?", (clean, row))
            if actor == person and number < seq:
                connection.execute("UPDATE journal SET action = ? WHERE id = ?", (REDACTED, row))
        connection.execute(
            "UPDATE before_part SET schema_version = NULL, body = NULL WHERE journal_id IN"
            " (SELECT id FROM journal WHERE table_id = ? AND seq <= ?)",
            (table_id, seq),
        )
        connection.execute(
            "UPDATE outbox SET done_at = ?, token = NULL, error = 'forgotten' WHERE table_id = ?"
            " AND person = ? AND done_at IS NULL AND journal_id NOT IN"
            " (SELECT id FROM journal WHERE table_id = ? AND seq = ?)",
            (at, table_id, person, table_id, seq),
        )
        connection.execute("UPDATE game_table SET redacted_seq = ? WHERE id = ?", (seq, table_id))


#: Events as they are stored: pairs of a class name and fields.
_Events = list[list[Any]]


def _answers(events: _Events, person: str) -> bool:
    """Whether this participant answers proposals here: notes and questions under checks may be theirs then."""
    return any(
        isinstance(fields, dict)
        and fields.get("by") == person
        and fields.get("step") in ("answered", "asked")
        for _, fields in events
    )


def _without_texts(events: _Events, person: str, *, own: bool, leads: bool) -> str:
    """The events without what this participant wrote in them; numbers and names of characters stay.

    `own` tells that they come of what the participant did.
    """
    for kind, fields in events:
        if isinstance(fields, dict):
            _blank(kind, fields, person, own=own, leads=leads)
    return json.dumps(events, ensure_ascii=False, separators=(",", ":"))


def _blank(kind: str, fields: dict[str, Any], person: str, *, own: bool, leads: bool) -> None:
    by = own or fields.get("by") == person
    if by and kind == "CharacterChanged":
        fields.pop("lines", None)  # they quote what was typed
    if own and kind == "RollSaved":
        fields.update({"name": "", "dice": "", "rolls": []})
    if kind == "BoardChanged" and "doing" in fields:
        fields["doing"] = ""  # who said it is not kept with it
        if fields.get("turn"):
            fields["lines"] = []  # they may quote a sheet
    for key in ("note", "reason"):
        if by and key in fields:
            fields[key] = ""
    for block in fields.get("blocks", ()):
        if block.get("t") == "quote" and (block.get("by") == person or (own and not block.get("by"))):
            block["text"] = ""
    view = fields.get("view")
    if not isinstance(view, dict):
        return
    owner = view.get("owner")
    if owner == person or (by and owner is None):
        view["approach"] = ""
    for key in ("question", "note"):
        if leads and key in view:
            view[key] = ""
    other = view.get("other")
    if isinstance(other, dict) and other.get("owner") == person and "approach" in other:
        other["approach"] = ""
    for helper in view.get("helpers", ()):
        theirs = helper.get("owner") == person or (by and helper.get("owner") is None)
        if theirs and "approach" in helper:
            helper["approach"] = ""


def drop_guilds(connection: sqlite3.Connection, guilds: Sequence[str]) -> list[tuple[int, ...]]:
    """Delete all tables of these servers with everything that belongs to them; which ones, for each server."""
    return [_drop(connection, guild) for guild in guilds]


def _drop(connection: sqlite3.Connection, guild: str) -> tuple[int, ...]:
    rows = connection.execute("SELECT id FROM game_table WHERE guild = ?", (guild,)).fetchall()
    found = tuple(table_id for (table_id,) in rows)
    with _thoroughly(connection):
        for table_id in found:
            connection.execute(
                "DELETE FROM before_part WHERE journal_id IN (SELECT id FROM journal WHERE table_id = ?)",
                (table_id,),
            )
            for name in _OF_TABLES:
                connection.execute(f"DELETE FROM {name} WHERE table_id = ?", (table_id,))
            connection.execute("DELETE FROM game_table WHERE id = ?", (table_id,))
    return found
