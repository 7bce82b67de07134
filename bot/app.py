"""The composition root: everything is put together here and nowhere else."""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import Callable, Mapping
from typing import Any, TypedDict

import aiohttp
import discord
import msgspec
from discord import app_commands
from discord.ext import commands

from bot.backups import Backups
from bot.clock import Clock, system_clock
from bot.command_registry import CommandRegistry
from bot.database_rescue import DatabaseRescue
from bot.delivery.claimants import Claimants
from bot.delivery.departed_members import DepartedMembers
from bot.delivery.outbox import Outbox
from bot.delivery.response import is_rate_limit
from bot.delivery.send_rate import SendRate
from bot.departed_guilds import DepartedGuilds
from bot.metrics import Metrics
from bot.presenters import control_ids
from bot.scheduler import Scheduler
from bot.services.after_restore import finish_restore
from bot.services.tables import Tables
from bot.settings import Settings
from bot.sharded_bot import ShardedBot
from bot.storage.errors import StorageUnavailable
from bot.storage.file_watch import Loss
from bot.storage.instance_lock import InstanceLock
from bot.storage.location import Where, absolute
from bot.storage.store import SqlStore
from bot.ui.drafts import Drafts
from bot.ui.exports import Exports
from bot.ui.interactions import Interactions
from bot.ui.moves import MovesPanel
from bot.ui.option_checks import OptionSpecs, option_problem
from bot.ui.panels.absence import AbsencePanel
from bot.ui.panels.amendment import AmendPanel
from bot.ui.panels.board import BoardPanel
from bot.ui.panels.character_creation import CreatePanel
from bot.ui.panels.check_start import CheckStartPanel
from bot.ui.panels.command_form import CommandFormPanel
from bot.ui.panels.corrections import CorrectionPanel
from bot.ui.panels.first_steps import FirstSteps
from bot.ui.panels.form import FormPanel
from bot.ui.panels.gm_office import add_office_routes
from bot.ui.panels.journal_entry import EntryPanel
from bot.ui.panels.notify import NotifyPanel
from bot.ui.panels.prompt import PromptPanel
from bot.ui.panels.roll_call_form import RollCallForm
from bot.ui.panels.roll_calls import RollCallPanel
from bot.ui.panels.scene_summary import add_scene_routes
from bot.ui.panels.sheet import SheetPanel
from bot.ui.panels.step_in import StepInPanel
from bot.ui.panels.table_import import ImportPanel
from bot.ui.panels.table_settings import add_gm_routes
from bot.ui.router import ROUTED, Router
from bot.upkeep import Upkeep
from bot.worker_process import WorkerProcess
from rules.core.errors import Outdated
from rules.registry import PLAYABLE

log = logging.getLogger("storyguide.app")
# The bot has no voice, so missing voice libraries are no news.
discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False


class _Message(TypedDict):
    """The fields that are read of a message: its channel and its author."""

    id: str
    channel_id: str
    author: dict[str, Any]


class _Dispatch(TypedDict):
    """The gateway's envelope of a message."""

    t: str
    s: int
    op: int
    d: _Message


_read_message = msgspec.json.Decoder(_Dispatch).decode
#: Beginnings of the gateway's texts about a message. A stand-in may order its fields otherwise.
_MESSAGE_CREATE_PREFIXES = ('{"t":"MESSAGE_CREATE"', '{"op":0,"t":"MESSAGE_CREATE"')


def decode_gateway_text(text: str) -> Any:
    """Return what Discord sends, decoded by msgspec: several times as fast as by `json`."""
    if text.startswith(_MESSAGE_CREATE_PREFIXES):
        return _read_message(text)
    return msgspec.json.decode(text)


discord.utils._from_json = decode_gateway_text

#: The command cogs, by name: this package never imports them.
EXTENSIONS = (
    "cogs.setup",
    "cogs.checks",
    "cogs.odds",
    "cogs.spend",
    "cogs.roll",
    "cogs.cards",
    "cogs.character",
    "cogs.gm",
    "cogs.session",
    "cogs.chronicle",
    "cogs.initiative",
    "cogs.table",
    "cogs.moves",
    "cogs.orders",
    "cogs.recap",
    "cogs.message_menu",
    "cogs.speech",
    "cogs.privacy",
    "cogs.help",
    "cogs.notify",
    "cogs.system_commands",
    "cogs.scene",
)
#: Events of discord.py for every command, to which the bot doesn't listen.
IGNORED_EVENTS = frozenset({"socket_event_type", "app_command_completion"})
#: Sockets to Discord at a time: unlimited, a burst of answers loses thousands of them.
MAX_CONNECTIONS = 32


