"""Rounds at a table on the simulated Discord: who takes part, and what is said as it goes on."""

from __future__ import annotations

from rules.table.initiative import slot_name, slot_on_turn
from tests.discord.world import World, texts


async def gathered(world: World, *others: str) -> None:
    """Ana's character, Ben's and others wait for the first round."""
    await world.gina.slash(world.zone, "initiative start")
    await world.ana.slash(world.zone, "initiative join")
    await world.ben.slash(world.zone, "initiative join")
    for name in others:
        await world.gina.slash(world.zone, "initiative add", name=name)


async def next_turn(world: World, *faces: int) -> str:
    """The GM moves on, with these dice; everything that is said of it in the channel."""
    before = [each.id for each in world.messages()]
    world.dice.lay(*faces)
    await world.gina.slash(world.zone, "initiative next")
    assert world.dice.left == 0
    return "\n".join(texts(each) for each in world.messages() if each.id not in before)


async def acts(world: World) -> str:
    """Whose turn it is."""
    state = await world.state()
    slot = slot_on_turn(state.encounters[str(world.zone.id)])
    return "" if slot is None else slot_name(state, slot)
