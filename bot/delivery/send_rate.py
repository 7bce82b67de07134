"""Rate of requests to Discord: all processes of the bot share its limit."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

#: Requests a second of the whole bot; Discord answers 50. Answers to interactions don't count.
MAX_REQUESTS: Final = 45


class SendRate:
    """A limit on requests in any second, for one of *processes* processes.

    The first requests go at once. A request that comes too early waits until the oldest counted
    request is a second old. Requests go in the order of asking.
    """

    def __init__(self, processes: int) -> None:
        most = max(MAX_REQUESTS // processes, 1)
        #: Seconds in which `most` requests may go.
        self._period = max(1.0, processes / MAX_REQUESTS)
        self._sent: deque[float] = deque([float("-inf")] * most, maxlen=most)

    async def wait_for_turn(self) -> None:
        """Wait until one more request may go."""
        now = asyncio.get_running_loop().time()
        turn = max(now, self._sent[0] + self._period)
        self._sent.append(turn)
        if turn > now:
            await asyncio.sleep(turn - now)
