"""Attackers and targets of an attack, with their numbers.

MB-CMB-01 to MB-CMB-05, MB-EQ-04, MB-BG-15.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.systems.masterbook.character.option_effects import Cause
from rules.systems.masterbook.character.sheet import Arm, MasterbookSheet, attribute, option_effects
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.checks import action_economy, background_memory, roll_sources
from rules.systems.masterbook.checks.background_causes import (
    AGAINST,
    Causes,
    RollCauses,
    RollSubject,
    counted_situations,
    resistance_difficulties,
    roll_causes,
)
from rules.systems.masterbook.checks.card_windows import is_training_waived
from rules.systems.masterbook.checks.roll_sources import RollSource
from rules.systems.masterbook.checks.state import Rating
from rules.systems.masterbook.combat import declaration
from rules.systems.masterbook.combat.declaration import (
    STRIKE,
    AnyAttack,
    AttackingSide,
    AttackPlan,
    Foe,
)
from rules.systems.masterbook.formulas import attack_options, equipment, multi_actions
from rules.systems.masterbook.formulas.equipment import WeaponKind
from rules.systems.masterbook.formulas.reference_rows import (
    FOCUSES,
    OPTIONS,
    Use,
    cause_total,
    nonzero_causes,
    typed_ids,
)
from rules.systems.masterbook.formulas.skills import SKILLS
from rules.table.checks.shared_blocks import NumberChange
from rules.table.marks import mark_total, marks_of
from rules.table.system import Game

#: Option that aiming in the last round brings.
AIMED: Final = "aimed_last_round"


def trick_shot(plan: AttackPlan) -> Mapping[str, tuple[int, int, int]]:
    """Return the numbers that a GM has given to a trick shot, by its option."""
    if not plan.trick:
        return {}
    attack, defense, damage = map(int, plan.trick.split())
    return {"trick_shot": (attack, defense, damage)}


# --- sources of rolls -----------------------------------------------------------------------------

_MARTIAL: Final = "Martial Arts"
#: Option against a character who is held already.
_FOLLOW_UP: Final = "hold"
#: Default distance in meters of a lunge, and of any other blow.
_LUNGING, _CLOSE = 3, 1


def _focus_of(source: RollSource) -> str:
    """Return the book's martial art of a source; empty if it is none."""
    focus = source.focus.casefold() if source.skill == _MARTIAL else ""
    return focus if focus in FOCUSES else ""


def _best_source(
    sheet: MasterbookSheet,
    skill: str,
    fits: Callable[[RollSource], bool],
    serves: Callable[[str], bool],
    *,
    rolled: bool = False,
) -> RollSource:
    """Return the character's best of the skill, if it *fits*, and of martial arts that *serve*.

    A martial art takes adds; its specializations have to be named by the player. If the source is
    *rolled*, bonus numbers of options count. A character without any rolls the skill untrained.
    """

    def is_suitable(source: RollSource) -> bool:
        focus = _focus_of(source)
        if focus:
            return source.adds > 0 and not source.special and serves(focus)
        return source.skill == skill and fits(source)

    suitable: list[RollSource] = []
    for source in roll_sources.learned_sources(sheet):
        if source.skill in (skill, _MARTIAL) and is_suitable(source):
            suitable.append(source)
    if not suitable:
        return _untrained_source(skill)
    if rolled:
        return max(suitable, key=partial(_with_bonus, sheet))
    return max(suitable, key=lambda source: source.value(sheet))


def _with_bonus(sheet: MasterbookSheet, source: RollSource) -> tuple[int, int]:
    """Return how good a source is for a roll: its value with its bonus numbers, then its value."""
    effects = option_effects(sheet)
    use = (source.skill, source.focus, source.special)
    value = source.value(sheet)
    return value + cause_total(effects.cause_total(effects.bonuses, *use)), value


def _untrained_source(skill: str) -> RollSource:
    return RollSource(skill, SKILLS[skill].attribute, skill)


def _attack_source(sheet: MasterbookSheet, weapon: WeaponKind, said: str) -> RollSource:
    """Return what an attack is rolled with: the source that was *said*, else the best.

    Specializations in the kind of weapon count.
    """
    if said:
        return _named_attack_source(sheet, weapon, said)
    if _is_attribute(weapon.skill):
        return roll_sources.find_source(sheet, weapon.skill)
    kinds = (weapon.kind.replace("_", " "), weapon.name.casefold())

    def fits_weapon(source: RollSource) -> bool:
        special = source.special.casefold().removesuffix("s")
        return not source.special or any(special in kind for kind in kinds)

    def focus_serves(focus: str) -> bool:
        return weapon.skill in FOCUSES[focus].replaces

    return _best_source(sheet, weapon.skill, fits_weapon, focus_serves, rolled=True)


