"""The dice pool: types of dice, the parts of a pool, its roll, and the result.

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
    """Return the die type that a text names (BAR-DIE).

    The text may have any case, any kind of minus, and may leave out the d. Raises
    NotFound("unknown-choice") with the `nearest` types.
    """
    typed = text[:_SHOWN]
    plain = "".join(_MINUS.sub("-", typed.casefold()).replace("\uff0b", "+").split())
    wanted = f"d{re.sub('^1?d', '', plain)}"  # `D10 \u2212 1` and `1d10-1` are `d10-1`
    if wanted not in DIE_TYPES:
        nearest = similar_or_first(typed, DIE_TYPES)
        raise NotFound("unknown-choice", field="die", value=typed, nearest=nearest)
    return DIE_TYPES[wanted]


# --- building -------------------------------------------------------------------------------------

#: Most dice of one roll.
MOST_DICE: Final = 100

TeamMode = Literal["simple_addition", "combining_dice", "worst_roller"]
TEAM_MODES: Final[tuple[TeamMode, ...]] = get_args(TeamMode)


class Part(Record):
    """Source of some of a pool's dice."""

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
    #: Number of Add Dice.
    add: int = 0
    #: Number of Bonus Dice; Penalty Dice if below 0.
    modifier: int = 0
    #: Name of the trait, Wound or member; empty if there is none.
    name: str = ""


class Pool(Record):
    """Number of Add Dice, and of Bonus or Penalty Dice, which cancel one for one."""

    #: Number of Add Dice. It falls to 0 or below only by hurrying: no die would be left to total
    #: (BAR-POOL).
    add: int
    #: Number of Bonus Dice; Penalty Dice if below 0.
    modifier: int = 0

    @property
    def fails_without_roll(self) -> bool:
        """True if no Add Die is left: the task fails and nothing is rolled."""
        return self.add <= 0

    @property
    def size(self) -> int:
        """Number of dice to roll; 0 if the task fails without a roll."""
        return 0 if self.add <= 0 else self.add + abs(self.modifier)


def _require_size(pool: Pool) -> Pool:
    """Return the pool; raises InvalidInput("pool-too-large") for more than `MOST_DICE` dice."""
    size = pool.size
    if size > MOST_DICE:
        raise InvalidInput("pool-too-large", field="dice", value=size, highest=MOST_DICE)
    return pool


def pool_from_parts(parts: Sequence[Part]) -> Pool:
    """Return the pool of one character (BAR-POOL); raises InvalidInput("pool-too-large")."""
    add = sum([part.add for part in parts])
    modifier = sum([part.modifier for part in parts])
    return _require_size(Pool(add, modifier))


def team_pool(mode: TeamMode, pools: Sequence[Pool]) -> Pool:
    """Return the pool that a team of at least one member rolls (BAR-TEAM).

    Either/or has no such pool: each member rolls alone. In the other modes it is:

    - "simple_addition": all dice together.
    - "combining_dice": the Add Dice of the member with most; those of the others are Bonus Dice.
    - "worst_roller": the same, but those of the others are Penalty Dice.

    Raises:
        InvalidInput("member-without-dice"): A member would fail without a roll. `value` is the
            number of the member, counted from 1.
        InvalidInput("pool-too-large"): The pool has too many dice.
    """
    for number, pool in enumerate(pools, 1):
        if pool.fails_without_roll:
            raise InvalidInput("member-without-dice", field="members", value=number)
    most = max(pool.add for pool in pools)
    others = sum(pool.add for pool in pools) - most
    modifier = sum(pool.modifier for pool in pools)
    if mode == "simple_addition":
        return _require_size(Pool(most + others, modifier))
    if mode == "combining_dice":
        return _require_size(Pool(most, modifier + others))
    return _require_size(Pool(most, modifier - others))


# --- rolling, and what it means -------------------------------------------------------------------


