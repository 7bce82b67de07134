"""The worksheet of a special effect, written a second time from the rules alone (MB-SFX-40).

It imports nothing from `rules`, takes plain dictionaries, and computes with whole numbers. A build
has the keys of `EMPTY`; every key of a condition is read by `condition_value`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Build = Mapping[str, Any]

EMPTY: dict[str, Any] = {
    "kind": "magic",
    "start_total": 0,
    "effect_value": 0,
    "range_value": 0,
    "speed_value": 0,
    "duration_value": 0,
    "cast_time_value": 0,
    # Dimensions, meters and shape.
    "area": None,
    "multi_target": 0,
    "multi_attribute": 0,
    "change_target": 0,
    # Points paid, two for each step.
    "points_up": 0,
    "points_down": 0,
    "switch": "none",
    "extend_points": 0,
    "accuracy_points": 0,
    "movement": False,
    "maintenance": False,
    "focus_targets": 0,
    "charges": 0,
    "ward": False,
    "extra_costs": (),
    # The difficulty's share; None for an even split, the odd point to the feedback.
    "split_dn": None,
    "modifiers": (),
    # Difficulty of disbelief, and points for the difficulty and the feedback.
    "unreal": None,
    # Steps saved, and points for the difficulty and the feedback.
    "rush": (0, 0, 0),
    "on_the_fly": False,
    "action": "words",
    "mass": None,
}
SETTINGS: dict[str, Any] = {
    "component_cap": True,
    "creative_bonus_max": 3,
    "other_modifier_max": 6,
    "focus_rounding": "down",
    "movement_base": "after_accuracy",
    "psionic_charges": False,
    "inappropriate_step": 1,
}
#: Steps 17 to 23.
STEPS = (
    "community",
    "component",
    "concentration",
    "gesture",
    "incantation",
    "related_skill",
    "other",
)
#: Twice what helpers count for, by what they do.
TWICE_PARTICIPATION = {"simple": 1, "dn8": 2, "dn10": 3, "dn12": 4, "dn14": 5, "dn18": 6}
SHAPES = {"none": 0, "one": 1, "any": 3, "fluid": 6}
SWITCHES = {"none": 0, "off": 4, "on_off": 8}
#: Quarters of the effect value that an illusion saves, by the difficulty of disbelief.
QUARTERS = {0: 3, 6: 2, 10: 1}
#: Conditions that hardly fit a kind of effects; an unreal miracle is a contradiction.
ILL_FITTING = {
    ("gesture", "psionics"),
    ("incantation", "super_science"),
    ("unreal", "miracles"),
}


def up(number: int, by: int) -> int:
    """Return a quotient, rounded up."""
    return -(-number // by)


def doubled_measure(value: int) -> int:
    """Return twice the measure of a value of 0 or more, a whole number."""
    return (2, 3, 5, 8, 12)[value % 5] * 10 ** (value // 5)


def covering_value(amount: int) -> int:
    """Return the least value whose measure is not below an amount of 1 or more."""
    value = 0
    while doubled_measure(value) < 2 * amount:
        value += 1
    return value


def fully_paid_value(amount: int) -> int:
    """Return the largest value whose measure is not above an amount of 1 or more."""
    value = 0
    while doubled_measure(value + 1) <= 2 * amount:
        value += 1
    return value


def totals(build: Build, settings: Build) -> list[int]:
    """Return the running totals after the steps 1 to 15."""
    found: list[int] = []
    t = build["start_total"]
    for key in ("effect_value", "range_value", "speed_value", "duration_value"):
        t += build[key]
        found.append(t)
    t = found[3] = max(0, t)

    t -= build["cast_time_value"]
    found.append(t)

    area = build["area"]
    if area is not None:
        dimensions, meters, shape = area
        t += {2: 2, 3: 5}[dimensions] * meters + SHAPES[shape]
    found.append(t)

    t += (6 if area is not None else 3) * build["multi_target"]
    found.append(t)

    several = build["multi_attribute"] > 1
    if several:
        t += 3 * (build["multi_attribute"] - 1)
    found.append(t)

    changes = 5 * build["change_target"] * max(1, build["multi_target"])
    if area is not None and several:
        changes = 2 * changes
    elif area is not None or several:
        changes = up(3 * changes, 2)
    t += changes
    found.append(t)

    t += build["points_up"] + build["points_down"]
    found.append(t)

    t += SWITCHES[build["switch"]] + build["extend_points"]
    found.append(t)

    before = t
    t += build["accuracy_points"]
    if build["movement"]:
        t += up(before if settings["movement_base"] == "before_step" else t, 10)
    found.append(t)

    if build["maintenance"]:
        t += up(t, 10)
    found.append(t)

    both = build["effect_value"] + build["duration_value"]
    each = up(both, 5) if settings["focus_rounding"] == "up" else both // 5
    t += each * build["focus_targets"]
    found.append(t)

    if build["charges"]:
        cost = max(2, up(doubled_measure(build["charges"]), 2))
        t += cost
        if build["ward"]:
            t += up(cost, 10)
    t += sum(build["extra_costs"])
    found.append(t)
    return found


def condition_value(condition: Build) -> int:
    """Return what a condition is worth before any limit (MB-SFX-S17 to -S23)."""
    kind = condition["kind"]
    if kind == "community":
        base = max(1, covering_value(condition["helpers"]))
        value = up(base * TWICE_PARTICIPATION[condition["participation"]], 2)
    elif kind == "component":
        value = condition["level"] * (2 if condition["destroyed"] else 1) + condition["bonus"]
    elif kind == "concentration":
        value = up(condition["time_value"], 3)
    elif kind == "gesture":
        value = condition["level"] + condition["bonus"]
    elif kind == "incantation":
        value = condition["level"] + condition["addons"]
    else:
        value = condition["level"]
    return max(0, value - condition["lowered"])


def fitting_value(condition: Build, build: Build, settings: Build) -> int:
    """Return what a condition is worth for a kind of effect that it may ill fit (MB-SFX-41)."""
    levels = condition["lowered"]
    if (condition["kind"], build["kind"]) in ILL_FITTING:
        levels = max(levels, settings["inappropriate_step"])
    return condition_value({**condition, "lowered": levels})


def work_out(build: Build, settings: Build) -> dict[str, Any]:
    """Return everything that a worksheet says, by name."""
    running = totals(build, settings)
    t4, subtotal = running[3], max(0, running[-1])
    minimum = up(t4, 2)
    dn = subtotal // 2 if build["split_dn"] is None else min(build["split_dn"], subtotal)
    fv = subtotal - dn
    split = {"dn": dn, "fv": fv}
    floors = {"dn": up(dn, 2), "fv": up(fv, 2)}
    left = dict(split)

    def lower(figure: str, points: int) -> int:
        used = 0
        while used < points and left[figure] > floors[figure] and sum(left.values()) > minimum:
            left[figure] -= 1
            used += 1
        return used

    modifiers = build["modifiers"]
    used: dict[int, int] = {}
    for step in STEPS:
        for place, condition in enumerate(modifiers):
            if condition["kind"] == step:
                used[place] = lower(condition["on"], fitting_value(condition, build, settings))
    saved = 0
    if build["unreal"] is not None:
        disbelief, to_dn, to_fv = build["unreal"]
        saved = up(build["effect_value"] * QUARTERS[disbelief], 4)
        for_dn = min(to_dn, saved)
        lower("dn", for_dn)
        lower("fv", min(to_fv, saved - for_dn))
    found = {
        "totals": running,
        "minimum": minimum,
        "cast_time_most": t4 // 2,
        "subtotal": subtotal,
        "split": split,
        "floors": floors,
        "component_most": min(dn, fv) // 2,
        "values": [fitting_value(condition, build, settings) for condition in modifiers],
        "used": [used[place] for place in range(len(modifiers))],
        "unreal_reduction": saved,
        "finished": dict(left),
    }
    _, rush_dn, rush_fv = build["rush"]
    last = {"dn": left["dn"] + rush_dn, "fv": left["fv"] + rush_fv}
    if build["on_the_fly"]:
        last = {figure: number + up(number, 3) for figure, number in last.items()}
    return found | {"in_play": last}


def errors(build: Build, settings: Build) -> Iterator[str]:
    """Yield the errors that MB-SFX-40 lists, by name."""
    sheet = work_out(build, settings)
    if build["cast_time_value"] > sheet["cast_time_most"]:
        yield "cast time"
    share = build["split_dn"] or 0
    lesser, larger = sorted(sheet["split"].values())
    if share > sheet["subtotal"] or larger > 2 * lesser:
        yield "split"
    if build["maintenance"] and build["charges"]:
        yield "maintenance with charges"
    if build["focus_targets"] > max(1, build["multi_target"]):
        yield "focus"
    if build["charges"] and build["kind"] == "psionics" and not settings["psionic_charges"]:
        yield "psionic charges"
    if build["ward"] and not build["charges"]:
        yield "ward without charges"
    components = 0
    for condition, value in zip(build["modifiers"], sheet["values"], strict=True):
        kind = condition["kind"]
        if kind == "concentration" and condition["time_value"] > build["cast_time_value"]:
            yield "concentration"
        if kind == "component":
            components += value
        if kind == "other" and condition["level"] > settings["other_modifier_max"]:
            yield "other condition"
        if condition["bonus"] > settings["creative_bonus_max"]:
            yield "creative bonus"
    if settings["component_cap"] and components > sheet["component_most"]:
        yield "components"
    if build["unreal"] is not None:
        _, to_dn, to_fv = build["unreal"]
        if to_dn + to_fv > sheet["unreal_reduction"]:
            yield "unreal division"


def warnings(build: Build) -> Iterator[str]:
    """Yield the warnings that MB-SFX-40 lists, by name."""
    far, fast = build["range_value"], build["speed_value"]
    if fast > far:
        yield "speed over range"
    if far - fast > build["duration_value"]:
        yield "dies on the way"
    if build["action"] == "movement":
        if not build["movement"]:
            yield "moves without movement"
        if build["mass"] is not None and build["effect_value"] < build["mass"]:
            yield "mass"
    if build["change_target"] == 1:
        yield "one change"
    if build["points_up"] % 2 or build["points_down"] % 2:
        yield "odd points"
    if build["area"] is not None and build["area"][0] == 2 and build["action"] == "damage":
        yield "flat explosion"
    kinds = {c["kind"] for c in build["modifiers"] if not c["lowered"]}
    if build["unreal"] is not None:
        kinds.add("unreal")
    if any((kind, build["kind"]) in ILL_FITTING for kind in kinds):
        yield "ill-fitting"
