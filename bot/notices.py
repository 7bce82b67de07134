"""Notices to single users: each is sent once, found again after a crash, and dropped if it's over.

A notice is a row of its own and no part of a game. Its button has the number of the row, by which a
message that was sent but not recorded is found in its channel.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from typing import Final

import discord

from bot.clock import Clock, cancel_and_wait
from bot.delivery.outbox import FORBIDDEN, HOPELESS, Outbox
from bot.delivery.response import DISCORD_ERRORS
from bot.presenters.control_ids import with_epoch
from bot.presenters.layout import Layout
from bot.presenters.notices import (
    UserWaits,
    morning_card,
    morning_line,
    nudge_card,
    show_moves_button,
)
from bot.presenters.render import custom_ids, to_messages
from bot.services.loaded_table import Table
from bot.services.places import PERSONAL_PREFIX
from bot.services.preferences import (
    NEVER,
    Preference,
    day_start,
    is_quiet,
    load_preference,
    save_preference,
)
from bot.services.tables import Tables
from bot.services.user_waits import public_wait_ids, waits_for
from bot.storage.errors import StorageUnavailable
from bot.storage.row_records import NoticeRow
from rules.core.errors import RulesError
from rules.core.record import Record
from rules.registry import read_only_game
from rules.table.waits.agenda import Wait

log = logging.getLogger("storyguide.notices")

#: Longest sleep, in seconds: the clock of the machine may be set meanwhile. With several processes
#: another one may plan a notice for a user of this one.
LONGEST_SLEEP: Final = 3600
LONGEST_SHARED_SLEEP: Final = 60
#: Wait after trouble with the storage, in seconds.
STORAGE_RETRY_DELAY: Final = 30
#: First wait after a failed try, in seconds; it doubles each time up to an hour.
_RETRY_DELAY: Final = 30
_LONGEST_RETRY: Final = 3600
#: Number of tries after which a notice is dropped: a day of trouble.
MOST_TRIES: Final = 30
#: Seconds for which sent notices are kept: longer than any budget counts, or a list stays.
KEPT: Final = 14 * 24 * 3600
#: Most tables of a user at which is looked for waits, the newest first.
MOST_TABLES: Final = 20


class UserTable(Record):
    """A table of a user, with what waits there for the user."""

    table: Table
    waits: tuple[Wait, ...]


class AddressedNotice(Record):
    """A notice as it is sent: the message, and its channel."""

    place: str
    layout: Layout
    #: Whether the channel is the user's own for direct messages.
    direct: bool


class NoticeDispatcher:
    """Sender of notices: one timer for the next that is due; the store has all others."""

    def __init__(self, tables: Tables, outbox: Outbox, clock: Clock) -> None:
        self._tables = tables
        self._outbox = outbox
        self._clock = clock
        self._timer: asyncio.TimerHandle | None = None
        self._next: float | None = None
        self._task: asyncio.Task[None] | None = None
        self._closed = False
        #: Two runs at a time would send the same notices.
        self._running = asyncio.Lock()

    async def start(self) -> None:
        """Send the notices that became due while no bot ran, then wait for the next."""
        await self._tables.store.drop_old_notices(int(self._clock()) - KEPT)
        await self._run()

    def expect(self, at: int) -> None:
        """Expect a notice that is due at `at`, in seconds since 1970."""
        if self._next is None or at < self._next:
            self._arm(at)

    def stop(self) -> None:
        """Send nothing more."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()

    async def close(self) -> None:
        """Stop waking up, and wait for what is being sent."""
        self._closed = True
        await cancel_and_wait(self._timer, self._task)

    # --- the timer --------------------------------------------------------------------------------

    def _arm(self, at: int | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        shared = self._tables.store.share.count > 1
        longest = LONGEST_SHARED_SLEEP if shared else LONGEST_SLEEP
        self._next = at
        if self._closed or (at is None and not shared):
            return
        sleep = longest if at is None else min(max(at - self._clock(), 0), longest)
        self._timer = asyncio.get_running_loop().call_later(sleep, self._wake)

    def _wake(self) -> None:
        self._timer = None
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="notices")

    async def _run(self) -> None:
        store = self._tables.store
        try:
            async with self._running:
                await self._deliver_due()
            self._arm(await store.next_notice())
        except StorageUnavailable as error:
            log.warning("notices.storage", extra={"reason": error.reason})
            self._arm(int(self._clock()) + STORAGE_RETRY_DELAY)

    async def _deliver_due(self) -> None:
        """Send all notices that are due. Raises StorageUnavailable."""
        while not self._closed:
            due = await self._tables.store.due_notices(int(self._clock()))
            if not due:
                return
            done = await asyncio.gather(*map(self._deliver, due), return_exceptions=True)
            for result in done:
                if isinstance(result, BaseException):
                    raise result

    # --- one notice -------------------------------------------------------------------------------

    async def _deliver(self, row: NoticeRow) -> None:
        """Send a notice, or drop it if it's over. A failed notice is tried again later."""
        try:
            await self._send(row)
        except StorageUnavailable:
            raise
        except DISCORD_ERRORS as error:
            code = getattr(error, "code", 0)
            log.warning("notices.failed", extra={"notice": row.id, "code": code})
            await self._put_off(row, f"{type(error).__name__} {code}")
        except Exception as error:
            # A fault at one table doesn't stop the notices about the others.
            log.exception("notices.faulty", extra={"notice": row.id})
            await self._put_off(row, type(error).__name__)

    async def _put_off(self, row: NoticeRow, reason: str) -> None:
        store, now = self._tables.store, int(self._clock())
        if row.attempts + 1 >= MOST_TRIES:
            await store.mark_notice(row.id, now, None, reason)
            return
        delay = min(_RETRY_DELAY << min(row.attempts, 10), _LONGEST_RETRY)
        await store.put_off_notice(row.id, now + delay, reason)

    async def _send(self, row: NoticeRow) -> None:
        store = self._tables.store
        if row.place is not None:
            # An earlier try may have sent it.
            there = await self._find(row, row.place)
            if there is not None:
                await store.mark_notice(row.id, int(self._clock()), there)
                return
        preference = await load_preference(store, row.user)
        addressed = await self._address(row, preference)
        if addressed is None:
            await store.mark_notice(row.id, int(self._clock()), None, "over")
            return
        try:
            await self._post(row, preference, addressed)
        except discord.HTTPException as error:
            if error.code not in FORBIDDEN | HOPELESS:
                raise
            await self._refused(row, preference, addressed)

    async def _post(
        self, row: NoticeRow, preference: Preference, addressed: AddressedNotice
    ) -> None:
        """Send a message, and note it."""
        store, now = self._tables.store, int(self._clock())
        pings = await store.count_loud_notices(row.user, day_start(preference, now))
        loud = not is_quiet(preference, now) and pings < preference.most
        (message,) = to_messages(addressed.layout)
        if not loud:
            message["silent"] = True
        await store.address_notice(row.id, addressed.place, loud=loud)
        log.debug("notices.sending", extra={"notice": row.id})
        async with self._outbox.beside(addressed.place):
            where = await self._outbox.channels.post(addressed.place, message, f"n{row.id}.0")
        log.debug("notices.sent", extra={"notice": row.id})
        await store.mark_notice(row.id, now, where)
        if row.kind == "morning":
            await self._take_earlier_lists(row)

    async def _refused(
        self, row: NoticeRow, preference: Preference, addressed: AddressedNotice
    ) -> None:
        """Send a notice in a channel after Discord refused it as a direct message.

        The user's reminders come in the channel from now on. A notice that a channel refuses is
        dropped, as what waits stands in `/moves`.
        """
        store = self._tables.store
        if not addressed.direct:
            await store.mark_notice(row.id, int(self._clock()), None, "refused")
            return
        changed = preference.replace(how="here", dm="", refused=True)
        await save_preference(store, row.user, changed)
        log.info("notices.direct-refused", extra={"notice": row.id})
        again = await self._address(row, changed)
        if again is None:
            await store.mark_notice(row.id, int(self._clock()), None, "refused")
        else:
            await self._post(row, changed, again)

    async def _find(self, row: NoticeRow, place: str) -> str | None:
        """Return the address of a notice's message in a channel; None if it isn't there."""
        wanted = with_epoch(show_moves_button(row.id).id)

        def fits(message: discord.Message) -> bool:
            return wanted in custom_ids([part.to_dict() for part in message.components])

        return await self._outbox.channels.find(place, fits)

    async def _take_earlier_lists(self, row: NoticeRow) -> None:
        """Delete a user's earlier lists from channels: the new one takes their place."""
        store = self._tables.store
        for earlier in await store.user_notices(row.user):
            listed = earlier.kind == "morning" and earlier.message is not None
            if earlier.id >= row.id or not listed or earlier.sent_at is None:
                continue
            await self.take_away(earlier)

    async def take_away(self, row: NoticeRow) -> None:
        """Delete the message of a notice from a channel. A direct message stays."""
        store = self._tables.store
        if row.message is None or row.sent_at is None:
            return
        preference = await load_preference(store, row.user)
        if row.place != preference.dm:
            await self._outbox.channels.delete(row.message)
        await store.mark_notice(row.id, row.sent_at, None)

    # --- what it says -----------------------------------------------------------------------------

    async def _address(self, row: NoticeRow, preference: Preference) -> AddressedNotice | None:
        """Return a notice's message and channel; None if nothing of it waits any more."""
        if preference.how == "list" or preference.nudge == NEVER:
            return None
        found = await self._waits(row)
        if not any(at.waits for at in found):
            return None
        if preference.how == "dm" and preference.dm:
            shown = [_as_shown(at, self._tables) for at in found if at.waits]
            draw = nudge_card if row.kind == "nudge" else morning_card
            return AddressedNotice(preference.dm, draw(row.id, shown), direct=True)
        return self._channel_line(row, found)

    async def _waits(self, row: NoticeRow) -> list[UserTable]:
        """Return what a notice is about, and still waits for its user."""
        now = int(self._clock())
        if row.kind == "nudge" and row.table_id is not None:
            ids = frozenset(json.loads(row.body).get("waits", ()))
            found = await self._at_table(row.table_id, row.user, now)
            return [] if found is None else [_only(found, ids)]
        memberships = await self._tables.store.memberships(None, row.user)
        tables: list[UserTable] = []
        for table_id, _ in memberships[-MOST_TABLES:]:
            found = await self._at_table(table_id, row.user, now)
            if found is not None and not found.table.state.settings.live:
                tables.append(found)
        return tables

    async def _at_table(self, table_id: int, user: str, now: int) -> UserTable | None:
        """Return what waits for a user at a table; None for a table that can't be played."""
        try:
            table = await self._tables.get(table_id)
        except RulesError:
            return None  # The table is gone.
        who = table.directory.known_participant(user)
        game = read_only_game(table.state)
        if who is None or table.guild.startswith(PERSONAL_PREFIX) or not game.system.playable:
            return None
        return UserTable(table, waits_for(table.state, who, now))

    def _channel_line(self, row: NoticeRow, found: Sequence[UserTable]) -> AddressedNotice | None:
        """Return the message for the place of the oldest public wait.

        All can read it there, so it tells only what everybody at that table was told.
        """
        now, oldest = int(self._clock()), None
        for at in found:
            public = _only(at, public_wait_ids(at.table.state, now))
            placed = tuple(wait for wait in public.waits if wait.place)
            if placed and (oldest is None or placed[0].since < oldest[0].since):
                oldest = placed
        if oldest is None:
            return None
        line = morning_line(row.id, int(row.user), oldest)
        return AddressedNotice(oldest[0].place, line, direct=False)


def _only(at: UserTable, ids: frozenset[str]) -> UserTable:
    return at.replace(waits=tuple(wait for wait in at.waits if wait.id in ids))


def _as_shown(at: UserTable, tables: Tables) -> UserWaits:
    """Return a table's waits as a direct message shows them, with a link to the oldest."""
    places = [wait.place for wait in at.waits if wait.place]
    places += tables.places.places_of(at.table.id)
    url = f"https://discord.com/channels/{at.table.guild}/{places[0]}" if places else ""
    return UserWaits(at.table.state.settings.name, url, at.waits)
