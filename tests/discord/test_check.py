"""A check from proposal to undo, through the real commands and buttons."""

from __future__ import annotations

from tests.discord.world import World, labels, private, public, said, texts


async def test_from_proposal_to_undo(world: World) -> None:
    await world.table()
    proposal = await world.propose(skill="Climbing", attribute="Fitness")
    assert "**Proposal.** Waiting for the GM's answer." in public(proposal)
    await world.answer(said(proposal), hidden=True)
    message = world.newest("Roll")
    assert "**Roll against a hidden difficulty.**" in texts(message)
    world.dice.lay(8, 4)
    rolled = await world.press(world.ana, message, "Roll")
    assert "8 + 4 + 1 = 13 against a hidden difficulty" in public(rolled)
    panel = await world.press(world.ana, said(rolled), "React")
    assert "What you can do now:" in private(panel)
    undone = await world.gina.slash(world.zone, "gm undo")
    assert "Taken back: #6" in private(undone)
    assert labels(world.last()) == ["Roll", "React"]
