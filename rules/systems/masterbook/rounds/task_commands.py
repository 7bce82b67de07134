"""Tasks in steps at the table: set by a GM, tried step by step or all at once, by a clock
(MB-CARD-C01 to -C08).
"""

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
from rules.table.checks.procedure import CheckOption, Procedure, Stage, StageResult, has_throws
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
from rules.table.state import AnyCharacter, TableState
from rules.table.system import Game, Tick, TickResult, is_npc

_PREFIX: Final = "task"
_NAME_MAX, _STEP_MAX, _ROUNDS_MAX, _DN_MOST, _RAISED_MOST = 80, 120, 100, 200, 20


class TaskState(Record):
    """The task of a place. Where rounds don't go by cards, `card` is the one whose box counts, of
    those `drawn`.

    With `shown` everybody knows its numbers.
    """

    task: Task = Task()
    name: str = ""
    shown: bool = False
    card: str = ""
    drawn: tuple[str, ...] = ()


#: The class of this part of a table's state.
PARTS: Final = {_PREFIX: TaskState}


def task_at(state: TableState, place: str, *, open_: bool = False) -> TaskState | None:
    """The task of a place, only one that is `open_` or any; None where there is none."""
    found: TaskState | None = state.own.get(f"{_PREFIX}:{place}")
    return None if found is None or (open_ and found.task.status != "open") else found


def _require(state: TableState, place: str) -> TaskState:
    """Impossible("mb-task-none")."""
    found = task_at(state, place)
    if found is None:
        raise Impossible("mb-task-none")
    return found


def _all(game: Game) -> dict[str, TaskState]:
    """Return the tasks by place, as far as the actor can view the places."""
    gm, found = is_gm(game.state, game.actor), dict[str, TaskState]()
    for key, each in game.state.own.items():
        prefix, _, place = key.partition(":")
        if prefix == _PREFIX and may_read(game.readable, place, theirs=False, gm=gm):
            found[place] = each
    return found


def _put(game: Game, place: str, now: TaskState | None) -> Game:
    return game.with_state(game.state.with_own(f"{_PREFIX}:{place}", now))


def box_in(game: Game, place: str, now: TaskState) -> tuple[Box | None, tuple[str, ...]]:
    """What the round's card allows: its box, and the letters in it."""
    read = card_here(game, place)
    if read is not None:
        return read.box, read.letters
    face = default_faces().get(now.card)
    return (None, ()) if face is None else (face.box, face.letters)


def _with_drawn_card(game: Game, place: str, now: TaskState) -> TaskState:
    """With a card for its box alone where rounds don't go by cards (MB-CARD-N01)."""
    if card_here(game, place) is not None or now.task.status != "open":
        return now
    left = [
        each.id for each in default_faces().values() if each.in_play and each.id not in now.drawn
    ]
    card = left[game.rng.public.below(len(left))]
    return now.replace(card=card, drawn=(*now.drawn, card) if len(left) > 1 else ())


# --- what a GM sets -------------------------------------------------------------------------------


#: What may be rolled for a step.
_NAMES: Final = (*SKILLS, *[each.capitalize() for each in ATTRIBUTES])


def read_step(text: str, field: str) -> TaskStep:
    """`Agility, Acrobatics 15`: what may be rolled, and the number.
    InvalidInput("mb-task-bad-step").
    """
    words, _, number = " ".join(text.split()).rpartition(" ")
    if not number.isdecimal() or not number.isascii() or int(number) > _DN_MOST or not words:
        raise InvalidInput("mb-task-bad-step", field=field, value=text[:100])
    skills: list[str] = []
    for each in words.split(","):
        found = matches(_NAMES, each, str)
        if len(found) != 1:
            raise InvalidInput("mb-task-bad-step", field=field, value=each.strip()[:100])
        skills.append(found[0])
    return TaskStep(tuple(dict.fromkeys(skills)), int(number))


