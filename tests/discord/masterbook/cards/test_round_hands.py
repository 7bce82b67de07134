"""Rounds with hands: pooled, earned, seized, kept, the critical moment, fiat."""

from __future__ import annotations

from typing import Any, Final

import pytest

from rules.systems.masterbook.checks.action_economy import TRAPPED
from rules.systems.masterbook.deck.deck_state import (
    DISCARD_PILE,
    DRAW_PILE,
    HAND,
    INITIATIVE,
    POOL,
    QUEUE,
    TAKEN,
)
from tests.discord.masterbook.cards.deck import begin, cards, names, who
from tests.discord.masterbook.cards.deck import whole as conserved
from tests.discord.masterbook.cards.stacked_deck import order
from tests.discord.masterbook.cards.test_play import pass_all, reacts
from tests.discord.masterbook.table import attack, newest, open_table, sheet
from tests.discord.masterbook.test_attack import KNIFE
from tests.discord.masterbook.test_rounds import mark_value
from tests.discord.rounds import acts, board_text, gather, next_round, next_turn
from tests.discord.world import World, labels, message_of, private, public, refusal_of, texts

HERO, IDEA, PRESENCE, ACTION, CLAIM, EFFECT, RALLY = 39, 44, 56, 5, 16, 30, 61
SEIZE, SEIZE2 = 73, 70


async def taunts(
    world: World,
    person: Any,
    target: str,
    *faces: int,
    accepts: bool = True,
    as_: str | None = None,
    **more: str,
) -> str:
    """Somebody taunts somebody who does not roll, with these dice, and accepts the result; what the
    card says.
    """
    world.dice.lay(*faces)
    acting = {} if as_ is None else {"as": as_}
    await person.slash(
        world.zone,
        "mb interact",
        skill="Taunt",
        target=target,
        approach="his hat",
        **more,
        **acting,
    )
    assert world.dice.left == 0
    text = await newest(world)
    if accepts and "Accept result" in text:
        await world.press(person, world.newest("Accept result"), "Accept result")
        text = await newest(world)
    return text


@pytest.mark.rule("MB-CARD-A01", "MB-CARD-A02", "MB-CARD-A03", "MB-CARD-09", "MB-CARD-07")
async def test_a_first_round_with_surprise_and_what_is_earned(world: World) -> None:
    # Vesna's hand, Boris's hand; the rounds' cards: 14 (defend, taunt), 25; between them what is
    # earned: 3.
    await begin(world, HERO, IDEA, PRESENCE, ACTION, CLAIM, EFFECT, 14, RALLY, 25)
    vesna = await who(world, "Vesna")
    assert "rounds only" in refusal_of(
        await world.ana.slash(world.zone, "mb card pool", card="Hero")
    )
    await gather(world, "Thug")
    world.dice.lay(1, 1)
    await world.gina.slash(world.zone, "mb surprise", target="Boris", total=30)
    text = await next_turn(world)
    assert "Breakthrough #14" in text and "**Earns a card:** defend and taunt" in text, text
    assert await order(world) == ["Boris", "Vesna", "Thug"]
    assert "Act first" in refusal_of(await world.ana.slash(world.zone, "mb card pool", card="Hero"))
    world.dice.lay(5, 6)
    await world.ben.slash(
        world.zone, "check", skill="Stealth", difficulty="Average", approach="the crates"
    )
    assert "Surprised" in refusal_of(
        await world.ben.slash(world.zone, "mb card pool", card="Action")
    )
    await next_turn(world)
    text = await taunts(world, world.ana, "Thug", 9, 9)
    assert "Vesna earns a card, dealt as the round ends." in text, text
    assert "No such card" in refusal_of(
        await world.ana.slash(world.zone, "mb card pool", card="55")
    )
    assert "## Vesna pools Hero\n" in public(
        await world.ana.slash(world.zone, "mb card pool", card="hero")
    )
    assert "can't pool or earn more cards" in refusal_of(
        await world.ana.slash(world.zone, "mb card pool", card="Idea")
    )
    await next_turn(world)
    await world.restart()
    text = await next_turn(world)
    assert "Vesna draws a card earned this round" in text and "Rally" not in text, text
    deck = conserved(await cards(world))
    assert names(deck, deck.at(HAND, vesna)) == ["Idea", "Presence", "Rally"]
    assert names(deck, deck.at(POOL, vesna)) == ["Hero"]
    assert deck.seat(vesna).locks == ((str(RALLY), 2),)
    await world.gina.slash(world.zone, "initiative end")
    deck = conserved(await cards(world))
    assert len(deck.at(HAND, vesna)) == 4 and not deck.at(POOL, vesna)
    assert deck.seat(vesna).locks == () and deck.deal.round is None
    # Four cards are one too many.
    assert "Vesna, choose cards" in texts(world.messages()[-2]), texts(world.messages()[-2])


