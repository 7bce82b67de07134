"""Random legal play with turns in any order: the order, the block and its clock stay sound."""

from __future__ import annotations

import asyncio
import random
import tempfile
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from bot.services.replay import replay
from rules.core.errors import RulesError
from rules.table.actions import (
    Action,
    AddToEncounter,
    DelayTurn,
    NextTurn,
    OrderEncounter,
    StartEncounter,
)
from rules.table.initiative import (
    block_of,
    encounter_in,
    is_hidden,
    is_players,
    slot_name,
    slot_on_turn,
    slot_seat,
)
from rules.table.state import TableState
from rules.table.turns.board import board_view
from rules.table.turns.turn_clock import waits_of_turn
from tests.example_counts import nightly
from tests.property.random_play import Walk
from tests.property.systems import EBB, EGO, TINY, Grounds, open_table, playing
from tests.sample_table import ANN, BEN, GM, PLACE, by, make_house

pytestmark = pytest.mark.slow

#: Seeds of each system, and the steps of each play.
SEEDS, STEPS = (20, 400) if nightly() else (2, 150)


def check_blocks(state: TableState) -> int:
    """Check all encounters of a table, and return the length of the longest block."""
    longest = 0
    for place in state.encounters:
        encounter = encounter_in(state, place)
        assert encounter is not None
        seats = [slot_seat(slot) for slot in encounter.order]
        assert len(set(seats)) == len(seats), "nobody stands there twice"
        block, on_turn = block_of(state, encounter), slot_on_turn(encounter)
        longest = max(longest, len(block))
        assert (on_turn in block) == (on_turn is not None)
        assert on_turn is None or not on_turn.ending, "that is in `ended`"
        for slot in block if len(block) > 1 else ():
            assert is_players(state, slot) and not is_hidden(state, slot) and not slot.delayed
        for slot in encounter.order:
            assert not (slot.ending and slot.delayed)
        shown = board_view(state, place)
        assert shown is not None
        acting = {line.name for line in shown.lines if line.acts}
        assert acting == {name for name in map(partial(slot_name, state), block) if name}
        waits = [wait.id for wait in waits_of_turn(state, place)]
        assert len(set(waits)) == len(waits)
    return longest


async def press(walk: Walk, chance: random.Random) -> None:
    """Somebody does something about the turn; it may be refused."""
    state = await walk.session.state()
    names = [*(each.name for each in state.characters.values()), None, None, None]
    who = chance.choice((GM, ANN, BEN))
    origin = by(who, at=walk.now)
    action: Action
    if PLACE not in state.encounters:
        action = StartEncounter(**by(GM, at=walk.now))
    elif not state.encounters[PLACE].round:
        joins = AddToEncounter(**by(GM, at=walk.now), party=True)
        action = chance.choice((joins, NextTurn(**by(GM, at=walk.now))))
    else:
        action = chance.choice(
            (
                NextTurn(**origin, as_=chance.choice(names)),
                NextTurn(**origin),
                DelayTurn(**origin),
                DelayTurn(**origin, back=True),
                AddToEncounter(**by(GM, at=walk.now), name=str(chance.choice(names))),
                OrderEncounter(**by(GM, at=walk.now), order=(str(chance.choice(names)),)),
            )
        )
    with suppress(RulesError):
        await walk.session.do(action)


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("grounds", (EBB, EGO, TINY), ids=lambda each: each.name)
def test_blocks_stay_sound_in_random_play(grounds: Grounds, seed: int) -> None:
    async def run(folder: Path) -> None:
        async with make_house(folder) as house:
            session = await open_table(grounds, house, block_turns=True)
            walk = Walk(session, grounds, random.Random(f"blocks of {grounds.name} {seed}"))
            longest = 0
            for step in range(4 * STEPS):
                if step >= STEPS and longest > 1:
                    break
                await walk.step()
                await press(walk, walk.chance)
                longest = max(longest, check_blocks(await session.state()))
            state = await session.state()
            assert await replay(session.tables.store, session.table_id) == state
            await session.restart()
            assert await session.state() == state
            assert longest > 1, "there was a block"

    with playing(grounds), tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))
