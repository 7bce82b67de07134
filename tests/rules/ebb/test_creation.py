"""Texts to sheets and back, the ready characters, and learning for Fate."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import Impossible, InvalidInput, Problems, RulesError
from rules.systems.ebb.ability_lines import read_ability
from rules.systems.ebb.resources import advancement_choices
from rules.systems.ebb.sample_characters import roster
from rules.systems.ebb.sheet import EbbSheet, effective_attributes, read_sheet
from rules.systems.ebb.sheet_view import CREATION_PAGES
from rules.systems.ebb.system import SYSTEM
from rules.table.actions import Actor, Advance, Learn
from rules.table.blocks import Text
from rules.table.people.sheets import draft_effects, read_texts, texts_of
from rules.table.state import Character
from tests.sample_table import ebb_character, game

BY: dict[str, Any] = {"who": Actor("p2"), "place": "1", "at": 1}
GOOD = {
    "name": "Mika Vann",
    "age": "31",
    "role": "Diver",
    "abilities": "Diving, Fitness, d8\nSwimming, Fitness\nKnots, Technical, d6\nPumps, "
    "Technical, d6\n"
    "Cold blood, Willpower, d6\nSigns, Intellect, d6\nListening, Alertness, d6\nPrices, "
    "Charisma, d6\n"
    "Currents, Zone, d6\nFirst aid, Education, d4",
    "drawbacks": "\n".join(f"Drawback {number}" for number in range(10)),
    "equipment": "- rope\n\n- knife\n",
}


def somebody(**changes: Any) -> Character[EbbSheet]:
    name, sheet = read_sheet(ebb_character("Mika", **changes), new=False)
    return Character("k1", name, "p2", sheet)


def learn(character: Character[EbbSheet], **changes: Any) -> Any:
    given: dict[str, Any] = {
        "skill": "Diving",
        "attribute": "Fitness",
        "drawback": "Cold feet",
        "explanation": "The flood.",
    }
    return SYSTEM.growth["learn"](game("ebb"), character, Learn(**BY, **(given | changes)))


# --- the ready ones -------------------------------------------------------------------------------


@pytest.mark.rule("EBB-CHAR", "EBB-DRAWBACK")
def test_every_ready_character_is_a_valid_newcomer_and_unlike_the_others() -> None:
    read = [read_sheet(data, new=True) for data in roster()]
    assert len(read) == 6
    assert len({name for name, _ in read}) == 6
    assert len({tuple(effective_attributes(sheet).items()) for _, sheet in read}) == 6
    abilities = [ability.name for _, sheet in read for ability in sheet.abilities]
    assert len(set(abilities)) == len(abilities) == 60
    for _, sheet in read:
        assert sheet.description
        assert sheet.equipment
        assert sheet.fate == 0
    assert {sum(a.sides == 8 for a in sheet.abilities) for _, sheet in read} == {1, 2, 3}


def test_nobody_shares_a_ready_character() -> None:
    first = roster()[0]
    first["name"] = "changed"
    assert roster()[0]["name"] != "changed"


# --- texts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "name", "group", "die"),
    [
        ("Climbing, Fitness, d8", "Climbing", "Fitness", "d8"),
        ("Climbing; fitness; 8", "Climbing", "Fitness", "d8"),
        ("Climbing, d8, Fit", "Climbing", "Fitness", "d8"),
        ("Climbing, Fitness", "Climbing", "Fitness", "d6"),
        ("First aid Education D4", "First aid", "Education", "d4"),
        ("First aid Education", "First aid", "Education", "d6"),
        ("Rifles, long, Alertness, d6", "Rifles, long", "Alertness", "d6"),
        ("Climbing, Fitniss, d8", "Climbing", "Fitniss", "d8"),
        ("Climbing, Fitness, d7", "Climbing", "Fitness", "d7"),
    ],
)
def test_an_ability_is_read_from_a_line(line: str, name: str, group: str, die: str) -> None:
    assert read_ability(line) == {"name": name, "group": group, "die": die}


@pytest.mark.parametrize("line", ["Climbing", "Climbing d8", "Climbing, d8", ",,,"])
def test_a_line_without_an_attribute_is_no_ability(line: str) -> None:
    with pytest.raises(InvalidInput, match="unreadable-ability"):
        read_ability(line)


@pytest.mark.rule("EBB-CHAR")
def test_good_texts_make_a_newcomer() -> None:
    read = read_texts(
        game(), {**GOOD, "portrait": "https://example.org/m.png", "notes": "owes Ilka"}, new=True
    )
    assert read["name"] == "Mika Vann"
    assert (read["portrait"], read["notes"]) == ("https://example.org/m.png", "owes Ilka")
    assert read["sheet"].age == 31
    assert read["sheet"].equipment == ("rope", "knife")
    assert effective_attributes(read["sheet"])["Technical"] == 1
    dice = ((1, 4), (8, 6), (1, 8))
    spread = tuple(Text("ebb-creation", {"dice": count, "sides": sides}) for count, sides in dice)
    assert draft_effects(game("ebb"), CREATION_PAGES[2], GOOD) == (
        Text(
            "ebb-creation",
            {
                "values": (
                    "Fitness 1", "Alertness 1", "Intellect 1", "Willpower 1",
                    "Charisma 1", "Education 1", "Technical 1", "Zone 1",
                )
            },
        ),
        Text("ebb-creation", {"count": 10, "spread": spread}),
    )  # fmt: skip


@pytest.mark.rule("EBB-CHAR", "EBB-DRAWBACK", "EBB-TIER")
def test_everything_that_is_wrong_is_named_at_once_and_once() -> None:
    values = {
        "name": "",
        "age": "thirty",
        "abilities": "Climbing, Fitness, d8\nnonsense\n\nKnots, Tecnical, d6\nPumps, "
        "Technical, d10",
        "drawbacks": "Proud",
        "portrait": "http://example.org/m.png",
        "notes": "x" * 2001,
    }
    with pytest.raises(Problems) as caught:
        read_texts(game(), values, new=True)
    found = [(each.code, each.params["field"]) for each in caught.value.problems]
    assert found == [
        ("not-a-number", "age"),
        ("unreadable-ability", "abilities[1]"),
        ("empty-text", "name"),
        ("unknown-attribute", "abilities[2].group"),
        ("die-too-high-for-new", "abilities[3].die"),
        ("wrong-number", "abilities"),
        ("uneven-dice", "abilities"),
        ("wrong-number", "drawbacks"),
        ("bad-portrait", "portrait"),
        ("too-long", "notes"),
    ]
    assert caught.value.params["count"] == len(found)


def test_a_sheet_and_its_texts_say_the_same() -> None:
    grown = somebody(
        age=40, tag="Eel", fate=7, scarring=["a burn"], assets=["a boat"], sacrificed={"Zone": 1},
        injuries=[{"text": "cut"}],
    )  # fmt: skip
    read = read_texts(game(), texts_of(game(), grown), new=True, character=grown)
    assert (read["name"], read["sheet"]) == (grown.name, grown.sheet)
    changed = read_texts(game(), {"role": "Diver"}, new=False, character=grown)
    assert (changed["sheet"].role, changed["sheet"].fate, changed["sheet"].injuries) == (
        "Diver",
        7,
        grown.sheet.injuries,
    )


@given(
    st.dictionaries(
        st.sampled_from([f.key for page in CREATION_PAGES for f in page.form.fields]), st.text()
    )
)
def test_any_texts_are_read_or_refused(values: dict[str, str]) -> None:
    for character in (None, somebody()):
        try:
            read_texts(game(), values, new=True, character=character)
        except RulesError as error:
            assert isinstance(error, Problems)


def test_the_steps_fit_into_dialogs() -> None:
    keys = [field.key for page in CREATION_PAGES for field in page.form.fields]
    assert len(set(keys)) == len(keys)
    assert all(1 <= len(page.form.fields) <= 5 for page in CREATION_PAGES)
    assert set(texts_of(game(), somebody())) == set(keys)


# --- learning -------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-FATE", "EBB-DRAWBACK", "EBB-CHAR")
def test_a_new_ability_costs_ten_fate_brings_a_drawback_and_moves_its_attribute() -> None:
    growth = learn(somebody(fate=12))
    sheet = growth.character.sheet
    assert (sheet.fate, len(sheet.abilities), len(sheet.drawbacks)) == (2, 11, 11)
    assert (sheet.abilities[-1].sides, sheet.drawbacks[-1]) == (4, "Cold feet")
    assert growth.lines == (
        Text(
            "ebb-learned",
            {"name": "Diving", "die": "d4", "group": "Fitness", "before": 1, "value": 2},
        ),
        Text("ebb-fate-paid", {"cost": 10, "left": 2}),
    )
    assert growth.private == (Text("ebb-new-drawback", {"text": "Cold feet"}),)
    with pytest.raises(Impossible) as caught:
        learn(growth.character, skill="Sinking")
    assert (caught.value.code, caught.value.params) == (
        "not-enough-fate",
        {"what": "fate", "have": 2, "need": 10},
    )


@pytest.mark.rule("EBB-FATE")
@pytest.mark.parametrize(
    ("changes", "error", "code"),
    [
        ({"explanation": " "}, InvalidInput, "empty"),
        ({"drawback": ""}, InvalidInput, "empty-text"),
        ({"skill": "climbing"}, Impossible, "known-already"),
        ({"attribute": "Luck"}, RulesError, "unknown-attribute"),
    ],
)
def test_learning_needs_all_that_belongs_to_it(
    changes: dict[str, str], error: type[RulesError], code: str
) -> None:
    with pytest.raises(error) as caught:
        learn(somebody(fate=12), **changes)
    assert caught.value.code == code


@pytest.mark.rule("EBB-FATE", "EBB-TIER")
def test_raising_costs_the_new_die_and_ends_at_d12() -> None:
    character = somebody(fate=22)
    for cost, left in ((10, 12), (12, 0)):
        growth = SYSTEM.growth["advance"](game("ebb"), character, Advance(**BY, skill="climb"))
        assert growth.lines[1] == Text("ebb-fate-paid", {"cost": cost, "left": left})
        character = growth.character
    assert character.sheet.abilities[0].sides == 12
    with pytest.raises(Impossible) as caught:
        SYSTEM.growth["advance"](game("ebb"), character, Advance(**BY, skill="Climbing"))
    assert caught.value.code == "highest-die"
    choices = advancement_choices(game("ebb"), character)
    assert "Climbing" not in [choice.value for choice in choices]
    with pytest.raises(Impossible) as caught:
        SYSTEM.growth["advance"](game("ebb"), character, Advance(**BY, skill="Running"))
    assert caught.value.params == {"what": "fate", "have": 0, "need": 8}
