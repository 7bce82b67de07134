"""What somebody may fill in: one vocabulary for `with`, panels, dialogs, settings and sheets.

A form is read from words (`halvings 2, support Climbing`) or from JSON, written back, offered and
described by one interpreter. Its values are JSON by key: True, whole numbers, texts, tuples of
texts or of a row's values; what nobody said is not among them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import compress
from keyword import iskeyword
from typing import Any, Final, TypeVar, cast

from rules.core.errors import InvalidInput, NotFound, Problems, RulesError
from rules.core.json_reader import Reader, read_whole_number, value_for_error
from rules.core.name_matching import name_key, similar_names, unique_match
from rules.core.record import Record, field_defaults, force_setattr
from rules.core.record import field as record_field
from rules.table.blocks import Text
from rules.table.check import Values

T = TypeVar("T")

#: Values by key and what a value is called in a menu.
Choices = Iterable[tuple[Any, Text]]

#: Longest text, and longest part of one that an error quotes, in characters.
TEXT_MAX: Final = 1000
QUOTE_MAX: Final = 100
#: Most fields that a JSON object may have.
_KEYS_MAX: Final = 200
#: How like a name has to be that is suggested in the place of one: `d12` is no help to whoever
#: wrote `d20`.
_LIKE: Final = 0.7
#: How a value looks that is a key of the data and no name.
_KEY_VALUE: Final = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+")
#: A number that is typed has fewer digits.
_DIGITS: Final = 16
#: Key of the text in the draft of an entry that is nothing but a text.
ENTRY_KEY: Final = "entry"
#: Words for a flag in texts of drafts.
_FLAG_TEXTS: Final = {"yes": True, "no": False}


class FormContext(Record):
    """Who fills a form in, and about what: all that its choices may depend on.

    `game` has a `campaign` and the `sheet` of somebody; `values` are those chosen so far: the draft
    of a panel, the other options of a command, the fields before this one.
    """

    game: Any = None
    check: Any = None
    who: str = ""
    values: Values = record_field(default_factory=dict[str, Any])
    #: Of an entry that is filled in as a form: the draft of the form around it, without the entry.
    around: Values = record_field(default_factory=dict[str, Any])

    @property
    def campaign(self) -> Any:
        return self.game.campaign

    @property
    def subject(self) -> str:
        """Who chooses; where GMs choose for somebody, whom it is done to."""
        check = self.check
        return self.who or (check.target if check is not None else None) or ""

    @property
    def sheet(self) -> Any:
        """Their sheet, None where nobody is meant."""
        game, whom = self.game, self.subject
        return (
            game.sheet(whom)
            if game is not None and (whom or isinstance(game, PartialGame))
            else None
        )


class PartialGame(Record):
    """As much of a game as a form's choices need: what is agreed on, and one sheet."""

    campaign: Any = None
    own: Any = None

    def sheet(self, who: str) -> Any:
        return self.own


NO_CONTEXT: Final = FormContext()


class Option(Record):
    """A value with the words to offer it by; `label` is at most 100 characters long."""

    value: str
    label: Text


#: What may be picked: always the same, or as it depends on who asks.
Among = tuple[Option, ...] | Callable[[FormContext], Iterable[Option]]


def plain_options(values: Iterable[str]) -> tuple[Option, ...]:
    """Values that are called as they are."""
    return tuple(Option(value, Text("as-written", {"text": value})) for value in values)


#: Which one a text means; raises what it raises where that is none.
Find = Callable[[FormContext, str], str]
#: The form of one entry, given the entry's draft. Its keys are those of an entry that is read.
EntryForm = Callable[[FormContext, Values], "Form"]
#: A way to begin an entry: the label of its button, and the draft that the entry begins with.
EntryStart = tuple[Text, Values]
#: Why a field is not for whoever asks, None where it is; given the word as typed.
HiddenIf = Callable[[FormContext, str], RulesError | None]


def never_hidden(asking: FormContext, word: str) -> RulesError | None:
    """For everybody."""
    return None


# --- fields ---------------------------------------------------------------------------------------


class _Keyed(Record):
    key: str


