"""Effects that meet their targets: rolls to hit, areas, damage and columns (MB-SFX-22, MB-SFX-23).

The check is an attack whose damage value is the effect value. The roll to hit adds nothing to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final

from rules.core.errors import NotFound
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks import action_economy, roll_stages
from rules.systems.masterbook.checks.card_awards import BadLuckStage
from rules.systems.masterbook.checks.late_rulings import StymiedShockStage
from rules.systems.masterbook.checks.procedure import throw_for
from rules.systems.masterbook.checks.roll_sources import (
    RollSource,
    find_source,
    learned_sources,
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
    meters_by_target,
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
from rules.systems.masterbook.combat.view import describe_attack
from rules.systems.masterbook.effects.areas import AreaStage, exposure_of, hit_bonus
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
    resisting_foe,
    resisting_rating,
)
from rules.systems.masterbook.effects.state import EffectTarget
from rules.systems.masterbook.effects.strike_reduction import StrikeReduction, lowered_results
from rules.systems.masterbook.effects.strike_state import (
    AnyStrike,
    EffectResult,
    EffectStart,
    EffectStrike,
    waiting_start,
    without_waiting_start,
)
from rules.systems.masterbook.effects.taking_hold import (
    CASTING_TOTAL,
    STRIKE_KIND,
    drop_missed_target,
    duration_note,
    has_reached,
    is_immune,
    met_targets,
    result_notes,
    settle_effect,
)
from rules.systems.masterbook.effects.value_changes import effect_value_for
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint
from rules.systems.masterbook.formulas.effect_values import detour_concealment
from rules.systems.masterbook.formulas.interaction import effects
from rules.systems.masterbook.formulas.reference_rows import INTERACTIONS, nonzero_causes
from rules.systems.masterbook.formulas.success_chart import result as column_result
from rules.table.blocks import FOR_EVERYONE, GMS_ONLY, Block, Fact, Note, Ref, Text, Verdict
from rules.table.check import ANY_GM, NEXT, PASS, Choice, Prompt, Values
from rules.table.checks.procedure import CheckOption, Procedure, Stage, StageResult
from rules.table.checks.shared_blocks import WITH_LABEL, dice_viewers, full_and_plain
from rules.table.checks.stages import FREE, ROLL, without_typed_texts
from rules.table.forms import Form, Number
from rules.table.marks import marks_of, with_marks
from rules.table.state import Mark
from rules.table.system import Game, is_npc

#: Defense that meets effects that are rolled for: dodge or Agility (MB-SFX-22).
_USE: Final = "fire"
#: Cause for a target that nobody sees.
_UNSEEN: Final = "hidden_complete"
_RESISTANCE, _RESIST = "resistance", "resist"


def _start_of(check: AnyStrike) -> EffectStart:
    start = check.data.start
    assert start is not None, "taken up as it began"
    return start


def _blueprint_of(check: AnyStrike) -> Blueprint:
    return _start_of(check).cast.known.blueprint


def _needs_hit(start: EffectStart) -> bool:
    """Return whether an effect can miss (MB-SFX-22)."""
    return bool(start.cast.known.blueprint.to_hit)


# --- how it begins --------------------------------------------------------------------------------


def _begin_strike(game: Game, check: AnyStrike, values: Values) -> AnyStrike:
    """Return the check of an effect that waits for it."""
    start = waiting_start(game, values["number"])
    assert start is not None, "put there as it began"
    cast = start.cast
    who = [target.who for target in met_targets(game, cast) if target.who]
    meters = {target.who: target.meters or 0 for target in cast.targets if target.who}
    plan = AttackPlan(also=tuple(f"{each} {meters.get(each, 0)}" for each in who[1:]))
    free = start.roller or cast.known.blueprint.to_hit == CASTING_TOTAL
    answer = ROLL if free else FREE
    data = check.data.replace(start=start, number=values["number"], plan=plan, answer=answer)
    return check.replace(data=data, target=who[0] if who else None)


# `AutomaticStage` stores the names of such functions in checks: a new name refuses old databases.
def _taken_up(game: Game, check: AnyStrike) -> StageResult[EffectStrike] | None:
    """Take the effect off those that wait, and set up who makes it strike."""
    data = check.data
    if data.sides:
        return None
    game = without_waiting_start(game, data.number)
    return StageResult(game.state, data.replace(sides=(_side(game, check),)))


def _side(game: Game, check: AnyStrike) -> AttackingSide:
    """Return the side that rolls to hit, with the effect value as its damage value."""
    start = _start_of(check)
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
        use=_USE,
        damage_value=effect_value_for(blueprint, start.cast.effect_value),
    )


def _hit_skill(blueprint: Blueprint) -> str:
    """Return the skill of the roll to hit; that of the casting if its total would count."""
    said = blueprint.to_hit
    return blueprint.skill if said in ("", CASTING_TOTAL) else said


def _hit_source(sheet: MasterbookSheet, blueprint: Blueprint) -> RollSource:
    """Return what a character rolls to hit; with a skill that the sheet can't roll, as of another
    character, that of the casting.
    """
    try:
        return roll_source(sheet, _hit_skill(blueprint))
    except NotFound:
        return roll_source(sheet, blueprint.skill)


def roll_source(sheet: MasterbookSheet, skill: str) -> RollSource:
    """Return what a character rolls: the skill with its adds, else its Attribute alone.

    Raises as `find_source`.
    """
    source = find_source(sheet, skill)
    if source.all_adds or not source.skill:
        return source
    return RollSource(source.attribute.capitalize(), source.attribute)


# --- targets --------------------------------------------------------------------------------------


class ResistanceNumberStage(Stage[EffectStrike]):
    """The GM says which number resists an effect that no sheet resists (MB-SFX-25)."""

    name = _RESISTANCE

    def ask(self, game: Game, check: AnyStrike, /) -> tuple[Prompt, ...]:
        if check.data.number_ruled or not needs_number(game, _start_of(check).cast):
            return ()
        return (Prompt(_RESISTANCE, (ANY_GM,), "answer", PASS, button="mb-effect-number"),)

    def options(
        self, game: Game, check: AnyStrike, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        value = effect_value_for(_blueprint_of(check), _start_of(check).cast.effect_value)
        form = Form((Number("number", low=0, high=1000, needed=True),))
        label = Text("mb-effect-number-is", {"value": value})
        return (CheckOption(_RESISTANCE, label, form),)

    def choose(self, game: Game, check: AnyStrike, choice: Choice, /) -> StageResult[EffectStrike]:
        number = choice.values.get("number")
        data = check.data.replace(resistance=number, number_ruled=True)
        return StageResult(game.state, data, NEXT)


def foes_of(game: Game, check: AnyStrike) -> tuple[Foe, ...]:
    """Return all characters that an effect meets, with their defenses (MB-SFX-22, MB-SFX-32)."""
    start, plan = _start_of(check), check.data.plan
    involved = dict.fromkeys((check.target or "", *meters_by_target(plan.also)))
    return tuple(
        _foe(game, check, who)
        for who in involved
        if who in game.state.characters and not is_immune(game, start.cast, who)
    )


def _foe(game: Game, check: AnyStrike, who: str) -> Foe:
    start, blueprint = _start_of(check), _blueprint_of(check)
    resisting = resisting_foe(game, check, who)
    if resisting is not None:
        return resisting
    source = _defense_source(game, blueprint, who)
    how = source_rating(game, who, source, passive=True)
    if not _needs_hit(start):
        return Foe(who, source, how)
    exposure = exposure_of(game, check, who)
    guard = sum(mark.value for mark in marks_of(game.state, who, action_economy.GUARD))
    unseen = detour_concealment(start.cast.around)
    harder = nonzero_causes(("slow", exposure.slow), (_UNSEEN, unseen))
    how = how.with_causes(*nonzero_causes((action_economy.GUARD, guard)), *harder)
    held = [
        mark.value for mark in marks_of(game.state, who, action_economy.ACTIVE_DEFENSE, source.name)
    ]
    return Foe(
        who,
        source,
        how,
        held=held[0] if held else None,
        total_modifier=exposure.to_hit,
        meters=exposure.meters,
        bonuses=harder,
    )


def _defense_source(game: Game, blueprint: Blueprint, who: str) -> RollSource:
    """Return what a target defends with: dodge, or what resists on an interaction column."""
    if column_of(blueprint) is None or blueprint.to_hit:
        return resolution.best_defense(game, who, _USE, ())
    return column_resistance(game.sheet(who), blueprint)


def column_resistance(sheet: MasterbookSheet, blueprint: Blueprint) -> RollSource:
    """Return what resists an effect on an interaction column: what its blueprint says, else the
    interaction's own skill or Attribute (MB-SFX-23).
    """
    if blueprint.resisted_by:
        # A skill that only other sheets have resists nothing here.
        with suppress(NotFound):
            return roll_source(sheet, blueprint.resisted_by)
    kind = INTERACTIONS[COLUMNS[blueprint.action][1]]
    learned = [
        source
        for source in learned_sources(sheet)
        if source.skill == kind.resisting and not source.special
    ]
    bare = RollSource(kind.resisting_attribute.capitalize(), kind.resisting_attribute)
    return max((*learned, bare), key=lambda source: source.value(sheet))


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
        blueprint = _blueprint_of(check)
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
        found: list[CheckOption] = []
        for foe in check.data.foes:
            if foe.who == who and may_resist(game, check, foe):
                found.append(resist_option(game, check, foe))
        return tuple(found)

    def choose(self, game: Game, check: Any, choice: Choice, /) -> StageResult[Any]:
        made = super().choose(game, check, choice)
        if choice.prompt != _RESIST:
            return made
        way = resistance_of(_start_of(check).cast, choice.who)
        return made.replace(said=Text("mb-effect-resists", {"way": way}))


# --- dice -----------------------------------------------------------------------------------------


class StrikeRoll(AttackRoll):
    """The dice of the roll to hit, and of active defenses."""

    def throws_due(self, game: Game, check: Any) -> tuple[Any, ...]:
        data, start = check.data, _start_of(check)
        side = data.sides[0]
        found = [(side.who, STRIKE, side.rating)] if start.roller and data.foes else []
        for foe in data.foes:
            if not foe.active:
                continue
            resists = resistance_of(start.cast, foe.who) is not None
            rating = resisting_rating(game, check, foe) if resists else active_defense(game, foe)
            found.append((foe.who, DEFEND, rating))
        left = [each for each in found if data.throw_of(each[1], each[0]) is None]
        return tuple(throw_for(game, check, *each) for each in left)

    def use_up_effects(self, game: Game, check: Any) -> Game:
        """The action was spent on the casting or on the release."""
        data, start = check.data, _start_of(check)
        for foe in data.foes:
            game = action_economy.end_surprise(game, foe.who, rounds=check.round is not None)
            if foe.active:
                game = action_economy.use_up_marks(game, foe.who)
        return action_economy.use_up_marks(game, start.roller) if start.roller else game

    def impact_moments(self, game: Game, check: Any) -> roll_stages.Moments:
        return ()


# --- what it does ---------------------------------------------------------------------------------


def hit_total(check: AnyStrike) -> int | None:
    """Return the total to hit before what is added against single targets; None without a roll."""
    start, data = _start_of(check), check.data
    if not _needs_hit(start):
        return None
    if not start.roller:
        return start.cast.total
    thrown = data.throw_of(STRIKE, data.sides[0].who)
    return None if thrown is None else thrown.total


def is_hit(check: AnyStrike, foe: Foe) -> bool:
    """Return whether an effect hits a target: reaching its defense is enough (MB-SFX-22).

    What area, accuracy and the order of targets add counts for each target by itself.
    """
    total = hit_total(check)
    if total is None:
        return not _needs_hit(_start_of(check))
    return total + foe.total_modifier >= _needed(check, foe)


def _needed(check: AnyStrike, foe: Foe) -> int:
    hidden = resolution.hidden_difficulty(check.data, foe)
    return resolution.defense_number(check.data, foe) + hidden


def strike_blow(game: Game, check: Any, foe: Foe) -> Blow:
    """Return what an effect does to a target; the roll to hit adds nothing (MB-SFX-22, -23)."""
    blueprint = _blueprint_of(check)
    if not is_hit(check, foe):
        return Blow(foe.who, "miss")
    total = hit_total(check)
    by = 0 if total is None else total + foe.total_modifier - _needed(check, foe)
    value = check.data.sides[0].damage_value
    if blueprint.action == "damage":
        found = AttackResult(0, value, 0, kind="clear_hit")
        blow = resolution.hit_blow(game, check, foe, found)
        return blow.replace(points=by)
    if resistance_of(_start_of(check).cast, foe.who) is not None:
        result = resisted_result(game, check, foe)
        level = result.level if is_compulsion(blueprint) else ""
        works = has_reached(blueprint, result)
        return Blow(foe.who, "clear_hit" if works else "miss", effect=level)
    column = column_of(blueprint)
    if column is None:
        return Blow(foe.who, "clear_hit", by)
    points = value - _column_number(game, check, foe)
    if points < 0:
        return Blow(foe.who, "miss")
    return Blow(foe.who, "clear_hit", points, effect=column_result(column, points))


def _column_number(game: Game, check: AnyStrike, foe: Foe) -> int:
    """Return what resists an effect on an interaction column: a value, or an active total."""
    blueprint = _blueprint_of(check)
    if blueprint.resisting_number is not None:
        return blueprint.resisting_number
    thrown = None if blueprint.to_hit else check.data.throw_of(DEFEND, foe.who)
    if thrown is not None:
        return thrown.total
    source = column_resistance(game.sheet(foe.who), blueprint)
    return source_rating(game, foe.who, source, passive=True).number


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
        if _blueprint_of(check).action != "damage":
            return ()
        return tuple(foe for foe in check.data.foes if is_hit(check, foe))


def _struck(game: Game, check: Any) -> StageResult[Any] | None:
    """Let the targets take their damage, and remember how much (MB-SFX-30)."""
    before = {foe.who: game.sheet(foe.who).harm for foe in check.data.foes}
    made = take_damage(game, _without_free_resistance(check))
    if made is None:
        return None
    now = game.with_state(made.state)
    found = [harm_between(who, harm, now.sheet(who).harm) for who, harm in before.items()]
    dealt = tuple(each for each in found if each is not None)
    struck: Any = made.data.replace(dealt=dealt, foes=check.data.foes)
    game, data = _with_gains(now, check.id, struck)
    return made.replace(state=game.state, data=data)


def _with_gains(game: Game, check_id: str, data: EffectStrike) -> tuple[Game, EffectStrike]:
    """Return the game with what results on a column give to the striking side, such as being up
    (MB-INT-11, MB-SFX-23).
    """
    who = data.sides[0].who
    for blow in () if data.failed else data.blows:
        for key in effects(blow.effect).mine:
            mark = Mark(key, check_id, until="used", by=check_id)
            game = game.with_state(with_marks(game.state, who, mark))
            data = data.replace(came=(*data.came, (blow.who, ((key, 0),))))
    return game, data


def _without_free_resistance(check: Any) -> Any:
    """Return a check without the targets that resist with their mass: that costs no action."""
    cast = _start_of(check).cast
    foes = tuple(foe for foe in check.data.foes if resistance_of(cast, foe.who) != "mass")
    return check.replace(data=check.data.replace(foes=foes))


def _holding(game: Game, check: AnyStrike) -> StageResult[Any] | None:
    """Let the effect take hold on the targets that it has hit, once."""
    data = check.data
    if data.settled:
        return None
    start = _start_of(check)
    cast = start.cast
    if data.failed:
        return StageResult(drop_missed_target(game, start).state, data.replace(settled=True))
    blows = {blow.who: blow for blow in data.blows}
    things = [target for target in cast.targets if not target.who]
    results = (
        *(_result_of(game, check, foe, blows.get(foe.who)) for foe in data.foes),
        *(result_for(game, cast, target, data.resistance) for target in things),
    )
    results = tuple(result for result in results if result is not None)
    if not results and not cast.targets and not data.foes:
        results = (result_for(game, cast, EffectTarget(cast.caster), data.resistance),)
    game, effect = settle_effect(game, start, results, data.dealt, data.resistance)
    if effect is None:
        game = drop_missed_target(game, start)
    told = data.replace(settled=True, results=results, lasting=effect)
    return StageResult(game.state, told)


def _result_of(game: Game, check: AnyStrike, foe: Foe, blow: Blow | None) -> EffectResult | None:
    """Return what an effect comes to for a target; None for one that it has missed.

    A target may have lowered the level of a compulsion (MB-LP-04).
    """
    cast = _start_of(check).cast
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


# --- words ----------------------------------------------------------------------------------------


def _describe(game: Game, check: AnyStrike) -> tuple[Block, ...]:
    """Return the blocks of an effect that meets its targets."""
    data = check.data
    if data.start is None or not data.sides:
        return ()
    blueprint = _blueprint_of(check)
    found = _attack_blocks(game, check)
    if data.settled:
        found += _held_blocks(game, check)
    elif not any(isinstance(block, Verdict) for block in found):
        found.insert(0, Note(Text("mb-effect-meets", {"name": blueprint.name}), FOR_EVERYONE))
    return tuple(found)


def _attack_blocks(game: Game, check: Any) -> list[Block]:
    """Return what an attack's message says, with the verdict on effects that don't hurt."""
    data = check.data
    if not data.foes:
        return []
    found: list[Block] = []
    for block in describe_attack(game, _without_levels(check)):
        if isinstance(block, Verdict) and data.blows:
            block = _verdict(game, check, block)
        elif isinstance(block, Verdict) and not _start_of(check).roller:
            continue
        elif isinstance(block, Fact) and block.what == WITH_LABEL:
            block = _effect_fact(check, block)
        found.append(block)
    found += _lowered_notes(game, check)
    if _needs_hit(_start_of(check)) and not _start_of(check).roller:
        found += _hit_total_notes(game, check)
    unseen = detour_concealment(_start_of(check).cast.around)
    if _needs_hit(_start_of(check)) and unseen:
        found.append(Note(Text("mb-effect-unseen", {"number": unseen}), FOR_EVERYONE))
    return found


def _without_levels(check: Any) -> Any:
    """Return a check without levels of General Success, which the results say."""
    if not is_compulsion(_blueprint_of(check)):
        return check
    blows = tuple(blow.replace(effect="") for blow in check.data.blows)
    return check.replace(data=check.data.replace(blows=blows))


def _lowered_notes(game: Game, check: AnyStrike) -> list[Note]:
    """Return which targets have lowered a result with a Life Point; of NPCs only GMs read it."""
    found: list[Note] = []
    for blow in lowered_results(check):
        shown = {"who": Ref(blow.who), "result": Text("mb-effect", {"result": blow.effect})}
        seen = GMS_ONLY if is_npc(game, blow.who) else dice_viewers(check)
        found.append(Note(Text("mb-lowered-result", shown), seen))
    return found


def _hit_total_notes(game: Game, check: AnyStrike) -> list[Block]:
    """Return the casting's total as the roll to hit; only GMs read an NPC's bonus on it."""
    total = hit_total(check)
    if total is None:
        return []
    bonus = hit_bonus(game, _blueprint_of(check)) or None
    text = Text("mb-effect-hits-with", {"total": total, "bonus": bonus})
    note = Note(text, dice_viewers(check))
    if bonus is None or not is_npc(game, _start_of(check).cast.caster):
        return [note]
    plain = Text("mb-effect-hits-with", {"total": total, "bonus": None})
    return [*full_and_plain(note, text=plain)]


def _effect_fact(check: AnyStrike, block: Fact) -> Fact:
    """Return what an effect strikes with: nothing but its name where nobody rolls to hit."""
    if _start_of(check).roller:
        return block
    return block.replace(value=(Text("mb-weapon", {"name": _blueprint_of(check).name}),))


def _verdict(game: Game, check: AnyStrike, block: Verdict) -> Verdict:
    """Return the verdict of an attack in the words of an effect."""
    data, blueprint = check.data, _blueprint_of(check)
    if blueprint.action in COLUMNS and block.what is not None and "effect" in block.what.params:
        if block.what.params["effect"] is None:
            # Players read no result of an NPC.
            block = block.replace(what=None)
    hit = [blow for blow in data.blows if blow.kind != "miss"]
    if not hit and _meets_resistance(check):
        text = Text("mb-effect-resisted", {"who": tuple(Ref(foe.who) for foe in data.foes)})
        return block.replace(text=text, numbers=None, what=None)
    if not _needs_hit(_start_of(check)) and len(data.foes) == 1:
        text = Text("mb-effect-reaches", {"name": blueprint.name})
        what = block.what if blueprint.action in ("damage", *COLUMNS) else None
        return block.replace(text=text, numbers=None, what=what)
    if blueprint.action in ("damage", *COLUMNS):
        return block
    return block.replace(what=None)


def _meets_resistance(check: AnyStrike) -> bool:
    """Return whether only a resistance can keep an effect off a target: it can't miss, or it has
    hit and is read on a column.
    """
    if not _needs_hit(_start_of(check)):
        return True
    on_column = column_of(_blueprint_of(check)) is not None
    return on_column and any(is_hit(check, foe) for foe in check.data.foes)


def _held_blocks(game: Game, check: AnyStrike) -> list[Block]:
    """Return what the effect came to, and how long it lasts."""
    data, start = check.data, _start_of(check)
    blueprint = start.cast.known.blueprint
    told = [
        result
        for result in data.results
        if result.changes or result.points is not None or blueprint.action not in _SHOWN
    ]
    found = result_notes(game, blueprint, told, start.cast.caster)
    note = duration_note(game, start, data.lasting)
    if note is not None:
        found.append(note)
    return found


#: Actions of which the verdict says everything.
_SHOWN: Final = ("damage", *COLUMNS)

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
    describe=_describe,
    cast=involved_characters,
    require=require_participants,
    fallen=lambda data: bool(data.throws or data.blows),
    forget=without_typed_texts,
    by_itself=True,
)
PROCEDURES: Final[tuple[Procedure[Any], ...]] = (PROCEDURE,)
