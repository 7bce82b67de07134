"""Pictures of odds: small, never blank, the same every time, and told in words as well."""

from __future__ import annotations

import io
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from PIL import Image

from bot.presenters.controls import Picture
from bot.presenters.layout import Layout, laid
from bot.presenters.odds import chance_text, odds_card
from bot.presenters.pictures import Bar, Group, bar_chart
from bot.presenters.render import to_messages
from rules.systems.ebb.sheet import EbbSheet
from rules.table.state import Character, TableState
from tests.presenters.fitting import taken
from tests.presenters.scenes import answer, body, odds, picture, pictures, propose, table

_LEVELS = ("Easy", "Routine", "Tricky", "Difficult", "Very Difficult", "Near Impossible", "Legendary")


def _open(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def _groups(groups: int, bars: int) -> list[Group]:
    return [
        Group(
            f"Level {number}",
            tuple(Bar(f"way {n}", Fraction(n + 1, bars + 1), "50%", n) for n in range(bars)),
        )
        for number in range(groups)
    ]


@pytest.mark.parametrize(("groups", "bars"), [(1, 1), (1, 10), (7, 2), (7, 3), (7, 4)])
def test_a_picture_is_small_and_not_blank(groups: int, bars: int) -> None:
    image = _open(bar_chart("Chance of success", _groups(groups, bars)))
    assert image.width <= 800
    assert image.height <= 500
    colours = image.getcolors(1 << 20)
    assert colours is not None
    assert len(colours) > 10
    assert max(count for count, _ in colours) < 0.95 * image.width * image.height


def test_bars_are_as_long_as_the_chance() -> None:
    def filled(share: Fraction) -> int:
        image = _open(bar_chart("x", [Group("", (Bar("a", share, "", 0),))]))
        row = image.height - 18 - 13
        return sum(image.getpixel((x, row)) == (104, 164, 236) for x in range(image.width))

    whole = filled(Fraction(1))
    assert filled(Fraction(0)) == 0
    assert abs(filled(Fraction(1, 2)) - whole / 2) <= 2
    assert filled(Fraction(7, 3)) == whole


def test_the_same_numbers_give_the_same_picture() -> None:
    assert bar_chart("x", _groups(3, 2)) == bar_chart("x", _groups(3, 2))
    assert bar_chart("x", _groups(3, 2)) != bar_chart("x", _groups(2, 2))


def test_labels_that_are_too_long_are_shortened() -> None:
    assert (
        _open(bar_chart("x", [Group("long " * 40, (Bar("label " * 60, Fraction(1, 3), "33%"),))])).width
        <= 800
    )


@pytest.mark.parametrize(
    ("chance", "text"),
    [
        (Fraction(0), "0%"),
        (Fraction(1, 10_000), "under 0.1%"),
        (Fraction(1, 8), "12.5%"),
        (Fraction(1, 2), "50%"),
        (Fraction(9999, 10_000), "over 99.9%"),
        (Fraction(1), "100%"),
    ],
)
def test_chances_in_words(chance: Fraction, text: str) -> None:
    assert chance_text(chance) == text


def _card(*, draw: bool = True, state: TableState | None = None, **values: Any) -> Layout:
    """The odds of Ana's check as the GM has ruled it; against no difficulty in particular, those of every level."""
    levels = [values.pop("difficulty")] if "difficulty" in values else _LEVELS
    proposed, _ = propose(state or table(), **values)
    found = [odds(answer(proposed, difficulty=level)[0]) for level in levels]
    chances = replace(found[0], tables=tuple([each.tables[0] for each in found]))
    return odds_card(chances, draw=draw)


def test_the_alt_text_says_every_number() -> None:
    card = _card()
    alt = picture(card).alt
    assert alt.startswith(
        "Bars. Chance of success. Easy (4): as it stands 90 percent, with 1 Fate point for a re-roll 90 "
    )
    assert alt.count("percent") == 14
    assert "%" not in alt
    single = picture(_card(difficulty="Tricky"))
    assert "near miss" in single.alt
    assert len(alt) <= 1024


def test_the_text_says_all_that_the_picture_shows() -> None:
    card = _card()
    for share in (part.split(" percent")[0].split()[-1] for part in picture(card).alt.split(",")):
        assert share in body(card)


def test_names_are_no_part_of_the_picture() -> None:
    """The typeface holds Latin letters; what people type may be anything."""
    state = TableState(
        table().settings, characters={"k1": Character("k1", "Пілігрим" * 20, "p2", EbbSheet(fate=1))}
    )
    there = TableState(state.settings, characters={"k1": Character("k1", "Bo", "p2", EbbSheet(fate=1))})
    one, two = (picture(_card(state=each, skill=None)) for each in (state, there))
    assert one == two


def test_a_picture_goes_with_the_card_and_never_with_plain_text() -> None:
    card = laid("own", "Odds", "50%", picture=Picture("odds.png", b"png", "half " * 400))
    (message,) = to_messages(card)
    taken(message)
    (file,) = message["files"]
    assert file.filename == "odds.png"
    assert len(file.description) <= 1024
    plain = to_messages(card, plain=True)
    assert not any("files" in each for each in plain)
    assert "50%" in plain[0]["content"]
    long = laid("own", "Odds", *(["x" * 3000] * 3), picture=Picture("odds.png", b"png", "half"))
    assert sum("files" in each for each in to_messages(long)) == 1


def test_nothing_is_drawn_for_those_who_read() -> None:
    assert pictures(_card(draw=False)) == []
