"""Examination of settings, database and disk, and with a token also of the channels."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Final

import discord

from bot.delivery.channel_rights import RIGHTS, missing_rights
from bot.ops.database_files import (
    OperationRefused,
    connect,
    format_size,
    integrity_problems,
    schema_version,
    side_file,
)
from bot.ops.database_reading import has_tables, open_server
from bot.ops.discord_reach import (
    CONNECT_TIMEOUT,
    bot_id_in_token,
    configured_token,
    connection_problem,
    token_problem,
)
from bot.ops.findings import Findings
from bot.ops.rescue import loss_problem, rescued_findings, start_refusal
from bot.ops.server_doctor import examine_server, settings_problem
from bot.settings import Settings
from bot.storage.errors import StorageUnavailable
from bot.storage.fingerprint import has_other_fingerprint, stored_fingerprint
from bot.storage.high_water_mark import loss_report
from bot.storage.location import ServerAddress, Where
from bot.storage.move_notes import move_problem
from bot.storage.schema import LATEST_SCHEMA

#: Bytes that the disk must have free, besides the size of the database.
MIN_FREE_BYTES: Final = 100 * 1024 * 1024
#: A write-ahead log larger than this is not being written back.
MAX_WAL_BYTES: Final = 64 * 1024 * 1024
#: Seconds to check the channels of every table.
CHANNEL_CHECK_TIMEOUT: Final = 300.0
#: Description of `examine_online`.
ASK_DISCORD: Final = "ask Discord whether it takes the token and what the bot may do (--connect)"


def examine_offline(settings: Settings, *, quick: bool = False) -> Findings:
    """Examine everything on this machine without changing any of it.

    `quick` leaves out the checks that read the whole database.
    """
    findings = Findings()
    token = configured_token(settings)
    bot = bot_id_in_token(token)
    if not token:
        findings.problems.append(
            "DISCORD_TOKEN isn't set. Put the bot's token in .env (see .env.example)."
        )
    elif bot is None:
        findings.problems.append(token_problem(token))
    else:
        findings.facts.append(f"Token: looks right, for bot {bot}")
        findings.skipped.append(ASK_DISCORD)
    if quick:
        findings.skipped.append("read the whole database (leave out --quick)")
    contradiction = settings_problem(settings)
    if contradiction is not None:
        findings.problems.append(contradiction)
    path = settings.storyguide_database
    if not isinstance(path, Path):
        examine_server(path, settings.storyguide_processes, findings, quick=quick)
        return findings
    folder = path.absolute().parent
    if not folder.is_dir():
        findings.problems.append(
            f"The folder for {path} doesn't exist. If it was moved or its disk isn't mounted, put "
            "it back; otherwise create it, or set STORYGUIDE_DATABASE."
        )
        return findings
    if not os.access(folder, os.W_OK):
        findings.problems.append(
            f"The bot can't write to {folder}. Give its user write permission."
        )
    size = path.stat().st_size if path.exists() else 0
    places = (path, *settings.copy_folders)
    problem = loss_problem(*places) or start_refusal(*places)
    if problem is not None:
        # SQLite would spoil a file beside the log of another one, so the file is not opened.
        findings.problems.append(problem)
    else:
        if path.exists():
            _examine_database(path, findings, quick=quick)
        else:
            findings.facts.append(
                f"Database: none at {path} yet; the bot creates it when it starts."
            )
        _examine_losses(path, settings, findings)
    _examine_disk(folder, size, findings)
    return findings


def _examine_losses(path: Path, settings: Settings, findings: Findings) -> None:
    problems, hints = rescued_findings(path, *settings.copy_folders)
    findings.problems += problems
    findings.hints += hints
    lost = loss_report(path)
    if lost is not None and not problems:
        findings.problems.append(lost)


def _examine_disk(folder: Path, size: int, findings: Findings) -> None:
    free = shutil.disk_usage(folder).free
    findings.facts.append(f"Free disk space: {format_size(free)}")
    if free < MIN_FREE_BYTES + size:
        findings.problems.append(
            f"Only {format_size(free)} free where the database is. Free at least "
            f"{format_size(MIN_FREE_BYTES + size)}: on a full disk nothing can be saved."
        )


def _examine_database(path: Path, findings: Findings, *, quick: bool) -> None:
    if not os.access(path, os.W_OK):
        findings.problems.append(f"The bot can't write to {path}. Give its user write permission.")
    try:
        with closing(connect(path)) as connection:
            version: int = connection.execute("PRAGMA user_version").fetchone()[0]
            if version > LATEST_SCHEMA:
                findings.problems.append(
                    f"The database has schema {version}; this release knows "
                    f"{LATEST_SCHEMA}. Update Storyguide."
                )
                return
            broken = [] if quick else integrity_problems(connection)
            if broken:
                findings.problems.append(
                    f"The database is damaged: {'; '.join(broken)}. Stop the bot and restore the "
                    "last backup with `python -m bot restore FILE`."
                )
                return
            schema = schema_version(connection)
            if schema == LATEST_SCHEMA and has_other_fingerprint(connection, stored_fingerprint()):
                findings.problems.append("The database comes from another release. Use that one.")
                return
            counts = _counts(connection) if schema and not quick else None
            moved = move_problem(connection) if schema else None
    except sqlite3.Error as error:
        findings.problems.append(
            f"Can't read the database: {error}. If the bot is running, try again; otherwise "
            "restore the last backup with `python -m bot restore FILE`."
        )
        return
    if moved is not None:
        findings.problems.append(moved)
    if schema < LATEST_SCHEMA:
        findings.hints.append(
            f"Schema {schema} becomes {LATEST_SCHEMA} when the bot starts. Make a backup first."
        )
    wal = side_file(path, "-wal")
    log = wal.stat().st_size if wal.exists() else 0
    findings.facts.append(
        f"Database: {path}, schema {schema}, {format_size(path.stat().st_size)} and "
        f"{format_size(log)} of log"
    )
    if log > MAX_WAL_BYTES:
        findings.hints.append(
            f"The write-ahead log has grown to {format_size(log)}: something keeps the database "
            "open for reading. Close it; a restart of the bot writes the log back."
        )
    if counts is not None:
        entries, waiting = counts
        findings.facts.append(f"Journal: {entries} entries; messages still to send: {waiting}")
        if waiting:
            findings.hints.append(
                "The bot sends them when it starts; /table doctor says what fails."
            )


def _counts(connection: sqlite3.Connection) -> tuple[int, int]:
    entries = connection.execute("SELECT COUNT(*) FROM journal").fetchone()[0]
    waiting = connection.execute("SELECT COUNT(*) FROM outbox WHERE done_at IS NULL").fetchone()[0]
    return entries, waiting


# --- with a connection ----------------------------------------------------------------------------


async def examine_online(settings: Settings) -> Findings:
    """Ask Discord whether it accepts the token, and which rights the bot lacks in channels."""
    findings = Findings()
    token = configured_token(settings)
    if bot_id_in_token(token) is None:
        return findings  # `examine_offline` reports the problem of the token
    try:
        async with discord.Client(intents=discord.Intents(guilds=True)) as client:
            await asyncio.wait_for(client.login(token), CONNECT_TIMEOUT)
            findings.facts.append(f"Discord accepts the token: the bot is {client.user}")
            await asyncio.wait_for(
                look_at_places(client, settings.storyguide_database, findings),
                CHANNEL_CHECK_TIMEOUT,
            )
    except Exception as error:
        line = connection_problem(error)
        if line is None:
            raise
        findings.problems.append(line)
    return findings


async def look_at_places(client: discord.Client, where: Where, findings: Findings) -> None:
    """Add the missing permissions in each bound channel; `client` is logged in."""
    places = _places(where) if isinstance(where, Path) else await _server_places(where)
    for guild, ids in places.items():
        await _look_at_server(client, int(guild), ids, findings)


#: Query of every bound place but those of users' own tables, which are in no channel.
_PLACES: Final = (
    "SELECT guild, place.id FROM place JOIN game_table ON game_table.id = table_id"
    " WHERE guild NOT LIKE '@%'"
)


def _channels_by_server(rows: Iterable[tuple[str, str]]) -> dict[str, list[int]]:
    channels: dict[str, list[int]] = {}
    for guild, place in sorted(rows):
        # The dice and cards of a channel without a table are kept under `free:<channel>`.
        channels.setdefault(guild, []).append(int(place.rpartition(":")[2]))
    return channels


async def _server_places(where: ServerAddress) -> dict[str, list[int]]:
    try:
        engine = await open_server(where)
    except OperationRefused:
        return {}  # the offline examination reports problems of the server
    try:
        if not await engine.read(has_tables):
            return {}
        return _channels_by_server(
            await engine.read(lambda connection: connection.execute(_PLACES).fetchall())
        )
    except StorageUnavailable:
        return {}
    finally:
        await engine.close()


def _places(path: Path) -> dict[str, list[int]]:
    """Return the bound channels of each server."""
    try:
        with closing(connect(path)) as connection:
            return _channels_by_server(connection.execute(_PLACES).fetchall())
    except sqlite3.Error:
        return {}  # the offline examination reports problems of the file


async def _look_at_server(
    client: discord.Client, guild_id: int, ids: list[int], findings: Findings
) -> None:
    assert client.user is not None
    try:
        guild = await client.fetch_guild(guild_id)
        channels = {channel.id: channel for channel in await guild.fetch_channels()}
        me = await guild.fetch_member(client.user.id)
    except (discord.Forbidden, discord.NotFound):
        findings.hints.append(f"The bot is no longer on server {guild_id}.")
        return
    for place in ids:
        bound: object = channels.get(place)
        channel = channels.get(place)
        if channel is None:
            try:
                bound = await client.fetch_channel(place)
            except (discord.Forbidden, discord.NotFound):
                findings.problems.append(
                    f"Server {guild_id}: channel {place} is gone, or the bot can't see it."
                )
                continue
            channel = channels.get(getattr(bound, "parent_id", None) or 0)
        if channel is None:
            continue
        needed, _ = missing_rights(bound, channel.permissions_for(me))
        if needed:
            names = ", ".join(RIGHTS[right] for right in needed)
            findings.problems.append(
                f"Server {guild_id}, channel {place}: the bot needs these permissions: "
                f"{names}. Allow them there."
            )
    findings.facts.append(f"Server {guild_id}: {len(ids)} channels checked")
