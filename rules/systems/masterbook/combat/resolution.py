"""What an attack comes to: by its dice, with what it is made and what stands against it, and the
cards on it.

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
from rules.systems.masterbook.character.sheet import MasterbookSheet, attribute, option_effects
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
from rules.systems.masterbook.checks.state import TOGETHER, Blow, difficulty_number
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
from rules.systems.masterbook.formulas.equipment import GROUNDS, WeaponKind
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

#: The option that is an attack by complete surprise.
COMPLETE: Final = "complete"
#: What aiming in the last round brings.
AIMED: Final = "aimed_last_round"


def spot_difficulty(data: Attack) -> int:
    """What a throw at a place goes against (MB-EQ-11)."""
    grounds = [each for each in data.plan.options if each in GROUNDS]
    return cause_total(equipment.spot(data.sides[0].band, grounds)) + data.plan.harder


def spot_shortfall(data: Attack) -> int:
    """By how much what was thrown at a place has missed it; 0 for everything else."""
    found = data.throw_of(STRIKE, data.sides[0].who) if data.sides and data.sides[0].blast else None
    return 0 if found is None else max(0, spot_number(data) - found.total)


def spot_number(data: Attack) -> int:
    """Return what a throw at a place has to reach, with what only the GMs know of."""
    return spot_difficulty(data) + cause_total(data.sides[0].hidden_shifts)


def defense_number(data: Attack, foe: Foe) -> int:
    """What has to be reached to hit somebody, without what conceals them (MB-CMB-02, MB-CMB-03)."""
    plan, thrown = data.plan, data.throw_of(DEFEND, foe.who)
    base = plan.defense or passive_defense(foe)
    if thrown is not None and not data.sides[0].blast:
        base = thrown.total
    elif foe.held is not None:
        base = foe.held
    return base + plan.harder + plan.knockout


def hidden_difficulty(data: Attack, foe: Foe) -> int:
    """Return by how much it is harder to hit a target than players may know (MB-BG-15)."""
    own = cause_total(data.sides[0].hidden_shifts) if data.sides else 0
    return own - cause_total(foe.hidden_shifts)


def _needed(data: Attack, foe: Foe) -> int:
    """Return what has to be reached to hit a target, with what only the GMs know of."""
    return defense_number(data, foe) + hidden_difficulty(data, foe)


def passive_defense(foe: Foe) -> int:
    """What somebody has against an attack without doing anything (MB-CMB-02)."""
    return attack_options.passive_defense_value(foe.rating.value, foe.rating.modifiers)


def concealment_bonus(plan: AttackPlan) -> int:
    """What not being seen whole adds."""
    return attack_options.concealment(plan.concealment, plan.more) if plan.concealment else 0


class AttackResult(Record):
    """A side's total, its damage value and what is added to the points, for all who attack
    together; `count` hit.

    `kind` is how it comes out for somebody, with so many result `points`.
    """

    total: int
    dv: int
    more: int
    count: int = 0
    kind: str = "miss"
    points: int = 0


def best_attack(data: Attack, foe: Foe) -> AttackResult | None:
    """What counts of those who attack: of a group one, of those who coordinate the best (MB-CBN-01,
    MB-CBN-02).
    """
    sides, first = {each.who: each for each in data.sides}, data.sides[0]
    totals: dict[str, int] = {}
    for each in data.throws:
        if each.what == STRIKE and not each.fails:
            # The number has the difficulties of the first in it, of others each has its own.
            own = cause_total(first.hidden_shifts) - cause_total(sides[each.who].hidden_shifts)
            totals[each.who] = each.total + foe.total_modifier + own
    alone = AttackResult(totals.get(first.who, 0), first.damage_value, first.more)
    if not data.plan.together:
        return alone if totals else None
    agreed = {each.who: each.total for each in data.throws if each.what == TOGETHER}
    made = multi_actions.characters_reaching(
        agreed, difficulty_number(data.plan.coordination or "Average") or 0
    )
    hit = multi_actions.characters_reaching(totals, _needed(data, foe))
    done = [each for each in hit if each in made]
    if not done:  # whoever could not coordinate still acts alone
        return alone.replace(count=1) if first.who in hit else None
    best = max(done, key=lambda each: totals[each])
    dv = sum([sides[each].damage_value for each in done]) // len(done)
    return AttackResult(
        totals[best], dv, sides[best].more + multi_actions.coordination_bonus(len(done)), len(done)
    )


def result_against(game: Game, data: Attack, foe: Foe) -> AttackResult:
    """How it comes out for somebody, and what counts of it (MB-COV-01)."""
    plan, side, number = data.plan, data.sides[0], _needed(data, foe)
    if not data.throws:  # a GM has said that it hits
        return AttackResult(number, side.damage_value, side.more, kind="clear_hit")
    found = best_attack(data, foe)
    if found is None:
        return AttackResult(0, 0, 0)
    if plan.group:
        group = multi_actions.resolve_group(
            plan.group, found.total, number + concealment_bonus(plan), found.dv
        )
        # What many add is a modifier: it counts inside the cap (MB-DMO-01).
        more = found.more + group.effect - group.points - found.dv
        kind = "clear_hit" if group.succeeded else "miss"
        return found.replace(more=more, count=group.succeeded, kind=kind, points=group.points)
    out = outcome_for_total(game, plan, found.total, number)
    return found.replace(kind=out.kind, points=out.points or 0)


def outcome_for_total(
    game: Game, plan: AttackPlan, total: int, number: int
) -> attack_options.Outcome:
    """How a total comes out against a number that leaves out what conceals the target
    (MB-COV-01).
    """
    counting, indirect = game.setting("cover_hit_rp"), plan.has_option(declaration.INDIRECT)
    return attack_options.resolve_through_cover(
        total, number, concealment_bonus(plan), counting=counting, indirect=indirect
    )


def cover_toughness(plan: AttackPlan, kind: str) -> int:
    """What cover adds to Toughness where an attack comes out like that (MB-COV-01)."""
    return COVERS[plan.cover].toughness if plan.cover and kind == "through_cover" else 0


def worn_armor(
    sheet: MasterbookSheet, plan: AttackPlan, *, partial: bool = False, bare: int | None = None
) -> int:
    """What armor adds to *bare* Toughness, the character's own unless said; nothing at a gap that
    was aimed at. Where it covers in part, what covers the part that is hit (MB-EQ-30, MB-EQ-32).
    """
    if plan.has_option(declaration.BARE):
        return 0
    bare = toughness_of(sheet) if bare is None else bare
    hit = next((each for each in plan.options if each in LOCATIONS), "") if partial else ""
    layers = [each for each in sheet.armour if not hit or not each.covers or hit in each.covers]
    return equipment.armored_toughness(bare, layers) - bare


def blind_concealment(plan: AttackPlan) -> int:
    """What conceals somebody, where nothing comes through that (MB-COV-01)."""
    more = concealment_bonus(plan)
    return more if attack_options.blind(more, indirect=plan.has_option(declaration.INDIRECT)) else 0


def reported_number(data: Attack, foe: Foe) -> int:
    """What a miss fell short of."""
    return defense_number(data, foe) + blind_concealment(data.plan)


def uses_maneuver_column(data: Attack) -> bool:
    """Whether it is read on the maneuver column, where its option may be
    (MB-SKILL-MARTIAL-ARTS).
    """
    columns = [OPTIONS[each].columns for each in data.plan.options if each in OPTIONS]
    found = next((each for each in columns if each), ("damage",))
    return "damage" not in found or (
        data.plan.has_option(declaration.MANEUVER) and "maneuver" in found
    )


def own_defense_modifier(data: Attack) -> int:
    """What its options do to the attacker's own defense."""
    rows = [each for each in (*data.plan.options, data.sides[0].mode) if each in OPTIONS]
    rows = [each for each in rows if OPTIONS[each].waits] if is_aiming_only(data) else rows
    return cause_total(attack_options.combine_options(rows, _trick_shot(data.plan)).defense)


