"""`/gm` commands for the table's clock: rest days and hours, pauses, and deadlines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discord import app_commands
from discord.ext import commands

from bot.presenters.clock import rest_card
from bot.time_zones import find_zone, offsets_of
from bot.ui.context import Context
from cogs import command_options, completions
from cogs.completions import CompletionContext, Pairs, to_gms
from rules.core.errors import InvalidInput
from rules.table.actions import ChangeRest, MoreTime, MoreTurnTime, PauseTable, ResumeTable
from rules.table.check import AnyCheck
from rules.table.checks.access import find_check, is_open_to
from rules.table.times.rest import Rest
from rules.table.times.typed_rest import parse_days, parse_hours

if TYPE_CHECKING:
    from bot.app import Storyguide

Span = app_commands.Range[str, 1, 60]


@to_gms
def timed_checks(asked: CompletionContext) -> Pairs:
    """Return the open checks with a deadline, for GMs."""
    game, timed = asked.game, list[AnyCheck]()
    for check in game.state.open_checks:
        has_deadline = any(pending.due is not None for pending in check.asked)
        if has_deadline and is_open_to(game, check, game.actor):
            timed.append(check)
    return asked.checks(timed)


class ClockCommands(commands.Cog):
    """rest, pause, resume, deadline."""

    bot: Storyguide

    @command_options.command(
        description="Days and hours in which this table's deadlines don't run out",
        public=lambda given: any(value is not None for value in given.values()),
        gms=True,
    )
    @app_commands.describe(
        days="Days on which no time runs: Sat, Sun, or weekends, or none",
        hours="Hours in which something may run out: 8:00-22:00, or always",
        zone="Whose days and hours: the time zone, by a big city",
    )
    @completions.autocomplete(zone=completions.zone_names)
    async def rest(
        self,
        ctx: Context,
        days: Span | None = None,
        hours: Span | None = None,
        zone: Span | None = None,
    ) -> None:
        now = ctx.table.state.settings.rest
        if days is None and hours is None and zone is None:
            await ctx.show(rest_card(ctx.scene))
            return
        wanted = now
        if days is not None:
            wanted = wanted.replace(days=parse_days(days, "days"))
        if hours is not None:
            opens, closes = parse_hours(hours, "hours")
            wanted = wanted.replace(from_=opens, to=closes)
        await ctx.perform(_rest_action(ctx, wanted, zone))

    @command_options.command(
        description="Pause this table's clock: nothing runs out, everybody can still act",
        public=True,
        gms=True,
    )
    @app_commands.describe(
        until="Until when: 3 days, Friday or 2030-12-24; leave it out for no end",
        note="Why; everybody reads it",
    )
    async def pause(
        self,
        ctx: Context,
        until: Span | None = None,
        note: app_commands.Range[str, 1, 200] | None = None,
    ) -> None:
        by = ctx.origin
        end = None if until is None else command_options.read_until(ctx, until)
        await ctx.perform(PauseTable(**by, until=end, note=note or ""))

    @command_options.command(
        description="End the pause; every deadline has what was left of it",
        public=True,
        gms=True,
    )
    async def resume(self, ctx: Context) -> None:
        await ctx.perform(ResumeTable(**ctx.origin))

    @command_options.command(
        description="Move the deadline of this turn, or of a check, to any later time", gms=True
    )
    @app_commands.describe(
        until="The new deadline: 3 days from now, Friday or 2030-12-24",
        check="Which check (default: the present turn here)",
    )
    @completions.autocomplete(check=timed_checks)
    async def deadline(
        self,
        ctx: Context,
        until: Span,
        check: command_options.CheckName | None = None,
    ) -> None:
        by = ctx.origin
        end = command_options.read_until(ctx, until)
        if check is None:
            await ctx.perform(MoreTurnTime(**by, until=end))
            return
        found = find_check(ctx.game, check)
        timed = [asked for asked in found.asked if asked.due is not None and asked.waiting_for]
        # The rules refuse a check without a deadline.
        prompt = timed[0].prompt.key if timed else next((a.prompt.key for a in found.asked), "")
        await ctx.perform(MoreTime(**by, check=found.id, prompt=prompt, until=end))


def _rest_action(ctx: Context, wanted: Rest, zone: str | None) -> ChangeRest:
    """Return the action that sets this rest, in a zone that was typed or is the table's.

    Raises InvalidInput("rest-needs-zone"), and as `find_zone`.
    """
    by = ctx.origin
    if not wanted.is_set:
        return ChangeRest(**by)
    if zone is None and not wanted.zone:
        raise InvalidInput("rest-needs-zone", field="zone", value=None)
    name = wanted.zone if zone is None else find_zone(zone)
    return ChangeRest(
        **by,
        days=wanted.days,
        from_=wanted.from_,
        to=wanted.to,
        zone=name,
        offsets=offsets_of(name, by["at"]),
    )
