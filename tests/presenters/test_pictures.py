"""Pictures of odds: small, never blank, the same every time, and told in words as well."""

from __future__ import annotations

import io
from fractions import Fraction
from typing import Any

import pytest
from PIL import Image

from bot.presenters.controls import Drawing, Picture
from bot.presenters.drawing.charts import (
    BACKGROUND_COLOR,
    BAR_COLOR,
    MARKED_BAR_COLOR,
    TEXT_COLOR,
    Bar,
    bar_chart,
    fits_grid,
    grid,
)
from bot.presenters.layout import Layout, build_layout, spoken_text
from bot.presenters.odds import exact_percent, odds_card
from bot.presenters.render import to_messages
from rules.systems.ebb.sheet import EbbSheet
from rules.table.state import Character, TableState
from tests.presenters.discord_limits import check_message
from tests.presenters.scenes import answer, body, odds, picture, pictures, propose, table, title

_LEVELS = (
    "Easy",
    "Routine",
    "Tricky",
    "Difficult",
    "Very Difficult",
    "Near Impossible",
    "Legendary",
)


def _open(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def _bars(count: int, label: str = "way") -> list[Bar]:
    return [Bar(f"{label} {n}", Fraction(n + 1, count + 1), "50%", n == 2) for n in range(count)]


def _read_on_a_phone(png: bytes) -> Image.Image:
    """A picture of which a phone shows every letter: 720 wide, not higher than its seven rows."""
    image = _open(png)
    assert image.width == 720
    assert image.height <= 7 * 92 + 48
    return image


@pytest.mark.parametrize("bars", [1, 2, 5, 7])
@pytest.mark.parametrize("label", ["way", "a way whose name is long"])
def test_a_picture_is_readable_and_not_blank(bars: int, label: str) -> None:
    image = _read_on_a_phone(bar_chart(_bars(bars, label)))
    colors = image.getcolors(1 << 20)
    assert colors is not None
    assert len(colors) > 10
    assert max(count for count, _ in colors) < 0.95 * image.width * image.height


def test_type_is_large_enough_for_a_phone() -> None:
    """A capital letter of type of 42 is about 30 pixels high: 11 where a phone shows the picture at
    260.
    """
    image = _open(bar_chart([Bar("H", Fraction(0), "")])).crop((0, 0, 60, 140))
    lit = [y for y in range(140) if any(image.getpixel((x, y)) == TEXT_COLOR for x in range(60))]
    assert lit[-1] - lit[0] + 1 >= 28


def test_a_picture_has_its_own_background() -> None:
    for png in (bar_chart(_bars(3)), grid([["d8", "10%"]], [1])):
        image = Image.open(io.BytesIO(png))
        assert image.mode == "RGB"
        assert {image.getpixel(at) for at in ((0, 0), (719, 0), (0, image.height - 1))} == {
            BACKGROUND_COLOR
        }


def test_bars_are_as_long_as_the_chance_and_the_one_meant_is_framed() -> None:
    def filled(share: Fraction, *, marked: bool = False) -> int:
        image = _open(bar_chart([Bar("a", share, "", marked)]))
        return sum(
            image.getpixel((x, 66)) == (MARKED_BAR_COLOR if marked else BAR_COLOR)
            for x in range(image.width)
        )

    whole = filled(Fraction(1))
    assert filled(Fraction(0)) == 0
    assert abs(filled(Fraction(1, 2)) - whole / 2) <= 2
    assert filled(Fraction(7, 3)) == whole == filled(Fraction(1), marked=True)
    framed, plain = (_open(bar_chart([Bar("a", Fraction(1), "", each)])) for each in (True, False))
    assert (framed.getpixel((10, 66)), plain.getpixel((10, 66))) == (TEXT_COLOR, BACKGROUND_COLOR)


def test_the_same_numbers_give_the_same_picture() -> None:
    assert bar_chart(_bars(3)) == bar_chart(_bars(3))
    assert bar_chart(_bars(3)) != bar_chart(_bars(2))
    assert grid([["a", "1"]], [1]) == grid([["a", "1"]], [1]) != grid([["a", "2"]], [1])


def test_labels_that_are_too_long_are_shortened() -> None:
    assert _open(bar_chart([Bar("label " * 60, Fraction(1, 3), "33%")])).width == 720
    assert not fits_grid([["label " * 60, "33%"]])


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
    assert exact_percent(chance) == text


def _card(*, draw: bool = True, state: TableState | None = None, **values: Any) -> Layout:
    """The odds of Ana's check as the GM has ruled it; against no difficulty in particular, those of
    every level.
    """
    levels = [values.pop("difficulty")] if "difficulty" in values else _LEVELS
    proposed, _ = propose(state or table(), **values)
    found = [odds(answer(proposed, difficulty=level)[0]) for level in levels]
    chances = found[0].replace(tables=tuple([each.tables[0] for each in found]))
    return odds_card(chances, draw=draw)


def test_the_alt_text_says_every_number() -> None:
    card = _card()
    alt = picture(card).alt
    assert alt.startswith(
        "Chances of success. Easy 4: as it is 90%, with a re-roll (1 Fate) 90%. Routine 7: "
        "as it is 85%, "
    )
    assert alt.count("%") == 14
    assert alt.endswith("Certain against all of them: sacrifice 1 Fitness.")
    single = picture(_card(difficulty="Tricky")).alt
    assert "As it is: 65%, 1+ extra 35%, " in single
    assert "near miss 20%" in single
    assert len(alt) <= 1024


def test_plain_text_says_what_the_alt_text_says() -> None:
    choices: tuple[dict[str, Any], ...] = ({}, {"difficulty": "Tricky"})
    for options in choices:
        lines = body(_card(draw=False, **options)).splitlines()
        alt = picture(_card(**options)).alt
        for line in lines:
            if line.startswith("- "):
                assert spoken_text(line).removeprefix("- ") in alt


def test_the_message_says_one_number_and_the_picture_the_rest() -> None:
    """Nothing is told twice: what the picture shows is not written below it as well."""
    for card, head, beside in (
        (_card(difficulty="Tricky"), "Pilgrim: 65% against 10", "clear failure 5%"),
        (_card(), "Pilgrim: 65% against 10", "Against Tricky 10: with a re-roll (1 Fate) 75%"),
    ):
        assert title(card) == head
        assert beside in body(card)
        for shown in ("As it is", "90%", "near miss"):
            assert shown not in body(card)


def test_names_are_no_part_of_the_picture() -> None:
    """The typeface holds Latin letters; what people type may be anything."""
    state = TableState(
        table().settings,
        characters={"k1": Character("k1", "Пілігрим" * 20, "p2", EbbSheet(fate=1))},
    )
    there = TableState(
        state.settings, characters={"k1": Character("k1", "Bo", "p2", EbbSheet(fate=1))}
    )
    one, two = (picture(_card(state=each, skill=None)) for each in (state, there))
    assert one == two


def test_a_picture_goes_with_the_card_and_never_with_plain_text() -> None:
    card = build_layout(
        "own", "Odds", "50%", Picture("odds.png", Drawing(bytes, (b"png",)), "half " * 400)
    )
    (message,) = to_messages(card)
    check_message(message)
    (file,) = message["files"]
    assert file.filename == "odds.png"
    assert len(file.description) <= 1024
    plain = to_messages(card, plain=True)
    assert not any("files" in each for each in plain)
    assert "50%" in plain[0]["content"]
    long = build_layout(
        "own", "Odds", *(["x" * 3000] * 3), Picture("odds.png", Drawing(bytes, (b"png",)), "half")
    )
    assert sum("files" in each for each in to_messages(long)) == 1


def test_nothing_is_drawn_for_those_who_read() -> None:
    assert pictures(_card(draw=False)) == []
