"""Barmore's dice pools: what holds for every pool, whatever its dice."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rules.core.errors import RulesError
from rules.core.rng import KeyedRng
from rules.systems.barmore.check_state import Pace, Plan, roll_pool
from rules.systems.barmore.pool import (
    DIE_TYPES,
    TEAM_MODES,
    DieType,
    Pool,
    PoolRoll,
    TeamMode,
    find_die_type,
    judge,
    no_dice_total,
    oppose,
    oppose_indirect,
    team_pool,
)
from rules.systems.barmore.pool_odds import botch_odds, success_odds, total_distribution
from rules.systems.barmore.trait_trees import ATTRIBUTE_FORM, Node, Tree, ancestors, resolve_trait
from rules.systems.barmore.wounds import CHART_FORM, chart_row
from tests.rules.barmore.play import built_pool, came_to
from tests.rules.barmore.trees import read_chart, read_tree

DICE = st.sampled_from(list(DIE_TYPES.values()))
POOLS = st.builds(Pool, st.integers(1, 12), st.integers(-12, 12))
SMALL = st.builds(Pool, st.integers(1, 6), st.integers(-6, 6))
DIFFICULTIES = st.integers(-5, 80)


@st.composite
def rolls(draw: st.DrawFn) -> PoolRoll:
    return roll_pool(
        KeyedRng(b"s" * 16, draw(st.text(max_size=5))), draw(POOLS), (), Plan(die=draw(DICE).id)
    )


@pytest.mark.rule("BAR-ROLL")
@given(rolls())
def test_as_many_dice_are_kept_as_there_are_add_dice(roll: PoolRoll) -> None:
    values = [face + DIE_TYPES[roll.die].add for face in roll.faces]
    kept = [value for value, counts in zip(values, roll.kept_dice, strict=True) if counts]
    others = [value for value, counts in zip(values, roll.kept_dice, strict=True) if not counts]
    assert len(kept) == roll.pool.add
    assert roll.total == sum(kept)
    assert len(others) == abs(roll.pool.modifier)
    if roll.pool.modifier > 0:
        assert max(others) <= min(kept)
    if roll.pool.modifier < 0:
        assert min(others) >= max(kept)
    assert len(roll.faces) == roll.pool.size


@pytest.mark.rule("BAR-ROLL", "BAR-DIE")
@given(rolls(), DIFFICULTIES)
def test_verdicts_hold_together(roll: PoolRoll, difficulty: int) -> None:
    found = judge(roll, difficulty)
    die = DIE_TYPES[roll.die]
    assert found.success == (roll.total >= difficulty and not found.botch)
    assert found.botch == roll.botch == (roll.total <= roll.pool.add)
    assert not found.botch or die.can_botch
    assert found.degree >= 0 if found.success else found.degree <= 0
    assert abs(found.degree) <= abs(roll.total - difficulty) // 5
    assert roll.pool.add * die.low <= roll.total <= roll.pool.add * die.high


@pytest.mark.rule("BAR-ROLL")
@given(POOLS, DICE, DIFFICULTIES)
def test_chances_add_up_to_one(pool: Pool, die: DieType, difficulty: int) -> None:
    found = total_distribution(pool, die)
    assert sum(found.weights.values()) == found.ways
    levels = [success_odds(pool, die, difficulty, level) for level in range(7)]
    assert 0 <= levels[0] <= 1 and levels[0] + botch_odds(pool, die) <= 1
    assert sorted(levels, reverse=True) == levels


@pytest.mark.rule("BAR-ROLL")
@given(SMALL, DICE, DIFFICULTIES)
def test_what_makes_a_task_easier(pool: Pool, die: DieType, difficulty: int) -> None:
    easier = Pool(pool.add, pool.modifier + 1)
    assert total_distribution(pool, die).mean <= total_distribution(easier, die).mean
    chances = [success_odds(pool, die, number) for number in (difficulty + 1, difficulty)]
    assert sorted(chances) == chances and chances[1] <= success_odds(easier, die, difficulty)
    assert botch_odds(pool, die) >= botch_odds(easier, die)


@pytest.mark.rule("BAR-DIE")
@given(SMALL, DICE)
def test_bonus_and_penalty_mirror_each_other(pool: Pool, die: DieType) -> None:
    mirrored = total_distribution(Pool(pool.add, -pool.modifier), die)
    middle = pool.add * (die.low + die.high)
    assert {
        middle - int(total): ways for total, ways in total_distribution(pool, die).weights.items()
    } == mirrored.weights


@pytest.mark.rule("BAR-AUTO")
@given(POOLS)
def test_totals_without_dice(pool: Pool) -> None:
    total = no_dice_total(pool)
    assert total == 5 * pool.add + pool.modifier
    assert not judge(came_to(total, pool.add, rolled=False), total + 1).botch
    assert judge(came_to(total, pool.add, rolled=False), total).success


@pytest.mark.rule("BAR-TEAM", "BAR-POOL")
@given(st.sampled_from(TEAM_MODES), st.lists(SMALL, min_size=1, max_size=5))
def test_teams_count_their_dice_in_any_order(mode: TeamMode, pools: list[Pool]) -> None:
    team, most = team_pool(mode, pools), max(pool.add for pool in pools)
    assert team == team_pool(mode, list(reversed(pools)))
    dice, others = sum(pool.add for pool in pools), sum(pool.modifier for pool in pools)
    moved = {"simple_addition": 0, "combining_dice": dice - most, "worst_roller": most - dice}[mode]
    assert team == Pool(dice if mode == "simple_addition" else most, others + moved)


@pytest.mark.rule("BAR-POOL")
@given(st.integers(0, 12), st.integers(-8, 8), st.integers(0, 6), st.integers(0, 8), st.data())
def test_conversion_keeps_the_size(
    ability: int, attribute: int, support: int, wounds: int, data: st.DataObject
) -> None:
    convert = data.draw(st.integers(0, ability))
    before = built_pool(ability, attribute, support=support, wounds=wounds)
    after = built_pool(ability, attribute, support=support, wounds=wounds, convert=convert)
    assert after == Pool(before.add - convert, before.modifier + convert)
    assert after.add >= 1


@pytest.mark.rule("BAR-OPPOSED")
@given(rolls(), rolls(), DIFFICULTIES)
def test_opposition_is_fair(one: PoolRoll, other: PoolRoll, difficulty: int) -> None:
    swapped = {True: False, False: True, None: None}
    direct, back = oppose(one, other), oppose(other, one)
    assert (swapped[direct[0]], direct[1]) == back
    for_one, for_other = judge(one, difficulty), judge(other, difficulty)
    indirect, back = oppose_indirect(for_one, for_other), oppose_indirect(for_other, for_one)
    assert (swapped[indirect[0]], indirect[1]) == back
    for won, degree in (direct, indirect):
        assert degree >= 0 and (won is not None or degree == 0)
    assert indirect[0] is None or for_one.success or for_other.success


@pytest.mark.rule("BAR-OPPOSED")
@given(st.integers(-5, 60), st.integers(-5, 60))
def test_the_lower_total_is_the_difficulty(first: int, second: int) -> None:
    assume(first > second)
    one, other = came_to(first, rolled=False), came_to(second, rolled=False)
    assert oppose(one, other) == (True, judge(one, second).degree)


@pytest.mark.rule("BAR-TIME")
@given(st.integers(0, 20), st.integers(0, 20))
def test_time_costs_and_gives_steadily(steps: int, more: int) -> None:
    assert Pace(phases_saved=steps).dice() == Pace(halvings=steps).dice() == (-steps, 0)
    add, bonus = Pace(doublings=steps).dice()
    assert add + bonus == steps == sum(Pace(phases_extra=steps).dice())
    assert Pace(doublings=steps + more).dice() >= (add, bonus)


@pytest.mark.rule("BAR-DIE")
@given(st.text(max_size=12) | st.from_regex(r"[dD]?\s*\d{1,2}\s*[-+−]?\s*\d?", fullmatch=True))
def test_any_text_is_a_die_or_refused(text: str) -> None:
    try:
        die = find_die_type(text)
    except RulesError as error:
        assert error.code == "unknown-choice"
    else:
        assert DIE_TYPES[die.id] is die


def _written(tree: Tree) -> list[dict[str, Any]]:
    return [ATTRIBUTE_FORM.changed_values(node) for node in tree]


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """A tree whose nodes come in any order."""
    nodes = [Node("T0", None)]
    for number in range(1, draw(st.integers(1, 12))):
        above = draw(st.sampled_from([None, *(node.name for node in nodes)]))
        nodes.append(Node(f"T{number}", above))
    return Tree(tuple(draw(st.permutations(nodes))))


@pytest.mark.rule("BAR-TRAIT")
@given(trees(), st.data())
def test_traits_come_from_the_same_branch(tree: Tree, data: st.DataObject) -> None:
    names = [node.name for node in tree]
    scores = data.draw(st.dictionaries(st.sampled_from(names), st.integers(-3, 9)))
    wanted = data.draw(st.sampled_from(names))
    assert read_tree(_written(tree), "abilities") == tree
    found = resolve_trait(tree, scores, wanted.lower())
    way = (wanted, *ancestors(tree, wanted))
    defined = [name for name in way if name in scores]
    assert found.used == (defined[0] if defined else None)
    assert found.score == (scores[defined[0]] if defined else 0)
    below = [name for name in names if wanted in ancestors(tree, name)]
    if below:
        named = data.draw(st.sampled_from(below))
        other = resolve_trait(tree, scores, wanted, named)
        assert other == found or (
            not defined and other.used == named and other.score == scores[named]
        )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 400) | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(
            st.sampled_from(["name", "parent", "activity", "rows", "from", "penalty", "x"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


ROWS = st.builds(
    lambda start, name, numbers: {
        "from": start,
        "name": name,
        **dict(
            zip(
                ("penalty", "other_penalty", "healing_days", "mental_healing_days"),
                numbers,
                strict=True,
            )
        ),
    },
    st.integers(1, 6),
    st.text("abc", min_size=1, max_size=3),
    st.lists(st.integers(0, 9), min_size=4, max_size=4),
)


@pytest.mark.rule("BAR-TRAIT")
@given(JSON)
def test_any_object_is_a_tree_or_refused(data: object) -> None:
    try:
        tree = read_tree(data, "abilities")
    except RulesError as error:
        assert error.code == "bad-campaign"
    else:
        assert read_tree(_written(tree), "abilities") == tree
        assert all(len(ancestors(tree, node.name)) < 12 for node in tree)


@pytest.mark.rule("BAR-TRAUMA")
@given(st.dictionaries(st.sampled_from(["rows", "origin", "x"]), JSON | st.lists(ROWS, max_size=4)))
def test_any_object_is_a_chart_or_refused(data: dict[str, object]) -> None:
    try:
        chart = read_chart(data)
    except RulesError as error:
        assert error.code == "bad-campaign"
    else:
        assert read_chart(CHART_FORM.all_values(chart)) == chart
        for degree in range(-2, 12):
            row = chart_row(chart, degree)
            assert (row is None) == (degree <= 0)
            assert row is None or row.from_ <= degree


@pytest.mark.rule("BAR-ROLL")
@given(rolls())
def test_the_odds_know_every_total(roll: PoolRoll) -> None:
    found = total_distribution(roll.pool, DIE_TYPES[roll.die])
    assert Fraction(found.weights[roll.total], found.ways) > 0
