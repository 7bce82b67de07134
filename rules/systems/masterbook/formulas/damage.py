"""What a hit does and what somebody has taken: wounds, shock, K and O, knockdown, bleeding; what
time does to it.

The order is that of MB-DMG-04: `resolve_hit`, `convert_damage`, `convert_to_bleeders`,
`drop_packages`; then `apply_damage`.

Small records in and out. Nothing here knows a clock: what ends is counted down, in seconds or in
rounds. Every change gives the new harm and what happened, as names with numbers.
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

#: What happened, each by its name with a number: `("wounds", 2)`, `("knocked_out", 60)`.
Facts = tuple[tuple[str, int], ...]
MORTAL, DEAD = 5, 6
#: Seconds that a K needs of rest, and that a knockout lasts (MB-DMG-06).
K_RESTS, KNOCKED_OUT = 30 * 60, 60
#: What a second K or O comes to instead, in shock.
DOUBLED: Final = 2
#: Knockdown: what it takes from everything physical, and for how many rounds (MB-DMG-07).
KNOCKDOWN, KNOCKED_DOWN = -4, 2
#: Seconds in which a point of shock goes: at rest, and unconscious (MB-DMG-05).
AWAKE, ASLEEP = 60, 10
HOUR: Final = 60 * 60
DAY: Final = 24 * HOUR
#: Wounds of the lightest level.
LIGHT: Final = 1
#: How characters heal without any option for it.
PLAIN_HEALING: Final = Healing()
#: Rounds after that of the death in which it is too late (MB-DMG-10).
TOO_LATE: Final = 2


class WoundLevel(Record):
    """A level of wounds: what it takes from physical and from other skills, the days until it may
    heal, and the difficulties of healing, of a medic's help at it and of first aid; None where
    there is none.
    """

    id: str
    physical: int = 0
    other: int = 0
    days: int = 0
    healing: int | None = None
    medicine: int | None = None
    aid: int | None = None


class _Rows(Record):
    levels: tuple[WoundLevel, ...]
    bleeding: Mapping[str, int]


_ALL: Final = from_json(_Rows, json_loader("rules.systems.masterbook", "harm")())
#: As many wounds as make a difference.
MAX_WOUNDS: Final = len(_ALL.levels) - 1
#: The highest face that makes a bleeder of a wound, by what it was dealt with (MB-DMO-04).
BLEEDS: Final = _ALL.bleeding


class Harm(Record):
    """What somebody has taken.

    In seconds left: `k` of rest until a K is gone, `out_for` of a knockout, `unsteady` until
    stabilizing may be tried again. In rounds: `down` of a knockdown, this one counted; `dead_for`
    since the death, None for the living. `fainted`: out by shock. `aided`: acts a level better by
    first aid, `tries` are the helpers who have tried. `stable`: mortally wounded, and the clock
    stopped. `waited` are seconds since the last wound or healing roll, `step` those of a point of
    shock that is not gone yet.
    """

    wounds: int = 0
    shock: int = 0
    k: int = 0
    o: bool = False
    out_for: int = 0
    fainted: bool = False
    down: int = 0
    bleeders: int = 0
    aided: bool = False
    tries: tuple[str, ...] = ()
    stable: bool = False
    dead_for: int | None = None
    waited: int = 0
    step: int = 0
    unsteady: int = 0

    @property
    def level(self) -> int:
        """Wounds as they count: one less by first aid (MB-HEAL-02)."""
        return self.wounds - 1 if self.aided else self.wounds

    @property
    def lost(self) -> bool:
        """Dead, and nobody can do anything about it any more."""
        return self.dead_for is not None and (self.dead_for >= TOO_LATE or self.wounds > DEAD)

    @property
    def dead(self) -> bool:
        """By wounds, or by shock while mortally wounded."""
        return self.dead_for is not None

    @property
    def mortal(self) -> bool:
        """Unconscious by wounds, not dead yet."""
        return self.level == MORTAL and not self.dead

    @property
    def dying(self) -> bool:
        """The clock of the mortally wounded runs (MB-DMG-09)."""
        return self.mortal and not self.stable

    @property
    def out(self) -> bool:
        """Unconscious or dead."""
        return self.out_for > 0 or self.fainted or self.dead_for is not None or self.level >= MORTAL


#: State of a character, in the words of the board and of messages.
Condition = Literal["unhurt", "hurt", "badly-hurt", "unconscious", "dying", "dead"]
#: All of them, the worst first.
CONDITIONS: Final[tuple[Condition, ...]] = (
    "dead",
    "dying",
    "unconscious",
    "badly-hurt",
    "hurt",
    "unhurt",
)
#: Those in which a character can do nothing.
OUT_CONDITIONS: Final[tuple[Condition, ...]] = ("dead", "dying", "unconscious")
#: The most wounds with which a character is hurt, but not badly.
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
    """The level of so many wounds (MB-DMG-08, MB-DMG-10)."""
    return _ALL.levels[min(wounds, len(_ALL.levels) - 1)]


def wound_level_name(wounds: int) -> str:
    """Its name: empty for none, `light` to `mortal`, `dead`, then `beyond_first_aid` and
    `destroyed`.
    """
    return wound_level(wounds).id


def healing_level(wounds: int, healing: Healing = PLAIN_HEALING) -> WoundLevel:
    """Return the level by whose row so many wounds heal (MB-HEAL-01, MB-BG-30).

    An ability moves to lighter rows, down to that of light wounds.
    """
    if not LIGHT <= wounds < DEAD:
        return wound_level(wounds)
    return wound_level(max(LIGHT, wounds - healing.rows))


def seconds_to_heal(wounds: int, healing: Healing = PLAIN_HEALING) -> int:
    """Return the seconds until so many wounds may heal (MB-HEAL-01, MB-BG-30).

    A lighter row never makes that longer.
    """
    if wounds == LIGHT and healing.light_hours is not None:
        return healing.light_hours * HOUR
    return min(wound_level(wounds).days, healing_level(wounds, healing).days) * DAY


def heals_by_itself(harm: Harm, healing: Healing) -> bool:
    """Return whether a wound heals without a roll (MB-BG-30)."""
    return healing.light_by_itself and harm.wounds == LIGHT


def penalty(harm: Harm, physical: bool) -> int:
    """What wounds and knockdown take from a skill, on defenses too; 0 or less (MB-DMG-07,
    MB-DMG-08).
    """
    found = wound_level(harm.level)
    return found.physical + (KNOCKDOWN if harm.down else 0) if physical else found.other


def rounds_left(harm: Harm, capacity: int) -> int:
    """Rounds until somebody mortally wounded dies, if nobody helps (MB-DMG-09)."""
    return max(1, capacity - harm.shock)


def ko_letter(harm: Harm, ko: str) -> str:
    """The letter that a K/O turns into (MB-DMG-06)."""
    return ("O" if harm.k else "K") if ko == "K/O" else ko


def with_gm_value(harm: Harm, what: str, number: int, capacity: int) -> Harm:
    """So many `wounds`, `shock`, `bleeders`, or rounds of `knockout`, as a GM sets them: who is
    dead or out follows.
    """
    if what == "wounds":
        now = _wounded(harm, number - harm.wounds)
    elif what == "shock":
        fainted = number >= capacity or (harm.fainted and number > 0)
        now = harm.replace(shock=number, step=0, fainted=fainted)
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
    """Everything of a result at once, then death, KO and shock are looked at (MB-DMG-04 to
    MB-DMG-10).

    Facts: `wounds`, `bleeders`, `knockdown`, `k`, `o`, `doubled` (shock for a second letter),
    `shock` (all of it), `knocked_out` (seconds), `fainted` (shock), `bled_wound` (shock), `mortal`
    (rounds left), `dead` (wounds).
    """
    now, said = harm, list[tuple[str, int]]()
    if damage.wounds:
        now = _wounded(now, damage.wounds)
        said.append(("wounds", damage.wounds))
    if damage.bleeders:
        now = now.replace(bleeders=now.bleeders + damage.bleeders)
        said.append(("bleeders", damage.bleeders))
    if harm.dead:
        return now, tuple(said)
    if damage.knockdown:
        now = now.replace(down=KNOCKED_DOWN)
        said.append(("knockdown", 0))
    now, doubled, letters = _lettered(now, ko_letter(now, damage.ko))
    taken = damage.shock + doubled
    now, fainted = _shocked(now, taken, capacity, out=harm.out)
    said += [*letters, *([("shock", taken)] if taken else []), *fainted]
    now, fate = _fate(harm, now, capacity)
    return now, (*said, *fate)


def _wounded(harm: Harm, wounds: int) -> Harm:
    """New wounds end first aid, and helpers may try anew (MB-HEAL-02)."""
    return harm.replace(wounds=harm.wounds + wounds, aided=False, tries=(), stable=False, waited=0)


def _lettered(harm: Harm, ko: str) -> tuple[Harm, int, Facts]:
    """With K, O or KO; the shock that a second one becomes, and what happened."""
    if not ko:
        return harm, 0, ()
    if ko == "KO" or (ko == "K" and harm.o) or (ko == "O" and harm.k):
        out = harm.replace(k=harm.k or K_RESTS, o=True, out_for=KNOCKED_OUT)
        return out, 0, (("knocked_out", KNOCKED_OUT),)
    if harm.k if ko == "K" else harm.o:
        return harm, DOUBLED, (("doubled", DOUBLED),)
    return (
        (harm.replace(k=K_RESTS), 0, (("k", 0),))
        if ko == "K"
        else (harm.replace(o=True), 0, (("o", 0),))
    )


def _shocked(harm: Harm, shock: int, capacity: int, *, out: bool) -> tuple[Harm, Facts]:
    """With more shock, somebody who was `out` before or not; whoever bleeds is wounded by it
    (MB-DMO-04).
    """
    harm = harm.replace(shock=harm.shock + shock)
    if not shock or harm.shock < capacity or harm.dead:
        return harm, ()
    if harm.bleeders and out:
        return _wounded(harm, 1).replace(shock=0), (("bled_wound", harm.shock),)
    fact = () if harm.fainted else (("fainted", harm.shock),)
    return harm.replace(fainted=True, shock=0 if harm.bleeders else harm.shock), fact


def _fate(before: Harm, harm: Harm, capacity: int) -> tuple[Harm, Facts]:
    """Whether new wounds kill, or will; who is out from now on recovers anew."""
    if harm.out and not before.out:
        harm = harm.replace(step=0)
    if harm.wounds >= DEAD and not harm.dead:
        return harm.replace(dead_for=0), (("dead", harm.wounds),)
    if harm.mortal and not before.mortal:
        return harm, (("mortal", rounds_left(harm, capacity)),)
    return harm, ()


# --- rounds ---------------------------------------------------------------------------------------


def begin_round(
    harm: Harm, capacity: int, *, resting: bool = False, healing: Healing = PLAIN_HEALING
) -> tuple[Harm, Facts]:
    """A new round begins, ten seconds later (MB-DMG-06, MB-DMG-07, MB-DMG-09, MB-DMO-04).

    Facts: `rises` (no knockdown any more), `bled`, `dying` (rounds left), `fainted`, `bled_wound`,
    `mortal`, `dead`, and those of `recover`.
    """
    if harm.dead_for is not None:
        return harm.replace(dead_for=min(TOO_LATE, harm.dead_for + 1)), ()
    said = list[tuple[str, int]]()
    now = harm.replace(o=False, down=max(0, harm.down - 1))
    if now.bleeders:
        said.append(("bled", now.bleeders))
    now, facts = _drained(now, capacity)
    if now.dead:
        return now, (*said, *facts)
    now, later = recover(now, ROUND_SECONDS, resting=resting, healing=healing)
    # An unconscious character stays on the ground.
    rises = (("rises", 0),) if harm.down == 1 and not now.out else ()
    return now, (*said, *facts, *later, *rises)


def _drained(harm: Harm, capacity: int) -> tuple[Harm, Facts]:
    """What bleeding and a mortal wound take at the start of a round."""
    if harm.dying:
        now = harm.replace(shock=harm.shock + harm.bleeders + 1)
        if now.shock >= capacity:
            return now.replace(dead_for=0), (("dead", now.wounds),)
        return now, (("dying", rounds_left(now, capacity)),)
    now, facts = _shocked(harm, harm.bleeders, capacity, out=harm.out)
    now, fate = _fate(harm, now, capacity)
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
    """Time outside of rounds; as long as somebody bleeds or dies, it goes by in rounds. Facts are
    those of `begin_round`.
    """
    said = list[tuple[str, int]]()
    while seconds >= ROUND_SECONDS and (harm.dying or harm.bleeders) and not harm.dead:
        harm, facts = begin_round(harm, capacity, resting=resting, healing=healing)
        seconds -= ROUND_SECONDS
        said += facts
    rounds = seconds // ROUND_SECONDS
    if harm.dead_for is not None:
        return harm.replace(dead_for=min(TOO_LATE, harm.dead_for + rounds)), _summed(said)
    rises = 0 < harm.down <= rounds
    if rounds:
        harm = harm.replace(o=False, down=max(0, harm.down - rounds))
    harm, facts = recover(harm, seconds, resting=resting, healing=healing)
    said += facts
    if rises and not harm.out:
        said.append(("rises", 0))
    return harm, _summed(said)


def _summed(facts: Iterable[tuple[str, int]]) -> Facts:
    """Each of a kind once: what adds up added up, of the others the last."""
    found: dict[str, int] = {}
    for what, number in facts:
        found[what] = number + (found.get(what, 0) if what in ("bled", "recovered") else 0)
    return tuple(found.items())


def recover(
    harm: Harm, seconds: int, *, resting: bool = True, healing: Healing = PLAIN_HEALING
) -> tuple[Harm, Facts]:
    """What time alone does to the living: shock and K go, who is out wakes, wounds may heal
    (MB-DMG-05, MB-HEAL-07, MB-BG-30).

    Facts: `recovered` (shock), `k_over`, `awake` (shock that waking cleared), `heals` (the
    difficulty of a healing roll that is due), `healed` (wounds that healed without a roll leave).
    """
    said, recovered = list[tuple[str, int]](), 0
    need = seconds_to_heal(harm.wounds, healing)
    alone = heals_by_itself(harm, healing)
    if harm.waited < need <= harm.waited + seconds and not alone:
        said.append(("heals", healing_level(harm.wounds, healing).healing or 0))
    now = harm.replace(
        waited=harm.waited + seconds if harm.wounds else 0, unsteady=max(0, harm.unsteady - seconds)
    )
    if healing.all_shock and seconds >= ROUND_SECONDS and (resting or now.out):
        now, facts = shake_off(now)
        recovered += dict(facts).get("recovered", 0)
        said += [fact for fact in facts if fact[0] != "recovered"]
    while seconds:
        spent = min(seconds, _until_awake(now) or seconds)
        was, had = now.out, now.shock
        now = _recovering(now, spent, resting=resting or was, healing=healing)
        recovered += had - now.shock
        seconds -= spent
        if harm.k and not now.k and ("k_over", 0) not in said:
            said.append(("k_over", 0))
        now, woken = wake_up(now, was)
        said += woken
    if alone and now.waited >= need:
        now = now.replace(wounds=0, aided=False, tries=(), waited=0)
        said.append(("healed", 0))
    return now, ((*([("recovered", recovered)] if recovered else []), *said))


def shake_off(harm: Harm) -> tuple[Harm, Facts]:
    """Return the harm after a round of rest that removes all shock, K and O (MB-BG-30).

    Shock stays while the character bleeds or is mortally wounded. Facts: `recovered`, `k_over`,
    `awake`.
    """
    said = list[tuple[str, int]]()
    stays = harm.bleeders > 0 or harm.mortal
    shock = harm.shock if stays else 0
    if harm.shock > shock:
        said.append(("recovered", harm.shock - shock))
    if harm.k:
        said.append(("k_over", 0))
    now = harm.replace(shock=shock, k=0, o=False, out_for=0, fainted=harm.fainted and stays)
    now, woken = wake_up(now, harm.out)
    return now, (*said, *woken)


def rest_a_round(harm: Harm, healing: Healing) -> tuple[Harm, Facts]:
    """Return the harm of an awake character after a round of complete rest (MB-BG-30).

    Only abilities make a round of rest count. Facts: `recovered`, `k_over`.
    """
    if harm.out:
        return harm, ()
    if healing.all_shock:
        return shake_off(harm)
    gone = min(harm.shock, healing.shock_each_round)
    if not gone or harm.bleeders or harm.mortal:
        return harm, ()
    return harm.replace(shock=harm.shock - gone), (("recovered", gone),)


def _until_awake(harm: Harm) -> int:
    """Seconds until somebody unconscious wakes by themselves; 0 where they do not, or are awake."""
    if harm.mortal or (harm.fainted and harm.bleeders):
        return 0
    by_shock = max(1, harm.shock * ASLEEP - harm.step) if harm.fainted else 0
    return max(harm.out_for, by_shock)


def _recovering(harm: Harm, seconds: int, *, resting: bool, healing: Healing) -> Harm:
    """So many seconds of being awake or of being out, but not of both."""
    step, shock = harm.step, harm.shock
    if resting and shock and not harm.bleeders and not harm.mortal:
        points, step = divmod(step + seconds, _seconds_of_shock(harm, healing))
        shock = max(0, shock - points)
    return harm.replace(
        shock=shock,
        step=step if shock else 0,
        k=max(0, harm.k - seconds) if resting else harm.k,
        out_for=max(0, harm.out_for - seconds),
        fainted=harm.fainted and (shock > 0 or harm.bleeders > 0),
    )


def _seconds_of_shock(harm: Harm, healing: Healing) -> int:
    """Return the seconds in which a point of shock goes."""
    usual = ASLEEP if harm.out else AWAKE
    if not healing.shock_each_round:
        return usual
    return min(usual, ROUND_SECONDS // healing.shock_each_round)


def wake_up(harm: Harm, out: bool) -> tuple[Harm, Facts]:
    """Awake again, who was `out`: the O is gone, and the shock gathered by bleeding (MB-DMG-06,
    MB-DMO-04).
    """
    if not out or harm.out:
        return harm, ()
    cleared = harm.shock if harm.bleeders else 0
    return harm.replace(o=False, shock=harm.shock - cleared), (("awake", cleared),)


# --- what a hit does ------------------------------------------------------------------------------

#: Shock that a wound becomes, and the most that a package of shock holds (MB-DMO-02, MB-LP-03).
SHOCK_PER_WOUND: Final = 3
#: Packages that a point drops; own points that may go into one attack (MB-LP-03).
PACKAGES_PER_POINT, MOST_OWN_POINTS = 3, 1
#: In a fall: the highest distance value, and the most that armor counts (MB-FALL-01).
TERMINAL, PADDING = 14, 2


class HitResult(Record):
    """A hit: the `points` that count for damage, the damage `total`, by how much it is `over`
    Toughness, the result.
    """

    points: int
    total: int
    over: int
    damage: Damage


class Fall(Record):
    """A fall: the `distance` and `armor` that count, its damage value, by how much that is `over`,
    the result.
    """

    distance: int
    armor: int
    value: int
    over: int
    damage: Damage


def damage_value(
    *, dv: int | None = None, strength: int = 0, add: int = 0, maximum: int | None = None
) -> int:
    """A value that stands, or Strength and what the weapon adds, up to its maximum (MB-DMG-01)."""
    if dv is not None:
        return dv
    return strength + add if maximum is None else min(strength + add, maximum)


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
    """A hit by so many result points; `more` is added to them, `capped` they are no more than the
    damage value.

    MB-DMG-02, MB-DMG-03, MB-DMO-01.
    """
    counted = min(points + more, value) if capped else points + more
    over = value + counted - toughness - armor - cover
    return HitResult(counted, value + counted, over, success_chart.damage_for_points(over))


def resolve_fall(weight: int, distance: int, bonus: int, toughness: int, armor: int = 0) -> Fall:
    """A fall by values of weight and distance; the bonus number has its floor already
    (MB-FALL-01).
    """
    distance, armor = min(distance, TERMINAL), min(armor, PADDING)
    value = weight + distance + bonus
    over = value - toughness - armor
    return Fall(distance, armor, value, over, success_chart.damage_for_points(over))


def resolve_collision(speed: int, bonus: int, toughness: int, armor: int = 0) -> Fall:
    """Running or flying into something, at the value of a speed: armor counts whole
    (MB-VAL-05).
    """
    over = speed + bonus - toughness - armor
    return Fall(speed, armor, speed + bonus, over, success_chart.damage_for_points(over))


# --- options --------------------------------------------------------------------------------------


def convert_to_knockdown(damage: Damage) -> Damage:
    """The first wound becomes a knockdown (MB-OPT-03)."""
    return (
        damage.replace(wounds=damage.wounds - 1, knockdown=True, bare=False)
        if damage.wounds
        else damage
    )


def with_fewer_wounds(damage: Damage, number: int) -> Damage:
    """Return the damage with so many wounds less; everything else stays (MB-BG-30)."""
    fewer = min(number, damage.wounds)
    if not fewer:
        return damage
    return damage.replace(wounds=damage.wounds - fewer, bare=False)


def convert_to_shock(damage: Damage, wounds: int = 1) -> Damage:
    """So many wounds, as far as there are any, become shock (MB-DMO-02)."""
    turned = min(wounds, damage.wounds)
    if not turned:
        return damage
    return damage.replace(
        wounds=damage.wounds - turned, shock=damage.shock + SHOCK_PER_WOUND * turned, bare=False
    )


def convert_damage(
    damage: Damage, points: int, *, fells: bool = False, knockout: bool = False, soft: bool = False
) -> Damage:
    """What a declared attack makes of a result, before bleeding (MB-DMG-04, MB-DMO-02, MB-DMO-03).

    A knockout attack turns as many wounds as the level that the attack's result `points` reach, and
    takes the place of a non-lethal one.
    """
    damage = convert_to_knockdown(damage) if fells else damage
    return convert_to_shock(damage, success_chart.rank(points) if knockout else int(soft))


def convert_to_bleeders(damage: Damage, bleeders: int) -> Damage:
    """So many wounds bleed instead (MB-DMO-04)."""
    bleeders = min(bleeders, damage.wounds)
    if not bleeders:
        return damage
    return damage.replace(
        wounds=damage.wounds - bleeders, bleeders=damage.bleeders + bleeders, bare=False
    )


def bleeding_dice(damage: Damage) -> int:
    """How many d10 tell which wounds bleed: one for each after the first (MB-DMO-04)."""
    return max(0, damage.wounds - 1)


def count_bleeders(attack: str, faces: Iterable[int]) -> int:
    """How many of them bleed, by what dealt them: a row of `BLEEDS` (MB-DMO-04)."""
    return sum([face <= BLEEDS[attack] for face in faces])


# --- packages -------------------------------------------------------------------------------------


def packages(damage: Damage) -> dict[str, int]:
    """How many of each kind a point could drop (MB-LP-03).

    `wound`, `bleeder`, `knockdown`, `k`, `o`, `k_or_o` (a K/O is one) and `shock` in lots; only
    those there are.
    """
    found = {
        "wound": damage.wounds,
        "bleeder": damage.bleeders,
        "knockdown": int(damage.knockdown),
        "k": int(damage.ko in ("K", "KO")),
        "o": int(damage.ko in ("O", "KO")),
        "k_or_o": int(damage.ko == "K/O"),
        "shock": -(-damage.shock // SHOCK_PER_WOUND),
    }
    return {what: number for what, number in found.items() if number}


def drop_packages(damage: Damage, chosen: Iterable[str], *, own: int = 0, cards: int = 0) -> Damage:
    """Without the chosen packages, for own points and cards (MB-LP-03).

    Impossible("mb-one-own-point", "mb-too-many-packages", "mb-no-such-package").
    """
    counted = Counter(chosen)
    if own > MOST_OWN_POINTS:
        raise Impossible("mb-one-own-point", most=MOST_OWN_POINTS)
    if counted.total() > PACKAGES_PER_POINT * (own + cards):
        raise Impossible("mb-too-many-packages", chosen=counted.total(), most=PACKAGES_PER_POINT)
    if not counted:
        return damage
    there = packages(damage)
    for what, number in counted.items():
        if number > there.get(what, 0):
            raise Impossible("mb-no-such-package", what=what, have=there.get(what, 0))
    letters = "".join([each for each in damage.ko if not counted[each.casefold()]])
    return Damage(
        wounds=damage.wounds - counted["wound"],
        knockdown=damage.knockdown and not counted["knockdown"],
        ko="" if counted["k_or_o"] else letters,
        shock=max(0, damage.shock - SHOCK_PER_WOUND * counted["shock"]),
        bleeders=damage.bleeders - counted["bleeder"],
    )
