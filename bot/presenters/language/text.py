"""Building blocks of texts: escaped user text, numbers with nouns, lists, durations, names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final, Protocol, cast

from bot.presenters.language.limits import clip
from rules.core.errors import Param
from rules.table.blocks import Ref, Text, Value
from rules.table.forms.typed_texts import is_id
from rules.table.times.duration import split_moment

#: Most letters of a name or value in the middle of a sentence.
MAX_INLINE = 100
#: Most letters of the name of a place.
_PLACE_LENGTH = 80
#: Name of a character of whom players know nothing.
SOMEBODY = "Somebody"
#: Replacement for a name that shows nothing.
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
    """Return user text for places that show Markdown as it is: buttons, menus, suggestions."""
    return _clean(text, lines=lines).translate(_DROPPED)


@lru_cache(maxsize=2048)
def user_text(text: str, *, lines: bool = False) -> str:
    """Return user text without Markdown, mentions or emoji codes; on one line by default."""
    text = _clean(text, lines=lines).translate(_MARKED)
    if text and (lines or text[0] in _STARTS):
        text = _LIST_START.sub(r"\1\\\2", _LINE_START.sub(r"\1\\\2", text))
    return text


def name_text(name: str, most: int = 80) -> str:
    """Return a name for a sentence or a title; never empty."""
    return user_text(name if len(name) * 2 <= most else clip(name, most)).strip() or EMPTY_NAME


@lru_cache(maxsize=2048)
def name_with_alias(name: str, alias: str = "") -> str:
    """Return a character's name; in texts for GMs with the `alias` that players know."""
    shown = name_text(name) if name.strip() else SOMEBODY
    return f"{shown} (players know: {name_text(alias)})" if alias else shown


def ref_text(who: Ref) -> str:
    """Return the name of a character that an event refers to."""
    return name_with_alias(who.name, who.alias)


def unescape(text: str) -> str:
    """Return an escaped text for places that show Markdown as it is."""
    return _ESCAPED.sub(r"\1", text).replace(_ZERO_WIDTH, "")


class Markdown(str):
    """A text of a presenter: Markdown already, shown as it is."""

    __slots__ = ()


def place_text(place: str) -> str:
    """Return the mention of a channel or thread, or its name."""
    return f"<#{place}>" if is_id(place) else user_text(clip(place, _PLACE_LENGTH))


def code_text(text: str) -> str:
    """Return a path or an option's name in the typeface of code."""
    inside = bare_text(text).replace("`", "'").replace("@", f"@{_ZERO_WIDTH}")
    return f"`{clip(inside, MAX_INLINE)}`" if inside else "the file itself"


