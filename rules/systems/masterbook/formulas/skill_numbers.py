"""Numbers of single skills: hiding and finding, knowledge, minds, special effects.

MB-SKILL-CAMOUFLAGE to MB-SKILL-WILLPOWER. *rank* is that of a General Success level, 0 for a
failure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from rules.core.data_rows import rows_by_key
from rules.core.record import Record
from rules.systems.masterbook.formulas import success_chart, value_chart
from rules.systems.masterbook.formulas.skills import (
    CHARTS,
    ENVIRONMENTS,
    SKILLS,
    read_off,
    rows_modifier,
)

#: Difference of a disguise's difficulties for watchers who know the person and for strangers, and
#: what disguising another character adds (MB-SKILL-DISGUISE).
STRANGER, OTHER_WEARER = 8, 2
#: Numbers of a trance: 22 less the Mind of a willing subject; 8 above what an unwilling subject
#: resists with (MB-SKILL-HYPNOTISM).
WILLING, UNWILLING = 22, 8
#: Adds that a scholar loses at work as a scientist (MB-SKILL-SCHOLAR).
SCHOLAR_AS_SCIENCE = 2
#: Names of environments (MB-SKILL-SURVIVAL).
PLACES: Final = frozenset(
    [name for pair in ENVIRONMENTS for name in (pair.one, pair.other) if name]
)

# --- hiding and finding ---------------------------------------------------------------------------


def size_values(meters: Sequence[value_chart.Number]) -> tuple[int, ...]:
    """Return the values of an object's length, width and height, 0 at least.

    They are those of whole measures (MB-SKILL-CAMOUFLAGE).
    """
    return tuple(max(0, value_chart.chart_value(side, "inclusive_up")) for side in meters)


def spot_number(points: int, conditions: int = 0) -> int | None:
    """Return the difficulty to spot what is hidden; None if hiding failed (MB-SKILL-CAMOUFLAGE).

    *conditions* are below 0 where they help hiding.
    """
    return points - conditions if points >= 0 else None


def stealth_difficulty(perceptions: Sequence[int], watchers: int) -> int:
    """Return the difficulty of getting past several watchers at once (MB-SKILL-STEALTH).

    The sharpest watcher counts. *watchers* is what their number adds (MB-CBN-01).
    """
    return max(perceptions) + watchers


def trail_levels(rank: int) -> int:
    """Return the levels above minimal with which a trail was hidden (MB-SKILL-TRACKING)."""
    return max(0, rank - 1)


def hidden_trail(stealth: int, survival: int) -> tuple[str, int]:
    """Return the row of tracking for a hidden trail, and its number (MB-SKILL-TRACKING).

    *stealth* and *survival* are the quarry's ranks; the better of both counts.
    """
    levels = {
        "quarry_stealth": trail_levels(stealth),
        "quarry_survival": trail_levels(survival),
    }
    row = max(levels, key=lambda row_id: rows_modifier("Tracking", [row_id], levels))
    return row, levels[row]


def tracked_count(persons: int, first_counts: bool = True) -> int:
    """Return the number of tracked characters who make it easier (MB-SKILL-TRACKING).

    *first_counts* is the setting `track_first_person_counts`.
    """
    return persons if first_counts else max(0, persons - 1)


def disguise_base(other: bool = False) -> int:
    """Return the base difficulty of a disguise, for oneself or for *other* characters.

    (MB-SKILL-DISGUISE)
    """
    base = SKILLS["Disguise"].base or 0
    return base + OTHER_WEARER if other else base


def stranger_difficulty(number: int) -> int:
    """Return the difficulty of a disguise for watchers who don't know the person."""
    return number - STRANGER


def is_disguise_detected(disguise: int, perception: int) -> bool:
    """Return whether a second look sees through a disguise, by the totals of both."""
    return perception > disguise


def is_wearer_recognized(disguise: int, perception: int, rank: int) -> bool:
    """Return whether a second look recognizes the wearer: at the disguise's rank or above."""
    if not is_disguise_detected(disguise, perception):
        return False
    return success_chart.rank(perception - disguise) >= rank


# --- knowledge ------------------------------------------------------------------------------------


def wrecking_damage(toughness: int, wounds: int) -> int:
    """Return the damage total that gives an object that number of wounds (MB-SKILL-DEMOLITIONS)."""
    row = read_off(CHARTS["demolitions_required_damage"].rows, wounds)
    assert row is not None and row.modifier is not None, "1 wound at least"
    return toughness + row.modifier


