"""The worked examples under pytest, the runner's own honesty, and which rule ids the tests name."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rules.registry import FREE_SYSTEM
from tests.conformance.runner import EXAMPLES, check, run_files

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "rules"
RULE_IDS = Path(__file__).with_name("rule_ids.json")
RULE_ID = re.compile(r"\b[A-Z]{2,4}(?:-[A-Z0-9]+)+\b")

# Pages of systems in work that no code implements so far, with what is built of them nevertheless.
# A test that names another of their rules adds it here; a page that is built is taken off.
NOT_BUILT: dict[str, set[str]] = {}

LEVEL: dict[str, Any] = {
    "id": "one",
    "procedure": "ebb.level",
    "given": {"level": "Easy", "shift": 1},
    "expect": {"threshold": 7, "name": "Routine"},
}
ROLL: dict[str, Any] = {
    "id": "two",
    "procedure": "ebb.task_roll",
    "given": {
        "main": [10, 4],
        "ability": {"die": "d6", "roll": 2},
        "attribute": 1,
        "threshold": 10,
    },
    "expect": {"total": 17, "verdict": "success", "extra_results": 2},
}


def example(base: dict[str, Any], given: dict[str, Any], expect: dict[str, Any]) -> dict[str, Any]:
    """The example with some fields replaced."""
    return {**base, "given": {**base["given"], **given}, "expect": {**base["expect"], **expect}}


def systems() -> list[str]:
    """Systems with code: folders under rules/systems that hold a module."""
    return sorted(
        p.name for p in (ROOT / "rules/systems").iterdir() if p.is_dir() and any(p.glob("*.py"))
    )


def of_system(system: str, file: str) -> bool:
    """Return whether a page or an example file belongs to a system, or to a page: `ebb.md`,
    `masterbook-core.json`.
    """
    stem = file.partition(".")[0]
    return stem == system or stem.startswith(f"{system}-")


def declared(folder: Path) -> dict[str, list[str]]:
    """The rule ids in the headings of each page of a folder; an id belongs to the first page that
    has it.
    """
    pages: dict[str, list[str]] = {}
    seen: set[str] = set()
    for page in sorted(folder.glob("*.md")):
        for line in page.read_text(encoding="utf-8").splitlines():
            for rule in RULE_ID.findall(line) if line.startswith("#") else ():
                if rule.startswith(("EBB-", "BAR-", "EGO-", "MB-")) and rule not in seen:
                    seen.add(rule)
                    pages.setdefault(page.name, []).append(rule)
    return pages


def marked(folder: Path) -> set[str]:
    """The rule ids that a mark in this folder's tests names."""
    found: set[str] = set()
    for file in folder.rglob("*.py"):
        for arguments in re.findall(r"\bmark\.rule\(([^)]*)\)", file.read_text(encoding="utf-8")):
            found.update(RULE_ID.findall(arguments))
    return found


def rule_ids() -> dict[str, list[str]]:
    return json.loads(RULE_IDS.read_text(encoding="utf-8"))


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.json")), ids=lambda file: file.stem)
def test_examples(file: Path) -> None:
    report = run_files([file])
    assert report.mismatches == []
    assert report.passed > 0


REFUSED: dict[str, Any] = {
    "id": "three",
    "procedure": "masterbook-core.mb-die-03",
    "given": {"trained": True, "dice": [3, 4], "life_points_spent": 2, "dn": 8},
    "expect": {"allowed": False},
}


