"""The walk through the smallest system in CONTRIBUTING leads past things that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rules.table.checks import stages
from tests.tiny import system

ROOT = Path(__file__).resolve().parents[2]
#: Names of places that only a new system fills.
_NEW = re.compile(r"<key>")


def walk() -> str:
    """The chapter."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return text.partition("## Adding a rule system\n")[2].partition("\n## ")[0]


def named_codes() -> list[str]:
    """What it names as code."""
    return re.findall(r"`([^`]+)`", walk())


def test_its_files_and_folders_are_there() -> None:
    paths = [
        each
        for each in named_codes()
        if "/" in each and not each.startswith("/") and not _NEW.search(each)
    ]
    assert len(paths) >= 5
    assert [each for each in paths if not (ROOT / each).exists()] == []
    for each in {each for each in named_codes() if _NEW.search(each) and not each.startswith("/")}:
        assert list(ROOT.glob(each.replace("<key>", "ebb"))), each


@pytest.mark.parametrize(
    "name",
    ["Sheet", "FIELDS", "LUCK", "ASK", "RULE", "Try", "CHECK", "Throw", "Pushing", "TINY", "WORDS"],
)
def test_it_names_what_the_system_has(name: str) -> None:
    assert f"`{name}`" in walk()
    assert hasattr(system, name)


def test_it_names_nothing_else() -> None:
    """Every name that looks like one of the system's or of the shared stages' is one."""
    functions = {name for name in dir(system) if not name.startswith("_")}
    shared = {"ProposalStage", "ReadyStage", "RolledStage"}
    assert all(hasattr(stages, name) for name in shared)
    methods = {"enter", "options", "choose", "ask"}
    assert all(hasattr(system.Throw, name) for name in methods)
    fields = {"role", "button", "aims"}
    assert all(hasattr(system.CHECK, name) for name in fields)
    plain = {each for each in named_codes() if each.isidentifier()}
    assert plain - functions - shared - methods - fields - {"SYSTEM"} == set()
