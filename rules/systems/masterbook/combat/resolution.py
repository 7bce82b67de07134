"""Attackers and targets of an attack, the result of its dice, and its damage.

MB-CMB-01 to MB-CMB-05, MB-COV-01, MB-DMG-02, MB-CARD-13.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.core.name_matching import name_key
from rules.core.record import Record
from rules.systems.masterbook.character.option_effects import Cause
from rules.systems.masterbook.character.sheet import (
    Arm,
    MasterbookSheet,
    attribute,
    option_effects,
)
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
from rules.systems.masterbook.checks.roll_stages import card_bonus
from rules.systems.masterbook.checks.sheet_view import toughness_of
from rules.systems.masterbook.checks.state import TOGETHER, Blow, Rating, difficulty_number
from rules.systems.masterbook.combat import declaration
from rules.systems.masterbook.combat.declaration import (
    DEFEND,
    STRIKE,
    AnyAttack,
    Attack,
    AttackingSide,
    AttackPlan,
    Foe,
)
from rules.systems.masterbook.deck.play import card_causes
from rules.systems.masterbook.formulas import (
    attack_options,
    damage,
    equipment,
    multi_actions,
    success_chart,
)
from rules.systems.masterbook.formulas.equipment import GROUNDS, ArmorKind, WeaponKind
from rules.systems.masterbook.formulas.reference_rows import (
    COVERS,
    FOCUSES,
    LOCATIONS,
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

#: Option of an attack by complete surprise.
COMPLETE: Final = "complete"
#: Kinds of blows that have not hit.
MISSES: Final = ("miss", "clear")
#: Option that aiming in the last round brings.
AIMED: Final = "aimed_last_round"


def spot_difficulty(data: Attack) -> int:
    """Return the open difficulty of a throw at a place (MB-EQ-11)."""
    grounds = [option for option in data.plan.options if option in GROUNDS]
    return cause_total(equipment.spot(data.sides[0].band, grounds)) + data.plan.harder


def spot_shortfall(data: Attack) -> int:
    """Return by how much a throw at a place has missed it; 0 for other attacks."""
    if not data.sides or not data.sides[0].blast:
        return 0
    strike = data.throw_of(STRIKE, data.sides[0].who)
    return 0 if strike is None else max(0, spot_number(data) - strike.total)


def spot_number(data: Attack) -> int:
    """Return the number that a throw at a place has to reach, with hidden shifts."""
    return spot_difficulty(data) + cause_total(data.sides[0].hidden_shifts)


def defense_number(data: Attack, foe: Foe) -> int:
    """Return the number to hit a target, without its concealment (MB-CMB-02, MB-CMB-03)."""
    plan, defense = data.plan, data.throw_of(DEFEND, foe.who)
    base = plan.defense or passive_defense(foe)
    if defense is not None and not data.sides[0].blast:
        base = defense.total
    elif foe.held is not None:
        base = foe.held
    return base + plan.harder + plan.knockout


def hidden_difficulty(data: Attack, foe: Foe) -> int:
    """Return by how much it is harder to hit a target than players may know (MB-BG-15)."""
    own = cause_total(data.sides[0].hidden_shifts) if data.sides else 0
    return own - cause_total(foe.hidden_shifts)


def _number_to_hit(data: Attack, foe: Foe) -> int:
    """Return the number to hit a target, with what only the GMs know of."""
    return defense_number(data, foe) + hidden_difficulty(data, foe)


def passive_defense(foe: Foe) -> int:
    """Return the passive value of a target's defense (MB-CMB-02)."""
    return attack_options.passive_defense_value(foe.how.value, foe.how.modifiers)


def concealment_bonus(plan: AttackPlan) -> int:
    """Return what concealment adds to the number to hit."""
    return attack_options.concealment(plan.concealment, plan.more) if plan.concealment else 0


# --- hit or miss ----------------------------------------------------------------------------------


