"""Odds of checks and attacks before the roll, exact, as it is and with a Life Point (MB-DN-04,
MB-DMG-02).

A die whose 10s roll again comes to 10 k + r with the chance 1 / 10 ** (k + 1), r from 1 to 9. So
the total of some of them is ten times a number of 10s, whose chances are known in closed form, and
a sum of ordinary dice: every chance of reaching a number is a fraction, and exact.
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
from rules.systems.masterbook.checks.state import (
    MINE,
    THEIRS,
    AnyAttempt,
    Attempt,
    Rating,
    is_number_hidden,
)
from rules.systems.masterbook.checks.view import plan_name, rated_lines, shift_lines
from rules.systems.masterbook.combat import resolution
from rules.systems.masterbook.combat.declaration import AnyAttack, Attack
from rules.systems.masterbook.combat.procedure import active_defense, declare_attack
from rules.systems.masterbook.deck.play import CardEffect
from rules.systems.masterbook.formulas import damage, success_chart
from rules.systems.masterbook.formulas.dice import SIDES, Scope, bonus_number, least_die_total
from rules.systems.masterbook.formulas.reference_rows import cause_total
from rules.systems.masterbook.formulas.success_chart import Column
from rules.table.blocks import Text
from rules.table.checks.odds import public_chance
from rules.table.checks.procedure import CheckOdds, RollPreview
from rules.table.checks.stages import require_awaiting_roll
from rules.table.permissions import is_gm
from rules.table.system import Game, Odds, OddsTable, is_npc

#: Against dice, totals from here on count as this one. With up to twelve dice they come up once in
#: 10 ** 15 times: no chance is further off than that.
_TOP: Final = 300
#: Die totals above this one never come up: less than once in 10 ** 80 times.
_FARTHEST: Final = 1000


class RollProfile(Record):
    """What somebody rolls with: `value` with every modifier, whether 10s roll again, and what else
    brings dice.

    `points` count as spent in any case: a point never makes a total smaller, so this is also the
    chance of whoever spends one only where it is needed. The bonus number is at least `floor`, at
    most `most`.
    """

    value: int
    tens: bool = False
    ups: int = 0
    stymied: bool = False
    points: int = 0
    scope: Scope = "all"
    floor: int | None = None
    most: int | None = None
    #: Highest die total with which it fails all the same (MB-BG-41).
    fails_on: int = 0


class _Part(Record):
    """One way the dice may fall: `fixed` 10s that stay, dice that show anything, no 10, or roll
    again on 10s.
    """

    fixed: int = 0
    plain: int = 0
    low: int = 0
    chained: int = 0

    @property
    def dice(self) -> int:
        """All of them."""
        return self.fixed + self.plain + self.low + self.chained


_Parts = tuple[_Part, ...]


def _parts(hand: RollProfile) -> _Parts:
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


@lru_cache(maxsize=64)
def _weights(parts: _Parts, top: int) -> tuple[tuple[int, ...], int]:
    """How likely each total below `top` is, and of how many."""
    chains = (top - 1) // SIDES
    power = chains + max(each.dice for each in parts)
    found = [0] * top
    for part in parts:
        sums = _sums(part.plain, part.low + part.chained)
        for tens in range(chains + 1 if part.chained else 1):
            each = (comb(tens + part.chained - 1, tens) if tens else 1) * SIDES ** (
                power - part.dice - tens
            )
            start = SIDES * (part.fixed + tens)
            for at in range(start, min(top, start + len(sums))):
                found[at] += each * sums[at - start]
    return tuple(found), SIDES**power


@lru_cache(maxsize=4096)
def _below(parts: _Parts, total: int) -> Fraction:
    """The chance that the dice come to less than this; 1 for a total above `_FARTHEST`.

    Totals of any size share two rows of weights.
    """
    if total > _FARTHEST:
        return Fraction(1)
    weights, whole = _weights(parts, _TOP if total <= _TOP else _FARTHEST)
    return Fraction(sum(weights[:total]), whole)


@lru_cache(maxsize=512)
def _bonuses(
    parts: _Parts, floor: int | None, most: int | None, fails_on: int = 0
) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Each bonus number that may come up, how likely it is, and of how many.

    Die totals with which it fails in any case are left out.
    """
    weights, whole = _weights(parts, _TOP)
    found: dict[int, int] = {}
    for total, weight in enumerate((*weights, whole - sum(weights))):
        if weight and total > fails_on:
            number = _clamped_bonus(bonus_number(total), floor, most)
            found[number] = found.get(number, 0) + weight
    return tuple(found), tuple(found.values()), whole


def _clamped_bonus(number: int, floor: int | None, most: int | None) -> int:
    if most is not None:
        number = min(number, most)
    return number if floor is None else max(number, floor)


