"""Harm of people at the table, on their sheets, and their points (MB-LP-01, MB-LP-06)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rules.core.errors import Impossible
from rules.systems.masterbook import arms, harm
from rules.systems.masterbook.chart import Damage
from rules.systems.masterbook.describe import capacity_of
from rules.systems.masterbook.harm import Facts, Harm
from rules.systems.masterbook.sheet import LIFE_POINTS_MOST, MasterbookSheet
from rules.systems.masterbook.values import ROUND
from rules.table.events import Line
from rules.table.forms import as_written
from rules.table.people.by_hand import Shown, Tool
from rules.table.resources import Award, ByHand, Resource, read_points
from rules.table.system import Game

#: What a GM sets by hand: how much of it there is, and the most there can be.
_COUNTED: Final[dict[str, tuple[Callable[[Harm], int], int]]] = {
    "wounds": (lambda now: now.wounds, harm.WORST),
    "shock": (lambda now: now.shock, 99),
    "bleeders": (lambda now: now.bleeders, 99),
    "knockout": (lambda now: -(-now.out_for // ROUND), 99),
}


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


def tiring(game: Game, who: str, shock: int) -> Damage:
    """Shock by getting tired, in what somebody wears (MB-EQ-31)."""
    extra = int(game.setting("armor_extra_fatigue"))
    return Damage(shock=arms.fatigue(shock, game.sheet(who).armour, extra) if shock else 0)


def _by_hand(what: str) -> Tool:
    of, most = _COUNTED[what]

    def put(game: Game, sheet: MasterbookSheet, _: str, value: str) -> tuple[MasterbookSheet, Shown]:
        was = sheet.harm
        capacity = capacity_of(sheet, game.setting("resist_shock_add_cap"))
        now = harm.by_hand(was, what, read_points(value, 0, most), capacity)
        how = "dead" if now.dead else "out" if now.out else "up" if was.out else None
        return sheet.but(harm=now), {"what": what, "points": of(now), "before": of(was), "is": how}

    def there(sheet: MasterbookSheet) -> list[tuple[str, Shown]]:
        return [("", {"what": what, "points": of(sheet.harm)})]

    return Tool("mb-set-points", there, put, lambda sheet, name: as_written(str(n) for n in range(10)))


TOOLS: Final = {what: _by_hand(what) for what in _COUNTED}


# --- points --------------------------------------------------------------------------------------------------


def _points(key: str, high: int) -> Resource[MasterbookSheet]:
    """Points that are a number of the sheet, set by hand and given by the GM."""

    def line(sheet: MasterbookSheet, before: MasterbookSheet | None = None) -> Line:
        shown = {"what": key, "points": getattr(sheet, key)}
        return Line(
            "mb-set-points",
            shown if before is None else {**shown, "before": getattr(before, key), "done": True},
        )

    def given(name: str, points: int, sheet: MasterbookSheet) -> Line:
        return Line("mb-awarded", {"name": name, "what": key, "points": points, "now": getattr(sheet, key)})

    return Resource(
        key,
        of=lambda sheet: getattr(sheet, key),
        put=lambda sheet, points: sheet.but(**{key: points}),
        high=high,
        award=Award(Line("mb-award", {"what": key}), given, grows=key == "skill_points"),
        by_hand=ByHand(line, lambda before, now: line(now, before)),
        spills=True,
        short=lambda have, need: Impossible("mb-not-enough", what=key, have=have, need=need),
    )


LIFE_POINTS: Final = _points("life_points", LIFE_POINTS_MOST)
SKILL_POINTS: Final = _points("skill_points", 9999)
RESOURCES: Final = (LIFE_POINTS, SKILL_POINTS)
