"""Rows of data: JSON objects as records, and an explanation of what does not fit.

For the files that ship with the program, and for the rows that a campaign adds. Files that people
write freely are read by `json_reader`, which notes every violation instead of the first.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from importlib.resources import files
from typing import Any, Final, TypeVar, cast

import msgspec.json
from msgspec import ValidationError, convert, inspect

T = TypeVar("T")

#: Loads a JSON file each time it is called.
JsonFile = Callable[[], object]

_FRACTION: Final = 'a whole number or a fraction such as "1/2"'
#: Simple types as error messages name them.
_TYPE_NAMES: Final[Mapping[type[inspect.Type], str]] = {
    inspect.StrType: "a text",
    inspect.IntType: "a whole number",
    inspect.BoolType: "true or false",
    inspect.NoneType: "null",
}


def json_loader(package: str, name: str) -> JsonFile:
    """Return a function that loads `data/<name>.json` of a package."""

    def load() -> object:
        return json.loads(files(package).joinpath(f"data/{name}.json").read_text(encoding="utf-8"))

    return load


def from_json(type_: type[T], value: object, path: str = "") -> T:
    """Return *value*, as JSON has it, as an object of that type.

    The type is built from records, texts, whole numbers, flags, `Literal`, fractions, tuples,
    mappings and unions of these. *path* is where the value stands in its file.

    Raises ValueError with the place and what is allowed there, such as `weapons[3].damage: expected
    a whole number, not "3"`.
    """
    try:
        return convert(value, type_, dec_hook=_convert_other)
    except ValidationError as error:
        problem = _explain(inspect.type_info(type_), value, path)
        raise ValueError(problem or f"{_or_data(path)}: {error}") from None


def json_schema(type_: type[Any]) -> dict[str, Any]:
    """Return the JSON schema of a type, with references into its `$defs`."""
    return msgspec.json.schema(type_)


def rows_by_key(rows: Iterable[T], key: str = "name") -> dict[str, T]:
    """Return rows by one of their fields."""
    return {getattr(row, key): row for row in rows}


def numbers(value: Any, path: str) -> Iterable[tuple[str, int]]:
    """Yield the path and the value of every whole number in a JSON value."""
    if isinstance(value, int) and not isinstance(value, bool):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in cast("dict[str, Any]", value).items():
            yield from numbers(inner, _field_path(path, key))
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(cast("Iterable[Any]", value)):
            yield from numbers(inner, f"{path}[{index}]")


def _convert_other(type_: type, value: object) -> object:
    """Return a value of a type that msgspec does not know: a fraction, or anything for `object`.

    A fraction is written as `3`, `"1/2"` or `"1.5"`, never as a number with a decimal point.
    """
    if type_ is object:
        return value
    if type_ is Fraction and type(value) in (int, str):
        try:
            return Fraction(cast("int | str", value))
        except (ValueError, ZeroDivisionError):
            pass
    raise ValueError(f"expected {_FRACTION}")


# --- explaining what does not fit -----------------------------------------------------------------


def _explain(type_: inspect.Type, value: object, path: str) -> str | None:
    """Return where *value* does not fit a type, and what is allowed there; None if it fits."""
    match type_:
        case inspect.StructType():
            return _explain_record(type_, value, path)
        case inspect.DictType():
            if not isinstance(value, Mapping):
                return _mismatch("an object", value, path)
            entries = cast("Mapping[str, object]", value).items()
            return _explain_first(
                [(type_.value_type, inner, _field_path(path, key)) for key, inner in entries]
            )
        case inspect.VarTupleType() | inspect.TupleType():
            return _explain_list(type_, value, path)
        case inspect.UnionType():
            return _explain_union(type_, value, path)
        case inspect.LiteralType():
            if value in type_.values:
                return None
            return _mismatch(f"one of {', '.join(map(str, type_.values))}", value, path)
        case inspect.CustomType():
            return _explain_other(type_.cls, value, path)
        case _:
            name = _TYPE_NAMES.get(type(type_))
            if name is None or _is_simple(type_, value):
                return None
            return _mismatch(name, value, path)


def _explain_first(parts: Iterable[tuple[inspect.Type, object, str]]) -> str | None:
    """Return the first explanation for one of these types, values and paths."""
    explanations = (_explain(type_, value, path) for type_, value, path in parts)
    return next((text for text in explanations if text is not None), None)


def _explain_record(type_: inspect.StructType, value: object, path: str) -> str | None:
    """Return an unknown or missing field, the first value that does not fit, or the own check."""
    if not isinstance(value, Mapping):
        return _mismatch("an object", value, path)
    given = cast("Mapping[str, object]", value)
    fields = {field.encode_name: field for field in type_.fields}
    for name in given:
        if name not in fields:
            return f"{_field_path(path, name)}: no such field; there are {', '.join(fields)}"
    for name, field in fields.items():
        if field.required and name not in given:
            return f"{_field_path(path, name)}: missing"
    problem = _explain_first(
        [(fields[name].type, inner, _field_path(path, name)) for name, inner in given.items()]
    )
    return problem or _explain_own_check(type_.cls, given, path)


def _explain_own_check(record: type, value: Mapping[str, object], path: str) -> str | None:
    """Return what the record's own `__post_init__` refuses, as `<field>: <what is wrong>`."""
    try:
        convert(value, record, dec_hook=_convert_other)
    except ValidationError as error:
        return _field_path(path, str(error).partition(" - at `$")[0])
    return None


def _explain_list(
    type_: inspect.VarTupleType | inspect.TupleType, value: object, path: str
) -> str | None:
    """Return a wrong length, or the first entry that does not fit."""
    if not isinstance(value, list | tuple):
        return _mismatch("a list", value, path)
    entries = cast("Sequence[object]", value)
    if isinstance(type_, inspect.VarTupleType):
        types: Sequence[inspect.Type] = [type_.item_type] * len(entries)
    else:
        types = type_.item_types
    if len(types) != len(entries):
        return _mismatch(f"a list of {len(types)}", entries, path)
    parts = zip(types, entries, range(len(entries)), strict=True)
    return _explain_first([(type_, inner, f"{path}[{index}]") for type_, inner, index in parts])


def _explain_union(type_: inspect.UnionType, value: object, path: str) -> str | None:
    """Explain what is wrong with the last alternative.

    The explanation leaves out that `null` is allowed as well.
    """
    problem = None
    for alternative in type_.types:
        own = _explain(alternative, value, path)
        if own is None:
            return None
        if not isinstance(alternative, inspect.NoneType):
            problem = own
    return problem


def _explain_other(type_: type, value: object, path: str) -> str | None:
    try:
        _convert_other(type_, value)
    except ValueError:
        return _mismatch(_FRACTION, value, path)
    return None


def _is_simple(type_: inspect.Type, value: object) -> bool:
    """Return whether *value* is of a simple type. A flag is no number."""
    match type_:
        case inspect.StrType():
            return type(value) is str
        case inspect.IntType():
            return type(value) is int
        case inspect.BoolType():
            return type(value) is bool
        case _:
            return value is None


def _mismatch(expected: str, value: object, path: str) -> str:
    return f"{_or_data(path)}: expected {expected}, not {json.dumps(value, default=str)[:100]}"


def _field_path(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _or_data(path: str) -> str:
    return path or "the data"
