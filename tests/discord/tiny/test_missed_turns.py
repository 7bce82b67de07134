"""Missed deadlines, words left for the GM, and coming back, in the smallest system."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from rules.table.absence import is_away, orders_of
from rules.table.gm_office import present_terms
from rules.table.state import DAY, TableState
from tests.discord.tiny.play import open_table, propose, roll_check
from tests.discord.world import (
    World,
    button,
    labels,
    message_of,
    pings,
    private,
    public,
    select,
    texts,
)

#: A turn, and a little more.
TURN = 2 * DAY + 60
CANARY = "zwischenwort"


async def _fight(world: World, *, gm_channel: bool = True, **settings: Any) -> None:
    """Initiative with Ana's Marek on turn, then Ben's Ilka."""
    await open_table(world, gm_channel=gm_channel, **settings)
    await world.gina.slash(world.zone, "initiative start")
    for who in (world.ana, world.ben):
        await who.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative next")


async def _miss_two(world: World) -> Any:
    """Let Ana miss two turns of Marek's; return what the GMs are told."""
    await world.env.advance_time(TURN)
    await world.ben.slash(world.zone, "initiative next")
    await world.env.advance_time(TURN)
    return _told(world)


def _told(world: World) -> Any:
    """Return the newest message with buttons in the GM channel."""
    return next(each for each in reversed(world.messages(world.gm_room)) if labels(each))


def _missed(state: TableState) -> dict[str, int]:
    return state.counters.missed


async def test_two_missed_turns_are_told_in_the_gm_channel_alone(world: World) -> None:
    await _fight(world)
    await world.env.advance_time(TURN)
    assert _missed(await world.state()) == {"p2": 1}
    assert not any("missed" in texts(each) for each in world.messages(world.gm_room))
    await world.ben.slash(world.zone, "initiative next")
    await world.restart()
    await world.env.advance_time(TURN)
    told, call = _told(world), world.messages(world.gm_room)[-1]
    assert "2 deadlines missed in a row: Marek" in texts(told)
    assert labels(told) == ["Treat as away", "Act as Marek", "Keep waiting"]
    assert pings(call, world.env) == [world.gina.id]
    assert not any("missed" in texts(each) for each in world.messages())


async def test_without_a_gm_channel_nobody_else_sees_that_gms_are_told(world: World) -> None:
    await _fight(world, gm_channel=False)
    await world.env.advance_time(TURN)
    await world.ben.slash(world.zone, "initiative next")
    count = len(world.messages())
    await world.env.advance_time(TURN)
    later = world.messages()[count:]
    assert later
    for message in later:
        assert "missed" not in texts(message)
        assert "Show" not in labels(message), "no stub"


async def test_moves_tells_a_gm_without_a_gm_channel(world: World) -> None:
    await _fight(world, gm_channel=False)
    await world.ben.slash(world.zone, "orders words", text=f"I hide, {CANARY}")
    await world.env.advance_time(TURN)
    await world.ben.slash(world.zone, "initiative next")
    await world.env.advance_time(TURN)
    await world.ben.slash(world.zone, "away")
    listed = message_of(await world.gina.slash(world.zone, "moves"))
    assert f"Marek: {world.ana.mention} has missed 2 deadlines in a row" in texts(listed)
    assert CANARY in texts(listed)
    panel = message_of(await world.gina.click(listed, custom_id=button(listed, "Take it as said")))
    assert CANARY in texts(panel)
    await world.gina.click(listed, custom_id=button(listed, "Treat as away"))
    await world.env.settle()
    assert is_away(await world.state(), "p2", 0)
    for who in (world.ana, world.ben):
        shown = private(await who.slash(world.zone, "moves"))
        assert "has missed" not in shown
    assert CANARY not in private(await world.ana.slash(world.zone, "moves"))


async def test_treated_as_away_until_the_next_act(world: World) -> None:
    await _fight(world)
    told = await _miss_two(world)
    await world.press(world.gina, told, "Treat as away")
    away = world.last()
    assert f"{world.gina.mention} treats {world.ana.mention} as away" in texts(away)
    state = await world.state()
    assert is_away(state, "p2", 0)
    await world.restart()
    result = await propose(world)
    assert any("While you were away" in texts(each) for each in result.followups)
    await world.env.settle()
    state = await world.state()
    assert not is_away(state, "p2", 0)
    back = [each for each in world.messages() if "asked again from now on" in texts(each)]
    assert len(back) == 1
    assert f"{world.ana.mention} is back. Marek is asked again" in texts(back[0])
    await propose(world)
    await world.env.settle()
    assert len([each for each in world.messages() if "is back" in texts(each)]) == 1