class _Field(_Keyed, kw_only=True):
    """What all fields have. `called` is its name in words where that is not its key, `also` are
    further ones.

    `title` is what a panel calls it, its key in words where there is none; `help` an example or
    what to write, `example` what may stand behind its key in words. What is `free` on a sheet its
    owner may change at any time. With `null` null is a value too. `default` is what is so where
    nothing was said, `nothing` what a menu calls that. `into` makes of a value what a record holds,
    `back` the value of that again; `told` is how a sheet tells what is held. `topic` names a menu
    that several fields share, which otherwise takes their titles; `choices` is offered.
    """

    title: Text | None = None
    topic: Text | None = None
    help: Text | None = None
    example: str = "…"
    free: bool = False
    null: bool = False
    default: Any = None
    nothing: Text | None = None
    called: str = ""
    also: tuple[str, ...] = ()
    hidden_if: HiddenIf = never_hidden
    needed: bool = False
    choices: Among = ()
    into: Callable[[Any], Any] | None = None
    back: Callable[[Any], Any] | None = None
    told: Callable[[Any], Any] = lambda held: held

    def write(self, value: Any) -> tuple[str, ...]:
        """The words that say this value."""
        return (f"{self.key}: {value}",)

    def options(self, asking: FormContext) -> tuple[Option, ...]:
        return tuple(self.choices(asking)) if callable(self.choices) else self.choices

    def choices_for(self, asking: FormContext) -> Choices:
        """What is offered of it, by value."""
        return tuple((option.value, option.label) for option in self.options(asking))

    @property
    def is_typed_word(self) -> bool:
        """Whether the completion of `with` offers the field's example, for lack of choices."""
        return self.choices == ()

    def parse_text(self, reader: Reader, place: str, text: str) -> object:
        """A text from a dialog, or behind a word, as the value that `json` reads; what is wrong
        with it is noted in its place. Of an empty text it is what stands for nothing at all.
        """
        return text.strip()

    def format_text(self, value: Any) -> str:
        """The text that `parse_text` makes this value of: of several each is a line."""
        if isinstance(value, list | tuple):
            return "\n".join(
                " ".join(str(entry).split()) for entry in cast("Sequence[object]", value)
            )
        return str(value)

    def record_value(self, value: Any) -> Any:
        """What a record holds of a value."""
        return value if self.into is None else self.into(value)

    def form_value(self, held: Any) -> Any:
        """The value of what a record holds."""
        return held if self.back is None else self.back(held)


class Flag(_Field, kw_only=True):
    """Said or not said; one with a `default`, or that may be null, can be denied. `label` None: not
    offered.
    """

    label: Text | None = None

    def json(self, reader: Reader, place: str, value: object, asking: FormContext) -> bool | None:
        return reader.read_bool(place, value) or (
            None if self.default is None and not self.null else False
        )

    def write(self, value: Any) -> tuple[str, ...]:
        return (self.key,) if value else ()

    def parse_text(self, reader: Reader, place: str, text: str) -> object:
        return _FLAG_TEXTS.get(text.strip().casefold(), text)

    def format_text(self, value: Any) -> str:
        return "yes" if value else "no"

    def choices_for(self, asking: FormContext) -> Choices:
        return () if self.label is None else ((True, self.label),)

    @property
    def is_typed_word(self) -> bool:
        return self.label is None

    def schema(self, asking: FormContext | None) -> dict[str, Any]:
        return {"type": "boolean"}


class Number(_Field, kw_only=True):
    """A whole number from `low` to `high`; `offered` are those that a menu has, with `label` for
    what they mean.

    `fix` is how a text is mended that is none. A field that is `apart` has a menu of its own, with
    one choice.
    """

    low: int = 0
    high: int = 100
    offered: tuple[int, ...] | Callable[[FormContext], Iterable[int]] = ()
    apart: bool = False
    label: Callable[[int], Text] | None = None
    fix: str | None = None
    example: str = "1"
    #: Reads other texts than a number; returns None for a text that it can't read.
    typed: Callable[[str], int | None] | None = None
    #: Whether a panel has a text box beside the menu, for numbers that the menu doesn't offer.
    writable: bool = False

    def json(self, reader: Reader, place: str, value: object, asking: FormContext) -> int | None:
        return reader.read_number(place, value, self.low, self.high)

    def parse_text(self, reader: Reader, place: str, text: str) -> object:
        plain = text.strip().replace("\u2212", "-").removeprefix("+")
        digits = plain.removeprefix("-")
        if digits.isascii() and digits.isdigit() and len(digits) < _DIGITS:
            return int(plain)
        if self.typed is not None and (read := self.typed(plain)) is not None:
            return read
        if plain:
            given = {"field": place, "value": text.strip()[:QUOTE_MAX], "fix": self.fix}
            reader.problems.append(InvalidInput("not-a-number", **given))
        return None

    def choices_for(self, asking: FormContext) -> Choices:
        label, offered = self.label, self.offered
        if label is None:
            return ()
        numbers = offered(asking) if callable(offered) else offered
        return tuple((number, label(number)) for number in numbers)

    @property
    def is_typed_word(self) -> bool:
        return self.label is None or self.offered == ()

    def schema(self, asking: FormContext | None) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


def spoken_value(value: str) -> str:
    """Return a value as people write it: `full auto` for the key `full_auto`."""
    return value.replace("_", " ") if _KEY_VALUE.fullmatch(value) else value


