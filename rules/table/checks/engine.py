"""Engine of checks: answers of players, standing orders and the clock, and what follows from them.

After every answer the engine asks the stage for its prompts again. A prompt that stays keeps its
number, time and passes. A new prompt opens, and every other prompt closes. Once a check waits for
no answer, it goes on by itself. Only the check is stored: no callback, and no place in the code.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from typing import Any, Final, Literal, TypedDict, Unpack

from rules.core.errors import Impossible, InvalidInput, NotPermitted, Outdated, RulesError
from rules.core.record import Record
from rules.core.rng import Draw, RecordingStreams, RepeatingStreams, Streams
from rules.table.actions import Actor
from rules.table.blocks import Text, public_verdict
from rules.table.check import (
    ANY_GM,
    NEXT,
    OVER,
    PASS,
    REACT,
    AnsweredBy,
    AnyCheck,
    Check,
    Choice,
    Cost,
    HeldDeath,
    OpenPrompt,
    Order,
    OutOfTurn,
    Prompt,
    StepInNote,
    Values,
    Viewers,
    Visibility,
)
from rules.table.checks.access import (
    find_check,
    is_open_to,
    may_answer_prompt,
    may_see_prompt,
)
from rules.table.checks.deaths import DEATH, STAND, players_killed, stage_of
from rules.table.checks.procedure import AnyProcedure, Stage, StageResult, procedure_of
from rules.table.checks.prompt_times import CheckWait, open_prompt, pending_waits
from rules.table.checks.stages import ProposalData
from rules.table.checks.standing_orders import (
    how_ordered,
    leaves_reserve,
    may_pass,
    standing_order_for,
)
from rules.table.checks.waiting import decide_waits
from rules.table.events import Event
from rules.table.fields import FormContext
from rules.table.forms import Form
from rules.table.initiative import out_of_turn
from rules.table.late_choices import LateChoice, LateChoices, PastStage
from rules.table.no_dice import NO_DICE, DiceNeeded
from rules.table.permissions import is_gm, known_name, require_gm, require_system
from rules.table.resources import pay_cost
from rules.table.state import SYSTEM, TableState
from rules.table.system import Game

#: Most stages and orders that may follow one another without an answer. More is a loop.
MAX_STEPS: Final = 200
#: Checks that are over and stay in reach of buttons and undo. At twice as many the oldest go.
KEPT_CHECKS: Final = 20
#: Most open checks at a table.
MAX_OPEN_CHECKS: Final = 200
#: Most open checks of one player, so that no player blocks the table for the others.
MAX_OWN_CHECKS: Final = 30
#: Stage of a check that is over.
_NO_STAGE: Final[Stage[Any]] = Stage()
#: Kinds of values that a stored note may have.
_PLAIN: Final = (str, int, type(None))
#: Label of a pass before the roll.
_PASSED: Final = Text("answer-pass")


class CheckStep(Record):
    """Step of a check. The events of a check are made of its steps, in order."""

    step: Literal[
        "begun", "chosen", "passed", "moved", "over", "reminded", "stalled", "called", "ended"
    ]
    #: Stage in which it happened, or to which the check came.
    stage: str
    #: Character that has answered.
    who: str = ANY_GM
    #: Key of the prompt that was answered.
    prompt: str = ""
    how: AnsweredBy = "self"
    #: The answer in words.
    said: Text | None = None
    #: Only `who` and the GMs learn of it before the stage is over.
    secret: bool = False
    #: Characters whose players may know of the prompt.
    visible_to: Viewers = None


class CheckAdvance(Record):
    """Result of advancing a check: the new game, the check, its steps in order, other events."""

    game: Game
    check: AnyCheck
    took: tuple[CheckStep, ...]
    events: tuple[Event, ...] = ()

    @property
    def state(self) -> TableState:
        return self.game.state


class CheckRun:
    """A check on its way from one answer to where it waits next.

    `check` is the check as it is now. `result` returns it.
    """

    def __init__(self, game: Game, check: AnyCheck) -> None:
        self.game = game
        self.check: AnyCheck = check
        self.took: list[CheckStep] = []
        self.events: list[Event] = []
        self.course: AnyProcedure = game.system.procedures[check.kind]
        #: Stage in which the check is; _NO_STAGE once it is over and nothing can be added to it.
        self.stage: Stage[Any] = self.course.stages.get(check.stage, _NO_STAGE)
        if check.is_open:
            self.stage = stage_of(game, check)
        #: Whether the stage has to be asked again for its prompts. Set by a new stage, a changed
        #: check and an ended say; `refresh_prompts` does nothing without it, and clears it.
        self.stale = True
        #: Whether the last answer was to a secret prompt. The revision doesn't count such an answer
        #: before the next stage, and a secret prompt that closes still looks open.
        self._quiet = False
        #: Whether others may see a choice made since the last refresh, which then gives new numbers
        #: to `versioned` prompts.
        self._changed = False
        #: The last such choice that a participant made itself. A prompt that asks the same
        #: character again gets a new number at the next refresh.
        self._answered: Choice | None = None
        #: Number of stages and orders that have followed one another, at most MAX_STEPS.
        self._count = 0
        late = game.late
        #: Choices to make at stages that the check is about to leave; None: there are none.
        self._late: LateChoices | None = late if late and late.check == check.id else None
        #: While a late choice draws its own dice: the dice of the action, and the choice's stage.
        self.set_aside: tuple[Streams, str] | None = None
        #: Number of steps and events before the newest of the late choices.
        self.before_newest: tuple[int, int] | None = None
        #: Whether a choice has opened all prompts anew since the last refresh, which then gives
        #: each the time of a new prompt.
        self._reopened = False
        #: Whether a player's say has ended since the last refresh, which then gives the players
        #: still waited for the time that is theirs. Without it they keep the time of all.
        self.say_ended = False

    def result(self) -> CheckAdvance:
        """Return the game with the check in its place; the same state if nothing has changed."""
        state, check = self.game.state, self.check
        was = state.checks.get(check.id)
        if was is not None and (was is check or (was.revision == check.revision and was == check)):
            check = was
        else:
            state = state.with_check(check)
        game = self.game.with_state(state)
        if self._late is not None and self.before_newest is not None:
            steps, events = self.before_newest
            self._late.advance = CheckAdvance(
                game, check, tuple(self.took[steps:]), tuple(self.events[events:])
            )
        return CheckAdvance(game, check, tuple(self.took), tuple(self.events))

    def enter(self, stage: str) -> None:
        """Enter a stage, and every further stage to which the result of entering leads."""
        to: str | None = stage
        while to is not None:
            self._guard_against_loop()
            check = self.check
            if to == NEXT:
                to = self.course.following[check.stage]
            noted = self._quiet or (
                check.asked and any(asked.number >= check.revision for asked in check.asked)
            )
            self._quiet, self.stale = False, True
            revision = check.revision + 1 if noted else check.revision
            self.check = check.replace(
                stage=to, stage_started_at=self.game.at, asked=(), revision=revision
            )
            if to == OVER:
                self._note_final()
            self.stage = self.course.stages.get(to, _NO_STAGE)
            self.took.append(_stage_step(to))
            result = None if to == OVER else self.stage.enter(self.game, self.check)
            if result is None:
                return
            self.apply_result(result)
            to = result.to

    def advance(self) -> None:
        """Refresh prompts, let standing orders answer, and go on until it waits or is over."""
        while self.check.stage != OVER:
            self.refresh_prompts()
            asked = self.check.asked
            waiting = [pending for pending in asked if pending.waiting_for] if asked else ()
            if waiting:
                if not _answer_by_standing_order(self, waiting):
                    return
                self._guard_against_loop()
            elif self.stage.stays(self.game, self.check):
                return
            elif not self._take_late_choice():
                self.enter(NEXT)
        if self.stage is not _NO_STAGE:
            # Choices that are still offered after the end.
            self.refresh_prompts()

    def take_answer(self, asked: OpenPrompt, choice: Choice) -> None:
        """Take an answer with its values as they were typed.

        Raises Impossible("not-offered", "not-enough"), and RulesError as form and stage do.
        """
        self._accept(asked, choice, *self._answer(asked, choice))
        held = self.check.held_death
        if held is not None and asked.prompt.key == DEATH:
            _decide_death(self, held, choice.option)

    def answer_by_clock(self, asked: OpenPrompt) -> None:
        """Let the clock answer for every character waited for; pass where its answer is refused."""
        key, number = asked.prompt.key, asked.number
        for who in asked.waiting_for:
            now = self.check.prompt(key)
            if now is None or now.number != number:
                return  # one of the answers has closed it, or opened it anew
            if who in now.waiting_for and not self.try_answer(
                now, Choice(key, asked.prompt.default or PASS, who, how="clock")
            ):
                self.take_answer(now, Choice(key, PASS, who, how="clock"))
            if not self.check.is_open:
                return
            self.refresh_prompts()

    def preview_answer(self, asked: OpenPrompt, choice: Choice) -> None:
        """Apply what an answer changes by itself, without what follows from it."""
        result, _ = self._answer(asked, choice)
        if result is not None:
            self.apply_result(result)

    def end(self) -> None:
        """End the check at whatever stage it is."""
        check = self.check
        self.check = check.replace(
            stage=OVER,
            stage_started_at=self.game.at,
            asked=(),
            revision=check.revision + 1,
            held_death=None,
        )
        self._note_final()
        self.took.append(CheckStep("ended", OVER))

    def _note_final(self) -> None:
        at = self.game.at
        self.check = self.check.replace(kept_dice=())
        since = at if self._late is None else self._late.final_since(at)
        self.check = self.check.replace(final_since=since)

    # --- choices made after the result ------------------------------------------------------------

    def _take_late_choice(self) -> bool:
        """Take the next late choice for the stage that the check would leave; return whether it
        took one.
        """
        return self._late is not None and _LateChoiceTaker(self, self._late).take_choice()

    # --- answers ----------------------------------------------------------------------------------

    def _answer(
        self, asked: OpenPrompt, choice: Choice
    ) -> tuple[StageResult[Any] | None, Text | None]:
        """Return the result of an answer and its label; both None for a pass that has no label."""
        if choice.option == PASS:
            return None, None if asked.prompt.key == REACT else _PASSED
        key, who = asked.prompt.key, choice.who
        stage, game, check = self.stage, self.game, self.check
        for offered in stage.options(game, check, key, who):
            if offered.value == choice.option:
                break
        else:
            raise Impossible("not-offered", check=check.id)
        if offered.form is not None or choice.values:
            choice = choice.replace(
                values=_read(offered.form, FormContext(game, check, who, choice.values))
            )
        if offered.cost is not None:
            game = _pay_cost(game, who, offered.cost)
        result = stage.choose(game, check, choice)
        return result, result.said or offered.label

    def _accept(
        self, asked: OpenPrompt, choice: Choice, result: StageResult[Any] | None, said: Text | None
    ) -> None:
        prompt = asked.prompt
        if choice.how == "self" and self.check.kept_dice:
            self.check = self.check.replace(kept_dice=())
        self._note_roller(prompt, choice, result)
        if result is not None:
            self.apply_result(result)
        self._note(prompt, choice.option, choice.who, choice.how, said)
        reopen = result is not None and result.reopen
        self._quiet = prompt.secret and not reopen
        if not self._quiet:
            self.check = self.check.replace(revision=self.check.revision + 1)
        if result is None:
            self.replace_prompt(asked.replace(passed=(*asked.passed, choice.who)))
            return
        self._reopened = self._reopened or reopen
        if reopen:
            self.check = _with_prompts_anew(self.game, self.check)
        if not prompt.secret:
            self._changed = True
            self._answered = choice if choice.how == "self" else self._answered
        if result.to is None or (result.to == NEXT and self._take_late_choice()):
            return
        self.enter(result.to)

    def _note_roller(self, prompt: Prompt, choice: Choice, result: StageResult[Any] | None) -> None:
        """Note the participant whose answer made the dice fall, and end an answered say.

        An order and the clock leave `rolled_by` empty. A player who has answered about the dice
        leaves `held_for`.
        """
        check = self.check
        changes = result is not None and result.data is not check.data
        if changes or not self.course.dice_have_fallen(check.data):
            by = self.game.actor.id if choice.how == "self" else ""
            check = check if check.rolled_by == by else check.replace(rolled_by=by)
        if self.course.dice_have_fallen(check.data) and prompt.wait == "react":
            held = tuple([who for who in check.held_for if who != choice.who])
            if held != check.held_for:
                check = check.replace(held_for=held)
                # A secret prompt is not asked again, or others would see who has passed.
                self.say_ended, self.stale = True, self.stale or not prompt.secret
        self.check = check

    def _note(
        self, prompt: Prompt, option: str, who: str, how: AnsweredBy, said: Text | None
    ) -> None:
        step, stage = "passed" if option == PASS else "chosen", self.check.stage
        self.took.append(
            CheckStep(step, stage, who, prompt.key, how, said, prompt.secret, prompt.visible_to)
        )

    def replace_prompt(self, asked: OpenPrompt) -> None:
        """Put an open prompt in the place of the one with its key."""
        check, key = self.check, asked.prompt.key
        prompts = [asked if pending.prompt.key == key else pending for pending in check.asked]
        self.check = check.replace(asked=tuple(prompts))

    def try_answer(self, asked: OpenPrompt, choice: Choice, order: Order | None = None) -> bool:
        """Take an answer that is given automatically; return whether it was taken.

        Nothing changes if the answer is refused, or leaves less of a resource than its order keeps.
        """
        by_order = choice.how in ("order", "away")
        misfit = (LookupError, TypeError, ValueError) if by_order else ()
        try:
            result, said = self._answer(asked, choice)
            after = self.game if result is None else self.game.with_state(result.state)
            if order is not None and not leaves_reserve(after, order, choice.who):
                return False
        except (RulesError, *misfit):
            return False
        self._accept(asked, choice, result, said)
        return True

    def refresh_prompts(self) -> None:
        """Ask the stage for its prompts again.

        A prompt that stays keeps its number, time and passes. A new prompt opens, and every other
        prompt closes. A secret prompt that closes because every character has answered still looks
        open until the stage is over. No prompt depends on a pass, so a pass does not refresh
        prompts.
        """
        if not self.stale:
            return
        check = self.check
        game, stage = self.game, self.stage
        offered = stage.ask(game, check)
        prompts = tuple([decide_waits(game, check, stage, prompt) for prompt in offered])
        if not prompts and not check.asked:
            self._answered, self._changed, self.stale, self.say_ended = None, False, False, False
            return
        was = {pending.prompt.key: pending for pending in check.asked}
        asked: dict[str, OpenPrompt] = {}
        for prompt in () if self._pass_all_at_once(prompts) else prompts:
            key = prompt.key
            if key in asked or (prompt.who is None and prompt.wait is not None):
                raise RuntimeError(
                    f"{check.kind} asks {key} in {check.stage} as nobody can answer it"
                )
            asked[key] = self._updated_prompt(prompt, was.pop(key, None))
        now_open = tuple(asked.values())
        for place, old in enumerate(check.asked if was else ()):
            if old.prompt.key in was and old.prompt.secret and (self._quiet or not old.waiting_for):
                closed = old.replace(prompt=old.prompt.replace(who=()))
                now_open = (*now_open[:place], closed, *now_open[place:])
        self.check = self.check.replace(asked=now_open)
        self._answered, self._changed, self.stale, self._reopened = None, False, False, False
        self.say_ended = False

    def _pass_all_at_once(self, prompts: tuple[Prompt, ...]) -> bool:
        """Pass all prompts at once if standing orders pass each; return whether they did."""
        passes = [] if self.check.asked else _passes_by_order(self, prompts)
        for prompt, who, how in passes:
            self._quiet = prompt.secret
            if not prompt.secret:
                self.check = self.check.replace(revision=self.check.revision + 1)
            self._note(prompt, PASS, who, how, None if prompt.key == REACT else _PASSED)
        return bool(passes)

    def _updated_prompt(self, prompt: Prompt, old: OpenPrompt | None) -> OpenPrompt:
        """Return a prompt as it is open now: a new one, or the one opened before."""
        revision, again = self.check.revision, self._answered
        if old is not None and not self._reopened and old.prompt.wait == prompt.wait:
            if old.prompt.awaited and (prompt.secret or not self.say_ended):
                # Characters who have still to answer keep the time that all had. A new time would
                # reveal who has answered.
                prompt = prompt.replace(time=old.prompt.time)
        if old is None or _is_timed_anew(old.prompt, prompt):
            new = open_prompt(self.game.state.settings, prompt, revision, self.game.at)
            if old is not None:
                new = new.replace(number=old.number, passed=old.passed, ordered=old.ordered)
        else:
            new = old
            if old.prompt != prompt:
                new = old.replace(
                    prompt=prompt, named=tuple(dict.fromkeys((*old.named, *prompt.awaited)))
                )
            # A character has answered and is asked the same again. With a new number, a second
            # press of the old button does not count as a second answer.
            anew = (
                again is not None and again.prompt == prompt.key and again.who in (prompt.who or ())
            )
            if anew or (prompt.versioned and self._changed):
                new = new.replace(number=revision)
        for who in new.waiting_for:
            if who != ANY_GM and _has_left(self.game, who):
                new = new.replace(passed=(*new.passed, who))
        return new

    def _guard_against_loop(self) -> None:
        self._count += 1
        if self._count > MAX_STEPS:
            raise RuntimeError(f"{self.check.kind} runs in a circle at {self.check.stage}")

    def apply_result(self, result: StageResult[Any]) -> None:
        if result.state is not self.game.state:
            self.game = self.game.with_state(result.state)
        self.events += result.events
        self.stale = True
        now = result.check
        if now is None:
            self.check = self.check.replace(data=result.data)
            return
        self.check = self.check.replace(
            data=result.data,
            target=now.target,
            hidden=now.hidden,
            reveal=now.reveal,
            approach=now.approach,
            note=now.note,
        )


def _with_prompts_anew(game: Game, check: AnyCheck) -> AnyCheck:
    """Return a check with the prompts that ask a character opened anew, with no passes."""
    asked: list[OpenPrompt] = []
    for pending in check.asked:
        if pending.prompt.who != ():
            prompt = pending.prompt
            asked.append(open_prompt(game.state.settings, prompt, check.revision, game.at))
    return check.replace(asked=tuple(asked))


def _decide_death(run: CheckRun, held: HeldDeath, option: str) -> None:
    """Let the clock's answer stand with the dice that fell, or give all prompts their time anew."""
    check = run.check.replace(held_death=None, asked=held.asked)
    run.stage, run.stale = run.course.stages[check.stage], True
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
        if players_killed(before, run.game) or not _answer_next_by_clock(run):
            break
    run.game = run.game.replace(rng=rng, actor=actor)


