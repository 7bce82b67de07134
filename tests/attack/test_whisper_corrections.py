"""Undo and corrections across the border of a whisper scene: who is told what, and where."""

from __future__ import annotations

import pytest
from simcord.builders import ChannelHandle

from tests.discord.barmore import bar_table
from tests.discord.test_whispers import begun
from tests.discord.world import World, message_of, private, secret_room, texts


async def correct(world: World, place: ChannelHandle, entry: int, change: str) -> str:
    """Correct an entry as the GM, and return what the preview said."""
    asked = await world.gina.slash(place, "gm amend", entry=entry, change=change)
    preview = private(asked)
    await world.press(world.gina, message_of(asked), "Change it")
    await world.env.settle()
    return preview


def told_in(world: World, place: ChannelHandle, *, since: int = 0) -> str:
    """Return what a place was told."""
    return "\n".join(map(texts, world.messages(place)[since:]))


async def test_a_correction_from_a_whisper_scene_is_told_where_its_entry_was(world: World) -> None:
    await world.table(gm_channel=True)
    vault = secret_room(world.env, world.guild, "vault", world.gina, world.ben)
    await world.gina.slash(world.zone, "gm bind", channel=vault)
    thread = await begun(world)
    await world.ben.slash(vault, "check", skill="Climbing", approach="Xvault")
    await world.env.settle()
    count = len(world.messages(thread))
    await correct(world, thread, await world.revision(), "skill: Running")
    assert "Corrected: #" in told_in(world, vault)
    assert "Corrected: #" not in told_in(world, thread, since=count)
    assert "Corrected: #" not in world.told(world.ana)


async def test_an_undo_from_outside_names_nobody_of_a_whisper_scene(world: World) -> None:
    await world.table(gm_channel=True)
    thread = await begun(world)
    await world.ana.slash(thread, "check", skill="Climbing", approach="Xwords")
    await world.env.settle()
    entry, before = await world.revision(), told_in(world, world.zone)
    await world.gina.slash(world.zone, "gm undo", entry=entry)
    await world.env.settle()
    assert told_in(world, world.zone) == before
    assert "Undone: Marek's check" in told_in(world, thread)


async def test_an_undo_in_a_whisper_scene_is_told_once(world: World) -> None:
    await world.table(gm_channel=True)
    thread = await begun(world)
    await world.ana.slash(thread, "check", skill="Climbing", approach="Xwords")
    await world.env.settle()
    await world.gina.slash(thread, "gm undo", entry=await world.revision())
    await world.env.settle()
    assert "Undone: Marek's check" in told_in(world, thread)
    assert "a private message" not in told_in(world, thread)


async def test_the_preview_says_that_a_whisper_scene_will_be_told(world: World) -> None:
    await world.table(gm_channel=True)
    thread = await begun(world)
    await world.ana.slash(thread, "check", skill="Climbing", approach="Xwords")
    await world.env.settle()
    preview = await correct(world, world.zone, await world.revision(), "skill: Running")
    assert "Those in the whisper scene will be told that this has changed: #" in preview
    assert "Players will notice nothing" not in preview
    assert "Corrected: #" in told_in(world, thread)
    assert "Corrected: #" not in world.told(world.ben)


async def test_an_undo_shows_no_reader_what_was_withheld(world: World) -> None:
    await world.table(gm_channel=True)
    thread = await begun(world)
    world.env.backend.add_thread_member(thread.id, world.ben.id)
    await world.ana.slash(thread, "check", skill="Climbing", approach="Xwords")
    await world.env.settle()
    await world.gina.slash(thread, "gm undo", entry=await world.revision())
    await world.env.settle()
    stub = next(each for each in world.messages(thread) if "News of this" in texts(each))
    assert "Xwords" not in world.told(world.ben)
    shown = message_of(await world.press(world.ana, stub, "Show"))
    assert "Undone (#7): " in texts(shown) and "Xwords" in texts(shown)


async def test_an_undo_where_the_bot_sees_no_members_is_marked(world: World) -> None:
    await world.table(gm_channel=True)
    thread = await begun(world)
    await world.ana.slash(thread, "check", skill="Climbing", approach="Xwords")
    await world.env.settle()
    members = f"/channels/{thread.id}/thread-members"
    for _ in range(4):
        world.env.inject_error("GET", members, status=403, code=50001, message="No")
    await world.gina.slash(thread, "gm undo", entry=await world.revision())
    await world.env.settle()
    assert "Undone (#7): " in told_in(world, thread)


async def shown_to_ben(world: World) -> str:
    """Return all that Ben gets by presses of Show on any message, also on those he can't see."""
    answers: list[str] = []
    for row in range(1, 60):
        pressed = world.emit(world.ben, f"sg:show:{row}")
        await world.env.settle()
        messages = [pressed.response, *pressed.followups]
        answers += [texts(message) for message in messages if message is not None]
    return "\n".join(answers)


async def stay(world: World, thread: ChannelHandle) -> None:
    """Let Ilka into a whisper scene, roll as her player, and leave again."""
    await world.gina.slash(thread, "scene join", **{"as": "Ilka"})
    await world.env.settle()
    await world.ben.slash(thread, "roll", dice="1d6", reason="Xben")
    await world.ben.slash(thread, "scene leave")
    await world.env.settle()


@pytest.mark.parametrize("came", ["before", "after"])
async def test_a_correction_tells_a_player_nothing_of_when_they_were_away(
    world: World, came: str
) -> None:
    """A whispered roll comes out anew; Ben was in the scene before or after it, not then."""
    await bar_table(world)
    wound = {"character": "Marek", "what": "new wound", "value": "physical 5"}
    await world.gina.slash(world.zone, "gm adjust", **wound)
    await world.gina.slash(world.zone, "gm time", advance="1 hour")
    passed = await world.revision()
    thread = await begun(world)
    if came == "before":
        await stay(world, thread)
    call = {"skill": "Boats", "difficulty": "2", "who": "Marek"}
    private(await world.gina.slash(thread, "gm call", **call))
    await world.env.settle()
    panel = await world.press(world.ana, world.newest("Roll", thread), "Roll")
    await world.press(world.ana, message_of(panel), "Roll d8")
    rolled = await world.revision()
    if came == "after":
        await stay(world, thread)
    await correct(world, world.zone, passed, "advance: 90 days")
    assert f"#{rolled}" in texts(world.last(thread)), "those who were there are told"
    shown = await shown_to_ben(world)
    assert f"#{passed}" in shown and "Corrected by" in shown, "the open part is told to all"
    assert f"#{rolled}" not in shown and "Marek's roll" not in shown, shown
