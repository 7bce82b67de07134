"""Cards before dice fall, and after moves, healing, falls and tasks: windows besides those of checks and attacks."""

from __future__ import annotations

from typing import Any

import pytest

from rules.systems.masterbook.deck.state import DISCARD, HAND
from tests.discord.masterbook.cards.deck import begin, cards, who, whole
from tests.discord.masterbook.cards.test_played import (
    ACTION,
    BREAKTHROUGH,
    HERO,
    IDEA,
    PRESENCE,
    RALLY,
)
from tests.discord.masterbook.table import newest
from tests.discord.world import World, labels, said

FORGES = {"skill": "Forgery", "difficulty": "Average", "approach": "a pass for the gate"}


async def opens(world: World, person: Any, option: str, button: str = "Use a card") -> str:
    """What somebody does in the panel behind the button of what takes training; what the card says then."""
    panel = said(await world.press(person, world.newest(button), button))
    wanted = [each for each in labels(panel) if option in each]
    assert wanted, labels(panel)
    await world.press(person, panel, wanted[0])
    return await newest(world)


@pytest.mark.rule("MB-CARD-E03", "MB-CARD-13")
async def test_breakthrough_opens_what_takes_training(world: World) -> None:
    # Live, where dice stand at once: only what cannot go on without a card waits for one.
    await begin(world, BREAKTHROUGH, IDEA, RALLY, HERO, PRESENCE, ACTION)
    await world.ana.slash(world.zone, "check", **FORGES)
    text = await newest(world)
    assert "This takes training: Vesna needs a card for it." in text, text
    await world.restart()
    panel = said(await world.press(world.ana, world.newest("Use a card"), "Use a card"))
    assert labels(panel) == ["Play Breakthrough", "Withdraw"]
    world.dice.lay(10, 4, 3)
    await world.press(world.ana, panel, "Play Breakthrough")
    text = await newest(world)
    assert world.dice.left == 0, text
    # Intellect 8, a bonus of 6 for 17, and 3 by the card.
    assert "total **17**" in text and "Vesna plays Breakthrough (+3)." in text, text
    assert whole(await cards(world)).at(DISCARD) == (str(BREAKTHROUGH),)
    await world.gina.slash(world.zone, "gm undo")
    assert "needs a card for it" in await newest(world)
    assert str(BREAKTHROUGH) in (await cards(world)).at(HAND, await who(world, "Vesna"))
    # What Ben holds nobody knows: he may try, and has to withdraw.
    await world.ben.slash(world.zone, "check", **FORGES)
    panel = said(await world.press(world.ben, world.newest("Use a card"), "Use a card"))
    assert labels(panel) == ["Withdraw"]
    await world.press(world.ben, panel, "Withdraw")
    assert "needs a card" not in await newest(world)