class AttackResult(Record):
    """Combined result of all who attack one target."""

    total: int
    #: Damage value.
    dv: int
    #: Modifier of the result points for damage.
    more: int
    #: Number of attackers who hit, of a group or of characters who coordinate.
    count: int = 0
    #: Outcome for the target: `miss`, `clear_hit` or `through_cover`.
    kind: str = "miss"
    #: Result points.
    points: int = 0


def best_attack(data: Attack, foe: Foe) -> AttackResult | None:
    """Return the attack that counts: of a group its own, of helpers the best; None for a miss
    (MB-CBN-01, MB-CBN-02).
    """
    leader, totals = data.sides[0], _attack_totals(data, foe)
    alone = AttackResult(totals.get(leader.who, 0), leader.dv, leader.more)
    if not data.plan.together:
        return alone if totals else None
    hit = multi_actions.characters_reaching(totals, _number_to_hit(data, foe))
    coordinators = _coordinators(data)
    together = [who for who in hit if who in coordinators]
    if not together:
        # An attacker who could not coordinate still acts alone.
        return alone.replace(count=1) if leader.who in hit else None
    sides = {side.who: side for side in data.sides}
    best = max(together, key=totals.__getitem__)
    dv = sum(sides[who].dv for who in together) // len(together)
    more = sides[best].more + multi_actions.coordination_bonus(len(together))
    return AttackResult(totals[best], dv, more, len(together))


def _attack_totals(data: Attack, foe: Foe) -> dict[str, int]:
    """Return each attacker's total against a target.

    The number to hit has the leader's hidden difficulties. For helpers, their own replace these.
    """
    hidden = {side.who: cause_total(side.hidden_shifts) for side in data.sides}
    of_leader = hidden[data.sides[0].who]
    totals: dict[str, int] = {}
    for throw in data.throws:
        if throw.what == STRIKE and not throw.fails:
            totals[throw.who] = throw.total + foe.later + of_leader - hidden[throw.who]
    return totals


def _coordinators(data: Attack) -> tuple[str, ...]:
    """Return the attackers whose roll to coordinate succeeded (MB-CBN-02)."""
    rolls = {throw.who: throw.total for throw in data.throws if throw.what == TOGETHER}
    difficulty = difficulty_number(data.plan.coordination or "Average") or 0
    return multi_actions.characters_reaching(rolls, difficulty)


def result_against(game: Game, data: Attack, foe: Foe) -> AttackResult:
    """Return the result of an attack for one target (MB-COV-01)."""
    plan, side, number = data.plan, data.sides[0], _number_to_hit(data, foe)
    if not data.throws:
        # A GM has ruled that the attack hits.
        return AttackResult(number, side.dv, side.more, kind="clear_hit")
    attack = best_attack(data, foe)
    if attack is None:
        return AttackResult(0, 0, 0)
    if plan.group:
        return _group_result(plan, attack, number)
    outcome = outcome_for_total(game, plan, attack.total, number)
    return attack.replace(kind=outcome.kind, points=outcome.points or 0)


def _group_result(plan: AttackPlan, attack: AttackResult, number: int) -> AttackResult:
    """Return the result of a group that attacks one target (MB-CBN-01).

    The group's effect is the sum of damage value, modifier and result points. The bonus of many is
    part of the modifier, so it counts inside the cap (MB-DMO-01).
    """
    number += concealment_bonus(plan)
    group = multi_actions.resolve_group(plan.group, attack.total, number, attack.dv)
    more = attack.more + group.effect - group.points - attack.dv
    kind = "clear_hit" if group.succeeded else "miss"
    return attack.replace(more=more, count=group.succeeded, kind=kind, points=group.points)


def outcome_for_total(
    game: Game, plan: AttackPlan, total: int, number: int
) -> attack_options.Outcome:
    """Return the outcome of a total against a number without concealment (MB-COV-01)."""
    counting, indirect = game.setting("cover_hit_rp"), plan.has_option(declaration.INDIRECT)
    return attack_options.resolve_through_cover(
        total, number, concealment_bonus(plan), counting=counting, indirect=indirect
    )


