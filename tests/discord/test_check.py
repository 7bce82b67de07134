"""A check from proposal to undo, through the real commands and buttons."""

from __future__ import annotations

import pytest

from tests.discord.world import World, labels, message_of, private, public, texts


async def test_from_proposal_to_undo(world: World) -> None:
    await world.table()
    proposal = await world.propose(skill="Climbing", attribute="Fitness")
    assert "## Waiting for the GM\n" in public(proposal)
    await world.rule(hidden=True)
    message = world.card()
    assert texts(message).startswith("## Marek, roll d10 + d8 against a hidden difficulty\n")
    assert "against a hidden difficulty" in texts(message)
    assert "Tricky" not in texts(message)
    world.dice.lay(8, 4)
    await world.press(world.ana, message, "Roll")
    rolled = world.card()
    assert rolled.id == message_of(proposal).id, "one card from the proposal on"
    assert "d10 (8) + d8 (4) + Fitness 1 = **13**" in texts(rolled)
    assert "against a hidden difficulty" in texts(rolled)
    panel = await world.press(world.ana, rolled, "React")
    assert "Re-roll the d8 for 1 of your 3 Fate" in private(panel)
    undone = await world.gina.slash(world.zone, "gm undo")
    assert private(undone) == "## Undone: Marek's roll\n-# #7"
    back = world.card()
    assert texts(back).startswith("## Marek, roll d10 + d8 against a hidden difficulty\n")
    assert labels(back) == ["Roll", "React"]
    assert "**13**" not in texts(back)


async def test_a_fault_in_a_command_is_told_privately_and_logged(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fails(*_: object, **__: object) -> None:
        raise RuntimeError

    await world.table()
    monkeypatch.setattr(world.bot.beginnings, "begin", fails)
    said_privately = private(await world.ana.slash(world.zone, "check", visibility="private"))
    assert "a fault in Storyguide" in said_privately
    (error,) = world.env.errors  # which takes note of it
    assert isinstance(error.__cause__, RuntimeError)
    (found,) = [each for each in caplog.records if each.getMessage() == "command.failed"]
    assert found.__dict__["command"] == "check"
