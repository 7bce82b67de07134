"""Gate: no import cycles, rooms whose imports run one way, shared code that names no system, no
huge class.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any, Final

import pytest

from tests.gates import structure
from tests.gates.structure import (
    ROOT,
    folder_imports,
    import_cycles,
    largest_class,
    module_imports,
    system_key_comparisons,
)
from tests.gates.test_imports import linter_contracts

#: Lines of the longest class. A class that grows beyond this does more than one thing: split it.
MAX_CLASS_LINES: Final = 360
#: Contracts whose layers are the rooms of one package.
ROOM_CONTRACTS: Final = ("masterbook-rooms", "ego-rooms", "bot-rooms", "table-rooms")


def test_modules_do_not_import_each_other_in_a_cycle() -> None:
    assert import_cycles(module_imports(ROOT)) == []


def test_folders_do_not_import_each_other_in_a_cycle() -> None:
    assert import_cycles(folder_imports(ROOT)) == []


def test_shared_code_compares_nothing_with_the_key_of_a_system() -> None:
    assert system_key_comparisons(ROOT) == [], (
        "let the system's record say what is special about it"
    )


def test_no_class_is_huge() -> None:
    largest = largest_class(ROOT)
    assert largest.lines <= MAX_CLASS_LINES, f"{largest.name} has {largest.lines} lines"


@pytest.mark.parametrize("name", ROOM_CONTRACTS)
def test_every_room_stands_in_the_contract_of_its_package(name: str) -> None:
    """Import-linter checks only the rooms that a contract names."""
    contract: Any = linter_contracts(ROOT)[name]
    (container,) = contract["containers"]
    layers = " ".join(contract["layers"]).replace("|", " ").replace(":", " ").split()
    folder = ROOT / container.replace(".", "/")
    rooms = {path.parent.name for path in folder.glob("*/__init__.py")}
    without_imports = {"locale", "samples", "ops"} if container == "bot" else set[str]()
    assert rooms - set(layers) - without_imports == set()


def test_cycles_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set[str]()}
    assert import_cycles(graph) == [["a", "b", "c"]]


def test_a_small_tree_is_read(tmp_path: Path) -> None:
    files = {
        "rules/table/deep/system.py": "class System:\n    key: str\n    f: int\n",
        "rules/table/state.py": "import rules.systems.ebb\n",
        "rules/systems/ebb/__init__.py": "from rules.table.state import x\n",
        "bot/storage/codec.py": "found = key == 'ebb'\n",
        "cogs/x.py": "if key in ('ebb', 'tiny'):\n    pass\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert system_key_comparisons(tmp_path) == ["cogs/x.py:1"]
    assert import_cycles(module_imports(tmp_path)) == [["rules.systems.ebb", "rules.table.state"]]
    assert import_cycles(folder_imports(tmp_path)) == [["rules.systems.ebb", "rules.table"]]
    assert largest_class(tmp_path) == structure.ClassSize("System", 3)


def test_imports_of_names_and_of_modules_are_told_apart() -> None:
    tree = ast.parse(
        "from rules.table import state\nfrom rules.table.state import x\nimport bot.app\n"
    )
    known = {"rules.table": ROOT, "rules.table.state": ROOT, "bot.app": ROOT}
    targets = structure._import_targets(tree, known)
    assert [*targets] == ["rules.table.state", "rules.table.state", "bot.app"]
