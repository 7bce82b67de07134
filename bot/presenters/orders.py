"""What somebody has arranged beforehand: standing orders, who answers for them, and being away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.presenters.cards import card
from bot.presenters.checks import PASSING, resource_text
from bot.presenters.layout import Heading, Layout, Piece
from bot.presenters.npc import bare_name
from bot.presenters.scene import Scene
from bot.presenters.text import Marked, capital, moment, name_text, user_text
from bot.presenters.words import say_bare
from rules.table.checks.check import PASS, Order
from rules.table.checks.orders import orders_of
from rules.table.checks.procedure import Option
from rules.table.events import Arranged
from rules.table.state import AnyCharacter


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
        text += f", keeping at least {least} {user_text(resource_text(key))}"
    if order.otherwise is None:
        text += ", otherwise ask"
    return text


def orders_card(
    scene: Scene,
    person: str,
    mine: Sequence[AnyCharacter],
    offered: Sequence[tuple[str, str, Option]],
    *,
    gm: bool,
) -> Layout:
    """Everything that somebody has arranged, character by character."""
    parts: list[str | Piece] = []
    away = orders_of(scene.state, person).away
    for each in mine:
        found = orders_of(scene.state, each.id)
        lines = [_given(order, offered) for order in found.given]
        lines += [f"{scene.names.mention(one.to)} can answer{_until(one.until)}" for one in found.delegated]
        lines += ["Asks the GMs instead of passing"] if found.ask else []
        if lines:
            parts += [Heading(name_text(bare_name(each, gm=gm))), *[f"- {line}" for line in lines]]
    return card(
        "own",
        "orders",
        None,
        *parts,
        away=away is not None,
        until=None if away is None else Marked(_until(away.until)),
        note="" if away is None else away.note,
        none=away is None and not parts,
    )


def _until(until: int | None) -> str:
    return "" if until is None else f" until {moment(until)}"


def arranged_card(event: Arranged, scene: Scene) -> Layout:
    """What somebody has just arranged."""
    until = Marked(_until(event.until))
    label = event.label or Marked(PASSING)
    accent = "waiting" if event.audience.everyone else "own"
    return card(accent, f"arranged-{event.step}", scene.names, about=event, until=until, label=label)
