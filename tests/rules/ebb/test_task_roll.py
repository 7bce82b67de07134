"""The task roll, its verdicts, opposed rolls, and what failures leave behind."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import Impossible
from rules.core.rng import Die, KeyedRng, ScriptedRng
from rules.systems.ebb.task_roll import (
    Judgment,
    TaskRoll,
    bare_success,
    judge,
    judge_opposed,
    reroll_ability,
    roll_task,
)


def roll_of(
    *faces: int, attribute: int | None = None, sides: int | None = None, bonus: int = 0
) -> TaskRoll:
    """A task roll with these faces, main die first; every face must be used."""
    dice = ScriptedRng(faces)
    roll = roll_task(dice, attribute=attribute, ability_sides=sides, bonus=bonus)
    assert dice.left == 0
    return roll


@st.composite
def task_rolls(draw: st.DrawFn) -> TaskRoll:
    main = (*([10] * draw(st.integers(0, 3))), draw(st.integers(1, 9)))
    sides = draw(st.sampled_from([None, 4, 6, 8, 10, 12]))
    faces = (
        ()
        if sides is None
        else tuple(draw(st.lists(st.integers(1, sides), min_size=1, max_size=3)))
    )
    attribute = draw(st.none() | st.integers(0, 6))
    return TaskRoll(main, sides, faces, attribute, draw(st.integers(-20, 20)))


def _told(found: Judgment) -> tuple[int, int, str, int]:
    return found.total, found.threshold, found.verdict, found.extra_results


@pytest.mark.rule("EBB-ROLL")
def test_main_attribute_and_ability_add_up() -> None:
    roll = roll_of(7, 6, attribute=2, sides=6)
    assert (roll.main, roll.abilities, roll.ability, roll.total) == ((7,), (6,), 6, 15)


@pytest.mark.rule("EBB-ROLL")
def test_a_ten_is_rolled_again_and_added() -> None:
    roll = roll_of(10, 10, 3, attribute=0)
    assert (roll.main, roll.total) == ((10, 10, 3), 23)


@pytest.mark.rule("EBB-ROLL")
@pytest.mark.parametrize("sides", [4, 6, 8, 10, 12])
def test_the_ability_die_never_explodes(sides: int) -> None:
    assert roll_of(5, sides, sides=sides).total == 5 + sides


@pytest.mark.rule("EBB-ROLL")
def test_attribute_and_ability_are_optional() -> None:
    assert roll_of(5).total == 5
    assert roll_of(5, attribute=3).total == 8
    assert roll_of(5, 2, sides=4).total == 7
    assert roll_of(5).ability is None


@pytest.mark.rule("EBB-PROPOSAL")
def test_the_gm_may_adjust_the_total_directly() -> None:
    assert roll_of(5, 2, attribute=1, sides=4, bonus=-3).total == 5
    assert judge(roll_of(5, bonus=2), 7).verdict == "success"


def test_dice_keep_their_names() -> None:
    roll = reroll_ability(ScriptedRng([2]), roll_of(10, 4, 6, sides=6))
    assert roll.dice == (
        Die("main", 10, 10),
        Die("main-again", 10, 4),
        Die("ability", 6, 6),
        Die("ability-again", 6, 2),
    )
    assert roll_of(4).dice == (Die("main", 10, 4),)


@pytest.mark.rule("EBB-ROLL")
def test_a_first_one_fails_whatever_the_total() -> None:
    result = judge(roll_of(1, 12, attribute=9, sides=12), 4)
    assert _told(result) == (22, 4, "automatic_failure", 0)
    assert result.automatic_failure and result.verdict != "fumble" and not result.success


@pytest.mark.rule("EBB-ROLL")
def test_a_one_after_a_ten_is_a_point() -> None:
    assert _told(judge(roll_of(10, 1, 1, sides=4), 12)) == (12, 12, "success", 0)
    assert judge(roll_of(10, 1), 12).verdict == "near_miss"


@pytest.mark.rule("EBB-ROLL")
def test_fumbles() -> None:
    alone = judge(roll_of(1, attribute=5), 4)
    assert alone.verdict == "fumble" and alone.automatic_failure
    assert judge(roll_of(1, 1, attribute=5, sides=8), 4).verdict == "fumble"
    assert judge(roll_of(1, 2, attribute=5, sides=8), 4).verdict == "automatic_failure"
    assert judge(roll_of(2, 1, attribute=5, sides=8), 4).verdict == "success"


@pytest.mark.rule("EBB-LADDER", "EBB-CRIT")
@pytest.mark.parametrize(
    ("total", "extra"), [(10, 0), (11, 0), (12, 0), (13, 1), (15, 1), (16, 2), (22, 4), (34, 8)]
)
def test_extra_results(total: int, extra: int) -> None:
    roll = TaskRoll((5,), None, (), total - 5)
    assert _told(judge(roll, 10)) == (total, 10, "success", extra)


@pytest.mark.rule("EBB-FAIL")
@pytest.mark.parametrize(
    ("total", "verdict"),
    [(9, "near_miss"), (8, "near_miss"), (7, "near_miss"), (6, "failure"), (2, "failure")],
)
def test_degrees_of_failure(total: int, verdict: str) -> None:
    result = judge(TaskRoll((2,), None, (), total - 2), 10)
    assert (result.verdict, result.extra_results) == (verdict, 0)


@pytest.mark.rule("EBB-FAIL")
def test_a_one_is_no_near_miss() -> None:
    assert judge(roll_of(1, 3, attribute=5, sides=4), 10).verdict == "automatic_failure"


@given(task_rolls(), st.integers(-10, 60))
def test_judge_is_consistent(roll: TaskRoll, threshold: int) -> None:
    result = judge(roll, threshold)
    assert result.total == roll.total
    assert result.total == sum(roll.main) + (roll.attribute or 0) + (roll.ability or 0) + roll.bonus
    assert result.automatic_failure is (roll.main[0] == 1)
    margin = result.total - threshold
    if not result.automatic_failure:
        assert result.success is (margin >= 0)
        assert (result.verdict == "near_miss") is (-3 <= margin < 0)
    if result.success:
        assert 3 * result.extra_results <= margin < 3 * (result.extra_results + 1)
    else:
        assert result.extra_results == 0


@given(task_rolls(), st.integers(-10, 60))
def test_a_higher_threshold_is_never_better(roll: TaskRoll, threshold: int) -> None:
    order = ("fumble", "automatic_failure", "failure", "near_miss", "success")
    low, high = judge(roll, threshold), judge(roll, threshold + 1)
    assert order.index(high.verdict) <= order.index(low.verdict)
    assert high.extra_results <= low.extra_results


@given(st.text(st.characters(codec="utf-8"), max_size=10), st.sampled_from([None, 4, 6, 8, 10, 12]))
def test_keyed_rolls_have_the_right_shape(key: str, sides: int | None) -> None:
    roll = roll_task(KeyedRng(bytes(32), key), attribute=1, ability_sides=sides)
    assert all(face == 10 for face in roll.main[:-1]) and 1 <= roll.main[-1] <= 9
    assert len(roll.abilities) == (0 if sides is None else 1)
    assert all(1 <= face <= (sides or 0) for face in roll.abilities)


# --- the re-rolled ability die --------------------------------------------------------------------


@pytest.mark.rule("EBB-FATE")
def test_the_new_face_stands() -> None:
    roll = roll_of(6, 6, attribute=2, sides=8)
    again = reroll_ability(ScriptedRng([2]), roll)
    assert (again.main, again.abilities, again.ability, again.total) == ((6,), (6, 2), 2, 10)
    once_more = reroll_ability(ScriptedRng([7]), again)
    assert (once_more.abilities, once_more.total) == ((6, 2, 7), 15)
    assert (roll.abilities, roll.total) == ((6,), 14)


@pytest.mark.rule("EBB-FATE")
def test_a_reroll_moves_between_fumble_and_automatic_failure_only() -> None:
    fumble = roll_of(1, 1, attribute=5, sides=6)
    mended = reroll_ability(ScriptedRng([6]), fumble)
    assert judge(mended, 4).verdict == "automatic_failure"
    assert judge(reroll_ability(ScriptedRng([1]), mended), 4).verdict == "fumble"


@pytest.mark.rule("EBB-FATE")
def test_no_ability_die_no_reroll() -> None:
    dice = ScriptedRng([3])
    with pytest.raises(Impossible) as caught:
        reroll_ability(dice, roll_of(5))
    assert caught.value.code == "no-ability-die"
    assert dice.left == 1


@pytest.mark.rule("EBB-FATE")
@given(task_rolls(), st.integers(1, 4), st.integers(1, 40))
def test_a_reroll_never_makes_an_automatic_failure_a_success(
    roll: TaskRoll, face: int, threshold: int
) -> None:
    if roll.ability_sides is None:
        return
    again = reroll_ability(ScriptedRng([face]), roll)
    assert again.main == roll.main
    assert judge(again, threshold).automatic_failure is judge(roll, threshold).automatic_failure


@pytest.mark.rule("EBB-LUCK")
def test_luck_barely_succeeds() -> None:
    assert _told(bare_success(16)) == (16, 16, "success", 0)


@pytest.mark.rule("EBB-ROLL", "EBB-CRIT", "EBB-FAIL")
@pytest.mark.parametrize("tens", range(3))
def test_every_edge_of_a_task_roll(tens: int) -> None:
    main, dice, margins = (1, 2, 5, 8, 9), (1, 2, 6), (-6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 6)
    for last, die, margin in itertools.product(main, dice, margins):
        faces = (*[10] * tens, last)
        roll = roll_of(*faces, die, attribute=1, sides=6)
        total = sum(faces) + die + 1
        assert roll.total == total
        threshold = total - margin
        judgment = judge(roll, threshold)
        if faces[0] == 1:
            verdict = "fumble" if die == 1 else "automatic_failure"
        elif margin >= 0:
            verdict = "success"
        else:
            verdict = "near_miss" if margin >= -3 else "failure"
        assert judgment.verdict == verdict, (faces, die, threshold)
        extra = margin // 3 if verdict == "success" else 0
        assert judgment.extra_results == extra, (faces, die, threshold)


# --- opposed --------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-OPPOSED")
def test_the_higher_total_wins() -> None:
    result = judge_opposed(roll_of(9, 6, attribute=3, sides=10), roll_of(10, 1))
    assert result.winner == "actor"
    assert _told(result.actor) == (18, 11, "success", 2)
    assert _told(result.opponent) == (11, 18, "failure", 0)


@pytest.mark.rule("EBB-OPPOSED")
def test_the_actor_wins_ties() -> None:
    result = judge_opposed(roll_of(5), roll_of(5))
    assert result.winner == "actor"
    assert _told(result.actor) == (5, 5, "success", 0)
    assert _told(result.opponent) == (5, 5, "near_miss", 0)


@pytest.mark.rule("EBB-OPPOSED")
def test_the_opponent_wins_with_more() -> None:
    result = judge_opposed(roll_of(5), roll_of(6))
    assert result.winner == "opponent"
    assert _told(result.actor) == (5, 6, "near_miss", 0)
    assert _told(result.opponent) == (6, 5, "success", 0)


@pytest.mark.rule("EBB-OPPOSED")
def test_an_automatic_failure_loses_even_with_more() -> None:
    strong, weak = roll_of(1, 10, attribute=9, sides=10), roll_of(2)
    result = judge_opposed(strong, weak)
    assert (result.winner, result.actor.verdict) == ("opponent", "automatic_failure")
    assert _told(result.opponent) == (2, 20, "success", 0)
    turned = judge_opposed(weak, strong)
    assert (turned.winner, turned.opponent.verdict) == ("actor", "automatic_failure")
    assert _told(turned.actor) == (2, 20, "success", 0)


@pytest.mark.rule("EBB-OPPOSED")
def test_both_fail_automatically() -> None:
    result = judge_opposed(roll_of(1), roll_of(1, 4, sides=4))
    assert result.winner == "nobody"
    assert (result.actor.verdict, result.opponent.verdict) == ("fumble", "automatic_failure")


@pytest.mark.rule("EBB-OPPOSED")
def test_either_side_may_have_a_bonus() -> None:
    assert judge_opposed(roll_of(5, bonus=-1), roll_of(5)).winner == "opponent"
    assert judge_opposed(roll_of(5), roll_of(6, bonus=-1)).winner == "actor"


@pytest.mark.rule("EBB-OPPOSED")
def test_every_edge_of_a_contest() -> None:
    """Each side has a main die and an ability die, and the same attribute."""
    faces = [(main, die) for main in (1, 2, 5, 8, 9) for die in range(1, 9)]
    for mine, theirs in itertools.product(faces, repeat=2):
        result = judge_opposed(
            roll_of(*mine, attribute=1, sides=8), roll_of(*theirs, attribute=1, sides=8)
        )
        if mine[0] == 1 and theirs[0] == 1:
            winner = "nobody"
        elif mine[0] == 1:
            winner = "opponent"
        elif theirs[0] == 1 or sum(mine) >= sum(theirs):
            winner = "actor"
        else:
            winner = "opponent"
        assert result.winner == winner, (mine, theirs)
        assert (result.actor.verdict == "fumble") is (mine == (1, 1)), (mine, theirs)


@pytest.mark.rule("EBB-OPPOSED")
@given(task_rolls(), task_rolls())
def test_opposed_has_one_winner_at_most(actor: TaskRoll, opponent: TaskRoll) -> None:
    result = judge_opposed(actor, opponent)
    assert result.actor.success is (result.winner == "actor")
    assert result.opponent.success is (result.winner == "opponent")
    assert result.actor.threshold == opponent.total
    assert result.opponent.threshold == actor.total
