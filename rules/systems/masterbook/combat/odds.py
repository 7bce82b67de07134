"""Odds of checks and attacks before the roll, exact, as it is and with a Life Point (MB-DN-04, MB-DMG-02).

A die whose 10s roll again comes to 10 k + r with the chance 1 / 10 ** (k + 1), r from 1 to 9. So the total of some of
them is ten times a number of 10s, whose chances are known in closed form, and a sum of ordinary dice: every chance of
reaching a number is a fraction, and exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise
from math import comb
from typing import Any, Final

from rules.core.errors import Impossible, Outdated
from rules.core.record import Record
from rules.systems.masterbook.checks.action_economy import dice_again
from rules.systems.masterbook.checks.procedure import Look, refresh_from_sheets
from rules.systems.masterbook.checks.state import MINE, THEIRS, AnyAttempt, Attempt, Rated, hiding
from rules.systems.masterbook.checks.view import named, rated_lines, shift_lines
from rules.systems.masterbook.combat import resolution
from rules.systems.masterbook.combat.declaration import AnyAttack, Attack
from rules.systems.masterbook.combat.procedure import active, declared
from rules.systems.masterbook.deck.play import Effect
from rules.systems.masterbook.formulas import damage, success_chart
from rules.systems.masterbook.formulas.dice import SIDES, Scope, bonus, needed
from rules.systems.masterbook.formulas.success_chart import Column
from rules.table.blocks import Text
from rules.table.checks.procedure import Forecast
from rules.table.checks.stages import require_waiting
from rules.table.permissions import is_gm
from rules.table.system import Game, Odds, OddsTable, is_npc

#: Against dice, totals from here on count as this one. With up to twelve dice they come up once in 10 ** 15 times:
#: no chance is further off than that.
_TOP: Final = 300


class Hand(Record):
    """What somebody rolls with: `value` with every modifier, whether 10s roll again, and what else brings dice.

    `points` count as spent in any case: a point never makes a total smaller, so this is also the chance of whoever
    spends one only where it is needed. The bonus number is at least `floor`, at most `most`.
    """

    value: int
    tens: bool = False
    ups: int = 0
    stymied: bool = False
    points: int = 0
    scope: Scope = "all"
    floor: int | None = None
    most: int | None = None


class _Part(Record):
    """One way the dice may fall: `fixed` 10s that stay, dice that show anything, no 10, or roll again on 10s."""

    fixed: int = 0
    plain: int = 0
    low: int = 0
    chained: int = 0

    @property
    def dice(self) -> int:
        """All of them."""
        return self.fixed + self.plain + self.low + self.chained


_Parts = tuple[_Part, ...]


def _parts(hand: Hand) -> _Parts:
    """The ways in which the dice of a hand may fall."""
    ups, points, lost = 2 * hand.ups, 2 * hand.points, int(hand.stymied)
    if hand.tens and hand.stymied and not ups:
        # It takes the roll of the first 10; without any, a die of a point.
        return (
            _Part(low=2, chained=max(0, points - 1)),
            _Part(fixed=1, chained=1 + points),
            _Part(fixed=1, low=1, chained=points),
        )
    if hand.tens or (points and hand.scope == "all"):
        return (_Part(chained=2 + ups + points - (lost if ups or points else 0)),)
    before = lost if ups else 0
    return (_Part(plain=2 + ups - before, chained=max(0, points - (lost - before))),)


def _sums(plain: int, nines: int) -> list[int]:
    """In how many ways dice come to each sum: so many of all sides, so many without the 10."""
    ways = [1]
    for faces in [SIDES] * plain + [SIDES - 1] * nines:
        size = len(ways) + faces
        ways = [sum(ways[max(0, at - faces) : max(0, at)]) for at in range(size)]
    return ways


@lru_cache(maxsize=512)
def _weights(parts: _Parts, top: int) -> tuple[tuple[int, ...], int]:
    """How likely each total below `top` is, and of how many."""
    chains = (top - 1) // SIDES
    power = chains + max(each.dice for each in parts)
    found = [0] * top
    for part in parts:
        sums = _sums(part.plain, part.low + part.chained)
        for tens in range(chains + 1 if part.chained else 1):
            each = (comb(tens + part.chained - 1, tens) if tens else 1) * SIDES ** (power - part.dice - tens)
            start = SIDES * (part.fixed + tens)
            for at in range(start, min(top, start + len(sums))):
                found[at] += each * sums[at - start]
    return tuple(found), SIDES**power


@lru_cache(maxsize=4096)
def _below(parts: _Parts, total: int) -> Fraction:
    """The chance that the dice come to less than this."""
    weights, whole = _weights(parts, max(total, _TOP))
    return Fraction(sum(weights[:total]), whole)


@lru_cache(maxsize=512)
def _bonuses(
    parts: _Parts, floor: int | None, most: int | None
) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Each bonus number that may come up, how likely it is, and of how many."""
    weights, whole = _weights(parts, _TOP)
    found: dict[int, int] = {}
    for total, weight in enumerate((*weights, whole - sum(weights))):
        if weight:
            number = _limited(bonus(total), floor, most)
            found[number] = found.get(number, 0) + weight
    return tuple(found), tuple(found.values()), whole


