"""Odds before the dice are thrown, for every die type side by side: that is the choice a player has (BAR-DIE)."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from rules.core.errors import Impossible, Outdated
from rules.core.record import record
from rules.systems.barmore.campaign import Campaign
from rules.systems.barmore.check import BarCheck, counting, standing, taking_part
from rules.systems.barmore.odds import pool_odds, totals
from rules.systems.barmore.options import EITHER, Plan
from rules.systems.barmore.pool import DIE_TYPES, Pool, judge, no_dice_total
from rules.systems.barmore.telling import difficulty_line, option_lines, trait_lines
from rules.table.checks.procedure import Forecast
from rules.table.events import Line
from rules.table.system import Game, Odds, OddsTable

_FAILURE: Final = Line("bar-verdict", {"how": "failure", "odds": True})
#: Success and failure levels up to this one are told apart.
_LEVELS = 4


@record
class Needs:
    """What success takes besides the Difficulty: a level, and to have a `chance` at all (BAR-TEAM)."""

    level: int = 0
    chance: Fraction = Fraction(1)


_NOTHING: Final = Needs()


def _odds(pool: Pool, die: str | None, difficulty: int, needs: Needs) -> Odds:
    """The chances of one die type, or without dice (None): success, at least so many levels, failure, botch, and every
    total (BAR-ROLL, BAR-AUTO)."""
    kind = None if die is None else DIE_TYPES[die]
    found = None if kind is None else pool_odds(pool, kind, difficulty)
    sure = judge(no_dice_total(pool), pool.add, difficulty, rolled=False)

    def at_least(level: int) -> Fraction:
        least = max(level, needs.level)
        chance = Fraction(sure.success and sure.degree >= least) if found is None else found.at_least(least)
        return chance * needs.chance

    success, botch = at_least(0), Fraction(0) if found is None else found.botch
    levels = [
        (Line("bar-level", {"level": level, "least": True}), at_least(level)) for level in range(1, _LEVELS)
    ]
    outcomes = (*levels, (_FAILURE, 1 - success - botch))
    if kind is None:
        return Odds(difficulty_line(difficulty), success, outcomes, needed=difficulty)
    # Where more than the total decides, a picture of the totals would say something else.
    every = totals(pool, kind) if needs == _NOTHING else None
    outcomes = (*outcomes, (Line("bar-odds-botch"), botch))
    return Odds(difficulty_line(difficulty), success, outcomes, every, difficulty if every else None)


def table(
    pool: Pool, campaign: Campaign, request: Plan, difficulty: int, needs: Needs = _NOTHING
) -> OddsTable:
    """The odds with the die that is chosen first, then with every other one, and without dice (BAR-DIE, BAR-AUTO).

    A pool that was hurried to nothing fails.
    """
    if pool.fails_without_roll:
        none = Odds(difficulty_line(difficulty), Fraction(0), ((_FAILURE, Fraction(1)),))
        return ((Line("bar-odds-with", {"how": "none"}), none),)
    dice = [request.die, *(die for die in DIE_TYPES if die != request.die)]
    rows = [(Line("bar-odds-with", {"die": die}), _odds(pool, die, difficulty, needs)) for die in dice]
    if campaign.dice_phobes:
        without = (Line("bar-odds-with", {"how": "no dice"}), _odds(pool, None, difficulty, needs))
        rows = [without, *rows] if request.no_dice else [*rows, without]
    return tuple(rows)


def odds_of_check(game: Game, check: BarCheck) -> OddsTable:
    """The odds of a check exactly as the GM has ruled it, of a team's one pool too (BAR-TEAM). As `_needed`."""
    pool, difficulty, needs = _needed(game, check)
    return table(pool, game.campaign, check.data.entries[0].request, difficulty, needs)


def success_by_die(game: Game, check: BarCheck) -> dict[str, Fraction]:
    """The chance of success with each die (BAR-DIE). As `_needed`."""
    pool, difficulty, needs = _needed(game, check)
    if pool.fails_without_roll:
        return {}
    return {die: _odds(pool, die, difficulty, needs).success for die in DIE_TYPES}


def _needed(game: Game, check: BarCheck) -> tuple[Pool, int, Needs]:
    """The pool that is rolled, the Difficulty, and what success takes besides.

    Impossible("not-answered"), ("odds-unmeasured") without a Difficulty and where both sides roll.
    """
    data = check.data
    if data.ruling is None:
        raise Impossible("not-answered", check=check.id)
    if data.ruling.difficulty is None or data.opposed:
        raise Impossible("odds-unmeasured", check=check.id)
    pool, _ = standing(game, check)
    needs = Needs(data.ruling.level)
    if check.kind == "team" and data.mode == EITHER:
        team = [each.who for each in taking_part(game, check)]
        needs = Needs(needs.level, Fraction(data.chances(team)[1], len(team)))
    return pool.cancelled(), data.ruling.difficulty, needs


def forecast(game: Game, check: BarCheck) -> Forecast:
    """What a check that waits for its roll would be rolled with, and its chances.

    Outdated("check-moved-on"), and as `odds_of_check`.
    """
    data = check.data
    if data.throws or not check.open:
        raise Outdated("check-moved-on", check=check.id, status="rolled" if check.open else "settled")
    table, own = odds_of_check(game, check), data.entries[0]
    traits = counting(game, check, own)
    shifts = option_lines(own.request, data.ruling, traits, open_=True)
    return Forecast(trait_lines(traits, scores=True), shifts, table)


def idle(game: Game, check: BarCheck, who: str) -> Line:
    """Why somebody can spend nothing on a check that is open: there is nothing to be spent."""
    return Line("bar-nothing-to-spend")
