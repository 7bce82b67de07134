"""Attacks out of turn through Discord: players are asked before, and everybody reads it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.barmore import bar_table
from tests.discord.ego.table import ORC, SWORD, bring, misses, newest, read_by_gms
from tests.discord.ego.table import open_table as ego_table
from tests.discord.masterbook.table import open_table as masterbook_table
from tests.discord.rounds import acts, gather, next_turn
from tests.discord.world import World, labels, message_of, private, public, refusal_of, texts

OUT = "Out of turn: it's Vesna's turn."
HACK: dict[str, Any] = {"weapon": SWORD, "approach": "at the neck"}


async def _fight(world: World, **settings: Any) -> None:
    """Round 1 under EGO: it is Vesna's turn, before Boris and the Orc."""
    await ego_table(world, **settings)
    await gather(world, "Orc")
    await next_turn(world, *(6,) * 4, *(1,) * 4, 1, 1)
    assert await acts(world) == "Vesna"


@pytest.mark.rule("EGO-CMB-01", "EGO-AP-01")
async def test_a_player_is_asked_before_an_attack_out_of_turn(world: World) -> None:
    await _fight(world)
    before = await world.revision()
    result = await world.ben.slash(world.zone, "attack", target="Orc", **HACK)
    assert OUT in private(result) and await world.revision() == before
    panel = message_of(result)
    assert "9 dice" in texts(panel) and labels(panel)[0] == "Roll"
    await world.restart()
    world.dice.lay(*misses(2), 5, *misses(8), *misses(6))
    await world.press(world.ben, panel, "Roll")
    assert world.dice.left == 0
    assert OUT in await newest(world)
    await world.gina.slash(world.zone, "gm undo")
    assert len((await world.state()).checks) == 1, "only the round's own is left"


async def test_whose_turn_it_is_nobody_is_asked(world: World) -> None:
    await _fight(world)
    world.dice.lay(*misses(2), *misses(9))
    public(await world.ana.slash(world.zone, "attack", target="Orc", **HACK))
    assert "Out of turn" not in await newest(world)


async def test_a_gm_acts_freely_and_the_message_says_so(world: World) -> None:
    await _fight(world)
    await world.gina.slash(world.zone, "attack", target="Boris", **{"as": "Orc"})
    assert OUT in await newest(world), "the target reads it while choosing a defense"
    # A defense belongs to the turn of whoever attacks.
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    assert "Parry" in str(labels(panel))
    world.dice.lay(*misses(9), *misses(5))
    await world.press(world.ben, panel, next(each for each in labels(panel) if "Parry" in each))
    assert OUT in await newest(world)


async def test_what_costs_nothing_is_nobodys_turn(world: World) -> None:
    await _fight(world, live=False)
    check = {"skill": "Acrobatics", "approach": "over the table"}
    panel = message_of(await world.ben.slash(world.zone, "check", **check))
    assert OUT in texts(panel), "a check is an action that costs a point"
    await world.press(world.ben, panel, "Send")
    assert OUT in await newest(world)
    await world.rule(level="Easy", options=("free",))
    world.dice.lay(*misses(7))
    await world.press(world.ben, world.newest("Roll"), "Roll")
    assert "It costs no Action Points." in await newest(world)


async def test_the_turn_of_somebody_unseen_is_no_news(world: World) -> None:
    """What players are asked follows only from what everybody may know."""
    await ego_table(world, gm_channel=True)
    await bring(world, world.gina, "Lurker", ORC, npc=True)
    await gather(world, "Lurker")
    await next_turn(world, *(1,) * 8, 6, 6)
    told = await world.ana.slash(world.zone, "attack", target="Boris", **HACK)
    assert told.response is None or "Out of turn" not in texts(told.response)
    assert "Out of turn" not in await read_by_gms(world)


async def test_masterbook_asks_as_well(world: World) -> None:
    await masterbook_table(world)
    await gather(world)
    await next_turn(world, 9, 9, 1, 1)
    assert await acts(world) == "Vesna"
    shot = {"weapon": "Colt .45 revolver", "approach": "so", "with": "range: 10"}
    panel = message_of(await world.ben.slash(world.zone, "attack", target="Thug", **shot))
    assert OUT in texts(panel), texts(panel)
    world.dice.lay(1, 1)
    await world.press(world.ben, panel, "Roll")
    assert OUT in texts(world.newest_card())
    taunt = {"target": "Thug", "skill": "Taunt", "approach": "his hat"}
    assert OUT in private(await world.ben.slash(world.zone, "mb interact", **taunt))


@pytest.mark.rule("BAR-PHASE")
async def test_barmore_asks_whoever_is_busy(world: World) -> None:
    await bar_table(world)
    await gather(world)
    await next_turn(world)
    await world.ana.slash(world.zone, "barmore act", action="climb", cost="5", score="Speed")
    busy = refusal_of(await world.ana.slash(world.zone, "barmore act", action="duck", cost="2"))
    assert "busy until phase 4" in busy, busy
    blow = {"target": "Ilka", "skill": "Brawling", "approach": "a punch"}
    result = await world.ana.slash(world.zone, "attack", **blow)
    assert "Out of turn: Marek is busy until phase 4." in private(result)
    assert not (await world.state()).checks
    await world.press(world.ana, message_of(result), "Send")
    assert "Marek is busy until phase 4." in texts(world.card())
    # Whoever is not busy begins something when they like.
    idle = await world.ben.slash(world.zone, "attack", **(blow | {"target": "Marek"}))
    assert "Out of turn" not in texts(message_of(idle))


async def test_ebb_asks_as_well(world: World) -> None:
    await world.table()
    await world.bring(world.ben, "Ilka")
    await gather(world)
    await next_turn(world)
    first = await acts(world)
    other, who = ("Ilka", world.ben) if first == "Marek" else ("Marek", world.ana)
    blow = {"target": first, "skill": "Climbing", "approach": "a kick"}
    text = private(await who.slash(world.zone, "attack", **blow))
    assert f"Out of turn: it's {first}'s turn." in text, (other, text)
