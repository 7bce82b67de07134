"""Amendments carried out: an entry changed, and all later entries done anew on what it leaves.

The later entries find what they found then: the same dice, the same ids, and the prompts and turns
that they were about. `rules.table.amendments` says what that means.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import partial
from typing import Final, TypeGuard

from bot.services.late_amendment import last_of_result, make_late_choice
from bot.services.past_entries import (
    Past,
    PastEntry,
    carry_out,
    entry_dice,
    undone_entries,
)
from bot.storage.row_records import SeedRow
from rules.core.errors import Impossible, NotFound, Outdated, RulesError
from rules.core.record import Record, field
from rules.core.rng import (
    ContinuedStreams,
    KeyedStreams,
    NewDiceNeeded,
    SampleStreams,
    TooManyDice,
)
from rules.registry import read_only_game
from rules.table.actions import Action, Amend, OnCheck, StepIn, Undo
from rules.table.amendments.entry_forms import changed_action, changes_of, with_values_taken_over
from rules.table.amendments.grounds import is_doubtful
from rules.table.amendments.ids import makes_more, pinned_state, with_top_ids
from rules.table.amendments.limits import MAX_CONFLICTS, MAX_REDONE, require_amendable
from rules.table.amendments.outcome import amend_outcome, parts_changed
from rules.table.amendments.redone_entries import GONE, DiceCount, Fate, RedoneEntry
from rules.table.amendments.references import rebound
from rules.table.checks.access import cast_of
from rules.table.events import CheckChanged, Event, Notice, SealRead
from rules.table.outcome import Outcome
from rules.table.readable_places import EVERYWHERE
from rules.table.roll_calls.roll_call import SEAL_KIND
from rules.table.state import SYSTEM, TableState

#: Codes of errors that other decisions about later entries may avoid.
HINDRANCES: Final = ("amend-cards", "order-open")
#: Shares of the faces of made-up dice, with which a preview counts those that would fall.
_SAMPLE_SHARES: Final = (0.0, 0.5, 1.0)
#: Most dice of an entry that are counted.
_MOST_DICE: Final = 100


class Amendment(Record):
    """Result of an amendment before it is written."""

    entries: tuple[RedoneEntry, ...]
    #: The table as the entries leave it; None if that depends on new dice.
    state: TableState | None
    #: Whether new dice are needed.
    rolled: bool
    #: The table before each entry that can't stand, or that gets other values too, as it is now.
    before: Mapping[int, TableState] = field(default_factory=dict[int, TableState])
    #: Code of the error that refuses it as a whole; empty if it can be carried out.
    hindrance: str = ""

    @property
    def gone(self) -> tuple[int, ...]:
        """Numbers of the entries that it undoes, oldest first."""
        return tuple(entry.seq for entry in self.entries if entry.is_gone)

    def digest(self, action: Amend) -> str:
        """Return a short text that is another one if anything of the amendment is."""
        fates: list[tuple[int, Fate, bool]] = []
        for entry in self.entries:
            # Others may play on: what comes out the same makes no other amendment.
            if entry.fate != "same" or entry.doubtful:
                fates.append((entry.seq, entry.fate, entry.doubtful))
        own = (action.entry, action.undo, action.option, action.values, action.without)
        also = [(other.entry, other.option, other.values, other.without) for other in action.also]
        asked = (own, also, action.left_out, action.late)
        text = json.dumps((asked, fates), sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


class _Redone(Record):
    """An entry that was carried out anew, as the past of the entries after it."""

    fate: Fate
    entry: PastEntry | None = None
    refusal: str = ""
    doubtful: bool = False
    #: The dice that nobody has seen yet, of an entry with the fate "new-dice".
    dice: DiceCount | None = None
    #: Whether new dice fell for it.
    rolled: bool = False


class _Rerun:
    """The entries from the amended one on, carried out anew one by one."""

    def __init__(
        self,
        past: Sequence[PastEntry],
        amend: Amend,
        seeds: Sequence[SeedRow],
        dice: KeyedStreams | None,
    ) -> None:
        self._past = past
        self._amend = amend
        self._changes = changes_of(amend)
        self._before: dict[int, TableState] = {}
        self._seeds = seeds
        self._dice = dice
        #: The entries as they come out now, by number. Those before the amended one stay.
        self._entries_now: dict[int, PastEntry] = {}
        self._fates: dict[int, Fate] = {}
        self._undone = undone_entries(past)
        self._top_counters = past[-1].after.counters
        self._state = past[0].before
        #: Latest events of each check, then and now.
        self._events_then: dict[str, tuple[Event, ...]] = {}
        self._events_now: dict[str, tuple[Event, ...]] = {}
        self.rolled = False

    def run(self) -> Amendment:
        """Carry the entries out.

        Raises:
            Impossible("amend-too-many-conflicts"): too many later entries can't stand.
            Impossible("amend-seal-read"): a player who has read a sealed text would not have.
        """
        redone: list[RedoneEntry] = []
        for entry in self._past:
            if entry.seq < self._amend.entry:
                self._entries_now[entry.seq] = entry
                self._state = entry.after
                continue
            if redone and redone[-1].fate in ("new-dice", "open"):
                redone.append(_redone_entry(entry, _Redone("open")))
                continue
            result = self._redo_entry(entry)
            if self._amend.late is not None and entry.seq == last_of_result(self._amend):
                result = self._with_late_choice(result)
            self._fates[entry.seq] = result.fate
            is_untold = entry.seq in self._undone or isinstance(entry.action, Undo)
            redone.append(_redone_entry(entry, result, untold=is_untold))
            if result.entry is not None:
                self._entries_now[entry.seq] = result.entry
                self._state = result.entry.after
            self._note_events(entry, result.entry)
        conflicts = sum(entry.fate in ("conflict", "goes-along") for entry in redone)
        if conflicts > MAX_CONFLICTS:
            number = self._amend.entry
            raise Impossible("amend-too-many-conflicts", entry=number, most=MAX_CONFLICTS)
        self._require_seals_read(redone)
        is_open = bool(redone) and redone[-1].fate in ("new-dice", "open")
        state = None if is_open else self._final_state()
        return Amendment(tuple(redone), state, self.rolled or is_open, self._before)

    def _require_seals_read(self, redone: Sequence[RedoneEntry]) -> None:
        """Require that every sealed text that was read would be read again, in the same words.

        Nobody forgets what they have read. Entries that are still open don't count.
        """
        read_then: list[tuple[str, str, str]] = []
        read_now: list[tuple[str, str, str]] = []
        for entry in redone:
            if entry.seq not in self._undone and entry.fate not in ("new-dice", "open"):
                read_then += _seals_read(entry.was)
                read_now += _seals_read(entry.now)
        has_other_words = any(_has_other_seal(entry) for entry in redone)
        if has_other_words or not set(read_now).issuperset(read_then):
            raise Impossible("amend-seal-read", entry=self._amend.entry)

    def _final_state(self) -> TableState:
        """Return the table after the last entry, with counters that give no id twice."""
        counters = with_top_ids(self._past[-1].after.counters, self._top_counters)
        return self._state.replace(counters=counters)

    def _note_events(self, then: PastEntry, now: PastEntry | None) -> None:
        """Keep the events of an entry as the latest of each check that they tell of."""
        _keep_latest(self._events_then, then.events)
        if now is not None:
            _keep_latest(self._events_now, now.events)

    def _redo_entry(self, entry: PastEntry) -> _Redone:
        """Return what becomes of an entry."""
        amend = self._amend
        if entry.seq == amend.entry:
            if amend.undo:
                return _Redone("undone")
            # The caller shows why the rules refuse the new values.
            return self._carry_out_entry(entry, self._with_change(entry.seq, entry.action))
        if entry.seq in amend.left_out and entry.seq not in self._undone:
            return _Redone("left-out")
        try:
            return self._redo_later_entry(entry)
        except RulesError as refused:
            if entry.seq in self._undone:
                return _Redone("out")
            if entry.action.who.id == SYSTEM:
                return _Redone("not-due")
            self._before[entry.seq] = self._state
            return _Redone(self._refused_fate(entry), refusal=refused.code)

    def _refused_fate(self, entry: PastEntry) -> Fate:
        """Return the fate of a refused entry: "goes-along" if it was about a check that is gone."""
        action = entry.action
        about = action.check if isinstance(action, OnCheck) else None
        was_there = about in entry.before.checks
        return "goes-along" if was_there and about not in self._state.checks else "conflict"

    def _redo_later_entry(self, entry: PastEntry) -> _Redone:
        """Carry a later entry out anew. Raises RulesError if it is refused now."""
        if isinstance(entry.action, Amend):
            return self._redo_amendment(entry, entry.action)
        action = entry.action
        was = read_only_game(entry.before, action.who, action.at, EVERYWHERE)
        now = read_only_game(self._state, action.who, action.at, EVERYWHERE)
        action = rebound(action, was, now)
        if action is None:
            return _Redone("out" if entry.seq in self._undone else "not-due")
        if isinstance(action, Undo):
            left = tuple(number for number in action.entries if self._still_stands(number))
            if not left:
                return _Redone("out")
            action = action.replace(entries=left)
        if isinstance(action, StepIn) and not self._has_same_result(action):
            raise Outdated("step-in-changed")
        action = with_values_taken_over(action, was, now)
        if entry.seq in self._changes:
            self._before[entry.seq] = self._state
            return self._carry_out_entry(entry, self._with_change(entry.seq, action))
        doubtful = is_doubtful(action, self._state, self._events_then, self._events_now)
        return self._carry_out_entry(entry, action, doubtful=doubtful)

    def _with_change(self, seq: int, action: Action) -> Action:
        """Return the action of an entry with the values that the amendment gives it."""
        change = self._changes.get(seq)
        return action if change is None else changed_action(action, change)

    def _with_late_choice(self, result: _Redone) -> _Redone:
        """Return the result of a check with the late choice of the amendment.

        Raises as `make_late_choice`, and Impossible("amend-final") without the result.
        """
        now = result.entry
        if now is None:
            raise Impossible("amend-final", entry=self._amend.entry)
        past = Past({**self._entries_now, now.seq: now}, self._seeds)
        try:
            outcome = make_late_choice(now.after, self._amend, past, self._seeds, self._dice)
        except NewDiceNeeded:
            return _Redone("new-dice")
        rolled = result.rolled or self._dice is not None
        self.rolled = self.rolled or rolled
        self._top_counters = with_top_ids(self._top_counters, outcome.state.counters)
        events = (*now.events, *outcome.events)
        return _Redone("amended", now.replace(events=events, after=outcome.state), rolled=rolled)

    def _still_stands(self, number: int) -> bool:
        return self._fates.get(number) not in (*GONE, "out")

    def _has_same_result(self, action: StepIn) -> bool:
        """Return whether the entries that made a result come out as they did then."""
        numbers = (action.entry, *(choice.seq for choice in action.earlier))
        return all(self._fates.get(number, "same") == "same" for number in numbers)

    def _carry_out_entry(
        self, entry: PastEntry, action: Action, *, doubtful: bool = False
    ) -> _Redone:
        """Carry an action out in place of an entry's. Raises RulesError if it is refused."""
        state = pinned_state(self._state, entry.before.counters)
        outcome, dice = self._try_outcome(entry, action, state)
        if outcome is None:
            return self._with_new_dice(entry, action, state, doubtful=doubtful)
        if makes_more(entry.after.counters, outcome.state.counters):
            # What it makes beyond what it made then gets new ids.
            state = state.replace(counters=with_top_ids(entry.before.counters, self._top_counters))
            outcome, dice = self._try_outcome(entry, action, state)
            if outcome is None:
                return self._with_new_dice(entry, action, state, doubtful=doubtful)
            self._top_counters = with_top_ids(self._top_counters, outcome.state.counters)
        outcome = _without_new_readings(entry, outcome)
        _require_whole_casts(state, outcome.state)
        self.rolled = self.rolled or dice.differs
        now = entry.replace(
            action=action,
            events=outcome.events,
            before=state,
            after=outcome.state,
            draws=tuple(dice.draws),
        )
        return _Redone(self._fate_of(entry, now), now, doubtful=doubtful, rolled=dice.differs)

    def _try_outcome(
        self, entry: PastEntry, action: Action, state: TableState
    ) -> tuple[Outcome | None, ContinuedStreams]:
        """Return the outcome of an action and its dice; None if it needs dice that can't fall."""
        own = entry_dice(entry, self._seeds)
        new = None if self._dice is None else partial(_branch, self._dice, entry.seq)
        dice = ContinuedStreams(entry.draws, own, new)
        past = Past(self._entries_now, self._seeds)
        try:
            outcome = carry_out(state, action, entry.seq, dice, entry.events, past, own)
        except NewDiceNeeded:
            return None, dice
        return outcome, dice

    def _with_new_dice(
        self, entry: PastEntry, action: Action, state: TableState, *, doubtful: bool
    ) -> _Redone:
        """Return an entry that needs new dice, with their number as far as it is known."""
        counts = [self._sample_count(entry, action, state, share) for share in _SAMPLE_SHARES]
        known = [count for count in counts if count is not None]
        if not known:
            return _Redone("new-dice", doubtful=doubtful, dice=DiceCount(1, exact=False))
        is_exact = len(known) == len(counts) and min(known) == max(known)
        return _Redone("new-dice", doubtful=doubtful, dice=DiceCount(min(known), is_exact))

    def _sample_count(
        self, entry: PastEntry, action: Action, state: TableState, share: float
    ) -> int | None:
        """Return how many new dice an action needs if all show a *share* of their faces.

        These dice are made up: none of the amendment's own is rolled. Returns None if there is no
        end to them, or if the rules refuse the action with them.
        """
        own = entry_dice(entry, self._seeds)
        sample = SampleStreams(share, _MOST_DICE)
        dice = ContinuedStreams(entry.draws, own, lambda: sample)
        past = Past(self._entries_now, self._seeds)
        try:
            carry_out(state, action, entry.seq, dice, entry.events, past, own)
        except (TooManyDice, RulesError):
            return None
        return sample.count

    def _fate_of(self, then: PastEntry, now: PastEntry) -> Fate:
        if then.seq == self._amend.entry and self._amend.late is None:
            return "amended"
        return "same" if then.events == now.events else "changed"

    def _redo_amendment(self, entry: PastEntry, action: Amend) -> _Redone:
        """Carry a later amendment out anew, on the entries as they come out now.

        Raises Impossible("amend-others-first") if it would not undo what it undid then.
        """
        before = [self._entries_now[seq] for seq in sorted(self._entries_now)]
        dice = entry_dice(entry, self._seeds)
        refusal = Impossible("amend-others-first", entry=action.entry, other=f"#{entry.seq}")
        try:
            outcome = resolve_amendment(
                pinned_state(self._state, entry.before.counters), before, action, self._seeds, dice
            )
        except RulesError:
            raise refusal from None
        if outcome.gone != action.gone:
            raise refusal
        now = entry.replace(
            events=outcome.outcome.events, before=self._state, after=outcome.outcome.state
        )
        return _Redone(self._fate_of(entry, now), now)


