"""Validation of action fields: values that can't be stored or read again are refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from operator import attrgetter
from typing import Any, Final, cast, get_type_hints

from pydantic import TypeAdapter, ValidationError

from rules.core.errors import InvalidInput, Param
from rules.core.json_reader import Reader
from rules.table.actions import Action, Begin, Choose, SetOrder
from rules.table.check import Values

#: Bound of the integers that every store, script and client keeps exactly.
_EXACT: Final = 1 << 53
#: Bounds of the values of a check's form: fields, entries of a list, levels, letters of a text.
_FIELDS_MAX: Final = 60
_LIST_MAX: Final = 200
_DEPTH_MAX: Final = 3
_TEXT_MAX: Final = 4000
_ONLY_TEXTS: Final[frozenset[type]] = frozenset((str,))
#: Code of the advice for a value of a wrong type, by pydantic's error type.
_FIXES: Final = {
    "string_type": "use-text",
    "int_type": "use-whole-number",
    "bool_type": "use-true-or-false",
    "dict_type": "use-object",
    "tuple_type": "use-list",
}


@cache
def _reader(kind: type[Action]) -> tuple[tuple[str, ...], Callable[[Action], tuple[Any, ...]], Any]:
    """Return an action's field names, a reader of their values, and a validator of the values."""
    hints = get_type_hints(kind)
    types: Any = tuple[tuple(hints.values())]
    return (
        tuple(hints),
        attrgetter(*hints),
        TypeAdapter(types, config={"arbitrary_types_allowed": True}).validator.validate_python,
    )


def check_fields(action: Action) -> None:
    """Refuse values of a wrong type, invalid text, numbers out of bounds and unknown choices.

    The contents of JSON objects are checked by their readers. Those of the values for a check are
    bounded here once, before any form reads them.

    Raises InvalidInput("unprintable-text"), ("out-of-range") or ("wrong-type"), and of values also
    ("too-many-entries") or ("too-long").
    """
    names, values_of, validate = _reader(type(action))
    values = values_of(action)
    try:
        validate(values, strict=True)
    except ValidationError as error:
        raise _wrong_type(names, error) from None
    for name, value in zip(names, values, strict=True):
        for item in value if isinstance(value, tuple) else (value,):
            _check_value(name.rstrip("_"), item)
    if isinstance(action, Begin | Choose | SetOrder):
        _check_choices(action.values)


def _check_choices(values: Values) -> None:
    """Refuse what no form of a check could mean; the form then reads the values.

    Raises InvalidInput("too-many-entries"), ("too-long"), ("out-of-range"), ("unprintable-text") or
    ("wrong-type").
    """
    said = (*values, *values.values())
    # Nearly everything is a few short texts in ASCII.
    if len(values) <= _FIELDS_MAX and _ONLY_TEXTS.issuperset(map(type, said)):
        together = "".join(said)
        if len(together) <= _TEXT_MAX and together.isascii():
            return
    reader = Reader()
    _check_depth(reader, "values", values, 0)
    for problem in reader.problems:
        raise problem


def _check_depth(reader: Reader, field: str, value: object, depth: int) -> None:
    """Note what is wrong with a value and everything in it; `depth` counts its parents."""
    if isinstance(value, str):
        reader.read_text(field, value, _TEXT_MAX)
    elif isinstance(value, int) and not isinstance(value, bool):
        reader.read_number(field, value, -_EXACT, _EXACT)
    elif depth < _DEPTH_MAX and isinstance(value, Mapping):
        row = cast("Mapping[object, object]", value)
        if reader.note_too_many(field, len(row), _FIELDS_MAX):
            return
        for key, inner in row.items():
            _check_depth(reader, field, key, _DEPTH_MAX)
            _check_depth(reader, str(key), inner, depth + 1)
    elif depth < _DEPTH_MAX and isinstance(value, list | tuple):
        entries = cast("list[object]", value)
        if reader.note_too_many(field, len(entries), _LIST_MAX):
            return
        for entry in entries:
            _check_depth(reader, field, entry, depth + 1)
    elif value is not None and not isinstance(value, bool):
        allowed = ("text", "whole-number", "list")
        reader.problems.append(InvalidInput("wrong-type", field=field, value="…", allowed=allowed))


def _wrong_type(names: tuple[str, ...], error: ValidationError) -> InvalidInput:
    first = error.errors(include_url=False)[0]
    more: dict[str, Param] = {}
    if expected := first.get("ctx", {}).get("expected"):
        more["allowed"] = tuple(re.findall("'(.*?)'", expected))
    elif fix := _FIXES.get(first["type"]):
        more["fix"] = fix
    shown = str(first["input"]).encode("utf-8", "replace").decode()[:100]
    return InvalidInput(
        "wrong-type", field=names[int(first["loc"][0])].rstrip("_"), value=shown, **more
    )


def _check_value(name: str, value: object) -> None:
    if isinstance(value, str):
        if not value.isascii() and (clean := value.encode("utf-8", "replace").decode()) != value:
            fix = "remove-control-characters"
            raise InvalidInput("unprintable-text", field=name, value=clean[:100], fix=fix)
    elif isinstance(value, int) and not -_EXACT <= value <= _EXACT:
        raise InvalidInput("out-of-range", field=name, value="…", lowest=-_EXACT, highest=_EXACT)
