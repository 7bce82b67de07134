"""Lists of what waits for a reader: checks, turns, system commands and new characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.presenters.blocks import begin_button, command_button
from bot.presenters.board import (
    acts_last_after_waiting,
    board_id_prefix,
    timeline_hint,
    turn_buttons,
    turn_id_prefix,
)
from bot.presenters.controls import (
    Button,
    Style,
    back_button,
    create_button,
    even_rows,
    try_button,
)
from bot.presenters.corrections import correction_todos
from bot.presenters.language.limits import BUTTON_LABEL, ROW_BUTTONS, clip
from bot.presenters.language.text import Markdown, bare_text, name_text
from bot.presenters.language.words import label_text, phrase, say
from bot.presenters.layout import Body, Gap, Heading, Layout, Piece, Section, build_layout, rows_of
from bot.presenters.npc import bare_name, npc_control_id, shown_name
from bot.presenters.scene import Scene
from bot.presenters.seats import seat_todos
from rules.registry import read_only_game
from rules.table.absence import orders_of
from rules.table.actions import Actor
from rules.table.initiative import (
    absent_owner,
    block_of,
    encounter_in,
    is_hidden,
    known_round,
    may_act_as,
)
from rules.table.lookup import playable_characters
from rules.table.people.approval import unapproved_characters
from rules.table.permissions import leads_table
from rules.table.played_scenes import open_scenes
from rules.table.readable_places import may_read
from rules.table.state import AnyEncounter, Slot, TableState
from rules.table.system import Game
from rules.table.turns.board import board_view
from rules.table.turns.turn_block import is_turn_ending
from rules.table.turns.turn_clock import is_stalled, waits_of_turn
from rules.table.turns.turn_holders import is_only_end_left
from rules.table.waits.agenda import turn_default
from rules.table.whispers import knows_scene

_TITLE: Final = phrase("to-do")
#: Most buttons beside lines. Plain text has them in two rows.
_MAX_BESIDE: Final = 2 * ROW_BUTTONS
#: Most lines of another table, and most letters of each.
_MAX_LINES: Final = 5
_LINE_LENGTH: Final = 200


#: A text, and the button or buttons that do it if it can be done from here.
TodoLine = tuple[str, Button | tuple[Button, ...] | None]
#: Headings of the parts of `/moves`.
_YOURS: Final = phrase("to-do-yours")
_OTHERS: Final = phrase("to-do-others")
_STEP_IN: Final = phrase("to-do-step-in")


def todo_lines(
    scene: Scene, checks: Sequence[TodoLine], *, game: Game, place: str, gm: bool
) -> list[TodoLine]:
    """Return everything that the game's actor may do now at a table: about `checks` first.

    `game` knows which places the actor can view.
    """
    who = game.actor
    turns = _turn_todos(scene, who, place, game.at, gm=gm)
    begins = _board_todos(scene, who, place, gm=gm)
    return [
        *checks,
        *turns,
        *_command_todos(scene, game, offers=False),
        *_newcomer_todos(scene, who, gm=gm),
        *(seat_todos(scene) if gm else ()),
        *correction_todos(scene, who.id, gm=leads_table(scene.state, who)),
        *begins,
    ]


def offer_lines(scene: Scene, checks: Sequence[TodoLine], game: Game) -> list[TodoLine]:
    """Return what the game's actor may do though nothing waits for it: about `checks` first."""
    return [*checks, *_command_todos(scene, game, offers=True)]


def next_action_button(scene: Scene, who: Actor, *, gm: bool) -> Button:
    """Return the button for what a reader can begin while nothing waits.

    For an absent player it ends the absence, which the player may have forgotten.
    """
    if orders_of(scene.state, who.id).away is not None:
        return back_button(scene.table_id)
    playable = playable_characters(scene.state, who)
    if any(character.owner == who.id for character in playable):
        return try_button(scene.table_id)
    if gm:
        id = npc_control_id(scene.table_id, "list", "0", "")
        return Button(id, label_text("button-npcs"))
    return create_button(scene.table_id)


def todo_card(
    here: Sequence[TodoLine] | None,
    elsewhere: Sequence[tuple[str, str, Sequence[TodoLine]]],
    *,
    gm: bool,
    onward: Button | None = None,
    offers: Sequence[TodoLine] = (),
    step_ins: Sequence[TodoLine] = (),
) -> Layout:
    """Return the answer to /moves: the reader's moves here, and a link to those at other tables.

    `here` is None if no table is here. `offers` are moves that nothing waits for, `step_ins` final
    results that may still be changed. `onward` are the things that the reader can begin if nothing
    waits.
    """
    pieces: list[Piece] = []
    beside = _MAX_BESIDE
    for title, lines in ((_YOURS, here or ()), (_STEP_IN, step_ins), (_OTHERS, offers)):
        pieces += [Heading(title)] if lines else []
        for text, doing in lines:
            if isinstance(doing, tuple):
                pieces += [Gap(), Body(text), *rows_of(even_rows(doing))]
                beside -= len(doing)
            elif doing is not None and beside > 0:
                pieces.append(Section(text, doing))
                beside -= 1
            else:
                pieces += [Gap(), Body(text)]
    for name, url, lines in elsewhere:
        pieces += _other_table_pieces(name, url, lines)
    if not pieces:
        rows = () if onward is None else ((onward,),)
        return build_layout(
            "own", _TITLE, phrase("nothing-to-do", table=here is not None), rows=rows
        )
    return build_layout("gm" if gm else "own", _TITLE, *pieces)


