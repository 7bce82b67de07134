"""Entry of commands and buttons: the user, the table, and the answer."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from contextlib import suppress
from typing import Any

import discord

from bot.clock import Clock
from bot.delivery.foreign_servers import ForeignServers
from bot.delivery.member_roles import held_gm_roles
from bot.delivery.outbox import Outbox
from bot.delivery.place_views import MemberViews, PlaceMemory
from bot.delivery.response import (
    ALREADY_ANSWERED,
    DISCORD_ERRORS,
    UNKNOWN_INTERACTION,
    RateLimited,
    Response,
    is_rate_limit,
    may_have_succeeded,
)
from bot.delivery.table_scene import scene_of
from bot.presenters.errors import error_cards, fix_rows, open_anyway_rows, retype_rows
from bot.presenters.layout import rows_of
from bot.presenters.render import to_messages
from bot.services.directory import FOUNDER
from bot.services.loaded_table import Table
from bot.services.outbox_plan import ReplyTo
from bot.services.perform import ActionResult
from bot.services.places import PERSONAL_PREFIX, free_place
from bot.services.readers import NO_VIEWS, PlaceViews, Reader
from bot.services.table_opening import InitialContents, create_filled_table, ensure_free_table
from bot.services.tables import Tables
from bot.storage.errors import StaleTable, StorageUnavailable, TableUnreadable
from bot.ui.context import Context
from bot.ui.deputy_commands import require_deputy_command
from bot.ui.uploads import Uploads
from bot.worker_process import WorkerProcess
from rules.core.errors import NotFound, NotPermitted, Outdated, RulesError
from rules.registry import read_only_game
from rules.table.actions import Actor, CreateTable
from rules.table.checks.access import require_of_table
from rules.table.permissions import is_gm

log = logging.getLogger("storyguide.interactions")

#: Seconds for unfinished answers when the process ends.
CLOSING = 10
#: Most interactions that are remembered, to detect repeated deliveries.
MAX_REMEMBERED = 5000
#: Number of answers under way above which further commands are announced first: Discord waits
#: three seconds for each.
QUEUE_THRESHOLD = 200
#: Most announced commands that run at a time.
MAX_WORKING = 50


def require_founder(interaction: discord.Interaction) -> None:
    """Raise NotPermitted("needs-manage-channels") unless the user may open a table here."""
    if not interaction.permissions.manage_channels:
        raise NotPermitted("needs-manage-channels")


def create_table_action(here: discord.Interaction, at: int, **more: Any) -> CreateTable:
    """Return the action that opens a table in the interaction's channel.

    The table is named after the channel unless `more` has a name.
    """
    name = str(getattr(here.channel, "name", "")) or "Table"
    fields = {"who": Actor(FOUNDER), "place": str(here.channel_id), "at": at, "name": name[:80]}
    return CreateTable(**{**fields, **more})


class ResponseScope:
    """Context that `Interactions.respond_to` returns.

    As a generator it would be tracked by the event loop, in every command.
    """

    __slots__ = ("_interactions", "_queued", "_response")

    def __init__(self, interactions: Interactions, response: Response) -> None:
        self._interactions, self._response, self._queued = interactions, response, False

    async def __aenter__(self) -> Response:
        under_way = self._interactions.begin_answer()
        try:
            if under_way > QUEUE_THRESHOLD and self._response.announceable:
                await self._interactions.queue(self._response)
                self._queued = True
        except BaseException:
            self._interactions.end_answer()
            raise
        return self._response

    async def __aexit__(self, _: object, error: BaseException | None, __: object) -> bool:
        try:
            return error is not None and await self._interactions.fail(self._response, error)
        finally:
            try:
                await self._response.stop()
                self._interactions.uploads.release(self._response.interaction)
                if self._queued:
                    self._interactions.leave_queue()
            finally:
                self._interactions.end_answer()


class Interactions:
    """Tables and answers of interactions; refusals become messages.

    `salt` precedes every request id: a simulated Discord starts its ids again with every run.
    """

    def __init__(
        self, tables: Tables, outbox: Outbox, clock: Clock, aside: WorkerProcess, salt: str = ""
    ) -> None:
        self.tables = tables
        self.outbox = outbox
        self.clock = clock
        self._aside = aside
        self._salt = salt
        self._answering = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._announcing = 0
        self._announced = asyncio.Event()
        self._announced.set()
        self._at_work = asyncio.Semaphore(MAX_WORKING)
        self._seen: OrderedDict[int, None] = OrderedDict()
        self.place_memory = PlaceMemory()
        self.foreign_servers = ForeignServers()
        self.uploads = Uploads()
        self._closing = False
        self._abandoned = False
        #: The refusal of everything, once the database's files are gone.
        self.stopped: StorageUnavailable | None = None
        #: Number of answers that were announced because they were overdue.
        self.late = 0

    def accept(self, interaction: discord.Interaction) -> bool:
        """Return whether to handle an interaction.

        False for one that was delivered before, and while the process ends. A second delivery would
        only disturb the first answer.
        """
        if self._closing or interaction.id in self._seen:
            return False
        self._seen[interaction.id] = None
        if len(self._seen) > MAX_REMEMBERED:
            self._seen.popitem(last=False)
        return True

    def is_busy(self) -> bool:
        return self._answering > 0

    async def close(self) -> None:
        """Accept nothing more, and finish the answers under way."""
        self._closing = True
        with suppress(TimeoutError):
            await asyncio.wait_for(self._idle.wait(), CLOSING)

    def abandon(self) -> None:
        """Answer nothing from now on: another process answers."""
        self._closing = self._abandoned = True

    def request_id(self, interaction: discord.Interaction) -> str:
        """Return the id under which the interaction's action is journaled."""
        return f"{self._salt}{interaction.id}"

    def respond_to(
        self, interaction: discord.Interaction, *, public: bool = False, update: bool = False
    ) -> ResponseScope:
        """Return the context of an answer; refusals by the rules or the storage are whispered.

        `update` is as for `Response`. `close` waits for the answer.
        """
        return ResponseScope(
            self, Response(interaction, self._count_late, self._aside, public=public, update=update)
        )

    def _count_late(self) -> None:
        self.late += 1

    def begin_answer(self) -> int:
        """Count an answer as under way; return how many are."""
        self._answering += 1
        self._idle.clear()
        return self._answering

    def end_answer(self) -> None:
        self._answering -= 1
        if not self._answering:
            self._idle.set()

    async def queue(self, response: Response) -> None:
        """Announce an answer, wait for all announcements, then for a turn.

        Used in a crowd. Announcing is cheap beside the work, and Discord drops an interaction that
        is not answered or announced within three seconds.
        """
        self._announcing += 1
        self._announced.clear()
        try:
            await response.announce()
        finally:
            self._announcing -= 1
            if not self._announcing:
                self._announced.set()
        log.debug("interactions.queued")
        await self._at_work.acquire()
        try:
            while self._announcing:
                await self._announced.wait()
        except BaseException:
            self._at_work.release()
            raise

    def leave_queue(self) -> None:
        self._at_work.release()

    async def fail(self, response: Response, error: BaseException) -> bool:
        """Show a failure to the user if it is a known kind; return whether it is."""
        if self._abandoned:
            return True
        if isinstance(error, RulesError | StorageUnavailable | TableUnreadable | StaleTable):
            await self.refuse(response, error)
            return True
        if is_rate_limit(error):
            log.warning("interactions.rate-limited", extra={"code": getattr(error, "code", 0)})
            await self.refuse(response, RateLimited())
            return True
        if not isinstance(error, DISCORD_ERRORS):
            return False
        # No answer can reach the user: too late, answered twice, or an outage of Discord.
        code = getattr(error, "code", 0)
        if code not in (UNKNOWN_INTERACTION, ALREADY_ANSWERED) and not may_have_succeeded(error):
            return False
        log.warning("interactions.unanswered", extra={"code": code, "reason": type(error).__name__})
        return True

    async def context(
        self, response: Response, table_id: int | None = None, *, guests: bool = False
    ) -> Context:
        """Return the user's context at the table of the place, or at the given table.

        A user who can't read a table's channels can't reach the table from another channel.

        Raises:
            NotFound("no-table"): there is no table, or the given one doesn't belong to the place.
            NotPermitted("not-for-you"): it is a personal table, reached from elsewhere.
            NotPermitted("not-of-table"): the user has no part in the table, and `guests` is off.
            NotPermitted("deputy-may-not"): the command is beyond the rights of a deputy.
        """
        interaction = response.interaction
        places = self.places_of(interaction)
        wanted = await self.tables.places.find(*places) if table_id is None else table_id
        if wanted is None:
            raise NotFound("no-table", field="place", value=None, nearest=())
        table = await self.tables.get(wanted)
        home = self.home_of(interaction)
        if home != table.guild:
            if table.guild.startswith(PERSONAL_PREFIX):
                raise NotPermitted("not-for-you")
            raise NotFound("no-table", field="place", value=None, nearest=())
        actor = self.actor(interaction, table)
        if (
            table_id is not None
            and not is_gm(table.state, actor)
            and not await self._belongs(interaction, table)
        ):
            raise NotFound("no-table", field="place", value=None, nearest=())
        if not guests:
            require_of_table(read_only_game(table.state, actor, self.clock()))
        require_deputy_command(table.state, actor, interaction)
        reader = await self.reader(interaction, table, actor)
        return Context(self, interaction, response, table, actor, places[0] or "", reader)

    async def reader(
        self,
        interaction: discord.Interaction,
        table: Table,
        actor: Actor,
        member: discord.Member | None = None,
    ) -> Reader:
        """Return the user's reader, who has learned the table's places.

        *member*: the user as a member of another server.
        """
        user, here = interaction.user, self.places_of(interaction)[0] or ""
        if member is None and isinstance(user, discord.Member):
            member = user
        if table.guild != self.home_of(interaction):
            here = ""
        reader = self.plain_reader(table, actor, self.views_of(member), here)
        await reader.learn_table(self.tables.places.places_of(table.id))
        return reader

    def views_of(self, member: discord.Member | discord.Role | None) -> PlaceViews:
        """Return the channel access of a member or role; without one, every place is unknown."""
        if member is None:
            return NO_VIEWS
        memory = self.foreign_servers.place_memory(member.guild)
        return MemberViews(member, self.place_memory if memory is None else memory)

    def plain_reader(self, table: Table, actor: Actor, views: PlaceViews, here: str = "") -> Reader:
        """Return a reader that has learned no places."""
        return Reader(self.tables.store, table, actor, self.clock(), views, here)

    async def _belongs(self, interaction: discord.Interaction, table: Table) -> bool:
        """Return whether the interaction came from a place of the table or its GM channel."""
        places, find = self.places_of(interaction), self.tables.places.find
        for place in (*places, self.free_place_of(interaction)):
            if place is not None and (
                place == table.state.settings.gm_place or await find(place) == table.id
            ):
                return True
        return False

    async def free_context(self, response: Response, *, guests: bool = False) -> Context:
        """Return as `context`; without a table, at the channel's own one for dice and cards."""
        interaction = response.interaction
        places, bound = self._places_here(interaction), self.tables.places
        table_id = bound.table_id(*places, self.free_place_of(interaction)) or await bound.find(
            *places
        )
        if table_id is None:
            here = _own_place(interaction)
            table_id = await ensure_free_table(
                self.tables, self.home_of(interaction), here, self.clock()
            )
        return await self.context(response, table_id, guests=guests)

    async def open_table(
        self, response: Response, action: CreateTable, filling: InitialContents | None = None
    ) -> ActionResult:
        """Open a table, filled if *filling* is given, and answer with it.

        Raises as `create_filled_table`.
        """
        here = response.interaction
        *before, last = await create_filled_table(
            self.tables,
            str(here.guild_id),
            action,
            self.request_id(here),
            (str(here.user.id), here.user.display_name),
            ReplyTo(response.public, here.token),
            filling,
        )
        for result in before:
            self.outbox.dispatch(result)
        await self.outbox.answer(response, last)
        return last

    async def existing_free_context(self, response: Response) -> Context | None:
        """Return the context at the channel's own table for dice and cards; None if it has none.

        Also works in a channel that has a real table by now.
        """
        table_id = await self.tables.places.find(self.free_place_of(response.interaction))
        return None if table_id is None else await self.context(response, table_id, guests=True)

    async def reader_here(
        self, interaction: discord.Interaction, *, free: bool = False
    ) -> Reader | None:
        """Return the user's reader at the table of the place; None as for `table_here`."""
        here = await self.table_here(interaction, free=free)
        return None if here is None else await self.reader(interaction, *here)

    async def table_here(
        self, interaction: discord.Interaction, *, free: bool = False, guests: bool = False
    ) -> tuple[Table, Actor] | None:
        """Return the table of the place, and the user as its actor. It asks Discord nothing.

        None without a table, and for a user without a part in it unless `guests` is on. `free`:
        also a table that the channel has for dice and cards alone.
        """
        places = self._places_here(interaction) if free else self.places_of(interaction)
        table_id = self.tables.places.table_id(
            *places, self.free_place_of(interaction) if free else None
        )
        if table_id is None:
            return None
        try:
            table = await self.tables.get(table_id)
        except (RulesError, StorageUnavailable, TableUnreadable):
            return None
        actor = self.actor(interaction, table)
        if not guests:
            try:
                require_of_table(read_only_game(table.state, actor, self.clock()))
            except NotPermitted:
                return None
        return table, actor

    def actor(self, interaction: discord.Interaction, table: Table) -> Actor:
        user = interaction.user
        who = table.directory.ensure_participant(str(user.id), user.display_name)
        return Actor(who, held_gm_roles(user, table.state.settings))

    @staticmethod
    def places_of(interaction: discord.Interaction) -> tuple[str | None, str | None]:
        """Return the ids of the channel or thread, and of the thread's parent."""
        channel = interaction.channel
        parent = channel.parent_id if isinstance(channel, discord.Thread) else None
        here = None if interaction.channel_id is None else str(interaction.channel_id)
        return here, None if parent is None else str(parent)

    def _places_here(self, interaction: discord.Interaction) -> tuple[str | None, str | None]:
        """Return as `places_of`; nothing where the bot is installed for the user only.

        A table that the bot led there before it left does not count.
        """
        brought = self.home_of(interaction).startswith(PERSONAL_PREFIX)
        return (None, None) if brought else self.places_of(interaction)

    @staticmethod
    def home_of(interaction: discord.Interaction) -> str:
        """Return the server of the interaction, or the user's personal home without the bot on a
        server.

        That is so in direct messages, and on a server where only the user has installed the bot. A
        server's interactions come to its own shard, so another process's server counts as none
        here.
        """
        guild = interaction.guild_id
        if guild is not None and interaction.client.get_guild(guild) is not None:
            return str(guild)
        return f"{PERSONAL_PREFIX}{interaction.user.id}"

    @staticmethod
    def free_place_of(interaction: discord.Interaction) -> str:
        """Return the place of dice and cards while the channel has no table."""
        return free_place(_own_place(interaction))

    async def refuse(self, response: Response, error: Exception) -> None:
        code = getattr(error, "code", None) or getattr(error, "reason", type(error).__name__)
        log.info("interactions.refused", extra={"code": code})
        here = response.interaction
        table_id = self.tables.places.table_id(*self.places_of(here), self.free_place_of(here))
        table = None if table_id is None else self.tables.get_if_loaded(table_id)
        actor = None if table is None else self.actor(response.interaction, table)
        if table is None or actor is None:
            cards, plain = error_cards(error), False
            rows = open_anyway_rows(error) or retype_rows(error)
        else:
            settings = table.state.settings
            cards = error_cards(
                error, scene_of(table).names, gms=settings.gms, gm_roles=settings.gm_roles
            )
            plain = table.state.person(actor.id).plain
            rows = fix_rows(table.id, error, gm=is_gm(table.state, actor))
        if rows:
            last = cards[-1]
            cards = (*cards[:-1], last.replace(pieces=(*last.pieces, *rows_of(rows))))
        try:
            await response.refuse(
                to_messages(*cards, plain=plain), outdated=isinstance(error, Outdated)
            )
        except DISCORD_ERRORS as failure:
            log.warning("interactions.refusal-unsaid", extra={"reason": type(failure).__name__})
            return
        if table is not None and actor is not None and self.stopped is None:
            # A user who repeats an action, and is refused for that, gets the missed answer.
            await self.outbox.show_missed(response, table, actor.id)


def _own_place(interaction: discord.Interaction) -> str:
    """Return the channel or thread, or the user's personal home."""
    home = Interactions.home_of(interaction)
    return home if home.startswith(PERSONAL_PREFIX) else str(interaction.channel_id)
