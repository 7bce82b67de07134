"""Players who have left their table's server, noticed when the clock reminds them in vain."""

from __future__ import annotations

import logging
from typing import Final

import discord

from bot.clock import Clock
from bot.delivery.outbox import Outbox
from bot.delivery.response import DISCORD_ERRORS
from bot.services.loaded_table import Table
from bot.services.perform import ActionResult, perform
from bot.services.tables import Tables
from bot.storage.errors import StorageUnavailable
from rules.core.errors import RulesError
from rules.table.absence import absence_of, characters_of
from rules.table.actions import Actor, NoteDeparture
from rules.table.events import BoardChanged, CheckChanged, Event, Notice
from rules.table.state import DAY, SYSTEM, TableState

log = logging.getLogger("storyguide.departed_members")

#: Steps with which the clock calls a player again.
_REMINDERS: Final = ("reminded", "stalled")


class DepartedMembers:
    """Notes of players who are no longer on their table's server.

    Discord doesn't tell the bot of members who leave, and takes a ping of one without an error. So
    Discord is asked after a reminder, at most once a day for each member.
    """

    def __init__(
        self, client: discord.Client, tables: Tables, outbox: Outbox, clock: Clock
    ) -> None:
        self._client = client
        self._tables = tables
        self._outbox = outbox
        self._clock = clock
        #: Times of the last questions, by server and user.
        self._asked: dict[tuple[str, str], int] = {}

    def look_after(self, done: ActionResult) -> None:
        """Ask in the background for the players whom an act of the clock has reminded."""
        for person in sorted(reminded_players(done.state, done.events)):
            place = _place_of(done.events)
            self._outbox.run_in_background(self._look(done.table, person, place))

    async def _look(self, table: Table, person: str, place: str) -> None:
        user = table.directory.user(person)
        guild = None if not table.guild.isdecimal() else self._client.get_guild(int(table.guild))
        if user is None or guild is None or not self._may_ask((table.guild, user)):
            return
        try:
            await guild.fetch_member(int(user))
        except discord.NotFound:
            await self._note(table, person, place)
        except DISCORD_ERRORS as error:
            log.info("departed_members.unknown", extra={"reason": type(error).__name__})

    def _may_ask(self, member: tuple[str, str]) -> bool:
        """Return whether Discord wasn't asked about a member for a day, and note that it is now."""
        now = self._clock()
        if now - self._asked.get(member, now - DAY) < DAY:
            return False
        recent = {other: at for other, at in self._asked.items() if now - at < DAY}
        self._asked = {**recent, member: now}
        return True

    async def _note(self, table: Table, person: str, place: str) -> None:
        at = self._clock()
        action = NoteDeparture(who=Actor(SYSTEM), place=place, at=at, person=person)
        try:
            done = await perform(self._tables, table.id, action, f"left:{table.id}:{person}:{at}")
        except (RulesError, StorageUnavailable) as error:
            log.info("departed_members.not-noted", extra={"reason": type(error).__name__})
            return
        self._outbox.dispatch(done)


def reminded_players(state: TableState, events: tuple[Event, ...]) -> frozenset[str]:
    """Return the players with characters whom events remind, or of whom they tell a miss.

    Players who are known to have left the server aren't among them.
    """
    people: set[str] = set()
    for event in events:
        if isinstance(event, BoardChanged | CheckChanged) and event.step in _REMINDERS:
            people.update(event.ping)
        elif isinstance(event, Notice) and event.what == "missed-in-a-row":
            people.add(str(event.params["who"]))
    return frozenset(person for person in people if _may_have_left(state, person))


def _may_have_left(state: TableState, person: str) -> bool:
    away = absence_of(state, person)
    known = away is not None and away.noted_by == SYSTEM
    return not known and bool(characters_of(state, person))


def _place_of(events: tuple[Event, ...]) -> str:
    """Return the place of the check or turn that events are about."""
    for event in events:
        if isinstance(event, BoardChanged | CheckChanged):
            return event.place
    return ""
