"""Webhooks by which characters speak: one a channel, made at first use.

The tokens stay in memory. They are read from Discord again after a start, so no file has them.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Final, Literal

import discord

log = logging.getLogger("storyguide.webhooks")

#: Why Discord makes no webhook in a channel.
Refusal = Literal["full", "two-factor", "rights"]

#: Name of the webhooks in a server's settings.
_NAME: Final = "Storyguide"
#: Discord's code for a webhook that is gone.
UNKNOWN_WEBHOOK: Final = 10015
#: Discord's codes for a message that is gone, or that isn't the webhook's.
NOT_ITS_MESSAGE: Final = frozenset({10008, UNKNOWN_WEBHOOK})
#: Discord's code for a channel with as many webhooks as there can be.
_FULL: Final = 30007
#: Discord's code on a server that wants two-factor authentication of the bot's owner.
_TWO_FACTOR: Final = 60003
#: Discord's status for too many requests.
_TOO_MANY: Final = 429
#: Why Discord makes no webhook, by its code; it lacks a permission for any other code.
_REASONS: Final[dict[int, Refusal]] = {_FULL: "full", _TWO_FACTOR: "two-factor"}
#: Seconds for which Discord's refusal of a webhook counts, before it is asked again.
_REFUSED_FOR: Final = 60
#: Seconds between two hints to a player that Discord makes no webhook in a channel.
_HINT_EACH: Final = 24 * 3600

#: Channels that have webhooks. Messages in their threads use the channel's.
SpeakingChannel = (
    discord.TextChannel | discord.ForumChannel | discord.VoiceChannel | discord.StageChannel
)


def speaking_channel(channel: object) -> SpeakingChannel | None:
    """Return the channel whose webhook speaks in a channel or thread; None if there is none."""
    if isinstance(channel, discord.Thread):
        channel = channel.parent
    return channel if isinstance(channel, SpeakingChannel) else None


def may_use_webhook(channel: SpeakingChannel) -> bool:
    """Return whether the bot may make and look up webhooks of a channel."""
    return channel.permissions_for(channel.guild.me).manage_webhooks


def thread_of(webhook: discord.Webhook, place: str) -> discord.abc.Snowflake:
    """Return the thread in which the webhook speaks, for discord.py; its own channel has none."""
    if int(place) == webhook.channel_id:
        return discord.utils.MISSING
    return discord.Object(int(place))


def is_refusal(error: discord.HTTPException) -> bool:
    """Return whether Discord refused a request, so that it would refuse it again."""
    return error.status < 500 and error.status != _TOO_MANY


class Webhooks:
    """The bot's webhooks, by the id of their channel."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client
        self._known: dict[int, discord.Webhook] = {}
        #: When and why Discord refused a webhook, by channel, on the loop's clock.
        self._refused: dict[int, tuple[float, Refusal]] = {}
        #: One search at a time, or two would make two webhooks.
        self._search = asyncio.Lock()
        #: When players were told that a channel has too many, by user and channel.
        self._hinted: dict[tuple[int, int], int] = {}

    async def find(self, guild: str, place: str, *, make: bool = True) -> discord.Webhook | None:
        """Return the webhook for a place, made if need be, unless *make* is False.

        None if the bot may not use webhooks there, or Discord refuses one. Raises
        discord.HTTPException for any other failure.
        """
        channel = speaking_channel(await self._place(guild, place))
        if channel is None:
            return None
        async with self._search:
            known = self._known.get(channel.id)
            if known is not None or not may_use_webhook(channel) or self.refusal(channel):
                return known
            try:
                webhook = await self._look_up(channel)
                if webhook is None and make:
                    webhook = await channel.create_webhook(name=_NAME)
            except discord.HTTPException as error:
                if not is_refusal(error):
                    raise
                log.warning("webhooks.refused", extra={"place": place, "code": error.code})
                reason = _REASONS.get(error.code, "rights")
                self._refused[channel.id] = (asyncio.get_running_loop().time(), reason)
                return None
            if webhook is not None:
                self._known[channel.id] = webhook
            return webhook

    def refusal(self, channel: SpeakingChannel) -> Refusal | None:
        """Return why Discord has just refused a webhook for a channel; None if it hasn't."""
        at, reason = self._refused.get(channel.id, (None, None))
        if at is None or asyncio.get_running_loop().time() >= at + _REFUSED_FOR:
            return None
        return reason

    async def _place(self, guild: str, place: str) -> object:
        """Return a channel or thread; None if it is gone.

        Discord tells a bot that starts of no archived thread, so such a thread is asked for.
        """
        known = self._client.get_guild(int(guild))
        channel = None if known is None else known.get_channel_or_thread(int(place))
        if known is None or channel is not None:
            return channel
        try:
            return await known.fetch_channel(int(place))
        except (discord.NotFound, discord.Forbidden, discord.InvalidData):
            return None

    def take_hint(self, user: int, place: str, at: int) -> bool:
        """Return whether a user is due a hint about a place, and note it as given *at* that time.

        It is due once a day; *at* is in seconds since 1970.
        """
        key = (user, int(place))
        if at < self._hinted.get(key, at - _HINT_EACH) + _HINT_EACH:
            return False
        self._hinted = {who: when for who, when in self._hinted.items() if when > at - _HINT_EACH}
        self._hinted[key] = at
        return True

    def forget(self, webhook: discord.Webhook) -> None:
        """Forget a webhook that is gone; the next `find` makes another."""
        for channel, known in list(self._known.items()):
            if known.id == webhook.id:
                del self._known[channel]

    async def _look_up(self, channel: SpeakingChannel) -> discord.Webhook | None:
        """Return the bot's own webhook of a channel, from an earlier process."""
        me = channel.guild.me
        for webhook in await channel.webhooks():
            if webhook.token and webhook.user is not None and webhook.user.id == me.id:
                return webhook
        return None
