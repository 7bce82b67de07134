"""Odds of a check before the roll, with what Karma and luck can make of it side by side (EGO-KAR-02, EGO-KAR-03)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from rules.core.errors import Impossible
from rules.systems.ego.character.fighter import in_round
from rules.systems.ego.character.pools import dice_in
from rules.systems.ego.character.sheet import EgoSheet
from rules.systems.ego.checks.procedure import (
    OPEN,
    AnyAttempt,
    Attempt,
    about_of,
    is_automatic,
    knowing,
    refresh_from_sheets,
)
from rules.systems.ego.checks.roll_stages import LUCKY, luck_left, sources_of
from rules.systems.ego.checks.view import shift_lines, term_lines
from rules.systems.ego.formulas import dice, pool_odds
from rules.table.blocks import Text
from rules.table.checks.procedure import Forecast
from rules.table.checks.stages import ROLL, require_waiting, unspent
from rules.table.system import Game, Odds, OddsTable

#: How many more successes than needed are told of.
_MORE = 4
Chances = Sequence[Fraction]
Sources = Iterable[dice.Source]
_SURE: Chances = (Fraction(1),)


def odds_of(game: Game, check: AnyAttempt, data: Attempt) -> OddsTable:
    """As it is, with each number of dice for Karma, with a flip, with luck.

    Impossible("odds-certain", "odds-unmeasured").
    """
    if is_automatic(data):
        raise Impossible("odds-certain")
    if data.opposed or not data.needed:
        raise Impossible("odds-unmeasured")
    who, plan = check.actor, data.request
    sheet: EgoSheet = in_round(game, who, check.round).sheet(who)
    sources, known = sources_of(sheet, game.campaign, about_of(game, who, plan, data.ruling)), _SURE
    if plan.knowledge:
        first, theirs = knowing(game, who, plan.knowledge)
        known = pool_odds.successes(first, **again(sources_of(sheet, game.campaign, theirs)))
    return karma_odds(sheet, sources, dice_in(data.terms), plan.karma, data.needed, known)


def karma_odds(
    sheet: EgoSheet, sources: Sources, number: int, karma: int, needed: int, known: Chances = _SURE
) -> OddsTable:
    """Of `number` dice with `karma` among them as it is wished for, and with what else may be spent on them.

    `known` are the chances of dice that a throw before it adds.
    """
    thrown, target = again(sources), Text("ego-needs", {"number": needed})

    def row(line: Text, bought: int, **also: Any) -> tuple[Text, Odds]:
        chances = pool_odds.mixed(
            known, lambda extra: pool_odds.successes(dice.size(number, (extra,), bought), **thrown, **also)
        )
        ends = [(more, pool_odds.at_least(chances, needed + more)) for more in range(1, _MORE)]
        found = [(Text("ego-odds-end", {"count": more}), chance) for more, chance in ends]
        found.append((Text("ego-odds-end"), chances[0]))
        return line, Odds(target, pool_odds.at_least(chances, needed), tuple(found), needed=needed)

    return tuple([row(line, bought, **also) for line, bought, also in ways(sheet, karma)])


def ways(sheet: EgoSheet, karma: int) -> Iterable[tuple[Text, int, dict[str, Any]]]:
    """As it is, and what Karma and luck may make of it besides: dice bought, a die flipped, a success more."""
    most = dice.karma_most(sheet.karma, sheet.round.karma_dice)
    for bought in (karma, *[each for each in range(1, most + 1) if each != karma]):
        yield Text("ego-odds-with", {"dice": bought}), bought, {}
    if sheet.karma > karma and not sheet.round.flipped:
        yield Text("ego-odds-with", {"how": "flip"}), karma, {"flip": True}
    if luck_left(sheet, LUCKY) > 0:
        yield Text("ego-odds-with", {"how": "lucky"}), karma, {"lucky": 1}


def again(sources: Sources) -> dict[str, int]:
    """How many dice have to be thrown again, and may be."""
    found = {"forced": 0, "again": 0}
    for each in sources:
        found["forced" if each.forced else "again"] += each.dice
    return found


def forecast(game: Game, check: AnyAttempt) -> Forecast:
    """Exactly as the GM has ruled it. Raises as `require_waiting` and `odds_of`."""
    require_waiting(check, thrown=check.data.answer != ROLL or bool(check.data.throws))
    data = refresh_from_sheets(game, check, check.data)
    return Forecast(term_lines(data.terms), shift_lines(data.shifts), odds_of(game, check, data))


def idle(game: Game, check: AnyAttempt, who: str) -> Text:
    """Why somebody can spend nothing on a check that is open."""
    return unspent(check, OPEN, certain=is_automatic(check.data)) or Text("ego-no-spend")
