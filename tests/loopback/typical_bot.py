"""The benchmark's fair peer: a typical discord.py bot that does the same durable work the usual
way.

Each command reads a JSON sheet with aiosqlite, rolls with d20, writes a log row and the sheet,
commits, and answers with a message of Components V2 that has two buttons.

    TYPICAL_BOT_DATABASE   path of its SQLite file
    TYPICAL_BOT_LOCKED     `1` makes each command atomic by a lock

Without the lock, commands that overlap share a transaction by accident and may overwrite each
other's sheet, as in most such bots.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import time
import typing

import aiosqlite
import d20
import discord
from discord import app_commands
from discord.ext import commands

from tests.loopback.launch import TOKEN

SHEET: typing.Final[dict[str, typing.Any]] = {
    "name": "Stalker",
    "skills": {f"Skill {number}": {"value": 3 + number % 4, "die": 6} for number in range(30)},
    "attributes": dict.fromkeys(("Fitness", "Wits", "Nerve", "Charm"), 7),
    "notes": "x" * 400,
    "rolls": 0,
    "fate": 3,
}
TABLES: typing.Final = """
CREATE TABLE IF NOT EXISTS sheet (guild TEXT, user TEXT, data TEXT, PRIMARY KEY (guild, user));
CREATE TABLE IF NOT EXISTS log (
    id INTEGER PRIMARY KEY, request TEXT UNIQUE, guild TEXT, user TEXT, at INTEGER, what TEXT,
    result TEXT
);
"""
ACCENT: typing.Final = 0x4477AA


class Buttons(discord.ui.ActionRow["Answer"]):
    """The two buttons below an answer."""

    @discord.ui.button(label="React", style=discord.ButtonStyle.primary, custom_id="react")
    async def react(
        self, interaction: discord.Interaction, button: discord.ui.Button[Answer]
    ) -> None:
        await interaction.response.send_message("ok", ephemeral=True)

    @discord.ui.button(label="Accept", style=discord.ButtonStyle.secondary, custom_id="accept")
    async def accept(
        self, interaction: discord.Interaction, button: discord.ui.Button[Answer]
    ) -> None:
        await interaction.response.send_message("ok", ephemeral=True)


class Answer(discord.ui.LayoutView):
    """A result with its buttons."""

    def __init__(self, text: str) -> None:
        super().__init__(timeout=None)
        self.add_item(
            discord.ui.Container(discord.ui.TextDisplay(text), Buttons(), accent_colour=ACCENT)
        )


class TypicalBot(commands.Bot):
    """A commands.Bot with three global commands and one SQLite file."""

    database: aiosqlite.Connection

    def __init__(self) -> None:
        intents = discord.Intents.none()
        intents.guilds = True
        super().__init__(command_prefix=commands.when_mentioned, intents=intents)
        locked = os.environ.get("TYPICAL_BOT_LOCKED") == "1"
        self.turn = asyncio.Lock() if locked else contextlib.nullcontext()
        for command in (check, roll, attack):
            self.tree.add_command(command)

    async def setup_hook(self) -> None:
        self.database = await aiosqlite.connect(os.environ["TYPICAL_BOT_DATABASE"])
        await self.database.execute("PRAGMA journal_mode=WAL")
        await self.database.execute("PRAGMA synchronous=FULL")
        await self.database.executescript(TABLES)
        await self.database.commit()
        await self.tree.sync()


async def answer(interaction: discord.Interaction, dice: str, what: str) -> None:
    """Roll, store and answer."""
    bot = typing.cast("TypicalBot", interaction.client)
    async with bot.turn:
        result = await roll_and_store(bot.database, interaction, dice, what)
    outcome = "Success" if result.total >= 10 else "Failure"
    text = f"**{interaction.user.display_name}**: {what}\n{result}\n**{outcome}** against 10"
    await interaction.response.send_message(view=Answer(text))


async def roll_and_store(
    database: aiosqlite.Connection, interaction: discord.Interaction, dice: str, what: str
) -> d20.RollResult:
    """Read the sheet, roll, and commit the sheet and a log row."""
    key = (str(interaction.guild_id), str(interaction.user.id))
    async with database.execute(
        "SELECT data FROM sheet WHERE guild = ? AND user = ?", key
    ) as cursor:
        row = await cursor.fetchone()
    sheet = dict(SHEET) if row is None else json.loads(row[0])
    result = d20.roll(dice)
    sheet["rolls"] += 1
    rolled = {"dice": dice, "total": result.total, "text": str(result)}
    await database.execute(
        "INSERT INTO log (request, guild, user, at, what, result) VALUES (?, ?, ?, ?, ?, ?)",
        (str(interaction.id), *key, int(time.time()), what, json.dumps(rolled)),
    )
    await database.execute(
        "INSERT INTO sheet VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET data = excluded.data",
        (*key, json.dumps(sheet)),
    )
    await database.commit()
    return result


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
    await answer(interaction, "1d8 + 1d10 + 4", f"{skill} {attribute} {difficulty} {approach}")


@app_commands.command(description="Roll dice")
async def roll(interaction: discord.Interaction, dice: str) -> None:
    await answer(interaction, dice, "roll")


@app_commands.command(description="Attack")
async def attack(
    interaction: discord.Interaction,
    target: str,
    weapon: str | None = None,
    approach: str | None = None,
) -> None:
    await answer(interaction, "2d10 + 4", f"{target} {weapon} {approach}")


def main() -> None:
    """Run the bot until it is stopped."""
    TypicalBot().run(TOKEN, log_handler=None)
