"""Shards of one process, how many the bot has in all, and their turns to identify.

Shard s of S belongs to the process with share s mod N, and S is a multiple of N. Discord deals a
server to shard (id >> 22) mod S, so its share is (id >> 22) mod N whatever S is.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from bot.storage.errors import StorageUnavailable
from bot.storage.share import Share
from bot.storage.write_batches import Engine

log = logging.getLogger("storyguide.shards")

#: The note in the store with the numbers of shards and processes, as `16/4`.
SHARDS_NOTE: Final = "shards"
#: Seconds from one shard's IDENTIFY to the next in the same bucket: Discord's 5, and a margin for
#: the way there.
IDENTIFY_INTERVAL: Final = 5.25


class ShardsRefused(Exception):
    """Shards that do not fit the other processes: what is wrong, and what to do."""


def own_shards(share: Share, count: int) -> list[int]:
    """Return the shards of a process, of *count* in all."""
    return [shard for shard in range(count) if shard % share.count == share.number]


def least_multiple(recommended: int, processes: int) -> int:
    """Return the least number of shards that Discord accepts and all processes can share evenly."""
    return -(-recommended // processes) * processes


async def agree_on_shards(engine: Engine, wanted: int, *, explicit: bool) -> int:
    """Return the number of shards of all processes: what those that run have, or else *wanted*.

    With *explicit* the operator wants just this number. Raises ShardsRefused if those that run
    have another; StorageUnavailable.
    """
    agreed = await engine.agree(SHARDS_NOTE, f"{wanted}/{engine.share.count}")
    count = int(agreed.partition("/")[0])
    if explicit and count != wanted:
        raise ShardsRefused(
            f"STORYGUIDE_SHARDS is {wanted}, and the other processes run with {count}. Nothing has "
            f"changed. Set it to {count}, or stop them all first."
        )
    return count


class IdentifyTurns:
    """Turns to identify, which the shards of all processes take one after the other.

    Discord lets *max_concurrency* shards identify every five seconds, one of each bucket.
    """

    def __init__(self, engine: Engine, max_concurrency: int) -> None:
        self._engine = engine
        self._max_concurrency = max_concurrency
        self._holding: set[asyncio.Task[None]] = set()
        #: Number of shards that wait for their turn.
        self.waiting = 0

    async def take(self, shard: int) -> None:
        """Wait for a shard's turn. No other of its bucket has one for `IDENTIFY_INTERVAL`."""
        turn = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(
            self._hold(shard % self._max_concurrency, turn), name=f"identify {shard}"
        )
        self._holding.add(task)
        task.add_done_callback(self._holding.discard)
        self.waiting += 1
        try:
            await turn
        except asyncio.CancelledError:
            task.cancel()
            raise
        finally:
            self.waiting -= 1

    async def _hold(self, bucket: int, turn: asyncio.Future[None]) -> None:
        try:
            async with self._engine.identify_turn(bucket):
                if not turn.done():
                    turn.set_result(None)
                    await asyncio.sleep(IDENTIFY_INTERVAL)
        except StorageUnavailable as error:
            # Without the server nobody can be asked. Too early, Discord has the shard wait.
            log.warning("shards.no-turn", extra={"reason": error.reason})
            await asyncio.sleep(IDENTIFY_INTERVAL)
            if not turn.done():
                turn.set_result(None)

    async def close(self) -> None:
        """Let go of all turns."""
        holding = [*self._holding]
        for task in holding:
            task.cancel()
        await asyncio.gather(*holding, return_exceptions=True)
