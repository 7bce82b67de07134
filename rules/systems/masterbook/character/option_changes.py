"""Changes of a sheet's values from one moment to another: `Dodge 3 → 4 (14)`."""

from __future__ import annotations

from collections.abc import Iterator

from rules.core.name_matching import name_key
from rules.systems.masterbook.character.derived_values import capacity_of, rates_of, toughness_of
from rules.systems.masterbook.character.option_effects import SkillEffect
from rules.systems.masterbook.character.sheet import (
    MasterbookSheet,
    Skill,
    attribute,
    attribute_limit,
    option_effects,
    skills_with_adds,
)
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.formulas import attributes
from rules.systems.masterbook.formulas.skills import SKILLS
from rules.table.blocks import Text


def option_changes(before: MasterbookSheet, after: MasterbookSheet) -> Iterator[Text]:
    """Yield what differs in play between two states of a sheet, one line each."""
    yield from _changed_attributes(before, after)
    yield from _changed_skills(before, after)
    yield from _changed_derived(before, after)
    yield from _new_bonuses(before, after)


def _changed_attributes(before: MasterbookSheet, after: MasterbookSheet) -> Iterator[Text]:
    for key in ATTRIBUTES:
        old, new = attribute(before, key), attribute(after, key)
        if old != new:
            shown = {"name": key.capitalize(), "before": old, "after": new}
            yield Text("mb-change", {**shown, "limit": attribute_limit(after, key)})


def _changed_skills(before: MasterbookSheet, after: MasterbookSheet) -> Iterator[Text]:
    old = {name_key(skill.title): skill for skill in skills_with_adds(before)}
    for skill in skills_with_adds(after):
        was = old.get(name_key(skill.title), Skill(skill.name, 0, skill.focus))
        if was.adds != skill.adds:
            shown = {"name": skill.title, "before": was.adds, "after": skill.adds}
            yield Text("mb-change", {**shown, "value": _value(after, skill)})
        earlier_adds = {name_key(name): adds for name, adds in was.specializations}
        for name, adds in skill.specializations:
            before_adds = earlier_adds.get(name_key(name), 0)
            if before_adds != adds:
                title = f"{skill.title} ({name})"
                shown = {"name": title, "before": before_adds, "after": adds}
                yield Text("mb-change", {**shown, "value": _value(after, skill, adds)})


def _value(sheet: MasterbookSheet, skill: Skill, special: int = 0) -> int | None:
    """Return the value of a skill; None for a skill without an Attribute."""
    kind = SKILLS.get(skill.name)
    key = skill.attribute if kind is None else kind.attribute
    if key not in ATTRIBUTES:
        return None
    return attributes.skill_value(attribute(sheet, key), skill.adds, special)[0]


def _changed_derived(before: MasterbookSheet, after: MasterbookSheet) -> Iterator[Text]:
    numbers = [
        ("toughness", toughness_of(before), toughness_of(after)),
        ("shock", capacity_of(before), capacity_of(after)),
    ]
    new_rates = rates_of(after)
    numbers += [(key, rate, new_rates[key]) for key, rate in rates_of(before).items()]
    for what, old, new in numbers:
        if old != new:
            yield Text("mb-change-derived", {"what": what, "before": old, "after": new})


def _new_bonuses(before: MasterbookSheet, after: MasterbookSheet) -> Iterator[Text]:
    old, new = option_effects(before), option_effects(after)
    for effect in new.bonuses[len(old.bonuses) :]:
        if effect.targets:
            yield Text("mb-change-bonus", {"n": effect.number, "names": _names(effect)})
    for effect in new.floors[len(old.floors) :]:
        if effect.targets:
            yield Text("mb-change-floor", {"n": effect.number, "names": _names(effect)})
    if new.availability != old.availability:
        yield Text("mb-change-availability", {"n": new.availability})
    if new.initiative != old.initiative:
        shown = {"before": old.initiative, "after": new.initiative}
        yield Text("mb-change-derived", {"what": "initiative", **shown})


def _names(effect: SkillEffect) -> tuple[str, ...]:
    titles: list[str] = []
    for target in effect.targets:
        title = f"{target.name}: {target.focus}" if target.focus else target.name
        titles.append(f"{title} ({target.special})" if target.special else title)
    return tuple(titles)
