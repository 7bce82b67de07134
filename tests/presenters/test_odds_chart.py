"""Odds of a choice of dice: every total drawn, the difficulty marked, and all of it told in words."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import Any

import pytest
from PIL import Image

from bot.presenters.layout import Layout
from bot.presenters.odds import odds_card
from bot.presenters.pictures import SHADES, TEXT, Group, odds_chart
from bot.presenters.render import to_messages
from bot.presenters.table import odds_line
from rules.core.dice.odds import Distribution
from rules.systems.barmore.dice import DIE_TYPES
from rules.systems.barmore.sheet import BarSheet
from rules.table.checks.chances import Chances
from rules.table.state import Character, Settings, TableState
from tests.presenters.scenes import answer, body, odds, picture, propose

SHEET = BarSheet(abilities=(("Boats", 4), ("Awareness", 3)), attributes=(("Perception", 2), ("Charm", -3)))
STATE = TableState(
    Settings("Harbour", "barmore", ("p1",)), characters={"k1": Character("k1", "Maren", "p2", SHEET)}
)


def _levels(*difficulties: str, state: TableState = STATE, **values: Any) -> Chances:
    """The odds of Maren's check as the GM rules it against each of these."""
    asked: dict[str, Any] = {"skill": "Boats", "attribute": "Perception"} | values
    proposed, _ = propose(state, **asked)
    found = [odds(answer(proposed, difficulty=each)[0]) for each in difficulties]
    return replace(found[0], tables=tuple([each.tables[0] for each in found]))


def _card(*, draw: bool = True, state: TableState = STATE, difficulty: str = "", **values: Any) -> Layout:
    levels = (difficulty,) if difficulty else tuple(map(str, range(5, 40, 5)))
    return odds_card(_levels(*levels, state=state, **values), draw=draw)


def _open(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def test_one_difficulty_tells_success_levels_failure_botch_and_the_total_for_every_die() -> None:
    card = _card(difficulty="25")
    rows = re.findall(r"^- (\S+): .*$", body(card), re.MULTILINE)
    assert rows == list(DIE_TYPES)
    d8 = next(line for line in body(card).splitlines() if line.startswith("- d8:"))
    assert re.fullmatch(
        r"- d8: \*\*73%\*\* · level 1\+ \S+% · level 2\+ \S+% · level 3\+ \S+% · failure 27%"
        r" · botch under 0.1% · average 27.4, 80%: 21–34",
        d8,
    )
    assert "- Without dice: **100%**" in body(card)
    assert "botch 0%" in next(line for line in body(card).splitlines() if line.startswith("- d6+1:"))


def test_the_words_and_the_alt_text_say_what_the_picture_shows() -> None:
    for card in (_card(difficulty="25"), _card()):
        assert len(picture(card).alt) <= 1024
        assert all(f" {die}: " in picture(card).alt for die in DIE_TYPES)
        assert picture(card).alt.count("average") == len(DIE_TYPES)
        for mean in re.findall(r"mean (\d+(?:\.\d)?)", picture(card).alt):
            assert f"total {mean} on average" in body(card)
        (message,) = to_messages(card)
        assert len(message["files"]) == 1
        (plain,) = to_messages(card, plain=True)
        assert "d12-2" in plain["content"] and "files" not in plain


def test_totals_stand_on_one_axis_with_the_difficulty_through_all_of_them() -> None:
    """Left of the line is what fails, right of it what succeeds, in another shade as well."""
    card = _card(difficulty="25")
    image = _open(picture(card).png)
    assert (image.width <= 800, image.height <= 800) == (True, True)
    middle, lines = 300, []
    for x in range(middle + 70, image.width - 18):
        column = [image.getpixel((x, y)) for y in range(80, image.height - 40)]
        if sum(pixel == TEXT for pixel in column) > len(column) // 3:
            lines.append(x)
    (line,) = lines
    for x in range(middle + 70, image.width - 18):
        column = {image.getpixel((x, y)) for y in range(80, image.height - 40)}
        if x != line:
            assert (SHADES[2] in column) <= (x <= line)
            assert (SHADES[0] in column) <= (x >= line)


def test_without_a_difficulty_each_level_is_marked() -> None:
    one, all_of_them = picture(_card(difficulty="25")), picture(_card())
    assert all_of_them.png != one.png
    assert "Difficulty 5, Difficulty 10" in all_of_them.alt


@pytest.mark.parametrize("difficulty", ["-100", "1", "25", "1000"])
@pytest.mark.parametrize("values", [{}, {"halvings": 4}, {"halvings": 5}, {"no dice": True}])
def test_far_difficulties_and_small_pools_are_drawn(difficulty: str, values: dict[str, Any]) -> None:
    card = _card(difficulty=difficulty, **values)
    assert _open(picture(card).png).width <= 800
    assert len(picture(card).alt) <= 1024


@pytest.mark.parametrize(("ability", "attribute"), [(0, 0), (30, 30), (30, -30), (0, -30)])
def test_the_largest_pools_keep_the_limits(ability: int, attribute: int) -> None:
    sheet = BarSheet(abilities=(("Boats", ability),), attributes=(("Perception", attribute),))
    state = TableState(STATE.settings, characters={"k1": Character("k1", "Maren", "p2", sheet)})
    card = _card(state=state)
    image = _open(picture(card).png)
    assert (image.width <= 800, image.height <= 800) == (True, True)
    assert len(to_messages(card)) == 1


def test_the_same_numbers_give_the_same_picture() -> None:
    panel = Group("d8", (), Distribution({1: 1, 2: 2, 3: 1}, 4))
    assert odds_chart("x", [panel], [2], "y") == odds_chart("x", [panel], [2], "y")
    assert odds_chart("x", [panel], [2], "y") != odds_chart("x", [panel], [3], "y")


def test_live_odds_name_the_die_that_is_chosen() -> None:
    for die in DIE_TYPES:
        (table,) = _levels("20", die=die).tables
        assert odds_line(table).startswith(f"{die} against Difficulty 20: ")
    no_dice: dict[str, Any] = {"no dice": True}
    (without,) = _levels("20", **no_dice).tables
    assert odds_line(without).startswith("without dice against Difficulty 20: 100%")
