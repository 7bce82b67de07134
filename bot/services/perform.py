"""Execution of actions: load the table, resolve, save, journal and plan the messages."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from contextlib import suppress
from typing import get_args

from bot.services.action_fields import check_fields
from bot.services.amend_requests import AmendLookup, look_up_amendment
from bot.services.dice_keys import dice_key
from bot.services.journal_entries import new_entry
from bot.services.late_questions import resolve_question
from bot.services.loaded_table import Table
from bot.services.outbox_plan import ReplyTo
from bot.services.place_binding import check_move, check_places
from bot.services.resolution import request_dice, resolve_in_worker
from bot.services.seeds import rotate_seeds, seed_commitment, stream_seeds
from bot.services.speech import entries_about
from bot.services.stepping_in import resolve_step_in, with_present_check
from bot.services.tables import Tables
from bot.services.undo import UndoLookup, look_up_undo, resolve_undo
from bot.storage import codec
from bot.storage.errors import DuplicateRequest, StaleTable, StorageUnavailable
from bot.storage.row_records import NewEntry, NewSeed, OutboxRow, SeedStream, WrittenEntry
from bot.storage.upkeep import SNAPSHOT_EACH
from rules.core.errors import Outdated, RulesError
from rules.core.record import Record
from rules.core.rng import KeyedStreams
from rules.registry import read_only_game
from rules.table.actions import (
    Action,
    Amend,
    AskToStepIn,
    BeginAnew,
    ChangePlaces,
    ForgetPerson,
    MovePlay,
    RotateSeed,
    StepIn,
    Undo,
    Unsay,
)
from rules.table.events import Event
from rules.table.outcome import Outcome
from rules.table.scenes.whisper_audiences import with_whispers
from rules.table.state import SYSTEM, TableState

log = logging.getLogger("storyguide.tables")

#: Actions that are resolved with the journal, not with the state alone.
_NEEDING_THE_JOURNAL = (
    Undo,
    StepIn,
    AskToStepIn,
    ForgetPerson,
    ChangePlaces,
    MovePlay,
    RotateSeed,
    BeginAnew,
    Unsay,
)
#: Most attempts at a write when other processes write first.
TRIES = 3


class ActionResult(Record):
    """Result of a request."""

    table: Table
    journal_id: int
    seq: int
    events: tuple[Event, ...]
    state: TableState
    outs: tuple[OutboxRow, ...]
    #: The request was carried out before, and its result is only shown again.
    repeated: bool = False

    @property
    def reply(self) -> OutboxRow | None:
        """Outbox row of the answer to the interaction."""
        return next((out for out in self.outs if out.kind == "reply"), None)


async def perform(
    tables: Tables, table_id: int, action: Action, request_id: str, reply: ReplyTo | None = None
) -> ActionResult:
    """Carry an action out exactly once.

    Before the commit nothing has changed; after it nothing is lost or doubled. A repeated
    `request_id` gets the first result again. So does a player who repeats an action whose answer
    was never delivered.

    Raises RulesError if the action is refused, TableUnreadable, StorageUnavailable.
    """
    table = await tables.get(table_id)
    user = table.directory.user(action.who.id)
    for attempt in range(TRIES):
        # These lookups take several reads. They run unlocked, so that no player waits.
        looked: UndoLookup | AmendLookup | None = None
        if isinstance(action, Undo):
            looked = await look_up_undo(tables.store, table, action)
        elif isinstance(action, Amend):
            looked = await look_up_amendment(tables, table, action, request_id)
        async with table.lock:
            if action.who.id != SYSTEM and table.directory.user(action.who.id) is None:
                if user is not None and table.directory.known_participant(user) is not None:
                    raise StaleTable  # another process registered the same user first
                before = await earlier_result(tables, request_id)
                if before is not None:
                    return before
                raise Outdated("person-forgotten")
            ground = tuple(table.pending)
            try:
                begun = await _start_write(tables, table, action, request_id, reply, looked)
            except RulesError as error:
                begun = error
        if isinstance(begun, Outdated) and begun.code == "amend-busy" and attempt + 1 < TRIES:
            continue
        if isinstance(begun, RulesError):
            # The test takes reads and a commit. It runs unlocked, so that no player waits.
            stands = await _is_refusal_final(tables, table, ground)
            # The refusal may come from the request's own earlier success, before a restart.
            known = await earlier_result(tables, request_id)
            if known is not None:
                return known
            if stands:
                raise begun
            await tables.reload_if_broken(table)
            continue
        if isinstance(begun, ActionResult):
            return begun
        outcome, writing = begun
        try:
            written = await writing
        except StaleTable:
            log.info("table.stale", extra={"table": table_id, "attempt": attempt})
            await tables.reload_if_broken(table)
        except DuplicateRequest:
            await tables.reload_if_broken(table)
            known = await earlier_result(tables, request_id)
            if known is not None:
                return known
            raise
        except StorageUnavailable:
            with suppress(StorageUnavailable):
                await tables.reload_if_broken(table)
            raise
        else:
            tables.activity.record_entry()
            log.debug(
                "table.committed",
                extra={
                    "table": table_id,
                    "entry": written.seq,
                    "action": type(action).__name__,
                    "actor": action.who.id,
                },
            )
            tables.on_done(table)
            if written.seq % SNAPSHOT_EACH == 0:
                tables.on_untidy()
            return committed_result(table, written, outcome)
    raise StaleTable


async def _start_write(
    tables: Tables,
    table: Table,
    action: Action,
    request_id: str,
    reply: ReplyTo | None,
    looked: UndoLookup | AmendLookup | None = None,
) -> ActionResult | tuple[Outcome, asyncio.Future[WrittenEntry]]:
    """Resolve the action and start its write; the caller holds the table's lock.

    The next action is resolved on this outcome without waiting for the disk, so that consecutive
    writes share a commit. No message is sent before that commit. If the commit fails, the actions
    built on it fail too (`NewEntry.after`) and are resolved again.
    """
    if table.broken:
        await tables.refresh(table)
    missed = tables.unsaid.request_of(table.id, action)
    if missed is not None and (first := await earlier_result(tables, missed)) is not None:
        return first
    if isinstance(action, StepIn):
        action = with_present_check(table, action)
    streams = stream_seeds(table.seeds, table.revision + 1)
    dice = request_dice(streams, dice_key(action, request_id))
    seeds: tuple[NewSeed, ...] = ()
    if isinstance(action, Amend):
        outcome, action, dice = _resolve_amend(table, action, looked)
    else:
        assert not isinstance(looked, AmendLookup)
        outcome, action, seeds = await _resolve(tables, table, action, dice, looked)
    if outcome.state.counters.whisper:
        # The journal's services bring back events of before: undo, correction, stepping in.
        outcome = with_whispers(read_only_game(table.state), outcome, action)
    log.debug("table.resolved", extra={"table": table.id, "action": type(action).__name__})
    before, people = table.state, table.directory
    entry = new_entry(
        before, outcome, action, request_id, reply, people, dice, seeds=seeds, after=table.head
    )
    if seeds:
        table.seeds = rotate_seeds(table.seeds, seeds, table.revision + 1, action.at)
    if entry.forgets:
        table.redacted = table.revision + 1
    writing = asyncio.ensure_future(tables.store.append(table.id, table.revision, entry))
    table.state, table.revision, table.head = outcome.state, table.revision + 1, request_id
    table.pending.add(writing)
    writing.add_done_callback(lambda done: _finish_write(tables, table, entry, done))
    return outcome, writing


async def _is_refusal_final(
    tables: Tables, table: Table, ground: Collection[asyncio.Future[WrittenEntry]]
) -> bool:
    """Return whether a refusal stands.

    It stands if the writes that it rests on reached the disk, and no other process has written
    since.
    """
    if ground:
        await asyncio.wait(ground)
        if any(write.cancelled() or write.exception() is not None for write in ground):
            return False
    later = await tables.store.entries(table.id, since=table.revision + 1, limit=1)
    # Our own entries have counted up the revision before they are written.
    table.broken = table.broken or any(row.seq > table.revision for row, _ in later)
    return not table.broken


async def _resolve(
    tables: Tables,
    table: Table,
    action: Action,
    dice: KeyedStreams,
    looked: UndoLookup | None,
) -> tuple[Outcome, Action, tuple[NewSeed, ...]]:
    """Return the outcome, the action as it is journaled, and the seeds that it starts.

    An action that needs the journal waits until every earlier entry is on disk. A lookup in
    `looked` has waited already.
    """
    if looked is not None and looked.revision in (None, table.revision):
        return *looked.result(), ()
    if isinstance(action, _NEEDING_THE_JOURNAL):
        check_fields(action)
        await table.wait_until_written()
    seeds: tuple[NewSeed, ...] = ()
    if isinstance(action, Undo):
        outcome, action = await resolve_undo(tables.store, table, action)
        return outcome, action, seeds
    if isinstance(action, StepIn):
        outcome, action = await resolve_step_in(tables.store, table, action, dice)
        return outcome, action, seeds
    if isinstance(action, AskToStepIn):
        return await resolve_question(tables.store, table, action), action, seeds
    if isinstance(action, Unsay):
        action = action.replace(entries=await entries_about(tables.store, table, action.said))
    if isinstance(action, RotateSeed):
        action, seeds = _with_new_seed(tables, table, action)
    elif isinstance(action, BeginAnew):
        seeds = tuple(
            [
                _new_seed(tables, stream, reveals=stream == "public")
                for stream in get_args(SeedStream)
            ]
        )
        action = action.replace(
            revealed=table.current_seed("public").seed.hex(), next=seeds[0].commitment
        )
    outcome = await resolve_in_worker(tables, table.state, action, dice)
    if isinstance(action, ForgetPerson):
        table.directory.forget(action.who.id)
        tables.unsaid.forget(table.id, action.who.id)
    elif isinstance(action, ChangePlaces):
        await check_places(tables, table, action)
    elif isinstance(action, MovePlay):
        await check_move(tables, table, action)
    return outcome, action, seeds


def _resolve_amend(
    table: Table, action: Amend, looked: UndoLookup | AmendLookup | None
) -> tuple[Outcome, Action, KeyedStreams]:
    """Return the outcome of an amendment, the action as it is journaled, and its dice.

    Raises Outdated("amend-busy") if another action came first: the table isn't held while an
    amendment is worked out.
    """
    if isinstance(looked, AmendLookup) and looked.revision == table.revision:
        return looked.result()
    raise Outdated("amend-busy", entry=action.entry)


def _with_new_seed(
    tables: Tables, table: Table, action: RotateSeed
) -> tuple[RotateSeed, tuple[NewSeed, ...]]:
    """Return the action with the revealed seed and the next seed's commitment, and the new seed."""
    old, new = table.current_seed(action.stream), _new_seed(tables, action.stream)
    return action.replace(revealed=old.seed.hex(), next=new.commitment), (new,)


