"""The task roll and what it means (EBB-ROLL, EBB-CRIT, EBB-FAIL, EBB-OPPOSED)."""

from __future__ import annotations

from typing import Literal

from rules.core.errors import Impossible
from rules.core.record import Record
from rules.core.rng import Die, Rng
from rules.systems.ebb.reference_rows import LEVEL_STEP

#: A fumble is an automatic failure with a complication on top.
Verdict = Literal["success", "near_miss", "failure", "automatic_failure", "fumble"]

MAIN_SIDES = 10


class TaskRoll(Record):
    """The dice of one task roll as they fell, and what is added to them (EBB-ROLL).

    `main`: every face of the main d10, in order, never empty; all but the last are 10.
    `ability_sides`: 4, 6, 8, 10 or 12, or None when no ability die was rolled. `abilities`: every
    face the ability die showed, in order; more than one after re-rolls, the last one counts; empty
    exactly when `ability_sides` is None. `attribute`: the effective value added (>= 0), or None
    when no attribute counts. `bonus`: the GM's direct bonus or penalty on the total.
    """

    main: tuple[int, ...]
    ability_sides: int | None
    abilities: tuple[int, ...]
    attribute: int | None
    bonus: int = 0

    @property
    def ability(self) -> int | None:
        """The face of the ability die that counts, None without one."""
        return self.abilities[-1] if self.abilities else None

    @property
    def total(self) -> int:
        """Main die with its re-rolls + attribute + counting ability face + bonus."""
        return sum(self.main) + (self.attribute or 0) + (self.ability or 0) + self.bonus

    @property
    def dice(self) -> tuple[Die, ...]:
        """The dice by name: `main`, `main-again` after each 10, `ability`, `ability-again` for
        re-rolls.
        """
        found = [
            Die("main-again" if at else "main", MAIN_SIDES, face)
            for at, face in enumerate(self.main)
        ]
        if (sides := self.ability_sides) is not None:
            faces = enumerate(self.abilities)
            found += [Die("ability-again" if at else "ability", sides, face) for at, face in faces]
        return tuple(found)


class Judgment(Record):
    """What a total means against a threshold (EBB-ROLL, EBB-CRIT, EBB-FAIL)."""

    total: int
    threshold: int
    verdict: Verdict

    @property
    def success(self) -> bool:
        """The goal was reached."""
        return self.verdict == "success"

    @property
    def extra_results(self) -> int:
        """How much is achieved on top of the goal (>= 0); 0 unless it was reached."""
        return max(0, self.total - self.threshold) // LEVEL_STEP if self.success else 0

    @property
    def automatic_failure(self) -> bool:
        """The first main die showed 1; fumbles included."""
        return self.verdict in ("automatic_failure", "fumble")


class OpposedJudgment(Record):
    """Both sides of an opposed roll; each side's threshold is the other's total (EBB-OPPOSED)."""

    actor: Judgment
    opponent: Judgment

    @property
    def winner(self) -> Literal["actor", "opponent", "nobody"]:
        """Nobody where both sides failed automatically: neither gets what it wanted."""
        return "actor" if self.actor.success else "opponent" if self.opponent.success else "nobody"


def roll_task(
    rng: Rng, *, attribute: int | None, ability_sides: int | None, bonus: int = 0
) -> TaskRoll:
    """Roll the main d10, again for as long as it shows 10, then the ability die once (EBB-ROLL).

    `attribute` is the effective value (>= 0) or None; `ability_sides` 4, 6, 8, 10, 12 or None. The
    ability die never explodes.
    """
    main = [rng.below(MAIN_SIDES) + 1]
    while main[-1] == MAIN_SIDES:
        main.append(rng.below(MAIN_SIDES) + 1)
    abilities = () if ability_sides is None else (rng.below(ability_sides) + 1,)
    return TaskRoll(tuple(main), ability_sides, abilities, attribute, bonus)


def reroll_ability(rng: Rng, roll: TaskRoll) -> TaskRoll:
    """Roll the ability die again; the new face stands and the main die is untouched (EBB-FATE).

    Paying for it is the caller's. Raises Impossible("no-ability-die") when no ability die was
    rolled.
    """
    sides = roll.ability_sides
    if sides is None:
        raise Impossible("no-ability-die")
    return roll.replace(abilities=(*roll.abilities, rng.below(sides) + 1))


def judge(roll: TaskRoll, threshold: int) -> Judgment:
    """The verdict on a roll (EBB-ROLL steps 3 to 6, EBB-CRIT, EBB-FAIL). `threshold` is any whole
    number.
    """
    total = roll.total
    if roll.main[0] == 1:
        verdict: Verdict = "fumble" if roll.ability in (None, 1) else "automatic_failure"
    elif total >= threshold:
        verdict = "success"
    else:
        verdict = "near_miss" if total >= threshold - LEVEL_STEP else "failure"
    return Judgment(total, threshold, verdict)


def bare_success(threshold: int) -> Judgment:
    """A success without a roll that just meets the threshold: what a sacrifice buys (EBB-LUCK)."""
    return Judgment(threshold, threshold, "success")


def judge_against_sacrifice(actor: TaskRoll) -> OpposedJudgment:
    """Against somebody who sacrifices a point: they succeed only just, with one point more
    (EBB-LUCK, EBB-OPPOSED).
    """
    enough = actor.total + 1
    return OpposedJudgment(judge(actor, enough), Judgment(enough, actor.total, "success"))


def judge_opposed(actor: TaskRoll, opponent: TaskRoll) -> OpposedJudgment:
    """Two characters against each other (EBB-OPPOSED).

    The acting side wins ties. A side that fails automatically loses to one that does not, even with
    the higher total; the winner then has no extra results unless its total is 3 or more above. If
    both fail automatically nobody wins. A tie is a near miss for the opponent.
    """
    mine, other = judge(actor, opponent.total), judge(opponent, actor.total)
    if mine.automatic_failure and not other.automatic_failure:
        other = other.replace(verdict="success")
    elif other.automatic_failure and not mine.automatic_failure:
        mine = mine.replace(verdict="success")
    elif mine.success and other.success:
        other = other.replace(verdict="near_miss")
    return OpposedJudgment(mine, other)
