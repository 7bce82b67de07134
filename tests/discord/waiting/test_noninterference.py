"""Who is waited for, asked and called tells nothing hidden.

Each story is played twice. The two plays differ in one secret that has the same told outcome. A
player who doesn't know the secret gets the same messages, pings, edits and times, byte for byte.
Hands of cards are in `tests/attack/test_noninterference.py`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.discord.ego.table import open_table as ego_table
from tests.discord.masterbook.table import open_table as masterbook_table
from tests.discord.separate_world import separate_world
from tests.discord.world import World, message_of, texts

pytestmark = pytest.mark.asyncio

Story = Callable[[World, int], Awaitable[None]]


async def _points_of_an_npc(world: World, secret: int) -> None:
    """Vesna hits a Thug who has no Life Points, or some."""
    points = (0, 3)[secret]
    await masterbook_table(
        world, step_in_minutes=60, sheets={"Thug": {"life_points": points, "toughness": 20}}
    )
    world.dice.lay(6, 6)
    await world.ana.slash(
        world.zone, "attack", target="Thug", weapon="Knife", approach="from below"
    )
    assert world.dice.left == 0 and "Ana decides." in texts(world.card())
    await world.env.advance_time(121)
    assert "Hit" in texts(world.card())


async def _hidden_number(world: World, secret: int) -> None:
    """Marek climbs against a hidden difficulty that he reaches, or another."""
    await world.table()
    await world.rolled(9, 7, hidden=True, level=("Tricky", "Difficult")[secret])
    assert "Success so far" in texts(world.card())
    await world.env.advance_time(3700)


async def _planned_karma(world: World, secret: int) -> None:
    """Vesna plans Karma for the next round: for Action Points, or for initiative dice."""
    await ego_table(world, live=False, step_in_minutes=60)
    await world.gina.slash(world.zone, "initiative start")
    for who in (world.ana, world.ben):
        await who.slash(world.zone, "initiative join")
    await world.ana.slash(world.zone, "ego karma plan", points=(1, 3)[secret])
    await world.ben.slash(world.zone, "character list")
    await world.ben.slash(world.zone, "moves")


async def _private_order(world: World, secret: int) -> None:
    """Ana has a standing order, or another, that nothing here makes answer."""
    await world.table()
    order = ("check/react/pass", "check/react/reroll")[secret]
    await world.ana.slash(world.zone, "orders give", order=order)
    await world.rolled(9, 7)
    await world.ben.slash(world.zone, "character list")


async def _private_number_of_wounds(world: World, secret: int) -> None:
    """A player wants a say, with points to spend or without; both are asked and called alike."""
    await world.table(open_points=False)
    await world.gina.slash(
        world.zone, "gm adjust", character="Marek", what="fate", value=("0", "2")[secret]
    )
    await world.propose(skill="Climbing", attribute="Fitness")
    panel = message_of(await world.press(world.ana, world.card(), "React"))
    await world.press(world.ana, panel, "Wait for me")
    await world.rule()
    world.dice.lay(1, 2)
    await world.press(world.ana, world.card(), "Roll")
    assert "Ana" in texts(world.card())


STORIES: Final[dict[str, Story]] = {
    "points of an NPC": _points_of_an_npc,
    "hidden number": _hidden_number,
    "planned Karma": _planned_karma,
    "private order": _private_order,
    "points that are not open": _private_number_of_wounds,
}


async def play(folder: Path, story: Story, secret: int) -> str:
    """Play a story on a Discord of its own. Return what reached Ben, who knows no secret."""
    async with separate_world(folder) as world:
        await story(world, secret)
        return world.told(world.ben)


@pytest.mark.parametrize("name", STORIES)
async def test_a_secret_changes_nothing_for_whoever_does_not_know_it(
    name: str, tmp_path: Path
) -> None:
    found: list[Any] = []
    for secret in (0, 1):
        found.append(await play(tmp_path / str(secret), STORIES[name], secret))
    assert found[0] and found[0] == found[1]
