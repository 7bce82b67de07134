"""Threads for scenes: opened at the message that a scene begins with, then noted in the table."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, Final

from bot.clock import Clock
from bot.delivery.channels import TOKEN_LIFE, Channels, ThreadRefusal
from bot.delivery.forum_posts import ForumPosts
from bot.delivery.whisper_places import WhisperPlaces
from bot.presenters.language.text import bare_text
from bot.presenters.language.words import label_text
from bot.presenters.layout import with_entry_number
from bot.presenters.render import to_messages
from bot.presenters.scene_list import scene_started_card
from bot.services.history import entry_and_events
from bot.services.loaded_table import Table
from bot.services.perform import ActionResult, perform
from bot.services.tables import Tables
from bot.storage.row_records import OutboxRow
from rules.core.errors import RulesError
from rules.table.actions import Actor, PlaceScene
from rules.table.events import Event, Notice
from rules.table.played_scenes import StoryScene, scenes_of
from rules.table.scenes.scene_actions import forum_of, opens_thread
from rules.table.state import SYSTEM

log = logging.getLogger("storyguide.scene_threads")

#: Most scenes of which the place is awaited. The oldest is forgotten.
_AWAITED_MAX: Final = 100


class SceneThreads:
    """Opens the threads of scenes. A second try after a crash finds the first one's thread."""

    def __init__(
        self,
        channels: Channels,
        posts: ForumPosts,
        tables: Tables,
        whispers: WhisperPlaces,
        clock: Clock,
        dispatch: Callable[[ActionResult], None],
    ) -> None:
        self._channels = channels
        self._posts = posts
        self._tables = tables
        self._whispers = whispers
        self._clock = clock
        self._dispatch = dispatch
        #: Functions to call once a scene's place is noted, by table and number of the scene.
        self._awaited: dict[tuple[int, int], Callable[[StoryScene], object]] = {}

    def tell_when_placed(
        self, table: Table, scene: StoryScene, tell: Callable[[StoryScene], object]
    ) -> None:
        """Call *tell* with a scene once its place is noted, unless this process ends before."""
        while len(self._awaited) >= _AWAITED_MAX:
            del self._awaited[next(iter(self._awaited))]
        self._awaited[table.id, scene.number] = tell

    async def open(
        self,
        table: Table,
        events: Sequence[Event],
        out: OutboxRow,
        where: str,
        *,
        doubtful: bool,
    ) -> None:
        """Open the thread of a scene whose message stands at *where*, and note it.

        Without the right to open it, the scene stays in the channel. *doubtful*: a thread may be
        there already. May raise one of `bot.delivery.response.DISCORD_ERRORS`, and
        StorageUnavailable.
        """
        number, name = _scene_of(events[out.events[0]])
        is_awaited = (table.id, number) in self._awaited
        scene = _scene_numbered(table, number)
        if scene is None or scene.opening:
            opened = await self._channels.open_thread(where, name)
            await self._note(table, out, number, opened.thread, why=opened.refusal)
        # Else an earlier try has noted the thread, or that there is none, and its message is gone.
        if doubtful and not is_awaited:
            await self._answer_late(table, events, out)

    async def open_own(
        self,
        table: Table,
        events: Sequence[Event],
        out: OutboxRow,
        messages: Sequence[dict[str, Any]],
        *,
        doubtful: bool,
    ) -> str:
        """Open the thread of a scene whose message stands in the thread, and note it.

        Returns the address of the message; empty if the scene stays in the channel or is gone.
        *doubtful*: a thread may be there already. May raise as `open`.
        """
        begins = events[out.events[0]]
        is_private = is_whispered_thread(begins)
        is_awaited = (table.id, _scene_of(begins)[0]) in self._awaited
        open_thread = self._open_private if is_private else self._open_post
        where = await open_thread(table, events, out, messages, doubtful=doubtful)
        if doubtful and not is_awaited:
            await self._answer_late(table, events, out)
        return where

    async def _open_post(
        self,
        table: Table,
        events: Sequence[Event],
        out: OutboxRow,
        messages: Sequence[dict[str, Any]],
        *,
        doubtful: bool,
    ) -> str:
        """Open the forum post of a scene, as `open_own` does."""
        number, name = _scene_of(events[out.events[0]])
        scene = _scene_numbered(table, number)
        if scene is None:
            return ""
        if not scene.opening:
            # An earlier try has noted the post, or that there is none.
            return await self._find_message(out, scene.place) or ""
        where = await self._earlier_post(table, out) if doubtful else None
        if where is None:
            opened, where = await self._posts.open(out.place, name, messages[0])
            if opened.thread is None:
                await self._note(table, out, number, None, why=opened.refusal, forum=out.place)
                return ""
        thread, *pages = where.split("/")
        for page, message in enumerate(messages):
            if page >= len(pages):
                sent = await self._channels.post(thread, message, f"{out.id}.{page}")
                where += f"/{sent.partition('/')[2]}"
        await self._note(table, out, number, thread)
        return where

    async def _earlier_post(self, table: Table, out: OutboxRow) -> str | None:
        """Return the address of a row's message in the post that an earlier try has opened."""
        places = {scene.place for scene in scenes_of(table.state)}
        posts = await self._posts.find(
            out.place, out.created_at, lambda thread: thread not in places
        )
        for thread in posts:
            where = await self._find_message(out, thread)
            if where is not None:
                return where
        return None

    async def _open_private(
        self,
        table: Table,
        events: Sequence[Event],
        out: OutboxRow,
        messages: Sequence[dict[str, Any]],
        *,
        doubtful: bool,
    ) -> str:
        """Open the private thread of a whisper scene with the scene's message, and note it.

        Returns the address of the message; empty if the scene stays in the channel or is gone.
        *doubtful*: a thread may be there already. May raise as `open`.
        """
        begins = events[out.events[0]]
        number, name = _scene_of(begins)
        scene = _scene_numbered(table, number)
        if scene is None:
            return ""
        if not scene.opening:
            # An earlier try has noted the thread, or that there is none.
            return await self._find_message(out, scene.place) or ""
        people = (*begins.audience.people, begins.by, *self._whispers.gms_and_deputies(table))
        # Members of the channel may read of a thread's beginning, and so don't read its title.
        opened_as = label_text("scene-thread")
        thread = await self._earlier_thread(table, out, (opened_as, name)) if doubtful else None
        if thread is None:
            opened = await self._channels.open_private_thread(out.place, opened_as)
            thread = opened.thread
            if thread is None:
                leak = await self._whispers.leak(table, out.place, begins.audience.people)
                exposed = leak is not None
                await self._note(table, out, number, None, why=opened.refusal, exposed=exposed)
                return ""
        await self._channels.rename_thread(thread, name)
        where = await self._find_message(out, thread) if doubtful else None
        if where is None:
            where = await self._channels.post_all(thread, messages, out.id)
        await self._whispers.let_in(table, thread, people)
        await self._note(table, out, number, thread)
        return where

    async def _earlier_thread(
        self, table: Table, out: OutboxRow, names: Sequence[str]
    ) -> str | None:
        """Return the thread that an earlier try has opened for a row, or None.

        The thread with the row's message comes first, then any other thread of the bot in which no
        scene is played.
        """
        places = {scene.place for scene in scenes_of(table.state)}
        threads = await self._channels.find_private_threads(out.place, names, out.created_at)
        unused = [thread for thread in threads if thread not in places]
        for thread in unused:
            if await self._find_message(out, thread) is not None:
                return thread
        return unused[0] if unused else None

    async def _find_message(self, out: OutboxRow, thread: str) -> str | None:
        """Return the address of a row's message in a thread, or None."""
        return await self._channels.find_sent(out.replace(place=thread), None, None)

    async def _answer_late(self, table: Table, events: Sequence[Event], out: OutboxRow) -> None:
        """Say in the GM's answer where a scene is played that the last process was opening.

        An answer too old to be changed stays; the channel has the scene's message in any case. May
        raise one of `bot.delivery.response.DISCORD_ERRORS`.
        """
        begins = events[out.events[0]]
        number, _ = _scene_of(begins)
        scene = _scene_numbered(table, number)
        is_too_late = self._clock() - out.created_at >= TOKEN_LIFE
        if scene is None or out.token is None or is_too_late or has_news_for_gms(events):
            return
        drawn = scene_started_card(table.state, scene, post=bool(forum_of(begins)))
        entry = await entry_and_events(self._tables, out)
        if entry is not None:
            drawn = with_entry_number(drawn, entry[0].seq)
        (message,) = to_messages(drawn, plain=table.state.person(begins.by).plain)
        await self._channels.replace_answer(out.token, message)

    async def _note(
        self,
        table: Table,
        out: OutboxRow,
        number: int,
        thread: str | None,
        *,
        why: ThreadRefusal = "",
        exposed: bool = False,
        forum: str = "",
    ) -> None:
        """Note the thread of a scene, or None and *why* it could not be opened."""
        action = PlaceScene(
            who=Actor(SYSTEM),
            place=out.place,
            at=self._clock(),
            number=number,
            thread=thread,
            why=why,
            exposed=exposed,
            forum=forum,
        )
        try:
            done = await perform(self._tables, table.id, action, f"placed:{out.id}")
        except RulesError as error:
            # The scene was undone meanwhile. Its thread stays.
            log.info("scene-threads.not-placed", extra={"reason": error.code})
            self._awaited.pop((table.id, number), None)
            return
        if not done.repeated:
            self._dispatch(done)
        tell = self._awaited.pop((table.id, number), None)
        scene = _scene_numbered(done.table, number)
        if tell is not None and scene is not None:
            tell(scene)


def has_news_for_gms(events: Sequence[Event]) -> bool:
    """Return whether events have told the GMs something that no place shows."""
    return any(event.audience.gms and not event.audience.is_open for event in events)


def opens_own_thread(event: Event) -> bool:
    """Return whether an event begins a scene whose message stands in the scene's own thread."""
    return is_whispered_thread(event) or bool(forum_of(event))


def is_whispered_thread(event: Event) -> bool:
    """Return whether an event begins a whisper scene in a thread of its own."""
    return bool(event.audience.whisper) and opens_thread(event)


def _scene_numbered(table: Table, number: int) -> StoryScene | None:
    """Return a scene by its number; None if it was undone."""
    return next((scene for scene in scenes_of(table.state) if scene.number == number), None)


def _scene_of(begins: Event) -> tuple[int, str]:
    """Return the number of a scene that begins, and the name of its thread."""
    assert isinstance(begins, Notice)
    number, title = begins.params.get("number"), begins.params.get("title")
    assert isinstance(number, int)
    name = bare_text(title) if isinstance(title, str) else ""
    return number, name or label_text("scene-thread")
