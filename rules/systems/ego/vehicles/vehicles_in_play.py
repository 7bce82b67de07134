"""Vehicles at the table: their crew, speed and damage (EGO-VEH-01 to EGO-VEH-11)."""

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
from rules.table.actions import Action
from rules.table.blocks import FOR_EVERYONE, Block, Change, Note, Ref, Text, Value
from rules.table.forms.fields import FormContext, Option
from rules.table.forms.typed_texts import one_line
from rules.table.lookup import find_known
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, owns, public_name, require_gm, require_owner
from rules.table.reports import report_outcome
from rules.table.state import TableState
from rules.table.system import Game, Tick, TickResult

PREFIX: Final = "vehicle"
NAME_MAX: Final = 80
#: Most vehicles of a table.
MOST: Final = 50


class Vehicle(Record):
    """A vehicle of the table."""

    id: str
    name: str
    #: Row of the tables that the vehicle was made by.
    model: VehicleKind
    #: Damage Points left in each section.
    sections: tuple[int, ...]
    #: Armor rating now.
    ar: int
    speed: int = 0
    #: Speed at the start of the round.
    began: int = 0
    #: Damage that armor has stopped in this round.
    stopped: int = 0
    #: Character id of the pilot; empty without one.
    pilot: str = ""
    #: Character ids of all aboard, the pilot among them.
    aboard: tuple[str, ...] = ()
    #: Character ids of those who wear restraints.
    held: tuple[str, ...] = ()
    drifts: bool = False
    #: Whether the vehicle stops at the end of the round (EGO-VEH-04).
    stopping: bool = False
    #: Names of the mounted weapons, for everyone aboard.
    weapons: tuple[str, ...] = ()

    @property
    def wreck(self) -> bool:
        """True if the vehicle is destroyed."""
        return vehicles.is_destroyed(self.sections)


# --- lookup and view ------------------------------------------------------------------------------


def vehicles_of(state: TableState) -> tuple[Vehicle, ...]:
    """Return the vehicles of a table, oldest first."""
    vehicles_there = (part for part in state.own.values() if isinstance(part, Vehicle))
    return tuple(sorted(vehicles_there, key=lambda vehicle: int(vehicle.id[1:])))


def vehicle_choices(asking: FormContext) -> tuple[Option, ...]:
    """List the vehicles of the table as options."""
    known = vehicles_of(asking.game.state)
    return tuple(Option(vehicle.id, title_of(vehicle)) for vehicle in known)


def find_vehicle(game: Game, text: str) -> Vehicle:
    """Return the vehicle that *text* names by id or name.

    For an empty text, that is the only vehicle that the acting player steers, or else the only one.

    Raises NotFound("ego-unknown-vehicle"), InvalidInput("which-one").
    """
    pool = vehicles_of(game.state)
    mine = tuple(
        vehicle for vehicle in pool if steers(game, vehicle) and not is_gm(game.state, game.actor)
    )
    return find_or_likely(pool, text, mine or pool, field="vehicle", unknown="ego-unknown-vehicle")


def steers(game: Game, vehicle: Vehicle) -> bool:
    """Return whether the acting participant steers a vehicle: the pilot's player or a GM."""
    pilot = game.state.characters.get(vehicle.pilot)
    return is_gm(game.state, game.actor) or (
        pilot is not None and owns(game.state, game.actor, pilot)
    )


def pilot_out_error(vehicle: Vehicle, down: str) -> Impossible:
    """Return the refusal for a pilot who can't act; it tells whether the pilot can wake."""
    how = "out" if down == damage.PASSED_OUT else "gone"
    return Impossible("ego-no-emergency", how=how, name=vehicle.name)


def require_steering(game: Game, vehicle: Vehicle, *, awake: bool = False) -> None:
    """Require that the acting participant steers a vehicle that is no wreck.

    Raises Impossible("ego-not-pilot", "ego-wreck"). With *awake*, raises
    Impossible("ego-no-emergency") for a player whose pilot can't act.
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


def with_vehicle(game: Game, vehicle: Vehicle) -> Game:
    """Return the game with the vehicle as it is now."""
    return game.with_state(game.state.with_own(f"{PREFIX}:{vehicle.id}", vehicle))


def known_refs(game: Game, who: Iterable[str]) -> tuple[Ref, ...]:
    """Return the characters that players know, by their public names."""
    refs: list[Ref] = []
    for key in who:
        character = game.state.characters.get(key)
        name = public_name(character) if character is not None else ""
        if name:
            refs.append(Ref(name=name))
    return tuple(refs)


def title_of(vehicle: Vehicle) -> Text:
    """Return a vehicle's name; no two vehicles of a table share one."""
    return Text("ego-vehicle", {"name": vehicle.name})


