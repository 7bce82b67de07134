"""The board: initiative in a place, as a reader may know it."""

from __future__ import annotations

from rules.core.record import Record
from rules.table.actions import Actor
from rules.table.initiative import (
    block_of,
    encounter_in,
    is_players,
    known_round,
    seat_key,
    slot_name,
    slot_on_turn,
    slot_seat,
    turn_number,
)
from rules.table.permissions import is_gm
from rules.table.state import Slot, TableState


class BoardLine(Record):
    """A slot of an encounter, as the reader of the board knows it."""

    name: str
    #: Id of the character.
    who: str | None = None
    score: int | None = None
    #: Whether the slot is on turn, or in the block of which one is.
    acts: bool = False
    #: Whether its turn is delayed.
    waits: bool = False
    #: Phase in which the character ends what it is doing, on a timeline.
    ends: int | None = None
    #: Name of what the character is doing, on a timeline.
    doing: str = ""
    #: Whether its turn of the round is over.
    done: bool = False


class Board(Record):
    """Initiative in a place, as the reader of the board knows it."""

    place: str
    #: Round, or phase on a timeline; 0 before the first round.
    round: int
    #: Number of the turn; 0 if the reader knows of no character on turn.
    turn: int
    #: Whether the house rule on initiative applies.
    house: bool
    lines: tuple[BoardLine, ...]
    timeline: bool = False
    #: Whether the check that the round begins with is open. Until it is over, no character acts.
    opening: bool = False


def board_view(state: TableState, place: str, viewer: Actor | None = None) -> Board | None:
    """Return initiative in a place as all players see it, or as *viewer* does.

    None without an encounter. Players see no character that they do not know. Scores are shown for
    players' characters only: an NPC's score would reveal its abilities.
    """
    encounter = encounter_in(state, place)
    if encounter is None:
        return None
    gm = viewer is not None and is_gm(state, viewer)
    on_turn = slot_on_turn(encounter)
    in_rounds = on_turn is not None and not encounter.timeline
    block = {slot_seat(slot) for slot in block_of(state, encounter)}
    past = {slot_seat(slot) for slot in encounter.order[: encounter.turn]}
    lines: list[BoardLine] = []
    # The order in a round before turns of a block changed it: who has begun what may be secret.
    for slot in sorted(encounter.order, key=seat_key(encounter)):
        name = slot_name(state, slot, viewer)
        if not name:
            continue
        may_see_score = gm or is_players(state, slot)
        line = BoardLine(
            name,
            who=slot.character,
            score=shown_score(slot) if may_see_score else None,
            acts=slot_seat(slot) in block,
            waits=slot.delayed,
            ends=slot.ends,
            doing=slot.doing,
            done=in_rounds and slot_seat(slot) in past and not slot.delayed,
        )
        lines.append(line)
    knows_turn = any(line.acts for line in lines)
    return Board(
        place,
        encounter.round if gm else known_round(state, encounter),
        turn_number(encounter) if knows_turn else 0,
        encounter.house,
        tuple(lines),
        encounter.timeline,
        encounter.opening,
    )


def shown_score(slot: Slot) -> int | None:
    """Return a score as it is shown, without the part that decides ties."""
    return slot.score[0] if slot.score else None
