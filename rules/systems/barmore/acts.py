"""Doing things in phases: what somebody begins, several things at once, and breaking off (BAR-PHASE, BAR-MULTI)."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from rules.core.errors import InvalidInput
from rules.core.reading import read_whole
from rules.core.record import record
from rules.systems.barmore.options import chosen
from rules.systems.barmore.phases import ABORT_COST, HIGHEST_COST, duration, least_time, together
from rules.systems.barmore.sheet import BarSheet, attribute_score
from rules.systems.barmore.tables import PHASE_ATTRIBUTES
from rules.table.actions import Action
from rules.table.duration import parse_span
from rules.table.events import Line
from rules.table.outcome import Outcome
from rules.table.system import Game
from rules.table.turns.timeline import begin, slot_of

#: How many actions somebody attempts at once, at most.
MOST_AT_ONCE: Final = 10


@record(kw_only=True)
class BeginAction(Action):
    """Begin one or several actions at once: `costs` are their base costs in phases, `score` the governing attribute.

    With `switch` what is under way is broken off first.
    """

    doing: str
    costs: tuple[str, ...]
    score: str | None = None
    switch: bool = False
    as_: str | None = None


def read_costs(costs: tuple[str, ...]) -> tuple[int, ...]:
    """Base costs as typed, at least one.

    InvalidInput("which-cost", "not-a-number", "out-of-range", "too-many-at-once").
    """
    if not costs:
        raise InvalidInput("which-cost", field="cost", value=None)
    if len(costs) > MOST_AT_ONCE:
        raise InvalidInput("too-many-at-once", field="cost", value=len(costs), highest=MOST_AT_ONCE)
    return tuple(read_whole(cost, "cost", 1, HIGHEST_COST) for cost in costs)


def find_score(text: str | None) -> str:
    """The attribute that governs an action (BAR-PHASE); Reaction Time where nothing is said.

    InvalidInput("choose-one") for one that does not.
    """
    return chosen(text or PHASE_ATTRIBUTES[0], PHASE_ATTRIBUTES, "score")


def begin_action(game: Game, action: BeginAction) -> Outcome:
    """Begin something on the timeline (BAR-PHASE, BAR-MULTI).

    Base cost less the governing score, at least 1 phase; of several the longest and one phase for each. Breaking off
    costs 2 phases. Raises as `read_costs`, `find_score`, `slot_of` and `begin`.
    """
    state = game.state
    costs, name = read_costs(action.costs), find_score(action.score)
    slot, character = slot_of(state, action, action.as_)
    phases, score = timing(None if character is None else character.sheet, game, costs, name)
    told = {"phases": phases, "costs": tuple(map(str, costs)), "attribute": name, "score": score}
    # What an NPC can do is not for everybody, and only whoever acts is told this line.
    lines = (Line("bar-takes", {**told}),)
    if action.switch:
        lines = (*lines, Line("bar-broken-off", {"phases": ABORT_COST}))
    return begin(
        game,
        action,
        slot,
        action.doing,
        phases=phases,
        score=score,
        lines=lines,
        abort=ABORT_COST if action.switch else None,
    )


def timing(sheet: BarSheet | None, game: Game, costs: tuple[int, ...], name: str) -> tuple[int, int]:
    """Phases that actions take together, and the governing score (BAR-PHASE, BAR-MULTI)."""
    score = 0 if sheet is None else attribute_score(sheet, game.campaign, name)
    durations = [duration(cost, score) for cost in costs]
    return (durations[0] if len(durations) == 1 else together(durations)), score


def at_once(times: tuple[str, ...]) -> tuple[tuple[int, ...], Fraction]:
    """What each of several things takes, as typed, and the least time for all at once, in minutes (BAR-MULTI).

    InvalidInput("which-times", "too-many-at-once"), "out-of-range" for a time below 0, and as `parse_span`.
    """
    if len(times) < 2:
        raise InvalidInput("which-times", field="times", value=None)
    if len(times) > MOST_AT_ONCE:
        raise InvalidInput("too-many-at-once", field="times", value=len(times), highest=MOST_AT_ONCE)
    minutes = tuple(parse_span(time, "times") for time in times)
    for time, length in zip(times, minutes, strict=True):
        if length < 0:
            raise InvalidInput("out-of-range", field="times", value=time[:60], lowest=0)
    return minutes, least_time(minutes)
