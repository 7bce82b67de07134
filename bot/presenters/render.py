"""Messages and dialogs as discord.py sends them: a message as a layout, or as plain text.

Views and dialogs are finished from the start, so discord.py keeps none of them. The router finds a
button by its custom id, however old its message is.
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
    Control,
    Drawing,
    Modal,
    Option,
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
#: Types of the menus whose entries Discord knows: members and roles.
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
    """Return a label that is never empty, because Discord refuses a message with an empty one."""
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
    menu["options"] = [_menu_option(option) for option in control.options]
    return menu


def _menu_option(option: Option) -> dict[str, Any]:
    entry = {"label": _label(option.label), "value": option.value, "default": option.default}
    if option.description:
        entry["description"] = option.description
    return entry


class Controls:
    """Controls of a message, with all that discord.py asks of a view. The router handles presses.

    They are kept as they are sent. A live view, with an object and an unused callback for each
    control, would cost more than the rest of the message. discord.py stores no finished view.
    """

    __slots__ = ("_laid", "_sent")
    __discord_ui_view__ = True
    timeout = None

    def __init__(self, components: list[dict[str, Any]], *, laid: bool = False) -> None:
        # At most one button stands out: the expected one.
        primary: list[Any] = [
            component
            for component in walk_components(components)
            if component.get("style") == _STYLES["primary"]
        ]
        for button in primary[1:]:
            button["style"] = _STYLES["secondary"]
        self._sent = components
        self._laid = laid

    def to_components(self) -> list[dict[str, Any]]:
        """Return the components as they are sent."""
        return self._sent

    def has_components_v2(self) -> bool:
        """Return whether they are the whole message, a layout; otherwise rows below a text."""
        return self._laid

    def is_finished(self) -> bool:
        """Return that no task waits for the view."""
        return True

    def is_dispatchable(self) -> bool:
        """Return that discord.py has no presses to dispatch; they go to the router."""
        return False


def to_view(rows: Rows) -> Controls:
    """Return rows of controls as the view of an ordinary message."""
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
    """A picture of a message that `bot.delivery.drawn_pictures` draws before it is sent."""

    filename: str
    drawing: Drawing
    description: str | None = None

    def file(self, png: bytes) -> discord.File:
        """Return the drawn picture as a file."""
        return discord.File(BytesIO(png), self.filename, description=self.description)


def _file(attachment: Attachment) -> discord.File:
    return discord.File(BytesIO(attachment.content), attachment.name)


#: Spaces that must not end a line on a phone, before a number or die.
_BEFORE_NUMBER: Final = re.compile(r" (?=[*d\d])(?=\*{0,2}d?\d)(?<=[A-Za-z] )")
#: Signs whose spaces must not end a line either.
_STICKY: Final = ("= ", "→ ", " →", " ·")
#: Most letters of one piece, so that a head and small print still fit beside it.
_PIECE_LENGTH: Final = 3000
_HEAD_LENGTH: Final = 300


def is_layout(message: Message) -> bool:
    """Return whether a message is laid out, without content."""
    return "view" in message and message["view"].has_components_v2()


def message_row_number(message: discord.Message) -> int | None:
    """Return the outbox row's number that a message of the bot carries; None if it has none."""
    for component in message.components:
        if isinstance(component, discord.Container):
            return None if component.id is None else row_number_of(component.id)
    return None


def container_ids(components: Iterable[Mapping[str, Any]]) -> list[int]:
    """Return the numeric ids of the containers of a message."""
    return [component.get("id", 0) for component in components if component["type"] == _CONTAINER]


