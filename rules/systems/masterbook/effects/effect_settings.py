"""Settings of special effects, by table and by world (MB-SFX-14, MB-SFX-21, MB-SFX-31)."""

from __future__ import annotations

from typing import Final

from rules.systems.masterbook.character.effect_rules import (
    worksheet_rules,
    world_adjustments,
    world_effects,
)
from rules.systems.masterbook.character.world_profile import WorldEffects
from rules.systems.masterbook.formulas.effect_values import (
    AutomaticFeedback,
    FeedbackResist,
    SpeedRule,
)
from rules.systems.masterbook.formulas.effect_worksheet import Figures
from rules.table.system import Game

__all__ = [
    "FEEDBACK_SETTING",
    "area_falls_off",
    "autofail_feedback",
    "casting_cost",
    "design_rounds_up",
    "feedback_resist",
    "interrupt_feedback",
    "learning_cost",
    "learning_points_each",
    "may_rush",
    "one_charging_per_object",
    "speed_rule",
    "support_rolls_are_actions",
    "worksheet_rules",
    "world_effects",
    "world_figures",
]

#: Setting of what lowers feedback; GMs are asked about it once.
FEEDBACK_SETTING: Final = "effect_feedback_resist"


def world_figures(game: Game, figures: Figures, skill: str, effect_value: int) -> Figures:
    """Return an effect's figures with what the world and the table add at casting (MB-SFX-14).

    No figure falls below 0.
    """
    effects = world_effects(game) or WorldEffects()
    dn = figures.dn + game.setting("effect_world_difficulty") + effects.difficulty_adjust
    fv = figures.fv + effects.feedback_adjust
    for adjustment in world_adjustments(game):
        if adjustment.skill in ("", skill) and effect_value >= adjustment.from_effect_value:
            dn += adjustment.difficulty
            fv += adjustment.feedback
    return Figures(max(0, dn), max(0, fv))


def casting_cost(game: Game) -> str:
    """Return the world's cost of every casting, in words; empty for none (MB-SFX-14)."""
    effects = world_effects(game)
    return "" if effects is None else effects.requirement


def feedback_resist(game: Game) -> FeedbackResist:
    """Return the resistance to feedback before it is read as damage (MB-SFX-21)."""
    return game.setting(FEEDBACK_SETTING)


def autofail_feedback(game: Game) -> AutomaticFeedback:
    """Return the feedback of a casting that fails without a roll (MB-SFX-31)."""
    return "full" if game.setting("effect_failure_feedback") else "none"


def interrupt_feedback(game: Game) -> AutomaticFeedback:
    """Return the feedback of a casting that is broken off (MB-SFX-31)."""
    return "full" if game.setting("effect_interrupt_feedback") else "none"


def support_rolls_are_actions(game: Game) -> bool:
    """Return whether rolls at a casting are several actions of one round (MB-SFX-31)."""
    return game.setting("effect_support_actions")


def area_falls_off(game: Game) -> bool:
    """Return whether an area's bonus to hit drops with the distance from its center (MB-SFX-22)."""
    return game.setting("effect_area_falloff")


def one_charging_per_object(game: Game) -> bool:
    """Return whether an object that holds charges takes no others (MB-SFX-29)."""
    return game.setting("effect_one_charging")


def speed_rule(game: Game) -> SpeedRule:
    """Return the rule that turns result points over a mass into speed (MB-SFX-33)."""
    return game.setting("effect_speed")


def may_rush(game: Game) -> bool:
    """Return whether designing an effect in play may be rushed (MB-SFX-92)."""
    return game.setting("effect_rush")


def design_rounds_up(game: Game) -> bool:
    """Return whether half of the design time's value is rounded up (MB-SFX-91)."""
    return game.setting("effect_design_rounds_up")


def learning_points_each(game: Game) -> int:
    """Return the points of a skill's value for each effect to learn (MB-SFX-13)."""
    return game.setting("effect_skill_points_each")


def learning_cost(game: Game) -> int:
    """Return the Life Points that learning an effect costs (MB-SFX-13)."""
    return game.setting("effect_learning_cost")
