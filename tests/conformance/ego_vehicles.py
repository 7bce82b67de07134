"""Adapters for the worked examples of EGO: vehicles."""

from __future__ import annotations

from typing import Any

from rules.core.errors import Impossible
from rules.systems.ego.character.sheet import ability_dice
from rules.systems.ego.checks.procedure import Result
from rules.systems.ego.formulas import damage as damage_rules
from rules.systems.ego.formulas import vehicles
from rules.systems.ego.formulas.dice import pool_size as size_of
from rules.systems.ego.formulas.dice import throw
from rules.systems.ego.formulas.reference_rows import VehicleKind
from tests.conformance.ego_names import each, game, sheet, vehicle
from tests.conformance.runner import Given, MakeDice, Outputs, adapter


def _speeds(given: Given, bound: Any) -> list[int]:
    speed, found = given["speed"], list[int]()
    for _ in range(given["rounds"]):
        speed = bound(speed)
        found.append(speed)
    return found


@adapter("ego.ego-veh-01")
def sections(given: Given, roll: MakeDice) -> Outputs:
    if "type" in given:
        return {"structure_points": each(given["type"], vehicles.sections_of_type)}
    before = given["sections_before"]
    assert len(before) == vehicle(given["vehicle"]).sections
    after = vehicles.sections_after_hit(before, given["hit_section"], given["damage_after_ar"])
    return {"sections_after": after, "destroyed": vehicles.is_destroyed(after)}


@adapter("ego.ego-veh-03")
def speeds(given: Given, roll: MakeDice) -> Outputs:
    kind = vehicle(given["vehicle"])
    faster = _speeds(
        given, lambda speed: vehicles.fastest(speed, kind.acceleration, kind.speed_max)
    )
    slower = _speeds(given, lambda speed: vehicles.slowest(speed, kind.speed_min))
    return {"max_speeds": faster, "min_speeds": slower}


def _steered(given: Given, roll: MakeDice, kind: VehicleKind, difficulty: int) -> dict[str, object]:
    """The roll of whoever steers, as far as an example tells who that is."""
    if "dice" not in given:
        return {}
    dice = vehicles.pilot_pool(
        given["pilot"], ability_dice(sheet(given), "agility"), kind.maneuverability
    )
    pool = throw(roll(given["dice"]), size_of(dice))
    result = Result(pool.successes, difficulty)
    return {
        "pool": len(pool.faces),
        "difficulty": difficulty,
        "successes": result.successes,
        "success": result.success,
        "margin": result.margin,
        "control": result.success,
    }


@adapter("ego.ego-veh-04")
@adapter("ego.ego-veh-05")
def emergency_stop(given: Given, roll: MakeDice) -> Outputs:
    kind = vehicle(given["vehicle"])
    given.get("speed")  # whatever it was, it stops
    try:
        stop = vehicles.emergency_stop(kind.kind, kind.speed_min)
    except Impossible:
        return {"allowed": False}
    return {
        "allowed": True,
        "drift_hexes": stop.drift,
        "turn_degrees": stop.turn,
        "speed_after": 0,
        **_steered(given, roll, kind, vehicles.STOP),
    }


@adapter("ego.ego-veh-11")
def maneuver(given: Given, roll: MakeDice) -> Outputs:
    return _steered(given, roll, vehicle(given["vehicle"]), given["difficulty"])


@adapter("ego.ego-veh-02")
def row(given: Given, roll: MakeDice) -> Outputs:
    kind = vehicle(given["vehicle"])
    return {
        "sections": kind.sections,
        "structure_points": kind.sections,
        "damage_points": kind.damage_points,
        "speed_max": kind.speed_max,
        "speed_min": kind.speed_min,
        "acceleration": kind.acceleration,
        "maneuverability": kind.maneuverability,
        "ar": kind.ar,
    }


def _emergency(given: Given, roll: MakeDice, *, braking: bool) -> Outputs:
    kind, dice = vehicle(given["vehicle"]), ability_dice(sheet(given), "vitality")
    rolls = [
        throw(roll(given[key]), dice).successes
        for key in ("dice_first", "dice_second")
        if key in given
    ]
    passed = [
        count >= least
        for count, least in zip(rolls, (vehicles.FIRST, vehicles.SECOND), strict=False)
    ]
    first = vehicles.emergency(given["speed"], kind.speed_max, passed[:1], braking=braking)
    then = vehicles.emergency(given["speed"], kind.speed_max, passed, braking=braking)
    return {
        "first_success": passed[0],
        "speed_after_first": first.speed,
        "second_success": passed[-1] if len(passed) > 1 else None,
        "speed_after_second": then.speed,
        "speed_after": then.speed,
        "pilot_conscious": then.awake,
        "mishap": then.mishap,
        "drifting": then.drifts,
    }


