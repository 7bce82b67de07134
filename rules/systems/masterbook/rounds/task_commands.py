"""Tasks in steps: set by the GM, tried by step or all at once (MB-CARD-C01 to MB-CARD-C08)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput, NotFound, Outdated
from rules.core.name_matching import matches
from rules.core.record import Record
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.checks.action_economy import (
    action_command,
    acts_by,
    command,
    has_done_all,
    read_ranks,
    require_awake,
    spend_action,
    turns_of,
    use_up_marks,
)
from rules.systems.masterbook.checks.card_awards import BadLuckStage, check_deeds
from rules.systems.masterbook.checks.card_in_effect import card_here
from rules.systems.masterbook.checks.forced_rolls import procedure, with_forced_roll
from rules.systems.masterbook.checks.late_rulings import LateRuling
from rules.systems.masterbook.checks.procedure import AttemptAction, means_of, rated_by, throw_for
from rules.systems.masterbook.checks.roll_sources import find_source
from rules.systems.masterbook.checks.roll_stages import (
    Moments,
    ResolutionWindow,
    RolledAction,
    dice_stages,
    idle,
    training_notes,
)
from rules.systems.masterbook.checks.state import Attempt, Plan, Rating
from rules.systems.masterbook.checks.view import describe, dice_of, with_blocks_below
from rules.systems.masterbook.deck import skill_resolution as tasks
from rules.systems.masterbook.deck.card_definitions import LETTERS, Box, default_faces
from rules.systems.masterbook.deck.deal import refuse
from rules.systems.masterbook.deck.play import Moment
from rules.systems.masterbook.deck.skill_resolution import Task, TaskStep
from rules.systems.masterbook.deck.table_deck import for_all
from rules.systems.masterbook.formulas.dice import Throw
from rules.systems.masterbook.formulas.reference_rows import nonzero_causes
from rules.systems.masterbook.formulas.skills import SKILLS
from rules.table.blocks import FOR_EVERYONE, GMS, Block, Fact, Note, Ref, Text, Verdict
from rules.table.check import ANY_GM, OVER, PASS, Check, Choice, Prompt, Values
from rules.table.checks.procedure import CheckOption, Procedure, Stage, StageResult
from rules.table.checks.shared_blocks import approach_blocks, full_and_plain
from rules.table.checks.stages import APPROACH_FIELD, MODIFIER_FIELD, ROLL
from rules.table.commands import (
    AS_FIELD,
    CheckStart,
    CommandView,
    PendingButton,
    check_starter,
)
from rules.table.events import Event, Reported
from rules.table.forms import Flag, Form, FormContext, Number, Option, Pick, Typed, plain_options
from rules.table.initiative import encounter_in, require_encounter
from rules.table.lookup import (
    acting_character,
    find_known,
    known_characters,
    playable_characters,
)
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, known_name, owns
from rules.table.readable_places import may_read
from rules.table.reports import report_outcome
from rules.table.state import AnyCharacter, AnyEncounter, TableState
from rules.table.system import Game, Tick, TickResult, is_npc

_PREFIX: Final = "task"
_MAX_NAME, _MAX_STEP, _MAX_ROUNDS, _MAX_DN, _MAX_RAISED = 80, 120, 100, 200, 20


class TaskState(Record):
    """The task of a place."""

    task: Task = Task()
    name: str = ""
    #: Whether players see its numbers.
    shown: bool = False
    #: The card whose box counts, where rounds don't go by cards.
    card: str = ""
    #: Cards already used so.
    drawn: tuple[str, ...] = ()


#: Class of this part of a table's state.
PARTS: Final = {_PREFIX: TaskState}


def task_at(state: TableState, place: str, *, open_: bool = False) -> TaskState | None:
    """Return the task of a place, or with *open_* only an open one; None without a task."""
    task_state: TaskState | None = state.own.get(f"{_PREFIX}:{place}")
    if task_state is None or (open_ and task_state.task.status != "open"):
        return None
    return task_state


def _require(state: TableState, place: str) -> TaskState:
    """Return the task of a place. Raises Impossible("mb-task-none")."""
    task_state = task_at(state, place)
    if task_state is None:
        raise Impossible("mb-task-none")
    return task_state


def _readable_tasks(game: Game) -> dict[str, TaskState]:
    """Return the tasks of the places that the actor can view, by place."""
    gm = is_gm(game.state, game.actor)
    by_place: dict[str, TaskState] = {}
    for key, part in game.state.own.items():
        prefix, _, place = key.partition(":")
        if prefix == _PREFIX and may_read(game.readable, place, theirs=False, gm=gm):
            by_place[place] = part
    return by_place


def _with_task(game: Game, place: str, task_state: TaskState | None) -> Game:
    return game.with_state(game.state.with_own(f"{_PREFIX}:{place}", task_state))


def box_in(game: Game, place: str, task_state: TaskState) -> tuple[Box | None, tuple[str, ...]]:
    """Return the box of the round's card, and the letters in it."""
    reading = card_here(game, place)
    if reading is not None:
        return reading.box, reading.letters
    face = default_faces().get(task_state.card)
    return (None, ()) if face is None else (face.box, face.letters)


