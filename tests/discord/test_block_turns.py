"""Block turns on Discord: one call and one board for those who act in any order."""

from __future__ import annotations

from typing import Any

import pytest

from bot.services.replay import replay
from rules.table.state import DAY
from tests.discord.test_initiative import board, calls, order, say, turns
from tests.discord.world import (
    World,
    head,
    labels,
    message_of,
    pings,
    private,
    refusal_of,
    texts,
)

pytestmark = pytest.mark.asyncio
MINUTE = 60
#: Call of the last turn in a round in which both characters' turns have run out.
LAST_CALL = (
    "The fire's turn. Round 1. Still delaying: Marek and Ilka. Act now, before this turn ends "
    "the round."
)


@pytest.fixture
def block_turns() -> bool:
    return True


async def fight(world: World, **settings: Any) -> None:
    """Marek and Ilka, then a fire; round 1 begins."""
    await world.table(**settings)
    await say(world, world.gina, "start")
    await say(world, world.ana, "join")
    await say(world, world.ben, "join")
    await say(world, world.gina, "add", name="the fire")
    await world.press(world.gina, board(world), "Begin")


async def test_a_block_is_called_once_and_its_call_tells_who_is_done(world: World) -> None:
    await fight(world)
    call = world.last()
    assert turns(world) == ["Marek and Ilka, you're up. Round 1, in any order. The fire goes next."]
    assert pings(call, world.env) == [world.ana.id, world.ben.id]
    assert head(board(world)) == "Round 1: Marek and Ilka, in any order"
    assert order(world) == ["▸ **Marek**: current turn", "▸ **Ilka**: current turn", "the fire"]
    waits = "Waiting for Marek and Ilka, until <t:"
    assert waits in texts(board(world))
    assert "then they delay." in texts(board(world))
    sent = len(calls(world))
    ended = private(await say(world, world.ben, "next"))
    assert "Ilka's turn is over" in ended and "Marek is still up." in ended
    assert turns(world) == ["Ilka is done, Marek is up. Round 1. The fire goes next."]
    assert len(calls(world)) == sent, "the same message, without a new ping"
    assert head(board(world)) == "Round 1: Marek's turn"
    assert order(world) == ["▸ **Marek**: current turn", "-# Ilka: done", "the fire"]
    refused = refusal_of(await world.press(world.ben, call, "End turn"))
    assert "It's not your turn, it's Marek's." in refused
    await world.press(world.ana, call, "End turn")
    assert turns(world) == ["The fire's turn. Round 1. Marek goes next."], "the call is gone"
    await say(world, world.gina, "next")
    assert turns(world) == ["Marek and Ilka, you're up. Round 2, in any order. The fire goes next."]
    store = world.bot.tables.store
    (table_id,) = set((await store.place_tables()).values())
    assert await replay(store, table_id) == await world.state()


async def test_a_block_goes_on_after_a_restart_and_undo_brings_it_back(world: World) -> None:
    await fight(world)
    call = world.last()
    await world.restart()
    await world.press(world.ben, call, "End turn")
    assert turns(world) == ["Ilka is done, Marek is up. Round 1. The fire goes next."]
    await world.gina.slash(world.zone, "gm undo")
    assert turns(world) == ["Marek and Ilka, you're up. Round 1, in any order. The fire goes next."]
    assert order(world) == ["▸ **Marek**: current turn", "▸ **Ilka**: current turn", "the fire"]
    await world.restart()
    await world.press(world.ben, call, "End turn")
    await world.press(world.ana, call, "End turn")
    await world.gina.slash(world.zone, "gm undo")
    assert turns(world) == ["Marek, you're up. Round 1. The fire goes next."]
    assert order(world) == ["▸ **Marek**: current turn", "-# Ilka: done", "the fire"]


async def test_each_of_a_block_begins_a_check_from_the_call(world: World) -> None:
    await fight(world)
    call = world.last()
    for who, name in ((world.ben, "Ilka"), (world.ana, "Marek")):
        panel = message_of(await world.press(who, call, "Check"))
        assert f"{name}" in texts(panel)
        assert "Out of turn" not in texts(panel)
    await world.ben.slash(world.zone, "check", approach="over the wall")
    assert "Out of turn" not in texts(world.last())
    assert turns(world) == ["Marek and Ilka, you're up. Round 1, in any order. The fire goes next."]


async def test_a_delayed_turn_comes_back_into_the_block(world: World) -> None:
    await fight(world)
    call = world.last()
    await world.press(world.ana, call, "Delay")
    assert order(world) == ["Marek: delaying", "▸ **Ilka**: current turn", "the fire"]
    assert turns(world) == ["Ilka, you're up. Round 1. Delaying: Marek. The fire goes next."]
    back = private(await say(world, world.ana, "delay", back=True))
    assert "Marek acts now" in back and "interrupted" not in back
    assert head(board(world)) == "Round 1: Ilka and Marek, in any order"
    assert turns(world) == ["Marek and Ilka, you're up. Round 1, in any order. The fire goes next."]


