"""Places of the local table's page: what each viewer may read, and what is new there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol

import simcord
from simcord.backend.access import can_access_channel
from simcord.enums import AppCommandType, ChannelType

from rules.core.record import Record

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Kind of the library's own action that begins the page anew for a viewer. The place bar adds the
#: place to show.
_SHOW: Final = "viewer"
#: Key of the place in that action.
_PLACE: Final = "place"


class Page(Protocol):
    """One browser window's page of the library, as far as the place bar changes it."""

    viewer: simcord.MemberActor
    channel_id: int
    #: Open dialog, and the handle by which the page names it.
    modal: simcord.InteractionResult | None
    modal_handle: str | None


class PlaceLine(Record):
    """A place in the list of places."""

    id: str
    name: str
    #: Name of the channel or forum of a thread or post; empty for a channel.
    parent: str
    #: Messages that the viewer has not been shown.
    unread: int
    is_private: bool = False
    is_archived: bool = False


class Places:
    """Places of a page's server, and how far each viewer has read them."""

    def __init__(
        self, preview: simcord.Preview, channels: tuple[simcord.ChannelHandle, ...]
    ) -> None:
        """Begin with *channels*, in order; the page opens in the first one."""
        self._preview: Final = preview
        self._channels: Final = channels
        self._home: Final = preview.channel
        #: Newest message from before the page opened.
        self._newest_at_start: Final = self._newest_message()
        #: Newest message that a viewer was shown in a place, by the ids of both.
        self._seen: Final[dict[tuple[int, int], int]] = {}

    def lines(self, viewer: simcord.MemberActor, shown: int) -> list[PlaceLine]:
        """Return the places that *viewer* may read. The one with the id *shown* counts as read."""
        lines: list[PlaceLine] = []
        for channel, parent in self._readable_places(viewer):
            lines.append(self._line(channel, viewer, shown, parent))
        return lines

    def _readable_places(
        self, viewer: simcord.MemberActor
    ) -> list[tuple[simcord.ChannelHandle, str]]:
        """Return the places that *viewer* may read, a thread or post with its channel's name.

        A forum has no messages of its own, only posts.
        """
        places: list[tuple[simcord.ChannelHandle, str]] = []
        for channel in self._channels:
            if self._is_readable(channel, viewer) and not self._is_forum(channel):
                places.append((channel, ""))
            for thread in sorted(channel.threads, key=lambda thread: thread.id):
                if self._is_readable(thread, viewer):
                    places.append((thread, channel.name or ""))
        return places

    def _line(
        self, channel: simcord.ChannelHandle, viewer: simcord.MemberActor, shown: int, parent: str
    ) -> PlaceLine:
        messages = self._message_ids(channel, viewer)
        key = (viewer.id, channel.id)
        if channel.id == shown:
            self._seen[key] = max(messages, default=0)
        seen = self._seen.get(key, self._newest_at_start)
        model = self._preview.env.backend.get_channel(channel.id)
        thread = model.thread_metadata
        return PlaceLine(
            id=str(channel.id),
            name=channel.name or "",
            parent=parent,
            unread=sum(message > seen for message in messages),
            is_private=model.type == ChannelType.PRIVATE_THREAD,
            is_archived=thread is not None and thread.archived,
        )

    def _message_ids(
        self, channel: simcord.ChannelHandle, viewer: simcord.MemberActor
    ) -> list[int]:
        """Return the ids of the messages in a channel that *viewer* may read."""
        messages = self._preview.env.backend.messages.get(channel.id, {})
        return [id for id, message in messages.items() if message.visible_to(viewer.id)]

    def _newest_message(self) -> int:
        channels = self._preview.env.backend.messages.values()
        return max((max(messages, default=0) for messages in channels), default=0)

    def _is_forum(self, channel: simcord.ChannelHandle) -> bool:
        return self._preview.env.backend.get_channel(channel.id).type == ChannelType.FORUM

    def _is_readable(self, channel: simcord.ChannelHandle, viewer: simcord.MemberActor) -> bool:
        return can_access_channel(self._preview.env, channel.id, viewer, history=True)

    def message_commands(self, viewer: simcord.MemberActor, channel_id: int) -> list[str]:
        """Return the commands in a message's menu that *viewer* may use in a channel."""
        commands = self._preview.env.backend.visible_commands(
            user_id=viewer.id, channel_id=channel_id, type=AppCommandType.MESSAGE
        )
        return [command["name"] for command in commands]

    # --- what a page shows ------------------------------------------------------------------------

    def move(self, page: Page, body: Mapping[str, Any]) -> int:
        """Let a page show the place that its action names, and return the former place's id.

        A place that the viewer may not read isn't shown: the page stays, or goes back to the first
        place if the viewer may not read its place either.
        """
        before = page.channel_id
        if body.get("kind") != _SHOW:
            return before
        viewers = {str(viewer.id): viewer for viewer in self._preview.viewers}
        viewer = viewers.get(str(body.get("viewer_id")))
        if viewer is None:
            return before
        readable = {str(channel.id) for channel, _ in self._readable_places(viewer)}
        page.channel_id = self._home.id
        for place in (str(body.get(_PLACE)), str(before)):
            if place in readable:
                page.channel_id = int(place)
                break
        return before

    @contextmanager
    def acting_in(self, channel_id: int) -> Iterator[simcord.ChannelHandle]:
        """Let the library act in a place; it knows one channel for all pages."""
        model = self._preview.env.backend.channels.get(channel_id)
        channel = self._home
        if model is not None:
            channel = simcord.ChannelHandle(self._preview.env, self._home.guild, model)
        before = self._preview.channel
        self._preview.channel = channel
        try:
            yield channel
        finally:
            self._preview.channel = before

    @contextmanager
    def at_home(self) -> Iterator[None]:
        """Let the library open a page in the first place."""
        with self.acting_in(self._home.id):
            yield
