"""The run of a check from one answer to where it waits next.

After every answer the run asks the stage for its prompts again. A prompt that stays keeps its
number, time and passes. A new prompt opens, and every other prompt closes. Once a check waits for
no answer, it goes on by itself. Only the check is stored: no callback, and no place in the code.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal

from rules.core.errors import Impossible, InvalidInput, RulesError
from rules.core.record import Record
from rules.core.rng import Streams
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
    Choice,
    Cost,
    OpenPrompt,
    Order,
    Prompt,
    RolledHow,
    StepInNote,
    Values,
    Viewers,
)
from rules.table.checks.access import (
    may_see_prompt,
    require_answerer,
)
from rules.table.checks.deaths import stage_of
from rules.table.checks.procedure import AnyProcedure, Stage, StageResult, procedure_of
from rules.table.checks.prompt_times import open_prompt
from rules.table.checks.standing_orders import (
    how_ordered,
    leaves_reserve,
    may_pass,
    standing_order_for,
)
from rules.table.checks.waiting import decide_waits
from rules.table.checks.whispered_checks import without_outsiders
from rules.table.events import Event
from rules.table.forms.fields import FormContext
from rules.table.forms.form import Form
from rules.table.late_choices import LateChoice, LateChoices, PastStage
from rules.table.resources import pay_cost
from rules.table.state import SYSTEM, TableState
from rules.table.system import Game

#: Most stages and orders that may follow one another without an answer. More is a loop.
MAX_STEPS: Final = 200
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


@dataclass(slots=True)
class ChangesSinceRefresh:
    """Changes to a check since its stage was last asked for prompts."""

    #: The stage has to be asked again: it is new, the check has changed, or a say has ended.
    stale: bool = False
    #: Others may see a choice that was made. `versioned` prompts get a new number.
    visible: bool = False
    #: The last such choice that a participant made itself. A prompt that asks the same character
    #: again gets a new number.
    answered: Choice | None = None
    #: A choice has opened all prompts anew, which gives each the time of a new prompt.
    reopened: bool = False
    #: A player's say has ended, which gives the players still waited for the time that is theirs.
    #: Without it they keep the time of all.
    say_ended: bool = False


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
        #: Changes since the stage was asked for its prompts.
        self.changes = ChangesSinceRefresh(stale=True)
        #: Whether the last answer was to a secret prompt. The revision doesn't count such an answer
        #: before the next stage, and a secret prompt that closes still looks open.
        self._last_was_secret = False
        #: Number of stages and orders that have followed one another, at most MAX_STEPS.
        self._count = 0
        late = game.late
        #: Choices to make at stages that the check is about to leave; None: there are none.
        self._late: LateChoices | None = late if late and late.check == check.id else None
        #: While a late choice draws its own dice: the dice of the action, and the choice's stage.
        self.set_aside: tuple[Streams, str] | None = None
        #: Number of steps and events before the newest of the late choices.
        self.before_newest: tuple[int, int] | None = None

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
            noted = self._last_was_secret or (
                check.asked and any(asked.number >= check.revision for asked in check.asked)
            )
            self._last_was_secret, self.changes.stale = False, True
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
                values=read_values(offered.form, FormContext(game, check, who, choice.values))
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
        self._last_was_secret = prompt.secret and not reopen
        if not self._last_was_secret:
            self.check = self.check.replace(revision=self.check.revision + 1)
        if result is None:
            self.replace_prompt(asked.replace(passed=(*asked.passed, choice.who)))
            return
        if reopen:
            self.changes.reopened = True
            self.check = _with_prompts_anew(self.game, self.check)
        if not prompt.secret:
            self.changes.visible = True
            if choice.how == "self":
                self.changes.answered = choice
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
            ended_by_gm = choice.how == "clock" and self.game.actor.id != SYSTEM
            how: RolledHow = "gm" if ended_by_gm else choice.how
            if (check.rolled_by, check.rolled_how) != (by, how):
                check = check.replace(rolled_by=by, rolled_how=how)
        if self.course.dice_have_fallen(check.data) and prompt.wait == "react":
            held = tuple([who for who in check.held_for if who != choice.who])
            if held != check.held_for:
                check = check.replace(held_for=held)
                self.changes.say_ended = True
                # A secret prompt is not asked again, or others would see who has passed.
                if not prompt.secret:
                    self.changes.stale = True
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
        if not self.changes.stale:
            return
        check = self.check
        game, stage = self.game, self.stage
        offered = without_outsiders(game, check, stage.ask(game, check))
        prompts = tuple([decide_waits(game, check, stage, prompt) for prompt in offered])
        if not prompts and not check.asked:
            self.changes = ChangesSinceRefresh()
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
        for place, old in enumerate(check.asked):
            if old.prompt.key in was and self._still_looks_open(old):
                closed = old.replace(prompt=old.prompt.replace(who=()))
                now_open = (*now_open[:place], closed, *now_open[place:])
        self.check = self.check.replace(asked=now_open)
        self.changes = ChangesSinceRefresh()

    def _still_looks_open(self, closed: OpenPrompt) -> bool:
        """Return whether a closed secret prompt hides that every character has answered."""
        if not closed.prompt.secret:
            return False
        return self._last_was_secret or not closed.waiting_for

    def _pass_all_at_once(self, prompts: tuple[Prompt, ...]) -> bool:
        """Pass all prompts at once if standing orders pass each; return whether they did."""
        passes = [] if self.check.asked else _passes_by_order(self, prompts)
        for prompt, who, how in passes:
            self._last_was_secret = prompt.secret
            if not prompt.secret:
                self.check = self.check.replace(revision=self.check.revision + 1)
            self._note(prompt, PASS, who, how, None if prompt.key == REACT else _PASSED)
        return bool(passes)

    def _updated_prompt(self, prompt: Prompt, old: OpenPrompt | None) -> OpenPrompt:
        """Return a prompt as it is open now: a new one, or the one opened before."""
        revision, again = self.check.revision, self.changes.answered
        if old is not None and not self.changes.reopened and old.prompt.wait == prompt.wait:
            if old.prompt.awaited and (prompt.secret or not self.changes.say_ended):
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
            if anew or (prompt.versioned and self.changes.visible):
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
        self.changes.stale = True
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
        require_answerer(run.game, run.check, asked, choice.who)
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
        for offered in without_outsiders(game, check, stage.ask(game, check)):
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


def read_values(form: Form | None, asking: FormContext) -> Values:
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
