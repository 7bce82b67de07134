"""Messages of entries that are undone or count again, and buttons that are obsolete."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence, Set

from bot.clock import Clock
from bot.delivery.channels import Channels
from bot.delivery.check_messages import CheckMessages
from bot.delivery.corrected_messages import CorrectedMessages
from bot.delivery.delivery_log import DeliveryLog
from bot.delivery.event_messages import event_messages
from bot.delivery.spoken_messages import SpokenMessages
from bot.delivery.table_scene import scene_of
from bot.delivery.whisper_places import WhisperPlaces
from bot.presenters.events import stub_card
from bot.presenters.render import to_messages
from bot.services.history import displayed_row, entry_and_row_events, messages_of
from bot.services.loaded_table import Table
from bot.services.outbox_plan import SUMMED_UP, is_told_on_card, scene_end_topic, topic_of
from bot.services.tables import Tables
from bot.storage import codec
from bot.storage.row_records import EntryRow, OutboxRow
from rules.table.events import Amended, Event, Notice, Undone, Unsaid
from rules.table.played_scenes import scenes_of

log = logging.getLogger("storyguide.outbox")


#: Finds the message of an entry's row that may have been sent without being recorded.
FindSent = Callable[[Table, Sequence[Event], OutboxRow, int], Awaitable[str | None]]


class OutdatedMessages:
    """Sender of the rows of the kind `mark`: changes of messages that were sent before.

    All methods that ask Discord may raise one of `bot.delivery.response.DISCORD_ERRORS`.
    """

    def __init__(
        self,
        find_sent: FindSent,
        channels: Channels,
        tables: Tables,
        clock: Clock,
        delivery_log: DeliveryLog,
        cards: CheckMessages,
        spoken: SpokenMessages,
        whispers: WhisperPlaces,
    ) -> None:
        self._find_sent = find_sent
        self._channels = channels
        self._tables = tables
        self._clock = clock
        self._delivery_log = delivery_log
        self._cards = cards
        self._spoken = spoken
        self._whispers = whispers
        self._corrected = CorrectedMessages()

    def close(self) -> None:
        """Leave out the marks that still wait."""
        self._corrected.close()

    async def mark(self, table: Table, events: Sequence[Event], out: OutboxRow, seq: int) -> None:
        """Change the messages that a row makes obsolete; *events* are those of its entry."""
        event = events[out.events[0]]
        await self._delivery_log.flush()
        if isinstance(event, Amended):
            await self._mark_undone(table, events, out, seq, event.gone)
        elif isinstance(event, Undone | Unsaid):
            await self._mark_undone(table, events, out, seq, event.entries)
        elif out.topic is not None:
            for sent in await self._tables.store.topic_messages(table.id, [out.topic]):
                if sent.journal_id < out.journal_id:
                    await self._change(table, sent, undone_by=None)

    async def _mark_undone(
        self,
        table: Table,
        events: Sequence[Event],
        out: OutboxRow,
        seq: int,
        undone: Sequence[int],
    ) -> None:
        """Mark the messages of undone entries, and unmark those of entries that count again."""
        event = events[out.events[0]]
        await self._find_undone(table, undone)
        # A reopened check continues in the same card, which a row of its own draws.
        reopened = {topic_of(shown) for shown in events if is_told_on_card(shown)}
        outdated: list[OutboxRow] = []
        for sent in await messages_of(self._tables, table, undone):
            if sent.kind == "card" and sent.topic in reopened:
                continue
            # A board has a row of its own; a card may show a later step already.
            if sent.kind != "board" and not await self._cards.has_drawn_since(out, sent):
                outdated.append(sent)

        async def change(sent: OutboxRow) -> None:
            entry = await self._tables.store.entry_at(table.id, seq)
            # An amendment may be undone while its marks still wait.
            if entry is not None and entry.undone_by is None:
                await self._change(table, sent, undone_by=seq)

        if isinstance(event, Amended):
            await self._corrected.mark(outdated, change)
        else:
            for sent in outdated:
                await change(sent)
        await self._spoken.restore(table, undone, seq)
        if isinstance(event, Undone):
            await self._restore(table, await self._revived_entries(table, undone), reopened, seq)
            await self._reopen_scene_ends(table, undone)

    async def _reopen_scene_ends(self, table: Table, undone: Sequence[int]) -> None:
        """Put back the button for a summary of each scene whose summary is undone."""
        store = self._tables.store
        open_ends = {scene.number for scene in scenes_of(table.state) if not scene.summary}
        topics: dict[str, None] = {}
        for row, _ in await store.entries_at(table.id, undone):
            for event in codec.read_events(row.events):
                if not isinstance(event, Notice) or event.what != SUMMED_UP:
                    continue
                if event.params.get("number") in open_ends:
                    topics[scene_end_topic(event)] = None
        for sent in await store.topic_messages(table.id, [*topics], closed=True) if topics else ():
            entry = await entry_and_row_events(self._tables, sent)
            if entry is not None and entry[0].undone_by is None:
                await self._change(table, sent, undone_by=None, restore=True, reopen=True)

    async def _revived_entries(self, table: Table, undone: Sequence[int]) -> list[EntryRow]:
        """Return the entries that count again because amendments among *undone* are undone."""
        store = self._tables.store
        numbers: set[int] = set()
        for row, _ in await store.entries_at(table.id, undone):
            for event in codec.read_events(row.events):
                if isinstance(event, Amended):
                    numbers.update(event.gone)
        if not numbers:
            return []
        rows = await store.entries_at(table.id, sorted(numbers))
        return [row for row, _ in rows if row.undone_by is None]

    async def _restore(
        self, table: Table, entries: Sequence[EntryRow], reopened: Set[str | None], seq: int
    ) -> None:
        """Take the marks off the messages of entries that count again.

        A check in *reopened* goes on in another card.
        """
        if not entries:
            return
        store = self._tables.store
        for sent in await self._marked_messages(entries, reopened):
            if sent.kind == "say":
                if await self._spoken.is_withheld(table, sent):
                    continue
                where = await self._spoken.carry(table, sent, seq)
                await store.mark_done([(sent.id, self._clock(), where or None)])
            else:
                await self._change(table, sent, undone_by=None, restore=True)
        await self._spoken.restore(table, [entry.seq for entry in entries], seq)

    async def _marked_messages(
        self, entries: Sequence[EntryRow], reopened: Set[str | None]
    ) -> list[OutboxRow]:
        """Return the marked messages of entries; of several messages of a check, the last one.

        No card of a check in *reopened* is among them.
        """
        marked: dict[int, OutboxRow] = {}
        cards: dict[str | None, OutboxRow] = {}
        for sent in await self._tables.store.entry_messages([entry.id for entry in entries]):
            if not sent.closed or sent.kind in ("board", "call"):
                continue
            if sent.kind != "card":
                marked[sent.id] = sent
            elif sent.topic not in reopened:
                cards[sent.topic] = sent
        return [*marked.values(), *cards.values()]

    async def _find_undone(self, table: Table, entries: Sequence[int]) -> None:
        """Find messages of undone entries that the last process sent but did not record.

        Found messages are recorded.
        """
        store = self._tables.store
        for row, _ in await store.entries_at(table.id, entries):
            request = await store.find_request(row.request_id)
            for out in () if request is None else request[1]:
                if out.error != "undone" or out.message is not None:
                    continue
                there = await self._find_sent(table, codec.read_events(row.events), out, row.seq)
                if there:
                    await store.mark_done([(out.id, self._clock(), there)])

    async def _change(
        self,
        table: Table,
        sent: OutboxRow,
        undone_by: int | None,
        *,
        restore: bool = False,
        reopen: bool = False,
    ) -> None:
        """Take the buttons off a message, or mark it as undone.

        With *restore*, take the mark off again; a stub can be opened again. With *reopen*, the
        message has its buttons again.
        """
        if sent.kind == "call" and sent.message is not None:
            await self._cards.take_away(sent)
            return
        if sent.kind == "say":
            await self._spoken.take_away(table, sent)
            return
        entry = await entry_and_row_events(self._tables, await displayed_row(self._tables, sent))
        if entry is None or sent.message is None:
            return
        row, row_events = entry
        as_stub = self._is_stub(table, sent)
        if as_stub and undone_by is None and not restore:
            # No participant can open the stub any more, and it must not tell of a secret.
            await self._cards.take_away(sent)
            return
        # A check or a stub that counts again has its buttons again.
        closed = not (reopen or (restore and sent.kind in ("card", "stub")))
        messages = await self._whispers.stub(table, row_events, sent)
        if messages is None and as_stub:
            stub = stub_card(
                row_events,
                sent.id,
                sent.person,
                scene_of(table),
                closed=closed,
                undone_by=undone_by,
            )
            messages = to_messages(stub)
        elif messages is None:
            messages = event_messages(
                table, row_events, row.seq, None, row=sent.id, closed=closed, undone_by=undone_by
            )
        # A deleted message, or one that the bot may no longer edit, needs no mark.
        _, refused = await self._channels.edit_all(sent.message, messages, sent.id)
        if refused is not None and refused.status not in (403, 404):
            raise refused
        log.debug("outbox.marked", extra={"out": sent.id})
        if restore:
            await self._tables.store.mark_done([(sent.id, self._clock(), sent.message)])
        else:
            self._delivery_log.record_closed([sent])

    def _is_stub(self, table: Table, sent: OutboxRow) -> bool:
        """Return whether a message is a stub, or has to become one.

        A private post has to if others can read its channel by now.
        """
        if sent.kind != "post" or sent.public:
            return sent.kind == "stub"
        channel = (sent.message or "").partition("/")[0]
        return channel != sent.place or not self._channels.is_gm_only(table, sent.place)
