"""What an attack comes to by its dice: what has to be reached, who is hit, and how hard (MB-COV-01, MB-DMG-02)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rules.core.record import record
from rules.systems.masterbook import arms, chart, combat, damage, turns
from rules.systems.masterbook.aiming import (
    BARE,
    DEFEND,
    INDIRECT,
    MANEUVER,
    STRIKE,
    AnyAttack,
    Attack,
    Blow,
    Foe,
    Plan,
)
from rules.systems.masterbook.arms import GROUNDS
from rules.systems.masterbook.check import TOGETHER, difficulty_of
from rules.systems.masterbook.deck.playing import summed as added
from rules.systems.masterbook.deck.rolls import lasting
from rules.systems.masterbook.describe import toughness_of
from rules.systems.masterbook.dice import Throw
from rules.systems.masterbook.sheet import MasterbookSheet
from rules.systems.masterbook.tables import COVERS, LOCATIONS, OPTIONS, summed
from rules.table.system import Game

#: The option that is an attack by complete surprise.
COMPLETE: Final = "complete"


def throw_by(data: Attack, who: str, what: str) -> Throw | None:
    """What somebody has thrown for it; None before."""
    return next((each for each in data.throws if (each.who, each.what) == (who, what)), None)


def spot_number(data: Attack) -> int:
    """What a throw at a place goes against (MB-EQ-11)."""
    grounds = [each for each in data.plan.options if each in GROUNDS]
    return summed(arms.spot(data.sides[0].band, grounds)) + data.plan.harder


def number_of(data: Attack, foe: Foe) -> int:
    """What has to be reached to hit somebody, without what conceals them (MB-CMB-02, MB-CMB-03)."""
    plan, thrown = data.plan, throw_by(data, foe.who, DEFEND)
    base = plan.defence or combat.passive(foe.how.value, foe.how.modifiers)
    if thrown is not None and not data.sides[0].blast:
        base = thrown.total
    elif foe.held is not None:
        base = foe.held
    return base + plan.harder + plan.knockout


def hidden(plan: Plan) -> int:
    """What not being seen whole adds."""
    return combat.concealment(plan.concealment, plan.more) if plan.concealment else 0


def coordinators(data: Attack) -> tuple[str, ...]:
    """Who has made the roll to do it together (MB-CBN-02)."""
    totals = {each.who: each.total for each in data.throws if each.what == TOGETHER}
    number = difficulty_of(data.plan.coordination or "Average") or 0
    return turns.reached(totals, number)


@record
class Reached:
    """A side's total, its damage value and what is added to the points, for all who attack together; `count` hit."""

    total: int
    dv: int
    more: int
    count: int = 0


def reached(data: Attack, foe: Foe) -> Reached | None:
    """What counts of those who attack: of a group one, of those who coordinate the best (MB-CBN-01, MB-CBN-02)."""
    sides = {each.who: each for each in data.sides}
    totals = {each.who: each.total + foe.later for each in data.throws if each.what == STRIKE}
    if not data.plan.together:
        first = data.sides[0]
        return Reached(totals[first.who], first.dv, first.more) if totals else None
    made, first = set(coordinators(data)), data.sides[0]
    done = turns.reached({who: total for who, total in totals.items() if who in made}, number_of(data, foe))
    if (
        not done
        and first.who not in made
        and turns.reached({first.who: totals[first.who]}, number_of(data, foe))
    ):
        # Whoever could not coordinate still acts alone.
        return Reached(totals[first.who], first.dv, first.more, 1)
    if not done:
        return None
    best = max(done, key=lambda each: totals[each])
    dv = sum([sides[each].dv for each in done]) // len(done)
    return Reached(totals[best], dv, sides[best].more + turns.coordinated(len(done)), len(done))


def landed(game: Game, data: Attack, foe: Foe) -> tuple[str, Reached, int]:
    """How it comes out for somebody, what counts of it, and the result points (MB-COV-01)."""
    plan, side = data.plan, data.sides[0]
    if not data.throws:  # a GM has said that it hits
        return "clear_hit", Reached(number_of(data, foe), side.dv, side.more), 0
    found = reached(data, foe)
    if found is None:
        return "miss", Reached(0, 0, 0), 0
    number = number_of(data, foe)
    if plan.group:
        group = turns.together(plan.group, found.total, number + hidden(plan), found.dv)
        kind = "clear_hit" if group.succeeded else "miss"
        # What many add is a modifier: it counts inside the cap (MB-DMO-01).
        more = found.more + group.effect - group.points - found.dv
        return kind, Reached(found.total, found.dv, more, group.succeeded), group.points
    out = combat.through(
        found.total,
        number,
        hidden(plan),
        counting=game.setting("cover_hit_rp"),
        indirect=plan.has(INDIRECT),
    )
    return out.kind, found, out.points or 0


