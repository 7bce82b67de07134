"""Start of a scene, and the GM's answer that says where it is played."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

import discord

from bot.delivery.response import DISCORD_ERRORS
from bot.delivery.scene_threads import has_news_for_gms
from bot.presenters.layout import Layout, rows_of, with_entry_number
from bot.presenters.scene_list import scene_started_card
from bot.services.perform import ActionResult
from bot.storage.errors import StorageUnavailable
from bot.ui.context import Context
from rules.core.errors import Impossible
from rules.table.actions import StartScene
from rules.table.events import Notice
from rules.table.played_scenes import StoryScene, scenes_of
from rules.table.scenes.scene_actions import opens_thread


def require_thread_place(ctx: Context) -> None:
    """Require that a scene can have a thread of its own here: Discord has no threads in threads.

    Raises NotPermitted("gm-only"), Impossible("thread-in-thread", "no-threads-here").
    """
    ctx.require_gm()
    channel = ctx.interaction.channel
    if isinstance(channel, discord.VoiceChannel):
        raise Impossible("no-threads-here")
    if isinstance(channel, discord.Thread):
        raise Impossible(
            "thread-in-thread",
            place=str(channel.parent_id),
            post=isinstance(channel.parent, discord.ForumChannel),
        )


async def start_scene(ctx: Context, action: StartScene) -> None:
    """Start a scene. A private answer says where it is played once that is known.

    Raises as `rules.table.scenes.scene_actions.start_scene`.
    """
    if ctx.response.public:
        await ctx.perform(action)
        return
    done = await ctx.perform(action, receipt=partial(_receipt, action))
    scene = _started_scene(done)
    if scene is None:
        return

    async def tell(placed: StoryScene) -> None:
        # The channel has the scene's message in any case.
        with suppress(*DISCORD_ERRORS, StorageUnavailable):
            await _tell_place(ctx, action, done, placed)

    outbox = ctx.interactions.outbox
    if scene.opening:
        outbox.scene_threads.tell_when_placed(
            ctx.table, scene, lambda placed: outbox.run_in_background(tell(placed))
        )
    elif has_news_for_gms(done.events) or any(map(opens_thread, done.events)):
        await tell(scene)


def _receipt(action: StartScene, done: ActionResult) -> Layout | None:
    """Return the answer; None if the action has news for the GM, which are the answer then."""
    scene = _started_scene(done)
    if scene is None or has_news_for_gms(done.events):
        return None
    return scene_started_card(done.table.state, scene, post=bool(action.forum))


async def _tell_place(
    ctx: Context, action: StartScene, done: ActionResult, placed: StoryScene
) -> None:
    """Say where a scene is played, in the answer or after news for the GM."""
    drawn = scene_started_card(done.table.state, placed, post=bool(action.forum))
    if has_news_for_gms(done.events):
        await ctx.whisper(drawn)
        return
    rows = await ctx.take_back_rows(action, done)
    drawn = drawn.replace(pieces=(*drawn.pieces, *rows_of(rows)))
    await ctx.replace_answer(with_entry_number(drawn, done.seq))


def _started_scene(done: ActionResult) -> StoryScene | None:
    """Return the scene that an action has started, as it is now."""
    numbers: set[object] = set()
    for event in done.events:
        if isinstance(event, Notice) and event.what == "scene-begins":
            numbers.add(event.params.get("number"))
    scenes = scenes_of(done.table.state)
    return next((scene for scene in scenes if scene.number in numbers), None)
