"""Arrangements of players: standing orders, stand-ins and absence."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.table.absence import NO_ORDERS, is_absent, orders_of
from rules.table.check import (
    ANY_GM,
    ORDERS_PREFIX,
    PASS,
    AnsweredBy,
    AnyCheck,
    Order,
    Orders,
    Prompt,
)
from rules.table.checks.procedure import CheckOption, Stage, orderable_options
from rules.table.forms.fields import FormContext
from rules.table.resources import find_resource
from rules.table.state import AnyCharacter, TableState
from rules.table.system import Game

#: Most standing orders of a character, and most stand-ins.
MAX_ORDERS: Final = 20


def with_orders(state: TableState, who: str, orders: Orders) -> TableState:
    """Return the table with these arrangements for `who`; Orders() takes all of them back."""
    return state.with_own(ORDERS_PREFIX + who, None if orders == NO_ORDERS else orders)


def add_order(game: Game, who: str, order: Order) -> TableState:
    """Return the table with one more order for `who`, in place of the one for the same prompt and
    kind.

    Raises InvalidInput("not-orderable") if no procedure of these rules takes it,
    ("unknown-resource") if there is no such resource to keep, Impossible("too-many-orders"), and as
    `read_json` for its values.
    """
    allowed = {
        (prompt, option.value)
        for kind, prompt, option in orderable_options(game, who)
        if order.kind in ("", kind)
    }
    for option in (order.option, order.otherwise):
        if option not in (None, PASS) and (order.prompt, option) not in allowed:
            fit = tuple(
                sorted({value for prompt, value in allowed if prompt == order.prompt} | {PASS})
            )
            raise InvalidInput("not-orderable", field=order.prompt, value=option, allowed=fit)
    reserves = [resource.key for resource in game.system.resources if resource.reserve]
    if order.keep is not None and order.keep[0] not in reserves:
        names = tuple(reserve.replace("_", " ") for reserve in reserves)
        raise InvalidInput("unknown-resource", field="keep", value=order.keep[0], allowed=names)
    option = ordered_option(game, order)
    if option is not None and option.form is not None:
        option.form.read_json(order.values, FormContext(game, None, who))
    now = orders_of(game.state, who)
    others = [each for each in now.given if (each.prompt, each.kind) != (order.prompt, order.kind)]
    if len(others) >= MAX_ORDERS:
        raise Impossible("too-many-orders", most=MAX_ORDERS)
    return with_orders(game.state, who, now.replace(given=(*others, order)))


def with_plan(state: TableState, who: str, plan: Order | None) -> TableState:
    """Return the table with the answer that a character has planned; None takes it back."""
    return with_orders(state, who, orders_of(state, who).replace(planned=plan))


def without_person(state: TableState, person: str, characters: Collection[str]) -> TableState:
    """Return the table without the arrangements by a participant, for these characters, or for
    the participant to carry out.
    """
    for who in (person, *characters):
        state = with_orders(state, who, NO_ORDERS)
    for key, part in state.own.items():
        if isinstance(part, Orders) and any(
            delegation.to == person for delegation in part.delegated
        ):
            left = tuple([delegation for delegation in part.delegated if delegation.to != person])
            state = with_orders(
                state, key.removeprefix(ORDERS_PREFIX), part.replace(delegated=left)
            )
    return state


def ordered_option(game: Game, order: Order) -> CheckOption | None:
    """Return the option that an order chooses; None for a pass, or if no stage offers it any
    more.
    """
    for kind, prompt, option in orderable_options(game):
        if (prompt, option.value) == (order.prompt, order.option) and order.kind in ("", kind):
            return option
    return None


def asks_for_results(state: TableState) -> bool:
    """Return whether any player wants to be asked before results stand."""
    return any(orders_of(state, who).ask_results for who in state.characters)


def asked_moments(game: Game) -> frozenset[str]:
    """Return which switches of *Ask me* mean something in these rules."""
    found: set[str] = set()
    for procedure in game.system.procedures.values():
        for stage in procedure.stages.values():
            if stage.can_be_asked_for:
                found.add(stage.asked_by)
    return frozenset(found)


def may_pass(prompt: Prompt) -> bool:
    """Return whether a pass answers a prompt."""
    return prompt.wait is not None and prompt.default == PASS


def standing_order_for(
    game: Game, check: AnyCheck, stage: Stage[Any], prompt: Prompt, who: str
) -> Order | None:
    """Return the order that answers for `who`: their own; a pass of an NPC or of an absent player.

    Nobody passes for being away if harm can follow from it, or if others stand in.
    """
    if who == ANY_GM:
        return None
    orders, key = orders_of(game.state, who), prompt.key
    planned = () if orders.planned is None else (orders.planned,)
    for each in (*planned, *orders.given):
        if each.prompt == key and each.kind in ("", check.kind) and _taken(stage, prompt, each):
            return each
    character: AnyCharacter | None = game.state.characters.get(who)
    if character is None or not may_pass(prompt):
        return None
    if character.owner is None:
        return None if orders.ask else _pass(key)
    risks = prompt.harms or prompt.risks
    return _pass(key) if is_absent(game.state, who, game.at) and not risks else None


def how_ordered(state: TableState, who: str, order: Order) -> AnsweredBy:
    """Return how an order answers: as it was given, or because the player is away."""
    character, orders = state.characters.get(who), orders_of(state, who)
    given = character is None or character.owner is None or order in (*orders.given, orders.planned)
    return "order" if given else "away"


@cache
def _pass(key: str) -> Order:
    """Return the order to pass a prompt. Prompts have few keys, so orders are cached."""
    return Order(key)


def _taken(stage: Stage[Any], prompt: Prompt, order: Order) -> bool:
    if order.option == PASS:
        return may_pass(prompt)
    return any(key == order.prompt and option.value == order.option for key, option in stage.orders)


def leaves_reserve(game: Game, order: Order, who: str) -> bool:
    """Return whether enough of a resource is left for an order, after its option was taken."""
    if order.keep is None:
        return True
    key, least = order.keep
    resource = find_resource(game.system.resources, key)
    return resource is not None and resource.of(game.sheet(who)) >= least
