"""Answer times: how long players and GMs take for what their table waits for.

An answer counts from the time at which the wait began. Pauses and rest days of the table don't
count, nor do absences. Secret prompts are left out, since their times would tell who answered when.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from rules.core.record import Record
from rules.table.actions import (
    Action,
    AnswerAlike,
    Begin,
    Choose,
    DelayTurn,
    Due,
    JoinEncounter,
    MoreTurnTime,
    NextTurn,
)
from rules.table.check import ANY_GM, ORDERS_PREFIX, AnyCheck, Away, OpenPrompt, Orders
from rules.table.checks.prompt_times import pending_waits
from rules.table.clock.pauses import clock_time
from rules.table.events import BoardChanged, Event
from rules.table.initiative import is_players
from rules.table.state import SYSTEM, AnyEncounter, Part, Settings, Slot, TableState
from rules.table.times.rest import Rest, running_time
from rules.table.turns.turn_block import slots_to_act

#: What is waited for: an answer in a check, a decision about dice that lie open, or a turn.
AnswerKind = Literal["answer", "react", "turn"]
ANSWER_KINDS: Final[tuple[AnswerKind, ...]] = ("answer", "react", "turn")
#: The GMs together, in place of a participant.
THE_GMS: Final = ""

_SETTINGS: Final = "settings"
_CHECK: Final = "check:"
_ENCOUNTER: Final = "encounter:"
#: Beginning of the keys of characters, of which only the owner is read.
CHARACTER: Final = "character:"
#: Beginnings of the keys of the parts that answer times are read from.
PARTS_READ: Final = (_SETTINGS, _CHECK, _ENCOUNTER, ORDERS_PREFIX, CHARACTER)
#: Actions that change an encounter, but take no turn.
_NO_TURNS: Final = (JoinEncounter, MoreTurnTime)
#: Steps of the clock with a turn that its player hasn't used.
_UNUSED_TURN: Final = ("delayed", "lapsed")


class PastAction(Record):
    """An action of the journal, with parts that it changed as they were before it."""

    action: Action
    events: tuple[Event, ...]
    #: Parts by key, without characters; None for one that the action made.
    before: Mapping[str, Part | None]
    #: Owners of the characters that the action changed, as they were before it; None for an NPC.
    owners: Mapping[str, str | None] = {}
    undone: bool = False


class AnswerTime(Record):
    """The time that a participant or the GMs took for an answer."""

    #: Participant; `THE_GMS` for the GMs together.
    person: str
    kind: AnswerKind
    #: Beginning of the wait in seconds since 1970, put off by the pauses before the answer.
    since: int
    until: int
    #: Rest of the table at that time.
    rest: Rest
    #: The turn that was taken; empty for another answer. Only its first act counts.
    turn: str = ""


class Span(Record):
    """A time in which a participant was away."""

    person: str
    since: int
    until: int


class MissedDeadline(Record):
    """A deadline that a participant has missed."""

    person: str
    at: int


class KindTimes(Record):
    """The answer times of one kind."""

    kind: AnswerKind
    count: int
    #: Half of the answers came within these seconds.
    median: int


class PersonTimes(Record):
    """The answer times of a participant, or of the GMs."""

    #: Participant; `THE_GMS` for the GMs together.
    person: str
    #: The kinds that there were, in the order of `ANSWER_KINDS`.
    kinds: tuple[KindTimes, ...] = ()
    missed: int = 0


class AnswerTimes(Record):
    """What the actions of a span tell of answer times."""

    answers: tuple[AnswerTime, ...] = ()
    missed: tuple[MissedDeadline, ...] = ()
    absences: tuple[Span, ...] = ()


class Past(Record):
    """The parts that decide about times, as they were before the last action that was read."""

    settings: Settings
    encounters: Mapping[str, AnyEncounter]
    #: Announced and noted absences, by participant.
    away: Mapping[str, Away]
    #: Time of each participant's next act.
    acts: Mapping[str, int]
    #: Time up to which each participant's absence is known.
    known: Mapping[str, int]
    now: int
    #: Owner of each character that was changed since; None for an NPC.
    owners: Mapping[str, str | None] = {}


def present_past(state: TableState, now: int) -> Past:
    """Return the parts as they are now."""
    away: dict[str, Away] = {}
    for key, part in state.own.items():
        if key.startswith(ORDERS_PREFIX) and isinstance(part, Orders) and part.away is not None:
            away[key.removeprefix(ORDERS_PREFIX)] = part.away
    return Past(state.settings, dict(state.encounters), away, {}, {}, now)


def without_contents(state: TableState) -> TableState:
    """Return a table with its characters' names and owners only, as `read_times` needs it."""
    characters = {id: character.replace(sheet=None) for id, character in state.characters.items()}
    return TableState(state.settings, characters=characters)