def start_task(game: Game, action: Any) -> Outcome:
    """A task begins in the rounds of this place (MB-CARD-C01).

    NotPermitted; Impossible("mb-card-off", "mb-task-no-rounds", "mb-task-here"),
    InvalidInput("mb-task-bad-step").
    """
    refuse(off=not game.setting("critical_skill_resolution"))
    encounter = encounter_in(game.state, action.place)
    if encounter is None or not encounter.round:
        raise Impossible("mb-task-no-rounds")
    if task_at(game.state, action.place, open_=True) is not None:
        raise Impossible("mb-task-here")
    said = [(key, getattr(action, key)) for key in _STEP_KEYS]
    steps = tuple([read_step(text, key) for key, text in said if text.strip()])
    title = " ".join(action.name.split())[:_NAME_MAX]
    if not title:
        raise InvalidInput("empty", field="name", value="", allowed="name")
    now = TaskState(Task(steps, action.rounds), title, action.shown)
    now = _with_drawn_card(game, action.place, now)
    open_, full = [task_blocks(game, action.place, now, full=each) for each in (now.shown, True)]
    public = Reported(title=_title(now), blocks=open_, by=action.who.id)
    public = _with_try_button(game, action.place, now, public)
    secret = Reported(audience=GMS, title=_title(now), blocks=full, by=action.who.id)
    told = (public,) if now.shown else (public, secret)
    return Outcome(_put(game, action.place, now).state, told)


def change_task(game: Game, action: Any) -> Outcome:
    """The clock stops as the story does, or nobody tries any more (MB-CARD-C07, MB-CARD-C08).
    NotPermitted.
    """
    now = _require(game.state, action.place)
    tasks.require_open(now.task)
    if action.ends:
        return report_outcome(
            _put(game, action.place, None), _title(now), for_all("mb-task-dropped")
        )
    game = _put(game, action.place, now.replace(task=now.task.replace(limit=None)))
    return report_outcome(game, _title(now), for_all("mb-task-clock-stopped"))


def _title(now: TaskState) -> Text:
    return Text("mb-task-title", {"name": now.name or None})


def task_blocks(game: Game, place: str, now: TaskState, *, full: bool) -> tuple[Block, ...]:
    """How far a task has come, and what the round's card allows; `full` with its numbers."""
    found: list[Block] = [Verdict(Text("mb-task-state", _state(now.task)), "neutral", FOR_EVERYONE)]
    for at, each in enumerate(now.task.steps):
        said = {"skills": each.skills, "barred": each.barred, "done": at < now.task.level}
        rolls = Text(
            "mb-task-rolls", {**said, "number": each.dn + now.task.harder if full else None}
        )
        found.append(Fact(Text("mb-task-step", {"letter": LETTERS[at]}), rolls, FOR_EVERYONE))
    if now.task.status == "open":
        found.append(Note(box_line(game, place, now), FOR_EVERYONE))
    return tuple(found)


def _is_open_to_try(game: Game, place: str, now: TaskState) -> bool:
    """Return whether the next step may be tried in this round (MB-CARD-C02)."""
    box, letters = box_in(game, place, now)
    limit = game.setting("csr_steps_per_round")
    return (
        now.task.status == "open" and now.task.done < limit and tasks.shows(now.task, box, letters)
    )


def _try_label(now: TaskState) -> Text:
    return Text("mb-task-try", {"letter": now.task.letter})


def _with_try_button(game: Game, place: str, now: TaskState, report: Reported) -> Reported:
    """Return the report, with a button for the next step if the card allows it."""
    if not _is_open_to_try(game, place, now):
        return report
    values = {_LETTER.key: now.task.letter}
    return report.replace(button=_try_label(now), command="task try", values=values)


def round_start_events(game: Game, place: str) -> tuple[Event, ...]:
    """Return the report of a place's task as a round begins, with a button for the next step."""
    now = task_at(game.state, place, open_=True)
    if now is None:
        return ()
    blocks = (
        for_all("mb-task-round", **_state(now.task)),
        Note(box_line(game, place, now), FOR_EVERYONE),
    )
    report = Reported(title=_title(now), blocks=blocks, by=game.actor.id)
    return (_with_try_button(game, place, now, report),)


