"""Registration of slash commands with Discord: those of every server, and a system's own."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Callable, Iterable
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.delivery.response import DISCORD_ERRORS
from bot.storage.store import SqlStore, Store

log = logging.getLogger("storyguide.app")

#: Seconds that another process may take to register the commands, and between two looks.
SYNC_TIMEOUT = 15.0
SYNC_DELAY = 0.25
SLASH = discord.AppCommandType.chat_input


def commands_note_key(server: int | None) -> str:
    """Return the key of the store's note about the registered commands of a server."""
    return f"commands:{'global' if server is None else server}"


class CommandRegistry:
    """The commands that Discord knows of the bot, and their ids.

    Commands are registered only when their form has changed. A note in the store holds the digest
    of the form, and the ids.
    """

    def __init__(self, bot: commands.AutoShardedBot, dev_guild: int | None) -> None:
        self._bot = bot
        self._dev_guild = dev_guild
        self._store: SqlStore | None = None
        self._factories: dict[str, Callable[[], Iterable[app_commands.Group]]] = {}
        #: Ids of the slash commands by name, of each server; None: of every server.
        self._ids: dict[int | None, dict[str, int]] = {}

    def set_factory(self, key: str, make: Callable[[], Iterable[app_commands.Group]]) -> None:
        """Keep what makes a system's own commands, for the servers where a table uses it."""
        self._factories[key] = make

    def ids_on(self, server: int | None) -> dict[str, int]:
        """Return the ids of the slash commands on a server, by name, for mentions in texts."""
        return self._ids.get(self._dev_guild, {}) | self._ids.get(server, {})

    async def register_all(self, store: SqlStore) -> None:
        """Register the commands of every server, or wait until another process has."""
        self._store = store
        for server, keys in (await store.guild_systems()).items():
            for key in keys:
                self._add_system(int(server), key)
        dev = self._dev_guild
        if dev is not None:
            self._bot.tree.copy_global_to(guild=discord.Object(dev))
        if store.share.owns("" if dev is None else str(dev)):
            await self._sync(store, dev)
        else:
            await self.await_sync(store, dev)

    async def register_system(self, server: int, key: str) -> None:
        """Register a system's own commands on a server."""
        if self._add_system(server, key):
            await self.sync_server(server)

    async def register_again(self, server: int) -> None:
        """Register the own commands of a server that has forgotten them."""
        if self._bot.tree.get_commands(guild=discord.Object(server)) and self._store is not None:
            await self._store.set_note(commands_note_key(server), "")
            await self.sync_server(server)

    async def sync_server(self, server: int) -> None:
        """Register a server's own commands. If that fails, the next start tries again."""
        assert self._store is not None
        try:
            await self._sync(self._store, server)
        except DISCORD_ERRORS as error:
            log.warning(
                "commands.not-synced", extra={"guild": server, "reason": type(error).__name__}
            )

    def _add_system(self, server: int, key: str) -> bool:
        """Put a system's own commands on a server's list, if it has any."""
        make = self._factories.get(key)
        if make is not None:
            for group in make():
                self._bot.tree.add_command(group, guild=discord.Object(server), override=True)
        return make is not None

    async def _sync(self, store: SqlStore, server: int | None) -> None:
        """Register the commands of a server (None: of every server) unless they are up to date."""
        digest, key = self._digest(server), commands_note_key(server)
        noted, _, ids = (await store.note(key) or "").partition(" ")
        if noted == digest and ids:
            self._ids[server] = json.loads(ids)
            return
        guild = None if server is None else discord.Object(server)
        synced = await self._bot.tree.sync(guild=guild)
        self._ids[server] = {
            command.name: command.id for command in synced if command.type is SLASH
        }
        await store.set_note(key, f"{digest} {json.dumps(self._ids[server])}")
        count = len(self._bot.tree.get_commands(guild=guild))
        log.info("commands.synced", extra={"count": count})

    def _digest(self, server: int | None) -> str:
        """Return a digest of the present form of a server's commands, or of every server's."""
        guild = None if server is None else discord.Object(server)
        tree = self._bot.tree
        payload: list[Any] = [command.to_dict(tree) for command in tree.get_commands(guild=guild)]
        text = json.dumps([self._bot.application_id, payload], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    async def await_sync(self, store: Store, server: int | None) -> None:
        """Wait until another process has registered the same commands, and learn their ids.

        If that takes too long, its process is down or of another release: then learn what is
        noted. Of a server's own commands only its own process knows the form.
        """
        key = commands_note_key(server)
        digest = self._digest(None) if server is None else None
        end = asyncio.get_running_loop().time() + SYNC_TIMEOUT
        while True:
            noted, _, ids = (await store.note(key) or "").partition(" ")
            if ids and digest in (None, noted):
                break
            if asyncio.get_running_loop().time() > end:
                log.warning("commands.not-synced-yet")
                break
            await asyncio.sleep(SYNC_DELAY)
        self._ids[server] = json.loads(ids or "{}")
