"""The store: everything the services ask of storage, as one narrow Protocol, and in SQL."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Protocol

from bot.storage.connection import Connection
from bot.storage.database import Database
from bot.storage.engines import open_engine
from bot.storage.high_water_mark import UPSERT_NOTE
from bot.storage.journal import ENTRIES_PER_PAGE, OUTBOX_COLUMNS, read_outbox_row
from bot.storage.journal_writer import (
    PendingEntry,
    append_entries,
    create_tables,
    placeholders,
    row_placeholders,
)
from bot.storage.location import Where
from bot.storage.notice_rows import NoticeStore, SqlNotices
from bot.storage.redaction import drop_guilds
from bot.storage.row_records import (
    EntryRow,
    LiveMessages,
    Member,
    NewEntry,
    NewTable,
    OutboxRow,
    PanelRow,
    SeedRow,
    TableRow,
    WrittenEntry,
)
from bot.storage.share import OF_SHARE, WHOLE, Share, share_values, table_of_share
from bot.storage.upkeep import Parts, UndoRetention, tidy_tables, untidy_tables
from bot.storage.write_batches import Engine


class Store(NoticeStore, Protocol):
    """Durable tables. Every method raises StorageUnavailable when the storage itself fails.

    Lists of all tables are those of the store's share; by its id or its place any table is found.
    """

    @property
    def share(self) -> Share:
        """The servers whose tables this store lists."""
        ...

    async def close(self) -> None:
        """Finish the writes under way, and close the database."""
        ...

    @property
    def overwrites_deleted(self) -> bool:
        """Whether deleted data is overwritten in pages and in the log."""
        ...

    async def place_tables(self) -> dict[str, int]:
        """Return the bound places of this share's tables, each with its table."""
        ...

    async def table_places(self) -> dict[int, str]:
        """Return the tables of this share with one of their places, empty for those without one."""
        ...

    async def all_table_places(self) -> dict[int, str]:
        """Return the tables of all shares with one of their places, as `table_places` does."""
        ...

    async def places_of_table(self, table_id: int) -> tuple[str, ...]:
        """Return the places that are bound to a table."""
        ...

    async def bound_places(self, places: Sequence[str]) -> dict[str, int]:
        """Return those of these places that are bound, each with its table."""
        ...

    async def guild_systems(self) -> dict[str, frozenset[str]]:
        """Return this share's servers that have a table, and the systems that are played there.

        A user's own dice and cards are no server's.
        """
        ...

    async def memberships(self, guild: str | None, user: str) -> tuple[tuple[int, str], ...]:
        """Return the tables of a server (None: all) with this user, each with the participant."""
        ...

    async def user_names(self, guild: str) -> tuple[tuple[str, str], ...]:
        """Return the users that a server's tables know, with each of their names."""
        ...

    async def drop_guild(self, guild: str) -> tuple[int, ...]:
        """Delete a server's tables with their history; return the tables."""
        ...

    async def load_table(self, table_id: int) -> TableRow | None:
        """Return a table as stored; None if it doesn't exist."""
        ...

    async def revision(self, table_id: int) -> int | None:
        """Return the number of a table's last entry; None if the table is gone."""
        ...

    async def create_table(self, new: NewTable, *entries: NewEntry) -> tuple[WrittenEntry, ...]:
        """Write a table with its first entries: all of it, or nothing.

        Raises DuplicateRequest, and StaleTable if the place was bound in the meantime.
        """
        ...

    def append(self, table_id: int, revision: int, entry: NewEntry) -> Awaitable[WrittenEntry]:
        """Write one entry with all that belongs to it, in the order of these calls.

        The awaitable raises StaleTable, also for a place that is another table's by now, or
        DuplicateRequest.
        """
        ...

    async def purge(self) -> None:
        """Remove deleted data from the files beside the database, such as the log."""
        ...

    async def find_request(self, request_id: str) -> tuple[EntryRow, tuple[OutboxRow, ...]] | None:
        """Return the entry of a request with its rows of the outbox; None if there is none."""
        ...

    async def page(
        self,
        table_id: int,
        after: int,
        *,
        until: int | None = None,
        actor: str | None = None,
        limit: int = ENTRIES_PER_PAGE,
    ) -> tuple[EntryRow, ...]:
        """Return the next entries after number `after`, up to `until`, oldest first.

        With `actor` these are the entries of one participant.
        """
        ...

    async def entries(
        self, table_id: int, *, since: int = 0, limit: int = ENTRIES_PER_PAGE
    ) -> tuple[tuple[EntryRow, frozenset[str]], ...]:
        """Return the last entries from `since` on, with the changed keys; oldest first."""
        ...

    async def last_entries(
        self, table_id: int, *, actor: str | None = None, kind: str | None = None, limit: int = 1
    ) -> tuple[EntryRow, ...]:
        """Return the last entries of a participant, or of a kind of action; newest first."""
        ...

    async def entries_at(
        self, table_id: int, numbers: Sequence[int]
    ) -> tuple[tuple[EntryRow, frozenset[str]], ...]:
        """Return the entries of these numbers with the changed keys, oldest first."""
        ...

    async def entries_touching(
        self, table_id: int, parts: Mapping[str, int], most: int
    ) -> tuple[tuple[EntryRow, frozenset[str]], ...] | None:
        """Return the entries that changed one of these parts after the part's journal row.

        They come without action and events. Return None if they are more than `most`.
        """
        ...

    async def kept_from(self, table_id: int) -> int:
        """Return the first entry whose earlier parts are kept."""
        ...

    async def snapshot(self, table_id: int, before: int) -> tuple[int, Parts] | None:
        """Return the last snapshot before an entry: the number of its entry, and the parts."""
        ...

    async def untidy_tables(self, keep: UndoRetention) -> tuple[int, ...]:
        """Return the tables of this share at which `tidy` has something to do."""
        ...

    async def tidy(self, table_id: int, keep: UndoRetention) -> bool:
        """Do one small step of `bot.storage.upkeep`; return whether there may be more to do."""
        ...

    async def parts_before(
        self, journal_ids: Sequence[int]
    ) -> dict[int, dict[str, tuple[int, str] | None]]:
        """Return the changed parts as they were before each entry: version and text, or None."""
        ...

    async def unsent_rows(self, table_id: int | None = None) -> tuple[OutboxRow, ...]:
        """Return the unsent rows of a table, or of all this share's tables, oldest first."""
        ...

    async def topic_messages(
        self, table_id: int, topics: Sequence[str], *, closed: bool = False
    ) -> tuple[OutboxRow, ...]:
        """Return the messages on these topics with buttons, or `closed` ones, oldest first."""
        ...

    async def live_messages(self, table_id: int, topic: str, call_topic: str) -> LiveMessages:
        """Return the messages on a topic with buttons, the calls to it, and its last sent row."""
        ...

    async def last_sent_row(self, table_id: int, topic: str) -> OutboxRow | None:
        """Return the last sent row on a topic; None without one, or if its message is forgotten."""
        ...

    async def entry_ids_on_topic(self, out: OutboxRow) -> tuple[int, ...]:
        """Return the entries whose messages have a row's topic, oldest first.

        They are row ids of the journal. For a row without a topic it's the row's own entry.
        """
        ...

    async def rows_on_topic(self, table_id: int, topic: str) -> tuple[OutboxRow, ...]:
        """Return all rows on a topic, sent or not, oldest first."""
        ...

    async def speech_row(self, table_id: int, message: int) -> OutboxRow | None:
        """Return the row that sent a message in which a character speaks; None for another one."""
        ...

    async def messages_near(self, out: OutboxRow) -> frozenset[str]:
        """Return the ids of messages in a row's place that are noted for rows near it, or later.

        Near are the last entries of its own table, and the last rows of all tables before it.
        """
        ...

    async def outbox_row(self, row: int) -> OutboxRow | None:
        """Return the row of the outbox with this id; None if there is none."""
        ...

    async def outbox_rows(self, rows: Sequence[int]) -> tuple[OutboxRow, ...]:
        """Return those of these rows of the outbox that exist, oldest first."""
        ...

    async def entry_messages(self, journal_ids: Sequence[int]) -> tuple[OutboxRow, ...]:
        """Return the rows of these entries that were sent as messages, oldest first."""
        ...

    async def entry_topics(self, journal_ids: Sequence[int]) -> tuple[str, ...]:
        """Return the topics of these entries' messages, sent or not."""
        ...

    async def entry(self, journal_id: int) -> EntryRow | None:
        """Return the entry with this row id; None if there is none."""
        ...

    async def entry_at(self, table_id: int, seq: int) -> EntryRow | None:
        """Return the entry of that number in a table's journal; None if there is none."""
        ...

    async def message_places(self, table_id: int) -> tuple[str, ...]:
        """Return every place to which a table ever sent a message."""
        ...

    async def has_acted_in(self, table_id: int, place: str, actor: str) -> bool:
        """Return whether a participant ever did something in a place."""
        ...

    async def last_interaction_id(self, journal_id: int) -> int:
        """Return the snowflake of the table's last interaction up to this entry; 0 if none is near.

        By Discord's own clock, the entry's messages are later than that.
        """
        ...

    async def mark_done(
        self, rows: Iterable[tuple[int, int, str | None]], over: Sequence[int] = ()
    ) -> None:
        """Note rows (id, time, message) as sent, and messages as `over`.

        A sent row loses its interaction's token, and is no longer over. A message that is over was
        deleted or lost its buttons.
        """
        ...

    async def mark_failed(self, row: int, error: str) -> None:
        """Note a failed attempt to send a row of the outbox, with its error."""
        ...

    async def forget_messages(self) -> None:
        """Drop this share's message references: they belong to a Discord that is gone."""
        ...

    async def next_due(self) -> int | None:
        """Return when the first wait of this share's tables ends; None if there is none."""
        ...

    async def due_waits(self, now: int, limit: int = 100) -> tuple[tuple[int, str, int], ...]:
        """Return waits of this share that have run out: table, wait, time."""
        ...

    async def drop_due(self, table_id: int, wait: str) -> None:
        """Delete a wait of a table."""
        ...

    async def put_off(self, table_id: int, wait: str, now: int) -> None:
        """Put off a failed wait: by a minute, then twice as long each time, at most an hour."""
        ...

    async def save_panel(self, panel: PanelRow) -> None:
        """Write the draft of a panel, or replace the earlier one of its id."""
        ...

    async def load_panel(self, panel_id: str) -> PanelRow | None:
        """Return the draft of a panel; None if it's gone."""
        ...

    async def drop_panel(self, panel_id: str) -> None:
        """Delete the draft of a panel."""
        ...

    async def drop_panels(self, before: int) -> None:
        """Delete the drafts that were last saved before this time."""
        ...

    async def note(self, key: str) -> str | None:
        """Return the value of a note; None if there is none."""
        ...

    async def notes(self, *keys: str) -> dict[str, str]:
        """Return those of these notes that exist, as they are at one moment."""
        ...

    async def set_note(self, key: str, value: str) -> None:
        """Write a note, or replace its value."""
        ...

    async def drop_note(self, key: str) -> None:
        """Delete a note."""
        ...

    async def replace_note(self, old: str, key: str, value: str) -> None:
        """Drop the note *old* and set the note *key*, both in one transaction."""
        ...

    async def note_if_older(self) -> None:
        """Note the database as restored, once, if it was replaced by an older copy by hand."""
        ...


