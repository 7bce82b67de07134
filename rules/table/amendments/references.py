"""References of later actions to prompts, waits and turns, found again on the changed table."""

from __future__ import annotations

from rules.core.errors import Outdated
from rules.table.actions import Action, Choose, DelayTurn, Due, MoreTime, NextTurn
from rules.table.check import AnyCheck, OpenPrompt
from rules.table.checks.prompt_times import CheckWait, pending_waits
from rules.table.initiative import encounter_in, same_slot, slot_on_turn
from rules.table.roll_calls.roll_call import (
    ROLL_CALL_END,
    RollCall,
    roll_call_key,
    roll_calls,
    wait_of,
)
from rules.table.state import TableState
from rules.table.turns.turn_clock import waits_of_turn
from rules.table.wait_places import place_of_wait


def rebound(action: Action, was: TableState, now: TableState) -> Action | None:
    """Return an action with references to the changed table; None for a wait that isn't due.

    *was* is the table that the action met then, *now* the changed one. Raises
    Outdated("turn-moved-on") if it ended or delayed another turn.
    """
    if isinstance(action, Choose | MoreTime):
        return _rebound_answer(action, was, now)
    if isinstance(action, Due):
        return _rebound_wait(action, was, now)
    if isinstance(action, NextTurn | DelayTurn):
        return _rebound_turn(action, was, now)
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


def _rebound_turn(action: NextTurn | DelayTurn, was: TableState, now: TableState) -> Action:
    before, after = encounter_in(was, action.place), encounter_in(now, action.place)
    if before is None or after is None:
        return action
    then, present = slot_on_turn(before), slot_on_turn(after)
    if then is None and present is None:
        return action
    if then is None or present is None or not same_slot(then, present):
        raise Outdated("turn-moved-on")
    return action.replace(
        round=None if action.round is None else after.round,
        turn=None if action.turn is None else after.turn,
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
