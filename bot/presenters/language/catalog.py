"""The catalog: texts of every code in TOML files, which are read and checked once at the start.

They are written in a small language:

- `{name}` is a hole: the parameter, escaped. `{name|filter}` and `{name|filter:argument}` show it
  in another way. Filters follow each other: `{levels|abs|plural:level}`.
  `plural` says "no levels" for 0, "1 level" and "2 levels".
- `[, {part}]` is a section. It is left out if one of its own holes shows nothing. Of
  `[one|two|three]` the first is used that shows everything. An empty text, an empty list, `no` and
  a missing parameter show nothing; 0 does.
- `{?hit}` and `{?!hit}` in a section show nothing and ask whether the parameter shows something.
  `{?status=hit,rolled}`, `{?status!=hit}`, `{?count>1}` and `{?count<0}` compare. A list counts as
  its length, a missing parameter as 0.
- `{>name}` stands for another text: one of the `[parts]` of a file, or a function of the
  parameters. A table `[enum.<name>]` is such a part: the words for each value of one parameter.
  Its row `"?"` names the parameter, the row `""` has the words for any other value. Without that
  row, another value is shown as it is.
- A backslash takes the meaning from the sign behind it.

The filters are those of `_NUMBERS`, `_COUNTS`, `_READ` and `_WORDS`, in that order. A file has
texts by code, `[fixes]` (how a violation is mended), `[cards]` (see
`bot.presenters.catalog_cards`), `[parts]`, `[enum.<name>]`, `[commands]` (descriptions of
`<command>` and `<command>.<option>`), and `[pages.<key>]`: a title and a text without holes, as the
help has them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from bot.presenters.language.text import (
    Template,
    TextFunction,
    TextParams,
    code_text,
    duration,
    listing,
    name_text,
    percent,
    place_text,
    plural,
    signed_text,
    some_names,
    story_time_text,
    timestamp_text,
    with_article,
    with_capital,
    with_stop,
)
from rules.core.record import Record
from rules.table.blocks import Value

_Number = Callable[[TextParams], int]
_Test = Callable[[TextParams], bool]
_Parts = Callable[[str], Template]
#: The text before a hole; the parameter or function that fills it; whether it must not be empty.
_Piece = tuple[str, str | TextFunction, bool]
#: A way to fill a section; None if it doesn't apply.
_Way = Callable[[TextParams], str | None]
_N = TypeVar("_N", str, None)


class CatalogPage(Record):
    """A page of `[pages]`, such as a topic of the help."""

    title: str
    text: str


class Catalog(Record):
    """All texts of a language.

    Pages and commands are kept by the name of their file, up to its first dot: those of
    `game.cards.toml` belong to `game`.
    """

    codes: dict[str, Template]
    #: How violations are fixed, by the code of the fix.
    fixes: dict[str, Template]
    #: Whole messages, and phrases of them.
    cards: dict[str, Template]
    pages: dict[str, dict[str, CatalogPage]]
    commands: dict[str, dict[str, str]]


# --- filters --------------------------------------------------------------------------------------


def _number(key: str) -> _Number:
    return lambda values: values.number(key)


def _operand(text: str) -> _Number:
    """Return a function that gives a number, or the parameter of that name."""
    if text.isidentifier():
        return _number(text)
    number = int(text)
    return lambda values: number


def _add_filter(sign: int, number: _Number, other: str) -> _Number:
    more = _operand(other)
    return lambda values: number(values) + sign * more(values)


def _plural_filter(number: _Number, one: str, several: str = "") -> TextFunction:
    many = several or f"{one}s"

    def text(values: TextParams) -> str:
        count = number(values)
        return f"{count} {many}" if count > 1 else plural(count, one, many)

    return text


def _clip_filter(key: str, most: str) -> TextFunction:
    limit = int(most)
    return lambda values: values.text(key, limit)


#: Filters from a number to another.
_NUMBERS: Final[dict[str, Callable[..., _Number]]] = {
    "abs": lambda number: lambda values: abs(number(values)),
    "minus": partial(_add_filter, -1),
    "plus": partial(_add_filter, 1),
}
#: Filters from a number to words.
_COUNTS: Final[dict[str, Callable[..., TextFunction]]] = {
    "plural": _plural_filter,
    "signed": lambda number: lambda values: signed_text(number(values)),
    "seconds": lambda number: lambda values: duration(number(values)),
    "minutes": lambda number: lambda values: duration(number(values) * 60),
    "moment": lambda number: lambda values: story_time_text(number(values)),
    "when": lambda number: lambda values: timestamp_text(number(values), "f"),
    "ago": lambda number: lambda values: timestamp_text(number(values)),
}
#: Filters from a parameter to words. Without one of these a parameter is clipped for a sentence.
_READ: Final[dict[str, Callable[..., TextFunction]]] = {
    "most": _clip_filter,
    "percent": lambda key: lambda values: percent(Fraction(str(values.params.get(key) or 0))),
    "long": lambda key: lambda values: values.text(key, 0),
    "lines": lambda key: lambda values: values.text(key, 0, lines=True),
    "quoted": lambda key: lambda values: values.quoted_value(key),
    "list": lambda key: lambda values: listing(values.items(key)),
    "or": lambda key: lambda values: values.alternatives(key),
    "join": lambda key, between=", ": lambda values: between.join(values.items(key)),
    "option": lambda key: lambda values: values.option(key),
    "name": lambda key: lambda values: values.items_text(key, name_text),
    "some": lambda key: lambda values: some_names(values.raw_items(key)),
    "place": lambda key: lambda values: values.items_text(key, place_text),
    "code": lambda key: lambda values: values.items_text(key, code_text),
    "called": lambda key: lambda values: values.display_name(key),
    "person": lambda key: lambda values: values.person(key),
    "whom": lambda key: lambda values: values.checked_mention(key),
    "role": lambda key: lambda values: values.role(key),
}
#: Filters from words to words.
_WORDS: Final[dict[str, Callable[..., TextFunction]]] = {
    "capital": lambda text: lambda values: with_capital(text(values)),
    "stop": lambda text: lambda values: with_stop(text(values)),
    "article": lambda text: lambda values: with_article(text(values)),
}
_FILTERS: Final = (_NUMBERS, _COUNTS, _READ, _WORDS)
#: Kinds of filters that may follow each kind; -1 is no filter.
_BEHIND: Final = {-1: (0, 1, 2, 3), 0: (0, 1), 1: (3,), 2: (3,), 3: (3,)}

_TOKEN = re.compile(
    r"\\(?P<plain>.)|\{(?P<hole>[^{}]*)\}|(?P<sign>[\[\]|])|(?P<text>[^\\{}\[\]|]+)|(?P<stray>.)",
    re.S,
)
_CONDITION = re.compile(
    r"\?(?:(?P<no>!?)(?P<key>\w+)|(?P<one>\w+)(?P<how>!?=|[<>])(?P<value>[^<>=]*))"
)


def _has_value_test(key: str) -> _Test:
    """Return a test whether a parameter shows something; 0 does."""

    def test(values: TextParams) -> bool:
        value = values.params.get(key)
        return bool(value) or type(value) is int

    return test


def _as_number(value: Value) -> int:
    """Return a number, or the length of a list; 0 for anything else."""
    if isinstance(value, tuple):
        return len(value)
    return value if isinstance(value, int) else 0


def _parse_condition(body: str) -> tuple[_Test, str]:
    """Return the test of a condition, and the parameter that shows something if it's met.

    The parameter is empty if the condition doesn't tell.
    """
    match = _CONDITION.fullmatch(body)
    if match is None:
        raise ValueError(f"this is no condition: {{{body}}}")
    no, key, one, how, value = match.groups()
    if key is not None:
        has_value = _has_value_test(key)
        return (lambda values: not has_value(values), "") if no else (has_value, key)
    if how in ("<", ">"):
        number = int(value)
        if how == "<":
            return lambda values: _as_number(values.params.get(one)) < number, ""
        return (
            lambda values: _as_number(values.params.get(one)) > number,
            one if number >= 0 else "",
        )
    texts = value.split(",")
    numbers = (int(text) for text in texts if text.lstrip("-").isdigit())
    accepted = frozenset[Value]([*texts, *numbers])

    def equal(values: TextParams) -> bool:
        present = values.params.get(one)
        if present is None:
            present = 0
        elif type(present) is tuple:
            present = len(present)
        return present in accepted

    return (equal, "") if how == "=" else (lambda values: not equal(values), "")


def _parse_hole(body: str) -> str | TextFunction:
    """Return a function that shows a parameter; only its name if no filter changes it."""
    key, *filters = body.split("|")
    if not key.isidentifier():
        raise ValueError(f"this is no hole: {{{body}}}")
    number = _number(key)
    words: TextFunction | None = None
    last = -1
    for text in filters:
        name, *arguments = text.split(":")
        kind = next((kind for kind, known in enumerate(_FILTERS) if name in known), -1)
        try:
            if kind < 0:
                raise ValueError("there is no such filter")
            if kind not in _BEHIND[last]:
                raise ValueError("it cannot stand there")
            if kind == 0:
                number = _NUMBERS[name](number, *arguments)
            elif kind == 1:
                words = _COUNTS[name](number, *arguments)
            elif kind == 2:
                words = _READ[name](key, *arguments)
            else:
                words = _WORDS[name](words or (lambda values: values[key]), *arguments)
            last = kind
        except (TypeError, ValueError) as error:
            raise ValueError(f"the filter {text!r} of {{{body}}}: {error}") from None
    if words is None and filters:
        return lambda values: str(number(values)).replace("-", "−")
    return words or key


def _build_variant(
    tests: list[_Test], pieces: list[_Piece], end: str, nothing: _N
) -> Callable[[TextParams], str | _N]:
    """Return a function that joins the pieces and the `end`.

    It returns `nothing` if a test fails, or if a needed hole is empty.
    """

    def text(values: TextParams) -> str | _N:
        for test in tests:
            if not test(values):
                return nothing
        words = ""
        for before, hole, needed in pieces:
            shown = values[hole] if isinstance(hole, str) else hole(values)
            if needed and not shown:
                return nothing
            words += before + shown
        return words + end

    return text


def _first_variant(ways: list[_Way]) -> TextFunction:
    """Return a function that uses the first way that applies; empty if none does."""

    def text(values: TextParams) -> str:
        for way in ways:
            words = way(values)
            if words is not None:
                return words
        return ""

    return text


def _as_function(words: Template) -> TextFunction:
    return (lambda values: words) if isinstance(words, str) else words


def _parse_tokens(tokens: Iterator[re.Match[str]], parts: _Parts, *, inside: bool) -> Template:
    """Return a text up to its end, or a section up to its bracket."""
    ways: list[_Way] = []
    tests: list[_Test] = []
    tested: set[str] = set()  # parameters with a test
    pieces: list[_Piece] = []
    before = ""
    for token in tokens:
        kind, sign = token.lastgroup, token[0]
        if kind in ("text", "plain") or (sign == "|" and not inside):
            before += token["plain"] or sign
        elif sign in ("|", "]") and inside:
            ways.append(_build_variant(tests, pieces, before, None))
            if sign == "]":
                return _first_variant(ways)
            tests, tested, pieces, before = [], set(), [], ""
        elif sign == "[":
            pieces.append((before, _as_function(_parse_tokens(tokens, parts, inside=True)), False))
            before = ""
        elif kind != "hole":
            raise ValueError(f"a stray {sign} at {token.start()}")
        elif sign.startswith("{?"):
            if not inside:
                raise ValueError(f"a condition outside of a section: {sign}")
            test, key = _parse_condition(sign[1:-1])
            tests.append(test)
            tested.add(key)
        elif sign.startswith("{>"):
            pieces.append((before, _as_function(parts(sign[2:-1])), inside))
            before = ""
        else:
            key = sign[1:-1].partition("|")[0]
            if key not in tested:
                tests.append(_has_value_test(key))
            tested.add(key)
            pieces.append((before, _parse_hole(sign[1:-1]), False))
            before = ""
    if inside:
        raise ValueError("a section without an end")
    return _build_variant([], pieces, before, "") if pieces else before


def _no_parts(name: str) -> Template:
    raise ValueError(f"there is no part {name!r}")


def parse_template(text: str, parts: _Parts = _no_parts) -> Template:
    """Return a text as a template; a plain string if it has no holes.

    Raises ValueError with what is wrong with the text.
    """
    return _parse_tokens(_TOKEN.finditer(text), parts, inside=False)


# --- files ----------------------------------------------------------------------------------------

#: Most letters of the description of a command or an option on Discord.
_DESCRIPTION_LENGTH: Final = 100
_TABLES: Final = ("fixes", "cards", "parts", "enum", "pages", "commands")


def _read_tables(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None


def read_parts(file: str, tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the texts of `[parts]` and of the enumerations of a file, by name.

    Raises ValueError for an enumeration without a parameter, or whose words are no texts.
    """
    parts = dict(tables.get("parts", {}))
    for name, rows in tables.get("enum", {}).items():
        if name in parts:
            raise ValueError(f"{file}: {name}: it is a part and an enumeration")
        parts[name] = _enumeration_text(file, name, rows)
    return parts


