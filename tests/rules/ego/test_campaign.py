"""What a campaign adds, what it makes of growing and creation, and what is wrong with a file or a
sheet.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import NotFound, Problems, RulesError
from rules.systems.ego.character.advancement import advancement_choices, buy_rise, find_rise, learn
from rules.systems.ego.character.creation import creation_budget, faults, read
from rules.systems.ego.character.sheet import (
    ABILITIES,
    Arm,
    EgoSheet,
    Power,
    Profile,
    Skill,
    Specialty,
    WornArmor,
    level_of,
    pool_of,
    read_sheet,
    write_sheet,
)
from rules.systems.ego.checks.roll_stages import sources_of
from rules.systems.ego.formulas import costs
from rules.systems.ego.formulas.reference_rows import SKILLS, Rows, rows_of
from rules.systems.ego.system import SYSTEM
from rules.table.actions import Actor, Learn
from rules.table.state import Character
from rules.table.system import Game
from tests.sample_table import game
from tests.schemas import faults as schema_faults
from tests.schemas import schema

EFFECTS = rows_of(Rows(), "effects")
WEAPONS = rows_of(Rows(), "weapons")

read_campaign = SYSTEM.campaign.read
write_campaign = SYSTEM.campaign.write
describe_campaign = SYSTEM.campaign.describe
OWN: dict[str, Any] = {
    "skills": [{"name": "Alchemy", "ability": "intellect"}],
    "weapons": [
        {"name": "Longbow", "damage": [{"dice": 2}], "muscle": 10, "cost": 30, "range": "bands"}
    ],
    "effects": [{"name": "Scrying", "most": 5, "discipline": "Sight"}],
    "traits": [{"name": "Offensive", "limit": 1, "bad": True, "text": "People take against you."}],
    "vehicles": [
        {
            "name": "Barge",
            "kind": "water",
            "sections": 4,
            "damage_points": 12,
            "speed_max": 2,
            "speed_min": 0,
            "acceleration": 1,
            "maneuverability": -2,
            "ar": 6,
        }
    ],
}


@pytest.mark.rule("EGO-ADV-01", "EGO-ADV-02", "EGO-SPC-03")
def test_what_a_campaign_adds_re_rolls_dice_too() -> None:
    haggling = {"name": "Haggling", "rerolls": 2}
    campaign = read_campaign(
        {
            "traits": [{"name": "Brawny", "limit": 2, "text": "Strong.", "when": "muscle"}],
            "skills": [{"name": "Trade", "ability": "intellect", "specialties": [haggling]}],
        }
    )
    sheet = EgoSheet(advantages=("Brawny", "Brawny", "Agile"))
    assert [each.dice for each in sources_of(sheet, campaign, ("muscle", "Haggling"))] == [2, 2]
    assert not sources_of(sheet, Rows(), ("muscle", "Haggling"))
    with pytest.raises(Problems):
        read_campaign({"traits": [{"name": "Brave", "limit": 1, "when": "courage"}]})


def _with(settings: dict[str, Any] | None = None, campaign: Rows | None = None) -> Game:
    found = game("ego", campaign)
    state = found.state
    return found.with_state(state.replace(settings=state.settings.replace(own=settings or {})))


@pytest.mark.rule("EGO-EQP-02", "EGO-SKL-03", "EGO-FX-01", "EGO-ADV-02", "EGO-VEH-02")
def test_a_campaign_adds_its_own_rows() -> None:
    campaign = read_campaign(OWN)
    assert read_campaign(write_campaign(campaign)) == campaign
    assert len(describe_campaign(campaign)) == len(OWN)
    assert rows_of(campaign, "weapons")["Longbow"].cost == 30 and "Longbow" not in WEAPONS
    assert {*rows_of(campaign, "skills")} == {*SKILLS, "Alchemy"}
    data = {
        "name": "Edda",
        "skills": [{"name": "alchemy", "level": 2}],
        "arms": [{"name": "longbow"}],
        "disadvantages": ["offensive"],
    }
    _, sheet = read_sheet(data, campaign)
    assert sheet.skills == (Skill("Alchemy", 2, ability="intellect"),)
    assert pool_of(sheet, "Alchemy") == 6
    with pytest.raises(Problems) as caught:
        read_sheet(data)
    assert [each.code for each in caught.value.problems] == [
        "not-in-tables",
        "not-in-tables",
        "not-in-tables",
    ]


@pytest.mark.parametrize(
    "bad",
    [
        {"weapons": [{"name": "Bow"}]},
        {"weapons": [{"name": "Bow", "damage": [{"dice": "two"}]}]},
        {"armour": [{"name": "", "ar": 3}]},
        {"armour": [{"name": "Shell", "ar": 10**9}]},
        {"spells": []},
        {"skills": "Alchemy"},
        {"skills": [{"name": "x\u0007", "ability": "intellect"}]},
    ],
)
def test_a_file_that_is_wrong_changes_nothing(bad: dict[str, Any]) -> None:
    with pytest.raises(Problems) as caught:
        read_campaign(bad)
    assert caught.value.code == "bad-campaign" and caught.value.problems[0].params["field"]


@pytest.mark.rule("EGO-PSI-01", "EGO-SET")
def test_disciplines() -> None:
    here = _with({"psionic_disciplines": True}, read_campaign(OWN))
    sheet = EgoSheet(skills=(Skill("Psionics", 1, "Sight"),))
    assert find_rise(here, sheet, "Scrying (Psionics)").cost == 0
    with pytest.raises(RulesError) as caught:
        find_rise(here, sheet, "Telepathy (Psionics)")
    assert caught.value.code == "ego-no-discipline"
    wrong = sheet.replace(powers=(Power("Telepathy", 0, "psionics"),))
    assert "ego-no-discipline" in [each.code for each in faults(here, wrong)]
    assert "ego-no-discipline" not in [each.code for each in faults(_with(), wrong)]


@pytest.mark.rule("EGO-SKL-03")
def test_a_language_that_is_only_spoken_has_a_level_more() -> None:
    sheet = EgoSheet(
        intellect=9, skills=(Skill("Language", 2, "French, spoken"), Skill("Language", 2, "Latin"))
    )
    assert level_of(sheet, "Language", "French, spoken") == 3
    other = EgoSheet(skills=(Skill("Language", 1, "Czech (Spoken only)"),))
    assert level_of(other, "Language", "Czech (Spoken only)") == 2
    assert level_of(sheet, "Language", "Latin") == 2
    assert pool_of(sheet, "Language", "French, spoken") == 6


@pytest.mark.rule("EGO-RAC-02", "EGO-CHR-01")
def test_a_disadvantage_that_pays_for_a_racial_effect_gives_no_points() -> None:
    sheet = EgoSheet(disadvantages=("Unlucky", "Unlucky"), powers=(Power("Flight", 1, "race"),))
    assert creation_budget(_with(), sheet).available == 102
    paid = sheet.replace(maxima=(("intellect", -2),))
    assert creation_budget(_with(), paid).available == 104


@pytest.mark.rule("EGO-SKL-02", "EGO-SET")
def test_a_limit_of_pools_stops_growing() -> None:
    sheet = EgoSheet(skills=(Skill("Gun Combat", 4),))
    assert find_rise(_with({"max_dice_pool": 9}), sheet, "Gun Combat").before == 4
    limited = _with({"max_dice_pool": 8})
    # A score whose next point is no die more may rise, as may one that is far from it.
    assert find_rise(limited, sheet.replace(agility=11), "Agility").before == 11
    with pytest.raises(RulesError, match="ego-pool-limit"):
        find_rise(limited, sheet.replace(agility=12), "Agility")
    assert find_rise(limited, sheet.replace(agility=12), "Muscle").kind == "ability"
    with pytest.raises(RulesError) as caught:
        find_rise(limited, sheet, "Gun Combat")
    assert caught.value.code == "ego-pool-limit"


@pytest.mark.rule("EGO-SKL-03", "EGO-EXP-01")
def test_skills_of_ones_own_are_learned_with_their_ability() -> None:
    action = {"who": Actor("p2"), "place": "1", "at": 1, "drawback": "", "explanation": ""}
    character = Character("k1", "Edda", "p2", EgoSheet(exp=3))
    grown = learn(_with(), character, Learn(**action, skill="Basketry", attribute="muscle"))
    assert grown.character.sheet.skills == (Skill("Basketry", 1, ability="muscle"),)
    assert grown.character.sheet.exp == 2
    piloting = learn(_with(), character, Learn(**action, skill="pilot", attribute="space"))
    assert piloting.character.sheet.skills == (Skill("Pilot", 1, "space"),)
    with pytest.raises(NotFound):
        learn(_with(), character, Learn(**action, skill="Basketry", attribute="luck"))
    with pytest.raises(RulesError) as caught:
        learn(_with(), grown.character, Learn(**action, skill="Basketry", attribute="muscle"))
    assert caught.value.code == "known-already"


levels = st.integers(0, 6)
sheets = st.builds(
    EgoSheet,
    **{each: st.integers(1, 16) for each in ABILITIES},
    skills=st.lists(
        st.sampled_from([n for n, r in SKILLS.items() if not r.multiple]), unique=True, max_size=4
    ).flatmap(
        lambda names: st.tuples(*(st.builds(Skill, st.just(name), levels) for name in names))
    ),
    advantages=st.lists(st.sampled_from(["Lucky", "Agile", "Stout"]), max_size=4).map(tuple),
    disadvantages=st.lists(st.sampled_from(["Unlucky", "Unattractive"]), max_size=3).map(tuple),
    powers=st.lists(st.builds(Power, st.sampled_from(list(EFFECTS)), levels), max_size=3).map(
        tuple
    ),
    arms=st.lists(st.builds(Arm, st.sampled_from(list(WEAPONS)), st.booleans()), max_size=3).map(
        tuple
    ),
    armour=st.none() | st.builds(WornArmor, st.just("Leather"), st.integers(0, 5), st.just(5)),
    profile=st.none()
    | st.builds(Profile, levels, levels, st.tuples(levels), st.integers(1, 50), levels),
    exp=st.integers(0, 60),
)


@pytest.mark.rule("EGO-SHT-01")
@given(sheets)
def test_a_sheet_is_read_as_it_was_written(sheet: EgoSheet) -> None:
    written = write_sheet("Somebody", sheet)
    assert read_sheet(written) == ("Somebody", sheet)
    assert schema_faults(written, schema("ego-character")) == []


@pytest.mark.rule("EGO-CHR-01")
@given(sheets)
def test_a_new_character_is_refused_exactly_where_something_is_wrong(sheet: EgoSheet) -> None:
    here = _with({"cbp": 150})
    found = list(faults(here, sheet))
    assert all(each.params["fix"] for each in found)
    assert ("ego-over-budget" in [each.code for each in found]) == (
        creation_budget(here, sheet).left < 0
    )
    try:
        _, made = read(here, write_sheet("Somebody", sheet), True)
    except Problems as error:
        assert [each.code for each in error.problems] == [each.code for each in found]
        return
    assert not found and made.karma >= 4 and made.exp == made.lethal == 0


@pytest.mark.rule("EGO-EXP-01", "EGO-EXP-02", "EGO-SPC-01", "EGO-RAC-01")
@given(sheets.map(lambda sheet: sheet.replace(profile=None)), st.data())
def test_whatever_is_offered_can_be_bought_or_is_too_dear(
    sheet: EgoSheet, data: st.DataObject
) -> None:
    here = _with()
    wanted = data.draw(
        st.sampled_from(advancement_choices(here, Character("k1", "Edda", "p2", sheet)))
    )
    rise = find_rise(here, sheet, wanted.value)
    if rise.cost > sheet.exp:
        with pytest.raises(RulesError):
            buy_rise(here, sheet, rise)
        return
    after = buy_rise(here, sheet, rise)
    assert after.exp == sheet.exp - rise.cost and after != sheet
    most = costs.maxima(dict(after.maxima))
    assert all(getattr(after, each) <= most[each] for each in ABILITIES)


@pytest.mark.rule("EGO-SPC-01")
def test_a_specialty_waits_for_its_skill() -> None:
    sheet = EgoSheet(skills=(Skill("Gun Combat", 2),), specialties=(Specialty("Sharpshooter", 1),))
    with pytest.raises(RulesError) as caught:
        find_rise(_with(), sheet, "Sharpshooter")
    assert (caught.value.params["base"], caught.value.params["cost"]) == (3, 3)
