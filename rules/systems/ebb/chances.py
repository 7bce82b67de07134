"""Odds and possible spends of a check in codes, before the dice are thrown (EBB-ROLL, EBB-FATE, EBB-LUCK)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from rules.core.errors import Impossible, Outdated
from rules.systems.ebb.attempt import OPEN, AnyAttempt, Prepared, may_spend
from rules.systems.ebb.check import (
    Tried,
    counted_ability,
    counted_attribute,
    luck_allowed,
    luck_choices,
    ruling_of,
)
from rules.systems.ebb.describe import difficulty_line
from rules.systems.ebb.difficulty import require_ability
from rules.systems.ebb.ladder import Difficulty
from rules.systems.ebb.odds import TaskOdds, odds_with_fate, task_odds
from rules.systems.ebb.resources import REROLL, RESOURCES
from rules.systems.ebb.sheet import EbbSheet
from rules.systems.ebb.telling import shifts_of, traits_of
from rules.table.checks.procedure import Forecast
from rules.table.events import Line
from rules.table.resources import affords
from rules.table.system import Game, Odds, OddsTable

_AS_IT_IS = Line("ebb-odds-plain")
_WITH_FATE = Line("ebb-odds-fate", {"points": REROLL.amount})
#: How many extra results are told of.
_EXTRAS = 4


@dataclass(frozen=True, slots=True)
class _Task:
    """What a roll would be made with; `luck` are the attributes of which a point could be sacrificed instead."""

    target: Difficulty
    attribute: int | None
    sides: int | None
    bonus: int
    luck: tuple[str, ...]

    def odds(self) -> TaskOdds:
        return task_odds(
            attribute=self.attribute,
            ability_sides=self.sides,
            threshold=self.target.threshold,
            bonus=self.bonus,
        )

    def odds_with_fate(self) -> TaskOdds:
        return odds_with_fate(
            attribute=self.attribute,
            ability_sides=self.sides,
            threshold=self.target.threshold,
            bonus=self.bonus,
        )


def _extras(chances: TaskOdds) -> tuple[tuple[Line, Fraction], ...]:
    return tuple(
        (Line("ebb-odds-extra", {"count": count}), chance)
        for count, chance in enumerate(chances.at_least[1:_EXTRAS], start=1)
    )


def _told(target: Difficulty, chances: TaskOdds) -> Odds:
    failures = (
        (Line("ebb-odds-near-miss"), chances.near_miss),
        (Line("ebb-odds-failure"), chances.failure),
        (Line("ebb-odds-automatic"), chances.automatic_failure),
        (Line("ebb-odds-fumble"), chances.fumble),
    )
    return Odds(difficulty_line(target), chances.success, (*_extras(chances), *failures))


def _rolled(sheet: EbbSheet, task: _Task) -> OddsTable:
    found = [(_AS_IT_IS, _told(task.target, task.odds()))]
    if task.sides is not None and affords(RESOURCES, sheet, REROLL):
        found.append((_WITH_FATE, _told(task.target, task.odds_with_fate())))
    return tuple(found)


def _sacrificed(task: _Task) -> OddsTable:
    if not task.luck:
        return ()
    only = task.luck[0] if len(task.luck) == 1 else None
    return (
        (Line("ebb-odds-luck", {"attribute": only}), Odds(difficulty_line(task.target), Fraction(1), ())),
    )


def odds_of(sheet: EbbSheet, tried: Tried) -> OddsTable:
    """The odds of an answered check exactly as the GM has ruled it.

    A margin-only roll cannot fail, so only its extra results are told. Raises Impossible: "not-answered",
    "odds-unmeasured" where there is no difficulty to measure against, and "ability-required" for a specialist
    task that this character cannot even attempt (EBB-SPECIALIST).
    """
    ruling = ruling_of(tried)
    if ruling.difficulty is None:
        raise Impossible("odds-unmeasured")
    ability = counted_ability(sheet, tried)
    task = _Task(
        ruling.difficulty,
        counted_attribute(sheet, tried),
        None if ability is None else ability.sides,
        ruling.adjustments.bonus,
        luck_choices(sheet, tried) if luck_allowed(sheet, tried) else (),
    )
    if tried.answer == "margin-only":
        return ((_AS_IT_IS, Odds(difficulty_line(task.target), Fraction(1), _extras(task.odds()))),)
    if ruling.specialist and task.sides is None:
        require_ability(None, specialist=True, waived=bool(task.luck))
        return _sacrificed(task)
    return (*_rolled(sheet, task), *_sacrificed(task))


def why_not_spend(sheet: EbbSheet, tried: Tried) -> Line:
    """Why nothing can be spent on an answered or rolled check (EBB-FATE, EBB-LUCK)."""
    if tried.rolled is None:
        if tried.answer != "roll":
            return Line("ebb-no-spend-certain")
        if not luck_allowed(sheet, tried):
            return Line("ebb-no-spend-ability")
        return Line("ebb-no-spend-attribute")
    rolled = tried.rolled
    if rolled.roll is None or rolled.roll.ability_sides is None:
        return Line("ebb-no-spend-die")
    return Line("ebb-no-spend-fate")


def forecast(game: Game, check: AnyAttempt) -> Forecast:
    """Exactly as the GM has ruled it.

    Impossible("not-answered"), Outdated("check-moved-on"), and as `odds_of`.
    """
    data = check.data
    if not data.answer and check.open:
        raise Impossible("not-answered", check=check.id)
    if data.rolled is not None or data.ruling is None or not check.open:
        raise Outdated("check-moved-on", check=check.id, status="rolled" if check.open else "settled")
    sheet = game.sheet(check.actor)
    return Forecast(
        traits_of(data.request, data.ruling, data.mine, None), shifts_of(check), odds_of(sheet, data)
    )


def idle(game: Game, check: AnyAttempt, who: str) -> Line:
    """Why somebody can spend nothing on a check that is open."""
    data = check.data
    if not data.answer:
        return Line("no-spend-yet")
    if check.stage not in (Prepared.name, OPEN) or who != check.actor:
        return Line("no-spend-now")
    if data.rolled is not None and not may_spend(game, check, who):
        return Line("no-spend-blind")
    return why_not_spend(game.sheet(who), data)
