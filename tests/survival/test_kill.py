"""kill -9 at every step and at random moments: nothing acknowledged is lost, nothing is said twice.

`SURVIVAL_KILLS` is the number of random kills (100 unless set).
"""

from __future__ import annotations

import asyncio
import os
import random
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.loopback.interactions import Interaction
from tests.loopback.models import Channel, Message, User
from tests.survival.rim import PATIENCE, Rim, button, has_button, number, open_rim, private

KILLS = int(os.environ.get("SURVIVAL_KILLS", "100"))
#: How many bots, each with a server of its own, are killed side by side.
LANES = 2
#: Random kills between two looks at everything.
SPELL = 10
CLIMB = {"skill": "Climbing", "attribute": "Fitness", "approach": "up the drainpipe, slowly"}

Act = Callable[[], Interaction]


@dataclass(frozen=True)
class Flow:
    """One thing that somebody does: what has to be there before, the deed itself, and how it goes on."""

    who: str
    prepare: Callable[[Rim, Channel], Awaitable[Act]]
    go_on: Callable[[Rim, Channel], Awaitable[object]]
    table: bool = True
    gm_room: bool = True


async def answered(rim: Rim, place: Channel, *, hidden: bool = False) -> Act:
    """A proposal of Ana's and Gina's panel, with only the last button left to press."""
    await rim.do(rim.ana, place, "check", **CLIMB)
    panel = await rim.click(rim.gina, rim.with_button(place, "Answer"), "Answer")
    panel = await rim.choose(rim.gina, panel, "Difficulty before shifts", "Tricky")
    if hidden:
        panel = await rim.click(rim.gina, panel, "Difficulty: open")
    return lambda: rim.press(rim.gina, panel, "Let them roll")


async def rolling(rim: Rim, place: Channel) -> Act:
    """Ana's roll, only to be pressed."""
    await (await answered(rim, place))().answered(PATIENCE)
    await rim.wait(lambda: any(has_button(message, "Roll") for message in rim.said(place)))
    await rim.settled()
    message = rim.with_button(place, "Roll")
    return lambda: rim.press(rim.ana, message, "Roll")


async def spending(rim: Rim, place: Channel) -> Act:
    """Ana's re-roll, only to be pressed."""
    await (await rolling(rim, place))().answered(PATIENCE)
    await rim.settled()
    panel = await rim.click(rim.ana, rim.with_button(place, "React"), "React")
    return lambda: rim.press(rim.ana, panel, "Roll the d8 again for 1 Fate point (you have 3)")


async def undoing(rim: Rim, place: Channel) -> Act:
    """Gina takes a roll back."""
    await (await rolling(rim, place))().answered(PATIENCE)
    await rim.settled()
    return lambda: rim.emit(rim.gina, place, "gm undo")


async def opening(rim: Rim, place: Channel) -> Act:
    return lambda: rim.emit(rim.gina, place, "setup", system="ebb", gm_channel=rim.gm_room)


async def proposing(rim: Rim, place: Channel) -> Act:
    return lambda: rim.emit(rim.ana, place, "check", **CLIMB)


async def whispering(rim: Rim, place: Channel) -> Act:
    return lambda: rim.emit(rim.ana, place, "check", visibility="private", **CLIMB)


async def hiding(rim: Rim, place: Channel) -> Act:
    return await answered(rim, place, hidden=True)


async def pressed(rim: Rim, who: User, place: Channel, label: str) -> Message:
    return await rim.click(who, rim.with_button(place, label), label)


async def stands(rim: Rim, place: Channel) -> None:
    """The result is let stand through the newest React button."""
    await rim.click(rim.ana, await pressed(rim, rim.ana, place, "React"), "Let it stand")


FLOWS: dict[str, Flow] = {
    "setup": Flow("gina", opening, lambda rim, place: rim.do(rim.gina, place, "table show"), table=False),
    "proposal": Flow("ana", proposing, lambda rim, place: pressed(rim, rim.gina, place, "Answer")),
    "hidden answer": Flow("gina", hiding, lambda rim, place: pressed(rim, rim.ana, place, "Roll")),
    "roll": Flow("ana", rolling, stands),
    "re-roll": Flow("ana", spending, lambda rim, place: pressed(rim, rim.ana, place, "Details")),
    "undo": Flow("gina", undoing, lambda rim, place: pressed(rim, rim.ana, place, "Roll")),
    "private": Flow("ana", whispering, lambda rim, place: pressed(rim, rim.gina, rim.gm_room, "Answer")),
    "private behind a stub": Flow(
        "ana", whispering, lambda rim, place: pressed(rim, rim.gina, place, "Show"), gm_room=False
    ),
}


async def begin(rim: Rim, flow: Flow) -> tuple[Channel, Act]:
    """A channel where the deed can be done, with nothing else under way."""
    place = await rim.table(gm_room=flow.gm_room) if flow.table else rim.place()
    act = await flow.prepare(rim, place)
    await rim.settled()
    return place, act


async def boundaries(rim: Rim, flow: Flow) -> list[tuple[str, int]]:
    """Every event that the deed makes the bot log, with its count: the places to die at."""
    _, act = await begin(rim, flow)
    before = len(rim.output())
    await act().answered(PATIENCE)
    await rim.settled()
    await asyncio.sleep(0.02)
    found: list[tuple[str, int]] = []
    seen: dict[str, int] = {}
    for line in rim.output()[before:].splitlines():
        event = line.split()[2]
        seen[event] = seen.get(event, 0) + 1
        found.append((event, seen[event]))
    return found


async def killed_at(rim: Rim, flow: Flow, event: str, count: int) -> None:
    """The deed with a death in the midst of it, and everything that has to be right afterwards."""
    who: User = getattr(rim, flow.who)
    place, act = await begin(rim, flow)
    rim.order(event, count)
    sent = act()
    await rim.died()
    done = rim.journalled(sent)
    seen = sent.response if sent.state == "answered" else None
    assert seen is None or done is not None
    await rim.start()
    await rim.settled()
    assert rim.journalled(sent) == done
    waiting = [row for row in rim.outbox() if private(row) and not row.done]
    assert len(waiting) <= (done is not None)
    if done is None or waiting:
        # Nothing was to be seen of it, so it is done once more.
        again = await act().answered(PATIENCE)
        await again.until(lambda: again.response is not None and number(again.response), PATIENCE)
    if waiting and rim.journalled(again) is None and number(again.response) != done:
        await rim.do(who, place, "moves")
    await rim.settled()
    rim.check_said([sent])
    assert not [row for row in rim.outbox() if not row.done]
    await flow.go_on(rim, place)


@pytest.mark.slow
@pytest.mark.parametrize("lane", range(LANES))
async def test_killed_at_every_step(tmp_path: Path, lane: int) -> None:
    async with open_rim(tmp_path) as rim:
        await rim.start()
        for name, flow in list(FLOWS.items())[lane::LANES]:
            steps = await boundaries(rim, flow)
            print(name, len(steps), steps)
            for event, count in steps:
                try:
                    await killed_at(rim, flow, event, count)
                except Exception as error:
                    import traceback; traceback.print_exc()
                    print("FAILED", name, event, count, repr(error)[:1500])
                    rim.withdraw_order()
                    await rim.kill()
                    await rim.start()
        await rim.stop()
        await rim.check_files()
