"""Tasks in steps: set by the GM, tried as the cards allow, to the last ditch."""

from __future__ import annotations

from typing import Any

import pytest

from rules.systems.masterbook.checks.action_economy import ACTED
from rules.systems.masterbook.rounds.task_state import task_at
from tests.discord.masterbook.cards.stacked_deck import rounds, whole
from tests.discord.masterbook.table import attack, newest, open_table
from tests.discord.masterbook.test_attack import KNIFE
from tests.discord.masterbook.test_rounds import mark_value
from tests.discord.rounds import acts, gather, next_turn
from tests.discord.world import World, labels, message_of, private, public, refusal_of, texts

STEPS = {
    "name": "The winch",
    "step_a": "Stealth 10",
    "step_b": "Stealth, Agility 10",
    "step_c": "Stealth 12",
    "step_d": "Strength 12",
}


async def task(world: World) -> tuple[int, int, str]:
    """Steps that are done, rounds that are used, how it stands."""
    found = task_at(await world.state(), str(world.zone.id))
    assert found is not None
    return found.task.level, found.task.rounds, found.task.status


async def tried(world: World, who: Any, *faces: int, **said: str) -> str:
    """A try at the next step; what its card says."""
    world.dice.lay(*faces)
    await who.slash(world.zone, "mb task try", **said)
    assert world.dice.left == 0
    return await newest(world)


async def round_(world: World) -> str:
    """Both have had their turn; what the next round says."""
    await next_turn(world)
    return await next_turn(world)


@pytest.mark.rule("MB-CARD-C01", "MB-CARD-C02", "MB-CARD-C03", "MB-CARD-C08", "MB-CARD-N01")
async def test_step_by_step_against_the_clock(world: World) -> None:
    await rounds(world)
    early = refusal_of(await world.gina.slash(world.zone, "mb task start", **STEPS))
    assert "rounds only. Start them with" in early, early
    assert "no task here" in refusal_of(await world.ana.slash(world.zone, "mb task try"))
    # 75: A C; then 55: A B C, 14: A D.
    await next_turn(world, *whole(75, 55, 14))
    refusal_of(await world.ana.slash(world.zone, "mb task start", **STEPS))
    bad = refusal_of(
        await world.gina.slash(world.zone, "mb task start", name="The pins", step_a="Juggling 10")
    )
    assert "Can't read that step" in bad
    text = public(await world.gina.slash(world.zone, "mb task start", rounds=3, **STEPS))
    assert (
        "Task: The winch" in text
        and "You can try step A: press Try step A, or `/mb task try`." in text
        and ", 12" not in text
    ), text
    assert "**Step D:** Strength, 12" in private(await world.gina.slash(world.zone, "mb task show"))
    assert ", 12" not in private(await world.ana.slash(world.zone, "mb task show"))
    assert "under way" in refusal_of(await world.gina.slash(world.zone, "mb task start", **STEPS))
    wrong = refusal_of(await world.ben.slash(world.zone, "mb task try", skill="Taunt"))
    assert "doesn't work for this step" in wrong, wrong
    text = await tried(world, world.ben, 5, 6)
    assert (
        "Success, 13 against a hidden difficulty" in text
        and "1 of 4 steps done, 3 rounds left." in text
    ), text
    assert await task(world) == (1, 0, "open")
    assert "all the steps" in refusal_of(await world.ben.slash(world.zone, "mb task try"))
    await world.restart()
    text = await round_(world)
    assert "1 of 4 steps done, 2 rounds left." in text, text
    assert "step A, B or C. You can try step B: press Try step B, or `/mb task try`." in text, text
    # A try that fails on a letter costs nothing, and may be made again.
    assert "1 of 4 steps done" in await tried(world, world.ben, 1, 1)
    await next_turn(world)
    await tried(world, world.ana, 5, 6)
    assert await task(world) == (2, 1, "open")
    await world.gina.slash(world.zone, "gm undo")
    assert await task(world) == (1, 1, "open")
    text = await next_turn(world)
    assert "Step B has to wait for another card." in text and await task(world) == (1, 2, "open"), (
        text
    )
    missing = refusal_of(await world.ben.slash(world.zone, "mb task try"))
    assert "doesn't show step B" in missing, missing
    assert "Time is up" in await round_(world)
    assert await task(world) == (1, 3, "failed")
    assert "over" in refusal_of(await world.ben.slash(world.zone, "mb task try"))


