"""The gamemaster's procedures in numbers: awards, warnings, extra rewards, kinds of NPCs."""

from __future__ import annotations

import pytest

from rules.core.errors import Impossible, InvalidInput
from rules.systems.masterbook.character.bound_points import (
    GROUPS,
    bound_points_for,
    fits_group,
    spend_bound_points,
)
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks.sheet_damage import RESOURCES
from rules.systems.masterbook.combat.odds import RollProfile, odds_of_reaching
from rules.systems.masterbook.formulas import gm_rules, success_chart
from rules.systems.masterbook.formulas.gm_rules import Development, NpcAward
from rules.systems.masterbook.formulas.option_kinds import COMBAT_SKILLS
from rules.systems.masterbook.formulas.skills import SKILLS
from rules.table.resources import give_award


def codes(warnings: tuple[gm_rules.GmWarning, ...]) -> list[str]:
    return [warning.code.removeprefix("mb-gm-") for warning in warnings]


@pytest.mark.rule("MB-GM-01", "MB-GM-02")
@pytest.mark.parametrize(
    ("scenes", "expected"),
    [
        ("sd", []),
        ("ssd", []),
        ("d", ["few-scenes"]),
        ("s", ["few-scenes", "act-end-not-dramatic"]),
        ("ds", ["act-end-not-dramatic"]),
        ("dsd", ["many-dramatic"]),
        ("dds", ["act-end-not-dramatic", "many-dramatic"]),
    ],
)
def test_warnings_about_an_act(scenes: str, expected: list[str]) -> None:
    kinds = ["dramatic" if letter == "d" else "standard" for letter in scenes]
    assert codes(gm_rules.act_warnings(1, kinds)) == expected


@pytest.mark.rule("MB-GM-01", "MB-GM-03")
def test_what_an_act_pays() -> None:
    assert [gm_rules.act_award(4, adjust) for adjust in (-1, 0, 1, 2)] == [3, 4, 5, 6]
    assert gm_rules.act_award(0, -1) == 0
    for adjust in (-2, 3):
        with pytest.raises(InvalidInput, match="mb-gm-act-adjust-range"):
            gm_rules.act_award(4, adjust)
    assert [gm_rules.act_award(4, number, flat=True) for number in (0, 1, 2)] == [1, 1, 2]
    for number in (-1, 3):
        with pytest.raises(InvalidInput, match="out-of-range"):
            gm_rules.act_award(4, number, flat=True)
    with pytest.raises(Impossible, match="mb-gm-scenes-zero"):
        gm_rules.require_scenes(0)
    with pytest.raises(Impossible, match="mb-gm-act-award-last"):
        gm_rules.require_paying_act(True)


@pytest.mark.rule("MB-GM-04")
def test_what_an_adventure_pays() -> None:
    assert (gm_rules.adventure_award(1), gm_rules.adventure_award(3, 2)) == (1, 5)
    with pytest.raises(Impossible, match="mb-gm-acts-zero"):
        gm_rules.adventure_award(0)
    assert gm_rules.adventure_warnings(5) == ()
    assert codes(gm_rules.adventure_warnings(6)) == ["adventure-soft-cap"]
    assert gm_rules.adventure_warnings(6, grueling=True) == ()
    assert gm_rules.adventure_warnings(6, soft_cap=6) == ()
    # The total has a warning of its own where cards pay besides.
    assert gm_rules.end_total_warnings(7, 7) == gm_rules.end_total_warnings(6, 4) == ()
    assert codes(gm_rules.end_total_warnings(7, 4)) == ["end-total-soft-cap"]


@pytest.mark.rule("MB-GM-06")
def test_an_award_past_the_most() -> None:
    paid = gm_rules.pay_life_points("Ann", 8, 5)
    assert (paid.life_points, paid.lost, paid.skill_points, paid.warnings) == (10, 0, 9, ())
    paid = gm_rules.pay_life_points("Ann", 8, 5, convert=False)
    assert (paid.life_points, paid.lost, paid.skill_points) == (10, 3, 0)
    assert codes(paid.warnings) == ["lp-overflow"]
    # Points above a maximum that was lowered stay.
    assert gm_rules.pay_life_points("Ann", 9, 2, most=8).life_points == 9


