"""Answers that could not be given in time: shown with the participant's next answer."""

from __future__ import annotations

import logging

from bot.delivery.delivery_log import DeliveryLog
from bot.delivery.posts import Posts
from bot.delivery.response import DISCORD_ERRORS, Response
from bot.services.loaded_table import Table
from bot.services.tables import Tables

log = logging.getLogger("storyguide.outbox")


class MissedAnswers:
    """Sender of held replies. `busy` has the rows that the outbox is sending."""

    def __init__(
        self, tables: Tables, posts: Posts, delivery_log: DeliveryLog, busy: set[int]
    ) -> None:
        self._tables = tables
        self._posts = posts
        self._delivery_log = delivery_log
        self._busy = busy

    async def show(self, response: Response, table: Table, person: str) -> None:
        """Whisper a participant's undelivered answers."""
        missed = [
            out
            for out in self._tables.unsaid.replies_for(table.id, person)
            if out.id not in self._busy
        ]
        self._busy.update(out.id for out in missed)
        try:
            for out in missed:
                try:
                    messages = await self._posts.late_messages(table, person, out)
                    if messages:
                        await response.whisper(messages)
                except DISCORD_ERRORS as error:
                    # The rest waits for the next answer.
                    log.warning("outbox.whisper-failed", extra={"reason": type(error).__name__})
                    break
                except Exception:
                    # A row that can't be presented waits too. It must not stop the others.
                    log.exception("outbox.late-faulty", extra={"out": out.id})
                    continue
                log.debug("outbox.told-late", extra={"out": out.id})
                if not out.public:
                    self._delivery_log.record_delivery(out, None)
                self._tables.unsaid.mark_delivered(out)
                await self._delivery_log.flush()
        finally:
            self._busy.difference_update(out.id for out in missed)
