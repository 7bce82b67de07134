"""Functions of the rules that only worked examples reach: `python -m tests.example_reach`.

Such a function is proved right, but no command leads to it. coverage.py records the functions of
`rules/systems/` that run in the worked examples (tests/conformance), and those that run in tests
on the simulated Discord: tests/discord/SYSTEM, and tests/flows if functions are still missing.
Calls during imports don't count.

`python -m tests.example_reach ebb` looks at one system. The exit status is 1 if there are such
functions. All systems take some minutes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest
from coverage import Coverage

from rules.registry import PLAYABLE

ROOT: Final = Path(__file__).resolve().parents[1]
SYSTEMS: Final = ROOT / "rules/systems"
#: Environment variable with the folder for the recordings of a test run.
FOLDER: Final = "EXAMPLE_REACH_FOLDER"


def new_recorder(folder: Path, source: Path) -> Coverage:
    """Return a recorder of the code in *source* that writes a file of its own into *folder*."""
    data_file = str(folder / "coverage")
    return Coverage(data_file, data_suffix=True, config_file=False, source=[str(source)])


def executed_functions(folder: Path, source: Path) -> set[str]:
    """Return the functions that ran in any recording, as `ebb/sheet.py read_sheet`.

    This consumes the recordings.
    """
    combined = Coverage(str(folder / "coverage"), config_file=False, source=[str(source)])
    combined.combine([str(folder)])
    report_file = folder / "report.json"
    combined.json_report(outfile=str(report_file))
    executed: set[str] = set()
    for path, file in json.loads(report_file.read_text(encoding="utf-8"))["files"].items():
        module = Path(path).resolve().relative_to(source).as_posix()
        for name, function in file["functions"].items():
            if name and function["executed_lines"]:
                executed.add(f"{module} {name}")
    return executed


# The hooks of the pytest plugin that records a test run. Workers of pytest-xdist load it too.

_recorder: Coverage | None = None


def pytest_collection_finish() -> None:
    """Start recording: every test module is imported by now."""
    global _recorder
    if FOLDER in os.environ:
        recorder = new_recorder(Path(os.environ[FOLDER]), SYSTEMS)
        recorder.start()
        _recorder = recorder


def pytest_sessionfinish() -> None:
    """Write what was recorded."""
    if _recorder is not None:
        _recorder.stop()
        _recorder.save()


def reached_by_examples(systems: Iterable[str]) -> set[str]:
    """Return the functions that the worked examples of these systems reach."""
    from tests.conformance.runner import EXAMPLES, adapters, run_files

    prefixes = tuple(systems)
    files = [file for file in EXAMPLES.glob("*.json") if file.name.startswith(prefixes)]
    adapters()  # imports the rules
    with TemporaryDirectory() as name:
        recorder = new_recorder(Path(name), SYSTEMS)
        recorder.start()
        report = run_files(files)
        recorder.stop()
        recorder.save()
        if report.failed:
            raise SystemExit("\n".join(report.mismatches))
        return executed_functions(Path(name), SYSTEMS)


def reached_by_tests(paths: Iterable[Path]) -> set[str]:
    """Return the functions that these tests reach."""
    with TemporaryDirectory() as name:
        options = ["-q", "-n", "auto", "-p", "no:cacheprovider", "-p", __spec__.name]
        command = [sys.executable, "-m", "pytest", *options, *map(str, paths)]
        # The report goes to standard error: standard output has the functions alone.
        run = subprocess.run(
            command, cwd=ROOT, env={**os.environ, FOLDER: name}, stdout=sys.stderr, check=False
        )
        if run.returncode != pytest.ExitCode.OK:
            raise SystemExit("tests failed: nothing can be said of what they reach")
        return executed_functions(Path(name), SYSTEMS)


def _walks(systems: Iterable[str]) -> Iterator[list[Path]]:
    """Yield the tests that walk through the commands: the quick ones first, then the flows."""
    yield [ROOT / "tests/discord" / system for system in systems]
    flows: list[Path] = []
    for system in systems:
        flows += sorted((ROOT / "tests/flows").glob(f"test_{system}*.py"))
    yield flows


def only_by_examples(systems: Iterable[str]) -> list[str]:
    """Return the functions of these systems that worked examples reach and no walk does."""
    chosen = list(systems)
    unwalked = reached_by_examples(chosen)
    for paths in _walks(chosen):
        if unwalked:
            unwalked -= reached_by_tests(paths)
    return sorted(unwalked)


def main(systems: list[str]) -> int:
    unwalked = only_by_examples(systems or PLAYABLE)
    for function in unwalked:
        print(f"only by examples: {function}")
    return 1 if unwalked else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
