"""The sample tables and the documented example can be imported; the schema says what the importer
does.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bot.samples import Sample, load_sample, sample_keys
from rules.registry import SYSTEMS
from rules.systems.ebb.reference_rows import ATTRIBUTES, DIE_SIDES
from rules.systems.ebb.sheet import (
    HIGHEST_AGE,
    HIGHEST_FATE,
    HIGHEST_SACRIFICE,
    LONGEST_ENTRY,
    LONGEST_TEXT,
    MOST_ABILITIES,
    MOST_ENTRIES,
    SEVERITIES,
    Injury,
    read_sheet,
    write_sheet,
)
from rules.table.people.common_fields import LONGEST_NAME, NOTES_MAX, PORTRAIT_MAX, TABLE_FORM
from tests.sample_table import game
from tests.schemas import faults, schema

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = schema("ebb-character")


def test_the_tour_says_how_many_play_at_each_table() -> None:
    counts = {key: len(load_sample(key).players) for key in sample_keys()}
    assert counts.pop("masterbook") == 3 and {*counts.values()} == {2}
    tour = (ROOT / "docs/tour.md").read_text(encoding="utf-8")
    assert "as the GM and two players, or three at the MasterBook table." in tour


def own_people(sample: Sample) -> list[dict[str, Any]]:
    return [data for player in sample.players for data in player.characters]


def documented_characters() -> list[dict[str, Any]]:
    """The characters of the documentation, in the order of its chapters."""
    text = (ROOT / "docs/characters.md").read_text(encoding="utf-8")
    return [
        json.loads(block)
        for block in re.findall(r"^```json\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    ]


@pytest.fixture
def example() -> dict[str, Any]:
    return documented_characters()[0]


@pytest.fixture(params=sample_keys())
def sample(request: pytest.FixtureRequest) -> Sample:
    return load_sample(request.param)


def test_there_are_samples_and_no_others() -> None:
    assert sample_keys() == ("ebb", "barmore", "ego", "masterbook")
    with pytest.raises(KeyError):
        load_sample("nothing")


def test_a_sample_is_a_whole_table(sample: Sample) -> None:
    assert sample.system in SYSTEMS
    assert len(sample.places) >= 3
    assert len(sample.players) in (2, 3)
    people = [sample.gm, *(player.name for player in sample.players)]
    assert len(set(people)) == 1 + len(sample.players)
    assert len(sample.hints) >= 3
    assert {hint.who for hint in sample.hints} <= set(people)
    assert all(hint.paste.startswith("/") for hint in sample.hints)
    assert all(player.characters for player in sample.players)


def test_characters_follow_the_rules_of_creation(sample: Sample) -> None:
    rules = game(sample.system, **sample.settings)
    names = [rules.sheets.read(rules, data, True)[0] for data in own_people(sample)]
    names += [rules.sheets.read(rules, npc.data, False)[0] for npc in sample.npcs]
    assert len(set(names)) == len(names)


def test_every_file_of_a_sample_is_used(sample: Sample) -> None:
    folder = ROOT / "bot/samples" / sample.key
    files = {path.name for path in folder.iterdir()} - {"table.json"}
    assert len(files) == len(own_people(sample)) + len(sample.npcs)


def test_the_documented_example_is_a_new_character(example: dict[str, Any]) -> None:
    name, sheet = read_sheet(example, new=True)
    assert name == "Ilka Soren"
    assert len(sheet.abilities) == 10
    assert faults(example, SCHEMA) == []


def test_ebb_samples_match_the_schema() -> None:
    table = load_sample("ebb")
    for data in [*own_people(table), *(npc.data for npc in table.npcs)]:
        assert faults(data, SCHEMA) == []
        name, sheet = read_sheet(data, new=False)
        assert faults(write_sheet(name, sheet), SCHEMA) == []


def test_the_ready_characters_match_the_schema() -> None:
    assert [faults(data, SCHEMA) for data in game().sheets.ready(game())] == [[]] * 6


def test_the_schema_finds_mistakes(example: dict[str, Any]) -> None:
    wrong = {
        **example,
        "hat": "red",
        "age": 1000,
        "fate": "2",
        "abilities": [{"name": "", "die": "d7"}],
    }
    del wrong["drawbacks"]
    assert faults(wrong, SCHEMA) == [
        "$: no drawbacks",
        "$.age: range",
        "$.fate: not ['integer']",
        "$.abilities[0]: no group",
        "$.abilities[0].name: length",
        "$.abilities[0].die: 'd7'",
        "$: hat?",
    ]


def test_the_schema_knows_the_fields_and_limits_of_the_importer(example: dict[str, Any]) -> None:
    fields = SCHEMA["properties"]
    assert set(fields) == set(write_sheet(*read_sheet(example))) | set(TABLE_FORM.keys)
    assert (fields["portrait"]["maxLength"], fields["notes"]["maxLength"]) == (
        PORTRAIT_MAX,
        NOTES_MAX,
    )
    assert fields["name"]["maxLength"] == LONGEST_NAME
    assert (fields["age"]["maximum"], fields["fate"]["maximum"]) == (HIGHEST_AGE, HIGHEST_FATE)
    for text in ("tag", "group", "country", "sex", "role", "renown", "description"):
        assert fields[text]["maxLength"] == LONGEST_TEXT
    for entries in ("drawbacks", "scarring", "equipment", "assets"):
        assert fields[entries]["items"]["maxLength"] == LONGEST_ENTRY
    for points in ("attributes", "sacrificed"):
        assert tuple(fields[points]["properties"]) == ATTRIBUTES
        assert {each["maximum"] for each in fields[points]["properties"].values()} == {
            HIGHEST_SACRIFICE
        }
    assert fields["abilities"]["maxItems"] == fields["drawbacks"]["maxItems"] == MOST_ABILITIES
    for entries in ("injuries", "scarring", "equipment", "assets"):
        assert fields[entries]["maxItems"] == MOST_ENTRIES
    ability, injury = (
        fields["abilities"]["items"]["properties"],
        fields["injuries"]["items"]["properties"],
    )
    assert tuple(ability["group"]["enum"]) == ATTRIBUTES
    assert ability["name"]["maxLength"] == injury["text"]["maxLength"] == LONGEST_ENTRY
    assert ability["die"]["enum"] == [f"d{sides}" for sides in DIE_SIDES]
    assert tuple(injury["severity"]["enum"]) == SEVERITIES
    assert set(injury) == set(Injury.__struct_fields__)


def test_the_barmore_example_and_samples_match_the_schema() -> None:
    ebb, example = documented_characters()
    table, barmore = load_sample("barmore"), schema("barmore-character")
    name, sheet = game("barmore").sheets.read(game("barmore"), example, True)
    assert name == "Ossi Brandt" != ebb["name"]
    assert dict(sheet.abilities)["Mechanics"] == 3
    for data in [example, *own_people(table), *(npc.data for npc in table.npcs)]:
        assert faults(data, barmore) == []


@pytest.mark.parametrize(("key", "title"), [("ebb", "EBB"), ("barmore", "Barmore's dice pool")])
def test_every_field_is_documented(key: str, title: str) -> None:
    text = (ROOT / "docs/characters.md").read_text(encoding="utf-8")
    chapter = text.partition(f"\n### {title}\n")[2].partition("\n### ")[0]
    fields = schema(f"{key}-character")["properties"]
    inner = {
        name for field in fields.values() for name in field.get("items", {}).get("properties", {})
    }
    assert [name for name in {*fields, *inner} if f"`{name}`" not in chapter] == []


def test_the_ebb_table_offers_a_climb_a_fight_and_an_anomaly() -> None:
    sample = load_sample("ebb")
    told = "\n".join(hint.paste for hint in sample.hints)
    for command in ("/check", "/attack", "/initiative", "/ebb anomaly"):
        assert command in told
    names = {str(npc.data["name"]) for npc in sample.npcs} | {
        str(each["name"]) for each in own_people(sample)
    }
    named = re.findall(r"(?:target|npc|as): ([A-Z][\w ]+?)(?: \d)?(?=[,; ]| target|$)", told)
    assert named, "the hints name people"
    assert all(any(name.startswith(each) for name in names) for each in named), named
    everybody = [*own_people(sample), *(npc.data for npc in sample.npcs)]
    skills = {ability["name"] for each in everybody for ability in each["abilities"]}
    assert set(re.findall(r"skill: (.+?) (?=approach|attribute)", told)) <= skills


def test_the_barmore_table_offers_a_check_a_fight_in_phases_and_a_complex_action() -> None:
    sample = load_sample("barmore")
    told = "\n".join(hint.paste for hint in sample.hints)
    for command in (
        "/odds",
        "/barmore act",
        "/attack",
        "/barmore task roll",
        "/barmore team",
        "/gm time",
    ):
        assert command in told
    done = [each.action for each in sample.prepared]
    for action in ("StartTask", "StartEncounter", "BeginAction", "Begin", "Choose"):
        assert action in done
    people = {sample.gm, *(player.name for player in sample.players)}
    assert {each.who for each in sample.prepared} <= people
    names = {str(npc.data["name"]) for npc in sample.npcs} | {
        str(each["name"]) for each in own_people(sample)
    }
    assert set(re.findall(r"target: (\w+ \w+)", told)) <= names
