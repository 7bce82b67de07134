"""Replay of a table's journal: the same actions and seeds give the same table.

It starts from the opening, or from the nearest snapshot: the parts as they were after an entry.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from bot.services.amendment import resolve_amendment
from bot.services.dice_keys import dice_key
from bot.services.past_entries import EarlierEntryNeeded, Past, PastEntry, carry_out
from bot.services.resolution import request_dice, resolve_action
from bot.services.seeds import stream_seeds
from bot.storage import codec
from bot.storage.location import Where
from bot.storage.row_records import EntryRow, SeedRow, TableRow
from bot.storage.store import SqlStore, Store
from bot.storage.upkeep import Parts
from rules.core.errors import NotFound
from rules.core.record import Record
from rules.core.rng import Draw, KeyedStreams, RecordingStreams
from rules.registry import get_system
from rules.table.actions import Amend, AskToStepIn, StepIn, Undo
from rules.table.amendments.limits import MAX_REDONE
from rules.table.events import Event
from rules.table.outcome import Outcome
from rules.table.state import TableState

#: Entries that are replayed before other tasks get a turn, and most for a waiting player.
_ENTRIES_PER_TURN: Final = 20
MAX_REPLAYED_ENTRIES: Final = 3000
#: Entries of which the events are kept while the next ones are replayed.
_EVENTS_KEPT: Final = 2 * MAX_REDONE


class ReplayImpossible(Exception):
    """Entry `seq` of the journal can't be replayed; `reason` says why."""

    def __init__(self, seq: int, reason: str) -> None:
        super().__init__(f"entry {seq}: {reason}")
        self.seq = seq
        self.reason = reason


async def replay(store: Store, table_id: int, start: int = 1) -> TableState:
    """Return the table as its journal makes it, from the snapshot before entry *start* on.

    Raises as `_replay_until`, and ReplayImpossible if the journal is empty.
    """
    table = await _load_table(store, table_id)
    state = await _replay_until(store, table, start, table.revision, lambda seq, events: None)
    if state is None:
        raise ReplayImpossible(0, "the journal is empty")
    return state


async def replay_events(
    store: Store, table_id: int, wanted: Sequence[int], *, most: int = MAX_REPLAYED_ENTRIES
) -> dict[int, tuple[Event, ...]]:
    """Replay these entries and return their events by entry number.

    Raises as `_replay_until`, which replays *most* entries at most.
    """
    events: dict[int, tuple[Event, ...]] = {}
    if wanted:
        table = await _load_table(store, table_id)
        for seq in sorted(wanted):
            if seq not in events:
                await _replay_until(store, table, seq, seq, events.__setitem__, most)
    return {seq: events[seq] for seq in wanted if seq in events}


def recompute_events(
    where: Where, table_id: int, wanted: Sequence[int]
) -> tuple[dict[int, str], str]:
    """Replay entries as `replay_events` does, in the worker process (`bot.worker_process`).

    Returns the events as text by entry, and an empty reason; or nothing and the reason.
    """

    async def work() -> tuple[dict[int, str], str]:
        store = await SqlStore.open(where, reading=True)
        try:
            events_by_seq = await replay_events(store, table_id, wanted)
        except ReplayImpossible as error:
            return {}, error.reason
        finally:
            await store.close()
        return {seq: codec.events_text(events) for seq, events in events_by_seq.items()}, ""

    return asyncio.run(work())


async def _load_table(store: Store, table_id: int) -> TableRow:
    table = await store.load_table(table_id)
    if table is None:
        raise NotFound("no-table", field="place", value=None, nearest=())
    return table


async def _replay_until(
    store: Store,
    table: TableRow,
    start: int,
    until: int,
    tell: Callable[[int, tuple[Event, ...]], None],
    most: int | None = None,
) -> TableState | None:
    """Return the state after entry `until`.

    The replay starts from the last snapshot before `start`, or earlier if an undo on the way needs
    it. Other tasks get their turn in between.

    Raises:
        NotFound("no-table"): the table does not exist.
        ReplayImpossible: an entry has another version of the rules, or its dice count differs.
        ReplayImpossible: a player's text was deleted, or there are more than `most` entries.
    """
    while True:
        after, parts = await _replay_base(store, table, start, until, most)
        state = codec.read_state(table.system, table.id, parts) if after else None
        try:
            return await _replay_rows(store, table, state, after, until, tell)
        except EarlierEntryNeeded as earlier:
            start = earlier.seq


async def _replay_base(
    store: Store, table: TableRow, start: int, until: int, most: int | None
) -> tuple[int, Parts]:
    """Return the last snapshot before entry `start`: its entry and parts; 0 if there is none.

    Raises ReplayImpossible: a player's text was deleted, or more than `most` entries follow.
    """
    kept = await store.snapshot(table.id, start)
    after, parts = 0, ()
    if kept is not None and kept[0] >= table.redacted_seq:
        after, parts = kept
    elif table.redacted_seq:
        reason = "what somebody typed up to here was deleted at their wish"
        raise ReplayImpossible(table.redacted_seq, reason)
    if most is not None and until - after > most:
        raise ReplayImpossible(until, f"it would take more than {most} entries of the journal")
    return after, parts


class JournalRows(Record):
    """Rows of a table's journal after a snapshot, as they go to the worker process."""

    table_id: int
    system: str
    seeds: tuple[SeedRow, ...]
    #: Entry of the snapshot, and its parts; 0 if the rows begin with the opening of the table.
    after: int
    parts: Parts
    rows: tuple[EntryRow, ...]


