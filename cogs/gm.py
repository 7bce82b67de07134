"""`/gm`: leading the table.

Every user sees the commands, since an appointed GM need not hold any permission.
"""

from __future__ import annotations

from typing import Any, Final

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.delivery.channel_privacy import gm_channel_leak, require_fit
from bot.delivery.table_scene import scene_of
from bot.presenters.forms import field_title
from bot.presenters.language.limits import CHOICES
from bot.presenters.language.words import SETTING_OPTIONS, SETTING_UNITS, say_bare
from bot.presenters.layout import Layout
from bot.presenters.log import entry_texts
from bot.presenters.setting_search import find_settings, page_titles
from bot.presenters.settings_panel import found_settings_card, settings_panel
from bot.presenters.table import gm_channel_card, members_card
from bot.services.history import entries_with_steps, recent_entries
from bot.ui.context import Context
from bot.ui.orphaned_tables import require_orphaned
from bot.ui.panels.journal_entry import perform_undo
from cogs import command_options
from cogs.completions import CompletionContext, Pairs, completer, to_gms
from cogs.gm_amend import AmendCommands
from cogs.gm_call import CallCommands
from cogs.gm_clock import ClockCommands
from cogs.gm_data import DataCommands
from cogs.gm_digest import DigestCommands
from cogs.gm_npc import NpcCommands
from cogs.gm_office import OfficeCommands
from cogs.gm_tools import GmToolCommands
from rules.core.errors import Impossible, InvalidInput, NotFound, NotPermitted
from rules.registry import SYSTEMS
from rules.table.actions import ChangeGms, ChangeSettings, TakeOver
from rules.table.forms.fields import NO_CONTEXT, Flag
from rules.table.forms.form import Field
from rules.table.gm_office import office_of
from rules.table.gms.gm_acts import gone_at
from rules.table.journal.undo import is_undoable
from rules.table.permissions import is_gm
from rules.table.settings.table_settings import (
    REACTION_SETTINGS,
    SHARED_SETTINGS,
    find_setting,
    settings_form,
    typed_setting,
)
from rules.table.system import System

#: Options for any setting: its name, and its new value.
_ANY = ("setting", "value")


#: Between the name of a setting and its page.
_PAGE_MARK: Final = " · "


def _found_settings(asked: CompletionContext) -> Pairs:
    form = settings_form(asked.game.system)
    pages = page_titles(form)
    for field in find_settings(form, asked.typed):
        yield field.key, f"{field_title(field)}{_PAGE_MARK}{pages[field.key]}"


#: The table's settings, found by everyday words, for GMs.
setting_names = completer(_found_settings, gms=True, searches=True)


def setting_key(system: System, typed: str) -> str:
    """Return the key of a setting from its name, or from words that find only this one.

    Anything else is returned as it was typed.
    """
    form = settings_form(system)
    name = typed.partition(_PAGE_MARK)[0].strip().casefold()
    for field in form.fields:
        if name in (field.key, field_title(field).casefold()):
            return field.key
    fields = find_settings(form, typed)
    return fields[0].key if len(fields) == 1 else typed


@to_gms
def setting_values(asked: CompletionContext) -> Pairs:
    system = asked.game.system
    key = setting_key(system, asked.option("setting") or "")
    field = settings_form(system).by_key.get(key)
    if field is None:
        return ()
    if isinstance(field, Flag):
        return [("on", "on"), ("off", "off")]
    return [
        (field.format_text(value), say_bare(label))
        for value, label in field.choices_for(NO_CONTEXT)
    ]


def _stored_value(key: str, value: Any) -> Any:
    """Return an option's value as it is stored: options give times in minutes or hours."""
    return value * SETTING_UNITS[key] if key in SETTING_UNITS else value


def _settings_shown(ctx: Context, wanted: str | None) -> Layout:
    """Return the panel of the wanted setting, or what its words find."""
    if wanted is None:
        return settings_panel(ctx.scene)
    try:
        return settings_panel(ctx.scene, find_setting(ctx.game.system, wanted).key)
    except NotFound:
        return found_settings_card(ctx.scene, wanted)


