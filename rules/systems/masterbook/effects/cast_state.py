"""A casting as far as it has come, and its outcome (MB-SFX-20, MB-SFX-31)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from rules.core.record import Record
from rules.systems.masterbook.checks.state import Attempt, Blow, Result
from rules.systems.masterbook.deck.play import card_causes
from rules.systems.masterbook.effects.state import EffectTarget
from rules.systems.masterbook.formulas.dice import Throw
from rules.systems.masterbook.formulas.effect_blueprint import (
    Blueprint,
    Condition,
    ConditionKind,
    KnownEffect,
)
from rules.systems.masterbook.formulas.effect_condition_points import condition_dn
from rules.systems.masterbook.formulas.effect_values import (
    CastResult,
    Detour,
    cast_result,
    failed_result,
    final_effect_value,
)
from rules.systems.masterbook.formulas.effect_worksheet import Figures
from rules.systems.masterbook.formulas.reference_rows import cause_total

#: Key of the procedure.
KIND: Final = "cast"
#: What helpers of a community throw.
HELP: Final = "help"
#: Conditions that take rolls, in the order of the book (MB-SFX-31).
SUPPORT_ORDER: Final[tuple[ConditionKind, ...]] = (
    "concentration",
    "community",
    "gesture",
    "incantation",
    "related_skill",
)
#: Cause that makes an effect fail without regard to its roll: the condition that was not met, or
#: an interruption of the concentration.
Spoiled = ConditionKind | Literal["", "interrupted"]


class CastOutcome(Record):
    """A casting that has succeeded, with everything that its effect takes hold with."""

    known: KnownEffect
    caster: str
    #: Effect value: the one chosen in the band, with the surplus and what cards add.
    effect_value: int
    targets: tuple[EffectTarget, ...] = ()
    #: Points of a bought extension that the caster takes (MB-SFX-S11).
    extension: int = 0
    #: Total of the casting, for effects that hit with it; and result points over the difficulty.
    total: int = 0
    points: int = 0
    #: Whether it fills charges instead of taking hold; and what holds them, in words.
    charges: bool = False
    holder: str = ""
    #: Character that carries what holds them; empty: the caster.
    bearer: str = ""
    #: Value with which a ward notices its trigger: the result points (MB-SFX-29).
    ward_perception: int = 0
    #: Check of the casting, whose dice a further roll is thrown with.
    check: str = ""
    #: What it goes around on its way; None: its way is free (MB-SFX-S12).
    around: Detour | None = None
    #: Steps by which the caster has chosen its effect value above what the casting came to, or
    #: below (MB-SFX-S10).
    shift: int = 0


class Helper(Record):
    """A character of a community: it rolls once its player has said so."""

    #: Index of the condition.
    condition: int
    who: str
    ready: bool = False
    #: Whether the GM has ruled that the character fails.
    fails: bool = False

    @property
    def answered(self) -> bool:
        return self.ready or self.fails


class Crowd(Record):
    """The characters of a community who have no names: the GM plays them."""

    condition: int
    number: int
    #: Their average skill, as the GM has it; None before.
    value: int | None = None
    #: Their totals: one for a crowd that rolls together, else one each.
    totals: tuple[int, ...] = ()
    fails: bool = False

    @property
    def answered(self) -> bool:
        return self.value is not None or self.fails


class SupportRoll(Record):
    """The rolls for a condition, once they are over."""

    condition: int
    dn: int
    met: bool
    throws: tuple[Throw, ...] = ()
    #: Totals of a crowd, and their difficulty.
    totals: tuple[int, ...] = ()
    crowd_dn: int = 0


class Cast(Attempt):
    """A casting under way.

    `request` and `number` are those of the roll that comes next: of a condition, or of the effect.
    """

    known: KnownEffect | None = None
    aims: tuple[EffectTarget, ...] = ()
    effect_value: int = 0
    extension: int = 0
    #: What it goes around on its way; None: its way is free (MB-SFX-S12).
    around: Detour | None = None
    holder: str = ""
    bearer: str = ""
    #: What the caster adds to the roll of the effect.
    roll_modifier: int = 0
    #: What the world makes every casting cost, in words (MB-SFX-14).
    cost: str = ""
    #: Whether the caster has everything that has to be there.
    prepared: bool = False
    #: Whether the GM has agreed to what only the GM can say.
    consented: bool = False
    #: Seconds that the casting takes, design included; and whether they are over.
    seconds: int = 0
    ready: bool = False
    #: Index of the condition that is rolled for; -1: the effect itself.
    condition_index: int = -1
    rolled: tuple[SupportRoll, ...] = ()
    #: Helpers by name, before their group has its turn; then as they answer.
    named_helpers: tuple[str, ...] = ()
    helpers: tuple[Helper, ...] = ()
    crowd: Crowd | None = None
    spoiled: Spoiled = ""
    #: Whether the caster gave up before the roll.
    broken_off: bool = False
    #: Difficulty and feedback value, with the additions of the world and the table.
    dn: int = 0
    fv: int = 0
    #: Feedback that is left; None before it is weighed.
    feedback: int | None = None
    blows: tuple[Blow, ...] = ()

    @property
    def effect(self) -> KnownEffect:
        """The effect. Raises ValueError for a check that was never begun."""
        if self.known is None:
            raise ValueError("a casting needs an effect")
        return self.known

    @property
    def blueprint(self) -> Blueprint:
        return self.effect.blueprint

    @property
    def figures(self) -> Figures:
        return Figures(self.dn, self.fv)

    @property
    def is_support(self) -> bool:
        """Whether the next or open roll is for a condition; else it is for the effect itself."""
        return self.condition_index >= 0

    @property
    def condition(self) -> Condition | None:
        """The condition that is rolled for."""
        return self.blueprint.conditions[self.condition_index] if self.is_support else None

    @property
    def result(self) -> Result | None:
        """Result of the caster's dice; cards on the effect add nothing to it (MB-CARD-E07)."""
        throw, number = self.throw_of(), self.needed
        if throw is None or number is None:
            return None
        return Result(throw.total, number, self.most, 0, throw.fails)

    @property
    def cast_result(self) -> CastResult | None:
        """Result of the roll of the effect (MB-SFX-20); None without a roll."""
        result = None if self.is_support else self.result
        if result is None:
            return None
        if self.failed or not result.success:
            return failed_result(self.figures, "full")
        return cast_result(result.total, self.figures, spoiled=bool(self.spoiled))

    @property
    def has_succeeded(self) -> bool:
        result = self.cast_result
        return result is not None and result.success

    @property
    def is_undone(self) -> bool:
        return bool(self.spoiled)

    def final_effect_value(self, caster: str) -> int:
        """Return the effect value with the surplus and what cards add (MB-SFX-20)."""
        result = self.cast_result
        bonus = 0 if result is None else result.bonus
        cards = cause_total(card_causes(self.effects, caster, "damage"))
        return final_effect_value(self.effect_value, bonus, cards)


