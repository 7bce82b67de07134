"""Bad Luck: throws that set it off, its count in an adventure, and strokes kept for later
(MB-BG-43).
"""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import Impossible, InvalidInput
from rules.core.rng import ScriptedRng
from rules.systems.masterbook.character.options import BackgroundOption
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks.card_awards import (
    BadLuckStage,
    Fortune,
    fortune_of,
    is_struck,
    spend_banked_luck,
)
from rules.systems.masterbook.checks.state import Attempt
from rules.systems.masterbook.formulas import dice
from rules.systems.masterbook.formulas.interaction import SETBACK
from rules.systems.masterbook.system import SYSTEM
from rules.table.check import ANY_GM, Check, Choice
from rules.table.marks import apply_tick, marks_of
from rules.table.state import Character, Settings, TableState
from rules.table.system import Game
from tests.sample_table import GM

NORA = "k1"
#: Totals of two natural dice that each column goes by, as the rule lists them.
TOTALS: Final = {"I": {2}, "II": {2, 3}, "III": {2, 3, 4}}
FACE = st.integers(1, 10)
LATER_FACE = st.integers(1, 9)


def _sheet(column: str) -> MasterbookSheet:
    if not column:
        return MasterbookSheet()
    return MasterbookSheet(compensations=(BackgroundOption("Bad Luck", len(column)),))


def _game(column: str = "III", owner: str | None = "p2") -> Game:
    nora = Character(NORA, "Nora", owner, _sheet(column))
    settings = Settings("Hills", "masterbook", ("p1",))
    state = TableState(settings, characters={NORA: nora})
    return Game(state, SYSTEM, ScriptedRng(()), 0, GM)


def _check(low: int, number: int = 1, *, round: int | None = None) -> Check[Any]:
    throw = dice.Throw(NORA, "check", roll=dice.Roll((1, low - 1), low=low))
    data = Attempt(throws=(throw,))
    name = f"c{number}"
    return Check(name, "check", "100", "p2", "unlucky", 0, data, actor=NORA, round=round)


@pytest.mark.rule("MB-BG-43", "MB-BG-15")
@given(st.sampled_from(["", *TOTALS]), FACE, FACE, st.lists(LATER_FACE, min_size=4, max_size=4))
def test_natural_pairs_set_bad_luck_off_as_the_column_says(
    column: str, first: int, second: int, later: list[int]
) -> None:
    """Tens that roll again fall alone; a point's two dice are a pair."""
    rng = ScriptedRng((first, second, *later)).public
    roll = dice.throw(rng, tens=True)
    pairs = [first + second]
    alone = [first, second].count(10)
    assert is_struck(_sheet(column), roll.low) == (pairs[0] in TOTALS.get(column, ()))
    roll = dice.spend_point(roll, rng)
    pairs.append(later[alone] + later[alone + 1])
    struck = any(pair in TOTALS.get(column, ()) for pair in pairs)
    assert is_struck(_sheet(column), roll.low) == struck


@pytest.mark.rule("MB-BG-43")
@pytest.mark.parametrize(
    ("column", "round", "ways"),
    [
        ("I", None, ["mishap", "stymied", "skip"]),
        ("II", 2, ["mishap", "stymied", "setback", "skip"]),
        ("III", 2, ["mishap", "setback", "bank", "skip"]),
        ("III", None, ["mishap", "bank", "skip"]),
    ],
)
def test_a_column_has_its_own_consequences(column: str, round: int | None, ways: list[str]) -> None:
    offered = BadLuckStage().options(_game(column), _check(2, round=round), "bad-luck", ANY_GM)
    assert [each.value for each in offered] == ways


def _struck(game: Game, number: int, how: str) -> Game:
    stage, check = BadLuckStage(), _check(2, number)
    entered = stage.enter(game, check)
    assert entered is not None
    game = game.with_state(entered.state)
    return game.with_state(stage.choose(game, check, Choice("bad-luck", how, ANY_GM)).state)


@pytest.mark.rule("MB-BG-43")
def test_the_third_stroke_of_an_adventure_is_called_so() -> None:
    game, stage = _game(), BadLuckStage()
    for number in (1, 2):
        game = _struck(game, number, "mishap")
    game = _struck(game, 3, "skip")
    assert fortune_of(game, NORA) == Fortune(triggers=2), "what the GM skips doesn't count"
    entered = stage.enter(game, _check(2, 4))
    assert entered is not None
    game = game.with_state(entered.state)
    offered = stage.options(game, _check(2, 4), "bad-luck", ANY_GM)
    assert {each.label.params["times"] for each in offered} == {3}
    made = stage.choose(game, _check(2, 4), Choice("bad-luck", "mishap", ANY_GM))
    assert made.said is not None and made.said.params["times"] == 0, "the number is the GM's"
    game = apply_tick(game, "adventure", (NORA,)).game
    assert fortune_of(game, NORA) == Fortune()


@pytest.mark.rule("MB-BG-43")
def test_a_banked_stroke_is_spent_once() -> None:
    game = _struck(_game(), 1, "bank")
    assert fortune_of(game, NORA) == Fortune(triggers=1, banked=1)
    assert not marks_of(game.state, NORA, SETBACK)
    with pytest.raises(InvalidInput) as fault:
        spend_banked_luck(game, NORA, "setback")
    assert fault.value.code == "mb-bad-luck-how", "there are no rounds in which to lose an action"
    game = spend_banked_luck(game, NORA, "mishap")
    assert fortune_of(game, NORA) == Fortune(triggers=1)
    with pytest.raises(Impossible) as none:
        spend_banked_luck(game, NORA, "mishap")
    assert none.value.code == "mb-no-banked-luck"


@pytest.mark.rule("MB-BG-43")
def test_dice_of_an_npc_are_never_bad_luck() -> None:
    game = _game(owner=None)
    assert BadLuckStage().enter(game, _check(2)) is None
    assert not BadLuckStage().options(game, _check(2), "bad-luck", ANY_GM)
