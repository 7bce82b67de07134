"""What an attack consists of: how it is said, what it costs, what it is rolled with and against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from rules.core.errors import Impossible, RulesError
from rules.core.json_reader import read_name_or_number
from rules.core.memo import memo_by_identity
from rules.systems.ego.character import combat_values
from rules.systems.ego.character.combat_values import Numbers, impairment_of, number_shifts
from rules.systems.ego.character.pools import Terms
from rules.systems.ego.character.sheet import EgoSheet, choices_from_sheet, flag, hint
from rules.systems.ego.checks.group_rolls import BLOCK, DEFEND, STRIKE, TUMBLE
from rules.systems.ego.checks.procedure import no_karma_error
from rules.systems.ego.checks.roll_stages import HURT, Trial, Trials
from rules.systems.ego.checks.rounds import cost_forecast
from rules.systems.ego.combat import weapons
from rules.systems.ego.command_forms import missing_error
from rules.systems.ego.formulas import action_points, close_combat, damage, ranged
from rules.systems.ego.formulas.action_points import Forecast
from rules.systems.ego.formulas.dice import MAX_KARMA_DICE, Throw
from rules.table.blocks import Text
from rules.table.check import Check
from rules.table.checks.stages import (
    APPROACH_FIELD,
    FREE,
    IMPOSSIBLE,
    IN_HAND_LABEL,
    MODIFIER_FIELD,
    NOTE_FIELD,
    gm_only_error,
)
from rules.table.commands import distance_field
from rules.table.forms import Flag, Form, Number, Pick, Typed, never_hidden, plain_options
from rules.table.system import Game

OPEN, STRUCK = "open", "struck"
AGAINST: Final = (TUMBLE, DEFEND, BLOCK)
#: The heaviest thing thrown, in pounds, and the longest distance, in meters.
_HEAVIEST, _FARTHEST = 10_000, 100_000


class Attack(Trials):
    """An attack as far as it has come.

    `terms` are what the `pool` consists of. `band` and what has `moved` it make the number it goes
    against; `met` is what the target sets against it. How an enemy's profile calls what is
    `unnamed` would tell its damage.
    """

    plan: weapons.Plan = weapons.Plan()
    means: weapons.AttackSource | None = None
    pool: int = 0
    terms: tuple[tuple[str, int], ...] = ()
    band: str = ""
    moved: tuple[tuple[str, int], ...] = ()
    met: tuple[str, ...] = ()
    unnamed: bool = False

    @property
    def harms(self) -> list[Mapping[str, Any]]:
        """What the hit did to each, as it is told."""
        return [each.params for each in self.came if each.code == HURT]


AnyAttack = Check[Attack]

# --- forms ----------------------------------------------------------------------------------------


def _range(text: str) -> str:
    """A band by its name, or a distance in meters. InvalidInput("ego-bad-range")."""
    return read_name_or_number(
        text, ranged.BANDS, 0, _FARTHEST, field="range", unknown="ego-bad-range", unit="m"
    )


def _flag(key: str, **more: Any) -> Flag:
    words = key.replace("_", " ")
    return Flag(
        words, label=Text("ego-with", {"offered": True, **ranged.factor_params(key)}), **more
    )


#: What makes it harder or easier at range (EGO-RNG-02).
FACTORS: Final = tuple([_flag(each) for each in ranged.FACTORS])
#: What players may say, and GMs have the last word on.
_RULED: Final = (
    Typed(
        "range",
        most=40,
        read=_range,
        choices=plain_options(ranged.BANDS),
        help=hint("range"),
        example="short",
    ),
    *FACTORS,
    distance_field(
        "caught", "name 10", title=Text("ego-label", {"what": "caught"}), help=hint("caught")
    ),
    MODIFIER_FIELD,
)
_SKILLS: Final = choices_from_sheet(
    lambda game, sheet: dict.fromkeys([each.name for each in sheet.skills])
)
_WEAPON: Final = Pick(
    "weapon", choices=weapons.weapons, find=weapons.find_weapon, nothing=IN_HAND_LABEL
)
_WAYS: Final = [
    _flag(each, hidden_if=weapons.unsuitable_error)
    for each in ("two_hands", "thrown", "burst", "full_auto")
]
_MOST: Final = {
    "to damage": 20,
    "karma": MAX_KARMA_DICE,
    "karma damage": MAX_KARMA_DICE,
    "weight": _HEAVIEST,
    "shots": 20,
}
#: Options whose lowest number is 1: there is no weight of 0, and no attack with 0 shots.
_LEAST: Final = {"weight": 1, "shots": 1}
_EXAMPLES: Final = {"weight": "2"}
_HIDDEN: Final = {"karma": no_karma_error, "karma damage": no_karma_error}
_NUMBERS: Final = [
    Number(
        key,
        low=_LEAST.get(key, 0),
        high=most,
        help=hint(key),
        example=_EXAMPLES.get(key, "1"),
        hidden_if=_HIDDEN.get(key, never_hidden),
    )
    for key, most in _MOST.items()
]
_OWN: Final = (
    _WEAPON,
    Pick("skill", choices=_SKILLS),
    *_WAYS[:2],
    *_NUMBERS,
    *_WAYS[2:],
    APPROACH_FIELD,
)
#: What GMs alone say, of their NPCs as they attack: the kind of damage, and that the lack of a
#: skill counts.
_GMS: Final = (
    Pick("type", choices=plain_options(("lethal", "non-lethal")), hidden_if=gm_only_error),
    flag("untrained", hidden_if=gm_only_error),
)
FORM: Final = Form(
    (*_OWN, *_RULED, *_GMS),
    leading=("weapon", "range", "burst", "full auto", "shots"),
)
RULING: Final = Form((*_RULED, *_GMS, NOTE_FIELD))


# --- what it is made with, and what it costs ------------------------------------------------------


def purse(sheet: EgoSheet, points: action_points.ActionPoints, carried: Iterable[str]) -> Numbers:
    """Return a character's points and rounds, and the number of each weapon in `carried`."""
    names = Counter(arm.name for arm in sheet.arms)
    counted = {("rounds", each.name): each.rounds for each in sheet.arms if each.rounds is not None}
    left = {("left", name): names[name] for name in carried}
    return {("ap", ""): points.left, ("karma", ""): sheet.karma, **counted, **left}


