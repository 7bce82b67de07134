"""Messages in Discord's channels: sent once, changed, and found again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Final, Literal, TypeVar

import discord
from discord.http import Route, handle_message_parameters

from bot.delivery.channel_privacy import gm_channel_leak
from bot.delivery.drawn_pictures import draw_pictures
from bot.delivery.response import DISCORD_ERRORS
from bot.delivery.send_rate import SendRate
from bot.delivery.shared_places import places_shared_with
from bot.delivery.webhooks import Webhooks
from bot.presenters.control_ids import container_id
from bot.presenters.render import Controls, as_edit, container_ids, custom_ids, is_layout
from bot.services.loaded_table import Table
from bot.services.tables import Tables
from bot.storage.row_records import OutboxRow
from bot.worker_process import WorkerProcess
from rules.core.record import Record
from rules.table.readable_places import ReadablePlaces

log = logging.getLogger("storyguide.channels")

T = TypeVar("T")

#: Seconds for which an interaction's answer can be looked up and changed by its token.
TOKEN_LIFE: Final = 14 * 60
#: Discord's code for a thread that has to be reopened first.
ARCHIVED = 50083
#: Discord's code for an invalid message. A layout can't become a text message again.
INVALID = 50035
#: Discord's code for a message that has a thread already.
THREAD_THERE = 160004
#: Discord's code for a server with as many open threads as there can be.
THREADS_FULL = 160006
#: Discord's code for a forum in which each post needs a tag.
TAG_NEEDED = 40067
#: Minutes without a message until Discord archives a thread of the bot: a week.
THREAD_DAYS: Final = 10080
#: Seconds by which Discord's clock and the bot's may differ.
_CLOCKS_DIFFER: Final = 60
#: Flag of a message that only announces an answer.
_LOADING: Final = discord.MessageFlags(loading=True).value
#: Seconds for Discord's answer about a channel's messages; longer counts as an outage.
LOOKUP_TIMEOUT = 4
#: Most messages that are searched for an unrecorded one, from either end.
HISTORY_LIMIT = 200


class ChannelHistory(Record):
    """The bot's messages in a channel after a snowflake, oldest first."""

    since: int
    mine: list[discord.Message]
    #: No message after `since` is missing.
    whole: bool


#: Why a thread couldn't be opened: the bot lacks a permission, the server has too many threads, or
#: the forum wants a tag that the bot may not give.
ThreadRefusal = Literal["", "rights", "full", "tag"]


class OpenedThread(Record):
    """Thread that was opened, or the reason why Discord refused it."""

    thread: str | None
    refusal: ThreadRefusal = ""


#: History of each channel before this process sent anything there, or the error of reading it.
ChannelHistories = dict[str, ChannelHistory | Exception]


def was_sent(message: discord.Message, out: OutboxRow, wanted: dict[str, Any] | None) -> bool:
    """Return whether a message was sent for a row.

    A layout carries the row's number; for it `wanted` may be None. Other messages are compared with
    `wanted` by text and buttons.
    """
    there = [component.to_dict() for component in message.components]
    if wanted is None or is_layout(wanted):
        return container_id(out.id) in container_ids(there)
    view: Controls | None = wanted.get("view")
    ids = [] if view is None else custom_ids(view.to_components())
    return custom_ids(there) == ids and message.content == (wanted.get("content") or "")


