"""A backup is restored: no seed that players may know stays in use, and no old button acts on
another check.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from bot.ops.backup import back_up, restore_database
from bot.storage.high_water_mark import highest_entry, raise_mark
from tests.discord.world import World, make_bot, message_of, private, refusal_of, texts


async def brought_back(world: World, copy: Path) -> None:
    """The bot ends, the copy is restored, and another bot starts on it."""
    await world.bot.close()
    restore_database(world.path, copy)
    await world.env.restart_bot(make_bot(world.path))
    await world.env.settle()


def seeds(world: World) -> dict[str, tuple[bytes, int | None, int | None]]:
    """The newest seed of each stream: itself, when it was revealed, at which entry its use
    ended.
    """
    with closing(sqlite3.connect(world.path)) as connection:
        rows = connection.execute(
            "SELECT stream, seed, revealed_at, ended_seq FROM seed ORDER BY id"
        )
        return {stream: (seed, at, seq) for stream, seed, at, seq in rows}


async def test_what_players_learned_after_the_copy_helps_nobody(
    world: World, tmp_path: Path
) -> None:
    await world.table()
    await world.rolled(4, 3)
    copy = tmp_path / "copy.db"
    back_up(world.path, copy)
    before = seeds(world)
    await world.gina.slash(world.zone, "table fair rotate")
    warning = await world.gina.slash(world.zone, "table fair rotate", rolls="secret")
    await world.press(world.gina, message_of(warning), "Reveal it")
    await world.propose(skill="Climbing", attribute="Fitness")
    old = world.newest("Answer")
    await brought_back(world, copy)

    now = seeds(world)
    assert now.keys() == before.keys() and all(now[key][0] != before[key][0] for key in now)
    assert all(at is None and seq is None for _, at, seq in now.values())
    assert any("backup" in texts(message) for message in world.messages())
    # The seed of secret rolls is retired, not told: what was rolled blind stays so.
    shown = private(await world.ana.slash(world.zone, "table fair show"))
    assert before["public"][0].hex() in shown
    assert before["secret"][0].hex() not in shown and before["shuffle"][0].hex() not in shown

    # The check that is gone and the next one have the same number: the old button acts on neither.
    await world.propose(skill="Climbing", attribute="Fitness")
    assert "backup" in refusal_of(await world.press(world.gina, old, "Answer"))
    await world.press(world.gina, world.newest("Answer"), "Answer")


async def test_a_restart_says_it_once(world: World, tmp_path: Path) -> None:
    await world.table()
    copy = tmp_path / "copy.db"
    back_up(world.path, copy)
    await brought_back(world, copy)
    told = [texts(message) for message in world.messages()]
    after = seeds(world)
    await world.restart()
    assert [texts(message) for message in world.messages()] == told and seeds(world) == after
    await brought_back(world, copy)
    assert seeds(world) != after


async def test_an_older_copy_put_in_place_by_hand_is_a_restore_once(
    world: World, tmp_path: Path
) -> None:
    await world.table()
    await world.rolled(4, 3)
    copy = tmp_path / "copy.db"
    back_up(world.path, copy)
    before = seeds(world)
    await world.rolled(4, 3)
    await world.bot.close()
    with closing(sqlite3.connect(world.path)) as connection:
        raise_mark(world.path, highest_entry(connection))
    shutil.copy(copy, world.path)
    await world.env.restart_bot(make_bot(world.path))
    await world.env.settle()
    now = seeds(world)
    assert all(now[key][0] != before[key][0] for key in now)
    assert any("backup" in texts(message) for message in world.messages())
    await world.restart()
    assert seeds(world) == now
