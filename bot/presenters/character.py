"""Cards about characters: the sheet, who is there, and what happens to somebody."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from bot.presenters.blocks import lines_of, pieces_of
from bot.presenters.controls import Attachment, Button, Rows
from bot.presenters.layout import (
    Beside,
    Body,
    Gap,
    Head,
    Heading,
    Layout,
    Piece,
    Portrait,
    Quoted,
    Small,
    laid,
    rows_of,
)
from bot.presenters.limits import BODY, CONTENT, clip, pages
from bot.presenters.names import gm_mentions, people_mentions
from bot.presenters.npc import bare_name, health_text, sheet_top, shown_name, stage_text
from bot.presenters.people import Names
from bot.presenters.text import listing, name_text, quoted_text, sentence, user_text
from bot.presenters.words import say
from rules.table.blocks import Block
from rules.table.events import CharacterChanged, CharacterChosen, CharacterImported
from rules.table.state import AnyCharacter, TableState

if TYPE_CHECKING:
    from bot.presenters.scene import Scene

_UNSAFE = re.compile(r"[^a-z0-9]+")
_WAITS: Final = "Waits for a GM: until then nobody can act as this character."
_RETIRED: Final = "Retired: out of play until `/character retire` with `back`."


def character_text(name: str) -> str:
    """A character's name in a sentence."""
    return name_text(name)


def owner_text(character: AnyCharacter, names: Names) -> str:
    """Whose character it is."""
    return "the GMs" if character.owner is None else names.mention(character.owner)


# --- the sheet --------------------------------------------------------------------------------------------


def _approval(table_id: int, character: str, *, sheet: bool = True) -> Rows:
    """What a GM can do with a new character."""
    base = f"sg:appr:{table_id}:{character}"
    buttons = [
        Button(f"{base}:ok", "Approve", "success"),
        Button(f"{base}:back", "Send back…", "danger"),
    ]
    if sheet:
        buttons.insert(0, Button(f"{base}:show", "Look at the sheet", "primary"))
    return (tuple(buttons),)


def character_card(
    character: AnyCharacter, blocks: Sequence[Block], names: Names, *, table_id: int | None = None
) -> Layout:
    """A sheet for its player and the GMs. With `table_id` a GM gets the buttons for one that waits."""
    whose = "An NPC." if character.owner is None else f"Played by {names.mention(character.owner)}."
    pieces = sheet_top(
        character_text(character.name),
        character.portrait,
        ["" if character.approved else _WAITS, _RETIRED if character.retired else ""],
    )
    if character.sent_back:
        pieces += [Body("The GM wants this mended first:"), Quoted(quoted_text(character.sent_back))]
    pieces += pieces_of(blocks)
    if character.notes:
        pieces += [Heading("Notes"), Body(user_text(character.notes, lines=True))]
    pieces += [Gap(), Small(f"{whose} · {character.id}")]
    waits = table_id is not None and not character.approved and not character.retired
    rows = _approval(table_id, character.id, sheet=False) if waits and table_id is not None else ()
    return Layout("own", (*pieces, *rows_of(rows)))


def sheet_shown(blocks: Sequence[Block], portrait: str = "") -> tuple[Piece, ...]:
    """As much of a sheet as one message holds: a panel stays one."""
    texts = pages(lines_of(blocks), BODY - 600) or [""]
    text = texts[0] + ("\n…" if texts[1:] else "")
    return (Beside(text, Portrait(portrait)) if portrait else Body(text),)


def export_card(character: AnyCharacter, data: dict[str, object]) -> Layout:
    """The character as a file that can be imported."""
    name = _UNSAFE.sub("-", character.name.casefold()).strip("-") or "character"
    text = json.dumps(data, ensure_ascii=False, indent=2) + "\n"
    return laid(
        "own",
        f"{character_text(character.name)} as a file",
        "`/character import` brings it in again; somebody who has grown needs `grown` at another table.",
        attachment=Attachment(f"{name[:60]}.json", text.encode("utf-8", "replace")),
    )


# --- who is there -----------------------------------------------------------------------------------------


def character_lines(state: TableState, names: Names, *, who: str, gm: bool, active: str | None) -> list[str]:
    """Characters with their players. Those out of play or not let in are only for who may know.

    Of NPCs, players see whom they know, by the name they know, and how they are.
    """
    lines: list[str] = []
    for each in sorted(state.characters.values(), key=lambda each: bare_name(each, gm=gm).casefold()):
        known = gm or each.owner == who
        if not known and (each.stage == "off" or each.retired or not each.approved):
            continue
        line = f"- {shown_name(each, gm=gm)} ({owner_text(each, names)})"
        if each.owner is None:
            facts = [stage_text(each)] if gm else []
            line += f": {'; '.join([*facts, health_text(state, each, gm=gm)])}"
        if each.retired:
            line += ": retired"
        elif not each.approved:
            line += ": sent back by the GM" if each.sent_back else ": waits for the GM"
        elif each.id == active:
            line += f"{':' if each.owner else ';'} the one you act as"
        lines.append(line)
    return lines or ["- Nobody yet. `/character create` makes a character, `/character import` reads one."]


