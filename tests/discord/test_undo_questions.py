"""An undo without a number asks where it would take back what its GM may not mean."""

from __future__ import annotations

from typing import Any

from simcord.actors import MemberActor

from tests.discord.world import World, head, labels, message_of, private, texts


async def _undo(world: World, who: MemberActor | None = None) -> Any:
    """`/gm undo` without a number, and nothing said to what it asks."""
    return message_of(await MemberActor.slash(who or world.gina, world.zone, "gm undo"))


async def test_somebody_elses_step_is_named_first(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm award", kind="fate", amount=1)
    await world.ana.slash(world.zone, "away", until="3 days")
    before, entry = await world.state(), await world.revision()
    asked = await _undo(world)
    assert head(asked) == f"Undo #{entry}?"
    assert "Ana went away" in texts(asked) and f"{world.ana.mention} did that." in texts(asked)
    assert labels(asked) == ["Undo it"]
    assert (await world.state(), await world.revision()) == (before, entry)
    await world.restart()
    private(await world.press(world.gina, asked, "Undo it"))
    assert await world.state() != before
    assert f"#{entry}" in texts(world.last())


async def test_ones_own_newest_step_goes_at_once(world: World) -> None:
    await world.table()
    before = await world.state()
    await world.gina.slash(world.zone, "gm award", kind="fate", amount=1)
    assert await world.state() != before
    assert "Undo it" not in labels(await _undo(world))
    assert (await world.state()).characters == before.characters
    # What nobody else saw is the newest as well.
    await world.gina.slash(world.zone, "gm npc add", name="Sidor", stage="off")
    assert "Undo it" not in labels(await _undo(world))
    assert (await world.state()).characters == before.characters


async def test_ones_own_step_above_newer_messages_is_named_first(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm award", kind="fate", amount=1)
    entry = await world.revision()
    await world.gina.slash(world.zone, "gm award", kind="fate", amount=2)
    await _undo(world)
    asked = await _undo(world)
    assert head(asked) == f"Undo #{entry}?"
    assert "There are newer messages below it." in texts(asked)


async def test_the_question_names_what_moved_on_meanwhile(world: World) -> None:
    """The button takes back what it named, whatever came since."""
    await world.table()
    await world.propose(skill="Climbing")
    asked = await _undo(world)
    await world.propose(world.ben, skill="Climbing")
    await world.press(world.gina, asked, "Undo it")
    assert [each.id for each in (await world.state()).checks.values()] == ["c2"]
