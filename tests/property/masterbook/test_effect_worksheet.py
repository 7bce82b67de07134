"""Worksheets of special effects equal those of a second worksheet, and keep to their limits."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.systems.masterbook.formulas import effect_condition_points as condition_values
from rules.systems.masterbook.formulas import effect_costs as costs
from rules.systems.masterbook.formulas import effect_findings as findings
from rules.systems.masterbook.formulas import effect_worksheet as worksheet
from rules.systems.masterbook.formulas.effect_blueprint import (
    Blueprint,
    Condition,
    EffectArea,
    ExtraElement,
    GivenFigures,
    KnownEffect,
    Rush,
    Unreal,
)
from rules.systems.masterbook.formulas.effect_costs import WorksheetRules
from rules.systems.masterbook.formulas.effect_worksheet import Figures, work_out
from rules.systems.masterbook.formulas.value_chart import chart_value, measure
from tests.example_counts import examples
from tests.property.masterbook import independent_worksheet as independent

_SKILLS: Final = {
    "magic": "Conjuration",
    "miracles": "Faith",
    "psionics": "Psionic Manipulation",
    "super_science": "Super-science",
}
_ADDONS: Final = ("foreign_tongue", "very_loud", "offensive")
#: Names of the second worksheet's errors and warnings, by the codes of findings.
_ERRORS: Final = {
    "mb-effect-cast-time": "cast time",
    "mb-effect-split-over": "split",
    "mb-effect-maintained-charges": "maintenance with charges",
    "mb-effect-focus": "focus",
    "mb-effect-psionic-charges": "psionic charges",
    "mb-effect-ward": "ward without charges",
    "mb-effect-concentration": "concentration",
    "mb-effect-other-condition": "other condition",
    "mb-effect-creative-bonus": "creative bonus",
    "mb-effect-components": "components",
    "mb-effect-unreal-division": "unreal division",
}
_WARNINGS: Final = {
    "mb-effect-speed": "speed over range",
    "mb-effect-travel": "dies on the way",
    "mb-effect-no-movement": "moves without movement",
    "mb-effect-mass": "mass",
    "mb-effect-one-change": "one change",
    "mb-effect-odd-points": "odd points",
    "mb-effect-flat-explosion": "flat explosion",
    "mb-effect-ill-fitting": "ill-fitting",
}
#: Warnings of the project that the rules do not list: points that are lost.
_OWN_WARNINGS: Final = {"mb-effect-wasted", "mb-effect-one-target"}


def _often(usual: object, others: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return an element that is not bought half of the time."""
    return st.just(usual) | others


@st.composite
def _modifiers(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.sampled_from(independent.STEPS))
    return {
        "kind": kind,
        "on": draw(st.sampled_from(("dn", "fv"))),
        "level": draw(st.integers(1, 7 if kind in ("component", "other") else 6)),
        "destroyed": kind == "component" and draw(st.booleans()),
        "bonus": draw(_often(0, st.integers(0, 4))) if kind in ("component", "gesture") else 0,
        "lowered": draw(_often(0, st.integers(0, 3))),
        "helpers": draw(st.integers(1, 1200)),
        "participation": draw(st.sampled_from(sorted(independent.TWICE_PARTICIPATION))),
        "time_value": draw(st.integers(0, 24)),
        "addons": draw(st.integers(0, 3)),
    }


