"""Effects on their way to their targets are parts of a table that can be read again."""

from __future__ import annotations

import pytest

from rules.core.rng import ScriptedRng
from rules.systems.masterbook.effects.cast_state import CastOutcome
from rules.systems.masterbook.effects.strike_state import (
    EffectStart,
    waiting_start,
    with_waiting_start,
    without_waiting_start,
)
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint, KnownEffect
from rules.systems.masterbook.system import SYSTEM
from rules.table.state import Settings, TableState, from_parts
from rules.table.system import Game
from tests.sample_table import GM

CAST = CastOutcome(KnownEffect(Blueprint("Spark", "Conjuration")), "k1", 10)


def empty_table() -> Game:
    """Return a table without characters."""
    return Game(TableState(Settings("Tide", "masterbook", ("p1",))), SYSTEM, ScriptedRng(()), 0, GM)


def read_again(game: Game) -> Game:
    """Return the game of a process that has read the table from its parts."""
    return game.with_state(from_parts(dict(game.state.parts())))


def test_an_effect_on_its_way_is_there_after_a_restart() -> None:
    game, number = with_waiting_start(empty_table(), EffectStart(CAST))
    game = read_again(game)
    assert waiting_start(game, number) == EffectStart(CAST)
    game = read_again(without_waiting_start(game, number))
    assert waiting_start(game, number) is None


def test_a_part_that_could_not_be_read_again_is_refused() -> None:
    state = empty_table().state
    with pytest.raises(ValueError, match="needs a colon"):
        state.with_own("effect-strikes", EffectStart(CAST))
    with pytest.raises(ValueError, match="needs a colon"):
        state.with_own("effect-strikes", None)
