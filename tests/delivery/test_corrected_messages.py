"""Marks of old messages after an amendment: slowly, the newest first, and not all of them."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from bot.delivery.corrected_messages import MOST, PAUSE, CorrectedMessages
from bot.storage.row_records import OutboxRow


def sent_row(id: int, channel: str) -> OutboxRow:
    """A row that was sent as a message to a channel."""
    where = f"{channel}/{id}"
    return OutboxRow(id, 1, 1, "post", channel, None, True, (0,), None, None, 0, message=where)


class _Clock:
    """A clock that goes on only when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0
        self._due: list[tuple[float, asyncio.Event]] = []

    async def sleep(self, seconds: float) -> None:
        event = asyncio.Event()
        self._due.append((self.now + seconds, event))
        await event.wait()

    async def advance(self, seconds: float) -> None:
        self.now += seconds
        for due, event in self._due:
            if due <= self.now:
                event.set()
        for _ in range(20):
            await asyncio.sleep(0)


async def test_one_message_in_ten_seconds_for_each_channel() -> None:
    clock, marked = _Clock(), list[tuple[float, int]]()
    corrected = CorrectedMessages(clock.sleep)

    async def mark(sent: OutboxRow) -> None:
        marked.append((clock.now, sent.id))

    old = [sent_row(number, "100") for number in range(1, 10)]
    await corrected.mark([*old, sent_row(20, "200")], mark)
    assert marked == [(0, 20), (0, 9)], "the newest of each channel at once"
    for _ in range(30):
        await clock.advance(PAUSE / 2)
    of_channel = [(at, number) for at, number in marked if number != 20]
    assert [number for _, number in of_channel] == [9, 8, 7, 6, 5, 4], "it gives up on the rest"
    assert len(of_channel) == MOST
    times = [at for at, _ in of_channel]
    assert all(later - at >= PAUSE for at, later in pairwise(times))
    corrected.close()


async def test_a_second_amendment_waits_for_the_first() -> None:
    clock, marked = _Clock(), list[tuple[float, int]]()
    corrected = CorrectedMessages(clock.sleep)

    async def mark(sent: OutboxRow) -> None:
        marked.append((clock.now, sent.id))

    await corrected.mark([sent_row(1, "100")], mark)
    await corrected.mark([sent_row(2, "100")], mark)
    assert [number for _, number in marked] == [1]
    for _ in range(6):
        await clock.advance(PAUSE / 2)
    assert [number for _, number in marked] == [1, 2]
    assert marked[1][0] - marked[0][0] >= PAUSE
    corrected.close()


@pytest.mark.parametrize("failing", [OSError("gone")])
async def test_a_channel_that_refuses_is_left_alone(failing: Exception) -> None:
    clock, tried = _Clock(), list[int]()
    corrected = CorrectedMessages(clock.sleep)

    async def mark(sent: OutboxRow) -> None:
        tried.append(sent.id)
        if len(tried) > 1:
            raise failing

    await corrected.mark([sent_row(number, "100") for number in (1, 2, 3)], mark)
    for _ in range(8):
        await clock.advance(PAUSE)
    assert tried == [3, 2]
    corrected.close()


async def test_a_stopping_bot_leaves_the_rest_out() -> None:
    clock, marked = _Clock(), list[int]()
    corrected = CorrectedMessages(clock.sleep)

    async def mark(sent: OutboxRow) -> None:
        marked.append(sent.id)

    await corrected.mark([sent_row(1, "100"), sent_row(2, "100")], mark)
    corrected.close()
    for _ in range(4):
        await clock.advance(PAUSE)
    assert marked == [2]