async def test_a_private_act_tells_nobody_that_the_player_is_back(world: World) -> None:
    await _fight(world)
    told = await _miss_two(world)
    await world.press(world.gina, told, "Treat as away")
    count = len(world.messages())
    result = await world.ana.slash(world.zone, "roll", dice="d6", visibility="private")
    assert any("While you were away" in texts(each) for each in result.followups)
    await world.env.settle()
    assert not is_away(await world.state(), "p2", 0)
    assert orders_of(await world.state(), "p2").away is None
    assert not any("is back" in texts(each) for each in world.messages()[count:])
    assert "is back" in texts(world.messages(world.gm_room)[-1])


async def test_an_undone_act_does_not_bring_the_absence_back(world: World) -> None:
    await _fight(world)
    told = await _miss_two(world)
    await world.press(world.gina, told, "Treat as away")
    await propose(world)
    await world.env.settle()
    private(await world.ana.slash(world.zone, "table undo"))
    state = await world.state()
    assert not state.checks or not state.checks["c1"].is_open
    assert not is_away(state, "p2", 0)


async def test_act_as_lets_the_gm_take_the_delayed_turn(world: World) -> None:
    await _fight(world)
    told = await _miss_two(world)
    result = await world.press(world.gina, told, "Act as Marek")
    panel = result.followups[-1]
    assert "You can act for Marek" in texts(panel)
    assert is_away(await world.state(), "p2", 0)
    assert "Act now: Marek" in labels(panel)
    await world.gina.click(panel, custom_id=button(panel, "Act now: Marek"))
    await world.env.settle()
    assert "Marek" in world.newest("End turn").content
    shown = message_of(await world.gina.click(panel, custom_id=button(panel, "Show what waits")))
    assert "Marek" in texts(shown)


async def test_keep_waiting_changes_nothing(world: World) -> None:
    await _fight(world)
    told = await _miss_two(world)
    before = await world.revision()
    assert "You keep waiting" in private(await world.press(world.gina, told, "Keep waiting"))
    assert await world.revision() == before


async def test_players_cannot_press_what_is_for_gms(world: World) -> None:
    await _fight(world)
    told = await _miss_two(world)
    before = await world.revision()
    for label in ("Treat as away", "Act as Marek", "Keep waiting"):
        found = world.emit(world.ben, button(told, label), world.last())
        await world.env.settle()
        assert "Only the GM can do that" in private(found)
    assert await world.revision() == before


async def test_a_gm_treats_a_player_as_away_by_command(world: World) -> None:
    await open_table(world)
    text = public(await world.gina.slash(world.zone, "away", player=world.ana, until="3 days"))
    assert "treats" in text
    assert "away already" in private(
        await world.gina.slash(world.zone, "away", player=world.ana, until="3 days")
    )
    assert "Only the GM" in private(await world.ben.slash(world.zone, "away", player=world.ana))
    assert "is back" in public(
        await world.gina.slash(world.zone, "away", player=world.ana, back=True)
    )
    eve = world.member("eve")
    assert "plays no character" in private(await world.gina.slash(world.zone, "away", player=eve))


async def test_words_are_shown_to_the_gm_when_the_turn_comes(world: World) -> None:
    await _fight(world)
    said = private(await world.ben.slash(world.zone, "orders words", text=f"I hide, {CANARY}"))
    assert CANARY in said
    assert CANARY in private(await world.ben.slash(world.zone, "orders list"))
    assert CANARY not in private(await world.ana.slash(world.zone, "orders list"))
    await world.ben.slash(world.zone, "away")
    assert not any(CANARY in texts(each) for each in world.messages(world.gm_room))
    await world.ana.slash(world.zone, "initiative next")
    told = _told(world)
    assert "Ilka's turn" in texts(told)
    assert CANARY in texts(told)
    assert labels(told) == ["Take it as said", "End turn", "Keep waiting"]
    await world.restart()
    panel = message_of(await world.press(world.gina, told, "Take it as said"))
    assert CANARY in texts(panel)
    assert "Ilka" in texts(panel)
    before = await world.state()
    assert not before.checks, "nothing is carried out from prose"
    await world.press(world.gina, told, "End turn")
    assert "Marek" in world.newest("End turn").content
    assert "moved on" in private(await world.press(world.gina, told, "End turn"))


