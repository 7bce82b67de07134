"""A table's own trees and Wound chart: read whole or refused whole, with every mistake and its
place.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from rules.core.errors import Problems
from rules.systems.barmore.campaign import (
    DEFAULT_CAMPAIGN,
    describe_campaign,
    read_campaign,
    write_campaign,
)
from rules.table.actions import ChangeCampaign
from rules.table.events import Notice
from tests.rules.barmore.play import Play
from tests.sample_table import ANN, GM


def _traits(**changes: Any) -> dict[str, Any]:
    written = json.loads(json.dumps(write_campaign(DEFAULT_CAMPAIGN)))["traits"]
    return {**written, **changes}


def _mistakes(data: dict[str, Any]) -> set[tuple[str, Any]]:
    with pytest.raises(Problems) as caught:
        read_campaign(data)
    assert caught.value.code == "bad-campaign"
    return {
        (str(error.params.get("what", error.code)), error.params["field"])
        for error in caught.value.problems
    }


def test_there_and_back() -> None:
    assert (
        read_campaign(json.loads(json.dumps(write_campaign(DEFAULT_CAMPAIGN)))) == DEFAULT_CAMPAIGN
    )
    assert read_campaign({}) == DEFAULT_CAMPAIGN
    options = {"dice_phobes": False, "minor_npcs": False}
    changed = read_campaign({"options": options})
    assert (changed.dice_phobes, changed.minor_npcs, changed.traits) == (
        False,
        False,
        DEFAULT_CAMPAIGN.traits,
    )


@pytest.mark.rule("BAR-TRAIT")
def test_circles_and_orphans_are_each_reported() -> None:
    abilities = [
        {"name": "Chasing", "parent": "Fleeing"},
        {"name": "Fleeing", "parent": "Chasing"},
        {"name": "Orphan", "parent": "Nobody"},
        {"name": "Waif", "parent": "Nowhere"},
        {"name": "Twin", "parent": None},
        {"name": "twin", "parent": None},
    ]
    found = _mistakes({"traits": _traits(abilities=abilities)})
    assert {code for code, _ in found} == {"trait-circle", "unknown-parent", "duplicate-field"}
    orphans = {field for code, field in found if code == "unknown-parent"}
    assert orphans == {"traits.abilities[2].parent", "traits.abilities[3].parent"}


@pytest.mark.rule("BAR-TRAIT")
def test_what_the_rules_need_has_to_be_there() -> None:
    found = _mistakes(
        {"traits": _traits(attributes=[{"name": "Luck", "parent": None, "activity": "mental"}])}
    )
    assert {code for code, _ in found} == {"missing-attribute"}
    assert len(found) >= 1


@pytest.mark.rule("BAR-TRAUMA")
def test_a_chart_with_gaps_is_refused() -> None:
    row = {"penalty": 1, "other_penalty": 0, "healing_days": 1, "mental_healing_days": 1}
    rows = [
        {"from": 2, "name": "A", **row},
        {"from": 2, "name": "a", **row},
        {"from": 5, "name": "B"},
    ]
    found = _mistakes(
        {"chart": {"rows": rows}, "options": {"luck": True, "dice_phobes": "no"}, "moon": 1}
    )
    assert {code for code, _ in found} >= {"chart-not-rising", "duplicate-field"}
    assert ("wrong-type", "options.dice_phobes") in found
    assert {field for _, field in found} >= {"chart.rows[2].penalty", "options.luck", "moon"}


def test_a_campaign_that_cannot_be_used_changes_nothing() -> None:
    play = Play()
    assert play.refused(ChangeCampaign, GM, data={"chart": {"rows": []}}).code == "bad-campaign"
    assert play.refused(ChangeCampaign, ANN, data={}).code == "gm-only"


def test_new_trees_have_to_fit_what_is_in_play() -> None:
    play = Play().begin(ANN, "check", skill="Boats")
    kept = [node for node in _traits()["abilities"] if node["name"] != "Boats"]
    error = play.refused(ChangeCampaign, GM, data={"traits": _traits(abilities=kept)})
    assert error.code


@pytest.mark.rule("BAR-TRAUMA", "BAR-AUTO")
def test_a_campaign_of_its_own_counts_at_once() -> None:
    row = {"other_penalty": 0, "healing_days": 1, "mental_healing_days": 1}
    rows = [{"from": 1, "name": "Nick", "penalty": 7, **row}]
    data = {"chart": {"rows": rows}, "options": {"minor_npcs": False}}
    play = Play().do(ChangeCampaign, GM, data=data)
    assert any(isinstance(event, Notice) for event in play.events)
    assert play.adjust("Marek", "new wound", "physical 9").sheet("Marek").wounds[0].name == "Nick"
    play.begin(ANN, "attack", target="Rat", skill="Boats")
    assert play.check.data.opposed  # even a rat rolls now


def test_it_can_be_told_in_a_few_lines() -> None:
    lines = describe_campaign(DEFAULT_CAMPAIGN)
    kinds = ["abilities", "attributes", "chart", "dice_phobes", "minor_npcs"]
    assert [line.params["of"] for line in lines] == kinds
    assert lines[2].params["rows"] == tuple(
        f"{row.name} from {row.from_}" for row in DEFAULT_CAMPAIGN.chart.rows
    )