def _named_attack_source(sheet: MasterbookSheet, weapon: WeaponKind, said: str) -> RollSource:
    """Return the source that a player has named. Raises InvalidInput("mb-focus-unfit")."""
    source = roll_sources.find_source(sheet, said)
    if weapon.reach is not None and _serves_natural_weapon(source):
        return source
    kind = SKILLS.get(weapon.skill)
    if not source.skill and kind is not None and source.attribute == kind.attribute:
        # An Attribute that stands in rolls no 10s again (MB-DIE-02).
        return _untrained_source(weapon.skill)
    if not _focus_of(source) and source.skill != weapon.skill:
        allowed = (weapon.skill,)
        raise InvalidInput("mb-focus-unfit", field="skill", value=source.name, allowed=allowed)
    return source


def _is_attribute(skill: str) -> bool:
    return skill.casefold() in ATTRIBUTES


def _serves_natural_weapon(source: RollSource) -> bool:
    """Return whether a natural ranged weapon is rolled with a source (MB-BG-30).

    That is Dexterity, or a skill of the weapon's own.
    """
    return source.attribute == "dexterity" and source.skill not in SKILLS


# --- the attacking side ---------------------------------------------------------------------------


def _distance(weapon: WeaponKind, plan: AttackPlan, strength: int) -> int | Any:
    """Return the distance in meters. Raises InvalidInput("mb-which-range")."""
    if plan.range.isdecimal():
        return int(plan.range)
    if weapon.use == "hand":
        return _LUNGING if plan.has_option("short_range") else _CLOSE
    limits = {reach.name: reach.limit for reach in equipment.weapon_reaches(weapon, strength)}
    if plan.range not in limits:
        raise InvalidInput(
            "mb-which-range", field="range", value=plan.range or None, allowed=typed_ids(*limits)
        )
    return limits[plan.range]


def _effective_options(
    game: Game, who: str, target: str, plan: AttackPlan, use: Use
) -> tuple[str, ...]:
    """Return the declared options, and those that follow by themselves: surprise and aiming.

    Raises:
        Impossible("mb-not-agreed"): the table plays without combat options.
        Impossible("mb-not-held"): the option needs a target that is held.
    """
    options = [option for option in plan.options if option in OPTIONS]
    has_extra = any(attack_options.is_extra(OPTIONS[option]) for option in options)
    if has_extra and not game.setting(declaration.COMBAT_OPTIONS):
        raise Impossible("mb-not-agreed", setting=declaration.COMBAT_OPTIONS)
    if _FOLLOW_UP in options and not marks_of(game.state, target, action_economy.HELD, who):
        raise Impossible("mb-not-held", who=game.display_name(target))
    options = declaration.lessened_surprise(game, target, options)
    surprises = [mark.what for mark in marks_of(game.state, target, action_economy.SURPRISED)]
    options += [surprise for surprise in surprises if surprise not in options]
    if use in OPTIONS[AIMED].uses and _has_aimed(game, who, target):
        options.append(AIMED)
    return tuple(options)


def _has_aimed(game: Game, who: str, target: str) -> bool:
    """Return whether a character spent the last round aiming at a target."""
    last = (action_economy.round_of(game, who) or 1) - 1
    marks = marks_of(game.state, who, action_economy.AIMING, target)
    return any(mark.value == last for mark in marks)


def declared_strike(
    game: Game, check: AnyAttack, who: str, plan: AttackPlan
) -> tuple[attack_options.Strike, RollSource]:
    """Return a strike that the rules allow, and what it is rolled with.

    Raises as `attack_options.declare_strike`, and Impossible("mb-trained-only") for a weapon
    whose own skill the character lacks.
    """
    sheet: MasterbookSheet = game.sheet(who)
    strength = attribute(sheet, "strength")
    name = plan.weapon or declaration.weapon_in_hand(sheet)
    weapon = declaration.weapon_named(game, sheet, name)
    if plan.has_option(declaration.THROWN):
        weapon = equipment.as_thrown(weapon)
    _require_weapon_skill(game, who, weapon.skill)
    source = _attack_source(sheet, weapon, plan.skill)
    arm, loaded = declaration.arm_of(sheet, weapon.name), None
    if arm is not None and game.setting("track_ammunition"):
        loaded = arm.rounds
    strike = attack_options.declare_strike(
        weapon,
        _distance(weapon, plan, strength),
        _effective_options(game, who, check.target or "", plan, weapon.use),
        strength=strength,
        loaded=loaded,
        focus=_focus_of(source),
        changed=trick_shot(plan),
    )
    return strike, source


def _require_weapon_skill(game: Game, who: str, skill: str) -> None:
    """Raise Impossible("mb-trained-only") for a weapon's own skill that a character lacks."""
    if skill in SKILLS or _is_attribute(skill):
        return
    if all(source.skill != skill for source in roll_sources.learned_sources(game.sheet(who))):
        raise Impossible("mb-trained-only", name=skill, who=game.display_name(who))


