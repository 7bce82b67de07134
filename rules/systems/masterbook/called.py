"""Rolls that the rules call for, against a number of theirs, and what they do to people: nobody proposes or answers.

`/mb escape` from a hold (MB-SKILL-MARTIAL-ARTS), `/mb fall` (MB-FALL-01, MB-SKILL-ACROBATICS).
"""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import Any, Final, TypeVar

from rules.core.errors import Impossible, InvalidInput
from rules.core.record import record
from rules.systems.masterbook import chart, combat, dice, harm, skills, uses, values
from rules.systems.masterbook.aiming import Blow
from rules.systems.masterbook.attempt import (
    After,
    Attempted,
    Cancelled,
    Reads,
    Untaught,
    case_of,
    looked,
    never,
    require,
)
from rules.systems.masterbook.check import AnyAttempt, Attempt, Plan, result_of
from rules.systems.masterbook.deck.playing import Moment
from rules.systems.masterbook.deck.playing import summed as added
from rules.systems.masterbook.deck.rolls import lasting
from rules.systems.masterbook.describe import armoured, toughness_of
from rules.systems.masterbook.dice import Throw
from rules.systems.masterbook.doing import HELD, command, require_awake, starts
from rules.systems.masterbook.follows import FEEDBACK
from rules.systems.masterbook.forecast import idle
from rules.systems.masterbook.harm import Facts, Fall
from rules.systems.masterbook.hurting import harmed
from rules.systems.masterbook.means import known
from rules.systems.masterbook.sheet import MasterbookSheet
from rules.systems.masterbook.standing import Lowering
from rules.systems.masterbook.tables import summed
from rules.systems.masterbook.telling import came_notes, describe, lowered_notes, roll_of, seen_of
from rules.table.blocks import GMS_ONLY, Block, Fact, Ref, Text, Verdict
from rules.table.checks.check import Check, Values
from rules.table.checks.procedure import Procedure, Stage, Step
from rules.table.checks.stages import APPROACH, ROLL, forget
from rules.table.commands import AS
from rules.table.events import Line
from rules.table.forms import Flag, Form, Number, Pick, as_written
from rules.table.marks import marks_of, without_marks
from rules.table.state import Mark
from rules.table.system import Game, is_npc


@record
class Called(Attempt):
    """A roll, and what came of it: whom it befell, and what; `over` tells that it has been done."""

    came: tuple[tuple[str, Facts], ...] = ()
    over: bool = False


T = TypeVar("T", bound=Called)


def called(game: Game, check: AnyAttempt, plan: Plan, number: int, values: Values) -> Any:
    """The check with what is rolled against which number; what is about an NPC is for the GMs. Raises as `looked`."""
    ruling = Plan(difficulty=str(number), modifier=plan.modifier)
    data = check.data.but(request=plan, ruling=ruling, answer=ROLL)
    hidden = check.target is not None and is_npc(game, check.target)
    said = values.get(APPROACH.key, "").strip()
    return check.but(data=looked(game, check, data), hidden=hidden, approach=said)


class Came(Stage[T]):
    """What the roll does, once."""

    name = "came"

    @abstractmethod
    def comes(self, game: Game, check: Check[Any]) -> tuple[Game, tuple[tuple[str, Facts], ...]]:
        """The game after it, whom it befell, and what."""

    def enter(self, game: Game, check: Check[T], /) -> Step[T] | None:
        if check.data.over or check.data.failed:
            return None
        game, came = self.comes(game, check)
        return Step(game.state, check.data.but(came=(*check.data.came, *came), over=True))


def tell(game: Game, check: Check[Any]) -> tuple[Block, ...]:
    """The roll, and what came of it."""
    return (*describe(game, check), *came_notes(game, check))


#: A kind of them: its name, its stages, its form and how it begins.
procedure: Final = partial(
    Procedure[Any], data=Called, describe=tell, require=require, forget=forget, idle=idle
)


def rolled(reads: Reads) -> tuple[Stage[Any], ...]:
    """The stages of the dice; `reads` tells whether how well it was done says what comes of it."""
    return (Untaught(), Cancelled(), Attempted(reads))


