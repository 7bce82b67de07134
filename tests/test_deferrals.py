"""Answers that are not there in time are announced, each once, and counted."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from bot.delivery import response
from bot.delivery.response import Response
from bot.worker_process import WorkerProcess

SOON = 0.05


class Discord:
    """Notes which answers were announced, and after how long."""

    def __init__(self) -> None:
        self.announced: list[str] = []
        self.took: list[float] = []
        self.late = 0
        self.last = asyncio.Event()

    def begin(self, name: str) -> Response:
        clock = asyncio.get_running_loop().time
        begun = clock()

        async def defer(**_: Any) -> None:
            self.announced.append(name)
            self.took.append(clock() - begun)
            if name == "last":
                self.last.set()

        async def send_modal(_: Any) -> None:
            pass

        answering = SimpleNamespace(is_done=lambda: False, defer=defer, send_modal=send_modal)
        interaction: Any = SimpleNamespace(message=None, response=answering)
        return Response(interaction, self.count, WorkerProcess(), public=False)

    def count(self) -> None:
        self.late += 1

    async def all_due(self) -> None:
        """Wait until whatever was begun before would be late."""
        self.begin("last")
        await asyncio.wait_for(self.last.wait(), 10)


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> Discord:
    monkeypatch.setattr(response, "DEFER_AFTER", SOON)
    return Discord()


async def test_what_is_late_is_announced_once_and_in_turn(there: Discord) -> None:
    first, second, third = [there.begin(name) for name in ("first", "second", "third")]
    await second.stop()
    await second.stop()
    await there.all_due()
    assert there.announced == ["first", "third", "last"]
    assert there.late == 3
    for each in (first, second, third):
        await each.announce()
    assert there.announced == ["first", "third", "last", "second"]
    assert there.late == 3


async def test_each_has_as_long_as_the_others(there: Discord) -> None:
    there.begin("first")
    await asyncio.sleep(SOON / 2)
    there.begin("second")
    await there.all_due()
    assert there.announced == ["first", "second", "last"]
    assert all(seconds >= SOON for seconds in there.took)


async def test_nothing_is_announced_that_was_answered(there: Discord) -> None:
    await there.begin("given").stop()
    modal: Any = None
    await there.begin("a dialog").open_modal(modal)
    await there.all_due()
    assert there.announced == ["last"]
    assert there.late == 1


async def test_what_is_announced_beforehand_is_not_late(there: Discord) -> None:
    queued = there.begin("queued")
    await queued.announce()
    assert there.announced == ["queued"]
    await queued.announce()
    await there.all_due()
    assert there.announced == ["queued", "last"]
    assert there.late == 1