def declared_of(means: weapons.AttackSource, plan: weapons.Plan, *, alone: bool) -> int:
    """How many shots a round are declared; where nothing is said all there are, and one by itself
    (EGO-RNG-04).
    """
    return plan.shots or (1 if alone else means.row.rate or 1)


def _fired(
    sheet: EgoSheet, means: weapons.AttackSource, plan: weapons.Plan, *, alone: bool
) -> tuple[EgoSheet, int]:
    """The sheet after a shot or a throw, and the dice for how it is done (EGO-RNG-04,
    EGO-RNG-05).
    """
    # A profile says nothing of a rate of fire (EGO-NME-01).
    if sheet.profile is not None and plan.way == "single" and not plan.shots:
        return sheet, 0
    ways, now = ranged.ways_to_fire(means.row.rate, automatic=means.row.automatic), sheet.round
    if plan.way not in ways:
        known = tuple([each.replace("_", " ") for each in ways])
        raise Impossible("ego-not-so-fired", name=means.name, allowed=known)
    shots = {weapon: (declared, fired) for weapon, declared, fired in now.shots}
    dice = ranged.FIRE[plan.way].dice
    if plan.way == "single":
        declared, fired = shots.get(means.name, (declared_of(means, plan, alone=alone), 0))
        dice += ranged.rate_dice(means.row.rate or 1, declared)
        if fired >= declared or now.automatic:
            raise Impossible(
                "ego-too-many-shots", shots=fired + 1, most=0 if now.automatic else declared
            )
        shots[means.name] = declared, fired + 1
    elif now.automatic or shots:
        raise Impossible("ego-too-many-shots")
    counted = tuple([(weapon, *each) for weapon, each in shots.items()])
    sheet = sheet.replace(
        round=now.replace(shots=counted, automatic=now.automatic or plan.way != "single")
    )
    arm = weapons.arm_of(sheet, means.name)
    if arm is None:
        return sheet, dice
    used = ranged.ammunition(plan.way, arm.rounds)
    left = None if used is None or arm.rounds is None else arm.rounds - used
    # Of what is thrown one by one nothing is left in the hand; of several, or counted ones, the
    # others are.
    gone = means.way == "throw" and not left and means.row.rate == 1
    if gone and means.row.area is not None:  # an explosive is used up
        return weapons.without_arm(sheet, means.name), dice
    return weapons.with_arm(sheet, arm.replace(rounds=left, drawn=arm.drawn and not gone)), dice


