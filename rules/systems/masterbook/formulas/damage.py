"""Damage of a hit, and a character's harm: wounds, shock, K and O, knockdown, bleeding.

A hit passes `resolve_hit`, `convert_damage`, `convert_to_bleeders` and `drop_packages`, in the
order of MB-DMG-04; then `apply_damage` adds it to the harm.

Nothing here knows a clock: what ends is counted down, in seconds or in rounds. A function that
changes harm returns the new harm and its facts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, Literal

from rules.core.data_rows import from_json, json_loader
from rules.core.errors import Impossible
from rules.core.record import Record
from rules.systems.masterbook.formulas import success_chart
from rules.systems.masterbook.formulas.option_kinds import Healing
from rules.systems.masterbook.formulas.success_chart import Damage
from rules.systems.masterbook.formulas.value_chart import ROUND_SECONDS

#: Events of a change of harm, each a name and a number: `("wounds", 2)`, `("knocked_out", 60)`.
Facts = tuple[tuple[str, int], ...]
#: Wounds of a mortally wounded and of a dead character.
MORTAL, DEAD = 5, 6
#: Seconds of rest that remove a K, and of a knockout (MB-DMG-06).
K_RESTS, KNOCKED_OUT = 30 * 60, 60
#: Shock that replaces a second K or O.
DOUBLED: Final = 2
#: Modifier of a knockdown to everything physical, and its rounds (MB-DMG-07).
KNOCKDOWN, KNOCKED_DOWN = -4, 2
#: Seconds that remove a point of shock: awake at rest, and unconscious (MB-DMG-05).
AWAKE, ASLEEP = 60, 10
HOUR: Final = 60 * 60
DAY: Final = 24 * HOUR
#: Wounds of the lightest level.
LIGHT: Final = 1
#: Healing of a character without options for it.
PLAIN_HEALING: Final = Healing()
#: Rounds after a death from which on it is too late to revive the character (MB-DMG-10).
TOO_LATE: Final = 2


class WoundLevel(Record):
    """A level of wounds (MB-DMG-08, MB-DMG-10)."""

    id: str
    #: Modifiers to physical and to other skills.
    physical: int = 0
    other: int = 0
    #: Days until a wound may heal.
    days: int = 0
    #: Difficulties of the healing roll, of a medic's help with it, and of first aid; None: no roll.
    healing: int | None = None
    medicine: int | None = None
    aid: int | None = None


class _Rows(Record):
    levels: tuple[WoundLevel, ...]
    bleeding: Mapping[str, int]


_ALL: Final = from_json(_Rows, json_loader("rules.systems.masterbook", "harm")())
#: Number of wounds of the last level; more make no difference.
MAX_WOUNDS: Final = len(_ALL.levels) - 1
#: Highest face with which a wound bleeds, by the kind of weapon (MB-DMO-04).
BLEEDS: Final = _ALL.bleeding


class Harm(Record):
    """Harm of a character."""

    wounds: int = 0
    shock: int = 0
    #: Seconds of rest until the K is gone.
    k: int = 0
    o: bool = False
    #: Seconds left of a knockout.
    out_for: int = 0
    #: Whether shock keeps the character unconscious.
    fainted: bool = False
    #: Rounds left of a knockdown, this one counted.
    down: int = 0
    #: Wounds that bleed.
    bleeders: int = 0
    #: Whether first aid lets the character act as with one wound less (MB-HEAL-02).
    aided: bool = False
    #: Helpers who have tried first aid on these wounds.
    tries: tuple[str, ...] = ()
    #: Whether the clock of a mortal wound is stopped.
    stable: bool = False
    #: Rounds since the death; None: alive.
    dead_for: int | None = None
    #: Seconds since the last wound or healing roll.
    waited: int = 0
    #: Seconds counted toward the point of shock that goes next.
    shock_seconds: int = 0
    #: Seconds until stabilizing may be tried again.
    unsteady: int = 0

    @property
    def level(self) -> int:
        """Wounds as they count: one less after first aid (MB-HEAL-02)."""
        return self.wounds - 1 if self.aided else self.wounds

    @property
    def lost(self) -> bool:
        """Whether the character is dead beyond help (MB-DMG-10)."""
        return self.dead_for is not None and (self.dead_for >= TOO_LATE or self.wounds > DEAD)

    @property
    def dead(self) -> bool:
        """Whether wounds, or shock on a mortal wound, have killed the character."""
        return self.dead_for is not None

    @property
    def mortal(self) -> bool:
        """Whether the character is mortally wounded and still alive."""
        return self.level == MORTAL and not self.dead

    @property
    def dying(self) -> bool:
        """Whether the clock of a mortal wound runs (MB-DMG-09)."""
        return self.mortal and not self.stable

    @property
    def out(self) -> bool:
        """Whether the character is unconscious or dead."""
        return self.out_for > 0 or self.fainted or self.dead_for is not None or self.level >= MORTAL


#: State of a character, in the words of the board and of messages.
Condition = Literal["unhurt", "hurt", "badly-hurt", "unconscious", "dying", "dead"]
#: All states, the worst first.
CONDITIONS: Final[tuple[Condition, ...]] = (
    "dead",
    "dying",
    "unconscious",
    "badly-hurt",
    "hurt",
    "unhurt",
)
#: States in which a character can do nothing.
OUT_CONDITIONS: Final[tuple[Condition, ...]] = ("dead", "dying", "unconscious")
#: Most wounds with which a character is hurt, but not badly.
_HURT: Final = 2


def condition(harm: Harm) -> Condition:
    """Return the state of a character that everybody at the table can see."""
    if harm.dead:
        return "dead"
    if harm.dying:
        return "dying"
    if harm.out:
        return "unconscious"
    if harm.wounds > _HURT:
        return "badly-hurt"
    return "hurt" if harm.wounds or harm.shock else "unhurt"


def wound_level(wounds: int) -> WoundLevel:
    """Return the level of a number of wounds (MB-DMG-08, MB-DMG-10)."""
    return _ALL.levels[min(wounds, MAX_WOUNDS)]


def wound_level_name(wounds: int) -> str:
    """Return the id of the level of a number of wounds.

    It is empty without wounds, then `light` to `mortal`, `dead`, `beyond_first_aid`, `destroyed`.
    """
    return wound_level(wounds).id


def healing_level(wounds: int, healing: Healing = PLAIN_HEALING) -> WoundLevel:
    """Return the level by whose row the wounds heal (MB-HEAL-01, MB-BG-30).

    An ability moves to lighter rows, down to that of light wounds.
    """
    if not LIGHT <= wounds < DEAD:
        return wound_level(wounds)
    return wound_level(max(LIGHT, wounds - healing.rows))


def seconds_to_heal(wounds: int, healing: Healing = PLAIN_HEALING) -> int:
    """Return the seconds until the wounds may heal (MB-HEAL-01, MB-BG-30).

    A lighter row never makes that longer.
    """
    if wounds == LIGHT and healing.light_hours is not None:
        return healing.light_hours * HOUR
    return min(wound_level(wounds).days, healing_level(wounds, healing).days) * DAY


def heals_by_itself(harm: Harm, healing: Healing) -> bool:
    """Return whether a wound heals without a roll (MB-BG-30)."""
    return healing.light_by_itself and harm.wounds == LIGHT


def penalty(harm: Harm, physical: bool) -> int:
    """Return the modifier of wounds and knockdown to a skill, 0 or less (MB-DMG-07, MB-DMG-08).

    It counts on defenses too.
    """
    level = wound_level(harm.level)
    if not physical:
        return level.other
    knockdown = KNOCKDOWN if harm.down else 0
    return level.physical + knockdown


def rounds_left(harm: Harm, capacity: int) -> int:
    """Return the rounds until a mortally wounded character dies without help (MB-DMG-09).

    *capacity* is the shock capacity, here and below.
    """
    return max(1, capacity - harm.shock)


def ko_letter(harm: Harm, ko: str) -> str:
    """Return the letter that K/O becomes: O for a character with a K (MB-DMG-06)."""
    if ko != "K/O":
        return ko
    return "O" if harm.k else "K"


def with_gm_value(harm: Harm, what: str, number: int, capacity: int) -> Harm:
    """Return the harm after a GM has set a number.

    *what* is `wounds`, `shock`, `bleeders`, or `knockout` in rounds. Death and unconsciousness
    follow from the number.
    """
    if what == "wounds":
        now = _with_wounds(harm, number - harm.wounds)
    elif what == "shock":
        fainted = number >= capacity or (harm.fainted and number > 0)
        now = harm.replace(shock=number, shock_seconds=0, fainted=fainted)
    elif what == "bleeders":
        now = harm.replace(bleeders=number)
    else:
        now = harm.replace(out_for=number * ROUND_SECONDS, o=harm.o and number > 0)
    now = now.replace(dead_for=None)
    if now.wounds >= DEAD or (now.mortal and now.shock >= capacity):
        return now.replace(dead_for=harm.dead_for or 0)
    return now


# --- a hit ----------------------------------------------------------------------------------------


def apply_damage(harm: Harm, damage: Damage, capacity: int) -> tuple[Harm, Facts]:
    """Return the harm after damage, with its facts (MB-DMG-04 to MB-DMG-10).

    All parts of the result count first; then death, K and O, and shock are checked. The dead only
    take wounds and bleeders.

    Facts:
        `wounds`, `bleeders`: their numbers.
        `knockdown`, `k`, `o`: 0.
        `doubled`: shock for a second letter.
        `shock`: all of it.
        `knocked_out`: seconds.
        `fainted`, `bled_wound`: the shock that has reached the capacity.
        `mortal`: rounds left.
        `dead`: wounds.
    """
    now = harm
    facts: list[tuple[str, int]] = []
    if damage.wounds:
        now = _with_wounds(now, damage.wounds)
        facts.append(("wounds", damage.wounds))
    if damage.bleeders:
        now = now.replace(bleeders=now.bleeders + damage.bleeders)
        facts.append(("bleeders", damage.bleeders))
    if harm.dead:
        return now, tuple(facts)
    if damage.knockdown:
        now = now.replace(down=KNOCKED_DOWN)
        facts.append(("knockdown", 0))
    now, doubled, letter_facts = _with_letter(now, ko_letter(now, damage.ko))
    facts += letter_facts
    shock = damage.shock + doubled
    now, shock_facts = _with_shock(now, shock, capacity, out=harm.out)
    if shock:
        facts.append(("shock", shock))
    facts += shock_facts
    now, fate = _with_fate(harm, now, capacity)
    return now, (*facts, *fate)


def _with_wounds(harm: Harm, wounds: int) -> Harm:
    """Return the harm with more wounds, which end first aid and allow new tries (MB-HEAL-02)."""
    return harm.replace(wounds=harm.wounds + wounds, aided=False, tries=(), stable=False, waited=0)


def _with_letter(harm: Harm, ko: str) -> tuple[Harm, int, Facts]:
    """Return the harm with K, O or KO, the shock that replaces a second letter, and the facts.

    K and O together knock the character out (MB-DMG-06).
    """
    if not ko:
        return harm, 0, ()
    completes = (ko == "K" and harm.o) or (ko == "O" and harm.k)
    if ko == "KO" or completes:
        out = harm.replace(k=harm.k or K_RESTS, o=True, out_for=KNOCKED_OUT)
        return out, 0, (("knocked_out", KNOCKED_OUT),)
    is_second = harm.k if ko == "K" else harm.o
    if is_second:
        return harm, DOUBLED, (("doubled", DOUBLED),)
    if ko == "K":
        return harm.replace(k=K_RESTS), 0, (("k", 0),)
    return harm.replace(o=True), 0, (("o", 0),)


def _with_shock(harm: Harm, shock: int, capacity: int, *, out: bool) -> tuple[Harm, Facts]:
    """Return the harm with more shock, and the facts (MB-DMG-05, MB-DMO-04).

    At the capacity the character faints. *out* says whether the character was unconscious before:
    then shock on a bleeding character becomes a wound.
    """
    harm = harm.replace(shock=harm.shock + shock)
    if not shock or harm.shock < capacity or harm.dead:
        return harm, ()
    if harm.bleeders and out:
        return _with_wounds(harm, 1).replace(shock=0), (("bled_wound", harm.shock),)
    facts = () if harm.fainted else (("fainted", harm.shock),)
    kept_shock = 0 if harm.bleeders else harm.shock
    return harm.replace(fainted=True, shock=kept_shock), facts


def _with_fate(before: Harm, harm: Harm, capacity: int) -> tuple[Harm, Facts]:
    """Return the harm after a check whether new wounds kill, or will (MB-DMG-09, MB-DMG-10).

    A character who is out from now on begins to recover anew.
    """
    if harm.out and not before.out:
        harm = harm.replace(shock_seconds=0)
    if harm.wounds >= DEAD and not harm.dead:
        return harm.replace(dead_for=0), (("dead", harm.wounds),)
    if harm.mortal and not before.mortal:
        return harm, (("mortal", rounds_left(harm, capacity)),)
    return harm, ()


# --- rounds ---------------------------------------------------------------------------------------


def begin_round(
    harm: Harm, capacity: int, *, resting: bool = False, healing: Healing = PLAIN_HEALING
) -> tuple[Harm, Facts]:
    """Return the harm in a new round, ten seconds later (MB-DMG-06, -07, MB-DMG-09, MB-DMO-04).

    Facts: `rises` (the knockdown is over), `bled`, `dying` (rounds left), `fainted`, `bled_wound`,
    `mortal`, `dead`, and those of `recover`.
    """
    if harm.dead_for is not None:
        return harm.replace(dead_for=min(TOO_LATE, harm.dead_for + 1)), ()
    facts: list[tuple[str, int]] = []
    now = harm.replace(o=False, down=max(0, harm.down - 1))
    if now.bleeders:
        facts.append(("bled", now.bleeders))
    now, drain_facts = _drain(now, capacity)
    facts += drain_facts
    if now.dead:
        return now, tuple(facts)
    now, recovery_facts = recover(now, ROUND_SECONDS, resting=resting, healing=healing)
    facts += recovery_facts
    # An unconscious character stays on the ground.
    if harm.down == 1 and not now.out:
        facts.append(("rises", 0))
    return now, tuple(facts)


def _drain(harm: Harm, capacity: int) -> tuple[Harm, Facts]:
    """Return the harm after the shock of bleeding and of a mortal wound in a round.

    (MB-DMG-09, MB-DMO-04)
    """
    if harm.dying:
        now = harm.replace(shock=harm.shock + harm.bleeders + 1)
        if now.shock >= capacity:
            return now.replace(dead_for=0), (("dead", now.wounds),)
        return now, (("dying", rounds_left(now, capacity)),)
    now, facts = _with_shock(harm, harm.bleeders, capacity, out=harm.out)
    now, fate = _with_fate(harm, now, capacity)
    return now, (*facts, *fate)


# --- time -----------------------------------------------------------------------------------------


def pass_time(
    harm: Harm,
    seconds: int,
    capacity: int,
    *,
    resting: bool = True,
    healing: Healing = PLAIN_HEALING,
) -> tuple[Harm, Facts]:
    """Return the harm after time outside of rounds, with the facts of `begin_round`.

    While the character bleeds or is dying, time passes in rounds.
    """
    facts: list[tuple[str, int]] = []
    while seconds >= ROUND_SECONDS and (harm.dying or harm.bleeders) and not harm.dead:
        harm, round_facts = begin_round(harm, capacity, resting=resting, healing=healing)
        seconds -= ROUND_SECONDS
        facts += round_facts
    rounds = seconds // ROUND_SECONDS
    if harm.dead_for is not None:
        dead_for = min(TOO_LATE, harm.dead_for + rounds)
        return harm.replace(dead_for=dead_for), _merged_facts(facts)
    rises = 0 < harm.down <= rounds
    if rounds:
        harm = harm.replace(o=False, down=max(0, harm.down - rounds))
    harm, recovery_facts = recover(harm, seconds, resting=resting, healing=healing)
    facts += recovery_facts
    if rises and not harm.out:
        facts.append(("rises", 0))
    return harm, _merged_facts(facts)


def _merged_facts(facts: Iterable[tuple[str, int]]) -> Facts:
    """Return one fact of each name: the sum of what was bled or recovered, else the last."""
    merged: dict[str, int] = {}
    for name, number in facts:
        before = merged.get(name, 0) if name in ("bled", "recovered") else 0
        merged[name] = before + number
    return tuple(merged.items())


def recover(
    harm: Harm, seconds: int, *, resting: bool = True, healing: Healing = PLAIN_HEALING
) -> tuple[Harm, Facts]:
    """Return the harm of a living character after a time (MB-DMG-05, MB-HEAL-07, MB-BG-30).

    Shock and K go, an unconscious character wakes, wounds may heal.

    Facts:
        `recovered`: shock.
        `k_over`: 0.
        `awake`: shock that waking cleared.
        `heals`: the difficulty of a healing roll that is due.
        `healed`: wounds left after one healed by itself.
    """
    facts: list[tuple[str, int]] = []
    recovered = 0
    healing_time = seconds_to_heal(harm.wounds, healing)
    without_roll = heals_by_itself(harm, healing)
    is_due = harm.waited < healing_time <= harm.waited + seconds
    if is_due and not without_roll:
        facts.append(("heals", healing_level(harm.wounds, healing).healing or 0))
    waited = harm.waited + seconds if harm.wounds else 0
    now = harm.replace(waited=waited, unsteady=max(0, harm.unsteady - seconds))
    if healing.all_shock and seconds >= ROUND_SECONDS and (resting or now.out):
        now, rest_facts = shake_off(now)
        recovered += dict(rest_facts).get("recovered", 0)
        facts += [fact for fact in rest_facts if fact[0] != "recovered"]
    while seconds:
        spent = min(seconds, _seconds_until_awake(now) or seconds)
        was_out, shock_before = now.out, now.shock
        now = _after_seconds(now, spent, resting=resting or was_out, healing=healing)
        recovered += shock_before - now.shock
        seconds -= spent
        if harm.k and not now.k and ("k_over", 0) not in facts:
            facts.append(("k_over", 0))
        now, waking_facts = wake_up(now, was_out)
        facts += waking_facts
    if without_roll and now.waited >= healing_time:
        now = now.replace(wounds=0, aided=False, tries=(), waited=0)
        facts.append(("healed", 0))
    if recovered:
        facts.insert(0, ("recovered", recovered))
    return now, tuple(facts)


def shake_off(harm: Harm) -> tuple[Harm, Facts]:
    """Return the harm after a round of rest that removes all shock, K and O (MB-BG-30).

    Shock stays while the character bleeds or is mortally wounded. Facts: `recovered`, `k_over`,
    `awake`.
    """
    facts: list[tuple[str, int]] = []
    stays = harm.bleeders > 0 or harm.mortal
    shock = harm.shock if stays else 0
    if harm.shock > shock:
        facts.append(("recovered", harm.shock - shock))
    if harm.k:
        facts.append(("k_over", 0))
    now = harm.replace(shock=shock, k=0, o=False, out_for=0, fainted=harm.fainted and stays)
    now, waking_facts = wake_up(now, harm.out)
    return now, (*facts, *waking_facts)


def rest_a_round(harm: Harm, healing: Healing) -> tuple[Harm, Facts]:
    """Return the harm of an awake character after a round of complete rest (MB-BG-30).

    Only abilities make a round of rest count. Facts: `recovered`, `k_over`.
    """
    if harm.out:
        return harm, ()
    if healing.all_shock:
        return shake_off(harm)
    recovered = min(harm.shock, healing.shock_each_round)
    if not recovered or harm.bleeders or harm.mortal:
        return harm, ()
    return harm.replace(shock=harm.shock - recovered), (("recovered", recovered),)


def _seconds_until_awake(harm: Harm) -> int:
    """Return the seconds until an unconscious character wakes; 0 if awake, or out for longer."""
    if harm.mortal or (harm.fainted and harm.bleeders):
        return 0
    by_shock = max(1, harm.shock * ASLEEP - harm.shock_seconds) if harm.fainted else 0
    return max(harm.out_for, by_shock)


def _after_seconds(harm: Harm, seconds: int, *, resting: bool, healing: Healing) -> Harm:
    """Return the harm after seconds in which the character stays awake, or stays out."""
    shock_seconds, shock = harm.shock_seconds, harm.shock
    if resting and shock and not harm.bleeders and not harm.mortal:
        points, shock_seconds = divmod(shock_seconds + seconds, _seconds_of_shock(harm, healing))
        shock = max(0, shock - points)
    return harm.replace(
        shock=shock,
        shock_seconds=shock_seconds if shock else 0,
        k=max(0, harm.k - seconds) if resting else harm.k,
        out_for=max(0, harm.out_for - seconds),
        fainted=harm.fainted and (shock > 0 or harm.bleeders > 0),
    )


def _seconds_of_shock(harm: Harm, healing: Healing) -> int:
    """Return the seconds in which a point of shock goes (MB-DMG-05, MB-BG-30)."""
    seconds = ASLEEP if harm.out else AWAKE
    if not healing.shock_each_round:
        return seconds
    return min(seconds, ROUND_SECONDS // healing.shock_each_round)


def wake_up(harm: Harm, out: bool) -> tuple[Harm, Facts]:
    """Return the harm of a character who was *out* and may be awake now (MB-DMG-06, MB-DMO-04).

    Waking clears the O, and the shock that bleeding gathered. Facts: `awake` (shock cleared).
    """
    if not out or harm.out:
        return harm, ()
    cleared = harm.shock if harm.bleeders else 0
    return harm.replace(o=False, shock=harm.shock - cleared), (("awake", cleared),)


# --- damage of a hit ------------------------------------------------------------------------------

#: Shock that a wound becomes, and the most that a package of shock holds (MB-DMO-02, MB-LP-03).
SHOCK_PER_WOUND: Final = 3
#: Packages that a point drops; own points that may go into one attack (MB-LP-03).
PACKAGES_PER_POINT, MOST_OWN_POINTS = 3, 1
#: In a fall: the highest distance value, and the most that armor counts (MB-FALL-01).
TERMINAL, PADDING = 14, 2


class HitResult(Record):
    """Damage of a hit."""

    #: Result points that count for damage.
    points: int
    #: Damage total.
    total: int
    #: Damage points: the total over Toughness, armor and cover.
    over: int
    damage: Damage


class Fall(Record):
    """Damage of a fall or a collision."""

    #: Distance value, or value of the speed, and armor, as they count.
    distance: int
    armor: int
    #: Damage value.
    value: int
    #: Damage points: the value over Toughness and armor.
    over: int
    damage: Damage


def damage_value(
    *, dv: int | None = None, strength: int = 0, add: int = 0, maximum: int | None = None
) -> int:
    """Return a weapon's own damage value, or Strength and its add up to a maximum (MB-DMG-01)."""
    if dv is not None:
        return dv
    value = strength + add
    return value if maximum is None else min(value, maximum)


