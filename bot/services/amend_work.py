"""Amendments worked out in the worker process (`bot.worker_process`), from rows of the journal.

What comes back is small: parts that differ from those of the present table, and the events that
somebody may be shown.
"""

from __future__ import annotations

from collections.abc import Mapping

from bot.services.amendment import Amendment, preview_amendment, resolve_amendment
from bot.services.past_entries import PastEntry
from bot.services.replay import JournalRows, ReplayImpossible, replay_rows
from bot.services.resolution import request_dice
from bot.services.seeds import stream_seeds
from bot.storage import codec
from bot.storage.upkeep import Parts
from rules.core.errors import Impossible, Outdated, RulesError
from rules.core.record import Record
from rules.core.rng import Draw, KeyedStreams
from rules.table.actions import Action, Amend
from rules.table.amendments import RedoneEntry
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


class DistantEntry(Record):
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


class DistantAmendment(Record):
    """A previewed amendment and its entry, without the parts shared with the present table."""

    entry: DistantEntry
    amendment: Amendment
    #: What differs on the amended table; None if that depends on new dice.
    changes: PartChanges | None

    def on(self, present: TableState) -> tuple[PastEntry, Amendment]:
        """Return the entry and the amendment; *present* is the table they were compared with."""
        amendment = self.amendment
        if self.changes is not None:
            amendment = amendment.replace(state=with_part_changes(present, self.changes))
        return self.entry.on(present), amendment


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
    parts, shared = dict(state.parts()), dict(present.parts())
    changes: dict[str, Part | None] = {key: None for key in shared if key not in parts}
    for key, part in parts.items():
        if shared.get(key) != part:
            changes[key] = part
    return changes


def read_past_entry(source: AmendSource, number: int) -> DistantEntry:
    """Return entry *number* as a replay makes it.

    Raises EarlierEntryNeeded, and Impossible("amend-other-rules").
    """
    present, entries = _replay(source, number)
    return _distant(_numbered(entries, number), present)


def preview_past(source: AmendSource, number: int, action: Amend) -> DistantAmendment:
    """Return an amendment of entry *number* as far as it is known without new dice.

    Raises as `read_past_entry` and `preview_amendment`.
    """
    present, entries = _replay(source, number)
    amendment = preview_amendment(entries, action, source.journal.seeds)
    state, changes = amendment.state, None
    if state is not None:
        changes = part_changes(state, present)
    shown = tuple(_without_idle_events(entry) for entry in amendment.entries)
    entry = _distant(_numbered(entries, number), present)
    return DistantAmendment(entry, amendment.replace(entries=shown, state=None), changes)


def resolve_past(
    source: AmendSource, number: int, action: Amend, request_id: str
) -> ResolvedAmendment:
    """Return the outcome of an amendment of entry *number*.

    Raises as `read_past_entry` and `resolve_amendment`, and Outdated("amend-changed") if it is no
    longer as it was previewed.
    """
    present, entries = _replay(source, number)
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


def _numbered(entries: tuple[PastEntry, ...], number: int) -> PastEntry:
    return next(entry for entry in entries if entry.seq == number)


def _distant(entry: PastEntry, present: TableState) -> DistantEntry:
    return DistantEntry(
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
