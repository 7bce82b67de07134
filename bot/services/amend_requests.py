"""Requests of GMs to amend an entry of the journal: preview, and the outcome to write."""

from __future__ import annotations

from bot.services.action_fields import check_fields
from bot.services.amendment import (
    Amendment,
    AmendmentOutcome,
    preview_amendment,
    resolve_amendment,
)
from bot.services.loaded_table import Table
from bot.services.past_entries import PastEntry, undone_entries
from bot.services.replay import ReplayImpossible, replay_entries
from bot.services.resolution import request_dice
from bot.services.seeds import stream_seeds
from bot.storage.store import Store
from rules.core.errors import Impossible, NotFound, Outdated, RulesError
from rules.core.record import Record
from rules.core.rng import KeyedStreams
from rules.registry import read_only_game
from rules.table.actions import Action, Amend, EntryChange
from rules.table.amendments import MAX_REDONE, require_amendable, require_amender
from rules.table.check import Values
from rules.table.entry_forms import (
    EntryForm,
    changed_action,
    changes_of,
    entry_change,
    entry_form,
    is_empty_change,
)
from rules.table.outcome import Outcome
from rules.table.readable_places import EVERYWHERE
from rules.table.state import TableState
from rules.table.system import Game

#: Most attempts to read the journal between the actions of others.
_MAX_ATTEMPTS = 5


class AmendLookup(Record):
    """An amendment that was resolved without the table's lock, at one revision of the table."""

    revision: int
    #: Outcome, action as it is journaled, and dice; or the refusal.
    found: tuple[Outcome, Amend, KeyedStreams] | RulesError

    def result(self) -> tuple[Outcome, Amend, KeyedStreams]:
        """Return the result. Raises RulesError if the amendment is refused."""
        if isinstance(self.found, RulesError):
            raise self.found
        return self.found


class ChangeableEntry(Record):
    """An entry of the journal, and the table on which it gets other values."""

    entry: PastEntry
    before: TableState
    #: Other values that it has in an amendment so far.
    change: EntryChange | None = None

    @property
    def game(self) -> Game:
        """The table before the entry, with its actor and time."""
        entry = self.entry
        return read_only_game(self.before, entry.action.who, entry.at, EVERYWHERE)

    def form(self, draft: Values | None = None) -> EntryForm | None:
        """Return its form, given the values so far; None if no values of it can be changed."""
        return entry_form(self.game, self.entry.action, draft)

    @property
    def values(self) -> Values:
        """Its values by the keys of its form, with those that it has in the amendment so far."""
        action: Action = self.entry.action
        if self.change is not None:
            action = changed_action(action, self.change)
        shown = entry_form(self.game, action)
        return {} if shown is None else shown.values

    @property
    def is_open(self) -> bool:
        """True if it has values that a GM may read and change."""
        entry = self.entry
        try:
            require_amendable(self.game, entry.seq, entry.action, entry.events, undo=False)
        except RulesError:
            return False
        return self.form() is not None

    def change_to(self, read: Values) -> EntryChange:
        """Return the change to values that were read of its form."""
        shown = self.form(read)
        assert shown is not None
        return entry_change(self.entry.seq, shown, self.entry.action, read)


async def past_entries(store: Store, table: Table, number: int) -> tuple[PastEntry, ...]:
    """Return the entries from *number* on, as a replay makes them.

    Raises:
        NotFound("nothing-to-undo"): there is no such entry.
        Impossible("undo-redacted"), ("undo-too-old"): it is out of reach.
        Impossible("amend-too-many"): there are too many later entries.
        Impossible("amend-other-rules"): the journal can't be replayed from there on.
    """
    kept = await store.kept_from(table.id)
    if not 1 <= number <= table.revision:
        params = {"field": "entry", "value": number, "nearest": ()}
        raise NotFound("nothing-to-undo", **params, gone=True, undone=False)
    if number == 1:
        raise Impossible("amend-final", entry=number)
    if number <= table.redacted:
        raise Impossible("undo-redacted", entry=number, first=max(kept, table.redacted + 1))
    if number < kept:
        raise Impossible("undo-too-old", entry=number, first=kept)
    if table.revision - number > MAX_REDONE:
        raise Impossible("amend-too-many", entry=number, most=MAX_REDONE)
    try:
        entries = await replay_entries(store, table.id, number)
    except ReplayImpossible:
        raise Impossible("amend-other-rules", entry=number) from None
    if entries and entries[-1].seq == table.revision and entries[-1].after != table.state:
        raise Impossible("amend-other-rules", entry=number)
    return entries


