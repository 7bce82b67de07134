"""A bot of one shard, whose ``/where`` tells the shard that answers."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.ext import commands

from tests.loopback.launch import TOKEN


class ShardedBot(commands.AutoShardedBot):
    """An AutoShardedBot with one global command; shard 0 syncs it."""

    def __init__(self, shard: int, count: int) -> None:
        intents = discord.Intents(guilds=True)
        prefix = commands.when_mentioned
        super().__init__(prefix, intents=intents, shard_ids=[shard], shard_count=count)
        self.shard = shard
        self.tree.add_command(where)

    async def setup_hook(self) -> None:
        if self.shard == 0:
            await self.tree.sync()


@app_commands.command(description="Tell the shard and its servers")
async def where(interaction: discord.Interaction[ShardedBot]) -> None:
    bot = interaction.client
    names = sorted(guild.name for guild in bot.guilds)
    await interaction.response.send_message(f"shard {bot.shard}: {', '.join(names)}")


def main(shard: str, count: str) -> None:
    """Run the bot for one shard until it is stopped."""
    ShardedBot(int(shard), int(count)).run(TOKEN, log_handler=None)
