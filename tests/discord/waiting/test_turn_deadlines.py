"""Turns by post: they are called, reminded of, let wait by the clock, and never stall silently."""

from __future__ import annotations

import re
from typing import Any

import pytest
from simcord.actors import MemberActor

from tests.discord.rounds import acts, board, board_text
from tests.discord.world import (
    DAY,
    HOUR,
    MINUTE,
    World,
    labels,
    message_of,
    pings,
    private,
    public,
    refusal_of,
    texts,
)


@pytest.fixture
def patience() -> bool:
    return False


async def say(world: World, who: MemberActor, command: str, **options: Any) -> object:
    return await who.slash(world.zone, f"initiative {command}", **options)


async def fight(world: World, *others: str, **settings: Any) -> None:
    """Marek's turn; then Ilka's, and that of others."""
    await world.table(**settings)
    await say(world, world.gina, "start")
    await say(world, world.ana, "join")
    await say(world, world.ben, "join")
    for name in others:
        await say(world, world.gina, "add", name=name)
    await say(world, world.gina, "next")


def plain(world: World) -> str:
    """The newest message, without bold print."""
    return texts(world.last()).replace("**", "")


async def test_a_turn_is_called_once_more_and_then_waits_for_its_player(world: World) -> None:
    await fight(world, "the fire")
    await world.env.advance_time(12 * HOUR)
    await world.restart()
    await world.env.advance_time(12 * HOUR + MINUTE)
    assert plain(world).startswith(f"<@{world.ana.id}>: Marek, it's still your turn.")
    assert pings(world.last(), world.env) == [world.ana.id]
    before = len(world.messages())
    await world.restart()
    await world.env.advance_time(DAY)
    assert await acts(world) == "Ilka"
    assert plain(world).startswith(f"<@{world.ben.id}>: Ilka, you're up.")
    waits = world.newest("Act now")
    assert "Time ran out: Marek delays" in texts(waits)
    assert pings(waits, world.env) == []
    assert len(world.messages()) == before + 1, "the call that is over has gone"
    await world.press(world.ana, waits, "Act now")
    assert await acts(world) == "Marek"
    await say(world, world.ana, "next")
    assert await acts(world) == "Ilka"


async def test_a_turn_that_the_clock_let_wait_is_given_back_by_undo(world: World) -> None:
    await fight(world, "the fire")
    await world.env.advance_time(2 * DAY + MINUTE)
    assert await acts(world) == "Ilka"
    found = re.search(r"#(\d+)", texts(world.newest("Act now")))
    assert found is not None
    number = int(found[1])
    await world.gina.slash(world.zone, "gm undo", entry=number)
    assert await acts(world) == "Marek"
    assert plain(world).startswith(f"<@{world.ana.id}>: Marek, you're up.")
    await world.env.advance_time(DAY + MINUTE)
    assert "Marek, it's still your turn." in plain(world), "it has its whole time again"
    await world.env.advance_time(DAY)
    assert await acts(world) == "Ilka"


async def test_the_next_round_calls_again_whom_the_clock_let_wait(world: World) -> None:
    await fight(world)
    await world.env.advance_time(2 * DAY + MINUTE)
    await say(world, world.ben, "next")
    assert await acts(world) == "Marek" and "Round 2" in board_text(world)


async def test_when_nobody_acts_for_a_round_the_gms_are_told(world: World) -> None:
    await fight(world, gm_channel=True)
    await world.env.advance_time(2 * DAY + MINUTE)
    await world.env.advance_time(2 * DAY + MINUTE)
    told = world.messages(world.gm_room)[-1]
    assert "Nobody has acted for a whole round" in texts(told)
    assert pings(told, world.env) == [world.gina.id]
    assert "Round 2" in board_text(world) and await acts(world) == "Marek"
    before = len(world.messages())
    await world.env.advance_time(30 * DAY)
    assert len(world.messages()) == before
    assert "It has stalled" in private(await world.gina.slash(world.zone, "moves"))
    await say(world, world.ana, "next")
    assert "It has stalled" not in private(await world.gina.slash(world.zone, "moves"))


async def test_the_gms_are_reminded_of_the_turns_of_npcs_and_then_told(world: World) -> None:
    await fight(world, "the fire", gm_channel=True, silence=0)
    await say(world, world.ana, "next")
    await say(world, world.ben, "next")
    assert await acts(world) == "the fire"
    for days in (2, 2, 4):
        assert not world.messages(world.gm_room)
        await world.env.advance_time(days * DAY + MINUTE)
        assert "still the fire's turn" in plain(world).lower()
        assert pings(world.last(), world.env) == [world.gina.id]
    told = world.messages(world.gm_room)[-1]
    assert "the fire's turn has stalled" in texts(told)
    before = len(world.messages())
    await world.env.advance_time(30 * DAY)
    assert len(world.messages()) == before and await acts(world) == "the fire"
    assert "It has stalled" in private(await world.gina.slash(world.zone, "moves"))


async def test_without_a_stand_in_the_gms_act_for_whoever_is_away(world: World) -> None:
    await fight(world, gm_channel=True)
    await world.ben.slash(world.zone, "away")
    await say(world, world.ana, "next")
    call = world.last()
    assert plain(world).startswith(f"<@{world.gina.id}>: Ilka's turn.")
    assert "Ben is away: the GM or a stand-in can act for Ilka." in plain(world)
    assert pings(call, world.env) == [world.gina.id]
    assert "Ben is away" in private(await world.gina.slash(world.zone, "moves"))
    panel = message_of(await world.press(world.gina, call, "Check"))
    assert "Ilka" in texts(panel)
    public(await world.propose(world.gina, skill="Climbing"))
    state = await world.state()
    assert state.characters[state.checks["c1"].actor].name == "Ilka"


