"""Resolution of actions by the rules. No other module here resolves an action."""

from __future__ import annotations

from bot.services.action_fields import check_fields
from bot.services.imports import is_long_import
from bot.services.tables import Tables
from bot.worker_process import WorkerFailed
from rules.core.dice.no_dice import NO_DICE
from rules.core.errors import Impossible
from rules.core.rng import KeyedStreams, Streams
from rules.registry import system_for
from rules.table.actions import Action, ImportTable
from rules.table.events import Event
from rules.table.late_choices import LateChoices
from rules.table.outcome import Outcome
from rules.table.resolve import resolve
from rules.table.state import TableState


def request_dice(streams: tuple[bytes, bytes, bytes], key: str) -> KeyedStreams:
    """Return the dice drawn for a key of `bot.services.dice_keys`, mostly a request's id.

    *streams* come from `bot.services.seeds.stream_seeds`.
    """
    public, secret, closed = streams
    return KeyedStreams(public, secret, key, closed)


async def resolve_in_worker(
    tables: Tables, state: TableState | None, action: Action, dice: KeyedStreams
) -> Outcome:
    """Resolve an action as `resolve_action` does, a long import in the worker process.

    Raises as `check_fields` and `resolve_action`, and Impossible("import-failed").
    """
    check_fields(action)
    if not isinstance(action, ImportTable) or not is_long_import(action.data):
        return resolve_action(state, action, dice)
    try:
        return await tables.aside(resolve_action, state, action, dice)
    except WorkerFailed:
        raise Impossible("import-failed") from None


def expected_events(state: TableState, action: Action) -> tuple[Event, ...]:
    """Return the events that an action without dice would cause, to ask the player first.

    Raises as `resolve_action`.
    """
    return resolve(system_for(state, action), state, action, NO_DICE).events


def resolve_action(
    state: TableState | None,
    action: Action,
    dice: Streams,
    late: LateChoices | None = None,
) -> Outcome:
    """Return the outcome of an action. Raises RulesError if the action is refused.

    `state` is None for an action that opens a table. `late` are choices for a check to take at the
    stages that it passes on the way.
    """
    return resolve(system_for(state, action), state, action, dice, late)