def worn(sheet: MasterbookSheet, plan: Plan, *, partial: bool = False) -> int:
    """What armour adds; nothing at a gap that was aimed at. Where it covers in part, what covers the part that is hit
    (MB-EQ-30, MB-EQ-32).
    """
    if plan.has(BARE):
        return 0
    bare = toughness_of(sheet)
    hit = next((each for each in plan.options if each in LOCATIONS), "") if partial else ""
    layers = [each for each in sheet.armour if not hit or not each.covers or hit in each.covers]
    return arms.armoured(bare, layers) - bare


def shown_number(data: Attack, foe: Foe) -> int:
    """What a miss fell short of: with what conceals somebody, where nothing comes through that (MB-COV-01)."""
    more = hidden(data.plan)
    return number_of(data, foe) + (more if combat.blind(more, indirect=data.plan.has(INDIRECT)) else 0)


def as_maneuver(data: Attack) -> bool:
    """Whether it is read on the maneuver column, where its option may be (MB-SKILL-MARTIAL-ARTS)."""
    columns = [OPTIONS[each].columns for each in data.plan.options if each in OPTIONS]
    found = next((each for each in columns if each), ("damage",))
    return "damage" not in found or (data.plan.has(MANEUVER) and "maneuver" in found)


def fells(data: Attack) -> bool:
    """Whether the first wound is a knockdown."""
    return any(OPTIONS[each].fells for each in data.plan.options if each in OPTIONS)


def own_defence(data: Attack) -> int:
    """What its options do to the attacker's own defence."""
    changed = [int(each) for each in data.plan.trick.split()]
    given: Mapping[str, int] = {"trick_shot": changed[1]} if changed else {}
    rows = [each for each in data.plan.options if each in OPTIONS]
    fired = data.sides[0].mode
    rows += [fired] if fired and fired not in rows else []
    return sum([given.get(each, OPTIONS[each].defense) for each in rows])


def unawares(data: Attack) -> bool:
    """Whether it comes as a complete surprise, as was said or found out before (MB-SUR-01)."""
    return any(name == COMPLETE for side in data.sides for name, _ in side.how.modifiers)


def aims(data: Attack) -> bool:
    """Whether nothing but aiming is done now."""
    return any(OPTIONS[each].waits for each in data.plan.options if each in OPTIONS)


def zone_of(data: Attack, foe: Foe) -> int:
    """In which zone of a blast somebody is, once they have got as far as they could."""
    far = 0 if data.placed or data.strayed is None else data.strayed[1]
    zone, dodge = arms.zone(foe.metres + far), throw_by(data, foe.who, DEFEND)
    if dodge is None or zone == arms.CLEAR:
        return zone
    return arms.cleared(zone, chart.rank(dodge.total - arms.CLEARING))


def _raised(game: Game, check: AnyAttack) -> Attack:
    """The attack with what cards add to its damage values (MB-CARD-E01, MB-CARD-E07, MB-CARD-E17)."""
    data = check.data
    sides = [
        each.but(
            dv=each.dv
            + summed(added(data.effects, each.who, "strength_damage" if each.strong else "damage"))
            + lasting(game, each.who, check)
        )
        for each in data.sides
    ]
    return data.but(sides=tuple(sides))


def blow_of(game: Game, check: AnyAttack, foe: Foe) -> Blow:
    """What comes of it for somebody, before it bleeds (MB-DMG-02 to MB-DMG-04, MB-EQ-13)."""
    data, sheet = _raised(game, check), game.sheet(foe.who)
    plan, side = data.plan, data.sides[0]
    cover = COVERS[plan.cover].toughness if plan.cover else 0
    zone = count = 0
    if side.blast:
        zone, strike = zone_of(data, foe), throw_by(data, side.who, STRIKE)
        if zone == arms.CLEAR:
            return Blow(foe.who, "clear", zone=zone)
        well = max(0, strike.total - spot_number(data)) if strike is not None else 0
        adds = well if game.setting("grenade_adds_result_points") else 0
        kind, points, value, more = "clear_hit", 0, arms.blast(side.dv, zone, adds), 0
    else:
        kind, found, points = landed(game, data, foe)
        value, more, count = found.dv, found.more, found.count
        cover = cover if kind == "through_cover" else 0
        if kind == "miss":
            return Blow(foe.who, kind)
        if as_maneuver(data):
            points += summed(added(data.effects, side.who, "result"))
            return Blow(foe.who, kind, points, effect=chart.result("maneuver", points))
    struck = damage.struck(
        points,
        value,
        toughness_of(sheet)
        + summed(added(data.effects, foe.who, "toughness"))
        + lasting(game, foe.who, check),
        armour=worn(sheet, plan, partial=bool(game.setting("partial_armor_coverage"))),
        cover=cover,
        more=more,
        capped=game.setting("damage_cap"),
    )
    done = damage.converted(
        struck.damage,
        points,
        fells=fells(data),
        knockout=bool(plan.knockout),
        soft=side.soft,
    )
    return Blow(foe.who, kind, points, struck.over, done, zone=zone, count=count)
