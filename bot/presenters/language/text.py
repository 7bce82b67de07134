"""How texts are put together: escaping what people typed, numbers with their nouns, lists,
durations; who is named.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final, Protocol, cast

from bot.presenters.language.limits import clip
from rules.core.errors import Param
from rules.table.blocks import Ref, Text, Value
from rules.table.duration import split_moment
from rules.table.typed_texts import is_id

#: Kept on one line and at this length where a name or a value stands in the middle of a sentence.
MAX_INLINE = 100
_PLACE = 80
#: How players hear of somebody of whom they know nothing.
SOMEBODY = "Somebody"
#: What stands for a name that shows nothing.
EMPTY_NAME = "(no name)"

_ZERO_WIDTH = "\u200b"
_ESCAPES: dict[int, str | None] = {ord(sign): f"\\{sign}" for sign in "\\*_~|`[]<"}
_ESCAPES[ord("@")] = f"@{_ZERO_WIDTH}"
# Control characters show nothing; those of writing direction could turn the rest of a message
# around.
_INVISIBLE: tuple[int, ...] = (
    *(code for code in range(0x20) if code not in (0x09, 0x0A)),
    *range(0x7F, 0xA0),
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
)
_DROPPED: dict[int, str | None] = dict.fromkeys(_INVISIBLE)
_MARKED = {**_ESCAPES, **_DROPPED}
_LINE_START = re.compile(r"^([ \t]*)(#{1,3}|>{1,3}|-#?|\+)(?=\s|$)", re.MULTILINE)
_LIST_START = re.compile(r"^([ \t]*\d+)([.)])(?=[ \t]|$)", re.MULTILINE)
_ESCAPED = re.compile(r"\\([^0-9A-Za-z\s])")
_STARTS = frozenset(" \t#>+-0123456789")


def _clean(text: str, *, lines: bool) -> str:
    if not lines:
        text = " ".join(text.split())
    elif "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.isascii():
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def bare_text(text: str, *, lines: bool = False) -> str:
    """What somebody typed, for places that show Markdown as it is: buttons, menus, suggestions."""
    return _clean(text, lines=lines).translate(_DROPPED)


@lru_cache(maxsize=2048)
def user_text(text: str, *, lines: bool = False) -> str:
    """What somebody typed, made harmless: no Markdown, mentions or emoji codes; on one line by
    default.
    """
    text = _clean(text, lines=lines).translate(_MARKED)
    if text and (lines or text[0] in _STARTS):
        text = _LIST_START.sub(r"\1\\\2", _LINE_START.sub(r"\1\\\2", text))
    return text


def name_text(name: str, most: int = 80) -> str:
    """A name in a sentence or a title; never empty."""
    return user_text(name if len(name) * 2 <= most else clip(name, most)).strip() or EMPTY_NAME


@lru_cache(maxsize=2048)
def name_with_alias(name: str, alias: str = "") -> str:
    """Whoever is known by that name; `alias` is what players call them, in texts for GMs."""
    shown = name_text(name) if name.strip() else SOMEBODY
    return f"{shown} (players know: {name_text(alias)})" if alias else shown


def ref_text(who: Ref) -> str:
    return name_with_alias(who.name, who.alias)


def unescape(text: str) -> str:
    """A text made ready for Markdown, for places that show Markdown as it is."""
    return _ESCAPED.sub(r"\1", text).replace(_ZERO_WIDTH, "")


class Markdown(str):
    """A text that presenters have made: Markdown already, shown as it is."""

    __slots__ = ()


def place_text(place: str) -> str:
    """A channel or thread."""
    return f"<#{place}>" if is_id(place) else user_text(clip(place, _PLACE))


def code_text(text: str) -> str:
    """A path or an option's name in the typeface of code."""
    inside = bare_text(text).replace("`", "'").replace("@", f"@{_ZERO_WIDTH}")
    return f"`{clip(inside, MAX_INLINE)}`" if inside else "the file itself"


def quoted_text(text: str, *, most_lines: int = 12) -> str:
    """What somebody typed, to be quoted. Very many short lines are run together."""
    text = user_text(text, lines=True)
    if text.count("\n") >= most_lines:
        text = " / ".join(line.strip() for line in text.split("\n") if line.strip())
    return text


