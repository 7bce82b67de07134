"""Privacy of the places of whisper scenes: the cast's players, GMs and administrators read there.

Members with the permission Manage Threads can open any private thread. Discord tells the bot
nothing of that, and the bot can't prevent it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Any, Final

import discord

from bot.clock import Clock
from bot.delivery.channel_privacy import Leak, channel_leak
from bot.presenters.events import whisper_stub_card
from bot.presenters.render import to_messages
from bot.services.loaded_table import Table
from bot.services.places import PERSONAL_PREFIX
from bot.storage.row_records import OutboxRow
from rules.table.events import Amended, Event, Notice, Undone
from rules.table.gm_office import deputies
from rules.table.initiative import new_place
from rules.table.played_scenes import StoryScene, scenes_of
from rules.table.whispers import cast_players, whisper_at

log = logging.getLogger("storyguide.whisper_places")

#: Notices after which a thread's members may be others than those of the whisper scene in it.
_CAST_STEPS: Final = ("scene-cast", "scene-players", "scene-stays", "play-moved-here")
#: Leaks by which nobody reads more: there is no such place, or the bot can't write in it.
_HARMLESS: Final = ("gone", "bot-cannot")


def changes_cast(event: Event) -> bool:
    """Return whether an event may change who belongs in the thread of a whisper scene."""
    if not event.audience.whisper:
        return False
    # An undo may have put an earlier cast back, and a correction another one.
    is_of_cast = isinstance(event, Notice) and event.what in _CAST_STEPS
    return is_of_cast or isinstance(event, Amended | Undone)


class WhisperPlaces:
    """Looks up on Discord who reads in the places of whisper scenes, and lets the cast in.

    All methods may raise one of `bot.delivery.response.DISCORD_ERRORS`.
    """

    def __init__(self, client: discord.Client, clock: Clock) -> None:
        self._client = client
        self._clock = clock

    async def leak(
        self, table: Table, place: str, people: Iterable[str]
    ) -> tuple[Leak, str] | None:
        """Return why a place is unfit for what only these participants and the GMs may read.

        None if it is fit. The text is the mention of a role or user that reads there, too.
        """
        if table.guild.startswith(PERSONAL_PREFIX):
            return None
        channel = await self._channel(table, place)
        insiders = self._insiders(table, place, people)
        gm_roles = frozenset(map(int, table.state.settings.gm_roles))
        if isinstance(channel, discord.Thread) and channel.is_private():
            return await self._thread_leak(channel, insiders, gm_roles)
        if isinstance(channel, discord.Thread):
            channel = channel.parent
        leak = channel_leak(channel, insiders, gm_roles)
        is_harmless = leak is not None and leak[0] in _HARMLESS
        return None if is_harmless else leak

    async def stub(
        self, table: Table, events: Sequence[Event], out: OutboxRow
    ) -> list[dict[str, Any]] | None:
        """Return what a place shows of a whisper scene's news while others read there.

        None if a row is no such news, or nobody else reads in its place.
        """
        if out.kind in ("mark", "nudge"):
            return None
        people = {who for event in events for who in event.audience.people}
        if events:
            is_whispered = any(event.audience.whisper == out.place for event in events)
        else:
            # A board has no events. That of a place that the scene has left says where it went.
            places = (out.place, new_place(table.state, out.place))
            is_whispered = any(whisper_at(table.state, place) for place in places)
        leak = await self.leak(table, out.place, people) if is_whispered else None
        if leak is None:
            return None
        _, reader = leak
        log.warning("whisper-places.withheld", extra={"out": out.id, "kind": out.kind})
        return to_messages(whisper_stub_card(out.id, reader), row=out.id)

    async def let_in(self, table: Table, place: str, people: Iterable[str]) -> None:
        """Add participants to a private thread; a refusal is only logged."""
        for user in self._users(table, people):
            try:
                await self._client.http.add_user_to_thread(int(place), user)
            except discord.HTTPException as error:
                if error.status >= 500:
                    raise
                log.info("whisper-places.not-added", extra={"code": error.code})

    async def match_cast(self, table: Table, place: str) -> None:
        """Add the cast's players of a place's whisper scene to its thread, and remove who has left.

        Without the right to remove a member, the member stays: then the bot posts no more news
        there.
        """
        channel = await self._channel(table, place)
        scene = next((scene for scene in _whisper_scenes(table, place) if scene.over is None), None)
        if scene is None or not isinstance(channel, discord.Thread) or not channel.is_private():
            return
        there = {member.id for member in await channel.fetch_members()}
        present = cast_players(table.state, scene, self._clock())
        missing = [who for who in present if not there.issuperset(self._users(table, (who,)))]
        await self.let_in(table, place, missing)
        staying = self._insiders(table, place, ())
        for user in self._users(table, scene.left):
            if user in there and user not in staying:
                try:
                    await self._client.http.remove_user_from_thread(channel.id, user)
                except discord.HTTPException as error:
                    if error.status >= 500:
                        raise
                    log.info("whisper-places.not-removed", extra={"code": error.code})

    def gms_and_deputies(self, table: Table) -> tuple[str, ...]:
        """Return the GMs and deputies that a table knows by name."""
        return (*table.state.settings.gms, *deputies(table.state))

    def _insiders(self, table: Table, place: str, people: Iterable[str]) -> frozenset[int]:
        """Return the users who may read in a place, besides those with a GM role."""
        named = [*self.gms_and_deputies(table), *people]
        for scene in _whisper_scenes(table, place):
            if scene.over is None:
                named += cast_players(table.state, scene, self._clock())
        return frozenset(self._users(table, named))

    def _users(self, table: Table, people: Iterable[str]) -> list[int]:
        users = [table.directory.user(who) for who in dict.fromkeys(people)]
        return [int(user) for user in users if user is not None]

    async def _channel(self, table: Table, place: str) -> object:
        """Return a channel or thread of a table's server; None if there is none."""
        guild = self._client.get_guild(int(table.guild))
        if guild is None:
            return None
        channel = guild.get_channel_or_thread(int(place))
        if channel is not None:
            return channel
        try:
            return await guild.fetch_channel(int(place))
        except (discord.NotFound, discord.Forbidden):
            return None

    async def _thread_leak(
        self, thread: discord.Thread, insiders: frozenset[int], gm_roles: frozenset[int]
    ) -> tuple[Leak, str] | None:
        """Return the first member of a private thread who isn't one of the insiders."""
        guild = thread.guild
        try:
            members = await thread.fetch_members()
        except (discord.NotFound, discord.Forbidden):
            return None  # It is gone, or the bot can't write in it.
        for member in members:
            if member.id in insiders or member.id == guild.me.id:
                continue
            known = guild.get_member(member.id)
            if known is not None:
                roles = {role.id for role in known.roles}
                if known.guild_permissions.administrator or roles & gm_roles:
                    continue
            return "member", f"<@{member.id}>"
        return None


def _whisper_scenes(table: Table, place: str) -> list[StoryScene]:
    """Return the whisper scenes of a place, open or over."""
    return [scene for scene in scenes_of(table.state) if scene.private and scene.place == place]
