"""Scenes in whose casts a character is or was, as a reader was told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from bot.services.readers import Reader
from bot.services.story import hearer_for
from bot.services.tables import Tables
from bot.storage import codec
from rules.table.actions import JoinScene, StartScene
from rules.table.events import Event, Notice
from rules.table.permissions import public_name
from rules.table.played_scenes import StoryScene
from rules.table.state import AnyCharacter

#: Most entries of each kind that are searched, the newest.
_MOST: Final = 2000
#: Kinds of entries by which a character comes into a scene.
_KINDS: Final = (StartScene.__name__, JoinScene.__name__)
#: What tells of it.
_NEWS: Final = ("scene-begins", "scene-cast")


async def scenes_with(
    tables: Tables, reader: Reader, scenes: Iterable[StoryScene], character: AnyCharacter
) -> tuple[StoryScene, ...]:
    """Return those of a reader's scenes in whose cast a character is, or was as the reader knows.

    A scene keeps its present or last cast, which the reader sees. Who has left it stands in the
    journal alone: that counts for a reader who was told of it at the time.
    """
    numbers = await _scenes_told(tables, reader, character)
    return tuple(
        [scene for scene in scenes if character.id in scene.cast or scene.number in numbers]
    )


async def _scenes_told(tables: Tables, reader: Reader, character: AnyCharacter) -> frozenset[int]:
    """Return the numbers of the scenes that a reader was told a character came into."""
    hearer = await hearer_for(tables, reader)
    numbers: set[int] = set()
    for kind in _KINDS:
        rows = await tables.store.last_entries(reader.table.id, kind=kind, limit=_MOST)
        for row in rows:
            if row.undone_by is not None:
                continue
            told = [event for event in codec.read_events(row.events) if hearer.was_told(event, row)]
            numbers |= _scenes_in(told, character, gm=reader.gm)
    return frozenset(numbers)


def _scenes_in(events: Iterable[Event], character: AnyCharacter, *, gm: bool) -> set[int]:
    """Return the numbers of the scenes in whose cast events name a character.

    A player isn't told that an NPC goes back behind an alias. So what was told of the NPC by its
    name doesn't count while players know it by the alias.
    """
    numbers: set[int] = set()
    for event in events:
        if not isinstance(event, Notice) or event.what not in _NEWS:
            continue
        is_known = gm or character.stage == "revealed" or public_name(character) in _names(event)
        if is_known and character.id in event.characters:
            numbers.add(int(str(event.params["number"])))
    return numbers


def _names(event: Notice) -> tuple[object, ...]:
    """Return the names that a notice has for the characters who come into a scene."""
    cast = event.params.get("cast", ())
    return cast if isinstance(cast, tuple) else (event.params.get("name"),)
