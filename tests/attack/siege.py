"""A table at which some attack and the others go on rolling; how late the others are answered is
what is measured.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.commands import launch_bot
from benchmarks.tables import furnish
from tests.example_counts import nightly
from tests.loopback.driver import undisturbed
from tests.loopback.interactions import Interaction
from tests.loopback.models import Channel, Guild, User
from tests.loopback.process import BotProcess
from tests.loopback.server import StandIn
from tests.machine_load import slower

#: How many attack at the same time.
ATTACKERS = 6
#: What the others roll a second, and how late one of them may be answered, in seconds of a machine
#: to ourselves.
RATE = 10
LATE = 1.0
#: How many NPCs are at the table, with as many names to look through.
NPCS = 180
#: For how many seconds, each time.
SECONDS = 30.0 if nightly() else 1.4

#: What took longest to work out or to refuse, of a million expressions that were tried.
WORST = (
    "100d20ra>999",
    "1d1000000",
    "(1d1000*1d1000)/(1d7)",
    "1000d10",
    "1d1000/1d999/1d3",
    "1d3000ra1",
    "170d6kh85",
    "1d150000",
)


@dataclass(frozen=True)
class Felt:
    """How late the others were answered, in seconds, in order, and how late they might be; what the
    attackers got.
    """

    late: Sequence[float]
    bound: float
    attacks: Sequence[Interaction]

    @property
    def worst(self) -> float:
        return self.late[-1]

    def said(self) -> set[str]:
        """The texts that the attackers read."""
        found = [each.response for each in self.attacks if each.response is not None]
        return {"\n".join(each.texts()) for each in found}


@dataclass(frozen=True)
class Siege:
    """A table, its people, and a bot that serves them."""

    standin: StandIn
    bot: BotProcess
    guild: Guild
    place: Channel
    gm: User
    players: Sequence[User]
    attackers: Sequence[User]

    def send(
        self, user: User, command: str, options: Mapping[str, Any] | None = None
    ) -> Interaction:
        """Somebody sends a command."""
        return self.standin.emit_slash(self.guild, self.place, user, command, options or {})

    async def stand(
        self,
        attack: Callable[[User, int], Interaction],
        *,
        seconds: float = SECONDS,
        attackers: int = ATTACKERS,
        rate: float = RATE,
    ) -> Felt:
        """Have so many attack, each again as soon as it was answered, while the others roll so
        often a second.
        """
        attacks: list[Interaction] = []
        before = slower()

        async def attacker(user: User) -> None:
            while time.monotonic() < end:
                attacks.append(attack(user, len(attacks)))
                await attacks[-1].answered(60)

        async def roll(number: int) -> float:
            sent = self.send(self.players[number % len(self.players)], "roll", {"dice": "1d20"})
            with contextlib.suppress(TimeoutError):
                await sent.answered(10)
            return time.monotonic() - sent.emitted

        with undisturbed():
            end = time.monotonic() + seconds
            attacking = [asyncio.create_task(attacker(each)) for each in self.attackers[:attackers]]
            rolling: list[asyncio.Task[float]] = []
            while time.monotonic() < end:
                rolling.append(asyncio.create_task(roll(len(rolling))))
                await asyncio.sleep(1 / rate)
            late = await asyncio.gather(*rolling)
            await asyncio.gather(*attacking)
        return Felt(sorted(late), LATE * max(before, slower()), attacks)


@contextlib.asynccontextmanager
async def open_siege(
    folder: Path,
    prepare: Callable[[Path, str], Awaitable[None]] | None = None,
    *,
    ends: bool = False,
    **env: str,
) -> AsyncIterator[Siege]:
    """A bot that has answered a first roll; at the end it still runs, or `ends`.

    `prepare` changes its database, in which its table is at this place, before it starts.
    """
    # How late things are is measured; where others use this machine, Discord's own three seconds
    # would fail by chance.
    async with StandIn(expiry=30.0) as standin:
        guild = standin.add_guild("The Rim")
        place = standin.add_channel(guild, "table")
        gm, *others = [
            standin.add_member(guild, name)
            for name in ("gina", *(f"p{n}" for n in range(ATTACKERS + 4)))
        ]
        people = [(str(each.id), each.name) for each in others[: ATTACKERS + 4]]
        path = folder / "siege.db"
        await furnish(
            path,
            str(guild.id),
            [str(place.id)],
            (str(gm.id), gm.name),
            people,
            live=False,
            npcs=NPCS,
        )
        if prepare is not None:
            await prepare(path, str(place.id))
        async with BotProcess(launch_bot(path, **env), standin.port) as bot:
            await bot.during(standin.ready("roll", within=30))
            made = Siege(
                standin,
                bot,
                guild,
                place,
                gm,
                others[ATTACKERS : ATTACKERS + 4],
                others[:ATTACKERS],
            )
            await made.send(gm, "roll", {"dice": "1d20"}).answered(30)
            yield made
            assert bot.running is not ends and standin.unknown_routes == []
