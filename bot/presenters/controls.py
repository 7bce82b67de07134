"""What goes with the text of a message: buttons, menus, pictures and files; and the dialogs that
they open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

from bot.presenters.language.limits import ROW_BUTTONS
from bot.presenters.language.words import label_text
from rules.core.record import Record

Style = Literal["primary", "secondary", "danger"]


class Button(Record):
    """`id` is a custom id of the router, at most 100 characters."""

    id: str
    label: str
    style: Style = "secondary"
    disabled: bool = False


class Option(Record):
    value: str
    label: str
    description: str = ""
    default: bool = False


class Select(Record):
    """A menu of up to 25 options; `least` and `most` say how many may be chosen.

    `kind` "channel", "user" or "role" offers the server's text channels, members or roles instead
    of `options`.
    """

    id: str
    placeholder: str
    options: tuple[Option, ...] = ()
    least: int = 1
    most: int = 1
    kind: Literal["text", "channel", "user", "role"] = "text"


Control = Button | Select
#: Up to five rows; a row holds up to five buttons or one select.
Rows = tuple[tuple[Control, ...], ...]


#: So many buttons stand side by side on a phone.
BUTTONS_PER_ROW: Final = 3


def button_rows(buttons: Sequence[Button], wide: int) -> Rows:
    """So many side by side."""
    return tuple([tuple(buttons[at : at + wide]) for at in range(0, len(buttons), wide)])


def even_rows(buttons: Sequence[Button]) -> Rows:
    """Return one row if the buttons fit in it, else rows of `BUTTONS_PER_ROW`."""
    return button_rows(buttons, ROW_BUTTONS if len(buttons) <= ROW_BUTTONS else BUTTONS_PER_ROW)


def page_turns(page: int, pages: int, id_of: Callable[[int], str]) -> Rows:
    """The row that leads to the pages before and after; none where there is one page."""
    there = ((page - 1, label_text("turn-back")), (page + 1, label_text("turn-more")))
    buttons = tuple([Button(id_of(to), label) for to, label in there if 0 <= to < pages])
    return (buttons,) if buttons else ()


class Drawing(Record):
    """A picture that the worker process (`bot.worker_process`) has yet to draw."""

    #: Function of a module, sent by its name; it returns the picture as PNG.
    draw: Callable[..., bytes]
    #: Arguments of `draw`: plain data.
    of: tuple[Any, ...]

    def __call__(self) -> bytes:
        return self.draw(*self.of)


class Picture(Record):
    """A picture that goes with a card: a file name, its drawing, and in words what it shows
    (`alt`).
    """

    name: str
    drawing: Drawing
    alt: str


class Attachment(Record):
    name: str
    content: bytes


class Input(Record):
    """A field of a modal. `long` gives a paragraph, `about` stands under the label; lengths are in
    characters.
    """

    id: str
    label: str
    value: str = ""
    placeholder: str = ""
    long: bool = False
    required: bool = True
    most: int = 1000
    about: str = ""


class Modal(Record):
    """A dialog of one to five inputs. `id` is a custom id of the router."""

    id: str
    title: str
    inputs: tuple[Input, ...]


#: What the button says that makes a character.
CREATE_LABEL: Final = "Create a character"
#: What the button says that opens a check.
TRY_LABEL: Final = label_text("try-something")


def react_id(table_id: int, check: str) -> str:
    """The neutral button of a card: everything that whoever presses it may answer."""
    return f"sg:chk:{table_id}:{check}"


def prompt_id(table_id: int, check: str, number: int, prompt: str, route: str = "chq") -> str:
    """Return the id of the button of a prompt; with the route `cha` it accepts a result."""
    return f"sg:{route}:{table_id}:{check}.{number}:{prompt}"


def try_button(table_id: int) -> Button:
    """What opens a check at a table, for whoever presses it."""
    return Button(f"sg:join:{table_id}:check", TRY_LABEL, "primary")


def back_button(table_id: int) -> Button:
    return Button(f"sg:order:{table_id}:back", label_text("order-back"))


def grow_button(table_id: int) -> Button:
    """What opens everything that whoever presses it may raise."""
    return Button(f"sg:grow:{table_id}", label_text("grow-open"), "primary")


def take_back_button(table_id: int, entry: int) -> Button:
    """Return the *Undo* button of an entry, which works for a minute."""
    return Button(f"sg:back:{table_id}:{entry}", label_text("undo-now"))


def create_button(table_id: int) -> Button:
    return Button(f"sg:join:{table_id}:players", CREATE_LABEL, "primary")


def gm_channel_rows(table_id: int) -> tuple[tuple[Select], tuple[Button]]:
    """The menu that picks a table's GM channel, and the button for none."""
    menu = Select(f"sg:gmch:{table_id}", label_text("gm-channel-menu"), kind="channel")
    return (menu,), (Button(f"sg:nogm:{table_id}", label_text("gm-channel-without")),)