def blocks_of(game: Game, vehicle: Vehicle) -> tuple[Block, ...]:
    """Return the blocks of a vehicle as it is now."""
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
    values: dict[str, Value] = {
        "speed": Text("ego-speeds", speeds),
        "sections": _state(vehicle, points=vehicle.model.damage_points),
        "armour": Text("ego-of", {"now": vehicle.ar, "whole": vehicle.model.ar}),
        "dice": vehicle.model.maneuverability,
        "weapons": tuple(Text("as-written", {"text": name}) for name in vehicle.weapons),
        "pilot": known_refs(game, (vehicle.pilot,)),
        "aboard": known_refs(game, [who for who in vehicle.aboard if who != vehicle.pilot]),
        "restraints": known_refs(game, vehicle.held),
    }
    return tuple(labeled_fact(what, value) for what, value in values.items() if value != ())


def mounted(state: TableState, who: str) -> tuple[str, ...]:
    """Return the mounted weapons that a character aboard may shoot: `Lgt machine gun (Jeep)`."""
    titles: list[str] = []
    for vehicle in vehicles_of(state):
        if who in vehicle.aboard and not vehicle.wreck:
            titles += [title_with_field(weapon, vehicle.name) for weapon in vehicle.weapons]
    return tuple(titles)


def _state(vehicle: Vehicle, **more: Value) -> Text:
    return Text("ego-vehicle-brief", {"left": vehicle.sections, "wreck": vehicle.wreck, **more})


def brief(vehicle: Vehicle) -> Text:
    """Return one line on a vehicle: its damage and its speed."""
    return _state(vehicle, speed=vehicle.speed, top=vehicle.model.speed_max)


def _report(game: Game, vehicle: Vehicle, *blocks: Block) -> Outcome:
    """Return the outcome of a change: the table with the vehicle, and a public report."""
    return report_outcome(with_vehicle(game, vehicle), title_of(vehicle), *blocks)


def change_blocks(what: str, before: Any, after: Any) -> tuple[Block, ...]:
    """Return the block of a changed number; none if it is unchanged."""
    if before == after:
        return ()
    return (Change(None, label(what), before, after, FOR_EVERYONE),)


# --- changes of a vehicle -------------------------------------------------------------------------


class AddVehicle(Action, kw_only=True):
    """Bring a vehicle into play, as a GM."""

    kind: str = ""
    name: str = ""
    pilot: str = ""
    #: Names of those aboard, separated by commas.
    aboard: str = ""
    restraints: bool = False
    #: Type of the table of sections; None: as the row of the vehicle has it.
    type: int | None = None
    #: Weapons of the vehicle, separated by semicolons.
    weapons: str = ""


class BoardVehicle(Action, kw_only=True):
    """Board a vehicle, or change who is aboard."""

    vehicle: str = ""
    pilot: str = ""
    aboard: str = ""
    restraints: bool = False


class SteerVehicle(Action, kw_only=True):
    """Change the speed of a vehicle."""

    speed: int | None = None
    vehicle: str = ""


class HurtVehicle(Action, kw_only=True):
    """Damage a vehicle, as a GM."""

    damage: int | None = None
    vehicle: str = ""
    section: int | None = None


class RepairVehicle(Action, kw_only=True):
    """Repair a vehicle, as a GM; without `points` whole."""

    vehicle: str = ""
    points: int | None = None


class RemoveVehicle(Action, kw_only=True):
    """Take a vehicle out of play, as a GM."""

    vehicle: str = ""


def _crew(game: Game, action: AddVehicle | BoardVehicle) -> dict[str, Any]:
    """Return the crew that an action names, by name or id. Raises as `find_known`."""
    state, who = game.state, game.actor
    steering = find_known(state, who, action.pilot, "pilot").id if action.pilot else ""
    others = [find_known(state, who, text, "aboard").id for text in split_words(action.aboard)]
    everybody = tuple(dict.fromkeys([steering, *others] if steering else others))
    return {"pilot": steering, "aboard": everybody, "held": everybody if action.restraints else ()}


def _without_other_places(game: Game, vehicle: Vehicle) -> Game:
    """Return the game with the crew of a vehicle off all other vehicles."""
    for other in vehicles_of(game.state):
        left = tuple(who for who in other.aboard if who not in vehicle.aboard)
        if other.id != vehicle.id and left != other.aboard:
            held = tuple(who for who in other.held if who in left)
            pilot = other.pilot if other.pilot in left else ""
            game = with_vehicle(game, other.replace(pilot=pilot, aboard=left, held=held))
    return game


