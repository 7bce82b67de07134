"""Memoization of functions of one immutable object, by the object's identity."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Final, TypeVar

K = TypeVar("K")
V = TypeVar("V")

#: Most results kept of one function. One more clears them all.
_MOST: Final = 1024


def memo_by_identity(make: Callable[[K], V]) -> Callable[[K], V]:
    """Return *make* with a memory of its results, by the identity of the argument.

    Equal objects that are not the same are computed separately. Each result keeps its argument
    alive until the memory is cleared.
    """
    known: dict[int, tuple[K, V]] = {}

    @wraps(make)
    def lookup(of: K) -> V:
        key = id(of)
        entry = known.get(key)
        if entry is None:
            entry = of, make(of)
            if len(known) >= _MOST:
                known.clear()
            known[key] = entry
        return entry[1]

    return lookup
