"""A round begins with one message, and whoever has nothing left isn't called to it again."""

from __future__ import annotations

import pytest
from simcord.results import InteractionResult

from tests.discord.ego.table import open_table as ego_table
from tests.discord.masterbook.cards.deck import begin
from tests.discord.masterbook.test_attack import KNIFE
from tests.discord.rounds import acts, board, board_text, gather, next_turn
from tests.discord.world import World, labels, message_of, public, texts

HERO, IDEA, PRESENCE, ACTION, CLAIM, EFFECT = 39, 44, 56, 5, 16, 30


@pytest.fixture
def patience() -> bool:
    return False


def new_messages(world: World, before: int) -> list[str]:
    """What stands in the channel besides the board and what stood there before."""
    return [texts(each).replace("**", "") for each in world.messages()[before:]]


async def strike(world: World) -> InteractionResult:
    """Vesna attacks the thug, and lets the dice stand; what she did last."""
    world.dice.lay(9, 9)
    done = await world.ana.slash(world.zone, "attack", target="Thug", **KNIFE)
    public(done)
    waits = [each for each in world.messages() if "Accept result" in labels(each)]
    if waits:
        done = await world.press(world.ana, waits[-1], "Accept result")
    return done


@pytest.mark.rule("MB-CARD-I01")
async def test_a_masterbook_round_begins_with_one_message(world: World) -> None:
    await begin(world, HERO, IDEA, PRESENCE, ACTION, CLAIM, EFFECT, 14, 25)
    await gather(world, "Thug")
    before = len(world.messages())
    await next_turn(world)
    (call,) = new_messages(world, before)
    assert "Card: Breakthrough #14." in call
    assert "Players first: nothing special." in call
    assert "NPCs: stymied" in call and "Attack" in call
    shown = board_text(world)
    assert "Initiative, round 1" in shown and "**Earns a card:** defend and taunt" in shown
    last = ""
    for _ in range(3):
        last = await acts(world)
        before = len(world.messages())
        await next_turn(world)
    assert last == "Thug"
    (call,) = new_messages(world, before - 1)
    assert "Round 2" in call and "Card:" in call
    await world.restart()
    assert "Initiative, round 2" in board_text(world)
    assert world.messages().count(board(world)) == 1


@pytest.mark.rule("MB-CARD-09", "MB-MUL-01")
async def test_a_masterbook_turn_that_is_used_ends_by_itself(world: World) -> None:
    await begin(world, HERO, IDEA, PRESENCE, ACTION, CLAIM, EFFECT, 14, 25)
    await gather(world, "Thug")
    await next_turn(world)
    while await acts(world) != "Vesna":
        await next_turn(world)
    await strike(world)
    assert await acts(world) == "Thug"


@pytest.mark.rule("EGO-KAR-04", "EGO-CMB-01")
async def test_an_ego_round_begins_with_one_message(world: World) -> None:
    await ego_table(world)
    await gather(world)
    before = len(world.messages())
    await next_turn(world, *[1] * 8)
    (call,) = new_messages(world, before)
    assert "you're up" in call and "Round 1" in call
    assert "Initiative, round 1" in board_text(world)
    assert "Vesna, initiative" in board_text(world)


@pytest.mark.rule("MB-CARD-09")
async def test_whoever_acted_last_may_still_pool_a_card_before_the_round_ends(world: World) -> None:
    await begin(world, HERO, IDEA, PRESENCE, ACTION, CLAIM, EFFECT, 14, 25)
    await gather(world, "Thug")
    await next_turn(world)
    await world.gina.slash(world.zone, "initiative order", names="Boris, Thug, Vesna")
    while await acts(world) != "Vesna":
        await next_turn(world)
    done = await strike(world)
    told = next(each for each in done.followups if "To pool…" in labels(each))
    assert told.ephemeral
    assert await acts(world) == "Vesna", "the round doesn't end over her head"
    assert "You can still put a card in your pool" in texts(told)
    hand = message_of(await world.press(world.ana, told, "To pool…"))
    assert "To pool" in " ".join(labels(hand))
    await world.ana.slash(world.zone, "mb card pool", card="hero")
    assert await acts(world) != "Vesna", "now there is nothing left to do"
    assert "Round 2" in board_text(world)
