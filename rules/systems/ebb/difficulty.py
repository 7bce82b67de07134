"""Difficulties: levels, shifts between them, and what makes a task easier, harder or impossible.

EBB-LADDER, EBB-SHIFT; EBB-PROPOSAL, EBB-DRAWBACK, EBB-INJURY and EBB-SPECIALIST as far as they
concern the difficulty. The GM decides which of them apply. This module reads and adds them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches
from functools import lru_cache
from operator import attrgetter, mul
from typing import Final

from rules.core.errors import InvalidInput, RulesError
from rules.core.record import Record
from rules.systems.ebb.ability_lines import find_attribute
from rules.systems.ebb.reference_rows import ATTRIBUTES, FLOOR, LADDER, LEVEL_STEP
from rules.systems.ebb.sheet import LONGEST_ENTRY
from rules.table.blocks import Text, shared_text
from rules.table.checks.stages import NONE_WORD, is_none, opposed_error
from rules.table.forms.fields import Flag, FormContext, Number, Option, Pick, Typed, plain_options
from rules.table.forms.form import Field, Form

_NAMES: dict[int, str] = {threshold: name for name, threshold in LADDER}
_TOP_NAME, _TOP = LADDER[-1]
_HIGHEST_NUMBER = 9999
_NUMBER = re.compile(r"0*([1-9][0-9]{0,3})")
_BEYOND = re.compile(r"(.+?)\s*\+\s*0*([0-9]{1,4})")
_SEPARATORS = re.compile(r"[\s\-_]+")


def level_name(threshold: int) -> str | None:
    """Return the name of the level with this threshold; None for a plain number (EBB-LADDER).

    Above Legendary the ladder continues in the same steps as `Legendary+1`, `Legendary+2`, …,
    without an end.
    """
    above, rest = divmod(threshold - _TOP, LEVEL_STEP)
    if above >= 1 and not rest:
        return f"{_TOP_NAME}+{above}"
    return _NAMES.get(threshold)


def level_line(threshold: int) -> Text:
    """Return `Tricky (10)`, or the plain number."""
    return shared_text("ebb-level", {"name": level_name(threshold), "value": threshold})


def _squeeze(text: str) -> str:
    """Return a text without case, spaces and hyphens."""
    return _SEPARATORS.sub("", text.casefold())


_THRESHOLD_BY_NAME: dict[str, int] = {_squeeze(name): threshold for name, threshold in LADDER}


def _is_abbreviation(name: str, text: str) -> bool:
    """Return whether a text is the beginning of a level's name, or has those of its words."""
    words, typed = name.casefold().split(), _SEPARATORS.split(text.casefold())
    in_words = len(typed) == len(words) and all(map(str.startswith, words, typed))
    return in_words or _squeeze(name).startswith(_squeeze(text))


def _find_level(text: str) -> int | None:
    """Return the threshold of the only level that a text means; None if none or several fit."""
    fitting = [threshold for name, threshold in LADDER if _is_abbreviation(name, text)]
    return fitting[0] if len(fitting) == 1 else None


@lru_cache(maxsize=1024)
def parse_difficulty(text: str) -> int:
    """Return the threshold of a difficulty as players and GMs type it (EBB-LADDER).

    It may be:

    - the name of a level in any case, with or without spaces and hyphens, or a beginning that fits
      only that level ("near", "v diff");
    - `Legendary+2` for levels above the ladder;
    - a plain number from 4 to 9999.

    Raises InvalidInput("below-easy") for lower ones, and InvalidInput("unknown-difficulty") for
    any other text.
    """
    plain = text.strip()
    number, beyond = _NUMBER.fullmatch(plain), _BEYOND.fullmatch(plain)
    threshold = _find_level(plain) if number is None else int(number[1])
    if beyond is not None and _find_level(beyond[1]) == _TOP:
        threshold = _TOP + LEVEL_STEP * int(beyond[2])
    if threshold is not None and threshold < FLOOR:
        raise InvalidInput("below-easy", field="difficulty", value=threshold, lowest=FLOOR)
    if threshold is not None and threshold <= _HIGHEST_NUMBER:
        return threshold
    close = get_close_matches(_squeeze(plain)[:40], list(_THRESHOLD_BY_NAME), n=3, cutoff=0.5)
    near = tuple(_NAMES[_THRESHOLD_BY_NAME[name]] for name in close)
    allowed = tuple(_NAMES.values())
    raise InvalidInput(
        "unknown-difficulty", field="difficulty", value=text[:100], allowed=allowed, nearest=near
    )


