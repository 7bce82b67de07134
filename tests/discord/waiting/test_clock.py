"""The table's clock through Discord: rest, pauses, more time, and what undo does to them."""

from __future__ import annotations

from typing import Any

import pytest

from rules.table.turns.turn_clock import waits_of_turn
from tests.discord.rounds import acts, board_text
from tests.discord.world import (
    DAY,
    HOUR,
    MINUTE,
    World,
    card,
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


async def fight(world: World) -> None:
    """Marek's turn, then Ilka's; turns last two days."""
    await world.table()
    await world.gina.slash(world.zone, "initiative start")
    for who in (world.ana, world.ben):
        await who.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative next")


async def turn_end(world: World) -> int | None:
    """When the clock ends the present turn."""
    waits = waits_of_turn(await world.state(), str(world.zone.id))
    return next((wait.due for wait in waits if wait.ends_turn), None)


# --- pauses ---------------------------------------------------------------------------------------


async def test_a_paused_table_stands_still_and_goes_on_where_it_stood(world: World) -> None:
    await fight(world)
    assert await turn_end(world) is not None
    await world.env.advance_time(DAY - HOUR)
    told = public(await world.gina.slash(world.zone, "gm pause", note="Back in *two* weeks"))
    assert "is paused" in told and r"Back in \*two\* weeks" in told
    assert "Nothing runs out; you can still act." in told
    assert "until <t:" not in board_text(world), "the board shows no deadline"
    assert "Waiting for Marek, since <t:" in board_text(world)
    count = len(world.messages())
    await world.restart()
    await world.env.advance_time(14 * DAY)
    assert len(world.messages()) == count, "no reminder, no default"
    assert await acts(world) == "Marek"
    told = public(await world.gina.slash(world.zone, "gm resume"))
    assert "goes on" in told and "Every deadline moved by 14 days." in told
    await world.restart()
    await world.env.advance_time(HOUR + MINUTE)
    assert "it's still your turn" in texts(world.last())
    await world.env.advance_time(DAY)
    assert await acts(world) == "Ilka"


async def test_everything_may_be_done_in_a_pause(world: World) -> None:
    await fight(world)
    await world.gina.slash(world.zone, "gm pause")
    await world.press(world.ana, world.newest("End turn"), "End turn")
    assert await acts(world) == "Ilka"
    assert await turn_end(world) is None
    await world.gina.slash(world.zone, "gm resume")
    end = await turn_end(world)
    assert end is not None and f"<t:{end}" in board_text(world)


async def test_a_pause_ends_by_itself(world: World) -> None:
    await fight(world)
    end = await turn_end(world)
    told = public(await world.gina.slash(world.zone, "gm pause", until="3 days"))
    assert "until <t:" in told
    await world.env.advance_time(3 * DAY + MINUTE)
    assert "goes on" in texts(world.last())
    assert "Every deadline moved by 3 days." in texts(world.last())
    assert end is not None and await turn_end(world) == end + 3 * DAY


async def test_a_checks_message_shows_its_deadline_again_after_a_pause(world: World) -> None:
    await world.table(wait_for_everybody=True)
    await world.rolled(5, 2)
    due = (await world.check()).asked[0].due
    assert f"<t:{due}" in card(world)
    await world.gina.slash(world.zone, "gm pause")
    assert "<t:" not in card(world)
    await world.env.advance_time(5 * DAY)
    assert "Final" not in card(world)
    await world.gina.slash(world.zone, "gm resume")
    now = (await world.check()).asked[0].due
    assert due is not None and now == due + 5 * DAY and f"<t:{now}" in card(world)
    await world.env.advance_time(DAY + MINUTE)
    assert not (await world.check()).is_open


async def test_the_undo_of_a_pause_gives_its_time_back(world: World) -> None:
    await world.table(wait_for_everybody=True)
    await world.rolled(5, 2)
    due = (await world.check()).asked[0].due
    await world.gina.slash(world.zone, "gm pause")
    await world.env.advance_time(5 * DAY)
    await world.gina.slash(world.zone, "gm undo")
    state = await world.state()
    assert state.settings.pause is None
    now = (await world.check()).asked[0].due
    assert due is not None and now == due + 5 * DAY and f"<t:{now}" in card(world)
    await world.restart()
    await world.env.advance_time(DAY + MINUTE)
    assert not (await world.check()).is_open


async def test_the_undo_of_a_pauses_end_lets_it_last(world: World) -> None:
    await fight(world)
    await world.rolled(5, 2)
    await world.gina.slash(world.zone, "gm pause")
    before = await world.state()
    await world.env.advance_time(5 * DAY)
    await world.gina.slash(world.zone, "gm resume")
    await world.env.advance_time(HOUR)
    count = len(world.messages())
    await world.gina.slash(world.zone, "gm undo")
    called = [message for message in world.messages()[count:] if pings(message, world.env)]
    assert called == [], "nobody is called for it"
    now = await world.state()
    assert now.settings.pause == before.settings.pause
    assert now.checks == before.checks
    await world.env.advance_time(30 * DAY)
    assert await acts(world) == "Marek"
    await world.gina.slash(world.zone, "gm resume")
    await world.env.advance_time(3 * DAY)
    assert await acts(world) == "Ilka"


async def test_pauses_are_refused_in_words(world: World) -> None:
    await world.table()
    assert "The table isn't paused." in refusal_of(await world.gina.slash(world.zone, "gm resume"))
    assert "Only the GM can do that" in refusal_of(await world.ana.slash(world.zone, "gm pause"))
    assert "isn't a time" in refusal_of(
        await world.gina.slash(world.zone, "gm pause", until="soonish")
    )
    await world.gina.slash(world.zone, "gm pause")
    assert "The table is paused like that already." in refusal_of(
        await world.gina.slash(world.zone, "gm pause")
    )


# --- rest -----------------------------------------------------------------------------------------


async def test_a_gm_sets_when_the_table_rests(world: World) -> None:
    await fight(world)
    shown = private(await world.gina.slash(world.zone, "gm rest"))
    assert "doesn't rest" in shown and "Time always runs." in shown
    told = public(
        await world.gina.slash(
            world.zone, "gm rest", days="weekends", hours="8:00-22:00", zone="berlin"
        )
    )
    assert "No time runs on Saturdays and Sundays." in told
    assert "Nothing runs out before 8:00 or after 22:00." in told
    assert "Times are those of Europe/Berlin." in told
    rest = (await world.state()).settings.rest
    assert (rest.days, rest.from_, rest.to) == ((5, 6), 480, 1320)
    assert len(rest.offsets) == 21, "ten years of summer time"
    told = public(await world.gina.slash(world.zone, "gm rest", hours="always"))
    assert "Nothing runs out" not in told and "Saturdays" in told
    await world.gina.slash(world.zone, "gm undo")
    assert (await world.state()).settings.rest == rest
    told = public(await world.gina.slash(world.zone, "gm rest", days="none", hours="always"))
    assert "no longer rests" in told
    assert not (await world.state()).settings.rest.is_set


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"days": "someday"}, "“someday” doesn't name days"),
        ({"days": "Mon-Sun", "zone": "UTC"}, "can't rest on all seven days"),
        ({"hours": "25-26", "zone": "UTC"}, "“25-26” doesn't name hours"),
        ({"hours": "8-8", "zone": "UTC"}, "“8-8” doesn't name hours"),
        ({"days": "Sat"}, "Which time zone?"),
        ({"days": "Sat", "zone": "Berlln"}, "Did you mean Europe/Berlin?"),
        ({"days": "Sat", "zone": "sa"}, "Type more of it."),
        ({"days": "none"}, "The table rests like that already."),
    ],
)
async def test_rest_is_refused_in_words(world: World, options: dict[str, str], error: str) -> None:
    await world.table()
    before = await world.state()
    assert error in refusal_of(await world.gina.slash(world.zone, "gm rest", **options))
    assert (await world.state()).settings == before.settings


