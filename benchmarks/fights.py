"""Attacks by the rules alone, from what is declared to what it does: each resolve against a live
check of EBB's.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from benchmarks.commands import OPTIONS, Pair, pair
from benchmarks.tables import EBB, EGO, MASTERBOOK, NOW, PLACE, Cast, foe, hero
from bot.__main__ import GC_THRESHOLDS
from rules.core.rng import KeyedStreams
from rules.registry import read_only_game
from rules.systems.masterbook.combat import odds
from rules.table.actions import Action, Actor, Begin, Choose
from rules.table.check import OVER, AnyCheck
from rules.table.checks.odds import proposal_odds
from rules.table.state import TableState
from tests.sample_table import resolve

_ANN, _BEN = Actor("p2"), Actor("p3")
_SEED: Final = b"s" * 32
#: Different dice for each resolve of a round.
_THROWS: Final = 40
#: Most resolves that are tried for them.
_MOST_THROWS: Final = 4000
#: With what somebody attacks, and what is set against it: the dearest there is.
SWORD: Final = {"weapon": "Sword, Long", "approach": "over the shield, and at the arm"}
SHOT: Final = {
    "weapon": "Colt .45 revolver",
    "range": "8",
    "approach": "twice, from behind the car",
}


@dataclass(frozen=True)
class Resolve:
    """Microseconds of CPU a resolve, a live check of EBB's as its peer."""

    what: str
    us: Pair


@dataclass(frozen=True)
class Fights:
    """Every resolve; and in milliseconds the exact odds of a check of MasterBook's, as they are
    asked for anew.

    `compared` are those of every level side by side, as `/odds` without a difficulty tells them.
    """

    resolves: list[Resolve]
    odds_ms: float
    compared_ms: float


@dataclass(frozen=True)
class _Work:
    """The same resolve with other dice each time, all of which come to as much."""

    state: TableState
    action: Action
    keys: tuple[str, ...]

    def us(self) -> float:
        """Microseconds of CPU a resolve."""
        start = time.process_time()
        for key in self.keys:
            resolve(self.state, self.action, KeyedStreams(_SEED, _SEED, key))
        return (time.process_time() - start) / len(self.keys) * 1e6

    def after(self) -> tuple[str, AnyCheck, TableState]:
        """The check that there is then, with its id, and the table."""
        state = resolve(self.state, self.action, KeyedStreams(_SEED, _SEED, self.keys[0])).state
        ((key, check),) = state.checks.items()
        return key, check, state


def _work(state: TableState, action: Action, wanted: Callable[[AnyCheck], bool]) -> _Work:
    def fitting() -> Iterator[str]:
        for number in range(_MOST_THROWS):
            key = f"{10**18 + number}"
            (check,) = resolve(state, action, KeyedStreams(_SEED, _SEED, key)).state.checks.values()
            if wanted(check):
                yield key

    keys = tuple(islice(fitting(), _THROWS))
    if len(keys) < _THROWS:
        raise AssertionError(f"{len(keys)} of {_MOST_THROWS} resolves are as wanted: {action}")
    return _Work(state, action, keys)


def _asks(check: AnyCheck) -> bool:
    return check.stage != OVER


def _hurts(check: AnyCheck) -> bool:
    """Whether it is over, and somebody has armor that stopped some of it and is hurt by
    the rest.
    """
    data = check.data
    if check.stage != OVER:
        return False
    if hasattr(data, "harms"):
        return any(each["stopped"] and each["points"] for each in data.harms)
    return any(each.damage.wounds or each.damage.shock for each in data.blows)


def _attack(cast: Cast, how: dict[str, Any], option: str) -> Iterator[tuple[str, _Work]]:
    """One on an NPC, which is all in one resolve; one on another player's character, and what they
    set against it.
    """
    state = cast.state()
    by: Any = {"who": _ANN, "place": PLACE, "at": NOW}
    yield "on an NPC", _work(state, Begin(**by, kind="attack", target=foe(1), values=how), _hurts)
    begun = _work(state, Begin(**by, kind="attack", target=hero(2), values=how), _asks)
    yield "on a player's character", begun
    check, found, state = begun.after()
    (asked,) = found.asked
    by |= {"who": _BEN}
    met = Choose(
        **by, check=check, prompt=asked.prompt.key, number=asked.number, option=option, values={}
    )
    yield f"met by “{option}”, and what it does", _work(state, met, _hurts)


def measure(*, rounds: int = 61) -> Fights:
    """All in turns, in many short rounds: neighbors on the machine disturb all of them alike.

    The collector is set as in the bot, which goes through nothing anew that was there when it was
    ready.
    """
    usual = gc.get_threshold()
    gc.set_threshold(*GC_THRESHOLDS)
    gc.freeze()
    try:
        return _measured(rounds)
    finally:
        gc.unfreeze()
        gc.set_threshold(*usual)


def _measured(rounds: int) -> Fights:
    values = dict(OPTIONS)
    begin = Begin(who=_ANN, place=PLACE, at=NOW, kind="check", values=values)
    check = _work(EBB.state(), begin, lambda check: True)
    works = {
        f"{cast.system}, an attack {what}": work
        for cast, how, option in ((EGO, SWORD, "both"), (MASTERBOOK, SHOT, "active"))
        for what, work in _attack(cast, how, option)
    }
    rows = [(check.us(), *[each.us() for each in works.values()]) for _ in range(rounds)]
    peer, *ours = [list(column) for column in zip(*rows, strict=True)]
    found = [Resolve(what, pair(mine, peer)) for what, mine in zip(works, ours, strict=True)]
    state = MASTERBOOK.state()
    return Fights(found, _odds(state, rounds, difficulty="11"), _odds(state, rounds))


def _odds(state: TableState, rounds: int, **more: str) -> float:
    """Milliseconds of CPU that odds take of which nothing is known."""
    game, took = read_only_game(state, _ANN, NOW), list[float]()
    for _ in range(rounds):
        for each in (odds._weights, odds._below, odds._bonuses):
            each.cache_clear()
        start = time.process_time()
        proposal_odds(game, {"skill": "Stealth", "approach": "by the back door", **more}, PLACE)
        took.append(1000 * (time.process_time() - start))
    return statistics.median(took)
