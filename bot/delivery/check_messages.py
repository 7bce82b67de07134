"""The one public message of each check: posted once, edited at every step; and the messages that
call for it.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import discord

from bot.clock import Clock
from bot.delivery.channels import ChannelHistories, Channels
from bot.delivery.delivery_log import DeliveryLog
from bot.delivery.send_queue import KeyedLocks
from bot.presenters.checks import first_check_event, moved_card, replaces_call, still_called
from bot.presenters.render import to_messages
from bot.services.history import entry_and_row_events
from bot.services.outbox_plan import call_topic, check_message_topic
from bot.services.tables import Tables
from bot.storage.row_records import OutboxRow
from rules.table.events import CheckChanged, Event

log = logging.getLogger("storyguide.cards")

#: So many checks are remembered with how far their cards are drawn.
_REMEMBERED = 2000
#: A card that is older, in seconds, goes on at the end of the channel: Discord limits the edits of
#: such messages.
MAX_EDIT_AGE = 60 * 60


class Calls(ABC):
    """Messages that call somebody: sent unless they are not waited for by then, and taken away once
    they are not.

    Whatever is done about the same check or place has its turn.
    """

    def __init__(self, channels: Channels, tables: Tables, delivery_log: DeliveryLog) -> None:
        self._channels = channels
        self._tables = tables
        self._delivery_log = delivery_log
        self._turns = KeyedLocks()

    @abstractmethod
    async def _is_awaited(self, out: OutboxRow, call: Any) -> bool:
        """Whether those whom a row calls still are."""

    @abstractmethod
    def _replaces(self, new: Any, old: Any) -> bool:
        """Return whether the event of a new call makes the call of an old event superfluous."""

    async def call(self, out: OutboxRow, event: Event, message: dict[str, Any]) -> str:
        """Send what calls somebody, unless they are not waited for any more.

        An earlier call to the same goes if this one replaces it.
        """
        topic = out.topic or ""
        async with self._turns.hold((out.table_id, topic.partition(":")[2])):
            if not await self._is_awaited(out, event):
                return ""
            await self._delivery_log.flush()
            calls = await self._tables.store.topic_messages(out.table_id, [topic])
            new = await self._channels.post(out.place, message, f"{out.id}.0")
            earlier = [row for row in calls if row.id < out.id]
            await self._sweep(earlier, lambda old: self._replaces(event, old))
            return new

    async def confirm_call(self, out: OutboxRow, event: Event, where: str) -> str:
        """A call that was found again: where it stands, or nothing where it is over and was taken
        away.
        """
        if await self._is_awaited(out, event):
            return where
        await self._channels.delete(where)
        return ""

    async def _sweep(self, calls: Iterable[OutboxRow], over: Callable[[Any], bool]) -> None:
        """Take away those that are `over`."""
        for sent in calls:
            found = await entry_and_row_events(self._tables, sent)
            if found is not None and over(found[1][0]):
                await self.take_away(sent)

    async def take_away(self, sent: OutboxRow) -> None:
        """Delete a message that has said what it had to, unless somebody else did."""
        if sent.message is not None:
            await self._channels.delete(sent.message)
        self._delivery_log.record_closed([sent])


class CheckMessages(Calls):
    """Carries rows of the kind `card`, those of one check one after another.

    A row shows what was told at its step, so one that comes late, when a later one was drawn, has
    nothing to do.
    """

    def __init__(
        self, channels: Channels, tables: Tables, delivery_log: DeliveryLog, clock: Clock
    ) -> None:
        super().__init__(channels, tables, delivery_log)
        self._clock = clock
        #: Up to which row the card of a check is known to be drawn.
        self._drawn: dict[tuple[int, str], int] = {}

    async def carry(
        self, out: OutboxRow, event: CheckChanged, messages: list[dict[str, Any]]
    ) -> str:
        """Bring the message of a check up to date.

        Returns `<channel id>/<message id>` of a new message, else an empty text. Raises one of
        `DISCORD_ERRORS` if the message cannot be shown.
        """
        key = (out.table_id, event.check)
        async with self._turns.hold(key):
            if out.id <= await self._last_drawn_row(key):
                return ""
            await self._delivery_log.flush()
            new = await self._show(out, messages)
            self._drawn[key] = out.id
            await self._dismiss(out, event)
        while len(self._drawn) > _REMEMBERED:
            del self._drawn[next(iter(self._drawn))]
        return new

    async def _is_awaited(self, out: OutboxRow, call: CheckChanged) -> bool:
        """As far as the card shows."""
        last = await self._last_drawn_row((out.table_id, call.check))
        later = await self._tables.store.outbox_row(last) if last > out.id else None
        if later is None or later.journal_id <= out.journal_id:
            return True
        told = await entry_and_row_events(self._tables, later)
        now = None if told is None else first_check_event(told[1])
        return now is None or still_called(call, now)

    def _replaces(self, new: CheckChanged, old: CheckChanged) -> bool:
        return replaces_call(new, old)

    async def _last_drawn_row(self, key: tuple[int, str]) -> int:
        """Up to which row the card of a check is drawn, by an earlier process perhaps."""
        if key not in self._drawn:
            table_id, check = key
            return await self._tables.store.last_sent_row_id(table_id, check_message_topic(check))
        return self._drawn[key]

    async def has_drawn_since(self, out: OutboxRow, sent: OutboxRow) -> bool:
        """Whether what was `sent` is a card that shows something later than `out`."""
        check = (sent.topic or "").removeprefix(check_message_topic(""))
        return check != sent.topic and out.id < await self._last_drawn_row((sent.table_id, check))

    async def _show(self, out: OutboxRow, messages: list[dict[str, Any]]) -> str:
        known = await self._tables.store.topic_messages(out.table_id, [out.topic or ""])
        there = [(row, row.message) for row in known if row.message is not None]
        if not there:
            return await self._channels.post_all(out.place, messages, out.id)
        row, where = there[-1]
        if not self._out_of_sight(where):
            now, refused = await self._channels.edit_all(where, messages, out.id)
            if refused is None:
                if now != where:  # it has other pages
                    await self._tables.store.mark_done([(row.id, out.created_at, now)])
                return ""
            log.info("cards.not-edited", extra={"code": refused.code})
        new = await self._channels.post_all(out.place, messages, out.id)
        await self._leave(out, known, new)
        return new

    def _out_of_sight(self, where: str) -> bool:
        """Whether a card stands so far up, or is so old, that an edit would be seen by nobody."""
        posted = discord.utils.snowflake_time(int(where.split("/")[1])).timestamp()
        return self._clock() - posted > MAX_EDIT_AGE or self._delivery_log.is_buried(where)

    async def _leave(self, out: OutboxRow, known: Sequence[OutboxRow], new: str) -> None:
        """Cut a card that goes on elsewhere to a link; what cannot be changed any more is taken
        away.
        """
        for row in known:
            if row.message is None or row.message == new:
                continue
            place, id, *others = row.message.split("/")
            for other in others:
                await self._channels.delete(f"{place}/{other}")
            table = await self._tables.get(out.table_id)
            check = (out.topic or "").removeprefix(check_message_topic(""))
            (link,) = to_messages(moved_card(check, table.guild, *new.split("/")[:2]))
            refused = await self._channels.edit(f"{place}/{id}", link)
            if refused is not None and refused.status != 404:
                await self._channels.delete(f"{place}/{id}")
        self._delivery_log.record_closed(row for row in known if row.message != new)

    async def find_sent(
        self, out: OutboxRow, event: CheckChanged, past: ChannelHistories | None
    ) -> str | None:
        """Where the card stands if this row posted it without being noted; None where it did not.

        An edit is not looked for: it is made again, and if it was made it changes nothing.
        """
        await self._delivery_log.flush()
        known = await self._tables.store.topic_messages(out.table_id, [out.topic or ""])
        where = await self._channels.find_sent(out, None, past)
        if where is None or any(row.message == where for row in known):
            return None
        await self._leave(out, known, where)
        # It may have ended before those were dismissed who are not waited for any more.
        await self._dismiss(out, event)
        return where

    async def _dismiss(self, out: OutboxRow, now: CheckChanged) -> None:
        """Take away the messages that called somebody who is not waited for any more."""
        calls = await self._tables.store.topic_messages(out.table_id, [call_topic(now.check)])
        before = [sent for sent in calls if sent.journal_id < out.journal_id]
        await self._sweep(before, lambda call: not still_called(call, now))
