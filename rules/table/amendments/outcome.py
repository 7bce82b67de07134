"""Outcome of an amendment: the changed table, and what everybody is told of it."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence

from rules.core.errors import Impossible
from rules.table.actions import Amend
from rules.table.amendments.limits import require_unseen_cards
from rules.table.amendments.redone_entries import RedoneEntry
from rules.table.amendments.told_events import told_events
from rules.table.events import CheckChanged, Event
from rules.table.gms.gm_acts import with_gm_act
from rules.table.journal.correction_requests import without_corrections_of
from rules.table.journal.step_in import let_in_event, require_question
from rules.table.journal.undo import (
    PartsBack,
    events_of_parts,
    put_parts_back,
    require_sealed_orders,
)
from rules.table.outcome import Outcome
from rules.table.scenes.whisper_players import with_players_put_back
from rules.table.state import KEPT_BY_UNDO, Part, TableState
from rules.table.system import Game


def parts_changed(before: TableState, after: TableState) -> dict[str, Part | None]:
    """Return the parts that an entry changed, without the counters."""
    changes = after.changes_since(before)
    return {key: part for key, part in changes.items() if key not in KEPT_BY_UNDO}


def amend_outcome(
    game: Game,
    action: Amend,
    amended: TableState,
    entries: Sequence[RedoneEntry],
    *,
    rolled: bool,
) -> Outcome:
    """Return the outcome of an amendment; *game* is the present table.

    *amended* is the table as the entries leave it when they are carried out anew, with the counters
    to go on with.

    Raises:
        Impossible("amend-nothing"): nothing would be different.
        Impossible("amend-cards"), ("order-open"): cards would lie in an order that players know.
        Impossible("step-in-decided"): a GM has answered the question of a late step-in already.
    """
    state = game.state
    if action.late is not None:
        require_question(state, action.late.question)
    differing = _differing_parts(state, amended)
    _require_difference(action, entries, differing)
    require_unseen_cards(differing, action.entry)
    back = _put_amended_parts(state, action, amended, entries, differing)
    after = game.with_state(back.state).replace(at=action.at, actor=action.who)
    require_sealed_orders(after, state)
    corrections = told_events(state, action, entries, rolled=rolled)
    changed_messages = _without_public_marks(events_of_parts(state, after, back))
    events: tuple[Event, ...] = (*corrections, *changed_messages)
    now = without_corrections_of(back.state, _entries_done_with(action, entries))
    if action.late is not None:
        let_in, now = let_in_event(now, action.late, action.who.id)
        events = (*events, let_in)
    before = after.with_state(state)
    outcome = with_players_put_back(before, Outcome(now, events))
    return with_gm_act(before, outcome, action)


def _differing_parts(state: TableState, amended: TableState) -> frozenset[str]:
    """Return the keys of the parts that an amendment leaves different from the present ones."""
    current, wanted = dict(state.parts()), dict(amended.parts())
    keys = {*current, *wanted} - KEPT_BY_UNDO
    return frozenset(key for key in keys if current.get(key) != wanted.get(key))


def _touched_parts(entries: Iterable[RedoneEntry]) -> frozenset[str]:
    """Return the keys of the parts that came out differently on the way."""
    touched = frozenset[str]().union(*(entry.touched for entry in entries))
    return touched - KEPT_BY_UNDO


def _require_difference(
    action: Amend, entries: Sequence[RedoneEntry], differing: frozenset[str]
) -> None:
    """Raise Impossible("amend-nothing") unless something changes on the table or in its story."""
    if differing or _touched_parts(entries):
        return
    is_undoing = any(entry.is_gone for entry in entries)
    is_told = any(entry.was != entry.now for entry in entries if not entry.untold)
    if not (is_undoing or is_told):
        raise Impossible("amend-nothing", entry=action.entry)


def _put_amended_parts(
    state: TableState,
    action: Amend,
    amended: TableState,
    entries: Sequence[RedoneEntry],
    differing: frozenset[str],
) -> PartsBack:
    """Return the present table with the amended parts in it."""
    parts = _amended_parts(state, amended, differing, _touched_parts(entries))
    changed_at = {key: _changed_at(key, entries, action.at) for key in differing}
    back = put_parts_back(state, parts, changed_at, action.at)
    shown: list[str] = []
    for key in sorted(differing):
        check = key.removeprefix("check:")
        if check != key and check in back.state.checks:
            shown.append(check)
    return back.replace(checks=tuple(dict.fromkeys((*back.checks, *shown))))


def _amended_parts(
    state: TableState,
    amended: TableState,
    differing: frozenset[str],
    touched: frozenset[str],
) -> dict[str, Part]:
    """Return the parts of the table after an amendment.

    A part that is *touched* on the way is written even if it ends the same: the undo of an entry in
    between has to meet the amendment. A copy makes it count as changed.
    """
    wanted: Mapping[str, Part] = dict(amended.parts())
    parts: dict[str, Part] = {"counters": amended.counters}
    for key, part in state.parts():
        if key not in differing and key not in KEPT_BY_UNDO:
            parts[key] = copy.copy(part) if key in touched else part
    for key in differing & wanted.keys():
        parts[key] = wanted[key]
    return parts


def _changed_at(key: str, entries: Iterable[RedoneEntry], at: int) -> int:
    """Return the time of the last entry that changed a part; *at* if none did."""
    times = [entry.at for entry in entries if key in entry.touched]
    return times[-1] if times else at


def _entries_done_with(action: Amend, entries: Iterable[RedoneEntry]) -> set[int]:
    """Return the numbers of the entries whose requests for a correction are answered."""
    gone = [entry.seq for entry in entries if entry.is_gone]
    return {action.entry, *(change.entry for change in action.also), *gone}


def _without_public_marks(events: Iterable[Event]) -> list[Event]:
    """Return events of checks: those that not everyone is told of change no public message."""
    told = [*events]
    public: set[str] = set()
    for event in told:
        if isinstance(event, CheckChanged) and event.audience.everyone:
            public.add(event.check)
    shown: list[Event] = []
    for event in told:
        if isinstance(event, CheckChanged) and event.check not in public:
            event = event.replace(secret=True)
        shown.append(event)
    return shown