def _trick_shot(plan: AttackPlan) -> Mapping[str, tuple[int, int, int]]:
    """What a GM has made of a trick shot."""
    attack, defense, damage = [int(each) for each in plan.trick.split()] or (0, 0, 0)
    return {"trick_shot": (attack, defense, damage)} if plan.trick else {}


def is_complete_surprise(data: Attack) -> bool:
    """Whether it comes as a complete surprise, as was said or found out before (MB-SUR-01)."""
    return any(name == COMPLETE for side in data.sides for name, _ in side.rating.modifiers)


def is_aiming_only(data: Attack) -> bool:
    """Whether nothing but aiming is done now."""
    return attack_options.has_effect(data.plan.options, "waits")


def blast_zone(data: Attack, foe: Foe) -> int:
    """In which zone of a blast somebody is, once they have got as far as they could."""
    far = 0 if data.placed or data.strayed is None else data.strayed[1]
    zone, dodge = equipment.zone(foe.meters + far), data.throw_of(DEFEND, foe.who)
    if dodge is None or zone == equipment.CLEAR:
        return zone
    return equipment.zone_after_dodge(zone, success_chart.rank(dodge.total - equipment.CLEARING))


def _with_card_damage(game: Game, check: AnyAttack) -> Attack:
    """The attack with what cards add to its damage values (MB-CARD-E01, MB-CARD-E07,
    MB-CARD-E17).
    """
    data = check.data
    adds = {each.who: card_bonus(game, check, each.who, each.damage_number) for each in data.sides}
    if not any(adds.values()):
        return data
    return data.replace(
        sides=tuple(
            [each.replace(damage_value=each.damage_value + adds[each.who]) for each in data.sides]
        )
    )


