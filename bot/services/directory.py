"""Discord users of one table's participants. No other module maps the two."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Final

from bot.storage.row_records import Member

#: Participant id of the user who opens a table.
FOUNDER: Final = "p1"
#: Characters that are not mistaken for one another, and their number in an id. The number is high
#: enough that no id is given twice.
_SIGNS: Final = "23456789abcdefghjkmnpqrstuvwxyz"
_LENGTH: Final = 8


def new_id(directory: Directory) -> str:
    """Return the id of a new participant. It tells no reader how many participants came before."""
    return "p" + "".join([secrets.choice(_SIGNS) for _ in range(_LENGTH)])


class Directory:
    """Mapping between participants (`p` and eight characters) and Discord users.

    New members are saved with the next write.
    """

    def __init__(self, members: Iterable[Member] = (), unsaved: Iterable[Member] = ()) -> None:
        """`members` are stored; `unsaved` are kept unless id or user belongs to another member."""
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
        """Return a user's participant at this table; a new user gets a new id."""
        known = self._by_user.get(user)
        if known is not None and known.name == name:
            return known.id
        member = Member(known.id if known else new_id(self), user, name)
        self._by_id[member.id] = self._by_user[user] = self._unsaved[member.id] = member
        return member.id

    def user(self, participant: str) -> str | None:
        """Return the Discord user id of a participant, or None for a participant who is gone."""
        member = self._by_id.get(participant)
        return member.user if member else None

    def name(self, participant: str) -> str:
        """Return a participant's last known display name, or the bare id of one who is gone."""
        member = self._by_id.get(participant)
        return member.name if member else participant

    def known_participant(self, user: str) -> str | None:
        """Return a user's participant at this table, or None for an unknown user."""
        member = self._by_user.get(user)
        return member.id if member else None

    def participants(self) -> tuple[str, ...]:
        """Return all participants, sorted by their random ids."""
        return tuple(sorted(self._by_id))

    def participants_named(self, name: str) -> tuple[str, ...]:
        """Return the participants of that display name, ignoring case."""
        wanted = name.strip().casefold()
        return tuple(
            key for key, member in self._by_id.items() if member.name.strip().casefold() == wanted
        )

    def forget(self, participant: str) -> None:
        """Delete a participant from the directory."""
        member = self._by_id.pop(participant, None)
        self._unsaved.pop(participant, None)
        if member is not None:
            del self._by_user[member.user]

    def unsaved_members(self) -> tuple[Member, ...]:
        """Return the members whose present form the store does not have yet."""
        return tuple(self._unsaved.values())

    def mark_saved(self, members: Iterable[Member]) -> None:
        """Record that these members are stored now."""
        for member in members:
            if self._unsaved.get(member.id) is member:
                del self._unsaved[member.id]
