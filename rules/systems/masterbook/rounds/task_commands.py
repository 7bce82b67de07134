"""`/mb task`: tasks that the GM sets, and players try (MB-CARD-C01 to MB-CARD-C08)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rules.core.errors import Impossible, InvalidInput, Outdated
from rules.core.name_matching import matches
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.checks.action_economy import (
    has_done_all,
)
from rules.systems.masterbook.deck import skill_resolution as tasks
from rules.systems.masterbook.deck.deal import refuse
from rules.systems.masterbook.deck.skill_resolution import Task, TaskStep
from rules.systems.masterbook.deck.table_deck import for_all
from rules.systems.masterbook.rounds.last_ditch import (
    DITCH_PROCEDURE,
    DOER_FIELDS,
    MAX_STEP_TEXT,
    RANKS_FIELD,
    STEP_KEY_OF,
    STEP_KEYS,
    find_doer,
)
from rules.systems.masterbook.rounds.task_state import (
    LETTER_FIELD,
    ROLLABLE_NAMES,
    TaskState,
    box_line,
    is_open_to_try,
    readable_tasks,
    require_task,
    task_at,
    task_blocks,
    task_title,
    try_label,
    with_drawn_card,
    with_task,
    with_try_button,
)
from rules.systems.masterbook.rounds.task_steps import (
    STEP_PROCEDURE,
    best_step_skill,
    step_skills,
)
from rules.table.actions import Action
from rules.table.blocks import GMS, Block, Text
from rules.table.check import Values
from rules.table.commands import (
    AS_FIELD,
    CheckStart,
    CommandAction,
    CommandView,
    PendingButton,
    check_starter,
)
from rules.table.deeds import Deed
from rules.table.events import Reported
from rules.table.forms.fields import Flag, Number, Typed
from rules.table.forms.form import Form
from rules.table.initiative import encounter_in
from rules.table.lookup import (
    acting_character,
    playable_characters,
)
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, require_gm
from rules.table.reports import report_outcome
from rules.table.state import AnyCharacter, AnyEncounter
from rules.table.system import Game

_MAX_NAME, _MAX_ROUNDS, _MAX_DN = 80, 100, 200


# --- setting a task -------------------------------------------------------------------------------


def read_step(text: str, field: str) -> TaskStep:
    """Return the step that a text such as `Agility, Acrobatics 15` describes.

    Raises InvalidInput("mb-task-bad-step").
    """
    words, _, number = " ".join(text.split()).rpartition(" ")
    if not number.isdecimal() or not number.isascii() or int(number) > _MAX_DN or not words:
        raise InvalidInput("mb-task-bad-step", field=field, value=text[:100])
    skills: list[str] = []
    for word in words.split(","):
        names = matches(ROLLABLE_NAMES, word, str)
        if len(names) != 1:
            raise InvalidInput("mb-task-bad-step", field=field, value=word.strip()[:100])
        skills.append(names[0])
    return TaskStep(tuple(dict.fromkeys(skills)), int(number))


class SetTask(Action, kw_only=True):
    """Start a task in the rounds of this place, for a GM."""

    name: str
    #: Steps as they are typed, such as `Agility, Acrobatics 15`.
    step_a: str
    step_b: str = ""
    step_c: str = ""
    step_d: str = ""
    #: Limit of time.
    rounds: int | None = None
    #: Whether players see all steps.
    shown: bool = False


def start_task(game: Game, action: SetTask) -> Outcome:
    """Start a task in the rounds of this place (MB-CARD-C01).

    Raises NotPermitted("gm-only"), Impossible("mb-card-off"), ("mb-task-no-rounds"),
    ("mb-task-here"), and InvalidInput("mb-task-bad-step").
    """
    require_gm(game.state, action.who)
    refuse(off=not game.setting("critical_skill_resolution"))
    encounter = encounter_in(game.state, action.place)
    if encounter is None or not encounter.round:
        raise Impossible("mb-task-no-rounds")
    if task_at(game.state, action.place, open_=True) is not None:
        raise Impossible("mb-task-here")
    steps: list[TaskStep] = []
    texts = (action.step_a, action.step_b, action.step_c, action.step_d)
    for key, text in zip(STEP_KEYS, texts, strict=True):
        if text.strip():
            steps.append(read_step(text, key))
    name = " ".join(action.name.split())[:_MAX_NAME]
    if not name:
        raise InvalidInput("empty", field="name", value="", allowed="name")
    task_state = TaskState(Task(tuple(steps), action.rounds), name, action.shown)
    task_state = with_drawn_card(game, action.place, task_state)
    title = task_title(task_state)
    public_blocks = task_blocks(game, action.place, task_state, full=task_state.shown)
    public = Reported(title=title, blocks=public_blocks, by=action.who.id)
    public = with_try_button(game, action.place, task_state, public)
    reports: tuple[Reported, ...] = (public,)
    if not task_state.shown:
        full_blocks = task_blocks(game, action.place, task_state, full=True)
        secret = Reported(audience=GMS, title=title, blocks=full_blocks, by=action.who.id)
        reports = (public, secret)
    return Outcome(with_task(game, action.place, task_state).state, reports)


class ChangeTask(Action, kw_only=True):
    """Stop the clock of a task or end it, for a GM."""

    ends: bool = False


def change_task(game: Game, action: ChangeTask) -> Outcome:
    """Stop the clock of a task, or with `ends` drop the task (MB-CARD-C07, MB-CARD-C08).

    Raises NotPermitted("gm-only"), and as `require_task` and `require_open`.
    """
    require_gm(game.state, action.who)
    task_state = require_task(game.state, action.place)
    tasks.require_open(task_state.task)
    if action.ends:
        game = with_task(game, action.place, None)
        return report_outcome(game, task_title(task_state), for_all("mb-task-dropped"))
    without_clock = task_state.replace(task=task_state.task.replace(limit=None))
    game = with_task(game, action.place, without_clock)
    return report_outcome(game, task_title(task_state), for_all("mb-task-clock-stopped"))


def pending_steps(game: Game) -> Iterator[PendingButton]:
    """Yield the steps that a player's own characters can try now, for `/moves`."""
    for place, task_state in readable_tasks(game).items():
        encounter = encounter_in(game.state, place)
        if encounter is None or not is_open_to_try(game, place, task_state):
            continue
        characters = playable_characters(game.state, game.actor)
        if any(_can_try(game, encounter, character) for character in characters):
            box = box_line(game, place, task_state)
            what = Text("check-whose", {"who": task_title(task_state), "what": box})
            letter = task_state.task.letter
            yield PendingButton(what, try_label(task_state), {LETTER_FIELD.key: letter})


