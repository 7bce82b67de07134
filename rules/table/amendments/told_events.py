"""Events of an amendment: each audience is told of its own differences, and of nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rules.core.record import Record
from rules.table.actions import Actor, Amend
from rules.table.amendments.audiences import told_people, told_whispers
from rules.table.amendments.corrected_scenes import corrected_scenes, with_scenes
from rules.table.amendments.differences import changed_results, differences_for
from rules.table.amendments.limits import amendment_reason
from rules.table.amendments.redone_entries import RedoneEntry
from rules.table.blocks import EVERYONE, GMS, Audience
from rules.table.events import Amended, AmendedEntry, ChangedResult, CheckChanged, Event
from rules.table.permissions import is_gm
from rules.table.state import TableState
from rules.table.whispers import whisper_audience


class _Correction(Record):
    """An amendment whose audiences are told."""

    action: Amend
    entries: Sequence[RedoneEntry]
    #: Whether new dice fell for any entry, also for one that few are told of.
    rolled: bool
    reason: str

    def event(
        self, told: tuple[AmendedEntry, ...], audience: Audience, place: str, *, rolled: bool
    ) -> Amended:
        """Return the event that tells an audience of these entries in a place."""
        return Amended(
            results=self._results(told, audience),
            by=self.action.who.id,
            audience=audience,
            place=place,
            entries=told,
            gone=tuple(entry.seq for entry in reversed(told) if entry.gone),
            rolled=rolled,
            reason=self.reason,
        )

    def _results(
        self, told: tuple[AmendedEntry, ...], audience: Audience
    ) -> tuple[ChangedResult, ...]:
        """Return the changed results of the checks in these entries, as an audience knows them."""
        numbers = {entry.seq for entry in told}
        checks: set[str] = set()
        for entry in self.entries:
            if entry.seq in numbers and not entry.is_gone:
                checks.update(event.check for event in entry.now if isinstance(event, CheckChanged))
        results = changed_results(self.entries, audience)
        return tuple(result for result in results if result.check in checks)

    def open_event(self, told: tuple[AmendedEntry, ...], audience: Audience, place: str) -> Amended:
        """Return the event for an audience that learns of new dice in these entries alone."""
        with_dice = {entry.seq for entry in self.entries if entry.rolled}
        rolled = any(entry.seq in with_dice for entry in told)
        return self.event(told, audience, place, rolled=rolled)

    def by_place(
        self, told: Iterable[AmendedEntry]
    ) -> Iterable[tuple[str, tuple[AmendedEntry, ...]]]:
        """Return entries by the place in which they were told."""
        places = {entry.seq: entry.place for entry in self.entries}
        grouped: dict[str, tuple[AmendedEntry, ...]] = {}
        for entry in told:
            place = places[entry.seq]
            grouped[place] = (*grouped.get(place, ()), entry)
        return grouped.items()


def told_events(
    state: TableState, action: Amend, entries: Sequence[RedoneEntry], *, rolled: bool
) -> list[Event]:
    """Return an event for each audience that was told something else in these entries.

    An audience whose events are the same is told nothing. The GMs are told of everything. Raises as
    `amendment_reason`.
    """
    correction = _Correction(action, entries, rolled, amendment_reason(action.reason))
    openly = [*_events_for_everyone(correction), *_events_for_whispers(correction)]
    numbers = frozenset(entry.seq for event in openly for entry in event.entries)
    events = [
        *openly,
        *_events_for_gms(correction, numbers),
        *_events_for_people(state, correction, numbers),
    ]
    scenes = corrected_scenes(entries)
    return [with_scenes(event, scenes) for event in events]


def _events_for_everyone(correction: _Correction) -> Iterable[Amended]:
    """Yield an event for each place in which everyone was told something else."""
    differences = differences_for(correction.entries, EVERYONE)
    for place, told in correction.by_place(differences):
        yield correction.open_event(told, EVERYONE, place)


def _events_for_whispers(correction: _Correction) -> Iterable[Amended]:
    """Yield the events for whisper scenes in which something else was told.

    A scene has an event for each group of players who were told of the same entries: a player who
    came later or left before isn't told of the others' entries.
    """
    for place, audiences in told_whispers(correction.entries).items():
        grouped: dict[Audience, tuple[AmendedEntry, ...]] = {}
        for entry in differences_for(correction.entries, whisper_audience((), place)):
            audience = audiences.get(entry.seq)
            if audience is not None:
                grouped[audience] = (*grouped.get(audience, ()), entry)
        for audience, told in grouped.items():
            yield correction.open_event(told, audience, place)


def _events_for_gms(correction: _Correction, openly: frozenset[int]) -> Iterable[Amended]:
    """Yield the event for the GMs, unless all that differs is told *openly*.

    It is quiet beside an open one.
    """
    everything = differences_for(correction.entries, GMS)
    if frozenset(entry.seq for entry in everything) != openly:
        place = correction.action.place
        event = correction.event(everything, GMS, place, rolled=correction.rolled)
        yield event.replace(quiet=bool(openly))


def _events_for_people(
    state: TableState, correction: _Correction, openly: frozenset[int]
) -> Iterable[Amended]:
    """Yield the events for players who were told in private of entries that aren't told *openly*.

    These players don't learn of new dice. GMs have been told of everything already.
    """
    for person in told_people(correction.entries):
        if is_gm(state, Actor(person)):
            continue
        audience = Audience(people=(person,))
        differences = differences_for(correction.entries, audience)
        private = [entry for entry in differences if entry.seq not in openly]
        for place, told in correction.by_place(private):
            yield correction.event(told, audience, place, rolled=False).replace(ping=(person,))
