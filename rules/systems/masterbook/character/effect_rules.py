"""Rules of a table and its world for building special effects (MB-SFX-12, MB-SFX-14)."""

from __future__ import annotations

from collections.abc import Iterator

from rules.systems.masterbook.character.world_profile import (
    EffectAdjustment,
    MasterbookCampaign,
    WorldEffects,
)
from rules.systems.masterbook.formulas.effect_costs import WorksheetRules
from rules.systems.masterbook.formulas.effect_rows import effect_kind
from rules.table.system import Game


def world_effects(game: Game) -> WorldEffects | None:
    """Return the effects of the world's profile; None if the profile has none."""
    campaign = game.campaign
    return campaign.world.special_effects if isinstance(campaign, MasterbookCampaign) else None


def kind_allowed(game: Game, skill: str) -> bool:
    """Return whether the world has the kind of effects that a skill casts (MB-SFX-12).

    A world without effects in its profile has all kinds.
    """
    effects = world_effects(game)
    return effects is None or bool(getattr(effects, effect_kind(skill)))


def worksheet_rules(game: Game, skill: str) -> WorksheetRules:
    """Return the rules of worksheets for a skill's effects (MB-SFX-14, MB-SFX-40)."""
    effects = world_effects(game)
    start = game.setting("effect_start_total")
    for adjustment in world_adjustments(game):
        if adjustment.skill in ("", skill):
            start += adjustment.start_total
    return WorksheetRules(
        start_total=start,
        component_cap=game.setting("effect_component_cap"),
        creative_bonus_most=game.setting("effect_creative_most"),
        other_condition_most=game.setting("effect_condition_most"),
        focus_rounds_up=game.setting("effect_focus_rounds_up"),
        movement_before_accuracy=game.setting("effect_movement_first"),
        psionic_charges=game.setting("effect_psionic_charges"),
        ill_fitting_step=game.setting("effect_ill_fitting_step"),
        forbidden=() if effects is None else effects.forbidden,
    )


def world_adjustments(game: Game) -> Iterator[EffectAdjustment]:
    """Yield the world's adjustments of skills and effect values (MB-SFX-14)."""
    effects = world_effects(game)
    if effects is not None:
        yield from effects.adjustments
