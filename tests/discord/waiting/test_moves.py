"""`/moves`: who has something to decide, and who only may do something."""

from __future__ import annotations

import re

import pytest

from tests.discord.ego.table import open_table as ego_table
from tests.discord.waiting.casts import masterbook_cast
from tests.discord.world import World, message_of, primary, private, refusal_of

YOURS = "### Yours to decide"
pytestmark = pytest.mark.asyncio


@pytest.fixture
def patience() -> bool:
    return False


async def test_only_whom_a_check_waits_for_has_to_decide(world: World) -> None:
    cast = await masterbook_cast(world, live=False, cards=True)
    cleo = cast.people["cleo"].member
    await cleo.slash(world.zone, "check", skill="Stealth", approach="past the guard")
    await world.rule(level=None, number="9")
    world.dice.lay(3, 4)
    await world.press(cleo, world.newest("Roll"), "Roll")
    assert YOURS in private(await cleo.slash(world.zone, "moves"))
    for who in ("ana", "ben", "dana"):
        shown = private(await cast.people[who].member.slash(world.zone, "moves"))
        assert YOURS not in shown and "Accept result" not in shown, (who, shown)


async def test_who_could_only_pass_is_told_of_nothing(world: World) -> None:
    await ego_table(world, live=False, step_in_minutes=60, boris={"karma": 0})
    await world.gina.slash(
        world.zone, "ego vehicle add", kind="Sedan", pilot="Vesna", aboard="Boris"
    )
    world.dice.lay(1)
    await world.gina.slash(world.zone, "ego vehicle collide", vehicle="Sedan", object=22)
    shown = private(await world.ana.slash(world.zone, "moves"))
    assert YOURS in shown and "Collision" in shown
    shown = private(await world.ben.slash(world.zone, "moves"))
    assert "Collision" not in shown and YOURS not in shown, shown


@pytest.mark.rule("EGO-KAR-04")
async def test_what_can_be_bought_late_is_no_decision(world: World) -> None:
    await ego_table(world, live=False, step_in_minutes=60)
    await world.gina.slash(world.zone, "initiative start")
    for who in (world.ana, world.ben):
        await who.slash(world.zone, "initiative join")
    world.dice.lay(6, 1)
    await world.gina.slash(world.zone, "initiative next")
    shown = private(await world.ben.slash(world.zone, "moves"))
    yours, _, rest = shown.partition("### What else you can do")
    assert "can still buy Action Points" in rest
    assert "can still buy Action Points" not in yours


async def test_a_result_that_the_reader_cannot_change_is_not_listed(world: World) -> None:
    await world.table()
    await world.rolled(8, 3)
    assert "You could step in" not in private(await world.ben.slash(world.zone, "moves"))
    shown = private(await world.ana.slash(world.zone, "moves"))
    assert "You could step in" in shown
    assert re.search(r"c1 · .*: until <t:\d+:f>", shown), "a time, not “until in 3 hours”"


async def test_without_karma_there_is_nothing_to_plan(world: World) -> None:
    await ego_table(world, live=False, step_in_minutes=60, boris={"karma": 0})
    await world.gina.slash(world.zone, "initiative start")
    await world.ben.slash(world.zone, "initiative join")
    for given in ({}, {"points": 1}):
        told = refusal_of(await world.ben.slash(world.zone, "ego karma plan", **given))
        assert "You have no Karma left." in told


async def test_what_is_to_be_decided_stands_out(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "initiative start")
    await world.ana.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative add", name="the fire")
    await world.propose(skill="Climbing", attribute="Fitness")
    assert primary(message_of(await world.ana.slash(world.zone, "moves"))) == []
    assert primary(message_of(await world.gina.slash(world.zone, "moves"))) == ["Answer · c1"]
    await world.rule()
    assert primary(message_of(await world.ana.slash(world.zone, "moves"))) == ["Open · c1"]
