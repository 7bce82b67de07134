"""Luck: where the dice of each player lie among all that could have fallen.

Each roll counts by its percentile: the chance of less, and half the chance of the same. The average
percentile of fair dice is exactly one half, whatever is rolled. So luck of different dice can be
averaged, and pure chance bounds how far the average strays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, isqrt
from typing import Final

from rules.core.dice.notation import parse
from rules.core.dice.odds import Distribution, distribution
from rules.core.errors import RulesError
from rules.core.record import Record
from rules.table.blocks import Block, Roll
from rules.table.events import CheckChanged, DiceRolled

#: All NPCs together, in place of a participant.
NPCS: Final = ""
#: Least rolls whose average says anything.
ENOUGH: Final = 20
_HALF: Final = Fraction(1, 2)
#: Standard deviations within which the averages of 19 of 20 fair players lie.
_DEVIATIONS: Final = Fraction(196, 100)
#: Digits of a square root.
_SCALE: Final = 10**6


class Draw(Record):
    """A roll or a die that fell."""

    #: Participant; `NPCS` for the GM's characters.
    person: str
    #: Chance of less, and half the chance of the same.
    percentile: Fraction
    #: Variance of the percentile by chance.
    variance: Fraction


class Luck(Record):
    """The luck of one participant, or of all together."""

    person: str
    rolls: int
    #: Average percentile, from 0 to 100.
    percentile: int
    #: Bounds between which chance alone leaves 19 of 20 averages of so many rolls.
    low: int
    high: int


def face_draw(person: str, sides: int, face: int) -> Draw:
    """Return the luck of a single die."""
    percentile = Fraction(2 * face - 1, 2 * sides)
    variance = Fraction(sides**2 - 1, 12 * sides**2)
    return Draw(person, percentile, variance)


def total_draw(person: str, text: str, total: int) -> Draw | None:
    """Return the luck of an expression's total; None if its chances aren't known exactly."""
    odds = _exact_odds(text)
    if odds is None or total not in odds.weights:
        return None
    same = Fraction(odds.weights[total], odds.ways)
    less = 1 - odds.at_least(total)
    return Draw(person, less + same / 2, _variance(odds))


@lru_cache(maxsize=512)
def _exact_odds(text: str) -> Distribution | None:
    try:
        odds = distribution(parse(text))
    except RulesError:
        return None
    return None if odds.left_out or len(odds.weights) < 2 else odds


@lru_cache(maxsize=512)
def _variance_of(weights: tuple[int, ...], ways: int) -> Fraction:
    below, total = 0, Fraction(0)
    for weight in weights:
        middle = Fraction(2 * below + weight, 2 * ways)
        total += Fraction(weight, ways) * (middle - _HALF) ** 2
        below += weight
    return total


def _variance(odds: Distribution) -> Fraction:
    return _variance_of(tuple(odds.weights.values()), odds.ways)


def free_draws(event: DiceRolled) -> tuple[Draw, ...]:
    """Return the luck of a free roll: each of its totals whose chances are known."""
    draws = [total_draw(event.by, event.text, total) for total in event.totals]
    return tuple(draw for draw in draws if draw is not None)


def check_draws(event: CheckChanged, owners: Mapping[str, str]) -> tuple[Draw, ...]:
    """Return the luck of each die of a check, as everybody was shown it.

    `owners` are the players of characters by name. A die that was rolled again counts with each
    face that fell: whether to roll again is no luck.
    """
    draws: list[Draw] = []
    for roll in _public_rolls(event.blocks):
        name = "" if roll.who is None else roll.who.name
        if event.actor is None or name in ("", event.actor.name):
            person = event.owner or NPCS
        else:
            person = owners.get(name, NPCS)
        faces = [(die.sides, die.face) for die in roll.dice]
        faces += [(roll.dice[place].sides, face) for place, face in roll.replaced]
        draws += [face_draw(person, sides, face) for sides, face in faces if 1 <= face <= sides]
    return tuple(draws)


def _public_rolls(blocks: Iterable[Block]) -> list[Roll]:
    rolls: list[Roll] = []
    for block in blocks:
        if isinstance(block, Roll) and block.visible_to is None and block.hidden_from is None:
            rolls.append(block)
    return rolls


def luck_of(draws: Iterable[Draw]) -> tuple[Luck, ...]:
    """Return the luck of each participant, and of the NPCs, by id."""
    by_person: dict[str, list[Draw]] = {}
    for draw in draws:
        by_person.setdefault(draw.person, []).append(draw)
    return tuple(average_luck(person, by_person[person]) for person in sorted(by_person))


def average_luck(person: str, draws: Iterable[Draw]) -> Luck:
    """Return the average luck of some draws, of which there is at least one."""
    # Most draws are alike, and adding up fractions takes time.
    alike = Counter((draw.percentile, draw.variance) for draw in draws)
    count = sum(alike.values())
    percentiles, variance = Fraction(0), Fraction(0)
    for (draw_percentile, draw_variance), number in alike.items():
        percentiles += draw_percentile * number
        variance += draw_variance * number
    spread = _DEVIATIONS * _root(variance) / count
    low, high = max(_HALF - spread, Fraction(0)), min(_HALF + spread, Fraction(1))
    return Luck(
        person,
        count,
        _percent(percentiles / count),
        floor(low * 100),
        ceil(high * 100),
    )


def _root(value: Fraction) -> Fraction:
    """Return a square root, rounded up to a millionth."""
    scaled = value * _SCALE * _SCALE
    return Fraction(isqrt(scaled.numerator // scaled.denominator) + 1, _SCALE)


def _percent(share: Fraction) -> int:
    """Return a share in percent, halves rounded up."""
    return int(share * 100 + _HALF)
