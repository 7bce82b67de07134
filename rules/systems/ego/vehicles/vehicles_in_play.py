"""Vehicles at the table: who is aboard, how fast they go, what is left of them (EGO-VEH-01 to
EGO-VEH-11).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.core.name_matching import (
    clean_name,
    find_or_likely,
    lookalike_key,
    split_words,
    unique_match,
)
from rules.core.record import Record
from rules.systems.ego.character.labels import label, labeled_fact
from rules.systems.ego.character.sheet import title_with_field
from rules.systems.ego.command_forms import deed
from rules.systems.ego.formulas import damage, vehicles
from rules.systems.ego.formulas.reference_rows import VehicleKind, rows_of
from rules.table.blocks import FOR_EVERYONE, Block, Change, Note, Ref, Text, Value
from rules.table.forms import FormContext, Option
from rules.table.lookup import find_known
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, owns, public_name, require_gm, require_owner
from rules.table.reports import report_outcome
from rules.table.state import TableState
from rules.table.system import Game, Tick, TickResult
from rules.table.typed_texts import one_line

PREFIX: Final = "vehicle"
NAME_MAX: Final = 80
#: How many a table keeps at once.
MOST: Final = 50


class Vehicle(Record):
    """One vehicle: what it is by its row, the `model`, and how it is now.

    `sections` are the Damage Points left in each. `began` is the speed when the round began,
    `stopped` what its armor has stopped since. `aboard` are characters, the `pilot` among them;
    `held` those who wear restraints. `weapons` are mounted on it, for everybody aboard.
    """

    id: str
    name: str
    model: VehicleKind
    sections: tuple[int, ...]
    ar: int
    speed: int = 0
    began: int = 0
    stopped: int = 0
    pilot: str = ""
    aboard: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    drifts: bool = False
    #: Whether the vehicle stops at the end of the round (EGO-VEH-04).
    stopping: bool = False
    weapons: tuple[str, ...] = ()

    @property
    def wreck(self) -> bool:
        """Whether nothing is left of it."""
        return vehicles.is_destroyed(self.sections)


# --- finding and telling --------------------------------------------------------------------------


def vehicles_of(state: TableState) -> tuple[Vehicle, ...]:
    """Those of a table, oldest first."""
    found = (part for part in state.own.values() if isinstance(part, Vehicle))
    return tuple(sorted(found, key=lambda each: int(each.id[1:])))


def vehicle_choices(asking: FormContext) -> tuple[Option, ...]:
    """They, to choose from."""
    return tuple([Option(each.id, title_of(each)) for each in vehicles_of(asking.game.state)])


def find_vehicle(game: Game, text: str) -> Vehicle:
    """The one meant by id or name; where nothing is said the only one, or the only one that the
    actor steers.

    NotFound("ego-unknown-vehicle"), InvalidInput("which-one").
    """
    pool = vehicles_of(game.state)
    mine = tuple(each for each in pool if steers(game, each) and not is_gm(game.state, game.actor))
    return find_or_likely(pool, text, mine or pool, field="vehicle", unknown="ego-unknown-vehicle")


def steers(game: Game, vehicle: Vehicle) -> bool:
    """Whether whoever acts may say how it goes: its pilot's player, and GMs."""
    pilot = game.state.characters.get(vehicle.pilot)
    return is_gm(game.state, game.actor) or (
        pilot is not None and owns(game.state, game.actor, pilot)
    )


def pilot_out_error(vehicle: Vehicle, down: str) -> Impossible:
    """Return the refusal for a pilot who can't act; it tells whether the pilot can wake."""
    how = "out" if down == damage.PASSED_OUT else "gone"
    return Impossible("ego-no-emergency", how=how, name=vehicle.name)


def require_steering(game: Game, vehicle: Vehicle, *, awake: bool = False) -> None:
    """Impossible("ego-not-pilot", "ego-wreck"); where a player's pilot has to be `awake`
    "ego-no-emergency".
    """
    pilot = game.state.characters.get(vehicle.pilot)
    if not steers(game, vehicle):
        raise Impossible("ego-not-pilot", name=vehicle.name)
    if vehicle.wreck:
        raise Impossible("ego-wreck", name=vehicle.name)
    if awake and pilot is not None and pilot.sheet.down and not is_gm(game.state, game.actor):
        raise pilot_out_error(vehicle, pilot.sheet.down)


def is_pilot_out(game: Game, vehicle: Vehicle) -> bool:
    """Return whether the vehicle has no pilot who can act."""
    pilot = game.state.characters.get(vehicle.pilot)
    return pilot is None or bool(pilot.sheet.down)