def _with_drawn_card(game: Game, place: str, task_state: TaskState) -> TaskState:
    """Return the task with a card drawn for its box, if rounds have no cards (MB-CARD-N01)."""
    if card_here(game, place) is not None or task_state.task.status != "open":
        return task_state
    remaining: list[str] = []
    for face in default_faces().values():
        if face.in_play and face.id not in task_state.drawn:
            remaining.append(face.id)
    card = remaining[game.rng.public.below(len(remaining))]
    drawn = (*task_state.drawn, card) if len(remaining) > 1 else ()
    return task_state.replace(card=card, drawn=drawn)


# --- setting a task -------------------------------------------------------------------------------


#: Skills and Attributes that may be rolled for a step.
_NAMES: Final = (*SKILLS, *[attribute.capitalize() for attribute in ATTRIBUTES])


def read_step(text: str, field: str) -> TaskStep:
    """Return the step that a text such as `Agility, Acrobatics 15` describes.

    Raises InvalidInput("mb-task-bad-step").
    """
    words, _, number = " ".join(text.split()).rpartition(" ")
    if not number.isdecimal() or not number.isascii() or int(number) > _MAX_DN or not words:
        raise InvalidInput("mb-task-bad-step", field=field, value=text[:100])
    skills: list[str] = []
    for word in words.split(","):
        names = matches(_NAMES, word, str)
        if len(names) != 1:
            raise InvalidInput("mb-task-bad-step", field=field, value=word.strip()[:100])
        skills.append(names[0])
    return TaskStep(tuple(dict.fromkeys(skills)), int(number))


def start_task(game: Game, action: Any) -> Outcome:
    """Start a task in the rounds of this place (MB-CARD-C01).

    Raises Impossible("mb-card-off"), ("mb-task-no-rounds"), ("mb-task-here"), and
    InvalidInput("mb-task-bad-step").
    """
    refuse(off=not game.setting("critical_skill_resolution"))
    encounter = encounter_in(game.state, action.place)
    if encounter is None or not encounter.round:
        raise Impossible("mb-task-no-rounds")
    if task_at(game.state, action.place, open_=True) is not None:
        raise Impossible("mb-task-here")
    steps: list[TaskStep] = []
    for key in _STEP_KEYS:
        text = getattr(action, key)
        if text.strip():
            steps.append(read_step(text, key))
    name = " ".join(action.name.split())[:_MAX_NAME]
    if not name:
        raise InvalidInput("empty", field="name", value="", allowed="name")
    task_state = TaskState(Task(tuple(steps), action.rounds), name, action.shown)
    task_state = _with_drawn_card(game, action.place, task_state)
    title = _title(task_state)
    public_blocks = task_blocks(game, action.place, task_state, full=task_state.shown)
    public = Reported(title=title, blocks=public_blocks, by=action.who.id)
    public = _with_try_button(game, action.place, task_state, public)
    reports: tuple[Reported, ...] = (public,)
    if not task_state.shown:
        full_blocks = task_blocks(game, action.place, task_state, full=True)
        secret = Reported(audience=GMS, title=title, blocks=full_blocks, by=action.who.id)
        reports = (public, secret)
    return Outcome(_with_task(game, action.place, task_state).state, reports)


def change_task(game: Game, action: Any) -> Outcome:
    """Stop the clock of a task, or with `ends` drop the task (MB-CARD-C07, MB-CARD-C08)."""
    task_state = _require(game.state, action.place)
    tasks.require_open(task_state.task)
    if action.ends:
        game = _with_task(game, action.place, None)
        return report_outcome(game, _title(task_state), for_all("mb-task-dropped"))
    without_clock = task_state.replace(task=task_state.task.replace(limit=None))
    game = _with_task(game, action.place, without_clock)
    return report_outcome(game, _title(task_state), for_all("mb-task-clock-stopped"))


def _title(task_state: TaskState) -> Text:
    return Text("mb-task-title", {"name": task_state.name or None})


