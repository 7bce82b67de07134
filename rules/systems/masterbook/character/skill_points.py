"""Skill points of a new character: what its skills cost, and how many there are."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from rules.systems.masterbook.character.raw_sheet import RawSheet, is_whole
from rules.systems.masterbook.character.sheet import Skill
from rules.systems.masterbook.formulas import attributes
from rules.systems.masterbook.formulas.option_kinds import COMBAT_SKILLS, EFFECTS_SKILLS
from rules.systems.masterbook.formulas.skills import SKILLS


def adds_total(skills: Iterable[Skill]) -> tuple[int, int]:
    """Return the adds of skills and focuses, and those of specializations."""
    general = special = 0
    for skill in skills:
        general += skill.adds
        special += sum(adds for _, adds in skill.specializations)
    return general, special


def halves_of(general: int, special: int) -> int:
    """Return the price of adds in half skill points (MB-CHAR-09)."""
    return 2 * general + special


def skill_halves(skills: Iterable[Skill]) -> int:
    """Return the price of skills in half skill points (MB-CHAR-09)."""
    return halves_of(*adds_total(skills))


def spent_halves(skills: Iterable[Skill]) -> int:
    """Return the half points that a draft's skills cost; a misspelled skill costs nothing yet."""
    return skill_halves(skill for skill in skills if skill.name in SKILLS or skill.attribute)


def skill_budget(raw: RawSheet) -> int | None:
    """Return the starting skill points; None without Intellect and Mind (MB-CHAR-08)."""
    intellect, mind = raw.attributes.get("intellect"), raw.attributes.get("mind")
    if not is_whole(intellect) or not is_whole(mind):
        return None
    return attributes.starting_skill_points(intellect, mind)


def theme_halves(skills: Iterable[Skill]) -> int:
    """Return what is spent on skills outside fighting and special effects (MB-CHAR-14)."""
    return skill_halves(
        skill for skill in skills if skill.name not in (*COMBAT_SKILLS, *EFFECTS_SKILLS)
    )


def theme_quota(budget: int) -> Fraction:
    """Return the skill points that theme skills need, a fourth of all, not rounded (MB-CHAR-14)."""
    return Fraction(budget, 4)


def meets_theme_quota(budget: int, halves: int) -> bool:
    """Return whether enough half points are spent on theme skills (MB-CHAR-14)."""
    return Fraction(halves, 2) >= theme_quota(budget)
