"""Exact chances of a casting: success, no feedback, being put out, dying (MB-SFX-20, MB-SFX-21)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

from rules.core.errors import Impossible
from rules.core.record import Record
from rules.systems.masterbook.checks.action_economy import dice_again
from rules.systems.masterbook.checks.sheet_damage import condition_after
from rules.systems.masterbook.checks.view import plan_name, rated_lines
from rules.systems.masterbook.combat.odds import RollProfile, odds_of_reaching, roll_profile
from rules.systems.masterbook.effects.cast_state import Cast, rolled_conditions
from rules.systems.masterbook.effects.cast_support import helper_rating, refresh_cast
from rules.systems.masterbook.effects.effect_harm import feedback_harm
from rules.systems.masterbook.effects.effect_settings import autofail_feedback
from rules.systems.masterbook.formulas import damage
from rules.systems.masterbook.formulas.effect_condition_points import condition_dn
from rules.systems.masterbook.formulas.success_chart import Damage
from rules.table.blocks import Text
from rules.table.check import Check
from rules.table.checks.procedure import CheckOdds
from rules.table.checks.stages import require_awaiting_roll
from rules.table.permissions import is_gm
from rules.table.system import Game, Odds, is_npc

_NONE: Final = Fraction(0)
_CERTAIN: Final = Fraction(1)


class SupportChances(Record):
    """Chances that the conditions are met: concentration, and all others together."""

    concentration: Fraction = _CERTAIN
    others: Fraction = _CERTAIN


def cast_odds(game: Game, check: Check[Any]) -> CheckOdds:
    """Return the odds of a casting before its roll, with and without a Life Point.

    Raises:
        Impossible("hidden-odds"): players may not know those of an NPC.
        Impossible("odds-unmeasured"): a group's skill is the GM's to say.
        Outdated("check-moved-on"): the dice have fallen.
    """
    data: Cast = check.data
    require_awaiting_roll(check, thrown=bool(data.throws))
    if is_npc(game, check.actor) and not is_gm(game.state, game.actor):
        raise Impossible("hidden-odds", check=check.id)
    support = support_chances(game, check)
    ready = refresh_cast(game, check, data.replace(condition_index=-1))
    again, scope = dice_again(game, check.actor), game.setting("lp_tens_scope")
    ways: list[tuple[Text, Odds]] = []
    for points in (0, 1) if game.sheet(check.actor).life_points else (0,):
        hand = roll_profile(ready.mine).replace(
            ups=again.ups, stymied=again.stymied, points=points, scope=scope
        )
        odds = _odds(game, check, support, hand)
        ways.append((Text("mb-odds-way", {"points": points}), odds))
    traits = rated_lines(plan_name(ready.request), ready.mine)
    return CheckOdds(traits, (), tuple(ways), _notes(data, ways[0][1]))


def _notes(data: Cast, odds: Odds) -> tuple[Text, ...]:
    """Return a line with the chances of feedback, without a Life Point."""
    unhurt, out, dead = (str(chance) for _, chance in odds.outcomes)
    about = {"fv": data.fv, "unhurt": unhurt, "out": out, "dead": dead}
    return (Text("mb-cast-odds-feedback", about),)


def support_chances(game: Game, check: Check[Any]) -> SupportChances:
    """Return the chances of the rolls that are still to come for conditions.

    Raises as `_condition_chance`.
    """
    data: Cast = check.data
    rolled = {roll.condition for roll in data.rolled}
    concentration, others = _CERTAIN, _CERTAIN
    for index in rolled_conditions(data.blueprint):
        if index in rolled:
            continue
        chance = _condition_chance(game, check, index)
        if data.blueprint.conditions[index].kind == "concentration":
            concentration *= chance
        else:
            others *= chance
    return SupportChances(concentration, others)


def _condition_chance(game: Game, check: Check[Any], index: int) -> Fraction:
    """Return the chance that the rolls for a condition meet it.

    Raises Impossible("odds-unmeasured") for a group with helpers without names.
    """
    data: Cast = check.data
    condition = data.blueprint.conditions[index]
    number = condition_dn(condition) or 0
    if condition.kind != "community":
        ready = refresh_cast(game, check, data.replace(condition_index=index))
        return odds_of_reaching(roll_profile(ready.mine), number)
    asked = [helper.who for helper in data.helpers if helper.condition == index]
    helpers = asked or [*data.named_helpers[: condition.helpers]]
    if len(helpers) < condition.helpers:
        raise Impossible("odds-unmeasured")
    chance = _CERTAIN
    for who in helpers:
        chance *= odds_of_reaching(roll_profile(helper_rating(game, who, condition)), number)
    return chance


def _odds(game: Game, check: Check[Any], support: SupportChances, hand: RollProfile) -> Odds:
    """Return the odds of one way to roll."""
    data: Cast = check.data
    met = support.concentration * support.others
    feedback = feedback_odds(game, data, support, hand)
    sheet = game.sheet(check.actor)

    def chance(counts: Callable[[Damage], bool]) -> Fraction:
        total = _NONE
        for remaining, odds in feedback.items():
            if odds and counts(feedback_harm(game, sheet, remaining)):
                total += odds
        return total

    def ends(*conditions: str) -> Callable[[Damage], bool]:
        return lambda hurt: condition_after(game, check.actor, hurt) in conditions

    outcomes = (
        (_label("unhurt"), chance(lambda hurt: not damage.packages(hurt))),
        (_label("out"), chance(ends(*damage.OUT_CONDITIONS))),
        (_label("dead"), chance(ends("dead"))),
    )
    needs = Text("mb-needs", {"number": data.dn, "level": None})
    return Odds(needs, met * odds_of_reaching(hand, data.dn), outcomes, needed=data.dn)


def _label(what: str) -> Text:
    return Text("mb-cast-odds", {"what": what})


def feedback_odds(
    game: Game, data: Cast, support: SupportChances, hand: RollProfile
) -> dict[int, Fraction]:
    """Return the chance of each amount of feedback that may be left (MB-SFX-21)."""
    full = autofail_feedback(game) == "full"
    broken = 1 - support.concentration
    unmet = support.concentration * (1 - support.others)
    # After failed concentration the roll still lowers feedback, where there is any.
    rolled = support.concentration * support.others + (broken if full else 0)
    odds: dict[int, Fraction] = {}

    def add(remaining: int, chance: Fraction) -> None:
        odds[remaining] = odds.get(remaining, _NONE) + chance

    add(data.fv if full else 0, unmet)
    if not full:
        add(0, broken)
    chance = odds_of_reaching(hand, data.dn)
    add(data.fv, rolled * (1 - chance))
    for points in range(data.fv):
        if not chance:
            # No roll reaches further points: the feedback that they would leave has no chance.
            return odds
        further = odds_of_reaching(hand, data.dn, points + 1)
        add(data.fv - points, rolled * (chance - further))
        chance = further
    add(0, rolled * chance)
    return odds
