"""Sheets: there and back, every mistake at once, weapons and Wounds by name, and who never
rolls.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from rules.core.errors import Problems, RulesError
from rules.systems.barmore.campaign import DEFAULT_CAMPAIGN, Campaign
from rules.systems.barmore.check_state import never_rolls
from rules.systems.barmore.sample_characters import roster
from rules.systems.barmore.sheet import (
    BarSheet,
    read_sheet,
    write_sheet,
)
from rules.systems.barmore.wounds import Weapon, wound_from
from rules.table.state import Character
from tests.rules.barmore.play import ILKA, MAREK, sheet


def _wounded(*degrees: int) -> BarSheet:
    found = sheet(MAREK)
    for degree in degrees:
        wound = wound_from(DEFAULT_CAMPAIGN.chart, "physical", degree, 100)
        assert wound is not None
        found = found.with_wound(wound)
    return found


@pytest.mark.parametrize(
    "data",
    [MAREK, ILKA, {"name": "Rat"}, {"name": "Boss", "minor": False}, *roster(DEFAULT_CAMPAIGN)],
)
@pytest.mark.rule("BAR-TRAIT")
def test_there_and_back(data: dict[str, Any]) -> None:
    name, found = read_sheet(data, DEFAULT_CAMPAIGN)
    written = json.loads(json.dumps(write_sheet(name, found)))
    assert read_sheet(written, DEFAULT_CAMPAIGN) == (name, found)


@pytest.mark.rule("BAR-TRAUMA", "BAR-HEAL")
def test_wounds_travel_along() -> None:
    found = _wounded(2, 4, 12)
    assert read_sheet(json.loads(json.dumps(write_sheet("Marek", found))), DEFAULT_CAMPAIGN) == (
        "Marek",
        found,
    )


@pytest.mark.rule("BAR-TRAUMA", "BAR-HEAL")
def test_a_number_of_a_wound_is_never_used_twice() -> None:
    found = _wounded(2, 4)
    assert [wound.number for wound in found.wounds] == [1, 2]
    healed = found.replace(wounds=())
    _, read = read_sheet(json.loads(json.dumps(write_sheet("Marek", healed))), DEFAULT_CAMPAIGN)
    wound = wound_from(DEFAULT_CAMPAIGN.chart, "physical", 2, 100)
    assert wound is not None
    assert [wound.number for wound in read.with_wound(wound).wounds] == [3]
    assert sheet(MAREK, wounds=[{"name": "x", "number": 7}]).last_wound == 7
    assert sheet(MAREK, wounds=[{"name": "x", "number": 7}], last_wound=9).last_wound == 9


def test_every_mistake_is_named_at_once() -> None:
    data = {
        "nam": "x",
        "abilities": {
            "Flying": 1,
            "boats": 1,
            "Boats": 2,
            "Climbing": -1,
            "Riding": 31,
            "Cars": "two",
        },
        "attributes": {"Speed": -31, "Body": True},
        "weapons": [{"modifier": 99}, 3],
        "armour": [{"name": "x", "covers": "cutting"}],
        "wounds": [
            {"name": "x", "kind": "spiritual", "activity": "party", "healed": "4/3", "factor": "x"}
        ],
        "minor": "yes",
    }
    with pytest.raises(Problems) as caught:
        read_sheet(data, DEFAULT_CAMPAIGN)
    found = {(error.code, error.params["field"]) for error in caught.value.problems}
    assert found >= {
        ("not-in-tree", "abilities.Flying"),
        ("duplicate-field", "abilities.Boats"),
        ("out-of-range", "abilities.Climbing"),
        ("out-of-range", "abilities.Riding"),
        ("wrong-type", "abilities.Cars"),
        ("out-of-range", "attributes.Speed"),
        ("wrong-type", "attributes.Body"),
        ("out-of-range", "weapons[0].modifier"),
        ("wrong-type", "weapons[1]"),
        ("wrong-type", "armour[0].covers"),
        ("wrong-type", "wounds[0].kind"),
        ("wrong-type", "wounds[0].activity"),
        ("wrong-type", "wounds[0].healed"),
        ("wrong-type", "wounds[0].factor"),
        ("wrong-type", "minor"),
    }
    assert {error.params["field"] for error in caught.value.problems} >= {
        "nam",
        "name",
        "weapons[0].name",
    }


def test_weapons_by_their_beginning() -> None:
    marek = sheet(MAREK)
    assert marek.find_weapon("boat") == marek.weapons[0]
    assert marek.find_weapon("") == Weapon("", lethal=False)
    assert marek.find_weapon("a rock") == Weapon("a rock")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("2", 2),
        ("2 Moderate (physical)", 2),
        ("#2 Moderate (physical)", 2),
        ("#2", 2),
        ("mod", 2),
        ("LIGHT", 1),
    ],
)
def test_wounds_by_number_or_name(text: str, number: int) -> None:
    assert _wounded(2, 4).find_wound(text, "injury").number == number


@pytest.mark.parametrize(
    ("text", "code"), [("9", "unknown-wound"), ("deep", "unknown-wound"), ("", "which-one")]
)
def test_wounds_that_are_none(text: str, code: str) -> None:
    with pytest.raises(RulesError, match=code):
        _wounded(2, 4).find_wound(text, "injury")


def test_numbers_that_clash_are_given_anew() -> None:
    data = json.loads(
        json.dumps(write_sheet("Marek", _wounded(2, 4))).replace('"number": 2', '"number": 1')
    )
    assert [wound.number for wound in read_sheet(data, DEFAULT_CAMPAIGN)[1].wounds] == [1, 2]


@pytest.mark.rule("BAR-AUTO")
def test_who_never_rolls() -> None:
    def never(
        own: BarSheet, campaign: Campaign = DEFAULT_CAMPAIGN, owner: str | None = None
    ) -> bool:
        return never_rolls(Character("k1", "Somebody", owner, own), campaign)

    assert never(BarSheet())
    assert not never(sheet(MAREK))
    assert never(sheet(MAREK, minor=True))
    assert not never(BarSheet(minor=False))
    assert not never(BarSheet(), Campaign(minor_npcs=False))
    assert not never(BarSheet(), owner="p2") and not never(sheet(MAREK, minor=True), owner="p2")