def _limited(number: int, floor: int | None, most: int | None) -> int:
    if most is not None:
        number = min(number, most)
    return number if floor is None else max(number, floor)


def lacking(hand: Hand, number: int) -> int:
    """The bonus number that has to come up."""
    return number - hand.value


def reach(hand: Hand, other: int | Hand, by: int = 0) -> Fraction:
    """The chance of at least `by` result points against a difficulty number, or against the total of who rolls too.

    Exact against a number; less than 1e-15 off against dice.
    """
    if isinstance(other, Hand):
        return _against(hand, other, by)
    wanted = lacking(hand, other + by)
    if hand.floor is not None and wanted <= hand.floor:
        return Fraction(1)
    if hand.most is not None and wanted > hand.most:
        return Fraction(0)
    return 1 - _below(_parts(hand), needed(wanted))


def _against(hand: Hand, other: Hand, by: int) -> Fraction:
    mine, weights, whole = _bonuses(_parts(hand), hand.floor, hand.most)
    theirs, others, all_ = _bonuses(_parts(other), other.floor, other.most)
    lead = hand.value - other.value - by
    below = (0, *accumulate(others))
    at = ways = 0
    for number, weight in zip(mine, weights, strict=True):
        while at < len(theirs) and theirs[at] <= number + lead:
            at += 1
        ways += weight * below[at]
    return Fraction(ways, whole * all_)


#: Result points up to which each is told apart; those beyond count as so many.
_DEEPEST: Final = 60


def by_points(hand: Hand, other: int | Hand) -> Iterable[Fraction]:
    """The chance of each number of result points, from 0 on."""
    reached = [reach(hand, other, each) for each in range(_DEEPEST + 1)]
    return [each - beyond for each, beyond in pairwise((*reached, Fraction(0)))]


def results(hand: Hand, other: int | Hand, column: Column = "general") -> tuple[tuple[str, Fraction], ...]:
    """The chance of each result of a column, of none at all first."""
    better = [reach(hand, other, each.least) for each in success_chart.COLUMNS[column]]
    chances = [each - more for each, more in pairwise((Fraction(1), *better, Fraction(0)))]
    return tuple(zip(success_chart.ladder(column), chances, strict=True))


# --- a check -------------------------------------------------------------------------------------------------

#: Chances of each result alone, none first.
Levels = tuple[tuple[str, Fraction], ...]
Levelled = tuple[tuple[Text, Fraction], ...]


def hand_of(how: Rated) -> Hand:
    """What somebody rolls with, for the odds."""
    return Hand(how.number, how.trained, floor=how.floor, most=how.most)


def _carded(how: Rated, effects: Iterable[Effect], who: str, what: str) -> Rated:
    """What somebody rolls with, and the cards that were played on it before."""
    for each in effects:
        if (each.op, each.whose, each.what) == ("modify_total", who, what):
            modifiers = (*how.modifiers, (each.name, each.amount))
            how = how.replace(modifiers=modifiers, trained=how.trained or each.again)
    return how


def _capped(data: Attempt, found: Levels) -> Levels:
    """With what lies above the most that result points count added to what they reach (MB-INT-02)."""
    if data.most is None:
        return found
    last = success_chart.ladder(data.column).index(success_chart.result(data.column, data.most))
    return (*found[:last], (found[last][0], sum([chance for _, chance in found[last:]], Fraction(0))))


def _levelled(found: Levels) -> Levelled:
    """Every result but none."""
    return tuple([(Text("mb-odds-level", {"level": level}), chance) for level, chance in found[1:]])