def put(game: Game, vehicle: Vehicle) -> Game:
    """The table with this vehicle as it is now."""
    return game.with_state(game.state.with_own(f"{PREFIX}:{vehicle.id}", vehicle))


def known_refs(game: Game, who: Iterable[str]) -> tuple[Ref, ...]:
    """Those of whom players know, by the names they know."""
    people = [game.state.characters.get(each) for each in who]
    return tuple(
        Ref(name=name) for each in people if each is not None and (name := public_name(each))
    )


def title_of(vehicle: Vehicle) -> Text:
    """Return a vehicle's name; no two vehicles of a table share one."""
    return Text("ego-vehicle", {"name": vehicle.name})


def blocks_of(game: Game, vehicle: Vehicle) -> tuple[Block, ...]:
    """How a vehicle is now."""
    speeds = {
        "speed": vehicle.speed,
        "top": vehicle.model.speed_max,
        "percent": int(vehicles.percent(vehicle.speed, vehicle.model.speed_max)),
        "low": vehicles.slowest(vehicle.began, vehicle.model.speed_min),
        "high": vehicles.fastest(
            vehicle.began, vehicle.model.acceleration, vehicle.model.speed_max
        ),
        "drifts": vehicle.drifts and is_pilot_out(game, vehicle),
        "stopping": vehicle.stopping,
    }
    told: dict[str, Value] = {
        "speed": Text("ego-speeds", speeds),
        "sections": _state(vehicle, points=vehicle.model.damage_points),
        "armour": Text("ego-of", {"now": vehicle.ar, "whole": vehicle.model.ar}),
        "dice": vehicle.model.maneuverability,
        "weapons": tuple([Text("as-written", {"text": each}) for each in vehicle.weapons]),
        "pilot": known_refs(game, (vehicle.pilot,)),
        "aboard": known_refs(game, [each for each in vehicle.aboard if each != vehicle.pilot]),
        "restraints": known_refs(game, vehicle.held),
    }
    return tuple([labeled_fact(what, value) for what, value in told.items() if value != ()])


def mounted(state: TableState, who: str) -> tuple[str, ...]:
    """What somebody may shoot with where they are aboard: `Lgt machine gun (Jeep)`."""
    there = [each for each in vehicles_of(state) if who in each.aboard and not each.wreck]
    return tuple([title_with_field(weapon, each.name) for each in there for weapon in each.weapons])


def _state(vehicle: Vehicle, **more: Value) -> Text:
    return Text("ego-vehicle-brief", {"left": vehicle.sections, "wreck": vehicle.wreck, **more})


def brief(vehicle: Vehicle) -> Text:
    """One line of it."""
    return _state(vehicle, speed=vehicle.speed, top=vehicle.model.speed_max)


def _told(game: Game, vehicle: Vehicle, *blocks: Block) -> Outcome:
    """The table with it, and what everybody hears of it."""
    return report_outcome(put(game, vehicle), title_of(vehicle), *blocks)


def change_blocks(what: str, before: Any, after: Any) -> tuple[Block, ...]:
    """That something of it is otherwise now; nothing where it is as it was."""
    return (Change(None, label(what), before, after, FOR_EVERYONE),) if before != after else ()


# --- what happens to one --------------------------------------------------------------------------


def _crew(game: Game, action: Any) -> dict[str, Any]:
    """Who is aboard, by name or id. Raises as `find_known`."""
    state, who = game.state, game.actor
    steering = find_known(state, who, action.pilot, "pilot").id if action.pilot else ""
    others = [find_known(state, who, each, "aboard").id for each in split_words(action.aboard)]
    everybody = tuple(dict.fromkeys([steering, *others] if steering else others))
    return {"pilot": steering, "aboard": everybody, "held": everybody if action.restraints else ()}


def _nowhere_else(game: Game, vehicle: Vehicle) -> Game:
    """The table where those aboard are aboard nothing else."""
    for each in vehicles_of(game.state):
        left = tuple([who for who in each.aboard if who not in vehicle.aboard])
        if each.id != vehicle.id and left != each.aboard:
            held = tuple([who for who in each.held if who in left])
            game = put(
                game,
                each.replace(
                    pilot=each.pilot if each.pilot in left else "", aboard=left, held=held
                ),
            )
    return game


