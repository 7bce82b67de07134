"""The tables of this process: which are in memory, and how they get there."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from itertools import islice
from typing import Any

from bot.services.activity_log import ActivityLog
from bot.services.directory import Directory
from bot.services.loaded_table import Table
from bot.services.places import PERSONAL_PREFIX, Places
from bot.services.undelivered_replies import UndeliveredReplies
from bot.storage import codec
from bot.storage.errors import TableUnreadable
from bot.storage.row_records import TableRow
from bot.storage.store import Store
from rules.core.errors import NotFound

log = logging.getLogger("storyguide.tables")

#: How many tables stay decoded in memory.
MAX_LOADED_TABLES = 500


class Tables:
    """All tables of this process, and the places they are bound to.

    `token_bytes` makes new seeds; it is a parameter for the sake of tests. `on_due` is told the
    time of every new wait, `on_done` at which table something was done, `on_untidy` when the store
    has something to tidy up. `aside` is asked for what would take long; here it does it at once.
    `aside_for` is asked for what one user wants and may take a second, given the user's number.
    """

    def __init__(
        self, store: Store, *, token_bytes: Callable[[int], bytes] = secrets.token_bytes
    ) -> None:
        self.store = store
        self.token_bytes = token_bytes
        self.places = Places(store)
        self.unsaid = UndeliveredReplies(store)
        self.activity = ActivityLog()
        self.on_due: Callable[[int], None] = lambda at: None
        self.on_done: Callable[[Table], None] = lambda table: None
        self.on_untidy: Callable[[], None] = lambda: None
        self.aside: Callable[..., Awaitable[Any]] = _run_directly
        self.aside_for: Callable[..., Awaitable[Any]] = _run_directly_for
        self._tables: OrderedDict[int, Table] = OrderedDict()
        self._loading: dict[int, asyncio.Task[Table]] = {}

    async def start(self) -> None:
        """Learn which places are bound."""
        await self.places.learn()

    @property
    def count(self) -> int:
        """Number of tables in memory."""
        return len(self._tables)

    def get_if_loaded(self, table_id: int) -> Table | None:
        """The table if it is in memory."""
        return self._tables.get(table_id)

    async def get(self, table_id: int) -> Table:
        """The table, decoded. Raises NotFound, TableUnreadable or StorageUnavailable.

        A table that another process may change is read anew if it has been changed. That waits for
        the table's lock, so the holder of a lock calls `load` instead.
        """
        known = self._tables.get(table_id)
        table = await self.load(table_id)
        if known is not None and self._has_other_writers(table.guild):
            await self._read_changes(table)
        return table

    async def load(self, table_id: int) -> Table:
        """The table as it is in memory, or else as it is stored. Raises as `get`."""
        table = self._tables.get(table_id)
        if table is not None:
            self._tables.move_to_end(table_id)
            table.used = asyncio.get_running_loop().time()
            return table
        task = self._loading.get(table_id)
        if task is None:
            task = self._loading[table_id] = asyncio.create_task(self._load(table_id))
            task.add_done_callback(lambda _: self._loading.pop(table_id, None))
        return await asyncio.shield(task)

    async def get_committed(self, table_id: int) -> Table:
        """The table with everything that was resolved on it on disk. Raises what `get` does."""
        while True:
            table = await self.get(table_id)
            await table.wait_until_written()
            await self.reload_if_broken(table)
            if not table.pending and not table.broken:
                return table

    def _has_other_writers(self, guild: str) -> bool:
        """Return whether other processes may write to the tables of a server or a user.

        Any process may write to a personal table, because direct messages and interactions of a
        user's own installation arrive at any shard.
        """
        share = self.store.share
        return share.count > 1 and (guild.startswith(PERSONAL_PREFIX) or not share.owns(guild))

    async def _read_changes(self, table: Table) -> None:
        """Read a table anew if another process has written to it."""
        if table.pending:
            return  # Memory is ahead of the disk, and the write itself meets what is there.
        if await self.store.revision(table.id) == table.revision or table.pending:
            return
        async with table.lock:
            if not table.pending:
                await self.refresh(table)

    async def _row(self, table_id: int) -> TableRow:
        row = await self.store.load_table(table_id)
        if row is None:
            raise NotFound("no-table", field="place", value=None, nearest=())
        return row

    async def _load(self, table_id: int) -> Table:
        row = await self._row(table_id)
        state = codec.read_state(row.system, table_id, row.parts)
        people = Directory(row.members)
        table = Table(
            table_id, row.guild, state, row.revision, row.head, people, row.seeds, row.redacted_seq
        )
        if self._has_other_writers(row.guild):
            await self.places.refresh(table_id)
        self._keep(table)
        return table

    def _keep(self, table: Table) -> None:
        now = table.used = asyncio.get_running_loop().time()
        self._tables[table.id] = table
        self._tables.move_to_end(table.id)
        over = len(self._tables) - MAX_LOADED_TABLES
        idle = (
            key for key, kept in self._tables.items() if kept is not table and not kept.is_busy(now)
        )
        for key in [*islice(idle, max(over, 0))]:
            del self._tables[key]

    async def refresh(self, table: Table) -> None:
        """Read a table anew into the same object, so that everybody who waits for its lock
        sees it.
        """
        await self.places.refresh(table.id)
        row = await self._row(table.id)
        table.state = codec.read_state(row.system, table.id, row.parts)
        table.revision, table.head, table.seeds = row.revision, row.head, row.seeds
        table.redacted, table.broken = row.redacted_seq, False
        table.directory = Directory(row.members, table.directory.unsaved_members())

    async def reload_if_broken(self, table: Table) -> None:
        """After a write that failed: back to what is on disk."""
        async with table.lock:
            if table.broken:
                await self.refresh(table)

    # --- people and servers that are gone ---------------------------------------------------------

    async def memberships(
        self, guild: str | None, user: str
    ) -> tuple[list[tuple[Table, str]], int]:
        """The tables of a server (None: of all) that know a user, each with the participant they
        are there.

        Those that cannot be read are counted: they keep nobody from their others.
        """
        found, unread = list[tuple[Table, str]](), 0
        for table_id, participant in await self.store.memberships(guild, user):
            try:
                found.append((await self.get(table_id), participant))
            except TableUnreadable:
                log.warning("tables.unreadable", extra={"table": table_id})
                unread += 1
        return found, unread

    def forget_unsaved(self, guild: str, user: str) -> None:
        """Forget a user wherever they were only seen and have done nothing: nothing of it is
        stored.
        """
        for table in self._tables.values():
            who = table.directory.known_participant(user) if table.guild == guild else None
            if who is not None and any(
                member.id == who for member in table.directory.unsaved_members()
            ):
                table.directory.forget(who)

    async def drop_guild(self, guild: str) -> int:
        """Delete everything of a server for good; returns how many tables that were."""
        dropped = await self.store.drop_guild(guild)
        await self.store.purge()
        self.on_untidy()
        for table_id in dropped:
            self._tables.pop(table_id, None)
            self.places.forget_table(table_id)
        return len(dropped)


async def _run_directly(work: Callable[..., Any], *given: Any) -> Any:
    return work(*given)


async def _run_directly_for(person: int, work: Callable[..., Any], *given: Any) -> Any:
    return work(*given)
