"""The undo of an amendment that had opened a check again."""

from __future__ import annotations

import pytest

from tests.discord.amend_steps import correct, entry_of, undo_exactly
from tests.discord.masterbook.cards.deck import begin
from tests.discord.world import World, has_decision, labels, texts

#: Cards of the default deck by number, which change no result.
IDEA, RALLY = 44, 61


@pytest.mark.rule("MB-SKL-02", "MB-CARD-13")
async def test_a_check_that_an_amendment_opened_again_is_over_with_its_undo(world: World) -> None:
    hands = (IDEA, IDEA + 1, IDEA + 2, RALLY, RALLY + 1, RALLY + 2)
    vesna = {"life_points": 1}
    await begin(world, *hands, step_in_minutes=60, life_points=0, sheets={"Vesna": vesna})
    world.dice.lay(2, 3)
    await world.ana.slash(
        world.zone, "check", skill="Stealth", difficulty="Average", approach="behind the crates"
    )
    for player in (world.ana, world.ben):
        await world.press(player, world.card(), "Accept result")
    before = await world.state()
    failure = texts(world.card())
    assert not before.checks["c1"].is_open and failure.startswith("## ✗ Failure, 6 against 8")
    # Once it is a success, Ana is asked whether that is to stand.
    await correct(world, await entry_of(world, "Begin"), "difficulty: 6")
    assert (await world.check()).is_open and has_decision(texts(world.card()), "Ana")
    await undo_exactly(world, before)
    text = texts(world.card())
    assert text.startswith("## ✗ Failure, 6 against 8"), text
    assert labels(world.card()) == ["Step in"]
