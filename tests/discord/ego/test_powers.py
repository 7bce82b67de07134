"""Special effects: a superhero's powers, a mage's evening; points gone on failure, effects that
end, undo, restart.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from rules.registry import read_only_game
from rules.table.check import OVER, Check
from tests.discord.ego.play import DIRK, bring, open_table, plain, sheet
from tests.discord.ego.table import bring as fighter
from tests.discord.ego.table import meet, misses, newest, read_by_gms
from tests.discord.ego.table import open_table as fight
from tests.discord.ego.test_advancement import MAGE
from tests.discord.rounds import gather, next_turn
from tests.discord.world import (
    SHARED,
    World,
    card,
    labels,
    menus,
    message_of,
    private,
    refusal_of,
    texts,
)

HERO: dict[str, Any] = {
    "name": "Nova",
    "muscle": 7,
    "agility": 7,
    "intellect": 4,
    "vitality": 8,
    "skills": [{"name": "Superpowers", "level": 4}],
    "powers": [
        {"name": "Energy Blast", "rating": 4},
        {"name": "Flight", "rating": 2},
        {"name": "Enhanced Agility", "rating": 2},
    ],
}
WIZARD: dict[str, Any] = {
    "intellect": 10,
    "magic": 13,
    "skills": [{"name": "Magic", "level": 3}, {"name": "Gun Combat", "level": 2}],
    "specialties": [],
}
#: Dice of Vesna and Boris.
INITIATIVE = (1, 1, 1, 1, 6, 6, 6, 6)
SPELL: dict[str, Any] = {"effect": "Fire (magic)"}


async def _rule(world: World, level: str | None = "Easy", press: str = "Call for a roll") -> None:
    await world.rule(level=level, press=press)


@pytest.mark.rule("EGO-DIE-02", "EGO-FX-02")
@pytest.mark.parametrize("hidden", [False, True])
async def test_the_roll_of_an_effect_names_its_open_difficulty(world: World, hidden: bool) -> None:
    await open_table(world, step_in_minutes=0)
    await bring(world, world.ana, MAGE)
    await world.ana.slash(world.zone, "ego use", **SPELL, approach="light the stove")
    await world.rule(level="Easy", hidden=hidden)
    text = plain(world.card())
    said_so = "a hidden difficulty" if hidden else "Easy (1)"
    assert f"Ilse, roll 1 die against {said_so}" in text, text
    assert not hidden or "Easy" not in world.told(world.ana)
    assert "Difficulty" not in text
    await world.restart()
    world.dice.lay(6)
    await world.press(world.ana, world.card(), "Roll")
    assert "Success" in plain(world.card())


@pytest.mark.rule("EGO-MAG-02", "EGO-MAG-03", "EGO-MAG-01", "EGO-FX-03", "EGO-FX-04")
async def test_a_mages_evening(world: World) -> None:
    await open_table(world, step_in_minutes=0)
    await bring(world, world.ana, MAGE)
    await bring(world, world.ben, DIRK)
    assert (await sheet(world, "Ilse")).magic == 14
    over = refusal_of(
        await world.ana.slash(world.zone, "ego use", **SPELL, points=3, approach="light the stove")
    )
    assert "You can put 1 to 2 into this now, not 3." in over
    await world.ana.slash(
        world.zone, "ego use", **SPELL, points=2, timed=True, approach="light the stove"
    )
    await _rule(world)
    await world.restart()
    assert (await sheet(world, "Ilse")).magic == 14
    world.dice.lay(1, 6)
    await world.press(world.ana, world.card(), "Roll")
    text = plain(world.card())
    assert "Success" in text and "It lasts 2 rounds." in text
    assert (await sheet(world, "Ilse")).magic == 12
    await world.gina.slash(world.zone, "gm time", advance="1 minute")
    assert "Ilse: Fire (magic) ends" in plain(world.last())
    # A failure costs the points as well.
    await world.ana.slash(world.zone, "ego use", **SPELL, points=1, approach="light the lamp")
    await _rule(world)
    world.dice.lay(2)
    await world.press(world.ana, world.card(), "Roll")
    assert "Failure" in plain(world.card()) and (await sheet(world, "Ilse")).magic == 11
    # At range it is Magic and Intellect dice against the band; two points are two damage dice,
    # lethal.
    await world.ana.slash(world.zone, "ego use", **SPELL, points=2, range="short", target="Dirk")
    await _rule(world, None)
    world.dice.lay(5, 1, 1, 1, 1, 1, 6, 6)
    await world.press(world.ana, world.card(), "Roll")
    text = plain(world.card())
    assert "Hit" in text and "Dirk takes 6 damage" in text
    assert ((await sheet(world, "Dirk")).lethal, (await sheet(world, "Ilse")).magic) == (6, 9)
    await world.gina.slash(world.zone, "gm undo")
    assert ((await sheet(world, "Dirk")).lethal, (await sheet(world, "Ilse")).magic) == (0, 11)


@pytest.mark.rule("EGO-FX-02", "EGO-FX-04", "EGO-FX-05", "EGO-POW-01", "EGO-ATK-01")
async def test_a_superheros_powers(world: World) -> None:
    await open_table(world, step_in_minutes=0, cbp=120)
    await bring(world, world.ana, HERO)
    await bring(world, world.ben, DIRK)
    assert "always on" in refusal_of(
        await world.ana.slash(world.zone, "ego use", effect="Enhanced Agility")
    )
    refusal_of(await world.ana.slash(world.zone, "ego use", effect="Flight", points=2))
    await world.ana.slash(world.zone, "ego use", effect="flight", approach="over the roofs")
    await _rule(world, "Moderate")
    world.dice.lay(5, 5)
    await world.press(world.ana, world.card(), "Roll")
    assert "Success" in plain(world.card())
    # By touch the roll has to beat the target's defense, which everybody changes with their own.
    await world.ana.slash(world.zone, "ego use", effect="Energy Blast", touch=True, target="Dirk")
    await _rule(world, None)
    await world.press(world.ana, world.card(), "Roll")
    assert "Miss" in await meet(world, world.ben, "Pass", 5, 1, 1, 5, 1, 1, 1)
    # Block and defense are thrown besides: two successes more than the four dice have.
    await world.ana.slash(world.zone, "ego use", effect="Energy Blast", touch=True, target="Dirk")
    await _rule(world, None)
    await world.press(world.ana, world.card(), "Roll")
    assert "Block" not in world.told(world.ana)
    await world.restart()
    text = await meet(world, world.ben, "Block or dodge", 5, 1, 1, 5, 5, 1, 5, 5, 5, 1)
    assert "3 successes against 3" in text and "To beat: 3" in text.replace("**", ""), text
    assert "Dirk, block: 3d6 (**5**, **5**, 1): 2 successes" in text
    await world.ana.slash(world.zone, "ego use", effect="Energy Blast", touch=True, target="Dirk")
    await _rule(world, None)
    await world.press(world.ana, world.card(), "Roll")
    await meet(world, world.ben, "Pass", 5, 1, 1, 5, 6, 1, 1, 5, 5, 5, 5)
    assert (
        "Dirk takes 12 damage and dies" in plain(world.card())
        and (await sheet(world, "Dirk")).down == "dead"
    )
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Dirk")).down == ""


@pytest.mark.rule("EGO-FX-04", "EGO-MAG-03", "EGO-RNG-02")
async def test_what_helps_and_hinders_at_range_counts_for_effects_too(world: World) -> None:
    await open_table(world, step_in_minutes=0)
    await bring(world, world.ana, MAGE)
    await bring(world, world.ben, DIRK)
    aimed = {**SPELL, "range": "medium", "target": "Dirk", "with": "cover, unaware"}
    wrong = refusal_of(await world.ana.slash(world.zone, "ego use", **{**aimed, "with": "covered"}))
    assert "cover" in wrong
    await world.ana.slash(world.zone, "ego use", **aimed)
    await _rule(world, None)
    world.dice.lay(5, 5, 1, 1, 1, 1)
    await world.press(world.ana, world.card(), "Roll")
    text = plain(world.card())
    assert "Miss" in text and "target behind cover (+2) and target unaware (−1)" in text
    assert "2 successes against 3" in await read_by_gms(world, "c1")
    # The GM has the last word on it.
    await world.ana.slash(world.zone, "ego use", **{**aimed, "with": "targeting device"})
    await world.rule(level=None, options=("target moving", "concealed"))
    world.dice.lay(5, 5, 1, 1, 1, 1)
    await world.press(world.ana, world.card(), "Roll")
    assert "2 successes against 4" in await read_by_gms(world, "c2")


@pytest.mark.rule("EGO-MAG-03", "EGO-RNG-01", "EGO-RNG-02")
async def test_a_spell_at_range_shows_its_band_while_it_waits(world: World) -> None:
    await open_table(world, step_in_minutes=0)
    await bring(world, world.ana, MAGE)
    await bring(world, world.ben, DIRK)
    aimed = {**SPELL, "range": "medium", "target": "Dirk"}
    await world.ana.slash(world.zone, "ego use", **aimed)
    assert "Difficulty: 2 (medium range)" in plain(world.card()), plain(world.card())
    await world.rule(level=None, options=("cover",))
    # The GM has added cover.
    assert "Roll" in labels(world.card()) and "4 (medium range)" in plain(world.card()), plain(
        world.card()
    )
    await world.ana.slash(world.zone, "ego use", **aimed, **{"with": "unaware"})
    text = plain(world.card("c2"))
    assert "Difficulty: 1 (medium range)" in text and "target unaware (−1)" in text, text


@pytest.mark.rule("EGO-ART-01", "EGO-PSI-01", "EGO-RAC-02")
async def test_effects_of_artifacts_and_of_the_mind(world: World) -> None:
    await open_table(world, step_in_minutes=0)
    odd = {
        **MAGE,
        "skills": [{"name": "Psionics", "level": 2}],
        "powers": [
            {"name": "Telepathy", "rating": 0, "source": "psionics"},
            {"name": "Light", "rating": 1, "source": "artifact"},
        ],
    }
    await bring(world, world.ana, odd)
    assert (await sheet(world, "Ilse")).psionics == 14
    await world.ana.slash(world.zone, "ego use", effect="Telepathy (psionics)", points=1)
    await _rule(world, "Automatic")
    await world.press(world.ana, world.card(), "Roll")
    assert "Success" in card(world) and (await sheet(world, "Ilse")).psionics == 13
    await world.ana.slash(world.zone, "ego use", effect="Light", approach="the word of command")
    await _rule(world)
    world.dice.lay(6)
    await world.press(world.ana, world.card(), "Roll")
    assert "Ilse uses Light: rating 1" in plain(world.card())


@pytest.mark.rule("EGO-FX-02", "EGO-KAR-02")
async def test_an_effect_against_a_hidden_number_and_its_odds(world: World) -> None:
    await open_table(world, step_in_minutes=0, cbp=120)
    await bring(world, world.ana, HERO)
    await world.ana.slash(world.zone, "ego use", effect="flight", approach="over the roofs")
    await _rule(world, "Easy")
    shown = private(await world.ana.slash(world.zone, "odds", check="c1"))
    assert "Nova: 56% against 1" in shown and "Flight, rating 2" in shown
    world.dice.lay(5, 1)
    await world.press(world.ana, world.card(), "Roll")
    # Against a number that stays the GM's players read what they rolled, not what it took.
    await world.ana.slash(world.zone, "ego use", effect="flight", approach="round the tower")
    await world.rule(level="Moderate", press="Call for a roll", hidden=True)
    assert "hidden" in refusal_of(await world.ana.slash(world.zone, "odds", check="c2"))
    world.dice.lay(5, 1)
    await world.press(world.ana, world.card(), "Roll")
    text = plain(world.card())
    assert "1 success against a hidden difficulty" in text and "Failure" in text
    assert "against 2" not in world.told(world.ana)
    assert "1 success, 2 needed" in await read_by_gms(world, "c2")


@pytest.mark.rule("EGO-FX-04")
async def test_an_attack_on_nobody_is_rolled(world: World) -> None:
    """A GM may rule by the range what is aimed at a door; nobody is there to set anything against
    it.
    """
    await open_table(world, step_in_minutes=0, cbp=120)
    await bring(world, world.ana, HERO)
    await world.ana.slash(world.zone, "ego use", effect="Energy Blast", approach="at the door")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.choose(world.gina, panel, "Difficulty", "Easy")
    await world.choose(world.gina, panel, "Range", "short")
    assert "The range gives the difficulty. Set Difficulty or Range to “none”." in texts(panel)
    await world.choose(world.gina, panel, "Difficulty", ":none")
    assert not menus(panel, "Difficulty"), "nothing demands what the range gives"
    await world.press(world.gina, panel, "Call for a roll")
    world.dice.lay(6, 6, 6, 6)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert not (await world.state()).checks["c1"].is_open


async def test_an_edited_spell_keeps_nothing_of_what_it_was(world: World) -> None:
    await open_table(world, step_in_minutes=0)
    await bring(world, world.ana, MAGE)
    await bring(world, world.ben, DIRK)
    said_before = {"range": "medium", "target": "Dirk", "with": "target moving"}
    await world.ana.slash(world.zone, "ego use", **SPELL, points=2, **said_before)
    assert "target moving" in plain(world.card())
    panel = message_of(await world.press(world.ana, world.newest("Edit"), "Edit"))
    await world.choose(world.ana, panel, "Range", ":none")
    await world.choose(world.ana, panel, "Points", "points: 2")
    await world.press(world.ana, panel, "More…")
    await world.choose(world.ana, panel, SHARED, "touch")
    await world.press(world.ana, panel, "Save changes")
    text = plain(world.card())
    assert "target moving" not in text and "Modifiers" not in text and "medium range" not in text


@pytest.mark.rule("EGO-FX-03", "EGO-FX-04", "EGO-DMG-04", "EGO-EFF-03")
async def test_what_is_limited_in_time_says_so_and_good_hits_hurt_more(world: World) -> None:
    await open_table(
        world,
        step_in_minutes=0,
        cbp=200,
        live="on",
        attacks_at_once="on",
        excess_successes_to_damage="on",
    )
    powers = [{"name": "Mimic", "rating": 3}, {"name": "Energy Blast", "rating": 4}]
    await bring(world, world.ana, {**HERO, "powers": powers})
    await bring(world, world.ben, {**DIRK, "vitality": 12})
    world.dice.lay(5, 1, 1)
    await world.ana.slash(world.zone, "ego use", effect="Mimic", difficulty="Easy")
    assert "It lasts 3 rounds." in plain(world.card())
    # By touch three successes against one are two more than it goes against, as they are with a
    # blade.
    await world.ana.slash(world.zone, "ego use", effect="Energy Blast", touch=True, target="Dirk")
    text = await meet(world, world.ben, "Pass", 5, 1, 1, 5, 5, 5, 1, *(1,) * 6)
    assert "Damage: 6d6 (1, 1, 1, 1, 1, 1): counts 1 + 1 + 1 + 1 + 1 + 1 = **6**" in text, text
    # Outside a fight each of them is met with all Action Points.
    for _ in range(4):
        await world.ana.slash(
            world.zone, "ego use", effect="Energy Blast", touch=True, target="Dirk"
        )
        assert "Miss" in await meet(world, world.ben, "Block or dodge", *(1,) * 10)
    # Whoever is out of it uses nothing, outside a fight as in one, and does not wake themselves.
    await world.gina.slash(world.zone, "gm adjust", character="Nova", what="non_lethal", value="16")
    for command, options in (
        ("ego use", {"effect": "Mimic", "difficulty": "Easy"}),
        ("ego act", {"action": "stand up"}),
        ("heal", {"method": "treat", "target": "Nova"}),
    ):
        assert "Nova can't act now: unconscious." in refusal_of(
            await world.ana.slash(world.zone, command, **options)
        )


async def _touched(world: World, *faces: int, answer: str = "Pass", **options: Any) -> str:
    """Nova touches Boris; what the GMs read of it."""
    use = {"effect": "Energy Blast", "touch": True, "target": "Boris", "as": "Nova"}
    await world.gina.slash(world.zone, "ego use", **use | options)
    await meet(world, world.ben, answer, *faces)
    return await read_by_gms(world)


@pytest.mark.rule("EGO-DEF-01", "EGO-DEF-03", "EGO-AP-01")
async def test_outside_rounds_each_touch_is_met_anew(world: World) -> None:
    await fight(world)
    await fighter(world, world.gina, "Nova", HERO, npc=True)
    tumble = "Tumble"
    use = {"effect": "Energy Blast", "touch": True, "target": "Boris", "as": "Nova"}
    await world.gina.slash(world.zone, "ego use", **use)
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    await world.press(world.ben, panel, tumble)
    world.dice.lay(5, 5, *(1,) * 8)
    await world.press(
        world.ben,
        message_of(await world.press(world.ben, world.newest("Defend"), "Defend")),
        "Pass",
    )
    assert "To beat: 2" in await read_by_gms(world)
    for _ in range(5):
        gms = await _touched(world, *(1,) * 14, answer="Block or dodge")
        assert "To beat: 0" in gms and "tumbling" not in gms, gms


@pytest.mark.rule("EGO-DMG-04", "EGO-FX-04", "EGO-OP-12")
async def test_each_success_above_the_defense_adds_to_a_touch(world: World) -> None:
    await fight(world)
    await world.gina.slash(
        world.zone, "gm settings", setting="excess_successes_to_damage", value="on"
    )
    await fighter(world, world.gina, "Nova", HERO, npc=True)
    gms = await _touched(world, 5, 1, 1, 1, 5, 5, 5, 5, *(1,) * 7)
    assert (
        "Hit: Boris takes 2 damage, armor stops 5 (4 successes against 1)" in gms
        and "Damage: 7d6" in gms
    ), gms


async def test_a_gm_has_the_last_word_on_how_long_an_effect_lasts(world: World) -> None:
    await open_table(world, step_in_minutes=0)
    await bring(world, world.ana, MAGE)
    for kept in (False, True):
        await world.ana.slash(
            world.zone, "ego use", **SPELL, points=2, timed=True, approach="light"
        )
        panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
        await world.choose(world.gina, panel, "Difficulty", "Easy")
        if not kept:
            await world.choose(world.gina, panel, "Timed, cover…")
        await world.press(world.gina, panel, "Call for a roll")
        world.dice.lay(6, 6)
        await world.press(world.ana, world.newest("Roll"), "Roll")
        assert ("It lasts 2 rounds." in plain(world.newest_card())) is kept


@pytest.mark.rule("EGO-IMP-01", "EGO-FX-02")
async def test_whoever_is_hurt_before_the_roll_finds_it_harder(world: World) -> None:
    await open_table(world, step_in_minutes=0)
    await bring(world, world.ana, MAGE)
    await world.ana.slash(world.zone, "ego use", **SPELL, points=2, approach="light the stove")
    await _rule(world)
    await world.gina.slash(world.zone, "gm adjust", character="Ilse", what="lethal", value="6")
    world.dice.lay(1, 6)
    await world.press(world.ana, world.card(), "Roll")
    assert "Failure, 1 success against 3" in plain(world.card())
    assert "impaired (+2)" in plain(world.card())


@pytest.mark.rule("EGO-EFF-02")
async def test_whoever_is_stunned_casts_nothing(world: World) -> None:
    await fight(world)
    await fighter(world, world.gina, "Nova", HERO | {"stunned": 3}, npc=True)
    why = refusal_of(
        await world.gina.slash(
            world.zone, "ego use", effect="Flight", difficulty="1", **{"as": "Nova"}
        )
    )
    assert "Nova can't act now: stunned for 3 rounds." in why
    why = refusal_of(await world.gina.slash(world.zone, "ego act", action="draw", **{"as": "Nova"}))
    assert why


@pytest.mark.rule("EGO-FX-04", "EGO-ATK-01")
async def test_no_effect_strikes_the_dead_and_the_gm_judges_the_helpless(world: World) -> None:
    await fight(world, boris={"powers": [{"name": "Fire", "rating": 3}]})
    blast: dict[str, Any] = {"effect": "Fire", "target": "Orc"}
    await world.gina.slash(world.zone, "gm adjust", character="Orc", what="non_lethal", value="24")
    for how in ({"range": "short"}, {"touch": True}):
        await world.ben.slash(world.zone, "ego use", **blast, **how)
        assert (await world.check(f"c{(await world.state()).counters.check}")).stage == "proposed"
    await world.gina.slash(world.zone, "gm adjust", character="Orc", what="lethal", value="12")
    for how in ({"range": "short"}, {"touch": True}):
        why = refusal_of(await world.ben.slash(world.zone, "ego use", **blast, **how))
        assert "The target is dead already." in why
    # What does not strike may still be used on a corpse.
    world.dice.lay(5, 1, 1)
    await world.ben.slash(world.zone, "ego use", **blast, difficulty="Easy")
    assert world.dice.left == 0


async def test_what_a_gm_asked_of_a_spell_is_forgotten_with_them(world: World) -> None:
    await open_table(world, step_in_minutes=0)
    await bring(world, world.ana, MAGE)
    await bring(world, world.ben, DIRK)
    state = await world.state()
    for kind in ("effect", "rest"):
        course = read_only_game(state).system.procedures[kind]
        asked = Check(
            "c1", kind, "1", "ana", OVER, 0, course.data(question="Why?", asked_by="gina")
        )
        assert not course.forget(asked, "gina", ()).question


@pytest.mark.rule("EGO-FX-01")
async def test_an_effect_that_the_campaign_has_no_more_can_still_be_used(world: World) -> None:
    await open_table(world, step_in_minutes=0)
    rows = {"effects": [{"name": "Ice Ray", "category": "Energy", "most": 4}]}
    for data in (rows, {}):
        await world.gina.slash(
            world.zone, "gm campaign", file=("rows.json", json.dumps(data).encode())
        )
        if data:
            await bring(world, world.ana, HERO | {"powers": [{"name": "Ice Ray", "rating": 3}]})
    told = await world.ana.slash(world.zone, "ego use", effect="Ice Ray", approach="cool the lock")
    assert "Nova uses Ice Ray: rating 3" in texts(message_of(told))


@pytest.mark.rule("EGO-DMG-03", "EGO-FX-04")
async def test_a_gm_has_an_effect_stun(world: World) -> None:
    await open_table(world, step_in_minutes=0, cbp=200)
    await bring(world, world.ana, HERO)
    await bring(world, world.ben, DIRK)
    shot = {"effect": "Energy Blast", "target": "Dirk", "range": "short", "approach": "set to stun"}
    told = await world.ana.slash(world.zone, "ego use", **shot, **{"with": "non-lethal"})
    assert "Only the GM can do that." in refusal_of(told)
    await world.ana.slash(world.zone, "ego use", **shot)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.choose(world.gina, panel, "Timed, cover…", "non-lethal")
    await world.press(world.gina, panel, "Call for a roll")
    world.dice.lay(6, 1, 1, 1, 1, 1, 1, 1)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert world.dice.left == 0, "four of its rating, and as many of damage"
    dirk = await sheet(world, "Dirk")
    assert (dirk.lethal, dirk.non_lethal) == (0, 4)


@pytest.mark.rule("EGO-RNG-02", "EGO-FX-04")
async def test_what_counts_for_attacks_alone_is_refused_where_nobody_is_attacked(
    world: World,
) -> None:
    await open_table(world, step_in_minutes=0)
    await bring(world, world.ana, MAGE)
    light: dict[str, Any] = {**SPELL, "points": 1, "approach": "light the stove"}
    text = refusal_of(await world.ana.slash(world.zone, "ego use", **light, **{"with": "cover"}))
    assert "`cover` counts only for an attack with range. Say so, or leave it out." in text, text
    await world.ana.slash(world.zone, "ego use", **light)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert panel is not None and not (await world.check()).data.factors


async def test_no_row_of_a_campaign_has_dice_by_the_thousand(world: World) -> None:
    """Nor parts: everybody would wait for whoever throws them, at whatever table."""
    await open_table(world)
    cannon = {
        "name": "Big",
        "damage": [{"dice": 300_000}],
        "skill": "Gun Combat",
        "limits": [10_000_000],
    }
    cannon |= {"rate": 1_000_000}
    ark = {"name": "Ark", "kind": "ground", "sections": 1_000_000, "damage_points": 9, "ar": 5}
    speeds = {"speed_max": 9, "speed_min": 0, "acceleration": 3, "maneuverability": 101}
    horde = {
        "name": "Horde",
        "att": 100_000,
        "defence": 3,
        "damage": [4, 1000],
        "vitality": 9,
        "ar": 0,
    }
    rows = {"weapons": [cannon], "vehicles": [ark | speeds], "enemies": [horde]}
    file = ("rows.json", json.dumps(rows).encode())
    told = refusal_of(await world.gina.slash(world.zone, "gm campaign", file=file))
    for place in (
        *(
            "weapons[0].damage[0].dice",
            "weapons[0].limits[0]",
            "weapons[0].rate",
            "vehicles[0].sections",
        ),
        *("vehicles[0].maneuverability", "enemies[0].att", "enemies[0].damage[1]"),
    ):
        assert f"`{place}`: invalid value" in told, told


async def test_nobody_waits_years_for_wounds_beyond_bearing(world: World) -> None:
    """Regeneration throws dice round by round: the dead have none, and a file says no more than
    could be.
    """
    await open_table(world)
    regenerates = HERO | {"powers": [{"name": "Regeneration", "rating": 1}]}
    told = await world.hand_in(
        world.ana, "h.json", json.dumps(regenerates | {"name": "Sore", "non_lethal": 1000})
    )
    assert "Use a number from 0 to 999" in refusal_of(told)
    await bring(world, world.ana, regenerates | {"name": "Gone", "lethal": 9999}, grown=True)
    await world.gina.slash(world.zone, "gm time", advance="20000 days")
    assert (await sheet(world, "Gone")).lethal == 9999


@pytest.mark.rule("EGO-MAG-02", "EGO-MAG-03", "EGO-RNG-01", "EGO-AP-01")
async def test_the_gm_gives_a_spell_its_range_and_all_read_what_is_rolled(world: World) -> None:
    await fight(world, boris={"powers": [{"name": "Fire", "source": "magic"}]} | WIZARD)
    await gather(world)
    await next_turn(world, *INITIATIVE)
    spell: dict[str, Any] = {"effect": "Fire (magic)", "points": 2, "target": "Orc"}
    await world.ben.slash(world.zone, "ego use", **spell, approach="a jet of flame")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert "A roll needs a difficulty" in texts(panel)
    await world.choose(world.gina, panel, "Range", "medium")
    text = plain(panel)
    assert "A roll needs a difficulty" not in text and "Difficulty: 2 (medium range)" in text
    assert not menus(panel, "Difficulty"), "no level beside the one that counts"
    # Magic 3 and 4 dice of Intellect: not the 2 that are damage.
    assert "Pool: Magic 3 and Intellect 4: 7 dice, 74% from the bare dice" in text, text
    assert "Fire (magic), 2 points" in text and "It costs 1 of 4 Action Points." in text
    await world.press(world.gina, panel, "Call for a roll")
    text = (await newest(world)).replace("**", "")
    assert "roll 7 dice against 2 (medium range): 74%" in text and "7 dice, 74%" in text, text
    number = (await world.state()).counters.check
    shown = private(await world.ben.slash(world.zone, "odds", check=f"c{number}"))
    assert "74% against 2" in shown and "Fire (magic), 2 points" in shown, shown
    await world.restart()
    world.dice.lay(5, 5, 5, 1, 1, 1, 1, 6, 6)
    await world.press(world.ben, world.newest("Roll"), "Roll")
    assert world.dice.left == 0
    text = await newest(world)
    assert "Boris: Magic pool 13 → 11" in text and "Boris: Action Points 4 → 3" in text, text
    assert text.index("7d6") < text.index("Damage"), "the damage follows the roll it comes of"
    await world.gina.slash(world.zone, "gm undo")
    boris = await sheet(world, "Boris")
    assert (boris.magic, boris.round.spent) == (13, 0)
    # The GM may have it free.
    panel = message_of(await world.press(world.gina, world.newest("React"), "React"))
    dialog = message_of(await world.press(world.gina, panel, "Call for a roll…"))
    await world.choose(world.gina, dialog, SHARED, "free")
    await world.press(world.gina, dialog, "Call for a roll")
    world.dice.lay(*misses(7))
    await world.press(world.ben, world.newest("Roll"), "Roll")
    boris = await sheet(world, "Boris")
    assert (boris.magic, boris.round.spent) == (11, 0)


@pytest.mark.rule("EGO-MAG-03")
async def test_the_pool_of_an_npcs_spell_is_the_gms_alone(world: World) -> None:
    await fight(world)
    mage = WIZARD | {"powers": [{"name": "Fire", "source": "magic"}], "agility": 9}
    await fighter(world, world.gina, "Hexer", mage, npc=True)
    spell = {"effect": "Fire (magic)", "points": 2, "target": "Boris", "range": "short"}
    world.dice.lay(5, *misses(6), 1, 1)
    await world.gina.slash(world.zone, "ego use", **spell, **{"as": "Hexer"})
    assert "Magic pool" not in world.told(world.ana) and "7 dice" not in world.told(world.ana)
    assert "Hexer: Magic pool 13 → 11" in await read_by_gms(world)