def _enumeration_text(file: str, name: str, rows: Mapping[str, object]) -> str:
    """Return the section that shows the words for the value of a parameter."""
    words = dict(rows)
    parameter = words.pop("?", "")
    if not isinstance(parameter, str) or not parameter.isidentifier():
        raise ValueError(f'{file}: {name}: its row "?" names no parameter')
    if not words or not all(isinstance(text, str) for text in words.values()):
        raise ValueError(f"{file}: {name}: each value of an enumeration has a text")
    other = words.pop("", f"{{{parameter}}}")
    ways = [f"{{?{parameter}={value}}}{text}" for value, text in words.items()]
    return f"[{'|'.join(ways)}|{other}]"


def _read_pages(file: str, tables: Mapping[str, Any]) -> dict[str, CatalogPage]:
    pages: dict[str, CatalogPage] = {}
    for key, page in tables.get("pages", {}).items():
        if not isinstance(page, dict) or page.keys() != {"title", "text"} or not all(page.values()):
            raise ValueError(f"{file}: {key}: this is no page, which has a title and a text")
        pages[key] = CatalogPage(str(page["title"]), str(page["text"]))
    return pages


def _read_commands(file: str, tables: Mapping[str, Any]) -> dict[str, str]:
    """Return the descriptions of commands and options: plain texts of at most 100 characters."""
    descriptions: dict[str, str] = {}
    for name, text in tables.get("commands", {}).items():
        if not isinstance(text, str) or not 0 < len(text) <= _DESCRIPTION_LENGTH:
            most = _DESCRIPTION_LENGTH
            raise ValueError(
                f"{file}: {name}: this describes no command, in {most} characters at most"
            )
        descriptions[name] = text
    return descriptions


