"""Actions on a timeline: begin them, and break them off (BAR-PHASE)."""

from __future__ import annotations

from rules.core.errors import Impossible
from rules.table.actions import Action
from rules.table.blocks import Text
from rules.table.checks.check_actions import step_checks
from rules.table.checks.engine import break_off
from rules.table.events import Event
from rules.table.forms.typed_texts import one_line
from rules.table.initiative import (
    current_phase_for,
    is_busy,
    require_encounter,
    same_slot,
    slot_name,
    slot_on_turn,
    with_slot_changes,
)
from rules.table.lookup import acting_character
from rules.table.outcome import Outcome
from rules.table.state import AnyCharacter, AnyEncounter, Slot, TableState
from rules.table.system import Game
from rules.table.turns.slots import actor_board_event, find_slot, move_outcome, require_turn

#: Longest description of an action, in characters.
DOING_MAX = 80


def own_slot(
    state: TableState, action: Action, as_: str | None
) -> tuple[Slot, AnyCharacter | None]:
    """Return the slot on the timeline for an action, and its character.

    The slot is the one named by *as_*, else that of the acting character. For a GM it may also
    belong to something that is no character.

    Raises Impossible("no-encounter", "no-timeline", "not-on-timeline"), and as `acting_character`
    and `find_slot`.
    """
    encounter = require_encounter(state, action.place)
    if not encounter.timeline:
        raise Impossible("no-timeline")
    if as_ is not None:
        slot = find_slot(state, action.who, as_, encounter.order, "as")
    else:
        character = acting_character(state, action.who, None, action.place)
        slot = next((other for other in encounter.order if other.character == character.id), None)
        if slot is None:
            raise Impossible("not-on-timeline", name=character.name)
    require_turn(state, action.who, slot)
    return slot, None if slot.character is None else state.characters[slot.character]


def begin_timeline_action(
    game: Game,
    action: Action,
    slot: Slot,
    doing: str,
    *,
    phases: int,
    score: int,
    lines: tuple[Text, ...],
    abort: int | None,
) -> Outcome:
    """Begin an action that takes *phases* phases, at least 1; *score* orders actions of one phase.

    *abort* is the cost in phases of breaking off the action under way, whose checks end if no dice
    have fallen. None: it isn't broken off.

    Raises Impossible("still-busy", "nothing-to-break-off").
    """
    state = game.state
    encounter = require_encounter(state, action.place)
    now = current_phase_for(state, encounter, slot)
    busy = is_busy(slot, now)
    name = slot_name(state, slot, action.who)
    if busy and abort is None:
        raise Impossible("still-busy", name=name or None, ends=slot.ends or 0)
    if abort is not None and not busy:
        raise Impossible("nothing-to-break-off", name=name or None)
    ends = now + phases + (abort or 0)
    text = one_line("action", doing, DOING_MAX)
    scores = (score, *(slot.score or ())[1:])

    def move(now: AnyEncounter) -> AnyEncounter:
        return with_slot_changes(now, slot, delayed=False, ends=ends, doing=text, score=scores)

    event = actor_board_event(game, "begun", move(encounter), name, lines=lines, doing=text)
    on_turn = slot_on_turn(encounter)
    done = None
    if on_turn is not None and same_slot(on_turn, slot):
        done = on_turn
    ended: tuple[Event, ...] = ()
    if abort is not None and slot.character is not None:
        game, ended = step_checks(game, _timed_checks(state, action.place, slot), break_off)
    return move_outcome(game, encounter, move, event, *ended, done=done)


def _timed_checks(state: TableState, place: str, slot: Slot) -> list[str]:
    """Return the ids of the open checks of a character's action under way."""
    checks: list[str] = []
    for check in state.open_checks:
        own = check.place == place and check.actor == slot.character
        if own and check.round is not None:
            checks.append(check.id)
    return checks
