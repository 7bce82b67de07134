"""Which channels and threads have a table."""

from __future__ import annotations

from typing import Final

from bot.storage.store import Store
from rules.registry import FREE_SYSTEM

#: Begins the home of somebody's own dice and cards, where others' begin with a server's id.
PERSONAL_PREFIX: Final = "@"


def free_place(channel: str) -> str:
    """The place that a channel is for dice and cards without a table, so that it stays free for
    one.
    """
    return f"{FREE_SYSTEM.key}:{channel}"


class Places:
    """The places that are bound, each with its table, as this process last heard of them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._tables: dict[str, int] = {}
        self._of_table: dict[int, set[str]] = {}
        self._changes = 0

    async def learn(self) -> None:
        """Read every bound place, again if one changes meanwhile.

        Only for the start: at many servers this reads many rows. Later use `refresh`.
        """
        while True:
            changes = self._changes
            found = await self._store.place_tables()
            if changes == self._changes:
                self._tables, self._of_table = {}, {}
                for place, table_id in found.items():
                    self._keep(place, table_id)
                return

    async def refresh(self, table_id: int | None, *places: str | None) -> None:
        """Read the places of one table and the tables of these places, as they are stored now."""
        wanted = [place for place in places if place is not None]
        while True:
            changes = self._changes
            bound = await self._store.bound_places(wanted) if wanted else {}
            if table_id is not None:
                own = await self._store.places_of_table(table_id)
                bound.update(dict.fromkeys(own, table_id))
            if changes == self._changes:
                break
        outdated = {*wanted, *(() if table_id is None else self.places_of(table_id))}
        for place in outdated:
            self._drop(place)
        for place, holder in bound.items():
            self._keep(place, holder)

    def forget_table(self, table_id: int) -> None:
        """Forget the places of a table that was deleted."""
        self._changes += 1
        for place in self.places_of(table_id):
            self._drop(place)

    def _keep(self, place: str, table_id: int) -> None:
        self._drop(place)
        self._tables[place] = table_id
        self._of_table.setdefault(table_id, set()).add(place)

    def _drop(self, place: str) -> None:
        table_id = self._tables.pop(place, None)
        if table_id is not None:
            self._of_table[table_id].discard(place)

    def record_change(self, place: str, table_id: int, bound: bool) -> None:
        """A table was bound to the place, or let go of it, and that is on disk."""
        self._changes += 1
        if bound:
            self._keep(place, table_id)
        else:
            self._drop(place)

    def table_id(self, *places: str | None) -> int | None:
        """The table of the first of these places that has one: a thread, then its parent."""
        for place in places:
            if place is not None and place in self._tables:
                return self._tables[place]
        return None

    async def find(self, *places: str | None) -> int | None:
        """As `table_id`; on a miss it is looked up anew, since another process may have bound the
        place.
        """
        while (found := self.table_id(*places)) is None:
            changes = self._changes
            bound = await self._store.bound_places([place for place in places if place is not None])
            if changes == self._changes:
                for place, holder in bound.items():
                    self._keep(place, holder)
                return self.table_id(*places)
        return found

    def places_of(self, table_id: int) -> tuple[str, ...]:
        """Return the places bound to a table, in the order of their ids."""
        return tuple(sorted(self._of_table.get(table_id, ())))
