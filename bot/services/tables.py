"""The one way through the house: `perform` loads, resolves, saves, journals and plans what has to be said."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Literal

from bot.services.directory import Directory
from bot.services.outgoing import ReplyTo, answerable, plan
from bot.storage import codec
from bot.storage.errors import DuplicateRequest, Stale, StorageUnavailable
from bot.storage.records import EntryRow, NewEntry, NewTable, Out, SeedRow, Written
from bot.storage.store import Store
from rules.core.errors import NotFound, RulesError
from rules.core.rng import KeyedStreams
from rules.registry import get_system
from rules.table.actions import Action, Actor, CreateTable, Undo
from rules.table.events import CheckChanged, Event
from rules.table.outcome import Outcome
from rules.table.resolve import check_fields, resolve
from rules.table.state import KEPT_BY_UNDO, Part, TableState
from rules.table.undo import Entry, check_undo, restore, stranded, told
from rules.table.waits import Wait, wait_for

log = logging.getLogger("storyguide.tables")

#: How many tables stay decoded in memory, and how many requests are remembered by id.
TABLES_KEPT = 500
REQUESTS_KEPT = 200
#: How often a write is tried again when another process was faster.
TRIES = 3
#: How far back an undo looks for the last entry it may take back.
UNDO_REACH = 200
#: How far back the last results are looked for.
LAST_REACH = 100


@dataclass(slots=True)
class Table:
    """A table in memory beside the entry that made it so. Only this module changes it.

    `state` may be ahead of the disk by the writes in `pending`; when one of them fails, the table is `broken`
    and read anew before anything else is resolved on it.
    """

    id: int
    guild: str
    state: TableState
    revision: int
    head: str
    directory: Directory
    seeds: tuple[SeedRow, ...]
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    pending: set[asyncio.Future[Written]] = field(default_factory=set[asyncio.Future[Written]])
    broken: bool = False

    @property
    def busy(self) -> bool:
        """Whether it has to stay in memory: somebody acts, or has a number that is not stored yet."""
        return self.lock.locked() or bool(self.pending) or bool(self.directory.unsaved())

    async def written(self) -> None:
        """Wait until everything resolved so far is on disk, or has failed to get there."""
        if self.pending:
            await asyncio.wait(set(self.pending))
            await asyncio.sleep(0)  # the callbacks that note failures run after the futures themselves

    def seed(self, stream: Literal["public", "secret"]) -> SeedRow:
        """The seed in use for a stream."""
        return next(row for row in reversed(self.seeds) if row.stream == stream and row.ended_at is None)


@dataclass(frozen=True, slots=True)
class Performed:
    """What came of a request. `repeated` tells that it had been carried out before and is only shown again."""

    table: Table
    journal_id: int
    seq: int
    events: tuple[Event, ...]
    state: TableState
    outs: tuple[Out, ...]
    repeated: bool = False

    @property
    def reply(self) -> Out | None:
        """The row of the answer to the interaction."""
        return next((out for out in self.outs if out.kind == "reply"), None)


@dataclass(frozen=True, slots=True)
class Unsaid:
    """A result whose answer never reached the person it was for."""

    out: Out
    action: Action
    request_id: str
    seq: int


class Tables:
    """All tables of this process.

    `token_bytes` makes new seeds; it is a parameter for the sake of tests. `on_due` is told the time of every
    new wait.
    """

    def __init__(self, store: Store, *, token_bytes: Callable[[int], bytes] = secrets.token_bytes) -> None:
        self.store = store
        self._token_bytes = token_bytes
        self._places: dict[str, int] = {}
        self._tables: OrderedDict[int, Table] = OrderedDict()
        self._loading: dict[int, asyncio.Task[Table]] = {}
        self._recent: OrderedDict[str, Performed] = OrderedDict()
        self._unsaid: dict[tuple[int, str], list[Unsaid]] = {}
        self.on_due: Callable[[int], None] = lambda at: None

    async def start(self) -> None:
        """Learn which places are bound."""
        self._places = await self.store.place_tables()

    # --- finding ------------------------------------------------------------------------------------------

    def table_id(self, *places: str | None) -> int | None:
        """The table of the first of these places that has one: a thread, then its parent."""
        for place in places:
            if place is not None and place in self._places:
                return self._places[place]
        return None

    def places(self, table_id: int) -> tuple[str, ...]:
        """The places bound to a table."""
        return tuple(place for place, bound in self._places.items() if bound == table_id)

    def table_ids(self) -> frozenset[int]:
        """Every table that some place is bound to."""
        return frozenset(self._places.values())

    def loaded(self, table_id: int) -> Table | None:
        """The table if it is in memory."""
        return self._tables.get(table_id)

    async def get(self, table_id: int) -> Table:
        """The table, decoded. Raises NotFound, TableUnreadable or StorageUnavailable."""
        table = self._tables.get(table_id)
        if table is not None:
            self._tables.move_to_end(table_id)
            return table
        task = self._loading.get(table_id)
        if task is None:
            task = self._loading[table_id] = asyncio.create_task(self._load(table_id))
            task.add_done_callback(lambda _: self._loading.pop(table_id, None))
        return await asyncio.shield(task)

    async def _load(self, table_id: int) -> Table:
        row = await self.store.load_table(table_id)
        if row is None:
            raise NotFound("no-table", field="place", value=None, nearest=())
        state = codec.read_state(row.system, table_id, row.parts)
        people = Directory(row.members)
        table = Table(table_id, row.guild, state, row.revision, row.head, people, row.seeds)
        self._keep(table)
        return table

    def _keep(self, table: Table) -> None:
        self._tables[table.id] = table
        self._tables.move_to_end(table.id)
        while len(self._tables) > TABLES_KEPT:
            oldest = next((key for key, kept in self._tables.items() if not kept.busy), None)
            if oldest is None:
                return
            del self._tables[oldest]

    async def _refresh(self, table: Table) -> None:
        """Read a table anew into the same object, so that everybody who waits for its lock sees it."""
        row = await self.store.load_table(table.id)
        if row is None:
            raise NotFound("no-table", field="place", value=None, nearest=())
        table.state = codec.read_state(row.system, table.id, row.parts)
        table.revision, table.head, table.seeds = row.revision, row.head, row.seeds
        table.broken = False
        table.directory = Directory(row.members, table.directory.unsaved())

    # --- acting -------------------------------------------------------------------------------------------

    async def create(
        self,
        guild: str,
        action: CreateTable,
        request_id: str,
        founder: tuple[str, str],
        reply: ReplyTo | None,
    ) -> Performed:
        """Open a table at a free place. `founder` is the user id and name behind `action.who`.

        Raises RulesError, or NotFound/Impossible when the place has one already.
        """
        known = await self._known(request_id)
        if known is not None:
            return known
        bound = self.table_id(action.place)
        before = (await self.get(bound)).state if bound is not None else None
        seeds = [("public", self._token_bytes(32)), ("secret", self._token_bytes(32))]
        outcome = resolve(before, action, KeyedStreams(seeds[0][1], seeds[1][1], request_id))
        system = get_system(action.system)
        directory = Directory()
        directory.participant(*founder)
        entry = self._entry(None, outcome, action, request_id, reply, directory, 0)
        new = NewTable(
            guild,
            system.key,
            system.version,
            action.place,
            (
                ("public", seeds[0][1], commitment(seeds[0][1])),
                ("secret", seeds[1][1], commitment(seeds[1][1])),
            ),
        )
        try:
            written = await self.store.create_table(new, entry)
        except (DuplicateRequest, Stale):
            known = await self._known(request_id)
            if known is None:
                self._places = await self.store.place_tables()
                return await self.create(guild, action, request_id, founder, reply)
            return known
        self._places[action.place] = written.table_id
        table = await self.get(written.table_id)
        return self._remember(request_id, table, written, outcome)

    async def perform(
        self, table_id: int, action: Action, request_id: str, reply: ReplyTo | None = None
    ) -> Performed:
        """Carry an action out once and for all.

        Before the commit nothing has changed; after it nothing is lost or doubled. The same `request_id` gets
        its first result again; so does a person who repeats an action whose answer never reached them.
        Raises RulesError when the action is refused, TableUnreadable, StorageUnavailable.
        """
        table = await self.get(table_id)
        user = table.directory.user(action.who.id)
        for attempt in range(TRIES):
            async with table.lock:
                known = self._recent.get(request_id)
                if known is not None:
                    return replace(known, repeated=True)
                if table.directory.user(action.who.id) != user:
                    raise Stale  # another process gave this participant's number to somebody else
                begun = await self._begin(table, action, request_id, reply)
            if isinstance(begun, Performed):
                return begun
            outcome, writing = begun
            try:
                written = await writing
            except Stale:
                log.info("table.stale", extra={"table": table_id, "attempt": attempt})
                await self._mend(table)
            except DuplicateRequest:
                await self._mend(table)
                known = await self._known(request_id)
                if known is not None:
                    return known
                raise
            except StorageUnavailable:
                with suppress(StorageUnavailable):
                    await self._mend(table)
                raise
            else:
                log.info(
                    "table.committed",
                    extra={
                        "table": table_id,
                        "entry": written.seq,
                        "action": type(action).__name__,
                        "actor": action.who.id,
                    },
                )
                return self._remember(request_id, table, written, outcome)
        raise Stale

    async def _begin(
        self, table: Table, action: Action, request_id: str, reply: ReplyTo | None
    ) -> Performed | tuple[Outcome, asyncio.Future[Written]]:
        """Resolve the action and set its write going; the table's lock is held.

        The next action is resolved on this one's outcome without waiting for the disk, so that writes that
        follow one another share a commit. Nobody is told anything before that commit; should it fail, what
        was built on it fails with it (`NewEntry.after`) and is resolved anew.
        """
        if table.broken:
            await self._refresh(table)
        missed = await self._missed(table, action)
        if missed is not None:
            return missed
        undoes: tuple[int, ...] = ()
        try:
            rng = KeyedStreams(table.seed("public").seed, table.seed("secret").seed, request_id)
            if isinstance(action, Undo):
                await table.written()
                outcome, action = await self._undo(table, action)
                undoes = action.entries
            else:
                outcome = resolve(table.state, action, rng)
        except RulesError:
            # The refusal may come from the request's own earlier success, before a restart.
            await table.written()
            known = await self._known(request_id)
            if known is not None:
                return known
            # Or from a state that another process has changed since, or that was never saved.
            later = await self.store.entries(table.id, since=table.revision + 1, limit=1)
            if not later and not table.broken:
                raise
            await self._refresh(table)
            return await self._begin(table, action, request_id, reply)
        log.debug("table.resolved", extra={"table": table.id, "action": type(action).__name__})
        entry = self._entry(
            table.state, outcome, action, request_id, reply, table.directory, rng.drawn, undoes, table.head
        )
        writing = asyncio.ensure_future(self.store.append(table.id, table.revision, entry))
        table.state, table.revision, table.head = outcome.state, table.revision + 1, request_id
        table.pending.add(writing)
        writing.add_done_callback(lambda done: self._wrote(table, entry, done))
        return outcome, writing

    async def _mend(self, table: Table) -> None:
        """After a write that failed: back to what is on disk."""
        async with table.lock:
            if table.broken:
                await self._refresh(table)

    def _wrote(self, table: Table, entry: NewEntry, done: asyncio.Future[Written]) -> None:
        table.pending.discard(done)
        if done.cancelled() or done.exception() is not None:
            table.broken = True
            return
        table.directory.saved(entry.members)
        self._withdraw_unsaid(table.id, entry.undoes)
        for _, at in entry.due_on:
            self.on_due(at)

    def _entry(
        self,
        before: TableState | None,
        outcome: Outcome,
        action: Action,
        request_id: str,
        reply: ReplyTo | None,
        directory: Directory,
        draws: int,
        undoes: tuple[int, ...] = (),
        after: str = "",
    ) -> NewEntry:
        state = outcome.state
        key = state.settings.system
        changed = dict(state.parts()) if before is None else state.changes_since(before)
        parts = {
            name: None if part is None else codec.part_text(key, name, part) for name, part in changed.items()
        }
        due_off, due_on = _due_changes(before, state, changed)
        return NewEntry(
            request_id,
            action.at,
            action.who.id,
            type(action).__name__,
            codec.action_text(action),
            codec.events_text(outcome.events),
            get_system(key).version,
            draws,
            _revealed(outcome.events),
            parts,
            due_off,
            due_on,
            plan(before, state, outcome.events, action, reply),
            directory.unsaved(),
            undoes,
            _fresh(before, changed),
            KEPT_BY_UNDO,
            after,
        )

    def _remember(self, request_id: str, table: Table, written: Written, outcome: Outcome) -> Performed:
        performed = Performed(
            table, written.journal_id, written.seq, outcome.events, outcome.state, written.outs
        )
        self._recent[request_id] = performed
        if len(self._recent) > REQUESTS_KEPT:
            self._recent.popitem(last=False)
        return performed

    async def _known(self, request_id: str) -> Performed | None:
        """The first result of a request that was carried out before, also before a restart."""
        recent = self._recent.get(request_id)
        if recent is not None:
            return replace(recent, repeated=True)
        found = await self.store.find_request(request_id)
        if found is None:
            return None
        row, outs = found
        table = await self.get(row.table_id)
        events = codec.read_events(row.events)
        return Performed(table, row.id, row.seq, events, table.state, outs, repeated=True)

    # --- undo ---------------------------------------------------------------------------------------------

    async def _undo(self, table: Table, action: Undo) -> tuple[Outcome, Undo]:
        check_fields(action)
        if action.entry is not None and not 1 <= action.entry <= table.revision:
            raise NotFound("nothing-to-undo", field="entry", value=action.entry, nearest=())
        since = max(1, table.revision - UNDO_REACH) if action.entry is None else action.entry
        rows = await self.store.entries(table.id, since=since)
        entries = [entry_of(row, keys) for row, keys in rows]
        ids = {row.seq: row.id for row, _ in rows}
        homeless: frozenset[str] = frozenset()
        while True:
            numbers = check_undo(
                table.state,
                action.who,
                entries,
                action.entry,
                all_dependents=action.all_dependents,
                stranded=homeless,
            )
            stored = await self.store.before([ids[number] for number in numbers])
            earlier = [self._read_parts(table, stored.get(ids[number], {})) for number in numbers]
            found = stranded(table.state, earlier)
            if found <= homeless:
                break
            homeless |= found
        action = replace(action, entries=numbers)
        events = [event for row, _ in rows if row.seq in numbers for event in codec.read_events(row.events)]
        return restore(table.state, action, earlier, told(events, action.who.id)), action

    def _read_parts(
        self, table: Table, stored: Mapping[str, tuple[int, str] | None]
    ) -> dict[str, Part | None]:
        key = table.state.settings.system
        return {
            name: None if text is None else codec.read_part(key, table.id, name, *text)
            for name, text in stored.items()
        }

    async def journal_ids(self, table_id: int, numbers: Sequence[int]) -> list[int]:
        """The row ids of journal entries given by number."""
        rows = await self.store.entries(table_id, since=min(numbers))
        return [row.id for row, _ in rows if row.seq in numbers]

    async def journal(self, table_id: int, limit: int) -> tuple[tuple[EntryRow, Entry], ...]:
        """The last entries of the journal, oldest first."""
        rows = await self.store.entries(table_id, limit=limit)
        return tuple((row, entry_of(row, keys)) for row, keys in rows)

    async def last_results(
        self, table: Table, actor: Actor, count: int
    ) -> tuple[tuple[int, tuple[Event, ...]], ...]:
        """Number and visible events of the last `count` results this actor may see, one a check, oldest first."""
        found: list[tuple[int, tuple[Event, ...]]] = []
        checks: set[str] = set()
        for row in reversed([row for row, _ in await self.journal(table.id, LAST_REACH)]):
            if row.undone_by is not None or len(found) == count:
                continue
            events = codec.read_events(row.events)
            seen = [events[index] for index in answerable(events, table.state, actor)]
            results = tuple(
                event
                for event in seen
                if isinstance(event, CheckChanged)
                and event.step in ("rolled", "spent", "settled")
                and event.view.challenge not in checks
            )
            checks.update(event.view.challenge for event in results if isinstance(event, CheckChanged))
            if results:
                found.append((row.seq, results))
        return tuple(reversed(found))

    # --- what was never said -------------------------------------------------------------------------------

    async def hold(self, out: Out) -> None:
        """Keep an answer that could not be given until its person comes back."""
        if out.person is None:
            return
        row = await self.store.entry(out.journal_id)
        if row is None or row.undone_by is not None:
            return
        held = self._unsaid.setdefault((out.table_id, out.person), [])
        if all(unsaid.out.id != out.id for unsaid in held):
            action = codec.read_action(row.kind, row.action)
            if isinstance(action, Undo):
                action = replace(action, entries=())  # as it was asked for
            held.append(Unsaid(out, action, row.request_id, row.seq))

    async def _missed(self, table: Table, action: Action) -> Performed | None:
        """The first result of the same action, if this person never got to see it."""
        for unsaid in self._unsaid.get((table.id, action.who.id), ()):
            first = unsaid.action
            if type(first) is type(action) and replace(action, at=first.at, who=first.who) == first:
                return await self._known(unsaid.request_id)
        return None

    def _withdraw_unsaid(self, table_id: int, undone: Sequence[int]) -> None:
        """What was taken back is not said any more."""
        for key, held in list(self._unsaid.items()):
            if key[0] == table_id:
                for unsaid in [unsaid for unsaid in held if unsaid.seq in undone]:
                    self.said(unsaid.out)

    def missed(self, table_id: int, person: str) -> tuple[Out, ...]:
        """Answers that this person never got to see, oldest first."""
        return tuple(unsaid.out for unsaid in self._unsaid.get((table_id, person), ()))

    def said(self, out: Out) -> None:
        """An answer that was held has reached its person."""
        key = (out.table_id, out.person or "")
        left = [unsaid for unsaid in self._unsaid.get(key, ()) if unsaid.out.id != out.id]
        if left:
            self._unsaid[key] = left
        else:
            self._unsaid.pop(key, None)

    async def events_of(self, out: Out) -> tuple[EntryRow, tuple[Event, ...]] | None:
        """The journal entry behind an outbox row and its events."""
        row = await self.store.entry(out.journal_id)
        return None if row is None else (row, codec.read_events(row.events))


def commitment(seed: bytes) -> str:
    """What is published of a seed when it starts: its SHA-256 in hex."""
    return hashlib.sha256(seed).hexdigest()


def entry_of(row: EntryRow, keys: frozenset[str]) -> Entry:
    """A journal entry as the rules of undo see it."""
    return Entry(row.seq, row.actor, row.kind, keys, row.draws > 0, row.revealed, row.undone_by is not None)


def _revealed(events: Sequence[Event]) -> bool:
    return any(
        isinstance(event, CheckChanged)
        and event.view.verdict is not None
        and event.step in ("rolled", "spent")
        for event in events
    )


def _fresh(before: TableState | None, changed: Iterable[str]) -> frozenset[str]:
    """The changed parts that were not there before."""
    if before is None:
        return frozenset(changed)
    return frozenset(key for key in changed if not before.has_part(key))


def _due_changes(
    before: TableState | None, state: TableState, changed: Iterable[str]
) -> tuple[tuple[str, ...], tuple[tuple[str, int], ...]]:
    """Waits that are over, and waits that now have a time."""
    if before is None:
        return (), ()
    if before.settings is not state.settings:
        keys = {*before.challenges, *state.challenges}
    else:
        keys = {key.partition(":")[2] for key in changed if key.startswith("challenge:")}
    old = {wait.id: wait for wait in _waits_of(before, keys)}
    new = {wait.id: wait for wait in _waits_of(state, keys)}
    off = tuple(name for name in old if name not in new or new[name].due is None)
    on = tuple(
        (name, wait.due)
        for name, wait in new.items()
        if wait.due is not None and (name not in old or old[name].due != wait.due)
    )
    return off, on


def _waits_of(state: TableState, keys: Iterable[str]) -> Iterator[Wait]:
    for key in keys:
        challenge = state.challenges.get(key)
        wait = wait_for(state, challenge) if challenge is not None else None
        if wait is not None:
            yield wait
