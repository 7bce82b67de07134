"""Critical skill resolution: a task in up to four steps (MB-CARD-C01 to MB-CARD-C08).

The round's card decides whether its next step may be tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from rules.core.errors import Impossible
from rules.core.record import Record
from rules.systems.masterbook.deck.card_definitions import LETTERS, Box
from rules.systems.masterbook.formulas.multi_actions import multi_action_penalty

Status = Literal["open", "succeeded", "failed"]
#: What a failed try at a complication adds to the difficulty of everything after it.
_COMPLICATED: Final = 1
#: What each remaining step adds to the difficulties of a last ditch effort.
_EACH: Final = 2


class TaskStep(Record):
    """A step of a task."""

    #: Skills that may be rolled for it.
    skills: tuple[str, ...] = ()
    #: Difficulty of the step.
    dn: int = 0
    #: Skills that may no longer be rolled for it (MB-CARD-C06).
    barred: tuple[str, ...] = ()

    @property
    def allowed_skills(self) -> tuple[str, ...]:
        """Skills that may still be rolled for the step."""
        return tuple(skill for skill in self.skills if skill not in self.barred)


class Task(Record):
    """A task under way."""

    steps: tuple[TaskStep, ...] = ()
    #: Rounds that the task may take; None without a clock.
    limit: int | None = None
    #: Number of steps done.
    level: int = 0
    #: What is added to the difficulty of all remaining steps.
    harder: int = 0
    #: Rounds used.
    rounds: int = 0
    #: Steps done in this round.
    done: int = 0
    #: Whether a step was tried in this round.
    tried: bool = False
    status: Status = "open"

    @property
    def letter(self) -> str:
        """Letter of the next step; empty if none remains."""
        return LETTERS[self.level] if self.level < len(self.steps) else ""

    @property
    def next(self) -> TaskStep:
        """The next step. An open task has one."""
        return self.steps[self.level]

    @property
    def difficulty(self) -> int:
        """Difficulty of the next step (MB-CARD-C04)."""
        return self.next.dn + self.harder

    @property
    def rounds_left(self) -> int | None:
        """Rounds that remain; None without a clock (MB-CARD-C08)."""
        return None if self.limit is None else self.limit - self.rounds

    def is_like(self, other: Task) -> bool:
        """Return whether another task has the same steps left, with the same difficulty."""
        return (self.steps, self.level, self.harder) == (other.steps, other.level, other.harder)


def require_open(task: Task) -> None:
    """Raise Impossible("mb-card-task-closed") if the task has ended."""
    if task.status != "open":
        raise Impossible("mb-card-task-closed", status=task.status)


def allows_step(task: Task, box: Box | None, letters: Sequence[str]) -> bool:
    """Return whether the round's card lets the next step be tried (MB-CARD-C03).

    It does by the step's letter, or by a problem.
    """
    return box not in (None, "letters") or task.letter in letters


def require_step(
    task: Task, box: Box | None, letters: Sequence[str], *, per_round: int = 1
) -> None:
    """Raise unless the next step may be tried (MB-CARD-C02, MB-CARD-C03).

    Raises:
        Impossible("mb-card-task-closed"): The task has ended.
        Impossible("mb-card-step-limit"): The steps of this round are done.
        Impossible("mb-card-step-letter-missing"): The round's card has another letter.
    """
    require_open(task)
    if task.done >= per_round:
        raise Impossible("mb-card-step-limit", most=per_round)
    if not allows_step(task, box, letters):
        raise Impossible("mb-card-step-letter-missing", letter=task.letter, shown=tuple(letters))


def require_skill(step: TaskStep, skill: str) -> None:
    """Raise Impossible("mb-card-skill-barred") if a step bars the skill (MB-CARD-C06)."""
    if skill in step.barred:
        raise Impossible("mb-card-skill-barred", skill=skill, allowed=step.skills)


def with_step_tried(
    task: Task, box: Box | None, *, skill: str = "", success: bool, raised: int = 0
) -> Task:
    """Return the task after a try at its next step (MB-CARD-C03 to MB-CARD-C06).

    *raised* is what the GM adds to the remaining steps after a critical problem.
    """
    task = task.replace(tried=True)
    if success:
        level = task.level + 1
        status: Status = "succeeded" if level == len(task.steps) else "open"
        return task.replace(level=level, done=task.done + 1, status=status)
    if box == "complication":
        return task.replace(harder=task.harder + _COMPLICATED)
    if box == "possible_setback":
        return task.replace(level=max(0, task.level - 1))
    if box == "critical_problem":
        return _with_skill_barred(task, skill, raised)
    return task


def with_raised_steps(task: Task, raised: int) -> Task:
    """Return the task with each remaining step harder by *raised* (MB-CARD-C06)."""
    steps = [*task.steps]
    for at in range(task.level, len(steps)):
        steps[at] = steps[at].replace(dn=steps[at].dn + raised)
    return task.replace(steps=tuple(steps))


def _with_skill_barred(task: Task, skill: str, raised: int) -> Task:
    """Return the task after a critical problem: the skill no longer serves (MB-CARD-C06).

    It is barred from the next step; if all steps allow only this skill, from all that remain.
    """
    everywhere = len(task.steps) > 1 and all(step.skills == (skill,) for step in task.steps)
    task = with_raised_steps(task, raised)
    steps = [*task.steps]
    barred_until = len(steps) if everywhere else task.level + 1
    for at in range(task.level, barred_until):
        steps[at] = steps[at].replace(barred=(*steps[at].barred, skill))
    return task.replace(steps=tuple(steps))


def last_ditch_difficulties(task: Task) -> tuple[int, ...]:
    """Return the difficulty of each remaining step in a last ditch effort (MB-CARD-C07)."""
    remaining = task.steps[task.level :]
    surcharge = task.harder + _EACH * len(remaining)
    return tuple(step.dn + surcharge for step in remaining)


def last_ditch_penalties(who: Sequence[str], ranks: Sequence[int] = ()) -> tuple[int, ...]:
    """Return the penalty of each step of a last ditch effort (MB-CARD-C07).

    *who* are the characters of the steps. Each character's steps are counted by themselves, in
    the order of their *ranks*. Without ranks, the first of them is the most important.
    """
    penalties: list[int] = []
    for at, character in enumerate(who):
        own_steps = [step for step, name in enumerate(who) if name == character]
        if ranks:
            own_steps.sort(key=lambda step: ranks[step])
        penalties.append(multi_action_penalty(own_steps.index(at) + 1, len(own_steps)))
    return tuple(penalties)


def has_reached_all(totals: Sequence[int], dns: Sequence[int]) -> bool:
    """Return whether all rolls of a last ditch effort succeeded; otherwise the effort failed."""
    return all(total >= dn for total, dn in zip(totals, dns, strict=True))


def last_ditch(task: Task, *, success: bool, lost: bool = False) -> Task:
    """Return the task after a last ditch effort at all that remained (MB-CARD-C07).

    Against a clock, a failure ends the task only if it is *lost* by the table's rules.
    """
    require_open(task)
    if success:
        return task.replace(level=len(task.steps), tried=True, status="succeeded")
    status: Status = "failed" if task.limit is None or lost else "open"
    return task.replace(tried=True, status=status)


def end_task_round(task: Task, box: Box | None = None, *, able: bool = False) -> Task:
    """Return the task at the end of a round (MB-CARD-C02, MB-CARD-C08).

    The clock also counts the round in which the task has ended. A critical problem that was not
    tried counts as a failure, if a character was *able* to try it (MB-CARD-C06).
    """
    if task.status != "open":
        return task.replace(rounds=task.rounds + task.tried, done=0, tried=False)
    if box == "critical_problem" and able and not task.tried:
        skill = (*task.next.allowed_skills, "")[0]
        task = with_step_tried(task, box, skill=skill, success=False)
    task = task.replace(rounds=task.rounds + 1, done=0, tried=False)
    return task.replace(status="failed") if task.rounds_left == 0 else task