def plural(count: int, one: str, many: str | None = None) -> str:
    """`1 point`, `2 points`, `no points`."""
    noun = one if count == 1 else many or f"{one}s"
    return f"{count or 'no'} {noun}" if count >= 0 else f"−{-count} {noun}"


def signed_text(number: int) -> str:
    """`+2`, `−2`, `0`, with a real minus."""
    return f"+{number}" if number > 0 else f"−{-number}" if number else "0"


def listing(items: Iterable[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    found = list(items)
    if len(found) < 2:
        return "".join(found)
    return f"{', '.join(found[:-1])} {last} {found[-1]}"


def some_names(names: Sequence[str], most: int = 30) -> str:
    """The first of these names, and how many more there are."""
    shown = [name_text(name) for name in names[:most]]
    return listing([*shown, f"{len(names) - most} more"] if len(names) > most else shown)


def with_capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def with_stop(text: str) -> str:
    """With a full stop at the end, unless it ends already."""
    return text if text.endswith((".", "!", "?", "…", ".”")) else f"{text}."


def with_article(text: str) -> str:
    return f"{'an' if text[:1].casefold() in 'aeiou' else 'a'} {text}"


_POINT: Final = "• "


def sentence(text: str) -> str:
    """With a capital at the start, also behind the point of a list, and a full stop at the end."""
    point = _POINT if text.startswith(_POINT) else ""
    return point + with_stop(with_capital(text.removeprefix(point))) if text else ""


_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def duration(seconds: int) -> str:
    """`1 day`, `1 day and 12 hours`, `90 seconds` as `1 minute and 30 seconds`."""
    parts: list[str] = []
    for length, name in _UNITS:
        count, seconds = divmod(seconds, length)
        if count:
            parts.append(plural(count, name))
    return listing(parts) or "no time"


def percent(chance: Fraction, places: int = 0) -> str:
    """`63%`, `62.5%`; what is possible is never 0%, what is not certain never 100%."""
    scale = 10**places
    share, whole = round(chance * 100 * scale), 100 * scale
    if share == 0 and chance > 0:
        return f"under {1 / scale:g}%"
    if share == whole and chance < 1:
        return f"over {(whole - 1) / scale:g}%"
    return f"{share / scale:g}%"


def timestamp_text(at: int, style: str = "R") -> str:
    """A time as everybody's own clock shows it: how far away it is, or with `f` when, for what goes
    on until then.
    """
    return f"<t:{at}:{style}>"


def story_time_text(time: int) -> str:
    """A time of the story: `Day 4, 14:30`."""
    day, hour, minute = split_moment(time)
    return f"Day {day}, {hour:02}:{minute:02}"


class Names(Protocol):
    """Who a participant (`p1`, …) is. Texts come ready for a message."""

    def mention(self, participant: str) -> str: ...

    def user_id(self, participant: str) -> int | None: ...

    def name(self, participant: str) -> str: ...


#: How a mention looks that the bot itself has made.
_MENTION = re.compile(r"<@[!&]?[0-9]+>")


class TextParams:
    """The parameters of a line or an error, as templates take them: strings come out escaped.

    `bare` leaves Markdown alone, for places that show it as it is. `names` tells who a participant
    is. `params` are as they are: for looking things up, never for showing.
    """

    __slots__ = ("_names", "bare", "params")

    def __init__(
        self, params: Mapping[str, Value], *, bare: bool = False, names: Names | None = None
    ) -> None:
        self.params = params
        self.bare = bare
        self._names = names

    def __getitem__(self, key: str) -> str:
        value = self.params.get(key)
        if type(value) is str and len(value) * 2 <= MAX_INLINE and not self.bare:
            return user_text(value)
        return (
            str(value) if type(value) is int and value >= 0 else self.value_text(value, MAX_INLINE)
        )

    def say(self, text: Text) -> str:
        return text.code

    def raw(self, key: str) -> Param:
        """The parameter as it is, None when it is missing. For looking plain values up, never for
        showing.
        """
        value = self.params.get(key)
        return None if isinstance(value, (Ref, Text)) else cast("Param", value)

    def raw_items(self, key: str) -> tuple[str, ...]:
        """The texts of a list as they are, empty when it is missing. For looking things up, never
        for showing.
        """
        value = self.params.get(key)
        return (
            tuple(item for item in value if isinstance(item, str))
            if isinstance(value, tuple)
            else ()
        )

    def number(self, key: str) -> int:
        """A whole number, 0 when it is missing."""
        value = self.params.get(key)
        return value if isinstance(value, int) else 0

    def value_text(self, value: Value, most: int = 0, *, lines: bool = False) -> str:
        """A value in words; `most` 0 for the whole of a long text."""
        if isinstance(value, Text):
            return self.say(value)
        if type(value) is int:
            return str(value) if value >= 0 else f"−{-value}"
        if isinstance(value, str):
            if isinstance(value, Markdown):
                return value
            if most and len(value) * 2 > most:
                value = clip(value, most)
            if self.bare:
                return bare_text(value, lines=lines)
            return user_text(value, lines=True) if lines else user_text(value)
        if isinstance(value, tuple):
            return listing([self.value_text(item, most, lines=lines) for item in value])
        if isinstance(value, int):
            return "yes" if value else "no"
        if value is None:
            return "nothing"
        return unescape(ref_text(value)) if self.bare else ref_text(value)

    def text(self, key: str, most: int = MAX_INLINE, *, lines: bool = False) -> str:
        """The parameter in words; `most` 0 for the whole of a long text."""
        value = self.params.get(key)
        if type(value) is str and len(value) * 2 <= most and not lines and not self.bare:
            return user_text(value)
        return self.value_text(value, most, lines=lines)

    def items(self, key: str, most: int = 0) -> list[str]:
        """The parameter as a list of texts, empty when it is missing."""
        value = self.params.get(key)
        if value is None or value == "":
            return []
        values: Sequence[Value] = value if isinstance(value, tuple) else (value,)
        return [self.value_text(item, most) for item in values]

    def alternatives(self, key: str) -> str:
        """The parameter's values as alternatives: `a, b or c`."""
        return listing(self.items(key, MAX_INLINE), "or")

    def quoted_value(self, key: str = "value") -> str:
        """What was typed, between quotation marks; numbers stand for themselves."""
        value = self.params.get(key)
        return f"“{self.text(key)}”" if isinstance(value, str) and value else self.text(key)

    def option(self, key: str = "field") -> str:
        """The name of an option or the path of a field, in the typeface of code."""
        value = self.params.get(key)
        if isinstance(value, Markdown):  # what a panel calls it
            return value
        return code_text(value) if isinstance(value, str) else "this"

    def person(self, key: str) -> str:
        """Who a participant is; `somebody` where nobody knows."""
        value = self.params.get(key)
        return self.mention(value) if isinstance(value, str) else "somebody"

    def mention(self, participant: str) -> str:
        return self._names.mention(participant) if self._names else "somebody"

    def display_name(self, key: str) -> str:
        """What a participant is called, without a mention."""
        value = self.params.get(key)
        return self._names.name(value) if self._names and isinstance(value, str) else SOMEBODY

    def items_text(self, key: str, shown: Callable[[str], str]) -> str:
        """A text, or a list of them, each as it is shown."""
        value = self.params.get(key)
        return shown(value) if isinstance(value, str) else listing(map(shown, self.raw_items(key)))

    def checked_mention(self, key: str) -> str:
        """A mention that the bot itself has made: it must stay one."""
        value = self.params.get(key)
        return value if isinstance(value, str) and _MENTION.fullmatch(value) else SOMEBODY

    def role(self, key: str) -> str:
        value = self.params.get(key)
        return f"<@&{value}>" if isinstance(value, str) and is_id(value) else "that role"


#: A text, or a function of the parameters where there is something to be put in.
TextFunction = Callable[[TextParams], str]
Template = str | TextFunction


def fill_template(template: Template, said: TextParams) -> str:
    return template if isinstance(template, str) else template(said)
