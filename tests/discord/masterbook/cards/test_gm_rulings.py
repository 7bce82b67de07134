"""What a GM says of cards: who earns one, with which side somebody acts, whether a task's clock
runs, blank cards.
"""

from __future__ import annotations

import pytest

from rules.systems.masterbook.deck.table_deck import NEXT
from tests.discord.masterbook.cards.deck import begin, cards, who
from tests.discord.masterbook.cards.stacked_deck import order
from tests.discord.rounds import gather, next_turn
from tests.discord.world import World, public, refusal_of

HERO, IDEA, PRESENCE, ACTION, CLAIM, EFFECT, RALLY = 39, 44, 56, 5, 16, 30, 61


@pytest.mark.rule("MB-CARD-A01", "MB-CARD-I02", "MB-CARD-C08", "MB-CARD-B01")
async def test_what_the_gm_says_of_cards(world: World) -> None:
    await begin(world, HERO, IDEA, PRESENCE, ACTION, CLAIM, EFFECT, 14, RALLY, 25)
    vesna = await who(world, "Vesna")
    gina, zone = world.gina, world.zone
    assert "rounds only" in refusal_of(await gina.slash(zone, "mb card approve", target="Vesna"))
    await gather(world, "Thug")
    await next_turn(world)
    refusal_of(await world.ana.slash(zone, "mb card approve", target="Vesna"))
    assert "Vesna" in public(await gina.slash(zone, "mb card approve", target="Vesna"))
    assert (await cards(world)).seat(vesna).awards == 1
    refusal_of(await gina.slash(zone, "mb card approve", target="Vesna"))
    await gina.slash(zone, "gm undo")
    assert (await cards(world)).seat(vesna).awards == 0
    await gina.slash(zone, "mb card approve", target="Vesna")
    await gina.slash(zone, "mb card approve", target="Vesna", takes=True)
    assert (await cards(world)).seat(vesna).awards == 0

    refusal_of(await world.ana.slash(zone, "mb card side", target="Thug", side="players"))
    assert "Thug" in public(await gina.slash(zone, "mb card side", target="Thug", side="players"))
    sides = {
        slot.character: slot.side
        for each in (await world.state()).encounters.values()
        for slot in each.order
    }
    assert sides[await who(world, "Thug")] == "P"
    assert len(await order(world)) == 3

    await gina.slash(zone, "mb task start", name="The winch", rounds=3, step_a="Strength 8")
    refusal_of(await world.ana.slash(zone, "mb task clock"))
    assert "clock" in public(await gina.slash(zone, "mb task clock"))
    assert "clock" in public(await gina.slash(zone, "mb task clock"))

    refusal_of(await world.ana.slash(zone, "mb deck blank", cards="Hero"))
    assert "No such card" in refusal_of(await gina.slash(zone, "mb deck blank", cards="Heron"))
    for _ in range(2):
        public(await gina.slash(zone, "mb deck blank", cards="Hero"))
    refusal_of(await gina.slash(zone, "mb deck blank", cards="Hero"))
    await world.restart()
    # It counts from the next adventure on.
    file = (await world.state()).own[NEXT]
    assert sum(each.kind == "hero" for each in file.faces) == 7
    assert not any(each.kind == "blank" for each in file.faces)
