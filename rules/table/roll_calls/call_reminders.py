"""Reminders of a roll call: those that fall due together are one, and its end comes before them."""

from __future__ import annotations

from rules.core.errors import Outdated
from rules.table.checks.engine import due_reminders
from rules.table.checks.prompt_times import CheckWait
from rules.table.roll_calls.roll_call import RollCall, checks_of, ended_checks, roll_call_key
from rules.table.system import Game


def reminders_together(game: Game, wait: str) -> tuple[str, ...]:
    """Return the reminders that are sent with one of a check, itself the first.

    They are those of the check's roll call that fall due at the same time. The first check of the
    call that has one sends them all. Nobody is reminded of a roll once the call's end is due.

    Raises Outdated("wait-over") if another check of the call sends this reminder, or its end is
    due.
    """
    check = game.state.checks[wait.partition(".")[0]]
    call = game.state.own.get(roll_call_key(check.group)) if check.group else None
    if not isinstance(call, RollCall):
        return (wait,)
    ended = {called.id for called in ended_checks(game, call)}
    if check.id in ended:
        raise Outdated("wait-over", wait=wait)
    reminders: list[CheckWait] = []
    for called in checks_of(game.state, call):
        if called.id not in ended:
            reminders += due_reminders(game, called)
    times = {reminder.id: reminder.due for reminder in reminders}
    if wait not in times:
        return (wait,)  # It isn't due, or something overtakes it.
    together = tuple(id for id, due in times.items() if due == times[wait])
    if together[0] != wait:
        raise Outdated("wait-over", wait=wait)
    return together
