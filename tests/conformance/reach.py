"""`python -m tests.conformance.reach SYSTEM`: functions of a system that its worked examples reach and no walk does.

The walks are the tests that play on the simulated Discord: tests/discord/SYSTEM, then tests/flows/test_SYSTEM.py where
something is still missing. They stop as soon as nothing is.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from cProfile import Profile
from multiprocessing import get_context
from pathlib import Path
from types import CodeType

import pytest

from tests.conformance.runner import EXAMPLES, adapters, run_files

ROOT = Path(__file__).resolve().parents[2]


def _reached(profile: Profile, system: str) -> set[str]:
    """Functions and methods of a system's own modules that were called: `dice.py Pool.successes`."""
    folder = f"{ROOT}/rules/systems/{system}/"
    codes = [each.code for each in profile.getstats() if isinstance(each.code, CodeType)]
    return {
        f"{code.co_filename.removeprefix(folder)} {code.co_qualname}"
        for code in codes
        if code.co_filename.startswith(folder) and "<" not in code.co_qualname
    }


def by_examples(system: str) -> set[str]:
    """What the examples of a system reach."""
    files = [each for each in EXAMPLES.glob("*.json") if each.stem.partition("-")[0] == system]
    adapters()  # what runs as modules are imported is no play
    with Profile(builtins=False) as profile:
        report = run_files(files)
    assert report.passed and not report.failed, report.mismatches
    return _reached(profile, system)


class _Search:
    """Walks go on while something is missing."""

    def __init__(self, system: str, missing: set[str]) -> None:
        self.missing, self._system = missing, system
        self._profile = Profile(builtins=False)

    def pytest_runtest_setup(self) -> None:
        self._profile.enable()

    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        self._profile.disable()
        self.missing -= _reached(self._profile, self._system)
        if not self.missing:
            item.session.shouldstop = "nothing is missing"


def left(system: str) -> list[str]:
    """What only the examples of a system reach."""
    # Apart: what examples have computed is remembered, and walks would not compute it again.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as apart:
        search = _Search(system, apart.submit(by_examples, system).result())
    for walks in (f"tests/discord/{system}", f"tests/flows/test_{system}.py"):
        if search.missing:
            status = pytest.main(["-q", "-x", "-p", "no:cacheprovider", walks], [search])
            assert status in (pytest.ExitCode.OK, pytest.ExitCode.INTERRUPTED), status
    return sorted(search.missing)


if __name__ == "__main__":
    for line in left(sys.argv[1]):
        print("only by examples:", line)
