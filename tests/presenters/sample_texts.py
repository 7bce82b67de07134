"""Every text of the catalog with each of its branches filled from sample values.

`python -m tests.presenters.sample_texts` prints them, a line each, to be read aloud; words behind
it choose files or keys: `… sample_texts ego mb-fact`.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from bot.presenters.language import catalog
from bot.presenters.language.text import TextParams, fill_template
from bot.presenters.language.words import CARD_TEMPLATES, FIX_TEMPLATES, LOCALE, TEMPLATES
from rules.table.blocks import Text, Value

#: What stands for a parameter without a sample of its own.
_SAMPLES: Final[dict[str, Value]] = {
    "ability": "Climbing",
    "about": "the ferry",
    "actor": "Tamsin Roe",
    "after": 3,
    "allowed": ("Climbing", "Stealth"),
    "amount": "2",
    "before": 4,
    "by": "Gina",
    "card": "Second Chance",
    "cards": ("Second Chance", "Luck"),
    "character": "Tamsin Roe",
    "column": 2,
    "doing": "jump aboard",
    "die": "d6",
    "dead": ("Odo Varga", "Tamsin Roe"),
    "deck": "tarot",
    "difficulty": "Hard (3)",
    "effect": "Fire",
    "end": "Storyguide makes the missing rolls on Friday.",
    "example": "Climbing 3",
    "face": 5,
    "factor": "2",
    "field": "weapon",
    "giver": "p1",
    "group": "Thugs",
    "health": "badly hurt",
    "injury": "Broken arm",
    "items": ("Rope", "Fog lamp"),
    "kind": "Van",
    "label": "Weapon",
    "mode": "at once",
    "name": "Tamsin Roe",
    "names": ("Tamsin Roe", "Odo Varga"),
    "nearest": ("Climbing",),
    "note": "for the shed",
    "other": "Dodge",
    "others": ("Odo Varga", "Gorrum"),
    "owner": "p1",
    "range": "medium",
    "skill": "Stealth",
    "subject": "the guard",
    "target": "Gorrum",
    "text": "over the fence",
    "title": "The Dry Canal",
    "type": "cutting",
    "unit": "hours",
    "used": "Athletics",
    "value": "Climing",
    "weapon": "Sword, Long",
    "what": "the crossing",
    "who": "Tamsin Roe",
    "whom": "Gorrum",
    "whose": "Tamsin Roe",
}
#: Parameters that are numbers, also where no filter tells.
_NUMBERS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        add ap available base bonus box chances column cost count damage days degree
        degrees depth distance draws dv entry feet found free full funds harder have
        high highest hours initiative karma least left length lethal letters levels
        limit line low lower lowest magazine mass meters minutes missing modifier most n
        need needed number numbers page pages percent phases points pounds price rank
        rate rating results rolled rolls round rounds row rows score seconds seq shock
        shots size speed stopped stun surplus taken tenths times top total toughness
        turns whole wounds
        """,
    )
)
#: What a filter takes, where the name of the parameter doesn't tell.
_FILTER_SAMPLES: Final[dict[str, Value]] = {
    "person": "p1",
    "called": "p1",
    "place": "123456789012345678",
    "role": "123456789012345678",
    "whom": "<@123456789012345678>",
    "percent": "1/2",
}
_LISTS: Final = frozenset({"list", "or", "join", "some"})
_COUNTED: Final = frozenset({"abs", "minus", "plus", "plural", "signed", "seconds", "minutes"})
_MOMENTS: Final = frozenset({"moment", "when"})
_MOMENT: Final = 4230
#: What functions of the parameters look up.
_FUNCTION_PARAMS: Final[dict[str, dict[str, Value]]] = {
    "bar-times": {"factor": "2"},
    "bar-indent": {"depth": 1},
    "leaders": {"gms": ("p2",)},
    "pointed": {"value": "4d6+x", "column": 4},
    "setting": {"field": "answer_time"},
}
#: Tables of a file that hold templates.
_TABLES: Final[dict[str, Mapping[str, catalog.Template]]] = {
    "": TEMPLATES,
    "fixes": FIX_TEMPLATES,
    "cards": CARD_TEMPLATES,
}


