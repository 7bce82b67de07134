"""Difficulties: the levels, moving between them, and what makes a task easier, harder or impossible
before the roll.

EBB-LADDER, EBB-SHIFT; EBB-PROPOSAL, EBB-DRAWBACK, EBB-INJURY and EBB-SPECIALIST as far as they
touch the difficulty. Which of them apply is for the GM to say; this module says how they are
written, and adds them up.
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
from rules.table.forms import (
    Field,
    Flag,
    Form,
    FormContext,
    Number,
    Option,
    Pick,
    Typed,
    plain_options,
)

_NAMES: dict[int, str] = {threshold: name for name, threshold in LADDER}
_TOP_NAME, _TOP = LADDER[-1]
_HIGHEST_NUMBER = 9999
_NUMBER = re.compile(r"0*([1-9][0-9]{0,3})")
_BEYOND = re.compile(r"(.+?)\s*\+\s*0*([0-9]{1,4})")
_SEPARATORS = re.compile(r"[\s\-_]+")


def level_name(threshold: int) -> str | None:
    """What the level with this threshold is called; None where it is a plain number (EBB-LADDER).

    Above Legendary the ladder goes on in the same steps as `Legendary+1`, `Legendary+2`, …, without
    an end.
    """
    above, rest = divmod(threshold - _TOP, LEVEL_STEP)
    return _NAMES.get(threshold) if above < 1 or rest else f"{_TOP_NAME}+{above}"


def level_line(threshold: int) -> Text:
    """`Tricky (10)`, or the plain number."""
    return shared_text("ebb-level", {"name": level_name(threshold), "value": threshold})


def _squeeze(text: str) -> str:
    return _SEPARATORS.sub("", text.casefold())


_THRESHOLD_BY_NAME: dict[str, int] = {_squeeze(name): threshold for name, threshold in LADDER}


def _is_abbreviation(name: str, text: str) -> bool:
    """Whether a level is meant: by the beginning of its name, or by the beginnings of its words."""
    words, typed = name.casefold().split(), _SEPARATORS.split(text.casefold())
    in_words = len(typed) == len(words) and all(map(str.startswith, words, typed))
    return in_words or _squeeze(name).startswith(_squeeze(text))


def _level(text: str) -> int | None:
    """The threshold of the one level that is meant."""
    found = [threshold for name, threshold in LADDER if _is_abbreviation(name, text)]
    return found[0] if len(found) == 1 else None


@lru_cache(maxsize=1024)
def parse_difficulty(text: str) -> int:
    """The threshold of a difficulty as a person types it (EBB-LADDER).

    Level names in any case, with or without spaces and hyphens, or any beginning that fits one
    level only ("near", "v diff"); `Legendary+2` for levels above the ladder; a plain number from 4
    to 9999. Raises InvalidInput("below-easy") for lower ones, ("unknown-difficulty", field, value,
    allowed, nearest) for everything else.
    """
    plain = text.strip()
    number, beyond = _NUMBER.fullmatch(plain), _BEYOND.fullmatch(plain)
    threshold = _level(plain) if number is None else int(number[1])
    if beyond is not None and _level(beyond[1]) == _TOP:
        threshold = _TOP + LEVEL_STEP * int(beyond[2])
    if threshold is not None and threshold < FLOOR:
        raise InvalidInput("below-easy", field="difficulty", value=threshold, lowest=FLOOR)
    if threshold is not None and threshold <= _HIGHEST_NUMBER:
        return threshold
    close = get_close_matches(_squeeze(plain)[:40], list(_THRESHOLD_BY_NAME), n=3, cutoff=0.5)
    near, allowed = (
        tuple(_NAMES[_THRESHOLD_BY_NAME[name]] for name in close),
        tuple(_NAMES.values()),
    )
    raise InvalidInput(
        "unknown-difficulty", field="difficulty", value=text[:100], allowed=allowed, nearest=near
    )


def shift_threshold(threshold: int, levels: int) -> int:
    """The threshold moved by whole levels; positive is harder (EBB-SHIFT).

    `levels` is the sum of all shifts; a level is 3 points for plain numbers too. The floor (Easy,
    4) comes last.
    """
    return max(FLOOR, threshold + LEVEL_STEP * levels)


# --- what is said of a task -----------------------------------------------------------------------

#: By how many levels each of these makes a task harder, in the order in which they are told
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
    """What somebody says of a task: whoever proposes it, whoever is set against it, or the GM who
    answers.

    Its fields are those of the forms that it is read from. `difficulty` is the base, as it is
    written; `modifier` the direct bonus or penalty on the total. Major dilemmas removed, levels of
    a flaw and of missing tools are counted. `drawback`: one or more are defied, and no attribute
    counts (EBB-DRAWBACK). `injured`: a treated injured body part is used. The rest only the GM
    says: what is refused, `against` as the modifier of the other side of an opposed roll, `luck` as
    the attribute that a sacrifice would cost, and that any failure ends the chance (EBB-FAIL).

    `sides` and `value` are what the sheet had when somebody chose last: of the ability's die, and
    the attribute's. `approach` is the idea in words where it does not stand on the check.
    """

    skill: str = ""
    attribute: str = ""
    difficulty: str = ""
    approach: str = ""
    modifier: int = 0
    dilemma: int = 0
    flaw: int = 0
    drawback: bool = False
    injured: bool = False
    superior: bool = False
    missing_tools: int = 0
    disallow: tuple[str, ...] = ()
    against: int = 0
    specialist: bool = False
    specialist_luck: bool = False
    urgent: bool = False
    luck: str = ""
    sides: int | None = None
    value: int | None = None


#: How much of each of the shifts a plan has, in their order.
shift_counts: Final[Callable[[Plan], tuple[int, ...]]] = attrgetter(
    *[key.replace("-", "_") for key in SHIFTS]
)


def total_shift(plan: Plan) -> int:
    """The sum of all shifts in whole levels; positive is harder (EBB-SHIFT). `modifier` is not
    among them.
    """
    return sum(map(mul, SHIFTS.values(), shift_counts(plan)))


def plan_threshold(plan: Plan) -> int | None:
    """What the total has to reach after all shifts; None where no difficulty is named."""
    return (
        shift_threshold(parse_difficulty(plan.difficulty), total_shift(plan))
        if plan.difficulty
        else None
    )


def counted_traits(plan: Plan, ruling: Plan) -> tuple[int | None, int | None]:
    """Sides of the ability die that is rolled, and the value added: as the sheet was when it was
    looked at last.

    None where none applies or the GM refused it, for the value also where a drawback is defied
    (EBB-DRAWBACK).
    """
    sides = None if "ability" in ruling.disallow else plan.sides
    refused = "attribute" in ruling.disallow or ruling.drawback
    return sides, None if refused else plan.value


def opposed_modifier(plan: Plan) -> int:
    """Bonus or penalty on the total where no threshold is there to shift: 3 for each level
    (EBB-SHIFT).
    """
    return plan.modifier - LEVEL_STEP * total_shift(plan)


# --- as it is told, and written -------------------------------------------------------------------

#: What else holds of a task, by the fields of a plan in the order in which they are told.
_CONDITIONS: Final = ("specialist", "specialist_luck", "urgent", "luck")
_conditions: Final[Callable[[Plan], tuple[bool | str, ...]]] = attrgetter(*_CONDITIONS)


def _shift_line(key: str, number: int, *, offered: bool) -> Text:
    """What one of the shifts does, as a menu offers it or as it is told."""
    return Text("ebb-shift", {"what": key, "levels": SHIFTS[key] * number, "offered": offered})


def shift_lines(plan: Plan, *, in_points: bool = False) -> tuple[Text, ...]:
    """Every adjustment that is in force (EBB-PROPOSAL); `in_points` where there is no threshold to
    shift.
    """
    numbers = zip(SHIFTS, shift_counts(plan), strict=True)
    found = [_shift_line(key, number, offered=False) for key, number in numbers if number]
    if found and in_points:
        found.append(Text("ebb-points", {"points": LEVEL_STEP, "each": True}))
    if plan.modifier:
        found.append(Text("ebb-points", {"points": plan.modifier}))
    said = zip(_CONDITIONS, _conditions(plan), strict=True)
    return (
        *found,
        *[Text("ebb-condition", {"what": key, "name": each}) for key, each in said if each],
    )


#: The difficulties that are offered: the named levels, and some beyond them (EBB-LADDER).
_OFFERED_LEVELS: Final = range(FLOOR, _TOP + 3 * LEVEL_STEP + 1, LEVEL_STEP)


def _find_difficulty(text: str) -> str:
    if is_none(text):
        return NONE_WORD
    threshold = parse_difficulty(text)
    return level_name(threshold) or str(threshold)


DIFFICULTY: Final = Typed(
    "difficulty",
    most=LONGEST_ENTRY,
    choices=tuple(Option(str(level_name(each)), level_line(each)) for each in _OFFERED_LEVELS),
    read=_find_difficulty,
    hidden_if=opposed_error,
)
#: The shifts in the order in which they are offered, with the most levels of those that are
#: counted.
_MAX_LEVELS: Final = {
    "dilemma": 9,
    "flaw": 2,
    "drawback": 0,
    "injured": 0,
    "superior": 0,
    "missing-tools": 9,
}
#: How many levels are offered.
_OFFERED: Final = 3


def _field(key: str, most: int) -> Field:
    topic = Text("ebb-topic", {"easier": SHIFTS[key] < 0})

    def says(levels: int) -> Text:
        return _shift_line(key, levels, offered=True)

    if not most:
        return Flag(key, label=says(1), topic=topic)
    offered = tuple(range(1, min(most, _OFFERED) + 1))
    called = key.replace("-", " ")
    return Number(key, called=called, low=1, high=most, offered=offered, label=says, topic=topic)


#: What `with` may hold: short words that are a part of a plan (EBB-PROPOSAL, EBB-DRAWBACK,
#: EBB-INJURY).
PROPOSAL_OPTIONS: Final = Form(tuple(_field(key, most) for key, most in _MAX_LEVELS.items()))
#: What the defending side may have to admit; what helps it the GM gives as a bonus (EBB-OPPOSED).
ADMISSION_OPTIONS: Final = PROPOSAL_OPTIONS.part(
    *(key for key in PROPOSAL_OPTIONS.keys if SHIFTS[key] > 0)
)


def _gm_only_error(asking: FormContext, word: str) -> RulesError:
    allowed = tuple(option.value for option in ADMISSION_OPTIONS.word_options())
    return InvalidInput("gm-gives-that", field="with", value=word, allowed=allowed)


DEFENSE_OPTIONS: Final = Form(
    tuple(
        each if each in ADMISSION_OPTIONS.fields else each.replace(hidden_if=_gm_only_error)
        for each in PROPOSAL_OPTIONS.fields
    )
)
#: `luck` is the attribute the GM finds most relevant for a sacrifice (EBB-LUCK).
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
