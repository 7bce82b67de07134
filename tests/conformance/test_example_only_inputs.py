"""No parameter of the rules is there for a worked example alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_commands_can_give_what_examples_give() -> None:
    """The tool runs in a process of its own, where no other test has filled a memo."""
    command = [sys.executable, "-m", "tests.conformance.example_only_inputs"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.splitlines() == []
