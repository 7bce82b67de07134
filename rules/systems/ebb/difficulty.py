"""Difficulties: the levels, moving between them, and what makes a task easier, harder or impossible before the roll.

EBB-LADDER, EBB-SHIFT; EBB-PROPOSAL, EBB-DRAWBACK, EBB-INJURY and EBB-SPECIALIST as far as they touch the difficulty.
Which of them apply is for the GM to say; this module only adds them up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import lru_cache
from operator import attrgetter, mul
from typing import Final

from rules.core.errors import Impossible, InvalidInput
from rules.core.record import Record, record
from rules.systems.ebb.tables import FLOOR, LADDER, LEVEL_STEP
from rules.table.blocks import once
from rules.table.events import Line

_NAMES: dict[int, str] = {threshold: name for name, threshold in LADDER}
_TOP_NAME, _TOP = LADDER[-1]
_HIGHEST_NUMBER = 9999
_NUMBER = re.compile(r"0*([1-9][0-9]{0,3})")
_BEYOND = re.compile(r"(.+?)\s*\+\s*0*([0-9]{1,4})")
_SEPARATORS = re.compile(r"[\s\-_]+")


@record
class Difficulty:
    """What a total has to reach: `threshold` (>= 1) and the level's `name`.

    The name is None for a plain number that is not the threshold of a level.
    """

    threshold: int
    name: str | None


def difficulty_at(threshold: int) -> Difficulty:
    """The difficulty with this threshold, named if a level has it (EBB-LADDER).

    Above Legendary the ladder goes on in the same steps as `Legendary+1`, `Legendary+2`, ….
    Raises InvalidInput("out-of-range") below 1; there is no upper end.
    """
    if threshold < 1:
        raise InvalidInput("out-of-range", field="difficulty", value=threshold, lowest=1)
    name = _NAMES.get(threshold)
    if name is None and threshold > _TOP and (threshold - _TOP) % LEVEL_STEP == 0:
        name = f"{_TOP_NAME}+{(threshold - _TOP) // LEVEL_STEP}"
    return Difficulty(threshold, name)


def difficulty_line(difficulty: Difficulty) -> Line:
    """`Tricky (10)`, or the plain number."""
    return once("ebb-level", {"name": difficulty.name, "value": difficulty.threshold})


def _squeeze(text: str) -> str:
    return _SEPARATORS.sub("", text.casefold())


_SQUEEZED: dict[str, int] = {_squeeze(name): threshold for name, threshold in LADDER}


def _level(text: str) -> int | None:
    """The threshold of the one level meant: its name, its beginning, or the beginnings of its words."""
    squeezed = _squeeze(text)
    if squeezed in _SQUEEZED:
        return _SQUEEZED[squeezed]
    typed = _SEPARATORS.split(text.casefold())
    found = [
        threshold
        for name, threshold in LADDER
        if _squeeze(name).startswith(squeezed)
        or (
            len(typed) == len(name.split())
            and all(word.startswith(part) for word, part in zip(name.casefold().split(), typed, strict=True))
        )
    ]
    return found[0] if len(found) == 1 else None


@lru_cache(maxsize=1024)
def parse_difficulty(text: str) -> Difficulty:
    """Read a difficulty as a person types it (EBB-LADDER).

    Level names in any case, with or without spaces and hyphens, or any beginning that fits one level only
    ("near", "v diff"); `Legendary+2` for levels above the ladder; a plain number from 4 to 9999.
    Raises InvalidInput("below-easy") for lower ones, ("unknown-difficulty", field, value, allowed, nearest) for
    everything else.
    """
    plain = text.strip()
    number = _NUMBER.fullmatch(plain)
    if number is not None:
        if (threshold := int(number[1])) < FLOOR:
            raise InvalidInput("below-easy", field="difficulty", value=threshold, lowest=FLOOR)
        return difficulty_at(threshold)
    threshold = _level(plain)
    if threshold is not None:
        return difficulty_at(threshold)
    beyond = _BEYOND.fullmatch(plain)
    if beyond is not None and _level(beyond[1]) == _TOP:
        threshold = _TOP + LEVEL_STEP * int(beyond[2])
        if threshold <= _HIGHEST_NUMBER:
            return difficulty_at(threshold)
    close = get_close_matches(_squeeze(plain)[:40], list(_SQUEEZED), n=3, cutoff=0.5)
    near, allowed = tuple(_NAMES[_SQUEEZED[name]] for name in close), tuple(_NAMES.values())
    raise InvalidInput(
        "unknown-difficulty", field="difficulty", value=text[:100], allowed=allowed, nearest=near
    )


def shift(difficulty: Difficulty, levels: int) -> Difficulty:
    """Move a difficulty by whole levels; positive is harder (EBB-SHIFT).

    `levels` is the sum of all shifts; a level is 3 points for plain numbers too. The floor (Easy, 4) comes
    last.
    """
    return difficulty_at(max(FLOOR, difficulty.threshold + LEVEL_STEP * levels))


# --- what is said of a task ---------------------------------------------------------------------------------------

#: By how many levels each of these makes a task harder, in the order in which they are told (EBB-PROPOSAL).
SHIFTS: Final[Mapping[str, int]] = {
    "dilemma": -1,
    "flaw": 1,
    "superior": -1,
    "missing-tools": 1,
    "drawback": 1,
    "injured": 1,
}


@record
class Plan(Record):
    """What somebody says of a task: whoever proposes it, whoever is set against it, or the GM who answers.

    Its fields are those of the forms that it is read from. `difficulty` is the base, as it is written; `modifier` the
    direct bonus or penalty on the total. Major dilemmas removed, levels of a flaw and of missing tools are counted.
    `drawback`: one or more are defied, and no attribute counts (EBB-DRAWBACK). `injured`: a treated injured body part
    is used. The rest only the GM says: what is refused, `against` as the modifier of the other side of an opposed roll,
    `luck` as the attribute that a sacrifice would cost, and that any failure ends the chance (EBB-FAIL).

    `sides` and `value` are what the sheet had when somebody chose last: of the ability's die, and the attribute's.
    `approach` is the idea in words where it does not stand on the check.
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
shifts_in: Final[Callable[[Plan], tuple[int, ...]]] = attrgetter(*[key.replace("-", "_") for key in SHIFTS])


def levels(plan: Plan) -> int:
    """The sum of all shifts in whole levels; positive is harder (EBB-SHIFT). `modifier` is not among them."""
    return _levels(shifts_in(plan))


def _levels(shifts: tuple[int, ...]) -> int:
    return sum(map(mul, SHIFTS.values(), shifts))


def measure(plan: Plan) -> Difficulty | None:
    """What the total has to reach after all shifts; None where no difficulty is named."""
    return _measured(plan.difficulty, shifts_in(plan)) if plan.difficulty else None


@lru_cache(maxsize=1024)
def _measured(difficulty: str, shifts: tuple[int, ...]) -> Difficulty:
    return shift(parse_difficulty(difficulty), _levels(shifts))


def attribute_counts(plan: Plan) -> bool:
    """Whether an attribute may be added at all: not when a drawback is defied (EBB-DRAWBACK)."""
    return not plan.drawback


def require_ability(ability_sides: int | None, *, specialist: bool, waived: bool = False) -> None:
    """Refuse a specialist task to somebody without a suitable ability (EBB-SPECIALIST).

    `specialist`: the GM marked the task so. `waived`: the GM lets luck get round it. Raises
    Impossible("ability-required") when the task needs an ability and none (`ability_sides` None) is used.
    """
    if specialist and ability_sides is None and not waived:
        raise Impossible("ability-required", field="ability")
