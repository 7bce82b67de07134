"""`/mb move`, `push`, `lift` and `drive`: how far and how much, and what has to be rolled for it (MB-MOV, MB-LIFT)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

from rules.core.errors import InvalidInput
from rules.core.record import record
from rules.systems.masterbook import uses, values
from rules.systems.masterbook.attempt import DIFFICULTY
from rules.systems.masterbook.doing import acted, acts_told, require_turn, turns_of
from rules.systems.masterbook.moving import KINDS, ROWS, Done, held, length, moved, plain, ran, rates_of, took
from rules.table.actions import Action
from rules.table.blocks import ALL, Block, Fact, Note, Ref, Text
from rules.table.commands import AS, Command, Does, Shows, Starts, everybody
from rules.table.forms import Asking, Flag, Form, Number, Option, Pick, Typed, Values, as_written
from rules.table.lookup import acting_as
from rules.table.outcome import Outcome
from rules.table.permissions import public_name
from rules.table.state import AnyCharacter
from rules.table.system import Game

_ROLLED: Final = ("swimming", "climbing", "jumping")
_ON_FOOT: Final = ("running", *_ROLLED)
_HEAVIEST, _FASTEST, _FARTHEST = 10_000_000, 100, 100_000


@record(kw_only=True)
class RunFar(Action):
    """Run as far as somebody can without a roll: an action of the round."""

    as_: str | None = None


def run_far(game: Game, action: RunFar) -> Outcome:
    """Complex movement on the ground (MB-MOV-02, MB-SKILL-RUNNING). As `require_turn` and `turns_of`."""
    who = acting_as(game.state, action.who, action.as_, action.place)
    require_turn(game, who)
    turns_of(game, who.id)
    metres = uses.in_a_round(rates_of(who.sheet)["ground"])
    game, shock = ran(acted(game, who.id), who.id)
    done = Done(metres, shock)
    if shock:
        game, fainted = took(game, who.id, shock)
        done = done.but(fainted=fainted)
    return acts_told(game, who, moved(game, "running", done))


# --- commands ------------------------------------------------------------------------------------------------

#: Who pushes or lifts with whoever acts, by name.
_WITH: Final = Typed("together", most=200, among=everybody)


def _who(game: Game, given: Values) -> AnyCharacter:
    return acting_as(game.state, game.actor, given.get("as"))


def _rows(given: Values) -> dict[str, Any]:
    """What was said for the check: rows of charts one by one."""
    rows = tuple([each.strip() for each in given.get(ROWS.key, "").split(",") if each.strip()])
    others = tuple([each.strip() for each in given.get(_WITH.key, "").split(",") if each.strip()])
    kept = {key: value for key, value in given.items() if key not in ("as", ROWS.key, _WITH.key)}
    said = {ROWS.key: rows, _WITH.key: others}
    return {**kept, **{key: each for key, each in said.items() if each}}


def _started(given: Values, **more: Any) -> Starts:
    return Starts("move", {**_rows(given), **more}, as_=given.get("as"))


def _shown(game: Game, who: AnyCharacter) -> Shows:
    """How far somebody moves in a round: free, and as an action (MB-MOV-01, MB-MOV-02)."""
    on_map, rates = bool(game.setting("tactical_map")), rates_of(who.sheet)
    free = length(Fraction(uses.free(rates["ground"])), map_=on_map)
    found: list[Block] = [Fact(Text("mb-moves", {"how": "free"}), free, ALL)]
    for how in _ON_FOOT:
        rate = KINDS[how].rate
        if rate is not None:
            metres = uses.in_a_round(rates[rate], ground=how == "running")
            found.append(Fact(Text("mb-moves", {"how": how}), length(metres, map_=on_map), ALL))
    return Shows(Text("mb-body-of", {"name": who.name, "what": "move"}), tuple(found))


def _move(game: Game, given: Values) -> Shows | Starts | Does:
    """InvalidInput("mb-not-rolled") for what only a roll could need."""
    unused = next((key for key in ("careful", ROWS.key, DIFFICULTY.key) if given.get(key)), None)
    if unused is not None and given.get("how", "running") == "running":
        raise InvalidInput("mb-not-rolled", field=unused, value=None, runs="how" in given)
    if "how" not in given:
        return _shown(game, _who(game, given))
    if given["how"] != "running":
        return _started(given)
    who = _who(game, given)
    return Does(RunFar, {"as_": given.get("as")}, openly=who.owner is not None)


def _push(game: Game, given: Values) -> Starts:
    return _started(given, push=True)


def _lift(game: Game, given: Values) -> Shows | Starts:
    """What is light enough is lifted without a roll (MB-LIFT-01)."""
    who = _who(game, given)
    most = held(who.sheet)
    if "mass" in given and values.value(given["mass"], "inclusive_up") > most:
        return _started(given, how="lifting")
    said: dict[str, Any] = {
        "name": Ref(name=public_name(who) or who.name),
        "mass": plain(values.measure(most)),
    }
    said["lifts"] = given.get("mass")
    return Shows(
        Text("mb-body-of", {"name": who.name, "what": "lift"}), (Note(Text("mb-lifts-free", said), ALL),)
    )


def _drive(game: Game, given: Values) -> Starts:
    vehicle = given.get("vehicle")
    named = {"skill": f"{KINDS['driving'].skill}: {vehicle}"} if vehicle else {}
    return _started({key: value for key, value in given.items() if key != "vehicle"}, how="driving", **named)


def _charted(*ways: str) -> Callable[[Asking], tuple[Option, ...]]:
    """Rows of the charts of these ways to move, or of the one that was chosen."""

    def among(asking: Asking) -> tuple[Option, ...]:
        said = asking.values.get("how")
        found: dict[str, Option] = {}
        for way in ways if said is None else (said,):
            asks = Asking(asking.game, asking.check, asking.who, {**asking.values, "how": way})
            found |= {each.value: each for each in ROWS.options(asks)}
        return tuple(found.values())

    return among


_SAID: Final = Typed(ROWS.key, most=200, among=_charted(*_ON_FOOT))
_HARD: Final = Typed(DIFFICULTY.key, most=60)
COMMANDS: Final = (
    Command(
        "move",
        _move,
        Form(
            (
                Pick("how", among=as_written(_ON_FOOT)),
                Flag("careful"),
                Typed(ROWS.key, most=200, among=_charted(*_ROLLED)),
                _HARD,
                AS,
            )
        ),
    ),
    Command(
        "push", _push, Form((Pick("how", among=as_written(_ON_FOOT), needed=True), _SAID, _HARD, _WITH, AS))
    ),
    Command("lift", _lift, Form((Number("mass", low=1, high=_HEAVIEST), _WITH, AS))),
    Command(
        "drive",
        _drive,
        Form(
            (
                Number("speed", low=1, high=_FASTEST),
                Number("rival", low=1, high=_FASTEST),
                Number("gap", high=_FARTHEST),
                Flag("flees"),
                Typed("vehicle", most=80),
                _HARD,
                Typed(ROWS.key, most=200, among=_charted("driving")),
                AS,
            )
        ),
    ),
)
ACTIONS: Final = {RunFar: run_far}
