"""Calls to a roll call, edited so that each names only the characters that are still missing."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from bot.delivery.call_groups import CallGroups
from bot.delivery.channels import Channels
from bot.delivery.delivery_log import DeliveryLog
from bot.services.check_calls import call_to_missing
from bot.services.history import entry_and_row_events
from bot.services.tables import Tables
from bot.storage.row_records import OutboxRow
from rules.table.events import RollCallChanged

log = logging.getLogger("storyguide.cards")


class NarrowedCalls:
    """Editor of the calls to roll calls. An edit notifies no user."""

    def __init__(
        self,
        channels: Channels,
        tables: Tables,
        delivery_log: DeliveryLog,
        call_groups: CallGroups,
    ) -> None:
        self._channels = channels
        self._tables = tables
        self._delivery_log = delivery_log
        self._call_groups = call_groups

    async def narrow(self, call: OutboxRow, shown: OutboxRow, now: OutboxRow) -> None:
        """Edit a call so that it names only those whom its roll call still asks at the row *now*.

        The call names those who were asked at the row *shown*. A message that names nobody any more
        is deleted. A message stays as it is if Discord refuses the edit. Raises one of
        `DISCORD_ERRORS`.
        """
        entry = await entry_and_row_events(self._tables, call)
        if entry is None or call.message is None:
            return
        event = entry[1][0]
        if not isinstance(event, RollCallChanged):
            return
        table = await self._tables.get(call.table_id)
        earlier = event if shown is call else call_to_missing(event, shown.parties)
        later = call_to_missing(event, now.parties)
        prepared = await self._call_groups.prepare_again(table, event, call, (earlier, later))
        if prepared is not None:
            before, after = prepared
            await self._replace(call, call.message, before.messages, after.messages)

    async def _replace(
        self,
        call: OutboxRow,
        where: str,
        before: Sequence[dict[str, Any]],
        after: Sequence[dict[str, Any]],
    ) -> None:
        """Edit each message of a call, or delete it if *after* has none of its kind.

        The kinds are loud and silent. A call with other messages than *before* stays as it is.
        """
        place, *pages = where.split("/")
        if len(pages) != len(before):
            return
        by_kind = {_is_silent(message): message for message in after}
        kept: list[str] = []
        for page, message in zip(pages, before, strict=True):
            narrowed = by_kind.get(_is_silent(message))
            if narrowed is None:
                await self._channels.delete(f"{place}/{page}")
                continue
            kept.append(page)
            refused = await self._channels.edit(f"{place}/{page}", narrowed)
            if refused is not None:
                log.info("calls.not-narrowed", extra={"code": refused.code})
        if not kept:
            self._delivery_log.record_closed([call])
        elif len(kept) < len(pages):
            there = "/".join((place, *kept))
            await self._tables.store.mark_done([(call.id, call.created_at, there)])


def _is_silent(message: Mapping[str, Any]) -> bool:
    return bool(message.get("silent"))
