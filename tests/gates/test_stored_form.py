"""Gate: what is stored changes only on purpose, and after release 0.1.0 only with a migration."""

from __future__ import annotations

from tests.gates import stored_form
from tests.gates.stored_form import (
    RECORD,
    ROOT,
    change_text,
    current_record,
    is_released,
    lacks_migration,
    record_text,
)


def test_stored_classes_are_as_recorded() -> None:
    released = is_released((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    problem = change_text(RECORD.read_text(encoding="utf-8"), current_record(), released=released)
    assert not problem, problem


BEFORE = record_text(["orders: Orders", "Orders(given: tuple[Order])"], 1)
CHANGED = ["orders: Orders", "Orders(given: tuple[Order], paused: bool)"]


def test_a_changed_field_is_named_with_what_to_do() -> None:
    after = record_text(CHANGED, 1)
    assert change_text(BEFORE, BEFORE, released=True) == ""
    for released, advice in ((False, "run `make fingerprint`"), (True, "Append a migration")):
        problem = change_text(BEFORE, after, released=released)
        assert "+ Orders(given: tuple[Order], paused: bool)" in problem
        assert advice in problem
    assert stored_form._BEFORE_RELEASE not in change_text(BEFORE, after, released=True)


def test_after_the_release_a_change_needs_a_migration() -> None:
    assert not lacks_migration(BEFORE, record_text(CHANGED, 1), released=False)
    assert lacks_migration(BEFORE, record_text(CHANGED, 1), released=True)
    assert not lacks_migration(BEFORE, record_text(CHANGED, 2), released=True)


def test_the_release_is_found_in_the_changelog() -> None:
    assert not is_released("# Changelog\n\n## Unreleased\n\n- 0.1.0 is near\n")
    assert is_released("# Changelog\n\n## Unreleased\n\n## [0.1.0] - 2027-01-01\n")
    assert is_released("# Changelog\n\n## 0.1.0\n")