async def look_up_amendment(
    store: Store, table: Table, action: Amend, request_id: str
) -> AmendLookup | None:
    """Resolve an amendment without the table's lock, so that nobody waits for it.

    None if another action came first at each of `_MAX_ATTEMPTS` attempts.
    """
    for _ in range(_MAX_ATTEMPTS):
        await table.wait_until_written()
        revision = table.revision
        if table.pending or table.broken:
            continue
        try:
            found = await resolve_amend(store, table, action, request_id)
        except RulesError as refused:
            found = refused
        except Exception:
            if table.revision == revision:
                raise
            continue  # the reads mixed two revisions
        if table.revision == revision:
            return AmendLookup(revision, found)
    return None


async def resolve_amend(
    store: Store, table: Table, action: Amend, request_id: str
) -> tuple[Outcome, Amend, KeyedStreams]:
    """Return the outcome of an amendment, the action as it is journaled, and its dice.

    Raises as `past_entries` and `resolve_amendment`, and:
        NotPermitted("gm-only"): the actor is no GM.
        Outdated("amend-changed"): it is no longer as it was previewed.
    """
    check_fields(action)
    require_amender(table.state, action)
    entries = await past_entries(store, table, action.entry)
    _require_values(entries, action)
    preview = preview_amendment(entries, action, table.seeds)
    if preview.digest(action) != action.preview:
        raise Outdated("amend-changed", entry=action.entry)
    dice = request_dice(stream_seeds(table.seeds, table.revision + 1), request_id)
    result: AmendmentOutcome = resolve_amendment(table.state, entries, action, table.seeds, dice)
    return result.outcome, action.replace(gone=result.gone), dice


async def preview(
    store: Store, table: Table, action: Amend
) -> tuple[tuple[PastEntry, ...], Amendment]:
    """Return the later entries and what an amendment would make of them, for GMs alone.

    Raises as `past_entries`, `check_fields` and `preview_amendment`, NotPermitted("gm-only"), and
    Impossible("amend-nothing") if it has no other values.
    """
    check_fields(action)
    require_amender(table.state, action)
    await table.wait_until_written()
    entries = await past_entries(store, table, action.entry)
    _require_values(entries, action)
    return entries, preview_amendment(entries, action, table.seeds)


def _require_values(entries: tuple[PastEntry, ...], action: Amend) -> None:
    """Check the size and types of all other values.

    Raises as `check_fields`, and Impossible("amend-nothing") if there are none.
    """
    is_empty = is_empty_change(_own_change(action)) and not (action.left_out or action.late)
    if not action.undo and is_empty:
        raise Impossible("amend-nothing", entry=action.entry)
    changes = changes_of(action)
    for entry in entries:
        if entry.seq in changes:
            check_fields(changed_action(entry.action, changes[entry.seq]))


def _own_change(action: Amend) -> EntryChange:
    return EntryChange(action.entry, action.option, action.values, action.without)


async def changeable_entry(
    store: Store, table: Table, amend: Amend, number: int
) -> ChangeableEntry:
    """Return the entry *number* as an amendment can change it: its own one, or a later one.

    A later one is as the amendment leaves the table before it.

    Raises as `preview` and `require_amendable`, and Outdated("amend-stands") for a later entry that
    can stand.
    """
    require_amender(table.state, amend)
    if number != amend.entry:
        entries, amendment = await preview(store, table, amend)
        entry = next(entry for entry in entries if entry.seq == number)
        if number not in amendment.before:
            raise Outdated("amend-stands", entry=number)
        found = ChangeableEntry(entry, amendment.before[number], changes_of(amend).get(number))
    else:
        await table.wait_until_written()
        entries = await past_entries(store, table, number)
        entry = next((entry for entry in entries if entry.seq == number), None)
        if entry is None or number in undone_entries(entries):
            params = {"field": "entry", "value": number, "nearest": ()}
            raise NotFound(
                "nothing-to-undo", **params, gone=entry is None, undone=entry is not None
            )
        found = ChangeableEntry(entry, entry.before, changes_of(amend).get(number))
    require_amendable(found.game, number, entry.action, entry.events, undo=True)
    return found
