"""Roll calls: checks of several characters that a GM calls for at once, in one message."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from rules.core.errors import NotFound
from rules.core.name_matching import name_key
from rules.core.record import Record, field
from rules.table.actions import Action, Choose
from rules.table.blocks import EVERYONE, GMS, Audience, first_verdict
from rules.table.check import AnyCheck
from rules.table.checks.audience_views import CheckViewer
from rules.table.checks.procedure import procedure_of
from rules.table.checks.stages import SKILL_KEY, TRAITS, ProposalData
from rules.table.events import (
    CheckChanged,
    Event,
    RollCallChanged,
    RollCallLine,
    SealRead,
)
from rules.table.lookup import sort_by_name
from rules.table.outcome import Outcome
from rules.table.state import AnyCharacter, TableState
from rules.table.system import Game

#: Beginnings of the keys of roll calls, and of notes that a sealed text was read.
ROLL_CALL_KIND: Final = "call"
SEAL_KIND: Final = "seal"
#: Beginning of the ids of the clock's waits for the end of roll calls.
ROLL_CALL_END: Final = "rolls:"
#: Beginning of the ids of roll calls; ids of checks begin otherwise.
CALL_PREFIX: Final = "g"
#: Words for the players' characters in the place of a call.
_EVERYBODY: Final = frozenset(
    {
        *("all", "all characters", "all players", "players"),
        *("everybody", "everybody here", "everyone", "everyone here"),
        *("party", "the party"),
    }
)
#: Most roll calls that are kept. The oldest without an open check go first.
ROLL_CALLS_MAX: Final = 20


class RollCall(Record):
    """A GM's call for a roll of several characters: the part `call:<id>`."""

    id: str
    #: Channel in which it was made.
    place: str
    #: Participant who made it.
    by: str
    #: Ids of the checks, in the order of the call.
    checks: tuple[str, ...]
    #: Names of the traits that are rolled with; empty if the rules or the players choose them.
    traits: tuple[str, ...] = ()
    #: What the GM said about it.
    text: str = ""
    #: Text for those who succeed; empty for none.
    seal: str = ""
    #: Everybody has been told the sealed text.
    opened: bool = False
    #: Time at which the missing dice are rolled, in seconds since 1970; None: never.
    until: int | None = None
    #: The clock rolls the missing dice then; else they count as not rolled.
    rolls: bool = True
    #: Values of the checks' form, and of the GM's answer, for a character who is called later.
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    ruling: dict[str, Any] = field(default_factory=dict[str, Any])


class SealReading(Record):
    """A note that the player of a check has read the sealed text: the part `seal:<check>`."""

    #: Id of the roll call.
    call: str
    #: Participant who has read it.
    by: str


def is_roll_call(id: str) -> bool:
    """Return whether an id is that of a roll call, not of a check."""
    return id.startswith(CALL_PREFIX)


def roll_call_key(call: str) -> str:
    """Return the key of a roll call's part."""
    return f"{ROLL_CALL_KIND}:{call}"


def seal_key(check: str) -> str:
    """Return the key of the note that the sealed text was read for a check."""
    return f"{SEAL_KIND}:{check}"


def roll_calls(state: TableState) -> tuple[RollCall, ...]:
    """Return the roll calls of a table, the oldest first."""
    return tuple(part for part in state.own.values() if isinstance(part, RollCall))


def find_roll_call(state: TableState, call: str) -> RollCall:
    """Return the roll call with an id. Raises NotFound("unknown-roll-call")."""
    part = state.own.get(roll_call_key(call))
    if not isinstance(part, RollCall):
        raise unknown_call_error(call)
    return part


def unknown_call_error(call: str) -> NotFound:
    """Return the error for an id that is no roll call's, as far as the actor may know."""
    return NotFound("unknown-roll-call", field="call", value=call[:20], nearest=())


def checks_of(state: TableState, call: RollCall) -> tuple[AnyCheck, ...]:
    """Return the checks of a roll call that the table still has, in the order of the call."""
    return tuple(state.checks[key] for key in call.checks if key in state.checks)


def traits_of(check: AnyCheck) -> tuple[str, ...]:
    """Return the names of the traits that a check was begun with."""
    if not isinstance(check.data, ProposalData):
        return ()
    names: list[str] = []
    for trait in TRAITS:
        name = str(check.data.asked.get(trait) or "")
        if trait == "attribute":
            # Some rules have keys of attributes, without the sheet's capital.
            name = name[:1].upper() + name[1:]
        if name:
            names.append(name)
    return tuple(names)


def lacked_skill(call: RollCall, check: AnyCheck) -> str:
    """Return the skill of a call without which its check is rolled; empty for none."""
    if not call.values.get(SKILL_KEY) or not call.traits:
        return ""
    has_fewer = len(traits_of(check)) < len(call.traits)
    return call.traits[0] if has_fewer else ""


