"""`python -m tests.conformance.example_only_inputs`: what only worked examples give a function of
the rules.

What parameters are given while the examples run is told apart by its kind: None, yes and no, each
member of an enumeration, anything at all; nothing, zero and what is given by default count for
nothing. Beside it stands what the calls in rules, bot and cogs can give them: a constant, what the
caller's own parameter can be given, or anything. So a parameter is found that no command gives,
such as a rule that stands in the rules and is played by examples alone. Functions of modules alone:
whose object a method is called on no call tells.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from rules.registry import PLAYABLE
from tests.conformance.runner import EXAMPLES, adapters, run_files

ROOT = Path(__file__).resolve().parents[2]
#: Everything a parameter can be given, where a call does not tell.
ANYTHING = "anything"

Kinds = dict[str, set[str]]


def _members(hint: Any) -> frozenset[object]:
    """What something may be, where that is an enumeration."""
    parts = get_args(hint)
    if get_origin(hint) is Literal:
        return frozenset(parts)
    return frozenset[object]().union(*[_members(each) for each in parts])


class Known:
    """A function of a module: its parameters, what they are by default, and what they may be."""

    def __init__(self, function: FunctionType) -> None:
        self.name = f"{function.__module__} {function.__name__}"
        several = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
        all_ = inspect.signature(function).parameters.items()
        self.parameters = {name: each for name, each in all_ if each.kind not in several}
        try:
            hints = get_type_hints(function)
        except NameError:  # of what is imported for the type checker alone
            hints = {}
        self._members = {each: _members(hints.get(each)) for each in self.parameters}

    def default(self, name: str) -> object:
        """What it is by default; `inspect.Parameter.empty` where it has to be given."""
        return self.parameters[name].default

    def kind(self, name: str, value: object) -> str:
        """Of something that a parameter is given; empty where it is none, or its default."""
        default = self.default(name)
        if default is not inspect.Parameter.empty and (value is default or value == default):
            return ""
        if (
            value is None
            or isinstance(value, bool)
            or (isinstance(value, str) and value in self._members[name])
        ):
            return repr(value)
        return ANYTHING if value else ""


def _plain(found: Any) -> FunctionType | None:
    """A function of a module, whatever remembers what it has found."""
    found = inspect.unwrap(found) if callable(found) else found
    plain = isinstance(found, FunctionType) and found.__module__.startswith("rules.")
    return found if plain and found.__qualname__ == found.__name__ else None


#: A call in the code, and the function of a module that it stands in.
Call = tuple[ast.Call, FunctionType | None]


class Code:
    """All calls in rules, bot and cogs of the functions of modules."""

    def __init__(self) -> None:
        self.known: dict[CodeType, Known] = {}
        self.calls: dict[CodeType, list[Call]] = defaultdict(list)
        #: Those that are handed on: who calls them with what nobody knows.
        self.handed: set[CodeType] = set()
        for folder in ("rules", "bot", "cogs"):
            for file in (ROOT / folder).rglob("*.py"):
                if file.stem != "__main__":
                    self._read(file)

    def _read(self, file: Path) -> None:
        parts = file.relative_to(ROOT).with_suffix("").parts
        module = importlib.import_module(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
        tree, space = ast.parse(file.read_text(encoding="utf-8")), vars(module)
        for each in tree.body:
            inside = _plain(space.get(each.name)) if isinstance(each, ast.FunctionDef) else None
            there = _outer(each, space)
            called: set[ast.expr] = set()
            for node in ast.walk(each):
                if isinstance(node, ast.Call):
                    called.add(node.func)
                    found = _meant(node.func, there)
                    if found is not None:
                        self.calls[found.__code__].append((node, inside))
                elif isinstance(node, ast.Name | ast.Attribute) and node not in called:
                    found = _meant(node, there)
                    if found is not None:
                        self.handed.add(found.__code__)

    def of(self, function: FunctionType) -> Known:
        code = function.__code__
        if code not in self.known:
            self.known[code] = Known(function)
        return self.known[code]

    def gives(
        self, function: FunctionType, name: str, seen: frozenset[CodeType] = frozenset()
    ) -> set[str]:
        """The kinds that calls can give a parameter."""
        code = function.__code__
        if code in self.handed:
            return {ANYTHING}
        if code in seen:
            return set()
        found: set[str] = set()
        for call in self.calls[code]:
            found |= self._given(call, function, name, seen | {code})
        return found

    def _given(
        self, call: Call, function: FunctionType, name: str, seen: frozenset[CodeType]
    ) -> set[str]:
        known, (node, inside) = self.of(function), call
        if any(isinstance(each, ast.Starred) for each in node.args) or any(
            each.arg is None for each in node.keywords
        ):
            return {ANYTHING}
        given = dict(zip(known.parameters, node.args, strict=False))
        given |= {each.arg: each.value for each in node.keywords if each.arg is not None}
        value = given.get(name)
        if value is None:
            return set()
        if isinstance(value, ast.Constant):
            return {known.kind(name, value.value)}
        if (
            isinstance(value, ast.Name)
            and inside is not None
            and value.id in self.of(inside).parameters
        ):
            default = self.of(inside).default(value.id)
            usual = set() if default is inspect.Parameter.empty else {known.kind(name, default)}
            return usual | self.gives(inside, value.id, seen)
        return {ANYTHING}


def _outer(statement: ast.stmt, space: Mapping[str, Any]) -> Mapping[str, Any]:
    """What names of a module stand for in a function: not those that the function has for
    itself.
    """
    if not isinstance(statement, ast.FunctionDef):
        return space
    mine = {each.arg for each in ast.walk(statement) if isinstance(each, ast.arg)}
    names = [each for each in ast.walk(statement) if isinstance(each, ast.Name)]
    mine |= {each.id for each in names if isinstance(each.ctx, ast.Store)}
    return {name: value for name, value in space.items() if name not in mine}


def _meant(node: ast.expr, space: Mapping[str, Any]) -> FunctionType | None:
    """The function of a module that a name stands for, in a module with these names."""
    if isinstance(node, ast.Name):
        return _plain(space.get(node.id))
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return _plain(getattr(space.get(node.value.id), node.attr, None))
    return None


def by_examples(
    system: str, functions: Mapping[CodeType, FunctionType], code: Code
) -> dict[CodeType, Kinds]:
    """The kinds that parameters of these functions are given while the examples of a system run."""
    found: dict[CodeType, Kinds] = defaultdict(lambda: defaultdict(set))

    def note(frame: FrameType, event: str, _: object) -> None:
        function = functions.get(frame.f_code) if event == "call" else None
        if function is not None:
            known, kinds, given = code.of(function), found[frame.f_code], frame.f_locals
            for name in known.parameters:
                kinds[name].add(known.kind(name, given[name]))

    files = [each for each in EXAMPLES.glob("*.json") if each.stem.partition("-")[0] == system]
    adapters()
    sys.setprofile(note)
    try:
        report = run_files(files)
    finally:
        sys.setprofile(None)
    assert report.passed and not report.failed, report.mismatches
    return found


def _functions(system: str) -> Iterator[FunctionType]:
    """Those of a system's rules, and of what all rules roll with."""
    for name, module in list(sys.modules.items()):
        if name.startswith((f"rules.systems.{system}.", "rules.core.")):
            for each in list(vars(module).values()):
                found = _plain(each)
                if found is not None and found.__module__ == name:
                    yield found


def left(system: str, code: Code) -> list[str]:
    """What only examples of a system give, by function and parameter."""
    functions = {each.__code__: each for each in _functions(system)}
    lines: list[str] = []
    for each, parameters in by_examples(system, functions, code).items():
        for name, kinds in parameters.items():
            gives = code.gives(functions[each], name)
            if ANYTHING not in gives and (only := sorted(kinds - gives - {""})):
                lines.append(f"{code.of(functions[each]).name} {name}: {', '.join(only)}")
    return sorted(lines)


if __name__ == "__main__":
    everything = Code()
    for key in PLAYABLE:
        for line in left(key, everything):
            print("only by examples:", line)
