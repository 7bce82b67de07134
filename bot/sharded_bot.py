"""The shards of one of several processes, on top of the library's bot."""

from __future__ import annotations

import logging
from typing import Any

from discord.ext import commands

from bot.settings import Settings
from bot.shards import IdentifyTurns, agree_on_shards, least_multiple, own_shards
from bot.storage.share import shard_key
from bot.storage.store import SqlStore

log = logging.getLogger("storyguide.app")


class ShardedBot(commands.AutoShardedBot):
    """A bot that connects its process's share of the shards, and knows which of them are ready."""

    def __init__(self, settings: Settings, **options: Any) -> None:
        # A simulated Discord has one shard; for Discord itself `launch_shards` finds out.
        super().__init__(**options, shard_count=1)
        self.settings = settings
        self._store: SqlStore | None = None
        self._turns: IdentifyTurns | None = None
        #: Whether it writes to the database before it connects; commits hang without a replica.
        self.waits_for_database = False
        #: Shards whose servers are all known now.
        self._ready_shards: set[int] = set()
        self._connection.parsers["READY"] = self._begin_shard

    def _begin_shard(self, data: Any) -> None:
        """Forget the servers of a shard that Discord doesn't list any more, then all it says.

        A bot with several shards would keep those that it was taken from while it was away.
        """
        shard, listed = data["shard"][0], {int(guild["id"]) for guild in data["guilds"]}
        self._ready_shards.discard(shard)
        for guild in self.guilds:
            if guild.shard_id == shard and guild.id not in listed:
                self._connection._remove_guild(guild)
        self._connection.parse_ready(data)

    async def launch_shards(self) -> None:
        """Connect the shards of this process's share. Raises ShardsRefused."""
        assert self._store is not None
        share, explicit = self._store.share, self.settings.storyguide_shards
        wanted = explicit
        if wanted is None or share.count > 1:
            recommended, _, limits = await self.http.get_bot_gateway()
            if wanted is None:
                wanted = least_multiple(recommended, share.count)
            if share.count > 1:
                self._turns = IdentifyTurns(self._store.database, limits["max_concurrency"])
        self.waits_for_database = True
        count = await agree_on_shards(self._store.database, wanted, explicit=explicit is not None)
        self.waits_for_database = False
        self.shard_count, self.shard_ids = count, own_shards(share, count)
        log.info("app.shards", extra={"count": count, "share": f"{share.number}/{share.count}"})
        await super().launch_shards()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Keep Discord's limit on identifying, among all processes."""
        if self._turns is None:
            await super().before_identify_hook(shard_id, initial=initial)
        else:
            await self._turns.take(shard_id or 0)

    @property
    def waits_to_identify(self) -> bool:
        """True while a shard waits for those of other processes."""
        return self._turns is not None and self._turns.waiting > 0

    def is_on_server(self, server: str) -> bool | None:
        """Return whether the bot is on a server; None as long as its shard can't tell."""
        assert self._store is not None
        shard = shard_key(server) % (self.shard_count or 1)
        if not self._store.share.owns(server) or shard not in self._ready_shards:
            return None
        guild = self.get_guild(int(server))
        if guild is None:
            return False
        return None if guild.unavailable else True

    async def on_shard_ready(self, shard_id: int) -> None:
        """All servers of a shard are known, at the start or after it was away."""
        self._ready_shards.add(shard_id)

    async def on_shard_resumed(self, shard_id: int) -> None:
        """Nothing that happened on a shard's servers was missed."""
        self._ready_shards.add(shard_id)

    async def on_shard_disconnect(self, shard_id: int) -> None:
        """Count the servers of a shard as unknown until it is back."""
        self._ready_shards.discard(shard_id)

    async def close(self) -> None:
        """Let go of turns to identify, and disconnect."""
        if self._turns is not None:
            await self._turns.close()
        await super().close()
