"""Waits that have run out: the rules that act on each kind, found by the id of the wait."""

from __future__ import annotations

from rules.core.errors import Outdated
from rules.table.actions import Due
from rules.table.arrangements.absence_actions import ABSENCE, end_absence
from rules.table.clock.digests import is_digest_wait, post_digest
from rules.table.clock.pauses import end_pause_by_clock, is_pause_wait
from rules.table.gm_office import CLAIM, SILENCE, TERM_END
from rules.table.gms.deputies import end_term
from rules.table.outcome import Outcome
from rules.table.permissions import require_system
from rules.table.roll_calls.roll_call import ROLL_CALL_END
from rules.table.roll_calls.roll_call_actions import end_roll_call
from rules.table.state import TableState
from rules.table.system import Game
from rules.table.turns.turn_clock import handle_turn_wait
from rules.table.wait_places import place_of_wait
from rules.table.waits.check_waits import handle_check_wait
from rules.table.waits.silence import handle_silence_wait


def handle_wait(state: TableState, action: Due, game: Game) -> Outcome:
    """Act on any wait of a table that has run out.

    While the table's clock is paused, nothing happens to its checks and turns.

    Raises:
        NotPermitted("system-only"): the actor isn't the clock.
        Outdated("wait-over"): there is no such wait any more, or a later one has come due, or the
            table's clock is paused.
        Outdated("not-yet-due"): the wait hasn't run out.
    """
    require_system(action.who)
    if action.wait.startswith((SILENCE, CLAIM)):
        return handle_silence_wait(state, action, game)
    if action.wait.startswith(ABSENCE):
        return end_absence(state, action, game)
    if action.wait.startswith(TERM_END):
        return end_term(state, action, game)
    if is_pause_wait(action.wait):
        return end_pause_by_clock(game, action)
    if is_digest_wait(action.wait):
        return post_digest(game, action)
    if state.settings.pause is not None:
        raise Outdated("wait-over", wait=action.wait)
    if action.wait.startswith(ROLL_CALL_END):
        return end_roll_call(game, action)
    place = place_of_wait(action.wait)
    if place is None:
        return handle_check_wait(action, game)
    return handle_turn_wait(state, action, game, place)
