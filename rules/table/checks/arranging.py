"""What somebody arranges beforehand: standing orders, being away, and who answers for them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput, NotPermitted
from rules.table.actions import AskForNpc, Delegate, OnCharacter, SetAway, SetOrder, TakeBackOrder
from rules.table.checks.acting import looked_again
from rules.table.checks.check import Away, Delegation, Order
from rules.table.checks.machine import bounded
from rules.table.checks.orders import MOST, given, ordered, orders_of, with_orders
from rules.table.events import EVERYONE, GMS, Arranged, ArrangedStep, Audience, Event
from rules.table.lookup import acting_as, find_known
from rules.table.outcome import Outcome
from rules.table.permissions import require_owner
from rules.table.state import AnyCharacter, TableState
from rules.table.system import Game
from rules.table.texts import one_line

#: Longest word on being away, in characters.
NOTE_MAX: Final = 200


def _own(state: TableState, action: OnCharacter) -> AnyCharacter:
    """Whose orders they are: one's own, for a GM also an NPC's. Raises as `acting_as`, `find_known`."""
    if action.character is None:
        return acting_as(state, action.who, None, action.place)
    character = find_known(state, action.who, action.character, "character")
    require_owner(state, action.who, character)
    return character


def _event(
    action: OnCharacter | AskForNpc, step: ArrangedStep, character: AnyCharacter, **more: Any
) -> Arranged:
    """What its player is told, or of an NPC the GMs; `more` are further fields."""
    audience = GMS if character.owner is None else Audience(people=(action.who.id,))
    about: dict[str, Any] = {"audience": audience, "character": character.id, "name": character.name, **more}
    return Arranged(step=step, by=action.who.id, **about)


def _changed(game: Game, state: TableState, who: Collection[str], event: Event) -> Outcome:
    """The table with what was arranged, and what open checks make of it at once."""
    after, events = looked_again(game.with_(state), who)
    return Outcome(after.state, (event, *events))


def set_order(state: TableState, action: SetOrder, game: Game) -> Outcome:
    """Give a standing order. Raises as `orders.given`, and as `machine.bounded`."""
    character = _own(state, action)
    bounded(action.values)
    keep = (action.keep, action.keep_amount) if action.keep else None
    order = Order(action.prompt, action.option, action.values, keep, action.otherwise, action.kind)
    option = ordered(game, order)
    told = {"prompt": action.prompt, "kind": action.kind, "option": action.option}
    told |= {"label": option and option.label, "keep": keep, "asks": order.otherwise is None}
    event = _event(action, "ordered", character, **told)
    return _changed(game, given(game, character.id, order), (character.id,), event)


def take_back_order(state: TableState, action: TakeBackOrder, game: Game) -> Outcome:
    """Take a standing order back. InvalidInput("nothing-arranged") where there is none."""
    character = _own(state, action)
    now, prompt, kind = orders_of(state, character.id), action.prompt, action.kind
    left = tuple([each for each in now.given if (each.prompt, each.kind) != (prompt, kind)])
    if len(left) == len(now.given):
        raise InvalidInput("nothing-arranged", field="prompt", value=prompt[:60])
    event = _event(action, "order-taken-back", character, prompt=prompt, kind=kind)
    return Outcome(with_orders(state, character.id, now.but(given=left)), (event,))


def ask_for_npc(state: TableState, action: AskForNpc, game: Game) -> Outcome:
    """Have the GMs asked for an NPC, or have it pass by itself as NPCs do. InvalidInput("nothing-arranged")."""
    npc = find_known(state, action.who, action.npc, "npc")
    if npc.owner is not None:
        raise NotPermitted("owner-only", character=npc.name, owner=npc.owner)
    now = orders_of(state, npc.id)
    if now.ask == action.ask:
        raise InvalidInput("nothing-arranged", field="ask", value=None)
    event = _event(action, "asks" if action.ask else "passes", npc)
    return _changed(game, with_orders(state, npc.id, now.but(ask=action.ask)), (npc.id,), event)


def set_away(state: TableState, action: SetAway, game: Game) -> Outcome:
    """Be away, or back: checks go on without one's characters where they may pass, and GMs may answer for them.

    InvalidInput("bad-until") for a time that is over, ("not-away") for who is there, ("already-away") where
    nothing is new.
    """
    who = action.who.id
    now = orders_of(state, who)
    note = one_line("note", action.note, NOTE_MAX)
    if action.back and now.away is None:
        raise InvalidInput("not-away", field="back", value=None)
    if action.until is not None and action.until <= action.at:
        raise InvalidInput("bad-until", field="until", value=None)
    if not action.back and now.away is not None and (now.away.until, now.away.note) == (action.until, note):
        raise InvalidInput("already-away", field="until", value=None)
    away = None if action.back else Away(action.at, action.until, note)
    until, said = (None, "") if away is None else (away.until, note)
    step = "back" if action.back else "away"
    event = Arranged(audience=EVERYONE, step=step, by=who, until=until, note=said)
    mine = [each.id for each in state.characters.values() if each.owner == who]
    return _changed(game, with_orders(state, who, now.but(away=away)), mine, event)


def delegate(state: TableState, action: Delegate, game: Game) -> Outcome:
    """Let somebody answer for one's character, or no more.

    InvalidInput("already-theirs") for oneself, ("bad-until"), ("nothing-arranged"); Impossible("too-many-orders").
    """
    character = _own(state, action)
    if character.owner is None or action.to == character.owner:
        named = {"name": character.name, "who": action.to, "allowed": "another"}
        raise InvalidInput("already-theirs", field="to", value=None, **named)
    if action.until is not None and action.until <= action.at:
        raise InvalidInput("bad-until", field="until", value=None)
    now = orders_of(state, character.id)
    others = tuple([each for each in now.delegated if each.to != action.to])
    if action.back and len(others) == len(now.delegated):
        raise InvalidInput("nothing-arranged", field="to", value=None)
    if len(others) >= MOST:
        raise Impossible("too-many-orders", most=MOST)
    there = () if action.back else (Delegation(action.to, action.until),)
    told = {"audience": Audience(people=(action.who.id, action.to)), "ping": (action.to,), "to": action.to}
    step = "undelegated" if action.back else "delegated"
    event = _event(action, step, character, **told, until=action.until)
    return Outcome(with_orders(state, character.id, now.but(delegated=(*others, *there))), (event,))
