"""NPCs: who they are for GMs, and what players know of them."""

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

#: So many stand on a page of a list.
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
    """Return a target's name for menus and suggestions, marked where the reader knows them dead."""
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
    name, health = (
        shown_name(character, gm=False),
        sentence(health_text(state, character, gm=False)),
    )
    if character.portrait and character.stage == "revealed":
        beside = Section(f"## {name}\n{health}", Portrait(character.portrait))
        return Layout("own", (beside, Gap(), SmallPrint(say(Text("npc-one")))))
    return build_layout("own", name, health, small=say(Text("npc-one")))


def npcs_card(
    scene: Scene,
    found: Sequence[AnyCharacter],
    page: int = 0,
    *,
    place: str = "",
    acts: str = "",
    plain: bool = False,
) -> Layout:
    """NPCs for their GMs, a few a page: what players know, how they are, and what can be done as
    each at once.

    `place` is where they stand in initiative, `acts` whose turn it is there. In `plain` text
    buttons name whose they are.
    """
    state, members = scene.state, groups(scene.state)
    page = min(page, max(0, (len(found) - 1) // _PAGE))
    shown, title = found[page * _PAGE :][:_PAGE], say(Text("npc-title", {"here": bool(place)}))
    if not shown:
        return build_layout("gm", title, say(Text("npc-none", {"here": bool(place)})))
    able = [each for each in shown if each.in_play]
    acting = [each for each in able if not _is_out(state, each)]
    buttons = start_buttons(read_only_game(state).system, "npc")
    # What can be done as one of them, the likeliest first.
    do = [(kind, say(button.label)) for kind, button in buttons.items()]
    pieces: list[Piece] = []
    group = ""
    for npc in shown:
        if npc.group != group and npc.group and not place:
            pieces.append(
                Body(say(Text("npc-group", {"name": npc.group, "count": len(members[npc.group])})))
            )
        group = npc.group
        text = _row(state, npc, acts=npc.id == acts)
        if npc in acting and do:
            key, label = do[0]
            label = clip(f"{label} · {bare_text(npc.name)}", BUTTON_LABEL) if plain else label
            pieces.append(
                Section(text, Button(npc_control_id(scene.table_id, key, npc.id, place), label))
            )
        else:
            pieces += [Gap(), Body(text)]
    menus = [(key, label_text("npc-act-as", label=label), acting) for key, label in do[1:]]
    menus.append(
        ("reveal", label_text("npc-reveal"), [each for each in able if each.stage != "revealed"])
    )
    for key, label, among in menus:
        if among:
            named = [(each.id, bare_name(each, gm=True)) for each in among]
            pieces.append(
                Row((menu(npc_control_id(scene.table_id, key, str(page), place), label, named),))
            )
    last = (len(found) - 1) // _PAGE
    turns = page_turns(
        page, last + 1, lambda to: npc_control_id(scene.table_id, "list", str(to), place)
    )
    return build_layout(
        "gm", f"{title}, page {page + 1} of {last + 1}" if last else title, *pieces, rows=turns
    )


def _is_out(state: TableState, npc: AnyCharacter) -> bool:
    """Return whether an NPC can't act, such as when unconscious or dead."""
    game = read_only_game(state)
    sheets, turns = game.system.sheets, game.system.turns
    if sheets is None or not any(
        each.code in sheets.out for each in sheets.health(game, npc, True)
    ):
        return False
    # An NPC put out by characters who act at the same time still acts.
    return turns is None or turns.idle is None or turns.idle(game, npc) is not None


def _row(state: TableState, npc: AnyCharacter, *, acts: bool) -> str:
    """Who it is, what players know and how they are; notes only in their beginnings."""
    facts = [
        stage_text(npc),
        health_text(state, npc, gm=True),
        *(["retired"] if npc.retired else []),
    ]
    notes = [f"-# {user_text(clip(npc.notes, 100))}"] if npc.notes else []
    name = f"{'▸ ' if acts else ''}**{shown_name(npc, gm=True)}**"
    return "\n".join([f"{name}: {'; '.join(facts)}", *notes])


def npc_control_id(table_id: int, verb: str, what: str, place: str) -> str:
    """The id of what can be pressed or chosen in a list of NPCs: what one of them does, or what
    changes its page.
    """
    route = "npcs" if verb in ("list", "reveal") else "npc"
    return f"sg:{route}:{table_id}:{verb}:{what}:{place or '-'}"
