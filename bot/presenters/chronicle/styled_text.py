"""Texts of messages, which are Discord's Markdown, as lines of a book."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Final

from bot.presenters.chronicle.book import Line, Span
from bot.presenters.language.text import unescape
from bot.presenters.language.words import phrase, say
from rules.table.blocks import Text

#: What a message's text is made of besides letters.
_TOKEN: Final = re.compile(
    r"\\(?P<escaped>[^0-9A-Za-z\s])"
    r"|(?P<strong>\*\*)"
    r"|(?P<struck>~~)"
    r"|`(?P<code>[^`\n]+)`"
    r"|<@!?(?P<user>\d+)>"
    r"|<@&(?P<role>\d+)>"
    r"|<#(?P<channel>\d+)>"
    r"|<t:(?P<time>-?\d+)(?::(?P<style>[a-zA-Z]))?>"
    r"|\[(?P<link>[^\]\n]+)\]\(<?https?://[^)\s]+>?\)"
)
#: Marks before a line, and the signs of results, which the words say already.
_LINE_MARK: Final = re.compile(r"^(?:#{1,3} |-# |- |• |[✓✗└→] )+")
_ZERO_WIDTH: Final = "\u200b"
#: Times that have no date: a deadline of a game that nobody plays any more.
_LATEST: Final = 253_402_300_799


class KnownNames:
    """Names of users and places by their Discord ids, with neutral words for any other id."""

    def __init__(self, users: Callable[[str], str | None], places: Mapping[str, str]) -> None:
        self._users = users
        self._places = places

    def user(self, user: str) -> str:
        """Return the display name of a user."""
        return self._users(user) or unescape(phrase("tale-somebody"))

    def place(self, place: str) -> str:
        """Return the name of a channel or thread."""
        name = self._places.get(place)
        return f"#{name}" if name else unescape(phrase("tale-elsewhere"))


def day_text(at: int) -> str:
    """Return the day of a time in seconds since 1970, in UTC: `November 30, 2026`."""
    moment = datetime.fromtimestamp(min(max(at, 0), _LATEST), UTC)
    return f"{moment:%B} {moment.day}, {moment.year}"


def days_text(begin: int, end: int) -> str:
    """Return a span of days: `November 30 to December 4, 2026`, or a single day."""
    first, last = day_text(begin), day_text(end)
    if first == last:
        return last
    if first[-4:] == last[-4:]:
        first = first[:-6]
    return unescape(phrase("tale-days", first=first, last=last))


def styled_line(text: str, names: KnownNames) -> Line:
    """Return one line of a message in spans: mentions and times in words, and no marks."""
    text = _LINE_MARK.sub("", text.replace(_ZERO_WIDTH, "").replace("\n", " "))
    spans: list[Span] = []
    strong = struck = False
    position = 0
    for token in _TOKEN.finditer(text):
        spans.append(Span(text[position : token.start()], strong, struck))
        position = token.end()
        if token["strong"]:
            strong = not strong
        elif token["struck"]:
            struck = not struck
        else:
            spans.append(Span(_token_text(token, names), strong, struck))
    spans.append(Span(text[position:], strong, struck))
    return _joined(spans)


def _token_text(token: re.Match[str], names: KnownNames) -> str:
    """Return the words of an escaped letter, a mention, a time, a link or a code."""
    if token["user"]:
        return names.user(token["user"])
    if token["role"]:
        return unescape(say(Text("the-gm")))
    if token["channel"]:
        return names.place(token["channel"])
    if token["time"]:
        return day_text(int(token["time"]))
    return token["escaped"] or token["code"] or token["link"]


def _joined(spans: list[Span]) -> Line:
    """Return spans with those of one style put together, and without empty ones."""
    joined: list[Span] = []
    for span in spans:
        if not span.text:
            continue
        if joined and (joined[-1].strong, joined[-1].struck) == (span.strong, span.struck):
            joined[-1] = span.replace(text=joined[-1].text + span.text)
        else:
            joined.append(span)
    return tuple(joined)


def book_words(code: str, **params: int | str) -> str:
    """Return words of the catalog as plain text."""
    return unescape(phrase(code, **params))
