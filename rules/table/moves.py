"""What somebody may do next. Panels, selects, hints and the random-play test are made from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rules.registry import get_system
from rules.table.actions import Actor
from rules.table.challenges import may_spend
from rules.table.events import Line
from rules.table.people import is_gm, owns
from rules.table.state import AnyChallenge, TableState

Verb = Literal["answer", "ask", "revise", "withdraw", "roll", "spend", "settle"]


@dataclass(frozen=True, slots=True)
class Move:
    """One legal follow-up on a challenge. `what`, `choices` and `label` are set for `spend` only."""

    verb: Verb
    challenge: str
    step: int
    what: str | None = None
    choices: tuple[str, ...] = ()
    label: Line | None = None


def challenge_moves(state: TableState, challenge: AnyChallenge, who: Actor) -> tuple[Move, ...]:
    """What `who` may do on this challenge now."""
    if not challenge.open:
        return ()
    system = get_system(state.settings.system)
    gm = is_gm(state, who)
    character = state.characters[challenge.character]
    own = owns(state, who, character)
    verbs: list[Verb] = []
    if challenge.status == "proposed":
        if gm:
            verbs.extend(("answer", "ask"))
        if own:
            verbs.append("revise")
        if own or gm:
            verbs.append("withdraw")
    elif challenge.status == "answered":
        if own and (challenge.approach or not system.needs_approach(challenge)):
            verbs.append("roll")
        if gm:
            verbs.append("answer")
        if own or gm:
            verbs.append("withdraw")
    elif own or gm:
        verbs.append("settle")
    found = [Move(verb, challenge.id, challenge.step) for verb in verbs]
    if challenge.status in ("answered", "rolled") and may_spend(state, challenge, who):
        found += [
            Move("spend", challenge.id, challenge.step, option.what, option.choices, option.label)
            for option in system.spends(character, challenge)
        ]
    return tuple(found)


def moves(state: TableState, who: Actor) -> tuple[Move, ...]:
    """Everything `who` may do now, oldest challenge first."""
    return tuple(
        move
        for challenge in state.challenges.values()
        if challenge.open
        for move in challenge_moves(state, challenge, who)
    )


def may_see(state: TableState, challenge: AnyChallenge, who: Actor) -> bool:
    """Whether `who` may know of this challenge at all."""
    return (
        challenge.visibility == "public"
        or is_gm(state, who)
        or owns(state, who, state.characters[challenge.character])
    )