def has_rolled(game: Game, check: AnyCheck) -> bool:
    """Return whether the dice of a check have fallen."""
    return procedure_of(game, check.kind).dice_have_fallen(check.data)


def missing_checks(game: Game, call: RollCall) -> tuple[AnyCheck, ...]:
    """Return the open checks of a roll call whose dice haven't fallen."""
    checks = checks_of(game.state, call)
    return tuple(check for check in checks if check.is_open and not has_rolled(game, check))


def ended_checks(game: Game, call: RollCall) -> tuple[AnyCheck, ...]:
    """Return the checks of a roll call whose missing dice the clock rolls now: its end is due."""
    is_due = call.until is not None and call.until <= game.at
    return missing_checks(game, call) if is_due else ()


def roll_call_waits(game: Game) -> dict[str, int]:
    """Return the times at which the clock rolls what is missing, by wait id.

    There are none while the table's clock is paused.
    """
    waits: dict[str, int] = {}
    if game.state.settings.pause is not None:
        return waits
    for call in roll_calls(game.state):
        if call.until is not None and missing_checks(game, call):
            waits[wait_of(call)] = call.until
    return waits


def wait_of(call: RollCall) -> str:
    """Return the id of the wait for the end of a roll call. A time that moves has another one."""
    return f"{ROLL_CALL_END}{call.place}:{call.id}.{call.until}"


def with_roll_calls_held(state: TableState, since: int, at: int) -> TableState:
    """Return the table whose roll calls have at *at* what was left of their times at *since*."""
    for call in roll_calls(state):
        if call.until is not None and call.until > since:
            later = call.replace(until=call.until + at - since)
            state = state.with_own(roll_call_key(call.id), later)
    return state


def characters_to_add(state: TableState, call: RollCall) -> tuple[AnyCharacter, ...]:
    """Return the players' characters that a roll call doesn't have yet."""
    called = {check.actor for check in checks_of(state, call)}
    return tuple(one for one in players_characters(state) if one.id not in called)


def players_characters(state: TableState) -> tuple[AnyCharacter, ...]:
    """Return the characters that players play, by name."""
    characters = state.characters.values()
    return sort_by_name(one for one in characters if one.owner and one.in_play)


def calls_everybody(state: TableState, names: Iterable[str]) -> bool:
    """Return whether a GM's names stand for everybody in the place, as "all" and "party" do.

    A character of that name is meant instead.
    """
    characters = {name_key(character.name) for character in state.characters.values()}
    return any(name_key(name) in _EVERYBODY - characters for name in names)


def without_oldest_calls(state: TableState) -> TableState:
    """Return the table with room for one more roll call."""
    calls = roll_calls(state)
    for call in calls[: max(0, len(calls) - ROLL_CALLS_MAX + 1)]:
        if not any(check.is_open for check in checks_of(state, call)):
            state = _without_call(state, call)
    return state


def _without_call(state: TableState, call: RollCall) -> TableState:
    state = state.with_own(roll_call_key(call.id), None)
    for check in call.checks:
        state = state.with_own(seal_key(check), None)
    return state


def without_call_texts(state: TableState, who: str) -> TableState:
    """Return the table without what a participant has typed in roll calls."""
    for call in roll_calls(state):
        if call.by == who and (call.text or call.seal):
            bare = call.replace(text="", seal="", values={}, ruling={})
            state = state.with_own(roll_call_key(call.id), bare)
    return state


# --- what everybody sees --------------------------------------------------------------------------


def roll_call_event(game: Game, call: RollCall) -> RollCallChanged:
    """Return a roll call as it stands, as all participants see it.

    Neither a sealed text nor its readers leave a trace in it.
    """
    lines: list[RollCallLine] = []
    for check in checks_of(game.state, call):
        rolled = has_rolled(game, check)
        view = CheckViewer(game, check).view(EVERYONE)
        how = check.rolled_how if rolled and not check.rolled_by else "self"
        lacks = lacked_skill(call, check)
        lines.append(RollCallLine(view, rolled, how == "clock", how, lacks))
    waits = wait_of(call) in roll_call_waits(game)
    is_ahead = waits and call.until is not None and call.until > game.at
    return RollCallChanged(
        by=game.actor.id,
        call=call.id,
        place=call.place,
        traits=call.traits,
        text=call.text,
        author=call.by,
        until=call.until if is_ahead else None,
        rolls=call.rolls,
        lines=tuple(lines),
    )


def roll_call_news(game: Game, events: Iterable[Event]) -> tuple[RollCallChanged, ...]:
    """Return the roll calls that look different after public events about their checks.

    Each calls the participants whom these events call.
    """
    by_call: dict[str, list[CheckChanged]] = {}
    for event in events:
        if isinstance(event, CheckChanged) and event.group and event.audience.is_open:
            by_call.setdefault(event.group, []).append(event)
    news: list[RollCallChanged] = []
    for key, of_checks in by_call.items():
        call = game.state.own.get(roll_call_key(key))
        if isinstance(call, RollCall):
            news.append(_with_pings(roll_call_event(game, call), of_checks))
    return tuple(news)


