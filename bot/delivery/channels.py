"""Messages in Discord's channels: sent once, changed, and found again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import discord
from discord.http import Route

from bot.delivery.drawn_pictures import draw_pictures
from bot.delivery.response import DISCORD_ERRORS
from bot.delivery.send_rate import SendRate
from bot.presenters.control_ids import container_id
from bot.presenters.render import Controls, as_edit, container_ids, custom_ids, is_layout
from bot.services.tables import Tables
from bot.storage.row_records import OutboxRow
from bot.worker_process import WorkerProcess
from rules.core.record import Record

log = logging.getLogger("storyguide.channels")

T = TypeVar("T")

#: Discord's code for a thread that has to be reopened first.
ARCHIVED = 50083
#: Discord's code for a message that it does not take; a layout never becomes a text again.
INVALID = 50035
#: How long Discord may take to tell what stands in a channel, in seconds: longer is trouble.
LOOKUP_TIMEOUT = 4
#: How many messages are looked through for one that was sent without being noted, from either end.
HISTORY_LIMIT = 200


class ChannelHistory(Record):
    """Messages of the bot in a channel, oldest first, after the snowflake `since`; `whole`: all
    there are.
    """

    since: int
    mine: list[discord.Message]
    whole: bool


#: What was seen of each channel before the process sent anything there itself, or why that cannot
#: be seen.
ChannelHistories = dict[str, ChannelHistory | Exception]


def was_sent(message: discord.Message, out: OutboxRow, wanted: dict[str, Any] | None) -> bool:
    """Whether a message is one of this row: a layout tells so (`wanted` may be None), of others
    text and buttons are compared with those that are wanted.
    """
    there = [component.to_dict() for component in message.components]
    if wanted is None or is_layout(wanted):
        return container_id(out.id) in container_ids(there)
    view: Controls | None = wanted.get("view")
    ids = [] if view is None else custom_ids(view.to_components())
    return custom_ids(there) == ids and message.content == (wanted.get("content") or "")


class Channels:
    """Messages in channels: posted, edited, deleted and found again.

    The address of a message is `<channel id>/<message id>`, with further ids for its pages. All
    methods that ask Discord may raise one of `bot.delivery.response.DISCORD_ERRORS`.
    """

    def __init__(
        self,
        client: discord.Client,
        tables: Tables,
        aside: WorkerProcess,
        rate: SendRate | None = None,
    ) -> None:
        self._client = client
        self._tables = tables
        self._aside = aside
        self._rate = rate
        #: The first message that was posted.
        self._first: int | None = None

    def guild_channel(self, guild: str, place: str) -> object:
        """The channel of a server, None where there is none of that id."""
        server = self._client.get_guild(int(guild))
        return None if server is None else server.get_channel(int(place))

    def message(self, where: str) -> discord.PartialMessage:
        """The message that stands there, the first of several."""
        channel_id, message_id = map(int, where.split("/")[:2])
        return self._client.get_partial_messageable(channel_id).get_partial_message(message_id)

    async def post(self, place: str, message: dict[str, Any], nonce: str) -> str:
        """Send a message; returns where it stands."""
        channel = self._client.get_partial_messageable(int(place))
        (message,) = await draw_pictures((message,), self._aside)
        # The nonce makes Discord itself drop a second copy of a message sent twice.
        sent = await self._run_in_open_thread(
            channel.id, lambda: channel.send(**message, nonce=nonce)
        )
        self._first = min(sent.id, self._first or sent.id)
        return f"{place}/{sent.id}"

    def is_before_start(self, message: discord.Message) -> bool:
        """Whether it is older than all that this process has posted."""
        return self._first is None or message.id < self._first

    async def post_all(self, place: str, messages: Sequence[dict[str, Any]], row: int) -> str:
        """Send the messages of a row of the outbox, in order; returns where they stand."""
        sent = [
            await self.post(place, each, f"{row}.{number}") for number, each in enumerate(messages)
        ]
        return "/".join([place, *(where.partition("/")[2] for where in sent)])

    async def edit_all(
        self, where: str, messages: Sequence[dict[str, Any]], row: int
    ) -> tuple[str, discord.HTTPException | None]:
        """Put others into messages that stand there: what is too much goes, what is missing or gone
        is sent.

        Returns where they stand now, and why not, where the first is gone or cannot be changed any
        more.
        """
        place, *there = where.split("/")
        first, *others = messages
        refused = await self.edit(f"{place}/{there[0]}", first)
        if refused is not None:
            return where, refused
        kept = there[:1]
        for id, message in zip(there[1:], others, strict=False):
            refused = await self.edit(f"{place}/{id}", message)
            if refused is not None and refused.status == 404:
                break  # somebody deleted it: it is sent anew, with all that come after it
            kept.append(id)
        for id in there[len(kept) :]:
            await self.delete(f"{place}/{id}")
        for number in range(len(kept), len(messages)):
            sent = await self.post(place, messages[number], f"{row}.{number}")
            kept.append(sent.partition("/")[2])
        return "/".join([place, *kept]), None

    async def edit(self, where: str, message: dict[str, Any]) -> discord.HTTPException | None:
        """Put something else into a message; why not, where it is gone or cannot be changed any
        more.
        """
        (message,) = await draw_pictures((message,), self._aside)
        there = self.message(where)
        try:
            await self._run_in_open_thread(there.channel.id, lambda: self._edit(there, message))
        except discord.HTTPException as error:
            if error.status >= 500:
                raise
            return error
        return None

    async def _edit(self, there: discord.PartialMessage, message: dict[str, Any]) -> None:
        """Whatever form it had before."""
        try:
            await there.edit(**as_edit(message))
        except discord.HTTPException as error:
            if error.code != INVALID or is_layout(message):
                raise
            await there.edit(**as_edit(message, layout=True))

    async def delete(self, where: str) -> None:
        """Take a message of the bot's away; one that is gone, or cannot be taken away, stays as it
        is.
        """
        try:
            await self._wait_for_turn()
            await self.message(where).delete()
        except discord.HTTPException as error:
            if error.status >= 500:
                raise
            log.info("channels.not-deleted", extra={"code": error.code})

    async def _run_in_open_thread(self, channel_id: int, do: Callable[[], Awaitable[T]]) -> T:
        """Do something in a channel; a thread that is archived is opened for it."""
        await self._wait_for_turn()
        try:
            return await do()
        except discord.HTTPException as error:
            if error.code != ARCHIVED:
                raise
        thread = await self._client.fetch_channel(channel_id)
        if isinstance(thread, discord.Thread):
            await thread.edit(archived=False)
        return await do()

    async def _wait_for_turn(self) -> None:
        """Keep to the rate of the bot's requests; a simulated Discord has none."""
        if self._rate is not None:
            await self._rate.wait_for_turn()

    async def find_sent(
        self, out: OutboxRow, wanted: dict[str, Any] | None, past: ChannelHistories | None
    ) -> str | None:
        """Where the message stands that was sent for a row of the outbox, with all its pages; None
        where it was not.

        None is `wanted` of a layout.
        """
        found = await self._fitting(out.place, lambda each: was_sent(each, out, wanted), out, past)
        pages = found if wanted is None or is_layout(wanted) else found[:1]
        return "/".join([out.place, *(str(message.id) for message in pages)]) if pages else None

    async def find(
        self,
        place: str,
        fits: Callable[[discord.Message], bool],
        out: OutboxRow | None = None,
        past: ChannelHistories | None = None,
    ) -> str | None:
        """Where a message of the bot stands that `fits`: the newest, or the oldest that a row can
        have sent.

        `past` remembers what was there, for the next that is looked for. None where there is none,
        or where that may not be looked for: sending will tell.
        """
        found = await self._fitting(place, fits, out, past)
        return f"{place}/{found[0].id}" if found else None

    async def _fitting(
        self,
        place: str,
        fits: Callable[[discord.Message], bool],
        out: OutboxRow | None,
        past: ChannelHistories | None,
    ) -> list[discord.Message]:
        if out is None:
            return [message for message in await self._mine(place) if fits(message)]
        since, past = (
            await self._tables.store.last_interaction_id(out.journal_id),
            {} if past is None else past,
        )
        seen = past.get(place)
        if isinstance(seen, Exception):
            raise seen
        if seen is None or seen.since > since:
            try:
                seen = past[place] = await self._look_back(place, since)
            except DISCORD_ERRORS as error:
                # Whatever else waits for that channel need not wait as long to learn it.
                past[place] = error
                raise
        found = [message for message in seen.mine if fits(message)]
        if not found and not seen.whole and since > seen.since:
            found = [
                message for message in (await self._look_back(place, since)).mine if fits(message)
            ]
        return found

    async def _look_back(self, place: str, since: int) -> ChannelHistory:
        """What came after a snowflake: where that is a lot, the first of it and the last."""
        first = await self._read(place, discord.Object(since))
        mine = self._of_bot(first)
        if len(first) == HISTORY_LIMIT:
            known = {message.id for message in first}
            mine += [
                message for message in reversed(await self._mine(place)) if message.id not in known
            ]
        return ChannelHistory(since, mine, len(first) < HISTORY_LIMIT)

    async def _mine(self, place: str) -> list[discord.Message]:
        """The bot's own among the last messages of a channel, newest first."""
        return self._of_bot(await self._read(place, None))

    def _of_bot(self, messages: Sequence[discord.Message]) -> list[discord.Message]:
        me = self._client.user
        return [message for message in messages if me is not None and message.author.id == me.id]

    async def _read(self, place: str, after: discord.Object | None) -> list[discord.Message]:
        channel = self._client.get_partial_messageable(int(place))
        await self._wait_for_turn()
        try:
            history = channel.history(
                after=after, limit=HISTORY_LIMIT, oldest_first=after is not None
            )
            async with asyncio.timeout(LOOKUP_TIMEOUT):
                return [message async for message in history]
        except discord.HTTPException as error:
            if error.status >= 500:
                raise
            log.warning("channels.history-failed", extra={"reason": type(error).__name__})
        return []

    async def answer_id(self, token: str) -> int | None:
        """The id of the answer an interaction has, None when it has none that shows anything."""
        application = self._client.application_id
        if application is None:
            return None
        # discord.py looks answers up by their Interaction only, and that may be from before the
        # last start.
        route = Route(
            "GET",
            "/webhooks/{webhook_id}/{webhook_token}/messages/@original",
            webhook_id=application,
            webhook_token=token,
        )
        try:
            async with asyncio.timeout(LOOKUP_TIMEOUT):
                message = await self._client.http.request(route)
        except discord.HTTPException as error:
            if error.status >= 500:
                raise
            return None
        loading = discord.MessageFlags._from_value(message.get("flags", 0)).loading
        return None if loading else int(message["id"])
