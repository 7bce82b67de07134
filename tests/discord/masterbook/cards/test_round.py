"""Rounds with hands: pooled, earned, seized, kept, the critical moment, fiat."""

from __future__ import annotations

from typing import Any

import pytest

from rules.systems.masterbook.deck.state import DISCARD, HAND, INITIATIVE, POOL
from tests.discord.masterbook.cards.deck import begin, cards, names, who
from tests.discord.masterbook.cards.deck import whole as conserved
from tests.discord.masterbook.cards.stacked import gather, on, order
from tests.discord.masterbook.table import newest, sheet
from tests.discord.world import World, private, public, refused, said, texts

HERO, IDEA, PRESENCE, ACTION, CLAIM, EFFECT, RALLY = 39, 44, 56, 5, 16, 30, 61
SEIZE, SEIZE2 = 73, 70


async def taunts(world: World, person: Any, target: str, *faces: int) -> str:
    """Somebody taunts somebody who does not roll, with these dice; what the card says."""
    world.dice.lay(*faces)
    await person.slash(world.zone, "mb interact", skill="Taunt", target=target, approach="his hat")
    assert world.dice.left == 0
    return await newest(world)


@pytest.mark.rule("MB-CARD-A01", "MB-CARD-A02", "MB-CARD-A03", "MB-CARD-09", "MB-CARD-07")
async def test_a_first_round_with_surprise_and_what_is_earned(world: World) -> None:
    # Vesna's hand, Boris's hand; the rounds' cards: 14 (defend, taunt), 25; between them what is earned: 3.
    await begin(world, HERO, IDEA, PRESENCE, ACTION, CLAIM, EFFECT, 14, RALLY, 25)
    vesna, boris = await who(world, "Vesna"), await who(world, "Boris")
    assert "rounds only" in refused(await world.ana.slash(world.zone, "mb pool", card="Hero"))
    await gather(world, "Thug")
    world.dice.lay(1, 1)
    await world.gina.slash(world.zone, "mb surprise", target="Boris", total=30)
    text = await on(world)
    assert "Breakthrough #14" in text and "**Earns a card:** defend and taunt" in text, text
    assert await order(world) == ["Boris", "Vesna", "Thug"]
    assert "Act first" in refused(await world.ana.slash(world.zone, "mb pool", card="Hero"))
    world.dice.lay(5, 6)
    await world.ben.slash(world.zone, "check", skill="Stealth", difficulty="Average", approach="the crates")
    assert "surprised" in refused(await world.ben.slash(world.zone, "mb pool", card="Action"))
    await on(world)
    text = await taunts(world, world.ana, "Thug", 9, 9)
    assert "Vesna earns a card, dealt as the round ends." in text, text
    assert "No such card" in refused(await world.ana.slash(world.zone, "mb pool", card="55"))
    assert "Vesna pools Hero." in public(await world.ana.slash(world.zone, "mb pool", card="hero"))
    assert "all the cards you get" in refused(await world.ana.slash(world.zone, "mb pool", card="Idea"))
    await on(world)
    await world.restart()
    text = await on(world)
    assert "Vesna draws a card for approved actions" in text and "Rally" not in text, text
    deck = conserved(await cards(world))
    assert names(deck, deck.at(HAND, vesna)) == ["Idea", "Presence", "Rally"]
    assert names(deck, deck.at(POOL, vesna)) == ["Hero"]
    assert deck.seat(vesna).locks == ((str(RALLY), 2),)
    await world.gina.slash(world.zone, "initiative end")
    deck = conserved(await cards(world))
    assert len(deck.at(HAND, vesna)) == 4 and not deck.at(POOL, vesna)
    assert deck.seat(vesna).locks == () and deck.deal.round is None
    # Four cards are one too many.
    assert "Waiting for Vesna" in texts(world.messages()[-2]), texts(world.messages()[-2])


