"""What single skills do with their numbers."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.systems.masterbook.formulas import movement, skill_numbers, skills, success_chart
from rules.systems.masterbook.formulas.movement import Drowning
from rules.systems.masterbook.formulas.skill_rules import SkillTotal, SkillUse, consequences_of

points = st.integers(-20, 30)


@pytest.mark.rule("MB-SKILL-ACROBATICS")
def test_a_fall_is_softened_by_levels() -> None:
    assert [movement.cushioned_points(3, rank) for rank in (0, 1, 6)] == [3, 2, -3]


@pytest.mark.rule("MB-SKILL-CLIMBING")
def test_climbing() -> None:
    assert movement.climb_without_push(0, 3) == (4, "")
    assert movement.climb_without_push(9, 3, careful=True) == (1, "")
    assert movement.climb_without_push(-2, 3) == (0, "no_progress")
    assert movement.climb_without_push(-3, 3) == (0, "fall")


@pytest.mark.rule("MB-SKILL-RUNNING")
def test_running_on_tires() -> None:
    assert [movement.running_shock(each, 8) for each in (1, 8, 9, 10)] == [0, 0, 2, 2]
    assert [movement.running_shock(each, 8, 2) for each in (10, 11)] == [0, 2]


@pytest.mark.rule("MB-SKILL-RUNNING", "MB-SKILL-LIFTING", "MB-SKILL-LONG-JUMPING")
def test_pushes_go_against_the_rate() -> None:
    assert movement.push_difficulty("Running", 8) + skills.rows_modifier("Running", ["rough"]) == 10
    assert movement.resolve_push("Long Jumping", -1, 3).meters == 4
    assert movement.lift_capacity(10) == 7


@pytest.mark.rule("MB-SKILL-SWIMMING")
def test_drowning_to_the_end() -> None:
    """Capacity 6, Endurance 4: three rounds awake with the first, four unconscious."""
    assert [movement.is_sinking(each) for each in (0, -8, -9)] == [False, False, True]
    assert not movement.is_sinking(-20, breathes_water=True)
    state: Drowning | None = Drowning(9)
    shock, told = 2, list[tuple[int, bool]]()
    while state is not None and not (told and told[-1][1]):
        total = None if state.count is not None else state.number - 1
        gasp = movement.resolve_drowning_round(state, total, shock, capacity=6, endurance=4)
        state, shock = gasp.state, shock + gasp.shock
        told.append((gasp.shock, gasp.died))
    assert told == [(2, False), (2, False), (1, False), (1, False), (1, False), (1, True)]
    assert movement.resolve_drowning_round(Drowning(9, 2), 15, 4, 6, 4).state is None
    assert Drowning(9, 2).number == 15


@pytest.mark.rule("MB-SKILL-SWIMMING")
def test_an_ordinary_swim_gets_nowhere_when_missed() -> None:
    assert (movement.meters_without_push(0, 4), movement.meters_without_push(-1, 4)) == (6, 0)


@pytest.mark.rule("MB-SKILL-VEHICLE-PILOTING")
def test_a_vehicle_is_pushed_by_result_points() -> None:
    assert movement.vehicle_meters(10, 7) == 125
    assert movement.vehicle_meters(10, -1) == 100


@pytest.mark.rule("MB-SKILL-CAMOUFLAGE")
def test_camouflage() -> None:
    assert skill_numbers.size_values([3, 2, 1.5]) == (3, 2, 1)
    assert skill_numbers.size_values([Fraction(1, 2), 100, 101]) == (0, 10, 11)
    assert skill_numbers.spot_number(12, skills.rows_modifier("Stealth", ["night"])) == 15
    assert skill_numbers.spot_number(0) == 0
    assert skill_numbers.spot_number(-1) is None


@pytest.mark.rule("MB-SKILL-STEALTH")
def test_the_sharpest_watcher_counts() -> None:
    assert (
        skill_numbers.stealth_difficulty([7, 9, 8], 2) + skills.rows_modifier("Stealth", ["open"])
        == 14
    )


@pytest.mark.rule("MB-SKILL-TRACKING")
def test_hidden_trails() -> None:
    assert [skill_numbers.trail_levels(rank) for rank in range(4)] == [0, 0, 1, 2]
    assert skill_numbers.hidden_trail(5, 2) == ("quarry_stealth", 4)
    assert skill_numbers.hidden_trail(4, 3) == ("quarry_survival", 2), "4 against 3"
    assert (
        skill_numbers.tracked_count(3),
        skill_numbers.tracked_count(3, False),
        skill_numbers.tracked_count(0, False),
    ) == (3, 2, 0)


@pytest.mark.rule("MB-SKILL-FORGERY")
def test_good_tools_make_a_better_forgery() -> None:
    assert skills.rows_modifier("Forgery", ["intimate", "all_tools"]) == -10
    assert skills.rows_modifier("Forgery", ["guess", "missing_tools"]) == 13


@pytest.mark.rule("MB-SKILL-DISGUISE")
@given(st.integers(0, 40), st.integers(0, 40), st.integers(1, 6))
def test_disguises(disguise: int, perception: int, rank: int) -> None:
    assert skill_numbers.is_disguise_detected(disguise, perception) is (perception > disguise)
    if skill_numbers.is_wearer_recognized(disguise, perception, rank):
        assert skill_numbers.is_disguise_detected(disguise, perception)
        assert success_chart.rank(perception - disguise) >= rank


@pytest.mark.rule("MB-SKILL-DISGUISE")
def test_difficulties_of_disguises() -> None:
    assert (skill_numbers.disguise_base(), skill_numbers.disguise_base(other=True)) == (8, 10)
    assert skill_numbers.stranger_difficulty(16) == 8


@pytest.mark.rule("MB-SKILL-DEMOLITIONS")
def test_charges() -> None:
    for wounds in range(1, 7):
        needed = skill_numbers.wrecking_damage(0, wounds)
        assert (
            success_chart.damage_for_points(needed).wounds
            >= wounds
            > success_chart.damage_for_points(needed - 1).wounds
        )
    assert skill_numbers.packing_difficulty(23) == 12
    assert (
        skill_numbers.packed_damage_value(23, 6),
        skill_numbers.packed_damage_value(23, -1),
    ) == (26, 23)


@pytest.mark.rule("MB-SKILL-HYPNOTISM")
def test_trances() -> None:
    assert skill_numbers.trance_difficulty(10, True) == 12
    assert (
        skill_numbers.trance_difficulty(9, False),
        skill_numbers.trance_difficulty(9, False, 12),
    ) == (
        17,
        20,
    )


@pytest.mark.rule("MB-SKILL-TEACHING")
def test_teaching() -> None:
    assert [skill_numbers.teaching_adds(9, each) for each in ("exact", "related", "unrelated")] == [
        9,
        4,
        2,
    ]
    assert skill_numbers.may_teach(5, 1, 4)
    assert not skill_numbers.may_teach(4, 1, 4)
    assert not skill_numbers.may_teach(5, 0, 1)
    assert not skill_numbers.may_teach(0, 3, 0)


@pytest.mark.rule("MB-SKILL-SCHOLAR")
def test_scholars_as_scientists() -> None:
    assert skill_numbers.science_value(9, 3) == (10, True)
    assert skill_numbers.science_value(9, 2) == (9, False)
    assert skill_numbers.science_value(9, 0) == (9, False)


@pytest.mark.rule("MB-SKILL-SURVIVAL")
def test_environments() -> None:
    assert skill_numbers.environment_relation("forest", "forest") == "focus"
    assert (
        skill_numbers.environment_relation("jungle", "forest")
        == "near"
        == skill_numbers.environment_relation("forest", "jungle")
    )
    assert skill_numbers.environment_relation("vacuum", "urban") == "opposite"
    assert skill_numbers.environment_relation("forest", "polar") is None
    assert [
        skill_numbers.usable_adds(2, each) for each in ("focus", "near", "neutral", "opposite")
    ] == [
        2,
        1,
        0,
        0,
    ]


@pytest.mark.rule("MB-SKILL-WILLPOWER", "MB-SKILL-FAITH")
@pytest.mark.parametrize(
    ("confidence", "willpower", "alt", "faith", "value", "what", "trained"),
    [
        (13, 0, 7, None, 7, "alt", False),
        (9, 3, 11, None, 12, "willpower", True),
        (9, 2, 11, None, 11, "willpower", True),
        (9, 1, 11, None, 11, "alt", False),
        (8, 1, 8, 3, 11, "faith", True),
        (8, 3, 8, 3, 11, "willpower", True),
        (8, 0, 7, 0, 8, "faith", False),
    ],
)
def test_what_resists(
    confidence: int,
    willpower: int,
    alt: int,
    faith: int | None,
    value: int,
    what: str,
    trained: bool,
) -> None:
    found = skill_numbers.best_resistance(confidence, willpower, alt, faith)
    assert (found.value, found.uses, found.trained) == (value, what, trained)


@pytest.mark.rule("MB-SKILL-SFX")
@given(points, st.integers(0, 20))
def test_feedback(reached: int, feedback: int) -> None:
    found = skill_numbers.backlash(reached, feedback)
    assert found.feedback == 0 or found.bonus == 0
    assert found.bonus - found.feedback == max(0, reached) - feedback


@pytest.mark.rule("MB-SKILL-SUMMONING")
def test_something_heavy_stays_where_it_is() -> None:
    assert skill_numbers.can_summon(12, 10, 1)
    assert not skill_numbers.can_summon(12, 10, 2)


@pytest.mark.rule(
    "MB-SKILL-07", "MB-SKILL-PRESTIDIGITATION", "MB-SKILL-ARTIST", "MB-SKILL-LANGUAGE"
)
def test_what_is_read_off_a_chart_of_results() -> None:
    def told(skill: str, total: int = 0, points: int | None = None, adds: int = 0) -> list[str]:
        case = SkillUse(skill, {}, lambda key: None, adds=adds)
        return [
            each.row
            for each in consequences_of(case, SkillTotal(total, points))
            if each.what == "row"
        ]

    assert told("Disguise", points=7) == ["disguise-levels-good"]
    assert told("Prestidigitation", points=20) == ["prestidigitation-levels-superior"]
    assert told("Artist", 25) == ["artist-quality-masterpiece"]
    assert (told("Language", adds=5), told("Language")) == (["language-levels-general"], [])
    assert told("Running", points=7) == []
