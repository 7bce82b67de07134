"""Adventures with cards through Discord: the first deal, subplots, scenes, acts, awards."""

from __future__ import annotations

import pytest

from rules.systems.masterbook.deck.state import FACE, HAND
from tests.discord.masterbook.cards.deck import answers, begin, cards, names, who, whole
from tests.discord.masterbook.table import newest, sheet, table
from tests.discord.world import World, refused, texts

#: Cards of the default deck by number.
HERO, IDEA, RALLY, CLAIM, PRESENCE, ACTION, EFFECT, HASTE = 39, 44, 61, 16, 56, 1, 30, 35
NEMESIS, ROMANCE, SUSPICION, ALERTNESS = 93, 97, 99, 84


@pytest.mark.rule("MB-CARD-04")
async def test_an_adventure_deals_to_everybody_in_one_message(world: World) -> None:
    await table(world)
    assert "plays without" in refused(await world.gina.slash(world.zone, "mb adventure start"))
    await world.gina.slash(world.zone, "gm settings", setting="cards_mode", value="full")
    assert "Only the GM" in refused(await world.ana.slash(world.zone, "mb adventure start"))
    await world.gina.slash(world.zone, "mb adventure start", name="The Dam")
    told = [texts(each) for each in world.messages() if "The adventure begins" in texts(each)]
    assert len(told) == 1
    assert "Each player holds 3 cards" in told[0]
    assert "Vesna draws 3 cards." in told[0] and "Boris draws 3 cards." in told[0]
    deck = whole(await cards(world))
    assert [len(deck.at(HAND, each.who)) for each in deck.deal.seats] == [3, 3]
    await world.restart()
    assert await cards(world) == deck
    assert "under way already" in refused(await world.gina.slash(world.zone, "mb adventure start"))
    await world.gina.slash(world.zone, "gm undo")
    assert "masterbook" not in (await world.state()).decks


@pytest.mark.rule("MB-CARD-05", "MB-CARD-S00")
async def test_a_pending_subplot_waits_for_gm_and_player_while_the_story_goes_on(world: World) -> None:
    deck = await begin(world, HERO, IDEA, NEMESIS, RALLY, CLAIM, PRESENCE, ACTION)
    vesna = await who(world, "Vesna")
    assert names(deck, deck.at(HAND, vesna)) == ["Hero", "Idea", "Rally"]
    assert deck.seat(vesna).pending == (str(NEMESIS),)
    assert "Nemesis" in await newest(world)
    await world.gina.slash(world.zone, "mb adventure scene", what="start", kind="dramatic", name="The gate")
    await world.restart()
    await answers(world, world.gina, "Answer", "Allow")
    await answers(world, world.ana, "Decide", "Keep")
    deck = whole(await cards(world))
    assert (deck.seat(vesna).pending, deck.at(FACE, vesna)) == ((), (str(NEMESIS),))
    assert "Vesna keeps Nemesis" in await newest(world)
    assert (await sheet(world, "Vesna")).life_points == 5
    await world.gina.slash(world.zone, "gm undo")
    assert (await cards(world)).seat(vesna).pending == (str(NEMESIS),)
    await answers(world, world.ana, "Decide", "Decline")
    assert (await sheet(world, "Vesna")).life_points == 6


@pytest.mark.rule("MB-CARD-S00")
async def test_a_third_subplot_pays_instead(world: World) -> None:
    deck = await begin(world, NEMESIS, ROMANCE, SUSPICION, HERO, IDEA, RALLY)
    vesna = await who(world, "Vesna")
    for _ in range(2):
        await answers(world, world.gina, "Answer", "Allow")
        await answers(world, world.ana, "Decide", "Keep")
    await answers(world, world.gina, "Answer", "Disallow")
    deck = whole(await cards(world))
    assert names(deck, deck.at(FACE, vesna)) == ["Nemesis", "Romance"]
    assert (await sheet(world, "Vesna")).life_points == 6
    assert "Suspicion of Vesna is discarded" in await newest(world)


@pytest.mark.rule("MB-CARD-14", "MB-CARD-X02", "MB-CARD-S07")
async def test_scenes_fill_hands_up_and_acts_pay(world: World) -> None:
    await begin(world, HERO, IDEA, NEMESIS, RALLY, CLAIM, PRESENCE, ACTION)
    vesna, boris = await who(world, "Vesna"), await who(world, "Boris")
    await answers(world, world.gina, "Answer", "Allow")
    await answers(world, world.ana, "Decide", "Keep")
    await world.gina.slash(world.zone, "mb adventure scene", what="start", kind="standard")
    print(texts(world.last()))
    await world.gina.slash(world.zone, "mb adventure scene", what="end")
    print(await newest(world))
    for each in world.messages()[-2:]:
        print(texts(each))
    del vesna, boris