@pytest.mark.parametrize(
    "good",
    [LEVEL, ROLL, example(LEVEL, {"note": "for the reader"}, {}), REFUSED],
    ids=["level", "roll", "remark", "refused"],
)
def test_a_right_expectation_passes(good: dict[str, Any]) -> None:
    assert check(good) == []


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (example(LEVEL, {}, {"threshold": 8}), "threshold: expected 8, came out as 7"),
        (example(LEVEL, {}, {"threshold": True}), "threshold: expected True, came out as 7"),
        (example(LEVEL, {}, {"threshold": None}), "threshold: expected None, came out as 7"),
        (example(LEVEL, {}, {"color": "red"}), "color: expected 'red', not among the outputs"),
        (example(LEVEL, {"color": "red"}, {}), "given.color: not used"),
        (example(LEVEL, {"level": "Nothing"}, {}), "raised InvalidInput"),
        (
            example(ROLL, {"ability": {"die": "d6", "roll": 2, "x": 1}}, {}),
            "given.ability.x: not used",
        ),
        (example(ROLL, {"main": [4, 4]}, {}), "1 scripted dice were not rolled"),
        (example(ROLL, {"main": [10, 10]}, {}), "raised IndexError"),
        (example(ROLL, {"main": [11]}, {}), "raised ValueError"),
        (
            example(REFUSED, {"life_points_spent": 0, "x": 1}, {"allowed": True}),
            "given.x: not used",
        ),
        ({**LEVEL, "procedure": "ebb.nothing"}, "no adapter for procedure 'ebb.nothing'"),
        ({**LEVEL, "procedure": None}, "no adapter for procedure None"),
        ({**LEVEL, "expect": {}}, "an example needs"),
    ],
)
def test_what_is_wrong_fails(bad: dict[str, Any], complaint: str) -> None:
    assert any(line.startswith(complaint) for line in check(bad)), check(bad)


@pytest.mark.slow
def test_the_command_counts_and_tells_by_its_status(tmp_path: Path) -> None:
    wrong = example(LEVEL, {}, {"threshold": 8})
    unknown = {**LEVEL, "id": "three", "procedure": "nothing.at_all"}
    file = tmp_path / "some.json"
    file.write_text(json.dumps({"examples": [LEVEL, wrong, ROLL, unknown]}), encoding="utf-8")

    def run(*files: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tests.conformance", *files]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    failed = run(str(file))
    assert failed.returncode == 1
    assert failed.stdout.splitlines() == [
        "some.json one: threshold: expected 8, came out as 7",
        "some.json three: no adapter for procedure 'nothing.at_all'",
        "2 passed, 2 failed",
    ]
    file.write_text(json.dumps({"examples": [LEVEL, ROLL]}), encoding="utf-8")
    passed = run(str(file))
    assert (passed.returncode, passed.stdout) == (0, "2 passed, 0 failed\n")
    missing = run(str(tmp_path / "gone.json"))
    assert missing.returncode == 1
    assert missing.stdout.splitlines()[-1] == "0 passed, 1 failed"


def test_examples_are_those_of_the_rule_pages() -> None:
    """Only a checkout beside the rule pages can be compared with them."""
    pages = SHARED / "examples"
    copies = {file.name for file in EXAMPLES.glob("*.json")}
    for original in sorted(pages.glob("*.json")) if pages.is_dir() else ():
        not_built = any(of_system(page, original.name) for page in NOT_BUILT)
        if not not_built and any(of_system(system, original.name) for system in systems()):
            assert original.name in copies, f"{original.name} is not copied"
        if original.name in copies:
            copy = (EXAMPLES / original.name).read_text(encoding="utf-8")
            assert json.loads(copy) == json.loads(original.read_text(encoding="utf-8")), (
                original.name
            )


def test_rule_ids_are_those_of_the_rule_pages() -> None:
    """Only a checkout beside the rule pages can be compared with them."""
    if SHARED.is_dir():
        assert rule_ids() == declared(SHARED)


def test_declared_ids_stand_in_headings(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("## EBB-ONE, EBB-TWO Names\ntext EBB-THREE\n", encoding="utf-8")
    (tmp_path / "b.md").write_text("# EBB-ONE\n### MB-4-A\n", encoding="utf-8")
    assert declared(tmp_path) == {"a.md": ["EBB-ONE", "EBB-TWO"], "b.md": ["MB-4-A"]}


@pytest.mark.parametrize("system", [system for system in systems() if system != FREE_SYSTEM])
def test_every_rule_of_a_system_is_named_by_a_test(system: str) -> None:
    wanted = {
        rule for page, rules in rule_ids().items() if of_system(system, page) for rule in rules
    }
    assert wanted, f"no rule page of {system} is known"
    pages = {page: built for page, built in NOT_BUILT.items() if of_system(system, page)}
    open_rules = {
        rule for page, built in pages.items() for rule in {*rule_ids()[f"{page}.md"]} - built
    }
    named = marked(ROOT / "tests")
    assert open_rules <= wanted, "not a rule of this system"
    assert sorted(open_rules & named) == [], "a test names it: take it off NOT_BUILT"
    assert sorted(wanted - open_rules - named) == [], "no test names it"
