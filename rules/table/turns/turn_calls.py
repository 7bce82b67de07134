"""Calls to the character on turn, with its condition and the next name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from rules.table.actions import Actor
from rules.table.blocks import Text
from rules.table.checks.procedure import kind_with_role
from rules.table.events import EVERYONE, GMS, BlockMember, BoardChanged, BoardStep
from rules.table.initiative import (
    absent_owner,
    block_of,
    encounter_in,
    is_hidden,
    known_round,
    next_name,
    slot_name,
    slot_on_turn,
    turn_number,
)
from rules.table.permissions import is_gm
from rules.table.state import AnyCharacter, AnyEncounter, Slot, TableState
from rules.table.system import Game
from rules.table.turns.spent_turns import idle_reasons, is_passed_over, is_turn_spent
from rules.table.turns.turn_block import is_member, is_turn_ending, slots_to_act

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
    called: Sequence[Slot] | None = None,
) -> tuple[BoardChanged, ...]:
    """Return the call of the character on turn, or of its block; none while no slot is on turn.

    The actor, whose action brought the turn about, gets no ping. If an owner is away, the
    stand-ins are called, or the GMs if there are none. Only the GMs read the call of a hidden
    character. *news* are the round's lines for the call to its first turn. Of a block, only the
    *called* slots get a ping, by default all whose players haven't ended their turns.
    """
    slot, state, who = slot_on_turn(encounter), game.state, game.actor
    if slot is None:
        return ()
    character = None if slot.character is None else state.characters[slot.character]
    owner = None if character is None else character.owner
    hidden = is_hidden(state, slot)
    members = block_members(game, encounter)
    called = _slots_to_call(game, encounter) if called is None else called
    people, calls_gms = _people_to_call(state, encounter, called)
    away = absent_owner(state, encounter)
    if hidden and character is not None:
        name = character.name
    else:
        name = slot_name(state, slot)
    characters = tuple(member.who for member in members)
    if not members and character is not None:
        characters = (character.id,)
    alone = not members
    call = board_event(
        encounter,
        who,
        step,
        audience=GMS if hidden else EVERYONE,
        round=encounter.round if hidden else known_round(state, encounter),
        ping=tuple([person for person in people if person != who.id]),
        ping_gms=calls_gms and not is_gm(state, who),
        name=name,
        characters=characters,
        doing=slot.doing,
        turn=turn_number(encounter),
        player=owner is not None,
        after=_next_public_name(game, encounter),
        lines=condition_lines(game, character, full=hidden) if alone and character else (),
        spent=alone and is_turn_spent(game, slot),
        news=news,
        away=away.owner if alone and away is not None else None,
        block=members,
        more_time=step == "reminded" and owner is not None and not encounter.extended,
    )
    return (call,)


def block_members(game: Game, encounter: AnyEncounter) -> tuple[BlockMember, ...]:
    """Return the characters of the present block, in order; none for a turn of one character."""
    block = block_of(game.state, encounter)
    if len(block) < 2:
        return ()
    return tuple(_member(game, encounter, slot) for slot in block)


def _member(game: Game, encounter: AnyEncounter, slot: Slot) -> BlockMember:
    character = game.character(slot.character or "")
    away = absent_owner(game.state, encounter, slot)
    return BlockMember(
        character.id,
        character.name,
        lines=condition_lines(game, character),
        away=None if away is None else away.owner,
        done=is_turn_ending(encounter, slot),
    )


def present_block(game: Game, call: BoardChanged) -> tuple[BlockMember, ...]:
    """Return the characters of a block's call as they are now, and those who have joined since.

    Characters who have left initiative are left out.
    """
    encounter = encounter_in(game.state, call.place)
    if encounter is None or not call.block:
        return ()
    in_block: dict[str, BlockMember] = {}
    for slot in block_of(game.state, encounter):
        if slot.character is not None:
            in_block[slot.character] = _member(game, encounter, slot)
    delayed = {slot.character: slot.delayed for slot in encounter.order}
    members: list[BlockMember] = []
    for member in call.block:
        now = in_block.pop(member.who, None)
        if now is None and member.who in delayed:
            waits = delayed[member.who]
            now = member.replace(done=not waits, waits=waits)
        if now is not None:
            members.append(now)
    return (*members, *in_block.values())


def _slots_to_call(game: Game, encounter: AnyEncounter) -> tuple[Slot, ...]:
    """Return the slots of the present turn that a call goes to.

    Of a block, these are the ones that can still do something.
    """
    block = block_of(game.state, encounter)
    if len(block) < 2:
        return block
    left = slots_to_act(game.state, encounter)
    return tuple(slot for slot in left if idle_reasons(game, slot) is None)


def _people_to_call(
    state: TableState, encounter: AnyEncounter, slots: Sequence[Slot]
) -> tuple[tuple[str, ...], bool]:
    """Return the players or stand-ins of these slots, and whether the GMs have to act for one."""
    people: dict[str, None] = {}
    calls_gms = False
    for slot in slots:
        character = None if slot.character is None else state.characters[slot.character]
        own = () if character is None or character.owner is None else (character.owner,)
        away = absent_owner(state, encounter, slot)
        if away is not None:
            own = away.stand_ins
        people |= dict.fromkeys(own)
        calls_gms = calls_gms or not own
    return tuple(people), calls_gms


def _next_public_name(game: Game, encounter: AnyEncounter) -> str:
    """Return the public name of the next character on turn; empty for none.

    Where each round has an order of its own, only the present round counts.
    """
    turns = game.system.turns
    later = encounter
    if turns is not None and turns.then is not None:
        later = turns.then(game, encounter)
    block = block_of(game.state, encounter)
    past: list[Slot] = []
    for slot in later.order:
        if is_member(slot, block) or _has_nothing_to_do(game, slot):
            past.append(slot)
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
