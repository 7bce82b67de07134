"""Scenes in forum posts: opened once, left for the channel in which they were started."""

from __future__ import annotations

from typing import Any

import pytest
from simcord.builders import ChannelHandle

from bot.delivery import retries
from rules.table.played_scenes import StoryScene, scenes_of
from tests.discord.world import (
    DAY,
    World,
    is_layout,
    private,
    refusal_of,
    secret_room,
    texts,
)

FERRY = "The ferry"


async def with_forum(world: World, name: str = "tales") -> ChannelHandle:
    """A forum of the table."""
    forum = world.guild.create_forum_channel(name)
    private(await world.gina.slash(world.zone, "gm bind", channel=forum))
    return forum


async def begun(world: World, place: Any = None, **options: Any) -> str:
    """What the GM reads of a scene that begins in a post."""
    options = {"title": FERRY} | ({} if "forum" in options else {"where": "post"}) | options
    told = private(await world.gina.slash(place or world.zone, "scene start", **options))
    await world.env.settle()
    return told


def posts_of(world: World, forum: ChannelHandle) -> list[ChannelHandle]:
    """The posts of a forum, oldest first."""
    made = [each for each in world.env.backend.channels.values() if each.parent_id == forum.id]
    return [ChannelHandle(world.env, world.guild, each) for each in made]


async def only_scene(world: World) -> StoryScene:
    """The table's only scene."""
    (scene,) = scenes_of(await world.state())
    return scene


async def test_a_scene_begins_in_a_post_of_the_only_forum(world: World) -> None:
    await world.table()
    forum = await with_forum(world)
    await begun(world, who="Marek")
    (post,) = posts_of(world, forum)
    assert post.name == FERRY
    scene = await only_scene(world)
    assert (scene.place, scene.opening, scene.home) == (str(post.id), False, str(world.zone.id))
    (message,) = world.messages(post)
    shown = texts(message)
    assert "With Marek." in shown and f"a post of <#{forum.id}>" in shown
    assert "thread below" not in shown
    assert not any(FERRY in texts(each) for each in world.messages())
    await world.restart()
    private(await world.ben.slash(post, "scene join"))
    assert "Ilka joins the scene" in texts(world.last(post))
    await world.ana.slash(post, "say", text="Cast off!")
    await world.env.settle()
    said = [each for each in world.requests("POST", "/webhooks") if "Cast off" in str(each.json)]
    assert [int(each.params["thread_id"]) for each in said] == [post.id]
    assert "The ferry" in private(await world.ben.slash(world.zone, "recap", since="2 days"))
    await world.gina.slash(post, "scene end", summary="They crossed.")
    assert (await only_scene(world)).over is not None


async def test_an_undo_is_one_entry_and_marks_the_post(world: World) -> None:
    await world.table()
    forum = await with_forum(world)
    await begun(world)
    await world.gina.slash(world.zone, "gm undo")
    await world.env.settle()
    (post,) = posts_of(world, forum)
    assert scenes_of(await world.state()) == ()
    assert "Undone" in " ".join(texts(each) for each in world.messages(post))


async def test_which_forum_is_said_or_refused(world: World) -> None:
    await world.table(gm_channel=True)

    async def refused(**options: Any) -> str:
        given = {"title": FERRY} | options
        return refusal_of(await world.gina.slash(world.zone, "scene start", **given))

    assert "has no forum" in await refused(where="post")
    stranger = world.guild.create_forum_channel("strange")
    assert "doesn't belong to this table" in await refused(forum=stranger)
    tales = await with_forum(world)
    assert "a private thread" in await refused(where="post", private=True)
    assert "choose `where:post`" in await refused(where="thread", forum=tales)
    songs = await with_forum(world, "songs")
    several = await refused(where="post")
    assert "several forums" in several and "songs" in several and "tales" in several
    only_gm = await world.ana.slash(world.zone, "scene start", title=FERRY, where="post")
    assert "Only the GM can do that" in refusal_of(only_gm)
    assert scenes_of(await world.state()) == ()
    await begun(world, forum=songs)
    (post,) = posts_of(world, songs)
    await begun(world, post, title="The far bank")
    assert [each.name for each in posts_of(world, songs)] == [FERRY, "The far bank"]
    assert posts_of(world, tales) == []


async def test_a_forum_that_some_of_the_channel_cant_read_is_refused(world: World) -> None:
    await world.table()
    forum = await with_forum(world)
    vault = secret_room(world.env, world.guild, "vault", world.gina, world.ana)
    await world.gina.slash(world.zone, "gm bind", channel=vault)
    stored = world.env.backend.get_channel(forum.id)
    stored.overwrites = list(world.env.backend.get_channel(vault.id).overwrites)
    world.env.backend.announce_channel_update(forum.id)
    await world.env.settle()
    answer = await world.gina.slash(world.zone, "scene start", title=FERRY, where="post")
    assert "Not everybody who reads along here" in refusal_of(answer)
    await begun(world, vault, title="Xvault")
    assert len(posts_of(world, forum)) == 1
    assert "Xvault" not in world.told(world.ben)
    assert "Xvault" not in private(await world.ben.slash(world.zone, "recap", since="2 days"))


