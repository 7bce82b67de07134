"""Effects of a sheet's options on play, folded once per sheet (MB-BG-15, MB-BG-20 to MB-BG-57)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, Literal

from rules.core.memo import memo_by_identity
from rules.core.name_matching import name_key
from rules.core.record import Record, field
from rules.systems.masterbook.character.options import BackgroundOption, Options, gives_of
from rules.systems.masterbook.character.skill_names import split_skill
from rules.systems.masterbook.formulas.option_kinds import (
    Gives,
    Healing,
    Recognition,
    Side,
    Situation,
)

#: A cause and how much it adds.
Cause = tuple[str, int]

#: Choice of damage for a natural weapon of column IV, and what it adds to Strength (MB-BG-30).
_STRONG: Final = "STR+4"
_STRONG_ADD: Final = 4

#: Entry of a list of skills that can't be used at all.
IMPOSSIBLE: Final = -1


class SkillTarget(Record):
    """A skill, focus or specialization that an option names, by keys that compare."""

    name: str
    focus: str = ""
    special: str = ""

    def covers(self, name: str, focus: str = "", special: str = "") -> bool:
        """Return whether a use of the skill falls under it.

        A skill covers its specializations, a macroskill without a focus all its focuses.
        """
        if self.name != name_key(name):
            return False
        if self.focus and self.focus != name_key(focus):
            return False
        return not self.special or self.special == name_key(special)

    def overlaps(self, other: SkillTarget) -> bool:
        """Return whether both have a skill, focus or specialization in common (MB-BG-04)."""
        if self.name != other.name:
            return False
        if self.focus and other.focus and self.focus != other.focus:
            return False
        return not self.special or not other.special or self.special == other.special


def skill_target(text: str) -> SkillTarget:
    """Return the target of `Fire Combat (pistols)` or `Science: criminology`."""
    name, focus, special = split_skill(text)
    return SkillTarget(name_key(name), name_key(focus), name_key(special))


class SkillEffect(Record):
    """A number for some skills or Attributes, and the option that gives it."""

    cause: str
    number: int
    targets: tuple[SkillTarget, ...] = ()
    attributes: tuple[str, ...] = ()
    #: Its targets as a sheet writes them.
    named: tuple[str, ...] = ()

    def covers(self, name: str, focus: str, special: str, attribute: str) -> bool:
        """Return whether it counts for a roll of that skill, or on that Attribute."""
        if attribute in self.attributes:
            return True
        return any(target.covers(name, focus, special) for target in self.targets)


class ActiveSituation(Record):
    """A situational modifier of a character, and the option that it comes from."""

    cause: str
    situation: Situation
    #: Skills that the option names, for one that counts with its targets alone.
    targets: tuple[SkillTarget, ...] = ()


class ActiveRecognition(Record):
    """A way to be recognized: Fame, Infamy or a trademark."""

    cause: str
    name: str
    column: int
    recognition: Recognition
    targets: tuple[SkillTarget, ...] = ()


class NaturalWeapon(Record):
    """A weapon of the body: added to Strength, or a damage value that stands (MB-BG-30)."""

    name: str
    ranged: bool
    add: int | None = None
    damage: int | None = None


class LearningCurve(Record):
    """Easier or harder learning of all skills, or of some Attributes' skills (MB-BG-26, -53)."""

    curve: Literal["positive", "negative"]
    attributes: tuple[str, ...] = ()


class Weakness(Record):
    """A Quirk or an Achilles' Heel."""

    cause: str
    option: BackgroundOption
    #: Difficulty of resisting; 0 for a heel.
    difficulty: int = 0


class Linked(Record):
    """A flaw, price or burn-out, and the Advantages that it hangs on."""

    cause: str
    option: BackgroundOption
    #: Column of a flaw, Life Points of a price.
    number: int = 0


class OptionEffects(Record):
    """Everything that the active options of one sheet give."""

    #: Points of Attributes above those that were bought.
    attributes: Mapping[str, int] = field(default_factory=dict[str, int])
    #: Adds of skills, focuses and specializations above those that were bought.
    adds: tuple[tuple[str, int], ...] = ()
    #: Bonus numbers after the chart, and least bonus numbers.
    bonuses: tuple[SkillEffect, ...] = ()
    floors: tuple[SkillEffect, ...] = ()
    #: Difficulties that players don't see, and skills that can't be used.
    difficulties: tuple[SkillEffect, ...] = ()
    impossible: tuple[SkillEffect, ...] = ()
    totals: tuple[SkillEffect, ...] = ()
    #: Die totals up to which an attempt fails, by flaws (MB-BG-41).
    failures: tuple[SkillEffect, ...] = ()
    situations: tuple[ActiveSituation, ...] = ()
    recognitions: tuple[ActiveRecognition, ...] = ()
    #: Cultures known without adds in scholar.
    cultures: tuple[str, ...] = ()
    contacts: Options = ()
    #: Codes of availability above the table's, the highest (MB-BG-24).
    availability: int = 0
    luck: tuple[str, ...] = ()
    curves: tuple[LearningCurve, ...] = ()
    #: The worst column of Bad Luck, 0 without it.
    bad_luck: int = 0
    stymied_shock: int = 0
    poverty: bool = False
    wealth: int = 0
    effects_skills: tuple[str, ...] = ()
    #: Languages with a limit of 1 add at first.
    limited_languages: tuple[str, ...] = ()
    healing: Healing = Healing()
    cannot_drown: bool = False
    surprise_steps: int = 0
    initiative: int = 0
    hastes: int = 0
    weapons: tuple[NaturalWeapon, ...] = ()
    #: Toughness against everything, and that with a gap: how much, and against what it fails.
    toughness: int = 0
    gapped_toughness: tuple[tuple[int, str], ...] = ()
    wounds_less: int = 0
    immunities: tuple[str, ...] = ()
    flaws: tuple[Linked, ...] = ()
    prices: tuple[Linked, ...] = ()
    burn_outs: tuple[Linked, ...] = ()
    quirks: tuple[Weakness, ...] = ()
    heels: tuple[Weakness, ...] = ()
    #: Options to remind the GM of, by moment.
    reminders: tuple[tuple[str, BackgroundOption], ...] = ()

    def cause_total(
        self,
        effects: tuple[SkillEffect, ...],
        name: str,
        focus: str = "",
        special: str = "",
        attribute: str = "",
    ) -> tuple[Cause, ...]:
        """Return the causes among *effects* that count for a roll, each with its number."""
        return tuple(
            (effect.cause, effect.number)
            for effect in effects
            if effect.covers(name, focus, special, attribute)
        )

    def ruled_out_by(self, name: str, focus: str = "", special: str = "") -> str:
        """Return the option that makes a skill impossible; empty without one (MB-BG-50)."""
        for effect in self.impossible:
            if effect.covers(name, focus, special, ""):
                return effect.cause
        return ""


