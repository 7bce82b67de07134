"""The published schemas of trees, charts, campaigns and characters say what the readers say."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from rules.core.errors import Problems
from rules.systems.barmore.campaign import DEFAULT_CAMPAIGN, Campaign, read_campaign, write_campaign
from rules.systems.barmore.check_forms import player_form
from rules.systems.barmore.reference_rows import CHART_DATA, NAMED_ATTRIBUTES, TREE_DATA
from rules.systems.barmore.sheet import (
    HIGHEST_RATING,
    HIGHEST_SCORE,
    MOST_ENTRIES,
    read_sheet,
    write_sheet,
)
from rules.systems.barmore.trait_trees import (
    ACTIVITIES,
    DEFAULT_TRAITS,
    LONGEST_NAME,
    LONGEST_TEXT,
    MOST_NODES,
)
from rules.systems.barmore.trait_trees import TREE_FORM as TREES
from rules.systems.barmore.wounds import CHART_FORM as ROWS
from rules.systems.barmore.wounds import (
    DEFAULT_CHART,
    HIGHEST_DAYS,
    HIGHEST_DEGREE,
    HIGHEST_PENALTY,
    MOST_ROWS,
)
from rules.table.people.common_fields import LONGEST_TEXT as LONGEST_DESCRIPTION
from rules.table.people.common_fields import NOTES_MAX, PORTRAIT_MAX, TABLE_FORM
from tests.rules.barmore.play import asking
from tests.rules.barmore.trees import read_chart, read_traits
from tests.sample_table import game
from tests.schemas import ROOT, faults, schema

TREE = schema("barmore-tree")
CHART = schema("barmore-chart")
CAMPAIGN = schema("barmore-campaign")
DOCUMENT = (ROOT / "docs/barmore.md").read_text(encoding="utf-8")
CHARACTER = schema("barmore-character")
ROW: dict[str, Any] = {
    "from": 1,
    "name": "Hurt",
    "penalty": None,
    "other_penalty": 0,
    "healing_days": 0,
    "mental_healing_days": 2,
}


def wrong(read: Callable[[Mapping[str, object]], object], data: Mapping[str, object]) -> bool:
    try:
        read(data)
    except Problems:
        return True
    return False


def test_the_defaults_match_and_are_read() -> None:
    assert faults(TREE_DATA, TREE) == [] and faults(TREES.all_values(DEFAULT_TRAITS), TREE) == []
    assert faults(CHART_DATA, CHART) == [] and faults(ROWS.all_values(DEFAULT_CHART), CHART) == []
    assert read_traits(TREE_DATA) == DEFAULT_TRAITS and read_chart(CHART_DATA) == DEFAULT_CHART


def test_bounds_are_those_of_the_readers() -> None:
    nodes = TREE["properties"]
    for tree in ("abilities", "attributes"):
        node = nodes[tree]["items"]["properties"]
        assert node["name"]["maxLength"] == node["parent"]["maxLength"] == LONGEST_NAME
    assert nodes["abilities"]["maxItems"] == nodes["attributes"]["maxItems"] == MOST_NODES
    assert nodes["origin"]["maxLength"] == LONGEST_TEXT
    activity = nodes["attributes"]["items"]["properties"]["activity"]["enum"]
    assert activity == [*ACTIVITIES, None]
    assert nodes["attributes"]["minItems"] == len(NAMED_ATTRIBUTES)
    assert all(attribute in nodes["attributes"]["description"] for attribute in NAMED_ATTRIBUTES)
    rows = CHART["properties"]["rows"]
    row = rows["items"]["properties"]
    assert rows["maxItems"] == MOST_ROWS
    assert row["from"]["maximum"] == HIGHEST_DEGREE
    assert row["name"]["maxLength"] == LONGEST_NAME
    assert row["effect"]["maxLength"] == CHART["properties"]["origin"]["maxLength"] == LONGEST_TEXT
    assert row["penalty"]["maximum"] == row["other_penalty"]["maximum"] == HIGHEST_PENALTY
    assert row["healing_days"]["maximum"] == row["mental_healing_days"]["maximum"] == HIGHEST_DAYS


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"penalty": 101},
        {"other_penalty": -1},
        {"penalty": True},
        {"from": 0},
        {"from": 1001},
        {"name": ""},
        {"name": "x" * 61},
        {"healing_days": None},
        {"healing_days": 36_501},
        {"mental_healing_days": "3"},
        {"effect": "x" * 301},
        {"effect": "bleeding"},
        {"color": "red"},
    ],
    ids=str,
)
def test_rows_that_the_schema_refuses_are_refused(changes: dict[str, object]) -> None:
    data = {"rows": [{**ROW, **changes}]}
    assert bool(faults(data, CHART)) == wrong(read_chart, data)


@pytest.mark.parametrize("missing", list(ROW))
def test_rows_are_whole(missing: str) -> None:
    data = {"rows": [{name: value for name, value in ROW.items() if name != missing}]}
    assert faults(data, CHART) and wrong(read_chart, data)


@pytest.mark.parametrize(
    "node",
    [
        {"name": "Juggling"},
        {"name": "Juggling", "parent": None},
        {"name": "Juggling", "parent": "Athletics"},
        {"name": ""},
        {"name": "x" * 61},
        {"name": 3},
        {"parent": None},
        {"name": "Juggling", "parent": ""},
        {"name": "Juggling", "parent": 3},
        {"name": "Juggling", "score": 2},
        {"name": "Juggling", "activity": "physical"},
        "Juggling",
    ],
    ids=str,
)
def test_nodes_that_the_schema_refuses_are_refused(node: object) -> None:
    abilities = TREE_DATA["abilities"]
    assert isinstance(abilities, list)
    data = {**TREE_DATA, "abilities": [*abilities, node]}
    assert bool(faults(data, TREE)) == wrong(read_traits, data)


@pytest.mark.parametrize("activity", ["physical", "mental", None, "spiritual", "", 3])
def test_activities_that_the_schema_refuses_are_refused(activity: object) -> None:
    attributes = TREE_DATA["attributes"]
    assert isinstance(attributes, list)
    node = {"name": "Luck", "parent": "Mind", "activity": activity}
    data = {**TREE_DATA, "attributes": [*attributes, node]}
    assert bool(faults(data, TREE)) == wrong(read_traits, data)


# --- campaigns ------------------------------------------------------------------------------------


def test_campaigns_match_and_are_read() -> None:
    assert faults(write_campaign(DEFAULT_CAMPAIGN), CAMPAIGN) == []
    other = Campaign(dice_phobes=False, minor_npcs=False)
    assert faults(write_campaign(other), CAMPAIGN) == []
    assert read_campaign(write_campaign(other)) == other
    assert set(CAMPAIGN["properties"]) == set(write_campaign(DEFAULT_CAMPAIGN))


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"traits": TREE_DATA},
        {"traits": {}},
        {"chart": CHART_DATA, "options": {}},
        {"chart": {"rows": []}},
        {"options": {"dice_phobes": False}},
        {"options": {"minor_npcs": 1}},
        {"options": {"exploding": True}},
        {"options": []},
        {"traits": None},
        {"color": "red"},
    ],
    ids=str,
)
def test_campaigns_that_the_schema_refuses_are_refused(data: dict[str, object]) -> None:
    assert bool(faults(data, CAMPAIGN)) == wrong(read_campaign, data)


def test_the_documented_campaign_is_read() -> None:
    (block,) = re.findall(r"^```json\n(.*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL)
    data = json.loads(block)
    assert faults(data, CAMPAIGN) == []
    campaign = read_campaign(data)
    assert campaign.traits.origin == campaign.chart.origin == "The river campaign"
    assert (campaign.dice_phobes, campaign.minor_npcs) == (True, True)
    assert [attribute for attribute in NAMED_ATTRIBUTES if attribute not in DOCUMENT] == []


def test_what_the_document_offers_in_with_is_understood() -> None:
    (row,) = re.findall(r"^\| `/check`.*$", DOCUMENT, re.MULTILINE)
    words = re.findall(r"`([a-z][a-z -]+(?:: [^`]+)?)`", row.replace("`with:`", ""))
    assert len(words) == 11
    for word in words:
        assert player_form("attack").write_words(
            player_form("attack").read_words((word,), asking(DEFAULT_CAMPAIGN))
        ) == (word,)


# --- characters -----------------------------------------------------------------------------------

WOUND: dict[str, Any] = {"kind": "physical", "name": "Light", "degree": 3, "penalty": 1}
WEAPON: dict[str, Any] = {"name": "Boathook", "modifier": 1}
ARMOR: dict[str, Any] = {"name": "Oilskins", "rating": 1, "covers": ["cutting"]}


def whole(**changes: Any) -> dict[str, Any]:
    return {
        "name": "Somebody",
        "concept": "Ferry pilot",
        "abilities": {"Boats": 4},
        "attributes": {"Body": -1},
        "weapons": [WEAPON],
        "armour": [ARMOR],
        "wounds": [WOUND],
        **changes,
    }


def test_ready_characters_and_what_is_written_match() -> None:
    data = [*game("barmore").sheets.ready(game("barmore")), whole(minor=True)]
    for each in data:
        assert faults(each, CHARACTER) == []
        assert faults(write_sheet(*read_sheet(each, DEFAULT_CAMPAIGN)), CHARACTER) == []


def test_fields_and_bounds_of_characters_are_those_of_the_reader() -> None:
    fields = CHARACTER["properties"]
    written = write_sheet(*read_sheet(whole(minor=False), DEFAULT_CAMPAIGN))
    assert set(fields) == set(written) | set(TABLE_FORM.keys)
    for name in ("weapons", "armour", "wounds"):
        assert fields[name]["maxItems"] == MOST_ENTRIES
        entries = written[name]
        assert isinstance(entries, list)
        assert set(fields[name]["items"]["properties"]) == set(entries[0])
        assert fields[name]["items"]["properties"]["name"]["maxLength"] == LONGEST_NAME
    assert fields["name"]["maxLength"] == LONGEST_NAME
    assert fields["description"]["maxLength"] == LONGEST_DESCRIPTION
    assert (fields["portrait"]["maxLength"], fields["notes"]["maxLength"]) == (
        PORTRAIT_MAX,
        NOTES_MAX,
    )
    abilities, attributes = (
        fields[each]["additionalProperties"] for each in ("abilities", "attributes")
    )
    assert (abilities["minimum"], abilities["maximum"]) == (0, HIGHEST_SCORE)
    assert (attributes["minimum"], attributes["maximum"]) == (-HIGHEST_SCORE, HIGHEST_SCORE)
    weapon, piece = (fields[each]["items"]["properties"] for each in ("weapons", "armour"))
    for rating in (weapon["modifier"], piece["rating"]):
        assert (rating["minimum"], rating["maximum"]) == (-HIGHEST_RATING, HIGHEST_RATING)
    wound = fields["wounds"]["items"]["properties"]
    assert wound["penalty"]["maximum"] == wound["other"]["maximum"] == HIGHEST_PENALTY
    assert wound["degree"]["maximum"] == HIGHEST_DEGREE
    assert wound["base_days"]["maximum"] == HIGHEST_DAYS


@pytest.mark.parametrize(
    "data",
    [
        whole(),
        whole(name=""),
        whole(name="x" * 61),
        {"concept": "nobody"},
        whole(hat="red"),
        whole(abilities={"Boats": -1}),
        whole(abilities={"Boats": 31}),
        whole(abilities=["Boats"]),
        whole(attributes={"Body": -31}),
        whole(attributes={"Body": "2"}),
        whole(minor=None),
        whole(minor="no"),
        whole(equipment=["", "rope"]),
        whole(weapons=[{"modifier": 1}]),
        whole(weapons=[{**WEAPON, "modifier": 31}]),
        whole(weapons=[{**WEAPON, "lethal": 0}]),
        whole(weapons=[{**WEAPON, "kind": "x" * 61}]),
        whole(armour=[{**ARMOR, "rating": None}]),
        whole(armour=[{**ARMOR, "covers": "cutting"}]),
        whole(wounds=[{**WOUND, "kind": "social"}]),
        whole(wounds=[{**WOUND, "penalty": None, "other": None}]),
        whole(wounds=[{**WOUND, "degree": 0}]),
        whole(wounds=[{**WOUND, "healed": "1/3", "factor": "3/2"}]),
        whole(wounds=[{**WOUND, "healed": "a third"}]),
        whole(wounds=[{**WOUND, "healed": 2}]),
        whole(wounds=[{**WOUND, "activity": "dancing"}]),
        whole(wounds=[WOUND] * 51),
    ],
    ids=lambda data: str(data)[-60:],
)
def test_characters_that_the_schema_refuses_are_refused(data: dict[str, object]) -> None:
    def read(found: Mapping[str, object]) -> object:
        return read_sheet(found, DEFAULT_CAMPAIGN)

    assert bool(faults(data, CHARACTER)) == wrong(read, data)
