"""Labels of numbers and lists in blocks."""

from __future__ import annotations

from rules.table.blocks import FOR_EVERYONE, Fact, Text, Value, Viewers


def label(what: str, **more: Value) -> Text:
    """Return the label of a number or list."""
    return Text("ego-label", {"what": what, **more})


def labeled_fact(what: str, value: Value, seen: Viewers = FOR_EVERYONE) -> Fact:
    """Return a fact with its label: `Recovery: 3 days of rest`."""
    return Fact(Text("ego-label", {"what": what}), value, seen)
