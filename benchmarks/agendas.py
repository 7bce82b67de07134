"""The agenda of a busy table, and the update of a board, against the check that causes it."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from benchmarks.commands import Pair, pair
from benchmarks.tables import EBB, GM, NOW, PLACE
from bot.presenters.board import board_card
from bot.presenters.events import event_cards
from bot.presenters.names import DirectoryNames
from bot.presenters.render import to_messages
from bot.presenters.scene import Scene
from bot.services.directory import Directory
from bot.services.outbox_plan import plan_outbox
from rules.core.rng import KeyedStreams
from rules.registry import read_only_game
from rules.table.actions import Actor, Begin, ChangeSettings, JoinEncounter, NextTurn
from rules.table.actions import StartEncounter as Start
from rules.table.blocks import EVERYONE
from rules.table.state import TableState
from rules.table.turns.board import board_view
from rules.table.waits.agenda import agenda
from tests.sample_table import resolve

_ANN, _BEN = Actor("p2"), Actor("p3")
#: Open checks of the busy table.
CHECKS: Final = 200
_TIMES: Final = 50


@dataclass(frozen=True)
class Agendas:
    """Milliseconds of the agenda of a table with 200 open checks; microseconds of a board's update
    beside those of the proposal that causes it.
    """

    busy_ms: float
    board_us: Pair


def measure(*, rounds: int = 5, times: int = _TIMES) -> Agendas:
    """The medians of some rounds."""
    state = EBB.state()
    busy = _busy(state)
    read = [_time(lambda: agenda(busy, EVERYONE), times) * 1e3 for _ in range(rounds)]
    fighting, action = _fight(state), _proposal()
    streams = KeyedStreams(b"p" * 32, b"s" * 32, "board")
    outcome = resolve(fighting, action, streams)
    scene = Scene(1, outcome.state, DirectoryNames(Directory()), {})

    def propose() -> None:
        told = resolve(fighting, action, streams)
        plan_outbox(fighting, told.state, told.events, action, None)
        to_messages(*event_cards(told.events, scene, 1))

    def update() -> None:
        to_messages(board_card(board_view(outcome.state, PLACE), scene))

    boards: list[float] = []
    proposals: list[float] = []
    for _ in range(rounds):
        boards.append(_time(update, times) * 1e6)
        proposals.append(_time(propose, times) * 1e6)
    return Agendas(statistics.median(read), pair(boards, proposals))


def _time(work: Callable[[], object], times: int) -> float:
    work()
    start = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - start) / times


def _proposal() -> Begin:
    by: Any = {"who": _BEN, "place": PLACE, "at": NOW}
    values = {"skill": "Climbing", "attribute": "Fitness", "approach": "up the drainpipe"}
    return Begin(**by, kind="check", values=values)


def _busy(state: TableState) -> Any:
    """Return a table with many open proposals; a real one would need as many players."""
    rng = KeyedStreams(b"p" * 32, b"s" * 32, "busy")
    gm: Any = {"who": GM, "place": PLACE, "at": NOW}
    by_post = resolve(state, ChangeSettings(**gm, values={"live": False}), rng).state
    (check,) = resolve(by_post, _proposal(), rng).state.checks.values()
    checks = {f"c{number}": check.replace(id=f"c{number}") for number in range(1, CHECKS + 1)}
    return read_only_game(by_post.replace(checks=checks), at=NOW)


def _fight(state: TableState) -> TableState:
    rng = KeyedStreams(b"p" * 32, b"s" * 32, "fight")
    gm: Any = {"who": GM, "place": PLACE, "at": NOW}
    state = resolve(state, ChangeSettings(**gm, values={"live": False}), rng).state
    state = resolve(state, Start(**gm), rng).state
    for who in (_ANN, _BEN):
        state = resolve(state, JoinEncounter(who=who, place=PLACE, at=NOW), rng).state
    return resolve(state, NextTurn(**gm), rng).state