@pytest.mark.rule("MB-CARD-C04", "MB-CARD-C05", "MB-CARD-C06", "MB-CARD-C07")
async def test_to_the_last_ditch(world: World) -> None:
    await rounds(world, csr_steps_per_round="2")
    # 50: A B D; 4: complication; 33: possible setback; 2: critical problem, then nothing fits.
    await next_turn(world, *whole(50, 4, 3, 2, 31))
    await world.gina.slash(
        world.zone,
        "mb task start",
        name="The ledge",
        shown=True,
        step_a="Stealth 10",
        step_b="Stealth 10",
        step_c="Stealth 10",
    )
    await tried(world, world.ben, 5, 6)
    await next_turn(world)
    await tried(world, world.ana, 5, 6)
    assert await task(world) == (2, 0, "open")
    assert (
        "This round's card: complication. You can try step C: press Try step C, or `/mb task try`."
        in await next_turn(world)
    )
    text = await tried(world, world.ben, 1, 1)
    assert "Failure" in text and "+1 to every step left" in text, text
    text = await round_(world)
    assert "possible setback" in text
    await tried(world, world.ben, 1, 1)
    assert await task(world) == (1, 2, "open")
    assert "critical problem" in await round_(world)
    await tried(world, world.ben, 1, 1)
    panel = message_of(
        await world.press(world.gina, world.newest("Set new difficulties"), "Set new difficulties")
    )
    await world.press(world.gina, panel, "Set new difficulties…")
    modal = await world.press(world.gina, panel, "Each step harder by…")
    assert "How much harder each step becomes, 0 to 20" in str(modal.modal), modal.modal
    await world.gina.submit_modal(modal, {"raised": "2"})
    await world.press(world.gina, panel, "Set new difficulties")
    state = task_at(await world.state(), str(world.zone.id))
    assert state is not None
    assert [(each.dn, each.barred) for each in state.task.steps] == [
        (10, ()),
        (12, ("Stealth",)),
        (12, ("Stealth",)),
    ]
    await world.restart()
    # Somebody takes Dodge for B and Melee Combat for C: 12 + 1 and 2 for each step left.
    await round_(world)
    barred = refusal_of(await world.ben.slash(world.zone, "mb task try"))
    assert "can't be used for this step any more" in barred, barred
    unknown = {"step_b": "Dodge", "step_c": "Vesno: Dodge"}
    nobody = refusal_of(await world.ben.slash(world.zone, "mb task ditch", **unknown))
    assert "Nobody here is called “Vesno”" in nobody, nobody
    world.dice.lay(10, 10, 5, 5, 10, 5, 5)
    await world.ben.slash(world.zone, "mb task ditch", step_b="Dodge", step_c="Melee Combat")
    assert world.dice.left == 0
    text = await newest(world)
    assert "All steps are done." in text and await task(world) == (3, 4, "succeeded"), text
    await world.gina.slash(world.zone, "gm undo")
    assert await task(world) == (1, 4, "open")
    world.dice.lay(1, 1, 10, 5, 5)
    await world.ben.slash(
        world.zone, "mb task ditch", step_b="Dodge", step_c="Melee Combat", ranks="2, 1"
    )
    text = await newest(world)
    assert "The task is lost." in text and await task(world) == (1, 4, "failed"), text


@pytest.mark.rule("MB-CARD-N01")
async def test_without_cards_one_is_drawn_for_its_box(world: World) -> None:
    await open_table(world)
    await gather(world)
    await next_turn(world, 9, 9, 1, 1)
    world.dice.lay(14)
    text = public(await world.gina.slash(world.zone, "mb task start", **STEPS))
    assert world.dice.left == 0 and "This round's card: step A or D." in text, text
    await next_turn(world)
    text = await next_turn(world, 74, 9, 9, 1, 1)
    assert "This round's card: step A or C." in text, text
    assert "The task ends here." in public(await world.gina.slash(world.zone, "mb task end"))


THREE = {
    "name": "The raft",
    "step_a": "Stealth 5",
    "step_b": "Strength, Stealth 5",
    "step_c": "Strength 5",
    "step_d": "Agility 5",
}


