"""Attacks: their options, cost, pool, and the number to beat."""

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
from rules.table.forms.fields import Flag, Number, Pick, Typed, never_hidden, plain_options
from rules.table.forms.form import Form
from rules.table.system import Game

OPEN, STRUCK = "open", "struck"
AGAINST: Final = (TUMBLE, DEFEND, BLOCK)
#: Greatest weight of a thrown thing, in pounds, and greatest distance, in meters.
_HEAVIEST, _FARTHEST = 10_000, 100_000


class Attack(Trials):
    """An attack, and its progress."""

    plan: weapons.Plan = weapons.Plan()
    #: Weapon or profile of the attack; None until it is paid for.
    means: weapons.AttackSource | None = None
    pool: int = 0
    #: Parts of the pool by name.
    terms: tuple[tuple[str, int], ...] = ()
    #: Range band; empty in close combat.
    band: str = ""
    #: Changes of the number to beat, by name.
    moved: tuple[tuple[str, int], ...] = ()
    #: Rolls of the target's defense.
    met: tuple[str, ...] = ()
    #: Whether the name of the attack is hidden, as it would tell an enemy's damage.
    unnamed: bool = False

    @property
    def harms(self) -> list[Mapping[str, Any]]:
        """Parameters of the events of hits, one for each character that was hit."""
        return [event.params for event in self.consequences if event.code == HURT]


AnyAttack = Check[Attack]

# --- forms ----------------------------------------------------------------------------------------


def _read_range(text: str) -> str:
    """Return the name of a range band, or a distance in meters, that *text* names.

    Raises InvalidInput("ego-bad-range").
    """
    return read_name_or_number(
        text, ranged.BANDS, 0, _FARTHEST, field="range", unknown="ego-bad-range", unit="m"
    )


def _way_flag(key: str, **more: Any) -> Flag:
    words = key.replace("_", " ")
    return Flag(
        words, label=Text("ego-with", {"offered": True, **ranged.factor_params(key)}), **more
    )


