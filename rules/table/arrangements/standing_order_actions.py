"""Actions on arrangements: standing orders, words left for a character, and stand-ins."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from rules.core.errors import Impossible, InvalidInput, NotPermitted
from rules.table.absence import delegates, orders_of
from rules.table.actions import (
    AskForNpc,
    AskMe,
    Delegate,
    OnCharacter,
    SetOrder,
    SetWords,
    TakeBackOrder,
)
from rules.table.blocks import Text, Value
from rules.table.check import Delegation, Order
from rules.table.checks.check_actions import call_for_absent, refresh_checks
from rules.table.checks.standing_orders import (
    MAX_ORDERS,
    add_order,
    asked_moments,
    ordered_option,
    with_orders,
)
from rules.table.events import GMS, Audience, Event, Notice
from rules.table.forms.typed_texts import one_line
from rules.table.lookup import acting_character, find_known
from rules.table.outcome import Outcome
from rules.table.permissions import require_owner
from rules.table.resources import points_label
from rules.table.state import AnyCharacter, TableState
from rules.table.system import Game

#: Longest words for a character, in characters.
WORDS_MAX: Final = 300


def _own(state: TableState, action: OnCharacter) -> AnyCharacter:
    """Return whose orders an action changes: the actor's own, or for a GM also an NPC's.

    Raises as `acting_character`, `find_known`.
    """
    if action.character is None:
        return acting_character(state, action.who, None, action.place)
    character = find_known(state, action.who, action.character, "character")
    require_owner(state, action.who, character)
    return character


def standing_order_text(game: Game, order: Order) -> Text:
    """Return a standing order in words."""
    option = ordered_option(game, order)
    told: dict[str, Value] = {
        "kind": order.kind,
        "prompt": order.prompt,
        "label": option and option.label,
    }
    if option is not None and option.form is not None:
        told["with"] = option.form.write_words(order.values)
    kept = (
        {} if order.keep is None else {"kept": points_label(order.keep[0]), "amount": order.keep[1]}
    )
    return Text("standing-order", {**told, **kept, "asks": order.otherwise is None})


def _arrangement_notice(
    what: str, action: OnCharacter | AskForNpc, character: AnyCharacter, **params: Value
) -> Notice:
    """Return the notice to the character's player, or to the GMs for an NPC."""
    audience = GMS if character.owner is None else Audience(people=(action.who.id,))
    params["name"] = character.name
    return Notice(what, params, audience=audience, by=action.who.id, characters=(character.id,))


def arrangement_outcome(
    game: Game, state: TableState, who: Collection[str], event: Event
) -> Outcome:
    """Return the table with an arrangement, after open checks have applied it."""
    after, events = refresh_checks(game.with_state(state), who)
    return Outcome(after.state, (event, *events))


def set_order(state: TableState, action: SetOrder, game: Game) -> Outcome:
    """Give a standing order. Raises as `add_order`."""
    character = _own(state, action)
    keep = (action.keep, action.keep_amount) if action.keep else None
    order = Order(action.prompt, action.option, action.values, keep, action.otherwise, action.kind)
    event = _arrangement_notice(
        "arranged-ordered", action, character, order=standing_order_text(game, order)
    )
    return arrangement_outcome(game, add_order(game, character.id, order), (character.id,), event)


def take_back_order(state: TableState, action: TakeBackOrder, game: Game) -> Outcome:
    """Take a standing order back. Raises InvalidInput("nothing-arranged")."""
    character = _own(state, action)
    now, prompt, kind = orders_of(state, character.id), action.prompt, action.kind
    left = tuple([each for each in now.given if (each.prompt, each.kind) != (prompt, kind)])
    if len(left) == len(now.given):
        raise InvalidInput("nothing-arranged", field="prompt", value=prompt[:60])
    event = _arrangement_notice("arranged-order-taken-back", action, character, of=kind or prompt)
    return Outcome(with_orders(state, character.id, now.replace(given=left)), (event,))


def ask_for_npc(state: TableState, action: AskForNpc, game: Game) -> Outcome:
    """Have the GMs asked for an NPC, or have it pass by itself as NPCs do.

    Raises InvalidInput("nothing-arranged"), NotPermitted("owner-only"), and as `find_known`.
    """
    npc = find_known(state, action.who, action.npc, "npc")
    if npc.owner is not None:
        raise NotPermitted("owner-only", character=npc.name, owner=npc.owner)
    now = orders_of(state, npc.id)
    if now.ask == action.ask:
        raise InvalidInput("nothing-arranged", field="ask", value=None)
    event = _arrangement_notice("arranged-asks" if action.ask else "arranged-passes", action, npc)
    return arrangement_outcome(
        game, with_orders(state, npc.id, now.replace(ask=action.ask)), (npc.id,), event
    )