def band_of(game: Game, means: weapons.AttackSource, plan: weapons.Plan) -> str:
    """How far it is. InvalidInput("ego-say"), Impossible("ego-out-of-range")."""
    text, sight = plan.range, means.way == "shoot" and not means.row.limits
    if text in ranged.BANDS or (sight and not text.isdecimal()):
        return text or "short"
    if not text:
        raise missing_error("range")
    if sight:
        return "short"
    distance = int(text)
    if means.way == "throw":
        weight = means.weight if plan.weight is None else plan.weight
        if weight is None:
            raise missing_error("weight")
        limits = ranged.throws(means.lift, weight)
        most = limits[-1]
    else:
        limits = means.row.limits
        most = ranged.max_range(limits[-1], limited=game.setting("max_range_rule"))
    band = ranged.band_at(distance, limits, most)
    if band is None:
        shown = {"distance": distance, "most": int(most or 0), "weapon": means.name}
        raise Impossible("ego-out-of-range", **shown)
    return band


def moved_by(
    game: Game,
    sheet: EgoSheet,
    means: weapons.AttackSource,
    tumbling: int = 0,
    *,
    untrained: bool = False,
) -> Terms:
    """What moves the number besides dice and what was said (EGO-CHR-05, EGO-DEF-03, EGO-IMP-01,
    EGO-RNG-03).
    """
    learned = not means.skill or means.level
    made = means.row.made_for_throwing and not means.close
    found = {
        "tumbling": tumbling if means.close else 0,
        "throwing": ranged.THROWING_MODIFIER if made else 0,
        "impairment": damage.IMPAIRMENT_DIFFICULTY[impairment_of(game, sheet)],
        "untrained": int(not learned and (untrained or game.setting("untrained_plus_one"))),
    }
    return tuple([each for each in found.items() if each[1]])


def commit_attack(game: Game, check: AnyAttack, data: Attack) -> tuple[Game, Attack]:
    """The game after the attacker has paid for it, and what is rolled with what.

    Impossible and InvalidInput for what cannot be: AP, Karma, also for no dice at which no GM has
    looked, ammunition, range, hands, a target that is dead.
    """
    who, plan = check.actor, data.plan
    for each in (*victims(check), who):
        game = combat_values.with_current_round(game, each, check.round)
    before: EgoSheet = game.sheet(who)
    target: EgoSheet = game.sheet(check.target or "")
    combat_values.require_able(game, who)
    combat_values.require_alive(game, check.target or "")
    means = weapons.attack_source(game, before, plan)
    to_attack = close_combat.split(means.split, plan.to_damage)
    if plan.karma and plan.karma_damage:  # on one roll a round
        raise Impossible("ego-karma-once", most=MAX_KARMA_DICE)
    game = combat_values.pay_karma(game, who, plan.karma + plan.karma_damage, check.round)
    sheet, price = (
        (game.sheet(who), 0) if means.drawn else weapons.draw_weapon(game.sheet(who), means.name)
    )
    had, over = combat_values.points_of(before), 0
    points = had
    if check.round is not None:  # drawing is an action of its own
        points, over = action_points.spend_points(
            had, price + action_points.COSTS[means.way], reaction=price > 0
        )
    sheet = combat_values.with_points(sheet, points)
    band, fire = "", 0
    if not means.close:
        sheet, fire = _fired(sheet, means, plan, alone=check.round is None)
        band = band_of(game, means, plan)
    sharp = means.beyond(band) if band else 0
    carried = {arm.name for arm in before.arms}
    more = {
        weapons.MARTIAL_ARTS if means.unarmed else weapons.MELEE_WEAPON: to_attack,
        combat_values.SHARPSHOOTER: sharp,
        "muscle": -means.light,
    }
    way = "fire" if means.close or plan.way == "single" else plan.way
    more |= {"over": -over, way: fire, "modifier": plan.modifier}
    number, bought = means.base + sum(more.values()), {"karma": plan.karma}
    data = data.replace(
        means=means,
        trials=(Trial(who, STRIKE, number, 0, (means.ability,), plan.karma),),
        pool=close_combat.attack_pool(number, other=plan.karma),
        terms=(*means.terms, *[each for each in (more | bought).items() if each[1]]),
        band=band,
        moved=moved_by(game, before, means, target.round.tumbling, untrained=plan.untrained),
        shifts=(
            *data.shifts,
            *number_shifts(who, purse(before, had, carried), purse(sheet, points, carried)),
        ),
    )
    if (
        plan.karma and not data.pool and not data.answered_by
    ):  # nobody pays for nothing unwarned (EGO-DIE-01)
        raise Impossible("ego-karma-wasted", name=game.display_name(who))
    return game.with_sheet(who, sheet), data