def read_times(
    state: TableState, past: Past, actions: Sequence[PastAction]
) -> tuple[AnswerTimes, Past]:
    """Return the answer times in some actions, the newest first, and what was before them.

    `past` is what was after them. *state* says whose the characters are now.
    """
    reading = _Reading(state, past)
    for action in actions:
        reading.read(action)
    return reading.times(), reading.past()


def last_absences(past: Past) -> tuple[Span, ...]:
    """Return the absences that began before the first action that was read."""
    spans: list[Span] = []
    for person, away in past.away.items():
        span = _absence(person, away, away.since, past.known.get(person, past.now), past.acts)
        if span is not None:
            spans.append(span)
    return tuple(spans)


class _Reading:
    """The answer times of a table, read from the newest action to the oldest."""

    def __init__(self, state: TableState, past: Past) -> None:
        self._state = state
        self._owners: dict[str, str | None] = {}
        for who, owner in past.owners.items():
            self._set_owner(who, owner)
        self._now = past.now
        self._settings = past.settings
        self._encounters = dict(past.encounters)
        self._away = dict(past.away)
        self._acts = dict(past.acts)
        self._known = dict(past.known)
        self._answers: list[AnswerTime] = []
        self._missed: list[MissedDeadline] = []
        self._absences: list[Span] = []

    def read(self, entry: PastAction) -> None:
        """Add the times of an action, after going back to the parts before it."""
        action = entry.action
        if action.who.id != SYSTEM:
            self._acts[action.who.id] = action.at
        self._go_back(entry)
        if entry.undone:
            return
        if isinstance(action, Due):
            self._read_missed(action, entry)
        elif isinstance(action, Choose):
            self._read_choice(action, entry)
        elif isinstance(action, AnswerAlike):
            self._read_alike(action, entry)
        if action.who.id != SYSTEM:
            self._read_turns(action, entry)

    def times(self) -> AnswerTimes:
        """Return the times of the actions read so far."""
        return AnswerTimes(tuple(self._answers), tuple(self._missed), tuple(self._absences))

    def past(self) -> Past:
        """Return the parts as they were before the last action read."""
        return Past(
            self._settings,
            self._encounters,
            self._away,
            self._acts,
            self._known,
            self._now,
            self._owners,
        )

    def _go_back(self, entry: PastAction) -> None:
        """Go back to the parts as they were before an action."""
        for key, part in entry.before.items():
            if isinstance(part, Settings):
                self._settings = part
            elif key.startswith(_ENCOUNTER):
                self._set_encounter(key.removeprefix(_ENCOUNTER), part)
            elif key.startswith(ORDERS_PREFIX):
                self._set_absence(key.removeprefix(ORDERS_PREFIX), part, entry.action.at)
        for who, owner in entry.owners.items():
            self._set_owner(who, owner)

    def _set_owner(self, who: str, owner: str | None) -> None:
        self._owners[who] = owner
        character = self._state.characters.get(who)
        if character is not None and character.owner != owner:
            self._state = self._state.with_character(character.replace(owner=owner))

    def _set_encounter(self, place: str, part: Any) -> None:
        if part is None:
            self._encounters.pop(place, None)
        else:
            self._encounters[place] = part

    def _set_absence(self, person: str, part: Any, at: int) -> None:
        """Keep the absence that began at *at*, and go back to the one before."""
        after = self._away.pop(person, None)
        before = part.away if isinstance(part, Orders) else None
        if after is not None and after != before:
            until = self._known.get(person, self._now)
            span = _absence(person, after, max(after.since, at), until, self._acts)
            if span is not None:
                self._absences.append(span)
        if after != before:
            self._known[person] = at
        if before is not None:
            self._away[person] = before

    # --- checks -----------------------------------------------------------------------------------

    def _read_choice(self, action: Choose, entry: PastAction) -> None:
        check = entry.before.get(_CHECK + action.check)
        asked = _open_prompt(check, action.prompt)
        if asked is None:
            return
        parties: dict[str, None] = {}
        for who in action.as_ or asked.waiting_for:
            party = self._party(who)
            # A stand-in's answer, and a GM's for a player, count for nobody.
            if who in asked.waiting_for and party in (action.who.id, THE_GMS):
                parties[party] = None
        # A player who answers for all of the player's own characters doesn't answer for the GMs.
        if not action.as_ and action.who.id in parties:
            parties.pop(THE_GMS, None)
        for party in parties:
            self._add_answer(party, asked, action)

    def _read_alike(self, action: AnswerAlike, entry: PastAction) -> None:
        for key, number in action.checks:
            check = entry.before.get(_CHECK + key)
            for asked in _prompts(check):
                if asked.number == number and ANY_GM in asked.waiting_for:
                    self._add_answer(THE_GMS, asked, action)

    def _party(self, who: str) -> str | None:
        """Return the owner of a character at that time, or the GMs; None if nobody knows it."""
        if who == ANY_GM:
            return THE_GMS
        character = self._state.characters.get(who)
        if character is not None:
            return character.owner or THE_GMS
        if who not in self._owners:
            return None
        return self._owners[who] or THE_GMS

    def _add_answer(self, party: str, asked: OpenPrompt, action: Action) -> None:
        prompt = asked.prompt
        if prompt.wait is None or prompt.secret:
            return
        kind: AnswerKind = "answer" if prompt.wait == "answer" or prompt.harms else "react"
        self._add(party, kind, asked.since + asked.put_off, action.at)

    def _add(self, party: str, kind: AnswerKind, since: int, at: int, turn: str = "") -> None:
        until = max(clock_time(self._settings, at), since)
        self._answers.append(AnswerTime(party, kind, since, until, self._settings.rest, turn))

    # --- turns ------------------------------------------------------------------------------------

    def _read_turns(self, action: Action, entry: PastAction) -> None:
        encounter = self._encounters.get(action.place)
        if encounter is None or not self._takes_turn(action, entry):
            return
        state = self._state.replace(settings=self._settings)
        for slot in slots_to_act(state, encounter):
            party = self._turn_party(state, slot, action)
            if party is not None:
                self._add_turn(party, slot, encounter, action.at)

    def _takes_turn(self, action: Action, entry: PastAction) -> bool:
        if isinstance(action, Begin | NextTurn | DelayTurn):
            return True
        return _ENCOUNTER + action.place in entry.before and not isinstance(action, _NO_TURNS)

    def _turn_party(self, state: TableState, slot: Slot, action: Action) -> str | None:
        """Return who took the turn of a slot by an action; None if it wasn't taken."""
        if is_players(state, slot):
            owner = state.characters[slot.character or ""].owner
            return owner if owner == action.who.id else None
        return THE_GMS if isinstance(action, NextTurn | DelayTurn) else None

    def _add_turn(self, party: str, slot: Slot, encounter: AnyEncounter, at: int) -> None:
        turn = f"{encounter.place}:{encounter.since}:{slot.character or slot.name}"
        if encounter.paused_at is not None:
            at = min(at, encounter.paused_at)
        self._add(party, "turn", encounter.since + encounter.paused, at, turn)

    # --- deadlines --------------------------------------------------------------------------------

    def _read_missed(self, action: Due, entry: PastAction) -> None:
        owners: dict[str, None] = {}
        for who in (*_lapsed_in_checks(action, entry), *_lapsed_turns(action, entry)):
            party = self._party(who)
            if party not in (None, THE_GMS):
                owners[party] = None
        self._missed += [MissedDeadline(owner, action.at) for owner in owners]


