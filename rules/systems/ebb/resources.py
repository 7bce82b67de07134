"""What is spent and comes back, Fate points and the points of attributes, and what Fate buys.

EBB-FATE, EBB-LUCK, EBB-HEAL, EBB-TIER.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.core.errors import Impossible, InvalidInput
from rules.core.names import name_key
from rules.systems.ebb.sheet import (
    DICE,
    HIGHEST_FATE,
    MOST_ABILITIES,
    Ability,
    EbbSheet,
    base_attribute,
    check_entry,
    effective_attribute,
    find_ability,
    find_attribute,
    in_order,
    with_die,
)
from rules.systems.ebb.tables import ATTRIBUTES, DIE_COSTS, DIE_SIDES, DIE_TITLES
from rules.table.actions import Advance, Learn
from rules.table.checks.check import Cost
from rules.table.events import Line
from rules.table.people.by_hand import added
from rules.table.resources import Award, ByHand, Resource
from rules.table.state import Character
from rules.table.system import Choice, Game, Grown

FATE: Final = Resource[EbbSheet](
    "fate",
    of=lambda sheet: sheet.fate,
    put=lambda sheet, points: sheet.but(fate=points),
    high=HIGHEST_FATE,
    award=Award(
        Line("ebb-award"),
        lambda name, points, sheet: Line("ebb-award", {"name": name, "points": points, "fate": sheet.fate}),
    ),
    by_hand=ByHand(
        lambda sheet: Line("ebb-set-fate", {"points": sheet.fate}),
        lambda before, now: Line("ebb-set-fate", {"points": now.fate, "before": before.fate, "done": True}),
    ),
    short=lambda have, need: Impossible("not-enough-fate", have=have, need=need),
)
#: One more throw of the ability die.
REROLL: Final = Cost(FATE.key, 1)


def _points(name: str) -> Resource[EbbSheet]:
    """Of an attribute: sacrificed for luck or a flesh wound, given back when a session ends."""

    def full(sheet: EbbSheet) -> int:
        return base_attribute(sheet, name)

    def left(sheet: EbbSheet, points: int) -> EbbSheet:
        lost = {**dict(sheet.sacrificed), name: max(0, full(sheet) - points)}
        return sheet.but(sacrificed=in_order(lost.items()))

    def short(have: int, need: int) -> Impossible:
        # With fewer abilities than it was lost from, more may be lost than there is.
        return Impossible("nothing-to-sacrifice", field="attribute", value=name, have=max(0, have), need=need)

    return Resource(
        name,
        of=lambda sheet: effective_attribute(sheet, name),
        put=left,
        high=full,
        short=short,
        restore=("session", full),
    )


def gained(back: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    """`Fitness +1` for everything that came back."""
    return tuple(f"{name} +{points}" for name, points in back)


ATTRIBUTE: Final = {name: _points(name) for name in ATTRIBUTES}
RESOURCES: Final = (FATE, *ATTRIBUTE.values())


# --- learning and improving -----------------------------------------------------------------------------------


def next_die(sides: int | None) -> int:
    """The die one tier up; from None (no ability yet) the lowest (EBB-TIER). Impossible("highest-die") from d12."""
    tier = 0 if sides is None else DIE_SIDES.index(sides) + 1
    if tier == len(DIE_SIDES):
        raise Impossible("highest-die", field="die", value=f"d{sides}", highest=DICE[-1])
    return DIE_SIDES[tier]


def advance_cost(sides: int | None) -> int:
    """Fate points for one step: a new ability (from None) or a die raised one tier (EBB-FATE). Raises as `next_die`."""
    return DIE_COSTS[next_die(sides)]


def learn(game: Game, character: Character[EbbSheet], action: Learn) -> Grown:
    """A new ability at d4 with its drawback and an explanation, for 10 Fate (EBB-FATE, EBB-DRAWBACK).

    Raises InvalidInput("empty", "too-many-entries", and as `check_entry`), NotFound for the attribute,
    Impossible("known-already", "not-enough-fate"). Attributes follow from the abilities by themselves.
    """
    if not action.explanation.strip():
        raise InvalidInput("empty", field="explanation", value="", wanted="origin")
    before, group = character.sheet, find_attribute(action.attribute)
    name, drawback = " ".join(action.skill.split()), " ".join(action.drawback.split())
    check_entry("ability", name)
    check_entry("drawback", drawback)
    if name_key(name) in [name_key(each.name) for each in before.abilities]:
        raise Impossible("known-already", name=name)
    ability = Ability(name, group, next_die(None))
    abilities = added(before.abilities, ability, "ability", MOST_ABILITIES)
    sheet = FATE.pay(before, advance_cost(None))
    sheet = sheet.but(abilities=abilities, drawbacks=(*sheet.drawbacks, drawback))
    old, new = base_attribute(before, group), base_attribute(sheet, group)
    moved = {"group": group, "before": None if old == new else old, "value": new}
    learned = Line("ebb-learned", {"name": name, "die": ability.die, **moved})
    return _grown(character, sheet, learned, Line("ebb-new-drawback", {"text": drawback}))


def advance(game: Game, character: Character[EbbSheet], action: Advance) -> Grown:
    """An ability one die up, for the maximum of the new die (EBB-FATE, EBB-TIER).

    NotFound as `find_ability`, Impossible("highest-die", "not-enough-fate").
    """
    ability = find_ability(character.sheet, action.skill)
    sides = next_die(ability.sides)
    sheet = with_die(FATE.pay(character.sheet, DIE_COSTS[sides]), ability, sides)
    return _grown(character, sheet, Line("ebb-advanced", {**_raised(ability), "title": DIE_TITLES[sides]}))


def _grown(character: Character[EbbSheet], sheet: EbbSheet, line: Line, *private: Line) -> Grown:
    cost = character.sheet.fate - sheet.fate
    paid = Line("ebb-fate-paid", {"cost": cost, "left": sheet.fate})
    return Grown(character.but(sheet=sheet), (line, paid), private)


def _raised(ability: Ability) -> dict[str, str]:
    """What a line says of an ability that goes up: the die before and after."""
    return {"name": ability.name, "before": ability.die, "die": f"d{next_die(ability.sides)}"}


def advances(game: Game, character: Character[EbbSheet]) -> tuple[Choice, ...]:
    """The abilities that have a higher die, with what it costs."""
    return tuple(
        Choice(each.name, Line("ebb-advance-choice", {**_raised(each), "cost": advance_cost(each.sides)}))
        for each in character.sheet.abilities
        if each.sides < DIE_SIDES[-1]
    )