def resolve_hit(
    points: int,
    value: int,
    toughness: int,
    *,
    armor: int = 0,
    cover: int = 0,
    more: int = 0,
    capped: bool = False,
) -> HitResult:
    """Return the damage of a hit (MB-DMG-02, MB-DMG-03, MB-DMO-01).

    *points* are the result points of the attack, *value* its damage value, *more* the modifiers
    added to the points. *capped* limits the points to the damage value.
    """
    result_points = points + more
    if capped:
        result_points = min(result_points, value)
    total = value + result_points
    damage_points = total - toughness - armor - cover
    damage = success_chart.damage_for_points(damage_points)
    return HitResult(result_points, total, damage_points, damage)


def resolve_fall(weight: int, distance: int, bonus: int, toughness: int, armor: int = 0) -> Fall:
    """Return the damage of a fall by the values of weight and distance (MB-FALL-01).

    *bonus* is the bonus number, with its floor.
    """
    counted_distance, counted_armor = min(distance, TERMINAL), min(armor, PADDING)
    value = weight + counted_distance + bonus
    damage_points = value - toughness - counted_armor
    damage = success_chart.damage_for_points(damage_points)
    return Fall(counted_distance, counted_armor, value, damage_points, damage)


def resolve_collision(speed: int, bonus: int, toughness: int, armor: int = 0) -> Fall:
    """Return the damage of running or flying into something at a speed's value (MB-VAL-05).

    Armor counts whole.
    """
    value = speed + bonus
    damage_points = value - toughness - armor
    return Fall(speed, armor, value, damage_points, success_chart.damage_for_points(damage_points))