class Fed(Came[Called]):
    """A special effect hurts whoever works it, by what is left of its feedback; nothing protects (MB-SKILL-SFX)."""

    def comes(self, game: Game, check: Any) -> tuple[Game, tuple[tuple[str, Facts], ...]]:
        data, result = check.data, result_of(check.data)
        case = case_of(game, check.actor, data.request, data.ruling or data.request)
        left = 0 if result is None else uses.backlash(result.points, case.number(FEEDBACK)).feedback
        if not left:
            return game, ()
        game, facts = harmed(game, check.actor, chart.damage(left))
        return game, ((check.actor, facts),)


# --- holds ---------------------------------------------------------------------------------------------------

_WAYS: Final = ("agility", "strength")
_WRESTLING: Final = ("Martial Arts", "wrestling")
ESCAPE: Final = Form((Pick("how", among=as_written(_WAYS)), APPROACH))


@record
class Escape(Called):
    """A try to get out of the hold of somebody, `against` a total or a strength."""

    against: int = 0


def _hold(game: Game, who: str) -> Mark:
    """Impossible("mb-nobody-holds")."""
    found = [each for each in marks_of(game.state, who, HELD) if each.what in game.state.characters]
    if not found:
        raise Impossible("mb-nobody-holds", who=game.character(who).name)
    return found[0]


def _grip(sheet: MasterbookSheet) -> int:
    """Strength with the adds in wrestling."""
    adds = [
        each.adds
        for each in known(sheet)
        if (each.skill, each.focus.casefold()) == _WRESTLING and not each.special
    ]
    return sheet.strength + max(adds, default=0)


def _escapes(game: Game, check: AnyAttempt, given: Values) -> AnyAttempt:
    """Raises as `require_awake`, `_hold` and `called`."""
    require_awake(game, check.actor)
    hold, how = _hold(game, check.actor), given.get("how", _WAYS[0])
    against = hold.value if how == _WAYS[0] else _grip(game.sheet(hold.what))
    found: Any = check.but(target=hold.what, data=check.data.but(against=against))
    return called(game, found, Plan(attribute=how), combat.freeing(against), given)


class Freed(Came[Escape]):
    """Free, or still held."""

    def comes(self, game: Game, check: Check[Any]) -> tuple[Game, tuple[tuple[str, Facts], ...]]:
        result = result_of(check.data)
        if result is None:
            return game, ()
        if not combat.freed(result.total, check.data.against):
            return game, ((check.actor, (("still_held", 0),)),)
        return game.with_(without_marks(game.state, check.actor, HELD)), ((check.actor, (("freed", 0),)),)


HOLD: Final = procedure(
    "escape", (*rolled(never), After(never), Freed()), data=Escape, form=ESCAPE, begin=_escapes
)


# --- falling -------------------------------------------------------------------------------------------------

_HIGHEST, _HEAVIEST = 100_000, 100_000
_SKILL: Final = "Acrobatics"
#: What its specialisation in falls is known by, and the row of its chart that is about them.
_FALLS: Final = "fall"
_SOFTEN: Final = ("reduce_fall",)


def _metres(number: int) -> Line:
    return Line("mb-metres", {"number": number})


FORM: Final = Form(
    (
        Number("metres", low=1, high=_HIGHEST, offered=(3, 5, 10, 20, 50), label=_metres, needed=True),
        Number("weight", low=1, high=_HEAVIEST, offered=(60, 70, 80, 100)),
        Flag("acrobatics", label=Line("mb-with", {"what": "acrobatics"})),
        APPROACH,
    )
)


@record
class Falling(Called):
    """A fall of somebody: the values of weight and distance, the dice of the fall; `tumbles` to land softly."""

    metres: int = 0
    weight: int = 0
    tumbles: bool = False
    fell: Throw | None = None
    blows: tuple[Blow, ...] = ()


def _falls(game: Game, check: AnyAttempt, given: Values) -> AnyAttempt:
    """InvalidInput("mb-which-weight"), and as `require_awake` and `called`."""
    sheet: MasterbookSheet = game.sheet(check.actor)
    weight = given.get("weight") or sheet.weight
    if not weight:
        raise InvalidInput("mb-which-weight", field="weight", value=None, who=game.called(check.actor))
    tumbles = "acrobatics" in given
    data: Any = check.data
    check = check.but(data=data.but(metres=given["metres"], weight=weight, tumbles=tumbles))
    if not tumbles:
        return check.but(approach=given.get(APPROACH.key, "").strip())
    require_awake(game, check.actor)
    special = [
        each.name for each in known(sheet) if each.skill == _SKILL and _FALLS in each.special.casefold()
    ]
    plan = Plan(skill=(*special, _SKILL)[0])
    return called(game, check, plan, skills.difficulty(_SKILL, _SOFTEN, {}), given)


