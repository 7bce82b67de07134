"""Fields of forms with several entries: lines of text, scores by name, and rows.

In a dialog each entry is a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final, Protocol, TypeVar, cast

from rules.core.errors import InvalidInput, RulesError
from rules.core.json_reader import Reader, value_for_error
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms.fields import (
    NO_CONTEXT,
    QUOTE_MAX,
    TEXT_MAX,
    BaseField,
    Find,
    FormContext,
    Pick,
    error_with_field,
    list_lines,
)

T = TypeVar("T")

#: Key of the text in the draft of an entry that is nothing but a text.
ENTRY_KEY: Final = "entry"
#: Function from an entry's draft to the `Form` of the entry. The form's keys are those of an entry
#: that is read.
EntryForm = Callable[[FormContext, Values], Any]
#: A way to begin an entry: the label of its button, and the draft that the entry begins with.
EntryStart = tuple[Text, Values]


class EntriesField(BaseField, kw_only=True):
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
            problems.append(error_with_field(problem, path))
        return tuple(problems)

    def form_value(self, held: Any) -> Any:
        return BaseField.form_value(self, list(held))

    def write(self, value: Any) -> tuple[str, ...]:
        return ()


class Lines(EntriesField, kw_only=True):
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
            reader.problems.append(error_with_field(error, place))
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


class Scores(EntriesField, kw_only=True):
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
        return BaseField.record_value(self, tuple(value.items()))

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


class RowForm(Protocol):
    """Form of a table's rows, as far as the table uses it. `Form` is one."""

    def read_words(self, words: Sequence[str]) -> dict[str, Any]: ...

    def write_words(self, values: Values) -> tuple[str, ...]: ...

    def read_into(
        self, reader: Reader, data: object, asking: FormContext, place: str
    ) -> dict[str, Any]: ...

    def is_complete(self, values: Values) -> bool: ...

    def make_record(self, kind: type[T], values: Values) -> T: ...

    def all_values(self, record: Any) -> dict[str, Any]: ...

    def schema(self, asking: FormContext | None) -> dict[str, Any]: ...


class _OfRows(EntriesField):
    form: RowForm


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
                reader.problems.append(error_with_field(error, place))
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
                reader.problems.append(error_with_field(error, f"{place}[{at}]"))
                rows.append(None if self.instead is None else self.instead(line))
        return rows

    def format_text(self, value: Any) -> str:
        return BaseField.format_text(self, [self._write_line(row) for row in value])

    def _write_line(self, row: Any) -> str:
        return self.said(row) if self.said else ", ".join(self.form.write_words(row))

    def schema(self, asking: FormContext | None) -> dict[str, Any]:
        row = self.form.schema(asking)
        items = {"anyOf": [row, {"type": "string", "minLength": 1}]} if self.typed else row
        return {"type": "array", "items": items, "maxItems": self.most}


#: Fields of several entries, a line each.
Table = Lines | Scores | Rows


def _place_inside(path: str, start: str) -> str:
    """Return a path within a part whose own path is *start*; empty for the part as a whole."""
    return path.removeprefix(start).removeprefix(".") if path.startswith(start) else ""
