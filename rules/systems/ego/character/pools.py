"""Sources of rolls by name, and the dice of their pools (EGO-CHR-05, EGO-SKL-02, EGO-SPC-02)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from operator import attrgetter
from typing import Any, Final

from rules.core.errors import InvalidInput
from rules.core.memo import memo_by_identity
from rules.core.name_matching import matches, unique_match
from rules.core.record import Record
from rules.systems.ego.character.sheet import ABILITIES as ABILITIES
from rules.systems.ego.character.sheet import EgoSheet, ability_dice, level_of
from rules.systems.ego.command_forms import unwanted_error
from rules.systems.ego.formulas import body
from rules.systems.ego.formulas.reference_rows import Rows, SkillKind, skills_of

#: Specialty whose roll adds the successes of a roll for knowledge as dice (EGO-SPC-03).
DIPLOMACY: Final = "Diplomacy"
#: Skill of all social specialties, and the specialty that leaves a mark.
SOCIAL, SEDUCTION = "Social Skills", "Seduction"


class RollSource(Record):
    """Source of a roll: a skill with its ability, a specialty by itself, or an ability alone."""

    name: str
    #: Name of the skill without its field.
    skill: str = ""
    level: int = 0
    #: Ability of the roll; empty for a specialty by itself.
    ability: str = ""
    #: Ability that may replace `ability`.
    other: str = ""
    #: Whether the source is a specialty that is rolled by itself.
    own: bool = False


def derived(sheet: EgoSheet) -> dict[str, Any]:
    """Return the Action Points of a round, and the damage of a level of impairment (EGO-CHR-04)."""
    return {"ap": ability_dice(sheet, "agility"), "step": f"{float(body.step(sheet.vitality)):g}"}


#: Parts of a pool: name and dice.
Terms = tuple[tuple[str, int], ...]
_NAME: Final = attrgetter("name")


def learned_sources(sheet: EgoSheet, campaign: Rows) -> tuple[RollSource, ...]:
    """Return the learned skills, then the learned specialties that are rolled by themselves."""
    return _learned_by_campaign(sheet)(campaign)


@memo_by_identity
def _learned_by_campaign(sheet: EgoSheet) -> Callable[[Rows], tuple[RollSource, ...]]:
    return memo_by_identity(partial(_learned_of, sheet))


def _learned_of(sheet: EgoSheet, campaign: Rows) -> tuple[RollSource, ...]:
    skills = skills_of(campaign)
    sources: list[RollSource] = []
    for skill in sheet.skills:
        kind = skills.get(skill.name, SkillKind(skill.name))
        ability = skill.ability or kind.ability
        if ability:
            level = level_of(sheet, skill.name, skill.field)
            sources.append(RollSource(skill.title, skill.name, level, ability, kind.other))
    skill_of_own: dict[str, str] = {}
    for kind in skills.values():
        skill_of_own |= {row.name: kind.name for row in kind.specialties if row.own}
    for specialty in sheet.specialties:
        name = specialty.name
        if name in skill_of_own:
            sources.append(RollSource(name, skill_of_own[name], specialty.level, own=True))
    return tuple(sources)


def unlearned_sources(sheet: EgoSheet, campaign: Rows) -> tuple[RollSource, ...]:
    """Return the skills of the list that a character lacks (EGO-CHR-05).

    Their ability is rolled in their place.
    """
    learned = {skill.name for skill in sheet.skills}
    sources: list[RollSource] = []
    for row in skills_of(campaign).values():
        if row.ability and row.name not in learned:
            sources.append(RollSource(row.name, row.name, 0, row.ability, row.other))
    return tuple(sources)


def find_source(sheet: EgoSheet, campaign: Rows, text: str) -> RollSource:
    """Return the skill or specialty that *text* names.

    Learned ones come first. Raises NotFound("unknown-choice", "ambiguous-choice").
    """
    learned = learned_sources(sheet, campaign)
    pool = learned
    if not matches(learned, text, _NAME):
        pool = (*learned, *unlearned_sources(sheet, campaign))
    return unique_match(pool, text, _NAME, field="skill")


def find_ability(text: str) -> str:
    """Return the ability that *text* names. Raises NotFound as `find_source`."""
    return unique_match(ABILITIES, text, str.capitalize, field="attribute")


def terms(sheet: EgoSheet, means: RollSource | None, ability: str) -> tuple[tuple[str, int], ...]:
    """Return the parts of a pool: level (0 if untrained) and ability dice (EGO-SKL-02, EGO-SPC-02).

    Raises InvalidInput("ego-other-ability") for an ability that does not go with the skill, and
    InvalidInput("ego-leave-out") for one with a specialty by itself.
    """
    if means is None:
        return ((ability.capitalize(), ability_dice(sheet, ability)),) if ability else ()
    if means.own:
        if ability:
            raise unwanted_error("attribute", means.name, ability)
        return ((means.name, means.level),)
    if ability and ability not in (means.ability, means.other):
        allowed = tuple(key.capitalize() for key in (means.ability, means.other) if key)
        about = {"field": "attribute", "value": ability.capitalize(), "name": means.name}
        raise InvalidInput("ego-other-ability", **about, allowed=allowed)
    ability = ability or means.ability
    levels = ((means.name, means.level),) if means.level or means.skill else ()
    return (*levels, (ability.capitalize(), ability_dice(sheet, ability)))


def source_params(sheet: EgoSheet, means: RollSource) -> dict[str, int | str | None]:
    """Return the parameters of the text on a source: name, level and dice."""
    return {
        "name": means.name,
        "level": means.level or None,
        "rank": dice_in(terms(sheet, means, "")),
    }


def penalty_terms(penalty: int) -> Terms:
    """Return the term of the dice that over-spending takes, if any (EGO-AP-02)."""
    return (("over", -penalty),) if penalty else ()


def dice_in(parts: Iterable[tuple[str, int]]) -> int:
    """Return the sum of the dice of a pool's parts."""
    return sum([number for _, number in parts])
