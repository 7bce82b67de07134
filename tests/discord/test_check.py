"""A check from proposal to undo, through the real commands and buttons."""

from __future__ import annotations

from tests.discord.world import World, labels, private, public, said, texts


async def test_from_proposal_to_undo(world: World) -> None:
    await world.table()
    proposal = await world.propose(skill="Climbing", attribute="Fitness")
    assert "## Waiting for the GM\n" in public(proposal)
    await world.rule(hidden=True)
    message = world.card()
    assert texts(message).startswith("## Marek, roll against a hidden difficulty\n")
    assert "against a hidden difficulty" in texts(message)
    assert "Tricky" not in texts(message)
    world.dice.lay(8, 4)
    await world.press(world.ana, message, "Roll")
    rolled = world.card()
    assert rolled.id == said(proposal).id, "one card from the proposal on"
    assert "d10 (8) + d8 (4) + Fitness 1 = **13**" in texts(rolled)
    assert "against hidden" in texts(rolled)
    panel = await world.press(world.ana, rolled, "React")
    assert "Re-roll the d8 for 1 of your 3 Fate" in private(panel)
    undone = await world.gina.slash(world.zone, "gm undo")
    assert private(undone) == "## Undone: Marek's roll\n-# #7"
    back = world.card()
    assert texts(back).startswith("## Marek, roll against a hidden difficulty\n")
    assert labels(back) == ["Roll", "React"]
    assert "**13**" not in texts(back)