def _prompts(check: object) -> tuple[OpenPrompt, ...]:
    return getattr(check, "asked", ())


def _open_prompt(check: object, key: str) -> OpenPrompt | None:
    return next((asked for asked in _prompts(check) if asked.prompt.key == key), None)


def _lapsed_in_checks(action: Due, entry: PastAction) -> Iterator[str]:
    """Yield the characters for whom the clock answered a prompt that isn't secret."""
    for key, part in entry.before.items():
        if part is None or not key.startswith(_CHECK):
            continue
        check: AnyCheck = part  # pyright: ignore[reportAssignmentType]
        for wait in pending_waits(check):
            if wait.id == action.wait and wait.default is not None:
                if not wait.asked.prompt.secret:
                    yield from wait.asked.waiting_for


def _lapsed_turns(action: Due, entry: PastAction) -> Iterator[str]:
    """Yield the characters whose unused turns the clock delayed or ended."""
    for event in entry.events:
        if isinstance(event, BoardChanged) and event.audience.everyone:
            if event.step in _UNUSED_TURN and event.by == SYSTEM:
                yield from event.characters


def _absence(
    person: str, away: Away, since: int, until: int, acts: Mapping[str, int]
) -> Span | None:
    """Return the time of an absence that was in force from `since` to `until`.

    A noted absence ends with the participant's next act.
    """
    ends = [until]
    if away.until is not None:
        ends.append(away.until)
    if away.noted_by and person in acts:
        ends.append(acts[person])
    return Span(person, since, min(ends)) if since < min(ends) else None


