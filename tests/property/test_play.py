"""Random legal play through `perform` on a real file: invariants, replay, restart, and what players
get to see.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import sqlite3
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.services.outbox_plan import event_place, is_visible_to
from bot.services.readers import PlaceAccess
from bot.services.replay import replay
from bot.storage import codec
from rules.core.record import Record
from rules.registry import read_only_game
from rules.table.actions import Actor
from rules.table.checks.access import cast_of, may_see_check
from rules.table.events import CheckChanged
from rules.table.permissions import is_gm
from rules.table.whispers import closed_places
from tests.example_counts import examples
from tests.property.random_play import EVERYBODY, VAULT, Walk
from tests.property.systems import ALL, PLAYED, Grounds, open_table, playing
from tests.sample_table import make_house
from tests.storage.stores import tidy_all

#: Steps between two looks at whether anything is missing still.
_STRETCH = 500

everywhere = pytest.mark.parametrize("grounds", ALL, ids=lambda each: each.name)


def walking(
    grounds: Grounds,
    work: Callable[[Walk], Awaitable[None]],
    chance: random.Random,
    *,
    secret: bool = False,
) -> None:
    """Run `work` at a new table on a file of its own."""

    async def run(folder: Path) -> None:
        async with make_house(folder) as house:
            options: dict[str, Any] = {"live": True} if chance.random() < 0.3 else {}
            await work(
                Walk(await open_table(grounds, house, **options), grounds, chance, secret=secret)
            )

    with playing(grounds), tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))


async def _whole(walk: Walk, steps: int) -> None:
    """Snapshots are kept on the way; what the journal makes of each is the same."""
    session, each = walk.session, max(5, steps // 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bot.storage.upkeep.SNAPSHOT_EACH", each)
        for done in range(0, steps, each):
            await walk.steps(min(each, steps - done))
            await tidy_all(session.tables.store)
    state = await session.state()
    assert await replay(session.tables.store, session.table_id) == state
    for _, seq, _ in session.house.rows("snapshot")["snapshot"]:
        assert await replay(session.tables.store, session.table_id, seq + 1) == state, seq
    await _check_places(walk)
    await session.restart()
    assert await session.state() == state
    assert list((await session.state()).checks) == list(state.checks)


class _Views(Record):
    """What Discord tells of the vault; all else can be viewed."""

    vault: PlaceAccess

    async def access(self, place: str) -> PlaceAccess:
        return self.vault if place == VAULT else "open"


async def _check_places(walk: Walk) -> None:
    """Who cannot view the vault is shown of what was told there what is theirs, and of all else
    what everybody is who can.
    """
    session, state = walk.session, await walk.session.state()
    rows = await session.tables.store.page(session.table_id, 0)
    for who in (*EVERYBODY, Actor("p9")):
        whole, part = [
            await session.reader(who, views=_Views(access), at=walk.now)
            for access in ("open", "unknown")
        ]
        for reader in (whole, part):
            await reader.learn_table()
        mine = [each for each in state.characters.values() if each.owner == who.id]
        # A whisper scene closes its place to all but its cast, also what was told there before.
        closed = closed_places(state, who.id, walk.now)
        for row in rows:
            events = codec.read_events(row.events)
            visible = [each for each in events if is_visible_to(each, state, who)]
            seen = await whole.shown_events(row, events)
            if is_gm(state, who) or not any(
                event_place(each, row.place) in closed for each in visible
            ):
                assert [*seen] == visible
            shown = await part.shown_events(row, events)
            for event in visible:
                place = event_place(event, row.place)
                if place in closed and event not in seen:
                    assert event not in shown
                    continue
                if event in shown:
                    continue
                assert place == VAULT and not is_gm(state, who)
                assert who.id not in (row.actor, *event.audience.people, *event.ping)
                # Whose character it was then no longer counts; whose it is now does, unless it was
                # taken over since.
                if isinstance(event, CheckChanged) and event.check not in state.checks:
                    kept = {each.id for each in mine if each.private_since <= row.at}
                    assert kept.isdisjoint(event.characters)
        for check in state.checks.values():
            if may_see_check(whole.game, check, who) != may_see_check(part.game, check, who):
                assert check.place == VAULT and check.by != who.id and not is_gm(state, who)
                assert {each.id for each in mine}.isdisjoint(cast_of(whole.game, check))


#: Chance of a roll, as an exact fraction.
_SHARE: Final = re.compile(r"'share': '[^']*'")


@everywhere
@given(chance=st.randoms(use_true_random=False), steps=st.integers(1, 50))
@examples(10)
def test_short_games(grounds: Grounds, chance: random.Random, steps: int) -> None:
    walking(grounds, lambda walk: _whole(walk, steps), chance)


@everywhere
def test_a_long_game(grounds: Grounds) -> None:
    """Long enough for checks to be forgotten and undone across that."""
    walking(grounds, lambda walk: _whole(walk, 800), random.Random(grounds.name))


@pytest.mark.slow
@pytest.mark.parametrize("grounds", PLAYED, ids=lambda each: each.name)
def test_no_player_ever_sees_a_hidden_number(grounds: Grounds) -> None:
    """What comes when is chance: tables are opened until something of everything has been there."""
    missing: set[str] | None = None
    for table in range(12):

        async def work(walk: Walk, first: bool = not table) -> None:
            nonlocal missing
            # The more there is to do, the longer it takes until all of it has been done.
            steps = 1000 if len(grounds.rare) < 6 and grounds.name != "ego" else 1500
            if first:
                await _whole(walk, steps)
            else:
                await _until_found(walk, steps, missing or set())
            # The fraction of a chance may hold any number.
            told = [_SHARE.sub("", text) for text in walk.told_to_players()]
            assert len(told) > 100
            assert [text for text in told if grounds.canary.search(text)] == []
            _check_outbox(walk.session.house.path, grounds)
            missing = _missing(walk) if missing is None else missing & _missing(walk)

        walking(grounds, work, random.Random(f"covert {table} {grounds.name}"), secret=True)
        if not missing:
            break
    assert missing == set()


async def _until_found(walk: Walk, steps: int, missing: set[str]) -> None:
    """Walk on until nothing is missing any more, for so many steps at most."""
    for _ in range(0, steps, _STRETCH):
        await walk.steps(_STRETCH)
        if not missing & _missing(walk):
            return


def _missing(walk: Walk) -> set[str]:
    """What has not happened yet: kinds of checks, dice for them, something hidden, each way to be
    answered for.
    """
    procedures = read_only_game(walk.done[0].state).system.procedures
    checks = [each for done in walk.done for each in done.state.checks.values()]
    thrown = {each.kind for each in checks if procedures[each.kind].dice_have_fallen(each.data)}
    usual = {*procedures} - walk.grounds.rare
    missing = usual - {each.kind for each in checks}
    diceless = {"rest", "learn", "advance", "subplot", "replenish", "award", "fiat"}
    missing |= {f"dice of {kind}" for kind in usual - diceless - thrown}
    if not any(
        each.hidden and procedures[each.kind].dice_have_fallen(each.data) for each in checks
    ):
        missing.add("hidden dice")
    events = [each for done in walk.done for each in done.events]
    if not any(walk.grounds.canary.search(str(event)) for event in events):
        missing.add("a hidden number")
    hows = {took.how for event in events if isinstance(event, CheckChanged) for took in event.took}
    return (
        missing if walk.grounds.key == "barmore" else missing | ({"self", "clock", "order"} - hows)
    )


def _check_outbox(path: Path, grounds: Grounds) -> None:
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
                assert not grounds.canary.search(_SHARE.sub("", str(happened[index])))
    assert shown > 100
