"""Start of a scene, and the GM's answer that says where it is played."""

from __future__ import annotations

from contextlib import suppress

import discord

from bot.delivery.response import DISCORD_ERRORS
from bot.presenters.layout import Layout, rows_of, with_entry_number
from bot.presenters.scene_list import scene_started_card
from bot.services.perform import ActionResult
from bot.storage.errors import StorageUnavailable
from bot.ui.context import Context
from rules.core.errors import Impossible
from rules.table.actions import StartScene
from rules.table.events import Notice
from rules.table.played_scenes import StoryScene, scenes_of
from rules.table.scenes import opens_thread


def require_thread_place(ctx: Context) -> None:
    """Require that a scene can have a thread of its own here: Discord has no threads in threads.

    Raises NotPermitted("gm-only"), Impossible("thread-in-thread").
    """
    ctx.require_gm()
    channel = ctx.interaction.channel
    if isinstance(channel, discord.Thread):
        raise Impossible(
            "thread-in-thread",
            place=str(channel.parent_id),
            post=isinstance(channel.parent, discord.ForumChannel),
        )


async def start_scene(ctx: Context, action: StartScene) -> None:
    """Start a scene. A private answer says where it is played once that is known.

    Raises as `rules.table.scenes.start_scene`.
    """
    if ctx.response.public:
        await ctx.perform(action)
        return
    post = bool(action.forum)

    def receipt(done: ActionResult) -> Layout | None:
        """Draw the answer, unless the action has news for the GM alone."""
        scene = _started(done)
        if scene is None or _has_news_for_gms(done):
            return None
        return scene_started_card(done.table.state, scene, post=post)

    done = await ctx.perform(action, receipt=receipt)
    scene = _started(done)
    if scene is None:
        return
    answered = not _has_news_for_gms(done)

    async def tell(placed: StoryScene) -> None:
        # The channel has the scene's message in any case.
        with suppress(*DISCORD_ERRORS, StorageUnavailable):
            await show(placed)

    async def show(placed: StoryScene) -> None:
        drawn = scene_started_card(done.table.state, placed, post=post)
        if not answered:
            await ctx.whisper(drawn)
            return
        rows = await ctx.take_back_rows(action, done)
        drawn = drawn.replace(pieces=(*drawn.pieces, *rows_of(rows)))
        await ctx.replace_answer(with_entry_number(drawn, done.seq))

    outbox = ctx.interactions.outbox
    if scene.opening:
        outbox.scene_threads.tell_when_placed(
            ctx.table, scene, lambda placed: outbox.run_in_background(tell(placed))
        )
    elif not answered or any(map(opens_thread, done.events)):
        await tell(scene)


def _has_news_for_gms(done: ActionResult) -> bool:
    """Return whether an action has told the GMs something that no place shows."""
    return any(event.audience.gms and not event.audience.is_open for event in done.events)


def _started(done: ActionResult) -> StoryScene | None:
    """Return the scene that an action has started, as it is now."""
    began = [event for event in done.events if isinstance(event, Notice)]
    numbers = [event.params.get("number") for event in began if event.what == "scene-begins"]
    scenes = scenes_of(done.table.state)
    return next((scene for scene in scenes if scene.number in numbers), None)
