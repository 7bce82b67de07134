"""Requests of players for a say before a check stands (*Wait for me*)."""

from __future__ import annotations

from rules.core.errors import Impossible, NotPermitted
from rules.table.actions import HoldCheck
from rules.table.blocks import Text
from rules.table.check import ANY_GM, AnyCheck
from rules.table.checks.access import find_check, may_answer
from rules.table.checks.check_events import events_for
from rules.table.checks.engine import change_holds, moved_on_error
from rules.table.checks.stages import can_hold
from rules.table.checks.standing_orders import is_absent
from rules.table.lookup import acting_character, find_known, playable_characters
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, known_name, require_gm
from rules.table.state import TableState
from rules.table.system import Game, is_npc


def hold_check(state: TableState, action: HoldCheck, game: Game) -> Outcome:
    """Have a check wait for a player's say before it stands, or with `back` no longer.

    Raises:
        NotFound("unknown-check"): the actor can't see the check.
        NotPermitted("owner-only"): the actor can't answer for the character.
        NotPermitted("gm-only"): only a GM may end the wait for the character.
        Impossible("nothing-to-hold"): the check is open, but can't be held.
        Outdated("check-moved-on"): the check is over.
        Impossible("held-already"): the check waits for the character already.
        Impossible("not-held"): the check doesn't wait for the character.
        Impossible("held-while-away"): the character's player is away.
    """
    check = find_check(game, action.check)
    if action.back:
        held_for, who = _without_holds(game, check, action.character)
        said = Text("answer-let-it-stand" if who == ANY_GM else "answer-no-more-say")
    else:
        who = _holding_character(game, check, action)
        held_for, said = (*check.held_for, who), Text("answer-wait-for-me")
    made = change_holds(game, check, held_for, who, said)
    return Outcome(made.state, events_for(state, made))


def holding_characters(game: Game, check: AnyCheck) -> tuple[str, ...]:
    """Return the characters for which the actor may press *Wait for me* now."""
    if not can_hold(game, check):
        return ()
    mine = [character.id for character in playable_characters(game.state, game.actor)]
    return tuple([who for who in mine if _may_hold(game, check, who)])


def held_characters(game: Game, check: AnyCheck) -> tuple[str, ...]:
    """Return the characters that a check waits for, and whose say the actor may give up."""
    if not check.is_open:
        return ()
    return tuple([who for who in check.held_for if _answers(game, who)])


def _answers(game: Game, who: str) -> bool:
    return may_answer(game.state, game.actor, who, game.at)


def _may_hold(game: Game, check: AnyCheck, who: str) -> bool:
    if is_npc(game, who) or is_absent(game.state, who, game.at):
        return False
    return who not in check.held_for and _answers(game, who)


def _holding_character(game: Game, check: AnyCheck, action: HoldCheck) -> str:
    """Return the id of the character to wait for. Raises as `hold_check`."""
    if not can_hold(game, check):
        if not check.is_open:
            raise moved_on_error(game, check, "")
        raise Impossible("nothing-to-hold", check=check.id)
    able = holding_characters(game, check)
    if action.character is None:
        active = game.state.person(game.actor.id).active
        if active is not None and active in able:
            return active
        if len(able) == 1:
            return able[0]
        character = acting_character(game.state, game.actor, None, action.place)
    else:
        character = find_known(game.state, game.actor, action.character, "character")
    if character.id in check.held_for:
        raise Impossible("held-already", check=check.id)
    if character.id not in able:
        if _answers(game, character.id) and is_absent(game.state, character.id, game.at):
            raise Impossible("held-while-away", owner=character.owner)
        name = known_name(game.state, game.actor, character)
        raise NotPermitted("owner-only", character=name, owner=character.owner)
    return character.id


def _without_holds(
    game: Game, check: AnyCheck, character: str | None
) -> tuple[tuple[str, ...], str]:
    """Return the characters that a check still waits for, and the one whose say is given up.

    The latter is `ANY_GM` if a GM ends the wait for all. Raises as `hold_check`.
    """
    if not check.is_open:
        raise moved_on_error(game, check, "")
    mine = held_characters(game, check)
    if character is not None:
        who = find_known(game.state, game.actor, character, "character").id
        if who in check.held_for and who not in mine:
            require_gm(game.state, game.actor)
    elif is_gm(game.state, game.actor) and check.held_for:
        return (), ANY_GM
    else:
        who = mine[0] if mine else ""
    if who not in check.held_for:
        raise Impossible("not-held", check=check.id)
    return tuple([holder for holder in check.held_for if holder != who]), who
