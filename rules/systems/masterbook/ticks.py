"""What happens to people by itself as rounds and the story's time pass (MB-DMG-05 to MB-DMG-10, MB-SKILL-SWIMMING)."""

from __future__ import annotations

from typing import Final

from rules.systems.masterbook import harm, uses
from rules.systems.masterbook.chart import Damage
from rules.systems.masterbook.harm import Facts, Harm
from rules.systems.masterbook.hurting import capacity, harmed, with_harm
from rules.systems.masterbook.rounds import pace_of
from rules.systems.masterbook.sheet import MasterbookSheet
from rules.systems.masterbook.telling import facts_lines
from rules.systems.masterbook.values import ROUND as SECONDS
from rules.table.events import Line
from rules.table.marks import marks_of
from rules.table.system import Game, Passing, Told

_MINUTE: Final = 60
_ROUNDS_A_MINUTE: Final = 6
#: The mark of a round in which somebody under water has had their try.
GASPED: Final = "gasped"


def passed(game: Game, passing: Passing) -> Told:
    """A round begins or time goes by: what bleeding, dying, shock, waking make of everybody, in one line each."""
    told: list[tuple[str, Line]] = []
    for who in passing.who:
        game, sunk = _under_water(game, who, passing)
        pace = pace_of(game, passing.place, passing.at - 1)  # of the round that is over
        long = 0 if pace is None else pace.seconds - SECONDS
        now, facts = _after(game.sheet(who).harm, passing, capacity(game, who), long)
        game = with_harm(game, who, now)
        if found := (*sunk, *facts):
            shown = {"name": game.character(who).name, "facts": facts_lines(found)}
            told.append((who, Line("mb-passes", shown)))
    return Told(game, tuple(told))


def _after(now: Harm, passing: Passing, most: int, longer: int) -> tuple[Harm, Facts]:
    """Somebody after that; rounds of talk take so many seconds `longer` than one of combat (MB-TIME-01)."""
    match passing.tick:
        case "round-start" if passing.at > 1:
            now, facts = harm.turn(now, most)
            after, more = harm.passed(now, longer, most) if longer > 0 else (now, ())
            return after, (*facts, *more)
        case "time" if passing.minutes > 0:
            return harm.passed(now, passing.minutes * _MINUTE, most)
        case "encounter-end":  # with the rounds goes what lasts for rounds alone
            return now.but(o=False, down=0), ()
        case _:
            return now, ()


def _under_water(game: Game, who: str, passing: Passing) -> tuple[Game, Facts]:
    """Rounds in which somebody under water has not come up; a try of theirs was a round of its own."""
    rounds = passing.minutes * _ROUNDS_A_MINUTE if passing.tick == "time" else 0
    if passing.tick == "round-end" and not marks_of(game.state, who, GASPED):
        rounds = 1
    said: dict[str, int] = {}
    for _ in range(rounds):
        game, facts = gasped(game, who, None)
        said |= {what: number + said.get(what, 0) for what, number in facts}
    return game, tuple(said.items())


def gasped(game: Game, who: str, total: int | None) -> tuple[Game, Facts]:
    """Another round under water, with the total of somebody's try to come up; nothing for whoever is above it."""
    sheet: MasterbookSheet = game.sheet(who)
    if sheet.drowning is None or sheet.harm.dead:
        return game, ()
    gasp = uses.under_water(sheet.drowning, total, sheet.harm.shock, capacity(game, who), sheet.endurance)
    game = game.put(who, sheet.but(drowning=gasp.state))
    if gasp.died:
        return with_harm(game, who, sheet.harm.but(dead_for=0)), (("drowned", 0),)
    return (
        harmed(game, who, Damage(shock=gasp.shock)) if gasp.state is not None else (game, (("surfaced", 0),))
    )
