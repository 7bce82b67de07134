"""The walls of the house, as far as the imports of `rules` show them.

import-linter knows only the third parties that it is told of; this allow-list knows no exception.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Standard library, but a way to the outside: chance, clock, files, network, processes, threads,
# logs.
DENIED = frozenset(
    {
        "asyncio",
        "datetime",
        "glob",
        "http",
        "io",
        "logging",
        "multiprocessing",
        "os",
        "pathlib",
        "random",
        "secrets",
        "select",
        "selectors",
        "shutil",
        "signal",
        "socket",
        "socketserver",
        "sqlite3",
        "ssl",
        "subprocess",
        "tempfile",
        "threading",
        "time",
        "urllib",
        "uuid",
    }
)
# Data files of a package are read by its resources; that is the whole of the I/O that rules may do.
BUILT_IN = frozenset({"open", "print", "input", "exec", "eval", "__import__", "breakpoint"})
# The one third party of `rules`: records are its structs, and rows of data are read by it.
THIRD_PARTY = frozenset(
    {("rules/core/record.py", "msgspec"), ("rules/core/data_rows.py", "msgspec")}
)


def imported_modules(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Each imported module of a file, with its line; relative imports stay within the package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.lineno, node.module


def forbidden_imports(root: Path, package: str = "rules") -> list[str]:
    """What the modules of a package import, or call, against the allow-list: `file:line: name`."""
    found: list[str] = []
    for path in sorted((root / package).rglob("*.py")):
        where = path.relative_to(root).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"), filename=where)
        for line, module in imported_modules(tree):
            top = module.partition(".")[0]
            if top == package or (where, top) in THIRD_PARTY:
                continue
            if top in DENIED or top not in sys.stdlib_module_names:
                found.append(f"{where}:{line}: {module}")
        found += [
            f"{where}:{node.lineno}: {node.func.id}()"
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in BUILT_IN
        ]
    return found


def linter_contracts(root: Path) -> dict[str, dict[str, object]]:
    """The import-linter contracts of the project, by id."""
    with (root / "pyproject.toml").open("rb") as file:
        return {c["id"]: c for c in tomllib.load(file)["tool"]["importlinter"]["contracts"]}


def systems(root: Path) -> list[str]:
    """The modules of the rule systems: each package in `rules/systems`."""
    return sorted(
        f"rules.systems.{p.parent.name}" for p in (root / "rules/systems").glob("*/__init__.py")
    )


def unlisted_systems(root: Path) -> list[str]:
    """Systems that the contract of independence does not reach."""
    listed = linter_contracts(root)["systems"]["modules"]
    assert isinstance(listed, list)
    return [] if "rules.systems.*" in listed else [s for s in systems(root) if s not in listed]


def test_rules_import_only_what_is_pure() -> None:
    assert list((ROOT / "rules").rglob("*.py")), "no module of `rules` was found"
    assert forbidden_imports(ROOT) == []


def test_every_system_is_under_the_contract_of_independence() -> None:
    assert systems(ROOT), "no rule system was found"
    assert unlisted_systems(ROOT) == []


def test_every_folder_of_a_system_is_a_package() -> None:
    """A folder without `__init__.py` would escape import-linter and the contract."""
    folders = [p for p in (ROOT / "rules").rglob("*") if p.is_dir() and any(p.glob("*.py"))]
    assert [
        p.relative_to(ROOT).as_posix() for p in folders if not (p / "__init__.py").is_file()
    ] == []


def test_the_walls_stand_in_the_contracts() -> None:
    contracts = linter_contracts(ROOT)
    assert contracts["layers"]["layers"] == ["cogs", "bot", "rules"]
    assert contracts["services"]["source_modules"] == ["bot.services", "bot.storage"]
    assert contracts["cogs"]["forbidden_modules"] == ["bot.storage"]
    assert contracts["presentation"]["source_modules"] == ["bot.presenters"]


@pytest.mark.parametrize(
    "line",
    [
        "import random",
        "from random import randint",
        "import os.path",
        "from datetime import datetime",
        "import discord",
        "import msgspec",
        "from pydantic import BaseModel",
        "from bot.services import tables",
        "def f():\n    import sqlite3",
        "if True:\n    from urllib.request import urlopen",
        "data = open('x')",
    ],
)
def test_the_gate_finds(tmp_path: Path, line: str) -> None:
    (tmp_path / "rules" / "core").mkdir(parents=True)
    (tmp_path / "rules" / "core" / "bad.py").write_text(f"{line}\n", encoding="utf-8")
    (found,) = forbidden_imports(tmp_path)
    assert found.startswith("rules/core/bad.py:")


def test_the_gate_lets_pass(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    lines = (
        "from __future__ import annotations",
        "import json",
        "from importlib import resources",
        "from dataclasses import dataclass",
        "from rules.core import dice",
        "from . import sibling",
    )
    (tmp_path / "rules" / "good.py").write_text("\n".join(lines), encoding="utf-8")
    assert forbidden_imports(tmp_path) == []


def test_msgspec_is_imported_where_it_is_allowed_and_nowhere_else() -> None:
    importing = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "rules").rglob("*.py")
        for _, module in imported_modules(ast.parse(path.read_text(encoding="utf-8")))
        if module.partition(".")[0] == "msgspec"
    }
    assert importing == {path for path, _ in THIRD_PARTY}


def test_the_gate_finds_a_system_that_is_not_listed(tmp_path: Path) -> None:
    for key in ("one", "two"):
        (tmp_path / "rules" / "systems" / key).mkdir(parents=True)
        (tmp_path / "rules" / "systems" / key / "__init__.py").touch()
    contract = '[[tool.importlinter.contracts]]\nid = "systems"\nmodules = ["{}"]\n'
    project = tmp_path / "pyproject.toml"
    project.write_text(contract.format("rules.systems.one"), encoding="utf-8")
    assert unlisted_systems(tmp_path) == ["rules.systems.two"]
    project.write_text(contract.format("rules.systems.*"), encoding="utf-8")
    assert unlisted_systems(tmp_path) == []