@pytest.mark.rule("MB-CARD-E16", "MB-CARD-I01")
async def test_the_initiative_is_seized_or_kept(world: World) -> None:
    # 1 and 25 do nothing; 16 tires the players, and NPCs go first; 3 tires the NPCs.
    await begin(world, SEIZE, HERO, SEIZE2, IDEA, CLAIM, EFFECT, 1, 15, 25, 3, window_minutes=60)
    vesna = await who(world, "Vesna")
    await gather(world, "Thug")
    await on(world)
    assert await order(world) == ["Boris", "Vesna", "Thug"]
    await on(world)
    public(await world.ana.slash(world.zone, "mb act", action="looks around"))
    public(await world.ana.slash(world.zone, "mb pool", card="73"))
    await on(world)
    # Before the next flip the last card may be kept.
    text = await on(world)
    assert "Round 2: the card is flipped next." in text, text
    assert "pass" not in private(await world.ben.slash(world.zone, "moves")).casefold()
    panel = said(await world.press(world.ana, world.newest("React"), "React"))
    assert "Keep the last card (Seize Initiative)" in texts(panel)
    await world.press(world.ana, panel, "Pass")
    text = await newest(world)
    assert "Breakthrough #15" in text and "Players: fatigued" in text, text
    assert (await sheet(world, "Vesna")).harm.shock == 0
    await world.restart()
    panel = said(await world.press(world.ana, world.newest("React"), "React"))
    await world.press(world.ana, panel, "Flip another card (Seize Initiative)")
    text = await newest(world)
    assert "Vesna plays Seize Initiative: Drama takes the place of Breakthrough." in text, text
    assert "Players first: nothing special." in text
    deck = conserved(await cards(world))
    assert (deck.at(INITIATIVE), deck.at(DISCARD)) == (("25", "15", "1"), (str(SEIZE),))
    assert (await sheet(world, "Vesna")).harm.shock == 0
    await world.gina.slash(world.zone, "gm undo")
    deck = conserved(await cards(world))
    assert (deck.at(INITIATIVE), deck.at(POOL, vesna)) == (("15", "1"), (str(SEIZE),))
    panel = said(await world.press(world.ana, world.newest("React"), "React"))
    await world.press(world.ana, panel, "Flip another card (Seize Initiative)")
    # The other one keeps the card that lies there now for a round more.
    await on(world)
    public(await world.ana.slash(world.zone, "mb act", action="looks around"))
    public(await world.ana.slash(world.zone, "mb pool", card="Seize Initiative"))
    await on(world)
    await on(world)
    panel = said(await world.press(world.ana, world.newest("React"), "React"))
    await world.press(world.ana, panel, "Keep the last card (Seize Initiative)")
    text = await newest(world)
    assert "Drama #25, kept for another round" in text and "round 3" in text.casefold(), text
    deck = conserved(await cards(world))
    assert (deck.at(INITIATIVE), deck.deal.number) == (("25", "15", "1"), 3)


@pytest.mark.rule("MB-CARD-I13", "MB-CARD-I04", "MB-CARD-12")
async def test_confused_players_leave_their_cards_alone(world: World) -> None:
    await begin(world, SEIZE, HERO, IDEA, ACTION, CLAIM, EFFECT, 1, 2, 14, RALLY)
    vesna = await who(world, "Vesna")
    await gather(world, "Thug")
    await on(world)
    await on(world)
    public(await world.ana.slash(world.zone, "mb act", action="looks around"))
    public(await world.ana.slash(world.zone, "mb pool", card="Seize Initiative"))
    await world.gina.slash(world.zone, "mb rounds", rounds="combat", scene="dramatic")
    await on(world)
    text = await on(world)
    # Seize Initiative is of no use against the card that confuses.
    assert "Players: confused" in text and "you're up" in text, text
    await on(world)
    for _ in range(2):
        await on(world)
    public(await world.ana.slash(world.zone, "mb act", action="looks around"))
    for command, more in (("mb pool", {"card": "Hero"}), ("mb moment", {})):
        assert "confused" in refused(await world.ana.slash(world.zone, command, **more))
    text = await taunts(world, world.ana, "Thug", 9, 9)
    assert "earns a card" not in text, text
    await on(world)
    await world.restart()
    # As long as the line says: in the next round they may again.
    await on(world)
    await on(world)
    public(await world.ana.slash(world.zone, "mb act", action="looks around"))
    public(await world.ana.slash(world.zone, "mb pool", card="Hero"))
    deck = conserved(await cards(world))
    assert names(deck, deck.at(POOL, vesna)) == ["Seize Initiative", "Hero"]


@pytest.mark.rule("MB-CARD-12", "MB-CARD-A01")
async def test_the_critical_moment(world: World) -> None:
    await begin(world, SEIZE, HERO, IDEA, ACTION, CLAIM, EFFECT, 14, RALLY, 1)
    vesna = await who(world, "Vesna")
    assert "rounds only" in refused(await world.ana.slash(world.zone, "mb moment"))
    await gather(world, "Thug")
    await on(world)
    assert "critical moment" in public(await world.ana.slash(world.zone, "mb moment"))
    assert "used that" in refused(await world.ana.slash(world.zone, "mb moment"))
    await on(world)
    await taunts(world, world.ana, "Thug", 9, 9)
    await on(world)
    await world.restart()
    text = await on(world)
    assert "Vesna discards 3 cards after the critical moment" in text, text
    deck = conserved(await cards(world))
    # What was earned in it comes after everything has gone.
    assert names(deck, deck.at(HAND, vesna)) == ["Rally"] and len(deck.at(DISCARD)) == 3
    assert deck.seat(vesna).moment and not deck.seat(vesna).declared
    await world.gina.slash(world.zone, "gm undo")
    deck = conserved(await cards(world))
    assert len(deck.at(HAND, vesna)) == 3 and deck.seat(vesna).awards == 1


@pytest.mark.rule("MB-CARD-I14")
async def test_gamemaster_fiat(world: World) -> None:
    await begin(world, SEIZE, HERO, IDEA, ACTION, CLAIM, EFFECT, 14, 25, 1, 75, 31, gm_channel=True)
    refused(await world.ana.slash(world.zone, "mb fiat"))
    await gather(world)
    await world.gina.slash(world.zone, "mb fiat")
    assert "Four cards lie" in refused(await world.gina.slash(world.zone, "mb fiat"))
    print([texts(x) for x in world.messages(world.gm_room)][-2:])
    assert False