def custom_ids(components: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the custom ids of a message's controls, at any depth."""
    every = walk_components(components)
    return [component["custom_id"] for component in every if "custom_id" in component]


def walk_components(components: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return every component of a message from top to bottom, each before its children."""
    every: list[Mapping[str, Any]] = []
    stack = [*components][::-1]
    while stack:
        component = stack.pop()
        every.append(component)
        if "accessory" in component:
            stack.append(component["accessory"])
        if "components" in component:
            stack += component["components"][::-1]
    return every


@lru_cache(maxsize=2048)
def with_hard_spaces(text: str) -> str:
    """Return a text with each number kept on the line of its word; code stays as it is."""
    if "`" in text:
        parts = text.split("`")
        parts[::2] = map(with_hard_spaces, parts[::2])
        return "`".join(parts)
    for sign in _STICKY:
        if sign in text:
            text = text.replace(sign, sign.replace(" ", "\u00a0"))
    return _BEFORE_NUMBER.sub("\u00a0", text)


#: Lines of the pieces that are nothing but text.
_LINES: Final[dict[type, Callable[[Any], list[str]]]] = {
    Body: lambda piece: [piece.text] if piece.text and not piece.text.isspace() else [],
    Head: lambda piece: [f"## {piece.text}"],
    Heading: lambda piece: [f"### {piece.text}"],
    SmallPrint: lambda piece: [f"-# {part}" for part in piece.text.split("\n") if part.strip()],
}


def _parts(pieces: Iterable[Piece]) -> list[dict[str, Any]]:
    """Return the parts of a container.

    Lines that follow each other share one text, so that they stand close together.
    """
    parts: list[dict[str, Any]] = []
    lines: list[str] = []

    def flush() -> None:
        if lines:
            parts.append({"type": _TEXT, "content": "\n".join(map(with_hard_spaces, lines))})
            lines.clear()

    for piece in pieces:
        if (lines_of := _LINES.get(type(piece))) is not None:
            lines += lines_of(piece)
            continue
        flush()
        match piece:
            case QuotedText(text):
                parts.append({"type": _TEXT, "content": "> " + text.replace("\n", "\n> ")})
            case Row(controls):
                components = [_component(control) for control in controls]
                parts.append({"type": _ROW, "components": components})
            case Divider():
                parts.append({"type": _SEPARATOR, "divider": True, "spacing": 1})
            case Section(text, right):
                text = {"type": _TEXT, "content": with_hard_spaces(text)}
                parts.append(
                    {"type": _SECTION, "components": [text], "accessory": _accessory(right)}
                )
            case Picture(name, _, alt):
                shown = {
                    "media": {"url": f"attachment://{name}"},
                    "description": clip(alt, ALT_TEXT),
                }
                parts.append({"type": _GALLERY, "items": [shown]})
            case _:
                pass
    flush()
    return parts


def _accessory(right: Button | Portrait) -> dict[str, Any]:
    if isinstance(right, Button):
        return _component(right)
    about = {"description": clip(right.alt, ALT_TEXT)} if right.alt else {}
    url = f"attachment://{right.url}" if right.drawing else right.url
    return {"type": _THUMBNAIL, "media": {"url": url}, **about}


def _has_portrait(part: Mapping[str, Any]) -> bool:
    return part["type"] == _SECTION and part["accessory"]["type"] == _THUMBNAIL


def _fits(parts: list[dict[str, Any]], *, flat: bool = False) -> bool:
    """Return whether the parts and their container are within Discord's limits.

    `flat` parts have no children.
    """
    every = parts if flat else walk_components(parts)
    if len(every) >= COMPONENTS:
        return False
    return is_within("".join([part.get("content", "") for part in every]), TEXTS)


def _split_piece(piece: Piece) -> list[Piece]:
    """Return a piece as several if its text is too long for a message."""
    match piece:
        case Head(text) | Heading(text):
            return [piece.replace(text=clip(text, _HEAD_LENGTH))]
        case Body(text) | QuotedText(text) | SmallPrint(text) if not is_within(text, _PIECE_LENGTH):
            return [piece.replace(text=page) for page in split_pages([text], _PIECE_LENGTH)]
        case Section(text) if not is_within(text, _PIECE_LENGTH):
            *before, last = split_pages([text], _PIECE_LENGTH)
            return [*map(Body, before), piece.replace(text=last)]
        case _:
            return [piece]


def _paginate(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """Return the pieces on as few pages as possible, the head on each, the rows on the last."""
    heads: list[Piece] = []
    rest: list[Piece] = []
    rows: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, Head):
            heads += _split_piece(piece)
        elif isinstance(piece, Row):
            rows += _split_piece(piece)
        else:
            rest += _split_piece(piece)
    pages: list[list[Piece]] = [list(heads)]
    for piece in rest:
        if not _fits(_parts([*pages[-1], piece, Body(_PAGE)])):
            pages.append(list(heads))
        pages[-1].append(piece)
    if not _fits(_parts([*pages[-1], *rows, Body(_PAGE)])):
        pages.append(list(heads))
    pages[-1] += rows
    for number, page in enumerate(pages, 1):
        suffix = _PAGE.format(number, len(pages))
        for place, piece in enumerate(page):
            if isinstance(piece, Head):
                page[place] = Head(piece.text + suffix)
    return pages


def _layout_messages(card: Layout, row: int | None) -> list[Message]:
    """Return a laid-out message, or as many as it needs, then the message that calls players."""
    kinds = {*map(type, card.pieces)}  # most messages have few of them
    flat = Row not in kinds and Section not in kinds
    if not flat:
        check_controls(tuple([(control,) for control in controls_of(card)]))
    if is_call(card):
        return [_call_message(card)]
    pieces = card.pieces
    if Row in kinds:
        pieces = tuple([piece for piece in pieces if not isinstance(piece, Row) or piece.controls])
    pages = [_parts(pieces)]
    if not _fits(pages[0], flat=flat):
        pages = [_parts(page) for page in _paginate(pieces)]
        if not all(map(_fits, pages)):
            raise ValueError(f"more than {COMPONENTS} parts that belong together")
    pictures = _pending_pictures(card) if Picture in kinds or Section in kinds else {}
    messages: list[Message] = []
    for parts in pages:
        container: dict[str, Any] = {
            "type": _CONTAINER,
            "accent_color": _ACCENTS[card.accent],
            "components": parts,
        }
        if row is not None:
            container["id"] = container_id(row)
        message: Message = {"view": Controls([container], laid=True), "allowed_mentions": _NOBODY}
        if pictures:
            urls = _picture_urls(parts)
            files = [file for name, file in pictures.items() if f"attachment://{name}" in urls]
            if files:
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


def _pending_pictures(card: Layout) -> dict[str, PendingPicture]:
    """Return the pictures and drawn portraits of a message by file name."""
    pictures: dict[str, PendingPicture] = {}
    for piece in card.pieces:
        if isinstance(piece, Picture):
            alt = clip(piece.alt, ALT_TEXT)
            pictures[piece.name] = PendingPicture(piece.name, piece.drawing, alt)
    for piece in card.pieces:
        portrait = piece.right if isinstance(piece, Section) else None
        if isinstance(portrait, Portrait) and portrait.drawing:
            pictures[portrait.url] = PendingPicture(portrait.url, portrait.drawing)
    return pictures


def _picture_urls(parts: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the urls of the pictures and portraits in these parts."""
    urls: set[str] = set()
    for part in parts:
        if part["type"] == _GALLERY:
            urls.update(item["media"]["url"] for item in part["items"])
        elif _has_portrait(part):
            urls.add(part["accessory"]["media"]["url"])
    return urls


def _call_message(card: Layout) -> Message:
    """Return the ordinary message that calls players, with the rows of a mere call."""
    message: Message = {
        "content": clip(card.call, CONTENT),
        "allowed_mentions": _allowed_mentions(card),
    }
    rows = tuple([piece.controls for piece in card.pieces if isinstance(piece, Row)])
    if rows:
        message["view"] = to_view(rows)
    return message


def _plain_messages(card: Layout) -> list[Message]:
    """Return a message as text alone, with ordinary rows of controls."""
    text = "\n".join(filter(None, (card.call, plain_text(card))))
    beside: list[Button] = []
    below: list[tuple[Control, ...]] = []
    for piece in card.pieces:
        if isinstance(piece, Section) and isinstance(piece.right, Button):
            beside.append(piece.right)
        elif isinstance(piece, Row) and piece.controls:
            below.append(piece.controls)
    rows = (*button_rows(beside, ROW_BUTTONS), *below)
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
    """Return a message as a layout: an edit can't turn a layout back into content."""
    if is_layout(message):
        return message
    parts = _parts([Body(message["content"])])
    parts += message["view"].to_components() if "view" in message else []
    container = {"type": _CONTAINER, "components": parts}
    others = {key: value for key, value in message.items() if key not in ("content", "view")}
    return {**others, "view": Controls([container], laid=True)}


def as_edit(message: Message, *, layout: bool = False) -> Message:
    """Return a message as an edit, which removes what the message doesn't have.

    With `layout` the edited message is a layout.
    """
    if layout:
        message = as_layout(message)
    kept = {key: value for key, value in message.items() if key not in ("files", "silent")}
    changed = {"content": None, "view": None, **kept}
    if is_layout(message) or "files" in message:
        changed["attachments"] = message.get("files", [])
    return changed


def to_messages(*cards: Layout, plain: bool = False, row: int | None = None) -> list[Message]:
    """Return the messages as keyword arguments for sending, each as many as its text needs.

    The plain form is text alone. An absent `content` or `view` has no key. A layout carries the
    `row` of the outbox that it is sent for, by which it is found again.
    """
    messages: list[Message] = []
    for card in cards:
        messages += _plain_messages(card) if plain else _layout_messages(card, row)
    return messages


def to_modal(modal: Modal) -> discord.ui.Modal:
    """Return the dialog, stopped as views are. Raises ValueError if Discord would refuse it."""
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
