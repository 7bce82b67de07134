"""NPCs: their names and health as GMs and as players know them, and the list for GMs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.presenters.control_limits import menu
from bot.presenters.controls import Button, page_turns
from bot.presenters.language.limits import BUTTON_LABEL, clip
from bot.presenters.language.text import (
    EMPTY_NAME,
    SOMEBODY,
    bare_text,
    name_with_alias,
    sentence,
    user_text,
)
from bot.presenters.language.words import label_text, say, say_bare
from bot.presenters.layout import (
    Body,
    Gap,
    Layout,
    Piece,
    Portrait,
    Row,
    Section,
    SmallPrint,
    build_layout,
)
from bot.presenters.scene import Scene
from rules.registry import read_only_game
from rules.table.blocks import Text
from rules.table.checks.access import is_known_dead
from rules.table.checks.procedure import start_buttons
from rules.table.people.npcs import groups
from rules.table.permissions import public_name
from rules.table.state import AnyCharacter, TableState
from rules.table.system import Game

#: NPCs on a page of a list.
_PAGE: Final = 5


def shown_name(character: AnyCharacter, *, gm: bool) -> str:
    """Return a character's name in a sentence, as GMs or as players know it."""
    if not gm:
        return name_with_alias(public_name(character))
    return name_with_alias(character.name, character.alias if character.stage == "aliased" else "")


def bare_name(character: AnyCharacter, *, gm: bool) -> str:
    """Return a character's name for menus and suggestions, which don't render Markdown."""
    if not gm:
        return bare_text(public_name(character)) or SOMEBODY
    name = bare_text(character.name).strip() or EMPTY_NAME
    if character.stage == "aliased":
        return say_bare(Text("npc-players-know", {"name": name, "alias": character.alias}))
    return name


def target_label(game: Game, character: AnyCharacter, *, gm: bool) -> Text:
    """Return a target's name for menus and suggestions, marked if the reader knows of its death."""
    dead = is_known_dead(game, character)
    return Text("named-target", {"name": bare_name(character, gm=gm), "dead": dead})


def health_text(state: TableState, character: AnyCharacter, *, gm: bool) -> str:
    """Return a character's health: for players a word, for GMs every injury and number.

    `hurt`, or `hurt · broken arm (arm, serious, untreated) · Fitness 1 of 2`.
    """
    game = read_only_game(state)
    return " · ".join(say(line) for line in game.sheets.health(game, character, gm))


def stage_text(character: AnyCharacter) -> str:
    """Return how the players know a character, for a list for GMs."""
    return say(Text("npc-stage", {"stage": character.stage}))


def npc_card(state: TableState, character: AnyCharacter) -> Layout:
    """Return the card of an NPC for players: what can be seen of the NPC."""
    name = shown_name(character, gm=False)
    health = sentence(health_text(state, character, gm=False))
    if character.portrait and character.stage == "revealed":
        beside = Section(f"## {name}\n{health}", Portrait(character.portrait))
        return Layout("own", (beside, Gap(), SmallPrint(say(Text("npc-one")))))
    return build_layout("own", name, health, small=say(Text("npc-one")))


def npcs_card(
    scene: Scene,
    npcs: Sequence[AnyCharacter],
    page: int = 0,
    *,
    place: str = "",
    acts: str = "",
    plain: bool = False,
) -> Layout:
    """Return a page of NPCs for GMs: their health, what players know, and a button to act as each.

    `place` is the place of their initiative, `acts` the NPC on turn there. In `plain` text the
    buttons have the NPCs' names.
    """
    state, members = scene.state, groups(scene.state)
    last = max(0, (len(npcs) - 1) // _PAGE)
    page = min(page, last)
    shown, title = npcs[page * _PAGE :][:_PAGE], say(Text("npc-title", {"here": bool(place)}))
    if not shown:
        return build_layout("gm", title, say(Text("npc-none", {"here": bool(place)})))
    in_play = [npc for npc in shown if npc.in_play]
    able = [npc for npc in in_play if not _is_out(state, npc)]
    buttons = start_buttons(read_only_game(state).system, "npc")
    # Kinds of check that a GM can begin as an NPC, the likeliest first.
    deeds = [(kind, say(button.label)) for kind, button in buttons.items()]
    pieces: list[Piece] = []
    group = ""
    for npc in shown:
        if npc.group != group and npc.group and not place:
            count = len(members[npc.group])
            pieces.append(Body(say(Text("npc-group", {"name": npc.group, "count": count}))))
        group = npc.group
        text = _row(state, npc, acts=npc.id == acts)
        if npc in able and deeds:
            key, label = deeds[0]
            if plain:
                label = clip(f"{label} · {bare_text(npc.name)}", BUTTON_LABEL)
            id = npc_control_id(scene.table_id, key, npc.id, place)
            pieces.append(Section(text, Button(id, label)))
        else:
            pieces += [Gap(), Body(text)]
    menus = [(key, label_text("npc-act-as", label=label), able) for key, label in deeds[1:]]
    unrevealed = [npc for npc in in_play if npc.stage != "revealed"]
    menus.append(("reveal", label_text("npc-reveal"), unrevealed))
    for key, label, offered in menus:
        if offered:
            names = [(npc.id, bare_name(npc, gm=True)) for npc in offered]
            id = npc_control_id(scene.table_id, key, str(page), place)
            pieces.append(Row((menu(id, label, names),)))
    turns = page_turns(
        page, last + 1, lambda to: npc_control_id(scene.table_id, "list", str(to), place)
    )
    if last:
        title = f"{title}, page {page + 1} of {last + 1}"
    return build_layout("gm", title, *pieces, rows=turns)


def _is_out(state: TableState, npc: AnyCharacter) -> bool:
    """Return whether an NPC can't act, such as when unconscious or dead."""
    game = read_only_game(state)
    sheets, turns = game.system.sheets, game.system.turns
    if sheets is None:
        return False
    if not any(line.code in sheets.out for line in sheets.health(game, npc, True)):
        return False
    # An NPC put out by characters who act at the same time still acts.
    return turns is None or turns.idle is None or turns.idle(game, npc) is not None


def _row(state: TableState, npc: AnyCharacter, *, acts: bool) -> str:
    """Return the name of an NPC, what players know, its health, and the beginning of the notes."""
    facts = [stage_text(npc), health_text(state, npc, gm=True)]
    if npc.retired:
        facts.append("retired")
    mark = "▸ " if acts else ""
    line = f"{mark}**{shown_name(npc, gm=True)}**: {'; '.join(facts)}"
    if npc.notes:
        line += f"\n-# {user_text(clip(npc.notes, 100))}"
    return line


def npc_control_id(table_id: int, verb: str, what: str, place: str) -> str:
    """Return the id of a control in a list of NPCs: one that acts as an NPC, or turns the page."""
    route = "npcs" if verb in ("list", "reveal") else "npc"
    return f"sg:{route}:{table_id}:{verb}:{what}:{place or '-'}"
