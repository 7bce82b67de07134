"""What waits for one user: at one table, and what a call was about."""

from __future__ import annotations

from rules.registry import read_only_game
from rules.table.actions import Actor
from rules.table.checks.audience_names import TableNames
from rules.table.events import EVERYONE, BoardChanged, CheckChanged, Event, RollCallChanged
from rules.table.initiative import encounter_in
from rules.table.permissions import is_gm
from rules.table.state import TableState
from rules.table.waits.agenda import Wait, agenda


def waits_for(state: TableState, who: str, at: int) -> tuple[Wait, ...]:
    """Return what waits for a participant to decide, the oldest first.

    Of a player's waits, only the participant's own characters are named.
    """
    actor, names = Actor(who), TableNames(state, at)
    gm = is_gm(state, actor)
    waits: list[Wait] = []
    for wait in agenda(read_only_game(state, actor, at)):
        if gm and wait.gms:
            waits.append(wait)
        elif who in wait.people:
            waits.append(_own_part(wait, who, names))
    return tuple(waits)


def _own_part(wait: Wait, who: str, names: TableNames) -> Wait:
    """Return a wait that names only the characters for which a participant may answer."""
    own = [
        (ref, character)
        for ref, character in zip(wait.who, wait.characters, strict=True)
        if who in names.players(character)
    ]
    refs, characters = zip(*own, strict=True) if own else ((), ())
    return wait.replace(who=tuple(refs), characters=tuple(characters))


def public_wait_ids(state: TableState, at: int) -> frozenset[str]:
    """Return the ids of the waits that everybody at a table was told of."""
    return frozenset(wait.id for wait in agenda(read_only_game(state, at=at), EVERYONE))


def called_waits(state: TableState, event: Event, who: str) -> list[str]:
    """Return the ids of the waits for which an event calls a participant."""
    if isinstance(event, BoardChanged):
        encounter = encounter_in(state, event.place)
        return [] if encounter is None else [f"turn:{event.place}:{encounter.since}"]
    if isinstance(event, RollCallChanged):
        views = [line.view for line in event.lines]
        return [wait for view in views for wait in called_waits(state, view, who)]
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
    if isinstance(event, RollCallChanged):
        times = [wait_began(state, line.view, who) for line in event.lines]
        return min(filter(None, times), default=0)
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
