"""Previews of `/gm amend` never show dice that nobody has seen, in any game.

The other values need dice that have not fallen. A preview draws none of them, so it can't tell what
would fall; they fall when the amendment is carried out.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from tests.discord import barmore
from tests.discord.amend_steps import carry_out, entry_of, preview, undo_exactly
from tests.discord.ego import table as ego
from tests.discord.masterbook import table as masterbook
from tests.discord.world import World, labels, message_of, texts

#: Plays a check; returns other values for it, a face that falls for them, and how it is shown.
Play = Callable[[World], Awaitable[tuple[str, int, str]]]


async def _ebb(world: World) -> tuple[str, int, str]:
    await world.table(step_in_minutes=0)
    await world.propose(world.ana, skill="Running", attribute="Fitness")
    await world.rule(level="Legendary")
    world.dice.lay(4, 3)
    await world.press(world.ana, world.card(), "Roll")
    return "skill: Climbing", 7, "d10 (4) + d8 (7)"


async def _barmore(world: World) -> tuple[str, int, str]:
    await barmore.bar_table(world, step_in_minutes=0)
    await world.ana.slash(world.zone, "check", skill="Boats", approach="so")
    await barmore.rule(world, "90")
    world.dice.lay(1, 1, 1, 1)
    await barmore.roll(world)
    return "skill: Rapier", 7, "5d8 (1, 1, 1, 1, 7)"


async def _ego(world: World) -> tuple[str, int, str]:
    await ego.open_table(world)
    given = {"skill": "Hand-to-hand Combat", "difficulty": "Easy", "approach": "so"}
    world.dice.lay(*ego.misses(6))
    await world.ana.slash(world.zone, "check", **given)
    return "skill: Acrobatics", 6, "(1, 1, 1, 1, 1, 1, **6**)"


async def _masterbook(world: World) -> tuple[str, int, str]:
    await masterbook.open_table(world)
    given = {"skill": "Acrobatics", "difficulty": "Hard", "approach": "so"}
    world.dice.lay(10, 3)
    await world.ana.slash(world.zone, "check", **given)
    return "skill: Stealth", 7, "3d10 (**10**, 3, 7)"


@pytest.mark.parametrize("play", [_ebb, _barmore, _ego, _masterbook])
async def test_a_preview_draws_no_dice(world: World, play: Play) -> None:
    change, face, shown_as = await play(world)
    assert world.dice.left == 0
    before, entry = await world.state(), await entry_of(world, "Begin")
    await world.ben.slash(world.zone, "roll", dice="1d6")
    later = await world.revision()
    world.dice.lay(face)
    panel = await preview(world, entry, change)
    shown = texts(panel)
    assert "1 die that nobody has seen" in shown
    assert "What follows is open until you confirm." in shown
    assert "it was:" not in shown and f"#{later}" not in shown, "nothing is told of what follows"
    panel = await preview(world, entry, change)
    assert texts(panel) == shown and world.dice.left == 1, "nothing was drawn"
    told = await carry_out(world, panel)
    assert world.dice.left == 0 and shown_as in texts(world.card()), texts(world.card())
    assert "New dice were rolled" in told and f"#{later}" not in told
    await undo_exactly(world, before)


async def test_a_later_roll_of_new_dice_can_be_left_out(world: World) -> None:
    change, _, _ = await _ebb(world)
    entry, roll = await entry_of(world, "Begin"), await entry_of(world, "Choose")
    panel = await preview(world, entry, change)
    assert f"#{roll} needs 1 die that nobody has seen: Marek's roll." in texts(panel)
    assert "Let them fall, or leave it out." in texts(panel)
    await world.restart()
    panel = message_of(await world.press(world.gina, panel, f"Leave out #{roll}"))
    assert "nobody has seen" not in texts(panel) and "Left out" in texts(panel)
    again = message_of(await world.press(world.gina, panel, f"Keep #{roll}"))
    assert f"#{roll} needs 1 die" in texts(again)
    panel = message_of(await world.press(world.gina, again, f"Leave out #{roll}"))
    before = await world.state()
    told = await carry_out(world, panel)
    assert "New dice" not in told and "Roll" in labels(world.card())
    assert "Climbing" in texts(world.card())
    await undo_exactly(world, before)
