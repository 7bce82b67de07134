"""`/table`: the state of the table, the last results, and the undo of a player's own action."""

from __future__ import annotations

from typing import Literal

from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.presenters.agenda import waiting_card
from bot.presenters.answer_times import everybodys_times_card, own_times_card
from bot.presenters.catalog_cards import card
from bot.presenters.checks import open_lines
from bot.presenters.events import event_cards
from bot.presenters.fair_dice import entry_card, release_card, seeds_card, shuffle_card
from bot.presenters.layout import Layout
from bot.presenters.luck import luck_card
from bot.presenters.pending_matters import story_lines
from bot.presenters.table import last_results_card, settings_card, table_card
from bot.services.answer_times import DAYS_MAX, answer_times, times_of
from bot.services.dice_keys import entry_dice_key
from bot.services.history import (
    check_message_links,
    entry_and_seed,
    last_results,
    last_rolls,
    undelivered_events,
    visible_events,
)
from bot.services.luck import table_luck
from bot.services.shuffles import recent_shuffles, shuffle_at
from bot.services.told_corrections import corrected_entry_with_dice, count_corrections
from bot.ui.context import Context
from bot.ui.router import Press
from bot.ui.table_doctor import permissions_card
from cogs import command_options
from rules.core.errors import Outdated
from rules.table.actions import ChangePerson, RotateSeed, Undo
from rules.table.forms.typed_texts import is_id
from rules.table.waits.agenda import agenda, waits_by_person
from rules.table.waits.called_waits import with_calls_once

#: Results that `/table last` shows.
SHOWN = 5
#: Most rolls in the menu of `/table fair show`.
ROLLS = 25


