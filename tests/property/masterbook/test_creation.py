"""Everything that the steps of making a character take is typed once: it is read, told, kept, and
can be taken back.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from rules.registry import read_only_game
from rules.systems.masterbook.character.creation_pages import PAGES
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.formulas.equipment import ARMOR, WEAPONS
from rules.systems.masterbook.formulas.skills import SKILLS
from rules.systems.masterbook.system import SYSTEM
from rules.table.actions import ImportCharacter
from rules.table.people.sheets import draft_effects, draft_head, draft_object, texts_of
from tests.property.every_option import Fare, Run, table
from tests.sample_table import BEN

_TABLE: Final = table(SYSTEM)
_FARE: Final = Fare(SYSTEM, {"": _TABLE}, (), (), {})
_NUMBERS: Final = ("1", "13", "100")


def _skill(name: str) -> str:
    row = SKILLS[name]
    return f"{name}: {row.focuses[0] if row.focuses else 'x'} 2" if row.macro else f"{name} 2"


#: What is typed into each field besides a name.
TYPED: Final[dict[str, tuple[str, ...]]] = {
    "name": ("Cora of the Dam",),
    "height": ("1", "185", "100000"),
    "weight": ("1", "80", "100000"),
    "portrait": ("https://cdn.discordapp.com/attachments/1/2/face.png",),
    "sketch": ("Tall and quiet.",),
    **dict.fromkeys(ATTRIBUTES, _NUMBERS),
    "skills": (
        *map(_skill, SKILLS),
        "Fire Combat 2 (pistols 1)",
        "Basketry 1; dexterity",
        "Dodge 1\nMartial Arts: judo 2",
    ),
    "advantages": ("Luck (III)", "Equipment (CII)", "Fast Reactions (III)\nFame (CI)"),
    "compensations": ("Enemy (CI)",),
    "effects": ("Flight Belt", "Flight Belt\nIllusionary Fireball"),
    "species": ("Grakka",),
    "trades": ("III for I",),
    "armour": (*[each.name for each in ARMOR.values()], "Buff coat +2/15; chest, arm"),
    "arms": (*[each.name for each in WEAPONS.values()], "Axe; add 5; max 18; skill Melee Combat"),
    "equipment": ("a rope", "a lamp\na map"),
    "notes": ("Owes the harbor master.",),
}


def _made(texts: dict[str, Any]) -> Run:
    run = Run(_FARE, _TABLE)
    data, problems = draft_object(read_only_game(_TABLE), {"name": "New", **texts})
    assert problems == (), texts
    run.do(ImportCharacter(**run.by(BEN), data=data, grown=True))
    return run


def _of(run: Run) -> Any:
    (found,) = run.state.characters.values()
    return found


def _told(run: Run) -> str:
    game, sheets = run.game(), run.game().sheets
    one = _of(run)
    return str(
        (sheets.describe(game, one), sheets.pages(game, one), one.name, one.notes, one.portrait)
    )


def test_each_field_of_each_step_is_typed_into() -> None:
    assert {field.key for page in PAGES for field in page.form.fields} == TYPED.keys()


@pytest.mark.parametrize("key", TYPED)
def test_what_is_typed_is_read_told_and_kept(key: str) -> None:
    plain = _made({})
    page = next(page for page in PAGES if any(field.key == key for field in page.form.fields))
    for text in TYPED[key]:
        run = _made({key: text})
        run.require_undone()
        assert _told(run) != _told(plain), text
        again = _made({name: each for name, each in texts_of(run.game(), _of(run)).items() if each})
        assert (_of(again).sheet, _of(again).name) == (_of(run).sheet, _of(run).name), text
        if key in (*ATTRIBUTES, "skills") or text == "Equipment (CII)":
            game = read_only_game(_TABLE)
            told = [
                (draft_head(game, page, each), draft_effects(game, page, each))
                for each in ({}, {key: text})
            ]
            assert told[0] != told[1], text
