"""Special effects as forms: prices, measures, lines of conditions, and drafts of blueprints."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from bot.presenters.language.words import say_bare
from rules.core.errors import InvalidInput
from rules.systems.masterbook.character.effect_condition_fields import PANEL_FORM
from rules.systems.masterbook.character.effect_conditions import (
    CONDITION_FORM,
    condition_line,
    read_condition,
)
from rules.systems.masterbook.character.effect_drafts import (
    blueprint_draft,
    blueprint_from,
    read_draft,
    rush_from,
    with_template,
)
from rules.systems.masterbook.character.effect_fields import DRAFT_FORM
from rules.systems.masterbook.character.effect_forms import effect_form
from rules.systems.masterbook.character.effect_prices import element_price, total_lines
from rules.systems.masterbook.character.effect_sheet import stat_block, worksheet_lines
from rules.systems.masterbook.character.effect_workbench import BARE, Workbench
from rules.systems.masterbook.formulas.effect_blueprint import (
    CONDITION_KINDS,
    Blueprint,
    Condition,
    EffectArea,
    Rush,
    Unreal,
)
from rules.systems.masterbook.formulas.effect_costs import WorksheetRules
from rules.systems.masterbook.formulas.effect_rows import READY_MADE
from rules.systems.masterbook.formulas.effect_templates import TEMPLATES
from rules.systems.masterbook.formulas.effect_worksheet import (
    Figures,
    design_value,
    rushed_figures,
    unlearned_figures,
    work_out,
)
from rules.systems.masterbook.formulas.measures import digits, is_rounded, read_measure
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms.fields import FormContext

FIREBALL, BELT = READY_MADE[0], READY_MADE[1]
NO_CAP = Workbench(rules=lambda skill: WorksheetRules(component_cap=False))


def plain(text: Text) -> str:
    """A text without Markdown."""
    return say_bare(text).replace("**", "")


def labels(draft: Values, key: str, bench: Workbench = BARE) -> dict[Any, str]:
    """The entries of a field's menu, by value."""
    form = effect_form(bench, draft)
    choices = form.by_key[key].choices_for(FormContext(values=draft))
    return {value: say_bare(text) for value, text in choices}


def codes(draft: Values, bench: Workbench = BARE) -> list[tuple[str, str]]:
    """The errors of a draft, each with its field."""
    _, problems = effect_form(bench, draft).read_draft(draft)
    return [(each.code, str(each.params.get("field"))) for each in problems]


def warned(draft: Values) -> list[str]:
    form = effect_form(BARE, draft)
    values, _ = form.read_draft(draft)
    return [each.code for each in form.warnings(values)]


def bolt(**changes: Any) -> dict[str, Any]:
    """A draft without conditions: T4 is 40."""
    return {
        "name": "Bolt",
        "skill": "Conjuration",
        "effect_value": "20",
        "range_value": "10",
        "duration_value": "0",
        **changes,
    }


# --- measures -------------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-02", "MB-SFX-S02", "MB-SFX-S03", "MB-SFX-S04", "MB-SFX-S05")
@pytest.mark.parametrize(
    ("text", "kind", "mode", "value"),
    [
        ("50 m", "distance", "inclusive_up", 9),
        ("60 m", "distance", "inclusive_up", 9),
        ("61m", "distance", "inclusive_up", 10),
        ("0.2 m", "distance", "inclusive_up", 0),
        ("1 km", "distance", "inclusive_up", 15),
        ("2.5 meters", "distance", "inclusive_up", 2),
        ("1 hour", "time", "down", 18),
        ("10 min", "time", "down", 14),
        ("50 min", "time", "down", 17),
        ("50 min", "time", "inclusive_up", 18),
        ("1,000 s", "time", "down", 15),
        ("3 rounds", "time", "inclusive_up", 8),
        ("60 m/s", "speed", "inclusive_up", 9),
        ("36 km/h", "speed", "inclusive_up", 5),
        ("100 kg", "mass", "inclusive_up", 10),
        ("0 m", "distance", "inclusive_up", None),
        ("-5 m", "distance", "inclusive_up", None),
        ("50 kg", "distance", "inclusive_up", None),
        ("nine", "distance", "inclusive_up", None),
        ("9" * 70 + " m", "distance", "inclusive_up", None),
    ],
)
def test_typed_measures_become_values(text: str, kind: Any, mode: Any, value: int | None) -> None:
    assert read_measure(text, kind, mode) == value