class _Names:
    """The people of the samples."""

    def mention(self, participant: str) -> str:
        return "@Jonas"

    def user_id(self, participant: str) -> int | None:
        return 1

    def name(self, participant: str) -> str:
        return "Jonas"


class Hole(NamedTuple):
    key: str
    filters: tuple[str, ...]


class Function(NamedTuple):
    name: str


class Condition(NamedTuple):
    """A condition: `?`, `!` (nothing is there), `=`, `!=`, `<` or `>`."""

    key: str
    how: str
    values: tuple[str, ...] = ()


class Way(NamedTuple):
    """One of the texts that a section can be."""

    tests: tuple[Condition, ...]
    nodes: tuple[Any, ...]


class Section(NamedTuple):
    ways: tuple[Way, ...]


def _condition(body: str) -> Condition:
    found = catalog._CONDITION.fullmatch(body)
    assert found is not None, body
    no, key, one, how, value = found.groups()
    if key is not None:
        return Condition(key, "!" if no else "?")
    return Condition(one, how, (*value.split(","),))


def _read(tokens: Iterator[Any], parts: Mapping[str, str]) -> tuple[Way, ...]:
    """Read a text up to its end, or a section up to its bracket."""
    ways: list[Way] = []
    tests: list[Condition] = []
    nodes: list[Any] = []
    for token in tokens:
        sign = token[0]
        if sign in ("|", "]"):
            ways.append(Way(tuple(tests), tuple(nodes)))
            if sign == "]":
                return tuple(ways)
            tests, nodes = [], []
        elif sign == "[":
            nodes.append(Section(_read(tokens, parts)))
        elif sign.startswith("{?"):
            tests.append(_condition(sign[1:-1]))
        elif sign.startswith("{>"):
            name = sign[2:-1]
            nodes += [_tree(parts[name], parts)] if name in parts else [Function(name)]
        elif sign.startswith("{"):
            key, *filters = sign[1:-1].split("|")
            nodes.append(Hole(key, tuple(filters)))
        else:
            nodes.append(token["plain"] or sign)
    return (*ways, Way(tuple(tests), tuple(nodes)))


def _tree(text: str, parts: Mapping[str, str]) -> Way:
    tokens = catalog._TOKEN.finditer(text)
    (way,) = _read(_outside(tokens), parts)
    return way


def _outside(tokens: Iterator[Any]) -> Iterator[Any]:
    """A bar outside of all sections is a sign like others: it comes as a text of its own."""
    depth = 0
    for token in tokens:
        depth += (token[0] == "[") - (token[0] == "]")
        if token[0] == "|" and depth == 0:
            continue
        yield token


@cache
def _parts() -> dict[str, str]:
    found: dict[str, str] = {}
    for path in sorted(LOCALE.glob("*.toml")):
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        found |= catalog.read_parts(path.name, tables)
    return found


def _walk(way: Way) -> Iterator[Any]:
    """All holes, functions, tests and sections of a text."""
    yield from way.tests
    for node in way.nodes:
        yield node
        if isinstance(node, Way):
            yield from _walk(node)
        elif isinstance(node, Section):
            for each in node.ways:
                yield from _walk(each)


