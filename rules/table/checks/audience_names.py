"""Names and players of a check's characters, as an audience knows them."""

from __future__ import annotations

from rules.table.absence import players_of
from rules.table.blocks import (
    Audience,
    Ref,
)
from rules.table.permissions import public_name
from rules.table.state import TableState


class TableNames:
    """Names and players of characters at one time, for `blocks_for_audience`.

    Every participant who may answer for a character plays it. `disguised` tells whether a named
    character has different names for different audiences.
    """

    __slots__ = ("_at", "_known", "_played", "_state", "disguised")

    def __init__(self, state: TableState, at: int = 0) -> None:
        self._state, self._at = state, at
        self._known: tuple[dict[str, Ref], dict[str, Ref]] = {}, {}
        self._played: dict[str, tuple[str, ...]] = {}
        self.disguised = False

    def ref_for(self, character: str, audience: Audience) -> Ref:
        """Return the real name for GMs alone, else the public name.

        The name of a character that is gone is empty.
        """
        gms = audience.gms and not (audience.everyone or audience.people)
        known = self._known[gms]
        if character not in known:
            known[character] = self._name_of(character, gms=gms)
        return known[character]

    def _name_of(self, character: str, *, gms: bool) -> Ref:
        record = self._state.characters.get(character)
        if record is None:
            return Ref()
        self.disguised |= record.stage != "revealed"
        if gms:
            return Ref(name=record.name, alias=record.alias if record.stage == "aliased" else "")
        return Ref(name=public_name(record))

    def players(self, character: str) -> tuple[str, ...]:
        """Return the character's owner and the participants who may answer for it."""
        if character not in self._played:
            self._played[character] = players_of(self._state, character, self._at)
        return self._played[character]
