"""Takes out of the database what somebody wants forgotten, and what belongs to a server that is
gone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from bot.storage.connection import Connection
from bot.storage.high_water_mark import keep_highest
from bot.storage.row_records import EntryRow

#: What somebody has written between dice: `2d6 [fire]`.
_NOTE: Final = re.compile(r"\s*\[[^\]]*\]")
#: What stands in place of an action whose texts are gone.
REDACTED_ACTION: Final = "{}"

#: The database's tables with a few rows of each game table.
_OF_TABLES: Final = ("part", "due", "person", "seed", "place", "panel", "scrub")
#: Who is noted as to be forgotten where a whole table is.
_EVERYBODY: Final = ""
#: So many entries are scrubbed at a time.
_SCRUBBED: Final = 100


def redact_person(connection: Connection, table_id: int, person: str, seq: int, at: int) -> None:
    """Drop a participant's row and drafts; what they typed up to entry `seq` is not shown from now
    on.

    `scrub` takes it out of the file, step by step.
    """
    with connection.overwriting():
        connection.execute(
            # Table 0 has the drafts of tables that are yet to be opened.
            "DELETE FROM panel WHERE table_id IN (?1, 0) AND user_id IN"
            " (SELECT user_id FROM person WHERE table_id = ?1 AND id = ?2)",
            (table_id, person),
        )
        connection.execute("DELETE FROM person WHERE table_id = ? AND id = ?", (table_id, person))
    connection.execute(
        "UPDATE outbox SET done_at = ?, token = NULL, error = 'forgotten' WHERE table_id = ?"
        " AND person = ? AND done_at IS NULL AND journal_id NOT IN"
        " (SELECT id FROM journal WHERE table_id = ? AND seq = ?)",
        (at, table_id, person, table_id, seq),
    )
    # A snapshot from before is no use any more, so that the next one is due.
    connection.execute(
        "UPDATE game_table SET redacted_seq = ?, snapshot_seq = 0 WHERE id = ?", (seq, table_id)
    )
    # Whoever came back meanwhile and left again: it begins anew.
    connection.execute(
        "INSERT INTO scrub (table_id, person, seq) VALUES (?, ?, ?)"
        " ON CONFLICT (table_id, person) DO UPDATE SET seq = excluded.seq, done_seq = 0",
        (table_id, person, seq),
    )


def clean_entries(connection: Connection, rows: Sequence[EntryRow]) -> tuple[EntryRow, ...]:
    """Entries of one table without what `scrub` has not got to yet."""
    jobs = connection.execute(
        "SELECT person, seq FROM scrub WHERE table_id = ?", (rows[0].table_id,)
    ).fetchall()
    found = tuple(rows)
    for person, seq in jobs:
        if person == _EVERYBODY:
            return ()
        found = tuple([_clean(row, person) if row.seq <= seq else row for row in found])
        found = tuple(
            [
                row.replace(action=REDACTED_ACTION)
                if row.actor == person and row.seq < seq
                else row
                for row in found
            ]
        )
    return found


def _clean(row: EntryRow, person: str) -> EntryRow:
    events = _without_texts(json.loads(row.events), person, own=row.actor == person)
    return row.replace(events=events)


def scrub(connection: Connection, table_id: int) -> bool:
    """Take out of a table's journal some more of what is wanted gone; whether there was
    anything.
    """
    job = connection.execute(
        "SELECT person, seq, done_seq FROM scrub WHERE table_id = ? ORDER BY person LIMIT 1",
        (table_id,),
    ).fetchone()
    if job is None:
        return False
    person, last, done = job
    with connection.overwriting():
        if person == _EVERYBODY:
            _drop_some(connection, table_id)
        else:
            _scrub(connection, table_id, person, last, done)
    return True


def _scrub(connection: Connection, table_id: int, person: str, last: int, done: int) -> None:
    """Scrub some more entries.

    That also drops what the parts were before them, whoever made them: it may hold the same texts.
    """
    until = min(last, done + _SCRUBBED)
    rows = connection.execute(
        "SELECT id, seq, actor, events FROM journal WHERE table_id = ? AND seq > ? AND seq <= ?",
        (table_id, done, until),
    ).fetchall()
    for row, number, actor, events in rows:
        cleaned = _without_texts(json.loads(events), person, own=actor == person)
        if cleaned != events:
            connection.execute("UPDATE journal SET events = ? WHERE id = ?", (cleaned, row))
        if actor == person and number < last:
            connection.execute("UPDATE journal SET action = ? WHERE id = ?", (REDACTED_ACTION, row))
        connection.execute(
            "UPDATE before_part SET schema_version = NULL, body = NULL"
            " WHERE journal_id = ? AND body IS NOT NULL",
            (row,),
        )
    connection.execute(
        "DELETE FROM snapshot WHERE table_id = ? AND seq > ? AND seq <= ?", (table_id, done, until)
    )
    if until == last:
        connection.execute(
            "DELETE FROM scrub WHERE table_id = ? AND person = ?", (table_id, person)
        )
    else:
        connection.execute(
            "UPDATE scrub SET done_seq = ? WHERE table_id = ? AND person = ?",
            (until, table_id, person),
        )


#: Events as they are stored: pairs of a class name and fields.
_Events = list[list[Any]]


def _without_texts(events: _Events, person: str, *, own: bool) -> str:
    """The events without what this participant wrote in them; numbers and names of characters stay.

    `own` tells that they come of what the participant did.
    """
    for kind, fields in events:
        if isinstance(fields, dict):
            _blank(kind, fields, person, own=own)
    return json.dumps(events, ensure_ascii=False, separators=(",", ":"))


def _blank(kind: str, fields: dict[str, Any], person: str, *, own: bool) -> None:
    by = own or fields.get("by") == person
    if by and kind == "Notice" and fields["what"].startswith("character-"):
        fields.pop("lines", None)  # they quote what was typed
    if own and kind == "DiceRolled":
        fields["text"] = _NOTE.sub("", str(fields.get("text", ""))).strip()
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
        if block.get("t") == "quote" and (
            block.get("by") == person or (own and not block.get("by"))
        ):
            block["text"] = ""
        _untype(block, person)


def _untype(told: Any, person: str) -> None:
    """Take what this participant typed out of a block, wherever it stands in a sentence or a list
    there.
    """
    if isinstance(told, dict):
        if told.get("code") == "typed" and told["params"]["by"] == person:
            told["params"]["text"] = "…"
        told = list(told.values())
    for each in told if isinstance(told, list) else ():
        _untype(each, person)


def drop_guilds(connection: Connection, guilds: Sequence[str]) -> list[tuple[int, ...]]:
    """Delete all tables of these servers; which ones, for each server. `scrub` goes on with their
    journals.
    """
    return [_drop(connection, guild) for guild in guilds]


def _drop(connection: Connection, guild: str) -> tuple[int, ...]:
    rows = connection.execute("SELECT id FROM game_table WHERE guild = ?", (guild,)).fetchall()
    found = tuple(table_id for (table_id,) in rows)
    with connection.overwriting():
        for table_id in found:
            for name in _OF_TABLES:
                connection.execute(f"DELETE FROM {name} WHERE table_id = ?", (table_id,))
            connection.execute(
                "UPDATE outbox SET done_at = created_at WHERE table_id = ? AND done_at IS NULL",
                (table_id,),
            )
            connection.execute("UPDATE game_table SET guild = '' WHERE id = ?", (table_id,))
            connection.execute(
                "INSERT INTO scrub (table_id, person, seq) VALUES (?, ?, 0)", (table_id, _EVERYBODY)
            )
    return found


def _drop_some(connection: Connection, table_id: int) -> None:
    """Delete some more of the journal of a table that is gone, and in the end what is left
    of it.
    """
    rows = connection.execute(
        "SELECT id FROM journal WHERE table_id = ? LIMIT ?", (table_id, _SCRUBBED)
    )
    ids = [row for (row,) in rows]
    marks = ",".join("?" * len(ids)) or "NULL"
    for name in ("before_part", "outbox"):
        connection.execute(f"DELETE FROM {name} WHERE journal_id IN ({marks})", ids)
    keep_highest(connection)
    connection.execute(f"DELETE FROM journal WHERE id IN ({marks})", ids)
    if not ids:
        for name in ("snapshot", "scrub"):
            connection.execute(f"DELETE FROM {name} WHERE table_id = ?", (table_id,))
        connection.execute("DELETE FROM game_table WHERE id = ?", (table_id,))
