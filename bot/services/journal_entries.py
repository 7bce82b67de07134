"""Journal entries: the action, its outcome, and every row to write with them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from bot.services.directory import Directory
from bot.services.outbox_plan import ReplyTo, plan_outbox
from bot.storage import codec
from bot.storage.row_records import EntryRow, NewEntry, NewSeed
from rules.core.rng import KeyedStreams
from rules.registry import get_system, read_only_game
from rules.table.actions import Action, Amend, ChangePlaces, ForgetPerson, Undo, Unsay
from rules.table.arrangements.absence_actions import absence_waits
from rules.table.chance.cards import system_deck
from rules.table.check import ORDERS_PREFIX
from rules.table.checks.prompt_times import pending_waits
from rules.table.clock.digests import digest_waits
from rules.table.clock.pauses import pause_waits
from rules.table.events import CardsMoved, CheckChanged, Event, SealRead
from rules.table.gm_office import OFFICE_KEY
from rules.table.gms.deputies import term_waits
from rules.table.journal.undo import Entry
from rules.table.outcome import Outcome
from rules.table.roll_calls.roll_call import roll_call_waits
from rules.table.state import KEPT_BY_UNDO, TableState
from rules.table.turns.turn_clock import turn_waits
from rules.table.waits.silence import silence_waits

_CHECK = "check:"
#: Steps of cards after which a participant has seen them.
_REVEALING_CARD_STEPS = ("drawn", "shown", "played", "offered", "taken")


def new_entry(
    before: TableState | None,
    outcome: Outcome,
    action: Action,
    request_id: str,
    reply: ReplyTo | None,
    directory: Directory,
    rng: KeyedStreams,
    *,
    seeds: tuple[NewSeed, ...] = (),
    after: str = "",
) -> NewEntry:
    """Return the entry for an action that was carried out on `before`.

    `before` is None for an action that opens a table. `rng` holds the dice drawn, `seeds` replace
    the seeds in use, `after` is the request that the action builds on.
    """
    state = outcome.state
    key = state.settings.system
    changed = dict(state.parts()) if before is None else state.changes_since(before)
    due_off, due_on = _due_changes(before, state, changed)
    return NewEntry(
        request_id=request_id,
        at=action.at,
        actor=action.who.id,
        kind=type(action).__name__,
        action=codec.action_text(action),
        events=codec.events_text(outcome.events),
        rules_version=get_system(key).version,
        draws=rng.drawn,
        revealed=_has_revelation(outcome.events)
        or _has_moved_hidden_cards(before, state, action.who.id),
        parts={
            name: None if part is None else codec.part_text(part) for name, part in changed.items()
        },
        due_off=due_off,
        due_on=due_on,
        outs=plan_outbox(before, state, outcome.events, action, reply),
        members=directory.unsaved_members(),
        undoes=_undone_by(action),
        revives=action.entries if isinstance(action, Undo) else (),
        fresh=_new_parts(before, changed),
        untracked=KEPT_BY_UNDO,
        after=after,
        places=_place_changes(action),
        seeds=seeds,
        secret_draws=rng.hidden,
        place=action.place,
        forgets=action.who.id if isinstance(action, ForgetPerson) else "",
    )


def _undone_by(action: Action) -> tuple[int, ...]:
    """Return the numbers of the entries that an action undoes."""
    if isinstance(action, Undo | Unsay):
        return action.entries
    return action.gone if isinstance(action, Amend) else ()


def undo_entry(
    row: EntryRow, keys: frozenset[str], amendments: frozenset[int] = frozenset()
) -> Entry:
    """Return a journal entry as the rules of undo see it.

    *amendments* are undone as well: the entries that they have undone count again.
    """
    is_undone = row.undone_by is not None and row.undone_by not in amendments
    return Entry(row.seq, row.actor, row.kind, keys, row.draws > 0, row.revealed, is_undone)


def _place_changes(action: Action) -> tuple[tuple[str, bool], ...]:
    if not isinstance(action, ChangePlaces):
        return ()
    return tuple((place, place == action.bind) for place in (action.bind, action.unbind) if place)


def _has_revelation(events: Sequence[Event]) -> bool:
    for event in events:
        if isinstance(event, CheckChanged):
            # An undoable secret choice would tell its player that the other players' choices are
            # still open.
            if (event.revealed and not event.computable) or event.secret:
                return True
        elif isinstance(event, SealRead) or (
            isinstance(event, CardsMoved) and event.step in _REVEALING_CARD_STEPS
        ):
            return True
    return False


def _has_moved_hidden_cards(before: TableState | None, state: TableState, actor: str) -> bool:
    """Return whether hidden cards of the rules' deck moved, so that the actor now knows them.

    Cards that only left the actor's own hand don't count: the actor knew them before.
    """
    if (
        before is None
        or before.decks is state.decks
        or (deck := system_deck(read_only_game(state))) is None
    ):
        return False
    was, now = before.decks.get(deck.id), state.decks.get(deck.id)
    if was is None:
        return False
    for place in {*was.hidden_places(), *(() if now is None else now.hidden_places())}:
        had, has = was.cards_at(place), () if now is None else now.cards_at(place)
        known = _is_own_place(state, place, actor) and set(has) <= set(had)
        if had != has and not known:
            return True
    return False


def _is_own_place(state: TableState, place: str, actor: str) -> bool:
    """Return whether a place of cards belongs to one of the actor's own characters."""
    character = state.characters.get(place.partition(":")[2])
    return character is not None and character.owner == actor


