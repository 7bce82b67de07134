"""`/table doctor`: what the bot may not do where, what was not delivered, and sending it
once more.
"""

from __future__ import annotations

import discord
from simcord.backend.models import Overwrite
from simcord.builders import ChannelHandle
from simcord.enums import OverwriteType

from bot.ops.doctor import Findings, look_at_places
from tests.discord.world import World, labels, message_of, private, refusal_of, texts


async def doctor(world: World) -> str:
    return private(await world.gina.slash(world.zone, "table doctor"))


def deny(world: World, **rights: bool) -> None:
    """Take rights away from the bot in the channel."""
    assert world.bot.user is not None
    denied = discord.Permissions(**rights).value
    world.env.backend.set_overwrite(
        world.zone.id, Overwrite(world.bot.user.id, OverwriteType.MEMBER, deny=denied)
    )


async def test_each_missing_right_is_named(world: World) -> None:
    await world.table()
    deny(world, embed_links=True, attach_files=True)
    text = await doctor(world)
    assert "Permissions missing" in text
    assert f"<#{world.zone.id}>: **missing: Embed Links and Attach Files.**" in text
    found = Findings()
    await look_at_places(world.bot, world.path, found)
    (problem,) = found.problems
    assert "the bot needs these permissions: Embed Links, Attach Files." in problem
    assert "missing: Embed Links" in private(await world.ana.slash(world.zone, "table doctor"))


async def test_a_gm_channel_needs_no_threads(world: World) -> None:
    await world.table(gm_channel=True)
    assert world.bot.user is not None
    denied = discord.Permissions(send_messages_in_threads=True).value
    there = world.env.backend.channels[world.gm_room.id]
    before = {each.target_id: each for each in there.overwrites}.get(world.bot.user.id)
    allowed = 0 if before is None else before.allow
    overwrite = Overwrite(world.bot.user.id, OverwriteType.MEMBER, allow=allowed, deny=denied)
    world.env.backend.set_overwrite(world.gm_room.id, overwrite)
    assert f"<#{world.gm_room.id}>: all is well" in await doctor(world)
    deny(world, send_messages_in_threads=True)
    assert f"<#{world.zone.id}>: **missing: Send Messages in Threads.**" in await doctor(world)


async def test_a_thread_needs_other_rights_than_its_channel(world: World) -> None:
    await world.table()
    await world.gina.slash(
        world.zone, "gm bind", channel=world.guild.create_text_channel("elsewhere")
    )
    deny(world, send_messages=True)
    assert "missing: Send Messages.**" in await doctor(world)
    elsewhere = world.guild.create_text_channel("threads only")
    made = world.env.backend.create_thread(elsewhere.id, "the tunnel", world.gina.id)
    thread = ChannelHandle(world.env, world.guild, made)
    await world.gina.slash(world.zone, "gm bind", channel=thread)
    assert f"<#{thread.id}>: all is well" in await doctor(world)
    for right, lacks in (("send_messages", False), ("send_messages_in_threads", True)):
        assert world.bot.user is not None
        denied = discord.Permissions(**{right: True}).value
        overwrite = Overwrite(world.bot.user.id, OverwriteType.MEMBER, deny=denied)
        world.env.backend.set_overwrite(elsewhere.id, overwrite)
        assert (
            f"<#{thread.id}>: **missing: Send Messages in Threads.**" in await doctor(world)
        ) == lacks
        found = Findings()
        await look_at_places(world.bot, world.path, found)
        assert any(str(thread.id) in problem for problem in found.problems) == lacks


async def test_what_cannot_be_seen_is_told_once(world: World) -> None:
    await world.table()
    deny(world, view_channel=True)
    assert "**missing: View Channel.**" in await doctor(world)


async def test_what_is_gone_is_said(world: World) -> None:
    await world.table()
    elsewhere = world.guild.create_text_channel("elsewhere")
    await world.gina.slash(world.zone, "gm bind", channel=elsewhere)
    world.env.backend.delete_channel(elsewhere.id)
    await world.env.settle()
    assert f"<#{elsewhere.id}>: **not there" in await doctor(world)
    found = Findings()
    await look_at_places(world.bot, world.path, found)
    assert [str(elsewhere.id) in problem for problem in found.problems] == [True]


async def test_a_gm_channel_that_others_can_read(world: World) -> None:
    await world.table(gm_channel=True)
    world.let_read(world.gm_room, world.ana)
    text = await doctor(world)
    assert "Permissions missing" in text
    assert f"{world.ana.mention} can read that channel" in text
    players = private(await world.ben.slash(world.zone, "table doctor"))
    assert world.ana.mention not in players
    assert "ask the GM to look here" in players
    assert "Not delivered" not in players


async def test_what_was_given_up_is_sent_once_more(world: World) -> None:
    await world.table()
    proposal = message_of(await world.propose())
    path = f"/channels/{world.zone.id}/messages"
    world.env.inject_error(
        "POST", path, status=403, code=50013, message="Missing Permissions", times=1
    )
    await world.answer(proposal)
    count = len(world.messages())
    text = await doctor(world)
    assert "1 message for" in text and "the bot lacks a permission in the channel" in text
    card = message_of(await world.gina.slash(world.zone, "table doctor"))
    assert labels(card) == ["Try again"]
    forged = world.emit(world.ana, "sg:deliver:1", card)
    await world.env.settle()
    assert "GM" in refusal_of(forged)
    private(await world.press(world.gina, card, "Try again"))
    assert "Nothing." in texts(card)
    assert labels(card) == []
    assert len(world.messages()) == count + 1
    private(await world.gina.slash(world.zone, "table doctor"))
    assert len(world.messages()) == count + 1, "and only once"


async def test_what_fails_again_waits_on(world: World) -> None:
    await world.table()
    proposal = message_of(await world.propose())
    path = f"/channels/{world.zone.id}/messages"
    world.env.inject_error("POST", path, status=403, code=50013, times=2)
    await world.answer(proposal)
    card = message_of(await world.gina.slash(world.zone, "table doctor"))
    await world.press(world.gina, card, "Try again")
    assert labels(card) == ["Try again"]
    await world.press(world.gina, card, "Try again")
    assert labels(card) == []