def _answer_next_by_clock(run: CheckRun) -> bool:
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


def _hold_death(
    run: CheckRun, asked: OpenPrompt, who: tuple[str, ...], dice: Iterable[Draw]
) -> None:
    """Ask the GMs whether a death stands that would follow from the clock's answer."""
    prompt, check = asked.prompt, run.check
    held = HeldDeath(
        who, asked.waiting_for, prompt.key, prompt.visible_to, check.asked, tuple(dice)
    )
    run.check = check.replace(held_death=held, asked=(), kept_dice=(), revision=check.revision + 1)
    run.stage, run.stale = stage_of(run.game, run.check), True
    run.took.append(CheckStep("moved", check.stage, visible_to=prompt.visible_to))


def _change_holds(
    run: CheckRun, held_for: tuple[str, ...], who: str = "", said: Text | None = None
) -> None:
    """Change who wants a say. After the last one, what would have rolled by itself rolls."""
    check = run.check
    if len(held_for) < len(check.held_for):
        run.say_ended = True
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


def _passes_by_order(
    run: CheckRun, prompts: tuple[Prompt, ...]
) -> list[tuple[Prompt, str, AnsweredBy]]:
    """Return the passes of all characters whom prompts would wait for; none if one has a say."""
    game, check = run.game, run.check
    passed: list[tuple[Prompt, str, AnsweredBy]] = []
    for prompt in prompts:
        if prompt.wait is None:
            continue
        if prompt.default != PASS or prompt.who is None:
            return []
        for who in prompt.awaited:
            order = standing_order_for(game, check, run.stage, prompt, who)
            if _has_left(game, who) or order is None:
                return []
            if (order.option, order.keep) != (PASS, None):
                return []
            passed.append((prompt, who, how_ordered(game.state, who, order)))
    return passed


