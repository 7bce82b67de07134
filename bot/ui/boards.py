"""The one message of each place that shows its order of action: edited, posted where there is none, pinned."""

from __future__ import annotations

import logging
from typing import Any

import discord

from bot.presenters.board import board_card, board_id, last_text
from bot.presenters.control_ids import stamped
from bot.presenters.render import custom_ids, row_of, to_messages
from bot.services.history import card_links, events_of
from bot.services.outgoing import board_topic, turn_topic
from bot.services.table import Table
from bot.services.tables import Tables
from bot.storage.records import Out
from bot.ui.channels import Channels
from bot.ui.lanes import Turns
from bot.ui.noting import Noting
from bot.ui.response import TROUBLE
from bot.ui.scene import scene_of
from rules.registry import look
from rules.table.checks.telling import check_view
from rules.table.events import EVERYONE, BoardChanged
from rules.table.turns.encounters import board
from rules.table.turns.order import encounter_in, turn_number

log = logging.getLogger("storyguide.boards")


def _turn(table: Table, place: str) -> int | None:
    """The number of the present turn in a place, None where no order of action is kept."""
    encounter = encounter_in(table.state, place)
    return None if encounter is None else turn_number(encounter)


class Boards:
    """Carries rows of the kind `board`, those of one place one after another.

    What is drawn is the table as it is at that moment, so a row that comes late or twice does no harm.
    """

    def __init__(self, channels: Channels, tables: Tables, noting: Noting) -> None:
        self._channels = channels
        self._tables = tables
        self._noting = noting
        self._turns = Turns()
        #: Up to which entry of which table a place's board is known to be drawn.
        self._drawn: dict[tuple[int, str], int] = {}

    async def carry(self, out: Out, seq: int) -> str:
        """Bring the board of a place up to date; returns `<channel id>/<message id>` of a message not known before.

        Raises what `TROUBLE` names when it could not be shown.
        """
        place = out.place
        async with self._turns.turn(place):
            key = (out.table_id, place)
            if seq <= self._drawn.get(key, 0):
                return ""
            await self._noting.write()
            table = await self._tables.committed(out.table_id)
            revision = table.revision
            new = await self._show(table, out)
            self._drawn[key] = revision
            await self._dismiss(table, place)
            return new

    async def call(self, out: Out, event: BoardChanged, messages: list[dict[str, Any]]) -> str:
        """Send what calls somebody to their turn, unless that has passed; an earlier call to the same turn goes."""
        async with self._turns.turn(event.place):
            table = await self._tables.committed(out.table_id)
            if event.turn != _turn(table, event.place):
                return ""
            new = await self._channels.post(out.place, messages[0], f"{out.id}.0")
            await self._dismiss(table, event.place, but=out.id)
            return new

    async def called(self, out: Out, event: BoardChanged, where: str) -> str:
        """A call that was found again: where it stands, or nothing where the turn has passed and it was taken away."""
        table = await self._tables.committed(out.table_id)
        if event.turn == _turn(table, event.place):
            return where
        await self._channels.delete(where)
        return ""

    async def _dismiss(self, table: Table, place: str, but: int | None = None) -> None:
        """Take away the messages that called somebody to a turn that has passed, or all `but` the one of that row."""
        await self._noting.write()
        for sent in await self._tables.store.topic_messages(table.id, [turn_topic(place)]):
            found = await events_of(self._tables, sent)
            told = [] if found is None else [found[1][index] for index in sent.events]
            turns = {event.turn for event in told if isinstance(event, BoardChanged)}
            if sent.id == but or (but is None and _turn(table, place) in turns):
                continue
            if sent.message is not None:
                await self._channels.delete(sent.message)
            self._noting.over([sent])

    async def _show(self, table: Table, out: Out) -> str:
        store, place = self._tables.store, out.place
        shown = board(table.state, place)
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
            # One that is found again when its order of action is over is noted, and is no board any more.
            self._noting.over([*known, *([out] if found and shown is None else [])])
        return new or ""

    async def _last(self, table: Table, place: str) -> tuple[str, str] | None:
        """What was done last in a place as everybody knows it, with the address of its card; None where none stands."""
        game = look(table.state)
        there = [each for each in table.state.checks.values() if each.place == place]
        links = await card_links(self._tables, table, [each.id for each in there])
        last = next((each for each in reversed(there) if each.id in links), None)
        return None if last is None else (last_text(check_view(game, last, EVERYONE)), links[last.id])

    async def _find(self, table: Table, out: Out) -> str | None:
        """A board that was posted without being noted, known by its buttons, or by its row once it has none."""
        store, place = self._tables.store, out.place
        prefix = stamped(board_id(table.id, place))
        rows = await store.open_outs(table.id)
        mine = {row.id for row in rows if row.kind == "board" and row.place == place}
        over = await store.topic_messages(table.id, [board_topic(place)], closed=True)
        near = await store.messages_near(out)
        noted = near.union(*[str(row.message).split("/") for row in over])

        def ours(message: discord.Message) -> bool:
            ids = custom_ids([component.to_dict() for component in message.components])
            fits = row_of(message) in mine or any(each.startswith(prefix) for each in ids)
            # A call to a turn has some of its buttons, but is no card.
            card = any(isinstance(each, discord.Container) for each in message.components)
            return fits and card and str(message.id) not in noted

        return await self._channels.find(place, ours)

    async def _pin(self, where: str, *, on: bool = True) -> None:
        """Pin the message if that is allowed, or no more: the board works without it."""
        message = self._channels.message(where)
        try:
            await (message.pin() if on else message.unpin())
        except TROUBLE as error:
            kind = "boards.not-pinned" if on else "boards.not-unpinned"
            log.info(kind, extra={"code": getattr(error, "code", 0)})
