"""Forms and their fields, for `with`, panels, dialogs, settings and sheets.

One interpreter reads a form from words (`halvings 2, support Climbing`) or from JSON, writes its
values back, offers choices and describes them. Values are JSON by key: True, whole numbers, texts,
tuples of texts or of a row's values. A field without a value has no key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, partial
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

#: Values of a menu, each with its label.
Choices = Iterable[tuple[Any, Text]]

#: Longest text, and longest part of one that an error quotes, in characters.
TEXT_MAX: Final = 1000
QUOTE_MAX: Final = 100
#: Most fields that a JSON object may have.
_KEYS_MAX: Final = 200
#: Least likeness of a suggested name. A lower one would suggest `d12` to a player who typed `d20`.
_LIKE: Final = 0.7
#: Pattern of a value that is a key of the data rather than a name.
_KEY_VALUE: Final = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+")
#: Number of digits from which on a typed text isn't read as a number.
_DIGITS: Final = 16
#: Key of the text in the draft of an entry that is nothing but a text.
ENTRY_KEY: Final = "entry"
#: Words for a flag in texts of drafts.
_FLAG_TEXTS: Final = {"yes": True, "no": False}


class FormContext(Record):
    """Everything that the choices of a form may depend on."""

    #: `Game` or `PartialGame`: both have a `campaign` and a `sheet`.
    game: Any = None
    #: Check that the form belongs to.
    check: Any = None
    #: Id of the character or participant that fills the form in.
    who: str = ""
    #: Values so far: the draft of a panel, the other options of a command, the fields before.
    values: Values = record_field(default_factory=dict[str, Any])
    #: Draft of the form around an entry that is filled in as a form, without the entry.
    around: Values = record_field(default_factory=dict[str, Any])

    @property
    def campaign(self) -> Any:
        return self.game.campaign

    @property
    def subject(self) -> str:
        """Id of the choosing character; where a GM chooses, of the check's target; else empty."""
        if self.who:
            return self.who
        target = None if self.check is None else self.check.target
        return target or ""

    @property
    def sheet(self) -> Any:
        """Sheet of the subject; None without a subject."""
        game, who = self.game, self.subject
        if game is None or not (who or isinstance(game, PartialGame)):
            return None
        return game.sheet(who)


class PartialGame(Record):
    """The parts of a game that a form's choices need: the campaign and one sheet."""

    campaign: Any = None
    own: Any = None

    def sheet(self, who: str) -> Any:
        return self.own


NO_CONTEXT: Final = FormContext()


class Option(Record):
    """A value that a menu offers."""

    value: str
    #: Words for the value, at most 100 characters.
    label: Text


#: Options to pick from: constant, or a function of the context.
OptionSource = tuple[Option, ...] | Callable[[FormContext], Iterable[Option]]


def plain_options(values: Iterable[str]) -> tuple[Option, ...]:
    """Return options whose labels are the values themselves."""
    return tuple(Option(value, Text("as-written", {"text": value})) for value in values)


#: Function from a text to the value that it means; raises RulesError if it means none.
Find = Callable[[FormContext, str], str]
#: The form of one entry, given the entry's draft. Its keys are those of an entry that is read.
EntryForm = Callable[[FormContext, Values], "Form"]
#: A way to begin an entry: the label of its button, and the draft that the entry begins with.
EntryStart = tuple[Text, Values]
#: Function from the context and the typed word to the error that refuses a field; None: allowed.
HiddenIf = Callable[[FormContext, str], RulesError | None]


def never_hidden(asking: FormContext, word: str) -> RulesError | None:
    """Return None: the field is for all participants."""
    return None


# --- fields ---------------------------------------------------------------------------------------


class _Keyed(Record):
    key: str