def packing_difficulty(value: int) -> int:
    """Return the difficulty of getting more out of an explosive of a damage value.

    (MB-SKILL-DEMOLITIONS)
    """
    return -(-value // 2)


def packed_damage_value(value: int, points: int) -> int:
    """Return the damage value of an explosive after that (MB-SKILL-DEMOLITIONS).

    The shock of the push doesn't count.
    """
    return value + success_chart.push(points).push


def trance_difficulty(mind: int, willing: bool, willpower: int = 0) -> int:
    """Return the difficulty of putting a subject into a trance (MB-SKILL-HYPNOTISM)."""
    return WILLING - mind if willing else max(mind, willpower) + UNWILLING


#: Divisors of adds in teaching, by the relation of the subject to what is taught.
TEACHING: Final = {"exact": 1, "related": 2, "unrelated": 4}


def teaching_adds(adds: int, relation: str) -> int:
    """Return the adds in teaching that count for a subject of this relation.

    (MB-SKILL-TEACHING)
    """
    return adds // TEACHING[relation]


def may_teach(effective: int, subject_adds: int, student_adds: int) -> bool:
    """Return whether a teacher with such adds can teach a student the next one.

    *effective* are the `teaching_adds` (MB-SKILL-TEACHING).
    """
    return subject_adds >= 1 and student_adds < effective


def science_value(mind: int, adds: int) -> tuple[int, bool]:
    """Return the value of a scholar who works as a scientist, and whether that is possible.

    (MB-SKILL-SCHOLAR)
    """
    usable = max(0, adds - SCHOLAR_AS_SCIENCE)
    return mind + usable, usable > 0


def environment_relation(focus: str, place: str) -> str | None:
    """Return the relation of a place to the environment that a character knows.

    None if the GM has to say it (MB-SKILL-SURVIVAL).
    """
    if focus == place:
        return "focus"
    relations = {frozenset((pair.one, pair.other)): pair.relation for pair in ENVIRONMENTS}
    # A pair of its own goes before the relation of one of them to all others.
    for pair in ((focus, place), (focus, ""), (place, "")):
        if frozenset(pair) in relations:
            return relations[frozenset(pair)]
    return None


def usable_adds(adds: int, relation: str) -> int:
    """Return the adds in survival that count in a place of this relation (MB-SKILL-SURVIVAL)."""
    row = rows_by_key(CHARTS["survival_environment"].rows, "id")[relation]
    return max(0, adds + (row.modifier or 0))


# --- minds ----------------------------------------------------------------------------------------


class Resisting(Record):
    """Value that resists a mental attack."""

    value: int
    #: Skill that it uses; `alt` is the Attribute alone.
    uses: Literal["willpower", "faith", "alt"]
    trained: bool


def best_resistance(
    confidence: int, willpower: int, alt: int, faith: int | None = None
) -> Resisting:
    """Return the best value that resists a mental attack (MB-SKILL-WILLPOWER, MB-SKILL-FAITH).

    *willpower* are its adds, *alt* is the Attribute that may resist instead. *faith* are its adds
    if the attack is contrary to the character's faith.
    """
    best = Resisting(alt, "alt", False)
    if willpower > 0 and confidence + willpower >= alt:
        best = Resisting(confidence + willpower, "willpower", True)
    if faith is not None and confidence + faith > best.value:
        best = Resisting(confidence + faith, "faith", faith > 0)
    return best


# --- special effects ------------------------------------------------------------------------------


class Backlash(Record):
    """Result of a special effects skill (MB-SKILL-SFX)."""

    #: Feedback that is left.
    feedback: int
    #: Result points above the feedback, which strengthen the effect.
    bonus: int


def backlash(points: int, feedback: int) -> Backlash:
    """Return the feedback and the bonus of result points (MB-SKILL-SFX).

    The points work off the feedback first. On a failure all of it stays.
    """
    reached = max(0, points)
    return Backlash(max(0, feedback - reached), max(0, reached - feedback))


def can_summon(effect: int, mass: int, bonus: int = 0) -> bool:
    """Return whether a summoning brings something of a mass value (MB-SKILL-SUMMONING)."""
    return effect > mass + bonus
