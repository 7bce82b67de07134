"""Messages about corrections: the dialog of a player, and what waits for the GMs.

`CorrectionPanel` and `AmendPanel` say what the ids of their controls mean.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.presenters.catalog_cards import card
from bot.presenters.controls import Button, Input, Modal, Option, Rows, Select, page_turns
from bot.presenters.language.limits import MODAL_TITLE, SELECT_OPTIONS, clip
from bot.presenters.language.words import label_text, phrase
from bot.presenters.layout import Layout
from bot.presenters.scene import Scene
from rules.table.events import Notice
from rules.table.journal.correction_requests import TEXT_MAX, open_corrections

#: Buttons of a request in `/moves`.
Todo = tuple[str, Button | tuple[Button, ...] | None]


def open_button(table_id: int, entry: int, label: str = "") -> Button:
    """Return the button with which a GM opens an entry to correct it."""
    return Button(f"sg:amend-open:{table_id}:{entry}", label or label_text("amend-open"))


def result_button(table_id: int, id: str) -> Button:
    """Return the button with which a GM corrects an entry of a check or of a roll call."""
    return Button(f"sg:result-entries:{table_id}:{id}", label_text("amend-result"))


def request_dialog(table_id: int, entry: int) -> Modal:
    """Return the dialog in which a player says what should change."""
    title = label_text("correction-title", entry=entry)
    asked = Input("text", label_text("correction-text"), long=True, most=TEXT_MAX)
    return Modal(f"sg:request-text:{table_id}:{entry}", clip(title, MODAL_TITLE), (asked,))


def request_rows(event: Notice, scene: Scene) -> Rows:
    """Return the buttons under a request, for GMs; none once it is answered."""
    entry, by = event.params["entry"], event.params["to"]
    if event.what != "correction-asked" or not isinstance(entry, int):
        return ()
    waiting = [(request.entry, request.by) for request in open_corrections(scene.state)]
    if (entry, by) not in waiting:
        return ()
    return (_request_buttons(scene.table_id, entry, str(by)),)


def _request_buttons(table_id: int, entry: int, by: str) -> tuple[Button, ...]:
    look = Button(
        f"sg:request-entries:{table_id}:{entry}", label_text("correction-preview"), "primary"
    )
    leave = Button(f"sg:request-dismiss:{table_id}:{entry}:{by}", label_text("correction-dismiss"))
    return (look, leave)


def correction_todos(scene: Scene, who: str, *, gm: bool) -> list[Todo]:
    """Return a line for each request: for GMs with its buttons, for a player their own."""
    todos: list[Todo] = []
    for request in open_corrections(scene.state):
        if not gm and request.by != who:
            continue
        params = {"entry": request.entry, "by": request.by, "text": request.text, "gm": gm}
        line = phrase("correction-to-do", scene.names, **params)
        buttons = _request_buttons(scene.table_id, request.entry, request.by) if gm else None
        todos.append((line, buttons))
    return todos


def entry_menu(table_id: int, entries: Sequence[Option]) -> Rows:
    """Return the menu of entries that a GM can correct, the newest first; none without entries."""
    options = tuple(entries[:SELECT_OPTIONS])
    if not options:
        return ()
    return ((Select(f"sg:amend-choose:{table_id}", label_text("amend-menu"), options),),)


def request_lines(scene: Scene, entry: int) -> list[str]:
    """Return what players ask to change about an entry, a line each, for GMs."""
    lines: list[str] = []
    for request in open_corrections(scene.state):
        if request.entry == entry:
            params = {"entry": entry, "by": request.by, "text": request.text, "gm": True}
            lines.append(phrase("correction-to-do", scene.names, **params))
    return lines


def entries_card(
    table_id: int,
    key: str,
    entries: Sequence[Option],
    page: int = 0,
    requests: Sequence[str] = (),
) -> Layout:
    """Return entries for a GM to choose one to correct; *key* is the entry, check or roll call.

    *requests* say what players ask to change.
    """
    pages = max(1, -(-len(entries) // SELECT_OPTIONS))
    page = min(page, pages - 1)
    shown = entries[page * SELECT_OPTIONS : (page + 1) * SELECT_OPTIONS]
    turns = page_turns(page, pages, lambda to: f"sg:entries-page:{table_id}:{key}:{to}")
    return card("gm", "amend-entries", None, *requests, rows=(*entry_menu(table_id, shown), *turns))
