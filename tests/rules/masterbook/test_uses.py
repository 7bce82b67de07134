"""What single skills do with their numbers."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.systems.masterbook import chart, skills, uses
from rules.systems.masterbook.follows import Case, Total, tells_of
from rules.systems.masterbook.uses import Drowning

points = st.integers(-20, 30)


@pytest.mark.rule("MB-SKILL-ACROBATICS")
def test_a_fall_is_softened_by_levels() -> None:
    assert [uses.cushioned(3, rank) for rank in (0, 1, 6)] == [3, 2, -3]


@pytest.mark.rule("MB-SKILL-CLIMBING")
def test_climbing() -> None:
    assert uses.climbed(0, 3) == (4, "")
    assert uses.climbed(9, 3, careful=True) == (1, "")
    assert uses.climbed(-2, 3) == (0, "no_progress")
    assert uses.climbed(-3, 3) == (0, "fall")


@pytest.mark.rule("MB-SKILL-RUNNING")
def test_running_on_tires() -> None:
    assert [uses.winded(each, 8) for each in (1, 8, 9, 10)] == [0, 0, 2, 2]
    assert [uses.winded(each, 8, 2) for each in (10, 11)] == [0, 2]


@pytest.mark.rule("MB-SKILL-RUNNING", "MB-SKILL-LIFTING", "MB-SKILL-LONG-JUMPING")
def test_pushes_go_against_the_rate() -> None:
    assert uses.push_number("Running", 8) + skills.shift("Running", ["rough"]) == 10
    assert uses.pushed("Long Jumping", -1, 3).metres == 4
    assert uses.capacity(10) == 7


@pytest.mark.rule("MB-SKILL-SWIMMING")
def test_drowning_to_the_end() -> None:
    """Capacity 6, Endurance 4: three rounds awake with the first, four unconscious."""
    assert [uses.sinks(each) for each in (0, -8, -9)] == [False, False, True]
    assert not uses.sinks(-20, breathes_water=True)
    state: Drowning | None = Drowning(9)
    shock, told = 2, list[tuple[int, bool]]()
    while state is not None and not (told and told[-1][1]):
        total = None if state.count is not None else state.number - 1
        gasp = uses.under_water(state, total, shock, capacity=6, endurance=4)
        state, shock = gasp.state, shock + gasp.shock
        told.append((gasp.shock, gasp.died))
    assert told == [(2, False), (2, False), (1, False), (1, False), (1, False), (1, True)]
    assert uses.under_water(Drowning(9, 2), 15, 4, 6, 4).state is None
    assert Drowning(9, 2).number == 15


@pytest.mark.rule("MB-SKILL-SWIMMING")
def test_an_ordinary_swim_gets_nowhere_when_missed() -> None:
    assert (uses.went(0, 4), uses.went(-1, 4)) == (6, 0)


@pytest.mark.rule("MB-SKILL-VEHICLE-PILOTING")
def test_a_vehicle_is_pushed_by_result_points() -> None:
    assert uses.driven(10, 7) == 125
    assert uses.driven(10, -1) == 100


@pytest.mark.rule("MB-SKILL-CAMOUFLAGE")
def test_camouflage() -> None:
    assert uses.sizes([3, 2, 1.5]) == (3, 2, 1)
    assert uses.sizes([Fraction(1, 2), 100, 101]) == (0, 10, 11)
    assert uses.spot_number(12, skills.shift("Stealth", ["night"])) == 15
    assert uses.spot_number(0) == 0
    assert uses.spot_number(-1) is None


@pytest.mark.rule("MB-SKILL-STEALTH")
def test_the_sharpest_watcher_counts() -> None:
    assert uses.watched([7, 9, 8], 2) + skills.shift("Stealth", ["open"]) == 14


@pytest.mark.rule("MB-SKILL-TRACKING")
def test_hidden_trails() -> None:
    assert [uses.trail(rank) for rank in range(4)] == [0, 0, 1, 2]
    assert uses.hidden_trail(5, 2) == ("quarry_stealth", 4)
    assert uses.hidden_trail(4, 3) == ("quarry_survival", 2), "4 against 3"
    assert (uses.tracked(3), uses.tracked(3, False), uses.tracked(0, False)) == (3, 2, 0)


@pytest.mark.rule("MB-SKILL-FORGERY")
def test_good_tools_make_a_better_forgery() -> None:
    assert skills.shift("Forgery", ["intimate", "all_tools"]) == -10
    assert skills.shift("Forgery", ["guess", "missing_tools"]) == 13


@pytest.mark.rule("MB-SKILL-DISGUISE")
@given(st.integers(0, 40), st.integers(0, 40), st.integers(1, 6))
def test_disguises(disguise: int, perception: int, rank: int) -> None:
    assert uses.seen_through(disguise, perception) is (perception > disguise)
    if uses.made_out(disguise, perception, rank):
        assert uses.seen_through(disguise, perception)
        assert chart.rank(perception - disguise) >= rank


@pytest.mark.rule("MB-SKILL-DISGUISE")
def test_difficulties_of_disguises() -> None:
    assert (uses.disguise_base(), uses.disguise_base(other=True)) == (8, 10)
    assert uses.stranger(16) == 8


@pytest.mark.rule("MB-SKILL-DEMOLITIONS")
def test_charges() -> None:
    for wounds in range(1, 7):
        needed = uses.wrecking(0, wounds)
        assert chart.damage(needed).wounds >= wounds > chart.damage(needed - 1).wounds
    assert uses.packed_number(23) == 12
    assert (uses.packed(23, 6), uses.packed(23, -1)) == (26, 23)


@pytest.mark.rule("MB-SKILL-HYPNOTISM")
def test_trances() -> None:
    assert uses.trance(10, True) == 12
    assert (uses.trance(9, False), uses.trance(9, False, 12)) == (17, 20)


@pytest.mark.rule("MB-SKILL-TEACHING")
def test_teaching() -> None:
    assert [uses.teaching_adds(9, each) for each in ("exact", "related", "unrelated")] == [9, 4, 2]
    assert uses.may_teach(5, 1, 4)
    assert not uses.may_teach(4, 1, 4)
    assert not uses.may_teach(5, 0, 1)
    assert not uses.may_teach(0, 3, 0)


@pytest.mark.rule("MB-SKILL-SCHOLAR")
def test_scholars_as_scientists() -> None:
    assert uses.as_science(9, 3) == (10, True)
    assert uses.as_science(9, 2) == (9, False)
    assert uses.as_science(9, 0) == (9, False)


@pytest.mark.rule("MB-SKILL-SURVIVAL")
def test_environments() -> None:
    assert uses.environment("forest", "forest") == "focus"
    assert uses.environment("jungle", "forest") == "near" == uses.environment("forest", "jungle")
    assert uses.environment("vacuum", "urban") == "opposite"
    assert uses.environment("forest", "polar") is None
    assert [uses.usable_adds(2, each) for each in ("focus", "near", "neutral", "opposite")] == [2, 1, 0, 0]


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
    confidence: int, willpower: int, alt: int, faith: int | None, value: int, what: str, trained: bool
) -> None:
    found = uses.resists(confidence, willpower, alt, faith)
    assert (found.value, found.uses, found.trained) == (value, what, trained)


@pytest.mark.rule("MB-SKILL-SFX")
@given(points, st.integers(0, 20))
def test_feedback(reached: int, feedback: int) -> None:
    found = uses.backlash(reached, feedback)
    assert found.feedback == 0 or found.bonus == 0
    assert found.bonus - found.feedback == max(0, reached) - feedback


@pytest.mark.rule("MB-SKILL-SUMMONING")
def test_something_heavy_stays_where_it_is() -> None:
    assert uses.teleported(12, 10, 1)
    assert not uses.teleported(12, 10, 2)


@pytest.mark.rule("MB-SKILL-07", "MB-SKILL-PRESTIDIGITATION", "MB-SKILL-ARTIST", "MB-SKILL-LANGUAGE")
def test_what_is_read_off_a_chart_of_results() -> None:
    def told(skill: str, total: int = 0, points: int | None = None, adds: int = 0) -> list[str]:
        case = Case(skill, {}, lambda key: None, adds=adds)
        return [each.row for each in tells_of(case, Total(total, points)) if each.what == "row"]

    assert told("Disguise", points=7) == ["disguise-levels-good"]
    assert told("Prestidigitation", points=20) == ["prestidigitation-levels-superior"]
    assert told("Artist", 25) == ["artist-quality-masterpiece"]
    assert (told("Language", adds=5), told("Language")) == (["language-levels-general"], [])
    assert told("Running", points=7) == []
