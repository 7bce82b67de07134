"""Engine of checks: it begins them, takes answers of players and the clock, and ends them.

Each function returns a `CheckAdvance`. What follows from an answer is in `check_run`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, TypedDict, Unpack

from rules.core.dice.no_dice import NO_DICE, DiceNeeded
from rules.core.errors import Impossible, Outdated
from rules.core.rng import RecordingStreams, RepeatingStreams
from rules.table.blocks import Text
from rules.table.check import (
    ANY_GM,
    NEXT,
    OVER,
    PASS,
    AnyCheck,
    Check,
    Choice,
    OpenPrompt,
    OutOfTurn,
    Values,
    Visibility,
)
from rules.table.checks.access import (
    find_check,
    may_see_prompt,
    require_answerer,
)
from rules.table.checks.check_run import MAX_STEPS, CheckAdvance, CheckRun, CheckStep, read_values
from rules.table.checks.deaths import DEATH, players_killed
from rules.table.checks.held_deaths import answer_next_by_clock, decide_death, hold_death
from rules.table.checks.procedure import procedure_of
from rules.table.checks.prompt_times import CheckWait, open_prompt, pending_waits
from rules.table.checks.stages import ProposalData, ReadyStage
from rules.table.checks.standing_orders import (
    may_pass,
)
from rules.table.checks.whispered_checks import with_hearers
from rules.table.forms.fields import FormContext
from rules.table.initiative import out_of_turn
from rules.table.permissions import is_gm, require_gm, require_system
from rules.table.system import Game

#: Checks that are over and stay in reach of buttons and undo. At twice as many the oldest go.
KEPT_CHECKS: Final = 20
#: Most open checks at a table.
MAX_OPEN_CHECKS: Final = 200
#: Most open checks of one player, so that no player blocks the table for the others.
MAX_OWN_CHECKS: Final = 30


def _change_holds(
    run: CheckRun, held_for: tuple[str, ...], who: str = "", said: Text | None = None
) -> None:
    """Change who wants a say. After the last one, what would have rolled by itself rolls."""
    check = run.check
    if len(held_for) < len(check.held_for):
        run.changes.say_ended = True
    run.check = check.replace(held_for=held_for, revision=check.revision + 1)
    step = "moved" if said is None else "chosen"
    run.took.append(CheckStep(step, check.stage, who, said=said))
    if held_for or run.course.dice_have_fallen(check.data):
        return
    result = run.stage.resume(run.game, run.check)
    if result is not None:
        run.check = run.check.replace(rolled_by=run.game.actor.id)
        run.apply_result(result)
        run.enter(result.to or NEXT)


def _checks_with_room(game: Game) -> dict[str, AnyCheck]:
    """Return the checks of the table with room for one more: the oldest that are over are dropped.

    Raises Impossible("too-many-checks", "too-many-own-checks").
    """
    state, by = game.state, game.actor
    checks = dict(state.checks)
    if len(checks) < MAX_OWN_CHECKS:
        return checks
    still = sum(check.stage != OVER for check in checks.values())
    if still >= MAX_OWN_CHECKS:
        own = [check for check in checks.values() if check.stage != OVER and check.by == by.id]
        if len(own) >= MAX_OWN_CHECKS and not is_gm(state, by):
            raise Impossible("too-many-own-checks", most=MAX_OWN_CHECKS)
    if still >= MAX_OPEN_CHECKS:
        raise Impossible("too-many-checks", most=MAX_OPEN_CHECKS)
    if len(checks) - still < 2 * KEPT_CHECKS:
        return checks
    called = {check.group for check in checks.values() if check.is_open and check.group}
    over = [key for key, check in checks.items() if check.stage == OVER]
    over = [key for key in over if checks[key].group not in called]
    for key in over[:-KEPT_CHECKS]:
        del checks[key]
    return checks


class About(TypedDict, total=False):
    """Characters of a check, who may see it, and the roll call that it belongs to."""

    actor: str
    target: str | None
    visibility: Visibility
    gm_only: bool
    group: str


def draft_check(
    game: Game, kind: str, place: str, values: Values, **about: Unpack[About]
) -> AnyCheck:
    """Return the check that `begin` would begin, before anything happens in it.

    A public check has a counted id. The id of any other check, and of one in a whisper scene,
    counts nothing, so it reveals nothing. Raises what form and procedure raise.
    """
    course = procedure_of(game, kind)
    state = game.state
    counters = state.counters
    number = counters.begun + 1
    encounter = state.encounters.get(place)
    check = Check(
        "",
        kind,
        place,
        game.actor.id,
        course.first,
        game.at,
        course.data(),
        round=encounter.round if encounter is not None and encounter.round else None,
        number=number,
        rolled_by=game.actor.id,
        **about,
    )
    draft = course.begin(
        game, check, read_values(course.form, FormContext(game, check, check.actor, values))
    )
    # Only now it is known who sees it: its rules may keep it to some. The id of a public check may
    # reveal how many there were.
    draft = with_hearers(game, draft)
    is_counted = draft.is_public and not draft.scene
    return draft.replace(id=f"c{counters.check + 1}" if is_counted else f"h{game.rng.tag(number)}")


def begin(
    game: Game, kind: str, place: str, values: Values, **about: Unpack[About]
) -> CheckAdvance:
    """Begin a check and advance it. The caller has checked that the participant may act for
    `actor`.

    Raises Impossible("not-in-these-rules", "too-many-checks", "too-many-own-checks"), and what
    form, procedure and stages raise.
    """
    check = draft_check(game, kind, place, values, **about)
    course, state = game.system.procedures[kind], game.state
    course.require(game, check)
    if not check.group:
        check = check.replace(out_of_turn=turn_problem(game, check))
    checks = _checks_with_room(game)
    checks[check.id] = check
    counters = state.counters.replace(
        check=state.counters.check + (check.is_public and not check.scene), begun=check.number
    )
    run = CheckRun(game.with_state(state.replace(checks=checks, counters=counters)), check)
    run.took.append(CheckStep("begun", course.first, check.actor))
    run.enter(course.first)
    run.advance()
    return run.result()


def turn_problem(game: Game, check: AnyCheck) -> OutOfTurn | None:
    """Return why a check would begin out of turn; None if it wouldn't, or takes no turn."""
    if not game.system.procedures[check.kind].takes_turn(game, check):
        return None
    return out_of_turn(game.state, check.place, check.actor)


