"""Structure of the product's code: imports between modules and folders, comparisons, classes.

Source is read as syntax trees; nothing of the product is run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
PRODUCT: Final = ("rules", "bot", "cogs")
#: Folders that may name a rule system by its key: its own, and the store of all tables.
_MAY_NAME_SYSTEMS: Final = frozenset({"systems", "storage"})


@dataclass(frozen=True)
class ClassSize:
    """Length of a class."""

    name: str
    #: All lines from `class` to the end of its body.
    lines: int


@cache
def syntax_tree(path: Path) -> ast.Module:
    """Return the syntax tree of a source file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def source_files(root: Path) -> list[Path]:
    """Return the Python files of the product, sorted."""
    return sorted(path for package in PRODUCT for path in (root / package).rglob("*.py"))


def module_name(root: Path, path: Path) -> str:
    """Return the dotted name of a file's module."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def module_imports(root: Path) -> dict[str, set[str]]:
    """Return the modules of the product that each module imports, anywhere in its file."""
    paths = {module_name(root, path): path for path in source_files(root)}
    graph: dict[str, set[str]] = {}
    for name, path in paths.items():
        imported = {
            target for target in _import_targets(syntax_tree(path), paths) if target in paths
        }
        graph[name] = imported - {name}
    return graph


def _import_targets(tree: ast.Module, known: Mapping[str, Path]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in known else node.module


def folder_of(module: str) -> str:
    """Return the folder of a module: `rules.table`, `bot.ui`, or one rule system.

    A module in the root of a package stands for itself, because it may import all folders.
    """
    parts = module.split(".")
    depth = 3 if parts[:2] == ["rules", "systems"] else 2
    return ".".join(parts[:depth])


def folder_imports(root: Path) -> dict[str, set[str]]:
    """Return the folders that each folder imports."""
    graph: dict[str, set[str]] = {}
    for module, imported in module_imports(root).items():
        folder = folder_of(module)
        graph.setdefault(folder, set()).update(folder_of(target) for target in imported)
        graph[folder].discard(folder)
    return graph


def import_cycles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the groups of names that reach each other, by Tarjan's algorithm."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    cycles: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for target in graph[name]:
            if target not in index:
                visit(target)
                low[name] = min(low[name], low[target])
            elif target in stack:
                low[name] = min(low[name], index[target])
        if low[name] != index[name]:
            return
        position = stack.index(name)
        group = stack[position:]
        del stack[position:]
        if len(group) > 1:
            cycles.append(sorted(group))

    for name in sorted(graph):
        if name not in index:
            visit(name)
    return cycles


def system_keys(root: Path) -> frozenset[str]:
    """Return the keys of the rule systems: the names of their folders."""
    return frozenset(path.parent.name for path in (root / "rules/systems").glob("*/__init__.py"))


def system_key_comparisons(root: Path) -> list[str]:
    """Return the places where shared code names a rule system in a comparison: `file:line`."""
    keys = system_keys(root)
    places: list[str] = []
    for path in source_files(root):
        relative = path.relative_to(root)
        if not _MAY_NAME_SYSTEMS.isdisjoint(relative.parts):
            continue
        for node in ast.walk(syntax_tree(path)):
            if isinstance(node, ast.Compare) and not keys.isdisjoint(_texts(node)):
                places.append(f"{relative.as_posix()}:{node.lineno}")
    return places


def _texts(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value


def largest_class(root: Path) -> ClassSize:
    """Return the longest class of the product."""
    sizes = [
        ClassSize(node.name, (node.end_lineno or node.lineno) - node.lineno + 1)
        for path in source_files(root)
        for node in ast.walk(syntax_tree(path))
        if isinstance(node, ast.ClassDef)
    ]
    return max(sizes, key=lambda size: size.lines)
