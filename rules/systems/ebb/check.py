"""A check under EBB, from the proposal's options to what a roll says (EBB-PROPOSAL, EBB-ROLL and following)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from rules.core.errors import Impossible, InvalidInput
from rules.core.record import record
from rules.core.rng import Rng
from rules.systems.ebb.difficulty import Adjustments, assess, attribute_counts, levels, require_ability
from rules.systems.ebb.ladder import Difficulty, parse_difficulty
from rules.systems.ebb.options import RULE, adjustments_of, values_of
from rules.systems.ebb.sheet import (
    Ability,
    EbbSheet,
    effective_attribute,
    find_ability,
)
from rules.systems.ebb.tables import ATTRIBUTES, LEVEL_STEP
from rules.systems.ebb.task import (
    Judgement,
    OpposedJudgement,
    TaskRoll,
    bare_success,
    judge,
    judge_opposed,
    roll_task,
)
from rules.table.forms import Values
from rules.table.state import Character

#: Typed for "none of them" where an option may be taken away again.
NONE = "none"
#: The GM's largest bonus or penalty on a total.
BONUS_MAX = 20


@record
class EbbRequest:
    """What the player proposes: an ability and an attribute by name, a difficulty they have in mind, claims."""

    ability: str | None
    attribute: str | None
    difficulty: Difficulty | None
    adjustments: Adjustments


@record
class EbbRuling:
    """What the GM made of it.

    `difficulty` is the base shifted by `adjustments`; both are None for a margin-only roll without one. `luck`
    names the attribute a sacrifice would cost, None for the one proposed. `against` is the GM's bonus or
    penalty for the other side of an opposed roll. `urgent`: any failure ends the chance (EBB-FAIL).
    """

    base: Difficulty | None
    difficulty: Difficulty | None
    adjustments: Adjustments
    disallow_ability: bool = False
    disallow_attribute: bool = False
    specialist: bool = False
    specialist_luck: bool = False
    luck: str | None = None
    against: int = 0
    urgent: bool = False


@record
class EbbRolled:
    """What came of it: dice, or the attribute sacrificed instead of rolling; `other` are the other side's."""

    roll: TaskRoll | None
    luck: str | None = None
    other: TaskRoll | None = None


EbbCharacter = Character[EbbSheet]


class Tried(Protocol):
    """What somebody tries, and how far it has come."""

    @property
    def request(self) -> EbbRequest: ...

    @property
    def ruling(self) -> EbbRuling | None: ...

    @property
    def rolled(self) -> EbbRolled | None: ...

    @property
    def answer(self) -> str | None: ...

    @property
    def opposed(self) -> bool: ...

    @property
    def defence(self) -> EbbRequest | None: ...


def named(text: str | None) -> str | None:
    """What is typed, None for nothing or `none`."""
    if text is None:
        return None
    return None if text.strip().casefold() in ("", NONE) else text


def read_difficulty(text: str | None) -> Difficulty | None:
    """The difficulty that is typed, None for none. InvalidInput as `parse_difficulty`."""
    level = named(text)
    return None if level is None else parse_difficulty(level)


def no_difficulty() -> InvalidInput:
    """Why nothing can be rolled."""
    return InvalidInput("no-difficulty", field="difficulty", value=None, wanted="level")


def ruling_from(
    base: Difficulty | None, said: Values, bonus: int = 0, disallow: Collection[str] = (), against: int = 0
) -> EbbRuling:
    """The ruling that these values of the GM's form make (EBB-PROPOSAL)."""
    adjustments = adjustments_of(said, bonus)
    return EbbRuling(
        base,
        None if base is None else assess(base, adjustments),
        adjustments,
        "ability" in disallow,
        "attribute" in disallow,
        "specialist" in said,
        "specialist-luck" in said,
        said.get("luck"),
        against,
        "urgent" in said,
    )


def ruled_values(ruling: EbbRuling) -> Values:
    """The values of the GM's form that make this ruling."""
    return {**values_of(ruling.adjustments), **RULE.said(ruling)}


def ruling_of(tried: Tried) -> EbbRuling:
    """What the GM made of it; Impossible("not-answered") before."""
    if tried.ruling is None:
        raise Impossible("not-answered")
    return tried.ruling


