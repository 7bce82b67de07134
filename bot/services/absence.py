"""Events about a player's characters during the player's absence."""

from __future__ import annotations

import asyncio
from collections.abc import Set
from typing import Final

from bot.services.history import recent_entries
from bot.services.readers import Reader
from bot.services.tables import Tables
from bot.storage import codec
from rules.table.events import BoardChanged, CheckChanged, Event, Notice, Reported
from rules.table.state import SYSTEM

#: Most entries that are searched, and most that are returned, the newest.
REACH: Final = 1000
MOST: Final = 8
#: Entries that are read before other tasks get a turn.
_ENTRIES_PER_TURN: Final = 20
#: Steps of a check that change nothing.
_CALLS: Final = ("reminded", "stalled", "called")
#: Steps of a turn that the clock has ended.
_LAPSES: Final = ("delayed", "lapsed", "timed-out")


async def events_meanwhile(
    tables: Tables, reader: Reader, since: int, until: int
) -> tuple[tuple[int, tuple[Event, ...]], ...]:
    """Return the numbers of entries about the reader's characters, with the events the reader sees.

    `since` and `until` are in seconds since 1970. The entries are the newest `MOST`, oldest first.
    A check is in one of them only, the latest. The reader's own entries are left out.
    """
    state, person = reader.table.state, reader.actor.id
    own = [character for character in state.characters.values() if character.owner == person]
    names = {character.name for character in own}
    ids = {character.id for character in own}
    entries: list[tuple[int, tuple[Event, ...]]] = []
    reported_checks: set[str] = set()
    rows = await recent_entries(tables, reader.table.id, REACH)
    for number, (row, _) in enumerate(reversed(rows)):
        if row.at < since or len(entries) == MOST:
            break
        if number % _ENTRIES_PER_TURN == 0:
            await asyncio.sleep(0)
        if row.at > until or row.undone_by is not None or row.actor == person:
            continue
        seen = await reader.fullest_events(row, codec.read_events(row.events))
        events: list[Event] = []
        for event in seen:
            check = event.check if isinstance(event, CheckChanged) else ""
            if check not in reported_checks and _is_about(event, names, ids):
                events.append(event)
                reported_checks |= {check} - {""}
        if events:
            entries.append((row.seq, tuple(events)))
    return tuple(reversed(entries))


def _is_about(event: Event, names: Set[str], ids: Set[str]) -> bool:
    """Return whether an event tells of a character with one of these names or ids."""
    if isinstance(event, Notice):
        return not ids.isdisjoint(event.characters)
    if isinstance(event, Reported):
        return any(name in str(event.blocks) for name in names)
    if isinstance(event, BoardChanged):
        ended = event.by == SYSTEM and event.step in _LAPSES
        return ended and (event.name in names or not ids.isdisjoint(event.characters))
    if not isinstance(event, CheckChanged) or event.step in _CALLS:
        return False
    refs = (event.actor, event.target, *[step.who for step in event.took])
    return any(ref is not None and ref.name in names for ref in refs)
