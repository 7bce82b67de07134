"""Who is waited for at a table of Barmore's dice pool: nobody can change dice that have fallen."""

from __future__ import annotations

from typing import Final

import pytest

from tests.discord.barmore import bar_table, rule, side
from tests.discord.world import World, card, labels, pings

TEAM: Final = {"mode": "simple addition", "skill": "Boats", "approach": "pull"}


@pytest.mark.rule("BAR-OPPOSED", "BAR-ROLL")
async def test_the_respondents_press_is_the_last_one_of_an_attack(world: World) -> None:
    await bar_table(world)
    given = {"target": "Ilka", "weapon": "Boathook", "skill": "Boats", "approach": "low"}
    await world.ana.slash(world.zone, "attack", **given)
    await rule(world, None)
    panel = await side(world, world.ben, "Defend", "Athletics")
    world.dice.lay(8, 8, 8, 8, 1, 1)
    await world.press(world.ben, panel, "Defend")
    assert world.dice.left == 0 and "Final" in card(world)
    assert labels(world.card()) == [], "there is nothing to step into"
    for who in (world.ana, world.ben, world.gina):
        assert not [each for each in world.messages() if who.id in pings(each, world.env)]


@pytest.mark.rule("BAR-ROLL", "BAR-TEAM")
async def test_where_the_table_says_so_the_gms_answer_rolls_but_not_for_a_team(
    world: World,
) -> None:
    await bar_table(world)
    await world.gina.slash(world.zone, "gm settings", roll_when_answered=True)
    await world.propose(skill="Boats")
    world.dice.lay(8, 8, 8, 8)
    await rule(world, "10")
    assert world.dice.left == 0 and "Final" in card(world)
    await world.ana.slash(world.zone, "barmore team start", **TEAM)
    await rule(world, "10")
    assert (await world.state()).checks["c2"].is_open, "others can still join in"