# --- the report -----------------------------------------------------------------------------------


def joined_times(pages: Iterable[AnswerTimes]) -> AnswerTimes:
    """Return what several spans tell together."""
    answers: list[AnswerTime] = []
    missed: list[MissedDeadline] = []
    absences: list[Span] = []
    for page in pages:
        answers += page.answers
        missed += page.missed
        absences += page.absences
    return AnswerTimes(tuple(answers), tuple(missed), tuple(absences))


def summarize_times(times: AnswerTimes, gms: Collection[str] = ()) -> tuple[PersonTimes, ...]:
    """Return the medians and missed deadlines of each participant and of the GMs, by id.

    The GMs together are away while all of *gms* are.
    """
    absences: dict[str, list[Span]] = {}
    for span in times.absences:
        absences.setdefault(span.person, []).append(span)
    absences[THE_GMS] = _shared_absences([absences.get(person, []) for person in gms])
    seconds: dict[str, dict[AnswerKind, list[int]]] = {}
    for answer in _first_of_turns(times.answers):
        taken = waited_seconds(answer, absences.get(answer.person, ()))
        seconds.setdefault(answer.person, {}).setdefault(answer.kind, []).append(taken)
    missed: dict[str, int] = {}
    for deadline in times.missed:
        spans = absences.get(deadline.person, ())
        if not any(span.since <= deadline.at <= span.until for span in spans):
            missed[deadline.person] = missed.get(deadline.person, 0) + 1
    found: list[PersonTimes] = []
    for person in sorted({*seconds, *missed}):
        kinds: list[KindTimes] = []
        for kind in ANSWER_KINDS:
            taken = seconds.get(person, {}).get(kind)
            if taken:
                kinds.append(KindTimes(kind, len(taken), median(taken)))
        found.append(PersonTimes(person, tuple(kinds), missed.get(person, 0)))
    return tuple(found)


def _shared_absences(absences: Sequence[Sequence[Span]]) -> list[Span]:
    """Return the times that lie in an absence of each participant, as absences of the GMs."""
    if not absences:
        return []
    shared = list(absences[0])
    for spans in absences[1:]:
        both: list[Span] = []
        for one in shared:
            for other in spans:
                since, until = max(one.since, other.since), min(one.until, other.until)
                if since < until:
                    both.append(Span(THE_GMS, since, until))
        shared = both
    return shared


def waited_seconds(answer: AnswerTime, absences: Iterable[Span] = ()) -> int:
    """Return how many seconds were waited for an answer, without rest days and absences."""
    waited = running_time(answer.rest, answer.since, answer.until)
    counted = answer.since
    for span in sorted(absences, key=lambda span: span.since):
        begins, ends = max(span.since, counted), min(span.until, answer.until)
        if begins < ends:
            waited -= running_time(answer.rest, begins, ends)
            counted = ends
    return waited


def median(values: Sequence[int]) -> int:
    """Return the value within which half of the values lie, the upper one of two."""
    return sorted(values)[len(values) // 2]


def _first_of_turns(answers: Iterable[AnswerTime]) -> Iterator[AnswerTime]:
    """Yield the answers without later acts in a turn that was taken already."""
    turns: dict[tuple[str, str], AnswerTime] = {}
    for answer in answers:
        if not answer.turn:
            yield answer
            continue
        key = (answer.person, answer.turn)
        known = turns.get(key)
        if known is None or answer.until < known.until:
            turns[key] = answer
    yield from turns.values()