def attack_cost(
    game: Game, who: str, means: weapons.AttackSource, number: int | None
) -> Forecast | None:
    """Return the cost of an attack in a round, with that of drawing its weapon (EGO-AP-03).

    None outside rounds. Drawing is an action of its own, and two actions can't over-spend
    (EGO-AP-01, EGO-AP-02).
    """
    draw = 0 if means.drawn else weapons.draw_weapon(game.sheet(who), means.name)[1]
    price = draw + action_points.COSTS[means.way]
    return cost_forecast(game, who, price, number, single=not draw)


def expected_attack(game: Game, check: AnyAttack) -> Attack:
    """Return a proposed attack with the pool that it would have now, without paying for it.

    An attack that could not be rolled now, or is already under way, is returned unchanged.
    """
    data = check.data
    waits = check.is_open and data.means is None and data.answer not in (FREE, IMPOSSIBLE)
    if not waits or any(each not in game.state.characters for each in (check.actor, check.target)):
        return data
    try:
        return commit_attack(game, check, data)[1].replace(shifts=data.shifts)
    except RulesError:
        return data


def victims(check: AnyAttack) -> tuple[str, ...]:
    """Whom it may hit: the target, and who else is named."""
    caught = [each.partition(" ")[0] for each in check.data.plan.caught]
    return tuple(dict.fromkeys([each for each in (check.target, *caught) if each]))


# --- what the dice say ----------------------------------------------------------------------------


def successes(data: Trials, what: str) -> int:
    """Of what was thrown for that; 0 where nothing was."""
    return _lying(data.throws).get(what, 0)


@memo_by_identity
def _lying(throws: tuple[Throw, ...]) -> Mapping[str, int]:
    """How many successes lie there, by what they were thrown for."""
    found: dict[str, int] = {}
    for each in throws:
        found[each.what] = found.get(each.what, 0) + each.pool.successes
    return found


@memo_by_identity  # the same dice are judged, and told
def balance(data: Attack) -> tuple[int, int]:
    """Return the attack's successes, and what they must beat in close combat or reach at range.

    Of the rules: EGO-ATK-01, EGO-RNG-01.
    """
    assert data.means is not None, "asked only of what is paid for"
    more, blocked = sum([number for _, number in data.moved]), successes(data, BLOCK)
    if data.means.close:
        tumbled, defense = successes(data, TUMBLE), successes(data, DEFEND)
        number = close_combat.target_number(
            defense, blocked=blocked, tumbling=tumbled, impaired=more
        )
    else:
        number = ranged.difficulty(data.band, data.plan.factors, blocked + more)
    return successes(data, STRIKE), number


def is_hit(data: Attack) -> bool:
    """Return whether an attack hits, by the GM's word or by its dice."""
    if data.answer == FREE:
        return True
    if data.means is None or STRIKE not in _lying(data.throws):
        return False
    judge = close_combat.beats if data.means.close else ranged.hits
    return judge(*balance(data))


def damage_pool(game: Game, data: Attack) -> int:
    """Return how many damage dice a hit has, with those of excess successes (EGO-DMG-03)."""
    assert data.means is not None, "asked only of what is paid for"
    fire, plan = ranged.FIRE[fire_of(data)], data.plan
    more = plan.to_damage + plan.karma_damage + fire.damage
    if data.throws:
        counts = game.setting("excess_successes_to_damage")
        more += damage.excess(*balance(data), counts=counts)
    return damage.damage_dice(data.means.dice, data.means.muscle, more=more, factor=fire.factor)


def fire_of(data: Attack) -> str:
    """Return how a weapon is fired; without a firearm it is "single"."""
    return "single" if data.means is None or data.means.close else data.plan.way


def is_lethal(data: Attack) -> bool:
    """Return whether the damage is lethal; the GM has the last word (EGO-DMG-03)."""
    return data.plan.type == "lethal" if data.plan.type else data.means is None or data.means.lethal