def test_a_measure_between_two_values_is_known_to_be_rounded() -> None:
    assert is_rounded("50 m", "distance") and not is_rounded("60 m", "distance")
    assert [digits(Fraction(3, 2)), digits(Fraction(15_000))] == ["1.5", "15,000"]


@pytest.mark.rule("MB-SFX-S02", "MB-SFX-S05")
@pytest.mark.parametrize("text", ["-5 m", "0 m", "five", "50 kg"])
def test_a_measure_that_cannot_be_read_is_refused_and_kept(text: str) -> None:
    draft = bolt(range_value=text)
    assert codes(draft) == [("mb-effect-bad-measure", "range_value")]
    assert read_draft(draft)[0].range_value == 0
    assert codes(bolt(range_value="-3")) == [("out-of-range", "range_value")]


# --- drafts ---------------------------------------------------------------------------------------

ALL = [*READY_MADE, *(row.blueprint for row in TEMPLATES.values())]
RICH = Blueprint(
    "Everything",
    "Faith",
    focus="Sun",
    summary="All of it",
    description="Two\nlines",
    effect_value=30,
    range_value=9,
    speed_value=4,
    duration_value=20,
    cast_time_value=12,
    area=EffectArea(2, 7, "fluid"),
    targets=3,
    traits=("Strength", "Toughness", "Willpower"),
    target_changes=2,
    points_up=3,
    points_down=4,
    switch="on_off",
    extension=9,
    accuracy=10,
    movement=True,
    focus_targets=2,
    charges=2,
    holder="person",
    ward="at dawn",
    dn_share=100,
    conditions=(
        Condition("community", helpers=5, participation="dn10", text="sing", skill="Faith"),
        Condition("concentration", "fv", time_value=9),
        Condition("related_skill", level=3, skill="Scholar: stars", lowered=1),
        Condition("incantation", "fv", text="destroyed", addons=("offensive",), bonus=0),
        Condition("gesture", "fv", level=6, bonus=2, at_release=True),
        Condition("component", level=7, destroyed=True, text='"quoted"'),
        Condition("other", level=2, text="only at night"),
    ),
    unreal=Unreal(6, 5, 4),
    action="lower",
    resisted_by="Willpower",
    resisting_number=12,
    to_hit="Fire Combat",
    on_self=True,
    every_round=True,
)


@pytest.mark.rule("MB-SFX-40", "MB-SFX-11")
@pytest.mark.parametrize("blueprint", [*ALL, RICH], ids=lambda blueprint: blueprint.name)
def test_a_draft_makes_the_blueprint_that_it_was_written_from(blueprint: Blueprint) -> None:
    draft = blueprint_draft(blueprint)
    values, problems = effect_form(NO_CAP, draft).read_draft(draft)
    made = blueprint_from(values)
    quoted = tuple(
        condition.replace(text=condition.text.strip('"')) for condition in blueprint.conditions
    )
    plain = tuple(
        condition.replace(text=condition.text.strip('"')) for condition in made.conditions
    )
    assert made.replace(conditions=plain) == blueprint.replace(conditions=quoted)
    if blueprint is not RICH:
        assert not problems


@pytest.mark.rule("MB-SFX-40")
@pytest.mark.parametrize("template", TEMPLATES)
def test_templates_are_legal_effects(template: str) -> None:
    sheet = work_out(TEMPLATES[template].blueprint)
    assert not sheet.errors
    assert not sheet.warnings


def test_a_template_fills_in_what_nobody_else_did() -> None:
    begun = {"name": "Flare", "effect_value": "25"}
    bolt_draft = with_template(begun, {**begun, "template": "bolt"})
    assert bolt_draft["effect_value"] == "25" and bolt_draft["range_value"] == 9
    ball = with_template(bolt_draft, {**bolt_draft, "template": "ball"})
    assert (ball["name"], ball["effect_value"], ball["area"]) == ("Flare", "25", "sphere 2")
    empty = with_template(ball, {key: ball[key] for key in ball if key != "template"})
    assert empty == begun


