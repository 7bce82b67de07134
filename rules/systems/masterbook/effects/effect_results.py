"""Results of effect values against resistance (MB-SFX-23 to MB-SFX-25, MB-SFX-33)."""

from __future__ import annotations

from typing import Final

from rules.systems.masterbook.character.sheet import MasterbookSheet, changed_value
from rules.systems.masterbook.effects.cast_state import CastOutcome
from rules.systems.masterbook.effects.effect_settings import speed_rule
from rules.systems.masterbook.effects.state import EffectTarget, RunningEffect
from rules.systems.masterbook.effects.strike_state import EffectResult
from rules.systems.masterbook.effects.value_changes import (
    changed_traits,
    changes_for,
    effect_value_for,
    trait_value,
)
from rules.systems.masterbook.formulas.effect_blueprint import CHANGES, Action, Blueprint
from rules.systems.masterbook.formulas.effect_values import Speed, carrying_speed, teleports
from rules.systems.masterbook.formulas.measures import plain_number
from rules.systems.masterbook.formulas.success_chart import Column, success_level
from rules.systems.masterbook.formulas.value_chart import chart_value, measure
from rules.table.blocks import Ref, Text
from rules.table.system import Game, is_npc

#: Interaction columns by action, each with the interaction whose resistance is usual.
COLUMNS: Final[dict[Action, tuple[Column, str]]] = {
    "taunt_trick": ("taunt_trick", "Taunt"),
    "maneuver": ("maneuver", "Maneuver"),
    "intimidation": ("intimidation", "Intimidation"),
}
#: Actions that a number resists, which the GM may have to say.
_NUMBERED: Final[tuple[Action, ...]] = ("skill", "general", "points", "movement")
#: Skill whose movement is a jump from place to place: it must exceed the mass (MB-SFX-10).
_TELEPORTING: Final = "Summoning"


def column_of(blueprint: Blueprint) -> Column | None:
    """Return the interaction column that an effect is read on; None if it isn't (MB-SFX-23)."""
    row = COLUMNS.get(blueprint.action)
    return None if row is None else row[0]


def resisting_number(game: Game, blueprint: Blueprint, target: EffectTarget) -> int | None:
    """Return the number that resists an effect; None if only the GM knows it (MB-SFX-25).

    A character who is moved resists with the value of its weight.
    """
    if blueprint.resisting_number is not None:
        return blueprint.resisting_number
    if not target.who:
        return None
    sheet: MasterbookSheet = game.sheet(target.who)
    if blueprint.action == "movement" and not blueprint.resisted_by:
        return chart_value(sheet.weight, "inclusive_up") if sheet.weight else None
    if blueprint.resisted_by and blueprint.action != "skill":
        return trait_value(sheet, blueprint.resisted_by)
    return None


def needs_number(game: Game, cast: CastOutcome) -> bool:
    """Return whether the GM has to say what resists an effect (MB-SFX-25)."""
    blueprint = cast.known.blueprint
    if blueprint.action not in _NUMBERED:
        return False
    targets = cast.targets or (EffectTarget(),)
    return any(resisting_number(game, blueprint, target) is None for target in targets)


def result_for(
    game: Game,
    cast: CastOutcome,
    target: EffectTarget,
    ruled: int | None = None,
    *,
    against: int | None = None,
) -> EffectResult:
    """Return the result of an effect for a target.

    *ruled* is the number that the GM has said, and *against* what the target has resisted with in
    the place of its value.
    """
    blueprint = cast.known.blueprint
    value = effect_value_for(blueprint, cast.effect_value)
    result = EffectResult(target.who, target.text, value)
    if target.who:
        result = _with_changes(game, cast, target.who, result)
    if blueprint.action in CHANGES or blueprint.action not in _NUMBERED:
        return result
    number = against
    if number is None:
        number = resisting_number(game, blueprint, target)
    if number is None:
        number = ruled
    if number is None:
        return result
    points = value - number
    result = result.replace(resistance=number, points=points)
    if blueprint.action == "movement":
        return _with_speed(game, blueprint, result, number)
    if blueprint.action in ("skill", "general") and points >= 0:
        return result.replace(level=success_level(points))
    return result


