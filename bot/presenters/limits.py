"""What Discord takes, and how longer texts are brought into it. Only this module knows the numbers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import islice

from bot.presenters.controls import Modal, Option, Rows, Select

CONTENT = 2000
#: The head of a card; ours, Discord knows none.
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
#: What a label of a menu may have before the rest becomes its description; ours, a phone shows no more.
_LABEL = 36
#: Where such a label breaks: before what stands in brackets, else after its first part.
_BREAKS = (" (", ": ", "; ", ", ")
#: Of a card that is laid out: parts of every kind, nested ones counted, and all texts together.
COMPONENTS = 40
TEXTS = 4000

#: Room for the text of a card: a heading may still be put above it.
BODY = 3800

_ELLIPSIS = "…"
# A mention, a time stamp or an emoji that a cut would leave in pieces; an escaped "<" starts none.
_OPEN_TOKEN = re.compile(r"(?<!\\)<[@#:/ta&!][^<>\s]*\Z")
_SPACE = re.compile(r"\s+(?=\S*\Z)")
_JOINERS = frozenset("\u200d\ufe0e\ufe0f")


def size(text: str) -> int:
    """The length that counts: in UTF-16 units, which is never less than any other way of counting."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def within(text: str, most: int) -> bool:
    """Whether the text has at most so many units. No sign has more than two, which mostly spares the counting."""
    length = len(text)
    return length * 2 <= most or (length <= most and size(text) <= most)


def _prefix(text: str, most: int) -> int:
    """How many characters from the start fit into `most` units."""
    if text.isascii():
        return min(most, len(text))
    used = 0
    for index, char in enumerate(text):
        used += 2 if char > "\uffff" else 1
        if used > most:
            return index
    return len(text)


def _safe_end(text: str, end: int) -> int:
    """The nearest place at or before `end` where a cut leaves no half of anything."""
    while 0 < end < len(text) and (
        text[end] in _JOINERS or text[end - 1] == "\u200d" or unicodedata.combining(text[end])
    ):
        end -= 1
    backslashes = end - len(text[:end].rstrip("\\"))
    if backslashes % 2:
        end -= 1
    token = _OPEN_TOKEN.search(text, max(0, end - 100), end)
    return token.start() if token else end


def clip(text: str, most: int) -> str:
    """The text, or as much as fits with an ellipsis. Never cuts an escape, a mention or a sign in two."""
    length = len(text)
    if length * 2 <= most or (length <= most and size(text) <= most):
        return text
    return text[: _safe_end(text, _prefix(text, most - 1))].rstrip() + _ELLIPSIS


def _break(line: str, most: int) -> Iterable[str]:
    """A line that is too long for a page, in pieces, at spaces where there are any."""
    while size(line) > most:
        end = _prefix(line, most)
        space = _SPACE.search(line, max(0, end - 200), end)
        cut = _safe_end(line, space.start() if space and space.start() else end)
        cut = cut or _prefix(line, most) or 1
        yield line[:cut].rstrip()
        line = line[cut:].lstrip()
    yield line


def pages(lines: Iterable[str], most: int) -> list[str]:
    """The lines joined to as few texts as need be, each of at most `most` units. Nothing is left out."""
    done: list[str] = []
    current: list[str] = []
    used = 0
    for line in (piece for text in lines for part in text.split("\n") for piece in _break(part, most)):
        length = size(line) + (1 if current else 0)
        if current and used + length > most:
            done.append("\n".join(current))
            current, used, length = [], 0, size(line)
        current.append(line)
        used += length
    if current:
        done.append("\n".join(current))
    return [page for page in done if page.strip()]


def entry(
    value: str, label: str, what: str, *, chosen: bool, after: str = "", breaks: Sequence[str] = _BREAKS
) -> Option:
    """An entry of a menu, with `after` at the end of its label; what is chosen says `what` the menu is for."""
    before, about = f"{what}: " if what and chosen else "", ""
    room = _LABEL - size(before)
    for mark in breaks:
        first, _, rest = label.partition(mark)
        if size(label) > room and rest and (mark != " (" or rest.endswith(")")):
            rest = rest[:-1] if mark == " (" else rest
            label, about = first, f"{rest}; {about}" if about else rest
    label, about = before + label + after, about[:1].upper() + about[1:]
    return Option(value, clip(label, OPTION_TEXT), clip(about, OPTION_TEXT), chosen)


