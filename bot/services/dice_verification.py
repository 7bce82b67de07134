"""Verification of the dice in a message: recomputed from the seed once that is revealed."""

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
#: Outcomes, the worst first: other dice, not recomputable for a reason, seed never revealed since
#: a restore, seed not revealed yet, the same dice.
VERIFICATION_OUTCOMES: Final = get_args(VerificationOutcome)


class RollVerification(Record):
    """Verification of the dice of one journal entry."""

    seq: int
    #: The stream that the dice were drawn from.
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
    verifications: list[RollVerification] = []
    for row in rows:
        seed = seeds[row.seq]
        outcome: VerificationOutcome = "sealed" if seed.ended_seq is None else "withheld"
        if row.seq in revealed:
            if reason:
                outcome = "impossible"
            else:
                again_events = codec.read_events(events[row.seq])
                same = again_events == codec.read_events(row.events)
                outcome = "same" if same else "different"
        verifications.append(
            RollVerification(row.seq, seed.stream, seed.commitment, outcome, reason)
        )
    return verifications
