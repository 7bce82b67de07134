"""The clock of a local table: the machine's time, and how far the table is ahead of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from bot.clock import system_clock

if TYPE_CHECKING:
    import simcord

    from bot.storage.store import Store

#: Key of the local database's note with the seconds by which the table is ahead.
AHEAD_KEY: Final = "play:ahead"
#: Longest step in seconds. Each step has a time limit of its own in the simulation.
_STEP: Final = 6 * 3600


class LocalClock:
    """Clock of the bot at a local table.

    The simulation's time is the bot's time, so that a timer and the clock never disagree.
    """

    def __init__(self, ahead: int = 0) -> None:
        #: Seconds by which the table is ahead of the machine's clock.
        self.ahead = ahead
        #: Held while the clock moves or the page acts: the simulation does one thing at a time.
        self.lock: Final = asyncio.Lock()
        self._env: simcord.Env | None = None

    def __call__(self) -> int:
        """Return the table's time in whole seconds since 1970."""
        if self._env is None:
            return system_clock() + self.ahead
        return int(self._env.now().timestamp())

    def attach(self, env: simcord.Env) -> None:
        """Take the time from *env* from now on, which begins at the table's time."""
        env.backend.advance_clock(max(0.0, self() - env.now().timestamp()))
        self._env = env

    def keep_pace(self) -> None:
        """Let the second pass at the table that has passed outside; not while the clock moves."""
        if self._env is None or self.lock.locked():
            return
        behind = system_clock() + self.ahead - self._env.now().timestamp()
        if behind > 0:
            self._env.backend.advance_clock(behind)

    async def move(self, to: int, store: Store) -> None:
        """Move the clock ahead to *to*; what falls due on the way happens at its own time.

        The caller holds the lock.

        Raises:
            TimeoutError: the bot is still at work on what fell due. The clock stands where it came.
        """
        env = self._env
        assert env is not None
        try:
            while (left := to - env.now().timestamp()) > 0:
                # Noted first: after a kill the clock must not go back.
                await self._note(self() + min(left, _STEP), store)
                await env.advance_time(min(left, _STEP))
        finally:
            await self._note(env.now().timestamp(), store)

    async def _note(self, at: float, store: Store) -> None:
        self.ahead = max(self.ahead, int(at) - system_clock())
        await store.set_note(AHEAD_KEY, str(self.ahead))