def _answer_by_standing_order(run: CheckRun, waiting: Iterable[OpenPrompt]) -> bool:
    """Let a standing order answer one of these prompts; return whether one did.

    Each character's order is tried once per opening of a prompt.
    """
    for now in waiting:
        for who in now.waiting_for:
            if who in now.ordered:
                continue
            order = standing_order_for(run.game, run.check, run.stage, now.prompt, who)
            if order is not None:
                now = now.replace(ordered=(*now.ordered, who))
                run.replace_prompt(now)
                if _follow_order(run, now, who, order):
                    return True
    return False


def _follow_order(run: CheckRun, asked: OpenPrompt, who: str, order: Order) -> bool:
    """Answer a prompt as an order says, or as its `otherwise` says; return whether that worked."""
    key = asked.prompt.key
    how = how_ordered(run.game.state, who, order)
    first = Choice(key, order.option, who, order.values, how)
    if run.try_answer(asked, first, order):
        return True
    if order.otherwise is None:
        return False
    other = Choice(key, order.otherwise, who, how="order")
    if other.option != PASS and run.try_answer(asked, other):
        return True
    return may_pass(asked.prompt) and run.try_answer(asked, Choice(key, PASS, who, how="order"))


class _LateChoiceTaker:
    """Taker of the late choices for the stage that a check is about to leave."""

    def __init__(self, run: CheckRun, late: LateChoices) -> None:
        self._run, self._late = run, late

    def take_choice(self) -> bool:
        """Take the next choice for this stage; return whether there was one.

        Raises as `choose`, and Impossible("not-offered").
        """
        run, late = self._run, self._late
        check = run.check
        if run.set_aside is not None and run.set_aside[1] == check.stage:
            # The stage of the late choice is over: the action's own dice go on where they were.
            run.game = run.game.replace(rng=run.set_aside[0])
            run.set_aside = None
        if not may_step_in(run.game, check):
            return False
        choice = late.take_for(check.stage)
        if choice is None:
            again = self._prompts_again()
            past = run.game.with_state(run.game.state.with_check(again))
            late.past.append(PastStage(past, again))
            return False
        if choice is late.newest:
            run.before_newest = len(run.took), len(run.events)
        self._take(choice)
        return True

    def _take(self, late: LateChoice) -> None:
        """Answer the open prompt with a late choice, as its player and with its own dice."""
        run, choice, actor = self._run, late.choice, self._run.game.actor
        worked = _public_success(procedure_of(run.game, run.check.kind), run.game, run.check)
        if run.set_aside is None:
            run.set_aside = run.game.rng, choice.stage
        run.game = run.game.replace(rng=late.dice, actor=Actor(choice.by), at=choice.at)
        revision = max(run.check.revision, self._late.revision) + 1
        run.check = self._prompts_again(choice.who).replace(revision=revision, rolled_by=choice.by)
        asked = run.check.prompt(choice.prompt)
        if asked is None or not may_see_prompt(run.game, asked, run.game.actor):
            raise Impossible("not-offered", check=run.check.id)
        _permit(run.game, run.check, asked, choice.who)
        steps = len(run.took)
        run.take_answer(asked, Choice(choice.prompt, choice.option, choice.who))
        run.game = run.game.replace(actor=actor)
        said = next((step.said for step in run.took[steps:] if step.said is not None), None)
        note = _step_in_note(choice.who, said, worked)
        run.check = run.check.replace(step_ins=(*run.check.step_ins, note))

    def _prompts_again(self, who: str | None = None) -> AnyCheck:
        """Return the check with its stage's prompts open for every character, passed or not.

        With *who*, a prompt stays passed for every other character that has passed.
        """
        game, check = self._run.game, self._run.check
        stage = stage_of(game, check)
        prompts: list[OpenPrompt] = []
        for offered in stage.ask(game, check):
            prompt = decide_waits(game, check, stage, offered)
            asked = open_prompt(game.state.settings, prompt, check.revision, game.at)
            old = check.prompt(prompt.key)
            if who is not None and old is not None:
                left = tuple([other for other in old.passed if other != who])
                asked = asked.replace(passed=left)
            prompts.append(asked)
        return check.replace(asked=tuple(prompts))


