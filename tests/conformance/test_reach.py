"""No rule lives for an example alone: what the worked examples reach, walks through the commands
reach as well.

Nor does a parameter: what examples give one, the code can give it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("system", ["ebb", "barmore", "ego", "masterbook"])
def test_nothing_is_reached_by_examples_alone(system: str) -> None:
    assert _only_by_examples("reach", system) == []


@pytest.mark.slow
def test_nothing_is_given_by_examples_alone() -> None:
    assert _only_by_examples("example_only_inputs") == []


def _only_by_examples(module: str, *options: str) -> list[str]:
    """What it finds in a process of its own, where nothing is remembered from other tests."""
    command = [sys.executable, "-m", f"tests.conformance.{module}", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if line.startswith("only by examples:")]
