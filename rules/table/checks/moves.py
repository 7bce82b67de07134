"""What somebody may do next in a check, and for whom it waits as far as somebody may know."""

from __future__ import annotations

from rules.core.record import record
from rules.table.actions import Actor
from rules.table.checks.access import is_seen, knows_of, may_answer, may_see
from rules.table.checks.check import GMS, AnyCheck, Asked
from rules.table.checks.orders import may_pass
from rules.table.checks.procedure import Option, procedure_of
from rules.table.system import Game


@record
class Move:
    """What may be answered to one prompt for one character (`who`; GMS for the GMs).

    With `passes`, to have nothing to add is an answer too. Nobody is waited for in an `offer`.
    """

    check: str
    prompt: str
    number: int
    who: str
    options: tuple[Option, ...]
    passes: bool = False
    offer: bool = False


@record
class Call:
    """A prompt as somebody may know of it: who is asked, each by id, the GMs at once for all their NPCs.

    Nobody is waited for where `who` is empty. `button` as in the prompt.
    """

    prompt: str
    number: int
    who: tuple[str, ...]
    since: int
    due: int | None = None
    button: str | None = None


def check_moves(game: Game, check: AnyCheck) -> tuple[Move, ...]:
    """What whoever acts may do in this check now, prompt by prompt."""
    if not check.open or not may_see(game, check, game.actor):
        return ()
    found: list[Move] = []
    for asked in check.asked:
        if knows_of(game, asked, game.actor):
            found += _moves(game, check, asked)
    return tuple(found)


def _moves(game: Game, check: AnyCheck, asked: Asked) -> list[Move]:
    state, prompt, offer = game.state, asked.prompt, asked.prompt.wait is None
    stage = procedure_of(game, check.kind).stages[check.stage]
    asks = (*state.characters, GMS) if prompt.who is None else prompt.who
    found: list[Move] = []
    for who in asks:
        if who in asked.passed or not may_answer(state, game.actor, who, game.at, gm_only=check.gm_only):
            continue
        options, passes = tuple(stage.options(game, check, prompt.key, who)), may_pass(prompt)
        if options or passes:
            found.append(Move(check.id, prompt.key, asked.number, who, options, passes, offer))
    return found


def moves(game: Game) -> tuple[Move, ...]:
    """Everything that whoever acts may do in checks now, oldest first."""
    return tuple([move for check in game.state.checks.values() for move in check_moves(game, check)])


def calls(game: Game, check: AnyCheck, actor: Actor | None) -> tuple[Call, ...]:
    """The open prompts that somebody, or with None everybody, may know of, whether anybody could do anything or not."""
    return tuple([_call(game, each) for each in check.asked if _known(game, each, actor)])


def _known(game: Game, asked: Asked, actor: Actor | None) -> bool:
    seen = asked.prompt.seen
    return seen is None or (actor is not None and is_seen(game.state, seen, actor, game.at))


def _call(game: Game, asked: Asked) -> Call:
    """In a secret prompt all are named who were asked, whoever has answered."""
    prompt = asked.prompt
    people = () if prompt.wait is None else asked.named if prompt.secret else asked.left
    characters = game.state.characters
    played = [GMS if each not in characters or characters[each].owner is None else each for each in people]
    who = tuple(dict.fromkeys(played))
    return Call(prompt.key, asked.number, who, asked.since, asked.due, prompt.button)


def is_behind(asked: Asked) -> bool:
    """Whether a prompt stands behind the neutral button; a secret one does until its stage is over."""
    prompt = asked.prompt
    who = asked.named if prompt.secret and prompt.who is not None else prompt.who
    return prompt.button is None and who not in ((GMS,), ())
