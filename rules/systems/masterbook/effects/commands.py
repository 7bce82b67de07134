"""Everything that `/effect` adds to the system."""

from __future__ import annotations

from typing import Any, Final

from rules.systems.masterbook.effects import (
    builder,
    cast_time,
    casting,
    charges,
    consent,
    disbelief,
    escapes,
    learning,
    library,
    maintenance,
    quick_effects,
    steering,
    strikes,
    wards,
)
from rules.systems.masterbook.effects.running import follow_departures
from rules.table.checks.procedure import Procedure
from rules.table.commands import Command
from rules.table.deeds import Deed
from rules.table.outcome import Outcome
from rules.table.system import Game

#: Group of these commands, beside `/mb`.
GROUP: Final = "effect"
COMMANDS: Final[tuple[Command, ...]] = (
    *builder.COMMANDS,
    *library.COMMANDS,
    *quick_effects.COMMANDS,
    *learning.COMMANDS,
    *casting.COMMANDS,
    *charges.COMMANDS,
    *steering.COMMANDS,
    *disbelief.COMMANDS,
    *escapes.COMMANDS,
    *wards.COMMANDS,
)
DEEDS: Final[tuple[Deed[Any], ...]] = (
    *library.DEEDS,
    *learning.DEEDS,
    *charges.DEEDS,
    *steering.DEEDS,
    *wards.DEEDS,
)
#: Actions that forms send.
ACTIONS: Final = {**builder.ACTIONS, **quick_effects.ACTIONS}
PROCEDURES: Final[tuple[Procedure[Any], ...]] = (
    *casting.PROCEDURES,
    *strikes.PROCEDURES,
    *charges.PROCEDURES,
    *maintenance.PROCEDURES,
    *disbelief.PROCEDURES,
    *escapes.PROCEDURES,
)


def follow_up(game: Game, outcome: Outcome) -> Outcome:
    """Return the outcome of an action with what follows from it by itself."""
    outcome = follow_departures(game, cast_time.follow_castings(game, outcome))
    return consent.ask_about_feedback(game, outcome)
