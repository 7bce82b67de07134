"""Places in which a whisper scene may be played: those that nobody outside of its cast reads."""

from __future__ import annotations

import discord

from bot.ui.context import Context
from rules.core.errors import Impossible
from rules.table.actions import MovePlay
from rules.table.scenes.scene_actions import named_players
from rules.table.scenes.scene_moves import scene_to_move
from rules.table.whispers import cast_players


async def require_closed_place(ctx: Context, cast: tuple[str, ...], *, in_thread: bool) -> None:
    """Require that a whisper scene with a cast can be played here, or in a private thread.

    Raises NotPermitted("gm-only"), Impossible("whisper-place-open", "whisper-needs-thread",
    "whisper-in-thread"), and as `named_players`.
    """
    ctx.require_gm()
    people = named_players(ctx.game, cast)
    channel = ctx.interaction.channel
    if in_thread and _may_open_private_thread(channel):
        return
    leak = await ctx.interactions.outbox.whispers.leak(ctx.table, ctx.place, people)
    if leak is not None:
        if isinstance(channel, discord.Thread):
            raise Impossible("whisper-in-thread", whom=leak[1])
        code = "whisper-needs-thread" if in_thread else "whisper-place-open"
        raise Impossible(code, whom=leak[1])


async def require_closed_target(ctx: Context, action: MovePlay) -> None:
    """Require that a whisper scene moves to a place that nobody outside of its cast reads.

    Raises NotPermitted("gm-only"), Impossible("whisper-move-open"), and as `scene_to_move`.
    """
    ctx.require_gm()
    state = ctx.table.state
    scene = scene_to_move(state, action)
    if not scene.private:
        return
    people = cast_players(state, scene, action.at)
    leak = await ctx.interactions.outbox.whispers.leak(ctx.table, action.to, people)
    if leak is not None:
        raise Impossible("whisper-move-open", whom=leak[1])


def _may_open_private_thread(channel: object) -> bool:
    """Return whether the bot can open a private thread in a channel and write there."""
    if not isinstance(channel, discord.TextChannel):
        return False
    rights = channel.permissions_for(channel.guild.me)
    return rights.create_private_threads and rights.send_messages_in_threads
