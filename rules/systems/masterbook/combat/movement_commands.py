"""`/mb move` and `/mb drive`: distances, lifts, and the begin of what has to be rolled.

`/mb move` also begins the escape from a hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, Final

from rules.core.errors import InvalidInput
from rules.systems.masterbook.character.derived_values import rates_of
from rules.systems.masterbook.checks import action_commands, action_economy
from rules.systems.masterbook.checks.check_forms import DIFFICULTY
from rules.systems.masterbook.combat.movement import (
    FORM,
    GAP,
    MOVEMENT_KINDS,
    ROWS,
    MovementPlan,
    MovementResult,
    count_running_round,
    distance_text,
    lifting_value,
    measure_digits,
    movement_rate,
    movement_text,
    take_shock,
)
from rules.systems.masterbook.formulas import movement, value_chart
from rules.table.actions import Action
from rules.table.blocks import FOR_EVERYONE, Block, Fact, Note, Text
from rules.table.check import Values
from rules.table.checks.stages import APPROACH_FIELD
from rules.table.commands import (
    AS_FIELD,
    CheckStart,
    CommandResult,
    CommandView,
    check_starter,
    known_character_options,
)
from rules.table.deeds import Deed
from rules.table.forms.fields import Flag, FormContext, Option, Pick, Typed
from rules.table.lookup import acting_character
from rules.table.marks import marks_of
from rules.table.outcome import Outcome
from rules.table.state import AnyCharacter
from rules.table.system import Game

_ROLLED: Final = ("swimming", "climbing", "jumping")
_ON_FOOT: Final = ("running", *_ROLLED)
_LIFTING: Final = "lifting"
#: Ways out of a hold, and the Attribute that each rolls.
_ESCAPES: Final[Mapping[str, str]] = {"escape": "agility", "escape by strength": "strength"}


class RunFar(Action, kw_only=True):
    """Run as far as a character can without a roll."""

    as_: str | None = None


def run_far(game: Game, action: RunFar) -> Outcome:
    """Run as far as a character can without a roll, by an action (MB-MOV-02, MB-SKILL-RUNNING).

    Raises as `acting_character`, `require_turn` and `turns_of`.
    """
    who = acting_character(game.state, action.who, action.as_, action.place)
    action_economy.require_turn(game, who)
    action_economy.turns_of(game, who.id)
    meters = movement.meters_in_a_round(rates_of(who.sheet)["ground"])
    game, shock = count_running_round(action_economy.spend_action(game, who.id), who.id)
    game, fainted = take_shock(game, who.id, shock)
    done = MovementResult(meters, shock, fainted=fainted)
    return action_economy.report_act(game, who, movement_text(game, "running", done))


#: Helpers who push or lift too, by name.
_WITH: Final = Typed("together", most=200, choices=known_character_options)


def _start_movement(game: Game, given: Values, **more: Any) -> CheckStart:
    """Begin a movement with what was said, its lists of rows and names taken apart."""
    said = dict(given)
    for key in (ROWS.key, _WITH.key):
        if key in said:
            words = [word.strip() for word in said[key].split(",")]
            said[key] = [word for word in words if word]
    return check_starter("move", **more)(game, said)


def _show_distances(game: Game, who: AnyCharacter) -> CommandView:
    """Show how far a character moves in a round: free, and by an action (MB-MOV-01, MB-MOV-02)."""
    rates = {way: movement_rate(who.sheet, MovementPlan(way)) for way in _ON_FOOT}
    distances = {"free": Fraction(movement.free_meters(rates["running"]))}
    for way, rate in rates.items():
        distances[way] = movement.meters_in_a_round(rate, ground=way == "running")
    facts: list[Block] = []
    for way, meters in distances.items():
        title = Text("mb-moves", {"how": way})
        facts.append(Fact(title, distance_text(game, meters), FOR_EVERYONE))
    return CommandView(Text("mb-body-of", {"name": who.name, "what": "move"}), tuple(facts))


def _lift(game: Game, given: Values) -> CommandView | CheckStart:
    """Begin a lift, or show what the character lifts without a roll (MB-LIFT-01)."""
    who = action_commands.commanding_character(game, given)
    most = lifting_value(who.sheet)
    if "mass" in given and value_chart.chart_value(given["mass"], "inclusive_up") > most:
        return _start_movement(game, given)
    said = {
        "name": action_economy.ref(who),
        "mass": measure_digits(value_chart.measure(most)),
        "lifts": given.get("mass"),
    }
    title = Text("mb-body-of", {"name": who.name, "what": "lift"})
    return CommandView(title, (Note(Text("mb-lifts-free", said), FOR_EVERYONE),))


def _chosen_way(game: Game, given: Values) -> str:
    """Return the way to move that `how` names, or that the other options imply; "" for none.

    Raises NotFound("unknown-choice", "ambiguous-choice").
    """
    if "how" in given:
        return HOW.find_value(FormContext(game), given["how"])
    if "mass" in given:
        return _LIFTING
    return "running" if given.get("push") else ""


def _usable_options(way: str, *, push: bool) -> frozenset[str]:
    """Return the options of `/mb move` that mean something for a way to move."""
    if way in _ESCAPES:
        return frozenset((APPROACH_FIELD.key,))
    if way == _LIFTING:
        return frozenset(("mass", _WITH.key, APPROACH_FIELD.key))
    rolled = (ROWS.key, DIFFICULTY.key, APPROACH_FIELD.key)
    if push:
        return frozenset(("push", _WITH.key, *rolled))
    if way == "climbing":
        return frozenset(("careful", *rolled))
    return frozenset(rolled if way in _ROLLED else ())


def _require_usable(way: str, given: Values) -> None:
    """Check that the way to move uses all options.

    Raises:
        InvalidInput("mb-not-rolled"): an option is only for rolls, and nothing is rolled.
        InvalidInput("mb-move-unused"): the way to move has no such option.
    """
    usable = _usable_options(way, push=bool(given.get("push")))
    said = [field.key for field in _MOVE_FIELDS if given.get(field.key)]
    unused = [key for key in said if key not in usable and key not in ("how", AS_FIELD.key)]
    if not unused:
        return
    key = unused[0]
    is_free = way in ("", "running") and not given.get("push")
    if is_free and key in ("careful", ROWS.key, DIFFICULTY.key, APPROACH_FIELD.key):
        raise InvalidInput("mb-not-rolled", field=key, value=None, runs=bool(way))
    raise InvalidInput("mb-move-unused", field=key, value=None, option=key)


def _move(game: Game, given: Values) -> CommandResult:
    """Move in the chosen way; without one, show how far the character moves.

    Raises as `_chosen_way` and `_require_usable`.
    """
    way = _chosen_way(game, given)
    _require_usable(way, given)
    said = {key: value for key, value in given.items() if key != "how"}
    if not way:
        return _show_distances(game, action_commands.commanding_character(game, given))
    if way in _ESCAPES:
        return check_starter("escape", how=_ESCAPES[way])(game, said)
    if way == _LIFTING:
        return _lift(game, {**said, "how": way})
    if way == "running" and not given.get("push"):
        return _RUN.run(game, said)
    return _start_movement(game, {**said, "how": way})


def _drive(game: Game, given: Values) -> CheckStart:
    """Begin to drive. Raises as `_require_chase`."""
    _require_chase(game, given)
    said = dict(given)
    vehicle = said.pop("vehicle", "")
    if vehicle:
        said["skill"] = f"{MOVEMENT_KINDS['driving'].skill}: {vehicle}"
    return _start_movement(game, said, how="driving")


def _require_chase(game: Game, given: Values) -> None:
    """Raise InvalidInput("mb-which-chase") for a chase without both vehicles or their distance."""
    says_distance = given.get("gap") or given.get("flees")
    if not (says_distance or given.get("rival")):
        return
    if given.get("rival") and given.get("speed"):
        if says_distance:
            return
        driver = action_commands.commanding_character(game, given)
        if marks_of(game.state, driver.id, GAP):
            return
    raise InvalidInput("mb-which-chase", field="rival", value=None)


def _ways_to_move(asking: FormContext) -> Iterable[Option]:
    """Return the values of `how`, which the bot completes: Discord would count them as text."""
    ways = (*_ON_FOOT, _LIFTING, *_ESCAPES)
    return tuple(Option(way, Text("mb-move-way", {"way": way})) for way in ways)


def _rows_field(*ways: str) -> Typed:
    """Return the field for rows of the chosen way to move, or of all these *ways*."""

    def choices(asking: FormContext) -> Iterable[Option]:
        rows: dict[str, Option] = {}
        for way in (asking.values["how"],) if "how" in asking.values else ways:
            values = {**asking.values, "how": way}
            asking_way = FormContext(asking.game, asking.check, asking.who, values)
            for row in ROWS.options(asking_way):
                rows[row.value] = row
        return rows.values()

    return Typed(ROWS.key, most=200, choices=choices)


_HARD: Final = Typed(DIFFICULTY.key, most=60)
HOW: Final = Pick("how", choices=_ways_to_move)
_MOVE_FIELDS: Final = (
    HOW,
    Flag("push"),
    Flag("careful"),
    *FORM.part("mass").fields,
    _rows_field(*_ON_FOOT),
    _HARD,
    _WITH,
    APPROACH_FIELD,
    AS_FIELD,
)
_RUN: Final = Deed("move", RunFar, run_far, (AS_FIELD,), action_commands.acts_openly)
DEEDS: Final = (_RUN,)
COMMANDS: Final = (
    action_commands.command("move", _move, *_MOVE_FIELDS),
    action_commands.command(
        "drive",
        _drive,
        *FORM.part("speed", "rival", "gap", "flees").fields,
        Typed("vehicle", most=80),
        _HARD,
        _rows_field("driving"),
        AS_FIELD,
    ),
)
