"""Results of an attack, by its dice, and the damage of its hits.

MB-CMB-01 to MB-CMB-05, MB-COV-01, MB-DMG-02, MB-CARD-13.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from rules.core.name_matching import name_key
from rules.core.record import Record
from rules.systems.masterbook.character.derived_values import toughness_of
from rules.systems.masterbook.character.sheet import MasterbookSheet, option_effects
from rules.systems.masterbook.checks import action_economy
from rules.systems.masterbook.checks.roll_stages import card_bonus
from rules.systems.masterbook.checks.state import TOGETHER, Blow, difficulty_number
from rules.systems.masterbook.combat import declaration
from rules.systems.masterbook.combat.attack_sides import trick_shot
from rules.systems.masterbook.combat.declaration import (
    DEFEND,
    STRIKE,
    AnyAttack,
    Attack,
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
from rules.systems.masterbook.formulas.equipment import GROUNDS, ArmorKind
from rules.systems.masterbook.formulas.reference_rows import COVERS, LOCATIONS, OPTIONS, cause_total
from rules.table.system import Game

#: Option of an attack by complete surprise.
COMPLETE: Final = "complete"
#: Kinds of blows that have not hit.
MISSES: Final = ("miss", "clear")


def spot_difficulty(data: Attack) -> int:
    """Return the open difficulty of a throw at a place (MB-EQ-11)."""
    grounds = [option for option in data.plan.options if option in GROUNDS]
    return cause_total(equipment.throw_difficulty(data.sides[0].band, grounds)) + data.plan.harder


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
    elif foe.earlier_defense is not None:
        base = foe.earlier_defense
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
    return attack_options.passive_defense_value(foe.rating.value, foe.rating.modifiers)


def concealment_bonus(plan: AttackPlan) -> int:
    """Return what concealment adds to the number to hit."""
    return attack_options.concealment_bonus(plan.concealment, plan.more) if plan.concealment else 0


# --- hit or miss ----------------------------------------------------------------------------------


class AttackResult(Record):
    """Combined result of all who attack one target."""

    total: int
    damage_value: int
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
    alone = AttackResult(totals.get(leader.who, 0), leader.damage_value, leader.more)
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
    dv = sum(sides[who].damage_value for who in together) // len(together)
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
            totals[throw.who] = throw.total + foe.total_modifier + of_leader - hidden[throw.who]
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
        return AttackResult(number, side.damage_value, side.more, kind="clear_hit")
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
    group = multi_actions.resolve_group(plan.group, attack.total, number, attack.damage_value)
    more = attack.more + group.effect - group.points - attack.damage_value
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
    return more if attack_options.needs_indirect_fire(more, indirect=indirect) else 0


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
    return cause_total(attack_options.combine_options(rows, trick_shot(data.plan)).defense)


def is_complete_surprise(data: Attack) -> bool:
    """Return whether the attack is a complete surprise (MB-SUR-01)."""
    return any(name == COMPLETE for side in data.sides for name, _ in side.rating.modifiers)


def is_aiming_only(data: Attack) -> bool:
    """Return whether the attacker only aims now."""
    return attack_options.has_effect(data.plan.options, "waits")


# --- damage ---------------------------------------------------------------------------------------


def blast_zone(data: Attack, foe: Foe) -> int:
    """Return the zone of a blast in which a target is, after its dodge."""
    strayed = 0 if data.placed or data.strayed is None else data.strayed[1]
    zone, dodge = equipment.blast_zone(foe.meters + strayed), data.throw_of(DEFEND, foe.who)
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
    sides = tuple(
        side.replace(damage_value=side.damage_value + adds[side.who]) for side in data.sides
    )
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
    dv = equipment.blast_damage_value(side.damage_value, zone, result_points)
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
        attack.damage_value,
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


def may_defend(game: Game, check: AnyAttack, foe: Foe) -> bool:
    """Return whether a target may defend actively now (MB-CMB-03, MB-EQ-14)."""
    data, sheet, source = check.data, game.sheet(foe.who), foe.source
    if data.sides[0].blast and equipment.blast_zone(foe.meters) == equipment.CLEAR:
        return False
    if foe.earlier_defense is not None or sheet.harm.out:
        return False
    if option_effects(sheet).ruled_out_by(source.skill, source.focus, source.special):
        return False
    surprised = is_complete_surprise(data)
    return not action_economy.no_defense_reason(game, foe.who, surprised=surprised)
