"""EBB's checks by procedure on Discord: one card from the proposal to what came of it."""

from __future__ import annotations

import pytest

from rules.systems.ebb.sheet import Injury
from tests.discord.world import World, card, has_decision, labels, message_of, refusal_of, texts

IDEA, DEFENSE = "from behind the rusted bus", "flat behind the curb"


@pytest.mark.rule("EBB-ATTACK")
async def test_an_attack_from_the_proposal_to_the_injury(world: World) -> None:
    await world.table()
    options = {"target": "Ilka", "skill": "Rifles", "attribute": "Alertness", "with": "flaw"}
    await world.ana.slash(world.zone, "attack", approach=IDEA, weapon="rifle", **options)
    assert "Marek attacks Ilka" in card(world)
    assert IDEA not in card(world)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert "Roll how well" not in labels(panel)
    await world.press(world.gina, panel, "Call for a roll")
    assert card(world).startswith("## Marek attacks Ilka: choose a defense")
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    modal = await world.press(world.ben, panel, "Approach…")
    await world.ben.submit_modal(modal, {"approach": DEFENSE})
    await world.choose(world.ben, panel, "Skill", "Running")
    assert DEFENSE not in card(world)
    world.dice.lay(9, 6, 2, 3)
    await world.press(world.ben, panel, "Defend")
    assert card(world).startswith("## Hit so far, 2 extra results")
    assert has_decision(card(world), "Ben")
    assert all(each in card(world) for each in (IDEA, DEFENSE, "Ilka: d10 (2) + d6 (3) = **5**"))
    panel = message_of(await world.press(world.ben, world.newest("React"), "React"))
    assert "Re-roll the d6 for 1 of your 3 Fate" in texts(panel)
    await world.press(world.ben, panel, "Accept result")
    assert card(world).startswith(
        "## Hit, 2 extra results: Ilka chooses between a flesh wound and full damage\n"
        "Marek attacks Ilka: Rifles"
    )
    await world.press(world.ben, world.card(), "Full damage")
    # What is chosen is not offered again; a flesh wound still is.
    assert labels(world.card()) == [
        "Reword the injury",
        "Take a flesh wound",
        "Step in",
    ]
    assert card(world).startswith("## Hit, 2 extra results: Ilka is hurt (injury)")
    assert "New injury: rifle (light)." in card(world)
    reword = "Reword the injury"
    panel = message_of(await world.press(world.gina, world.newest(reword), reword))
    modal = await world.press(world.gina, panel, "Write…")
    await world.gina.submit_modal(modal, {"text": "a broken arm", "part": "arm"})
    await world.press(world.gina, panel, "Save the injury")
    assert card(world).startswith("## Hit, 2 extra results: Ilka is hurt (injury)")
    state = await world.state()
    assert state.characters["k2"].sheet.injuries[-1] == Injury("a broken arm", "arm")


@pytest.mark.rule("EBB-ATTACK")
async def test_a_gm_says_afterwards_what_a_hit_did_to_an_npc(world: World) -> None:
    await world.table(step_in_minutes=0)
    await world.bring(world.gina, "Sidor", npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Sidor")
    await world.ana.slash(world.zone, "attack", target="Sidor", skill="Rifles", approach=IDEA)
    await world.rule(level="Easy")
    world.dice.lay(6, 3)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    change = "Change the hit"
    panel = message_of(await world.press(world.gina, world.newest(change), change))
    modal = await world.press(world.gina, panel, "Write…")
    await world.gina.submit_modal(modal, {"text": "a broken wrist"})
    await world.press(world.gina, panel, "Full damage")
    assert "a broken wrist" in card(world)


@pytest.mark.rule("EBB-HEAL")
async def test_rest_takes_a_gms_word_and_no_dice(world: World) -> None:
    await world.table()
    await world.gina.slash(
        world.zone, "gm adjust", character="Marek", what="lost:Fitness", value="1"
    )
    await world.ana.slash(world.zone, "heal", method="rest", approach="a week in the hut")
    assert "Marek rests" in card(world)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.press(world.gina, panel, "Allow the rest")
    assert card(world).startswith("## ✓ There is enough time to rest")
    assert "Fitness +1" in card(world)
    told = refusal_of(await world.ana.slash(world.zone, "heal", method="rest"))
    assert "Marek has nothing that rest heals." in told, "no GM is asked for it"


@pytest.mark.rule("EBB-HEAL")
async def test_a_gm_may_let_somebody_rest_who_has_lost_nothing(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "heal", method="rest", target="Marek")
    assert "Nothing to restore" in card(world)


async def test_what_is_still_unsaid_is_asked_for_and_nothing_less_is_sent(world: World) -> None:
    await world.table()
    await world.ana.slash(world.zone, "check", skill="Climbing")
    await world.rule(level="Tricky")
    shown = await world.press(world.ana, world.newest("Write"), "Write")
    assert shown.modal is not None, "the dialog comes at once"
    await world.ana.submit_modal(shown, {"approach": " "})
    assert (await world.check()).data.answer, "the GM's answer stands"
    shown = await world.press(world.ana, world.newest("Write"), "Write")
    await world.ana.submit_modal(shown, {"approach": "up the drainpipe"})
    check = await world.check()
    assert (check.stage, check.approach) == ("proposed", "up the drainpipe")


async def test_a_contest_asks_for_a_difficulty_once_it_is_with_an_npc(world: World) -> None:
    await world.table()
    for target, asked in (({}, False), ({"target": "Ilka"}, False), ({"target": "Sidor"}, True)):
        if asked:
            await world.bring(world.gina, "Sidor", npc=True)
            await world.gina.slash(world.zone, "gm npc reveal", npc="Sidor")
        panel = message_of(await world.ana.slash(world.zone, "contest", **target))
        told = texts(panel)
        for _ in range(2):
            await world.press(world.ana, panel, "More…")
            told += texts(panel)
        assert ("Difficulty: none" in told) is asked, told


@pytest.mark.rule("EBB-ROLL")
async def test_a_d10_beside_the_main_die_stands_apart(world: World) -> None:
    await world.setup()
    abilities = [{"name": "Climbing", "group": "Fitness", "die": "d10"}]
    await world.bring(world.ana, "Marek", abilities=abilities, drawbacks=["Slow"], grown=True)
    await world.rolled(10, 6, 4)
    assert "2d10 (10, 6) + d10 (4) + Fitness 1 = **21**" in card(world)
    world.dice.lay(7)
    await world.spend(world.card(), "Re-roll d10")
    assert "2d10 (10, 6) + d10 (4→7) + Fitness 1 = **24**" in card(world)


async def test_a_hidden_difficulty_stays_with_the_gms(world: World) -> None:
    await world.table()
    await world.ana.slash(
        world.zone, "check", skill="Climbing", approach="up the rope", difficulty="tricky"
    )
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.choose(world.gina, panel, "All the rest", "hidden")
    await world.press(world.gina, panel, "Call for a roll")
    world.dice.lay(4, 2)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert card(world).startswith("## ✗ Failure so far")
    assert "Tricky" not in card(world)
