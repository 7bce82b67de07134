"""Skills in which a character may build and cast special effects (MB-SFX-10, MB-SFX-12)."""

from __future__ import annotations

from typing import Final

from rules.systems.masterbook.character.effect_rules import kind_allowed
from rules.systems.masterbook.character.sheet import (
    MasterbookSheet,
    attribute,
    changed_value,
    option_effects,
    skill_change,
    skills_with_adds,
)
from rules.systems.masterbook.character.skill_names import split_skill
from rules.systems.masterbook.formulas.effect_rows import EFFECT_SKILLS
from rules.systems.masterbook.formulas.skills import SKILLS
from rules.table.system import Game

#: Setting by which Special Effects brings a first add.
_FREE_ADD: Final = "special_effects_free_add"


def opened_skills(sheet: MasterbookSheet) -> tuple[str, ...]:
    """Return the skills that Special Effects opens; each time it is held counts (MB-BG-31)."""
    return tuple(split_skill(name)[0] for name in option_effects(sheet).effects_skills)


def brings_free_add(game: Game) -> bool:
    """Return whether Special Effects brings a first add in its skill (MB-BG-31)."""
    return game.setting(_FREE_ADD) != "never"


def is_kind_open(game: Game, sheet: MasterbookSheet, skill: str) -> bool:
    """Return whether the world has the kind of a skill's effects, or Special Effects gives it."""
    return kind_allowed(game, skill) or skill in opened_skills(sheet)


def casting_skills(game: Game, sheet: MasterbookSheet) -> dict[str, int]:
    """Return the skills in which a character may build effects, each with its value.

    Those are skills with adds, or a specialization, and skills with the free add of Special
    Effects. A specialization counts for its own effect alone, so it adds nothing to the value.
    """
    values: dict[str, int] = {}
    for skill in skills_with_adds(sheet):
        if skill.name not in EFFECT_SKILLS or not (skill.adds or skill.specializations):
            continue
        if is_kind_open(game, sheet, skill.name):
            value = _value(sheet, skill.name, skill.adds, skill.focus)
            values[skill.name] = max(value, values.get(skill.name, 0))
    if brings_free_add(game):
        for name in opened_skills(sheet):
            values.setdefault(name, _value(sheet, name, 1))
    return values


def casting_attribute(sheet: MasterbookSheet, skill: str) -> int:
    """Return the value of an effect skill's Attribute, which counts without adds in the skill."""
    return attribute(sheet, SKILLS[skill].attribute)


def _value(sheet: MasterbookSheet, skill: str, adds: int, focus: str = "") -> int:
    """Return the value of a skill with its adds and the changes of running effects."""
    value = casting_attribute(sheet, skill) + adds
    return changed_value(value, skill_change(sheet, skill, focus))
