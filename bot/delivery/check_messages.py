"""Public messages of checks, edited at every step, and the calls of participants to them."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import discord

from bot.clock import Clock
from bot.delivery.call_groups import CallGroups, PreparedCall
from bot.delivery.channels import ChannelHistories, Channels
from bot.delivery.delivery_log import DeliveryLog
from bot.delivery.narrowed_calls import NarrowedCalls
from bot.delivery.send_queue import KeyedLocks
from bot.presenters.checks import moved_card
from bot.presenters.render import to_messages
from bot.services.check_calls import is_still_called, replaces_call, still_called_prompts
from bot.services.outbox_plan import call_topic, check_message_topic
from bot.services.tables import Tables
from bot.storage.row_records import LiveMessages, OutboxRow
from rules.table.roll_calls.roll_call import is_roll_call

log = logging.getLogger("storyguide.cards")

#: Most checks whose last drawn rows are remembered.
_REMEMBERED = 2000
#: Seconds for which a card is edited. An older card continues at the end of the channel, since
#: Discord limits the edits of old messages.
MAX_EDIT_AGE = 60 * 60


def subject_of(out: OutboxRow) -> tuple[int, str]:
    """Return the table of a message or call, and the check or place that it is about."""
    return out.table_id, (out.topic or "").partition(":")[2]


def _naming(out: OutboxRow, left_out: frozenset[str]) -> OutboxRow:
    """Return the row of a call as if it didn't call the participants who were left out of it."""
    parties = [
        party.replace(call=None) if party.person in left_out else party for party in out.parties
    ]
    return out.replace(parties=tuple(parties))


class Calls(ABC):
    """Sender of messages that call participants to a check, or to their turn in a place.

    A call is sent if its participants are still awaited, and deleted once they are not. Work on the
    same check or place is done one at a time.
    """

    def __init__(self, channels: Channels, tables: Tables, delivery_log: DeliveryLog) -> None:
        self._channels = channels
        self._tables = tables
        self._delivery_log = delivery_log
        self._turns = KeyedLocks()

    @abstractmethod
    def _topics(self, subject: str) -> tuple[str, str]:
        """Return the topics of the message about a check or place, and of the calls to it."""

    @abstractmethod
    async def _is_awaited(self, call: OutboxRow, live: LiveMessages) -> bool:
        """Return whether the participants that a row calls are still awaited."""

    @abstractmethod
    def _replaces(self, new: OutboxRow, old: OutboxRow) -> bool:
        """Return whether a new call makes an old one superfluous."""

    async def call(self, out: OutboxRow, prepare: Callable[[], Awaitable[PreparedCall]]) -> str:
        """Send a call, unless its participants are no longer awaited.

        `prepare` is asked for its messages, which may be none. An earlier call on the same topic is
        deleted if this one replaces it.
        """
        async with self._turns.hold(subject_of(out)):
            live = await self._live_messages(out)
            later = [sent for sent in live.calls if sent.id > out.id]
            if any(self._replaces(sent, out) for sent in later):
                return ""
            if not await self._is_awaited(out, live):
                return ""
            prepared = await prepare()
            if not prepared.messages:
                return ""
            new = await self._channels.post_all(out.place, prepared.messages, out.id)
            await self._take_replaced(out, prepared.left_out, live)
            return new

    async def _take_replaced(
        self, out: OutboxRow, left_out: frozenset[str], live: LiveMessages
    ) -> None:
        """Delete the earlier calls that a call replaces. It names no participant of *left_out*."""
        named = _naming(out, left_out)
        for sent in live.calls:
            if sent.id < out.id and self._replaces(named, sent):
                await self.take_away(sent)

    async def confirm_call(self, out: OutboxRow, where: str, left_out: frozenset[str]) -> str:
        """Return the address of a call that was found again, and delete those that it replaces.

        A call that is over is deleted; then the address is empty.
        """
        live = await self._live_messages(out)
        if await self._is_awaited(out, live):
            await self._take_replaced(out, left_out, live)
            return where
        await self._channels.delete_all(where)
        return ""

    async def _live_messages(self, out: OutboxRow) -> LiveMessages:
        """Return the messages and calls about a row's subject, all deliveries so far included."""
        await self._delivery_log.flush()
        table_id, subject = subject_of(out)
        return await self._tables.store.live_messages(table_id, *self._topics(subject))

    async def take_away(self, sent: OutboxRow) -> None:
        """Delete a message that is no longer needed; it may be deleted already."""
        if sent.message is not None:
            await self._channels.delete_all(sent.message)
        self._delivery_log.record_closed([sent])


