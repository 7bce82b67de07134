"""Read permissions: which checks and journal entries a person may see.

A door is anything that shows checks or journal entries to a person: a command, a button, a form, a
completion, a file. Each door asks a `Reader`; `rules.table.readable_places.may_read` decides.
Only Discord knows the channels that a person can view: `PlaceViews` is the port for that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final, Literal, Protocol

from bot.services.loaded_table import Table
from bot.services.outbox_plan import event_place, fullest_views, is_visible_to
from bot.services.places import PERSONAL_PREFIX
from bot.storage.row_records import EntryRow
from bot.storage.store import Store
from rules.registry import read_only_game
from rules.table.actions import Actor
from rules.table.checks.access import cast_of, is_theirs
from rules.table.events import (
    BoardChanged,
    CardsMoved,
    CheckChanged,
    DiceRolled,
    Event,
    Notice,
)
from rules.table.gm_office import was_deputy
from rules.table.permissions import is_gm
from rules.table.played_scenes import scenes_of
from rules.table.readable_places import EVERYWHERE, NOWHERE, ReadablePlaces, may_read
from rules.table.system import Game
from rules.table.whispers import closed_places, places_left_by

#: A person's access to a place; `PlaceViews.access` says what each value means.
PlaceAccess = Literal["open", "shut", "gone", "unknown"]


class PlaceViews(Protocol):
    """One person's view of the channels and threads of a server, as Discord has it now."""

    async def access(self, place: str) -> PlaceAccess:
        """Return "open" for a place that the person can view, "shut" for one that they can't.

        "gone": the place no longer exists. "unknown": the lookup failed.
        """
        ...


class _NoViews:
    async def access(self, place: str) -> PlaceAccess:
        return "unknown"


#: Nothing is known of what the person can view.
NO_VIEWS: Final[PlaceViews] = _NoViews()


class Reader:
    """A person reading a table, with the places known to be open.

    A reader lives for one command. A place is closed until `learn` has looked it up. The place
    `here`, where the person gave the command, is open from the start.
    """

    __slots__ = ("_asked", "_kept", "_open", "_store", "_views", "actor", "at", "here", "table")

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
        self._kept: set[str] = set()

    @property
    def gm(self) -> bool:
        """True if the reader is a GM of the table."""
        return is_gm(self.table.state, self.actor)

    @property
    def readable(self) -> ReadablePlaces:
        """The places known to be open to the reader.

        A personal table is open to its owner, and closed to everyone else.
        """
        guild = self.table.guild
        if guild.startswith(PERSONAL_PREFIX):
            user = self.table.directory.user(self.actor.id)
            return EVERYWHERE if guild == f"{PERSONAL_PREFIX}{user}" else NOWHERE
        if self.gm:
            return EVERYWHERE
        closed = closed_places(self.table.state, self.actor.id, self.at)
        return ReadablePlaces(frozenset(self._open - closed))

    @property
    def kept(self) -> frozenset[str]:
        """The places of whisper scenes whose past the reader keeps after leaving them."""
        return frozenset(self._kept)

    async def learn(self, places: Iterable[str]) -> None:
        """Look up the reader's access to these places, each once.

        A place that is gone is open to readers who acted there.
        """
        new = set(places) - self._asked
        if not new or self.readable.everywhere:
            return
        self._asked |= new
        left = places_left_by(self.table.state, self.actor.id)
        accesses = await asyncio.gather(*map(self._views.access, new))
        for place, access in zip(new, accesses, strict=True):
            if access == "open":
                self._open.add(place)
            if access == "gone" or place in left:
                if await self._store.has_acted_in(self.table.id, place, self.actor.id):
                    self._kept |= {place} & left
                    if access == "gone":
                        self._open.add(place)

    async def learn_table(self, bound: Iterable[str] = ()) -> None:
        """Learn the `bound` places, and every place of a check, a scene or an order of action."""
        if self.readable.everywhere:
            return
        state = self.table.state
        checks = (check.place for check in state.checks.values())
        scenes = (scene.place for scene in scenes_of(state))
        await self.learn({*bound, *checks, *scenes, *state.encounters})

    async def first_viewable(self, places: Iterable[str]) -> str | None:
        """Return the first of these places that the reader can view on Discord, GM or not."""
        for place in places:
            if await self._views.access(place) == "open":
                return place
        return None

    @property
    def game(self) -> Game:
        """The table as the reader may look at it."""
        return read_only_game(self.table.state, self.actor, self.at, self.readable)

    def can_view(self, place: str) -> bool:
        """Return whether the reader may be shown what everybody was told in a place.

        A place that was not learned is closed, but to GMs.
        """
        return may_read(self.readable, place, theirs=False, gm=self.gm)

    # --- entries of the journal -------------------------------------------------------------------

    async def shown_events(self, row: EntryRow, events: Sequence[Event]) -> tuple[Event, ...]:
        """Return those of an entry's events that the reader may be shown."""
        await self.learn({event_place(event, row.place) for event in events})
        return tuple([event for event in events if self._may_know(event, row)])

    async def fullest_events(self, row: EntryRow, events: Sequence[Event]) -> tuple[Event, ...]:
        """Return the shown events, keeping only the fullest view of each check."""
        return fullest_views(await self.shown_events(row, events))

    def are_addressed(self, events: Iterable[Event], row: EntryRow) -> bool:
        """Return whether the reader did all of this, or it was addressed to them."""
        return all(self._is_addressed(event, row) for event in events)

    def _may_know(self, event: Event, row: EntryRow) -> bool:
        state, actor = self.table.state, self.actor
        told_then = event.audience.gms and was_deputy(state, actor.id, row.at)
        if not told_then and not is_visible_to(event, state, actor):
            return False
        place = event_place(event, row.place)
        if event.audience.whisper in self._kept:
            return True
        # Whose an event is costs more to find out, and matters only in a closed place.
        theirs = not self.can_view(place) and self._is_theirs(event, row)
        return may_read(self.readable, place, theirs=theirs, gm=self.gm)

    def _is_theirs(self, event: Event, row: EntryRow) -> bool:
        """Return whether an event is the reader's: by them, for them, or about their character."""
        if self._is_addressed(event, row):
            return True
        if isinstance(event, CheckChanged):
            check = self.table.state.checks.get(event.check)
            if check is not None:
                taken_over = self._has_come_since(cast_of(self.game, check), row.at)
                return not taken_over and is_theirs(self.game, check, self.actor)
        if not isinstance(event, Notice | DiceRolled | BoardChanged | CheckChanged):
            return False
        # By id: a name that has become free may belong to another character since.
        characters = [self.table.state.characters.get(key) for key in event.characters]
        return any(
            character is not None
            and character.owner == self.actor.id
            and character.private_since <= row.at
            for character in characters
        )

    def _has_come_since(self, characters: Iterable[str], at: int) -> bool:
        """Return whether one of these characters became the reader's by a seat, after a time."""
        for key in characters:
            character = self.table.state.characters.get(key)
            if character is not None and character.owner == self.actor.id:
                if character.private_since > at:
                    return True
        return False

    def _is_addressed(self, event: Event, row: EntryRow) -> bool:
        """Return whether the reader did it, or it was addressed to them."""
        me = self.actor.id
        if me in (row.actor, event.by) or me in event.ping:
            return True
        # The cast of a whisper scene reads only what the scene's place lets it read.
        if me in event.audience.people and not event.audience.whisper:
            return True
        return isinstance(event, CardsMoved) and me in (event.to, event.giver)