def add(game: Game, action: AddVehicle) -> Outcome:
    """Add a whole vehicle that stands still, or flies as slowly as it can (EGO-VEH-01, EGO-VEH-02).

    Raises Impossible("ego-too-many-vehicles"), InvalidInput("name-is-taken"), NotFound for an
    unknown kind or weapon, and errors as `find_known`.
    """
    state = game.state
    require_gm(state, action.who)
    kinds, rows = rows_of(game.campaign, "vehicles"), rows_of(game.campaign, "weapons")
    row: VehicleKind = kinds[unique_match(kinds, action.kind, field="kind")]
    names = [text.strip() for text in action.weapons.split(";")]
    weapons = tuple([unique_match(rows, text, field="weapons") for text in names if text])
    name = clean_name(one_line("name", action.name, NAME_MAX)) or row.name
    known = vehicles_of(state)
    if len(known) >= MOST:
        raise Impossible("ego-too-many-vehicles", most=MOST)
    if any(lookalike_key(vehicle.name) == lookalike_key(name) for vehicle in known):
        raise InvalidInput("name-is-taken", field="name", value=name)
    count = row.sections if action.type is None else vehicles.sections_of_type(action.type)
    number = state.counters.own + 1
    sections = (row.damage_points,) * count
    slow = {"speed": row.speed_min, "began": row.speed_min}
    crew = _crew(game, action)
    vehicle = Vehicle(f"v{number}", name, row, sections, row.ar, weapons=weapons, **slow, **crew)
    game = game.with_state(state.replace(counters=state.counters.replace(own=number)))
    kind = row.name
    if name != kind and kind[1:2].islower():
        kind = kind[:1].lower() + kind[1:]  # in the middle of a sentence
    shown = {"how": "added", "kind": kind, "name": name if name != row.name else None}
    added = Note(Text("ego-vehicle-is", shown), FOR_EVERYONE)
    return _report(_without_other_places(game, vehicle), vehicle, added, *blocks_of(game, vehicle))


def board(game: Game, action: BoardVehicle) -> Outcome:
    """Put characters aboard a vehicle. Raises as `find_known`, `require_steering`.

    The participant who steers names all aboard. Other players add their own characters.

    Raises NotPermitted("owner-only") for a character of another player.
    """
    vehicle, crew = find_vehicle(game, action.vehicle), _crew(game, action)
    steering, people = steers(game, vehicle), game.state.characters
    fresh = [game.character(who) for who in crew["aboard"] if who not in vehicle.aboard]
    if not is_gm(game.state, game.actor):
        for character in fresh:
            require_owner(game.state, game.actor, character)
    if not fresh or action.pilot or len(fresh) < len(crew["aboard"]):
        require_steering(game, vehicle)
    # Those who stay aboard are not looked up: the participant who steers need not know them.
    stay = () if steering and action.aboard else vehicle.aboard
    pilot = crew["pilot"] or vehicle.pilot
    crew_now = dict.fromkeys((pilot, *crew["aboard"], *stay))
    aboard = tuple(who for who in crew_now if who in people)
    pilot = pilot if pilot in people else ""
    if steering:
        held = aboard if action.restraints else ()
    else:
        held = (*vehicle.held, *(crew["aboard"] if action.restraints else ()))
    vehicle = vehicle.replace(pilot=pilot, aboard=aboard, held=held)
    return _report(_without_other_places(game, vehicle), vehicle, *blocks_of(game, vehicle))


def is_in_rounds(game: Game, vehicle: Vehicle) -> bool:
    """Return whether any character aboard is in the order of an encounter."""
    for encounter in game.state.encounters.values():
        if any(slot.character in vehicle.aboard for slot in encounter.order):
            return True
    return False


def round_over(vehicle: Vehicle) -> Vehicle:
    """Return the vehicle after a round (EGO-VEH-04, EGO-VEH-10).

    Armor that stopped too much is halved, an emergency stop ends, and the speed of this round is
    the base of the next change.
    """
    speed = 0 if vehicle.stopping else vehicle.speed
    ar = vehicles.armor_after_round(vehicle.ar, vehicle.stopped)
    return vehicle.replace(ar=ar, stopped=0, speed=speed, began=speed, stopping=False)