class Pick(_Field, kw_only=True):
    """One of several; what may be meant besides those that are offered only `find` knows.

    `alone` is how a word begins that is a value without the name (`d10-1`). With `unknown` a name
    has to be written out, in any case: the code of the error for others, with the `rule` that they
    break. A number in JSON has `whole` in front.
    """

    find: Find | None = None
    alone: str = ""
    unknown: str = ""
    rule: str = ""
    whole: str | None = None
    #: Whether a panel has a text box beside the menu, for values that the menu doesn't offer.
    writable: bool = False

    def found(self, asking: FormContext, text: str) -> str:
        """The value that is meant. NotFound("unknown-choice", "ambiguous-choice"), or what `find`
        raises.
        """
        if self.find is not None:
            return self.find(asking, text)
        offered = self.options(asking)
        if self.unknown:
            return self._exact(text, tuple(option.value for option in offered))
        return unique_match(
            offered,
            text,
            lambda option: spoken_value(option.value),
            lambda option: option.value.casefold(),
            field=self.key,
        ).value

    def _exact(self, text: str, names: tuple[str, ...]) -> str:
        wanted = name_key(text)
        for name in names:
            if name_key(name) == wanted:
                return name
        near, rule = similar_names(text, names, _LIKE), {"rule": self.rule} if self.rule else {}
        shown = {"field": self.key, "value": text[:QUOTE_MAX], "fix": "choose-allowed", **rule}
        raise InvalidInput(self.unknown, **shown, allowed=names, nearest=near)

    def json(self, reader: Reader, place: str, value: object, asking: FormContext) -> Any:
        return _found(self, reader, place, value, asking)

    def schema(self, asking: FormContext | None) -> dict[str, Any]:
        closed = self.find is None and (asking is not None or not callable(self.choices))
        if not closed:
            return {"type": "string", "minLength": 1, "maxLength": TEXT_MAX}
        return {"enum": [option.value for option in self.options(asking or NO_CONTEXT)]}


class Many(Pick, kw_only=True):
    """Several of those that `Pick` has one of, at most `most`; each is a word of its own.

    `spoken` writes one that is not offered as whoever asks would.
    """

    most: int = 25
    spoken: Callable[[FormContext, str], str] | None = None

    def json(self, reader: Reader, place: str, value: object, asking: FormContext) -> Any:
        entries = reader.read_list(place, value, self.most) or ()
        found = [
            _found(self, reader, f"{place}[{at}]", entry, asking)
            for at, entry in enumerate(entries)
        ]
        return tuple(dict.fromkeys(each for each in found if each is not None)) or None

    def parse_text(self, reader: Reader, place: str, text: str) -> object:
        return list_lines(text)

    def write(self, value: Any) -> tuple[str, ...]:
        return tuple(f"{self.key}: {entry}" for entry in value)

    def choices_for(self, asking: FormContext) -> Choices:
        return tuple(((option.value,), option.label) for option in self.options(asking))

    def schema(self, asking: FormContext | None) -> dict[str, Any]:
        return {"type": "array", "items": Pick.schema(self, asking), "maxItems": self.most}


class Typed(_Field, kw_only=True):
    """A text as it is typed: one line unless it is `long`; `read` brings it into its one form, or
    raises.

    With `blank` an empty text is one as well. A number in JSON has `whole` in front.
    """

    most: int = 300
    long: bool = False
    blank: bool = False
    read: Callable[[str], str] | None = None
    whole: str | None = None

    def found(self, asking: FormContext, text: str) -> str:
        """The text in its one form. Raises what `read` raises."""
        return text if self.read is None else self.read(text)

    def json(self, reader: Reader, place: str, value: object, asking: FormContext) -> str | None:
        return _found(
            self, reader, place, value, asking, self.most, long=self.long, blank=self.blank
        )

    def schema(self, asking: FormContext | None) -> dict[str, Any]:
        least = {} if self.blank else {"minLength": 1}
        return {"type": "string", **least, "maxLength": self.most}


class _Table(_Field, kw_only=True):
    """What cannot be said in words; in a dialog each entry is a line.

    `picked` gives the lines after one of those offered was chosen, which else is one more.
    """

    most: int = 100
    picked: Callable[[str, str], str] = lambda text, chosen: "\n".join((*list_lines(text), chosen))
    #: Form of one entry. A panel with it opens an entry as a page of its own; None: typed only.
    row: EntryForm | None = None
    #: Ways to begin an entry. Without them there is one, which begins with an empty draft.
    add: Callable[[FormContext], Iterable[EntryStart]] | None = None
    #: Label of the one way to begin an entry, or of the menu of several.
    add_label: Text | None = None
    #: Lines about an entry while it is filled in, with what can be read of it as `asking.values`.
    shows: Callable[[FormContext], Iterable[Text]] = lambda asking: ()
    #: Words for the lines of entries in lists, with the draft as `asking.values`; None: the line.
    tells: Callable[[FormContext, Sequence[str]], Iterable[Text | None]] = lambda asking, lines: (
        None for _ in lines
    )

    def entries(self, text: str) -> list[str]:
        """Return the entries of a text as it is typed."""
        return list_lines(text)

    def starts(self, asking: FormContext) -> tuple[EntryStart, ...]:
        """Return the ways to begin an entry, none if entries are only typed."""
        if self.row is None:
            return ()
        if self.add is not None:
            return tuple(self.add(asking))
        return ((self.add_label or Text("form-add"), {}),)

    def read_entry(self, line: str, asking: FormContext = NO_CONTEXT) -> dict[str, Any]:
        """Return the draft of the entry that a line says. Raises RulesError if it can't be read."""
        return {ENTRY_KEY: line}

    def write_entry(self, values: Values, asking: FormContext = NO_CONTEXT) -> str:
        """Return the line that says an entry."""
        return " ".join(str(values[ENTRY_KEY]).split())

    def entry_problems(self, line: str, asking: FormContext) -> tuple[RulesError, ...]:
        """Return what is wrong with a line, each with its place inside the entry."""
        if len(self.entries(line)) != 1:
            shown = {"field": "", "value": line[:QUOTE_MAX]}
            return (InvalidInput("entry-is-several", **shown),)
        reader, field = Reader(), cast("Table", self)
        data = field.parse_text(reader, self.key, line)
        if not reader.problems:
            field.json(reader, self.key, data, asking)
        start = f"{self.key}[0]"
        return tuple(
            _placed(problem, _place_inside(str(problem.params.get("field")), start))
            for problem in reader.problems
        )

    def form_value(self, held: Any) -> Any:
        return _Field.form_value(self, list(held))

    def write(self, value: Any) -> tuple[str, ...]:
        return ()