async def test_a_fight_that_ends_before_the_flip_has_no_next_round(world: World) -> None:
    await begin(world, SEIZE, HERO, SEIZE2, IDEA, CLAIM, EFFECT, 1, 15, 25, 3, step_in_minutes=60)
    await gather(world, "Thug")
    for _ in range(2):
        await next_turn(world)
    public(await world.ana.slash(world.zone, "mb act", action="looks around"))
    public(await world.ana.slash(world.zone, "mb card pool", card="73"))
    await next_turn(world)
    assert "Round 2: the card is flipped next." in await next_turn(world)
    await world.gina.slash(world.zone, "initiative end")
    text = texts(world.card())
    assert "Ended by the GM" in text and "flipped" not in text and "nothing" not in text, text


@pytest.mark.rule("MB-CARD-E16", "MB-CARD-I01")
async def test_the_initiative_is_seized_or_kept(world: World) -> None:
    # 1 and 25 do nothing; 16 tires the players, and NPCs go first; 3 tires the NPCs.
    await begin(world, SEIZE, HERO, SEIZE2, IDEA, CLAIM, EFFECT, 1, 15, 25, 3, step_in_minutes=60)
    vesna = await who(world, "Vesna")
    await gather(world, "Thug")
    await next_turn(world)
    assert await order(world) == ["Boris", "Vesna", "Thug"]
    await next_turn(world)
    public(await world.ana.slash(world.zone, "mb act", action="looks around"))
    public(await world.ana.slash(world.zone, "mb card pool", card="73"))
    await next_turn(world)
    # Before the next flip the last card may be kept.
    text = await next_turn(world)
    assert "Round 2: the card is flipped next." in text, text
    assert "pass" not in private(await world.ben.slash(world.zone, "moves")).casefold()
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    assert "Keep the last card, with Seize Initiative" in texts(panel)
    await world.press(world.ana, panel, "Pass")
    text = await newest(world)
    assert "Breakthrough #15" in text and "Players: fatigued" in text, text
    assert (await sheet(world, "Vesna")).harm.shock == 0
    await world.restart()
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    await world.press(world.ana, panel, "Flip another card, with Seize Initiative")
    text = await newest(world)
    assert "Vesna plays Seize Initiative: Drama takes the place of Breakthrough." in text, text
    assert "Players first: nothing special." in text
    deck = conserved(await cards(world))
    assert (deck.at(INITIATIVE), deck.at(DISCARD_PILE)) == (("25", "15", "1"), (str(SEIZE),))
    assert (await sheet(world, "Vesna")).harm.shock == 0
    await world.gina.slash(world.zone, "gm undo")
    deck = conserved(await cards(world))
    assert (deck.at(INITIATIVE), deck.at(POOL, vesna)) == (("15", "1"), (str(SEIZE),))
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    await world.press(world.ana, panel, "Flip another card, with Seize Initiative")
    # The other one keeps the card that lies there now for a round more.
    await next_turn(world)
    public(await world.ana.slash(world.zone, "mb act", action="looks around"))
    public(await world.ana.slash(world.zone, "mb card pool", card="Seize Initiative"))
    await next_turn(world)
    await next_turn(world)
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    await world.press(world.ana, panel, "Keep the last card, with Seize Initiative")
    text = await newest(world)
    assert "Drama #25, kept for another round" in text and "round 3" in text.casefold(), text
    deck = conserved(await cards(world))
    assert (deck.at(INITIATIVE), deck.deal.number) == (("25", "15", "1"), 3)


