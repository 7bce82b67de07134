"""Servers that the bot was taken from: only this process's own, and only while it knows."""

from __future__ import annotations

from pathlib import Path

from bot.departed_guilds import RETENTION_SECONDS, DepartedGuilds, departure_note_key
from bot.services.table_opening import create_table
from bot.services.tables import Tables
from bot.storage.store import SqlStore
from rules.table.actions import CreateTable
from tests.sample_table import GM as LEADER
from tests.sample_table import NOON, USERS, by

#: What a process knows of each server: on it, taken from it, or nothing.
KNOWN = {"100": True, "101": False, "102": None}


async def open_tables(path: Path) -> Tables:
    """A table on each server."""
    tables = Tables(await SqlStore.open(path / "tables.db"))
    for number, guild in enumerate(KNOWN):
        opening = CreateTable(**by(LEADER, place=f"20{number}"), name="T", system="ebb")
        await create_table(tables, guild, opening, guild, USERS[0], None)
    return tables


async def guild_notes(tables: Tables) -> dict[str, str | None]:
    """Return the note about each server."""
    return {guild: await tables.store.note(departure_note_key(guild)) for guild in KNOWN}


async def test_only_a_server_that_is_known_to_be_left_is_noted(tmp_path: Path) -> None:
    tables = await open_tables(tmp_path)
    departed = DepartedGuilds(tables, lambda: NOON, KNOWN.get)
    await departed.start()
    assert await guild_notes(tables) == {"100": None, "101": str(NOON), "102": None}
    for guild in KNOWN:
        await tables.store.set_note(departure_note_key(guild), str(NOON - RETENTION_SECONDS))
    await departed.refresh_note("102")
    assert (await guild_notes(tables))["102"] == str(NOON - RETENTION_SECONDS), "it may be so"
    await departed._sweep()
    assert set(await tables.store.guild_systems()) == {"100", "102"}
    assert (await guild_notes(tables))["100"] == "", "it is back"
    await departed.close()
    await tables.store.close()