def needed_bonus(hand: RollProfile, number: int) -> int:
    """The bonus number that has to come up."""
    return number - hand.value


def odds_of_reaching(hand: RollProfile, other: int | RollProfile, by: int = 0) -> Fraction:
    """The chance of at least `by` result points against a difficulty number, or against the total
    of who rolls too.

    Exact against a number, up to die totals of `_FARTHEST`; less than 1e-15 off against dice.
    """
    if isinstance(other, RollProfile):
        return _against(hand, other, by)
    wanted = needed_bonus(hand, other + by)
    if hand.most is not None and wanted > hand.most:
        return Fraction(0)
    least = hand.fails_on + 1
    if hand.floor is None or wanted > hand.floor:
        least = max(least, least_die_total(wanted))
    return 1 - _below(_parts(hand), least)


def _against(hand: RollProfile, other: RollProfile, by: int) -> Fraction:
    mine, weights, whole = _bonuses(_parts(hand), hand.floor, hand.most, hand.fails_on)
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


def odds_by_points(hand: RollProfile, other: int | RollProfile) -> Iterable[Fraction]:
    """The chance of each number of result points, from 0 on."""
    reached = [odds_of_reaching(hand, other, each) for each in range(_DEEPEST + 1)]
    return [each - beyond for each, beyond in pairwise((*reached, Fraction(0)))]


def odds_by_result(
    hand: RollProfile, other: int | RollProfile, column: Column = "general"
) -> tuple[tuple[str, Fraction], ...]:
    """The chance of each result of a column, of none at all first."""
    better = [odds_of_reaching(hand, other, each.least) for each in success_chart.COLUMNS[column]]
    chances = [each - more for each, more in pairwise((Fraction(1), *better, Fraction(0)))]
    return tuple(zip(success_chart.ladder(column), chances, strict=True))


# --- a check --------------------------------------------------------------------------------------

#: Chances of each result alone, none first.
ResultOdds = tuple[tuple[str, Fraction], ...]
LabeledOdds = tuple[tuple[Text, Fraction], ...]


def roll_profile(how: Rating) -> RollProfile:
    """What somebody rolls with, for the odds."""
    found = RollProfile(how.rolled_number, how.trained, floor=how.floor, most=how.most)
    return found.replace(fails_on=how.fails_on)


def _with_cards(how: Rating, effects: Iterable[CardEffect], who: str, what: str) -> Rating:
    """What somebody rolls with, and the cards that were played on it before."""
    for each in effects:
        if (each.op, each.whose, each.what) == ("modify_total", who, what):
            modifiers = (*how.modifiers, (each.name, each.amount))
            how = how.replace(modifiers=modifiers, trained=how.trained or each.again)
    return how


def _with_result_cap(data: Attempt, found: ResultOdds) -> ResultOdds:
    """With what lies above the most that result points count added to what they reach
    (MB-INT-02).
    """
    if data.most is None:
        return found
    last = success_chart.ladder(data.column).index(success_chart.result(data.column, data.most))
    return (
        *found[:last],
        (found[last][0], sum([chance for _, chance in found[last:]], Fraction(0))),
    )


def _labeled_odds(found: ResultOdds) -> LabeledOdds:
    """Every result but none."""
    return tuple([(Text("mb-odds-level", {"level": level}), chance) for level, chance in found[1:]])


def _table(
    game: Game,
    who: str,
    how: Rating,
    other: int | RollProfile,
    number: int,
    outcomes: Callable[[RollProfile], LabeledOdds],
    level: str | None = None,
) -> OddsTable:
    """Chances as it is, and with a Life Point where somebody has one; `outcomes` of what they roll
    with then.

    `level` is what the scale calls the number, where it is one of its own.
    """
    again, scope, found = (
        dice_again(game, who),
        game.setting("lp_tens_scope"),
        list[tuple[Text, Odds]](),
    )
    for points in (0, 1) if game.sheet(who).life_points else (0,):
        hand = roll_profile(how).replace(
            ups=again.ups, stymied=again.stymied, points=points, scope=scope
        )
        needs = Text("mb-needs", {"number": number, "level": level})
        odds = Odds(needs, odds_of_reaching(hand, other), outcomes(hand), needed=number)
        found.append((Text("mb-odds-way", {"points": points}), odds))
    return tuple(found)


