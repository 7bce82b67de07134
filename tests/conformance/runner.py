"""Runs worked examples: finds the adapter for each, feeds it, compares what comes out.

Every module of this package may register adapters:

    @adapter("ebb.level")
    def level(given: Given, dice: MakeDice) -> Outputs: ...

An adapter translates names and calls the rules; it computes nothing and never sees an example's id
or what is expected. An example fails when an output differs or is missing, when no adapter is
registered, when the adapter raises, when it leaves a field of `given` unread, and when scripted
dice are left over. What is refused may leave unread what it would have been done with.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from rules.core.rng import ScriptedRng

HERE = Path(__file__).parent
EXAMPLES = HERE / "examples"
TOLERANCE = 1e-9

Outputs = Mapping[str, object]
MakeDice = Callable[[Iterable[int]], ScriptedRng]


class Given(Mapping[str, Any]):
    """The inputs of an example; remembers which were read, in objects and lists of objects too."""

    def __init__(self, values: Mapping[str, Any], path: str = "") -> None:
        self._values = {key: _wrap(value, f"{path}{key}") for key, value in values.items()}
        self._path = path
        self._read: set[str] = set()

    def __getitem__(self, key: str) -> Any:
        if key in self._values:
            self._read.add(key)
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def unread(self) -> list[str]:
        """Paths of the fields nobody has read."""
        paths: list[str] = []
        for key, value in self._values.items():
            if key == _REMARK:
                continue
            if key not in self._read:
                paths.append(f"{self._path}{key}")
            else:
                paths.extend(_unread(value))
        return paths


def _wrap(value: Any, path: str) -> Any:
    if isinstance(value, dict):
        return Given(value, f"{path}.")
    if isinstance(value, list):
        return [_wrap(entry, f"{path}[{index}]") for index, entry in enumerate(value)]
    return value


def _unread(value: Any) -> list[str]:
    if isinstance(value, Given):
        return value.unread()
    if isinstance(value, list):
        return [path for entry in value for path in _unread(entry)]
    return []


Adapter = Callable[[Given, MakeDice], Outputs]

#: A field that is for the reader alone.
_REMARK = "note"
#: Outputs that say that something is refused.
_REFUSED = ("allowed", "legal", "attempt_allowed", "first_aid_allowed")

_ADAPTERS: dict[str, Adapter] = {}
_loaded = False


def adapter(procedure: str) -> Callable[[Adapter], Adapter]:
    """Register the function below as the one that runs `procedure`."""

    def register(function: Adapter) -> Adapter:
        if procedure in _ADAPTERS:
            raise ValueError(f"two adapters for {procedure}")
        _ADAPTERS[procedure] = function
        return function

    return register


def adapters() -> Mapping[str, Adapter]:
    """Every registered adapter by procedure; imports the modules of this package the first time."""
    global _loaded
    if not _loaded:
        _loaded = True
        for module in pkgutil.iter_modules([str(HERE)]):
            if not module.name.startswith(("test_", "__")) and module.name != "runner":
                importlib.import_module(f"{__package__}.{module.name}")
    return _ADAPTERS


def _differs(expected: Any, actual: Any) -> bool:
    """Whether two values differ: numbers exactly, decimal fractions within 1e-9, true is not 1."""
    if isinstance(expected, bool) or isinstance(actual, bool) or expected is None or actual is None:
        return expected is not actual
    if isinstance(expected, dict):
        if not isinstance(actual, Mapping) or set(actual) != set(expected):
            return True
        return any(_differs(value, actual[key]) for key, value in expected.items())
    if isinstance(expected, list):
        if (
            isinstance(actual, str)
            or not isinstance(actual, Sequence)
            or len(actual) != len(expected)
        ):
            return True
        return any(_differs(one, other) for one, other in zip(expected, actual, strict=True))
    if isinstance(expected, int | float) and isinstance(actual, int | float | Fraction):
        if isinstance(expected, int) and isinstance(actual, int):
            return expected != actual
        return not abs(float(expected) - float(actual)) <= TOLERANCE
    return bool(expected != actual)


def check(example: Mapping[str, Any]) -> list[str]:
    """What is wrong with this example's outcome; empty when it comes out as expected."""
    procedure = example.get("procedure")
    run = adapters().get(procedure) if isinstance(procedure, str) else None
    if run is None:
        return [f"no adapter for procedure {procedure!r}"]
    if not isinstance(example.get("given"), dict) or not example.get("expect"):
        return ["an example needs `given` and something under `expect`"]
    rolled: list[ScriptedRng] = []

    def dice(faces: Iterable[int]) -> ScriptedRng:
        scripted = ScriptedRng(faces)
        rolled.append(scripted)
        return scripted

    given = Given(example["given"])
    try:
        outputs = run(given, dice)
    except Exception as error:  # whatever an adapter raises is a mismatch of this example
        return [f"raised {type(error).__name__}: {error}"]
    wrong: list[str] = []
    for name, expected in example["expect"].items():
        if name not in outputs:
            wrong.append(f"{name}: expected {expected!r}, not among the outputs")
        elif _differs(expected, outputs[name]):
            wrong.append(f"{name}: expected {expected!r}, came out as {outputs[name]!r}")
    if not any(outputs.get(key) is False for key in _REFUSED):
        wrong.extend(f"given.{path}: not used" for path in given.unread())
    left = sum(scripted.left for scripted in rolled)
    if left:
        wrong.append(f"{left} scripted dice were not rolled")
    return wrong


@dataclass(slots=True)
class Report:
    """How many examples passed and failed, and a printable line for each mismatch."""

    passed: int = 0
    failed: int = 0
    mismatches: list[str] = field(default_factory=list)

    def add(self, label: str, wrong: Sequence[str]) -> None:
        """Count one example; it failed if anything is `wrong`."""
        if wrong:
            self.failed += 1
            self.mismatches.extend(f"{label}: {line}" for line in wrong)
        else:
            self.passed += 1


def run_files(files: Iterable[Path]) -> Report:
    """Run every example of these files. A file that cannot be read counts as one failure."""
    report = Report()
    for file in files:
        try:
            examples = json.loads(file.read_text(encoding="utf-8"))["examples"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            report.add(str(file), [f"cannot be read: {type(error).__name__}: {error}"])
            continue
        for example in examples:
            report.add(f"{file.name} {example.get('id', '(no id)')}", check(example))
    return report
