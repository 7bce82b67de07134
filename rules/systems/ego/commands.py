"""Commands under `/ego`: actions of a round, effects, odds, purchases, vehicles, body values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import partial
from typing import Final

from rules.core.errors import Impossible
from rules.systems.ego.character import purchases
from rules.systems.ego.character.labels import label
from rules.systems.ego.character.sheet import (
    choices_from_sheet,
    level_of,
    lift,
    priced,
    title_with_field,
)
from rules.systems.ego.checks import karma_plans
from rules.systems.ego.combat import actions, odds, powers
from rules.systems.ego.combat.weapons import weapon_names
from rules.systems.ego.command_forms import form
from rules.systems.ego.formulas import body, ranged
from rules.systems.ego.formulas.reference_rows import rows_of
from rules.systems.ego.vehicles import collisions, vehicles_in_play
from rules.table.blocks import FOR_EVERYONE, Block, Fact, Group, Note, Text
from rules.table.check import Values
from rules.table.checks.access import target_options
from rules.table.commands import (
    AS_FIELD,
    WITH_FIELD,
    ButtonQuestion,
    CheckStart,
    Command,
    CommandAction,
    CommandResult,
    CommandView,
    check_starter,
    known_character_options,
    own_character_options,
)
from rules.table.forms.fields import FormContext, Option, Typed, plain_options
from rules.table.forms.form import Form
from rules.table.lookup import acting_character, find_known
from rules.table.permissions import is_gm, owns
from rules.table.state import AnyCharacter
from rules.table.system import Game

Run = Callable[[Game, Values], CommandResult]

# --- body values ----------------------------------------------------------------------------------


def _acting_character(game: Game, given: Values) -> AnyCharacter:
    return acting_character(game.state, game.actor, given.get("as"))


def _measures(what: str, who: AnyCharacter, facts: Iterable[tuple[str, Fraction]]) -> CommandView:
    """Return measures in pounds, yards or feet, to a tenth."""
    rows: list[Block] = []
    for key, value in facts:
        whole, tenths = divmod(round(value * 10), 10)
        shown = Text("ego-measure", {"what": what, "whole": whole, "tenths": tenths or None})
        rows.append(Fact(Text("ego-body", {"what": key}), shown, FOR_EVERYONE))
    return CommandView(Text("ego-body-of", {"name": who.name, "what": what}), tuple(rows))


def _lift(game: Game, given: Values) -> CommandView:
    who = _acting_character(game, given)
    pounds = lift(who.sheet)
    loads = ((how, body.load(pounds, how)) for how in body.LOADS)
    return _measures("lift", who, (("overhead", Fraction(pounds)), *loads))


def _throw(game: Game, given: Values) -> CommandView:
    who = _acting_character(game, given)
    ends = ranged.throws(lift(who.sheet), given["weight"])
    return _measures("throw", who, zip(ranged.BANDS, ends, strict=True))


def _move(game: Game, given: Values) -> CommandView:
    who = _acting_character(game, given)
    feet = Fraction(who.sheet.height, 12)
    paces = [(pace, body.movement(feet, pace)) for pace in body.PACES]
    shown = _measures("move", who, paces)
    size = Fact(Text("ego-body", {"what": "size"}), body.size(feet), FOR_EVERYONE)
    return shown.replace(blocks=(*shown.blocks, size))


# --- actions --------------------------------------------------------------------------------------


def _act(game: Game, given: Values) -> CheckStart | CommandAction:
    as_ = given.get("as")
    if given["action"].casefold() == actions.TUMBLE:
        return CheckStart(
            "tumble", {key: given[key] for key in ("karma",) if key in given}, as_=as_
        )
    said = {key: value for key, value in given.items() if key != "karma"}
    done = actions.ROUND_DEEDS[0].run(game, said)
    if is_gm(game.state, game.actor):
        return done
    asks = actions.costs_out_of_turn(
        game, actions.Act(who=game.actor, place="", at=0, **done.values)
    )
    return done.replace(asks=asks)


def _fall(game: Game, given: Values) -> CheckStart:
    who = find_known(game.state, game.actor, given["who"], "who").id
    return CheckStart("fall", {"damage": given["damage"]}, as_=who)


def customer_options(asking: FormContext) -> tuple[Option, ...]:
    """List the characters for whom the asking user can buy."""
    gm = is_gm(asking.game.state, asking.game.actor)
    return known_character_options(asking) if gm else own_character_options(asking)


# --- vehicles -------------------------------------------------------------------------------------


def _named_vehicle(game: Game, given: Values) -> vehicles_in_play.Vehicle:
    return vehicles_in_play.find_vehicle(game, given.get("vehicle", ""))


def _pilot(vehicle: vehicles_in_play.Vehicle) -> str:
    """Return the id of the pilot, or of another character aboard.

    Raises Impossible("ego-nobody-aboard").
    """
    who = vehicle.pilot or next(iter(vehicle.aboard), "")
    if not who:
        raise Impossible("ego-nobody-aboard", name=vehicle.name)
    return who


def _start_check(kind: str, game: Game, given: Values) -> CheckStart:
    vehicle = _named_vehicle(game, given)
    return CheckStart(kind, {**given, "vehicle": vehicle.id}, as_=_pilot(vehicle))


def _emergency(game: Game, given: Values) -> CheckStart:
    """Begin an emergency as the pilot, or waking rolls as any character aboard.

    Raises Impossible("ego-not-pilot").
    """
    vehicle = _named_vehicle(game, given)
    actor = _pilot(vehicle)
    if not vehicles_in_play.steers(game, vehicle):
        mine = [who for who in vehicle.aboard if who in game.state.characters]
        own = [who for who in mine if owns(game.state, game.actor, game.character(who))]
        if given.get("what") != collisions.WAKE or not own:
            raise Impossible("ego-not-pilot", name=vehicle.name)
        actor = own[0]
    return CheckStart("emergency", {**given, "vehicle": vehicle.id}, as_=actor)


def _maneuver(game: Game, given: Values) -> CheckStart:
    """Start the check of a dangerous maneuver, with the vehicle's own dice (EGO-VEH-11)."""
    vehicle = _named_vehicle(game, given)
    vehicles_in_play.require_steering(game, vehicle, awake=True)
    who = _pilot(vehicle)
    if not owns(game.state, game.actor, game.character(who)):
        raise Impossible("ego-pilots-own", name=game.display_name(who))
    field = vehicle.model.kind if level_of(game.sheet(who), "Pilot", vehicle.model.kind) else ""
    rolled = {"skill": title_with_field("Pilot", field)} if field else {"attribute": "agility"}
    more = {"modifier": vehicle.model.maneuverability} if vehicle.model.maneuverability else {}
    values = {key: value for key, value in given.items() if key != "vehicle"}
    return CheckStart("check", {**values, **rolled, **more}, as_=who)


