"""A server with people who play, and a bot that can be killed and started again on the same
database.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import re
import signal
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Container, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from bot.delivery.delivery_log import BURIED_AFTER
from bot.services.check_calls import awaited_parties, is_still_called, replaces_call
from bot.services.outbox_plan import is_told_on_card
from bot.services.replay import replay
from bot.services.tables import Tables
from bot.storage import codec
from bot.storage.location import ServerAddress
from bot.storage.server_session import translate
from bot.storage.store import SqlStore
from rules.table.events import CheckChanged, Event
from rules.table.state import TableState
from tests.discord.world import plain_label
from tests.loopback.bot_main import CLOCK, ORDERS
from tests.loopback.interactions import Interaction
from tests.loopback.launch import TOKEN
from tests.loopback.models import (
    EMBED_LINKS,
    MANAGE_CHANNELS,
    READ_HISTORY,
    SEND_MESSAGES,
    VIEW_CHANNEL,
    Channel,
    Guild,
    Message,
    Upload,
    User,
    walk,
)
from tests.loopback.nursery import Nursery, Offspring
from tests.loopback.server import StandIn
from tests.loopback.world import DISCORD_EPOCH_MS
from tests.sample_table import ebb_character

SEE = VIEW_CHANNEL | SEND_MESSAGES | EMBED_LINKS | READ_HISTORY
#: Within how many seconds before its death the bot may not have noted what it had told late.
LAST_WORD = 0.5
#: How many seconds after its death something may still arrive.
IN_FLIGHT = 0.08
#: How Discord numbers the announcement of an answer.
ANNOUNCED = 5
#: … acknowledged without a word: what changes is the message that was pressed.
SILENT = 6
#: Seconds between two looks at whether something has happened, at least and at most.
LOOK_AGAIN = 0.004
LONGEST_PAUSE = 0.1
#: Seconds that something in the world may take at most.
PATIENCE = 60.0


#: Stands for the menu that fields share, which is called by what is in it.
SHARED = "All the rest"


def is_menu(item: Mapping[str, Any], placeholder: str) -> bool:
    """Whether it is the menu of that name."""
    shared = placeholder == SHARED and str(item.get("custom_id", "")).endswith(":s")
    return item.get("placeholder") == placeholder or (shared and bool(item.get("placeholder")))


@dataclass(frozen=True)
class Row:
    """A row of the outbox as the checks need it. `rest` are further messages of it: pages, and the
    call beside.
    """

    id: int
    seq: int
    table: int
    kind: str
    place: str
    person: str | None
    public: bool
    events: tuple[int, ...]
    error: str | None
    done: bool
    message: str | None
    request: str
    topic: str | None
    rest: tuple[str, ...]
    closed: bool


def upload(name: str, data: Any) -> Upload:
    """A file of JSON."""
    return Upload(f"{name}.json", json.dumps(data).encode(), "application/json")


class Rim:
    """The server "The Rim" with Gina, who leads, and the players Ana and Ben; the bot comes and
    goes.
    """

    def __init__(
        self, standin: StandIn, nursery: Nursery, folder: Path, shard: tuple[int, int] = (0, 1)
    ) -> None:
        self.standin = standin
        self.nursery = nursery
        self.path = folder / "storyguide.db"
        #: Address of a server to run on instead of the file.
        self.database: str | None = None
        #: Address by which the checks read what is stored on a server.
        self.server: ServerAddress | None = None
        self._folder = folder
        self._orders = folder / "orders"
        self._clock = folder / "clock"
        self._numbers = itertools.count(1)
        self.guild: Guild = standin.add_guild("The Rim", shard=shard)
        leads = standin.add_role(self.guild, "leads", MANAGE_CHANNELS)
        self.gina = standin.add_member(self.guild, "gina", [leads])
        self.ana = standin.add_member(self.guild, "ana")
        self.ben = standin.add_member(self.guild, "ben")
        closed = {self.guild: (0, VIEW_CHANNEL), self.gina: (SEE, 0), standin.me: (SEE, 0)}
        self.gm_room = standin.add_channel(self.guild, "gm-room", closed)
        self.bot: Offspring | None = None
        self.starts = 0
        self.deaths: list[float] = []

    # the process
    # ---------------------------------------------------------------------------------------

    async def start(self, *, ready: bool = True) -> Offspring:
        """Start the bot; `ready` waits until it has said what was unsaid."""
        assert self.bot is None or not self.bot.running
        self.bot = await self.fork()
        if ready:
            done = ("app.ready", "outbox.recovered")
            await self.wait(lambda: all(word in self.output() for word in done) or not self.running)
            assert self.running, self.output()
        return self.bot

    async def fork(self) -> Offspring:
        """Start one more process with the same settings, beside the bot."""
        self.starts += 1
        env = {
            "DISCORD_TOKEN": TOKEN,
            "STORYGUIDE_DATABASE": self.database or str(self.path),
            "LOG_LEVEL": "DEBUG",
            ORDERS: str(self._orders),
            CLOCK: str(self._clock),
        }
        return await self.nursery.fork(self.standin.port, env, self._folder / f"{self.starts}.log")

    @property
    def running(self) -> bool:
        return self.bot is not None and self.bot.running

    def output(self) -> str:
        """What the present, or last, process has written."""
        return "" if self.bot is None else self.bot.output()

    def order(self, event: str, count: int = 1) -> None:
        """Have the bot die at the `count`-th occurrence of an event from now on."""
        spare = self._orders.with_suffix(f".{next(self._numbers)}")
        spare.write_text(f"{event} {count} {spare.suffix}")
        spare.replace(self._orders)

    def withdraw_order(self) -> None:
        self._orders.unlink(missing_ok=True)

    async def died(self, *, unless: Callable[[], bool] | None = None) -> None:
        """Wait for the death that was ordered; when it does not come although all is done, kill
        now.

        How often something is logged may depend on how fast the machine is just now.
        """
        assert self.bot is not None
        if unless is not None:
            await self.wait(lambda: not self.running or unless())
            await self.quiet(0.2)
            self.bot.send_signal(signal.SIGKILL)
        assert await self.bot.ended(PATIENCE) == -signal.SIGKILL, self.output()
        self.deaths.append(time.time())
        self.withdraw_order()

    def turn_clock(self, days: float) -> None:
        """Have the bot believe that it is so many days later."""
        self._clock.write_text(str(int(days * 86_400)))

    async def kill(self) -> None:
        if self.bot is not None and self.bot.running:
            self.deaths.append(time.time())
            await self.bot.kill()

    async def stop(self) -> None:
        """SIGTERM; the bot ends in order, with everything said and noted."""
        assert self.bot is not None
        self.bot.send_signal(signal.SIGTERM)
        assert await self.bot.ended(20) == 0, self.output()

    async def wait(self, condition: Callable[[], Any], within: float = PATIENCE) -> None:
        """Wait for something that nobody announces. TimeoutError, with the bot's output.

        Looking takes a fifth of the time at most: the rest is for the bot, which may share the
        processor.
        """
        loop = asyncio.get_running_loop()
        end = loop.time() + within
        looked = loop.time()
        while not condition():
            now = loop.time()
            if now > end:
                raise TimeoutError(f"not within {within} s:\n{self.output()[-1500:]}")
            await asyncio.sleep(min(max(LOOK_AGAIN, 4 * (now - looked)), LONGEST_PAUSE))
            looked = loop.time()

    async def quiet(self, seconds: float = 0.04) -> None:
        """Wait until the bot has had nothing to write for a while."""
        loop = asyncio.get_running_loop()
        written, since = len(self.output()), loop.time()

        def silent() -> bool:
            nonlocal written, since
            if (now := len(self.output())) != written:
                written, since = now, loop.time()
            return loop.time() - since > seconds

        await self.wait(silent)

    # what people do
    # ------------------------------------------------------------------------------------

    def emit(self, who: User, place: Channel, command: str, /, **options: Any) -> Interaction:
        """A slash command, whatever comes of it."""
        given = {key.rstrip("_"): value for key, value in options.items()}
        return self.standin.emit_slash(self.guild, place, who, command, given)

    async def do(self, who: User, place: Channel, command: str, /, **options: Any) -> Interaction:
        """A slash command with its answer."""
        return await self.emit(who, place, command, **options).answered(PATIENCE)

    def press(self, who: User, message: Message, label: str) -> Interaction:
        """A click, whatever comes of it."""
        return self.standin.emit_component(message, who, button(message, label))

    async def begin(
        self,
        system: str,
        sheets: Mapping[str, Mapping[str, Any]],
        *,
        grown: bool = False,
        **options: Any,
    ) -> Channel:
        """A new channel with a table, and the characters of Ana and Ben by their names."""
        place = self.place()
        await self.do(self.gina, place, "setup", game=system, **options)
        # The commands that only some systems have are registered in the background.
        own = {"masterbook": "mb", "barmore": "barmore", "ego": "ego"}.get(system)
        await self.wait(
            lambda: own is None or (1, own) in self.standin.commands.get(self.guild.id, {})
        )
        for who, (name, sheet) in zip((self.ana, self.ben), sheets.items(), strict=True):
            more = {"grown": True} if grown else {}
            await self.do(who, place, "character import", file=upload(name, sheet), **more)
        return place

    async def panel(self, who: User, place: Channel, label: str) -> Message:
        """What opens behind the button of that label, once all is said."""
        await self.settled()
        return await self.click(who, self.with_button(place, label), label)

    async def click(self, who: User, message: Message, label: str) -> Message:
        """A click with the message that it gave or changed."""
        done = await self.press(who, message, label).answered(PATIENCE)
        assert done.response is not None
        return done.response

    async def choose(self, who: User, message: Message, placeholder: str, *values: str) -> Message:
        """A choice from a menu."""
        ids = [item["custom_id"] for item in walk(message.components) if is_menu(item, placeholder)]
        done = await self.standin.emit_component(message, who, ids[0], values).answered(PATIENCE)
        assert done.response is not None
        return done.response

    async def table(self, *, gm_room: bool = True) -> Channel:
        """A new channel with a table of EBB, Ana's Marek and Ben's Ilka."""
        sheets = {name: ebb_character(name) for name in ("Marek", "Ilka")}
        room: dict[str, Any] = {"gm_channel": self.gm_room} if gm_room else {}
        return await self.begin("ebb", sheets, **room)

    def place(self) -> Channel:
        """A new channel."""
        return self.standin.add_channel(self.guild, f"zone-{next(self._numbers)}")

    # what can be seen
    # ----------------------------------------------------------------------------------

    def said(self, place: Channel) -> list[Message]:
        """The bot's messages in a channel, oldest first."""
        return [message for message in place.messages if message.author is self.standin.me]

    def with_button(self, place: Channel, label: str) -> Message:
        """The newest message of a channel that has such a button."""
        return next(message for message in reversed(self.said(place)) if has_button(message, label))

    def whispers(self, who: User) -> list[Message]:
        """Everything that only this person was shown, in order, as it looks now."""
        found = {
            message.id: message
            for sent in self.standin.interactions
            if sent.user is who
            for message in sent.messages
            if message.ephemeral
        }
        return list(found.values())

    def _told(self, user: str) -> dict[int | None, list[Message]]:
        """What a user was told alone, by the number under it: one message for each time, of those
        it took.

        What they opened themselves, as often as they liked, does not count; what they missed may be
        told along with it. A panel that an answer replaced belongs to the press that was answered.
        """
        found: dict[int | None, list[Message]] = {}
        seen: set[int] = set()
        for sent in reversed(self.standin.interactions):
            if str(sent.user.id) != user:
                continue
            opens = str(sent.data.get("custom_id")).startswith("sg:show:")
            opened = number(sent.response) if opens and sent.response is not None else None
            told: dict[int | None, dict[tuple[str, ...], list[Message]]] = {}
            for message in sent.messages:
                if opened is not None and number(message) == opened:
                    continue
                if message.ephemeral and message.id not in seen:
                    seen.add(message.id)
                    told.setdefault(number(message), {}).setdefault(
                        tuple(message.texts()), []
                    ).append(message)
            for key, texts in told.items():
                found.setdefault(key, []).extend(max(texts.values(), key=len))
        return found

    def was_last_word(self, message: Message) -> bool:
        """Whether the bot was killed right after it sent this message, which may arrive when it is
        dead.
        """
        at = ((message.id >> 22) + DISCORD_EPOCH_MS) / 1000
        return any(-IN_FLIGHT < death - at < LAST_WORD for death in self.deaths)

    # what is stored
    # ------------------------------------------------------------------------------------

    def query(self, sql: str, *args: object) -> list[Any]:
        if self.server is not None:
            return query_server(self.server, sql, *args)
        with contextlib.closing(sqlite3.connect(self.path, timeout=10)) as connection:
            return connection.execute(sql, args).fetchall()

    def outbox(self) -> list[Row]:
        """Every row of the outbox that is about this server's tables."""
        rows = self.query(
            "SELECT outbox.id, seq, outbox.table_id, outbox.kind, outbox.place, person, public, "
            "outbox.events, error,"
            " done_at IS NOT NULL, message, request_id, topic, closed"
            " FROM outbox JOIN journal ON journal.id = journal_id"
            " JOIN game_table ON game_table.id = outbox.table_id"
            " WHERE game_table.guild = ? ORDER BY outbox.id",
            str(self.guild.id),
        )
        stand = [pages_of(row[10]) for row in rows]
        return [
            Row(
                *row[:6],
                public=bool(row[6]),
                events=tuple(json.loads(row[7])),
                error=row[8],
                done=bool(row[9]),
                message=pages[0] if pages else None,
                request=row[11],
                topic=row[12],
                rest=pages[1:],
                closed=bool(row[13]),
            )
            for row, pages in zip(rows, stand, strict=True)
        ]

    def journalled(self, sent: Interaction) -> int | None:
        """The number under which an interaction is in its table's journal."""
        rows = self.query("SELECT seq FROM journal WHERE request_id = ?", str(sent.id))
        return rows[0][0] if rows else None

    def events_of(self, row: Row) -> Sequence[Event]:
        """What came of a row's entry."""
        ((events,),) = self.query(
            "SELECT events FROM journal WHERE table_id = ? AND seq = ?", row.table, row.seq
        )
        return codec.read_events(events)

    def told(self, *, all_: bool = True) -> bool:
        """Whether nothing is left to be said; unless `all_`, what waits for its person may be."""
        rest = "" if all_ else " AND (kind != 'reply' OR public = 1)"
        return not self.query(f"SELECT 1 FROM outbox WHERE done_at IS NULL{rest} LIMIT 1")

    async def settled(self) -> None:
        """Wait until nothing is left to be said, but what waits for its person."""
        await self.wait(lambda: self.told(all_=False))

    async def state(self, table_id: int) -> TableState:
        """A table as it is stored."""
        store = await SqlStore.open(self.server or self.path, reading=True)
        try:
            row = await store.load_table(table_id)
        finally:
            await store.close()
        assert row is not None
        return codec.read_state(row.system, table_id, row.parts)

    async def check_files(self) -> None:
        """The database is whole, and each table is what its journal makes of it. The bot does not
        run.
        """
        if self.server is None:
            assert self.query("PRAGMA integrity_check") == [("ok",)]
            assert self.query("PRAGMA foreign_key_check") == []
        # Elsewhere, so that a server in this event loop goes on.
        await asyncio.to_thread(lambda: asyncio.run(self._check_replay()))

    async def _check_replay(self) -> None:
        store = await SqlStore.open(self.server or self.path)
        try:
            tables = Tables(store)
            await tables.start()
            for table_id in sorted(set((await tables.store.place_tables()).values())):
                assert await replay(store, table_id) == (await tables.get(table_id)).state
        finally:
            await store.close()

    def _newest(self, rows: Sequence[Row]) -> dict[str, int]:
        """The number that each message bears: of a card, that of the last step which it shows."""
        undone: dict[tuple[int, int], int] = {
            (table, seq): by
            for table, seq, by in self.query(
                "SELECT table_id, seq, undone_by FROM journal WHERE undone_by IS NOT NULL"
            )
        }
        newest: dict[str, int] = {}
        cards: dict[tuple[int, str], str] = {}
        for row in rows:
            if row.kind == "mark" and row.topic is None:
                # What is taken back is shown as it was.
                newest |= {
                    each.message: each.seq
                    for each in rows
                    if each.message is not None and each.kind not in ("board", "call")
                    if undone.get((each.table, each.seq)) == row.seq and each.table == row.table
                }
            if row.kind == "mark" or (row.error == "undone" and row.message is None):
                continue
            card = (row.table, row.topic or "")
            if row.message is not None:
                newest[row.message] = row.seq
                if card[1].startswith("card:"):
                    cards[card] = row.message
            elif row.kind == "card" and row.done and card in cards:
                newest[cards[card]] = row.seq
        return newest

    @staticmethod
    def _beside(
        rows: Sequence[Row],
        entries: Mapping[tuple[int, int], Sequence[Event]],
        there: Mapping[str, Message],
    ) -> None:
        """What calls to something private is a plain message beside it, until that has moved on."""
        for row in rows:
            if row.kind == "card":
                continue
            events = [entries[row.table, row.seq][index] for index in row.events]
            if (
                row.kind == "post"
                and row.message is not None
                and row.message.startswith(f"{row.place}/")
            ):
                assert bool(row.rest) >= any(event.ping or event.ping_gms for event in events), row
            for key in row.rest:
                assert key in there or row.closed, row
                assert not (row.closed and key in there and is_plain(there[key])), row

    def _called(
        self,
        rows: Sequence[Row],
        entries: Mapping[tuple[int, int], Sequence[Event]],
        there: Container[str | None],
    ) -> None:
        """Who is called to a check by a message is waited for still; otherwise the message
        is gone.
        """
        over = {
            (table, seq)
            for table, seq in self.query(
                "SELECT table_id, seq FROM journal WHERE undone_by IS NOT NULL"
            )
        }
        told: dict[tuple[int, str], list[tuple[Row, CheckChanged]]] = {}
        for row in rows:
            for event in (entries[row.table, row.seq][index] for index in row.events):
                if row.kind in ("card", "call") and isinstance(event, CheckChanged):
                    told.setdefault((row.table, event.check), []).append((row, event))
        for steps in told.values():
            for call, event in steps:
                if call.kind != "call" or (call.error == "undone" and call.message is None):
                    continue
                awaited = awaited_parties(event)
                later = [
                    (row, now) for row, now in steps if row.kind == "card" and row.seq > call.seq
                ]
                moved = [
                    row.error != "undone"
                    for row, now in later
                    if not is_still_called(awaited, awaited_parties(now))
                ]
                gone = (call.table, call.seq) in over or any(moved)
                assert (call.message in there) <= (not gone), call
                # A later call may name all those who have not answered yet.
                replaced = any(
                    row.kind == "call"
                    and row.seq > call.seq
                    and replaces_call(awaited_parties(now), awaited)
                    for row, now in steps
                )
                # One that came too late to call anybody was not sent.
                assert gone or moved or replaced or call.message in there, call

    def _moved_on(self, rows: Sequence[Row]) -> tuple[set[str | None], set[str | None]]:
        """What stood for something private until that moved on: it goes then. And which of it was
        taken back, too: that is marked and stays, unless it was gone.
        """
        undone = set(self.query("SELECT table_id, seq FROM journal WHERE undone_by IS NOT NULL"))
        marked = [
            (row.table, row.topic, row.seq) for row in rows if row.kind == "mark" and row.topic
        ]
        over = [
            row
            for row in rows
            if row.closed and is_stub(row)
            if any(mark[:2] == (row.table, row.topic) and mark[2] > row.seq for mark in marked)
        ]
        return {row.message for row in over}, {
            row.message for row in over if (row.table, row.seq) in undone
        }

    def _silent(self) -> set[str]:
        """The requests that were acknowledged without a word: whoever pressed a button of a card
        sees that change.
        """
        pressed = {
            (sent.user.id, sent.data.get("custom_id"))
            for sent in self.standin.interactions
            if sent.callback_type == SILENT
        }
        return {
            str(sent.id)
            for sent in self.standin.interactions
            if (sent.user.id, sent.data.get("custom_id")) in pressed
        }

    def check_said(self, seen: Sequence[Interaction] = ()) -> None:
        """Everything was said once, and nothing that is not in the journal. Nothing is on
        its way.
        """
        rows = self.outbox()
        requests = [row for (row,) in self.query("SELECT request_id FROM journal")]
        assert len(requests) == len(set(requests))
        messages = {
            f"{channel.id}/{message.id}": message
            for channel in (*self.guild.channels.values(), *self.guild.threads.values())
            for message in self.said(channel)
            if not message.loading
        }
        # A card is one message that every step of its check edits; it bears the number of the last.
        noted = [row.message for row in rows if row.message is not None and row.kind != "card"]
        twice = [row for row in rows if row.kind != "card" and noted.count(str(row.message)) > 1]
        assert not twice, twice
        noted += [row.message for row in rows if row.message is not None and row.kind == "card"]
        newest = self._newest(rows)
        cards = {(row.table, row.topic) for row in rows if row.message is not None}
        # What a card went on in when it was old or buried, for each message that it stood in.
        stood: dict[tuple[int, str | None], str] = {}
        onward: dict[str, str] = {}
        for row in rows:
            if row.message is not None and (row.topic or "").startswith("card:"):
                before = stood.get((row.table, row.topic), row.message)
                onward |= {} if before == row.message else {before: row.message}
                stood[row.table, row.topic] = row.message
        rest = [key for row in rows for key in row.rest if row.kind != "card"]
        assert len(rest) == len(set(rest)), [row for row in rows if row.rest]
        noted += rest
        # Who is called to something is called by a message that goes once they have answered.
        gone = {row.message for row in rows if row.kind == "call"} | set(rest)
        over, taken = self._moved_on(rows)
        assert not (over - taken) & set(messages), [
            row for row in rows if row.message in over - taken
        ]
        gone |= over
        assert set(messages) <= set(noted) and set(noted) - gone <= set(messages), (
            [messages[key].texts() for key in set(messages) - set(noted)],
            [row for row in rows if row.message in set(noted) - gone - set(messages)],
            [row for row in rows if row.kind == "board"],
        )
        entries: dict[tuple[int, int], Sequence[Event]] = {
            (table, seq): codec.read_events(events)
            for table, seq, events in self.query("SELECT table_id, seq, events FROM journal")
        }
        self._beside(rows, entries, messages)
        self._called(rows, entries, messages)
        users: dict[tuple[int, str], str] = {
            (table, person): user
            for table, person, user in self.query("SELECT table_id, id, user_id FROM person")
        }
        bound: list[tuple[str, int]] = self.query("SELECT id, table_id FROM place")
        settings = self.query("SELECT table_id, body FROM part WHERE key = 'settings'")
        led_apart = {table for table, body in settings if json.loads(body).get("gm_place")}
        told = {user: self._told(user) for user in set(users.values())}
        silent = self._silent()
        for row in rows:
            if row.kind == "mark" or not row.events or (row.error == "undone" and not private(row)):
                continue
            if not private(row):
                if row.kind == "card" and row.message is None:
                    # Edited: the message of an earlier step bears its number.
                    assert row.done and (row.table, row.topic) in cards, row
                    continue
                if row.kind == "call" and row.message is None:
                    continue
                assert row.message is not None, row
                if row.message in onward:
                    # A link to the next is all that is left of it.
                    first, last = (
                        int(where.split("/")[1]) for where in (row.message, onward[row.message])
                    )
                    near = [each for each in noted if each.startswith(f"{row.place}/")]
                    between = [each for each in near if first < int(each.split("/")[1]) < last]
                    moved = not onward[row.message].startswith(f"{row.place}/")
                    assert moved or self._clock.exists() or len(between) >= BURIED_AFTER, row
                    (left,) = messages[row.message].texts()
                    link = f"channels/{self.guild.id}/{onward[row.message]})"
                    assert row.closed and left.endswith(link), (row, left)
                elif row.kind not in ("stub", "call") and row.message.startswith(f"{row.place}/"):
                    assert number(messages[row.message]) == newest[row.message], (
                        row,
                        messages[row.message].texts(),
                        [
                            each
                            for each in rows
                            if each.topic == row.topic and each.table == row.table
                        ],
                    )
            else:
                assert row.person is not None
                # What is told late is told wherever that person is at this table.
                places = {row.place, *(place for place, table in bound if table == row.table)}
                if row.table in led_apart:
                    places.add(str(self.gm_room.id))
                user = users[row.table, row.person]
                found = told[user].get(row.seq, ())
                shown = [message for message in found if str(message.channel.id) in places]
                # What was taken back before it was said is not said any more; it may have arrived
                # all the same.
                due = row.done and row.request not in silent
                most, least = (1, 0) if row.error == "undone" else (due, due)
                if on_card(row, entries[row.table, row.seq]):
                    least = 0
                lost = [message for message in shown if self.was_last_word(message)]
                # What is told late is told again when the process dies before it has noted that.
                assert len(shown) - len(lost) <= most and least <= len(shown), (
                    row,
                    [m.texts() for m in shown],
                )
        for sent in seen:
            response = sent.response
            if response is not None and not response.ephemeral and not response.loading:
                where, seq = f"{response.channel.id}/{response.id}", self.journalled(sent)
                if where in onward:
                    continue
                if any(row.message == where and row.seq == seq for row in rows):
                    assert number(response) == newest[where], (response.texts(), newest[where])
                else:
                    assert number(response) == seq