@pytest.mark.rule("MB-CARD-E16", "MB-CARD-13")
async def test_another_card_may_be_seized_by_whoever_had_nothing_against_the_first(
    world: World,
) -> None:
    await begin(world, SEIZE, HERO, IDEA, SEIZE2, CLAIM, EFFECT, 1, 15, 25, 3, step_in_minutes=60)
    await gather(world, "Thug")
    for person in (world.ben, world.ana):
        await next_turn(world)
        public(await person.slash(world.zone, "mb act", action="looks around"))
        public(await person.slash(world.zone, "mb card pool", card="Seize Initiative"))
    await next_turn(world)
    await next_turn(world)
    await pass_all(world, world.ben, world.ana)
    assert "Breakthrough #15" in await newest(world)
    assert "Waiting for Vesna\n" in await pass_all(world, world.ben)
    await world.env.advance_time(50 * 60)
    text = await reacts(world, world.ana, "Flip another card")
    assert "Drama #25" in text and "Waiting for Boris" in text, text
    await world.env.advance_time(50 * 60)
    text = await reacts(world, world.ben, "Flip another card")
    assert "Boris plays Seize Initiative" in text and "#3" in text, text


@pytest.mark.rule("MB-CARD-I13", "MB-CARD-I04", "MB-CARD-12")
async def test_confused_players_leave_their_cards_alone(world: World) -> None:
    await begin(world, SEIZE, HERO, IDEA, ACTION, CLAIM, EFFECT, 1, 2, 14, RALLY)
    vesna = await who(world, "Vesna")
    await gather(world, "Thug")
    await next_turn(world)
    await next_turn(world)
    public(await world.ana.slash(world.zone, "mb act", action="looks around"))
    public(await world.ana.slash(world.zone, "mb card pool", card="Seize Initiative"))
    await world.gina.slash(world.zone, "mb rounds", rounds="combat", scene="dramatic")
    await next_turn(world)
    await next_turn(world)
    # The last round's card may be kept; whose pool it takes is waited for.
    since = len(world.told(world.ana))
    await pass_all(world, world.ana)
    text = world.told(world.ana)[since:]
    # Seize Initiative is of no use against the card that confuses.
    assert "Players: confused" in text and "Thug's turn" in text, text
    for _ in range(2):
        await next_turn(world)
    public(await world.ana.slash(world.zone, "mb act", action="looks around"))
    for command, more in (("mb card pool", {"card": "Hero"}), ("mb card moment", {})):
        assert "confused" in refusal_of(await world.ana.slash(world.zone, command, **more))
    text = await taunts(world, world.ana, "Thug", 9, 9)
    assert "earns a card" not in text, text
    await next_turn(world)
    await world.restart()
    # As long as the line says: in the next round they may again.
    await next_turn(world)
    await next_turn(world)
    public(await world.ana.slash(world.zone, "mb act", action="looks around"))
    public(await world.ana.slash(world.zone, "mb card pool", card="Hero"))
    deck = conserved(await cards(world))
    assert names(deck, deck.at(POOL, vesna)) == ["Seize Initiative", "Hero"]


@pytest.mark.rule("MB-CARD-12", "MB-CARD-A01")
async def test_the_critical_moment(world: World) -> None:
    await begin(world, SEIZE, HERO, IDEA, ACTION, CLAIM, EFFECT, 14, RALLY, 1)
    vesna = await who(world, "Vesna")
    assert "rounds only" in refusal_of(await world.ana.slash(world.zone, "mb card moment"))
    await gather(world, "Thug")
    await next_turn(world)
    asked = await world.ana.slash(world.zone, "mb card moment")
    assert "every card left in both is gone: the hand holds" in private(asked)
    told = texts(message_of(await world.press(world.ana, message_of(asked), "Play for it")))
    assert "plays for the critical moment" in told, told
    assert "used that" in refusal_of(await world.ana.slash(world.zone, "mb card moment"))
    await next_turn(world)
    await taunts(world, world.ana, "Thug", 9, 9)
    await next_turn(world)
    await world.restart()
    text = await next_turn(world)
    assert "Vesna discards 3 cards after the critical moment" in text, text
    deck = conserved(await cards(world))
    # What was earned in it comes after everything has gone.
    assert names(deck, deck.at(HAND, vesna)) == ["Rally"] and len(deck.at(DISCARD_PILE)) == 3
    assert deck.seat(vesna).moment_used and not deck.seat(vesna).moment_declared
    await world.gina.slash(world.zone, "gm undo")
    deck = conserved(await cards(world))
    assert len(deck.at(HAND, vesna)) == 3 and deck.seat(vesna).awards == 1


