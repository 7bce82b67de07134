"""Learning from a teacher: the GM agrees, the teacher rolls, what is learned costs less (MB-SKILL-IMP-04, -06).

Whoever teaches is a character with adds in teaching, or somebody of the game master's who is not rolled for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Literal, get_args

from rules.core.errors import Impossible, InvalidInput, RulesError
from rules.core.names import name_key
from rules.core.record import Record, record
from rules.systems.masterbook import chart, dice, improvement, uses
from rules.systems.masterbook.check import Point
from rules.systems.masterbook.dice import Throw
from rules.systems.masterbook.doing import dice_again, starts, used_up
from rules.systems.masterbook.growing import Rise, find_rise, offers, paid, risen
from rules.systems.masterbook.sheet import MasterbookSheet, attribute
from rules.systems.masterbook.skills import SKILLS
from rules.systems.masterbook.standing import Cancelling, Thrown
from rules.systems.masterbook.telling import is_npc, point_notes, roll_of
from rules.systems.masterbook.uses import Relation
from rules.table.blocks import ALL, GMS_ONLY, Block, Fact, Note, Ref, Text, Verdict
from rules.table.checks.check import OVER, Check, Choice, Prompt, Values
from rules.table.checks.procedure import Option, Procedure, Stage, Step
from rules.table.commands import AS, NAME_MAX, Command, everybody
from rules.table.events import Line
from rules.table.forms import Asking, Flag, Form, Typed
from rules.table.forms import Option as Offer
from rules.table.permissions import is_gm
from rules.table.system import Game

_TEACHING: Final = "Teaching"
#: How near the lesson is to what the teacher teaches, as the GM says, or that there is none.
_WAYS: Final[tuple[Relation, ...]] = get_args(Relation)
_NO: Final = "no"


@record
class Study(Record):
    """A lesson: in what, `during` an adventure or not, what came of it: `by` what the price was divided, the price."""

    skill: str = ""
    during: bool = False
    relation: Relation | Literal["", "no"] = ""
    throws: tuple[Throw, ...] = ()
    points: tuple[Point, ...] = ()
    number: int = 0
    by: int = 0
    cost: int | None = None
    title: str = ""
    now: int = 0


AnyStudy = Check[Study]
FORM: Final = Form((Typed("skill", most=100, needed=True), Flag("during", label=Line("mb-with-during"))))


def begun(game: Game, check: AnyStudy, values: Values) -> AnyStudy:
    """Something that can be learned, from somebody else. Raises as `find_rise`; InvalidInput("target-is-self")."""
    if check.target == check.actor:
        raise InvalidInput("target-is-self", field="target", value=None)
    rise = find_rise(game, game.sheet(check.actor), values["skill"])
    during = bool(values.get("during"))
    gained = dict(game.sheet(check.actor).grown).get(rise.title, 0)
    if during and not improvement.may_gain_during(True, gained):
        raise Impossible("mb-grown-enough", name=rise.title, most=1)
    paid(game.sheet(check.actor), rise.cost if during else -(-rise.cost // improvement.TAUGHT_BEST))
    found: Any = check
    found.data = Study(rise.title, during)
    if check.target is not None and not _possible(game, found):
        raise Impossible("mb-cannot-teach", name=game.called(check.target), skill=rise.title)
    return found


def _rise(game: Game, check: AnyStudy) -> Rise | None:
    """The step that the lesson is about; None where it cannot be taken any more."""
    try:
        return find_rise(game, game.sheet(check.actor), check.data.skill)
    except RulesError:
        return None


class Asked(Stage[Study]):
    """The GM says whether there is time for it, and how near it is to what is taught (MB-SKILL-TEACHING)."""

    name = "asked"

    def enter(self, game: Game, check: AnyStudy, /) -> Step[Study] | None:
        ways = _possible(game, check)
        if not check.data.relation and ways and is_gm(game.state, game.actor):
            return Step(game.state, _agreed(game, check, ways[0]))
        return None

    def ask(self, game: Game, check: AnyStudy, /) -> tuple[Prompt, ...]:
        return () if check.data.relation else (Prompt("rule"),)

    def options(self, game: Game, check: AnyStudy, prompt: str, who: str, /) -> Iterable[Option]:
        return [Option(each, Line(f"mb-study-{each}")) for each in (*_possible(game, check), _NO)]

    def choose(self, game: Game, check: AnyStudy, choice: Choice, /) -> Step[Study]:
        if choice.option == _NO:
            return Step(game.state, check.data.but(relation=_NO), OVER)
        relation: Relation = next(filter(choice.option.__eq__, _WAYS))
        return Step(game.state, _agreed(game, check, relation))


def _possible(game: Game, check: AnyStudy) -> tuple[Relation, ...]:
    """How near it may be to what the teacher teaches, so that there is something to learn (MB-SKILL-TEACHING)."""
    rise = _rise(game, check)
    if rise is None or check.target is None:
        return () if rise is None else _WAYS[:1]
    teacher: MasterbookSheet = game.sheet(check.target)
    own = next(
        (each.adds for each in teacher.skills if (each.name, each.focus) == (rise.skill, rise.focus)), 0
    )
    return tuple(
        [
            each
            for each in _WAYS
            if uses.may_teach(uses.teaching_adds(_teaches(teacher, rise, each), each), own, rise.before)
        ]
    )


def _agreed(game: Game, check: AnyStudy, relation: Relation) -> Study:
    """The lesson as the GM allows it; somebody of the GM's who teaches is not rolled for (MB-SKILL-IMP-04)."""
    rise, data = _rise(game, check), check.data.but(relation=relation)
    if rise is None:
        return data
    key = rise.attribute or SKILLS[rise.skill].attribute
    value = improvement.student_value(attribute(game.sheet(check.actor), key), rise.before)
    by = 0 if check.target is not None else improvement.free_teacher(value) or improvement.TAUGHT
    return data.but(by=by, number=value)


