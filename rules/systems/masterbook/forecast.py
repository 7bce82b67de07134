"""Odds of a check before the roll, as it is and with a Life Point (MB-DN-04)."""

from __future__ import annotations

from rules.core.errors import Impossible, Outdated
from rules.systems.masterbook import chances
from rules.systems.masterbook.attempt import looked
from rules.systems.masterbook.chances import Hand
from rules.systems.masterbook.check import AnyAttempt, Attempt, Rated, is_automatic, number_of
from rules.systems.masterbook.pending import dice_again
from rules.systems.masterbook.sheet import MasterbookSheet
from rules.systems.masterbook.standing import OPEN
from rules.systems.masterbook.telling import named, rated_lines, shift_lines
from rules.table.checks.procedure import Forecast
from rules.table.checks.stages import FREE, ROLL
from rules.table.events import Line
from rules.table.system import Game, Odds, OddsTable


def hand_of(how: Rated) -> Hand:
    """What somebody rolls with, for the odds."""
    return Hand(how.value + sum([each for _, each in how.modifiers]), how.trained, floor=how.floor)


def odds_of(game: Game, check: AnyAttempt, data: Attempt) -> OddsTable:
    """As it is, and with a point; each success level. Impossible("odds-unmeasured")."""
    number, mine = number_of(data), data.mine
    if number is None or mine is None or is_automatic(data):
        raise Impossible("odds-unmeasured")
    again, scope = dice_again(game, check.actor), game.setting("lp_tens_scope")
    active = data.theirs is not None and data.defence is not None and data.defence.active
    other = hand_of(data.theirs) if active and data.theirs is not None else number

    def row(line: Line, points: int) -> tuple[Line, Odds]:
        hand = hand_of(mine).but(ups=again.ups, stymied=again.stymied, points=points, scope=scope)
        found = chances.results(hand, other)
        outcomes = tuple([(Line("mb-odds-level", {"level": level}), chance) for level, chance in found[1:]])
        return line, Odds(
            Line("mb-needs", {"number": number}), chances.reach(hand, other), outcomes, needed=number
        )

    table = [row(Line("mb-odds-plain"), 0)]
    sheet: MasterbookSheet = game.sheet(check.actor)
    if sheet.life_points > 0:
        table.append(row(Line("mb-odds-point"), 1))
    return tuple(table)


def forecast(game: Game, check: AnyAttempt) -> Forecast:
    """Exactly as the GM has ruled it. Impossible("not-answered"), Outdated("check-moved-on"), and as `odds_of`."""
    data = check.data
    if not data.answer and check.open:
        raise Impossible("not-answered", check=check.id)
    if data.throws or not check.open:
        raise Outdated("check-moved-on", check=check.id, status="rolled" if check.open else "settled")
    data = looked(game, check, data)
    traits = () if data.mine is None else rated_lines(named(data.request), data.mine)
    return Forecast(traits, shift_lines(data.shifts), odds_of(game, check, data))


def idle(game: Game, check: AnyAttempt, who: str) -> Line:
    """Why somebody can spend nothing on a check that is open."""
    if not check.data.answer:
        return Line("no-spend-yet")
    if check.data.answer == FREE or is_automatic(check.data):
        return Line("mb-no-spend-certain")
    if check.stage != OPEN or check.data.answer != ROLL:
        return Line("no-spend-now")
    if check.visibility == "blind":
        return Line("no-spend-blind")
    return Line("mb-no-spend")
