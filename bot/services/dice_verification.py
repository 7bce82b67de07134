"""Whether the dice that a message tells of are what their seed gives: recomputed where the seed is
revealed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Literal, get_args

from bot.services.history import roll_entries
from bot.services.readers import Reader
from bot.services.seeds import seed_for_entry
from bot.services.tables import Tables
from bot.storage import codec
from bot.storage.row_records import OutboxRow
from rules.core.errors import NotFound
from rules.core.record import Record

VerificationOutcome = Literal["different", "impossible", "withheld", "sealed", "same"]
#: How it may go, the worst first: other dice, never to be told (for a reason, or since a restore),
#: not yet, the same.
VERIFICATION_OUTCOMES: Final = get_args(VerificationOutcome)


class RollVerification(Record):
    """What came of one entry of the journal; `stream` is what its dice were drawn from."""

    seq: int
    stream: str
    commitment: str
    outcome: VerificationOutcome
    reason: str = ""


#: Replays entries of a table, as `bot.services.replay.recompute_events` does. Returns their events
#: as text, and the reason if there are none.
EventRecomputer = Callable[[int, Sequence[int]], Awaitable[tuple[dict[int, str], str]]]


async def verify_rolls(
    tables: Tables, reader: Reader, told: OutboxRow, again: EventRecomputer
) -> list[RollVerification]:
    """Return every roll in a message, oldest first. NotFound("no-dice-in-message") without one."""
    # A seed counts as revealed only once that is on disk.
    table = await tables.get_committed(reader.table.id)
    rows = await roll_entries(tables, reader, told)
    if not rows:
        raise NotFound("no-dice-in-message", field="message", value=None, nearest=())
    seeds = {
        row.seq: seed_for_entry(table.seeds, "secret" if row.secret_draws else "public", row.seq)
        for row in rows
    }
    revealed = [seq for seq, seed in seeds.items() if seed.revealed_at is not None]
    events, reason = await again(table.id, revealed) if revealed else ({}, "")
    found: list[RollVerification] = []
    for row in rows:
        seed = seeds[row.seq]
        outcome: VerificationOutcome = "sealed" if seed.ended_seq is None else "withheld"
        if row.seq in revealed:
            same = not reason and codec.read_events(events[row.seq]) == codec.read_events(
                row.events
            )
            outcome = "impossible" if reason else "same" if same else "different"
        found.append(RollVerification(row.seq, seed.stream, seed.commitment, outcome, reason))
    return found