def may_step_in(game: Game, check: AnyCheck) -> bool:
    """Return whether a choice may be made at a check's stage after the check has gone on.

    After a verdict on a secret number only what the rules allow after a result may be chosen.
    """
    course = procedure_of(game, check.kind)
    stage = course.stages.get(check.stage)
    if stage is None or stage.step_in is None or not course.dice_have_fallen(check.data):
        return False
    return stage.step_in == "after-verdict" or not stage.has_secret_number(game, check)


def _step_in_note(who: str, said: Text | None, worked: bool | None) -> StepInNote:
    """Return the note of a late choice.

    A text with anything but plain values in it is left out: it could name a character.
    """
    if said is None or not all(isinstance(param, _PLAIN) for param in said.params.values()):
        return StepInNote(who, "", {}, worked)
    return StepInNote(who, said.code, dict(said.params), worked)


def _public_success(course: AnyProcedure, game: Game, check: AnyCheck) -> bool | None:
    """Return whether the verdict that all participants see is a success; None for neither."""
    verdict = public_verdict(course.describe(game, check))
    return None if verdict is None else verdict.worked


def _is_timed_anew(old: Prompt, new: Prompt) -> bool:
    """Return whether a prompt that stays open waits from now on, not since it was opened."""
    if (old.wait, old.time) != (new.wait, new.time):
        return True
    return bool(new.awaited) and not old.awaited