@pytest.mark.rule("MB-CARD-I14")
async def test_gamemaster_fiat(world: World) -> None:
    await begin(world, SEIZE, HERO, IDEA, ACTION, CLAIM, EFFECT, 14, 25, 1, 75, 31, gm_channel=True)
    refusal_of(await world.ana.slash(world.zone, "mb deck fiat"))
    await gather(world)
    card = message_of(await world.gina.slash(world.zone, "mb deck fiat"))
    assert "Breakthrough #14:** standard: players first, NPCs stymied" in texts(card), texts(card)
    assert "four cards to arrange already" in refusal_of(
        await world.gina.slash(world.zone, "mb deck fiat")
    )
    panel = message_of(await world.press(world.gina, card, "Keep cards"))
    await world.gina.submit_modal(
        await world.press(world.gina, panel, "Order…"), {"order": "75, 99"}
    )
    assert "Write numbers of these cards" in texts(panel)
    await world.gina.submit_modal(
        await world.press(world.gina, panel, "Order…"), {"order": "75, 25"}
    )
    await world.press(world.gina, panel, "Keep cards")
    heard = "\n".join(map(texts, world.messages()))
    assert "The GM arranges the next cards for initiative: 2 of 4 kept" in heard, (
        heard,
        texts(panel),
    )
    assert "Supporter" not in world.told(world.ana)
    deck = conserved(await cards(world))
    assert (deck.at(QUEUE), deck.at(DISCARD_PILE), deck.at(TAKEN)) == (
        ("75", "25"),
        ("1", "14"),
        (),
    )
    await world.restart()
    assert "Supporter #75" in await next_turn(world)
    await next_turn(world)
    assert "Drama #25" in await next_turn(world)
    await next_turn(world)
    assert "Effect #31" in await next_turn(world)
    conserved(await cards(world))


@pytest.mark.rule("MB-CARD-I06", "MB-CARD-A03", "MB-CARD-09")
async def test_a_flurry_is_two_turns_for_everybody(world: World) -> None:
    # 29: the players' flurry, and any action earns.
    await begin(world, SEIZE, HERO, IDEA, ACTION, CLAIM, EFFECT, 29, RALLY, PRESENCE, 1)
    vesna = await who(world, "Vesna")
    await gather(world, "Thug")
    text = await next_turn(world)
    assert "flurry: everybody acts twice" in text and "**Earns a card:** any" in text, text
    assert "Vesna goes next" in text, text
    # After the last of them it begins anew.
    assert "Boris goes next" in await next_turn(world)
    assert "earns a card" in await taunts(world, world.ana, "Thug", 9, 9)
    refusal_of(
        await world.ana.slash(
            world.zone, "mb interact", skill="Taunt", target="Thug", approach="again"
        )
    )
    public(await world.ana.slash(world.zone, "mb card pool", card="Hero"))
    text = await next_turn(world)
    assert "Boris, you're up" in text and await order(world) == ["Boris", "Vesna", "Thug"], text
    await world.restart()
    assert "Thug goes next" in await next_turn(world)
    assert "earns a card" in await taunts(world, world.ana, "Thug", 9, 9)
    public(await world.ana.slash(world.zone, "mb card pool", card="Idea"))
    assert "can't pool or earn more cards" in refusal_of(
        await world.ana.slash(world.zone, "mb card pool", card="73")
    )
    assert "Thug's turn" in await next_turn(world)
    text = await next_turn(world)
    assert "round 2" in text and "Vesna draws 2 cards earned this round" in text, text
    deck = conserved(await cards(world))
    assert names(deck, deck.at(HAND, vesna)) == ["Seize Initiative", "Rally", "Presence"]
    assert await order(world) == ["Boris", "Vesna", "Thug"]


#: Cards on top of the deck: the players' flurry comes first, where any action earns.
_FLURRY: Final = (SEIZE, HERO, IDEA, ACTION, CLAIM, EFFECT, 29, RALLY, PRESENCE, 1)


