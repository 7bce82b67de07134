"""Forms, for `with`, panels, dialogs, settings and sheets.

One interpreter reads a form from words (`halvings 2, support Climbing`) or from JSON, writes its
values back, offers choices and describes them. Values are JSON by key: True, whole numbers, texts,
tuples of texts or of a row's values. A field without a value has no key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import compress
from keyword import iskeyword
from typing import Any, Final, TypeVar

from rules.core.errors import InvalidInput, NotFound, Problems, RulesError
from rules.core.json_reader import Reader, read_whole_number
from rules.core.name_matching import similar_names
from rules.core.record import Record, field_defaults, force_setattr
from rules.core.record import field as record_field
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms.entry_fields import EntriesField, Table
from rules.table.forms.fields import (
    LEAST_LIKENESS,
    NO_CONTEXT,
    QUOTE_MAX,
    Flag,
    FormContext,
    Many,
    Number,
    Option,
    Pick,
    Typed,
    error_with_field,
    never_hidden,
)

T = TypeVar("T")
#: Most fields that a JSON object may have.
_KEYS_MAX: Final = 200
#: Any field of a form.
Field = Flag | Number | Pick | Many | Typed | Table


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


def _word_text(field: Field) -> Text:
    """Return the word of a field as its description, if the field has no other."""
    return Text("as-written", {"text": field.called or field.key})


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
            if not isinstance(field, EntriesField):
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
            if not isinstance(field, EntriesField) and field.hidden_if(asking, field.key) is None:
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
            likeness = LEAST_LIKENESS
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
                if value is None or (len(problems) > wrong and not isinstance(field, EntriesField)):
                    continue
                if field.hidden_if is not never_hidden:
                    word = (*field.write(value), field.key)[0][:QUOTE_MAX]
                    refusal = field.hidden_if(asking, word)
                    if refusal is not None:
                        problems.append(error_with_field(refusal, at))
                        continue
            values[key] = known[key] = value
        if len(problems) == before:
            for problem in self.check(asking):
                path = f"{prefix}{problem.params.get('field', '')}".strip(".")
                problems.append(error_with_field(problem, path))
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
            if isinstance(field, EntriesField) and value is not None and not isinstance(value, str):
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
            if isinstance(field, EntriesField) or field.hidden_if(asking, field.key) is not None:
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