def steer(game: Game, action: SteerVehicle) -> Outcome:
    """Set the speed of a vehicle, within the limits of a round (EGO-VEH-03).

    Outside rounds, each change of speed takes a round of its own. Raises
    InvalidInput("out-of-range"), Impossible("ego-no-emergency") for a vehicle that is stopping, and
    errors as `require_steering`.
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
    changes = (*change_blocks("speed", before.speed, stood), *change_blocks("speed", stood, speed))
    if not changes:
        changes = blocks_of(game, vehicle)[:1]
    return _report(game, vehicle, *changes, *change_blocks("armour", before.ar, vehicle.ar))


def hit_vehicle(vehicle: Vehicle, points: int, section: int, times: int = 1) -> tuple[Vehicle, int]:
    """Return the vehicle after a hit on a section, and the damage through its armor (EGO-VEH-01).

    Sections count from 0.
    """
    taken = vehicles.damage_through_armor(points, vehicle.ar, times)
    after = vehicles.sections_after_hit(vehicle.sections, section, taken)
    return vehicle.replace(sections=after, stopped=vehicle.stopped + points * times - taken), taken


def hit_section(game: Game, vehicle: Vehicle, section: int | None) -> int:
    """Return the section that is hit, from 0: the one that a GM names, or a random one.

    Raises InvalidInput("out-of-range").
    """
    count = len(vehicle.sections)
    if section is None:
        return game.rng.public.below(count)
    if not 1 <= section <= count:
        raise InvalidInput("out-of-range", field="section", value=section, lowest=1, highest=count)
    return section - 1


def damage_vehicle(game: Game, action: HurtVehicle) -> Outcome:
    """Damage one section; excess damage goes on to the next one (EGO-VEH-01, EGO-VEH-11).

    Raises Impossible("ego-wreck").
    """
    require_gm(game.state, action.who)
    before = find_vehicle(game, action.vehicle)
    if before.wreck:
        raise Impossible("ego-wreck", name=before.name)
    after, taken = hit_vehicle(
        before, action.damage or 0, hit_section(game, before, action.section)
    )
    hit = Text("ego-vehicle-hit", {"taken": taken, "stopped": after.stopped - before.stopped})
    blocks: list[Block] = [Note(hit, FOR_EVERYONE)]
    pairs = zip(before.sections, after.sections, strict=True)
    for number, (had, left) in enumerate(pairs, 1):
        if had != left:
            section = label("section", number=number)
            blocks.append(Change(None, section, had, left, FOR_EVERYONE))
    if after.wreck:
        blocks.append(Note(Text("ego-vehicle-is", {"how": "destroyed"}), FOR_EVERYONE))
    return _report(game, after, *blocks)


def repair(game: Game, action: RepairVehicle) -> Outcome:
    """Repair damage, from the first section on; without a number, the vehicle and its armor are
    whole.

    Raises Impossible("ego-nothing-to-do").
    """
    require_gm(game.state, action.who)
    before = find_vehicle(game, action.vehicle)
    whole = before.model.damage_points
    left = len(before.sections) * whole if action.points is None else action.points
    sections: list[int] = []
    for section in before.sections:
        repaired = min(left, whole - section)
        sections.append(section + repaired)
        left -= repaired
    after = before.replace(sections=tuple(sections))
    if action.points is None:
        after = after.replace(ar=before.model.ar)
    if after == before:
        raise Impossible("ego-nothing-to-do", what="repair", name=before.name)
    return _report(
        game,
        after,
        Note(Text("ego-vehicle-is", {"how": "repaired"}), FOR_EVERYONE),
        *blocks_of(game, after),
    )


def remove(game: Game, action: RemoveVehicle) -> Outcome:
    """Remove a vehicle from the table."""
    require_gm(game.state, action.who)
    vehicle = find_vehicle(game, action.vehicle)
    outcome = _report(game, vehicle, Note(Text("ego-vehicle-is", {"how": "removed"}), FOR_EVERYONE))
    return Outcome(game.state.with_own(f"{PREFIX}:{vehicle.id}", None), outcome.events)


def apply_vehicle_tick(game: Game, passing: Tick) -> TickResult:
    """End the round of vehicles; return the lines on armor that wears.

    The end of a round counts for vehicles without a crew, and for those with a character of that
    round aboard. Outside rounds, a vehicle's round ends when time passes.
    """
    lines: list[tuple[str, Text]] = []
    rounds = passing.kind in ("round-end", "encounter-end")
    if not rounds and passing.minutes <= 0:
        return TickResult(game, ())
    for vehicle in vehicles_of(game.state):
        there = [who for who in vehicle.aboard if who in passing.who]
        if rounds:
            skipped = bool(vehicle.aboard) and not there
        else:
            skipped = is_in_rounds(game, vehicle)
        if skipped:
            continue
        after = round_over(vehicle)
        game = with_vehicle(game, after)
        if after.ar != vehicle.ar:
            worn = {"how": "armour", "name": vehicle.name, "before": vehicle.ar, "after": after.ar}
            lines.append((there[0] if there else "", Text("ego-tick", worn)))
    return TickResult(game, tuple(lines))


STEERED: Final = deed("vehicle move", SteerVehicle, steer)
#: Commands for vehicles. Players steer and board; all others are for GMs.
DEEDS: Final = (
    STEERED,
    deed("vehicle add", AddVehicle, add),
    deed("vehicle board", BoardVehicle, board),
    deed("vehicle damage", HurtVehicle, damage_vehicle),
    deed("vehicle repair", RepairVehicle, repair),
    deed("vehicle remove", RemoveVehicle, remove),
)