def shift_threshold(threshold: int, levels: int) -> int:
    """Return the threshold moved by whole levels; positive is harder (EBB-SHIFT).

    *levels* is the sum of all shifts. A level is 3 points for plain numbers, too. The floor (Easy,
    4) is applied last.
    """
    return max(FLOOR, threshold + LEVEL_STEP * levels)


# --- plans ----------------------------------------------------------------------------------------

#: Levels by which each adjustment makes a task harder, in the order in which lines list them
#: (EBB-PROPOSAL).
SHIFTS: Final = {
    "dilemma": -1,
    "flaw": 1,
    "superior": -1,
    "missing-tools": 1,
    "drawback": 1,
    "injured": 1,
}


class Plan(Record):
    """Statements about a task: by the player who proposes it, by the other side, or by the GM.

    The fields are those of the forms that a plan is read from.
    """

    #: Name of the ability; empty for none.
    skill: str = ""
    #: Name of the attribute; empty for none.
    attribute: str = ""
    #: Difficulty before shifts, as it is written.
    difficulty: str = ""
    #: The idea in words, unless it stands on the check.
    approach: str = ""
    #: Direct bonus or penalty on the total.
    modifier: int = 0
    #: Number of major dilemmas that are removed.
    dilemma: int = 0
    #: Levels of a flaw.
    flaw: int = 0
    #: Drawbacks are defied, and no attribute counts (EBB-DRAWBACK).
    drawback: bool = False
    #: A treated injured body part is used.
    injured: bool = False
    superior: bool = False
    #: Levels of missing tools.
    missing_tools: int = 0
    #: Traits that the GM refuses.
    disallow: tuple[str, ...] = ()
    #: Modifier of the other side of an opposed roll, by the GM.
    against: int = 0
    #: The GM requires an ability (EBB-SPECIALIST).
    specialist: bool = False
    #: A sacrifice is allowed without that ability (EBB-SPECIALIST).
    specialist_luck: bool = False
    #: Any failure ends the chance (EBB-FAIL).
    urgent: bool = False
    #: Attribute that a sacrifice costs: the GM's choice, or promised by the other side.
    luck: str = ""
    #: Sides of the ability's die on the sheet at the last choice; None without an ability.
    sides: int | None = None
    #: Value of the attribute on the sheet at the last choice; None without an attribute.
    value: int | None = None


#: Function that returns how much of each shift a plan has, in the order of `SHIFTS`.
shift_counts: Final[Callable[[Plan], tuple[int, ...]]] = attrgetter(
    *[key.replace("-", "_") for key in SHIFTS]
)


def total_shift(plan: Plan) -> int:
    """Return the sum of all shifts in whole levels, without the modifier (EBB-SHIFT).

    Positive is harder.
    """
    return sum(map(mul, SHIFTS.values(), shift_counts(plan)))


def plan_threshold(plan: Plan) -> int | None:
    """Return what the total has to reach after all shifts; None without a difficulty."""
    if not plan.difficulty:
        return None
    return shift_threshold(parse_difficulty(plan.difficulty), total_shift(plan))


def counted_traits(plan: Plan, ruling: Plan) -> tuple[int | None, int | None]:
    """Return the sides of the ability die that is rolled, and the attribute value that is added.

    Both are as the sheet was at the last choice. They are None without a trait, or if the GM has
    refused it. The value is also None if a drawback is defied (EBB-DRAWBACK).
    """
    sides = None if "ability" in ruling.disallow else plan.sides
    value = plan.value
    if "attribute" in ruling.disallow or ruling.drawback:
        value = None
    return sides, value


def opposed_modifier(plan: Plan) -> int:
    """Return the modifier of a total without a threshold: 3 points for each level (EBB-SHIFT)."""
    return plan.modifier - LEVEL_STEP * total_shift(plan)


# --- lines and forms ------------------------------------------------------------------------------

#: Further conditions of a task: fields of a plan, in the order in which lines list them.
_CONDITIONS: Final = ("specialist", "specialist_luck", "urgent", "luck")
_conditions: Final[Callable[[Plan], tuple[bool | str, ...]]] = attrgetter(*_CONDITIONS)


def _shift_line(key: str, number: int, *, offered: bool) -> Text:
    """Return the line for a shift, as a menu offers it or as it holds."""
    return Text("ebb-shift", {"what": key, "levels": SHIFTS[key] * number, "offered": offered})


