"""Effect values that are chosen anew within their band while an effect runs (MB-SFX-33).

The band lies around the effect value that the casting reached, and steps that the caster chose then
are no part of that.
"""

from __future__ import annotations

from typing import NamedTuple

from rules.core.errors import Impossible, InvalidInput
from rules.systems.masterbook.effects.cast_state import CastOutcome
from rules.systems.masterbook.effects.effect_results import COLUMNS, result_for
from rules.systems.masterbook.effects.state import RunningEffect, ValueChange, with_running
from rules.systems.masterbook.effects.strike_state import EffectResult
from rules.systems.masterbook.effects.taking_hold import result_notes
from rules.systems.masterbook.effects.value_changes import with_changes_on_sheets
from rules.systems.masterbook.formulas.effect_costs import band_steps
from rules.table.blocks import FOR_EVERYONE, Block, Note, Text
from rules.table.checks.shared_blocks import GMS_ONLY
from rules.table.system import Game, is_npc


def running_band(effect: RunningEffect) -> tuple[int, int]:
    """Return the lowest and highest effect value that a running effect may have (MB-SFX-S10)."""
    down, up = band_steps(effect.known.blueprint)
    cast_value = effect.effect_value - effect.shift
    return max(0, cast_value - down), cast_value + up


def is_variable(effect: RunningEffect) -> bool:
    """Return whether the effect value of a running effect may be chosen anew."""
    low, high = running_band(effect)
    return low < high


class ChosenValue(NamedTuple):
    """A running effect with another effect value, and what that does to its targets."""

    game: Game
    effect: RunningEffect
    blocks: tuple[Block, ...]


def choose_value(game: Game, effect: RunningEffect, value: int | None) -> ChosenValue:
    """Return the game once the effect value of a running effect is chosen anew (MB-SFX-33).

    Values that the effect raises or lowers are met anew, from what they are without it.

    Raises:
        InvalidInput("mb-effect-no-value"): no value is named.
        InvalidInput("out-of-range"): the value is outside the band.
        Impossible("mb-effect-same-value"): the effect has that value.
    """
    low, high = running_band(effect)
    if value is None:
        raise InvalidInput(
            "mb-effect-no-value", field="value", value=None, lowest=low, highest=high
        )
    if not low <= value <= high:
        raise InvalidInput("out-of-range", field="value", value=value, lowest=low, highest=high)
    if value == effect.effect_value:
        raise Impossible("mb-effect-same-value", name=effect.known.name, value=value)
    before = effect.effect_value
    shift = effect.shift + value - before
    effect = effect.replace(effect_value=value, shift=shift, changes=())
    game = with_changes_on_sheets(with_running(game, effect))
    results = _results_of(game, effect)
    changes: list[ValueChange] = []
    for result in results:
        changes += result.changes
    effect = effect.replace(changes=tuple(changes))
    game = with_changes_on_sheets(with_running(game, effect))
    notes: list[Block] = []
    if effect.known.blueprint.action not in ("damage", *COLUMNS):
        notes = result_notes(game, effect.known.blueprint, results, effect.caster)
    audience = GMS_ONLY if is_npc(game, effect.caster) else FOR_EVERYONE
    chosen = Note(Text("mb-effect-value-chosen", {"before": before, "after": value}), audience)
    return ChosenValue(game, effect, (chosen, *notes))


def _results_of(game: Game, effect: RunningEffect) -> tuple[EffectResult, ...]:
    """Return the result of an effect for each target that has not seen through it."""
    cast = CastOutcome(effect.known, effect.caster, effect.effect_value, effect.targets)
    results: list[EffectResult] = []
    for target in effect.targets:
        if target.who in effect.disbelievers:
            continue
        if not target.who or target.who in game.state.characters:
            results.append(result_for(game, cast, target, effect.ruled))
    return tuple(results)
