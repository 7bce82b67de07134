"""Counters of a changed table: the same things get the same ids, and no id is given twice."""

from __future__ import annotations

from typing import Final

from rules.table.state import Counters, TableState

#: Counters that ids are made of.
_IDS: Final = ("character", "check", "begun", "offer", "own", "started")


def pinned_state(state: TableState, counters: Counters) -> TableState:
    """Return a table with the counters that an entry met then, so that ids come out the same."""
    return state if state.counters == counters else state.replace(counters=counters)


def makes_more(then: Counters, now: Counters) -> bool:
    """Return whether an entry has made more than it did then."""
    return any(getattr(now, name) > getattr(then, name) for name in _IDS)


def with_top_ids(counters: Counters, top: Counters) -> Counters:
    """Return counters whose ids go on after the highest of *counters* and *top*."""
    ids = {name: max(getattr(counters, name), getattr(top, name)) for name in _IDS}
    return counters.replace(**ids)