def pending_steps(game: Game) -> Iterator[PendingButton]:
    """Yield the steps that a player's own characters can try now, for `/moves`."""
    for place, now in _all(game).items():
        encounter = encounter_in(game.state, place)
        if encounter is None or not _is_open_to_try(game, place, now):
            continue
        there = [each.character for each in encounter.order]
        able = [
            each
            for each in playable_characters(game.state, game.actor)
            if each.id in there and each.owner == game.actor.id
            if not (game.sheet(each.id).harm.out or has_done_all(game, each.id))
        ]
        if able:
            what = Text("check-whose", {"who": _title(now), "what": box_line(game, place, now)})
            yield PendingButton(what, _try_label(now), {_LETTER.key: now.task.letter})


def task_announcement(game: Game, place: str) -> Text | None:
    """What the round's card does for the task of a place; None where none is under way."""
    now = task_at(game.state, place, open_=True)
    return None if now is None else box_line(game, place, now)


def _state(task: Task) -> dict[str, Any]:
    far = {"status": task.status, "level": task.level, "steps": len(task.steps)}
    return {**far, "left": task.left, "harder": task.harder or None}


def box_line(game: Game, place: str, now: TaskState) -> Text:
    """What the round's card does for the next step."""
    box, letters = box_in(game, place, now)
    about = {"box": box, "letters": letters, "step": now.task.letter}
    return Text("mb-task-box", {**about, "open": tasks.shows(now.task, box, letters)})


def apply_task_tick(game: Game, passing: Tick) -> TickResult:
    """A round is over, and the clock goes on; with the rounds the task ends (MB-CARD-C02,
    MB-CARD-C08).
    """
    now = task_at(game.state, passing.place)
    if now is None or passing.kind not in ("round-end", "round-start", "encounter-end"):
        return TickResult(game)
    if passing.kind == "encounter-end":
        return TickResult(_put(game, passing.place, None))
    if passing.kind == "round-start":
        return TickResult(_put(game, passing.place, _with_drawn_card(game, passing.place, now)))
    box, _ = box_in(game, passing.place, now)
    people = [each.character or "" for each in require_encounter(game.state, passing.place).order]
    able = any(not is_npc(game, each) and not game.sheet(each).harm.out for each in people if each)
    after = now.replace(task=tasks.end_task_round(now.task, box, able=able))
    game = _put(game, passing.place, after)
    if now.task.status != "open" or after.task.status == "open":
        # A task that goes on is reported as the next round begins.
        return TickResult(game)
    note = for_all("mb-task-round", **_state(after.task))
    return TickResult(game, events=report_outcome(game, _title(now), note).events)


# --- one step -------------------------------------------------------------------------------------


class StepAttempt(Attempt):
    """A try at one step, with the card's box; `raised` is what a GM adds to the steps left after
    it.

    `after` is how the task stands then.
    """

    letter: str = ""
    box: Box | None = None
    raised: int | None = None
    after: Task | None = None


def _usable(step: TaskStep) -> tuple[str, ...]:
    """What may be rolled; with something barred, anything else that fits (MB-CARD-C06)."""
    return step.left or tuple([each for each in _NAMES if each not in step.barred])


def plan_of(name: str) -> Plan:
    """A skill or an Attribute that is rolled."""
    key = name.casefold()
    return Plan(attribute=key) if key in ATTRIBUTES else Plan(skill=name)


def best_step_skill(game: Game, who: str, step: TaskStep) -> str:
    """The listed skill or Attribute that somebody is best at.
    Impossible("mb-card-skill-barred").
    """
    if not step.left:
        raise Impossible("mb-card-skill-barred", skill=step.barred[-1], allowed=())
    return best_of(game, who, step.left)


def best_of(game: Game, who: str, names: Iterable[str]) -> str:
    """Return the name among *names*, not empty, that a character is best at."""
    sheet = game.sheet(who)
    return max(names, key=lambda name: means_of(game, who, plan_of(name)).value(sheet))


