"""Folds a table's journal again: the same actions and the same seeds give the same table."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from typing import Final

from bot.services.resolving import dice_of, resolved
from bot.services.seeds import streams
from bot.storage import codec
from bot.storage.records import EntryRow, SeedRow
from bot.storage.store import Store
from rules.core.errors import NotFound
from rules.registry import get_system, look
from rules.table.actions import Undo
from rules.table.events import Event
from rules.table.outcome import Outcome
from rules.table.state import Part, TableState
from rules.table.undo import restore

#: So many entries are carried out again at a time.
_AT_ONCE: Final = 20


class ReplayImpossible(Exception):
    """Entry `seq` of the journal cannot be carried out again; `reason` says why."""

    def __init__(self, seq: int, reason: str) -> None:
        super().__init__(f"entry {seq}: {reason}")
        self.seq = seq
        self.reason = reason


async def replay(store: Store, table_id: int) -> TableState:
    """The table as its journal makes it, from the opening on. Raises as `_folded`."""
    state: TableState | None = None
    async for _, outcome in _folded(store, table_id):
        state = outcome.state
    if state is None:
        raise ReplayImpossible(0, "the journal is empty")
    return state


async def replayed(store: Store, table_id: int, wanted: Collection[int]) -> dict[int, tuple[Event, ...]]:
    """What these entries of the journal tell when they are carried out again. Raises as `_folded`."""
    found: dict[int, tuple[Event, ...]] = {}
    last = max(wanted, default=0)
    if last:
        async for seq, outcome in _folded(store, table_id):
            if seq in wanted:
                found[seq] = outcome.events
            if seq == last:
                break
    return found


async def _folded(store: Store, table_id: int) -> AsyncIterator[tuple[int, Outcome]]:
    """Every entry of the journal with what comes of it, from the opening on; others get their turn in between.

    Raises NotFound for a table that does not exist and ReplayImpossible for an entry made under another
    version of the rules, for one that does not draw as it did, and where what somebody typed was deleted.
    """
    table = await store.load_table(table_id)
    if table is None:
        raise NotFound("no-table", field="place", value=None, nearest=())
    if table.redacted_seq:
        raise ReplayImpossible(table.redacted_seq, "what somebody typed up to here was deleted at their wish")
    rules = get_system(table.system).version
    state: TableState | None = None
    before: dict[int, dict[str, Part | None]] = {}
    at: dict[int, int] = {}
    for row, _ in await store.entries(table_id):
        if row.rules_version != rules:
            raise ReplayImpossible(row.seq, f"made under rules {row.rules_version}, these are rules {rules}")
        outcome = _again(state, row, table.seeds, before, at)
        at[row.seq] = row.at
        if state is not None:
            old = dict(state.parts())
            before[row.seq] = {key: old.get(key) for key in outcome.state.changes_since(state)}
        state = outcome.state
        yield row.seq, outcome
        if row.seq % _AT_ONCE == 0:
            await asyncio.sleep(0)


def _again(
    state: TableState | None,
    row: EntryRow,
    seeds: Sequence[SeedRow],
    before: dict[int, dict[str, Part | None]],
    at: dict[int, int],
) -> Outcome:
    action = codec.read_action(row.kind, row.action)
    dice = dice_of(streams(seeds, row.seq), row.request_id)
    if isinstance(action, Undo) and state is not None:
        earlier, times = [before[seq] for seq in action.entries], [at[seq] for seq in action.entries]
        outcome = restore(look(state), action, earlier, times=times)
    else:
        outcome = resolved(state, action, dice)
    if dice.drawn != row.draws:
        raise ReplayImpossible(row.seq, f"draws {dice.drawn} times, drew {row.draws} times")
    return outcome
