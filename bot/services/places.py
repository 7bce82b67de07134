"""Which channels and threads have a table."""

from __future__ import annotations

from typing import Final

from bot.storage.store import Store
from rules.registry import FREE_SYSTEM

#: Prefix of the guild of a user's personal table, before the user's id. Other tables have a
#: server's id there.
PERSONAL_PREFIX: Final = "@"


def free_place(channel: str) -> str:
    """Return the place of a channel's own dice and cards, beside the place of a table."""
    return f"{FREE_SYSTEM.key}:{channel}"


class Places:
    """The bound places and their tables, as this process last read them."""

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
            bindings = await self._store.place_tables()
            if changes == self._changes:
                self._tables, self._of_table = {}, {}
                for place, table_id in bindings.items():
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
        """Record that a table was bound to a place, or unbound from it, on disk."""
        self._changes += 1
        if bound:
            self._keep(place, table_id)
        else:
            self._drop(place)

    def table_id(self, *places: str | None) -> int | None:
        """Return the table of the first of these places that has one: a thread, then its parent."""
        for place in places:
            if place is not None and place in self._tables:
                return self._tables[place]
        return None

    async def find(self, *places: str | None) -> int | None:
        """Return the table as `table_id` does, reading the store on a miss.

        Another process may have bound the place.
        """
        while (table_id := self.table_id(*places)) is None:
            changes = self._changes
            bound = await self._store.bound_places([place for place in places if place is not None])
            if changes == self._changes:
                for place, holder in bound.items():
                    self._keep(place, holder)
                return self.table_id(*places)
        return table_id

    def places_of(self, table_id: int) -> tuple[str, ...]:
        """Return the places bound to a table, in the order of their ids."""
        return tuple(sorted(self._of_table.get(table_id, ())))
