"""Building a pool, hurrying and taking time, and working together (BAR-POOL, BAR-TIME, BAR-TEAM)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from rules.core.errors import InvalidInput
from rules.core.record import record

#: So many dice are rolled at once, at most.
MOST_DICE: Final = 100
#: So many phases may be saved or added, and so often may a time be halved or doubled.
MOST_STEPS: Final = 1000

#: What hurrying and taking time are called where one writes them.
PACES: Final = {
    "saved": "phases saved",
    "extra": "phases extra",
    "halvings": "halvings",
    "doublings": "doublings",
}

TimeMode = Literal["detailed", "regular"]
TeamMode = Literal["simple_addition", "combining_dice", "worst_roller"]
TEAM_MODES: Final[tuple[TeamMode, ...]] = ("simple_addition", "combining_dice", "worst_roller")


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
        bonus, penalty = self.bonus, self.penalty
        if not bonus or not penalty:
            return self
        if bonus >= penalty:
            return Pool(self.add, bonus - penalty)
        return Pool(self.add, 0, penalty - bonus)


def check_size(pool: Pool) -> Pool:
    """The same pool. InvalidInput("pool-too-large") for more dice than are rolled at once."""
    size = pool.size
    if size > MOST_DICE:
        raise InvalidInput("pool-too-large", field="dice", value=size, highest=MOST_DICE)
    return pool


def _check_not_negative(**counts: int) -> None:
    for field, value in counts.items():
        if value < 0:
            raise InvalidInput("out-of-range", field=field, value=value, lowest=0)


def build_pool(
    ability: int,
    attribute: int,
    *,
    support: int | None = None,
    convert: int = 0,
    wounds: int = 0,
    add: int = 0,
    bonus: int = 0,
) -> Pool:
    """The pool of one character, Bonus and Penalty Dice not cancelled yet (BAR-POOL).

    One Add Die and one for each point of the Ability (>= 0); the points of the attribute are Bonus Dice, or Penalty
    Dice when it is negative; `support` is the score of a supporting Ability; `convert` so many Add Dice become Bonus
    Dice; `wounds` are Penalty Dice; `add` and `bonus` come from the time factor (`add` may be negative).

    Dice are converted before the time factor counts, and one Add Die has to remain of what there was, and of what
    hurrying leaves. Where hurrying alone leaves none the pool `fails_without_roll`. Raises InvalidInput:
    "out-of-range", "too-many-converted" (`highest` can be), "pool-too-large".
    """
    helped = support or 0
    if min(ability, helped, convert, wounds, bonus) < 0:
        _check_not_negative(ability=ability, support=helped, convert=convert, wounds=wounds, bonus=bonus)
    if convert:
        highest = max(0, ability + min(0, add))
        if convert > highest:
            raise InvalidInput("too-many-converted", field="convert", value=convert, highest=highest)
    return check_size(
        Pool(
            1 + ability - convert + add,
            max(0, attribute) + helped + convert + bonus,
            max(0, -attribute) + wounds,
        )
    )


def time_factor(
    mode: TimeMode, *, saved: int = 0, extra: int = 0, halvings: int = 0, doublings: int = 0
) -> tuple[int, int]:
    """Add Dice (may be negative) and Bonus Dice for hurrying or for taking time (BAR-TIME).

    Detailed: `saved` phases cost an Add Die each, `extra` phases give a Bonus Die each. Regular: each of the `halvings`
    of the time costs an Add Die; the first of the `doublings` gives an Add Die, each further one a Bonus Die.

    Raises InvalidInput: "out-of-range"; "other-time-mode" for what belongs to the other mode (`allowed` is this one's);
    "quicker-and-slower" for both at once.
    """
    given = {"saved": saved, "extra": extra, "halvings": halvings, "doublings": doublings}
    allowed = ("saved", "extra") if mode == "detailed" else ("halvings", "doublings")
    named = tuple(PACES[field] for field in allowed)
    for field, value in given.items():
        if not 0 <= value <= MOST_STEPS:
            raise InvalidInput("out-of-range", field=PACES[field], value=value, lowest=0, highest=MOST_STEPS)
        if value and field not in allowed:
            raise InvalidInput("other-time-mode", field=PACES[field], value=value, mode=mode, allowed=named)
    quicker, slower = (given[field] for field in allowed)
    if quicker and slower:
        raise InvalidInput("quicker-and-slower", field=named[0], value=quicker, allowed=named)
    if quicker:
        return -quicker, 0
    if mode == "detailed":
        return 0, slower
    return min(1, slower), max(0, slower - 1)


def team_pool(mode: TeamMode, pools: Sequence[Pool]) -> Pool:
    """The one pool that a team rolls, not cancelled yet (BAR-TEAM).

    "simple_addition": everything together. "combining_dice": the Add Dice of whoever has most; those of the others
    are Bonus Dice. "worst_roller": as before, but those of the others are Penalty Dice. (In either/or everybody rolls
    alone: `task.either_or`.)

    Raises InvalidInput: "unknown-team-mode" (`allowed`), "empty-team", "member-without-dice" (`value` counts the
    members from 1) for somebody who would fail without a roll, "pool-too-large".
    """
    if mode not in TEAM_MODES:
        raise InvalidInput("unknown-team-mode", field="mode", value=mode, allowed=TEAM_MODES)
    if not pools:
        raise InvalidInput("empty-team", field="members", value=0, lowest=1)
    for number, pool in enumerate(pools, 1):
        if pool.fails_without_roll:
            raise InvalidInput("member-without-dice", field="members", value=number)
    add = sum(pool.add for pool in pools)
    bonus = sum(pool.bonus for pool in pools)
    penalty = sum(pool.penalty for pool in pools)
    if mode == "simple_addition":
        return check_size(Pool(add, bonus, penalty))
    most = max(pool.add for pool in pools)
    if mode == "combining_dice":
        return check_size(Pool(most, bonus + add - most, penalty))
    return check_size(Pool(most, bonus, penalty + add - most))
