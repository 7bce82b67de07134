"""What is spent and comes back: Karma, experience, pools of power (EGO-KAR-01, EGO-KAR-05, EGO-EXP-01)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from rules.core.errors import Impossible
from rules.systems.ego.fighters import AP, body_of, with_body
from rules.systems.ego.harm import by_hand
from rules.systems.ego.sheet import EgoSheet
from rules.table.events import Line
from rules.table.resources import Award, ByHand, Resource

_MOST: Final = 9999


#: The most Karma that one deed usually brings: more is given, and remarked on (EGO-KAR-05).
_DEED: Final = 2


def _points(
    key: str,
    *,
    award: bool = False,
    grows: bool = False,
    usual: int = _MOST,
    put: Callable[[EgoSheet], EgoSheet] = lambda sheet: sheet,
) -> Resource[EgoSheet]:
    """Points that are a number of the sheet, set by hand, and given by the GM where there is an `award`.

    Above what is `usual` that is said. `put` draws what follows from the number.
    """

    def read(sheet: EgoSheet) -> int:
        return getattr(sheet, key) or 0

    def line(sheet: EgoSheet, before: EgoSheet | None = None) -> Line:
        shown: dict[str, Any] = {"what": key, "points": read(sheet)}
        if before is not None:
            fell = {"down": sheet.down, "was": before.down} if sheet.down != before.down else {}
            shown |= {"before": read(before), "done": True, **fell}
        return Line("ego-set-points", shown)

    def given(name: str, points: int, sheet: EgoSheet) -> Line:
        more = {"now": read(sheet), "usual": usual if points > usual else None}
        return Line("ego-awarded", {"name": name, "what": key, "points": points, **more})

    return Resource(
        key,
        of=read,
        put=lambda sheet, points: put(sheet.but(**{key: points})),
        high=_MOST,
        award=Award(Line("ego-award", {"what": key}), given, grows) if award else None,
        by_hand=ByHand(line, lambda before, now: line(now, before)),
        short=lambda have, need: Impossible("ego-too-dear", what=key, have=have, need=need),
    )


def _hurt(sheet: EgoSheet) -> EgoSheet:
    return with_body(sheet, by_hand(body_of(sheet)))


RESOURCES: Final = (
    _points("karma", award=True, usual=_DEED),
    _points("exp", award=True, grows=True),
    # Of adventures, where the table keeps it apart (EGO-EXP-03).
    _points("exp_saved", award=True, grows=True),
    AP,
    *map(_points, ("funds", "magic", "psionics")),
    *[_points(key, put=_hurt) for key in ("lethal", "non_lethal")],
)
