"""Names of EGO's things in blocks."""

from __future__ import annotations

from rules.table.blocks import ALL, Fact, Seen, Text, Value


def label(what: str, **more: Value) -> Text:
    """What something is called."""
    return Text("ego-label", {"what": what, **more})


def labelled(what: str, value: Value, seen: Seen = ALL) -> Fact:
    """`Recovery: 3 days of rest`: something that is so, by the name of a label."""
    return Fact(Text("ego-label", {"what": what}), value, seen)
