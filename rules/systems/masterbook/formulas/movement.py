"""Moving, pushing, lifting, and what single skills do with their numbers.

MB-MOV, MB-PSH, MB-LIFT, MB-SKILL-ACROBATICS to MB-SKILL-WILLPOWER.

Plain numbers everywhere: `points` are result points, negative on a failure; `rank` is that of a
General Success level, 0 for a failure; lengths are in meters.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, Literal

from rules.core.data_rows import rows_by_key
from rules.core.record import Record
from rules.systems.masterbook.formulas import success_chart, value_chart
from rules.systems.masterbook.formulas.reference_rows import PUSHES
from rules.systems.masterbook.formulas.skills import (
    CHARTS,
    ENVIRONMENTS,
    SKILLS,
    read_off,
    rows_modifier,
)
from rules.systems.masterbook.formulas.success_chart import Push
from rules.systems.masterbook.formulas.value_chart import measure

#: Meters of a value that are free, and those of an inch on a map (MB-MOV-01).
_FREE, INCH = 2, 2
#: By how much less than Strength somebody lifts without a roll, and the most that anybody lifts
#: (MB-LIFT-01).
_EASY, _HEAVIEST = 3, 14


def free_meters(rate: int) -> int:
    """The meters on the ground that cost no action (MB-MOV-01)."""
    return _FREE * rate


def meters_in_a_round(rate: int, *, ground: bool = True) -> Fraction:
    """The meters that take an action and no roll; on the ground never fewer than what is free
    (MB-MOV-02).
    """
    return max(measure(rate), Fraction(free_meters(rate))) if ground else measure(rate)


def push_difficulty(skill: str, rate: int, *, base: int | None = None) -> int:
    """What a push goes against, without modifiers: the rate, or a `base` such as a surface to climb
    (MB-PSH-01).
    """
    harder = PUSHES[skill].more if skill in PUSHES else 0
    return (rate if base is None else base) + harder


class PushResult(Record):
    """What pushing came to: its result and shock, the meters of the round, and what went wrong.

    `points` None on a failure. `trouble` is fall, drowning, or no_progress where nothing was gained
    at all.
    """

    points: int | None = None
    push: int = 0
    shock: int = 0
    meters: Fraction = Fraction(0)
    trouble: str = ""


def limit_push(push: Push) -> Push:
    """A push given up in part for half of its shock, where the table plays so (MB-PSH-02)."""
    return Push(push.push - 1, -(-push.shock // 2))


def resolve_push(
    skill: str, points: int, rate: int, *, realistic: bool = False, limit: bool = False
) -> PushResult:
    """A round of pushing with these result points (MB-PSH-01); `limit` gives some of it up
    (MB-PSH-02).

    A skill uses no more points than its limit where the table plays so: `realistic`.
    """
    kind, plain = PUSHES.get(skill), measure(rate)
    if points >= 0:
        most = kind.limit if kind is not None and realistic else None
        points = points if most is None else min(points, most)
        found = success_chart.push(points)
        if limit:
            found = limit_push(found)
        return PushResult(points, found.push, found.shock, plain + measure(found.push))
    wrong = trouble(skill, points)
    usual = kind is None or kind.usual
    shock = kind.shock if kind is not None and wrong == kind.trouble else 0
    far = meters_in_a_round(
        rate, ground=skill == "Running"
    )  # no less far than without a push (MB-MOV-02)
    return PushResult(None, 0, shock, far if usual else Fraction(0), wrong)


def trouble(skill: str, points: int) -> str:
    """What goes wrong when somebody fails at moving (MB-MOV-03): fall, drowning, no_progress, or
    nothing.
    """
    kind = PUSHES.get(skill)
    if kind is None or points >= 0:
        return ""
    if kind.missed_by is not None and -points >= kind.missed_by:
        return kind.trouble
    return "" if kind.usual else "no_progress"


def lift_capacity(strength: int) -> int:
    """The value of what somebody lifts without a roll (MB-LIFT-01)."""
    return strength - _EASY


class Lift(Record):
    """What a roll to lift came to: the value it reached, whether that was enough, and what
    it cost.
    """

    reached: int
    lifted: bool
    push: int = 0
    shock: int = 0


def limited_lift(reached: int, *, realistic: bool) -> int:
    """The value that is lifted, limited where the table plays so (MB-LIFT-01)."""
    return min(reached, _HEAVIEST) if realistic else reached


def resolve_lift(
    reached: int, mass: int, points: int, *, realistic: bool = False, limit: bool = False
) -> Lift:
    """A try at a mass value by its result points, from what somebody had `reached` before
    (MB-LIFT-01, MB-LIFT-02).

    That is their capacity, or where the last action had pushed it.
    """
    push = success_chart.push(points)
    if limit and points >= 0:
        push = limit_push(push)
    found = limited_lift(reached + push.push, realistic=realistic)
    return Lift(found, found >= mass, push.push, push.shock)


# --- numbers of skills ----------------------------------------------------------------------------

#: What two watchers of a disguise differ by, and what altering somebody else adds
#: (MB-SKILL-DISGUISE).
STRANGER, OTHER_WEARER = 8, 2
#: A climber who takes care gets this far (MB-SKILL-CLIMBING).
CAREFUL_METERS = 1
#: Under water, each round (MB-SKILL-SWIMMING).
DROWNING_SHOCK, HARDER_EACH_ROUND = 2, 2
#: Shock of running on and on, each round (MB-SKILL-RUNNING).
WINDED_SHOCK = 2
#: A trance: 22 less the willing subject's Mind; 8 more than what resists (MB-SKILL-HYPNOTISM).
WILLING, UNWILLING = 22, 8
SCHOLAR_AS_SCIENCE = 2
#: Environments by name (MB-SKILL-SURVIVAL).
PLACES: Final = frozenset(
    [name for each in ENVIRONMENTS for name in (each.one, each.other) if name]
)

# --- moving ---------------------------------------------------------------------------------------


def cushioned_points(points: int, rank: int) -> int:
    """The damage points of a fall after acrobatics; below 0 there is no damage
    (MB-SKILL-ACROBATICS).
    """
    return points - rank


def meters_without_push(points: int, rate: int) -> Fraction:
    """Meters swum or jumped without a push, where a roll is called for (MB-SKILL-SWIMMING)."""
    return value_chart.measure(rate) if points >= 0 else Fraction(0)


def climb_without_push(points: int, rate: int, careful: bool = False) -> tuple[Fraction, str]:
    """Meters climbed without a push, and what goes wrong: a fall, no_progress
    (MB-SKILL-CLIMBING).
    """
    careful = careful and points >= 0
    return Fraction(CAREFUL_METERS) if careful else meters_without_push(points, rate), trouble(
        "Climbing", points
    )


def running_shock(rounds: int, endurance: int, long_distances: int = 0) -> int:
    """Shock of this round at a full run, the first being 1; adds for long distances hold it off
    (MB-SKILL-RUNNING).
    """
    return WINDED_SHOCK if rounds > endurance + long_distances else 0


class Drowning(Record):
    """Somebody under water: the `dn` that was missed, rounds since; `count` those after passing
    out.
    """

    dn: int
    rounds: int = 0
    count: int | None = None

    @property
    def number(self) -> int:
        """What has to be reached this round to come up."""
        return self.dn + HARDER_EACH_ROUND * (self.rounds + 1)


class DrowningRound(Record):
    """A round under water: how it goes on, None for somebody who came up; the shock it brings; the
    end.
    """

    state: Drowning | None
    shock: int = 0
    died: bool = False


def is_sinking(points: int, breathes_water: bool = False) -> bool:
    """Whether a swimmer goes under, which costs shock at once (MB-SKILL-SWIMMING)."""
    return resolve_push("Swimming", points, 0).trouble == "drowning" and not breathes_water


def resolve_drowning_round(
    state: Drowning, total: int | None, shock: int, capacity: int, endurance: int
) -> DrowningRound:
    """Another round under water; no `total` for somebody unconscious, who has this much `shock`
    before it.
    """
    if state.count is None and total is not None and total >= state.number:
        return DrowningRound(None)
    if state.count is None:
        count = 0 if shock + DROWNING_SHOCK >= capacity else None
        return DrowningRound(state.replace(rounds=state.rounds + 1, count=count), DROWNING_SHOCK)
    count = state.count + 1
    return DrowningRound(state.replace(rounds=state.rounds + 1, count=count), 1, count >= endurance)


def vehicle_meters(speed: int, points: int) -> Fraction:
    """Meters of a vehicle in a round in which it was pushed (MB-SKILL-VEHICLE-PILOTING).

    The result points are read as a value by themselves.
    """
    return value_chart.measure(speed) + meters_without_push(points, points)


def chase_gap(gap: int, meters: Fraction, rival: int, *, flees: bool) -> int:
    """The meters between two vehicles after a round, the other as fast as this value; 0 once one
    has caught up.
    """
    gained = meters - value_chart.measure(rival)
    return max(0, round(gap + gained if flees else gap - gained))


# --- hiding and finding ---------------------------------------------------------------------------


def size_values(meters: Sequence[value_chart.Number]) -> tuple[int, ...]:
    """The values of an object's length, width and height: whole measures, 0 at least
    (MB-SKILL-CAMOUFLAGE).
    """
    return tuple([max(0, value_chart.chart_value(each, "inclusive_up")) for each in meters])


def spot_number(points: int, conditions: int = 0) -> int | None:
    """The difficulty to spot what is hidden, None where it is not; what helps hiding is below 0 in
    `conditions`.
    """
    return points - conditions if points >= 0 else None


def stealth_difficulty(perceptions: Sequence[int], watchers: int) -> int:
    """The difficulty of getting past so many watchers at once: that of the sharpest
    (MB-SKILL-STEALTH).

    `watchers` is what their number adds (MB-CBN-01).
    """
    return max(perceptions) + watchers


def trail_levels(rank: int) -> int:
    """Levels above minimal with which somebody has hidden their trail (MB-SKILL-TRACKING)."""
    return max(0, rank - 1)


def hidden_trail(stealth: int, survival: int) -> tuple[str, int]:
    """The row of tracking for a hidden trail, and its number: the better of both, by ranks
    (MB-SKILL-TRACKING).
    """
    ranks = {"quarry_stealth": trail_levels(stealth), "quarry_survival": trail_levels(survival)}
    row = max(ranks, key=lambda each: rows_modifier("Tracking", [each], ranks))
    return row, ranks[row]


def tracked_count(persons: int, first_counts: bool = True) -> int:
    """How many of those tracked make it easier; `first_counts` is `track_first_person_counts`."""
    return persons if first_counts else max(0, persons - 1)


def disguise_base(other: bool = False) -> int:
    """What the difficulty of a disguise begins from, for oneself or for somebody `other`."""
    return (SKILLS["Disguise"].base or 0) + (OTHER_WEARER if other else 0)


def stranger_difficulty(number: int) -> int:
    """The difficulty of a disguise for those who do not know whom it shows."""
    return number - STRANGER


def is_disguise_detected(disguise: int, perception: int) -> bool:
    """Whether a second look sees through a disguise, by the totals of both."""
    return perception > disguise


def is_wearer_recognized(disguise: int, perception: int, rank: int) -> bool:
    """Whether it makes out the real looks too: at a level as good as the disguise's `rank`."""
    return (
        is_disguise_detected(disguise, perception)
        and success_chart.rank(perception - disguise) >= rank
    )


