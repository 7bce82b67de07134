"""Doing things in phases: what somebody begins, several things at once, and breaking off (BAR-PHASE, BAR-MULTI)."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from rules.core.errors import InvalidInput
from rules.core.reading import read_whole
from rules.core.record import record
from rules.systems.barmore.phases import duration, least_time, together
from rules.systems.barmore.sheet import attribute_score
from rules.systems.barmore.tables import ABORT_COST, PHASE_ATTRIBUTES
from rules.table.actions import Action
from rules.table.duration import parse_span
from rules.table.events import Line
from rules.table.outcome import Outcome
from rules.table.system import Game
from rules.table.turns.timeline import begin, slot_of

#: How many actions somebody attempts at once, at most.
MOST_AT_ONCE: Final = 10
#: The largest base cost, in phases: more than a quarter of an hour.
HIGHEST_COST: Final = 1000


@record(kw_only=True)
class BeginAction(Action):
    """Begin one or several actions at once: `costs` are their base costs in phases.

    `score` is the governing attribute, Reaction Time where nothing is said. With `switch` what is under way is broken
    off first.
    """

    doing: str
    costs: tuple[str, ...]
    score: str | None = None
    switch: bool = False
    as_: str | None = None


def _check_number(field: str, typed: tuple[str, ...], least: int) -> None:
    """So many things are done at once. InvalidInput("how-long", "too-many-at-once")."""
    if len(typed) < least:
        raise InvalidInput("how-long", field=field, value=None)
    if len(typed) > MOST_AT_ONCE:
        raise InvalidInput("too-many-at-once", field=field, value=len(typed), highest=MOST_AT_ONCE)


def begin_action(game: Game, action: BeginAction) -> Outcome:
    """Begin something on the timeline (BAR-PHASE, BAR-MULTI).

    Base cost less the governing score, at least 1 phase; of several the longest and one phase for each. Breaking off
    costs 2 phases. InvalidInput("how-long", "not-a-number", "out-of-range", "too-many-at-once"), and as `slot_of` and
    `begin`.
    """
    _check_number("cost", action.costs, 1)
    costs = [read_whole(cost, "cost", 1, HIGHEST_COST) for cost in action.costs]
    name = action.score or PHASE_ATTRIBUTES[0]
    slot, character = slot_of(game.state, action, action.as_)
    score = 0 if character is None else attribute_score(character.sheet, game.campaign, name)
    durations = [duration(cost, score) for cost in costs]
    phases = durations[0] if len(durations) == 1 else together(durations)
    told = {"phases": phases, "costs": tuple(map(str, costs)), "attribute": name, "score": score}
    abort = ABORT_COST if action.switch else None
    # What an NPC can do is not for everybody, and only whoever acts is told this line.
    return begin(
        game,
        action,
        slot,
        action.doing,
        phases=phases,
        score=score,
        lines=(Line("bar-takes", {**told, "abort": abort}),),
        abort=abort,
    )


def at_once(times: tuple[str, ...]) -> tuple[tuple[int, ...], Fraction]:
    """What each of several things takes, as typed, and the least time for all at once, in minutes (BAR-MULTI).

    InvalidInput("how-long", "too-many-at-once"), "out-of-range" for a time below 0, and as `parse_span`.
    """
    _check_number("times", times, 2)
    minutes = tuple(parse_span(time, "times") for time in times)
    for time, length in zip(times, minutes, strict=True):
        if length < 0:
            raise InvalidInput("out-of-range", field="times", value=time[:60], lowest=0)
    return minutes, least_time(minutes)
