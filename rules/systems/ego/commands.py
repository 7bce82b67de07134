"""What stands under `/ego`: what is done in a round, effects, odds, purchases, vehicles, and what a
body can do.
"""

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
from rules.table.forms import Form, FormContext, Option, Typed, Values, plain_options
from rules.table.lookup import acting_character, find_known
from rules.table.permissions import is_gm, owns
from rules.table.state import AnyCharacter
from rules.table.system import Game

Run = Callable[[Game, Values], CommandResult]

# --- what a body can do ---------------------------------------------------------------------------


def _whose(game: Game, given: Values) -> AnyCharacter:
    return acting_character(game.state, game.actor, given.get("as"))


def _shown(what: str, who: AnyCharacter, facts: Iterable[tuple[str, Fraction]]) -> CommandView:
    """Pounds, yards or feet, to a tenth."""
    rows: list[Block] = []
    for key, value in facts:
        whole, tenths = divmod(round(value * 10), 10)
        shown = Text("ego-measure", {"what": what, "whole": whole, "tenths": tenths or None})
        rows.append(Fact(Text("ego-body", {"what": key}), shown, FOR_EVERYONE))
    return CommandView(Text("ego-body-of", {"name": who.name, "what": what}), tuple(rows))


def _lift(game: Game, given: Values) -> CommandView:
    who = _whose(game, given)
    pounds = lift(who.sheet)
    loads = ((how, body.load(pounds, how)) for how in body.LOADS)
    return _shown("lift", who, (("overhead", Fraction(pounds)), *loads))


def _throw(game: Game, given: Values) -> CommandView:
    who = _whose(game, given)
    ends = ranged.throws(lift(who.sheet), given["weight"])
    return _shown("throw", who, zip(ranged.BANDS, ends, strict=True))


def _move(game: Game, given: Values) -> CommandView:
    who = _whose(game, given)
    feet = Fraction(who.sheet.height, 12)
    paces = [(pace, body.movement(feet, pace)) for pace in body.PACES]
    shown = _shown("move", who, paces)
    size = Fact(Text("ego-body", {"what": "size"}), body.size(feet), FOR_EVERYONE)
    return shown.replace(blocks=(*shown.blocks, size))


# --- what somebody does ---------------------------------------------------------------------------