class Table(commands.GroupCog, group_name="table", group_description="This table"):
    """show, waiting, pace, luck, last, undo, plain, fair, doctor."""

    fair = app_commands.Group(name="fair", description="Fair dice")

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        super().__init__()
        bot.router.add_table_route("table", self.switch_side, update=True)
        bot.router.add_table_route("origin", self.origin)
        bot.router.add_table_route("last", self.result)
        bot.router.add_table_route("release", self.release, update=True, gms=True)
        bot.router.add_table_route("deliver", self.retry_deliveries, update=True, gms=True)

    @command_options.command(description="What this table plays, who is here, and what is open")
    async def show(self, ctx: Context) -> None:
        await self._show(ctx)

    async def _show(self, ctx: Context) -> None:
        places = self.bot.interactions.tables.places.places_of(ctx.table.id)
        places = tuple(filter(ctx.reader.can_view, places))
        now = story_lines(ctx.game, gm=ctx.gm)
        checks = open_lines(ctx.scene, ctx.game)
        await ctx.show(
            table_card(ctx.scene, places, who=ctx.actor, gm=ctx.gm, now=now, checks=checks)
        )

    async def switch_side(self, ctx: Context, press: Press) -> None:
        """Show the other side of the table's card: `sg:table:<table>:<settings|there>`."""
        if press.text(1) == "settings":
            await ctx.show(settings_card(ctx.scene, gm=ctx.gm))
        else:
            await self._show(ctx)

    @command_options.command(description="The latest results, and anything you missed")
    async def last(self, ctx: Context) -> None:
        interactions = self.bot.interactions
        results = await last_results(interactions.tables, ctx.reader, SHOWN)
        cards = [(seq, event_cards(events, ctx.scene, seq, closed=True)) for seq, events in results]
        missed: list[Layout] = []
        shown = {seq for seq, _ in results}
        refused = interactions.outbox.refused.rows_of_table(ctx.table.id)
        waiting = await undelivered_events(interactions.tables, ctx.reader, refused)
        waiting = [(place, seq, events) for place, seq, events in waiting if seq not in shown]
        if waiting:
            places = tuple(dict.fromkeys(place for place, _, _ in waiting))
            missed.append(card("own", "unsaid", None, places=places))
        for _, seq, events in waiting:
            missed += event_cards(events, ctx.scene, seq, closed=True)
        await ctx.show(last_results_card(ctx.table.id, cards), *missed)
        await interactions.outbox.show_missed(ctx.response, ctx.table, ctx.actor.id)

    @command_options.command(description="Who the table waits for, since when and until when")
    async def waiting(self, ctx: Context) -> None:
        waits = with_calls_once(ctx.table.state, agenda(ctx.game))
        checks = dict.fromkeys(wait.check for wait in waits if wait.check)
        links = await check_message_links(ctx.interactions.tables, ctx.table, checks)
        await ctx.reader.learn(wait.place for wait in waits)
        hidden = {wait.place for wait in waits if not ctx.reader.can_view(wait.place)}
        await ctx.show(waiting_card(waits, links, (ctx.place, *hidden), gm=ctx.gm))

    @command_options.command(
        description="How fast answers come here: yours, or as the GM everybody's"
    )
    @app_commands.describe(
        since=f"How many days back to count, 1 to {DAYS_MAX} (default {DAYS_MAX})"
    )
    async def pace(
        self, ctx: Context, since: app_commands.Range[int, 1, DAYS_MAX] = DAYS_MAX
    ) -> None:
        times = await answer_times(ctx.interactions.tables, ctx.table, ctx.origin["at"], since)
        waits = waits_by_person(ctx.table.state, agenda(ctx.game))
        if ctx.gm:
            await ctx.show(everybodys_times_card(ctx.scene, times, waits, since))
            return
        own, person = times_of(times, ctx.actor.id), ctx.actor.id
        await ctx.show(own_times_card(ctx.scene, own, waits.get(person, ()), since))

    @command_options.command(
        description="How lucky everybody's public rolls were, and what chance alone gives"
    )
    async def luck(self, ctx: Context) -> None:
        tables = ctx.interactions.tables
        await ctx.reader.learn(await tables.store.message_places(ctx.table.id))
        luck = await table_luck(tables, ctx.table, ctx.reader.readable)
        await ctx.show(luck_card(ctx.scene, luck))

    async def result(self, ctx: Context, press: Press) -> None:
        """Show one of the last results in full: `sg:last:<table>:<entry>`."""
        seq, tables = press.number(1), self.bot.interactions.tables
        last = dict(await last_results(tables, ctx.reader, SHOWN))
        events = last.get(seq) or await visible_events(tables, ctx.reader, seq)
        await ctx.show(*event_cards(events, ctx.scene, seq, closed=True))

    @command_options.command(
        description="Undo your own last action, if it rolled and revealed nothing"
    )
    async def undo(self, ctx: Context) -> None:
        await ctx.perform(Undo(**ctx.origin))

    @command_options.command(
        fair,
        name="show",
        description="This table's seeds, or where one roll or shuffle came from",
        free=True,
    )
    @app_commands.describe(entry="The number at the bottom of a result or shuffle, such as 12")
    async def fair_show(
        self, ctx: Context, entry: app_commands.Range[int, 1] | None = None
    ) -> None:
        tables = ctx.interactions.tables
        # A seed counts as revealed only once that is on disk.
        table = await tables.get_committed(ctx.table.id)
        if entry is not None:
            await self._origin(ctx, entry)
            return
        rolls = await last_rolls(tables, ctx.reader, ROLLS)
        shuffles = await recent_shuffles(tables, ctx.reader)
        corrections = await count_corrections(tables, ctx.reader)
        await ctx.show(seeds_card(ctx.scene, table.seeds, shuffles, rolls, corrections, gm=ctx.gm))

    async def _origin(self, ctx: Context, entry: int) -> None:
        """Show the origin of a roll or shuffle."""
        tables = self.bot.interactions.tables
        await tables.get_committed(ctx.table.id)
        shuffle = await shuffle_at(tables, ctx.reader, entry)
        if shuffle is not None:
            await ctx.show(shuffle_card(shuffle, ctx.scene))
            return
        row, seed = await entry_and_seed(tables, ctx.reader, entry)
        corrected = await corrected_entry_with_dice(ctx.reader, row)
        key = entry_dice_key(row)
        await ctx.show(entry_card(row.seq, key, row.draws, seed, gm=ctx.gm, corrected=corrected))

    async def origin(self, ctx: Context, press: Press) -> None:
        """Show the origin of a roll chosen in the menu: `sg:origin:<table>`."""
        chosen = press.choice
        if not is_id(chosen):
            raise Outdated("unknown-control")
        await self._origin(ctx, int(chosen))

    @command_options.command(
        fair,
        name="rotate",
        description="GMs: reveal a seed and take a new one",
        public=lambda given: given["rolls"] == "open",
        gms=True,
    )
    @app_commands.describe(rolls="Which seed: for open rolls, or for secret ones")
    async def fair_rotate(self, ctx: Context, rolls: Literal["open", "secret"] = "open") -> None:
        if rolls == "secret":
            await ctx.show(release_card(ctx.table.id, rolls))
            return
        await ctx.perform(RotateSeed(**ctx.origin))

    @command_options.command(
        description="What's wrong here: missing permissions, undelivered messages"
    )
    async def doctor(self, ctx: Context) -> None:
        await ctx.show(await permissions_card(ctx))

    async def retry_deliveries(self, ctx: Context, press: Press) -> None:
        """Send refused messages once more."""
        await self.bot.interactions.outbox.retry_refused(ctx.table)
        await ctx.show(await permissions_card(ctx))

    async def release(self, ctx: Context, press: Press) -> None:
        """Reveal a seed, after the warning: `sg:release:<table>:<stream>:<ask|go>`."""
        stream: Literal["public", "secret"] = "secret" if press.text(1) == "secret" else "public"
        if press.text(2) == "ask":
            await ctx.show(release_card(ctx.table.id, stream))
        else:
            await ctx.perform(RotateSeed(**ctx.origin, stream=stream))

    @command_options.command(description="See your own answers as plain text, for screen readers")
    @app_commands.describe(on="Plain text on or off")
    async def plain(self, ctx: Context, on: bool) -> None:
        await ctx.perform(ChangePerson(**ctx.origin, plain=on))


async def setup(bot: Storyguide) -> None:
    """Load the extension; discord.py calls this."""
    await bot.add_cog(Table(bot))