def _keep_latest(latest: dict[str, tuple[Event, ...]], events: tuple[Event, ...]) -> None:
    """Keep the events of an entry for each check that they tell of."""
    for event in events:
        if isinstance(event, CheckChanged):
            latest[event.check] = events


def _without_new_readings(entry: PastEntry, outcome: Outcome) -> Outcome:
    """Return an outcome without sealed texts that its entry didn't have a player read then.

    A correction tells no sealed text. The player finds it in `/moves`.
    """
    read_then = {(event.call, event.name) for event in entry.events if isinstance(event, SealRead)}
    events: list[Event] = []
    for event in outcome.events:
        is_new = isinstance(event, SealRead) and (event.call, event.name) not in read_then
        if not is_new:
            events.append(event)
    if len(events) == len(outcome.events):
        return outcome
    state = outcome.state
    noted = {*entry.before.own, *entry.after.own}
    for key in [key for key in state.own if key.startswith(f"{SEAL_KIND}:")]:
        if key not in noted:
            state = state.with_own(key, None)
    return outcome.replace(state=state, events=tuple(events))


def _seals_read(events: Iterable[Event]) -> list[tuple[str, str, str]]:
    """Return the roll calls, characters and words of the sealed texts that were read."""
    return [(event.call, event.name, event.text) for event in events if isinstance(event, SealRead)]