def task_blocks(game: Game, place: str, task_state: TaskState, *, full: bool) -> tuple[Block, ...]:
    """Describe the progress of a task and the round's card; *full* adds its numbers."""
    task = task_state.task
    state = Text("mb-task-state", _state(task))
    blocks: list[Block] = [Verdict(state, "neutral", FOR_EVERYONE)]
    for at, step in enumerate(task.steps):
        about = {
            "skills": step.skills,
            "barred": step.barred,
            "done": at < task.level,
            "number": step.dn + task.harder if full else None,
        }
        label = Text("mb-task-step", {"letter": LETTERS[at]})
        blocks.append(Fact(label, Text("mb-task-rolls", about), FOR_EVERYONE))
    if task.status == "open":
        blocks.append(Note(box_line(game, place, task_state), FOR_EVERYONE))
    return tuple(blocks)


def _is_open_to_try(game: Game, place: str, task_state: TaskState) -> bool:
    """Return whether the next step may be tried in this round (MB-CARD-C02)."""
    task = task_state.task
    box, letters = box_in(game, place, task_state)
    if task.status != "open" or task.done >= game.setting("csr_steps_per_round"):
        return False
    return tasks.allows_step(task, box, letters)


def _try_label(task_state: TaskState) -> Text:
    return Text("mb-task-try", {"letter": task_state.task.letter})


def _with_try_button(game: Game, place: str, task_state: TaskState, report: Reported) -> Reported:
    """Return the report, with a button for the next step if the card allows it."""
    if not _is_open_to_try(game, place, task_state):
        return report
    values = {_LETTER.key: task_state.task.letter}
    return report.replace(button=_try_label(task_state), command="task try", values=values)


def round_start_events(game: Game, place: str) -> tuple[Event, ...]:
    """Return the report of a place's task as a round begins, with a button for the next step."""
    task_state = task_at(game.state, place, open_=True)
    if task_state is None:
        return ()
    blocks = (
        for_all("mb-task-round", **_state(task_state.task)),
        Note(box_line(game, place, task_state), FOR_EVERYONE),
    )
    report = Reported(title=_title(task_state), blocks=blocks, by=game.actor.id)
    return (_with_try_button(game, place, task_state, report),)


def pending_steps(game: Game) -> Iterator[PendingButton]:
    """Yield the steps that a player's own characters can try now, for `/moves`."""
    for place, task_state in _readable_tasks(game).items():
        encounter = encounter_in(game.state, place)
        if encounter is None or not _is_open_to_try(game, place, task_state):
            continue
        characters = playable_characters(game.state, game.actor)
        if any(_can_try(game, encounter, character) for character in characters):
            box = box_line(game, place, task_state)
            what = Text("check-whose", {"who": _title(task_state), "what": box})
            letter = task_state.task.letter
            yield PendingButton(what, _try_label(task_state), {_LETTER.key: letter})


def _can_try(game: Game, encounter: AnyEncounter, character: AnyCharacter) -> bool:
    """Return whether a character of the actor's own is in these rounds and can still act."""
    if character.owner != game.actor.id:
        return False
    if all(slot.character != character.id for slot in encounter.order):
        return False
    return not (game.sheet(character.id).harm.out or has_done_all(game, character.id))


def task_announcement(game: Game, place: str) -> Text | None:
    """Return what the round's card allows for the open task of a place; None without a task."""
    task_state = task_at(game.state, place, open_=True)
    return None if task_state is None else box_line(game, place, task_state)


def _state(task: Task) -> dict[str, Any]:
    return {
        "status": task.status,
        "level": task.level,
        "steps": len(task.steps),
        "left": task.rounds_left,
        "harder": task.harder or None,
    }


def box_line(game: Game, place: str, task_state: TaskState) -> Text:
    """Describe what the round's card allows for the next step."""
    task = task_state.task
    box, letters = box_in(game, place, task_state)
    is_open = tasks.allows_step(task, box, letters)
    about = {"box": box, "letters": letters, "step": task.letter, "open": is_open}
    return Text("mb-task-box", about)


def apply_task_tick(game: Game, passing: Tick) -> TickResult:
    """Advance the clock of a task at the end of a round (MB-CARD-C02, MB-CARD-C08).

    The task ends with the rounds. A new round may draw a card for it.
    """
    place = passing.place
    before = task_at(game.state, place)
    if before is None or passing.kind not in ("round-end", "round-start", "encounter-end"):
        return TickResult(game)
    if passing.kind == "encounter-end":
        return TickResult(_with_task(game, place, None))
    if passing.kind == "round-start":
        return TickResult(_with_task(game, place, _with_drawn_card(game, place, before)))
    box, _ = box_in(game, place, before)
    able = False
    for slot in require_encounter(game.state, place).order:
        who = slot.character
        if who and not is_npc(game, who) and not game.sheet(who).harm.out:
            able = True
            break
    after = before.replace(task=tasks.end_task_round(before.task, box, able=able))
    game = _with_task(game, place, after)
    if before.task.status != "open" or after.task.status == "open":
        # A task that goes on is reported as the next round begins.
        return TickResult(game)
    note = for_all("mb-task-round", **_state(after.task))
    return TickResult(game, events=report_outcome(game, _title(before), note).events)


