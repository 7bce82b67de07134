"""Files at once: a flood of them holds few in memory, and whoever sends too many is told so."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bot.ui.uploads import MAX_HELD_FILES, MAX_USER_FILES, MAX_WAITING_FILES, Uploads
from rules.core.errors import Impossible
from tests.discord.world import World, message_of, texts
from tests.sample_table import ebb_character

#: Six people and their files, as many as one raid had in five seconds.
PEOPLE, FILES = 6, 828


class Flood:
    """Files that arrive at once, each held until its command is answered."""

    def __init__(self) -> None:
        self.uploads = Uploads()
        self.fetched = 0
        self.most = 0
        self.refused: dict[str, int] = {}

    async def read(self) -> bytes:
        self.fetched += 1
        self.most = max(self.most, self.uploads.holder_count)
        await asyncio.sleep(0)
        return b"{}"

    async def send(self, number: int, user: int) -> None:
        interaction = SimpleNamespace(id=number, user=SimpleNamespace(id=user))
        response: Any = SimpleNamespace(interaction=interaction)
        file: Any = SimpleNamespace(size=1000, read=self.read)
        try:
            await self.uploads.read(response, file, "table")
            await asyncio.sleep(0)  # what the command does with it
            self.most = max(self.most, self.uploads.holder_count)
        except Impossible as error:
            self.refused[error.code] = self.refused.get(error.code, 0) + 1
        finally:
            self.uploads.release(cast(Any, interaction))


async def test_few_files_are_held_at_once() -> None:
    flood = Flood()
    await asyncio.gather(*(flood.send(number, number % PEOPLE) for number in range(FILES)))
    assert flood.most == MAX_HELD_FILES
    assert flood.fetched == PEOPLE * MAX_USER_FILES
    assert flood.refused == {"file-still-read": FILES - flood.fetched}
    assert flood.uploads.holder_count == 0
    await flood.send(FILES, 0)
    assert flood.fetched == PEOPLE * MAX_USER_FILES + 1


async def test_files_of_many_people_wait_for_a_place_up_to_a_limit() -> None:
    flood = Flood()
    await asyncio.gather(*(flood.send(number, number) for number in range(100)))
    assert flood.most == MAX_HELD_FILES
    assert flood.fetched == MAX_HELD_FILES + MAX_WAITING_FILES
    assert flood.refused == {"many-files": 100 - flood.fetched}


async def test_who_gives_up_waiting_takes_no_place() -> None:
    flood = Flood()
    tasks = [asyncio.create_task(flood.send(number, number)) for number in range(10)]
    await asyncio.sleep(0)
    for task in tasks[MAX_HELD_FILES:]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.gather(*(flood.send(number, number) for number in range(20, 30)))
    assert flood.most == MAX_HELD_FILES and flood.uploads.holder_count == 0


@pytest.mark.parametrize("command", ["character import", "gm import", "gm campaign", "deck import"])
async def test_a_command_says_so_and_lets_go_of_its_file(world: World, command: str) -> None:
    await world.table()
    uploads = world.bot.interactions.uploads
    file = ("x.json", json.dumps(ebb_character("Nora")).encode())

    async def send() -> str:
        result = await world.gina.slash(world.gm_room, command, file=file)
        return "\n".join(map(texts, (*result.followups, message_of(result))))

    await world.gina.slash(world.gm_room, "setup", game="ebb")
    for number in range(MAX_USER_FILES):
        uploads._users[number] = world.gina.id
    assert "Your last files are still being read" in await send()
    uploads._users.clear()
    for number in range(MAX_HELD_FILES + MAX_WAITING_FILES):
        uploads._users[number] = number
    assert "Too many files right now" in await send()
    uploads._users.clear()
    assert "files" not in await send()
    assert uploads.holder_count == 0 and not uploads._users
