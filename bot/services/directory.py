"""Who the participants of one table are on Discord. The only place where the two meet."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Final

from bot.storage.row_records import Member

#: What whoever opens a table is called there.
FOUNDER: Final = "p1"
#: Signs that nobody takes for one another, and how many of them an id has: so many that none is
#: given twice.
_SIGNS: Final = "23456789abcdefghjkmnpqrstuvwxyz"
_LENGTH: Final = 8


def new_id(directory: Directory) -> str:
    """What somebody new is called: it tells nobody how many came before them."""
    return "p" + "".join([secrets.choice(_SIGNS) for _ in range(_LENGTH)])


class Directory:
    """Both ways between participants (`p` and eight signs) and users; new ones wait for the next
    write.
    """

    def __init__(self, members: Iterable[Member] = (), unsaved: Iterable[Member] = ()) -> None:
        """`members` are stored; `unsaved` are kept unless id or user belongs to another of them."""
        self._by_id: dict[str, Member] = {}
        self._by_user: dict[str, Member] = {}
        self._unsaved: dict[str, Member] = {}
        for member in members:
            self._by_id[member.id] = member
            self._by_user[member.user] = member
        for member in unsaved:
            known, taken = self._by_user.get(member.user), self._by_id.get(member.id)
            if known is taken and (taken is None or taken.id == member.id):
                self._by_id[member.id] = self._by_user[member.user] = self._unsaved[member.id] = (
                    member
                )

    def ensure_participant(self, user: str, name: str) -> str:
        """The participant that a user is here, given a new id when they were never here before."""
        known = self._by_user.get(user)
        if known is not None and known.name == name:
            return known.id
        member = Member(known.id if known else new_id(self), user, name)
        self._by_id[member.id] = self._by_user[user] = self._unsaved[member.id] = member
        return member.id

    def user(self, participant: str) -> str | None:
        """The Discord user id of a participant, None for somebody who is gone."""
        member = self._by_id.get(participant)
        return member.user if member else None

    def name(self, participant: str) -> str:
        """The display name of a participant as last seen, the bare id for somebody who is gone."""
        member = self._by_id.get(participant)
        return member.name if member else participant

    def known_participant(self, user: str) -> str | None:
        """The participant that a user is here, None for somebody who never was."""
        member = self._by_user.get(user)
        return member.id if member else None

    def participants(self) -> tuple[str, ...]:
        """All participants, in no order that tells anything."""
        return tuple(sorted(self._by_id))

    def participants_named(self, name: str) -> tuple[str, ...]:
        """The participants of that display name, capitals aside."""
        wanted = name.strip().casefold()
        return tuple(
            key for key, member in self._by_id.items() if member.name.strip().casefold() == wanted
        )

    def forget(self, participant: str) -> None:
        """Know nothing of this participant any more."""
        member = self._by_id.pop(participant, None)
        self._unsaved.pop(participant, None)
        if member is not None:
            del self._by_user[member.user]

    def unsaved_members(self) -> tuple[Member, ...]:
        """Members the store does not know in this form yet."""
        return tuple(self._unsaved.values())

    def mark_saved(self, members: Iterable[Member]) -> None:
        """Note that these are stored now."""
        for member in members:
            if self._unsaved.get(member.id) is member:
                del self._unsaved[member.id]