def choose(
    game: Game,
    check: str,
    prompt: str,
    number: int,
    option: str,
    who: tuple[str, ...] = (ANY_GM,),
    values: Values | None = None,
) -> CheckAdvance:
    """Take the acting participant's answer to a prompt for each character of `who`, and advance.

    If the first answer closes the prompt, the others are not needed.

    Raises NotFound("unknown-check"), Outdated("check-moved-on") if the prompt is not open with that
    number, NotPermitted("gm-only", "owner-only", "not-asked"), Impossible("already-answered",
    "not-offered", "not-enough"), and what form and stage raise.
    """
    answered = find_check(game, check)
    asked = answered.prompt(prompt)
    if asked is None or asked.number != number or not may_see_prompt(game, asked, game.actor):
        raise moved_on_error(game, answered, prompt)
    run = CheckRun(game, answered)
    for character in who:
        now = run.check.prompt(prompt)
        if now is None:
            break
        require_answerer(game, answered, now, character)
        if option == PASS and not may_pass(now.prompt):
            raise Impossible("not-offered", check=answered.id)
        run.take_answer(now, Choice(prompt, option, character, values or {}))
        held = run.check.held_death
        if held is not None and prompt == DEATH:
            decide_death(run, held, option)
        if run.check.is_open:
            run.refresh_prompts()
    run.advance()
    return run.result()


def moved_on_error(game: Game, check: AnyCheck, prompt: str) -> Outdated:
    """Return the error for a late answer: the check's progress as far as the actor may know."""
    known = [asked for asked in check.asked if may_see_prompt(game, asked, game.actor)]
    if not check.is_open or (check.asked and not known):
        status = "settled"
    elif procedure_of(game, check.kind).dice_have_fallen(check.data):
        # The open prompt was asked anew: a participant spent something on the dice, or they fell
        # again.
        status = "anew" if any(asked.prompt.key == prompt for asked in known) else "rolled"
    else:
        has_answer = isinstance(check.data, ProposalData) and check.data.answer
        status = "answered" if has_answer else "proposed"
    return Outdated("check-moved-on", check=check.id, status=status)