@pytest.mark.rule("MB-CARD-I06", "MB-CARD-A03", "MB-CMB-03")
async def test_each_action_of_a_flurry_may_earn_a_card(world: World) -> None:
    await begin(world, *_FLURRY)
    await gather(world, "Thug")
    await next_turn(world)
    await next_turn(world)
    assert await acts(world) == "Vesna"
    # The first action defends, the second one earns before the defense has stopped anything.
    world.dice.lay(9, 9)
    await world.ana.slash(world.zone, "mb defend", skill="Melee Parry")
    assert "17 for the rest of the round" in await newest(world)
    await next_turn(world)
    await next_turn(world)
    assert await acts(world) == "Vesna"
    assert "earns a card" in await attack(world, world.ana, "Thug", 3, 5, **KNIFE)
    await world.restart()
    assert "Thug's turn" in await next_turn(world)
    bat: dict[str, Any] = {"weapon": "Baseball bat", "approach": "so", "as": "Thug"}
    assert "Vesna earns a card" in await attack(world, world.gina, "Vesna", 1, 1, **bat)
    await world.gina.slash(world.zone, "gm undo")
    assert "Vesna earns a card" in await attack(world, world.gina, "Vesna", 1, 1, **bat)
    assert "Vesna draws 2 cards earned this round" in await next_turn(world)


@pytest.mark.rule("MB-CARD-I06", "MB-ACT-01")
async def test_the_second_turn_of_a_flurry_is_announced(world: World) -> None:
    await begin(world, *_FLURRY)
    await gather(world, "Thug")
    await next_turn(world)
    await next_turn(world)
    await attack(world, world.ana, "Thug", 1, 1, **KNIFE)
    board = private(await world.ana.slash(world.zone, "initiative show"))
    assert "one more turn by flurry: press End turn" in board, board
    await world.restart()
    early = refusal_of(await world.ana.slash(world.zone, "attack", target="Thug", **KNIFE))
    assert "Vesna has one more turn by flurry" in early and "Press End turn" in early, early
    await next_turn(world)
    await next_turn(world)
    await attack(world, world.ana, "Thug", 1, 1, **KNIFE)
    late = refusal_of(await world.ana.slash(world.zone, "attack", target="Thug", **KNIFE))
    assert "no action left in this round" in late, late
    await world.gina.slash(world.zone, "gm undo")
    await attack(world, world.ana, "Thug", 1, 1, **KNIFE)


@pytest.mark.rule("MB-CARD-I06", "MB-ACT-02")
async def test_who_waits_in_a_flurry_takes_nobody_else_s_place(world: World) -> None:
    await begin(world, *_FLURRY)
    await gather(world, "Thug")
    await next_turn(world)
    consequences = [await acts(world)]
    await next_turn(world)
    await world.ana.slash(world.zone, "initiative delay")
    assert await acts(world) == "Boris"
    await world.gina.slash(world.zone, "gm undo")
    assert await acts(world) == "Vesna"
    await world.ana.slash(world.zone, "initiative delay")
    await world.restart()
    for _ in range(4):
        consequences.append(await acts(world))
        await next_turn(world)
    assert consequences == ["Boris", "Boris", "Thug", "Vesna", "Vesna"]


@pytest.mark.rule("MB-CARD-I07", "MB-CARD-I08", "MB-CARD-I11")
async def test_inspiration_setback_and_breaks(world: World) -> None:
    # 17: the players are inspired, and draw; 9: a setback of the NPCs; 19: the NPCs have to break
    # off.
    await begin(
        world,
        SEIZE,
        HERO,
        IDEA,
        ACTION,
        CLAIM,
        EFFECT,
        17,
        RALLY,
        PRESENCE,
        9,
        20,
        1,
        25,
        sheets={"Vesna": {"harm": "shock 3"}},
    )
    vesna = await who(world, "Vesna")
    await gather(world, "Thug")
    text = await next_turn(world)
    assert "Vesna is free of shock, K, O and knockdown." in text and "a card each" in text, text
    deck = conserved(await cards(world))
    assert (
        names(deck, deck.at(HAND, vesna))[-1] == "Rally"
        and (await sheet(world, "Vesna")).harm.shock == 0
    )
    for _ in range(2):
        await next_turn(world)
    text = await next_turn(world)
    assert "NPCs: setback" in text and "give somebody a mishap instead of a lost action" in text, (
        text
    )
    panel = message_of(await world.press(world.gina, world.newest("GM: say how"), "GM: say how"))
    await world.press(world.gina, panel, "Pass")
    text = await newest(world)
    assert "Thug" not in text and await order(world) == ["Boris", "Vesna"], text
    await next_turn(world)
    text = await next_turn(world)
    assert "break off after this round" in text, text
    for _ in range(3):
        text = await next_turn(world)
    assert "the card is flipped next. The NPCs had to achieve something or break off" in text, text
    panel = message_of(await world.press(world.gina, world.newest("GM: say how"), "GM: say how"))
    await world.press(world.gina, panel, "The NPCs are trapped: +4 to all their difficulties")
    assert await mark_value(world, "Thug", TRAPPED) == 4
    for _ in range(2):
        await next_turn(world)
    await world.restart()
    await taunts(world, world.gina, "Boris", as_="Thug")
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    world.dice.lay(5, 6)
    await world.press(world.ben, panel, "Pass")
    # Charisma 8, a bonus of 1, and 4 less.
    assert "total **5**" in await newest(world)
    # It is asked again as long as they are trapped, though the card says nothing of it.
    await next_turn(world)
    panel = message_of(await world.press(world.gina, world.newest("GM: say how"), "GM: say how"))
    await world.press(world.gina, panel, "The NPCs have achieved something")
    assert await mark_value(world, "Thug", TRAPPED) == 0


