"""Tries at the next step of a task: skills, progress and setbacks (MB-CARD-C02 to MB-CARD-C06)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.core.name_matching import matches
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.checks.action_economy import (
    require_awake,
)
from rules.systems.masterbook.checks.attempt_values import means_of
from rules.systems.masterbook.checks.card_awards import BadLuckStage, check_deeds
from rules.systems.masterbook.checks.forced_rolls import procedure, with_forced_roll
from rules.systems.masterbook.checks.late_rulings import LateRulingStage
from rules.systems.masterbook.checks.procedure import AttemptAction
from rules.systems.masterbook.checks.roll_sources import find_source
from rules.systems.masterbook.checks.state import Attempt, Plan
from rules.systems.masterbook.checks.view import describe, with_blocks_below
from rules.systems.masterbook.deck import skill_resolution as tasks
from rules.systems.masterbook.deck.card_definitions import Box
from rules.systems.masterbook.deck.skill_resolution import Task, TaskStep
from rules.systems.masterbook.deck.table_deck import for_all
from rules.systems.masterbook.formulas.skills import SKILLS
from rules.systems.masterbook.rounds.task_state import (
    ROLLABLE_NAMES,
    box_in,
    readable_tasks,
    require_task,
    task_at,
    task_progress,
    with_task,
)
from rules.table.blocks import FOR_EVERYONE, Block, Fact, Text
from rules.table.check import ANY_GM, PASS, Check, Choice, Prompt, Values
from rules.table.checks.procedure import CheckOption, Stage, StageResult
from rules.table.checks.stages import APPROACH_FIELD, MODIFIER_FIELD
from rules.table.forms.fields import FormContext, Number, Option, Pick, plain_options
from rules.table.forms.form import Form
from rules.table.system import Game

_MAX_RAISED: Final = 20


class StepAttempt(Attempt):
    """A try at one step."""

    letter: str = ""
    #: Box of the round's card.
    box: Box | None = None
    #: What the GM adds to the remaining steps after a failure.
    raised: int | None = None
    #: The task after the try.
    after: Task | None = None


def usable_skills(step: TaskStep) -> tuple[str, ...]:
    """Return the skills that may be rolled for a step (MB-CARD-C06).

    If all of its skills are barred, any other that fits may be rolled.
    """
    if step.allowed_skills:
        return step.allowed_skills
    return tuple(name for name in ROLLABLE_NAMES if name not in step.barred)


def plan_of(name: str) -> Plan:
    """Return the plan to roll a skill or an Attribute."""
    key = name.casefold()
    return Plan(attribute=key) if key in ATTRIBUTES else Plan(skill=name)


def best_step_skill(game: Game, who: str, step: TaskStep) -> str:
    """Return the skill of a step that a character is best at.

    Raises Impossible("mb-card-skill-barred") if all are barred.
    """
    if not step.allowed_skills:
        raise Impossible("mb-card-skill-barred", skill=step.barred[-1], allowed=())
    return best_of(game, who, step.allowed_skills)


def best_of(game: Game, who: str, names: Iterable[str]) -> str:
    """Return the name among *names*, not empty, that a character is best at."""
    sheet = game.sheet(who)
    return max(names, key=lambda name: means_of(game, who, plan_of(name)).value(sheet))


def step_skills(asking: FormContext) -> tuple[Option, ...]:
    """Return what may be rolled for the next step of the place's task, or of the only task."""
    place = "" if asking.check is None else asking.check.place
    by_place = {} if asking.game is None else readable_tasks(asking.game)
    fitting = [task_state for at, task_state in by_place.items() if place in ("", at)]
    if len(fitting) != 1 or fitting[0].task.status != "open":
        return ()
    return plain_options(usable_skills(fitting[0].task.next))


def _find_skill(asking: FormContext, text: str) -> str:
    """Return the skill or Attribute that a text names. Raises NotFound as `find_source`."""
    for name in ROLLABLE_NAMES:
        if name.casefold() == text.strip().casefold():
            return name
    attributes = matches(ATTRIBUTES, text, str)
    if len(attributes) == 1:
        return attributes[0].capitalize()
    who = (asking.check.actor if asking.check is not None else "") or asking.who
    return find_source(asking.game.sheet(who) if who else MasterbookSheet(), text).name


_SKILL: Final = Pick("skill", choices=step_skills, find=_find_skill)
FORM: Final = Form((_SKILL, APPROACH_FIELD, MODIFIER_FIELD))


def _begin_step(game: Game, check: Check[Any], values: Values) -> Any:
    """Begin a try at the next step. The GM set its difficulty with the task, so nobody is asked.

    Raises as `tasks.require_step`, `require_awake`, `read_step_skill` and `with_forced_roll`.
    """
    task_state = require_task(game.state, check.place)
    task = task_state.task
    box, letters = box_in(game, check.place, task_state)
    tasks.require_step(task, box, letters, per_round=game.setting("csr_steps_per_round"))
    require_awake(game, check.actor)
    name = read_step_skill(game, check.actor, task.next, values.get("skill", ""), "skill")
    plan = plan_of(name).replace(modifier=values.get("modifier", 0))
    check = check.replace(data=check.data.replace(letter=task.letter, box=box))
    check = with_forced_roll(game, check, plan, task.difficulty, values)
    return check.replace(hidden=not task_state.shown, reveal=game.state.settings.reveal)