async def test_words_stay_from_other_players(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    await _fight(world, gm_channel=False)
    await world.ben.slash(world.zone, "orders words", text=CANARY)
    await world.ben.slash(world.zone, "away", until="5 days")
    await world.ana.slash(world.zone, "initiative next")
    for who in (world.ana, world.member("eve")):
        for command in ("moves", "table show", "table last", "orders list", "initiative show"):
            result = await who.slash(world.zone, command)
            shown = [result.response, *result.followups]
            assert not any(CANARY in texts(each) for each in shown if each is not None)
    assert not any(CANARY in texts(each) for each in world.messages())
    assert CANARY not in caplog.text
    await world.env.advance_time(6 * DAY)
    assert not any(CANARY in texts(each) for each in world.messages())


async def test_missed_answers_in_checks_count_too(world: World) -> None:
    await open_table(world, gm_channel=True)
    for count in (1, 2):
        await roll_check(world, 2, approach=f"attempt {count}")
        await world.env.advance_time(TURN)
        assert _missed(await world.state()) == {"p2": 1}, "what Ana does herself forgives"
    assert not [each for each in world.messages(world.gm_room) if "missed" in texts(each)]


async def test_the_table_decides_after_how_many_misses_gms_are_told(world: World) -> None:
    await _fight(world, setting="excused", value="1")
    await world.env.advance_time(TURN)
    assert "1 deadline missed" in texts(_told(world))
    shown = private(await world.gina.slash(world.zone, "gm settings", setting="missed", value="no"))
    assert "Missed deadlines: 1 → none" in shown
    refused = private(
        await world.gina.slash(world.zone, "gm settings", setting="excused", value="99")
    )
    assert "20" in refused


async def test_orders_given_by_a_menu_say_so_and_can_be_undone_there(world: World) -> None:
    await open_table(world)
    listed = message_of(await world.ana.slash(world.zone, "orders list"))
    given = await world.choose(world.ana, listed, "Add a standing order", "k1//react/pass")
    text = private(given)
    assert "Added:" in text and "Never react" in text
    undo = message_of(given)
    assert "Undo" in labels(undo)
    await world.ana.click(undo, custom_id=button(undo, "Undo"))
    await world.env.settle()
    assert not [key for key in (await world.state()).own if key.startswith("orders:")]


async def test_a_player_who_left_the_server_is_told_of_once(world: World) -> None:
    await _fight(world)
    world.guild.remove_member(world.ana)
    await world.env.settle()
    await world.env.advance_time(DAY + 60)
    told = _told(world)
    assert "No longer on this server: the player of Marek" in texts(told)
    assert labels(told) == ["Act as Marek", "Open the seat"]
    assert not any("No longer on this server" in texts(each) for each in world.messages())
    assert is_away(await world.state(), "p2", 0)
    await world.restart()
    await world.env.advance_time(4 * DAY)
    told = [each for each in world.messages(world.gm_room) if "No longer" in texts(each)]
    assert len([each for each in told if labels(each)]) == 1


async def test_a_player_who_is_there_is_asked_for_once_a_day_at_most(world: World) -> None:
    await _fight(world)
    await world.env.advance_time(DAY + 60)
    assert not is_away(await world.state(), "p2", 0)
    path = f"/members/{world.ana.id}"
    asked = [each for each in world.env.http_requests if each.path.endswith(path)]
    assert [each.method for each in asked] == ["GET"]
    await propose(world)
    await world.env.advance_time(DAY - 3600)
    asked = [each for each in world.env.http_requests if each.path.endswith(path)]
    assert len(asked) == 1


async def test_a_gm_who_goes_away_is_asked_who_runs_the_table(world: World) -> None:
    await open_table(world)
    result = await world.gina.slash(world.zone, "away", until="3 days")
    (asked,) = result.followups
    assert "Who runs the table while you're away?" in texts(asked)
    assert labels(asked) == ["Pause the table", "Neither"]
    await world.restart()
    answer = await world.gina.click(asked, custom_id=button(asked, "Neither"))
    assert "Deadlines go on" in private(answer)
    again = await world.gina.slash(world.zone, "away", until="4 days")
    (asked,) = again.followups
    await world.gina.click(asked, custom_id=button(asked, "Pause the table"))
    await world.env.settle()
    pause = (await world.state()).settings.pause
    assert pause is not None
    assert pause.until is not None
    later = await world.gina.slash(world.zone, "away", until="5 days")
    assert not later.followups, "the table is paused already"


async def test_a_gm_who_goes_away_names_a_deputy(world: World) -> None:
    await open_table(world)
    (asked,) = (await world.gina.slash(world.zone, "away")).followups
    menu = select(asked, "Name a deputy")
    panel = message_of(await world.gina.select(asked, [world.ben], custom_id=menu))
    assert "deputy" in texts(panel)
    await world.gina.click(panel, custom_id=button(panel, "Make deputy"))
    await world.env.settle()
    assert present_terms(await world.state())[0].who == "p3"
    assert not (await world.gina.slash(world.zone, "away", until="3 days")).followups


async def test_only_the_last_gm_who_is_there_is_asked(world: World) -> None:
    await open_table(world)
    eve = world.member("eve")
    await world.gina.slash(world.zone, "gm members", add=eve)
    assert not (await world.gina.slash(world.zone, "away")).followups
    assert (await eve.slash(world.zone, "away")).followups
    assert not (await world.ana.slash(world.zone, "away")).followups
