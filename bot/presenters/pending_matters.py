"""What waits for somebody besides checks: their turn, and new characters who are to be let in or
mended.
"""

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
from bot.presenters.language.limits import BUTTON_LABEL, ROW_BUTTONS, clip
from bot.presenters.language.text import Markdown, bare_text, name_text
from bot.presenters.language.words import label_text, phrase, say
from bot.presenters.layout import Body, Gap, Heading, Layout, Piece, Section, build_layout, rows_of
from bot.presenters.npc import bare_name, npc_control_id, shown_name
from bot.presenters.scene import Scene
from rules.registry import read_only_game
from rules.table.absence import orders_of
from rules.table.actions import Actor
from rules.table.initiative import (
    absent_owner,
    encounter_in,
    is_hidden,
    known_round,
    may_act_as,
    slot_on_turn,
)
from rules.table.lookup import playable_characters
from rules.table.people.approval import unapproved_characters
from rules.table.readable_places import may_read
from rules.table.state import Slot, TableState
from rules.table.system import Game
from rules.table.turns.board import board_view
from rules.table.turns.turn_clock import is_stalled, waits_of_turn
from rules.table.turns.turn_holders import is_only_end_left

_TITLE: Final = phrase("to-do")
#: What stands at the right of lines takes two rows where there is nothing but text.
_BESIDE: Final = 2 * ROW_BUTTONS
#: So many lines are told of another table, and so many characters of each.
_LINES: Final = 5
_LINE: Final = 200


#: A text, and the button or buttons that do it where it can be done from here.
TodoLine = tuple[str, Button | tuple[Button, ...] | None]
#: What stands above the lines of `/moves`.
_YOURS: Final = phrase("to-do-yours")
_OTHERS: Final = phrase("to-do-others")
_STEP_IN: Final = phrase("to-do-step-in")


def todo_lines(
    scene: Scene, checks: Sequence[tuple[str, Button]], *, game: Game, place: str, gm: bool
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
        *begins,
    ]


def offer_lines(scene: Scene, checks: Sequence[tuple[str, Button]], game: Game) -> list[TodoLine]:
    """Return what the game's actor may do though nothing waits for it: about `checks` first."""
    return [*checks, *_command_todos(scene, game, offers=True)]


def next_action_button(scene: Scene, who: Actor, *, gm: bool) -> Button:
    """Where nothing waits for somebody: what they can begin. Whoever is away may have forgotten
    that they pass.
    """
    if orders_of(scene.state, who.id).away is not None:
        return back_button(scene.table_id)
    if any(each.owner == who.id for each in playable_characters(scene.state, who)):
        return try_button(scene.table_id)
    return (
        Button(npc_control_id(scene.table_id, "list", "0", ""), label_text("button-npcs"))
        if gm
        else create_button(scene.table_id)
    )


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
    beside = _BESIDE
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
        told = [f"- {clip(text.partition(chr(10))[0], _LINE)}" for text, _ in lines[:_LINES]]
        if len(lines) > _LINES:
            told.append(f"-# {phrase('more-to-do', count=len(lines) - _LINES)}")
        pieces += [
            Heading(phrase("to-do-elsewhere", name=Markdown(name_text(name)), url=Markdown(url))),
            Body("\n".join(told)),
        ]
    if not pieces:
        rows = () if onward is None else ((onward,),)
        return build_layout(
            "own", _TITLE, phrase("nothing-to-do", table=here is not None), rows=rows
        )
    return build_layout("gm" if gm else "own", _TITLE, *pieces)


def _turn_todos(scene: Scene, who: Actor, here: str, at: int, *, gm: bool) -> list[TodoLine]:
    """Return a line for each place where it is the turn of a character that the reader may act as.

    A GM also sees the turns of NPCs and things, those that have stalled, and those in which only
    *End turn* is left.
    """
    found: list[TodoLine] = []
    for place in scene.state.encounters:
        encounter = encounter_in(scene.state, place)
        slot = slot_on_turn(encounter)
        if encounter is None or slot is None:
            continue
        character = None if slot.character is None else scene.state.characters[slot.character]
        stalled = gm and is_stalled(scene.state, place, at)
        theirs = gm if character is None else may_act_as(scene.state, who, character)
        spent = is_only_end_left(read_only_game(scene.state), encounter)
        if not (theirs or stalled or (gm and spent)):
            continue
        bare = bare_text(slot.name) if character is None else bare_name(character, gm=gm)
        ends_turn = label_text("button-end-turn", who=bare)
        name = (
            label_text("button-do-nothing") if encounter.timeline else clip(ends_turn, BUTTON_LABEL)
        )
        style: Style = "secondary" if encounter.ended else "primary"
        button = Button(f"{turn_id_prefix(scene, encounter)}next", name, style)
        # A GM may close what holds the turn. Its player has nothing left to press.
        pressed = place == here and (gm or not encounter.ended)
        waits = waits_of_turn(scene.state, place)
        ends = [each.due for each in waits if each.ends_turn and each.due > at]
        away = absent_owner(scene.state, encounter)
        gone = None
        if away is not None and away.owner != who.id:
            gone = Markdown(scene.names.name(away.owner))
        told = {"timeline": encounter.timeline, "elsewhere": "" if place == here else place}
        told |= {"due": ends[0] if ends else None, "stalled": stalled, "gone": gone}
        told |= {"ended": encounter.ended, "spent": spent}
        line = phrase(
            "turn-to-do",
            who=_slot_name(scene.state, slot, gm=gm),
            hint=timeline_hint(scene),
            **told,
        )
        doing: Button | tuple[Button, ...] | None = button if pressed else None
        acts_first = not (encounter.timeline or encounter.ended or spent)
        if pressed and acts_first and character is not None:
            at_turn = turn_id_prefix(scene, encounter)
            acts = turn_buttons(at_turn, scene, timeline=False, likely=0, gm=gm)
            doing = (*acts[:-1], button.replace(style="secondary"))
        found.append((line, doing))
    return found


