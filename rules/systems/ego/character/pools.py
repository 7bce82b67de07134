"""What somebody can roll, by name, and of how many dice the pool consists (EGO-CHR-05, EGO-SKL-02,
EGO-SPC-02).
"""

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

#: Whose own roll takes the successes of another before it as dice (EGO-SPC-03).
DIPLOMACY: Final = "Diplomacy"
#: The skill of which all social specialties are, and what one of them leaves behind.
SOCIAL, SEDUCTION = "Social Skills", "Seduction"


class RollSource(Record):
    """Something that is rolled: a skill with its ability, a specialty by itself, or an ability
    alone.

    `skill` is that without its field. `other` is the ability that may stand in for `ability`. An
    own roll has none.
    """

    name: str
    skill: str = ""
    level: int = 0
    ability: str = ""
    other: str = ""
    own: bool = False


def derived(sheet: EgoSheet) -> dict[str, Any]:
    """Action Points of a round, and what makes one level of impairment, as it is told
    (EGO-CHR-04).
    """
    return {"ap": ability_dice(sheet, "agility"), "step": f"{float(body.step(sheet.vitality)):g}"}


#: What a pool consists of, by name.
Terms = tuple[tuple[str, int], ...]
_NAME: Final = attrgetter("name")


def learned_sources(sheet: EgoSheet, campaign: Rows) -> tuple[RollSource, ...]:
    """What somebody has learned, skills first, and of specialties those that are rolled by
    themselves.
    """
    return _learned(sheet)(campaign)


@memo_by_identity
def _learned(sheet: EgoSheet) -> Callable[[Rows], tuple[RollSource, ...]]:
    return memo_by_identity(partial(_known, sheet))


def _known(sheet: EgoSheet, campaign: Rows) -> tuple[RollSource, ...]:
    skills = skills_of(campaign)
    found: list[RollSource] = []
    for each in sheet.skills:
        kind = skills.get(each.name, SkillKind(each.name))
        ability = each.ability or kind.ability
        if ability:
            level = level_of(sheet, each.name, each.field)
            found.append(RollSource(each.title, each.name, level, ability, kind.other))
    special = [(kind.name, each) for kind in skills.values() for each in kind.specialties]
    own = {each.name: name for name, each in special if each.own}
    rolled = [each for each in sheet.specialties if each.name in own]
    found += [RollSource(each.name, own[each.name], each.level, own=True) for each in rolled]
    return tuple(found)


def unlearned_sources(sheet: EgoSheet, campaign: Rows) -> tuple[RollSource, ...]:
    """The skills of the list that somebody lacks: its ability is rolled in their place
    (EGO-CHR-05).
    """
    have = {each.name for each in sheet.skills}
    rows = [each for each in skills_of(campaign).values() if each.ability and each.name not in have]
    return tuple([RollSource(each.name, each.name, 0, each.ability, each.other) for each in rows])


def find_source(sheet: EgoSheet, campaign: Rows, text: str) -> RollSource:
    """The skill or specialty that is meant. NotFound("unknown-choice", "ambiguous-choice")."""
    learned = learned_sources(sheet, campaign)
    pool = (
        learned
        if matches(learned, text, _NAME)
        else (*learned, *unlearned_sources(sheet, campaign))
    )
    return unique_match(pool, text, _NAME, field="skill")


def find_ability(text: str) -> str:
    """The ability that is meant, in its one form. NotFound as `find_source`."""
    return unique_match(ABILITIES, text, field="attribute")


def terms(sheet: EgoSheet, means: RollSource | None, ability: str) -> tuple[tuple[str, int], ...]:
    """What a pool consists of, by name: levels (0: untrained), ability dice (EGO-SKL-02,
    EGO-SPC-02).

    InvalidInput("ego-other-ability") for an ability that does not go with the skill.
    """
    if means is None:
        return ((ability.capitalize(), ability_dice(sheet, ability)),) if ability else ()
    if means.own:
        if ability:
            raise unwanted_error("attribute", means.name, ability)
        return ((means.name, means.level),)
    if ability and ability not in (means.ability, means.other):
        allowed = tuple([each.capitalize() for each in (means.ability, means.other) if each])
        about = {"field": "attribute", "value": ability.capitalize(), "name": means.name}
        raise InvalidInput("ego-other-ability", **about, allowed=allowed)
    ability = ability or means.ability
    levels = ((means.name, means.level),) if means.level or means.skill else ()
    return (*levels, (ability.capitalize(), ability_dice(sheet, ability)))


def source_params(sheet: EgoSheet, means: RollSource) -> dict[str, int | str | None]:
    """What is told of something that is rolled: name, level and dice."""
    return {
        "name": means.name,
        "level": means.level or None,
        "rank": dice_in(terms(sheet, means, "")),
    }


def penalty_terms(penalty: int) -> Terms:
    """Return the term of the dice that over-spending takes, if any (EGO-AP-02)."""
    return (("over", -penalty),) if penalty else ()


def dice_in(found: Iterable[tuple[str, int]]) -> int:
    """How many dice these are together."""
    return sum([number for _, number in found])
