"""Seats: characters that need a player, and the users who ask for them."""

from __future__ import annotations

from typing import Final

from rules.core.errors import Impossible, InvalidInput, Outdated
from rules.table import actions
from rules.table.events import GMS, Audience, Event
from rules.table.lookup import find_character, sort_by_name
from rules.table.outcome import Outcome
from rules.table.people.characters import (
    character_event,
    hand_over,
    require_owned,
    without_private_checks,
)
from rules.table.state import AnyCharacter, TableState
from rules.table.system import Game

#: Most users who ask for one seat.
REQUESTS_MAX: Final = 20


def open_seats(state: TableState) -> tuple[AnyCharacter, ...]:
    """Return the characters that need a player, by name."""
    found = [character for character in state.characters.values() if character.open_seat]
    return sort_by_name(found)


def seat_requests(state: TableState) -> tuple[tuple[AnyCharacter, str], ...]:
    """Return each request for a seat: the character, and the participant who asks."""
    requests: list[tuple[AnyCharacter, str]] = []
    for character in open_seats(state):
        requests += [(character, who) for who in character.seat_asked]
    return tuple(requests)


def seats_to_open(state: TableState) -> tuple[AnyCharacter, ...]:
    """Return the characters whose seats a GM can open: those that all players know by name."""
    found: list[AnyCharacter] = []
    for character in state.characters.values():
        if character.approved and character.stage == "revealed" and not character.open_seat:
            found.append(character)
    return sort_by_name(found)


def without_seat_requests(state: TableState, who: str) -> TableState:
    """Return the table in which a participant asks for no seat."""
    for character in open_seats(state):
        if who in character.seat_asked:
            left = tuple(other for other in character.seat_asked if other != who)
            state = state.with_character(character.replace(seat_asked=left))
    return state


def open_seat(state: TableState, action: actions.OpenSeat, game: Game) -> Outcome:
    """Let users of the server ask for a character's seat, or with `back` no longer.

    Raises Impossible("no-open-seats"), NotFound("unknown-character", "ambiguous-character").
    """
    pool = open_seats(state) if action.back else seats_to_open(state)
    if action.back and not pool:
        raise Impossible("no-open-seats")
    character = find_character(pool, action.character or "")
    changed = character.replace(open_seat=not action.back, seat_asked=())
    what = "character-seat-closed" if action.back else "character-seat-open"
    event = character_event(what, changed, action.who, Audience(everyone=True))
    refused = _refusals(changed, action.who, character.seat_asked)
    return Outcome(state.with_character(changed), (event, *refused))


def ask_for_seat(state: TableState, action: actions.AskForSeat, game: Game) -> Outcome:
    """Ask the GMs for the seat of a character.

    Raises Impossible("seat-closed", "seat-asked", "too-many-requests", "too-many-characters"),
    InvalidInput("already-theirs").
    """
    who = action.who.id
    character = state.characters.get(action.character or "")
    if character is None or not character.open_seat:
        raise Impossible("seat-closed")
    if character.owner == who:
        raise InvalidInput(
            "already-theirs", field="character", value=None, name=character.name, who=who
        )
    if who in character.seat_asked:
        raise Impossible("seat-asked", name=character.name)
    if len(character.seat_asked) >= REQUESTS_MAX:
        raise Impossible("too-many-requests", name=character.name)
    require_owned(state, who)
    changed = character.replace(seat_asked=(*character.seat_asked, who))
    about = {"to": who}
    sent = character_event(
        "character-seat-sent", changed, action.who, Audience(people=(who,)), about=about
    )
    asked = character_event(
        "character-seat-asked", changed, action.who, GMS, about=about, ping_gms=True
    )
    return Outcome(state.with_character(changed), (sent, asked))


def answer_seat(state: TableState, action: actions.AnswerSeat, game: Game) -> Outcome:
    """Hand a character over to a participant who asks for its seat, or refuse.

    The new player doesn't inherit what the former one was told in private, unless a GM hands it
    over with `notes`: the notes on the sheet, and private checks.

    Raises Outdated("seat-answered"), Impossible("open-checks", "too-many-characters").
    """
    character = state.characters.get(action.character or "")
    if character is None or not character.open_seat or action.to not in character.seat_asked:
        raise Outdated("seat-answered")
    if not action.accept:
        left = tuple(who for who in character.seat_asked if who != action.to)
        changed = character.replace(seat_asked=left)
        refused = _refusals(changed, action.who, (action.to,))
        return Outcome(state.with_character(changed), refused)
    others = tuple(who for who in character.seat_asked if who != action.to)
    was = character
    if character.retired:
        character = character.replace(retired=False)
    if not action.notes:
        character = character.replace(notes="", private_since=action.at)
        # The handover of an NPC hides its private checks by itself.
        state = state if was.owner is None else without_private_checks(game, was)
    kept_back = was.notes if was.owner is not None and not action.notes else ""
    state = state.with_character(character)
    handover = actions.Give(
        who=action.who, place=action.place, at=action.at, character=character.id, to=action.to
    )
    outcome = hand_over(state, handover, game.with_state(state), character)
    given = outcome.state.characters[character.id]
    welcome = character_event(
        "character-seat-given", given, action.who, Audience(everyone=True), calls_owner=True
    )
    events: tuple[Event, ...] = (welcome, *outcome.events[1:])
    if kept_back:
        events += (character_event("character-seat-notes", given, action.who, GMS, note=kept_back),)
    return Outcome(outcome.state, (*events, *_refusals(given, action.who, others)))


def _refusals(
    character: AnyCharacter, who: actions.Actor, asked: tuple[str, ...]
) -> tuple[Event, ...]:
    """Return what participants are told who asked for a seat in vain."""
    return tuple(
        character_event(
            "character-seat-refused",
            character,
            who,
            Audience(people=(person,)),
            about={"to": person},
        ).replace(ping=(person,))
        for person in asked
    )
