"""Calls and reminders as each user wants them: silent, by direct message, in a list, or not."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from bot.services.preferences import load_preference, save_preference
from tests.discord.test_notify import direct_messages
from tests.discord.world import (
    DAY,
    HOUR,
    World,
    button,
    labels,
    message_of,
    pings,
    private,
    texts,
)

#: The world begins at midnight, UTC.
NIGHT = (22 * 60, 8 * 60)


@pytest.fixture
def patience() -> bool:
    """Tables wait only for those who have something to decide."""
    return False


async def wish(world: World, who: Any, **changes: Any) -> None:
    """Set somebody's wishes."""
    store = world.bot.tables.store
    present = await load_preference(store, str(who.id))
    await save_preference(store, str(who.id), present.replace(**changes))


async def by_direct_message(world: World, who: Any, **changes: Any) -> None:
    """Let somebody's reminders come by direct message."""
    panel = message_of(await who.slash(world.zone, "notify"))
    await world.press(who, panel, "Send me a test")
    await wish(world, who, how="dm", **changes)


def calls_to(world: World, who: Any) -> list[Any]:
    """The messages in the channel that ping somebody."""
    return [message for message in world.messages() if who.id in pings(message, world.env)]


def is_silent(message: Any) -> bool:
    """Whether a message makes no sound."""
    return message.flags.silent


def nudges_to(world: World, who: Any) -> list[str]:
    """The direct messages to somebody, the test left out."""
    return [text for text in map(texts, direct_messages(world, who)) if "This works" not in text]


async def test_a_silent_call_stays_when_those_of_the_loud_one_have_rolled(world: World) -> None:
    await world.table(step_in_minutes=0)
    await wish(world, world.ben, quiet=NIGHT)
    roll = {"skill": "Climbing", "attribute": "Fitness", "difficulty": "Tricky"}
    await world.gina.slash(world.zone, "gm call", **roll)
    (loud,), (silent,) = calls_to(world, world.ana), calls_to(world, world.ben)
    assert not is_silent(loud) and is_silent(silent)
    world.dice.lay(8, 7)
    await world.press(world.ana, loud, "Roll")
    await world.env.settle()
    assert not calls_to(world, world.ana)
    (left,) = calls_to(world, world.ben)
    assert left.id == silent.id and " for Ilka." in texts(left)
    await world.restart()
    world.dice.lay(8, 7)
    await world.press(world.ben, left, "Roll")
    await world.env.settle()
    assert not calls_to(world, world.ben)


async def test_a_call_in_quiet_hours_makes_no_sound(world: World) -> None:
    await world.table()
    await wish(world, world.ana, quiet=NIGHT)
    await world.answered()
    (night,) = calls_to(world, world.ana)
    assert is_silent(night)
    assert "Roll" in labels(night)
    await world.answered(world.ben)
    (other,) = calls_to(world, world.ben)
    assert not is_silent(other)


async def test_a_day_has_so_many_loud_pings(world: World) -> None:
    await world.table()
    await wish(world, world.ana, most=2, nudge=-1)
    for _ in range(3):
        await world.answered()
    assert [is_silent(message) for message in calls_to(world, world.ana)] == [False, False, True]
    await world.restart()
    await world.answered()
    assert is_silent(calls_to(world, world.ana)[-1]), "counted in rows, not in memory"
    await world.env.advance_time(DAY)
    await world.answered()
    assert not is_silent(calls_to(world, world.ana)[-1])


async def test_a_live_table_calls_everybody_loudly(world: World) -> None:
    await world.table(live=True)
    await wish(world, world.ana, quiet=(0, 1439), most=0)
    await world.rolled(1, 1)
    await world.ben.slash(world.zone, "initiative start")
    assert await world.bot.tables.store.user_notices(str(world.ana.id)) == ()


async def test_no_reminders_leave_the_first_call_where_it_is(world: World) -> None:
    await world.table()
    await wish(world, world.ana, nudge=-1)
    await world.answered()
    (first,) = calls_to(world, world.ana)
    for _ in range(3):
        await world.env.advance_time(DAY)
    assert [message.id for message in calls_to(world, world.ana)] == [first.id]
    await world.press(world.ana, first, "Roll")
    assert calls_to(world, world.ana) == [], "the call goes once it's answered"


