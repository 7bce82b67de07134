"""EGO's success pools: what holds however their dice are changed."""

from __future__ import annotations

import random
from contextlib import suppress
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import Impossible
from rules.core.rng import KeyedRng
from rules.systems.ego.character.sheet import EgoSheet
from rules.systems.ego.checks.roll_stages import sources_of
from rules.systems.ego.formulas import dice, pool_odds
from rules.systems.ego.formulas.damage import damage
from rules.systems.ego.formulas.dice import Pool, RerollSource
from rules.systems.ego.formulas.reference_rows import Rows, rows_of

ABOUT = ("agility", "vitality", "attraction", "persuading")
GOOD = [name for name, row in rows_of(Rows(), "traits").items() if not row.bad]
BAD = [name for name, row in rows_of(Rows(), "traits").items() if row.bad]
sheets = st.builds(
    EgoSheet,
    advantages=st.lists(st.sampled_from(GOOD), max_size=5).map(tuple),
    disadvantages=st.lists(st.sampled_from(BAD), max_size=4).map(tuple),
)
abouts = st.lists(st.sampled_from(ABOUT), max_size=4, unique=True)
specialties = st.sampled_from(("", "Persuasion", "Seduction", "Stealth"))


def _all(pool: Pool, sources: tuple[RerollSource, ...], rng: KeyedRng) -> list[Pool]:
    """Every pool that one change makes of this."""
    found = [
        dice.reroll(pool, source, place, rng)
        for source in dice.open_rerolls(pool, sources)
        for place in dice.rerollable(pool, source)
    ]
    for change in (dice.flip, dice.add_lucky_success, dice.take_unlucky_success):
        with suppress(Impossible):
            found.append(change(pool))
    return found


@pytest.mark.rule("EGO-DIE-01", "EGO-DIE-05", "EGO-KAR-03", "EGO-ADV-02", "EGO-SPC-03")
@given(sheets, abouts, specialties, st.integers(-2, 9), st.text(max_size=5), st.randoms())
def test_no_die_changes_twice(
    sheet: EgoSheet, about: list[str], special: str, number: int, key: str, chance: random.Random
) -> None:
    rng, sources = KeyedRng(b"s" * 16, key), sources_of(sheet, Rows(), (*about, special))
    pool = dice.throw(rng, number, sources=sources)
    assert len(pool.faces) == max(0, number)
    assert not dice.forced_rerolls(pool, sources), (
        "what has to be re-rolled is, before anybody is asked"
    )
    steps = 0
    while changes := _all(pool, sources, rng):
        before, pool = pool, chance.choice(changes)
        steps += 1
        assert pool.rank >= before.rank, "nothing goes back to an earlier step"
        assert len(set(pool.changed)) == len(pool.changed), "no die is re-rolled twice"
        for place in range(len(pool.faces)):
            if pool.faces[place] != before.faces[place]:
                assert place in pool.changed and place not in before.changed
        assert len(pool.flipped) <= 1
        assert all(pool.used.count(each.name) <= each.dice for each in sources)
        assert pool.successes >= 0
    assert steps <= sum(each.dice for each in sources) + 3


@pytest.mark.rule("EGO-KAR-02")
@given(st.integers(0, 8), st.lists(st.integers(0, 5), max_size=6))
def test_karma_is_never_negative(have: int, wanted: list[int]) -> None:
    """And dice are bought for one roll of a round, three at most."""
    spent = 0
    for number in wanted:
        try:
            left = dice.karma_after_dice(have, number, spent)
        except Impossible:
            assert number > min(3, have) or spent
            continue
        assert left == have - number >= 0 and number <= 3 and not (number and spent)
        have, spent = left, spent + number


@pytest.mark.rule("EGO-DIE-03", "EGO-DIE-05")
@given(st.integers(0, 4), st.integers(0, 2), st.integers(0, 2), st.booleans(), st.integers(0, 1))
def test_odds_are_those_of_every_way_that_dice_may_fall(
    number: int, forced: int, again: int, flip: bool, lucky: int
) -> None:
    """A die is a success or not: each of the two by itself, re-rolled ones too."""
    good, bad = Fraction(1, 3), Fraction(2, 3)
    found: dict[int, Fraction] = {}
    for first in product((True, False), repeat=number):
        lost = [at for at, won in enumerate(first) if won][:forced]
        tried = [at for at, won in enumerate(first) if not won][:again]
        for second in product((True, False), repeat=len(lost) + len(tried)):
            lie = list(first)
            for at, won in zip((*lost, *tried), second, strict=True):
                lie[at] = won
            hits = sum(lie) + (flip and not all(lie)) + (lucky if number else 0)
            chance = Fraction(1)
            for won in (*first, *second):
                chance *= good if won else bad
            found[hits] = found.get(hits, Fraction(0)) + chance
    made = pool_odds.successes(number, forced=forced, again=again, flip=flip, lucky=lucky)
    assert {hits: chance for hits, chance in enumerate(made) if chance} == found
    assert sum(made) == 1
    assert pool_odds.combined_odds((Fraction(1),), lambda _: made) == made


@pytest.mark.rule("EGO-DIE-04")
@given(st.integers(0, 6), st.integers(0, 6))
def test_two_pools_against_each_other(mine: int, theirs: int) -> None:
    one, other = pool_odds.successes(mine), pool_odds.successes(theirs)
    won, tied, rest = pool_odds.opposed_odds(one, other)
    lost, tied_too, _ = pool_odds.opposed_odds(other, one)
    assert tied == tied_too and won + tied + rest == 1
    assert rest - lost == one[0] * other[0], (
        "with no success on either side nobody wins, and it is no tie"
    )


@pytest.mark.rule("EGO-DMG-01", "EGO-DMG-02")
@given(st.integers(0, 4), st.integers(-3, 3), st.booleans())
def test_damage_is_that_of_every_face(number: int, flat: int, by_die: bool) -> None:
    made = pool_odds.damage({number: Fraction(1)}, flat, by_die=by_die)
    found: dict[int, Fraction] = {}
    for faces in product(range(1, 7), repeat=number):
        total = damage(faces, flat, "per_die" if by_die else "total_half_up")
        found[total] = found.get(total, Fraction(0)) + Fraction(1, 6**number)
    assert dict(made) == found
