"""`/heal`: first aid and medicine for wounds, shock, bleeding and the dying, and healing rolls (MB-HEAL, MB-DMO-04)."""

from __future__ import annotations

from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.systems.masterbook import dice, mending
from rules.systems.masterbook.attempt import After, Attempted, Cancelled, Read, never
from rules.systems.masterbook.called import Called, Came, called, procedure, rolled
from rules.systems.masterbook.check import MINE, AnyAttempt, Plan, Rated, result_of
from rules.systems.masterbook.dice import Throw
from rules.systems.masterbook.harm import Facts, Harm
from rules.systems.masterbook.hurting import with_harm
from rules.systems.masterbook.means import require_awake
from rules.systems.masterbook.telling import is_npc
from rules.table.checks.check import Check, Values
from rules.table.checks.stages import APPROACH, MODIFIER, ROLL
from rules.table.events import Line
from rules.table.forms import Form, Pick, as_written
from rules.table.forms import Option as Offer
from rules.table.marks import marks_of, value_of, with_marks, without_marks
from rules.table.state import Mark
from rules.table.system import Game

FIRST_AID, MEDICINE, HEALING = "First Aid", "Medicine", "healing"
#: Help of a medic at the next healing roll, as a mark; its value is what that adds, 0 for a try that failed.
HELP: Final = "medicine"
_AIDS: Final[tuple[mending.Aid, ...]] = ("wounds", "shock", "bleeding", "steady")


def _method(key: str) -> Offer:
    return Offer(key, Line("mb-heal-method", {"how": key}))


TREAT_FORM: Final = Form(
    (
        Pick("method", among=tuple([_method(each) for each in (*_AIDS, HELP)])),
        Pick("skill", among=as_written((FIRST_AID, MEDICINE))),
        APPROACH,
        MODIFIER,
    )
)
REST_FORM: Final = Form((Pick("method", among=(_method(HEALING),)), APPROACH))


def _way(data: Called) -> Any:
    """What is done for the patient: a kind of first aid, or a medic's help."""
    return data.asked.get("method", _AIDS[0])


def _number(game: Game, check: AnyAttempt, way: Any) -> int:
    """What has to be reached. Impossible("mb-helped-already"), and as `mending.aid_number`, `medicine_number`."""
    patient = check.target or ""
    harm: Harm = game.sheet(patient).harm
    if way != HELP:
        return mending.aid_number(harm, way, check.actor)
    if marks_of(game.state, patient, HELP):
        raise Impossible("mb-helped-already", who=game.called(patient))
    return mending.medicine_number(harm)


def _treats(game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
    """InvalidInput("which-target"), Impossible as `require_awake`, `_number` and `called`."""
    if check.target is None:
        raise InvalidInput("which-target", field="target", value=None, wanted="victim")
    require_awake(game, check.actor)
    way = values.get("method", _AIDS[0])
    skill = MEDICINE if way == HELP else values.get("skill", FIRST_AID)
    plan = Plan(skill=skill, modifier=values.get("modifier", 0))
    found = check.but(data=check.data.but(asked={"method": way}))
    return called(game, found, plan, _number(game, check, way), values)


class Treated(Came[Called]):
    """The patient after it; nothing where it came too late for that."""

    def comes(self, game: Game, check: Check[Any]) -> tuple[Game, tuple[tuple[str, Facts], ...]]:
        patient, result, way = check.target or "", result_of(check.data), _way(check.data)
        if result is None or patient not in game.state.characters:
            return game, ()
        harm: Harm = game.sheet(patient).harm
        try:
            _number(game, check, way)
        except Impossible:
            return game, ((patient, (("late", 0),)),)
        if way == HELP:
            more = mending.assisted(result.points)
            mark = Mark(HELP, value=more, until="used", by=check.id)
            return game.with_(with_marks(game.state, patient, mark)), ((patient, (("helped", more),)),)
        now, facts = mending.aided(harm, way, result.total, check.actor)
        return with_harm(game, patient, now), ((patient, facts),)


# --- healing rolls ---------------------------------------------------------------------------------------------


def _heals(game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
    """A healing roll of the actor's own: bare Endurance, whatever wounds take, and a medic's help (MB-HEAL-01)."""
    who = check.actor
    number = mending.healing_number(game.sheet(who).harm)
    more = value_of(game.state, who, HELP)
    mine = Rated(game.sheet(who).endurance, True, True, (("help", more),) if more else ())
    ruling = Plan(difficulty=str(number))
    plan = Plan(attribute="endurance")
    data = check.data.but(request=plan, ruling=ruling, answer=ROLL, mine=mine, number=number)
    return check.but(data=data, approach=values.get(APPROACH.key, ""), hidden=is_npc(game, who))


class Mending(Attempted):
    """The dice of a healing roll: what waits for the next action stays untouched (MB-INT-11)."""

    @staticmethod
    def looked(game: Game, check: AnyAttempt, data: Any) -> Any:
        return data

    def due(self, game: Game, check: AnyAttempt) -> tuple[Throw, ...]:
        mine = check.data.mine
        assert mine is not None, "looked up as it began"
        roll = dice.throw(game.dice(check, check.actor), mine.trained)
        return (Throw(check.actor, MINE, mine.value, mine.modifiers, roll),)

    def using(self, game: Game, check: AnyAttempt) -> Game:
        return game


class Healed(Came[Called]):
    """A level better, or not; then the same time has to pass again."""

    def comes(self, game: Game, check: Check[Any]) -> tuple[Game, tuple[tuple[str, Facts], ...]]:
        who, result = check.actor, result_of(check.data)
        harm: Harm = game.sheet(who).harm
        if result is None or harm.dead or not harm.wounds or mending.due(harm):
            return game, ()
        now, facts = mending.healed(harm, result.total)
        game = game.with_(without_marks(game.state, who, HELP))
        return with_harm(game, who, now), ((who, facts),)


def _helps(check: AnyAttempt) -> bool:
    """Only a medic's help is worth as much as it was good."""
    data: Any = check.data
    return _way(data) == HELP


PROCEDURES: Final = (
    procedure(
        "treat",
        (*rolled(_helps), Read(_helps), After(_helps, hostile=False), Treated()),
        form=TREAT_FORM,
        begin=_treats,
    ),
    procedure(
        "rest",
        (Cancelled(), Mending(never), After(never), Healed()),
        form=REST_FORM,
        begin=_heals,
        anybody=True,
    ),
)
