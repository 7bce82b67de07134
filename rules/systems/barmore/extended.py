"""Complex actions: many rolls towards one required Degree of Success (BAR-COMPLEX)."""

from __future__ import annotations

from typing import Final

from rules.core.errors import InvalidInput
from rules.core.record import record

HIGHEST_REQUIRED: Final = 10_000


@record
class Progress:
    """How far a complex action is: `done` (may be below 0) of `required` (>= 1) after so many `rolls`."""

    required: int
    done: int = 0
    rolls: int = 0


def begun(required: int) -> Progress:
    """A complex action before its first roll. InvalidInput("out-of-range") unless 1 to 10000 are required."""
    if not 1 <= required <= HIGHEST_REQUIRED:
        raise InvalidInput(
            "out-of-range", field="required", value=required, lowest=1, highest=HIGHEST_REQUIRED
        )
    return Progress(required)


def advanced(progress: Progress, degree: int) -> Progress:
    """One roll later: the success level is added; a negative degree is a failure level and takes away (BAR-COMPLEX)."""
    return Progress(progress.required, progress.done + degree, progress.rolls + 1)


def finished(progress: Progress) -> bool:
    """Whether the running total has reached what is required."""
    return progress.done >= progress.required


def elapsed(progress: Progress, every_minutes: int) -> int:
    """Minutes so far, with a roll every so many minutes (BAR-COMPLEX). InvalidInput("out-of-range") below 1."""
    if every_minutes < 1:
        raise InvalidInput("out-of-range", field="every", value=every_minutes, lowest=1)
    return progress.rolls * every_minutes
