"""Difficulties: reading, naming, shifting."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import InvalidInput
from rules.systems.ebb.difficulty import level_name, parse_difficulty, shift_threshold
from rules.systems.ebb.reference_rows import LADDER

NAMES = ("Easy", "Routine", "Tricky", "Difficult", "Very Difficult", "Near Impossible", "Legendary")


@pytest.mark.rule("EBB-LADDER")
def test_names_and_thresholds() -> None:
    assert tuple(name for name, _ in LADDER) == NAMES
    assert [parse_difficulty(name) for name in NAMES] == [4, 7, 10, 13, 16, 19, 22]


@pytest.mark.rule("EBB-LADDER")
@pytest.mark.parametrize(
    ("threshold", "name"),
    [
        (1, None),
        (3, None),
        (4, "Easy"),
        (5, None),
        (19, "Near Impossible"),
        (22, "Legendary"),
        (23, None),
        (25, "Legendary+1"),
        (28, "Legendary+2"),
        (52, "Legendary+10"),
        (53, None),
    ],
)
def test_what_a_level_is_called(threshold: int, name: str | None) -> None:
    assert level_name(threshold) == name


@pytest.mark.parametrize(
    ("text", "threshold"),
    [
        ("tricky", 10),
        ("  EASY ", 4),
        ("veryDifficult", 16),
        ("Very-Difficult", 16),
        ("very   difficult", 16),
        ("near_impossible", 19),
        ("n", 19),
        ("Diff", 13),
        ("v diff", 16),
        ("Legendary+2", 28),
        ("legendary + 2", 28),
        ("leg+1", 25),
        ("V D", 16),
        ("n-imp", 19),
        ("Legendary+0", 22),
        ("legendary+3325", 9997),
        ("4", 4),
        ("010", 10),
        ("9999", 9999),
    ],
)
def test_parse(text: str, threshold: int) -> None:
    assert parse_difficulty(text) == threshold


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            " ",
            "-",
            "_ -",
            "0",
            "000",
            "10000",
            "-5",
            "1-2",
            "+5",
            "4.0",
            "1e2",
            "٣",
            "²",
            "d10",
            "easyy",
        ),
        *(
            "Tricky+1",
            "Legendary+",
            "Legendary+-1",
            "Legendary+3326",
            "Legendary+1+1",
            "+2",
            "Legendary 1",
        ),
        *("diff v", "near possible", "v diff x", "9" * 5000, "x" * 5000, "- " * 5000),
    ],
)
def test_parse_refuses(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_difficulty(text)
    error = caught.value
    assert error.code == "unknown-difficulty"
    assert error.params["field"] == "difficulty"
    assert error.params["value"] == text[:100]
    assert error.params["allowed"] == NAMES


@pytest.mark.parametrize(
    ("text", "nearest"),
    [("trikcy", "Tricky"), ("legndary", "Legendary"), ("nearimposible", "Near Impossible")],
)
def test_parse_suggests(text: str, nearest: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_difficulty(text)
    suggestions = caught.value.params["nearest"]
    assert isinstance(suggestions, tuple)
    assert suggestions[0] == nearest


@given(st.text())
def test_parse_reads_or_refuses(text: str) -> None:
    try:
        threshold = parse_difficulty(text)
    except InvalidInput:
        return
    assert 4 <= threshold <= 9999


@given(st.integers(4, 9999))
def test_what_is_shown_can_be_typed(threshold: int) -> None:
    assert parse_difficulty(level_name(threshold) or str(threshold)) == threshold


@pytest.mark.rule("EBB-LADDER", "EBB-SHIFT")
@pytest.mark.parametrize("typed", ["1", "3", "003"])
def test_nothing_is_easier_than_easy(typed: str) -> None:
    with pytest.raises(InvalidInput, match="below-easy"):
        parse_difficulty(typed)


@pytest.mark.rule("EBB-SHIFT")
@pytest.mark.parametrize(
    ("threshold", "levels", "expected"),
    [
        (10, 0, 10),
        (10, 1, 13),
        (10, -2, 4),
        (10, -3, 4),
        (22, 4, 34),
        (11, 1, 14),  # a plain number moves by 3 a level too
        (11, -2, 5),
        (11, -3, 4),
        (5, -1, 4),
        (4, -1, 4),
    ],
)
def test_shift(threshold: int, levels: int, expected: int) -> None:
    assert shift_threshold(threshold, levels) == expected


@pytest.mark.rule("EBB-SHIFT")
def test_the_floor_comes_after_the_sum() -> None:
    """Three levels easier and one harder from Routine is Easy, not Routine."""
    assert shift_threshold(parse_difficulty("Routine"), -3 + 1) == parse_difficulty("Easy")


@given(st.integers(1, 999), st.integers(-15, 15), st.integers(-15, 15))
def test_more_levels_are_never_easier(threshold: int, one: int, other: int) -> None:
    low, high = sorted((one, other))
    assert min(4, threshold) <= shift_threshold(threshold, low) <= shift_threshold(threshold, high)