def quoted_text(text: str, *, most_lines: int = 12) -> str:
    """Return user text for a quote. Very many short lines are run together."""
    text = user_text(text, lines=True)
    if text.count("\n") >= most_lines:
        text = " / ".join(line.strip() for line in text.split("\n") if line.strip())
    return text


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: `1 point`, `2 points`, `no points`."""
    noun = one if count == 1 else many or f"{one}s"
    return f"{count or 'no'} {noun}" if count >= 0 else f"−{-count} {noun}"


def signed_text(number: int) -> str:
    """Return a number with its sign, a real minus: `+2`, `−2`, `0`."""
    if number == 0:
        return "0"
    return f"+{number}" if number > 0 else f"−{-number}"


def listing(items: Iterable[str], last: str = "and") -> str:
    """Return a list in words: `a`, `a and b`, `a, b and c`."""
    texts = list(items)
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} {last} {texts[-1]}"


def some_names(names: Sequence[str], most: int = 30) -> str:
    """Return the first of these names, and how many more there are."""
    shown = [name_text(name) for name in names[:most]]
    if len(names) > most:
        shown.append(f"{len(names) - most} more")
    return listing(shown)


def with_capital(text: str) -> str:
    """Return a text with a capital at the start."""
    return text[:1].upper() + text[1:]


def with_stop(text: str) -> str:
    """Return a text with a full stop at the end, unless it ends already."""
    return text if text.endswith((".", "!", "?", "…", ".”")) else f"{text}."


def with_article(text: str) -> str:
    """Return a noun with its indefinite article."""
    return f"{'an' if text[:1].casefold() in 'aeiou' else 'a'} {text}"


#: The point of a list entry.
_POINT: Final = "• "


def sentence(text: str) -> str:
    """Return a text with a capital at the start and a full stop; empty for an empty text.

    In a list entry the capital follows the point.
    """
    if not text:
        return ""
    point = _POINT if text.startswith(_POINT) else ""
    return point + with_stop(with_capital(text.removeprefix(point)))


_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def duration(seconds: int) -> str:
    """Return a duration in words: `1 day and 12 hours`, 90 seconds as `1 minute and 30 seconds`."""
    parts: list[str] = []
    for length, name in _UNITS:
        count, seconds = divmod(seconds, length)
        if count:
            parts.append(plural(count, name))
    return listing(parts) or "no time"


def percent(chance: Fraction, places: int = 0) -> str:
    """Return a chance in percent: `63%`, `62.5%`.

    A possible outcome never has 0%, an uncertain one never 100%.
    """
    scale = 10**places
    share, whole = round(chance * 100 * scale), 100 * scale
    if share == 0 and chance > 0:
        return f"under {1 / scale:g}%"
    if share == whole and chance < 1:
        return f"over {(whole - 1) / scale:g}%"
    return f"{share / scale:g}%"


def timestamp_text(at: int, style: str = "R") -> str:
    """Return a time as each reader's own clock shows it.

    The default style says how far away it is. The style `f` says when, for what lasts until then.
    """
    return f"<t:{at}:{style}>"


def story_time_text(time: int) -> str:
    """Return a time of the story: `Day 4, 14:30`."""
    day, hour, minute = split_moment(time)
    return f"Day {day}, {hour:02}:{minute:02}"


class Names(Protocol):
    """Names of participants (`p1`, …), ready for a message."""

    def mention(self, participant: str) -> str: ...

    def user_id(self, participant: str) -> int | None: ...

    def name(self, participant: str) -> str: ...


#: A mention by the bot itself.
_MENTION = re.compile(r"<@[!&]?[0-9]+>")


class TextParams:
    """The parameters of a line or an error, as templates take them: strings come out escaped.

    `bare` leaves Markdown alone, for places that show it as it is. `names` has the participants'
    names. `params` are unescaped: they are for looking things up, never for
    showing.
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
        """Return a text among the parameters in words."""
        return text.code

    def raw(self, key: str) -> Param:
        """Return a plain parameter unescaped, to look things up but never to be shown; or None."""
        value = self.params.get(key)
        return None if isinstance(value, (Ref, Text)) else cast("Param", value)

    def raw_items(self, key: str) -> tuple[str, ...]:
        """Return the texts of a list unescaped, to look things up but never to be shown."""
        value = self.params.get(key)
        if not isinstance(value, tuple):
            return ()
        return tuple(item for item in value if isinstance(item, str))

    def number(self, key: str) -> int:
        """Return a whole number; 0 if it's missing."""
        value = self.params.get(key)
        return value if isinstance(value, int) else 0

    def value_text(self, value: Value, most: int = 0, *, lines: bool = False) -> str:
        """Return a value in words; `most` 0 for the whole of a long text."""
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
        """Return the parameter in words; `most` 0 for the whole of a long text."""
        value = self.params.get(key)
        if type(value) is str and len(value) * 2 <= most and not lines and not self.bare:
            return user_text(value)
        return self.value_text(value, most, lines=lines)

    def items(self, key: str, most: int = 0) -> list[str]:
        """Return the parameter as a list of texts; empty if it's missing."""
        value = self.params.get(key)
        if value is None or value == "":
            return []
        values: Sequence[Value] = value if isinstance(value, tuple) else (value,)
        return [self.value_text(item, most) for item in values]

    def alternatives(self, key: str) -> str:
        """Return the parameter's values as alternatives: `a, b or c`."""
        return listing(self.items(key, MAX_INLINE), "or")

    def quoted_value(self, key: str = "value") -> str:
        """Return a typed text between quotation marks; a number has none."""
        value = self.params.get(key)
        return f"“{self.text(key)}”" if isinstance(value, str) and value else self.text(key)

    def option(self, key: str = "field") -> str:
        """Return the name of an option or the path of a field, in the typeface of code."""
        value = self.params.get(key)
        if isinstance(value, Markdown):  # the name in a panel
            return value
        return code_text(value) if isinstance(value, str) else "this"

    def person(self, key: str) -> str:
        """Return the mention of a participant; `somebody` if it's unknown."""
        value = self.params.get(key)
        return self.mention(value) if isinstance(value, str) else "somebody"

    def mention(self, participant: str) -> str:
        """Return the mention of a participant by id; `somebody` without names."""
        return self._names.mention(participant) if self._names else "somebody"

    def display_name(self, key: str) -> str:
        """Return the name of a participant, without a mention."""
        value = self.params.get(key)
        return self._names.name(value) if self._names and isinstance(value, str) else SOMEBODY

    def items_text(self, key: str, shown: Callable[[str], str]) -> str:
        """Return a text, or a list of texts, each as `shown` gives it."""
        value = self.params.get(key)
        return shown(value) if isinstance(value, str) else listing(map(shown, self.raw_items(key)))

    def checked_mention(self, key: str) -> str:
        """Return a mention by the bot itself, which must stay a mention."""
        value = self.params.get(key)
        return value if isinstance(value, str) and _MENTION.fullmatch(value) else SOMEBODY

    def role(self, key: str) -> str:
        """Return the mention of a role."""
        value = self.params.get(key)
        return f"<@&{value}>" if isinstance(value, str) and is_id(value) else "that role"


#: A text, or a function of the parameters if it has holes.
TextFunction = Callable[[TextParams], str]
Template = str | TextFunction


def fill_template(template: Template, values: TextParams) -> str:
    """Return a template with its holes filled."""
    return template if isinstance(template, str) else template(values)
