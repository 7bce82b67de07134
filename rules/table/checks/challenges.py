"""A challenge between its steps: which one is meant, whose it is to act, and what may still be done with it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from rules.core.errors import Impossible, NotFound, Outdated
from rules.core.rng import Rng, Streams
from rules.table.actions import Actor, OnChallenge
from rules.table.checks.views import as_seen, may_see, target_of
from rules.table.checks.waits import waits_for
from rules.table.events import Line
from rules.table.permissions import is_gm, owns
from rules.table.state import OVER, AnyChallenge, AnyCharacter, Side, TableState
from rules.table.system import Game

#: Longest texts, in characters.
APPROACH_MAX = 1000
NOTE_MAX = 500
TOOL_MAX = 100
#: How many may join in one challenge.
HELPERS_MAX = 20
#: Behind what the other side of an opposed challenge spends.
OTHER = "-other"
#: How many challenges that are over stay within reach of buttons and undo; at twice as many the oldest go.
KEPT = 20
#: How many challenges may be open at a table at once.
OPEN_MAX = 200


def put(state: TableState, challenge: AnyChallenge) -> TableState:
    """The table with this challenge, in place of what it was before."""
    return state.with_challenges({**state.challenges, challenge.id: challenge})


def without_old(state: TableState) -> dict[str, AnyChallenge]:
    """The challenges without those that have been over for longest, so that there is room for one more.

    Impossible("too-many-checks") where too many are open.
    """
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


def without_helpers(challenge: AnyChallenge, gone: Collection[str]) -> AnyChallenge:
    """The challenge without these among its helpers, while no dice have been thrown; the same object if none is."""
    left = tuple(each for each in challenge.helpers if each.character not in gone)
    if challenge.rolled is not None or len(left) == len(challenge.helpers):
        return challenge
    return challenge.but(helpers=left)


def advanced(challenge: AnyChallenge, at: int, /, **changes: Any) -> AnyChallenge:
    """The challenge one revision further: what was shown of it before is outdated."""
    changes["revision"] = challenge.revision + 1
    changes["since"] = at
    return challenge.but(**changes)


def find(state: TableState, action: OnChallenge) -> AnyChallenge:
    """The challenge that is meant. NotFound("unknown-check"), Outdated when it is not as it was shown."""
    challenge = state.challenges.get(action.challenge)
    if challenge is None or not may_see(state, challenge, action.who):
        raise NotFound("unknown-check", field="check", value=action.challenge, nearest=())
    if challenge.revision != action.revision:
        seen = as_seen(state, challenge, gm=is_gm(state, action.who), who=action.who.id)
        raise Outdated("check-moved-on", check=challenge.id, status=seen.status)
    return challenge


def expect(challenge: AnyChallenge, *allowed: str) -> None:
    """Outdated("check-moved-on") when its status is none of those allowed."""
    if challenge.status not in allowed:
        raise Outdated("check-moved-on", check=challenge.id, status=challenge.status)


def stream(challenge: AnyChallenge, rng: Streams) -> Rng:
    """Public dice only where everybody sees them at once: nothing hidden may hang on a seed to be revealed."""
    concealed = challenge.gm_only or (challenge.hidden and challenge.reveal == "degree")
    return rng.public if challenge.visibility == "public" and not concealed else rng.secret


def require_target(state: TableState, challenge: AnyChallenge) -> AnyCharacter:
    """Whom it is done to. Impossible("no-target") where there is nobody, or nobody any more."""
    target = target_of(state, challenge)
    if target is None:
        raise Impossible("no-target", check=challenge.id)
    return target


def spender(state: TableState, challenge: AnyChallenge, side: Side) -> AnyCharacter | None:
    """The character who pays on that side, None where that side throws no dice."""
    if side == "actor":
        return state.characters[challenge.character]
    return target_of(state, challenge) if challenge.opposed else None


def may_spend(state: TableState, challenge: AnyChallenge, actor: Actor, side: Side = "actor") -> bool:
    """Whether spending on that side is this actor's: its owner's, but not on dice that only the GMs see."""
    character = spender(state, challenge, side)
    if character is None:
        return False
    blind = challenge.visibility == "blind" and challenge.rolled is not None
    return owns(state, actor, character) and (not blind or is_gm(state, actor))


def undecidable(state: TableState, challenge: AnyChallenge, game: Game) -> bool:
    """Whether a hit waits for a choice that there is no more, for want of a sheet: a GM lets it stand."""
    target = target_of(state, challenge)
    return challenge.status == "hit" and (target is None or not game.course.hit_choices(target, challenge))


def may_settle(state: TableState, challenge: AnyChallenge, actor: Actor, game: Game) -> bool:
    """Whether the actor may let a result stand: a GM, the owner; of an opposed roll whoever lost it, since the
    other side must not cut their time for reactions short. Blind, nobody else reacts, and it would tell who lost."""
    if is_gm(state, actor):
        return True
    lost = challenge.opposed and challenge.visibility != "blind" and game.course.succeeded(challenge)
    side: Side = "other" if lost else "actor"
    character = spender(state, challenge, side)
    return character is not None and owns(state, actor, character)


def waiting_line(state: TableState, challenge: AnyChallenge) -> Line | None:
    """Who is expected to act on an open challenge, None when it is over."""
    wait = next(iter(waits_for(state, challenge)), None)
    return (
        Line(f"waits-for-{wait.by}", {"status": challenge.status, "kind": challenge.kind}) if wait else None
    )
