"""Exact chances of expressions: against every combination of faces, and against known results."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product

import pytest

from rules.core.dice import parse, throw
from rules.core.dice.odds import LEFT_OUT, Distribution, distribution
from rules.core.dice.truncated_sums import PLACES, repeated_sum
from rules.core.errors import Impossible
from rules.core.rng import ScriptedRng


def by_hand(text: str, *sides: int) -> dict[int, Fraction]:
    """Every combination of faces thrown; for expressions that roll exactly these dice."""
    found: dict[int, Fraction] = {}
    share = Fraction(1)
    for each in sides:
        share /= each
    for faces in product(*(range(1, each + 1) for each in sides)):
        dice = ScriptedRng(faces)
        (thrown,) = throw(parse(text), dice)
        assert dice.left == 0
        found[thrown.total] = found.get(thrown.total, Fraction(0)) + share
    return found


def shares(found: Distribution) -> dict[int | float, Fraction]:
    return {total: Fraction(weight, found.ways) for total, weight in found.weights.items()}


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("2d6", (6, 6)),
        ("4d6kh3", (6, 6, 6, 6)),
        ("4d4kl2", (4, 4, 4, 4)),
        ("4d4pl1pl2", (4, 4, 4, 4)),
        ("4d4ph9", (4, 4, 4, 4)),
        ("3d4k>2", (4, 4, 4)),
        ("3d4p1p2", (4, 4, 4)),
        ("3d6mi3", (6, 6, 6)),
        ("3d6ma3kh2", (6, 6, 6)),
        ("4d6>4", (6, 6, 6, 6)),
        ("4d6kh2>=4", (6, 6, 6, 6)),
        ("2d6*2-1d4", (6, 6, 4)),
        ("1d6/2", (6,)),
        ("-1d6/2", (6,)),
        ("1d20+5>=15", (20,)),
        ("(1d6, 1d8, 3)kh2", (6, 8)),
        ("(1d6+1, 1d8)pl1", (6, 8)),
        ("(3d6)kh1", (6, 6, 6)),
        ("((1d4, 1d6))kl1", (4, 6)),
        ("(1d4, 1d4, 1d4)k>2", (4, 4, 4)),
        ("(1d4)kh1", (4,)),
        ("d%+1d10", (10, 10)),
        ("4dF+1", (3, 3, 3, 3)),
        ("d6+2 adv", (6, 6)),
        ("1d6 % 4 // 2", (6,)),
    ],
)
def test_every_combination_is_counted(text: str, sides: tuple[int, ...]) -> None:
    assert shares(distribution(parse(text))) == by_hand(text, *sides)


def test_rolling_again_once_and_until() -> None:
    once = shares(distribution(parse("1d6ro1")))
    assert once == {1: Fraction(1, 36), **{face: Fraction(7, 36) for face in range(2, 7)}}
    until = shares(distribution(parse("1d6rr<3")))
    assert until == {face: Fraction(1, 4) for face in range(3, 7)}
    assert shares(distribution(parse("2d6rr1rr2kh1"))) == by_hand("2d4mi0kh1+2", 4, 4)


def test_one_more_for_the_first() -> None:
    # Two of four faces match: with a chance of 3/4 a third die is added.
    found = distribution(parse("2d2ra2"))
    assert Fraction(found.weights[2], found.ways) == Fraction(1, 4)
    assert found.mean == 3 + Fraction(3, 4) * Fraction(3, 2)


def test_exploding_dice_say_what_they_leave_out() -> None:
    found = distribution(parse("2d6e6"))
    assert 0 < found.left_out <= LEFT_OUT
    assert abs(found.mean - Fraction(42, 5)) < Fraction(1, 10**8)
    assert Fraction(found.weights[6 + 6], found.ways) < Fraction(5, 36)
    assert 1 - found.at_least(0) <= found.left_out
    # 2+5, 5+2, 3+4, 4+3: no 6 among them; 1+6 goes on.
    assert Fraction(found.weights[7], found.ways) == Fraction(4, 36)


def test_exploding_successes() -> None:
    # 1d4, 4 explodes, successes above 2: E = (2/4) + (1/4) E.
    found = distribution(parse("1d4e4>2"))
    assert abs(found.mean - Fraction(2, 3)) < Fraction(1, 10**10)


def sum_of_values(weights: Mapping[int, int], count: int) -> dict[int, int]:
    """The sum of so many such values, added one after the other."""
    found = {0: 1}
    for _ in range(count):
        sums: dict[int, int] = {}
        for total, ways in found.items():
            for value, weight in weights.items():
                sums[total + value] = sums.get(total + value, 0) + ways * weight
        found = sums
    return found


def chain(sides: int, exploding: set[int], most: int) -> dict[int, int]:
    """The totals of a chain of at most so many dice, each with its ways out of `sides ** most`."""
    ended: dict[int, int] = {}
    going = {0: 1}
    for left in range(most - 1, -1, -1):
        following: dict[int, int] = {}
        for total, ways in going.items():
            for face in range(1, sides + 1):
                into, worth = (following, 1) if face in exploding else (ended, sides**left)
                into[total + face] = into.get(total + face, 0) + ways * worth
        going = following
    return ended


@pytest.mark.parametrize(
    ("text", "sides", "count", "exploding"),
    [
        ("1d6e6", 6, 1, {6}),
        ("2d3e3", 3, 2, {3}),
        ("3d6e>4", 6, 3, {5, 6}),
        ("3d2e1", 2, 3, {1}),
        ("12d4e4", 4, 12, {4}),
        ("13d10e10", 10, 13, {10}),
    ],
)
def test_exploding_dice_against_chains_added_one_by_one(
    text: str, sides: int, count: int, exploding: set[int]
) -> None:
    found = distribution(parse(text))
    assert 0 < found.left_out <= LEFT_OUT
    most = next(n for n in range(200) if Fraction(len(exploding), sides) ** n * count <= LEFT_OUT)
    true = sum_of_values(chain(sides, exploding, most), count)
    ways = sides ** (most * count)
    missing = 0
    for total, weight in true.items():
        lack = weight * found.ways - found.weights.get(total, 0) * ways
        assert lack >= 0
        missing += lack
    assert Fraction(missing, found.ways * ways) < Fraction(1, 10**30), (
        "beyond the chains next to nothing"
    )
    assert found.weights.keys() <= true.keys()


@pytest.mark.parametrize("number", [1, 2, 3, 7, 16, 25])
def test_sums_cut_off_are_never_too_large_and_say_what_they_lack(number: int) -> None:
    weights, ways = {-1: 3, 0: 1, 4: 10, 5: 7}, 21
    worked: list[int] = []
    found, of = repeated_sum(weights, ways, number, worked.append)
    exact = sum_of_values(weights, number)
    assert of == 1 << PLACES and worked
    for total, count in exact.items():
        assert (
            0
            <= Fraction(count, ways**number) - Fraction(found.get(total, 0), of)
            <= Fraction(1, 10**30)
        )
    assert found.keys() <= exact.keys()


@pytest.mark.parametrize(
    ("text", "mean"),
    [
        ("50d10e10", Fraction(55, 10) * Fraction(10, 9) * 50),
        ("1000d6e6", Fraction(21, 5) * 1000),
        ("20d8e8+30d10e10", Fraction(36, 7) * 20 + Fraction(55, 9) * 30),
        ("50d10e10>7", Fraction(3, 9) * 50),
    ],
)
def test_many_exploding_dice(text: str, mean: Fraction) -> None:
    found = distribution(parse(text))
    assert 0 < found.left_out <= 2 * LEFT_OUT
    assert 1 - found.at_least(0) <= found.left_out
    assert 0 <= mean - found.mean < Fraction(1, 10**7)
    assert abs(found.percentile(Fraction(1, 2)) - mean) < 3


@pytest.mark.parametrize("text", ["1d1e1", "1d1rr1"])
def test_what_never_ends(text: str) -> None:
    with pytest.raises(Impossible) as caught:
        distribution(parse(text))
    assert caught.value.code == "dice-endless"


@pytest.mark.parametrize(
    "text",
    [
        "4d6roh1",
        "4d6e6kh2",
        "4d6kh2kl1",
        "4d6ph1pl1",
        "4d6kh3pl1",
        "4d6k>2kh1",
        "(4d6e6)kh1",
        "2d6ral1",
    ],
)
def test_what_is_not_worked_out_is_refused(text: str) -> None:
    with pytest.raises(Impossible) as caught:
        distribution(parse(text))
    assert caught.value.code == "dice-odds-not-exact"


@pytest.mark.parametrize(
    "text",
    [
        "1000d1000",
        "100d1000kh50",
        "(100d6,100d6,100d6)kh1",
        "1d1000000*1d1000000",
        "1000d100e100",
        "9d10e<10",
        "1d1000000e1",
    ],
)
def test_what_would_take_too_long_is_refused(text: str) -> None:
    with pytest.raises(Impossible) as caught:
        distribution(parse(text))
    assert caught.value.code == "dice-odds-too-large"


def test_figures_of_a_distribution() -> None:
    found = distribution(parse("4d6kh3"))
    assert found.mean == Fraction(15869, 1296)
    assert Fraction(found.weights[18], found.ways) == Fraction(21, 1296)
    assert found.at_least(3) == 1
    assert found.percentile(Fraction(1, 2)) == 12
    assert found.percentile(Fraction(1)) == 18
    assert list(found.weights) == list(range(3, 19))
    assert distribution(parse("100d6")).mean == 350