# --- one step -------------------------------------------------------------------------------------


class StepAttempt(Attempt):
    """A try at one step."""

    letter: str = ""
    #: Box of the round's card.
    box: Box | None = None
    #: What the GM adds to the remaining steps after a failure.
    raised: int | None = None
    #: The task after the try.
    after: Task | None = None


def _usable_skills(step: TaskStep) -> tuple[str, ...]:
    """Return the skills that may be rolled for a step (MB-CARD-C06).

    If all of its skills are barred, any other that fits may be rolled.
    """
    if step.allowed_skills:
        return step.allowed_skills
    return tuple(name for name in _NAMES if name not in step.barred)


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


def _step_skills(asking: FormContext) -> tuple[Option, ...]:
    """Return what may be rolled for the next step of the place's task, or of the only task."""
    place = "" if asking.check is None else asking.check.place
    by_place = {} if asking.game is None else _readable_tasks(asking.game)
    fitting = [task_state for at, task_state in by_place.items() if place in ("", at)]
    if len(fitting) != 1 or fitting[0].task.status != "open":
        return ()
    return plain_options(_usable_skills(fitting[0].task.next))


def _find_skill(asking: FormContext, text: str) -> str:
    """Return the skill or Attribute that a text names. Raises NotFound as `find_source`."""
    for name in _NAMES:
        if name.casefold() == text.strip().casefold():
            return name
    attributes = matches(ATTRIBUTES, text, str)
    if len(attributes) == 1:
        return attributes[0].capitalize()
    who = (asking.check.actor if asking.check is not None else "") or asking.who
    return find_source(asking.game.sheet(who) if who else MasterbookSheet(), text).name


_SKILL: Final = Pick("skill", choices=_step_skills, find=_find_skill)
FORM: Final = Form((_SKILL, APPROACH_FIELD, MODIFIER_FIELD))


def _begin_step(game: Game, check: Check[Any], values: Values) -> Any:
    """Begin a try at the next step. The GM set its difficulty with the task, so nobody is asked.

    Raises as `tasks.require_step`, `require_awake`, `_step_skill` and `with_forced_roll`.
    """
    task_state = _require(game.state, check.place)
    task = task_state.task
    box, letters = box_in(game, check.place, task_state)
    tasks.require_step(task, box, letters, per_round=game.setting("csr_steps_per_round"))
    require_awake(game, check.actor)
    name = _step_skill(game, check.actor, task.next, values.get("skill", ""), "skill")
    plan = plan_of(name).replace(modifier=values.get("modifier", 0))
    check = check.replace(data=check.data.replace(letter=task.letter, box=box))
    check = with_forced_roll(game, check, plan, task.difficulty, values)
    return check.replace(hidden=not task_state.shown, reveal=game.state.settings.reveal)


def _listed_name(name: str) -> str:
    """Return a name as steps list it, without a specialization or a focus."""
    return name if name in SKILLS else name.partition(" (")[0].partition(":")[0]


def _step_skill(game: Game, who: str, step: TaskStep, name: str, field: str) -> str:
    """Return the skill that a character rolls for a step, by default the best.

    Raises as `_require_listed`.
    """
    name = _find_listed_skill(name) if name else best_step_skill(game, who, step)
    _require_listed(step, name, field)
    return name


def _require_listed(step: TaskStep, name: str, field: str) -> None:
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


class Problem(LateRuling):
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
        state = _with_task(game, check.place, task_state.replace(task=after)).state
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
        state = _with_task(game, check.place, task_state.replace(task=after)).state
        return StageResult(state, data.replace(after=after))


def describe_step(game: Game, check: Check[Any]) -> tuple[Block, ...]:
    """Describe a try: the blocks of a check, the step, and the task after it."""
    blocks, data = describe(game, check), check.data
    label = Text("mb-task-step", {"letter": data.letter})
    step = Fact(label, Text("mb-task-box-of", {"box": data.box}), FOR_EVERYONE)
    return with_blocks_below(blocks, step, *_result_blocks(data.after, data.box))


def _result_blocks(task: Task | None, box: str | None) -> list[Block]:
    """Describe the task after a try, once that is known."""
    if task is None:
        return []
    return [for_all("mb-task-after", **_state(task), box=box)]


# --- last ditch effort ----------------------------------------------------------------------------