# --- knowing --------------------------------------------------------------------------------------


def wrecking_damage(toughness: int, wounds: int) -> int:
    """The damage total that gives an object so many wounds (MB-SKILL-DEMOLITIONS)."""
    row = read_off(CHARTS["demolitions_required_damage"].rows, wounds)
    assert row is not None and row.modifier is not None, "1 wound at least"
    return toughness + row.modifier


def packing_difficulty(value: int) -> int:
    """The difficulty of getting more out of an explosive of this damage value."""
    return -(-value // 2)


def packed_damage_value(value: int, points: int) -> int:
    """Its damage value then; the shock of such a push does not count."""
    return value + success_chart.push(points).push


def trance_difficulty(mind: int, willing: bool, willpower: int = 0) -> int:
    """The difficulty of putting somebody into a trance (MB-SKILL-HYPNOTISM)."""
    return WILLING - mind if willing else max(mind, willpower) + UNWILLING


#: By what adds in teaching are divided, by how near a subject is to what one teaches.
TEACHING: Final = {"exact": 1, "related": 2, "unrelated": 4}


def teaching_adds(adds: int, relation: str) -> int:
    """Adds that count for a subject so near to what one teaches (MB-SKILL-TEACHING)."""
    return adds // TEACHING[relation]


def may_teach(effective: int, subject_adds: int, student_adds: int) -> bool:
    """Whether somebody with such adds can teach a student the next one."""
    return subject_adds >= 1 and student_adds < effective


def science_value(mind: int, adds: int) -> tuple[int, bool]:
    """The value of a scholar who works as a scientist, and whether that is possible
    (MB-SKILL-SCHOLAR).
    """
    usable = max(0, adds - SCHOLAR_AS_SCIENCE)
    return mind + usable, usable > 0


def environment_relation(focus: str, place: str) -> str | None:
    """How near a place is to the environment that one knows; None where the game master has
    to say.
    """
    if focus == place:
        return "focus"
    pairs = {frozenset((each.one, each.other)): each.relation for each in ENVIRONMENTS}
    near = [frozenset(each) for each in ((focus, place), (focus, ""), (place, ""))]
    return next((pairs[each] for each in near if each in pairs), None)


def usable_adds(adds: int, relation: str) -> int:
    """Adds in survival that count so far from the environment that one knows
    (MB-SKILL-SURVIVAL).
    """
    row = rows_by_key(CHARTS["survival_environment"].rows, "id")[relation]
    return max(0, adds + (row.modifier or 0))


# --- minds ----------------------------------------------------------------------------------------


class Resisting(Record):
    """The value somebody resists with, by which skill; `alt` is the Attribute alone."""

    value: int
    uses: Literal["willpower", "faith", "alt"]
    trained: bool


def best_resistance(
    confidence: int, willpower: int, alt: int, faith: int | None = None
) -> Resisting:
    """What resists a mental attack: `willpower` are its adds, `alt` the Attribute named beside it.

    `faith` are adds in it where the attack is contrary to one's faith (MB-SKILL-WILLPOWER,
    MB-SKILL-FAITH).
    """
    best = Resisting(alt, "alt", False)
    if willpower > 0 and confidence + willpower >= alt:
        best = Resisting(confidence + willpower, "willpower", True)
    if faith is not None and confidence + faith > best.value:
        best = Resisting(confidence + faith, "faith", faith > 0)
    return best


# --- special effects ------------------------------------------------------------------------------


class Backlash(Record):
    """What a special effect leaves of its feedback, and by how much more it works
    (MB-SKILL-SFX).
    """

    feedback: int
    bonus: int


def backlash(points: int, feedback: int) -> Backlash:
    """Result points work off the feedback first; on a failure all of it hits."""
    reached = max(0, points)
    return Backlash(max(0, feedback - reached), max(0, reached - feedback))


def can_summon(effect: int, mass: int, bonus: int = 0) -> bool:
    """Whether a summoning brings something of this mass value here (MB-SKILL-SUMMONING)."""
    return effect > mass + bonus