async def ditch_panel(world: World, who: Any) -> Any:
    """What a player is asked about a last ditch effort."""
    label = "Answer for your steps"
    return message_of(await world.press(who, world.newest(label), label))


async def agrees(world: World, who: Any) -> str:
    """Join the effort as it was proposed; what the card says."""
    await world.press(who, await ditch_panel(world, who), "Join the last-ditch effort")
    return await newest(world)


@pytest.mark.rule("MB-CARD-C07")
async def test_a_last_ditch_effort_of_several_players(world: World) -> None:
    await rounds(world)
    await next_turn(world, *whole(50, 14))
    await world.gina.slash(world.zone, "mb task start", shown=True, **THREE)
    # Ben proposes: Vesna does A by what Ana says, and C; the Thug does D.
    doers = {"step_a": "Vesna", "step_b": "Stealth", "step_c": "Vesna: Strength"}
    await world.ben.slash(world.zone, "mb task ditch", **doers, step_d="Thug: Agility")
    text = await newest(world)
    assert "**Step A:** Vesna, 13" in text and "**Step D:** Thug by Agility, 13" in text, text
    assert await task(world) == (0, 0, "open")
    text = await agrees(world, world.ana)
    assert "**Step A:** Vesna by Stealth, 13" in text, text
    await world.restart()
    # Two steps of Vesna's lose 2 and 3; nobody else has several.
    world.dice.lay(*(10, 5, 5) * 2, 10, 5, 5, 10, 5, 5)
    text = await agrees(world, world.gina)
    assert world.dice.left == 0
    assert "All steps are done." in text and await task(world) == (4, 0, "succeeded"), text
    await world.gina.slash(world.zone, "gm undo")
    assert await task(world) == (0, 0, "open")
    assert "Answer for your steps" in labels(world.card("c2"))


@pytest.mark.rule("MB-CARD-C07")
async def test_a_player_stays_out_of_a_last_ditch_effort(world: World) -> None:
    await rounds(world)
    await next_turn(world, *whole(50, 14))
    await world.gina.slash(world.zone, "mb task start", shown=True, **THREE)
    # The GM proposes it for the players, and has no character of their own.
    doers = {"step_a": "Vesna: Stealth", "step_b": "Boris", "step_c": "Boris", "step_d": "Vesna"}
    hers = refusal_of(await world.gina.slash(world.zone, "mb task ditch", step_a="Vesna: Taunt"))
    assert "doesn't work for this step" in hers, hers
    await world.gina.slash(world.zone, "mb task ditch", **doers)
    panel = await ditch_panel(world, world.ben)
    assert "Step B: Stealth 12" in texts(panel) and "Step A: " not in texts(panel), texts(panel)
    await world.press(world.ben, panel, "Stay out: no last-ditch effort")
    text = await newest(world)
    assert "Boris stays out, so there's no last-ditch effort." in text, text
    assert await task(world) == (0, 0, "open")
    assert "Answer for your steps" not in labels(world.card("c2"))


TWO = {"name": "The rope", "step_a": "Stealth 8", "step_b": "Stealth 8"}


@pytest.mark.rule("MB-CARD-C07", "MB-ACT-01")
async def test_whoever_joins_a_last_ditch_effort_spends_their_action(world: World) -> None:
    await rounds(world, "Thug")
    await next_turn(world, *whole(50, 14))
    await world.gina.slash(world.zone, "mb task start", shown=True, **TWO)
    await world.ben.slash(world.zone, "mb task ditch", step_a="Stealth", step_b="Vesna: Stealth")
    world.dice.lay(5, 6, 5, 6)
    await agrees(world, world.ana)
    assert [await mark_value(world, each, ACTED) for each in ("Boris", "Vesna")] == [1, 1]
    await world.gina.slash(world.zone, "gm undo")
    assert [await mark_value(world, each, ACTED) for each in ("Boris", "Vesna")] == [0, 0]
    world.dice.lay(5, 6, 5, 6)
    await agrees(world, world.ana)
    await world.restart()
    await next_turn(world)
    assert await acts(world) == "Vesna"
    late = refusal_of(await world.ana.slash(world.zone, "attack", target="Thug", **KNIFE))
    assert "no action left" in late, late
    # Who has acted is no help for another one either.
    again = refusal_of(await world.ana.slash(world.zone, "mb task ditch", step_a="Stealth"))
    assert "over" in again, again
    await next_turn(world)
    await attack(world, world.gina, "Vesna", weapon="Baseball bat", approach="so", **{"as": "Thug"})
    assert "Defend" not in labels(world.card())


