"""The one message of each place that shows its order of action: edited, posted where there is none,
pinned.
"""

from __future__ import annotations

import logging

import discord

from bot.delivery.channels import Channels
from bot.delivery.check_messages import Calls
from bot.delivery.delivery_log import DeliveryLog
from bot.delivery.response import DISCORD_ERRORS
from bot.delivery.table_scene import scene_of
from bot.presenters.board import board_card, board_id_prefix, last_deed_text
from bot.presenters.control_ids import row_number, with_epoch
from bot.presenters.render import custom_ids, message_row_number, to_messages
from bot.services.history import check_message_links
from bot.services.loaded_table import Table
from bot.services.outbox_plan import board_topic, turn_topic
from bot.services.tables import Tables
from bot.storage.row_records import OutboxRow
from rules.registry import read_only_game
from rules.table.checks.audience_views import check_view
from rules.table.events import EVERYONE, BoardChanged
from rules.table.initiative import encounter_in, turn_number
from rules.table.turns.encounters import board_view

log = logging.getLogger("storyguide.boards")


def _turn(table: Table, place: str) -> int | None:
    """The number of the present turn in a place, None where no order of action is kept."""
    encounter = encounter_in(table.state, place)
    return None if encounter is None else turn_number(encounter)


class Boards(Calls):
    """Carries rows of the kind `board`, those of one place one after another.

    What is drawn is the table as it is at that moment, so a row that comes late or twice does no
    harm.
    """

    def __init__(self, channels: Channels, tables: Tables, delivery_log: DeliveryLog) -> None:
        super().__init__(channels, tables, delivery_log)
        #: Up to which entry of which table a place's board is known to be drawn.
        self._drawn: dict[tuple[int, str], int] = {}

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
            await self._delivery_log.flush()
            table = await self._tables.get_committed(out.table_id)
            revision = table.revision
            new = await self._show(table, out)
            self._drawn[key] = revision
            await self._dismiss(table, place)
            return new

    async def _is_awaited(self, out: OutboxRow, call: BoardChanged) -> bool:
        return call.turn == _turn(await self._tables.get_committed(out.table_id), call.place)

    def _replaces(self, new: BoardChanged, old: BoardChanged) -> bool:
        # Every call names all those whose turn it is.
        return True

    async def _dismiss(self, table: Table, place: str) -> None:
        """Take away the messages that called somebody to a turn that has passed."""
        await self._delivery_log.flush()
        calls = await self._tables.store.topic_messages(table.id, [turn_topic(place)])
        await self._sweep(calls, lambda call: call.turn != _turn(table, place))

    async def _show(self, table: Table, out: OutboxRow) -> str:
        store, place = self._tables.store, out.place
        shown = board_view(table.state, place)
        last = None if shown is None else await self._last(table, place)
        # One without buttons is found again by the number of the row that took them off.
        (message,) = to_messages(
            board_card(shown, scene_of(table), last), row=out.id if shown is None else None
        )
        known = await store.topic_messages(table.id, [board_topic(place)])
        there = [row.message for row in known if row.message is not None]
        found = None if there else await self._find(table, out)
        if found:
            there = [found]
        refused = await self._channels.edit(there[-1], message) if there else None
        if refused is not None:
            log.info("boards.not-edited", extra={"code": refused.code})
        edited, new = bool(there) and refused is None, found
        if shown is not None and not edited:
            new = await self._channels.post(place, message, f"{out.id}.0")
        if shown is not None and new:
            await self._pin(new)
        if shown is None or not edited:
            for old in there:
                await self._pin(old, on=False)
            # One that is found again when its order of action is over is noted, and is no board any
            # more.
            self._delivery_log.record_closed([*known, *([out] if found and shown is None else [])])
        return new or ""

    async def _last(self, table: Table, place: str) -> tuple[str, str] | None:
        """What was done last in a place as everybody knows it, with the address of its card; None
        where none stands.
        """
        game = read_only_game(table.state)
        there = [each for each in table.state.checks.values() if each.place == place]
        links = await check_message_links(self._tables, table, [each.id for each in there])
        last = next((each for each in reversed(there) if each.id in links), None)
        return (
            None
            if last is None
            else (last_deed_text(check_view(game, last, EVERYONE)), links[last.id])
        )

    async def _find(self, table: Table, out: OutboxRow) -> str | None:
        """A board that was posted without being noted, known by its buttons, or by its row once it
        has none.
        """
        store, place = self._tables.store, out.place
        prefix = with_epoch(board_id_prefix(table.id, place))
        rows = await store.unsent_rows(table.id)
        mine = {row_number(row.id) for row in rows if row.kind == "board" and row.place == place}
        over = await store.topic_messages(table.id, [board_topic(place)], closed=True)
        near = await store.messages_near(out)
        noted = near.union(*[str(row.message).split("/") for row in over])

        def ours(message: discord.Message) -> bool:
            ids = custom_ids([component.to_dict() for component in message.components])
            fits = message_row_number(message) in mine or any(
                each.startswith(prefix) for each in ids
            )
            # A call to a turn has some of its buttons, but is no card.
            card = any(isinstance(each, discord.Container) for each in message.components)
            return fits and card and str(message.id) not in noted

        return await self._channels.find(place, ours)

    async def _pin(self, where: str, *, on: bool = True) -> None:
        """Pin the message if that is allowed, or no more: the board works without it."""
        message = self._channels.message(where)
        try:
            await (message.pin() if on else message.unpin())
        except DISCORD_ERRORS as error:
            kind = "boards.not-pinned" if on else "boards.not-unpinned"
            log.info(kind, extra={"code": getattr(error, "code", 0)})
