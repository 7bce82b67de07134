"""Skill points that are bound to a group of skills (MB-GM-05)."""

from __future__ import annotations

from typing import Final

from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.formulas.option_kinds import COMBAT_SKILLS

NON_COMBAT: Final = "non_combat"
COMBAT: Final = "combat"
#: Groups that points can be bound to: by combat, or by the Attribute of the skills.
GROUPS: Final = (NON_COMBAT, COMBAT, *ATTRIBUTES)


def fits_group(group: str, skill: str, attribute: str) -> bool:
    """Return whether a group has a skill, given the skill's Attribute."""
    if group in (NON_COMBAT, COMBAT):
        return (skill in COMBAT_SKILLS) == (group == COMBAT)
    return group == attribute


def points_in_group(sheet: MasterbookSheet, group: str) -> int:
    """Return the skill points that are bound to a group."""
    return dict(sheet.bound_points).get(group, 0)


def with_points_in_group(sheet: MasterbookSheet, group: str, points: int) -> MasterbookSheet:
    """Return the sheet with another number of skill points bound to a group."""
    bound = dict(sheet.bound_points) | {group: points}
    unspent = tuple((key, number) for key, number in bound.items() if number)
    return sheet.replace(bound_points=unspent)


def bound_points_for(sheet: MasterbookSheet, skill: str, attribute: str) -> int:
    """Return the bound skill points that a skill can be raised with."""
    total = 0
    for group, points in sheet.bound_points:
        if fits_group(group, skill, attribute):
            total += points
    return total


def spend_bound_points(
    sheet: MasterbookSheet, skill: str, attribute: str, cost: int
) -> tuple[MasterbookSheet, int]:
    """Spend the bound points that fit a skill; return the sheet, and what is left to pay."""
    for group, points in sheet.bound_points:
        if fits_group(group, skill, attribute):
            spent = min(points, cost)
            cost -= spent
            sheet = with_points_in_group(sheet, group, points - spent)
    return sheet, cost
