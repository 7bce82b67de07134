"""`/table`: what stands, what happened last, and one's own last step back."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.presenters.table import last_card, table_cards
from rules.table.actions import ChangePerson, Undo

#: How many results `/table last` goes back.
SHOWN = 5


class Table(commands.GroupCog, group_name="table", group_description="This table"):
    """show, last, undo, plain."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        super().__init__()

    @app_commands.command(description="What this table plays, who is there, and what is open")
    async def show(self, interaction: discord.Interaction) -> None:
        async with self.bot.desk.answering(interaction) as ack:
            seat = await self.bot.desk.take_seat(ack)
            places = self.bot.desk.tables.places(seat.table.id)
            await seat.show(*table_cards(seat.scene, places, who=seat.actor, gm=seat.gm))

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
            await seat.show(last_card(len(results)), *told)
            await desk.courier.show_missed(seat.ack, seat.table, seat.actor.id)

    @app_commands.command(description="Take back your own last action, if it rolled and revealed nothing")
    async def undo(self, interaction: discord.Interaction) -> None:
        async with self.bot.desk.answering(interaction) as ack:
            seat = await self.bot.desk.take_seat(ack)
            await seat.perform(Undo(**seat.by))

    @app_commands.command(description="Your own answers as plain text, for screen readers")
    @app_commands.describe(on="Plain text on or off")
    async def plain(self, interaction: discord.Interaction, on: bool) -> None:
        async with self.bot.desk.answering(interaction) as ack:
            seat = await self.bot.desk.take_seat(ack)
            await seat.perform(ChangePerson(**seat.by, plain=on))


async def setup(bot: Storyguide) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Table(bot))
