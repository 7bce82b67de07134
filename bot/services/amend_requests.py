"""Requests of GMs to amend an entry of the journal: preview, and the outcome to write.

The worker process carries the later entries out anew (`bot.services.amend_work`). Meanwhile others
go on, at the same table, too: nothing is held.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from bot.services.action_fields import check_fields
from bot.services.amend_work import (
    AmendSource,
    preview_past,
    read_past_entry,
    resolve_past,
    with_part_changes,
)
from bot.services.amendable_entries import difficulty_entry
from bot.services.amendment import Amendment
from bot.services.loaded_table import Table
from bot.services.past_entries import EarlierEntryNeeded, PastEntry
from bot.services.replay import ReplayImpossible, read_rows
from bot.services.tables import Tables
from bot.worker_process import WorkerFailed
from rules.core.errors import Impossible, NotFound, Outdated, RulesError
from rules.core.record import Record
from rules.core.rng import KeyedStreams
from rules.registry import read_only_game
from rules.table.actions import Action, Actor, Amend, EntryChange
from rules.table.amendments.entry_forms import (
    EntryForm,
    changed_action,
    changes_of,
    entry_change,
    entry_form,
)
from rules.table.amendments.limits import MAX_REDONE, require_amendable, require_amender
from rules.table.check import Values
from rules.table.outcome import Outcome
from rules.table.readable_places import EVERYWHERE
from rules.table.state import TableState
from rules.table.system import Game

T = TypeVar("T")

#: Most entries that are gone through at once here; more need the worker process, which may have to
#: be started first.
MAX_ENTRIES_HERE: Final = 20
#: Most attempts to read the table between the actions of others.
_MAX_READS: Final = 20


class AmendLookup(Record):
    """An amendment that was resolved without the table's lock, at one revision of the table."""

    revision: int
    #: Outcome, action as it is journaled, and dice; or the refusal.
    resolved: tuple[Outcome, Amend, KeyedStreams] | RulesError

    def result(self) -> tuple[Outcome, Amend, KeyedStreams]:
        """Return the result. Raises RulesError if the amendment is refused."""
        if isinstance(self.resolved, RulesError):
            raise self.resolved
        return self.resolved


class ChangeableEntry(Record):
    """An entry of the journal, and the table on which it gets other values."""

    entry: PastEntry
    before: TableState
    #: Other values that it has in an amendment so far.
    change: EntryChange | None = None
    #: Number of the call for rolls in which the difficulty of a roll stands.
    call: int | None = None

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


async def past_entry(tables: Tables, table: Table, who: Actor, number: int) -> PastEntry:
    """Return entry *number* as a replay makes it, for a GM who wants to amend it.

    Raises:
        NotFound("nothing-to-undo"): there is no such entry, or it is undone.
        Impossible("undo-redacted"), ("undo-too-old"): it is out of reach.
        Impossible("amend-too-many"): there are too many later entries.
        Impossible("amend-other-rules"): the journal can't be replayed from there on.
        Impossible("amend-deleted"): texts that this needs were deleted at a player's wish.
        Impossible("amend-failed"): the worker process took too long.
        Impossible("still-working"), ("many-working"): too much is asked for at once.
    """
    entry, present, _ = await _work_out(tables, table, who, number, read_past_entry)
    return entry.on(present)


async def preview(
    tables: Tables, table: Table, action: Amend
) -> tuple[tuple[PastEntry, ...], Amendment]:
    """Return what an amendment would make of an entry, for GMs alone.

    With it come the entry to amend and the entries in `Amendment.before`. The later entries of the
    amendment have their events only if these may be shown. Raises as `past_entry` and
    `preview_amendment`, NotPermitted("gm-only"), and Impossible("amend-nothing") without other
    values.
    """
    check_fields(action)
    require_amender(table.state, action)
    previewed, present, _ = await _work_out(
        tables, table, action.who, action.entry, preview_past, action
    )
    return previewed.on(present)


