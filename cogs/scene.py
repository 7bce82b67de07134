"""`/scene`: scenes of the story, each in a place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Storyguide
from bot.delivery.channel_rights import place_name
from bot.presenters.language.text import bare_text
from bot.presenters.scene_list import scene_list_card
from bot.services.scene_casts import scenes_with
from bot.ui.context import Context
from bot.ui.scene_forum import scene_forum
from bot.ui.scene_start import require_thread_place, start_scene
from bot.ui.whisper_start import require_closed_place, require_closed_target
from cogs import command_options, completions
from cogs.command_options import Name, Words
from cogs.completions import CompletionContext, Pairs, of_several, pool_completer, to_gms
from cogs.target_place import Place, target_place
from rules.core.errors import Impossible, InvalidInput
from rules.core.name_matching import split_words
from rules.table import lookup
from rules.table.actions import EndScene, JoinScene, MovePlay, StartScene, SumUp
from rules.table.permissions import known_name, public_name
from rules.table.played_scenes import StoryScene, open_scenes, past_scenes, scenes_of
from rules.table.scenes.scene_actions import SUMMARY_MAX, TITLE_MAX
from rules.table.whispers import knows_scene, scene_as_known

#: A forum as an option of a command.
Forum = discord.ForumChannel
Title = app_commands.Range[str, 1, TITLE_MAX]
Summary = app_commands.Range[str, 1, SUMMARY_MAX]


def _known_to_players(asked: CompletionContext) -> Pairs:
    """Return the characters that players know, by the names that players know."""
    known = lookup.known_characters(asked.state, asked.actor)
    names = [public_name(character) for character in known if character.in_play]
    return [(name, bare_text(name)) for name in names if name and name not in asked.named]


#: Characters for the cast of a new scene; those whose scenes are listed; and scenes of this place
#: that are over, for GMs.
cast_members = of_several(_known_to_players)
known_members = pool_completer(lookup.ever_known_characters)
past_titles = to_gms(
    lambda asked: [
        (str(scene.number), bare_text(scene.title))
        for scene in past_scenes(asked.state, asked.place)
        if scene.title
    ]
)


@to_gms
def open_titles(asked: CompletionContext) -> Pairs:
    """Return the open scenes with their places, for GMs."""
    guild = asked.interaction.guild
    for scene in open_scenes(asked.state):
        where = place_name(guild, scene.place)
        title = bare_text(scene.title)
        yield str(scene.number), f"{title} · {where}" if title else where


def _is_answered_openly(given: Mapping[str, Any]) -> bool:
    """Return whether everybody reads the answer to `/scene start`.

    What a GM types as a name may be a secret, and a thread hangs on a message of its own.
    """
    in_own_thread = given["where"] in ("thread", "post") or given["forum"] is not None
    return given["who"] is None and not in_own_thread and not given["private"]


class Scene(commands.GroupCog, group_name="scene", group_description="Scenes of the story"):
    """start, end, summary, move, join, leave, list."""

    @command_options.command(
        description="GMs: start a scene here, where the one before it ends, in a thread or a post",
        public=_is_answered_openly,
    )
    @app_commands.describe(
        title="What it's called, such as The ferry",
        who="Who is in it, with commas between (default: nobody yet)",
        where="In a new thread of this channel, or in a new post of a forum (default: here)",
        private="A private thread: only its cast and GMs are told what happens (default: off)",
        forum="The forum of the new post (default: the one here, or your table's only one)",
    )
    @completions.autocomplete(who=cast_members)
    async def start(
        self,
        ctx: Context,
        title: Title,
        who: Words | None = None,
        where: Literal["here", "thread", "post"] | None = None,
        private: bool = False,
        forum: Forum | None = None,
    ) -> None:
        cast = split_words(who)
        if where == "post" or (where is None and forum is not None):
            await self._start_in_post(ctx, title, cast, forum, private=private)
            return
        if forum is not None:
            raise InvalidInput("forum-elsewhere", field="forum", value=None)
        is_thread = isinstance(ctx.interaction.channel, discord.Thread)
        in_thread = where == "thread" or (private and where is None and not is_thread)
        if private:
            await require_closed_place(ctx, cast, in_thread=in_thread)
        elif in_thread:
            require_thread_place(ctx)
        await start_scene(
            ctx,
            StartScene(**ctx.origin, title=title, cast=cast, thread=in_thread, private=private),
        )

    async def _start_in_post(
        self, ctx: Context, title: str, cast: tuple[str, ...], forum: Forum | None, *, private: bool
    ) -> None:
        """Start a scene in a forum post.

        Raises Impossible("whisper-in-forum"), and as `scene_forum`.
        """
        ctx.require_gm()
        if private:
            raise Impossible("whisper-in-forum")
        named = None if forum is None else str(forum.id)
        place = scene_forum(ctx, named)
        await start_scene(ctx, StartScene(**ctx.origin, title=title, cast=cast, forum=place))

    @command_options.command(description="GMs: end the scene here", public=True)
    @app_commands.describe(summary="What happened, for the recap and the chronicle")
    async def end(self, ctx: Context, summary: Summary | None = None) -> None:
        await ctx.perform(EndScene(**ctx.origin, summary=summary or ""))

    @command_options.command(
        description="GMs: say what happened in a scene that is over", public=True
    )
    @app_commands.describe(
        text="What happened, for the recap and the chronicle",
        scene="Which scene of this channel (default: the last one)",
    )
    @completions.autocomplete(scene=past_titles)
    async def summary(self, ctx: Context, text: Summary, scene: Title | None = None) -> None:
        await ctx.perform(SumUp(**ctx.origin, summary=text, scene=scene or ""))

    @command_options.command(
        description="GMs: the scene goes on elsewhere, with its checks and initiative"
    )
    @app_commands.describe(
        to="The channel or thread where it goes on",
        scene="Which open scene (default: the one here)",
    )
    @completions.autocomplete(scene=open_titles)
    async def move(self, ctx: Context, to: Place, scene: Title | None = None) -> None:
        target = target_place(ctx, to)
        action = MovePlay(**ctx.origin, what="scene", scene=scene or "", **target)
        await require_closed_target(ctx, action)
        await ctx.perform(action)

    @command_options.command(description="Join the scene here with one of your characters")
    @app_commands.describe(as_="The character who joins")
    @app_commands.rename(as_="as")
    @completions.autocomplete(as_=completions.characters)
    async def join(self, ctx: Context, as_: Name | None = None) -> None:
        await ctx.perform(JoinScene(**ctx.origin, as_=as_))

    @command_options.command(description="Leave the scene here with one of your characters")
    @app_commands.describe(as_="The character who leaves")
    @app_commands.rename(as_="as")
    @completions.autocomplete(as_=completions.characters)
    async def leave(self, ctx: Context, as_: Name | None = None) -> None:
        await ctx.perform(JoinScene(**ctx.origin, as_=as_, back=True))

    @command_options.command(description="The scenes of this table: what is played where")
    @app_commands.describe(who="Only scenes with this character in them, now or earlier")
    @completions.autocomplete(who=known_members)
    async def list(self, ctx: Context, who: Name | None = None) -> None:
        state, name = ctx.table.state, ""
        scenes: Sequence[StoryScene] = _viewable_scenes(ctx)
        if who is not None:
            character = lookup.find_ever_known(state, ctx.actor, who, "who")
            scenes = await scenes_with(ctx.interactions.tables, ctx.reader, scenes, character)
            name = known_name(state, ctx.actor, character)
        await ctx.show(scene_list_card(state, scenes, ctx.place, name))


def _viewable_scenes(ctx: Context) -> Sequence[StoryScene]:
    """Return the scenes that the user may know of, as far as that, the oldest first."""
    viewable: list[StoryScene] = []
    for scene in scenes_of(ctx.table.state):
        if knows_scene(ctx.game, scene) and ctx.reader.can_view(scene.place):
            viewable.append(scene_as_known(ctx.game, scene))
    return sorted(viewable, key=lambda scene: scene.since)


async def setup(bot: Storyguide) -> None:
    """Load the extension; discord.py calls this."""
    await bot.add_cog(Scene())
