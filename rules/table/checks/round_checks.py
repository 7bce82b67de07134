"""Open checks of a round of initiative, which hold its end."""

from __future__ import annotations

from collections.abc import Iterable

from rules.core.errors import Impossible
from rules.table.check import (
    AnyCheck,
)
from rules.table.checks.access import (
    is_open_to,
)
from rules.table.checks.deaths import stage_of
from rules.table.permissions import is_gm
from rules.table.system import Game


def require_round_over(game: Game, place: str, number: int) -> None:
    """Raise `round_open_error` over checks begun in this round of a place that are still open."""
    open_checks = open_round_checks(game, place, number)
    if open_checks:
        raise round_open_error(game, open_checks)


def round_open_error(game: Game, open_checks: Iterable[AnyCheck]) -> Impossible:
    """Return Impossible("round-open") with the ids of the open checks that the actor may know.

    The ids are empty if the actor may know none of them.
    """
    known = tuple([check.id for check in open_checks if is_open_to(game, check, game.actor)])
    return Impossible("round-open", checks=known, gm=is_gm(game.state, game.actor))


def open_round_checks(game: Game, place: str, number: int) -> list[AnyCheck]:
    """Return the checks begun in this round of a place that are still open, and hold it."""
    still_open: list[AnyCheck] = []
    for check in game.state.open_checks:
        if (check.place, check.round) == (place, number):
            stage = stage_of(game, check)
            if not stage.stays(game, check):
                still_open.append(check)
    return still_open
