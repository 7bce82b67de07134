"""Removal of participants' texts from the database on request, and of servers that are gone."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from bot.storage.connection import Connection
from bot.storage.high_water_mark import keep_highest
from bot.storage.row_records import EntryRow

#: A player's note between dice: `2d6 [fire]`.
_NOTE: Final = re.compile(r"\s*\[[^\]]*\]")
#: Replacement for an action whose texts are gone.
REDACTED_ACTION: Final = "{}"

#: The database's tables with a few rows of each game table.
_OF_TABLES: Final = ("part", "due", "person", "seed", "place", "panel", "scrub", "notice")
#: Participant of the scrub row of a whole table.
_EVERYBODY: Final = ""
#: Entries that one step scrubs.
_BATCH: Final = 100


def redact_person(connection: Connection, table_id: int, person: str, seq: int, at: int) -> None:
    """Drop a participant's row and drafts, and hide the participant's texts up to entry `seq`.

    `scrub` removes the texts from the database, step by step.
    """
    with connection.overwriting():
        connection.execute(
            # Table 0 has the drafts of tables that are yet to be opened.
            "DELETE FROM panel WHERE table_id IN (?1, 0) AND user_id IN"
            " (SELECT user_id FROM person WHERE table_id = ?1 AND id = ?2)",
            (table_id, person),
        )
        connection.execute(
            "DELETE FROM notice WHERE table_id = ?1 AND user_id IN"
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
    # Earlier snapshots still have the texts. The caller keeps a new one.
    connection.execute(
        "UPDATE game_table SET redacted_seq = ?, snapshot_seq = 0 WHERE id = ?", (seq, table_id)
    )
    # A participant may have come back and left again. Then scrubbing starts over.
    connection.execute(
        "INSERT INTO scrub (table_id, person, seq) VALUES (?, ?, ?)"
        " ON CONFLICT (table_id, person) DO UPDATE SET seq = excluded.seq, done_seq = 0",
        (table_id, person, seq),
    )


def clean_entries(connection: Connection, rows: Sequence[EntryRow]) -> tuple[EntryRow, ...]:
    """Return entries of one table without the texts that `scrub` has yet to remove."""
    jobs = connection.execute(
        "SELECT person, seq FROM scrub WHERE table_id = ?", (rows[0].table_id,)
    ).fetchall()
    cleaned = tuple(rows)
    for person, seq in jobs:
        if person == _EVERYBODY:
            return ()
        cleaned = tuple(_clean(row, person, seq) for row in cleaned)
    return cleaned


def _clean(row: EntryRow, person: str, last: int) -> EntryRow:
    """Return an entry without a participant's texts, if it's not after entry `last`."""
    if row.seq > last:
        return row
    events = _without_texts(json.loads(row.events), person, own=row.actor == person)
    row = row.replace(events=events)
    if row.actor == person and row.seq < last:
        return row.replace(action=REDACTED_ACTION)
    return row


def scrub(connection: Connection, table_id: int) -> bool:
    """Remove some more texts from a table's journal; return whether there was anything to do."""
    job = connection.execute(
        "SELECT person, seq, done_seq FROM scrub WHERE table_id = ? ORDER BY person LIMIT 1",
        (table_id,),
    ).fetchone()
    if job is None:
        return False
    person, last, scrubbed = job
    with connection.overwriting():
        if person == _EVERYBODY:
            _drop_some(connection, table_id)
        else:
            _scrub(connection, table_id, person, last, scrubbed)
    return True


def _scrub(connection: Connection, table_id: int, person: str, last: int, scrubbed: int) -> None:
    """Scrub some more entries, and drop the earlier parts of each.

    Earlier parts may hold the same texts, even in entries of other participants.
    """
    until = min(last, scrubbed + _BATCH)
    rows = connection.execute(
        "SELECT id, seq, actor, events FROM journal WHERE table_id = ? AND seq > ? AND seq <= ?",
        (table_id, scrubbed, until),
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
    # The snapshot of entry `last` was kept when the texts were deleted, and has none of them.
    connection.execute(
        "DELETE FROM snapshot WHERE table_id = ? AND seq > ? AND seq <= ? AND seq < ?",
        (table_id, scrubbed, until, last),
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
    """Return the events without this participant's texts; numbers and character names stay.

    `own` says that the participant's own action caused the events.
    """
    for kind, fields in events:
        if isinstance(fields, dict):
            _blank(kind, fields, person, own=own)
    return json.dumps(events, ensure_ascii=False, separators=(",", ":"))


def _blank(kind: str, fields: dict[str, Any], person: str, *, own: bool) -> None:
    """Remove a participant's texts from the fields of an event."""
    by = own or fields.get("by") == person
    if by and kind == "Notice" and fields["what"].startswith("character-"):
        fields.pop("lines", None)  # they quote user text
    if kind == "Notice" and fields["what"].startswith("scene-"):
        params = fields.get("params", {})
        if params.get("author") == person:
            params["title"] = ""
    if own and kind == "DiceRolled":
        fields["text"] = _NOTE.sub("", str(fields.get("text", ""))).strip()
    if by and kind == "Said":
        fields.update({"text": "", "portrait": ""})
    if own and kind == "RollSaved":
        fields.update({"name": "", "dice": "", "rolls": []})
    if kind == "BoardChanged" and "doing" in fields:
        fields["doing"] = ""  # the event doesn't tell whose text it is
        if fields.get("turn"):
            fields["lines"] = []  # they may quote a sheet
            for member in fields.get("block", ()):
                member["lines"] = []
    if kind in ("RollCallChanged", "SealRead") and fields.get("author") == person:
        fields["text"] = ""
    if kind == "RollCallChanged":
        for line in fields.get("lines", ()):
            _blank("CheckChanged", line["view"], person, own=own)
    if kind == "Amended":
        for notice in fields.get("scenes", ()):
            if own:
                notice["params"]["title"] = ""  # the GM may have typed it
            _blank("Notice", notice, person, own=own)
    for key in ("note", "reason"):
        if by and key in fields:
            fields[key] = ""
    for block in fields.get("blocks", ()):
        quoted = block.get("by")
        if block.get("t") == "quote" and (quoted == person or (own and not quoted)):
            block["text"] = ""
        _remove_typed(block, person)


def _remove_typed(value: Any, person: str) -> None:
    """Remove a participant's typed texts from a block, at any depth of its values."""
    if isinstance(value, dict):
        if value.get("code") == "typed" and value["params"]["by"] == person:
            value["params"]["text"] = "…"
        for inner in list(value.values()):
            _remove_typed(inner, person)
    elif isinstance(value, list):
        for inner in value:
            _remove_typed(inner, person)


def drop_guilds(connection: Connection, guilds: Sequence[str]) -> list[tuple[int, ...]]:
    """Delete all tables of these servers, and return the tables of each.

    `scrub` deletes their journals.
    """
    return [_drop(connection, guild) for guild in guilds]


def _drop(connection: Connection, guild: str) -> tuple[int, ...]:
    rows = connection.execute("SELECT id FROM game_table WHERE guild = ?", (guild,)).fetchall()
    tables = tuple(table_id for (table_id,) in rows)
    with connection.overwriting():
        for table_id in tables:
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
    return tables


def _drop_some(connection: Connection, table_id: int) -> None:
    """Delete some more of the journal of a deleted table, and at the end the table's row."""
    rows = connection.execute(
        "SELECT id FROM journal WHERE table_id = ? LIMIT ?", (table_id, _BATCH)
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
