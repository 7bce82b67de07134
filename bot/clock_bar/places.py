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

    id: str
    viewer: simcord.MemberActor
    channel_id: int
    #: Message that the page shows, and the last of those around it.
    target_id: int | None
    window_end_id: int | None
    #: Count of the times that the page began anew.
    generation: int
    status: str
    #: What the page shows for good; None for a page that follows the place.
    pinned_snapshot: dict[str, Any] | None
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
        #: Why a page shows another place than the one that its viewer chose, by the page's id.
        self._notices: Final[dict[str, str]] = {}

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
        self._notices.pop(page.id, None)
        readable = {str(channel.id) for channel, _ in self._readable_places(viewer)}
        page.channel_id = self._home.id
        for place in (str(body.get(_PLACE)), str(before)):
            if place in readable:
                page.channel_id = int(place)
                break
        return before

    def leave_closed_place(self, page: Page) -> None:
        """Have a page whose viewer may no longer read its place show one that the viewer may read.

        That is the channel of a thread, or else the first place. The page begins anew there, as for
        another viewer, and `notice` says why.
        """
        if page.pinned_snapshot is not None or page is self._preview._action_page:
            return
        if can_access_channel(self._preview.env, page.channel_id, page.viewer, history=True):
            return
        open_places = {int(line.id): line for line in self.lines(page.viewer, 0)}
        closed = self._preview.env.backend.channels.get(page.channel_id)
        parent = None if closed is None else closed.parent_id
        for place in (parent, self._home.id, *open_places):
            if place in open_places:
                self._begin_anew(page, place)
                name = None if closed is None else closed.name
                self._notices[page.id] = _closed_notice(name, open_places[place].name)
                return

    def _begin_anew(self, page: Any, place: int) -> None:
        """Have a page show a place as the library does for another viewer."""
        preview = self._preview
        preview._redact_page_receipts(page)
        preview._clear_page_assets(page)
        preview._reset_queries(page)
        page.channel_id = place
        page.generation += 1
        page.target_id = preview._initial_target(page.viewer, place)
        page.window_end_id = page.target_id
        page.modal = page.modal_handle = None
        page.status = "current"
        with self.acting_in(place):
            preview._publish(page, reason="navigation")

    def notice(self, page: Page) -> str:
        """Return why a page shows another place than its viewer chose; empty if it doesn't."""
        return self._notices.get(page.id, "")

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


def _closed_notice(name: str | None, shown: str) -> str:
    """Return what a viewer reads who can't read a place any more; None is a deleted one's name."""
    what = "That thread is gone" if name is None else f"You can't read “{name}” any more"
    return f"{what}. You're in {shown} now."
