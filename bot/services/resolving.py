"""An action carried out by the rules. Nothing else here asks them to resolve one."""

from __future__ import annotations

from rules.core.rng import KeyedStreams
from rules.registry import system_for
from rules.table.actions import Action
from rules.table.outcome import Outcome
from rules.table.resolve import resolve
from rules.table.state import TableState


def dice_of(streams: tuple[bytes, bytes, bytes], request_id: str) -> KeyedStreams:
    """What a request draws from, with the seeds as `bot.services.seeds.streams` gives them."""
    public, secret, closed = streams
    return KeyedStreams(public, secret, request_id, closed)


def resolved(state: TableState | None, action: Action, dice: KeyedStreams) -> Outcome:
    """What comes of an action; `state` is None for one that opens a table. Raises RulesError."""
    return resolve(system_for(state, action), state, action, dice)
