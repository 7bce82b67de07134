"""Cards and dialogues -> what discord.py sends: a card as an embed, as a layout, or as plain text.

Views and dialogues are over from the beginning, so that nothing keeps them: their buttons are found by custom id,
whenever they were made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from io import BytesIO
from typing import Any, Final

import discord

from bot.presenters.card import Attachment, Button, Card, Modal, Picture, Rows, Select, Style, Tone
from bot.presenters.layout import (
    Accent,
    Beside,
    Body,
    Gap,
    Head,
    Heading,
    Layout,
    Piece,
    Portrait,
    Quoted,
    Row,
    Rule,
    Small,
    controls_of,
    is_call,
    plain,
)
from bot.presenters.limits import (
    ALT_TEXT,
    BODY,
    COMPONENTS,
    CONTENT,
    EMBED_DESCRIPTION,
    EMBED_FIELD_NAME,
    EMBED_FIELD_VALUE,
    EMBED_FIELDS,
    EMBED_FOOTER,
    EMBED_TITLE,
    EMBED_TOTAL,
    ROW_BUTTONS,
    TEXTS,
    check_controls,
    check_modal,
    check_rows,
    clip,
    pages,
    size,
    within,
)
from bot.presenters.text import NAMELESS

Message = dict[str, Any]

_COLOURS: Final[dict[Tone, discord.Colour]] = {
    "neutral": discord.Colour(0x5B6770),
    "waiting": discord.Colour(0x3B6EA5),
    "good": discord.Colour(0x2E7D4F),
    "bad": discord.Colour(0xB23A3A),
    "warning": discord.Colour(0xC77D0A),
    "secret": discord.Colour(0x6A4C93),
}
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
_STYLES: Final[dict[Style, int]] = {
    "primary": discord.ButtonStyle.primary.value,
    "secondary": discord.ButtonStyle.secondary.value,
    "success": discord.ButtonStyle.success.value,
    "danger": discord.ButtonStyle.danger.value,
}
_PAGE = " ({} of {})"
_FOOTER = 1000
_NOBODY: Final = discord.AllowedMentions.none()


def plain_text(card: Card) -> str:
    """Everything a card says, line by line, without the line that calls people."""
    parts = [card.title, card.body]
    parts += [f"{field.name}: {field.value}" for field in card.fields]
    parts += [f"Portrait: <{card.portrait}>" if card.portrait else "", card.footer]
    return "\n".join(part for part in parts if part)


def _fits_embed(card: Card) -> bool:
    texts = [card.title, card.body, card.footer]
    # No sign has more than two units; the total, the body and the footer are limited to that of a footer or more.
    short = sum(map(len, texts)) * 2 <= EMBED_FOOTER and len(card.title) * 2 <= EMBED_TITLE
    if short and not card.fields and len(card.call) * 2 <= CONTENT:
        return True
    if not (
        within(card.title, EMBED_TITLE)
        and within(card.body, EMBED_DESCRIPTION)
        and within(card.footer, EMBED_FOOTER)
        and within(card.call, CONTENT)
        and len(card.fields) <= EMBED_FIELDS
    ):
        return False
    for field in card.fields:
        texts += (field.name, field.value)
        if not (field.name and within(field.name, EMBED_FIELD_NAME)):
            return False
        if not (field.value and within(field.value, EMBED_FIELD_VALUE)):
            return False
    return within("".join(texts), EMBED_TOTAL)


class CardEmbed(discord.Embed):
    """A card as an embed: it knows which parts of one it can have, and looks for no others when it is sent."""

    __slots__ = ()

    def __init__(self, card: Card) -> None:
        self.title = card.title
        self.description = card.body.strip() or None
        self.type = "rich"
        self.url = None
        self._colour = _COLOURS[card.tone]
        self._footer = {"text": card.footer} if card.footer else {}
        self._image = {}
        self._thumbnail = {"url": card.portrait} if card.portrait else {}
        self._fields = []
        for field in card.fields:
            self._fields.append({"inline": field.inline, "name": field.name, "value": field.value})
        self._flags = 0

    def to_dict(self) -> Any:
        """What is sent, as the library would have put it."""
        sent: Message = {}
        if self._footer:
            sent["footer"] = self._footer
        if self._image:
            sent["image"] = self._image
        if self._thumbnail:
            sent["thumbnail"] = self._thumbnail
        if self._fields:
            sent["fields"] = self._fields
        sent["flags"] = self._flags
        sent["color"] = self._colour.value
        sent["type"] = self.type
        if self.description:
            sent["description"] = self.description
        if self.title:
            sent["title"] = self.title
        return sent


def _label(text: str) -> str:
    """A label that is never empty: a name of nothing but signs that are left out would spoil the message."""
    return text if text.strip() else NAMELESS


def _component(control: Button | Select) -> dict[str, Any]:
    """A control as Discord takes it."""
    if isinstance(control, Button):
        return {
            "type": _BUTTON,
            "style": _STYLES[control.style],
            "label": control.label if control.label.strip() else NAMELESS,
            "custom_id": control.id,
            "disabled": control.disabled,
        }
    menu: dict[str, Any] = {
        "type": _TEXT_SELECT,
        "custom_id": control.id,
        "placeholder": control.placeholder,
        "min_values": control.least,
        "max_values": control.most,
    }
    if control.kind == "channel":
        return {**menu, "type": _CHANNEL_SELECT, "channel_types": [discord.ChannelType.text.value]}
    menu["options"] = [
        {"label": _label(option.label), "value": option.value, "default": option.default}
        | ({"description": option.description} if option.description else {})
        for option in control.options
    ]
    return menu


class Controls:
    """Controls that are pressed and chosen through our own router: all that discord.py asks of a view.

    They are handed over as they are sent: a live view, with an object for each control and a callback that nobody
    calls, costs more than the rest of the message. Nothing stores this one, because it is over from the beginning.
    """

    __slots__ = ("_sent",)
    __discord_ui_view__ = True
    timeout = None

    def __init__(self, components: list[dict[str, Any]]) -> None:
        self._sent = components

    def to_components(self) -> list[dict[str, Any]]:
        """The rows as Discord takes them."""
        return self._sent

    def has_components_v2(self) -> bool:
        """Whether they are the whole message, a layout; else rows below a text or an embed."""
        return False

    def is_finished(self) -> bool:
        """Nobody waits for it."""
        return True

    def is_dispatchable(self) -> bool:
        """What is pressed goes to the router."""
        return False


def to_view(rows: Rows) -> Controls:
    """The controls as discord.py takes them."""
    sent: list[dict[str, Any]] = []
    for row in rows:
        components: list[dict[str, Any]] = []
        for control in row:
            components.append(_component(control))
        sent.append({"type": _ROW, "components": components})
    return Controls(sent)


def _allowed(card: Card | Layout) -> discord.AllowedMentions:
    return discord.AllowedMentions(
        everyone=False,
        users=[discord.Object(user) for user in card.mentions],
        roles=[discord.Object(role) for role in card.role_mentions],
        replied_user=False,
    )


def _picture(picture: Picture) -> discord.File:
    return discord.File(BytesIO(picture.png), picture.name, description=clip(picture.alt, ALT_TEXT))


def _file(attachment: Attachment) -> discord.File:
    return discord.File(BytesIO(attachment.content), attachment.name)


def _finish(messages: list[Message], card: Card) -> list[Message]:
    """The first message calls people, the last one carries the buttons."""
    first, *rest = messages
    first["allowed_mentions"] = _allowed(card) if card.mentions or card.role_mentions else _NOBODY
    for message in rest:
        message["allowed_mentions"] = _NOBODY
    if card.picture is not None and "embed" in first:
        first["embed"].set_image(url=f"attachment://{card.picture.name}")
        first["files"] = [_picture(card.picture)]
    if card.attachment is not None:
        first["files"] = [*first.get("files", ()), _file(card.attachment)]
    if card.rows:
        check_rows(card)
        messages[-1]["view"] = to_view(card.rows)
    return messages


def _split(card: Card) -> list[Message]:
    """A card that is too long for one embed, as several: nothing of it is left out."""
    parts = [card.body, *(f"**{field.name}**\n{field.value}" for field in card.fields)]
    texts = pages([part for part in parts if part], BODY) or [""]
    title = clip(card.title, EMBED_TITLE - len(_PAGE.format(99, 99)))
    messages: list[Message] = []
    for number, text in enumerate(texts, 1):
        page = replace(
            card,
            title=title + (_PAGE.format(number, len(texts)) if len(texts) > 1 else ""),
            body=text,
            fields=(),
            footer=clip(card.footer, _FOOTER) if number == len(texts) else "",
        )
        messages.append({"embed": CardEmbed(page)})
    *before, last = pages([card.call], CONTENT) or [""]
    if last:
        messages[0]["content"] = last
    return [*({"content": text} for text in before), *messages]


# --- cards that are laid out --------------------------------------------------------------------------------

#: Spaces that must not end a line on a phone: before a number or die, after "=", round an arrow, before a dot.
_STICKY: Final = re.compile(r" (?:(?<=[A-Za-z] )(?=\*{0,2}d?\d)|(?<=[=→] )|(?=[→·]))")
#: Ids of containers begin above those that Discord gives to the parts of a message by itself.
_ROW_IDS: Final = 1000
#: How long a text of one piece may be, so that a head and small print still fit beside it.
_PIECE: Final = 3000
_HEAD: Final = 300


class Laid(Controls):
    """The parts of a message that is a layout: no content and no embed goes with it."""

    __slots__ = ()

    def has_components_v2(self) -> bool:
        """They are the whole message."""
        return True


def is_layout(message: Message) -> bool:
    """Whether a message is a layout."""
    return isinstance(message.get("view"), Laid)


def card_id(row: int) -> int:
    """The numeric id of the container of a card that was sent for a row of the outbox."""
    return _ROW_IDS + row % (1 << 30)


def found_ids(components: Iterable[Mapping[str, Any]]) -> list[int]:
    """The numeric ids of the containers of a message."""
    return [each.get("id", 0) for each in components if each["type"] == _CONTAINER]


def custom_ids(components: Iterable[Mapping[str, Any]]) -> list[str]:
    """The custom ids of a message's controls, wherever they stand."""
    return [each["custom_id"] for each in walked(components) if "custom_id" in each]


