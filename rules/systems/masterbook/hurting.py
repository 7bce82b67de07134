"""Harm of people at the table, on their sheets."""

from __future__ import annotations

from rules.systems.masterbook import harm
from rules.systems.masterbook.chart import Damage
from rules.systems.masterbook.describe import capacity_of
from rules.systems.masterbook.harm import Facts, Harm
from rules.systems.masterbook.sheet import MasterbookSheet
from rules.table.system import Game


def capacity(game: Game, who: str) -> int:
    """The shock that knocks somebody out, as the table plays (MB-DMG-05)."""
    return capacity_of(game.sheet(who), game.setting("resist_shock_add_cap"))


def with_harm(game: Game, who: str, now: Harm) -> Game:
    """The game with somebody harmed like this."""
    sheet: MasterbookSheet = game.sheet(who)
    return game if now == sheet.harm else game.put(who, sheet.but(harm=now))


def harmed(game: Game, who: str, damage: Damage) -> tuple[Game, Facts]:
    """Somebody takes all of a result at once, and what that did (MB-DMG-04)."""
    now, facts = harm.apply(game.sheet(who).harm, damage, capacity(game, who))
    return with_harm(game, who, now), facts
