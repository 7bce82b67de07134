"""The one way through the house: `perform` loads, resolves, saves, journals and plans what has to be said."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from bot.services.directory import Directory
from bot.services.entries import entry_of, new_entry
from bot.services.outgoing import ReplyTo, answerable, visible
from bot.services.seeds import commitment, rotated, seed_of, streams
from bot.storage import codec
from bot.storage.errors import DuplicateRequest, Stale, StorageUnavailable
from bot.storage.records import EntryRow, NewEntry, NewSeed, NewTable, Out, SeedRow, Stream, Written
from bot.storage.redact import REDACTED
from bot.storage.store import Store
from rules.core.errors import Impossible, NotFound, Outdated, RulesError
from rules.core.record import record
from rules.core.rng import KeyedStreams
from rules.registry import FREE, get_system
from rules.table.actions import (
    Action,
    Actor,
    ChangePlaces,
    CreateTable,
    ForgetPerson,
    ImportTable,
    RollDice,
    RotateSeed,
    Undo,
)
from rules.table.events import CheckChanged, DiceRolled, Event, Produced
from rules.table.outcome import Outcome
from rules.table.resolve import check_fields, resolve
from rules.table.state import SYSTEM, Part, TableState
from rules.table.undo import Entry, check_undo, restore, stranded, told

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
    and read anew before anything else is resolved on it. Entries up to `redacted` have lost what somebody typed,
    and are not taken back.
    """

    id: int
    guild: str
    state: TableState
    revision: int
    head: str
    directory: Directory
    seeds: tuple[SeedRow, ...]
    redacted: int = 0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    pending: set[asyncio.Future[Written]] = field(default_factory=set[asyncio.Future[Written]])
    broken: bool = False
    _streams: tuple[tuple[SeedRow, ...], tuple[bytes, bytes, bytes]] | None = None

    @property
    def busy(self) -> bool:
        """Whether it has to stay in memory: somebody acts, or has a number that is not stored yet."""
        return self.lock.locked() or bool(self.pending) or bool(self.directory.unsaved())

    async def written(self) -> None:
        """Wait until everything resolved so far is on disk, or has failed to get there."""
        if self.pending:
            await asyncio.wait(set(self.pending))
            await asyncio.sleep(0)  # the callbacks that note failures run after the futures themselves

    def seed(self, stream: Stream) -> SeedRow:
        """The seed in use for a stream."""
        return next(row for row in reversed(self.seeds) if row.stream == stream)

    @property
    def streams(self) -> tuple[bytes, bytes, bytes]:
        """What the next entry draws from, as `bot.services.seeds.streams`; found out again when the seeds change."""
        known = self._streams
        if known is None or known[0] is not self.seeds:
            known = self._streams = self.seeds, streams(self.seeds, self.revision + 1)
        return known[1]


@record
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


