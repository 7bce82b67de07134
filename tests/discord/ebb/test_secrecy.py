"""EBB's checks by procedure: what needs no answer, and who may not know what."""

from __future__ import annotations

import re

import pytest

from tests.discord.world import World, card, labels, message_of, private, public, texts

TRAITS = {"skill": "Climbing", "attribute": "Fitness"}


async def test_in_live_play_a_named_difficulty_rolls_at_once(world: World) -> None:
    await world.table(live=True)
    world.dice.lay(9, 6)
    shown = public(await world.propose(difficulty="Tricky", **TRAITS))
    assert shown.startswith("## ✓ Success so far, 2 extra results: 16 against 10\n")
    assert "against 10" in shown
    assert not [each for each in world.messages() if "Answer" in labels(each)]
    await world.propose(**TRAITS)
    assert card(world, "c2").startswith("## Waiting for the GM\n")


async def test_a_gms_npc_rolls_at_once_and_its_miss_says_so(world: World) -> None:
    await world.table()
    await world.bring(world.gina, "Warden", npc=True)
    world.dice.lay(4, 2)
    options = {"difficulty": "Tricky", "as": "Warden", **TRAITS}
    await world.propose(world.gina, **options)
    assert card(world).startswith("## ✗ ")
    assert "Somebody" in card(world), "nobody has been told of the Warden"
    assert "Warden" not in world.told(world.ana)


async def test_a_roll_for_the_gms_alone(world: World) -> None:
    await world.table()
    before = len(world.messages())
    world.dice.lay(9, 6)
    options = {"as": "Marek", "skill": "Climbing", "difficulty": "Tricky"}
    told = private(await world.gina.slash(world.zone, "gm roll", **options))
    assert "Success, 1 extra result" in told
    assert "players don't know of it" in told
    assert len(world.messages()) == before
    for who in (world.ana, world.ben):
        assert "Success" not in world.told(who)


async def test_margin_only(world: World) -> None:
    await world.table()
    await world.rolled(9, 6, press="Roll how well")
    assert card(world).startswith("## ✓ ")
    assert "extra results" in card(world)


@pytest.mark.parametrize("gm_channel", [True, False])
async def test_a_hidden_difficulty_stays_with_the_gms(world: World, gm_channel: bool) -> None:
    await world.table(gm_channel=gm_channel)
    await world.propose(**TRAITS)
    await world.rule(number="9137", hidden=True)
    world.dice.lay(9, 6)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert card(world).startswith("## ✗ ")
    for who in (world.ana, world.ben):
        # Fingerprints have such digits too, among others.
        assert not re.search(r"\b9137\b", "\n".join((world.told(who), *world.visible_to(who))))


async def test_a_blind_roll_is_for_the_gms(world: World) -> None:
    await world.table(gm_channel=True)
    private(await world.propose(visibility="blind", **TRAITS))
    await world.answer(world.newest("Answer", world.gm_room))
    world.dice.lay(9, 6)
    await world.press(
        world.ana, message_of(await world.ana.slash(world.zone, "moves")), "Open · h1"
    )
    opened = message_of(
        await world.press(
            world.ana, message_of(await world.ana.slash(world.zone, "moves")), "Open · h1"
        )
    )
    await world.press(world.ana, opened, "Roll")
    assert "Success" in "\n".join(map(texts, world.messages(world.gm_room)))
    for who in (world.ana, world.ben):
        assert "Success" not in world.told(who)


@pytest.mark.rule("EBB-ATTACK", "EBB-INJURY")
@pytest.mark.parametrize("sheet", [False, True])
async def test_whether_an_npc_has_a_sheet_shows_in_no_hit(world: World, sheet: bool) -> None:
    await world.table(step_in_minutes=0)
    if sheet:
        await world.bring(world.gina, "Sidor", npc=True)
        await world.gina.slash(world.zone, "gm npc reveal", npc="Sidor")
    else:
        await world.gina.slash(world.zone, "gm npc add", name="Sidor", stage="revealed")
    await world.ana.slash(world.zone, "attack", target="Sidor", skill="Rifles", approach="low")
    await world.rule(level="Easy")
    world.dice.lay(6, 3)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    # All of it, but for the number of the entry: a sheet's NPC was made and revealed in two.
    text, _, entry = card(world).partition(" · #")
    assert text == (
        "## ✓ Hit, 1 extra result: Sidor is hit; the GM says how badly\n"
        "Marek attacks Sidor: Rifles d6 (professional)\n> low\nd10 (6) + d6 (3) = **9**\n"
        "**Difficulty:** 4 (Easy)\n-# Final · check c1"
    )
    change = "Change the hit"
    assert entry == f"{9 if sheet else 8}\n{change}" and labels(world.card()) == [change], (
        "no button tells what it has left"
    )
    await world.restart()
    panel = message_of(await world.press(world.gina, world.newest(change), change))
    does = "flesh wound, Fitness 0 left" if sheet else "injury (light)"
    assert f"Tell it as it is: {does}" in labels(panel)
    modal = await world.press(world.gina, panel, "Write…")
    await world.gina.submit_modal(modal, {"text": "a broken wrist"})
    await world.press(world.gina, panel, "Full damage")
    assert card(world).startswith("## ✓ Hit, 1 extra result: Sidor is hurt (injury)\n")
    assert "New injury: a broken wrist (light)." in card(world)
    await world.gina.slash(world.zone, "gm undo")
    assert card(world).startswith("## ✓ Hit, 1 extra result: Sidor is hit; the GM says how badly\n")
