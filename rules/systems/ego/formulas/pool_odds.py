"""Exact odds of success pools, with all changes after the roll (EGO-DIE-01, EGO-DIE-05)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb

from rules.systems.ego.formulas.dice import SIDES, SUCCESS

#: Number of faces of a die that are successes.
_GOOD = SIDES - SUCCESS + 1


@lru_cache(maxsize=4096)
def _binomial(dice: int) -> tuple[int, ...]:
    """Return the number of ways, of SIDES ** dice, to roll each number of successes, from 0."""
    bad = SIDES - _GOOD
    return tuple(
        [comb(dice, hits) * _GOOD**hits * bad ** (dice - hits) for hits in range(dice + 1)]
    )


@lru_cache(maxsize=4096)
def successes(
    dice: int, *, forced: int = 0, again: int = 0, flip: bool = False, lucky: int = 0
) -> tuple[Fraction, ...]:
    """Return the chance of each number of successes, from 0.

    With fewer than 1 die, nothing is rolled. `forced` successes and `again` failures are re-rolled.
    A failed die is flipped with `flip`, and `lucky` successes are added.
    """
    if dice < 1:
        return (Fraction(1),)
    ways: dict[int, int] = defaultdict(int)
    total = forced + again
    for first, weight in enumerate(_binomial(dice)):
        lost, tried = min(forced, first), min(again, dice - first)
        # Dice that were thrown again all show something new: successes among them come back.
        fresh = lost + tried
        for back, more in enumerate(_binomial(fresh)):
            hits = first - lost + back
            hits += lucky + int(flip and hits < dice)
            ways[hits] += weight * more * SIDES ** (total - fresh)
    whole = SIDES ** (dice + total)
    return tuple([Fraction(ways.get(hits, 0), whole) for hits in range(max(ways) + 1)])


def combined_odds(
    chances: Sequence[Fraction], of: Callable[[int], Sequence[Fraction]]
) -> tuple[Fraction, ...]:
    """Return the odds of a roll that depends on a number with these chances (EGO-SPC-03).

    `of` returns the odds for each number.
    """
    odds: dict[int, Fraction] = defaultdict(Fraction)
    for first, chance in enumerate(chances):
        for hits, more in enumerate(of(first)):
            odds[hits] += chance * more
    return tuple([odds[hits] for hits in range(max(odds) + 1)])


def at_least(chances: Sequence[Fraction], needed: int) -> Fraction:
    """Return the chance of at least so many successes; without a success, a roll fails."""
    return sum(chances[max(1, needed) :], Fraction(0))


def opposed_odds(
    mine: Sequence[Fraction], theirs: Sequence[Fraction]
) -> tuple[Fraction, Fraction, Fraction]:
    """Return the chances that a pool wins, that both tie above 0, and of the rest (EGO-DIE-04)."""
    more = tied = Fraction(0)
    below = Fraction(0)
    for hits, chance in enumerate(mine):
        more += chance * below
        other = theirs[hits] if hits < len(theirs) else Fraction(0)
        tied += chance * other if hits else 0
        below += other
    return more, tied, 1 - more - tied


def damage(
    dice: Mapping[int, Fraction], flat: int = 0, *, by_die: bool = True
) -> Mapping[int, Fraction]:
    """Return the chance of each damage total (EGO-DMG-01, EGO-DMG-02).

    *dice* has the chance of each number of dice.
    """
    ways, odds = {0: 1}, defaultdict[int, Fraction](Fraction)
    for thrown in range(max(dice, default=0) + 1):
        share = dice.get(thrown, Fraction(0)) / SIDES**thrown
        for total, weight in ways.items() if share else ():
            odds[max(0, (total if by_die else -(-total // 2)) + flat)] += share * weight
        ways = _one_more(ways, by_die=by_die)
    return odds


def _one_more(ways: Mapping[int, int], *, by_die: bool) -> dict[int, int]:
    """Return the number of ways to each total with one more die."""
    new: dict[int, int] = defaultdict(int)
    for total, weight in ways.items():
        for face in range(1, SIDES + 1):
            new[total + ((face + 1) // 2 if by_die else face)] += weight
    return new