@record
class Filling:
    """What a new table begins with: a table's file, and who its owners are (user id and name)."""

    data: dict[str, Any]
    owners: Mapping[str, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Unsaid:
    """A result whose answer never reached the person it was for; `action` is None where it is forgotten."""

    out: Out
    action: Action | None
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
        self._place_changes = 0
        self._tables: OrderedDict[int, Table] = OrderedDict()
        self._loading: dict[int, asyncio.Task[Table]] = {}
        self._recent: OrderedDict[str, Performed] = OrderedDict()
        self._unsaid: dict[tuple[int, str], list[Unsaid]] = {}
        self.on_due: Callable[[int], None] = lambda at: None

    async def start(self) -> None:
        """Learn which places are bound."""
        await self._learn_places()

    async def _learn_places(self) -> None:
        """Read which places are bound, unless that changes meanwhile: then once more."""
        while True:
            changes = self._place_changes
            found = await self.store.place_tables()
            if changes == self._place_changes:
                self._places = found
                return

    def _place_changed(self, place: str, table_id: int, bound: bool) -> None:
        self._place_changes += 1
        if bound:
            self._places[place] = table_id
        else:
            self._places.pop(place, None)

    # --- finding ------------------------------------------------------------------------------------------

    def table_id(self, *places: str | None) -> int | None:
        """The table of the first of these places that has one: a thread, then its parent."""
        for place in places:
            if place is not None and place in self._places:
                return self._places[place]
        return None

    async def find(self, *places: str | None) -> int | None:
        """As `table_id`; on a miss it is looked up anew, since another process may have bound the place."""
        while (found := self.table_id(*places)) is None:
            changes = self._place_changes
            bound = await self.store.bound([place for place in places if place is not None])
            if changes == self._place_changes:
                self._places.update(bound)
                return self.table_id(*places)
        return found

    def places(self, table_id: int) -> tuple[str, ...]:
        """The places bound to a table."""
        return tuple(place for place, bound in self._places.items() if bound == table_id)

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

    async def committed(self, table_id: int) -> Table:
        """The table with everything that was resolved on it on disk. Raises what `get` does."""
        while True:
            table = await self.get(table_id)
            await table.written()
            await self._mend(table)
            if not table.pending and not table.broken:
                return table

    async def _load(self, table_id: int) -> Table:
        row = await self.store.load_table(table_id)
        if row is None:
            raise NotFound("no-table", field="place", value=None, nearest=())
        state = codec.read_state(row.system, table_id, row.parts)
        people = Directory(row.members, last=row.last_person)
        table = Table(table_id, row.guild, state, row.revision, row.head, people, row.seeds, row.redacted_seq)
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
        await self._learn_places()
        row = await self.store.load_table(table.id)
        if row is None:
            raise NotFound("no-table", field="place", value=None, nearest=())
        table.state = codec.read_state(row.system, table.id, row.parts)
        table.revision, table.head, table.seeds = row.revision, row.head, row.seeds
        table.redacted, table.broken = row.redacted_seq, False
        table.directory = Directory(row.members, table.directory.unsaved(), row.last_person)

    # --- people and servers that are gone -----------------------------------------------------------------

    async def memberships(self, guild: str, user: str) -> tuple[tuple[Table, str], ...]:
        """The tables of a server that know a user, each with the participant they are there."""
        found = await self.store.memberships(guild, user)
        return tuple([(await self.get(table_id), participant) for table_id, participant in found])

    def overlook(self, guild: str, user: str) -> None:
        """Forget a user wherever they were only seen and have done nothing: nothing of it is stored."""
        for table in self._tables.values():
            who = table.directory.known(user) if table.guild == guild else None
            if who is not None and any(member.id == who for member in table.directory.unsaved()):
                table.directory.forget(who)

    async def drop_guild(self, guild: str) -> int:
        """Delete everything of a server for good; returns how many tables that were."""
        dropped = await self.store.drop_guild(guild)
        await self.store.purge()
        for table_id in dropped:
            self._tables.pop(table_id, None)
        await self._learn_places()
        self._recent = OrderedDict(
            (request, done) for request, done in self._recent.items() if done.table.id not in dropped
        )
        return len(dropped)

    # --- acting -------------------------------------------------------------------------------------------

    async def create(
        self,
        guild: str,
        action: CreateTable,
        request_id: str,
        founder: tuple[str, str] | None,
        reply: ReplyTo | None,
    ) -> Performed:
        """Open a table at a free place. `founder` is the user id and name behind `action.who`, if that is anybody.

        Raises RulesError, or NotFound/Impossible when the place has one already.
        """
        return (await self._open(guild, action, request_id, founder, reply))[-1]

    async def create_from(
        self,
        guild: str,
        action: CreateTable,
        filling: Filling,
        request_id: str,
        founder: tuple[str, str],
        reply: ReplyTo,
    ) -> tuple[Performed, ...]:
        """Open a table at a free place and fill it, both or neither; what came of either, in this order.

        A request that was carried out before gives its last result alone. Raises as `create` and as the filling.
        """
        return await self._open(guild, action, request_id, founder, reply, filling)

    async def _open(
        self,
        guild: str,
        action: CreateTable,
        request_id: str,
        founder: tuple[str, str] | None,
        reply: ReplyTo | None,
        filling: Filling | None = None,
    ) -> tuple[Performed, ...]:
        known = await self._known(request_id)
        if known is not None:
            return (known,)
        bound = self.table_id(action.place)
        before = (await self.get(bound)).state if bound is not None else None
        public, secret, closed = (self._token_bytes(32) for _ in range(3))
        directory = Directory()
        if founder is not None:
            directory.participant(*founder)
        # Whoever asks is answered by the last of them; the others are journalled under names of their own.
        steps: list[tuple[Action, str, ReplyTo | None]] = [(action, request_id, reply)]
        if filling is not None:
            owners = {key: directory.participant(*who) for key, who in filling.owners.items()}
            follows = ImportTable(
                who=action.who, place=action.place, at=action.at, data=filling.data, owners=owners
            )
            steps = [(action, f"{request_id}:open", None), (follows, request_id, reply)]
        outcomes: list[Outcome] = []
        entries: list[NewEntry] = []
        for step, request, answer in steps:
            rng = KeyedStreams(public, secret, request, closed)
            old = outcomes[-1].state if outcomes else None
            outcomes.append(resolve(before if old is None else old, step, rng))
            entries.append(new_entry(old, outcomes[-1], step, request, answer, directory, rng))
        system = get_system(action.system)
        new = NewTable(
            guild,
            system.key,
            system.version,
            action.place,
            (
                ("public", public, commitment(public)),
                ("secret", secret, commitment(secret)),
                ("shuffle", closed, commitment(closed)),
            ),
        )
        try:
            written = await self.store.create_table(new, *entries)
        except (DuplicateRequest, Stale):
            known = await self._known(request_id)
            if known is None:
                await self._learn_places()
                return await self._open(guild, action, request_id, founder, reply, filling)
            return (known,)
        table_id = written[0].table_id
        self._place_changed(action.place, table_id, True)
        table = await self.get(table_id)
        return tuple(
            self._remember(request, table, row, outcome)
            for (_, request, _), row, outcome in zip(steps, written, outcomes, strict=True)
        )

    async def namesakes(
        self, guild: str, names: Mapping[str, str], asker: tuple[str, str]
    ) -> dict[str, tuple[str, str]]:
        """For each key the one person of that name whom a server's tables know: user id and name.

        Left out where there is nobody of that name, or more than one. Whoever asks counts as known.
        """
        found: dict[str, dict[str, str]] = {}
        for user, name in (*await self.store.names(guild), asker):
            found.setdefault(name.strip().casefold(), {})[user] = name
        fitting = {key: found.get(name.strip().casefold(), {}) for key, name in names.items()}
        return {key: next(iter(users.items())) for key, users in fitting.items() if len(users) == 1}

    async def open_free(self, guild: str, channel: str, at: int) -> int:
        """The table of a channel without one: dice and cards that nobody leads. It is opened when first needed."""
        place = free_place(channel)
        known = await self.find(place)
        if known is not None:
            return known
        name = get_system(FREE).name
        action = CreateTable(who=Actor(SYSTEM), place=place, at=at, name=name, system=FREE)
        return (await self.create(guild, action, place, None, None)).table.id

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
                if table.directory.gone(action.who.id):
                    before = await self._known(request_id)
                    if before is not None:
                        return before
                    raise Outdated("person-forgotten")
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
        public, secret, closed = table.streams
        rng = KeyedStreams(public, secret, request_id, closed)
        try:
            outcome, action, seeds = await self._resolve(table, action, rng)
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
        before, people = table.state, table.directory
        entry = new_entry(
            before, outcome, action, request_id, reply, people, rng, seeds=seeds, after=table.head
        )
        if seeds:
            table.seeds = rotated(table.seeds, seeds, table.revision + 1, action.at)
        if entry.forgets:
            table.redacted = table.revision + 1
        writing = asyncio.ensure_future(self.store.append(table.id, table.revision, entry))
        table.state, table.revision, table.head = outcome.state, table.revision + 1, request_id
        table.pending.add(writing)
        writing.add_done_callback(lambda done: self._wrote(table, entry, done))
        return outcome, writing

    async def _resolve(
        self, table: Table, action: Action, rng: KeyedStreams
    ) -> tuple[Outcome, Action, tuple[NewSeed, ...]]:
        """What comes of the action, the action as it is journalled, and the seeds that it starts.

        What needs more than the state to go by waits for everything before it to be on disk.
        """
        if isinstance(action, (Undo, ForgetPerson, ChangePlaces, RotateSeed)):
            check_fields(action)
            await table.written()
        seeds: tuple[NewSeed, ...] = ()
        if isinstance(action, Undo):
            outcome, action = await self._undo(table, action)
            return outcome, action, seeds
        if isinstance(action, RotateSeed):
            action, seeds = self._rotated(table, action)
        outcome = resolve(table.state, action, rng)
        if isinstance(action, ForgetPerson):
            table.directory.forget(action.who.id)
            self._unsaid.pop((table.id, action.who.id), None)
        elif isinstance(action, ChangePlaces):
            await self._check_places(table, action)
        return outcome, action, seeds

    def _rotated(self, table: Table, action: RotateSeed) -> tuple[RotateSeed, tuple[NewSeed, ...]]:
        """The action with the seed it reveals and what is published of the next one.

        A table that makes the seeds of shuffles from that of secret rolls gets another for them first.
        """
        seed = self._token_bytes(32)
        old, new = table.seed(action.stream), NewSeed(action.stream, seed, commitment(seed))
        seeds: tuple[NewSeed, ...] = (new,)
        if action.stream == "secret" and all(row.stream != "shuffle" for row in table.seeds):
            closed = self._token_bytes(32)
            seeds = (new, NewSeed("shuffle", closed, commitment(closed)))
        return replace(action, revealed=old.seed.hex(), next=new.commitment), seeds

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
        for place, bound in entry.places:
            self._place_changed(place, table.id, bound)
        for _, at in entry.due_on:
            self.on_due(at)

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

    # --- places -------------------------------------------------------------------------------------------

    async def require_free(self, table: Table, *places: str | None) -> None:
        """Impossible when a place, or the channel that a thread is in, has a table.

        "place-bound" where that is this one, "place-taken" for another.
        """
        holder = await self.find(*places)
        if holder == table.id:
            raise Impossible("place-bound")
        if holder is not None:
            raise Impossible("place-taken", name=(await self.get(holder)).state.settings.name)

    async def _check_places(self, table: Table, action: ChangePlaces) -> None:
        """What only the keeper of the places knows: whether one is free, and whether one may go.

        Raises as `require_free`; NotFound("not-a-place"), Impossible("last-place").
        """
        await self._learn_places()
        if action.bind:
            await self.require_free(table, action.bind)
        elif self._places.get(action.unbind or "") != table.id:
            raise NotFound("not-a-place", field="channel", value=None, nearest=())
        elif len(self.places(table.id)) == 1:
            raise Impossible("last-place")

    # --- undo ---------------------------------------------------------------------------------------------

    async def _undo(self, table: Table, action: Undo) -> tuple[Outcome, Undo]:
        """What is left of the entries meant, and the action with their numbers. Raises as `check_undo`."""
        if action.entry is not None and not 1 <= action.entry <= table.revision:
            raise NotFound("nothing-to-undo", field="entry", value=action.entry, nearest=())
        if action.entry is not None and action.entry <= table.redacted:
            raise Impossible("undo-redacted", entry=action.entry, first=table.redacted + 1)
        since = max(1, table.revision - UNDO_REACH, table.redacted + 1)
        since = since if action.entry is None else action.entry
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
        events = {row.seq: (row.kind, codec.read_events(row.events)) for row, _ in rows if row.seq in numbers}
        audience = told([event for _, each in events.values() for event in each], action.who.id)
        # Everybody is told only of what everybody knew: that there was a secret entry is bad enough.
        kinds = tuple(
            kind if not audience.everyone or told(each, "").everyone else ""
            for kind, each in (events[number] for number in numbers)
        )
        action = replace(action, entries=numbers, kinds=kinds)
        private: dict[str, list[int]] = {}
        for row, _ in sorted(rows, key=lambda found: -found[0].seq):
            mine = row.seq in numbers and row.actor not in (SYSTEM, action.who.id)
            if mine and not audience.everyone and not told(events[row.seq][1], "").everyone:
                private.setdefault(row.actor, []).append(row.seq)
        return restore(table.state, action, earlier, audience, private), action

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
                if isinstance(event, DiceRolled | Produced)
                or (
                    isinstance(event, CheckChanged)
                    and event.step in ("rolled", "spent", "settled")
                    and event.view.challenge not in checks
                )
            )
            checks.update(event.view.challenge for event in results if isinstance(event, CheckChanged))
            if results:
                found.append((row.seq, results))
        return tuple(reversed(found))

    async def drawn(self, table: Table, actor: Actor, seq: int) -> tuple[EntryRow, SeedRow]:
        """A journal entry that rolled dice, and the seed they were drawn from.

        NotFound("no-dice-there") for one that rolled none or that the actor may know nothing of.
        """
        table = await self.committed(table.id)  # a seed counts as revealed only when that is on disk
        found = await self.store.entries(table.id, since=seq, limit=0) if seq <= table.revision else ()
        row = next((row for row, _ in found if row.seq == seq), None)
        events = () if row is None else codec.read_events(row.events)
        if row is None or not row.draws or not any(visible(event, table.state, actor) for event in events):
            raise NotFound("no-dice-there", field="entry", value=seq, nearest=())
        return row, seed_of(table.seeds, "secret" if row.secret_draws else "public", seq)

    async def thrown(self, table: Table, actor: Actor, seq: int) -> tuple[RollDice, DiceRolled]:
        """The dice that entry `seq` of the journal threw, as far as this actor may know of them.

        Outdated("unknown-control") where they were taken back, or are none of the actor's business.
        """
        row = await self.store.entry_at(table.id, seq)
        if row is not None and row.undone_by is None and row.kind == RollDice.__name__:
            action = codec.read_action(row.kind, row.action)
            for event in codec.read_events(row.events):
                if isinstance(event, DiceRolled) and event.totals and visible(event, table.state, actor):
                    assert isinstance(action, RollDice)
                    return action, event
        raise Outdated("unknown-control")

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
            action = None if row.action == REDACTED else codec.read_action(row.kind, row.action)
            if isinstance(action, Undo):
                action = replace(action, entries=(), kinds=())  # as it was asked for
            held.append(Unsaid(out, action, row.request_id, row.seq))

    async def _missed(self, table: Table, action: Action) -> Performed | None:
        """The first result of the same action, if this person never got to see it."""
        for unsaid in self._unsaid.get((table.id, action.who.id), ()):
            first = unsaid.action
            if first is None or type(first) is not type(action):
                continue
            if replace(action, at=first.at, who=first.who) == first:
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


def free_place(channel: str) -> str:
    """The place that a channel is for dice and cards without a table, so that it stays free for one."""
    return f"{FREE}:{channel}"