def cover_toughness(plan: AttackPlan, kind: str) -> int:
    """Return what cover adds to Toughness against a hit of this kind (MB-COV-01)."""
    if not plan.cover or kind != "through_cover":
        return 0
    return COVERS[plan.cover].toughness


def worn_armor(
    sheet: MasterbookSheet, plan: AttackPlan, *, partial: bool = False, bare: int | None = None
) -> int:
    """Return what armor adds to *bare* Toughness, by default the character's own
    (MB-EQ-30, MB-EQ-32).

    An attack at a gap meets no armor. With *partial* coverage, only the armor of the location that
    is hit counts.
    """
    if plan.has_option(declaration.BARE):
        return 0
    bare = toughness_of(sheet) if bare is None else bare
    location = ""
    if partial:
        location = next((option for option in plan.options if option in LOCATIONS), "")
    layers: list[ArmorKind] = []
    for suit in sheet.armour:
        if not location or not suit.covers or location in suit.covers:
            layers.append(suit)
    return equipment.armored_toughness(bare, layers) - bare


def blind_concealment(plan: AttackPlan) -> int:
    """Return the concealment of a target whom an attack can't hit through it (MB-COV-01)."""
    more = concealment_bonus(plan)
    indirect = plan.has_option(declaration.INDIRECT)
    return more if attack_options.blind(more, indirect=indirect) else 0


def reported_number(data: Attack, foe: Foe) -> int:
    """Return the number that a miss is told to have fallen short of."""
    return defense_number(data, foe) + blind_concealment(data.plan)


def uses_maneuver_column(data: Attack) -> bool:
    """Return whether the result is read on the maneuver column (MB-SKILL-MARTIAL-ARTS).

    The columns are those of the first option that has any.
    """
    columns: Collection[str] = ("damage",)
    for option in data.plan.options:
        if option in OPTIONS and OPTIONS[option].columns:
            columns = OPTIONS[option].columns
            break
    if "damage" not in columns:
        return True
    return data.plan.has_option(declaration.MANEUVER) and "maneuver" in columns


def own_defense_modifier(data: Attack) -> int:
    """Return what the options of an attack do to the attacker's own defense."""
    rows = [option for option in (*data.plan.options, data.sides[0].mode) if option in OPTIONS]
    if is_aiming_only(data):
        rows = [option for option in rows if OPTIONS[option].waits]
    return cause_total(attack_options.combine_options(rows, _trick_shot(data.plan)).defense)


def _trick_shot(plan: AttackPlan) -> Mapping[str, tuple[int, int, int]]:
    """Return the numbers that a GM has given to a trick shot, by its option."""
    if not plan.trick:
        return {}
    attack, defense, damage = map(int, plan.trick.split())
    return {"trick_shot": (attack, defense, damage)}


def is_complete_surprise(data: Attack) -> bool:
    """Return whether the attack is a complete surprise (MB-SUR-01)."""
    return any(name == COMPLETE for side in data.sides for name, _ in side.how.modifiers)


def is_aiming_only(data: Attack) -> bool:
    """Return whether the attacker only aims now."""
    return attack_options.has_effect(data.plan.options, "waits")


# --- damage ---------------------------------------------------------------------------------------


def blast_zone(data: Attack, foe: Foe) -> int:
    """Return the zone of a blast in which a target is, after its dodge."""
    strayed = 0 if data.placed or data.strayed is None else data.strayed[1]
    zone, dodge = equipment.zone(foe.meters + strayed), data.throw_of(DEFEND, foe.who)
    if dodge is None or zone == equipment.CLEAR:
        return zone
    return equipment.zone_after_dodge(zone, success_chart.rank(dodge.total - equipment.CLEARING))