# --- options --------------------------------------------------------------------------------------


def convert_to_knockdown(damage: Damage) -> Damage:
    """Return the damage with a knockdown in the place of the first wound (MB-OPT-03)."""
    if not damage.wounds:
        return damage
    return damage.replace(wounds=damage.wounds - 1, knockdown=True, bare=False)


def with_fewer_wounds(damage: Damage, number: int) -> Damage:
    """Return the damage with *number* fewer wounds; everything else stays (MB-BG-30)."""
    fewer = min(number, damage.wounds)
    if not fewer:
        return damage
    return damage.replace(wounds=damage.wounds - fewer, bare=False)


def convert_to_shock(damage: Damage, wounds: int = 1) -> Damage:
    """Return the damage with shock in place of *wounds*, as far as it has them.

    (MB-DMO-02)
    """
    converted = min(wounds, damage.wounds)
    if not converted:
        return damage
    shock = damage.shock + SHOCK_PER_WOUND * converted
    return damage.replace(wounds=damage.wounds - converted, shock=shock, bare=False)


def convert_damage(
    damage: Damage, points: int, *, fells: bool = False, knockout: bool = False, soft: bool = False
) -> Damage:
    """Return the damage as a declared attack changes it, before bleeding (MB-DMG-04, MB-DMO-02).

    A knockout attack converts as many wounds as the rank of the attack's result *points*. It
    replaces a non-lethal attack (*soft*), which converts one (MB-DMO-03). An attack that *fells*
    makes a knockdown of the first wound.
    """
    if fells:
        damage = convert_to_knockdown(damage)
    wounds = success_chart.rank(points) if knockout else int(soft)
    return convert_to_shock(damage, wounds)


