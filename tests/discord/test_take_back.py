"""One's own last step, taken back at once by the button of the private answer."""

from __future__ import annotations

from typing import Any

import pytest

from rules.systems.ego.character.sheet import EgoSheet
from tests.discord.ego.table import open_table as ego_table
from tests.discord.masterbook.cards.deck import begin, cards, names, who
from tests.discord.masterbook.table import open_table as masterbook_table
from tests.discord.world import World, controls, labels, message_of, private, refusal_of, texts

BACK = "Undo"


async def test_an_advance_is_taken_back(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm award", kind="fate", amount=9)
    before = (await world.state()).characters["k1"]
    done = await world.ana.slash(world.zone, "character advance", skill="Climbing")
    assert (await world.state()).characters["k1"] != before
    assert BACK in labels(message_of(done))
    assert BACK not in labels(world.last()), "it is nobody else's"
    await world.restart()
    private(await world.press(world.ana, message_of(done), BACK))
    assert (await world.state()).characters["k1"] == before
    assert "undid" in texts(world.last())


async def test_what_is_raised_from_the_menu_is_taken_back(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm award", kind="fate", amount=9)
    before = (await world.state()).characters["k1"]
    menu = message_of(await world.ana.slash(world.zone, "character improve"))
    (select,) = [each for each in _selects(menu) if each.get("options")]
    done = await world.ana.select(
        menu, [select["options"][0]["value"]], custom_id=select["custom_id"]
    )
    assert (await world.state()).characters["k1"] != before
    await world.press(world.ana, message_of(done), BACK)
    assert (await world.state()).characters["k1"] == before


def _selects(message: Any) -> list[dict[str, Any]]:
    return [each for each in controls(message) if "options" in each]


async def test_it_is_for_a_minute_and_for_oneself(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm award", kind="fate", amount=9)
    done = message_of(await world.ana.slash(world.zone, "character advance", skill="Climbing"))
    before = await world.state()
    entry = await world.revision()
    forged = world.emit(world.ben, f"sg:back:1:{entry}")
    await world.env.settle()
    refusal_of(forged)
    assert await world.state() == before
    await world.env.advance_time(61)
    assert "The minute is over" in refusal_of(await world.press(world.ana, done, BACK))
    assert await world.state() == before
    await world.ana.slash(world.zone, "table undo")
    assert await world.state() != before


async def test_only_gms_undo_where_the_table_has_it_so(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm award", kind="fate", amount=9)
    await world.gina.slash(world.zone, "gm settings", player_undo=False)
    done = message_of(await world.ana.slash(world.zone, "character advance", skill="Climbing"))
    assert BACK not in labels(done)


@pytest.mark.rule("EGO-EQP-01")
async def test_what_was_bought_is_taken_back(world: World) -> None:
    await ego_table(world)
    await world.gina.slash(world.zone, "gm adjust", character="Vesna", what="funds", value="500")
    sheet: EgoSheet = (await world.state()).characters["k1"].sheet
    bought = await world.ana.slash(world.zone, "ego buy", what="dagger")
    now: EgoSheet = (await world.state()).characters["k1"].sheet
    assert now.funds < sheet.funds
    (asked,) = bought.followups
    assert asked.ephemeral and labels(asked) == [BACK]
    await world.press(world.ana, asked, BACK)
    assert (await world.state()).characters["k1"].sheet == sheet


HERO, RALLY, CLAIM, PRESENCE, ACTION, EFFECT, IDEA, SUPPORTER = 39, 61, 16, 56, 1, 30, 44, 74


@pytest.mark.rule("MB-CARD-17")
async def test_a_discarded_card_is_taken_back(world: World) -> None:
    """By the button, and by /table undo: nobody but its owner had seen it."""
    await begin(world, HERO, RALLY, CLAIM, PRESENCE, ACTION, EFFECT)
    before = await cards(world)
    panel = message_of(await world.ana.slash(world.zone, "card hand"))
    one = message_of(await world.choose(world.ana, panel, "Open a card", "2"))
    asked = message_of(await world.press(world.ana, one, "Discard…"))
    done = message_of(await world.press(world.ana, asked, "Discard"))
    vesna = await who(world, "Vesna")
    now = await cards(world)
    assert names(now, now.at("hand", vesna)) == ["Hero", "Rally"]
    await world.restart()
    # The answer is the hand again, and nobody is told to shuffle: nothing was drawn.
    hand = message_of(await world.press(world.ana, done, BACK))
    assert "The card is back." in texts(hand) and "**Claim**, hand" in texts(hand)
    assert await cards(world) == before
    assert "Undone" in texts(world.last()) and "shuffle" not in texts(world.last())
    one = message_of(await world.choose(world.ana, hand, "Open a card", "2"))
    assert "Discard…" in labels(one)
    done = message_of(await world.ana.slash(world.zone, "card discard", card="Claim"))
    assert BACK in labels(done)
    private(await world.ana.slash(world.zone, "table undo"))
    assert await cards(world) == before


async def test_a_discarded_playing_card_is_taken_back(world: World) -> None:
    await world.table()
    await world.ana.slash(world.zone, "draw-card", count=2)
    before = (await world.state()).decks["standard"]
    panel = message_of(await world.ana.slash(world.zone, "card hand"))
    one = message_of(await world.choose(world.ana, panel, "Open a card", "0"))
    asked = message_of(await world.press(world.ana, one, "Discard…"))
    done = message_of(await world.press(world.ana, asked, "Discard"))
    hand = message_of(await world.press(world.ana, done, BACK))
    assert (await world.state()).decks["standard"] == before
    assert "Your hand: 2 cards" in texts(hand), texts(hand)
    assert "shuffle" not in texts(world.last()), texts(world.last())


@pytest.mark.rule("MB-CARD-13")
async def test_an_open_card_on_an_open_difficulty_is_taken_back(world: World) -> None:
    """From the hand of a player on dice that all have seen, against a number that all know."""
    await begin(
        world, HERO, IDEA, RALLY, SUPPORTER, PRESENCE, ACTION, gm_channel=True, step_in_minutes=600
    )
    world.dice.lay(2, 3)
    hides = {"skill": "Stealth", "difficulty": "Average", "approach": "behind the crates"}
    await world.ana.slash(world.zone, "check", **hides)
    before = await cards(world)
    panel = message_of(await world.press(world.ben, world.newest("React"), "React"))
    await world.press(world.ben, panel, "Play Supporter for Vesna")
    assert await cards(world) != before
    private(await world.ben.slash(world.zone, "table undo"))
    assert await cards(world) == before
    assert "✗ Failure so far: 6 against 8" in texts(world.card("c1"))
    panel = message_of(await world.press(world.ben, world.newest("React"), "React"))
    assert "Play Supporter for Vesna" in labels(panel)


@pytest.mark.rule("MB-CARD-13")
async def test_a_card_on_a_hidden_difficulty_is_the_gms_to_take_back(world: World) -> None:
    await begin(
        world, HERO, IDEA, RALLY, SUPPORTER, PRESENCE, ACTION, gm_channel=True, step_in_minutes=600
    )
    await world.ana.slash(world.zone, "check", skill="Stealth", approach="behind the crates")
    await world.rule(world.newest("Answer"), level="Average")
    world.dice.lay(2, 3)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    panel = message_of(await world.press(world.ben, world.newest("React"), "React"))
    await world.press(world.ben, panel, "Play Supporter for Vesna")
    assert "so only the GM can undo it" in refusal_of(
        await world.ben.slash(world.zone, "table undo")
    )


async def test_converted_points_are_taken_back(world: World) -> None:
    await masterbook_table(world, life_points=5)
    before = (await world.state()).characters["k1"].sheet
    done = await world.ana.slash(world.zone, "mb convert", points=1)
    assert (await world.state()).characters["k1"].sheet != before
    (asked,) = done.followups
    await world.press(world.ana, asked, BACK)
    assert (await world.state()).characters["k1"].sheet == before