def _has_other_seal(entry: RedoneEntry) -> bool:
    """Return whether everyone was told a sealed text that has other words now."""
    then = {event.note for event in entry.was if _opens_seal(event)}
    now = {event.note for event in entry.now if _opens_seal(event)}
    return bool(then and now) and then != now


def _opens_seal(event: Event) -> TypeGuard[Notice]:
    return isinstance(event, Notice) and event.what == "seal-opened"


def _redone_entry(entry: PastEntry, result: _Redone, *, untold: bool = False) -> RedoneEntry:
    """Return an entry as the rules see what became of it."""
    now = result.entry
    then_parts = parts_changed(entry.before, entry.after)
    now_parts = {} if now is None else parts_changed(now.before, now.after)
    touched: list[str] = []
    for key in {**then_parts, **now_parts}:
        same = key in then_parts and key in now_parts and then_parts[key] == now_parts[key]
        if not same:
            touched.append(key)
    return RedoneEntry(
        entry.seq,
        entry.at,
        type(entry.action).__name__,
        entry.action.who.id,
        entry.place,
        result.fate,
        entry.events,
        () if now is None else now.events,
        frozenset(() if result.fate in ("open", "new-dice") else touched),
        result.doubtful and not untold,
        result.refusal,
        untold and result.fate not in GONE,
        result.dice,
        result.rolled,
    )


