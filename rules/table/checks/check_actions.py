"""Checks that take their course, as actions begin, answer and end them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Set
from typing import Final

from rules.core.errors import Impossible, InvalidInput, Outdated
from rules.table.actions import Actor, Begin, Choose, CloseChecks, EndCheck
from rules.table.check import ANY_GM, AnyCheck
from rules.table.checks import engine
from rules.table.checks.access import (
    binding_checks,
    cast_of,
    find_check,
    is_open_to,
    may_answer,
    may_answer_prompt,
)
from rules.table.checks.available_moves import check_moves
from rules.table.checks.check_events import events_for
from rules.table.checks.check_run import CheckAdvance
from rules.table.checks.procedure import procedure_of
from rules.table.events import Event
from rules.table.lookup import acting_character, find_character, find_known, playable_characters
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, require_gm
from rules.table.state import AnyCharacter, TableState
from rules.table.system import Game


def begin_check(state: TableState, action: Begin, game: Game) -> Outcome:
    """Begin a check of one of the system's kinds, as far as it goes by itself.

    Only GMs begin a check that only GMs know of, for any character.

    Raises Impossible("not-in-these-rules") for a kind that begins by itself,
    NotPermitted("gm-only"), and as `character_for_check`, `find_known` and `engine.begin`.
    """
    course = procedure_of(game, action.kind)
    if course.by_itself:
        raise Impossible("not-in-these-rules", name=game.system.name)
    if action.gm_only:
        require_gm(state, action.who)
    character = character_for_check(
        state, action.who, action.as_, action.place, anybody=course.anybody, gm_only=action.gm_only
    )
    target = (
        None if action.target is None else find_known(state, action.who, action.target, "target")
    )
    made = engine.begin(
        game,
        action.kind,
        action.place,
        action.values,
        actor=character.id,
        target=None if target is None else target.id,
        visibility=action.visibility,
        gm_only=action.gm_only,
    )
    return _outcome(state, made)


def character_for_check(
    state: TableState,
    actor: Actor,
    as_: str | None,
    place: str,
    *,
    anybody: bool,
    gm_only: bool = False,
) -> AnyCharacter:
    """Return the character that a check is for.

    That is the acting character. With *anybody*, a GM may name any character that isn't retired,
    and with *gm_only* any character at all.

    Raises InvalidInput("roll-for-whom") for a *gm_only* check without a name if the GM has no
    character to act as, and as `acting_character`, `find_known` and `find_character`.
    """
    if gm_only and as_ is None and not playable_characters(state, actor):
        raise InvalidInput("roll-for-whom", field="as", value=None)
    if as_ is not None and gm_only:
        return find_character(state.characters.values(), as_, "as")
    if as_ is not None and anybody and is_gm(state, actor):
        return find_known(state, actor, as_, "as")
    return acting_character(state, actor, as_, place)


def choose(state: TableState, action: Choose, game: Game) -> Outcome:
    """Answer a prompt for the character that is named.

    Raises as `engine.choose`, and InvalidInput("which-character").
    """
    check = find_check(game, action.check)
    who = tuple(dict.fromkeys([_named_character(game, check, action, each) for each in action.as_]))
    who = who or (_default_character(game, check, action),)
    made = engine.choose(
        game, check.id, action.prompt, action.number, action.option, who, action.values
    )
    return _outcome(state, made)


def _answers(game: Game, check: AnyCheck, prompt: str, who: str) -> bool:
    asked = check.prompt(prompt)
    if asked is None:
        return may_answer(game.state, game.actor, who, game.at, gm_only=check.gm_only)
    return may_answer_prompt(game, check, asked, who)


def _named_character(game: Game, check: AnyCheck, action: Choose, text: str) -> str:
    """Return the character that is named. A character that a prompt asks may also be out of
    play.
    """
    asked = check.prompt(action.prompt)
    if text == ANY_GM or (
        asked is not None and text in asked.named and _answers(game, check, action.prompt, text)
    ):
        return text
    return find_known(game.state, action.who, text, "as").id


def _default_character(game: Game, check: AnyCheck, action: Choose) -> str:
    """Return the character to answer for if none is named: the only one, else the active one."""
    asked = check.prompt(action.prompt)
    only = asked.prompt.who if asked is not None else None
    if only is not None and len(only) == 1 and _answers(game, check, action.prompt, only[0]):
        return only[0]
    able = [move.who for move in check_moves(game, check) if move.prompt == action.prompt]
    if len(able) == 1:
        return able[0]
    if able:
        state = game.state
        active = state.person(action.who.id).active
        if active in able:
            return active
        names = tuple([state.characters[each].name for each in able if each])
        raise InvalidInput("which-character", field="as", value=None, allowed=names)
    mine = [
        who for who in (asked.named if asked else ()) if _answers(game, check, action.prompt, who)
    ]
    gms_alone = asked is not None and asked.prompt.who == (ANY_GM,)
    if mine or gms_alone or is_gm(game.state, game.actor):
        return mine[0] if mine else ANY_GM
    return acting_character(game.state, action.who, None, action.place).id


def end(state: TableState, action: EndCheck, game: Game) -> Outcome:
    """End a check for a GM. Raises as `engine.end`."""
    return _outcome(state, engine.end(game, find_check(game, action.check)))


def close(state: TableState, action: CloseChecks, game: Game) -> Outcome:
    """Close these checks for a GM, with the clock's answers.

    Raises as `engine.close`, and Outdated("check-moved-on") if none of them is open any more.
    """
    if not action.checks:
        raise InvalidInput("empty", field="checks", value="", allowed="checks")
    found = dict.fromkeys([find_check(game, check_id).id for check_id in action.checks])
    if not any(state.checks[each].is_open for each in found):
        raise Outdated("check-moved-on", check=next(iter(found)))
    after, events = step_checks(game, found, engine.close)
    return Outcome(after.state, events)


def _outcome(before: TableState, made: CheckAdvance) -> Outcome:
    return Outcome(made.state, events_for(before, made))


#: Steps after which a check may look different though nobody has acted.
_REFRESHES: Final = (engine.refresh_check, engine.refresh_without_dice)


def step_checks(
    game: Game, checks: Iterable[str], step: Callable[[Game, AnyCheck], CheckAdvance]
) -> tuple[Game, tuple[Event, ...]]:
    """Return the table after the same step of each of these checks that is still open, and its
    events.
    """
    events: list[Event] = []
    for key in checks:
        check = game.state.checks.get(key)
        if check is None or not check.is_open:
            continue
        made = step(game, check)
        if made.took or (step in _REFRESHES and made.check is not check):
            events += events_for(game.state, made)
        game = made.game
    return game, tuple(events)


def refresh_checks(game: Game, concerned: Collection[str]) -> tuple[Game, tuple[Event, ...]]:
    """Return the table after a refresh of the open checks that wait for one of these characters."""
    return step_checks(game, _waiting_for(game, concerned), engine.refresh_check)


def refresh_open_checks(game: Game) -> tuple[Game, tuple[Event, ...]]:
    """Return the table after all open checks have been asked again."""
    keys = [check.id for check in game.state.open_checks]
    return step_checks(game, keys, engine.refresh_check)


def review_waits(
    game: Game,
    outcome: Outcome,
    refresh: Callable[[Game, AnyCheck], CheckAdvance] = engine.refresh_check,
) -> Outcome:
    """Refresh the other open checks that wait for characters with less to spend now.

    Return the outcome with these checks and their events. Points or cards that are spent in one
    check can be missing in another. *refresh* is the step that refreshes a check.
    """
    before, after = game.state, outcome.state
    if not before.checks or before.settings is not after.settings:
        return outcome
    concerned = _who_has_less(game, after)
    if not concerned:
        return outcome
    keys = [
        key
        for key in _waiting_for(game.with_state(after), concerned)
        if before.checks.get(key) is after.checks[key]
    ]
    now, events = step_checks(game.with_state(after), keys, refresh)
    return Outcome(now.state, (*outcome.events, *events)) if keys else outcome


def _who_has_less(game: Game, after: TableState) -> frozenset[str]:
    """Return the players' characters who ran out of some points in the step.

    If any deck has changed, all players' characters count.
    """
    before, found = game.state, set[str]()
    if before.characters is after.characters and before.decks is after.decks:
        return frozenset()
    for key, character in after.characters.items():
        was = before.characters.get(key)
        if character.owner is None or was is None:
            continue
        if before.decks is not after.decks or _ran_out(game, was.sheet, character.sheet):
            found.add(key)
    return frozenset(found)


def _ran_out(game: Game, before: object, after: object) -> bool:
    """Return whether points have reached 0."""
    if before is after:
        return False
    resources = [resource for resource in game.system.resources if resource.reserve]
    return any(resource.of(before) > 0 and resource.of(after) <= 0 for resource in resources)


def call_for_absent(game: Game, who: Collection[str]) -> tuple[Game, tuple[Event, ...]]:
    """Return the table after others are called for what waits for these, with its full time."""
    return step_checks(
        game,
        _waiting_for(game, who),
        lambda now, check: engine.call_for_absent(now, check, who),
    )


def drop_holds(game: Game, gone: Collection[str]) -> tuple[Game, tuple[Event, ...]]:
    """Return the table after no check waits for a say that these wanted."""
    keys = [each.id for each in game.state.open_checks if not {*gone}.isdisjoint(each.held_for)]
    return step_checks(game, keys, lambda now, check: engine.drop_holds(now, check, gone))


def drop_from_checks(game: Game, gone: Collection[str]) -> tuple[Game, tuple[Event, ...]]:
    """Return the table after these characters have left the checks that only asked them, as if
    passed.
    """
    game, dropped = drop_holds(game, gone)
    after, events = step_checks(
        game, _waiting_for(game, gone), lambda now, check: engine.drop_characters(now, check, gone)
    )
    return after, (*dropped, *events)


def _waiting_for(game: Game, concerned: Collection[str]) -> tuple[str, ...]:
    waits = [(check.id, check.asked) for check in game.state.open_checks]
    return tuple(
        [
            key
            for key, asked in waits
            if any(who in concerned for pending in asked for who in pending.waiting_for)
        ]
    )


def visible_binding_checks(game: Game, who: str, actor: Actor) -> tuple[str, ...]:
    """Return the open checks that a character cannot leave, as far as the actor may know of
    them.
    """
    looking = game if game.actor == actor else game.replace(actor=actor)
    return tuple(
        [check.id for check in binding_checks(game, who) if is_open_to(looking, check, actor)]
    )


def checks_naming(game: Game, gone: Set[str]) -> tuple[AnyCheck, ...]:
    """Return the checks, open or over, that cannot be shown without one of these characters."""
    return tuple(
        [check for check in game.state.checks.values() if not gone.isdisjoint(cast_of(game, check))]
    )
