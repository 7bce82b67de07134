"""Cards for what the GM keeps: sessions, the story's time, awards, values set by hand, places."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from bot.presenters.card import Card
from bot.presenters.character import character_text
from bot.presenters.scene import Scene
from bot.presenters.table import place_text
from bot.presenters.text import duration, moment_text, name_text, sentence, user_text
from bot.presenters.words import say
from rules.registry import system_of
from rules.table.events import (
    Awarded,
    CampaignChanged,
    CharacterChanged,
    Line,
    PlacesChanged,
    SessionChanged,
    TimePassed,
)
from rules.table.state import GameClock

#: What is said of a blind roll when the GM gives no note.
BLIND_ROLL: Final = "A blind roll by the GM"


def _points(lines: Iterable[Line]) -> list[str]:
    return [f"- {sentence(say(line))}" for line in lines]


def _reason(note: str) -> list[str]:
    return [f"For: {user_text(note)}"] if note else []


def session_card(event: SessionChanged, scene: Scene) -> Card:
    """A session begins or ends; the GMs are told of their NPCs and reminded of awards."""
    title = f"Session {event.number} {'begins' if event.started else 'ends'}"
    if event.started:
        return Card(title, f"In the story it is {moment_text(scene.state.clock.time)}.", tone="good")
    lines = _points(event.lines)
    if event.audience.gms:
        if lines:
            lines.insert(0, "**Restored to your NPCs**")
        awards = _points(choice.label for choice in system_of(scene.state).awards())
        if awards:
            lines += ["Has anybody earned something? `/gm award` gives:", *awards]
        lines = lines or ["There was nothing to restore."]
        return Card(f"{title}: for the GMs", "\n".join(lines), tone="secret")
    if lines:
        lines.insert(0, "**Restored**")
    return Card(title, "\n".join(lines) or "There was nothing to restore.")


def clock_card(clock: GameClock) -> Card:
    """Where the story stands, for /session show and /gm time."""
    if clock.playing:
        session = f"Session {clock.session} is on."
    elif clock.session:
        session = f"No session is on; the last was session {clock.session}."
    else:
        session = "There has been no session yet."
    return Card(moment_text(clock.time), f"That is the time in the story. {session}")


def time_card(event: TimePassed, scene: Scene) -> Card:
    """The story's time is another."""
    span = duration(abs(event.minutes) * 60)
    how = f"{span} later." if event.minutes > 0 else f"Set back by {span}."
    lines = [how[0].upper() + how[1:], *_points(event.lines)]
    if not event.audience.gms:
        return Card(moment_text(event.time), "\n".join(lines))
    lines[0] = "**Of your NPCs**"
    return Card(f"{moment_text(event.time)}: for the GMs", "\n".join(lines), tone="secret")


def awarded_card(event: Awarded, scene: Scene) -> Card:
    """Who got what, and what for."""
    return Card("Awarded", "\n".join([*_points(event.lines), *_reason(event.note)]), tone="good")


def adjusted_card(event: CharacterChanged, scene: Scene) -> Card:
    """A value that a GM has set by hand."""
    body = [*_points(event.lines), *_reason(event.note), f"Set by {scene.names.mention(event.by)}."]
    return Card(f"{character_text(event.name)} · set by hand", "\n".join(body))


def places_card(event: PlacesChanged, scene: Scene) -> Card:
    """A channel has come to the table, or has left it."""
    where, name = place_text(event.subject), name_text(scene.state.settings.name)
    if event.bound:
        return Card("One more place to play in", f"{where} belongs to {name} now; commands there are for it.")
    return Card("One place less", f"{where} does not belong to {name} any more.")


def campaign_card(event: CampaignChanged) -> Card:
    """What the table has agreed on in the terms of its system is another now."""
    return Card("The campaign has changed", "\n".join(_points(event.lines)))