async def test_a_reminder_that_comes_too_soon_is_left_out(world: World) -> None:
    await world.table()
    await wish(world, world.ana, nudge=36)
    await world.answered()
    (first,) = calls_to(world, world.ana)
    await world.env.advance_time(DAY + HOUR)
    assert [message.id for message in calls_to(world, world.ana)] == [first.id]
    await world.env.advance_time(DAY)
    (second,) = calls_to(world, world.ana)
    assert second.id != first.id
    assert world.last().id == second.id, "at the end of the channel"


async def test_a_reminder_comes_by_direct_message(world: World) -> None:
    await world.table()
    await by_direct_message(world, world.ana)
    await world.answered()
    (first,) = calls_to(world, world.ana)
    await world.env.advance_time(DAY + HOUR)
    assert [message.id for message in calls_to(world, world.ana)] == [first.id]
    (told,) = nudges_to(world, world.ana)
    assert "The Dry Canal" in told
    assert "an answer for Marek" in told
    assert "drainpipe" not in told
    assert nudges_to(world, world.ben) == []
    await world.restart()
    await world.env.advance_time(HOUR)
    assert len(nudges_to(world, world.ana)) == 1
    message = direct_messages(world, world.ana)[-1]
    pressed = await world.ana.user.click(message, custom_id=button(message, "Show me"))
    assert "Marek" in texts(message_of(pressed))


