"""Holds, two blows in one, armor in parts, reloading, through Discord."""

from __future__ import annotations

from typing import Any, Final

import pytest

from rules.systems.masterbook.checks.action_economy import ACTED, HELD
from tests.discord.masterbook.table import attack, meet, newest, open_table, refused_attack, sheet
from tests.discord.masterbook.test_attack import COLT, shot_options
from tests.discord.masterbook.test_rounds import mark_value
from tests.discord.rounds import gather, next_turn
from tests.discord.world import World, dialog_values, message_of, private, public, refusal_of, texts

FIST: Final = {"weapon": "unarmed", "approach": "on the bar"}
WRESTLER: Final[dict[str, Any]] = {
    "skills": [{"name": "Martial Arts", "focus": "wrestling", "adds": 3}]
}
BOXER: Final[dict[str, Any]] = {"skills": [{"name": "Martial Arts", "focus": "boxing", "adds": 3}]}


def _with(words: str) -> dict[str, Any]:
    return FIST | {"with": words}


async def _escapes(world: World, *faces: int, how: str = "escape") -> str:
    world.dice.lay(*faces)
    await world.ben.slash(world.zone, "mb move", how=how)
    assert world.dice.left == 0
    return await newest(world)


@pytest.mark.rule("MB-SKILL-MARTIAL-ARTS", "MB-OPT-03")
async def test_a_hold_and_the_way_out_of_it(world: World) -> None:
    await open_table(world, sheets={"Vesna": WRESTLER})
    assert "Nobody holds Boris" in refusal_of(
        await world.ben.slash(world.zone, "mb move", how="escape")
    )
    assert "Boris isn't held. Grapple first." in await refused_attack(
        world, world.ana, "Boris", **_with("hold")
    )
    await attack(world, world.ana, "Boris", **_with("grapple"))
    text = await meet(world, world.ben, "Pass", 5, 6)
    assert "Boris is held." in text, text
    # 9 + 3 + 1: 13 has to be beaten, a minimal success is too little.
    text = await _escapes(world, 8, 7)
    assert text.startswith("## ✗ Failure") and "Boris is still held." in text, text
    await attack(world, world.ana, "Boris", **_with("hold"))
    text = await meet(world, world.ben, "Pass", 1, 1)
    assert await mark_value(world, "Boris", HELD) == 13, (
        "a try that fails leaves the hold as it was"
    )
    # Strength 9 against 9 and 3 adds.
    text = await _escapes(world, 8, 6, how="escape by strength")
    assert "still held" in text, text
    text = await _escapes(world, 10, 6, 2, how="escape by strength")
    assert text.startswith("## ✓ Success") and "Boris gets free." in text, text
    assert not await mark_value(world, "Boris", HELD)
    await world.gina.slash(world.zone, "gm undo")
    assert await mark_value(world, "Boris", HELD) == 13


@pytest.mark.rule("MB-SKILL-MARTIAL-ARTS", "MB-MUL-01")
async def test_a_combination_is_two_blows_and_one_action(world: World) -> None:
    await open_table(world, sheets={"Vesna": BOXER})
    await gather(world, "Thug")
    await next_turn(world, 9, 9, 5, 5, 1, 1)
    for blow in range(2):
        text = await attack(world, world.ana, "Thug", 5, 5, **_with("combination"))
        assert "several actions" not in text, (blow, text)
        assert await mark_value(world, "Vesna", ACTED) == 1
    assert "no action left" in await refused_attack(
        world, world.ana, "Thug", **_with("combination")
    )


@pytest.mark.rule("MB-EQ-32", "MB-EQ-30")
async def test_armor_counts_where_it_covers(world: World) -> None:
    coat = {"armour": [{"name": "Vest", "add": 8, "covers": ["chest", "abdomen"]}]}
    await open_table(world, sheets={"Boris": coat}, rules={"partial_armor_coverage": "on"})
    found: list[str] = []
    for part in ("chest", "leg"):
        await attack(world, world.ana, "Boris", **shot_options(part))
        found.append(await meet(world, world.ben, "Pass", 9, 9))
        await world.gina.slash(world.zone, "gm undo")
    assert "unhurt" not in found[1] and found[0] != found[1], found
    told = private(await world.ben.slash(world.zone, "character show"))
    assert "Vest +8; chest, abdomen" in told, told


@pytest.mark.rule("MB-COV-01")
async def test_a_miss_at_somebody_wholly_hidden_names_the_number_with_what_hides_them(
    world: World,
) -> None:
    await open_table(world)
    await attack(world, world.ana, "Boris", **shot_options("concealment: complete"))
    text = await meet(world, world.ben, "Active", 9, 9, 1, 1)
    # 13, 1 and 7 against Agility 9, Dodge 2 and 3, and 12 for being out of sight.
    assert text.startswith("## ✗ Miss, 21 against 26"), text


