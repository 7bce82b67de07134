"""`/gm`: leading the table. Shown to everybody, since an appointed GM need not hold any permission."""

from __future__ import annotations

from typing import Literal

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.clock import HOUR, MINUTE, seconds_of
from bot.presenters.log import entry_texts, undo_others_card
from bot.presenters.table import members_card, settings_overview
from bot.services.history import journal
from bot.ui.orphans import require_orphaned
from bot.ui.privacy import require_fit
from bot.ui.scene import scene_of
from cogs.gm_data import DataCommands
from cogs.gm_npc import NpcCommands
from cogs.gm_tools import GmToolCommands
from rules.core.errors import Impossible, InvalidInput, NotPermitted
from rules.table.actions import Action, ChangeGms, ChangeSettings, TakeOver, Undo
from rules.table.permissions import require_gm
from rules.table.undo import undoable

#: How many entries of the journal are offered for undoing.
OFFERED = 25


class Gm(
    NpcCommands,
    GmToolCommands,
    DataCommands,
    commands.GroupCog,
    group_name="gm",
    group_description="For the GMs of this table",
):
    """Members, settings, undo, take-over."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        super().__init__()

    @app_commands.command(description="Who leads this table; add or remove a GM or a GM role")
    @app_commands.describe(
        add="Make this person a GM",
        remove="This person leads no more",
        add_role="Everybody with this role is a GM",
        remove_role="This role leads no more",
    )
    async def members(
        self,
        interaction: discord.Interaction,
        add: discord.User | discord.Member | None = None,
        remove: discord.User | discord.Member | None = None,
        add_role: discord.Role | None = None,
        remove_role: discord.Role | None = None,
    ) -> None:
        async with self.bot.interactions.answering(interaction) as response:
            ctx = await self.bot.interactions.context(response)
            if not (add or remove or add_role or remove_role):
                await ctx.show(members_card(ctx.table.state, ctx.scene.names))
                return
            if add_role is not None and add_role.is_default():
                raise InvalidInput("not-everyone", field="add_role", value=None, allowed="a role of your GMs")
            known = ctx.table.directory.participant
            await ctx.perform(
                ChangeGms(
                    **ctx.by,
                    add=None if add is None else ctx.participant(add, "add"),
                    remove=None if remove is None else known(str(remove.id), remove.display_name),
                    add_role=None if add_role is None else str(add_role.id),
                    remove_role=None if remove_role is None else str(remove_role.id),
                )
            )

    @app_commands.command(description="Take something back; without an entry, the last thing done")
    @app_commands.describe(
        entry="The number under the result, such as 12",
        dependents="Also take back what was built on it",
    )
    async def undo(
        self,
        interaction: discord.Interaction,
        entry: app_commands.Range[int, 1] | None = None,
        dependents: bool = False,
    ) -> None:
        async with self.bot.interactions.answering(interaction) as response:
            ctx = await self.bot.interactions.context(response)
            require_gm(ctx.table.state, ctx.actor)
            action: Action = Undo(**ctx.by, entry=entry, all_dependents=dependents)
            try:
                await ctx.perform(action)
            except Impossible as error:
                if error.code != "undo-others-first":
                    raise
                rows = await journal(self.bot.interactions.tables, ctx.table.id, 200)
                await ctx.show(undo_others_card(ctx.table.id, error, rows, ctx.scene.names))

    @undo.autocomplete("entry")
    async def _entry(
        self, interaction: discord.Interaction, typed: int | str
    ) -> list[app_commands.Choice[int]]:
        looked = await self.bot.interactions.look(interaction)
        if looked is None:
            return []
        table, actor = looked
        try:
            require_gm(table.state, actor)
        except NotPermitted:
            return []
        rows = await journal(self.bot.interactions.tables, table.id, 100)
        offered = [
            (row, entry) for row, entry in reversed(rows) if undoable(entry) and row.seq > table.redacted
        ]
        rows_offered = [row for row, _ in offered]
        texts = entry_texts(rows_offered, scene_of(table).names)
        found = list(zip((row.seq for row in rows_offered), texts, strict=True))
        wanted = str(typed).casefold()
        return [
            app_commands.Choice(name=text[:100], value=seq)
            for seq, text in found
            if wanted in text.casefold()
        ][:OFFERED]

    @app_commands.command(description="What this table agreed on; change it here")
    @app_commands.describe(
        name="What the table is called",
        live="Live play: players set open difficulties themselves and roll at once",
        reveal="Hidden difficulties: how much of a roll the players see",
        remind_hours="Hours until somebody who has to act is reminded; 0: never",
        window_minutes="Minutes a result stays open for spending; 0: it stands at once",
        player_undo="Players may take back their own last action if it rolled nothing",
        approve="Players' new characters wait until a GM lets them in",
        house_initiative="House rule: the order of action is rolled",
        hit_default="What becomes of a hit when nobody chooses: softened if possible, or suffered",
        hit_hours="Hours to choose what a hit does; 0: any time",
    )
    async def settings(
        self,
        interaction: discord.Interaction,
        name: app_commands.Range[str, 1, 80] | None = None,
        live: bool | None = None,
        reveal: Literal["verdict", "degree", "all"] | None = None,
        remind_hours: app_commands.Range[int, 0, 1440] | None = None,
        window_minutes: app_commands.Range[int, 0, 86400] | None = None,
        player_undo: bool | None = None,
        approve: bool | None = None,
        house_initiative: bool | None = None,
        hit_default: Literal["soften", "suffer"] | None = None,
        hit_hours: app_commands.Range[int, 0, 1440] | None = None,
    ) -> None:
        own = {"house_initiative": house_initiative, "hit_default": hit_default}
        given = (name, live, reveal, remind_hours, window_minutes, player_undo, approve, hit_hours)
        async with self.bot.interactions.answering(interaction) as response:
            ctx = await self.bot.interactions.context(response)
            require_gm(ctx.table.state, ctx.actor)
            if all(value is None for value in (*given, *own.values())):
                await ctx.show(settings_overview(ctx.table.state, ctx.table.id))
                return
            await ctx.perform(
                ChangeSettings(
                    **ctx.by,
                    name=name,
                    live=live,
                    reveal=reveal,
                    remind_after=seconds_of(remind_hours, HOUR),
                    window=seconds_of(window_minutes, MINUTE),
                    player_undo=player_undo,
                    approve=approve,
                    hit_window=seconds_of(hit_hours, HOUR),
                    own={key: value for key, value in own.items() if value is not None},
                )
            )

    @app_commands.command(description="Where secrets go: a channel only GMs can read, or none")
    @app_commands.describe(channel="The GM channel; leave it out for none")
    async def channel(
        self, interaction: discord.Interaction, channel: discord.TextChannel | None = None
    ) -> None:
        async with self.bot.interactions.answering(interaction) as response:
            ctx = await self.bot.interactions.context(response)
            require_gm(ctx.table.state, ctx.actor)
            if channel is not None:
                settings = ctx.table.state.settings
                users = (ctx.table.directory.user(gm) for gm in settings.gms)
                require_fit(
                    channel.guild.get_channel(channel.id),
                    frozenset(int(user) for user in users if user),
                    frozenset(map(int, settings.gm_roles)),
                )
            await ctx.perform(ChangeSettings(**ctx.by, gm_place="" if channel is None else str(channel.id)))

    @app_commands.command(description="Managers of the server: lead a table whose GMs have all left")
    async def takeover(self, interaction: discord.Interaction) -> None:
        async with self.bot.interactions.answering(interaction, public=True) as response:
            ctx = await self.bot.interactions.context(response)
            if not interaction.permissions.manage_guild:
                raise NotPermitted("needs-manage-server")
            await require_orphaned(interaction.guild, ctx.table)
            await ctx.perform(TakeOver(**ctx.by))


async def setup(bot: Storyguide) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Gm(bot))
