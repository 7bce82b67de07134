"""What reads a campaign of years, asked for again and again beside others who roll: nobody
notices.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attack.campaign import HELD, years
from tests.example_counts import nightly
from tests.machine_load import slower

pytestmark = pytest.mark.slow

#: How many entries the journal has: each is held against how it is while nothing is asked for.
LENGTHS = (10, 10_000, 400_000) if nightly() else (1000,)
#: How many times one player does everything beside the worst odds.
ROUNDS = 6 if nightly() else 1
#: Seconds for each command.
SECONDS = 10.0 if nightly() else 0.25
#: Rolls of others a second: a hundredth of them is no longer the one worst.
OFTEN = 50
#: How many times as late others may be answered meanwhile, and what may come on top, in seconds:
#: beside other tests three seconds show only whether somebody is held up for as long as Discord
#: waits. `make bench` has the figures.
SLOWER, NOISE = 1.5, 0.1 if nightly() else 1.5
#: In which everything is acknowledged, in seconds; and the memory of the bot's process, in MiB.
AT_ONCE, MEMORY = 1.0 if nightly() else 2.5, 150


@pytest.mark.parametrize("entries", LENGTHS)
async def test_nobody_notices_how_long_a_journal_is(tmp_path: Path, entries: int) -> None:
    years_of = await years(tmp_path, entries, SECONDS, ROUNDS, rate=OFTEN)
    print(*years_of.found, years_of.walked, f"memory {years_of.memory_mb:.0f} MiB", sep="\n")
    slow = [str(each) for each in years_of.found if each.beside > each.alone * SLOWER + NOISE]
    assert slow == []
    assert [str(each) for each in years_of.found if each.held > HELD] == []
    at_once = AT_ONCE * max(1.0, slower())
    assert [str(each) for each in years_of.found if each.acknowledged > at_once] == []
    assert {what: late for what, late in years_of.walked.items() if late > at_once} == {}
    assert years_of.memory_mb <= MEMORY
