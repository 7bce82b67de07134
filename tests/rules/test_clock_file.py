"""Rest and digest of a table in its file: there and back, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import Problems
from rules.table.actions import AddNpcs, ChangeRest, ImportTable, SetDigest
from rules.table.state import Settings, TableState
from rules.table.times.digest_times import Digest
from rules.table.times.rest import NO_REST, Rest
from tests.rules.test_rest import BERLIN
from tests.rules.test_transfer import bring, do, empty, error_of, write_and_read
from tests.sample_table import GM, by

ZONE: dict[str, Any] = {"zone": "Europe/Berlin", "offsets": BERLIN}


@pytest.fixture
def full() -> TableState:
    """A table that rests at weekends and at night, with a digest on Fridays."""
    state = TableState(Settings("Marshes", "ebb", ("p1",)))
    for action in (
        AddNpcs(**by(GM), name="Iwo"),
        ChangeRest(**by(GM), days=(5, 6), from_=480, to=1320, **ZONE),
        SetDigest(**by(GM), day=4, minute=1110, **ZONE),
    ):
        state = do(state, action).state
    return state


def test_the_file_is_written_for_readers(full: TableState) -> None:
    data = write_and_read(full)
    assert (data["rest"]["days"], data["rest"]["hours"]) == ("Saturday, Sunday", "8:00-22:00")
    assert (data["digest"]["day"], data["digest"]["time"]) == ("Friday", "18:30")
    assert "place" not in data["digest"], "channels are the server's"


def test_rest_and_digest_come_back(full: TableState) -> None:
    action = bring(write_and_read(full)).replace(place="333", at=1_796_212_800)
    settings = do(empty(), action).state.settings
    assert settings.rest == full.settings.rest == Rest((5, 6), 480, 1320, **ZONE)
    assert settings.digest == Digest("333", 4, 1110, "Europe/Berlin", BERLIN, 1_796_212_800)


def test_days_or_hours_alone_come_back(full: TableState) -> None:
    for rest in (Rest(days=(0,), **ZONE), Rest(from_=1320, to=480, **ZONE)):
        changed = full.replace(settings=full.settings.replace(rest=rest))
        assert do(empty(), bring(write_and_read(changed))).state.settings.rest == rest


def test_a_table_without_them_writes_none_and_a_file_without_them_changes_none(
    full: TableState,
) -> None:
    bare = write_and_read(empty())
    assert "rest" not in bare and "digest" not in bare
    state = empty()
    state = state.replace(settings=state.settings.replace(rest=full.settings.rest))
    settings = do(state, bring(bare)).state.settings
    assert settings.rest == full.settings.rest and settings.digest is None
    assert do(empty(), bring(bare)).state.settings.rest == NO_REST


def test_no_digest_is_posted_in_the_gm_channel(full: TableState) -> None:
    action = bring(write_and_read(full)).replace(place="900")
    assert do(empty(), action).state.settings.digest is None


@pytest.mark.parametrize(
    ("part", "key", "value", "field"),
    [
        ("rest", "days", "Caturday", "rest.days"),
        ("rest", "days", "Mon-Sun", "rest.days"),
        ("rest", "days", 5, "rest.days"),
        ("rest", "hours", "8", "rest.hours"),
        ("rest", "zone", "", "rest.zone"),
        ("rest", "offsets", [], "rest.zone"),
        ("rest", "offsets", "CET", "rest.offsets"),
        ("rest", "offsets", [[1]], "rest.offsets"),
        ("rest", "offsets", [[5, 0], [4, 0]], "rest.zone"),
        ("rest", "offsets", [[0, 10**6]], "rest.zone"),
        ("rest", "offsets", [[n, 0] for n in range(101)], "rest.zone"),
        ("rest", "nights", True, "rest.nights"),
        ("digest", "day", "weekends", "digest.day"),
        ("digest", "day", None, "digest.day"),
        ("digest", "time", "25:00", "digest.time"),
        ("digest", "zone", 1, "digest.zone"),
        ("digest", "place", "900", "digest.place"),
    ],
)
def test_each_fault_is_named(full: TableState, part: str, key: str, value: Any, field: str) -> None:
    data = write_and_read(full)
    data[part][key] = value
    error = error_of(empty(), bring(data))
    assert isinstance(error, Problems)
    assert [problem.params["field"] for problem in error.problems] == [field]


def test_a_part_that_is_no_object_is_named(full: TableState) -> None:
    data = write_and_read(full) | {"rest": "weekends"}
    error = error_of(empty(), ImportTable(**by(GM), data=data, owners={}))
    assert isinstance(error, Problems)
    assert [problem.params["field"] for problem in error.problems] == ["rest"]
