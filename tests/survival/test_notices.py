"""kill -9 between any two steps of a reminder and of a morning list: never none, never two."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.services.preferences import Preference, save_preference
from bot.storage.store import SqlStore
from tests.loopback.models import Channel, User
from tests.survival.edge_of_process import PATIENCE, Rim, open_rim
from tests.survival.test_kills import CLIMB, open_answer

#: Where the bot dies on the way from the clock's act to the reminder by direct message.
NUDGE_STEPS = (
    ("scheduler.acting", 1),
    ("scheduler.acted", 1),
    ("outbox.sending", 1),
    ("notices.planning", 1),
    ("notices.planned", 1),
    ("notices.sending", 1),
    ("notices.sent", 1),
    ("storage.committing", 3),
)
MORNING_STEPS = (("notices.sending", 1), ("notices.sent", 1))


async def wish(rim: Rim, who: User, preference: Preference) -> None:
    """Set somebody's wishes while no bot runs."""
    store = await SqlStore.open(rim.path)
    await save_preference(store, str(who.id), preference)
    await store.close()


async def waiting_for_ana(rim: Rim, preference: Preference) -> Channel:
    """A table at which Ana has been called to roll; the bot has ended in order."""
    await rim.start()
    place = await rim.table(gm_room=False)
    await (await open_answer(rim, place))().answered(PATIENCE)
    await rim.settled()
    await rim.stop()
    await wish(rim, rim.ana, preference)
    return place


def open_notices(rim: Rim) -> int:
    """How many notices have yet to be sent and are due by now."""
    ((count,),) = rim.query("SELECT COUNT(*) FROM notice WHERE sent_at IS NULL AND kind = 'nudge'")
    return int(count)


def planned(rim: Rim, kind: str) -> int:
    ((count,),) = rim.query(f"SELECT COUNT(*) FROM notice WHERE kind = '{kind}'")
    return int(count)


@pytest.mark.slow
@pytest.mark.parametrize(("event", "count"), NUDGE_STEPS)
async def test_a_reminder_by_direct_message_comes_once(
    event: str, count: int, tmp_path: Path
) -> None:
    async with open_rim(tmp_path) as rim:
        # To the bot, any channel whose id it was told is a channel for direct messages.
        direct = rim.place()
        place = await waiting_for_ana(rim, Preference(how="dm", dm=str(direct.id)))
        (call,) = [message for message in rim.said(place) if f"<@{rim.ana.id}>" in message.content]
        rim.turn_clock(1.1)
        rim.order(event, count)
        await rim.start(ready=False)
        await rim.died(unless=lambda: bool(planned(rim, "nudge")) and not open_notices(rim))
        await rim.start()
        await rim.wait(lambda: planned(rim, "nudge") and not open_notices(rim))
        await rim.settled()
        (told,) = rim.said(direct)
        assert "an answer for Marek" in told.content
        assert CLIMB["approach"] not in told.content
        assert call in rim.said(place), "the first call stays"
        await rim.stop()
        await rim.check_files()


@pytest.mark.slow
@pytest.mark.parametrize(("event", "count"), MORNING_STEPS)
async def test_a_morning_list_comes_once(event: str, count: int, tmp_path: Path) -> None:
    async with open_rim(tmp_path) as rim:
        place = await waiting_for_ana(rim, Preference(bundle="morning"))
        rim.turn_clock(1.1)
        await rim.start()
        await rim.wait(lambda: planned(rim, "morning"))
        await rim.settled()
        await rim.stop()
        rim.turn_clock(2.15)
        rim.order(event, count)
        await rim.start(ready=False)
        await rim.died()
        await rim.start()
        sent = "SELECT COUNT(*) FROM notice WHERE kind = 'morning' AND sent_at IS NOT NULL"
        await rim.wait(lambda: rim.query(sent) == [(1,)])
        await rim.settled()
        listed = [each for each in rim.said(place) if "still waiting for you" in each.content]
        assert len(listed) == 1
        await rim.stop()
        await rim.check_files()