@st.composite
def builds(draw: st.DrawFn) -> dict[str, Any]:
    """Return a build with any elements; most keep to the limits, some do not."""
    basics = {
        "start_total": draw(_often(0, st.integers(-60, 30))),
        "effect_value": draw(st.integers(0, 40)),
        "range_value": draw(st.integers(0, 20)),
        "speed_value": draw(st.integers(0, 20)),
        "duration_value": draw(st.integers(0, 30)),
    }
    half = max(0, sum(basics.values())) // 2
    unreal = st.tuples(st.sampled_from((0, 6, 10)), st.integers(0, 30), st.integers(0, 30))
    rush = st.tuples(st.integers(0, 8), st.integers(0, 8)).map(lambda pair: (sum(pair), *pair))
    area = st.tuples(
        st.sampled_from((2, 3)), st.integers(1, 12), st.sampled_from(sorted(independent.SHAPES))
    )
    few = st.integers(0, 6)
    build = (
        independent.EMPTY
        | basics
        | {
            "kind": draw(st.sampled_from(sorted(_SKILLS))),
            "cast_time_value": draw(st.integers(0, half) | st.integers(0, half + 5)),
            "area": draw(_often(None, area)),
            "multi_target": draw(_often(0, few)),
            "multi_attribute": draw(_often(0, few)),
            "change_target": draw(_often(0, few)),
            "points_up": draw(_often(0, few)),
            "points_down": draw(_often(0, few)),
            "switch": draw(st.sampled_from(sorted(independent.SWITCHES))),
            "extend_points": draw(_often(0, few)),
            "accuracy_points": draw(_often(0, st.integers(0, 15))),
            "movement": draw(st.booleans()),
            "maintenance": draw(st.booleans()),
            "focus_targets": draw(_often(0, few)),
            "charges": draw(_often(0, st.integers(0, 9))),
            "ward": draw(st.booleans()),
            "extra_costs": draw(st.just(()) | st.lists(st.integers(0, 20), max_size=3).map(tuple)),
            "modifiers": tuple(draw(st.lists(_modifiers(), max_size=7))),
            "unreal": draw(_often(None, unreal)),
            "rush": draw(_often((0, 0, 0), rush)),
            "on_the_fly": draw(st.booleans()),
            "action": draw(st.sampled_from(("damage", "movement", "words"))),
            "mass": draw(_often(None, st.integers(0, 40))),
        }
    )
    subtotal = max(0, independent.totals(build, independent.SETTINGS)[-1])
    shares = st.none() | st.integers(subtotal // 3, subtotal) | st.integers(0, subtotal + 3)
    return build | {"split_dn": draw(shares)}


_SETTINGS: Final = st.fixed_dictionaries(
    {
        "component_cap": st.booleans(),
        "creative_bonus_max": st.integers(0, 4),
        "other_modifier_max": st.integers(3, 7),
        "focus_rounding": st.sampled_from(("down", "up")),
        "movement_base": st.sampled_from(("after_accuracy", "before_step")),
        "psionic_charges": st.booleans(),
        "inappropriate_step": st.integers(0, 3),
    }
)


def condition_of(modifier: independent.Build) -> Condition:
    """Return a condition of the second worksheet as the project has it."""
    words = {**modifier, "addons": _ADDONS[: modifier["addons"]]}
    return Condition(**words)


def blueprint_of(build: independent.Build) -> Blueprint:
    """Return a build of the second worksheet as a blueprint."""
    area = build["area"]
    return Blueprint(
        name="effect",
        skill=_SKILLS[build["kind"]],
        effect_value=build["effect_value"],
        range_value=build["range_value"],
        speed_value=build["speed_value"],
        duration_value=build["duration_value"],
        cast_time_value=build["cast_time_value"],
        area=None if area is None else EffectArea(*area),
        targets=build["multi_target"],
        traits=tuple(f"trait {number}" for number in range(build["multi_attribute"])),
        target_changes=build["change_target"],
        points_up=build["points_up"],
        points_down=build["points_down"],
        switch=build["switch"],
        extension=build["extend_points"],
        accuracy=build["accuracy_points"],
        movement=build["movement"],
        maintenance=build["maintenance"],
        focus_targets=build["focus_targets"],
        charges=build["charges"],
        ward="a step on the stairs" if build["ward"] else "",
        extras=tuple(ExtraElement("extra", cost) for cost in build["extra_costs"]),
        dn_share=build["split_dn"],
        conditions=tuple(map(condition_of, build["modifiers"])),
        unreal=None if build["unreal"] is None else Unreal(*build["unreal"]),
        action=build["action"],
        resisting_number=build["mass"],
    )


def rules_of(build: independent.Build, settings: independent.Build) -> WorksheetRules:
    """Return the settings of the second worksheet as the project has them."""
    return WorksheetRules(
        start_total=build["start_total"],
        component_cap=settings["component_cap"],
        creative_bonus_most=settings["creative_bonus_max"],
        other_condition_most=settings["other_modifier_max"],
        focus_rounds_up=settings["focus_rounding"] == "up",
        movement_before_accuracy=settings["movement_base"] == "before_step",
        psionic_charges=settings["psionic_charges"],
        ill_fitting_step=settings["inappropriate_step"],
    )


@pytest.mark.rule(
    "MB-SFX-40",
    "MB-SFX-41",
    "MB-SFX-S00",
    "MB-SFX-S01",
    "MB-SFX-S02",
    "MB-SFX-S03",
    "MB-SFX-S04",
    "MB-SFX-S05",
    "MB-SFX-S06",
    "MB-SFX-S07",
    "MB-SFX-S08",
    "MB-SFX-S09",
    "MB-SFX-S10",
    "MB-SFX-S11",
    "MB-SFX-S12",
    "MB-SFX-S13",
    "MB-SFX-S14",
    "MB-SFX-S15",
    "MB-SFX-S16",
    "MB-SFX-S17",
    "MB-SFX-S18",
    "MB-SFX-S19",
    "MB-SFX-S20",
    "MB-SFX-S21",
    "MB-SFX-S22",
    "MB-SFX-S23",
    "MB-SFX-S24",
)
@examples(120)
@given(builds(), _SETTINGS)
def test_every_line_equals_that_of_the_second_worksheet(
    build: dict[str, Any], settings: dict[str, Any]
) -> None:
    sheet = work_out(blueprint_of(build), rules_of(build, settings))
    wanted = independent.work_out(build, settings)
    assert list(sheet.totals) == wanted["totals"]
    assert sheet.total_after_basics == wanted["totals"][3]
    assert sheet.minimum == wanted["minimum"]
    assert sheet.cast_time_most == wanted["cast_time_most"]
    assert sheet.subtotal == wanted["subtotal"]
    assert {"dn": sheet.dn_split, "fv": sheet.fv_split} == wanted["split"]
    assert {"dn": sheet.dn_floor, "fv": sheet.fv_floor} == wanted["floors"]
    assert sheet.component_most == wanted["component_most"]
    assert [line.value for line in sheet.lines] == wanted["values"]
    assert [line.used for line in sheet.lines] == wanted["used"]
    assert sheet.unreal_reduction == wanted["unreal_reduction"]
    assert {"dn": sheet.dn, "fv": sheet.fv} == wanted["finished"]


@pytest.mark.rule("MB-SFX-S25", "MB-SFX-92", "MB-SFX-93")
@examples(60)
@given(builds(), _SETTINGS)
def test_figures_in_play_equal_those_of_the_second_worksheet(
    build: dict[str, Any], settings: dict[str, Any]
) -> None:
    known = KnownEffect(
        blueprint_of(build), learned=not build["on_the_fly"], rush=Rush(*build["rush"])
    )
    figures = worksheet.known_figures(known, rules_of(build, settings))
    assert figures._asdict() == independent.work_out(build, settings)["in_play"]


@pytest.mark.rule("MB-SFX-40", "MB-SFX-41")
@examples(120)
@given(builds(), _SETTINGS)
def test_findings_are_those_of_the_second_worksheet(
    build: dict[str, Any], settings: dict[str, Any]
) -> None:
    sheet = work_out(blueprint_of(build), rules_of(build, settings))
    assert {_ERRORS[error.code] for error in sheet.errors} == {*independent.errors(build, settings)}
    listed = {warning.code for warning in sheet.warnings} - _OWN_WARNINGS
    assert {_WARNINGS[code] for code in listed} == {*independent.warnings(build)}


@pytest.mark.rule("MB-SFX-40", "MB-SFX-41", "MB-SFX-S05", "MB-SFX-S16")
@examples(80)
@given(builds())
def test_figures_stop_at_their_floors(build: dict[str, Any]) -> None:
    sheet = work_out(blueprint_of(build), rules_of(build, independent.SETTINGS))
    assert sheet.dn >= sheet.dn_floor
    assert sheet.fv >= sheet.fv_floor
    assert 2 * sheet.dn_floor in (sheet.dn_split, sheet.dn_split + 1)
    assert 2 * sheet.fv_floor in (sheet.fv_split, sheet.fv_split + 1)
    assert sheet.dn + sheet.fv >= min(sheet.minimum, sheet.subtotal)
    if build["cast_time_value"] <= sheet.cast_time_most:
        assert sheet.dn + sheet.fv >= sheet.minimum
    for line in sheet.lines:
        assert line.used >= 0
        assert line.wasted >= 0
        assert line.used + line.wasted == line.value
    lost = sum(line.used for line in sheet.lines) + sheet.unreal_used
    assert sheet.dn + sheet.fv == sheet.subtotal - lost


@pytest.mark.rule("MB-SFX-41")
@examples(60)
@given(builds(), st.randoms(use_true_random=False))
def test_conditions_save_as_much_in_any_order(build: dict[str, Any], random: Any) -> None:
    """Which line is wasted can change, but not what all of them save together."""
    rules = rules_of(build, independent.SETTINGS)
    blueprint = blueprint_of(build)
    shuffled = list(blueprint.conditions)
    random.shuffle(shuffled)
    sheet = work_out(blueprint, rules)
    other = work_out(blueprint.replace(conditions=tuple(shuffled)), rules)
    assert sheet.dn + sheet.fv == other.dn + other.fv
    kinds = [condition.kind for condition in blueprint.conditions]
    if len(set(kinds)) == len(kinds):  # steps put them in the same order
        assert (sheet.dn, sheet.fv) == (other.dn, other.fv)


@pytest.mark.rule("MB-SFX-41")
@examples(60)
@given(builds(), _modifiers())
def test_another_condition_never_makes_an_effect_harder(
    build: dict[str, Any], modifier: dict[str, Any]
) -> None:
    rules = rules_of(build, independent.SETTINGS)
    blueprint = blueprint_of(build)
    more = blueprint.replace(conditions=(*blueprint.conditions, condition_of(modifier)))
    sheet, other = work_out(blueprint, rules), work_out(more, rules)
    assert other.dn + other.fv <= sheet.dn + sheet.fv


def _bigger_area(area: EffectArea | None) -> EffectArea:
    return EffectArea() if area is None else area.replace(diameter=area.diameter + 1)


#: Elements that make an effect dearer, and one step more of each.
_MORE: Final[dict[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(
        (
            "effect_value",
            "range_value",
            "speed_value",
            "duration_value",
            "targets",
            "target_changes",
            "points_up",
            "points_down",
            "extension",
            "accuracy",
            "focus_targets",
            "charges",
        ),
        lambda number: number + 1,
    ),
    "area": _bigger_area,
    "traits": lambda traits: (*traits, "another"),
    "extras": lambda extras: (*extras, ExtraElement("another", 1)),
    "movement": lambda _: True,
    "maintenance": lambda _: True,
    "switch": lambda _: "on_off",
}


@pytest.mark.rule("MB-SFX-40")
@pytest.mark.parametrize("field", _MORE)
@examples(8)
@given(builds())
def test_more_of_an_element_is_never_cheaper(field: str, build: dict[str, Any]) -> None:
    rules, blueprint = rules_of(build, independent.SETTINGS), blueprint_of(build)
    more = blueprint.replace(**{field: _MORE[field](getattr(blueprint, field))})
    assert work_out(more, rules).subtotal >= work_out(blueprint, rules).subtotal


@pytest.mark.rule("MB-SFX-S05")
@examples(30)
@given(builds())
def test_a_longer_cast_time_is_never_dearer(build: dict[str, Any]) -> None:
    rules, blueprint = rules_of(build, independent.SETTINGS), blueprint_of(build)
    longer = blueprint.replace(cast_time_value=blueprint.cast_time_value + 1)
    assert work_out(longer, rules).subtotal <= work_out(blueprint, rules).subtotal


@pytest.mark.rule("MB-SFX-S16")
@given(st.integers(0, 400))
def test_the_largest_share_is_the_largest_without_an_error(subtotal: int) -> None:
    largest = costs.largest_share(subtotal)
    allowed: list[int] = []
    for dn in range(subtotal + 1):
        fv = subtotal - dn
        if max(dn, fv) <= 2 * min(dn, fv):
            allowed.append(dn)
    if subtotal == 1:
        assert allowed == []
    else:
        assert (min(allowed), max(allowed)) == (subtotal - largest, largest)
        assert costs.even_split(subtotal) in allowed


# --- measures and values --------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-01", "MB-SFX-02", "MB-SFX-S02", "MB-SFX-S03", "MB-SFX-S04")
@given(st.fractions(Fraction(1, 100), 10**12))
def test_a_bought_value_covers_its_measure_and_no_more(amount: Fraction) -> None:
    covering, paid = chart_value(amount, "inclusive_up"), chart_value(amount, "down")
    assert measure(covering - 1) < amount <= measure(covering)
    assert measure(paid) <= amount < measure(paid + 1)
    assert chart_value(measure(covering)) == covering


@pytest.mark.rule("MB-SFX-S12")
@given(st.integers(0, 2000))
def test_accuracy_is_the_largest_bonus_that_is_paid_for(points: int) -> None:
    bonus = costs.accuracy_bonus(points)
    if points < 2:
        assert bonus == points
    else:
        assert bonus == independent.fully_paid_value(points)
        assert measure(bonus) <= points < measure(bonus + 1)


@pytest.mark.rule("MB-SFX-S15")
@given(st.integers(1, 30))
def test_charges_cost_what_they_measure(number: int) -> None:
    cost = costs.charges_cost(number)
    assert cost - 1 < max(2, measure(number)) <= cost
    ward = costs.charges_cost(number, ward=True) - cost
    assert 10 * (ward - 1) < cost <= 10 * ward


@pytest.mark.rule("MB-SFX-S11")
@given(st.integers(0, 40))
def test_an_extension_lasts_what_its_points_measure(points: int) -> None:
    doubled = independent.doubled_measure(points) if points else 0
    assert 2 * costs.extension_seconds(points) == doubled


@pytest.mark.rule("MB-SFX-S17")
@given(st.integers(1, 10**6), st.integers(0, 20))
def test_helpers_count_as_the_value_that_covers_them(helpers: int, dn: int) -> None:
    base = max(1, independent.covering_value(helpers))
    assert condition_values.community_base(helpers) == base
    assert condition_values.group_dn(helpers, dn) == dn + 2 * base - 2


@pytest.mark.rule("MB-SFX-S19")
@given(st.integers(0, 60))
def test_a_third_of_a_concentration_counts_and_is_rolled_for(value: int) -> None:
    condition = Condition("concentration", time_value=value)
    third = independent.up(value, 3)
    assert condition_values.condition_points(condition) == third
    assert condition_values.condition_dn(condition) == 6 + third


# --- other ways to get an effect ------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-90")
@given(builds(), st.integers(0, 200), st.integers(0, 200))
def test_quick_figures_keep_to_half_and_double(build: dict[str, Any], dn: int, fv: int) -> None:
    build = build | {"start_total": 0}
    blueprint = blueprint_of(build)
    t4 = sum(build[key] for key in ("effect_value", "range_value", "speed_value", "duration_value"))
    cast = build["cast_time_value"]
    low, high = max(0, independent.up(t4, 2) - cast), max(0, 2 * t4 - cast)
    assert findings.quick_totals(blueprint) == (low, high)
    quick = blueprint.replace(given=GivenFigures(dn, fv))
    codes = {error.code for error in work_out(quick).errors}
    assert ("mb-effect-quick-total" in codes) == (not low <= dn + fv <= high)
    assert ("mb-effect-split" in codes) == (max(dn, fv) > 2 * min(dn, fv))
    assert ("mb-effect-cast-time" in codes) == (cast > t4 // 2)


@pytest.mark.rule("MB-SFX-15")
@given(builds(), st.integers(0, 200), st.integers(0, 200))
def test_an_artifact_has_its_figures_and_no_faults(build: dict[str, Any], dn: int, fv: int) -> None:
    artifact = blueprint_of(build).replace(given=GivenFigures(dn, fv, artifact=True))
    sheet = work_out(artifact)
    assert (sheet.dn, sheet.fv, sheet.errors, sheet.warnings) == (dn, fv, (), ())


@pytest.mark.rule("MB-SFX-91", "MB-SFX-92")
@given(builds(), st.integers(0, 60), st.integers(0, 60), st.integers(0, 60))
def test_haste_shortens_the_design_by_what_it_adds(
    build: dict[str, Any], steps: int, to_dn: int, to_fv: int
) -> None:
    four = sum(
        build[key] for key in ("effect_value", "range_value", "speed_value", "duration_value")
    )
    blueprint = blueprint_of(build)
    value = worksheet.design_value(blueprint)
    assert value == four // 2
    assert worksheet.design_value(blueprint, up=True) == independent.up(four, 2)
    rush = Rush(steps, to_dn, to_fv)
    assert worksheet.hurried_design_value(value, rush) == max(0, value - steps)
    assert worksheet.rushed_figures(Figures(10, 12), rush) == (10 + to_dn, 12 + to_fv)


@pytest.mark.rule("MB-SFX-13")
@given(st.integers(0, 60), st.integers(1, 6))
def test_a_skill_learns_an_effect_for_every_begun_third(value: int, each: int) -> None:
    limit = worksheet.learning_limit(value, each)
    assert each * (limit - 1) < value <= each * limit
