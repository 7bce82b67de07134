"""Lessons: a skill learned from a teacher (MB-SKILL-TEACHING, MB-SKILL-IMP-04, MB-SKILL-IMP-06)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from rules.core.errors import Impossible, InvalidInput, RulesError
from rules.core.name_matching import name_key
from rules.systems.masterbook.advancement.advancement import (
    Rise,
    advancement_choices,
    exceeds_language_limit,
    find_rise,
    points_for_rise,
    rise_cost,
    with_cost_paid,
    with_rise,
)
from rules.systems.masterbook.advancement.costs import (
    TAUGHT,
    TAUGHT_BEST,
    free_teaching_divisor,
    may_gain_during,
    student_value,
    teaching_divisor,
)
from rules.systems.masterbook.character.sheet import (
    MasterbookSheet,
    lasting_attribute,
    skill_on_sheet,
    skills_with_adds,
)
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.checks.action_economy import use_up_marks
from rules.systems.masterbook.checks.card_awards import BadLuckStage
from rules.systems.masterbook.checks.procedure import throw_for
from rules.systems.masterbook.checks.roll_sources import RollSource, source_rating
from rules.systems.masterbook.checks.roll_stages import CancelStage, Dice, RolledAction
from rules.systems.masterbook.checks.state import RollData
from rules.systems.masterbook.checks.view import point_notes, roll_of
from rules.systems.masterbook.formulas import skill_numbers, success_chart
from rules.systems.masterbook.formulas.dice import Throw
from rules.table.blocks import (
    FOR_EVERYONE,
    GMS_ONLY,
    Block,
    Fact,
    Note,
    Ref,
    Text,
    Verdict,
    Viewers,
)
from rules.table.check import OVER, Check, Choice, Prompt, Values
from rules.table.checks.procedure import CheckOption, Procedure, Stage, StageResult
from rules.table.checks.shared_blocks import full_and_plain
from rules.table.commands import AS_FIELD, NAME_MAX, check_starter, known_character_options
from rules.table.forms.fields import Flag, FormContext, Option, Typed
from rules.table.forms.form import Form
from rules.table.permissions import is_gm, owns
from rules.table.system import Game, is_npc

#: Skill of teachers, with a focus for each subject.
_TEACHING: Final = "Teaching"
#: Relation of a lesson to the teacher's subject: it is the very one.
_EXACT: Final = "exact"
#: The GM's answer that there is no lesson; stored in place of a relation.
_NO: Final = "no"
#: Divisors that the GM may choose for the GM's own teacher and a good student (MB-SKILL-IMP-04).
_RULED_DIVISORS: Final[Mapping[str, int]] = {"half": TAUGHT, "third": TAUGHT_BEST, "full": 1}


class Study(RollData):
    """A lesson: what is learned, and what came of it."""

    #: Title of the step that is learned.
    skill: str = ""
    #: Whether it takes place during an adventure.
    during: bool = False
    #: Relation of the lesson to what the teacher teaches, as the GM says.
    relation: str = ""
    #: Difficulty of the teacher's roll.
    number: int = 0
    #: Divisor of the price.
    by: int = 0
    #: Price that was paid; None until something is learned.
    cost: int | None = None
    #: Adds after the lesson.
    now: int = 0
    #: Whether it was a second add of the local language in an adventure.
    over_limit: bool = False


STUDY_FORM: Final = Form(
    (
        Typed("skill", most=100, needed=True),
        Flag("during", label=Text("mb-with", {"what": "during"})),
    )
)


def begin_study(game: Game, check: Check[Study], values: Values) -> Check[Study]:
    """Return a lesson in something that the character can learn and pay for.

    Raises:
        InvalidInput("target-is-self"): the character is its own teacher.
        Impossible("mb-not-taught"): the step raises an Attribute.
        Impossible("mb-grown-enough"): it was taught in this adventure already.
        Impossible("mb-cannot-teach"): the teacher knows too little, to a reader of that sheet.
        As `find_rise` and `with_cost_paid`.
    """
    if check.target == check.actor:
        raise InvalidInput("target-is-self", field="target", value=None)
    during = bool(values.get("during"))
    sheet: MasterbookSheet = game.sheet(check.actor)
    rise = find_rise(game, _sheet_for_lesson(sheet, during), values["skill"])
    if rise.kind is None:
        raise Impossible("mb-not-taught", what=rise.title)
    if during and not may_gain_during(True, dict(sheet.taught).get(rise.title, 0)):
        raise Impossible("mb-grown-enough", name=rise.title, most=1, during=True)
    with_cost_paid(sheet, rise, _lesson_cost(game, sheet, rise, during, TAUGHT_BEST))
    check = check.replace(data=Study(skill=rise.title, during=during))
    if _may_read_teacher(game, check) and _cannot_teach(game, check):
        teacher = game.display_name(check.target or "")
        raise Impossible("mb-cannot-teach", name=teacher, skill=rise.title)
    return check


def _may_read_teacher(game: Game, check: Check[Study]) -> bool:
    if is_gm(game.state, game.actor):
        return True
    teacher = game.state.characters.get(check.target or "")
    return teacher is not None and owns(game.state, game.actor, teacher)


# --- the lesson -----------------------------------------------------------------------------------


def _sheet_for_lesson(sheet: MasterbookSheet, during: bool) -> MasterbookSheet:
    """Return the sheet as it counts for a lesson (MB-SKILL-IMP-06).

    In an adventure, growth from before it doesn't count.
    """
    return sheet.replace(grown=()) if during else sheet


def _lesson_rise(game: Game, check: Check[Study]) -> Rise | None:
    """Return the step that the lesson is about; None if it can't be taken any more."""
    data = check.data
    sheet = _sheet_for_lesson(game.sheet(check.actor), data.during)
    try:
        return find_rise(game, sheet, data.skill)
    except RulesError:
        return None


