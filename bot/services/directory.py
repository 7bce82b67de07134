"""Who the participants of one table are on Discord. The only place where the two meet."""

from __future__ import annotations

from collections.abc import Iterable

from bot.storage.records import Member


class Directory:
    """Both ways between participants (`p1`, …) and users; new ones wait to be stored with the next write."""

    def __init__(self, members: Iterable[Member] = (), unsaved: Iterable[Member] = (), last: int = 0) -> None:
        """`members` are stored; `unsaved` are kept unless number or user belongs to another of them.

        `last` is the highest number that was ever given: no number is given twice, even after its bearer is gone.
        """
        self._by_id: dict[str, Member] = {}
        self._by_user: dict[str, Member] = {}
        self._unsaved: dict[str, Member] = {}
        for member in members:
            self._by_id[member.id] = member
            self._by_user[member.user] = member
        for member in unsaved:
            known, taken = self._by_user.get(member.user), self._by_id.get(member.id)
            if known is taken and (taken is None or taken.id == member.id):
                self._by_id[member.id] = self._by_user[member.user] = self._unsaved[member.id] = member
        self._last = max([last, *(int(key[1:]) for key in self._by_id)])

    def participant(self, user: str, name: str) -> str:
        """The participant that a user is here, given a new id when they were never here before."""
        known = self._by_user.get(user)
        if known is not None and known.name == name:
            return known.id
        if known is None:
            self._last += 1
        member = Member(known.id if known else f"p{self._last}", user, name)
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

    def known(self, user: str) -> str | None:
        """The participant that a user is here, None for somebody who never was."""
        member = self._by_user.get(user)
        return member.id if member else None

    def gone(self, participant: str) -> bool:
        """Whether this number was given to somebody who is forgotten by now."""
        number = participant[1:]
        return participant not in self._by_id and number.isdecimal() and 0 < int(number) <= self._last

    def everybody(self) -> tuple[str, ...]:
        """All participants, by number."""
        return tuple(sorted(self._by_id, key=lambda key: int(key[1:])))

    def named(self, name: str) -> tuple[str, ...]:
        """The participants of that display name, capitals aside."""
        wanted = name.strip().casefold()
        return tuple(key for key, member in self._by_id.items() if member.name.strip().casefold() == wanted)

    def forget(self, participant: str) -> None:
        """Know nothing of this participant any more; their number stays given."""
        member = self._by_id.pop(participant, None)
        self._unsaved.pop(participant, None)
        if member is not None:
            del self._by_user[member.user]

    def unsaved(self) -> tuple[Member, ...]:
        """Members the store does not know in this form yet."""
        return tuple(self._unsaved.values())

    def saved(self, members: Iterable[Member]) -> None:
        """Note that these are stored now."""
        for member in members:
            if self._unsaved.get(member.id) is member:
                del self._unsaved[member.id]
