"""Conditions for binding a table to a place, and for unbinding it."""

from __future__ import annotations

from bot.services.loaded_table import Table
from bot.services.tables import Tables
from rules.core.errors import Impossible, NotFound
from rules.table.actions import ChangePlaces, MovePlay


async def require_free(tables: Tables, table: Table, *places: str | None) -> None:
    """Raise Impossible if a place, or the channel that a thread is in, has a table.

    Raises:
        Impossible("place-bound"): it has this table.
        Impossible("place-taken"): it has another table.
    """
    holder = await tables.places.find(*places)
    if holder == table.id:
        raise Impossible("place-bound")
    if holder is not None:
        raise Impossible("place-taken", name=(await tables.load(holder)).state.settings.name)


async def check_places(tables: Tables, table: Table, action: ChangePlaces) -> None:
    """Check a change of places against the places as they are stored now.

    Raises:
        Impossible("place-bound"), ("place-taken"): as `require_free`.
        Impossible("last-place"): the table has no other place.
        NotFound("not-a-place"): the table isn't bound to the place that it leaves.
    """
    await tables.places.refresh(table.id, action.bind, action.unbind)
    if action.bind:
        await require_free(tables, table, action.bind)
    elif tables.places.table_id(action.unbind) != table.id:
        raise NotFound("not-a-place", field="channel", value=None, nearest=())
    elif len(tables.places.places_of(table.id)) == 1:
        raise Impossible("last-place")


async def check_move(tables: Tables, table: Table, action: MovePlay) -> None:
    """Check that a scene or initiative moves to a place of its table, or to a thread of one.

    Raises:
        Impossible("place-taken"): the place has another table.
        Impossible("move-not-bound"): it has none.
    """
    await tables.places.refresh(table.id, action.to, action.parent)
    holder = await tables.places.find(action.to, action.parent)
    if holder is None:
        raise Impossible("move-not-bound")
    if holder != table.id:
        raise Impossible("place-taken", name=(await tables.load(holder)).state.settings.name)