@memo_by_identity
def _folder(advantages: Options) -> Callable[[Options], OptionEffects]:
    return memo_by_identity(partial(fold_options, advantages))


def folded_options(advantages: Options, compensations: Options) -> OptionEffects:
    """Return the effects of these options, kept for as long as both tuples stay the same."""
    return _folder(advantages)(compensations)


def fold_options(advantages: Options, compensations: Options) -> OptionEffects:
    """Return the effects of these options."""
    fold = _Fold()
    sides: tuple[tuple[Side, Options], ...] = (
        ("advantage", advantages),
        ("compensation", compensations),
    )
    for side, options in sides:
        for option in options:
            if option.is_active:
                for gives in gives_of(option, side):
                    if side == "advantage":
                        gives = _without_drawbacks(gives)
                    fold.add(option, gives)
                    if gives.flaw:
                        fold.add_flaw(option, linked_targets(option, advantages))
    return fold.result()


def linked_targets(option: BackgroundOption, advantages: Options) -> tuple[SkillTarget, ...]:
    """Return the skills of the Advantages that a Compensation hangs on (MB-BG-41)."""
    wanted = {name_key(link) for link in option.link}
    found: dict[SkillTarget, None] = {}
    for advantage in advantages:
        if not wanted & {name_key(advantage.title), name_key(advantage.label)}:
            continue
        for gives in gives_of(advantage, "advantage"):
            for name in (*gives.totals, *gives.listed):
                found[skill_target(name)] = None
        for name in advantage.targets:
            found[skill_target(name)] = None
    return tuple(found)


def _without_drawbacks(gives: Gives) -> Gives:
    """Return what an Advantage gives: flaws, prices, Quirks and the like are Compensations."""
    return gives.replace(flaw=0, price=0, quirk=0, heel=False, burns_out=False)


class _Fold:
    """Builder of `OptionEffects`: keys are names of its fields."""

    def __init__(self) -> None:
        self._attributes: dict[str, int] = {}
        self._lists: dict[str, list[object]] = {}
        self._sums: dict[str, int] = {}
        self._highest: dict[str, int] = {}
        self._flags: set[str] = set()
        self._healing = Healing()

    def add(self, option: BackgroundOption, gives: Gives) -> None:
        """Add what one option gives."""
        self._add_rolls(option, gives)
        self._add_body(option, gives)
        self._add_story(option, gives)

    def result(self) -> OptionEffects:
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
        cause = option.display_name
        targets = tuple(skill_target(each) for each in option.targets)
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
            if gives.bonus_from:
                situation = situation.replace(high=bonus, proposed=bonus)
            named = targets if gives.bonus_from else ()
            self._append("situations", ActiveSituation(cause, situation, named))

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
            attributes = tuple(name_key(each) for each in option.targets)
            self._append("difficulties", SkillEffect(cause, gives.difficulty, targets, attributes))

    def add_flaw(self, option: BackgroundOption, targets: tuple[SkillTarget, ...]) -> None:
        """Add the numbers of a flaw, for the skills of its Advantages (MB-BG-41)."""
        lists = {"difficulty": "difficulties", "bonus": "bonuses", "fails on": "failures"}
        for key, field_name in lists.items():
            number = option.number(key)
            if number:
                self._append(field_name, SkillEffect(option.display_name, number, targets))

    def _add_body(self, option: BackgroundOption, gives: Gives) -> None:
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
        cause = option.display_name
        targets = tuple(skill_target(each) for each in option.targets)
        if gives.recognition is not None:
            self._append(
                "recognitions",
                ActiveRecognition(cause, option.name, option.column, gives.recognition, targets),
            )
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
            attributes = tuple(name_key(each) for each in option.targets)
            self._append("curves", LearningCurve(gives.curve, attributes))
        self._raise("bad_luck", gives.bad_luck)
        self._sum("stymied_shock", gives.stymied_shock)
        if gives.effects_access:
            self._append("effects_skills", *option.targets)
        if gives.language:
            self._append("limited_languages", option.note("local language"))
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
        self._append("reminders", *((moment, option) for moment in gives.reminds))


def _better_healing(one: Healing, other: Healing) -> Healing:
    """Return the better of two ways to heal, part by part."""
    hours = [each.light_hours for each in (one, other) if each.light_hours is not None]
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
