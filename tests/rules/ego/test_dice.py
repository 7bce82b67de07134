"""Success pools under EGO: how many dice, what changes them, in which order."""

from __future__ import annotations

from itertools import pairwise

import pytest

from rules.core.errors import Impossible
from rules.core.rng import ScriptedRng
from rules.systems.ego.character.sheet import EgoSheet
from rules.systems.ego.checks.procedure import (
    Result,
    modified_difficulty,
    oppose,
    rating,
    read_difficulty,
)
from rules.systems.ego.checks.roll_stages import LUCKY, UNLUCKY, luck_left, sources_of
from rules.systems.ego.formulas import dice
from rules.systems.ego.formulas.dice import Pool, RerollSource
from rules.systems.ego.formulas.reference_rows import Rows

AGILE, PLAIN, PERSUASION = (
    RerollSource("Agile"),
    RerollSource("Unattractive", 2, forced=True),
    RerollSource("Persuasion"),
)


def _dice(*faces: int) -> ScriptedRng:
    return ScriptedRng(faces)


@pytest.mark.rule("EGO-DIE-01")
@pytest.mark.parametrize(
    ("base", "modifiers", "karma", "number"),
    [(5, (), 0, 5), (2, (-3,), 3, 2), (2, (-3,), 0, 0), (0, (), 0, 0)],
)
def test_how_many_dice(base: int, modifiers: tuple[int, ...], karma: int, number: int) -> None:
    assert dice.pool_size(base, modifiers, karma) == number
    pool = dice.throw(_dice(*(1,) * number), number)
    assert (len(pool.faces), pool.successes) == (number, 0)


@pytest.mark.rule("EGO-DIE-01")
def test_fives_and_sixes_are_successes() -> None:
    pool = dice.throw(_dice(1, 2, 3, 4, 5, 6), 6)
    assert pool.marks == (4, 5) and pool.successes == 2


@pytest.mark.rule("EGO-DIE-02")
def test_ratings_and_what_moves_them() -> None:
    names = ("Automatic", "Easy", "Moderate", "Hard", "Very Hard", "Near Impossible")
    assert [rating(each) for each in names] == [0, 1, 2, 3, 4, None]
    assert rating("Near Impossible", near_impossible=5) == 5
    assert rating(read_difficulty("very h")) == 4 and rating(read_difficulty("7")) == 7
    assert [
        modified_difficulty(2, (1, 1)),
        modified_difficulty(1, (-3,)),
        modified_difficulty(0, (2,)),
    ] == [
        4,
        1,
        0,
    ]


@pytest.mark.rule("EGO-DIE-03")
def test_without_a_success_nothing_succeeds() -> None:
    assert [Result(*each).success for each in ((2, 2), (1, 2), (0, 0), (3, 1))] == [
        True,
        False,
        False,
        True,
    ]
    assert Result(1, 3).margin == -2


@pytest.mark.rule("EGO-DIE-04")
def test_a_tie_has_no_winner() -> None:
    both = oppose(2, 2)
    assert (both.winner, both.margin, both.tie) == (None, None, True)
    assert not oppose(0, 0).tie
    assert (oppose(1, 3).winner, oppose(1, 3).margin) == ("b", 2)


@pytest.mark.rule("EGO-DIE-05")
def test_what_has_to_be_rolled_again_is_first_and_at_once() -> None:
    sources = (AGILE, PLAIN)
    pool = dice.throw(_dice(5, 6, 1, 2, 6), 3, sources=sources)
    assert (pool.faces, pool.changed, pool.used) == (
        (2, 6, 1),
        (0, 1),
        ("Unattractive", "Unattractive"),
    )
    assert dice.open_rerolls(pool, sources) == (AGILE,)
    assert dice.rerollable(pool, AGILE) == (2,), "what was rolled again stays"
    pool = dice.reroll(pool, AGILE, 2, _dice(5))
    assert pool.successes == 2 and not dice.open_rerolls(pool, sources)
    with pytest.raises(Impossible):
        dice.reroll(pool, AGILE, 0, _dice(5))


@pytest.mark.rule("EGO-DIE-05", "EGO-KAR-03", "EGO-ADV-02")
def test_the_order_of_changes() -> None:
    """Each step closes those before it."""
    pool = Pool((1, 1, 5))
    flipped = dice.flip(pool)
    assert (flipped.marks, flipped.successes) == ((0, 2), 2)
    assert not dice.open_rerolls(flipped, (AGILE, PERSUASION))
    with pytest.raises(Impossible):
        dice.flip(flipped)
    lucky = dice.add_lucky_success(flipped)
    assert lucky.successes == 3
    for change in (dice.flip, dice.add_lucky_success):
        with pytest.raises(Impossible):
            change(lucky)
    assert dice.take_unlucky_success(lucky).successes == 2
    assert dice.take_unlucky_success(Pool((1,))).successes == 0
    ranks = [each.rank for each in (pool, flipped, lucky)]
    assert all(one < other for one, other in pairwise(ranks))
    early = dice.take_unlucky_success(pool)
    assert dice.open_rerolls(early, (AGILE,)) == (AGILE,), "its owner may go on"
    with pytest.raises(Impossible):
        dice.take_unlucky_success(early)


@pytest.mark.rule("EGO-KAR-03")
def test_a_flip_takes_a_failed_die_once_a_round() -> None:
    for pool in (Pool((5, 6)), Pool()):
        with pytest.raises(Impossible):
            dice.flip(pool)
    assert dice.flippable(Pool((1,))) == (0,)
    assert dice.flippable(Pool((1,)), flipped=True) == ()


@pytest.mark.rule("EGO-KAR-02")
def test_karma_is_for_one_roll_of_a_round() -> None:
    assert [dice.karma_most(have) for have in (0, 2, 9)] == [0, 2, 3]
    assert dice.karma_most(9, spent=1) == 0
    with pytest.raises(Impossible):
        dice.karma_after_dice(9, 1, spent=1)
    assert dice.karma_after_dice(9, 0, spent=1) == 9


@pytest.mark.rule("EGO-ADV-02", "EGO-SPC-03")
def test_what_re_rolls_what() -> None:
    sheet = EgoSheet(
        advantages=("Agile", "Stout", "Attractive", "Attractive", "Personable", "Lucky", "Lucky"),
        disadvantages=("Unattractive", "Unlucky"),
        lucky=1,
    )

    def named(*about: str, specialty: str = "") -> list[tuple[str, int, bool]]:
        return [
            (each.name, each.dice, each.forced)
            for each in sources_of(sheet, Rows(), (*about, specialty))
        ]

    assert named() == []
    assert named("agility") == [("Agile", 1, False)]
    assert named("vitality") == [("Stout", 1, False)]
    assert sorted(named("attraction", "persuading", specialty="Seduction")) == [
        ("Attractive", 2, False),
        ("Personable", 1, False),
        ("Seduction", 1, False),
        ("Unattractive", 1, True),
    ]
    assert (luck_left(sheet, LUCKY), luck_left(sheet, UNLUCKY)) == (1, 1)
