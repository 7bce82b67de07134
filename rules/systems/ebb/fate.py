"""What Fate points buy: re-rolling the ability die, learning and improving (EBB-FATE, EBB-TIER)."""

from __future__ import annotations

from dataclasses import replace

from rules.core.errors import Impossible, InvalidInput
from rules.core.names import name_key
from rules.systems.ebb.resources import FATE
from rules.systems.ebb.sheet import (
    MOST_ABILITIES,
    Ability,
    EbbSheet,
    base_attribute,
    check_entry,
    find_ability,
    find_attribute,
)
from rules.systems.ebb.tables import DIE_COSTS, DIE_SIDES, DIE_TITLES
from rules.table.actions import Advance, Learn
from rules.table.events import Line
from rules.table.state import Character
from rules.table.system import Choice, Grown


def next_die(sides: int | None) -> int:
    """The die one tier up; from None (no ability yet) the lowest (EBB-TIER).

    Raises Impossible("highest-die") from d12 and InvalidInput("unknown-die") for no ability die.
    """
    if sides is None:
        return DIE_SIDES[0]
    tier = _tier(sides)
    if tier + 1 == len(DIE_SIDES):
        raise Impossible("highest-die", field="die", value=f"d{sides}", highest=f"d{DIE_SIDES[-1]}")
    return DIE_SIDES[tier + 1]


def _tier(sides: int) -> int:
    if sides not in DIE_SIDES:
        allowed = tuple(f"d{die}" for die in DIE_SIDES)
        raise InvalidInput("unknown-die", field="die", value=f"d{sides}", allowed=allowed)
    return DIE_SIDES.index(sides)


def advance_cost(from_sides: int | None, to_sides: int | None = None) -> int:
    """Fate points for one step: a new ability (from None) or a die raised one tier (EBB-FATE).

    `to_sides` None asks for the next tier. Raises Impossible: "highest-die" from d12, "die-skipped" for more
    than one tier at once (`allowed` is the die that comes next), "not-a-raise" for the
    same or a lower die. InvalidInput("unknown-die") for dice that no ability has.
    """
    if to_sides is not None:
        wanted = _tier(to_sides)
        have = -1 if from_sides is None else _tier(from_sides)
        if wanted <= have:
            raise Impossible("not-a-raise", field="die", value=f"d{to_sides}", have=f"d{from_sides}")
        if wanted > have + 1:
            following = f"d{DIE_SIDES[have + 1]}"
            raise Impossible("die-skipped", field="die", value=f"d{to_sides}", allowed=(following,))
    return DIE_COSTS[next_die(from_sides)]


def learn_ability(sheet: EbbSheet, name: str, group: str, drawback: str) -> EbbSheet:
    """Buy a new ability at d4 together with its drawback (EBB-FATE, EBB-DRAWBACK).

    Raises InvalidInput ("duplicate-ability", "too-many-entries", and as `check_entry`), NotFound for the
    group, Impossible("not-enough-fate"). Attributes follow from the abilities by themselves.
    """
    attribute = find_attribute(group)
    check_entry("ability", name)
    check_entry("drawback", drawback)
    if any(name_key(ability.name) == name_key(name) for ability in sheet.abilities):
        raise InvalidInput("duplicate-ability", field="ability", value=name)
    if len(sheet.abilities) >= MOST_ABILITIES:
        raise InvalidInput(
            "too-many-entries", field="ability", value=len(sheet.abilities), highest=MOST_ABILITIES
        )
    poorer = FATE.pay(sheet, advance_cost(None))
    return replace(
        poorer,
        abilities=(*poorer.abilities, Ability(name, attribute, next_die(None))),
        drawbacks=(*poorer.drawbacks, drawback),
    )


def raise_ability(sheet: EbbSheet, name: str) -> EbbSheet:
    """Raise one ability's die by one tier for Fate (EBB-FATE, EBB-TIER).

    Raises NotFound as `find_ability`, Impossible("highest-die") or Impossible("not-enough-fate").
    """
    ability = find_ability(sheet, name)
    poorer = FATE.pay(sheet, advance_cost(ability.sides))
    raised = Ability(ability.name, ability.group, next_die(ability.sides))
    return replace(
        poorer, abilities=tuple(raised if entry == ability else entry for entry in poorer.abilities)
    )


def learn(character: Character[EbbSheet], action: Learn) -> Grown:
    """A new ability at d4 with its drawback and an explanation, for 10 Fate (EBB-FATE, EBB-DRAWBACK).

    Raises as `learn_ability`, and InvalidInput("empty") without an explanation.
    """
    if not action.explanation.strip():
        raise InvalidInput("empty", field="explanation", value="", wanted="origin")
    name, drawback = " ".join(action.skill.split()), " ".join(action.drawback.split())
    before = character.sheet
    sheet = learn_ability(before, name, action.attribute, drawback)
    ability = sheet.abilities[-1]
    lines = (
        Line(
            "ebb-learned",
            {"name": ability.name, "group": ability.group, "die": f"d{ability.sides}"},
        ),
        _paid(before, sheet),
        _moved(before, sheet, ability.group),
    )
    return Grown(replace(character, sheet=sheet), lines, (Line("ebb-new-drawback", {"text": drawback}),))


def advance(character: Character[EbbSheet], action: Advance) -> Grown:
    """An ability one die up, for the maximum of the new die (EBB-FATE, EBB-TIER). Raises as `raise_ability`."""
    before = character.sheet
    ability = find_ability(before, action.skill)
    sheet = raise_ability(before, ability.name)
    sides = next_die(ability.sides)
    line = Line(
        "ebb-advanced",
        {
            "name": ability.name,
            "before": f"d{ability.sides}",
            "die": f"d{sides}",
            "title": DIE_TITLES[sides],
        },
    )
    return Grown(replace(character, sheet=sheet), (line, _paid(before, sheet)))


def advances(sheet: EbbSheet) -> tuple[Choice, ...]:
    """The abilities that have a higher die, with what it costs."""
    return tuple(
        Choice(
            ability.name,
            Line(
                "ebb-advance-choice",
                {
                    "name": ability.name,
                    "before": f"d{ability.sides}",
                    "die": f"d{next_die(ability.sides)}",
                    "cost": advance_cost(ability.sides),
                },
            ),
        )
        for ability in sheet.abilities
        if ability.sides < DIE_SIDES[-1]
    )


def _paid(before: EbbSheet, after: EbbSheet) -> Line:
    return Line("ebb-fate-paid", {"cost": before.fate - after.fate, "left": after.fate})


def _moved(before: EbbSheet, after: EbbSheet, attribute: str) -> Line:
    """What became of the attribute that belongs to a new ability (EBB-CHAR)."""
    old, new = base_attribute(before, attribute), base_attribute(after, attribute)
    return Line(
        "ebb-attribute-moved", {"name": attribute, "before": None if old == new else old, "value": new}
    )
