"""Amendments worked out in the worker process (`bot.worker_process`), from rows of the journal.

What comes back is small: the parts that differ from those of the present table, and the events that
a GM may be shown.
"""

from __future__ import annotations

from collections.abc import Mapping

from bot.services.action_fields import check_fields
from bot.services.amendment import (
    Amendment,
    preview_amendment,
    resolve_amendment,
    with_hindrance,
)
from bot.services.past_entries import PastEntry, undone_entries
from bot.services.replay import JournalRows, ReplayImpossible, replay_rows
from bot.services.resolution import request_dice
from bot.services.seeds import stream_seeds
from bot.storage import codec
from bot.storage.upkeep import Parts
from rules.core.errors import Impossible, NotFound, Outdated, RulesError
from rules.core.record import Record
from rules.core.rng import Draw, KeyedStreams
from rules.table.actions import Action, Amend, EntryChange
from rules.table.amendments.entry_forms import changed_action, changes_of, is_empty_change
from rules.table.amendments.redone_entries import RedoneEntry
from rules.table.events import Event
from rules.table.state import Part, TableState, from_parts

#: Parts that differ from those of another table; None for a part that is missing.
PartChanges = Mapping[str, Part | None]


class AmendSource(Record):
    """A table and the end of its journal, as the worker process gets them."""

    journal: JournalRows
    #: Number of the newest entry, and the parts of the table after it.
    revision: int
    parts: Parts


class CompactEntry(Record):
    """An entry of the journal, without the parts that it shares with the present table."""

    seq: int
    at: int
    request: str
    action: Action
    events: tuple[Event, ...]
    place: str
    draws: tuple[Draw, ...]
    before: PartChanges
    after: PartChanges

    def on(self, present: TableState) -> PastEntry:
        """Return the entry with its tables; *present* is the table that they were compared with."""
        return PastEntry(
            self.seq,
            self.at,
            self.request,
            self.action,
            self.events,
            with_part_changes(present, self.before),
            with_part_changes(present, self.after),
            self.place,
            self.draws,
        )


class CompactAmendment(Record):
    """A previewed amendment, without the parts that it shares with the present table."""

    #: The entry to amend, and the entries in `before`.
    entries: tuple[CompactEntry, ...]
    amendment: Amendment
    #: What differs on the amended table; None if that depends on new dice.
    changes: PartChanges | None
    #: What differs on each table of `Amendment.before`.
    before: Mapping[int, PartChanges]

    def on(self, present: TableState) -> tuple[tuple[PastEntry, ...], Amendment]:
        """Return the entries and the amendment; *present* is the table they were compared with."""
        state = None if self.changes is None else with_part_changes(present, self.changes)
        before: dict[int, TableState] = {}
        for seq, changes in self.before.items():
            before[seq] = with_part_changes(present, changes)
        entries = tuple(entry.on(present) for entry in self.entries)
        return entries, self.amendment.replace(state=state, before=before)


class ResolvedAmendment(Record):
    """Outcome of an amendment: the parts that it writes, its events, and its dice."""

    changes: PartChanges
    events: tuple[Event, ...]
    #: The action as it is journaled.
    action: Amend
    dice: KeyedStreams


def with_part_changes(state: TableState, changes: PartChanges) -> TableState:
    """Return a table with other parts in place of its own."""
    parts = dict(state.parts())
    for key, part in changes.items():
        if part is None:
            parts.pop(key, None)
        else:
            parts[key] = part
    return from_parts(parts)


def part_changes(state: TableState, present: TableState) -> PartChanges:
    """Return the parts in which a table differs from the present one."""
    parts, present_parts = dict(state.parts()), dict(present.parts())
    changes: dict[str, Part | None] = {key: None for key in present_parts if key not in parts}
    for key, part in parts.items():
        if present_parts.get(key) != part:
            changes[key] = part
    return changes