def lapse(game: Game, wait: str) -> CheckAdvance:
    """Return what comes of a wait that the clock has reached: its default, or a reminder.

    A reminder leaves the check as it is.

    Raises NotPermitted("system-only"), Outdated("wait-over", "not-yet-due").
    """
    require_system(game.actor)
    check = game.state.checks.get(wait.partition(".")[0])
    waits = () if check is None else pending_waits(check)
    reached = next((pending for pending in waits if pending.id == wait), None)
    if check is None or reached is None:
        raise Outdated("wait-over", wait=wait)
    if reached.due > game.at:
        raise Outdated("not-yet-due", wait=wait)
    run, asked = CheckRun(game, check), reached.asked
    if reached.default is not None:
        return _answer_for_all(game, check, asked)
    if _is_overtaken(game, waits, reached):
        raise Outdated("wait-over", wait=wait)
    prompt, step = asked.prompt, "stalled" if asked.is_stalled(game.at) else "reminded"
    run.took.append(CheckStep(step, check.stage, prompt=prompt.key, visible_to=prompt.visible_to))
    return run.result()


def _answer_for_all(game: Game, check: AnyCheck, asked: OpenPrompt) -> CheckAdvance:
    """Return the check after the clock's answer.

    If the answer would kill a player's character, the dice are kept and the GMs are asked instead.
    """
    kept = RepeatingStreams(check.kept_dice, game.rng)
    dice = RecordingStreams(kept)
    run = CheckRun(game.replace(rng=dice), check)
    run.answer_by_clock(asked)
    run.advance()
    if run.check.kept_dice:
        run.check = run.check.replace(kept_dice=tuple(kept.draws))
    killed = players_killed(game, run.game)
    # A later change by a player is no answer of the clock.
    if killed and game.late is None:
        run = CheckRun(game, check)
        hold_death(run, asked, killed, dice.draws)
        run.advance()
    advance = run.result()
    return advance.replace(game=advance.game.replace(rng=game.rng))


def _is_overtaken(game: Game, waits: tuple[CheckWait, ...], reminder: CheckWait) -> bool:
    """Return whether a later reminder of the same wait, or any answer of the clock, is due too."""
    for wait in waits:
        if wait.due > game.at:
            continue
        if wait.default is not None:
            return True
        if wait.asked is reminder.asked and wait.due > reminder.due:
            return True
    return False


def due_reminders(game: Game, check: AnyCheck) -> tuple[CheckWait, ...]:
    """Return the reminders of a check that are due, without those that something overtakes."""
    waits = pending_waits(check)
    due = [wait for wait in waits if wait.default is None and wait.due <= game.at]
    return tuple(wait for wait in due if not _is_overtaken(game, waits, wait))


def roll_by_clock(game: Game, check: AnyCheck) -> CheckAdvance:
    """Return the check after the clock has rolled for its actor.

    A check that waits for something else than a plain roll ends without one.
    """
    run = CheckRun(game, check)
    stage, asked = run.stage, check.prompt("ready")
    roll = stage.plain_roll(game, check) if isinstance(stage, ReadyStage) else None
    if asked is not None and roll is not None:
        choice = Choice("ready", roll.value, check.actor, roll.values, how="clock")
        if run.try_answer(asked, choice):
            run.advance()
            return run.result()
    run.end()
    return run.result()


def end_by_clock(game: Game, check: AnyCheck) -> CheckAdvance:
    """End an open check whose time is over."""
    run = CheckRun(game, check)
    run.end()
    return run.result()


def drop_characters(game: Game, check: AnyCheck, gone: Collection[str]) -> CheckAdvance:
    """Count characters that have left as passed, and advance the check, which may roll dice.

    A character that acts in a check or is named by it cannot leave: `binding_checks` finds these.
    """
    left = [
        (pending, [who for who in pending.waiting_for if who in gone]) for pending in check.asked
    ]
    asked = [
        pending.replace(passed=(*pending.passed, *who)) if who else pending for pending, who in left
    ]
    run = CheckRun(game, check.replace(asked=tuple(asked)))
    run.advance()
    return run.result()


