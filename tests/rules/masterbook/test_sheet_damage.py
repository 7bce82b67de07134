"""What a hit does under MasterBook until it is taken, and what taking it is told as."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import Impossible
from rules.systems.masterbook.combat import healing
from rules.systems.masterbook.formulas import damage, success_chart
from rules.systems.masterbook.formulas.damage import Fall, Harm, HitResult
from rules.systems.masterbook.formulas.success_chart import Damage

DAMAGES = st.builds(
    Damage,
    wounds=st.integers(0, 9),
    knockdown=st.booleans(),
    ko=st.sampled_from(("", "K", "O", "K/O", "KO")),
    shock=st.integers(0, 20),
    bleeders=st.integers(0, 3),
)


@pytest.mark.rule("MB-DMG-01")
def test_damage_value() -> None:
    assert damage.damage_value(dv=16) == 16
    assert damage.damage_value(strength=9) == 9
    assert damage.damage_value(strength=9, add=5) == 14
    assert damage.damage_value(strength=15, add=5, maximum=18) == 18
    assert damage.damage_value(strength=20, add=5, maximum=18) == 18, "less than a fist"


@pytest.mark.rule("MB-DMG-02", "MB-DMG-03", "MB-DMG-11", "MB-DMO-01")
def test_points_and_the_cap() -> None:
    assert damage.resolve_hit(5, 14, 9) == HitResult(5, 19, 10, success_chart.damage_for_points(10))
    assert damage.resolve_hit(2, 19, 9, more=-5, armor=3, cover=2) == HitResult(
        -3, 16, 2, success_chart.damage_for_points(2)
    )
    assert damage.resolve_hit(0, 8, 9).damage == Damage()
    assert damage.resolve_hit(2, 9, 9, more=12, capped=True) == HitResult(
        9, 18, 9, success_chart.damage_for_points(9)
    )
    assert damage.resolve_hit(20, 19, 9).damage.text == "16Wnd Knockdown K5"


@pytest.mark.rule("MB-FALL-01")
def test_falls() -> None:
    assert damage.resolve_fall(10, 16, 1, 9, 6) == Fall(
        14, 2, 25, 14, success_chart.damage_for_points(14)
    )
    assert damage.resolve_fall(10, 3, 1, 9, 1) == Fall(
        3, 1, 14, 4, success_chart.damage_for_points(4)
    )


@pytest.mark.rule("MB-DMO-02", "MB-DMO-03", "MB-DMG-04", "MB-OPT-03")
@pytest.mark.parametrize(
    ("points", "given_ways", "text"),
    [
        (13, {}, "6Wnd Knockdown K5"),
        (13, {"soft": True}, "5Wnd Knockdown K8"),
        (13, {"knockout": True}, "1Wnd Knockdown K20"),
        (13, {"knockout": True, "soft": True}, "1Wnd Knockdown K20"),
        (17, {"knockout": True}, "Knockdown K23"),
        (13, {"fells": True, "soft": True}, "4Wnd Knockdown K8"),
        (17, {"fells": True, "knockout": True}, "Knockdown K20"),
    ],
)
def test_declared_attacks(points: int, given_ways: dict[str, bool], text: str) -> None:
    assert (
        damage.convert_damage(success_chart.damage_for_points(20), points, **given_ways).text
        == text
    )


def test_what_has_no_wound_is_not_converted() -> None:
    row = success_chart.damage_for_points(5)
    assert damage.convert_damage(row, 20, fells=True, soft=True) == row
    assert damage.convert_to_bleeders(row, 3) == row
    assert damage.bleeding_dice(row) == 0


@pytest.mark.rule("MB-DMO-04")
def test_wounds_that_bleed() -> None:
    assert damage.bleeding_dice(success_chart.damage_for_points(16)) == 3
    faces = (3, 4, 5, 6, 7)
    found = [damage.count_bleeders(each, faces) for each in damage.BLEEDS]
    assert found == [4, 3, 1]
    left = damage.convert_to_bleeders(success_chart.damage_for_points(8), 4)
    assert (left.text, left.bleeders) == ("K/O 3", 1)


@pytest.mark.rule("MB-LP-03")
def test_packages() -> None:
    assert damage.packages(success_chart.damage_for_points(15)) == {
        "wound": 3,
        "k": 1,
        "o": 1,
        "shock": 3,
    }
    assert damage.packages(success_chart.damage_for_points(9)) == {
        "wound": 1,
        "k_or_o": 1,
        "shock": 2,
    }
    assert damage.packages(Damage()) == {}
    left = damage.drop_packages(
        success_chart.damage_for_points(15), ["k", "shock", "wound", "wound"], own=1, cards=1
    )
    assert left.text == "1Wnd O4"
    with pytest.raises(Impossible, match="mb-one-own-point"):
        damage.drop_packages(success_chart.damage_for_points(15), ["k"], own=2)
    with pytest.raises(Impossible, match="mb-too-many-packages"):
        damage.drop_packages(success_chart.damage_for_points(15), ["wound"] * 3 + ["k"], own=1)
    with pytest.raises(Impossible, match="mb-no-such-package"):
        damage.drop_packages(success_chart.damage_for_points(15), ["knockdown"], cards=3)


@pytest.mark.rule("MB-LP-03")
@given(DAMAGES, st.data())
def test_dropping_takes_exactly_what_was_chosen(hit: Damage, data: st.DataObject) -> None:
    there = [each for each, number in damage.packages(hit).items() for _ in range(number)]
    chosen = data.draw(st.lists(st.sampled_from(there), max_size=6) if there else st.just([]))
    if any(chosen.count(each) > there.count(each) for each in chosen):
        with pytest.raises(Impossible):
            damage.drop_packages(hit, chosen, cards=9)
        return
    left = damage.drop_packages(hit, chosen, cards=9)
    assert left.wounds == hit.wounds - chosen.count("wound")
    assert left.bleeders == hit.bleeders - chosen.count("bleeder")
    assert left.shock == max(0, hit.shock - 3 * chosen.count("shock"))
    assert left.knockdown == (hit.knockdown and "knockdown" not in chosen)
    assert len(damage.packages(left)) <= len(damage.packages(hit))
    assert damage.drop_packages(hit, there, cards=9 + len(there)) == Damage()


@pytest.mark.rule("MB-LP-05")
def test_who_may_spend() -> None:
    assert not Harm(wounds=4, k=60).out
    for out in (
        Harm(fainted=True),
        Harm(out_for=5),
        Harm(wounds=5),
        Harm(wounds=5, stable=True),
        Harm(dead_for=0),
    ):
        assert out.out
    assert not Harm(wounds=5, aided=True).out


# --- what is told ---------------------------------------------------------------------------------


@pytest.mark.rule("MB-DMG-04", "MB-DMG-06")
def test_a_hit_is_told_in_order() -> None:
    now, facts = damage.apply_damage(Harm(k=900), Damage(2, True, "K", 7, bleeders=1), 12)
    told = (("wounds", 2), ("bleeders", 1), ("knockdown", 0), ("doubled", 2), ("shock", 9))
    assert facts == told
    assert (now.k, now.shock, now.out) == (900, 9, False)
    now, facts = damage.apply_damage(now.replace(bleeders=0), Damage(3, ko="O", shock=3), 12)
    assert facts == (
        ("wounds", 3),
        ("knocked_out", 60),
        ("shock", 3),
        ("fainted", 12),
        ("mortal", 1),
    )
    now, facts = damage.apply_damage(now, Damage(wounds=1), 12)
    assert facts == (("wounds", 1), ("dead", 6))
    assert damage.apply_damage(now, Damage(2, ko="KO", shock=5), 12) == (
        now.replace(wounds=8),
        (("wounds", 2),),
    )


@pytest.mark.rule("MB-DMG-07", "MB-DMG-09", "MB-DMG-10")
def test_rounds_are_told() -> None:
    now, _ = damage.apply_damage(Harm(), Damage(knockdown=True, ko="O"), 9)
    assert damage.penalty(now, True) == -4
    assert damage.penalty(now, False) == 0
    now, facts = damage.begin_round(now, 9)
    assert (facts, damage.penalty(now, True), now.o) == ((), -4, False)
    now, facts = damage.begin_round(now, 9)
    assert (facts, damage.penalty(now, True)) == ((("rises", 0),), 0)
    now, facts = damage.apply_damage(Harm(), Damage(wounds=5, shock=7), 9)
    assert facts[-1] == ("mortal", 2)
    now, facts = damage.begin_round(now, 9)
    assert facts == (("dying", 1),)
    now, facts = damage.begin_round(now, 9)
    assert facts == (("dead", 5),)
    assert healing.first_aid_difficulty(now, "wounds") == 22
    now, _ = damage.begin_round(now, 9)
    assert healing.first_aid_difficulty(now, "wounds") == 22
    now, facts = damage.begin_round(now, 9)
    assert facts == ()
    with pytest.raises(Impossible, match="mb-too-late"):
        healing.first_aid_difficulty(now, "wounds")
    assert damage.begin_round(now, 9)[0] == now, "it is no later than too late"


@pytest.mark.rule("MB-DMG-05", "MB-HEAL-07", "MB-HEAL-01")
def test_time_is_told() -> None:
    out, _ = damage.apply_damage(Harm(shock=5), Damage(ko="KO"), 9)
    now, facts = damage.pass_time(out, 59, 9)
    assert (now.out, facts) == (True, (("recovered", 5),))
    now, facts = damage.pass_time(out, 60, 9)
    assert facts == (("recovered", 5), ("awake", 0))
    assert damage.pass_time(now, 1800, 9, resting=False) == (now, ())
    now, facts = damage.pass_time(now, 1800, 9)
    assert (now, facts) == (Harm(), (("k_over", 0),))
    hurt = Harm(wounds=3, shock=1)
    now, facts = damage.pass_time(hurt, 3 * damage.DAY, 9)
    assert facts == (("recovered", 1), ("heals", 14))
    assert damage.pass_time(now, damage.DAY, 9)[1] == (), "said once"


@pytest.mark.rule("MB-DMO-04", "MB-DMG-09")
def test_who_bleeds_alone_dies_of_it() -> None:
    now, facts = damage.pass_time(Harm(wounds=1, bleeders=2), 3600, 8)
    assert now.dead
    assert now.dead_for == damage.TOO_LATE
    assert [what for what, _ in facts] == [
        "bled",
        "fainted",
        "bled_wound",
        "mortal",
        "dying",
        "dead",
    ]


@pytest.mark.rule("MB-DMG-08", "MB-DMG-10")
def test_levels() -> None:
    names = [damage.wound_level_name(each) for each in range(11)]
    assert names[:7] == ["", "light", "moderate", "heavy", "incapacitated", "mortal", "dead"]
    assert names[7:] == ["beyond_first_aid", "beyond_first_aid", "destroyed", "destroyed"]


_TEXT = re.compile(r"(?:(\d*)Wnd ?)?(Knockdown ?)?(K/O|KO|K|O)? ?(\d+)?")


@pytest.mark.rule("MB-DMG-04")
@given(DAMAGES)
def test_the_text_of_a_result_says_all_of_it(hit: Damage) -> None:
    found = _TEXT.fullmatch(hit.text.removesuffix("none"))
    assert found is not None
    wounds, down, ko, shock = found.groups()
    read = Damage(int(wounds or 0), bool(down), ko or "", int(shock or 0), bleeders=hit.bleeders)
    assert read == hit


def test_every_row_can_be_dropped_whole() -> None:
    for points, own in product(range(30), (0, 1)):
        row = success_chart.damage_for_points(points)
        whole = [each for each, number in damage.packages(row).items() for _ in range(number)]
        assert damage.drop_packages(row, whole, own=own, cards=len(whole)) == Damage()
