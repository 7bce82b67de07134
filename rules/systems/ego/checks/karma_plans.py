"""Karma spent on a round without a wait: planned before the round, or spent late (EGO-KAR-04)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from rules.core.errors import Impossible, InvalidInput
from rules.systems.ego.character import combat_values
from rules.systems.ego.character.sheet import EgoSheet
from rules.systems.ego.checks import rounds
from rules.systems.ego.command_forms import deed, missing_error
from rules.table.actions import Action
from rules.table.blocks import FOR_EVERYONE, Note, Text
from rules.table.check import Order, Values
from rules.table.checks.check_actions import refresh_checks
from rules.table.checks.standing_orders import with_plan
from rules.table.commands import ButtonQuestion, CommandAction, PendingButton
from rules.table.events import GMS, Audience, Notice
from rules.table.forms.form import Form
from rules.table.initiative import require_encounter
from rules.table.lookup import acting_character, playable_characters
from rules.table.outcome import Outcome
from rules.table.reports import report_outcome
from rules.table.state import AnyCharacter, AnyEncounter
from rules.table.system import Game

#: Commands with a button below the board.
PLAN_COMMAND: Final = "karma plan"
LATE_COMMAND: Final = "karma now"
PLAN_LABEL: Final = Text("ego-plan")
LATE_LABEL: Final = Text("ego-late")


def board_commands(game: Game, encounter: AnyEncounter) -> tuple[tuple[str, Text], ...]:
    """Return the commands with a button below the board, each with its label.

    A table that waits for everyone has none: it asks every player at the start of each round.
    """
    if game.state.settings.wait_for_everybody:
        return ()
    plan = (PLAN_COMMAND, PLAN_LABEL)
    if not encounter.round or encounter.opening:
        return (plan,)
    return plan, (LATE_COMMAND, LATE_LABEL)


def _encounter_of(game: Game, who: str) -> AnyEncounter | None:
    """Return the encounter that a character is in, begun or not; None without one."""
    for place in game.state.encounters:
        encounter = require_encounter(game.state, place)
        if any(slot.character == who for slot in encounter.order):
            return encounter
    return None


def _character(game: Game, as_: str | None, place: str | None = None) -> AnyCharacter:
    """Return the character that the actor names, or else the actor's only one in initiative.

    Raises as `acting_character`, and Impossible("ego-not-in-order") for a character that isn't in
    initiative.
    """
    state, actor = game.state, game.actor
    if as_ is None:
        in_initiative: list[AnyCharacter] = []
        for own in playable_characters(state, actor):
            if own.owner == actor.id and _encounter_of(game, own.id) is not None:
                in_initiative.append(own)
        if len(in_initiative) == 1:
            return in_initiative[0]
    character = acting_character(state, actor, as_, place)
    if _encounter_of(game, character.id) is None:
        raise Impossible("ego-not-in-order", name=character.name)
    return character


def _require_no_question(game: Game) -> None:
    """Raise Impossible("ego-karma-asked") at a table that asks every player before each round."""
    if game.state.settings.wait_for_everybody:
        raise Impossible("ego-karma-asked")


# --- plans ----------------------------------------------------------------------------------------


class PlanKarma(Action, kw_only=True):
    """Set Karma aside for the next round, or take the plan `back`."""

    points: int | None = None
    dice: int | None = None
    back: bool = False
    as_: str | None = None


def plan_karma(game: Game, action: PlanKarma) -> Outcome:
    """Plan a purchase with Karma for the start of the next round, or take the plan back.

    Raises:
        Impossible("ego-karma-asked"): the table asks every player before each round.
        Impossible("ego-not-in-order"): the character isn't in initiative.
        Impossible("ego-no-karma"): the character has no Karma.
        Impossible("not-enough"): the character has less Karma than the plan takes.
        InvalidInput("nothing-arranged"): the character has no plan to take back.
        InvalidInput("ego-say"): the plan buys nothing.
    """
    _require_no_question(game)
    character = _character(game, action.as_, action.place)
    who, points, dice = character.id, action.points or 0, action.dice or 0
    if action.back:
        if rounds.plan_of(game.state, who) is None:
            raise InvalidInput("nothing-arranged", field="back", value=None)
        state = rounds.without_plan(game.state, who)
        back = Notice("arranged-plan-taken-back", {"name": character.name})
        return Outcome(state, (_with_audience(game, back, character),))
    if not points + dice:
        raise missing_error("spend")
    _require_karma(character)
    sheet: EgoSheet = character.sheet
    if points + dice > sheet.karma:
        raise Impossible("not-enough", what="karma", have=sheet.karma, need=points + dice)
    plan = rounds.plan_order(points, dice)
    params = {"name": character.name, "what": _plan_text(plan)}
    notice = _with_audience(game, Notice("arranged-planned", params), character)
    state = with_plan(game.state, who, plan)
    # A round that is opening already carries the plan out.
    after, events = refresh_checks(game.with_state(state), (who,))
    return Outcome(after.state, (notice, *events))


def _with_audience(game: Game, notice: Notice, character: AnyCharacter) -> Notice:
    """Return a notice to the actor, or to the GMs if the character is an NPC."""
    audience = GMS if character.owner is None else Audience(people=(game.actor.id,))
    return notice.replace(audience=audience, by=game.actor.id, characters=(character.id,))


def _plan_text(plan: Order) -> Text:
    """Return the words for the purchase in a plan."""
    about = {key: plan.values.get(key, 0) for key in ("points", "dice")}
    return Text("ego-karma-bought", about)


def run_plan(game: Game, given: Values) -> CommandAction:
    """Return the action that plans Karma; without values it shows the plan and asks for another."""
    asks = not any(given.get(key) for key in ("points", "dice", "back"))
    if asks:
        plan_question(game, given)
    return PLAN.run(game, given).replace(openly=False, asks=asks)


def plan_question(game: Game, given: Values) -> ButtonQuestion:
    """Return the panel of *Plan Karma*. Raises as `plan_karma`."""
    _require_no_question(game)
    character = _character(game, given.get("as"))
    plan = rounds.plan_of(game.state, character.id)
    if plan is None:
        _require_karma(character)
    return ButtonQuestion(
        rounds.KARMA_FORM,
        character.id,
        Text("ego-plan-of", {"name": character.name}),
        lambda said: Text("ego-plan", {"cost": sum(said.values())}),
        Text("ego-planned", {"what": None if plan is None else _plan_text(plan)}),
        back=None if plan is None else Text("ego-plan-back"),
    )


def _require_karma(character: AnyCharacter) -> None:
    """Raise Impossible("ego-no-karma") for a character without Karma."""
    if not character.sheet.karma:
        raise Impossible("ego-no-karma")


def pending_plans(game: Game) -> Iterator[PendingButton]:
    """Yield the plans of the actor's characters, for `/moves`."""
    for character in playable_characters(game.state, game.actor):
        plan = rounds.plan_of(game.state, character.id)
        if plan is not None and character.owner == game.actor.id:
            what = Text("ego-plan-there", {"name": character.name, "what": _plan_text(plan)})
            yield PendingButton(what, PLAN_LABEL, {"as": character.id}, offer=True)


