"""The roll and what it means, with dice and without (BAR-ROLL, BAR-AUTO, BAR-TEAM, BAR-OPPOSED)."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from rules.core.record import record
from rules.core.rng import Rng
from rules.systems.barmore.dice import DIE_TYPES, DieType
from rules.systems.barmore.pool import Pool
from rules.systems.barmore.tables import DEGREE_STEP, TOTAL_PER_ADD_DIE


@record
class PoolRoll:
    """A pool as it fell (BAR-ROLL).

    `pool` is cancelled, `die` the id of a die type, `faces` are natural (1 to the number of sides) in the order rolled,
    as many as the pool has dice.
    """

    pool: Pool
    die: str
    faces: tuple[int, ...]

    @property
    def values(self) -> tuple[int, ...]:
        """What each die counts: its face with what the die type adds."""
        add = DIE_TYPES[self.die].add
        return tuple([face + add for face in self.faces])

    @property
    def kept(self) -> tuple[bool, ...]:
        """Which dice are totalled. Among equal dice those rolled first are discarded first."""
        faces, pool = self.faces, self.pool
        kept = [True] * len(faces)
        if len(faces) > pool.add:
            # A stable sort leaves equal dice in the order rolled, in reverse too.
            order = sorted(range(len(faces)), key=faces.__getitem__, reverse=pool.penalty > 0)
            for index in order[: len(faces) - pool.add]:
                kept[index] = False
        return tuple(kept)

    @property
    def total(self) -> int:
        """The sum of the dice that are kept."""
        add, faces = self.pool.add, self.faces
        if len(faces) > add:
            ranked = sorted(faces)
            faces = ranked[:add] if self.pool.penalty else ranked[-add:]
        return sum(faces) + add * DIE_TYPES[self.die].add

    @property
    def botch(self) -> bool:
        """The total is no higher than the number of dice kept."""
        return self.total <= self.pool.add


@record
class Judgement:
    """What a total means against a Difficulty (BAR-ROLL).

    `degree` is the success level (>= 0), or minus the failure level (<= 0): `success` tells them apart at 0. A botch is
    never a success.
    """

    total: int
    difficulty: int
    success: bool
    botch: bool
    degree: int


@record
class Opposition:
    """Who triumphs (BAR-OPPOSED), and to what degree (>= 0); None where nobody does."""

    winner: Literal["first", "second", "nobody"]
    degree: int | None


_NOBODY = Opposition("nobody", None)


def roll_pool(rng: Rng, pool: Pool, die: DieType) -> PoolRoll:
    """Roll the whole pool, of at least one Add Die, with one die type (BAR-DIE, BAR-ROLL).

    Bonus and Penalty Dice are cancelled first.
    """
    below, sides = rng.below, die.sides
    faces = tuple([below(sides) + 1 for _ in range(pool.size)])
    return PoolRoll(pool.cancelled(), die.id, faces)


def no_dice_total(pool: Pool) -> int:
    """The total of whoever does not roll (BAR-AUTO): dice phobes, and NPCs that matter little."""
    return TOTAL_PER_ADD_DIE * pool.add + pool.bonus - pool.penalty


def judge(total: int, add_dice: int, difficulty: int, *, rolled: bool = True) -> Judgement:
    """The verdict on a total (BAR-ROLL); without dice (`rolled` False) there is no botch (BAR-AUTO).

    `add_dice` is the number of dice kept. A botch has the failure level of its total, 0 where that reached the
    Difficulty.
    """
    botch = rolled and total <= add_dice
    if total >= difficulty:
        if botch:
            return Judgement(total, difficulty, False, True, 0)
        return Judgement(total, difficulty, True, False, (total - difficulty) // DEGREE_STEP)
    return Judgement(total, difficulty, False, botch, -((difficulty - total) // DEGREE_STEP))


def either_or(found: Judgement, *, chance: bool) -> Judgement:
    """Who had no chance fails whatever they rolled (BAR-TEAM): of a success there comes a failure of level 0."""
    return found if chance or not found.success else replace(found, success=False, degree=0)


def oppose_direct(
    first: int, second: int, *, first_botch: bool = False, second_botch: bool = False
) -> Opposition:
    """Two totals against each other, without a Difficulty (BAR-OPPOSED).

    The higher one triumphs, by the degree it would have with the lower one as its Difficulty; on a tie nobody does. A
    botch loses to what is none, even with the higher total (the degree is 0 then); if both botch nobody triumphs.
    """
    if (first_botch and second_botch) or (first == second and first_botch == second_botch):
        return _NOBODY
    won = second_botch if first_botch != second_botch else first > second
    return Opposition(
        "first" if won else "second", max(0, first - second if won else second - first) // DEGREE_STEP
    )


def oppose_indirect(first: Judgement, second: Judgement) -> Opposition:
    """Two verdicts on the same Difficulty (BAR-OPPOSED): the only success, or the higher degree, or the higher total.

    The degree is that of whoever triumphs; equal totals that both succeed, and two failures, leave nobody.
    """
    if first.success != second.success:
        return Opposition("first", first.degree) if first.success else Opposition("second", second.degree)
    if not first.success or first.total == second.total:
        return _NOBODY
    if (first.degree, first.total) > (second.degree, second.total):
        return Opposition("first", first.degree)
    return Opposition("second", second.degree)