class LastDitchStep(Record):
    """One step of a last ditch effort."""

    letter: str
    #: Character who does the step.
    who: str
    #: Skill or Attribute that is rolled. Empty until the character's player has named it.
    what: str
    #: Difficulty number.
    number: int
    #: Multi-action penalty of a character who does several steps.
    loss: int = 0
    rating: Rating = Rating(0)


class LastDitchEffort(Attempt):
    """All remaining steps tried at once (MB-CARD-C07)."""

    steps: tuple[LastDitchStep, ...] = ()
    #: The task as it stood when the effort was proposed.
    task: Task = Task()
    #: Characters whose players have agreed.
    joined: tuple[str, ...] = ()
    #: The character whose player has refused.
    refused: str = ""
    #: The character who could not act any more when a player agreed.
    unable: str = ""
    #: Whether all steps worked; None before the result.
    worked: bool | None = None
    #: The task after the effort.
    after: Task | None = None

    def steps_of(self, who: str) -> tuple[LastDitchStep, ...]:
        """Return the steps that a character does."""
        return tuple([step for step in self.steps if step.who == who])


_STEP_KEYS: Final = tuple(f"step_{letter.casefold()}" for letter in LETTERS)
_KEY_OF: Final[dict[str, str]] = dict(zip(LETTERS, _STEP_KEYS, strict=True))


def _step_offers(letter: str, asking: FormContext) -> tuple[Option, ...]:
    """Return the characters and skills that completion offers for a step."""
    game = asking.game
    if game is None:
        return ()
    task_states = list(_readable_tasks(game).values())
    if len(task_states) != 1 or task_states[0].task.status != "open":
        return ()
    task, at = task_states[0].task, LETTERS.index(letter)
    if not task.level <= at < len(task.steps):
        return ()
    skills = _usable_skills(task.steps[at])
    offers = list(skills)
    # A step without a name is the asking user's own.
    own_id = asking.who or game.state.person(game.actor.id).active
    for character in known_characters(game.state, game.actor):
        is_offered = character.owner is not None or owns(game.state, game.actor, character)
        if character.id == own_id or not is_offered:
            continue
        name = known_name(game.state, game.actor, character)
        offers.extend(f"{name}: {skill}" for skill in skills)
    return plain_options(offers)


def _step_field(letter: str, key: str) -> Typed:
    """Return the field for the character and skill of a step."""
    return Typed(key, most=_MAX_STEP, choices=lambda asking: _step_offers(letter, asking))


_WHO: Final = tuple(_step_field(letter, key) for letter, key in _KEY_OF.items())
_RANKS: Final = Typed("ranks", most=20)
DITCH_FORM: Final = Form((*_WHO, _RANKS, APPROACH_FIELD))


def _find_doer(game: Game, text: str, field: str) -> tuple[AnyCharacter | None, str]:
    """Return the character (None: the actor) and skill (maybe empty) that a step's text names.

    Such texts are `Boris: Climbing`, `Boris`, `Climbing` and `Martial Arts: wrestling`. Raises
    InvalidInput("mb-task-who") for an unknown name.
    """
    name, colon, skill = text.partition(":")
    if not colon and (not text.strip() or _is_skill(text)):
        return None, text.strip()
    try:
        return find_known(game.state, game.actor, name.strip(), field), skill.strip()
    except (NotFound, InvalidInput):
        if _is_skill(name):
            return None, text.strip()
        value = name.strip()[:100]
        raise InvalidInput("mb-task-who", field=field, value=value) from None


def _is_skill(text: str) -> bool:
    return bool(matches(_NAMES, text.partition("(")[0], str))


def _begin_last_ditch(game: Game, check: Any, values: Values) -> Any:
    """Propose a last ditch effort (MB-CARD-C07).

    Raises Impossible("mb-task-none"), ("mb-card-task-closed"), and as `_find_doer`,
    `_require_able` and `_step_skill`.
    """
    task_state = _require(game.state, check.place)
    task = task_state.task
    tasks.require_open(task)
    remaining = task.steps[task.level :]
    letters = LETTERS[task.level : len(task.steps)]
    doers: list[str] = []
    skills: list[str] = []
    for letter, step in zip(letters, remaining, strict=True):
        who, skill = _doer_and_skill(game, check, letter, step, values)
        doers.append(who)
        skills.append(skill)
    ranks = read_ranks(values.get("ranks", ""), len(remaining))
    losses = tasks.last_ditch_penalties(doers, ranks)
    numbers = tasks.last_ditch_difficulties(task)
    steps: list[LastDitchStep] = []
    for at, letter in enumerate(letters):
        steps.append(LastDitchStep(letter, doers[at], skills[at], numbers[at], losses[at]))
    own = tuple(dict.fromkeys([who for who in doers if _is_own(game, who)]))
    data = LastDitchEffort(
        answer=ROLL,
        steps=tuple(steps),
        task=task,
        joined=own,
        request=Plan(skill=skills[0]),
    )
    for who in own:
        data = _with_ratings(game, data, who)
    return check.replace(
        data=data,
        approach=values.get(APPROACH_FIELD.key, "").strip(),
        hidden=not task_state.shown,
        reveal=game.state.settings.reveal,
    )


