"""Exact odds of checks and attacks before the roll, without and with a Life Point.

MB-DN-04, MB-DMG-02.

A die whose 10s roll again comes to 10 k + r with the chance 1 / 10 ** (k + 1), r from 1 to 9. The
total of several is ten times a number of 10s, whose chances are known in closed form, plus a sum of
ordinary dice. So every chance of reaching a number is an exact fraction.
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
from rules.systems.masterbook.checks.attempt_values import Look, refresh_from_sheets
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

#: Highest total against dice; higher ones count as this. With up to twelve dice these come up once
#: in 10 ** 15 rolls, so no chance is further off than that.
_TOP: Final = 300
#: Highest die total that counts. A higher one comes up less than once in 10 ** 80 rolls.
_FARTHEST: Final = 1000


class RollProfile(Record):
    """Dice and numbers of one roll."""

    #: Value with every modifier.
    value: int
    #: Whether 10s roll again.
    tens: bool = False
    ups: int = 0
    stymied: bool = False
    #: Life Points, spent in any case. A point never lowers a total, so the chance is the same for a
    #: player who spends it only on a failure.
    points: int = 0
    #: The 10s that a point lets roll again.
    scope: Scope = "all"
    #: Least and highest bonus number.
    floor: int | None = None
    most: int | None = None
    #: Highest die total with which it fails all the same (MB-BG-41).
    fails_on: int = 0


class _Part(Record):
    """One of the cases into which the rolls of some dice are divided."""

    #: 10s that stay.
    fixed: int = 0
    #: Dice that show anything.
    plain: int = 0
    #: Dice that show no 10.
    low: int = 0
    #: Dice whose 10s roll again.
    chained: int = 0

    @property
    def dice(self) -> int:
        """Number of all dice."""
        return self.fixed + self.plain + self.low + self.chained


_Parts = tuple[_Part, ...]


def _parts(hand: RollProfile) -> _Parts:
    """Return the cases into which the dice of a roll are divided."""
    ups, points, lost = 2 * hand.ups, 2 * hand.points, int(hand.stymied)
    if hand.tens and hand.stymied and not ups:
        # Being stymied takes the roll of the first 10; without any, a die of a point.
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
    """Return the number of ways to each sum of *plain* dice and of *nines*, dice without a 10."""
    ways = [1]
    for faces in [SIDES] * plain + [SIDES - 1] * nines:
        size = len(ways) + faces
        ways = [sum(ways[max(0, at - faces) : max(0, at)]) for at in range(size)]
    return ways


@lru_cache(maxsize=64)
def _weights(parts: _Parts, top: int) -> tuple[tuple[int, ...], int]:
    """Return the weight of each total below *top*, and the sum of all weights."""
    chains = (top - 1) // SIDES
    power = chains + max(part.dice for part in parts)
    weights = [0] * top
    for part in parts:
        sums = _sums(part.plain, part.low + part.chained)
        for tens in range(chains + 1 if part.chained else 1):
            ways = comb(tens + part.chained - 1, tens) if tens else 1
            weight = ways * SIDES ** (power - part.dice - tens)
            start = SIDES * (part.fixed + tens)
            for total in range(start, min(top, start + len(sums))):
                weights[total] += weight * sums[total - start]
    return tuple(weights), SIDES**power


@lru_cache(maxsize=4096)
def _below(parts: _Parts, total: int) -> Fraction:
    """Return the chance that the dice come to less than *total*; 1 above `_FARTHEST`.

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
    """Return the possible bonus numbers, the weight of each, and the sum of all weights.

    Die totals that fail in any case are left out.
    """
    weights, whole = _weights(parts, _TOP)
    bonuses: dict[int, int] = {}
    for total, weight in enumerate((*weights, whole - sum(weights))):
        if weight and total > fails_on:
            number = _clamped_bonus(bonus_number(total), floor, most)
            bonuses[number] = bonuses.get(number, 0) + weight
    return tuple(bonuses), tuple(bonuses.values()), whole


