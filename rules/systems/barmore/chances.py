"""Odds before the dice are thrown, for every die type side by side: that is the choice a player has (BAR-DIE)."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from rules.core.errors import Impossible, Outdated
from rules.core.record import record
from rules.systems.barmore.check import BarCheck, counting, standing, taking_part
from rules.systems.barmore.odds import botch, success, totals
from rules.systems.barmore.options import EITHER
from rules.systems.barmore.pool import DIE_TYPES, Pool, judge, no_dice_total
from rules.systems.barmore.telling import difficulty_line, option_lines, trait_lines
from rules.table.checks.procedure import Forecast
from rules.table.events import Line
from rules.table.system import Game, Odds

_FAILURE: Final = Line("bar-verdict", {"how": "failure", "odds": True})
#: Success and failure levels up to this one are told apart.
_LEVELS = 4


@record
class Needs:
    """What success takes besides the Difficulty: a level, and to have a `chance` at all (BAR-TEAM)."""

    level: int = 0
    chance: Fraction = Fraction(1)


_NOTHING: Final = Needs()


def _success(pool: Pool, die: str | None, difficulty: int, needs: Needs, level: int = 0) -> Fraction:
    """The chance of success with a die type, or without dice (None), and so many levels (BAR-ROLL, BAR-AUTO)."""
    level = max(level, needs.level)
    if die is not None:
        return success(pool, DIE_TYPES[die], difficulty, level) * needs.chance
    found = judge(no_dice_total(pool), pool.add, difficulty, rolled=False)
    return (found.success and found.degree >= level) * needs.chance


def _odds(pool: Pool, die: str | None, difficulty: int, needs: Needs) -> Odds:
    """The chances of one die type, or without dice (None): success, at least so many levels, failure, botch, and every
    total (BAR-ROLL, BAR-AUTO)."""
    levels = [_success(pool, die, difficulty, needs, level) for level in range(_LEVELS)]
    botched = Fraction(0) if die is None else botch(pool, DIE_TYPES[die])
    told = [
        (Line("bar-level", {"level": level, "least": True}), levels[level]) for level in range(1, _LEVELS)
    ]
    outcomes = (*told, (_FAILURE, 1 - levels[0] - botched))
    if die is None:
        return Odds(difficulty_line(difficulty), levels[0], outcomes, needed=difficulty)
    # Where more than the total decides, a picture of the totals would say something else.
    every = totals(pool, DIE_TYPES[die]) if needs == _NOTHING else None
    outcomes = (*outcomes, (Line("bar-odds-botch"), botched))
    return Odds(difficulty_line(difficulty), levels[0], outcomes, every, difficulty if every else None)


def success_by_die(game: Game, check: BarCheck) -> dict[str, Fraction]:
    """The chance of success with each die (BAR-DIE). As `forecast`."""
    rows = forecast(game, check).table
    return {str(line.params["die"]): odds.success for line, odds in rows if "die" in line.params}


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
    """What a check that waits for its roll would be rolled with, and its chances exactly as the GM has ruled it.

    With the die that is chosen first, then with every other one, and without dice (BAR-DIE, BAR-AUTO); a pool that was
    hurried to nothing fails. Outdated("check-moved-on"), and as `_needed`.
    """
    data = check.data
    if data.throws or not check.open:
        raise Outdated("check-moved-on", check=check.id, status="rolled" if check.open else "settled")
    (pool, difficulty, needs), own = _needed(game, check), data.entries[0]
    traits = counting(game, check, own)
    shifts = option_lines(own.request, data.ruling, traits, open_=True)
    if pool.fails_without_roll:
        none = Odds(difficulty_line(difficulty), Fraction(0), ((_FAILURE, Fraction(1)),))
        rows = [(Line("bar-odds-with", {"how": "none"}), none)]
    else:
        dice = [own.request.die, *(die for die in DIE_TYPES if die != own.request.die)]
        rows = [(Line("bar-odds-with", {"die": die}), _odds(pool, die, difficulty, needs)) for die in dice]
        if game.campaign.dice_phobes:
            without = Line("bar-odds-with", {"how": "no dice"}), _odds(pool, None, difficulty, needs)
            rows.insert(0 if own.request.no_dice else len(rows), without)
    return Forecast(trait_lines(traits, scores=True), shifts, tuple(rows))


def idle(game: Game, check: BarCheck, who: str) -> Line:
    """Why somebody can spend nothing on a check that is open: there is nothing to be spent."""
    return Line("bar-nothing-to-spend")