def ask_me(state: TableState, action: AskMe, game: Game) -> Outcome:
    """Have a player asked before results stand, and at the start of each round, or no longer.

    All participants are told. Raises Impossible("never-asks-results", "never-asks-rounds") if these
    rules have no such moment, InvalidInput("nothing-arranged"), NotPermitted("owner-only") for an
    NPC, and as `_own`.
    """
    character = _own(state, action)
    if character.owner is None:
        raise NotPermitted("owner-only", character=character.name, owner=None)
    now = orders_of(state, character.id)
    moments = asked_moments(game)
    if action.results and "ask_results" not in moments:
        raise Impossible("never-asks-results", name=game.system.name)
    if action.rounds and "ask_rounds" not in moments:
        raise Impossible("never-asks-rounds", name=game.system.name)
    changed = now.replace(
        ask_results=now.ask_results if action.results is None else action.results,
        ask_rounds=now.ask_rounds if action.rounds is None else action.rounds,
    )
    if changed == now:
        raise InvalidInput("nothing-arranged", field="results", value=None)
    told = {
        "name": character.name,
        "results": changed.ask_results,
        "rounds": changed.ask_rounds,
    }
    event = Notice("arranged-ask-me", told, by=action.who.id, characters=(character.id,))
    return arrangement_outcome(
        game, with_orders(state, character.id, changed), (character.id,), event
    )


def with_others_called(game: Game, outcome: Outcome, mine: Collection[str]) -> Outcome:
    """Return an outcome in which others are called for what waits for these characters."""
    after, events = call_for_absent(game.with_state(outcome.state), mine)
    return Outcome(after.state, (*outcome.events, *events))


def set_words(state: TableState, action: SetWords, game: Game) -> Outcome:
    """Leave word what a character should do while its player is away, or with no text take it back.

    Raises InvalidInput("nothing-arranged") if nothing changes, NotPermitted("owner-only") for an
    NPC, and as `_own` and `one_line`.
    """
    character = _own(state, action)
    if character.owner is None:
        raise NotPermitted("owner-only", character=character.name, owner=None)
    words = one_line("words", action.words, WORDS_MAX)
    now = orders_of(state, character.id)
    if words == now.words:
        raise InvalidInput("nothing-arranged", field="words", value=None)
    what = "arranged-words" if words else "arranged-words-taken-back"
    event = _arrangement_notice(what, action, character).replace(note=words)
    return Outcome(with_orders(state, character.id, now.replace(words=words)), (event,))


def delegate(state: TableState, action: Delegate, game: Game) -> Outcome:
    """Let another participant answer for the actor's character, or no longer.

    Raises InvalidInput("already-theirs") for the owner, ("bad-until"), ("nothing-arranged"),
    Impossible("too-many-orders"), and as `_own`.
    """
    character = _own(state, action)
    if character.owner is None or action.to == character.owner:
        raise InvalidInput(
            "already-theirs", field="to", value=None, name=character.name, who=action.to
        )
    if action.until is not None and action.until <= action.at:
        raise InvalidInput("bad-until", field="until", value=None)
    now = orders_of(state, character.id)
    still = delegates(state, character.id, action.at)
    others = tuple(
        [
            delegation
            for delegation in now.delegated
            if delegation.to != action.to and delegation.to in still
        ]
    )
    if action.back and all(delegation.to != action.to for delegation in now.delegated):
        raise InvalidInput("nothing-arranged", field="to", value=None)
    if len(others) >= MAX_ORDERS:
        raise Impossible("too-many-orders", most=MAX_ORDERS)
    there = () if action.back else (Delegation(action.to, action.until),)
    what = "arranged-undelegated" if action.back else "arranged-delegated"
    event = _arrangement_notice(what, action, character, to=action.to, until=action.until)
    event = event.replace(audience=Audience(people=(action.who.id, action.to)), ping=(action.to,))
    after = with_orders(state, character.id, now.replace(delegated=(*others, *there)))
    outcome = Outcome(after, (event,))
    if action.back or orders_of(state, character.owner).away is None:
        return outcome
    return with_others_called(game, outcome, (character.id,))
