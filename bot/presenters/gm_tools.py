"""Cards for what the GM keeps: sessions, the story's time, awards, values set by hand, places."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from bot.presenters.blocks import result
from bot.presenters.character import character_text
from bot.presenters.layout import Accent, Body, Gap, Layout
from bot.presenters.scene import Scene
from bot.presenters.table import place_text
from bot.presenters.text import duration, moment_text, name_text, sentence, user_text
from bot.presenters.words import say
from rules.registry import look
from rules.table.blocks import ALL, Note
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

_NOTHING: Final = "There was nothing to restore."
#: What is said of a blind roll when the GM gives no note.
BLIND_ROLL: Final = "A blind roll by the GM"


def _told(
    head: str,
    lines: Iterable[Line] = (),
    *,
    before: str = "",
    below: Iterable[str] = (),
    accent: Accent = "waiting",
) -> Layout:
    """A card of what changed, line by line; what it is about stands `before`, why and by whom in small print."""
    blocks = [Note(line, ALL) for line in lines]
    return result(blocks, head=head, who=before, small="\n".join(filter(None, below)), accent=accent)


def _reason(note: str) -> str:
    return f"For: {user_text(note)}" if note else ""


def session_card(event: SessionChanged, scene: Scene) -> Layout:
    """A session begins or ends; the GMs are told of their NPCs and reminded of awards."""
    title = f"Session {event.number} {'begins' if event.started else 'ends'}"
    if event.started:
        return _told(title, before=f"In the story it is {moment_text(scene.state.clock.time)}.")
    if not event.audience.gms:
        return _told(title, event.lines, before="**Restored**" if event.lines else _NOTHING)
    awards = [choice.label for choice in look(scene.state).award_kinds]
    before = "**Restored to your NPCs**" if event.lines else "" if awards else _NOTHING
    card = _told(f"{title}: for the GMs", event.lines, before=before, accent="gm")
    if not awards:
        return card
    offered = "\n".join(f"- {sentence(say(each))}" for each in awards)
    asked = Body(f"Has anybody earned something? `/gm award` gives:\n{offered}")
    return replace(card, pieces=(*card.pieces, Gap(), asked))


def clock_card(clock: GameClock) -> Layout:
    """Where the story stands, for /session show and /gm time."""
    if clock.playing:
        session = f"Session {clock.session} is on."
    elif clock.session:
        session = f"No session is on; the last was session {clock.session}."
    else:
        session = "There has been no session yet."
    said = f"That is the time in the story. {session}"
    return _told(moment_text(clock.time), before=said, accent="own")


def time_card(event: TimePassed, scene: Scene) -> Layout:
    """The story's time is another."""
    if event.audience.gms:
        title = f"{moment_text(event.time)}: for the GMs"
        return _told(title, event.lines, before="**Of your NPCs**", accent="gm")
    span = duration(abs(event.minutes) * 60)
    return _told(
        moment_text(event.time),
        event.lines,
        before=sentence(f"{span} later" if event.minutes > 0 else f"Set back by {span}"),
    )


def awarded_card(event: Awarded, scene: Scene) -> Layout:
    """Who got what, and what for."""
    return _told("Awarded", event.lines, below=(_reason(event.note),), accent="good")


def adjusted_card(event: CharacterChanged, scene: Scene) -> Layout:
    """A value that a GM has set by hand."""
    by = f"Set by {scene.names.mention(event.by)}."
    return _told(f"{character_text(event.name)} · set by hand", event.lines, below=(_reason(event.note), by))


def places_card(event: PlacesChanged, scene: Scene) -> Layout:
    """A channel has come to the table, or has left it."""
    where, name = place_text(event.subject), name_text(scene.state.settings.name)
    if event.bound:
        text = f"{where} belongs to {name} now; commands there are for it."
        return _told("One more place to play in", before=text)
    return _told("One place less", before=f"{where} does not belong to {name} any more.")


def campaign_card(event: CampaignChanged) -> Layout:
    """What the table has agreed on in the terms of its system is another now."""
    return _told("The campaign has changed", event.lines)
