"""Building a pool and working together (BAR-POOL, BAR-TEAM)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal, get_args

from rules.core.errors import InvalidInput
from rules.core.record import record

#: So many dice are rolled at once, at most.
MOST_DICE: Final = 100

TeamMode = Literal["simple_addition", "combining_dice", "worst_roller"]
TEAM_MODES: Final[tuple[TeamMode, ...]] = get_args(TeamMode)


@record
class Part:
    """Where some of a pool's dice come from: how many Add, Bonus (above 0) or Penalty Dice (below), and from what."""

    what: Literal[
        "start", "ability", "attribute", "support", "convert", "time", "wound", "granted", "asked", "member"
    ]
    add: int = 0
    modifier: int = 0
    name: str = ""


@record
class Pool:
    """Add Dice and what modifies them; `bonus` and `penalty` (both >= 0) may not have been cancelled yet.

    `add` falls to 0 or below only by hurrying: nothing would be left to total then (BAR-POOL).
    """

    add: int
    bonus: int = 0
    penalty: int = 0

    @property
    def fails_without_roll(self) -> bool:
        """No Add Die is left: the task fails and nothing is rolled."""
        return self.add <= 0

    @property
    def size(self) -> int:
        """How many dice are rolled after cancelling; none when the task fails without a roll."""
        return 0 if self.add <= 0 else self.add + abs(self.bonus - self.penalty)

    def cancelled(self) -> Pool:
        """The pool with Bonus and Penalty Dice cancelled one for one."""
        left = self.bonus - self.penalty
        return Pool(self.add, max(0, left), max(0, -left))


def _checked(pool: Pool) -> Pool:
    """The same pool. InvalidInput("pool-too-large") for more dice than are rolled at once."""
    size = pool.size
    if size > MOST_DICE:
        raise InvalidInput("pool-too-large", field="dice", value=size, highest=MOST_DICE)
    return pool


def pool_of(parts: Iterable[Part]) -> Pool:
    """The pool of one character, Bonus and Penalty Dice not cancelled yet (BAR-POOL).

    InvalidInput("pool-too-large").
    """
    add = bonus = penalty = 0
    for part in parts:
        add += part.add
        bonus += max(0, part.modifier)
        penalty += max(0, -part.modifier)
    return _checked(Pool(add, bonus, penalty))


def team_pool(mode: TeamMode, pools: Sequence[Pool]) -> Pool:
    """The one pool that a team of at least one rolls, not cancelled yet (BAR-TEAM).

    "simple_addition": everything together. "combining_dice": the Add Dice of whoever has most; those of the others
    are Bonus Dice. "worst_roller": as before, but those of the others are Penalty Dice. (In either/or everybody rolls
    alone: `task.either_or`.)

    InvalidInput("member-without-dice"), where `value` counts the members from 1, for somebody who would fail without
    a roll, and ("pool-too-large").
    """
    for number, pool in enumerate(pools, 1):
        if pool.fails_without_roll:
            raise InvalidInput("member-without-dice", field="members", value=number)
    most = max(pool.add for pool in pools)
    others = sum(pool.add for pool in pools) - most
    add, more, less = {
        "simple_addition": (most + others, 0, 0),
        "combining_dice": (most, others, 0),
        "worst_roller": (most, 0, others),
    }[mode]
    bonus, penalty = sum(pool.bonus for pool in pools), sum(pool.penalty for pool in pools)
    return _checked(Pool(add, bonus + more, penalty + less))
