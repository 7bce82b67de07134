"""Die types, building pools, hurrying, working together."""

from __future__ import annotations

import pytest

from rules.core.errors import InvalidInput, NotFound
from rules.systems.barmore.check_state import Pace
from rules.systems.barmore.pool import (
    DIE_TYPES,
    MOST_DICE,
    STANDARD_DIE,
    Part,
    Pool,
    TeamMode,
    find_die_type,
    pool_from_parts,
    team_pool,
)
from tests.rules.barmore.play import built_pool


@pytest.mark.rule("BAR-DIE")
def test_ranges_of_the_dice() -> None:
    assert {name: (die.low, die.high) for name, die in DIE_TYPES.items()} == {
        "d8": (1, 8),
        "d10-1": (0, 9),
        "d12-2": (-1, 10),
        "d6+1": (2, 7),
        "d4+2": (3, 6),
    }
    assert STANDARD_DIE.id == "d8"
    assert [name for name, die in DIE_TYPES.items() if not die.can_botch] == ["d6+1", "d4+2"]


@pytest.mark.rule("BAR-DIE")
def test_every_die_is_as_good_on_average() -> None:
    assert {die.low + die.high for die in DIE_TYPES.values()} == {9}


@pytest.mark.rule("BAR-DIE")
@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("d8", "d8"),
        (" D8 ", "d8"),
        ("8", "d8"),
        ("1d8", "d8"),
        ("d10−1", "d10-1"),
        ("D10 - 1", "d10-1"),
        ("10-1", "d10-1"),
        ("d12–2", "d12-2"),
        ("d6 + 1", "d6+1"),
        ("4+2", "d4+2"),
    ],
)
def test_dice_as_people_write_them(typed: str, meant: str) -> None:
    assert find_die_type(typed) is DIE_TYPES[meant]


@pytest.mark.rule("BAR-DIE")
@pytest.mark.parametrize("typed", ["", "d", "d10", "d20", "2d8", "d8-1", "x" * 10_000])
def test_other_dice_are_refused_with_suggestions(typed: str) -> None:
    with pytest.raises(NotFound) as caught:
        find_die_type(typed)
    assert caught.value.code == "unknown-choice"
    nearest = caught.value.params["nearest"]
    assert isinstance(nearest, tuple) and nearest and set(nearest) <= set(DIE_TYPES)
    assert len(str(caught.value.params["value"])) <= 60


@pytest.mark.rule("BAR-POOL")
def test_everything_that_goes_into_a_pool() -> None:
    assert built_pool(0, 0) == Pool(1)
    assert built_pool(3, 2) == Pool(4, 2)
    assert built_pool(3, -2) == Pool(4, -2)
    assert built_pool(3, 2, support=4) == Pool(4, 6)
    assert built_pool(3, 2, modifier=-2) == Pool(4)
    assert built_pool(3, 2, convert=3) == Pool(1, 5)
    assert built_pool(3, -1, support=2, wounds=4) == Pool(4, -3)
    assert built_pool(3, 1, halvings=2) == Pool(2, 1)
    assert built_pool(3, 1, doublings=3) == Pool(5, 3)


@pytest.mark.rule("BAR-POOL")
def test_bonus_and_penalty_cancel_one_for_one() -> None:
    for bonus, penalty, left in ((2, 5, -3), (5, 2, 3), (2, 2, 0)):
        wound, attribute = Part("wound", modifier=-penalty), Part("attribute", modifier=bonus)
        pool = pool_from_parts((Part("start", 4), wound, attribute))
        assert (pool, pool.size) == (Pool(4, left), 4 + abs(left))


@pytest.mark.rule("BAR-POOL")
def test_hurrying_may_leave_nothing_to_total() -> None:
    pool = built_pool(1, 3, phases_saved=2)
    assert (pool, pool.fails_without_roll, pool.size) == (Pool(0, 3), True, 0)
    assert not built_pool(1, 3, phases_saved=1).fails_without_roll


@pytest.mark.rule("BAR-POOL")
@pytest.mark.parametrize(
    ("ability", "pace", "convert", "highest"),
    [
        (3, {}, 4, 3),
        (0, {}, 1, 0),
        (3, {"halvings": 2}, 2, 1),
        (3, {"doublings": 1}, 4, 3),
        (1, {"phases_saved": 5}, 1, 0),
        (2, {}, 10**9, 2),
    ],
)
def test_one_add_die_remains_when_dice_are_converted(
    ability: int, pace: dict[str, int], convert: int, highest: int
) -> None:
    with pytest.raises(InvalidInput) as caught:
        built_pool(ability, 0, convert=convert, **pace)
    assert caught.value.code == "too-many-converted"
    assert (caught.value.params["value"], caught.value.params["highest"]) == (convert, highest)
    left = built_pool(ability, 0, convert=highest, **pace)
    assert left.add == 1 + ability + Pace(**pace).dice()[0] - highest
    assert left.add >= 1 or highest == 0


@pytest.mark.rule("BAR-POOL")
def test_a_pool_has_an_end() -> None:
    assert built_pool(MOST_DICE - 11, 10).size == MOST_DICE
    assert built_pool(1, 1000, wounds=1000).size == 2
    with pytest.raises(InvalidInput) as caught:
        built_pool(MOST_DICE - 10, 10)
    assert caught.value.code == "pool-too-large"
    assert caught.value.params["value"] == MOST_DICE + 1


@pytest.mark.rule("BAR-TIME")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, (0, 0)),
        ({"phases_saved": 3}, (-3, 0)),
        ({"phases_extra": 3}, (0, 3)),
        ({"halvings": 2}, (-2, 0)),
        ({"doublings": 1}, (1, 0)),
        ({"doublings": 4}, (1, 3)),
    ],
)
def test_hurrying_and_taking_time(given: dict[str, int], expected: tuple[int, int]) -> None:
    assert Pace(**given).dice() == expected


@pytest.mark.rule("BAR-TEAM")
@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("simple_addition", Pool(9, 1)),
        ("combining_dice", Pool(4, 6)),
        ("worst_roller", Pool(4, -4)),
    ],
)
def test_one_pool_for_a_team(mode: TeamMode, expected: Pool) -> None:
    assert team_pool(mode, [Pool(2, 2), Pool(4, -3), Pool(3, 2)]) == expected
    assert team_pool(mode, [Pool(2, 2)]) == Pool(2, 2)


@pytest.mark.rule("BAR-TEAM")
@pytest.mark.parametrize(
    ("mode", "pools", "code"),
    [
        ("worst_roller", [Pool(1), Pool(0, 4)], "member-without-dice"),
        ("simple_addition", [Pool(60), Pool(41)], "pool-too-large"),
    ],
)
def test_teams_that_cannot_be(mode: TeamMode, pools: list[Pool], code: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        team_pool(mode, pools)
    assert caught.value.code == code
