"""Odds of a check before the roll, as it is and with a Life Point (MB-DN-04)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, Final

from rules.core.errors import Impossible, Outdated
from rules.systems.masterbook import blows, chances, chart
from rules.systems.masterbook.aiming import AnyAttack, Attack, Side
from rules.systems.masterbook.attack import active, declared
from rules.systems.masterbook.attempt import looked
from rules.systems.masterbook.chances import Hand
from rules.systems.masterbook.check import (
    MINE,
    THEIRS,
    AnyAttempt,
    Attempt,
    Rated,
    hiding,
    is_automatic,
    number_of,
)
from rules.systems.masterbook.deck.playing import Effect
from rules.systems.masterbook.describe import toughness_of
from rules.systems.masterbook.doing import dice_again
from rules.systems.masterbook.sheet import MasterbookSheet
from rules.systems.masterbook.standing import OPEN
from rules.systems.masterbook.telling import named, rated_lines, shift_lines
from rules.table.checks.procedure import Forecast
from rules.table.checks.stages import FREE, ROLL
from rules.table.events import Line
from rules.table.permissions import is_gm
from rules.table.system import Game, Odds, OddsTable, is_npc

#: Chances of each result alone, none first; and what looks the sheets up.
Levels = tuple[tuple[str, Fraction], ...]
Look = Callable[[Game, AnyAttempt, Any], Any]


def hand_of(how: Rated) -> Hand:
    """What somebody rolls with, for the odds."""
    value = how.value + sum([each for _, each in how.modifiers])
    return Hand(value, how.trained, floor=how.floor, most=how.most)


def _carded(how: Rated, effects: Iterable[Effect], who: str, what: str) -> Rated:
    """What somebody rolls with, and the cards that were played on it before."""
    for each in effects:
        if (each.op, each.whose, each.what) == ("modify_total", who, what):
            modifiers = (*how.modifiers, (each.name, each.amount))
            how = how.but(modifiers=modifiers, trained=how.trained or each.again)
    return how


def _capped(data: Attempt, found: Levels) -> Levels:
    """With what lies above the most that result points count added to what they reach (MB-INT-02)."""
    if data.most is None:
        return found
    last = chart.ladder(data.column).index(chart.result(data.column, data.most))
    return (*found[:last], (found[last][0], sum([chance for _, chance in found[last:]], Fraction(0))))


def odds_of(game: Game, check: AnyAttempt, data: Attempt) -> OddsTable:
    """As it is, and with a point; each success level. Impossible("odds-unmeasured")."""
    number, mine = number_of(data), data.mine
    if number is None or mine is None or is_automatic(data):
        raise Impossible("odds-unmeasured")
    mine = _carded(mine, data.effects, check.actor, MINE)
    again, scope = dice_again(game, check.actor), game.setting("lp_tens_scope")
    active = data.theirs is not None and data.defence is not None and data.defence.active
    other = number
    if active and data.theirs is not None:
        other = hand_of(_carded(data.theirs, data.effects, check.target or "", THEIRS))

    def row(line: Line, points: int) -> tuple[Line, Odds]:
        hand = hand_of(mine).but(ups=again.ups, stymied=again.stymied, points=points, scope=scope)
        found = _capped(data, chances.results(hand, other, data.column))
        outcomes = tuple([(Line("mb-odds-level", {"level": level}), chance) for level, chance in found[1:]])
        return line, Odds(
            Line("mb-needs", {"number": number}), chances.reach(hand, other), outcomes, needed=number
        )

    table = [row(Line("mb-odds-plain"), 0)]
    sheet: MasterbookSheet = game.sheet(check.actor)
    if sheet.life_points > 0:
        table.append(row(Line("mb-odds-point"), 1))
    return tuple(table)


def forecast(game: Game, check: AnyAttempt, look: Look = looked) -> Forecast:
    """Exactly as the GM has ruled it.

    Impossible("not-answered"), ("hidden-odds") for players against an NPC's value, Outdated("check-moved-on"), and as
    `odds_of`.
    """
    data = check.data
    if not data.answer and check.open:
        raise Impossible("not-answered", check=check.id)
    if data.throws or not check.open:
        raise Outdated("check-moved-on", check=check.id, status="rolled" if check.open else "settled")
    if hiding(game, check) and not is_gm(game.state, game.actor):
        raise Impossible("hidden-odds", check=check.id)
    data = look(game, check, data)
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


# --- attacks -------------------------------------------------------------------------------------------------

#: Wounds up to those that kill, and the damage points from which on there are so many.
_WOUNDS: Final = tuple(
    [(number, next(at for at in range(40) if chart.damage(at).wounds >= number)) for number in range(1, 7)]
)


def _hand_of(game: Game, side: Side, points: int) -> Hand:
    again, scope = dice_again(game, side.who), game.setting("lp_tens_scope")
    return hand_of(side.how).but(ups=again.ups, stymied=again.stymied, points=points, scope=scope)


def _wounds(hand: Hand, other: int | Hand, over: int) -> tuple[tuple[Line, Fraction], ...]:
    """The chance of so many wounds or more; `over` is how far a bare hit is above Toughness."""
    return tuple(
        (Line("mb-odds-wounds", {"number": number}), chances.reach(hand, other, max(0, least - over)))
        for number, least in _WOUNDS
    )


def foreseen(game: Game, check: AnyAttack) -> Forecast:
    """As it is declared, against the passive defence or the active one that was chosen, and with a Life Point.

    Impossible("odds-unmeasured") for what players may not know, and a throw at a place; Outdated("check-moved-on").
    """
    data: Attack = check.data
    if data.throws or not check.open:
        raise Outdated("check-moved-on", check=check.id, status="rolled" if check.open else "settled")
    data = data if data.sides else declared(game, check, data)[1]
    foe, side = data.foes[0], data.sides[0]
    secret = is_npc(game, foe.who) and not is_gm(game.state, game.actor)
    if secret or side.blast or data.plan.group or data.plan.together:
        raise Impossible("odds-unmeasured")
    number = blows.number_of(data, foe) + blows.hidden(data.plan)
    other: Any = hand_of(active(game, foe)) if foe.active else number
    over = (
        side.dv + side.more - toughness_of(game.sheet(foe.who)) - blows.worn(game.sheet(foe.who), data.plan)
    )
    rows = [(Line("mb-odds-plain"), 0)]
    if game.sheet(side.who).life_points:
        rows.append((Line("mb-odds-point"), 1))
    table = [
        (
            line,
            Odds(
                Line("mb-needs", {"number": number}),
                chances.reach(_hand_of(game, side, points), other),
                _wounds(_hand_of(game, side, points), other, over),
                needed=number,
            ),
        )
        for line, points in rows
    ]
    return Forecast(rated_lines(side.skill, side.how), (), tuple(table))
