"""A server on a simulated Discord of its own, for tests that compare several plays."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
from simcord.env import Env

from tests.discord.world import World, build_world, close_bots, make_bot

#: Seconds that the bot may take until nothing is under way. No answer is deferred before that, so a
#: busy machine changes nothing of what is sent.
_SETTLED: Final = 30.0


@asynccontextmanager
async def separate_world(folder: Path) -> AsyncIterator[World]:
    """Build a server whose bot has its database in a new folder. It ends with the block."""
    folder.mkdir()
    path = folder / "storyguide.db"
    env = Env(make_bot(path), check_errors=False)
    await env.start()
    try:
        env.settle_timeout = _SETTLED
        with env.time_context(), pytest.MonkeyPatch.context() as patch:
            patch.setattr("bot.delivery.delivery_log.FLUSH_DELAY", 0)
            patch.setattr("bot.delivery.response.DEFER_AFTER", _SETTLED)
            world = build_world(env, path)
            patch.setattr("bot.services.resolution.KeyedStreams", world.dice.streams)
            yield world
    finally:
        await env.shutdown()
        await close_bots()
