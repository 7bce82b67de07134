"""Each worker gets its share of the slow tests, and every test runs once."""

from __future__ import annotations

import pytest

from tests.worker_shares import worker_shares

ITEMS = [*(f"slow {number}" for number in range(10)), *(f"quick {number}" for number in range(90))]


def is_slow(item: str) -> bool:
    return item.startswith("slow")


@pytest.mark.parametrize("workers", [1, 2, 3, 4, 7])
def test_every_test_is_in_one_share(workers: int) -> None:
    assert sorted(worker_shares(ITEMS, is_slow, workers)) == sorted(ITEMS)


def test_each_share_begins_with_slow_tests_at_another_place() -> None:
    ordered = worker_shares(ITEMS, is_slow, 2)
    assert ordered[:5] == ["slow 0", "slow 2", "slow 4", "slow 6", "slow 8"]
    assert ordered[50:55] == ["slow 5", "slow 7", "slow 9", "slow 1", "slow 3"]
    assert ordered[5:50] + ordered[55:] == [item for item in ITEMS if not is_slow(item)]


def test_one_process_plays_slow_tests_first() -> None:
    assert worker_shares([*reversed(ITEMS)], is_slow, 1)[:2] == ["slow 9", "slow 8"]
