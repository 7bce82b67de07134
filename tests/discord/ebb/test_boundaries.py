"""Task rolls at the exact edges of every degree, against thresholds that are no level, taken back
and forth.
"""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from tests.discord.world import World, labels, message_of, texts

#: What Marek's Fitness and his die in Climbing allow.
FITNESS = 1


def _but_entry(told: str) -> str:
    """The card without the number of its entry: the journal goes on after an undo."""
    return re.sub(r" · #\d+", "", told)


def _read(main: list[int], die: int, threshold: int) -> tuple[str, str]:
    """EBB-ROLL, EBB-CRIT, EBB-FAIL: how the card's head begins, and the total."""
    total = sum(main) + die + FITNESS
    if main[0] == 1:
        return ("✗ Fumble" if die == 1 else "✗ Automatic failure"), str(total)
    if total >= threshold:
        return "✓ Success", str(total)
    return ("✗ Near miss" if total >= threshold - 3 else "✗ Clear failure"), str(total)


@pytest.mark.rule("EBB-ROLL")
@pytest.mark.rule("EBB-CRIT")
@pytest.mark.rule("EBB-FAIL")
@pytest.mark.parametrize("seed", range(2))
async def test_every_edge_of_a_task_roll(world: World, seed: int) -> None:
    chance = random.Random(seed)
    await world.table()
    for _ in range(6):
        main = [10] * chance.choice((0, 0, 0, 1, 2)) + [chance.choice((1, 1, 2, 5, 8, 9))]
        die = chance.choice((1, 1, 2, 6))
        total = sum(main) + die + FITNESS
        threshold = max(4, total + chance.choice((-6, -4, -3, -2, 0, 1, 3, 4)))
        message = await world.rolled(*main, die, number=str(threshold))
        head, number = _read(main, die, threshold)
        extra = (total - threshold) // 3
        told = texts(message)
        drawn = (main, die, threshold, told)
        assert told.startswith(f"## {head}"), drawn
        assert f"**{number}**" in told, drawn
        if head == "✓ Success":
            assert ("extra result" in told.split("\n")[0]) == (extra > 0), drawn
            assert not extra or f"{extra} extra result" in told, drawn
        await world.gina.slash(world.zone, "gm undo")
        assert "Roll" in labels(world.card()), drawn
        world.dice.lay(*main, die)
        await world.press(world.ana, world.newest("Roll"), "Roll")
        assert _but_entry(texts(world.card())) == _but_entry(told), drawn
        await world.spend(world.card(), "Accept result")


def _opposed(mine: tuple[int, int], theirs: tuple[int, int]) -> str:
    """EBB-OPPOSED: who gets it; each side is its main die and its ability die, both with
    Fitness 1.
    """
    if mine[0] == 1:
        return "✗ Fumble" if mine[1] == 1 else "✗ Automatic failure"
    return "✓ Marek wins" if theirs[0] == 1 or sum(mine) >= sum(theirs) else "✗ Ilka wins"


async def _met(world: World) -> Any:
    """Ben's panel for his side, filled in."""
    panel = message_of(await world.press(world.ben, world.newest("Respond"), "Respond"))
    await world.choose(world.ben, panel, "Skill", "Climbing")
    await world.choose(world.ben, panel, "Attribute", "Fitness")
    modal = await world.press(world.ben, panel, "Approach…")
    await world.ben.submit_modal(modal, {"approach": "through the wood"})
    return panel


@pytest.mark.rule("EBB-OPPOSED")
@pytest.mark.parametrize("seed", range(4))
async def test_every_edge_of_a_contest(world: World, seed: int) -> None:
    chance = random.Random(seed)
    mine = chance.choice((1, 2, 5, 8)), chance.choice((1, 3, 6))
    main = chance.choice((1, 2, 9, max(1, min(9, mine[0] + chance.choice((-1, 0, 1))))))
    theirs = main, max(1, min(8, sum(mine) - main + chance.choice((-1, 0, 1))))
    await world.table(step_in_minutes=0)
    given = {
        "target": "Ilka",
        "skill": "Running",
        "attribute": "Fitness",
        "approach": "down the slope",
    }
    await world.ana.slash(world.zone, "contest", **given)
    await world.rule(level=None)
    panel = await _met(world)
    told = []
    for _ in range(2):
        # The last side answers, and all dice fall.
        world.dice.lay(*mine, *theirs)
        await world.press(world.ben, panel, "Respond")
        assert world.dice.left == 0
        told.append(texts(world.card()))
        assert told[-1].startswith(f"## {_opposed(mine, theirs)}"), (mine, theirs, told)
        assert ("neither gets what it wanted" in told[-1]) == (mine[0] == theirs[0] == 1), (
            mine,
            theirs,
            told,
        )
        if len(told) == 1:
            await world.gina.slash(world.zone, "gm undo")
            panel = await _met(world)
    assert _but_entry(told[0]) == _but_entry(told[1])
