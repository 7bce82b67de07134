"""What is rolled with how many dice, what changes them afterwards, and their exact odds."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import RulesError
from rules.core.rng import Scripted
from rules.systems.ego import dice, odds, pools
from rules.systems.ego.check import AUTOMATIC, Result, needed, oppose, rating, read_difficulty
from rules.systems.ego.dice import Pool, Source
from rules.systems.ego.settings import SETTINGS, read_funds
from rules.systems.ego.sheet import EgoSheet, Skill, Specialty
from rules.systems.ego.standing import sources_of, thrown
from rules.systems.ego.tables import Rows

SHEET = EgoSheet(
    agility=9,
    intellect=12,
    skills=(Skill("Stealth", 2), Skill("Pilot", 3, "ground"), Skill("Social Skills", 4)),
    specialties=(Specialty("Persuasion", 3),),
)
FACES = st.lists(st.integers(1, 6), min_size=1, max_size=12)
SOURCES = st.lists(
    st.builds(Source, st.sampled_from("abcd"), st.integers(1, 3), st.booleans()),
    max_size=4,
    unique_by=lambda each: each.name,
)


def _pool(name: str, ability: str = "") -> int:
    return pools.dice_in(pools.terms(SHEET, pools.find(SHEET, Rows(), name), ability))


@pytest.mark.rule("EGO-SKL-02", "EGO-SKL-03", "EGO-SPC-02", "EGO-CHR-05")
def test_a_pool_is_level_and_ability_and_a_specialty_stands_alone() -> None:
    assert (_pool("Stealth"), _pool("stealth", "intellect")) == (5, 6)
    assert (_pool("Pilot (ground)"), _pool("Persuasion")) == (6, 3)
    assert _pool("Climbing") == pools.ability_dice(SHEET, "muscle")
    for name, ability in (("Stealth", "muscle"), ("Persuasion", "intellect")):
        with pytest.raises(RulesError):
            _pool(name, ability)
    with pytest.raises(RulesError):
        pools.find(SHEET, Rows(), "Basket weaving")


@pytest.mark.rule("EGO-DIE-02", "EGO-DIE-03", "EGO-DIE-04")
def test_difficulties_margins_and_ties() -> None:
    assert [rating(read_difficulty(each)) for each in ("auto", "easy", "Very Hard", "7")] == [0, 1, 4, 7]
    assert rating("Near Impossible") is None and rating("Near Impossible", near_impossible=6) == 6
    assert needed(1, (-2,)) == 1 and needed(0, (2,)) == 0 == rating(AUTOMATIC)
    assert not Result(0, 0).success and Result(2, 3).margin == -1
    assert oppose(0, 0).tie is False and oppose(2, 2).tie and oppose(1, 3).winner == "b"
    for text in ("", "0", "51", "harder than hard"):
        with pytest.raises(RulesError):
            read_difficulty(text)


@given(faces=FACES, sources=SOURCES, seed=st.integers(0, 2**32), steps=st.integers(0, 20))
def test_no_die_is_rolled_twice_and_no_step_goes_back(
    faces: list[int], sources: list[Source], seed: int, steps: int
) -> None:
    """EGO-DIE-05."""
    chance = Random(seed)
    pool = Pool(tuple(faces))
    for _ in range(steps):
        before, ways = pool, list(dice.open_rerolls(pool, sources))
        if ways and chance.random() < 0.8:
            source = chance.choice(ways)
            pool = dice.reroll(
                pool, source, chance.choice(dice.rerollable(pool, source)), Scripted([chance.randint(1, 6)])
            )
        elif dice.flippable(pool) and chance.random() < 0.5:
            pool = dice.flip(pool)
        elif dice.may_be_lucky(pool) and chance.random() < 0.3:
            pool = dice.lucky(pool)
        assert pool.rank >= before.rank and len(pool.faces) == len(faces)
        assert len(set(pool.changed)) == len(pool.changed) and len(pool.flipped) <= 1
    assert all(pool.used.count(each.name) <= each.dice for each in sources)
    assert 0 <= pool.successes <= len(faces) + 1


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize(("forced", "again"), [(0, 0), (1, 0), (0, 2), (2, 1)])
@pytest.mark.parametrize(("flip", "lucky"), [(False, 0), (True, 0), (True, 1)])
def test_odds_are_those_of_counting_every_way(
    number: int, forced: int, again: int, flip: bool, lucky: int
) -> None:
    """EGO-DIE-01, EGO-DIE-05: against every face of every die, and of every die thrown again."""
    sources = (Source("Unattractive", forced, True), Source("Attractive", again))
    ways: dict[int, int] = {}
    for faces in product(range(1, 7), repeat=number + forced + again):
        rng = Scripted(faces)
        pool = thrown(rng, "a", "check", number, sources=sources).pool
        while optional := dice.open_rerolls(pool, sources):
            pool = dice.reroll(pool, optional[0], dice.rerollable(pool, optional[0])[0], rng)
        if flip and dice.flippable(pool):
            pool = dice.flip(pool)
        for _ in range(lucky if pool.faces else 0):
            pool = dice.lucky(pool)
        ways[pool.successes] = ways.get(pool.successes, 0) + 1
    found = odds.successes(number, forced=forced, again=again, flip=flip, lucky=lucky)
    whole = sum(ways.values())
    assert {hits: each for hits, each in enumerate(found) if each} == {
        hits: Fraction(each, whole) for hits, each in ways.items()
    }


def test_odds_of_contests_and_damage() -> None:
    """EGO-DIE-04, EGO-DMG-01."""
    mine, theirs = odds.successes(3), odds.successes(2)
    more, tied, rest = odds.beats(mine, theirs)
    counted = sum(a * b for i, a in enumerate(mine) for j, b in enumerate(theirs) if i > j)
    assert more == counted and more + tied + rest == 1
    assert odds.damage(1) == {1: Fraction(1, 3), 2: Fraction(1, 3), 3: Fraction(1, 3)}
    assert odds.damage(1, -2) == {0: Fraction(2, 3), 1: Fraction(1, 3)}


def test_traits_count_where_their_ability_is_in_the_pool() -> None:
    """EGO-ADV-02."""
    sheet = EgoSheet(
        advantages=("Agile", "Attractive", "Attractive", "Personable"), disadvantages=("Unattractive",)
    )
    assert [each.name for each in sources_of(sheet, ("agility",))] == ["Agile"]
    assert {each.name: each.dice for each in sources_of(sheet, ("attraction",))} == {
        "Attractive": 2,
        "Unattractive": 1,
    }
    assert [each.name for each in sources_of(sheet, ("persuading",), "Persuasion")] == [
        "Personable",
        "Persuasion",
    ]


@pytest.mark.rule("EGO-SET", "EGO-EQP-01")
def test_settings_have_their_usual_values() -> None:
    usual = {each.key: each.usual for each in SETTINGS.fields}
    assert len(usual) == 22 and usual["cbp"] == 100 and usual["opposed_tie"] == "ask"
    assert [read_funds(each) for each in ("", " 5000", "3d6 x 10", "2d6")] == ["", "5000", "3d6x10", "2d6x1"]
    with pytest.raises(RulesError):
        read_funds("a lot")
