"""The task roll and its result (EBB-ROLL, EBB-CRIT, EBB-FAIL, EBB-OPPOSED)."""

from __future__ import annotations

from typing import Literal

from rules.core.errors import Impossible
from rules.core.record import Record
from rules.core.rng import Die, Rng
from rules.systems.ebb.reference_rows import LEVEL_STEP

#: Result of a task roll. A fumble is an automatic failure with a complication.
Verdict = Literal["success", "near_miss", "failure", "automatic_failure", "fumble"]

MAIN_SIDES = 10


class TaskRoll(Record):
    """The dice of one task roll as they fell, and what is added to them (EBB-ROLL)."""

    #: Every face of the main d10, in order, never empty. All but the last are 10.
    main: tuple[int, ...]
    #: 4, 6, 8, 10 or 12; None without an ability die.
    ability_sides: int | None
    #: Every face of the ability die, in order. The last one counts. Empty without an ability die.
    abilities: tuple[int, ...]
    #: Effective value that is added, 0 or more; None if no attribute counts.
    attribute: int | None
    #: The GM's direct bonus or penalty on the total.
    bonus: int = 0

    @property
    def ability(self) -> int | None:
        """Face of the ability die that counts; None without an ability die."""
        return self.abilities[-1] if self.abilities else None

    @property
    def total(self) -> int:
        """Sum of the main die with its re-rolls, the attribute, the ability face and the bonus."""
        return sum(self.main) + (self.attribute or 0) + (self.ability or 0) + self.bonus

    @property
    def dice(self) -> tuple[Die, ...]:
        """Dice by name: `main`, `main-again` after each 10, `ability`, `ability-again`."""
        dice = [
            Die("main-again" if number else "main", MAIN_SIDES, face)
            for number, face in enumerate(self.main)
        ]
        if self.ability_sides is not None:
            for number, face in enumerate(self.abilities):
                name = "ability-again" if number else "ability"
                dice.append(Die(name, self.ability_sides, face))
        return tuple(dice)


class Judgment(Record):
    """Result of a total against a threshold (EBB-ROLL, EBB-CRIT, EBB-FAIL)."""

    total: int
    threshold: int
    verdict: Verdict

    @property
    def success(self) -> bool:
        """True if the goal was reached."""
        return self.verdict == "success"

    @property
    def extra_results(self) -> int:
        """Number of extra results beyond the goal; 0 unless it was reached."""
        if not self.success:
            return 0
        return max(0, self.total - self.threshold) // LEVEL_STEP

    @property
    def automatic_failure(self) -> bool:
        """True if the first main die showed 1, for a fumble as well."""
        return self.verdict in ("automatic_failure", "fumble")


class OpposedJudgment(Record):
    """Both sides of an opposed roll; each side's threshold is the other's total (EBB-OPPOSED)."""

    actor: Judgment
    opponent: Judgment

    @property
    def winner(self) -> Literal["actor", "opponent", "nobody"]:
        """Side that reaches its goal; "nobody" if both failed automatically."""
        if self.actor.success:
            return "actor"
        return "opponent" if self.opponent.success else "nobody"


def roll_task(
    rng: Rng, *, attribute: int | None, ability_sides: int | None, bonus: int = 0
) -> TaskRoll:
    """Roll the main d10, again as long as it shows 10, then the ability die once (EBB-ROLL).

    *attribute* is the effective value (0 or more) or None. *ability_sides* are 4, 6, 8, 10, 12 or
    None. The ability die never explodes.
    """
    main = [rng.below(MAIN_SIDES) + 1]
    while main[-1] == MAIN_SIDES:
        main.append(rng.below(MAIN_SIDES) + 1)
    abilities = () if ability_sides is None else (rng.below(ability_sides) + 1,)
    return TaskRoll(tuple(main), ability_sides, abilities, attribute, bonus)


def reroll_ability(rng: Rng, roll: TaskRoll) -> TaskRoll:
    """Roll the ability die again (EBB-FATE). The new face counts; the main die is unchanged.

    The caller has it paid for. Raises Impossible("no-ability-die") without an ability die.
    """
    sides = roll.ability_sides
    if sides is None:
        raise Impossible("no-ability-die")
    return roll.replace(abilities=(*roll.abilities, rng.below(sides) + 1))


def judge(roll: TaskRoll, threshold: int) -> Judgment:
    """Return the result of a roll against any threshold (EBB-ROLL 3 to 6, EBB-CRIT, EBB-FAIL)."""
    total = roll.total
    if roll.main[0] == 1:
        verdict: Verdict = "fumble" if roll.ability in (None, 1) else "automatic_failure"
    elif total >= threshold:
        verdict = "success"
    else:
        verdict = "near_miss" if total >= threshold - LEVEL_STEP else "failure"
    return Judgment(total, threshold, verdict)


def bare_success(threshold: int) -> Judgment:
    """Return a success without a roll that just meets the threshold, by a sacrifice (EBB-LUCK)."""
    return Judgment(threshold, threshold, "success")


def judge_against_sacrifice(actor: TaskRoll) -> OpposedJudgment:
    """Return the result against an opponent who sacrifices a point (EBB-LUCK, EBB-OPPOSED).

    The opponent succeeds just barely, by one point.
    """
    enough = actor.total + 1
    return OpposedJudgment(judge(actor, enough), Judgment(enough, actor.total, "success"))


def judge_opposed(actor: TaskRoll, opponent: TaskRoll) -> OpposedJudgment:
    """Return the result of two characters against each other (EBB-OPPOSED).

    The acting side wins ties; a tie is a near miss for the opponent. A side that fails
    automatically loses to a side that does not, even with the higher total. The winner then has no
    extra results unless its total is 3 or more above. If both fail automatically, nobody wins.
    """
    mine, other = judge(actor, opponent.total), judge(opponent, actor.total)
    if mine.automatic_failure and not other.automatic_failure:
        other = other.replace(verdict="success")
    elif other.automatic_failure and not mine.automatic_failure:
        mine = mine.replace(verdict="success")
    elif mine.success and other.success:
        other = other.replace(verdict="near_miss")
    return OpposedJudgment(mine, other)
