"""The characters whose values fill a draft: legal, and with every point spent."""

from __future__ import annotations

from typing import Any

import pytest

from rules.registry import read_only_game
from rules.systems.ego.character.creation import creation_budget
from rules.systems.ego.character.sample_characters import samples as ego_samples
from rules.systems.masterbook.character.sample_characters import samples as masterbook_samples
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.formulas.attributes import (
    ATTRIBUTE_POINTS,
    HIGHEST,
    LOWEST,
    starting_skill_points,
)
from rules.table.people.sample_characters import complete_draft, sample_text
from rules.table.people.sheets import draft_holdings, read_texts, text_fields
from rules.table.state import Settings, TableState
from rules.table.system import Game
from tests.sample_table import game


def _texts(game: Game, sample: Any) -> dict[str, str]:
    fields = text_fields(game)
    return {key: sample_text(game, fields[key], value) for key, value in sample.items()}


@pytest.mark.rule("EGO-CHR-01", "EGO-EQP-01")
@pytest.mark.parametrize("currency", ["gp", "$", "cr"])
def test_ego_samples_spend_all_points_in_the_money_of_the_table(currency: str) -> None:
    own = {"currency": currency, "starting_funds": "500"}
    table = read_only_game(TableState(Settings("Riverside", "ego", ("p1",), own=own)))
    assert len(ego_samples(table)) >= 2
    for sample in ego_samples(table):
        read = read_texts(table, _texts(table, sample), new=True)
        assert creation_budget(table, read["sheet"]).left == 0, sample["name"]
        assert read["sheet"].arms
        made = complete_draft(table, {"name": sample["name"]})
        assert made["skills"]


@pytest.mark.rule("MB-CHAR-08")
def test_masterbook_samples_keep_to_the_limits_of_creation() -> None:
    table = game("masterbook")
    for sample in masterbook_samples(table):
        # A table without backgrounds has no options.
        texts = {**_texts(table, sample), "advantages": "", "compensations": ""}
        sheet = read_texts(table, texts, new=True)["sheet"]
        values = [getattr(sheet, key) for key in ATTRIBUTES]
        assert sum(values) == ATTRIBUTE_POINTS
        assert min(values) >= LOWEST and max(values) <= HIGHEST
        halves = 0
        for skill in sheet.skills:
            assert skill.adds <= 3
            halves += 2 * skill.adds
            for _, adds in skill.specializations:
                assert adds <= 2 and adds <= skill.adds + 2
                halves += adds
        assert halves == 2 * starting_skill_points(sheet.intellect, sheet.mind), sample["name"]


def test_masterbook_values_fit_what_the_player_has_chosen() -> None:
    table = game("masterbook")
    made = complete_draft(table, {"agility": "13", "strength": "12", "mind": "5"})
    values = [int(made[key]) for key in ATTRIBUTES]
    assert sum(values) == ATTRIBUTE_POINTS and min(values) >= LOWEST
    start = starting_skill_points(int(made["intellect"]), 5)
    page = next(each for each in table.creation if each.key == "skills")
    (held,) = draft_holdings(table, page, made)
    assert held.params == {**held.params, "start": start}, held.params
    assert not held.params["left"] and not held.params["over"]


@pytest.mark.rule("EGO-CHR-01", "EGO-CHR-02")
def test_ego_scores_shrink_with_the_points_that_are_left() -> None:
    table = game("ego")
    made = complete_draft(table, {"skills": "Magic 8\nGun Combat 5"})
    sheet = read_texts(table, made, new=True)["sheet"]
    scores = [sheet.muscle, sheet.agility, sheet.intellect, sheet.vitality]
    assert sum(scores) <= 16 and min(scores) >= 1, "shared out, not spent on the first"


@pytest.mark.rule("EBB-CHAR", "EBB-DRAWBACK")
def test_ebb_lists_that_were_begun_are_completed() -> None:
    table = game("ebb")
    begun = {"name": "Mika", "abilities": "Diving, Fitness, d8\nKnots, Technical, d8"}
    made = complete_draft(table, {**begun, "drawbacks": "Cold feet"})
    sheet = read_texts(table, made, new=True)["sheet"]
    assert [each.name for each in sheet.abilities][:2] == ["Diving", "Knots"]
    dice = [each.sides for each in sheet.abilities]
    assert (len(dice), dice.count(8), dice.count(4)) == (10, 2, 2)
    assert sheet.drawbacks[0] == "Cold feet" and len(sheet.drawbacks) == 10


@pytest.mark.rule("EBB-CHAR")
def test_ebb_dice_that_can_not_be_evened_out_stay_a_mistake() -> None:
    table = game("ebb")
    lines = "\n".join(f"Ability {number}, Zone, d8" for number in range(6))
    assert complete_draft(table, {"abilities": lines})["abilities"] == lines


@pytest.mark.parametrize("key", ["ebb", "barmore", "ego", "masterbook"])
def test_samples_are_never_shared(key: str) -> None:
    table = game(key)
    first = complete_draft(table, {})
    first["name"] = "changed"
    assert complete_draft(table, {})["name"] != "changed"