def _skills(asking: FormContext) -> tuple[Option, ...]:
    """What may be rolled for the next step of the task of that place, or of the only one."""
    place = "" if asking.check is None else asking.check.place
    tasks_ = {} if asking.game is None else _all(asking.game)
    found = [each for at, each in tasks_.items() if place in ("", at)]
    open_ = len(found) == 1 and found[0].task.status == "open"
    return plain_options(_usable(found[0].task.next)) if open_ else ()


def _find_skill(asking: FormContext, text: str) -> str:
    """A skill or an Attribute by its name. NotFound as `find_source`."""
    found = matches(ATTRIBUTES, text, str)
    exact = [each for each in _NAMES if each.casefold() == text.strip().casefold()]
    if exact or len(found) == 1:
        return exact[0] if exact else found[0].capitalize()
    who = (asking.check.actor if asking.check is not None else "") or asking.who
    return find_source(asking.game.sheet(who) if who else MasterbookSheet(), text).name


_SKILL: Final = Pick("skill", choices=_skills, find=_find_skill)
FORM: Final = Form((_SKILL, APPROACH_FIELD, MODIFIER_FIELD))


def _steps(game: Game, check: Check[Any], values: Values) -> Any:
    """A try at the next step: the GM has named the number when the task was set, so nobody is
    asked.

    Raises as `tasks.require_step`, `require_awake`, `_step_skill` and `with_forced_roll`.
    """
    now = _require(game.state, check.place)
    box, letters = box_in(game, check.place, now)
    tasks.require_step(now.task, box, letters, per_round=game.setting("csr_steps_per_round"))
    require_awake(game, check.actor)
    name = _step_skill(game, check.actor, now.task.next, values.get("skill", ""), "skill")
    plan = plan_of(name).replace(modifier=values.get("modifier", 0))
    found = check.replace(data=check.data.replace(letter=now.task.letter, box=box))
    found = with_forced_roll(game, found, plan, now.task.number, values)
    return found.replace(hidden=not now.shown, reveal=game.state.settings.reveal)


def _listed_name(name: str) -> str:
    """As steps list it: without a specialization or a focus."""
    return name if name in SKILLS else name.partition(" (")[0].partition(":")[0]


def _step_skill(game: Game, who: str, step: TaskStep, name: str, field: str) -> str:
    """What somebody rolls for a step; what they are best at where they don't say.

    Impossible("mb-card-skill-barred"); InvalidInput("mb-task-skill") for what is not listed where
    nothing is barred.
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
    """Of a step nobody asks how well it was done: more only helps where it failed."""
    result = check.data.result
    return result is not None and not result.success


_RAISE: Final = Form(
    (
        Number(
            "raised",
            title=Text("mb-task-raised"),
            help=Text("mb-task-raised-help"),
            low=0,
            high=_RAISED_MOST,
            offered=(1, 2),
            needed=True,
        ),
    )
)


#: By how much a GM may still raise the steps that are left.
_LATE_RAISES: Final = (1, 2, 3, 5)


class Problem(LateRuling):
    """After a critical problem the GM may set new numbers for the steps that are left
    (MB-CARD-C06).
    """

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
        """Return by how much the GM may raise the steps that are left, until one is tried."""
        now = task_at(game.state, check.place, open_=True)
        if now is None or not self._may_raise(check) or now.task != check.data.after:
            return ()
        return tuple(
            CheckOption(f"{by}", Text("mb-task-raise-late", {"by": by})) for by in _LATE_RAISES
        )

    def rule_late(self, game: Game, check: Check[Any], option: str) -> StageResult[StepAttempt]:
        raised = int(option)
        now = task_at(game.state, check.place, open_=True)
        if now is None:
            return StageResult(game.state, check.data)
        after = tasks.with_raised_steps(now.task, raised)
        state = _put(game, check.place, now.replace(task=after)).state
        return StageResult(state, check.data.replace(raised=raised, after=after))

    def options(
        self, game: Game, check: Check[Any], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        return (CheckOption("raise", Text("mb-task-raise"), _RAISE),)

    def choose(self, game: Game, check: Check[Any], choice: Choice, /) -> StageResult[StepAttempt]:
        return StageResult(game.state, check.data.replace(raised=choice.values["raised"]))


class TaskProgressStage(Stage[StepAttempt]):
    """The task goes on, or falls back (MB-CARD-C02 to MB-CARD-C06)."""

    name = "counted"

    def enter(self, game: Game, check: Check[Any], /) -> StageResult[StepAttempt] | None:
        data, result, now = (
            check.data,
            check.data.result,
            task_at(game.state, check.place, open_=True),
        )
        if data.after is not None or result is None or now is None:
            return None
        after = now.task
        if after.letter == data.letter:  # nobody else has done that step meanwhile, or lost it
            name = _listed_name(data.request.skill or data.request.attribute.capitalize())
            after = tasks.with_step_tried(
                after, data.box, skill=name, success=result.success, raised=data.raised or 0
            )
        return StageResult(
            _put(game, check.place, now.replace(task=after)).state, data.replace(after=after)
        )


def describe_step(game: Game, check: Check[Any]) -> tuple[Block, ...]:
    """A check's blocks, and what came of the task."""
    found, data = describe(game, check), check.data
    step = Fact(
        Text("mb-task-step", {"letter": data.letter}),
        Text("mb-task-box-of", {"box": data.box}),
        FOR_EVERYONE,
    )
    return with_blocks_below(found, step, *_after(data.after, data.box))


