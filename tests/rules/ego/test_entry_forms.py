"""Entries of a new character as forms: what they ask, what they tell, and which lines they make."""

from __future__ import annotations

from typing import Any, Final

import pytest

from rules.registry import read_only_game
from rules.systems.ego.character.creation import PAGES
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms.entry_fields import Table
from rules.table.forms.fields import FormContext
from rules.table.forms.form import Form
from rules.table.people.sheets import draft_state, draft_warnings
from tests.rules.ego.play import table

FIELDS: Final[dict[str, Any]] = {
    field.key: field for page in PAGES for field in page.form.fields if isinstance(field, Table)
}


def _asking(values: Values, **settings: Any) -> FormContext:
    return FormContext(read_only_game(table(**settings)), values=values)


def _form(key: str, values: Values, around: Values | None = None) -> Form:
    asking = _asking(values)
    return FIELDS[key].row(asking.replace(around=around or {}), values)


def _lines(key: str, values: Values, around: Values | None = None) -> list[Text]:
    return [*FIELDS[key].shows(_asking(values).replace(around=around or {}))]


def _labels(form: Form, key: str) -> list[Text]:
    return [label for _, label in form.by_key[key].choices_for(_asking({}))]


@pytest.mark.rule("EGO-SHT-01")
@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("skills", "Stealth 2"),
        ("skills", "Pilot (ground) 12"),
        ("skills", "Language (Elvish) 1"),
        ("skills", "Basketry 1; intellect"),
        ("specialties", "Sharpshooter 1"),
        ("specialties", "Melee Weapon (Dagger) 2"),
        ("powers", "Fire 3"),
        ("powers", "Fire; magic"),
        ("powers", "Flight 1; race"),
        ("arms", "Assault rifle; drawn; 20/30; spare 60; weight 9; skill Gunnery"),
        ("arms", "Dagger"),
        ("spare_armour", "Chain 9/10"),
        ("spare_armour", "Old coat 2/3"),
        ("advantages", "Lucky"),
        ("disadvantages", "Unlucky"),
        ("maxima", "agility -2"),
    ],
)
def test_an_entry_that_is_opened_and_kept_is_as_it_was_typed(key: str, line: str) -> None:
    field = FIELDS[key]
    read = field.read_entry(line)
    form = _form(key, read)
    assert {each for each, value in read.items() if value} <= set(form.keys)
    found, problems = form.read_draft({each: read.get(each) for each in form.keys}, _asking(read))
    assert problems == ()
    assert field.write_entry(found) == line
    assert field.entry_problems(line, _asking({})) == ()


@pytest.mark.rule("EGO-SKL-01", "EGO-SKL-02")
def test_a_skill_asks_what_it_needs_and_tells_its_dice() -> None:
    around = {"agility": "8"}
    assert _form("skills", {"level": 1}).keys == ("name", "level")
    assert _form("skills", {"name": "Pilot"}).keys == ("name", "field", "level")
    assert _form("skills", {"name": "Language"}).keys == ("name", "field", "level")
    assert _form("skills", {"name": "Basketry"}).keys == ("name", "ability", "level")
    stealth = _form("skills", {"name": "Stealth"}, around)
    second = _labels(stealth, "level")[1]
    assert second.params == {"level": 2, "points": 3, "dice": 5}
    (line,) = _lines("skills", {"name": "Stealth", "level": 2}, around)
    assert line.params == {"name": "Stealth", "level": 2, "dice": 5}
    assert _lines("skills", {"level": 2}) == []
    named, _ = stealth.read_draft({"name": "gun combat", "level": 1}, _asking({}))
    assert named["name"] == "Gun Combat"


@pytest.mark.rule("EGO-SPC-01")
def test_a_specialty_tells_the_level_that_its_skill_lacks() -> None:
    around = {"skills": "Melee Combat 2", "arms": "Sword, Long"}
    blade = {"name": "Melee Weapon", "field": "Sword, Long", "level": 2}
    form = _form("specialties", blade, around)
    weapon, *_ = [value for value, _ in form.by_key["field"].choices_for(_asking({}))]
    assert weapon == "Sword, Long", "those of the draft come first"
    first, second, *_ = _labels(form, "level")
    assert "needs" not in first.params and second.params["needs"] == 3
    (line,) = _lines("specialties", blade, around)
    assert (line.params["skill"], line.params["needs"]) == ("Melee Combat", 3)
    assert _lines("specialties", {**blade, "level": 1}, around) == []


