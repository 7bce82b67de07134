"""Actions on a timeline: beginning them, completing them and breaking them off (BAR-PHASE)."""

from __future__ import annotations

from rules.core.errors import Impossible
from rules.table.actions import Action
from rules.table.blocks import Text
from rules.table.checks.check_actions import step_checks
from rules.table.checks.engine import break_off
from rules.table.events import Event
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
from rules.table.typed_texts import one_line

#: Longest description of an action, in characters.
DOING_MAX = 80


def own_slot(
    state: TableState, action: Action, as_: str | None
) -> tuple[Slot, AnyCharacter | None]:
    """The place on the timeline here of whoever acts: the one named, for GMs also one that is no
    character.

    Impossible("no-encounter", "no-timeline", "not-on-timeline"), and what `acting_character` and
    `find_slot` raise.
    """
    encounter = require_encounter(state, action.place)
    if not encounter.timeline:
        raise Impossible("no-timeline")
    if as_ is not None:
        slot = find_slot(state, action.who, as_, encounter.order, "as")
    else:
        character = acting_character(state, action.who, None, action.place)
        found = [entry for entry in encounter.order if entry.character == character.id]
        if not found:
            raise Impossible("not-on-timeline", name=character.name)
        slot = found[0]
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
    """Begin an action that takes `phases` phases, at least 1; `score` orders actions of one phase.

    `abort` is the cost of breaking off the action under way; None: it is not broken off. Its checks
    end if no dice have fallen. Raises Impossible("still-busy") for an actor who is busy,
    ("nothing-to-break-off").
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

    said = actor_board_event(game, "begun", move(encounter), name, lines=lines, doing=text)
    acts = slot_on_turn(encounter)
    done = acts if acts is not None and same_slot(acts, slot) else None
    broken: tuple[Event, ...] = ()
    if abort is not None and slot.character is not None:
        whose = (action.place, slot.character)
        mine = [check for check in state.open_checks if (check.place, check.actor) == whose]
        begun = [check.id for check in mine if check.round is not None]
        game, broken = step_checks(game, begun, break_off)
    return move_outcome(game, encounter, move, said, *broken, done=done)