class CommandTree(app_commands.CommandTree["Storyguide"]):
    """The command tree; what a command did not handle itself is told here, privately."""

    def __init__(self, client: Storyguide) -> None:
        super().__init__(client)
        self.taken: OptionSpecs = {}

    async def interaction_check(self, interaction: discord.Interaction[Storyguide], /) -> bool:
        """Return whether a command may run.

        Repeated deliveries are dropped silently, and so are commands while the process ends. The
        user is told if the database is gone, or if a value is of a kind that the command refuses.
        """
        if not interaction.client.interactions.accept(interaction):
            return False
        wrong = interaction.client.interactions.stopped or option_problem(interaction, self.taken)
        if wrong is None:
            return True
        if interaction.type is discord.InteractionType.autocomplete:
            await interaction.response.autocomplete([])
            return False
        async with interaction.client.interactions.respond_to(interaction):
            raise wrong
        return False

    async def on_error(
        self, interaction: discord.Interaction[Storyguide], error: app_commands.AppCommandError, /
    ) -> None:
        bot = interaction.client
        name = interaction.command.qualified_name if interaction.command else ""
        async with bot.interactions.respond_to(interaction) as response:
            if isinstance(error, app_commands.CheckFailure):
                await bot.interactions.refuse(response, error)
                return
            cause = getattr(error, "original", error)
            if is_rate_limit(cause):
                raise cause
            log.error("command.failed", extra={"command": name}, exc_info=error)
            raise Outdated("unexpected")


#: Events that Discord sends: servers with their channels, and messages. None is privileged.
INTENTS = discord.Intents(guilds=True, guild_messages=True)