#: Id of the last sent row on topic ?2 of table ?1, unless its message is forgotten.
_LAST_SENT = (
    "SELECT MAX(id) FROM outbox WHERE table_id = ?1 AND topic = ?2 AND done_at IS NOT NULL"
    " AND error IS NULL AND EXISTS"
    " (SELECT 1 FROM outbox WHERE table_id = ?1 AND topic = ?2 AND message IS NOT NULL)"
)
#: Last rows of the outbox before a row that may have been sent after it.
_NEAR_ROWS = 1000
#: Last entries of the row's own table whose rows may have been sent after it, however many rows
#: other tables wrote since.
_NEAR_ENTRIES = 200


class SqlStore(SqlNotices):
    """`Store` in SQL, on either engine."""

    @classmethod
    async def open(
        cls, where: Where | str, *, reading: bool = False, processes: int | None = None
    ) -> SqlStore:
        """Open or create the database, or only read it; see `open_engine`."""
        return cls(await open_engine(where, reading=reading, processes=processes))

    async def close(self) -> None:
        await self._db.close()

    @property
    def overwrites_deleted(self) -> bool:
        return self._db.overwrites_deleted

    @property
    def database(self) -> Engine:
        """The engine below."""
        return self._db

    @property
    def share(self) -> Share:
        return self._db.share

    @property
    def file(self) -> Database | None:
        """The engine below if it is a file."""
        return self._db if isinstance(self._db, Database) else None

    async def place_tables(self) -> dict[str, int]:
        rows = await self._rows(
            "SELECT place.id, place.table_id FROM place"
            f" JOIN game_table ON game_table.id = place.table_id WHERE {OF_SHARE}",
            *share_values(self.share),
        )
        return dict(rows)

    async def table_places(self) -> dict[int, str]:
        return await self._table_places(self.share)

    async def all_table_places(self) -> dict[int, str]:
        return await self._table_places(WHOLE)

    async def _table_places(self, share: Share) -> dict[int, str]:
        rows = await self._rows(
            "SELECT game_table.id, COALESCE(MIN(place.id), '') FROM game_table"
            f" LEFT JOIN place ON table_id = game_table.id WHERE {OF_SHARE} GROUP BY game_table.id",
            *share_values(share),
        )
        return dict(rows)

    async def places_of_table(self, table_id: int) -> tuple[str, ...]:
        rows = await self._rows("SELECT id FROM place WHERE table_id = ?", table_id)
        return tuple(sorted(place for (place,) in rows))

    async def bound_places(self, places: Sequence[str]) -> dict[str, int]:
        sql = f"SELECT id, table_id FROM place WHERE id IN ({placeholders(places)})"
        return dict(await self._rows(sql, *places))

    async def guild_systems(self) -> dict[str, frozenset[str]]:
        by_guild: dict[str, set[str]] = {}
        rows = await self._rows(
            "SELECT DISTINCT guild, system FROM game_table WHERE guild NOT LIKE '@%' "
            f"AND guild <> '' AND {OF_SHARE}",
            *share_values(self.share),
        )
        for guild, system in rows:
            by_guild.setdefault(guild, set()).add(system)
        return {guild: frozenset(systems) for guild, systems in by_guild.items()}

    async def memberships(self, guild: str | None, user: str) -> tuple[tuple[int, str], ...]:
        rows = await self._rows(
            "SELECT person.table_id, person.id FROM person JOIN game_table "
            "ON game_table.id = person.table_id WHERE person.user_id = ?2 "
            "AND game_table.guild = COALESCE(?1, game_table.guild) ORDER BY person.table_id",
            guild,
            user,
        )
        return tuple((table_id, participant) for table_id, participant in rows)

    async def user_names(self, guild: str) -> tuple[tuple[str, str], ...]:
        rows = await self._rows(
            "SELECT DISTINCT person.user_id, person.name FROM person JOIN game_table "
            "ON game_table.id = person.table_id WHERE game_table.guild = ?",
            guild,
        )
        return tuple(sorted((user, name) for user, name in rows))

    async def drop_guild(self, guild: str) -> tuple[int, ...]:
        return await self._db.write(drop_guilds, guild)

    async def purge(self) -> None:
        await self._db.empty_log()

    async def load_table(self, table_id: int) -> TableRow | None:
        def work(connection: Connection) -> TableRow | None:
            head = connection.execute(
                "SELECT id, guild, system, rules_version, revision, created_at, head, redacted_seq"
                " FROM game_table WHERE id = ? AND guild <> ''",
                (table_id,),
            ).fetchone()
            if head is None:
                return None
            parts = connection.execute(
                "SELECT key, schema_version, body FROM part WHERE table_id = ?", (table_id,)
            ).fetchall()
            members = connection.execute(
                "SELECT id, user_id, name FROM person WHERE table_id = ?", (table_id,)
            ).fetchall()
            seeds = connection.execute(
                "SELECT id, stream, seed, commitment, started_at, revealed_at, started_seq, "
                "ended_seq FROM seed WHERE table_id = ? ORDER BY id",
                (table_id,),
            ).fetchall()
            row_id, guild, system, rules_version, revision, created_at, last, redacted = head
            return TableRow(
                row_id,
                guild,
                system,
                rules_version,
                revision,
                created_at,
                tuple(parts),
                tuple(Member(*row) for row in members),
                tuple(SeedRow(*row) for row in seeds),
                last,
                redacted,
            )

        return await self._db.read(work)

    async def revision(self, table_id: int) -> int | None:
        sql = "SELECT revision FROM game_table WHERE id = ? AND guild <> ''"
        rows = await self._rows(sql, table_id)
        return rows[0][0] if rows else None

    async def create_table(self, new: NewTable, *entries: NewEntry) -> tuple[WrittenEntry, ...]:
        return tuple(await self._db.write(create_tables, (new, entries)))

    def append(self, table_id: int, revision: int, entry: NewEntry) -> Awaitable[WrittenEntry]:
        return self._db.write(append_entries, PendingEntry(table_id, revision, entry))

    async def untidy_tables(self, keep: UndoRetention) -> tuple[int, ...]:
        return await self._db.read(lambda connection: untidy_tables(connection, keep, self.share))

    async def tidy(self, table_id: int, keep: UndoRetention) -> bool:
        return await self._db.write(tidy_tables, (table_id, keep))

    async def unsent_rows(self, table_id: int | None = None) -> tuple[OutboxRow, ...]:
        if table_id is None:
            which, values = table_of_share("outbox"), share_values(self.share)
        else:
            which, values = "table_id = ?", (table_id,)
        # With a bare `id` the database would read all rows in that order, not only the unsent ones.
        rows = await self._rows(
            f"SELECT {OUTBOX_COLUMNS} FROM outbox WHERE done_at IS NULL AND {which} ORDER BY +id",
            *values,
        )
        return tuple(map(read_outbox_row, rows))

    async def topic_messages(
        self, table_id: int, topics: Sequence[str], *, closed: bool = False
    ) -> tuple[OutboxRow, ...]:
        rows = await self._rows(
            f"SELECT {OUTBOX_COLUMNS} FROM outbox WHERE table_id = ? AND message IS NOT NULL "
            f"AND closed = {int(closed)} AND topic IN ({placeholders(topics)}) ORDER BY id",
            table_id,
            *topics,
        )
        return tuple(map(read_outbox_row, rows))

    async def live_messages(self, table_id: int, topic: str, call_topic: str) -> LiveMessages:
        rows = await self._rows(
            f"SELECT {OUTBOX_COLUMNS} FROM outbox WHERE table_id = ?1 AND topic IN (?2, ?3) AND"
            f" (message IS NOT NULL AND closed = 0 OR id = ({_LAST_SENT})) ORDER BY id",
            table_id,
            topic,
            call_topic,
        )
        outs = [*map(read_outbox_row, rows)]
        live = [out for out in outs if out.message is not None and not out.closed]
        sent = [out for out in outs if out.done_at is not None and out.error is None]
        on_topic = [out for out in sent if out.topic == topic]
        return LiveMessages(
            tuple(out for out in live if out.topic == topic),
            tuple(out for out in live if out.topic == call_topic),
            on_topic[-1] if on_topic else None,
        )

    async def last_sent_row(self, table_id: int, topic: str) -> OutboxRow | None:
        sql = f"SELECT {OUTBOX_COLUMNS} FROM outbox WHERE id = ({_LAST_SENT})"
        rows = await self._rows(sql, table_id, topic)
        return read_outbox_row(rows[0]) if rows else None

    async def entry_ids_on_topic(self, out: OutboxRow) -> tuple[int, ...]:
        rows = await self._rows(
            "SELECT DISTINCT journal_id FROM outbox WHERE table_id = ? AND topic = ? "
            "ORDER BY journal_id",
            out.table_id,
            out.topic,
        )
        if not rows:
            return (out.journal_id,)
        return tuple(journal_id for (journal_id,) in rows)

    async def messages_near(self, out: OutboxRow) -> frozenset[str]:
        rows = await self._rows(
            "SELECT message FROM outbox WHERE id > ?1 AND place = ?2 AND message IS NOT NULL"
            " UNION SELECT outbox.message FROM journal AS entry"
            " JOIN journal AS near ON near.table_id = entry.table_id AND near.seq > entry.seq - ?3"
            " JOIN outbox ON outbox.journal_id = near.id"
            " WHERE entry.id = ?4 AND outbox.place = ?2 AND outbox.message IS NOT NULL",
            out.id - _NEAR_ROWS,
            out.place,
            _NEAR_ENTRIES,
            out.journal_id,
        )
        return frozenset(id for (message,) in rows for id in message.split("/")[1:])

    async def outbox_row(self, row: int) -> OutboxRow | None:
        rows = await self._rows(f"SELECT {OUTBOX_COLUMNS} FROM outbox WHERE id = ?", row)
        return read_outbox_row(rows[0]) if rows else None

    async def outbox_rows(self, rows: Sequence[int]) -> tuple[OutboxRow, ...]:
        sql = f"SELECT {OUTBOX_COLUMNS} FROM outbox WHERE id IN ({placeholders(rows)}) ORDER BY id"
        return tuple(map(read_outbox_row, await self._rows(sql, *rows)))

    async def entry_messages(self, journal_ids: Sequence[int]) -> tuple[OutboxRow, ...]:
        rows = await self._rows(
            f"SELECT {OUTBOX_COLUMNS} FROM outbox WHERE message IS NOT NULL"
            f" AND journal_id IN ({placeholders(journal_ids)}) ORDER BY id",
            *journal_ids,
        )
        return tuple(map(read_outbox_row, rows))

    async def entry_topics(self, journal_ids: Sequence[int]) -> tuple[str, ...]:
        rows = await self._rows(
            "SELECT DISTINCT topic FROM outbox WHERE topic IS NOT NULL"
            f" AND journal_id IN ({placeholders(journal_ids)})",
            *journal_ids,
        )
        return tuple(sorted(topic for (topic,) in rows))

    async def mark_done(
        self, rows: Iterable[tuple[int, int, str | None]], over: Sequence[int] = ()
    ) -> None:
        sent = list(rows)
        units: list[tuple[str, tuple[object, ...]]] = []
        if sent:
            sql = (
                "UPDATE outbox SET done_at = column2, message = column3, token = NULL, "
                f"closed = 0, error = NULL FROM (VALUES {row_placeholders(sent)}) AS sent "
                "WHERE outbox.id = column1"
            )
            units.append((sql, tuple(chain.from_iterable(sent))))
        if over:
            units.append(
                (f"UPDATE outbox SET closed = 1 WHERE id IN ({placeholders(over)})", tuple(over))
            )
        await asyncio.gather(*[self._db.write(_execute, unit) for unit in units])

    async def mark_failed(self, row: int, error: str) -> None:
        await self._change(
            "UPDATE outbox SET attempts = attempts + 1, error = ? WHERE id = ?", error, row
        )

    async def forget_messages(self) -> None:
        await self._change(
            "UPDATE outbox SET message = NULL, token = NULL WHERE message IS NOT NULL"
            f" AND {table_of_share('outbox')}",
            *share_values(self.share),
        )

    async def next_due(self) -> int | None:
        rows = await self._rows(
            f"SELECT at FROM due WHERE {table_of_share('due')} ORDER BY at LIMIT 1",
            *share_values(self.share),
        )
        return rows[0][0] if rows else None

    async def due_waits(self, now: int, limit: int = 100) -> tuple[tuple[int, str, int], ...]:
        rows = await self._rows(
            f"SELECT table_id, id, at FROM due WHERE at <= ? AND {table_of_share('due')}"
            " ORDER BY at LIMIT ?",
            now,
            *share_values(self.share),
            limit,
        )
        return tuple((table_id, wait, at) for table_id, wait, at in rows)

    async def drop_due(self, table_id: int, wait: str) -> None:
        await self._change("DELETE FROM due WHERE table_id = ? AND id = ?", table_id, wait)

    async def put_off(self, table_id: int, wait: str, now: int) -> None:
        await self._change(
            "UPDATE due SET at = ? + CASE WHEN tries < 6 THEN 60 << tries ELSE 3600 END, "
            "tries = tries + 1 WHERE table_id = ? AND id = ?",
            now,
            table_id,
            wait,
        )

    async def save_panel(self, panel: PanelRow) -> None:
        await self._change(
            "INSERT INTO panel (id, table_id, user_id, kind, body, at) VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET body = excluded.body, at = excluded.at",
            panel.id,
            panel.table_id,
            panel.user,
            panel.kind,
            panel.body,
            panel.at,
        )

    async def load_panel(self, panel_id: str) -> PanelRow | None:
        rows = await self._rows(
            "SELECT id, table_id, user_id, kind, body, at FROM panel WHERE id = ?", panel_id
        )
        return PanelRow(*rows[0]) if rows else None

    async def drop_panel(self, panel_id: str) -> None:
        await self._change("DELETE FROM panel WHERE id = ?", panel_id)

    async def drop_panels(self, before: int) -> None:
        await self._change("DELETE FROM panel WHERE at < ?", before)

    async def note(self, key: str) -> str | None:
        return (await self.notes(key)).get(key)

    async def notes(self, *keys: str) -> dict[str, str]:
        sql = f"SELECT key, value FROM note WHERE key IN ({placeholders(keys)})"
        return dict(await self._rows(sql, *keys))

    async def set_note(self, key: str, value: str) -> None:
        await self._change(UPSERT_NOTE, key, value)

    async def drop_note(self, key: str) -> None:
        await self._change("DELETE FROM note WHERE key = ?", key)

    async def replace_note(self, old: str, key: str, value: str) -> None:
        await self._db.write(_replace_note, (old, key, value))

    async def note_if_older(self) -> None:
        await self._db.note_if_older()

    async def _change(self, sql: str, *args: object) -> None:
        await self._db.write(_execute, (sql, args))


def _execute(connection: Connection, units: Sequence[tuple[str, tuple[object, ...]]]) -> list[None]:
    return [connection.execute(sql, args).close() for sql, args in units]


def _replace_note(connection: Connection, units: Sequence[tuple[str, str, str]]) -> list[None]:
    for old, key, value in units:
        connection.execute(UPSERT_NOTE, (key, value)).close()
        connection.execute("DELETE FROM note WHERE key = ?", (old,)).close()
    return [None for _ in units]
