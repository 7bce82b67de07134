"""Order of the tests, so that workers take equally long and wait at different times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def worker_shares(items: Sequence[T], is_slow: Callable[[T], bool], workers: int) -> list[T]:
    """Return the tests in an order whose consecutive shares begin with equally many slow tests.

    pytest-xdist gives each worker a consecutive part of the tests, and later takes from the end of
    the longest part. Slow tests at the beginning of each part leave short tests to be taken, so no
    worker is left alone with a slow one. Each worker begins at another place of the slow tests:
    tests that wait for processes run beside tests that compute.
    """
    slow = [item for item in items if is_slow(item)]
    quick = [item for item in items if not is_slow(item)]
    ordered: list[T] = []
    for number in range(workers):
        share = slow[number::workers]
        start = len(share) * number // workers
        ordered += share[start:] + share[:start]
        first, end = (len(quick) * part // workers for part in (number, number + 1))
        ordered += quick[first:end]
    return ordered