def resolve_blow(game: Game, check: AnyAttack, foe: Foe) -> Blow:
    """What comes of it for somebody, before it bleeds (MB-DMG-02 to MB-DMG-04, MB-EQ-13)."""
    data = _with_card_damage(game, check)
    side, zone = data.sides[0], 0
    if side.blast:
        zone, strike = blast_zone(data, foe), data.throw_of(STRIKE, side.who)
        if zone == equipment.CLEAR:
            return Blow(foe.who, "clear", zone=zone)
        well = max(0, strike.total - spot_number(data)) if strike is not None else 0
        adds = well if game.setting("grenade_adds_result_points") else 0
        found = AttackResult(0, equipment.blast(side.damage_value, zone, adds), 0, kind="clear_hit")
    else:
        found = result_against(game, data, foe)
        if found.kind == "miss":
            return Blow(foe.who, found.kind)
        if uses_maneuver_column(data):
            points = found.points + cause_total(card_causes(data.effects, side.who, "result"))
            return Blow(
                foe.who, found.kind, points, effect=success_chart.result("maneuver", points)
            )
    return hit_blow(game, check, foe, found, zone)


def hit_blow(game: Game, check: AnyAttack, foe: Foe, found: AttackResult, zone: int = 0) -> Blow:
    """Return what a hit does to a target, before it bleeds (MB-DMG-02 to MB-DMG-04)."""
    data = check.data
    kind = "through_cover" if data.sides[0].blast else found.kind
    cover = cover_toughness(data.plan, kind)
    cover += card_bonus(game, check, foe.who, "toughness")
    done = damage_to(game, data, foe, found, cover)
    struck = _struck(game, data, foe, found, cover).damage
    kept_off = min(struck.wounds, option_effects(game.sheet(foe.who)).wounds_less)
    return Blow(
        foe.who, found.kind, found.points, done, zone=zone, count=found.count, kept_off=kept_off
    )


