"""What all rule systems cost beside the first few alone: until the bot has answered, and in
memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.commands import OPTIONS, Pair, launch_bot, pair, people, running
from benchmarks.tables import PLAYERS
from rules.registry import PLAYABLE
from tests.loopback.driver import Slash
from tests.loopback.server import StandIn

_MIB: Final = 2**20
_FEWER: Final = "tests.loopback.fewer_systems:main"


@dataclass(frozen=True)
class Start:
    """Seconds of CPU until the first command is answered, and MiB then; with the first `systems`
    alone as the peer.
    """

    systems: int
    cpu_s: Pair
    memory_mb: Pair


async def measure(folder: Path, *, rounds: int = 15) -> list[Start]:
    """All in turns, each on a database of its own, where no table is."""
    keys = list(PLAYABLE)
    kept = (len(keys), 2, 3)
    cpu: list[list[float]] = [[] for _ in kept]
    memory: list[list[float]] = [[] for _ in kept]
    async with StandIn() as standin:
        guild, (place,), _, players = people(standin, 1)

        def command(number: int) -> Slash:
            return Slash(guild, place, players[number % PLAYERS], "check", OPTIONS)

        for _ in range(rounds):
            for which, systems in enumerate(kept):
                # As it is installed: modules are compiled once.
                env = {"PYTHONDONTWRITEBYTECODE": ""}
                spec = launch_bot(folder / f"systems-{systems}.db", _FEWER, *keys[systems:], **env)
                async with running(standin, spec, command) as one:
                    cpu[which].append(one.bot.cpu_seconds())
                    memory[which].append(one.bot.memory_bytes() / _MIB)
    return [
        Start(systems, pair(cpu[0], fewer), pair(memory[0], less))
        for systems, fewer, less in zip(kept[1:], cpu[1:], memory[1:], strict=True)
    ]
