"""Direct messages through trouble: an outage of Discord, and a clock that is set back."""

from __future__ import annotations

from typing import Any

import pytest

from bot.services.preferences import load_preference
from tests.discord import world as simulated
from tests.discord.test_notices import by_direct_message, nudges_to
from tests.discord.world import DAY, HOUR, MINUTE, World, virtual_clock


@pytest.fixture
def patience() -> bool:
    return False


async def called(world: World) -> str:
    """Ana's roll is waited for, with reminders by direct message; return that channel's path."""
    await world.table()
    await by_direct_message(world, world.ana)
    place = (await load_preference(world.bot.tables.store, str(world.ana.id))).dm
    await world.answered()
    return f"/channels/{place}/messages"


def break_down(world: World, path: str, times: int | None, status: int = 503) -> None:
    """Have Discord fail for the next messages there."""
    world.env.inject_error("POST", path, status=status, message="Trouble", times=times)


async def rows_of(world: World, who: Any) -> list[Any]:
    """The notices to somebody that are about a wait."""
    rows = await world.bot.tables.store.user_notices(str(who.id))
    return [row for row in rows if row.kind == "nudge"]


async def test_a_nudge_of_an_outage_comes_once_when_discord_is_back(world: World) -> None:
    path = await called(world)
    break_down(world, path, 3)
    await world.env.advance_time(DAY)
    assert nudges_to(world, world.ana) == []
    (row,) = await rows_of(world, world.ana)
    assert row.sent_at is None and row.attempts >= 1
    await world.restart()
    await world.env.advance_time(HOUR)
    assert len(nudges_to(world, world.ana)) == 1
    (row,) = await rows_of(world, world.ana)
    assert row.sent_at is not None and row.attempts == 3
    await world.restart()
    await world.env.advance_time(HOUR)
    assert len(nudges_to(world, world.ana)) == 1


async def test_after_an_outage_nothing_is_said_of_what_is_over(world: World) -> None:
    path = await called(world)
    break_down(world, path, 2)
    # The first two tries fail; the next one comes a minute later.
    await world.env.advance_time(DAY + 45)
    world.dice.lay(5, 2)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    await world.env.advance_time(HOUR)
    assert nudges_to(world, world.ana) == []
    (row,) = await rows_of(world, world.ana)
    assert row.sent_at is not None and row.message is None


async def test_others_are_served_while_one_channel_fails(world: World) -> None:
    path = await called(world)
    await by_direct_message(world, world.ben)
    await world.answered(world.ben)
    break_down(world, path, 4)
    await world.env.advance_time(DAY + MINUTE)
    assert (len(nudges_to(world, world.ana)), len(nudges_to(world, world.ben))) == (0, 1)
    await world.env.advance_time(HOUR)
    assert (len(nudges_to(world, world.ana)), len(nudges_to(world, world.ben))) == (1, 1)


async def test_a_clock_that_is_set_back_sends_nothing_twice(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await called(world)
    await world.env.advance_time(DAY + HOUR)
    assert len(nudges_to(world, world.ana)) == 1
    set_back(monkeypatch, 12 * HOUR)
    await world.restart()
    await world.env.advance_time(13 * HOUR)
    assert len(nudges_to(world, world.ana)) == 1, "it has been sent, whatever the clock says"
    await world.env.advance_time(DAY)
    assert len(nudges_to(world, world.ana)) == 2, "the second reminder, by the new clock"


async def test_a_nudge_that_was_put_off_before_the_clock_was_set_back_still_comes(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await called(world)
    break_down(world, path, 1)
    await world.env.advance_time(DAY)
    assert nudges_to(world, world.ana) == []
    set_back(monkeypatch, 2 * HOUR)
    await world.restart()
    assert nudges_to(world, world.ana) == []
    await world.env.advance_time(2 * HOUR + MINUTE)
    assert len(nudges_to(world, world.ana)) == 1


def set_back(monkeypatch: pytest.MonkeyPatch, seconds: int) -> None:
    """Set the clock back for the bots that start from now on."""
    monkeypatch.setattr(simulated, "virtual_clock", lambda: virtual_clock() - seconds)