def open_gap(game: Game, data: Attack, foe: Foe) -> str:
    """Return the damage against which a target's skin fails, where nobody knows yet whether the
    attack is such; empty if that is settled (MB-BG-30).
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
    """Return whether damage of a weapon is of a kind that is named, as `Bullets` and `bullet`."""
    return bool(deals) and _kind_key(gap) == _kind_key(deals)


def _kind_key(kind: str) -> str:
    return name_key(kind).removesuffix("s")


def _struck(
    game: Game, data: Attack, foe: Foe, found: AttackResult, cover: int = 0
) -> damage.HitResult:
    """Return a hit before anything is made of it (MB-DMG-02)."""
    sheet, plan = game.sheet(foe.who), data.plan
    bare = toughness_of(sheet) - gap_in_skin(game, data, foe)
    partial = game.setting("partial_armor_coverage")
    armor = worn_armor(sheet, plan, partial=partial, bare=bare)
    return damage.resolve_hit(
        found.points,
        found.dv,
        bare,
        armor=armor,
        cover=cover,
        more=found.more,
        capped=game.setting("damage_cap"),
    )


def damage_to(
    game: Game, data: Attack, foe: Foe, found: AttackResult, cover: int = 0
) -> success_chart.Damage:
    """What an attack does that counts so much (MB-DMG-02, MB-DMG-04, MB-BG-30)."""
    plan = data.plan
    less = option_effects(game.sheet(foe.who)).wounds_less
    done = damage.with_fewer_wounds(_struck(game, data, foe, found, cover).damage, less)
    return damage.convert_damage(
        done,
        found.points,
        fells=attack_options.has_effect(plan.options, "fells"),
        knockout=bool(plan.knockout),
        soft=data.sides[0].soft,
    )


_MARTIAL: Final = "Martial Arts"
#: What a wrestler does next to whom they hold.
_FOLLOW_UP: Final = "hold"
#: Meters at which a lunge, and any other blow, is made where nothing is said.
_LUNGING, _CLOSE = 3, 1

# --- what it is made with -------------------------------------------------------------------------


def _focus_of(each: RollSource) -> str:
    """The martial art of that name in the rules."""
    focus = each.focus.casefold() if each.skill == _MARTIAL else ""
    return focus if focus in FOCUSES else ""


def _best_source(
    sheet: MasterbookSheet,
    skill: str,
    fits: Callable[[RollSource], bool],
    serves: Callable[[str], bool],
    *,
    rolled: bool = False,
) -> RollSource:
    """The best of what somebody has learned: the skill where it `fits`, or a martial art that
    `serves`; else untrained.

    An art serves as it is: it takes training, and what it is special in somebody has to say. If it
    is `rolled`, bonus numbers of options count.
    """

    def fit(each: RollSource) -> bool:
        if focus := _focus_of(each):
            return each.adds > 0 and not each.special and serves(focus)
        return each.skill == skill and fits(each)

    likely = [
        each for each in roll_sources.learned_sources(sheet) if each.skill in (skill, _MARTIAL)
    ]
    found = [each for each in likely if fit(each)]
    if not found:
        return _untrained_source(skill)
    if rolled:
        return max(found, key=partial(_with_bonus, sheet))
    return max(found, key=lambda each: each.value(sheet))


def _with_bonus(sheet: MasterbookSheet, source: RollSource) -> tuple[int, int]:
    """Return how good a source is for a roll: its value with its bonus numbers, then its value."""
    effects = option_effects(sheet)
    use = (source.skill, source.focus, source.special)
    value = source.value(sheet)
    return value + cause_total(effects.cause_total(effects.bonuses, *use)), value


def _untrained_source(skill: str) -> RollSource:
    return RollSource(skill, SKILLS[skill].attribute, skill)


def _attack_source(sheet: MasterbookSheet, weapon: WeaponKind, said: str) -> RollSource:
    """What it is rolled with: what was said, else the best skill, with a specialization in that
    kind of weapon.
    """
    if said:
        found = roll_sources.find_source(sheet, said)
        if weapon.reach is not None and _serves_natural_weapon(found):
            return found
        kind = SKILLS.get(weapon.skill)
        if not found.skill and kind is not None and found.attribute == kind.attribute:
            # An Attribute that stands in rolls no 10s again (MB-DIE-02).
            return _untrained_source(weapon.skill)
        if not _focus_of(found) and found.skill != weapon.skill:
            raise InvalidInput(
                "mb-focus-unfit", field="skill", value=found.name, allowed=(weapon.skill,)
            )
        return found
    if _is_attribute(weapon.skill):
        return roll_sources.find_source(sheet, weapon.skill)
    kinds = (weapon.kind.replace("_", " "), weapon.name.casefold())

    def fits(each: RollSource) -> bool:
        return not each.special or any(
            each.special.casefold().removesuffix("s") in kind for kind in kinds
        )

    return _best_source(
        sheet,
        weapon.skill,
        fits,
        lambda focus: weapon.skill in FOCUSES[focus].replaces,
        rolled=True,
    )


def _is_attribute(skill: str) -> bool:
    return skill.casefold() in ATTRIBUTES


def _serves_natural_weapon(source: RollSource) -> bool:
    """Return whether a natural ranged weapon is rolled with it: Dexterity, or an own skill of it
    (MB-BG-30).
    """
    return source.attribute == "dexterity" and source.skill not in SKILLS


def _distance(weapon: WeaponKind, plan: AttackPlan, strength: int) -> int | Any:
    """How far it is. InvalidInput("mb-which-range")."""
    if weapon.use == "hand":
        return (
            int(plan.range)
            if plan.range.isdecimal()
            else _LUNGING
            if plan.has_option("short_range")
            else _CLOSE
        )
    if plan.range.isdecimal():
        return int(plan.range)
    limits = {each.name: each.limit for each in equipment.reaches(weapon, strength)}
    if plan.range not in limits:
        raise InvalidInput(
            "mb-which-range", field="range", value=plan.range or None, allowed=typed_ids(*limits)
        )
    return limits[plan.range]


def _effective_options(
    game: Game, who: str, target: str, plan: AttackPlan, use: Use
) -> tuple[str, ...]:
    """The options of the rules that were declared, and those that follow by themselves."""
    found = [each for each in plan.options if each in OPTIONS]
    if not game.setting(declaration.COMBAT_OPTIONS) and any(
        attack_options.is_extra(OPTIONS[each]) for each in found
    ):
        raise Impossible("mb-not-agreed", setting=declaration.COMBAT_OPTIONS)
    if _FOLLOW_UP in found and not marks_of(game.state, target, action_economy.HELD, who):
        raise Impossible("mb-not-held", who=game.display_name(target))
    found = declaration.lessened_surprise(game, target, found)
    found += [
        each.what
        for each in marks_of(game.state, target, action_economy.SURPRISED)
        if each.what not in found
    ]
    last = (action_economy.round_of(game, who) or 1) - 1
    aimed = any(
        each.value == last for each in marks_of(game.state, who, action_economy.AIMING, target)
    )
    if aimed and use in OPTIONS[AIMED].uses:
        found.append(AIMED)
    return tuple(found)


def declared_strike(
    game: Game, check: AnyAttack, who: str, plan: AttackPlan
) -> tuple[attack_options.Strike, RollSource]:
    """An attack that is allowed, and what it is rolled with. Raises as `attack_options.strike`."""
    sheet: MasterbookSheet = game.sheet(who)
    strength = attribute(sheet, "strength")
    # Where nothing is said, with the first weapon drawn, or with bare hands.
    name = plan.weapon or declaration.weapon_in_hand(sheet)
    weapon = declaration.weapon_named(game, sheet, name)
    weapon = equipment.as_thrown(weapon) if plan.has_option(declaration.THROWN) else weapon
    known = weapon.skill in SKILLS or _is_attribute(weapon.skill)
    if not known and all(
        each.skill != weapon.skill for each in roll_sources.learned_sources(sheet)
    ):
        raise Impossible("mb-trained-only", name=weapon.skill, who=game.display_name(who))
    arm, found = declaration.arm_of(sheet, weapon.name), _attack_source(sheet, weapon, plan.skill)
    strike = attack_options.strike(
        weapon,
        _distance(weapon, plan, strength),
        _effective_options(game, who, check.target or "", plan, weapon.use),
        strength=strength,
        loaded=arm.rounds if arm is not None and game.setting("track_ammunition") else None,
        focus=_focus_of(found),
        changed=_trick_shot(plan),
    )
    return strike, found


def is_second_strike(game: Game, check: AnyAttack, who: str) -> bool:
    """Whether it is the second of two such blows at one target."""
    again = bool(marks_of(game.state, who, action_economy.COMBINED, check.target or ""))
    return again and attack_options.has_effect(check.data.plan.options, "twice")


def _kind_of_wound(strike: attack_options.Strike) -> str:
    """What decides which wounds bleed (MB-DMO-04)."""
    weapon = strike.weapon
    if weapon.nonlethal:
        return "fist_or_club"
    fast = weapon.use == "fire" or weapon.skill == "Missile Weapons"
    return "bullet_or_fast_missile" if fast else "blade_or_spear"


def attacking_side(game: Game, check: AnyAttack, who: str, plan: AttackPlan) -> AttackingSide:
    """Somebody who attacks like this, with every number. Raises as `declared_strike`,
    `source_rating`, `turns_of`.
    """
    strike, found = declared_strike(game, check, who, plan)
    sheet: MasterbookSheet = game.sheet(who)
    weapon, reach = strike.weapon, "" if strike.reach is None else strike.reach.name
    several = plan.rank or plan.together  # whoever coordinates does two things
    rank = (
        multi_actions.multi_action_penalty(plan.rank or 1, max(plan.rank, plan.actions, 2))
        if several
        else 0
    )
    again, blast = is_second_strike(game, check, who), weapon.blast
    burden = found.attribute in ("agility", "dexterity") and equipment.is_encumbering(sheet.armour)
    how = roll_sources.source_rating(
        game, who, found, opened=is_training_waived(check.data.effects, who, STRIKE)
    ).with_causes(
        *(() if again else action_economy.turns_of(game, who, ranked=bool(rank))),
        *(() if blast else attack_options.attack_modifiers(strike, handling=plan.handling)),
        *nonzero_causes(
            ("multi_action", rank),
            ("encumbered", plan.encumbered if burden else 0),
            ("modifier", plan.modifier if who == check.actor else 0),
        ),
        *background_memory.panic_causes(game, who),
        *background_memory.frozen_causes(game, check.target or "", weapon.use),
    )
    causes = attack_causes(game, check, who, found, weapon.use, plan)
    how = how.with_causes(*causes.total, bonuses=(*how.bonuses, *causes.bonus))
    soft = bool(game.setting("non_lethal")) and (
        weapon.nonlethal or plan.has_option(declaration.SOFT)
    )
    dv = equipment.damage_value(
        weapon,
        attribute(sheet, "strength") + strike.declared.strength,
        reach=reach,
        close=game.setting("rifle_point_blank_damage"),
        bump=int(game.setting("nonlethal_damage_bump")) if soft else 0,
    )
    more = (
        0 if blast else cause_total(attack_options.damage_modifiers(strike, handling=plan.handling))
    )
    made = AttackingSide(
        who, weapon.name or declaration.UNARMED, found.name, how, strike.mode, reach, weapon.use
    )
    bleeds, strong = _kind_of_wound(strike), weapon.dv is None
    made = made.replace(hidden_shifts=causes.difficulty, deals=weapon.deals)
    return made.replace(
        damage_value=dv, more=more, blast=blast, soft=soft, bleeds=bleeds, strong=strong
    )


def attack_causes(
    game: Game, check: AnyAttack, who: str, source: RollSource, use: Use, plan: AttackPlan
) -> RollCauses:
    """Return what options of an attacker bring to its attack (MB-BG-15).

    What a GM has said goes for who leads it; helpers have what is proposed.
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
    """The game after the rounds that it takes (MB-EQ-04). Impossible("mb-no-rounds")."""
    sheet: MasterbookSheet = game.sheet(side.who)
    arm = declaration.arm_of(sheet, side.weapon)
    if arm is None or arm.rounds is None or not game.setting("track_ammunition"):
        return game, ()
    left = equipment.rounds_after_attack(arm.rounds, side.mode, arm.magazine, plan.shots or 2)
    carried = tuple([each.replace(rounds=left) if each is arm else each for each in sheet.arms])
    shift = NumberChange(side.who, "rounds", arm.rounds, left, name=arm.name)
    return game.with_sheet(side.who, sheet.replace(arms=carried)), (shift,)