def _listed_name(name: str) -> str:
    """Return a name as steps list it, without a specialization or a focus."""
    return name if name in SKILLS else name.partition(" (")[0].partition(":")[0]


def read_step_skill(game: Game, who: str, step: TaskStep, name: str, field: str) -> str:
    """Return the skill that a character rolls for a step, by default the best.

    Raises as `require_listed`.
    """
    name = find_listed_skill(name) if name else best_step_skill(game, who, step)
    require_listed(step, name, field)
    return name


def require_listed(step: TaskStep, name: str, field: str) -> None:
    """Refuse a skill or Attribute that a step doesn't list.

    Raises Impossible("mb-card-skill-barred"), or InvalidInput("mb-task-skill") if the step has no
    barred skills.
    """
    tasks.require_skill(step, _listed_name(name))
    if not step.barred and _listed_name(name) not in step.skills:
        raise InvalidInput("mb-task-skill", field=field, value=name[:100], allowed=step.skills)


def _has_failed(check: Check[Any]) -> bool:
    """Return whether a step has failed; only then can more help it. The degree doesn't matter."""
    result = check.data.result
    return result is not None and not result.success


_RAISE: Final = Form(
    (
        Number(
            "raised",
            title=Text("mb-task-raised"),
            help=Text("mb-task-raised-help"),
            low=0,
            high=_MAX_RAISED,
            offered=(1, 2),
            needed=True,
        ),
    )
)


#: What the GM may still add to the remaining steps.
_LATE_RAISES: Final = (1, 2, 3, 5)


class Problem(LateRulingStage):
    """Ruling of the GM after a critical problem: new numbers for the steps (MB-CARD-C06)."""

    name = "problem"

    def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
        if not self.asks_gms(game) or not self._may_raise(check):
            return ()
        return (Prompt("raise", (ANY_GM,), "answer", PASS, button="mb-task-raise"),)

    def _may_raise(self, check: Check[Any]) -> bool:
        """Return whether the step failed with a critical problem, and the GM has set nothing."""
        data = check.data
        return data.box == "critical_problem" and data.raised is None and _has_failed(check)

    def late_options(self, game: Game, check: Check[Any]) -> tuple[CheckOption, ...]:
        """Return what the GM may add to the remaining steps, until one is tried."""
        task_state = task_at(game.state, check.place, open_=True)
        if task_state is None or not self._may_raise(check) or task_state.task != check.data.after:
            return ()
        return tuple(
            CheckOption(f"{by}", Text("mb-task-raise-late", {"by": by})) for by in _LATE_RAISES
        )

    def rule_late(self, game: Game, check: Check[Any], option: str) -> StageResult[StepAttempt]:
        raised = int(option)
        task_state = task_at(game.state, check.place, open_=True)
        if task_state is None:
            return StageResult(game.state, check.data)
        after = tasks.with_raised_steps(task_state.task, raised)
        state = with_task(game, check.place, task_state.replace(task=after)).state
        return StageResult(state, check.data.replace(raised=raised, after=after))

    def options(
        self, game: Game, check: Check[Any], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        return (CheckOption("raise", Text("mb-task-raise"), _RAISE),)

    def choose(self, game: Game, check: Check[Any], choice: Choice, /) -> StageResult[StepAttempt]:
        return StageResult(game.state, check.data.replace(raised=choice.values["raised"]))


class TaskProgressStage(Stage[StepAttempt]):
    """Progress or setback of the task after a try (MB-CARD-C02 to MB-CARD-C06)."""

    name = "counted"

    def enter(self, game: Game, check: Check[Any], /) -> StageResult[StepAttempt] | None:
        data, result = check.data, check.data.result
        task_state = task_at(game.state, check.place, open_=True)
        if data.after is not None or result is None or task_state is None:
            return None
        after = task_state.task
        # Another try may have done that step meanwhile, or lost it.
        if after.letter == data.letter:
            name = _listed_name(data.request.skill or data.request.attribute.capitalize())
            after = tasks.with_step_tried(
                after, data.box, skill=name, success=result.success, raised=data.raised or 0
            )
        state = with_task(game, check.place, task_state.replace(task=after)).state
        return StageResult(state, data.replace(after=after))


def describe_step(game: Game, check: Check[Any]) -> tuple[Block, ...]:
    """Describe a try: the blocks of a check, the step, and the task after it."""
    blocks, data = describe(game, check), check.data
    label = Text("mb-task-step", {"letter": data.letter})
    step = Fact(label, Text("mb-task-box-of", {"box": data.box}), FOR_EVERYONE)
    return with_blocks_below(blocks, step, *result_blocks(data.after, data.box))


def result_blocks(task: Task | None, box: str | None) -> list[Block]:
    """Describe the task after a try, once that is known."""
    if task is None:
        return []
    return [for_all("mb-task-after", **task_progress(task), box=box)]


def find_listed_skill(text: str) -> str:
    """Return the listed skill or Attribute that begins so; another text unchanged."""
    names = matches(ROLLABLE_NAMES, text, str)
    return names[0] if len(names) == 1 else text


_ROLL_STAGES: Final = AttemptAction(reads=_has_failed, hostile=False).stages(reading=False)
_STEP_STAGES: Final = (*_ROLL_STAGES, Problem(), TaskProgressStage(), BadLuckStage(check_deeds))
STEP_PROCEDURE: Final = procedure(
    "step", _STEP_STAGES, data=StepAttempt, form=FORM, begin=_begin_step, describe=describe_step
)
