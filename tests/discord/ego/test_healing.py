"""Getting better: wounds and a week's healing, waking the knocked out, sleep; with undo and
restart.
"""

from __future__ import annotations

from typing import Any

import pytest

from rules.systems.ego.formulas import damage
from tests.discord.ego.play import DIRK, bring, open_table, sheet
from tests.discord.ego.test_advancement import MAGE
from tests.discord.world import World, card, message_of, private, refusal_of, texts

MEDIC: dict[str, Any] = {
    "name": "Ute",
    "muscle": 6,
    "agility": 6,
    "intellect": 9,
    "vitality": 8,
    "skills": [{"name": "Medical", "level": 2}],
}


async def _hurt(world: World, **changes: Any) -> None:
    """Dirk, hurt, as a GM brings him back in."""
    await bring(world, world.ana, DIRK)
    await bring(world, world.gina, {**DIRK, "karma": 11, **changes}, replace=True, grown=True)


async def _passes(world: World, span: str) -> str:
    await world.gina.slash(world.zone, "gm time", advance=span)
    return texts(world.last())


async def _rests(world: World, **options: Any) -> None:
    await world.ana.slash(world.zone, "heal", method="rest", **options)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.press(world.gina, panel, "Allow the rest")


@pytest.mark.rule("EGO-REC-01", "EGO-REC-02")
async def test_wounds_and_a_week_of_healing(world: World) -> None:
    await open_table(world)
    await _hurt(world, vitality=8, lethal=7, non_lethal=3)
    told = await _passes(world, "1 day")
    assert "Dirk heals 1 and recovers 3 Stun, Vitality 2 of 8." in told
    assert (await sheet(world, "Dirk")).lethal == 6
    await _rests(world, **{"with": "days 2, care rest"})
    assert "2 days of rest: heals 2 a day" in card(world)
    await world.restart()
    assert "heals" not in await _passes(world, "12 hours")
    assert "heals 2, Vitality 4 of 8" in await _passes(world, "12 hours")
    assert "heals 3, Vitality 7 of 8" in await _passes(world, "2 days")  # one of rest, one of none
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Dirk")).lethal == 4
    await _rests(world, **{"with": "days 1, care medical"})
    assert "heals 4, Vitality 8 of 8" in await _passes(world, "1 day")


@pytest.mark.rule("EGO-EFF-03", "EGO-KAR-02")
async def test_a_medical_roll_wakes_who_was_knocked_out(world: World) -> None:
    await open_table(world)
    await _hurt(world, non_lethal=18, down="unconscious")
    await bring(world, world.ben, MEDIC)
    world.dice.lay(5, 1, 1, 2, 3)
    await world.ben.slash(world.zone, "heal", method="treat", target="Dirk")
    assert "1 success, 2 needed" in card(world)
    flip = "Flip a die: 1 of 10 Karma"
    await world.spend(world.card(), flip, world.ben)
    assert "2 successes, 2 needed" in card(world)
    await world.spend(world.card(), "Accept result", world.ben)
    assert "Dirk comes to" in card(world)
    woken = await sheet(world, "Dirk")
    assert (woken.down, woken.non_lethal) == ("", 15)
    assert (await sheet(world, "Ute")).karma == 9
    refusal_of(await world.ben.slash(world.zone, "heal", method="treat", target="Dirk"))
    await world.gina.slash(world.zone, "gm undo")
    await world.restart()
    assert (await sheet(world, "Dirk")).down == "unconscious"


@pytest.mark.rule("EGO-MAG-04")
async def test_sleep_fills_the_pool(world: World) -> None:
    await open_table(world)
    await bring(world, world.ana, MAGE)
    await bring(world, world.gina, {**MAGE, "magic": 3}, replace=True, grown=True)
    await world.ana.slash(world.zone, "heal", method="sleep", **{"with": "hours 5"})
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.press(world.gina, panel, "Allow the rest")
    assert "Magic pool: 3 → 13 of 14" in card(world)
    assert (await sheet(world, "Ilse")).magic == 13
    private(await world.gina.slash(world.zone, "gm undo"))
    assert (await sheet(world, "Ilse")).magic == 3


@pytest.mark.rule("EGO-DMG-04", "EGO-EFF-03")
async def test_the_gm_sets_by_hand_what_somebody_has_taken(world: World) -> None:
    await open_table(world)
    await _hurt(world, vitality=8)

    async def sets(what: str, value: str) -> str:
        """What the GM is answered, and the message in the GM channel."""
        answer = private(
            await world.gina.slash(
                world.zone, "gm adjust", character="Dirk", what=what, value=value
            )
        )
        return f"{answer}\n{texts(world.messages(world.gm_room)[-1])}"

    told = await sets("lethal", "8")
    assert told.startswith("## Dirk is now dead: set by hand"), told
    assert "Lethal damage: 0 → 8, dead" in told
    assert "Lethal damage: 8 → 2, up again" in await sets("lethal", "2")
    assert "Non-lethal damage: 0 → 16, unconscious" in await sets("non_lethal", "16")
    assert "Karma: 11 → 3" in await sets("karma", "3")
    await world.restart()
    assert (await sheet(world, "Dirk")).down == "unconscious"
    assert "Non-lethal damage: 16 → 1, up again" in await sets("non_lethal", "1")
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Dirk")).down == "unconscious"


@pytest.mark.rule("EGO-REC-01")
async def test_days_of_rest_are_over_even_for_whoever_had_nothing_to_heal(world: World) -> None:
    await open_table(world)
    await _hurt(world)
    rest = {"method": "rest", "with": "days 7, care medical"}
    told = refusal_of(await world.ana.slash(world.zone, "heal", **rest))
    assert "Dirk has nothing that rest heals." in told, "no GM is asked for it"
    await world.gina.slash(world.zone, "heal", target="Dirk", **rest)
    await _passes(world, "10 days")
    await world.gina.slash(world.zone, "gm adjust", character="Dirk", what="lethal", value="5")
    assert "heals 1, Vitality 4 of 8" in await _passes(world, "1 day")


@pytest.mark.parametrize("stage", ["off", "revealed"])
async def test_how_npcs_recover_among_themselves_is_the_gms(world: World, stage: str) -> None:
    """Neither that there is somebody off stage, nor how full an NPC's pool is."""
    await open_table(world)
    asleep = {**MEDIC, "name": "Morr", "down": damage.KNOCKED_OUT, "vitality": 8}
    for each in ({**MAGE, "name": "Zorvath", "magic": 2}, MEDIC, asleep):
        await bring(world, world.gina, each, npc=True, grown=True)
        await world.gina.slash(world.zone, "gm npc reveal", npc=each["name"], stage=stage)
    before = [texts(each) for each in world.messages()]
    slept = message_of(await world.gina.slash(world.zone, "heal", method="sleep", target="Zorvath"))
    assert "Magic pool: 2 \N{RIGHTWARDS ARROW}" in texts(slept)
    await world.gina.slash(world.zone, "heal", method="rest", target="Zorvath")
    await world.gina.slash(world.zone, "heal", method="treat", target="Morr", **{"as": "Ute"})
    state = await world.state()
    assert [each.kind for each in state.checks.values()] == ["rest", "rest", "treat"]
    assert [texts(each) for each in world.messages()] == before
