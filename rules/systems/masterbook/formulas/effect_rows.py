"""Tables of special effects: skills, shapes, conditions and ready-made effects (MB-SFX-10, -41)."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, Literal, get_args

from rules.core.data_rows import from_json, json_loader, rows_by_key
from rules.core.record import Record
from rules.systems.masterbook.formulas.effect_blueprint import (
    Blueprint,
    ConditionKind,
    EffectKindId,
    IncantationAddon,
    Participation,
    Shape,
    Switch,
)

#: How well a condition fits a kind of effect, the worst first (MB-SFX-41).
Fit = Literal[
    "contradiction",
    "almost_never",
    "seldom",
    "occasional",
    "somewhat",
    "fits",
    "very_common",
    "especially",
]
FITS: Final[tuple[Fit, ...]] = get_args(Fit)
#: The best fit for which a GM is advised to take a level off.
ILL_FITTING: Final[Fit] = "seldom"


class EffectSkill(Record):
    """A skill that casts effects (MB-SFX-10)."""

    #: Name in the skill list.
    name: str
    kind: EffectKindId


class ShapeRow(Record):
    """A shape of an area and its cost (MB-SFX-S06)."""

    shape: Shape
    cost: int


class SwitchRow(Record):
    """A way to end an effect early and its cost (MB-SFX-S11)."""

    switch: Switch
    cost: int


class ParticipationRow(Record):
    """A way for helpers to take part, with its difficulty and its worth (MB-SFX-S17)."""

    participation: Participation
    dn: int | None
    multiplier: Fraction


class ComplexityRow(Record):
    """A level of a gesture, an incantation or a related skill; None: no roll."""

    level: int
    dn: int | None


class UnrealRow(Record):
    """A difficulty of disbelief, and the share of the effect value that it saves (MB-SFX-S24)."""

    disbelief_dn: Literal[0, 6, 10]
    multiplier: Fraction


class SampleConditionRow(Record):
    """A condition of no other kind that tables often use, and its points (MB-SFX-S23)."""

    id: str
    text: str
    level: int


class FitRow(Record):
    """Fit of a condition, or of `unreal`, to each kind of effect."""

    condition: ConditionKind | Literal["unreal"]
    magic: Fit
    miracles: Fit
    psionics: Fit
    super_science: Fit


class _EffectData(Record):
    skills: tuple[EffectSkill, ...]
    shapes: tuple[ShapeRow, ...]
    switches: tuple[SwitchRow, ...]
    participations: tuple[ParticipationRow, ...]
    gestures: tuple[ComplexityRow, ...]
    incantations: tuple[ComplexityRow, ...]
    related_skills: tuple[ComplexityRow, ...]
    addons: tuple[IncantationAddon, ...]
    unreal: tuple[UnrealRow, ...]
    sample_conditions: tuple[SampleConditionRow, ...]
    fits: tuple[FitRow, ...]
    effects: tuple[Blueprint, ...]


_DATA: Final = from_json(_EffectData, json_loader("rules.systems.masterbook", "effects")())
EFFECT_SKILLS: Final = rows_by_key(_DATA.skills)
SHAPES: Final = rows_by_key(_DATA.shapes, "shape")
SWITCHES: Final = rows_by_key(_DATA.switches, "switch")
PARTICIPATIONS: Final = rows_by_key(_DATA.participations, "participation")
GESTURES: Final = {row.level: row for row in _DATA.gestures}
INCANTATIONS: Final = {row.level: row for row in _DATA.incantations}
RELATED_SKILLS: Final = {row.level: row for row in _DATA.related_skills}
ADDONS: Final = _DATA.addons
SAMPLE_CONDITIONS: Final = rows_by_key(_DATA.sample_conditions, "id")
UNREAL: Final[dict[int, UnrealRow]] = {row.disbelief_dn: row for row in _DATA.unreal}
_FITS: Final = rows_by_key(_DATA.fits, "condition")
#: The ready-made effects that every table has.
READY_MADE: Final = _DATA.effects


def effect_kind(skill: str) -> EffectKindId:
    """Return the kind of effects that a skill casts. Raises KeyError for another skill."""
    return EFFECT_SKILLS[skill].kind


def condition_fit(condition: ConditionKind | Literal["unreal"], kind: EffectKindId) -> Fit:
    """Return the fit of a condition to a kind of effect (MB-SFX-41)."""
    return getattr(_FITS[condition], kind)


def is_ill_fitting(condition: ConditionKind | Literal["unreal"], kind: EffectKindId) -> bool:
    """Return whether a GM is advised to lower such a condition, or to forbid it (MB-SFX-41)."""
    return FITS.index(condition_fit(condition, kind)) <= FITS.index(ILL_FITTING)