async def read_rows(
    store: Store, table: TableRow, start: int, *, most: int = MAX_REPLAYED_ENTRIES
) -> JournalRows:
    """Return the rows that replay the entries of a table from *start* on. Raises ReplayImpossible.

    Raises ReplayImpossible, too, if entries come from other rules.
    """
    rules = get_system(table.system).version
    after, parts = await _replay_base(store, table, start, table.revision, most)
    rows: list[EntryRow] = []
    last = after
    while page := await store.page(table.id, last, until=table.revision):
        for row in page:
            _require_rules(row, rules)
            # Only the event of a question to step in is needed again, and events are half of it.
            needed = row.kind == AskToStepIn.__name__
            rows.append(row if needed else row.replace(events=""))
        last = page[-1].seq
        await asyncio.sleep(0)
    return JournalRows(table.id, table.system, table.seeds, after, parts, tuple(rows))


def replay_rows(journal: JournalRows, start: int) -> tuple[PastEntry, ...]:
    """Replay rows of a journal and return the entries from *start* on, oldest first.

    They begin earlier if one of them refers to an earlier entry. Raises EarlierEntryNeeded if that
    lies before the rows, ReplayImpossible, and RulesError for an entry that is refused now.
    """
    state = None
    if journal.after:
        state = codec.read_state(journal.system, journal.table_id, journal.parts)
    entries: dict[int, PastEntry] = {}
    for row in journal.rows:
        outcome = _replay_row(state, row, journal.seeds, entries)
        state = outcome.state
    first = start
    while True:
        past = tuple(entry for seq, entry in entries.items() if seq >= first)
        earliest = min((_reach(entry) for entry in past), default=first)
        if earliest >= first:
            return past
        if earliest <= journal.after:
            raise EarlierEntryNeeded(earliest)
        first = earliest


def _reach(entry: PastEntry) -> int:
    """Return the number of the earliest entry that an entry refers to, or its own."""
    action = entry.action
    if isinstance(action, Undo):
        return min(action.entries)
    if isinstance(action, StepIn | Amend):
        return action.entry
    return entry.seq


async def _replay_rows(
    store: Store,
    table: TableRow,
    state: TableState | None,
    after: int,
    until: int,
    tell: Callable[[int, tuple[Event, ...]], None],
) -> TableState | None:
    rules = get_system(table.system).version
    entries: dict[int, PastEntry] = {}
    while rows := await store.page(table.id, after, until=until):
        for row in rows:
            _require_rules(row, rules)
            outcome = _replay_row(state, row, table.seeds, entries)
            state, after = outcome.state, row.seq
            tell(row.seq, outcome.events)
            if row.seq % _ENTRIES_PER_TURN == 0:
                await asyncio.sleep(0)
    return state


def _require_rules(row: EntryRow, version: int) -> None:
    """Raise ReplayImpossible if an entry was made under rules of another version."""
    if row.rules_version != version:
        raise ReplayImpossible(
            row.seq, f"made under rules {row.rules_version}, these are rules {version}"
        )


def _replay_row(
    state: TableState | None,
    row: EntryRow,
    seeds: Sequence[SeedRow],
    entries: dict[int, PastEntry],
) -> Outcome:
    """Replay a row of the journal, and add its entry to *entries*.

    Raises EarlierEntryNeeded, ReplayImpossible.
    """
    action = codec.read_action(row.kind, row.action)
    dice = request_dice(stream_seeds(seeds, row.seq), dice_key(action, row.request_id))
    draws: tuple[Draw, ...] = ()
    past = Past(entries, seeds)
    if state is None:
        outcome = resolve_action(state, action, dice)
    elif isinstance(action, Amend):
        outcome = _replay_amendment(state, row.seq, action, past, dice)
    elif isinstance(action, StepIn | AskToStepIn):
        stored = codec.read_events(row.events) if isinstance(action, AskToStepIn) else ()
        outcome = carry_out(state, action, row.seq, dice, stored, past, dice)
    else:
        recording = RecordingStreams(dice)
        outcome = carry_out(state, action, row.seq, recording, (), past, dice)
        draws = tuple(recording.draws)
    if dice.drawn != row.draws:
        raise ReplayImpossible(row.seq, f"draws {dice.drawn} times, drew {row.draws} times")
    if state is not None:
        entries[row.seq] = PastEntry(
            row.seq,
            row.at,
            row.request_id,
            action,
            outcome.events,
            state,
            outcome.state,
            row.place or action.place,
            draws,
        )
    old = row.seq - _EVENTS_KEPT
    if old in entries:
        entries[old] = entries[old].replace(events=())
    return outcome


def _replay_amendment(
    state: TableState, seq: int, action: Amend, past: Past, dice: KeyedStreams
) -> Outcome:
    first = action.entry
    while True:
        past.entry(first)
        numbers = range(first, seq)
        earlier = min(_reach(past.entry(number)) for number in numbers)
        if earlier >= first:
            break
        first = earlier
    entries = [past.entry(number) for number in range(first, seq)]
    result = resolve_amendment(state, entries, action, past.seeds, dice)
    if result.gone != action.gone:
        raise ReplayImpossible(seq, f"undoes {result.gone}, undid {action.gone}")
    return result.outcome