class _Field(_Keyed, kw_only=True):
    """Base class of all fields."""

    #: Label on a panel; None: the key.
    title: Text | None = None
    #: Label of a menu that several fields share; None: their titles.
    topic: Text | None = None
    #: Instruction or example beside the field.
    help: Text | None = None
    #: Example of the text that stands behind the key in words.
    example: str = "…"
    #: Whether the owner of a sheet may change the field at any time.
    free: bool = False
    #: Whether null is a value too.
    null: bool = False
    #: Value of a field that is left out.
    default: Any = None
    #: Label of the default in a menu.
    nothing: Text | None = None
    #: Name in words, if it isn't the key.
    called: str = ""
    #: Further names in words.
    also: tuple[str, ...] = ()
    hidden_if: HiddenIf = never_hidden
    needed: bool = False
    choices: OptionSource = ()
    #: Function from a form's value to the value in a record; None: the same.
    into: Callable[[Any], Any] | None = None
    #: Function from a record's value back to the form's; None: the same.
    back: Callable[[Any], Any] | None = None
    #: Function from a record's value to the value that the sheet shows.
    told: Callable[[Any], Any] = lambda held: held

    def write(self, value: Any) -> tuple[str, ...]:
        """Return the words that say a value."""
        return (f"{self.key}: {value}",)

    def options(self, asking: FormContext) -> tuple[Option, ...]:
        if callable(self.choices):
            return tuple(self.choices(asking))
        return self.choices

    def choices_for(self, asking: FormContext) -> Choices:
        """Return the values that a menu offers, with their labels."""
        return tuple((option.value, option.label) for option in self.options(asking))

    @property
    def is_typed_word(self) -> bool:
        """True if the completion of `with` offers an example, because there are no choices."""
        return self.choices == ()

    def parse_text(self, reader: Reader, place: str, text: str) -> object:
        """Return the value for `json` that a text from a dialog, or behind a word, stands for.

        Problems are noted in *reader*. An empty text gives the value that stands for nothing.
        """
        return text.strip()

    def format_text(self, value: Any) -> str:
        """Return the text that `parse_text` reads as this value; each of several is a line."""
        if isinstance(value, list | tuple):
            entries = cast("Sequence[object]", value)
            return "\n".join(" ".join(str(entry).split()) for entry in entries)
        return str(value)

    def record_value(self, value: Any) -> Any:
        """Return the value in a record for a value of the form."""
        return value if self.into is None else self.into(value)

    def form_value(self, held: Any) -> Any:
        """Return the value of the form for a value in a record."""
        return held if self.back is None else self.back(held)


class Flag(_Field, kw_only=True):
    """A word that is said or not said.

    A flag with a `default`, or that may be null, can also be denied.
    """

    #: Label of the choice in a menu; None: not offered.
    label: Text | None = None

    def json(self, reader: Reader, place: str, value: object, asking: FormContext) -> bool | None:
        if reader.read_bool(place, value):
            return True
        deniable = self.default is not None or self.null
        return False if deniable else None

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
    """A whole number from `low` to `high`."""

    low: int = 0
    high: int = 100
    #: Numbers in the menu.
    offered: tuple[int, ...] | Callable[[FormContext], Iterable[int]] = ()
    #: Whether the field has a menu of its own, with one choice.
    apart: bool = False
    #: Function from a number to its label in the menu; None: no menu.
    label: Callable[[int], Text] | None = None
    #: Code of the remedy that an error names for a text that is no number.
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
        if self.typed is not None:
            number = self.typed(plain)
            if number is not None:
                return number
        if plain:
            shown = {"field": place, "value": text.strip()[:QUOTE_MAX], "fix": self.fix}
            reader.problems.append(InvalidInput("not-a-number", **shown))
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
    """Return a value as players type it: `full auto` for the key `full_auto`."""
    return value.replace("_", " ") if _KEY_VALUE.fullmatch(value) else value


class Pick(_Field, kw_only=True):
    """One value of several."""

    #: Function that also finds values that aren't offered; None: only the offered ones.
    find: Find | None = None
    #: Pattern of the beginning of a value that is typed without the field's name (`d10-1`).
    alone: str = ""
    #: Code of the error for an unknown value. With it, a value has to be typed in full.
    unknown: str = ""
    #: Id of the rule that an unknown value breaks.
    rule: str = ""
    #: Text to put before a number in JSON; None: a number is refused.
    whole: str | None = None
    #: Whether a panel has a text box beside the menu, for values that the menu doesn't offer.
    writable: bool = False

    def find_value(self, asking: FormContext, text: str) -> str:
        """Return the value that a text means.

        Raises NotFound("unknown-choice", "ambiguous-choice"), or as `find`.
        """
        if self.find is not None:
            return self.find(asking, text)
        offered = self.options(asking)
        if self.unknown:
            return self._exact_value(text, tuple(option.value for option in offered))
        return unique_match(
            offered,
            text,
            lambda option: spoken_value(option.value),
            lambda option: option.value.casefold(),
            field=self.key,
        ).value

    def _exact_value(self, text: str, names: tuple[str, ...]) -> str:
        wanted = name_key(text)
        for name in names:
            if name_key(name) == wanted:
                return name
        near = similar_names(text, names, _LIKE)
        shown = {"field": self.key, "value": text[:QUOTE_MAX], "fix": "choose-allowed"}
        if self.rule:
            shown["rule"] = self.rule
        raise InvalidInput(self.unknown, **shown, allowed=names, nearest=near)

    def json(self, reader: Reader, place: str, value: object, asking: FormContext) -> Any:
        return _read_text_value(self, reader, place, value, asking)

    def schema(self, asking: FormContext | None) -> dict[str, Any]:
        closed = self.find is None and (asking is not None or not callable(self.choices))
        if not closed:
            return {"type": "string", "minLength": 1, "maxLength": TEXT_MAX}
        return {"enum": [option.value for option in self.options(asking or NO_CONTEXT)]}


