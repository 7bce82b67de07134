"""The numbers and names of the dice pool, read once from `data/`.

Everything here is constant. Other modules of the system compute from these tables and hold no numbers of the
rules themselves, except where a rule is a formula. `CHART_DATA` and `TREE_DATA` are read by `wounds` and `traits`, as
a campaign's own are.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Final, TypedDict


class RawDie(TypedDict):
    """One die type as it stands in the file."""

    id: str
    sides: int
    add: int
    can_botch: bool


class _RawGoverning(TypedDict):
    phases: list[str]
    damage_add: str
    damage_subtract: str
    physical_threshold: str
    mental_threshold: str
    heal_physical: str
    heal_mental: str


class _Raw(TypedDict):
    dice: list[RawDie]
    standard: str
    degree_step: int
    total_per_add_die: int
    abort_cost: int
    governing: _RawGoverning


def _text(name: str) -> str:
    return files("rules.systems.barmore").joinpath(f"data/{name}.json").read_text(encoding="utf-8")


_RAW: Final[_Raw] = json.loads(_text("dice"))
_GOVERNING: Final = _RAW["governing"]

#: The die types, the standard one first (BAR-DIE).
DICE: Final = tuple(_RAW["dice"])
STANDARD_ID: Final = _RAW["standard"]
#: So many points above or below the Difficulty make one degree (BAR-ROLL).
DEGREE_STEP: Final = _RAW["degree_step"]
#: What each Add Die is worth when nothing is rolled (BAR-AUTO).
TOTAL_PER_ADD_DIE: Final = _RAW["total_per_add_die"]
#: Phases that it takes to break an action off (BAR-PHASE).
ABORT_COST: Final = _RAW["abort_cost"]

#: The attributes one of which shortens an action (BAR-PHASE).
PHASE_ATTRIBUTES: Final = tuple(_GOVERNING["phases"])
MUSCLE_POWER: Final = _GOVERNING["damage_add"]
TOUGHNESS: Final = _GOVERNING["damage_subtract"]
PHYSICAL_THRESHOLD: Final = _GOVERNING["physical_threshold"]
MENTAL_THRESHOLD: Final = _GOVERNING["mental_threshold"]
#: What governs the healing of Physical and of Mental Wounds (BAR-HEAL).
IMMUNE_SYSTEM: Final = _GOVERNING["heal_physical"]
STAMINA: Final = _GOVERNING["heal_mental"]
#: Every attribute that a rule names: a campaign's tree has to hold them all.
GOVERNING: Final = (
    *PHASE_ATTRIBUTES,
    MUSCLE_POWER,
    TOUGHNESS,
    PHYSICAL_THRESHOLD,
    MENTAL_THRESHOLD,
    IMMUNE_SYSTEM,
    STAMINA,
)

#: The chart and the trees that a campaign begins with: JSON objects.
CHART_DATA: Final[dict[str, object]] = json.loads(_text("chart"))
TREE_DATA: Final[dict[str, object]] = json.loads(_text("tree"))
