"""The sheet under EGO as its player reads it, and how somebody is where everybody hears of it."""

from __future__ import annotations

import pytest

from tests.discord.ego.table import table
from tests.discord.ego.test_round import ROLLS
from tests.discord.rounds import gathered, next_turn
from tests.discord.world import World, private, refused


@pytest.mark.rule("EGO-SHT-01", "EGO-NL-01")
async def test_the_sheet_says_everything_once(world: World) -> None:
    await table(world)
    shown = private(await world.ana.slash(world.zone, "character show"))
    assert shown.count("Vitality 12 of 12") == shown.count("Stun 24 of 24") == 1
    lines = shown.splitlines()
    (intellect,) = [each for each in lines if "Intellect 10" in each]
    assert "Tumbling" not in intellect
    (special,) = [each for each in lines if "Specialties" in each]
    assert "Melee Weapon (Sword, Long) 2" in special and "Tumbling 2" in special


@pytest.mark.rule("EGO-NL-01")
async def test_calls_say_in_plain_words_how_somebody_is(world: World) -> None:
    await table(world)
    await gathered(world)
    told = await next_turn(world, *ROLLS[:8])
    assert "Vitality 12 of 12" in told and "**Vitality**" not in told


async def test_refusals_name_what_is_like_it_and_only_once(world: World) -> None:
    await table(world)
    so = {"skill": "Acrobatics", "attribute": "muscle", "difficulty": "1", "approach": "so"}
    assert "Acrobatics goes with Agility, not Muscle." in refused(
        await world.ana.slash(world.zone, "check", **so)
    )
    text = refused(await world.ana.slash(world.zone, "ego buy", what="Swrod, Long"))
    assert text.count("Did you mean") == 1 and "Add `price` to buy it anyway." in text
    text = refused(await world.ana.slash(world.zone, "ego buy", what="zzzzzz"))
    assert "Did you mean" not in text and "For example: “" in text
    text = refused(await world.ana.slash(world.zone, "character advance", skill="Acrobatcs"))
    assert text.count("Did you mean") == 1
    text = refused(await world.gina.slash(world.zone, "gm settings", setting="live pla", value="on"))
    assert text.count("Did you mean") == 1
    text = refused(await world.gina.slash(world.zone, "gm npc add", like="Gobblin"))
    assert "Did you mean “Goblin”?" in text and "Zombie" not in text
    text = refused(await world.ana.slash(world.zone, "attack", target="Orc", weapon="Sword Lang"))
    assert "There is no “Sword Lang” at hand. Did you mean “Sword, Long”?" in text and "kick" not in text


async def test_who_has_no_effects_is_told_so(world: World) -> None:
    await table(world, boris={"powers": [{"name": "Fire", "rating": 2}]})
    text = refused(await world.ana.slash(world.zone, "ego use", effect="Fir"))
    assert "Vesna has no effects, spells or psionics on the sheet." in text
    assert "Did you mean “Fire”?" in refused(await world.ben.slash(world.zone, "ego use", effect="Frie"))
