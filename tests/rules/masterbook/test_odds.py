"""Exact chances, against the dice themselves and against every way they may fall."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.core.rng import ScriptedRng
from rules.systems.masterbook.combat.odds import (
    RollProfile,
    needed_bonus,
    odds_by_result,
    odds_of_reaching,
)
from rules.systems.masterbook.formulas import dice
from rules.systems.masterbook.formulas.dice import bonus_number
from rules.systems.masterbook.formulas.success_chart import DIFFICULTIES

hands = st.builds(
    RollProfile,
    st.integers(-5, 25),
    st.booleans(),
    st.integers(0, 2),
    st.booleans(),
    st.integers(0, 2),
    st.sampled_from(["all", "new_dice_only"]),
    st.sampled_from([None, 0, 3]),
    st.sampled_from([None, 8]),
)


class _Branching:
    """Dice that say so where they have come to the end of what was laid down."""

    class More(Exception):
        pass

    def __init__(self, faces: tuple[int, ...]) -> None:
        self._script = ScriptedRng(faces)

    def below(self, n: int, /) -> int:
        if not self._script.left:
            raise self.More
        return self._script.below(n)


def _fallen(hand: RollProfile, faces: tuple[int, ...]) -> dice.Roll:
    rng = _Branching(faces)
    roll = dice.throw(rng, hand.tens, hand.ups, hand.stymied)
    for _ in range(hand.points):
        roll = dice.spend_point(roll, rng, hand.scope)
    return roll


@lru_cache(maxsize=64)
def _below(hand: RollProfile, total: int) -> Fraction:
    """The chance of less than a total, by every way in which the play's own dice come to it."""
    found, open_ = Fraction(0), [()]
    while open_:
        faces: tuple[int, ...] = open_.pop()
        if sum(faces) >= total:
            continue
        try:
            assert _fallen(hand, faces).total == sum(faces)
            found += Fraction(1, 10 ** len(faces))
        except _Branching.More:
            open_ += [(*faces, face) for face in range(1, 11)]
    return found


@pytest.mark.rule("MB-DN-04", "MB-DIE-02", "MB-DIE-03", "MB-DIE-04", "MB-DIE-05")
@pytest.mark.parametrize("tens", [False, True], ids=["plain", "tens"])
@pytest.mark.parametrize("stymied", [False, True], ids=["free", "stymied"])
@pytest.mark.parametrize(("ups", "points"), [(0, 0), (1, 0), (0, 1)])
@pytest.mark.parametrize("scope", ["all", "new_dice_only"])
def test_chances_are_those_of_the_dice(
    tens: bool, stymied: bool, ups: int, points: int, scope: str
) -> None:
    hand = RollProfile(0, tens, ups, stymied, points, "all" if scope == "all" else "new_dice_only")
    for wanted in (
        (bonus_number(13), bonus_number(17))
        if ups + points
        else (bonus_number(13), bonus_number(21), bonus_number(26))
    ):
        assert 1 - odds_of_reaching(hand, wanted) == _below(hand, dice.least_die_total(wanted))


@pytest.mark.rule("MB-DN-04", "MB-SKILL-06")
def test_the_odds_of_the_scale() -> None:
    """For a value of 8 without training; every printed one but Complicated's is that of one point
    more.
    """
    chances = {
        each.name: odds_of_reaching(RollProfile(8), each.dn) * 100
        for each in DIFFICULTIES.values()
        if each.dn is not None
    }
    assert list(chances.values()) == [99, 94, 90, 85, 72, 36, 21, 15, 6, 0, 0, 0]
    for each in DIFFICULTIES.values():
        if each.dn is not None and each.printed is not None and each.name != "Complicated":
            assert odds_of_reaching(RollProfile(8), each.dn, 1) * 100 == each.printed


@pytest.mark.rule("MB-DN-04")
@pytest.mark.parametrize(
    ("total", "chance"),
    [
        (2, "1"),
        (11, "11/20"),
        (13, "199/500"),
        (16, "23/100"),
        (21, "1/10"),
        (31, "29/2000"),
        (41, "19/10000"),
    ],
)
def test_tens_that_roll_again_without_end(total: int, chance: str) -> None:
    assert odds_of_reaching(RollProfile(0, tens=True), bonus_number(total)) == Fraction(chance)