def call_for_absent(game: Game, check: AnyCheck, who: Collection[str]) -> CheckAdvance:
    """Restart the time of the prompts that wait for these characters, and call their stand-ins.

    Without stand-ins the GMs are called.
    """
    asked: list[OpenPrompt] = []
    took: list[CheckStep] = []
    for pending in check.asked:
        prompt = pending.prompt
        if any(holder in who for holder in pending.waiting_for):
            new = open_prompt(game.state.settings, prompt, pending.number, game.at)
            pending = pending.replace(
                since=new.since, due=new.due, reminders=new.reminders, put_off=0, more=0
            )
            step = CheckStep("called", check.stage, prompt=prompt.key, visible_to=prompt.visible_to)
            took.append(step)
        asked.append(pending)
    run = CheckRun(game, check.replace(asked=tuple(asked)))
    run.took += took
    return run.result()


def refresh_check(game: Game, check: AnyCheck) -> CheckAdvance:
    """Refresh a check without an answer: orders, settings or a character's owner have changed."""
    run = CheckRun(game, check)
    run.advance()
    return run.result()


def refresh_without_dice(game: Game, check: AnyCheck) -> CheckAdvance:
    """Refresh a check; if dice would fall by that, leave it as it is."""
    try:
        return refresh_check(game.replace(rng=NO_DICE), check)
    except DiceNeeded:
        return CheckAdvance(game, check, (), ())


def show_anew(game: Game, check: AnyCheck) -> CheckAdvance:
    """Ask again, and tell the check anew: what it says of something outside of it has changed."""
    run = CheckRun(game, check.replace(revision=check.revision + 1))
    run.took.append(CheckStep("moved", check.stage))
    run.advance()
    return run.result()


def end(game: Game, check: AnyCheck) -> CheckAdvance:
    """End an open check for a GM. Raises NotPermitted("gm-only"), Outdated("check-moved-on")."""
    run = _run_for_gm(game, check)
    run.end()
    return run.result()


def close(game: Game, check: AnyCheck) -> CheckAdvance:
    """Close an open check for a GM by its defaults; end it if a prompt without a default waits.

    Raises as `end`.
    """
    run = _run_for_gm(game, check)
    for _ in range(MAX_STEPS):
        if not answer_next_by_clock(run):
            break
    if run.check.is_open:
        run.end()
    return run.result()


def change_holds(
    game: Game, check: AnyCheck, held_for: tuple[str, ...], who: str, said: Text
) -> CheckAdvance:
    """Change the characters whose players want a say; `said` describes what `who` has done."""
    run = CheckRun(game, check)
    _change_holds(run, held_for, who, said)
    run.advance()
    return run.result()


def drop_holds(game: Game, check: AnyCheck, gone: Collection[str]) -> CheckAdvance:
    """Have a check no longer wait for the say of the characters in `gone`."""
    run = CheckRun(game, check)
    left = tuple([who for who in check.held_for if who not in gone])
    if left != check.held_for:
        _change_holds(run, left)
        run.advance()
    return run.result()


def break_off(game: Game, check: AnyCheck) -> CheckAdvance:
    """End a check whose action was broken off, unless its dice have fallen."""
    run = CheckRun(game, check)
    if check.is_open and not procedure_of(game, check.kind).dice_have_fallen(check.data):
        run.end()
    return run.result()


def _run_for_gm(game: Game, check: AnyCheck) -> CheckRun:
    """Return the run of an open check that a GM ends."""
    require_gm(game.state, game.actor)
    if not check.is_open:
        raise moved_on_error(game, check, "")
    return CheckRun(game, check)


def preview(
    game: Game, check: AnyCheck, prompt: str, option: str, who: str, values: Values
) -> tuple[Game, AnyCheck] | None:
    """Return the game and the check as an answer would leave them; None if it would throw dice.

    Nothing goes on from there: only the choice's own changes are made. Raises as `choose`.
    """
    asked = check.prompt(prompt)
    if asked is None:
        raise moved_on_error(game, check, prompt)
    run = CheckRun(game.replace(rng=NO_DICE), check)
    try:
        run.preview_answer(asked, Choice(prompt, option, who, values))
    except DiceNeeded:
        return None
    return run.game, run.check


def rolls_at_once(
    game: Game, check: AnyCheck, prompt: str, option: str, who: str, values: Values
) -> bool:
    """Return whether dice fall as soon as this is answered. Raises as `choose`."""
    asked = check.prompt(prompt)
    if asked is None:
        raise moved_on_error(game, check, prompt)
    try:
        choose(game.replace(rng=NO_DICE), check.id, prompt, asked.number, option, (who,), values)
    except DiceNeeded:
        return True
    return False
