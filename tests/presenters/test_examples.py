"""Each example that a text shows is accepted in the field that it stands for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, partial
from typing import Any, Final

import pytest

from bot.presenters.language.words import FIX_TEMPLATES, say_bare, say_fix
from rules.core.errors import InvalidInput, Problems, RulesError
from rules.core.record import Record
from rules.core.rng import ScriptedRng
from rules.registry import PLAYABLE
from rules.systems.barmore.sheet import CHARACTER as BARMORE
from rules.systems.barmore.sheet import read_share
from rules.systems.ebb.healing import TREAT_FORM
from rules.systems.ebb.sheet import CHARACTER as EBB
from rules.systems.ego.character.sheet import CHARACTER as EGO
from rules.systems.ego.character.sheet import example_of
from rules.systems.ego.formulas.reference_rows import SKILLS
from rules.systems.masterbook.character.sheet_io import CHARACTER as MASTERBOOK
from rules.table.actions import ImportCharacter
from rules.table.forms.entry_fields import Lines, Rows, Scores
from rules.table.forms.fields import Flag, FormContext, Number, Pick, Typed, never_hidden
from rules.table.forms.form import Field, Form
from rules.table.people.sheets import read_texts, text_fields
from rules.table.state import Settings, TableState
from tests.sample_table import GM, by, game, open_game, resolve

_SHEETS: Final = {"ebb": EBB, "barmore": BARMORE, "ego": EGO, "masterbook": MASTERBOOK}
#: Names of people mean something only at a table with them, as in the last test.
_NAMED: Final = ("caught", "also", "together", "toward")
#: The longest placeholder that a phone shows.
_PLACEHOLDER_MAX: Final = 60


def _fields_within(thing: object, seen: dict[int, object]) -> Iterator[Field]:
    """Yield the fields that a system's declaration holds, wherever they stand in it."""
    if id(thing) in seen or isinstance(thing, str | int | float | None):
        return
    seen[id(thing)] = thing
    if isinstance(thing, Flag | Number | Pick | Typed | Lines | Scores | Rows):
        yield thing
    if isinstance(thing, dict):
        for each in thing.values():
            yield from _fields_within(each, seen)
    elif isinstance(thing, tuple | list):
        for each in thing:
            yield from _fields_within(each, seen)
    elif isinstance(thing, partial):
        yield from _fields_within(thing.args, seen)
    elif type(thing).__module__.startswith("rules."):
        for name in dir(thing):
            value = None if name.startswith("__") else getattr(thing, name, None)
            if not callable(value) or isinstance(value, Record | partial):
                yield from _fields_within(value, seen)


@cache
def _hinted(key: str) -> tuple[tuple[str, Field], ...]:
    """The fields of a system that have a hint, each with its placeholder."""
    whole = (PLAYABLE[key], _SHEETS[key], TREAT_FORM if key == "ebb" else ())
    found: dict[str, tuple[str, Field]] = {}
    for field in _fields_within(whole, {}):
        if field.help is not None and "hint" in field.help.code:
            text = say_bare(field.help)
            found[f"{field.key} {text}"] = (text, field)
    return tuple(found.values())


def _examples(hint: str) -> list[str]:
    """What a placeholder shows to be typed: behind its colon, or both ends of a range."""
    _, colon, example = hint.partition(": ")
    if colon:
        return [example]
    ends = re.search(r"(-?\d+) to (-?\d+)", hint)
    return [] if ends is None else [ends[1], ends[2]]


def _problems(key: str, field: Field, text: str) -> list[str]:
    shown = field.replace(hidden_if=never_hidden)
    _, problems = Form((shown,)).read_draft({field.key: text}, FormContext(game(key)))
    return [f"{each.code} {each.params}" for each in problems]


@pytest.mark.parametrize("key", _SHEETS)
def test_every_placeholder_is_accepted_as_it_stands(key: str) -> None:
    typed = 0
    for hint, field in _hinted(key):
        for example in _examples(hint) if field.key not in _NAMED else ():
            typed += 1
            assert not _problems(key, field, example), (field.key, hint)
    assert typed >= 5


@pytest.mark.parametrize("key", _SHEETS)
def test_a_placeholder_with_a_number_shows_where_the_example_begins(key: str) -> None:
    """A hint with a digit is an example or a range, or else nothing would type it."""
    for hint, field in _hinted(key):
        if re.search(r"\d", hint):
            assert _examples(hint), (field.key, hint)


@pytest.mark.parametrize("key", _SHEETS)
def test_placeholders_of_creation_fit_a_phone(key: str) -> None:
    for field in text_fields(game(key)).values():
        if field.help is not None:
            assert len(say_bare(field.help)) <= _PLACEHOLDER_MAX, say_bare(field.help)


