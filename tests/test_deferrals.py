"""Late answers are announced in time, with one timer for all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from bot.ui import response
from bot.ui.response import Deferrals


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response, "DEFER_AFTER", 0.05)


def timers() -> int:
    """How many timers of deferrals the event loop has."""
    scheduled: list[asyncio.TimerHandle] = getattr(asyncio.get_running_loop(), "_scheduled")  # noqa: B009
    return sum(not timer.cancelled() and "Deferrals" in repr(timer) for timer in scheduled)


def noting(said: list[str], name: str) -> Callable[[], None]:
    return lambda: said.append(name)


async def test_what_is_late_is_announced_once_and_in_turn() -> None:
    said: list[str] = []
    deferrals = Deferrals()
    tickets = [deferrals.expect(noting(said, name)) for name in "abc"]
    deferrals.over(tickets[1])
    deferrals.over(tickets[1])
    last = asyncio.Event()
    deferrals.expect(last.set)
    assert timers() == 1
    await asyncio.wait_for(last.wait(), 10)
    assert said == ["a", "c"]


async def test_each_has_as_long_as_the_others() -> None:
    clock = asyncio.get_running_loop().time
    took: list[tuple[str, float]] = []
    both = asyncio.Event()

    def begin(name: str) -> None:
        begun = clock()
        deferrals.expect(lambda: took.append((name, clock() - begun)))

    deferrals = Deferrals()
    begin("first")
    await asyncio.sleep(0.03)
    begin("second")
    deferrals.expect(both.set)
    assert timers() == 1
    await asyncio.wait_for(both.wait(), 10)
    assert [name for name, _ in took] == ["first", "second"]
    assert all(seconds >= 0.05 for _, seconds in took)
    assert not timers()


async def test_nothing_is_left_once_all_are_answered() -> None:
    said: list[str] = []
    deferrals = Deferrals()
    for ticket in [deferrals.expect(noting(said, name)) for name in "abc"]:
        deferrals.over(ticket)
    assert not timers()
    await asyncio.sleep(0.1)
    assert not said
    later = deferrals.expect(noting(said, "later"))
    last = asyncio.Event()
    deferrals.expect(last.set)
    assert timers() == 1
    await asyncio.wait_for(last.wait(), 10)
    deferrals.over(later)
    assert said == ["later"]


async def test_an_announcement_may_call_itself_over() -> None:
    said: list[str] = []
    deferrals = Deferrals()

    def announce() -> None:
        said.append("announced")
        deferrals.over(ticket)

    ticket = deferrals.expect(announce)
    still = deferrals.expect(noting(said, "still"))
    deferrals.over(still)
    last = asyncio.Event()
    deferrals.expect(last.set)
    await asyncio.wait_for(last.wait(), 10)
    assert said == ["announced"]
    assert not timers()
