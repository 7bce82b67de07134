"""Private names of libraries that the product uses, found by its source."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from tests.gates.structure import source_files, syntax_tree

#: Names of a NamedTuple that are public in spite of their underscore.
_PUBLIC: Final = frozenset({"_asdict", "_fields", "_make", "_replace"})
#: Functions that take the name of an attribute.
_BY_NAME: Final = frozenset({"attrgetter", "delattr", "getattr", "hasattr", "setattr"})


class _Use(NamedTuple):
    """A private name in an expression or import."""

    name: str
    #: Class whose method reads the name from its own object; empty for any other use.
    owner: str


class _PrivateNames:
    """The private names of a file: what it defines and uses."""

    def __init__(self, tree: ast.Module) -> None:
        #: Names that each class defines; under the empty name, those of the file outside classes.
        self.defined: dict[str, set[str]] = {"": set()}
        self.bases: dict[str, set[str]] = {}
        self.uses: set[_Use] = set()
        waiting: list[tuple[ast.AST, str]] = [(tree, "")]
        while waiting:
            node, owner = waiting.pop()
            self._note(node, owner)
            if isinstance(node, ast.ClassDef):
                owner = node.name
                self.defined.setdefault(owner, set())
                self.bases.setdefault(owner, set()).update(map(_last_name, node.bases))
            waiting += [(child, owner) for child in ast.iter_child_nodes(node)]

    def _note(self, node: ast.AST, owner: str) -> None:
        name = _defined_name(node)
        if _is_private(name):
            self.defined[owner].add(name)
            return
        of_self = _is_of_self(node)
        for name in filter(_is_private, _used_names(node)):
            self.uses.add(_Use(name, owner if of_self else ""))


def private_uses(root: Path) -> dict[str, set[str]]:
    """Return the private names in each file that neither its classes nor their bases define.

    Such a name belongs to a library. Classes of the same name count as one. Keys of the result are
    paths below *root*.
    """
    files = {path: _PrivateNames(syntax_tree(path)) for path in source_files(root)}
    bases: dict[str, set[str]] = {}
    defined: dict[str, set[str]] = {}
    for names in files.values():
        for owner, own_bases in names.bases.items():
            bases.setdefault(owner, set()).update(own_bases)
            defined.setdefault(owner, set()).update(names.defined[owner])
    uses: dict[str, set[str]] = {}
    for path, names in files.items():
        known = {owner: _with_bases([owner], bases, defined) for owner in names.bases}
        known[""] = _with_bases(names.bases, bases, defined) | names.defined[""]
        foreign = {use.name for use in names.uses if use.name not in known[use.owner]}
        if foreign:
            uses[path.relative_to(root).as_posix()] = foreign
    return uses


def _with_bases(
    classes: Iterable[str], bases: Mapping[str, set[str]], defined: Mapping[str, set[str]]
) -> set[str]:
    """Return the names that *classes* or their bases in the product define."""
    names: set[str] = set()
    done: set[str] = set()
    waiting = [*classes]
    while waiting:
        name = waiting.pop()
        if name in done:
            continue
        done.add(name)
        names |= defined.get(name, set())
        waiting += bases.get(name, ())
    return names


def _defined_name(node: ast.AST) -> str:
    """Return the name that *node* defines or assigns; empty if it does neither."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        return node.attr if _is_of_self(node) else ""
    return ""


def _used_names(node: ast.AST) -> Iterator[str]:
    """Yield the names of others that *node* itself uses: attributes, and imported names."""
    if isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.ImportFrom):
        yield from (node.module or "").split(".")
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.Call) and _last_name(node.func) in _BY_NAME:
        for argument in node.args:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                yield argument.value


def _is_of_self(node: ast.AST) -> bool:
    """Return whether *node* is an attribute of a method's own object or class."""
    if not isinstance(node, ast.Attribute):
        return False
    return isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")


def _last_name(node: ast.expr) -> str:
    """Return the last part of a dotted name; of a subscript, that of the subscripted name."""
    if isinstance(node, ast.Subscript):
        return _last_name(node.value)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in {"_", *_PUBLIC}