@pytest.mark.rule("MB-CARD-I12")
async def test_a_skill_on_the_card_takes_cards_away(world: World) -> None:
    # 47: NPCs first, and a taunt of theirs takes a card.
    await begin(world, SEIZE, HERO, IDEA, ACTION, CLAIM, EFFECT, 47, gm_channel=True)
    boris = await who(world, "Boris")
    await gather(world, "Thug")
    assert "each success with taunt takes a card" in await next_turn(world)
    await taunts(world, world.gina, "Boris", as_="Thug")
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    world.dice.lay(9, 9)
    await world.press(world.ben, panel, "Pass")
    panel = message_of(
        await world.press(world.gina, world.newest("GM: take a card"), "GM: take a card")
    )
    assert "A random card of the hand" in texts(panel) and "Claim" not in texts(panel), texts(panel)
    await world.restart()
    world.dice.lay(2)
    await world.press(world.gina, panel, "A random card of the hand")
    # The first of the three that Boris was dealt has number 1.
    text = await newest(world)
    assert "The GM takes a card from Boris: Claim." in text, text
    deck = conserved(await cards(world))
    assert names(deck, deck.at(HAND, boris)) == ["Action", "Effect"] and deck.at(DISCARD_PILE) == (
        str(CLAIM),
    )
    await world.gina.slash(world.zone, "gm undo")
    assert len((await cards(world)).at(HAND, boris)) == 3


@pytest.mark.rule("MB-CARD-03")
async def test_a_reshuffle_in_the_midst_of_a_round(world: World) -> None:
    await begin(world, SEIZE, HERO, IDEA, ACTION, CLAIM, EFFECT, 14)
    await gather(world, "Thug")
    await next_turn(world)
    for _ in range(25):
        card = message_of(await world.gina.slash(world.zone, "mb deck fiat"))
        panel = message_of(await world.press(world.gina, card, "Keep cards"))
        await world.press(world.gina, panel, "Keep none")
    deck = conserved(await cards(world))
    # 99 cards were left: with the last of them the used ones came back, but for the card of this
    # round.
    assert (
        deck.at(INITIATIVE) == ("14",)
        and len(deck.at(DISCARD_PILE)) == 4
        and len(deck.at(DRAW_PILE)) == 95
    )
    # What nobody sees happen is published all the same, so that it can be proved fair.
    assert deck.piles.sealed[-1].number == 2
    assert any(deck.piles.sealed[-1].commitment in texts(each) for each in world.messages())
    await world.restart()
    for _ in range(2):
        await next_turn(world)
    text = await next_turn(world)
    deck = conserved(await cards(world))
    assert "round 2" in text.casefold() and len(deck.at(INITIATIVE)) == 2, text


@pytest.mark.rule("MB-CARD-E08", "MB-CARD-I03")
async def test_a_haste_is_a_turn_between_others(world: World) -> None:
    await begin(world, 35, HERO, IDEA, ACTION, CLAIM, EFFECT, 1)
    await gather(world, "Thug")
    await next_turn(world)
    await next_turn(world)
    public(await world.ana.slash(world.zone, "mb act", action="looks around"))
    public(await world.ana.slash(world.zone, "mb card pool", card="Haste"))
    await next_turn(world)
    assert await order(world) == ["Thug"]
    await world.ana.slash(world.zone, "mb card play", card="Haste")
    assert await order(world) == ["Vesna", "Thug"]
    assert "Thug goes next" in texts(world.last())
    await taunts(world, world.ana, "Thug", 9, 9)
    await world.restart()
    await next_turn(world)
    assert await order(world) == ["Thug"]
    assert "round 2" in await next_turn(world)
    assert await order(world) == ["Boris", "Vesna", "Thug"]