def _lesson_cost(game: Game, sheet: MasterbookSheet, rise: Rise, during: bool, by: int) -> int:
    """Return the price of a lesson (MB-SKILL-IMP-04, MB-SKILL-IMP-06).

    In an adventure it is the full price.
    """
    return rise_cost(game, sheet, rise, by=1 if during else by, during=during)


def _lesson_difficulty(game: Game, check: Check[Study], rise: Rise) -> int:
    """Return the student's value in what is taught (MB-SKL-01).

    A specialization stands on the skill's own adds.
    """
    sheet: MasterbookSheet = game.sheet(check.actor)
    value = lasting_attribute(sheet, rise.skill_attribute)
    if rise.special:
        value += skill_on_sheet(sheet, rise.skill, rise.focus).adds
    return student_value(value, rise.before)


# --- the teacher ----------------------------------------------------------------------------------


def _possible_relations(game: Game, check: Check[Study]) -> tuple[str, ...]:
    """Return the relations to the teacher's subject with which the student can learn something.

    A GM's teacher, who is no character, teaches exactly what is learned (MB-SKILL-TEACHING).
    """
    rise = _lesson_rise(game, check)
    if rise is None:
        return ()
    if check.target is None:
        return (_EXACT,)
    teacher: MasterbookSheet = game.sheet(check.target)
    own = skill_on_sheet(teacher, rise.skill, rise.focus).adds

    def serves(relation: str) -> bool:
        return skill_numbers.may_teach(_teaching_adds(teacher, rise, relation), own, rise.before)

    return tuple(relation for relation in skill_numbers.TEACHING if serves(relation))


def _cannot_teach(game: Game, check: Check[Study]) -> bool:
    """Return whether the teacher's sheet has too little for the lesson.

    Only its readers and the GMs may know.
    """
    return check.target is not None and not _possible_relations(game, check)


def _teaching_adds(teacher: MasterbookSheet, rise: Rise, relation: str) -> int:
    """Return the adds in teaching that count: of a subject, or of any that is near enough."""
    subjects = [skill for skill in skills_with_adds(teacher) if skill.name == _TEACHING]
    if relation == _EXACT:
        wanted = (name_key(rise.skill), name_key(rise.title))
        subjects = [skill for skill in subjects if name_key(skill.focus) in wanted]
    most = max([skill.adds for skill in subjects], default=0)
    return skill_numbers.teaching_adds(most, relation)


