"""Odds of a choice of dice: one number in the head, the others in the picture, and all of it told
in words.
"""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from PIL import Image

from bot.presenters.layout import Layout
from bot.presenters.odds import odds_card, odds_line
from bot.presenters.render import to_messages
from rules.systems.barmore.pool import DIE_TYPES
from rules.systems.barmore.sheet import BarSheet
from rules.table.checks.odds import OddsReport
from rules.table.state import Character, Settings, TableState
from tests.presenters.scenes import answer, body, odds, picture, propose, title

SHEET = BarSheet(
    abilities=(("Boats", 4), ("Awareness", 3)), attributes=(("Perception", 2), ("Charm", -3))
)
STATE = TableState(
    Settings("Harbor", "barmore", ("p1",)),
    characters={"k1": Character("k1", "Maren", "p2", SHEET)},
)


def _levels(*difficulties: str, state: TableState = STATE, **values: Any) -> OddsReport:
    """The odds of Maren's check as the GM rules it against each of these."""
    asked: dict[str, Any] = {"skill": "Boats", "attribute": "Perception"} | values
    proposed, _ = propose(state, **asked)
    found = [odds(answer(proposed, difficulty=each)[0]) for each in difficulties]
    return found[0].replace(tables=tuple([each.tables[0] for each in found]))


def _card(
    *, draw: bool = True, state: TableState = STATE, difficulty: str = "", **values: Any
) -> Layout:
    levels = (difficulty,) if difficulty else tuple(map(str, range(5, 40, 5)))
    return odds_card(_levels(*levels, state=state, **values), draw=draw)


def _open(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def test_one_difficulty_tells_success_levels_failure_botch_and_the_total_for_every_die() -> None:
    card = _card(difficulty="25", draw=False)
    assert title(card) == "Maren: 73% against 25"
    assert "Boats 4, Perception 2, d8" in body(card)
    rows = re.findall(r"^- (\S+): .*$", body(card), re.MULTILINE)
    assert rows == ["d4+2", "d6+1", "d8", "d10-1", "d12-2"]
    d8 = next(line for line in body(card).splitlines() if line.startswith("- d8:"))
    assert re.fullmatch(
        r"- d8: \*\*73%\*\* · level 1\+ \S+% · level 2\+ \S+% · level 3\+ \S+% · failure 27%"
        r" · botch under 0.1% · average 27.4, 80%: 21–34",
        d8,
    )
    assert "- No dice (total 27): **100%**" in body(card) and "always 27, level 0" in body(card)
    assert "botch 0%" in next(
        line for line in body(card).splitlines() if line.startswith("- d6+1:")
    )


def test_a_picture_of_one_difficulty_compares_success_level_and_botch() -> None:
    rows, _ = picture(_card(difficulty="25")).drawing.of
    assert rows[0] == ["", "success", "level 1+", "botch"]
    names = ["d4+2", "d6+1", "d8", "d10-1", "d12-2", "No dice"]
    assert [row[0] for row in rows[1:]] == names
    assert rows[1][3] == "0%" and rows[5][3] == "<1%" and rows[6][1:] == ["100%", "0%", "0%"]


def test_the_picture_has_every_die_and_the_message_the_one_that_is_chosen() -> None:
    for card, against in ((_card(difficulty="25"), "25"), (_card(), "25")):
        assert title(card) == f"Maren: 73% against {against}"
        image = _open(picture(card).drawing())
        assert (image.width, image.height <= 7 * 92 + 48) == (720, True)
        assert "With d8: " in body(card)
        assert "average 27.4, 80%: 21–34" in body(card)
        assert not any(die in body(card) for die in DIE_TYPES if die != "d8")
        assert len(picture(card).alt) <= 1024
        assert all(f" {die}: " in picture(card).alt for die in DIE_TYPES)
        (message,) = to_messages(card)
        assert len(message["files"]) == 1
    assert picture(_card(difficulty="25")).drawing() != picture(_card()).drawing()


def test_plain_text_says_what_the_alt_text_says() -> None:
    for difficulty in ("25", ""):
        (plain,) = to_messages(_card(draw=False, difficulty=difficulty), plain=True)
        alt = picture(_card(difficulty=difficulty)).alt
        assert "files" not in plain
        for line in plain["content"].splitlines():
            if line.startswith("- "):
                assert line.removeprefix("- ") in alt


@pytest.mark.parametrize("difficulty", ["-100", "1", "25", "1000"])
@pytest.mark.parametrize("values", [{}, {"halvings": 4}, {"halvings": 5}, {"no dice": True}])
def test_far_difficulties_and_small_pools_are_drawn(
    difficulty: str, values: dict[str, Any]
) -> None:
    card = _card(difficulty=difficulty, **values)
    assert _open(picture(card).drawing()).width == 720
    assert len(picture(card).alt) <= 1024


@pytest.mark.parametrize(("ability", "attribute"), [(0, 0), (30, 30), (30, -30), (0, -30)])
def test_the_largest_pools_keep_the_limits(ability: int, attribute: int) -> None:
    sheet = BarSheet(abilities=(("Boats", ability),), attributes=(("Perception", attribute),))
    state = TableState(STATE.settings, characters={"k1": Character("k1", "Maren", "p2", sheet)})
    card = _card(state=state)
    image = _open(picture(card).drawing())
    assert (image.width, image.height <= 700) == (720, True)
    assert len(picture(card).alt) <= 1024
    assert len(to_messages(card)) == 1


def test_live_odds_name_the_die_that_is_chosen() -> None:
    for die in DIE_TYPES:
        (table,) = _levels("20", die=die).tables
        assert odds_line(table).startswith(f"{die} against Difficulty 20: ")
    no_dice: dict[str, Any] = {"no dice": True}
    (without,) = _levels("20", **no_dice).tables
    assert odds_line(without).startswith("no dice (total 27) against Difficulty 20: 100%")