@pytest.mark.rule("MB-CARD-L02", "MB-INI-01")
async def test_fast_reactions_act_once_more(world: World) -> None:
    fast = {"advantages": ["Fast Reactions (CIII)"]}
    await begin(world, HERO, IDEA, ACTION, CLAIM, EFFECT, PRESENCE, 1, sheets={"Vesna": fast})
    assert "rounds only" in refusal_of(await world.ana.slash(world.zone, "mb card fast"))
    await gather(world, "Thug")
    await next_turn(world)
    assert await order(world) == ["Boris", "Vesna", "Thug"]
    assert "Vesna" not in refusal_of(await world.ben.slash(world.zone, "mb card fast"))
    public(await world.ana.slash(world.zone, "mb card fast"))
    assert await order(world) == ["Vesna", "Boris", "Vesna", "Thug"]
    await world.gina.slash(world.zone, "gm undo")
    assert await order(world) == ["Boris", "Vesna", "Thug"]
    for _ in range(3):
        public(await world.ana.slash(world.zone, "mb card fast"))
    assert "used that" in refusal_of(await world.ana.slash(world.zone, "mb card fast"))
    assert (await cards(world)).seat(await who(world, "Vesna")).hastes == 3


@pytest.mark.rule("MB-CARD-L02", "MB-INI-01")
async def test_fast_reactions_come_first_without_cards(world: World) -> None:
    await open_table(world, sheets={"Vesna": {"advantages": ["Fast Reactions (CIII)"]}})
    await gather(world)
    text = await next_turn(world, 5, 5, 5, 5)
    assert "total **12**" in text and "total **9**" in text, text


@pytest.mark.rule("MB-CARD-L04", "MB-CARD-I09")
async def test_bad_luck_stymies_until_the_scene_ends(world: World) -> None:
    await open_table(world, sheets={"Vesna": {"compensations": ["Bad Luck (CII)"]}})
    said_ = {"skill": "Stealth", "difficulty": "Average", "approach": "behind the crates"}
    world.dice.lay(1, 2)
    await world.ana.slash(world.zone, "check", **said_)
    panel = message_of(await world.press(world.gina, world.newest("GM: bad luck"), "GM: bad luck"))
    await world.press(world.gina, panel, "Vesna: stymied until the scene ends")
    for _ in range(2):
        world.dice.lay(10, 4)
        await world.ana.slash(world.zone, "check", **said_)
        assert world.dice.left == 0 and "2d10 (**10**, 4)" in await newest(world)


@pytest.mark.rule("MB-CARD-L04", "MB-DIE-03")
async def test_bad_luck_looks_at_every_two_dice_thrown_together(world: World) -> None:
    await open_table(
        world, sheets={"Vesna": {"compensations": ["Bad Luck (CII)"]}}, step_in_minutes=60
    )
    said_ = {"skill": "Stealth", "difficulty": "Average", "approach": "behind the crates"}
    # A lone die that rolls again is no throw of two, even beside another low one.
    world.dice.lay(10, 10, 1, 1)
    await world.ana.slash(world.zone, "check", **said_)
    await pass_all(world, world.ana)
    assert "bad luck" not in " ".join(labels(world.card("c1")))
    # The two dice of a Life Point are.
    world.dice.lay(5, 6)
    await world.ana.slash(world.zone, "check", **said_)
    await reacts(world, world.ana, "Spend a Life Point")
    world.dice.lay(1, 2)
    await pass_all(world, world.ben)
    assert world.dice.left == 0
    panel = message_of(await world.press(world.gina, world.newest("GM: bad luck"), "GM: bad luck"))
    await world.press(world.gina, panel, "Vesna: stymied until the scene ends")
    assert not (await world.state()).checks["c2"].is_open


