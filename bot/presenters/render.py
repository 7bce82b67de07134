"""Cards and dialogues -> what discord.py sends.

Views and dialogues are over from the beginning, so that nothing keeps them: their buttons are found by custom id,
whenever they were made.
"""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from typing import Any, Final

import discord

from bot.presenters.card import Button, Card, Modal, Rows, Select, Style, Tone
from bot.presenters.limits import (
    ALT_TEXT,
    BODY,
    CONTENT,
    EMBED_DESCRIPTION,
    EMBED_FIELD_NAME,
    EMBED_FIELD_VALUE,
    EMBED_FIELDS,
    EMBED_FOOTER,
    EMBED_TITLE,
    EMBED_TOTAL,
    check_modal,
    check_rows,
    clip,
    pages,
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
        """Rows below a text or an embed, not a layout."""
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


def _allowed(card: Card) -> discord.AllowedMentions:
    return discord.AllowedMentions(
        everyone=False,
        users=[discord.Object(user) for user in card.mentions],
        roles=[discord.Object(role) for role in card.role_mentions],
        replied_user=False,
    )


def _finish(messages: list[Message], card: Card) -> list[Message]:
    """The first message calls people, the last one carries the buttons."""
    first, *rest = messages
    first["allowed_mentions"] = _allowed(card) if card.mentions or card.role_mentions else _NOBODY
    for message in rest:
        message["allowed_mentions"] = _NOBODY
    if card.picture is not None and "embed" in first:
        picture = card.picture
        first["embed"].set_image(url=f"attachment://{picture.name}")
        alt = clip(picture.alt, ALT_TEXT)
        first["files"] = [discord.File(BytesIO(picture.png), picture.name, description=alt)]
    if card.attachment is not None:
        file = discord.File(BytesIO(card.attachment.content), card.attachment.name)
        first["files"] = [*first.get("files", ()), file]
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


def to_messages(card: Card, *, plain: bool = False) -> list[Message]:
    """The card as keyword arguments for sending: one message, or as many as its text needs.

    The plain form is text alone. What is not there (`content`, `embed`, `view`) has no key.
    """
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