def menu(
    id: str, title: str, entries: Iterable[tuple[str, str]], chosen: str | None = None, what: str = ""
) -> Select:
    """A menu of values with their labels, as far as there is room; the one that is chosen says `what` it is."""
    # Deeds, none of which is chosen, begin alike: of their labels as much as can be stays together.
    breaks, there = _BREAKS if what else _BREAKS[::-1], islice(entries, SELECT_OPTIONS)
    options = [entry(key, label, what, chosen=key == chosen, breaks=breaks) for key, label in there]
    return Select(id, title, tuple(options))


def _require(fits: bool, what: str) -> None:
    if not fits:
        raise ValueError(what)


def check_controls(rows: Rows) -> None:
    """ValueError, naming the limit, for buttons and menus that Discord would refuse."""
    ids = [control.id for row in rows for control in row]
    if len(set(ids)) < len(ids):
        raise ValueError("a custom id twice")
    for row in rows:
        if not row:
            raise ValueError("an empty row")
        if len(row) > 1 and (len(row) > ROW_BUTTONS or any(isinstance(control, Select) for control in row)):
            raise ValueError(f"a row over {ROW_BUTTONS} wide")
        for control in row:
            if not control.id or not within(control.id, CUSTOM_ID):
                raise ValueError(f"custom id over {CUSTOM_ID}")
            if isinstance(control, Select):
                _check_select(control)
            elif not control.label or not within(control.label, BUTTON_LABEL):
                raise ValueError(f"button label over {BUTTON_LABEL}")


def _check_select(select: Select) -> None:
    _require(size(select.placeholder) <= PLACEHOLDER, f"placeholder over {PLACEHOLDER}")
    if select.kind != "text":
        return
    options = select.options
    _require(1 <= len(options) <= SELECT_OPTIONS, f"not 1 to {SELECT_OPTIONS} options")
    _require(len({option.value for option in options}) == len(options), "an option's value twice")
    _require(0 <= select.least <= select.most <= len(options), "a menu that asks for more than it offers")
    for option in options:
        _require(1 <= size(option.label) <= OPTION_TEXT, f"option label over {OPTION_TEXT}")
        _require(1 <= size(option.value) <= OPTION_TEXT, f"option value over {OPTION_TEXT}")
        _require(size(option.description) <= OPTION_TEXT, f"option description over {OPTION_TEXT}")


def check_modal(modal: Modal) -> None:
    """ValueError, naming the limit, for a dialogue that Discord would refuse."""
    _require(1 <= size(modal.title) <= MODAL_TITLE, f"modal title over {MODAL_TITLE}")
    _require(1 <= size(modal.id) <= CUSTOM_ID, f"custom id over {CUSTOM_ID}")
    _require(1 <= len(modal.inputs) <= MODAL_INPUTS, f"not 1 to {MODAL_INPUTS} inputs")
    _require(len({item.id for item in modal.inputs}) == len(modal.inputs), "an input's id twice")
    for item in modal.inputs:
        _require(1 <= size(item.id) <= CUSTOM_ID, f"custom id over {CUSTOM_ID}")
        _require(1 <= size(item.label) <= INPUT_LABEL, f"input label over {INPUT_LABEL}")
        _require(size(item.about) <= INPUT_ABOUT, f"input description over {INPUT_ABOUT}")
        _require(size(item.placeholder) <= INPUT_PLACEHOLDER, f"input placeholder over {INPUT_PLACEHOLDER}")
        _require(1 <= item.most <= INPUT_VALUE, f"input length over {INPUT_VALUE}")
        _require(size(item.value) <= item.most, "an input's value is longer than the input takes")
