"""Carries the outbox to Discord: answers, messages of their own, and changes to earlier messages.

Everything said has been committed before. What cannot be sent stays in the outbox: public results are posted
when the bot tries again or starts again (`bot.ui.refused`), private ones open that person's next answer.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import discord
from discord.http import Route

from bot.clock import Clock
from bot.presenters.events import Presenter
from bot.presenters.render import Controls, to_messages
from bot.services.outgoing import visible
from bot.services.tables import Performed, Table, Tables
from bot.storage import codec
from bot.storage.records import Out
from bot.ui.boards import ARCHIVED, Boards
from bot.ui.privacy import gm_only
from bot.ui.refused import Refused
from bot.ui.response import ALREADY_ANSWERED, TROUBLE, UNKNOWN_INTERACTION, Response, in_doubt
from bot.ui.rights import may_write
from bot.ui.scene import scene_of
from rules.table.actions import Actor
from rules.table.events import CheckChanged, Event, Undone

log = logging.getLogger("storyguide.outbox")

#: How long an interaction's token can still be used to look up its answer, in seconds.
TOKEN_LIFE = 14 * 60
#: Waits before further tries, in seconds; after the last the row counts as refused.
RETRIES = (2, 15, 120, 900)
#: How long delivered answers may wait to be noted, in seconds: they share a commit then.
NOTE_AFTER = 0.2
#: Discord's codes for rights that are missing: trying again at once does not mend that, somebody has to.
FORBIDDEN = frozenset({50001, 50013})
#: Discord's codes for things that nothing mends.
HOPELESS = frozenset({10003, 10004, 50007, 50024})
#: How long what is on its way may take when the process is told to end, in seconds.
CLOSING = 10


class Outbox:
    """Sends what the outbox holds, each row once, and notes what was sent."""

    def __init__(self, client: discord.Client, tables: Tables, presenter: Presenter, clock: Clock) -> None:
        self._client = client
        self._tables = tables
        self._presenter = presenter
        self._clock = clock
        self._boards = Boards(client, tables, post=self._post, reopen=self._reopen, note=self.note_said)
        self._busy: set[int] = set()
        self._settled: set[int] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._timers: set[asyncio.TimerHandle] = set()
        self._said: list[tuple[int, int, str | None]] = []
        self._note_timer: asyncio.TimerHandle | None = None
        self._recovered = asyncio.Event()
        self._closing = False
        self._refused = Refused(self._recover, self._later)

    # --- answers ------------------------------------------------------------------------------------------

    async def answer(
        self, response: Response, performed: Performed, extra: Sequence[dict[str, Any]] = ()
    ) -> None:
        """Give the answer to an interaction, then send the rest in the background.

        A second delivery of the same interaction is answered only if the first never was. `extra` follows
        the answer and belongs to it.
        """
        reply = performed.reply
        if reply is None or not await self._open(reply, anew=performed.repeated):
            await response.stop()
            return
        self._busy.add(reply.id)
        try:
            await self._answer(response, performed, reply, extra)
        finally:
            self._busy.discard(reply.id)
        if not performed.repeated:
            rest = [out for out in performed.outs if out.kind != "reply"]
            self.dispatch(performed.table, performed.events, rest, performed.seq)

    async def _open(self, out: Out, *, anew: bool) -> bool:
        """Whether this has still to be said; `anew` asks the store, where the row may be an old copy."""
        if out.id in self._busy or out.id in self._settled:
            return False
        if anew:
            now = await self._tables.store.out(out.id)
            return now is not None and now.done_at is None and out.id not in self._busy | self._settled
        return out.done_at is None

    async def _answer(
        self, response: Response, performed: Performed, reply: Out, extra: Sequence[dict[str, Any]]
    ) -> None:
        table = performed.table
        person = reply.person or ""
        shown = [performed.events[index] for index in reply.events]
        messages = self._messages(table, shown, performed.seq, None if response.public else person)
        messages += list(extra)
        try:
            message_id = await response.say(messages)
        except TROUBLE as error:
            await self._answer_failed(response, table, performed, reply, error)
            return
        log.debug("outbox.answered", extra={"out": reply.id})
        self._said_row(reply, response.interaction.channel_id, message_id if response.public else None)
        self._tables.said(reply)
        if performed.repeated:
            # The token of the first interaction, by which it could be found again, knows nothing of this.
            await self.note_said()
        await self.show_missed(response, table, person)

    async def _answer_failed(
        self, response: Response, table: Table, performed: Performed, reply: Out, error: Exception
    ) -> None:
        code = getattr(error, "code", 0)
        log.warning(
            "outbox.answer-failed", extra={"out": reply.id, "reason": type(error).__name__, "code": code}
        )
        await self._tables.store.mark_failed(reply.id, f"{type(error).__name__} {code}")
        if code in (ALREADY_ANSWERED, UNKNOWN_INTERACTION) or in_doubt(error):
            # It may have got through all the same.
            reply = replace(
                reply, token=response.interaction.token, place=str(response.interaction.channel_id)
            )
            self._later(self._send(table, performed.events, reply, performed.seq, attempt=0, doubtful=True))
        elif reply.public:
            self.dispatch(table, performed.events, [reply], performed.seq)
        else:
            await self._tables.hold(reply)

    async def _missed_messages(
        self, table: Table, person: str, missed: Sequence[Out]
    ) -> list[dict[str, Any]]:
        messages: list[dict[str, Any]] = []
        for out in missed:
            found = await self._tables.events_of(out)
            if found is None:
                continue
            row, events = found
            cards = self._presenter.missed([events[index] for index in out.events], scene_of(table), row.seq)
            for card in cards:
                messages += to_messages(card, plain=table.state.person(person).plain)
        return messages

    async def show_missed(self, response: Response, table: Table, person: str) -> bool:
        """Tell somebody privately what could not be said earlier; whether there was anything."""
        missed = [out for out in self._tables.missed(table.id, person) if out.id not in self._busy]
        if not missed:
            return False
        self._busy.update(out.id for out in missed)
        try:
            for out in missed:
                await response.whisper(await self._missed_messages(table, person, [out]))
                log.debug("outbox.told-late", extra={"out": out.id})
                if not out.public:
                    self._said_row(out, None, None)
                self._tables.said(out)
                await self.note_said()
        except TROUBLE as error:
            # What did not get through waits for the next answer.
            log.warning("outbox.whisper-failed", extra={"reason": type(error).__name__})
        finally:
            self._busy.difference_update(out.id for out in missed)
        return True

    async def _original(self, token: str) -> int | None:
        """The id of the answer an interaction has, None when it has none that shows anything.

        Raises what `TROUBLE` names when that cannot be found out.
        """
        application = self._client.application_id
        if application is None:
            return None
        # discord.py looks answers up by their Interaction only, and that may be from before the last start.
        route = Route(
            "GET",
            "/webhooks/{webhook_id}/{webhook_token}/messages/@original",
            webhook_id=application,
            webhook_token=token,
        )
        try:
            message = await self._client.http.request(route)
        except discord.HTTPException as error:
            if error.status >= 500:
                raise
            return None
        loading = discord.MessageFlags._from_value(message.get("flags", 0)).loading
        return None if loading else int(message["id"])

    # --- messages of their own ----------------------------------------------------------------------------

    def dispatch(self, table: Table, events: Sequence[Event], outs: Sequence[Out], seq: int) -> None:
        """Send these rows in order, in the background."""
        if self._closing or not outs:
            return
        self._later(self._send_all(table, events, outs, seq))

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work, name="outbox")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _send_all(self, table: Table, events: Sequence[Event], outs: Sequence[Out], seq: int) -> None:
        for out in outs:
            await self._send(table, events, out, seq, attempt=0)

    async def _send(
        self,
        table: Table,
        events: Sequence[Event],
        out: Out,
        seq: int,
        *,
        attempt: int,
        doubtful: bool = False,
    ) -> None:
        """Send one row, and again later when that fails. `doubtful`: it may be there, so look first."""
        if out.kind == "mark":
            # What was sent before the last end must be known first: it may be among what has to change.
            await self._recovered.wait()
            if self._closing:
                return
        if out.id in self._busy or out.id in self._settled:
            return
        self._busy.add(out.id)
        log.debug("outbox.sending", extra={"out": out.id, "kind": out.kind})
        try:
            message = await self._there(table, events, out, seq) if doubtful else None
            if message is None and out.kind == "reply" and not out.public:
                await self._hold(out)
                return
            if message is None:
                message = await self._carry(table, events, out, seq)
        except TROUBLE as error:
            code = getattr(error, "code", 0)
            log.warning(
                "outbox.send-failed",
                extra={"out": out.id, "reason": type(error).__name__, "code": code, "attempt": attempt},
            )
            await self._tables.store.mark_failed(out.id, f"{type(error).__name__} {code}")
            if code in FORBIDDEN | HOPELESS or attempt >= len(RETRIES):
                self._refused.add(out, mendable=code not in HOPELESS)
                await self._tables.hold(out)
            else:
                self._retry(table, events, out, seq, attempt, doubtful=doubtful or in_doubt(error))
        else:
            log.debug("outbox.sent", extra={"out": out.id, "kind": out.kind})
            self._said_row(out, None, message or None)
            self._tables.said(out)
            if message and out.kind != "reply":
                # Where one message gets through, others will.
                self._refused.retry(message.partition("/")[0])
        finally:
            self._busy.discard(out.id)

    async def _hold(self, out: Out) -> None:
        """Keep a private answer until its person comes back; one that says nothing is over."""
        if out.events:
            await self._tables.hold(out)
        else:
            self._said_row(out, None, None)

    def _retry(
        self, table: Table, events: Sequence[Event], out: Out, seq: int, attempt: int, *, doubtful: bool
    ) -> None:
        if self._closing:
            return

        def again() -> None:
            self._timers.discard(timer)
            self._later(self._send(table, events, out, seq, attempt=attempt + 1, doubtful=doubtful))

        timer = asyncio.get_running_loop().call_later(RETRIES[attempt], again)
        self._timers.add(timer)

    async def _carry(self, table: Table, events: Sequence[Event], out: Out, seq: int) -> str:
        """Send one row; returns `<channel id>/<message id>`, or nothing where no message came of it."""
        told = [events[index] for index in out.events]
        if out.kind == "board":
            return await self._boards.carry(out, seq)
        if out.kind == "mark":
            await self._mark(table, told, out, seq)
            return ""
        if out.kind == "post" and not out.public and not await self._still_private(table, out.place):
            # Fail closed: what only the GMs may see does not go to a channel that others can read.
            out = self._as_stub(table, told, out)
        place = out.place
        if out.kind == "stub":
            messages = to_messages(self._presenter.stub(told, out.id, out.person, scene_of(table)))
        else:
            messages = self._messages(table, told, seq, None)
        message_id: int | None = None
        for number, message in enumerate(messages):
            sent = await self._post(int(place), message, nonce=f"{out.id}.{number}")
            message_id = message_id or sent
        return f"{place}/{message_id}"

    async def _post(self, channel_id: int, message: dict[str, Any], nonce: str) -> int:
        channel = self._client.get_partial_messageable(channel_id)
        try:
            # The nonce makes Discord itself drop a second copy of a message sent twice.
            return (await channel.send(**message, nonce=nonce)).id
        except discord.HTTPException as error:
            if error.code != ARCHIVED:
                raise
        await self._reopen(channel_id)
        return (await channel.send(**message, nonce=nonce)).id

    async def _reopen(self, channel_id: int) -> None:
        thread = await self._client.fetch_channel(channel_id)
        if isinstance(thread, discord.Thread):
            await thread.edit(archived=False)

    async def _still_private(self, table: Table, place: str) -> bool:
        guild = self._client.get_guild(int(table.guild))
        channel = guild.get_channel(int(place)) if guild is not None else None
        return gm_only(channel, table) is None

    def _as_stub(self, table: Table, events: Sequence[Event], out: Out) -> Out:
        return replace(out, kind="stub", place=self._public_place(table, events, out.place))

    def _public_place(self, table: Table, events: Sequence[Event], place: str) -> str:
        for event in events:
            if isinstance(event, CheckChanged) and event.view.challenge in table.state.challenges:
                return table.state.challenges[event.view.challenge].place
        return next((known for known in self._tables.places(table.id) if known != place), place)

    # --- changing earlier messages --------------------------------------------------------------------------

    async def _mark(self, table: Table, events: Sequence[Event], out: Out, seq: int) -> None:
        event = events[0]
        store = self._tables.store
        await self.note_said()
        if isinstance(event, Undone):
            await self._find_undone(table, event.entries)
            rows = await self._tables.journal_ids(table.id, event.entries)
            for sent in await store.entry_messages(rows):
                if sent.kind != "board":  # that is brought up to date by a row of its own
                    await self._change(table, sent, undone_by=seq)
            return
        if out.topic is None:
            return
        for sent in await store.topic_messages(table.id, [out.topic]):
            if sent.journal_id < out.journal_id:
                await self._change(table, sent, undone_by=None)

    async def _find_undone(self, table: Table, entries: Sequence[int]) -> None:
        """What was sent but not noted when the process ended, and taken back before it was found again."""
        store = self._tables.store
        for row, _ in await store.entries(table.id, since=min(entries)):
            found = await store.find_request(row.request_id) if row.seq in entries else None
            for out in () if found is None else found[1]:
                if out.error != "undone" or out.message is not None:
                    continue
                there = await self._there(table, codec.read_events(row.events), out, row.seq)
                if there:
                    await store.mark_done([(out.id, self._clock(), there)])

    async def _change(self, table: Table, sent: Out, undone_by: int | None) -> None:
        """Take the buttons off a message, or mark it as undone."""
        found = await self._tables.events_of(sent)
        if found is None or sent.message is None:
            return
        row, events = found
        told = [events[index] for index in sent.events]
        channel_id, message_id = map(int, sent.message.split("/"))
        stub = sent.kind == "stub"
        if sent.kind == "post" and not sent.public:
            # It may have been sent as a stub, or stand where others can read by now.
            stub = sent.place != str(channel_id) or not await self._still_private(table, sent.place)
        if stub:
            messages = to_messages(
                self._presenter.stub(
                    told, sent.id, sent.person, scene_of(table), closed=True, undone_by=undone_by
                )
            )
        else:
            messages = self._messages(table, told, row.seq, None, closed=True, undone_by=undone_by)
        message = self._client.get_partial_messageable(channel_id).get_partial_message(message_id)
        changed = {"content": None, "embed": None, "view": None, **messages[0]}
        changed.pop("files", None)
        try:
            await message.edit(**changed)
        except discord.HTTPException as error:
            if error.code == ARCHIVED:
                await self._reopen(channel_id)
                await message.edit(**changed)
            elif error.status not in (403, 404):
                raise
            # A message that somebody deleted, or that may not be edited any more, needs no mark.
        log.debug("outbox.marked", extra={"out": sent.id})
        await self._tables.store.close_messages([sent.id])

    # --- after a restart ------------------------------------------------------------------------------------

    async def recover(self) -> None:
        """Say what was committed but not said when the process ended; called once, when connected."""
        rows = await self._tables.store.open_outs()
        log.info("outbox.recover", extra={"count": len(rows)})
        for out in rows:
            if out.kind != "mark":
                await self._recover(out)
        self._recovered.set()
        for out in rows:
            if out.kind == "mark":
                await self._recover(out)

    async def _recover(self, out: Out) -> None:
        try:
            # The last word of this process may have come in since the list was made.
            if not await self._open(out, anew=True):
                return
            table = await self._tables.get(out.table_id)
            found = await self._tables.events_of(out)
        except Exception as error:
            # One table that cannot be read must not keep the others from being told.
            log.warning("outbox.recover-failed", extra={"out": out.id, "reason": type(error).__name__})
            return
        if found is not None:
            row, events = found
            await self._send(table, events, out, row.seq, attempt=0, doubtful=True)

    def refused(self, out: Out) -> bool:
        """Whether Discord does not take this, as things are."""
        return out in self._refused

    def tried_again(self, out: Out) -> bool:
        """Whether what was refused is tried again by itself."""
        return self._refused.tried_again(out)

    async def again(self, table: Table) -> None:
        """Try once more what was refused at this table."""
        await self.note_said()
        await self._refused.now(table.id)
        await self.note_said()

    def rights_changed(self, guild: discord.Guild) -> None:
        """Somebody changed what may be done on a server: try the channels in which the bot may write now."""
        self._refused.retry_all(lambda place: may_write(guild, int(place)))

    async def unsaid(self, table: Table, actor: Actor) -> list[tuple[str, int, tuple[Event, ...]]]:
        """What was refused and this actor may see: the channel it is for, the entry's number, and the events."""
        found: list[tuple[str, int, tuple[Event, ...]]] = []
        for out in self._refused.of(table.id):
            entry = await self._tables.events_of(out) if out.kind in ("reply", "post", "stub") else None
            if entry is None or entry[0].undone_by is not None:
                continue
            told = [entry[1][index] for index in out.events]
            seen = tuple(event for event in told if visible(event, table.state, actor))
            if seen:
                found.append((out.place, entry[0].seq, seen))
        return found

    async def repost(self, outs: Sequence[Out]) -> None:
        """Send these again, as they were: for a simulated server, whose channels begin empty every time."""
        for out in outs:
            found = await self._tables.events_of(out)
            if found is not None:
                row, events = found
                await self._send(await self._tables.get(out.table_id), events, out, row.seq, attempt=0)

    async def _there(self, table: Table, events: Sequence[Event], out: Out, seq: int) -> str | None:
        """Where this very message is, if it was sent without being noted: `<channel id>/<message id>`.

        Empty when it is known to be there but needs no reference, None when it is not there. Raises what
        `TROUBLE` names when that cannot be found out.
        """
        if out.kind in ("mark", "board"):
            return None
        if out.kind == "reply" and out.token is not None and self._clock() - out.created_at < TOKEN_LIFE:
            answer = await self._original(out.token)
            if answer is not None:
                return f"{out.place}/{answer}" if out.public else ""
        if out.kind == "reply" and not out.public:
            return None
        if not out.events:
            return ""
        told = [events[index] for index in out.events]
        if out.kind == "post" and not out.public:
            stub = await self._there(table, events, self._as_stub(table, told, out), seq)
            if stub is not None:
                return stub
        if out.kind == "stub":
            wanted = to_messages(self._presenter.stub(told, out.id, out.person, scene_of(table)))[0]
        else:
            wanted = self._messages(table, told, seq, None)[0]
        channel = self._client.get_partial_messageable(int(out.place))
        since = discord.utils.time_snowflake(_moment(out.created_at - 5))
        me = self._client.user
        try:
            async for message in channel.history(after=discord.Object(since), limit=200, oldest_first=True):
                if me is not None and message.author.id == me.id and _same(message, wanted):
                    return f"{out.place}/{message.id}"
        except discord.HTTPException as error:
            if error.status >= 500:
                raise
            # The history may not be read, or the channel is gone: sending will tell.
            log.warning("outbox.history-failed", extra={"out": out.id, "reason": type(error).__name__})
        return None

    # --- noting ---------------------------------------------------------------------------------------------

    def _said_row(self, out: Out, channel_id: int | None, message: int | str | None) -> None:
        if isinstance(message, int):
            message = f"{channel_id}/{message}"
        self._settled.add(out.id)
        self._said.append((out.id, self._clock(), message))
        if self._note_timer is None and not self._closing:
            self._note_timer = asyncio.get_running_loop().call_later(NOTE_AFTER, self._note_soon)

    def _note_soon(self) -> None:
        self._later(self.note_said())

    async def note_said(self) -> None:
        """Write down what was delivered since the last time."""
        if self._note_timer is not None:
            self._note_timer.cancel()
            self._note_timer = None
        rows, self._said = self._said, []
        if not rows:
            return
        log.debug("outbox.noting", extra={"count": len(rows)})
        try:
            await self._tables.store.mark_done(rows)
        except Exception as error:
            # It will be noted with the next; after a crash the message itself is found in its channel.
            log.warning("outbox.note-failed", extra={"count": len(rows), "reason": type(error).__name__})
            self._said = rows + self._said
            return
        self._settled.difference_update(row for row, _, _ in rows)
        log.debug("outbox.noted", extra={"count": len(rows)})

    async def close(self) -> None:
        """Finish what is on its way and note it; nothing new starts."""
        self._closing = True
        self._recovered.set()
        for timer in self._timers:
            timer.cancel()
        self._refused.close()
        end = asyncio.get_running_loop().time() + CLOSING
        while self._tasks and (left := end - asyncio.get_running_loop().time()) > 0:
            # What hangs longer is said, or found, at the next start.
            await asyncio.wait(set(self._tasks), timeout=left)
        await self.note_said()

    def _messages(
        self,
        table: Table,
        events: Sequence[Event],
        seq: int,
        person: str | None,
        *,
        closed: bool = False,
        undone_by: int | None = None,
    ) -> list[dict[str, Any]]:
        plain = person is not None and table.state.person(person).plain
        messages: list[dict[str, Any]] = []
        for card in self._presenter.cards(events, scene_of(table), seq, closed=closed, undone_by=undone_by):
            messages += to_messages(card, plain=plain)
        return messages


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _same(message: discord.Message, wanted: dict[str, Any]) -> bool:
    view: Controls | None = wanted.get("view")
    there = [component.to_dict() for component in message.components]
    if _ids(there) != ([] if view is None else _ids(view.to_components())):
        return False
    embed: discord.Embed | None = wanted.get("embed")
    if embed is None or not message.embeds:
        # Whom it calls may have changed meanwhile, so the line above an embed does not count.
        return embed is None and not message.embeds and (wanted.get("content") or "") == message.content
    shown = message.embeds[0]
    return (shown.title, shown.description, shown.footer.text) == (
        embed.title,
        embed.description,
        embed.footer.text,
    )


def _ids(components: Iterable[Mapping[str, Any]]) -> list[str]:
    """The custom ids of controls, which stand in rows."""
    return [control["custom_id"] for row in components for control in row["components"]]
