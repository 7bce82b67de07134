"""`/table`: what stands, what happened last, and one's own last step back."""

from __future__ import annotations

from typing import Literal

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.presenters.checkup import checkup_card
from bot.presenters.fair import entry_card, order_card, release_card, seeds_card
from bot.presenters.table import last_card, table_cards, unsaid_card
from bot.presenters.todo import now_lines
from bot.services.orders import made_from_secret, order_at, recent_orders
from bot.ui.checkup import check_up
from bot.ui.router import Press
from rules.table.actions import ChangePerson, RotateSeed, Undo
from rules.table.permissions import require_gm

#: How many results `/table last` goes back.
SHOWN = 5


class Table(commands.GroupCog, group_name="table", group_description="This table"):
    """show, last, undo, plain, fair, doctor."""

    fair = app_commands.Group(name="fair", description="Dice that can be checked")

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        super().__init__()
        bot.router.add("release", self.release)
        bot.router.add("deliver", self.again)

    @app_commands.command(description="What this table plays, who is there, and what is open")
    async def show(self, interaction: discord.Interaction) -> None:
        async with self.bot.desk.answering(interaction) as ack:
            seat = await self.bot.desk.take_seat(ack)
            places = self.bot.desk.tables.places(seat.table.id)
            now = now_lines(seat.table.state, gm=seat.gm)
            await seat.show(*table_cards(seat.scene, places, who=seat.actor, gm=seat.gm, now=now))

    @app_commands.command(description="The last results, and what could not be shown to you")
    async def last(self, interaction: discord.Interaction) -> None:
        desk = self.bot.desk
        async with desk.answering(interaction) as ack:
            seat = await desk.take_seat(ack)
            results = await desk.tables.last_results(seat.table, seat.actor, SHOWN)
            told = [
                card
                for seq, events in results
                for card in desk.presenter.cards(events, seat.scene, seq, closed=True)
            ]
            shown = {seq for seq, _ in results}
            unsaid = [
                each for each in await desk.courier.unsaid(seat.table, seat.actor) if each[1] not in shown
            ]
            if unsaid:
                told.append(unsaid_card(tuple(dict.fromkeys(place for place, _, _ in unsaid))))
            for _, seq, events in unsaid:
                told += desk.presenter.cards(events, seat.scene, seq, closed=True)
            await seat.show(last_card(len(results)), *told)
            await desk.courier.show_missed(seat.ack, seat.table, seat.actor.id)

    @app_commands.command(description="Take back your own last action, if it rolled and revealed nothing")
    async def undo(self, interaction: discord.Interaction) -> None:
        async with self.bot.desk.answering(interaction) as ack:
            seat = await self.bot.desk.take_seat(ack)
            await seat.perform(Undo(**seat.by))

    @fair.command(
        name="show", description="The seeds of this table, or what one roll or shuffle was drawn from"
    )
    @app_commands.describe(entry="The number under a result or a shuffle, such as 12")
    async def fair_show(
        self, interaction: discord.Interaction, entry: app_commands.Range[int, 1] | None = None
    ) -> None:
        async with self.bot.desk.answering(interaction) as ack:
            seat, tables = await self.bot.desk.take_free_seat(ack), self.bot.desk.tables
            table = await tables.committed(seat.table.id)  # a seed counts as open only when that is on disk
            if entry is None:
                await seat.show(seeds_card(table.seeds, await recent_orders(tables, table)))
                return
            order = await order_at(tables, table, entry)
            if order is not None:
                await seat.show(order_card(order, seat.scene))
                return
            row, seed = await tables.drawn(seat.table, seat.actor, entry)
            await seat.show(entry_card(row.seq, row.request_id, row.draws, seed, gm=seat.gm))

    @fair.command(name="rotate", description="GMs: reveal a seed and take a new one")
    @app_commands.describe(rolls="Whose seed: that of open rolls, or that of secret ones")
    async def fair_rotate(
        self, interaction: discord.Interaction, rolls: Literal["open", "secret"] = "open"
    ) -> None:
        async with self.bot.desk.answering(interaction, public=rolls == "open") as ack:
            seat = await self.bot.desk.take_seat(ack)
            require_gm(seat.table.state, seat.actor)
            if rolls == "secret":
                cards = made_from_secret(seat.table)
                await seat.show(release_card(seat.table.id, cards=cards))
                return
            await seat.perform(RotateSeed(**seat.by))

    @app_commands.command(description="What stands in the way here: missing rights, undelivered messages")
    async def doctor(self, interaction: discord.Interaction) -> None:
        async with self.bot.desk.answering(interaction) as ack:
            seat = await self.bot.desk.take_seat(ack)
            await seat.show(checkup_card(seat.table.id, await check_up(seat)))

    async def again(self, press: Press) -> None:
        """Send what was refused once more."""
        async with self.bot.desk.answering(press.interaction, update=True) as ack:
            seat = await self.bot.desk.take_seat(ack, press.number(0))
            require_gm(seat.table.state, seat.actor)
            await self.bot.desk.courier.again(seat.table)
            await seat.show(checkup_card(seat.table.id, await check_up(seat)))

    async def release(self, press: Press) -> None:
        """The seed of secret rolls, after the warning."""
        async with self.bot.desk.answering(press.interaction, update=True) as ack:
            seat = await self.bot.desk.take_seat(ack, press.number(0))
            await seat.perform(RotateSeed(**seat.by, stream="secret"))

    @app_commands.command(description="Your own answers as plain text, for screen readers")
    @app_commands.describe(on="Plain text on or off")
    async def plain(self, interaction: discord.Interaction, on: bool) -> None:
        async with self.bot.desk.answering(interaction) as ack:
            seat = await self.bot.desk.take_seat(ack)
            await seat.perform(ChangePerson(**seat.by, plain=on))


async def setup(bot: Storyguide) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Table(bot))
