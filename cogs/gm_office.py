"""`/gm` commands for what happens without a GM: deputies, and seats that need a player."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
from discord import app_commands
from discord.ext import commands

from bot.presenters.deputies import deputy_question
from bot.presenters.table import members_card
from bot.ui.context import Context
from cogs import command_options, completions
from cogs.command_options import Name
from cogs.completions import to_gms
from rules.core.errors import Impossible, InvalidInput
from rules.table.actions import NameDeputy, OpenSeat
from rules.table.people.seats import open_seats, seats_to_open

if TYPE_CHECKING:
    from bot.app import Storyguide

Span = app_commands.Range[str, 1, 60]


#: Characters whose seats a GM can open, and those whose seats are open.
closed_seats = to_gms(lambda asked: asked.people(seats_to_open(asked.state)))
opened_seats = to_gms(lambda asked: asked.people(open_seats(asked.state)))


class OfficeCommands(commands.Cog):
    """deputy, seat open, seat close."""

    bot: Storyguide
    seat = app_commands.Group(name="seat", description="Characters that need a player")

    @command_options.command(
        seat, name="open", description="Find a player for a character: anybody here can ask for it"
    )
    @app_commands.describe(character="Who needs a player")
    @completions.autocomplete(character=closed_seats)
    async def seat_open(self, ctx: Context, character: Name) -> None:
        await ctx.perform(OpenSeat(**ctx.origin, character=character))

    @command_options.command(
        seat, name="close", description="End that: nobody can ask for the seat"
    )
    @app_commands.describe(character="Whose seat")
    @completions.autocomplete(character=opened_seats)
    async def seat_close(self, ctx: Context, character: Name) -> None:
        await ctx.perform(OpenSeat(**ctx.origin, character=character, back=True))

    @command_options.command(
        description="A deputy answers for the GM and runs NPCs: name one, or end it", gms=True
    )
    @app_commands.describe(
        user="Who; without anybody you see the GMs and their deputies",
        until="Until when: a length such as 3 days, a day such as Friday, or a date",
        back="This person is no longer deputy",
    )
    async def deputy(
        self,
        ctx: Context,
        user: discord.User | discord.Member | None = None,
        until: Span | None = None,
        back: bool = False,
    ) -> None:
        by = ctx.origin
        if user is None:
            if until is not None or back:
                raise InvalidInput("deputy-who", field="user", value=None)
            await ctx.show(members_card(ctx.scene, gm=True))
            return
        if back:
            who = ctx.table.directory.ensure_participant(str(user.id), user.display_name)
            await ctx.perform(NameDeputy(**by, to=who, back=True))
            return
        who = ctx.participant(user, "user")
        if who in ctx.table.state.settings.gms:
            raise Impossible("already-gm", who=who)
        end = None if until is None else command_options.read_until(ctx, until)
        await ctx.show(deputy_question(ctx.scene, who, end))
