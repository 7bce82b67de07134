"""An action carried out by the rules. Nothing else here asks them to resolve one."""

from __future__ import annotations

from bot.services.action_fields import check_fields
from bot.services.imports import long_to_read
from bot.services.tables import Tables
from bot.worker_process import AsideFailed
from rules.core.errors import Impossible
from rules.core.rng import KeyedStreams
from rules.registry import system_for
from rules.table.actions import Action, ImportTable
from rules.table.outcome import Outcome
from rules.table.resolve import resolve
from rules.table.state import TableState


def dice_of(streams: tuple[bytes, bytes, bytes], request_id: str) -> KeyedStreams:
    """What a request draws from, with the seeds as `bot.services.seeds.streams` gives them."""
    public, secret, closed = streams
    return KeyedStreams(public, secret, request_id, closed)


async def resolved_aside(
    tables: Tables, state: TableState | None, action: Action, dice: KeyedStreams
) -> Outcome:
    """As `resolved`; what takes long is done where nobody waits for it. Impossible("import-failed"), and as
    `check_fields`.
    """
    check_fields(action)
    if not isinstance(action, ImportTable) or not long_to_read(action.data):
        return resolved(state, action, dice)
    try:
        return await tables.aside(resolved, state, action, dice)
    except AsideFailed:
        raise Impossible("import-failed") from None


def resolved(state: TableState | None, action: Action, dice: KeyedStreams) -> Outcome:
    """What comes of an action; `state` is None for one that opens a table. Raises RulesError."""
    return resolve(system_for(state, action), state, action, dice)
