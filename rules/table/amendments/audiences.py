"""Audiences of corrections: who was told of the events of an entry, and where."""

from __future__ import annotations

from collections.abc import Iterable

from rules.table.amendments.redone_entries import RedoneEntry
from rules.table.blocks import Audience
from rules.table.events import Event
from rules.table.scenes.scene_actions import opens_thread
from rules.table.whispers import whisper_audience


def is_told_to(event: Event, audience: Audience) -> bool:
    """Return whether an event was told to everyone, the GMs, one participant, or a whisper scene.

    All in a whisper scene count as one.
    """
    told = event.audience
    if audience.whisper:
        return told.whisper == audience.whisper
    if audience.people:
        return not told.whisper and not told.everyone and set(audience.people) <= set(told.people)
    if audience.gms:
        return told.gms
    return told == audience


def events_told_to(events: Iterable[Event], audience: Audience) -> list[Event]:
    """Return the events that were told to an audience."""
    return [event for event in events if is_told_to(event, audience)]


def told_people(entries: Iterable[RedoneEntry]) -> tuple[str, ...]:
    """Return the participants who were told something by name, outside of whisper scenes."""
    people: dict[str, None] = {}
    for entry in entries:
        for event in entry.all_events:
            if not event.audience.whisper:
                people |= dict.fromkeys(event.audience.people)
    return tuple(people)


def told_whispers(entries: Iterable[RedoneEntry]) -> dict[str, dict[int, Audience]]:
    """Return who was told of each entry in whisper scenes, by place and by number of the entry.

    A player who came later or left before is not among those who were told of an entry.
    """
    places: dict[str, dict[int, Audience]] = {}
    for entry in entries:
        people: dict[str, set[str]] = {}
        for event in entry.all_events:
            if event.audience.whisper and not opens_thread(event):
                people.setdefault(event.audience.whisper, set()).update(event.audience.people)
        for place, told in people.items():
            places.setdefault(place, {})[entry.seq] = whisper_audience(told, place)
    return places
