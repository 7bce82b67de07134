"""How many messages everybody sees of a check and of an attack, on the simulated Discord."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import simcord

from tests.discord.walks import WALKS, Figures
from tests.discord.world import build_world, close_bots, make_bot


@dataclass(frozen=True)
class Walk:
    """One of the walks, by post or live, and what was seen of it."""

    what: str
    live: bool
    figures: Figures


async def measure(folder: Path) -> list[Walk]:
    """Every walk by post and live, each on a server of its own."""
    found: list[Walk] = []
    for what, walk in WALKS.items():
        for live in (False, True):
            path = folder / f"walk-{what}-{live}.db"
            async with simcord.run(make_bot(path)) as env:
                world = build_world(env, path)
                with patch("bot.services.resolution.KeyedStreams", world.dice.streams):
                    found.append(Walk(what, live, await walk(world, live=live)))
            await close_bots()
    return found
