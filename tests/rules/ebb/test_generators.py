"""Anomalies and artefacts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.rng import Die, KeyedRng, ScriptedRng
from rules.systems.ebb.reference_rows import GENERATORS
from tests.conformance.ebb import generate


@pytest.mark.rule("EBB-ANOMALY")
def test_two_common_properties() -> None:
    assert generate(ScriptedRng([1, 19]), "anomaly") == (
        ("Liquid, static", "Dehydrating"),
        (Die("first", 20, 1), Die("second", 20, 19)),
    )


@pytest.mark.rule("EBB-ANOMALY")
def test_a_twenty_rolls_on_the_rare_table_at_once() -> None:
    said, dice = generate(ScriptedRng([20, 10, 20, 1]), "anomaly")
    assert said == ("Destruction", "Wounding")
    assert [(die.name, die.sides) for die in dice] == [
        ("first", 20),
        ("first-rare", 10),
        ("second", 20),
        ("second-rare", 10),
    ]


@pytest.mark.rule("EBB-ARTEFACT")
def test_artefacts_have_tables_of_their_own() -> None:
    said, _ = generate(ScriptedRng([19, 20, 10]), "artefact")
    assert said == ("Magnetic, exogenetic", "Telepathy")


@pytest.mark.rule("EBB-ANOMALY", "EBB-ARTEFACT")
@pytest.mark.parametrize("kind", GENERATORS)
def test_every_face_has_its_row(kind: str) -> None:
    first, second = GENERATORS[kind]["first"], GENERATORS[kind]["second"]
    for face in range(1, 20):
        said, _ = generate(ScriptedRng([face, face]), kind)
        assert said == (first.common[face - 1], second.common[face - 1])
    for face in range(1, 11):
        said, _ = generate(ScriptedRng([20, face, 20, face]), kind)
        assert said == (first.rare[face - 1], second.rare[face - 1])


@given(st.sampled_from([*GENERATORS]), st.integers(0, 10**6))
def test_any_draw_gives_both_properties(kind: str, request: int) -> None:
    said, dice = generate(KeyedRng(bytes(16), str(request)), kind)
    assert all(said)
    assert 2 <= len(dice) <= 4
