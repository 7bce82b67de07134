"""Words of characters as messages, and the answers to the players who wrote them."""

from __future__ import annotations

import re
from typing import Final

from bot.presenters.catalog_cards import card
from bot.presenters.controls import Button, Input, Modal, Rows
from bot.presenters.language.limits import CONTENT, MODAL_TITLE, clip, utf16_length
from bot.presenters.language.text import Markdown, name_text, timestamp_text, user_text
from bot.presenters.language.words import label_text
from bot.presenters.layout import Body, Layout, build_layout
from bot.presenters.scene import Scene
from bot.services.speech import SpokenWords
from rules.table.events import Said, Unsaid
from rules.table.scenes.speech import TEXT_MAX

#: Most letters of the name of a webhook's message, and parts of names that Discord refuses there.
_NAME_MAX: Final = 80
_REFUSED_NAMES: Final = ("discord", "clyde")
#: Links behind other words, `[words](address)`.
_MASKED_LINK: Final = re.compile(r"\[([^\[\]]+)\]\(<?(https?://[^\s()<>]+)>?\)")
#: Beginning of a link behind other words in any form that Discord reads.
_LINK_START: Final = re.compile(r"\](?=\()")
#: Signs that open or close a block of code, with the language that may follow.
_FENCE: Final = re.compile(r"```(?:[A-Za-z0-9+#-]*(?=\n))?")
#: Letters of each page that are left for closing and opening a block of code.
_FENCE_ROOM: Final = 24
#: Places at which a long text is cut, the best first.
_CUTS: Final = ("\n\n", "\n", " ")


def is_webhook_name(name: str) -> bool:
    """Return whether Discord lets a webhook speak under a name."""
    small = name.casefold()
    return 1 <= utf16_length(name) <= _NAME_MAX and not any(map(small.__contains__, _REFUSED_NAMES))


def speech_pages(event: Said) -> tuple[str, ...]:
    """Return the texts of the messages with a character's words, as they were typed.

    Without the right to show previews, links behind other words are written out.
    """
    text = event.text if event.embeds else _with_open_links(event.text)
    # A block of code may have to be closed at a page's end and opened again on the next.
    room = CONTENT - _FENCE_ROOM if "```" in text and utf16_length(text) > CONTENT else CONTENT
    pages: list[str] = []
    while utf16_length(text) > room:
        end = _page_end(text, room)
        pages.append(text[:end].rstrip())
        text = text[end:].lstrip("\n ")
    return _with_whole_fences(tuple(page for page in (*pages, text) if page.strip()))


def _with_whole_fences(pages: tuple[str, ...]) -> tuple[str, ...]:
    """Return pages on each of which every block of code is closed.

    A block that a page's end cuts is closed there, and opened again on the next page with its
    language. A page that has no room for that stays as it is.
    """
    whole: list[str] = []
    opened = ""
    for number, page in enumerate(pages):
        fences = _FENCE.findall(page)
        reopened = f"{opened}\n{page}" if opened else page
        cut = len(fences) % 2 == (0 if opened else 1)
        opening = opened
        if fences and cut:
            opening = fences[-1]
        is_last = number == len(pages) - 1
        if cut and not is_last:
            reopened += "\n```"
        whole.append(reopened if utf16_length(reopened) <= CONTENT else page)
        opened = opening if cut else ""
    return tuple(whole)


def _with_open_links(text: str) -> str:
    """Return a text in which no address hides behind other words.

    What only looks like such a link, or has a title, is taken apart by a space.
    """
    return _LINK_START.sub("] ", _MASKED_LINK.sub(r"\1 (<\2>)", text))


def _page_end(text: str, room: int) -> int:
    """Return where the first page of a long text ends: at a paragraph, a line, or a word.

    A page has *room* for so many letters. A text that fits on two pages is cut so that it needs no
    third.
    """
    most = room
    while utf16_length(text[:most]) > room:
        most -= 1
    least = most // 2
    if utf16_length(text[most:]) <= room:
        while utf16_length(text[least:]) > room:
            least += 1
    for cut in _CUTS:
        end = text.rfind(cut, least, most)
        if end > 0:
            return end
    return most


def said_card(event: Said, scene: Scene) -> Layout:
    """Return a character's words as a message of the bot, for channels without a webhook."""
    return build_layout("waiting", name_text(event.name), Body(user_text(event.text, lines=True)))


def said_receipt(event: Said, scene: Scene) -> Layout:
    """Return the answer to the player who has said something, or edited it."""
    rows = _own_rows(scene.table_id, event.said)
    return card("own", "speech-posted", None, rows=rows, name=event.name, edited=event.edited)


def _own_rows(table_id: int, said: str) -> Rows:
    """Return the buttons with which a player edits or deletes their own words."""
    edit = Button(f"sg:edsaid:{table_id}:{said}", label_text("said-edit"))
    delete = Button(f"sg:unsay:{table_id}:{said}", label_text("said-delete"), "danger")
    return ((edit, delete),)


def unsaid_card(event: Unsaid, scene: Scene, *, yours: bool = False) -> Layout:
    """Return that a character's words are deleted, for the GMs or for the reader who did it."""
    return card("own", "speech-deleted", scene.names, name=event.name, by=event.by, yours=yours)


def withheld_words_card(event: Said, whom: str) -> Layout:
    """Return that a channel doesn't show a whisper scene's words while an outsider reads there.

    *whom* is the mention of the outsider.
    """
    return card("own", "speech-withheld", None, edited=event.edited, whom=Markdown(whom))


def who_said_card(words: SpokenWords, scene: Scene, *, own: bool) -> Layout:
    """Return who said something as which character, and when; of their `own` with buttons."""
    event = words.event
    at = Markdown(timestamp_text(event.at, "F"))
    return card(
        "own",
        "who-said",
        scene.names,
        rows=_own_rows(scene.table_id, event.said) if own else (),
        who=event.by,
        name=event.name,
        at=at,
        edits=words.edits,
    )


def bot_speaks_card(name: str, *, refused_name: bool) -> Layout:
    """Return why the bot posts a character's words itself."""
    return card("own", "bot-speaks", None, name=name, refused=refused_name)


def webhook_refused_card(name: str, why: str) -> Layout:
    """Return why Discord makes no webhook that speaks for a character."""
    return card("own", "webhook-refused", None, name=name, why=why)


def original_stays_card() -> Layout:
    """Return that the post which a character's words came from still stands in the channel."""
    return card("own", "original-stays", None)


def message_stays_card(guild: str, where: str) -> Layout:
    """Return the note that a message with deleted words still stands at an address."""
    place, id, *_ = where.split("/")
    link = f"https://discord.com/channels/{guild}/{place}/{id}"
    return card("own", "message-stays", None, link=Markdown(link))


def post_dialog(table_id: int, character: str, name: str) -> Modal:
    """Return the dialog for a long text of a character."""
    title = label_text("post-title", name=name)
    return Modal(f"sg:speak:{table_id}:{character}", clip(title, MODAL_TITLE), (_text_input(""),))


def edit_dialog(table_id: int, words: SpokenWords) -> Modal:
    """Return the dialog that edits a character's words."""
    return Modal(
        f"sg:respeak:{table_id}:{words.event.said}",
        label_text("said-edit-title"),
        (_text_input(words.event.text),),
    )


def _text_input(value: str) -> Input:
    return Input("text", label_text("said-text"), value, long=True, most=TEXT_MAX)