async def test_an_hour_later_the_turn_of_whoever_is_away_has_passed(world: World) -> None:
    await fight(world, "the fire")
    await world.ben.slash(world.zone, "away")
    await say(world, world.ana, "next")
    await world.env.advance_time(30 * MINUTE + 1)
    assert pings(world.last(), world.env) == [world.gina.id]
    await world.env.advance_time(30 * MINUTE)
    assert await acts(world) == "the fire"
    assert "Time ran out: Ilka delays" in texts(world.newest("Act now"))


async def test_a_stand_in_is_called_and_acts_with_the_full_time(world: World) -> None:
    await fight(world, "the fire")
    await world.ben.slash(world.zone, "delegate", character="Ilka", to=world.ana)
    await world.ben.slash(world.zone, "away")
    await say(world, world.gina, "next")
    call = world.last()
    assert pings(call, world.env) == [world.ana.id]
    assert "Ben is away: the GM or a stand-in can act for Ilka." in plain(world)
    await world.env.advance_time(2 * HOUR)
    assert await acts(world) == "Ilka"
    assert "Ilka" in texts(message_of(await world.press(world.ana, call, "Check")))
    await world.press(world.ana, call, "End turn")
    assert await acts(world) == "the fire"


async def test_done_is_kept_while_a_check_is_open(world: World) -> None:
    await fight(world)
    await say(world, world.ana, "next")
    public(await world.propose(world.ana, skill="Climbing"))
    call = world.newest("End turn")
    kept = private(await world.press(world.ben, call, "End turn"))
    assert "Ilka's turn is about to end" in kept
    assert "Marek's check `c1` waits for the GM." in kept
    assert "Ilka's turn ends when this is over: Marek's check `c1` waits for the GM." in texts(
        board(world)
    )
    await world.restart()
    await world.rule(world.newest("Answer"))
    assert "Marek's check `c1` waits for Marek." in board_text(world)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    await world.env.advance_time(2 * DAY)
    assert await acts(world) == "Marek" and "Round 2" in board_text(world)


async def test_a_kept_done_isnt_asked_for_again(world: World) -> None:
    await fight(world)
    public(await world.propose(world.ana, skill="Climbing"))
    await say(world, world.ana, "next")
    listed = message_of(await world.ana.slash(world.zone, "moves"))
    assert "Marek's turn ends by itself when the checks that hold it are over." in texts(listed)
    assert "Press Done" not in texts(listed) and "End turn · Marek" not in labels(listed)
    board_says = board_text(world)
    assert re.search(r"This turn ends at <t:\d+:f> at the latest", board_says), board_says
    assert "waits for its player" not in board_says


@pytest.mark.parametrize("answered", [True, False])
async def test_a_kept_done_stops_nobody_for_ever(world: World, answered: bool) -> None:
    await fight(world, gm_channel=True)
    public(await world.propose(skill="Climbing", attribute="Fitness"))
    if answered:
        await world.rule()
    await say(world, world.ana, "next")
    await world.env.advance_time(2 * DAY - HOUR)
    assert await acts(world) == "Marek"
    assert "then the turn is over" in private(await world.ana.slash(world.zone, "moves"))
    await world.restart()
    await world.env.advance_time(HOUR + MINUTE)
    assert await acts(world) == "Ilka"
    assert pings(world.newest("End turn"), world.env) == [world.ben.id]
    assert (await world.check()).is_open
    await say(world, world.ben, "next")
    await world.env.advance_time(2 * DAY + MINUTE)
    assert await acts(world) == "Ilka" and "Round 1" in board_text(world)
    *_, told, call = stalled = world.messages(world.gm_room)
    assert texts(told).startswith("## Ilka's turn has stalled")
    assert "Round 1 waits for its checks" in texts(told) and "Marek's check `c1`" in texts(told)
    assert pings(call, world.env) == [world.gina.id]
    await world.env.advance_time(30 * DAY)
    assert len(world.messages(world.gm_room)) == len(stalled)
    listed = private(await world.gina.slash(world.zone, "moves"))
    assert "c1 · **Stalled**" in listed and "It has stalled" in listed
    told = message_of(await world.press(world.gina, world.newest("End turn"), "End turn"))
    await world.press(world.gina, told, "Close them")
    assert await acts(world) == "Marek" and "Round 2" in board_text(world)


async def test_a_gm_may_close_what_holds_a_turn(world: World) -> None:
    await fight(world)
    public(await world.propose(world.ana, skill="Climbing"))
    told = message_of(await world.press(world.gina, world.newest("End turn"), "End turn"))
    assert labels(told) == ["Open c1", "Close them"]
    await world.press(world.gina, told, "Close them")
    assert await acts(world) == "Ilka"
    public(await world.propose(world.ben, skill="Climbing"))
    told = message_of(await world.press(world.ben, world.newest("End turn"), "End turn"))
    assert labels(told) == ["Open c2"]


async def test_a_character_joins_one_initiative_at_a_time(world: World) -> None:
    await fight(world)
    thread = world.thread()
    private(await world.gina.slash(thread, "initiative start"))
    told = refusal_of(await world.ana.slash(thread, "initiative join"))
    assert f"Marek is in initiative in <#{world.zone.id}>" in told
    assert "Join" in labels(world.newest("Join", thread))
    assert "Nothing has changed." in told