@pytest.mark.rule("MB-CARD-C07", "MB-INI-01")
async def test_nobody_unconscious_does_a_step(world: World) -> None:
    await open_table(world)
    await gather(world)
    await next_turn(world, 9, 9, 1, 1)
    world.dice.lay(14)
    await world.gina.slash(world.zone, "mb task start", shown=True, **TWO)
    await world.gina.slash(world.zone, "gm adjust", character="Boris", what="wounds", value="5")
    doers = {"step_a": "Stealth", "step_b": "Boris: Stealth"}
    cold = refusal_of(await world.ana.slash(world.zone, "mb task ditch", **doers))
    assert "Boris is out cold" in cold, cold


@pytest.mark.rule("MB-CARD-C07", "MB-ACT-01")
async def test_nobody_does_a_step_who_has_acted(world: World) -> None:
    await rounds(world, "Thug")
    await next_turn(world, *whole(50, 14))
    await world.gina.slash(world.zone, "mb task start", shown=True, **TWO)
    doers = {"step_a": "Stealth", "step_b": "Vesna: Stealth"}
    await world.ben.slash(world.zone, "mb task ditch", **doers)
    # Meanwhile the one who proposed it does something else.
    await attack(world, world.ben, "Thug", 1, 1, **KNIFE)
    panel = await ditch_panel(world, world.ana)
    await world.press(world.ana, panel, "Join the last-ditch effort")
    why = "Boris can't act any more this round, so there's no last-ditch effort."
    text = texts(world.card("c2"))
    assert why in text and await task(world) == (0, 0, "open"), text
    assert "Answer for your steps" not in labels(world.card("c2"))
    await world.gina.slash(world.zone, "gm undo")
    assert "Answer for your steps" in labels(world.card("c2"))
    await world.restart()
    await world.press(world.ana, await ditch_panel(world, world.ana), "Join the last-ditch effort")
    assert why in texts(world.card("c2"))
    # Nobody is proposed who has acted.
    spent = {"step_a": "Stealth", "step_b": "Boris: Stealth"}
    acted = refusal_of(await world.ana.slash(world.zone, "mb task ditch", **spent))
    assert "Boris" in acted and "no action left" in acted, acted


async def test_a_button_tries_the_step(world: World) -> None:
    await rounds(world)
    await next_turn(world, *whole(55, 14))
    await world.gina.slash(world.zone, "mb task start", **STEPS)
    message = world.newest("Try step A")
    assert "Task: The winch" in texts(message)
    moves = await world.ben.slash(world.zone, "moves")
    assert "Task: The winch" in private(moves) and "Try step A" in labels(message_of(moves))
    assert "Try step A" not in labels(message_of(await world.gina.slash(world.zone, "moves")))
    # The panel says with what before anything is rolled.
    panel = message_of(await world.press(world.ben, message, "Try step A"))
    assert "Skill: Stealth" in texts(panel) and await task(world) == (0, 0, "open"), texts(panel)
    await world.restart()
    world.dice.lay(5, 6)
    await world.press(world.ben, panel, "Roll")
    assert world.dice.left == 0 and await task(world) == (1, 0, "open")
    assert await mark_value(world, "Boris", ACTED) == 1
    await world.gina.slash(world.zone, "gm undo")
    assert await mark_value(world, "Boris", ACTED) == 0
    world.dice.lay(5, 6)
    await world.press(
        world.ben, message_of(await world.press(world.ben, message, "Try step A")), "Roll"
    )
    late = refusal_of(await world.press(world.ana, message, "Try step A"))
    assert "step A isn't next any more" in late, late
    # One step a round: nothing is offered any more in this one.
    assert "Try step B" not in labels(message_of(await world.ana.slash(world.zone, "moves")))
    text = await round_(world)
    assert "Step B has to wait for another card." in text, text
    assert not any("Try step B" in labels(each) for each in world.messages())