def query_server(address: ServerAddress, sql: str, *args: object) -> list[Any]:
    """Return the rows of a query with `?` for its values, from a server's database."""
    with psycopg.connect(address.dsn, autocommit=True, cursor_factory=psycopg.RawCursor) as session:
        return session.execute(translate(sql).encode(), args).fetchall()


@contextlib.contextmanager
def during(what: str) -> Iterator[None]:
    """Say of a failure what was being done."""
    try:
        yield
    except Exception as error:
        error.add_note(f"during: {what}")
        raise


def pages_of(where: str | None) -> tuple[str, ...]:
    """Where each message stands of what is written `<channel>/<message>/<message>…`."""
    channel, *found = (where or "").split("/")
    return tuple([f"{channel}/{each}" for each in found])


def is_plain(message: Message) -> bool:
    """Whether it is text alone."""
    return bool(message.content) and not message.components and not message.embeds


def private(row: Row) -> bool:
    """Whether it is an answer for one person alone."""
    return row.kind == "reply" and not row.public


def on_card(row: Row, events: Sequence[Event]) -> bool:
    """Whether all that an answer says stands on a check's public card."""
    return all(is_told_on_card(events[index]) for index in row.events)


def is_stub(row: Row) -> bool:
    """Whether it is public that there is something private; a GM channel that others can read gets
    none of it.
    """
    if row.kind == "post" and not row.public and row.message is not None:
        return not row.message.startswith(f"{row.place}/")
    return row.kind == "stub"