def counted_ability(sheet: EbbSheet, tried: Tried) -> Ability | None:
    """The ability whose die is rolled, None when none applies or the GM refused it (EBB-ROLL)."""
    request, ruling = tried.request, tried.ruling
    if request.ability is None or (ruling is not None and ruling.disallow_ability):
        return None
    return find_ability(sheet, request.ability)


def counted_attribute(sheet: EbbSheet, tried: Tried) -> int | None:
    """The value added, None when none applies, it was refused, or a drawback is defied (EBB-DRAWBACK)."""
    request, ruling = tried.request, tried.ruling
    if request.attribute is None:
        return None
    if ruling is not None and (ruling.disallow_attribute or not attribute_counts(ruling.adjustments)):
        return None
    return effective_attribute(sheet, request.attribute)


def roll(sheet: EbbSheet, tried: Tried, rng: Rng, bonus: int | None = None) -> TaskRoll:
    """Throw the dice (EBB-ROLL). Impossible("ability-required") for a specialist task (EBB-SPECIALIST).

    `bonus` on the total is the ruling's unless it is given.
    """
    ruling = ruling_of(tried)
    ability = counted_ability(sheet, tried)
    sides = None if ability is None else ability.sides
    require_ability(sides, specialist=ruling.specialist)
    return roll_task(
        rng,
        attribute=counted_attribute(sheet, tried),
        ability_sides=sides,
        bonus=ruling.adjustments.bonus if bonus is None else bonus,
    )


def opposition(tried: Tried) -> OpposedJudgement | None:
    """Both sides' dice against each other (EBB-OPPOSED); None before the roll and after a sacrifice."""
    rolled = tried.rolled
    if rolled is None or rolled.roll is None or rolled.other is None:
        return None
    return judge_opposed(rolled.roll, rolled.other)


def verdict(tried: Tried) -> Judgement | None:
    """What the dice, or a sacrifice, amount to; None without a difficulty or before the roll."""
    ruling, rolled = tried.ruling, tried.rolled
    if ruling is None or rolled is None:
        return None
    if tried.opposed:
        opposed = opposition(tried)
        return bare_success(0) if opposed is None else opposed.actor
    if ruling.difficulty is None:
        return None
    threshold = ruling.difficulty.threshold
    return bare_success(threshold) if rolled.roll is None else judge(rolled.roll, threshold)


def luck_choices(sheet: EbbSheet, tried: Tried) -> tuple[str, ...]:
    """Attributes of which a point may be sacrificed: the most relevant one, or any if none was named."""
    ruling = ruling_of(tried)
    relevant = ruling.luck or tried.request.attribute
    able = ATTRIBUTES if relevant is None else (relevant,)
    return tuple(name for name in able if effective_attribute(sheet, name) >= 1)


def luck_allowed(sheet: EbbSheet, tried: Tried) -> bool:
    """Whether the ruling leaves room for a sacrifice instead of the roll (EBB-LUCK, EBB-SPECIALIST)."""
    ruling = ruling_of(tried)
    unable = ruling.specialist and counted_ability(sheet, tried) is None
    return tried.answer == "roll" and not (unable and not ruling.specialist_luck)


def points(adjustments: Adjustments) -> int:
    """Bonus or penalty on the total where no threshold is there to shift: 3 for each level (EBB-SHIFT)."""
    return adjustments.bonus - LEVEL_STEP * levels(adjustments)


def roll_defence(sheet: EbbSheet, tried: Tried, rng: Rng) -> TaskRoll:
    """Throw the defending side's dice (EBB-OPPOSED, EBB-ROLL), with the GM's bonus or penalty on it."""
    request = tried.defence
    assert request is not None, "the shared course of a check rolls only against a defence"
    ability = None if request.ability is None else find_ability(sheet, request.ability)
    value = None
    if request.attribute is not None and attribute_counts(request.adjustments):
        value = effective_attribute(sheet, request.attribute)
    return roll_task(
        rng,
        attribute=value,
        ability_sides=None if ability is None else ability.sides,
        bonus=points(request.adjustments) + ruling_of(tried).against,
    )
