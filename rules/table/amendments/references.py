"""References of later actions to prompts, waits and turns, found again on the changed table."""

from __future__ import annotations

from rules.core.errors import Outdated, RulesError
from rules.table.actions import (
    Action,
    Choose,
    DelayTurn,
    Due,
    MoreTime,
    MoreTurnTime,
    NextTurn,
)
from rules.table.check import AnyCheck, OpenPrompt
from rules.table.checks.prompt_times import CheckWait, pending_waits
from rules.table.initiative import (
    block_of,
    encounter_in,
    is_hidden,
    known_round,
    same_slot,
    slot_on_turn,
    turn_number,
)
from rules.table.permissions import is_gm
from rules.table.roll_calls.roll_call import (
    ROLL_CALL_END,
    RollCall,
    roll_call_key,
    roll_calls,
    wait_of,
)
from rules.table.state import AnyEncounter, Slot, TableState
from rules.table.system import Game
from rules.table.turns.slots import meant_slot
from rules.table.turns.turn_block import is_member, share_slot
from rules.table.turns.turn_clock import waits_of_turn
from rules.table.wait_places import place_of_wait


def rebound(action: Action, was: Game, now: Game) -> Action | None:
    """Return an action with references to the changed table; None for a wait that isn't due.

    *was* is the table that the action met then, *now* the changed one, both for its actor. Raises
    Outdated("turn-moved-on") if it ended or delayed a turn that isn't one of the present block.
    """
    if isinstance(action, Choose | MoreTime):
        return _rebound_answer(action, was.state, now.state)
    if isinstance(action, Due):
        return _rebound_wait(action, was.state, now.state)
    if isinstance(action, NextTurn | DelayTurn):
        return _rebound_turn(action, was, now)
    if isinstance(action, MoreTurnTime):
        return _rebound_more_time(action, was.state, now.state)
    return action


def _open_prompt(state: TableState, check: str, key: str) -> OpenPrompt | None:
    found = state.checks.get(check)
    return None if found is None else found.prompt(key)


def _rebound_answer(action: Choose | MoreTime, was: TableState, now: TableState) -> Action:
    before = _open_prompt(was, action.check, action.prompt)
    after = _open_prompt(now, action.check, action.prompt)
    if before is None or after is None or action.number != before.number:
        return action
    return action.replace(number=after.number)


def _rebound_turn(action: NextTurn | DelayTurn, was: Game, now: Game) -> Action:
    before, after = encounter_in(was.state, action.place), encounter_in(now.state, action.place)
    if before is None or after is None:
        return action
    then, present = slot_on_turn(before), slot_on_turn(after)
    if then is None and present is None:
        return action
    if then is None or present is None:
        raise Outdated("turn-moved-on")
    is_back = isinstance(action, DelayTurn) and action.back
    meant = then if is_back else _meant_slot(was, before, then, action.as_)
    if meant is None or not is_member(meant, block_of(now.state, after)):
        raise Outdated("turn-moved-on")
    if not is_back:
        again = _meant_slot(now, after, present, action.as_)
        if again is None or not same_slot(again, meant):
            # Others of the block may have a turn now, or may have acted.
            action = action.replace(as_=meant.character or meant.name)
    return _with_shown_turn(action, now.state, after)


def _meant_slot(game: Game, encounter: AnyEncounter, slot: Slot, as_: str | None) -> Slot | None:
    """Return the slot whose turn an action means; None if it would have to name one."""
    try:
        return meant_slot(game, encounter, slot, as_)
    except RulesError:
        return None


def _rebound_more_time(action: MoreTurnTime, was: TableState, now: TableState) -> Action:
    before, after = encounter_in(was, action.place), encounter_in(now, action.place)
    if before is None or after is None:
        return action
    if not share_slot(block_of(was, before), block_of(now, after)):
        raise Outdated("turn-moved-on")
    return _with_shown_turn(action, now, after)


def _with_shown_turn(
    action: NextTurn | DelayTurn | MoreTurnTime, now: TableState, encounter: AnyEncounter
) -> Action:
    """Return an action with the present round and turn in place of those that were shown then."""
    slot = slot_on_turn(encounter)
    is_unseen = slot is not None and is_hidden(now, slot) and not is_gm(now, action.who)
    turn = 0 if is_unseen else turn_number(encounter)
    return action.replace(
        round=None if action.round is None else known_round(now, encounter),
        turn=None if action.turn is None else turn,
    )


def _rebound_wait(action: Due, was: TableState, now: TableState) -> Action | None:
    if action.wait.startswith(ROLL_CALL_END):
        return _rebound_call_end(action, was, now)
    place = place_of_wait(action.wait)
    if place is not None:
        return _rebound_turn_wait(action, place, was, now)
    for check in was.checks.values():
        for wait in pending_waits(check):
            if wait.id == action.wait:
                return _rebound_check_wait(action, wait, now.checks.get(check.id))
    return action


def _rebound_call_end(action: Due, was: TableState, now: TableState) -> Action | None:
    """Return the end of the same roll call, unless it has another end that isn't due yet."""
    then = next((call for call in roll_calls(was) if wait_of(call) == action.wait), None)
    if then is None:
        return action
    call = now.own.get(roll_call_key(then.id))
    if not isinstance(call, RollCall) or call.until is None or call.until > action.at:
        return None
    return action.replace(wait=wait_of(call))


def _rebound_check_wait(action: Due, then: CheckWait, check: AnyCheck | None) -> Action | None:
    due: list[str] = []
    for wait in () if check is None else pending_waits(check):
        if wait.id == action.wait:
            return action
        same = wait.asked.prompt.key == then.asked.prompt.key and wait.default == then.default
        if same and wait.due <= action.at:
            due.append(wait.id)
    # Of several reminders, the last one is meant; the others are over.
    return action.replace(wait=due[-1]) if due else None


def _rebound_turn_wait(action: Due, place: str, was: TableState, now: TableState) -> Action | None:
    then = next((wait for wait in waits_of_turn(was, place) if wait.id == action.wait), None)
    if then is None:
        return action
    due: list[str] = []
    for wait in waits_of_turn(now, place):
        if wait.id == action.wait:
            return action
        if wait.ends_turn == then.ends_turn and wait.due <= action.at:
            due.append(wait.id)
    return action.replace(wait=due[-1]) if due else None
