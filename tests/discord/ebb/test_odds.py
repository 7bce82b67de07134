"""`/odds check:` of checks that go by procedure, and nothing of a hidden difficulty."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.world import World, private, refused, said

pytestmark = pytest.mark.usefixtures("by_procedures")

CANARY = "9137"


async def _odds(world: World, who: Any = None, **options: Any) -> Any:
    return await (who or world.ana).slash(world.zone, "odds", **options)


async def _suggested(world: World, who: Any) -> list[str]:
    found = await who.autocomplete(world.zone, "odds", "check", "")
    return [choice["value"] for choice in found]


async def test_the_check_as_ruled(world: World) -> None:
    await world.table()
    await world.answered(options=("flaw",), disallow=("attribute",))
    assert await _suggested(world, world.ana) == ["c1"]
    assert await _suggested(world, world.gina) == ["c1"]
    assert await _suggested(world, world.ben) == []
    found = await world.ana.autocomplete(world.zone, "odds", "check", "")
    assert found[0]["name"] == "c1 · Marek: up the drainpipe, slowly"
    text = private(await _odds(world, check="c1"))
    assert "Odds for c1, Marek" in text
    assert "Fitness, refused by the GM" in text
    assert "**Against Difficult (13)**" in text
    assert "Marek's" not in text
    assert "is the character of" in refused(await _odds(world, world.ben, check="c1"))
    assert "leave" in refused(await _odds(world, check="c1", skill="Climbing")).casefold()


async def test_only_an_answered_check_has_odds(world: World) -> None:
    await world.table()
    await world.propose()
    assert "The GM has not answered this proposal yet." in refused(await _odds(world, check="c1"))
    assert "That check is not here any more" in refused(await _odds(world, check="c5"))
    await world.rolled(5, 4)
    assert "the dice have been rolled" in refused(await _odds(world, check="c2"))
    assert await _suggested(world, world.ana) == []


async def test_others_do_not_learn_of_a_private_check(world: World) -> None:
    await world.table()
    proposal = await world.propose(skill="Climbing", visibility="private")
    stub = world.newest("Show")
    assert said(proposal)
    opened = said(await world.press(world.gina, stub, "Show"))
    await world.answer(opened)
    unknown = refused(await _odds(world, world.ben, check="c9"))
    assert refused(await _odds(world, world.ben, check="c1")) == unknown
    assert await _suggested(world, world.ben) == []
    assert "Odds for c1, Marek" in private(await _odds(world, check="c1"))


@pytest.mark.parametrize("gm_channel", [True, False])
async def test_a_hidden_difficulty_has_no_odds_for_players(world: World, gm_channel: bool) -> None:
    await world.table(gm_channel=gm_channel)
    await world.answered(number=CANARY, hidden=True)
    assert await _suggested(world, world.ana) == []
    text = refused(await _odds(world, check="c1"))
    assert "The GM keeps this difficulty hidden" in text
    assert await _suggested(world, world.gina) == ["c1"]
    shown = private(await _odds(world, world.gina, check="c1"))
    assert f"**Against {CANARY}**" in shown
    for who in (world.ana, world.ben):
        assert CANARY not in world.told(who)
        assert CANARY not in "\n".join(world.visible_to(who))