class Lines(_Table, kw_only=True):
    """Texts, each of one line and at most `longest` characters.

    `find` returns the canonical form of an entry, or raises.
    """

    longest: int = 300
    find: Find | None = None
    #: Whether commas also separate typed entries.
    commas: bool = False

    def json(
        self, reader: Reader, place: str, value: object, asking: FormContext
    ) -> tuple[str, ...] | None:
        entries = reader.read_list(place, value, self.most)
        if entries is None:
            return None
        places = ((f"{place}[{at}]", entry) for at, entry in enumerate(entries))
        return tuple(self._read_entry(reader, *entry, asking) for entry in places)

    def _read_entry(self, reader: Reader, place: str, value: object, asking: FormContext) -> str:
        before = len(reader.problems)
        text = reader.read_text(place, value, self.longest, needed=True, one_line=True)
        if self.find is None or len(reader.problems) > before:
            return text
        try:
            return self.find(asking, text)
        except RulesError as error:
            reader.problems.append(_placed(error, place))
            return text

    def entries(self, text: str) -> list[str]:
        lines = list_lines(text)
        if not self.commas:
            return lines
        parts = (part.strip() for line in lines for part in line.split(","))
        return [part for part in parts if part]

    def parse_text(self, reader: Reader, place: str, text: str) -> object:
        return self.entries(text)

    def schema(self, asking: FormContext | None) -> dict[str, Any]:
        return {
            "type": "array",
            "maxItems": self.most,
            "items": {"type": "string", "minLength": 1, "maxLength": self.longest},
        }


class Scores(_Table, kw_only=True):
    """Whole numbers by name, as a JSON object; in a dialog `Climbing 3` or `Speed: -1`.

    `name` tells which names there are, as they stand on the sheet. A record holds pairs.
    """

    low: int = 0
    high: int = 100
    name: Pick | None = None

    def json(
        self, reader: Reader, place: str, value: object, asking: FormContext
    ) -> dict[str, int] | None:
        given = reader.read_object(place, value)
        if given is None or reader.note_too_many(place, len(given), self.most):
            return None
        scores: dict[str, int] = {}
        for key, number in given.items():
            path, before = f"{place}.{value_for_error(key)}", len(reader.problems)
            score = reader.read_number(path, number, self.low, self.high)
            name = key if self.name is None else self.name.json(reader, path, key, asking)
            if name in scores:
                reader.add_problem(
                    "duplicate-field", path, key, "rename-or-remove", first=f"{place}.{name}"
                )
            elif len(reader.problems) == before:
                scores[name] = score
        return scores

    def record_value(self, value: Any) -> Any:
        return _Field.record_value(self, tuple(value.items()))

    def form_value(self, held: Any) -> Any:
        return dict(held)

    def entries(self, text: str) -> list[str]:
        return [part for line in list_lines(text) for part in split_scores(line)]

    def parse_text(self, reader: Reader, place: str, text: str) -> object:
        found: dict[str, int] = {}
        for at, line in enumerate(self.entries(text)):
            read, field = read_score(line), f"{place}[{at}]"
            if read is None:
                reader.add_problem("unreadable-score", field, line, "write-score")
            elif read[0] in found:
                reader.add_problem(
                    "duplicate-field", field, read[0], "rename-or-remove", first=place
                )
            else:
                found[read[0]] = read[1]
        return found

    def format_text(self, value: Any) -> str:
        return "\n".join(f"{name} {score}" for name, score in value.items())

    def read_entry(self, line: str, asking: FormContext = NO_CONTEXT) -> dict[str, Any]:
        read = read_score(line)
        if read is None:
            shown = {"field": self.key, "value": line[:QUOTE_MAX], "fix": "write-score"}
            raise InvalidInput("unreadable-score", **shown)
        return {"name": read[0], "score": read[1]}

    def write_entry(self, values: Values, asking: FormContext = NO_CONTEXT) -> str:
        return f"{values['name']} {values['score']}"

    def schema(self, asking: FormContext | None) -> dict[str, Any]:
        score = {"type": "integer", "minimum": self.low, "maximum": self.high}
        names = () if self.name is None else self.name.options(asking or NO_CONTEXT)
        if names:
            by_name = {name.value: score for name in names}
            return {"type": "object", "additionalProperties": False, "properties": by_name}
        return {"type": "object", "additionalProperties": score}


_SCORE: Final = re.compile(r"^(?P<name>.*?)[\s:,=]+(?P<score>[+-]?\d{1,4})$")


#: Comma or semicolon before another entry: `agility 2, vitality -2`.
_NEXT_ENTRY: Final = re.compile(r"[,;]\s*(?=[^\W\d])")


