"""Rounds that go by cards: who acts when, and what a line does by itself."""

from __future__ import annotations

import pytest

from rules.systems.masterbook.checks.action_economy import LINE
from rules.systems.masterbook.deck.table_deck import DECK
from tests.discord.masterbook.cards.stacked_deck import deal, lying, order, rounds, whole
from tests.discord.masterbook.cards.test_adventure import own_deck
from tests.discord.masterbook.table import newest, sheet
from tests.discord.masterbook.test_rounds import mark_value
from tests.discord.rounds import board, next_turn
from tests.discord.world import World, gallery, parts, private, public, texts

HIDES = {"skill": "Stealth", "difficulty": "Average", "approach": "behind the crates"}


@pytest.mark.rule("MB-CARD-I01", "MB-CARD-I02", "MB-CARD-I03", "MB-CARD-I05", "MB-CARD-I10")
async def test_a_card_opens_each_round(world: World) -> None:
    await rounds(world, "Thug")
    # 14: the NPCs are stymied; 15: NPCs first, the players are fatigued; 11: the players are up.
    text = await next_turn(world, *whole(14, 15, 11))
    assert "Initiative, round 1" in text and "Breakthrough #14" in text, text
    sealed = (await world.state()).decks[DECK].sealed[-1]
    assert sealed.commitment in text, "how the first flip's deck was shuffled can be proved"
    assert "Players first: nothing special." in text and "NPCs: stymied" in text, text
    assert "2d10" not in text
    assert await order(world) == ["Boris", "Vesna", "Thug"]
    assert (
        await mark_value(world, "Thug", LINE) == 1 and await mark_value(world, "Vesna", LINE) == 0
    )
    await world.restart()
    for _ in range(2):
        await next_turn(world)
    text = await next_turn(world)
    assert "NPCs first: nothing special." in text and "Players: fatigued" in text, text
    assert "Vesna takes 2 shock." in text
    assert (await sheet(world, "Vesna")).harm.shock == 2
    assert await order(world) == ["Thug", "Boris", "Vesna"]
    assert await mark_value(world, "Thug", LINE) == 0
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Vesna")).harm.shock == 0 and await lying(world, "initiative") == [
        14
    ]
    for _ in range(4):
        text = await next_turn(world)
    assert "Players first: up" in text, text
    assert await lying(world, "initiative") == [11, 15, 14]
    world.dice.lay(3, 4, 5, 6)
    await world.ben.slash(world.zone, "check", **HIDES)
    assert "4d10 (3, 4, 5, 6)" in await newest(world)
    await world.gina.slash(world.zone, "initiative end")
    assert (await deal(world)).round is None


@pytest.mark.rule("MB-CARD-02", "MB-CARD-I01")
async def test_the_card_of_a_round_is_pictured_for_everybody(world: World) -> None:
    await rounds(world, "Thug")
    await next_turn(world, *whole(14))
    card = board(world)
    assert len(gallery(card)) == 1
    (alt,) = [item["description"] for part in parts(card) for item in part.get("items", ())]
    assert alt.startswith("Card 14: Breakthrough.")
    for told in (
        "Standard scene: Players no effect, NPCs stymied.",
        "Steps:",
        "Earns a card: defend and taunt.",
    ):
        assert told in alt, alt
    # Neither the line that doesn't count nor what it would do in a hand.
    assert "Dramatic" not in alt and "10s roll again" not in alt, alt
    await world.restart()
    assert len(gallery(board(world))) == 1
    await world.gina.slash(world.zone, "gm undo")
    assert gallery(board(world)) == [], "it was never turned"


@pytest.mark.rule("MB-CARD-D06", "MB-CARD-I01")
async def test_a_deck_that_is_brought_while_cards_say_who_acts_first(world: World) -> None:
    """Rounds go on, and nobody knows in which order the new deck lies."""
    await rounds(world, "Thug")
    await next_turn(world, *whole(14, 15, 11))
    file = ("deck.json", own_deck("Ours", 200))
    await world.gina.slash(world.zone, "deck import", file=file)
    await world.restart()
    public(await world.gina.slash(world.zone, "mb rounds", rounds="combat"))
    for _ in range(2):
        await next_turn(world)
    assert "Hero #2" in await next_turn(world)
    there = await lying(world, "draw")
    assert there != sorted(there) and {*there, *await lying(world, "initiative")} == {
        *range(200, 260)
    }


@pytest.mark.rule("MB-CARD-D06", "MB-CARD-I01")
async def test_what_a_gm_lays_on_a_deck_just_brought_is_turned_first(world: World) -> None:
    await rounds(world, "Thug")
    world.dice.lay(*whole(14, 15, 11))
    private(await world.gina.slash(world.zone, "mb deck peek", number=1))
    assert "(14)" in texts(world.last(world.gm_room))
    assert "#14" in await next_turn(world)
    await world.gina.slash(world.zone, "deck import", file=("deck.json", own_deck("Ours", 200)))
    # They lie there just so, before anybody has shuffled them.
    await world.gina.slash(world.zone, "mb deck stack", cards="200, 201")
    there = await lying(world, "draw")
    assert there[:2] == [200, 201] and there != sorted(there), "shuffled, and then laid"
    await world.restart()
    for _ in range(3):
        await next_turn(world)
    assert (await lying(world, "initiative"))[0] == 200
    assert await lying(world, "draw") == there[1:]
