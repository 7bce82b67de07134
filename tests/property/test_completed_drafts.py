"""Any draft of a character without mistakes, with the rest filled in, is a legal new character."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rules.core.errors import Problems, RulesError
from rules.registry import PLAYABLE, read_only_game
from rules.systems.barmore.campaign import read_campaign
from rules.systems.barmore.reference_rows import NAMED_ATTRIBUTES
from rules.systems.ebb.reference_rows import STARTING_ABILITIES
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.formulas.attributes import LOWEST
from rules.table.forms.entry_fields import Table
from rules.table.forms.fields import FormContext, Number, Pick, list_lines
from rules.table.people.sample_characters import complete_draft, field_entries, sample_text
from rules.table.people.sheets import read_texts, text_fields
from rules.table.state import Settings, TableState
from rules.table.system import Game
from tests.example_counts import examples

#: Trees with the attributes that rules name and few abilities.
_TREES: Final = {
    "attributes": [
        {"name": name, "parent": None, "activity": "physical"}
        for name in dict.fromkeys(NAMED_ATTRIBUTES)
    ],
    "abilities": [
        {"name": "Sailing", "parent": None},
        {"name": "Knots", "parent": "Sailing"},
        {"name": "Singing", "parent": None},
    ],
}
_EGO_SETTINGS: Final = (
    {},
    {"cbp": 60},
    {"cbp": 200, "currency": "$", "starting_funds": "100"},
    {"currency": "cr", "starting_funds": "3d6x10", "advantage_repeat_limit": 1},
    {"starting_funds": "0", "psionic_disciplines": True},
)


def _games() -> dict[str, Game]:
    found = {
        key: read_only_game(TableState(Settings("Riverside", key, ("p1",)))) for key in PLAYABLE
    }
    for number, own in enumerate(_EGO_SETTINGS):
        state = TableState(Settings("Riverside", "ego", ("p1",), own=own))
        found[f"ego {number}"] = read_only_game(state)
    campaign = read_campaign({"traits": _TREES})
    state = TableState(Settings("Riverside", "barmore", ("p1",)), campaign=campaign)
    found["barmore own trees"] = read_only_game(state)
    return found


GAMES: Final = _games()


def _problems(game: Game, draft: dict[str, Any]) -> tuple[RulesError, ...]:
    try:
        read_texts(game, draft, new=True)
    except Problems as error:
        return tuple(error.problems)
    return ()


def _field_key(problem: RulesError) -> str:
    """Key of the field that a problem is about, without the entry in it."""
    return str(problem.params["field"]).partition("[")[0].partition(".")[0]


def _is_mistake(draft: dict[str, Any], problem: RulesError) -> bool:
    """Whether more than what is still missing is wrong."""
    key = _field_key(problem)
    text = str(draft.get(key) or "")
    if key != "points" and not text.strip():
        return False
    if problem.code == "wrong-number":
        return problem.params["fix"] != "add-entries"
    if problem.code == "uneven-dice":
        room = STARTING_ABILITIES - len(list_lines(text))
        return int(str(problem.params["count"])) > room
    return True


def _without_mistakes(game: Game, draft: dict[str, Any]) -> dict[str, Any]:
    """Return the draft without the fields that hold mistakes.

    A draft that is thrown away whole costs as much as one that is tried.
    """
    while draft:
        problems = _problems(game, draft)
        mistaken = {_field_key(each) for each in problems if _is_mistake(draft, each)}
        if not mistaken & draft.keys():
            break
        draft = {key: value for key, value in draft.items() if key not in mistaken}
    return draft


def _has_room(name: str, draft: dict[str, Any]) -> bool:
    """Return whether MasterBook's points suffice for the Attributes still empty (MB-CHAR-02)."""
    if name != "masterbook":
        return True
    known = [int(draft[key]) for key in ATTRIBUTES if key in draft]
    missing = len(ATTRIBUTES) - len(known)
    return sum(known) + LOWEST * missing <= GAMES[name].setting("attribute_points")


@st.composite
def drafts(draw: st.DrawFn, game: Game) -> dict[str, Any]:
    """Some fields typed from sample characters, some numbers, and entries picked from menus."""
    samples = game.sheets.samples(game)
    draft: dict[str, Any] = {}
    for key, field in text_fields(game).items():
        way = draw(st.sampled_from(("empty", "sample", "part", "number", "menu")))
        text = sample_text(game, field, draw(st.sampled_from(samples)).get(key))
        if way == "sample":
            draft[key] = text
        elif way == "part" and isinstance(field, Table):
            entries = field_entries(field, text)
            draft[key] = "\n".join(entries[: draw(st.integers(0, len(entries)))])
        elif way == "number" and isinstance(field, Number):
            draft[key] = str(draw(st.integers(field.low, min(field.high, 20))))
        elif way == "menu" and isinstance(field, Table | Pick):
            for _ in range(draw(st.integers(1, 4))):
                asking = FormContext(game, None, "", draft)
                offered = [value for value, _ in field.choices_for(asking)]
                if offered:
                    picked = draw(st.sampled_from(offered))
                    if isinstance(field, Table):
                        picked = field.picked(draft.get(key, ""), picked)
                    draft[key] = picked
    return {key: value for key, value in draft.items() if value}


@pytest.mark.rule("EBB-CHAR", "EBB-DRAWBACK", "EGO-CHR-01", "BAR-TRAIT")
@pytest.mark.parametrize("name", GAMES)
@examples(30)
@given(data=st.data())
def test_a_completed_draft_is_a_legal_character(name: str, data: st.DataObject) -> None:
    game = GAMES[name]
    draft = _without_mistakes(game, data.draw(drafts(game)))
    assume(not any(_is_mistake(draft, each) for each in _problems(game, draft)))
    assume(_has_room(name, draft))
    made = complete_draft(game, draft)
    assert not _problems(game, made), (draft, made)
    for key, text in draft.items():
        kept = list_lines(str(text))
        assert list_lines(str(made[key]))[: len(kept)] == kept, "the player's own values stay"
    assert complete_draft(game, made) == made


@pytest.mark.parametrize("name", GAMES)
def test_an_empty_draft_becomes_somebody(name: str) -> None:
    game = GAMES[name]
    made = complete_draft(game, {})
    assert not _problems(game, made)
    assert made["name"]
    filled = [key for key in text_fields(game) if made.get(key)]
    assert len(filled) >= 8, "not only what is needed"


@pytest.mark.parametrize("name", GAMES)
def test_names_that_are_taken_are_left_alone(name: str) -> None:
    game = GAMES[name]
    taken: set[str] = set()
    for _ in range(12):
        made = complete_draft(game, {}, taken.__contains__)
        assert made["name"] not in taken
        assert not _problems(game, made)
        taken.add(made["name"])


def test_mistakes_stay_as_they_are_and_bring_no_others() -> None:
    game = GAMES["ebb"]
    draft = {"name": "Mika", "age": "old", "abilities": "Climbing, Fitness, d12\nnonsense"}
    before = {(each.code, each.params["field"]) for each in _problems(game, draft)}
    made = complete_draft(game, draft)
    assert {(each.code, each.params["field"]) for each in _problems(game, made)} <= before
    assert made["age"] == "old" and made["abilities"].startswith("Climbing, Fitness, d12\nnonsense")
