"""Open checks while points run out, and while the table agrees on something else."""

from __future__ import annotations

import pytest

from tests.discord.amend_steps import correct, entry_of, undo_exactly
from tests.discord.world import World, labels, message_of, pings, private, texts


@pytest.fixture
def patience() -> bool:
    """Tables wait only for those who have something to decide."""
    return False


async def _waiting(world: World) -> dict[str, tuple[str, ...]]:
    """Who is waited for in each open check."""
    state = await world.state()
    return {
        each.id: tuple(who for asked in each.asked for who in asked.waiting_for)
        for each in state.open_checks
    }


async def _failed_twice(world: World, fate: int) -> None:
    """The GM's answers roll two checks of Marek, who can re-roll either for Fate."""
    await world.setup()
    await world.bring(world.ana, "Marek", fate=fate)
    await world.gina.slash(world.zone, "gm settings", roll_when_answered=True)
    for _ in range(2):
        await world.propose(skill="Climbing", attribute="Fitness")
        world.dice.lay(2, 3)
        await world.rule()
        assert world.dice.left == 0


async def test_who_has_spent_the_last_point_is_waited_for_nowhere(world: World) -> None:
    """What a player spends in one check is missing in another."""
    await _failed_twice(world, 1)
    assert len(await _waiting(world)) == 2
    world.dice.lay(2, 3)
    panel = message_of(await world.press(world.ana, world.card("c1"), "React"))
    await world.press(world.ana, panel, "Re-roll d8")
    assert await _waiting(world) == {}
    assert "Final" in texts(world.card("c2"))


async def test_who_has_a_point_left_is_waited_for_still(world: World) -> None:
    await _failed_twice(world, 2)
    world.dice.lay(2, 3)
    panel = message_of(await world.press(world.ana, world.card("c1"), "React"))
    await world.press(world.ana, panel, "Re-roll d8")
    assert "c2" in await _waiting(world)


async def test_no_longer_waiting_for_everybody_releases_whom_nobody_needs(world: World) -> None:
    await world.setup()
    await world.bring(world.ana, "Marek", fate=0)
    await world.gina.slash(world.zone, "gm settings", wait_for_everybody=True)
    await world.answered()
    world.dice.lay(2, 3)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert await _waiting(world) == {"c1": ("k1",)}
    await world.gina.slash(world.zone, "gm settings", wait_for_everybody=False)
    assert await _waiting(world) == {}
    await world.restart()
    assert "Final" in texts(world.card("c1"))


async def test_who_is_waited_for_because_of_a_setting_is_called(world: World) -> None:
    await _failed_twice(world, 0)
    assert await _waiting(world) == {}
    await world.gina.slash(world.zone, "gm settings", roll_when_answered=False)
    await world.answered()
    await world.gina.slash(world.zone, "gm settings", wait_for_everybody=True)
    world.dice.lay(2, 3)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert await _waiting(world) == {"c3": ("k1",)}
    assert world.ana.id not in pings(world.last(), world.env), "her press has just shown it"


async def _failed_with_award(world: World) -> int:
    """Let a failure of Marek wait for the only Fate, and return the entry of its award."""
    await world.setup()
    await world.bring(world.ana, "Marek", fate=0)
    await world.gina.slash(world.zone, "gm award", kind="fate", amount=1, to="Marek")
    award = await world.revision()
    await world.gina.slash(world.zone, "gm settings", roll_when_answered=True)
    await world.propose(skill="Climbing", attribute="Fitness")
    world.dice.lay(2, 3)
    await world.rule()
    assert list(await _waiting(world)) == ["c1"]
    return award


async def test_an_undone_award_is_waited_for_nowhere(world: World) -> None:
    award = await _failed_with_award(world)
    private(await world.gina.slash(world.zone, "gm undo", entry=award))
    assert await _waiting(world) == {}
    assert "Final" in texts(world.card()) and "React" not in labels(world.card())
    before = await world.state()
    await world.restart()
    await world.gina.slash(world.zone, "gm award", kind="fate", amount=2, to="Marek")
    await correct(world, await world.revision(), "amount: 3")
    assert (await world.state()).checks == before.checks, "the undo is carried out anew, exactly"


async def test_a_correction_replays_an_undo_that_ended_a_wait(world: World) -> None:
    award = await _failed_with_award(world)
    await world.gina.slash(world.zone, "gm undo", entry=award)
    before = await world.state()
    ruling = await entry_of(world, "Choose")
    await correct(world, ruling, "difficulty: 30")
    (check,) = (await world.state()).checks.values()
    assert not check.is_open and check.data.ruling.difficulty == "30"
    await undo_exactly(world, before)


async def test_an_award_that_is_undone_alone_is_waited_for_nowhere(world: World) -> None:
    award = await _failed_with_award(world)
    await correct(world, award)
    assert await _waiting(world) == {}
    assert "React" not in labels(world.card())
