"""For all tests: how much is tried, and what no test should wait for.

The Hypothesis profiles say how much: `quick` while working, `ci` with every change (unless another
is named), `nightly` for what takes an hour: `pytest --hypothesis-profile=nightly`. `ci` says the
same of the same code whenever it runs; the others look where nobody looked before. Examples are
counted, not timed: a busy machine must not fail a test.
"""

from __future__ import annotations

import contextlib
import copy
import gc
import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, settings

from rules.table.settings.pace import BY_POST, PACES
from tests.example_counts import NIGHT, begin, within
from tests.sample_table import numbered_id
from tests.worker_shares import worker_shares

for name, examples in (("quick", 20), ("ci", 100), ("nightly", 2000)):
    settings.register_profile(
        name,
        max_examples=examples,
        deadline=None,
        derandomize=name == "ci",
        suppress_health_check=[
            HealthCheck.too_slow,
            *[HealthCheck.data_too_large] * (name == "nightly"),
        ],
    )
settings.load_profile("ci")

# Thousands of tests lie in memory, and all source while its codes are read: looking through them
# that often for what nobody needs was a seventh of what tests take.
gc.set_threshold(50_000)

HERE = Path(__file__).parent


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two workers more than processors: many tests wait for processes and disks."""
    usable = getattr(os, "sched_getaffinity", None)  # not everywhere
    return (len(usable(0)) if usable else os.cpu_count() or 1) + 2


def _test_modules(places: list[str]) -> list[str]:
    """Return the names of all test modules below these folders, the largest files first."""
    root = HERE.parent
    folders = [path for path in map(Path, places) if path.is_dir()]
    paths = {path.resolve() for folder in folders for path in folder.rglob("test_*.py")}
    ours = sorted(path for path in paths if path.is_relative_to(HERE))
    ours.sort(key=lambda path: path.stat().st_size, reverse=True)
    return [".".join(path.relative_to(root).with_suffix("").parts) for path in ours]


def pytest_sessionstart(session: pytest.Session) -> None:
    """Import this worker's share of the test modules before all of them are collected.

    In a fresh checkout pytest rewrites the asserts of each module, which takes a minute of
    processor time, and keeps the result on disk. Workers that collect in the same order would all
    rewrite the same module at the same time.
    """
    worker: dict[str, Any] | None = getattr(session.config, "workerinput", None)
    if worker is None:
        return
    first, count = int(worker["workerid"].removeprefix("gw")), worker["workercount"]
    for name in _test_modules(session.config.args)[first::count]:
        # Collecting the module tells what is wrong with it.
        with contextlib.suppress(Exception):
            importlib.import_module(name)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What takes long comes first in each worker, and none is left alone with it at the end."""
    workers: int = getattr(config, "workerinput", {"workercount": 1})["workercount"]
    items[:] = worker_shares(
        items, lambda item: item.get_closest_marker("slow") is not None, workers
    )
    tests: set[Any] = {getattr(item, "obj", None) for item in items}
    for test in tests:
        if getattr(test, "is_hypothesis_test", False) and hasattr(test, "hypothesis"):
            test.hypothesis.inner_test = within(NIGHT, test.hypothesis.inner_test)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    begin()


#: Where commits need not wait for the disk, which is most of what they take: no machine fails
#: there. `tests/storage` and `tests/survival` keep to what the bot does.
CARELESS = ("attack", "discord", "flows", "property", "services")


@pytest.fixture(scope="module", autouse=True)
def careless_disk(request: pytest.FixtureRequest) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        if request.path.relative_to(HERE).parts[0] in CARELESS:
            patch.setattr("bot.storage.database.SYNCHRONOUS", "OFF")
        yield


@pytest.fixture(scope="module", autouse=True)
def fair_share(request: pytest.FixtureRequest) -> Iterator[None]:
    """Exports get as much of the processor as other work.

    While other tests keep all processors busy, a process with what nobody else wants gets nothing.
    """
    with pytest.MonkeyPatch.context() as patch:
        if request.path.name != "test_worker_process.py":
            patch.setattr("bot.worker_process._IDLE", "pass")
        yield


@pytest.fixture(scope="session", autouse=True)
def numbered_people() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bot.services.directory.new_id", numbered_id)
        yield


def copy_json(value: Any) -> Any:
    """A copy of what JSON has, as `copy.deepcopy` makes it in five times as long."""
    kind = type(value)
    if kind is dict:
        return {key: copy_json(each) for key, each in value.items()}
    if kind is list:
        return [copy_json(each) for each in value]
    if kind is str or kind is int or kind is bool or value is None:
        return value
    return copy.deepcopy(value)


@pytest.fixture(scope="session", autouse=True)
def light_copies() -> Iterator[None]:
    """SimCord copies every payload several times; that was a quarter of what its tests take."""
    with pytest.MonkeyPatch.context() as patch:
        if "simcord" in sys.modules:
            for name in ("results", "components"):
                patch.setattr(f"simcord.{name}.deepcopy", copy_json)
            for name in ("gateway", "http.router"):
                patch.setattr(f"simcord.{name}.copy", SimpleNamespace(deepcopy=copy_json))
        yield


@pytest.fixture
def block_turns() -> bool:
    """Whether tables by post take turns in any order. Most tests look at one turn at a time."""
    return False


@pytest.fixture(autouse=True)
def one_at_a_time(monkeypatch: pytest.MonkeyPatch, block_turns: bool) -> None:
    """Tables that open by post have turns in any order only where a test asks for it."""
    by_post = {**PACES[BY_POST], "block_turns": block_turns}
    monkeypatch.setitem(cast("dict[str, Any]", PACES), BY_POST, by_post)
