"""A challenge from the dice on: rolled, a window for spending, settled, and what follows from it.

Implements the shared course of events behind EBB-ATTACK, EBB-INJURY and EBB-HEAL and their kin in the other
systems: the system rolls and says what is spent and healed; who may do it when is decided here.
"""

from __future__ import annotations

from rules.core.errors import Impossible, Outdated
from rules.core.rng import Streams
from rules.table.actions import Actor, Due, Roll, Settle, Spend
from rules.table.checks import acting
from rules.table.checks.challenges import (
    OTHER,
    advanced,
    expect,
    find,
    may_settle,
    may_spend,
    put,
    require_target,
    spender,
    stream,
    undecidable,
)
from rules.table.checks.hits import hit_by_default, struck
from rules.table.checks.views import cast_of, check_events, target_of
from rules.table.checks.waits import waits_for
from rules.table.events import ChallengeStep, Line
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, known_name, owns, require_gm, require_owner, require_system
from rules.table.state import AnyChallenge, AnyCharacter, Side, TableState
from rules.table.system import Game
from rules.table.turns.encounters import place_of_wait, remind


def thrown(
    state: TableState,
    challenge: AnyChallenge,
    character: AnyCharacter,
    at: int,
    rng: Streams,
    game: Game,
) -> AnyChallenge:
    """The challenge with its dice as they fell. Impossible("needs-approach")."""
    if not challenge.approach and not challenge.gm_only and game.course.needs_approach:
        raise Impossible("needs-approach", field="approach")
    cast = cast_of(state, challenge)
    helpers = challenge.helpers
    if helpers and len(cast.helpers) < len(helpers):
        helpers = tuple(helper for _, helper in cast.helpers)
    rolled = game.course.roll(cast, challenge, stream(challenge, rng))
    # Nobody spends anything on dice of which only the GMs know.
    window = 0 if challenge.gm_only or not game.course.reacts else state.settings.window
    return challenge.but(
        revision=challenge.revision + 1,
        since=at,
        rolled=rolled,
        helpers=helpers,
        status="rolled" if window else "settled",
        deadline=at + window if window else None,
    )


def roll(state: TableState, action: Roll, rng: Streams, game: Game) -> Outcome:
    """The owner throws the dice. Impossible("needs-approach"), or ("needs-defence") where the other side chooses."""
    challenge = find(state, action)
    expect(challenge, "answered")
    character = state.characters[challenge.character]
    require_owner(state, action.who, character)
    if challenge.opposed and challenge.defence is None:
        raise Impossible(
            "needs-defence", character=known_name(state, action.who, require_target(state, challenge))
        )
    changed = thrown(state, challenge, character, action.at, rng, game)
    return followed(state, changed, action.at, action.who, game, "rolled")


def spend(state: TableState, action: Spend, rng: Streams, game: Game) -> Outcome:
    """The owner spends what the system offers at this point, such as EBB-FATE or EBB-LUCK.

    In an opposed challenge both sides may; what the other side spends ends with `OTHER`. Impossible("blind-roll")
    on dice that only the GMs see, and what the system's `spend` raises.
    """
    challenge = find(state, action)
    expect(challenge, "answered", "rolled")
    side: Side = "other" if challenge.opposed and action.what.endswith(OTHER) else "actor"
    what = action.what.removesuffix(OTHER) if side == "other" else action.what
    character = spender(state, challenge, side)
    if character is None:
        raise Impossible("no-target", check=challenge.id)
    require_owner(state, action.who, character)
    if not may_spend(state, challenge, action.who, side):
        raise Impossible("blind-roll", check=challenge.id)
    dice = stream(challenge, rng)
    result = game.course.spend(character, challenge, what, action.choice, dice, side)
    changed = advanced(challenge, action.at, rolled=result.rolled)
    if result.request is not None:
        changed = changed.but(request=result.request)
    if result.settles:
        changed = changed.but(status="settled", deadline=None)
    state = state.with_character(result.character)
    return followed(state, changed, action.at, action.who, game, "spent", spent=result.line, side=side)


