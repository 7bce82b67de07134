"""Odds of an attack before the roll: whether it hits, and how badly (MB-DN-04, MB-DMG-02)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from rules.core.errors import Impossible, Outdated
from rules.systems.masterbook import blows, chances, chart
from rules.systems.masterbook.aiming import AnyAttack, Attack, Side
from rules.systems.masterbook.attack import active, declared
from rules.systems.masterbook.chances import Hand
from rules.systems.masterbook.describe import toughness_of
from rules.systems.masterbook.doing import dice_again
from rules.systems.masterbook.forecast import hand_of
from rules.systems.masterbook.telling import is_npc, rated_lines
from rules.table.checks.procedure import Forecast
from rules.table.events import Line
from rules.table.permissions import is_gm
from rules.table.system import Game, Odds

#: Wounds up to those that kill, and the damage points from which on there are so many.
_WOUNDS: Final = tuple(
    [(number, next(at for at in range(40) if chart.damage(at).wounds >= number)) for number in range(1, 7)]
)


def _hand(game: Game, side: Side, points: int) -> Hand:
    again, scope = dice_again(game, side.who), game.setting("lp_tens_scope")
    return hand_of(side.how).but(ups=again.ups, stymied=again.stymied, points=points, scope=scope)


def _wounds(hand: Hand, other: int | Hand, over: int) -> tuple[tuple[Line, Fraction], ...]:
    """The chance of so many wounds or more; `over` is how far a bare hit is above Toughness."""
    return tuple(
        [
            (Line("mb-odds-wounds", {"number": number}), chances.reach(hand, other, max(0, least - over)))
            for number, least in _WOUNDS
        ]
    )


def forecast(game: Game, check: AnyAttack) -> Forecast:
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
                chances.reach(_hand(game, side, points), other),
                _wounds(_hand(game, side, points), other, over),
                needed=number,
            ),
        )
        for line, points in rows
    ]
    return Forecast(rated_lines(side.skill, side.how), (), tuple(table))