async def test_nothing_runs_out_at_night(world: World) -> None:
    await fight(world)
    end = await turn_end(world)
    assert end is not None
    # The hours begin an hour after the turn would end.
    opens = (end // 60 + 60) % (24 * 60)
    closes = (opens + 60) % (24 * 60)
    hours = f"{opens // 60}:{opens % 60:02}-{closes // 60}:{closes % 60:02}"
    await world.gina.slash(world.zone, "gm rest", hours=hours, zone="UTC")
    assert await turn_end(world) == (end // 60 + 60) * 60
    await world.env.advance_time(2 * DAY + 30 * MINUTE)
    assert await acts(world) == "Marek"
    await world.env.advance_time(HOUR)
    assert await acts(world) == "Ilka"


# --- more time ------------------------------------------------------------------------------------


async def test_a_player_takes_more_time_for_a_turn_once(world: World) -> None:
    await fight(world)
    end = await turn_end(world)
    await world.env.advance_time(DAY + MINUTE)
    reminder = world.newest("More time")
    assert pings(reminder, world.env) == [world.ana.id]
    await world.press(world.ana, reminder, "More time")
    assert end is not None and await turn_end(world) == end + 2 * DAY
    told = texts(world.last())
    assert f"Marek has until <t:{end + 2 * DAY}:f>." in told and "needs more time" in told
    assert f"<t:{end + 2 * DAY}" in board_text(world)
    assert "You've had more time for that once." in refusal_of(
        await world.press(world.ana, reminder, "More time")
    )
    await world.gina.slash(world.zone, "gm deadline", until="9 days")
    await world.env.advance_time(8 * DAY)
    assert await acts(world) == "Marek"
    await world.gina.slash(world.zone, "gm undo")
    await world.env.advance_time(2 * MINUTE)
    assert await acts(world) == "Ilka"


async def test_a_player_takes_more_time_for_a_check(world: World) -> None:
    await world.table(wait_for_everybody=True)
    await world.rolled(5, 2)
    due = (await world.check()).asked[0].due
    assert due is not None
    panel = message_of(await world.press(world.ana, world.card(), "React"))
    assert "More time" not in labels(panel), "there is time enough"
    await world.env.advance_time(DAY // 2)
    panel = message_of(await world.press(world.ana, world.card(), "React"))
    assert "More time" in labels(panel)
    await world.press(world.ana, panel, "More time")
    assert (await world.check()).asked[0].due == due + DAY
    assert any("needs more time" in texts(message) for message in world.messages())
    assert f"<t:{due + DAY}" in card(world)
    panel = message_of(await world.press(world.ana, world.card(), "React"))
    assert "More time" not in labels(panel)
    await world.restart()
    await world.env.advance_time(DAY + MINUTE)
    assert (await world.check()).is_open
    await world.gina.slash(world.zone, "gm deadline", until="4 days", check="c1")
    later = (await world.check()).asked[0].due
    assert later is not None and later > due + DAY
    await world.env.advance_time(3 * DAY)
    assert (await world.check()).is_open
    await world.env.advance_time(DAY + MINUTE)
    assert not (await world.check()).is_open


async def test_deadlines_are_refused_in_words(world: World) -> None:
    await world.table()
    assert "No initiative" in refusal_of(
        await world.gina.slash(world.zone, "gm deadline", until="3 days")
    )
    await world.propose(skill="Climbing")
    assert "That has no deadline." in refusal_of(
        await world.gina.slash(world.zone, "gm deadline", until="3 days", check="c1")
    )


# --- secrets --------------------------------------------------------------------------------------


async def _open_first_move(world: World) -> Any:
    """Ana's panel for what her list of moves begins with."""
    listed = message_of(await world.ana.slash(world.zone, "moves"))
    (label,) = [name for name in labels(listed) if name.startswith("Open")]
    return message_of(await world.press(world.ana, listed, label))


async def test_more_time_in_a_private_check_is_told_to_gms_alone(world: World) -> None:
    await world.table(gm_channel=True, wait_for_everybody=True)
    await world.propose(skill="Climbing", attribute="Fitness", visibility="private")
    await world.rule(world.messages(world.gm_room)[0], level="Tricky")
    world.dice.lay(5, 2)
    opened = await _open_first_move(world)
    await world.press(world.ana, opened, "Roll")
    await world.env.advance_time(DAY // 2)
    count = len(world.messages())
    opened = await _open_first_move(world)
    told = await world.press(world.ana, opened, "More time")
    assert "needs more time" in private(told)
    assert "needs more time" in texts(world.last(world.gm_room))
    assert len(world.messages()) == count
    assert "needs more time" not in world.told(world.ben)
