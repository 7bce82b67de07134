"""Deadlines that players miss in a row, and what the GMs are told of them."""

from __future__ import annotations

from collections.abc import Iterable

from rules.table.absence import (
    has_come_back,
    is_away,
    missed_deadlines,
    with_missed_deadlines,
    with_quiet_presence,
)
from rules.table.events import GMS, Notice
from rules.table.outcome import Outcome
from rules.table.state import SYSTEM, TableState
from rules.table.system import Game


def with_missed(game: Game, outcome: Outcome, characters: Iterable[str], place: str) -> Outcome:
    """Return the outcome of the clock's answers for characters, each counted for its player.

    Several characters of one player count once, and a player who is away misses nothing. The GMs
    are told each time as many deadlines in a row are missed as the table excuses.
    """
    excused = game.state.settings.excused
    if not excused:
        return outcome
    state, events = outcome.state, [*outcome.events]
    for person, missed in _by_player(game, characters).items():
        count = missed_deadlines(state, person) + 1
        state = with_missed_deadlines(state, person, count)
        if count % excused == 0:
            events.append(_missed_notice(state, person, missed, count, place))
    return Outcome(state, tuple(events))


def with_quiet_return(game: Game, outcome: Outcome) -> Outcome:
    """Return the outcome of an act that ends a noted absence, so that a private act stays private.

    The end of the absence is then told to the GMs alone.
    """
    person = game.actor.id
    told = any(event.audience.everyone for event in outcome.events)
    if told or not has_come_back(outcome.state, person):
        return outcome
    return outcome.replace(state=with_quiet_presence(outcome.state, person))


def missing_players(game: Game) -> tuple[str, ...]:
    """Return the players who aren't away and have missed as many deadlines as the table excuses."""
    excused, missed = game.state.settings.excused, game.state.counters.missed
    if not excused:
        return ()
    late = [person for person, count in missed.items() if count >= excused]
    return tuple(person for person in late if not is_away(game.state, person, game.at))


def _by_player(game: Game, characters: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the characters of each player who isn't away, by participant."""
    found: dict[str, tuple[str, ...]] = {}
    for who in dict.fromkeys(characters):
        character = game.state.characters.get(who)
        owner = None if character is None else character.owner
        if owner is not None and not is_away(game.state, owner, game.at):
            found[owner] = (*found.get(owner, ()), who)
    return found


def _missed_notice(
    state: TableState, person: str, missed: tuple[str, ...], count: int, place: str
) -> Notice:
    """Return the notice to the GMs, with the characters of the last deadline."""
    names = tuple(state.characters[who].name for who in missed)
    return Notice(
        "missed-in-a-row",
        {"who": person, "count": count, "names": names, "place": place},
        audience=GMS,
        ping_gms=True,
        # Without a channel of the GMs, the button for them would tell everybody of it.
        quiet=state.settings.gm_place is None,
        by=SYSTEM,
        characters=missed,
    )
