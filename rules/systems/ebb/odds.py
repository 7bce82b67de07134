"""Odds and possible spends of a check before the roll (EBB-ROLL, EBB-FATE, EBB-LUCK)."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import partial

from rules.core.errors import Impossible
from rules.systems.ebb import procedure
from rules.systems.ebb.difficulty import counted_traits, level_line, plan_threshold
from rules.systems.ebb.procedure import AnyAttempt, Attempt, luck_choices, roller
from rules.systems.ebb.resources import REROLL, RESOURCES
from rules.systems.ebb.sheet import EbbSheet
from rules.systems.ebb.task_odds import TaskOdds, task_odds
from rules.systems.ebb.view import adjustment_lines, trait_lines
from rules.table.blocks import Text
from rules.table.checks.odds import public_chance
from rules.table.checks.procedure import CheckOdds, RollPreview
from rules.table.checks.stages import MARGIN_ONLY, ROLL, require_awaiting_roll
from rules.table.resources import can_afford
from rules.table.system import Game, Odds, OddsTable

_AS_IT_IS = Text("ebb-odds-how", {"how": "plain"})
_WITH_FATE = Text("ebb-odds-how", {"how": "fate", "points": REROLL.amount})
#: Numbers of extra results below this one are listed.
_EXTRAS = 4


def _extra_result_odds(chances: TaskOdds) -> Iterable[tuple[Text, Fraction]]:
    """Yield the chance of at least so many extra results, from 1 on."""
    for count, chance in enumerate(chances.at_least[1:_EXTRAS], start=1):
        yield Text("ebb-odds-extra", {"count": count}), chance


def _roll_odds(target: Text, chances: TaskOdds, needed: int) -> Odds:
    """Return the odds of a roll: success, extra results, and the kinds of failure."""
    kinds = ("near_miss", "failure", "automatic_failure", "fumble")
    failures = [(Text("ebb-odds-failed", {"how": kind}), getattr(chances, kind)) for kind in kinds]
    return Odds(target, chances.success, (*_extra_result_odds(chances), *failures), needed=needed)


def _odds_table(sheet: EbbSheet, attempt: Attempt) -> OddsTable:
    """Return the odds of a roll as it is, with Fate, and by a sacrifice.

    A margin-only roll cannot fail, so only its extra results are listed.
    """
    ruling = attempt.effective_ruling
    needed = plan_threshold(ruling)
    if needed is None:
        raise Impossible("odds-unmeasured")
    target = level_line(needed)
    sides, value = counted_traits(attempt.request, ruling)
    odds = partial(
        task_odds, attribute=value, ability_sides=sides, threshold=needed, bonus=ruling.modifier
    )
    if attempt.answer == MARGIN_ONLY:
        extras = tuple(_extra_result_odds(odds()))
        return ((_AS_IT_IS, Odds(target, Fraction(1), extras, needed=needed)),)
    luck = luck_choices(sheet, attempt.request, ruling) if attempt.may_sacrifice else ()
    if attempt.lacks_ability and not luck:
        raise Impossible("ability-required", field="ability")
    table: list[tuple[Text, Odds]] = []
    if not attempt.lacks_ability:
        table.append((_AS_IT_IS, _roll_odds(target, odds(), needed)))
    if sides is not None and can_afford(RESOURCES, sheet, REROLL):
        table.append((_WITH_FATE, _roll_odds(target, odds(fate=True), needed)))
    if luck:
        how = {"how": "luck", "attribute": luck[0] if len(luck) == 1 else None}
        table.append((Text("ebb-odds-how", how), Odds(target, Fraction(1), ())))
    return tuple(table)


def odds_for_check(game: Game, check: AnyAttempt) -> CheckOdds:
    """Return the odds of a check exactly as the GM has ruled it.

    Raises what `require_awaiting_roll` raises, and:

    - Impossible("odds-unmeasured") without a difficulty;
    - Impossible("ability-required") for a specialist task that the character cannot even attempt
      (EBB-SPECIALIST).
    """
    require_awaiting_roll(check, thrown=check.data.is_rolled or check.data.ruling is None)
    data = procedure.refresh_from_sheets(game, check, check.data)
    odds = _odds_table(game.sheet(roller(check)), data)
    return CheckOdds(trait_lines(data.request, data.effective_ruling), adjustment_lines(data), odds)


def next_roll(game: Game, check: AnyAttempt) -> RollPreview | None:
    """Return the main die and the ability's, and the chance without Fate and luck."""
    data = check.data
    if data.is_rolled or data.ruling is None or data.lacks_ability:
        return None
    if data.opposed or data.evades:
        return None  # what is rolled with is still to be chosen, or secret
    sides, _ = counted_traits(data.request, data.effective_ruling)
    chance = None if data.answer == MARGIN_ONLY else public_chance(game, check)
    return RollPreview(Text("ebb-roll-dice", {"sides": sides}), chance)


def no_spend_reason(game: Game, check: AnyAttempt, who: str) -> Text:
    """Return why a character can spend nothing on an open check (EBB-FATE, EBB-LUCK)."""
    data = check.data
    if not data.answer:
        return Text("no-spend-yet")
    if check.stage not in (procedure.TaskPreparation.name, procedure.OPEN) or who != roller(check):
        return Text("no-spend-now")
    if data.is_rolled and not procedure.may_spend(game, check, who):
        return Text("no-spend-blind")
    return Text("ebb-no-spend", {"why": _missing_means(data)})


def _missing_means(data: Attempt) -> str:
    """Return what a character lacks to change a roll, or to avoid it."""
    if data.is_rolled:
        lacks_die = data.roll is None or data.roll.ability_sides is None
        return "die" if lacks_die else "fate"
    if data.answer != ROLL:
        return "certain"
    return "attribute" if data.may_sacrifice else "ability"