def _command_todos(scene: Scene, game: Game, *, offers: bool) -> list[TodoLine]:
    """Return what waits besides checks by the system's own commands, and checks that are due; or
    what the commands offer.
    """
    found: list[TodoLine] = []
    for command in game.system.commands:
        for each in command.waits(game):
            if each.offer != offers:
                continue
            button = command_button(scene, command.name, each.button, each.values)
            found.append((say(each.what), button))
    for due in () if offers else game.system.due_checks(game):
        found.append((say(due.what), begin_button(scene, due.button, due.kind, due.who)))
    return found


def _board_todos(scene: Scene, who: Actor, place: str, *, gm: bool) -> list[TodoLine]:
    """What may be done in the order of action here by somebody whose turn it is not: begin, join,
    take one's moment.
    """
    encounter, shown = encounter_in(scene.state, place), board_view(scene.state, place)
    if encounter is None or shown is None:
        return []
    at = board_id_prefix(scene.table_id, place, shown.round, shown.turn)
    found: list[TodoLine] = []
    if gm and not encounter.round:
        found.append(
            (phrase("board-to-begin"), Button(f"{at}next", label_text("button-begin"), "primary"))
        )
    mine = {each.id: each for each in playable_characters(scene.state, who) if each.owner == who.id}
    there = {slot.character: slot for slot in encounter.order}
    for each in mine.values():
        waits = each.id in there and there[each.id].delayed and bool(encounter.round)
        if waits and not acts_last_after_waiting(scene):
            told = {"name": each.name, "timeline": encounter.timeline, "hint": timeline_hint(scene)}
            found.append(
                (
                    phrase("board-to-return", **told),
                    Button(f"{at}back", label_text("button-act-now")),
                )
            )
    if mine and there.keys().isdisjoint(mine):
        found.append((phrase("board-to-join"), Button(f"{at}join", label_text("button-join"))))
    return found


def _newcomer_todos(scene: Scene, who: Actor, *, gm: bool) -> list[tuple[str, Button | None]]:
    """For a GM those who would like to join, for a player their own who wait or came back."""
    found: list[tuple[str, Button | None]] = []
    for each in unapproved_characters(scene.state):
        button = None
        if gm and not each.sent_back:
            name = clip(label_text("button-look-at", name=each.name), BUTTON_LABEL)
            button = Button(f"sg:appr:{scene.table_id}:{each.id}:show", name, "primary")
        elif each.owner != who.id:
            continue
        line = phrase("newcomer", name=each.name, new=button is not None, back=bool(each.sent_back))
        found.append((line, button))
    return found


def story_lines(game: Game, *, gm: bool) -> list[str]:
    """Return the session, the time and each order's current turn, for `/table show`.

    Places that the reader can't view are left out.
    """
    state = game.state
    lines = [phrase("story-now", about=state.clock)]
    for place in state.encounters:
        slot = slot_on_turn(encounter := encounter_in(state, place))
        if encounter is not None and may_read(game.readable, place, theirs=False, gm=gm):
            unknown = slot is None or (not gm and is_hidden(state, slot))
            who = None if slot is None or unknown else _slot_name(state, slot, gm=gm)
            round = encounter.round if gm else known_round(state, encounter)
            told = {"round": round, "timeline": encounter.timeline}
            lines.append(phrase("order-now", who=who, place=place, **told))
    return lines


def _slot_name(state: TableState, slot: Slot, *, gm: bool) -> Markdown:
    """Whoever stands there in the order, as GMs or as players know them."""
    if slot.character is None:
        return Markdown(name_text(slot.name))
    return Markdown(shown_name(state.characters[slot.character], gm=gm))
