"""Sheets of EGO: what follows from them, reading and writing them."""

from __future__ import annotations

from typing import Any, Final

import pytest

from rules.core.errors import InvalidInput, Problems
from rules.systems.ego.character import pools
from rules.systems.ego.character.sheet import (
    EgoSheet,
    Power,
    Profile,
    Skill,
    Specialty,
    ability_dice,
    lift,
    pool_of,
    read_sheet,
    write_sheet,
)
from rules.systems.ego.formulas.reference_rows import SHIPPED_ROWS, Rows
from rules.systems.ego.settings import SETTINGS, read_funds
from rules.table.settings.table_settings import REACTION_SETTINGS

WHOLE: Final[dict[str, Any]] = {
    "name": "Dirk",
    "race": "Elf",
    "maxima": {"agility": 2, "vitality": -2},
    "height": 70,
    "sketch": "Tall.",
    "muscle": 8,
    "agility": 16,
    "intellect": 6,
    "vitality": 8,
    "skills": [
        {"name": "Gun Combat", "level": 3},
        {"name": "Language", "level": 1, "field": "French, spoken"},
        {"name": "Basketry", "level": 1, "ability": "intellect"},
    ],
    "specialties": [
        {"name": "Sharpshooter", "level": 1},
        {"name": "Melee Weapon", "level": 1, "field": "Dagger"},
    ],
    "powers": [{"name": "Enhanced Muscle", "rating": 2, "source": "race"}],
    "advantages": ["Lucky", "Lucky", "Agile"],
    "disadvantages": ["Unlucky"],
    "armour": "Leather 4/5",
    "arms": [{"name": "Assault rifle", "drawn": True, "rounds": 20, "magazine": 30, "weight": 9}],
    "karma": 12,
    "lethal": 1,
    "magic": 4,
}


@pytest.mark.rule("EGO-SHT-01")
def test_a_sheet_comes_back_as_it_was() -> None:
    name, sheet = read_sheet(WHOLE)
    written = write_sheet(name, sheet)
    assert read_sheet(written) == (name, sheet)
    assert {key: written[key] for key in WHOLE if key not in ("skills", "specialties", "arms")} == {
        key: value for key, value in WHOLE.items() if key not in ("skills", "specialties", "arms")
    }


@pytest.mark.rule("EGO-SHT-01", "EGO-SKL-03", "EGO-ADV-02")
def test_every_violation_is_told_at_once() -> None:
    broken = {
        "name": "Dirk",
        "muscle": -1,
        "skills": [{"name": "Gun Fighting", "level": 2}, {"name": "Pilot", "level": 1}],
        "specialties": [{"name": "Sniping", "level": 1}],
        "advantages": ["Rich"],
        "armour": "Cardboard",
        "armor": "Leather",
    }
    with pytest.raises(Problems) as caught:
        read_sheet(broken)
    found = {each.params["field"]: each.code for each in caught.value.problems}
    assert found == {
        "muscle": "out-of-range",
        "skills[0]": "not-in-tables",
        "skills[1]": "ego-needs-field",
        "specialties[0].name": "not-in-tables",
        "advantages[0]": "not-in-tables",
        "armour": "not-in-tables",
        "armor": "unknown-field",
    }


def test_several_skills_on_one_line_are_no_skill_of_ones_own() -> None:
    one = {"name": "Gun Combat 3, Stealth 2, Swimming", "level": 1, "ability": "muscle"}
    with pytest.raises(Problems) as caught:
        read_sheet(WHOLE | {"skills": [one]})
    (found,) = [each for each in caught.value.problems if each.params["field"] == "skills[0]"]
    assert (found.code, found.params["fix"]) == ("not-in-tables", "ego-split-lines")
    own = {"name": "Basketry, nets and ropes", "level": 1, "ability": "muscle"}
    _, sheet = read_sheet(WHOLE | {"skills": [*WHOLE["skills"], own]})
    assert sheet.skills[-1].name == "Basketry, nets and ropes"


@pytest.mark.rule("EGO-CHR-03", "EGO-FX-05", "EGO-LFT-01")
def test_dice_of_abilities() -> None:
    scores = (0, 3, 4, 6, 7, 9, 10, 12, 13, 15, 16, 17, 18, 19, 20)
    found = [ability_dice(EgoSheet(muscle=each), "muscle") for each in scores]
    assert found == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8]
    strong = EgoSheet(
        muscle=10, powers=(Power("Enhanced Muscle", 2), Power("Enhanced Muscle", 1, "artifact"))
    )
    assert ability_dice(strong, "muscle") == 7
    assert lift(strong) == 200 + 700


@pytest.mark.rule("EGO-NME-01")
def test_an_enemy_has_its_own_dice() -> None:
    orc = EgoSheet(profile=Profile(5, 2, (4,), 12, 5))
    assert [ability_dice(orc, key) for key in pools.ABILITIES] == [0, 2, 0, 4]


@pytest.mark.rule("EGO-SKL-02", "EGO-SPC-02", "EGO-CHR-05")
def test_what_a_pool_consists_of() -> None:
    sheet = EgoSheet(
        agility=9,
        intellect=12,
        skills=(Skill("Stealth", 2), Skill("Social Skills", 4), Skill("Pilot", 1, "air")),
        specialties=(Specialty("Persuasion", 3),),
    )

    def terms(name: str, ability: str = "") -> tuple[tuple[str, int], ...]:
        return pools.terms(sheet, pools.find_source(sheet, Rows(), name), ability)

    assert terms("stealth") == (("Stealth", 2), ("Agility", 3))
    assert terms("stealth", "intellect") == (("Stealth", 2), ("Intellect", 4)), "following somebody"
    assert terms("persuasion") == (("Persuasion", 3),), (
        "neither levels of the skill nor its ability"
    )
    assert terms("climbing") == (("Climbing", 0), ("Muscle", 4))
    assert terms("pilot") == (("Pilot (air)", 1), ("Agility", 3))
    assert pool_of(sheet, "Stealth") == 5
    for name, ability in (("stealth", "muscle"), ("persuasion", "intellect")):
        with pytest.raises(InvalidInput):
            terms(name, ability)


def test_every_setting_has_its_usual_value() -> None:
    usual = {each.key: each.default for each in SETTINGS.fields if each not in REACTION_SETTINGS}
    assert (
        usual["cbp"] == 100
        and usual["advantage_repeat_limit"] == 3
        and usual["opposed_tie"] == "ask"
    )
    assert usual["damage_halving"] == "per_die" and usual["collision_multiplier_objects"] is True
    assert [key for key, value in usual.items() if value is False] == [
        "untrained_plus_one",
        "excess_successes_to_damage",
        "max_range_rule",
        "dodge_vs_ranged",
        "psionic_disciplines",
        "exp_buckets",
    ]


@pytest.mark.rule("EGO-EQP-01")
def test_how_funds_are_written() -> None:
    assert [read_funds(each) for each in ("", "5000", "3D6 x 10", "2d6")] == [
        "",
        "5000",
        "3d6x10",
        "2d6x1",
    ]
    with pytest.raises(InvalidInput):
        read_funds("much")


def test_what_no_table_explains_is_on_no_sheet() -> None:
    """EGO-OP-14: of some disadvantages only the name is left."""
    (lost,) = [each.name for each in SHIPPED_ROWS.traits if not (each.limit or each.text)]
    with pytest.raises(Problems) as caught:
        read_sheet(WHOLE | {"disadvantages": [lost]})
    assert caught.value.problems[0].code == "not-in-tables"