def add(game: Game, action: Any) -> Outcome:
    """Bring one in, whole and standing still, or as slow as what flies may be (EGO-VEH-01,
    EGO-VEH-02).

    Impossible("ego-too-many-vehicles"), InvalidInput("name-is-taken"), NotFound for a kind or
    weapon that is none, and as `find_known`.
    """
    state = game.state
    require_gm(state, action.who)
    kinds, rows = rows_of(game.campaign, "vehicles"), rows_of(game.campaign, "weapons")
    row: VehicleKind = kinds[unique_match(kinds, action.kind, field="kind")]
    named = [each.strip() for each in action.weapons.split(";")]
    weapons = tuple([unique_match(rows, each, field="weapons") for each in named if each])
    name = clean_name(one_line("name", action.name, NAME_MAX)) or row.name
    known = vehicles_of(state)
    if len(known) >= MOST:
        raise Impossible("ego-too-many-vehicles", most=MOST)
    if any(lookalike_key(each.name) == lookalike_key(name) for each in known):
        raise InvalidInput("name-is-taken", field="name", value=name)
    count = row.sections if action.type is None else vehicles.sections_of_type(action.type)
    number = state.counters.own + 1
    sections, slow = (row.damage_points,) * count, {"speed": row.speed_min, "began": row.speed_min}
    crew = _crew(game, action)
    made = Vehicle(f"v{number}", name, row, sections, row.ar, weapons=weapons, **slow, **crew)
    game = game.with_state(state.replace(counters=state.counters.replace(own=number)))
    added = Note(Text("ego-vehicle-is", {"how": "added", "kind": row.name}), FOR_EVERYONE)
    return _told(_nowhere_else(game, made), made, added, *blocks_of(game, made))


def board(game: Game, action: Any) -> Outcome:
    """Others are aboard: whoever steers says who, each player for their own. As `find_known`,
    `require_steering`.

    NotPermitted("owner-only") for somebody who is another's.
    """
    vehicle, crew = find_vehicle(game, action.vehicle), _crew(game, action)
    steering, people = steers(game, vehicle), game.state.characters
    fresh = [game.character(each) for each in crew["aboard"] if each not in vehicle.aboard]
    for each in [] if is_gm(game.state, game.actor) else fresh:
        require_owner(game.state, game.actor, each)
    if not fresh or action.pilot or len(fresh) < len(crew["aboard"]):
        require_steering(game, vehicle)
    # Those who stay are asked of nobody: whoever steers need not know of them.
    stay = () if steering and action.aboard else vehicle.aboard
    pilot = crew["pilot"] or vehicle.pilot
    aboard = tuple(
        dict.fromkeys([each for each in (pilot, *crew["aboard"], *stay) if each in people])
    )
    pilot = pilot if pilot in people else ""
    held = () if not action.restraints else aboard if steering else crew["aboard"]
    vehicle = vehicle.replace(
        pilot=pilot, aboard=aboard, held=held if steering else (*vehicle.held, *held)
    )
    return _told(_nowhere_else(game, vehicle), vehicle, *blocks_of(game, vehicle))


def is_in_rounds(game: Game, vehicle: Vehicle) -> bool:
    """Whether rounds are counted for somebody aboard, wherever."""
    orders = [each.order for each in game.state.encounters.values()]
    return any(each.character in vehicle.aboard for order in orders for each in order)


def round_over(vehicle: Vehicle) -> Vehicle:
    """Return the vehicle after a round (EGO-VEH-04, EGO-VEH-10).

    Armor that stopped too much is halved, an emergency stop ends, and the speed of this round is
    the base of the next change.
    """
    speed = 0 if vehicle.stopping else vehicle.speed
    ar = vehicles.armor_after_round(vehicle.ar, vehicle.stopped)
    return vehicle.replace(ar=ar, stopped=0, speed=speed, began=speed, stopping=False)


def steer(game: Game, action: Any) -> Outcome:
    """Another speed, between what a round allows (EGO-VEH-03); where no rounds are counted each
    takes one.

    InvalidInput("out-of-range"), and as `require_steering`.
    """
    vehicle = before = find_vehicle(game, action.vehicle)
    require_steering(game, vehicle, awake=True)
    if not is_in_rounds(game, vehicle):
        # Outside rounds, a stop out of control is over by now.
        vehicle = round_over(vehicle)
    elif vehicle.stopping:
        raise Impossible("ego-no-emergency", how="stopping", name=vehicle.name)
    low = vehicles.slowest(vehicle.began, vehicle.model.speed_min)
    high = vehicles.fastest(vehicle.began, vehicle.model.acceleration, vehicle.model.speed_max)
    speed = low if action.speed is None else action.speed
    if not low <= speed <= high:
        raise InvalidInput("out-of-range", field="speed", value=speed, lowest=low, highest=high)
    stood = vehicle.speed
    vehicle = vehicle.replace(speed=speed, drifts=False)
    told = (*change_blocks("speed", before.speed, stood), *change_blocks("speed", stood, speed))
    told = told or blocks_of(game, vehicle)[:1]
    return _told(game, vehicle, *told, *change_blocks("armour", before.ar, vehicle.ar))


