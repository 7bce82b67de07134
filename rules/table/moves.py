"""What somebody may do next. Panels, selects, hints and the random-play test are made from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rules.table.actions import Actor
from rules.table.checks.challenges import OTHER, may_settle, may_spend, spender, undecidable
from rules.table.checks.views import helpers_of, may_see, target_of
from rules.table.events import Line
from rules.table.lookup import playable
from rules.table.permissions import is_gm, owns
from rules.table.state import AnyChallenge, Side, TableState
from rules.table.system import Game

Verb = Literal[
    "answer", "ask", "revise", "withdraw", "defend", "join", "leave", "roll", "spend", "settle", "hit"
]

_SIDES: tuple[tuple[Side, str], ...] = (("actor", ""), ("other", OTHER))


@dataclass(frozen=True, slots=True)
class Move:
    """One legal follow-up on a challenge.

    `what`, `choices` and `label` are set for `spend` and `hit`; for `leave` where several of one's own have joined
    in, each by their id.
    """

    verb: Verb
    challenge: str
    revision: int
    what: str | None = None
    choices: tuple[str, ...] = ()
    label: Line | None = None


def challenge_moves(game: Game, challenge: AnyChallenge, who: Actor) -> tuple[Move, ...]:
    """What `who` may do on this challenge now."""
    state = game.state
    if not challenge.open or not may_see(state, challenge, who):
        return ()
    gm = is_gm(state, who)
    character = state.characters[challenge.character]
    own = owns(state, who, character)
    target = target_of(state, challenge)
    is_target = target is not None and owns(state, who, target)
    verbs: list[Verb] = []
    if challenge.status == "proposed":
        if gm:
            verbs.extend(("answer", "ask"))
        if own:
            verbs.append("revise")
        if own or gm:
            verbs.append("withdraw")
    elif challenge.status == "answered":
        undefended = challenge.opposed and challenge.defence is None
        if own and not undefended and (challenge.approach or not game.course.needs_approach):
            verbs.append("roll")
        if challenge.opposed and (gm or is_target):
            verbs.append("defend")
        if gm:
            verbs.append("answer")
        if own or gm:
            verbs.append("withdraw")
    elif challenge.status == "rolled":
        if may_settle(state, challenge, who, game):
            verbs.append("settle")
    elif undecidable(state, challenge, game):
        if gm:
            verbs.append("settle")
    elif target is not None and (gm or is_target):
        return tuple(
            Move("hit", challenge.id, challenge.revision, choice.value, label=choice.label)
            for choice in game.course.hit_choices(target, challenge)
            if gm or choice.value != challenge.choice
        )
    joinable = challenge.kind == "team" and challenge.status in ("proposed", "answered")
    if joinable and {each.id for each in playable(state, who)} - {challenge.character}:
        verbs.append("join")
    found = [Move(verb, challenge.id, challenge.revision) for verb in verbs]
    if joinable:
        found += _leaves(state, challenge, who)
    if challenge.status in ("answered", "rolled"):
        found += _spends(state, challenge, who, game)
    return tuple(found)


def _leaves(state: TableState, challenge: AnyChallenge, who: Actor) -> list[Move]:
    """Stepping back again, with each of one's own who has joined in."""
    mine = helpers_of(state, challenge, who)
    if len(mine) == 1:
        return [Move("leave", challenge.id, challenge.revision)]
    return [
        Move(
            "leave",
            challenge.id,
            challenge.revision,
            each.id,
            label=Line("step-back-as", {"name": each.name}),
        )
        for each in mine
    ]


def _spends(state: TableState, challenge: AnyChallenge, who: Actor, game: Game) -> list[Move]:
    found: list[Move] = []
    for side, behind in _SIDES:
        character = spender(state, challenge, side)
        if character is not None and may_spend(state, challenge, who, side):
            found += [
                Move(
                    "spend",
                    challenge.id,
                    challenge.revision,
                    option.what + behind,
                    option.choices,
                    option.label,
                )
                for option in game.course.spends(character, challenge, side)
            ]
    return found


def moves(game: Game, who: Actor) -> tuple[Move, ...]:
    """Everything `who` may do now, oldest challenge first."""
    return tuple(
        move
        for challenge in game.state.challenges.values()
        if challenge.open
        for move in challenge_moves(game, challenge, who)
    )
