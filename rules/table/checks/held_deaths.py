"""Deaths of players' characters that would follow from the clock's answer: the GMs decide."""

from __future__ import annotations

from collections.abc import Iterable

from rules.core.rng import Draw, RepeatingStreams
from rules.table.actions import Actor
from rules.table.check import (
    HeldDeath,
    OpenPrompt,
)
from rules.table.checks.check_run import MAX_STEPS, CheckRun, CheckStep
from rules.table.checks.deaths import STAND, players_killed, stage_of
from rules.table.checks.prompt_times import open_prompt
from rules.table.state import SYSTEM


def decide_death(run: CheckRun, held: HeldDeath, option: str) -> None:
    """Let the clock's answer stand with the dice that fell, or give all prompts their time anew."""
    check = run.check.replace(held_death=None, asked=held.asked)
    run.stage, run.changes.stale = run.course.stages[check.stage], True
    if option != STAND:
        settings, at, revision = run.game.state.settings, run.game.at, check.revision
        asked = [
            open_prompt(settings, pending.prompt, revision, at).replace(passed=pending.passed)
            for pending in check.asked
        ]
        run.check = check.replace(asked=tuple(asked), kept_dice=held.dice)
        return
    run.check = check
    before, rng, actor = run.game, run.game.rng, run.game.actor
    run.game = run.game.replace(rng=RepeatingStreams(held.dice, rng), actor=Actor(SYSTEM))
    prompt = check.prompt(held.prompt)
    if prompt is not None:
        run.answer_by_clock(prompt)
    run.advance()
    # A prompt that opens only now was not open when the death was held. It waits for no player: the
    # clock answers.
    for _ in range(MAX_STEPS):
        if players_killed(before, run.game) or not answer_next_by_clock(run):
            break
    run.game = run.game.replace(rng=rng, actor=actor)


def answer_next_by_clock(run: CheckRun) -> bool:
    """Have the clock answer the next prompt that waits and that it can answer."""
    asked = next(
        (pending for pending in run.check.asked if pending.waiting_for and pending.prompt.default),
        None,
    )
    if asked is None:
        return False
    run.answer_by_clock(asked)
    run.advance()
    return True


def hold_death(
    run: CheckRun, asked: OpenPrompt, who: tuple[str, ...], dice: Iterable[Draw]
) -> None:
    """Ask the GMs whether a death stands that would follow from the clock's answer."""
    prompt, check = asked.prompt, run.check
    held = HeldDeath(
        who, asked.waiting_for, prompt.key, prompt.visible_to, check.asked, tuple(dice)
    )
    run.check = check.replace(held_death=held, asked=(), kept_dice=(), revision=check.revision + 1)
    run.stage, run.changes.stale = stage_of(run.game, run.check), True
    run.took.append(CheckStep("moved", check.stage, visible_to=prompt.visible_to))
