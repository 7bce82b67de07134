"""`/gm digest`: the weekly digest of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from discord import app_commands
from discord.ext import commands

from bot.presenters.story import digest_now_card
from bot.time_zones import find_zone, offsets_of
from bot.ui.context import Context
from cogs import command_options, completions
from rules.core.errors import InvalidInput
from rules.table.actions import SetDigest

if TYPE_CHECKING:
    from bot.app import Storyguide

_HOUR: Final = 60
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
Day = Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "off"]


class DigestCommands(commands.Cog):
    """digest."""

    bot: Storyguide

    @command_options.command(
        description="Once a week, tell everybody in this channel what happened",
        public=lambda given: given["day"] is not None,
        gms=True,
    )
    @app_commands.describe(
        day="The day of the week, or off",
        hour="The hour, 0 to 23 (default: 18)",
        zone="Whose hour: the time zone, by a big city (default: the table's)",
    )
    @completions.autocomplete(zone=completions.zone_names)
    async def digest(
        self,
        ctx: Context,
        day: Day | None = None,
        hour: app_commands.Range[int, 0, 23] | None = None,
        zone: app_commands.Range[str, 1, 60] | None = None,
    ) -> None:
        if day is None:
            if hour is not None or zone is not None:
                raise InvalidInput("digest-needs-day", field="day", value=None)
            await ctx.show(digest_now_card(ctx.scene))
            return
        by = ctx.origin
        if day == "off":
            await ctx.perform(SetDigest(**by))
            return
        settings = ctx.table.state.settings
        known = settings.rest.zone or (settings.digest.zone if settings.digest else "")
        if zone is None and not known:
            raise InvalidInput("digest-needs-zone", field="zone", value=None)
        name = known if zone is None else find_zone(zone)
        await ctx.perform(
            SetDigest(
                **by,
                day=_DAYS.index(day),
                minute=(18 if hour is None else hour) * _HOUR,
                zone=name,
                offsets=offsets_of(name, by["at"]),
            )
        )