class CheckMessages(Calls):
    """Sender of `card` rows, one at a time for each check.

    A row shows the check at its own step. A row that comes after a later one was drawn does
    nothing.
    """

    def __init__(
        self,
        channels: Channels,
        tables: Tables,
        delivery_log: DeliveryLog,
        clock: Clock,
        call_groups: CallGroups,
    ) -> None:
        super().__init__(channels, tables, delivery_log)
        self._clock = clock
        self._narrowed_calls = NarrowedCalls(channels, tables, delivery_log, call_groups)
        #: Last row that the card of a check shows, by table and check.
        self._drawn: dict[tuple[int, str], OutboxRow] = {}

    async def carry(self, out: OutboxRow, messages: list[dict[str, Any]]) -> str:
        """Bring the message of a check up to date.

        Returns `<channel id>/<message id>` of a new message, else an empty text. Raises one of
        `DISCORD_ERRORS` if the message cannot be shown.
        """
        key = subject_of(out)
        async with self._turns.hold(key):
            live = await self._live_messages(out)
            last = self._drawn.get(key, live.last_sent)
            if last is not None and out.id <= last.id:
                return ""
            new = await self._show(out, messages, live.messages)
            self._drawn[key] = out
            await self._dismiss(out, live.calls)
            await self._narrow_calls(out, last, live.calls)
        while len(self._drawn) > _REMEMBERED:
            del self._drawn[next(iter(self._drawn))]
        return new

    def _topics(self, subject: str) -> tuple[str, str]:
        return check_message_topic(subject), call_topic(subject)

    async def _is_awaited(self, call: OutboxRow, live: LiveMessages) -> bool:
        """Return whether the card, as drawn, still awaits the participants."""
        # An earlier process may have drawn the card.
        last = self._drawn.get(subject_of(call), live.last_sent)
        if last is None or last.id <= call.id or last.journal_id <= call.journal_id:
            return True
        return is_still_called(call.parties, last.parties)

    def _replaces(self, new: OutboxRow, old: OutboxRow) -> bool:
        return replaces_call(new.parties, old.parties)

    async def has_drawn_since(self, out: OutboxRow, sent: OutboxRow) -> bool:
        """Return whether `sent` is a card that shows a later row than `out`."""
        topic = sent.topic or ""
        if not topic.startswith(check_message_topic("")):
            return False
        last = self._drawn.get(subject_of(sent))
        if last is None:
            last = await self._tables.store.last_sent_row(sent.table_id, topic)
        return last is not None and out.id < last.id

    async def _show(
        self, out: OutboxRow, messages: list[dict[str, Any]], known: Sequence[OutboxRow]
    ) -> str:
        """Show a row on the last of the check's `known` cards, or post a new card."""
        there = [(row, row.message) for row in known if row.message is not None]
        if not there:
            return await self._channels.post_all(out.place, messages, out.id)
        row, where = there[-1]
        is_here = where.partition("/")[0] == out.place
        if is_here and not self._out_of_sight(where):
            now, refused = await self._channels.edit_all(where, messages, out.id)
            if refused is None:
                if now != where:  # the pages have changed
                    await self._tables.store.mark_done([(row.id, out.created_at, now)])
                return ""
            log.info("cards.not-edited", extra={"code": refused.code})
        new = await self._channels.post_all(out.place, messages, out.id)
        await self._leave(out, known, new)
        return new

    def _out_of_sight(self, where: str) -> bool:
        """Return whether a card is buried or so old that players would miss an edit."""
        posted = discord.utils.snowflake_time(int(where.split("/")[1])).timestamp()
        return self._clock() - posted > MAX_EDIT_AGE or self._delivery_log.is_buried(where)

    async def _leave(self, out: OutboxRow, known: Sequence[OutboxRow], new: str) -> None:
        """Cut the old cards of a check to links to the new one.

        An old card that can't be edited is deleted.
        """
        for row in known:
            if row.message is None or row.message == new:
                continue
            place, id, *others = row.message.split("/")
            for other in others:
                await self._channels.delete(f"{place}/{other}")
            table = await self._tables.get(out.table_id)
            check = (out.topic or "").removeprefix(check_message_topic(""))
            new_place, message = new.split("/")[:2]
            card = moved_card(check, table.guild, new_place, message, elsewhere=new_place != place)
            (link,) = to_messages(card)
            refused = await self._channels.edit(f"{place}/{id}", link)
            if refused is not None and refused.status != 404:
                await self._channels.delete(f"{place}/{id}")
        self._delivery_log.record_closed(row for row in known if row.message != new)

    async def find_sent(self, out: OutboxRow, past: ChannelHistories | None) -> str | None:
        """Return the address of a card that this row posted without being recorded, or None.

        An edit is not looked for: it is repeated, and a repeated edit changes nothing.
        """
        live = await self._live_messages(out)
        where = await self._channels.find_sent(out, None, past)
        if where is None or any(row.message == where for row in live.messages):
            return None
        await self._leave(out, live.messages, where)
        # The earlier process may have ended before it deleted the calls that are over.
        await self._dismiss(out, live.calls)
        await self._narrow_calls(out, live.last_sent, live.calls)
        return where

    async def _dismiss(self, out: OutboxRow, calls: Sequence[OutboxRow]) -> None:
        """Delete the calls to participants whom the check no longer awaits at a row's step."""
        for call in calls:
            if call.journal_id < out.journal_id and not is_still_called(call.parties, out.parties):
                await self.take_away(call)

    async def _narrow_calls(
        self, out: OutboxRow, last: OutboxRow | None, calls: Sequence[OutboxRow]
    ) -> None:
        """Edit the calls to a roll call if a player that they name has answered since *last*."""
        if not is_roll_call(subject_of(out)[1]):
            return
        for call in calls:
            if call.journal_id >= out.journal_id:
                continue
            shown = call
            if last is not None and last.journal_id > call.journal_id:
                shown = last
            asked = still_called_prompts(call.parties, out.parties)
            if asked and asked != still_called_prompts(call.parties, shown.parties):
                await self._narrowed_calls.narrow(call, shown, out)