def test_the_first_skill_is_meant_until_one_is_chosen() -> None:
    bench = Workbench(skills=(("Faith", 12),))
    assert read_draft({}, bench)[0].skill == "Faith"


# --- prices ---------------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-S06")
def test_areas_show_their_price_and_what_they_add_to_rolls() -> None:
    found = labels(bolt(), "area")
    assert found["sphere 2"] == "Sphere 2 m: +10 · +2 to hit"
    assert found["circle 5"] == "Circle 5 m: +10 · +2 to hit"
    assert labels(bolt(area="sphere 2"), "shape") == {
        "one": "One other shape: +1",
        "any": "Any shape, chosen at the cast: +3",
        "fluid": "Shape changes at will: +6",
    }
    assert codes(bolt(area="cube of light")) == [("mb-effect-area", "area")]
    assert read_draft(bolt(area="disc 12 m"))[0].area == EffectArea(2, 12)


@pytest.mark.rule("MB-SFX-S07", "MB-SFX-S08", "MB-SFX-S09")
def test_targets_cost_more_with_an_area_or_several_traits() -> None:
    assert labels(bolt(), "targets")[3] == "3 targets at once: +9"
    assert labels(bolt(area="sphere 1"), "targets")[3] == "3 targets at once: +18"
    assert labels(bolt(), "target_changes")[5] == "5 targets in turn: +25"
    assert labels(bolt(area="sphere 1"), "target_changes")[5] == "5 targets in turn: +38"
    both = bolt(area="sphere 1", traits="Strength\nAgility", targets=2)
    assert labels(both, "target_changes")[5] == "5 targets in turn: +100"
    assert labels(bolt(traits="Strength"), "traits")["Agility"] == "Agility: +3"
    assert labels(bolt(), "traits")["Agility"] == "Agility: 0"
    assert "Strength" not in labels(bolt(traits="strength"), "traits")


@pytest.mark.rule("MB-SFX-S10", "MB-SFX-S11")
def test_variable_values_and_durations_show_what_they_reach() -> None:
    assert labels(bolt(), "points_down")[10] == "Down to 15: +10"
    assert labels(bolt(), "points_up")[4] == "Up to 22: +4"
    assert labels(bolt(), "switch") == {"off": "Off: +4", "on_off": "On and off: +8"}
    assert labels(bolt(), "extension")[9] == "Up to 1 minute longer: +9"
    assert labels(bolt(), "extension")[1] == "Up to 1.5 s longer: +1"
    assert warned(bolt(points_up=3)) == ["mb-effect-odd-points"]


@pytest.mark.rule("MB-SFX-S12", "MB-SFX-S13", "MB-SFX-S14", "MB-SFX-S15")
def test_later_steps_make_an_element_dearer_in_the_end() -> None:
    moving = bolt(movement=True)
    assert labels(moving, "switch")["off"] == "Off: +4 (subtotal +5)"
    assert labels(bolt(), "movement")[True] == "It moves: +4"
    assert labels(moving, "maintenance")[True] == "Can be maintained: +5"
    assert labels(bolt(), "accuracy")[10] == "+5 to hit: +10"
    assert labels(bolt(), "accuracy")[1] == "+1 to hit: +1"
    assert labels(moving, "accuracy")[10] == "+5 to hit: +10 (subtotal +11)"
    assert labels(bolt(), "focus_targets") == {1: "Focus: 1 target: +4"}
    charges = labels(bolt(), "charges")
    assert [charges[number] for number in (1, 2, 5)] == [
        "1 charge: +2",
        "2 charges: +3",
        "5 charges: +10",
    ]


@pytest.mark.rule("MB-SFX-S15")
def test_a_price_counts_its_own_step_and_the_whole() -> None:
    plain = FIREBALL.replace(switch="none")
    price = element_price(FIREBALL, plain, 11)
    assert (price.own, price.subtotal) == (4, 4)
    maintained = FIREBALL.replace(charges=0, maintenance=True)
    price = element_price(maintained, maintained.replace(switch="none"), 11)
    assert (price.own, price.subtotal) == (4, 5)


