"""Step-ins: choices made after a result, at a stage that the check has passed.

The journal entry that made the result is carried out once more on the table before it. At the stage
in question the check takes the choice. Parts that come out differently replace the present ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from rules.core.cards.piles import DRAW_PILE
from rules.core.dice.no_dice import NO_DICE
from rules.core.errors import Impossible, NotPermitted
from rules.core.record import Record
from rules.table.actions import Actor, AskToStepIn, LateStep, RefuseStepIn, StepIn
from rules.table.blocks import GMS, Audience
from rules.table.check import OVER, PASS, QUESTION_PREFIX, AnyCheck, Check, StepInQuestion
from rules.table.checks.access import find_check, may_answer
from rules.table.checks.available_moves import Move, check_moves
from rules.table.checks.check_events import events_for
from rules.table.checks.check_run import CheckAdvance
from rules.table.checks.procedure import CheckOption
from rules.table.checks.step_in_time import step_in_until
from rules.table.events import CheckChanged, Event, Notice, StepInAsked, StepInDecided
from rules.table.gms.gm_acts import with_gm_act
from rules.table.initiative import encounter_in
from rules.table.late_choices import LateChoices, PastStage
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, require_gm
from rules.table.readable_places import ReadablePlaces
from rules.table.state import KEPT_BY_UNDO, Counters, Part, TableState, from_parts
from rules.table.system import Game, System

#: Option of the prompt with which a GM lets a result stand.
_LET_STAND: Final = "stand"

#: Parts by key; None for a part that was not there.
Parts = Mapping[str, Part | None]


class PastMove(Record):
    """Options that an actor still has at one stage that a check has passed."""

    #: Name of the stage.
    stage: str
    move: Move


# --- time limit -----------------------------------------------------------------------------------


def allows_step_in(system: System, check: AnyCheck) -> bool:
    """Return whether the rules have stages at which a check's result can still be changed."""
    procedure = system.procedures[check.kind]
    stages = procedure.stages.values()
    return any(stage.step_in for stage in stages) and procedure.dice_have_fallen(check.data)


def require_step_in_time(game: Game, check: AnyCheck) -> None:
    """Refuse a step-in that the table, the rules or the time don't allow.

    Raises:
        Impossible("step-in-off"): the result was final at once.
        Impossible("step-in-over"): the time to step in is over.
    """
    until = step_in_until(game.state.settings, check, game.at)
    if until is None or not allows_step_in(game.system, check):
        raise Impossible("step-in-off", check=check.id)
    if game.at > until:
        raise Impossible("step-in-over", check=check.id)


def is_play_past(game: Game, check: AnyCheck) -> bool:
    """Return whether play has moved on past a check, so that it is too late (MB-CARD-13).

    Play has moved on once the round is over. At a table that waits for all players, a later check
    in the place counts too.
    """
    encounter = encounter_in(game.state, check.place)
    now = encounter.round if encounter is not None and encounter.round else None
    if now != check.round:
        return True
    others = game.state.checks.values()
    later = any(each.place == check.place and each.number > check.number for each in others)
    return later and game.state.settings.wait_for_everybody


def too_late_error(check: AnyCheck) -> Impossible:
    """Return the refusal of a choice that comes too late.

    Every reason has the same refusal, so that a secret step of another player shows nothing.
    """
    return Impossible("step-in-too-late", check=check.id)


# --- options --------------------------------------------------------------------------------------


def past_moves(
    past: Iterable[PastStage], actor: Actor, at: int, readable: ReadablePlaces
) -> tuple[PastMove, ...]:
    """Return an actor's options at the stages that a check has passed, oldest first."""
    found: list[PastMove] = []
    for each in past:
        game = each.game.replace(actor=actor, at=at, rng=NO_DICE, readable=readable, late=None)
        for move in check_moves(game, each.check):
            options = tuple([option for option in move.options if _is_late_option(option)])
            if options:
                left = move.replace(options=options, passes=False, offer=False)
                found.append(PastMove(each.check.stage, left))
    return tuple(found)


def with_missing_moves(
    moves: Iterable[PastMove], others: Iterable[PastMove]
) -> tuple[PastMove, ...]:
    """Return moves together with the options that only *others* have."""
    merged: dict[tuple[str, str, str], PastMove] = {}
    for past in (*moves, *others):
        move = past.move
        known = merged.setdefault((past.stage, move.prompt, move.who), past)
        values = {option.value for option in known.move.options}
        added = tuple(option for option in move.options if option.value not in values)
        if added:
            both = known.move.replace(options=(*known.move.options, *added))
            merged[past.stage, move.prompt, move.who] = known.replace(move=both)
    return tuple(merged.values())


