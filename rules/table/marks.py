"""What is so for a while, and what happens by itself when that is over."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from rules.table.events import EVERYONE, GMS, Audience, Line
from rules.table.resources import Tick, restored
from rules.table.state import Mark, Marks, TableState, Until
from rules.table.system import Game, Passing, Told, is_npc

PREFIX: Final = "marks:"
#: What ends with a tick: a turn takes its actions along, an order of action its rounds, an act its scenes.
_ENDS: Final[Mapping[Tick, tuple[Until, ...]]] = {
    "action": ("action",),
    "turn": ("action", "turn"),
    "round-start": (),
    "round-end": ("round",),
    "encounter-end": ("action", "turn", "round", "encounter"),
    "scene": ("scene",),
    "session": ("session",),
    "act": ("scene", "act"),
    "adventure": ("scene", "act", "adventure"),
    "time": ("time",),
}
#: With these `Mark.at` counts; with the others a mark ends whatever it says.
_COUNTED: Final = frozenset[Tick](("action", "turn", "round-end", "time"))


def marks_of(
    state: TableState, who: str, key: str | None = None, what: str | None = None
) -> tuple[Mark, ...]:
    """The marks of somebody, the oldest first: all, those of a key, or the one about that skill, weapon or target."""
    marks: Marks | None = state.own.get(PREFIX + who)
    if marks is None:  # of nearly everybody, nearly always
        return ()
    if key is None:
        return marks.given
    return tuple([each for each in marks.given if each.key == key and what in (None, each.what)])


def value_of(state: TableState, who: str, key: str, what: str | None = None) -> int:
    """What these marks come to; 0 where there is none."""
    return sum([each.value for each in marks_of(state, who, key, what)])


def with_marks(state: TableState, who: str, *marks: Mark) -> TableState:
    """The table with these marks; each in place of the one of the same key about the same thing."""
    new = {(each.key, each.what): each for each in marks}
    kept = [each for each in marks_of(state, who) if (each.key, each.what) not in new]
    return _put(state, who, (*kept, *new.values()))


def without_marks(state: TableState, who: str, key: str, what: str | None = None) -> TableState:
    """The table without these marks; the same table where there are none."""
    gone = marks_of(state, who, key, what)
    return _put(state, who, [each for each in marks_of(state, who) if each not in gone]) if gone else state


def without(state: TableState, who: Iterable[str]) -> TableState:
    """The table without any mark of those who leave the game."""
    for each in who:
        state = _put(state, each, ())
    return state


def _put(state: TableState, who: str, marks: Collection[Mark]) -> TableState:
    return state.with_own(PREFIX + who, Marks(tuple(marks)) if marks else None)


def passed(
    game: Game, tick: Tick, who: Iterable[str], *, at: int = 0, place: str = "", minutes: int = 0
) -> Told:
    """Something is over for these characters, or begins; what follows by itself has happened in the game told of.

    Points come back as their resources say, the system does what is its own, then the marks end that last no longer.
    Whoever is not in play is left out. `at` is the round or the story's minute, `place` that of the order of action.
    """
    people = game.state.characters
    named = tuple([each for each in who if each in people and people[each].in_play])
    back: dict[str, tuple[tuple[str, int], ...]] = {}
    if any(each.restore is not None and each.restore[0] == tick for each in game.system.resources):
        for each in named:
            sheet, points = restored(game.system.resources, game.sheet(each), tick)
            if points:
                game = game.put(each, sheet)
                back[each] = points
    ends = {each: found for each in named if (found := _ending(game.state, each, tick, at))}
    told = Told(game)
    if game.system.ticks is not None:
        told = game.system.ticks(game, Passing(tick, named, at, place, minutes, ends, back))
    state = told.game.state
    for each, gone in ends.items():
        left = [mark for mark in marks_of(state, each) if mark not in gone]
        state = _put(state, each, left) if len(left) < len(marks_of(state, each)) else state
    return Told(told.game.with_(state), told.lines, told.events)


def _ending(state: TableState, who: str, tick: Tick, at: int) -> tuple[Mark, ...]:
    """The marks that end with a tick. What the system makes anew meanwhile, longer or with another value, stays."""
    over, counted = _ENDS[tick], tick in _COUNTED
    return tuple(
        [each for each in marks_of(state, who) if each.until in over and (not counted or each.at <= at)]
    )


def by_audience(told: Told) -> tuple[tuple[Audience, tuple[Line, ...]], ...]:
    """What is told of what happened: to everybody, of players' characters; and to the GMs, of their NPCs."""
    everybody: list[Line] = []
    gms: list[Line] = []
    for who, line in told.lines:
        (gms if is_npc(told.game, who) else everybody).append(line)
    return (EVERYONE, tuple(everybody)), (GMS, tuple(gms))
