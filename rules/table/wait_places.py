"""Places of waits: the place that the id of a wait names."""

from __future__ import annotations

from rules.table.arrangements.absence_actions import ABSENCE
from rules.table.clock.digests import digest_place, is_digest_wait
from rules.table.clock.pauses import is_pause_wait, pause_place
from rules.table.gm_office import CLAIM, SILENCE, TERM_END
from rules.table.roll_calls.roll_call import ROLL_CALL_END
from rules.table.turns.turn_clock import turn_wait_place


def place_of_wait(wait: str) -> str | None:
    """Return the place that the id of a wait names; None for the wait of a check."""
    if wait.startswith((ABSENCE, TERM_END, SILENCE, CLAIM, ROLL_CALL_END)):
        return wait.split(":")[1]
    if is_pause_wait(wait):
        return pause_place(wait)
    if is_digest_wait(wait):
        return digest_place(wait)
    return turn_wait_place(wait)
