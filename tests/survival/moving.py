"""Deeds that open a scene's thread or move a scene, to be killed at every step."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from tests.loopback.interactions import Interaction
from tests.loopback.models import Channel
from tests.survival.edge_of_process import Rim, has_button

Act = Callable[[], Interaction]


async def moving(rim: Rim, place: Channel) -> Act:
    """A scene with initiative and an open check, which only has to be moved."""
    there = rim.place()
    await rim.do(rim.gina, place, "gm bind", channel=there)
    await rim.do(rim.gina, place, "scene start", title="The ferry")
    await rim.do(rim.gina, place, "initiative start")
    await rim.do(rim.ana, place, "initiative join")
    await rim.do(rim.gina, place, "initiative next")
    await rim.do(rim.ana, place, "check", approach="up the drainpipe, slowly")
    await rim.settled()
    return lambda: rim.emit(rim.gina, place, "scene move", to=there)


async def goes_on_there(rim: Rim, place: Channel) -> None:
    """The new channel has one board and one message of the check; the old one has neither."""
    rooms = [room for room in rim.guild.channels.values() if room.id > place.id]
    there = next(room for room in rooms if any(has_button(each, "Join") for each in rim.said(room)))
    assert len([each for each in rim.said(there) if has_button(each, "Join")]) == 1
    (card,) = [each for each in rim.said(there) if has_button(each, "Edit")]
    assert not any(has_button(each, "Join") for each in rim.said(place))
    assert not any(has_button(each, "Edit") for each in rim.said(place))
    await rim.click(rim.gina, card, "React")


#: Discord's type of a forum.
_FORUM: Final = 15


async def opening_thread(rim: Rim, place: Channel) -> Act:
    """A scene that gets a thread of its own, only to be started."""
    return lambda: rim.emit(rim.gina, place, "scene start", title="The ferry", where="thread")


async def opening_private_thread(rim: Rim, place: Channel) -> Act:
    """A whisper scene in a private thread, only to be started."""
    return lambda: rim.emit(
        rim.gina, place, "scene start", title="The fence", private=True, who="Marek"
    )


async def opening_post(rim: Rim, place: Channel) -> Act:
    """A scene that gets a post in the table's forum, only to be started."""
    forum = rim.standin.add_channel(rim.guild, f"tales of {place.name}", type=_FORUM)
    await rim.do(rim.gina, place, "gm bind", channel=forum)
    await rim.settled()
    return lambda: rim.emit(rim.gina, place, "scene start", title="The ferry", where="post")


async def is_played_there(rim: Rim, place: Channel) -> None:
    """There is one thread for the scene, with the scene's message, and the scene is noted there."""
    forums = [room for room in rim.guild.channels.values() if room.name == f"tales of {place.name}"]
    parents = [place, *forums]
    (thread,) = [room for room in rim.guild.threads.values() if room.parent in parents]
    inside = [each for each in rim.said(thread) if "Scene: " in "".join(each.texts())]
    outside = [each for each in rim.said(place) if each.id == thread.id]
    assert len(inside) + len(outside) == 1
    ended = await rim.do(rim.gina, thread, "scene end", summary="They crossed.")
    assert ended.response is not None and "Scene over" in "".join(ended.response.texts())


async def losing_thread(rim: Rim, place: Channel) -> Act:
    """A scene in a thread that is locked, so that the next message is refused there."""
    await rim.do(rim.gina, place, "scene start", title="The ferry", where="thread")
    await rim.settled()
    thread = next(room for room in rim.guild.threads.values() if room.parent is place)
    rim.standin.fail("POST", f"/channels/{thread.id}/messages", status=403, code=160005, times=None)
    return lambda: rim.emit(rim.ana, thread, "scene join")


async def goes_on_in_the_channel(rim: Rim, place: Channel) -> None:
    """The channel is told once that the scene goes on there, and the scene can be ended there."""
    told = [each for each in rim.said(place) if "goes on here" in "".join(each.texts())]
    assert len([each for each in told if not each.content]) == 1
    ended = await rim.do(rim.gina, place, "scene end", summary="They crossed.")
    assert ended.response is not None and "Scene over" in "".join(ended.response.texts())


_Prepare = Callable[[Rim, Channel], Awaitable[Act]]
_GoOn = Callable[[Rim, Channel], Awaitable[object]]
FLOWS: Final[dict[str, tuple[_Prepare, _GoOn]]] = {
    "move of a scene": (moving, goes_on_there),
    "scene in a thread": (opening_thread, is_played_there),
    "scene in a private thread": (opening_private_thread, is_played_there),
    "scene in a forum post": (opening_post, is_played_there),
    "scene in a lost thread": (losing_thread, goes_on_in_the_channel),
}