class Many(Pick, kw_only=True):
    """Several values, each a word of its own."""

    most: int = 25
    #: Function from a value that isn't offered to the words that the asking user would type.
    spoken: Callable[[FormContext, str], str] | None = None

    def json(self, reader: Reader, place: str, value: object, asking: FormContext) -> Any:
        entries = reader.read_list(place, value, self.most) or ()
        picked: dict[str, None] = {}
        for at, entry in enumerate(entries):
            read = _read_text_value(self, reader, f"{place}[{at}]", entry, asking)
            if read is not None:
                picked[read] = None
        return tuple(picked) or None

    def parse_text(self, reader: Reader, place: str, text: str) -> object:
        return list_lines(text)

    def write(self, value: Any) -> tuple[str, ...]:
        return tuple(f"{self.key}: {entry}" for entry in value)

    def choices_for(self, asking: FormContext) -> Choices:
        return tuple(((option.value,), option.label) for option in self.options(asking))

    def schema(self, asking: FormContext | None) -> dict[str, Any]:
        return {"type": "array", "items": Pick.schema(self, asking), "maxItems": self.most}


class Typed(_Field, kw_only=True):
    """A text as it is typed."""

    #: Most characters.
    most: int = 300
    #: Whether the text may have several lines.
    long: bool = False
    #: Whether an empty text is a value too.
    blank: bool = False
    #: Function from the typed text to its canonical form; raises RulesError for other texts.
    read: Callable[[str], str] | None = None
    #: Text to put before a number in JSON; None: a number is refused.
    whole: str | None = None

    def find_value(self, asking: FormContext, text: str) -> str:
        """Return the canonical form of a text. Raises as `read`."""
        return text if self.read is None else self.read(text)

    def json(self, reader: Reader, place: str, value: object, asking: FormContext) -> str | None:
        return _read_text_value(
            self, reader, place, value, asking, self.most, long=self.long, blank=self.blank
        )

    def schema(self, asking: FormContext | None) -> dict[str, Any]:
        least = {} if self.blank else {"minLength": 1}
        return {"type": "string", **least, "maxLength": self.most}


