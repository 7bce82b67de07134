"""What waits for one user: at one table, and what a call was about."""

from __future__ import annotations

from rules.registry import read_only_game
from rules.table.actions import Actor
from rules.table.agenda import Wait, agenda
from rules.table.events import EVERYONE, BoardChanged, CheckChanged, Event
from rules.table.initiative import encounter_in
from rules.table.permissions import is_gm
from rules.table.state import TableState


def waits_for(state: TableState, who: str, at: int) -> tuple[Wait, ...]:
    """Return what waits for a participant to decide, the oldest first."""
    actor = Actor(who)
    gm = is_gm(state, actor)
    waits = agenda(read_only_game(state, actor, at))
    return tuple(wait for wait in waits if who in wait.people or (gm and wait.gms))


def public_wait_ids(state: TableState, at: int) -> frozenset[str]:
    """Return the ids of the waits that everybody at a table was told of."""
    return frozenset(wait.id for wait in agenda(read_only_game(state, at=at), EVERYONE))


def called_waits(state: TableState, event: Event, who: str) -> list[str]:
    """Return the ids of the waits for which an event calls a participant."""
    if isinstance(event, BoardChanged):
        encounter = encounter_in(state, event.place)
        return [] if encounter is None else [f"turn:{event.place}:{encounter.since}"]
    if not isinstance(event, CheckChanged):
        return []
    gm = who in state.settings.gms
    asked = [prompt for prompt in event.asked if who in prompt.people or gm]
    return [f"{event.check}.{prompt.number}.{prompt.prompt}" for prompt in asked]


def wait_began(state: TableState, event: Event, who: str) -> int:
    """Return when the wait began of which an event reminds a participant; 0 if it's over."""
    if isinstance(event, BoardChanged):
        encounter = encounter_in(state, event.place)
        return 0 if encounter is None else encounter.since
    check = state.checks.get(event.check) if isinstance(event, CheckChanged) else None
    if check is None or not isinstance(event, CheckChanged):
        return 0
    called = called_waits(state, event, who)
    begun = [
        asked.since
        for asked in check.asked
        if f"{check.id}.{asked.number}.{asked.prompt.key}" in called
    ]
    return min(begun, default=0)
