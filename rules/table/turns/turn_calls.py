"""Calls to the character on turn, with its condition and the next name."""

from __future__ import annotations

from typing import Any, Final

from rules.table.actions import Actor
from rules.table.blocks import Text
from rules.table.checks.procedure import kind_with_role
from rules.table.events import EVERYONE, GMS, BoardChanged, BoardStep
from rules.table.initiative import (
    absent_owner,
    is_hidden,
    known_round,
    next_name,
    slot_name,
    slot_on_turn,
    turn_number,
)
from rules.table.permissions import is_gm
from rules.table.state import AnyCharacter, AnyEncounter, Slot
from rules.table.system import Game
from rules.table.turns.spent_turns import idle_reasons, is_passed_over, is_turn_spent

#: Condition of a character who is well. The board leaves it out.
_WELL: Final = ("unhurt",)
#: Conditions that the board leaves out beside more detailed ones.
_SUMMARIES: Final = (*_WELL, "hurt", "badly-hurt")


def opens_rounds(game: Game) -> bool:
    """Return whether each round begins with a check in these rules."""
    return bool(kind_with_role(game.system, "round"))


def board_event(encounter: AnyEncounter, who: Actor, step: BoardStep, **more: Any) -> BoardChanged:
    """Return the event of a step in an encounter; *more* are further fields."""
    known = encounter.told if encounter.timeline else encounter.round
    fields: dict[str, Any] = {"audience": EVERYONE, "round": known, **more}
    return BoardChanged(
        step=step, place=encounter.place, by=who.id, timeline=encounter.timeline, **fields
    )


def call_events(
    game: Game,
    encounter: AnyEncounter,
    step: BoardStep = "turn",
    *,
    news: tuple[Text, ...] = (),
) -> tuple[BoardChanged, ...]:
    """Return the call of the character on turn; none while no character is on turn.

    The actor, whose action brought the turn about, gets no ping. If the owner is away, the
    stand-ins are called, or the GMs if there are none. Only the GMs read the call of a hidden
    character. *news* are the round's lines for the call to its first turn.
    """
    slot, state, who = slot_on_turn(encounter), game.state, game.actor
    if slot is None:
        return ()
    character = None if slot.character is None else state.characters[slot.character]
    owner = None if character is None else character.owner
    hidden = is_hidden(state, slot)
    away = absent_owner(state, encounter)
    people = (owner,) if owner is not None else ()
    if away is not None:
        people = away.stand_ins
    if hidden and character is not None:
        name = character.name
    else:
        name = slot_name(state, slot)
    call = board_event(
        encounter,
        who,
        step,
        audience=GMS if hidden else EVERYONE,
        round=encounter.round if hidden else known_round(state, encounter),
        ping=tuple([person for person in people if person != who.id]),
        ping_gms=not people and not is_gm(state, who),
        name=name,
        characters=() if character is None else (character.id,),
        doing=slot.doing,
        turn=turn_number(encounter),
        player=owner is not None,
        after=_next_public_name(game, encounter),
        lines=() if character is None else condition_lines(game, character, full=hidden),
        spent=is_turn_spent(game, slot),
        news=news,
        away=None if away is None else away.owner,
        more_time=step == "reminded" and owner is not None and not encounter.extended,
    )
    return (call,)


def _next_public_name(game: Game, encounter: AnyEncounter) -> str:
    """Return the public name of the next character on turn; empty for none.

    Where each round has an order of its own, only the present round counts.
    """
    turns = game.system.turns
    later = encounter
    if turns is not None and turns.then is not None:
        later = turns.then(game, encounter)
    past = [slot for slot in later.order if _has_nothing_to_do(game, slot)]
    return next_name(game.state, later, rolls=opens_rounds(game), past=past)


def _has_nothing_to_do(game: Game, slot: Slot) -> bool:
    return (
        idle_reasons(game, slot) is not None
        or is_turn_spent(game, slot)
        or is_passed_over(game, slot)
    )


def condition_lines(game: Game, character: AnyCharacter, *, full: bool = False) -> tuple[Text, ...]:
    """Return lines on a character's condition; of an NPC only what shows, unless *full*.

    There are none for a character who is well, and no summary beside its details, unless the
    system has words of its own for the board.
    """
    sheets = game.system.sheets
    if sheets is None:
        return ()
    full = full or character.owner is not None
    if sheets.board_health is not None:
        seen = sheets.board_health(game, character, full)
        return tuple(line for line in seen if line.code not in _WELL)
    seen = sheets.health(game, character, full)
    omitted = _WELL if len(seen) == 1 else _SUMMARIES
    return tuple([line for line in seen if line.code not in omitted])
