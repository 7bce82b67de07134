"""`/deck import|remove`: a deck of the table's own, drawn from and dealt with like the standard
one.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from bot.services.replay import replay
from rules.table.chance.cards import hand_place
from tests.discord.test_data import export_file, hand_in
from tests.discord.test_decks import MENU
from tests.discord.world import (
    World,
    controls,
    menu,
    message_of,
    private,
    public,
    refusal_of,
    texts,
)

DECK: dict[str, Any] = {
    "id": "omens",
    "name": "Omens of the Zone",
    "cards": [
        {
            "id": "crow",
            "name": "A crow that counts",
            "text": "Somebody is **watching**.",
            "copies": 3,
        },
        {
            "id": "glow",
            "name": "Glow",
            "rank": "7",
            "suit": "hearts",
            "fields": {"Day": "calm", "Night": "run"},
        },
        {"id": "dog", "name": "Пёс", "text": "It follows you home."},
    ],
}


async def bring(world: World, data: Any = DECK, who: Any = None) -> Any:
    content = data if isinstance(data, bytes) else json.dumps(data).encode()
    return await (who or world.gina).slash(world.zone, "deck import", file=("deck.json", content))


async def _decks(world: World, who: Any, command: str = "draw-card") -> list[str]:
    found = await who.autocomplete(world.zone, command, "deck", "")
    return [choice["value"] for choice in found]


async def test_a_gm_brings_a_deck_and_people_play_with_it(world: World) -> None:
    await world.table()
    private(await bring(world))
    assert "New deck: Omens of the Zone" in texts(world.last())
    assert "a deck of 5 cards" in texts(world.last())
    await world.restart()
    assert await _decks(world, world.ana) == ["standard", "omens"]
    drawn = private(await world.ana.slash(world.zone, "draw-card", deck="Omens", count=5))
    for part in (
        "“A crow that counts”",
        "Somebody is \\*\\*watching\\*\\*.",
        "Night: run",
        "It follows you home.",
    ):
        assert part in drawn
    assert drawn.count("Somebody is") == 1, "what three copies say is said once"
    hand = await world.ana.slash(world.zone, "card hand", deck="omens")
    assert "Your hand: 5 cards · Omens of the Zone" in private(hand)
    assert message_of(hand).attachments == [], "a name that cannot be drawn is told in words alone"
    offered = await world.ana.autocomplete(world.zone, "card play", "card", "", deck="omens")
    assert len(offered) == 3, "of copies one is offered"
    played = await world.ana.slash(world.zone, "card play", card="A crow", deck="omens")
    assert "Ana plays “A crow that counts”" in public(played)
    assert message_of(played).attachments[0].description == "Cards: A crow that counts."
    await world.show_card(world.ana, "glow", deck="omens")
    assert "“Glow”" in texts(world.last())
    given = await world.ana.slash(world.zone, "card give", card="glow", to=world.ben, deck="omens")
    assert "You offer Ben “Glow”" in private(given)
    taken = await world.press(
        world.ben, message_of(await world.press(world.ben, world.newest("Show"), "Show")), "Accept"
    )
    assert "You take “Glow”" in private(taken)
    info = private(await world.gina.slash(world.zone, "deck info", deck="omens"))
    assert f"{world.ana.mention} holds 3 cards." in info and "Glow" not in info
    assert "has no card" not in private(await world.ana.slash(world.zone, "card hand"))
    state = await world.state()
    assert state.decks["omens"].cards_at(hand_place("p3")) == ("glow",)
    assert (
        await replay(
            world.bot.tables.store, world.bot.tables.places.table_id(str(world.zone.id)) or 0
        )
        == state
    )


async def test_a_card_is_opened_with_all_that_stands_on_it(world: World) -> None:
    """As a picture that a phone can show, or where it cannot be drawn in words; never both."""
    await world.table()
    await bring(world)
    await world.ana.slash(world.zone, "draw-card", deck="omens", count=5)
    hand = message_of(await world.ana.slash(world.zone, "card hand", deck="omens"))
    entries = {each["label"]: each["value"] for each in menu(hand, MENU)["options"]}
    assert "It follows you home." in texts(hand)
    glow = message_of(await world.choose(world.ana, hand, MENU, entries["Glow"]))
    assert [each.description for each in glow.attachments] == ["Card: Glow. Day: calm. Night: run."]
    assert "calm" not in texts(glow)
    back = message_of(await world.press(world.ana, glow, "Back"))
    dog = message_of(await world.choose(world.ana, back, MENU, entries["Пёс"]))
    assert dog.attachments == []
    assert "It follows you home." in texts(dog)


async def test_only_gms_bring_and_remove(world: World) -> None:
    assert "No table here" in refusal_of(await bring(world))
    await world.table()
    assert "Only the GM" in refusal_of(await bring(world, who=world.ana))
    await bring(world)
    assert await _decks(world, world.ana, "deck remove") == []
    assert await _decks(world, world.gina, "deck remove") == ["omens"]
    assert "Only the GM" in refusal_of(
        await world.ana.slash(world.zone, "deck remove", deck="omens")
    )


async def test_a_deck_goes_when_nobody_holds_its_cards(world: World) -> None:
    await world.table()
    await bring(world)
    assert "already has a deck with that id or name" in refusal_of(await bring(world))
    assert "isn't one of this table's own decks" in refusal_of(
        await world.gina.slash(world.zone, "deck remove", deck="standard")
    )
    await world.ana.slash(world.zone, "draw-card", deck="omens")
    assert "Take them all back first" in refusal_of(
        await world.gina.slash(world.zone, "deck remove", deck="omens")
    )
    private(await world.gina.slash(world.zone, "deck reshuffle", hands=True, deck="omens"))
    assert "Deck removed: Omens of the Zone" in public(
        await world.gina.slash(world.zone, "deck remove", deck="omens")
    )
    assert "No deck “omens”" in refusal_of(
        await world.ana.slash(world.zone, "draw-card", deck="omens")
    )
    await world.restart()
    private(await world.ana.slash(world.zone, "table last"))
    private(await world.gina.slash(world.zone, "gm log"))
    await world.gina.slash(world.zone, "gm undo")
    state = await world.state()
    assert len(state.decks["omens"].cards_at("draw")) == 5 and "omens" in state.own_decks
    private(await world.ana.slash(world.zone, "draw-card", deck="omens"))


async def test_a_deck_taken_back_takes_along_what_was_drawn_from_it(world: World) -> None:
    await world.table()
    before = await world.state()
    await bring(world)
    entry = await world.revision()
    await world.ana.slash(world.zone, "draw-card", deck="omens")
    asked = await world.gina.slash(world.zone, "gm undo", entry=entry)
    assert "Later entries build on it" in private(asked)
    await world.press(world.gina, message_of(asked), "Undo both")
    after = await world.state()
    assert (after.decks, after.own_decks) == (before.decks, before.own_decks)
    private(await bring(world))


async def test_everything_that_is_wrong_with_a_deck_is_listed(world: World) -> None:
    await world.table()
    revision = await world.revision()
    text = refusal_of(
        await bring(
            world,
            {
                "id": "My Deck",
                "name": "",
                "color": "red",
                "cards": [
                    {"id": "a", "name": "A"},
                    {"id": "a", "name": 3},
                    {"id": "b c", "name": "B", "wings": 2, "copies": 0},
                    "d",
                    {"id": "e", "name": "E", "fields": {"x": 1}, "text": "\u0007"},
                ],
            },
        )
    )
    for field in (
        "id", "name", "color", "cards[1].id", "cards[1].name", "cards[2].id", "cards[2].wings",
        "cards[2].copies", "cards[3]", "cards[4].fields.x", "cards[4].text",
    ):  # fmt: skip
        assert f"`{field}`" in text, field
    assert "Fix 12 things in this deck" in text
    assert await world.revision() == revision


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"[1]", "one pair of braces"),
        (b"{" * 10, "isn't valid JSON"),
        (b"\xff\xfe", "UTF-8"),
        (b" " * (256 * 1024 + 1), "A deck's file can be up to 256 KiB"),
        (
            json.dumps(
                {"id": "a", "name": "A", "cards": [{"id": "b", "name": "B", "copies": 501}]}
            ),
            "1 to 500",
        ),
    ],
)
async def test_a_file_that_is_no_deck(world: World, content: Any, expected: str) -> None:
    await world.table()
    assert expected in refusal_of(
        await bring(world, content if isinstance(content, bytes) else content.encode())
    )


async def test_a_table_has_ten_decks_at_most(world: World) -> None:
    await world.table()
    for number in range(10):
        private(await bring(world, {**DECK, "id": f"omens-{number}", "name": f"Omens {number}"}))
    assert "10 decks of its own, the most" in refusal_of(await bring(world))
    assert "could be Omens 0, Omens 1" in refusal_of(
        await world.ana.slash(world.zone, "draw-card", deck="omens ")
    )


async def test_decks_go_along_with_the_table(world: World) -> None:
    await world.table()
    await bring(world)
    await world.ana.slash(world.zone, "draw-card", deck="omens")
    data = await export_file(world)
    before = await world.state()
    world.zone = world.guild.create_text_channel("elsewhere")
    asked = await hand_in(world, data)
    assert "Omens of the Zone" in private(asked)
    await world.press(world.gina, message_of(asked), "Open table")
    after = await world.state()
    assert after.own_decks == before.own_decks
    assert after.decks == {}, "where cards lie stays where it was"
    private(await world.ana.slash(world.zone, "draw-card", deck="omens", count=5))


async def test_a_card_pressed_twice_takes_no_other_along_that_begins_so(world: World) -> None:
    """Both presses wait for what somebody else does at the table; the second finds the card
    gone.
    """
    await world.table()
    cards = [{"id": "fire", "name": "Fire"}, {"id": "storm", "name": "Fire storm"}]
    deck = json.dumps({"id": "omens", "name": "Omens", "cards": cards}).encode()
    await world.gina.slash(world.zone, "deck import", file=("deck.json", deck))
    await world.ana.slash(world.zone, "draw-card", count=2, deck="omens")
    hand = message_of(await world.ana.slash(world.zone, "card hand", deck="omens"))
    me = hand_place("p2")
    at = (await world.state()).decks["omens"].cards_at(me).index("fire")
    table = world.bot.tables.get_if_loaded(1)
    assert table is not None
    async with table.lock:
        told = [world.emit(world.ana, controls(hand)[at]["custom_id"], hand) for _ in range(2)]
        for _ in range(50):
            await asyncio.sleep(0)
    await world.env.settle()
    assert (await world.state()).decks["omens"].cards_at(me) == ("storm",)
    assert "Nothing has changed." in texts(message_of(told[1]))