def read_past_entry(source: AmendSource, number: int) -> CompactEntry:
    """Return entry *number* as a replay makes it.

    Raises EarlierEntryNeeded, Impossible("amend-other-rules"), and NotFound("nothing-to-undo") for
    an entry that is undone.
    """
    present, entries = _replay(source, number)
    if number in undone_entries(entries):
        params = {"field": "entry", "value": number, "nearest": (), "amend": True}
        raise NotFound("nothing-to-undo", **params, gone=False, undone=True)
    return _compact_entry(_entry_numbered(entries, number), present)


def preview_past(source: AmendSource, number: int, action: Amend) -> CompactAmendment:
    """Return an amendment of entry *number* as far as it is known without new dice.

    Raises as `read_past_entry`, `preview_amendment` and `check_fields`, and
    Impossible("amend-nothing") without other values.
    """
    present, entries = _replay(source, number)
    _require_values(entries, action)
    amendment = preview_amendment(entries, action, source.journal.seeds)
    amendment = with_hindrance(amendment, present, action)
    state, changes = amendment.state, None
    if state is not None:
        changes = part_changes(state, present)
    before = {seq: part_changes(table, present) for seq, table in amendment.before.items()}
    wanted = {number, *before}
    compact = tuple(_compact_entry(entry, present) for entry in entries if entry.seq in wanted)
    shown = tuple(_without_idle_events(entry) for entry in amendment.entries)
    amendment = amendment.replace(entries=shown, state=None, before={})
    return CompactAmendment(compact, amendment, changes, before)


def resolve_past(
    source: AmendSource, number: int, action: Amend, request_id: str
) -> ResolvedAmendment:
    """Return the outcome of an amendment of entry *number*.

    Raises as `preview_past` and `resolve_amendment`, and Outdated("amend-changed") if it is no
    longer as it was previewed.
    """
    present, entries = _replay(source, number)
    _require_values(entries, action)
    seeds = source.journal.seeds
    preview = preview_amendment(entries, action, seeds)
    if preview.digest(action) != action.preview:
        raise Outdated("amend-changed", entry=action.entry)
    dice = request_dice(stream_seeds(seeds, source.revision + 1), request_id)
    result = resolve_amendment(present, entries, action, seeds, dice, preview)
    outcome = result.outcome
    changes = outcome.state.changes_since(present)
    return ResolvedAmendment(changes, outcome.events, action.replace(gone=result.gone), dice)


def _replay(source: AmendSource, number: int) -> tuple[TableState, tuple[PastEntry, ...]]:
    """Return the present table, and the entries from *number* on."""
    journal = source.journal
    other_rules = Impossible("amend-other-rules", entry=number)
    try:
        entries = replay_rows(journal, number)
    except (ReplayImpossible, RulesError):
        raise other_rules from None
    present = codec.read_state(journal.system, journal.table_id, source.parts)
    if not entries or entries[-1].seq != source.revision or entries[-1].after != present:
        raise other_rules
    return present, entries


def _require_values(entries: tuple[PastEntry, ...], action: Amend) -> None:
    """Check the size and types of all other values.

    Raises as `check_fields`, and Impossible("amend-nothing") if there are none.
    """
    own = EntryChange(action.entry, action.option, action.values, action.without)
    is_empty = is_empty_change(own) and not (action.left_out or action.late)
    if not action.undo and is_empty:
        raise Impossible("amend-nothing", entry=action.entry)
    changes = changes_of(action)
    for entry in entries:
        if entry.seq in changes:
            check_fields(changed_action(entry.action, changes[entry.seq]))


def _entry_numbered(entries: tuple[PastEntry, ...], number: int) -> PastEntry:
    return next(entry for entry in entries if entry.seq == number)


def _compact_entry(entry: PastEntry, present: TableState) -> CompactEntry:
    return CompactEntry(
        entry.seq,
        entry.at,
        entry.request,
        entry.action,
        entry.events,
        entry.place,
        entry.draws,
        part_changes(entry.before, present),
        part_changes(entry.after, present),
    )


def _without_idle_events(entry: RedoneEntry) -> RedoneEntry:
    """Return an entry without events if it comes out the same and nobody is asked about it."""
    is_idle = entry.fate == "out" or (entry.fate == "same" and not entry.doubtful)
    return entry.replace(was=(), now=()) if is_idle else entry
