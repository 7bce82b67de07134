"""The table as the rules see it while one action is carried out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn, Protocol

from rules.core.errors import Impossible
from rules.core.record import Record, record
from rules.core.rng import Rng, Streams
from rules.table.actions import Actor
from rules.table.checks.check import AnyCheck
from rules.table.state import AnyCharacter, TableState


class Rules(Protocol):
    """What a game has to know of its system. The classes of what is in there know games, so they are not named."""

    @property
    def key(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def procedures(self) -> Mapping[str, Any]: ...
    @property
    def resources(self) -> tuple[Any, ...]: ...


@record
class Game(Record):
    """A table with its system, the dice, the time (seconds since 1970; never a clock) and who acts."""

    state: TableState
    system: Rules
    rng: Streams
    at: int
    actor: Actor

    @property
    def campaign(self) -> Any:
        """What the table has agreed on in the terms of its system."""
        return self.state.campaign

    @property
    def time(self) -> int:
        """The story's time, in minutes."""
        return self.state.chronicle.time

    def character(self, who: str) -> AnyCharacter:
        """Somebody in the story. Impossible("gone") for nobody, or nobody any more."""
        found = self.state.characters.get(who)
        if found is None:
            raise Impossible("gone", who=who)
        return found

    def sheet(self, who: str) -> Any:
        """The sheet of a character, of the system's class. Raises as `character`."""
        return self.character(who).sheet

    def dice(self, check: AnyCheck) -> Rng:
        """Public dice only where everybody sees them at once: nothing hidden may hang on a seed to be revealed."""
        concealed = check.gm_only or (check.hidden and check.reveal == "degree")
        return self.rng.public if check.visibility == "public" and not concealed else self.rng.secret

    def with_(self, state: TableState) -> Game:
        """The same game with the table as it is now."""
        return self if state is self.state else Game(state, self.system, self.rng, self.at, self.actor)

    def put(self, who: str, sheet: object) -> Game:
        """The same game with another sheet for a character. Raises as `character`."""
        return self.with_(self.state.with_character(self.character(who).but(sheet=sheet)))


class DiceNeeded(Exception):
    """Dice would have to fall where only a look is taken."""


class _Refusing:
    def below(self, n: int, /) -> NoReturn:
        raise DiceNeeded


class NoDice:
    """Streams of which none draws: for looking ahead, and for what only reads. DiceNeeded when it is tried."""

    public: Rng = _Refusing()
    secret: Rng = _Refusing()
    shuffle: Rng = _Refusing()

    @property
    def sealed(self) -> NoReturn:
        """No shuffle, no seal."""
        raise DiceNeeded


NO_DICE: Final[Streams] = NoDice()


def looking(system: Rules, state: TableState, actor: Actor, at: int) -> Game:
    """A game for somebody who only looks."""
    return Game(state, system, NO_DICE, at, actor)
