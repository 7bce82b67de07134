"""The published schemas of trees and charts say what the readers say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from rules.core.errors import Problems
from rules.systems.barmore.tables import CHART_DATA, GOVERNING, TREE_DATA
from rules.systems.barmore.traits import (
    ACTIVITIES,
    DEFAULT_TRAITS,
    LONGEST_NAME,
    LONGEST_ORIGIN,
    MOST_NODES,
    read_traits,
    write_traits,
)
from rules.systems.barmore.wounds import (
    DEFAULT_CHART,
    HIGHEST_DAYS,
    HIGHEST_DEGREE,
    HIGHEST_PENALTY,
    LONGEST_TEXT,
    MOST_ROWS,
    read_chart,
    write_chart,
)
from rules.systems.barmore.wounds import LONGEST_NAME as LONGEST_ROW_NAME
from tests.schemas import faults, schema

TREE = schema("barmore-tree")
CHART = schema("barmore-chart")
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
    assert faults(TREE_DATA, TREE) == [] and faults(write_traits(DEFAULT_TRAITS), TREE) == []
    assert faults(CHART_DATA, CHART) == [] and faults(write_chart(DEFAULT_CHART), CHART) == []
    assert read_traits(TREE_DATA) == DEFAULT_TRAITS and read_chart(CHART_DATA) == DEFAULT_CHART


def test_bounds_are_those_of_the_readers() -> None:
    name, nodes = TREE["$defs"]["name"], TREE["properties"]
    assert name["maxLength"] == TREE["$defs"]["parent"]["maxLength"] == LONGEST_NAME
    assert nodes["abilities"]["maxItems"] == nodes["attributes"]["maxItems"] == MOST_NODES
    assert nodes["origin"]["maxLength"] == LONGEST_ORIGIN
    activity = nodes["attributes"]["items"]["properties"]["activity"]["enum"]
    assert activity == [*ACTIVITIES, None]
    assert nodes["attributes"]["minItems"] == len(GOVERNING)
    assert all(attribute in nodes["attributes"]["description"] for attribute in GOVERNING)
    rows = CHART["properties"]["rows"]
    row = rows["items"]["properties"]
    assert rows["maxItems"] == MOST_ROWS
    assert row["from"]["maximum"] == HIGHEST_DEGREE
    assert row["name"]["maxLength"] == LONGEST_ROW_NAME
    assert row["effect"]["maxLength"] == CHART["properties"]["origin"]["maxLength"] == LONGEST_TEXT
    assert CHART["$defs"]["dice"]["maximum"] == HIGHEST_PENALTY
    assert CHART["$defs"]["days"]["maximum"] == HIGHEST_DAYS


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
        {"colour": "red"},
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
