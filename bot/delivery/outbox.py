"""The outbox's way to Discord: answers, messages of their own, and changes to earlier messages.

Every row has been committed before. A row that can't be sent stays in the outbox. Public results
are posted at a retry or at the next start (`bot.delivery.refused_messages`); private ones precede
the participant's next answer.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import groupby
from operator import attrgetter
from typing import Any, TypedDict, Unpack

import discord

from bot.clock import Clock
from bot.delivery.channel_privacy import gm_channel_leak
from bot.delivery.channel_rights import may_write
from bot.delivery.channels import ChannelHistories, Channels
from bot.delivery.delivery_log import DeliveryLog
from bot.delivery.event_messages import event_messages
from bot.delivery.forum_posts import ForumPosts
from bot.delivery.left_places import LeftPlaces
from bot.delivery.member_roles import held_gm_roles
from bot.delivery.missed_answers import MissedAnswers
from bot.delivery.posts import Posts
from bot.delivery.recovery import Recovery
from bot.delivery.refused_messages import RefusedMessages
from bot.delivery.response import (
    ALREADY_ANSWERED,
    DISCORD_ERRORS,
    UNKNOWN_INTERACTION,
    Response,
    is_outage,
    may_have_succeeded,
)
from bot.delivery.retries import Retries, is_last_try
from bot.delivery.scene_threads import SceneThreads, opens_own_thread
from bot.delivery.send_queue import SendQueue
from bot.delivery.send_rate import SendRate
from bot.delivery.whisper_places import WhisperPlaces
from bot.presenters.controls import Rows
from bot.services.history import entry_and_events
from bot.services.loaded_table import Table
from bot.services.perform import ActionResult
from bot.services.tables import Tables
from bot.storage.errors import StorageUnavailable
from bot.storage.row_records import OutboxRow
from bot.worker_process import WorkerProcess
from rules.table.events import Event

log = logging.getLogger("storyguide.outbox")

#: Discord's codes for missing rights: retries fail until a server's administrator grants them.
FORBIDDEN = frozenset({50001, 50013})
#: Discord's codes for permanent failures.
HOPELESS = frozenset({10003, 10004, 50007, 50024})
#: Seconds for unfinished sends when the process ends.
CLOSING = 10


class _SendOptions(TypedDict, total=False):
    attempt: int
    doubtful: bool
    past: ChannelHistories | None
    due: float | None


def _in_gm_channel_of(
    interaction: discord.Interaction, performed: ActionResult, person: str
) -> tuple[Event, ...]:
    """Return the events whose message in the GM channel stands for an answer.

    That is for GMs, by name or by role, who can read the GM channel, if it gets the message.
    """
    settings, user = performed.table.state.settings, interaction.user
    if person not in settings.gms and not held_gm_roles(user, settings):
        return ()
    posted = _in_gm_channel(performed)
    if not posted or settings.gm_place is None or interaction.guild is None:
        return ()
    channel = interaction.guild.get_channel(int(settings.gm_place))
    # A channel that isn't fit for secrets, or is gone, gets no message.
    if channel is None or gm_channel_leak(channel, performed.table) is not None:
        return ()
    can_read = isinstance(user, discord.Member) and channel.permissions_for(user).view_channel
    return posted if can_read else ()


def _in_gm_channel(performed: ActionResult) -> tuple[Event, ...]:
    """Return the events of which the GM channel gets a message."""
    gm_place = performed.table.state.settings.gm_place
    posts = [out for out in performed.outs if out.kind == "post" and out.place == gm_place]
    private = [out for out in posts if not out.public]
    return tuple(performed.events[index] for out in private for index in out.events)


class Outbox:
    """Sends what the outbox holds, each row once.

    `delivery_log` records what was sent; `refused` keeps what Discord does not take for now.
    Messages are sent at most at the `rate`.
    """

    def __init__(
        self,
        client: discord.Client,
        tables: Tables,
        clock: Clock,
        aside: WorkerProcess,
        rate: SendRate | None = None,
    ) -> None:
        self._tables = tables
        self.delivery_log = DeliveryLog(tables, clock, self.run_in_background)
        #: The way to the channels, at the bot's rate.
        self.channels = Channels(client, tables, aside, rate)
        self.whispers = WhisperPlaces(client, clock)
        self._posts = Posts(self.channels, tables, clock, self.delivery_log, self.whispers)
        self.call_groups = self._posts.call_groups
        self.left_places = LeftPlaces(client, tables, clock, self)
        posts = ForumPosts(client, self.channels, aside)
        self.scene_threads = SceneThreads(
            self.channels, posts, tables, self.whispers, clock, self.dispatch
        )
        self._busy: set[int] = set()
        self._missed_answers = MissedAnswers(tables, self.delivery_log, self._busy)
        self._tasks: set[asyncio.Task[None]] = set()
        self._queue = SendQueue()
        self._recovery = Recovery(tables, self._resend)
        self._closing = False
        self.refused = RefusedMessages(self._resend, self.run_in_background)
        self._retries = Retries(self.refused, self.run_in_background)

    @asynccontextmanager
    async def beside(self, place: str) -> AsyncIterator[None]:
        """Hold a channel's turn and a slot for a message that is no row of the outbox.

        Raises as `SendQueue.send_slot`.
        """
        async with self._queue.hold(place), self._queue.send_slot():
            yield

    async def answer(
        self,
        response: Response,
        performed: ActionResult,
        instead: Sequence[dict[str, Any]] | None = None,
        rows: Rows = (),
    ) -> None:
        """Give the answer to an interaction, then send the other rows in the background.

        A second delivery of the same interaction is answered only if the first never was. `instead`
        replaces the answer; `rows` stand below the answer otherwise.
        """
        reply = performed.reply
        if reply is None or not await self._open(reply, anew=performed.repeated):
            await response.stop()
            return
        self._busy.add(reply.id)
        outs = (reply,) if performed.repeated else performed.outs
        try:
            if await self._answer(response, performed, reply, instead, rows):
                outs = tuple([out for out in outs if out is not reply])
        finally:
            # Even if the answer fails, the other rows are sent; the answer stays in the outbox.
            self._busy.discard(reply.id)
            self.dispatch(performed, outs)

    def _is_taken(self, out: OutboxRow) -> bool:
        """Return whether a row is being sent, or was."""
        return out.id in self._busy or out.id in self.delivery_log

    async def _open(self, out: OutboxRow, *, anew: bool) -> bool:
        """Return whether a row still has to be sent.

        `anew` asks the store, if the row may be an old copy.
        """
        if self._is_taken(out):
            return False
        if anew:
            now = await self._tables.store.outbox_row(out.id)
            return now is not None and now.done_at is None and not self._is_taken(out)
        return out.done_at is None

    async def _answer(
        self,
        response: Response,
        performed: ActionResult,
        reply: OutboxRow,
        instead: Sequence[dict[str, Any]] | None,
        rows: Rows,
    ) -> bool:
        """Give the answer; return False if the reply has to be sent as a message instead."""
        if instead is None and await response.withdraw_deferral():
            return False
        table, person = performed.table, reply.person or ""
        shown = [performed.events[index] for index in reply.events]
        if instead is None and response.brief and all(event.audience.is_open for event in shown):
            response.go_silent()
        stub = None
        if instead is None and response.public:
            stub = await self.whispers.stub(table, shown, reply)
        messages = (
            instead
            or stub
            or event_messages(
                table,
                shown,
                performed.seq,
                None if response.public else person,
                row=reply.id,
                rows=rows,
                posted=_in_gm_channel_of(response.interaction, performed, person),
            )
        )
        try:
            ids = await response.say(messages)
        except DISCORD_ERRORS as error:
            return await self._answer_failed(response, performed, reply, error)
        log.debug("outbox.answered", extra={"out": reply.id})
        where = "/".join(map(str, (response.interaction.channel_id, *ids[: len(messages)])))
        self.delivery_log.record_delivery(reply, where if response.public and ids else None)
        self._retries.note_success()
        self._tables.unsaid.mark_delivered(reply)
        if performed.repeated:
            # After a crash this answer can't be found by the first interaction's token.
            await self.delivery_log.flush()
        await self.show_missed(response, table, person)
        return True

    async def _answer_failed(
        self, response: Response, performed: ActionResult, reply: OutboxRow, error: Exception
    ) -> bool:
        code = getattr(error, "code", 0)
        log.warning(
            "outbox.answer-failed",
            extra={"out": reply.id, "reason": type(error).__name__, "code": code},
        )
        await self._tables.store.mark_failed(reply.id, f"{type(error).__name__} {code}")
        if code in (ALREADY_ANSWERED, UNKNOWN_INTERACTION) or may_have_succeeded(error):
            # The answer may have arrived all the same.
            here = response.interaction
            reply = reply.replace(token=here.token, place=str(here.channel_id))
            self.run_in_background(
                self._send(performed.table, performed.events, [reply], performed.seq, doubtful=True)
            )
            return True
        return False

    async def show_missed(self, response: Response, table: Table, person: str) -> None:
        """Whisper a participant's undelivered answers."""
        await self._missed_answers.show(response, table, person)

    def dispatch(self, done: ActionResult, outs: Sequence[OutboxRow] | None = None) -> None:
        """Send an entry's rows in the background, or the given ones.

        A channel's rows keep their order, and precede those of any later entry.
        """
        if self._closing:
            return
        outs = done.outs if outs is None else outs
        places: dict[str, list[OutboxRow]] = {}
        marked = any(out.kind == "mark" for out in outs)  # later changes wait for a mark
        for out in outs:
            places.setdefault("" if marked else out.place, []).append(out)
        for rows in places.values():
            self.run_in_background(self._send_all(done.table, done.events, rows, done.seq))

    def run_in_background(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine in the background; `close` waits `CLOSING` seconds for it."""
        task = asyncio.create_task(work, name="outbox")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _send_all(
        self, table: Table, events: Sequence[Event], outs: Sequence[OutboxRow], seq: int
    ) -> None:
        for _, rows in groupby(outs, attrgetter("place")):
            together = list(rows)
            if any(out.kind == "mark" for out in together):
                # Messages of the last process must be found first: the mark may change them.
                await self._recovery.wait_until_found(table.id)
                if self._closing:
                    return
            await self._send(table, events, together, seq)

    async def _send(
        self,
        table: Table,
        events: Sequence[Event],
        outs: Sequence[OutboxRow],
        seq: int,
        **how: Unpack[_SendOptions],
    ) -> None:
        """Send rows for one channel, with nothing else between them."""
        mine = [out for out in outs if not self._is_taken(out)]
        if not mine:
            return
        waiting = {out.id for out in mine}
        self._busy |= waiting
        try:
            async with self._queue.hold(mine[0].place):
                for out in mine:
                    waiting.discard(out.id)
                    await self._send_now(table, events, out, seq, **how)
        finally:
            self._busy -= waiting

    async def _send_now(
        self,
        table: Table,
        events: Sequence[Event],
        out: OutboxRow,
        seq: int,
        *,
        attempt: int = 0,
        doubtful: bool = False,
        past: ChannelHistories | None = None,
        due: float | None = None,
    ) -> None:
        """Send one row, and schedule another try if that fails.

        `doubtful`: the message may be there already, so it is looked for first, with the histories
        of `past`. `due` is the time of the row's regular next try, if this one comes early.
        """
        log.debug("outbox.sending", extra={"out": out.id, "kind": out.kind})
        sending = True
        try:
            async with self._queue.send_slot():
                message: str | None = None
                own_thread = out.kind == "thread" and opens_own_thread(events[out.events[0]])
                if doubtful and not own_thread:
                    message = await self._posts.find_sent(table, events, out, seq, past)
                held = message is None and out.kind == "reply" and not out.public
                if own_thread:
                    row_events = [events[index] for index in out.events]
                    messages = event_messages(table, row_events, seq, None, row=out.id)
                    message = await self.scene_threads.open_own(
                        table, events, out, messages, doubtful=doubtful
                    )
                elif message is None and not held:
                    message = await self._posts.carry(table, events, out, seq)
                if message and out.kind == "thread" and not own_thread:
                    await self.scene_threads.open(table, events, out, message, doubtful=doubtful)
            if held and out.events:  # until its participant comes back
                await self._tables.unsaid.hold(out)
                return
        except (*DISCORD_ERRORS, StorageUnavailable) as error:
            code = getattr(error, "code", 0)
            log.warning(
                "outbox.send-failed",
                extra={
                    "out": out.id,
                    "reason": type(error).__name__,
                    "code": code,
                    "attempt": attempt,
                },
            )
            if await self.left_places.redirect(table, out, code):
                return
            refused = code in FORBIDDEN | HOPELESS or is_last_try(attempt)
            outage = not isinstance(error, StorageUnavailable) and is_outage(error)
            # The next try may begin while the failure is recorded: it waits for the channel's turn.
            sending = False
            self._busy.discard(out.id)
            if refused:
                self.refused.add(out, mendable=code not in HOPELESS, outage=outage)
            else:
                doubt = doubtful or may_have_succeeded(error)

                def again(attempt: int, due: float | None) -> Coroutine[Any, Any, None]:
                    how = _SendOptions(attempt=attempt, doubtful=doubt, due=due)
                    return self._send(table, events, [out], seq, **how)

                self._retries.add(out, attempt, again, outage=outage, due=due)
            await self._record_failure(out, f"{type(error).__name__} {code}", hold=refused)
        except Exception as error:
            # Only this row is faulty: it is kept, and the rows after it are sent.
            log.exception("outbox.send-faulty", extra={"out": out.id, "kind": out.kind})
            sending = False
            self._busy.discard(out.id)
            self.refused.add(out, mendable=None)
            await self._record_failure(out, type(error).__name__, hold=True)
        else:
            log.debug("outbox.sent", extra={"out": out.id, "kind": out.kind})
            self.delivery_log.record_delivery(out, message or None)
            self._tables.unsaid.mark_delivered(out)
            self._retries.note_success()
            if message and out.kind != "reply":
                # A channel that took one message will take others.
                self.refused.retry(message.partition("/")[0])
        finally:
            if sending:
                self._busy.discard(out.id)

    async def _record_failure(self, out: OutboxRow, error: str, *, hold: bool) -> None:
        """Record that a row could not be sent; `hold` keeps it for its participant."""
        with suppress(StorageUnavailable):
            await self._tables.store.mark_failed(out.id, error)
            if hold:
                await self._tables.unsaid.hold(out)

    def retry_waiting(self) -> None:
        """Send everything that waits because of an outage: the connection to Discord is back."""
        self._retries.retry_now()

    def recover(self) -> asyncio.Task[None]:
        """Send in the background what the last process committed but did not send."""
        return self.run_in_background(self._recovery.run())

    async def _resend(self, out: OutboxRow, past: ChannelHistories | None = None) -> None:
        """Send a row that may be there already, unless it is known to be."""
        if await self._open(out, anew=True):
            await self.repost([out], doubtful=True, past=past)

    async def retry_refused(self, table: Table) -> None:
        """Try once more every refused row of a table."""
        await self.delivery_log.flush()
        await self.refused.retry_table(table.id)
        await self.delivery_log.flush()

    def retry_writable(self, guild: discord.Guild) -> None:
        """Retry the channels in which the bot may write now, after a change of rights."""
        self.refused.retry_all(lambda place: may_write(guild, int(place)))

    async def repost(self, outs: Sequence[OutboxRow], **how: Unpack[_SendOptions]) -> None:
        """Send rows again, unchanged.

        This also fills a simulated server, whose channels begin empty each time.
        """
        for out in outs:
            entry = await entry_and_events(self._tables, out)
            if entry is not None:
                row, events = entry
                table = await self._tables.get(out.table_id)
                await self._send(table, events, [out], row.seq, **how)

    async def close(self) -> None:
        """Finish and record what is being sent; nothing new starts."""
        self._closing = True
        self.delivery_log.close()
        self._recovery.close()
        self._retries.close()
        self.refused.close()
        self._posts.outdated.close()
        end = asyncio.get_running_loop().time() + CLOSING
        while self._tasks and (left := end - asyncio.get_running_loop().time()) > 0:
            # Unfinished rows are sent, or found, at the next start.
            await asyncio.wait(set(self._tasks), timeout=left)
        await self.delivery_log.flush()