def _with_pings(event: RollCallChanged, of_checks: Iterable[CheckChanged]) -> RollCallChanged:
    """Return the news of a roll call, with the participants whom the news of its checks call.

    A roll that stalls calls no GM if the clock will end the call.
    """
    people: dict[str, None] = {}
    spared: dict[str, None] = {}
    gms = again = begun = False
    for change in of_checks:
        people |= dict.fromkeys(change.ping)
        spared |= dict.fromkeys(change.spared)
        clock_helps = change.step == "stalled" and event.until is not None
        gms = gms or (change.ping_gms and not clock_helps)
        again = again or change.step in ("reminded", "stalled", "called")
        begun = begun or change.step == "begun"
    return event.replace(
        ping=tuple(people), ping_gms=gms, spared=tuple(spared), again=again, begun=begun
    )


# --- sealed texts ---------------------------------------------------------------------------------


def has_succeeded(game: Game, check: AnyCheck) -> bool:
    """Return whether a check is over and was a success, even if only the GMs know."""
    if check.is_open or not has_rolled(game, check):
        return False
    verdict = first_verdict(CheckViewer(game, check).blocks_for(GMS))
    if verdict is None:
        return False
    return verdict.tone == "good" if verdict.worked is None else verdict.worked


def entitled_checks(game: Game, call: RollCall) -> tuple[AnyCheck, ...]:
    """Return the checks whose players may read a roll call's sealed text."""
    if not call.seal:
        return ()
    return tuple(check for check in checks_of(game.state, call) if has_succeeded(game, check))


def unread_checks(game: Game, call: RollCall, person: str) -> tuple[AnyCheck, ...]:
    """Return the checks for which a participant may read a sealed text, and hasn't yet."""
    unread: list[AnyCheck] = []
    for check in () if call.opened else entitled_checks(game, call):
        character = game.state.characters.get(check.actor)
        if character is None or character.owner != person:
            continue
        # A player who has taken the character over since learns nothing of the text.
        taken_over = character.private_since > check.final_since
        if not taken_over and seal_key(check.id) not in game.state.own:
            unread.append(check)
    return tuple(unread)


def read_checks(game: Game, call: RollCall) -> tuple[AnyCheck, ...]:
    """Return the checks for which a player has read a roll call's sealed text, for GMs.

    They stay, whatever comes of their rolls.
    """
    read = game.state.counters.seals_read.get(call.id, ())
    return tuple(check for check in checks_of(game.state, call) if check.id in read)


def _with_seal_read(state: TableState, call: RollCall, checks: Iterable[str]) -> TableState:
    """Return the table that remembers for which checks a sealed text was read.

    Calls that are gone are forgotten.
    """
    kept = {key: read for key, read in state.counters.seals_read.items() if _has_call(state, key)}
    read = dict.fromkeys((*kept.get(call.id, ()), *checks))
    if read:
        kept[call.id] = tuple(read)
    return state.replace(counters=state.counters.replace(seals_read=kept))


def _has_call(state: TableState, call: str) -> bool:
    return roll_call_key(call) in state.own


def read_seal(game: Game, call: RollCall, checks: Sequence[AnyCheck]) -> Outcome:
    """Return the table and the events after the actor has read a sealed text for some checks."""
    who = game.actor.id
    state = _with_seal_read(game.state, call, [check.id for check in checks])
    events: list[Event] = []
    for check in checks:
        state = state.with_own(seal_key(check.id), SealReading(call.id, who))
        reading = SealRead(
            audience=Audience(people=(who,)),
            quiet=True,
            by=who,
            call=call.id,
            place=call.place,
            name=game.character(check.actor).name,
            text=call.seal,
            author=call.by,
        )
        events.append(reading)
    return Outcome(state, tuple(events))


def with_roll_calls(game: Game, outcome: Outcome, action: Action) -> Outcome:
    """Return an outcome with the messages of its roll calls, and sealed texts for the actor.

    Only an answer to a check is told in private for sure. After anything else, and for another
    player, a sealed text waits in `/moves`.
    """
    news = roll_call_news(game.with_state(outcome.state), outcome.events)
    outcome = Outcome(outcome.state, (*outcome.events, *news))
    for event in news if isinstance(action, Choose) else ():
        now = game.with_state(outcome.state)
        call = find_roll_call(now.state, event.call)
        unread = unread_checks(now, call, game.actor.id)
        if not unread:
            continue
        read = read_seal(now, call, unread)
        outcome = Outcome(read.state, (*outcome.events, *read.events))
    return outcome
