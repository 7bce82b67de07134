"""Record of all stored classes and their fields: `python -m tests.gates.stored_form` writes it
anew.

A database holds these classes as they were when it was written. The record makes a change of them
visible in a review, and after release 0.1.0 it cannot be changed without a migration.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from difflib import ndiff
from pathlib import Path
from typing import Final

from bot.storage.fingerprint import stored_fields
from bot.storage.schema import LATEST_SCHEMA

ROOT: Final = Path(__file__).resolve().parents[2]
RECORD: Final = Path(__file__).with_name("stored_form.txt")
_RELEASE: Final = re.compile(r"^## \[?0\.1\.0\b", re.MULTILINE)
_BEFORE_RELEASE: Final = (
    "Databases written before this change will be refused. If that is intended, which it "
    "may be until release "
    "0.1.0, run `make fingerprint`."
)
_AFTER_RELEASE: Final = (
    "Databases written before this change would be refused. Append a migration to "
    "bot/storage/schema.py, an empty one if all new fields have defaults, then run "
    '`make fingerprint` (CONTRIBUTING, "Changing what is stored").'
)


def record_text(lines: Iterable[str], schema: int) -> str:
    """Return the record of these lines at a schema version."""
    return "\n".join([f"schema {schema}", *lines, ""])


def current_record() -> str:
    """Return the record of the code as it is."""
    return record_text(stored_fields(), LATEST_SCHEMA)


def is_released(changelog: str) -> bool:
    """Return whether release 0.1.0 stands in the changelog."""
    return _RELEASE.search(changelog) is not None


def change_text(recorded: str, current: str, *, released: bool) -> str:
    """Return what has changed since the record was written and what to do about it; empty if
    nothing has.
    """
    if recorded == current:
        return ""
    changes = [
        line for line in ndiff(recorded.splitlines(), current.splitlines()) if line[0] in "+-"
    ]
    advice = _AFTER_RELEASE if released else _BEFORE_RELEASE
    return "\n".join(["What is stored has changed:", *changes, advice])


def lacks_migration(recorded: str, current: str, *, released: bool) -> bool:
    """Return whether stored classes have changed without a new version of the schema, after the
    release.
    """
    recorded_schema, _, recorded_fields = recorded.partition("\n")
    schema, _, fields = current.partition("\n")
    return released and recorded_fields != fields and recorded_schema == schema


def main() -> int:
    current = current_record()
    recorded = RECORD.read_text(encoding="utf-8") if RECORD.is_file() else ""
    released = is_released((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    if lacks_migration(recorded, current, released=released):
        print(change_text(recorded, current, released=released), file=sys.stderr)
        return 1
    RECORD.write_text(current, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
