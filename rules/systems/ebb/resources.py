"""What is spent and comes back, Fate points and the points of attributes, and what Fate buys.

EBB-FATE, EBB-LUCK, EBB-HEAL, EBB-TIER.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
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
    set_sacrificed,
)
from rules.systems.ebb.tables import ATTRIBUTES, DIE_COSTS, DIE_SIDES, DIE_TITLES
from rules.table.actions import Advance, Learn
from rules.table.checks.check import Cost
from rules.table.events import Line
from rules.table.resources import Award, ByHand, Resource
from rules.table.state import Character
from rules.table.system import Choice, Game, Grown

FATE: Final = Resource[EbbSheet](
    "fate",
    of=lambda sheet: sheet.fate,
    put=lambda sheet, points: replace(sheet, fate=points),
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
    return Resource(
        name,
        # With fewer abilities than it was lost from, more may be lost than there is.
        of=lambda sheet: effective_attribute(sheet, name),
        put=lambda sheet, points: set_sacrificed(
            sheet, {**dict(sheet.sacrificed), name: max(0, base_attribute(sheet, name) - points)}
        ),
        high=lambda sheet: base_attribute(sheet, name),
        short=lambda have, need: Impossible(
            "nothing-to-sacrifice", field="attribute", value=name, have=max(0, have), need=need
        ),
        restore=("session", lambda sheet: base_attribute(sheet, name)),
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


def learn_ability(sheet: EbbSheet, name: str, group: str, drawback: str) -> EbbSheet:
    """Buy a new ability at d4 together with its drawback (EBB-FATE, EBB-DRAWBACK).

    Raises InvalidInput ("too-many-entries", and as `check_entry`), NotFound for the group,
    Impossible("known-already", "not-enough-fate"). Attributes follow from the abilities by themselves.
    """
    attribute = find_attribute(group)
    check_entry("ability", name)
    check_entry("drawback", drawback)
    if any(name_key(ability.name) == name_key(name) for ability in sheet.abilities):
        raise Impossible("known-already", name=name)
    if (count := len(sheet.abilities)) >= MOST_ABILITIES:
        raise InvalidInput("too-many-entries", field="ability", value=count, highest=MOST_ABILITIES)
    abilities = (*sheet.abilities, Ability(name, attribute, next_die(None)))
    poorer = FATE.pay(sheet, advance_cost(None))
    return replace(poorer, abilities=abilities, drawbacks=(*poorer.drawbacks, drawback))


def raise_ability(sheet: EbbSheet, name: str) -> EbbSheet:
    """Raise one ability's die by one tier for Fate (EBB-FATE, EBB-TIER).

    Raises NotFound as `find_ability`, Impossible("highest-die") or Impossible("not-enough-fate").
    """
    ability = find_ability(sheet, name)
    raised = replace(ability, sides=next_die(ability.sides))
    abilities = tuple(raised if entry == ability else entry for entry in sheet.abilities)
    return replace(FATE.pay(sheet, advance_cost(ability.sides)), abilities=abilities)


def learn(game: Game, character: Character[EbbSheet], action: Learn) -> Grown:
    """A new ability at d4 with its drawback and an explanation, for 10 Fate (EBB-FATE, EBB-DRAWBACK).

    Raises as `learn_ability`, and InvalidInput("empty") without an explanation.
    """
    if not action.explanation.strip():
        raise InvalidInput("empty", field="explanation", value="", wanted="origin")
    name, drawback = " ".join(action.skill.split()), " ".join(action.drawback.split())
    before = character.sheet
    sheet = learn_ability(before, name, action.attribute, drawback)
    ability = sheet.abilities[-1]
    old, new = base_attribute(before, ability.group), base_attribute(sheet, ability.group)
    moved = {"group": ability.group, "before": None if old == new else old, "value": new}
    learned = Line("ebb-learned", {"name": ability.name, "die": ability.die, **moved})
    new_drawback = Line("ebb-new-drawback", {"text": drawback})
    return Grown(replace(character, sheet=sheet), (learned, _paid(before, sheet)), (new_drawback,))


def _raised(ability: Ability) -> dict[str, str]:
    """What a line says of an ability that goes up: the die before and after."""
    return {"name": ability.name, "before": ability.die, "die": f"d{next_die(ability.sides)}"}


def advance(game: Game, character: Character[EbbSheet], action: Advance) -> Grown:
    """An ability one die up, for the maximum of the new die (EBB-FATE, EBB-TIER). Raises as `raise_ability`."""
    before = character.sheet
    ability = find_ability(before, action.skill)
    sheet = raise_ability(before, ability.name)
    title = DIE_TITLES[next_die(ability.sides)]
    line = Line("ebb-advanced", {**_raised(ability), "title": title})
    return Grown(replace(character, sheet=sheet), (line, _paid(before, sheet)))


def advances(game: Game, character: Character[EbbSheet]) -> tuple[Choice, ...]:
    """The abilities that have a higher die, with what it costs."""
    return tuple(
        Choice(each.name, Line("ebb-advance-choice", {**_raised(each), "cost": advance_cost(each.sides)}))
        for each in character.sheet.abilities
        if each.sides < DIE_SIDES[-1]
    )


def _paid(before: EbbSheet, after: EbbSheet) -> Line:
    return Line("ebb-fate-paid", {"cost": before.fate - after.fate, "left": after.fate})
