"""Deeds that move a scene to another channel, to be killed at every step."""

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


_Prepare = Callable[[Rim, Channel], Awaitable[Act]]
_GoOn = Callable[[Rim, Channel], Awaitable[object]]
FLOWS: Final[dict[str, tuple[_Prepare, _GoOn]]] = {"move of a scene": (moving, goes_on_there)}
