"""First aid, stabilizing, medicine and healing rolls under MasterBook."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import Impossible
from rules.systems.masterbook.combat import healing
from rules.systems.masterbook.combat.healing import Aid
from rules.systems.masterbook.formulas import attributes, damage, success_chart
from rules.systems.masterbook.formulas.damage import DAY, Harm
from rules.systems.masterbook.formulas.success_chart import Damage


@pytest.mark.rule("MB-HEAL-02", "MB-SKILL-FIRST-AID")
def test_first_aid_lasts_until_the_next_wound() -> None:
    hurt = Harm(wounds=4, shock=3, k=100, o=True)
    now, facts = healing.apply_first_aid(hurt, "wounds", 14, "Ann")
    assert facts == (("aided", 3), ("cleared", 3))
    assert now == Harm(wounds=4, aided=True, tries=("Ann",))
    assert (damage.penalty(hurt, True), damage.penalty(now, True), damage.penalty(now, False)) == (
        -8,
        -4,
        -2,
    )
    later, _ = damage.apply_damage(now, Damage(knockdown=True, ko="K", shock=4), 9)
    assert later.level == 3, "shock and knockdown leave it as it is"
    worse, _ = damage.apply_damage(now, Damage(wounds=1), 9)
    assert (worse.level, worse.tries) == (5, ())


@pytest.mark.rule("MB-HEAL-02")
def test_a_helper_tries_once_for_a_set_of_wounds() -> None:
    now, facts = healing.apply_first_aid(Harm(wounds=3, shock=2), "wounds", 11, "Ann")
    assert facts == (("failed", 1),)
    with pytest.raises(Impossible, match="mb-already-tried"):
        healing.first_aid_difficulty(now, "wounds", "Ann")
    assert healing.apply_first_aid(now, "shock", 8, "Ann")[1] == (("cleared", 2),)
    now, _ = healing.apply_first_aid(now, "wounds", 12, "Bob")
    with pytest.raises(Impossible, match="mb-already-aided"):
        healing.first_aid_difficulty(now, "wounds", "Cid")
    worse, _ = damage.apply_damage(now, Damage(wounds=1), 9)
    assert healing.first_aid_difficulty(worse, "wounds", "Ann") == 14


@pytest.mark.rule("MB-HEAL-03", "MB-HEAL-05")
def test_the_mortally_wounded() -> None:
    dying = Harm(wounds=5, shock=3, out_for=40, k=50)
    now, facts = healing.apply_first_aid(dying, "wounds", 18, "Ann")
    assert facts == (("aided", 4), ("cleared", 3), ("awake", 0))
    assert not now.dying
    assert not now.out
    failed, _ = healing.apply_first_aid(dying, "wounds", 17, "Ann")
    assert failed.dying
    failed, _ = healing.apply_first_aid(failed, "steady", 21)
    with pytest.raises(Impossible, match="mb-too-soon"):
        healing.first_aid_difficulty(failed, "steady")
    failed, _ = damage.recover(failed, 60)
    now, facts = healing.apply_first_aid(failed, "steady", 22)
    assert facts == (("steady", 0),)
    assert (now.dying, now.out, now.wounds) == (False, True, 5)
    assert damage.begin_round(now, 9)[0].shock == now.shock, (
        "the clock stands still, and so does shock"
    )
    assert damage.pass_time(now, 600, 9)[0].shock == now.shock, (
        "however long somebody mortally wounded rests"
    )
    now, facts = healing.apply_first_aid(dying, "shock", 8)
    assert (now.out, facts) == (True, (("cleared", 3),)), "kept alive, and no more"


@pytest.mark.rule("MB-HEAL-04", "MB-DMG-10")
def test_back_from_the_dead() -> None:
    dead, _ = damage.apply_damage(Harm(shock=8), Damage(wounds=6, ko="KO"), 9)
    now, facts = healing.apply_first_aid(dead, "wounds", 22, "Ann")
    assert facts == (("revived", 5), ("cleared", 8))
    assert (now.wounds, now.dying, now.level) == (5, True, 5)
    assert damage.rounds_left(now, 9) == 9
    assert healing.apply_first_aid(dead, "wounds", 21, "Ann")[0].dead
    assert healing.first_aid_difficulty(dead.replace(dead_for=1), "wounds") == 22


@pytest.mark.rule("MB-HEAL-02", "MB-HEAL-04", "MB-HEAL-05", "MB-HEAL-07", "MB-DMO-04")
@pytest.mark.parametrize(
    ("now", "what", "code"),
    [
        (Harm(), "wounds", "mb-no-wounds"),
        (Harm(wounds=7, dead_for=0), "wounds", "mb-beyond-aid"),
        (Harm(wounds=6, dead_for=2), "wounds", "mb-too-late"),
        (Harm(wounds=2), "shock", "mb-no-shock"),
        (Harm(wounds=6, dead_for=0), "shock", "mb-dead"),
        (Harm(wounds=2), "bleeding", "mb-not-bleeding"),
        (Harm(wounds=6, dead_for=0, bleeders=1), "bleeding", "mb-dead"),
        (Harm(wounds=4), "steady", "mb-not-mortal"),
        (Harm(wounds=5, stable=True), "steady", "mb-not-mortal"),
        (Harm(wounds=5, aided=True), "steady", "mb-not-mortal"),
    ],
)
def test_aid_that_cannot_be_given(now: Harm, what: Aid, code: str) -> None:
    with pytest.raises(Impossible, match=code):
        healing.apply_first_aid(now, what, 30)


@pytest.mark.rule("MB-DMO-04", "MB-SKILL-FIRST-AID")
def test_bleeding_is_stanched_at_once() -> None:
    assert [
        healing.first_aid_difficulty(Harm(bleeders=each), "bleeding") for each in (1, 2, 3)
    ] == [
        8,
        10,
        12,
    ]
    now, facts = healing.apply_first_aid(Harm(bleeders=3, fainted=True, shock=2), "bleeding", 12)
    assert facts == (("stanched", 3),)
    assert healing.apply_first_aid(now.replace(shock=0), "shock", 8)[1] == (
        ("cleared", 0),
        ("awake", 0),
    )
    assert damage.pass_time(now, 20, 9)[1] == (("recovered", 2), ("awake", 0)), (
        "and wakes by themselves"
    )


@pytest.mark.rule("MB-HEAL-01", "MB-HEAL-06", "MB-SKILL-MEDICINE")
def test_healing_takes_its_time() -> None:
    days = [damage.wound_level(each).days for each in range(1, 6)]
    assert days == [1, 1, 3, 3, 1]
    for wounds, (number, medic) in enumerate(
        ((10, 10), (12, 12), (14, 13), (16, 15), (18, 17)), start=1
    ):
        hurt = Harm(wounds=wounds, waited=days[wounds - 1] * DAY)
        assert (healing.healing_difficulty(hurt), healing.medicine_difficulty(hurt)) == (
            number,
            medic,
        )
        with pytest.raises(Impossible, match="mb-not-yet"):
            healing.medicine_difficulty(hurt.replace(waited=hurt.waited - 1))
        same, facts = healing.apply_healing_roll(hurt, number - 1)
        assert (same.waited, same.wounds, facts) == (0, wounds, (("unhealed", wounds),))
        better, facts = healing.apply_healing_roll(
            hurt.replace(aided=wounds < 5, tries=("Ann",)), number
        )
        woken = (("awake", 0),) if wounds == 5 else ()
        assert facts == (("healed", wounds - 1), *woken)
        assert better == Harm(wounds=wounds - 1, tries=("Ann",) if wounds > 1 else ())
    with pytest.raises(Impossible, match="mb-dead"):
        healing.healing_difficulty(Harm(wounds=5, dead_for=0, waited=DAY))
    with pytest.raises(Impossible, match="mb-no-wounds"):
        healing.healing_difficulty(Harm())


@pytest.mark.rule("MB-HEAL-06", "MB-SUC-04")
@given(st.integers(-20, 40))
def test_a_medic_adds_a_push(points: int) -> None:
    assert (
        healing.medicine_bonus(points)
        == (0 if points < 0 else points // 3 + 1)
        == success_chart.push(points).push
    )


@pytest.mark.rule("MB-SKILL-RESIST-SHOCK", "MB-DMG-05")
@given(st.integers(1, 20), st.integers(0, 12), st.booleans())
def test_capacity_is_where_somebody_passes_out(endurance: int, adds: int, capped: bool) -> None:
    capacity = attributes.shock_capacity(endurance, adds, capped)
    assert capacity == endurance + (min(adds, endurance) if capped else adds)
    assert not damage.apply_damage(Harm(), Damage(shock=capacity - 1), capacity)[0].out
    assert damage.apply_damage(Harm(), Damage(shock=capacity), capacity)[0].fainted
