"""On a timeline nobody can tell from the phase that somebody acts of whom players know nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.barmore import bar_table, board_text
from tests.discord.world import World, private, refusal_of, texts


async def _act(world: World, who: Any, action: str, cost: str, **options: Any) -> str:
    command = options.pop("command", "act")
    return private(
        await who.slash(world.zone, f"barmore {command}", action=action, cost=cost, **options)
    )


async def _begin(world: World, *, hidden: bool) -> None:
    await bar_table(world, gm_channel=True)
    await world.gina.slash(world.zone, "gm npc add", name="Zorvath", stage="off")
    await world.gina.slash(world.zone, "initiative start")
    await world.ana.slash(world.zone, "initiative join")
    await world.ben.slash(world.zone, "initiative join")
    if hidden:
        await world.gina.slash(world.zone, "initiative add", name="Zorvath")
    await world.gina.slash(world.zone, "initiative next")
    await _act(world, world.ana, "climb out", "10", score="Speed")
    await _act(world, world.ben, "load", "15", score="Wits")


async def _zorvath(world: World, cost: str) -> None:
    await _act(world, world.gina, "xplotsx", cost, score="Speed", **{"as": "Zorvath"})


@pytest.mark.rule("BAR-PHASE")
@pytest.mark.parametrize("hidden", [False, True])
async def test_the_phase_is_that_of_those_who_are_known(world: World, hidden: bool) -> None:
    await _begin(world, hidden=hidden)
    heads: list[str] = []

    def look() -> None:
        heads.append(board_text(world).splitlines()[0])

    look()
    if hidden:
        await _zorvath(world, "3")
        before = board_text(world)
        assert before.startswith("## Phase 9\n"), "nobody's turn whom players know"
        await _zorvath(world, "2")  # it is done in phase 4, and in phase 6 again
        assert board_text(world) == before
    # Whoever begins something meanwhile begins it in the phase that is known.
    assert "Breaking off first costs 2 phases more" in await _act(
        world, world.ben, "duck", "2", score="Speed", command="switch"
    )
    assert "Ilka: busy until phase 14, duck" in board_text(world)
    await world.ana.slash(world.zone, "table show")
    if hidden:
        await _zorvath(world, "9")
    look()
    assert "you're up.** Phase 9. Finished: climb out." in texts(world.last())
    await world.restart()
    await _act(world, world.ana, "run", "5", score="Speed")
    if hidden:
        await _zorvath(world, "9")
    look()
    assert heads[1:] == ["## Phase 9: Marek finishes", "## Phase 12: Marek finishes"]
    for who in (world.ana, world.ben):
        told = world.told(who)
        assert not [
            each for each in (4, 6, 15) if f"hase {each}." in told or f"Phase {each}:" in told
        ]


@pytest.mark.rule("BAR-PHASE")
async def test_who_shows_themselves_acts_in_the_phase_that_it_is(world: World) -> None:
    await _begin(world, hidden=True)
    await _zorvath(world, "3")
    assert "Phase 4" in "\n".join(texts(each) for each in world.messages(world.gm_room)), "GMs know"
    await world.gina.slash(world.zone, "gm npc reveal", npc="Zorvath")
    assert board_text(world).startswith("## Phase 4: Zorvath finishes")
    await _act(world, world.gina, "leap", "2", score="Speed", **{"as": "Zorvath"})
    assert board_text(world).startswith("## Phase 6: Zorvath finishes"), (
        "before Marek, who is done in phase 9"
    )
    assert refusal_of(await world.ana.slash(world.zone, "barmore act", action="x", cost="1"))
