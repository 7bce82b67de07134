"""A journal that has become long, as people meet it: what is too old, what is told meanwhile, what
is done unasked.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from bot.storage.upkeep import UndoRetention
from tests.discord.world import HOUR, World, message_of, private, refusal_of, texts
from tests.storage.stores import tidy_all


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes a thousand entries takes ten."""
    monkeypatch.setattr("bot.storage.upkeep.SNAPSHOT_EACH", 10)
    monkeypatch.setattr("bot.storage.upkeep._TRIM_BATCH", 2)


def rows(world: World, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(world.path)) as connection:
        return connection.execute(sql).fetchall()


async def test_what_is_too_old_to_undo_names_the_first_that_is_not(world: World) -> None:
    await world.table()
    for number in range(8):
        await world.gina.slash(world.zone, "gm settings", step_in_minutes=number)
    await tidy_all(world.bot.tables.store, UndoRetention(10**11, entries=4))
    first = await world.bot.tables.store.kept_from(1)
    told = refusal_of(await world.gina.slash(world.zone, "gm undo", entry=3))
    assert (
        f"You can't undo #3: it's too old. You can undo #{first} and whatever came later." in told
    )
    done = await world.gina.slash(world.zone, "gm undo", entry=first, dependents=True)
    assert "Undone" in private(done)


async def test_whoever_runs_the_bot_says_how_far_undo_reaches(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    kept: list[tuple[int, int]] = []

    def noted(now: int, days: int, entries: int) -> UndoRetention:
        kept.append((days, entries))
        return UndoRetention(now, days, entries)

    monkeypatch.setattr("bot.upkeep.UndoRetention", noted)
    monkeypatch.setenv("STORYGUIDE_UNDO_DAYS", "7")
    monkeypatch.setenv("STORYGUIDE_UNDO_ENTRIES", "250")
    await world.restart()
    await world.env.advance_time(2 * HOUR)
    assert {*kept} == {(7, 250)}


async def test_more_than_can_be_undone_at_once_is_refused(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    monkeypatch.setattr("bot.services.undo.MAX_LATER_ENTRIES", 3)
    revision = await world.revision()
    for number in range(5):
        await world.gina.slash(world.zone, "gm settings", step_in_minutes=number)
    told = refusal_of(await world.gina.slash(world.zone, "gm undo", entry=revision + 1))
    assert "more than 3 later entries touched what it changed" in told


async def test_a_roll_is_verified_from_the_snapshot_before_it_and_one_at_a_time(
    world: World,
) -> None:
    await world.table()
    for _ in range(12):
        await world.ana.slash(world.zone, "roll", dice="1d6")
    await tidy_all(world.bot.tables.store)
    assert rows(world, "SELECT COUNT(*) FROM snapshot") == [(1,)]
    await world.ana.slash(world.zone, "roll", dice="1d20")
    rolled = world.messages()[-1]
    await world.gina.slash(world.zone, "table fair rotate")
    assert "Verified" in private(
        await world.ana.context_menu(world.zone, "Verify this roll", rolled)
    )
    with closing(sqlite3.connect(world.path)) as connection, connection:
        # Nothing from before the snapshot is looked at.
        connection.execute("UPDATE journal SET rules_version = 99 WHERE seq < 10")
    assert "Verified" in private(
        await world.ana.context_menu(world.zone, "Verify this roll", rolled)
    )
    with world.bot.aside._turn(world.ana.id):  # as if the first were still under way
        again = await world.ana.context_menu(world.zone, "Verify this roll", rolled)
    assert "still being worked out" in texts(message_of(again))


async def test_what_was_deleted_is_scrubbed_by_the_next_start(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    await world.ana.slash(world.zone, "roll", dice="1d6", reason="over the roof")
    with monkeypatch.context() as patch:
        patch.setattr("bot.upkeep.Upkeep._begin", lambda upkeep: None)
        asked = message_of(await world.ana.slash(world.zone, "privacy delete"))
        private(await world.press(world.ana, asked, "Delete my data"))
        assert "over the roof" in str(rows(world, "SELECT action FROM journal"))
        exported = await world.gina.slash(world.zone, "gm export", what="full", journal=True)
        (file,) = message_of(exported).attachments
        assert b"over the roof" not in await file.read()
        log = private(await world.gina.slash(world.zone, "gm log"))
        assert "over the roof" not in log
    await world.restart()
    await world.env.advance_time(HOUR)
    assert "over the roof" not in str(rows(world, "SELECT action, events FROM journal"))
    assert rows(world, "SELECT * FROM scrub") == []