def _clamped_bonus(number: int, floor: int | None, most: int | None) -> int:
    if most is not None:
        number = min(number, most)
    return number if floor is None else max(number, floor)


def needed_bonus(hand: RollProfile, number: int) -> int:
    """Return the bonus number that reaches a number."""
    return number - hand.value


def odds_of_reaching(hand: RollProfile, other: int | RollProfile, by: int = 0) -> Fraction:
    """Return the chance of at least *by* result points against a number, or against another roll.

    It is exact against a number, up to die totals of `_FARTHEST`, and less than 1e-15 off against
    dice.
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
    """Return the chance of at least *by* result points against another roll."""
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


#: Highest number of result points that is told apart; higher ones count as this.
_DEEPEST: Final = 60


def odds_by_points(hand: RollProfile, other: int | RollProfile) -> Iterable[Fraction]:
    """Return the chance of each number of result points, from 0 on."""
    at_least = [odds_of_reaching(hand, other, points) for points in range(_DEEPEST + 1)]
    return [chance - beyond for chance, beyond in pairwise((*at_least, Fraction(0)))]


def odds_by_result(
    hand: RollProfile, other: int | RollProfile, column: Column = "general"
) -> tuple[tuple[str, Fraction], ...]:
    """Return the chance of each result of a column, that of a failure first."""
    at_least = [odds_of_reaching(hand, other, row.least) for row in success_chart.COLUMNS[column]]
    steps = pairwise((Fraction(1), *at_least, Fraction(0)))
    chances = [chance - better for chance, better in steps]
    return tuple(zip(success_chart.ladder(column), chances, strict=True))


# --- a check --------------------------------------------------------------------------------------

#: Chance of each result, that of a failure first.
ResultOdds = tuple[tuple[str, Fraction], ...]
LabeledOdds = tuple[tuple[Text, Fraction], ...]


def roll_profile(how: Rating) -> RollProfile:
    """Return the profile of a rating."""
    profile = RollProfile(how.rolled_number, how.trained, floor=how.floor, most=how.most)
    return profile.replace(fails_on=how.fails_on)


def _with_cards(how: Rating, effects: Iterable[CardEffect], who: str, what: str) -> Rating:
    """Return a rating with the cards that were played on it before the roll."""
    for effect in effects:
        if (effect.op, effect.whose, effect.what) == ("modify_total", who, what):
            modifiers = (*how.modifiers, (effect.name, effect.amount))
            how = how.replace(modifiers=modifiers, trained=how.trained or effect.again)
    return how


def _with_result_cap(data: Attempt, odds: ResultOdds) -> ResultOdds:
    """Return the odds with results above the cap counted as the best that it allows (MB-INT-02)."""
    if data.most is None:
        return odds
    last = success_chart.ladder(data.column).index(success_chart.result(data.column, data.most))
    best, _ = odds[last]
    chance = sum([chance for _, chance in odds[last:]], Fraction(0))
    return (*odds[:last], (best, chance))


def _labeled_odds(odds: ResultOdds) -> LabeledOdds:
    """Return the odds of every success with its label."""
    return tuple((Text("mb-odds-level", {"level": level}), chance) for level, chance in odds[1:])


def _table(
    game: Game,
    who: str,
    how: Rating,
    other: int | RollProfile,
    number: int,
    outcomes: Callable[[RollProfile], LabeledOdds],
    level: str | None = None,
) -> OddsTable:
    """Return the odds of a roll, and those with a Life Point if the character has one.

    *outcomes* returns the odds of each success. *level* is the scale's name of the number, if it
    has one.
    """
    again, scope = dice_again(game, who), game.setting("lp_tens_scope")
    base = roll_profile(how).replace(ups=again.ups, stymied=again.stymied, scope=scope)
    needs = Text("mb-needs", {"number": number, "level": level})
    rows: list[tuple[Text, Odds]] = []
    for points in (0, 1) if game.sheet(who).life_points else (0,):
        hand = base.replace(points=points)
        odds = Odds(needs, odds_of_reaching(hand, other), outcomes(hand), needed=number)
        rows.append((Text("mb-odds-way", {"points": points}), odds))
    return tuple(rows)


def odds_table(game: Game, check: AnyAttempt, data: Attempt) -> OddsTable:
    """Return the odds of each success level, without and with a Life Point.

    Hidden shifts of the difficulty count for GMs only (MB-BG-15). Raises
    Impossible("odds-certain", "odds-unmeasured").
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

    level: str | None = None
    if not (data.opposed or data.shifts or data.hidden_shifts):
        level = success_chart.LEVELS.get(number)
    return _table(game, check.actor, mine, other, number, levels, level)


