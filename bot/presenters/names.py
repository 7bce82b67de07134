"""Participants in messages: mentions, user ids and display names."""

from __future__ import annotations

from collections.abc import Iterable

from bot.presenters.language.limits import clip
from bot.presenters.language.text import Names, listing, user_text
from bot.presenters.scene import Scene
from bot.services.directory import Directory
from rules.core.record import Record
from rules.table.events import Event
from rules.table.forms.typed_texts import is_id
from rules.table.gm_office import deputies
from rules.table.state import SYSTEM

#: Name of the clock as an actor.
BOT_NAME = "Storyguide"
#: Name of a participant who has left the server.
DEPARTED_NAME = "somebody who is no longer here"
#: Most letters of a name.
MAX_NAME = 80


class DirectoryNames:
    """The participants of one table, as its directory knows them."""

    __slots__ = ("_directory",)

    def __init__(self, directory: Directory) -> None:
        self._directory = directory

    def mention(self, participant: str) -> str:
        """Return `<@123>`, or words for a participant who can't be mentioned."""
        user = self._directory.user(participant)
        return f"<@{user}>" if user is not None and is_id(user) else self.name(participant)

    def user_id(self, participant: str) -> int | None:
        """Return the Discord id; None for a participant who has left, and for the clock."""
        user = self._directory.user(participant)
        return int(user) if user is not None and is_id(user) else None

    def name(self, participant: str) -> str:
        """Return the display name as last seen."""
        if participant == SYSTEM:
            return BOT_NAME
        if self._directory.user(participant) is None:
            return DEPARTED_NAME
        return user_text(clip(self._directory.name(participant), MAX_NAME)) or DEPARTED_NAME


class Mentions(Record):
    """The names in a call, and the ids that it may ping."""

    text: str
    users: tuple[int, ...] = ()
    roles: tuple[int, ...] = ()


def gm_mentions(names: Names, gms: Iterable[str], gm_roles: Iterable[str]) -> Mentions:
    """Return the GMs of a table, users before roles; `the GM` if there are none."""
    people, roles = tuple(gms), _role_ids(gm_roles)
    users = tuple(user for user in map(names.user_id, people) if user is not None)
    return Mentions(listing(_gm_texts(names, people, roles)), users, roles)


def _role_ids(roles: Iterable[str]) -> tuple[int, ...]:
    return tuple(int(role) for role in roles if is_id(role))


def _gm_texts(names: Names, gms: Iterable[str], roles: Iterable[int]) -> list[str]:
    """Return the mention of each GM and of each role; `the GM` if there are none."""
    texts = [names.mention(person) for person in gms]
    texts += [f"<@&{role}>" for role in roles]
    return texts or ["the GM"]


def event_mentions(event: Event, scene: Scene) -> Mentions:
    """Return the participants whom an event calls to act; the text is empty if it calls none."""
    settings = scene.state.settings
    people = people_mentions(scene.names, event.ping) if event.ping else Mentions("")
    if not event.ping_gms:
        return people
    leaders = (*settings.gms, *deputies(scene.state))
    called = [gm for gm in leaders if gm not in event.spared]
    gms = gm_mentions(scene.names, called, settings.gm_roles)
    texts = [scene.names.mention(person) for person in event.ping]
    texts += _gm_texts(scene.names, called, gms.roles)
    text = listing(texts)
    return Mentions(text, people.users + gms.users, gms.roles)


def people_mentions(names: Names, people: Iterable[str]) -> Mentions:
    """Return the mentions of participants; `somebody` if there are none."""
    known = tuple(people)
    users = tuple(user for user in map(names.user_id, known) if user is not None)
    return Mentions(listing(names.mention(person) for person in known) or "somebody", users)
