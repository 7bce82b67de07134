"""Adapters for the worked examples of EGO: vehicles."""

from __future__ import annotations

from typing import Any

from rules.core.errors import Impossible
from rules.systems.ego import body, vehicles
from rules.systems.ego.dice import throw
from rules.systems.ego.tables import VEHICLES, VehicleKind
from tests.conformance.runner import Given, MakeDice, Outputs, adapter


def _kind(text: str) -> VehicleKind:
    return next(each for each in VEHICLES.values() if each.name.casefold() == text.replace("_", " "))


def _speeds(given: Given, bound: Any) -> list[int]:
    speed, found = given["speed"], list[int]()
    for _ in range(given["rounds"]):
        speed = bound(speed)
        found.append(speed)
    return found


@adapter("ego.ego-veh-01")
def sections(given: Given, roll: MakeDice) -> Outputs:
    if "type" in given:
        return {"structure_points": [vehicles.sections_of_type(kind) for kind in given["type"]]}
    before = given["sections_before"]
    assert len(before) == _kind(given["vehicle"]).sections
    after = vehicles.struck(before, given["hit_section"], given["damage_after_ar"])
    return {"sections_after": after, "destroyed": vehicles.destroyed(after)}


@adapter("ego.ego-veh-03")
def speeds(given: Given, roll: MakeDice) -> Outputs:
    kind = _kind(given["vehicle"])
    faster = _speeds(given, lambda speed: vehicles.fastest(speed, kind.acceleration, kind.speed_max))
    slower = _speeds(given, lambda speed: vehicles.slowest(speed, kind.speed_min))
    return {"max_speeds": faster, "min_speeds": slower}


@adapter("ego.ego-veh-04")
def emergency_stop(given: Given, roll: MakeDice) -> Outputs:
    kind = _kind(given["vehicle"])
    try:
        vehicles.emergency_stop(kind.kind, kind.speed_min)
    except Impossible:
        return {"allowed": False}
    size = vehicles.pilot_pool(given["pilot"], body.dice(given["agility"]), kind.maneuverability)
    successes = throw(roll(given["dice"]), size).successes
    return {
        "pool": size,
        "difficulty": vehicles.STOP,
        "successes": successes,
        "control": successes >= vehicles.STOP,
        "speed_after": 0 if given["speed"] else None,
    }


@adapter("ego.ego-veh-05")
def stop_on_water(given: Given, roll: MakeDice) -> Outputs:
    kind = _kind(given["vehicle"])
    stop = vehicles.emergency_stop(kind.kind, kind.speed_min)
    return {"allowed": True, "drift_hexes": stop.drift, "turn_degrees": stop.turn}


def _emergency(given: Given, roll: MakeDice, *, braking: bool) -> Outputs:
    kind, size = _kind(given["vehicle"]), body.dice(given["vitality"])
    rolls = [throw(roll(given[each]), size).successes for each in ("dice_first", "dice_second")]
    passed = [count >= least for count, least in zip(rolls, (vehicles.FIRST, vehicles.SECOND), strict=True)]
    first = vehicles.emergency(given["speed"], kind.speed_max, passed[:1], braking=braking)
    then = vehicles.emergency(given["speed"], kind.speed_max, passed, braking=braking)
    return {
        "first_success": passed[0],
        "speed_after_first": first.speed,
        "second_success": passed[1],
        "speed_after_second": then.speed,
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
    pair = [(_kind(each["vehicle"]), each["speed"]) for each in (given["a"], given["b"])]
    counts = given.get("collision_speed", "highest")
    speeds = [(speed, kind.speed_max) for kind, speed in pair]
    times = vehicles.multipliers(speeds[0], speeds[1], counts)
    found: dict[str, object] = {"multiplier": times[0], "multiplier_a": times[0], "multiplier_b": times[1]}
    damage: list[int] = []
    for name, (kind, _), (other, _), by in zip("ab", pair, reversed(pair), times, strict=True):
        whole = (kind.damage_points,) * kind.sections
        taken = vehicles.pierced(other.damage_points, kind.ar, by)
        damage.append(taken)
        found[f"damage_{name}"] = taken
        found[f"{name}_total_points"] = sum(whole)
        found[f"{name}_destroyed"] = vehicles.destroyed(vehicles.struck(whole, 0, taken))
    found["occupants_dead"] = found["a_destroyed"]
    if "restraints" in given:
        found["occupant_damage_a"] = [
            vehicles.share(damage[0], held=given["restraints"], braced=braced)
            for braced in given["occupant_check_success"]
        ]
    return found


def _against_object(given: Given) -> Outputs:
    kind, speed = _kind(given["vehicle"]), given["speed"]
    times = vehicles.against_object(
        speed, kind.speed_max, multiplied=given.get("collision_multiplier_objects", True)
    )
    taken = vehicles.pierced(given["object_dp"], kind.ar, times)
    return {
        "percent": vehicles.percent(speed, kind.speed_max),
        "multiplier": times,
        "damage": taken,
        "destroyed": vehicles.destroyed(vehicles.struck((kind.damage_points,) * kind.sections, 0, taken)),
    }


@adapter("ego.ego-veh-09")
def aboard(given: Given, roll: MakeDice) -> Outputs:
    damage, held = given["vehicle_damage"], given["restraints"]
    return {
        "occupant_damage": [
            vehicles.share(damage, held=held, braced=braced) for braced in given["check_success"]
        ]
    }


@adapter("ego.ego-veh-10")
def armour(given: Given, roll: MakeDice) -> Outputs:
    ar = given["ar"]
    if "stopped_in_round" in given:
        assert _kind(given["vehicle"]).ar == ar
        return {"ar_next_round": [vehicles.worn(ar, stopped) for stopped in given["stopped_in_round"]]}
    found: list[int] = []
    for _ in range(given["halvings"]):
        ar = vehicles.worn(ar, ar + 1)
        found.append(ar)
    return {"ar": found, "destroyed": [each < 1 for each in found]}
