"""What happens to people by itself as rounds and the story's time pass (MB-DMG-05 to MB-DMG-10, MB-HEAL-07)."""

from __future__ import annotations

from typing import Final

from rules.systems.masterbook import drowning, harm
from rules.systems.masterbook.harm import Facts, Harm
from rules.systems.masterbook.hurting import capacity, hurt_lines, with_harm
from rules.table.events import Line
from rules.table.system import Game, Passing, Told

_MINUTE: Final = 60


def passed(game: Game, passing: Passing) -> Told:
    """A round begins or time goes by: what bleeding, dying, shock, waking make of everybody, in one line each."""
    told: list[tuple[str, Line]] = []
    for who in passing.who:
        game, sunk = drowning.passed(game, who, passing)
        now, facts = _after(game.sheet(who).harm, passing, capacity(game, who))
        game = with_harm(game, who, now)
        if found := hurt_lines((*sunk, *facts)):
            told.append((who, Line("mb-passes", {"name": game.character(who).name, "facts": found})))
    return Told(game, tuple(told))


def _after(now: Harm, passing: Passing, most: int) -> tuple[Harm, Facts]:
    match passing.tick:
        case "round-start" if passing.at > 1:
            return harm.turn(now, most)
        case "time" if passing.minutes > 0:
            return harm.passed(now, passing.minutes * _MINUTE, most)
        case "encounter-end":  # with the rounds goes what lasts for rounds alone
            return now.but(o=False, down=0), ()
        case _:
            return now, ()
