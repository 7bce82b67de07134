"""Answers that could not be given in time: shown with the participant's next answer."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from bot.delivery.delivery_log import DeliveryLog
from bot.delivery.response import DISCORD_ERRORS, Response
from bot.delivery.table_scene import scene_of
from bot.presenters.events import missed_cards
from bot.presenters.render import to_messages
from bot.services.history import entry_and_row_events
from bot.services.loaded_table import Table
from bot.services.outbox_plan import is_told_on_card
from bot.services.tables import Tables
from bot.storage.row_records import OutboxRow
from rules.table.events import Event

log = logging.getLogger("storyguide.outbox")


class MissedAnswers:
    """Sender of held replies. `busy` has the rows that the outbox is sending."""

    def __init__(self, tables: Tables, delivery_log: DeliveryLog, busy: set[int]) -> None:
        self._tables = tables
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
                    messages = await self.late_messages(table, person, out)
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

    async def late_messages(
        self, table: Table, person: str, out: OutboxRow
    ) -> list[dict[str, Any]]:
        """Return the messages of an answer that couldn't be given in time.

        Empty if a check's public card shows all of it.
        """
        entry = await entry_and_row_events(self._tables, out)
        if entry is None or await self._is_on_card(entry[0].request_id, entry[1]):
            return []
        cards = missed_cards(entry[1], scene_of(table), entry[0].seq)
        return to_messages(*cards, plain=table.state.person(person).plain)

    async def _is_on_card(self, request_id: str, events: Sequence[Event]) -> bool:
        """Return whether everything was told on the public card of a check."""
        if not all(is_told_on_card(event) for event in events):
            return False
        request = await self._tables.store.find_request(request_id)
        if request is None:
            return False
        cards = (out for out in request[1] if out.kind == "card")
        return any(out.done_at is not None or out.id in self._delivery_log for out in cards)
