"""What players may not work out under EGO: of NPCs nobody has seen, and of what NPCs can do."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.discord.ego.table import GOBLIN, bring, meet, misses, open_table, read_by_gms, sheet
from tests.discord.rounds import board_text, gather, next_turn
from tests.discord.world import World, texts

IMP: dict[str, Any] = {
    "muscle": 6,
    "agility": 6,
    "intellect": 6,
    "vitality": 6,
    "powers": [{"name": "Fire", "rating": 3}],
}


@pytest.mark.rule("EGO-INI-01")
async def test_a_tie_with_somebody_unseen_is_no_news(world: World) -> None:
    await open_table(world, gm_channel=True)
    await bring(world, world.gina, "Lurker", GOBLIN, npc=True)
    await gather(world, "Lurker")
    # Vesna, Boris and the lurker have 8, 9 and 8; then a die each for Vesna and the lurker.
    await next_turn(world, 1, 1, 1, 1, 2, 1, 1, 1, 3, 3, 2, 3, 1)
    assert "Vesna, initiative: 4d6 (1, 1, 1, 1) + 4" in board_text(world)
    assert "(tie" not in world.told(world.ana)
    assert "Vesna, initiative (tie: 3)" in await read_by_gms(world)


@pytest.mark.rule("EGO-INI-01")
async def test_a_tie_of_players_is_told(world: World) -> None:
    await open_table(world, boris={"muscle": 13})
    await bring(
        world, world.ben, "Bruno", {"profile": "att 3, defense 4, vitality 8, damage 2, bonus 4"}
    )
    await world.gina.slash(world.zone, "initiative start")
    await world.ana.slash(world.zone, "initiative join")
    await world.ben.slash(world.zone, "initiative join", **{"as": "Bruno"})
    assert "tie: 5" in await next_turn(world, *(1,) * 8, 5, 2)


@pytest.mark.rule("EGO-NME-01", "EGO-DMG-03")
async def test_how_many_dice_an_npc_has_only_gms_read(world: World) -> None:
    await open_table(world, gm_channel=True)
    await world.gina.slash(world.zone, "attack", target="Vesna", **{"as": "Orc"})
    text = await meet(world, world.ana, "Pass", *misses(4), 5, 5, *misses(3), 6, 5, 4, 3)
    assert "Orc, attack:** 2 successes" in text and "Damage:** 10" in text
    assert (
        "5d6" not in world.told(world.ana) and "damage: 4d6" not in world.told(world.ana).casefold()
    )
    gms = await read_by_gms(world)
    assert "Orc, attack: 5d6 (5, 5, 1, 1, 1): 2 successes" in gms and "Damage: 4d6" in gms
    assert gms.count("Orc, attack") == 1
    world.dice.lay(5, *misses(3))
    await world.gina.slash(
        world.zone, "check", attribute="vitality", difficulty="1", approach="so", **{"as": "Orc"}
    )
    assert "4d6" not in texts(world.card()) and "Success" in texts(world.card())


@pytest.mark.rule("EGO-FX-03", "EGO-FX-04", "EGO-NME-01")
async def test_how_strong_an_npcs_effect_is_only_gms_read(world: World) -> None:
    await open_table(world, gm_channel=True)
    await bring(world, world.gina, "Imp", IMP, npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Imp")
    use = {"as": "Imp", "effect": "Fire"}
    world.dice.lay(5, 5, 1)
    await world.gina.slash(world.zone, "ego use", timed=True, difficulty="1", **use)
    world.dice.lay(5, 5, 1, 6, 6, 6)
    await world.gina.slash(world.zone, "ego use", range="short", target="Vesna", **use)
    assert (await sheet(world, "Vesna")).lethal == 4
    players = world.told(world.ana)
    for secret in ("2 successes", "3d6", "rounds", "against 1", "3 dice"):
        assert secret not in players, secret
    assert "It lasts 3 rounds." in await read_by_gms(world, "c1")
    assert "2 successes, 1 needed" in await read_by_gms(world, "c1")


@pytest.mark.rule("EGO-VEH-08", "EGO-VEH-09")
async def test_nobody_hears_of_who_hides_in_a_vehicle(world: World) -> None:
    await open_table(world, gm_channel=True)
    await bring(world, world.gina, "Lurker", GOBLIN, npc=True)
    await world.gina.slash(
        world.zone, "ego vehicle add", kind="Sedan", pilot="Vesna", aboard="Lurker"
    )
    world.dice.lay(1, 5, 5, 1, 1, 1, 1, 1)
    await world.gina.slash(world.zone, "ego vehicle collide", vehicle="Sedan", object=20)
    players = texts(world.card())
    assert "Lurker" not in world.told(world.ana)
    assert "omebody" not in players and "omeone" not in players
    assert "Lurker" in await read_by_gms(world)


@pytest.mark.rule("EGO-IMP-01", "EGO-NME-01")
async def test_how_an_npc_is_players_read_of_no_check_of_theirs(world: World) -> None:
    await open_table(world, gm_channel=True)
    await bring(world, world.gina, "Imp", IMP | {"lethal": 3}, npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Imp")
    world.dice.lay(1, 1)
    check = {"attribute": "agility", "difficulty": "1", "approach": "so", "as": "Imp"}
    await world.gina.slash(world.zone, "check", **check)
    world.dice.lay(1, 1, 1)
    await world.gina.slash(world.zone, "ego use", effect="Fire", difficulty="1", **{"as": "Imp"})
    for name in ("c1", "c2"):
        assert "(+1)" not in texts(world.card(name)), texts(world.card(name))
        assert "impaired (+1)" in await read_by_gms(world, name)
    assert "impaired" not in world.told(world.ana)


@pytest.mark.rule("EGO-IMP-01", "EGO-NME-01")
@pytest.mark.parametrize("reveal", ["verdict", "degree", "all"])
async def test_two_worlds_that_differ_within_a_word_of_health_read_alike(
    world: World, reveal: str
) -> None:
    """Of two NPCs that are hurt one has lost two quarters of its Vitality, the other none whole."""
    await open_table(world, gm_channel=True)
    await world.gina.slash(world.zone, "gm settings", reveal=reveal)
    hurt = IMP | {"vitality": 12, "skills": [{"name": "Melee Combat", "level": 2}]}

    async def played(name: str, lethal: int) -> list[str]:
        await bring(world, world.gina, name, hurt | {"lethal": lethal}, npc=True)
        await world.gina.slash(world.zone, "gm npc reveal", npc=name)
        seen = len(world.told(world.ana))
        who: dict[str, Any] = {"as": name}
        check = {"attribute": "agility", "approach": "so", **who}
        # Each comes out the same for both: with three successes too many, or with none at all.
        world.dice.lay(6, 6)
        await world.gina.slash(world.zone, "check", difficulty="Easy", **check)
        world.dice.lay(1, 1)
        await world.gina.slash(world.zone, "check", difficulty="Moderate", **check)
        world.dice.lay(6, 6, 6)
        await world.gina.slash(world.zone, "ego use", effect="Fire", difficulty="2", **who)
        for faces in ((6, 6, 6, 1, 1, 1), (1, 1, 1)):
            world.dice.lay(*faces)
            shot = {"effect": "Fire", "target": "Vesna", "range": "short"}
            await world.gina.slash(world.zone, "ego use", **shot, **who)
        struck = {"weapon": "punch", "target": "Vesna", "approach": "so"}
        for mine in ((6, 6), (1, 1)):
            await world.gina.slash(world.zone, "attack", **struck, **who)
            damage = misses(2) if mine[0] > 1 else ()
            await meet(world, world.ana, "Pass", *misses(4), *mine, *damage)
        assert world.dice.left == 0
        for number in range(1, 8):
            gms = await read_by_gms(world, f"c{(await world.state()).counters.check - 7 + number}")
            assert ("impaired (+1)" in gms) is (lethal > 3), gms
        told = world.told(world.ana)[seen:].replace(name, "Imp")
        said = re.findall(r'"content": "((?:[^"\\]|\\.)*)"', told)
        # What Vesna takes adds up, and each message has a number.
        moving = r"#\d+|c\d+|(Vitality|Stun points|armor) \d+ → \d+|Vesna is impaired.*|\d{15,}"
        return [
            re.sub(moving, "", each)
            for each in said
            if "First steps" not in each and "setup" not in each
        ]

    assert await played("Imp One", 1) == await played("Imp Two", 6)