def refused_thread(error: discord.HTTPException) -> OpenedThread:
    """Return why Discord refused to open a thread."""
    log.info("channels.no-thread", extra={"code": error.code})
    if error.code == TAG_NEEDED:
        return OpenedThread(None, "tag")
    return OpenedThread(None, "full" if error.code == THREADS_FULL else "rights")


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
        self.webhooks = Webhooks(client)
        self._tables = tables
        self._aside = aside
        self._rate = rate
        #: The first message that was posted.
        self._first: int | None = None

    def is_gm_only(self, table: Table, place: str) -> bool:
        """Return whether a place is a channel that only the table's GMs can read now."""
        server = self._client.get_guild(int(table.guild))
        if server is None:
            return False
        return gm_channel_leak(server.get_channel(int(place)), table) is None

    def places_shared_with(self, guild: str, place: str, others: Iterable[str]) -> ReadablePlaces:
        """Return a place, and those of the others that all its readers can view now."""
        return places_shared_with(self._client.get_guild(int(guild)), place, others)

    def message(self, where: str) -> discord.PartialMessage:
        """Return the message at an address, the first of several pages."""
        channel_id, message_id = map(int, where.split("/")[:2])
        return self._client.get_partial_messageable(channel_id).get_partial_message(message_id)

    async def post(self, place: str, message: dict[str, Any], nonce: str) -> str:
        """Send a message and return its address."""
        channel = self._client.get_partial_messageable(int(place))
        (message,) = await draw_pictures((message,), self._aside)
        # The nonce makes Discord itself drop a second copy of a message sent twice.
        sent = await self.run_in_open_thread(
            channel.id, lambda: channel.send(**message, nonce=nonce)
        )
        self._first = min(sent.id, self._first or sent.id)
        return f"{place}/{sent.id}"

    def is_before_start(self, message: discord.Message) -> bool:
        """Return whether a message is older than every message of this process."""
        return self._first is None or message.id < self._first

    async def post_all(self, place: str, messages: Sequence[dict[str, Any]], row: int) -> str:
        """Send the messages of an outbox row in order and return their address."""
        sent = [
            await self.post(place, message, f"{row}.{number}")
            for number, message in enumerate(messages)
        ]
        return "/".join([place, *(where.partition("/")[2] for where in sent)])

    async def edit_all(
        self, where: str, messages: Sequence[dict[str, Any]], row: int
    ) -> tuple[str, discord.HTTPException | None]:
        """Replace the pages of a message; extra pages are deleted, missing ones are sent.

        Returns the new address, and the refusal if the first page is gone or can't be edited.
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
                break  # a deleted page is sent again, with all pages after it
            kept.append(id)
        for id in there[len(kept) :]:
            await self.delete(f"{place}/{id}")
        for number in range(len(kept), len(messages)):
            sent = await self.post(place, messages[number], f"{row}.{number}")
            kept.append(sent.partition("/")[2])
        return "/".join([place, *kept]), None

    async def edit(self, where: str, message: dict[str, Any]) -> discord.HTTPException | None:
        """Replace a message's contents; return the refusal if it is gone or can't be edited."""
        (message,) = await draw_pictures((message,), self._aside)
        there = self.message(where)
        try:
            await self.run_in_open_thread(there.channel.id, lambda: self._edit(there, message))
        except discord.HTTPException as error:
            if error.status >= 500:
                raise
            return error
        return None

    async def _edit(self, there: discord.PartialMessage, message: dict[str, Any]) -> None:
        """Edit a message, whether it was a layout before or not."""
        try:
            await there.edit(**as_edit(message))
        except discord.HTTPException as error:
            if error.code != INVALID or is_layout(message):
                raise
            await there.edit(**as_edit(message, layout=True))

    async def open_thread(self, where: str, name: str) -> OpenedThread:
        """Open a thread at a message.

        A thread has the id of its message, so one that is there already is known.
        """
        channel_id, message_id = where.split("/")[:2]
        await self.wait_for_turn()
        try:
            await self._client.http.start_thread_with_message(
                int(channel_id), int(message_id), name=name, auto_archive_duration=THREAD_DAYS
            )
        except discord.HTTPException as error:
            if error.code == THREAD_THERE:
                return OpenedThread(message_id)
            if error.status >= 500:
                raise
            return refused_thread(error)
        return OpenedThread(message_id)

    async def open_private_thread(self, place: str, name: str) -> OpenedThread:
        """Open a private thread in a channel.

        A private thread has no message in its channel.
        """
        await self.wait_for_turn()
        try:
            thread = await self._client.http.start_thread_without_message(
                int(place),
                name=name,
                auto_archive_duration=THREAD_DAYS,
                type=discord.ChannelType.private_thread.value,
                invitable=False,
            )
        except discord.HTTPException as error:
            if error.status >= 500:
                raise
            return refused_thread(error)
        return OpenedThread(str(thread["id"]))

    async def rename_thread(self, thread: str, name: str) -> None:
        """Rename a thread of the bot; a refusal is only logged."""
        try:
            await self.wait_for_turn()
            await self._client.http.edit_channel(int(thread), name=name)
        except discord.HTTPException as error:
            if error.status >= 500:
                raise
            log.info("channels.thread-not-renamed", extra={"code": error.code})

    async def find_private_threads(self, place: str, names: Iterable[str], since: int) -> list[str]:
        """Return the bot's private threads of a channel with one of these names, since a time."""
        channel = self._client.get_channel(int(place))
        if not isinstance(channel, discord.TextChannel) or self._client.user is None:
            return []
        found: list[str] = []
        for thread in await channel.guild.active_threads():
            mine = thread.parent_id == channel.id and thread.owner_id == self._client.user.id
            if mine and thread.is_private() and thread.name in names:
                if discord.utils.snowflake_time(thread.id).timestamp() >= since - _CLOCKS_DIFFER:
                    found.append(str(thread.id))
        return found

    async def delete(self, where: str) -> None:
        """Delete a message of the bot; a refusal is only logged."""
        try:
            await self.wait_for_turn()
            await self.message(where).delete()
        except discord.HTTPException as error:
            if error.status >= 500:
                raise
            log.info("channels.not-deleted", extra={"code": error.code})

    async def delete_all(self, where: str) -> None:
        """Delete all pages of a message of the bot; a refusal is only logged."""
        place, *pages = where.split("/")
        for page in pages:
            await self.delete(f"{place}/{page}")

    async def run_in_open_thread(self, channel_id: int, do: Callable[[], Awaitable[T]]) -> T:
        """Call `do` for a channel; an archived thread is opened first."""
        await self.wait_for_turn()
        try:
            return await do()
        except discord.HTTPException as error:
            if error.code != ARCHIVED:
                raise
            archived = error
        thread = await self._client.fetch_channel(channel_id)
        if isinstance(thread, discord.Thread):
            try:
                await thread.edit(archived=False)
            except discord.Forbidden:
                raise archived from None
        return await do()

    async def wait_for_turn(self) -> None:
        """Keep to the rate of the bot's requests; a simulated Discord has none."""
        if self._rate is not None:
            await self._rate.wait_for_turn()

    async def find_sent(
        self, out: OutboxRow, wanted: dict[str, Any] | None, past: ChannelHistories | None
    ) -> str | None:
        """Return the address of a row's message, with all its pages; None if it was not sent.

        `wanted` is None for a layout.
        """
        fitting = await self._fitting(
            out.place, lambda message: was_sent(message, out, wanted), out, past
        )
        pages = fitting if wanted is None or is_layout(wanted) else fitting[:1]
        return "/".join([out.place, *(str(message.id) for message in pages)]) if pages else None

    async def find(
        self,
        place: str,
        fits: Callable[[discord.Message], bool],
        out: OutboxRow | None = None,
        past: ChannelHistories | None = None,
    ) -> str | None:
        """Return the address of the bot's newest message that `fits`.

        With `out` it is the oldest one that the row can have sent. `past` caches histories for
        later calls. None if there is no such message, or if the channel's history can't be read:
        sending will show why.
        """
        fitting = await self._fitting(place, fits, out, past)
        return f"{place}/{fitting[0].id}" if fitting else None

    async def _fitting(
        self,
        place: str,
        fits: Callable[[discord.Message], bool],
        out: OutboxRow | None,
        past: ChannelHistories | None,
    ) -> list[discord.Message]:
        if out is None:
            return [message for message in await self._mine(place) if fits(message)]
        since = await self._tables.store.last_interaction_id(out.journal_id)
        past = {} if past is None else past
        history = past.get(place)
        if isinstance(history, Exception):
            raise history
        if history is None or history.since > since:
            try:
                history = past[place] = await self._look_back(place, since)
            except DISCORD_ERRORS as error:
                # Later rows for that channel fail at once, without waiting for the timeout.
                past[place] = error
                raise
        fitting = [message for message in history.mine if fits(message)]
        if not fitting and not history.whole and since > history.since:
            fitting = [
                message for message in (await self._look_back(place, since)).mine if fits(message)
            ]
        return fitting

    async def _look_back(self, place: str, since: int) -> ChannelHistory:
        """Return the bot's messages after a snowflake: of a long history the first and the last."""
        first = await self._read(place, discord.Object(since))
        mine = self._of_bot(first)
        if len(first) == HISTORY_LIMIT:
            known = {message.id for message in first}
            mine += [
                message for message in reversed(await self._mine(place)) if message.id not in known
            ]
        return ChannelHistory(since, mine, len(first) < HISTORY_LIMIT)

    async def messages_of(self, place: str, author: int, since: int) -> list[discord.Message]:
        """Return the messages of an author after a snowflake, oldest first.

        Of a long history these are the first and the last.
        """
        read = await self._read(place, discord.Object(since))
        if len(read) == HISTORY_LIMIT:
            known = {message.id for message in read}
            last = await self._read(place, None)
            read += [message for message in reversed(last) if message.id not in known]
        return [message for message in read if message.author.id == author]

    async def _mine(self, place: str) -> list[discord.Message]:
        """Return the bot's own among the last messages of a channel, newest first."""
        return self._of_bot(await self._read(place, None))

    def _of_bot(self, messages: Sequence[discord.Message]) -> list[discord.Message]:
        me = self._client.user
        return [message for message in messages if me is not None and message.author.id == me.id]

    async def _read(self, place: str, after: discord.Object | None) -> list[discord.Message]:
        channel = self._client.get_partial_messageable(int(place))
        await self.wait_for_turn()
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

    def _answer_route(self, method: str, token: str) -> Route | None:
        """Return the route to an interaction's answer; None before the bot knows itself.

        discord.py finds answers by their Interaction only, which may be from before the last start.
        """
        application = self._client.application_id
        if application is None:
            return None
        return Route(
            method,
            "/webhooks/{webhook_id}/{webhook_token}/messages/@original",
            webhook_id=application,
            webhook_token=token,
        )

    async def replace_answer(self, token: str, message: dict[str, Any]) -> None:
        """Replace an interaction's answer, whose message has no files, unless it is gone."""
        route = self._answer_route("PATCH", token)
        if route is None:
            return
        with handle_message_parameters(**as_edit(message)) as sent:
            payload = sent.payload
        try:
            await self._client.http.request(route, json=payload)
        except discord.HTTPException as error:
            if error.status >= 500:
                raise
            log.info("channels.answer-gone", extra={"code": error.code})

    async def answer_id(self, token: str) -> int | None:
        """Return the id of an interaction's answer, or None if it shows nothing yet."""
        route = self._answer_route("GET", token)
        if route is None:
            return None
        try:
            async with asyncio.timeout(LOOKUP_TIMEOUT):
                message = await self._client.http.request(route)
        except discord.HTTPException as error:
            if error.status >= 500:
                raise
            return None
        is_loading = message.get("flags", 0) & _LOADING
        return None if is_loading else int(message["id"])