def fall_of(game: Game, check: Check[Any]) -> Fall:
    """How hard it is, as somebody is armoured now."""
    data, sheet = check.data, game.sheet(check.actor)
    cards = summed(added(data.effects, check.actor, "toughness")) + lasting(game, check.actor, check)
    toughness = toughness_of(sheet) + cards
    bonus = 0 if data.fell is None else data.fell.bonus
    heavy, far = values.value(data.weight), values.value(data.metres)
    return harm.fall(heavy, far, bonus, toughness, armoured(sheet) - toughness_of(sheet))


class Dropping(Stage[Falling]):
    """The dice of the fall: nothing rolls again, and the bonus is one at least (MB-FALL-01)."""

    name = "dropping"

    def enter(self, game: Game, check: Check[Falling], /) -> Step[Falling] | None:
        if check.data.fell is not None:
            return None
        fall = fall_of(game, check)
        value = values.value(check.data.weight) + fall.distance
        roll = dice.throw(game.dice(check, check.actor), tens=False)
        return Step(
            game.state, check.data.but(fell=Throw(check.actor, "fall", value, (), roll, dice.FALLING))
        )


class Tumbling(Attempted):
    """The dice of acrobatics, where they can help."""

    def enter(self, game: Game, check: AnyAttempt, /) -> Step[Attempt] | None:
        data: Any = check.data
        return super().enter(game, check) if data.tumbles and fall_of(game, check).over >= 0 else None


class Fallen(After):
    """How hard it is, acrobatics counted, is known: Toughness may be more, too (MB-CARD-E02)."""

    def moments(self, game: Game, check: AnyAttempt) -> tuple[Moment, ...]:
        who, number = check.actor, fall_of(game, check).over
        tough = Moment("effect_pending", who, who, "toughness")
        return (*super().moments(game, check), *((tough,) if number >= 0 else ()))


def _hurt(game: Game, check: Check[Any]) -> chart.Damage:
    """What landing does, acrobatics counted."""
    result, over = result_of(check.data), fall_of(game, check).over
    if result is not None and result.success:
        over = uses.cushioned(over, chart.rank(result.points))
    return chart.damage(over)


class Landing(Stage[Falling]):
    """It is known how hard it is."""

    name = "landing"

    def enter(self, game: Game, check: Check[Falling], /) -> Step[Falling] | None:
        blow = Blow(check.actor, "fall", damage=_hurt(game, check))
        return None if check.data.blows else Step(game.state, check.data.but(blows=(blow,)))


class Landed(Came[Falling]):
    """It hurts, by as many levels less as acrobatics reached."""

    def comes(self, game: Game, check: Check[Any]) -> tuple[Game, tuple[tuple[str, Facts], ...]]:
        game, facts = harmed(game, check.actor, check.data.blows[0].left)
        return game, ((check.actor, facts or (("unhurt", 0),)),)


def _describe(game: Game, check: Check[Any]) -> tuple[Block, ...]:
    data, found = check.data, list[Block](tell(game, check))
    seen = GMS_ONLY if is_npc(game, check.actor) else seen_of(check)
    fell: list[Block] = [Fact(Text("mb-falls"), _metres(data.metres), seen_of(check))]
    if not data.tumbles:  # nothing else heads the card
        fell = [
            Verdict(
                Text("mb-fell", {"who": Ref(check.actor), "number": data.metres}), "neutral", seen_of(check)
            )
        ]
    if data.fell is None:
        return (*found, *fell)
    fall = fall_of(game, check)
    about = {"value": fall.value, "toughness": fall.value - fall.over, "points": fall.over}
    hard = Fact(Text("mb-fall-damage"), Text("mb-fall-points", about), seen)
    return (*found, *fell, roll_of(data.fell).but(seen=seen), hard, *lowered_notes(game, check))


FALL: Final = procedure(
    "fall",
    (Dropping(), Cancelled(), Tumbling(), Fallen(hostile=False), Landing(), Lowering[Falling](), Landed()),
    data=Falling,
    form=FORM,
    begin=_falls,
    describe=_describe,
)
COMMANDS: Final = (
    command("fall", starts("fall"), *FORM.fields, AS),
    command("escape", starts("escape", how=_WAYS[0]), *ESCAPE.fields, AS),
)