def number(message: Message) -> int | None:
    """The number of the journal entry under a message."""
    for embed in message.embeds:
        found = re.match(r"#(\d+)", (embed.get("footer") or {}).get("text", ""))
        if found:
            return int(found[1])
    found = re.search(r"^-# #(\d+)$", message.content, re.MULTILINE)
    if found:
        return int(found[1])
    for item in walk(message.components):
        found = re.search(r"^-# (?:.*\s)?#(\d+)$", item.get("content", ""), re.MULTILINE)
        if found:
            return int(found[1])
    return None


def _buttons(message: Message, label: str) -> list[str]:
    """The custom ids of the buttons with a label; `Roll` is the one that rolls any dice."""
    items = walk(message.components)
    return [each["custom_id"] for each in items if plain_label(each.get("label") or "") == label]


def has_button(message: Message, label: str) -> bool:
    return bool(_buttons(message, label))


def button(message: Message, label: str) -> str:
    """The custom id of a button. AssertionError when there is none."""
    found = _buttons(message, label)
    assert found, (label, [item.get("label") for item in walk(message.components)], message.texts())
    return found[0]


@asynccontextmanager
async def open_rim(folder: Path, nursery: Nursery | None = None) -> AsyncIterator[Rim]:
    """A server; whatever still runs at the end is killed. Several can have one nursery."""
    folder.mkdir(parents=True, exist_ok=True)
    async with contextlib.AsyncExitStack() as stack:
        # No test here is about Discord's three seconds, which a busy machine may exceed.
        standin = await stack.enter_async_context(StandIn(expiry=PATIENCE))
        rim = Rim(standin, nursery or await stack.enter_async_context(Nursery()), folder)
        stack.push_async_callback(rim.kill)
        yield rim