def _require_whole_casts(before: TableState, after: TableState) -> None:
    """Require that every character in an open check is at the table, as far as either changed.

    Actions name some characters by ids of their own time. Raises NotFound("unknown-character").
    """
    same_people = before.characters.keys() == after.characters.keys()
    for check in after.checks.values():
        is_same = same_people and before.checks.get(check.id) is check
        if is_same or not check.is_open:
            continue
        for who in cast_of(read_only_game(after), check):
            if who not in after.characters:
                raise NotFound("unknown-character", field="character", value=who, nearest=())


def _branch(dice: KeyedStreams, seq: int) -> KeyedStreams:
    """Return the new dice of an entry."""
    return dice.branch(str(seq))


class AmendmentOutcome(Record):
    """Outcome of an amendment, and the entries that it undoes, oldest first."""

    outcome: Outcome
    gone: tuple[int, ...]


def preview_amendment(
    past: Sequence[PastEntry], action: Amend, seeds: Sequence[SeedRow]
) -> Amendment:
    """Return an amendment as far as it is known without new dice.

    Raises:
        NotFound("nothing-to-undo"): there is no such entry, or it is undone.
        Impossible("amend-final"): it can't be amended.
        Impossible("amend-again"): it has been amended before.
        Impossible("amend-too-many"): there are too many later entries.
        Impossible("amend-too-many-conflicts"): too many of them can't stand.
        Impossible("amend-seal-read"): a player who has read a sealed text would not have.
        Impossible("amend-no-values"), NotPermitted("amend-secret-choice"): it gets no other values.
        RulesError: the rules refuse the new values.
    """
    _require_amendable(past, action)
    return rerun(past, action, seeds, None)


