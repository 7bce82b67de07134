"""Record of all stored classes and their fields: `python -m tests.gates.stored_form` writes it
anew.

A database holds these classes as they were when it was written. The record makes a change of them
visible in a review. A change needs a schema later than that of the last release.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from difflib import ndiff
from pathlib import Path
from typing import Final

from bot.storage.fingerprint import stored_fields
from bot.storage.schema import LATEST_SCHEMA

ROOT: Final = Path(__file__).resolve().parents[2]
RECORD: Final = Path(__file__).with_name("stored_form.txt")
#: Schema of each release in the changelog.
RELEASED_SCHEMAS: Final[Mapping[str, int]] = {"0.1.0": 1}
_RELEASE: Final = re.compile(r"^## \[?(\d+\.\d+\.\d+)\b", re.MULTILINE)
_ADVICE: Final = (
    "If these databases have been released, append a migration to bot/storage/schema.py, an "
    "empty one if all new fields have defaults. Then run `make fingerprint` (CONTRIBUTING, "
    '"Changing what is stored").'
)


def record_text(lines: Iterable[str], schema: int) -> str:
    """Return the record of these lines at a schema version."""
    return "\n".join([f"schema {schema}", *lines, ""])


def current_record() -> str:
    """Return the record of the code as it is."""
    return record_text(stored_fields(), LATEST_SCHEMA)


def releases_in(changelog: str) -> list[str]:
    """Return the versions of the releases in the changelog."""
    return _RELEASE.findall(changelog)


def change_text(recorded: str, current: str) -> str:
    """Return what has changed since the record was written, and what to do about it.

    The text is empty if nothing has changed.
    """
    if recorded == current:
        return ""
    changes = [
        line for line in ndiff(recorded.splitlines(), current.splitlines()) if line[0] in "+-"
    ]
    return "\n".join(["What is stored has changed:", *changes, _ADVICE])


def lacks_migration(recorded: str, current: str, *, released: int) -> bool:
    """Return whether stored classes have changed without a schema later than the *released* one."""
    recorded_fields = recorded.partition("\n")[2]
    schema, _, fields = current.partition("\n")
    return recorded_fields != fields and int(schema.removeprefix("schema ")) <= released


def main() -> int:
    """Write the record, unless a migration is missing. Return the exit status."""
    current = current_record()
    recorded = RECORD.read_text(encoding="utf-8") if RECORD.is_file() else ""
    if lacks_migration(recorded, current, released=max(RELEASED_SCHEMAS.values())):
        print(change_text(recorded, current), file=sys.stderr)
        return 1
    RECORD.write_text(current, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
