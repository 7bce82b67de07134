"""Who looks at a table, and what of it they may be shown: the one answer for every door.

A door is anything by which a person gets to see checks or entries of the journal: a command, a
button, a form, a completion, a file. Each asks a `Reader`; `rules.table.readable_places.may_read`
decides. Who can view a channel only Discord knows, so that comes in through `PlaceViews`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final, Literal, Protocol

from bot.services.loaded_table import Table
from bot.services.outbox_plan import event_place, is_visible_to, private_event_indexes
from bot.services.places import PERSONAL_PREFIX
from bot.storage.row_records import EntryRow
from bot.storage.store import Store
from rules.registry import read_only_game
from rules.table.actions import Actor
from rules.table.checks.access import is_theirs
from rules.table.events import (
    BoardChanged,
    CardsMoved,
    CheckChanged,
    DiceRolled,
    Event,
    Notice,
)
from rules.table.permissions import is_gm
from rules.table.readable_places import EVERYWHERE, NOWHERE, ReadablePlaces, may_read
from rules.table.system import Game

#: What Discord says of one person and one place: they can view it; they cannot; there is no such
#: place any more; or that cannot be found out now.
PlaceAccess = Literal["open", "shut", "gone", "unknown"]


class PlaceViews(Protocol):
    """One person's view of the channels and threads of a server, as Discord has it now."""

    async def access(self, place: str) -> PlaceAccess: ...


class _NoViews:
    async def access(self, place: str) -> PlaceAccess:
        return "unknown"


#: Nothing is known of what the person can view.
NO_VIEWS: Final[PlaceViews] = _NoViews()


class Reader:
    """Somebody who looks at a table: as whom, and which of its places they can view now.

    A reader lives as long as one command. A place is closed until `learn` has asked for it. `here`
    is where they ask: they can view that, as they are there.
    """

    __slots__ = ("_asked", "_open", "_store", "_views", "actor", "at", "here", "table")

    def __init__(
        self,
        store: Store,
        table: Table,
        actor: Actor,
        at: int,
        views: PlaceViews,
        here: str = "",
    ) -> None:
        self.table = table
        self.actor = actor
        self.at = at
        self.here = here
        self._store = store
        self._views = views
        self._asked: set[str] = {here}
        self._open: set[str] = {here} - {""}

    @property
    def gm(self) -> bool:
        return is_gm(self.table.state, self.actor)

    @property
    def readable(self) -> ReadablePlaces:
        """The places that the reader is known to be able to view.

        At a personal table that is everything for its owner, and nothing for anybody else.
        """
        guild = self.table.guild
        if guild.startswith(PERSONAL_PREFIX):
            user = self.table.directory.user(self.actor.id)
            return EVERYWHERE if guild == f"{PERSONAL_PREFIX}{user}" else NOWHERE
        return EVERYWHERE if self.gm else ReadablePlaces(frozenset(self._open))

    async def learn(self, places: Iterable[str]) -> None:
        """Find out which of these places the reader can view, those not asked for yet.

        A place that is gone is open to those who did something there.
        """
        new = set(places) - self._asked
        if not new or self.readable.everywhere:
            return
        self._asked |= new
        found = await asyncio.gather(*map(self._views.access, new))
        for place, access in zip(new, found, strict=True):
            if access == "open" or (
                access == "gone"
                and await self._store.has_acted_in(self.table.id, place, self.actor.id)
            ):
                self._open.add(place)

    async def learn_table(self, bound: Iterable[str] = ()) -> None:
        """Find out about every place in which a check or an order of action stands, and about the
        `bound` ones.
        """
        state = self.table.state
        checks = (check.place for check in state.checks.values())
        await self.learn({*bound, *checks, *state.encounters})

    async def first_viewable(self, places: Iterable[str]) -> str | None:
        """The first of these places that the reader can go to on Discord, GM or not."""
        for place in places:
            if await self._views.access(place) == "open":
                return place
        return None

    @property
    def game(self) -> Game:
        """The table as the reader may look at it."""
        return read_only_game(self.table.state, self.actor, self.at, self.readable)

    def can_view(self, place: str) -> bool:
        """Return whether the reader may be shown what everybody was told in a place."""
        return may_read(self.readable, place, theirs=False, gm=self.gm)

    # --- entries of the journal -------------------------------------------------------------------

    async def shown_events(self, row: EntryRow, events: Sequence[Event]) -> tuple[Event, ...]:
        """The events of an entry, or some of them, that the reader may be shown."""
        await self.learn({event_place(event, row.place) for event in events})
        return tuple([event for event in events if self._may_know(event, row)])

    async def fullest_events(self, row: EntryRow, events: Sequence[Event]) -> tuple[Event, ...]:
        """The same, and of several views of one thing only the fullest."""
        shown = await self.shown_events(row, events)
        chosen = private_event_indexes(shown, self.table.state, self.actor)
        return tuple([shown[index] for index in chosen])

    def are_addressed(self, events: Iterable[Event], row: EntryRow) -> bool:
        """Return whether the reader did all of this, or it was addressed to them."""
        return all(self._is_addressed(event, row) for event in events)

    def _may_know(self, event: Event, row: EntryRow) -> bool:
        if not is_visible_to(event, self.table.state, self.actor):
            return False
        place, theirs = event_place(event, row.place), self._is_theirs(event, row)
        return may_read(self.readable, place, theirs=theirs, gm=self.gm)

    def _is_theirs(self, event: Event, row: EntryRow) -> bool:
        """Whether the reader did it, it was addressed to them, or it is about their character."""
        if self._is_addressed(event, row):
            return True
        if isinstance(event, CheckChanged):
            check = self.table.state.checks.get(event.check)
            if check is not None:
                return is_theirs(self.game, check, self.actor)
        if not isinstance(event, Notice | DiceRolled | BoardChanged | CheckChanged):
            return False
        # By id: a name that has become free may be anybody's since.
        told = [self.table.state.characters.get(each) for each in event.characters]
        return any(each is not None and each.owner == self.actor.id for each in told)

    def _is_addressed(self, event: Event, row: EntryRow) -> bool:
        """Whether the reader did it, or it was addressed to them."""
        me = self.actor.id
        if me in (row.actor, event.by) or me in event.audience.people or me in event.ping:
            return True
        return isinstance(event, CardsMoved) and me in (event.to, event.giver)
