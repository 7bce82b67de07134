"""The rules alone: how many checks a second, on one core, without storage or Discord."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.tables import GM, furnish
from bot.services.tables import Tables
from bot.storage.store import SqlStore
from rules.core.rng import KeyedRng, KeyedStreams
from rules.systems.ebb.task_roll import judge, roll_task
from rules.table.actions import Actor, Begin, ChangeSettings, Choose
from rules.table.state import TableState
from tests.sample_table import resolve

PLACE = "200"
ANN = Actor("p2")
NOW = 1_800_000_000
SEEDS = (b"p" * 32, b"s" * 32)
IDEA = {"skill": "Climbing", "attribute": "Fitness", "approach": "up the drainpipe"}


@dataclass(frozen=True)
class Core:
    """Per second: the roll of an answered check, its dice and judgment alone, a whole live
    check.
    """

    resolve_roll: float
    roll_and_judge: float
    live_check: float


async def measure(folder: Path, *, seconds: float = 0.5, rounds: int = 5) -> Core:
    """The medians of some rounds."""
    path = folder / "core.db"
    people = [(str(500 + number), f"player-{number}") for number in range(6)]
    (table,) = await furnish(path, "100", [PLACE], ("400", "gina"), people, live=True)
    store = await SqlStore.open(path)
    try:
        live = (await Tables(store).get(table.id)).state
    finally:
        await store.close()
    works = [_roll(_answered(live)), _dice(), _whole(live)]
    series: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for speeds, work in zip(series, works, strict=True):
            speeds.append(measure_speed(work, seconds))
    return Core(*map(statistics.median, series))


def measure_speed(work: Callable[[str], object], seconds: float) -> float:
    """Return how often a second *work* is done, each time with a new request id."""
    number, start = 0, time.perf_counter()
    end = start + seconds
    while True:
        for _ in range(200):
            number += 1
            work(f"{1_000_000_000_000_000_000 + number}")
        now = time.perf_counter()
        if now >= end:
            return number / (now - start)


def choose_option(state: TableState, who: Actor, prompt: str, option: str, **values: Any) -> Choose:
    """An option of the only check's prompt, as a button or a panel would have it."""
    ((check, found),) = state.checks.items()
    number = next(each.number for each in found.asked if each.prompt.key == prompt)
    by: Any = {"who": who, "place": PLACE, "at": NOW}
    return Choose(**by, check=check, prompt=prompt, number=number, option=option, values=values)


def _answered(live: TableState) -> TableState:
    rng = KeyedStreams(*SEEDS, "prepare")
    settings = ChangeSettings(
        who=GM, place=PLACE, at=NOW, values={"live": False, "step_in_time": 3600}
    )
    state = resolve(live, settings, rng).state
    state = resolve(
        state, Begin(who=ANN, place=PLACE, at=NOW, kind="check", values=IDEA), rng
    ).state
    return resolve(state, choose_option(state, GM, "rule", "roll", difficulty="Tricky"), rng).state


def _roll(state: TableState) -> Callable[[str], object]:
    action = choose_option(state, ANN, "ready", "roll")
    return lambda key: resolve(state, action, KeyedStreams(*SEEDS, key))


def _dice() -> Callable[[str], object]:
    return lambda key: judge(roll_task(KeyedRng(SEEDS[0], key), attribute=3, ability_sides=8), 12)


def _whole(state: TableState) -> Callable[[str], object]:
    values = {**IDEA, "difficulty": "Tricky"}
    action = Begin(who=ANN, place=PLACE, at=NOW, kind="check", values=values)
    return lambda key: resolve(state, action, KeyedStreams(*SEEDS, key))