#: Options that make an attack at range harder or easier (EGO-RNG-02).
FACTORS: Final = tuple([_way_flag(key) for key in ranged.FACTORS])
#: Fields that players may fill and GMs rule on.
_RULED: Final = (
    Typed(
        "range",
        most=40,
        read=_read_range,
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
    lambda game, sheet: dict.fromkeys([skill.name for skill in sheet.skills])
)
_WEAPON: Final = Pick(
    "weapon", choices=weapons.weapons, find=weapons.find_weapon, nothing=IN_HAND_LABEL
)
_WAYS: Final = [
    _way_flag(key, hidden_if=weapons.unsuitable_error)
    for key in ("two_hands", "thrown", "burst", "full_auto")
]
_MAX_VALUES: Final = {
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
    for key, most in _MAX_VALUES.items()
]
_OWN: Final = (
    _WEAPON,
    Pick("skill", choices=_SKILLS),
    *_WAYS[:2],
    *_NUMBERS,
    *_WAYS[2:],
    APPROACH_FIELD,
)
#: Fields for GMs alone: the kind of damage, and whether the lack of a skill counts.
_GMS: Final = (
    Pick("type", choices=plain_options(("lethal", "non-lethal")), hidden_if=gm_only_error),
    flag("untrained", hidden_if=gm_only_error),
)
FORM: Final = Form(
    (*_OWN, *_RULED, *_GMS),
    leading=("weapon", "range", "burst", "full auto", "shots"),
)
RULING: Final = Form((*_RULED, *_GMS, NOTE_FIELD))


# --- pool and cost --------------------------------------------------------------------------------


def purse(sheet: EgoSheet, points: action_points.ActionPoints, carried: Iterable[str]) -> Numbers:
    """Return a character's points and rounds, and the number of each weapon in `carried`."""
    names = Counter(arm.name for arm in sheet.arms)
    counted = {("rounds", arm.name): arm.rounds for arm in sheet.arms if arm.rounds is not None}
    left = {("left", name): names[name] for name in carried}
    return {("ap", ""): points.left, ("karma", ""): sheet.karma, **counted, **left}


def declared_of(means: weapons.AttackSource, plan: weapons.Plan, *, alone: bool) -> int:
    """Return the number of shots declared for a round (EGO-RNG-04).

    The default is the rate of fire, and 1 for an attack outside rounds.
    """
    if plan.shots:
        return plan.shots
    return 1 if alone else means.row.rate or 1


def _fire(
    sheet: EgoSheet, means: weapons.AttackSource, plan: weapons.Plan, *, alone: bool
) -> tuple[EgoSheet, int]:
    """Return the sheet after a shot or throw, and the dice for its way (EGO-RNG-04, EGO-RNG-05)."""
    # A profile has no rate of fire (EGO-NME-01).
    if sheet.profile is not None and plan.way == "single" and not plan.shots:
        return sheet, 0
    ways, now = ranged.ways_to_fire(means.row.rate, automatic=means.row.automatic), sheet.round
    if plan.way not in ways:
        known = tuple([way.replace("_", " ") for way in ways])
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
    counted = tuple((weapon, declared, fired) for weapon, (declared, fired) in shots.items())
    sheet = sheet.replace(
        round=now.replace(shots=counted, automatic=now.automatic or plan.way != "single")
    )
    arm = weapons.arm_of(sheet, means.name)
    if arm is None:
        return sheet, dice
    used = ranged.ammunition(plan.way, arm.rounds)
    left = None if used is None or arm.rounds is None else arm.rounds - used
    # A single thrown weapon leaves the hand empty. Of several, or of counted ones, the others stay.
    gone = means.way == "throw" and not left and means.row.rate == 1
    if gone and means.row.area is not None:  # An explosive is used up.
        return weapons.without_arm(sheet, means.name), dice
    return weapons.with_arm(sheet, arm.replace(rounds=left, drawn=arm.drawn and not gone)), dice


def band_of(game: Game, means: weapons.AttackSource, plan: weapons.Plan) -> str:
    """Return the range band of an attack.

    Raises InvalidInput("ego-say"), Impossible("ego-out-of-range").
    """
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
    """Return what changes the number to beat, beside dice and options.

    EGO-CHR-05, EGO-DEF-03, EGO-IMP-01, EGO-RNG-03.
    """
    learned = not means.skill or means.level
    for_throwing = means.row.made_for_throwing and not means.close
    shifts = {
        "tumbling": tumbling if means.close else 0,
        "throwing": ranged.THROWING_MODIFIER if for_throwing else 0,
        "impairment": damage.IMPAIRMENT_DIFFICULTY[impairment_of(game, sheet)],
        "untrained": int(not learned and (untrained or game.setting("untrained_plus_one"))),
    }
    return tuple((why, number) for why, number in shifts.items() if number)


def commit_attack(game: Game, check: AnyAttack, data: Attack) -> tuple[Game, Attack]:
    """Return the game after the attacker has paid, and the attack with its pool.

    Raises Impossible and InvalidInput for an attack that can't be made: for its Action Points,
    Karma, ammunition, range or hands, or a dead target. Karma for a pool without dice is refused
    unless a GM has answered.
    """
    who, plan = check.actor, data.plan
    for involved in (*victims(check), who):
        game = combat_values.with_current_round(game, involved, check.round)
    before: EgoSheet = game.sheet(who)
    target: EgoSheet = game.sheet(check.target or "")
    combat_values.require_able(game, who)
    combat_values.require_alive(game, check.target or "")
    means = weapons.attack_source(game, before, plan)
    to_attack = close_combat.split(means.split, plan.to_damage)
    if plan.karma and plan.karma_damage:  # Karma buys dice for one roll a round.
        raise Impossible("ego-karma-once", most=MAX_KARMA_DICE)
    game = combat_values.pay_karma(game, who, plan.karma + plan.karma_damage, check.round)
    sheet, draw = game.sheet(who), 0
    if not means.drawn:
        sheet, draw = weapons.draw_weapon(sheet, means.name)
    had, over = combat_values.points_of(before), 0
    points = had
    if check.round is not None:  # Drawing is an action of its own.
        price = draw + action_points.COSTS[means.way]
        points, over = action_points.spend_points(had, price, reaction=draw > 0)
    sheet = combat_values.with_points(sheet, points)
    band, fire = "", 0
    if not means.close:
        sheet, fire = _fire(sheet, means, plan, alone=check.round is None)
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
        terms=(*means.terms, *[(key, count) for key, count in (more | bought).items() if count]),
        band=band,
        moved=moved_by(game, before, means, target.round.tumbling, untrained=plan.untrained),
        shifts=(
            *data.shifts,
            *number_shifts(who, purse(before, had, carried), purse(sheet, points, carried)),
        ),
    )
    # A player is warned before paying for a pool without dice (EGO-DIE-01).
    if plan.karma and not data.pool and not data.answered_by:
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
    if not waits or any(who not in game.state.characters for who in (check.actor, check.target)):
        return data
    try:
        return commit_attack(game, check, data)[1].replace(shifts=data.shifts)
    except RulesError:
        return data


def victims(check: AnyAttack) -> tuple[str, ...]:
    """Return the ids of the characters that an attack may hit: the target, and others caught."""
    caught = [line.partition(" ")[0] for line in check.data.plan.caught]
    return tuple(dict.fromkeys([who for who in (check.target, *caught) if who]))


# --- results --------------------------------------------------------------------------------------


def successes(data: Trials, what: str) -> int:
    """Return the successes of a kind of roll; 0 without one."""
    return _successes_by_roll(data.throws).get(what, 0)


@memo_by_identity
def _successes_by_roll(throws: tuple[Throw, ...]) -> Mapping[str, int]:
    """Return the successes of the throws, by kind of roll."""
    totals: dict[str, int] = {}
    for throw in throws:
        totals[throw.what] = totals.get(throw.what, 0) + throw.pool.successes
    return totals


@memo_by_identity  # The verdict and the view ask for the same dice.
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
    if data.means is None or STRIKE not in _successes_by_roll(data.throws):
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
    if data.plan.type:
        return data.plan.type == "lethal"
    return data.means is None or data.means.lethal
