"""Durations of effects over rounds and the story's clock, in any mix (MB-SFX-26)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.systems.masterbook.effects.effect_harm import harm_between, without_dealt_harm
from rules.systems.masterbook.effects.running import pass_seconds, rounds_left
from rules.systems.masterbook.effects.state import RunningEffect
from rules.systems.masterbook.formulas.damage import Harm
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint, KnownEffect
from rules.systems.masterbook.formulas.value_chart import ROUND_SECONDS

#: A round of combat, one of talk, and what the clock is moved by.
SPANS = st.lists(st.sampled_from((10, 60, 60, 120, 3600)), max_size=12)


def running(seconds: int) -> RunningEffect:
    known = KnownEffect(Blueprint("Boost", "Alteration"))
    return RunningEffect(1, known, "k1", 15, (), seconds, seconds)


def pass_spans(effect: RunningEffect, spans: Sequence[int]) -> tuple[RunningEffect, int, bool]:
    """Return the effect after all spans, how often it struck, and whether it has run out."""
    strikes, over = 0, False
    for span in spans:
        effect, more, over = pass_seconds(effect, span)
        strikes += more
    return effect, strikes, over


@pytest.mark.rule("MB-SFX-26")
@given(st.integers(10, 20_000), SPANS)
def test_an_effect_lasts_the_sum_of_its_seconds(seconds: int, spans: list[int]) -> None:
    effect, strikes, over = pass_spans(running(seconds), spans)
    total = sum(spans)
    assert effect.seconds_left == max(0, seconds - total)
    assert effect.age == total
    if spans:
        assert over == (total >= seconds)
    at_once, strikes_at_once, _ = pass_spans(running(seconds), [total])
    assert (effect.seconds_left, strikes) == (at_once.seconds_left, strikes_at_once)


@pytest.mark.rule("MB-SFX-26")
@given(st.integers(10, 20_000))
def test_it_lasts_as_many_begun_rounds_as_its_seconds_make(seconds: int) -> None:
    effect, rounds, strikes = running(seconds), 0, 1
    while effect.seconds_left:
        assert rounds_left(effect) == -(-seconds // ROUND_SECONDS) - rounds
        effect, more, _ = pass_seconds(effect, ROUND_SECONDS)
        rounds, strikes = rounds + 1, strikes + more
    assert rounds == strikes == -(-seconds // ROUND_SECONDS)


HARMS = st.builds(
    Harm,
    wounds=st.integers(0, 6),
    shock=st.integers(0, 20),
    k=st.integers(0, 1800),
    o=st.booleans(),
    out_for=st.integers(0, 60),
    fainted=st.booleans(),
    dead_for=st.none() | st.just(0),
)


@pytest.mark.rule("MB-SFX-30")
@given(HARMS, HARMS)
def test_what_an_illusion_did_is_taken_back(before: Harm, more: Harm) -> None:
    after = before.replace(
        wounds=before.wounds + more.wounds,
        shock=before.shock + more.shock,
        k=before.k + more.k,
        out_for=before.out_for + more.out_for,
        o=before.o or more.o,
        fainted=before.fainted or more.fainted,
        dead_for=before.dead_for if before.dead else more.dead_for,
    )
    dealt = harm_between("k1", before, after)
    assert (dealt is None) == (before == after)
    if dealt is not None:
        assert without_dealt_harm(after, dealt) == before
