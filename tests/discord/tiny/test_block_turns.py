"""Turns in any order in the smallest system, with checks that hold the end of a turn."""

from __future__ import annotations

import pytest

from tests.discord.test_initiative import board
from tests.discord.tiny.play import open_table, propose
from tests.discord.world import World, head, message_of, private, texts


@pytest.fixture
def block_turns() -> bool:
    return True


@pytest.fixture
def patience() -> bool:
    return False


async def fight(world: World) -> None:
    """Marek and Ilka, then a fire; the first turn begins."""
    await open_table(world)
    await world.gina.slash(world.zone, "initiative start")
    for who in (world.ana, world.ben):
        await who.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative add", name="the fire")
    await world.gina.slash(world.zone, "initiative next")


async def test_a_turn_that_a_check_holds_ends_beside_the_others(world: World) -> None:
    await fight(world)
    await propose(world)
    held = private(await world.ana.slash(world.zone, "initiative next"))
    assert "Marek's turn is about to end" in held
    assert "Marek's check `c1` waits for the GM." in texts(board(world))
    assert "Marek is done, Ilka is up." in world.newest("End turn").content
    await propose(world, world.ben)
    await world.restart()
    private(await world.ben.slash(world.zone, "initiative next"))
    assert "Marek and Ilka are done." in world.newest("End turn").content
    shown = texts(board(world))
    assert "`c1`" in shown and "`c2`" in shown
    for name in ("Marek", "Ilka"):
        told = await world.gina.slash(world.zone, "initiative next", **{"as": name})
        await world.press(world.gina, message_of(told), "Close them")
    assert head(board(world)) == "Round 1: the fire's turn"
    assert "the fire's turn" in world.last().content.lower()


async def test_moves_names_each_turn_of_the_block(world: World) -> None:
    await fight(world)
    mine = texts(message_of(await world.ben.slash(world.zone, "moves")))
    assert "Ilka's turn" in mine and "Marek's turn" not in mine
    shown = texts(message_of(await world.gina.slash(world.zone, "table show")))
    assert "round 1, Marek and Ilka's turn" in shown
