"""Cards and dialogs -> what discord.py sends: a card as a layout, or as plain text.

Views and dialogs are over from the beginning, so that nothing keeps them: their buttons are found
by custom id, whenever they were made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from io import BytesIO
from typing import Any, Final

import discord

from bot.presenters.control_ids import container_id, row_number_of, with_epoch
from bot.presenters.control_limits import check_controls, check_modal
from bot.presenters.controls import (
    Attachment,
    Button,
    Drawing,
    Modal,
    Picture,
    Rows,
    Select,
    Style,
    button_rows,
)
from bot.presenters.language.limits import (
    ALT_TEXT,
    COMPONENTS,
    CONTENT,
    ROW_BUTTONS,
    ROWS,
    TEXTS,
    clip,
    is_within,
    split_pages,
)
from bot.presenters.language.text import EMPTY_NAME
from bot.presenters.layout import (
    Accent,
    Body,
    Divider,
    Head,
    Heading,
    Layout,
    Piece,
    Portrait,
    QuotedText,
    Row,
    Section,
    SmallPrint,
    controls_of,
    is_call,
    plain_text,
)
from rules.core.record import Record

Message = dict[str, Any]

_ACCENTS: Final[dict[Accent, int]] = {
    "open": 0x56B4E9,
    "good": 0x009E73,
    "bad": 0xD55E00,
    "waiting": 0x80848E,
    "own": 0xE69F00,
    "gm": 0xCC79A7,
}
_CONTAINER: Final = discord.ComponentType.container.value
_SECTION: Final = discord.ComponentType.section.value
_TEXT: Final = discord.ComponentType.text_display.value
_THUMBNAIL: Final = discord.ComponentType.thumbnail.value
_GALLERY: Final = discord.ComponentType.media_gallery.value
_FILE: Final = discord.ComponentType.file.value
_SEPARATOR: Final = discord.ComponentType.separator.value
_ROW: Final = discord.ComponentType.action_row.value
_BUTTON: Final = discord.ComponentType.button.value
_TEXT_SELECT: Final = discord.ComponentType.select.value
_CHANNEL_SELECT: Final = discord.ComponentType.channel_select.value
#: Menus of what the server itself has.
_ENTITY_SELECTS: Final = {
    "user": discord.ComponentType.user_select.value,
    "role": discord.ComponentType.role_select.value,
}
_STYLES: Final[dict[Style, int]] = {
    "primary": discord.ButtonStyle.primary.value,
    "secondary": discord.ButtonStyle.secondary.value,
    "danger": discord.ButtonStyle.danger.value,
}
_PAGE = " ({} of {})"
_NOBODY: Final = discord.AllowedMentions.none()


def _label(text: str) -> str:
    """A label that is never empty: a name of nothing but signs that are left out would spoil the
    message.
    """
    return text if text.strip() else EMPTY_NAME


def _component(control: Button | Select) -> dict[str, Any]:
    if isinstance(control, Button):
        return {
            "type": _BUTTON,
            "style": _STYLES[control.style],
            "label": _label(control.label),
            "custom_id": with_epoch(control.id),
            "disabled": control.disabled,
        }
    menu: dict[str, Any] = {
        "type": _TEXT_SELECT,
        "custom_id": with_epoch(control.id),
        "placeholder": control.placeholder,
        "min_values": control.least,
        "max_values": control.most,
    }
    if control.kind == "channel":
        return {**menu, "type": _CHANNEL_SELECT, "channel_types": [discord.ChannelType.text.value]}
    if control.kind != "text":
        return {**menu, "type": _ENTITY_SELECTS[control.kind]}
    menu["options"] = [
        {"label": _label(option.label), "value": option.value, "default": option.default}
        | ({"description": option.description} if option.description else {})
        for option in control.options
    ]
    return menu


class Controls:
    """Controls that are pressed and chosen through our own router: all that discord.py asks of a
    view.

    They are handed over as they are sent: a live view, with an object for each control and a
    callback that nobody calls, costs more than the rest of the message. Nothing stores this one,
    because it is over from the beginning.
    """

    __slots__ = ("_laid", "_sent")
    __discord_ui_view__ = True
    timeout = None

    def __init__(self, components: list[dict[str, Any]], *, laid: bool = False) -> None:
        expected: list[Any] = [
            each for each in walk_components(components) if each.get("style") == _STYLES["primary"]
        ]
        for each in expected[1:]:  # one button stands out at most: what is expected next
            each["style"] = _STYLES["secondary"]
        self._sent = components
        self._laid = laid

    def to_components(self) -> list[dict[str, Any]]:
        return self._sent

    def has_components_v2(self) -> bool:
        """Whether they are the whole message, a layout; else rows below a text."""
        return self._laid

    def is_finished(self) -> bool:
        """Nobody waits for it."""
        return True

    def is_dispatchable(self) -> bool:
        """What is pressed goes to the router."""
        return False


def to_view(rows: Rows) -> Controls:
    sent: list[dict[str, Any]] = []
    for row in rows:
        components: list[dict[str, Any]] = []
        for control in row:
            components.append(_component(control))
        sent.append({"type": _ROW, "components": components})
    return Controls(sent)


def _allowed_mentions(card: Layout) -> discord.AllowedMentions:
    return discord.AllowedMentions(
        everyone=False,
        users=[discord.Object(user) for user in card.mentions],
        roles=[discord.Object(role) for role in card.role_mentions],
        replied_user=False,
    )


class PendingPicture(Record):
    """A picture among the files of a message that is drawn before the message is sent
    (`bot.delivery.drawn_pictures`).
    """

    filename: str
    drawing: Drawing
    description: str | None = None

    def file(self, png: bytes) -> discord.File:
        return discord.File(BytesIO(png), self.filename, description=self.description)


def _file(attachment: Attachment) -> discord.File:
    return discord.File(BytesIO(attachment.content), attachment.name)


#: Spaces that must not end a line on a phone: before a number or die; and after "=", round an
#: arrow, before a dot.
_BEFORE_NUMBER: Final = re.compile(r" (?=[*d\d])(?=\*{0,2}d?\d)(?<=[A-Za-z] )")
_STICKY: Final = ("= ", "→ ", " →", " ·")
#: How long a text of one piece may be, so that a head and small print still fit beside it.
_PIECE: Final = 3000
_HEAD: Final = 300


def is_layout(message: Message) -> bool:
    return "view" in message and message["view"].has_components_v2()


def message_row_number(message: discord.Message) -> int | None:
    """Return the row number of a card of the bot; None for other messages, and cards without."""
    found = [each.id for each in message.components if isinstance(each, discord.Container)]
    return row_number_of(found[0]) if found and found[0] is not None else None


def container_ids(components: Iterable[Mapping[str, Any]]) -> list[int]:
    """The numeric ids of the containers of a message."""
    return [each.get("id", 0) for each in components if each["type"] == _CONTAINER]


def custom_ids(components: Iterable[Mapping[str, Any]]) -> list[str]:
    """The custom ids of a message's controls, wherever they stand."""
    return [each["custom_id"] for each in walk_components(components) if "custom_id" in each]