@pytest.mark.rule("MB-DN-04")
def test_far_beyond_the_chart_a_chance_is_still_exact() -> None:
    for total in (256, 301, 401):
        assert odds_of_reaching(RollProfile(0, tens=True), bonus_number(total)) == _two_chained(
            total
        )
    assert odds_of_reaching(RollProfile(0), 10) == 0
    assert odds_of_reaching(RollProfile(0), -10) == odds_of_reaching(RollProfile(0), -11) == 1


@pytest.mark.rule("MB-DN-04")
def test_numbers_of_any_size_take_little_memory() -> None:
    hand = RollProfile(12, tens=True)
    tracemalloc.start()
    chances = [odds_of_reaching(hand, number) for number in (*range(20_000), 50_000_007, 10**22)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000, "bytes"
    assert chances[0] == 1 and chances[-1] == 0
    assert all(one >= other for one, other in pairwise(chances))


def _two_chained(total: int) -> Fraction:
    """The chance that two dice reach it, one after the other."""

    def one(least: int) -> Fraction:
        tens, rest = divmod(max(least, 1), 10)
        return Fraction(11 - rest, 10 ** (tens + 1)) if rest else Fraction(1, 10**tens)

    def exactly(number: int) -> Fraction:
        return Fraction(1, 10 ** (number // 10 + 1)) if number % 10 else Fraction(0)

    return sum([exactly(first) * one(total - first) for first in range(1, total)], one(total))


@pytest.mark.rule("MB-DN-04")
@given(hands, st.integers(-15, 60))
@settings(max_examples=60)
def test_a_higher_number_is_no_likelier_and_more_dice_no_worse(
    hand: RollProfile, number: int
) -> None:
    chance = odds_of_reaching(hand, number)
    assert 0 <= odds_of_reaching(hand, number + 1) <= chance <= 1
    assert odds_of_reaching(hand, number, 1) == odds_of_reaching(hand, number + 1)
    assert chance <= odds_of_reaching(hand.replace(points=hand.points + 1), number)
    assert chance <= odds_of_reaching(hand.replace(ups=hand.ups + 1), number)
    assert chance <= odds_of_reaching(hand.replace(stymied=False), number)
    assert chance <= odds_of_reaching(hand.replace(value=hand.value + 1), number)


@pytest.mark.rule("MB-DN-04", "MB-DIE-07")
@given(hands)
@settings(max_examples=40)
def test_floors_and_limits_hold(hand: RollProfile) -> None:
    if hand.floor is not None:
        assert odds_of_reaching(hand, hand.value + hand.floor) == 1
    if hand.most is not None and hand.most >= (hand.floor or 0):
        assert odds_of_reaching(hand, hand.value + hand.most + 1) == 0
    assert needed_bonus(hand, hand.value + 3) == 3


@pytest.mark.rule("MB-DN-02", "MB-DN-04", "MB-CMB-03")
def test_two_sides_without_roll_agains_are_counted_out() -> None:
    mine, theirs = RollProfile(11), RollProfile(9, floor=3)
    pairs = [a + b for a, b in product(range(1, 11), repeat=2)]
    hits = sum(
        11 + bonus_number(one) >= 9 + bonus_number(other, 3) for one in pairs for other in pairs
    )
    assert odds_of_reaching(mine, theirs) == Fraction(hits, 10**4)


@pytest.mark.rule("MB-DN-02", "MB-DN-04")
@given(hands, hands, st.integers(-5, 20))
@settings(max_examples=60)
def test_against_dice_somebody_wins_or_does_not(
    one: RollProfile, other: RollProfile, by: int
) -> None:
    """At least `by` ahead, or behind by less: the other side is ahead by at least 1 - by."""
    assert abs(
        odds_of_reaching(one, other, by) + odds_of_reaching(other, one, 1 - by) - 1
    ) < Fraction(1, 10**12)


@pytest.mark.rule("MB-SUC-02", "MB-DN-04")
@given(hands, st.one_of(st.integers(-10, 40), hands))
@settings(max_examples=60)
def test_results_are_all_there_is(hand: RollProfile, other: int | RollProfile) -> None:
    found = dict(odds_by_result(hand, other))
    assert sum(found.values()) == 1
    assert min(found.values()) >= 0
    assert found["none"] == 1 - odds_of_reaching(hand, other)
    assert found["spectacular_plus"] == odds_of_reaching(hand, other, 17)