# --- what stands against it -----------------------------------------------------------------------


def best_defense(game: Game, who: str, use: Use, options: Collection[str]) -> RollSource:
    """What somebody defends with: the skill, or a martial art that stands in for it (MB-CMB-04)."""
    sheet: MasterbookSheet = game.sheet(who)
    drawn = [each.name for each in sheet.arms if each.drawn] if use == "hand" else ()
    armed = any(declaration.weapon_named(game, sheet, each).use == "hand" for each in drawn)
    skill = attack_options.defense_skill(use, armed=armed)
    return _best_source(
        sheet,
        skill,
        lambda each: not each.special,
        lambda focus: attack_options.defends(focus, skill, options),
    )


def targets_of(
    game: Game, check: AnyAttack, plan: AttackPlan, side: AttackingSide
) -> tuple[Foe, ...]:
    """Everybody it is made at, with what stands against it passively, or from before in this round.

    InvalidInput("target-is-self") but for a blast.
    """
    meters = {check.target or "": 0} | declaration.meters_by_target(plan.also)
    if check.actor in meters and not side.blast:
        raise InvalidInput("target-is-self", field="also", value=None)
    found: list[Foe] = []
    for rank, (who, distance) in enumerate(meters.items(), 1):
        what = best_defense(game, who, side.use, plan.options)
        how = roll_sources.source_rating(game, who, what, passive=True)
        how = how.with_causes(
            *nonzero_causes(
                (action_economy.GUARD, mark_total(game.state, who, action_economy.GUARD))
            )
        )
        held = [
            each.value
            for each in marks_of(game.state, who, action_economy.ACTIVE_DEFENSE, what.name)
        ]
        later = 0 if side.blast else multi_actions.multi_action_penalty(rank, len(meters))
        foe = Foe(who, what, how, False, held[0] if held else None, later, distance)
        raised, bonuses = _defense_causes(game, check, side, foe)
        found.append(foe.replace(hidden_shifts=raised, bonuses=bonuses))
    return tuple(found)


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
        to_bonus = offered.active.situation.to == "bonus"
        (bonuses if to_bonus else raised).append(offered.cause(number))
    return tuple(raised), tuple(bonuses)


def may_defend(game: Game, check: AnyAttack, foe: Foe) -> bool:
    """Whether somebody may defend actively now (MB-CMB-03, MB-EQ-14)."""
    data = check.data
    far = data.sides[0].blast and equipment.zone(foe.meters) == equipment.CLEAR
    free = not far and foe.held is None and not game.sheet(foe.who).harm.out
    means = foe.means
    if option_effects(game.sheet(foe.who)).ruled_out_by(means.skill, means.focus, means.special):
        return False
    return free and not action_economy.no_defense_reason(
        game, foe.who, surprised=is_complete_surprise(data)
    )