def rerun(
    past: Sequence[PastEntry],
    action: Amend,
    seeds: Sequence[SeedRow],
    dice: KeyedStreams | None,
) -> Amendment:
    """Return an amendment of these entries; without *dice* only up to the first new die.

    Raises Impossible("amend-too-many-conflicts"), and RulesError for refused new values.
    """
    return _Rerun(past, action, seeds, dice).run()


def _require_amendable(past: Sequence[PastEntry], action: Amend) -> None:
    entry = next((entry for entry in past if entry.seq == action.entry), None)
    undone = undone_entries(past)
    if entry is None or entry.seq in undone:
        gone = entry is None
        params = {"field": "entry", "value": action.entry, "nearest": (), "amend": True}
        raise NotFound("nothing-to-undo", **params, gone=gone, undone=not gone)
    _require_values(entry, undo=action.undo or action.late is not None)
    _require_others(past, action, undone)
    if past[-1].seq - action.entry > MAX_REDONE:
        raise Impossible("amend-too-many", entry=action.entry, most=MAX_REDONE)
    for later in past:
        if isinstance(later.action, Amend) and later.seq not in undone:
            twice = _amended_entries(later.action) & _amended_entries(action)
            if twice:
                raise Impossible("amend-again", entry=min(twice), other=f"#{later.seq}")


