"""Comparing with another checkout finds one changed text, and nothing where nothing has changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.compare import ROOT, differences, main


@pytest.mark.parametrize("change", [False, True])
def test_one_changed_text_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str], change: bool) -> None:
    left_out = shutil.ignore_patterns("__pycache__", "discord", "conformance", "attack")
    for name in ("bot", "cogs", "rules", "tests", "pyproject.toml"):
        there = ROOT / name
        if there.is_dir():
            shutil.copytree(there, tmp_path / name, ignore=left_out)
    if change:
        words = tmp_path / "bot/locale/en/checks.toml"
        words.write_text(
            words.read_text(encoding="utf-8").replace("Suggested difficulty", "Difficulty in mind"),
            encoding="utf-8",
        )
    found = main([str(tmp_path), "--system", "ebb", "--seeds", "1", "--steps", "25"])
    said = capsys.readouterr().out
    assert found == change
    assert ("Difficulty in mind" in said) == change == ("differs" in said)


def test_games_part_at_a_step_and_are_shown_until_it_ends() -> None:
    same = ["step 0", "told a", "step 1"]
    assert list(differences(same, same)) == []
    parted = list(differences([*same, "told b", "step 2", "x"], [*same, "told c", "step 2", "y"]))
    assert parted == [("step 1", "told b", "told c")]
    assert list(differences(same, same[:2])) == [("step 0", "step 1", "nothing more")]


def test_another_folder_is_no_checkout(tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path)])