@pytest.mark.rule("MB-CARD-L04", "MB-CARD-E15")
async def test_bad_luck_of_dice_that_a_second_chance_took_back_is_gone(world: World) -> None:
    unlucky = {"compensations": ["Bad Luck (CII)"], "advantages": ["Luck (II)"]}
    await open_table(world, sheets={"Vesna": unlucky}, step_in_minutes=60)
    said_ = {"skill": "Stealth", "difficulty": "Average", "approach": "behind the crates"}
    for before, after, bad in (((1, 2), (5, 6), False), ((5, 4), (1, 1), True)):
        world.dice.lay(*before)
        await world.ana.slash(world.zone, "check", **said_)
        world.dice.lay(*after)
        await reacts(world, world.ana, "Luck as Second Chance")
        await pass_all(world, world.ana)
        assert ("GM: bad luck" in labels(world.last())) is bad, texts(world.last())
        await world.gina.slash(world.zone, "mb adventure start", name="Another")


@pytest.mark.rule("MB-CARD-A01", "MB-CARD-04", "MB-CARD-I07")
async def test_earned_cards_are_dealt_in_the_order_of_seats_before_the_next_is_turned(
    world: World,
) -> None:
    # 14: taunts earn. What is earned lies above 17, which inspires the players: each of them draws
    # once more.
    await begin(world, SEIZE, HERO, IDEA, ACTION, CLAIM, EFFECT, 14, RALLY, PRESENCE, 17, 2, 3)
    vesna, boris = await who(world, "Vesna"), await who(world, "Boris")
    await gather(world, "Thug")
    # Boris acts first; Vesna sits first.
    for person, name in ((world.ben, "Boris"), (world.ana, "Vesna")):
        await next_turn(world)
        assert f"{name} earns a card" in await taunts(world, person, "Thug", 9, 9)
    deck = await cards(world)
    assert (len(deck.at(HAND, vesna)), len(deck.at(HAND, boris))) == (3, 3), (
        "nothing is dealt before the end"
    )
    await next_round(world)
    deck = conserved(await cards(world))
    assert names(deck, deck.at(HAND, vesna))[3] == "Rally"
    assert names(deck, deck.at(HAND, boris))[3] == "Presence"


@pytest.mark.rule("MB-CARD-I02", "MB-INI-01")
async def test_an_npc_that_joins_a_round_acts_with_its_side(world: World) -> None:
    # Vesna's hand, Boris's hand, and the card of the round: 14, players first.
    await begin(world, HERO, IDEA, PRESENCE, ACTION, CLAIM, EFFECT, 14, RALLY, 25)
    await gather(world, "Thug")
    await next_turn(world)
    await next_turn(world)
    await next_turn(world)
    assert await acts(world) == "Thug"
    await world.gina.slash(world.zone, "gm npc add", name="Soldier", count=2, like="Thug")
    await world.gina.slash(world.zone, "gm npc reveal", npc="Soldier")
    added = message_of(await world.gina.slash(world.zone, "initiative add", name="Soldier"))
    assert "has passed" not in texts(added)
    assert await order(world) == ["Thug", "Soldier 1", "Soldier 2"], "their side acts now"
    done = await world.gina.slash(world.zone, "mb act", action="shouts", **{"as": "Soldier 1"})
    assert "turn is over" not in texts(message_of(done))


async def test_the_board_and_moves_say_that_only_end_turn_is_left(world: World) -> None:
    await begin(world, IDEA, RALLY, CLAIM, PRESENCE, EFFECT, ACTION)
    await gather(world)
    await next_turn(world)
    await next_turn(world)
    assert "Nothing to do right now." in private(await world.gina.slash(world.zone, "moves"))
    await attack(world, world.ana, "Thug", 4, 5, **KNIFE)
    assert "Vesna has acted. Vesna's player or the GM presses End turn." in board_text(world)
    panel = message_of(await world.gina.slash(world.zone, "moves"))
    assert "Vesna has acted. Only End turn is left." in texts(panel), texts(panel)
    assert labels(panel) == ["End turn · Vesna"]


@pytest.mark.parametrize("patience", [False])
async def test_a_point_spent_in_ones_turn_tells_once_that_it_is_over(world: World) -> None:
    await begin(world, IDEA, RALLY, CLAIM, PRESENCE, EFFECT, ACTION, step_in_minutes=10)
    await gather(world)
    await next_turn(world)
    await next_turn(world)
    await attack(world, world.ana, "Thug", 4, 5, **KNIFE)
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    world.dice.lay(6, 5)
    pressed = await world.press(world.ana, panel, "Spend a Life Point: 2 more dice (5 left)")
    assert pressed.response is not None
    told = [texts(each) for each in (pressed.response, *pressed.followups)]
    acted = [text for text in told if text.startswith("## Vesna has acted for this round")]
    assert len(acted) == 1, told