def _after(task: Task | None, box: str | None) -> list[Block]:
    """How the task stands after a try, once that is known."""
    return [] if task is None else [for_all("mb-task-after", **_state(task), box=box)]


# --- all that is left at once ---------------------------------------------------------------------


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
    how: Rating = Rating(0)


class LastDitchEffort(Attempt):
    """Every step that is left, tried at once (MB-CARD-C07)."""

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
        return tuple([each for each in self.steps if each.who == who])


_STEP_KEYS: Final = tuple([f"step_{letter.casefold()}" for letter in LETTERS])
_KEY_OF: Final[dict[str, str]] = dict(zip(LETTERS, _STEP_KEYS, strict=True))


def _step_offers(letter: str, asking: FormContext) -> tuple[Option, ...]:
    """Return the characters and skills that completion offers for a step."""
    game = asking.game
    found = [] if game is None else list(_all(game).values())
    if game is None or len(found) != 1 or found[0].task.status != "open":
        return ()
    task, at = found[0].task, [*_KEY_OF].index(letter)
    if not task.level <= at < len(task.steps):
        return ()
    skills = _usable(task.steps[at])
    # A step without a name is the asking user's own.
    mine = asking.who or game.state.person(game.actor.id).active
    names = [
        known_name(game.state, game.actor, each)
        for each in known_characters(game.state, game.actor)
        if each.id != mine and (each.owner is not None or owns(game.state, game.actor, each))
    ]
    return plain_options([*skills, *[f"{name}: {each}" for name in names for each in skills]])


