"""Vehicles in the file of an exported table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.core.data_rows import from_json, numbers
from rules.core.errors import InvalidInput
from rules.core.json_reader import violation
from rules.core.name_matching import clean_name
from rules.core.record import to_plain
from rules.systems.ego.formulas.reference_rows import rows_of
from rules.systems.ego.vehicles.vehicles_in_play import NAME_MAX, Vehicle
from rules.table.system import Game, PartFile

#: Most sections and weapons of a vehicle.
_MAX_SECTIONS, _MAX_WEAPONS = 64, 50
#: Bounds of some numbers of a vehicle, by field.
_BOUNDS: Final = {"maneuverability": (-100, 100), "sections": (0, 10_000)}
#: Bounds of all other numbers.
_DEFAULT_BOUNDS: Final = (0, 1_000)


def write(vehicle: Vehicle) -> dict[str, Any]:
    """Return the JSON object that `read` reads back to the same vehicle."""
    return to_plain(vehicle)


def read(game: Game, value: object, place: str) -> Vehicle:
    """Return the vehicle of a JSON value, with the characters' ids of the file.

    Raises InvalidInput("bad-row", "out-of-range", "not-in-tables", "too-long"); also as
    `clean_name`.
    """
    try:
        vehicle = from_json(Vehicle, value, place)
    except ValueError as error:
        where, _, wrong = str(error).partition(": ")
        raise violation("bad-row", where, wrong, "mend-row") from None
    for where, number in numbers(to_plain(vehicle), place):
        key = where.rpartition(".")[2].partition("[")[0]
        low, high = _BOUNDS.get(key, _DEFAULT_BOUNDS)
        if not low <= number <= high:
            bounds = {"lowest": low, "highest": high}
            raise violation("out-of-range", where, number, "choose-in-range", **bounds)
    if not 1 <= len(vehicle.sections) <= _MAX_SECTIONS or vehicle.model.speed_max < 1:
        field = "sections" if vehicle.model.speed_max else "model.speed_max"
        bounds = {
            "lowest": 1,
            "highest": _MAX_SECTIONS if field == "sections" else _DEFAULT_BOUNDS[1],
        }
        count = len(vehicle.sections) if field == "sections" else 0
        raise violation("out-of-range", f"{place}.{field}", count, "choose-in-range", **bounds)
    name = clean_name(vehicle.name)
    if not name or len(name) > NAME_MAX:
        raise InvalidInput("too-long", field=f"{place}.name", value=name[:NAME_MAX], most=NAME_MAX)
    rows = rows_of(game.campaign, "weapons")
    for weapon in vehicle.weapons[:_MAX_WEAPONS]:
        if weapon not in rows:
            raise violation("not-in-tables", f"{place}.weapons", weapon, "rename-or-remove")
    return vehicle.replace(name=name, weapons=vehicle.weapons[:_MAX_WEAPONS])


def renumber(vehicle: Vehicle, number: int, ids: Mapping[str, str]) -> Vehicle:
    """Return the vehicle with a number and the characters' ids of this table."""
    aboard = tuple(ids[who] for who in vehicle.aboard if who in ids)
    return vehicle.replace(
        id=f"v{number}",
        pilot=ids.get(vehicle.pilot, ""),
        aboard=aboard,
        held=tuple(ids[who] for who in vehicle.held if who in ids),
    )


FILE: Final = PartFile(write, read, renumber)
