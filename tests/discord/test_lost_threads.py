"""Threads that are deleted or closed while a scene is played in them."""

from __future__ import annotations

from typing import Any

from simcord.builders import ChannelHandle

from rules.table.played_scenes import scenes_of
from tests.discord.world import World, is_layout, pings, private, texts

FERRY = "The ferry"


async def in_thread(world: World) -> ChannelHandle:
    """A scene in a thread of its own, in which Ana has proposed a check."""
    await world.table()
    private(
        await world.gina.slash(world.zone, "scene start", title=FERRY, where="thread", who="Marek")
    )
    await world.env.settle()
    (thread,) = world.zone.threads
    room = ChannelHandle(world.env, world.guild, world.env.backend.get_channel(thread.id))
    await world.ana.slash(room, "check", approach="over the rail")
    await world.env.settle()
    return room


def lost(world: World) -> list[Any]:
    """The messages that say that play goes on in the channel."""
    found = [each for each in world.messages() if "goes on here" in texts(each)]
    return [each for each in found if is_layout(each)]


async def has_left(world: World) -> bool:
    """Whether the scene and its check are in the channel, and everybody was told once."""
    state, here = await world.state(), str(world.zone.id)
    (told,) = lost(world)
    assert "/scene move" in texts(told)
    calls = [each for each in world.messages() if "goes on here" in each.content]
    assert [pings(each, world.env) for each in calls] == [[world.gina.id]]
    assert any("over the rail" in texts(each) for each in world.messages())
    return scenes_of(state)[0].place == state.checks["c1"].place == here


async def test_a_deleted_thread_sends_the_scene_to_its_channel(world: World) -> None:
    room = await in_thread(world)
    world.env.backend.delete_channel(room.id)
    await world.env.settle()
    assert await has_left(world)
    assert "is gone" in texts(lost(world)[0])
    await world.restart()
    await world.env.settle()
    assert len(lost(world)) == 1
    card = next(each for each in world.messages() if "over the rail" in texts(each))
    await world.press(world.gina, card, "React")


async def test_a_thread_that_was_deleted_meanwhile_is_left_by_the_next_message(
    world: World,
) -> None:
    room = await in_thread(world)
    await world.bot.close()
    world.env.backend.delete_channel(room.id)
    await world.restart()
    await world.env.settle()
    assert lost(world) == []
    await world.env.advance_time(2 * 86400)
    await world.env.settle()
    assert await has_left(world)


async def test_a_locked_thread_is_left_by_the_message_that_it_refuses(world: World) -> None:
    room = await in_thread(world)
    world.env.inject_error(
        "POST", f"/channels/{room.id}/messages", status=403, code=160005, message="Locked", times=9
    )
    await world.ben.slash(world.zone, "table show")
    await world.env.advance_time(2 * 86400)
    await world.env.settle()
    assert await has_left(world)
    assert f"I can't write in <#{room.id}>" in texts(lost(world)[0])


async def test_a_private_thread_is_not_left_for_a_channel_that_others_read(world: World) -> None:
    await world.table()
    made = world.env.backend.create_thread(world.zone.id, "in the vault", world.gina.id, type=12)
    room = ChannelHandle(world.env, world.guild, made)
    await world.gina.slash(room, "scene start", title="Xvault")
    world.env.backend.delete_channel(room.id)
    await world.env.settle()
    assert lost(world) == [] and "Xvault" not in world.told(world.ben)
    again = private(await world.gina.slash(world.zone, "scene move", to=world.zone, scene="Xvault"))
    assert "Scene moved to" in again
