"""Sends exports, which may be long: written in a process of their own, and sent file by file."""

from __future__ import annotations

import asyncio
import math
import shutil
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import discord

from bot.clock import Clock, system_clock
from bot.delivery.response import DISCORD_ERRORS, Response
from bot.presenters.catalog_cards import card
from bot.presenters.controls import Attachment
from bot.presenters.layout import Layout
from bot.presenters.render import to_messages
from bot.presenters.transfer import export_part_card
from bot.services.exports import MAX_PART_BYTES, MAX_PARTS, PROGRESS_FILE, write_export
from bot.services.loaded_table import Table
from bot.services.readers import Reader
from bot.storage.location import SCRATCH_PREFIX, Where, absolute, scratch_folder
from bot.ui.interactions import Interactions
from bot.ui.uploads import size_limit_text
from bot.worker_process import WorkerFailed, WorkerProcess
from rules.core.errors import Impossible, InvalidInput
from rules.table.actions import Actor
from rules.table.readable_places import ReadablePlaces
from rules.table.whispers import whisper_places

#: Seconds that one export may take.
EXPORT_TIMEOUT: Final = 600.0
#: Seconds from the request until the files have to be there. An announced answer can be given for
#: fifteen minutes, and sending takes the rest.
ANSWER_TIMEOUT: Final = 720.0
#: Most exports that may be ahead of one. With more, the user is asked to come back.
MAX_WAITING: Final = 3
#: Seconds after which nothing is under way in a folder any more.
LEFTOVER_AGE: Final = 3600.0
#: Seconds from one word on how far it is to the next.
PROGRESS_INTERVAL: Final = 4.0


def delete_leftovers(database: Where, now: int) -> None:
    """Delete the export folders of processes that died. *now* is in seconds since 1970.

    Only one process uses a file, so all that are beside it are left over. Processes with a server
    share the temporary folder: there a folder is left over once no export can be under way in it.
    """
    parent, _ = scratch_folder(database)
    if isinstance(database, Path):
        pattern, latest = f"{database.name}-export-*", math.inf
    else:
        pattern, latest = f"{SCRATCH_PREFIX}*-export-*", now - LEFTOVER_AGE
    for folder in parent.glob(pattern):
        with suppress(FileNotFoundError):  # Another process may delete it first.
            if folder.stat().st_mtime < latest:
                shutil.rmtree(folder, ignore_errors=True)


async def players_places(
    interactions: Interactions, interaction: discord.Interaction, table: Table
) -> tuple[ReadablePlaces, bool]:
    """Return the places of a table that every player can view, and whether those are all.

    A player is the owner of a character, but no GM. Without players it is what everybody on the
    server can view. A player that Discord can't find now can view nothing; one who has left the
    server doesn't count. Places of whisper scenes don't count, as only their casts know of them.
    """
    state, guild = table.state, interaction.guild
    told = set(await interactions.tables.store.message_places(table.id))
    owners = {each.owner for each in state.characters.values() if each.owner is not None}
    readers: list[Reader] = []
    for who in sorted(owners - set(state.settings.gms)):
        user = table.directory.user(who)
        try:
            member = None if guild is None or user is None else await guild.fetch_member(int(user))
        except discord.NotFound:
            continue
        except DISCORD_ERRORS:
            member = None
        views = interactions.views_of(member)
        readers.append(interactions.plain_reader(table, Actor(who), views))
    if not readers:
        views = interactions.views_of(None if guild is None else guild.default_role)
        readers.append(interactions.plain_reader(table, Actor(""), views))
    for reader in readers:
        await reader.learn(told)
    open_ = told.intersection(*(reader.readable.places for reader in readers))
    whispered = whisper_places(state).difference(interactions.tables.places.places_of(table.id))
    shut = told - open_ - whispered - {"", state.settings.gm_place}
    return ReadablePlaces(frozenset(open_)), not shut


class Exports:
    """One export at a time; it costs the bot one file in memory.

    A waiting user is told how many are before them. If it comes to nothing, the user is told so
    while Discord still takes an answer.
    """

    def __init__(self, database: Where, clock: Clock = system_clock) -> None:
        self._database = absolute(database)  # the process is elsewhere
        self._parent, name = scratch_folder(self._database)
        self._folder = f"{name}-export-"
        delete_leftovers(self._database, clock())
        self._aside = WorkerProcess(EXPORT_TIMEOUT, once=True, idle=True)
        self._queue: list[Path] = []

    async def send(
        self,
        response: Response,
        export: Any,
        shown: Callable[[bytes, int], Layout],
        write: Callable[[Where, str, Any], list[str]] = write_export,
        part: Callable[[Attachment, int, int], Layout] = export_part_card,
    ) -> None:
        """Answer with an export. `shown` makes the card of the first file; it is told how many more
        there are.

        `write` writes the files in the process, and `part` makes the cards of the files behind the
        first one, with their numbers and count.

        Raises RulesError where it cannot be made: Impossible("exports-before") where others come
        first.
        """
        if len(self._queue) > MAX_WAITING:
            raise Impossible("exports-before", count=len(self._queue))
        with tempfile.TemporaryDirectory(prefix=self._folder, dir=self._parent) as name:
            names = await self._write_files(response, Path(name), export, write)
            await self._files(response, Path(name), names, shown, part)

    async def _write_files(
        self,
        response: Response,
        folder: Path,
        export: Any,
        write: Callable[[Where, str, Any], list[str]],
    ) -> Sequence[str]:
        """The names of the files, once they are there. Impossible("export-failed",
        "exports-before").
        """
        person, latest = (
            response.interaction.user.id,
            asyncio.get_running_loop().time() + ANSWER_TIMEOUT,
        )
        work = asyncio.create_task(
            self._aside.run_for(person, write, self._database, str(folder), export),
            name="export",
        )
        self._queue.append(folder)
        try:
            while not (await asyncio.wait({work}, timeout=PROGRESS_INTERVAL))[0]:
                before = self._queue.index(folder)
                if asyncio.get_running_loop().time() >= latest:
                    if before:
                        raise Impossible("exports-before", count=before)
                    self._aside.stop()
                    raise Impossible("export-failed")
                await response.show_progress(
                    to_messages(_progress(folder, before), plain=response.plain)
                )
            return await work
        except WorkerFailed:
            raise Impossible("export-failed") from None
        finally:
            self._queue.remove(folder)
            work.cancel()

    async def _files(
        self,
        response: Response,
        folder: Path,
        names: Sequence[str],
        shown: Callable[[bytes, int], Layout],
        part: Callable[[Attachment, int, int], Layout],
    ) -> None:
        first, *more = names
        if len(more) > MAX_PARTS:
            raise Impossible("export-too-long")
        content = await self._aside.run_on_thread((folder / first).read_bytes)
        if len(content) > MAX_PART_BYTES:
            raise InvalidInput(
                "export-too-large",
                field="journal",
                value=None,
                allowed=size_limit_text(MAX_PART_BYTES),
            )
        await response.show(shown(content, len(more)))
        for number, name in enumerate(more, 1):
            file = Attachment(name, await self._aside.run_on_thread((folder / name).read_bytes))
            message = part(file, number, len(more))
            await response.whisper(to_messages(message, plain=response.plain))

    async def close(self) -> None:
        await self._aside.close()


def _progress(folder: Path, before: int) -> Layout:
    """How many come first, and how far it is, as far as that is known."""
    note = folder / PROGRESS_FILE
    done, _, count = (note.read_text() if note.exists() else "").partition(" ")
    return card(
        "waiting",
        "export-progress",
        None,
        done=int(done or 0),
        count=int(count or 0),
        before=before,
    )