def characters_card(state: TableState, names: Names, *, who: str, gm: bool) -> Layout:
    """Who is at the table, for /character list; `who` is the participant that asks."""
    lines = character_lines(state, names, who=who, gm=gm, active=state.person(who).active)
    return laid("own", "Characters at this table", *lines)


# --- events -----------------------------------------------------------------------------------------------


def imported_card(event: CharacterImported, names: Names) -> Layout:
    """A character has come to the table, or has a new sheet."""
    name = character_text(event.name)
    whose = "an NPC" if event.owner is None else f"the character of {names.mention(event.owner)}"
    if event.replaced:
        body = f"The sheet of {name} was replaced by the one imported now. {name} is {whose}."
    else:
        body = f"{name} is at this table now: {whose}."
    return laid("good", f"{name} · {'new sheet' if event.replaced else 'new at this table'}", body)


def chosen_card(event: CharacterChosen) -> Layout:
    """Whom a participant acts as."""
    name = character_text(event.name)
    return laid("own", f"You act as {name}", f"Commands without the option `as` are for {name} from now on.")


def _calling(card: Layout, event: CharacterChanged, scene: Scene) -> Layout:
    """The card with a line that calls whom the event calls."""
    settings = scene.state.settings
    if event.ping_gms:
        called = gm_mentions(scene.names, settings.gms, settings.gm_roles)
    elif event.ping:
        called = people_mentions(scene.names, event.ping)
    else:
        return card
    head = next(each.text for each in card.pieces if isinstance(each, Head))
    call = clip(f"{called.text}: {head}", CONTENT)
    return replace(card, call=call, mentions=called.users, role_mentions=called.roles)


def _points(event: CharacterChanged) -> list[str]:
    return [f"- {sentence(say(line))}" for line in event.lines]


def created_card(event: CharacterChanged, scene: Scene) -> Layout:
    """A new character waits: for the GMs with what they can do, for its player without."""
    name = character_text(event.name)
    if event.audience.gms:
        player = "somebody" if event.owner is None else scene.names.mention(event.owner)
        card = laid(
            "gm",
            f"{name} would like to join",
            f"{player} brings {name}. Until a GM approves, nobody can act as {name}.",
            rows=_approval(scene.table_id, event.character),
        )
        return _calling(card, event, scene)
    return laid(
        "waiting",
        f"{name} waits for the GM",
        f"A GM looks at {name} first; you are told what comes of it. "
        f"Until then nobody can act as {name}, and `/character edit` changes anything on the sheet.",
    )


def approved_card(event: CharacterChanged, scene: Scene) -> Layout:
    """A new character is let in."""
    name = character_text(event.name)
    owner = "" if event.owner is None else f": the character of {scene.names.mention(event.owner)}"
    told = f"The GM has let {name} in. {name} is at this table now{owner}."
    return _calling(laid("good", f"{name} is in", told, *_quoted(event.note)), event, scene)


def _quoted(note: str) -> tuple[Quoted, ...]:
    return (Quoted(quoted_text(note)),) if note else ()


def sent_back_card(event: CharacterChanged, scene: Scene) -> Layout:
    """A new character has to be mended first."""
    name = character_text(event.name)
    player = "Its player" if event.owner is None else scene.names.mention(event.owner)
    card = laid(
        "waiting",
        f"{name} is sent back",
        f"The GM wants something mended before {name} comes in:",
        *_quoted(event.note),
        f"{player} can change the sheet with `/character edit` and send it again.",
    )
    return _calling(card, event, scene)


def edited_card(event: CharacterChanged, scene: Scene) -> Layout:
    """Texts of a sheet have changed."""
    changed = listing(map(say, event.lines)) or "nothing"
    told = f"{scene.names.mention(event.by)} changed: {changed}."
    return laid("waiting", f"{character_text(event.name)} · sheet changed", told)


def grown_card(event: CharacterChanged, scene: Scene) -> Layout:
    """A character has learned something; the part that only its player and the GMs see by itself."""
    name = character_text(event.name)
    parts: list[str | Piece] = [*_points(event)]
    if event.note:
        parts += ["How it came about:", *_quoted(event.note)]
    if not event.audience.everyone and event.owner is not None:
        return laid("own", f"{name} · only on the sheet", *parts)
    what = "learns something new" if event.step == "learned" else "gets better"
    return laid("good", f"{name} {what}", *parts)


def given_card(event: CharacterChanged, scene: Scene) -> Layout:
    """A character has another player."""
    name = character_text(event.name)
    whose = (
        "belongs to the GMs" if event.owner is None else f"is played by {scene.names.mention(event.owner)}"
    )
    told = f"{scene.names.mention(event.by)} has given {name} away. {name} {whose} now."
    return _calling(laid("waiting", f"{name} has changed hands", told), event, scene)


def retired_card(event: CharacterChanged, scene: Scene) -> Layout:
    """A character has left the game, or has come back."""
    name = character_text(event.name)
    if event.step == "returned":
        return _calling(laid("good", f"{name} is back", f"{name} is in play again."), event, scene)
    told = f"{name} is out of play. `/character retire` with `back` brings {name} back."
    return _calling(laid("waiting", f"{name} retires", told), event, scene)
