"""Choices of a caster whose feedback hurts: about the damage, and about the roll (MB-SFX-21)."""

from __future__ import annotations

from typing import Any

from rules.systems.masterbook.checks.damage_reduction import DamageReductionStage
from rules.table.check import AnyCheck, Choice
from rules.table.checks.procedure import StageResult
from rules.table.system import Game


class FeedbackReduction(DamageReductionStage):
    """The caster may lower feedback with a Life Point, as any damage, or change the roll.

    The check doesn't wait at the dice for a caster who has just rolled against an open difficulty,
    so its panel offers both (MB-DIE-03). The data has the `feedback`, None before it is weighed.
    """

    def _step_back(self, game: Game, check: AnyCheck, choice: Choice) -> StageResult[Any]:
        """Return the result of a choice about the roll; the feedback is weighed anew."""
        result = super()._step_back(game, check, choice)
        return result.replace(data=result.data.replace(feedback=None, blows=()))
