"""The odds of a check that waits for its roll, and why nothing can be spent on one (EBB-ROLL, EBB-FATE, EBB-LUCK)."""

from __future__ import annotations

from rules.core.errors import Impossible, Outdated
from rules.systems.ebb import chances
from rules.systems.ebb.attempt import OPEN, AnyAttempt, Prepared, may_spend
from rules.systems.ebb.telling import shifts_of, traits_of
from rules.table.checks.procedure import Forecast
from rules.table.events import Line
from rules.table.system import Game


def odds(game: Game, check: AnyAttempt) -> Forecast:
    """Exactly as the GM has ruled it.

    Impossible("not-answered"), Outdated("check-moved-on"), and as `chances.odds_of`.
    """
    data = check.data
    if not data.answer and check.open:
        raise Impossible("not-answered", check=check.id)
    if data.rolled is not None or data.ruling is None or not check.open:
        raise Outdated("check-moved-on", check=check.id, status="rolled" if check.open else "settled")
    sheet = game.sheet(check.actor)
    return Forecast(
        traits_of(data.request, data.ruling, data.mine, None), shifts_of(check), chances.odds_of(sheet, data)
    )


def idle(game: Game, check: AnyAttempt, who: str) -> Line:
    """Why somebody can spend nothing on a check that is open."""
    data = check.data
    if not data.answer:
        return Line("no-spend-yet")
    if check.stage not in (Prepared.name, OPEN) or who != check.actor:
        return Line("no-spend-now")
    if data.rolled is not None and not may_spend(game, check, who):
        return Line("no-spend-blind")
    return chances.why_not_spend(game.sheet(who), data)
