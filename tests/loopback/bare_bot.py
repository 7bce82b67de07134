"""The benchmark's baseline: a bot whose ``/check`` answers a constant text and does nothing
else.
"""

from __future__ import annotations

import typing

import discord
from discord import app_commands
from discord.ext import commands

from tests.loopback.launch import TOKEN

TEXT = "Check: success"


class BareBot(commands.Bot):
    """A commands.Bot with one global command, synced at start."""

    def __init__(self) -> None:
        intents = discord.Intents.none()
        intents.guilds = True
        super().__init__(command_prefix=commands.when_mentioned, intents=intents)
        self.tree.add_command(check)

    async def setup_hook(self) -> None:
        await self.tree.sync()


@app_commands.command(description="Roll a check")
@app_commands.rename(with_="with", as_="as")
async def check(
    interaction: discord.Interaction,
    skill: str | None = None,
    attribute: str | None = None,
    difficulty: str | None = None,
    approach: str | None = None,
    with_: str | None = None,
    modifier: int | None = None,
    as_: str | None = None,
    visibility: typing.Literal["public", "private", "blind"] | None = None,
) -> None:
    await interaction.response.send_message(TEXT)


def main() -> None:
    """Run the bot until it is stopped."""
    BareBot().run(TOKEN, log_handler=None)