def followed(
    state: TableState,
    challenge: AnyChallenge,
    at: int,
    actor: Actor,
    game: Game,
    step: ChallengeStep,
    *,
    ping: bool = False,
    spent: Line | None = None,
    side: Side = "actor",
) -> Outcome:
    """A challenge that has just taken this step; once it is settled, with what comes of it.

    A hit that leaves a choice, or needs the GM's words, waits for them (EBB-INJURY); what heals is healed at
    once (EBB-HEAL).
    """
    lines: tuple[Line, ...] = ()
    target = target_of(state, challenge) if challenge.status == "settled" else None
    if target is not None:
        if challenge.kind == "attack":
            state, challenge, lines = struck(state, challenge, target, at, game)
        elif challenge.kind in ("treat", "rest"):
            healed = game.course.healed(challenge, target)
            if healed is not None:
                state, lines = state.with_character(healed[0]), healed[1]
    hit = challenge.status == "hit"
    if state.challenges.get(challenge.id) is not challenge:
        state = put(state, challenge)
    events = check_events(
        state,
        game,
        challenge,
        step,
        actor.id,
        ping=ping,
        ping_target=hit and not challenge.choice,
        ping_gms=hit and bool(challenge.choice) and not is_gm(state, actor),
        ping_helpers=step == "rolled",
        spent=spent,
        side=side,
        lines=lines,
    )
    return Outcome(state, events)


def _settled(state: TableState, challenge: AnyChallenge, at: int, actor: Actor, game: Game) -> Outcome:
    changed = advanced(challenge, at, status="settled", deadline=None)
    return followed(state, changed, at, actor, game, "settled")


def settle(state: TableState, action: Settle, rng: Streams, game: Game) -> Outcome:
    """The result stands: nothing more can be spent on it. Impossible("other-side-may-react") for who has won."""
    challenge = find(state, action)
    if undecidable(state, challenge, game):
        require_gm(state, action.who)
        changed = advanced(challenge, action.at, status="settled", deadline=None)
        state = put(state, changed)
        return Outcome(state, check_events(state, game, changed, "settled", action.who.id))
    expect(challenge, "rolled")
    if not may_settle(state, challenge, action.who, game):
        both = (spender(state, challenge, "actor"), spender(state, challenge, "other"))
        if challenge.opposed and any(each is not None and owns(state, action.who, each) for each in both):
            raise Impossible("other-side-may-react", check=challenge.id)
        require_owner(state, action.who, state.characters[challenge.character])
    return _settled(state, challenge, action.at, action.who, game)


def due(state: TableState, action: Due, rng: Streams, game: Game) -> Outcome:
    """A wait has run out: remind whoever has to act, let the result stand, or choose what a hit does."""
    require_system(action.who)
    if place_of_wait(action.wait) is not None:
        return remind(state, action)
    if action.wait.partition(".")[0] in state.checks:
        return acting.due(action, game)
    challenge = state.challenges.get(action.wait.partition(".")[0])
    found = () if challenge is None else waits_for(state, challenge)
    wait = next((each for each in found if each.id == action.wait), None)
    if challenge is None or wait is None:
        raise Outdated("wait-over", wait=action.wait)
    if wait.due is None or wait.due > action.at:
        raise Outdated("not-yet-due", wait=action.wait)
    if wait.default == "settle":
        return _settled(state, challenge, action.at, action.who, game)
    if wait.default == "hit":
        return hit_by_default(state, challenge, action.at, action.who, game)
    if any(each.due is not None and each.due <= action.at for each in found if each is not wait):
        raise Outdated("wait-over", wait=action.wait)  # what happens by itself has come due as well
    events = check_events(
        state,
        game,
        challenge,
        "reminded",
        action.who.id,
        ping=wait.by == "owner",
        ping_target=wait.by == "target",
        ping_gms=wait.by == "gm",
    )
    # Whoever is not waited for need not be told that somebody is.
    called = (event for event in events if event.audience.everyone or event.ping or event.ping_gms)
    return Outcome(state, tuple(called))
