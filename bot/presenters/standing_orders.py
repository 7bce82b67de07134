"""What somebody has arranged beforehand: standing orders, who answers for them, and being away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.presenters.catalog_cards import card
from bot.presenters.control_limits import menu
from bot.presenters.controls import Button, Control, back_button
from bot.presenters.language.text import (
    Markdown,
    name_text,
    sentence,
    timestamp_text,
)
from bot.presenters.language.words import label_text, phrase, say, say_bare
from bot.presenters.layout import Body, Heading, Layout, Piece
from bot.presenters.npc import bare_name
from bot.presenters.scene import Scene
from rules.table.absence import delegates, is_away, orders_of
from rules.table.blocks import Text
from rules.table.check import PASS
from rules.table.checks.procedure import orderable_options, passable_prompts
from rules.table.checks.standing_order_actions import standing_order_text
from rules.table.state import AnyCharacter
from rules.table.system import Game


def order_text(kind: str, prompt: str, label: Text | None) -> str:
    """`Check: Re-roll`, without Markdown; None stands for having nothing to add: `Never react`."""
    return say_bare(Text("standing-order", {"kind": kind, "prompt": prompt, "label": label}))


def orders_card(scene: Scene, game: Game, mine: Sequence[AnyCharacter], *, gm: bool) -> Layout:
    """Everything that whoever looks has arranged and holds now, character by character, with menus
    for more and less.

    `sg:order:<table>:<give|take>` are the menus, whose entries are `<character>/<order>` as
    commands write it; `sg:order:<table>:<away|back>` says that they are away, or not.
    """
    parts: list[str | Piece] = []
    giving: list[tuple[str, str]] = []
    taking: list[tuple[str, str]] = []
    person = game.actor.id
    away = orders_of(game.state, person).away if is_away(game.state, person, game.at) else None
    for each in mine:
        there = order_choices(game, each.id, filled=False)
        found = orders_of(scene.state, each.id)
        whose = f"{bare_name(each, gm=gm)}: " if len(mine) > 1 else ""
        given = {order_key(order.kind, order.prompt, order.option): order for order in found.given}
        giving += [
            (f"{each.id}/{key}", whose + text) for key, text in there.items() if key not in given
        ]
        taking += [
            (f"{each.id}/{key}", whose + say_bare(standing_order_text(game, order)))
            for key, order in given.items()
        ]
        lines = [say(standing_order_text(game, order)) for order in found.given]
        able = [one for one in found.delegated if one.to in delegates(game.state, each.id, game.at)]
        lines += [
            say(
                Text(
                    "order-stand-in",
                    {
                        "who": Markdown(scene.names.mention(one.to)),
                        "until": Markdown(_until_text(one.until)),
                    },
                )
            )
            for one in able
        ]
        lines += [say(Text("order-asks-gms"))] if found.ask else []
        if each.owner is not None and (found.ask_results or found.ask_rounds):
            told = {"results": found.ask_results, "rounds": found.ask_rounds}
            lines.append(sentence(say(Text("asks-to-be-asked", told))))
        if lines:
            parts += [Heading(name_text(bare_name(each, gm=gm))), *[f"- {line}" for line in lines]]
    base, rows = f"sg:order:{scene.table_id}", list[tuple[Control, ...]]()
    for verb, label, entries in (
        ("give", label_text("order-add"), giving),
        ("take", label_text("order-remove"), taking),
    ):
        if entries:
            rows.append((menu(f"{base}:{verb}", label, entries),))
    rows.append(
        (back_button(scene.table_id) if away else Button(f"{base}:away", label_text("order-away")),)
    )
    return card(
        "own",
        "orders",
        None,
        *parts,
        rows=tuple(rows),
        away=away is not None,
        until=None if away is None else away.until,
        note="" if away is None else away.note,
        none=away is None and not parts,
        playing=any(each.owner is not None for each in mine),
        gm=gm,
    )


def away_notes(scene: Scene, game: Game, who: Iterable[str]) -> tuple[Piece, ...]:
    """What players said as they went away, for whoever acts for these characters of theirs."""
    state = game.state
    owners = dict.fromkeys(
        [state.characters[each].owner for each in who if each in state.characters]
    )
    away = [
        each for each in owners if each and each != game.actor.id and is_away(state, each, game.at)
    ]
    said = {each: found.note for each in away if (found := orders_of(state, each).away) is not None}
    pieces = [
        Body(phrase("away-left", scene.names, by=each, note=note))
        for each, note in said.items()
        if note
    ]
    return tuple(pieces)


def order_choices(game: Game, who: str | None = None, *, filled: bool = True) -> dict[str, str]:
    """Return the possible standing orders by key, with passing wherever that is allowed.

    `filled`: also options that need values. `who`: only what this character could ever do.
    """
    found = {
        order_key("", prompt, PASS): order_text("", prompt, None)
        for prompt in passable_prompts(game)
    }
    for kind, prompt, option in orderable_options(game, who):
        if filled or option.form is None:
            found[order_key(kind, prompt, option.value)] = order_text(kind, prompt, option.label)
        found.setdefault(order_key(kind, prompt, PASS), order_text(kind, prompt, None))
    return found


def order_key(kind: str, prompt: str, option: str) -> str:
    """How an order is written as one word."""
    return f"{kind}/{prompt}/{option}"


def _until_text(until: int | None) -> str:
    return "" if until is None else f" until {timestamp_text(until, 'f')}"
