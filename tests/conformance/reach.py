"""`python -m tests.conformance.reach SYSTEM`: functions of a system that its worked examples reach
and no walk does.

The walks are the tests that play on the simulated Discord: tests/discord/SYSTEM, then
tests/flows/test_SYSTEM.py where something is still missing. They stop as soon as nothing is.

This takes up to a minute a system. Its result follows from the files that `inputs_digest` reads,
and from the commands that the walks use, which `make nightly` looks at again. `--record` notes that
the files have passed; then the test passes at once.
"""

from __future__ import annotations

import ast
import builtins
import gc
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from tests.conformance.runner import EXAMPLES, adapters, run_files

ROOT = Path(__file__).resolve().parents[2]
#: Digests of the files that have passed, by system.
RECORD = Path(__file__).with_name("reached.json")


def _inputs(system: str) -> Iterator[Path]:
    """Yield the files that the result depends on: the rules, the examples, and the walks."""
    folders = (
        "rules/core",
        "rules/table",
        f"rules/systems/{system}",
        "tests/conformance",
        f"tests/discord/{system}",
    )
    for folder in folders:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".json") and path != RECORD:
                yield path
    yield from (ROOT / "tests/flows").glob(f"*{system}*.py")


def _content(path: Path) -> bytes:
    """Return what a file does: of code its syntax tree without docstrings, comments and layout."""
    if path.suffix != ".py":
        return path.read_bytes()
    tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if ast.get_docstring(node, clean=False) is not None:
                del node.body[0]
    return ast.dump(tree).encode()


def inputs_digest(system: str) -> str:
    """Return the digest of all files that the result for a system depends on."""
    digest = hashlib.sha256()
    for path in sorted(_inputs(system)):
        digest.update(path.relative_to(ROOT).as_posix().encode())
        digest.update(hashlib.sha256(_content(path)).digest())
    return digest.hexdigest()


def recorded_digests() -> dict[str, str]:
    """Return the digests of the files that have passed, by system."""
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else {}


def _functions(system: str) -> dict[str, list[FunctionType]]:
    """The functions and methods of a system's own modules: `dice.py Pool.successes`."""
    folder = f"{ROOT}/rules/systems/{system}/"
    found: dict[str, list[FunctionType]] = {}
    for each in gc.get_objects():
        if type(each) is FunctionType and each.__code__.co_filename.startswith(folder):
            name = f"{each.__code__.co_filename.removeprefix(folder)} {each.__code__.co_qualname}"
            if "<" not in name:
                found.setdefault(name, []).append(each)
    return found


#: What is watched finds this among the built-in names: it has the names of its own module.
first_call: Any = None


def _called(*args: Any, **given: Any) -> Any:
    """What a function does that is watched."""
    return first_call("the function", *args, **given)


class _Watch:
    """Takes functions off `missing` as they are called first; from then on each is as it was, and
    as fast.
    """

    def __init__(self, functions: dict[str, list[FunctionType]], missing: Iterable[str]) -> None:
        self.missing = set(missing)
        self._codes = {
            each: (name, each.__code__) for name in self.missing for each in functions[name]
        }
        builtins.__dict__["first_call"] = self._first
        for each, (_, code) in self._codes.items():
            consts = tuple(
                each if const == "the function" else const for const in _called.__code__.co_consts
            )
            each.__code__ = _called.__code__.replace(co_consts=consts, co_freevars=code.co_freevars)

    def _first(self, function: FunctionType, /, *args: Any, **given: Any) -> Any:
        name, function.__code__ = self._codes[function]
        self.missing.discard(name)
        return function(*args, **given)


def by_examples(system: str) -> set[str]:
    """What the examples of a system reach."""
    files = [each for each in EXAMPLES.glob("*.json") if each.stem.partition("-")[0] == system]
    adapters()  # what runs as modules are imported is no play
    functions = _functions(system)
    watch = _Watch(functions, functions)
    report = run_files(files)
    assert report.passed and not report.failed, report.mismatches
    return functions.keys() - watch.missing


class _Search:
    """Walks go on while something is missing."""

    def __init__(self, system: str, missing: set[str]) -> None:
        self.missing, self._system = missing, system
        self._watch: _Watch | None = None

    def pytest_runtest_setup(self) -> None:
        if self._watch is None:  # what runs as modules are imported is no play
            self._watch = _Watch(_functions(self._system), self.missing)
            self.missing = self._watch.missing

    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        if not self.missing:
            item.session.shouldstop = "nothing is missing"


def left(system: str) -> list[str]:
    """What only the examples of a system reach."""
    # Apart: what examples have computed is remembered, and walks would not compute it again.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as apart:
        search = _Search(system, apart.submit(by_examples, system).result())
    for walks in (f"tests/discord/{system}", f"tests/flows/test_{system}.py"):
        if search.missing:
            status = pytest.main(["-q", "-x", "-p", "no:cacheprovider", walks], [search])
            assert status in (pytest.ExitCode.OK, pytest.ExitCode.INTERRUPTED), status
    return sorted(search.missing)


def main(words: list[str]) -> int:
    record = "--record" in words
    failed = False
    for system in (word for word in words if word != "--record"):
        only_by_examples = left(system)
        for name in only_by_examples:
            print("only by examples:", name)
        failed = failed or bool(only_by_examples)
        if record and not only_by_examples:
            digests = recorded_digests() | {system: inputs_digest(system)}
            RECORD.write_text(
                json.dumps(digests, indent=2, sort_keys=True) + "\n", encoding="utf-8"
            )
    return int(failed and record)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