def _with_changes(game: Game, cast: CastOutcome, who: str, result: EffectResult) -> EffectResult:
    """Return a result with the values that the effect raises or lowers (MB-SFX-24)."""
    sheet: MasterbookSheet = game.sheet(who)
    blueprint = cast.known.blueprint
    changes = changes_for(sheet, who, blueprint, cast.effect_value)
    before = tuple(trait_value(sheet, change.trait) or 0 for change in changes)
    result = result.replace(changes=changes, before=before)
    traits = changed_traits(blueprint)
    if blueprint.action not in CHANGES or not traits:
        return result
    value = trait_value(sheet, traits[0][0])
    if value is None:
        return result
    return result.replace(resistance=value, points=result.value - value)


def _with_speed(game: Game, blueprint: Blueprint, result: EffectResult, mass: int) -> EffectResult:
    """Return a result with the speed of what is moved; none for a jump (MB-SFX-33, MB-SFX-10)."""
    if is_teleport(blueprint):
        return result.replace(level="teleports" if teleports(result.value, mass) else "")
    speed = carrying_speed(result.value, mass, speed_rule(game))
    return result if speed is None else result.replace(speed=speed.value, per=speed.per)


def carrying_speed_of(game: Game, effect: RunningEffect) -> Speed | None:
    """Return the speed of what a running effect carries, of several targets the slowest one's.

    None if it carries nothing whose mass is known (MB-SFX-33).
    """
    blueprint = effect.known.blueprint
    if blueprint.action != "movement" or is_teleport(blueprint):
        return None
    value = effect_value_for(blueprint, effect.effect_value)
    speeds: list[Speed] = []
    for target in effect.targets:
        if target.who and target.who not in game.state.characters:
            continue
        mass = resisting_number(game, blueprint, target)
        if mass is None:
            mass = effect.ruled
        if mass is None:
            continue
        speed = carrying_speed(value, mass, speed_rule(game))
        if speed is not None:
            speeds.append(speed)
    return min(speeds, default=None)


def is_teleport(blueprint: Blueprint) -> bool:
    """Return whether an effect moves its target without a way between (MB-SFX-10)."""
    return blueprint.skill == _TELEPORTING and not blueprint.movement


def result_text(
    game: Game, blueprint: Blueprint, result: EffectResult, caster: str, *, full: bool
) -> Text:
    """Return the result of an effect for a target in a line; NPCs' values only in *full*.

    Without numbers players read what their characters can see. The effect value of an NPC, and the
    points that give it away, are the GMs'.
    """
    open_ = full or not (result.who and is_npc(game, result.who))
    open_value = full or not is_npc(game, caster)
    changes: list[Text] = []
    for change, before in zip(result.changes, result.before, strict=True):
        after = changed_value(before, change.by)
        about = {"trait": change.trait, "up": change.by > 0}
        numbers = {"before": before, "after": after} if open_ else {}
        changes.append(Text("mb-effect-change", {**about, **numbers}))
    about = {
        "who": Ref(result.who) if result.who else None,
        "thing": result.text or None,
        "action": blueprint.action,
        "changes": tuple(changes) or None,
        "level": result.level or None,
        "skill": blueprint.resisted_by or None,
        "works": _works(blueprint, result),
        "ruled": result.points is not None,
        "value": result.value if open_value else None,
    }
    if open_ and open_value:
        about |= {"points": result.points, "resistance": result.resistance}
    if result.freed is not None:
        about |= {"freed": True, "resistance": None, "total": result.freed if open_ else None}
    if result.speed is not None:
        about |= {"speed": speed_meters(result.speed), "per": result.per}
    return Text("mb-effect-result", about)


def speed_meters(speed: int) -> str:
    """Return the meters of a speed value, as they are written: `2.5`."""
    return plain_number(measure(speed))


def _works(blueprint: Blueprint, result: EffectResult) -> bool | None:
    """Return whether an effect reaches a target; None if the GM says so."""
    if blueprint.action in CHANGES:
        return bool(result.changes)
    if result.points is None:
        return None
    if result.freed is not None:
        return False
    if blueprint.action == "movement" and is_teleport(blueprint):
        return bool(result.level)
    return result.points >= 0
