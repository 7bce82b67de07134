"""Random legal play through `perform` on a real file: invariants, replay, restart, and what players get to see."""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.services.replay import replay
from bot.storage import codec
from tests.builders import make_house, make_session
from tests.profiles import examples
from tests.property.walk import CANARY, Walk
from tests.together import playing_together

#: Hypothesis keeps time itself otherwise, and files take theirs.


def walking(
    work: Callable[[Walk], Awaitable[None]],
    chance: random.Random,
    *,
    secret: bool = False,
    kinds: tuple[str, ...] = (),
) -> None:
    """Run `work` at a new table on a file of its own."""

    async def run(folder: Path) -> None:
        async with make_house(folder) as house:
            options: dict[str, Any] = {"live": True} if chance.random() < 0.3 else {}
            await work(Walk(await make_session(house, **options), chance, secret=secret, kinds=kinds))

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))


async def _whole(walk: Walk, steps: int) -> None:
    for _ in range(steps):
        await walk.step()
    session = walk.session
    state = await session.state()
    assert await replay(session.tables.store, session.table_id) == state
    await session.restart()
    assert await session.state() == state
    assert list((await session.state()).challenges) == list(state.challenges)


@given(st.randoms(use_true_random=False), st.integers(1, 50))
@examples(25)
def test_short_games(chance: random.Random, steps: int) -> None:
    walking(lambda walk: _whole(walk, steps), chance)


@pytest.mark.parametrize("seed", range(3))
def test_long_games(seed: int) -> None:
    """Long enough for checks to be forgotten and undone across that."""
    walking(lambda walk: _whole(walk, 800), random.Random(seed))


def test_a_long_game_of_teams_and_contests(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(walk: Walk) -> None:
        await _whole(walk, 900)
        assert [text for text in walk.told_to_players() if CANARY.search(text)] == []
        seen = [c for done in walk.done for c in done.state.challenges.values()]
        assert any(c.helpers and c.rolled for c in seen)
        assert any(c.kind == "contest" and c.rolled for c in seen)

    with playing_together(monkeypatch):
        kinds = (*["team"] * 4, *["contest"] * 4)
        walking(work, random.Random("together 1"), secret=True, kinds=kinds)


@pytest.mark.parametrize("seed", range(4))
def test_no_player_ever_sees_a_hidden_difficulty(seed: int) -> None:
    async def work(walk: Walk) -> None:
        for _ in range(400):
            await walk.step()
        told = walk.told_to_players()
        assert len(told) > 100
        assert [text for text in told if CANARY.search(text)] == []
        hidden = [c for done in walk.done for c in done.state.challenges.values() if c.hidden and c.rolled]
        assert hidden, "nothing hidden was rolled"
        assert any(CANARY.search(str(event)) for done in walk.done for event in done.events)
        _check_outbox(walk.session.house.path)

    walking(work, random.Random(f"secret {seed}"), secret=True)


def _check_outbox(path: Path) -> None:
    """The same, read from the rows in the file as the messages are made of them."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(
            "SELECT outbox.public, outbox.person, outbox.events, journal.events FROM outbox"
            " JOIN journal ON journal.id = outbox.journal_id WHERE outbox.kind <> 'mark'"
        ).fetchall()
    shown = 0
    for public, person, indexes, events in rows:
        if public or person in ("p2", "p3"):
            happened = codec.read_events(events)
            for index in json.loads(indexes):
                shown += 1
                assert not CANARY.search(str(happened[index]))
    assert shown > 100
