"""Direct messages to users who asked for them: opened by a test, and rationed."""

from __future__ import annotations

import logging
from typing import Final

import discord

from bot.clock import Clock
from bot.delivery.channels import Channels
from bot.delivery.response import DISCORD_ERRORS
from bot.presenters.notices import direct_test_card
from bot.presenters.render import to_messages
from bot.services.preferences import Preference, save_preference
from bot.services.tables import Tables
from bot.storage.row_records import NewNotice
from rules.core.errors import Impossible

log = logging.getLogger("storyguide.notices")

#: Most channels for direct messages that the bot opens in a minute, and in a day. Discord takes a
#: bot that opens more for a sender of spam.
MOST_A_MINUTE: Final = 5
MOST_A_DAY: Final = 50
_MINUTE: Final = 60
_DAY: Final = 24 * 60 * _MINUTE


class DirectMessages:
    """Opener of users' channels for direct messages."""

    def __init__(self, channels: Channels, tables: Tables, clock: Clock) -> None:
        self._channels = channels
        self._tables = tables
        self._clock = clock

    async def test(
        self, user: discord.User | discord.Member, request: str, preference: Preference
    ) -> Preference:
        """Send a user a direct message, and return the user's wishes with what came of it.

        *request* is the id of the user's interaction. Raises Impossible("notify-rationed") if the
        bot has opened too many channels.
        """
        store, now = self._tables.store, self._clock()
        place = preference.dm
        if not place:
            await self._require_ration(now)
        key = f"test:{request}"
        # A channel that is known isn't opened, so its test doesn't count.
        kind = "nudge" if place else "test"
        await store.plan_notices([NewNotice(key, str(user.id), kind, now, sent_at=now)])
        row = (await store.notices_named([key]))[key]
        try:
            if not place:
                place = str((await user.create_dm()).id)
            (message,) = to_messages(direct_test_card(row.id))
            where = await self._channels.post(place, message, f"n{row.id}.0")
        except DISCORD_ERRORS as error:
            log.info("notices.test-refused", extra={"code": getattr(error, "code", 0)})
            await store.mark_notice(row.id, now, None, type(error).__name__)
            changed = preference.replace(dm="", refused=True)
        else:
            await store.mark_notice(row.id, now, where)
            changed = preference.replace(dm=place, how="dm", refused=False)
        if changed.refused and changed.how == "dm":
            changed = changed.replace(how="here")
        await save_preference(store, str(user.id), changed)
        return changed

    async def _require_ration(self, now: int) -> None:
        """Raise Impossible("notify-rationed") if the bot may open no channel now."""
        store = self._tables.store
        minute = await store.count_notices("test", now - _MINUTE)
        day = await store.count_notices("test", now - _DAY)
        if minute >= MOST_A_MINUTE or day >= MOST_A_DAY:
            raise Impossible("notify-rationed", hours=day >= MOST_A_DAY)