@pytest.mark.rule("MB-EQ-04", "MB-ACT-01", "MB-SKILL-COMBAT")
async def test_reloading_is_a_simple_action(world: World) -> None:
    gun = {"name": "Chain gun (7.62)", "rounds": 0, "magazine": 50}
    arms = [{"name": COLT, "rounds": 1, "magazine": 6}, gun]
    await open_table(world, sheets={"Vesna": {"arms": arms}, "Boris": {"arms": []}})
    told = public(await world.ana.slash(world.zone, "mb reload", weapon="Colt"))
    assert "Reloads Colt .45 revolver, 6 rounds." in told, told
    assert (await sheet(world, "Vesna")).arms[0].rounds == 6
    assert "fully loaded" in refusal_of(
        await world.ana.slash(world.zone, "mb reload", weapon="Colt")
    )
    chain = refusal_of(await world.ana.slash(world.zone, "mb reload", weapon="Chain gun"))
    assert "Reloading this takes training in Heavy Weapons." in chain
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Vesna")).arms[0].rounds == 1
    assert "Use Colt .45 revolver" in refusal_of(
        await world.ana.slash(world.zone, "mb reload", weapon="Bow")
    )
    await gather(world)
    await next_turn(world, 9, 9, 5, 5)
    for _ in range(3):
        await world.ana.slash(world.zone, "mb act", action="look around")
    world.dice.lay(1, 1)
    await world.ana.slash(world.zone, "mb reload", weapon="Colt")
    assert "it isn't done" in await newest(world), await newest(world)
    empty = refusal_of(await world.ben.slash(world.zone, "mb reload", weapon="Colt"))
    assert "Boris has nothing to reload." in empty
    assert (await sheet(world, "Vesna")).arms[0].rounds == 1
    world.dice.lay(5, 5)
    await world.ana.slash(world.zone, "mb reload", weapon="Colt")
    assert (await sheet(world, "Vesna")).arms[0].rounds == 6


@pytest.mark.rule("MB-EQ-50")
async def test_looking_for_something_to_buy(world: World) -> None:
    await open_table(world)
    world.dice.lay(9, 9)
    await world.ana.slash(
        world.zone, "mb find", item="a box of cartridges", code=1, **{"with": "rows: strict"}
    )
    text = await newest(world)
    # Untrained: Confidence 8 and 7 against 10 and 6 for the police.
    assert text.startswith("## ✗ Failure, 15 against 16"), text
    assert "> a box of cartridges" in text and "Streetwise 8" in text
    await world.gina.slash(world.zone, "gm undo")
    assert "c1" not in (await world.state()).checks
    wares = await world.ana.autocomplete(world.zone, "mb find", "item", "Uzi")
    assert "Uzi SMG (9mm), restricted" in str(wares), wares
    await world.ana.slash(world.zone, "mb find", item="a prototype", code=5)
    assert "Answer" in texts(world.last()), "beyond the codes the GM says how hard it is"


@pytest.mark.rule("MB-EQ-50", "MB-SKILL-05")
async def test_whoever_knows_the_streets_looks_with_that(world: World) -> None:
    learned = {"skills": [{"name": "Streetwise", "adds": 3}]}
    await open_table(world, sheets={"Vesna": learned})
    world.dice.lay(5, 5)
    await world.ana.slash(world.zone, "mb find", item="a box of cartridges", code=1)
    text = await newest(world)
    assert text.startswith("## ✓ Success") and "Streetwise 11" in text, text


@pytest.mark.rule("MB-EQ-23", "MB-OPT-02")
async def test_a_thrown_rock_and_a_trick_shot(world: World) -> None:
    await open_table(
        world, sheets={"Vesna": {"arms": [{"name": "Small rock"}, {"name": COLT}]}}, live=False
    )
    rock = {
        "weapon": "Small rock",
        "approach": "at the lamp",
        "with": "thrown, range: 4, trick_shot",
    }
    await world.ana.slash(world.zone, "attack", target="Thug", **rock)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    dialog = await world.press(world.gina, panel, "Harder by…")
    await world.gina.submit_modal(dialog, dialog_values(dialog) | {"trick": "-2 0 4"})
    world.dice.lay(9, 9)
    await world.press(world.gina, panel, "Call for a roll")
    text = await newest(world)
    assert "Small rock, Thrown Weapons 10" in text and "trick shot (−2)" in text, text
