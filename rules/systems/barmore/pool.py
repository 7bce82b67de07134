"""The dice pool: the types of dice, what a pool is built of, how it falls, and what that means.

BAR-DIE, BAR-POOL, BAR-ROLL, BAR-AUTO, BAR-TEAM, BAR-OPPOSED.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal, get_args

from rules.core.errors import InvalidInput, NotFound
from rules.core.name_matching import similar_or_first
from rules.core.record import Record
from rules.systems.barmore.reference_rows import RULES, DieType

# --- types of dice --------------------------------------------------------------------------------

DIE_TYPES: Final[dict[str, DieType]] = {die.id: die for die in RULES.dice}
STANDARD_DIE: Final = DIE_TYPES[RULES.standard]

_MINUS: Final = re.compile("[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]")
_SHOWN: Final = 60


def find_die_type(text: str) -> DieType:
    """The die type meant: with or without the d, in any case, with any kind of minus (BAR-DIE).

    Raises NotFound("unknown-choice", field, value, nearest).
    """
    typed = text[:_SHOWN]
    plain = "".join(_MINUS.sub("-", typed.casefold()).replace("\uff0b", "+").split())
    wanted = f"d{re.sub('^1?d', '', plain)}"  # `D10 \u2212 1` and `1d10-1` are `d10-1`
    if wanted not in DIE_TYPES:
        nearest = similar_or_first(typed, DIE_TYPES)
        raise NotFound("unknown-choice", field="die", value=typed, nearest=nearest)
    return DIE_TYPES[wanted]


# --- building -------------------------------------------------------------------------------------

#: So many dice are rolled at once, at most.
MOST_DICE: Final = 100

TeamMode = Literal["simple_addition", "combining_dice", "worst_roller"]
TEAM_MODES: Final[tuple[TeamMode, ...]] = get_args(TeamMode)


class Part(Record):
    """Where some of a pool's dice come from: how many Add, Bonus (above 0) or Penalty Dice (below),
    and from what.
    """

    what: Literal[
        "start",
        "ability",
        "attribute",
        "support",
        "convert",
        "time",
        "wound",
        "granted",
        "asked",
        "member",
    ]
    add: int = 0
    modifier: int = 0
    name: str = ""


class Pool(Record):
    """Add Dice, and as `modifier` Bonus Dice (above 0) or Penalty Dice (below), which cancel one
    for one.

    `add` falls to 0 or below only by hurrying: nothing would be left to total then (BAR-POOL).
    """

    add: int
    modifier: int = 0

    @property
    def fails_without_roll(self) -> bool:
        """No Add Die is left: the task fails and nothing is rolled."""
        return self.add <= 0

    @property
    def size(self) -> int:
        """How many dice are rolled; none when the task fails without a roll."""
        return 0 if self.add <= 0 else self.add + abs(self.modifier)


def _require_size(pool: Pool) -> Pool:
    """The same pool. InvalidInput("pool-too-large") for more dice than are rolled at once."""
    size = pool.size
    if size > MOST_DICE:
        raise InvalidInput("pool-too-large", field="dice", value=size, highest=MOST_DICE)
    return pool


def pool_from_parts(parts: Sequence[Part]) -> Pool:
    """The pool of one character (BAR-POOL). InvalidInput("pool-too-large")."""
    return _require_size(
        Pool(sum([each.add for each in parts]), sum([each.modifier for each in parts]))
    )


def team_pool(mode: TeamMode, pools: Sequence[Pool]) -> Pool:
    """The one pool that a team of at least one rolls (BAR-TEAM).

    "simple_addition": everything together. "combining_dice": the Add Dice of whoever has most;
    those of the others are Bonus Dice. "worst_roller": as before, but those of the others are
    Penalty Dice. (In either/or everybody rolls alone.)

    InvalidInput("member-without-dice"), where `value` counts the members from 1, for somebody who
    would fail without a roll, and ("pool-too-large").
    """
    for number, pool in enumerate(pools, 1):
        if pool.fails_without_roll:
            raise InvalidInput("member-without-dice", field="members", value=number)
    most = max(pool.add for pool in pools)
    others = sum(pool.add for pool in pools) - most
    modifier = sum(pool.modifier for pool in pools)
    if mode == "simple_addition":
        return _require_size(Pool(most + others, modifier))
    return _require_size(Pool(most, modifier + (others if mode == "combining_dice" else -others)))


# --- rolling, and what it means -------------------------------------------------------------------


class PoolRoll(Record):
    """A pool with how it fell (BAR-ROLL).

    `die` is the id of a die type, `faces` are natural (1 to the number of sides) in the order
    rolled, as many as the pool has dice; none where nothing is rolled (BAR-AUTO, BAR-POOL).

    It is that of `who`; of one pool of all, whoever leads it. The total of somebody who never rolls
    is `fixed`: the Difficulty of the other's roll (BAR-AUTO). Where not everybody has a chance,
    `lucky` tells who had one (BAR-TEAM). Who is `out` set nothing against it.
    """

    pool: Pool
    parts: tuple[Part, ...]
    die: str
    faces: tuple[int, ...]
    who: str = ""
    fixed: bool = False
    lucky: bool | None = None
    out: bool = False

    @property
    def kept_dice(self) -> tuple[bool, ...]:
        """Which dice are totaled. Among equal dice those rolled first are discarded first."""
        faces = self.faces
        # A stable sort leaves equal dice in the order rolled, in reverse too.
        order = sorted(range(len(faces)), key=faces.__getitem__, reverse=self.pool.modifier < 0)
        left = order[: len(faces) - self.pool.add]
        return tuple([place not in left for place in range(len(faces))])

    @property
    def total(self) -> int:
        """The sum of the dice that are kept, or what the pool is worth without dice; 0 if it was
        hurried to nothing.
        """
        if not self.faces:
            return 0 if self.pool.fails_without_roll else no_dice_total(self.pool)
        add, ranked = self.pool.add, sorted(self.faces, reverse=self.pool.modifier >= 0)
        return sum(ranked[:add]) + add * DIE_TYPES[self.die].add

    @property
    def botch(self) -> bool:
        """Whether the dice botched: the total is no higher than the number of those kept
        (BAR-ROLL).
        """
        return bool(self.faces) and self.total <= self.pool.add

    @property
    def is_automatic_failure(self) -> bool:
        """A botch, or a pool that was hurried to nothing: it fails as well."""
        return self.botch or self.pool.fails_without_roll


class Judgment(Record):
    """What a total means against a Difficulty (BAR-ROLL).

    `degree` is the success level (>= 0), or minus the failure level (<= 0): `success` tells them
    apart at 0. A botch is never a success.
    """

    total: int
    difficulty: int
    success: bool
    botch: bool
    degree: int


#: Whether the first of two sides triumphs, None where nobody does, and to what degree (>= 0).
Opposition = tuple[bool | None, int]
NO_WINNER: Final[Opposition] = (None, 0)


def no_dice_total(pool: Pool) -> int:
    """The total of whoever does not roll (BAR-AUTO): dice phobes, and NPCs that matter little."""
    return RULES.total_per_add_die * pool.add + pool.modifier


def judge(thrown: PoolRoll, difficulty: int, level: int = 0) -> Judgment:
    """What a total means against a Difficulty (BAR-ROLL, BAR-AUTO), where success takes this
    `level` at least.

    Without dice there is no botch. A botch has the failure level of its total, 0 where that reached
    the Difficulty; so does whoever hurried to nothing, or had no chance whatever they rolled
    (BAR-POOL, BAR-TEAM).
    """
    gap = thrown.total - difficulty
    degree, able = (
        abs(gap) // RULES.degree_step,
        not (thrown.is_automatic_failure or thrown.lucky is False),
    )
    success = able and gap >= 0 and degree >= level
    degree = -degree if gap < 0 else degree if success else 0
    return Judgment(thrown.total, difficulty, success, thrown.botch, degree)


def oppose(first: PoolRoll, second: PoolRoll) -> Opposition:
    """Two sides against each other, without a Difficulty (BAR-OPPOSED).

    The higher total triumphs, by the degree it would have with the lower one as its Difficulty; on
    a tie nobody does. A botch, or who hurried to nothing, loses to what is neither, even with the
    higher total (the degree is 0 then); if both do so nobody triumphs.
    """
    mine, theirs = [(not each.is_automatic_failure, each.total) for each in (first, second)]
    if mine == theirs or (first.is_automatic_failure and second.is_automatic_failure):
        return NO_WINNER
    won, gap = mine > theirs, first.total - second.total
    return won, max(0, gap if won else -gap) // RULES.degree_step


def oppose_indirect(first: Judgment, second: Judgment) -> Opposition:
    """Two verdicts on the same Difficulty (BAR-OPPOSED): the only success, or the higher degree, or
    the higher total.

    The degree is that of whoever triumphs; equal totals that both succeed, and two failures, leave
    nobody.
    """
    mine, theirs = [(each.success, each.degree, each.total) for each in (first, second)]
    if mine == theirs or not (first.success or second.success):
        return NO_WINNER
    return (True, first.degree) if mine > theirs else (False, second.degree)
