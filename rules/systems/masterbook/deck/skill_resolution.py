"""Critical skill resolution: a task in up to four steps, which the round's card allows or not
(MB-CARD-C01 to C08).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from rules.core.errors import Impossible
from rules.core.record import Record
from rules.systems.masterbook.deck.card_definitions import LETTERS, Box
from rules.systems.masterbook.formulas.multi_actions import multi_action_penalty

Status = Literal["open", "succeeded", "failed"]
#: What a failed try at a complication adds to everything after it; what each step left adds to a
#: last ditch effort.
_COMPLICATED: Final = 1
_EACH: Final = 2


class TaskStep(Record):
    """A step: what may be rolled for it, how hard it is, and what may be rolled no more
    (MB-CARD-C06).
    """

    skills: tuple[str, ...] = ()
    dn: int = 0
    barred: tuple[str, ...] = ()

    @property
    def left(self) -> tuple[str, ...]:
        """What is listed and may still be rolled."""
        return tuple([each for each in self.skills if each not in self.barred])


class Task(Record):
    """A task under way.

    `level` steps are done, `harder` is added to all that are left. `limit` is in rounds, None
    without a clock; `rounds` have been used. Of this round: `done` steps, and whether anybody has
    `tried` one.
    """

    steps: tuple[TaskStep, ...] = ()
    limit: int | None = None
    level: int = 0
    harder: int = 0
    rounds: int = 0
    done: int = 0
    tried: bool = False
    status: Status = "open"

    @property
    def letter(self) -> str:
        """That of the next step; empty where none is left."""
        return LETTERS[self.level] if self.level < len(self.steps) else ""

    @property
    def next(self) -> TaskStep:
        """The next step; there is one as long as the task is open."""
        return self.steps[self.level]

    @property
    def number(self) -> int:
        """What the next step takes now (MB-CARD-C04)."""
        return self.next.dn + self.harder

    @property
    def left(self) -> int | None:
        """Rounds that are left; None without a clock (MB-CARD-C08)."""
        return None if self.limit is None else self.limit - self.rounds

    def is_like(self, other: Task) -> bool:
        """Return whether another task has the same steps left, with the same difficulty."""
        return (self.steps, self.level, self.harder) == (other.steps, other.level, other.harder)


def require_open(task: Task) -> None:
    """Impossible("mb-card-task-closed") once it has ended."""
    if task.status != "open":
        raise Impossible("mb-card-task-closed", status=task.status)


def shows(task: Task, box: Box | None, letters: Sequence[str]) -> bool:
    """Whether the round's card lets the next step be tried: by its letter, or by a problem
    (MB-CARD-C03).
    """
    return box not in (None, "letters") or task.letter in letters


def require_step(
    task: Task, box: Box | None, letters: Sequence[str], *, per_round: int = 1
) -> None:
    """Whether the next step may be tried (MB-CARD-C02, MB-CARD-C03).

    Impossible("mb-card-task-closed", "mb-card-step-limit", "mb-card-step-letter-missing").
    """
    require_open(task)
    if task.done >= per_round:
        raise Impossible("mb-card-step-limit", most=per_round)
    if not shows(task, box, letters):
        raise Impossible("mb-card-step-letter-missing", letter=task.letter, shown=tuple(letters))


def require_skill(step: TaskStep, skill: str) -> None:
    """Whether a step may be tried with this skill. Impossible("mb-card-skill-barred")
    (MB-CARD-C06).
    """
    if skill in step.barred:
        raise Impossible("mb-card-skill-barred", skill=skill, allowed=step.skills)


def with_step_tried(
    task: Task, box: Box | None, *, skill: str = "", success: bool, raised: int = 0
) -> Task:
    """After a try at the next step; `raised` is what the GM adds to the steps left after a critical
    problem.
    """
    now = task.replace(tried=True)
    if success:
        all_ = now.level + 1 == len(now.steps)
        return now.replace(
            level=now.level + 1, done=now.done + 1, status="succeeded" if all_ else "open"
        )
    if box == "complication":
        return now.replace(harder=now.harder + _COMPLICATED)
    if box == "possible_setback":
        return now.replace(level=max(0, now.level - 1))
    return _barred(now, skill, raised) if box == "critical_problem" else now


def with_raised_steps(task: Task, raised: int) -> Task:
    """Return the task with each step that is left harder by so much (MB-CARD-C06)."""
    done, left = task.steps[: task.level], task.steps[task.level :]
    return task.replace(steps=(*done, *[each.replace(dn=each.dn + raised) for each in left]))


def _barred(task: Task, skill: str, raised: int) -> Task:
    """The skill is of no use for this step any more; where all steps are done by it, for none
    (MB-CARD-C06).
    """
    everywhere = len(task.steps) > 1 and all(each.skills == (skill,) for each in task.steps)
    done, left = task.steps[: task.level], task.steps[task.level :]
    left = [each.replace(dn=each.dn + raised) for each in left]
    barred = [each.replace(barred=(*each.barred, skill)) for each in left]
    return task.replace(steps=(*done, *(barred if everywhere else (barred[0], *left[1:]))))


def numbers(task: Task) -> tuple[int, ...]:
    """What each step that is left takes in a last ditch effort (MB-CARD-C07)."""
    left = task.steps[task.level :]
    return tuple([each.dn + task.harder + _EACH * len(left) for each in left])


def last_ditch_penalties(who: Sequence[str], ranks: Sequence[int] = ()) -> tuple[int, ...]:
    """What each step of a last ditch effort loses, by who does it and how important it is to them
    (MB-CARD-C07).

    Each counts their own steps alone; without `ranks` the first of them is the most important.
    """
    found: list[int] = []
    for at, each in enumerate(who):
        mine = [other for other, name in enumerate(who) if name == each]
        order = sorted(mine, key=lambda other: ranks[other]) if ranks else mine
        found.append(multi_action_penalty(order.index(at) + 1, len(mine)))
    return tuple(found)


def has_reached_all(totals: Sequence[int], dns: Sequence[int]) -> bool:
    """Whether all of a last ditch effort worked; else nothing of it did."""
    return all(total >= dn for total, dn in zip(totals, dns, strict=True))


def last_ditch(task: Task, *, success: bool, lost: bool = False) -> Task:
    """After all that was left was tried at once; against a clock a failure loses it only where the
    table says so.
    """
    require_open(task)
    if success:
        return task.replace(level=len(task.steps), tried=True, status="succeeded")
    return task.replace(tried=True, status="failed" if task.limit is None or lost else "open")


def end_task_round(task: Task, box: Box | None = None, *, able: bool = False) -> Task:
    """The round ends: the clock goes on, in the round in which the task has ended too (MB-CARD-C02,
    MB-CARD-C08).

    A critical problem that nobody has tried, though somebody was `able` to, counts as a failure
    (MB-CARD-C06).
    """
    if task.status != "open":
        return task.replace(rounds=task.rounds + task.tried, done=0, tried=False)
    if box == "critical_problem" and able and not task.tried:
        task = with_step_tried(task, box, skill=(*task.next.left, "")[0], success=False)
    now = task.replace(rounds=task.rounds + 1, done=0, tried=False)
    return now.replace(status="failed") if now.left == 0 else now
