"""Cards about characters: the sheet, who is there, and what happens to somebody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from bot.presenters.blocks import lines_of, pieces_of
from bot.presenters.cards import as_json, card, json_file, noted, quoted
from bot.presenters.controls import Button, Rows
from bot.presenters.layout import (
    Accent,
    Beside,
    Body,
    Head,
    Layout,
    Piece,
    Portrait,
    Quoted,
    laid,
    rows_of,
)
from bot.presenters.limits import BODY, CONTENT, clip, pages
from bot.presenters.names import called_by
from bot.presenters.npc import bare_name, health_text, sheet_end, sheet_top, shown_name, stage_text
from bot.presenters.people import Names
from bot.presenters.scene import Scene
from bot.presenters.text import Marked, name_text, quoted_text, sentence
from bot.presenters.words import phrase, say
from rules.table.blocks import Block
from rules.table.events import CharacterChanged
from rules.table.state import AnyCharacter, TableState

_WAITS: Final = "Waiting for a GM: this character can't act yet."
_RETIRED: Final = "Retired: out of play until `/character retire` with `back`."


# --- the sheet --------------------------------------------------------------------------------------------


def _approval(table_id: int, character: str, *, sheet: bool = True) -> Rows:
    """What a GM can do with a new character."""
    base = f"sg:appr:{table_id}:{character}"
    buttons = [
        Button(f"{base}:ok", "Approve", "success"),
        Button(f"{base}:back", "Send back…", "danger"),
    ]
    if sheet:
        buttons.insert(0, Button(f"{base}:show", "Show sheet", "primary"))
    return (tuple(buttons),)


def character_card(
    character: AnyCharacter, blocks: Sequence[Block], names: Names, *, table_id: int | None = None
) -> Layout:
    """A sheet for its player and the GMs. With `table_id` a GM gets the buttons for one that waits."""
    whose = "An NPC." if character.owner is None else f"Played by {names.mention(character.owner)}."
    pieces = sheet_top(
        name_text(character.name),
        character.portrait,
        ["" if character.approved else _WAITS, _RETIRED if character.retired else ""],
    )
    if character.sent_back:
        pieces += [Body("The GM asks for these changes:"), Quoted(quoted_text(character.sent_back))]
    pieces += pieces_of(blocks)
    pieces += sheet_end(character, whose)
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
    file = json_file(character.name, "character", "", as_json(data))
    return card("own", "character-file", None, attachment=file, name=character.name)


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
        facts = "" if each.owner else health_text(state, each, gm=gm)
        told = {
            "known": Marked(shown_name(each, gm=gm)),
            "whose": Marked("the GMs" if each.owner is None else names.mention(each.owner)),
            "facts": Marked(f"{stage_text(each)}; {facts}" if facts and gm else facts),
        }
        lines.append(phrase("character-line", about=each, active=each.id == active, **told))
    return lines or ["- Nobody yet. `/character create` makes a character; `/character import` adds one."]


def characters_card(state: TableState, names: Names, *, who: str, gm: bool) -> Layout:
    """Who is at the table, for /character list; `who` is the participant that asks."""
    lines = character_lines(state, names, who=who, gm=gm, active=state.person(who).active)
    return laid("own", "Characters at this table", *lines)


# --- events -----------------------------------------------------------------------------------------------


#: The colour of what happened to a character, where it is not that of something that waits or is over.
_ACCENTS: Final[Mapping[str, Accent]] = {
    **dict.fromkeys(("imported", "replaced", "approved", "learned", "advanced", "returned"), "good"),
    **dict.fromkeys(("added", "changed", "removed"), "gm"),
    "chosen": "own",
}


def changed_card(event: CharacterChanged, scene: Scene) -> Layout:
    """What happened to a character, or to an NPC: for the GMs a new one that waits has what they can do."""
    code, accent = event.step.replace("_", "-"), _ACCENTS.get(event.step, "waiting")
    rows: Rows = ()
    if event.step == "created" and event.audience.gms:
        code, accent, rows = "waits", "gm", _approval(scene.table_id, event.character)
    elif event.step in ("learned", "advanced") and not event.audience.everyone and event.owner is not None:
        code, accent = "grown", "own"
    shown = card(accent, f"character-{code}", scene.names, *_told(event), about=event, rows=rows)
    called = called_by(event, scene)
    if not called.text:
        return shown
    head = next(each.text for each in shown.pieces if isinstance(each, Head))
    call = clip(f"{called.text}: {head}", CONTENT)
    return replace(shown, call=call, mentions=called.users, role_mentions=called.roles)


def _told(event: CharacterChanged) -> Sequence[str | Piece]:
    """What stands in the card of a step besides its words."""
    match event.step:
        case "approved" | "sent_back":
            return quoted(event.note)
        case "learned" | "advanced":
            why = ["How it came about:", *quoted(event.note)] if event.note else []
            return [*(f"- {sentence(say(line))}" for line in event.lines), *why]
        case "adjusted":
            return noted(event.lines)
        case "added" | "changed" | "removed" | "revealed":
            return [say(line) for line in event.lines]
        case _:
            return ()