@pytest.mark.rule("MB-SFX-S16")
def test_splits_show_what_becomes_of_them() -> None:
    draft = blueprint_draft(FIREBALL)
    found = labels(draft, "dn_share")
    assert found[32] == "DN 32, FV 32 → DN 16, FV 19"
    assert (min(found), max(found)) == (22, 42)
    assert codes({**draft, "dn_share": "43"}) == [
        ("mb-effect-split-over", "dn_share"),
        ("mb-effect-components", "conditions"),
    ]


# --- conditions -----------------------------------------------------------------------------------


@pytest.mark.rule(*(f"MB-SFX-S{number}" for number in range(17, 24)), "MB-SFX-41")
@pytest.mark.parametrize(
    ("line", "made"),
    [
        ("component DN 4; a wand", Condition("component", level=4, text="a wand")),
        (
            "Components on FV 2; incense; destroyed; bonus 1",
            Condition("component", "fv", level=2, text="incense", destroyed=True, bonus=1),
        ),
        ("concentration FV 1 hour", Condition("concentration", "fv", time_value=18)),
        ("concentration FV 18", Condition("concentration", "fv", time_value=18)),
        (
            "community DN 5; DN 10; sing; skill: Faith",
            Condition("community", helpers=5, participation="dn10", text="sing", skill="Faith"),
        ),
        (
            "incantation FV 1; a word; foreign tongue; skill: Old Elvish; at release",
            Condition(
                "incantation",
                "fv",
                text="a word",
                addons=("foreign_tongue",),
                skill="Old Elvish",
                at_release=True,
            ),
        ),
        ("gesture DN 6; lowered 2", Condition("gesture", level=6, lowered=2)),
        (
            "related skill DN 3; skill: Scholar",
            Condition("related_skill", level=3, skill="Scholar"),
        ),
        ("other DN 3; only at night", Condition("other", level=3, text="only at night")),
    ],
)
def test_lines_of_conditions_are_read_and_written(line: str, made: Condition) -> None:
    row = CONDITION_FORM.read_json(read_condition(line))
    assert CONDITION_FORM.make_record(Condition, row) == made
    again = CONDITION_FORM.read_json(
        read_condition(condition_line(CONDITION_FORM.all_values(made)))
    )
    assert CONDITION_FORM.make_record(Condition, again) == made


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("a carved wand", "mb-effect-condition-line"),
        ("wand DN 4", "mb-effect-condition-line"),
        ("component DN many", "mb-effect-condition-amount"),
        ("concentration FV soon", "mb-effect-condition-amount"),
    ],
)
def test_a_line_that_is_no_condition_says_how_to_write_one(line: str, code: str) -> None:
    with pytest.raises(InvalidInput) as error:
        read_condition(line)
    assert error.value.code == code
    assert codes(bolt(conditions=line)) == [(code, "conditions[0]")]


def test_levels_that_a_table_lacks_are_refused() -> None:
    assert codes(bolt(conditions="gesture FV 7")) == [("out-of-range", "conditions[0].level")]
    assert codes(bolt(conditions="component FV 8")) == [("out-of-range", "conditions[0].level")]
    many = "\n".join(f"component FV 1; pebble {number}" for number in range(100))
    assert codes(bolt(conditions=many)) == [("too-many-entries", "conditions")]


def entry(kind: str, outer: Values, **draft: Any) -> dict[str, dict[Any, str]]:
    """The menus of a condition's page, by field."""
    rows: Any = effect_form(BARE, outer).by_key["conditions"]
    values = {"kind": kind, "on": "dn", **draft}
    asking = FormContext(values=values, around=outer)
    form = rows.row(asking, values)
    return {
        field.key: {value: say_bare(text) for value, text in field.choices_for(asking)}
        for field in form.fields
    }


