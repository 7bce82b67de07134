"""Hands through Discord: what one sees of them, what is done with a card, trades, the GM and the deck."""

from __future__ import annotations

import pytest

from rules.systems.masterbook.deck.state import DISCARD, HAND
from tests.discord.masterbook.cards.deck import begin, cards, hand, names, who, whole
from tests.discord.world import World, gallery, parts, said, texts

HERO, IDEA, RALLY, CLAIM, PRESENCE, ACTION, EFFECT, LEADERSHIP, DRAMA = 39, 44, 61, 16, 56, 1, 30, 48, 25
NEMESIS, CAMPAIGN, MARTYR, WILD = 93, 85, 89, 106


@pytest.mark.rule("MB-CARD-17", "MB-CARD-02")
async def test_a_hand_is_seen_by_its_owner_as_text_and_pictures(world: World) -> None:
    await begin(world, HERO, RALLY, CLAIM, PRESENCE, ACTION, EFFECT)
    panel = said(await world.ana.slash(world.zone, "card hand"))
    told = texts(panel)
    print(told)
    assert panel.ephemeral
    assert (
        "Your cards: 3 cards" in told
        and "**Rally**, in your hand" in told
        and "Everybody draws a card." in told
    )
    assert "Presence" not in told
    assert len(gallery(panel)) == 1
    one = said(await world.choose(world.ana, panel, "Open a card", "Claim"))
    print(texts(one), gallery(one))
    alt = [item.get("description") for part in parts(one) for item in part.get("items", ())]
    print(alt)
    assert "Presence" in await hand(world, world.ben)


@pytest.mark.rule("MB-CARD-E14", "MB-CARD-08")
async def test_rally_from_the_panel_and_claim_by_command(world: World) -> None:
    await begin(world, HERO, RALLY, IDEA, CLAIM, ACTION, EFFECT, PRESENCE, DRAMA)
    vesna, boris = await who(world, "Vesna"), await who(world, "Boris")
    panel = said(await world.ana.slash(world.zone, "card hand"))
    print(texts(panel))
    await world.press(world.ana, panel, "Play")
    print(texts(world.last()))
    deck = whole(await cards(world))
    print(names(deck, deck.at(HAND, vesna)), names(deck, deck.at(HAND, boris)), names(deck, deck.at(DISCARD)))
    answer = await world.ben.slash(world.zone, "card play", card="Claim")
    print(texts(said(answer)))
    deck = whole(await cards(world))
    print(names(deck, deck.at(HAND, vesna)), names(deck, deck.at(HAND, boris)), names(deck, deck.at(DISCARD)))


@pytest.mark.rule("MB-CARD-11")
async def test_a_trade_is_seen_by_the_two_sides_alone(world: World) -> None:
    await begin(world, HERO, RALLY, IDEA, CLAIM, ACTION, EFFECT)
    vesna, boris = await who(world, "Vesna"), await who(world, "Boris")
    answer = await world.ana.slash(world.zone, "mb card trade", cards="Hero", to="Boris")
    print(texts(said(answer)))
    print([texts(each) for each in world.messages()[-2:]])
    print(world.visible_to(world.ben)[-3:])
