"""Undo and corrections of points: open checks no longer ask for what a character can't pay."""

from __future__ import annotations

from tests.discord.amend_steps import carry_out, entry_of, preview
from tests.discord.world import World, labels, private, texts


async def _waits_for_fate(world: World) -> int:
    """Let a result wait for Ana's only Fate, and return the entry of its award."""
    await world.table()
    await world.gina.slash(world.zone, "gm adjust", character="Marek", what="fate", value="0")
    await world.gina.slash(world.zone, "gm award", kind="fate", amount=1, to="Marek")
    award = await world.revision()
    await world.rolled(4, 3)
    (check,) = (await world.state()).checks.values()
    assert check.is_open and any(prompt.waiting_for for prompt in check.asked)
    return award


async def _is_over(world: World) -> bool:
    (check,) = (await world.state()).checks.values()
    return not check.is_open


async def test_an_undone_award_ends_a_check_that_waits_for_it(world: World) -> None:
    award = await _waits_for_fate(world)
    private(await world.gina.slash(world.zone, "gm undo", entry=award))
    await world.env.settle()
    assert await _is_over(world)
    assert "Final" in texts(world.card()), texts(world.card())


async def test_a_correction_of_points_ends_a_check_that_waits_for_them(world: World) -> None:
    await _waits_for_fate(world)
    panel = await preview(world, await entry_of(world, "Award"))
    await carry_out(world, panel)
    await world.env.settle()
    assert await _is_over(world)
    assert "Re-roll" not in str(labels(world.card()))
