"""``StandIn``: Discord's REST API and gateway on 127.0.0.1, and the users who drive the bot.

async with StandIn() as discord:
    guild = discord.add_guild("Table")
    channel = discord.add_channel(guild, "play")
    user = discord.add_member(guild, "ann")
    ...start a bot that ``discord_patch.point_discord_at(discord.port)`` has redirected...
    await discord.ready("check")
    interaction = discord.emit_slash(guild, channel, user, "check", {"skill": "stealth"})
    await interaction.answered()
    print(interaction.response.texts(), interaction.ack_latency)
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

from aiohttp import web

from .callbacks import Callbacks
from .faults import Fault
from .gateway import Gateway
from .interactions import (
    AUTOCOMPLETE,
    COMMAND,
    COMPONENT,
    MODAL,
    PATIENCE,
    Builder,
    Interaction,
    dumps,
    stamp,
)
from .launch import TOKEN
from .models import Channel, Guild, Json, Message, Upload, User
from .resources import Resources
from .rest import Record, Rest, attachment_url
from .threads import Threads
from .webhooks import Webhooks
from .world import World

MAX_BODY_BYTES = 32 << 20


class StandIn(World):
    """The world plus its REST and gateway servers; keeps everything while bots come and go.

    ``token`` is the only accepted bot token (None accepts any); ``expiry`` the seconds within which
    an interaction must be acknowledged (None for no limit); ``port`` 0 picks a free one.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        token: str | None = TOKEN,
        expiry: float | None = 3.0,
        bot_name: str = "Storyguide",
    ) -> None:
        super().__init__(bot_name=bot_name)
        self.port = port
        self.gateway = Gateway(self, token)
        self.rest = Rest(self, token)
        self.resources = Resources(self, self.rest, self.gateway)
        self.threads = Threads(self, self.rest, self.resources)
        self.callbacks = Callbacks(self, self.rest, self.resources, expiry)
        self.webhooks = Webhooks(self, self.rest, self.resources, self.callbacks)
        self._builder = Builder(self)
        self._runner: web.ServerRunner | None = None

    async def start(self) -> StandIn:
        """Listen on 127.0.0.1; OSError if the port is taken."""
        server = web.Server(
            self._serve, request_factory=_request, access_log=None, keepalive_timeout=600.0
        )
        self._runner = web.ServerRunner(server, shutdown_timeout=0.5)
        await self._runner.setup()
        # a burst of commands makes the client open as many connections at once
        site = web.TCPSite(self._runner, "127.0.0.1", self.port, backlog=4096)
        await site.start()
        self.port = site.port
        self.rest.base = f"http://localhost:{self.port}"
        self.gateway.url = f"ws://localhost:{self.port}/gateway"
        return self

    async def close(self) -> None:
        """Close every connection and stop listening."""
        for link in list(self.gateway.links):
            with contextlib.suppress(ConnectionError):
                await link.ws.close(code=1001)
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def __aenter__(self) -> StandIn:
        return await self.start()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _serve(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.path.startswith("/gateway"):
            return await self.gateway.serve(request)
        return await self.rest.handle(request)

    # what the world tells and asks
    # ------------------------------------------------------------------

    def announce(self, event: str, data: Json, intent: int) -> None:
        self.gateway.dispatch(event, dumps(data), intent, guild_of(event, data))

    def listening(self, intent: int) -> bool:
        return self.gateway.listening(intent)

    def upload_url(self, upload: Upload) -> str:
        return attachment_url(self.rest.base, upload)

    @property
    def expiry(self) -> float | None:
        """Seconds within which an interaction must be acknowledged; None for no limit."""
        return self.callbacks.expiry

    @expiry.setter
    def expiry(self, seconds: float | None) -> None:
        self.callbacks.expiry = seconds

    @property
    def unknown_routes(self) -> list[str]:
        """Requests ("METHOD /path") that no route answers."""
        return self.rest.unknown_routes

    @property
    def interactions(self) -> list[Interaction]:
        """Every interaction emitted so far, in order."""
        return list(self.callbacks.interactions.values())

    @property
    def never_delivered(self) -> list[Interaction]:
        """The interactions of a shard that no client was connected for."""
        return [sent for sent in self.callbacks.interactions.values() if not sent.delivered]

    def requests(self, method: str = "*", path_part: str = "") -> list[Record]:
        """The answered requests (the last 20,000) of a method whose path contains ``path_part``."""
        return [r for r in self.rest.records if method in ("*", r.method) and path_part in r.path]

    # faults
    # -------------------------------------------------------------------------------------------

    def fail(
        self,
        method: str,
        path_glob: str,
        *,
        status: int = 500,
        code: int = 0,
        message: str = "injected fault",
        times: int | None = 1,
        drop_connection: bool = False,
        retry_after: float = 1.0,
        everywhere: bool = False,
        apply: bool = False,
        delay: float = 0.0,
    ) -> Fault:
        """Answer matching requests with an error, ``times`` times (None: until ``clear_faults``).

        ``method`` may be "*"; ``path_glob`` is matched against the path without /api/v10, "*"
        matching slashes too. ``apply`` lets the request take effect first. ``drop_connection``
        closes the connection unanswered; note that the client's HTTP library itself repeats a
        dropped GET, PUT or DELETE once. Status 429 uses ``retry_after`` seconds, globally if
        ``everywhere``. ``delay`` seconds pass before anything happens.
        """
        fault = Fault(
            method,
            path_glob,
            status,
            code,
            message,
            times,
            drop_connection,
            retry_after,
            everywhere,
            apply,
            delay,
        )
        self.rest.faults.append(fault)
        return fault

    def add_headers(
        self, method: str, path_glob: str, headers: Mapping[str, str], times: int | None = None
    ) -> Fault:
        """Answer matching requests normally, with these headers added (rate limits, for
        example).
        """
        fault = Fault(method, path_glob, None, times=times, apply=True, headers=dict(headers))
        self.rest.faults.append(fault)
        return fault

    def slow(self, method: str, path_glob: str, seconds: float, times: int | None = None) -> Fault:
        """Process matching requests normally, but ``seconds`` late."""
        fault = Fault(method, path_glob, None, times=times, apply=True, delay=seconds)
        self.rest.faults.append(fault)
        return fault

    def clear_faults(self) -> None:
        self.rest.faults.clear()

    # waiting
    # ------------------------------------------------------------------------------------------

    async def until(self, condition: Callable[[], Any], within: float = PATIENCE) -> None:
        """Wait for a condition on the world, looked at after every change; TimeoutError."""
        await self.changes.until(condition, within)

    async def connected(self, count: int = 1, within: float = PATIENCE) -> None:
        """Wait until ``count`` clients are connected and have identified or resumed."""
        await self.gateway.changes.until(lambda: self.gateway.connected >= count, within)

    async def shards_connected(self, count: int, within: float = PATIENCE) -> None:
        """Wait until all of ``count`` shards are connected."""
        every = {(number, count) for number in range(count)}
        await self.gateway.changes.until(lambda: every <= self.gateway.shards_connected(), within)

    async def identified(self, count: int, within: float = PATIENCE) -> None:
        """Wait until clients have identified ``count`` times in all, e.g. 2 after a restart."""
        await self.gateway.changes.until(lambda: self.gateway.identified >= count, within)

    async def ready(self, *commands: str, within: float = PATIENCE) -> None:
        """Wait until a client is connected and these commands are synced, in any scope."""
        await self.connected(within=within)
        await self.until(lambda: set(commands) <= self.command_names(), within)

    def command_names(self) -> set[str]:
        """Names of all synced commands, global and of guilds."""
        return {name for scope in self.commands.values() for _, name in scope}

    # what users do
    # ------------------------------------------------------------------------------------

    def emit(self, interaction: Interaction) -> Interaction:
        """Register and deliver a built interaction."""
        self.callbacks.register(interaction)
        stamp(interaction)
        self._deliver(interaction)
        return interaction

    def _deliver(self, interaction: Interaction) -> None:
        interaction.delivered = self.gateway.dispatch(
            "INTERACTION_CREATE", interaction.text, 0, interaction.guild.id
        )

    def redeliver(self, interaction: Interaction, *, fresh: bool = False) -> Interaction:
        """Send the same event again: same id, same token. ``fresh`` restarts its time to
        acknowledge.
        """
        if fresh:
            stamp(interaction)
        self._deliver(interaction)
        return interaction

    def emit_slash(
        self,
        guild: Guild,
        channel: Channel,
        user: User,
        command_name: str,
        options: Mapping[str, Any] | None = None,
        path: Sequence[str] = (),
        *,
        checked: bool = True,
    ) -> Interaction:
        """A user runs a slash command. ``command_name`` may contain the subcommand path ("scene
        start").

        Values: plain ones, or User, Role, Channel, Upload objects (or ids). LookupError for what
        has not been synced, ValueError for what a client would refuse (the latter unless not
        ``checked``).
        """
        if channel.guild is not guild:
            raise ValueError(f"#{channel.name} is not in {guild.name}")
        data = self._builder.command_data(
            channel, command_name, options or {}, path, checked=checked
        )
        return self.emit(self._builder.build(COMMAND, channel, user, data, name=command_name))

    def emit_autocomplete(
        self,
        guild: Guild,
        channel: Channel,
        user: User,
        command_name: str,
        focused: str,
        options: Mapping[str, Any] | None = None,
        path: Sequence[str] = (),
    ) -> Interaction:
        """A user types in option ``focused``, whose text so far is ``options[focused]``; see
        ``choices``.
        """
        if channel.guild is not guild:
            raise ValueError(f"#{channel.name} is not in {guild.name}")
        given = {focused: ""} | dict(options or {})
        data = self._builder.command_data(channel, command_name, given, path, focused=focused)
        return self.emit(self._builder.build(AUTOCOMPLETE, channel, user, data, name=command_name))

    def emit_component(
        self, message: Message, user: User, custom_id: str, values: Sequence[Any] | None = None
    ) -> Interaction:
        """A user clicks a button or chooses ``values``; LookupError if the message has no such
        component.
        """
        data = self._builder.component_data(message, custom_id, values)
        built = self._builder.build(
            COMPONENT, message.channel, user, data, name=custom_id, message=message
        )
        return self.emit(built)

    def emit_modal(
        self,
        source: Interaction | User,
        channel: Channel | None = None,
        custom_id: str | None = None,
        values: Mapping[str, Any] | None = None,
        *,
        message: Message | None = None,
    ) -> Interaction:
        """A user submits a modal, ``values`` by the inputs' custom ids.

        With an interaction that was answered by a modal, everything else follows from it. With a
        User, ``channel`` and ``custom_id`` are required, and the inputs are sent as text inputs.
        """
        modal: Json | None = None
        user = source
        if isinstance(source, Interaction):
            user, modal = source.user, source.modal
            channel, message = channel or source.channel, message or source.source
            custom_id = custom_id or (modal or {}).get("custom_id")
            if modal is not None and custom_id != modal["custom_id"]:
                modal = None
        if channel is None or custom_id is None or not isinstance(user, User):
            raise ValueError(
                "a modal needs a channel and a custom id, or an interaction that showed one"
            )
        data = self._builder.modal_data(custom_id, values or {}, modal)
        return self.emit(
            self._builder.build(MODAL, channel, user, data, name=custom_id, message=message)
        )


def guild_of(event: str, data: Json) -> int | None:
    """Return the guild that an event is about; None for what belongs to no guild."""
    guild = data["id"] if event in ("GUILD_CREATE", "GUILD_DELETE") else data.get("guild_id")
    return None if guild is None else int(guild)


def _request(message: Any, payload: Any, protocol: Any, writer: Any, task: Any) -> web.BaseRequest:
    return web.BaseRequest(
        message, payload, protocol, writer, task, task.get_loop(), client_max_size=MAX_BODY_BYTES
    )