class _Table(_Field, kw_only=True):
    """Base class of fields with several entries.

    They can't be said in words. In a dialog each entry is a line.
    """

    most: int = 100
    #: Function from the lines and a chosen line to the new lines; it appends the line by default.
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
        (None,) * len(lines)
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
        problems: list[RulesError] = []
        for problem in reader.problems:
            path = _place_inside(str(problem.params.get("field")), f"{self.key}[0]")
            problems.append(_with_field(problem, path))
        return tuple(problems)

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
            reader.problems.append(_with_field(error, place))
            return text

    def entries(self, text: str) -> list[str]:
        lines = list_lines(text)
        if not self.commas:
            return lines
        entries: list[str] = []
        for line in lines:
            entries += [part.strip() for part in line.split(",") if part.strip()]
        return entries

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

    A record holds pairs.
    """

    low: int = 0
    high: int = 100
    #: Field that reads the names, as they stand on the sheet; None: any name.
    name: Pick | None = None

    def json(
        self, reader: Reader, place: str, value: object, asking: FormContext
    ) -> dict[str, int] | None:
        data = reader.read_object(place, value)
        if data is None or reader.note_too_many(place, len(data), self.most):
            return None
        scores: dict[str, int] = {}
        for key, number in data.items():
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
        entries: list[str] = []
        for line in list_lines(text):
            entries += split_scores(line)
        return entries

    def parse_text(self, reader: Reader, place: str, text: str) -> object:
        scores: dict[str, int] = {}
        for at, line in enumerate(self.entries(text)):
            read, field = read_score(line), f"{place}[{at}]"
            if read is None:
                reader.add_problem("unreadable-score", field, line, "write-score")
                continue
            name, score = read
            if name in scores:
                reader.add_problem("duplicate-field", field, name, "rename-or-remove", first=place)
            else:
                scores[name] = score
        return scores

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
    """Return the trait and score of a line, such as `Climbing 3` or `Climbing: -1`.

    Returns None for a line that can't be read.
    """
    match = _SCORE.match(line.replace("\u2212", "-").replace("\u2013", "-").strip())
    if match is None or not match["name"].strip():
        return None
    return match["name"].strip(), int(match["score"])


class _OfRows(_Table):
    form: Form


class Rows(_OfRows, kw_only=True):
    """A table on a sheet: each row is filled in by a form, and is a line in a dialog.

    Without `line` and `said`, that line is the words of the row's form with commas between.
    """

    #: Function from a line to the row as JSON; raises InvalidInput if it can't be read.
    line: Callable[[str], Any] | None = None
    #: Function from a row to its line.
    said: Callable[[Any], str] | None = None
    #: Function from a line that can't be read to a row that keeps its place.
    instead: Callable[[str], Any] | None = None
    #: Function from a text to the lines of its rows.
    split: Callable[[str], list[str]] = lambda text: list_lines(text)
    #: Class of a complete row in a record, unless there is `into`.
    kind: type[Any] = dict
    #: Label of a single row. With it, a sheet shows each row by itself.
    one: Text | None = None
    #: Whether a file may have a row as a typed line.
    typed: bool = False
    #: Function from an entry's line to the draft of its form; None: the draft is the row.
    opens: Callable[[FormContext, str], dict[str, Any]] | None = None
    #: Function from a draft to the entry's line; None: the draft is the row.
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
                reader.problems.append(_with_field(error, place))
                return {}
        return self.form.read_into(reader, entry, asking, place)

    def record_value(self, value: Any) -> Any:
        make = partial(self.form.make_record, self.kind) if self.into is None else self.into
        return tuple(make(row) for row in value if self.form.is_complete(row))

    def form_value(self, held: Any) -> Any:
        read = self.form.all_values if self.back is None else self.back
        return [read(row) for row in held]

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
                reader.problems.append(_with_field(error, f"{place}[{at}]"))
                rows.append(None if self.instead is None else self.instead(line))
        return rows

    def format_text(self, value: Any) -> str:
        return _Field.format_text(self, [self._write_line(row) for row in value])

    def _write_line(self, row: Any) -> str:
        return self.said(row) if self.said else ", ".join(self.form.write_words(row))

    def schema(self, asking: FormContext | None) -> dict[str, Any]:
        row = self.form.schema(asking)
        items = {"anyOf": [row, {"type": "string", "minLength": 1}]} if self.typed else row
        return {"type": "array", "items": items, "maxItems": self.most}


#: Fields of several entries, a line each.
Table = Lines | Scores | Rows
Field = Flag | Number | Pick | Many | Typed | Table


def _read_text_value(
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
    """Return the value that a JSON text means; None if it means none, with the problem noted."""
    text = value
    # Nearly every value is a good text, and needs no more checks.
    if not isinstance(text, str) or not text.isprintable() or len(text) > most or not text.strip():
        before = len(reader.problems)
        if field.whole is not None and isinstance(value, int) and not isinstance(value, bool):
            value = f"{field.whole}{value_for_error(value)}"
        text = reader.read_text(place, value, most, needed=not blank, one_line=not long)
        if len(reader.problems) > before:
            return None
    try:
        return field.find_value(asking, text)
    except RulesError as error:
        reader.problems.append(_with_field(error, place))
        return None


def read_field(field: Field, value: object) -> Any:
    """Return the value of one field from JSON. Raises RulesError if there is something wrong."""
    reader = Reader()
    read = field.json(reader, field.key, value, NO_CONTEXT)
    for problem in reader.problems:
        raise problem
    return read


def is_within_fields(error: RulesError, places: Collection[str]) -> bool:
    """Return whether an error is about one of these places, or a part of one."""
    field = str(error.params.get("field"))
    return any(field == place or field.startswith(f"{place}.") for place in places)


def list_lines(text: str) -> list[str]:
    """Return the lines of a list that aren't empty, without the dashes that players type first."""
    lines = (line.strip().removeprefix("- ").strip() for line in text.splitlines())
    return [line for line in lines if line.strip("-")]