# --- stages ---------------------------------------------------------------------------------------


class LessonRulingStage(Stage[Study]):
    """The GM's answer: whether there is time, and how near it is to what is taught.

    MB-SKILL-TEACHING.
    """

    name = "asked"

    def enter(self, game: Game, check: Check[Study], /) -> StageResult[Study] | None:
        if check.data.relation or not is_gm(game.state, game.actor):
            return None
        relations = _possible_relations(game, check)
        if not relations or _needs_price_ruling(game, check):
            return None
        return StageResult(game.state, _allow_lesson(game, check, relations[0]))

    def ask(self, game: Game, check: Check[Study], /) -> tuple[Prompt, ...]:
        return () if check.data.relation else (Prompt("rule"),)

    def options(
        self, game: Game, check: Check[Study], prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        ways: Iterable[str] = _RULED_DIVISORS
        if not _needs_price_ruling(game, check):
            ways = _possible_relations(game, check)
        return [CheckOption(way, Text("mb-study-way", {"way": way})) for way in (*ways, _NO)]

    def choose(self, game: Game, check: Check[Study], choice: Choice, /) -> StageResult[Study]:
        if choice.option == _NO:
            return StageResult(game.state, check.data.replace(relation=_NO), OVER)
        relation, by = choice.option, TAUGHT
        if relation in _RULED_DIVISORS:
            relation, by = _EXACT, _RULED_DIVISORS[relation]
        return StageResult(game.state, _allow_lesson(game, check, relation, by))


def _needs_price_ruling(game: Game, check: Check[Study]) -> bool:
    """Return whether a GM's teacher has a student too good for the usual price.

    MB-SKILL-IMP-04.
    """
    rise = _lesson_rise(game, check)
    if rise is None or check.target is not None or check.data.during:
        return False
    return free_teaching_divisor(_lesson_difficulty(game, check, rise)) is None


def _allow_lesson(game: Game, check: Check[Study], relation: str, by: int = TAUGHT) -> Study:
    """Return the lesson as the GM allows it; a GM's teacher needs no roll (MB-SKILL-IMP-04)."""
    rise = _lesson_rise(game, check)
    data = check.data.replace(relation=relation)
    if rise is None:
        return data
    divisor = by if check.target is None else 0
    return data.replace(by=divisor, number=_lesson_difficulty(game, check, rise))


class TeachingRoll(RolledAction):
    """The teacher's roll against the student's value (MB-SKILL-IMP-04)."""

    def throws_due(self, game: Game, check: Check[Study]) -> tuple[Throw, ...]:
        data, teacher = check.data, check.target
        if teacher is None or not data.relation or data.relation == _NO:
            return ()
        rise = _lesson_rise(game, check)
        adds = 0
        if rise is not None:
            adds = _teaching_adds(game.sheet(teacher), rise, data.relation)
        source = RollSource(_TEACHING, "intellect", _TEACHING, adds=adds)
        rating = source_rating(game, teacher, source)
        return (throw_for(game, check, teacher, "teaching", rating),)

    def use_up_effects(self, game: Game, check: Check[Study]) -> Game:
        return game if check.target is None else use_up_marks(game, check.target)


class LessonStage(Stage[Study]):
    """The add, learned and paid for.

    In an adventure it takes a teacher who succeeds, and the full price.
    """

    name = "learned"

    def enter(self, game: Game, check: Check[Study], /) -> StageResult[Study] | None:
        data = check.data
        if data.relation == _NO or data.cost is not None:
            return None
        by = _final_divisor(data)
        rise = _lesson_rise(game, check)
        sheet: MasterbookSheet = game.sheet(check.actor)
        if rise is None or (data.during and not may_gain_during(by > 1)):
            return StageResult(game.state, data.replace(by=by or 1))
        cost = _lesson_cost(game, sheet, rise, data.during, by)
        if points_for_rise(sheet, rise) < cost:
            return StageResult(game.state, data.replace(by=by or 1))
        game = game.with_sheet(check.actor, _taught_sheet(game, sheet, rise, cost, data.during))
        data = data.replace(
            by=1 if data.during else by,  # at the full price, however well it was taught
            cost=cost,
            now=rise.before + 1,
            over_limit=exceeds_language_limit(sheet, rise),
        )
        return StageResult(game.state, data)


def _final_divisor(data: Study) -> int:
    """Return what the price is divided by: as the teacher rolled, or as the GM said."""
    if not data.throws:
        return data.by
    return teaching_divisor(success_chart.rank(data.throws[0].total - data.number))


def _taught_sheet(
    game: Game, sheet: MasterbookSheet, rise: Rise, cost: int, during: bool
) -> MasterbookSheet:
    """Return the student's sheet after a lesson that was paid for."""
    paid = with_cost_paid(_sheet_for_lesson(sheet, during), rise, cost)
    after = with_rise(game, paid, rise)
    if not during:
        return after
    return after.replace(grown=sheet.grown, taught=(*sheet.taught, *after.grown))


# --- view -----------------------------------------------------------------------------------------


def _describe(game: Game, check: Check[Study]) -> tuple[Block, ...]:
    """Return the blocks of a lesson: its subject, its teacher, and its price."""
    data = check.data
    teacher = Ref(check.target) if check.target else None
    blocks = list(_result_blocks(game, check))
    if not data.relation and check.is_open and _cannot_teach(game, check):
        readers: Viewers = GMS_ONLY if is_npc(game, check.target) else (check.target or "",)
        text = Text("mb-cannot-teach", {"name": teacher, "skill": data.skill})
        blocks.append(Note(text, readers))
    lesson = Text("mb-lesson", {"skill": data.skill, "who": teacher, "during": data.during})
    blocks.append(Note(lesson, FOR_EVERYONE))
    if data.throws:
        viewers = GMS_ONLY if is_npc(game, check.target) else FOR_EVERYONE
        blocks.append(Fact(Text("check-difficulty"), data.number, (check.actor,)))
        blocks += [roll_of(throw).replace(visible_to=viewers) for throw in data.throws]
    return (*blocks, *point_notes(data.points))


def _result_blocks(game: Game, check: Check[Study]) -> Iterable[Block]:
    """Yield the verdict on a lesson, and for its player what it cost."""
    data = check.data
    if data.relation == _NO:
        yield Verdict(Text("check-cannot"), "neutral", FOR_EVERYONE, worked=False)
    elif data.cost is not None:
        rose = Text("rose", {"name": data.skill, "before": data.now - 1, "now": data.now})
        verdict = Verdict(rose, "good", FOR_EVERYONE, worked=True)
        if is_npc(game, check.actor):  # Only GMs read an NPC's adds.
            yield from full_and_plain(verdict, text=Text("mb-success"))
        else:
            yield verdict
        yield Note(Text("mb-studied", {"cost": data.cost, "by": data.by}), (check.actor,))
        if data.over_limit:
            yield Note(Text("mb-language-limit", {"name": data.skill}), (check.actor,))
    elif data.by:
        yield Verdict(Text("mb-nothing-learned"), "bad", FOR_EVERYONE, worked=False)


# --- the command ----------------------------------------------------------------------------------


def _is_rolled_or_learned(data: Study) -> bool:
    return bool(data.throws) or data.cost is not None


_TEACHES: Final = TeachingRoll()
PROCEDURE: Final = Procedure(
    "study",
    (LessonRulingStage(), CancelStage(_TEACHES), Dice(_TEACHES), LessonStage(), BadLuckStage()),
    Study,
    form=STUDY_FORM,
    begin=begin_study,
    describe=_describe,
    dice_have_fallen=_is_rolled_or_learned,
)


def _learnable_choices(asking: FormContext) -> tuple[Option, ...]:
    """Return what the character of a form can learn."""
    if asking.game is None or not asking.who:
        return ()
    return advancement_choices(asking.game, asking.game.character(asking.who))


COMMANDS: Final = (
    command(
        "study",
        check_starter("study", target="teacher"),
        Typed("skill", most=100, needed=True, choices=_learnable_choices),
        Typed("teacher", most=NAME_MAX, choices=known_character_options),
        Flag("during"),
        AS_FIELD,
    ),
)
