"""Skills and options of a new character as pages of their own: drafts and lines."""

from __future__ import annotations

from typing import Any, Final

import pytest

from rules.registry import read_only_game
from rules.systems.masterbook.character.creation_pages import PAGES
from rules.systems.masterbook.character.option_approvals import approvals, carry_rulings, rule
from rules.systems.masterbook.character.option_drafts import closed_line, opened_line
from rules.systems.masterbook.character.option_forms import option_form
from rules.systems.masterbook.character.option_lines import OPTION_FORM, option_line, read_option
from rules.systems.masterbook.character.options import BackgroundOption
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.character.skill_forms import skill_form
from rules.systems.masterbook.formulas.option_kinds import Side, option_kinds
from rules.systems.masterbook.system import SYSTEM
from rules.table.forms.entry_fields import Scores
from rules.table.forms.fields import FormContext, Many, Number, Pick, Typed
from rules.table.forms.form import Form
from rules.table.system import Game
from tests.property.every_option import table

_TABLE: Final = table(SYSTEM)


def game_with(**settings: Any) -> Game:
    """A game whose table plays with backgrounds."""
    own = {"background_generation": True, **settings}
    return read_only_game(
        _TABLE.replace(settings=_TABLE.settings.replace(own={**_TABLE.settings.own, **own}))
    )


def _filled(form: Form, asking: FormContext, draft: dict[str, Any]) -> dict[str, Any]:
    """A draft with something in every field that is needed."""
    for field in form.fields:
        if not field.needed or field.key in draft:
            continue
        choices = field.options(asking)
        if isinstance(field, Many):
            draft[field.key] = [option.value for option in choices[:2]] or ["Charm"]
        elif isinstance(field, Pick):
            draft[field.key] = choices[0].value
        elif isinstance(field, Number):
            draft[field.key] = field.high
        elif isinstance(field, Scores):
            draft[field.key] = "Stealth 4\nDodge 2"
        elif isinstance(field, Typed):
            draft[field.key] = "something; with a semicolon"
    return draft


@pytest.mark.rule("MB-BG-01", "MB-BG-08")
@pytest.mark.parametrize("side", ["advantage", "compensation"])
def test_every_option_is_filled_in_and_read_back(side: Side) -> None:
    game = game_with()
    around = {"advantages": "Luck (CII)\nWealth (CI)", "skills": "Dodge 2 (fire combat 1)"}
    for kind in option_kinds(side):
        modes = [mode.id for mode in kind.modes] or [""]
        for mode in modes:
            asking = FormContext(game, around=around)
            draft: dict[str, Any] = {"column": kind.column, "option": kind.title}
            draft |= {"mode": mode} if mode and mode != modes[0] else {}
            for _ in range(2):  # an ability brings inputs of its own
                draft = _filled(option_form(side)(asking, draft), asking, draft)
            form = option_form(side)(asking, draft)
            values, problems = form.read_draft(draft, asking)
            assert problems == (), (kind.title, problems)
            line = closed_line(side, asking, values)
            row = OPTION_FORM.read_json(read_option(line, side))
            made = OPTION_FORM.make_record(BackgroundOption, row)
            assert (made.title, made.mode) == (kind.title, mode), line
            again = opened_line(side, asking, line)
            assert closed_line(side, asking, again) == line
            assert option_line(OPTION_FORM.all_values(made), side) == line


@pytest.mark.rule("MB-BG-08")
def test_an_option_of_another_table_keeps_all_it_says() -> None:
    option = BackgroundOption(
        "Sea Legs",
        1,
        mode="storm",
        targets=("Swimming", "strength"),
        notes=(("ship", "the Gull"),),
        numbers=(("Stealth", 2),),
        link=("Luck (CII)",),
        label="old salt",
    )
    line = option_line(OPTION_FORM.all_values(option), "advantage")
    assert line == (
        "Sea Legs (CI): targets: Swimming, strength; numbers: Stealth 2; ship: the Gull; "
        'mode: storm; link: Luck (CII); "old salt"'
    )


@pytest.mark.rule("MB-CHAR-10", "MB-CHAR-12")
def test_a_skill_offers_what_may_be_bought() -> None:
    game = game_with(barred_skills="Stealth, Language: Chinese", skill_general_max_creation=2)
    asking = FormContext(game, around={"agility": 9})
    names = skill_form(asking, {"under": "agility"}).by_key["name"]
    assert [option.value for option in names.options(asking)][:2] == ["Acrobatics", "Beast Riding"]
    assert "Stealth" not in [option.value for option in names.options(asking)]
    adds = skill_form(asking, {"name": "Dodge"}).by_key["adds"]
    assert [value for value, _ in adds.choices_for(asking)] == [1, 2]
    grown = skill_form(asking, {"name": "Dodge", "adds": 9}).by_key["adds"]
    assert max(value for value, _ in grown.choices_for(asking)) == 12, "a character in play"
    assert "focus" in skill_form(asking, {"name": "Science"}).keys
    assert "focus" not in skill_form(asking, {"name": "Dodge"}).keys


def _ruled() -> tuple[Game, MasterbookSheet]:
    bonus = BackgroundOption("Skill Bonus", 1, targets=("Charm", "Con", "Persuasion"))
    luck = BackgroundOption("Luck", 2)
    return game_with(), MasterbookSheet(advantages=(luck, bonus))


@pytest.mark.rule("MB-BG-01")
def test_the_gm_rules_on_options_that_need_consent() -> None:
    game, sheet = _ruled()
    (line,) = approvals(game, sheet)
    assert (line.state, line.page) == ("open", "advantages")
    allowed = rule(game, sheet, line.id, True, "")
    assert [option.approved for option in allowed.advantages] == [False, True]
    refused = rule(game, allowed, line.id, False, "Two at most;\nsorry")
    (again,) = approvals(game, refused)
    assert (again.state, again.note, again.id) == ("refused", "Two at most, sorry", line.id)
    assert approvals(game_with(background_generation=False), sheet) == ()


@pytest.mark.rule("MB-BG-01")
def test_a_ruling_holds_for_what_was_not_changed() -> None:
    game, sheet = _ruled()
    line = approvals(game, sheet)[0].id
    allowed = rule(game, sheet, line, True, "")
    assert carry_rulings(allowed, sheet) == allowed
    other = sheet.advantages[1].replace(targets=("Charm", "Con", "Taunt"), approved=True)
    changed = sheet.replace(advantages=(other,))
    assert not carry_rulings(allowed, changed).advantages[0].approved


@pytest.mark.rule("MB-CHAR-01")
def test_steps_of_backgrounds_are_there_only_where_they_count() -> None:
    def shown(game: Game, draft: dict[str, Any]) -> list[str]:
        return [page.key for page in PAGES if page.shown(game, draft)]

    plain = game_with(background_generation=False)
    assert shown(plain, {}) == ["who", "attributes", "skills", "things", "story"]
    assert "advantages" in shown(plain, {"advantages": [{"name": "Luck", "column": 2}]})
    assert shown(game_with(), {}) == [page.key for page in PAGES if page.key != "effects"]
    assert "effects" in shown(game_with(), {"skills": "Conjuration 1"})
