"""What an attack is made with and by whom, and what stands against it (MB-CMB-01 to MB-CMB-05)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput, RulesError
from rules.systems.masterbook import arms, blows, combat, means, turns
from rules.systems.masterbook.aiming import (
    DEFEND,
    SOFT,
    STRIKE,
    THROWN,
    UNARMED,
    AnyAttack,
    Attack,
    Foe,
    Plan,
    Side,
    arm_of,
    victims,
    weapon_named,
)
from rules.systems.masterbook.arms import WeaponKind
from rules.systems.masterbook.blows import unawares
from rules.systems.masterbook.combat import Strike
from rules.systems.masterbook.deck import rolls
from rules.systems.masterbook.deck.playing import Effect, Moment, Named
from rules.systems.masterbook.deck.rolls import opened
from rules.systems.masterbook.doing import (
    ACTIVE_DEFENCE,
    AIMING,
    COMBINED,
    GUARD,
    HELD,
    SURPRISED,
    has_acted,
    turns_of,
)
from rules.systems.masterbook.means import Means, find
from rules.systems.masterbook.sheet import MasterbookSheet
from rules.systems.masterbook.skills import SKILLS
from rules.systems.masterbook.standing import FAILS, TRAINING, Ending, Reading, Training
from rules.systems.masterbook.tables import FOCUSES, OPTIONS, Causes, summed
from rules.systems.masterbook.telling import is_npc
from rules.table.checks.describing import Shift
from rules.table.checks.stages import ROLL
from rules.table.marks import marks_of, value_of
from rules.table.system import Game

_MARTIAL: Final = "Martial Arts"
#: What a wrestler does next to whom they hold.
_FOLLOW_UP: Final = "hold"
#: Metres at which a lunge, and any other blow, is made where nothing is said.
_LUNGING, _CLOSE = 3, 1

# --- what it is made with ----------------------------------------------------------------------------------------


def at_hand(sheet: MasterbookSheet) -> str:
    """What is attacked with where nothing is said: the first weapon drawn, or bare hands."""
    return next((each.name for each in sheet.arms if each.drawn), UNARMED)


def _focus(each: Means) -> str:
    """The martial art of that name in the rules."""
    focus = each.focus.casefold()
    return focus if each.skill == _MARTIAL and focus in FOCUSES else ""


def _best(sheet: MasterbookSheet, skill: str, fits: Callable[[Means], bool]) -> Means:
    """The best of what somebody has learned that fits, else the skill untrained."""
    found = [each for each in means.known(sheet) if fits(each)]
    if found:
        return max(found, key=lambda each: each.value(sheet))
    return Means(skill, SKILLS[skill].attribute, skill)


def _attacks(sheet: MasterbookSheet, weapon: WeaponKind, said: str) -> Means:
    """What it is rolled with: what was said, else the best skill, with a specialisation in that kind of weapon."""
    if said:
        found = means.find(sheet, said)
        if not _focus(found) and found.skill not in ("", weapon.skill):
            raise InvalidInput("mb-focus-unfit", field="skill", value=found.name, allowed=(weapon.skill,))
        return found
    kinds = (weapon.kind.replace("_", " "), weapon.name.casefold())

    def fits(each: Means) -> bool:
        if focus := _focus(each):
            return weapon.skill in FOCUSES[focus].replaces
        special = each.special.casefold().removesuffix("s")
        return each.skill == weapon.skill and (not special or any(special in kind for kind in kinds))

    return _best(sheet, weapon.skill, fits)


def _metres(weapon: WeaponKind, plan: Plan, strength: int) -> int | Any:
    """How far it is. InvalidInput("mb-which-range")."""
    if weapon.use == "hand":
        return int(plan.range) if plan.range.isdecimal() else _LUNGING if plan.has("short_range") else _CLOSE
    if plan.range.isdecimal():
        return int(plan.range)
    limits = {each.name: each.limit for each in arms.reaches(weapon, strength)}
    if plan.range not in limits:
        raise InvalidInput("mb-which-range", field="range", value=plan.range or None, allowed=tuple(limits))
    return limits[plan.range]


def _options(game: Game, who: str, target: str, plan: Plan) -> tuple[str, ...]:
    """The options of the rules that were declared, and those that follow by themselves."""
    found = [each for each in plan.options if each in OPTIONS]
    if not game.setting("combat_options"):
        for each in found:
            if OPTIONS[each].group not in (combat.MODE, SURPRISED):
                raise Impossible("mb-not-agreed", setting="combat_options")
    if _FOLLOW_UP in found and not marks_of(game.state, target, HELD, who):
        raise Impossible("mb-not-held", who=game.character(target).name)
    found += [each.what for each in marks_of(game.state, target, SURPRISED) if each.what not in found]
    if marks_of(game.state, who, AIMING, target):
        found.append("aimed_last_round")
    return tuple(found)


def strike_of(game: Game, check: AnyAttack, who: str, plan: Plan) -> tuple[Strike, Means]:
    """An attack that is allowed, and what it is rolled with. Raises as `combat.strike`."""
    sheet: MasterbookSheet = game.sheet(who)
    weapon = weapon_named(game, sheet, plan.weapon or at_hand(sheet))
    weapon = arms.as_thrown(weapon) if plan.has(THROWN) else weapon
    arm, found = arm_of(sheet, weapon.name), _attacks(sheet, weapon, plan.skill)
    numbers = [int(each) for each in plan.trick.split()]
    strike = combat.strike(
        weapon,
        _metres(weapon, plan, sheet.strength),
        _options(game, who, check.target or "", plan),
        strength=sheet.strength,
        loaded=arm.rounds if arm is not None and game.setting("track_ammunition") else None,
        focus=_focus(found),
        changed={"trick_shot": (numbers[0], numbers[1], numbers[2])} if numbers else None,
    )
    return strike, found


def combines(plan: Plan) -> bool:
    """Whether it is one of two blows that count as one action (MB-SKILL-MARTIAL-ARTS)."""
    return any(OPTIONS[each].twice for each in plan.options if each in OPTIONS)


def strikes_again(game: Game, check: AnyAttack, who: str) -> bool:
    """Whether it is the second of two such blows at one target."""
    again = bool(marks_of(game.state, who, COMBINED, check.target or ""))
    return again and combines(check.data.plan)


def _multi(plan: Plan) -> int:
    return turns.multi(plan.rank, max(plan.rank, plan.actions, 2)) if plan.rank else 0


def _kind_of_wound(strike: Strike) -> str:
    """What decides which wounds bleed (MB-DMO-04)."""
    weapon = strike.weapon
    if weapon.nonlethal:
        return "fist_or_club"
    fast = weapon.use == "fire" or weapon.skill == "Missile Weapons"
    return "bullet_or_fast_missile" if fast else "blade_or_spear"


def side_of(game: Game, check: AnyAttack, who: str, plan: Plan) -> Side:
    """Somebody who attacks like this, with every number. Raises as `strike_of`, `means.rated`."""
    strike, found = strike_of(game, check, who, plan)
    sheet: MasterbookSheet = game.sheet(who)
    weapon, reach = strike.weapon, "" if strike.reach is None else strike.reach.name
    rank = _multi(plan) or (turns.multi(1, 2) if plan.together else 0)
    how = means.rated(game, who, found, opened=opened(check.data.effects, who, STRIKE))
    free = bool(rank) or strikes_again(game, check, who)
    causes: Causes = how.modifiers if free else (*how.modifiers, *turns_of(game, who))
    if not weapon.blast:
        causes += combat.attack_modifiers(strike, rank=rank, handling=plan.handling)
    elif rank:
        causes += (("multi_action", rank),)
    if plan.encumbered and found.attribute in ("agility", "dexterity") and arms.encumbering(sheet.armour):
        causes += (("encumbered", plan.encumbered),)
    if plan.modifier and who == check.actor:
        causes += (("modifier", plan.modifier),)
    soft = bool(game.setting("non_lethal")) and (weapon.nonlethal or plan.has(SOFT))
    return Side(
        who,
        weapon.name or UNARMED,
        found.name,
        how.but(modifiers=causes),
        strike.mode,
        reach,
        weapon.use,
        arms.damage_value(
            weapon,
            sheet.strength + strike.declared.strength,
            reach=reach,
            close=game.setting("rifle_point_blank_damage"),
            bump=int(game.setting("nonlethal_damage_bump")) if soft else 0,
        ),
        0 if weapon.blast else summed(combat.damage_modifiers(strike, handling=plan.handling)),
        weapon.blast,
        soft,
        _kind_of_wound(strike),
        weapon.dv is None,
    )


def shot(game: Game, side: Side, plan: Plan) -> tuple[Game, tuple[Shift, ...]]:
    """The game after the rounds that it takes (MB-EQ-04). Impossible("mb-no-rounds")."""
    sheet: MasterbookSheet = game.sheet(side.who)
    arm = arm_of(sheet, side.weapon)
    if arm is None or arm.rounds is None or not game.setting("track_ammunition"):
        return game, ()
    left = arms.fired(arm.rounds, side.mode, arm.magazine, plan.shots or 2)
    carried = tuple([each.but(rounds=left) if each is arm else each for each in sheet.arms])
    shift = Shift(side.who, f"rounds:{arm.name}", arm.rounds, left)
    return game.put(side.who, sheet.but(arms=carried)), (shift,)


# --- what stands against it ------------------------------------------------------------------------------------


def _is_armed(game: Game, sheet: MasterbookSheet) -> bool:
    return any(each.drawn and weapon_named(game, sheet, each.name).use == "hand" for each in sheet.arms)


def defence_of(game: Game, who: str, use: str, options: Collection[str]) -> Means:
    """What somebody defends with: the skill, or a martial art that stands in for it (MB-CMB-04)."""
    sheet: MasterbookSheet = game.sheet(who)
    skill = combat.defence_skill("hand" if use == "hand" else "fire", armed=_is_armed(game, sheet))

    def fits(each: Means) -> bool:
        if focus := _focus(each):
            return combat.defends(focus, skill, options)
        return each.skill == skill and not each.special

    return _best(sheet, skill, fits)


def foes_of(game: Game, check: AnyAttack, side: Side) -> tuple[Foe, ...]:
    """Everybody it is made at, with what stands against it passively, or from before in this round."""
    plan = check.data.plan
    others = [each.rpartition(" ") for each in plan.also]
    metres = {check.target or "": 0} | {who: int(distance) for who, _, distance in others}
    found: list[Foe] = []
    for rank, (who, distance) in enumerate(metres.items(), 1):
        what = defence_of(game, who, side.use, plan.options)
        how = means.rated(game, who, what, passive=True)
        if guard := value_of(game.state, who, GUARD):
            how = how.but(modifiers=(*how.modifiers, (GUARD, guard)))
        held = [each.value for each in marks_of(game.state, who, ACTIVE_DEFENCE, what.name)]
        later = 0 if side.blast else turns.multi(rank, len(metres))
        found.append(Foe(who, what, how, False, held[0] if held else None, later, distance))
    return tuple(found)


def may_defend(game: Game, check: AnyAttack, foe: Foe) -> bool:
    """Whether somebody may defend actively now (MB-CMB-03)."""
    try:
        combat.require_active(acted=has_acted(game, foe.who), surprised=unawares(check.data))
    except Impossible:
        return False
    return foe.held is None and not game.sheet(foe.who).harm.out


# --- cards ---------------------------------------------------------------------------------------------------


def _about(game: Game, check: AnyAttack) -> Moment:
    """The attack itself."""
    foes = tuple([each.who for each in check.data.foes])
    players = any(not is_npc(game, each) for each in foes if each != check.actor)
    return Moment(actor=check.actor, whose=check.actor, against=foes, players=players)


def open_moments(game: Game, check: AnyAttack) -> tuple[Moment, ...]:
    """While the dice lie open: every total, and each defence that stands without a roll."""
    data, about = check.data, _about(game, check).but(window="roll_pending", number="total")
    if not data.throws:
        return ()
    if blows.unawares(data):
        about = about.but(blind=about.against)
    sides = {each.who: each for each in data.sides}
    found: list[Moment] = []
    for each in data.throws:
        foe = next((one for one in data.foes if one.who == each.who), None)
        if each.what == DEFEND and foe is not None:
            found.append(_defends(about, foe))
        else:
            means = find(game.sheet(each.who), sides[each.who].skill)
            adds = means.all_adds
            skill = bool(means.skill)
            found.append(
                about.but(whose=each.who, what=each.what, attribute=means.attribute, adds=adds, skill=skill)
            )
    thrown = {each.who for each in data.throws if each.what == DEFEND}
    if not data.sides[0].blast:
        found += [
            _defends(about, each).but(number="value")
            for each in data.foes
            if each.who not in thrown and each.held is None and not data.plan.defence
        ]
    return tuple(found)


def _defends(about: Moment, foe: Foe) -> Moment:
    """A defence; nobody helps that of somebody who is wholly surprised (MB-SUR-01)."""
    adds = foe.means.all_adds
    about = about.but(whose=foe.who, what=DEFEND, attribute=foe.means.attribute, adds=adds)
    return about.but(players=False, skill=bool(foe.means.skill), aware=not about.blind)


def stood(data: Any, effect: Effect) -> Any:
    """The data with a card on a defence that stands without a roll."""
    thrown = {each.who for each in data.throws if each.what == DEFEND}
    added = (effect.name, effect.amount)
    foes = [
        each.but(how=each.how.but(modifiers=(*each.how.modifiers, added)))
        if each.who == effect.whose
        and each.who not in thrown
        and (effect.lasts or (effect.number, effect.what) == ("value", DEFEND))
        else each
        for each in data.foes
    ]
    return data.but(foes=tuple(foes))


def kind_of(data: Attack, side: Side) -> Named:
    """What an attack's effect is read from: its result points, or a damage value."""
    if blows.as_maneuver(data):
        return "result"
    return "strength_damage" if side.strong else "damage"