def is_second_strike(game: Game, check: AnyAttack, who: str) -> bool:
    """Return whether the attack is the second of two combined blows at one target."""
    if not attack_options.has_effect(check.data.plan.options, "twice"):
        return False
    return bool(marks_of(game.state, who, action_economy.COMBINED, check.target or ""))


def _kind_of_wound(strike: attack_options.Strike) -> str:
    """Return the kind of wounds, which decides how many of them bleed (MB-DMO-04)."""
    weapon = strike.weapon
    if weapon.nonlethal:
        return "fist_or_club"
    fast = weapon.use == "fire" or weapon.skill == "Missile Weapons"
    return "bullet_or_fast_missile" if fast else "blade_or_spear"


def attacking_side(game: Game, check: AnyAttack, who: str, plan: AttackPlan) -> AttackingSide:
    """Return one attacker with all its numbers.

    Raises as `declared_strike`, `source_rating` and `turns_of`.
    """
    strike, source = declared_strike(game, check, who, plan)
    weapon = strike.weapon
    rating = _attack_rating(game, check, who, plan, strike, source)
    causes = attack_causes(game, check, who, source, weapon.use, plan)
    soft = _is_soft(game, plan, weapon)
    more = 0
    if not weapon.blast:
        more = cause_total(attack_options.damage_modifiers(strike, handling=plan.handling))
    return AttackingSide(
        who,
        weapon=weapon.name or declaration.UNARMED,
        skill=source.name,
        rating=rating.with_causes(*causes.total, bonuses=(*rating.bonuses, *causes.bonus)),
        mode=strike.mode,
        band=_band(strike),
        use=weapon.use,
        damage_value=_damage_value(game, who, strike, soft=soft),
        more=more,
        blast=weapon.blast,
        soft=soft,
        bleeds=_kind_of_wound(strike),
        strong=weapon.dv is None,
        deals=weapon.deals,
        hidden_shifts=causes.difficulty,
    )


def _band(strike: attack_options.Strike) -> str:
    """Return the range band of a strike; empty at close quarters."""
    return "" if strike.reach is None else strike.reach.name


def _attack_rating(
    game: Game,
    check: AnyAttack,
    who: str,
    plan: AttackPlan,
    strike: attack_options.Strike,
    source: RollSource,
) -> Rating:
    """Return the rating of an attack. Raises as `source_rating` and `turns_of`."""
    sheet: MasterbookSheet = game.sheet(who)
    weapon, rank = strike.weapon, _rank_penalty(plan)
    opened = is_training_waived(check.data.effects, who, STRIKE)
    rating = roll_sources.source_rating(game, who, source, opened=opened)
    turns: Causes = ()
    if not is_second_strike(game, check, who):
        turns = action_economy.turns_of(game, who, ranked=bool(rank))
    options: Causes = ()
    if not weapon.blast:
        options = attack_options.attack_modifiers(strike, handling=plan.handling)
    is_nimble = source.attribute in ("agility", "dexterity")
    is_encumbered = is_nimble and equipment.is_encumbering(sheet.armour)
    said = nonzero_causes(
        ("multi_action", rank),
        ("encumbered", plan.encumbered if is_encumbered else 0),
        ("modifier", plan.modifier if who == check.actor else 0),
    )
    return rating.with_causes(
        *turns,
        *options,
        *said,
        *background_memory.panic_causes(game, who),
        *background_memory.frozen_causes(game, check.target or "", weapon.use),
    )


def _rank_penalty(plan: AttackPlan) -> int:
    """Return the multi-action penalty of a declared rank; to coordinate is one of two actions."""
    if not (plan.rank or plan.together):
        return 0
    return multi_actions.multi_action_penalty(plan.rank or 1, max(plan.rank, plan.actions, 2))


def _is_soft(game: Game, plan: AttackPlan, weapon: WeaponKind) -> bool:
    """Return whether an attack is non-lethal."""
    if not game.setting("non_lethal"):
        return False
    return weapon.nonlethal or plan.has_option(declaration.SOFT)


def _damage_value(game: Game, who: str, strike: attack_options.Strike, *, soft: bool) -> int:
    """Return the damage value of a strike."""
    return equipment.damage_value(
        strike.weapon,
        attribute(game.sheet(who), "strength") + strike.declared.strength,
        reach=_band(strike),
        close=game.setting("rifle_point_blank_damage"),
        bump=int(game.setting("nonlethal_damage_bump")) if soft else 0,
    )


def attack_causes(
    game: Game, check: AnyAttack, who: str, source: RollSource, use: Use, plan: AttackPlan
) -> RollCauses:
    """Return what options of an attacker bring to its attack (MB-BG-15).

    A GM's answer counts for the leader; for helpers the proposals count.
    """
    subject = attack_subject(game, who, source, use)
    answered = bool(check.data.answered_by) and who == check.actor
    if not answered:
        return roll_causes(game, subject, (), answered=False)
    return roll_causes(game, subject, _own_words(plan.situations), answered=True)


