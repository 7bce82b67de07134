"""The words of `with` as they are read and written, and those that only a GM's answer holds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import InvalidInput, NotFound
from rules.systems.ebb.difficulty import DEFENSE_OPTIONS, PROPOSAL_OPTIONS, RULING_OPTIONS, Plan
from rules.table.actions import Actor
from rules.table.forms.form import Form
from tests.rules.ebb.play import Play, codes, ready
from tests.sample_table import ANN, GM


def _answered(**values: Any) -> Play:
    return ready(difficulty="Tricky", **values)


def _notes(play: Play, *faces: int, who: Actor = GM) -> list[str]:
    return codes(play.choose(ANN, "ready", "roll", *faces).notes(who))


@pytest.mark.parametrize("form", [PROPOSAL_OPTIONS, DEFENSE_OPTIONS, RULING_OPTIONS])
def test_every_word_that_is_offered_is_read_and_written_as_it_is(form: Form) -> None:
    for option in form.word_options():
        values = form.read_words((option.value,))
        assert len(values) == 1
        assert form.write_words(values) == (option.value,)


@pytest.mark.parametrize("word", ["specialist", "specialist-luck", "urgent", "luck:Fitness"])
def test_what_a_gm_says_is_not_for_players(word: str) -> None:
    assert word not in [each.value for each in PROPOSAL_OPTIONS.word_options()]
    with pytest.raises(NotFound, match="unknown-option"):
        PROPOSAL_OPTIONS.read_words((word,))


@pytest.mark.parametrize("words", [("urgent", "urgent"), ("luck:zone", "luck:fitness")])
def test_a_word_stands_once(words: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInput, match="option-twice"):
        RULING_OPTIONS.read_words(words)


@given(
    st.builds(
        Plan,
        dilemma=st.integers(0, 9),
        flaw=st.integers(0, 2),
        missing_tools=st.integers(0, 9),
        drawback=st.booleans(),
        injured=st.booleans(),
    )
    | st.builds(Plan, superior=st.booleans(), drawback=st.booleans())
)
def test_adjustments_there_and_back(plan: Plan) -> None:
    words = PROPOSAL_OPTIONS.write_words(PROPOSAL_OPTIONS.changed_values(plan))
    assert PROPOSAL_OPTIONS.make_record(Plan, PROPOSAL_OPTIONS.read_words(words)) == plan


@pytest.mark.parametrize("word", ["dilemma", "dilemma:2", "Superior"])
@pytest.mark.rule("EBB-OPPOSED")
def test_what_helps_a_defense_only_the_gm_gives(word: str) -> None:
    with pytest.raises(InvalidInput, match="gm-gives-that") as refused:
        DEFENSE_OPTIONS.read_words((word,))
    assert refused.value.params["allowed"] == tuple(
        option.value for option in DEFENSE_OPTIONS.word_options()
    )


@pytest.mark.rule("EBB-LUCK", "EBB-SPECIALIST", "EBB-FAIL")
def test_what_was_ruled_is_offered_again_when_the_answer_is_changed() -> None:
    words = ("specialist", "specialist-luck", "urgent", "luck: Zone")
    for values in (RULING_OPTIONS.read_words(words), {"flaw": 1}):
        again = _answered(**values).option(GM, "rule", "roll").values
        assert again == {"difficulty": "Tricky", **values}
    assert (
        RULING_OPTIONS.write_words(
            _answered(**RULING_OPTIONS.read_words(words)).option(GM, "rule", "roll").values
        )
        == words
    )


@pytest.mark.rule("EBB-FAIL")
def test_against_time_any_failure_loses_the_chance() -> None:
    assert _notes(_answered(), 2, 4) == ["ebb-note near_miss", "ebb-note price"]
    assert _notes(_answered(urgent=True), 2, 4) == ["ebb-note lost", "ebb-note price"]
    assert _notes(_answered(), 2, 1) == ["ebb-note failure", "ebb-note price"]
    assert _notes(_answered(urgent=True), 2, 1, who=ANN) == ["ebb-note lost"]
    for faces in ((2, 4), (2, 1), (1, 2), (1, 1)):
        assert "ebb-note lost" in _notes(_answered(urgent=True), *faces)
    assert _notes(_answered(urgent=True), 9, 6) == []


@pytest.mark.rule("EBB-FAIL")
def test_what_a_failure_leaves_behind() -> None:
    assert _notes(_answered(), 9, 6) == []
    assert _notes(_answered(), 1, 2) == ["ebb-note price"]
    assert _notes(_answered(), 1, 1) == ["ebb-note fumble", "ebb-note price"]