def split_scores(line: str) -> list[str]:
    """Return the entries of a line with several scores.

    If one of them can't be read, the whole line is the only entry.
    """
    parts = [part.strip() for part in _NEXT_ENTRY.split(line)]
    return parts if all(read_score(part) for part in parts) else [line]


def read_score(line: str) -> tuple[str, int] | None:
    """`Climbing 3`, `Climbing: -1`: a trait and its score; None for what cannot be read."""
    found = _SCORE.match(line.replace("\u2212", "-").replace("\u2013", "-").strip())
    if found is None or not found["name"].strip():
        return None
    return found["name"].strip(), int(found["score"])


class _OfRows(_Table):
    form: Form


class Rows(_OfRows, kw_only=True):
    """A table on a sheet: each row a form.

    In a dialog each row is a line, which `line` reads as JSON and `said` writes; without them it
    is the words of the row's form with commas between. `line` raises InvalidInput for what cannot
    be read; `instead` is the row that keeps its place then. `split` gives the lines of a text. A
    record holds a `kind` of each whole row, or what `into` makes of it. With `one`, what a single
    row is called, a sheet tells each by itself.
    """

    line: Callable[[str], Any] | None = None
    said: Callable[[Any], str] | None = None
    instead: Callable[[str], Any] | None = None
    split: Callable[[str], list[str]] = lambda text: list_lines(text)
    kind: type[Any] = dict
    one: Text | None = None
    #: Whether a file may have a row as a typed line.
    typed: bool = False
    #: Draft of an entry's form, given its line, and the line of such a draft; without them the
    #: draft is the row.
    opens: Callable[[FormContext, str], dict[str, Any]] | None = None
    closes: Callable[[FormContext, Values], str] | None = None

    def entries(self, text: str) -> list[str]:
        return self.split(text)

    def json(
        self, reader: Reader, place: str, value: object, asking: FormContext
    ) -> tuple[Values, ...] | None:
        entries = reader.read_list(place, value, self.most)
        if entries is None:
            return None
        return tuple(
            self._read_entry(reader, entry, asking, f"{place}[{at}]")
            for at, entry in enumerate(entries)
        )

    def _read_entry(
        self, reader: Reader, entry: object, asking: FormContext, place: str
    ) -> dict[str, Any]:
        """Return one row: an object, or a line as it is typed."""
        if isinstance(entry, str) and self.line is not None and self.typed:
            before = len(reader.problems)
            line = reader.read_text(place, entry, TEXT_MAX, needed=True, one_line=True)
            if len(reader.problems) > before:
                return {}
            try:
                entry = self.line(line)
            except RulesError as error:
                reader.problems.append(_placed(error, place))
                return {}
        return self.form.read_into(reader, entry, asking, place)

    def record_value(self, value: Any) -> Any:
        return tuple(
            self.form.make_record(self.kind, row) if self.into is None else self.into(row)
            for row in value
            if self.form.is_complete(row)
        )

    def form_value(self, held: Any) -> Any:
        return [self.form.all_values(row) if self.back is None else self.back(row) for row in held]

    def read_entry(self, line: str, asking: FormContext = NO_CONTEXT) -> dict[str, Any]:
        return dict(self._read_line(line)) if self.opens is None else self.opens(asking, line)

    def write_entry(self, values: Values, asking: FormContext = NO_CONTEXT) -> str:
        if self.closes is not None:
            return self.closes(asking, values)
        rows: Sequence[Any] = ()
        if self.into is not None or self.kind is not dict:
            rows = self.form_value(self.record_value((values,)))
        return self.format_text(rows or (values,))

    def _read_line(self, line: str) -> Any:
        return self.form.read_words(line.split(",")) if self.line is None else self.line(line)

    def parse_text(self, reader: Reader, place: str, text: str) -> object:
        rows: list[object] = []
        for at, line in enumerate(self.split(text)):
            try:
                rows.append(self._read_line(line))
            except RulesError as error:
                reader.problems.append(_placed(error, f"{place}[{at}]"))
                rows.append(None if self.instead is None else self.instead(line))
        return rows

    def format_text(self, value: Any) -> str:
        words = [
            self.said(row) if self.said else ", ".join(self.form.write_words(row)) for row in value
        ]
        return _Field.format_text(self, words)

    def schema(self, asking: FormContext | None) -> dict[str, Any]:
        row = self.form.schema(asking)
        items = {"anyOf": [row, {"type": "string", "minLength": 1}]} if self.typed else row
        return {"type": "array", "items": items, "maxItems": self.most}


#: Fields of several entries, a line each.
Table = Lines | Scores | Rows
Field = Flag | Number | Pick | Many | Typed | Table


def _found(
    field: Pick | Typed,
    reader: Reader,
    place: str,
    value: object,
    asking: FormContext,
    most: int = TEXT_MAX,
    *,
    long: bool = False,
    blank: bool = False,
) -> str | None:
    """The value that a JSON text means; what is wrong with it is noted in its place."""
    text = value
    # Nearly always it is a text with nothing wrong.
    if not isinstance(text, str) or not text.isprintable() or len(text) > most or not text.strip():
        before = len(reader.problems)
        if field.whole is not None and isinstance(value, int) and not isinstance(value, bool):
            value = f"{field.whole}{value_for_error(value)}"
        text = reader.read_text(place, value, most, needed=not blank, one_line=not long)
        if len(reader.problems) > before:
            return None
    try:
        return field.found(asking, text)
    except RulesError as error:
        reader.problems.append(_placed(error, place))
        return None


