"""`/mb fall`: how hard somebody lands, which acrobatics may soften (MB-FALL-01, MB-SKILL-ACROBATICS)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rules.core.errors import InvalidInput
from rules.core.record import record
from rules.systems.masterbook import chart, damage, dice, skills, uses, values
from rules.systems.masterbook.attempt import After, Attempted, Cancelled
from rules.systems.masterbook.called import Called, Came, called, procedure, tell
from rules.systems.masterbook.check import AnyAttempt, Attempt, Plan, result_of
from rules.systems.masterbook.damage import Fall
from rules.systems.masterbook.deck.playing import Moment
from rules.systems.masterbook.deck.playing import summed as added
from rules.systems.masterbook.deck.rolls import lasting
from rules.systems.masterbook.describe import armoured, toughness_of
from rules.systems.masterbook.dice import Throw
from rules.systems.masterbook.doing import starts
from rules.systems.masterbook.harm import Facts
from rules.systems.masterbook.hurting import harmed
from rules.systems.masterbook.means import known, require_awake
from rules.systems.masterbook.sheet import MasterbookSheet
from rules.systems.masterbook.standing import Hurt, Lowering
from rules.systems.masterbook.tables import summed
from rules.systems.masterbook.telling import is_npc, lowered_notes, roll_of, seen_of
from rules.table.blocks import GMS_ONLY, Block, Fact, Ref, Text, Verdict
from rules.table.checks.check import Check, Values
from rules.table.checks.procedure import Stage, Step
from rules.table.checks.stages import APPROACH
from rules.table.commands import AS, Command
from rules.table.events import Line
from rules.table.forms import Flag, Form, Number
from rules.table.system import Game

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
        Flag("acrobatics", label=Line("mb-with-acrobatics")),
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
    dropped: tuple[str, ...] = ()
    own: int = 0
    cards: int = 0


def _begun(game: Game, check: AnyAttempt, given: Values) -> AnyAttempt:
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
    return damage.fall(heavy, far, bonus, toughness, armoured(sheet) - toughness_of(sheet))


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


def _left(game: Game, check: Check[Any]) -> chart.Damage:
    """The same without what was taken off (MB-LP-03)."""
    data = check.data
    return damage.dropped(_hurt(game, check), data.dropped, own=data.own, cards=data.cards)


class Lowered(Lowering[Falling]):
    """Whoever falls."""

    def hurt(self, game: Game, check: Check[Falling]) -> Iterable[Hurt]:
        data = check.data
        if data.over or data.fell is None:
            return ()
        return (Hurt(check.actor, _left(game, check), data.own > 0),)

    def lowered(self, check: Check[Falling], who: str, dropped: tuple[str, ...], card: bool) -> Falling:
        data = check.data
        return data.but(dropped=(*data.dropped, *dropped), own=data.own + (not card), cards=data.cards + card)

    def moments(self, check: Check[Falling]) -> tuple[Moment, ...]:
        return (Moment("after_resolution", check.actor, check.actor, against=(check.actor,)),)


class Landed(Came[Falling]):
    """It hurts, by as many levels less as acrobatics reached."""

    def comes(self, game: Game, check: Check[Any]) -> tuple[Game, tuple[tuple[str, Facts], ...]]:
        game, facts = harmed(game, check.actor, _left(game, check))
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
    less = [note.but(seen=seen) for note in lowered_notes(check.actor, data.dropped, own=data.own > 0)]
    return (*found, *fell, roll_of(data.fell).but(seen=seen), hard, *less)


PROCEDURE: Final = procedure(
    "fall",
    (Dropping(), Cancelled(), Tumbling(), Fallen(hostile=False), Lowered(), Landed()),
    data=Falling,
    form=FORM,
    begin=_begun,
    describe=_describe,
)
COMMANDS: Final = (Command("fall", starts("fall"), Form((*FORM.fields, AS))),)
