"""What stands under `/ego`: vehicles, effects, purchases, and what a body can do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from rules.core.errors import Impossible
from rules.systems.ego import body, buying, casting, crashes, driving, falling, foreseen, ranged
from rules.systems.ego.aiming import FACTORS
from rules.systems.ego.sheet import level_of, lift, priced, titled
from rules.systems.ego.tables import of
from rules.systems.ego.telling import label
from rules.table.blocks import ALL, Block, Fact, Group, Note, Text
from rules.table.commands import AS, WITH, Command, Does, Shows, Starts, everybody
from rules.table.forms import Asking, Flag, Form, Number, Option, Typed, Values, as_written
from rules.table.lookup import acting_as, called_openly, find_known
from rules.table.permissions import owns
from rules.table.state import AnyCharacter
from rules.table.system import Game

#: The heaviest thing thrown, in pounds; the most damage at once, and of sections.
_HEAVIEST: Final = 100_000
_MOST_DAMAGE: Final = 1000
_MOST_TYPE: Final = 6
_FASTEST: Final = 1000
_DEAREST: Final = 1_000_000


# --- what a body can do --------------------------------------------------------------------------------------


def _whose(game: Game, given: Values) -> AnyCharacter:
    return acting_as(game.state, game.actor, given.get("as"))


def _measure(what: str, value: Fraction) -> Text:
    """Pounds, yards or feet, to a tenth."""
    whole, tenths = divmod(round(value * 10), 10)
    return Text("ego-measure", {"what": what, "whole": whole, "tenths": tenths or None})


def _shown(what: str, who: AnyCharacter, facts: Iterable[tuple[str, Fraction]]) -> Shows:
    rows: tuple[Block, ...] = tuple(
        Fact(Text("ego-body", {"what": key}), _measure(what, value), ALL) for key, value in facts
    )
    return Shows(Text("ego-body-of", {"name": who.name, "what": what}), rows)


def _lift(game: Game, given: Values) -> Shows:
    who = _whose(game, given)
    pounds = lift(who.sheet)
    loads = ((how, body.load(pounds, how)) for how in body.LOADS)
    return _shown("lift", who, (("overhead", Fraction(pounds)), *loads))


def _throw(game: Game, given: Values) -> Shows:
    who = _whose(game, given)
    ends = ranged.throws(lift(who.sheet), given["weight"])
    return _shown("throw", who, zip(ranged.BANDS, ends, strict=True))


def _move(game: Game, given: Values) -> Shows:
    who = _whose(game, given)
    feet = Fraction(who.sheet.height, 12)
    paces = [(pace, body.movement(feet, pace)) for pace in body.PACES]
    shown = _shown("move", who, paces)
    size = Fact(Text("ego-body", {"what": "size"}), body.size(feet), ALL)
    return replace(shown, blocks=(*shown.blocks, size))


def _use(game: Game, given: Values) -> Starts:
    values = {key: value for key, value in given.items() if key not in ("as", "target", "with")}
    target, as_ = given.get("target"), given.get("as")
    if words := [each for each in given.get("with", "").split(",") if each.strip()]:
        who = acting_as(game.state, game.actor, as_).id
        values |= casting.FORM.read_words([f"effect: {given['effect']}", *words], Asking(game, None, who))
    return Starts("effect", values, target=target, as_=as_)


# --- money ---------------------------------------------------------------------------------------------------


def _goods(asking: Asking) -> tuple[Option, ...]:
    return priced(buying.goods(asking.campaign).values())


def _buy(game: Game, given: Values) -> Does:
    who = _whose(game, given)
    values = {key: value for key, value in given.items() if key != "as"}
    return Does(buying.Buy, values | {"character": who.id}, openly=who.owner is not None)


def _funds(game: Game, given: Values) -> Does:
    who = _whose(game, given)
    return Does(buying.GetFunds, {"character": who.id}, openly=who.owner is not None)


# --- vehicles ------------------------------------------------------------------------------------------------


def _vehicles(asking: Asking) -> tuple[Option, ...]:
    return tuple(Option(each.id, driving.title_of(each)) for each in driving.vehicles_of(asking.game.state))


_VEHICLE: Final = Typed("vehicle", most=100, among=_vehicles)
_CREW: Final = (
    Typed("pilot", most=100, among=everybody),
    Typed("aboard", most=500),
    Flag("restraints"),
)


def _words(text: str | None, between: str = ",") -> tuple[str, ...]:
    return tuple(word.strip() for word in (text or "").split(between) if word.strip())


def _crewed(given: Values) -> dict[str, Any]:
    return {**given, "aboard": _words(given.get("aboard"))}


def _openly(game: Game, given: Values) -> bool:
    """Whether the options name nobody whom not everybody may know."""
    names = [*_words(given.get("pilot")), *_words(given.get("aboard"))]
    return all(called_openly(find_known(game.state, game.actor, each, "aboard"), each) for each in names)


def _meant(game: Game, given: Values) -> str:
    return driving.find_vehicle(game, given.get("vehicle")).id


def _add(game: Game, given: Values) -> Does:
    values = _crewed(given) | {"weapons": _words(given.get("weapons"), ";")}
    return Does(driving.AddVehicle, values, openly=_openly(game, given))


def _board(game: Game, given: Values) -> Does:
    values = _crewed(given) | {"vehicle": _meant(game, given)}
    return Does(driving.BoardVehicle, values, openly=_openly(game, given))


def _does(action: type[Any]) -> Any:
    def run(game: Game, given: Values) -> Does:
        return Does(action, {**given, "vehicle": _meant(game, given)}, openly=True)

    return run


def _pilot(vehicle: driving.Vehicle) -> str:
    """Whoever is at the controls, else anybody aboard. Impossible("ego-nobody-aboard")."""
    found = vehicle.pilot or next(iter(vehicle.aboard), "")
    if not found:
        raise Impossible("ego-nobody-aboard", name=vehicle.name)
    return found


def _starts(kind: str) -> Callable[[Game, Values], Starts]:
    def run(game: Game, given: Values) -> Starts:
        vehicle = driving.find_vehicle(game, given.get("vehicle"))
        return Starts(kind, {**given, "vehicle": vehicle.id}, as_=_pilot(vehicle))

    return run


def _manoeuvre(game: Game, given: Values) -> Starts:
    """A dangerous one is a check with the vehicle's own dice (EGO-VEH-11)."""
    vehicle = driving.find_vehicle(game, given.get("vehicle"))
    driving.require_steering(game, vehicle)
    who = _pilot(vehicle)
    if not owns(game.state, game.actor, game.character(who)):
        raise Impossible("ego-pilots-own", name=game.called(who))
    field = vehicle.model.kind if level_of(game.sheet(who), "Pilot", vehicle.model.kind) else ""
    rolled = {"skill": titled("Pilot", field)} if field else {"attribute": "agility"}
    more = {"modifier": vehicle.model.maneuverability} if vehicle.model.maneuverability else {}
    values = {key: value for key, value in given.items() if key != "vehicle"}
    return Starts("check", {**values, **rolled, **more}, as_=who)