def _doer_and_skill(
    game: Game, check: Check[Any], letter: str, step: TaskStep, values: Values
) -> tuple[str, str]:
    """Return the character who does a step of the effort, and the skill.

    The skill is empty if another player still has to choose it. Raises as `_find_doer`,
    `_require_able`, `_step_skill` and `_require_listed`.
    """
    field = _KEY_OF[letter]
    named, skill = _find_doer(game, values.get(field, ""), field)
    who = check.actor if named is None else named.id
    _require_able(game, who)
    if _is_own(game, who):
        skill = _step_skill(game, who, step, skill, field)
    elif skill:
        skill = _find_listed_skill(skill)
        _require_listed(step, skill, field)
    return who, skill


def _require_able(game: Game, who: str) -> None:
    """Raise unless a character has an action left in this round (MB-CARD-C07, MB-ACT-01).

    Raises Impossible("mb-no-action-left"), and as `require_awake`.
    """
    require_awake(game, who)
    turns_of(game, who)


def _is_able(game: Game, who: str) -> bool:
    """Return whether a character still has an action for the effort."""
    try:
        _require_able(game, who)
    except Impossible:
        return False
    return True


def _is_own(game: Game, who: str) -> bool:
    """Return whether the actor decides for a character, so that no other player is asked."""
    return owns(game.state, game.actor, game.character(who))


def _find_listed_skill(text: str) -> str:
    """Return the listed skill or Attribute that begins so; another text unchanged."""
    names = matches(_NAMES, text, str)
    return names[0] if len(names) == 1 else text


def _with_ratings(game: Game, data: LastDitchEffort, who: str) -> LastDitchEffort:
    """Return the effort with a character's ratings by the present sheet. Raises as `rated_by`.

    The effort is an action of each character who does a step, also out of turn (MB-ACT-01).
    """
    steps: list[LastDitchStep] = []
    for step in data.steps:
        if step.who != who:
            steps.append(step)
            continue
        rating = rated_by(game, who, plan_of(step.what), acting=True)
        loss = nonzero_causes(("multi_action", step.loss))
        steps.append(step.replace(rating=rating.with_causes(*loss)))
    return data.replace(steps=tuple(steps))