def _with_card_damage(game: Game, check: AnyAttack) -> Attack:
    """Return the attack with what cards add to its damage values (MB-CARD-E01, MB-CARD-E07,
    MB-CARD-E17).
    """
    data = check.data
    adds = {side.who: card_bonus(game, check, side.who, side.damage_number) for side in data.sides}
    if not any(adds.values()):
        return data
    sides = tuple(side.replace(dv=side.dv + adds[side.who]) for side in data.sides)
    return data.replace(sides=sides)


def resolve_blow(game: Game, check: AnyAttack, foe: Foe) -> Blow:
    """Return what an attack does to a target, before it bleeds (MB-DMG-02 to MB-DMG-04)."""
    data = _with_card_damage(game, check)
    side = data.sides[0]
    if side.blast:
        return _resolve_blast(game, check, data, foe)
    attack = result_against(game, data, foe)
    if attack.kind == "miss":
        return Blow(foe.who, attack.kind)
    if uses_maneuver_column(data):
        points = attack.points + cause_total(card_causes(data.effects, side.who, "result"))
        effect = success_chart.result("maneuver", points)
        return Blow(foe.who, attack.kind, points, effect=effect)
    return hit_blow(game, check, foe, attack)


def _resolve_blast(game: Game, check: AnyAttack, data: Attack, foe: Foe) -> Blow:
    """Return what a blast does to a target, before it bleeds (MB-EQ-13)."""
    side, zone = data.sides[0], blast_zone(data, foe)
    if zone == equipment.CLEAR:
        return Blow(foe.who, "clear", zone=zone)
    strike, result_points = data.throw_of(STRIKE, side.who), 0
    if strike is not None and game.setting("grenade_adds_result_points"):
        result_points = max(0, strike.total - spot_number(data))
    dv = equipment.blast(side.dv, zone, result_points)
    return hit_blow(game, check, foe, AttackResult(0, dv, 0, kind="clear_hit"), zone)


def hit_blow(game: Game, check: AnyAttack, foe: Foe, attack: AttackResult, zone: int = 0) -> Blow:
    """Return what a hit does to a target, before it bleeds (MB-DMG-02 to MB-DMG-04)."""
    data = check.data
    kind = "through_cover" if data.sides[0].blast else attack.kind
    cover = cover_toughness(data.plan, kind)
    cover += card_bonus(game, check, foe.who, "toughness")
    hit = _unchanged_hit(game, data, foe, attack, cover).damage
    return Blow(
        foe.who,
        attack.kind,
        attack.points,
        damage_to(game, data, foe, attack, cover),
        zone=zone,
        count=attack.count,
        kept_off=min(hit.wounds, option_effects(game.sheet(foe.who)).wounds_less),
    )


def open_gap(game: Game, data: Attack, foe: Foe) -> str:
    """Return the damage against which a target's skin fails, if the GM has yet to say whether the
    attack does such damage; empty if that is settled (MB-BG-30).
    """
    gaps = option_effects(game.sheet(foe.who)).gapped_toughness
    if not gaps or data.sides[0].deals or foe.who in dict(data.gaps):
        return ""
    return ", ".join(gap for _, gap in gaps)


def gap_in_skin(game: Game, data: Attack, foe: Foe) -> int:
    """Return the Toughness of a target's skin that doesn't count against the attack (MB-BG-30)."""
    gaps = option_effects(game.sheet(foe.who)).gapped_toughness
    if dict(data.gaps).get(foe.who, False):
        return sum(number for number, _ in gaps)
    deals = data.sides[0].deals if data.sides else ""
    return sum(number for number, gap in gaps if is_damage_of(gap, deals))


def is_damage_of(gap: str, deals: str) -> bool:
    """Return whether a weapon's damage is of the kind of a gap, as `bullet` is of `Bullets`."""
    return bool(deals) and _kind_key(gap) == _kind_key(deals)


def _kind_key(kind: str) -> str:
    return name_key(kind).removesuffix("s")


