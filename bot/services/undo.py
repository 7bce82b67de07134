"""Undo of journal entries: the entries that an undo includes, and the parts before them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from bot.services.action_fields import check_fields
from bot.services.journal_entries import undo_entry
from bot.services.loaded_table import Table
from bot.services.outbox_plan import event_place
from bot.storage import codec
from bot.storage.row_records import EntryRow
from bot.storage.store import Store
from rules.core.errors import Impossible, NotFound, NotPermitted, RulesError
from rules.core.record import Record
from rules.registry import read_only_game
from rules.table.actions import Amend, Undo
from rules.table.events import Event, StepView
from rules.table.gms.deputy_rights import with_deputy_limits
from rules.table.journal.undo import (
    audience_of_undo,
    check_undo,
    deed_view,
    is_undoable,
    restore,
    stranded_parts,
)
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm
from rules.table.readable_places import EVERYWHERE
from rules.table.state import KEPT_BY_UNDO, SYSTEM, Part

#: Most entries that an undo without a number looks at, and a player's undo; the newest.
UNDO_REACH: Final = 200
#: Most later entries on the same parts that are looked at. With more, the undo is refused.
MAX_LATER_ENTRIES = 500
#: Entries that are read before other tasks get a turn.
_ENTRIES_PER_TURN = 20
#: Most lookups of an undo without the table's lock. After these it is resolved under the lock.
_MAX_LOOKUPS = 5

#: Entries by number, each with the keys of the parts it changed.
_EntriesByNumber = dict[int, tuple[EntryRow, frozenset[str]]]
#: Decoded events by their stored text.
_EventsByText = dict[str, tuple[Event, ...]]


class UndoLookup(Record):
    """Result of looking an undo up, or its refusal, at one revision of the table."""

    #: None if the result holds at every revision.
    revision: int | None
    found: tuple[Outcome, Undo] | RulesError

    def result(self) -> tuple[Outcome, Undo]:
        """Return the outcome and the action. Raises RulesError if the undo is refused."""
        if isinstance(self.found, RulesError):
            raise self.found
        return self.found


async def look_up_undo(store: Store, table: Table, action: Undo) -> UndoLookup | None:
    """Look an undo up without the table's lock.

    None if another action came first at each of `_MAX_LOOKUPS` attempts.
    """
    read: _EventsByText = {}
    for _ in range(_MAX_LOOKUPS):
        await table.wait_until_written()
        revision = table.revision
        if table.pending or table.broken:
            continue
        try:
            check_fields(action)
            result = await resolve_undo(store, table, action, read)
        except RulesError as refused:
            if refused.code == "undo-too-many":
                return UndoLookup(None, refused)  # later actions only add entries
            result = refused
        except Exception:
            if table.revision == revision:
                raise
            continue  # the reads mixed two revisions
        if table.revision == revision:
            return UndoLookup(revision, result)
    return None


async def resolve_undo(
    store: Store, table: Table, action: Undo, read: _EventsByText | None = None
) -> tuple[Outcome, Undo]:
    """Return the outcome of undoing the entries meant, and the action with their numbers.

    `read` caches events of an earlier lookup by their text.

    Raises as `check_undo`, and Impossible("undo-redacted"), ("undo-too-old"), ("undo-too-many").
    """
    action = with_deputy_limits(table.state, action)
    number, kept = action.entry, await store.kept_from(table.id)
    if number is not None and not 1 <= number <= table.revision:
        raise NotFound("nothing-to-undo", field="entry", value=number, nearest=())
    if number is not None and number <= table.redacted:
        raise Impossible("undo-redacted", entry=number, first=max(kept, table.redacted + 1))
    if number is not None and number < kept:
        raise Impossible("undo-too-old", entry=number, first=kept)
    by_number = number is not None and is_gm(table.state, action.who)
    if number is not None and by_number:
        rows = await store.entries_at(table.id, [number])
    else:
        # A player may undo only the player's own last action.
        since = max(1, table.revision - UNDO_REACH, table.redacted + 1, kept)
        rows = await store.entries(table.id, since=since, limit=UNDO_REACH + 1)
        if number is not None and number < since:
            raise NotPermitted("not-yours-to-undo", entry=number)
    known: _EntriesByNumber = {row.seq: (row, keys) for row, keys in rows}
    stranded: frozenset[str] = frozenset()
    amendments: frozenset[int] = frozenset()
    while True:
        if by_number and number in known:
            await _add_dependents(store, table.id, known, known[number], stranded, amendments)
        rows = [known[seq][0] for seq in sorted(known)]
        ids = {row.seq: row.id for row in rows}
        numbers = check_undo(
            table.state,
            action.who,
            [undo_entry(*known[seq], amendments) for seq in sorted(known)],
            action.entry,
            all_dependents=action.all_dependents,
            stranded=stranded,
        )
        stored = await store.parts_before([ids[seq] for seq in numbers])
        earlier = [_read_parts(table, stored.get(ids[seq], {})) for seq in numbers]
        newly_stranded = stranded_parts(read_only_game(table.state), earlier)
        undone_amendments = {seq for seq in numbers if known[seq][0].kind == Amend.__name__}
        if newly_stranded <= stranded and undone_amendments <= amendments:
            break
        stranded |= newly_stranded
        # What an amendment had undone counts again, and may build on what is undone here.
        amendments |= undone_amendments
    _require_named(action, numbers)
    if min(numbers) < await store.kept_from(table.id):  # the store has just dropped them
        raise Impossible("undo-too-old", entry=min(numbers), first=await store.kept_from(table.id))
    events: dict[int, tuple[tuple[str, str], tuple[Event, ...]]] = {}
    elsewhere: set[int] = set()
    read = {} if read is None else read
    for row, _ in await store.entries_at(table.id, numbers):
        if row.events not in read:
            read[row.events] = codec.read_events(row.events)
            if not len(read) % _ENTRIES_PER_TURN:
                await asyncio.sleep(0)  # lets other tasks run
        events[row.seq] = (row.kind, row.actor), read[row.events]
        places = {event_place(event, row.place) for event in read[row.events]} or {row.place}
        if places != {action.place}:
            elsewhere.add(row.seq)
    all_events = [event for _, batch in events.values() for event in batch]
    audience = audience_of_undo(all_events, action.who.id, table.state)
    # Everyone is told only of entries that were public here. The mere number of a secret entry
    # tells enough, and a reader of this place may not view another.
    kinds: list[tuple[str, str]] = []
    deeds: list[StepView | None] = []
    for number in numbers:
        kind, entry_events = events[number]
        was_public = (
            audience_of_undo(entry_events, "", table.state).everyone and number not in elsewhere
        )
        is_named = was_public or not audience.everyone
        kinds.append(kind if is_named else ("", ""))
        deeds.append(deed_view(entry_events) if is_named else None)
    action = action.replace(entries=numbers, kinds=tuple(kinds), deeds=tuple(deeds))
    private: dict[str, list[int]] = {}
    for row in reversed(rows):
        mine = row.seq in numbers and row.actor not in (SYSTEM, action.who.id)
        if not mine or audience.everyone:
            continue
        told = audience_of_undo(events[row.seq][1], "", table.state)
        # What a whisper scene was told is undone openly in its place.
        in_whisper = bool(audience.whisper) and told.whisper == audience.whisper
        if not told.everyone and not in_whisper:
            private.setdefault(row.actor, []).append(row.seq)
    times = [known[seq][0].at for seq in numbers]
    has_dice = any(row.draws for row in rows if row.seq in numbers)
    game = read_only_game(table.state, readable=EVERYWHERE)
    return restore(game, action, earlier, audience, private, times, rolled=has_dice), action


def _require_named(action: Undo, numbers: Sequence[int]) -> None:
    """Raise Impossible("undo-others-first") if an undo takes more than the entries that it names.

    An undo that names none takes all that it has to.
    """
    more = [number for number in reversed(numbers) if number not in action.entries]
    if action.entries and more:
        others = tuple(f"#{number}" for number in more)
        raise Impossible("undo-others-first", entry=numbers[-1], others=others)


async def _add_dependents(
    store: Store,
    table_id: int,
    known: _EntriesByNumber,
    first: tuple[EntryRow, frozenset[str]],
    stranded: frozenset[str],
    amendments: frozenset[int],
) -> None:
    """Add to *known* every later entry that may depend on the first, by the parts they touched.

    Entries that were undone by one of the *amendments* count, as these are undone themselves.
    Raises Impossible("undo-too-many") if there are more than `MAX_LATER_ENTRIES`.
    """
    if not is_undoable(undo_entry(*first)):
        return
    since = dict.fromkeys((first[1] | stranded) - KEPT_BY_UNDO, first[0].id)
    fresh = dict(since)
    while fresh:
        rows = await store.entries_touching(table_id, fresh, MAX_LATER_ENTRIES)
        if rows is None:
            raise Impossible("undo-too-many", entry=first[0].seq, most=MAX_LATER_ENTRIES)
        fresh = {}
        for row, keys in rows:
            known[row.seq] = (row, keys)
            counts = is_undoable(undo_entry(row, keys, amendments))
            for key in keys - KEPT_BY_UNDO if counts else ():
                if since.get(key, row.id + 1) > row.id:
                    since[key] = fresh[key] = row.id
        if len(known) > MAX_LATER_ENTRIES:
            raise Impossible("undo-too-many", entry=first[0].seq, most=MAX_LATER_ENTRIES)


def _read_parts(
    table: Table, stored: Mapping[str, tuple[int, str] | None]
) -> dict[str, Part | None]:
    key = table.state.settings.system
    return {
        name: None if text is None else codec.read_part(key, table.id, name, *text)
        for name, text in stored.items()
    }
