"""Undo of a player's own action within a minute, by a button of the private answer."""

from __future__ import annotations

from bot.services.loaded_table import Table
from bot.services.perform import ActionResult
from bot.services.tables import Tables
from bot.storage import codec
from rules.core.errors import Outdated
from rules.table.actions import Action, Actor
from rules.table.permissions import is_gm

#: Seconds for which the *Undo* button works.
TAKE_BACK_SECONDS = 60


async def may_take_back(tables: Tables, action: Action, performed: ActionResult) -> bool:
    """Return whether the answer gets an *Undo* button."""
    if not action.offers_take_back or performed.repeated:
        return False
    state = performed.table.state
    if is_gm(state, action.who):
        return True
    row = await tables.store.entry(performed.journal_id)
    return row is not None and state.settings.player_undo and not (row.draws or row.revealed)


async def require_take_back(
    tables: Tables, table: Table, actor: Actor, entry: int, at: int
) -> Action:
    """Return the action of an entry that an actor takes back.

    Raises:
        Outdated("unknown-control"): another person made the entry, or there is no such entry.
        Outdated("take-back-over"): the entry is older than a minute.
    """
    row = await tables.store.entry_at(table.id, entry)
    if row is None or row.actor != actor.id:
        raise Outdated("unknown-control")
    if at > row.at + TAKE_BACK_SECONDS:
        raise Outdated("take-back-over", entry=entry)
    return codec.read_action(row.kind, row.action)