class Sampler:
    """Chooses parameters for a text by what its holes and conditions take."""

    def __init__(self, tree: Way) -> None:
        self.tree = tree
        self.filters: dict[str, set[str]] = {}
        self.asked: dict[str, list[str]] = {}
        self.compared: set[str] = set()
        self.shown: set[str] = set()
        for node in _walk(tree):
            if isinstance(node, Hole):
                self.shown.add(node.key)
                self.filters.setdefault(node.key, set()).update(
                    each.partition(":")[0] for each in node.filters
                )
            elif isinstance(node, Condition):
                self.filters.setdefault(node.key, set())
                if node.how in ("<", ">"):
                    self.compared.add(node.key)
                self.asked.setdefault(node.key, []).extend(node.values)

    def is_list(self, key: str) -> bool:
        return bool(self.filters.get(key, set()) & _LISTS)

    def is_number(self, key: str) -> bool:
        """Return whether a parameter is a number that is counted."""
        if self.is_list(key):
            return False
        digits = any(each.lstrip("-").isdigit() for each in self.asked.get(key, ()))
        return bool(self.filters.get(key, set()) & _COUNTED) or key in self.compared or digits

    def sample(self, key: str) -> Value:
        filters = self.filters.get(key, set())
        if filters & _MOMENTS:
            return _MOMENT
        if self.is_number(key) or (key in _NUMBERS and not self.is_list(key)):
            return 90 if filters & {"seconds", "minutes"} else 2
        for name in sorted(filters):
            if name in _FILTER_SAMPLES:
                return _FILTER_SAMPLES[name]
        value = _SAMPLES.get(key, key.replace("_", " "))
        if self.is_list(key) and not isinstance(value, tuple):
            return (str(value), "Gorrum")
        return value

    def _typed(self, key: str, text: str) -> Value:
        """A value of a condition as the parameter is."""
        if not text.lstrip("-").isdigit():
            return text
        if self.is_list(key):
            return ("Tamsin Roe", "Odo Varga", "Gorrum")[: max(0, int(text))]
        return int(text)

    def _more(self, key: str, number: int) -> Value:
        if self.is_list(key):
            return ("Tamsin Roe", "Odo Varga", "Gorrum", "Nora", "Boris")[: max(0, number)]
        return number

    def meet(self, way: Way, params: dict[str, Value]) -> None:
        """Choose what a way needs to be the text, where nothing else is chosen yet."""
        for test in way.tests:
            value: Value
            if test.how == "?":
                value = True if not self.filters.get(test.key) else self.sample(test.key)
                if test.key not in self.shown:
                    value = True
            elif test.how == "!":
                value = None
            elif test.how == "=":
                value = self._typed(test.key, test.values[0])
            elif test.how == "!=":
                others = [each for each in self.asked[test.key] if each not in test.values]
                value = self._typed(test.key, others[0]) if others else self.sample(test.key)
                if str(value) in test.values:
                    value = 7
            else:
                step = 1 if test.how == ">" else -1
                value = self._more(test.key, int(test.values[0]) + step)
            params.setdefault(test.key, value)
        self._show(way, params)

    def _show(self, way: Way, params: dict[str, Value]) -> None:
        for node in way.nodes:
            if isinstance(node, Hole):
                params.setdefault(node.key, self.sample(node.key))
            elif isinstance(node, Function):
                for key, value in _FUNCTION_PARAMS.get(node.name, {}).items():
                    params.setdefault(key, value)
            elif isinstance(node, Way):
                self.meet(node, params)

    def _holds(self, test: Condition, value: Value) -> bool:
        there = bool(value) or type(value) is int
        if test.how in ("?", "!"):
            return there == (test.how == "?")
        if test.how in ("<", ">"):
            number = len(value) if isinstance(value, tuple) else value
            number = number if isinstance(number, int) else 0
            least = int(test.values[0])
            return number < least if test.how == "<" else number > least
        given = 0 if value is None else len(value) if isinstance(value, tuple) else value
        return (str(given) in test.values) == (test.how == "=")

    def fail(self, way: Way, params: dict[str, Value]) -> None:
        """Leave out what a way needs, so that a later one is the text."""
        known = [test for test in way.tests if test.key in params]
        if not all(self._holds(test, params[test.key]) for test in known):
            return
        for test in way.tests:
            if test.key in params:
                continue
            if test.how == "!":
                params[test.key] = self.sample(test.key)
            elif test.how in ("=", "?", ">"):
                params[test.key] = None
            else:
                continue
            return
        for node in way.nodes:
            if isinstance(node, Hole) and node.key not in params:
                params[node.key] = None
                return

    def goals(self) -> Iterator[dict[str, Value]]:
        """Parameters for every way of every section, a set each; and for all that can be said."""
        everything: dict[str, Value] = {}
        self._fill(self.tree, everything)
        nothing: dict[str, Value] = {}
        self._show(self.tree, nothing)
        yield self._with_functions(nothing)
        for path in self._paths(self.tree, ()):
            params: dict[str, Value] = {}
            for section, at in path:
                self.meet(section.ways[at], params)
            for section, at in path:
                for way in section.ways[:at]:
                    self.fail(way, params)
            self._show(self.tree, params)
            yield self._with_functions(params)
        yield self._with_functions(everything)

    def _with_functions(self, params: dict[str, Value]) -> dict[str, Value]:
        """With what the functions of the text look up."""
        for node in _walk(self.tree):
            if isinstance(node, Function):
                for key, value in _FUNCTION_PARAMS.get(node.name, {}).items():
                    params[key] = value if params.get(key) is None else params[key]
        return params

    def _fill(self, way: Way, params: dict[str, Value]) -> None:
        self.meet(way, params)
        for node in way.nodes:
            if isinstance(node, Section):
                for each in node.ways:
                    self._fill(each, params)
            elif isinstance(node, Way):
                self._fill(node, params)

    def _paths(
        self, way: Way, before: tuple[tuple[Section, int], ...]
    ) -> Iterator[tuple[tuple[Section, int], ...]]:
        for node in way.nodes:
            if isinstance(node, Way):
                yield from self._paths(node, before)
            elif isinstance(node, Section):
                for at, each in enumerate(node.ways):
                    path = (*before, (node, at))
                    yield path
                    yield from self._paths(each, path)


