"""Areas of effects: their centers, and the characters who stand in them (MB-SFX-22, MB-SFX-32)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Final, NamedTuple

from rules.systems.masterbook.combat.declaration import meters_by_target
from rules.systems.masterbook.effects.cast_state import CastOutcome
from rules.systems.masterbook.effects.effect_settings import area_falls_off
from rules.systems.masterbook.effects.state import EffectTarget
from rules.systems.masterbook.effects.strike_state import (
    AnyStrike,
    AreaPlace,
    EffectStrike,
    cast_of,
)
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint
from rules.systems.masterbook.formulas.effect_costs import (
    accuracy_bonus,
    area_bonus,
    speed_of,
    usable_targets,
)
from rules.systems.masterbook.formulas.effect_values import area_bonus_at, travel
from rules.systems.masterbook.formulas.multi_actions import multi_action_penalty
from rules.table.blocks import Text
from rules.table.check import ANY_GM, NEXT, PASS, Choice, Prompt
from rules.table.checks.procedure import CheckOption, Stage, StageResult
from rules.table.commands import distance_field
from rules.table.forms.fields import Many
from rules.table.forms.form import Form
from rules.table.system import Game

_INSIDE: Final = "inside"
_ALSO: Final = "also"
_EXAMPLE: Final = "Boris 2"


# --- centers --------------------------------------------------------------------------------------


def with_places_inside(
    blueprint: Blueprint, aims: tuple[EffectTarget, ...]
) -> tuple[EffectTarget, ...]:
    """Return targets with those beyond the centers of an area as standing in the first area.

    Their meters count from its center, not from the caster.
    """
    if blueprint.area is None:
        return aims
    centers = usable_targets(blueprint)
    inside: list[EffectTarget] = []
    for aim in aims[centers:]:
        if aim.who:
            aim = aim.replace(meters=None, from_center=aim.meters or 0)
        inside.append(aim)
    return (*aims[:centers], *inside)


def area_centers(cast: CastOutcome) -> tuple[EffectTarget, ...]:
    """Return the centers of an effect's areas; empty for an effect without an area."""
    blueprint = cast.known.blueprint
    if blueprint.area is None:
        return ()
    aimed_at = [target for target in cast.targets if target.from_center is None]
    return tuple(aimed_at[: usable_targets(blueprint)])


def named_places(cast: CastOutcome) -> Iterator[AreaPlace]:
    """Yield the places of characters that the caster has named."""
    for index, center in enumerate(area_centers(cast)):
        if center.who:
            yield AreaPlace(center.who, index)
    for target in cast.targets:
        if target.who and target.from_center is not None:
            yield AreaPlace(target.who, meters=target.from_center)


# --- characters inside ----------------------------------------------------------------------------


