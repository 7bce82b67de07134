"""Settings found by everyday words."""

from __future__ import annotations

import pytest

from bot.presenters.setting_search import find_settings, page_titles
from rules.registry import PLAYABLE, SYSTEMS
from rules.table.settings.table_settings import settings_form


def found_keys(system: str, words: str) -> list[str]:
    return [field.key for field in find_settings(settings_form(SYSTEMS[system]), words)]


@pytest.mark.parametrize("system", PLAYABLE)
@pytest.mark.parametrize(
    ("words", "keys"),
    [
        ("timer", {"answer_time", "turn_time"}),
        ("Reminder", {"answer_time", "turn_time"}),
        ("secret dice", {"reveal"}),
        ("hidden difficulty", {"reveal"}),
        ("the deadline", {"answer_time", "turn_time"}),
        ("undo", {"player_undo"}),
        ("rename the table", {"name"}),
    ],
)
def test_everyday_words_find_settings(system: str, words: str, keys: set[str]) -> None:
    assert keys <= set(found_keys(system, words))


@pytest.mark.parametrize(
    ("system", "words", "key"),
    [
        ("masterbook", "ammo", "track_ammunition"),
        ("masterbook", "exploding dice", "lp_tens_scope"),
        ("masterbook", "grid", "tactical_map"),
        ("masterbook", "without cards", "cards_mode"),
        ("ego", "gold", "currency"),
        ("ego", "car crash", "collision_speed"),
        ("ebb", "monsters roll", "npc_rolls"),
        ("barmore", "enemy dice", "npc_dice"),
    ],
)
def test_words_of_one_game_find_its_settings(system: str, words: str, key: str) -> None:
    assert key in found_keys(system, words)


@pytest.mark.parametrize("system", PLAYABLE)
def test_every_setting_is_found_by_its_name_and_stands_on_a_page(system: str) -> None:
    form = settings_form(SYSTEMS[system])
    pages = page_titles(form)
    for field in form.fields:
        assert field.key in found_keys(system, field.key)
        assert pages[field.key]


def test_a_name_goes_before_other_words() -> None:
    assert found_keys("masterbook", "bleeding")[0] == "bleeding"
    assert found_keys("ebb", "live")[0] == "live"


def test_no_words_find_all_and_nonsense_finds_none() -> None:
    assert len(found_keys("ebb", "")) == len(settings_form(SYSTEMS["ebb"]).fields)
    assert found_keys("ebb", "zeppelin") == []
