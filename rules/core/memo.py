"""What was made of an object that never changes, kept for when it is asked for again."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Final, TypeVar

K = TypeVar("K")
V = TypeVar("V")

#: So many are kept of one kind; then it begins anew.
_MOST: Final = 1024


def memo_by_identity(make: Callable[[K], V]) -> Callable[[K], V]:
    """The same function, which keeps what it made by the object itself: equal ones are not looked
    for.

    For parts, lines and the like that are asked about again and again; whatever is kept stays until
    there are too many.
    """
    known: dict[int, tuple[K, V]] = {}

    @wraps(make)
    def asked(of: K) -> V:
        key = id(of)
        found = known.get(key)
        if found is None:
            found = of, make(of)
            if len(known) >= _MOST:
                known.clear()
            known[key] = found
        return found[1]

    return asked
