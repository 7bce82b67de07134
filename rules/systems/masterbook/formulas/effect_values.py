"""Special effects in play: casting, feedback, travel, changes and time (MB-SFX-20 to -33)."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Final, Literal, NamedTuple

from rules.systems.masterbook.formulas.attack_options import concealment_bonus
from rules.systems.masterbook.formulas.effect_costs import extension_seconds
from rules.systems.masterbook.formulas.effect_worksheet import Figures
from rules.systems.masterbook.formulas.success_chart import Damage, damage_for_points, push
from rules.systems.masterbook.formulas.value_chart import ROUND_SECONDS, chart_value, measure

#: Resistance to feedback before it is read as damage: none, or the caster's Mind (MB-SFX-21).
FeedbackResist = Literal["none", "mind"]
#: Feedback of a casting that fails without a roll, or is broken off (MB-SFX-31).
AutomaticFeedback = Literal["full", "none"]
#: Column that turns result points over a mass into speed (MB-SFX-33).
SpeedRule = Literal["push", "direct_round"]
#: A day as a time value: a longer cast time takes twice as long (MB-SFX-20).
DAY_VALUE: Final = 25
#: Bonus for encouragement by a character that has seen through the illusion (MB-SFX-30).
ENCOURAGED: Final = 4
_HOUR: Final = 3600
#: Total with first aid or medicine that revives a character killed by an illusion (MB-SFX-30).
REVIVAL_DN: Final = 18


#: What an accurate effect goes around on its way: things smaller than its target, things of its
#: size, or a corner that hides the target (MB-SFX-S12).
Detour = Literal["smaller", "same_size", "corner"]
#: Bonus to hit from accuracy that each takes.
DETOURS: Final[dict[Detour, int]] = {"smaller": 1, "same_size": 3, "corner": 5}


class CastResult(NamedTuple):
    """The outcome of the roll of a casting (MB-SFX-20, MB-SFX-21)."""

    success: bool
    #: Result points over the difficulty; 0 on a failure.
    points: int
    #: Feedback that is left.
    feedback: int
    #: Result points above the feedback value, which raise the effect value.
    bonus: int


def remaining_feedback(points: int, feedback_value: int) -> int:
    """Return the feedback that result points leave; on a failure all of it (MB-SFX-21)."""
    return max(0, feedback_value - max(0, points))


def cast_result(total: int, figures: Figures, *, spoiled: bool = False) -> CastResult:
    """Compare the total of a casting with its figures (MB-SFX-20).

    After a failed concentration the casting is *spoiled*: the effect fails, and result points lower
    the feedback alone (MB-SFX-31).
    """
    success = total >= figures.dn and not spoiled
    points = max(0, total - figures.dn)
    bonus = max(0, points - figures.fv) if success else 0
    return CastResult(success, points, remaining_feedback(points, figures.fv), bonus)


def failed_result(figures: Figures, feedback: AutomaticFeedback) -> CastResult:
    """Return the result of a casting that fails without a roll, or is broken off (MB-SFX-31)."""
    return CastResult(False, 0, figures.fv if feedback == "full" else 0, 0)


def final_effect_value(chosen: int, bonus: int, from_cards: int = 0) -> int:
    """Return the effect value that takes hold (MB-SFX-20).

    *chosen* is the caster's choice within the band, *bonus* the surplus of the casting, and
    *from_cards* the bonus of cards.
    """
    return chosen + bonus + from_cards


def feedback_row(feedback: int, resist: FeedbackResist = "none", mind: int = 0) -> int | None:
    """Return the row of the Damage Column that feedback is read on; None for no damage.

    (MB-SFX-21)
    """
    if feedback <= 0:
        return None
    row = feedback - mind if resist == "mind" else feedback
    return None if row < 0 else row


def feedback_damage(feedback: int, resist: FeedbackResist = "none", mind: int = 0) -> Damage:
    """Return the damage of feedback to the caster; armor and Toughness never help (MB-SFX-21)."""
    row = feedback_row(feedback, resist, mind)
    return Damage() if row is None else damage_for_points(row)


def maintenance_figures(figures: Figures) -> Figures:
    """Return the figures for keeping up an effect that has just run out (MB-SFX-28)."""
    return Figures(ceil(Fraction(figures.dn, 3)), ceil(Fraction(figures.fv, 2)))


# --- time -----------------------------------------------------------------------------------------


def cast_seconds(cast_time_value: int) -> Fraction:
    """Return the seconds of casting: doubled if they are more than a day (MB-SFX-20)."""
    seconds = measure(cast_time_value)
    return 2 * seconds if cast_time_value > DAY_VALUE else seconds


def rounds_of(seconds: Fraction | int) -> int:
    """Return the rounds that a time takes, begun ones counted (MB-SFX-20, MB-SFX-26)."""
    return ceil(Fraction(seconds) / ROUND_SECONDS)


def duration_seconds(duration_value: int, extension: int = 0) -> Fraction:
    """Return the seconds that an effect lasts, with *extension* points chosen (MB-SFX-26)."""
    return measure(duration_value) + extension_seconds(extension)


class Travel(NamedTuple):
    """The way of a slow effect (MB-SFX-27)."""

    #: Value of the distance less that of the speed; below 0 for less than a second.
    value: int
    #: Seconds until it arrives, at least 1.
    seconds: Fraction
    #: Bonus to defenses for the time on the way.
    bonus: int


def travel(meters: Fraction, speed_value: int) -> Travel:
    """Return the way of an effect to a target at a distance (MB-SFX-27).

    Raises InvalidInput("mb-no-measure") for no distance at all.
    """
    value = chart_value(meters, "inclusive_up") - speed_value
    slowness = max(0, value)
    return Travel(value, measure(slowness), slowness)


def arrives(way: Travel, duration: Fraction) -> bool:
    """Return whether an effect reaches its target before its seconds are over (MB-SFX-27)."""
    return way.seconds <= duration


def stays_with(meters: Fraction | int, range_value: int, *, focused: bool) -> bool:
    """Return whether an effect stays with a target at this distance (MB-SFX-26).

    The distance counts from where the caster cast it. A focused effect ignores its range.
    """
    return focused or meters <= measure(range_value)


# --- effect values --------------------------------------------------------------------------------


def change_of_value(effect_value: int, value: int) -> int:
    """Return the change of a value by an effect; 0 if the effect value is below it (MB-SFX-24).

    The shock of the Push column does not count.
    """
    return push(effect_value - value).push


class Speed(NamedTuple):
    """Speed of a moved thing: a speed value, in meters a second or a round (MB-SFX-33)."""

    value: int
    per: Literal["second", "round"]


def carrying_speed(effect_value: int, mass_value: int, rule: SpeedRule = "push") -> Speed | None:
    """Return the speed of a moved mass; None if the effect cannot move it (MB-SFX-33)."""
    points = effect_value - mass_value
    if points < 0:
        return None
    return Speed(push(points).push, "second") if rule == "push" else Speed(points, "round")


def teleports(effect_value: int, mass_value: int) -> bool:
    """Return whether an effect takes a mass elsewhere: it must exceed it (MB-SFX-10)."""
    return effect_value > mass_value


def area_bonus_at(bonus: int, meters: int) -> int:
    """Return an area's bonus to hit at a distance from its central target (MB-SFX-22)."""
    return max(0, bonus - meters)


def detours_of(accuracy: int) -> tuple[Detour, ...]:
    """Return the detours of an effect with that bonus of accuracy (MB-SFX-S12)."""
    return tuple(detour for detour, needed in DETOURS.items() if needed <= accuracy)


def detour_concealment(detour: Detour | None) -> int:
    """Return the defense bonus of an unseen target; 0 for a target in view (MB-SFX-S12)."""
    return concealment_bonus("complete") if detour == "corner" else 0


# --- illusions ------------------------------------------------------------------------------------


def revival_seconds(intellect: int) -> int:
    """Return the seconds in which a victim of an illusion can be revived (MB-SFX-30).

    They are as many hours as the victim has Intellect.
    """
    return intellect * _HOUR


def is_revived(total: int, *, disbelieved: bool) -> bool:
    """Return whether a victim of an illusion comes back to life (MB-SFX-30).

    *total* is that of first aid or medicine; the victim has to disbelieve with the helper's words.
    """
    return disbelieved and total >= REVIVAL_DN
