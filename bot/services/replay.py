"""Replay of a table's journal: the same actions and seeds give the same table.

It starts from the opening, or from the nearest snapshot: the parts as they were after an entry.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from bot.services.dice_keys import dice_key
from bot.services.resolution import request_dice, resolve_action
from bot.services.seeds import stream_seeds
from bot.services.stepping_in import ResultEntry, redo_step_in
from bot.storage import codec
from bot.storage.location import Where
from bot.storage.row_records import EntryRow, SeedRow, TableRow
from bot.storage.store import SqlStore, Store
from rules.core.errors import NotFound
from rules.registry import get_system, read_only_game
from rules.table.actions import AskToStepIn, StepIn, Undo
from rules.table.checks.step_in import with_question
from rules.table.events import Event, StepInAsked
from rules.table.outcome import Outcome
from rules.table.readable_places import EVERYWHERE
from rules.table.state import Part, TableState
from rules.table.undo import restore

#: Entries that are replayed before other tasks get a turn, and most for a waiting player.
_ENTRIES_PER_TURN: Final = 20
MAX_REPLAYED_ENTRIES: Final = 3000

PartsBefore = dict[int, dict[str, Part | None]]


class _Past:
    """The entries replayed so far, by number."""

    def __init__(self) -> None:
        #: The changed parts as they were before each entry.
        self.before: PartsBefore = {}
        self.at: dict[int, int] = {}
        #: Kind and text of each action, and its request.
        self.done: dict[int, tuple[str, str, str]] = {}


class ReplayImpossible(Exception):
    """Entry `seq` of the journal can't be replayed; `reason` says why."""

    def __init__(self, seq: int, reason: str) -> None:
        super().__init__(f"entry {seq}: {reason}")
        self.seq = seq
        self.reason = reason


class _EarlierStartNeeded(Exception):
    """An undone entry, or one that a step-in changed, lies before the start."""

    def __init__(self, seq: int) -> None:
        super().__init__(seq)
        self.seq = seq


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
        kept = await store.snapshot(table.id, start)
        state, after = None, 0
        if kept is not None and kept[0] >= table.redacted_seq:
            after, state = kept[0], codec.read_state(table.system, table.id, kept[1])
        elif table.redacted_seq:
            reason = "what somebody typed up to here was deleted at their wish"
            raise ReplayImpossible(table.redacted_seq, reason)
        if most is not None and until - after > most:
            raise ReplayImpossible(until, f"it would take more than {most} entries of the journal")
        try:
            return await _replay_rows(store, table, state, after, until, tell)
        except _EarlierStartNeeded as earlier:
            start = earlier.seq


async def _replay_rows(
    store: Store,
    table: TableRow,
    state: TableState | None,
    after: int,
    until: int,
    tell: Callable[[int, tuple[Event, ...]], None],
) -> TableState | None:
    rules = get_system(table.system).version
    past = _Past()
    while rows := await store.page(table.id, after, until=until):
        for row in rows:
            if row.rules_version != rules:
                raise ReplayImpossible(
                    row.seq, f"made under rules {row.rules_version}, these are rules {rules}"
                )
            outcome = _replay_row(state, row, table.seeds, past)
            past.at[row.seq] = row.at
            past.done[row.seq] = (row.kind, row.action, row.request_id)
            if state is not None:
                old = dict(state.parts())
                changed = outcome.state.changes_since(state)
                past.before[row.seq] = {key: old.get(key) for key in changed}
            state, after = outcome.state, row.seq
            tell(row.seq, outcome.events)
            if row.seq % _ENTRIES_PER_TURN == 0:
                await asyncio.sleep(0)
    return state


def _replay_row(
    state: TableState | None,
    row: EntryRow,
    seeds: Sequence[SeedRow],
    past: _Past,
) -> Outcome:
    before = past.before
    action = codec.read_action(row.kind, row.action)
    dice = request_dice(stream_seeds(seeds, row.seq), dice_key(action, row.request_id))
    if isinstance(action, Undo) and state is not None:
        if min(action.entries) not in before:
            raise _EarlierStartNeeded(min(action.entries))
        earlier = [before[seq] for seq in action.entries]
        times = [past.at[seq] for seq in action.entries]
        outcome = restore(read_only_game(state, readable=EVERYWHERE), action, earlier, times=times)
    elif isinstance(action, StepIn) and state is not None:
        if action.entry not in before:
            raise _EarlierStartNeeded(action.entry)
        result = _result_entry(action, past)
        outcome, _, _ = redo_step_in(state, action, result, seeds, dice, row.seq)
    elif isinstance(action, AskToStepIn) and state is not None:
        # The entries to undo are known from the journal alone, and the event lists them.
        events = codec.read_events(row.events)
        for event in events:
            if isinstance(event, StepInAsked):
                state = with_question(state, event, action.at)
        outcome = Outcome(state, events)
    else:
        outcome = resolve_action(state, action, dice)
    if dice.drawn != row.draws:
        raise ReplayImpossible(row.seq, f"draws {dice.drawn} times, drew {row.draws} times")
    return outcome


def _result_entry(action: StepIn, past: _Past) -> ResultEntry:
    """Return the entry whose result a step-in changed, with the step-ins before this one."""
    kind, text, request = past.done[action.entry]
    since = [action.entry, *[choice.seq for choice in action.earlier]]
    before = tuple([past.before[seq] for seq in reversed(since)])
    return ResultEntry(action.entry, request, codec.read_action(kind, text), action.earlier, before)
