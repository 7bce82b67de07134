"""Resources: Karma, experience and pools of power (EGO-KAR-01, EGO-KAR-05, EGO-EXP-01)."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from rules.systems.ego.character.combat_values import AP, body_of, with_body
from rules.systems.ego.character.sheet import EgoSheet
from rules.systems.ego.formulas.damage import with_derived_condition
from rules.table.resources import Words, sheet_resource

#: Most Karma that one deed usually brings; a higher award has a remark (EGO-KAR-05).
_DEED: Final = 2


def _fell(before: EgoSheet, now: EgoSheet) -> dict[str, Any]:
    return {"down": now.down, "was": before.down} if now.down != before.down else {}


_WORDS: Final = Words("ego-award", "ego-awarded", "ego-set-points", "ego-too-dear")
_points: Final = partial(sheet_resource, words=_WORDS, high=9999, besides=_fell)


def _hurt(sheet: EgoSheet) -> EgoSheet:
    return with_body(sheet, with_derived_condition(body_of(sheet)))


RESOURCES: Final = (
    _points("karma", usual=_DEED),
    _points("exp", grows=True, reserve=False),
    # Of adventures, where the table keeps it apart (EGO-EXP-03).
    _points("exp_saved", grows=True, reserve=False),
    AP,
    *[_points(key, award=False, reserve=False) for key in ("funds", "magic", "psionics")],
    *[_points(key, award=False, reserve=False, after=_hurt) for key in ("lethal", "non_lethal")],
)