async def test_a_nudge_is_dropped_once_the_wait_is_over(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    await by_direct_message(world, world.ana)
    await world.answered()
    with monkeypatch.context() as patched:
        patched.setattr(world.bot.scheduler.notices, "expect", lambda at: None)
        world.bot.outbox.call_groups.on_planned = lambda at: None
        await world.env.advance_time(DAY + HOUR)
    world.dice.lay(5, 2)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    await world.restart()
    assert nudges_to(world, world.ana) == []
    rows = await world.bot.tables.store.user_notices(str(world.ana.id))
    assert [row.error for row in rows if row.kind == "nudge" and row.table_id] == ["over"]


async def test_a_refused_nudge_comes_in_the_channel(world: World) -> None:
    await world.table()
    await by_direct_message(world, world.ana)
    place = (await load_preference(world.bot.tables.store, str(world.ana.id))).dm
    await world.answered()
    world.env.inject_error(
        "POST", f"/channels/{place}/messages", status=403, code=50007, message="No", times=None
    )
    await world.env.advance_time(DAY + HOUR)
    line = world.last()
    assert world.ana.id in pings(line, world.env)
    assert "still waiting for you: an answer for Marek" in texts(line)
    kept = await load_preference(world.bot.tables.store, str(world.ana.id))
    assert (kept.how, kept.dm, kept.refused) == ("here", "", True)
    panel = private(await world.ana.slash(world.zone, "notify"))
    assert "Discord refused my last direct message" in panel


async def test_what_waits_overnight_is_listed_in_the_morning(world: World) -> None:
    await world.table()
    await wish(world, world.ana, quiet=NIGHT)
    await world.answered()
    await world.env.advance_time(7 * HOUR)
    assert len(calls_to(world, world.ana)) == 1
    await world.env.advance_time(HOUR + 600)
    call, listed = calls_to(world, world.ana)
    assert is_silent(call)
    assert not is_silent(listed)
    assert "an answer for Marek" in texts(listed)
    shown = await world.press(world.ben, listed, "Show me")
    assert "Marek" not in private(shown), "Ben reads what waits for Ben"
    assert len(calls_to(world, world.ana)) == 2
    assert "Marek" in private(await world.press(world.ana, listed, "Show me"))
    assert [message.id for message in calls_to(world, world.ana)] == [call.id]


async def test_nothing_is_listed_once_nothing_waits(world: World) -> None:
    await world.table()
    await wish(world, world.ana, quiet=NIGHT)
    await world.rolled(8, 6)
    assert calls_to(world, world.ana) == []
    count = len(world.messages())
    await world.env.advance_time(12 * HOUR)
    assert len(world.messages()) == count


async def test_one_list_a_morning_replaces_all_reminders(world: World) -> None:
    await world.table()
    await by_direct_message(world, world.ana, bundle="morning")
    await world.answered()
    await world.answered()
    first = [message.id for message in calls_to(world, world.ana)]
    assert len(first) == 2
    assert all(map(is_silent, calls_to(world, world.ana)))
    await world.env.advance_time(DAY + HOUR)
    assert nudges_to(world, world.ana) == []
    await world.env.advance_time(8 * HOUR)
    (listed,) = nudges_to(world, world.ana)
    assert "2 things wait for you" in listed
    assert listed.count("an answer for Marek") == 2
    assert [message.id for message in calls_to(world, world.ana)] == first


async def test_a_private_check_is_never_reminded_of_in_the_channel(world: World) -> None:
    await world.table()
    await by_direct_message(world, world.ana)
    await world.propose(skill="Climbing", attribute="Fitness", visibility="private")
    before = len(world.messages())
    for _ in range(5):
        await world.env.advance_time(DAY)
    assert len(world.messages()) == before


async def test_reminders_of_a_private_check_come_by_direct_message(world: World) -> None:
    await world.table(gm_channel=True)
    await by_direct_message(world, world.ana)
    await world.propose(skill="Climbing", attribute="Fitness", visibility="private")
    await world.rule(world.newest("Answer", world.gm_room))
    before = [message.id for message in world.messages()]
    await world.env.advance_time(DAY + HOUR)
    assert [message.id for message in world.messages()] == before
    (told,) = nudges_to(world, world.ana)
    assert "an answer for Marek" in told


async def test_a_private_wait_is_in_no_list_of_a_channel(world: World) -> None:
    await world.table(gm_channel=True)
    await wish(world, world.ana, bundle="morning", quiet=NIGHT)
    await world.propose(skill="Climbing", attribute="Fitness", visibility="private")
    await world.rule(world.newest("Answer", world.gm_room))
    before = [message.id for message in world.messages()]
    for _ in range(3):
        await world.env.advance_time(DAY)
    assert [message.id for message in world.messages()] == before
    await world.answered()
    await world.env.advance_time(DAY + 9 * HOUR)
    listed = texts(calls_to(world, world.ana)[-1])
    assert listed.count("an answer for Marek") == 1, "the public check alone"


async def test_a_player_may_be_told_who_is_next(world: World) -> None:
    await world.table()
    await wish(world, world.ben, next=True)
    await world.gina.slash(world.zone, "initiative start")
    await world.ana.slash(world.zone, "initiative join")
    await world.ben.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative order", names="Marek, Ilka")
    await world.gina.slash(world.zone, "initiative next")
    call, told = world.messages()[-2:]
    assert pings(call, world.env) == [world.ana.id]
    assert pings(told, world.env) == [world.ben.id]
    assert is_silent(told)
    assert "Ilka goes next" in texts(told)
    await world.restart()
    await world.press(world.ana, call, "End turn")
    left = [message.id for message in world.messages()]
    assert call.id not in left
    assert told.id not in left, "it goes with the call"
    assert calls_to(world, world.ben), "and Ben is called"


async def test_a_call_to_several_has_a_loud_and_a_silent_message(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm members", add=world.ben)
    await wish(world, world.ben, quiet=NIGHT)
    await world.propose()
    loud, silent = world.messages()[-2:]
    assert (pings(loud, world.env), is_silent(loud)) == ([world.gina.id], False)
    assert (pings(silent, world.env), is_silent(silent)) == ([world.ben.id], True)
    assert labels(loud) == labels(silent) == ["Answer"]
    await world.restart()
    await world.rule(loud)
    left = [message.id for message in world.messages()]
    assert not {loud.id, silent.id} & {*left}


async def test_only_a_sound_tells_one_zone_from_another(world: World) -> None:
    """Ana's quiet hours are at night in one zone, and at noon in another."""
    shown: list[list[tuple[str, list[int]]]] = []
    sounds: list[bool] = []
    for zone in ("Europe/London", "Asia/Tokyo"):
        place = world.guild.create_text_channel(zone[:4].lower())
        other = replace(world, zone=place)
        await other.table()
        await wish(world, world.ana, zone=zone, quiet=(0, 4 * 60), nudge=-1)
        await other.answered()
        await other.answered(world.ben)
        found = other.messages()
        shown.append([(_without_ids(texts(each)), pings(each, world.env)) for each in found])
        sounds += [is_silent(each) for each in found if world.ana.id in pings(each, world.env)]
    assert shown[0] == shown[1]
    assert sounds == [True, False]


def _without_ids(text: str) -> str:
    return re.sub(r"\d{15,}|<t:\d+:\w>|\b[0-9a-f]{64}\b|#\d+", "", text)
