"""Controls of messages: buttons, menus and dialogs; and pictures and files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

from bot.presenters.language.limits import ROW_BUTTONS
from bot.presenters.language.words import label_text
from rules.core.record import Record

Style = Literal["primary", "secondary", "danger"]


class Button(Record):
    """A button."""

    #: Custom id of the router, at most 100 characters.
    id: str
    label: str
    style: Style = "secondary"
    disabled: bool = False


class Option(Record):
    """An entry of a menu."""

    value: str
    label: str
    description: str = ""
    default: bool = False


class Select(Record):
    """A menu of up to 25 options."""

    id: str
    placeholder: str
    options: tuple[Option, ...] = ()
    #: Fewest and most options that may be chosen.
    least: int = 1
    most: int = 1
    #: Any kind but "text" offers the server's channels, members or roles instead of `options`.
    kind: Literal["text", "channel", "user", "role"] = "text"


Control = Button | Select
#: Up to five rows; a row holds up to five buttons or one select.
Rows = tuple[tuple[Control, ...], ...]


#: Most buttons side by side on a phone.
BUTTONS_PER_ROW: Final = 3


def button_rows(buttons: Sequence[Button], wide: int) -> Rows:
    """Return rows of at most `wide` buttons."""
    return tuple([tuple(buttons[at : at + wide]) for at in range(0, len(buttons), wide)])


def even_rows(buttons: Sequence[Button]) -> Rows:
    """Return one row if the buttons fit in it, else rows of `BUTTONS_PER_ROW`."""
    return button_rows(buttons, ROW_BUTTONS if len(buttons) <= ROW_BUTTONS else BUTTONS_PER_ROW)


def page_turns(page: int, pages: int, id_of: Callable[[int], str]) -> Rows:
    """Return the row that leads to the previous and next page; none for a single page."""
    neighbors = ((page - 1, label_text("turn-back")), (page + 1, label_text("turn-more")))
    buttons = tuple(Button(id_of(to), label) for to, label in neighbors if 0 <= to < pages)
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
    """A picture of a message."""

    #: File name.
    name: str
    drawing: Drawing
    #: Description of the picture in words.
    alt: str


class Attachment(Record):
    """A file of a message."""

    name: str
    content: bytes


class Input(Record):
    """An input of a dialog."""

    id: str
    label: str
    value: str = ""
    placeholder: str = ""
    #: Whether it's a paragraph.
    long: bool = False
    required: bool = True
    #: Most characters.
    most: int = 1000
    #: A hint under the label.
    about: str = ""


class Modal(Record):
    """A dialog of one to five inputs. `id` is a custom id of the router."""

    id: str
    title: str
    inputs: tuple[Input, ...]


#: Label of the button that creates a character.
CREATE_LABEL: Final = "Create a character"
#: Label of the button that opens a check.
TRY_LABEL: Final = label_text("try-something")


def react_id(table_id: int, check: str) -> str:
    """Return the id of the neutral button of a check, which shows readers all their answers."""
    return f"sg:chk:{table_id}:{check}"


def prompt_id(table_id: int, check: str, number: int, prompt: str, route: str = "chq") -> str:
    """Return the id of the button of a prompt; with the route `cha` it accepts a result."""
    return f"sg:{route}:{table_id}:{check}.{number}:{prompt}"


def more_time_button(table_id: int, check: str, number: int, prompt: str) -> Button:
    """Return the button with which a player who is asked takes more time."""
    id = prompt_id(table_id, check, number, prompt, "more")
    return Button(id, label_text("button-more-time"))


def try_button(table_id: int) -> Button:
    """Return the button that begins a check at a table."""
    return Button(f"sg:join:{table_id}:check", TRY_LABEL, "primary")


def back_button(table_id: int) -> Button:
    """Return the button that ends a player's absence."""
    return Button(f"sg:order:{table_id}:back", label_text("order-back"))


def moves_button(table_id: int) -> Button:
    """Return the button that shows a reader what waits for them at a table, as /moves does."""
    return Button(f"sg:moves:{table_id}", label_text("moves-open"), "primary")


def grow_button(table_id: int) -> Button:
    """Return the button that shows players what they may raise."""
    return Button(f"sg:grow:{table_id}", label_text("grow-open"), "primary")


def take_back_button(table_id: int, entry: int) -> Button:
    """Return the *Undo* button of an entry, which works for a minute."""
    return Button(f"sg:back:{table_id}:{entry}", label_text("undo-now"))


def create_button(table_id: int) -> Button:
    """Return the button that creates a character."""
    return Button(f"sg:join:{table_id}:players", CREATE_LABEL, "primary")


def gm_channel_rows(table_id: int) -> tuple[tuple[Select], tuple[Button]]:
    """Return the menu that picks a table's GM channel, and the button for none."""
    menu = Select(f"sg:gmch:{table_id}", label_text("gm-channel-menu"), kind="channel")
    return (menu,), (Button(f"sg:nogm:{table_id}", label_text("gm-channel-without")),)
