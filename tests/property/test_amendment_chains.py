"""Chains of amendments in random play, with undos and restarts around them, and their replays."""

from __future__ import annotations

import random
import time
from typing import Final

import pytest

from bot.services.amend_requests import preview
from bot.services.amendment import Amendment, rerun
from bot.services.replay import replay
from bot.storage import codec
from rules.core.errors import Impossible, NotFound, NotPermitted, RulesError
from rules.table.actions import Amend, Undo
from rules.table.amendments.limits import is_amendable_kind
from rules.table.state import TableState
from tests.example_counts import nightly
from tests.property.random_play import Walk
from tests.property.systems import PLAYED, Grounds
from tests.property.test_amendments import AmendingWalk
from tests.property.test_play import walking
from tests.replayed_entries import replay_entries

#: Seconds in which a system's games are played. The first game is played to its end.
SECONDS: Final = 60.0 if nightly() else 4.0
#: Most games for a system, and least amendments among them.
GAMES, AMENDED = (200, 20) if nightly() else (12, 2)


class ChainWalk(AmendingWalk):
    """A walk on which amendments follow one another, with undos and restarts around them."""

    again = 0
    undone_around = 0

    async def same(self) -> None:
        """Nothing changed at a random entry: every part and event is the same text as before."""
        session = self.session
        table = await session.tables.get(session.table_id)
        number = self.chance.choice(await self._past(80))
        entries = await replay_entries(session.tables.store, session.table_id, number)
        entry = next(entry for entry in entries if entry.seq == number)
        if not is_amendable_kind(type(entry.action).__name__):
            return
        action = Amend(**self._by(self._gm(table.state) or entry.action.who), entry=number)
        found = rerun(entries, action, table.seeds, None)
        assert found.state is not None and _texts(found.state) == _texts(table.state)
        for redone in found.entries:
            assert codec.events_text(redone.was) == codec.events_text(redone.now)

    async def amend_at(self, number: int) -> Amendment | None:
        """Undo an entry alone, if that is possible; return what came of it."""
        state, session = await self.session.state(), self.session
        who = self._gm(state)
        if who is None or number < 2:
            return None
        table = await session.tables.get(session.table_id)
        action = Amend(**self._by(who), entry=number, undo=True)
        try:
            _, found = await preview(session.tables, table, action)
        except RulesError:
            assert await session.state() is state, "a refused preview changes nothing"
            return None
        count = len(self.done)
        await self._do(action.replace(preview=found.digest(action)), Impossible)
        if len(self.done) == count:
            return None
        after = await session.state()
        if found.state is not None:
            # What was previewed is what has come, but for ids and times of what is asked anew.
            assert dict(after.parts()).keys() == dict(found.state.parts()).keys()
        await self.check(state, self.done[count:])
        return found

    async def chain(self) -> None:
        """Amend an entry, then one before it and one after it, with a restart in between."""
        past = await self._past(40)
        middle = self.chance.choice(past)
        if await self.amend_at(middle) is None:
            return
        type(self).amended += 1
        if self.chance.random() < 0.5:
            await self.session.restart()
        earlier = [number for number in past if number < middle]
        later = [number for number in past if number > middle]
        for numbers in (earlier, later):
            if numbers and await self.amend_at(self.chance.choice(numbers)) is not None:
                type(self).again += 1

    async def undo_around(self) -> None:
        """Undo an entry somewhere near the amendments, with all that builds on it."""
        state = await self.session.state()
        who = self._gm(state)
        if who is None:
            return
        count = len(self.done)
        number = self.chance.choice(await self._past(30))
        undo = Undo(**self._by(who), entry=number, all_dependents=True)
        await self._do(undo, Impossible, NotFound, NotPermitted)
        if len(self.done) > count:
            type(self).undone_around += 1
            await self.check(state, self.done[count:])


def _texts(state: TableState) -> dict[str, str]:
    return {key: codec.part_text(part) for key, part in state.parts()}


@pytest.mark.slow
@pytest.mark.parametrize("grounds", PLAYED, ids=lambda each: each.name)
def test_chains_of_amendments_replay(grounds: Grounds) -> None:
    ChainWalk.amended = ChainWalk.again = ChainWalk.undone_around = 0

    async def work(walk: Walk) -> None:
        chain = ChainWalk(walk.session, walk.grounds, walk.chance)
        session = chain.session
        state = await session.state()
        for _ in range(3):
            await chain.steps(12)
            await chain.same()
            await chain.chain()
            await chain.undo_around()
            state = await session.state()
            assert await replay(session.tables.store, session.table_id) == state
        await session.restart()
        assert _texts(await session.state()) == _texts(state)

    end = time.monotonic() + SECONDS
    for number in range(GAMES):
        if time.monotonic() > end and ChainWalk.amended >= AMENDED and ChainWalk.again:
            break
        walking(grounds, work, random.Random(f"chain {grounds.name}{number}"))
    assert ChainWalk.amended >= 1
    assert ChainWalk.again and ChainWalk.undone_around
