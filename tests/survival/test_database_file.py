"""A database that is moved, replaced, deleted or loses its log under the running bot: nothing that
was acknowledged is lost.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import pytest
import pytest_asyncio

from bot.ops.backup import back_up, restore_database
from bot.ops.database_files import OperationRefused
from bot.ops.doctor import examine_offline
from bot.ops.rescue import rescued_copies
from bot.settings import Settings
from tests.loopback.interactions import Interaction
from tests.loopback.launch import TOKEN
from tests.loopback.models import Channel, Message
from tests.loopback.nursery import Nursery
from tests.survival.edge_of_process import PATIENCE, Rim, open_rim

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.slow]

STOPPED = ("The database files aren't in place", "I've stopped saving; tell whoever runs the bot.")
SIDES = ("", "-wal", "-shm")


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def move(path: Path) -> None:
    path.rename(path.with_name("elsewhere.db"))


def move_with_log(path: Path) -> None:
    for suffix in SIDES:
        beside(path, suffix).rename(path.with_name(f"elsewhere.db{suffix}"))


def replace(path: Path) -> None:
    """An older copy, as `mv` puts it there."""
    path.with_name("older.db").replace(path)


def replace_all(path: Path) -> None:
    for suffix in SIDES[1:]:
        beside(path, suffix).unlink()
    replace(path)


def empty(path: Path) -> None:
    path.unlink()
    path.touch()


def delete(path: Path) -> None:
    path.unlink()


def delete_all(path: Path) -> None:
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()


def lose_log(path: Path) -> None:
    beside(path, "-wal").unlink()


def lose_index(path: Path) -> None:
    beside(path, "-shm").unlink()


def link(path: Path) -> None:
    """The same file, but the next process would look for the log beside its new name."""
    path.rename(path.with_name("real.db"))
    path.symlink_to("real.db")


def rename_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name("renamed"))


#: What is done to the files, and what the doctor calls it while the bot runs.
CASES: dict[Callable[[Path], None], str] = {
    move: "was moved away while the bot was running",
    move_with_log: "was moved away while the bot was running",
    replace: "was replaced by another file while the bot was running",
    replace_all: "was replaced by another file while the bot was running",
    empty: "was replaced by another file while the bot was running",
    delete: "was deleted while the bot was running",
    delete_all: "is missing, and ",  # with the note of what happened
    lose_log: "lost its log (the -wal or -shm file beside it) while the bot was running",
    lose_index: "lost its log (the -wal or -shm file beside it) while the bot was running",
    link: "was moved away while the bot was running",
    rename_folder: "doesn't exist. If it was moved or its disk isn't mounted, put it back",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def nursery() -> AsyncIterator[Nursery]:
    async with Nursery() as nursery:
        yield nursery


def texts(sent: Interaction) -> str:
    return "\n".join(text for message in sent.messages for text in message.texts())


def requests(path: Path) -> set[str]:
    """What is in the journal of a file."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return {request for (request,) in connection.execute("SELECT request_id FROM journal")}


def doctor(path: Path) -> str:
    settings = Settings(_env_file=None, discord_token=TOKEN, storyguide_database=path)  # pyright: ignore[reportCallIssue]
    found = examine_offline(settings, quick=True)
    assert found.status == 1
    return "\n".join(found.lines())


async def older_copy(rim: Rim, place: Channel) -> None:
    """A copy beside the database that lacks what comes now."""
    back_up(rim.path, rim.path.with_name("older.db"))
    await rim.do(rim.ana, place, "roll", dice="1d20")


async def rolls(rim: Rim, place: Channel, count: int) -> list[Interaction]:
    return [await rim.do(rim.ana, place, "roll", dice=f"{n + 1}d6") for n in range(count)]


async def check_all_refused(rim: Rim, place: Channel, rolled: Message) -> None:
    """Every command and every button is refused."""
    for command, options in (("roll", {"dice": "1d6"}), ("table show", {}), ("help", {})):
        sent = await rim.do(rim.ben, place, command, **options)
        assert all(text in texts(sent) for text in STOPPED), texts(sent)
    pressed = await rim.press(rim.ben, rolled, "Roll again").answered(PATIENCE)
    assert STOPPED[0] in texts(pressed)


def rescued_files(rim: Rim, damage: Callable[[Path], None]) -> Path:
    if damage is rename_folder:
        copies = rescued_copies(rim.path.parent.with_name("renamed") / rim.path.name)
    else:
        copies = rescued_copies(rim.path)
    (copy,) = copies
    return copy


