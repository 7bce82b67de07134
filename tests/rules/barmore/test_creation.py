"""Making a character from typed texts: what is read, what is said of what cannot be, and back
again.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.systems.barmore.campaign import DEFAULT_CAMPAIGN, read_campaign
from rules.systems.barmore.sample_characters import roster
from rules.systems.barmore.sheet import read_armor, read_sheet, read_weapon
from rules.systems.barmore.sheet_view import CREATION_PAGES
from rules.table.forms.entry_fields import read_score
from rules.table.forms.fields import list_lines
from rules.table.people.sheets import draft_effects, draft_object, texts_of
from rules.table.state import Character
from tests.rules.barmore.play import ILKA, MAREK
from tests.sample_table import game

GAME = game("barmore")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Climbing 3", ("Climbing", 3)),
        ("First Aid: 2", ("First Aid", 2)),
        ("Speed = -1", ("Speed", -1)),
        ("Speed, +2", ("Speed", 2)),
        ("Speed \u22122", ("Speed", -2)),
        ("Climbing", None),
        ("3", None),
        ("", None),
        ("Climbing three", None),
    ],
)
@pytest.mark.rule("BAR-TRAIT")
def test_scores_as_people_write_them(line: str, found: tuple[str, int] | None) -> None:
    assert read_score(line) == found


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Sword", {"name": "Sword"}),
        (
            "Sword, +2, lethal, cutting",
            {"name": "Sword", "modifier": 2, "lethal": True, "kind": "cutting"},
        ),
        ("Club, -1, non-lethal", {"name": "Club", "modifier": -1, "lethal": False}),
        (
            "Bow, 3, unpowered, piercing",
            {"name": "Bow", "modifier": 3, "powered": False, "kind": "piercing"},
        ),
        ("Stare, mental", {"name": "Stare", "mental": True}),
    ],
)
@pytest.mark.rule("BAR-TRAUMA")
def test_weapons_as_people_write_them(line: str, found: dict[str, Any]) -> None:
    assert read_weapon(line) == found


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Coat, 1", {"name": "Coat", "rating": 1}),
        (
            "Mail, 3, against cutting / piercing, softens cutting",
            {
                "name": "Mail",
                "rating": 3,
                "covers": ["cutting", "piercing"],
                "converts": ["cutting"],
            },
        ),
        ("Calm, 2, mental", {"name": "Calm", "rating": 2, "mental": True}),
    ],
)
@pytest.mark.rule("BAR-ARMOR")
def test_armor_as_people_write_it(line: str, found: dict[str, Any]) -> None:
    assert read_armor(line) == found


@pytest.mark.parametrize("data", [MAREK, ILKA, *roster(DEFAULT_CAMPAIGN)])
def test_texts_make_the_sheet_they_were_made_of(data: dict[str, Any]) -> None:
    name, sheet = read_sheet(data, DEFAULT_CAMPAIGN)
    character = Character("k1", name, "p2", sheet)
    texts = texts_of(GAME, character)
    assert set(texts) == {field.key for page in CREATION_PAGES for field in page.form.fields}
    made, problems = draft_object(GAME, texts)
    assert problems == ()
    assert read_sheet(made, DEFAULT_CAMPAIGN) == (name, sheet)


def test_what_cannot_be_read_is_named_line_by_line() -> None:
    texts = {"attributes": "Speed 2\n\nSpeed 3\nfast", "abilities": "- Boats 1"}
    made, problems = draft_object(GAME, texts)
    assert [(error.code, error.params["field"]) for error in problems] == [
        ("duplicate-field", "attributes[1]"),
        ("unreadable-score", "attributes[2]"),
    ]
    assert made["abilities"] == {"Boats": 1}
    assert [
        line.params for page in CREATION_PAGES for line in draft_effects(GAME, page, texts)
    ] == [
        {"of": "attributes", "count": 1, "sum": 2},
        {"of": "abilities", "count": 1, "sum": 1},
    ]


def test_what_the_texts_leave_open_stays() -> None:
    name, sheet = read_sheet(MAREK, DEFAULT_CAMPAIGN)
    made, _ = draft_object(GAME, {"abilities": "Boats 4"}, Character("k1", name, "p2", sheet))
    _, changed = read_sheet(made, DEFAULT_CAMPAIGN)
    assert (changed.abilities, changed.weapons) == ((("Boats", 4),), sheet.weapons)


@given(
    st.dictionaries(
        st.sampled_from(["attributes", "abilities", "weapons", "armour", "equipment"]), st.text()
    )
)
def test_any_text_can_be_read(values: dict[str, str]) -> None:
    made, _ = draft_object(GAME, values)
    assert isinstance(made, dict)


def test_ready_characters_are_for_the_trees_that_ship() -> None:
    assert len(roster(DEFAULT_CAMPAIGN)) >= 4
    other = read_campaign(
        {"traits": {"abilities": [{"name": "Luck", "parent": None}], "attributes": _needed()}}
    )
    assert roster(other) == ()


def _needed() -> list[dict[str, Any]]:
    names = (
        "Reaction Time",
        "Speed",
        "Wits",
        "Muscle Power",
        "Toughness",
        "Physical Threshold",
        "Mental Threshold",
        "Immune System",
        "Stamina",
    )
    return [{"name": name, "parent": None, "activity": "physical"} for name in names]


def test_lists_lose_their_dashes() -> None:
    assert list_lines("- a\n\n  b  \n- \n-1") == ["a", "b", "-1"]
