"""The clock of an adventure: its acts, and the scenes of the current act (MB-GM-01).

The clock runs with and without cards. It lies in a part of the table's state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rules.core.errors import Impossible
from rules.core.record import Record
from rules.systems.masterbook.deck.deck_state import Scene
from rules.table.system import Game

CLOCK: Final = "adventure:masterbook"


class AdventureClock(Record):
    """The place in an adventure."""

    name: str = ""
    #: Number of the current act, from 1.
    act: int = 1
    #: Acts that are over.
    acts: int = 0
    #: Kinds of the current act's scenes, the first scene first.
    scenes: tuple[Scene, ...] = ()
    #: Whether the last scene is still under way.
    playing: bool = False

    @property
    def is_untouched(self) -> bool:
        """Whether no scene and no act has been played yet."""
        return not self.scenes and not self.acts

    @property
    def is_last_act_over(self) -> bool:
        """Whether the last act is over, so that only the adventure's end remains."""
        return self.acts == self.act

    @property
    def scene(self) -> int:
        """The number of the current act's last scene; 0 before the first."""
        return len(self.scenes)

    def with_scene(self, kind: Scene) -> AdventureClock:
        """Return the clock with one more scene, under way."""
        return self.replace(scenes=(*self.scenes, kind), playing=True)

    def with_act_over(self, last: bool) -> AdventureClock:
        """Return the clock after the current act; the next act begins unless it was the last."""
        act = self.act if last else self.act + 1
        return self.replace(act=act, acts=self.acts + 1, scenes=(), playing=False)


#: Classes of the parts, by the first piece of their keys.
PARTS: Final[Mapping[str, type]] = {"adventure": AdventureClock}


def find_clock(game: Game) -> AdventureClock | None:
    """Return the clock of the adventure that is under way; None without one."""
    return game.state.own.get(CLOCK)


def require_clock(game: Game) -> AdventureClock:
    """Return the clock of the adventure that is under way. Raises Impossible("mb-no-adventure")."""
    clock = find_clock(game)
    if clock is None:
        raise Impossible("mb-no-adventure")
    return clock


def with_clock(game: Game, clock: AdventureClock | None) -> Game:
    """Return the game with this clock; None ends the adventure."""
    return game.with_state(game.state.with_own(CLOCK, clock))