def hit_vehicle(vehicle: Vehicle, points: int, section: int, times: int = 1) -> tuple[Vehicle, int]:
    """It after a hit on a section from 0, and what came through its armor (EGO-VEH-01)."""
    taken = vehicles.damage_through_armor(points, vehicle.ar, times)
    after = vehicles.sections_after_hit(vehicle.sections, section, taken)
    return vehicle.replace(sections=after, stopped=vehicle.stopped + points * times - taken), taken


def hit_section(game: Game, vehicle: Vehicle, section: int | None) -> int:
    """Which section is hit, from 0: the one that a GM names, else one by chance.
    InvalidInput("out-of-range").
    """
    count = len(vehicle.sections)
    if section is None:
        return game.rng.public.below(count)
    if not 1 <= section <= count:
        raise InvalidInput("out-of-range", field="section", value=section, lowest=1, highest=count)
    return section - 1


def damage_vehicle(game: Game, action: Any) -> Outcome:
    """Damage to one section; what is too much goes on to the next (EGO-VEH-01, EGO-VEH-11)."""
    require_gm(game.state, action.who)
    before = find_vehicle(game, action.vehicle)
    if before.wreck:
        raise Impossible("ego-wreck", name=before.name)
    after, taken = hit_vehicle(
        before, action.damage or 0, hit_section(game, before, action.section)
    )
    hit = Text("ego-vehicle-hit", {"taken": taken, "stopped": after.stopped - before.stopped})
    both = enumerate(zip(before.sections, after.sections, strict=True), 1)
    found = [
        Change(None, label("section", number=at), *two, FOR_EVERYONE)
        for at, two in both
        if len({*two}) > 1
    ]
    wreck = (
        (Note(Text("ego-vehicle-is", {"how": "destroyed"}), FOR_EVERYONE),) if after.wreck else ()
    )
    return _told(game, after, Note(hit, FOR_EVERYONE), *found, *wreck)


def repair(game: Game, action: Any) -> Outcome:
    """Mended from the first section on; without a number it is whole again, armor too."""
    require_gm(game.state, action.who)
    before = find_vehicle(game, action.vehicle)
    left = (
        len(before.sections) * before.model.damage_points
        if action.points is None
        else action.points
    )
    sections: list[int] = []
    for each in before.sections:
        given = min(left, before.model.damage_points - each)
        sections.append(each + given)
        left -= given
    after = before.replace(sections=tuple(sections))
    if action.points is None:
        after = after.replace(ar=before.model.ar)
    if after == before:
        raise Impossible("ego-nothing-to-do", what="repair", name=before.name)
    return _told(
        game,
        after,
        Note(Text("ego-vehicle-is", {"how": "repaired"}), FOR_EVERYONE),
        *blocks_of(game, after),
    )


def remove(game: Game, action: Any) -> Outcome:
    """It is gone."""
    require_gm(game.state, action.who)
    vehicle = find_vehicle(game, action.vehicle)
    outcome = _told(game, vehicle, Note(Text("ego-vehicle-is", {"how": "removed"}), FOR_EVERYONE))
    return Outcome(game.state.with_own(f"{PREFIX}:{vehicle.id}", None), outcome.events)


def apply_vehicle_tick(game: Game, passing: Tick) -> TickResult:
    """What the end of a round does to the vehicles of those who take part, and to those with nobody
    aboard.

    Where no rounds are counted for anybody aboard one is over when time passes.
    """
    lines: list[tuple[str, Text]] = []
    rounds = passing.kind in ("round-end", "encounter-end")
    for vehicle in vehicles_of(game.state) if rounds or passing.minutes > 0 else ():
        there = [each for each in vehicle.aboard if each in passing.who]
        if vehicle.aboard and not there if rounds else is_in_rounds(game, vehicle):
            continue
        after = round_over(vehicle)
        game = put(game, after)
        if after.ar != vehicle.ar:
            worn = {"how": "armour", "name": vehicle.name, "before": vehicle.ar, "after": after.ar}
            lines.append((there[0] if there else "", Text("ego-tick", worn)))
    return TickResult(game, tuple(lines))


STEERED: Final = deed("vehicle move", "SteerVehicle", steer)
#: What is done with them; all but steering and boarding GMs do.
DEEDS: Final = (
    STEERED,
    deed("vehicle add", "AddVehicle", add),
    deed("vehicle board", "BoardVehicle", board),
    deed("vehicle damage", "HurtVehicle", damage_vehicle),
    deed("vehicle repair", "RepairVehicle", repair),
    deed("vehicle remove", "RemoveVehicle", remove),
)