def _has_left(game: Game, who: str) -> bool:
    character = game.state.characters.get(who)
    return character is None or character.retired


@cache
def _stage_step(to: str) -> CheckStep:
    """Return the step into a stage. A procedure has few stages, so steps are cached."""
    return CheckStep("over" if to == OVER else "moved", to)


def _read(form: Form | None, asking: FormContext) -> Values:
    """Return the values that a form reads. Without a form, any value is refused."""
    if form is not None:
        return form.read_json(asking.values, asking)
    if asking.values:
        key = min(asking.values)[:60]
        raise InvalidInput("unknown-field", field=key, value=None, allowed=(), nearest=())
    return {}


def _pay_cost(game: Game, who: str, cost: Cost) -> Game:
    """Return the game after a choice is paid for. Raises Impossible("not-enough")."""
    payer = cost.who or who
    return game.with_sheet(payer, pay_cost(game.system.resources, game.sheet(payer), cost))


def _room(game: Game) -> dict[str, AnyCheck]:
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
    over = [key for key, check in checks.items() if check.stage == OVER]
    for key in over[:-KEPT_CHECKS]:
        del checks[key]
    return checks


class About(TypedDict, total=False):
    """Characters of a check, and who may see it."""

    actor: str
    target: str | None
    visibility: Visibility
    gm_only: bool


