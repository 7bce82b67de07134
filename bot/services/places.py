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
        self._changes = 0

    async def learn(self) -> None:
        """Read which places are bound, unless that changes meanwhile: then once more."""
        while True:
            changes = self._changes
            found = await self._store.place_tables()
            if changes == self._changes:
                self._tables = found
                return

    def record_change(self, place: str, table_id: int, bound: bool) -> None:
        """A table was bound to the place, or let go of it, and that is on disk."""
        self._changes += 1
        if bound:
            self._tables[place] = table_id
        else:
            self._tables.pop(place, None)

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
                self._tables.update(bound)
                return self.table_id(*places)
        return found

    def places_of(self, table_id: int) -> tuple[str, ...]:
        """The places bound to a table."""
        return tuple(place for place, bound in self._tables.items() if bound == table_id)