class PoolRoll(Record):
    """A pool with the dice as they fell (BAR-ROLL)."""

    pool: Pool
    parts: tuple[Part, ...]
    #: Id of the die type.
    die: str
    #: Natural faces from 1 to the number of sides, in the order rolled. Empty if nothing is rolled
    #: (BAR-AUTO, BAR-POOL).
    faces: tuple[int, ...]
    #: Character who rolled; for one pool of a team, its leader.
    who: str = ""
    #: The total of a character who never rolls, which is the Difficulty of the other side's roll
    #: (BAR-AUTO).
    fixed: bool = False
    #: Whether the character had a chance, in a team where not all do; else None (BAR-TEAM).
    lucky: bool | None = None
    #: The character set nothing against the other side.
    out: bool = False

    @property
    def kept_dice(self) -> tuple[bool, ...]:
        """Flag of each die that is totaled. Of equal dice, those rolled first are discarded."""
        faces = self.faces
        # A stable sort leaves equal dice in the order rolled, in reverse too.
        order = sorted(range(len(faces)), key=faces.__getitem__, reverse=self.pool.modifier < 0)
        discarded = order[: len(faces) - self.pool.add]
        return tuple([place not in discarded for place in range(len(faces))])

    @property
    def total(self) -> int:
        """Sum of the kept dice.

        Without dice it is the fixed total of the pool, or 0 if the pool was hurried to nothing.
        """
        if not self.faces:
            return 0 if self.pool.fails_without_roll else no_dice_total(self.pool)
        add = self.pool.add
        ranked = sorted(self.faces, reverse=self.pool.modifier >= 0)
        return sum(ranked[:add]) + add * DIE_TYPES[self.die].add

    @property
    def botch(self) -> bool:
        """True if the dice botched: the total is at most the number of kept dice (BAR-ROLL)."""
        return bool(self.faces) and self.total <= self.pool.add

    @property
    def is_automatic_failure(self) -> bool:
        """True for a botch, and for a pool that was hurried to nothing."""
        return self.botch or self.pool.fails_without_roll


class Judgment(Record):
    """Result of a total against a Difficulty (BAR-ROLL)."""

    total: int
    difficulty: int
    #: Never true for a botch.
    success: bool
    botch: bool
    #: The success level (0 or above), or minus the failure level (0 or below).
    degree: int


#: Whether the first of two sides triumphs (None if neither does), and the degree (0 or above).
Opposition = tuple[bool | None, int]
NO_WINNER: Final[Opposition] = (None, 0)


def no_dice_total(pool: Pool) -> int:
    """Return the total of a pool without a roll (BAR-AUTO).

    Dice phobes and minor NPCs do not roll.
    """
    return RULES.total_per_add_die * pool.add + pool.modifier


def judge(roll: PoolRoll, difficulty: int, level: int = 0) -> Judgment:
    """Return the result of a total against a Difficulty (BAR-ROLL, BAR-AUTO).

    Success takes the success *level* at least. Without dice there is no botch. A botch has the
    failure level of its total, 0 if that reached the Difficulty. The same holds for a pool that was
    hurried to nothing, and for a character who had no chance (BAR-POOL, BAR-TEAM).
    """
    margin = roll.total - difficulty
    level_of_margin = abs(margin) // RULES.degree_step
    may_succeed = not (roll.is_automatic_failure or roll.lucky is False)
    success = may_succeed and margin >= 0 and level_of_margin >= level
    degree = 0
    if margin < 0:
        degree = -level_of_margin
    elif success:
        degree = level_of_margin
    return Judgment(roll.total, difficulty, success, roll.botch, degree)


def oppose(first: PoolRoll, second: PoolRoll) -> Opposition:
    """Return the winner of two sides that roll without a Difficulty (BAR-OPPOSED).

    The higher total triumphs, by the degree it would have with the lower one as its Difficulty. On
    a tie neither side does. A botch or a pool that was hurried to nothing loses to any other roll,
    even with the higher total; the degree is 0 then. If both sides fail so, neither triumphs.
    """
    mine, theirs = [(not roll.is_automatic_failure, roll.total) for roll in (first, second)]
    if mine == theirs or (first.is_automatic_failure and second.is_automatic_failure):
        return NO_WINNER
    wins = mine > theirs
    margin = first.total - second.total
    return wins, max(0, margin if wins else -margin) // RULES.degree_step


def oppose_indirect(first: Judgment, second: Judgment) -> Opposition:
    """Return the winner of two results against the same Difficulty (BAR-OPPOSED).

    The only success triumphs, else the higher degree, else the higher total. The degree is that of
    the winner. Neither side triumphs with equal totals that both succeed, or with two failures.
    """
    mine, theirs = [(verdict.success, verdict.degree, verdict.total) for verdict in (first, second)]
    if mine == theirs or not (first.success or second.success):
        return NO_WINNER
    if mine > theirs:
        return True, first.degree
    return False, second.degree