def _unchanged_hit(
    game: Game, data: Attack, foe: Foe, attack: AttackResult, cover: int = 0
) -> damage.HitResult:
    """Return a hit before abilities and options change its damage (MB-DMG-02)."""
    sheet, plan = game.sheet(foe.who), data.plan
    bare = toughness_of(sheet) - gap_in_skin(game, data, foe)
    partial = game.setting("partial_armor_coverage")
    armor = worn_armor(sheet, plan, partial=partial, bare=bare)
    return damage.resolve_hit(
        attack.points,
        attack.dv,
        bare,
        armor=armor,
        cover=cover,
        more=attack.more,
        capped=game.setting("damage_cap"),
    )


def damage_to(
    game: Game, data: Attack, foe: Foe, attack: AttackResult, cover: int = 0
) -> success_chart.Damage:
    """Return the damage of an attack to a target (MB-DMG-02, MB-DMG-04, MB-BG-30)."""
    plan = data.plan
    less = option_effects(game.sheet(foe.who)).wounds_less
    hit = _unchanged_hit(game, data, foe, attack, cover)
    return damage.convert_damage(
        damage.with_fewer_wounds(hit.damage, less),
        attack.points,
        fells=attack_options.has_effect(plan.options, "fells"),
        knockout=bool(plan.knockout),
        soft=data.sides[0].soft,
    )


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
    limits = {reach.name: reach.limit for reach in equipment.reaches(weapon, strength)}
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

    Raises as `attack_options.strike`, and Impossible("mb-trained-only") for a weapon whose own
    skill the character lacks.
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
    strike = attack_options.strike(
        weapon,
        _distance(weapon, plan, strength),
        _effective_options(game, who, check.target or "", plan, weapon.use),
        strength=strength,
        loaded=loaded,
        focus=_focus_of(source),
        changed=_trick_shot(plan),
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
        how=rating.with_causes(*causes.total, bonuses=(*rating.bonuses, *causes.bonus)),
        mode=strike.mode,
        band=_band(strike),
        use=weapon.use,
        dv=_damage_value(game, who, strike, soft=soft),
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
        lambda focus: attack_options.defends(focus, skill, options),
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
        later = 0 if side.blast else multi_actions.multi_action_penalty(rank, len(meters))
        foe = foe.replace(later=later, meters=distance)
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
    return Foe(who, source, rating, held=active[0].value if active else None)


def _defense_causes(
    game: Game, check: AnyAttack, side: AttackingSide, foe: Foe
) -> tuple[Causes, Causes]:
    """Return what a target's options add to the attacker's total, and to its active defense."""
    source = roll_sources.find_source(game.sheet(side.who), side.skill)
    subject = attack_subject(game, side.who, source, side.use, foe.who)
    answered = bool(check.data.answered_by) and foe.who == check.target
    words = check.data.plan.situations if answered else ()
    raised = [*resistance_difficulties(game, foe.who, foe.means, raising=True)]
    bonuses: list[Cause] = []
    for offered, number in counted_situations(game, subject, words, answered=answered):
        if offered.owner != foe.who:
            continue
        causes = bonuses if offered.active.situation.to == "bonus" else raised
        causes.append(offered.cause(number))
    return tuple(raised), tuple(bonuses)


def may_defend(game: Game, check: AnyAttack, foe: Foe) -> bool:
    """Return whether a target may defend actively now (MB-CMB-03, MB-EQ-14)."""
    data, sheet, source = check.data, game.sheet(foe.who), foe.means
    if data.sides[0].blast and equipment.zone(foe.meters) == equipment.CLEAR:
        return False
    if foe.held is not None or sheet.harm.out:
        return False
    if option_effects(sheet).ruled_out_by(source.skill, source.focus, source.special):
        return False
    surprised = is_complete_surprise(data)
    return not action_economy.no_defense_reason(game, foe.who, surprised=surprised)