def odds_table(game: Game, check: AnyAttempt, data: Attempt) -> OddsTable:
    """As it is, and with a point; each success level. Impossible("odds-certain",
    "odds-unmeasured").

    What moves the difficulty in secret counts for GMs alone (MB-BG-15).
    """
    data = data if is_gm(game.state, game.actor) else data.replace(hidden_shifts=())
    number, mine = data.needed, data.mine
    if data.is_automatic:
        raise Impossible("odds-certain")
    if number is None or mine is None:
        raise Impossible("odds-unmeasured")
    mine = _with_cards(mine, data.effects, check.actor, MINE)
    other: int | RollProfile = number
    if data.theirs is not None and data.defense is not None and data.defense.active:
        other = roll_profile(_with_cards(data.theirs, data.effects, check.target or "", THEIRS))
        other = other.replace(value=other.value + cause_total(data.hidden_shifts))

    def levels(hand: RollProfile) -> LabeledOdds:
        return _labeled_odds(_with_result_cap(data, odds_by_result(hand, other, data.column)))

    named = (
        None
        if data.opposed or data.shifts or data.hidden_shifts
        else success_chart.LEVELS.get(number)
    )
    return _table(game, check.actor, mine, other, number, levels, named)


def check_odds(game: Game, check: AnyAttempt, look: Look = refresh_from_sheets) -> CheckOdds:
    """Exactly as the GM has ruled it.

    Impossible("not-answered"), ("hidden-odds") for players against an NPC's value,
    Outdated("check-moved-on"), and as `odds_table`.
    """
    require_awaiting_roll(check, thrown=bool(check.data.throws))
    if is_number_hidden(game, check) and not is_gm(game.state, game.actor):
        raise Impossible("hidden-odds", check=check.id)
    data = look(game, check, check.data)
    traits = () if data.mine is None else rated_lines(plan_name(data.request), data.mine)
    hidden = data.hidden_shifts if is_gm(game.state, game.actor) else ()
    shifts = shift_lines((*data.shifts, *hidden))
    return CheckOdds(traits, shifts, odds_table(game, check, data))


def next_roll(game: Game, check: AnyAttempt) -> RollPreview | None:
    """Return the two dice, with those of *up*, and the chance of the bare roll."""
    data = check.data
    if data.throws or data.opposed or data.mine is None:
        return None
    again = dice_again(game, check.actor)
    dice = None
    if not again.stymied:
        dice = Text("roll-dice", {"dice": 2 + 2 * again.ups, "sides": SIDES})
    return RollPreview(dice, public_chance(game, check))


# --- attacks --------------------------------------------------------------------------------------


def _wounds(hits: Iterable[Fraction], wounds: Callable[[int], int]) -> LabeledOdds:
    """The chance of so many wounds or more, up to those that kill; `wounds` are those of a total so
    far above.
    """
    found = [Fraction(0)] * (damage.DEAD + 1)
    for lead, chance in enumerate(hits):
        for number in range(min(wounds(lead), damage.DEAD) + 1):
            found[number] += chance
    return tuple(
        [(Text("mb-odds-wounds", {"number": at}), each) for at, each in enumerate(found)][1:]
    )


def attack_odds(game: Game, check: AnyAttack) -> CheckOdds:
    """As it is declared, against the passive defense or the active one that was chosen, and with a
    Life Point.

    Impossible("odds-unmeasured") for what players may not know, a throw at a place, and what isn't
    rolled; Outdated("check-moved-on").
    """
    data: Attack = check.data
    if data.throws or not check.is_open:
        raise Outdated(
            "check-moved-on", check=check.id, status="rolled" if check.is_open else "settled"
        )
    data = data if data.sides else declare_attack(game, check, data)[1]
    foe, side = data.foes[0], data.sides[0]
    secret = is_npc(game, foe.who) and not is_gm(game.state, game.actor)
    if (
        secret
        or side.blast
        or data.plan.group
        or data.plan.together
        or resolution.is_aiming_only(data)
    ):
        raise Impossible("odds-unmeasured")
    plan, beyond = data.plan, resolution.blind_concealment(data.plan)
    # What players may not know of counts for GMs alone (MB-BG-15).
    hidden = resolution.hidden_difficulty(data, foe) if is_gm(game.state, game.actor) else 0
    number = resolution.reported_number(data, foe) + hidden
    other: Any = number
    if foe.active:
        other = roll_profile(active_defense(game, foe))
        other = other.replace(value=other.value + plan.harder + plan.knockout + beyond + hidden)

    def wounds(lead: int) -> int:
        out = resolution.outcome_for_total(game, plan, lead, -beyond)
        found = resolution.AttackResult(0, side.damage_value, side.more, points=out.points or 0)
        return resolution.damage_to(
            game, data, foe, found, resolution.cover_toughness(plan, out.kind)
        ).wounds

    def outcomes(hand: RollProfile) -> LabeledOdds:
        if resolution.uses_maneuver_column(data):
            return _labeled_odds(odds_by_result(hand, other, "maneuver"))
        return _wounds(odds_by_points(hand, other), wounds)

    how = side.rating.replace(value=side.rating.value + foe.total_modifier)
    table = _table(game, side.who, how, other, number, outcomes)
    return CheckOdds(rated_lines(side.skill, side.rating), (), table)
