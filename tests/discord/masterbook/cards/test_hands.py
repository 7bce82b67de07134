"""Hands through Discord: what one sees of them, what is done with a card, trades, Claim,
Leadership, Rally.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.services.perform import perform
from rules.systems.masterbook.deck.deck_state import DISCARD_PILE, HAND
from rules.table.actions import Actor
from tests.discord.masterbook.cards.deck import begin, cards, hand, names, who, whole
from tests.discord.masterbook.table import sheet
from tests.discord.rounds import gather, next_turn
from tests.discord.world import (
    World,
    gallery,
    head,
    labels,
    menu,
    message_of,
    parts,
    primary,
    private,
    refusal_of,
    texts,
)
from tests.sample_table import own_action

HERO, IDEA, RALLY, CLAIM, PRESENCE, ACTION, EFFECT, LEADERSHIP, DRAMA = (
    39,
    44,
    61,
    16,
    56,
    1,
    30,
    48,
    25,
)
HASTE, WILD = 35, 106
WITH = "Trade it with"


@pytest.mark.rule("MB-CARD-17", "MB-CARD-02")
async def test_a_hand_is_seen_by_its_owner_as_text_and_pictures(world: World) -> None:
    await begin(world, HERO, RALLY, CLAIM, PRESENCE, ACTION, EFFECT)
    panel = message_of(await world.ana.slash(world.zone, "card hand"))
    told = texts(panel)
    assert panel.ephemeral
    assert told.startswith("## Your cards: hand 3\n"), told
    assert "**Rally**, hand\nEverybody draws a card." in told
    assert "Presence" not in told
    assert len(gallery(panel)) == 1
    one = message_of(await world.choose(world.ana, panel, "Open a card", "2"))
    (alt,) = [item["description"] for part in parts(one) for item in part.get("items", ())]
    assert alt.startswith(
        "Card 16: Claim. Between actions Swap it for the top of the discard pile."
    )
    assert "Standard scene: NPCs no effect, Players fatigued." in alt
    assert "Steps: A and B. Earns a card: defend and trick." in alt
    assert len(gallery(one)) == 1
    assert "Presence" in await hand(world, world.ben)
    table = private(await world.ben.slash(world.zone, "deck info"))
    assert "100 cards to draw" in table and "Vesna" in table and "Rally" not in table


@pytest.mark.rule("MB-CARD-09", "MB-CARD-17")
async def test_pools_are_seen_and_pictured_by_everybody(world: World) -> None:
    await begin(world, HERO, IDEA, PRESENCE, ACTION, CLAIM, EFFECT, 25)
    await gather(world)
    await next_turn(world)
    await next_turn(world)  # Boris is first
    # Only what may be done: she has not acted yet, and nothing is played from a hand.
    assert {"To pool", "Play"}.isdisjoint(
        labels(message_of(await world.ana.slash(world.zone, "card hand")))
    )
    world.dice.lay(5, 6)
    await world.ana.slash(
        world.zone, "check", skill="Stealth", difficulty="Average", approach="the crates"
    )
    panel = message_of(await world.ana.slash(world.zone, "card hand"))
    assert "To pool" in texts(panel)
    now = message_of(await world.press(world.ana, panel, "To pool"))
    assert "**Hero**, pool" in texts(now) and "To pool" not in labels(now)
    seen = message_of(await world.ben.slash(world.zone, "deck info"))
    assert "Hero" in texts(seen) and "Idea" not in texts(seen)
    (alt,) = [item["description"] for part in parts(seen) for item in part.get("items", ())]
    assert alt.startswith("Card 39: Hero.")
    # A Life Point is for what is rolled, so the button beside it is the trade: with whom, the card
    # itself asks.
    one = message_of(await world.press(world.ana, now, "Trade…"))
    (boris,) = menu(one, WITH)["options"]
    asked = message_of(await world.choose(world.ana, one, WITH, boris["value"]))
    off = refusal_of(await world.press(world.ana, asked, "Offer it"))
    assert "in rounds from pool to pool" in off
    whole(await cards(world))


async def test_no_slip_shows_a_card(world: World) -> None:
    """Nothing is played from a hand in rounds, so the likeliest would be to show a card."""
    await begin(world, HERO, RALLY, CLAIM, PRESENCE, ACTION, EFFECT)
    await gather(world)
    await next_turn(world)
    panel = message_of(await world.ana.slash(world.zone, "card hand"))
    assert not any("show" in each.lower() for each in labels(panel))
    one = message_of(await world.press(world.ana, panel, "Open"))
    assert primary(one) == []
    asked = message_of(await world.press(world.ana, one, "Show to everybody…"))
    assert head(asked) == "Show Hero to everybody?"
    assert primary(asked) == []
    assert "Hero" not in world.told(world.ben)
    await world.press(world.ana, asked, "Show to everybody")
    assert "Ana shows “Hero”" in texts(world.last())


@pytest.mark.rule("MB-CARD-11")
async def test_a_trade_says_what_is_offered_to_whom_before_it_is(world: World) -> None:
    await begin(world, HERO, RALLY, CLAIM, PRESENCE, ACTION, EFFECT)
    panel = message_of(await world.ana.slash(world.zone, "card hand"))
    one = message_of(await world.choose(world.ana, panel, "Open a card", "2"))
    # Neither the GM nor the bot nor Ana herself.
    assert [each["label"] for each in menu(one, WITH)["options"]] == ["Boris (Ben)"]
    (boris,) = menu(one, WITH)["options"]
    count = len(world.messages())
    asked = message_of(await world.choose(world.ana, one, WITH, boris["value"]))
    assert head(asked) == f"Offer Claim to {world.ben.mention}?"
    assert "picks a card to give in return" in texts(asked)
    assert len(world.messages()) == count, "nothing is sent yet"
    await world.press(world.ana, asked, "Offer it")
    assert (await world.check("h1")).is_open


@pytest.mark.rule("MB-CARD-11")
async def test_the_gm_is_told_to_hold_no_cards(world: World) -> None:
    await begin(world, HERO, RALLY, CLAIM, PRESENCE, ACTION, EFFECT)
    off = refusal_of(await world.ana.slash(world.zone, "card give", card="Claim", to=world.gina))
    assert f"{world.gina.mention} holds no cards here" in off
    off = refusal_of(await world.ana.slash(world.zone, "card give", card="Claim", to=world.ana))
    assert "That's you" in off


@pytest.mark.rule("MB-CARD-E14", "MB-CARD-08")
async def test_rally_from_the_panel(world: World) -> None:
    await begin(world, HERO, CLAIM, RALLY, PRESENCE, ACTION, EFFECT, IDEA, DRAMA)
    vesna, boris = await who(world, "Vesna"), await who(world, "Boris")
    panel = message_of(await world.ana.slash(world.zone, "card hand"))
    now = message_of(await world.press(world.ana, panel, "Play"))
    assert "Idea" in texts(now) and "Rally" not in texts(now)
    told = texts(world.last())
    assert "Vesna plays Rally" in told and "Boris draws 1 card." in told
    deck = whole(await cards(world))
    assert names(deck, deck.at(HAND, vesna)) == ["Hero", "Claim", "Idea"]
    assert names(deck, deck.at(HAND, boris)) == ["Presence", "Action", "Effect", "Drama"]
    await world.restart()
    await world.gina.slash(world.zone, "gm undo")
    deck = whole(await cards(world))
    assert names(deck, deck.at(HAND, vesna)) == ["Hero", "Claim", "Rally"]


@pytest.mark.rule("MB-CARD-E04", "MB-CARD-18")
async def test_two_who_claim_at_once_get_one_card_between_them(world: World) -> None:
    await begin(world, CLAIM, IDEA, RALLY, CLAIM + 1, ACTION, EFFECT)
    vesna, boris = await who(world, "Vesna"), await who(world, "Boris")
    early = refusal_of(await world.ana.slash(world.zone, "mb card play", card="Claim"))
    assert "The discard pile is empty" in early
    await world.ana.slash(world.zone, "card discard", card="Idea")
    tables, table_id = world.bot.tables, world.bot.tables.places.table_id(str(world.zone.id))
    assert table_id is not None
    people = {each.name: each.owner for each in (await world.state()).characters.values()}
    plays = [
        own_action("Play")(
            who=Actor(people[name] or ""), at=1, place=str(world.zone.id), card="Claim"
        )
        for name in ("Vesna", "Boris")
    ]
    await asyncio.gather(
        *[perform(tables, table_id, each, f"both-{n}") for n, each in enumerate(plays)]
    )
    deck = whole(await cards(world))
    held = [names(deck, deck.at(HAND, each)) for each in (vesna, boris)]
    # Whoever comes second takes what lies on top by then: the other's Claim.
    assert sorted([("Idea" in mine, "Claim" in mine) for mine in held]) == [
        (False, True),
        (True, False),
    ]
    assert len(deck.at(DISCARD_PILE)) == 1


@pytest.mark.rule("MB-CARD-E11")
async def test_leadership_gives_and_draws(world: World) -> None:
    await begin(world, LEADERSHIP, HERO, IDEA, CLAIM, ACTION, EFFECT, PRESENCE, DRAMA)
    vesna, boris = await who(world, "Vesna"), await who(world, "Boris")
    many = refusal_of(
        await world.ana.slash(
            world.zone, "mb card play", card="Leadership", gifts="Hero, Hero", to="Boris"
        )
    )
    assert "No such card" in many
    # What is said with a command that is answered in public, everybody can read there.
    private(
        await world.ana.slash(
            world.zone, "mb card play", card="Leadership", gifts="Hero", to="Boris"
        )
    )
    told = texts(world.last())
    assert "Vesna gives away 1 card" in told and "Hero" not in told
    deck = whole(await cards(world))
    assert names(deck, deck.at(HAND, vesna)) == ["Idea", "Presence", "Drama"]
    assert names(deck, deck.at(HAND, boris)) == ["Claim", "Action", "Effect", "Hero"]


@pytest.mark.rule("MB-CARD-E06", "MB-CARD-18")
async def test_drama_is_three_skill_points_and_haste_is_for_rounds(world: World) -> None:
    await begin(world, DRAMA, HASTE, IDEA, CLAIM, ACTION, EFFECT)
    before = (await sheet(world, "Vesna")).skill_points
    await world.ana.slash(world.zone, "card play", card="Drama")
    assert (await sheet(world, "Vesna")).skill_points == before + 3
    early = refusal_of(await world.ana.slash(world.zone, "card play", card="Haste"))
    assert "rounds only" in early
    unknown = refusal_of(await world.ana.slash(world.zone, "card play", card="Nothing"))
    assert "No such card: “Nothing”" in unknown and "Action" not in unknown


@pytest.mark.rule("MB-CARD-11")
async def test_a_trade_is_seen_by_the_two_sides_alone(world: World) -> None:
    await begin(world, HERO, RALLY, IDEA, CLAIM, ACTION, EFFECT)
    vesna, boris = await who(world, "Vesna"), await who(world, "Boris")
    offered = texts(
        message_of(await world.ana.slash(world.zone, "mb card trade", cards="Hero", to="Boris"))
    )
    assert "Vesna offers you Hero. Boris picks 1 card to give in return, or declines." in offered
    # Nobody but the two has anything to open.
    stubs = [texts(each) for each in world.messages() if "private" in texts(each)]
    assert [f"<@{world.ben.id}>" in each for each in stubs] == [True], stubs
    assert all("Hero" not in texts(each) for each in world.messages())
    await world.restart()
    panel = message_of(
        await world.press(
            world.ben,
            _for_ben(world),
            "Show",
        )
    )
    assert texts(panel).startswith("## Boris: trade or decline"), texts(panel)
    assert labels(panel) == ["Trade…", "Decline"] and primary(panel) == ["Trade…"]
    panel = message_of(await world.press(world.ben, panel, "Trade…"))
    assert "Vesna offers you Hero." in texts(panel), texts(panel)
    panel = message_of(await world.choose(world.ben, panel, "Cards", f"cards: {ACTION}"))
    done = texts(message_of(await world.press(world.ben, panel, "Trade")))
    assert "Traded" in done and "Vesna gives Hero." in done and "Boris gives Action." in done
    deck = whole(await cards(world))
    assert names(deck, deck.at(HAND, vesna)) == ["Rally", "Idea", "Action"]
    assert names(deck, deck.at(HAND, boris)) == ["Claim", "Effect", "Hero"]
    for each in world.messages():
        assert "Hero" not in texts(each) and "Action" not in texts(each)
    await world.gina.slash(world.zone, "gm undo")
    deck = whole(await cards(world))
    assert names(deck, deck.at(HAND, boris)) == ["Claim", "Action", "Effect"]


@pytest.mark.rule("MB-CARD-11")
async def test_a_trade_is_declined_or_outdated(world: World) -> None:
    await begin(world, HERO, RALLY, IDEA, CLAIM, ACTION, EFFECT)
    vesna = await who(world, "Vesna")
    await world.ana.slash(world.zone, "mb card trade", cards="Hero, Idea", to="Boris")
    panel = message_of(await world.press(world.ben, _for_ben(world), "Show"))
    assert "Boris declined" in texts(message_of(await world.press(world.ben, panel, "Decline")))
    assert [each.is_open for each in (await world.state()).checks.values()] == [False]
    await world.ana.slash(world.zone, "mb card trade", cards="Hero", to="Boris")
    panel = message_of(await world.press(world.ben, _for_ben(world), "Show"))
    await world.ana.slash(world.zone, "card discard", card="Hero")
    panel = message_of(await world.press(world.ben, panel, "Trade…"))
    panel = message_of(await world.choose(world.ben, panel, "Cards", f"cards: {ACTION}"))
    off = texts(message_of(await world.press(world.ben, panel, "Trade")))
    assert "No trade: the cards aren't there any more" in off, off
    deck = whole(await cards(world))
    assert names(deck, deck.at(HAND, vesna)) == ["Rally", "Idea"]
    unequal = refusal_of(
        await world.ben.slash(
            world.zone, "mb card trade", cards="Claim, Action, Effect", to="Vesna"
        )
    )
    assert "card for card" in unequal
    assert "somebody else" in refusal_of(
        await world.ben.slash(world.zone, "mb card trade", cards="Claim", to="Boris")
    )


@pytest.mark.rule("MB-CARD-11")
async def test_a_trade_in_rounds_says_where_its_cards_come_from(world: World) -> None:
    await begin(world, DRAMA, HASTE, IDEA, CLAIM, ACTION, EFFECT)
    await gather(world)
    await next_turn(world)
    offer = {"cards": "Drama", "to": "Boris"}
    told = refusal_of(await world.ana.slash(world.zone, "mb card trade", **offer))
    assert "No such card: “Drama”. You have no cards there." in told and "press To pool" in told, (
        told
    )


def _for_ben(world: World) -> Any:
    """The newest message by which only Ben opens something."""
    mine = f"<@{world.ben.id}>: a private message"
    return next(each for each in reversed(world.messages()) if mine in texts(each))


@pytest.mark.rule("MB-CARD-17", "MB-CARD-18")
async def test_a_card_that_is_refused_late_nobody_else_reads_of(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begin(world, HASTE, RALLY, CLAIM, PRESENCE, ACTION, EFFECT)
    world.slow_down(monkeypatch)
    before = len(world.messages())
    for command in ("card play", "mb card play"):
        assert "rounds only" in refusal_of(await world.ana.slash(world.zone, command, card="Haste"))
    assert len(world.messages()) == before and "Haste" not in world.told(world.ben)
    # What is done everybody reads, late as it is.
    await world.ana.slash(world.zone, "mb card play", card="Rally")
    (told,) = [texts(each) for each in world.messages() if "Vesna plays Rally" in texts(each)]
    assert "Boris draws 1 card." in told, told


@pytest.mark.rule("MB-CARD-18", "MB-CARD-L01", "MB-CARD-E11")
async def test_a_refusal_says_what_is_missing(world: World) -> None:
    await begin(world, LEADERSHIP, HERO, WILD, RALLY, CLAIM, EFFECT)
    plays = {"card": "Leadership", "gifts": "Hero"}
    for command, options, told in (
        ("card luck", {"effect": "Action"}, "takes Luck, of a kind that isn't on the sheet"),
        ("card play", {"card": "Hero"}, "React offers it"),
        ("card play", {"card": "Wild", "as_name": "nonsense"}, "`as_name`"),
        ("card play", plays | {"to": "Vesna"}, "to other players' characters"),
        ("card play", plays | {"to": "Thug"}, "to other players' characters"),
    ):
        answer = refusal_of(await world.ana.slash(world.zone, f"mb {command}", **options))
        assert told in answer, answer
    for command, options, told in (
        ("card martyr", {"how": "out", "character": "Vesna"}, "No Martyr card"),
        ("card approve", {"target": "Vesna", "takes": True}, "earned no card"),
    ):
        assert told in refusal_of(await world.gina.slash(world.zone, f"mb {command}", **options))
    # Nor does a refusal tell a GM what lies on top: everybody would have heard of a look.
    told = refusal_of(await world.gina.slash(world.zone, "mb deck stack", cards="nonsense"))
    assert "“Action”, “Adrenaline”, “Alertness”, “Breakthrough”" in told, told


@pytest.mark.rule("MB-CARD-E04")
async def test_claiming_a_card_is_no_draw(world: World) -> None:
    await begin(world, CLAIM, HERO, IDEA, PRESENCE, ACTION, EFFECT)
    await world.ana.slash(world.zone, "card discard", card="Hero")
    await world.ana.slash(world.zone, "mb card play", card="Claim")
    told = texts(world.last())
    assert "Vesna takes Hero with Claim." in told and "draws" not in told, told


@pytest.mark.rule("MB-CARD-06")
async def test_a_hand_that_is_too_full_says_by_how_much(world: World) -> None:
    await begin(world, RALLY, HERO, IDEA, PRESENCE, ACTION, EFFECT)
    await world.ana.slash(world.zone, "mb card play", card="Rally")
    await world.gina.slash(world.zone, "mb adventure scene", what="start")
    await world.gina.slash(world.zone, "mb adventure scene", what="end")
    panel = message_of(await world.press(world.ben, world.newest("Choose cards"), "Choose cards"))
    assert "Discard 1 or more of 4 cards (limit 3)" in labels(panel), labels(panel)
    # The hand leads there, too, as long as that waits.
    mine = message_of(await world.ben.slash(world.zone, "card hand"))
    panel = message_of(await world.press(world.ben, mine, "Choose cards"))
    await world.press(world.ben, panel, "Discard Action")
    mine = message_of(await world.ben.slash(world.zone, "card hand"))
    assert "Choose cards" not in labels(mine)
