"""`/gm call` in the smallest system, which knows nothing of it."""

from __future__ import annotations

from typing import Any

from tests.discord.tiny.play import open_table
from tests.discord.world import World, message_of, private, texts


def _message(world: World) -> Any:
    """The newest message with the lines of a call."""
    return [message for message in world.messages() if "**Ilka:**" in texts(message)][-1]


async def test_a_call_with_a_sealed_text(world: World) -> None:
    await open_table(world, step_in_minutes=0)
    private(await world.gina.slash(world.zone, "gm call", difficulty="8", seal="A trapdoor."))
    card = _message(world)
    assert "**Ilka:** not rolled yet" in texts(card) and "**Marek:** not rolled yet" in texts(card)
    world.dice.lay(9)
    assert "A trapdoor." in private(await world.press(world.ana, card, "Roll"))
    world.dice.lay(1)
    assert "A trapdoor." not in private(await world.press(world.ben, card, "Roll"))
    shown = texts(_message(world))
    assert "**Marek:** ✓ Success" in shown and "**Ilka:** ✗ Failure" in shown


async def test_a_result_is_changed_behind_details(world: World) -> None:
    await open_table(world)
    await world.gina.slash(world.zone, "gm call", difficulty="12", hidden=True)
    world.dice.lay(1)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    details = message_of(await world.press(world.ana, world.newest("Details"), "Details"))
    panel = message_of(await world.press(world.ana, details, "Marek"))
    world.dice.lay(9)
    await world.press(world.ana, panel, "Throw again")
    assert world.dice.left == 0
    assert "12" not in world.told(world.ben)


async def test_a_public_command_that_ends_a_check_tells_no_sealed_text(world: World) -> None:
    await open_table(world)
    await world.gina.slash(world.zone, "gm call", difficulty="8", seal="A trapdoor.")
    world.dice.lay(9)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    await world.ana.slash(world.zone, "away")
    assert not (await world.check("c2")).is_open
    assert "A trapdoor." not in world.told(world.ana)
    moves = await world.ana.slash(world.zone, "moves")
    assert "A trapdoor." in private(await world.press(world.ana, message_of(moves), "Read it"))
    assert "A trapdoor." not in world.told(world.ben)
