"""Odds before the dice are thrown, for every die type side by side: that is the choice a player has
(BAR-DIE).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from rules.core.errors import Impossible
from rules.systems.barmore.check_state import (
    EITHER_OR,
    BarCheck,
    current_pool,
    effective_traits,
    participating_entries,
)
from rules.systems.barmore.pool import DIE_TYPES, Pool, no_dice_total
from rules.systems.barmore.pool_odds import botch_odds, success_odds, total_distribution
from rules.systems.barmore.reference_rows import RULES
from rules.systems.barmore.view import difficulty_line, option_lines, trait_lines
from rules.table.blocks import Text
from rules.table.checks.odds import public_chance
from rules.table.checks.procedure import CheckOdds, RollPreview
from rules.table.checks.stages import require_awaiting_roll
from rules.table.system import Game, Odds

_FAILURE: Final = Text("bar-verdict", {"how": "failure", "odds": True})
#: Success and failure levels up to this one are told apart.
_LEVELS = 4


def _odds(pool: Pool, die: str | None, difficulty: int, level: int, chance: Fraction) -> Odds:
    """The chances of one die type, or without dice (None): success, at least so many levels,
    failure, botch, and every total (BAR-ROLL, BAR-AUTO). Success takes this `level` at least, and
    to have a `chance` at all (BAR-TEAM).
    """
    kind, target = None if die is None else DIE_TYPES[die], difficulty_line(difficulty)
    levels = [
        success_odds(pool, kind, difficulty, max(each, level)) * chance for each in range(_LEVELS)
    ]
    botched = botch_odds(pool, kind)
    told = [
        (Text("bar-level", {"level": each, "least": True}), levels[each])
        for each in range(1, _LEVELS)
    ]
    ways: dict[str, Any] = {
        "columns": (told[0], (Text("bar-odds-botch"), botched)),
        "values": {"no dice": True} if die is None else {"die": die},
    }
    outcomes = (*told, (_FAILURE, 1 - levels[0] - botched))
    if kind is None:
        fixed = _fixed_total(pool, difficulty)
        return Odds(target, levels[0], outcomes, needed=difficulty, note=fixed, **ways)
    # Where more than the total decides, a picture of the totals would say something else.
    every = total_distribution(pool, kind) if (level, chance) == (0, 1) else None
    outcomes = (*outcomes, (Text("bar-odds-botch"), botched))
    return Odds(target, levels[0], outcomes, every, difficulty if every else None, **ways)


def success_by_die(game: Game, check: BarCheck) -> dict[str, Fraction]:
    """The chance of success with each die (BAR-DIE). As `odds_for_check`."""
    rows = odds_for_check(game, check).table
    return {str(line.params["die"]): odds.success for line, odds in rows if "die" in line.params}


def odds_for_check(game: Game, check: BarCheck) -> CheckOdds:
    """What a check that waits for its roll would be rolled with, and its chances exactly as the GM
    has ruled it.

    With the die that is chosen first, then with every other one, and without dice (BAR-DIE,
    BAR-AUTO); a pool that was hurried to nothing fails. As `require_awaiting_roll`;
    Impossible("odds-unmeasured") without a Difficulty and where both sides roll.
    """
    data, ruling = check.data, check.data.ruling
    require_awaiting_roll(check, thrown=bool(data.throws))
    if ruling is None or ruling.difficulty is None or data.opposed:
        raise Impossible("odds-unmeasured", check=check.id)
    pool, own, chance = current_pool(game, check)[0], data.entries[0], Fraction(1)
    if check.kind == "team" and data.mode == EITHER_OR:
        team = [each.who for each in participating_entries(game, check)]
        chance = Fraction(data.chances(team)[1], len(team))
    traits = effective_traits(game, check, own)
    shifts = option_lines(own.request, ruling, traits, open_=True)
    dice: list[str | None] = [
        own.request.die,
        *(die for die in DIE_TYPES if die != own.request.die),
    ]
    if game.campaign.dice_phobes:
        dice.insert(0 if own.request.no_dice else len(dice), None)
    if pool.fails_without_roll:
        none = Odds(difficulty_line(ruling.difficulty), Fraction(0), ((_FAILURE, Fraction(1)),))
        rows = [(Text("bar-odds-with", {"how": "none"}), none)]
    else:
        rows = [
            (_die_label(die, pool), _odds(pool, die, ruling.difficulty, ruling.level, chance))
            for die in dice
        ]
    return CheckOdds(trait_lines(traits, scores=True), shifts, tuple(rows))


def _die_label(die: str | None, pool: Pool) -> Text:
    """Return the name of a die type, or of going without dice with its fixed total (BAR-AUTO)."""
    about: dict[str, Any] = {"die": die}
    if die is None:
        about = {"how": "no dice", "total": no_dice_total(pool)}
    return Text("bar-odds-with", about)


def _fixed_total(pool: Pool, difficulty: int) -> Text:
    """Return the fixed total without dice, and the level that it reaches (BAR-AUTO)."""
    total = no_dice_total(pool)
    level = (total - difficulty) // RULES.degree_step if total >= difficulty else None
    return Text("bar-odds-fixed", {"total": total, "level": level})


def next_roll(game: Game, check: BarCheck) -> RollPreview | None:
    """Return the number of dice in the pool, and the chance with the die that is chosen."""
    data = check.data
    if data.opposed or data.throws or data.ruling is None or check.kind == "team":
        return None
    pool = current_pool(game, check)[0]
    if pool.fails_without_roll:
        return None
    dice = Text("roll-dice", {"dice": pool.add + abs(pool.modifier)})
    return RollPreview(dice, public_chance(game, check))
