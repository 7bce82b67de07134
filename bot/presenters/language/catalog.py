"""The texts of every code: TOML files, read and checked once, and the small language that they are
written in.

- `{name}` is a hole: the parameter, escaped. `{name|filter}` and `{name|filter:argument}` show it
  in another way. Filters follow each other: `{levels|abs|plural:level}`.
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
`bot.presenters.catalog_cards`), `[parts]`, `[enum.<name>]`, `[commands]` (what Discord says of
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
#: What stands before a hole; the parameter it shows or what shows it; whether it has to say
#: something.
_Piece = tuple[str, str | TextFunction, bool]
#: What says something, or None.
_Way = Callable[[TextParams], str | None]
_N = TypeVar("_N", str, None)


class CatalogPage(Record):
    title: str
    text: str


class Catalog(Record):
    """All texts: by code, by what a fix asks for, whole cards, and the pages and commands of each
    file by its name.

    What stands in `game.cards.toml` belongs to `game`.
    """

    codes: dict[str, Template]
    fixes: dict[str, Template]
    cards: dict[str, Template]
    pages: dict[str, dict[str, CatalogPage]]
    commands: dict[str, dict[str, str]]


def _number(key: str) -> _Number:
    return lambda said: said.number(key)


def _operand(text: str) -> _Number:
    """A number, or the parameter of that name."""
    if text.isidentifier():
        return _number(text)
    number = int(text)
    return lambda said: number


def _add_filter(sign: int, number: _Number, other: str) -> _Number:
    more = _operand(other)
    return lambda said: number(said) + sign * more(said)


def _plural_filter(number: _Number, one: str, several: str = "") -> TextFunction:
    many = several or f"{one}s"

    def text(said: TextParams) -> str:
        count = number(said)
        return f"{count} {many}" if count > 1 else plural(count, one, many)

    return text


def _clip_filter(key: str, most: str) -> TextFunction:
    limit = int(most)
    return lambda said: said.text(key, limit)


#: From a number to another.
_NUMBERS: Final[dict[str, Callable[..., _Number]]] = {
    "abs": lambda number: lambda said: abs(number(said)),
    "minus": partial(_add_filter, -1),
    "plus": partial(_add_filter, 1),
}
#: From a number to words.
_COUNTS: Final[dict[str, Callable[..., TextFunction]]] = {
    "plural": _plural_filter,
    "signed": lambda number: lambda said: signed_text(number(said)),
    "seconds": lambda number: lambda said: duration(number(said)),
    "minutes": lambda number: lambda said: duration(number(said) * 60),
    "moment": lambda number: lambda said: story_time_text(number(said)),
    "when": lambda number: lambda said: timestamp_text(number(said), "f"),
}
#: From a parameter to words; without one of these it is shown in as much as fits into a sentence.
_READ: Final[dict[str, Callable[..., TextFunction]]] = {
    "most": _clip_filter,
    "percent": lambda key: lambda said: percent(Fraction(str(said.params.get(key) or 0))),
    "long": lambda key: lambda said: said.text(key, 0),
    "lines": lambda key: lambda said: said.text(key, 0, lines=True),
    "quoted": lambda key: lambda said: said.quoted_value(key),
    "list": lambda key: lambda said: listing(said.items(key)),
    "or": lambda key: lambda said: said.alternatives(key),
    "join": lambda key, between=", ": lambda said: between.join(said.items(key)),
    "option": lambda key: lambda said: said.option(key),
    "name": lambda key: lambda said: said.items_text(key, name_text),
    "some": lambda key: lambda said: some_names(said.raw_items(key)),
    "place": lambda key: lambda said: said.items_text(key, place_text),
    "code": lambda key: lambda said: said.items_text(key, code_text),
    "called": lambda key: lambda said: said.display_name(key),
    "person": lambda key: lambda said: said.person(key),
    "whom": lambda key: lambda said: said.checked_mention(key),
    "role": lambda key: lambda said: said.role(key),
}
#: From words to words.
_WORDS: Final[dict[str, Callable[..., TextFunction]]] = {
    "capital": lambda text: lambda said: with_capital(text(said)),
    "stop": lambda text: lambda said: with_stop(text(said)),
    "article": lambda text: lambda said: with_article(text(said)),
}
_FILTERS: Final = (_NUMBERS, _COUNTS, _READ, _WORDS)
#: Kind of filter -> the kinds that may stand behind it; -1 is none.
_BEHIND: Final = {-1: (0, 1, 2, 3), 0: (0, 1), 1: (3,), 2: (3,), 3: (3,)}

_TOKEN = re.compile(
    r"\\(?P<plain>.)|\{(?P<hole>[^{}]*)\}|(?P<sign>[\[\]|])|(?P<text>[^\\{}\[\]|]+)|(?P<stray>.)",
    re.S,
)
_CONDITION = re.compile(
    r"\?(?:(?P<no>!?)(?P<key>\w+)|(?P<one>\w+)(?P<how>!?=|[<>])(?P<value>[^<>=]*))"
)


def _has_value_test(key: str) -> _Test:
    """Whether there is something to be shown; 0 is."""

    def test(said: TextParams) -> bool:
        value = said.params.get(key)
        return bool(value) or type(value) is int

    return test


def _as_number(value: Value) -> int:
    return len(value) if isinstance(value, tuple) else value if isinstance(value, int) else 0


def _parse_condition(body: str) -> tuple[_Test, str]:
    """What is asked, and the parameter that is there if so; empty where that is not said."""
    found = _CONDITION.fullmatch(body)
    if found is None:
        raise ValueError(f"this is no condition: {{{body}}}")
    no, key, one, how, value = found.groups()
    if key is not None:
        shown = _has_value_test(key)
        return (lambda said: not shown(said), "") if no else (shown, key)
    if how in ("<", ">"):
        number = int(value)
        if how == "<":
            return lambda said: _as_number(said.params.get(one)) < number, ""
        return lambda said: _as_number(said.params.get(one)) > number, one if number >= 0 else ""
    texts = value.split(",")
    values = frozenset[Value](
        [*texts, *(int(text) for text in texts if text.lstrip("-").isdigit())]
    )

    def equal(said: TextParams) -> bool:
        given = said.params.get(one)
        return (0 if given is None else len(given) if type(given) is tuple else given) in values

    return (equal, "") if how == "=" else (lambda said: not equal(said), "")


def _parse_hole(body: str) -> str | TextFunction:
    """What shows a parameter: its name alone where it is shown as it is."""
    key, *filters = body.split("|")
    if not key.isidentifier():
        raise ValueError(f"this is no hole: {{{body}}}")
    number = _number(key)
    words: TextFunction | None = None
    last = -1
    for text in filters:
        name, *given = text.split(":")
        kind = next((kind for kind, known in enumerate(_FILTERS) if name in known), -1)
        try:
            if kind < 0:
                raise ValueError("there is no such filter")
            if kind not in _BEHIND[last]:
                raise ValueError("it cannot stand there")
            if kind == 0:
                number = _NUMBERS[name](number, *given)
            elif kind == 3:
                words = _WORDS[name](words or (lambda said: said[key]), *given)
            else:
                words = _COUNTS[name](number, *given) if kind == 1 else _READ[name](key, *given)
            last = kind
        except (TypeError, ValueError) as error:
            raise ValueError(f"the filter {text!r} of {{{body}}}: {error}") from None
    if words is None and filters:
        return lambda said: str(number(said)).replace("-", "−")
    return words or key


def _build_variant(
    tests: list[_Test], pieces: list[_Piece], end: str, nothing: _N
) -> Callable[[TextParams], str | _N]:
    """What stands before each hole, the hole, and last what ends it; `nothing` where a test fails,
    or a part that has to say something does not.
    """

    def text(said: TextParams) -> str | _N:
        for test in tests:
            if not test(said):
                return nothing
        words = ""
        for before, hole, needed in pieces:
            shown = said[hole] if isinstance(hole, str) else hole(said)
            if needed and not shown:
                return nothing
            words += before + shown
        return words + end

    return text


def _first_variant(ways: list[_Way]) -> TextFunction:
    """What the first of the ways says that says something; nothing where none does."""

    def text(said: TextParams) -> str:
        for way in ways:
            words = way(said)
            if words is not None:
                return words
        return ""

    return text


def _as_function(words: Template) -> TextFunction:
    return (lambda said: words) if isinstance(words, str) else words


def _parse_tokens(tokens: Iterator[re.Match[str]], parts: _Parts, *, inside: bool) -> Template:
    """A text up to its end, or a section up to its bracket."""
    ways: list[_Way] = []
    tests: list[_Test] = []
    there: set[str] = set()  # parameters that are asked for
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
            tests, there, pieces, before = [], set(), [], ""
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
            there.add(key)
        elif sign.startswith("{>"):
            pieces.append((before, _as_function(parts(sign[2:-1])), inside))
            before = ""
        else:
            key = sign[1:-1].partition("|")[0]
            if key not in there:
                tests.append(_has_value_test(key))
            there.add(key)
            pieces.append((before, _parse_hole(sign[1:-1]), False))
            before = ""
    if inside:
        raise ValueError("a section without an end")
    return _build_variant([], pieces, before, "") if pieces else before


def _no_parts(name: str) -> Template:
    raise ValueError(f"there is no part {name!r}")


def parse_template(text: str, parts: _Parts = _no_parts) -> Template:
    """The text taken apart, a plain string where nothing has to be put in. ValueError says what is
    wrong with it.
    """
    return _parse_tokens(_TOKEN.finditer(text), parts, inside=False)


#: Discord shows no more of a command or an option.
_DESCRIPTION: Final = 100
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
    found: dict[str, CatalogPage] = {}
    for key, page in tables.get("pages", {}).items():
        if not isinstance(page, dict) or page.keys() != {"title", "text"} or not all(page.values()):
            raise ValueError(f"{file}: {key}: this is no page, which has a title and a text")
        found[key] = CatalogPage(str(page["title"]), str(page["text"]))
    return found


def _read_commands(file: str, tables: Mapping[str, Any]) -> dict[str, str]:
    """What Discord says of commands and options: plain texts of at most 100 characters."""
    found: dict[str, str] = {}
    for name, text in tables.get("commands", {}).items():
        if not isinstance(text, str) or not 0 < len(text) <= _DESCRIPTION:
            raise ValueError(
                f"{file}: {name}: this describes no command, in {_DESCRIPTION} characters at most"
            )
        found[name] = text
    return found


def _read_texts(
    files: Iterable[tuple[str, Mapping[str, Any]]], table: str
) -> dict[str, tuple[str, str]]:
    """Code -> (file, text) of one table of all files; the table "" is what stands above the
    others.
    """
    found: dict[str, tuple[str, str]] = {}
    for file, tables in files:
        above = {code: text for code, text in tables.items() if code not in _TABLES}
        if table == "parts":
            rows = read_parts(file, tables)
        else:
            rows = tables.get(table, {}) if table else above
        for code, text in rows.items():
            if not isinstance(text, str) or not text:
                raise ValueError(f"{file}: {code}: this is no text")
            if code in found:
                raise ValueError(f"{file}: {code}: it stands in {found[code][0]} as well")
            found[code] = file, text
    return found


def read_catalog(folder: Path, functions: Mapping[str, TextFunction]) -> Catalog:
    """Every text of a language. ValueError names the file, the code, and what is wrong; parts need
    to be used.
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
            parts[name] = None  # while it is taken apart
            parts[name] = apart(name, *texts[name])
        words = parts[name]
        if words is None:
            raise ValueError(f"the part {name!r} stands in itself")
        return words

    def apart(code: str, file: str, text: str) -> Template:
        try:
            return parse_template(text, part)
        except ValueError as error:
            raise ValueError(f"{file}: {code}: {error}") from None

    codes, fixes, cards = (
        {code: apart(code, *found) for code, found in _read_texts(files, table).items()}
        for table in ("", "fixes", "cards")
    )
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