def _new_parts(before: TableState | None, changed: Iterable[str]) -> frozenset[str]:
    """Return the changed parts that did not exist before, without those that an undo keeps."""
    if before is None:
        return frozenset(changed)
    return frozenset(
        [key for key in changed if key not in KEPT_BY_UNDO and not before.has_part(key)]
    )


def _due_changes(
    before: TableState | None, state: TableState, changed: Collection[str]
) -> tuple[tuple[str, ...], tuple[tuple[str, int], ...]]:
    """Return the ids of waits that are over, and the waits with a new deadline."""
    if before is None:
        return (), ()
    off: list[str] = []
    on: list[tuple[str, int]] = []
    checks = [key[len(_CHECK) :] for key in changed if key.startswith(_CHECK)]
    if before.settings.pause != state.settings.pause:
        # A pause stops the waits of all checks, and its end lets them go on.
        checks = [*dict.fromkeys((*before.checks, *state.checks))]
        paused, pauses = pause_waits(before), pause_waits(state)
        off += paused.keys() - pauses.keys()
        on += pauses.items() - paused.items()
    posted, digests = digest_waits(before), digest_waits(state)
    off += posted.keys() - digests.keys()
    on += digests.items() - posted.items()
    for key in checks:
        left, wanted = _check_waits(before, key), _check_waits(state, key)
        if left or wanted:
            off += left.keys() - wanted.keys()
            on += wanted.items() - left.items()
    arranged = any(key.startswith(ORDERS_PREFIX) for key in changed)
    if arranged or before.counters.missed != state.counters.missed:
        absent, away = absence_waits(before), absence_waits(state)
        off += absent.keys() - away.keys()
        on += away.items() - absent.items()
    silent, later = silence_waits(read_only_game(before)), silence_waits(read_only_game(state))
    off += silent.keys() - later.keys()
    on += later.items() - silent.items()
    if before.counters.roll_call or state.counters.roll_call:
        calls = roll_call_waits(read_only_game(before))
        ends = roll_call_waits(read_only_game(state))
        off += calls.keys() - ends.keys()
        on += ends.items() - calls.items()
    if OFFICE_KEY in changed:
        terms, lasting = term_waits(before), term_waits(state)
        off += terms.keys() - lasting.keys()
        on += lasting.items() - terms.items()
    if before.encounters or state.encounters:
        turns, now = turn_waits(before), turn_waits(state)
        off += turns.keys() - now.keys()
        on += now.items() - turns.items()
    return tuple(off), tuple(on)


def _check_waits(state: TableState, key: str) -> dict[str, int]:
    """Return the deadlines of a check's waits, by their ids.

    While the table's clock is paused, these are only the reminders of before the pause.
    """
    check, pause = state.checks.get(key), state.settings.pause
    if check is None or not check.asked:
        return {}
    waits = pending_waits(check)
    if pause is not None:
        waits = tuple(wait for wait in waits if wait.default is None and wait.due <= pause.since)
    return {wait.id: wait.due for wait in waits}