def _amended_entries(action: Amend) -> set[int]:
    """Return the numbers of the entries that an amendment itself changes or undoes."""
    return {action.entry, *(change.entry for change in action.also)}


def _require_values(entry: PastEntry, *, undo: bool) -> None:
    """Require that an entry may be undone, or get other values. Raises as `require_amendable`."""
    game = read_only_game(entry.before, entry.action.who, entry.at, EVERYWHERE)
    require_amendable(game, entry.seq, entry.action, entry.events, undo=undo)


def _require_others(past: Sequence[PastEntry], action: Amend, undone: Set[int]) -> None:
    """Require that the later entries that get other values too may have them.

    Raises NotFound("nothing-to-undo"), and as `require_amendable`.
    """
    entries = {entry.seq: entry for entry in past}
    for change in action.also:
        entry = entries.get(change.entry)
        if entry is None or entry.seq <= action.entry or entry.seq in undone:
            gone = entry is None or entry.seq <= action.entry
            params = {"field": "entry", "value": change.entry, "nearest": (), "amend": True}
            raise NotFound("nothing-to-undo", **params, gone=gone, undone=not gone)
        _require_values(entry, undo=False)


def with_hindrance(amendment: Amendment, present: TableState, action: Amend) -> Amendment:
    """Return a previewed amendment with what would refuse it as a whole on the present table.

    The GM may still leave entries out, or give them other values. Raises
    Impossible("amend-nothing").
    """
    if amendment.state is None:
        return amendment
    game = read_only_game(present, action.who, action.at, EVERYWHERE)
    try:
        amend_outcome(game, action, amendment.state, amendment.entries, rolled=amendment.rolled)
    except RulesError as refused:
        if refused.code not in HINDRANCES:
            raise
        return amendment.replace(hindrance=refused.code)
    return amendment


def resolve_amendment(
    state: TableState,
    past: Sequence[PastEntry],
    action: Amend,
    seeds: Sequence[SeedRow],
    dice: KeyedStreams,
    known: Amendment | None = None,
) -> AmendmentOutcome:
    """Return the outcome of an amendment on the present table; the new dice come from *dice*.

    *known* is the amendment as it was previewed on these entries. Raises as `preview_amendment` and
    `amend_outcome`.
    """
    _require_amendable(past, action)
    amendment = known
    if amendment is None or amendment.state is None:
        amendment = rerun(past, action, seeds, dice)
    assert amendment.state is not None
    game = read_only_game(state, action.who, action.at, EVERYWHERE)
    outcome = amend_outcome(
        game, action, amendment.state, amendment.entries, rolled=amendment.rolled
    )
    return AmendmentOutcome(outcome, amendment.gone)