def check_odds(game: Game, check: AnyAttempt, look: Look = refresh_from_sheets) -> CheckOdds:
    """Return the odds of a check as the GM has ruled it.

    Raises:
        As `odds_table`.
        Impossible("not-answered"): a GM has yet to answer.
        Impossible("hidden-odds"): only GMs know the number, or the NPC's value.
        Outdated("check-moved-on"): the dice have been rolled.
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
    """Return the chance of each number of wounds or more, up to those that kill.

    *hits* are the chances of each number of result points. *wounds* returns the wounds of such a
    hit.
    """
    chances = [Fraction(0)] * (damage.DEAD + 1)
    for points, chance in enumerate(hits):
        for number in range(min(wounds(points), damage.DEAD) + 1):
            chances[number] += chance
    labeled: list[tuple[Text, Fraction]] = []
    for number, chance in enumerate(chances[1:], 1):
        labeled.append((Text("mb-odds-wounds", {"number": number}), chance))
    return tuple(labeled)


def attack_odds(game: Game, check: AnyAttack) -> CheckOdds:
    """Return the odds of an attack as it is declared, without and with a Life Point.

    They go against the passive defense, or against an active one that was chosen.

    Raises:
        Impossible("odds-unmeasured"): players may not know the odds, or the rules have none.
        Outdated("check-moved-on"): the dice have been rolled.
    """
    data: Attack = check.data
    if data.throws or not check.is_open:
        raise Outdated(
            "check-moved-on", check=check.id, status="rolled" if check.is_open else "settled"
        )
    if not data.sides:
        _, data = declare_attack(game, check, data)
    plan, foe, side = data.plan, data.foes[0], data.sides[0]
    leads = is_gm(game.state, game.actor)
    if is_npc(game, foe.who) and not leads:
        raise Impossible("odds-unmeasured")
    if side.blast or plan.group or plan.together or resolution.is_aiming_only(data):
        raise Impossible("odds-unmeasured")
    beyond = resolution.blind_concealment(plan)
    # Hidden difficulties count for GMs only (MB-BG-15).
    hidden = resolution.hidden_difficulty(data, foe) if leads else 0
    number = resolution.reported_number(data, foe) + hidden
    other: Any = number
    if foe.active:
        other = roll_profile(active_defense(game, foe))
        other = other.replace(value=other.value + plan.harder + plan.knockout + beyond + hidden)

    def wounds(points: int) -> int:
        outcome = resolution.outcome_for_total(game, plan, points, -beyond)
        attack = resolution.AttackResult(
            0, side.damage_value, side.more, points=outcome.points or 0
        )
        cover = resolution.cover_toughness(plan, outcome.kind)
        return resolution.damage_to(game, data, foe, attack, cover).wounds

    def outcomes(hand: RollProfile) -> LabeledOdds:
        if resolution.uses_maneuver_column(data):
            return _labeled_odds(odds_by_result(hand, other, "maneuver"))
        return _wounds(odds_by_points(hand, other), wounds)

    how = side.rating.replace(value=side.rating.value + foe.total_modifier)
    table = _table(game, side.who, how, other, number, outcomes)
    return CheckOdds(rated_lines(side.skill, side.rating), (), table)
