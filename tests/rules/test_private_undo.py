"""What one participant is told of an undo of which the others are told more."""

from __future__ import annotations

from rules.table.blocks import GMS, Text, Verdict
from rules.table.events import ChangedResult, Undone
from rules.table.journal.undo import _private_undone


def test_a_participant_reads_own_entries_and_no_results_of_others() -> None:
    undone = Undone(
        audience=GMS,
        entries=(3, 5),
        kinds=(("Begin", "p2"), ("Amend", "p1")),
        results=(ChangedResult("c1", Verdict(Text("failure"), "bad", None)),),
    )
    told = _private_undone(undone, "p2", (3,))
    assert told.audience.people == ("p2",) and not told.audience.gms
    assert told.entries == (3,) and told.kinds == (("Begin", "p2"),)
    assert told.results == () and told.deeds == ()