def _other_table_pieces(name: str, url: str, lines: Sequence[TodoLine]) -> list[Piece]:
    """Return what waits for the reader at another table, with its times and links there."""
    texts: list[str] = []
    for text, _ in lines[:_MAX_LINES]:
        first_line, _, small = text.partition("\n")
        texts.append(f"- {clip(first_line, _LINE_LENGTH)}")
        if small.startswith("-# "):
            texts.append(f"  {small}")
    if len(lines) > _MAX_LINES:
        texts.append(f"-# {phrase('more-to-do', count=len(lines) - _MAX_LINES)}")
    title = phrase("to-do-elsewhere", name=Markdown(name_text(name)), url=Markdown(url))
    return [Heading(title), Body("\n".join(texts))]


# --- turns ----------------------------------------------------------------------------------------


def _turn_todos(scene: Scene, who: Actor, here: str, at: int, *, gm: bool) -> list[TodoLine]:
    """Return a line for each turn of a character that the reader may act as.

    A GM also sees the turns of NPCs and things, those that have stalled, and those in which only
    *End turn* is left.
    """
    todos: list[TodoLine] = []
    for place in scene.state.encounters:
        encounter = encounter_in(scene.state, place)
        if encounter is None:
            continue
        stalled = gm and is_stalled(scene.state, place, at)
        for slot in block_of(scene.state, encounter):
            character = scene.state.characters.get(slot.character or "")
            own_turn = gm if character is None else may_act_as(scene.state, who, character)
            spent = is_only_end_left(read_only_game(scene.state), encounter, slot)
            if own_turn or stalled or (gm and spent):
                line = _turn_line(scene, who, encounter, slot, here, at, gm=gm)
                todos.append((line, _turn_buttons(scene, encounter, slot, here, gm=gm)))
    return todos


def _turn_line(
    scene: Scene, who: Actor, encounter: AnyEncounter, slot: Slot, here: str, at: int, *, gm: bool
) -> str:
    """Return what the reader may do in the turn of a slot, and until when."""
    place, game = encounter.place, read_only_game(scene.state)
    away = absent_owner(scene.state, encounter, slot)
    gone = None
    if away is not None and away.owner != who.id:
        gone = Markdown(scene.names.name(away.owner))
    return phrase(
        "turn-to-do",
        who=_slot_name(scene.state, slot, gm=gm),
        hint=timeline_hint(scene),
        timeline=encounter.timeline,
        elsewhere="" if place == here else place,
        due=_turn_end(scene.state, place, at),
        since=encounter.since,
        stalled=gm and is_stalled(scene.state, place, at),
        gone=gone,
        ended=is_turn_ending(encounter, slot),
        ends=turn_default(game, encounter, slot) == "ends",
        spent=is_only_end_left(game, encounter, slot),
    )


def _turn_buttons(
    scene: Scene, encounter: AnyEncounter, slot: Slot, here: str, *, gm: bool
) -> Button | tuple[Button, ...] | None:
    """Return the buttons of the turn of a slot; None for a turn in another place.

    A GM may close what holds the turn. Its player has nothing left to press.
    """
    ended = is_turn_ending(encounter, slot)
    if encounter.place != here or (ended and not gm):
        return None
    character = scene.state.characters.get(slot.character or "")
    end = _end_turn_button(scene, encounter, slot, gm=gm)
    spent = is_only_end_left(read_only_game(scene.state), encounter, slot)
    if encounter.timeline or ended or spent or character is None:
        return end
    at_turn = turn_id_prefix(scene, encounter)
    acts = turn_buttons(at_turn, scene, timeline=False, likely=0, gm=gm)
    own = [button.replace(id=_member_id(scene, encounter, slot, button.id)) for button in acts[:-1]]
    return (*own, end.replace(style="secondary"))


def _member_id(scene: Scene, encounter: AnyEncounter, slot: Slot, id: str) -> str:
    """Return the id of a turn's button, for one character of a block."""
    several = len(block_of(scene.state, encounter)) > 1
    of_turn = id.startswith(turn_id_prefix(scene, encounter))
    return f"{id}:{slot.character}" if several and of_turn else id


