"""Odds and possible spends of a check in codes, before the dice are thrown (EBB-ROLL, EBB-FATE, EBB-LUCK)."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import partial

from rules.core.errors import Impossible
from rules.systems.ebb import procedure
from rules.systems.ebb.difficulty import counted, level_line, measure
from rules.systems.ebb.procedure import AnyAttempt, Attempt, luck_choices, roller
from rules.systems.ebb.resources import REROLL, RESOURCES
from rules.systems.ebb.sheet import EbbSheet
from rules.systems.ebb.task_odds import TaskOdds, task_odds
from rules.systems.ebb.view import shifts_of, traits_of
from rules.table.blocks import Text
from rules.table.checks.procedure import Forecast
from rules.table.checks.stages import MARGIN_ONLY, ROLL, require_waiting
from rules.table.resources import affords
from rules.table.system import Game, Odds, OddsTable

_AS_IT_IS = Text("ebb-odds-how", {"how": "plain"})
_WITH_FATE = Text("ebb-odds-how", {"how": "fate", "points": REROLL.amount})
#: How many extra results are told of.
_EXTRAS = 4


def _extras(chances: TaskOdds) -> Iterable[tuple[Text, Fraction]]:
    for count, chance in enumerate(chances.at_least[1:_EXTRAS], start=1):
        yield Text("ebb-odds-extra", {"count": count}), chance


def _told(target: Text, chances: TaskOdds, needed: int) -> Odds:
    hows = ("near_miss", "failure", "automatic_failure", "fumble")
    failures = [(Text("ebb-odds-failed", {"how": how}), getattr(chances, how)) for how in hows]
    return Odds(target, chances.success, (*_extras(chances), *failures), needed=needed)


def _odds_of(sheet: EbbSheet, tried: Attempt) -> OddsTable:
    """A margin-only roll cannot fail, so only its extra results are told."""
    ruling = tried.effective_ruling
    if (needed := measure(ruling)) is None:
        raise Impossible("odds-unmeasured")
    target, (sides, value) = level_line(needed), counted(tried.request, ruling)
    odds = partial(task_odds, attribute=value, ability_sides=sides, threshold=needed, bonus=ruling.modifier)
    if tried.answer == MARGIN_ONLY:
        return ((_AS_IT_IS, Odds(target, Fraction(1), tuple(_extras(odds())), needed=needed)),)
    luck = luck_choices(sheet, tried.request, ruling) if tried.may_sacrifice else ()
    if tried.lacks_ability and not luck:
        raise Impossible("ability-required", field="ability")
    found: list[tuple[Text, Odds]] = []
    if not tried.lacks_ability:
        found.append((_AS_IT_IS, _told(target, odds(), needed)))
    if sides is not None and affords(RESOURCES, sheet, REROLL):
        found.append((_WITH_FATE, _told(target, odds(fate=True), needed)))
    if luck:
        how = {"how": "luck", "attribute": luck[0] if len(luck) == 1 else None}
        found.append((Text("ebb-odds-how", how), Odds(target, Fraction(1), ())))
    return tuple(found)


def forecast(game: Game, check: AnyAttempt) -> Forecast:
    """Exactly as the GM has ruled it.

    As `require_waiting`; Impossible("odds-unmeasured") where there is no difficulty to measure against, and
    ("ability-required") for a specialist task that this character cannot even attempt (EBB-SPECIALIST).
    """
    require_waiting(check, thrown=check.data.is_rolled or check.data.ruling is None)
    data = procedure.refresh_from_sheets(game, check, check.data)
    odds = _odds_of(game.sheet(roller(check)), data)
    return Forecast(traits_of(data.request, data.effective_ruling), shifts_of(data), odds)


def idle(game: Game, check: AnyAttempt, who: str) -> Text:
    """Why somebody can spend nothing on a check that is open (EBB-FATE, EBB-LUCK)."""
    data = check.data
    if not data.answer:
        return Text("no-spend-yet")
    if check.stage not in (procedure.TaskPreparation.name, procedure.OPEN) or who != roller(check):
        return Text("no-spend-now")
    if not data.is_rolled:
        why = "certain" if data.answer != ROLL else "attribute" if data.may_sacrifice else "ability"
    elif not procedure.may_spend(game, check, who):
        return Text("no-spend-blind")
    else:
        why = "die" if data.roll is None or data.roll.ability_sides is None else "fate"
    return Text("ebb-no-spend", {"why": why})