def _new_seed(tables: Tables, stream: SeedStream, *, reveals: bool = True) -> NewSeed:
    seed = tables.token_bytes(32)
    return NewSeed(stream, seed, seed_commitment(seed), reveals)


def _finish_write(
    tables: Tables, table: Table, entry: NewEntry, done: asyncio.Future[WrittenEntry]
) -> None:
    table.pending.discard(done)
    if done.cancelled() or done.exception() is not None:
        table.broken = True
        return
    table.directory.mark_saved(entry.members)
    tables.unsaid.withdraw(table.id, entry.undoes)
    for place, bound in entry.places:
        tables.places.record_change(place, table.id, bound)
    for _, at in entry.due_on:
        tables.on_due(at)


def committed_result(table: Table, written: WrittenEntry, outcome: Outcome) -> ActionResult:
    """Return the result of a request whose entry is on disk."""
    return ActionResult(
        table, written.journal_id, written.seq, outcome.events, outcome.state, written.outs
    )


async def earlier_result(tables: Tables, request_id: str) -> ActionResult | None:
    """Return the first result of a request that was carried out before, even before a restart."""
    stored = await tables.store.find_request(request_id)
    if stored is None:
        return None
    row, outs = stored
    # The caller may hold the table's lock.
    table = await tables.load(row.table_id)
    events = codec.read_events(row.events)
    return ActionResult(table, row.id, row.seq, events, table.state, outs, repeated=True)