def shift_lines(plan: Plan, *, in_points: bool = False) -> tuple[Text, ...]:
    """Return every adjustment that holds (EBB-PROPOSAL).

    With *in_points* there is no threshold to shift, and a line states the points for each level.
    """
    lines: list[Text] = []
    for key, number in zip(SHIFTS, shift_counts(plan), strict=True):
        if number:
            lines.append(_shift_line(key, number, offered=False))
    if lines and in_points:
        lines.append(Text("ebb-points", {"points": LEVEL_STEP, "each": True}))
    if plan.modifier:
        lines.append(Text("ebb-points", {"points": plan.modifier}))
    for key, value in zip(_CONDITIONS, _conditions(plan), strict=True):
        if value:
            lines.append(Text("ebb-condition", {"what": key, "name": value}))
    return tuple(lines)


#: Difficulties that are offered: the named levels, and some beyond them (EBB-LADDER).
_OFFERED_LEVELS: Final = range(FLOOR, _TOP + 3 * LEVEL_STEP + 1, LEVEL_STEP)


def _find_difficulty(text: str) -> str:
    """Return a difficulty as it is written, or `none`; raises as `parse_difficulty`."""
    if is_none(text):
        return NONE_WORD
    threshold = parse_difficulty(text)
    return level_name(threshold) or str(threshold)


DIFFICULTY: Final = Typed(
    "difficulty",
    most=LONGEST_ENTRY,
    choices=tuple(
        Option(str(level_name(threshold)), level_line(threshold)) for threshold in _OFFERED_LEVELS
    ),
    read=_find_difficulty,
    hidden_if=opposed_error,
)
#: Shifts in the order in which they are offered, with the most levels; 0 is a plain flag.
_MAX_LEVELS: Final = {
    "dilemma": 9,
    "flaw": 2,
    "drawback": 0,
    "injured": 0,
    "superior": 0,
    "missing-tools": 9,
}
#: Most levels that a menu offers.
_OFFERED: Final = 3


def _shift_field(key: str, most: int) -> Field:
    """Return the field for a shift: a flag, or a number of at most *most* levels."""
    topic = Text("ebb-topic", {"easier": SHIFTS[key] < 0})

    def says(levels: int) -> Text:
        return _shift_line(key, levels, offered=True)

    if not most:
        return Flag(key, label=says(1), topic=topic)
    offered = tuple(range(1, min(most, _OFFERED) + 1))
    called = key.replace("-", " ")
    return Number(key, called=called, low=1, high=most, offered=offered, label=says, topic=topic)


#: Options of a player's `with`, which become fields of a plan (EBB-PROPOSAL, EBB-DRAWBACK,
#: EBB-INJURY).
PROPOSAL_OPTIONS: Final = Form(tuple(_shift_field(key, most) for key, most in _MAX_LEVELS.items()))
#: Options that the other side may have to admit. What helps it is a bonus by the GM (EBB-OPPOSED).
ADMISSION_OPTIONS: Final = PROPOSAL_OPTIONS.part(
    *(key for key in PROPOSAL_OPTIONS.keys if SHIFTS[key] > 0)
)


def _gm_only_error(asking: FormContext, word: str) -> RulesError:
    """Return the error for an option of the other side that only the GM gives."""
    allowed = tuple(option.value for option in ADMISSION_OPTIONS.word_options())
    return InvalidInput("gm-gives-that", field="with", value=word, allowed=allowed)


DEFENSE_OPTIONS: Final = Form(
    tuple(
        field if field in ADMISSION_OPTIONS.fields else field.replace(hidden_if=_gm_only_error)
        for field in PROPOSAL_OPTIONS.fields
    )
)
#: Options of a GM. `luck` is the attribute that is most relevant for a sacrifice (EBB-LUCK).
RULING_OPTIONS: Final = Form.of(
    *PROPOSAL_OPTIONS.fields,
    *(
        Flag(key, label=Text("ebb-condition", {"what": key.replace("-", "_"), "offered": True}))
        for key in ("specialist", "specialist-luck", "urgent")
    ),
    Pick(
        "luck",
        title=Text("ebb-luck", {"what": "costs"}),
        nothing=Text("ebb-luck", {"what": "usual"}),
        choices=plain_options(ATTRIBUTES),
        find=lambda asking, text: find_attribute(text),
    ),
)