def convert_to_bleeders(damage: Damage, bleeders: int) -> Damage:
    """Return the damage with *bleeders* in place of wounds (MB-DMO-04)."""
    converted = min(bleeders, damage.wounds)
    if not converted:
        return damage
    return damage.replace(
        wounds=damage.wounds - converted, bleeders=damage.bleeders + converted, bare=False
    )


def bleeding_dice(damage: Damage) -> int:
    """Return the number of d10 for bleeding: one for each wound after the first (MB-DMO-04)."""
    return max(0, damage.wounds - 1)


def count_bleeders(attack: str, faces: Iterable[int]) -> int:
    """Return the wounds that bleed by these faces; *attack* is a row of `BLEEDS` (MB-DMO-04)."""
    highest = BLEEDS[attack]
    return sum(face <= highest for face in faces)


# --- packages -------------------------------------------------------------------------------------


def packages(damage: Damage) -> dict[str, int]:
    """Return the number of packages of each kind that points can drop (MB-LP-03).

    Kinds are `wound`, `bleeder`, `knockdown`, `k`, `o`, `k_or_o` (a K/O is one package) and `shock`
    in lots. Kinds that the damage lacks are left out.
    """
    numbers = {
        "wound": damage.wounds,
        "bleeder": damage.bleeders,
        "knockdown": int(damage.knockdown),
        "k": int(damage.ko in ("K", "KO")),
        "o": int(damage.ko in ("O", "KO")),
        "k_or_o": int(damage.ko == "K/O"),
        "shock": -(-damage.shock // SHOCK_PER_WOUND),
    }
    return {kind: number for kind, number in numbers.items() if number}


def drop_packages(damage: Damage, chosen: Iterable[str], *, own: int = 0, cards: int = 0) -> Damage:
    """Return the damage without the chosen packages, for own points and cards (MB-LP-03).

    Raises:
        Impossible("mb-one-own-point"): more than one own point is spent.
        Impossible("mb-too-many-packages"): the points do not drop that number.
        Impossible("mb-no-such-package"): the damage has fewer packages of a kind.
    """
    dropped = Counter(chosen)
    if own > MOST_OWN_POINTS:
        raise Impossible("mb-one-own-point", most=MOST_OWN_POINTS)
    if dropped.total() > PACKAGES_PER_POINT * (own + cards):
        raise Impossible("mb-too-many-packages", chosen=dropped.total(), most=PACKAGES_PER_POINT)
    if not dropped:
        return damage
    available = packages(damage)
    for kind, number in dropped.items():
        if number > available.get(kind, 0):
            raise Impossible("mb-no-such-package", what=kind, have=available.get(kind, 0))
    letters = "".join(letter for letter in damage.ko if not dropped[letter.casefold()])
    return Damage(
        wounds=damage.wounds - dropped["wound"],
        knockdown=damage.knockdown and not dropped["knockdown"],
        ko="" if dropped["k_or_o"] else letters,
        shock=max(0, damage.shock - SHOCK_PER_WOUND * dropped["shock"]),
        bleeders=damage.bleeders - dropped["bleeder"],
    )
