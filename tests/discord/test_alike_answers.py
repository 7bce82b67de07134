"""*Same answer* and *Answer all alike* in a GM's panel."""

from __future__ import annotations

from typing import Any

from tests.discord.world import World, controls, labels, message_of, texts

CLIMB = {"skill": "Climbing", "attribute": "Fitness"}


async def _panel(world: World, check: str) -> Any:
    """Gina's panel for the answer to a check."""
    for message in world.messages():
        for control in controls(message):
            if control.get("label") == "Answer" and f":{check}." in control["custom_id"]:
                return message_of(await world.press(world.gina, message, "Answer"))
    raise AssertionError(f"nobody asks for an answer to {check}")


async def test_several_proposals_are_answered_alike_in_one_entry(world: World) -> None:
    await world.table()
    await world.propose(world.ana, **CLIMB)
    await world.propose(world.ben, **CLIMB)
    panel = await _panel(world, "c1")
    assert "Answer all 2 alike" in labels(panel) and "Same answer" not in labels(panel)
    await world.choose(world.gina, panel, "Difficulty", "Tricky")
    before = await world.revision()
    await world.press(world.gina, panel, "Answer all 2 alike")
    assert await world.revision() == before + 1
    for name in ("c1", "c2"):
        assert (await world.check(name)).prompt("ready") is not None
    await world.gina.slash(world.zone, "gm undo")
    for name in ("c1", "c2"):
        assert not (await world.check(name)).data.answer


async def test_other_traits_are_not_alike(world: World) -> None:
    await world.table()
    await world.propose(world.ana, **CLIMB)
    await world.propose(world.ben, skill="Climbing", attribute="Willpower")
    assert not [label for label in labels(await _panel(world, "c1")) if "alike" in label]


async def test_the_next_proposal_takes_the_last_answer(world: World) -> None:
    await world.table()
    await world.propose(world.ana, **CLIMB)
    await world.rule(level="Tricky", hidden=True)
    await world.restart()
    await world.propose(world.ben, **CLIMB)
    panel = await _panel(world, "c2")
    await world.press(world.gina, panel, "Same answer")
    first, second = await world.check("c1"), await world.check("c2")
    assert second.prompt("ready") is not None and second.hidden
    assert second.data.ruled == first.data.ruled
    assert "Tricky" not in texts(world.card("c2"))


async def test_another_gms_answer_is_not_ones_own(world: World) -> None:
    await world.table()
    other = world.member("gus")
    await world.gina.slash(world.zone, "gm members", add=other)
    await world.propose(world.ana, **CLIMB)
    await world.rule(level="Tricky")
    await world.propose(world.ben, **CLIMB)
    panel = message_of(await world.press(other, world.newest("Answer"), "Answer"))
    assert "Same answer" not in labels(panel)