def draft_check(
    game: Game, kind: str, place: str, values: Values, **about: Unpack[About]
) -> AnyCheck:
    """Return the check that `begin` would begin, before anything happens in it.

    A public check has a counted id. The id of any other check counts nothing, so it reveals
    nothing. Raises what form and procedure raise.
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
        game, check, _read(course.form, FormContext(game, check, check.actor, values))
    )
    # Only now it is known who sees it: its rules may keep it to some.
    return draft.replace(
        id=f"c{counters.check + 1}" if _is_public(draft) else f"h{game.rng.tag(number)}"
    )


def _is_public(check: AnyCheck) -> bool:
    """Return whether all players see a check, so that its id may reveal how many there were."""
    return check.visibility == "public" and not check.gm_only


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
    check = check.replace(out_of_turn=turn_problem(game, check))
    checks = _room(game)
    checks[check.id] = check
    counters = state.counters.replace(
        check=state.counters.check + _is_public(check), begun=check.number
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
        _permit(game, answered, now, character)
        if option == PASS and not may_pass(now.prompt):
            raise Impossible("not-offered", check=answered.id)
        run.take_answer(now, Choice(prompt, option, character, values or {}))
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


def _permit(game: Game, check: AnyCheck, asked: OpenPrompt, who: str) -> None:
    """Require that the acting participant may answer this prompt for `who` now.

    Raises NotPermitted("gm-only", "owner-only", "not-asked"), Impossible("already-answered").
    """
    character = game.state.characters.get(who)
    if not may_answer_prompt(game, check, asked, who):
        if character is None:
            raise NotPermitted("gm-only")
        name = known_name(game.state, game.actor, character)
        raise NotPermitted("owner-only", character=name, owner=character.owner)
    asks = asked.prompt.who is None or who in asked.prompt.who
    if who in asked.passed or (not asks and who in asked.named):
        raise Impossible("already-answered", check=check.id)
    if not asks:
        raise NotPermitted("not-asked", check=check.id)


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
        _hold_death(run, asked, killed, dice.draws)
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
        if not _answer_next_by_clock(run):
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


def require_round_over(game: Game, place: str, number: int) -> None:
    """Raise `round_open_error` over checks begun in this round of a place that are still open."""
    open_checks = open_round_checks(game, place, number)
    if open_checks:
        raise round_open_error(game, open_checks)


def round_open_error(game: Game, open_checks: Iterable[AnyCheck]) -> Impossible:
    """Return Impossible("round-open") with the ids of the open checks that the actor may know.

    The ids are empty if the actor may know none of them.
    """
    known = tuple([check.id for check in open_checks if is_open_to(game, check, game.actor)])
    return Impossible("round-open", checks=known, gm=is_gm(game.state, game.actor))


def _run_for_gm(game: Game, check: AnyCheck) -> CheckRun:
    """Return the run of an open check that a GM ends."""
    require_gm(game.state, game.actor)
    if not check.is_open:
        raise moved_on_error(game, check, "")
    return CheckRun(game, check)


def open_round_checks(game: Game, place: str, number: int) -> list[AnyCheck]:
    """Return the checks begun in this round of a place that are still open, and hold it."""
    still_open: list[AnyCheck] = []
    for check in game.state.open_checks:
        if (check.place, check.round) == (place, number):
            stage = stage_of(game, check)
            if not stage.stays(game, check):
                still_open.append(check)
    return still_open


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
