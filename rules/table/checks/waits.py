"""What the table waits for: who may act, until when, and what happens by itself then."""

from __future__ import annotations

from typing import Literal

from rules.core.record import record
from rules.table.state import OVER, AnyChallenge, TableState


@record
class Wait:
    """`id` names this very wait and never comes again; `due` is in seconds since 1970, None for open-ended.

    `by` is who has to act: the GMs, the owner of whoever acts, or that of whom it is done to (`target`; the
    GMs where that is one of theirs). `default` is what the clock does: remind them, settle the result as it
    is, or choose what a hit does.
    """

    id: str
    challenge: str
    by: Literal["gm", "owner", "target"]
    due: int | None
    default: Literal["remind", "settle", "hit"]


def waits_for(state: TableState, challenge: AnyChallenge) -> tuple[Wait, ...]:
    """The waits of one challenge, none when it is over; the first tells who has to act."""
    status = challenge.status
    if status in OVER:
        return ()
    name = f"{challenge.id}.{challenge.revision}"
    if status == "rolled":
        return (Wait(name, challenge.id, "owner", challenge.deadline, "settle"),)
    remind = state.settings.remind_after
    due = challenge.since + remind if remind else None
    if status == "proposed":
        return (Wait(name, challenge.id, "owner" if challenge.question else "gm", due, "remind"),)
    if status == "answered":
        undefended = challenge.opposed and challenge.defence is None
        return (Wait(name, challenge.id, "target" if undefended else "owner", due, "remind"),)
    if status == "hit":
        by = "gm" if challenge.choice else "target"
        reminder = Wait(name, challenge.id, by, due, "remind")
        if challenge.deadline is None:
            return (reminder,)
        return (reminder, Wait(f"{name}.end", challenge.id, by, challenge.deadline, "hit"))
    return ()
