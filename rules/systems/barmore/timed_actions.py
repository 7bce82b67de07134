"""Doing things in phases: what somebody begins, several things at once, and breaking off
(BAR-PHASE, BAR-MULTI).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Final

from rules.core.errors import InvalidInput
from rules.core.json_reader import read_whole_number
from rules.core.name_matching import unique_match
from rules.systems.barmore.check_state import BarCheck, ruling_for
from rules.systems.barmore.reference_rows import GOVERNING_ATTRIBUTES, RULES
from rules.systems.barmore.sheet import BarSheet
from rules.table.actions import Action
from rules.table.blocks import Text
from rules.table.duration import parse_span
from rules.table.events import Event
from rules.table.initiative import (
    current_phase_for,
    encounter_in,
    same_slot,
    slot_on_turn,
    with_slot_changes,
)
from rules.table.outcome import Outcome
from rules.table.system import Game
from rules.table.turns.encounters import apply_move
from rules.table.turns.timeline import begin_timeline_action, own_slot

#: How many actions somebody attempts at once, at most.
MOST_AT_ONCE: Final = 10
#: The largest base cost, in phases: more than a quarter of an hour.
HIGHEST_COST: Final = 1000


def action_duration(base_cost: int, score: int) -> int:
    """Phases that an action takes: its base cost (>= 1) less the governing score, at least 1
    (BAR-PHASE).
    """
    return max(1, base_cost - score)


def combined_duration(durations: Sequence[int]) -> int:
    """Phases that actions attempted together take: the slowest one and one more for each of them
    (BAR-MULTI).
    """
    return max(durations) + len(durations)


def least_time(times: Sequence[int | Fraction]) -> Fraction:
    """The least time for actions at once in regular time: the longest and half of the others,
    exactly (BAR-MULTI).

    In the unit of `times`, of which there is one at least.
    """
    longest = Fraction(max(times))
    return longest + (sum(times, Fraction(0)) - longest) / 2


class BeginAction(Action, kw_only=True):
    """Begin one or several actions at once: `costs` are their base costs in phases.

    `scores` are the governing attributes: one for each cost or one for all, Reaction Time where
    nothing is said. With `switch` what is under way is broken off first.
    """

    doing: str
    costs: tuple[str, ...]
    scores: tuple[str, ...] = ()
    switch: bool = False
    as_: str | None = None


def _check_number(field: str, typed: tuple[str, ...], least: int) -> None:
    """So many things are done at once. InvalidInput("how-long")."""
    if len(typed) < least:
        raise InvalidInput("how-long", field=field, value=None)
    if len(typed) > MOST_AT_ONCE:
        raise InvalidInput("how-long", field=field, value=len(typed), highest=MOST_AT_ONCE)


def _governing_attributes(action: BeginAction) -> tuple[str, ...]:
    """The attribute for each cost. NotFound("unknown-choice"), InvalidInput("how-long")."""
    named = tuple(
        unique_match(GOVERNING_ATTRIBUTES.phases, each, field="score") for each in action.scores
    )
    if len(named) <= 1:
        named = (named or GOVERNING_ATTRIBUTES.phases[:1]) * len(action.costs)
    if len(named) != len(action.costs):
        raise InvalidInput("how-long", field="score", value=len(named), need=len(action.costs))
    return named


def begin_action(game: Game, action: BeginAction) -> Outcome:
    """Begin something on the timeline (BAR-PHASE, BAR-MULTI).

    Base cost less the governing score, at least 1 phase; of several the longest and one phase for
    each. Breaking off costs 2 phases. InvalidInput("how-long", "not-a-number", "out-of-range"), and
    as `_governing_attributes`, `own_slot` and `begin_timeline_action`.
    """
    _check_number("cost", action.costs, 1)
    costs = [read_whole_number(cost, "cost", 1, HIGHEST_COST) for cost in action.costs]
    names = _governing_attributes(action)
    slot, character = own_slot(game.state, action, action.as_)
    sheet = BarSheet() if character is None else character.sheet
    scores = {each: sheet.attribute_score(game.campaign, each) for each in names}
    durations = [
        action_duration(cost, scores[each]) for cost, each in zip(costs, names, strict=True)
    ]
    phases = durations[0] if len(durations) == 1 else combined_duration(durations)
    by = tuple(Text("bar-trait", {"name": each, "score": score}) for each, score in scores.items())
    # What takes longest decides who of those done at once comes first.
    score = scores[names[durations.index(max(durations))]]
    abort = RULES.abort_cost if action.switch else None
    about = {"phases": phases, "costs": tuple(map(str, costs)), "scores": by, "abort": abort}
    # What an NPC can do is not for everybody, and only whoever acts is told this line.
    lines = (Text("bar-takes", about),)
    return begin_timeline_action(
        game, action, slot, action.doing, phases=phases, score=score, lines=lines, abort=abort
    )


def apply_check_pace(game: Game, check: BarCheck) -> tuple[Game, tuple[Event, ...]]:
    """The table after phases that a check saves, or takes besides, have moved when its actor is
    done (BAR-TIME).
    """
    pace = ruling_for(check, check.data.entries[0]).pace
    phases, encounter = pace.phases_extra - pace.phases_saved, encounter_in(game.state, check.place)
    if not phases or encounter is None or not encounter.timeline:
        return game, ()
    slot = next((each for each in encounter.order if each.character == check.actor), None)
    if slot is None:
        return game, ()
    now, acts = current_phase_for(game.state, encounter, slot), slot_on_turn(encounter)
    was = max(now, slot.ends or now)
    ends = max(now, was + phases)
    if ends == was:
        return game, ()
    done = acts if acts is not None and same_slot(acts, slot) else None
    move = partial(with_slot_changes, slot=slot, delayed=False, ends=ends)
    # The dice have fallen: what else is open in this phase no longer keeps it from passing.
    return apply_move(game, encounter, move, done=done, anyhow=True)


def simultaneous_times(times: tuple[str, ...]) -> tuple[tuple[int, ...], Fraction]:
    """What each of several things takes, as typed, and the least time for all at once, in minutes
    (BAR-MULTI).

    InvalidInput("how-long"), "out-of-range" for a time below 0, and as `parse_span`.
    """
    _check_number("times", times, 2)
    minutes = tuple(parse_span(time, "times") for time in times)
    for time, length in zip(times, minutes, strict=True):
        if length < 0:
            raise InvalidInput("out-of-range", field="times", value=time[:60], lowest=0)
    return minutes, least_time(minutes)