async def test_the_first_tag_is_taken_where_one_is_required(world: World) -> None:
    await world.table()
    forum = await with_forum(world)
    handle = world.env.backend.get_channel(forum.id)
    handle.available_tags = [
        {"id": "77", "name": "play", "moderated": False, "emoji_id": None, "emoji_name": None}
    ]
    world.env.backend.announce_channel_update(forum.id)
    await world.env.settle()
    world.env.inject_error(
        "POST", f"/channels/{forum.id}/threads", status=400, code=40067, message="A tag is required"
    )
    await begun(world)
    (post,) = posts_of(world, forum)
    assert world.env.backend.get_channel(post.id).applied_tags == [77]


@pytest.mark.parametrize(
    ("code", "said"),
    [(40067, "needs a tag"), (50013, "Create Posts"), (160006, "many open threads")],
)
async def test_a_scene_without_a_post_stays_in_the_channel(
    world: World, code: int, said: str
) -> None:
    await world.table()
    forum = await with_forum(world)
    world.env.inject_error(
        "POST", f"/channels/{forum.id}/threads", status=403, code=code, message="No"
    )
    await begun(world)
    assert posts_of(world, forum) == []
    assert "The scene stays here" in texts(world.last()) and said in texts(world.last())
    scene = await only_scene(world)
    assert (scene.place, scene.opening) == (str(world.zone.id), False)


async def test_a_bot_that_dies_before_the_post_is_noted_finds_it_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    forum = await with_forum(world)
    monkeypatch.setattr(retries, "SEND_RETRY_DELAYS", (DAY, DAY))

    async def die(*args: Any) -> None:
        raise OSError("gone")

    with monkeypatch.context() as dying:
        dying.setattr("bot.delivery.scene_threads.perform", die)
        await begun(world)
        assert (await only_scene(world)).opening
    (post,) = posts_of(world, forum)
    await world.restart()
    await world.env.settle()
    assert (await only_scene(world)).place == str(post.id)
    assert len(posts_of(world, forum)) == 1 and len(world.messages(post)) == 1


async def in_post(world: World) -> tuple[ChannelHandle, ChannelHandle]:
    """A forum and its post, in which Ana has proposed a check."""
    await world.table(gm_channel=True)
    forum = await with_forum(world)
    await begun(world, who="Marek")
    (post,) = posts_of(world, forum)
    await world.ana.slash(post, "check", approach="over the rail")
    await world.env.settle()
    return forum, post


async def test_a_deleted_post_is_left_for_the_channel_of_its_start(world: World) -> None:
    forum, post = await in_post(world)
    world.env.backend.delete_channel(post.id)
    await world.env.settle()
    state, here = await world.state(), str(world.zone.id)
    assert scenes_of(state)[0].place == state.checks["c1"].place == here
    told = [each for each in world.messages() if "goes on here" in texts(each)]
    assert len([each for each in told if is_layout(each)]) == 1
    assert any("over the rail" in texts(each) for each in world.messages())
    assert world.requests("POST", f"/channels/{forum.id}/messages") == []


async def test_a_locked_post_is_left_by_the_message_that_it_refuses(world: World) -> None:
    forum, post = await in_post(world)
    world.env.inject_error(
        "POST", f"/channels/{post.id}/messages", status=403, code=160005, message="Locked", times=9
    )
    await world.env.advance_time(2 * DAY)
    await world.env.settle()
    assert (await only_scene(world)).place == str(world.zone.id)
    assert world.requests("POST", f"/channels/{forum.id}/messages") == []


async def test_a_post_without_a_channel_to_go_back_to_waits_for_the_gm(world: World) -> None:
    await world.table(gm_channel=True)
    forum = await with_forum(world)
    made = world.env.backend.create_thread(forum.id, "by hand", world.gina.id)
    room = ChannelHandle(world.env, world.guild, made)
    await world.gina.slash(world.zone, "scene start", title=FERRY)
    private(await world.gina.slash(world.zone, "scene move", to=room))
    await world.env.settle()
    assert (await only_scene(world)).home == ""
    world.env.backend.delete_channel(room.id)
    await world.env.settle()
    told = [each for each in world.messages(world.gm_room) if "waits for you" in texts(each)]
    assert "/scene move" in texts(told[0])
    assert world.requests("POST", f"/channels/{forum.id}/messages") == []
    private(await world.gina.slash(world.zone, "scene move", to=world.zone, scene=FERRY))
    assert (await only_scene(world)).place == str(world.zone.id)