def _is_late_option(option: CheckOption) -> bool:
    """Return whether an option changes the result and needs no form.

    A pass, and letting the result stand, change nothing.
    """
    return option.form is None and option.value not in (PASS, _LET_STAND)


def find_move(
    moves: Iterable[PastMove], action: StepIn | AskToStepIn, check: AnyCheck
) -> CheckOption:
    """Return the option that an action names.

    Raises Impossible("not-offered") if no move has it.
    """
    for each in moves:
        move = each.move
        if (each.stage, move.prompt, move.who) == (action.stage, action.prompt, action.as_):
            for option in move.options:
                if option.value == action.option:
                    return option
    raise Impossible("not-offered", check=check.id)


# --- outcome --------------------------------------------------------------------------------------


def state_before(state: TableState, earlier: Sequence[Parts]) -> TableState:
    """Return the table before entries, given the parts that each of them changed.

    `earlier` has those parts as they were before each entry, the newest entry first.
    """
    parts = dict(state.parts())
    begun: list[AnyCheck] = []
    for changed in earlier:
        for key, part in changed.items():
            if key in KEPT_BY_UNDO:
                continue
            if part is None:
                gone = parts.pop(key, None)
                if isinstance(gone, Check):
                    begun.append(gone)
            else:
                parts[key] = part
    before = from_parts(parts)
    if begun:
        # A check that the entries began gets the same number and id again.
        counted = [int(check.id[1:]) for check in begun if check.id[1:].isdecimal()]
        counters = before.counters.replace(begun=min(check.number for check in begun) - 1)
        if counted:
            counters = counters.replace(check=min(counted) - 1)
        before = before.replace(counters=counters)
    return before


def same_part(one: Part | None, other: Part | None) -> bool:
    """Return whether two versions of a part are the same, but for the numbers of a check.

    An undo brings a check back with another revision and other numbers of its prompts.
    """
    if isinstance(one, Check) and isinstance(other, Check):
        return _without_numbers(one) == _without_numbers(other)
    return one == other


def _without_numbers(check: AnyCheck) -> AnyCheck:
    asked = () if check.stage == OVER else check.asked
    return check.replace(
        revision=0, stage_started_at=0, asked=tuple([each.replace(number=0) for each in asked])
    )


def has_drawn_cards(before: TableState, after: TableState) -> bool:
    """Return whether a draw pile has changed between two states of the table."""
    for key, piles in after.decks.items():
        was = before.decks.get(key)
        if was is not None and was.cards_at(DRAW_PILE) != piles.cards_at(DRAW_PILE):
            return True
    return False


def conflicting_parts(now: TableState, base: TableState, new: TableState) -> frozenset[str]:
    """Return the keys of parts that a step-in would change, but that have changed since.

    `now` is the present table. `base` is the table after the rerun without the choice, and `new`
    the table after the rerun with it.
    """
    current = dict(now.parts())
    result, wanted = dict(base.parts()), dict(new.parts())
    found: set[str] = set()
    for key in _differing(result, wanted):
        if not same_part(current.get(key), result.get(key)):
            found.add(key)
    return frozenset(found)


def _differing(one: Mapping[str, Part], other: Mapping[str, Part]) -> list[str]:
    keys = dict.fromkeys((*one, *other))
    return [key for key in keys if key not in KEPT_BY_UNDO and one.get(key) != other.get(key)]


def merged_state(now: TableState, base: TableState, new: TableState) -> TableState:
    """Return the present table with the parts that differ between `base` and `new` from `new`."""
    parts = dict(now.parts())
    result, wanted = dict(base.parts()), dict(new.parts())
    for key in _differing(result, wanted):
        part = wanted.get(key)
        if part is None:
            parts.pop(key, None)
        else:
            parts[key] = part
    merged = from_parts(parts)
    if base.counters == new.counters:
        return merged
    return merged.replace(counters=_later_counters(now, new))


def _later_counters(now: TableState, new: TableState) -> Counters:
    one, other = now.counters, new.counters
    return one.replace(
        check=max(one.check, other.check),
        begun=max(one.begun, other.begun),
        own=max(one.own, other.own),
        started=max(one.started, other.started),
        offer=max(one.offer, other.offer),
    )