class Storyguide(ShardedBot):
    """The bot. `store` is opened in `setup_hook` and closed in `close`."""

    tables: Tables
    interactions: Interactions
    drafts: Drafts
    amendments: AmendPanel
    corrections: CorrectionPanel
    outbox: Outbox
    scheduler: Scheduler
    notify: NotifyPanel
    beginnings: CheckStartPanel
    creations: CreatePanel
    sheets: SheetPanel
    imports: ImportPanel
    guild_leave: DepartedGuilds
    upkeep: Upkeep
    exports: Exports
    backups: Backups
    rescue: DatabaseRescue | None
    metrics: Metrics

    def __init__(self, settings: Settings, clock: Clock, salt: str) -> None:
        super().__init__(
            settings,
            command_prefix=commands.when_mentioned,
            help_command=None,
            intents=INTENTS,
            tree_cls=CommandTree,
            allowed_mentions=discord.AllowedMentions.none(),
            allowed_contexts=app_commands.AppCommandContext(
                guild=True, dm_channel=False, private_channel=False
            ),
            allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
            max_messages=None,
            member_cache_flags=discord.MemberCacheFlags.none(),
        )
        self.clock = clock
        self._salt = salt
        #: Process for work that would block the event loop.
        self.aside = WorkerProcess()
        self.command_registry = CommandRegistry(self, settings.dev_guild)
        self._working = False
        #: The lock on the database. None in a simulated Discord, whose time passes at will.
        self.instance_lock: InstanceLock | None = None
        #: Whether the database server lost saved entries. The process ends then.
        self.database_is_older = False
        #: Called when that is noticed.
        self.on_older_database: Callable[[], None] = lambda: None
        #: Whether the bot sends the last run's unsent messages as soon as it is ready. Otherwise
        #: its caller calls `outbox.recover`.
        self.recovers_when_ready = True
        self._recovered = False
        #: Whether the bot keeps to Discord's rate limit; a simulated Discord has none.
        self.limits_sends = False
        #: Discord has let the bot in; and what it needs before it connects is done.
        self.known, self.prepared = asyncio.Event(), asyncio.Event()
        #: Another process has this one's share of the servers: this one must end.
        self.share_lost = asyncio.Event()
        # The bot counts new messages before discord.py parses them, and ignores their changes.
        for event in ("MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK"):
            self._connection.parsers.pop(event)
        self._connection.parsers["MESSAGE_CREATE"] = self._count

    def _count(self, message: Mapping[str, Any]) -> None:
        """Count a message of another author; its text is not read."""
        if self._working and self.user is not None and message["author"]["id"] != str(self.user.id):
            self.outbox.delivery_log.record_other_message(message["channel_id"], int(message["id"]))

    @property
    def database_location(self) -> Where:
        """Location of the database, for a process in another folder."""
        return absolute(self.settings.storyguide_database)

    def limit_connections(self, most: int) -> None:
        """Use at most so many sockets to Discord; must be called inside the running loop, before
        login.
        """
        self.http.connector = aiohttp.TCPConnector(limit=most)

    async def setup_hook(self) -> None:
        """Open the store, put everything together, load the commands and tell Discord when they
        changed.
        """
        self.known.set()
        store = self._store = await SqlStore.open(
            self.settings.storyguide_database, processes=self.settings.storyguide_processes
        )
        self.tables = Tables(store)
        self.tables.aside = self.aside.run
        self.tables.aside_for = self.aside.run_for
        await self.tables.start()
        control_ids.set_epoch(await finish_restore(self.tables, self.clock))
        rate = SendRate(store.share.count) if self.limits_sends else None
        self.outbox = Outbox(self, self.tables, self.clock, self.aside, rate)
        self.interactions = Interactions(
            self.tables, self.outbox, self.clock, self.aside, self._salt
        )
        self.scheduler = Scheduler(self.tables, self.outbox, self.clock)
        self.outbox.call_groups.on_planned = self.scheduler.notices.expect
        departed = DepartedMembers(self, self.tables, self.outbox, self.clock)
        self.scheduler.on_acted = departed.look_after
        self.scheduler.is_barred = Claimants(self).is_barred
        self.exports = Exports(self.settings.storyguide_database)
        self.backups = Backups(self.settings)
        self.rescue = None
        if store.file is not None:
            self.rescue = DatabaseRescue(
                store.file, self.clock, self.settings.storyguide_backups, self.instance_lock
            )
        self.metrics = Metrics(store.database, self.tables, self.interactions, self.clock)
        await self.metrics.start(self.settings.storyguide_metrics_port)
        self.upkeep = Upkeep(
            self.tables,
            self.clock,
            self.settings.storyguide_undo_days,
            self.settings.storyguide_undo_entries,
            self.interactions.is_busy,
        )
        self.guild_leave = DepartedGuilds(self.tables, self.clock, self.is_on_server)
        self._working = True
        store.database.on_return(self.recover_after_outage)
        store.database.on_older(self.end_as_older)
        store.database.on_lost_share(self.leave_share)
        store.database.watch(self.stop_saving, idle=self.instance_lock is not None)
        self.drafts = Drafts(store, self.clock)
        await self.drafts.drop_old()
        router = Router(self.interactions)
        self.forms = FormPanel(self.interactions, self.drafts, router)
        add_gm_routes(router)
        add_office_routes(router)
        add_scene_routes(router)
        self.creations = CreatePanel(self.forms, router)
        self.imports = ImportPanel(
            self.interactions, self.drafts, router, self.aside, self.register_system_commands
        )
        EntryPanel(self.interactions, router)
        RollCallPanel(router, PromptPanel(router, self.forms))
        self.roll_call_form = RollCallForm(self.forms)
        self.amendments = AmendPanel(self.drafts, router, self.forms)
        StepInPanel(router, self.amendments)
        self.corrections = CorrectionPanel(self.amendments, router)
        self.beginnings = CheckStartPanel(self.forms)
        self.command_forms = CommandFormPanel(self.forms)
        self.sheets = SheetPanel(self.beginnings, self.creations, router)
        self.first = FirstSteps(self.interactions, self.creations, self.beginnings, router)
        BoardPanel(router, self.beginnings)
        AbsencePanel(router, self.beginnings)
        MovesPanel(self.interactions, router)
        self.notify = NotifyPanel(self.interactions, self.scheduler.notices, router)
        self.router = router
        for name in EXTENSIONS:
            await importlib.import_module(name).setup(self)
        await self.command_registry.register_all(store)
        self.prepared.set()

    async def register_system_commands(self, server: int, key: str) -> None:
        """Register a system's own commands on a server with a table that uses the system."""
        await self.command_registry.register_system(server, key)

    async def on_shard_ready(self, shard_id: int) -> None:
        """Retry waiting messages when a shard knows its servers, at first or after an outage."""
        await super().on_shard_ready(shard_id)
        self.interactions.place_memory.clear()
        if self._recovered:
            self.outbox.retry_waiting()

    async def on_ready(self) -> None:
        """Send unsent messages and act on due waits, once a start and not with every reconnect."""
        if self._recovered:
            return
        self._recovered = True
        if self.recovers_when_ready:
            self.outbox.recover()
        await self.scheduler.start()
        await self.guild_leave.start()
        self.upkeep.wake()
        self.backups.start()
        for server, keys in (await self.tables.store.guild_systems()).items():
            if keys & PLAYABLE.keys():
                await self.command_registry.sync_server(int(server))
        log.info("app.ready", extra={"count": len(self.guilds)})

    def recover_after_outage(self) -> None:
        """Send the messages of a commit in doubt, and act on waits that no process has heard of."""
        if self._recovered:
            self.outbox.recover()
            self.tables.on_due(int(self.clock()))
            self.scheduler.notices.expect(int(self.clock()))

    def end_as_older(self) -> None:
        """Stop all work and end: a server lost entries that players have seen.

        The next start gives every table new seeds.
        """
        self.database_is_older = True
        self.interactions.stopped = StorageUnavailable("unreachable", "older than what was saved")
        self.scheduler.stop()
        self.on_older_database()

    def leave_share(self) -> None:
        """Answer nothing any more: another process serves this one's servers."""
        self.interactions.abandon()
        self.share_lost.set()

    def stop_saving(self, loss: Loss) -> None:
        """Stop all other work and rescue everything: the database's files are gone."""
        self.interactions.stopped = StorageUnavailable("lost", loss)
        self.scheduler.stop()
        self.backups.stop()
        if self.rescue is not None:
            self.rescue.begin(loss)

    async def on_resumed(self) -> None:
        """Send waiting messages: the connection to Discord is back."""
        if self._working:
            self.outbox.retry_waiting()

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Note that the bot was removed from a server, whose data is deleted after a while."""
        await self.guild_leave.refresh_note(str(guild.id))

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Register a server's own commands again, which Discord forgot when the bot left."""
        await self.guild_leave.refresh_note(str(guild.id))
        await self.command_registry.register_again(guild.id)

    async def on_raw_thread_delete(self, gone: discord.RawThreadDeleteEvent) -> None:
        """Remember that a thread is gone: its entries are now for participants who acted there."""
        self.interactions.place_memory.add_gone(gone.thread_id)
        if self._recovered and gone.thread_type is not discord.ChannelType.private_thread:
            try:
                await self.outbox.left_places.leave_deleted(
                    gone.guild_id, gone.thread_id, gone.parent_id
                )
            except StorageUnavailable as error:
                # The next message for the thread is refused, and tries it again.
                log.warning("app.thread-not-left", extra={"reason": error.reason})

    async def on_guild_channel_update(
        self, _: discord.abc.GuildChannel, now: discord.abc.GuildChannel
    ) -> None:
        """Try waiting messages again: rights in a channel may have changed."""
        self.outbox.retry_writable(now.guild)

    async def on_guild_role_update(self, _: discord.Role, now: discord.Role) -> None:
        """Try waiting messages again: rights of a role may have changed."""
        self.outbox.retry_writable(now.guild)

    def dispatch(self, event_name: str, /, *args: Any, **kwargs: Any) -> None:
        """Only what is listened to: of interactions, commands have been handed to the tree
        by now.
        """
        if event_name in IGNORED_EVENTS or (
            event_name == "interaction" and args[0].type not in ROUTED
        ):
            return
        super().dispatch(event_name, *args, **kwargs)

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """Buttons, selects and dialogs."""
        await self.router(interaction)

    async def on_message(self, message: discord.Message, /) -> None:
        """Slash commands only: messages are none of our business."""

    async def close(self) -> None:
        """Stop taking work, finish what runs, close the store.

        If the share is lost, close the connection to Discord first.
        """
        if self.share_lost.is_set():
            await super().close()
        if self._working:
            self._working = False
            await self.interactions.close()
            await self.scheduler.close()
            await self.guild_leave.close()
            await self.upkeep.close()
            await self.exports.close()
            await self.backups.close()
            await self.metrics.close()
            await self.outbox.close()
            if self.rescue is not None:
                await self.rescue.close()
            self.tables.activity.flush()
            await self.aside.close()
        await super().close()
        if self._store is not None:
            await self._store.close()
            self._store = None


def build_bot(settings: Settings, *, clock: Clock = system_clock, salt: str = "") -> Storyguide:
    """Return the bot, ready to start. `salt` keeps the request ids of simulated worlds apart."""
    return Storyguide(settings, clock, salt)