def walked(components: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Every part of a message, those beside each other before what stands in them."""
    found = list(components)
    for each in found:  # which grows meanwhile
        if "components" in each:
            found += each["components"]
        if "accessory" in each:
            found.append(each["accessory"])
    return found


def stuck(text: str) -> str:
    """The text, with numbers kept on the line of the word they belong to; what is to be typed stays as it is."""
    if "`" not in text:
        return _STICKY.sub("\u00a0", text)
    return "`".join(
        part if place % 2 else _STICKY.sub("\u00a0", part) for place, part in enumerate(text.split("`"))
    )


def _parts(pieces: Iterable[Piece]) -> list[dict[str, Any]]:
    """The parts of a container; lines that follow each other share one text, so that they stand close together."""
    found: list[dict[str, Any]] = []
    lines: list[str] = []

    def flush() -> None:
        if lines:
            found.append({"type": _TEXT, "content": "\n".join(lines)})
            lines.clear()

    for piece in pieces:
        match piece:
            case Head(text):
                lines.append(f"## {stuck(text)}")
            case Heading(text):
                lines.append(f"### {stuck(text)}")
            case Body(text):
                if text.strip():
                    lines.append(stuck(text))
            case Small(text):
                lines += [f"-# {stuck(part)}" for part in text.split("\n") if part.strip()]
            case Quoted(text):
                flush()
                lines += [f"> {part}" for part in text.split("\n")]
                flush()
            case Gap():
                flush()
            case Rule():
                flush()
                found.append({"type": _SEPARATOR, "divider": True, "spacing": 1})
            case Beside(text, right):
                flush()
                text = {"type": _TEXT, "content": stuck(text)}
                found.append({"type": _SECTION, "components": [text], "accessory": _accessory(right)})
            case Row(controls):
                flush()
                found.append({"type": _ROW, "components": [_component(control) for control in controls]})
            case Picture(name, _, alt):
                flush()
                shown = {"media": {"url": f"attachment://{name}"}, "description": clip(alt, ALT_TEXT)}
                found.append({"type": _GALLERY, "items": [shown]})
    flush()
    return found


def _accessory(right: Button | Portrait) -> dict[str, Any]:
    if isinstance(right, Button):
        return _component(right)
    about = {"description": clip(right.alt, ALT_TEXT)} if right.alt else {}
    return {"type": _THUMBNAIL, "media": {"url": right.url}, **about}


def _fits(parts: list[dict[str, Any]]) -> bool:
    """Whether the parts, with the container round them, are within what Discord takes."""
    every = walked(parts)
    return (
        len(every) < COMPONENTS
        and sum([size(each["content"]) for each in every if "content" in each]) <= TEXTS
    )


def _broken(piece: Piece) -> list[Piece]:
    """A piece with a text that is too long for a card, as several."""
    match piece:
        case Head(text) | Heading(text):
            return [replace(piece, text=clip(text, _HEAD))]
        case Body(text) | Quoted(text) | Small(text) if not within(text, _PIECE):
            return [replace(piece, text=page) for page in pages([text], _PIECE)]
        case Beside(text) if not within(text, _PIECE):
            *before, last = pages([text], _PIECE)
            return [*map(Body, before), replace(piece, text=last)]
        case _:
            return [piece]


def _paged(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """The pieces on as few cards as need be, the head on each; what can be pressed below stays together at the end."""
    heads: list[Piece] = []
    rest: list[Piece] = []
    rows: list[Piece] = []
    for piece in pieces:
        place = heads if isinstance(piece, Head) else rows if isinstance(piece, Row) else rest
        place += _broken(piece)
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
        [Head(each.text + _PAGE.format(number, count)) if isinstance(each, Head) else each for each in page]
        for number, page in enumerate(done, 1)
    ]


def _layout_messages(card: Layout, row: int | None) -> list[Message]:
    """A card that is laid out as one message, or as many as it needs; then the message that calls people."""
    check_controls(tuple([(control,) for control in controls_of(card)]))
    if is_call(card):
        return [_call(card)]
    pieces = [piece for piece in card.pieces if not isinstance(piece, Row) or piece.controls]
    found = [_parts(pieces)]
    if not _fits(found[0]):
        found = [_parts(page) for page in _paged(pieces)]
        if not all(map(_fits, found)):
            raise ValueError(f"more than {COMPONENTS} parts that belong together")
    pictures = [each for each in card.pieces if isinstance(each, Picture)]
    messages: list[Message] = []
    for parts in found:
        container: dict[str, Any] = {
            "type": _CONTAINER,
            "accent_color": _ACCENTS[card.accent],
            "components": parts,
        }
        if row is not None:
            container["id"] = card_id(row)
        named = {item["media"]["url"] for each in parts if each["type"] == _GALLERY for item in each["items"]}
        files = [_picture(each) for each in pictures if f"attachment://{each.name}" in named]
        message: Message = {"view": Laid([container]), "allowed_mentions": _NOBODY}
        if files:
            message["files"] = files
        messages.append(message)
    if card.attachment is not None:
        last, file = messages[-1], card.attachment
        last["view"] = Laid(
            [*last["view"].to_components(), {"type": _FILE, "file": {"url": f"attachment://{file.name}"}}]
        )
        last["files"] = [*last.get("files", ()), _file(file)]
    if card.call:
        messages.append(_call(replace(card, pieces=())))
    return messages


def _call(card: Layout) -> Message:
    """The ordinary message that calls people, with what can be pressed where that is all there is."""
    message: Message = {"content": clip(card.call, CONTENT), "allowed_mentions": _allowed(card)}
    rows = tuple([piece.controls for piece in card.pieces if isinstance(piece, Row)])
    if rows:
        message["view"] = to_view(rows)
    return message


def _plain_messages(card: Layout) -> list[Message]:
    """A card that is laid out as text alone, with ordinary rows of what can be pressed."""
    text = plain(card)
    if card.call:
        text = f"{card.call}\n{text}"
    beside = [
        each.right for each in card.pieces if isinstance(each, Beside) and isinstance(each.right, Button)
    ]
    packed = [tuple(beside[at : at + ROW_BUTTONS]) for at in range(0, len(beside), ROW_BUTTONS)]
    rows = (*packed, *[each.controls for each in card.pieces if isinstance(each, Row) and each.controls])
    called = Card("", rows=rows, mentions=card.mentions, role_mentions=card.role_mentions)
    messages: list[Message] = [{"content": page} for page in pages([text], CONTENT)]
    return _finish(messages, replace(called, attachment=card.attachment))


def laid_out(message: Message) -> Message:
    """A message as a layout: what has once been sent as one takes no content and no embed any more."""
    if is_layout(message):
        return message
    embed: discord.Embed | None = message.get("embed")
    pieces: list[Piece] = [Body(message["content"])] if message.get("content") else []
    if embed is not None:
        head = f"## {embed.title}" if embed.title else ""
        portrait = embed.thumbnail.url
        top = Beside(head, Portrait(portrait)) if head and portrait else Body(head)
        fields = [Body(f"**{each.name}**\n{each.value}") for each in embed.fields]
        texts = (head, message.get("content") or "", embed.footer.text or "", *[each.text for each in fields])
        rest = sum(map(size, texts))
        body = clip(embed.description or "", max(1, TEXTS - rest - 100))
        pieces = [top, *pieces, Body(body), *fields, Small(embed.footer.text or "")]
    rows = message["view"].to_components() if "view" in message else []
    coloured = {} if embed is None or embed.colour is None else {"accent_color": embed.colour.value}
    parts = _parts(pieces)
    if embed is not None and embed.image.url:
        parts.append({"type": _GALLERY, "items": [{"media": {"url": embed.image.url}}]})
    parts += rows
    container = {"type": _CONTAINER, **coloured, "components": parts}
    others = {key: value for key, value in message.items() if key not in ("content", "embed", "view")}
    return {**others, "view": Laid([container])}


def as_edit(message: Message, *, layout: bool = False) -> Message:
    """The same message as an edit: what is absent is taken away. `layout`: of a message that is one."""
    if layout:
        message = laid_out(message)
    kept = {key: value for key, value in message.items() if key != "files"}
    changed = {"content": None, "embed": None, "view": None, **kept}
    if is_layout(message) or "files" in message:
        changed["attachments"] = message.get("files", [])
    return changed


# --- all cards -----------------------------------------------------------------------------------------------


def to_messages(card: Card | Layout, *, plain: bool = False, row: int | None = None) -> list[Message]:
    """The card as keyword arguments for sending: one message, or as many as its text needs.

    The plain form is text alone. What is not there (`content`, `embed`, `view`) has no key. A layout carries the
    `row` of the outbox that it is sent for, by which it is found again.
    """
    if isinstance(card, Layout):
        return _plain_messages(card) if plain else _layout_messages(card, row)
    if plain:
        text = plain_text(card)
        if card.call:
            text = f"{card.call}\n{text}"
        return _finish([{"content": page} for page in pages([text], CONTENT)], card)
    if not _fits_embed(card):
        return _finish(_split(card), card)
    message: Message = {"embed": CardEmbed(card)}
    if card.call:
        message["content"] = card.call
    return _finish([message], card)


def to_modal(modal: Modal) -> discord.ui.Modal:
    """The dialogue, stopped as views are. ValueError for one that Discord would refuse."""
    check_modal(modal)
    built = discord.ui.Modal(title=modal.title, timeout=None, custom_id=modal.id)
    for item in modal.inputs:
        field: discord.ui.TextInput[discord.ui.Modal] = discord.ui.TextInput(
            style=discord.TextStyle.paragraph if item.long else discord.TextStyle.short,
            custom_id=item.id,
            default=item.value or None,
            placeholder=item.placeholder or None,
            required=item.required,
            max_length=item.most,
        )
        built.add_item(discord.ui.Label(text=item.label, component=field))
    built.stop()
    return built