def _turn_end(state: TableState, place: str, at: int) -> int | None:
    """Return when the clock ends the present turn; None if it doesn't, or should have by now."""
    for wait in waits_of_turn(state, place):
        if wait.ends_turn and wait.due > at:
            return wait.due
    return None


def _end_turn_button(scene: Scene, encounter: AnyEncounter, slot: Slot, *, gm: bool) -> Button:
    """Return the button that ends the present turn, by the name of the character on turn."""
    if encounter.timeline:
        label = label_text("button-do-nothing")
    else:
        if slot.character is None:
            who = bare_text(slot.name)
        else:
            who = bare_name(scene.state.characters[slot.character], gm=gm)
        label = clip(label_text("button-end-turn", who=who), BUTTON_LABEL)
    style: Style = "secondary" if encounter.ended else "primary"
    id = _member_id(scene, encounter, slot, f"{turn_id_prefix(scene, encounter)}next")
    return Button(id, label, style)


def _board_todos(scene: Scene, who: Actor, place: str, *, gm: bool) -> list[TodoLine]:
    """Return what a reader may do about initiative here out of turn: begin, join, or act now."""
    encounter, shown = encounter_in(scene.state, place), board_view(scene.state, place)
    if encounter is None or shown is None:
        return []
    at = board_id_prefix(scene.table_id, place, shown.round, shown.turn)
    todos: list[TodoLine] = []
    if gm and not encounter.round:
        begin = Button(f"{at}next", label_text("button-begin"), "primary")
        todos.append((phrase("board-to-begin"), begin))
    slots = {slot.character: slot for slot in encounter.order}
    playable = playable_characters(scene.state, who)
    own = [character for character in playable if character.owner == who.id]
    for character in own:
        slot = slots.get(character.id)
        waits = slot is not None and slot.delayed and bool(encounter.round)
        if waits and not acts_last_after_waiting(scene):
            hint = timeline_hint(scene)
            line = phrase(
                "board-to-return", name=character.name, timeline=encounter.timeline, hint=hint
            )
            todos.append((line, Button(f"{at}back:{character.id}", label_text("button-act-now"))))
    if own and not any(character.id in slots for character in own):
        todos.append((phrase("board-to-join"), Button(f"{at}join", label_text("button-join"))))
    return todos


# --- commands and new characters ------------------------------------------------------------------


def _command_todos(scene: Scene, game: Game, *, offers: bool) -> list[TodoLine]:
    """Return what waits by the system's own commands and due checks, or what commands offer."""
    todos: list[TodoLine] = []
    for command in game.system.commands:
        for wait in command.waits(game):
            if wait.offer == offers:
                button = command_button(scene, command.name, wait.button, wait.values)
                todos.append((say(wait.what), button))
    if not offers:
        for due in game.system.due_checks(game):
            todos.append((say(due.what), begin_button(scene, due.button, due.kind, due.who)))
    return todos


def _newcomer_todos(scene: Scene, who: Actor, *, gm: bool) -> list[tuple[str, Button | None]]:
    """Return new characters: for a GM those to approve, for a player their own."""
    todos: list[tuple[str, Button | None]] = []
    for character in unapproved_characters(scene.state):
        button = None
        back = bool(character.sent_back)
        if gm and not back:
            label = clip(label_text("button-look-at", name=character.name), BUTTON_LABEL)
            button = Button(f"sg:appr:{scene.table_id}:{character.id}:show", label, "primary")
        elif character.owner != who.id:
            continue
        line = phrase("newcomer", name=character.name, new=button is not None, back=back)
        todos.append((line, button))
    return todos


# --- the story ------------------------------------------------------------------------------------


def story_lines(game: Game, *, gm: bool) -> list[str]:
    """Return the session, the time, open scenes and each order's turn, for `/table show`.

    Places that the reader can't view are left out.
    """
    state = game.state
    lines = [phrase("story-now", about=state.clock)]
    for scene in open_scenes(state):
        if not knows_scene(game, scene):
            continue
        if may_read(game.readable, scene.place, theirs=False, gm=gm):
            lines.append(phrase("scene-now", title=scene.title, place=scene.place))
    for place in state.encounters:
        encounter = encounter_in(state, place)
        if encounter is None or not may_read(game.readable, place, theirs=False, gm=gm):
            continue
        on_turn: list[Markdown] = []
        for slot in block_of(state, encounter):
            if gm or not is_hidden(state, slot):
                on_turn.append(_slot_name(state, slot, gm=gm))
        round_number = encounter.round if gm else known_round(state, encounter)
        about = {"round": round_number, "timeline": encounter.timeline}
        lines.append(phrase("order-now", who=tuple(on_turn), place=place, **about))
    return lines


def _slot_name(state: TableState, slot: Slot, *, gm: bool) -> Markdown:
    """Return the name of the character or thing in a slot, as GMs or as players know it."""
    if slot.character is None:
        return Markdown(name_text(slot.name))
    return Markdown(shown_name(state.characters[slot.character], gm=gm))