def _table(
    game: Game,
    who: str,
    how: Rated,
    other: int | Hand,
    number: int,
    outcomes: Callable[[Hand], Levelled],
    level: str | None = None,
) -> OddsTable:
    """Chances as it is, and with a Life Point where somebody has one; `outcomes` of what they roll with then.

    `level` is what the scale calls the number, where it is one of its own.
    """
    again, scope, found = dice_again(game, who), game.setting("lp_tens_scope"), list[tuple[Text, Odds]]()
    for points in (0, 1) if game.sheet(who).life_points else (0,):
        hand = hand_of(how).replace(ups=again.ups, stymied=again.stymied, points=points, scope=scope)
        needs = Text("mb-needs", {"number": number, "level": level})
        odds = Odds(needs, reach(hand, other), outcomes(hand), needed=number)
        found.append((Text("mb-odds-way", {"points": points}), odds))
    return tuple(found)


def odds_of(game: Game, check: AnyAttempt, data: Attempt) -> OddsTable:
    """As it is, and with a point; each success level. Impossible("odds-certain", "odds-unmeasured")."""
    number, mine = data.needed, data.mine
    if data.automatic:
        raise Impossible("odds-certain")
    if number is None or mine is None:
        raise Impossible("odds-unmeasured")
    mine = _carded(mine, data.effects, check.actor, MINE)
    other: int | Hand = number
    if data.theirs is not None and data.defence is not None and data.defence.active:
        other = hand_of(_carded(data.theirs, data.effects, check.target or "", THEIRS))

    def levels(hand: Hand) -> Levelled:
        return _levelled(_capped(data, results(hand, other, data.column)))

    named = None if data.opposed or data.shifts else success_chart.LEVELS.get(number)
    return _table(game, check.actor, mine, other, number, levels, named)


def forecast(game: Game, check: AnyAttempt, look: Look = refresh_from_sheets) -> Forecast:
    """Exactly as the GM has ruled it.

    Impossible("not-answered"), ("hidden-odds") for players against an NPC's value, Outdated("check-moved-on"), and as
    `odds_of`.
    """
    require_waiting(check, thrown=bool(check.data.throws))
    if hiding(game, check) and not is_gm(game.state, game.actor):
        raise Impossible("hidden-odds", check=check.id)
    data = look(game, check, check.data)
    traits = () if data.mine is None else rated_lines(named(data.request), data.mine)
    return Forecast(traits, shift_lines(data.shifts), odds_of(game, check, data))


# --- attacks -------------------------------------------------------------------------------------------------


def _wounds(hits: Iterable[Fraction], wounds: Callable[[int], int]) -> Levelled:
    """The chance of so many wounds or more, up to those that kill; `wounds` are those of a total so far above."""
    found = [Fraction(0)] * (damage.DEAD + 1)
    for lead, chance in enumerate(hits):
        for number in range(min(wounds(lead), damage.DEAD) + 1):
            found[number] += chance
    return tuple([(Text("mb-odds-wounds", {"number": at}), each) for at, each in enumerate(found)][1:])


def foreseen(game: Game, check: AnyAttack) -> Forecast:
    """As it is declared, against the passive defence or the active one that was chosen, and with a Life Point.

    Impossible("odds-unmeasured") for what players may not know, a throw at a place, and what isn't rolled;
    Outdated("check-moved-on").
    """
    data: Attack = check.data
    if data.throws or not check.open:
        raise Outdated("check-moved-on", check=check.id, status="rolled" if check.open else "settled")
    data = data if data.sides else declared(game, check, data)[1]
    foe, side = data.foes[0], data.sides[0]
    secret = is_npc(game, foe.who) and not is_gm(game.state, game.actor)
    if secret or side.blast or data.plan.group or data.plan.together or resolution.is_aiming_only(data):
        raise Impossible("odds-unmeasured")
    plan, beyond = data.plan, resolution.blind_concealment(data.plan)
    number = resolution.reported_number(data, foe)
    other: Any = number
    if foe.active:
        other = hand_of(active(game, foe))
        other = other.replace(value=other.value + plan.harder + plan.knockout + beyond)

    def wounds(lead: int) -> int:
        out = resolution.outcome_for_total(game, plan, lead, -beyond)
        found = resolution.AttackResult(0, side.dv, side.more, points=out.points or 0)
        return resolution.damage_to(game, data, foe, found, resolution.cover_toughness(plan, out.kind)).wounds

    def outcomes(hand: Hand) -> Levelled:
        if resolution.uses_maneuver_column(data):
            return _levelled(results(hand, other, "maneuver"))
        return _wounds(by_points(hand, other), wounds)

    how = side.how.replace(value=side.how.value + foe.later)
    table = _table(game, side.who, how, other, number, outcomes)
    return Forecast(rated_lines(side.skill, side.how), (), table)
