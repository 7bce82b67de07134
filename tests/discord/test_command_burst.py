"""More commands at once than can be worked off in three seconds: each is announced first, then done
in turn.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.ui import interactions
from tests.discord.world import World, message_of, pings, private, public

IDEA = "up the drainpipe, slowly"
DEFERRED, MODAL = 5, 9


def callbacks(world: World) -> list[dict[str, Any]]:
    """The first answers to interactions, in order."""
    return [request.json or {} for request in world.requests("POST", "/interactions")]


async def test_a_command_in_a_crowd_is_announced_and_then_answered(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    monkeypatch.setattr(interactions, "QUEUE_THRESHOLD", 0)
    proposal = await world.propose(skill="Climbing")
    assert callbacks(world)[-1]["type"] == DEFERRED
    assert "## Waiting for the GM" in public(proposal)
    assert not proposal.followups
    assert pings(message_of(proposal).message, world.env) == []
    assert pings(world.last(), world.env) == [world.gina.id], (
        "an edit calls nobody, so the call is its own"
    )


async def test_what_may_be_secret_is_announced_in_private(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    monkeypatch.setattr(interactions, "QUEUE_THRESHOLD", 0)
    result = await world.propose(skill="Climbing", visibility="private")
    assert callbacks(world)[-1]["data"]["flags"] & 64
    assert IDEA in private(result)


async def test_a_refusal_in_a_crowd_leaves_nothing_in_public(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    monkeypatch.setattr(interactions, "QUEUE_THRESHOLD", 0)
    count, revision = len(world.messages()), await world.revision()
    refusal = await world.propose(skill="Climbin_")
    assert refusal.response is None
    assert (len(world.messages()), await world.revision()) == (count, revision)
    assert "Did you mean “Climbing”?" in str(
        (world.requests("POST", "/webhooks")[-1].json or {})["components"]
    )


async def test_buttons_that_open_a_dialog_are_not_announced(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    monkeypatch.setattr(interactions, "QUEUE_THRESHOLD", 0)
    panel = await world.ana.slash(world.zone, "check")
    assert callbacks(world)[-1]["type"] == DEFERRED
    await world.press(world.ana, message_of(panel), "Write…")
    assert callbacks(world)[-1]["type"] == MODAL


async def test_everybody_is_announced_before_anybodys_work_goes_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And so many at a time are worked on, in the order in which they came."""
    made = world.bot.interactions
    monkeypatch.setattr(made, "_at_work", asyncio.Semaphore(2))
    happened: list[str] = []
    under_way = 0

    class Announced:
        def __init__(self, name: str, seconds: float) -> None:
            self.name, self.seconds = name, seconds

        async def announce(self) -> None:
            await asyncio.sleep(self.seconds)
            happened.append(f"{self.name} announced")

    async def work(name: str, seconds: float) -> None:
        nonlocal under_way
        response: Any = Announced(name, seconds)
        await made.queue(response)
        under_way += 1
        assert under_way <= 2
        happened.append(f"{name} begun")
        await asyncio.sleep(0.01)
        under_way -= 1
        made.leave_queue()

    await asyncio.gather(work("a", 0.0), work("b", 0.05), work("c", 0.02), work("d", 0.0))
    assert set(happened[:4]) == {f"{name} announced" for name in "abcd"}
    assert sorted(happened[4:]) == [f"{name} begun" for name in "abcd"]


async def test_whoever_cannot_be_announced_takes_no_turn_from_others(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = world.bot.interactions
    monkeypatch.setattr(made, "_at_work", asyncio.Semaphore(1))

    class Broken:
        async def announce(self) -> None:
            raise RuntimeError("gone")

    class Fine:
        async def announce(self) -> None:
            await asyncio.sleep(0.01)

    broken: Any = Broken()
    fine: Any = Fine()
    outcomes = await asyncio.gather(made.queue(fine), made.queue(broken), return_exceptions=True)
    assert [type(outcome).__name__ for outcome in outcomes] == ["NoneType", "RuntimeError"]
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(made.queue(fine), 0.05)
    made.leave_queue()
    await asyncio.wait_for(made.queue(fine), 20)
    made.leave_queue()
