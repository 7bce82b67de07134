"""Effects on their way to their targets, and the check in which they meet (MB-SFX-22)."""

from __future__ import annotations

from typing import Final

from rules.core.record import Record
from rules.systems.masterbook.combat.declaration import Attack
from rules.systems.masterbook.effects.cast_state import CastOutcome
from rules.systems.masterbook.effects.state import DealtHarm, RunningEffect, ValueChange
from rules.table.check import Check
from rules.table.system import Game

_STATE: Final = "effect-strikes"
#: Key of the one part of that kind: keys without a colon are those of every table.
_OPEN: Final = f"{_STATE}:open"


class EffectStart(Record):
    """An effect that is about to take hold."""

    cast: CastOutcome
    #: Number of the running effect whose target changes; 0: it takes hold for the first time
    #: (MB-SFX-33).
    running: int = 0
    #: Character who rolls to hit anew: the caster, or the holder of a charge. Empty: the total of
    #: the casting counts, if any (MB-SFX-22, MB-SFX-29).
    roller: str = ""
    #: Whether a charge is released (MB-SFX-29).
    charged: bool = False

    @property
    def wielder(self) -> str:
        """Character who has released the charge; empty if the effect comes from none."""
        return self.cast.bearer if self.charged else ""

    @property
    def actor(self) -> str:
        """Character who sets the effect off: who rolls to hit, releases it, or has cast it."""
        return self.roller or self.wielder or self.cast.caster


class WaitingStarts(Record):
    """Effects whose check is about to begin, by number."""

    last: int = 0
    open: tuple[tuple[int, EffectStart], ...] = ()


#: Classes of these parts of a table's state.
STRIKE_PARTS: Final[dict[str, type]] = {_STATE: WaitingStarts}


class EffectResult(Record):
    """Result of an effect for one target (MB-SFX-23 to -25, MB-SFX-33)."""

    #: Character, or a thing or place in words.
    who: str = ""
    text: str = ""
    #: Effect value that meets the target, and what resists it; None: the GM says.
    value: int = 0
    resistance: int | None = None
    #: Result points; None while nothing is known to resist.
    points: int | None = None
    #: General Success level, of effects that are read so.
    level: str = ""
    #: Speed value of something that moves, in meters a second or a round; None: it stays.
    speed: int | None = None
    per: str = ""
    #: Total with which the target has broken free of what moves it (MB-SFX-10).
    freed: int | None = None
    changes: tuple[ValueChange, ...] = ()
    #: Values before those changes, in their order.
    before: tuple[int, ...] = ()


class AreaPlace(Record):
    """A character who stands in an area of an effect (MB-SFX-22)."""

    who: str
    #: Index of the area's center among those that the effect is aimed at.
    center: int = 0
    #: Meters from that center.
    meters: int = 0


class EffectStrike(Attack):
    """The check of an effect that meets its targets: hits, harm and results."""

    start: EffectStart | None = None
    #: Number under which the start waits for this check.
    number: int = 0
    #: Whether the GM has said who else stands in the area.
    area_answered: bool = False
    #: Where the GM says that characters stand.
    inside: tuple[AreaPlace, ...] = ()
    #: Number that the GM says resists the effect; None: not said.
    resistance: int | None = None
    #: Whether the GM has answered about that number.
    number_ruled: bool = False
    #: Rows of persuasion that the GM says count for a compulsion, and whether the GM has answered
    #: (MB-SFX-10).
    rows: tuple[str, ...] = ()
    rows_ruled: bool = False
    dealt: tuple[DealtHarm, ...] = ()
    results: tuple[EffectResult, ...] = ()
    #: Whether the effect has been settled, so that it does not take hold twice.
    settled: bool = False
    #: Effect as it took hold; None: it has reached no target.
    lasting: RunningEffect | None = None


AnyStrike = Check[EffectStrike]


def start_of(check: AnyStrike) -> EffectStart:
    """Return the effect that a check is about, once the check has taken it up."""
    start = check.data.start
    assert start is not None, "taken up as it began"
    return start


def cast_of(check: AnyStrike) -> CastOutcome:
    """Return the casting of the effect that a check is about."""
    return start_of(check).cast


def with_waiting_start(game: Game, start: EffectStart) -> tuple[Game, int]:
    """Return the game with an effect whose check is about to begin, and its number."""
    starts: WaitingStarts = game.state.own.get(_OPEN) or WaitingStarts()
    number = starts.last + 1
    starts = WaitingStarts(number, (*starts.open, (number, start)))
    return game.with_state(game.state.with_own(_OPEN, starts)), number


def waiting_start(game: Game, number: int) -> EffectStart | None:
    """Return the effect that waits under a number; None if no effect does."""
    starts: WaitingStarts = game.state.own.get(_OPEN) or WaitingStarts()
    return dict(starts.open).get(number)


def without_waiting_start(game: Game, number: int) -> Game:
    """Return the game once the check of an effect has begun."""
    starts: WaitingStarts = game.state.own.get(_OPEN) or WaitingStarts()
    others = tuple(start for start in starts.open if start[0] != number)
    return game.with_state(game.state.with_own(_OPEN, starts.replace(open=others)))