# --- late purchases -------------------------------------------------------------------------------


class BuyPointsLate(Action, kw_only=True):
    """Buy Action Points with Karma after the round has begun."""

    points: int | None = None
    as_: str | None = None

    @property
    def offers_take_back(self) -> bool:
        return True


def buy_late(game: Game, action: BuyPointsLate) -> Outcome:
    """Buy Action Points with Karma before a character's first act of the round (EGO-KAR-04).

    Raises as `require_late`; Impossible("not-enough") for more points than Karma;
    InvalidInput("ego-say") for no points.
    """
    character = _character(game, action.as_, action.place)
    number = require_late(game, character)
    if not action.points:
        raise missing_error("spend")
    game = combat_values.with_current_round(game, character.id, number)
    karma = game.sheet(character.id).karma
    game = rounds.buy_for_round(game, character.id, action.points)
    action_points = combat_values.points_of(game.sheet(character.id))
    about = {
        "points": action.points,
        "before": karma,
        "karma": karma - action.points,
        "left": action_points.left,
        "all": action_points.all,
    }
    note = Note(Text("ego-late-bought", about), FOR_EVERYONE)
    title = Text("act-title", {"name": character.name})
    return report_outcome(game, title, note, of=character)


def require_late(game: Game, character: AnyCharacter) -> int:
    """Return the number of the round in which a character may still buy Action Points.

    Raises:
        Impossible("ego-karma-asked"): the table asks every player before each round.
        Impossible("ego-no-round"): no round is under way.
        Impossible("round-opening"): the round has not begun.
        Impossible("ego-cannot-act"): the character is stunned or out of action.
        Impossible("ego-has-acted"): the character has acted in this round.
        Impossible("not-enough"): the character has no Karma.
    """
    _require_no_question(game)
    encounter = _encounter_of(game, character.id)
    if encounter is None or not encounter.round:
        raise Impossible("ego-no-round")
    if encounter.opening:
        raise Impossible("round-opening")
    number = encounter.round
    game = combat_values.with_current_round(game, character.id, number)
    combat_values.require_able(game, character.id)
    sheet: EgoSheet = game.sheet(character.id)
    has_check = any(
        check.actor == character.id and check.round == number for check in game.state.open_checks
    )
    if has_check or sheet.round.spent or sheet.round.alone:
        raise Impossible("ego-has-acted", name=character.name)
    if not sheet.karma:
        raise Impossible("not-enough", what="karma", have=0, need=1)
    return number


def run_late(game: Game, given: Values) -> CommandAction:
    """Return the action that buys Action Points; without a number it asks how many."""
    asks = not given.get("points")
    if asks:
        late_question(game, given)
    return LATE.run(game, given).replace(asks=asks)


def late_question(game: Game, given: Values) -> ButtonQuestion:
    """Return the panel of *Buy Action Points*. Raises as `require_late`."""
    character = _character(game, given.get("as"))
    require_late(game, character)
    return ButtonQuestion(
        LATE_FORM,
        character.id,
        Text("ego-late-of", {"name": character.name}),
        lambda said: Text("ego-late", {"cost": sum(said.values())}),
        Text("ego-late-how"),
    )


def pending_late(game: Game) -> Iterator[PendingButton]:
    """Yield the late purchases that the actor's characters may still make, for `/moves`."""
    for character in playable_characters(game.state, game.actor):
        if character.owner != game.actor.id:
            continue
        try:
            require_late(game, character)
        except Impossible:
            continue
        what = Text("ego-late-there", {"name": character.name})
        yield PendingButton(what, LATE_LABEL, {"as": character.id}, offer=True)


#: Form for the number of Action Points to buy late.
LATE_FORM: Final = Form.of(rounds.POINTS_FIELD, check=rounds.KARMA_FORM.check)
#: Commands with buttons, and the lists of those buttons for `/moves`.
BUTTONS: Final[Mapping[str, Callable[[Game], Iterator[PendingButton]]]] = {
    PLAN_COMMAND: pending_plans,
    LATE_COMMAND: pending_late,
}
PLAN: Final = deed(PLAN_COMMAND, PlanKarma, plan_karma, _character)
LATE: Final = deed(LATE_COMMAND, BuyPointsLate, buy_late, _character)
DEEDS: Final = (PLAN, LATE)
