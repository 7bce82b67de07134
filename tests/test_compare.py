"""Comparison with another checkout, which finds a changed text and ignores a renamed class."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.compare import ROOT, differences, main


def changed_checkout(folder: Path, files: str, old: str, new: str) -> Path:
    """Return a copy of this checkout with *old* replaced in the files of that pattern."""
    left_out = shutil.ignore_patterns("__pycache__", "discord", "conformance", "attack")
    for package in ("bot", "cogs", "rules", "tests"):
        shutil.copytree(ROOT / package, folder / package, ignore=left_out)
    changed = 0
    for path in folder.glob(files):
        text = path.read_text(encoding="utf-8")
        changed += old in text
        path.write_text(text.replace(old, new), encoding="utf-8")
    assert changed
    return folder


GAME = ("--system", "ebb", "--seeds", "1", "--steps", "25")


def test_one_changed_text_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = "bot/locale/en/checks.toml"
    other = changed_checkout(tmp_path, texts, "Suggested difficulty", "Difficulty in mind")
    assert main([str(other), *GAME]) == 1
    printed = capsys.readouterr().out
    assert "Difficulty in mind" in printed
    assert "differs" in printed


def test_a_renamed_class_makes_no_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = changed_checkout(tmp_path, "rules/systems/ebb/*.py", "Attempt", "Essay")
    assert main([str(other), *GAME]) == 0, capsys.readouterr().out


def test_games_part_at_a_step_and_are_shown_until_it_ends() -> None:
    same = ["step 0", "told a", "step 1"]
    assert list(differences(same, same)) == []
    parted = list(differences([*same, "told b", "step 2", "x"], [*same, "told c", "step 2", "y"]))
    assert parted == [("step 1", "told b", "told c")]
    assert list(differences(same, same[:2])) == [("step 0", "step 1", "nothing more")]


def test_another_folder_is_no_checkout(tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path)])