@pytest.mark.rule("MB-GM-05")
def test_extra_skill_points_may_be_bound_to_a_group() -> None:
    assert {*SKILLS} >= {*COMBAT_SKILLS}
    assert fits_group("non_combat", "Charm", "charisma")
    assert not fits_group("non_combat", "Dodge", "agility")
    assert fits_group("combat", "Dodge", "agility") and fits_group("agility", "Dodge", "agility")
    sheet = MasterbookSheet()
    for group in GROUPS:
        kind = f"skill points {group}"
        assert give_award(RESOURCES, "Ann", sheet, kind, 3)[0].bound_points == ((group, 3),)
        for points in (0, 4):
            with pytest.raises(InvalidInput, match="out-of-range"):
                give_award(RESOURCES, "Ann", sheet, kind, points)
    sheet = sheet.replace(bound_points=(("non_combat", 2), ("charisma", 3)))
    assert bound_points_for(sheet, "Charm", "charisma") == 5
    assert bound_points_for(sheet, "Dodge", "agility") == 0
    spent, left = spend_bound_points(sheet, "Charm", "charisma", 4)
    assert (spent.bound_points, left) == ((("charisma", 1),), 0)
    spent, left = spend_bound_points(sheet, "Dodge", "agility", 4)
    assert (spent, left) == (sheet, 4)


@pytest.mark.rule("MB-GM-08", "MB-GM-10", "MB-GM-11")
def test_life_points_by_kind() -> None:
    assert gm_rules.NPC_LIFE_POINTS == {"grunt": 1, "standard": 5, "archetype": 10}
    for kind, (low, high) in gm_rules.NPC_LIFE_POINT_RANGE.items():
        assert low <= gm_rules.NPC_LIFE_POINTS[kind] <= high <= gm_rules.LIFE_POINTS_MAX


@pytest.mark.rule("MB-GM-09")
def test_a_standard_npc_is_measured_by_the_most_developed_character() -> None:
    best, tied = Development(26, 68, "Ann"), Development(26, 70, "Ben")
    target = gm_rules.standard_target([Development(20, 75), best])
    assert target is not None
    assert (target.least_adds, target.most_adds, target.attributes) == (28, 31, 69)
    target = gm_rules.standard_target([best, tied])
    assert target is not None and (target.best.name, target.attributes) == ("Ben", 71)
    assert gm_rules.standard_target([]) is None


@pytest.mark.rule("MB-GM-12")
def test_awards_of_standard_npcs() -> None:
    assert gm_rules.npc_award("most_of_an_act", 3) == NpcAward((3, 3), (1, 3))
    assert gm_rules.npc_award("several_acts", 3, 2) == NpcAward((6, 6), (2, 6))
    assert gm_rules.npc_award("brief") == NpcAward((1, 2), (1, 3))
    assert gm_rules.npc_award("unused") == NpcAward((0, 1), (0, 3))


@pytest.mark.rule("MB-GM-14")
@pytest.mark.parametrize(
    ("number", "meet", "beat"),
    [
        (0, 99, 97),
        (2, 94, 90),
        (3, 90, 85),
        (5, 85, 79),
        (8, 72, 55),
        (10, 36, 28),
        (12, 21, 15),
        (13, 15, 10),
        (15, 6, 3),
    ],
)
def test_the_scale_of_difficulties_has_its_chances(number: int, meet: int, beat: int) -> None:
    assert number in [row.dn for row in success_chart.DIFFICULTIES.values()]
    untrained = RollProfile(8, False)
    assert round(100 * odds_of_reaching(untrained, number)) == meet
    assert round(100 * odds_of_reaching(untrained, number + 1)) == beat
