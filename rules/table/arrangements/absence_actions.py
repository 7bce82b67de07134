"""Actions on absences: announced by a player, noted by others, and over."""

from __future__ import annotations

from typing import Final

from rules.core.errors import Impossible, InvalidInput, Outdated
from rules.table.absence import (
    absence_of,
    characters_of,
    has_come_back,
    is_back_quietly,
    missed_deadlines,
    orders_of,
    with_missed_deadlines,
)
from rules.table.actions import Due, NoteDeparture, SetAway
from rules.table.arrangements.standing_order_actions import arrangement_outcome, with_others_called
from rules.table.check import ORDERS_PREFIX, Away, Orders
from rules.table.checks.check_actions import drop_holds
from rules.table.checks.standing_orders import with_orders
from rules.table.events import GMS, Audience, Event, Notice
from rules.table.forms.typed_texts import one_line
from rules.table.outcome import Outcome
from rules.table.permissions import require_gm, require_system
from rules.table.state import SYSTEM, TableState
from rules.table.system import Game

#: Longest word on being away, in characters.
NOTE_MAX: Final = 200
#: Prefix of the ids of waits that end an absence.
ABSENCE: Final = "away:"
#: End of the id of a wait that ends a noted absence, before the time at which it began.
_BACK: Final = "back."


def set_away(state: TableState, action: SetAway, game: Game) -> Outcome:
    """Begin or end an absence: the actor's own, or for a GM that of `action.person`.

    During an absence, checks go on without the player's characters if these may pass, and GMs may
    answer for them.

    Raises InvalidInput("bad-until") for a time that is over, ("not-away"), ("already-away"), and as
    `_require_treatable`.
    """
    others = action.person not in ("", action.who.id)
    person = action.person if others else action.who.id
    if others:
        _require_treatable(state, action, person)
    present = absence_of(state, person) if others else orders_of(state, person).away
    note = one_line("note", action.note, NOTE_MAX)
    if action.back and present is None:
        raise InvalidInput("not-away", field="back", value=None, who=person if others else None)
    if action.until is not None and action.until <= action.at:
        raise InvalidInput("bad-until", field="until", value=None)
    if action.back:
        return _end_outcome(game, person, by=action.who.id)
    noted_by = action.who.id if others else ""
    away = Away(action.at, action.until, note, action.place, noted_by)
    if present is not None and present.replace(since=away.since, place=away.place) == away:
        who = person if others else None
        raise InvalidInput("already-away", field="until", value=None, who=who)
    if others:
        event = Notice(
            "arranged-treated-away",
            {"who": person, "until": action.until},
            by=action.who.id,
            note=note,
        )
    else:
        event = Notice("arranged-away", {"until": action.until}, by=person, note=note)
    return _begin_outcome(game, person, away, event)


def _require_treatable(state: TableState, action: SetAway, person: str) -> None:
    """Require that the actor may note or end the absence of another participant.

    Raises NotPermitted("gm-only"), Impossible("plays-no-character") for a participant without a
    character, ("away-themselves") for an absence that the participant has announced.
    """
    require_gm(state, action.who)
    if not characters_of(state, person):
        raise Impossible("plays-no-character", who=person)
    away = absence_of(state, person)
    if away is not None and not away.noted_by:
        raise Impossible("away-themselves", who=person)


def _begin_outcome(game: Game, person: str, away: Away, event: Event) -> Outcome:
    """Return the table with an absence, and who is asked instead."""
    own = tuple(other.id for other in game.state.characters.values() if other.owner == person)
    orders = orders_of(game.state, person)
    after = with_orders(game.state, person, orders.replace(away=away))
    if away.noted_by:
        # An absence that others have noted lasts as long as a deadline is missed.
        after = with_missed_deadlines(after, person, max(1, missed_deadlines(after, person)))
    left, dropped = drop_holds(game.with_state(after), own)
    outcome = arrangement_outcome(game, left.state, own, event)
    outcome = Outcome(outcome.state, (*dropped, *outcome.events))
    return with_others_called(game, outcome, own)


def _end_outcome(game: Game, person: str, *, by: str) -> Outcome:
    """Return the table without the absence of a participant; everybody is told.

    Only the GMs are told if the participant came back by an act that others don't know of.
    """
    state, quiet = game.state, is_back_quietly(game.state, person)
    after = with_orders(state, person, orders_of(state, person).replace(away=None))
    event = _back_notice(state, person, by)
    if quiet:
        after = with_missed_deadlines(after, person, 0)
        event = event.replace(audience=GMS, quiet=state.settings.gm_place is None)
    own = tuple(other.id for other in state.characters.values() if other.owner == person)
    return arrangement_outcome(game, after, own, event)


def _back_notice(state: TableState, person: str, by: str) -> Notice:
    """Return the notice that a participant is back, and which characters are asked again."""
    names = tuple(character.name for character in characters_of(state, person))
    return Notice("arranged-back", {"who": person, "names": names, "count": len(names)}, by=by)


def note_departure(state: TableState, action: NoteDeparture, game: Game) -> Outcome:
    """Note that a participant with characters has left the server; the GMs are told.

    Raises NotPermitted("system-only"), InvalidInput("already-away"), and
    Impossible("plays-no-character").
    """
    require_system(action.who)
    person = action.person
    own = characters_of(state, person)
    if not own:
        raise Impossible("plays-no-character", who=person)
    present = absence_of(state, person)
    if present is not None and present.noted_by == SYSTEM:
        raise InvalidInput("already-away", field="person", value=None, who=person)
    event = Notice(
        "player-left-server",
        {"who": person, "names": tuple(character.name for character in own)},
        audience=GMS,
        ping_gms=True,
        quiet=state.settings.gm_place is None,
        by=SYSTEM,
        characters=tuple(character.id for character in own),
    )
    return _begin_outcome(game, person, Away(action.at, None, "", action.place, SYSTEM), event)


def absence_waits(state: TableState) -> dict[str, int]:
    """Return when absences end, by the id of the wait.

    An absence that others have noted ends at once when its participant has acted.
    """
    waits: dict[str, int] = {}
    for key, part in state.own.items():
        if not key.startswith(ORDERS_PREFIX) or not isinstance(part, Orders):
            continue
        away, person = part.away, key.removeprefix(ORDERS_PREFIX)
        if away is None:
            continue
        name = f"{ABSENCE}{away.place}:{person}"
        if has_come_back(state, person):
            waits[f"{name}:{_BACK}{away.since}"] = away.since
        elif away.until is not None:
            waits[f"{name}:{away.until}"] = away.until
    return waits


def end_absence(state: TableState, action: Due, game: Game) -> Outcome:
    """End an absence whose time is over, or whose participant has acted; everybody is told.

    The participant is told in private too, unless the participant is here already.

    Raises Outdated("wait-over", "not-yet-due").
    """
    ends = absence_waits(state).get(action.wait)
    if ends is None:
        raise Outdated("wait-over", wait=action.wait)
    if ends > action.at:
        raise Outdated("not-yet-due", wait=action.wait)
    person = action.wait.split(":")[2]
    away = orders_of(state, person).away
    over = _end_outcome(game, person, by=SYSTEM)
    if away is None or has_come_back(state, person):
        return over
    told = Notice(
        "absence-over",
        {"since": away.since, "until": ends},
        audience=Audience(people=(person,)),
        ping=(person,),
    )
    return over.replace(events=(*over.events, told))