@pytest.mark.rule("MB-SFX-S17", "MB-SFX-S18", "MB-SFX-S19", "MB-SFX-S20", "MB-SFX-S22")
def test_menus_of_conditions_show_their_points_and_the_figures() -> None:
    outer = bolt(cast_time_value="18")  # 22: 11 and 11, 20 together at least
    long = bolt(duration_value="24", cast_time_value="0")  # 64: 32 and 32
    assert entry("component", long)["level"][4] == "Uncommon: −4 · DN 28, FV 32"
    assert entry("component", long, level=2)["destroyed"] == {
        True: "Used up by the cast: −4 · DN 28, FV 32"
    }
    time = entry("concentration", long, on="fv")["time_value"]
    assert time[18].endswith(": −6 · willpower 12 · DN 32, FV 26")
    assert entry("gesture", long)["level"][4] == "Very complex, DN 12: −4 · DN 28, FV 32"
    assert entry("related_skill", long)["level"][3] == "Level 3: −3 · skill 9 · DN 29, FV 32"
    assert entry("community", long)["helpers"][6] == "6 helpers: −2 · DN 30, FV 32"
    helped = entry("community", long, helpers="5")["participation"]
    assert helped["dn10"] == "Roll against DN 10: −6 · DN 26, FV 32"
    assert entry("component", outer)["on"] == {
        "dn": "Difficulty: −1 · DN 10, FV 11",
        "fv": "Feedback: −1 · DN 11, FV 10",
    }


@pytest.mark.rule("MB-SFX-S18", "MB-SFX-S20")
def test_players_enter_no_bonus_where_the_gm_looks_at_effects() -> None:
    outer = bolt()
    draft = {"kind": "component", "on": "dn"}
    for gives, listed in ((True, True), (False, False)):
        rows: Any = effect_form(Workbench(gives_bonus=gives), outer).by_key["conditions"]
        form = rows.row(FormContext(values=draft, around=outer), draft)
        assert ("bonus" in form.keys) is listed
        given = rows.row(FormContext(around=outer), {**draft, "bonus": 2})
        assert "bonus" in given.keys


@pytest.mark.rule("MB-SFX-S18")
def test_components_show_how_much_of_their_cap_is_used() -> None:
    draft = blueprint_draft(FIREBALL)
    lines = draft["conditions"].splitlines()
    rows: Any = effect_form(BARE, draft).by_key["conditions"]
    around = {**draft, "conditions": "\n".join(lines[1:])}
    values = {"kind": "component", "on": "dn", "level": 4}
    shown = [plain(line) for line in rows.shows(FormContext(values=values, around=around))]
    assert shown[0] == "−4 · 16 of 16 for components"
    assert shown[1] == "DN 20, FV 19 → DN 16, FV 19"
    over = {**draft, "conditions": "\n".join((*lines, "component FV 1; chalk"))}
    assert codes(over) == [("mb-effect-components", "conditions")]


@pytest.mark.rule("MB-SFX-41")
def test_an_ill_fitting_or_wasted_condition_is_a_warning() -> None:
    draft = bolt(skill="Super-science", conditions="incantation FV 2; a litany")
    assert warned(draft) == ["mb-effect-ill-fitting"]
    assert warned(bolt(conditions="component DN 7; a crown; destroyed")) == ["mb-effect-wasted"]
    rows: Any = effect_form(BARE, draft).by_key["conditions"]
    starts = rows.starts(FormContext(values=draft))
    shown = [say_bare(text) for text, _ in starts]
    assert shown[1] == "Component"
    assert shown[4] == "Incantation: hardly ever for super-science"


@pytest.mark.rule("MB-SFX-S24")
def test_an_illusion_is_divided_over_both_figures() -> None:
    draft = bolt(effect_value="20", unreal="10")
    assert labels(bolt(), "unreal") == {
        "10": "Disbelief DN 10: −5",
        "6": "Disbelief DN 6: −10",
        "0": "Disbelief DN 0: −15",
    }
    assert read_draft(draft)[0].unreal == Unreal(10, 2, 3)
    assert labels(draft, "unreal_division")["5/0"] == "DN −5, FV 0 → DN 15, FV 20"
    assert read_draft({**draft, "unreal_division": "4/1"})[0].unreal == Unreal(10, 4, 1)
    assert codes({**draft, "unreal_division": "4/4"}) == [("mb-effect-unreal-division", "unreal")]
    assert codes({**draft, "unreal_division": "all"}) == [
        ("mb-effect-bad-division", "unreal_division")
    ]
    assert warned({**draft, "skill": "Faith"}) == ["mb-effect-ill-fitting"]


