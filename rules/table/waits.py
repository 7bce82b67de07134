"""What the table waits for: who may act, until when, and what happens by itself then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rules.table.state import AnyChallenge, TableState


@dataclass(frozen=True, slots=True)
class Wait:
    """`id` names this very wait and never comes again; `due` is in seconds since 1970, None for open-ended.

    `by` is who has to act (the GMs, or the owner of the character); `default` is what the clock does:
    remind them, or settle the result as it is.
    """

    id: str
    challenge: str
    by: Literal["gm", "owner"]
    due: int | None
    default: Literal["remind", "settle"]


def wait_for(state: TableState, challenge: AnyChallenge) -> Wait | None:
    """The wait of one challenge, None when it is over."""
    remind = state.settings.remind_after
    due = challenge.since + remind if remind else None
    name = f"{challenge.id}.{challenge.step}"
    if challenge.status == "proposed":
        return Wait(name, challenge.id, "owner" if challenge.question else "gm", due, "remind")
    if challenge.status == "answered":
        return Wait(name, challenge.id, "owner", due, "remind")
    if challenge.status == "rolled":
        return Wait(name, challenge.id, "owner", challenge.deadline, "settle")
    return None


def waits(state: TableState) -> dict[str, Wait]:
    """All waits by id."""
    found = (wait_for(state, challenge) for challenge in state.challenges.values() if challenge.open)
    return {wait.id: wait for wait in found if wait is not None}
