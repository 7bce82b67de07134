"""NPCs: who they are for GMs, and what players know of them."""

from __future__ import annotations

from collections.abc import Iterable

from bot.presenters.blocks import pieces_of
from bot.presenters.layout import Beside, Body, Gap, Head, Heading, Layout, Piece, Portrait, Small, laid
from bot.presenters.text import SOMEBODY, bare_text, name_text, sentence, user_text, who_text
from bot.presenters.words import say
from rules.registry import look
from rules.table.blocks import Note
from rules.table.people.npcs import groups, npcs, stage_line
from rules.table.permissions import public_name
from rules.table.state import AnyCharacter, TableState


def shown_name(character: AnyCharacter, *, gm: bool) -> str:
    """A character's name in a sentence, as GMs or as players know it."""
    if not gm:
        return who_text(public_name(character))
    return who_text(character.name, character.alias if character.stage == "aliased" else "")


def bare_name(character: AnyCharacter, *, gm: bool) -> str:
    """The same for menus and suggestions, which show Markdown as it is."""
    if not gm:
        return bare_text(public_name(character)) or SOMEBODY
    name = bare_text(character.name)
    if character.stage == "aliased":
        return f"{name} (players know: {bare_text(character.alias)})"
    return name


def health_text(state: TableState, character: AnyCharacter, *, gm: bool) -> str:
    """`hurt` for players, `hurt · broken arm (arm, serious, untreated) · Fitness 1 of 2` for GMs."""
    game = look(state)
    return " · ".join(say(line) for line in game.sheets.health(game, character, gm))


def stage_text(character: AnyCharacter) -> str:
    """How the players know somebody, in a list for GMs."""
    return {"off": "off stage", "aliased": "known by alias", "revealed": "known"}[character.stage]


def sheet_top(name: str, portrait: str, lines: Iterable[str]) -> list[Piece]:
    """The head of a sheet with what matters most, and the portrait beside it."""
    said = list(filter(None, lines))
    if portrait:
        return [Beside("\n".join([f"## {name}", *said]), Portrait(portrait))]
    return [Head(name), *map(Body, said)]


def sheet_end(character: AnyCharacter, whose: str) -> list[Piece]:
    """The notes on a sheet, whose character it is, and its id."""
    notes = [Heading("Notes"), Body(user_text(character.notes, lines=True))] if character.notes else []
    return [*notes, Gap(), Small(f"{whose} · {character.id}")]


def npc_card(state: TableState, character: AnyCharacter, *, gm: bool) -> Layout:
    """An NPC for /character show: everything for GMs, what can be seen of them for players."""
    health = sentence(health_text(state, character, gm=gm))
    name = shown_name(character, gm=gm)
    if not gm:
        portrait = character.portrait if character.stage == "revealed" else ""
        return Layout("own", (*sheet_top(name, portrait, [health]), Gap(), Small("An NPC.")))
    game = look(state)
    told = game.sheets.health(game, character, True)
    blocks = game.sheets.describe(game, character)
    pieces = sheet_top(name, character.portrait, [f"**Health:** {health}", say(stage_line(character))])
    pieces += pieces_of(each for each in blocks if not (isinstance(each, Note) and each.text in told))
    return Layout("gm", (*pieces, *sheet_end(character, "An NPC.")))


def npcs_card(state: TableState) -> Layout:
    """All NPCs, for /gm npc list; notes only in their beginnings."""
    members = groups(state)
    lines: list[str] = []
    group = ""
    for npc in npcs(state):
        if npc.group != group and npc.group:
            lines.append(f"**{name_text(npc.group)}:** a group of {len(members[npc.group])}")
        group = npc.group
        facts = [stage_text(npc), health_text(state, npc, gm=True)]
        facts += ["retired"] if npc.retired else []
        facts += [user_text(npc.notes[:100]) + ("…" if len(npc.notes) > 100 else "")] if npc.notes else []
        lines.append(f"- {shown_name(npc, gm=True)}: {'; '.join(facts)}")
    return laid("gm", "NPCs", *(lines or ["No NPCs yet. `/gm npc add` adds one."]))
