"""Odds of a check before its roll, for all die types side by side, since the player picks one.

BAR-DIE.
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
#: Success levels below this one are listed.
_LEVELS = 4


def _odds_of_die(
    pool: Pool, die: str | None, difficulty: int, level: int, chance: Fraction
) -> Odds:
    """Return the chances of one die type, or without dice (None).

    They are success, each success level, failure, botch, and every total (BAR-ROLL, BAR-AUTO).
    Success takes the success *level* at least, and has the *chance* that the character has a
    chance at all (BAR-TEAM).
    """
    kind = None if die is None else DIE_TYPES[die]
    target = difficulty_line(difficulty)
    by_level = [
        success_odds(pool, kind, difficulty, max(least, level)) * chance for least in range(_LEVELS)
    ]
    botch = botch_odds(pool, kind)
    level_rows = [
        (Text("bar-level", {"level": least, "least": True}), by_level[least])
        for least in range(1, _LEVELS)
    ]
    ways: dict[str, Any] = {
        "columns": (level_rows[0], (Text("bar-odds-botch"), botch)),
        "values": {"no dice": True} if die is None else {"die": die},
    }
    outcomes = (*level_rows, (_FAILURE, 1 - by_level[0] - botch))
    if kind is None:
        fixed = _fixed_total(pool, difficulty)
        return Odds(target, by_level[0], outcomes, needed=difficulty, note=fixed, **ways)
    # A picture of the totals would mislead where more than the total decides.
    totals = total_distribution(pool, kind) if (level, chance) == (0, 1) else None
    outcomes = (*outcomes, (Text("bar-odds-botch"), botch))
    return Odds(target, by_level[0], outcomes, totals, difficulty if totals else None, **ways)


def success_by_die(game: Game, check: BarCheck) -> dict[str, Fraction]:
    """Return the chance of success by die type (BAR-DIE); raises as `odds_for_check`."""
    rows = odds_for_check(game, check).table
    return {str(line.params["die"]): odds.success for line, odds in rows if "die" in line.params}


def odds_for_check(game: Game, check: BarCheck) -> CheckOdds:
    """Return the pool of a check that waits for its roll, and its exact chances as ruled.

    The chosen die comes first, then every other one, and no dice (BAR-DIE, BAR-AUTO). A pool that
    was hurried to nothing fails.

    Raises what `require_awaiting_roll` raises, and Impossible("odds-unmeasured") if there is no
    Difficulty or both sides roll.
    """
    data, ruling = check.data, check.data.ruling
    require_awaiting_roll(check, thrown=bool(data.throws))
    if ruling is None or ruling.difficulty is None or data.opposed:
        raise Impossible("odds-unmeasured", check=check.id)
    pool = current_pool(game, check)[0]
    own = data.entries[0]
    chance = Fraction(1)
    if check.kind == "team" and data.mode == EITHER_OR:
        team = [entry.who for entry in participating_entries(game, check)]
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
            (
                _die_label(die, pool),
                _odds_of_die(pool, die, ruling.difficulty, ruling.level, chance),
            )
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
