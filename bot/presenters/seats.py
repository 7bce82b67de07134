"""Messages about seats: characters that need a player, and the users who ask for them.

`sg:seat:<table>:<character>:<verb>[:<participant>]` are the controls; the verbs are `ask` for all
users, and for GMs `open`, `look` at a request, `give`, `notes` (give with the notes) and `no`.
"""

from __future__ import annotations

from typing import Final

from bot.presenters.controls import Button, Rows, even_rows
from bot.presenters.language.limits import BUTTON_LABEL, clip
from bot.presenters.language.words import label_text, phrase
from bot.presenters.layout import Heading, Piece, Section
from bot.presenters.scene import Scene
from rules.table.events import Notice
from rules.table.people.seats import open_seats, seat_requests
from rules.table.state import AnyCharacter

#: Most seats with a button of their own in `/table show`.
_MOST_BUTTONS: Final = 5


def seat_id(table_id: int, character: str, verb: str, who: str = "") -> str:
    """Return the id of a control of a seat."""
    end = f":{who}" if who else ""
    return f"sg:seat:{table_id}:{character}:{verb}{end}"


def ask_button(table_id: int, character: str, label: str = "") -> Button:
    """Return the button with which a user asks for a seat."""
    text = label or label_text("seat-ask")
    return Button(seat_id(table_id, character, "ask"), text, "primary")


def request_rows(table_id: int, character: AnyCharacter, who: str) -> Rows:
    """Return the buttons with which a GM answers a request for a seat."""

    def button(verb: str, label: str) -> Button:
        return Button(seat_id(table_id, character.id, verb, who), label)

    give = seat_id(table_id, character.id, "give", who)
    buttons = [Button(give, label_text("seat-give"), "primary")]
    if character.owner is not None:
        buttons.append(button("notes", label_text("seat-give-notes")))
    return even_rows([*buttons, button("no", label_text("seat-refuse"))])


def seat_rows(event: Notice, scene: Scene) -> Rows:
    """Return the buttons of a notice about a seat."""
    character = scene.state.characters.get(event.characters[0])
    if character is None:
        return ()
    table_id = scene.table_id
    if event.what == "character-seat-offered":
        if character.open_seat:
            return ()
        open_id = seat_id(table_id, character.id, "open")
        return ((Button(open_id, label_text("seat-open"), "primary"),),)
    if event.what == "character-seat-open" and character.open_seat:
        return ((ask_button(table_id, character.id),),)
    if event.what == "character-seat-asked":
        who = str(event.params["to"])
        return request_rows(table_id, character, who) if who in character.seat_asked else ()
    if event.what == "character-seat-given":
        sheet = Button(f"sg:page:{table_id}:{character.id}", label_text("sheet-open"))
        return ((sheet,),)
    return ()


def seat_pieces(scene: Scene, who: str) -> list[str | Piece]:
    """Return the open seats of a table for `/table show`, with buttons to ask for one."""
    pieces: list[str | Piece] = []
    for number, character in enumerate(open_seats(scene.state)):
        line = phrase("seat-line", name=character.name, asked=who in character.seat_asked)
        may_ask = character.owner != who and who not in character.seat_asked
        if may_ask and number < _MOST_BUTTONS:
            pieces.append(Section(line, ask_button(scene.table_id, character.id)))
        else:
            pieces.append(line)
    return [Heading(phrase("seats-open")), *pieces] if pieces else []


def seat_todos(scene: Scene) -> list[tuple[str, Button | None]]:
    """Return a line for each request for a seat, with a button that shows it to a GM."""
    todos: list[tuple[str, Button | None]] = []
    for character, who in seat_requests(scene.state):
        line = phrase("seat-to-do", scene.names, name=character.name, to=who)
        label = clip(label_text("button-look-at", name=character.name), BUTTON_LABEL)
        button = Button(seat_id(scene.table_id, character.id, "look", who), label, "primary")
        todos.append((line, button))
    return todos
