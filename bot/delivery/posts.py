"""Rows of the outbox as messages: what they look like, where they go, what becomes of them
later.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import discord

from bot.clock import Clock
from bot.delivery.boards import Boards
from bot.delivery.channel_privacy import gm_channel_leak
from bot.delivery.channels import ChannelHistories, Channels, was_sent
from bot.delivery.check_messages import Calls, CheckMessages
from bot.delivery.delivery_log import DeliveryLog
from bot.delivery.table_scene import scene_of
from bot.presenters.control_ids import row_number
from bot.presenters.controls import Rows
from bot.presenters.events import event_call_card, event_cards, missed_cards, stub_card
from bot.presenters.layout import rows_of
from bot.presenters.render import is_layout, message_row_number, to_messages
from bot.services.history import displayed_row, entry_and_row_events, messages_of
from bot.services.loaded_table import Table
from bot.services.outbox_plan import is_told_on_card, topic_of
from bot.services.tables import Tables
from bot.storage import codec
from bot.storage.row_records import OutboxRow
from rules.table.events import BoardChanged, CheckChanged, Event, Undone

log = logging.getLogger("storyguide.outbox")

#: How long an interaction's token can still be used to look up its answer, in seconds.
TOKEN_LIFE = 14 * 60


class Posts:
    """Sender of single rows of the outbox.

    All methods that ask Discord may raise one of `bot.delivery.response.DISCORD_ERRORS`.
    """

    def __init__(
        self, channels: Channels, tables: Tables, clock: Clock, delivery_log: DeliveryLog
    ) -> None:
        self._channels = channels
        self._tables = tables
        self._clock = clock
        self._delivery_log = delivery_log
        self._boards = Boards(channels, tables, delivery_log)
        self._cards = CheckMessages(channels, tables, delivery_log, clock)
        #: Messages without a row's number that were found again, and for which row: many say the
        #: same.
        self._given: dict[int, int] = {}

    def messages(
        self,
        table: Table,
        events: Sequence[Event],
        seq: int,
        person: str | None,
        *,
        row: int,
        closed: bool = False,
        undone_by: int | None = None,
        rows: Rows = (),
        posted: Sequence[Event] = (),
    ) -> list[dict[str, Any]]:
        """Return the messages about events, for a person in their chosen form or for a channel.

        `rows` stand below the last message. Of the `posted` events the GM channel has the message.
        """
        plain = person is not None and table.state.person(person).plain
        private, scene = person is not None, scene_of(table)
        cards = event_cards(
            events,
            scene,
            seq,
            private=private,
            closed=closed,
            undone_by=undone_by,
            posted=posted,
        )
        if rows and cards:
            last = cards[-1]
            cards = [*cards[:-1], last.replace(pieces=(*last.pieces, *rows_of(rows)))]
        return to_messages(*cards, plain=plain, row=row)

    async def late_messages(
        self, table: Table, person: str, out: OutboxRow
    ) -> list[dict[str, Any]]:
        """Return the messages of an answer that couldn't be given in time.

        Empty if a check's public card shows all of it.
        """
        found = await entry_and_row_events(self._tables, out)
        if found is None or await self._is_on_card(found[0].request_id, found[1]):
            return []
        cards = missed_cards(found[1], scene_of(table), found[0].seq)
        return to_messages(*cards, plain=table.state.person(person).plain)

    async def _is_on_card(self, request_id: str, events: Sequence[Event]) -> bool:
        """Return whether everything was told on the public card of a check."""
        if not all(is_told_on_card(event) for event in events):
            return False
        found = await self._tables.store.find_request(request_id)
        return found is not None and any(
            out.kind == "card" and (out.done_at is not None or out.id in self._delivery_log)
            for out in found[1]
        )

    async def carry(self, table: Table, events: Sequence[Event], out: OutboxRow, seq: int) -> str:
        """Send one row; returns `<channel id>/<message id>`, or nothing where no message came of
        it.
        """
        told = [events[index] for index in out.events]
        if out.kind == "board":
            return await self._boards.carry(out, seq)
        if out.kind == "mark":
            await self._mark(table, events, out, seq)
            return ""
        if out.kind == "card" and isinstance(told[0], CheckChanged):
            return await self._cards.carry(
                out, told[0], self.messages(table, told, seq, None, row=out.id)
            )
        if out.kind == "post" and not out.public and not self._still_private(table, out.place):
            # Fail closed: what only the GMs may see does not go to a channel that others can read.
            out = self._as_stub(table, told, out)
        messages = self._channel_messages(table, told, out, seq)
        if (calls := self._calls(out, told[0])) is not None:
            return await calls.call(out, told[0], messages[0])
        return await self._channels.post_all(out.place, messages, out.id) if messages else ""

    def _calls(self, out: OutboxRow, event: Event) -> Calls | None:
        """Who carries it, where it calls somebody."""
        if isinstance(event, BoardChanged):
            return self._boards if event.calls else None
        return self._cards if out.kind == "call" else None

    def _channel_messages(
        self, table: Table, told: Sequence[Event], out: OutboxRow, seq: int
    ) -> list[dict[str, Any]]:
        """What a row is in a channel."""
        if out.kind == "stub":
            return to_messages(stub_card(told, out.id, out.person, scene_of(table)))
        if out.kind == "call":
            return to_messages(event_call_card(told, scene_of(table)))
        return self.messages(table, told, seq, None, row=out.id)

    def _still_private(self, table: Table, place: str) -> bool:
        return gm_channel_leak(self._channels.guild_channel(table.guild, place), table) is None

    def _as_stub(self, table: Table, events: Sequence[Event], out: OutboxRow) -> OutboxRow:
        places = [event.place for event in events if isinstance(event, CheckChanged)]
        places += [known for known in self._tables.places.places_of(table.id) if known != out.place]
        return out.replace(kind="stub", place=[*places, out.place][0])

    async def find_sent(
        self,
        table: Table,
        events: Sequence[Event],
        out: OutboxRow,
        seq: int,
        past: ChannelHistories | None = None,
    ) -> str | None:
        """Find the message of a row that may have been sent without being recorded.

        Returns `<channel id>/<message id>`, an empty text if the message is there but needs no
        reference, and None if it is not there. *past* has the channels' histories from before this
        process. Raises one of `DISCORD_ERRORS` if Discord does not tell.
        """
        if out.kind in ("mark", "board"):
            return None
        if out.kind == "card" and isinstance(event := events[out.events[0]], CheckChanged):
            return await self._cards.find_sent(out, event, past)
        if (
            out.kind == "reply"
            and out.token is not None
            and self._clock() - out.created_at < TOKEN_LIFE
        ):
            answer = await self._channels.answer_id(out.token)
            if answer is not None and out.public:
                told = [events[index] for index in out.events]
                messages = self.messages(table, told, seq, None, row=out.id)
                return await self._complete_pages(out, messages, f"{out.place}/{answer}", past)
            if answer is not None:
                return ""
        if out.kind == "reply" and not out.public:
            return None
        if not out.events:
            return ""
        told = [events[index] for index in out.events]
        if out.kind == "post" and not out.public:
            stub = await self.find_sent(table, events, self._as_stub(table, told, out), seq, past)
            if stub is not None:
                return stub
        messages = self._channel_messages(table, told, out, seq)
        if is_layout(messages[0]):
            where = await self._channels.find_sent(out, messages[0], past)
        else:
            where = await self._unnumbered(out, messages[0], past)
        if where is None:
            return None
        if (calls := self._calls(out, told[0])) is not None:
            return await calls.confirm_call(out, told[0], where)
        return await self._complete_pages(out, messages, where, past)

    async def _complete_pages(
        self,
        out: OutboxRow,
        messages: Sequence[dict[str, Any]],
        first: str,
        past: ChannelHistories | None,
    ) -> str:
        """Where all the messages of a row stand of which the first was found; the process may have
        ended between.
        """
        if len(messages) < 2:
            return first
        *_, last = messages
        where = first
        if is_layout(messages[0]):
            where = await self._channels.find_sent(out, messages[0], past) or first
        if not is_layout(last) and (call := await self._beside(out, where, last, past)):
            where += f"/{call.partition('/')[2]}"
        if where.count("/") < len(messages):
            where, _ = await self._channels.edit_all(where, messages, out.id)
        return where

    async def _beside(
        self, out: OutboxRow, card: str, wanted: dict[str, Any], past: ChannelHistories | None
    ) -> str | None:
        """The call of an earlier process that follows a card: before any other card, for rows go
        one by one.
        """
        after = int(card.rpartition("/")[2])
        over = False

        def follows(message: discord.Message) -> bool:
            nonlocal over
            number = message_row_number(message)
            if message.id > after and number not in (None, row_number(out.id)):
                over = True
            return message.id > after and not over and self._channels.is_before_start(message)

        return await self._unnumbered(out, wanted, past, follows)

    async def _unnumbered(
        self,
        out: OutboxRow,
        wanted: dict[str, Any],
        past: ChannelHistories | None,
        fits: Callable[[discord.Message], bool] = lambda message: True,
    ) -> str | None:
        """Where a message stands that has no row's number in it, and is not known to be another
        row's.
        """
        await self._delivery_log.flush()
        others = await self._tables.store.messages_near(out)

        def free(message: discord.Message) -> bool:
            mine = self._given.get(message.id, out.id) == out.id and str(message.id) not in others
            return fits(message) and mine and was_sent(message, out, wanted)

        found = await self._channels.find(out.place, free, out, past)
        if found is not None:
            self._given[int(found.rpartition("/")[2])] = out.id
        return found

    async def _mark(self, table: Table, events: Sequence[Event], out: OutboxRow, seq: int) -> None:
        event = events[out.events[0]]
        store = self._tables.store
        await self._delivery_log.flush()
        if isinstance(event, Undone):
            await self._find_undone(table, event.entries)
            # A check that is open again goes on in the same card, which a row of its own draws.
            reopened = {topic_of(each) for each in events if is_told_on_card(each)}
            for sent in await messages_of(self._tables, table, event.entries):
                if sent.kind == "card" and sent.topic in reopened:
                    continue
                # A board is brought up to date by a row of its own; a card may have moved on
                # meanwhile.
                if sent.kind != "board" and not await self._cards.has_drawn_since(out, sent):
                    await self._change(table, sent, undone_by=seq)
            return
        if out.topic is None:
            return
        for sent in await store.topic_messages(table.id, [out.topic]):
            if sent.journal_id < out.journal_id:
                await self._change(table, sent, undone_by=None)

    async def _find_undone(self, table: Table, entries: Sequence[int]) -> None:
        """What was sent but not noted when the process ended, and taken back before it was found
        again.
        """
        store = self._tables.store
        for row, _ in await store.entries_at(table.id, entries):
            found = await store.find_request(row.request_id)
            for out in () if found is None else found[1]:
                if out.error != "undone" or out.message is not None:
                    continue
                there = await self.find_sent(table, codec.read_events(row.events), out, row.seq)
                if there:
                    await store.mark_done([(out.id, self._clock(), there)])

    async def _change(self, table: Table, sent: OutboxRow, undone_by: int | None) -> None:
        """Take the buttons off a message, or mark it as undone."""
        if sent.kind == "call" and sent.message is not None:
            await self._cards.take_away(sent)
            return
        found = await entry_and_row_events(self._tables, await displayed_row(self._tables, sent))
        if found is None or sent.message is None:
            return
        row, told = found
        stub = sent.kind == "stub"
        if sent.kind == "post" and not sent.public:
            # It may have been sent as a stub, or stand where others can read by now.
            stub = sent.place != sent.message.partition("/")[0] or not self._still_private(
                table, sent.place
            )
        if stub and undone_by is None:
            # Nobody can open it any more, and that there was something private is nobody's
            # business.
            await self._cards.take_away(sent)
            return
        if stub:
            messages = to_messages(
                stub_card(
                    told, sent.id, sent.person, scene_of(table), closed=True, undone_by=undone_by
                )
            )
        else:
            messages = self.messages(
                table, told, row.seq, None, row=sent.id, closed=True, undone_by=undone_by
            )
        # A message that somebody deleted, or that may not be edited any more, needs no mark.
        _, refused = await self._channels.edit_all(sent.message, messages, sent.id)
        if refused is not None and refused.status not in (403, 404):
            raise refused
        log.debug("outbox.marked", extra={"out": sent.id})
        self._delivery_log.record_closed([sent])