def _show(game: Game, given: Values) -> CommandView:
    shown = vehicles_in_play.vehicles_of(game.state)
    if "vehicle" in given:
        shown = (_named_vehicle(game, given),)
    if len(shown) == 1:
        return CommandView(
            vehicles_in_play.title_of(shown[0]), vehicles_in_play.blocks_of(game, shown[0])
        )
    rows = tuple((vehicle.name, vehicles_in_play.brief(vehicle)) for vehicle in shown)
    there = (
        Group(None, rows, FOR_EVERYONE) if rows else Note(Text("ego-unknown-vehicle"), FOR_EVERYONE)
    )
    return CommandView(label("vehicles"), (there,))


_VEHICLE: Final = Typed("vehicle", most=100, choices=vehicles_in_play.vehicle_choices)
_TARGET: Final = Typed("target", most=100, choices=target_options)
#: Fields that several forms share.
_KNOWN: Final = (AS_FIELD, _VEHICLE, Typed("pilot", most=100, choices=known_character_options))
#: Character who buys: a GM names any.
_CUSTOMER: Final = Typed("as", most=100, choices=customer_options)
_TRADES: Final = frozenset(deed.command for deed in purchases.DEEDS)
_OFFERED: Final[Mapping[str, Callable[[FormContext], Iterable[Option]]]] = {
    "people": known_character_options,
    "kinds": lambda asking: plain_options(rows_of(asking.campaign, "vehicles")),
    "goods": lambda asking: priced(
        purchases.local_goods(asking.game).values(), asking.game.setting("currency")
    ),
    "guns": choices_from_sheet(purchases.gun_names),
    "carried": choices_from_sheet(
        lambda game, sheet: dict.fromkeys([arm.name for arm in sheet.arms])
    ),
    "weapons": choices_from_sheet(lambda game, sheet: weapon_names(sheet)),
    "rolled": choices_from_sheet(odds.rollable_names),
}
#: Form of an effect. Options on how it strikes are words of `with`, as for an attack.
_USE: Final = Form(
    (
        *[field for field in powers.FORM.fields if field not in powers.STRIKES],
        WITH_FIELD,
        _TARGET,
        AS_FIELD,
    )
)
#: Commands that are carried out at once, without a check.
DEEDS: Final = (*actions.ROUND_DEEDS, *karma_plans.DEEDS, *purchases.DEEDS, *vehicles_in_play.DEEDS)
#: Commands whose options are rows of data.
_RUNS: Final[Mapping[str, Run]] = {
    **{deed.command: deed.run for deed in DEEDS},
    "act": _act,
    "buy": purchases.run_buy,
    karma_plans.PLAN_COMMAND: karma_plans.run_plan,
    karma_plans.LATE_COMMAND: karma_plans.run_late,
    "odds": odds.attack_odds,
    "fall": _fall,
    "lift": _lift,
    "throw": _throw,
    "move": _move,
    "vehicle show": _show,
    "vehicle brake": vehicles_in_play.STEERED.run,
}


def _with_vehicle_last(form: Form) -> Form:
    """Return the form with an optional vehicle as its last field; the vehicle is usually clear."""
    return Form((*[field for field in form.fields if field.key != _VEHICLE.key], _VEHICLE))


def _form_of(command: str) -> Form:
    known = (*_KNOWN, _CUSTOMER) if command in _TRADES else _KNOWN
    return form(command, *known, **_OFFERED)


#: Questions that commands may ask first.
_ASKS: Final[Mapping[str, Callable[[Game, Values], ButtonQuestion]]] = {
    "act": actions.act_out_of_turn,
    karma_plans.PLAN_COMMAND: karma_plans.plan_question,
    karma_plans.LATE_COMMAND: karma_plans.late_question,
}


def _command(name: str, run: Run) -> Command:
    command = Command(name, run, _form_of(name), asks=_ASKS.get(name))
    if name in karma_plans.BUTTONS:
        return command.replace(pressed=Form((AS_FIELD,)), waits=karma_plans.BUTTONS[name])
    return command


COMMANDS: Final = (
    *[_command(name, run) for name, run in _RUNS.items()],
    Command("use", check_starter("effect", target="target"), _USE, "effect"),
    Command("vehicle maneuver", _maneuver, Form((_VEHICLE,)), "check", ("difficulty", "approach")),
    Command("vehicle emergency", _emergency, _with_vehicle_last(collisions.EMERGENCY_FORM)),
    Command(
        "vehicle collide",
        partial(_start_check, "collision"),
        _with_vehicle_last(collisions.COLLISION_FORM),
    ),
)
