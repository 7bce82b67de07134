"""Rounds, actions and what many do together under MasterBook."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import InvalidInput
from rules.systems.masterbook.formulas import multi_actions
from rules.systems.masterbook.formulas.multi_actions import GroupResult


@pytest.mark.rule("MB-INI-01")
def test_who_acts_when() -> None:
    scores = {"A": 11, "B": 13, "C": 11}
    assert multi_actions.initiative_order(scores) == (("B",), ("A", "C"))
    assert multi_actions.initiative_order(scores, [["A", "C"], ["B"]]) == (("A", "C"), ("B",))
    assert multi_actions.INITIATIVE == {"combat": "agility", "interaction": "confidence"}


@pytest.mark.rule("MB-ACT-01", "MB-ACT-02")
def test_too_much_at_once() -> None:
    assert [multi_actions.crowding_penalty(each) for each in (0, 2, 3, 4)] == [0, 0, 2, 2]
    assert [multi_actions.too_many(each) for each in (3, 4)] == [False, True]
    assert multi_actions.WAITING_COST == 2


@pytest.mark.rule("MB-MUL-01", "MB-MUL-02", "MB-MOV-03")
def test_several_actions_or_targets() -> None:
    assert multi_actions.multi_action_penalty(1, 1) == 0
    assert [multi_actions.multi_action_penalty(each, 10) for each in range(1, 11)] == [
        -2,
        -3,
        -4,
        -5,
        -6,
        -7,
        -8,
        -9,
        -10,
        -11,
    ]
    for rank in (0, 3):
        with pytest.raises(InvalidInput, match="mb-bad-rank"):
            multi_actions.multi_action_penalty(rank, 2)


@pytest.mark.rule("MB-CBN-01")
def test_what_a_group_adds() -> None:
    harder, more = zip(*[multi_actions.group_modifiers(each) for each in range(1, 14)], strict=True)
    assert harder == (0, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7)
    assert more == (0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 12, 13)
    assert multi_actions.group_modifiers(21) == (11, 17)


@pytest.mark.rule("MB-CBN-01")
@given(st.integers(1, 30), st.integers(0, 40), st.integers(0, 30), st.integers(0, 30))
def test_as_many_of_a_group_succeed_as_the_roll_reaches(
    number: int, total: int, dn: int, effect: int
) -> None:
    found = multi_actions.resolve_group(number, total, dn, effect)
    if total < dn:
        assert found == GroupResult(0)
        return
    assert 1 <= found.succeeded <= number
    assert total >= dn + multi_actions.group_modifiers(found.succeeded)[0]
    if found.succeeded < number:
        assert (
            found.points,
            total < dn + multi_actions.group_modifiers(found.succeeded + 1)[0],
        ) == (0, True)
    assert found.effect == effect + multi_actions.group_modifiers(found.succeeded)[1] + found.points


@pytest.mark.rule("MB-CBN-02", "MB-CBN-03")
def test_coordination() -> None:
    assert multi_actions.characters_reaching({"Joe": 9, "Diane": 10}, 10) == ("Diane",)
    assert [multi_actions.coordination_bonus(each) for each in (0, 1, 2)] == [0, 2, 4]
    assert [multi_actions.shock_share(5, each) for each in (1, 2, 5, 6)] == [5, 3, 1, 1]
