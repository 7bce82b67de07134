"""Messages with the order of action of a place: edited, posted if there is none, and pinned."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

import discord

from bot.clock import Clock
from bot.delivery.call_groups import CallGroups, PreparedCall
from bot.delivery.channels import Channels
from bot.delivery.check_messages import Calls, subject_of
from bot.delivery.delivery_log import DeliveryLog
from bot.delivery.response import DISCORD_ERRORS
from bot.delivery.table_scene import scene_of
from bot.presenters.board import board_card, board_id_prefix, last_deed_text
from bot.presenters.control_ids import row_number, with_epoch
from bot.presenters.render import custom_ids, message_row_number, to_messages
from bot.services.history import check_message_links, entry_and_row_events
from bot.services.loaded_table import Table
from bot.services.outbox_plan import board_topic, turn_topic
from bot.services.tables import Tables
from bot.storage.row_records import LiveMessages, OutboxRow
from rules.registry import read_only_game
from rules.table.checks.audience_views import check_view
from rules.table.events import EVERYONE, BoardChanged
from rules.table.initiative import encounter_in, new_place, turn_number
from rules.table.turns.board import board_view
from rules.table.turns.turn_calls import present_block

log = logging.getLogger("storyguide.boards")

#: Seconds for which a board stays where it was posted, even if it's buried.
STAYS_FOR: Final = 10 * 60
#: Most calls whose text is remembered.
_REMEMBERED = 2000


def _turn(table: Table, place: str) -> int | None:
    """Return the number of the present turn in a place, or None without an order of action."""
    encounter = encounter_in(table.state, place)
    return None if encounter is None else turn_number(encounter)


class Boards(Calls):
    """Sender of `board` rows, one at a time for each place.

    A board shows the table at the moment of sending, so a late or repeated row does no harm.
    """

    def __init__(
        self,
        channels: Channels,
        tables: Tables,
        delivery_log: DeliveryLog,
        call_groups: CallGroups,
        clock: Clock,
    ) -> None:
        super().__init__(channels, tables, delivery_log)
        self._clock = clock
        self._call_groups = call_groups
        #: Number of the last entry that a place's board shows, by table and place.
        self._drawn: dict[tuple[int, str], int] = {}
        #: What calls of turns say, by row; the newest only.
        self._calls: dict[int, tuple[dict[str, Any], ...]] = {}

    async def carry(self, out: OutboxRow, seq: int) -> str:
        """Bring the board of a place up to date.

        Returns `<channel id>/<message id>` of a new message, else an empty text. Raises one of
        `DISCORD_ERRORS` if the board cannot be shown.
        """
        place = out.place
        key = (out.table_id, place)
        async with self._turns.hold(key):
            if seq <= self._drawn.get(key, 0):
                return ""
            table = await self._tables.get_committed(out.table_id)
            revision = table.revision
            live = await self._live_messages(out)
            new = await self._show(table, out, live.messages)
            self._drawn[key] = revision
            for call in live.calls:
                if call.turn != _turn(table, place):
                    await self.take_away(call)
                else:
                    await self._redraw(table, call)
            return new

    async def call(self, out: OutboxRow, prepare: Callable[[], Awaitable[PreparedCall]]) -> str:
        """Send a call, as `Calls` does, and remember what it says."""

        async def remember() -> PreparedCall:
            prepared = await prepare()
            self._calls[out.id] = prepared.messages
            return prepared

        new = await super().call(out, remember)
        while len(self._calls) > _REMEMBERED:
            del self._calls[next(iter(self._calls))]
        return new

    async def _redraw(self, table: Table, call: OutboxRow) -> None:
        """Say in the call of a block who has ended the turn since; nobody gets a new ping."""
        entry = await entry_and_row_events(self._tables, call)
        event = None if entry is None else entry[1][0]
        if call.message is None or not isinstance(event, BoardChanged) or not event.block:
            return
        block = present_block(read_only_game(table.state), event)
        now = event.replace(block=block)
        prepared = await self._call_groups.prepare(table, now, call)
        if prepared.messages == self._calls.get(call.id):
            return
        place, *pages = call.message.split("/")
        for page, message in zip(pages, prepared.messages, strict=False):
            refused = await self._channels.edit(f"{place}/{page}", message)
            if refused is not None:
                log.info("boards.call-not-edited", extra={"code": refused.code})
        self._calls[call.id] = prepared.messages

    def _topics(self, subject: str) -> tuple[str, str]:
        return board_topic(subject), turn_topic(subject)

    async def _is_awaited(self, call: OutboxRow, live: LiveMessages) -> bool:
        table = await self._tables.get_committed(call.table_id)
        _, place = subject_of(call)
        return call.turn == _turn(table, place)

    def _replaces(self, new: OutboxRow, old: OutboxRow) -> bool:
        # Every call names all characters whose turn it is.
        return True

    async def _show(self, table: Table, out: OutboxRow, known: Sequence[OutboxRow]) -> str:
        """Show a place on its `known` board, or post a new board.

        A buried board that changes is deleted and posted anew, at most once in `STAYS_FOR`.
        """
        place = out.place
        shown = board_view(table.state, place)
        last = None if shown is None else await self._last(table, place)
        # A board without buttons is found again by the number of the row that removed them.
        (message,) = to_messages(
            board_card(shown, scene_of(table), last, moved_to=new_place(table.state, place)),
            row=out.id if shown is None else None,
        )
        there = [row.message for row in known if row.message is not None]
        unrecorded = None if there else await self._find(table, out)
        if unrecorded:
            there = [unrecorded]
        moves_down = shown is not None and bool(there) and self._is_out_of_sight(there[-1])
        refused: discord.HTTPException | None = None
        if moves_down:
            await self._channels.delete(there[-1])
        elif there:
            refused = await self._channels.edit(there[-1], message)
        if refused is not None:
            log.info("boards.not-edited", extra={"code": refused.code})
        edited, new = bool(there) and refused is None and not moves_down, unrecorded
        if shown is not None and not edited:
            # The last process may have posted it after it had deleted the old one.
            new = await self._find(table, out, old=there) if there else None
            if new is None or await self._channels.edit(new, message) is not None:
                new = await self._channels.post(place, message, f"{out.id}.0")
        if shown is not None and new:
            await self._pin(new)
        if shown is None or not edited:
            for old in there:
                await self._pin(old, on=False)
            # A board that is found after its order of action has ended is recorded as closed too.
            self._delivery_log.record_closed(
                [*known, *([out] if unrecorded and shown is None else [])]
            )
        return new or ""

    def _is_out_of_sight(self, where: str) -> bool:
        """Return whether a board is buried and has stood in its place for `STAYS_FOR`."""
        message = int(where.split("/")[1])
        posted = discord.utils.snowflake_time(message).timestamp()
        return self._clock() - posted >= STAYS_FOR and self._delivery_log.is_buried(where)

    async def _last(self, table: Table, place: str) -> tuple[str, str] | None:
        """Return the text and the address of the last check in a place with a public message.

        None if there is no such check.
        """
        game = read_only_game(table.state)
        checks = [check for check in table.state.checks.values() if check.place == place]
        links = await check_message_links(self._tables, table, [check.id for check in checks])
        last = next((check for check in reversed(checks) if check.id in links), None)
        if last is None:
            return None
        return last_deed_text(check_view(game, last, EVERYONE)), links[last.id]

    async def _find(self, table: Table, out: OutboxRow, old: Sequence[str] = ()) -> str | None:
        """Return a board that was posted but not recorded, or None; never one of the *old* ones.

        It is recognized by its buttons, or by its row's number if it has none.
        """
        store, place = self._tables.store, out.place
        prefix = with_epoch(board_id_prefix(table.id, place))
        rows = await store.unsent_rows(table.id)
        mine = {row_number(row.id) for row in rows if row.kind == "board" and row.place == place}
        closed = await store.topic_messages(table.id, [board_topic(place)], closed=True)
        near = await store.messages_near(out)
        noted = near.union(*[str(row.message).split("/") for row in closed])
        noted = noted.union(*[where.split("/") for where in old])

        def is_board(message: discord.Message) -> bool:
            ids = custom_ids([component.to_dict() for component in message.components])
            has_buttons = any(custom_id.startswith(prefix) for custom_id in ids)
            fits = message_row_number(message) in mine or has_buttons
            # A call to a turn has some of the board's buttons, but no container.
            is_layout = any(isinstance(part, discord.Container) for part in message.components)
            return fits and is_layout and str(message.id) not in noted

        return await self._channels.find(place, is_board)

    async def _pin(self, where: str, *, on: bool = True) -> None:
        """Pin or unpin a message if the bot may; the board works without it."""
        message = self._channels.message(where)
        try:
            await (message.pin() if on else message.unpin())
        except DISCORD_ERRORS as error:
            kind = "boards.not-pinned" if on else "boards.not-unpinned"
            log.info(kind, extra={"code": getattr(error, "code", 0)})
