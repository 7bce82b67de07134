"""Pictures: a hand of five of MasterBook's cards against the odds of Barmore's five dice, drawn and
asked for again.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from benchmarks.commands import Pair, pair
from benchmarks.pools import answered_table
from benchmarks.tables import MASTERBOOK, NOW, PLACE
from bot.presenters.controls import Drawing, Picture
from bot.presenters.hands import card_pictures
from bot.presenters.odds import odds_card
from rules.registry import read_only_game
from rules.systems.barmore.pool import DIE_TYPES
from rules.table.actions import Actor
from rules.table.checks.odds import proposal_odds

#: Cards of the default deck with long names and texts, as they lie in it.
HAND: Final = ("1", "12", "43", "65", "90")


@dataclass(frozen=True)
class Drawn:
    """Milliseconds of CPU a picture, the dice as its peer; `again_us` are microseconds where it was
    drawn before.

    `kept` is how many pictures are kept at most.
    """

    hand_ms: Pair
    again_us: float
    kept: int


def dice() -> Drawing:
    """The chances of a pool with each of the five dice, against the difficulties that are
    compared.
    """
    state = answered_table().replace(checks={})
    game = read_only_game(state, Actor("p2"), NOW)
    found = proposal_odds(
        game, {"skill": "Boats", "attribute": "Perception", "approach": "by ear"}, PLACE
    )
    pictures = [each for each in odds_card(found, draw=True).pieces if isinstance(each, Picture)]
    rows: Any = pictures[0].drawing.of[0]
    assert len(rows) == 1 + len(DIE_TYPES), "a row for each die, below the difficulties"
    return pictures[0].drawing


def hand() -> Drawing:
    """Five cards as a page of somebody's hand shows them."""
    (picture,) = card_pictures(read_only_game(MASTERBOOK.state()), HAND)
    return picture.drawing


def measure(*, times: int = 5, rounds: int = 21) -> Drawn:
    """Both in turns. What is drawn again is asked for as often as it is drawn."""
    cards, five = hand(), dice()
    draw: Any = cards.draw
    for each in (cards, five):
        each()  # the font is read once
    rows: list[tuple[float, float]] = []
    again: list[float] = []
    for _ in range(rounds):
        rows.append((_ms(lambda: draw.__wrapped__(*cards.of), times), _ms(five, times)))
        again.append(1000 * _ms(cards, 20 * times))
    ours, theirs = zip(*rows, strict=True)
    return Drawn(pair([*ours], [*theirs]), statistics.median(again), draw.cache_info().maxsize)


def _ms(work: Callable[[], object], times: int) -> float:
    """Milliseconds of CPU each."""
    start = time.process_time()
    for _ in range(times):
        work()
    return 1000 * (time.process_time() - start) / times
