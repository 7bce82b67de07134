"""Names of EGO's things in blocks."""

from __future__ import annotations

from rules.table.blocks import FOR_EVERYONE, Fact, Text, Value, Viewers


def label(what: str, **more: Value) -> Text:
    """What something is called."""
    return Text("ego-label", {"what": what, **more})


def labeled_fact(what: str, value: Value, seen: Viewers = FOR_EVERYONE) -> Fact:
    """`Recovery: 3 days of rest`: something that is so, by the name of a label."""
    return Fact(Text("ego-label", {"what": what}), value, seen)