def _read_texts(
    files: Iterable[tuple[str, Mapping[str, Any]]], table: str
) -> dict[str, tuple[str, str]]:
    """Return the file and text of each code in one table of all files.

    The table "" has the texts above all tables.
    """
    texts: dict[str, tuple[str, str]] = {}
    for file, tables in files:
        if table == "parts":
            rows = read_parts(file, tables)
        elif table:
            rows = tables.get(table, {})
        else:
            rows = {code: text for code, text in tables.items() if code not in _TABLES}
        for code, text in rows.items():
            if not isinstance(text, str) or not text:
                raise ValueError(f"{file}: {code}: this is no text")
            if code in texts:
                raise ValueError(f"{file}: {code}: it stands in {texts[code][0]} as well")
            texts[code] = file, text
    return texts


def read_catalog(folder: Path, functions: Mapping[str, TextFunction]) -> Catalog:
    """Return every text of a language.

    Raises ValueError with the file, the code, and what is wrong. Unused parts are wrong too.
    """
    files = [(path.name, _read_tables(path)) for path in sorted(folder.glob("*.toml"))]
    texts = _read_texts(files, "parts")
    twice = texts.keys() & functions.keys()
    parts: dict[str, Template | None] = dict(functions)
    used: set[str] = set()

    def part(name: str) -> Template:
        used.add(name)
        if name not in parts:
            if name not in texts:
                _no_parts(name)
            parts[name] = None  # while it is being parsed
            parts[name] = parse(name, *texts[name])
        words = parts[name]
        if words is None:
            raise ValueError(f"the part {name!r} stands in itself")
        return words

    def parse(code: str, file: str, text: str) -> Template:
        try:
            return parse_template(text, part)
        except ValueError as error:
            raise ValueError(f"{file}: {code}: {error}") from None

    def read_table(table: str) -> dict[str, Template]:
        rows = _read_texts(files, table)
        return {code: parse(code, file, text) for code, (file, text) in rows.items()}

    codes, fixes, cards = read_table(""), read_table("fixes"), read_table("cards")
    unused = (texts.keys() | functions.keys()) - used
    if twice or unused:
        raise ValueError(
            f"parts that are functions too: {sorted(twice)}; parts never used: {sorted(unused)}"
        )
    pages: dict[str, dict[str, CatalogPage]] = {}
    commands: dict[str, dict[str, str]] = {}
    for file, tables in files:
        name = file.partition(".")[0]
        pages[name] = pages.get(name, {}) | _read_pages(file, tables)
        commands[name] = commands.get(name, {}) | _read_commands(file, tables)
    return Catalog(codes, fixes, cards, pages, commands)
