"""The words of `with` as they are read and written, and those that only a GM's answer holds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import InvalidInput, NotFound
from rules.core.rng import Scripted
from rules.systems.ebb.difficulty import Adjustments
from rules.systems.ebb.options import ASK, DEFENCE, RULE, adjustments_of, values_of
from rules.table.actions import Actor, Answer, Propose, Roll
from rules.table.checks.views import check_view
from rules.table.forms import Form
from rules.table.state import TableState
from tests.builders import game, resolve
from tests.rules.ebb.test_chances import ANA, BY, GM, table

EBB = game()


def _answered(*options: str) -> TableState:
    state = table()
    propose: dict[str, Any] = {"skill": "Climbing", "attribute": "Fitness", "approach": "up the wall"}
    state = resolve(state, Propose(who=ANA, **BY, **propose), Scripted([])).state
    answer: dict[str, Any] = {"kind": "roll", "difficulty": "Tricky", "options": options}
    return resolve(state, Answer(who=GM, **BY, challenge="c1", revision=1, **answer), Scripted([])).state


def _notes(state: TableState, *faces: int, who: Actor = GM) -> list[str]:
    check = state.challenges["c1"]
    state = resolve(
        state, Roll(who=ANA, **BY, challenge="c1", revision=check.revision), Scripted(faces)
    ).state
    view = check_view(state, EBB, state.challenges["c1"], gm=who == GM, who=who.id)
    return [line.code for line in view.notes]


@pytest.mark.parametrize("form", [ASK, DEFENCE, RULE])
def test_every_word_that_is_offered_is_read_and_written_as_it_is(form: Form) -> None:
    for option in form.offers():
        values = form.read_words((option.value,))
        assert len(values) == 1
        assert form.write_words(values) == (option.value,)


@pytest.mark.parametrize("word", ["specialist", "specialist-luck", "urgent", "luck:Fitness"])
def test_what_a_gm_says_is_not_for_players(word: str) -> None:
    assert word not in [each.value for each in ASK.offers()]
    with pytest.raises(NotFound, match="unknown-option"):
        ASK.read_words((word,))


@pytest.mark.parametrize("words", [("urgent", "urgent"), ("luck:zone", "luck:fitness")])
def test_a_word_stands_once(words: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInput, match="option-twice"):
        RULE.read_words(words)


@given(
    st.builds(
        Adjustments,
        dilemmas=st.integers(0, 9),
        flaw=st.integers(0, 2),
        equipment=st.integers(-1, 9),
        drawback=st.booleans(),
        injured=st.booleans(),
    )
)
def test_adjustments_there_and_back(adjustments: Adjustments) -> None:
    words = ASK.write_words(values_of(adjustments))
    assert adjustments_of(ASK.read_words(words)) == adjustments


@pytest.mark.parametrize("word", ["dilemma", "dilemma:2", "Superior"])
@pytest.mark.rule("EBB-OPPOSED")
def test_what_helps_a_defence_only_the_gm_gives(word: str) -> None:
    with pytest.raises(InvalidInput, match="gm-gives-that") as refused:
        DEFENCE.read_words((word,))
    assert refused.value.params["allowed"] == tuple(option.value for option in DEFENCE.offers())


@pytest.mark.rule("EBB-LUCK", "EBB-SPECIALIST", "EBB-FAIL")
def test_what_was_ruled_is_offered_again_when_the_answer_is_changed() -> None:
    words = ("specialist", "specialist-luck", "urgent", "luck:Zone")
    assert EBB.course.suggest(_answered(*words).challenges["c1"]) == ("Tricky", words, 0)
    assert EBB.course.suggest(_answered("flaw").challenges["c1"]) == ("Tricky", ("flaw",), 0)


@pytest.mark.rule("EBB-FAIL")
def test_against_time_any_failure_loses_the_chance() -> None:
    assert _notes(_answered(), 2, 4) == ["ebb-note-others", "ebb-note-price"]
    assert _notes(_answered("urgent"), 2, 4) == ["ebb-note-chance-lost", "ebb-note-price"]
    assert _notes(_answered(), 2, 1) == ["ebb-note-different", "ebb-note-price"]
    assert _notes(_answered("urgent"), 2, 1, who=ANA) == ["ebb-note-chance-lost"]
