"""Changing a message that was sent before, whatever form it had."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import discord

from bot.presenters.render import as_edit, is_layout

#: Discord's code for a thread that has to be reopened first.
ARCHIVED = 50083
#: Discord's code for a message that it does not take; a layout never becomes a text again.
INVALID = 50035


async def edit(
    there: discord.PartialMessage, message: dict[str, Any], reopen: Callable[[int], Awaitable[None]]
) -> None:
    """Make it this message; `reopen` opens the thread it is in. Raises what `TROUBLE` names."""
    try:
        await _edit(there, message)
    except discord.HTTPException as error:
        if error.code != ARCHIVED:
            raise
        await reopen(there.channel.id)
        await _edit(there, message)


async def _edit(there: discord.PartialMessage, message: dict[str, Any]) -> None:
    try:
        await there.edit(**as_edit(message))
    except discord.HTTPException as error:
        if error.code != INVALID or is_layout(message):
            raise
        await there.edit(**as_edit(message, layout=True))
