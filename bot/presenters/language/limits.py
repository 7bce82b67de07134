"""Discord's limits, and functions that clip or split texts to fit. No other module has them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

CONTENT = 2000
#: Most letters of the head of a message. This limit is the bot's own.
HEAD = 256
ROWS = 5
ROW_BUTTONS = 5
BUTTON_LABEL = 80
CUSTOM_ID = 100
PLACEHOLDER = 150
SELECT_OPTIONS = 25
OPTION_TEXT = 100
MODAL_TITLE = 45
MODAL_INPUTS = 5
INPUT_LABEL = 45
INPUT_PLACEHOLDER = 100
INPUT_ABOUT = 100
INPUT_VALUE = 4000
OPTIONS = 25
CHOICES = 25
CHOICE_TEXT = 100
ALT_TEXT = 1024
#: Most parts of a layout, nested ones counted.
COMPONENTS = 40
#: Most letters of all texts of a layout together.
TEXTS = 4000

#: Most letters of the text of a message, so that a heading still fits above it.
BODY = 3800

_ELLIPSIS = "…"
# A mention, a time stamp or an emoji that a cut would leave in pieces; an escaped "<" starts none.
_OPEN_TOKEN = re.compile(r"(?<!\\)<[@#:/ta&!][^<>\s]*\Z")
_SPACE = re.compile(r"\s+(?=\S*\Z)")
_JOINERS = frozenset("\u200d\ufe0e\ufe0f")


def utf16_length(text: str) -> int:
    """Return the length in UTF-16 units, the largest of all ways to count.

    Discord doesn't say how it counts, so a text within this length fits in any case.
    """
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def is_within(text: str, most: int) -> bool:
    """Return whether the text has at most so many units.

    No character has more than two units, so most texts needn't be counted.
    """
    length = len(text)
    return length * 2 <= most or (length <= most and utf16_length(text) <= most)


def _prefix(text: str, most: int) -> int:
    """Return how many characters from the start fit into `most` units."""
    if text.isascii():
        return min(most, len(text))
    used = 0
    for index, char in enumerate(text):
        used += 2 if char > "\uffff" else 1
        if used > most:
            return index
    return len(text)


def _safe_end(text: str, end: int) -> int:
    """Return the nearest place at or before `end` where a cut splits no sign, escape or token."""
    while 0 < end < len(text) and _joins(text, end):
        end -= 1
    backslashes = end - len(text[:end].rstrip("\\"))
    if backslashes % 2:
        end -= 1
    token = _OPEN_TOKEN.search(text, max(0, end - 100), end)
    return token.start() if token else end


def _joins(text: str, place: int) -> bool:
    """Return whether a character belongs to the one before it."""
    char = text[place]
    if char in _JOINERS or text[place - 1] == "\u200d":
        return True
    return unicodedata.combining(char) != 0


def clip(text: str, most: int) -> str:
    """Return the text, or as much as fits with an ellipsis.

    Never splits an escape, a mention or a sign.
    """
    length = len(text)
    if length * 2 <= most or (length <= most and utf16_length(text) <= most):
        return text
    return text[: _safe_end(text, _prefix(text, most - 1))].rstrip() + _ELLIPSIS


#: Separators at which a label is cut. The first one that leaves enough is taken.
_SEPARATORS = (" (", ": ", "; ", ", ", " ")


def clip_label(label: str, most: int) -> str:
    """Return a label, or as much as fits with an ellipsis, cut at a separator outside brackets.

    A single word that is too long is cut as `clip` does.
    """
    if utf16_length(label) <= most:
        return label
    room = _prefix(label, most - 1)
    for mark in _SEPARATORS:
        end = label.rfind(mark, 0, room + 1)
        while end > 0:
            before = label[:end]
            if before.count("(") <= before.count(")"):
                break
            end = label.rfind(mark, 0, end)
        if end >= room // 2:
            return label[:end].rstrip(" ,;:") + _ELLIPSIS
    return clip(label, most)


def _split_line(line: str, most: int) -> Iterable[str]:
    """Yield a line that is too long for a page in pieces, cut at spaces if there are any."""
    while utf16_length(line) > most:
        end = _prefix(line, most)
        space = _SPACE.search(line, max(0, end - 200), end)
        cut = _safe_end(line, space.start() if space and space.start() else end)
        cut = cut or _prefix(line, most) or 1
        yield line[:cut].rstrip()
        line = line[cut:].lstrip()
    yield line


def split_pages(lines: Iterable[str], most: int) -> list[str]:
    """Return the lines joined to as few texts as possible, each of at most `most` units.

    Nothing is left out.
    """
    pages: list[str] = []
    current: list[str] = []
    used = 0
    for line in _page_lines(lines, most):
        length = utf16_length(line) + (1 if current else 0)
        if current and used + length > most:
            pages.append("\n".join(current))
            current, used, length = [], 0, utf16_length(line)
        current.append(line)
        used += length
    if current:
        pages.append("\n".join(current))
    return [page for page in pages if page.strip()]


def _page_lines(texts: Iterable[str], most: int) -> Iterator[str]:
    """Yield the lines of texts, none longer than a page."""
    for text in texts:
        for line in text.split("\n"):
            yield from _split_line(line, most)
