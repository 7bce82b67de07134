"""Threads for scenes: opened at the message that a scene begins with, then noted in the table."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from bot.clock import Clock
from bot.delivery.channels import Channels
from bot.presenters.language.text import bare_text
from bot.presenters.language.words import label_text
from bot.services.loaded_table import Table
from bot.services.perform import ActionResult, perform
from bot.services.tables import Tables
from bot.storage.row_records import OutboxRow
from rules.core.errors import RulesError
from rules.table.actions import Actor, PlaceScene
from rules.table.events import Event, Notice
from rules.table.state import SYSTEM

log = logging.getLogger("storyguide.scene_threads")


class SceneThreads:
    """Opens the threads of scenes. A second try after a crash finds the first one's thread."""

    def __init__(
        self,
        channels: Channels,
        tables: Tables,
        clock: Clock,
        dispatch: Callable[[ActionResult], None],
    ) -> None:
        self._channels = channels
        self._tables = tables
        self._clock = clock
        self._dispatch = dispatch

    async def open(self, table: Table, events: Sequence[Event], out: OutboxRow, where: str) -> None:
        """Open the thread of a scene whose message stands at *where*, and note it.

        Without the right to open it, the scene stays in the channel. May raise one of
        `bot.delivery.response.DISCORD_ERRORS`, and StorageUnavailable.
        """
        begins = events[out.events[0]]
        assert isinstance(begins, Notice)
        number = begins.params.get("number")
        assert isinstance(number, int)
        title = begins.params.get("title")
        name = bare_text(title) if isinstance(title, str) else ""
        opened = await self._channels.open_thread(where, name or label_text("scene-thread"))
        action = PlaceScene(
            who=Actor(SYSTEM),
            place=out.place,
            at=self._clock(),
            number=number,
            thread=opened.thread,
            why=opened.refusal,
        )
        try:
            done = await perform(self._tables, table.id, action, f"placed:{out.id}")
        except RulesError as error:
            # The scene was undone meanwhile. Its thread stays.
            log.info("scene-threads.not-placed", extra={"reason": error.code})
            return
        if not done.repeated:
            self._dispatch(done)
