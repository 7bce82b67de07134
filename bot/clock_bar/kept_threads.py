"""Threads and forum posts of a local table, which stay when the table is stopped or killed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec

from bot.storage.errors import StorageUnavailable
from rules.core.record import Record

if TYPE_CHECKING:
    import simcord

    from bot.storage.store import Store

log = logging.getLogger("storyguide.kept_threads")

#: Key of the local database's note with the threads.
THREADS_KEY: Final = "play:threads"
#: Beginning of the names of events that change a thread or its members.
_CHANGES: Final = "THREAD_"


class KeptThread(Record):
    """A thread or forum post, as the next start builds it again."""

    id: int
    parent: int
    name: str
    owner: int
    #: Discord's type of the thread.
    type: int
    is_archived: bool = False
    members: tuple[int, ...] = ()


def read_threads(note: str | None) -> tuple[KeptThread, ...]:
    """Return the threads of a note: none without a note, or with one of another release."""
    if not note:
        return ()
    try:
        return msgspec.json.decode(note, type=tuple[KeptThread, ...])
    except msgspec.MsgspecError:
        log.warning("kept-threads.unreadable")
        return ()


def threads_of(env: simcord.Env) -> tuple[KeptThread, ...]:
    """Return the threads of the simulated server as they are now, the oldest first."""
    threads: list[KeptThread] = []
    for channel in env.backend.channels.values():
        metadata = channel.thread_metadata
        if metadata is None or channel.parent_id is None:
            continue
        threads.append(
            KeptThread(
                id=channel.id,
                parent=channel.parent_id,
                name=channel.name or "",
                owner=channel.owner_id or env.backend.bot_user.id,
                type=int(channel.type),
                is_archived=metadata.archived,
                members=tuple(channel.thread_members),
            )
        )
    return tuple(sorted(threads, key=lambda thread: thread.id))


def build_threads(env: simcord.Env, threads: tuple[KeptThread, ...]) -> None:
    """Build the threads of an earlier run before the bot connects.

    They have their old ids, which the stored table knows. They are empty: messages aren't kept.
    """
    backend = env.backend
    for thread in threads:
        if thread.parent not in backend.channels:
            log.warning("kept-threads.no-parent", extra={"place": thread.id})
            continue
        backend.reserve_id(thread.id)
        built = backend.create_thread(
            thread.parent,
            thread.name,
            thread.owner,
            type=thread.type,
            message_id=thread.id,
            broadcast=False,
        )
        for member in thread.members:
            if member in backend.users:
                backend.add_thread_member(thread.id, member)
        if built.thread_metadata is not None:
            built.thread_metadata.archived = thread.is_archived


class ThreadKeeper:
    """Notes the threads of the simulated server whenever one of them changes."""

    def __init__(self, env: simcord.Env, store: Store) -> None:
        self._env: Final = env
        self._store: Final = store
        #: Notes that are being written.
        self._tasks: Final[set[asyncio.Task[None]]] = set()
        env.backend.subscribers.append(self._on_event)

    def _on_event(self, event: str, _: Mapping[str, Any]) -> None:
        """Note the threads at once: the bot's own note of a new thread is written after this."""
        if event.startswith(_CHANGES):
            task = asyncio.create_task(self._note(threads_of(self._env)))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _note(self, threads: tuple[KeptThread, ...]) -> None:
        try:
            await self._store.set_note(THREADS_KEY, msgspec.json.encode(threads).decode())
        except StorageUnavailable:
            # The next change of a thread notes them all again.
            log.warning("kept-threads.not-noted")

    async def close(self) -> None:
        """Finish the notes that are being written; before the store closes."""
        await asyncio.gather(*self._tasks)
