"""A check under EBB, as far as it has come, and what a roll says (EBB-ROLL, EBB-LUCK, EBB-OPPOSED)."""

from __future__ import annotations

from rules.core.errors import Impossible
from rules.core.record import record
from rules.core.rng import Rng
from rules.systems.ebb.difficulty import Plan, attribute_counts, levels, measure, require_ability
from rules.systems.ebb.sheet import EbbSheet, effective_attribute
from rules.systems.ebb.tables import ATTRIBUTES, LEVEL_STEP
from rules.systems.ebb.task import (
    Judgement,
    OpposedJudgement,
    TaskRoll,
    bare_success,
    judge,
    judge_opposed,
    judge_sacrificed,
    roll_task,
)
from rules.table.checks.check import Check
from rules.table.checks.stages import FREE, MARGIN_ONLY, ROLL, Blow
from rules.table.events import Line
from rules.table.state import Character

EbbCharacter = Character[EbbSheet]


@record
class EbbRolled:
    """What came of it: dice, or the attribute sacrificed instead of rolling; `other…` are the other side's."""

    roll: TaskRoll | None
    luck: str | None = None
    other: TaskRoll | None = None
    other_luck: str | None = None


@record
class Attempt(Blow):
    """What somebody tries, and how far it has come. `tool` is the weapon, the injury, or the way to rest.

    Where it is opposed the other side has its `defence`, which the participant `defence_by` typed. Where the target
    `evades`, it alone rolls, and `request` is what it does against the GM's number. `spent` is what was spent on it
    last, by `spent_by`; `covers` what a rest gives back, all where that is empty; `came` what a hit, rest or a
    treatment did, as it was told then.
    """

    request: Plan = Plan()
    ruling: Plan | None = None
    rolled: EbbRolled | None = None
    tool: str = ""
    defence: Plan | None = None
    defence_by: str = ""
    evades: bool = False
    covers: tuple[str, ...] = ()
    spent: Line | None = None
    spent_by: str = ""
    came: Line | None = None

    @property
    def given(self) -> Plan:
        """What the GM made of it; Impossible("not-answered") before."""
        if self.ruling is None:
            raise Impossible("not-answered")
        return self.ruling

    @property
    def opposition(self) -> OpposedJudgement | None:
        """Both sides' dice against each other (EBB-OPPOSED); None before the roll and after a sacrifice."""
        rolled = self.rolled
        if rolled is None or rolled.roll is None:
            return None
        if rolled.other is None:
            return judge_sacrificed(rolled.roll) if rolled.other_luck else None
        return judge_opposed(rolled.roll, rolled.other)

    @property
    def verdict(self) -> Judgement | None:
        """What the dice, or a sacrifice, amount to; None without a difficulty or before the roll."""
        ruling, rolled = self.ruling, self.rolled
        if ruling is None or rolled is None:
            return None
        if self.opposed:
            opposed = self.opposition
            return bare_success(0) if opposed is None else opposed.actor
        difficulty = measure(ruling)
        if difficulty is None:
            return None
        threshold = difficulty.threshold
        return bare_success(threshold) if rolled.roll is None else judge(rolled.roll, threshold)

    def succeeded(self, judgement: Judgement | None = None) -> bool:
        """Whether whoever acts reached the goal: by the GM's word, dice, or a sacrifice (EBB-ROLL, EBB-OPPOSED)."""
        if self.answer == FREE or (self.answer == MARGIN_ONLY and self.rolled is not None):
            return True
        judgement = judgement or self.verdict
        return judgement is not None and judgement.success != self.evades

    @property
    def luck_allowed(self) -> bool:
        """Whether the ruling leaves room for a sacrifice instead of the roll (EBB-LUCK, EBB-SPECIALIST)."""
        ruling = self.given
        unable = ruling.specialist and counted(self.request, ruling)[0] is None
        return self.answer == ROLL and (not unable or ruling.specialist_luck)


AnyAttempt = Check[Attempt]


def roller(check: AnyAttempt, data: Attempt | None = None) -> str:
    """Whose task roll it is: of whoever acts, or of the target who evades (EBB-OPPOSED). `data` where it is newer."""
    return check.target if (data or check.data).evades and check.target is not None else check.actor


def counted(plan: Plan, ruling: Plan) -> tuple[int | None, int | None]:
    """Sides of the ability die that is rolled, and the value added: as the sheet was when it was looked at last.

    None where none applies or the GM refused it, for the value also where a drawback is defied (EBB-DRAWBACK).
    """
    sides = None if "ability" in ruling.disallow else plan.sides
    refused = "attribute" in ruling.disallow or not attribute_counts(ruling)
    return sides, None if refused else plan.value


def _points(plan: Plan) -> int:
    """Bonus or penalty on the total where no threshold is there to shift: 3 for each level (EBB-SHIFT)."""
    return plan.modifier - LEVEL_STEP * levels(plan)


def roll(tried: Attempt, rng: Rng) -> EbbRolled:
    """Throw the dice of both sides (EBB-ROLL, EBB-OPPOSED).

    Impossible("ability-required") for a specialist task (EBB-SPECIALIST), Impossible("not-answered").
    """
    ruling, defence = tried.given, tried.defence
    sides, value = counted(tried.request, ruling)
    require_ability(sides, specialist=ruling.specialist)
    bonus = ruling.modifier if defence is None else _points(ruling)
    mine = roll_task(rng, attribute=value, ability_sides=sides, bonus=bonus)
    if defence is None:
        return EbbRolled(mine)
    if defence.luck:
        return EbbRolled(mine, other_luck=defence.luck)
    sides, value = counted(defence, defence)
    bonus = _points(defence) + ruling.against
    return EbbRolled(mine, other=roll_task(rng, attribute=value, ability_sides=sides, bonus=bonus))


def luck_choices(sheet: EbbSheet, plan: Plan, ruling: Plan) -> tuple[str, ...]:
    """Attributes of which a point may be sacrificed: the most relevant one, or any if none was named.

    One that the GM has refused is not relevant.
    """
    refused = plan.attribute if "attribute" in ruling.disallow else ""
    relevant = ruling.luck or (plan.attribute if not refused else "")
    able = (relevant,) if relevant else [each for each in ATTRIBUTES if each != refused]
    return tuple([name for name in able if effective_attribute(sheet, name) >= 1])
