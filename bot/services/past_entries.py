"""Entries of the journal as a replay carries them out, and the entries before each of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bot.services.dice_keys import dice_key
from bot.services.resolution import request_dice, resolve_action
from bot.services.seeds import stream_seeds
from bot.services.stepping_in import ResultEntry, redo_step_in
from bot.storage.row_records import SeedRow
from rules.core.errors import NotFound
from rules.core.record import Record
from rules.core.rng import Draw, KeyedStreams, Streams
from rules.registry import read_only_game
from rules.table.actions import Action, Amend, AskToStepIn, StepIn, Undo
from rules.table.events import Event, StepInAsked
from rules.table.journal.step_in import with_question
from rules.table.journal.undo import restore
from rules.table.outcome import Outcome
from rules.table.readable_places import EVERYWHERE
from rules.table.scenes.whisper_audiences import with_whispers
from rules.table.state import Part, TableState


class PastEntry(Record):
    """An entry of the journal, with the table before and after it."""

    seq: int
    at: int
    request: str
    action: Action
    events: tuple[Event, ...]
    before: TableState
    after: TableState
    #: Place of the action.
    place: str
    #: Its public and secret draws, in order.
    draws: tuple[Draw, ...] = ()

    def parts_before(self) -> dict[str, Part | None]:
        """Return the parts that it changed as they were before it; None for those that it made."""
        old = dict(self.before.parts())
        return {key: old.get(key) for key in self.after.changes_since(self.before)}


def undone_entries(past: Iterable[PastEntry]) -> frozenset[int]:
    """Return the numbers of the entries that others of them have undone."""
    undone: set[int] = set()
    gone: dict[int, tuple[int, ...]] = {}
    for entry in past:
        action = entry.action
        if isinstance(action, Amend):
            gone[entry.seq] = action.gone
            undone.update(action.gone)
        elif isinstance(action, Undo):
            for number in action.entries:
                # What an undone amendment has undone counts again.
                undone.difference_update(gone.get(number, ()))
                undone.add(number)
    return frozenset(undone)


class EarlierEntryNeeded(Exception):
    """Entry `seq` lies before the entries at hand."""

    def __init__(self, seq: int) -> None:
        super().__init__(seq)
        self.seq = seq


class Past(Record):
    """The entries before one, as far as entries that refer to others need them."""

    entries: Mapping[int, PastEntry]
    seeds: Sequence[SeedRow]

    def entry(self, seq: int) -> PastEntry:
        """Return the entry of a number. Raises EarlierEntryNeeded."""
        if seq not in self.entries:
            raise EarlierEntryNeeded(seq)
        return self.entries[seq]


def entry_dice(entry: PastEntry, seeds: Sequence[SeedRow]) -> KeyedStreams:
    """Return the dice of an entry, not drawn from yet."""
    return request_dice(stream_seeds(seeds, entry.seq), dice_key(entry.action, entry.request))


def carry_out(
    state: TableState,
    action: Action,
    seq: int,
    dice: Streams,
    stored: Sequence[Event],
    past: Past,
    step_in_dice: KeyedStreams,
) -> Outcome:
    """Carry an action out as entry *seq*, on a table and the entries before it.

    *stored* are the events of the entry in the journal. An amendment is carried out by
    `bot.services.amendment`. What happened in a whisper scene is told to its cast, as when the
    entry was made. Raises EarlierEntryNeeded, and RulesError if it is refused.
    """
    assert not isinstance(action, Amend)
    if isinstance(action, Undo):
        outcome = _undo(state, action, past)
    elif isinstance(action, StepIn):
        result = result_entry(action, past)
        outcome, _, _ = redo_step_in(state, action, result, past.seeds, step_in_dice, seq)
    elif isinstance(action, AskToStepIn):
        outcome = _ask_to_step_in(state, action, stored)
    else:
        outcome = resolve_action(state, action, dice)
    return with_whispers(read_only_game(state), outcome, action)


def _undo(state: TableState, action: Undo, past: Past) -> Outcome:
    """Undo entries of *past*. Raises EarlierEntryNeeded."""
    undone = [past.entry(number) for number in action.entries]
    return restore(
        read_only_game(state, readable=EVERYWHERE),
        action,
        [entry.parts_before() for entry in undone],
        times=[entry.at for entry in undone],
    )


def _ask_to_step_in(state: TableState, action: AskToStepIn, stored: Sequence[Event]) -> Outcome:
    """Ask the question of an entry with the events *stored*. Raises NotFound("unknown-check")."""
    if action.check not in state.checks:
        raise NotFound("unknown-check", field="check", value=action.check, nearest=())
    # The entries to undo are known from the journal alone, and the event lists them.
    for event in stored:
        if isinstance(event, StepInAsked):
            state = with_question(state, event, action.at)
    return Outcome(state, tuple(stored))


def result_entry(action: StepIn, past: Past) -> ResultEntry:
    """Return the entry whose result a step-in changed, with the step-ins before this one."""
    first = past.entry(action.entry)
    since = [action.entry, *[choice.seq for choice in action.earlier]]
    before = tuple(past.entry(seq).parts_before() for seq in reversed(since))
    return ResultEntry(action.entry, first.request, first.action, action.earlier, before)
