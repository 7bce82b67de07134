"""Row numbers in the ids of cards, which repeat on a busy bot."""

from __future__ import annotations

from bot.presenters.control_ids import container_id, row_number, row_number_of, rows_numbered


def test_rows_that_share_a_number_are_all_found() -> None:
    first, later = 17, 17 + 2**28
    assert container_id(first) == container_id(later)
    assert row_number_of(container_id(later)) == row_number(first) == row_number(later)
    assert {first, later} <= {*rows_numbered(row_number(later))}


def test_a_row_whose_number_is_zero_has_one() -> None:
    assert row_number_of(container_id(2**28)) == 0
    assert row_number_of(999) is None
