"""Critical skill resolution: tasks in steps."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import Impossible
from rules.systems.masterbook.deck import skill_resolution
from rules.systems.masterbook.deck.skill_resolution import Task, TaskStep

RAPPEL = Task(tuple([TaskStep(("Climbing",), each) for each in (15, 15, 17, 21)]))


def error_of(code: str, what: Any) -> None:
    with pytest.raises(Impossible) as caught:
        what()
    assert caught.value.code == f"mb-card-{code}"


@pytest.mark.rule("MB-CARD-C01", "MB-CARD-C02", "MB-CARD-C03")
def test_steps_one_after_the_other() -> None:
    skill_resolution.require_step(RAPPEL, "letters", ("A", "C"))
    skill_resolution.require_skill(RAPPEL.next, "Climbing")
    now = skill_resolution.with_step_tried(RAPPEL, "letters", success=True)
    assert (now.level, now.letter, now.difficulty, now.status) == (1, "B", 15, "open")
    error_of("step-limit", lambda: skill_resolution.require_step(now, "letters", ("B",)))
    skill_resolution.require_step(now, "letters", ("B",), per_round=2)
    now = skill_resolution.end_task_round(now)
    assert (now.rounds, now.done) == (1, 0)
    error_of(
        "step-letter-missing",
        lambda: skill_resolution.require_step(now, "letters", ("A", "C", "D")),
    )
    error_of("step-letter-missing", lambda: skill_resolution.require_step(now, None, ()))
    assert skill_resolution.with_step_tried(now, "letters", success=False).level == 1
    done = skill_resolution.with_step_tried(RAPPEL.replace(level=3), "letters", success=True)
    assert (done.level, done.status, done.letter) == (4, "succeeded", "")
    error_of("task-closed", lambda: skill_resolution.require_step(done, "letters", ("D",)))
    over = skill_resolution.end_task_round(done)
    assert (over.rounds, over.status) == (1, "succeeded"), "the round in which it is done counts"
    assert skill_resolution.end_task_round(over) == over
    short = Task(RAPPEL.steps[:1])
    assert skill_resolution.with_step_tried(short, "letters", success=True).status == "succeeded"


@pytest.mark.rule("MB-CARD-C04", "MB-CARD-C05")
def test_boxes_that_make_it_worse() -> None:
    now = skill_resolution.with_step_tried(
        skill_resolution.with_step_tried(RAPPEL, "complication", success=False),
        "complication",
        success=False,
    )
    assert (now.harder, now.difficulty, now.level) == (2, 17, 0)
    assert skill_resolution.with_step_tried(RAPPEL, "complication", success=True).level == 1
    assert (
        skill_resolution.with_step_tried(
            RAPPEL.replace(level=2), "possible_setback", success=False
        ).level
        == 1
    )
    assert skill_resolution.with_step_tried(RAPPEL, "possible_setback", success=False).level == 0
    for box in ("complication", "possible_setback", "critical_problem"):
        skill_resolution.require_step(RAPPEL, box, ())


@pytest.mark.rule("MB-CARD-C06")
def test_a_critical_problem_bars_the_skill() -> None:
    now = skill_resolution.with_step_tried(
        RAPPEL.replace(level=1), "critical_problem", skill="Climbing", success=False, raised=2
    )
    assert [each.dn for each in now.steps] == [15, 17, 19, 23]
    assert [each.barred for each in now.steps] == [(), *[("Climbing",)] * 3]
    error_of("skill-barred", lambda: skill_resolution.require_skill(now.next, "Climbing"))
    skill_resolution.require_skill(now.next, "Acrobatics")
    mixed = Task((TaskStep(("Climbing",), 10), TaskStep(("Climbing", "Jumping"), 10)))
    now = skill_resolution.with_step_tried(
        mixed, "critical_problem", skill="Climbing", success=False
    )
    assert [each.barred for each in now.steps] == [("Climbing",), ()]
    # Who could have tried and did not has failed.
    now = skill_resolution.end_task_round(RAPPEL, "critical_problem", able=True)
    assert now.steps[0].barred == ("Climbing",) and not now.tried
    assert skill_resolution.end_task_round(RAPPEL, "critical_problem").steps == RAPPEL.steps
    tried = skill_resolution.with_step_tried(
        RAPPEL, "critical_problem", skill="Climbing", success=True
    )
    assert skill_resolution.end_task_round(tried, "critical_problem", able=True).level == 1


@pytest.mark.rule("MB-CARD-C07")
def test_the_last_ditch() -> None:
    assert skill_resolution.last_ditch_difficulties(RAPPEL) == (23, 23, 25, 29)
    assert skill_resolution.last_ditch_difficulties(RAPPEL.replace(level=2, harder=1)) == (22, 26)
    assert skill_resolution.last_ditch_penalties("aaaa") == (-2, -3, -4, -5)
    assert skill_resolution.last_ditch_penalties("a") == (0,)
    assert skill_resolution.last_ditch_penalties("aba", (2, 1, 1)) == (-3, 0, -2)
    assert skill_resolution.has_reached_all(
        (23, 27), (22, 26)
    ) and not skill_resolution.has_reached_all((23, 25), (22, 26))
    assert skill_resolution.last_ditch(RAPPEL, success=True).status == "succeeded"
    assert skill_resolution.last_ditch(RAPPEL, success=False).status == "failed"
    clock = RAPPEL.replace(limit=6, rounds=3, level=3)
    assert skill_resolution.end_task_round(
        skill_resolution.last_ditch(clock, success=False)
    ) == clock.replace(rounds=4)
    assert skill_resolution.last_ditch(clock, success=False, lost=True).status == "failed"
    error_of(
        "task-closed",
        lambda: skill_resolution.last_ditch(RAPPEL.replace(status="failed"), success=True),
    )


@pytest.mark.rule("MB-CARD-C08")
def test_the_clock() -> None:
    late = RAPPEL.replace(limit=6, rounds=5, level=3)
    assert late.rounds_left == 1 and RAPPEL.rounds_left is None
    assert skill_resolution.end_task_round(late).status == "failed"
    assert skill_resolution.end_task_round(late.replace(rounds=4)).status == "open"
