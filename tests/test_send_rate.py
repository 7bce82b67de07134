"""The rate of requests to Discord, of all processes together."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from bot.delivery.send_rate import MAX_REQUESTS, SendRate


@pytest.mark.parametrize("processes", [1, 2, 7, 60])
async def test_no_second_has_more_than_a_process_may_send(
    monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    waited = [0.0]

    async def sleep(seconds: float) -> None:
        waited[0] = seconds

    monkeypatch.setattr("bot.delivery.send_rate.asyncio.sleep", sleep)
    loop, rate = asyncio.get_running_loop(), SendRate(processes)
    turns: list[float] = []
    count = 3 * MAX_REQUESTS // processes + 3
    for _ in range(count):
        waited[0] = 0.0
        await rate.wait_for_turn()
        turns.append(loop.time() + waited[0])
    # The loop reads its clock anew for each turn, a moment later.
    assert all(later > earlier - 0.001 for earlier, later in pairwise(turns))
    # All processes do the same, so that their windows may begin at the same time.
    for begin in turns:
        together = processes * sum(begin <= turn < begin + 0.99 for turn in turns)
        assert together <= max(MAX_REQUESTS, processes)
    whole = max(MAX_REQUESTS // processes, 1)
    seconds = (count - 1) // whole * max(1.0, processes / MAX_REQUESTS)
    assert turns[-1] - turns[0] <= seconds + 0.2, "no slower than it must be"


async def test_the_first_requests_go_at_once() -> None:
    rate, begun = SendRate(1), asyncio.get_running_loop().time()
    for _ in range(MAX_REQUESTS):
        await rate.wait_for_turn()
    assert asyncio.get_running_loop().time() - begun < 0.5
