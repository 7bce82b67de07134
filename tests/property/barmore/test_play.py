"""Random legal play of Barmore's dice pool on a real file: invariants, undo, replay, and what players get to see."""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.services.history import journal
from bot.services.replay import replay
from bot.services.transfer import as_file, for_import, full_export, players_export
from rules.registry import look
from rules.table.actions import ImportTable
from rules.table.state import Settings, TableState
from rules.table.transfer import import_table
from tests.builders import GM, by, make_house
from tests.profiles import examples
from tests.property.barmore.walk import BARMORE_CANARY, BarmoreWalk, open_table


def walking(work: Callable[[BarmoreWalk], Awaitable[None]], chance: random.Random) -> None:
    """Run `work` at a new table on a file of its own."""

    async def run(folder: Path) -> None:
        async with make_house(folder) as house:
            options: dict[str, Any] = {"live": True} if chance.random() < 0.3 else {}
            await work(BarmoreWalk(await open_table(house, **options), chance, secret=True))

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))


async def _whole(walk: BarmoreWalk, steps: int) -> None:
    for _ in range(steps):
        await walk.step()
    session = walk.session
    state = await session.state()
    assert await replay(session.tables.store, session.table_id) == state
    await session.restart()
    assert await session.state() == state


@given(st.randoms(use_true_random=False), st.integers(1, 50))
@examples(15)
def test_short_games(chance: random.Random, steps: int) -> None:
    walking(lambda walk: _whole(walk, steps), chance)


@pytest.mark.parametrize("seed", range(3))
def test_long_games_hide_what_is_hidden_and_go_out_and_come_in(seed: int) -> None:
    async def work(walk: BarmoreWalk) -> None:
        await _whole(walk, 600)
        told = walk.told_to_players()
        assert len(told) > 100
        assert [text for text in told if BARMORE_CANARY.search(text)] == []
        happened = {type(event).__name__ for done in walk.done for event in done.events}
        assert {"TaskChanged", "ChallengeChanged", "BoardChanged", "TimePassed"} <= happened
        seen = [c for done in walk.done for c in done.state.challenges.values() if c.rolled]
        assert any(challenge.rolled is not None and challenge.rolled.other for challenge in seen)
        assert any(challenge.hidden for challenge in seen)
        await _exports(walk)

    walking(work, random.Random(f"barmore {seed}"))


async def _exports(walk: BarmoreWalk) -> None:
    """A table written out fills an empty one with its people and its campaign; players' files hold nothing hidden."""
    session = walk.session
    table = await session.tables.get(session.table_id)
    rows = [row for row, _ in await journal(session.tables, table.id, 0)]
    players = as_file(players_export(table, rows)).decode()
    assert not BARMORE_CANARY.search(players)
    data, _ = for_import(json.loads(as_file(full_export(table, GM, rows))))
    empty = TableState(Settings("Empty", "barmore", ("p1",)))
    action = ImportTable(**by(GM), data=data, owners={})
    made = import_table(empty, action, None, look(empty)).state  # pyright: ignore[reportArgumentType]
    assert made.campaign == table.state.campaign
    for old, new in zip(table.state.characters.values(), made.characters.values(), strict=True):
        assert (old.name, old.sheet, old.stage) == (new.name, new.sheet, new.stage)