class AreaStage(Stage[EffectStrike]):
    """The GM says who else stands in the area; every possible target is attacked (MB-SFX-22).

    With several areas there is a list for each. A character may be named in more than one.
    """

    name = _INSIDE

    def ask(self, game: Game, check: AnyStrike, /) -> tuple[Prompt, ...]:
        if check.data.area_answered or check.data.foes or not _has_area(check):
            return ()
        return (Prompt(_INSIDE, (ANY_GM,), "answer", PASS, button="mb-effect-inside"),)

    def options(
        self, game: Game, check: AnyStrike, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        centers = area_centers(cast_of(check))
        if len(centers) > 1:
            fields = [_center_field(game, index, center) for index, center in enumerate(centers)]
        else:
            fields = [distance_field(_ALSO, _EXAMPLE)]
        return (CheckOption(_INSIDE, Text("mb-effect-inside-who"), Form(tuple(fields))),)

    def choose(self, game: Game, check: AnyStrike, choice: Choice, /) -> StageResult[EffectStrike]:
        data = check.data
        places: list[AreaPlace] = []
        for index in range(max(1, len(area_centers(cast_of(check))))):
            meters_by_who = meters_by_target(choice.values.get(_field_key(index), ()))
            places += [AreaPlace(who, index, meters) for who, meters in meters_by_who.items()]
        known = {check.target: 0} | meters_by_target(data.plan.also)
        new = {place.who: place.meters for place in places if place.who not in known}
        target = check.target
        if target is None and new:
            # The first character becomes the target of a check that has none.
            target = next(iter(new))
            del new[target]
        others = tuple(f"{who} {meters}" for who, meters in new.items())
        plan = data.plan.replace(also=(*data.plan.also, *others))
        data = data.replace(area_answered=True, inside=tuple(places), plan=plan)
        return StageResult(game.state, data, NEXT, check=check.replace(target=target))


def _has_area(check: AnyStrike) -> bool:
    return cast_of(check).known.blueprint.area is not None


def _field_key(index: int) -> str:
    """Return the key of the list of an area: `also`, `also-2`."""
    return _ALSO if index == 0 else f"{_ALSO}-{index + 1}"


def _center_field(game: Game, index: int, center: EffectTarget) -> Many:
    """Return the list of characters around one of several centers."""
    name = game.display_name(center.who) if center.who else center.text
    title = Text("mb-effect-inside-around", {"who": name})
    return distance_field(_field_key(index), _EXAMPLE, title=title)


# --- totals to hit --------------------------------------------------------------------------------


class Exposure(NamedTuple):
    """What counts for and against a target of a roll to hit, where the target stands."""

    #: Meters from the center of the area.
    meters: int
    #: What area, accuracy and the order of targets add to the total to hit.
    to_hit: int
    #: What a slow effect adds to the target's defense (MB-SFX-27).
    slow: int


def exposure_of(game: Game, check: AnyStrike, who: str) -> Exposure:
    """Return the exposure of a target to a roll to hit (MB-SFX-22, MB-SFX-32).

    A character who stands in several areas meets the better total, once.
    """
    cast = cast_of(check)
    if not _has_area(check):
        return _aimed_exposure(game, cast, who)
    places = {(place.who, place.center): place for place in named_places(cast)}
    centers = area_centers(cast)
    for place in check.data.inside:
        is_center = place.center < len(centers) and centers[place.center].who == place.who
        if not is_center:
            places[place.who, place.center] = place
    standing = [place for place in places.values() if place.who == who] or [AreaPlace(who)]
    exposures = [_exposure_at(game, cast, place) for place in standing]
    return max(exposures, key=lambda exposure: exposure.to_hit - exposure.slow)


def _aimed_exposure(game: Game, cast: CastOutcome, who: str) -> Exposure:
    """Return the exposure of a target of an effect without an area."""
    aimed = [target for target in cast.targets if target.who]
    blueprint = cast.known.blueprint
    for index, target in enumerate(aimed):
        if target.who == who:
            penalty = multi_action_penalty(index + 1, len(aimed))
            return Exposure(0, penalty + hit_bonus(game, blueprint), slow_bonus(cast, target))
    return Exposure(0, hit_bonus(game, blueprint), 0)


def _exposure_at(game: Game, cast: CastOutcome, place: AreaPlace) -> Exposure:
    """Return the exposure of a character in one of the areas, whose rank its center has."""
    centers = area_centers(cast)
    to_hit = hit_bonus(game, cast.known.blueprint, place.meters)
    to_hit += multi_action_penalty(place.center + 1, max(1, len(centers)))
    slow = slow_bonus(cast, centers[place.center]) if centers else 0
    return Exposure(place.meters, to_hit, slow)


def hit_bonus(game: Game, blueprint: Blueprint, meters: int = 0) -> int:
    """Return the bonus to hit of area and accuracy, so far from the area's center."""
    area = area_bonus(blueprint.area)
    if area_falls_off(game):
        area = area_bonus_at(area, meters)
    return area + accuracy_bonus(blueprint.accuracy)


def slow_bonus(cast: CastOutcome, target: EffectTarget) -> int:
    """Return the bonus of a target's defense against a slow effect (MB-SFX-27)."""
    if not target.meters:
        return 0
    return travel(Fraction(target.meters), speed_of(cast.known.blueprint)).bonus