# --- findings -------------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-40", "MB-SFX-S05", "MB-SFX-S13", "MB-SFX-S14", "MB-SFX-S15", "MB-SFX-S19")
@pytest.mark.parametrize(
    ("changes", "code", "field"),
    [
        ({"cast_time_value": "21"}, "mb-effect-cast-time", "cast_time_value"),
        ({"maintenance": True, "charges": 1}, "mb-effect-maintained-charges", "maintenance"),
        ({"focus_targets": 2}, "mb-effect-focus", "focus_targets"),
        ({"charges": 40}, "mb-effect-subtotal", "charges"),
        ({"accuracy": 1000}, "mb-effect-subtotal", "accuracy"),
        ({"ward": "at dawn"}, "mb-effect-ward", "ward"),
        (
            {"charges": 1, "skill": "Psionic Manipulation"},
            "mb-effect-psionic-charges",
            "charges",
        ),
        ({"dn_share": "30"}, "mb-effect-split-over", "dn_share"),
        ({"conditions": "concentration FV 9"}, "mb-effect-concentration", "conditions[0]"),
        ({"conditions": "gesture FV 1; bonus 4"}, "mb-effect-creative-bonus", "conditions[0]"),
        (
            {"charges": 1, "conditions": "community DN 5; at release"},
            "mb-effect-release-community",
            "conditions[0]",
        ),
    ],
)
def test_errors_of_the_worksheet_name_their_field(
    changes: dict[str, Any], code: str, field: str
) -> None:
    draft = bolt(**changes)
    assert codes(draft) == [(code, field)]
    # What no longer fits is kept in the draft, and worked out all the same.
    blueprint, _ = read_draft(draft)
    assert blueprint_draft(blueprint).keys() >= changes.keys()


@pytest.mark.rule("MB-SFX-40", "MB-SFX-S01", "MB-SFX-S03")
@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"speed_value": "11"}, "mb-effect-speed"),
        ({"speed_value": "2"}, "mb-effect-travel"),
        ({"action": "movement"}, "mb-effect-no-movement"),
        ({"action": "movement", "movement": True, "resisting_number": "22"}, "mb-effect-mass"),
        ({"target_changes": 1}, "mb-effect-one-change"),
        ({"area": "circle 4", "action": "damage"}, "mb-effect-flat-explosion"),
    ],
)
def test_odd_effects_are_allowed_with_a_warning(changes: dict[str, Any], code: str) -> None:
    assert warned(bolt(**changes)) == [code]
    assert codes(bolt(**changes)) == []


def test_a_long_text_is_refused_and_kept() -> None:
    draft = bolt(description="x" * 5000)
    assert codes(draft) == [("too-long", "description")]
    assert draft["description"] == "x" * 5000


@pytest.mark.rule("MB-SFX-S00", "MB-SFX-S25")
def test_the_worlds_starting_total_counts_for_every_price() -> None:
    bench = Workbench(rules=lambda skill: WorksheetRules(start_total=6))
    assert bench.work_out(read_draft(bolt(), bench)[0]).subtotal == 46
    assert labels(bolt(), "movement", bench)[True] == "It moves: +5"


@pytest.mark.rule("MB-SFX-40", "MB-SFX-S25")
def test_running_totals_have_a_line_for_each_step() -> None:
    lines = [say_bare(line) for line in total_lines(work_out(FIREBALL))]
    assert len(lines) == 17
    assert lines[0] == "1. Effect value: 20 (+20)"
    assert lines[4] == "5. Cast time: 22 (−21)"
    assert lines[11] == "12. Movement: 54 (+5)"
    assert lines[14] == "15. Charges: 64 (+10)"
    whole = [say_bare(line) for line in worksheet_lines(FIREBALL)]
    assert whole[-1] == "DN 16, FV 19"


