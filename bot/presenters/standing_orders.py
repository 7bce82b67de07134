"""Arrangements of players: standing orders, stand-ins, and absences."""

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
from rules.table.arrangements.standing_order_actions import standing_order_text
from rules.table.blocks import Text
from rules.table.check import PASS, Order
from rules.table.checks.procedure import orderable_options, passable_prompts
from rules.table.permissions import is_gm
from rules.table.state import AnyCharacter
from rules.table.system import Game


def order_text(kind: str, prompt: str, label: Text | None) -> str:
    """Return a standing order without Markdown: `Check: Re-roll`; None passes: `Never react`."""
    return say_bare(Text("standing-order", {"kind": kind, "prompt": prompt, "label": label}))


def orders_card(scene: Scene, game: Game, own: Sequence[AnyCharacter], *, gm: bool) -> Layout:
    """Return the present arrangements of the reader's `own` characters, with menus to change them.

    `sg:order:<table>:<give|take>` are the menus, whose entries are `<character>/<order>` as
    commands write it; `sg:order:<table>:<away|back>` begins and ends an absence.
    """
    parts: list[str | Piece] = []
    giving: list[tuple[str, str]] = []
    taking: list[tuple[str, str]] = []
    person = game.actor.id
    away = orders_of(game.state, person).away if is_away(game.state, person, game.at) else None
    for character in own:
        whose = f"{bare_name(character, gm=gm)}: " if len(own) > 1 else ""
        present = {
            order_key(order.kind, order.prompt, order.option): order
            for order in orders_of(scene.state, character.id).given
        }
        for key, text in order_choices(game, character.id, filled=False).items():
            if key not in present:
                giving.append((f"{character.id}/{key}", whose + text))
        for key, order in present.items():
            text = say_bare(standing_order_text(game, order))
            taking.append((f"{character.id}/{key}", whose + text))
        lines = _arrangement_lines(scene, game, character)
        if lines:
            parts.append(Heading(name_text(bare_name(character, gm=gm))))
            parts += [f"- {line}" for line in lines]
    base, rows = f"sg:order:{scene.table_id}", list[tuple[Control, ...]]()
    for verb, label, entries in (
        ("give", label_text("order-add"), giving),
        ("take", label_text("order-remove"), taking),
    ):
        if entries:
            rows.append((menu(f"{base}:{verb}", label, entries),))
    if away:
        rows.append((back_button(scene.table_id),))
    else:
        rows.append((Button(f"{base}:away", label_text("order-away")),))
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
        playing=any(character.owner is not None for character in own),
        gm=gm,
    )


def _arrangement_lines(scene: Scene, game: Game, character: AnyCharacter) -> list[str]:
    """Return a line for each standing order, stand-in and wish to be asked of a character."""
    orders = orders_of(scene.state, character.id)
    lines = [say(standing_order_text(game, order)) for order in orders.given]
    present = delegates(game.state, character.id, game.at)
    for delegation in orders.delegated:
        if delegation.to in present:
            who = Markdown(scene.names.mention(delegation.to))
            until = Markdown(_until_text(delegation.until))
            lines.append(say(Text("order-stand-in", {"who": who, "until": until})))
    if orders.words and character.owner == game.actor.id:
        lines.append(say(Text("order-words", {"words": orders.words})))
    if orders.ask:
        lines.append(say(Text("order-asks-gms")))
    if character.owner is not None and (orders.ask_results or orders.ask_rounds):
        about = {"results": orders.ask_results, "rounds": orders.ask_rounds}
        lines.append(sentence(say(Text("asks-to-be-asked", about))))
    return lines


def away_notes(scene: Scene, game: Game, who: Iterable[str]) -> tuple[Piece, ...]:
    """Return the notes of absent players, for the reader who acts for these characters.

    GMs also read the words that the players left for the characters.
    """
    state = game.state
    keys = [key for key in dict.fromkeys(who) if key in state.characters]
    characters = [state.characters[key] for key in keys]
    owners = dict.fromkeys(character.owner for character in characters)
    pieces: list[Piece] = []
    for owner in owners:
        if not owner or owner == game.actor.id or not is_away(state, owner, game.at):
            continue
        absence = orders_of(state, owner).away
        if absence is not None and absence.note:
            pieces.append(Body(phrase("away-left", scene.names, by=owner, note=absence.note)))
    if is_gm(state, game.actor):
        pieces += _words_pieces(scene, game, characters)
    return tuple(pieces)


def _words_pieces(scene: Scene, game: Game, characters: Iterable[AnyCharacter]) -> list[Piece]:
    """Return the words that absent players left for these characters, for a GM."""
    pieces: list[Piece] = []
    for character in characters:
        owner, words = character.owner, orders_of(game.state, character.id).words
        if not words or owner is None or owner == game.actor.id:
            continue
        if is_away(game.state, owner, game.at):
            said = {"by": owner, "name": character.name, "note": words}
            pieces.append(Body(phrase("words-for", scene.names, **said)))
    return pieces


def order_change_text(game: Game, kind: str, prompt: str, option: str, *, added: bool) -> str:
    """Return what was changed about the standing orders; a removed order has no option."""
    if not added:
        of = kind or prompt
        return phrase("order-unsaid", of=of)
    order = standing_order_text(game, Order(prompt, option, kind=kind))
    return phrase("order-said", order=order)


def order_choices(game: Game, who: str | None = None, *, filled: bool = True) -> dict[str, str]:
    """Return the possible standing orders by key, with passing wherever that is allowed.

    `filled`: also options that need values. `who`: only what this character could ever do.
    """
    choices: dict[str, str] = {}
    for prompt in passable_prompts(game):
        choices[order_key("", prompt, PASS)] = order_text("", prompt, None)
    for kind, prompt, option in orderable_options(game, who):
        if filled or option.form is None:
            choices[order_key(kind, prompt, option.value)] = order_text(kind, prompt, option.label)
        choices.setdefault(order_key(kind, prompt, PASS), order_text(kind, prompt, None))
    return choices


def order_key(kind: str, prompt: str, option: str) -> str:
    """Return a standing order as one word."""
    return f"{kind}/{prompt}/{option}"


def _until_text(until: int | None) -> str:
    return "" if until is None else f" until {timestamp_text(until, 'f')}"
