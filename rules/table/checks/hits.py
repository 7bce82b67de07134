"""What an attack that hit does: a choice for whoever was hit, the GM's words, or what was agreed (EBB-INJURY)."""

from __future__ import annotations

from rules.core.errors import Impossible, InvalidInput, NotFound, RulesError
from rules.core.rng import Streams
from rules.table.actions import Actor, TakeHit
from rules.table.checks.challenges import TOOL_MAX, advanced, expect, find, put, require_target
from rules.table.checks.views import check_events
from rules.table.events import Line
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, require_owner
from rules.table.state import AnyChallenge, AnyCharacter, TableState
from rules.table.system import Game


def _deadline(state: TableState, at: int) -> int | None:
    return at + state.settings.hit_window if state.settings.hit_window else None


def struck(
    state: TableState, challenge: AnyChallenge, target: AnyCharacter, at: int, game: Game
) -> tuple[TableState, AnyChallenge, tuple[Line, ...]]:
    """An attack that is settled: if it hit, it waits for a choice, or for words; or it has done its work."""
    choices = game.course.hit_choices(target, challenge) if game.course.succeeded(challenge) else ()
    if not choices:
        return state, challenge, ()
    only = choices[0] if len(choices) == 1 else None
    if only is not None and not only.words:
        changed, line = game.course.take_hit(target, challenge, only.value, {})
        return state.with_character(changed), challenge.but(choice=only.value), (line,)
    chosen = "" if only is None else only.value
    return state, challenge.but(status="hit", choice=chosen, deadline=_deadline(state, at)), ()


def take_hit(state: TableState, action: TakeHit, rng: Streams, game: Game) -> Outcome:
    """Whoever was hit, or a GM for them, chooses what it does; where that needs words, a GM says them.

    NotFound("unknown-hit-choice"), Impossible("hit-waits-for-gm") for a player who has chosen that already,
    InvalidInput("empty") for a GM who says nothing then.
    """
    challenge = find(state, action)
    expect(challenge, "hit")
    target = require_target(state, challenge)
    gm = is_gm(state, action.who)
    if not gm:
        require_owner(state, action.who, target)
    choices = {choice.value: choice for choice in game.course.hit_choices(target, challenge)}
    chosen = choices.get(action.choice)
    if chosen is None:
        raise NotFound(
            "unknown-hit-choice", field="choice", value=action.choice[:TOOL_MAX], nearest=tuple(choices)
        )
    words = {"text": action.text, "part": action.part, "severity": action.severity} if gm else {}
    if chosen.words and not words.get("text", "").strip():
        if challenge.choice != chosen.value:
            changed = advanced(
                challenge, action.at, choice=chosen.value, deadline=_deadline(state, action.at)
            )
            state = put(state, changed)
            return Outcome(state, check_events(state, game, changed, "hit", action.who.id, ping_gms=not gm))
        if not gm:
            raise Impossible("hit-waits-for-gm", check=challenge.id)
        raise InvalidInput("empty", field="text", value="", wanted="effect")
    return _taken(state, challenge, target, chosen.value, words, action.at, action.who, game)


def _taken(
    state: TableState,
    challenge: AnyChallenge,
    target: AnyCharacter,
    choice: str,
    words: dict[str, str],
    at: int,
    actor: Actor,
    game: Game,
) -> Outcome:
    hurt, line = game.course.take_hit(target, challenge, choice, words)
    changed = advanced(challenge, at, status="settled", choice=choice, deadline=None)
    state = put(state.with_character(hurt), changed)
    return Outcome(state, check_events(state, game, changed, "taken", actor.id, lines=(line,)))


def hit_by_default(state: TableState, challenge: AnyChallenge, at: int, actor: Actor, game: Game) -> Outcome:
    """Nobody chose in time: as the table has agreed, or as was chosen before the GM's words stayed away."""
    target = require_target(state, challenge)
    choice = challenge.choice or game.course.default_hit(target, challenge, game.setting("hit_default"))
    try:
        return _taken(state, challenge, target, choice, {}, at, actor, game)
    except RulesError:
        # There is no room left on the sheet: what it does is for the GM to keep in mind.
        changed = advanced(challenge, at, status="settled", choice=choice, deadline=None)
        state = put(state, changed)
        return Outcome(state, check_events(state, game, changed, "settled", actor.id))
