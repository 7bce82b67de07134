"""Whether a table may be bound to a place, or let go of one."""

from __future__ import annotations

from bot.services.loaded_table import Table
from bot.services.tables import Tables
from rules.core.errors import Impossible, NotFound
from rules.table.actions import ChangePlaces


async def require_free(tables: Tables, table: Table, *places: str | None) -> None:
    """Impossible when a place, or the channel that a thread is in, has a table.

    "place-bound" where that is this one, "place-taken" for another.
    """
    holder = await tables.places.find(*places)
    if holder == table.id:
        raise Impossible("place-bound")
    if holder is not None:
        raise Impossible("place-taken", name=(await tables.load(holder)).state.settings.name)


async def check_places(tables: Tables, table: Table, action: ChangePlaces) -> None:
    """What only the keeper of the places knows: whether one is free, and whether one may go.

    Raises as `require_free`; NotFound("not-a-place"), Impossible("last-place").
    """
    await tables.places.refresh(table.id, action.bind, action.unbind)
    if action.bind:
        await require_free(tables, table, action.bind)
    elif tables.places.table_id(action.unbind) != table.id:
        raise NotFound("not-a-place", field="channel", value=None, nearest=())
    elif len(tables.places.places_of(table.id)) == 1:
        raise Impossible("last-place")
