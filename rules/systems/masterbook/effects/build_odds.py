"""Exact chances of an effect that is being built: its roll, and those for its conditions."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from rules.core.errors import RulesError
from rules.core.record import Record
from rules.systems.masterbook.checks.attempt_values import means_of, rated_by
from rules.systems.masterbook.combat.odds import odds_of_reaching, roll_profile
from rules.systems.masterbook.effects.cast_state import Cast, rolled_conditions
from rules.systems.masterbook.effects.cast_support import action_cost, condition_plan
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint, Condition, KnownEffect
from rules.systems.masterbook.formulas.effect_condition_points import condition_dn
from rules.table.system import Game

_NONE: Final = Fraction(0)
_CERTAIN: Final = Fraction(1)


class SupportOdds(Record):
    """Rolls for the conditions of a casting, as far as its caster makes them (MB-SFX-31)."""

    #: Chance that the caster makes all of them; None if there are none.
    chance: Fraction | None = None
    #: Whether helpers roll too, whose values are not known yet.
    helpers: bool = False


def support_odds(game: Game, who: str, blueprint: Blueprint) -> SupportOdds:
    """Return the chance that a caster meets the conditions of an effect by its own values."""
    data = Cast(known=KnownEffect(blueprint))
    chance: Fraction | None = None
    helpers = False
    for index in rolled_conditions(blueprint):
        condition = blueprint.conditions[index]
        if condition.kind == "community":
            helpers = True
            continue
        own = _condition_odds(game, who, data.replace(condition_index=index), condition)
        chance = own * (_CERTAIN if chance is None else chance)
    return SupportOdds(chance, helpers)


def _condition_odds(game: Game, who: str, data: Cast, condition: Condition) -> Fraction:
    """Return the chance of one roll; 0 for a skill that the caster lacks (MB-SFX-S22)."""
    try:
        plan = condition_plan(game, who, condition)
        if condition.kind == "related_skill" and not means_of(game, who, plan).all_adds:
            return _NONE
        rating = rated_by(game, who, plan)
    except RulesError:
        return _NONE
    cost = action_cost(game, data)
    if cost:
        rating = rating.with_causes(("multi_action", cost))
    return odds_of_reaching(roll_profile(rating), condition_dn(condition) or 0)