def _can_try(game: Game, encounter: AnyEncounter, character: AnyCharacter) -> bool:
    """Return whether a character of the actor's own is in these rounds and can still act."""
    if character.owner != game.actor.id:
        return False
    if all(slot.character != character.id for slot in encounter.order):
        return False
    return not (game.sheet(character.id).harm.out or has_done_all(game, character.id))


PROCEDURES: Final = (STEP_PROCEDURE, DITCH_PROCEDURE)


# --- commands -------------------------------------------------------------------------------------

_CHANGE_TASK: Final = Deed("task end", ChangeTask, change_task, (Flag("ends"),))


def _end_task(game: Game, given: Values) -> CommandAction:
    return _CHANGE_TASK.run(game, {"ends": True})


def _open_task(game: Game) -> Task:
    """Return the open task. Raises Impossible("mb-task-none"), ("mb-card-task-closed")."""
    readable = [task_state.task for task_state in readable_tasks(game).values()]
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
    letter = values.pop(LETTER_FIELD.key, task.letter)
    if letter != task.letter:
        raise Outdated("mb-task-moved", letter=letter)
    values[_BY.key] = values.get(_BY.key) or best_step_skill(game, who.id, task.next)
    start = check_starter("step")(game, values)
    # A button names no skill, so a panel shows the chosen one first.
    return start.replace(asks=LETTER_FIELD.key in given)


def _try_last_ditch(game: Game, given: Values) -> CheckStart:
    """Begin a last ditch effort. For a GM without `as`, the first named character leads it.

    Raises as `_open_task`, `find_doer` and `acting_character`.
    """
    task = _open_task(game)
    doers: list[AnyCharacter] = []
    for key in STEP_KEYS:
        doer, _ = find_doer(game, given.get(key, ""), key)
        if doer is not None:
            doers.append(doer)
    openly = all(doer.stage == "revealed" for doer in doers)
    values = dict(given)
    if not values.get("as") and doers and is_gm(game.state, game.actor):
        values["as"] = doers[0].id
    elif not doers:
        who = acting_character(game.state, game.actor, values.get("as"))
        first = STEP_KEY_OF[task.letter]
        values[first] = values.get(first) or best_step_skill(game, who.id, task.next)
    start = check_starter("ditch")(game, values)
    return start if openly else start.replace(openly=False)


def _show_tasks(game: Game, given: Values) -> CommandView:
    """Show the progress of each task. Raises Impossible("mb-task-none")."""
    by_place = readable_tasks(game)
    if not by_place:
        raise Impossible("mb-task-none")
    gm = is_gm(game.state, game.actor)
    blocks: list[Block] = []
    for place, task_state in by_place.items():
        blocks += task_blocks(game, place, task_state, full=gm or task_state.shown)
    return CommandView(task_title(next(iter(by_place.values()))), tuple(blocks))


_SET_TASK: Final = Deed(
    "task start",
    SetTask,
    start_task,
    (
        Typed("name", most=_MAX_NAME, needed=True),
        *[Typed(key, most=MAX_STEP_TEXT, needed=key == STEP_KEYS[0]) for key in STEP_KEYS],
        Number("rounds", low=1, high=_MAX_ROUNDS, offered=(3, 4, 6, 8)),
        Flag("shown"),
    ),
)
_BY: Final = Typed("skill", most=100, choices=step_skills)
_HOW: Final = Typed("approach", most=1000)
DEEDS: Final = (_SET_TASK, _CHANGE_TASK)
COMMANDS: Final = (
    _SET_TASK.as_command(),
    command(
        "task try",
        _try_step,
        *(_BY, _HOW, AS_FIELD),
        pressed=Form((LETTER_FIELD,)),
        waits=pending_steps,
    ),
    command("task ditch", _try_last_ditch, *DOER_FIELDS, RANKS_FIELD, _HOW, AS_FIELD),
    command("task show", _show_tasks),
    command("task clock", _CHANGE_TASK.run),
    command(_CHANGE_TASK.command, _end_task),
)