@pytest.mark.rule("MB-SFX-11", "MB-SFX-S25")
def test_a_stat_block_has_eight_entries_then_how_it_is_used() -> None:
    text = "\n".join(plain(line) for line in stat_block(FIREBALL))
    for part in (
        "Conjuration · DN 16 · FV 19 · EV 20 (15)",
        "Duration: 10 seconds (5)",
        "Range: 60 m (9)",
        "Cast time: 4 hours and 10 minutes (21)",
        "Conditions",
        "Rolls",
        "Willpower against DN 12",
        "Conjuration against DN 16",
        "To hit: the cast's total +2",
        "Effect",
        "Meets Toughness with 18, Perception with 16",
        "5 charges in a mind",
    ):
        assert part in text, text
    rich = "\n".join(plain(line) for line in stat_block(RICH, figures=Figures(40, 41)))
    for part in ("Faith: Sun", "DN 40", "FV 41", "Ward: at dawn", "Clings to 2 targets"):
        assert part in rich, rich


@pytest.mark.rule("MB-SFX-11", "MB-SFX-24")
@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"action": "raise", "traits": ("Strength",)}, "Raises Strength with 17"),
        ({"action": "raise", "resisted_by": "Strength"}, "Raises Strength with 17"),
        (
            {"action": "lower", "traits": ("Mind", "Agility"), "resisted_by": "Spirit"},
            "Lowers Mind and Agility with 17 against Spirit",
        ),
        ({"action": "lower", "resisting_number": 9}, "Lowers the value that 17 reaches against 9"),
    ],
)
def test_a_stat_block_names_the_values_that_an_effect_changes(
    changes: dict[str, Any], line: str
) -> None:
    boost = Blueprint("Boost", "Conjuration", effect_value=17, **changes)
    lines = [plain(each).strip("- ") for each in stat_block(boost)]
    assert line in lines, lines


# --- in a hurry -----------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-91", "MB-SFX-92", "MB-SFX-93")
def test_the_flight_belt_is_rushed_then_cast_unlearned() -> None:
    sheet = work_out(BELT)
    rush = rush_from({"rush_steps": 6, "rush_division": "2/4"})
    assert rush == Rush(6, 2, 4)
    assert design_value(BELT) == 16
    figures = rushed_figures(Figures(sheet.dn, sheet.fv), rush)
    assert (figures, unlearned_figures(figures)) == (Figures(12, 16), Figures(16, 22))
    assert rush_from({"rush_steps": 3}) == Rush(3, 1, 2)
    assert rush_from({}) == Rush()


@pytest.mark.rule("MB-SFX-92")
def test_points_of_rush_are_all_divided() -> None:
    bench = Workbench(rushes=True)
    draft = bolt(rush_steps=3, rush_division="1/1")
    assert codes(draft, bench) == [("mb-effect-rush-points", "rush_division")]
    assert labels(draft, "rush_division", bench)["1/2"] == "DN +1, FV +2"
    assert "rush_steps" not in effect_form(BARE, draft).keys


def test_all_errors_are_found_at_once() -> None:
    draft = bolt(cast_time_value="30", charges=2, maintenance=True, dn_share="1", focus_targets=3)
    assert codes(draft) == [
        ("mb-effect-cast-time", "cast_time_value"),
        ("mb-effect-maintained-charges", "maintenance"),
        ("mb-effect-focus", "focus_targets"),
        ("mb-effect-split-over", "dn_share"),
    ]


# --- declared fields ------------------------------------------------------------------------------


def test_every_field_of_a_condition_stands_in_its_panel() -> None:
    assert set(PANEL_FORM.keys) == set(CONDITION_FORM.keys), "declare the new field in PANEL_FORM"


@pytest.mark.parametrize("kind", CONDITION_KINDS)
def test_a_panel_offers_fields_of_the_form_that_reads_it(kind: str) -> None:
    field: Any = effect_form(BARE, {}).by_key["conditions"]
    panel = field.row(FormContext(), {"kind": kind, "on": "dn"})
    assert set(panel.keys) <= set(PANEL_FORM.keys)
    assert {"on", "lowered", "kind"} <= set(panel.keys)


def test_every_choice_of_a_blueprint_stands_in_its_draft() -> None:
    """Figures of a GM are no field: `/effect quick` gives them."""
    choices = set(Blueprint.__struct_fields__) - {"given"}
    assert choices <= set(DRAFT_FORM.keys), "declare the new field in effect_fields"
