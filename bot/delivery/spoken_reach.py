"""Reach of a message in which a character speaks: what the bot can still do with it."""

from __future__ import annotations

from typing import Literal

import discord

from bot.delivery.channels import Channels
from bot.delivery.response import DISCORD_ERRORS
from bot.delivery.webhooks import NOT_ITS_MESSAGE, UNKNOWN_WEBHOOK, Webhooks, thread_of

#: Reach of a message: the bot can edit it, it is gone, or only a moderator can delete it.
Reach = Literal["editable", "gone", "orphaned"]


async def message_reach(channels: Channels, guild: str, where: str) -> Reach:
    """Return what the bot can do with a message at an address.

    A message is orphaned if the webhook that posted it is gone. If Discord doesn't tell, the
    message counts as editable.
    """
    place, id, *_ = where.split("/")
    try:
        webhook = await channels.webhooks.find(guild, place, make=False)
        if webhook is not None and await _has_posted(channels.webhooks, webhook, place, int(id)):
            return "editable"
        message = await channels.message(where).fetch()
    except discord.NotFound:
        return "gone"
    except DISCORD_ERRORS:
        return "editable"
    if message.webhook_id is None:
        return "editable"
    return "orphaned"


async def _has_posted(webhooks: Webhooks, webhook: discord.Webhook, place: str, id: int) -> bool:
    """Return whether a webhook has posted a message that is still there.

    A webhook that is gone is forgotten.
    """
    try:
        await webhook.fetch_message(id, thread=thread_of(webhook, place))
    except discord.HTTPException as error:
        if error.code not in NOT_ITS_MESSAGE:
            raise
        if error.code == UNKNOWN_WEBHOOK:
            webhooks.forget(webhook)
        return False
    return True
