"""What `with` may hold: short words that are a part of a plan (EBB-PROPOSAL, EBB-DRAWBACK, EBB-INJURY, EBB-LUCK)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from operator import attrgetter
from typing import Final

from rules.core.errors import InvalidInput, RulesError
from rules.systems.ebb.difficulty import SHIFTS, Plan, shifts_in
from rules.systems.ebb.sheet import find_attribute
from rules.systems.ebb.tables import ATTRIBUTES, LEVEL_STEP
from rules.table.events import Line
from rules.table.forms import Asking, Flag, Form, Number, Pick, as_written

#: How many levels are offered.
_OFFERED: Final = 3


#: What else holds of a task, by the fields of a plan in the order in which they are told.
_CONDITIONS: Final = ("specialist", "specialist_luck", "urgent", "luck")
_conditions: Final[Callable[[Plan], tuple[bool | str, ...]]] = attrgetter(*_CONDITIONS)


def _line(key: str, number: int, *, offered: bool) -> Line:
    """What one of them does, as a menu offers it or as it is told."""
    return Line("ebb-shift", {"what": key, "levels": SHIFTS[key] * number, "offered": offered})


def shift_lines(plan: Plan, *, in_points: bool = False) -> tuple[Line, ...]:
    """Every adjustment that is in force (EBB-PROPOSAL); `in_points` where there is no threshold to shift."""
    return _lines(shifts_in(plan), plan.modifier, _conditions(plan), in_points)


@lru_cache(maxsize=1024)
def _lines(
    shifts: tuple[int, ...], modifier: int, conditions: tuple[bool | str, ...], in_points: bool
) -> tuple[Line, ...]:
    numbers = zip(SHIFTS, shifts, strict=True)
    found = [_line(key, number, offered=False) for key, number in numbers if number]
    if found and in_points:
        found.append(Line("ebb-points", {"points": LEVEL_STEP, "each": True}))
    if modifier:
        found.append(Line("ebb-points", {"points": modifier}))
    said = zip(_CONDITIONS, conditions, strict=True)
    return (*found, *[Line("ebb-condition", {"what": key, "name": each}) for key, each in said if each])


def _says(key: str) -> Callable[[int], Line]:
    return lambda levels: _line(key, levels, offered=True)


def _topic(key: str) -> Line:
    return Line("ebb-topic", {"easier": SHIFTS[key] < 0})


def _flag(key: str) -> Flag:
    return Flag(key, label=_says(key)(1), topic=_topic(key))


def _levels(key: str, most: int) -> Number:
    offered = tuple(range(1, min(most, _OFFERED) + 1))
    return Number(key, low=1, high=most, offered=offered, label=_says(key), topic=_topic(key))


ASK: Final = Form.of(
    _levels("dilemma", 9),
    _levels("flaw", 2),
    _flag("drawback"),
    _flag("injured"),
    _flag("superior"),
    _levels("missing-tools", 9),
)


def _gm_gives_that(asking: Asking, word: str) -> RulesError:
    admitted = [option.value for option in ASK.offers()]
    easier = [key for key, harder in SHIFTS.items() if harder < 0]
    allowed = tuple(value for value in admitted if value.partition(":")[0] not in easier)
    return InvalidInput("gm-gives-that", field="with", value=word, allowed=allowed)


#: What the defending side may have to admit; what helps it the GM gives as a bonus (EBB-OPPOSED).
DEFENCE: Final = Form(
    tuple(replace(field, unless=_gm_gives_that) if SHIFTS[field.key] < 0 else field for field in ASK.fields)
)
#: `luck` is the attribute the GM finds most relevant for a sacrifice (EBB-LUCK).
RULE: Final = Form.of(
    *ASK.fields,
    *(
        Flag(key, label=Line("ebb-condition", {"what": key.replace("-", "_"), "offered": True}))
        for key in ("specialist", "specialist-luck", "urgent")
    ),
    Pick(
        "luck",
        title=Line("ebb-luck", {"what": "costs"}),
        nothing=Line("ebb-luck", {"what": "usual"}),
        among=as_written(ATTRIBUTES),
        find=lambda asking, text: find_attribute(text),
    ),
)
