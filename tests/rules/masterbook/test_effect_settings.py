"""Settings of special effects, and what a world adds to them."""

from __future__ import annotations

from typing import Any, Final

import pytest

from rules.core.errors import Problems
from rules.registry import read_only_game
from rules.systems.masterbook.character.effect_rules import kind_allowed
from rules.systems.masterbook.character.world_profile import (
    MasterbookCampaign,
    read_world,
    write_world,
)
from rules.systems.masterbook.effects import effect_settings
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint, EffectArea
from rules.systems.masterbook.formulas.effect_costs import BOOK
from rules.systems.masterbook.formulas.effect_worksheet import Figures, work_out
from rules.systems.masterbook.system import SYSTEM
from rules.table.system import Game
from tests.property.every_option import table

_TABLE: Final = table(SYSTEM)
_WORLD: Final = {
    "special_effects": {
        "magic": True,
        "difficulty_adjust": 5,
        "adjustments": [
            {"from_effect_value": 20, "difficulty": 3},
            {"skill": "Apportation", "feedback": -4, "start_total": 6},
        ],
        "forbidden": ["area"],
        "requirement": "An ounce of gold",
    }
}


def _game(world: dict[str, Any] | None = None, **settings: Any) -> Game:
    own = {**_TABLE.settings.own, **settings}
    state = _TABLE.replace(settings=_TABLE.settings.replace(own=own))
    if world is not None:
        state = state.replace(campaign=MasterbookCampaign(world=read_world(world)))
    return read_only_game(state)


@pytest.mark.rule("MB-SFX-40", "MB-SFX-S00")
def test_a_table_without_settings_builds_by_the_book() -> None:
    game = _game()
    assert effect_settings.worksheet_rules(game, "Conjuration") == BOOK
    assert effect_settings.feedback_resist(game) == "none"
    assert effect_settings.autofail_feedback(game) == "full"
    assert effect_settings.interrupt_feedback(game) == "none"
    assert effect_settings.speed_rule(game) == "push"
    assert effect_settings.learning_points_each(game) == 3
    assert effect_settings.learning_cost(game) == 1
    assert effect_settings.worksheet_rules(game, "Faith").ill_fitting_step == 1
    assert effect_settings.worksheet_rules(game, "Psionic Manipulation").ill_fitting_step == 1
    assert not effect_settings.may_rush(game)
    assert not effect_settings.design_rounds_up(game)
    assert not effect_settings.support_rolls_are_actions(game)
    assert not effect_settings.area_falls_off(game)
    assert not effect_settings.one_charging_per_object(game)


@pytest.mark.rule("MB-SFX-14")
def test_the_world_and_the_table_add_to_figures_at_casting() -> None:
    game = _game(_WORLD, effect_world_difficulty=2)
    figures = Figures(10, 10)
    assert effect_settings.world_figures(game, figures, "Faith", 19) == (17, 10)
    assert effect_settings.world_figures(game, figures, "Faith", 20) == (20, 10)
    assert effect_settings.world_figures(game, figures, "Apportation", 19) == (17, 6)
    assert effect_settings.world_figures(game, Figures(0, 0), "Apportation", 0) == (7, 0)
    assert effect_settings.world_figures(_game(), figures, "Faith", 30) == figures


@pytest.mark.rule("MB-SFX-14", "MB-SFX-S00")
def test_the_world_begins_worksheets_elsewhere_and_forbids_elements() -> None:
    game = _game(_WORLD, effect_start_total=-5)
    assert effect_settings.worksheet_rules(game, "Faith").start_total == -5
    rules = effect_settings.worksheet_rules(game, "Apportation")
    assert rules.start_total == 1
    sheet = work_out(Blueprint("Push", "Apportation", area=EffectArea()), rules)
    assert [finding.code for finding in sheet.errors] == ["mb-effect-forbidden"]


@pytest.mark.rule("MB-SFX-12")
def test_a_world_has_the_kinds_that_its_profile_names() -> None:
    assert kind_allowed(_game(), "Psionic Manipulation")
    game = _game(_WORLD)
    assert kind_allowed(game, "Alteration")
    assert not kind_allowed(game, "Faith")


@pytest.mark.rule("MB-SFX-14")
def test_a_world_is_written_as_it_is_read() -> None:
    written = write_world(read_world(_WORLD))
    assert read_world(written) == read_world(_WORLD)
    assert [*written["special_effects"]["adjustments"]] == [
        {"skill": "", "from_effect_value": 20, "difficulty": 3, "feedback": 0, "start_total": 0},
        {
            "skill": "Apportation",
            "from_effect_value": 0,
            "difficulty": 0,
            "feedback": -4,
            "start_total": 6,
        },
    ]


@pytest.mark.parametrize(
    ("effects", "place"),
    [
        ({"adjustments": [{"skill": "Cooking"}]}, "adjustments[0].skill"),
        ({"adjustments": [{"difficulty": 21}]}, "adjustments[0].difficulty"),
        ({"adjustments": [{"from_effect_value": -1}]}, "adjustments[0].from_effect_value"),
        ({"adjustments": [{}] * 51}, "adjustments"),
        ({"forbidden": ["wings"]}, "forbidden[0]"),
        ({"requirement": "x" * 501}, "requirement"),
    ],
)
def test_faults_of_a_world_are_told_with_their_place(effects: dict[str, Any], place: str) -> None:
    with pytest.raises(Problems) as refused:
        read_world({"special_effects": effects})
    fields = [problem.params["field"] for problem in refused.value.problems]
    assert fields == [f"world.special_effects.{place}"]
