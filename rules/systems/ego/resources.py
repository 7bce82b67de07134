"""What is spent and comes back: Karma, experience, pools of power (EGO-KAR-01, EGO-KAR-05, EGO-EXP-01)."""

from __future__ import annotations

from typing import Final

from rules.core.errors import Impossible
from rules.systems.ego.fighters import AP
from rules.systems.ego.sheet import EgoSheet
from rules.table.events import Line
from rules.table.resources import Award, ByHand, Resource

_MOST: Final = 9999


#: The most Karma that one deed usually brings: more is given, and remarked on (EGO-KAR-05).
_DEED: Final = 2


def _points(key: str, *, award: bool = False, usual: int = _MOST) -> Resource[EgoSheet]:
    """Points that are a number of the sheet, set by hand, and given by the GM where there is an `award`.

    Above what is `usual` that is said.
    """

    def line(sheet: EgoSheet, before: EgoSheet | None = None) -> Line:
        shown = {"what": key, "points": getattr(sheet, key) or 0}
        return Line(
            "ego-set-points",
            shown if before is None else {**shown, "before": getattr(before, key) or 0, "done": True},
        )

    def given(name: str, points: int, sheet: EgoSheet) -> Line:
        shown = {"name": name, "what": key, "points": points, "now": getattr(sheet, key)}
        return Line("ego-awarded", {**shown, "usual": usual if points > usual else None})

    def read(sheet: EgoSheet) -> int:
        return getattr(sheet, key) or 0

    return Resource(
        key,
        of=read,
        put=lambda sheet, points: sheet.but(**{key: points}),
        high=_MOST,
        award=Award(Line("ego-award", {"what": key}), given) if award else None,
        by_hand=ByHand(line, lambda before, now: line(now, before)),
        short=lambda have, need: Impossible("ego-too-dear", what=key, have=have, need=need),
    )


KARMA: Final = _points("karma", award=True, usual=_DEED)
EXP: Final = _points("exp", award=True)
#: Of adventures, where the table keeps it apart (EGO-EXP-03).
SAVED: Final = _points("exp_saved", award=True)
_BY_HAND: Final = ("funds", "magic", "psionics", "lethal", "non_lethal")
RESOURCES: Final = (KARMA, EXP, SAVED, AP, *map(_points, _BY_HAND))