@pytest.mark.parametrize("damage", CASES, ids=lambda damage: damage.__name__)
async def test_nothing_acknowledged_is_lost(
    damage: Callable[[Path], None], tmp_path: Path, nursery: Nursery
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    async with open_rim(tmp_path, nursery) as rim:
        rim.path = data / "storyguide.db"
        await rim.start()
        place = rim.place()
        await rim.do(rim.gina, place, "setup", game="ebb")
        await rim.settled()
        await older_copy(rim, place)
        sent = await rolls(rim, place, 5)
        # Some are on their way when it happens.
        sent += [rim.emit(rim.ana, place, "roll", dice=f"{n + 1}d8") for n in range(10)]
        await sent[6].answered(PATIENCE)
        damage(rim.path)
        sent += [rim.emit(rim.ana, place, "roll", dice=f"{n + 1}d10") for n in range(5)]
        for each in sent:
            await each.answered(PATIENCE)
        assert sent[0].response is not None
        await check_all_refused(rim, place, sent[0].response)
        await rim.wait(lambda: "rescue.proved" in rim.output())
        copy = rescued_files(rim, damage)
        for event in ("storage.lost", "rescue.copied", "rescue.proved"):
            (line,) = [line for line in rim.output().splitlines() if f" {event} " in line]
            assert " ERROR " in line
        assert f"file={copy}" in rim.output()
        said = doctor(rim.path)
        assert CASES[damage] in said
        if damage is not rename_folder:
            assert f"python -m bot restore {copy}" in said
        await rim.kill()
        acknowledged = {str(each.id) for each in sent if STOPPED[0] not in texts(each)}
        assert len(acknowledged) >= 6
        assert acknowledged <= requests(copy)
        if damage is rename_folder:
            data.with_name("renamed").rename(data)
            assert acknowledged <= requests(rim.path)
            copy = data / copy.name
        elif damage is not lose_index:  # which SQLite makes anew
            assert f"python -m bot restore {copy}" in doctor(rim.path)
        restore_database(rim.path, copy)
        await rim.start()
        assert acknowledged <= requests(rim.path)
        again = await rim.do(rim.ana, place, "roll", dice="1d20")
        assert STOPPED[0] not in texts(again) and rim.journalled(again)
        await rim.stop()
        await rim.check_files()


async def roomy_start(rim: Rim, data: Path) -> Channel:
    """Start the bot on a database in a folder of its own, with a table at the place returned."""
    data.mkdir()
    rim.path = data / "storyguide.db"
    await rim.start()
    place = rim.place()
    await rim.do(rim.gina, place, "setup", game="ebb")
    await rim.settled()
    return place


async def refused_start(rim: Rim) -> str:
    """What the program says in place of starting."""
    with pytest.raises(AssertionError) as caught:
        await rim.start()
    return str(caught.value)


async def test_the_bot_does_not_go_on_without_what_only_a_rescued_copy_holds(
    tmp_path: Path, nursery: Nursery
) -> None:
    async with open_rim(tmp_path, nursery) as rim:
        place = await roomy_start(rim, tmp_path / "data")
        sent = await rolls(rim, place, 10)
        moved = rim.path.with_name("elsewhere.db")
        move(rim.path)
        await rim.do(rim.ana, place, "roll", dice="1d20")
        await rim.wait(lambda: "rescue.proved" in rim.output())
        (copy,) = rescued_copies(rim.path)
        await rim.kill()
        moved.rename(rim.path)
        acknowledged = {str(each.id) for each in sent}
        for said in (await refused_start(rim), doctor(rim.path)):
            assert f"journal entries that {rim.path} lacks" in said
            assert f"python -m bot restore {copy}" in said
            assert "last backup" not in said
        # Whoever moves the copy goes on without it; put back later, it is compared by entries.
        aside = tmp_path / copy.name
        copy.rename(aside)
        await rim.start()
        place = rim.place()
        await rim.do(rim.gina, place, "setup", game="ebb")
        sent = await rolls(rim, place, 20)
        await rim.stop()
        aside.rename(copy)
        for said in (await refused_start(rim), doctor(rim.path)):
            assert "journal entries that the copy lacks" in said
        restore_database(rim.path, copy)
        assert acknowledged <= requests(rim.path)
        await rim.start()
        await rim.stop()


def cut_log(path: Path) -> None:
    """Cut the log off in place, which the running bot does not notice."""
    os.truncate(beside(path, "-wal"), 0)


@pytest.mark.parametrize("damage", [lose_log, cut_log], ids=lambda damage: damage.__name__)
async def test_a_log_that_is_lost_just_before_the_bot_dies_is_known(
    damage: Callable[[Path], None], tmp_path: Path, nursery: Nursery
) -> None:
    async with open_rim(tmp_path, nursery) as rim:
        place = await roomy_start(rim, tmp_path / "data")
        await rolls(rim, place, 3)
        await rim.wait(lambda: beside(rim.path, "-seen").exists())
        damage(rim.path)
        await rim.kill()
        assert f"{rim.path} has lost what it held" in doctor(rim.path)


@pytest.mark.parametrize("damage", [replace, link], ids=lambda damage: damage.__name__)
async def test_a_log_is_not_opened_with_another_file(
    damage: Callable[[Path], None], tmp_path: Path, nursery: Nursery
) -> None:
    async with open_rim(tmp_path, nursery) as rim:
        place = await roomy_start(rim, tmp_path / "data")
        await older_copy(rim, place)
        sent = await rolls(rim, place, 5)
        back_up(rim.path, rim.path.with_name("copy.db"))
        kept = rim.path.with_name("kept.db")
        kept.hardlink_to(rim.path)
        damage(rim.path)
        await rim.kill()
        log = beside(rim.path, "-wal")
        before = log.read_bytes()
        for said in (await refused_start(rim), doctor(rim.path)):
            assert f"{log} is the log of another file than {rim.path}" in said
        with pytest.raises(OperationRefused, match="is the log of another file"):
            restore_database(rim.path, rim.path.with_name("copy.db"))
        assert log.read_bytes() == before
        kept.replace(rim.path)
        await rim.start()
        assert {str(each.id) for each in sent} <= requests(rim.path)
        await rim.stop()