def _word_text(field: Field) -> Text:
    """Return the word of a field as its description, if the field has no other."""
    return Text("as-written", {"text": field.called or field.key})


def _place_inside(path: str, start: str) -> str:
    """Return a path within a part whose own path is *start*; empty for the part as a whole."""
    return path.removeprefix(start).removeprefix(".") if path.startswith(start) else ""


def _with_field(error: RulesError, place: str) -> RulesError:
    """Return an error with another place as its field."""
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
    """Fields in the order in which they are offered and written.

    The fields' keys and names are lower-case.
    """

    fields: tuple[Field, ...] = ()
    #: Function that returns the errors of all values together, with them as `asking.values`.
    check: Callable[[FormContext], Iterable[RulesError]] = lambda asking: ()
    #: Words to suggest if none is like the typed one; empty: all words.
    first: tuple[str, ...] = ()
    #: Label of the menu that several fields share.
    rest: Text | None = None
    #: Keys of the fields on a panel's first page, in this order.
    leading: tuple[str, ...] = ()
    #: Keys of all fields; computed.
    keys: tuple[str, ...] = ()
    #: Fields by key; computed.
    by_key: dict[str, Field] = record_field(default_factory=dict[str, Any])
    #: Values of fields that are left out, by key; computed.
    defaults: Mapping[str, Any] = {}
    _by_name: dict[str, Field] = record_field(default_factory=dict[str, Any])
    _needed: tuple[str, ...] = ()
    #: Fields that each class of record has, by key, with their names and defaults there.
    _of_kinds: dict[type[Any], dict[str, tuple[Field, str, Any]]] = record_field(
        default_factory=dict[type[Any], Any]
    )
    #: Function that returns warnings about allowed but odd values, also of an unfinished draft.
    warns: Callable[[FormContext], Iterable[RulesError]] = lambda asking: ()

    def __post_init__(self) -> None:
        by_name: dict[str, Field] = {}
        for field in self.fields:
            if not isinstance(field, _Table):
                names = (field.key, field.called, *field.also)
                by_name |= {name: field for name in names if name}
        force_setattr(self, "_by_name", by_name)
        force_setattr(self, "_needed", tuple(field.key for field in self.fields if field.needed))
        force_setattr(self, "keys", tuple(field.key for field in self.fields))
        force_setattr(self, "by_key", dict(zip(self.keys, self.fields, strict=True)))
        force_setattr(self, "defaults", {field.key: field.default for field in self.fields})
        force_setattr(self, "_of_kinds", {})

    @staticmethod
    def of(*fields: Field, **more: Any) -> Form:
        """Return a form of these fields; *more* are its other attributes."""
        return Form(fields, **more)

    def is_complete(self, values: Values) -> bool:
        """Return whether all needed values are there."""
        return all(key in values for key in self._needed)

    def part(self, *keys: str) -> Form:
        return Form(tuple(self.by_key[key] for key in keys))

    # --- words ------------------------------------------------------------------------------------

    def read_words(self, words: Sequence[str], asking: FormContext = NO_CONTEXT) -> dict[str, Any]:
        """Return the values of words such as `die: d10-1`, `no dice`, `support Climbing`.

        A number that is left out is 1. Needed values may also be among `asking.values`.

        Raises the first error: NotFound("unknown-option") with the nearest words,
        InvalidInput("option-twice"), and as `read_json`.
        """
        typed: dict[str, Any] = {}
        for word in words:
            field, text = self._match_word(" ".join(word.split()), asking)
            value: object = text
            if isinstance(field, Flag):
                value = True
            elif isinstance(field, Many):
                value = (*typed.get(field.key, ()), text)
            elif isinstance(field, Number):
                value = read_whole_number(text, field.key, field.low, field.high) if text else 1
            if field.key in typed and not isinstance(field, Many):
                raise InvalidInput("option-twice", field="with", value=word[:QUOTE_MAX])
            typed[field.key] = value
        reader = Reader()
        beside = {key: asking.values[key] for key in self._needed if key in asking.values}
        values = self.read_into(reader, beside | typed, asking, "")
        for problem in reader.problems:
            raise problem
        return values

    def _match_word(self, text: str, asking: FormContext) -> tuple[Field, str]:
        """Return the field whose name a word begins with, and the rest behind the colon or space.

        The longest name counts. A word that as a whole is a value without its field's name, such
        as `trick shot`, is that value. Raises NotFound("unknown-option").
        """
        alone = [field for field in self.fields if isinstance(field, Pick) and field.alone]
        if " " in text:
            for field in alone:
                if re.fullmatch(field.alone, text, re.IGNORECASE):
                    return field, text
        name = text.partition(":")[0].rstrip()
        while name:
            field = self._by_name.get(name.casefold())
            if field is not None:
                rest = text[len(name) :].lstrip().removeprefix(":").strip()
                if isinstance(field, Number) or bool(rest) != isinstance(field, Flag):
                    return field, rest
                break
            name = name.rpartition(" ")[0]
        for field in alone:
            if re.match(field.alone, text, re.IGNORECASE):
                return field, text
        raise self._unknown_word_error(text, asking)

    def _unknown_word_error(self, text: str, asking: FormContext) -> NotFound:
        hints: list[str] = []
        for field in self.fields:
            if not isinstance(field, _Table) and field.hidden_if(asking, field.key) is None:
                hints.append(_hint(field, asking))
        known = [*hints, *(word for word in self.first if word not in hints)]
        near = self._corrected_word(text) or similar_names(text, known) or self.first
        return NotFound(
            "unknown-option",
            field="with",
            value=text[:QUOTE_MAX],
            nearest=near,
            allowed=tuple(hints),
        )

    def _corrected_word(self, text: str) -> tuple[str, ...]:
        """Return the word that a misspelled one means, with its value: `range 8` for `rnge 8`.

        Returns nothing if it is like no name.
        """
        names = [name for name, field in self._by_name.items() if not isinstance(field, Flag)]
        before, colon, after = (part.strip() for part in text.partition(":"))
        splits = [(before, after)]
        # A text before a colon was meant as a name.
        likeness = 0.6
        if not colon:
            words = text.split()
            cuts = range(len(words) - 1, 0, -1)
            splits = [(" ".join(words[:cut]), " ".join(words[cut:])) for cut in cuts]
            likeness = _LIKE
        for typed, value in splits:
            near = similar_names(typed, names, likeness)[:1] if value else ()
            if near:
                return (f"{near[0]}{colon} {value}"[:QUOTE_MAX],)
        return ()

    def write_words(self, values: Values) -> tuple[str, ...]:
        """Return the words that `read_words` reads these values from."""
        words: list[str] = []
        for field in self.fields:
            if field.key in values:
                words += field.write(values[field.key])
        return tuple(words)

    # --- JSON -------------------------------------------------------------------------------------

    def read_json(self, data: object, asking: FormContext = NO_CONTEXT) -> dict[str, Any]:
        """Return the values from a JSON object of typed or picked values.

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
        """Return the values from a file.

        `spans` notes the problems of several fields together, among the values that could be read.

        Raises only Problems(`code`, count), as `read_json` does.
        """
        reader, values = Reader(), dict[str, Any]()
        content = reader.read_object("", data)
        if content is not None:
            reader.note_unknown(content, self.keys, "")
            known = {key: content[key] for key in self.keys if key in content}
            values = self.read_into(reader, known, asking, "")
            spans(reader, values)
        if reader.problems:
            raise Problems(code, reader.problems, count=len(reader.problems))
        return values

    def read_into(
        self, reader: Reader, data: object, asking: FormContext, place: str
    ) -> dict[str, Any]:
        """Return the values from a JSON object that could be read, with problems noted in *reader*.

        Wrong entries of a table keep their places, so that the places of later entries are right.
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
        # Values that are read here replace those of the context.
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
                    word = (*field.write(value), field.key)[0][:QUOTE_MAX]
                    refusal = field.hidden_if(asking, word)
                    if refusal is not None:
                        problems.append(_with_field(refusal, at))
                        continue
            values[key] = known[key] = value
        if len(problems) == before:
            for problem in self.check(asking):
                path = f"{prefix}{problem.params.get('field', '')}".strip(".")
                problems.append(_with_field(problem, path))
        return values

    # --- drafts -----------------------------------------------------------------------------------

    def read_draft(
        self, draft: Values, asking: FormContext = NO_CONTEXT
    ) -> tuple[dict[str, Any], tuple[RulesError, ...]]:
        """Return the values of a draft that can be read, and every violation.

        A draft is JSON by key, with a text for each field that is filled in by typing. An empty
        text is no value.
        """
        reader = Reader()
        data: dict[str, object] = {}
        for field in self.fields:
            value = draft.get(field.key)
            if isinstance(value, str):
                value = field.parse_text(reader, field.key, value) if value.strip() else None
            if value is not None and value is not False:
                data[field.key] = value
        problems = list(reader.problems)
        wrong = tuple(str(problem.params["field"]) for problem in problems)
        values = self.read_into(reader, data, asking, "")
        later = reader.problems[len(problems) :]
        problems += [problem for problem in later if not is_within_fields(problem, wrong)]
        return values, tuple(problems)

    def warnings(self, values: Values, asking: FormContext = NO_CONTEXT) -> tuple[RulesError, ...]:
        """Return what is allowed but odd about the values that could be read."""
        known = {**asking.values, **values}
        return tuple(self.warns(asking.replace(values=known)))

    def write_draft(self, values: Values) -> dict[str, Any]:
        """Return the draft that `read_draft` reads as these values. Typed texts stay unchanged."""
        draft: dict[str, Any] = {}
        for field in self.fields:
            value = values.get(field.key)
            if isinstance(field, _Table) and value is not None and not isinstance(value, str):
                value = field.format_text(value)
            if value is not None:
                draft[field.key] = value
        return draft

    # --- records ----------------------------------------------------------------------------------

    def make_record(self, kind: type[T], values: Values) -> T:
        """Return a record of class *kind* with these values.

        The value of `no dice` becomes the field `no_dice`. Values without a field are left out.
        """
        attributes: dict[str, Any] = {}
        known = self._of_kinds.get(kind) or self._fields_of_kind(kind)
        for key, value in values.items():
            if key in known:
                field, name, _ = known[key]
                attributes[name] = field.record_value(value)
        return kind(**attributes)

    def all_values(self, record: Any) -> dict[str, Any]:
        """Return all values of a record, by the keys of the form."""
        values: dict[str, Any] = {}
        for key, (field, name, _) in self._fields_of_kind(record.__class__).items():
            values[key] = field.form_value(getattr(record, name))
        return values

    def changed_values(self, record: Any) -> dict[str, Any]:
        """Return the values of a record that differ from its defaults, by the keys of the form."""
        values: dict[str, Any] = {}
        for key, (field, name, default) in self._fields_of_kind(record.__class__).items():
            held = getattr(record, name)
            if held != default:
                values[key] = field.form_value(held)
        return values

    def _fields_of_kind(self, kind: type[Any]) -> dict[str, tuple[Field, str, Any]]:
        """Return the fields that a class of records has, by key, with names and defaults there."""
        fields = self._of_kinds.get(kind)
        if fields is None:
            fields = {}
            defaults = field_defaults(kind)
            for field in self.fields:
                name = _field_name(field.key)
                if name in defaults:
                    fields[field.key] = (field, name, defaults[name])
            self._of_kinds[kind] = fields
        return fields

    # --- what there is ----------------------------------------------------------------------------

    def word_options(self, asking: FormContext = NO_CONTEXT) -> tuple[Option, ...]:
        """Return the words to offer to the asking user, with their meanings.

        The offer for a field of free text is an example: `caught: name 10`.
        """
        offered: list[Option] = []
        for field in self.fields:
            if isinstance(field, _Table) or field.hidden_if(asking, field.key) is not None:
                continue
            if field.is_typed_word:
                label = field.help or field.title or _word_text(field)
                offered.append(Option(_hint(field), label))
            for value, label in field.choices_for(asking):
                offered += [Option(word, label) for word in field.write(value)]
        return tuple(offered)

    def schema(self, asking: FormContext | None = None) -> dict[str, Any]:
        """Return the JSON schema of the object that `read_json` reads.

        With *asking*, it has the values that this user may pick.
        """
        schemas = {field.key: _nullable(field, field.schema(asking)) for field in self.fields}
        schema: dict[str, Any] = {
            "type": "object",
            "additionalProperties": False,
            "properties": schemas,
        }
        if self._needed:
            schema["required"] = list(self._needed)
        return schema


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
