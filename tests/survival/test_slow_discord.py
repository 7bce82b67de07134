"""Discord limps: channels take nothing, and its clock is not ours. Nobody else waits, and nothing
comes twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.example_counts import nightly
from tests.loopback.models import Channel
from tests.survival.edge_of_process import Rim, open_rim

pytestmark = [pytest.mark.asyncio(loop_scope="function"), pytest.mark.slow]

CLIMB = {"skill": "Climbing", "attribute": "Fitness", "approach": "up the drainpipe, slowly"}
#: Within so many seconds of the start everybody is served whose channel works.
SERVED = 5
SKEW = 600


@pytest_asyncio.fixture
async def rim(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Rim]:
    async with open_rim(tmp_path_factory.mktemp("limping")) as rim:
        await rim.start()
        yield rim
        rim.standin.clear_faults()
        if not rim.running:
            await rim.start()
        # What hangs ends after half a minute; what failed twice is tried again a quarter later.
        await rim.wait(rim.told, within=150)
        rim.check_said()
        await rim.stop()
        await rim.check_files()


async def unsaid(rim: Rim, count: int) -> list[Channel]:
    """Channels in each of which somebody has yet to be called; the bot is gone."""
    places = [await rim.table(gm_room=False) for _ in range(count)]
    fault = rim.standin.fail("POST", "/channels/*/messages", times=None)
    for place in places:
        await rim.do(rim.ana, place, "check", **CLIMB)
    await rim.wait(lambda: fault.hits >= count)
    await rim.kill()
    rim.standin.clear_faults()
    return places


@pytest.mark.parametrize("hangs", [False, True])
async def test_broken_channels_harm_no_other(rim: Rim, hangs: bool) -> None:
    bad, good = (10, 100) if nightly() else (4, 10)
    places = await unsaid(rim, bad + good)
    broken, healthy = places[:bad], places[bad:]
    said = {place.id: len(rim.said(place)) for place in places}
    for place in broken:
        rim.standin.fail(
            "*", f"/channels/{place.id}/messages*", times=None, delay=30 if hangs else 0
        )
    # A wait that ran out while nobody was there is due in a healthy channel.
    dues = len(rim.query("SELECT 1 FROM journal WHERE kind = 'Due'"))
    rim.turn_clock(4)
    await rim.start(ready=False)
    await rim.wait(lambda: "app.ready" in rim.output())
    begun = asyncio.get_running_loop().time()

    def served() -> bool:
        return all(len(rim.said(place)) > said[place.id] for place in healthy)

    await rim.wait(served)
    assert asyncio.get_running_loop().time() - begun < SERVED
    acted = len(rim.query("SELECT 1 FROM journal WHERE kind = 'Due'")) - dues
    assert acted or "scheduler.acted" in rim.output()
    # Play goes on there, and those who wait for the others are answered, too.
    for place in (healthy[0], broken[0]):
        await rim.do(rim.ben, place, "moves")
    assert all(len(rim.said(place)) == said[place.id] for place in broken)


@pytest.mark.parametrize("skew", [SKEW, -SKEW])
async def test_another_clock_than_discords(rim: Rim, skew: int) -> None:
    rim.turn_clock(skew / 86_400)
    place = await rim.table(gm_room=False)
    for _ in range(12 if nightly() else 3):
        if not rim.running:
            await rim.start()
        rim.order("outbox.sent")
        rim.emit(rim.ana, place, "check", **CLIMB)
        await rim.died()
        place.nonces.clear()  # Discord remembers them for minutes, and a start may come later
        await rim.start()
        await rim.settled()
        rim.check_said()