class Gm(
    NpcCommands,
    GmToolCommands,
    DataCommands,
    DigestCommands,
    ClockCommands,
    OfficeCommands,
    CallCommands,
    AmendCommands,
    commands.GroupCog,
    group_name="gm",
    group_description="For this table's GMs",
):
    """Members, settings, undo, take-over."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        super().__init__()
        assert self.app_command is not None
        self.app_command.add_command(self._settings_command())

    def _settings_command(self) -> app_commands.Command[Any, ..., None]:
        """Return `/gm settings`, with an option for each setting that all systems share.

        `setting` and `value` set any other.
        """
        fields: dict[str, Field] = {**SHARED_SETTINGS.by_key}
        fields |= {field.key: field for field in REACTION_SETTINGS}
        named = {SETTING_OPTIONS.get(key, key): field for key, field in fields.items()}

        async def settings(interaction: discord.Interaction, given: dict[str, Any]) -> None:
            async with self.bot.interactions.respond_to(interaction) as response:
                ctx = await self.bot.interactions.context(response)
                ctx.require_gm()
                any_, value = (given.pop(option, None) for option in _ANY)
                system = SYSTEMS[ctx.table.state.settings.system]
                any_ = any_ and setting_key(system, any_)
                if not given and value is None:
                    await ctx.show(_settings_shown(ctx, any_))
                    return
                changes = {
                    named[name].key: _stored_value(named[name].key, value)
                    for name, value in given.items()
                }
                if (any_ is None) != (value is None):
                    raise InvalidInput(
                        "setting-and-value", field=_ANY[any_ is not None], value=None
                    )
                if any_ is not None:
                    key, said = typed_setting(system, any_, value)
                    changes[key] = said
                await ctx.perform(ChangeSettings(**ctx.origin, values=changes))

        taken = {
            name: command_options.Option(
                command_options.option_type(field, SETTING_UNITS.get(field.key, 1))
            )
            for name, field in named.items()
        }
        taken["setting"] = command_options.Option(command_options.Name, setting_names)
        taken["value"] = command_options.Option(command_options.Name, setting_values)
        words = {
            f"settings.{name}": say_bare(field.help) for name, field in named.items() if field.help
        }
        words["settings.setting"] = "Any setting, by name or by words such as timer or secret dice"
        words["settings.value"] = "What that setting becomes"
        words["settings"] = "This table's settings; change them here"
        return command_options.build_command("settings", words, taken, settings)

    @command_options.command(
        description="This table's GMs: add or remove one, or a GM role", gms=True
    )
    @app_commands.describe(
        add="Make this person a GM",
        remove="This person is no longer a GM",
        add_role="Everybody with this role is a GM",
        remove_role="This role no longer makes a GM",
    )
    async def members(
        self,
        ctx: Context,
        add: discord.User | discord.Member | None = None,
        remove: discord.User | discord.Member | None = None,
        add_role: discord.Role | None = None,
        remove_role: discord.Role | None = None,
    ) -> None:
        if not (add or remove or add_role or remove_role):
            await ctx.show(members_card(ctx.scene, gm=True))
            return
        if add_role is not None and add_role.is_default():
            raise InvalidInput(
                "not-everyone", field="add_role", value=None, allowed="a role of your GMs"
            )
        known = ctx.table.directory.ensure_participant
        await ctx.perform(
            ChangeGms(
                **ctx.origin,
                add=None if add is None else ctx.participant(add, "add"),
                remove=None if remove is None else known(str(remove.id), remove.display_name),
                add_role=None if add_role is None else str(add_role.id),
                remove_role=None if remove_role is None else str(remove_role.id),
            )
        )

    @command_options.command(description="Undo something; without an entry, the last thing done")
    @app_commands.describe(
        entry="The number after # on a message (default: the last thing done)",
        dependents="Also undo everything that builds on it",
    )
    async def undo(
        self,
        ctx: Context,
        entry: app_commands.Range[int, 1] | None = None,
        dependents: bool = False,
    ) -> None:
        await perform_undo(ctx, entry, dependents=dependents)

    @undo.autocomplete("entry")
    async def _entry(
        self, interaction: discord.Interaction, typed: int | str
    ) -> list[app_commands.Choice[int]]:
        here = await self.bot.interactions.table_here(interaction)
        if here is None or not is_gm(here[0].state, here[1]):
            return []
        table = here[0]
        rows = await recent_entries(self.bot.interactions.tables, table.id, 100)
        offered = [
            (row, entry)
            for row, entry in reversed(rows)
            if is_undoable(entry) and row.seq > table.redacted
        ]
        entries = entries_with_steps(row for row, _ in offered)
        texts = entry_texts(entries, scene_of(table).names)
        choices = [(row.seq, text) for (row, _), text in zip(entries, texts, strict=True)]
        wanted = str(typed).casefold()
        return [
            app_commands.Choice(name=text, value=seq)
            for seq, text in choices
            if wanted in text.casefold()
        ][:CHOICES]

    @command_options.command(
        description="Where secrets go: a channel only GMs can read, or none", gms=True
    )
    @app_commands.describe(channel="The GM channel; leave it out to see where secrets go now")
    async def channel(self, ctx: Context, channel: discord.TextChannel | None = None) -> None:
        if channel is None:
            await ctx.show(gm_channel_card(ctx.table.id, ctx.table.state.settings.gm_place))
            return
        require_fit(gm_channel_leak(channel.guild.get_channel(channel.id), ctx.table))
        await ctx.perform(ChangeSettings(**ctx.origin, values={"gm_place": str(channel.id)}))

    @command_options.command(
        description="Server managers: take over a table whose GMs have left or gone silent",
        public=True,
        guests=True,
    )
    async def takeover(self, ctx: Context) -> None:
        if not ctx.interaction.permissions.manage_guild:
            raise NotPermitted("needs-manage-server")
        by, state = ctx.origin, ctx.table.state
        gone = gone_at(state)
        silent = gone is not None and gone <= by["at"]
        try:
            await require_orphaned(ctx.interaction.guild, ctx.table)
        except Impossible:
            if not silent and office_of(state).claim is None:
                raise
            await ctx.perform(TakeOver(**by, after_silence=True))
        else:
            await ctx.perform(TakeOver(**by))


async def setup(bot: Storyguide) -> None:
    """Load the extension; discord.py calls this."""
    await bot.add_cog(Gm(bot))