def read_field(field: Field, value: object) -> Any:
    """A value of one field, of JSON. Raises what is wrong with it."""
    reader = Reader()
    read = field.json(reader, field.key, value, NO_CONTEXT)
    for problem in reader.problems:
        raise problem
    return read


def is_within_fields(error: RulesError, places: Collection[str]) -> bool:
    """Whether something is wrong with a field, or in a part of it, of which that is known."""
    field = str(error.params.get("field"))
    return any(field == place or field.startswith(f"{place}.") for place in places)


def list_lines(text: str) -> list[str]:
    """The lines of a list that are not empty, without the dashes that people put in front."""
    lines = (line.strip().removeprefix("- ").strip() for line in text.splitlines())
    return [line for line in lines if line.strip("-")]


def _word_text(field: Field) -> Text:
    """Return the word of a field as its description, if the field has no other."""
    return Text("as-written", {"text": field.called or field.key})


def _place_inside(path: str, start: str) -> str:
    """Return a path within a part whose own path is *start*; empty for the part as a whole."""
    return path.removeprefix(start).removeprefix(".") if path.startswith(start) else ""


def _placed(error: RulesError, place: str) -> RulesError:
    return error.__class__(error.code, **{**error.params, "field": place})


def _hint(field: Field, asking: FormContext = NO_CONTEXT) -> str:
    """Return an example of a typed field, without its name if the value can stand alone.

    If the choices depend on the asking user, the first choice is the example.
    """
    if isinstance(field, Flag):
        return field.called or field.key
    offered = field.options(asking) if isinstance(field, Many) and asking.subject else ()
    example = offered[0].value if offered else field.example
    if isinstance(field, Number) and example.isdigit():
        example = str(min(max(int(example), field.low), field.high))
    if isinstance(field, Pick) and field.alone:
        return example
    return f"{field.called or field.key}: {example}"


# --- forms ----------------------------------------------------------------------------------------


