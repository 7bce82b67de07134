"""What somebody has arranged beforehand: standing orders, who answers for them, and being away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from bot.presenters.checks import PASSING, resource_text
from bot.presenters.layout import Body, Gap, Head, Heading, Layout, Piece, Small
from bot.presenters.npc import bare_name
from bot.presenters.scene import Scene
from bot.presenters.text import capital, moment, name_text, user_text
from bot.presenters.words import say, say_bare
from rules.table.checks.check import PASS, Away, Order
from rules.table.checks.orders import orders_of
from rules.table.checks.procedure import Option
from rules.table.events import Arranged
from rules.table.state import AnyCharacter

#: What everybody should know before they give one.
SEEN: Final = "An order answers at once. Others see how quickly it came, and so that there is an order."


def order_text(kind: str, prompt: str, option: Option | None) -> str:
    """`Check, react: Re-roll`, without Markdown; None stands for having nothing to add."""
    where = f"{capital(kind)}, {prompt}" if kind else capital(prompt)
    return f"{where}: {PASSING if option is None else say_bare(option.label)}"


def _given(order: Order, offered: Iterable[tuple[str, str, Option]]) -> str:
    option = next(
        (
            option
            for kind, prompt, option in offered
            if (prompt, option.value) == (order.prompt, order.option) and order.kind in ("", kind)
        ),
        None,
    )
    text = user_text(order_text(order.kind, order.prompt, None if order.option == PASS else option))
    if order.keep is not None:
        key, least = order.keep
        text += f", as long as {least} {user_text(resource_text(key))} are left"
    if order.otherwise is None:
        text += ", else ask"
    return text


def _away(away: Away) -> str:
    until = f" until {moment(away.until)}" if away.until is not None else ""
    note = f": {user_text(away.note)}" if away.note else ""
    return f"You are away{until}{note}. Your characters pass where they may; GMs may answer for them."


def orders_card(
    scene: Scene,
    person: str,
    mine: Sequence[AnyCharacter],
    offered: Sequence[tuple[str, str, Option]],
    *,
    gm: bool,
) -> Layout:
    """Everything that somebody has arranged, character by character."""
    pieces: list[Piece] = [Head("What you have arranged")]
    away = orders_of(scene.state, person).away
    if away is not None:
        pieces.append(Body(_away(away)))
    for each in mine:
        found = orders_of(scene.state, each.id)
        lines = [_given(order, offered) for order in found.given]
        lines += [
            f"{scene.names.mention(one.to)} may answer"
            + (f" until {moment(one.until)}" if one.until is not None else "")
            for one in found.delegated
        ]
        lines += ["GMs are asked instead of passing"] if found.ask else []
        if lines:
            pieces += [Heading(name_text(bare_name(each, gm=gm))), *[Body(f"- {line}") for line in lines]]
    if len(pieces) == 1:
        pieces.append(
            Body("Nothing. `/orders give` gives a standing order, `/delegate` lets somebody answer for you.")
        )
    return Layout("own", (*pieces, Gap(), Small(SEEN)))


def arranged_card(event: Arranged, scene: Scene) -> Layout:
    """What somebody has just arranged."""
    name, by = name_text(event.name), scene.names.mention(event.by)
    until = f" until {moment(event.until)}" if event.until is not None else ""
    small = ""
    if event.step == "ordered":
        label = PASSING if event.label is None else say(event.label)
        head, small = f"{name}: ordered", SEEN
        body = f"{user_text(event.prompt)}: {label}"
    elif event.step == "order-taken-back":
        head, body = f"{name}: order taken back", user_text(event.prompt)
    elif event.step == "asks":
        head, body = f"{name}: GMs are asked", "It passes no more by itself."
    elif event.step == "passes":
        head, body = f"{name} passes by itself", "GMs are not asked where it may pass."
    elif event.step == "away":
        head = "Away"
        body = f"{by} is away{until}. Their characters pass where they may; GMs may answer for them."
        body += f"\n“{user_text(event.note)}”" if event.note else ""
    elif event.step == "back":
        head, body = "Back", f"{by} is back."
    else:
        may = "may answer" if event.step == "delegated" else "no longer answers"
        head, body = f"{name}: who answers", f"{scene.names.mention(event.to)} {may} for {name}{until}."
    pieces: tuple[Piece, ...] = (Head(head), Body(body))
    return Layout(
        "waiting" if event.audience.everyone else "own", (*pieces, *([Small(small)] if small else []))
    )
