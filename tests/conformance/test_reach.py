"""No rule lives for an example alone: what the worked examples reach, walks through the commands
reach as well.

Nor does a parameter: what examples give one, the code can give it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance import reach
from tests.conformance.reach import inputs_digest, recorded_digests
from tests.example_counts import nightly

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("system", ["ebb", "barmore", "ego", "masterbook"])
def test_nothing_is_reached_by_examples_alone(system: str) -> None:
    """By day, files that have passed before pass at once: `make reach` records them."""
    if nightly() or recorded_digests().get(system) != inputs_digest(system):
        assert _only_by_examples("reach", system) == []


def test_another_file_or_text_is_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reach, "ROOT", tmp_path)
    digests: list[str] = []
    for name, text in (("rules/table/a.py", "1"), ("rules/systems/ebb/b.py", "2")):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
        digests.append(inputs_digest("ebb"))
    path.write_text("3")
    digests.append(inputs_digest("ebb"))
    assert len(set(digests)) == 3
    other = inputs_digest("ego")
    path.write_text("4")
    assert inputs_digest("ego") == other


@pytest.mark.slow
def test_nothing_is_given_by_examples_alone() -> None:
    assert _only_by_examples("example_only_inputs") == []


def _only_by_examples(module: str, *options: str) -> list[str]:
    """What it finds in a process of its own, where nothing is remembered from other tests."""
    command = [sys.executable, "-m", f"tests.conformance.{module}", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if line.startswith("only by examples:")]