class Form(Record):
    """Fields in the order in which they are offered and written; keys and names are lower-case.

    `check` tells what only all values together can break; it is given them as `asking.values`.
    `first` are the words that are suggested where none is like what was typed; without them all are
    named. `rest` is the label of the menu that several fields share. `leading` are the keys of the
    fields that a panel shows on its first page, in this order. `keys` are those of its fields,
    which `by_key` finds; `defaults` is what is so where nothing was said of one. `warns` tells what
    is allowed but odd; it is given the values that could be read, also of an unfinished draft.
    """

    fields: tuple[Field, ...] = ()
    check: Callable[[FormContext], Iterable[RulesError]] = lambda asking: ()
    first: tuple[str, ...] = ()
    rest: Text | None = None
    leading: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    by_key: dict[str, Field] = record_field(default_factory=dict[str, Any])
    defaults: Mapping[str, Any] = {}
    _by_name: dict[str, Field] = record_field(default_factory=dict[str, Any])
    _needed: tuple[str, ...] = ()
    _of_kinds: dict[type[Any], dict[str, tuple[Field, str, Any]]] = record_field(
        default_factory=dict[type[Any], Any]
    )
    warns: Callable[[FormContext], Iterable[RulesError]] = lambda asking: ()

    def __post_init__(self) -> None:
        said = [field for field in self.fields if not isinstance(field, _Table)]
        by_name = {
            name: field for field in said for name in (field.key, field.called, *field.also) if name
        }
        force_setattr(self, "_by_name", by_name)
        force_setattr(self, "_needed", tuple(field.key for field in self.fields if field.needed))
        force_setattr(self, "keys", tuple(field.key for field in self.fields))
        force_setattr(self, "by_key", dict(zip(self.keys, self.fields, strict=True)))
        force_setattr(self, "defaults", {field.key: field.default for field in self.fields})
        force_setattr(self, "_of_kinds", {})

    @staticmethod
    def of(*fields: Field, **more: Any) -> Form:
        """A form of these fields; `more` is what else it has."""
        return Form(fields, **more)

    def is_complete(self, values: Values) -> bool:
        """Whether nothing that is needed is missing."""
        return all(key in values for key in self._needed)

    def part(self, *keys: str) -> Form:
        return Form(tuple(self.by_key[key] for key in keys))

    # --- words ------------------------------------------------------------------------------------

    def read_words(self, words: Sequence[str], asking: FormContext = NO_CONTEXT) -> dict[str, Any]:
        """`die: d10-1`, `no dice`, `support Climbing`, `dilemma:2` as values; a number that is left
        out is 1. What is needed may have been said beside the words.

        Raises the first of what is wrong: NotFound("unknown-option") with the nearest words,
        InvalidInput("option-twice"), and what `read_json` finds.
        """
        given: dict[str, Any] = {}
        for word in words:
            field, text = self._match_word(" ".join(word.split()), asking)
            value: object = text
            if isinstance(field, Flag):
                value = True
            elif isinstance(field, Many):
                value = (*given.get(field.key, ()), text)
            elif isinstance(field, Number):
                value = read_whole_number(text, field.key, field.low, field.high) if text else 1
            if field.key in given and not isinstance(field, Many):
                raise InvalidInput("option-twice", field="with", value=word[:QUOTE_MAX])
            given[field.key] = value
        reader = Reader()
        beside = {key: asking.values[key] for key in self._needed if key in asking.values}
        values = self.read_into(reader, beside | given, asking, "")
        for problem in reader.problems:
            raise problem
        return values

    def _match_word(self, text: str, asking: FormContext) -> tuple[Field, str]:
        """The field whose name the word begins with, and what is behind the colon or space: the
        longest name counts.

        A word that is as a whole a value without the name is no name: `trick shot`.
        """
        alone = [field for field in self.fields if isinstance(field, Pick) and field.alone]
        for field in alone if " " in text else ():
            if re.fullmatch(field.alone, text, re.IGNORECASE):
                return field, text
        said = text.partition(":")[0].rstrip()
        while said:
            field = self._by_name.get(said.casefold())
            if field is not None:
                rest = text[len(said) :].lstrip().removeprefix(":").strip()
                if isinstance(field, Number) or bool(rest) != isinstance(field, Flag):
                    return field, rest
                break
            said = said.rpartition(" ")[0]
        for field in alone:
            if re.match(field.alone, text, re.IGNORECASE):
                return field, text
        hints = tuple(
            _hint(field, asking)
            for field in self.fields
            if not isinstance(field, _Table) and field.hidden_if(asking, field.key) is None
        )
        known = (*hints, *(word for word in self.first if word not in hints))
        near = self._meant_word(text) or similar_names(text, known) or self.first
        raise NotFound(
            "unknown-option", field="with", value=text[:QUOTE_MAX], nearest=near, allowed=hints
        )

    def _meant_word(self, text: str) -> tuple[str, ...]:
        """Return the word that a misspelled one means, with its value: `range 8` for `rnge 8`."""
        taking = [name for name, field in self._by_name.items() if not isinstance(field, Flag)]
        name, colon, rest = (part.strip() for part in text.partition(":"))
        if colon:
            tries = [(name, rest)]
        else:
            words = text.split()
            tries = [
                (" ".join(words[:at]), " ".join(words[at:])) for at in range(len(words) - 1, 0, -1)
            ]
        for said, behind in tries:
            # A text before a colon was meant as a name.
            near = similar_names(said, taking, 0.6 if colon else _LIKE)[:1] if behind else ()
            if near:
                return (f"{near[0]}{colon} {behind}"[:QUOTE_MAX],)
        return ()

    def write_words(self, values: Values) -> tuple[str, ...]:
        """The words that `read_words` reads these values from."""
        return tuple(
            word
            for field in self.fields
            if field.key in values
            for word in field.write(values[field.key])
        )

    # --- JSON -------------------------------------------------------------------------------------

    def read_json(self, data: object, asking: FormContext = NO_CONTEXT) -> dict[str, Any]:
        """Values from a JSON object as somebody typed or picked them.

        Raises only Problems("bad-form", count) with every violation, each with its place
        (`wounds[2].degree`).
        """
        reader = Reader()
        values = self.read_into(reader, data, asking, "")
        if reader.problems:
            raise Problems("bad-form", reader.problems, count=len(reader.problems))
        return values

    def read_file(
        self,
        data: object,
        code: str,
        spans: Callable[[Reader, Values], object] = lambda reader, values: None,
        asking: FormContext = NO_CONTEXT,
    ) -> dict[str, Any]:
        """Values from a file; `spans` notes what only several fields break, in what could be read.

        Raises only Problems(`code`, count), as `read_json` does.
        """
        reader, values = Reader(), dict[str, Any]()
        given = reader.read_object("", data)
        if given is not None:
            reader.note_unknown(given, self.keys, "")
            known = {key: given[key] for key in self.keys if key in given}
            values = self.read_into(reader, known, asking, "")
            spans(reader, values)
        if reader.problems:
            raise Problems(code, reader.problems, count=len(reader.problems))
        return values

    def read_into(
        self, reader: Reader, data: object, asking: FormContext, place: str
    ) -> dict[str, Any]:
        """As `read_json`, with what is wrong noted in a reader; the values are those that could be
        read.

        In a table with something wrong those entries keep their places, so that others can be
        counted.
        """
        values: dict[str, Any] = {}
        problems, given = reader.problems, reader.read_object(place, data)
        before = len(problems)
        if given is None or reader.note_too_many(place, len(given), _KEYS_MAX):
            return values
        prefix = f"{place}." if place else ""
        if not self.by_key.keys() >= given.keys():
            reader.note_unknown(given, self.keys, prefix)
        if self._needed:
            reader.note_missing(given, self._needed, prefix)
        # What is read goes before what was chosen elsewhere.
        known = dict(asking.values)
        asking = FormContext(asking.game, asking.check, asking.who, known, asking.around)
        for key, field in compress(self.by_key.items(), map(given.__contains__, self.by_key)):
            value, at = given[key], prefix + key
            if value is not None or not field.null:
                wrong = len(problems)
                value = field.json(reader, at, value, asking)
                if value is None or (len(problems) > wrong and not isinstance(field, _Table)):
                    continue
                if field.hidden_if is not never_hidden:
                    refusal = field.hidden_if(
                        asking, (*field.write(value), field.key)[0][:QUOTE_MAX]
                    )
                    if refusal is not None:  # it is not for whoever asks
                        problems.append(_placed(refusal, at))
                        continue
            values[key] = known[key] = value
        if len(problems) == before:
            problems += [
                _placed(problem, f"{prefix}{problem.params.get('field', '')}".strip("."))
                for problem in self.check(asking)
            ]
        return values

    # --- drafts -----------------------------------------------------------------------------------

    def read_draft(
        self, draft: Values, asking: FormContext = NO_CONTEXT
    ) -> tuple[dict[str, Any], tuple[RulesError, ...]]:
        """The values of what was picked and typed so far, as far as they can be read, and every
        violation.

        A draft is JSON by key, with a text for each field that is filled in by typing; what is
        empty was not said.
        """
        reader = Reader()
        given: dict[str, object] = {}
        for field in self.fields:
            value = draft.get(field.key)
            if isinstance(value, str):
                value = field.parse_text(reader, field.key, value) if value.strip() else None
            if value is not None and value is not False:
                given[field.key] = value
        wrong = tuple(str(problem.params["field"]) for problem in reader.problems)
        problems = list(reader.problems)
        values = self.read_into(reader, given, asking, "")
        problems += [
            problem
            for problem in reader.problems[len(problems) :]
            if not is_within_fields(problem, wrong)
        ]
        return values, tuple(problems)

    def warnings(self, values: Values, asking: FormContext = NO_CONTEXT) -> tuple[RulesError, ...]:
        """Return what is allowed but odd about the values that could be read."""
        known = {**asking.values, **values}
        return tuple(self.warns(asking.replace(values=known)))

    def write_draft(self, values: Values) -> dict[str, Any]:
        """The draft that `read_draft` reads these values from; what is typed already stays as it
        is.
        """
        found: dict[str, Any] = {}
        for field in self.fields:
            value = values.get(field.key)
            if isinstance(field, _Table) and value is not None and not isinstance(value, str):
                value = field.format_text(value)
            if value is not None:
                found[field.key] = value
        return found

    # --- records ----------------------------------------------------------------------------------

    def make_record(self, kind: type[T], values: Values) -> T:
        """A record of the system's own: the value of `no dice` is its field `no_dice`; what it has
        not is left out.
        """
        made: dict[str, Any] = {}
        known = self._of_kinds.get(kind) or self._fields_of_kind(kind)
        for key, value in values.items():
            if key in known:
                field, name, _ = known[key]
                made[name] = field.record_value(value)
        return kind(**made)

    def all_values(self, made: Any) -> dict[str, Any]:
        """The values of a record, all that it has."""
        known = self._fields_of_kind(made.__class__)
        return {
            key: field.form_value(getattr(made, name)) for key, (field, name, _) in known.items()
        }

    def changed_values(self, made: Any) -> dict[str, Any]:
        """The values that make this record: those of its fields that are not as they are by
        default.
        """
        known, given = self._fields_of_kind(made.__class__), self.all_values(made)
        return {
            key: given[key]
            for key, (_, name, usual) in known.items()
            if getattr(made, name) != usual
        }

    def _fields_of_kind(self, kind: type[Any]) -> dict[str, tuple[Field, str, Any]]:
        """The fields that a record has, by key, each with its name and default there."""
        found = self._of_kinds.get(kind)
        if found is None:
            own = field_defaults(kind)
            named = [(field, _field_name(field.key)) for field in self.fields]
            found = {field.key: (field, name, own[name]) for field, name in named if name in own}
            self._of_kinds[kind] = found
        return found

    # --- what there is ----------------------------------------------------------------------------

    def word_options(self, asking: FormContext = NO_CONTEXT) -> tuple[Option, ...]:
        """Return the words to offer to the asking user, with their meanings.

        The offer for a field of free text is an example: `caught: name 10`.
        """
        found: list[Option] = []
        for field in self.fields:
            if isinstance(field, _Table) or field.hidden_if(asking, field.key) is not None:
                continue
            if field.is_typed_word:
                found.append(Option(_hint(field), field.help or field.title or _word_text(field)))
            for value, label in field.choices_for(asking):
                found += [Option(word, label) for word in field.write(value)]
        return tuple(found)

    def schema(self, asking: FormContext | None = None) -> dict[str, Any]:
        """The JSON schema of what `read_json` reads; for somebody who asks also what they
        may pick.
        """
        found: dict[str, Any] = {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                field.key: _nullable(field, field.schema(asking)) for field in self.fields
            },
        }
        return found | ({"required": list(self._needed)} if self._needed else {})


def _nullable(field: Field, schema: dict[str, Any]) -> dict[str, Any]:
    if not field.null:
        return schema
    if "enum" in schema:
        return {**schema, "enum": [*schema["enum"], None]}
    return {**schema, "type": [schema["type"], "null"]}


@cache
def _field_name(key: str) -> str:
    name = key.replace(" ", "_").replace("-", "_")
    return f"{name}_" if iskeyword(name) else name
