"""State of a place's task, its clock, and what the round's card allows (MB-CARD-C01 to -C08)."""

from __future__ import annotations

from typing import Any, Final

from rules.core.errors import Impossible
from rules.core.record import Record
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.checks.card_in_effect import card_here
from rules.systems.masterbook.deck import skill_resolution as tasks
from rules.systems.masterbook.deck.card_definitions import LETTERS, Box, default_faces
from rules.systems.masterbook.deck.skill_resolution import Task
from rules.systems.masterbook.deck.table_deck import for_all
from rules.systems.masterbook.formulas.skills import SKILLS
from rules.table.blocks import FOR_EVERYONE, Block, Fact, Note, Text, Verdict
from rules.table.events import Event, Reported
from rules.table.forms.fields import Pick, plain_options
from rules.table.initiative import require_encounter
from rules.table.permissions import is_gm
from rules.table.readable_places import may_read
from rules.table.reports import report_outcome
from rules.table.state import TableState
from rules.table.system import Game, Tick, TickResult, is_npc

_PREFIX: Final = "task"


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


def require_task(state: TableState, place: str) -> TaskState:
    """Return the task of a place. Raises Impossible("mb-task-none")."""
    task_state = task_at(state, place)
    if task_state is None:
        raise Impossible("mb-task-none")
    return task_state


def readable_tasks(game: Game) -> dict[str, TaskState]:
    """Return the tasks of the places that the actor can view, by place."""
    gm = is_gm(game.state, game.actor)
    by_place: dict[str, TaskState] = {}
    for key, part in game.state.own.items():
        prefix, _, place = key.partition(":")
        if prefix == _PREFIX and may_read(game.readable, place, theirs=False, gm=gm):
            by_place[place] = part
    return by_place


def with_task(game: Game, place: str, task_state: TaskState | None) -> Game:
    return game.with_state(game.state.with_own(f"{_PREFIX}:{place}", task_state))


def box_in(game: Game, place: str, task_state: TaskState) -> tuple[Box | None, tuple[str, ...]]:
    """Return the box of the round's card, and the letters in it."""
    reading = card_here(game, place)
    if reading is not None:
        return reading.box, reading.letters
    face = default_faces().get(task_state.card)
    return (None, ()) if face is None else (face.box, face.letters)


def with_drawn_card(game: Game, place: str, task_state: TaskState) -> TaskState:
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


#: Skills and Attributes that may be rolled for a step.
ROLLABLE_NAMES: Final = (*SKILLS, *[attribute.capitalize() for attribute in ATTRIBUTES])


def task_title(task_state: TaskState) -> Text:
    return Text("mb-task-title", {"name": task_state.name or None})


def task_blocks(game: Game, place: str, task_state: TaskState, *, full: bool) -> tuple[Block, ...]:
    """Describe the progress of a task and the round's card; *full* adds its numbers."""
    task = task_state.task
    state = Text("mb-task-state", task_progress(task))
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


def is_open_to_try(game: Game, place: str, task_state: TaskState) -> bool:
    """Return whether the next step may be tried in this round (MB-CARD-C02)."""
    task = task_state.task
    box, letters = box_in(game, place, task_state)
    if task.status != "open" or task.done >= game.setting("csr_steps_per_round"):
        return False
    return tasks.allows_step(task, box, letters)


def try_label(task_state: TaskState) -> Text:
    return Text("mb-task-try", {"letter": task_state.task.letter})


def with_try_button(game: Game, place: str, task_state: TaskState, report: Reported) -> Reported:
    """Return the report, with a button for the next step if the card allows it."""
    if not is_open_to_try(game, place, task_state):
        return report
    values = {LETTER_FIELD.key: task_state.task.letter}
    return report.replace(button=try_label(task_state), command="task try", values=values)


def round_start_events(game: Game, place: str) -> tuple[Event, ...]:
    """Return the report of a place's task as a round begins, with a button for the next step."""
    task_state = task_at(game.state, place, open_=True)
    if task_state is None:
        return ()
    blocks = (
        for_all("mb-task-round", **task_progress(task_state.task)),
        Note(box_line(game, place, task_state), FOR_EVERYONE),
    )
    report = Reported(title=task_title(task_state), blocks=blocks, by=game.actor.id)
    return (with_try_button(game, place, task_state, report),)


def task_announcement(game: Game, place: str) -> Text | None:
    """Return what the round's card allows for the open task of a place; None without a task."""
    task_state = task_at(game.state, place, open_=True)
    return None if task_state is None else box_line(game, place, task_state)


def task_progress(task: Task) -> dict[str, Any]:
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
        return TickResult(with_task(game, place, None))
    if passing.kind == "round-start":
        return TickResult(with_task(game, place, with_drawn_card(game, place, before)))
    box, _ = box_in(game, place, before)
    able = False
    for slot in require_encounter(game.state, place).order:
        who = slot.character
        if who and not is_npc(game, who) and not game.sheet(who).harm.out:
            able = True
            break
    after = before.replace(task=tasks.end_task_round(before.task, box, able=able))
    game = with_task(game, place, after)
    if before.task.status != "open" or after.task.status == "open":
        # A task that goes on is reported as the next round begins.
        return TickResult(game)
    note = for_all("mb-task-round", **task_progress(after.task))
    return TickResult(game, events=report_outcome(game, task_title(before), note).events)


#: Step that a button tries.
LETTER_FIELD: Final = Pick("letter", choices=plain_options(LETTERS))