async def test_a_gm_says_whose_turn_ends_and_moves_has_a_button_for_each(world: World) -> None:
    await fight(world)
    refused = refusal_of(await world.press(world.gina, board(world), "End turn"))
    assert "Whose turn: Marek or Ilka?" in refused
    await say(world, world.gina, "next", **{"as": "Ilka"})
    assert order(world) == ["▸ **Marek**: current turn", "-# Ilka: done", "the fire"]


async def test_a_player_of_two_ends_each_turn_from_moves(world: World) -> None:
    await world.setup()
    await world.bring(world.ana, "Marek")
    await world.bring(world.ana, "Vesna")
    await say(world, world.gina, "start")
    await say(world, world.gina, "add", name="Marek")
    await say(world, world.gina, "add", name="Vesna")
    await world.press(world.gina, board(world), "Begin")
    assert pings(world.last(), world.env) == [world.ana.id]
    moves = message_of(await world.ana.slash(world.zone, "moves"))
    await world.restart()
    await world.press(world.ana, moves, "End turn · Vesna")
    assert order(world) == ["▸ **Marek**: current turn", "-# Vesna: done"]


async def test_the_clock_delays_all_who_are_left(world: World) -> None:
    await fight(world)
    await world.env.advance_time(DAY + MINUTE)
    (reminder,) = turns(world)
    assert reminder.startswith(
        "Marek and Ilka, it's still your turn. Round 1, in any order. Open until <t:"
    )
    await world.press(world.ben, world.last(), "Check")
    await world.env.advance_time(DAY)
    assert order(world) == ["Marek: delaying", "Ilka: delaying", "▸ **the fire**: current turn"]
    assert turns(world) == [LAST_CALL]


async def test_a_player_of_two_delayed_characters_brings_each_back(world: World) -> None:
    await world.setup()
    await world.bring(world.ana, "Marek")
    await world.bring(world.ana, "Ilka")
    await say(world, world.gina, "start")
    for name in ("Marek", "Ilka", "the fire"):
        await say(world, world.gina, "add", name=name)
    await world.press(world.gina, board(world), "Begin")
    await world.env.advance_time(2 * DAY + MINUTE)
    assert turns(world) == [LAST_CALL]
    mine = await world.ana.slash(world.zone, "moves")
    back = [button for button in labels(message_of(mine)) if button == "Act now"]
    assert len(back) == 2
    asked = private(await world.press(world.ana, world.newest("Act now"), "Act now"))
    assert "Who acts now" in asked
    await world.press(world.ana, message_of(mine), "Act now")
    assert turns(world) == ["Ilka, you're up. Round 1. The fire goes next."]
    left = message_of(await world.ana.slash(world.zone, "moves"))
    said = private(await world.press(world.ana, left, "Act now"))
    assert "Marek acts now" in said
    assert head(board(world)) == "Round 1: Ilka and Marek, in any order"


async def test_any_player_of_a_block_takes_more_time_from_its_reminder(world: World) -> None:
    await fight(world)
    await world.env.advance_time(DAY + MINUTE)
    reminder = world.newest("More time")
    assert "Marek and Ilka, it's still your turn." in texts(reminder).replace("**", "")
    await world.press(world.ben, reminder, "More time")
    assert "Ilka has until" in texts(world.last()) and "needs more time" in texts(world.last())
    refused = await world.press(world.ana, reminder, "More time")
    assert "had more time for that once" in refusal_of(refused)


async def test_a_hidden_npc_between_two_of_a_block_does_not_show(world: World) -> None:
    """Players read the same with and without it, up to its own turn."""
    await world.table(gm_channel=True)
    await world.bring(world.gina, "Zorvath", npc=True)
    await say(world, world.gina, "start")
    await say(world, world.ana, "join")
    await say(world, world.gina, "add", name="Zorvath")
    await say(world, world.ben, "join")
    await say(world, world.gina, "add", name="the fire")
    await say(world, world.gina, "order", names="Marek, Zorvath, Ilka, the fire")
    await world.press(world.gina, board(world), "Begin")
    assert turns(world) == ["Marek and Ilka, you're up. Round 1, in any order. The fire goes next."]
    call = world.last()
    await world.press(world.ana, call, "End turn")
    assert turns(world) == ["Marek is done, Ilka is up. Round 1. The fire goes next."]
    assert order(world) == ["-# Marek: done", "▸ **Ilka**: current turn", "the fire"]
    await world.press(world.ben, call, "End turn")
    assert turns(world) == [], "now it acts, and only the GM knows"
    public = "".join(texts(each) for each in world.messages())
    assert "Zorvath" not in public


async def test_at_the_table_and_one_at_a_time_turns_stay_as_they_were(world: World) -> None:
    await fight(world)
    await world.gina.slash(world.zone, "gm settings", setting="block_turns", value="off")
    assert head(board(world)) == "Round 1: Marek's turn"
    assert labels(board(world))[:4] == ["Attack", "Check", "Delay", "End turn"]