def hit(game: Game, check: AnyAttack) -> tuple[Foe, ...]:
    """Everybody it reaches, before what it does is read."""
    data = check.data
    if data.sides and data.sides[0].blast:
        return tuple([each for each in data.foes if blows.zone_of(data, each) < arms.CLEAR])
    return tuple([each for each in data.foes if blows.landed(game, data, each)[0] != "miss"])


class Untaught(Training[Attack]):
    """Somebody lacks the training that their weapon takes; nothing is paid for yet."""

    def moments(self, game: Game, check: AnyAttack) -> tuple[Moment, ...]:
        data, who = check.data, check.actor
        if data.answer != ROLL or data.sides or not rolls.may_train(game, who):
            return ()
        about = Moment("pre_roll", who, who, "total", STRIKE, against=victims(check))
        try:
            barred = side_of(game, check, who, data.plan).how.barred
        except RulesError:  # what was declared cannot be any more: whoever waits withdraws
            barred = check.prompt(TRAINING) is not None
        return (about,) if barred else ()


class Impact(Reading[Attack]):
    """It has hit, and nobody has read what that does (MB-CARD-E07, OP-44)."""

    def moments(self, game: Game, check: AnyAttack) -> tuple[Moment, ...]:
        data = check.data
        if not data.sides or not rolls.dealt(game) or data.blows:
            return ()
        reached = hit(game, check)
        about = _about(game, check).but(window="effect_pending")
        if not reached:
            return ()
        found = [
            about.but(whose=each.who, actor=each.who, number=kind_of(data, each), what=STRIKE)
            for each in data.sides
        ]
        tough = [about.but(whose=each.who, number="toughness", players=False) for each in reached]
        return (*found, *(() if blows.as_maneuver(data) else tough))


class After(Ending[Attack]):
    """All of it is known, and nothing of it has been taken (MB-CARD-E12, MB-CARD-E15)."""

    orders = FAILS

    def moments(self, game: Game, check: AnyAttack) -> tuple[Moment, ...]:
        data = check.data
        if not data.sides or data.failed:
            return ()
        return (_about(game, check).but(window="after_resolution", what=STRIKE),)

    def undone(self, data: Any, who: str) -> Any:
        kept = tuple([each for each in data.throws if each.who != who or each.what == DEFEND])
        return data.but(throws=kept, blows=(), bleeding=(), strayed=None, placed=False)
