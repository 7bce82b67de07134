"""Seeds of dice and shuffles: their commitments, and which was in use when."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Literal

from bot.storage.row_records import NewSeed, SeedRow

#: A seed in use or retired, as presenters know it.
Seed = SeedRow


def seed_for_entry(
    seeds: Sequence[SeedRow], stream: Literal["public", "secret", "shuffle"], seq: int
) -> SeedRow:
    """Return the seed that entry `seq` of the journal drew from."""
    return next(row for row in reversed(seeds) if row.stream == stream and row.started_seq < seq)


def shuffle_master_seed(seeds: Sequence[SeedRow], seq: int) -> bytes:
    """Return the seed from which entry `seq` derives the seeds of shuffles."""
    return seed_for_entry(seeds, "shuffle", seq).seed


def stream_seeds(seeds: Sequence[SeedRow], seq: int) -> tuple[bytes, bytes, bytes]:
    """Return the seeds that entry `seq` draws from: public dice, secret dice, shuffles."""
    return (
        seed_for_entry(seeds, "public", seq).seed,
        seed_for_entry(seeds, "secret", seq).seed,
        shuffle_master_seed(seeds, seq),
    )


def seed_commitment(seed: bytes) -> str:
    """Return the published commitment to a seed: its SHA-256 in hex."""
    return hashlib.sha256(seed).hexdigest()


def rotate_seeds(
    rows: Iterable[SeedRow], seeds: Sequence[NewSeed], seq: int, at: int
) -> tuple[SeedRow, ...]:
    """Return the seeds as entry `seq` leaves them.

    A new row has id 0 until the table is loaded again.
    """
    following = {new.stream: new for new in seeds}
    old = (
        row.replace(revealed_at=at if following[row.stream].reveals else None, ended_seq=seq)
        if row.stream in following and row.ended_seq is None
        else row
        for row in rows
    )
    return (
        *old,
        *(SeedRow(0, new.stream, new.seed, new.commitment, at, None, seq) for new in seeds),
    )
