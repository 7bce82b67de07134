"""Odds of a check before the roll, with the effects of Karma and luck (EGO-KAR-02, EGO-KAR-03)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from rules.core.errors import Impossible
from rules.systems.ego.character.combat_values import with_current_round
from rules.systems.ego.character.pools import dice_in, penalty_terms
from rules.systems.ego.character.sheet import EgoSheet
from rules.systems.ego.checks.procedure import (
    OPEN,
    AnyAttempt,
    Attempt,
    check_cost,
    is_automatic,
    knowledge_roll,
    refresh_from_sheets,
    roll_subjects,
)
from rules.systems.ego.checks.roll_stages import LUCKY, luck_left, sources_of
from rules.systems.ego.checks.view import cost_line, shift_lines, term_lines
from rules.systems.ego.formulas import dice, pool_odds
from rules.table.blocks import Text
from rules.table.checks.procedure import CheckOdds, RollPreview
from rules.table.checks.stages import ROLL, require_awaiting_roll, spend_refusal
from rules.table.system import Game, Odds, OddsTable

#: Exclusive limit of the additional successes that have odds of their own.
_MORE = 4
Chances = Sequence[Fraction]
Sources = Iterable[dice.RerollSource]
_SURE: Chances = (Fraction(1),)


def odds_table(game: Game, check: AnyAttempt, data: Attempt) -> OddsTable:
    """Return the odds of a check, plain and with each use of Karma and luck.

    Raises Impossible("odds-certain", "odds-unmeasured").
    """
    if is_automatic(data):
        raise Impossible("odds-certain")
    if data.opposed or not data.needed:
        raise Impossible("odds-unmeasured")
    who, plan = check.actor, data.request
    sheet: EgoSheet = with_current_round(game, who, check.round).sheet(who)
    sources = sources_of(sheet, game.campaign, roll_subjects(game, who, plan, data.ruling))
    known = _SURE
    if plan.knowledge:
        first, theirs = knowledge_roll(game, who, plan.knowledge)
        known = pool_odds.successes(
            first, **reroll_counts(sources_of(sheet, game.campaign, theirs))
        )
    number = dice_in(data.terms) - data.penalty
    return karma_odds(sheet, sources, number, plan.karma, data.needed, known)


def karma_odds(
    sheet: EgoSheet, sources: Sources, number: int, karma: int, needed: int, known: Chances = _SURE
) -> OddsTable:
    """Return the odds of `number` dice with the planned `karma`, and with other uses of Karma and
    luck.

    `known` are the chances of dice that an earlier roll adds.
    """
    thrown, target = reroll_counts(sources), Text("ego-needs", {"number": needed})

    def row(line: Text, bought: int, **also: Any) -> tuple[Text, Odds]:
        chances = pool_odds.combined_odds(
            known,
            lambda extra: pool_odds.successes(
                dice.pool_size(number, (extra,), bought), **thrown, **also
            ),
        )
        ends = [(more, pool_odds.at_least(chances, needed + more)) for more in range(1, _MORE)]
        rows = [(Text("ego-odds-end", {"count": more}), chance) for more, chance in ends]
        rows.append((Text("ego-odds-end"), chances[0]))
        return line, Odds(target, pool_odds.at_least(chances, needed), tuple(rows), needed=needed)

    return tuple([row(line, bought, **also) for line, bought, also in ways(sheet, karma)])


def ways(sheet: EgoSheet, karma: int) -> Iterable[tuple[Text, int, dict[str, Any]]]:
    """Yield the plain roll, and each use of Karma and luck: dice bought, a die flipped, a success
    added.
    """
    most = dice.karma_most(sheet.karma, sheet.round.karma_dice)
    for bought in (karma, *[number for number in range(1, most + 1) if number != karma]):
        yield Text("ego-odds-with", {"dice": bought}), bought, {}
    if sheet.karma > karma and not sheet.round.flipped:
        yield Text("ego-odds-with", {"how": "flip"}), karma, {"flip": True}
    if luck_left(sheet, LUCKY) > 0:
        yield Text("ego-odds-with", {"how": "lucky"}), karma, {"lucky": 1}


def reroll_counts(sources: Sources) -> dict[str, int]:
    """Return the numbers of dice that must and that may be re-rolled."""
    counts = {"forced": 0, "again": 0}
    for source in sources:
        counts["forced" if source.forced else "again"] += source.dice
    return counts


def odds_for_check(game: Game, check: AnyAttempt) -> CheckOdds:
    """Return the odds of a check as the GM has ruled it.

    Raises as `require_awaiting_roll` and `odds_table`.
    """
    require_awaiting_roll(check, thrown=check.data.answer != ROLL or bool(check.data.throws))
    data = refresh_from_sheets(game, check, check.data)
    cost = check_cost(game, check, data)
    return CheckOdds(
        term_lines((*data.terms, *penalty_terms(data.penalty))),
        shift_lines(data.shifts),
        odds_table(game, check, data),
        () if cost is None else (cost_line(cost, data.request.seconds),),
    )


def next_roll(game: Game, check: AnyAttempt) -> RollPreview | None:
    """Return the number of dice, and the chance of the bare dice (EGO-DIE-01)."""
    data = check.data
    if data.answer != ROLL or data.throws or data.opposed or data.request.knowledge:
        return None
    whole = (*data.terms, *penalty_terms(data.penalty), ("karma", data.request.karma))
    number = dice.pool_size(dice_in(whole))
    chance = None
    if data.needed and not check.hidden:
        chance = pool_odds.at_least(pool_odds.successes(number), data.needed)
    thrown = Text("roll-dice", {"dice": number}) if number else None
    return RollPreview(thrown, chance)


def no_spend_reason(game: Game, check: AnyAttempt, who: str) -> Text:
    """Return the reason why a character can spend nothing on an open check."""
    return spend_refusal(check, OPEN, certain=is_automatic(check.data)) or Text("ego-no-spend")
