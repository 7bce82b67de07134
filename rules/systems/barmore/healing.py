"""How Wounds heal with the story's time (BAR-HEAL).

Decisions where the rules leave room:
- The share of the healing that is done is kept, not the time: when the attribute, the care or the activity changes,
  what has healed stays healed and the rest goes on at the new rate.
- Medical attention is a factor of speed: with 2 a Wound heals in half the time.
- "slower" takes the days of the chart's next row; a Wound in the last row keeps its own.
- A Wound costs its whole penalty until it is healed.
- When the story's time is set back nothing heals and nothing is undone.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import Final

from rules.systems.barmore.wounds import DEFAULT_CHART, Chart, Wound, row_days

MINUTES_A_DAY: Final = 24 * 60


def healing_time(base: int | Fraction, attribute: int) -> Fraction:
    """How long a Wound takes, in the unit of `base` (>= 0), exactly (BAR-HEAL).

    Divided by a positive attribute, multiplied by what a negative one is below 0; +1, 0 and -1 change nothing.
    """
    return Fraction(base) / attribute if attribute > 0 else Fraction(base) * max(1, -attribute)


def _days(wound: Wound, chart: Chart) -> int:
    """Days for an attribute of 0, by how its owner lives."""
    if wound.activity != "slower":
        return wound.base_days
    harder = [row for row in chart.rows if row.from_ > wound.degree]
    return max(wound.base_days, row_days(harder[0], wound.kind)) if harder else wound.base_days


def time_left(wound: Wound, attribute: int, chart: Chart = DEFAULT_CHART) -> Fraction | None:
    """Minutes from `as_of` until the Wound is healed, at the present rate; None when it does not heal (BAR-HEAL).

    `attribute` governs this kind of Wound: Immune System for physical, Stamina for mental ones.
    """
    if wound.activity == "stopped" or not wound.stabilised or wound.factor <= 0:
        return None
    whole = healing_time(_days(wound, chart) * MINUTES_A_DAY, attribute) / wound.factor
    return whole * max(Fraction(0), 1 - wound.healed)


def healed_at(wound: Wound, attribute: int, chart: Chart = DEFAULT_CHART) -> int | None:
    """The first whole minute of the story at which the Wound is healed; None when it does not heal (BAR-HEAL)."""
    left = time_left(wound, attribute, chart)
    return None if left is None else wound.as_of + ceil(left)


def heal_until(wound: Wound, attribute: int, now_minute: int, chart: Chart = DEFAULT_CHART) -> Wound | None:
    """The Wound at a later minute of the story, None when it is healed by then (BAR-HEAL)."""
    passed, left = now_minute - wound.as_of, time_left(wound, attribute, chart)
    if left is not None and passed >= left:
        return None
    if passed <= 0:
        return wound
    healed = wound.healed if left is None else wound.healed + passed * (1 - wound.healed) / left
    return replace(wound, as_of=now_minute, healed=healed)