def _act(game: Game, given: Values) -> CheckStart | CommandAction:
    as_ = given.get("as")
    if given["action"].casefold() == actions.TUMBLE:
        return CheckStart(
            "tumble", {key: given[key] for key in ("karma",) if key in given}, as_=as_
        )
    said = {key: each for key, each in given.items() if key != "karma"}
    done = actions.ROUND_DEEDS[0].run(game, said)
    if is_gm(game.state, game.actor):
        return done
    asks = actions.costs_out_of_turn(
        game, done.action(who=game.actor, place="", at=0, **done.values)
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


def _meant(game: Game, given: Values) -> vehicles_in_play.Vehicle:
    return vehicles_in_play.find_vehicle(game, given.get("vehicle", ""))


def _pilot(vehicle: vehicles_in_play.Vehicle) -> str:
    """Whoever is at the controls, else anybody aboard. Impossible("ego-nobody-aboard")."""
    found = vehicle.pilot or next(iter(vehicle.aboard), "")
    if not found:
        raise Impossible("ego-nobody-aboard", name=vehicle.name)
    return found


def _starts(kind: str, game: Game, given: Values) -> CheckStart:
    vehicle = _meant(game, given)
    return CheckStart(kind, {**given, "vehicle": vehicle.id}, as_=_pilot(vehicle))


def _emergency(game: Game, given: Values) -> CheckStart:
    """Begin an emergency as the pilot, or waking rolls as any character aboard.

    Raises Impossible("ego-not-pilot").
    """
    vehicle = _meant(game, given)
    actor = _pilot(vehicle)
    if not vehicles_in_play.steers(game, vehicle):
        mine = [who for who in vehicle.aboard if who in game.state.characters]
        own = [who for who in mine if owns(game.state, game.actor, game.character(who))]
        if given.get("what") != collisions.WAKE or not own:
            raise Impossible("ego-not-pilot", name=vehicle.name)
        actor = own[0]
    return CheckStart("emergency", {**given, "vehicle": vehicle.id}, as_=actor)


def _maneuver(game: Game, given: Values) -> CheckStart:
    """A dangerous one is a check with the vehicle's own dice (EGO-VEH-11)."""
    vehicle = _meant(game, given)
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
    found = vehicles_in_play.vehicles_of(game.state)
    if "vehicle" in given:
        found = (_meant(game, given),)
    if len(found) == 1:
        return CommandView(
            vehicles_in_play.title_of(found[0]), vehicles_in_play.blocks_of(game, found[0])
        )
    rows = tuple((each.name, vehicles_in_play.brief(each)) for each in found)
    there = (
        Group(None, rows, FOR_EVERYONE) if rows else Note(Text("ego-unknown-vehicle"), FOR_EVERYONE)
    )
    return CommandView(label("vehicles"), (there,))


_VEHICLE: Final = Typed("vehicle", most=100, choices=vehicles_in_play.vehicle_choices)
_TARGET: Final = Typed("target", most=100, choices=target_options)
#: Fields that several forms have, and what others offer.
_KNOWN: Final = (AS_FIELD, _VEHICLE, Typed("pilot", most=100, choices=known_character_options))
#: Character who buys: a GM names any.
_CUSTOMER: Final = Typed("as", most=100, choices=customer_options)
_TRADES: Final = frozenset(each.command for each in purchases.DEEDS)
_OFFERED: Final[Mapping[str, Callable[[FormContext], Iterable[Option]]]] = {
    "people": known_character_options,
    "kinds": lambda asking: plain_options(rows_of(asking.campaign, "vehicles")),
    "goods": lambda asking: priced(
        purchases.local_goods(asking.game).values(), asking.game.setting("currency")
    ),
    "guns": choices_from_sheet(purchases.gun_names),
    "carried": choices_from_sheet(
        lambda game, sheet: dict.fromkeys([each.name for each in sheet.arms])
    ),
    "weapons": choices_from_sheet(lambda game, sheet: weapon_names(sheet)),
    "rolled": choices_from_sheet(odds.rollable_names),
}
#: What may be said of how an effect strikes are words of `with`, as of an attack.
_USE: Final = Form(
    (
        *[each for each in powers.FORM.fields if each not in powers.STRIKES],
        WITH_FIELD,
        _TARGET,
        AS_FIELD,
    )
)
#: What is done at once.
DEEDS: Final = (*actions.ROUND_DEEDS, *karma_plans.DEEDS, *purchases.DEEDS, *vehicles_in_play.DEEDS)
#: Commands whose options are rows of data.
_RUNS: Final[Mapping[str, Run]] = {
    **{each.command: each.run for each in DEEDS},
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


def _said_of(form: Form) -> Form:
    """A form of which the vehicle need not be said: as a rule it is clear."""
    return Form((*[each for each in form.fields if each.key != _VEHICLE.key], _VEHICLE))


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
    found = Command(name, run, _form_of(name), asks=_ASKS.get(name))
    if name in karma_plans.BUTTONS:
        return found.replace(pressed=Form((AS_FIELD,)), waits=karma_plans.BUTTONS[name])
    return found


COMMANDS: Final = (
    *[_command(name, run) for name, run in _RUNS.items()],
    Command("use", check_starter("effect", target="target"), _USE, "effect"),
    Command("vehicle maneuver", _maneuver, Form((_VEHICLE,)), "check", ("difficulty", "approach")),
    Command("vehicle emergency", _emergency, _said_of(collisions.EMERGENCY_FORM)),
    Command("vehicle collide", partial(_starts, "collision"), _said_of(collisions.COLLISION_FORM)),
)
