"""The dice notation: what it reads, what it refuses and where, and what comes of faces laid
down.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from unittest.mock import patch

import d20
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.dice import parse, throw
from rules.core.dice.notation import DEPTH_MAX, DICE_MAX, REPEATS_MAX, SIDES_MAX, TEXT_MAX, Dice
from rules.core.dice.roll import FallenDice
from rules.core.errors import Impossible, InvalidInput, RulesError
from rules.core.rng import ScriptedRng
from tests.example_counts import examples


def total(text: str, *faces: int) -> int:
    """What an expression comes to with these faces; all of them have to be used up."""
    dice = ScriptedRng(faces)
    (thrown,) = throw(parse(text), dice)
    assert dice.left == 0
    return thrown.total


@pytest.mark.parametrize(
    ("text", "faces", "expected"),
    [
        ("7", (), 7),
        ("d6", (4,), 4),
        ("4d6kh3", (1, 5, 6, 3), 14),
        ("2d20kl1", (17, 4), 4),
        ("4d6pl1", (1, 5, 6, 3), 14),
        ("4d6ph1pl1", (1, 5, 6, 3), 8),
        ("4d6kh1kl1", (1, 5, 6, 3), 7),
        ("3d6k6", (6, 1, 6), 12),
        ("3d6k>4", (6, 5, 4), 11),
        ("10d6e6", (6, 1, 1, 1, 1, 1, 1, 1, 1, 6, 6, 2, 3), 31),
        ("3d6ra6", (6, 6, 1, 4), 17),
        ("3d6rr1", (1, 1, 5, 1, 4, 3), 12),
        ("3d6ro1", (1, 1, 5, 1, 4), 10),
        ("8d6ro<3", (1, 2, 3, 4, 5, 6, 1, 1, 6, 6, 1, 2), 33),
        ("4d6mi2", (1, 1, 5, 6), 15),
        ("4d6ma5", (1, 1, 5, 6), 12),
        ("(1d4+2)*3", (3,), 15),
        ("1d20+5 [to hit]", (11,), 16),
        ("1d20 [a] [b] + 2", (11,), 13),
        ("d%", (8,), 70),
        ("4dF", (1, 2, 3, 3), 1),
        ("4df + 2", (1, 1, 1, 2), -1),
        ("4dF>0", (1, 2, 3, 3), 2),
        ("3d6!", (6, 1, 2, 6, 3), 18),
        ("3d6!5", (5, 1, 2, 3), 11),
        ("3d6!>4", (5, 6, 2, 1, 1), 15),
        ("6d6!=4", (4, 4, 1, 1, 1, 1), 4),
        ("adv", (3, 17), 17),
        ("dis + 5", (3, 17), 8),
        ("d20 adv", (3, 17), 17),
        ("d20 advantage + 1d4", (3, 17, 2), 19),
        ("1d20+1d4 dis", (3, 17, 2), 5),
        ("4d6kh", (1, 5, 6, 3), 6),
        ("4d6dl1", (1, 5, 6, 3), 14),
        ("4d6 dh", (1, 5, 6, 3), 9),
        ("2d6 fire + 1d4 cold", (6, 2, 3), 11),
        ("2d6 poison damage", (6, 2), 8),
        ("1d%+1d10", (1, 10), 10),
        ("7/2", (), 3),
        ("7//2*2", (), 6),
        ("-7/2", (), -3),
        ("7%4", (), 3),
        ("2+3*4", (), 14),
        ("--3", (), 3),
        ("1.5*4", (), 6),
        ("(1, 2, 3)", (), 6),
        ("(1,)", (), 1),
        ("()", (), 0),
        ("(1d6, 1d8, 3)kh2", (6, 2), 9),
        ("(4d6)kh1", (1, 5, 6, 3), 6),
        ("(2d6, 2d6)kl1", (6, 2, 3, 3), 6),
        ("6d6>4", (5, 6, 4, 1, 2, 5), 3),
        ("6d6>=4", (5, 6, 4, 1, 2, 5), 4),
        ("6d6kh2>4", (5, 6, 4, 1, 2, 5), 2),
        ("3d10e10>7", (10, 1, 8, 9), 3),
        ("(6d6)>20", (5, 6, 4, 1, 2, 5), 1),
        ("1d20+5 >= 15", (9,), 0),
        ("1d20+5==14", (9,), 1),
        ("2D6KH1", (3, 5), 5),
        (" 1d6 + 1 ", (3,), 4),
    ],
)
def test_what_an_expression_comes_to(text: str, faces: tuple[int, ...], expected: int) -> None:
    assert total(text, *faces) == expected


def test_repeats_throw_anew_each_time() -> None:
    thrown = throw(parse("3x 2d6kh1"), ScriptedRng([1, 2, 3, 4, 6, 5]))
    assert [each.total for each in thrown] == [2, 4, 6]


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        ("", "dice-incomplete", 0),
        ("1d20+", "dice-incomplete", 5),
        ("1d20 + * 3", "dice-value-expected", 7),
        ("hello", "dice-unreadable", 0),
        ("4d6 $", "dice-unreadable", 4),
        ("4d6 4", "dice-unexpected", 4),
        ("4d6x", "dice-unreadable", 3),
        ("2d20 adv", "dice-unexpected", 5),
        ("(2d6)!", "dice-not-for-sets", 5),
        ("1d20 + fire", "dice-value-expected", 7),
        ("(1d6", "dice-not-closed", 0),
        ("(1d6 4)", "dice-unexpected", 5),
        ("1d6)", "dice-unexpected", 3),
        ("1001d6", "dice-too-many", 0),
        ("600d6+600d6", "dice-too-many", 6),
        ("99999999999999d6", "dice-too-many", 0),
        ("1d0", "dice-sides", 0),
        (f"1d{SIDES_MAX + 1}", "dice-sides", 0),
        ("(" * (DEPTH_MAX + 1), "dice-too-deep", DEPTH_MAX),
        ("-" * (DEPTH_MAX + 1) + "1", "dice-too-deep", DEPTH_MAX),
        ("(1, 2)e2", "dice-not-for-sets", 6),
        ("4d6mih2", "dice-plain-number", 3),
        ("9999999999", "dice-number-too-large", 0),
        ("0x 1d6", "dice-repeats", 0),
        (f"{REPEATS_MAX + 1}x 1d6", "dice-repeats", 0),
        ("1" * (TEXT_MAX + 1), "dice-too-long", TEXT_MAX),
        ("１d6", "dice-unreadable", 0),
    ],
)
def test_errors_say_where(text: str, code: str, column: int) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse(text)
    assert (caught.value.code, caught.value.params["column"]) == (code, column)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("1d1e1", "dice-endless"),
        ("2d1rr1", "dice-endless"),
        (f"2x {DICE_MAX - 400}d1", "dice-endless"),
        ("1/0", "dice-division-by-zero"),
        ("1%(1-1)", "dice-division-by-zero"),
        ("*".join(["999999999"] * 15), "dice-total-too-large"),
    ],
)
def test_what_cannot_be_thrown(text: str, code: str) -> None:
    with pytest.raises(Impossible) as caught:
        throw(parse(text), ScriptedRng([1] * 2000))
    assert caught.value.code == code


def test_dice_remember_their_faces() -> None:
    (thrown,) = throw(parse("3d6ro1kh2 [luck]"), ScriptedRng([1, 4, 6, 2]))
    assert isinstance(thrown.result.node, Dice)
    assert thrown.result.node.note == "luck"
    dice = thrown.result
    assert isinstance(dice, FallenDice)
    assert (dice.values, dice.faces, dice.dropped) == ([2, 4, 6], {0: [1, 2]}, {0})


# --- against the library whose notation it is -----------------------------------------------------

numbers = st.integers(0, 30).map(str)
selectors = st.tuples(st.sampled_from(["", "l", "h", "<", ">"]), st.integers(0, 7)).map(
    lambda each: f"{each[0]}{each[1]}"
)
#: Endless on purpose now and then: then both have to refuse.
dice_operations = st.one_of(
    st.tuples(st.sampled_from(["k", "p", "ro", "ra"]), selectors).map("".join),
    st.tuples(st.sampled_from(["rr", "e"]), st.sampled_from(["1", "6", "<2", ">5"])).map("".join),
    st.tuples(st.sampled_from(["mi", "ma"]), st.integers(0, 7).map(str)).map("".join),
)
throws = st.tuples(
    st.sampled_from(["", "1", "2", "4", "7"]),
    st.sampled_from(["d4", "d6", "d20", "d%"]),
    st.lists(dice_operations, max_size=2).map("".join),
).map("".join)
values = st.recursive(
    st.one_of(numbers, throws, throws),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from([" + ", "-", "*", "/", "//", "%"]), inner).map("".join),
        st.tuples(st.sampled_from(["-", "+"]), inner).map("".join),
        inner.map(lambda text: f"({text})"),
        st.tuples(
            st.lists(inner, min_size=1, max_size=3).map(", ".join),
            st.sampled_from(["", "kh1", "pl1", "k3"]),
        ).map(lambda each: f"({each[0]}){each[1]}"),
        st.tuples(inner, st.sampled_from([" [fire]", ""])).map("".join),
    ),
    max_leaves=5,
)


class Faces:
    """The same faces for both: random numbers that begin anew."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def below(self, n: int) -> int:
        return int(self._random.random() * n)

    def randrange(self, first: int, last: int | None = None, step: int = 1) -> int:
        return self.below(first) if last is None else step * self.below((last - first) // step)


@pytest.fixture(scope="module", autouse=True)
def _roller() -> Iterator[None]:
    with patch("d20.dice.RollContext.count_roll", _count_rolls):
        yield


def _count_rolls(self: d20.RollContext, n: int = 1) -> None:
    self.rolls += n
    if self.rolls > DICE_MAX:
        raise d20.TooManyRolls("too many")


@examples(600)
@given(values, st.integers(0, 10_000))
def test_the_same_faces_give_the_same_total(text: str, seed: int) -> None:
    if len(text) > TEXT_MAX:
        return
    faces = Faces(seed)
    with patch("d20.expression.random", faces):
        try:
            expected: int | None = d20.roll(text).total
        except (d20.RollError, OverflowError):
            expected = None
    try:
        (thrown,) = throw(parse(text), Faces(seed))
        mine: int | None = thrown.total
    except RulesError:
        mine = None
    assert mine == expected


@examples(400)
@given(
    st.one_of(st.text(max_size=30), st.text("0123456789d%kphlroamie+-*/<>=(),[] x.", max_size=40))
)
def test_anything_gives_a_result_or_says_why_not(text: str) -> None:
    try:
        for thrown in throw(parse(text), Faces(1)):
            assert isinstance(thrown.total, int)
    except RulesError as error:
        column = error.params.get("column", 0)
        assert isinstance(column, int)
        assert 0 <= column <= len(text)


@pytest.mark.parametrize(
    ("text", "dice", "reason"),
    [
        ("1d20+5 # stealth", "1d20+5", "stealth"),
        ("1d20#", "1d20", ""),
        ("2d6 [#3] + 1 # with [brackets]", "2d6 [#3] + 1", "with [brackets]"),
    ],
)
def test_what_it_is_for_stands_behind_the_dice(text: str, dice: str, reason: str) -> None:
    found = parse(text)
    assert (found.text, found.reason) == (dice, reason)