@adapter("ego.ego-veh-06")
def emergency_acceleration(given: Given, roll: MakeDice) -> Outputs:
    return _emergency(given, roll, braking=False)


@adapter("ego.ego-veh-07")
def emergency_deceleration(given: Given, roll: MakeDice) -> Outputs:
    return _emergency(given, roll, braking=True)


@adapter("ego.ego-veh-08")
def collision(given: Given, roll: MakeDice) -> Outputs:
    if "speed_max" in given:
        return {"multipliers": [vehicles.multiplier(*each) for each in given["speed_max"]]}
    if "object_dp" in given:
        return _against_object(given)
    pair = [(vehicle(each["vehicle"]), each["speed"]) for each in (given["a"], given["b"])]
    counts = game(given).setting("collision_speed")
    speeds = [(speed, kind.speed_max) for kind, speed in pair]
    times = vehicles.multipliers(speeds[0], speeds[1], counts)
    found: dict[str, object] = {
        "multiplier": times[0],
        "multiplier_a": times[0],
        "multiplier_b": times[1],
    }
    damage: list[int] = []
    for name, (kind, _), (other, _), by in zip("ab", pair, reversed(pair), times, strict=True):
        whole = (kind.damage_points,) * kind.sections
        taken = vehicles.damage_through_armor(other.damage_points, kind.ar, by)
        damage.append(taken)
        found[f"damage_{name}"] = taken
        found[f"{name}_total_points"] = sum(whole)
        found[f"{name}_destroyed"] = vehicles.is_destroyed(
            vehicles.sections_after_hit(whole, 0, taken)
        )
        found[f"occupants_dead_{name}"] = found[f"{name}_destroyed"]
    found["occupants_dead"] = found["a_destroyed"]
    if "restraints" in given:
        for name, taken in zip("ab", damage, strict=True):
            found[f"occupant_damage_{name}"] = each(
                given["occupant_check_success"],
                lambda braced, taken=taken: vehicles.share(
                    taken, held=given["restraints"], braced=braced
                ),
            )
    return found


def _against_object(given: Given) -> Outputs:
    kind, speed = vehicle(given["vehicle"]), given["speed"]
    multiplied = game(given).setting("collision_multiplier_objects")
    times = vehicles.against_object(speed, kind.speed_max, multiplied=multiplied)
    taken = vehicles.damage_through_armor(given["object_dp"], kind.ar, times)
    return {
        "percent": vehicles.percent(speed, kind.speed_max),
        "multiplier": times,
        "damage": taken,
        "destroyed": vehicles.is_destroyed(
            vehicles.sections_after_hit((kind.damage_points,) * kind.sections, 0, taken)
        ),
    }


@adapter("ego.ego-veh-09")
def aboard(given: Given, roll: MakeDice) -> Outputs:
    if "dice" in given:
        pool = throw(roll(given["dice"]), ability_dice(sheet(given), "agility"))
        braced: Any = pool.successes >= vehicles.BRACE
    else:
        braced = given["check_success"]
    damage, held = given["vehicle_damage"], given["restraints"]
    shares = each(braced, lambda one: vehicles.share(damage, held=held, braced=one))
    armor = given.get("ar", 0)
    hurt = each(
        shares,
        lambda one: damage_rules.apply_hit(damage_rules.Body(1000), one, armor=armor).taken,
    )
    return {"success": braced, "occupant_damage": shares, "damage_taken": hurt}


@adapter("ego.ego-veh-10")
def armor(given: Given, roll: MakeDice) -> Outputs:
    ar = given["ar"] if "ar" in given else vehicle(given["vehicle"]).ar
    if "vehicle" in given:
        assert vehicle(given["vehicle"]).ar >= ar
    if "hits" in given:
        stopped = sum(damage_rules.stopped_by(ar, points) for points in given["hits"])
        return {"stopped": stopped, "ar_next_round": vehicles.armor_after_round(ar, stopped)}
    if "stopped_in_round" in given:
        return {
            "ar_next_round": each(
                given["stopped_in_round"], lambda stopped: vehicles.armor_after_round(ar, stopped)
            )
        }
    found: list[int] = []
    for _ in range(given["halvings"]):
        ar = vehicles.armor_after_round(ar, ar + 1)
        found.append(ar)
    return {"ar": found, "destroyed": [rating < 1 for rating in found]}
