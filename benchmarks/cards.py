"""MasterBook's cards through the real bot: a draw, a trade and a play beside a plain check at the
same tables.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.commands import OPTIONS, Pair, launch_bot, pair, people, running
from benchmarks.tables import CARDS, PLAYERS, furnish, hero
from tests.loopback.driver import Bench, Slash
from tests.loopback.interactions import Interaction
from tests.loopback.models import Channel, Message, User, walk
from tests.loopback.server import StandIn

#: How many are under way at a time.
_WINDOW: Final = 16
_CARD: Final = "Drama"
_CHECK: Final = {"skill": "Stealth", "difficulty": "8", "approach": OPTIONS["approach"]}
#: How those whom a trade is offered to come to their panel, and what they press there in the end.
_TO_PANEL: Final = ("Show", "Trade…")
_ACCEPT: Final = "Trade"


@dataclass(frozen=True)
class Deed:
    """Milliseconds of CPU, from what somebody does to its answer, a plain check as its peer."""

    what: str
    cpu_ms: Pair


@dataclass(frozen=True)
class _Played:
    """The bot with its tables; `seats` are each player's place and user."""

    one: Bench
    guild: Any
    gm: Any
    tables: list[list[tuple[Any, Any]]]

    @property
    def seats(self) -> list[tuple[Any, Any]]:
        return [seat for table in self.tables for seat in table]

    def slash(
        self, seat: tuple[Any, Any], command: str, **options: Any
    ) -> Callable[[], Interaction]:
        """Somebody's command, still to be sent."""
        return lambda: self.one.standin.emit_slash(self.guild, *seat, command, options)

    def press(self, message: Message, user: Any, label: str) -> Callable[[], Interaction]:
        """A button pressed, still to be sent."""
        item = next(each for each in walk(message.components) if each.get("label") == label)
        return lambda: self.one.standin.emit_component(message, user, item["custom_id"])

    async def all(self, sent: Iterable[Callable[[], Interaction]]) -> list[Interaction]:
        """All of it, some at a time, in no order."""
        room = asyncio.Semaphore(_WINDOW)

        async def one(send: Callable[[], Interaction]) -> Interaction:
            async with room:
                return await send().answered(10.0)

        return await asyncio.gather(*[one(each) for each in sent])

    async def cost(self, sent: Sequence[Callable[[], Interaction]]) -> float:
        """Milliseconds of CPU each of them takes."""
        before = self.one.bot.cpu_seconds()
        await self.all(sent)
        await asyncio.sleep(0.1)
        return 1000 * (self.one.bot.cpu_seconds() - before) / len(sent)

    async def panels(self) -> list[Callable[[], Interaction]]:
        """The deciding press of everybody whom a trade was offered to: one card chosen for it."""
        found: list[Callable[[], Interaction]] = []
        for table in self.tables:
            for place, user in table[1::2]:
                message = await self._trade_message(place, user)
                for label in _TO_PANEL:
                    (done,) = await self.all([self.press(message, user, label)])
                    message = _answer(done, message)
                menu = next(each for each in walk(message.components) if each.get("type") == 3)
                chosen = [menu["options"][0]["value"]]
                choose = self.one.standin.emit_component(message, user, menu["custom_id"], chosen)
                message = _answer(await choose.answered(10.0), message)
                found.append(self.press(message, user, _ACCEPT))
        return found

    async def _trade_message(self, place: Channel, user: User) -> Message:
        """Return the message that asks a player about a trade, as soon as it has been sent.

        The bot sends it after the answer to the offer: on a busy machine, seconds later.

        Raises TimeoutError after 10 seconds.
        """
        async with asyncio.timeout(10.0):
            while True:
                message = _find_trade(place, user)
                if message is not None:
                    return message
                await asyncio.sleep(0.02)


def _find_trade(place: Channel, user: User) -> Message | None:
    """Return the newest message in a place that asks a player about a trade."""
    for message in reversed(place.messages):
        if f"<@{user.id}>" in " ".join(message.texts()) and "Show" in _labels(message):
            return message
    return None


def _labels(message: Message) -> list[str]:
    return [each["label"] for each in walk(message.components) if "label" in each]


def _answer(done: Interaction, before: Message) -> Message:
    """The panel that came of a press: a new one, or the same with other things on it."""
    return done.messages[-1] if done.messages else before


@contextlib.asynccontextmanager
async def _playing(path: Path, tables: int) -> AsyncIterator[_Played]:
    async with StandIn() as standin:
        guild, places, gm, players = people(standin, tables)
        who = [(str(player.id), player.name) for player in players]
        where = [str(place.id) for place in places]
        await furnish(
            path, str(guild.id), where, (str(gm.id), gm.name), who, live=True, npcs=1, cast=CARDS
        )
        first = Slash(guild, places[0], players[0], "check", _CHECK)
        async with running(standin, launch_bot(path), lambda number: first) as one:
            # A server learns a system's own commands when somebody opens a table there.
            spare = standin.add_channel(guild, "spare")
            opened = {"game": "masterbook", "name": "Spare"}
            await standin.emit_slash(guild, spare, guild.owner, "setup", opened).answered(10.0)
            await standin.ready("mb")
            seats = [[(place, player) for player in players] for place in places]
            yield _Played(one, guild, gm, seats)


async def measure(folder: Path, *, tables: int = 30, rounds: int = 7) -> list[Deed]:
    """At each table everybody checks, half of them offer a card to the other half, everybody plays
    one and draws.
    """
    rows: list[list[float]] = []
    path = folder / "cards.db"
    async with _playing(path, tables) as played:
        seats, givers = played.seats, [seat for table in played.tables for seat in table[::2]]
        checks = [played.slash(seat, "check", **_CHECK) for seat in seats]
        offers = [
            played.slash(
                seat, "mb card trade", cards=_CARD, to=hero(2 + 2 * (number % (PLAYERS // 2)))
            )
            for number, seat in enumerate(givers)
        ]
        plays = [played.slash(seat, "mb card play", card=_CARD) for seat in seats]
        draws = [played.slash(seat, "draw-card") for seat in seats]
        scenes = [
            [
                played.slash((table[0][0], played.gm), "mb adventure scene", what=what)
                for table in played.tables
            ]
            for what in ("start", "end")
        ]
        await played.all(checks)  # so that every table is in memory
        for _ in range(rounds):
            await played.all(scenes[0])
            row = [await played.cost(checks), await played.cost(offers)]
            row.append(await played.cost(await played.panels()))
            row.append(await played.cost(plays))
            await played.all(scenes[1])
            row.append(await played.cost(draws))
            rows.append(row)
    _done(path, rounds, len(seats))
    check, *deeds = [list(column) for column in zip(*rows, strict=True)]
    names = ("a trade offered", "a trade accepted", "a play", "a draw")
    return [Deed(what, pair(mine, check)) for what, mine in zip(names, deeds, strict=True)]


def _done(path: Path, rounds: int, seats: int) -> None:
    """What was measured was the real thing: all of it is in the journals."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        found = dict(connection.execute("SELECT kind, COUNT(*) FROM journal GROUP BY kind"))
    wanted = {
        "Begin": (rounds + 1) * seats + rounds * seats // 2 + 1,
        "Choose": rounds * seats // 2,
        "Play": rounds * seats,
        "DrawCards": rounds * seats,
    }
    if wanted != {key: found.get(key) for key in wanted}:
        raise RuntimeError(f"{found} in the journals, where it should be {wanted}")