def _show(game: Game, given: Values) -> Shows:
    found = driving.vehicles_of(game.state)
    if "vehicle" in given:
        found = (driving.find_vehicle(game, given["vehicle"]),)
    if len(found) == 1:
        return Shows(driving.title_of(found[0]), driving.blocks_of(game, found[0]))
    rows = tuple((each.name, driving.brief(each)) for each in found)
    blocks: tuple[Block, ...] = (
        (Group(None, rows, ALL),) if rows else (Note(Text("ego-unknown-vehicle"), ALL),)
    )
    return Shows(label("vehicles"), blocks)


_TARGET: Final = Typed("target", most=100, among=everybody)
_STRUCK: Final = crashes.COLLISION_FORM.part("object", "section", "other_section", "waived")
#: Of what may be said of an effect the factors are words of `with`, as in an attack.
_SAID: Final = [each for each in casting.FORM.fields if each not in FACTORS]
COMMANDS: Final = (
    Command("use", _use, Form((*_SAID, WITH, _TARGET, AS)), "effect"),
    foreseen.COMMAND,
    falling.COMMAND,
    Command("lift", _lift, Form((AS,))),
    Command("throw", _throw, Form((Number("weight", low=1, high=_HEAVIEST, needed=True), AS))),
    Command("move", _move, Form((AS,))),
    Command(
        "buy",
        _buy,
        Form(
            (
                Typed("what", most=100, among=_goods, needed=True),
                Number("count", low=1, high=buying.MOST),
                Number("price", high=_DEAREST),
                Flag("ammunition"),
                AS,
            )
        ),
    ),
    Command("funds", _funds, Form((AS,))),
    Command(
        "vehicle add",
        _add,
        Form(
            (
                Typed(
                    "kind",
                    most=100,
                    among=lambda asking: as_written(of(asking.campaign, "vehicles")),
                    needed=True,
                ),
                Typed("name", most=driving.NAME_MAX),
                *_CREW,
                Number("type", high=_MOST_TYPE),
                Typed("weapons", most=500),
            )
        ),
    ),
    Command("vehicle show", _show, Form((_VEHICLE,))),
    Command("vehicle board", _board, Form((_VEHICLE, *_CREW))),
    Command(
        "vehicle move",
        _does(driving.SteerVehicle),
        Form((Number("speed", high=_FASTEST, needed=True), _VEHICLE)),
    ),
    Command("vehicle brake", _does(driving.SteerVehicle), Form((Number("speed", high=_FASTEST), _VEHICLE))),
    Command("vehicle manoeuvre", _manoeuvre, Form((_VEHICLE,)), "check", ("difficulty", "approach")),
    Command(
        "vehicle emergency",
        _starts("emergency"),
        Form((*crashes.EMERGENCY_FORM.part("what", "full", "karma").fields, _VEHICLE)),
    ),
    Command(
        "vehicle collide",
        _starts("collision"),
        Form((_VEHICLE, Typed("other", most=100, among=_vehicles), *_STRUCK.fields)),
    ),
    Command(
        "vehicle damage",
        _does(driving.HurtVehicle),
        Form(
            (
                Number("damage", low=1, high=_MOST_DAMAGE, needed=True),
                _VEHICLE,
                Number("section", low=1, high=64),
            )
        ),
    ),
    Command(
        "vehicle repair",
        _does(driving.RepairVehicle),
        Form((_VEHICLE, Number("points", low=1, high=_MOST_DAMAGE))),
    ),
    Command("vehicle remove", _does(driving.RemoveVehicle), Form((_VEHICLE,))),
)
