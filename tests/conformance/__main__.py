"""`python -m tests.conformance [FILE ...]`: run example files, all of `examples/` by default."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.conformance.runner import EXAMPLES, run_files


def main(arguments: list[str]) -> int:
    """Print every mismatch and a last line with the count; 1 if anything failed."""
    files = [Path(argument) for argument in arguments] or sorted(EXAMPLES.glob("*.json"))
    report = run_files(files)
    for line in report.mismatches:
        print(line)
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed or not report.passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
