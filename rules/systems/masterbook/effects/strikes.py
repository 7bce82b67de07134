"""Effects that meet their targets: rolls to hit, areas, damage and columns (MB-SFX-22, MB-SFX-23).

The check is an attack whose damage value is the effect value. The roll to hit adds nothing to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rules.core.errors import NotFound
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks import action_economy, roll_stages
from rules.systems.masterbook.checks.card_awards import BadLuckStage
from rules.systems.masterbook.checks.late_rulings import StymiedShockStage
from rules.systems.masterbook.checks.procedure import throw_for
from rules.systems.masterbook.checks.roll_sources import (
    RollSource,
    source_rating,
)
from rules.systems.masterbook.checks.state import Blow, Rating
from rules.systems.masterbook.combat import resolution
from rules.systems.masterbook.combat.declaration import (
    DEFEND,
    STRIKE,
    AttackingSide,
    AttackPlan,
    Foe,
    involved_characters,
)
from rules.systems.masterbook.combat.procedure import (
    AttackRoll,
    DamageStage,
    DefenseStage,
    SkinStage,
    active_defense,
    require_participants,
    take_damage,
)
from rules.systems.masterbook.combat.resolution import AttackResult
from rules.systems.masterbook.effects.areas import AreaStage
from rules.systems.masterbook.effects.cast_state import CastOutcome
from rules.systems.masterbook.effects.effect_harm import harm_between
from rules.systems.masterbook.effects.effect_results import (
    COLUMNS,
    column_of,
    needs_number,
    result_for,
)
from rules.systems.masterbook.effects.resistance import (
    AttitudeStage,
    is_compulsion,
    may_resist,
    resist_option,
    resistance_of,
    resisted_result,
    resisting_rating,
)
from rules.systems.masterbook.effects.state import DealtHarm, EffectTarget
from rules.systems.masterbook.effects.strike_reduction import StrikeReduction
from rules.systems.masterbook.effects.strike_state import (
    AnyStrike,
    EffectResult,
    EffectStrike,
    cast_of,
    start_of,
    waiting_start,
    without_waiting_start,
)
from rules.systems.masterbook.effects.strike_targets import (
    DEFENSE_USE,
    blueprint_of,
    column_number,
    foes_of,
    is_hit,
    points_to_hit,
    roll_source,
)
from rules.systems.masterbook.effects.strike_view import describe_strike
from rules.systems.masterbook.effects.taking_hold import (
    CASTING_TOTAL,
    STRIKE_KIND,
    drop_missed_target,
    has_reached,
    met_targets,
    settle_effect,
)
from rules.systems.masterbook.effects.value_changes import effect_value_for
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint
from rules.systems.masterbook.formulas.interaction import result_effect
from rules.systems.masterbook.formulas.success_chart import result as column_result
from rules.table.blocks import Text
from rules.table.check import ANY_GM, NEXT, PASS, Choice, Prompt, Values
from rules.table.checks.procedure import CheckOption, Procedure, Stage, StageResult
from rules.table.checks.stages import FREE, ROLL, without_typed_texts
from rules.table.forms.fields import Number
from rules.table.forms.form import Form
from rules.table.marks import with_marks
from rules.table.state import Mark
from rules.table.system import Game

_RESISTANCE, _RESIST = "resistance", "resist"


# --- beginning ------------------------------------------------------------------------------------


def _begin_strike(game: Game, check: AnyStrike, values: Values) -> AnyStrike:
    """Return the check of an effect that waits for it."""
    start = waiting_start(game, values["number"])
    assert start is not None, "put there as it began"
    cast = start.cast
    targets = [target.who for target in met_targets(game, cast) if target.who]
    meters = {target.who: target.meters or 0 for target in cast.targets if target.who}
    others = tuple(f"{who} {meters.get(who, 0)}" for who in targets[1:])
    free = start.roller or cast.known.blueprint.to_hit == CASTING_TOTAL
    data = check.data.replace(
        start=start,
        number=values["number"],
        plan=AttackPlan(also=others),
        answer=ROLL if free else FREE,
    )
    return check.replace(data=data, target=targets[0] if targets else None)


# `AutomaticStage` stores the names of such functions in checks: a new name refuses old databases.
def _taken_up(game: Game, check: AnyStrike) -> StageResult[EffectStrike] | None:
    """Take the effect off those that wait, and set up the side that strikes."""
    data = check.data
    if data.sides:
        return None
    game = without_waiting_start(game, data.number)
    return StageResult(game.state, data.replace(sides=(_side(game, check),)))


def _side(game: Game, check: AnyStrike) -> AttackingSide:
    """Return the side that rolls to hit, with the effect value as its damage value."""
    start = start_of(check)
    blueprint = start.cast.known.blueprint
    who = start.actor
    source = _hit_source(game.sheet(who), blueprint)
    rating = Rating(0)
    if start.roller:
        rating = source_rating(game, who, source, opened=True)
    return AttackingSide(
        who,
        blueprint.name,
        source.name,
        rating,
        use=DEFENSE_USE,
        damage_value=effect_value_for(blueprint, start.cast.effect_value),
    )


def _hit_skill(blueprint: Blueprint) -> str:
    """Return the skill of the roll to hit; the skill of the casting if its total would count."""
    wanted = blueprint.to_hit
    return blueprint.skill if wanted in ("", CASTING_TOTAL) else wanted


def _hit_source(sheet: MasterbookSheet, blueprint: Blueprint) -> RollSource:
    """Return the source of a character's roll to hit.

    The skill of the casting stands in for a skill that the sheet can't roll.
    """
    try:
        return roll_source(sheet, _hit_skill(blueprint))
    except NotFound:
        return roll_source(sheet, blueprint.skill)


# --- targets --------------------------------------------------------------------------------------


class ResistanceNumberStage(Stage[EffectStrike]):
    """The GM says which number resists an effect that no sheet resists (MB-SFX-25)."""

    name = _RESISTANCE

    def ask(self, game: Game, check: AnyStrike, /) -> tuple[Prompt, ...]:
        if check.data.number_ruled or not needs_number(game, cast_of(check)):
            return ()
        return (Prompt(_RESISTANCE, (ANY_GM,), "answer", PASS, button="mb-effect-number"),)

    def options(
        self, game: Game, check: AnyStrike, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        value = effect_value_for(blueprint_of(check), cast_of(check).effect_value)
        form = Form((Number("number", low=0, high=1000, needed=True),))
        label = Text("mb-effect-number-is", {"value": value})
        return (CheckOption(_RESISTANCE, label, form),)

    def choose(self, game: Game, check: AnyStrike, choice: Choice, /) -> StageResult[EffectStrike]:
        number = choice.values.get("number")
        data = check.data.replace(resistance=number, number_ruled=True)
        return StageResult(game.state, data, NEXT)


class StrikeDefense(DefenseStage):
    """Targets choose in secret whether to defend actively, where a defense counts (MB-SFX-22)."""

    #: Standing orders are about attacks; effects are met one by one.
    orders = ()

    def enter(self, game: Game, check: Any, /) -> StageResult[Any] | None:
        if check.data.foes:
            return None
        foes = foes_of(game, check)
        return StageResult(game.state, check.data.replace(foes=foes)) if foes else None

    def ask(self, game: Game, check: Any, /) -> tuple[Prompt, ...]:
        blueprint = blueprint_of(check)
        if blueprint.to_hit or blueprint.action in COLUMNS:
            return super().ask(game, check)
        who = tuple(foe.who for foe in check.data.foes if may_resist(game, check, foe))
        if not who:
            return ()
        label = "mb-effect-resist"
        return (Prompt(_RESIST, who, "answer", PASS, True, button=label, risks=True),)

    def options(self, game: Game, check: Any, prompt: str, who: str, /) -> Iterable[CheckOption]:
        if prompt != _RESIST:
            return super().options(game, check, prompt, who)
        options: list[CheckOption] = []
        for foe in check.data.foes:
            if foe.who == who and may_resist(game, check, foe):
                options.append(resist_option(game, check, foe))
        return tuple(options)

    def choose(self, game: Game, check: Any, choice: Choice, /) -> StageResult[Any]:
        result = super().choose(game, check, choice)
        if choice.prompt != _RESIST:
            return result
        way = resistance_of(cast_of(check), choice.who)
        return result.replace(said=Text("mb-effect-resists", {"way": way}))


# --- dice -----------------------------------------------------------------------------------------


class StrikeRoll(AttackRoll):
    """The dice of the roll to hit, and of active defenses."""

    def throws_due(self, game: Game, check: Any) -> tuple[Any, ...]:
        data, start = check.data, start_of(check)
        side = data.sides[0]
        rolls: list[tuple[str, str, Rating]] = []
        if start.roller and data.foes:
            rolls.append((side.who, STRIKE, side.rating))
        for foe in data.foes:
            if not foe.active:
                continue
            if resistance_of(start.cast, foe.who) is not None:
                rating = resisting_rating(game, check, foe)
            else:
                rating = active_defense(game, foe)
            rolls.append((foe.who, DEFEND, rating))
        due: list[Any] = []
        for who, what, rating in rolls:
            if data.throw_of(what, who) is None:
                due.append(throw_for(game, check, who, what, rating))
        return tuple(due)

    def use_up_effects(self, game: Game, check: Any) -> Game:
        # The action was spent on the casting or on the release.
        data, start = check.data, start_of(check)
        for foe in data.foes:
            game = action_economy.end_surprise(game, foe.who, rounds=check.round is not None)
            if foe.active:
                game = action_economy.use_up_marks(game, foe.who)
        if not start.roller:
            return game
        return action_economy.use_up_marks(game, start.roller)

    def impact_moments(self, game: Game, check: Any) -> roll_stages.Moments:
        return ()


# --- harm and results -----------------------------------------------------------------------------


def strike_blow(game: Game, check: Any, foe: Foe) -> Blow:
    """Return the blow of an effect to a target; the roll to hit adds nothing (MB-SFX-22, -23)."""
    blueprint = blueprint_of(check)
    if not is_hit(check, foe):
        return Blow(foe.who, "miss")
    value = check.data.sides[0].damage_value
    if blueprint.action == "damage":
        attack = AttackResult(0, value, 0, kind="clear_hit")
        blow = resolution.hit_blow(game, check, foe, attack)
        return blow.replace(points=points_to_hit(check, foe))
    if resistance_of(cast_of(check), foe.who) is not None:
        result = resisted_result(game, check, foe)
        level = result.level if is_compulsion(blueprint) else ""
        works = has_reached(blueprint, result)
        return Blow(foe.who, "clear_hit" if works else "miss", effect=level)
    column = column_of(blueprint)
    if column is None:
        return Blow(foe.who, "clear_hit", points_to_hit(check, foe))
    points = value - column_number(game, check, foe)
    if points < 0:
        return Blow(foe.who, "miss")
    return Blow(foe.who, "clear_hit", points, effect=column_result(column, points))


class StrikeDamage(DamageStage):
    """Harm of the effect to each target, until the targets take it."""

    def enter(self, game: Game, check: Any, /) -> StageResult[Any] | None:
        data = check.data
        if data.blows or not data.foes:
            return None
        blows = tuple(strike_blow(game, check, foe) for foe in data.foes)
        return StageResult(game.state, data.replace(blows=blows))


class StrikeSkin(SkinStage):
    """The GM says whether skin fails against the effect, where it hits (MB-BG-30)."""

    def hit_targets(self, game: Game, check: Any) -> tuple[Foe, ...]:
        if blueprint_of(check).action != "damage":
            return ()
        return tuple(foe for foe in check.data.foes if is_hit(check, foe))


def _struck(game: Game, check: Any) -> StageResult[Any] | None:
    """Let the targets take their damage, and remember how much (MB-SFX-30)."""
    before = {foe.who: game.sheet(foe.who).harm for foe in check.data.foes}
    result = take_damage(game, _without_free_resistance(check))
    if result is None:
        return None
    now = game.with_state(result.state)
    dealt: list[DealtHarm] = []
    for who, harm in before.items():
        harm_dealt = harm_between(who, harm, now.sheet(who).harm)
        if harm_dealt is not None:
            dealt.append(harm_dealt)
    struck: Any = result.data.replace(dealt=tuple(dealt), foes=check.data.foes)
    game, data = _with_gains(now, check.id, struck)
    return result.replace(state=game.state, data=data)


def _with_gains(game: Game, check_id: str, data: EffectStrike) -> tuple[Game, EffectStrike]:
    """Return the game with the gains of the striking side from a column, such as being up.

    (MB-INT-11, MB-SFX-23)
    """
    who = data.sides[0].who
    for blow in () if data.failed else data.blows:
        for key in result_effect(blow.effect).mine:
            mark = Mark(key, check_id, until="used", by=check_id)
            game = game.with_state(with_marks(game.state, who, mark))
            data = data.replace(consequences=(*data.consequences, (blow.who, ((key, 0),))))
    return game, data


def _without_free_resistance(check: Any) -> Any:
    """Return a check without the targets that resist with their mass: that costs no action."""
    cast = cast_of(check)
    foes = tuple(foe for foe in check.data.foes if resistance_of(cast, foe.who) != "mass")
    return check.replace(data=check.data.replace(foes=foes))


def _holding(game: Game, check: AnyStrike) -> StageResult[Any] | None:
    """Let the effect take hold on the targets that it has hit, once."""
    data = check.data
    if data.settled:
        return None
    start = start_of(check)
    if data.failed:
        return StageResult(drop_missed_target(game, start).state, data.replace(settled=True))
    results = _strike_results(game, check)
    game, effect = settle_effect(game, start, results, data.dealt, data.resistance)
    if effect is None:
        game = drop_missed_target(game, start)
    settled = data.replace(settled=True, results=results, lasting=effect)
    return StageResult(game.state, settled)


def _strike_results(game: Game, check: AnyStrike) -> tuple[EffectResult, ...]:
    """Return the results for characters that were hit, then for things.

    An effect without any target is on its caster.
    """
    data, cast = check.data, cast_of(check)
    if not cast.targets and not data.foes:
        return (result_for(game, cast, EffectTarget(cast.caster), data.resistance),)
    blows = {blow.who: blow for blow in data.blows}
    results: list[EffectResult] = []
    for foe in data.foes:
        result = _result_of(game, check, foe, blows.get(foe.who))
        if result is not None:
            results.append(result)
    for target in cast.targets:
        if not target.who:
            results.append(result_for(game, cast, target, data.resistance))
    return tuple(results)


def _result_of(game: Game, check: AnyStrike, foe: Foe, blow: Blow | None) -> EffectResult | None:
    """Return the result of an effect for a target; None for one that it has missed.

    A target may have lowered the level of a compulsion (MB-LP-04).
    """
    cast = cast_of(check)
    missed = blow is None or blow.kind == "miss"
    if resistance_of(cast, foe.who) is not None:
        result = resisted_result(game, check, foe)
        if blow is None or not (blow.own or blow.cards):
            return result
        return None if missed else result.replace(level=blow.effect)
    if missed:
        return None
    target = EffectTarget(foe.who, meters=_meters(cast, foe.who))
    return result_for(game, cast, target, check.data.resistance)


def _meters(cast: CastOutcome, who: str) -> int | None:
    return next((target.meters for target in cast.targets if target.who == who), None)


_ROLL: Final = StrikeRoll()
PROCEDURE: Final = Procedure[Any](
    STRIKE_KIND,
    (
        _taken_up,
        AreaStage(),
        ResistanceNumberStage(),
        AttitudeStage(),
        *roll_stages.dice_stages(_ROLL, StrikeDefense()),
        StrikeSkin(),
        StrikeDamage(_ROLL, hostile=False),
        StrikeReduction(_ROLL),
        _struck,
        _holding,
        StymiedShockStage(),
        BadLuckStage(),
    ),
    EffectStrike,
    form=Form((Number("number", low=1, high=1_000_000_000, needed=True),)),
    begin=_begin_strike,
    describe=describe_strike,
    cast=involved_characters,
    require=require_participants,
    dice_have_fallen=lambda data: bool(data.throws or data.blows),
    forget=without_typed_texts,
    by_itself=True,
)
PROCEDURES: Final[tuple[Procedure[Any], ...]] = (PROCEDURE,)
