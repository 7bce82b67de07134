"""Actions in phases, several actions at once, and breaking off (BAR-PHASE, BAR-MULTI)."""

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
from rules.table.times.duration import parse_span
from rules.table.turns.timeline import begin_timeline_action, own_slot
from rules.table.turns.turn_changes import apply_move

#: Most actions that a character attempts at once.
MOST_AT_ONCE: Final = 10
#: Largest base cost in phases: more than a quarter of an hour.
HIGHEST_COST: Final = 1000


def action_duration(base_cost: int, score: int) -> int:
    """Return the phases that an action takes (BAR-PHASE).

    They are its base cost (1 or more) less the governing score, and at least 1.
    """
    return max(1, base_cost - score)


def combined_duration(durations: Sequence[int]) -> int:
    """Return the phases that actions attempted together take (BAR-MULTI).

    They are the phases of the slowest action, and one more for each action.
    """
    return max(durations) + len(durations)


def least_time(times: Sequence[int | Fraction]) -> Fraction:
    """Return the least time of actions at once in regular time, exactly (BAR-MULTI).

    It is the longest time and half of the others, in the unit of *times* (at least one).
    """
    longest = Fraction(max(times))
    return longest + (sum(times, Fraction(0)) - longest) / 2


class BeginAction(Action, kw_only=True):
    """Begin one or several actions at once."""

    doing: str
    #: Base cost of each action, in phases.
    costs: tuple[str, ...]
    #: Governing attribute of each action, or one for all. Reaction Time if empty.
    scores: tuple[str, ...] = ()
    #: Break off what is under way first.
    switch: bool = False
    as_: str | None = None


def _require_count(field: str, typed: tuple[str, ...], least: int) -> None:
    """Raise InvalidInput("how-long") for too few or too many actions."""
    if len(typed) < least:
        raise InvalidInput("how-long", field=field, value=None)
    if len(typed) > MOST_AT_ONCE:
        raise InvalidInput("how-long", field=field, value=len(typed), highest=MOST_AT_ONCE)


def _governing_attributes(action: BeginAction) -> tuple[str, ...]:
    """Return the governing attribute for each cost.

    Raises NotFound("unknown-choice") or InvalidInput("how-long").
    """
    named = tuple(
        unique_match(GOVERNING_ATTRIBUTES.phases, name, field="score") for name in action.scores
    )
    if len(named) <= 1:
        named = (named or GOVERNING_ATTRIBUTES.phases[:1]) * len(action.costs)
    if len(named) != len(action.costs):
        raise InvalidInput("how-long", field="score", value=len(named), need=len(action.costs))
    return named


def begin_action(game: Game, action: BeginAction) -> Outcome:
    """Begin an action on the timeline (BAR-PHASE, BAR-MULTI).

    Breaking off costs 2 phases. Raises InvalidInput("how-long"), ("not-a-number") or
    ("out-of-range"), and what `_governing_attributes`, `own_slot` and `begin_timeline_action`
    raise.
    """
    _require_count("cost", action.costs, 1)
    costs = [read_whole_number(cost, "cost", 1, HIGHEST_COST) for cost in action.costs]
    names = _governing_attributes(action)
    slot, character = own_slot(game.state, action, action.as_)
    sheet = BarSheet() if character is None else character.sheet
    scores = {name: sheet.attribute_score(game.campaign, name) for name in names}
    durations = [
        action_duration(cost, scores[name]) for cost, name in zip(costs, names, strict=True)
    ]
    phases = durations[0] if len(durations) == 1 else combined_duration(durations)
    by = tuple(Text("bar-trait", {"name": name, "score": score}) for name, score in scores.items())
    # The action that takes longest decides the order among those done at once.
    score = scores[names[durations.index(max(durations))]]
    abort = RULES.abort_cost if action.switch else None
    about = {"phases": phases, "costs": tuple(map(str, costs)), "scores": by, "abort": abort}
    # An NPC's scores are not for every player: only the acting participant receives this line.
    lines = (Text("bar-takes", about),)
    return begin_timeline_action(
        game, action, slot, action.doing, phases=phases, score=score, lines=lines, abort=abort
    )


def apply_check_pace(game: Game, check: BarCheck) -> tuple[Game, tuple[Event, ...]]:
    """Move the end of the actor's phases by those that a check saves or takes besides (BAR-TIME).

    Returns the new table and its events. They are empty outside a timeline.
    """
    pace = ruling_for(check, check.data.entries[0]).pace
    phases = pace.phases_extra - pace.phases_saved
    encounter = encounter_in(game.state, check.place)
    if not phases or encounter is None or not encounter.timeline:
        return game, ()
    slot = next((slot for slot in encounter.order if slot.character == check.actor), None)
    if slot is None:
        return game, ()
    now = current_phase_for(game.state, encounter, slot)
    on_turn = slot_on_turn(encounter)
    was = max(now, slot.ends or now)
    ends = max(now, was + phases)
    if ends == was:
        return game, ()
    done = on_turn if on_turn is not None and same_slot(on_turn, slot) else None
    move = partial(with_slot_changes, slot=slot, delayed=False, ends=ends)
    # After the roll, what else is open in this phase no longer keeps the phase from passing.
    return apply_move(game, encounter, move, done=done, anyhow=True)


def simultaneous_times(times: tuple[str, ...]) -> tuple[tuple[int, ...], Fraction]:
    """Return the minutes of several actions as typed, and the least minutes for all at once.

    BAR-MULTI. Raises InvalidInput("how-long"), InvalidInput("out-of-range") for a time below 0, and
    what `parse_span` raises.
    """
    _require_count("times", times, 2)
    minutes = tuple(parse_span(time, "times") for time in times)
    for time, length in zip(times, minutes, strict=True):
        if length < 0:
            raise InvalidInput("out-of-range", field="times", value=time[:60], lowest=0)
    return minutes, least_time(minutes)
