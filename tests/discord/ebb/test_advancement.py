"""Growing with an explanation under EBB: it waits for the GM's yes, and costs nothing before."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.world import World, card, dialog_values, labels, message_of, refusal_of, texts

NEW = {
    "skill": "Diving",
    "attribute": "Fitness",
    "drawback": "Afraid of eels",
    "explanation": "Three weeks under the lock.",
}


async def _rich(world: World, fate: int = 25) -> None:
    await world.setup(gm_channel=True)
    await world.bring(world.ana, "Marek", fate=fate)
    await world.bring(world.ben, "Ilka")


async def _marek(world: World) -> Any:
    return next(
        each.sheet for each in (await world.state()).characters.values() if each.name == "Marek"
    )


async def _panel(world: World) -> Any:
    return message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))


@pytest.mark.rule("EBB-FATE", "EBB-DRAWBACK")
async def test_learning_waits_for_the_gms_yes(world: World) -> None:
    await _rich(world)
    await world.ana.slash(world.zone, "character learn", **NEW)
    assert "Marek wants to learn something new" in card(world)
    assert "Diving" in card(world) and "> Three weeks under the lock." in card(world)
    # The drawback is between the player and the GM.
    assert "eels" not in world.told(world.ben)
    assert (await _marek(world)).fate == 25
    await world.restart()
    panel = await _panel(world)
    assert "Afraid of eels" in texts(panel)
    assert labels(panel)[:2] == ["Allow", "Refuse"]
    await world.press(world.gina, panel, "Allow")
    assert card(world).startswith("## ✓ The GM allows it")
    assert "Diving at d4, in Fitness (1 → 2)." in card(world)
    assert "10 Fate points spent, 15 left." in card(world)
    assert "eels" not in card(world)
    sheet = await _marek(world)
    assert (
        sheet.fate == 15
        and sheet.abilities[-1].name == "Diving"
        and sheet.drawbacks[-1] == "Afraid of eels"
    )
    await world.gina.slash(world.zone, "gm undo")
    sheet = await _marek(world)
    assert sheet.fate == 25 and sheet.abilities[-1].name != "Diving"


@pytest.mark.rule("EBB-FATE")
async def test_what_the_gm_does_not_allow_costs_nothing(world: World) -> None:
    await _rich(world)
    await world.ana.slash(world.zone, "character learn", **NEW)
    await world.press(world.gina, await _panel(world), "Refuse")
    assert card(world).startswith("## ✗ The GM doesn't allow it")
    assert (await _marek(world)).fate == 25 and not (await world.check()).is_open


@pytest.mark.rule("EBB-FATE", "EBB-TIER")
async def test_raising_waits_where_it_is_explained(world: World) -> None:
    await _rich(world)
    why = {"skill": "Climbing", "explanation": "A winter on the cliffs."}
    await world.ana.slash(world.zone, "character advance", **why)
    assert "Marek wants to improve" in card(world)
    assert (await _marek(world)).fate == 25
    await world.press(world.gina, await _panel(world), "Allow")
    assert "Climbing: d8 → d10 (expert)." in card(world)
    assert (await _marek(world)).fate == 15


@pytest.mark.rule("EBB-FATE")
async def test_what_cannot_be_paid_is_not_asked_for(world: World) -> None:
    await _rich(world, fate=3)
    short = refusal_of(await world.ana.slash(world.zone, "character learn", **NEW))
    assert "That costs 10 Fate points, and you have 3" in short
    assert (await world.state()).checks == {}


@pytest.mark.rule("EBB-FATE")
async def test_fate_that_is_gone_by_then_leaves_it_to_the_gm(world: World) -> None:
    await _rich(world, fate=10)
    await world.ana.slash(world.zone, "character learn", **NEW)
    await world.ana.slash(world.zone, "character advance", skill="Climbing")
    panel = await _panel(world)
    late = await world.press(world.gina, panel, "Allow")
    assert "That costs 10 Fate points" in refusal_of(late)
    await world.press(world.gina, panel, "Refuse")
    assert not (await world.check()).is_open


async def test_the_gm_may_ask_back_and_the_player_may_think_again(world: World) -> None:
    await _rich(world)
    await world.ana.slash(world.zone, "character learn", **NEW)
    panel = await _panel(world)
    modal = await world.press(world.gina, panel, "Ask…")
    await world.gina.submit_modal(modal, {"question": "Who taught you?"})
    assert "Who taught you?" in card(world)
    reply = await world.press(world.ana, world.newest("Reply"), "Reply")
    given = dialog_values(reply)
    assert "Three weeks" in given["approach"]
    await world.ana.submit_modal(reply, given | {"approach": "Three weeks with the ferryman"})
    await world.press(world.gina, await _panel(world), "Allow")
    assert (await _marek(world)).fate == 15
