"""What is spent and comes back: Life Points and skill points (MB-LP-01, MB-LP-06)."""

from __future__ import annotations

from typing import Final

from rules.core.errors import Impossible
from rules.systems.masterbook.sheet import LIFE_POINTS_MOST, MasterbookSheet
from rules.table.events import Line
from rules.table.resources import Award, ByHand, Resource


def _points(key: str, high: int) -> Resource[MasterbookSheet]:
    """Points that are a number of the sheet, set by hand and given by the GM."""

    def line(sheet: MasterbookSheet, before: MasterbookSheet | None = None) -> Line:
        shown = {"what": key, "points": getattr(sheet, key)}
        return Line(
            "mb-set-points",
            shown if before is None else {**shown, "before": getattr(before, key), "done": True},
        )

    def given(name: str, points: int, sheet: MasterbookSheet) -> Line:
        return Line("mb-awarded", {"name": name, "what": key, "points": points, "now": getattr(sheet, key)})

    def read(sheet: MasterbookSheet) -> int:
        return getattr(sheet, key)

    return Resource(
        key,
        of=read,
        put=lambda sheet, points: sheet.but(**{key: points}),
        high=high,
        award=Award(Line("mb-award", {"what": key}), given, grows=key == "skill_points"),
        by_hand=ByHand(line, lambda before, now: line(now, before)),
        spills=True,
        short=lambda have, need: Impossible("mb-not-enough", what=key, have=have, need=need),
    )


LIFE_POINTS: Final = _points("life_points", LIFE_POINTS_MOST)
SKILL_POINTS: Final = _points("skill_points", 9999)
RESOURCES: Final = (LIFE_POINTS, SKILL_POINTS)