def step_in_outcome(
    game: Game, action: StepIn, base: Outcome, new: Outcome, late: LateChoices
) -> Outcome:
    """Return the outcome of a step-in.

    `game` is the present table. `base` is the rerun with the earlier choices only, `new` the rerun
    with this one too, and `late` its choices. Raises Impossible("not-offered") if the check didn't
    take the choice.
    """
    made: CheckAdvance | None = late.advance
    check = game.state.checks[action.check]
    if made is None or not late.all_made:
        raise Impossible("not-offered", check=check.id)
    state = merged_state(game.state, base.state, new.state)
    after = made.game.replace(state=state, actor=game.actor, at=action.at, late=None)
    now = state.checks.get(check.id, made.check)
    told = events_for(game.state, made.replace(game=after, check=now, events=()))
    answered: tuple[Event, ...] = ()
    if action.asked_by:
        state = without_question(state, action.question)
        answered = (_decided(action, check, let_in=True),)
    events = (*told, *_new_events(base.events, new.events, check.id), *answered)
    return with_gm_act(game, Outcome(state, events), action)


def _new_events(base: Sequence[Event], new: Sequence[Event], check: str) -> tuple[Event, ...]:
    """Return the events that only the run with the choice has, without those of the check."""
    known = list(base)
    found: list[Event] = []
    for each in new:
        if isinstance(each, CheckChanged) and each.check == check:
            continue
        if each in known:
            known.remove(each)
        else:
            found.append(each)
    return tuple(found)


# --- questions to the GMs -------------------------------------------------------------------------


def open_questions(state: TableState) -> tuple[StepInQuestion, ...]:
    """Return the questions that no GM has answered, oldest first."""
    found = [each for each in state.own.values() if isinstance(each, StepInQuestion)]
    return tuple(sorted(found, key=lambda each: each.number))


def require_question(state: TableState, number: int) -> StepInQuestion:
    """Return the open question of that number.

    Raises Impossible("step-in-decided") once a GM has answered the question.
    """
    found = state.own.get(f"{QUESTION_PREFIX}{number}")
    if not isinstance(found, StepInQuestion):
        raise Impossible("step-in-decided")
    return found


def with_question(state: TableState, asked: StepInAsked, at: int) -> TableState:
    """Return the table with an open question, and without questions about checks that are gone.

    It was asked at the time *at*, in seconds since 1970.
    """
    for each in open_questions(state):
        if each.check not in state.checks:
            state = without_question(state, each.number)
    question = StepInQuestion(asked.question, asked.check, asked.by, at)
    return state.with_own(f"{QUESTION_PREFIX}{asked.question}", question)


def without_question(state: TableState, number: int) -> TableState:
    """Return the table without the question of that number."""
    return state.with_own(f"{QUESTION_PREFIX}{number}", None)


def ask_to_step_in(
    game: Game, action: AskToStepIn, option: CheckOption, undoes: tuple[int, ...], number: int
) -> Outcome:
    """Ask the GMs to let a player step in, though it is too late.

    `undoes` are the numbers of the later entries that would be undone. `number` is the number of
    the entry of this action. Raises NotPermitted("not-asked") if the actor can't answer for the
    character.
    """
    check = find_check(game, action.check)
    if not may_answer(game.state, game.actor, action.as_, game.at, gm_only=check.gm_only):
        raise NotPermitted("not-asked", check=check.id)
    asked = StepInAsked(
        audience=GMS,
        by=game.actor.id,
        check=check.id,
        place=check.place,
        stage=action.stage,
        prompt=action.prompt,
        option=action.option,
        revision=action.revision,
        who=action.as_,
        said=option.label,
        undoes=undoes,
        question=number,
        ping_gms=not is_gm(game.state, game.actor),
    )
    sent = Notice(
        "step-in-sent",
        audience=Audience(people=(game.actor.id,)),
        by=game.actor.id,
        params={"check": check.id},
    )
    return Outcome(with_question(game.state, asked, game.at), (asked, sent))


def refuse_step_in(state: TableState, action: RefuseStepIn, game: Game) -> Outcome:
    """Tell a player that a choice comes too late.

    Raises:
        NotPermitted("gm-only"): the actor is no GM.
        Impossible("step-in-decided"): a GM has answered the question already.
    """
    require_gm(state, action.who)
    check = find_check(game, action.check)
    require_question(state, action.question)
    told = _decided(action, check, let_in=False)
    return Outcome(without_question(state, action.question), (told,))


def let_in_event(state: TableState, late: LateStep, by: str) -> tuple[StepInDecided, TableState]:
    """Return the answer to a question that a GM let in, and the table without the question."""
    event = StepInDecided(
        audience=Audience(people=(late.by,)),
        by=by,
        check=late.check,
        let_in=True,
        question=late.question,
        ping=(late.by,),
    )
    return event, without_question(state, late.question)


def _decided(action: StepIn | RefuseStepIn, check: AnyCheck, *, let_in: bool) -> StepInDecided:
    return StepInDecided(
        audience=Audience(people=(action.asked_by,)),
        by=action.who.id,
        check=check.id,
        let_in=let_in,
        question=action.question,
        ping=(action.asked_by,),
    )
