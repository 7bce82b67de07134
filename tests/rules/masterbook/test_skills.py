"""The skills, their charts, and what somebody without adds may do."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import Impossible, InvalidInput
from rules.systems.masterbook.formulas import skills
from rules.systems.masterbook.formulas.skills import CHARTS, SKILLS

ATTRIBUTES = {
    "agility",
    "dexterity",
    "endurance",
    "strength",
    "intellect",
    "mind",
    "confidence",
    "charisma",
}


def agreed_options(**settings: Any) -> Callable[[str], Any]:
    """What a table has agreed on: these, and everything else off."""
    return lambda key: settings.get(key, False)


# --- the list -------------------------------------------------------------------------------------


@pytest.mark.rule("MB-SKILL-07")
def test_the_list_is_whole() -> None:
    assert {each.attribute for each in SKILLS.values()} == ATTRIBUTES
    assert {each.name for each in SKILLS.values() if each.macro and each.magic} == {
        "Apportation",
        "Alteration",
        "Conjuration",
        "Divination",
        "Summoning",
    }
    assert not SKILLS["Super-science"].macro
    assert {each.against for each in SKILLS.values()} - {""} <= SKILLS.keys()
    assert {name for each in SKILLS.values() for name in each.charts} == CHARTS.keys()


@pytest.mark.rule("MB-SKILL-07", "MB-SKILL-02")
def test_who_cannot_try_pays_twice() -> None:
    """What nobody can use without adds, or only with a heavy penalty, costs twice as much."""
    for each in SKILLS.values():
        assert each.trained is (each.untrained in ("no", "penalty", "gm_table")), each.name


@pytest.mark.rule("MB-SKILL-04")
def test_skills_without_specializations() -> None:
    assert {each.name for each in SKILLS.values() if not each.specialized} == {
        "Gunnery",
        "Heavy Energy Weapons",
        "Heavy Weapons",
        "Resist Shock",
        "Hypnotism",
        "Taunt",
        "Intimidation",
        "First Aid",
        "Survival",
    }


# --- without adds, by focus, by specialization ----------------------------------------------------


@pytest.mark.rule(
    "MB-SKILL-02", "MB-SKILL-FLIGHT", "MB-SKILL-MECHANICAL-MANEUVER", "MB-SKILL-COMPUTER-OPS"
)
@pytest.mark.parametrize(
    ("name", "settings", "harder"),
    [
        ("Climbing", {}, 0),
        ("Maneuver", {}, 0),
        ("Willpower", {}, 0),
        ("Faith", {}, 0),
        ("Flight", {}, 8),
        ("Lock Picking", {}, 8),
        ("Mechanical Maneuver", {}, None),
        ("Computer Ops", {}, None),
        ("Demolitions", {}, None),
        ("Disguise", {}, None),
        ("Disguise", {"untrained_disguise": True}, 5),
        ("Heavy Weapons", {}, None),
        ("Heavy Weapons", {"untrained_heavy_weapons": True}, 4),
        ("Heavy Energy Weapons", {"untrained_heavy_weapons": True}, 4),
        ("Gunnery", {"untrained_heavy_weapons": True}, None),
        ("Vehicle Piloting", {}, None),
    ],
)
def test_without_adds(name: str, settings: dict[str, Any], harder: int | None) -> None:
    assert skills.untrained_penalty(SKILLS[name], agreed_options(**settings)) == harder


@pytest.mark.rule("MB-SKILL-VEHICLE-PILOTING", "MB-SKILL-02")
def test_the_rarer_a_vehicle_the_harder_without_adds() -> None:
    piloting, allowed = SKILLS["Vehicle Piloting"], agreed_options(untrained_vehicle_piloting=True)
    rare = skills.rows_modifier("Vehicle Piloting", ["rare", "not_native"])
    assert skills.untrained_penalty(piloting, allowed, rare) == 14
    with pytest.raises(InvalidInput, match="mb-options-exclude"):
        skills.rows_modifier("Vehicle Piloting", ["rare", "exotic"])
    worth = [row.modifier for row in skills.rows_of("Vehicle Piloting") if row.group]
    assert worth == sorted(worth, key=lambda each: each or 0)


@pytest.mark.rule("MB-SKILL-03")
def test_what_is_learned_by_focus() -> None:
    assert skills.needs_focus(SKILLS["Science"], agreed_options())
    assert not skills.needs_focus(SKILLS["Stealth"], agreed_options())
    assert not skills.needs_focus(SKILLS["Conjuration"], agreed_options())
    assert skills.needs_focus(SKILLS["Conjuration"], agreed_options(magic_skill_focuses=True))
    for name, setting in (
        ("Medicine", "medicine_macroskill"),
        ("Streetwise", "streetwise_macroskill"),
        ("Computer Ops", "computer_ops_macroskill"),
    ):
        assert not skills.needs_focus(SKILLS[name], agreed_options())
        assert skills.needs_focus(SKILLS[name], agreed_options(**{setting: True}))


@pytest.mark.rule("MB-SKILL-04")
@given(st.integers(0, 20), st.integers(0, 22))
def test_a_specialization_is_two_above_its_skill_at_most(adds: int, special: int) -> None:
    if special < adds + 2:
        assert skills.raise_specialization(adds, special) == special + 1
    else:
        with pytest.raises(Impossible, match="mb-special-too-high"):
            skills.raise_specialization(adds, special)


@pytest.mark.rule("MB-SKILL-05")
def test_the_better_of_two_skills_counts() -> None:
    assert skills.best_skill({"karate": 12, "unarmed parry": 15}) == ("unarmed parry", 15)
    assert skills.best_skill({"navigation": 12, "survival": 12}) == ("navigation", 12)


# --- charts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("skill", "rows", "numbers", "base", "dn"),
    [
        pytest.param(
            "Acrobatics", ["back_flip"], {}, None, 12, marks=pytest.mark.rule("MB-SKILL-ACROBATICS")
        ),
        pytest.param(
            "Acrobatics",
            ["combat_maneuver"],
            {},
            11,
            13,
            marks=pytest.mark.rule("MB-SKILL-MANEUVER"),
        ),
        pytest.param(
            "Beast Riding",
            ["camel_fence"],
            {},
            None,
            14,
            marks=pytest.mark.rule("MB-SKILL-BEAST-RIDING"),
        ),
        pytest.param(
            "Climbing",
            ["tree", "rain", "careful"],
            {},
            None,
            8,
            marks=pytest.mark.rule("MB-SKILL-CLIMBING"),
        ),
        pytest.param(
            "Climbing",
            ["smooth", "ladder", "rain"],
            {},
            None,
            5,
            marks=pytest.mark.rule("MB-SKILL-CLIMBING"),
        ),
        pytest.param(
            "Long Jumping",
            ["rough", "load_50"],
            {"rough": 5},
            3,
            12,
            marks=pytest.mark.rule("MB-SKILL-LONG-JUMPING"),
        ),
        pytest.param(
            "Running", ["rough", "uphill"], {}, 8, 13, marks=pytest.mark.rule("MB-SKILL-RUNNING")
        ),
        pytest.param(
            "Stealth",
            ["night", "attentive"],
            {},
            10,
            10,
            marks=pytest.mark.rule("MB-SKILL-STEALTH"),
        ),
        pytest.param(
            "Swimming",
            ["aids"],
            {"aids": -4},
            None,
            -1,
            marks=pytest.mark.rule("MB-SKILL-SWIMMING"),
        ),
        pytest.param(
            "Swimming",
            ["load_50", "rescue_conscious"],
            {},
            None,
            9,
            marks=pytest.mark.rule("MB-SKILL-SWIMMING"),
        ),
        pytest.param(
            "Lock Picking",
            ["vault", "high_security", "full_tools"],
            {"full_tools": -5},
            None,
            22,
            marks=pytest.mark.rule("MB-SKILL-LOCK-PICKING"),
        ),
        pytest.param(
            "Prestidigitation",
            ["difficult_act", "confused"],
            {"difficult_act": 3},
            9,
            10,
            marks=pytest.mark.rule("MB-SKILL-PRESTIDIGITATION"),
        ),
        pytest.param(
            "Deduction", ["unusual"], {}, 10, 14, marks=pytest.mark.rule("MB-SKILL-DEDUCTION")
        ),
        pytest.param(
            "Demolitions",
            ["alien", "false_consistency"],
            {"alien": 18, "false_consistency": 2},
            None,
            20,
            marks=pytest.mark.rule("MB-SKILL-DEMOLITIONS"),
        ),
        pytest.param(
            "Linguistics",
            ["derived", "complex"],
            {},
            None,
            13,
            marks=pytest.mark.rule("MB-SKILL-LINGUISTICS"),
        ),
        pytest.param(
            "Navigation",
            ["distance_on_map", "sketch_map"],
            {},
            None,
            11,
            marks=pytest.mark.rule("MB-SKILL-NAVIGATION"),
        ),
        pytest.param(
            "Tracking",
            ["week_old", "hard_surface", "per_person"],
            {"per_person": 3},
            None,
            23,
            marks=pytest.mark.rule("MB-SKILL-TRACKING"),
        ),
        pytest.param(
            "Business",
            ["value"],
            {"value": 14},
            None,
            14,
            marks=pytest.mark.rule("MB-SKILL-BUSINESS"),
        ),
        pytest.param(
            "Disguise",
            ["species_none"],
            {"species_none": 13},
            None,
            21,
            marks=pytest.mark.rule("MB-SKILL-DISGUISE"),
        ),
        pytest.param(
            "Streetwise",
            ["town", "illegal", "light"],
            {},
            None,
            16,
            marks=pytest.mark.rule("MB-SKILL-STREETWISE"),
        ),
        pytest.param(
            "Survival", ["barren"], {}, 5, 12, marks=pytest.mark.rule("MB-SKILL-SURVIVAL")
        ),
        pytest.param("Science", [], {}, 15, 15, marks=pytest.mark.rule("MB-SKILL-SCIENCE")),
        pytest.param("Perception", [], {}, 14, 14, marks=pytest.mark.rule("MB-SKILL-PERCEPTION")),
    ],
)
def test_difficulties(
    skill: str, rows: list[str], numbers: dict[str, int], base: int | None, dn: int
) -> None:
    assert skills.difficulty(skill, rows, numbers, base) == dn


@pytest.mark.parametrize(
    ("skill", "rows", "numbers", "code"),
    [
        ("Climbing", ["tree", "smooth"], {}, "mb-options-exclude"),
        ("Climbing", ["tree", "slope_under_90", "slope_under_45"], {}, "mb-options-exclude"),
        ("Streetwise", ["town", "legal", "illegal"], {}, "mb-options-exclude"),
        ("Climbing", ["tree", "night"], {}, "mb-no-such-row"),
        ("Language", ["basic"], {}, "mb-no-such-row"),
        ("Basketry", ["tree"], {}, "mb-no-such-row"),
        ("Climbing", ["rain"], {}, "mb-no-difficulty"),
        ("Basketry", [], {}, "mb-no-difficulty"),
        ("Demolitions", ["alien"], {"alien": 14}, "mb-row-number"),
        ("Demolitions", ["alien", "false_consistency"], {"false_consistency": 6}, "mb-row-number"),
        ("Tracking", ["per_person"], {"per_person": -1}, "mb-row-number"),
        ("Climbing", ["tree"], {"tree": 6}, "mb-row-number"),
    ],
)
def test_rows_that_cannot_be(
    skill: str, rows: list[str], numbers: dict[str, int], code: str
) -> None:
    with pytest.raises(InvalidInput, match=code):
        skills.difficulty(skill, rows, numbers)


def test_every_row_can_be_chosen_by_itself() -> None:
    for name in SKILLS:
        rows = skills.rows_of(name)
        assert len({row.id for row in rows}) == len(rows), "an id is one row's"
        for row in rows:
            worth = skills.offered_numbers(row)[0]
            number = skills.difficulty(
                name, [row.id], {row.id: worth} if row.modifier is row.dn else {}, base=10
            )
            assert number == (row.dn if row.dn is not None else 10 + worth)
            assert row.dn is None or skills.number_of(name, [row.id]) == row.dn


def test_nobody_chooses_the_row_for_having_no_adds() -> None:
    for name, worth in (("Lock Picking", 8), ("Disguise", 5)):
        assert "untrained" not in {row.id for row in skills.rows_of(name)}
        assert SKILLS[name].penalty == worth == skills.rows_modifier(name, ["untrained"])


@pytest.mark.rule("MB-SKILL-LONG-JUMPING", "MB-SKILL-SWIMMING")
@pytest.mark.parametrize(
    ("skill", "percent", "row"),
    [
        ("Long Jumping", 50, None),
        ("Long Jumping", Fraction(101, 2), "load_50"),
        ("Long Jumping", 75, "load_75"),
        ("Long Jumping", 300, "load_100"),
        ("Swimming", 24, None),
        ("Swimming", 25, "load_25"),
        ("Swimming", 50, "load_50"),
        ("Swimming", 100, "load_100"),
    ],
)
def test_loads(skill: str, percent: int, row: str | None) -> None:
    assert skills.load_row(skill, percent) == row


@pytest.mark.rule("MB-SKILL-ARTIST", "MB-SKILL-LANGUAGE", "MB-SKILL-SCHOLAR")
def test_results_are_read_off() -> None:
    def meant(skill: str, number: int) -> str | None:
        chart = skills.result_chart(skill)
        assert chart is not None
        row = skills.read_off(chart.rows, number)
        return None if row is None else row.id

    assert [meant("Artist", each) for each in (-3, 14, 15, 25)] == [
        "below_good",
        "below_good",
        "good",
        "masterpiece",
    ]
    assert [meant("Language", each) for each in (0, 5, 14)] == [None, "general", "very_advanced"]
    assert [meant("Scholar", each) for each in (0, 1, 6)] == [None, "minimal", "superior"]
    assert skills.result_chart("Climbing") is None


@pytest.mark.rule("MB-CHAR-03", "MB-CHAR-15")
def test_what_values_and_adds_are_called() -> None:
    assert [skills.quality(each).id for each in (4, 5, 6, 8, 9, 12, 13, 14)] == [
        "severely_impaired",
        "well_below_average",
        "below_average",
        "low_average",
        "high_average",
        "outstanding",
        "exceptional",
        "superhuman",
    ]
    assert [found and found.id for found in map(skills.knowledge, (0, 1, 2, 3, 6, 10, 15, 16))] == [
        None,
        "novice",
        "beginner",
        "intermediate",
        "professional",
        "advanced",
        "adept",
        "learned",
    ]