def attack_subject(
    game: Game, who: str, source: RollSource, use: Use, target: str = ""
) -> RollSubject:
    """Return what an attack is about, for options."""
    counted = action_economy.round_of(game, who)
    return RollSubject(who, source, source.attribute, target, use=use, round=counted)


def _own_words(words: Iterable[str]) -> tuple[str, ...]:
    """Return what a GM has said about the attacker's own situations."""
    return tuple(word for word in words if not word.startswith(AGAINST))


def spend_rounds(
    game: Game, side: AttackingSide, plan: AttackPlan
) -> tuple[Game, tuple[NumberChange, ...]]:
    """Return the game after the rounds that an attack uses up, and the change (MB-EQ-04).

    Raises Impossible("mb-no-rounds").
    """
    sheet: MasterbookSheet = game.sheet(side.who)
    arm = declaration.arm_of(sheet, side.weapon)
    if arm is None or arm.rounds is None or not game.setting("track_ammunition"):
        return game, ()
    left = equipment.rounds_after_attack(arm.rounds, side.mode, arm.magazine, plan.shots or 2)
    arms: list[Arm] = []
    for carried in sheet.arms:
        arms.append(carried.replace(rounds=left) if carried is arm else carried)
    change = NumberChange(side.who, "rounds", arm.rounds, left, name=arm.name)
    return game.with_sheet(side.who, sheet.replace(arms=tuple(arms))), (change,)


# --- the targets ----------------------------------------------------------------------------------


def best_defense(game: Game, who: str, use: Use, options: Collection[str]) -> RollSource:
    """Return a character's best defense: the skill, or a martial art in its place (MB-CMB-04)."""
    sheet: MasterbookSheet = game.sheet(who)
    armed = False
    if use == "hand":
        drawn = [arm.name for arm in sheet.arms if arm.drawn]
        armed = any(declaration.weapon_named(game, sheet, name).use == "hand" for name in drawn)
    skill = attack_options.defense_skill(use, armed=armed)
    return _best_source(
        sheet,
        skill,
        lambda source: not source.special,
        lambda focus: attack_options.stands_in_for_defense(focus, skill, options),
    )


def targets_of(
    game: Game, check: AnyAttack, plan: AttackPlan, side: AttackingSide
) -> tuple[Foe, ...]:
    """Return the targets of an attack, each with its defense.

    Raises InvalidInput("target-is-self") for an attack on oneself that is no blast.
    """
    meters = {check.target or "": 0} | declaration.meters_by_target(plan.also)
    if check.actor in meters and not side.blast:
        raise InvalidInput("target-is-self", field="also", value=None)
    foes: list[Foe] = []
    for rank, (who, distance) in enumerate(meters.items(), 1):
        foe = _target(game, who, side.use, plan.options)
        modifier = 0 if side.blast else multi_actions.multi_action_penalty(rank, len(meters))
        foe = foe.replace(total_modifier=modifier, meters=distance)
        raised, bonuses = _defense_causes(game, check, side, foe)
        foes.append(foe.replace(hidden_shifts=raised, bonuses=bonuses))
    return tuple(foes)


def _target(game: Game, who: str, use: Use, options: Collection[str]) -> Foe:
    """Return a target with its best defense, passively and from earlier in this round."""
    source = best_defense(game, who, use, options)
    rating = roll_sources.source_rating(game, who, source, passive=True)
    guard = mark_total(game.state, who, action_economy.GUARD)
    rating = rating.with_causes(*nonzero_causes((action_economy.GUARD, guard)))
    active = marks_of(game.state, who, action_economy.ACTIVE_DEFENSE, source.name)
    return Foe(who, source, rating, earlier_defense=active[0].value if active else None)


def _defense_causes(
    game: Game, check: AnyAttack, side: AttackingSide, foe: Foe
) -> tuple[Causes, Causes]:
    """Return what a target's options add to the attacker's total, and to its active defense."""
    source = roll_sources.find_source(game.sheet(side.who), side.skill)
    subject = attack_subject(game, side.who, source, side.use, foe.who)
    answered = bool(check.data.answered_by) and foe.who == check.target
    words = check.data.plan.situations if answered else ()
    raised = [*resistance_difficulties(game, foe.who, foe.source, raising=True)]
    bonuses: list[Cause] = []
    for offered, number in counted_situations(game, subject, words, answered=answered):
        if offered.owner != foe.who:
            continue
        causes = bonuses if offered.active.situation.to == "bonus" else raised
        causes.append(offered.cause(number))
    return tuple(raised), tuple(bonuses)