def walk_components(components: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Every part of a message from above to below, each before what stands in it."""
    found: list[Mapping[str, Any]] = []
    left = [*components][::-1]
    while left:
        each = left.pop()
        found.append(each)
        if "accessory" in each:
            left.append(each["accessory"])
        if "components" in each:
            left += each["components"][::-1]
    return found


@lru_cache(maxsize=2048)
def with_hard_spaces(text: str) -> str:
    """The text, with numbers kept on the line of the word they belong to; what is to be typed stays
    as it is.
    """
    if "`" in text:
        return "`".join(
            [
                part if place % 2 else with_hard_spaces(part)
                for place, part in enumerate(text.split("`"))
            ]
        )
    for sign in _STICKY:
        if sign in text:
            text = text.replace(sign, sign.replace(" ", "\u00a0"))
    return _BEFORE_NUMBER.sub("\u00a0", text)


#: The lines of those pieces that are nothing but text.
_LINES: Final[dict[type, Callable[[Any], list[str]]]] = {
    Body: lambda piece: [piece.text] if piece.text and not piece.text.isspace() else [],
    Head: lambda piece: [f"## {piece.text}"],
    Heading: lambda piece: [f"### {piece.text}"],
    SmallPrint: lambda piece: [f"-# {part}" for part in piece.text.split("\n") if part.strip()],
}


def _parts(pieces: Iterable[Piece]) -> list[dict[str, Any]]:
    """The parts of a container; lines that follow each other share one text, so that they stand
    close together.
    """
    found: list[dict[str, Any]] = []
    lines: list[str] = []

    def flush() -> None:
        if lines:
            found.append({"type": _TEXT, "content": "\n".join(map(with_hard_spaces, lines))})
            lines.clear()

    for piece in pieces:
        if (said := _LINES.get(type(piece))) is not None:
            lines += said(piece)
            continue
        flush()
        match piece:
            case QuotedText(text):
                found.append({"type": _TEXT, "content": "> " + text.replace("\n", "\n> ")})
            case Row(controls):
                found.append(
                    {"type": _ROW, "components": [_component(control) for control in controls]}
                )
            case Divider():
                found.append({"type": _SEPARATOR, "divider": True, "spacing": 1})
            case Section(text, right):
                text = {"type": _TEXT, "content": with_hard_spaces(text)}
                found.append(
                    {"type": _SECTION, "components": [text], "accessory": _accessory(right)}
                )
            case Picture(name, _, alt):
                shown = {
                    "media": {"url": f"attachment://{name}"},
                    "description": clip(alt, ALT_TEXT),
                }
                found.append({"type": _GALLERY, "items": [shown]})
            case _:
                pass
    flush()
    return found


def _accessory(right: Button | Portrait) -> dict[str, Any]:
    if isinstance(right, Button):
        return _component(right)
    about = {"description": clip(right.alt, ALT_TEXT)} if right.alt else {}
    url = f"attachment://{right.url}" if right.drawing else right.url
    return {"type": _THUMBNAIL, "media": {"url": url}, **about}


def _has_portrait(part: Mapping[str, Any]) -> bool:
    return part["type"] == _SECTION and part["accessory"]["type"] == _THUMBNAIL


def _fits(parts: list[dict[str, Any]], *, flat: bool = False) -> bool:
    """Whether the parts, with the container round them, are within what Discord takes; `flat`: none
    holds others.
    """
    every = parts if flat else walk_components(parts)
    return len(every) < COMPONENTS and is_within(
        "".join([each.get("content", "") for each in every]), TEXTS
    )


def _split_piece(piece: Piece) -> list[Piece]:
    """A piece with a text that is too long for a card, as several."""
    match piece:
        case Head(text) | Heading(text):
            return [piece.replace(text=clip(text, _HEAD))]
        case Body(text) | QuotedText(text) | SmallPrint(text) if not is_within(text, _PIECE):
            return [piece.replace(text=page) for page in split_pages([text], _PIECE)]
        case Section(text) if not is_within(text, _PIECE):
            *before, last = split_pages([text], _PIECE)
            return [*map(Body, before), piece.replace(text=last)]
        case _:
            return [piece]


def _paginate(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """The pieces on as few cards as need be, the head on each; what can be pressed below stays
    together at the end.
    """
    heads: list[Piece] = []
    rest: list[Piece] = []
    rows: list[Piece] = []
    for piece in pieces:
        place = heads if isinstance(piece, Head) else rows if isinstance(piece, Row) else rest
        place += _split_piece(piece)
    done: list[list[Piece]] = [list(heads)]
    for piece in rest:
        if not _fits(_parts([*done[-1], piece, Body(_PAGE)])):
            done.append(list(heads))
        done[-1].append(piece)
    if not _fits(_parts([*done[-1], *rows, Body(_PAGE)])):
        done.append(list(heads))
    done[-1] += rows
    count = len(done)
    return [
        [
            Head(each.text + _PAGE.format(number, count)) if isinstance(each, Head) else each
            for each in page
        ]
        for number, page in enumerate(done, 1)
    ]


def _layout_messages(card: Layout, row: int | None) -> list[Message]:
    """A card that is laid out as one message, or as many as it needs; then the message that calls
    people.
    """
    kinds = {*map(type, card.pieces)}  # most cards have few of them
    flat = Row not in kinds and Section not in kinds
    if not flat:
        check_controls(tuple([(control,) for control in controls_of(card)]))
    if is_call(card):
        return [_call_message(card)]
    pieces = card.pieces
    if Row in kinds:
        pieces = tuple([piece for piece in pieces if not isinstance(piece, Row) or piece.controls])
    found = [_parts(pieces)]
    if not _fits(found[0], flat=flat):
        found = [_parts(page) for page in _paginate(pieces)]
        if not all(map(_fits, found)):
            raise ValueError(f"more than {COMPONENTS} parts that belong together")
    pictures: dict[str, PendingPicture] = {}
    if Picture in kinds or Section in kinds:
        drawn = [each for each in card.pieces if isinstance(each, Picture)]
        pictures = {
            each.name: PendingPicture(each.name, each.drawing, clip(each.alt, ALT_TEXT))
            for each in drawn
        }
        portraits = [each.right for each in card.pieces if isinstance(each, Section)]
        for each in portraits:
            if isinstance(each, Portrait) and each.drawing:
                pictures[each.url] = PendingPicture(each.url, each.drawing)
    messages: list[Message] = []
    for parts in found:
        container: dict[str, Any] = {
            "type": _CONTAINER,
            "accent_color": _ACCENTS[card.accent],
            "components": parts,
        }
        if row is not None:
            container["id"] = container_id(row)
        message: Message = {"view": Controls([container], laid=True), "allowed_mentions": _NOBODY}
        if pictures:
            named = {
                item["media"]["url"]
                for each in parts
                if each["type"] == _GALLERY
                for item in each["items"]
            }
            named |= {each["accessory"]["media"]["url"] for each in parts if _has_portrait(each)}
            if files := [
                file for name, file in pictures.items() if f"attachment://{name}" in named
            ]:
                message["files"] = files
        messages.append(message)
    if card.attachment is not None:
        last, file = messages[-1], card.attachment
        part = {"type": _FILE, "file": {"url": f"attachment://{file.name}"}}
        last["view"] = Controls([*last["view"].to_components(), part], laid=True)
        last["files"] = [*last.get("files", ()), _file(file)]
    if card.call:
        messages.append(_call_message(card.replace(pieces=())))
    return messages


def _call_message(card: Layout) -> Message:
    """The ordinary message that calls people, with what can be pressed where that is all
    there is.
    """
    message: Message = {
        "content": clip(card.call, CONTENT),
        "allowed_mentions": _allowed_mentions(card),
    }
    rows = tuple([piece.controls for piece in card.pieces if isinstance(piece, Row)])
    if rows:
        message["view"] = to_view(rows)
    return message


def _plain_messages(card: Layout) -> list[Message]:
    """A card that is laid out as text alone, with ordinary rows of what can be pressed."""
    text = "\n".join(filter(None, (card.call, plain_text(card))))
    beside = [
        each.right
        for each in card.pieces
        if isinstance(each, Section) and isinstance(each.right, Button)
    ]
    rows = button_rows(beside, ROW_BUTTONS)
    rows += tuple(
        [each.controls for each in card.pieces if isinstance(each, Row) and each.controls]
    )
    check_controls(rows)
    messages: list[Message] = [
        {"content": page, "allowed_mentions": _NOBODY} for page in split_pages([text], CONTENT)
    ]
    messages[0]["allowed_mentions"] = _allowed_mentions(card)
    if card.attachment is not None:
        messages[0]["files"] = [_file(card.attachment)]
    for at in range(0, len(rows), ROWS):
        if at:
            messages.append({"content": "More:", "allowed_mentions": _NOBODY})
        messages[-1]["view"] = to_view(rows[at : at + ROWS])
    return messages


def as_layout(message: Message) -> Message:
    """A message as a layout: what has once been sent as one takes no content any more."""
    if is_layout(message):
        return message
    parts = _parts([Body(message["content"])])
    parts += message["view"].to_components() if "view" in message else []
    container = {"type": _CONTAINER, "components": parts}
    others = {key: value for key, value in message.items() if key not in ("content", "view")}
    return {**others, "view": Controls([container], laid=True)}


def as_edit(message: Message, *, layout: bool = False) -> Message:
    """The same message as an edit: what is absent is taken away. `layout`: of a message that is
    one.
    """
    if layout:
        message = as_layout(message)
    kept = {key: value for key, value in message.items() if key != "files"}
    changed = {"content": None, "view": None, **kept}
    if is_layout(message) or "files" in message:
        changed["attachments"] = message.get("files", [])
    return changed


def to_messages(*cards: Layout, plain: bool = False, row: int | None = None) -> list[Message]:
    """Cards as keyword arguments for sending: each one message, or as many as its text needs.

    The plain form is text alone. What is not there (`content`, `view`) has no key. A layout carries
    the `row` of the outbox that it is sent for, by which it is found again.
    """
    made = [_plain_messages(each) if plain else _layout_messages(each, row) for each in cards]
    return [message for messages in made for message in messages]


def to_modal(modal: Modal) -> discord.ui.Modal:
    """The dialog, stopped as views are. ValueError for one that Discord would refuse."""
    check_modal(modal)
    built = discord.ui.Modal(title=modal.title, timeout=None, custom_id=with_epoch(modal.id))
    for item in modal.inputs:
        field: discord.ui.TextInput[discord.ui.Modal] = discord.ui.TextInput(
            style=discord.TextStyle.paragraph if item.long else discord.TextStyle.short,
            custom_id=item.id,
            default=item.value or None,
            placeholder=item.placeholder or None,
            required=item.required,
            max_length=item.most,
        )
        built.add_item(
            discord.ui.Label(text=item.label, description=item.about or None, component=field)
        )
    built.stop()
    return built
