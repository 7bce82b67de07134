"""What `with` understands: every word there and back, in any case, with or without a colon."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import RulesError
from rules.systems.barmore.campaign import DEFAULT, Campaign
from rules.systems.barmore.dice import DIE_TYPES
from rules.systems.barmore.options import (
    GmOptions,
    Options,
    Pace,
    choices,
    read_factor,
    read_gm_options,
    read_options,
    write_gm_options,
    write_options,
)
from tests.rules.barmore.play import MAREK, sheet

ABILITIES = tuple(node.name for node in DEFAULT.traits.abilities.nodes)
counts = st.integers(0, 20)
paces = st.one_of(
    st.builds(Pace, saved=counts),
    st.builds(Pace, extra=counts),
    st.builds(Pace, halvings=counts),
    st.builds(Pace, doublings=counts),
)
options = st.builds(
    Options,
    st.sampled_from(tuple(DIE_TYPES)),
    st.booleans(),
    st.none() | st.sampled_from(ABILITIES),
    st.none() | st.sampled_from(ABILITIES),
    counts,
    paces,
    st.booleans(),
    st.booleans(),
)


@pytest.mark.parametrize("die", DIE_TYPES)
@pytest.mark.rule("BAR-DIE")
def test_every_die_type(die: str) -> None:
    for word in (f"die: {die}", f"die {die}", die, f"  DIE:{die.upper()} "):
        assert read_options((word,), DEFAULT).die == die


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("no dice", Options(no_dice=True)),
        ("Dice phobe", Options(no_dice=True)),
        ("support: boats", Options(support="Boats")),
        ("support first aid", Options(support="First Aid")),
        ("use: muscle power", Options(use="Muscle Power")),
        ("convert 2", Options(convert=2)),
        ("phases saved: 1", Options(pace=Pace(saved=1))),
        ("phases extra 2", Options(pace=Pace(extra=2))),
        ("extra phases: 2", Options(pace=Pace(extra=2))),
        ("halvings: 1", Options(pace=Pace(halvings=1))),
        ("Doublings 3", Options(pace=Pace(doublings=3))),
        ("mental", Options(mental=True)),
        ("non-lethal", Options(nonlethal=True)),
    ],
)
@pytest.mark.rule("BAR-POOL", "BAR-TIME", "BAR-AUTO")
def test_every_word(word: str, expected: Options) -> None:
    assert read_options((word,), DEFAULT) == expected


@given(options)
def test_there_and_back(given_: Options) -> None:
    assert read_options(write_options(given_), DEFAULT) == given_


@given(paces, st.none() | st.fractions(Fraction(1, 9), 9, max_denominator=9), st.none() | counts)
def test_there_and_back_for_gms(pace: Pace, factor: Fraction | None, chances: int | None) -> None:
    granted = GmOptions(pace, factor, chances)
    assert read_gm_options(write_gm_options(granted)) == granted


@given(st.lists(st.text(max_size=30), max_size=5))
def test_anything_else_is_refused_in_order(words: list[str]) -> None:
    for read in (lambda: read_options(tuple(words), DEFAULT), lambda: read_gm_options(tuple(words))):
        try:
            read()
        except RulesError as error:
            assert error.code


@pytest.mark.parametrize("words", [("no dice",), ("dice phobe",)])
def test_a_campaign_may_want_everybody_to_roll(words: tuple[str, ...]) -> None:
    with pytest.raises(RulesError, match="no-dice-phobes"):
        read_options(words, Campaign(dice_phobes=False))
    assert "no dice" not in [choice.value for choice in choices(Campaign(dice_phobes=False), None, gm=False)]


@pytest.mark.parametrize("text", ["0", "-1", "x", "1/0", "101", "1e9", "", "9" * 20, "\u0663", "1/x", "nan"])
@pytest.mark.rule("BAR-HEAL")
def test_factors_that_are_none(text: str) -> None:
    with pytest.raises(RulesError, match="bad-factor"):
        read_factor(text)


@pytest.mark.parametrize(("text", "value"), [("2", 2), ("1,5", Fraction(3, 2)), (" 1/3 ", Fraction(1, 3))])
def test_factors(text: str, value: Any) -> None:
    assert read_factor(text) == value


@pytest.mark.parametrize("gm", [True, False])
def test_everything_offered_is_understood(gm: bool) -> None:
    offered = choices(DEFAULT, sheet(MAREK), gm=gm)
    assert len({choice.value for choice in offered}) == len(offered)
    for choice in offered:
        assert read_gm_options((choice.value,)) if gm else read_options((choice.value,), DEFAULT)
