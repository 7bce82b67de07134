"""The sheet under EGO as its player reads it, and how somebody is where everybody hears of it."""

from __future__ import annotations

import json

import pytest

from rules.registry import read_only_game
from tests.discord.ego.table import open_table, sheet
from tests.discord.ego.test_rounds import ROLLS
from tests.discord.rounds import gather, next_turn
from tests.discord.world import World, private, refusal_of


@pytest.mark.rule("EGO-SHT-01", "EGO-NL-01")
async def test_the_sheet_says_everything_once(world: World) -> None:
    await open_table(world)
    shown = private(await world.ana.slash(world.zone, "character show"))
    assert shown.count("Vitality 12 of 12") == shown.count("Stun 24 of 24") == 1
    lines = shown.splitlines()
    (intellect,) = [each for each in lines if "Intellect 10" in each]
    assert "Tumbling" not in intellect
    (special,) = [each for each in lines if "Specialties" in each]
    assert "Melee Weapon (Sword, Long) 2" in special and "Tumbling 2" in special


@pytest.mark.rule("EGO-SHT-01", "EGO-AP-01", "EGO-RNG-04")
async def test_the_sheet_has_what_a_round_and_a_shot_go_by(world: World) -> None:
    await open_table(
        world, boris={"vitality": 10, "agility": 9, "arms": [{"name": "Heavy Plasma Gun"}]}
    )
    shown = private(await world.ana.slash(world.zone, "character show")).replace("**", "")
    assert "Action Points 4, a level of impairment for every 3 Vitality lost" in shown, shown
    assert "damage 3d+2; 6 of 6 rounds; rate of fire 2; 75/125/175 m" in shown, shown
    assert "Frag Grenade: 7 dice, damage 4d; rate of fire 1\n" in shown, shown
    assert "Sword, Long: 9 dice, damage 6d; drawn\n" in shown
    shown = private(await world.ben.slash(world.zone, "character show")).replace("**", "")
    assert "Action Points 3, a level of impairment for every 2.5 Vitality lost" in shown
    assert "rate of fire 2/A; 500/1000/1500 m" in shown


@pytest.mark.rule("EGO-NL-01")
async def test_calls_say_in_plain_words_how_somebody_is(world: World) -> None:
    await open_table(world)
    await gather(world)
    told = await next_turn(world, *ROLLS[:8])
    assert "Vitality 12 of 12" in told and "**Vitality**" not in told


async def test_refusals_name_what_is_like_it_and_only_once(world: World) -> None:
    await open_table(world)
    so = {"skill": "Acrobatics", "attribute": "muscle", "difficulty": "1", "approach": "so"}
    assert "Acrobatics goes with Agility, not Muscle." in refusal_of(
        await world.ana.slash(world.zone, "check", **so)
    )
    text = refusal_of(await world.ana.slash(world.zone, "ego buy", what="Swrod, Long"))
    assert text.count("Did you mean") == 1 and "Give its `price` to buy it anyway." in text
    text = refusal_of(await world.ana.slash(world.zone, "ego buy", what="zzzzzz"))
    assert "Did you mean" not in text and "For example: “" in text
    text = refusal_of(await world.ana.slash(world.zone, "character advance", skill="Acrobatcs"))
    assert text.count("Did you mean") == 1
    text = refusal_of(
        await world.gina.slash(world.zone, "gm settings", setting="live plya", value="on")
    )
    assert text.count("Did you mean") == 1
    text = refusal_of(await world.gina.slash(world.zone, "gm npc add", like="Gobblin"))
    assert "Did you mean “Goblin”?" in text and "Zombie" not in text
    text = refusal_of(
        await world.ana.slash(world.zone, "attack", target="Orc", weapon="Sword Lang")
    )
    assert (
        "You have no “Sword Lang” at hand. Did you mean “Sword, Long”?" in text
        and "kick" not in text
    )


async def test_who_has_no_effects_is_told_so(world: World) -> None:
    await open_table(world, boris={"powers": [{"name": "Fire", "rating": 2}]})
    text = refusal_of(await world.ana.slash(world.zone, "ego use", effect="Fir"))
    assert "Vesna has no effects, spells or psionics on the sheet." in text
    assert "Did you mean “Fire”?" in refusal_of(
        await world.ben.slash(world.zone, "ego use", effect="Frie")
    )


async def test_what_is_bought_leaves_a_sheet_that_can_be_brought_in_again(world: World) -> None:
    await open_table(world)
    assert "`what` is empty" in refusal_of(
        await world.ana.slash(world.zone, "ego buy", what="  ", price=0)
    )
    await world.gina.slash(world.zone, "gm adjust", character="Vesna", what="funds", value="9999")
    many = refusal_of(await world.ana.slash(world.zone, "ego buy", what="Stiletto", count=100))
    assert "`count`: too many entries: 104; use 60 at most" in many
    assert (await sheet(world, "Vesna")).funds == 9999
    await world.ana.slash(world.zone, "ego buy", what="Stiletto", count=56)
    await world.ana.slash(world.zone, "ego buy", what="x" * 100, count=100, price=0)
    game = read_only_game(await world.state())
    (vesna,) = [each for each in game.state.characters.values() if each.name == "Vesna"]
    again = json.dumps({**game.sheets.write(vesna), "name": "Again"})
    private(await world.hand_in(world.ana, "again.json", again, grown=True))
    assert len((await sheet(world, "Again")).arms) == 60
