"""Gate: what is stored changes only on purpose, and after a release only with a migration."""

from __future__ import annotations

from bot.storage.schema import LATEST_SCHEMA
from tests.gates.stored_form import (
    RECORD,
    RELEASED_SCHEMAS,
    ROOT,
    change_text,
    current_record,
    lacks_migration,
    record_text,
    releases_in,
)


def test_stored_classes_are_as_recorded() -> None:
    problem = change_text(RECORD.read_text(encoding="utf-8"), current_record())
    assert not problem, problem


BEFORE = record_text(["orders: Orders", "Orders(given: tuple[Order])"], 1)
CHANGED = ["orders: Orders", "Orders(given: tuple[Order], paused: bool)"]


def test_a_changed_field_is_named_with_what_to_do() -> None:
    assert change_text(BEFORE, BEFORE) == ""
    problem = change_text(BEFORE, record_text(CHANGED, 1))
    assert "+ Orders(given: tuple[Order], paused: bool)" in problem
    assert "append a migration" in problem


def test_a_change_needs_a_later_schema_than_the_last_release() -> None:
    assert lacks_migration(BEFORE, record_text(CHANGED, 1), released=1)
    assert not lacks_migration(BEFORE, record_text(CHANGED, 2), released=1)
    later = record_text(CHANGED, 2)
    assert not lacks_migration(later, record_text([*CHANGED, "Away()"], 2), released=1)
    assert lacks_migration(later, record_text([*CHANGED, "Away()"], 2), released=2)


def test_every_release_says_its_schema() -> None:
    """A new release needs its row in `RELEASED_SCHEMAS`."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert releases_in(changelog) == list(RELEASED_SCHEMAS)[::-1]
    assert max(RELEASED_SCHEMAS.values()) <= LATEST_SCHEMA


def test_releases_are_found_in_the_changelog() -> None:
    text = "# Changelog\n\n## Unreleased\n\n- 0.1.0 is near\n"
    assert releases_in(text) == []
    assert releases_in(f"{text}\n## [0.2.0] - 2027-01-01\n\n## 0.1.0\n") == ["0.2.0", "0.1.0"]
