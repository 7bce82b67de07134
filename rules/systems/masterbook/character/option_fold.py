"""Fold of a sheet's active options into their effects."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from rules.core.memo import memo_by_identity
from rules.core.name_matching import name_key
from rules.systems.masterbook.character.option_effects import (
    IMPOSSIBLE,
    ActiveRecognition,
    ActiveSituation,
    LearningCurve,
    Linked,
    NaturalWeapon,
    OptionEffects,
    SkillEffect,
    SkillTarget,
    Weakness,
    skill_target,
)
from rules.systems.masterbook.character.options import BackgroundOption, Options, gives_of
from rules.systems.masterbook.formulas.option_kinds import (
    Gives,
    Healing,
    Recognition,
)

#: Choice of damage for a natural weapon of column IV, and what it adds to Strength (MB-BG-30).
_STRONG: Final = "STR+4"
_STRONG_ADD: Final = 4


@memo_by_identity
def _folder(advantages: Options) -> Callable[[Options], OptionEffects]:
    return memo_by_identity(partial(fold_options, advantages))


def folded_options(advantages: Options, compensations: Options) -> OptionEffects:
    """Return the effects of these options, kept for as long as both tuples stay the same."""
    return _folder(advantages)(compensations)


def fold_options(advantages: Options, compensations: Options) -> OptionEffects:
    """Return the effects of these options."""
    fold = _Fold()
    for option in advantages:
        if option.is_active:
            for gives in gives_of(option, "advantage"):
                fold.add(option, _without_drawbacks(gives))
    for option in compensations:
        if option.is_active:
            for gives in gives_of(option, "compensation"):
                fold.add(option, gives)
                if gives.flaw:
                    fold.add_flaw(option, linked_targets(option, advantages))
    return fold.result()


def linked_targets(option: BackgroundOption, advantages: Options) -> tuple[SkillTarget, ...]:
    """Return the skills of the Advantages that a Compensation hangs on (MB-BG-41)."""
    wanted = {name_key(link) for link in option.link}
    names: list[str] = []
    for advantage in advantages:
        if not wanted & {name_key(advantage.title), name_key(advantage.label)}:
            continue
        for gives in gives_of(advantage, "advantage"):
            names += (*gives.totals, *gives.listed)
        names += advantage.targets
    return tuple(dict.fromkeys(skill_target(name) for name in names))


def _without_drawbacks(gives: Gives) -> Gives:
    """Return what an Advantage gives: flaws, prices, Quirks and the like are Compensations."""
    return gives.replace(flaw=0, price=0, quirk=0, heel=False, burns_out=False)


class _Fold:
    """Builder of `OptionEffects`: keys are names of its fields."""

    def __init__(self) -> None:
        self._attributes: dict[str, int] = {}
        self._lists: dict[str, list[object]] = {}
        #: Numbers that add up, and those of which the highest counts.
        self._sums: dict[str, int] = {}
        self._highest: dict[str, int] = {}
        #: Fields that are True.
        self._flags: set[str] = set()
        self._healing = Healing()

    def add(self, option: BackgroundOption, gives: Gives) -> None:
        """Add what one option gives."""
        self._add_rolls(option, gives)
        self._add_body(option, gives)
        self._add_story(option, gives)

    def result(self) -> OptionEffects:
        """Return the effects of all that was added."""
        lists = {key: tuple(entries) for key, entries in self._lists.items()}
        numbers = self._sums | self._highest
        flags = dict.fromkeys(self._flags, True)
        values: dict[str, object] = {**lists, **numbers, **flags}
        return OptionEffects(attributes=self._attributes, healing=self._healing).replace(**values)

    def _append(self, key: str, *entries: object) -> None:
        self._lists.setdefault(key, []).extend(entries)

    def _sum(self, key: str, number: int) -> None:
        if number:
            self._sums[key] = self._sums.get(key, 0) + number

    def _raise(self, key: str, number: int) -> None:
        if number:
            self._highest[key] = max(number, self._highest.get(key, 0))

    def _add_rolls(self, option: BackgroundOption, gives: Gives) -> None:
        """Add what an option changes about Attributes, skills and rolls."""
        cause = option.display_name
        targets = _skill_targets(option)
        for target in option.targets:
            if gives.attribute:
                key = name_key(target)
                self._attributes[key] = self._attributes.get(key, 0) + gives.attribute
            number = gives.special_adds if skill_target(target).special else gives.adds
            if number:
                self._append("adds", (target, number))
        bonus = option.number(gives.bonus_from) if gives.bonus_from else gives.bonus
        if bonus and not gives.situations:
            self._append("bonuses", SkillEffect(cause, bonus, targets, named=option.targets))
        if gives.floor is not None:
            self._append("floors", SkillEffect(cause, gives.floor, targets, named=option.targets))
        self._add_difficulties(option, gives, targets)
        for name, number in gives.totals.items():
            self._append("totals", SkillEffect(cause, number, (skill_target(name),)))
        for situation in gives.situations:
            active = ActiveSituation(cause, situation)
            if gives.bonus_from:
                counted = situation.replace(high=bonus, proposed=bonus)
                active = ActiveSituation(cause, counted, targets)
            self._append("situations", active)

    def _add_difficulties(
        self, option: BackgroundOption, gives: Gives, targets: tuple[SkillTarget, ...]
    ) -> None:
        cause = option.display_name
        listed = {skill_target(name): number for name, number in gives.listed.items()}
        if gives.listed_numbers:
            listed |= {skill_target(name): number for name, number in option.numbers}
        for target, number in listed.items():
            key = "impossible" if number == IMPOSSIBLE else "difficulties"
            if number:
                self._append(key, SkillEffect(cause, number, (target,)))
        if gives.difficulty:
            keys = _attribute_keys(option)
            self._append("difficulties", SkillEffect(cause, gives.difficulty, targets, keys))

    def add_flaw(self, option: BackgroundOption, targets: tuple[SkillTarget, ...]) -> None:
        """Add the numbers of a flaw, for the skills of its Advantages (MB-BG-41)."""
        lists = {"difficulty": "difficulties", "bonus": "bonuses", "fails on": "failures"}
        for key, field_name in lists.items():
            number = option.number(key)
            if number:
                self._append(field_name, SkillEffect(option.display_name, number, targets))

    def _add_body(self, option: BackgroundOption, gives: Gives) -> None:
        """Add what an option changes about wounds, healing and speed."""
        if gives.healing is not None:
            self._healing = _better_healing(self._healing, gives.healing)
        if gives.cannot_drown:
            self._flags.add("cannot_drown")
        self._raise("surprise_steps", gives.surprise_steps)
        self._sum("initiative", gives.initiative)
        self._sum("hastes", gives.hastes)
        self._sum("wounds_less", gives.wounds_less)
        gap = option.note("except")
        thick = option.number(gives.toughness_from) if gives.toughness_from else gives.toughness
        if thick and gap:
            self._append("gapped_toughness", (thick, gap))
        else:
            self._sum("toughness", thick)
        if gives.natural_weapon:
            self._append("weapons", _natural_weapon(option, gives))
        if gives.immunity:
            self._append("immunities", option.note("environment"))

    def _add_story(self, option: BackgroundOption, gives: Gives) -> None:
        """Add what an option changes about fame, learning, wealth and special effects."""
        if gives.recognition is not None:
            self._append("recognitions", _recognition(option, gives.recognition))
        if gives.scholar:
            self._append("cultures", option.note("culture"))
        if gives.contact:
            self._append("contacts", option)
        self._raise("availability", gives.availability)
        self._raise("wealth", gives.wealth)
        if gives.poverty:
            self._flags.add("poverty")
        if gives.luck:
            self._append("luck", gives.luck)
        if gives.curve:
            self._append("curves", LearningCurve(gives.curve, _attribute_keys(option)))
        self._raise("bad_luck", gives.bad_luck)
        self._sum("stymied_shock", gives.stymied_shock)
        if gives.effects_access:
            self._append("effects_skills", *option.targets)
        if gives.language:
            self._append("limited_languages", option.note("local language"))
        self._add_drawbacks(option, gives)
        self._append("reminders", *((moment, option) for moment in gives.reminds))

    def _add_drawbacks(self, option: BackgroundOption, gives: Gives) -> None:
        """Add flaws, prices, Quirks and heels."""
        cause = option.display_name
        if gives.flaw:
            self._append("flaws", Linked(cause, option, gives.flaw))
        if gives.price:
            self._append("prices", Linked(cause, option, gives.price))
        if gives.burns_out:
            self._append("burn_outs", Linked(cause, option))
        if gives.quirk:
            self._append("quirks", Weakness(cause, option, gives.quirk))
        if gives.heel:
            self._append("heels", Weakness(cause, option))


def _skill_targets(option: BackgroundOption) -> tuple[SkillTarget, ...]:
    return tuple(skill_target(text) for text in option.targets)


def _attribute_keys(option: BackgroundOption) -> tuple[str, ...]:
    return tuple(name_key(text) for text in option.targets)


def _recognition(option: BackgroundOption, recognition: Recognition) -> ActiveRecognition:
    targets = _skill_targets(option)
    return ActiveRecognition(option.display_name, option.name, option.column, recognition, targets)


def _better_healing(one: Healing, other: Healing) -> Healing:
    """Return the better of two ways to heal, part by part."""
    hours = [way.light_hours for way in (one, other) if way.light_hours is not None]
    return Healing(
        max(one.bonus, other.bonus),
        max(one.rows, other.rows),
        max(one.shock_each_round, other.shock_each_round),
        one.all_shock or other.all_shock,
        min(hours, default=None),
        one.light_by_itself or other.light_by_itself,
    )


def _natural_weapon(option: BackgroundOption, gives: Gives) -> NaturalWeapon:
    ranged = gives.natural_weapon == "ranged"
    own = option.label if len(option.targets) == 1 else ""
    weapon = NaturalWeapon(own or gives.weapon_name, ranged)
    chosen = option.note("damage")
    if chosen == _STRONG:
        return weapon.replace(add=_STRONG_ADD)
    if chosen.isdecimal():
        return weapon.replace(damage=int(chosen))
    if ranged:
        return weapon.replace(damage=option.number("missile damage"))
    return weapon.replace(add=option.number("damage"))
