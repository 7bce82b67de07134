"""The dearest odds that can be asked for, beside others who roll: nobody is answered late."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from rules.core.dice import parse
from rules.core.dice.odds import WORK_MAX, distribution
from rules.core.errors import Impossible
from tests.attack.siege import ATTACKERS, WORST, Siege, open_siege
from tests.loopback.interactions import Interaction
from tests.loopback.models import User

pytestmark = pytest.mark.slow


async def test_others_roll_beside_the_worst_odds(tmp_path: Path) -> None:
    """Against a host by name: whoever takes the threads that look names up cuts the bot off."""
    async with open_siege(tmp_path) as siege:

        def ask(user: User, number: int) -> Interaction:
            return siege.send(user, "odds", {"dice": WORST[number % len(WORST)]})

        found = await siege.stand(ask)
        assert found.worst <= found.bound, found.late[-10:]
        assert max(each.ack_latency or 99 for each in found.attacks) <= found.bound, (
            "announced at once"
        )
        assert {each.state for each in found.attacks} == {"answered"}
        assert len(found.said()) > 1, "what can be worked out is, and the rest is refused"
        await one_at_a_time(siege)


async def one_at_a_time(siege: Siege) -> None:
    """Who asks again before the answer is there is told so; the first is answered all the same."""
    first, *more = [
        siege.send(siege.attackers[0], "odds", {"dice": WORST[0]}) for _ in range(ATTACKERS)
    ]
    for each in more:
        await each.answered(10)
        assert each.response is not None and "still being worked out" in "\n".join(
            each.response.texts()
        )
    await first.answered(60)
    assert first.response is not None and "on average" in "\n".join(first.response.texts())


def _aside(siege: Siege) -> int:
    """The process in which odds are worked out; the bot has no other."""
    children = Path(f"/proc/{siege.bot.pid}/task/{siege.bot.pid}/children").read_text().split()
    threads = Path(f"/proc/{siege.bot.pid}/task").iterdir()
    children += [each for one in threads for each in (one / "children").read_text().split()]
    (found,) = {*map(int, children)}
    return found


async def _gone(pid: int) -> None:
    for _ in range(100):
        try:
            # A process that has ended and was not asked for is still there as a zombie.
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return
        except FileNotFoundError:
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"process {pid} is still there")


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGKILL])
async def test_the_process_aside_dies_and_ends_with_the_bot(
    tmp_path: Path, sign: signal.Signals
) -> None:
    async with open_siege(tmp_path, ends=True) as siege:
        await siege.send(siege.attackers[0], "odds", {"dice": "2d6"}).answered(10)
        first = _aside(siege)
        os.kill(first, signal.SIGSTOP)  # so that it has not done it before it dies
        asked = siege.send(siege.attackers[0], "odds", {"dice": WORST[0]})
        await asked.acknowledged(10)
        await asyncio.sleep(0.5)
        os.kill(first, signal.SIGKILL)
        await asked.answered(10)
        assert asked.response is not None and "would take too long" in "\n".join(
            asked.response.texts()
        )
        again = await siege.send(siege.attackers[0], "odds", {"dice": "2d6"}).answered(10)
        assert again.response is not None and "7 on average" in "\n".join(again.response.texts())
        second = _aside(siege)
        assert second != first
        siege.send(siege.attackers[0], "odds", {"dice": WORST[0]})
        os.kill(siege.bot.pid, sign)
        assert await siege.bot.ended(20) == (0 if sign is signal.SIGTERM else -sign)
        await _gone(second)


@pytest.fixture(scope="module")
def plain() -> float:
    """The processor's seconds for as many steps of a plain loop as the budget has."""
    start = time.process_time()
    kept: dict[int, int] = {}
    for number in range(WORK_MAX):
        kept[number % 1000] = kept.get(number % 1000, 0) + number
    return time.process_time() - start


@pytest.mark.parametrize(
    "text", [*WORST, "1d1000000ra1", "60d20kh30", "100d10pl5", "-(-(-(1d150000)))"]
)
def test_every_expression_is_worked_out_or_refused_within_its_budget(
    text: str, plain: float
) -> None:
    """About a tenth of a microsecond a step, on whatever machine: held against as many steps of a
    plain loop.
    """
    start = time.process_time()
    try:
        distribution(parse(text)).mean  # noqa: B018 - it is worked out when it is asked for
    except Impossible as refusal:
        assert refusal.code == "dice-odds-too-large"
    assert time.process_time() - start <= 3 * plain + 0.2