#: Examples of the texts above the fields of a step: game, step, field, what is typed.
ABOUT: Final = (
    ("barmore", "attributes", "attributes", "Charm -1"),
    ("ego", "skills", "skills", "Language (Elvish) 1"),
    ("ego", "skills", "skills", "Basketry 1; intellect"),
    ("ego", "powers", "powers", "Fire 3"),
    ("ego", "powers", "powers", "Fire; magic"),
    ("ego", "powers", "powers", "Flight 1; race"),
    ("ego", "things", "arms", "Assault rifle; 30/30; weight 9"),
    ("masterbook", "skills", "skills", "Fire Combat 2 (pistols 1)"),
    ("masterbook", "skills", "skills", "Basketry 1; dexterity"),
)


@pytest.mark.parametrize(("key", "step", "field", "example"), ABOUT)
def test_what_a_step_suggests_is_accepted(key: str, step: str, field: str, example: str) -> None:
    page = next(each for each in game(key).creation if each.key == step)
    assert page.about is not None and example in say_bare(page.about)
    assert not _problems(key, text_fields(game(key))[field], example)


def test_every_such_as_of_a_step_is_typed_here() -> None:
    for key in _SHEETS:
        for page in game(key).creation:
            said = "" if page.about is None else say_bare(page.about)
            listed = [row for row in ABOUT if row[:2] == (key, page.key)]
            assert said.count("such as") <= len(listed), said


#: Fixes with an example: the game and the field that it is typed into.
FIXES: Final = {
    "write-ability": ("ebb", "abilities"),
    "write-score": ("barmore", "abilities"),
    "ego-name-ability": ("ego", "skills"),
    "ego-write-arm": ("ego", "arms"),
    "ego-write-profile": ("ego", "profile"),
    "mb-write-skill": ("masterbook", "skills"),
    "mb-write-arm": ("masterbook", "arms"),
    "mb-write-effect": ("masterbook", "effects"),
    "mb-write-layer": ("masterbook", "armour"),
    "mb-write-drowning": ("masterbook", "drowning"),
    "mb-write-harm": ("masterbook", "harm"),
    "mb-name-attribute": ("masterbook", "skills"),
}
#: Fixes whose example is typed in a test of its own.
APART: Final = ("write-share", "ego-name-field")
_EXAMPLE: Final = re.compile(r"(?:such as |: )(.+)$")


def _fix(code: str) -> str:
    return say_fix(InvalidInput("not-a-number", field="x", value="x", fix=code)) or ""


@pytest.mark.parametrize("code", FIXES)
def test_the_example_of_a_fix_is_accepted(code: str) -> None:
    key, name = FIXES[code]
    found = _EXAMPLE.search(_fix(code))
    assert found is not None, _fix(code)
    for example in found[1].split(", or "):
        assert not _problems(key, _SHEETS[key].by_key[name], example), (code, example)


def test_every_fix_with_an_example_is_typed_here() -> None:
    for code in FIX_TEMPLATES:
        try:
            text = _fix(code)
        except (KeyError, TypeError, ValueError):
            continue  # it needs numbers of the refusal
        if re.search(r"such as |like this: |: \w.*\d", text):
            assert code in (*FIXES, *APART), (code, text)


def test_the_example_of_a_share_is_accepted() -> None:
    found = re.search(r"such as (.+)$", _fix("write-share"))
    assert found is not None
    assert read_share(1)(found[1]) == found[1]


@pytest.mark.parametrize("name", [each.name for each in SKILLS.values() if each.multiple])
def test_the_example_of_an_ego_skill_with_a_subject_is_accepted(name: str) -> None:
    example = example_of(SKILLS[name])
    assert "…" not in example
    assert not _creation_problems("ego", {"skills": f"{example} 1"})


@pytest.mark.parametrize("name", ["Faith", "Teaching", "Science", "Martial Arts"])
def test_the_example_of_a_masterbook_focus_is_accepted(name: str) -> None:
    (wrong,) = _creation_problems("masterbook", {"skills": f"{name} 1"})
    example = str(wrong.params["example"])
    assert "…" not in example
    assert not _creation_problems("masterbook", {"skills": f"{example} 1"})


def _creation_problems(key: str, draft: dict[str, Any]) -> list[RulesError]:
    try:
        read_texts(game(key), {"name": "Ada", **draft}, new=True)
    except Problems as error:
        return [*error.problems]
    return []


@pytest.mark.parametrize(("key", "name"), [("ego", "caught"), ("masterbook", "also")])
def test_examples_with_the_name_of_somebody_here_are_accepted(key: str, name: str) -> None:
    state = TableState(Settings("Riverside", key, ("p1",)))
    boris = ImportCharacter(**by(GM), data={"name": "Boris"}, npc=True)
    asking = FormContext(open_game(resolve(state, boris, ScriptedRng(())).state, GM))
    hint, field = next(each for each in _hinted(key) if each[1].key == name)
    shown = field.replace(hidden_if=never_hidden)
    _, problems = Form((shown,)).read_draft({name: _examples(hint)[0]}, asking)
    assert not problems
