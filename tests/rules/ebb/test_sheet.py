"""Character sheets: derived values, finding by name, sacrifices, creation, reading and writing."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import Impossible, InvalidInput, NotFound, Problems
from rules.core.json_reader import MAX_NOTED_PROBLEMS
from rules.core.name_matching import clean_name
from rules.systems.ebb.reference_rows import ATTRIBUTES, DIE_SIDES
from rules.systems.ebb.resources import ATTRIBUTE_RESOURCES, RESOURCES
from rules.systems.ebb.sheet import (
    SEVERITIES,
    Ability,
    EbbSheet,
    Injury,
    base_attributes,
    effective_attributes,
    find_ability,
    find_attribute,
    read_sheet,
    write_sheet,
)
from rules.table.resources import restore_points

GROUPS = (
    "Fitness",
    "Fitness",
    "Fitness",
    "Alertness",
    "Alertness",
    "Zone",
    "Zone",
    "Zone",
    "Zone",
    "Charisma",
)


def abilities(*sides: int) -> tuple[Ability, ...]:
    """Abilities with these dice, spread over the groups above."""
    return tuple(Ability(f"Ability {i}", GROUPS[i % 10], die) for i, die in enumerate(sides))


SHEET = EbbSheet(
    tag="Pilgrim",
    group="Loners",
    age=34,
    country="Ukraine",
    description="Quiet.\nKnows the marshes.",
    fate=3,
    abilities=abilities(8, 8, 4, 4, 6, 6, 6, 6, 6, 6),
    drawbacks=tuple(f"Drawback {i}" for i in range(10)),
    injuries=(Injury("Burned", "left arm", "serious", True),),
    scarring=("A burned cheek",),
    equipment=("Rope", "Lamp"),
    assets=("A hut",),
    sacrificed=(("Fitness", 1), ("Zone", 2)),
)


def good() -> dict[str, Any]:
    """A file that reads without a problem; fresh, to be spoilt."""
    return json.loads(json.dumps(write_sheet("Ivan", SHEET)))


def problems(data: object, *, new: bool = True) -> dict[tuple[object, str], dict[str, object]]:
    """The violations of a file by field and code; each carries a fix."""
    with pytest.raises(Problems) as caught:
        read_sheet(data, new=new)  # pyright: ignore[reportArgumentType]
    assert caught.value.code == "bad-character"
    assert caught.value.params["count"] == len(caught.value.problems)
    found: dict[tuple[object, str], dict[str, object]] = {}
    for problem in caught.value.problems:
        assert isinstance(problem, InvalidInput)
        assert problem.params["fix"]
        found[problem.params["field"], problem.code] = dict(problem.params)
    return found


# --- derived values -------------------------------------------------------------------------------


@pytest.mark.rule("EBB-CHAR")
@pytest.mark.parametrize(
    ("count", "value"), [(0, 0), (1, 1), (2, 1), (3, 2), (4, 2), (9, 5), (10, 5), (11, 6)]
)
def test_an_attribute_is_half_the_abilities_rounded_up(count: int, value: int) -> None:
    sheet = EbbSheet(abilities=tuple(Ability(str(i), "Intellect", 4) for i in range(count)))
    assert base_attributes(sheet)["Intellect"] == value
    assert base_attributes(sheet)["Zone"] == 0


@pytest.mark.rule("EBB-CHAR")
def test_the_dice_do_not_matter_for_attributes() -> None:
    low, high = EbbSheet(abilities=abilities(*[4] * 10)), EbbSheet(abilities=abilities(*[12] * 10))
    assert base_attributes(low) == base_attributes(high)


@pytest.mark.rule("EBB-LUCK")
def test_effective_values_are_never_below_zero() -> None:
    assert base_attributes(SHEET)["Fitness"] == 2
    assert effective_attributes(SHEET)["Fitness"] == 1
    assert effective_attributes(SHEET)["Zone"] == 0
    assert effective_attributes(EbbSheet(sacrificed=(("Zone", 3),)))["Zone"] == 0
    assert list(effective_attributes(SHEET).items())[:2] == [("Fitness", 1), ("Alertness", 1)]
    assert tuple(effective_attributes(SHEET)) == ATTRIBUTES


@pytest.mark.parametrize("text", ["Fitness", "FITNESS", " fitness ", "fit", "f"])
def test_attributes_are_found(text: str) -> None:
    assert find_attribute(text) == "Fitness"
    assert base_attributes(SHEET)[find_attribute(text)] == 2


@pytest.mark.parametrize(
    ("text", "nearest"),
    [("fitnes!", "Fitness"), ("tehcnical", "Technical"), ("", None), ("x" * 9999, None)],
)
def test_attributes_not_found(text: str, nearest: str | None) -> None:
    with pytest.raises(NotFound) as caught:
        find_attribute(text)
    assert caught.value.code == "unknown-attribute"
    suggestions = caught.value.params["nearest"]
    assert isinstance(suggestions, tuple)
    assert nearest in suggestions if nearest else suggestions == ATTRIBUTES[:5]


def test_abilities_are_found() -> None:
    sheet = EbbSheet(
        abilities=tuple(Ability(name, "Zone", 6) for name in ("Read", "Read runes", "Rifle"))
    )
    assert find_ability(sheet, "READ").name == "Read"
    assert find_ability(sheet, "read  R").name == "Read runes"
    assert find_ability(sheet, "ri").name == "Rifle"
    with pytest.raises(NotFound) as caught:
        find_ability(sheet, "r")
    assert caught.value.code == "ambiguous-choice"
    assert caught.value.params["nearest"] == ("Read", "Read runes", "Rifle")
    with pytest.raises(NotFound) as caught:
        find_ability(sheet, "riffle")
    assert (caught.value.code, caught.value.params["nearest"]) == ("unknown-ability", ("Rifle",))
    with pytest.raises(NotFound):
        find_ability(EbbSheet(), "")


# --- sacrifices -----------------------------------------------------------------------------------


@pytest.mark.rule("EBB-LUCK", "EBB-INJURY")
def test_a_sacrifice_costs_a_point_until_restored() -> None:
    once = ATTRIBUTE_RESOURCES["Fitness"].pay(SHEET, 1)
    assert once.sacrificed == (("Fitness", 2), ("Zone", 2))
    assert effective_attributes(once)["Fitness"] == 0
    assert base_attributes(once)["Fitness"] == 2
    with pytest.raises(Impossible) as caught:
        ATTRIBUTE_RESOURCES["Fitness"].pay(once, 1)
    assert caught.value.code == "nothing-to-sacrifice"
    assert (caught.value.params["have"], caught.value.params["need"]) == (0, 1)
    assert ATTRIBUTE_RESOURCES["Fitness"].give(once, 2).sacrificed == (("Zone", 2),)
    rested, back = restore_points(RESOURCES, once, "session")
    assert rested.sacrificed == ()
    assert back == (("Fitness", 2), ("Zone", 2))


@pytest.mark.rule("EBB-LUCK")
def test_nothing_to_sacrifice() -> None:
    with pytest.raises(Impossible):
        ATTRIBUTE_RESOURCES["Zone"].pay(EbbSheet(), 1)


@pytest.mark.rule("EBB-LUCK")
def test_sacrifices_keep_the_order_of_the_sheet() -> None:
    sheet = EbbSheet(abilities=abilities(*[6] * 10))
    once = ATTRIBUTE_RESOURCES["Zone"].pay(sheet, 1)
    assert ATTRIBUTE_RESOURCES["Fitness"].pay(once, 1).sacrificed == (("Fitness", 1), ("Zone", 1))


# --- creation -------------------------------------------------------------------------------------


def validate_new(found: tuple[Ability, ...], drawbacks: tuple[str, ...] | None = None) -> None:
    """Read a new character with these abilities, and as many drawbacks if none are given."""
    sheet = EbbSheet(
        abilities=found, drawbacks=("x",) * len(found) if drawbacks is None else drawbacks
    )
    read_sheet(write_sheet("Ivan", sheet), new=True)


@pytest.mark.rule("EBB-CHAR")
@pytest.mark.parametrize("raised", range(6))
def test_good_starting_dice(raised: int) -> None:
    validate_new(abilities(*[8] * raised, *[4] * raised, *[6] * (10 - 2 * raised)))


@pytest.mark.rule("EBB-CHAR")
@pytest.mark.parametrize(
    ("sides", "code", "expected"),
    [
        (
            [8, 8, 8, 4, 4, 6, 6, 6, 6, 6],
            "uneven-dice",
            {"value": 3, "of": "d8", "fewer": 2, "to": "d4", "count": 1},
        ),
        (
            [4, 6, 6, 6, 6, 6, 6, 6, 6, 6],
            "uneven-dice",
            {"value": 1, "of": "d4", "fewer": 0, "to": "d8", "count": 1},
        ),
        ([6] * 9, "wrong-number", {"value": 9, "need": 10, "count": 1, "fix": "add-entries"}),
        ([6] * 12, "wrong-number", {"value": 12, "count": 2, "fix": "remove-entries"}),
        (
            [10, 4, 4, 6, 6, 6, 6, 6, 6, 6],
            "die-too-high-for-new",
            {"value": "d10", "field": "abilities[0].die"},
        ),
        ([6] * 9 + [12], "die-too-high-for-new", {"value": "d12", "field": "abilities[9].die"}),
        ([8] * 6 + [4] * 6, "too-many-at-die", {"die": "d4", "value": 6, "highest": 5, "count": 1}),
        ([6] * 9 + [5], "unknown-die", {"value": "d5", "rule": "EBB-TIER"}),
    ],
)
def test_bad_starting_dice(sides: list[int], code: str, expected: dict[str, object]) -> None:
    with pytest.raises(Problems) as caught:
        validate_new(abilities(*sides))
    matching = [problem.params for problem in caught.value.problems if problem.code == code]
    assert any(expected.items() <= params.items() for params in matching), caught.value.problems


@pytest.mark.rule("EBB-CHAR")
def test_all_violations_come_at_once() -> None:
    with pytest.raises(Problems) as caught:
        validate_new(abilities(10, 8, 8, 6), drawbacks=("one",))
    assert [problem.code for problem in caught.value.problems] == [
        "die-too-high-for-new",
        "wrong-number",
        "uneven-dice",
        "wrong-number",
    ]


@pytest.mark.rule("EBB-DRAWBACK")
def test_one_drawback_for_each_ability() -> None:
    ten = abilities(*[6] * 10)
    validate_new(ten, ("x",) * 10)
    for count, fix in ((9, "add-entries"), (11, "remove-entries")):
        with pytest.raises(Problems) as caught:
            validate_new(ten, ("x",) * count)
        (problem,) = caught.value.problems
        assert problem.params == {
            "field": "drawbacks",
            "value": count,
            "fix": fix,
            "need": 10,
            "count": 1,
            "rule": "EBB-DRAWBACK",
        }


# --- reading --------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-CHAR")
def test_a_good_file_reads() -> None:
    assert read_sheet(good()) == ("Ivan", SHEET)


@pytest.mark.rule("EBB-CHAR")
def test_only_name_abilities_and_drawbacks_are_needed() -> None:
    data = {
        key: value for key, value in good().items() if key in ("name", "abilities", "drawbacks")
    }
    assert read_sheet(data) == (
        "Ivan",
        EbbSheet(abilities=SHEET.abilities, drawbacks=SHEET.drawbacks),
    )
    assert problems({}).keys() == {
        ("name", "missing-field"),
        ("abilities", "missing-field"),
        ("drawbacks", "missing-field"),
    }


def test_names_and_dice_may_be_written_in_any_case() -> None:
    data = good()
    data["abilities"][0].update(group="FITNESS", die="D8")
    data["abilities"][1].update(group=" fitness", die=8)
    data["sacrificed"] = {"zone": 2, "FITNESS": 1, "Charisma": 0}
    data["injuries"][0]["severity"] = "Serious"
    assert read_sheet(data) == ("Ivan", SHEET)


def spoil(data: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """Set `a.0.b` of a file."""
    *parents, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    part: Any = data
    for step in parents:
        part = part[step]
    part[last] = value
    return data


@pytest.mark.rule("EBB-CHAR")
@pytest.mark.parametrize(
    ("path", "value", "field", "code"),
    [
        ("name", "", "name", "empty-text"),
        ("name", " \t", "name", "empty-text"),
        ("name", "x" * 81, "name", "too-long"),
        ("name", 7, "name", "wrong-type"),
        ("name", None, "name", "wrong-type"),
        ("name", "a\nb", "name", "unprintable-text"),
        ("name", "a\x00", "name", "unprintable-text"),
        ("name", "\ud800", "name", "unprintable-text"),
        ("tag", "x" * 2001, "tag", "too-long"),
        ("renown", ["x"], "renown", "wrong-type"),
        ("age", -1, "age", "out-of-range"),
        ("age", 10**30, "age", "out-of-range"),
        ("age", 3.5, "age", "wrong-type"),
        ("age", True, "age", "wrong-type"),
        ("age", "34", "age", "wrong-type"),
        ("fate", -1, "fate", "out-of-range"),
        ("fate", None, "fate", "wrong-type"),
        ("abilities", {}, "abilities", "wrong-type"),
        ("abilities", None, "abilities", "wrong-type"),
        ("abilities", "x", "abilities", "wrong-type"),
        ("abilities", [{}] * 61, "abilities", "too-many-entries"),
        ("abilities.3", "Climbing", "abilities[3]", "wrong-type"),
        ("abilities.3", {"name": "x", "group": "Zone"}, "abilities[3].die", "missing-field"),
        ("abilities.3.die", "d7", "abilities[3].die", "unknown-die"),
        ("abilities.3.die", "eight", "abilities[3].die", "unknown-die"),
        ("abilities.3.die", 7, "abilities[3].die", "unknown-die"),
        ("abilities.3.die", True, "abilities[3].die", "wrong-type"),
        ("abilities.3.die", None, "abilities[3].die", "wrong-type"),
        ("abilities.3.die", "d10", "abilities[3].die", "die-too-high-for-new"),
        ("abilities.3.group", "Fitnes", "abilities[3].group", "unknown-attribute"),
        ("abilities.3.group", 1, "abilities[3].group", "wrong-type"),
        ("abilities.3.name", "ability  0", "abilities[3].name", "duplicate-field"),
        ("abilities.3.name", "", "abilities[3].name", "empty-text"),
        ("abilities.3.name", "x" * 301, "abilities[3].name", "too-long"),
        ("abilities.3.level", 1, "abilities[3].level", "unknown-field"),
        ("drawbacks", [], "drawbacks", "wrong-number"),
        ("drawbacks.2", "", "drawbacks[2]", "empty-text"),
        ("drawbacks.2", "x" * 301, "drawbacks[2]", "too-long"),
        ("drawbacks.2", 5, "drawbacks[2]", "wrong-type"),
        ("equipment", "Rope", "equipment", "wrong-type"),
        ("equipment", ["x"] * 101, "equipment", "too-many-entries"),
        ("assets.0", "", "assets[0]", "empty-text"),
        ("injuries.0", None, "injuries[0]", "wrong-type"),
        ("injuries.0", {}, "injuries[0].text", "missing-field"),
        ("injuries.0.severity", "sever", "injuries[0].severity", "unknown-choice"),
        ("injuries.0.severity", 3, "injuries[0].severity", "wrong-type"),
        ("injuries.0.treated", 1, "injuries[0].treated", "wrong-type"),
        ("injuries.0.where", "arm", "injuries[0].where", "unknown-field"),
        ("attributes", [], "attributes", "wrong-type"),
        ("attributes.Fitness", 3, "attributes.Fitness", "attribute-disagrees"),
        ("attributes.FITNESS", 2, "attributes.FITNESS", "duplicate-field"),
        ("attributes.Luck", 1, "attributes.Luck", "unknown-attribute"),
        ("attributes.Zone", "2", "attributes.Zone", "wrong-type"),
        ("sacrificed", 1, "sacrificed", "wrong-type"),
        ("sacrificed.Zone", -1, "sacrificed.Zone", "out-of-range"),
        ("color", "red", "color", "unknown-field"),
    ],
)
def test_violations(path: str, value: object, field: str, code: str) -> None:
    assert (field, code) in problems(spoil(good(), path, value))


def test_violations_name_what_is_allowed() -> None:
    data = good()
    data["abilites"] = data.pop("abilities")
    found = problems(data)
    nearest = found["abilites", "unknown-field"]["nearest"]
    assert isinstance(nearest, tuple) and nearest[0] == "abilities"
    assert ("abilities", "missing-field") in found
    attribute = problems(spoil(good(), "attributes.Fitness", 3))[
        "attributes.Fitness", "attribute-disagrees"
    ]
    assert (attribute["value"], attribute["need"], attribute["rule"]) == (3, 2, "EBB-CHAR")
    die = problems(spoil(good(), "abilities.3.die", "d7"))["abilities[3].die", "unknown-die"]
    assert die["allowed"] == ("d4", "d6", "d8", "d10", "d12")
    group = problems(spoil(good(), "abilities.3.group", "Fitnes"))[
        "abilities[3].group", "unknown-attribute"
    ]
    assert (group["value"], group["nearest"]) == ("Fitnes", ("Fitness",))
    name = problems(spoil(good(), "name", "x" * 5000))["name", "too-long"]
    assert (name["highest"], name["length"], name["value"]) == (80, 5000, "x" * 100)


def test_many_violations_come_at_once() -> None:
    data = good()
    for path, value in [
        ("name", ""),
        ("age", "old"),
        ("abilities.0.die", "d7"),
        ("color", 1),
        ("fate", -2),
    ]:
        spoil(data, path, value)
    assert problems(data).keys() >= {
        ("name", "empty-text"),
        ("age", "wrong-type"),
        ("abilities[0].die", "unknown-die"),
        ("color", "unknown-field"),
        ("fate", "out-of-range"),
    }


def test_wrong_attributes_are_not_blamed_for_unreadable_groups() -> None:
    data = spoil(good(), "abilities.9.group", "Nothing")  # the only one of Charisma
    assert [code for _, code in problems(data)] == ["unknown-attribute"]


@pytest.mark.rule("EBB-CHAR", "EBB-DRAWBACK", "EBB-TIER")
def test_a_grown_character_has_other_dice_and_numbers() -> None:
    grown = EbbSheet(abilities=abilities(12, 10, 8, 4, 4, 4, 6, 6, 6, 6, 6), drawbacks=("x",) * 11)
    data = write_sheet("Ivan", grown)
    assert read_sheet(data, new=False) == ("Ivan", grown)
    assert {code for _, code in problems(data)} == {
        "die-too-high-for-new",
        "wrong-number",
        "uneven-dice",
    }
    data["drawbacks"] = ["x"] * 10
    assert list(problems(data, new=False)) == [("drawbacks", "wrong-number")]
    data["drawbacks"] = ["x"] * 11
    assert list(problems(spoil(data, "abilities.0.die", "d20"), new=False)) == [
        ("abilities[0].die", "unknown-die")
    ]


@pytest.mark.parametrize("data", [None, [], "x", 1, [["name", "x"]]])
def test_a_file_is_an_object(data: object) -> None:
    assert list(problems(data)) == [("", "wrong-type")]


def test_a_flood_of_unknown_fields_stays_cheap() -> None:
    data = good() | {f"field {i} " + "x" * 1000: 1 for i in range(5000)}
    assert len(problems(data)) == MAX_NOTED_PROBLEMS


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=20)
ENTRIES = TEXTS.filter(lambda text: bool(text.strip()))
SHEETS = st.integers(0, 12).flatmap(
    lambda count: st.builds(
        EbbSheet,
        tag=TEXTS,
        group=TEXTS,
        age=st.none() | st.integers(0, 999),
        country=TEXTS,
        sex=TEXTS,
        role=TEXTS,
        renown=TEXTS,
        description=TEXTS,
        fate=st.integers(0, 9999),
        abilities=st.lists(
            st.builds(Ability, ENTRIES, st.sampled_from(ATTRIBUTES), st.sampled_from(DIE_SIDES)),
            min_size=count,
            max_size=count,
            unique_by=lambda ability: " ".join(ability.name.casefold().split()),
        ).map(tuple),
        drawbacks=st.lists(ENTRIES, min_size=count, max_size=count).map(tuple),
        injuries=st.lists(
            st.builds(Injury, ENTRIES, TEXTS, st.sampled_from(SEVERITIES), st.booleans()),
            max_size=3,
        ).map(tuple),
        scarring=st.lists(ENTRIES, max_size=3).map(tuple),
        equipment=st.lists(ENTRIES, max_size=3).map(tuple),
        assets=st.lists(ENTRIES, max_size=3).map(tuple),
        sacrificed=st.dictionaries(st.sampled_from(ATTRIBUTES), st.integers(1, 9)).map(
            lambda points: tuple((name, points[name]) for name in ATTRIBUTES if name in points)
        ),
    )
)


def _is_name(text: str) -> bool:
    with suppress(InvalidInput):
        return bool(clean_name(text))
    return False


@given(ENTRIES.filter(_is_name), SHEETS)
def test_what_is_written_reads_back(name: str, sheet: EbbSheet) -> None:
    written = json.dumps(write_sheet(name, sheet))
    assert read_sheet(json.loads(written), new=False) == (name, sheet)


def test_every_starting_character_reads_back_as_new() -> None:
    assert read_sheet(write_sheet("Ivan", SHEET), new=True) == ("Ivan", SHEET)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
FIELDS = tuple(write_sheet("x", SHEET))


@given(JSON | st.dictionaries(st.sampled_from(FIELDS), JSON), st.booleans())
def test_any_json_is_read_or_refused(data: Any, new: bool) -> None:
    try:
        read_sheet(data, new=new)
    except Problems as error:
        for problem in error.problems:
            json.dumps(problem.params).encode("utf-8")
            str(problem).encode("utf-8")


PATHS = (
    "abilities.0",
    "abilities.0.name",
    "abilities.0.group",
    "abilities.0.die",
    "abilities.0.other",
)
PATHS += (
    "injuries.0",
    "injuries.0.text",
    "injuries.0.part",
    "injuries.0.severity",
    "injuries.0.treated",
)
PATHS += (
    "attributes.Zone",
    "attributes.other",
    "sacrificed.Zone",
    "sacrificed.other",
    "drawbacks.0",
    "assets.0",
)


@given(st.sampled_from(FIELDS + PATHS), JSON, st.booleans())
def test_a_good_file_with_any_json_in_one_place(path: str, value: Any, new: bool) -> None:
    data = spoil(copy.deepcopy(good()), path, value)
    try:
        name, sheet = read_sheet(data, new=new)
    except Problems:
        return
    assert read_sheet(write_sheet(name, sheet), new=new) == (name, sheet)
