"""A message before it takes a form: what is said, and which buttons go with it."""

from __future__ import annotations

from typing import Literal

from rules.core.record import record

Tone = Literal["neutral", "waiting", "good", "bad", "warning", "secret"]
Style = Literal["primary", "secondary", "success", "danger"]


@record
class Button:
    """`id` is a custom id of the router, at most 100 characters."""

    id: str
    label: str
    style: Style = "secondary"
    disabled: bool = False


@record
class Option:
    """One entry of a select."""

    value: str
    label: str
    description: str = ""
    default: bool = False


@record
class Select:
    """A menu of up to 25 options; `least` and `most` say how many may be chosen.

    `kind` "channel" offers the server's text channels instead of `options`.
    """

    id: str
    placeholder: str
    options: tuple[Option, ...] = ()
    least: int = 1
    most: int = 1
    kind: Literal["text", "channel"] = "text"


Control = Button | Select
#: Up to five rows; a row holds up to five buttons or one select.
Rows = tuple[tuple[Control, ...], ...]


@record
class Field:
    """A named paragraph of a card."""

    name: str
    value: str
    inline: bool = False


@record
class Picture:
    """A picture that goes with a card: a file name, the PNG, and in words what it shows (`alt`)."""

    name: str
    png: bytes
    alt: str


@record
class Attachment:
    """A file that goes with a card."""

    name: str
    content: bytes


@record
class Card:
    """What is said. Texts are Markdown; what people typed is escaped before it gets here.

    `mentions` and `role_mentions` are the Discord ids that may be pinged, and only they; their mentions stand
    in `call`, the line above everything else. Whatever the `picture` shows stands in the text as well: whoever
    reads plain text gets no picture. `portrait` is the web address of somebody's.
    """

    title: str
    body: str = ""
    fields: tuple[Field, ...] = ()
    footer: str = ""
    tone: Tone = "neutral"
    rows: Rows = ()
    call: str = ""
    mentions: tuple[int, ...] = ()
    role_mentions: tuple[int, ...] = ()
    picture: Picture | None = None
    portrait: str = ""
    attachment: Attachment | None = None


@record
class Input:
    """A field of a modal. `long` gives a paragraph; lengths are in characters."""

    id: str
    label: str
    value: str = ""
    placeholder: str = ""
    long: bool = False
    required: bool = True
    most: int = 1000


@record
class Modal:
    """A dialogue of one to five inputs. `id` is a custom id of the router."""

    id: str
    title: str
    inputs: tuple[Input, ...]