class _Params(TextParams):
    def say(self, text: Text) -> str:
        return text.code


class Source(NamedTuple):
    """A text of the catalog: its file, table and key, and what is written there."""

    file: str
    table: str
    key: str
    text: str

    @property
    def place(self) -> str:
        inside = f"{self.table}." if self.table else ""
        return f"{self.file}:{inside}{self.key}"


@cache
def sources() -> tuple[Source, ...]:
    """Return every template of the catalog."""
    found: list[Source] = []
    for path in sorted(LOCALE.glob("*.toml")):
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        for name, templates in _TABLES.items():
            rows = tables.get(name, {}) if name else tables
            found += [
                Source(path.stem, name, key, text)
                for key, text in rows.items()
                if isinstance(text, str) and key in templates
            ]
    return tuple(found)


@cache
def plain_texts() -> tuple[Source, ...]:
    """Return every text of the catalog without holes: pages of help and trouble, commands."""
    found: list[Source] = []
    for path in sorted(LOCALE.glob("*.toml")):
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        for key, page in tables.get("pages", {}).items():
            found.append(Source(path.stem, "pages", f"{key}.title", page["title"]))
            found.append(Source(path.stem, "pages", f"{key}.text", page["text"]))
        for key, text in tables.get("commands", {}).items():
            found.append(Source(path.stem, "commands", key, text))
    return tuple(found)


def sampler(source: Source) -> Sampler:
    return Sampler(_tree(source.text, _parts()))


def render(source: Source, params: Mapping[str, Value]) -> str:
    """Return a text as the bot says it with these parameters."""
    said = _Params(
        {key: value for key, value in params.items() if value is not None}, names=_Names()
    )
    return fill_template(_TABLES[source.table][source.key], said).strip()


@cache
def sentences(source: Source) -> tuple[str, ...]:
    """Return what a text can say, each sentence once."""
    said = (render(source, params) for params in sampler(source).goals())
    return tuple(dict.fromkeys(words for words in said if words))


def _print(chosen: Sequence[str]) -> None:
    for source in (*sources(), *plain_texts()):
        if chosen and not any(each in (source.file, source.key) for each in chosen):
            continue
        said = (source.text,) if source.table in ("pages", "commands") else sentences(source)
        for words in said:
            print(f"{source.place}  {words.replace(chr(10), ' ⏎ ')}")


if __name__ == "__main__":
    _print(sys.argv[1:])
