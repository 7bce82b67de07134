"""Single rows of the outbox as messages: contents, channel and later changes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import discord

from bot.clock import Clock
from bot.delivery.boards import Boards
from bot.delivery.call_groups import CallGroups, PreparedCall
from bot.delivery.channels import TOKEN_LIFE, ChannelHistories, Channels, was_sent
from bot.delivery.check_messages import Calls, CheckMessages
from bot.delivery.delivery_log import DeliveryLog
from bot.delivery.digests import digest_layout, is_digest
from bot.delivery.event_messages import event_messages
from bot.delivery.outdated_messages import OutdatedMessages
from bot.delivery.spoken_messages import SpokenMessages
from bot.delivery.table_scene import scene_of
from bot.delivery.whisper_places import WhisperPlaces, changes_cast
from bot.presenters.control_ids import row_number
from bot.presenters.events import stub_card
from bot.presenters.render import is_layout, message_row_number, to_messages
from bot.services.history import entry_message_links
from bot.services.loaded_table import Table
from bot.services.tables import Tables
from bot.storage.row_records import OutboxRow
from rules.table.events import Amended, CheckChanged, Event

log = logging.getLogger("storyguide.outbox")


class Posts:
    """Sender of single rows of the outbox.

    All methods that ask Discord may raise one of `bot.delivery.response.DISCORD_ERRORS`.
    """

    def __init__(
        self,
        channels: Channels,
        tables: Tables,
        clock: Clock,
        delivery_log: DeliveryLog,
        whispers: WhisperPlaces,
    ) -> None:
        self._whispers = whispers
        self._channels = channels
        self._tables = tables
        self._clock = clock
        self._delivery_log = delivery_log
        self.call_groups = CallGroups(tables, clock)
        self._spoken = SpokenMessages(channels, tables, delivery_log, whispers)
        self._boards = Boards(channels, tables, delivery_log, self.call_groups, clock)
        self._cards = CheckMessages(channels, tables, delivery_log, clock, self.call_groups)
        self.outdated = OutdatedMessages(
            self.find_sent,
            channels,
            tables,
            clock,
            delivery_log,
            self._cards,
            self._spoken,
            whispers,
        )
        #: Rows of found messages without a row number, by message id: many have equal contents.
        self._given: dict[int, int] = {}

    async def carry(self, table: Table, events: Sequence[Event], out: OutboxRow, seq: int) -> str:
        """Send one row; return `<channel id>/<message id>`, or an empty text without a message."""
        row_events = [events[index] for index in out.events]
        if any(map(changes_cast, row_events)) and out.kind != "mark":
            await self._whispers.match_cast(table, out.place)
        stub = await self._whispers.stub(table, row_events, out)
        if stub is not None and out.kind in ("board", "call"):
            return ""  # Where others read, the board isn't drawn anew and nobody is called.
        if stub is not None and out.kind == "card":
            return await self._cards.carry(out, stub)
        if stub is not None:
            return await self._channels.post_all(out.place, stub, out.id)
        if out.kind == "board":
            return await self._boards.carry(out, seq)
        if out.kind == "say":
            return await self._spoken.carry(table, out, seq)
        if out.kind == "mark":
            await self.outdated.mark(table, events, out, seq)
            return ""
        if out.kind == "card":
            return await self._cards.carry(
                out, event_messages(table, row_events, seq, None, row=out.id)
            )
        if (
            out.kind == "post"
            and not out.public
            and not self._channels.is_gm_only(table, out.place)
        ):
            # Fail closed: a private post does not go to a channel that others can read.
            out = _as_stub(out, row_events, self._tables.places.places_of(table.id))
        if (calls := self._calls(out)) is not None:
            return await calls.call(out, lambda: self._prepare_call(table, row_events, out, seq))
        if out.kind == "nudge":
            await self.call_groups.remind_privately(table, row_events[0], out)
            return ""
        messages = await self._channel_messages(table, row_events, out, seq)
        messages = await self.call_groups.soften(table, row_events, out, messages)
        return await self._channels.post_all(out.place, messages, out.id) if messages else ""

    async def _prepare_call(
        self, table: Table, events: Sequence[Event], out: OutboxRow, seq: int
    ) -> PreparedCall:
        """Return a call's messages. The call to a hidden turn is a message for the GMs alone."""
        if out.kind == "call":
            return await self.call_groups.prepare(table, events[0], out)
        messages = await self._channel_messages(table, events, out, seq)
        first = await self.call_groups.soften(table, events, out, messages[:1])
        return PreparedCall(tuple(first))

    def _calls(self, out: OutboxRow) -> Calls | None:
        """Return the sender of a row that calls participants, or None for any other row."""
        if out.turn is not None:
            return self._boards
        return self._cards if out.kind == "call" else None

    async def _channel_messages(
        self, table: Table, events: Sequence[Event], out: OutboxRow, seq: int
    ) -> list[dict[str, Any]]:
        """Return the messages of a row in a channel."""
        if out.kind == "stub":
            return to_messages(stub_card(events, out.id, out.person, scene_of(table)))
        if is_digest(events[0]):
            digest = await digest_layout(self._tables, self._channels, table, events[0], out.place)
            return to_messages(digest, row=out.id)
        if isinstance(events[0], Amended):
            events = [await _with_links(self._tables, table, events[0], out.place), *events[1:]]
        return event_messages(table, events, seq, None, row=out.id)

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
        if out.kind in ("mark", "board", "nudge"):
            return None
        if out.kind == "card":
            return await self._cards.find_sent(out, past)
        if out.kind == "say":
            return await self._spoken.find_sent(table, out, events[out.events[0]])
        if (
            out.kind == "reply"
            and out.token is not None
            and self._clock() - out.created_at < TOKEN_LIFE
        ):
            answer = await self._channels.answer_id(out.token)
            if answer is not None and out.public:
                row_events = [events[index] for index in out.events]
                messages = event_messages(table, row_events, seq, None, row=out.id)
                return await self._complete_pages(out, messages, f"{out.place}/{answer}", past)
            if answer is not None:
                return ""
        if out.kind == "reply" and not out.public:
            return None
        if not out.events:
            return ""
        row_events = [events[index] for index in out.events]
        if out.kind == "post" and not out.public:
            posted = _as_stub(out, row_events, self._tables.places.places_of(table.id))
            stub = await self.find_sent(table, events, posted, seq, past)
            if stub is not None:
                return stub
        if (calls := self._calls(out)) is not None:
            prepared = await self._prepare_call(table, row_events, out, seq)
            return await self._find_call(calls, prepared, out, past)
        messages = await self._channel_messages(table, row_events, out, seq)
        if is_layout(messages[0]):
            where = await self._channels.find_sent(out, messages[0], past)
        else:
            where = await self._find_unnumbered(out, messages[0], past)
        if where is None:
            return None
        return await self._complete_pages(out, messages, where, past)

    async def _find_call(
        self,
        calls: Calls,
        prepared: PreparedCall,
        out: OutboxRow,
        past: ChannelHistories | None,
    ) -> str | None:
        """Find a call that may have been sent, as `find_sent`; missing messages of it are sent."""
        found: list[str | None] = []
        for message in prepared.messages:
            found.append(await self._find_unnumbered(out, message, past))
        if not any(found):
            return None
        pages: list[str] = []
        for number, where in enumerate(found):
            message = prepared.messages[number]
            page = where or await self._channels.post(out.place, message, f"{out.id}.{number}")
            pages.append(page.partition("/")[2])
        there = "/".join((out.place, *pages))
        return await calls.confirm_call(out, there, prepared.left_out)

    async def _complete_pages(
        self,
        out: OutboxRow,
        messages: Sequence[dict[str, Any]],
        first: str,
        past: ChannelHistories | None,
    ) -> str:
        """Return the address of a row's pages, after the first was found.

        The last process may have ended between two pages; missing pages are sent.
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
        """Return the last process's call that follows a card, or None.

        It stands before any other card, since a channel's rows are sent in order.
        """
        after = int(card.rpartition("/")[2])
        over = False

        def follows(message: discord.Message) -> bool:
            nonlocal over
            number = message_row_number(message)
            if message.id > after and number not in (None, row_number(out.id)):
                over = True
            return message.id > after and not over and self._channels.is_before_start(message)

        return await self._find_unnumbered(out, wanted, past, follows)

    async def _find_unnumbered(
        self,
        out: OutboxRow,
        wanted: dict[str, Any],
        past: ChannelHistories | None,
        fits: Callable[[discord.Message], bool] = lambda message: True,
    ) -> str | None:
        """Return the address of a row's message that carries no row number, or None.

        Messages known to belong to other rows don't count.
        """
        await self._delivery_log.flush()
        others = await self._tables.store.messages_near(out)

        def fits_row(message: discord.Message) -> bool:
            mine = self._given.get(message.id, out.id) == out.id and str(message.id) not in others
            return fits(message) and mine and was_sent(message, out, wanted)

        where = await self._channels.find(out.place, fits_row, out, past)
        if where is not None:
            self._given[int(where.rpartition("/")[2])] = out.id
        return where


async def _with_links(tables: Tables, table: Table, event: Amended, place: str) -> Amended:
    """Return an amendment with links to the messages of its entries in the same channel."""
    links = await entry_message_links(tables, table, [entry.seq for entry in event.entries], place)
    entries = [entry.replace(link=links.get(entry.seq, "")) for entry in event.entries]
    return event.replace(entries=tuple(entries))


def _as_stub(out: OutboxRow, events: Sequence[Event], known: Sequence[str]) -> OutboxRow:
    """Return a private row as a stub in the place of its check, or in another *known* one."""
    places = [event.place for event in events if isinstance(event, CheckChanged)]
    places += [place for place in known if place != out.place]
    return out.replace(kind="stub", place=[*places, out.place][0])