async def look_up_amendment(
    tables: Tables, table: Table, action: Amend, request_id: str
) -> AmendLookup:
    """Resolve an amendment without the table's lock, so that nobody waits for it."""
    revision = table.revision
    try:
        check_fields(action)
        require_amender(table.state, action)
        resolved, present, revision = await _work_out(
            tables, table, action.who, action.entry, resolve_past, action, request_id
        )
    except RulesError as refused:
        return AmendLookup(revision, refused)
    outcome = Outcome(with_part_changes(present, resolved.changes), resolved.events)
    return AmendLookup(revision, (outcome, resolved.action, resolved.dice))


async def _work_out(
    tables: Tables,
    table: Table,
    who: Actor,
    number: int,
    work: Callable[..., T],
    *arguments: object,
) -> tuple[T, TableState, int]:
    """Do work about entry *number* and those after it, in the worker process if they are many.

    Returns the result of the work, the table that it was done on, and that table's revision. Raises
    as `past_entry`, and as *work* does.
    """
    person = int(table.directory.user(who.id) or 0)
    start = number
    while True:
        source, present = await _read_source(tables, table, number, start)
        try:
            if len(source.journal.rows) <= MAX_ENTRIES_HERE:
                result = work(source, number, *arguments)
            else:
                result = await tables.aside_for(person, work, source, number, *arguments)
        except EarlierEntryNeeded as earlier:
            start = earlier.seq
        except WorkerFailed:
            raise Impossible("amend-failed", entry=number) from None
        else:
            return result, present, source.revision


async def _read_source(
    tables: Tables, table: Table, number: int, start: int
) -> tuple[AmendSource, TableState]:
    """Read what amending entry *number* needs, with the journal from entry *start* on.

    Returns the table, too, as it is in memory after the last entry that was read. Raises
    Outdated("amend-busy") if others act all the time.
    """
    store = tables.store
    for _ in range(_MAX_READS):
        await table.wait_until_written()
        await tables.reload_if_broken(table)
        require_in_reach(table, number, await store.kept_from(table.id))
        row = await store.load_table(table.id)
        if row is None:
            raise NotFound("no-table", field="place", value=None, nearest=())
        if row.revision != table.revision:
            # Only another process can be ahead of what is in memory here.
            table.broken = table.broken or row.revision > table.revision
            continue
        present = table.state
        try:
            return AmendSource(await read_rows(store, row, start), row.revision, row.parts), present
        except ReplayImpossible:
            # Nothing from before a deletion can be replayed.
            code = "amend-deleted" if table.redacted else "amend-other-rules"
            raise Impossible(code, entry=number) from None
    raise Outdated("amend-busy", entry=number)


def require_in_reach(table: Table, number: int, kept: int) -> None:
    """Require that an entry can be amended for its age; texts before *kept* are gone.

    Raises as `past_entry`.
    """
    if not 1 <= number <= table.revision:
        params = {"field": "entry", "value": number, "nearest": (), "amend": True}
        raise NotFound("nothing-to-undo", **params, gone=True, undone=False)
    if number == 1:
        raise Impossible("amend-final", entry=number)
    if number <= table.redacted:
        raise Impossible("undo-redacted", entry=number, first=max(kept, table.redacted + 1))
    if number < kept:
        raise Impossible("undo-too-old", entry=number, first=kept)
    if table.revision - number > MAX_REDONE:
        raise Impossible("amend-too-many", entry=number, most=MAX_REDONE)


async def changeable_entry(
    tables: Tables, table: Table, amend: Amend, number: int
) -> ChangeableEntry:
    """Return entry *number*, with the table on which an amendment can change it.

    It is the entry to amend, or a later one, which meets the table as the amendment leaves it.

    Raises as `preview` and `require_amendable`, and Outdated("amend-stands") for a later entry that
    can stand.
    """
    require_amender(table.state, amend)
    change = changes_of(amend).get(number)
    if number == amend.entry:
        entry = await past_entry(tables, table, amend.who, number)
        found = ChangeableEntry(entry, entry.before, change)
    else:
        entries, amendment = await preview(tables, table, amend)
        if number not in amendment.before:
            raise Outdated("amend-stands", entry=number)
        entry = next(entry for entry in entries if entry.seq == number)
        found = ChangeableEntry(entry, amendment.before[number], change)
    require_amendable(found.game, number, entry.action, entry.events, undo=True)
    return found.replace(call=await difficulty_entry(tables, table, entry))
