"""The weekly digest: set by a GM, and posted by the clock once a week."""

from __future__ import annotations

from typing import Final

from rules.core.errors import Impossible, Outdated
from rules.table.actions import Due, SetDigest
from rules.table.blocks import Value
from rules.table.events import Notice
from rules.table.outcome import Outcome
from rules.table.permissions import require_system
from rules.table.state import TableState
from rules.table.system import Game
from rules.table.times.digest_times import Digest, next_digest, week_of_digest
from rules.table.times.zone_offsets import (
    DAY_MINUTES,
    WEEK_DAYS,
    ZONE_MAX,
    require_between,
    require_offsets,
)

#: Code of the event that the digest is posted for.
DIGEST: Final = "digest"
#: Beginning of the ids of waits for a digest.
_WAIT: Final = "digest:"


def set_digest(state: TableState, action: SetDigest, game: Game) -> Outcome:
    """Set the day and time of the table's digest, or switch it off.

    It is posted in the place of the action.

    Raises:
        InvalidInput("out-of-range"): a day, a minute or an offset that doesn't exist.
        InvalidInput("bad-zone"): no zone, or offsets that aren't in order.
        Impossible("digest-in-gm-channel"): the place is the GM channel.
        Impossible("digest-unchanged"): the table has this digest.
    """
    before = state.settings.digest
    digest = None if action.day is None else _read_digest(state, action)
    if digest is not None and before is not None and digest.replace(since=before.since) == before:
        raise Impossible("digest-unchanged", on=True)
    if digest is before:
        raise Impossible("digest-unchanged", on=False)
    params = digest_params(digest, state.counters.digest)
    notice = Notice("digest-set", params, by=action.who.id)
    return Outcome(state.replace(settings=state.settings.replace(digest=digest)), (notice,))


def _read_digest(state: TableState, action: SetDigest) -> Digest:
    """Return the digest that an action sets. Raises as `set_digest`."""
    if action.place == state.settings.gm_place:
        raise Impossible("digest-in-gm-channel")
    day = 0 if action.day is None else action.day
    require_between("day", day, 0, WEEK_DAYS - 1)
    require_between("hour", action.minute, 0, DAY_MINUTES - 1)
    require_offsets(action.zone, action.offsets)
    zone = action.zone[:ZONE_MAX]
    return Digest(action.place, day, action.minute, zone, action.offsets, action.at)


def digest_params(digest: Digest | None, last: int) -> dict[str, Value]:
    """Return when a digest is posted, as texts show it."""
    if digest is None:
        return {"on": False}
    time = f"{digest.minute // 60}:{digest.minute % 60:02}"
    due = next_digest(digest, last)
    return {
        "on": True,
        "day": digest.day,
        "time": time,
        "zone": digest.zone,
        "next": due,
        "place": digest.place,
    }


def digest_waits(state: TableState) -> dict[str, int]:
    """Return when the next digest is due, by the id of the wait; empty without a digest.

    The id names the week, so that no week gets a second digest.
    """
    digest = state.settings.digest
    if digest is None:
        return {}
    last = state.counters.digest
    week = week_of_digest(digest, last)
    return {f"{_WAIT}{digest.place}:{week}": next_digest(digest, last)}


def is_digest_wait(wait: str) -> bool:
    """Return whether a wait is for a digest."""
    return wait.startswith(_WAIT)


def digest_place(wait: str) -> str:
    """Return the place in which the digest that a wait is for is posted."""
    return wait.removeprefix(_WAIT).rpartition(":")[0]


def post_digest(game: Game, action: Due) -> Outcome:
    """Have the digest posted that has come due. The bot reads the week's story when it posts it.

    Raises NotPermitted("system-only"), Outdated("wait-over"), Outdated("not-yet-due").
    """
    require_system(action.who)
    state = game.state
    digest, due = state.settings.digest, digest_waits(state).get(action.wait)
    if digest is None or due is None:
        raise Outdated("wait-over", wait=action.wait)
    if due > action.at:
        raise Outdated("not-yet-due", wait=action.wait)
    # The first digest tells of the week before it.
    since = state.counters.digest or due - WEEK_DAYS * 24 * 60 * 60
    counters = state.counters.replace(digest=action.at)
    event = Notice("digest", {"since": since, "until": action.at}, by=action.who.id)
    return Outcome(state.replace(counters=counters), (event,))