def is_at_casting(blueprint: Blueprint, condition: Condition) -> bool:
    """Return whether a condition counts at the casting, not when a charge is released.

    A group always helps at the casting.
    """
    return condition.kind == "community" or not (condition.at_release and blueprint.charges)


def casting_conditions(blueprint: Blueprint) -> Iterator[tuple[int, Condition]]:
    """Yield the conditions that count at the casting, with their indexes."""
    for index, condition in enumerate(blueprint.conditions):
        if is_at_casting(blueprint, condition):
            yield index, condition


def release_conditions(blueprint: Blueprint) -> Iterator[tuple[int, Condition]]:
    """Yield the conditions that count at each release of a charge, with their indexes.

    (MB-SFX-29, MB-SFX-31)
    """
    for index, condition in enumerate(blueprint.conditions):
        if not is_at_casting(blueprint, condition):
            yield index, condition


def rolled_conditions(blueprint: Blueprint) -> tuple[int, ...]:
    """Return the indexes of the conditions that take rolls, in the order of the book."""
    places: list[tuple[int, int]] = []
    for index, condition in casting_conditions(blueprint):
        if condition.kind in SUPPORT_ORDER and condition_dn(condition) is not None:
            places.append((SUPPORT_ORDER.index(condition.kind), index))
    return tuple(index for _, index in sorted(places))


def things_needed(blueprint: Blueprint) -> tuple[tuple[int, Condition], ...]:
    """Return the conditions that the caster ticks: components, and groups that only take part."""
    things: list[tuple[int, Condition]] = []
    for index, condition in casting_conditions(blueprint):
        simple = condition.kind == "community" and condition_dn(condition) is None
        if simple or condition.kind == "component":
            things.append((index, condition))
    return tuple(things)


def ruled_conditions(blueprint: Blueprint) -> tuple[Condition, ...]:
    """Return the conditions that only the GM can say are met (MB-SFX-S23)."""
    conditions = (condition for _, condition in casting_conditions(blueprint))
    return tuple(condition for condition in conditions if condition.kind == "other")