@pytest.mark.rule("EGO-POW-01", "EGO-MAG-01")
def test_a_power_begins_with_a_source_that_the_character_has() -> None:
    start = FIELDS["powers"].starts
    begun = {
        skill: start(_asking({"skills": skill}))[0][1]
        for skill in ("", "Magic 1", "Psionics 1", "Superpowers 2\nMagic 1")
    }
    assert begun == {
        "": {"source": "race", "rating": 1},
        "Magic 1": {"source": "magic"},
        "Psionics 1": {"source": "psionics"},
        "Superpowers 2\nMagic 1": {"source": "superpowers", "rating": 1},
    }
    rated = _form("powers", {"name": "Natural Weapon", "source": "superpowers"})
    assert [value for value, _ in rated.by_key["rating"].choices_for(_asking({}))] == [1, 2, 3, 4]
    assert _form("powers", {"source": "magic", "rating": 3}).keys == ("name", "source")
    around = {"skills": "Superpowers 2", "powers": "Flight 1"}
    (line,) = _lines("powers", {"name": "Fire", "source": "superpowers", "rating": 2}, around)
    assert line.params == {"levels": 4, "used": 3}


@pytest.mark.rule("EGO-RNG-05")
def test_rounds_are_asked_of_a_weapon_that_fires() -> None:
    assert "rounds" not in _form("arms", {"name": "Dagger"}).keys
    assert {"rounds", "magazine", "spare"} <= set(_form("arms", {"name": "Assault rifle"}).keys)
    around = {"skills": "Melee Combat 2", "agility": "8"}
    (line,) = _lines("arms", {"name": "Dagger"}, around)
    assert line.params == {"name": "Dagger", "skill": "Melee Combat", "dice": 5}


@pytest.mark.rule("EGO-CHR-01", "EGO-POW-01", "EGO-MAG-01", "EGO-CHR-05")
def test_what_is_odd_about_a_new_character_is_a_warning() -> None:
    game = read_only_game(table())
    odd = {
        "name": "Dirk",
        "skills": "Superpowers 1\nMagic 1",
        "powers": "Fire 1",
        "arms": "Dagger",
    }
    found = [(each.code, each.params["field"]) for each in draft_warnings(game, odd)]
    assert found == [
        ("ego-unspent", "points"),
        ("ego-unused-ratings", "powers"),
        ("ego-unused-effects", "powers"),
        ("ego-untrained-arm", "arms[0]"),
    ]
    spent = {"name": "Dirk", "muscle": "16", "agility": "16", "vitality": "1"}
    assert [each.params["value"] for each in draft_warnings(game, spent)] == [1]


@pytest.mark.rule("EGO-CHR-01")
def test_steps_tell_what_is_left_in_few_words() -> None:
    game = read_only_game(table())
    pages = {page.key: page for page in game.creation}

    def state(key: str, draft: Values) -> Any:
        found = draft_state(game, pages[key], draft)
        return None if found is None else (found.params["left"], found.params["over"])

    assert state("abilities", {}) == (97, 0)
    assert state("skills", {"muscle": "16", "agility": "16", "skills": "Stealth 3"}) == (0, 5)
    assert state("powers", {}) is None
    assert state("powers", {"skills": "Superpowers 1"}) == (2, 0)
    assert state("powers", {"skills": "Superpowers 1", "powers": "Fire 4"}) == (0, 2)
    both = {"skills": "Superpowers 1", "powers": "Fire 1\nAir; magic"}
    assert state("powers", both) == (1, 1), "what is left of one kind pays for no other"


def test_the_line_of_a_power_leaves_the_usual_source_out() -> None:
    field = FIELDS["powers"]
    sheet = [{"name": "Fire", "rating": 3, "source": "superpowers"}]
    assert field.format_text(sheet) == "Fire 3"