_WHO: Final = tuple(
    [
        Typed(
            key, most=_STEP_MAX, choices=lambda asking, letter=letter: _step_offers(letter, asking)
        )
        for letter, key in _KEY_OF.items()
    ]
)
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

    Impossible("mb-task-none", "mb-card-task-closed"), and as `_find_doer`, `_require_able` and
    `_step_skill`.
    """
    now = _require(game.state, check.place)
    tasks.require_open(now.task)
    left, numbers = now.task.steps[now.task.level :], tasks.numbers(now.task)
    letters = LETTERS[now.task.level : len(now.task.steps)]
    doers: list[tuple[str, str]] = []
    for letter, step in zip(letters, left, strict=True):
        field = _KEY_OF[letter]
        named, name = _find_doer(game, values.get(field, ""), field)
        who = check.actor if named is None else named.id
        _require_able(game, who)
        if _is_own(game, who):
            name = _step_skill(game, who, step, name, field)
        elif name:
            name = _find_listed_skill(name)
            _require_listed(step, name, field)
        doers.append((who, name))
    losses = tasks.last_ditch_penalties(
        [each for each, _ in doers], read_ranks(values.get("ranks", ""), len(left))
    )
    steps = [
        LastDitchStep(letter, who, name, number, loss)
        for letter, (who, name), number, loss in zip(letters, doers, numbers, losses, strict=True)
    ]
    own = tuple(dict.fromkeys([who for who, _ in doers if _is_own(game, who)]))
    data = LastDitchEffort(
        answer=ROLL,
        steps=tuple(steps),
        task=now.task,
        joined=own,
        request=Plan(skill=doers[0][1]),
    )
    for who in own:
        data = _with_ratings(game, data, who)
    return check.replace(
        data=data,
        approach=values.get(APPROACH_FIELD.key, "").strip(),
        hidden=not now.shown,
        reveal=game.state.settings.reveal,
    )


def _require_able(game: Game, who: str) -> None:
    """Refuse a character who has no action left in this round (MB-CARD-C07, MB-ACT-01).

    Impossible("mb-no-action-left"), and as `require_awake`.
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
    found = matches(_NAMES, text, str)
    return found[0] if len(found) == 1 else text


def _with_ratings(game: Game, data: LastDitchEffort, who: str) -> LastDitchEffort:
    """Return the effort with a character's ratings by the present sheet. Raises as `rated_by`.

    The effort is an action of each character who does a step, also out of turn (MB-ACT-01).
    """
    steps: list[LastDitchStep] = []
    for step in data.steps:
        if step.who != who:
            steps.append(step)
            continue
        how = rated_by(game, who, plan_of(step.what), acting=True)
        loss = nonzero_causes(("multi_action", step.loss))
        steps.append(step.replace(how=how.with_causes(*loss)))
    return data.replace(steps=tuple(steps))


