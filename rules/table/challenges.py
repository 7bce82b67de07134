"""The life of a check: proposed, answered, rolled, a window for spending, settled.

Implements the shared course of events behind EBB-PROPOSAL and its kin in the other systems: the system reads the
options, makes the ruling and rolls; who may do what when, and who may see it, is decided here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rules.core.errors import Impossible, InvalidInput, NotFound, NotPermitted, Outdated
from rules.core.rng import Rng, Streams
from rules.table.actions import (
    Action,
    Actor,
    Answer,
    AskBack,
    Due,
    OnChallenge,
    Propose,
    Revise,
    Roll,
    Settle,
    Spend,
    Withdraw,
)
from rules.table.events import Line
from rules.table.outcome import Outcome
from rules.table.people import acting_as, is_gm, owns, require_gm, require_system
from rules.table.state import OVER, AnyChallenge, AnyCharacter, Challenge, Counters, TableState, evolve
from rules.table.system import System
from rules.table.views import check_events
from rules.table.waits import wait_for

#: Longest texts, in characters.
APPROACH_MAX = 1000
NOTE_MAX = 500
#: How many challenges that are over stay within reach of buttons and undo; at twice as many the oldest go.
KEPT = 20
#: How many challenges may be open at a table at once.
OPEN_MAX = 200


def _text(field: str, value: str, most: int) -> str:
    clean = value.strip()
    if len(clean) > most:
        raise InvalidInput("too-long", field=field, value=len(clean), allowed=f"at most {most} characters")
    return clean


def _put(state: TableState, challenge: AnyChallenge) -> TableState:
    challenges = {**state.challenges, challenge.id: challenge}
    return TableState(state.settings, state.counters, state.people, state.characters, challenges)


def _forget_old(state: TableState) -> dict[str, AnyChallenge]:
    """The challenges without those that have been over for longest; room for one more is needed."""
    challenges = dict(state.challenges)
    if len(challenges) < 2 * KEPT:
        return challenges
    over = [key for key, one in challenges.items() if one.status in OVER]
    if len(challenges) - len(over) >= OPEN_MAX:
        raise Impossible("too-many-checks", most=OPEN_MAX)
    if len(over) >= 2 * KEPT:
        for key in over[:-KEPT]:
            del challenges[key]
    return challenges


def _advance(challenge: AnyChallenge, at: int, **changes: Any) -> AnyChallenge:
    return evolve(challenge, step=challenge.step + 1, since=at, **changes)


def find(state: TableState, action: OnChallenge) -> AnyChallenge:
    """The challenge that is meant, if it still is as it was shown."""
    challenge = state.challenges.get(action.challenge)
    if challenge is None:
        raise NotFound("unknown-check", field="check", value=action.challenge, nearest=())
    if challenge.step != action.step:
        raise Outdated("check-moved-on", check=challenge.id, status=challenge.status)
    return challenge


def _expect(challenge: AnyChallenge, *allowed: str) -> None:
    if challenge.status not in allowed:
        raise Outdated("check-moved-on", check=challenge.id, status=challenge.status)


def _require_owner(state: TableState, actor: Actor, character: AnyCharacter) -> None:
    if not owns(state, actor, character):
        raise NotPermitted("owner-only", character=character.name, owner=character.owner)


def stream(state: TableState, challenge: AnyChallenge, rng: Streams) -> Rng:
    """Public dice only where everybody sees them at once: nothing hidden may hang on a seed to be revealed."""
    concealed = challenge.hidden and state.settings.reveal == "degree"
    return rng.public if challenge.visibility == "public" and not concealed else rng.secret


def propose(state: TableState, action: Propose, rng: Streams, system: System) -> Outcome:
    """Open a challenge; where the table lets players set open difficulties, roll it at once."""
    character = acting_as(state, action.who, action.as_)
    approach = _text("approach", action.approach, APPROACH_MAX)
    request = system.propose(character, action)
    number = state.counters.challenge + 1
    challenge: AnyChallenge = Challenge(
        f"c{number}",
        action.place,
        character.id,
        action.who.id,
        approach,
        request,
        action.visibility,
        "proposed",
        action.at,
    )
    counters = Counters(state.counters.character, number)
    challenges = _forget_old(state)
    challenges[challenge.id] = challenge
    state = TableState(state.settings, counters, state.people, state.characters, challenges)
    gm = is_gm(state, action.who)
    if action.difficulty is not None and (
        (gm and character.owner is None) or (state.settings.live and action.visibility == "public")
    ):
        difficulty, switches, modifier = system.suggest(challenge)
        answer = Answer(
            who=action.who,
            place=action.place,
            at=action.at,
            challenge=challenge.id,
            step=challenge.step,
            kind="roll",
            difficulty=difficulty,
            switches=switches,
            modifier=modifier,
        )
        ruling = system.rule(character, challenge, answer)
        challenge = evolve(challenge, status="answered", answer="roll", ruling=ruling)
        return _roll(state, challenge, character, action, rng, system)
    events = check_events(state, system, challenge, "proposed", action.who.id, ping_gms=not gm)
    return Outcome(state, events)


def revise(state: TableState, action: Revise, rng: Streams, system: System) -> Outcome:
    """Change the proposal, or answer what the GM asked back."""
    challenge = find(state, action)
    _expect(challenge, "proposed")
    character = state.characters[challenge.character]
    _require_owner(state, action.who, character)
    approach = challenge.approach
    if action.approach is not None:
        approach = _text("approach", action.approach, APPROACH_MAX)
    request = system.revise(character, challenge, action)
    changed = _advance(challenge, action.at, approach=approach, request=request, question="")
    state = _put(state, changed)
    gm = is_gm(state, action.who)
    return Outcome(state, check_events(state, system, changed, "revised", action.who.id, ping_gms=not gm))


def withdraw(state: TableState, action: Withdraw, rng: Streams, system: System) -> Outcome:
    """The owner, or a GM, takes the proposal off the table before any die is rolled."""
    challenge = find(state, action)
    _expect(challenge, "proposed", "answered")
    character = state.characters[challenge.character]
    if not is_gm(state, action.who):
        _require_owner(state, action.who, character)
    changed = _advance(challenge, action.at, status="withdrawn")
    state = _put(state, changed)
    return Outcome(state, check_events(state, system, changed, "withdrawn", action.who.id))


def ask_back(state: TableState, action: AskBack, rng: Streams, system: System) -> Outcome:
    """The GM asks; the proposal waits for its owner."""
    require_gm(state, action.who)
    challenge = find(state, action)
    _expect(challenge, "proposed")
    question = _text("question", action.question, NOTE_MAX)
    if not question:
        raise InvalidInput("empty", field="question", value="", allowed="what you want to know")
    changed = _advance(challenge, action.at, question=question)
    state = _put(state, changed)
    return Outcome(state, check_events(state, system, changed, "asked", action.who.id, ping=True))


def answer(state: TableState, action: Answer, rng: Streams, system: System) -> Outcome:
    """The GM answers, or answers anew as long as nothing was rolled."""
    require_gm(state, action.who)
    challenge = find(state, action)
    _expect(challenge, "proposed", "answered")
    character = state.characters[challenge.character]
    rolled = action.kind in ("roll", "yardstick")
    changed = _advance(
        challenge,
        action.at,
        status="answered" if rolled else "settled",
        answer=action.kind,
        note=_text("note", action.note, NOTE_MAX),
        question="",
        hidden=action.hidden and action.kind == "roll",
        ruling=system.rule(character, challenge, action) if rolled else None,
    )
    state = _put(state, changed)
    return Outcome(state, check_events(state, system, changed, "answered", action.who.id, ping=True))


def _roll(
    state: TableState,
    challenge: AnyChallenge,
    character: AnyCharacter,
    action: Action,
    rng: Streams,
    system: System,
) -> Outcome:
    if not challenge.approach and system.needs_approach(challenge):
        raise Impossible("needs-approach", field="approach")
    rolled = system.roll(character, challenge, stream(state, challenge, rng))
    window = state.settings.window
    changed = evolve(
        challenge,
        step=challenge.step + 1,
        since=action.at,
        status="rolled" if window else "settled",
        rolled=rolled,
        deadline=action.at + window if window else None,
    )
    state = _put(state, changed)
    return Outcome(state, check_events(state, system, changed, "rolled", action.who.id))


def roll(state: TableState, action: Roll, rng: Streams, system: System) -> Outcome:
    """The owner throws the dice."""
    challenge = find(state, action)
    _expect(challenge, "answered")
    character = state.characters[challenge.character]
    _require_owner(state, action.who, character)
    return _roll(state, challenge, character, action, rng, system)


def may_spend(state: TableState, challenge: AnyChallenge, actor: Actor) -> bool:
    """Whether spending is this actor's: the owner's, but not on dice that only the GMs see."""
    character = state.characters[challenge.character]
    blind = challenge.visibility == "blind" and challenge.rolled is not None
    return owns(state, actor, character) and (not blind or is_gm(state, actor))


def spend(state: TableState, action: Spend, rng: Streams, system: System) -> Outcome:
    """The owner spends what the system offers at this point, such as EBB-FATE or EBB-LUCK."""
    challenge = find(state, action)
    _expect(challenge, "answered", "rolled")
    character = state.characters[challenge.character]
    _require_owner(state, action.who, character)
    if not may_spend(state, challenge, action.who):
        raise Impossible("blind-roll", check=challenge.id)
    result = system.spend(character, challenge, action.what, action.choice, stream(state, challenge, rng))
    changed = _advance(challenge, action.at, rolled=result.rolled)
    if result.settles:
        changed = evolve(changed, status="settled", deadline=None)
    state = _put(state, changed)
    state = replace(state, characters={**state.characters, character.id: result.character})
    events = check_events(state, system, changed, "spent", action.who.id, spent=result.line)
    return Outcome(state, events)


def _settled(state: TableState, challenge: AnyChallenge, at: int, by: str, system: System) -> Outcome:
    changed = _advance(challenge, at, status="settled", deadline=None)
    state = _put(state, changed)
    return Outcome(state, check_events(state, system, changed, "settled", by))


def settle(state: TableState, action: Settle, rng: Streams, system: System) -> Outcome:
    """The result stands: nothing more can be spent on it."""
    challenge = find(state, action)
    _expect(challenge, "rolled")
    if not is_gm(state, action.who):
        _require_owner(state, action.who, state.characters[challenge.character])
    return _settled(state, challenge, action.at, action.who.id, system)


def due(state: TableState, action: Due, rng: Streams, system: System) -> Outcome:
    """A wait has run out: remind whoever has to act, or let the result stand."""
    require_system(action.who)
    challenge = state.challenges.get(action.wait.partition(".")[0])
    wait = None if challenge is None else wait_for(state, challenge)
    if challenge is None or wait is None or wait.id != action.wait:
        raise Outdated("wait-over", wait=action.wait)
    if wait.due is None or wait.due > action.at:
        raise Outdated("not-yet-due", wait=action.wait)
    if wait.default == "settle":
        return _settled(state, challenge, action.at, action.who.id, system)
    gm = wait.by == "gm"
    events = check_events(state, system, challenge, "reminded", action.who.id, ping=not gm, ping_gms=gm)
    # Whoever is not waited for need not be told that somebody is.
    called = (event for event in events if event.audience.everyone or event.ping or event.ping_gms)
    return Outcome(state, tuple(called))


def waiting_line(state: TableState, challenge: AnyChallenge) -> Line | None:
    """Who is expected to act on an open challenge, None when it is over."""
    wait = wait_for(state, challenge)
    return Line(f"waits-for-{wait.by}", {"status": challenge.status}) if wait else None
