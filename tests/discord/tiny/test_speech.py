"""Characters speak in the smallest system, which does nothing for it."""

from __future__ import annotations

import discord
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from tests.discord.tiny.play import open_table
from tests.discord.world import World, private


async def test_characters_speak_and_are_quoted(world: World) -> None:
    await open_table(world)
    assert world.bot.user is not None
    rights = discord.Permissions(manage_webhooks=True).value
    overwrite = Overwrite(world.bot.user.id, OverwriteType.MEMBER, allow=rights)
    world.env.backend.set_overwrite(world.zone.id, overwrite)
    await world.ana.slash(world.zone, "say", text="Who's there?")
    await world.restart()
    await world.env.settle()
    names = [message.author.name for message in world.zone.history() if message.webhook_id]
    assert names == ["Marek"]
    shown = private(await world.ben.slash(world.zone, "recap", since="3 days"))
    assert "Marek: “Who's there?”" in shown