class LastDitchConsent(Stage[LastDitchEffort]):
    """Agreement of the players whose characters do a step, and their skills (MB-CARD-C07)."""

    name = "agreed"

    def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
        data = check.data
        who = dict.fromkeys([each.who for each in data.steps if each.who not in data.joined])
        if not who or data.refused:
            return ()
        return (Prompt("ditch", tuple(who), "answer", "decline", button="mb-task-ditch"),)

    def options(
        self, game: Game, check: Check[Any], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        task, fields, values = check.data.task, list[Pick](), dict[str, Any]()
        for each in check.data.steps_of(who):
            step = task.steps[[*_KEY_OF].index(each.letter)]
            key = _KEY_OF[each.letter]
            choices = _rollable_skills(game, who, step)
            title = Text("mb-task-step", {"letter": each.letter})
            fields.append(Pick(key, choices=choices, title=title, needed=True))
            offered = [option.value for option in choices]
            if each.what in offered:
                values[key] = each.what
            elif offered:
                values[key] = best_of(game, who, offered)
        join = CheckOption("join", Text("mb-task-join"), Form(tuple(fields)), values=values)
        return join, CheckOption("decline", Text("mb-task-decline"))

    def choose(self, game: Game, check: Check[Any], choice: Choice, /) -> StageResult[Any]:
        data, who = check.data, choice.who
        if choice.option == "decline":
            return StageResult(game.state, data.replace(refused=who), OVER)
        now = task_at(game.state, check.place, open_=True)
        if now is None or not now.task.is_like(data.task):
            raise Outdated("mb-task-moved", letter=None)
        for each in dict.fromkeys([step.who for step in data.steps]):
            if not _is_able(game, each):
                return StageResult(game.state, data.replace(unable=each), OVER)
        steps = [
            each.replace(what=choice.values[_KEY_OF[each.letter]]) if each.who == who else each
            for each in data.steps
        ]
        data = data.replace(steps=tuple(steps), joined=(*data.joined, who))
        return StageResult(game.state, _with_ratings(game, data, who))


def _rollable_skills(game: Game, who: str, step: TaskStep) -> tuple[Option, ...]:
    """Return the skills that a character can roll for a step, with their values."""
    found: list[Option] = []
    for name in _usable(step):
        try:
            rating = rated_by(game, who, plan_of(name))
        except Impossible:
            continue
        found.append(Option(name, Text("mb-skill", {"name": name, "value": rating.value})))
    return tuple(found)


def _moments(game: Game, check: Any, *letters: str) -> tuple[Moment, ...]:
    """The totals of these steps, as cards see them."""
    return tuple(
        means_of(game, each.who, plan_of(each.what)).of(
            Moment("roll_pending", each.who, each.who, "total", each.letter)
        )
        for each in check.data.steps
        if each.letter in letters
    )


class LastDitchRoll(RolledAction):
    """The dice of every step that is left."""

    def refresh_from_sheets(self, game: Game, check: Any, data: Any) -> Any:
        for who in dict.fromkeys([each.who for each in data.steps if not each.how.barred]):
            data = _with_ratings(game, data, who)
        return data

    def throws_due(self, game: Game, check: Any) -> tuple[Throw, ...]:
        there = {each.what for each in check.data.throws}
        steps = [each for each in check.data.steps if each.letter not in there]
        return tuple([throw_for(game, check, each.who, each.letter, each.how) for each in steps])

    def untrained_moments(self, game: Game, check: Any) -> Moments:
        barred = [each.letter for each in check.data.steps if each.how.barred]
        return tuple([each.replace(window="pre_roll") for each in _moments(game, check, *barred)])

    def open_dice_moments(self, game: Game, check: Any) -> Moments:
        return _moments(game, check, *[each.what for each in check.data.throws])

    def resolution_moments(self, game: Game, check: Any) -> Moments:
        """What each step comes to: whoever did some may begin those once more (MB-CARD-E15)."""
        who = dict.fromkeys([each.who for each in check.data.throws])
        return tuple([Moment("after_resolution", each, each) for each in who])

    def use_up_effects(self, game: Game, check: Any) -> Game:
        for who in dict.fromkeys([each.who for each in check.data.steps]):
            game = use_up_marks(game, who)
            game = spend_action(game, who)
        return game


class LastDitchStage(Stage[Any]):
    """All of it worked, or nothing did (MB-CARD-C07)."""

    name = "ended"

    def enter(self, game: Game, check: Any, /) -> StageResult[Any] | None:
        data, now = check.data, task_at(game.state, check.place, open_=True)
        if data.worked is not None or now is None:
            return None
        totals = {each.what: each.total for each in data.throws}
        numbers = [each.number for each in data.steps]
        worked = tasks.has_reached_all([totals[each.letter] for each in data.steps], numbers)
        lost = game.setting("csr_failed_last_ditch_with_clock") == "task_lost"
        after = tasks.last_ditch(now.task, success=worked, lost=lost)
        state = _put(game, check.place, now.replace(task=after)).state
        return StageResult(state, data.replace(worked=worked, after=after))


def describe_ditch(game: Game, check: Any) -> tuple[Block, ...]:
    """Every step with its dice, and what came of the task."""
    data, found = check.data, list[Block]()
    if data.worked is not None:
        code = "mb-success" if data.worked else "mb-failure"
        found.append(
            Verdict(Text(code), "good" if data.worked else "bad", FOR_EVERYONE, worked=data.worked)
        )
        found += _after(data.after, "ditch")
    found += approach_blocks(check)
    if data.refused:
        found.append(for_all("mb-task-refused", who=Ref(data.refused)))
    if data.unable:
        found.append(for_all("mb-task-unable", who=Ref(data.unable)))
    for each in data.steps:
        said = {"who": Ref(each.who), "what": each.what or None}
        what = Text("mb-task-step", {"letter": each.letter})
        full = Fact(what, Text("mb-task-does", {**said, "number": each.number}), FOR_EVERYONE)
        found += full_and_plain(full, value=Text("mb-task-does", said)) if check.hidden else [full]
    return (*found, *training_notes(check), *dice_of(game, data))


_ROLL_STAGES: Final = AttemptAction(reads=_has_failed, hostile=False).stages(reading=False)
_STEP_STAGES: Final = (*_ROLL_STAGES, Problem(), TaskProgressStage(), BadLuckStage(check_deeds))
_LAST_DITCH_ROLL: Final = LastDitchRoll()
PROCEDURES: Final = (
    procedure(
        "step", _STEP_STAGES, data=StepAttempt, form=FORM, begin=_steps, describe=describe_step
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
        fallen=has_throws,
        form=DITCH_FORM,
        begin=_begin_last_ditch,
        describe=describe_ditch,
        cast=lambda check: tuple(dict.fromkeys([each.who for each in check.data.steps])),
        idle=idle,
        anybody=True,
    ),
)


# --- commands -------------------------------------------------------------------------------------

_CHANGES: Final = acts_by("ChangeTask", change_task, Flag("ends"))


#: Step that a button tries.
_LETTER: Final = Pick("letter", choices=plain_options(LETTERS))


def _open_task(game: Game) -> Task:
    """Return the open task. Raises Impossible("mb-task-none", "mb-card-task-closed")."""
    found = sorted(
        [each.task for each in _all(game).values()], key=lambda each: each.status != "open"
    )
    if not found:
        raise Impossible("mb-task-none")
    tasks.require_open(found[0])
    return found[0]


def _try_step(game: Game, given: Values) -> CheckStart:
    """Begin a try at the next step, by default with the character's best skill.

    Raises as `_open_task` and `acting_character`, and Outdated("mb-task-moved") for a button of
    another step.
    """
    who, task = acting_character(game.state, game.actor, given.get("as")), _open_task(game)
    said = dict(given)
    letter = said.pop(_LETTER.key, task.letter)
    if letter != task.letter:
        raise Outdated("mb-task-moved", letter=letter)
    said[_BY.key] = said.get(_BY.key) or best_step_skill(game, who.id, task.next)
    found = check_starter("step")(game, said)
    # A button names no skill, so a panel shows the chosen one first.
    return found.replace(asks=_LETTER.key in given)


def _try_last_ditch(game: Game, given: Values) -> CheckStart:
    """Begin a last ditch effort. For a GM without `as`, the first named character leads it.

    Raises as `_open_task`, `_find_doer` and `acting_character`.
    """
    task = _open_task(game)
    named = [_find_doer(game, given.get(key, ""), key)[0] for key in _STEP_KEYS]
    doers = [each for each in named if each is not None]
    openly = all(each.stage == "revealed" for each in doers)
    said = dict(given)
    if not said.get("as") and doers and is_gm(game.state, game.actor):
        said["as"] = doers[0].id
    elif not doers:
        who = acting_character(game.state, game.actor, said.get("as"))
        first = _KEY_OF[task.letter]
        said[first] = said.get(first) or best_step_skill(game, who.id, task.next)
    found = check_starter("ditch")(game, said)
    return found if openly else found.replace(openly=False)


def _show_tasks(game: Game, given: Values) -> CommandView:
    """How each task stands. Impossible("mb-task-none")."""
    found, gm, blocks = _all(game), is_gm(game.state, game.actor), list[Block]()
    if not found:
        raise Impossible("mb-task-none")
    for place, each in found.items():
        blocks += task_blocks(game, place, each, full=gm or each.shown)
    return CommandView(_title(next(iter(found.values()))), tuple(blocks))


_TASK: Final = (
    Typed("name", most=_NAME_MAX, needed=True),
    *[Typed(key, most=_STEP_MAX, needed=key == _STEP_KEYS[0]) for key in _STEP_KEYS],
    Number("rounds", low=1, high=_ROUNDS_MAX, offered=(3, 4, 6, 8)),
    Flag("shown"),
)
_BY: Final = Typed("skill", most=100, choices=_skills)
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
