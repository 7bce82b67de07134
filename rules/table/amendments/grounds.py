"""Grounds of choices: what a player or GM saw of a check before choosing in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.table.actions import Action, Actor, Choose
from rules.table.checks.stages import ROLL
from rules.table.events import CheckChanged, Event
from rules.table.permissions import is_gm
from rules.table.state import SYSTEM, TableState


def is_doubtful(
    action: Action,
    state: TableState,
    was: Mapping[str, tuple[Event, ...]],
    now: Mapping[str, tuple[Event, ...]],
) -> bool:
    """Return whether a player or GM chose something in a check that looked different then.

    *was* and *now* have the latest events of each check. A bare roll needs no grounds.
    """
    if not isinstance(action, Choose) or action.who.id == SYSTEM:
        return False
    if action.option == ROLL and not action.values:
        return False
    then = _looks(was.get(action.check, ()), action.check, state, action.who)
    return then != _looks(now.get(action.check, ()), action.check, state, action.who)


def _looks(events: Sequence[Event], check: str, state: TableState, who: Actor) -> list[Any]:
    """Return what a participant saw of a check in these events."""
    looks: list[Any] = []
    for event in events:
        if not isinstance(event, CheckChanged) or event.check != check:
            continue
        audience = event.audience
        known = audience.everyone or who.id in audience.people
        if known or (audience.gms and is_gm(state, who)):
            asked = [view.prompt for view in event.asked]
            looks.append((audience, event.blocks, asked, event.over))
    return looks
