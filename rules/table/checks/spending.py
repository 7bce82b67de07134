"""What somebody may spend now, and which of it they mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rules.core.errors import Impossible, InvalidInput, Outdated
from rules.table.actions import Actor
from rules.table.checks.challenges import OTHER
from rules.table.checks.views import find_check, open_to
from rules.table.events import Line
from rules.table.lookup import acting_as
from rules.table.moves import Move, challenge_moves
from rules.table.permissions import is_gm, owns, require_owner
from rules.table.state import AnyChallenge, TableState
from rules.table.system import Game


def _sides(challenge: AnyChallenge) -> tuple[str | None, ...]:
    return challenge.character, challenge.target


def _own(state: TableState, actor: Actor, challenge: AnyChallenge) -> bool:
    """Whether one of the actor's characters takes part in it."""
    known = (state.characters.get(side) for side in _sides(challenge) if side is not None)
    return any(character is not None and owns(state, actor, character) for character in known)


def open_checks(state: TableState, actor: Actor, as_: str | None = None) -> tuple[AnyChallenge, ...]:
    """The actor's open checks, newest first; with `as` only those of that character."""
    character = None if as_ is None else acting_as(state, actor, as_).id
    found = [
        challenge
        for challenge in state.challenges.values()
        if open_to(state, challenge, actor)
        and _own(state, actor, challenge)
        and (character is None or character in _sides(challenge))
    ]
    return tuple(sorted(found, key=lambda each: (len(each.id), each.id), reverse=True))


def is_called(move: Move, what: str | None) -> bool:
    """Whether a spend is meant by this name, on whichever side it is made; None means any."""
    return what in (None, move.what, (move.what or "").removesuffix(OTHER))


def spend_moves(
    game: Game, actor: Actor, as_: str | None = None, check: str | None = None
) -> tuple[Move, ...]:
    """Everything the actor could spend now, the newest check first; on one check where it is named.

    Raises as `acting_as` and `find_check`.
    """
    checks: Iterable[AnyChallenge] = open_checks(game.state, actor, as_)
    if check is not None:
        named = find_check(game.state, actor, check)
        checks = [each for each in checks if each.id == named.id]
    return tuple(
        move
        for challenge in checks
        for move in challenge_moves(game, challenge, actor)
        if move.verb == "spend"
    )


def why_not(
    game: Game, actor: Actor, as_: str | None = None, check: str | None = None
) -> tuple[tuple[str, Line], ...]:
    """For each of those checks on which nothing can be spent now: its id, and why.

    A check that is named has to be open, and the actor's: Outdated("check-moved-on"), NotPermitted("owner-only").
    """
    state = game.state
    named = None if check is None else _require_mine(state, actor, check)
    found: list[tuple[str, Line]] = []
    for challenge in open_checks(state, actor, as_):
        if named is not None and challenge.id != named:
            continue
        if any(move.verb == "spend" for move in challenge_moves(game, challenge, actor)):
            continue
        if challenge.status not in ("answered", "rolled"):
            line = Line("no-spend-yet" if challenge.status == "proposed" else "no-spend-now")
        elif not owns(state, actor, state.characters[challenge.character]):
            line = Line("no-spend-now")
        elif challenge.visibility == "blind" and challenge.rolled is not None and not is_gm(state, actor):
            line = Line("no-spend-blind")
        else:
            line = game.course.why_not_spend(state.characters[challenge.character], challenge)
        found.append((challenge.id, line))
    return tuple(found)


def _pick(field: str, typed: str, allowed: Sequence[str]) -> str:
    wanted = typed.strip().casefold()
    fitting = [each for each in allowed if each.casefold() == wanted]
    fitting = fitting or [each for each in allowed if wanted and each.casefold().startswith(wanted)]
    if len(fitting) != 1:
        raise InvalidInput("cannot-spend", field=field, value=typed[:100], allowed=tuple(allowed))
    return fitting[0]


def _named(what: str, possible: Sequence[Move]) -> str:
    """What is spent, by its name or the beginning of it; on the other side of a check it is called the same."""
    names = tuple(dict.fromkeys(move.what or "" for move in possible))
    bare = tuple(dict.fromkeys(name.removesuffix(OTHER) for name in names))
    wanted = what.strip().casefold()
    fitting = [name for name in bare if wanted and name.casefold().startswith(wanted)]
    exact = [name for name in (*bare, *names) if name.casefold() == wanted]
    return (exact or fitting)[0] if exact or len(fitting) == 1 else _pick("what", what, names)


def find_spend(
    game: Game,
    actor: Actor,
    *,
    what: str | None,
    choice: str | None,
    check: str | None,
    as_: str | None,
) -> tuple[Move, str | None]:
    """The one spend that is meant, on the check named or else the newest for which it is possible.

    Impossible("nothing-to-spend") where there is nothing, InvalidInput("which-spend") or ("which-choice")
    where several things fit, InvalidInput("cannot-spend") or ("no-choice") for something not on offer,
    Outdated or NotPermitted for a check that is over or not the actor's, and as `spend_moves`.
    """
    possible = spend_moves(game, actor, as_, check)
    if not possible:
        if check is not None:
            _require_mine(game.state, actor, check)
        raise Impossible("nothing-to-spend")
    if what is not None:
        what = _named(what, possible)
    fitting = [move for move in possible if is_called(move, what)]
    if choice is not None:
        choices = tuple(dict.fromkeys(each for move in fitting for each in move.choices))
        if not choices:
            raise InvalidInput("no-choice", field="choice", value=choice[:100])
        choice = _pick("choice", choice, choices)
        fitting = [move for move in fitting if choice in move.choices]
    there = [move for move in fitting if move.challenge == fitting[0].challenge]
    # On both sides of one check it is the acting side's, unless the other's is named.
    move, *others = [move for move in there if move.what == what] or there
    if others:
        allowed = tuple(each.what or "" for each in (move, *others))
        raise InvalidInput("which-spend", field="what", value=None, check=move.challenge, allowed=allowed)
    if choice is None and len(move.choices) > 1:
        raise InvalidInput("which-choice", field="choice", value=None, allowed=move.choices)
    return move, choice or next(iter(move.choices), None)


def _require_mine(state: TableState, actor: Actor, check: str) -> str:
    challenge = find_check(state, actor, check)
    if not challenge.open:
        raise Outdated("check-moved-on", check=challenge.id, status=challenge.status)
    if not _own(state, actor, challenge):
        require_owner(state, actor, state.characters[challenge.character])
    return challenge.id