def _teaches(teacher: MasterbookSheet, rise: Rise, relation: str) -> int:
    """The adds in teaching it, or anything where that is near enough."""
    return max(
        [
            each.adds
            for each in teacher.skills
            if each.name == _TEACHING
            and (relation != "exact" or name_key(each.focus) in (name_key(rise.skill), name_key(rise.title)))
        ],
        default=0,
    )


class Taught(Thrown[Study]):
    """The teacher rolls against what the student is worth already (MB-SKILL-IMP-04)."""

    def due(self, game: Game, check: AnyStudy) -> tuple[Throw, ...]:
        data, teacher = check.data, check.target
        if teacher is None or not data.relation or data.relation == _NO:
            return ()
        sheet, rise = game.sheet(teacher), _rise(game, check)
        adds = 0 if rise is None else uses.teaching_adds(_teaches(sheet, rise, data.relation), data.relation)
        again = dice_again(game, teacher)
        roll = dice.throw(game.dice(check, teacher), adds > 0, again.ups, again.stymied)
        return (Throw(teacher, "teaching", sheet.intellect + adds, (), roll),)

    def using(self, game: Game, check: AnyStudy) -> Game:
        return game if check.target is None else used_up(game, check.target)


class Learned(Stage[Study]):
    """It is learned and paid for; in an adventure only from a teacher who succeeds, at the full price."""

    name = "learned"

    def enter(self, game: Game, check: AnyStudy, /) -> Step[Study] | None:
        data = check.data
        if data.relation == _NO or data.cost is not None:
            return None
        by = data.by
        if data.throws:
            by = improvement.divisor(chart.rank(data.throws[0].total - data.number))
        rise, sheet = _rise(game, check), game.sheet(check.actor)
        cost = 0 if rise is None else rise.cost if data.during else -(-rise.cost // by)
        if rise is None or (data.during and by == 1) or sheet.skill_points < cost:
            return Step(game.state, data.but(by=by or 1), OVER)
        game = game.put(check.actor, risen(game, paid(sheet, cost), rise))
        return Step(game.state, data.but(by=by, cost=cost, title=rise.title, now=rise.before + 1), OVER)


def describe(game: Game, check: AnyStudy) -> tuple[Block, ...]:
    """What is learned from whom, and what it cost."""
    data = check.data
    found: list[Block] = []
    if data.relation == _NO:
        found.append(Verdict(Text("check-cannot"), "neutral", ALL, worked=False))
    elif data.cost is not None:
        told = Text("rose", {"name": data.title, "before": data.now - 1, "now": data.now})
        found.append(Verdict(told, "good", ALL, worked=True))
        found.append(Note(Text("mb-studied", {"cost": data.cost, "by": data.by}), (check.actor,)))
    elif data.by:
        found.append(Verdict(Text("mb-nothing-learned"), "bad", ALL, worked=False))
    teacher = Ref(check.target) if check.target else None
    found.append(Note(Text("mb-lesson", {"skill": data.skill, "who": teacher, "during": data.during}), ALL))
    if data.throws:
        seen = GMS_ONLY if is_npc(game, check.target) else ALL
        found.append(Fact(Text("check-difficulty"), data.number, (check.actor,)))
        found += [roll_of(each).but(seen=seen) for each in data.throws]
    return (*found, *point_notes(data.points))


PROCEDURE: Final = Procedure(
    "study",
    (Asked(), Cancelling[Study](), Taught(), Learned()),
    Study,
    form=FORM,
    begin=begun,
    describe=describe,
    fallen=lambda data: bool(data.throws) or data.cost is not None,
)


def _offered(asking: Asking) -> tuple[Offer, ...]:
    """What whoever asks can learn."""
    return (
        ()
        if asking.game is None or not asking.who
        else offers(asking.game, asking.game.character(asking.who))
    )


COMMANDS: Final = (
    Command(
        "study",
        starts("study", target="teacher"),
        Form(
            (
                Typed("skill", most=100, needed=True, among=_offered),
                Typed("teacher", most=NAME_MAX, among=everybody),
                Flag("during"),
                AS,
            )
        ),
    ),
)
