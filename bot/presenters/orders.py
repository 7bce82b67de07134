"""What somebody has arranged beforehand: standing orders, who answers for them, and being away."""

from __future__ import annotations

from collections.abc import Sequence

from bot.presenters.cards import card
from bot.presenters.checks import resource_text
from bot.presenters.controls import Button, Control, Rows
from bot.presenters.layout import Heading, Layout, Piece
from bot.presenters.limits import menu
from bot.presenters.npc import bare_name
from bot.presenters.scene import Scene
from bot.presenters.text import Marked, capital, moment, name_text, user_text
from bot.presenters.words import say_bare
from rules.registry import look
from rules.table.checks.check import PASS, Order
from rules.table.checks.orders import ordered, orders_of
from rules.table.checks.procedure import orderable, passable
from rules.table.events import Arranged, Line
from rules.table.state import AnyCharacter
from rules.table.system import Game


def order_text(kind: str, prompt: str, label: Line | None) -> str:
    """`Check: Re-roll`, without Markdown; None stands for having nothing to add: `Never react`."""
    if label is None:
        return capital(f"{f'{kind}: ' if kind else ''}{say_bare(Line('order-never', {'what': prompt}))}")
    return f"{capital(kind or prompt)}: {say_bare(label)}"


def _terms(keep: tuple[str, int] | None, *, asks: bool) -> str:
    kept = "" if keep is None else f", keeping {user_text(resource_text(keep[0]))} at {keep[1]} or more"
    return f"{kept}{', otherwise ask' if asks else ''}"


def _given(game: Game, order: Order) -> str:
    option = ordered(game, order)
    text = user_text(order_text(order.kind, order.prompt, option and option.label))
    return text + _terms(order.keep, asks=order.otherwise is None)


def orders_card(scene: Scene, person: str, mine: Sequence[AnyCharacter], *, gm: bool) -> Layout:
    """Everything that somebody has arranged, character by character, with menus for more and less of it.

    `sg:order:<table>:<give|take>` are the menus, whose entries are `<character>/<order>` as commands write it;
    `sg:order:<table>:<away|back>` says that they are away, or not.
    """
    parts: list[str | Piece] = []
    giving: list[tuple[str, str]] = []
    taking: list[tuple[str, str]] = []
    away = orders_of(scene.state, person).away
    game = look(scene.state)
    there = orders_offered(game)
    for each in mine:
        found = orders_of(scene.state, each.id)
        whose = f"{bare_name(each, gm=gm)}: " if len(mine) > 1 else ""
        given = {order_key(order.kind, order.prompt, order.option): order for order in found.given}
        giving += [(f"{each.id}/{key}", whose + text) for key, text in there.items() if key not in given]
        taking += [(f"{each.id}/{key}", whose + _given(game, order)) for key, order in given.items()]
        lines = [_given(game, order) for order in found.given]
        lines += [f"{scene.names.mention(one.to)} can answer{_until(one.until)}" for one in found.delegated]
        lines += ["Asks the GMs instead of passing"] if found.ask else []
        if lines:
            parts += [Heading(name_text(bare_name(each, gm=gm))), *[f"- {line}" for line in lines]]
    base, rows = f"sg:order:{scene.table_id}", list[tuple[Control, ...]]()
    for verb, label, entries in (("give", "Add", giving), ("take", "Remove", taking)):
        if entries:
            rows.append((menu(f"{base}:{verb}", f"{label} a standing order", entries),))
    rows.append((Button(f"{base}:back", "I'm back") if away else Button(f"{base}:away", "I'm away"),))
    return card(
        "own",
        "orders",
        None,
        *parts,
        rows=tuple(rows),
        away=away is not None,
        until=None if away is None else Marked(_until(away.until)),
        note="" if away is None else away.note,
        none=away is None and not parts,
        playing=any(each.owner is not None for each in mine),
        gm=gm,
    )


def orders_offered(game: Game) -> dict[str, str]:
    """What may be ordered here, by key, and to have nothing to add wherever something may be."""
    found = {order_key("", prompt, PASS): order_text("", prompt, None) for prompt in passable(game)}
    for kind, prompt, option in orderable(game):
        found[order_key(kind, prompt, option.value)] = order_text(kind, prompt, option.label)
        found.setdefault(order_key(kind, prompt, PASS), order_text(kind, prompt, None))
    return found


def order_key(kind: str, prompt: str, option: str) -> str:
    """How an order is written as one word."""
    return f"{kind}/{prompt}/{option}"


def _until(until: int | None) -> str:
    return "" if until is None else f" until {moment(until)}"


def arranged_card(event: Arranged, scene: Scene) -> Layout:
    until, terms = Marked(_until(event.until)), Marked(_terms(event.keep, asks=event.asks))
    what = event.prompt and order_text(event.kind, event.prompt, event.label)
    accent = "waiting" if event.audience.everyone else "own"
    rows: Rows = ()
    if event.step == "away":  # only whoever is away is back with it
        rows = ((Button(f"sg:order:{scene.table_id}:back", "I'm back"),),)
    said = {"until": until, "what": what, "of": event.kind or event.prompt, "terms": terms}
    return card(accent, f"arranged-{event.step}", scene.names, about=event, rows=rows, **said)