class LastDitchConsent(Stage[LastDitchEffort]):
    """Agreement of the players whose characters do a step, and their skills (MB-CARD-C07)."""

    name = "agreed"

    def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
        data = check.data
        waiting = [step.who for step in data.steps if step.who not in data.joined]
        if not waiting or data.refused:
            return ()
        who = tuple(dict.fromkeys(waiting))
        return (Prompt("ditch", who, "answer", "decline", button="mb-task-ditch"),)

    def options(
        self, game: Game, check: Check[Any], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        task = check.data.task
        fields: list[Pick] = []
        values: dict[str, Any] = {}
        for tried in check.data.steps_of(who):
            step = task.steps[LETTERS.index(tried.letter)]
            key = _KEY_OF[tried.letter]
            choices = _rollable_skills(game, who, step)
            title = Text("mb-task-step", {"letter": tried.letter})
            fields.append(Pick(key, choices=choices, title=title, needed=True))
            offered = [option.value for option in choices]
            if tried.what in offered:
                values[key] = tried.what
            elif offered:
                values[key] = best_of(game, who, offered)
        join = CheckOption("join", Text("mb-task-join"), Form(tuple(fields)), values=values)
        return join, CheckOption("decline", Text("mb-task-decline"))

    def choose(self, game: Game, check: Check[Any], choice: Choice, /) -> StageResult[Any]:
        data, who = check.data, choice.who
        if choice.option == "decline":
            return StageResult(game.state, data.replace(refused=who), OVER)
        task_state = task_at(game.state, check.place, open_=True)
        if task_state is None or not task_state.task.is_like(data.task):
            raise Outdated("mb-task-moved", letter=None)
        for doer in dict.fromkeys([step.who for step in data.steps]):
            if not _is_able(game, doer):
                return StageResult(game.state, data.replace(unable=doer), OVER)
        steps: list[LastDitchStep] = []
        for step in data.steps:
            if step.who == who:
                step = step.replace(what=choice.values[_KEY_OF[step.letter]])
            steps.append(step)
        data = data.replace(steps=tuple(steps), joined=(*data.joined, who))
        return StageResult(game.state, _with_ratings(game, data, who))


def _rollable_skills(game: Game, who: str, step: TaskStep) -> tuple[Option, ...]:
    """Return the skills that a character can roll for a step, with their values."""
    options: list[Option] = []
    for name in _usable_skills(step):
        try:
            rating = rated_by(game, who, plan_of(name))
        except Impossible:
            continue
        options.append(Option(name, Text("mb-skill", {"name": name, "value": rating.value})))
    return tuple(options)


def _moments(game: Game, check: Any, *letters: str) -> tuple[Moment, ...]:
    """Return the totals of these steps as cards see them."""
    moments: list[Moment] = []
    for step in check.data.steps:
        if step.letter in letters:
            total = Moment("roll_pending", step.who, step.who, "total", step.letter)
            moments.append(means_of(game, step.who, plan_of(step.what)).of(total))
    return tuple(moments)


class LastDitchRoll(RolledAction):
    """Dice of all remaining steps."""

    def refresh_from_sheets(self, game: Game, check: Any, data: Any) -> Any:
        for who in dict.fromkeys([step.who for step in data.steps if not step.rating.barred]):
            data = _with_ratings(game, data, who)
        return data

    def throws_due(self, game: Game, check: Any) -> tuple[Throw, ...]:
        thrown = {throw.what for throw in check.data.throws}
        throws: list[Throw] = []
        for step in check.data.steps:
            if step.letter not in thrown:
                throws.append(throw_for(game, check, step.who, step.letter, step.rating))
        return tuple(throws)

    def untrained_moments(self, game: Game, check: Any) -> Moments:
        barred = [step.letter for step in check.data.steps if step.rating.barred]
        moments = _moments(game, check, *barred)
        return tuple(moment.replace(window="pre_roll") for moment in moments)

    def open_dice_moments(self, game: Game, check: Any) -> Moments:
        return _moments(game, check, *[throw.what for throw in check.data.throws])

    def resolution_moments(self, game: Game, check: Any) -> Moments:
        """Return a moment for each character, who may begin all own steps anew (MB-CARD-E15)."""
        characters = dict.fromkeys([throw.who for throw in check.data.throws])
        return tuple(Moment("after_resolution", who, who) for who in characters)

    def use_up_effects(self, game: Game, check: Any) -> Game:
        for who in dict.fromkeys([step.who for step in check.data.steps]):
            game = use_up_marks(game, who)
            game = spend_action(game, who)
        return game


class LastDitchStage(Stage[Any]):
    """Result of the effort: all steps worked, or none did (MB-CARD-C07)."""

    name = "ended"

    def enter(self, game: Game, check: Any, /) -> StageResult[Any] | None:
        data, task_state = check.data, task_at(game.state, check.place, open_=True)
        if data.worked is not None or task_state is None:
            return None
        total_of = {throw.what: throw.total for throw in data.throws}
        totals = [total_of[step.letter] for step in data.steps]
        worked = tasks.has_reached_all(totals, [step.number for step in data.steps])
        lost = game.setting("csr_failed_last_ditch_with_clock") == "task_lost"
        after = tasks.last_ditch(task_state.task, success=worked, lost=lost)
        state = _with_task(game, check.place, task_state.replace(task=after)).state
        return StageResult(state, data.replace(worked=worked, after=after))


def describe_ditch(game: Game, check: Any) -> tuple[Block, ...]:
    """Describe the effort: every step with its dice, and the task after it."""
    data = check.data
    blocks: list[Block] = []
    if data.worked is not None:
        code = "mb-success" if data.worked else "mb-failure"
        tone = "good" if data.worked else "bad"
        blocks.append(Verdict(Text(code), tone, FOR_EVERYONE, worked=data.worked))
        blocks += _result_blocks(data.after, "ditch")
    blocks += approach_blocks(check)
    if data.refused:
        blocks.append(for_all("mb-task-refused", who=Ref(data.refused)))
    if data.unable:
        blocks.append(for_all("mb-task-unable", who=Ref(data.unable)))
    for step in data.steps:
        about = {"who": Ref(step.who), "what": step.what or None}
        label = Text("mb-task-step", {"letter": step.letter})
        numbered = Text("mb-task-does", {**about, "number": step.number})
        full = Fact(label, numbered, FOR_EVERYONE)
        if check.hidden:
            blocks += full_and_plain(full, value=Text("mb-task-does", about))
        else:
            blocks.append(full)
    return (*blocks, *training_notes(check), *dice_of(game, data))


_ROLL_STAGES: Final = AttemptAction(reads=_has_failed, hostile=False).stages(reading=False)
_STEP_STAGES: Final = (*_ROLL_STAGES, Problem(), TaskProgressStage(), BadLuckStage(check_deeds))
_LAST_DITCH_ROLL: Final = LastDitchRoll()
PROCEDURES: Final = (
    procedure(
        "step", _STEP_STAGES, data=StepAttempt, form=FORM, begin=_begin_step, describe=describe_step
    ),
    Procedure[Any](
        "ditch",
        (
            LastDitchConsent(),
            *dice_stages(_LAST_DITCH_ROLL),
            ResolutionWindow(_LAST_DITCH_ROLL, hostile=False),
            LastDitchStage(),
            BadLuckStage(),
        ),
        data=LastDitchEffort,
        form=DITCH_FORM,
        begin=_begin_last_ditch,
        describe=describe_ditch,
        cast=lambda check: tuple(dict.fromkeys([step.who for step in check.data.steps])),
        idle=idle,
        anybody=True,
    ),
)


# --- commands -------------------------------------------------------------------------------------

_CHANGES: Final = acts_by("ChangeTask", change_task, Flag("ends"))


#: Step that a button tries.
_LETTER: Final = Pick("letter", choices=plain_options(LETTERS))


def _open_task(game: Game) -> Task:
    """Return the open task. Raises Impossible("mb-task-none"), ("mb-card-task-closed")."""
    readable = [task_state.task for task_state in _readable_tasks(game).values()]
    if not readable:
        raise Impossible("mb-task-none")
    # An open task comes before one that has ended.
    readable.sort(key=lambda task: task.status != "open")
    tasks.require_open(readable[0])
    return readable[0]


def _try_step(game: Game, given: Values) -> CheckStart:
    """Begin a try at the next step, by default with the character's best skill.

    Raises as `_open_task` and `acting_character`, and Outdated("mb-task-moved") for a button of
    another step.
    """
    who, task = acting_character(game.state, game.actor, given.get("as")), _open_task(game)
    values = dict(given)
    letter = values.pop(_LETTER.key, task.letter)
    if letter != task.letter:
        raise Outdated("mb-task-moved", letter=letter)
    values[_BY.key] = values.get(_BY.key) or best_step_skill(game, who.id, task.next)
    start = check_starter("step")(game, values)
    # A button names no skill, so a panel shows the chosen one first.
    return start.replace(asks=_LETTER.key in given)


def _try_last_ditch(game: Game, given: Values) -> CheckStart:
    """Begin a last ditch effort. For a GM without `as`, the first named character leads it.

    Raises as `_open_task`, `_find_doer` and `acting_character`.
    """
    task = _open_task(game)
    doers: list[AnyCharacter] = []
    for key in _STEP_KEYS:
        doer, _ = _find_doer(game, given.get(key, ""), key)
        if doer is not None:
            doers.append(doer)
    openly = all(doer.stage == "revealed" for doer in doers)
    values = dict(given)
    if not values.get("as") and doers and is_gm(game.state, game.actor):
        values["as"] = doers[0].id
    elif not doers:
        who = acting_character(game.state, game.actor, values.get("as"))
        first = _KEY_OF[task.letter]
        values[first] = values.get(first) or best_step_skill(game, who.id, task.next)
    start = check_starter("ditch")(game, values)
    return start if openly else start.replace(openly=False)


def _show_tasks(game: Game, given: Values) -> CommandView:
    """Show the progress of each task. Raises Impossible("mb-task-none")."""
    by_place = _readable_tasks(game)
    if not by_place:
        raise Impossible("mb-task-none")
    gm = is_gm(game.state, game.actor)
    blocks: list[Block] = []
    for place, task_state in by_place.items():
        blocks += task_blocks(game, place, task_state, full=gm or task_state.shown)
    return CommandView(_title(next(iter(by_place.values()))), tuple(blocks))


_TASK: Final = (
    Typed("name", most=_MAX_NAME, needed=True),
    *[Typed(key, most=_MAX_STEP, needed=key == _STEP_KEYS[0]) for key in _STEP_KEYS],
    Number("rounds", low=1, high=_MAX_ROUNDS, offered=(3, 4, 6, 8)),
    Flag("shown"),
)
_BY: Final = Typed("skill", most=100, choices=_step_skills)
_HOW: Final = Typed("approach", most=1000)
COMMANDS: Final = (
    action_command("task start", "SetTask", start_task, *_TASK),
    command(
        "task try",
        _try_step,
        *(_BY, _HOW, AS_FIELD),
        pressed=Form((_LETTER,)),
        waits=pending_steps,
    ),
    command("task ditch", _try_last_ditch, *_WHO, _RANKS, _HOW, AS_FIELD),
    command("task show", _show_tasks),
    command("task clock", _CHANGES),
    command("task end", _CHANGES.replace(fixed={"ends": True})),
)
