"""Luck: percentiles by hand, and an average of fair dice near 50."""

from __future__ import annotations

import random
from fractions import Fraction

from rules.core.rng import Die
from rules.table.blocks import Ref, Roll
from rules.table.chance.luck import (
    NPCS,
    Draw,
    Luck,
    average_luck,
    check_draws,
    face_draw,
    free_draws,
    luck_of,
    total_draw,
)
from rules.table.events import CheckChanged, DiceRolled


def percentiles(draws: tuple[Draw, ...]) -> list[Fraction]:
    return [draw.percentile for draw in draws]


def test_a_die_by_hand() -> None:
    assert [face_draw("p2", 6, face).percentile for face in (1, 6)] == [
        Fraction(1, 12),
        Fraction(11, 12),
    ]
    # The average of all faces is the middle, and the variance that of six equal steps.
    faces = [face_draw("p2", 6, face) for face in range(1, 7)]
    assert sum(draw.percentile for draw in faces) / 6 == Fraction(1, 2)
    mean = sum(((draw.percentile - Fraction(1, 2)) ** 2 for draw in faces), Fraction(0)) / 6
    assert mean == faces[0].variance == Fraction(35, 432)


def test_a_total_by_hand() -> None:
    # 2d6: 15 of 36 are less than 7, and 6 of 36 are 7.
    seven = total_draw("p2", "2d6", 7)
    assert seven is not None and seven.percentile == Fraction(1, 2)
    # 2d6: 1 of 36 is 2, so half of that; 35 of 36 are less than 12.
    assert percentiles(tuple(filter(None, (total_draw("p2", "2d6", n) for n in (2, 12))))) == [
        Fraction(1, 72),
        Fraction(71, 72),
    ]
    # One die as a total is the same as the die.
    assert total_draw("p2", "d6", 5) == face_draw("p2", 6, 5)


def test_what_has_no_exact_chances_is_left_out() -> None:
    assert total_draw("p2", "7", 7) is None
    assert total_draw("p2", "2d6", 13) is None
    assert total_draw("p2", "not dice", 1) is None


def test_free_rolls_count_by_total() -> None:
    event = DiceRolled(text="2d6", by="p2", visibility="public", totals=(7, 12))
    assert percentiles(free_draws(event)) == [Fraction(1, 2), Fraction(71, 72)]


def roll(
    who: str,
    *dice: Die,
    replaced: tuple[tuple[int, int], ...] = (),
    visible_to: tuple[str, ...] | None = None,
) -> Roll:
    return Roll(Ref(name=who), None, dice, None, visible_to, replaced=replaced)


def check(*blocks: Roll) -> CheckChanged:
    return CheckChanged(
        check="c1",
        kind="check",
        place="1",
        step="over",
        blocks=blocks,
        actor=Ref(name="Marek"),
        owner="p2",
        over=True,
    )


def test_checks_count_die_by_die_with_faces_that_were_rolled_again() -> None:
    rolled = roll("Marek", Die("a", 10, 10), Die("b", 8, 1), replaced=((0, 1),))
    assert percentiles(check_draws(check(rolled), {})) == [
        Fraction(19, 20),
        Fraction(1, 16),
        Fraction(1, 20),
    ]


def test_dice_belong_to_those_who_rolled_them() -> None:
    rolls = (
        roll("Marek", Die("a", 6, 3)),
        roll("Ilka", Die("a", 6, 4)),
        roll("Hound", Die("a", 6, 5)),
    )
    draws = check_draws(check(*rolls), {"Marek": "p2", "Ilka": "p3"})
    assert [draw.person for draw in draws] == ["p2", "p3", NPCS]


def test_dice_for_some_only_dont_count() -> None:
    assert check_draws(check(roll("Marek", Die("a", 6, 3), visible_to=())), {}) == ()


def test_an_average_by_hand() -> None:
    draws = [face_draw("p2", 6, 6), face_draw("p2", 6, 3), face_draw("p3", 6, 1)]
    # (11/12 + 5/12) / 2 = 8/12; 1.96 * sqrt(2 * 35/432) / 2 = 0.3945.
    assert luck_of(draws) == (Luck("p2", 2, 67, 10, 90), Luck("p3", 1, 8, 0, 100))


def test_fair_dice_average_near_fifty() -> None:
    source = random.Random(7)
    for sides in (2, 4, 6, 8, 10, 20, 100):
        faces = [face_draw("p2", sides, source.randint(1, sides)) for _ in range(4000)]
        luck = average_luck("p2", faces)
        assert abs(luck.percentile - 50) <= 2
        assert 48 <= luck.low <= 50 <= luck.high <= 52
    totals = [sum(source.randint(1, 6) for _ in range(3)) for _ in range(4000)]
    found = [total_draw("p2", "3d6", total) for total in totals]
    assert abs(average_luck("p2", filter(None, found)).percentile - 50) <= 2


def test_nineteen_of_twenty_fair_players_lie_in_the_range() -> None:
    source, inside = random.Random(11), 0
    for _ in range(400):
        luck = average_luck("p2", [face_draw("p2", 20, source.randint(1, 20)) for _ in range(100)])
        inside += luck.low <= luck.percentile <= luck.high
    assert 370 <= inside <= 400
