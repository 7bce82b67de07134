"""Recap, search, digest and chronicle tell others no sealed text, whisper scene or deletion."""

from __future__ import annotations

import pytest

from tests.discord.test_chronicle import book
from tests.discord.test_digest import WEEK, digests, turn_on
from tests.discord.test_recap import recap
from tests.discord.test_speech import DELETE, change, let, said
from tests.discord.test_whispers import begun
from tests.discord.world import World, message_of, private, public, texts

pytestmark = pytest.mark.slow

#: A word of everything that not everybody was told, or that was deleted.
CANARIES = ("xsealx", "Xwhisper", "xwordsx", "xsummaryx", "xdeletedx", "xreasonx")


async def _play(world: World) -> None:
    """Read a sealed text, whisper, delete words, and correct what nobody was told of."""
    let(world, world.bot.user, manage_webhooks=True)
    call = {"skill": "Climbing", "attribute": "Fitness", "difficulty": "Tricky"}
    await world.gina.slash(world.zone, "gm call", who="Marek", seal="xsealx", **call)
    world.dice.lay(8, 7)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    cellar = await begun(world)
    await world.ana.slash(cellar, "say", text="xwordsx")
    await world.ana.slash(cellar, "roll", dice="2d6", reason="xwordsx")
    await world.gina.slash(cellar, "scene end", summary="xsummaryx")
    await change(world, await said(world, "xdeletedx"), DELETE)
    await world.gina.slash(world.zone, "gm npc add", name="Xbaron")
    preview = await world.gina.slash(
        world.zone, "gm amend", entry=await world.revision(), reason="xreasonx"
    )
    await world.press(world.gina, message_of(preview), "Undo it")
    await world.env.settle()


async def test_the_story_tells_others_no_secret(world: World) -> None:
    await turn_on(world)
    await world.gina.slash(world.zone, "gm settings", setting="step_in_minutes", value="0")
    await _play(world)
    mine = await recap(world, world.ana, since="9 days")
    assert all(word in mine for word in CANARIES[:4])
    assert "xdeletedx" not in mine and "xreasonx" not in mine
    shown = [await recap(world, world.ben, since="9 days"), await recap(world, world.ben)]
    for canary in CANARIES:
        found = private(await world.ben.slash(world.zone, "log", text=canary))
        assert f"Nothing found for “{canary}”" in found
    posted = message_of(await world.gina.slash(world.zone, "recap", since="9 days"))
    shown.append(public(await world.press(world.gina, posted, "Post for everyone")))
    shown += [await book(world, world.ben), await book(world, world.ben, mine=True)]
    shown += [await book(world, world.gina)]
    await world.env.advance_time(WEEK)
    (digest,) = digests(world)
    shown.append(texts(digest))
    for text in shown:
        assert not [canary for canary in CANARIES if canary in text], text
