"""Effects of a sheet's options on play, folded once per sheet (MB-BG-15, MB-BG-20 to MB-BG-57)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from rules.core.name_matching import name_key
from rules.core.record import Record, field
from rules.systems.masterbook.character.options import BackgroundOption, Options
from rules.systems.masterbook.character.skill_names import split_skill
from rules.systems.masterbook.formulas.option_kinds import (
    Healing,
    Recognition,
    Situation,
)

#: A cause and how much it adds.
Cause = tuple[str, int]


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
